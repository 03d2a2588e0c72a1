"""The standard 2025.12 as tests need it: its names, calls of them on two libraries, agreement.

A `Row` says how a function is called and how its result may differ from the reference's, which is
array-api-strict's unless the row names another. The rows stand in tests/test_standard_*.py.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import array_api_strict
import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.array_api import make_strategies_namespace

import xarr
from tests.comparing import has
from tests.launching import nothing_launched
from tests.reference import Values


def words(text: str) -> tuple[str, ...]:
    """The words of a text: a list of many names that is shorter than one of strings."""
    return tuple(text.split())


VERSION: Final = "2025.12"
XPS: Final = make_strategies_namespace(array_api_strict, api_version=VERSION)


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

_TRANSFORM = "x, /, *, n=None, axis=-1, norm='backward'"
_TRANSFORMS = "x, /, *, s=None, axes=None, norm='backward'"

SIGNATURES: Final[dict[str, str]] = {
    **dict.fromkeys(UNARY, "x, /"),
    **dict.fromkeys(BINARY, "x1, x2, /"),
    "clip": "x, /, min=None, max=None",
    # creation
    "arange": "start, /, stop=None, step=1, *, dtype=None, device=None",
    "asarray": "obj, /, *, dtype=None, device=None, copy=None",
    "empty": "shape, *, dtype=None, device=None",
    "empty_like": "x, /, *, dtype=None, device=None",
    "eye": "n_rows, n_cols=None, /, *, k=0, dtype=None, device=None",
    "from_dlpack": "x, /, *, device=None, copy=None",
    "full": "shape, fill_value, *, dtype=None, device=None",
    "full_like": "x, /, fill_value, *, dtype=None, device=None",
    "linspace": "start, stop, /, num, *, dtype=None, device=None, endpoint=True",
    "meshgrid": "*arrays, indexing='xy'",
    "ones": "shape, *, dtype=None, device=None",
    "ones_like": "x, /, *, dtype=None, device=None",
    "tril": "x, /, *, k=0",
    "triu": "x, /, *, k=0",
    "zeros": "shape, *, dtype=None, device=None",
    "zeros_like": "x, /, *, dtype=None, device=None",
    # data types
    "astype": "x, dtype, /, *, copy=True, device=None",
    "can_cast": "from_, to, /",
    "finfo": "type, /",
    "iinfo": "type, /",
    "isdtype": "dtype, kind",
    "result_type": "*arrays_and_dtypes",
    # indexing
    "take": "x, indices, /, *, axis=None",
    "take_along_axis": "x, indices, /, *, axis=-1",
    # linear algebra
    "matmul": "x1, x2, /",
    "matrix_transpose": "x, /",
    "tensordot": "x1, x2, /, *, axes=2",
    "vecdot": "x1, x2, /, *, axis=-1",
    # manipulation
    "broadcast_arrays": "*arrays",
    "broadcast_shapes": "*shapes",
    "broadcast_to": "x, /, shape",
    "concat": "arrays, /, *, axis=0",
    "expand_dims": "x, /, axis",
    "flip": "x, /, *, axis=None",
    "moveaxis": "x, source, destination, /",
    "permute_dims": "x, /, axes",
    "repeat": "x, repeats, /, *, axis=None",
    "reshape": "x, /, shape, *, copy=None",
    "roll": "x, /, shift, *, axis=None",
    "squeeze": "x, /, axis",
    "stack": "arrays, /, *, axis=0",
    "tile": "x, repetitions, /",
    "unstack": "x, /, *, axis=0",
    # searching
    "argmax": "x, /, *, axis=None, keepdims=False",
    "argmin": "x, /, *, axis=None, keepdims=False",
    "count_nonzero": "x, /, *, axis=None, keepdims=False",
    "nonzero": "x, /",
    "searchsorted": "x1, x2, /, *, side='left', sorter=None",
    "where": "condition, x1, x2, /",
    # sets
    "isin": "x1, x2, /, *, invert=False",
    "unique_all": "x, /",
    "unique_counts": "x, /",
    "unique_inverse": "x, /",
    "unique_values": "x, /",
    # sorting
    "argsort": "x, /, *, axis=-1, descending=False, stable=True",
    "sort": "x, /, *, axis=-1, descending=False, stable=True",
    # statistics
    "cumulative_prod": "x, /, *, axis=None, dtype=None, include_initial=False",
    "cumulative_sum": "x, /, *, axis=None, dtype=None, include_initial=False",
    "max": "x, /, *, axis=None, keepdims=False",
    "mean": "x, /, *, axis=None, keepdims=False",
    "min": "x, /, *, axis=None, keepdims=False",
    "prod": "x, /, *, axis=None, dtype=None, keepdims=False",
    "std": "x, /, *, axis=None, correction=0.0, keepdims=False",
    "sum": "x, /, *, axis=None, dtype=None, keepdims=False",
    "var": "x, /, *, axis=None, correction=0.0, keepdims=False",
    # utilities
    "all": "x, /, *, axis=None, keepdims=False",
    "any": "x, /, *, axis=None, keepdims=False",
    "diff": "x, /, *, axis=-1, n=1, prepend=None, append=None",
    # inspection
    "__array_namespace_info__": "",
    # the extension linalg
    "linalg.cholesky": "x, /, *, upper=False",
    "linalg.cross": "x1, x2, /, *, axis=-1",
    "linalg.det": "x, /",
    "linalg.diagonal": "x, /, *, offset=0",
    "linalg.eig": "x, /",
    "linalg.eigh": "x, /",
    "linalg.eigvals": "x, /",
    "linalg.eigvalsh": "x, /",
    "linalg.inv": "x, /",
    "linalg.matmul": "x1, x2, /",
    "linalg.matrix_norm": "x, /, *, keepdims=False, ord='fro'",
    "linalg.matrix_power": "x, n, /",
    "linalg.matrix_rank": "x, /, *, rtol=None",
    "linalg.matrix_transpose": "x, /",
    "linalg.outer": "x1, x2, /",
    "linalg.pinv": "x, /, *, rtol=None",
    "linalg.qr": "x, /, *, mode='reduced'",
    "linalg.slogdet": "x, /",
    "linalg.solve": "x1, x2, /",
    "linalg.svd": "x, /, *, full_matrices=True",
    "linalg.svdvals": "x, /",
    "linalg.tensordot": "x1, x2, /, *, axes=2",
    "linalg.trace": "x, /, *, offset=0, dtype=None",
    "linalg.vecdot": "x1, x2, /, *, axis=-1",
    "linalg.vector_norm": "x, /, *, axis=None, keepdims=False, ord=2",
    # the extension fft
    **{f"fft.{name}": _TRANSFORM for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")},
    **{f"fft.{name}": _TRANSFORMS for name in ("fftn", "ifftn", "rfftn", "irfftn")},
    "fft.fftfreq": "n, /, *, d=1.0, dtype=None, device=None",
    "fft.rfftfreq": "n, /, *, d=1.0, dtype=None, device=None",
    "fft.fftshift": "x, /, *, axes=None",
    "fft.ifftshift": "x, /, *, axes=None",
}
"""Every function of the standard, with its parameters."""

METHODS: Final[dict[str, str]] = {
    **dict.fromkeys(
        words(
            "__abs__ __bool__ __complex__ __dlpack_device__ __float__ __index__ __int__ "
            "__invert__ __neg__ __pos__"
        ),
        "/",
    ),
    **dict.fromkeys(
        words(
            "__add__ __and__ __eq__ __floordiv__ __ge__ __gt__ __le__ __lshift__ __lt__ "
            "__matmul__ __mod__ __mul__ __ne__ __or__ __pow__ __rshift__ __sub__ __truediv__ "
            "__xor__"
        ),
        "other, /",
    ),
    "__array_namespace__": "/, *, api_version=None",
    "__dlpack__": "/, *, stream=None, max_version=None, dl_device=None, copy=None",
    "__getitem__": "key, /",
    "__setitem__": "key, value, /",
    "to_device": "device, /, *, stream=None",
}
"""Every method of the array object, with its parameters after `self`."""

INFORMATION: Final[dict[str, str]] = {
    "capabilities": "",
    "default_device": "",
    "default_dtypes": "*, device=None",
    "devices": "",
    "dtypes": "*, device=None, kind=None",
}
"""Every method of what `__array_namespace_info__` returns."""

ATTRIBUTES: Final = ("T", "device", "dtype", "mT", "ndim", "shape", "size")
CONSTANTS: Final = ("e", "inf", "nan", "newaxis", "pi")
EXTENSIONS: Final = ("fft", "linalg")

SOME: Final = ("float32", "int8", "int16", "uint64", "complex128", "bool")
"""One of each size of an element, and of each kind."""

SIGNED: Final = ("int8", "int16", "int32", "int64")
UNSIGNED: Final = ("uint8", "uint16", "uint32", "uint64")
INTEGER: Final = SIGNED + UNSIGNED
REAL_FLOATING: Final = ("float32", "float64")
COMPLEX: Final = ("complex64", "complex128")
FLOATING: Final = REAL_FLOATING + COMPLEX
# The first data type of a row is the one whose layouts are tested.
REAL: Final = REAL_FLOATING + INTEGER
NUMERIC: Final = REAL + COMPLEX
ALL: Final = (*NUMERIC, "bool")


def signature(parameters: str, *, method: bool = False) -> inspect.Signature:
    """The signature that parameters are written as."""
    text = f"self, {parameters}" if method else parameters
    found = inspect.signature(eval(f"lambda {text}: None"))
    return found.replace(parameters=list(found.parameters.values())[1:]) if method else found


def attribute(library: Any, name: str) -> Any:
    """The function or constant of a dotted name."""
    return functools.reduce(getattr, name.split("."), library)


@dataclass(frozen=True)
class Operand:
    """An array as a view of another: each library makes it in its own memory."""

    base: Values
    layout: str = "contiguous"
    shape: tuple[int, ...] = ()

    def on(self, xp: Any) -> Any:
        """The array of a library."""
        x = xp.asarray(self.base)
        if self.layout == "strided":
            return x[(slice(None, None, 2),) * self.base.ndim]
        if self.layout == "reversed":
            return x[(slice(None, None, -1),) * self.base.ndim]
        if self.layout == "transposed":
            return xp.permute_dims(x, tuple(range(self.base.ndim))[::-1])
        if self.layout == "broadcast":
            return xp.broadcast_to(x, self.shape)
        return x[0, ...] if self.layout == "part" else x

    @property
    def host(self) -> Values:
        """The array of NumPy."""
        return np.asarray(self.on(np))

    def text(self, xp: str) -> str:
        """An expression that makes the array."""
        base = self.base
        made = f"{xp}.asarray(numpy.asarray({base.tolist()!r}, {str(base.dtype)!r}"
        made += f").reshape({base.shape}))" if base.size == 0 else "))"
        made = made.replace("nan", "numpy.nan").replace("inf", "numpy.inf")
        indices = {"strided": "::2", "reversed": "::-1"}
        if self.layout in indices:
            return f"{made}[{', '.join([indices[self.layout]] * base.ndim)}]"
        if self.layout == "transposed":
            return f"{xp}.permute_dims({made}, {tuple(range(base.ndim))[::-1]})"
        if self.layout == "broadcast":
            return f"{xp}.broadcast_to({made}, {self.shape})"
        return f"{made}[0, ...]" if self.layout == "part" else made


@dataclass(frozen=True)
class Type:
    """A data type, to be taken from the library that is called."""

    name: str


def _resolved(value: Any, xp: Any) -> Any:
    if isinstance(value, Operand):
        return value.on(xp)
    if isinstance(value, Type):
        return getattr(xp, value.name)
    if type(value) in (tuple, list):
        return type(value)(_resolved(part, xp) for part in value)
    return value


def _arrays(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, xarr.Array):
            yield value
        elif type(value) in (tuple, list):
            yield from _arrays(value)


def _text(value: Any, xp: str) -> str:
    if isinstance(value, Operand):
        return value.text(xp)
    if isinstance(value, Type):
        return f"{xp}.{value.name}"
    if isinstance(value, list):
        return f"[{', '.join(_text(part, xp) for part in value)}]"
    if isinstance(value, tuple):
        return f"({''.join(_text(part, xp) + ', ' for part in value)})"
    return repr(value)


@dataclass(frozen=True)
class Call:
    """A call of a function of the standard, which any library can make."""

    name: str
    arguments: Sequence[Any] = ()
    options: dict[str, Any] = field(default_factory=dict)

    def on(self, xp: Any, function: Callable[..., Any] | None = None) -> Any:
        """The result of a library; of a function of its own if one is given."""
        arguments = _resolved(list(self.arguments), xp)
        options = {name: _resolved(value, xp) for name, value in self.options.items()}
        call = function or attribute(xp, self.name)
        if xp is xarr:
            return call(*arguments, **options)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as of the mean of no elements
            return call(*arguments, **options)

    def text(self) -> str:
        """A line that can be pasted and run."""
        parts = [_text(value, "xarr") for value in self.arguments]
        parts += [f"{name}={_text(value, 'xarr')}" for name, value in self.options.items()]
        return f"import numpy, xarr; print(xarr.{self.name}({', '.join(parts)}))"

    @property
    def hosts(self) -> list[Values]:
        """The arrays among the arguments, as NumPy's."""
        flat = [
            part
            for value in (*self.arguments, *self.options.values())
            for part in (value if isinstance(value, (list, tuple)) else [value])
        ]
        return [part.host for part in flat if isinstance(part, Operand)]


LAYOUTS: Final = ("contiguous", "strided", "reversed", "transposed", "broadcast", "part")


class Pick:
    """The choices that an example is made of, for a data type."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any], dtype: str, plain: bool):
        self.draw = draw
        self.dtype = dtype
        self.plain = plain

    @property
    def kind(self) -> str:
        """NumPy's letter of the data type's kind."""
        return np.dtype(self.dtype).kind if self.dtype else ""

    def one(self, *values: Any) -> Any:
        """One of some values."""
        return self.draw(st.sampled_from(values))

    def form(self, *values: Any) -> Any:
        """One of some values that need kernels of their own; the first where few are wanted."""
        return values[0] if self.plain else self.one(*values)

    def boolean(self) -> bool:
        """True or False."""
        return bool(self.draw(st.booleans()))

    def integer(self, low: int, high: int) -> int:
        """An integer of a closed interval."""
        return int(self.draw(st.integers(low, high)))

    def shape(self, least: int = 0, most: int = 3, side: int = 4, empty: bool = True) -> Any:
        """A shape."""
        low = 0 if empty else 1
        if self.plain:
            # Of one element, or none, kernels are others: the tests of layouts have them.
            low = 2
        return self.draw(
            XPS.array_shapes(min_dims=least, max_dims=most, min_side=low, max_side=side)
        )

    def array(
        self,
        shape: tuple[int, ...] | None = None,
        low: float | None = None,
        high: float | None = None,
        dtype: str | None = None,
        special: bool = False,
        layout: str | None = None,
    ) -> Operand:
        """An array; its values are of an interval, of all numbers if none is given."""
        dtype = dtype or self.dtype
        shape = self.shape() if shape is None else shape
        if layout is None:
            layout = "contiguous" if self.plain else self.one(*LAYOUTS)
        base = shape
        if layout == "strided":
            base = tuple(2 * side for side in shape)
        elif layout == "transposed":
            base = shape[::-1]
        elif layout == "broadcast":
            base = tuple(min(side, 1) if axis == 0 else side for axis, side in enumerate(shape))
        elif layout == "part":
            base = (2, *shape)
        values = XPS.arrays(
            getattr(array_api_strict, dtype), base, elements=elements(dtype, low, high, special)
        )
        return Operand(np.asarray(self.draw(values)), layout, shape)

    def axis(self, x: Operand) -> int:
        """An axis of an array."""
        ndim = x.host.ndim
        return self.integer(-ndim, ndim - 1)

    def axes(self, x: Operand) -> Any:
        """Axes as reductions take them: None, one, or several."""
        ndim = x.host.ndim
        if ndim == 0 or self.boolean():
            return None
        if self.boolean():
            return self.axis(x)
        return self.draw(XPS.valid_tuple_axes(ndim))


def elements(
    dtype: str, low: float | None, high: float | None, special: bool
) -> st.SearchStrategy[Any]:
    """Values of a data type."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return st.booleans()
    if kind in "iu":
        info = np.iinfo(dtype)
        least = int(info.min) if low is None else max(int(info.min), math.ceil(low))
        most = int(info.max) if high is None else min(int(info.max), math.floor(high))
        return st.integers(least, most)
    if kind == "c":
        # NumPy's complex functions lose the precision of subnormal parts.
        part = elements("float32" if dtype == "complex64" else "float64", low, high, special)
        return st.builds(complex, part.map(_normal), part.map(_normal))
    width = 32 if dtype == "float32" else 64
    if low is None and high is None:
        return st.floats(width=width) | st.integers(-100, 100).map(float)
    # A 32-bit interval has to have 32-bit ends.
    ends = [None if end is None else float(np.float32(end)) for end in (low, high)]
    finite = st.floats(*ends, width=width, allow_nan=False, allow_infinity=False)
    return finite | st.sampled_from([math.nan, math.inf, -math.inf]) if special else finite


def _normal(part: float) -> float:
    return 0.0 if abs(part) < float(np.finfo("float32").tiny) else part


def of_python(pick: Pick, low: float, high: float) -> Any:
    """A Python scalar of a kind that the data type takes."""
    kind = pick.kind
    if kind == "b":
        return pick.boolean()
    if kind == "u":
        low = max(low, 0)
    whole = pick.integer(math.ceil(low), math.floor(high))
    if kind in "iu" or pick.boolean():
        return whole
    part = pick.draw(st.floats(low, high, width=16))
    return complex(whole, part) if kind == "c" and pick.boolean() else part


Agreement = Callable[[Call, Any, Any], None]


def values_of(result: Any, where: str) -> Values:
    """The values of an Array."""
    assert type(result) is xarr.Array, f"{where} is of type {type(result).__name__}, no Array"
    return np.asarray(result)


def alike(got: Any, wanted: Any, where: str = "the result") -> list[tuple[Values, Values]]:
    """Assert structure, data types and shapes; return the arrays in pairs."""
    if isinstance(wanted, (tuple, list)):
        fields = getattr(wanted, "_fields", None)
        assert isinstance(got, type(wanted) if fields is None else tuple), where
        named = getattr(got, "_fields", None)
        assert named == fields, f"{where} has the fields {named}, not {fields}"
        names = fields or range(len(wanted))
        assert len(got) == len(wanted), f"{where} has {len(got)} parts, not {len(wanted)}"
        pairs = [
            alike(mine, other, f"{where}[{name}]")
            for mine, other, name in zip(got, wanted, names, strict=True)
        ]
        return [pair for parts in pairs for pair in parts]
    if not hasattr(wanted, "dtype"):
        assert type(got) is type(wanted), f"{where} is of type {type(got).__name__}"
        assert got == wanted, f"{where} is {got!r}, not {wanted!r}"
        return []
    mine, other = values_of(got, where), np.asarray(wanted)
    assert mine.dtype == other.dtype, f"{where} has dtype {mine.dtype}, not {other.dtype}"
    assert mine.shape == other.shape, f"{where} has shape {mine.shape}, not {other.shape}"
    return [(mine, other)]


def exact(call: Call, got: Any, wanted: Any) -> None:
    """The same values; zeros may differ in sign."""
    for mine, other in alike(got, wanted):
        np.testing.assert_array_equal(mine, other)


def form(call: Call, got: Any, wanted: Any) -> None:
    """The same structure, data types and shapes; the values are unspecified."""
    alike(got, wanted)


def outline(got: Any, wanted: Any) -> None:
    """Assert structure, data types and shapes, and let pending arrays be pending."""
    if isinstance(wanted, (tuple, list)):
        assert len(got) == len(wanted)
        for mine, other in zip(got, wanted, strict=True):
            outline(mine, other)
    elif hasattr(wanted, "dtype"):
        assert type(got) is xarr.Array
        assert (got.dtype, got.shape) == (np.asarray(wanted).dtype, wanted.shape)


def largest(call: Call) -> float:
    """The largest magnitude among the operands."""
    return max((_finite(x).max(initial=0.0) for x in call.hosts), default=0.0)


def total(call: Call) -> float:
    """The sum of the magnitudes of the first operand."""
    return float(_finite(call.hosts[0]).sum())


def norms(call: Call) -> float:
    """The product of the operands' norms."""
    return math.prod(float(np.sqrt((_finite(x) ** 2).sum())) for x in call.hosts)


def nothing(call: Call) -> float:
    """No measure but the result's own."""
    return 0.0


def _finite(x: Values) -> Values:
    magnitudes = np.abs(x.astype(np.complex128 if x.dtype.kind == "c" else np.float64))
    return np.asarray(magnitudes[np.isfinite(magnitudes)])


def close(mine: Values, other: Values, bound: float, beside: float = 0.0) -> None:
    """Assert values within `bound` units of rounding of the result, or of what is beside it."""
    if mine.dtype.kind not in "fc":
        np.testing.assert_array_equal(mine, other)
        return
    epsilon = float(np.finfo(mine.dtype).eps)
    np.testing.assert_array_equal(np.isnan(mine), np.isnan(other))
    endless = np.isinf(other)
    np.testing.assert_array_equal(mine[endless], other[endless])
    number = np.isfinite(other)
    allowed = bound * epsilon * np.maximum(np.abs(other[number]), beside)
    # A subnormal result is off by its own unit.
    allowed = allowed + 2 * np.finfo(mine.dtype).smallest_subnormal
    error = np.abs(mine[number] - other[number])
    assert (error <= allowed).all(), (
        f"up to {(error / allowed).max():.3g} times the accepted error:\n{mine!r}\nnot\n{other!r}"
    )


def of_norm(call: Call, got: Any, wanted: Any) -> None:
    """The error's norm within some units of rounding of the result's."""
    for mine, other in alike(got, wanted):
        error = np.linalg.norm((mine - other).ravel()) / np.linalg.norm(other.ravel())
        assert error <= 64 * np.finfo(mine.dtype).eps, f"the relative error is {error:.3g}"


def near(bound: float, beside: Callable[[Call], float] = nothing) -> Agreement:
    """Values within `bound` units of rounding."""

    def agree(call: Call, got: Any, wanted: Any) -> None:
        for mine, other in alike(got, wanted):
            close(mine, other, bound, beside(call))

    return agree


Made = tuple[Sequence[Any], dict[str, Any]]


@dataclass(frozen=True)
class Row:
    """A function of the standard and how it is tested.

    Parameters
    ----------
    name : str
        The dotted name.
    made : function of a Pick
        The arguments and the options of a call.
    dtypes : tuple of str
        The data types that are tested; the first one in all layouts.
    agree : function of a call, the result, and what is wanted
        Asserts that they agree.
    reference : function or None
        What is called, with array-api-strict's arrays, in place of its function of that name.
    few : bool
        Whether values are compared for `SOME` data types only, since each compiles kernels and
        other tests have them all; of the others data type and shape are compared.
    """

    name: str
    made: Callable[[Pick], Made]
    dtypes: tuple[str, ...] = ("",)
    agree: Agreement = exact
    reference: Callable[..., Any] | None = None
    few: bool = False


def check(row: Row, call: Call) -> None:
    """Assert that xarr's result of a call agrees with the reference's."""
    wanted = call.on(array_api_strict, row.reference)
    with shown(call):
        row.agree(call, call.on(xarr), wanted)


@contextlib.contextmanager
def shown(call: Call) -> Iterator[None]:
    """Add to a failure the line that shows it."""
    try:
        yield
    except Exception as error:
        error.add_note(f"to see it: {call.text()[:3000]}")
        raise


def _skipped(dtype: str) -> None:
    if dtype and not has(dtype):
        pytest.skip(f"{xarr.default_device()} has no {dtype}")


MANY: Final = 70_001
"""More elements than one group of items takes, on any device."""


def many_elements_of(pairs: Sequence[tuple[Call, Agreement]]) -> Any:
    """A test of calls on arrays of more than one group."""

    @pytest.mark.parametrize(("call", "agree"), pairs, ids=lambda one: getattr(one, "name", ""))
    def test_many_elements(call: Call, agree: Agreement) -> None:
        if not all(has(x.dtype) for x in call.hosts):
            pytest.skip("the device lacks the data type")
        wanted = call.on(array_api_strict)
        results = wanted if isinstance(wanted, (tuple, list)) else [wanted]
        assert max(np.asarray(x).size for x in (*call.hosts, *results)) > 3000
        agree(call, call.on(xarr), wanted)

    return test_many_elements


def made_of(rows: Sequence[Row], *, examples: int, layouts: int) -> tuple[Any, Any]:
    """Two tests of rows: with every data type, and with the first in every layout."""

    @pytest.mark.parametrize(
        ("row", "dtype"),
        [
            pytest.param(row, dtype, id=f"{row.name}-{dtype}".strip("-"))
            for row in rows
            for dtype in row.dtypes
        ],
    )
    @hypothesis.settings(max_examples=examples)
    @hypothesis.given(data=st.data())
    def test_of_data_types(row: Row, dtype: str, data: st.DataObject) -> None:
        _skipped(dtype)
        call = Call(row.name, *row.made(Pick(data.draw, dtype, plain=True)))
        if not row.few or dtype in SOME:
            check(row, call)
            return
        with shown(call), nothing_launched():
            outline(call.on(xarr), call.on(array_api_strict, row.reference))

    @pytest.mark.parametrize(
        "row", [row for row in rows if row.dtypes[0]], ids=lambda row: row.name
    )
    @hypothesis.settings(max_examples=layouts)
    @hypothesis.given(data=st.data())
    def test_of_layouts(row: Row, data: st.DataObject) -> None:
        _skipped(row.dtypes[0])
        check(row, Call(row.name, *row.made(Pick(data.draw, row.dtypes[0], plain=False))))

    return test_of_data_types, test_of_layouts
