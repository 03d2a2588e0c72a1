"""Linear algebra and Fourier transforms of the standard beside array-api-strict's.

Factors that are not unique are compared by what they make: their product, and that they are
orthonormal or triangular.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import array_api_strict
import numpy as np
import pytest

import xarr
from tests.conformance import standard
from tests.conformance.standard import (
    ALL,
    COMPLEX,
    FLOATING,
    NUMERIC,
    REAL_FLOATING,
    Call,
    Made,
    Operand,
    Pick,
    Row,
    Type,
    alike,
    exact,
    near,
    norms,
    of_norm,
    total,
)
from tests.reference import Values

pytestmark = pytest.mark.filterwarnings("ignore::xarr.HostFallbackWarning")

Matrices = Callable[[Pick, int, int], Operand]


def matmul(pick: Pick) -> Made:
    m, k, n = (pick.integer(0, 4) for _ in "mkn")
    first, second = pick.one(
        ((m, k), (k, n)),
        ((k,), (k,)),
        ((k,), (k, n)),
        ((m, k), (k,)),
        ((2, m, k), (k, n)),
        ((3, 1, m, k), (2, k, n)),
        ((k,), (2, k, n)),
    )
    return (pick.array(first, -5, 5), pick.array(second, -5, 5)), {}


def tensordot(pick: Pick) -> Made:
    first, second, axes = pick.one(
        ((2, 3), (3, 4), 1),
        ((2, 3), (4,), 0),
        ((2, 3, 4), (3, 4, 2), 2),
        ((2, 3, 4), (4, 3), ((1, 2), (1, 0))),
        ((2, 3), (2, 5), ((-2,), (0,))),
        ((0, 3), (3, 2), 1),
    )
    options = {} if axes == 2 and pick.boolean() else {"axes": axes}
    return (pick.array(first, -5, 5), pick.array(second, -5, 5)), options


def vecdot(pick: Pick) -> Made:
    first, second, axis = pick.form(
        ((4, 3), (4, 3), -1),
        ((3,), (3,), -1),
        ((2, 3), (3,), -1),
        ((2, 3), (2, 3), -2),
        ((4, 1, 3), (2, 3), -1),
    )
    options = {} if axis == -1 and pick.boolean() else {"axis": axis}
    return (pick.array(first, -5, 5), pick.array(second, -5, 5)), options


def cross(pick: Pick) -> Made:
    first, second, axis = pick.form(
        ((2, 3), (2, 3), -1), ((3,), (3,), -1), ((2, 3), (1, 3), -1), ((3, 2), (3, 2), -2)
    )
    return (pick.array(first, -5, 5), pick.array(second, -5, 5)), {"axis": axis}


def outer(pick: Pick) -> Made:
    return [pick.array((pick.integer(2 * pick.plain, 4),), -5, 5) for _ in "ab"], {}


def matrices(pick: Pick) -> Operand:
    """A matrix of any shape, or a stack."""
    shape = pick.one((3, 3), (2, 4), (4, 2), (1, 1), (2, 3, 2))
    return pick.array(shape, -5, 5)


def transpose(pick: Pick) -> Made:
    return (matrices(pick),), {}


def diagonal(pick: Pick) -> Made:
    return (matrices(pick),), {"offset": pick.integer(-2, 2)}


def trace(pick: Pick) -> Made:
    options: dict[str, Any] = {"offset": pick.integer(-1, 1)}
    if pick.kind in "iu" and pick.boolean():
        options["dtype"] = Type(pick.dtype)
    return (matrices(pick),), options


PRODUCTS = (
    Row("matmul", matmul, NUMERIC, near(4, norms), few=True),
    Row("matrix_transpose", transpose, ALL, few=True),
    Row("tensordot", tensordot, NUMERIC, near(4, norms), few=True),
    Row("vecdot", vecdot, NUMERIC, near(4, norms), few=True),
    Row("linalg.cross", cross, NUMERIC, near(4, norms), few=True),
    Row("linalg.diagonal", diagonal, ALL, few=True),
    Row("linalg.outer", outer, NUMERIC, near(4, norms), few=True),
    Row("linalg.trace", trace, NUMERIC, near(4, total), few=True),
)
ALIASES = ("matmul", "matrix_transpose", "tensordot", "vecdot")


def general(pick: Pick, rows: int, columns: int) -> Operand:
    """A matrix, or a stack of them, far from singular: its diagonal is dominant."""
    stack = pick.one((), (), (2,), (2, 1), (0,))
    x = pick.array((*stack, rows, columns), -2, 2, layout="contiguous")
    values = x.host + 9 * np.eye(rows, columns)
    return Operand(values.astype(pick.dtype))


def hermitian(pick: Pick, side: int, _: int = 0) -> Operand:
    """A Hermitian matrix, positive definite as its diagonal is dominant."""
    x = general(pick, side, side).base
    return Operand((x + np.conj(np.swapaxes(x, -1, -2))).astype(pick.dtype))


def look(pick: Pick, x: Operand) -> Operand:
    """The same matrices in another layout."""
    values = x.base
    if pick.plain:
        return x
    layout = pick.one("contiguous", "strided", "reversed", "transposed", "part")
    ways: dict[str, Callable[[], Values]] = {
        "contiguous": lambda: values,
        "strided": lambda: _doubled(values),
        "reversed": lambda: values[(slice(None, None, -1),) * values.ndim],
        "transposed": values.transpose,
        "part": lambda: np.stack([values, values]),
    }
    base = ways[layout]()
    return Operand(np.ascontiguousarray(base), layout, values.shape)


def _doubled(values: Values) -> Values:
    for axis in range(values.ndim):
        values = np.repeat(values, 2, axis)
    return values


def square(pick: Pick) -> Made:
    side = pick.integer(0, 4)
    return (look(pick, general(pick, side, side)),), {}


def symmetric(pick: Pick) -> Made:
    return (look(pick, hermitian(pick, pick.integer(0, 4))),), {}


def rectangular(pick: Pick) -> Made:
    return (look(pick, general(pick, pick.integer(1, 4), pick.integer(1, 4))),), {}


def solve(pick: Pick) -> Made:
    side = pick.integer(1, 4)
    x = general(pick, side, side)
    stack = x.base.shape[:-2]
    shape = pick.one((side,), (*stack, side, 2)) if not stack else (*stack, side, 2)
    return (look(pick, x), pick.array(shape, -5, 5, layout="contiguous")), {}


def with_options(
    made: Callable[[Pick], Made], **choices: tuple[Any, ...]
) -> Callable[[Pick], Made]:
    def chosen(pick: Pick) -> Made:
        arguments, options = made(pick)
        return arguments, options | {name: pick.one(*some) for name, some in choices.items()}

    return chosen


def matrix_power(pick: Pick) -> Made:
    (x,), _ = square(pick)
    return (x, pick.integer(-2, 4)), {}


def ranked(pick: Pick) -> Made:
    """Matrices of small integers: their rank is that of exact arithmetic."""
    x = pick.array(pick.one((3, 3), (2, 4), (2, 3, 2)), -2, 2, layout="contiguous")
    return (Operand(np.round(x.base).astype(pick.dtype)),), pick.one({}, {"rtol": 1e-3})


def vector_norm(pick: Pick) -> Made:
    x = pick.array(pick.shape(least=1, empty=False), -5, 5)
    order = pick.one(2, 1, 0, math.inf, -math.inf, 3, 0.5, -1, -2)
    if order < 0 and math.isfinite(order):
        x = Operand(np.where(np.abs(x.base) < 0.5, 1, x.base).astype(pick.dtype), x.layout, x.shape)
    return (x,), {"ord": order, "axis": pick.axes(x), "keepdims": pick.boolean()}


def matrix_norm(pick: Pick) -> Made:
    (x,), _ = rectangular(pick)
    order = pick.one("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)
    return (x,), {"ord": order, "keepdims": pick.boolean()}


def adjoint(x: Values) -> Values:
    return np.conj(np.swapaxes(x, -1, -2))


def assert_close(mine: Values, other: Values, what: str, bound: float = 60) -> None:
    """Assert equality to some rounding errors of the largest element."""
    scale = max(1.0, float(np.abs(other).max(initial=0)))
    error = float(np.abs(mine - other).max(initial=0))
    assert error <= bound * float(np.finfo(mine.dtype).eps) * scale, f"{what} is off by {error:.3g}"


def assert_orthonormal(x: Values, what: str) -> None:
    side = x.shape[-1]
    one = np.broadcast_to(np.eye(side, dtype=x.dtype), (*x.shape[:-2], side, side))
    assert_close(adjoint(x) @ x, one, f"{what}, times its adjoint,")


def parts(got: Any, wanted: Any) -> list[Values]:
    return [mine for mine, _ in alike(got, wanted)]


def is_qr(call: Call, got: Any, wanted: Any) -> None:
    q, r = parts(got, wanted)
    assert_close(q @ r, call.hosts[0], "Q R")
    assert_orthonormal(q, "Q")
    assert (np.tril(r, -1) == 0).all(), "R is not upper triangular"


def is_svd(call: Call, got: Any, wanted: Any) -> None:
    u, s, vh = parts(got, wanted)
    rank = s.shape[-1]
    assert_close((u[..., :rank] * s[..., None, :]) @ vh[..., :rank, :], call.hosts[0], "U S Vh")
    assert_orthonormal(u, "U")
    assert_orthonormal(adjoint(vh), "V")
    assert (np.diff(s) <= 0).all(), "the singular values do not fall"
    assert_close(s, np.asarray(wanted[1]), "S")


def is_cholesky(call: Call, got: Any, wanted: Any) -> None:
    (factor,) = parts(got, wanted)
    upper = call.options.get("upper", False)
    assert ((np.tril(factor, -1) if upper else np.triu(factor, 1)) == 0).all(), "not triangular"
    made = adjoint(factor) @ factor if upper else factor @ adjoint(factor)
    assert_close(made, call.hosts[0], "the product of the factors")


def is_eigh(call: Call, got: Any, wanted: Any) -> None:
    values, vectors = parts(got, wanted)
    assert_close(call.hosts[0] @ vectors, vectors * values[..., None, :], "A Q - Q L")
    assert_orthonormal(vectors, "Q")
    assert_close(values, np.asarray(wanted[0]), "the eigenvalues")


def is_eig(call: Call, got: Any, wanted: Any) -> None:
    values, vectors = parts(got, wanted)
    x = call.hosts[0].astype(vectors.dtype)
    assert_close(x @ vectors, vectors * values[..., None, :], "A V - V L", 200)
    assert_close(np.linalg.norm(vectors, axis=-2), np.ones(values.shape), "the vectors' length")
    same_spectrum(call, got[0], wanted[0])


def same_spectrum(call: Call, got: Any, wanted: Any) -> None:
    """The same eigenvalues in any order."""
    ((mine, other),) = alike(got, wanted)
    for place in np.ndindex(mine.shape[:-1]):
        rest = list(other[place])
        for value in mine[place]:
            distances = [abs(one - value) for one in rest]
            nearest = distances.index(min(distances))
            # A double eigenvalue of a matrix that is not normal is known to half the digits.
            assert distances[nearest] <= 20 * math.sqrt(np.finfo(mine.dtype).eps)
            rest.pop(nearest)


def is_slogdet(call: Call, got: Any, wanted: Any) -> None:
    for mine, other in alike(got, wanted):
        assert_close(mine, other, "sign or logarithm")


def relative(bound: float) -> standard.Agreement:
    """Within some rounding errors of the result's largest element."""

    def agree(call: Call, got: Any, wanted: Any) -> None:
        for mine, other in alike(got, wanted):
            assert_close(mine, other, "the result", bound)

    return agree


LINALG = (
    Row("linalg.cholesky", with_options(symmetric, upper=(False, True)), FLOATING, is_cholesky),
    Row("linalg.det", square, FLOATING, relative(60)),
    Row("linalg.eig", square, FLOATING, is_eig),
    Row("linalg.eigh", symmetric, FLOATING, is_eigh),
    Row("linalg.eigvals", square, FLOATING, same_spectrum),
    Row("linalg.eigvalsh", symmetric, FLOATING, relative(60)),
    Row("linalg.inv", square, FLOATING, relative(60)),
    Row("linalg.matrix_norm", matrix_norm, FLOATING, relative(60)),
    Row("linalg.matrix_power", matrix_power, FLOATING, relative(400)),
    Row("linalg.matrix_rank", ranked, FLOATING),
    Row("linalg.pinv", with_options(rectangular, rtol=(None, 1e-4)), FLOATING, relative(60)),
    Row("linalg.qr", with_options(rectangular, mode=("reduced", "complete")), FLOATING, is_qr),
    Row("linalg.slogdet", square, FLOATING, is_slogdet),
    Row("linalg.solve", solve, FLOATING, relative(60)),
    Row("linalg.svd", with_options(rectangular, full_matrices=(True, False)), FLOATING, is_svd),
    Row("linalg.svdvals", rectangular, FLOATING, relative(60)),
    Row("linalg.vector_norm", vector_norm, FLOATING, near(60)),
)


def transform(pick: Pick) -> Made:
    x = pick.array(pick.shape(least=1, side=7, empty=False), -5, 5)
    options: dict[str, Any] = {}
    if not pick.plain:
        options["axis"] = pick.axis(x)
    options |= pick.one({}, {"n": pick.integer(1, 9)}, {"n": None})
    return (x,), options | pick.one({}, {"norm": pick.one("backward", "ortho", "forward")})


def half(pick: Pick) -> Made:
    """Of one element the transform back would have none, unless n says how many."""
    arguments, options = transform(pick)
    return arguments, options | {"n": pick.integer(1, 9)}


def transforms(pick: Pick) -> Made:
    x = pick.array(pick.shape(least=1, side=5, empty=False), -5, 5)
    options: dict[str, Any] = pick.one({}, {"norm": pick.one("backward", "ortho", "forward")})
    if not pick.plain and pick.boolean():
        options["axes"] = pick.draw(standard.XPS.valid_tuple_axes(x.host.ndim, min_size=1))
        if pick.boolean():
            options["s"] = tuple(pick.integer(1, 6) for _ in options["axes"])
    return (x,), options


def halves(pick: Pick) -> Made:
    arguments, options = transforms(pick)
    axes = options.get("axes", (-1,))
    return arguments, options | {"axes": axes, "s": tuple(pick.integer(2, 6) for _ in axes)}


def frequencies(pick: Pick) -> Made:
    return (pick.integer(1, 12),), {"d": pick.one(1.0, 0.5, 0.1), "dtype": Type(pick.dtype)}


def shifted(pick: Pick) -> Made:
    x = pick.array(pick.shape(least=1))
    return (x,), {"axes": pick.axes(x)}


FFT = (
    *(Row(f"fft.{name}", transform, COMPLEX, near(8, total)) for name in ("fft", "ifft")),
    *(Row(f"fft.{name}", transforms, COMPLEX, near(8, total)) for name in ("fftn", "ifftn")),
    *(Row(f"fft.{name}", transform, REAL_FLOATING, near(8, total)) for name in ("rfft", "ihfft")),
    *(Row(f"fft.{name}", half, COMPLEX, near(16, total)) for name in ("irfft", "hfft")),
    Row("fft.rfftn", transforms, REAL_FLOATING, near(8, total)),
    Row("fft.irfftn", halves, COMPLEX, near(16, total)),
    *(Row(f"fft.{name}", frequencies, REAL_FLOATING, near(2)) for name in ("fftfreq", "rfftfreq")),
    *(Row(f"fft.{name}", shifted, FLOATING, exact) for name in ("fftshift", "ifftshift")),
)

ROWS = (
    *PRODUCTS,
    *(Row(f"linalg.{row.name}", row.made, row.dtypes[:1], row.agree) for row in PRODUCTS[:4]),
    *LINALG,
    *FFT,
)

test_of_data_types, test_of_layouts = standard.made_of(ROWS, examples=4, layouts=10)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
@pytest.mark.parametrize("lengths", [(2, 3), (5, 3), (2, 8), (7, 9), (1, 1)])
def test_lengths_of_several_axes(name: str, lengths: tuple[int, int]) -> None:
    x = Operand(
        (np.arange(20.0).reshape(4, 5) % 7).astype("float32" if name[0] == "r" else "complex64")
    )
    for axes in ((0, 1), (1, 0), (-1, -2)):
        call = Call(f"fft.{name}", (x,), {"s": lengths, "axes": axes})
        with standard.shown(call):
            near(16, total)(call, call.on(xarr), call.on(array_api_strict))


def test_aliases() -> None:
    assert [row.name for row in PRODUCTS[:4]] == list(ALIASES)
    for name in ALIASES:
        assert getattr(xarr.linalg, name) is getattr(xarr, name)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_the_operator_of_matrices(dtype: str) -> None:
    first, second = np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4)
    x, y = (xarr.asarray(host.astype(dtype)) for host in (first, second))
    assert (x @ y).tolist() == (first @ second).tolist()
    assert (x @ y).dtype == dtype
    square = xarr.asarray((second[:, :3] % 3).astype(dtype))
    wanted = first @ (second[:, :3] % 3)
    x @= square
    assert x.tolist() == wanted.tolist()


def drawn(*shape: int, dtype: str = "float32") -> Operand:
    values = np.random.default_rng(5).integers(-4, 5, shape)
    return Operand((values + (9j if dtype in COMPLEX else 0)).astype(dtype))


def dominant(side: int, dtype: str = "float32") -> Operand:
    """A matrix with a diagonal about 1 and little beside it."""
    return Operand((np.eye(side) + drawn(side, side).base / (9 * side)).astype(dtype))


def definite(side: int, dtype: str = "float32") -> Operand:
    values = dominant(side, dtype).base
    return Operand(values + values.T)


LARGE = [
    (Call("matmul", (drawn(300, 260), drawn(260, 270))), exact),
    (Call("matmul", (drawn(130, 70, dtype="int64"), drawn(70, 520, dtype="int64"))), exact),
    (Call("matrix_transpose", (drawn(300, 260),)), exact),
    (Call("vecdot", (drawn(70_001), drawn(70_001))), exact),
    (Call("tensordot", (drawn(40, 50, 60), drawn(50, 60, 7))), exact),
    (Call("linalg.cholesky", (definite(120),)), is_cholesky),
    (Call("linalg.cross", (drawn(30_000, 3), Operand(drawn(30_000, 3).base[::-1].copy()))), exact),
    (Call("linalg.det", (dominant(120),)), of_norm),
    (Call("linalg.diagonal", (drawn(3, 300, 300),)), exact),
    (Call("linalg.eig", (dominant(60, "float64"),)), is_eig),
    (Call("linalg.eigh", (definite(120),)), is_eigh),
    (Call("linalg.eigvals", (dominant(60, "float64"),)), same_spectrum),
    (Call("linalg.eigvalsh", (definite(120),)), of_norm),
    (Call("linalg.inv", (dominant(120),)), of_norm),
    (Call("linalg.matrix_norm", (drawn(300, 260),)), of_norm),
    (Call("linalg.matrix_power", (Operand(drawn(130, 130).base % 2), 3)), exact),
    (Call("linalg.matrix_rank", (dominant(120),)), exact),
    (Call("linalg.outer", (drawn(300), drawn(280))), exact),
    (Call("linalg.pinv", (dominant(120),)), of_norm),
    (Call("linalg.qr", (dominant(120),)), is_qr),
    (Call("linalg.slogdet", (dominant(120),)), relative(60)),
    (Call("linalg.solve", (dominant(150), drawn(150, 3))), of_norm),
    (Call("linalg.svd", (dominant(120),)), is_svd),
    (Call("linalg.svdvals", (drawn(130, 90),)), of_norm),
    (Call("linalg.trace", (drawn(300, 300),)), exact),
    (Call("linalg.vector_norm", (drawn(70_001),)), of_norm),
    (Call("fft.fft", (drawn(65_536, dtype="complex64"),)), of_norm),
    (Call("fft.ifft", (drawn(70_001, dtype="complex128"),)), of_norm),
    (Call("fft.rfft", (drawn(70_000),)), of_norm),
    (Call("fft.irfft", (drawn(6, 6001, dtype="complex64"),)), of_norm),
    (Call("fft.hfft", (drawn(6, 6001, dtype="complex64"),)), of_norm),
    (Call("fft.ihfft", (drawn(6, 6000),)), of_norm),
    (Call("fft.fftn", (drawn(60, 70, 18, dtype="complex64"),)), of_norm),
    (Call("fft.ifftn", (drawn(60, 70, 18, dtype="complex64"),)), of_norm),
    (Call("fft.rfftn", (drawn(60, 70, 18),)), of_norm),
    (Call("fft.irfftn", (drawn(60, 70, 10, dtype="complex64"),)), of_norm),
    (Call("fft.fftfreq", (70_001,), {"dtype": Type("float32")}), of_norm),
    (Call("fft.rfftfreq", (70_001,), {"dtype": Type("float32")}), of_norm),
    (Call("fft.fftshift", (drawn(301, 233),)), exact),
    (Call("fft.ifftshift", (drawn(301, 233),)), exact),
]

test_many_elements = standard.many_elements_of(LARGE)


def test_errors_of_the_standard() -> None:
    x, y, scalar = xarr.zeros((2, 3)), xarr.zeros((2, 3)), xarr.asarray(1.0)
    signal = xarr.zeros(3, dtype="complex64")
    for call, said in (
        (lambda: xarr.matmul(x, y), "matmul(x1, x2): x1 has shape (2, 3) and x2 (2, 3)"),
        (lambda: x @ scalar, "matmul(x1, x2): x2 is 0-dimensional"),
        (lambda: xarr.matmul(scalar, x), "matmul(x1, x2): x1 is 0-dimensional"),
        (lambda: xarr.vecdot(x, xarr.zeros(4)), "vecdot(x1, x2): the vectors have 3 and 4"),
        (lambda: xarr.tensordot(x, y, axes=1), "tensordot(a, b, axes): axis 1 of a has 3"),
        (lambda: xarr.linalg.cross(x[:, :2], y[:, :2]), "linalg.cross(x1, x2): axis -1 has 2"),
        (lambda: xarr.linalg.inv(x), "linalg.inv(a): a has shape (2, 3)"),
        (lambda: xarr.linalg.qr(x, mode="word"), "linalg.qr(a): mode is 'word'"),
        (lambda: xarr.linalg.outer(x, y), "linalg.outer(x1, x2): x1 has shape (2, 3)"),
        (lambda: xarr.matrix_transpose(x[0]), "matrix_transpose(x): x has shape (3,)"),
        (lambda: x[0].mT, "Array.mT: "),
        (lambda: xarr.fft.fft(signal, norm="word"), "fft.fft(a): norm is 'word'"),
    ):
        with pytest.raises(ValueError, match="^" + re.escape(said)):
            call()
