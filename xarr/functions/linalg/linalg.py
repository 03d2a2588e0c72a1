"""Linear algebra: products, norms, factorizations, of matrices and stacks of matrices.

Products run in the device's library or as `products` computes them, factorizations in a library.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, SupportsIndex

import numpy

from xarr import dtypes, layout, tuning
from xarr.array.array import Array, ArrayLike, DTypeLike
from xarr.array.cached_calls import cached_call
from xarr.array.coerce import array_of, as_array, operand_view, together
from xarr.array.transfers import from_host, openly, to_host
from xarr.dtypes import COMPLEX, DType
from xarr.errors import difference, operand_of, refused, type_error, value_error
from xarr.functions import sort  # to import what it holds takes 5 ms, when it is used
from xarr.functions.calls.on_host import device_of
from xarr.functions.create import creation
from xarr.functions.elementwise import elementwise
from xarr.functions.elementwise.float_functions import in_floating
from xarr.functions.index import searching
from xarr.functions.linalg import factors, numpy_products
from xarr.functions.linalg.matrices import diagonal_of, trace_of
from xarr.functions.linalg.products import matmul, numeric_pair, vectors
from xarr.functions.linalg.results import EighResult, EigResult, QRResult, SlogdetResult, SVDResult
from xarr.ir.views import View
from xarr.layout import Shape
from xarr.ops import vendor
from xarr.tape import builder, recorders

LinAlgError: Final = numpy.linalg.LinAlgError

Matrices = ArrayLike
Square = ArrayLike


def _view(x: Any, where: str, kinds: tuple[str, ...] = dtypes.ANY) -> View:
    """An operand as a view whose dtype is of some kinds."""
    view = operand_view(x, where)
    if view.dtype.kind not in kinds:
        fault = f"{operand_of(where)} has dtype {view.dtype}"
        accepted = f"its dtype must be {dtypes.KIND_WORDS[kinds]}"
        remedy = f'convert with {operand_of(where)}.astype("float32")'
        raise type_error(where, fault, accepted, remedy)
    return view


def floating(view: View, where: str, name: str = "") -> View:
    """Make of integers the default floating-point type; refuse float16."""
    if view.dtype is dtypes.float16:
        name = name or operand_of(where)
        fault = f"{name} has dtype float16"
        accepted = "it must be float32, float64, complex64 or complex128"
        raise type_error(where, fault, accepted, f'convert with {name}.astype("float32")')
    return in_floating(view)


def floating_together(a: Any, b: Any, where: str) -> tuple[View, View]:
    """A matrix and right-hand sides in one floating-point type; integers count as the default."""
    device = device_of(a, b)
    first, second = (
        Array(floating(as_array(value, where, name, device=device)._view, where, name))
        if type(value) is not Array
        else Array(floating(value._view, where, name))
        for name, value in (("a", a), ("b", b))
    )
    return together(first, second, where, ("a", "b"))


def matrices(x: Any, where: str, *, square: bool = False) -> View:
    """A stack of floating-point matrices; integers become the default floating-point type."""
    view = floating(operand_view(x, where), where)
    require_matrix(view.shape, where, square)
    if square and view.shape[-1] != view.shape[-2]:
        fault = f"{operand_of(where)} has shape {view.shape}"
        raise refused(LinAlgError, where, fault, "matrices must be square, shape (..., N, N)")
    return view


def require_matrix(shape: Shape, where: str, square: bool = False) -> None:
    """Refuse what has fewer than two dimensions."""
    if len(shape) < 2:
        fault = f"{operand_of(where)} has shape {shape}"
        accepted = f"it must have at least two dimensions, shape (..., {'N' if square else 'M'}, N)"
        raise refused(LinAlgError, where, fault, accepted)


def _by_library(
    where: str, name: str, operands: Sequence[View], *results: tuple[Shape, DType], **options: Any
) -> list[Array]:
    """Let a library's `name` of linalg compute arrays of given shapes and dtypes."""
    full = f"linalg.{name}"
    own = factors.own(name) if vendor.is_reproducible() else None
    if own is None and vendor.is_reproducible():
        fault = "only libraries have it, whose bits differ"
        accepted = "a reproducible function must be solve, inv, det, slogdet, cholesky or qr"
        remedy = "leave the block of xarr.reproducible() for it"
        raise refused(RuntimeError, where, fault, accepted, remedy)

    def computed(*operands: View) -> Sequence[View]:
        if own is not None:
            try:
                return [array._view for array in own(*map(Array, operands), **options)]
            except LinAlgError as error:
                raise _refusal(where, full, error, [x.shape for x in operands]) from error
        refuse = None if name in ("det", "slogdet", "qr") else _refusal  # each matrix has these
        return vendor.call(where, full, operands, results, refuse=refuse, **options)

    return [Array(view) for view in recorders.whole(full, options, operands, computed)]


def _solved(a: Any, b: Any) -> Array | None:
    """Return what NumPy's `solve` makes of Arrays of one type, 8 us after it; None off a CPU."""
    if vendor.is_reproducible() or not type(a) is type(b) is Array or a.device is not b.device:
        return None
    row = a._view.dtype
    if row is not b._view.dtype or row.kind not in dtypes.FLOATING or row is dtypes.float16:
        return None
    try:
        found = vendor.now("linalg.solve", numpy.linalg.solve, (a._view, b._view))
    except (LinAlgError, ValueError):  # refused below, in more words
        return None
    return None if found is None else Array(vendor.adopted(found, row, a._view.device))


def _refusal(where: str, name: str, error: Exception, shapes: Sequence[Shape]) -> Exception:
    """The error of matrices of some shapes that cannot be solved or factorized."""
    fault = f"of shape {' and '.join(map(str, shapes))}: {error}"
    return refused(LinAlgError, where, fault, *_SOLVABLE.get(name, _FINITE))


_FINITE: Final = ("matrices must be finite", "find the others with xarr.isfinite")
_SOLVABLE: Final = {
    "linalg.inv": ("matrices must be invertible", "use linalg.pinv(a)"),
    "linalg.solve": ("a must be invertible", "use linalg.pinv(a) @ b"),
    "linalg.cholesky": ("matrices must be positive-definite", "use linalg.eigh(x)"),
}
"""The matrices that factorizations accept, beyond finite elements, and the function for others."""


def outer(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Multiply each element of x1, shape (N,), by each element of x2, shape (M,).

    -> Array, shape (N, M), of the data type that x1 and x2 promote to

    MemoryError -- If the result does not fit into the device's memory.

    >>> xarr.linalg.outer(xarr.asarray([1, 2]), xarr.asarray([3, 4])).tolist()
    [[3, 4], [6, 8]]
    """
    where = "linalg.outer(x1, x2)"
    first, second = together(x1, x2, where)
    for name, operand in (("x1", first), ("x2", second)):
        if len(operand.shape) != 1:
            fault = f"{name} has shape {operand.shape}"
            raise value_error(where, fault, f"{name} must be one-dimensional")
    return numpy_products.outer(Array(first), Array(second))


@cached_call
def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
    """Compute the cross products of vectors of three elements along `axis`; other axes broadcast.

    -> Array, shape that x1 and x2 broadcast to, of the data type that they promote to

    >>> xarr.linalg.cross(xarr.asarray([1, 0, 0]), xarr.asarray([0, 1, 0])).tolist()
    [0, 0, 1]
    """
    where = "linalg.cross(x1, x2)"
    first, second = numeric_pair(x1, x2, where)
    first, second, axis = vectors(Array(first), Array(second), axis, where)
    parts = []
    for operand in (first, second):
        place = layout.normalize_axis(axis, len(operand.shape), where)
        if operand.shape[place] != 3:
            fault = f"axis {axis} has {operand.shape[place]} elements"
            raise value_error(where, fault, "vectors must have three elements")
        parts.append(numpy_products.components(Array(operand), place))
    shape = layout.broadcast_shapes(first.shape, second.shape, where=where)
    place = layout.normalize_axis(axis, len(shape), where)
    return numpy_products.crossed(parts[0], parts[1], place, where)


def matrix_power(a: Square, n: SupportsIndex) -> Array:
    """Raise square matrices to the power n, in at most 2 log2(n) products.

    a : Array, shape (..., M, M) -- The matrices, of any numbers or bools.
    n : int -- The exponent; a negative one inverts the matrices first.

    -> Array, shape and data type of a; floating-point if n is negative

    LinAlgError -- If a matrix is not square, or n is negative and a matrix singular.
    TypeError -- If n is no integer.

    >>> x = xarr.asarray([[1.0, 1.0], [0.0, 1.0]])
    >>> xarr.linalg.matrix_power(x, 3).tolist()
    [[1.0, 3.0], [0.0, 1.0]]
    >>> xarr.linalg.matrix_power(x, -1).tolist()
    [[1.0, -1.0], [0.0, 1.0]]
    """
    where = "linalg.matrix_power(a, n)"
    a = array_of(a, where)
    view = a._view
    require_matrix(view.shape, where, True)
    if view.shape[-1] != view.shape[-2]:
        fault = f"a has shape {view.shape}"
        raise refused(LinAlgError, where, fault, "matrices must be square")
    if isinstance(n, bool):
        seen = difference("np-matrix-power")
        raise type_error(where, f"n is {n!r}", "n must be an integer", f"write int(n); {seen}")
    if not isinstance(n, int | numpy.integer):
        raise type_error(where, f"n is {n!r}", "n must be an integer")
    if n == 0:
        one = creation.eye(view.shape[-1], dtype=a.dtype, device=a.device)
        return Array(builder.copied(builder.broadcast(one._view, view.shape)))
    base = _inv(a, where) if n < 0 else a
    power: Array | None = None
    exponent = abs(int(n))
    while True:
        if exponent & 1:
            power = base if power is None else matmul(power, base)
        exponent >>= 1
        if power is not None and not exponent:
            return power
        base = matmul(base, base)


@cached_call
def diagonal(x: ArrayLike, /, *, offset: SupportsIndex = 0) -> Array:
    """Return the diagonals of matrices as a view, which can be written to.

    -> Array, shape (..., K) for diagonals of K elements, of the data type of x

    >>> xarr.linalg.diagonal(xarr.asarray([[1, 2], [3, 4]])).tolist()
    [1, 4]
    """
    return diagonal_of(x, offset, "linalg.diagonal(x)")


@cached_call
def trace(x: ArrayLike, /, *, offset: SupportsIndex = 0, dtype: DTypeLike = None) -> Array:
    """Sum the diagonals of matrices.

    -> Array, shape (...), of the data type of x; bools and narrow integers become int64 or uint64

    >>> int(xarr.linalg.trace(xarr.asarray([[1, 2], [3, 4]])))
    5
    """
    return trace_of(x, offset, dtype, "linalg.trace(x)")


def det(a: Square) -> Array:
    """Compute the determinants of square matrices.

    -> floating-point Array, shape (...)

    >>> round(float(xarr.linalg.det(xarr.asarray([[1.0, 2.0], [3.0, 4.0]]))), 12)
    -2.0
    """
    where = "linalg.det(a)"
    view = matrices(a, where, square=True)
    shape, row = view.shape, view.dtype
    return _by_library(where, "det", (view,), (shape[:-2], row))[0]


def slogdet(a: Square) -> SlogdetResult:
    """Compute the signs of determinants and the natural logarithms of their magnitudes.

    -> named tuple of sign and logabsdet, floating-point Arrays, shape (...)

    >>> float(xarr.linalg.slogdet(xarr.eye(2)).logabsdet)
    0.0
    """
    where = "linalg.slogdet(a)"
    view = matrices(a, where, square=True)
    shape, row = view.shape, view.dtype
    return SlogdetResult(
        *_by_library(
            where, "slogdet", (view,), (shape[:-2], row), (shape[:-2], dtypes.part_of(row))
        )
    )


def inv(a: Square) -> Array:
    """Compute the inverses of square matrices.

    -> floating-point Array, shape (..., M, M)

    LinAlgError -- If a matrix is not square, or is singular.

    >>> xarr.linalg.inv(xarr.asarray([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return _inv(a, "linalg.inv(a)")


def eigh(a: Square, UPLO: str = "L") -> EighResult:  # noqa: N803 - NumPy's name
    """Compute the eigenvalues and eigenvectors of Hermitian or symmetric matrices.

    -> named tuple of eigenvalues, shape (..., M), and eigenvectors, shape (..., M, M)
        The eigenvalues are real and ascend; the eigenvectors are the columns.

    >>> xarr.linalg.eigh(xarr.asarray([[2.0, 0.0], [0.0, 1.0]])).eigenvalues.tolist()
    [1.0, 2.0]
    """
    where = "linalg.eigh(a)"
    view = _hermitian(a, UPLO, where)
    shape, row = view.shape, view.dtype
    return EighResult(
        *_by_library(where, "eigh", (view,), (shape[:-1], dtypes.part_of(row)), (shape, row))
    )


def eigvalsh(a: Square, UPLO: str = "L") -> Array:  # noqa: N803 - NumPy's name
    """Compute the eigenvalues of Hermitian or symmetric matrices: real, ascending.

    -> real floating-point Array, shape (..., M)

    >>> xarr.linalg.eigvalsh(xarr.asarray([[2.0, 0.0], [0.0, 1.0]])).tolist()
    [1.0, 2.0]
    """
    where = "linalg.eigvalsh(a)"
    view = _hermitian(a, UPLO, where)
    shape, row = view.shape, view.dtype
    return _by_library(where, "eigvalsh", (view,), (shape[:-1], dtypes.part_of(row)))[0]


def eig(a: Square) -> EigResult:
    """Compute the eigenvalues and eigenvectors of square matrices, in no particular order.

    The eigenvectors are the columns. Both are always complex, while NumPy gives real results if
    all imaginary parts are 0: write ``eigenvalues.real``, or use `eigh` for symmetric matrices.

    -> named tuple of complex eigenvalues, shape (..., M), and eigenvectors, shape (..., M, M)

    LinAlgError -- If a matrix is not square, or has a NaN or an infinity.

    >>> result = xarr.linalg.eig(xarr.asarray([[0.0, 1.0], [1.0, 0.0]]))
    >>> sorted(result.eigenvalues.real.tolist())
    [-1.0, 1.0]
    """
    where = "linalg.eig(a)"
    view = matrices(a, where, square=True)
    shape, wide = view.shape, dtypes.complex_of(view.dtype)
    return EigResult(*_by_library(where, "eig", (view,), (shape[:-1], wide), (shape, wide)))


def eigvals(a: Square) -> Array:
    """Compute the eigenvalues of square matrices, always complex, in no particular order.

    -> complex floating-point Array, shape (..., M)

    LinAlgError -- If a matrix is not square, or has a NaN or an infinity.

    >>> xarr.linalg.eigvals(xarr.asarray([[3.0]])).tolist()
    [(3+0j)]
    """
    where = "linalg.eigvals(a)"
    view = matrices(a, where, square=True)
    shape = view.shape
    (values,) = _by_library(where, "eigvals", (view,), (shape[:-1], dtypes.complex_of(view.dtype)))
    return values


def svdvals(x: Matrices, /) -> Array:
    """Compute the singular values of matrices, the largest first.

    -> real floating-point Array, shape (..., min(M, N))

    >>> xarr.linalg.svdvals(xarr.asarray([[3.0, 0.0], [0.0, 4.0]])).tolist()
    [4.0, 3.0]
    """
    return singular_values(x, "linalg.svdvals(x)")


def _hermitian(x: Any, triangle: Any, where: str) -> View:
    """Square matrices of which the lower triangle is the one to be read."""
    named = triangle.upper() if isinstance(triangle, str) else triangle
    if named not in ("L", "U"):
        raise value_error(where, f"UPLO is {triangle!r}", 'UPLO must be "L" or "U"')
    view = matrices(x, where, square=True)
    if named == "L":
        return view
    adjoint: Array = Array(view).mT
    return (elementwise.conj(adjoint) if view.dtype.kind == COMPLEX else adjoint)._view


def _inv(x: Any, where: str) -> Array:
    view = matrices(x, where, square=True)
    return _by_library(where, "inv", (view,), (view.shape, view.dtype))[0]


def singular_values(x: Any, where: str) -> Array:
    """The singular values of matrices, for a function that errors name."""
    view = matrices(x, where)
    if _is_tall(view):
        view = qr(Array(view), "r")._view
    shape = (*view.shape[:-2], min(view.shape[-2:]))
    return _by_library(where, "svdvals", (view,), (shape, dtypes.part_of(view.dtype)))[0]


def cholesky(x: Square, /, *, upper: bool = False) -> Array:
    """Compute the Cholesky factors of Hermitian or symmetric positive-definite matrices.

    upper : bool, optional -- Whether to return the upper factor U, x = U^H U, made of the
        upper triangle of x; else the lower factor L, x = L L^H, made of the lower triangle.

    -> floating-point Array, shape (..., M, M)

    LinAlgError -- If a matrix is not square, or not positive definite.

    >>> xarr.linalg.cholesky(xarr.asarray([[4.0, 0.0], [0.0, 9.0]])).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    where = "linalg.cholesky(x)"
    view = matrices(x, where, square=True)
    return _by_library(where, "cholesky", (view,), (view.shape, view.dtype), upper=bool(upper))[0]


def qr(a: Matrices, mode: str = "reduced") -> Any:
    """Decompose matrices as a = Q R, with orthonormal columns of Q and upper triangular R.

    mode : {"reduced", "complete", "r", "raw"}, optional
        "reduced": Q has K = min(M, N) columns. "complete": K = M. "r": only R. "raw": LAPACK's
        h, shape (..., N, M), and tau, shape (..., K), computed on the host.

    -> QRResult: Q, shape (..., M, K), R, shape (..., K, N); or R alone; or the tuple (h, tau)

    LinAlgError -- If a has fewer than two axes.
    ValueError -- If `mode` is unknown.

    >>> xarr.linalg.qr(xarr.ones((3, 2))).R.shape
    (2, 2)
    """
    where = "linalg.qr(a)"
    if mode not in ("reduced", "complete", "r", "raw"):
        fault = f"mode is {mode!r}"
        raise value_error(where, fault, 'mode must be "reduced", "complete", "r" or "raw"')
    view = matrices(a, where)
    if mode == "raw":
        made = numpy.linalg.qr(to_host(view, where), mode="raw")
        with openly():
            return tuple(Array(from_host(part, view.device, where)) for part in made)
    *stack, rows, columns = view.shape
    inner = rows if mode == "complete" else min(rows, columns)
    shapes = ((*stack, rows, inner), view.dtype), ((*stack, inner, columns), view.dtype)
    how = "complete" if mode == "complete" else "reduced"
    factors = QRResult(*_by_library(where, "qr", (view,), *shapes, mode=how))
    return factors.R if mode == "r" else factors


def svd(
    a: Matrices, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Decompose matrices as a = U diag(S) Vh: the singular value decomposition.

    full_matrices : bool, optional
        Whether U and Vh are square; else U has K = min(M, N) columns and Vh K rows.
    compute_uv : bool, optional -- Whether to return U and Vh as well; else only S is returned.

    -> SVDResult: U, shape (..., M, M or K), S, shape (..., K), Vh, shape (..., N or K, N)
        S is real, the largest value first.

    >>> xarr.linalg.svd(xarr.ones((3, 2)), full_matrices=False).U.shape
    (3, 2)
    """
    where = "linalg.svd(a)"
    if hermitian:
        return hermitian_svd(matrices(a, where, square=True), compute_uv)
    if not compute_uv:
        return singular_values(a, where)
    return decomposed(matrices(a, where), where, full_matrices=bool(full_matrices))


def hermitian_svd(view: View, compute_uv: bool) -> Any:
    """The singular value decomposition of Hermitian matrices, by their eigenvalues."""
    if not compute_uv:
        return sort.sorting.sort(elementwise.abs(eigvalsh(Array(view))), axis=-1, descending=True)
    values, columns = eigh(Array(view))
    sizes = elementwise.abs(values)
    order = sort.sorting.argsort(sizes, axis=-1, descending=True)
    take = searching.take_along_axis
    left = take(columns, order[..., None, :], axis=-1)
    signs = elementwise.copysign(1.0, take(values, order, axis=-1))  # of 0 too, else no rotation
    right = (left * signs[..., None, :]).mT
    if view.dtype.kind == COMPLEX:
        right = elementwise.conj(right)
    return SVDResult(left, take(sizes, order, axis=-1), right)


def _is_tall(view: View) -> bool:
    """Return whether R of QR takes the place of matrices, which has the same singular values.

    cuSOLVER refuses matrices of 2^24 rows.
    """
    is_many = view.shape[-2] >= tuning.TALL * view.shape[-1] > 0
    return is_many and view.device.kind == "gpu" and not vendor.is_reproducible()


def decomposed(view: View, where: str, *, full_matrices: bool) -> SVDResult:
    """The singular value decomposition of a view of matrices, for a function that errors name."""
    *stack, rows, columns = view.shape
    if not full_matrices and _is_tall(view):
        q, r = qr(Array(view))
        found = decomposed(r._view, where, full_matrices=False)
        return SVDResult(matmul(q, found.U), found.S, found.Vh)
    count = min(rows, columns)
    left, right = (rows, columns) if full_matrices else (count, count)
    shapes = (*stack, rows, left), (*stack, count), (*stack, right, columns)
    made = zip(shapes, (view.dtype, dtypes.part_of(view.dtype), view.dtype), strict=True)
    return SVDResult(*_by_library(where, "svd", (view,), *made, full_matrices=full_matrices))


def solve(a: Square, b: ArrayLike) -> Array:
    """Solve systems of linear equations, a @ result = b.

    b : floating-point Array, shape (M,) or (..., M, K)
        The right-hand sides: one vector, or matrices of K columns, whose stack broadcasts with a's.

    -> floating-point Array, shape (..., M) or (..., M, K)

    ValueError -- If b does not have as many rows as a.
    LinAlgError -- If a matrix is not square, or is singular.

    >>> xarr.linalg.solve(xarr.asarray([[2.0, 0.0], [0.0, 4.0]]), xarr.asarray([2.0, 2.0])).tolist()
    [1.0, 0.5]
    """
    where = "linalg.solve(a, b)"
    if (found := _solved(a, b)) is not None:
        return found
    first, second = floating_together(a, b, where)
    coefficients = matrices(Array(first), where, square=True)
    vector = len(second.shape) == 1
    columns = (*second.shape, 1) if vector else second.shape
    if not second.shape or columns[-2] != coefficients.shape[-1]:
        fault = f"a has shape {coefficients.shape} and b {second.shape}"
        raise value_error(where, fault, "b must have as many rows as a: shape (M,) or (..., M, K)")
    stack = layout.broadcast_shapes(coefficients.shape[:-2], columns[:-2], where=where)
    shape = (*stack, *(columns[-2:-1] if vector else columns[-2:]))
    return _by_library(where, "solve", (coefficients, second), (shape, coefficients.dtype))[0]
