"""Norms, condition numbers, ranks, pseudo-inverses, least squares and tensor equations."""

from __future__ import annotations

import math
from typing import Any, Final, Literal, NamedTuple, SupportsIndex

import numpy

from xarr import dtypes, layout
from xarr.array.array import Array, ArrayLike, Axis
from xarr.array.cached_calls import cached_call
from xarr.array.coerce import array_of, as_array, operand_view, together
from xarr.dtypes import COMPLEX, FLOATING
from xarr.errors import operand_of, refused, type_error, value_error
from xarr.functions.calls.row_calls import reduced
from xarr.functions.create import creation
from xarr.functions.elementwise import elementwise
from xarr.functions.elementwise.float_functions import in_floating
from xarr.functions.index import searching
from xarr.functions.linalg import linalg
from xarr.functions.linalg.linalg import Matrices
from xarr.functions.linalg.products import matmul
from xarr.functions.reduce import reductions
from xarr.functions.shape import manipulation
from xarr.ir.views import View, constant
from xarr.layout import Shape
from xarr.ops import elementwise as rows, reductions as folds
from xarr.ops.rows import OWN, Elementwise, Reduction
from xarr.tape import builder

LinAlgError: Final = numpy.linalg.LinAlgError


class LstsqResult(NamedTuple):
    """The result of `lstsq`.

    x : floating-point Array, shape (N,) or (N, K) -- The solutions.
    residuals : real floating-point Array, shape (1,) or (K,)
        The sums of the squares of b - a @ x; shape (0,) if the rank is below N or M <= N.
    rank : int32 Array, shape () -- The rank of a.
    s : real floating-point Array, shape (min(M, N),) -- The singular values of a, descending.

    >>> result = xarr.linalg.lstsq(xarr.eye(2), xarr.asarray([3.0, 4.0]))
    >>> result.x.tolist(), int(result.rank)
    ([3.0, 4.0], 2)
    """

    x: Array
    residuals: Array
    rank: Array
    s: Array


def lstsq(a: ArrayLike, b: ArrayLike, rcond: float | None = None) -> LstsqResult:
    """Solve a linear system in the least-squares sense; of several solutions take the shortest.

    a : floating-point Array, shape (M, N)
        The matrix. Integers become the default floating-point dtype.
    b : floating-point Array, shape (M,) or (M, K) -- The right-hand sides.
    rcond : float, optional
        Singular values up to rcond times the largest count as zero. None for max(M, N) eps,
        where eps is the dtype's epsilon; a negative number for eps / 2.

    -> LstsqResult, a named tuple of Arrays
        - x, shape (N,) or (N, K): the solutions.
        - residuals, shape (1,) or (K,): the sums of the squares of b - a @ x; shape (0,) if the
          rank is below N or M <= N.
        - rank, shape (): the rank of a.
        - s, shape (min(M, N),): the singular values of a.

    LinAlgError -- If a is not a matrix, or b does not have as many rows.

    Note: Uses the singular value decomposition, and waits for the device.

    >>> a = xarr.asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> [round(value, 6) for value in xarr.linalg.lstsq(a, [1.0, 3.0, 5.0]).x.tolist()]
    [1.0, 2.0]
    """
    where = "linalg.lstsq(a, b)"
    first, second = linalg.floating_together(a, b, where)
    matrix = linalg.matrices(Array(first), where)
    target = Array(second)
    if len(matrix.shape) != 2 or target.ndim not in (1, 2) or target.shape[0] != matrix.shape[0]:
        fault = f"a has shape {matrix.shape} and b {target.shape}"
        accepted = "a must have shape (M, N), and b (M,) or (M, K)"
        raise refused(LinAlgError, where, fault, accepted)
    rows, columns = matrix.shape
    sides = target if target.ndim == 2 else target[:, None]
    epsilon = float(numpy.finfo(matrix.dtype.numpy).eps)
    cutoff = max(rows, columns) * epsilon if rcond is None else rcond
    if cutoff < 0:
        cutoff = epsilon / 2  # LAPACK's, which is the unit roundoff
    if 0 in matrix.shape:
        part = dtypes.part_of(matrix.dtype)
        x = Array(constant(0.0, matrix.dtype, (columns, sides.shape[1]), matrix.device))
        singular = Array(constant(0.0, part, (0,), matrix.device))
        rank = Array(constant(0, dtypes.int32, (), matrix.device))
    else:
        left, singular, right = linalg.decomposed(matrix, where, full_matrices=False)
        significant = singular > singular[0] * cutoff
        rank = reductions.count_nonzero(significant).astype("int32")
        if matrix.dtype.kind == COMPLEX:
            left, right = elementwise.conj(left), elementwise.conj(right)
        inverse = searching.where(significant, 1 / singular, 0)
        x = matmul(right.T, matmul(left.T, sides) * inverse[:, None])
    residuals = singular[:0]
    if rows > columns:
        rest = elementwise.abs(sides - matmul(Array(matrix), x))
        residuals = reductions.sum(rest * rest, axis=0)
        residuals = residuals[manipulation.broadcast_to(rank == columns, residuals.shape)]
    return LstsqResult(x if target.ndim == 2 else x[:, 0], residuals, rank, singular)


def cond(x: linalg.Matrices, p: Any = None) -> Array:
    """Compute the condition numbers norm(x) * norm(inv(x)) of matrices; inf if singular.

    p : {None, 1, -1, 2, -2, inf, -inf, "fro", "nuc"}, optional
        The order of the norm; None is 2. Orders other than 2 and -2 need square matrices.

    -> real floating-point Array, shape (...)

    LinAlgError -- If a matrix has no elements, is not square, or has NaN and `p` is None, 2 or -2.

    >>> float(xarr.linalg.cond(xarr.asarray([[1.0, 0.0], [0.0, 4.0]])))
    4.0
    """
    where = "linalg.cond(x, p)"
    by_values = p in (None, 2, -2)
    view = linalg.matrices(array_of(x, where), where, square=not by_values)
    if 0 in view.shape[-2:]:
        raise refused(
            LinAlgError,
            where,
            f"x has shape {view.shape}",
            "matrices must have elements to have this norm",
        )
    matrix = Array(view)
    if by_values:
        singular = linalg.singular_values(matrix, where)
        large, small = singular[..., 0], singular[..., -1]
        ratio = small / large if p == -2 else large / small
    else:
        # LU with a zero on the diagonal is what `inv` refuses.
        singular_ones = linalg.slogdet(matrix).sign == 0
        eye = creation.eye(view.shape[-1], dtype=matrix.dtype, device=matrix.device)
        regular = searching.where(singular_ones[..., None, None], eye, matrix)
        product = norm(matrix, p, (-2, -1)) * norm(linalg.inv(regular), p, (-2, -1))
        ratio = searching.where(singular_ones, math.inf, product)
    unknown = reductions.any(elementwise.isnan(matrix), axis=(-2, -1))
    return Array(searching.where(elementwise.isnan(ratio) & ~unknown, math.inf, ratio)._view)


def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Any = None) -> Array:
    """Solve a tensor equation: tensordot(a, x, x.ndim) = b.

    a : floating-point Array, shape b.shape + Q, with prod(Q) = b.size
        The coefficients.
    axes : sequence of int, optional -- Axes of a to move to the end first.

    -> floating-point Array, shape Q

    LinAlgError -- If the sizes differ, or the equation is singular.

    >>> a = xarr.eye(4).reshape((2, 2, 2, 2))
    >>> xarr.linalg.tensorsolve(a, xarr.ones((2, 2))).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    where = "linalg.tensorsolve(a, b)"
    first, second = together(a, b, where, ("a", "b"))
    whole, side = Array(first), Array(second)
    if axes is not None:
        moved = layout.normalize_axes(tuple(axes), whole.ndim, where)
        order = [axis for axis in range(whole.ndim) if axis not in moved]
        ends = [layout.normalize_axis(axis, whole.ndim, where) for axis in axes]
        whole = manipulation.permute_dims(whole, (*order, *ends))
    shape = whole.shape[side.ndim :]
    if math.prod(shape) != math.prod(whole.shape[: side.ndim]):
        fault = f"a has shape {whole.shape} and b {side.shape}"
        accepted = "the axes of a beyond those of b must have as many elements as b"
        raise refused(LinAlgError, where, fault, accepted)
    size = math.prod(shape)
    solution = linalg.solve(whole.reshape((size, size)), side.reshape((-1,)))
    return solution.reshape(shape)


def tensorinv(a: ArrayLike, ind: SupportsIndex = 2) -> Array:
    """Compute the inverse of a tensor: tensordot(tensorinv(a, ind), a, ind) is the identity.

    a : floating-point Array, shape P + Q, two tuples with prod(P) = prod(Q)
        The tensor.
    ind : int, optional -- The number of axes in P, at least 1.

    -> floating-point Array, shape Q + P

    ValueError -- If `ind` is below 1.
    LinAlgError -- If prod(P) and prod(Q) differ, or the tensor is singular.

    >>> xarr.linalg.tensorinv(xarr.eye(4).reshape((4, 2, 2)), ind=1).shape
    (2, 2, 4)
    """
    where = "linalg.tensorinv(a, ind)"
    whole = array_of(a, where, "a")
    count = int(ind)
    if count <= 0:
        raise value_error(where, f"ind is {ind}", "ind must be positive")
    before, after = whole.shape[:count], whole.shape[count:]
    size = math.prod(after)
    inverse = linalg.inv(whole.reshape((math.prod(before), size)))
    return inverse.reshape((*after, *before))


def vector_norm(
    x: ArrayLike, /, *, axis: Axis = None, keepdims: bool = False, ord: float = 2
) -> Array:
    """Compute the norms of vectors along one axis, several axes or all.

    ord : int or float, optional -- The p of the p-norm, any real number: inf is the largest
        magnitude, -inf the smallest, 0 the number of nonzero elements.

    -> real floating-point Array, shape of x without the reduced axes, unless `keepdims`

    Note: Elements are not scaled first: squares beyond the dtype's range overflow.

    >>> float(xarr.linalg.vector_norm(xarr.asarray([3.0, 4.0])))
    5.0
    """
    where = "linalg.vector_norm(x)"
    return _vector_norm(operand_view(x, where), axis, keepdims, ord, where)


SQUARES: Final = Elementwise(
    FLOATING,
    "x * x",
    "The square of the magnitude of x.",
    complex="x.re * x.re + x.im * x.im",
    result="real",
)


def _norm(name: str, combine: Elementwise, empty: float | None, **columns: Any) -> Reduction:
    row = Reduction(FLOATING, value=OWN, combine=combine, empty=empty, **columns)
    row.name = name
    return row


_NORM_1: Final = _norm("norm_1", rows.add, 0.0, map=rows.abs)


_NORM_2: Final = _norm("norm_2", rows.add, 0.0, map=SQUARES, finish="sqrt(acc)")


_LARGEST: Final = _norm("largest", rows.maximum, 0.0, map=rows.abs)


_SMALLEST: Final = _norm("smallest", rows.minimum, None, map=rows.abs)


_NORMS: Final = {1: _NORM_1, 2: _NORM_2, math.inf: _LARGEST, -math.inf: _SMALLEST}


def _vector_norm(x: View, axis: Any, keepdims: bool, ord: float, where: str) -> Array:
    if not isinstance(ord, int | float | numpy.integer | numpy.floating):
        error = ValueError if isinstance(ord, str) else TypeError  # as NumPy's
        accepted = "ord must be a real number, inf or -inf"
        raise refused(error, where, f"ord is {ord!r}", accepted)
    x = in_floating(x)
    row = dtypes.part_of(x.dtype)
    if ord == 0:
        count = reduced(folds.count_nonzero, x, axis, keepdims=keepdims, where=where)
        return Array(builder.converted(count._view, row))
    if ord in _NORMS:
        return reduced(_NORMS[ord], x, axis, keepdims=keepdims, where=where)
    power = constant(row.numpy.type(ord).item(), row, (), x.device)
    powers = rows.pow.combined(rows.abs.applied(x), power)
    return reduced(folds.sum, powers, axis, keepdims=keepdims, where=where) ** (1.0 / ord)


@cached_call
def matrix_norm(
    x: Matrices, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro"
) -> Array:
    """Compute the norms of matrices.

    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}, optional
        "fro": the Frobenius norm. "nuc": the sum of the singular values. 1 and -1: the largest
        and the smallest sum of magnitudes in a column; inf and -inf, in a row. 2 and -2: the
        largest and the smallest singular value.

    -> real floating-point Array, shape (...), of the precision of x

    >>> x = xarr.asarray([[3.0, 0.0], [0.0, 4.0]])
    >>> float(xarr.linalg.matrix_norm(x))
    5.0
    >>> float(xarr.linalg.matrix_norm(x, ord="nuc"))
    7.0
    """
    where = "linalg.matrix_norm(x)"
    return _matrix_norm(operand_view(x, where), keepdims, ord, where)


def _matrix_norm(x: View, keepdims: bool, ord: Any, where: str) -> Array:
    x = in_floating(x)
    linalg.require_matrix(x.shape, where)
    if ord in ("fro", None):
        return _vector_norm(x, (-2, -1), keepdims, 2, where)
    shape, row = x.shape, dtypes.part_of(x.dtype)
    result: Array
    if ord in ("nuc", 2, -2):
        single = linalg.singular_values(Array(x), where)
        if ord == "nuc" or 0 in shape[-2:]:
            row_of = folds.min if ord == -2 else folds.sum  # the smallest of none is refused
            result = reduced(row_of, single._view, -1, where=where)
        else:
            result = single[..., 0 if ord == 2 else -1]
    elif ord in (1, -1, math.inf, -math.inf):
        sums = reduced(_NORM_1, x, -2 if ord in (1, -1) else -1, where=where)
        largest = folds.max if sums.shape[-1] else folds.sum
        result = reduced(largest if ord > 0 else folds.min, sums._view, -1, where=where)
    else:
        fault = f"ord is {ord!r}"
        raise value_error(where, fault, 'ord must be "fro", "nuc", 1, -1, 2, -2, inf or -inf')
    result = Array(builder.converted(result._view, row))
    return result.reshape((*result.shape, 1, 1)) if keepdims else result


@cached_call
def norm(x: ArrayLike, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Array:
    """Compute the norms of vectors or of matrices, as NumPy's `norm`.

    ord : float or str, optional
        As for `vector_norm` or `matrix_norm`; None is the root of the sum of squares.
    axis : int or pair of int, optional
        The axis of vectors, or the two axes of matrices; None for all axes.

    -> real floating-point Array, shape of x without the reduced axes, unless `keepdims`

    ValueError -- If `ord` is unknown for vectors or matrices, or the axes are neither one nor two.

    >>> float(xarr.linalg.norm(xarr.asarray([3.0, 4.0])))
    5.0
    """
    where = "linalg.norm(x)"
    view = operand_view(x, where)
    ndim = len(view.shape)
    if ord is not None and axis is None and ndim not in (1, 2):
        raise value_error(
            where, f"x has {ndim} dimensions and axis is None", "it must have one or two"
        )
    axes = layout.normalize_axes(axis, ndim, where)
    if axis is not None and len(axes) not in (1, 2):
        raise value_error(where, f"axis is {axis!r}", "axis must be one axis or two")
    if isinstance(ord, str) and len(axes) == 1:
        raise value_error(where, f"ord is {ord!r}", "ord must be a number for vectors")
    if ord is None or len(axes) == 1:
        return _vector_norm(view, axis, keepdims, 2 if ord is None else ord, where)
    named: Any = axis or axes
    pair = tuple(layout.normalize_axis(place, ndim, where) for place in named)
    if pair == (ndim - 2, ndim - 1):
        return _matrix_norm(view, keepdims, ord, where)
    moved = manipulation.moveaxis(Array(view), pair, (-2, -1))
    result = _matrix_norm(moved._view, keepdims, ord, where)
    return manipulation.moveaxis(result, (-2, -1), pair) if keepdims else result


def _cutoff(singular: Array, shape: Shape, rtol: Any, where: str) -> Array:
    """The bound below which singular values count as 0, with an axis for them."""
    if rtol is None:
        return singular[..., :1] * (
            max(shape[-2:]) * float(numpy.finfo(singular._view.dtype.numpy).eps)
        )
    tolerance = as_array(rtol, where, "rtol", device=singular.device)
    if tolerance._view.dtype.kind not in dtypes.REAL_NUMERIC:
        fault = f"rtol has dtype {tolerance.dtype}"
        raise type_error(where, fault, "rtol must be real")
    if layout.broadcast_shapes(shape[:-2], tolerance.shape, where=where) != shape[:-2]:
        fault = f"{operand_of(where)} has shape {shape} and rtol {tolerance.shape}"
        accepted = "rtol must have a number for each matrix, or one for all"
        raise value_error(where, fault, accepted, "broadcast x to as many matrices")
    own: Array = tolerance.astype(singular.dtype, copy=False)
    return singular[..., :1] * own[..., None]


def matrix_rank(
    A: Matrices,  # noqa: N803 - NumPy's name
    tol: Any = None,
    hermitian: bool = False,
    *,
    rtol: Any = None,
) -> Array:
    """Compute the rank of each matrix: the number of singular values that are not negligible.

    A : floating-point Array, shape (..., M, N)
        The matrices. Numbers and vectors have rank 0 if all elements are 0, else 1.
    tol : float or Array, shape that broadcasts to (...), optional
        Singular values up to tol are negligible; replaces `rtol`.

    -> Array of int64, shape (...)

    LinAlgError -- If the decomposition does not converge, as for NaN.
    ValueError -- If `tol` and `rtol` are given, or `rtol` is neither one number nor one for each
        matrix.
    TypeError -- If `rtol` is not real.

    >>> int(xarr.linalg.matrix_rank(xarr.ones((3, 3))))
    1
    """
    where = "linalg.matrix_rank(A, rtol)"
    if tol is not None and rtol is not None:
        raise value_error(where, "tol and rtol are given", "one of them must be None")
    given = operand_view(A, where)
    if len(given.shape) < 2:
        return reductions.any(Array(given) != 0).astype("int64")
    view = linalg.matrices(Array(given), where, square=bool(hermitian))
    if 0 in view.shape[-2:]:
        return Array(constant(0, dtypes.int64, view.shape[:-2], view.device))
    if hermitian:
        singular = linalg.hermitian_svd(view, compute_uv=False)
    else:
        singular = linalg.singular_values(Array(view), where)
    if tol is None:
        beyond = singular > _cutoff(singular, view.shape, rtol, where)
    else:
        beyond = singular > as_array(tol, where, "tol", device=singular.device)[..., None]
    return reductions.count_nonzero(beyond, axis=-1)


def pinv(a: Matrices, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Array:
    """Compute the Moore-Penrose pseudo-inverses of matrices.

    rcond : float or Array, optional -- NumPy's older name of `rtol`; give at most one of them.

    -> floating-point Array, shape (..., N, M)

    ValueError -- If `rcond` and `rtol` are given, or it is neither one number nor one for each
        matrix.
    TypeError -- If `rcond` or `rtol` is not real.

    >>> xarr.linalg.pinv(xarr.asarray([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    where = "linalg.pinv(a, rtol)"
    if rcond is not None and rtol is not None:
        raise value_error(where, "rcond and rtol are given", "one of them must be left out")
    view = linalg.matrices(a, where, square=bool(hermitian))
    *stack, rows, columns = view.shape
    if 0 in (rows, columns):
        shape = (*stack, columns, rows)
        return Array(constant(view.dtype.numpy.type(0).item(), view.dtype, shape, view.device))
    if hermitian:
        left, singular, right = linalg.hermitian_svd(view, compute_uv=True)
    else:
        left, singular, right = linalg.decomposed(view, where, full_matrices=False)
    limit = _cutoff(singular, view.shape, rcond if rtol is None else rtol, where)
    significant = singular > limit
    inverse = searching.where(significant, 1 / singular, 0)
    if view.dtype.kind == COMPLEX:
        left, right = elementwise.conj(left), elementwise.conj(right)
    return matmul(right.mT * inverse[..., None, :], left.mT)
