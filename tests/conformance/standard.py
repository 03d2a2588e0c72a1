"""The standard 2025.12 as a list: its names and parameters."""

from __future__ import annotations

from typing import Final


def words(text: str) -> tuple[str, ...]:
    """The words of a text: a list of many names that is shorter than one of strings."""
    return tuple(text.split())


def named(table: dict[str, str]) -> dict[str, str]:
    """Parameters by name, of a table in which names of the same parameters stand together."""
    return {name: parameters for names, parameters in table.items() for name in words(names)}


VERSION: Final = "2025.12"

UNARY: Final = words(
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor "
    "imag isfinite isinf isnan log log1p log2 log10 logical_not negative positive real "
    "reciprocal round sign signbit sin sinh square sqrt tan tanh trunc"
)
BINARY: Final = words(
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor "
    "copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp "
    "logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal pow "
    "remainder subtract"
)

SIGNATURES: Final = named(
    {
        " ".join(UNARY): "x, /",
        " ".join(BINARY): "x1, x2, /",
        "clip": "x, /, min=None, max=None",
        # creation
        "arange": "start, /, stop=None, step=1, *, dtype=None, device=None",
        "asarray": "obj, /, *, dtype=None, device=None, copy=None",
        "empty ones zeros": "shape, *, dtype=None, device=None",
        "empty_like ones_like zeros_like": "x, /, *, dtype=None, device=None",
        "eye": "n_rows, n_cols=None, /, *, k=0, dtype=None, device=None",
        "from_dlpack": "x, /, *, device=None, copy=None",
        "full": "shape, fill_value, *, dtype=None, device=None",
        "full_like": "x, /, fill_value, *, dtype=None, device=None",
        "linspace": "start, stop, /, num, *, dtype=None, device=None, endpoint=True",
        "meshgrid": "*arrays, indexing='xy'",
        "tril triu": "x, /, *, k=0",
        # data types
        "astype": "x, dtype, /, *, copy=True, device=None",
        "can_cast": "from_, to, /",
        "finfo iinfo": "type, /",
        "isdtype": "dtype, kind",
        "result_type": "*arrays_and_dtypes",
        # indexing
        "take": "x, indices, /, *, axis=None",
        "take_along_axis": "x, indices, /, *, axis=-1",
        # linear algebra
        "matmul linalg.matmul linalg.outer linalg.solve": "x1, x2, /",
        "matrix_transpose linalg.matrix_transpose": "x, /",
        "tensordot linalg.tensordot": "x1, x2, /, *, axes=2",
        "vecdot linalg.vecdot linalg.cross": "x1, x2, /, *, axis=-1",
        # manipulation
        "broadcast_arrays": "*arrays",
        "broadcast_shapes": "*shapes",
        "broadcast_to": "x, /, shape",
        "concat stack": "arrays, /, *, axis=0",
        "expand_dims squeeze": "x, /, axis",
        "flip": "x, /, *, axis=None",
        "moveaxis": "x, source, destination, /",
        "permute_dims": "x, /, axes",
        "repeat": "x, repeats, /, *, axis=None",
        "reshape": "x, /, shape, *, copy=None",
        "roll": "x, /, shift, *, axis=None",
        "tile": "x, repetitions, /",
        "unstack": "x, /, *, axis=0",
        # searching, sets and sorting
        "argmax argmin count_nonzero": "x, /, *, axis=None, keepdims=False",
        "nonzero unique_all unique_counts unique_inverse unique_values": "x, /",
        "searchsorted": "x1, x2, /, *, side='left', sorter=None",
        "where": "condition, x1, x2, /",
        "isin": "x1, x2, /, *, invert=False",
        "argsort sort": "x, /, *, axis=-1, descending=False, stable=True",
        # statistics and utilities
        "cumulative_prod cumulative_sum": "x, /, *, axis=None, dtype=None, include_initial=False",
        "all any max mean min": "x, /, *, axis=None, keepdims=False",
        "prod sum": "x, /, *, axis=None, dtype=None, keepdims=False",
        "std var": "x, /, *, axis=None, correction=0.0, keepdims=False",
        "diff": "x, /, *, axis=-1, n=1, prepend=None, append=None",
        "__array_namespace_info__": "",
        # the extension linalg
        "linalg.cholesky": "x, /, *, upper=False",
        "linalg.det linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh": "x, /",
        "linalg.inv linalg.slogdet linalg.svdvals": "x, /",
        "linalg.diagonal": "x, /, *, offset=0",
        "linalg.matrix_norm": "x, /, *, keepdims=False, ord='fro'",
        "linalg.matrix_power": "x, n, /",
        "linalg.matrix_rank linalg.pinv": "x, /, *, rtol=None",
        "linalg.qr": "x, /, *, mode='reduced'",
        "linalg.svd": "x, /, *, full_matrices=True",
        "linalg.trace": "x, /, *, offset=0, dtype=None",
        "linalg.vector_norm": "x, /, *, axis=None, keepdims=False, ord=2",
        # the extension fft
        "fft.fft fft.ifft fft.rfft fft.irfft fft.hfft fft.ihfft": (
            "x, /, *, n=None, axis=-1, norm='backward'"
        ),
        "fft.fftn fft.ifftn fft.rfftn fft.irfftn": "x, /, *, s=None, axes=None, norm='backward'",
        "fft.fftfreq fft.rfftfreq": "n, /, *, d=1.0, dtype=None, device=None",
        "fft.fftshift fft.ifftshift": "x, /, *, axes=None",
    }
)
"""Every function of the standard, with its parameters."""

METHODS: Final = named(
    {
        "__abs__ __bool__ __complex__ __dlpack_device__ __float__ __index__ __int__": "/",
        "__invert__ __neg__ __pos__": "/",
        "__add__ __and__ __eq__ __floordiv__ __ge__ __gt__ __le__ __lshift__": "other, /",
        "__lt__ __matmul__ __mod__ __mul__ __ne__ __or__ __pow__ __rshift__": "other, /",
        "__sub__ __truediv__ __xor__": "other, /",
        "__array_namespace__": "/, *, api_version=None",
        "__dlpack__": "/, *, stream=None, max_version=None, dl_device=None, copy=None",
        "__getitem__": "key, /",
        "__setitem__": "key, value, /",
        "to_device": "device, /, *, stream=None",
    }
)
"""Every method of the array object, with its parameters after `self`."""

INFORMATION: Final = named(
    {
        "capabilities default_device devices": "",
        "default_dtypes": "*, device=None",
        "dtypes": "*, device=None, kind=None",
    }
)
"""Every method of what `__array_namespace_info__` returns."""

ATTRIBUTES: Final = ("T", "device", "dtype", "mT", "ndim", "shape", "size")
CONSTANTS: Final = ("e", "inf", "nan", "newaxis", "pi")
EXTENSIONS: Final = ("fft", "linalg")

SIGNED: Final = ("int8", "int16", "int32", "int64")
UNSIGNED: Final = ("uint8", "uint16", "uint32", "uint64")
INTEGER: Final = SIGNED + UNSIGNED
REAL_FLOATING: Final = ("float32", "float64")
COMPLEX: Final = ("complex64", "complex128")
FLOATING: Final = REAL_FLOATING + COMPLEX
REAL: Final = REAL_FLOATING + INTEGER
NUMERIC: Final = REAL + COMPLEX
ALL: Final = (*NUMERIC, "bool")
