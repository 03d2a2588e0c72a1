"""Each function of the standard called as the standard says, beside array-api-strict."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import array_api_strict
import numpy as np
import pytest

import xarr
from tests.comparing import has
from tests.conformance.standard import ALL, COMPLEX, FLOATING, INTEGER, NUMERIC, REAL, REAL_FLOATING
from tests.functions.calls import check, each, rows

pytestmark = pytest.mark.filterwarnings("ignore::xarr.HostFallbackWarning")

SOME = ("float32", "int8", "int16", "uint64", "complex128", "bool")
"""One of each size of an element, and of each kind; other tests have all."""

TABLES: dict[tuple[str, ...], str] = {
    ALL: """
        np.asarray({x, copy=True|[[True, False], [False, True]], dtype=d})
        np.empty_like(x).shape
        np.empty((2, 3), dtype=d).shape
        np.eye({3, 5, k=-1|4}, dtype=d)
        np.from_dlpack(x, copy=True)
        np.full((2, 3), True, dtype=d)
        np.full_like(x, 1)
        np.meshgrid(x[0, :], x[:, 1], indexing="ij")
        np.ones((2, 3), dtype=d)
        np.ones_like(x)
        np.tril(x, k=-1)
        np.triu(x, k=1)
        np.zeros((2, 0), dtype=d)
        np.zeros_like(x, dtype=np.float32)
        np.astype(x, d, copy=True)
        np.can_cast(x, d)
        np.isdtype(d, ("bool", "integral"))
        np.broadcast_arrays(x, x[:1, :])
        np.broadcast_to(x, (2, 3, 4))
        np.concat({[x, x[:, :1]], axis=1|(x, x), axis=None})
        np.expand_dims(x, 1)
        np.flip({x|x, axis=(0, -1)})
        np.moveaxis(x, 0, 1)
        np.permute_dims(x, (1, 0))
        np.repeat(x{, 2|, np.asarray([2, 0, 1]), axis=0})
        np.reshape(x, (2, -1))
        np.roll(x{, -5|, (1, 2), axis=(0, 1)})
        np.squeeze(x[:1, :], 0)
        np.stack([x, x], axis=-1)
        np.tile(x, (2, 1, 2))
        np.unstack(x, axis=1)
        np.take(x, np.asarray([2, 0, -1]), axis=0)
        np.take_along_axis(x, np.asarray([[3, 0], [1, 1], [-4, 2]]))
        np.count_nonzero(x, axis=1)
        np.nonzero(x)
        np.where(x == x[:1, :], x, x[:, :1])
        np.unique_values(x[:1, 2:])
        np.all(x, axis=0, keepdims=True)
        np.{any|matrix_transpose}(x)
        np.linalg.matrix_transpose(x)
        np.linalg.diagonal(x, offset=1)
    """,
    NUMERIC: """
        np.astype(np.ones(1), np.result_type(x, d), copy=False)
        np.cumulative_prod(x, axis=1)
        np.cumulative_sum(x, axis=0, include_initial=True)
        np.prod(x, axis=(0, 1))
        np.sum(x{, keepdims=True|, axis=-1, dtype=np.complex128})
        np.diff(x{, n=2, axis=0|, prepend=x[:, :1], append=x})
        np.matmul(x, np.permute_dims(x, (1, 0)))
        np.linalg.matmul(x[0, :], x[1, :])
        np.tensordot(x, x, axes=((0,), (0,)))
        np.linalg.tensordot(x, x, axes=2)
        np.vecdot(x, x, axis=-2)
        np.linalg.vecdot(x, x)
        np.linalg.cross(x, x[:, ::-1], axis=-2)
        np.linalg.outer(x[0, :], x[1, :])
        np.linalg.trace(x, offset=1)
    """,
    REAL: """
        np.arange({2, 11, 3|5}, dtype=d)
        np.argmax(x, axis=0)
        np.argmin(x, keepdims=True)
        np.max(x, axis=-1)
        np.min(x, axis=(0, 1))
        np.searchsorted(np.sort(x[0, :]), x, side="right")
        np.searchsorted(x[0, :], x[1, :], sorter=np.argsort(x[0, :]))
        np.sort({x, axis=0, descending=True|x})
        np.argsort(x{, descending=True|, axis=0, stable=True})
        np.{unique_all|unique_counts}(np.sort(x, axis=1)[:1, :])
        np.unique_inverse(x)
        np.clip(x{, 1, 3|, max=x[:1, :]})
    """,
    INTEGER: """
        np.iinfo(d).bits
        np.iinfo(x).max
        np.isin(x, x[0, :], invert=False)
    """,
    FLOATING: """
        np.linspace(1, 3, num=7, dtype=d, endpoint=False)
        np.finfo(d).eps
        np.finfo(x).max
        np.mean(x, axis=0)
        np.linalg.{det|inv|slogdet}(m)
        np.linalg.solve(m{, m[0, :]|, m[:, :2]})
        np.linalg.matrix_power(m, {-2|0|3})
        np.linalg.matrix_rank(m, rtol=0.5)
        np.linalg.pinv(x)
        np.linalg.cholesky({h|h, upper=True})
        np.linalg.eigvalsh(h)
        np.linalg.eigh(h).eigenvalues
        np.linalg.svdvals(x)
        np.linalg.svd(x, full_matrices=False).S
        np.abs(np.linalg.qr({x, mode="complete"|x}).R)
        np.linalg.matrix_norm(x{, ord="nuc", keepdims=True|, ord=-1})
        np.linalg.vector_norm(x{, axis=0, ord=inf|, ord=3, keepdims=True})
        np.fft.fftshift(x, axes=(0,))
        np.fft.ifftshift(x)
    """,
    REAL_FLOATING: """
        np.std(x, axis=1, correction=1.0)
        np.var(x, keepdims=True)
        np.fft.rfft(x, n=5, axis=0)
        np.fft.ihfft(x, norm="ortho")
        np.fft.rfftn(x, s=(2, 3), axes=(1, 0))
        np.fft.fftfreq(7, d=0.5, dtype=d)
        np.fft.rfftfreq(8, dtype=d)
    """,
    COMPLEX: """
        np.fft.fft(x, norm="forward")
        np.fft.ifft(x, n=3)
        np.fft.irfft(x, n=6, axis=0)
        np.fft.hfft(x)
        np.fft.fftn(x, axes=(0,))
        np.fft.ifftn(x, s=(5, 2), axes=(0, 1))
        np.fft.irfftn(x)
        np.abs(np.prod(np.linalg.eigvals(m)))
        np.abs(np.prod(np.linalg.eig(m).eigenvalues))
    """,
    # Operators, as many as one kernel computes.
    ("float32", "complex64", "int32"): """
        [-x, +x, abs(x), x + 2, 2 - x, x * x[:1, :], x == 2, x != x[:1, :]]
        x += x[:1, :]; x -= 2; x *= 3
    """,
    ("float32", "int32"): "[x // 3, x % 3, 7 % (x + 1), x < 2, x >= x[:1, :], 2 > x, x ** 2]",
    ("float32", "complex64"): "[x / 2.0, 2.0 / (x + 1)]",
    ("int32", "uint8"): "[~x, x & 3, x | x[:1, :], x ^ 1, x << 1, x >> 1]",
}


def values(dtype: str) -> Any:
    """A table of three rows and four columns, of few different numbers."""
    numbers = np.arange(12).reshape(3, 4) * 7 % 5
    return (numbers * (1 - 2j) if dtype in COMPLEX else numbers).astype(dtype)


def operands(dtype: str, look: Callable[[Any], Any] = lambda x: x) -> dict[str, Any]:
    """The table, a matrix far from singular, a Hermitian one, and the data type."""
    x = values(dtype)
    m = (x[:, :3] + 9 * np.eye(3)).astype(dtype)
    h = m + m.T.conj()
    return {
        name: (look(one), look(xarr.asarray(one))) for name, one in {"x": x, "m": m, "h": h}.items()
    }


def called(call: str, dtype: str, look: Callable[[Any], Any] = lambda x: x) -> None:
    """A call beside array-api-strict's; `d` in it is the data type."""
    call = re.sub(r"\bd\b(?!=)", f"np.{dtype}", call)
    check(call, near=1e-5, beside=array_api_strict, **operands(dtype, look))


@pytest.mark.parametrize(
    ("call", "dtypes"), [(call, dtypes) for dtypes, table in TABLES.items() for call in rows(table)]
)
def test_of_data_types(call: str, dtypes: tuple[str, ...]) -> None:
    for dtype in dtypes:
        if has(dtype) and (dtype in SOME or len(dtypes) <= 4):
            called(call, dtype)


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "strided": lambda x: repeated(repeated(x, 0), 1)[::2, ::2],
    "reversed": lambda x: copied(x[::-1, ::-1])[::-1, ::-1],
    "transposed": lambda x: copied(x.T).T,
}


def repeated(x: Any, axis: int) -> Any:
    return np.repeat(x, 2, axis) if isinstance(x, np.ndarray) else xarr.repeat(x, 2, axis=axis)


def copied(x: Any) -> Any:
    return np.ascontiguousarray(x) if isinstance(x, np.ndarray) else xarr.asarray(x, copy=True)


@pytest.mark.parametrize(
    ("call", "dtype"),
    [
        (call, dtypes[0])
        for dtypes, table in TABLES.items()
        for call in rows(table)
        if re.search(r"\b[xmh]\b", call)
    ],
)
def test_of_layouts(call: str, dtype: str) -> None:
    for layout, look in LAYOUTS.items():
        called(f"{call}  # {layout}", dtype, look)


LARGE = """
np.meshgrid(v[:300], v[:240])
np.take(v, np.astype(v, np.int64))
np.take_along_axis(t, np.astype(t, np.int64) % 240)
np.unique_counts(np.sort(v))
np.unique_inverse(np.astype(t, np.uint8))
np.unique_values(np.astype(v, np.int64))
np.isin(np.astype(v, np.int32), np.astype(v[:50], np.int32))
np.diff(np.astype(v, np.int64), n=2)
np.matmul(np.astype(t, np.int64), np.astype(np.permute_dims(t, (1, 0)), np.int64))
np.vecdot(v % 5, v % 7)
np.tensordot(np.reshape(t, (30, 10, 240)) % 5, np.reshape(t, (10, 240, 30)) % 7)
np.linalg.cholesky(m @ np.permute_dims(m, (1, 0)))
np.linalg.{det|inv}(m)
np.linalg.eigvalsh(m + np.permute_dims(m, (1, 0)))
np.linalg.matrix_norm(t)
np.linalg.solve(m, m[:, :3] * 2)
np.linalg.svdvals(t[:130, :90])
np.fft.fftn(np.astype(np.reshape(v[:70000], (50, 70, 20)), np.complex64))
np.fft.rfftn(np.reshape(v[:70000], (50, 70, 20)))
"""


@each(LARGE)
def test_many_elements(call: str) -> None:
    """More than one group of items takes, on any device.

    Rows of the tables, sorts, searches and transforms of many have tests of their own, and what is
    moved or joined has its own in functions/test_manipulation.py.
    """
    if not has("float64") and "128" in call:
        pytest.skip("the device lacks the data type")
    rng = np.random.default_rng(3)
    v, t = (rng.integers(0, 1000, shape).astype("float32") for shape in (70001, (300, 240)))
    m = (np.eye(120) + rng.integers(-4, 5, (120, 120)) / 1000).astype("float32")
    check(call, near=1e-5, beside=array_api_strict, v=v, t=t, m=m)


def called_names() -> Iterator[str]:
    for table in TABLES.values():
        for call in rows(table):
            yield from re.findall(r"\bnp\.([a-z_.0-9]+)\(", call)


ERRORS = """
np.nonzero(np.asarray(1)) ! ValueError: nonzero(a): a is 0-dimensional
np.cumulative_sum(x) ! ValueError: cumulative_sum(x, axis): x has 2 dimensions
np.sum(x, axis=2) ! ValueError: sum(a, axis): axis is 2
np.unstack(np.asarray(1)) ! ValueError: unstack(x, axis): axis is 0
np.concat([x, y]) ! ValueError: concat(arrays, axis): the shapes are (2, 3) and (2, 4) and axis is 0
np.stack([x, y]) ! ValueError: stack(arrays, axis): the shapes are (2, 3) and (2, 4); all shapes
np.finfo(np.int8) ! ValueError: finfo(dtype): dtype is int8
np.iinfo(np.float32) ! ValueError: iinfo(int_type): int_type is float32
np.isdtype(np.int8, "word") ! ValueError: isdtype(dtype, kind): kind is 'word'
np.broadcast_shapes((2,), (3,)) ! ValueError: shape
np.reshape(np.permute_dims(x, (1, 0)), (6,), copy=False) ! ValueError: copy
np.matmul(x, x) ! ValueError: matmul(x1, x2): x1 has shape (2, 3) and x2 (2, 3)
x @ np.asarray(1.0) ! ValueError: matmul(x1, x2): x2 is 0-dimensional
np.matmul(np.asarray(1.0), x) ! ValueError: matmul(x1, x2): x1 is 0-dimensional
np.vecdot(x, y) ! ValueError: vecdot(x1, x2): the vectors have 3 and 4
np.tensordot(x, x, axes=1) ! ValueError: tensordot(a, b, axes): axis 1 of a has 3
np.linalg.cross(x[:, :2], x[:, :2]) ! ValueError: linalg.cross(x1, x2): axis -1 has 2
np.linalg.inv(x) ! ValueError: linalg.inv(a): a has shape (2, 3)
np.linalg.qr(x, mode="word") ! ValueError: linalg.qr(a): mode is 'word'
np.linalg.outer(x, x) ! ValueError: linalg.outer(x1, x2): x1 has shape (2, 3)
np.matrix_transpose(x[0]) ! ValueError: matrix_transpose(x): x has shape (3,)
x[0].mT ! ValueError: Array.mT:
np.fft.fft(x * 1j, norm="word") ! ValueError: fft.fft(a): norm is 'word'
"""


@each(ERRORS)
def test_errors_of_the_standard(call: str) -> None:
    check(call, x=np.zeros((2, 3), np.float32), y=np.zeros((2, 4), np.float32))


NOTHING = """
float(np.sum(n)) == 0 and float(np.prod(n)) == 1
all(np.isnan(f(n)) for f in (np.mean, np.var, np.std))
bool(np.all(n)) and not np.any(n) and int(np.count_nonzero(n)) == 0
np.sum(n, axis=0).tolist() == [0, 0, 0]
np.cumulative_sum(n[:, 0], include_initial=True).shape == (1,)
all(np.isnan(np.std(np.asarray([1.0, 2, 4]), correction=c)) for c in (3, 3.0, 4, 7.5))
np.asarray([2**64 - 1, 0], dtype=np.uint64).tolist() == [2**64 - 1, 0]
np.asarray([2**63 + 1, 5], dtype=np.uint64).tolist() == [2**63 + 1, 5]
all(f(n[:1] * 2, axis=()).shape == (0, 3) for f in (np.sum, np.max, np.all, np.count_nonzero))
"""


@each(NOTHING)
def test_results_of_no_elements_and_no_axes(call: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert eval(call, {"np": xarr, "n": xarr.zeros((0, 3), dtype="float32")})
