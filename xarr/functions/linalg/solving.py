"""What is solved by factorizations: least squares, tensor equations, condition numbers."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple, SupportsIndex

import numpy

from xarr import dtypes, layout
from xarr.array.array import Array, ArrayLike
from xarr.array.door import array_of, together
from xarr.core.tape import constant
from xarr.dtypes import COMPLEX
from xarr.engine import engine
from xarr.errors import refused, value_error
from xarr.functions.create import creation
from xarr.functions.elementwise import elementwise
from xarr.functions.index import searching
from xarr.functions.linalg import linalg, norms
from xarr.functions.linalg.products import matmul
from xarr.functions.reduce import reductions
from xarr.functions.shape import manipulation

LinAlgError: Final = numpy.linalg.LinAlgError


class LstsqResult(NamedTuple):
    """The result of `lstsq`."""

    x: Array
    residuals: Array
    rank: Array
    s: Array


def lstsq(a: ArrayLike, b: ArrayLike, rcond: float | None = None) -> LstsqResult:
    """The least-squares solutions of a linear system, the shortest where there are several.

    a : floating-point Array, shape (M, N)
        The matrix. Integers become the default floating-point dtype.
    b : floating-point Array, shape (M,) or (M, K) -- The right-hand sides.
    rcond : float, optional -- Singular values up to rcond times the largest are taken as zero;
        max(M, N) times the dtype's epsilon where None, and epsilon itself where -1.

    -> LstsqResult: x, shape (N,) or (N, K), residuals, shape (1,), (K,) or (0,), rank, s
        The solutions; the sums of the squares of b - a @ x, empty where the rank is below N or M is
        at most N; the rank of a, shape (), and its singular values, shape (min(M, N),).

    Note: By the singular value decomposition; waits for the rank.

    >>> a = xarr.asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> [round(value, 6) for value in xarr.linalg.lstsq(a, [1.0, 3.0, 5.0]).x.tolist()]
    [1.0, 2.0]
    """
    where = "linalg.lstsq(a, b)"
    first, second = together(a, b, where, ("a", "b"))
    matrix = linalg.matrices(Array(first), where)
    target = Array(engine.converted(second, matrix.dtype))
    if len(matrix.shape) != 2 or target.ndim not in (1, 2) or target.shape[0] != matrix.shape[0]:
        fault = f"a has shape {matrix.shape} and b {target.shape}"
        accepted = "a matrix a of shape (M, N) and b of shape (M,) or (M, K) are accepted"
        raise refused(LinAlgError, where, fault, accepted)
    rows, columns = matrix.shape
    sides = target if target.ndim == 2 else target[:, None]
    epsilon = float(numpy.finfo(matrix.dtype.numpy).eps)
    cutoff = max(rows, columns) * epsilon if rcond is None else rcond
    if cutoff < 0:
        cutoff = epsilon
    if 0 in matrix.shape:
        part = linalg.part_of(matrix.dtype)
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
    if int(rank) == columns and rows > columns:
        rest = elementwise.abs(sides - matmul(Array(matrix), x))
        residuals = reductions.sum(rest * rest, axis=0)
    else:
        residuals = singular[:0]
    return LstsqResult(x if target.ndim == 2 else x[:, 0], residuals, rank, singular)


def cond(x: linalg.Matrices, p: Any = None) -> Array:
    """The condition numbers of matrices, norm(x) * norm(inv(x)): infinite where x is singular.

    p : {None, 1, -1, 2, -2, inf, -inf, "fro", "nuc"}, optional
        The norm; None is the 2-norm. All but 2 and -2 take square matrices.

    >>> float(xarr.linalg.cond(xarr.asarray([[1.0, 0.0], [0.0, 4.0]])))
    4.0
    """
    where = "linalg.cond(x, p)"
    by_values = p in (None, 2, -2)
    node = linalg.matrices(array_of(x, where), where, square=not by_values)
    if 0 in node.shape[-2:]:
        raise refused(LinAlgError, where, f"x has shape {node.shape}", "empty has no norm")
    matrix = Array(node)
    if by_values:
        singular = linalg.singular_values(matrix, where)
        large, small = singular[..., 0], singular[..., -1]
        ratio = small / large if p == -2 else large / small
    else:
        # LU with a zero on the diagonal is what `inv` refuses.
        singular_ones = linalg.slogdet(matrix).sign == 0
        eye = creation.eye(node.shape[-1], dtype=matrix.dtype, device=matrix.device)
        regular = searching.where(singular_ones[..., None, None], eye, matrix)
        product = norms.norm(matrix, p, (-2, -1)) * norms.norm(linalg.inv(regular), p, (-2, -1))
        ratio = searching.where(singular_ones, math.inf, product)
    unknown = reductions.any(elementwise.isnan(matrix), axis=(-2, -1))
    return Array(searching.where(elementwise.isnan(ratio) & ~unknown, math.inf, ratio)._node)


def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Any = None) -> Array:
    """Solve a tensor equation: tensordot(a, x, x.ndim) = b.

    a : floating-point Array, shape b.shape + Q, where Q has as many elements as b
        The coefficients; Q is the shape of the solution.
    axes : sequence of int, optional -- Axes of a that are moved to the end first.

    >>> a = xarr.eye(4).reshape((2, 2, 2, 2))
    >>> xarr.linalg.tensorsolve(a, xarr.ones((2, 2))).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    where = "linalg.tensorsolve(a, b)"
    first, second = together(a, b, where, ("a", "b"))
    whole, side = Array(first), Array(second)
    if axes is not None:
        moved = {layout.normalize_axis(axis, whole.ndim, where) for axis in axes}
        order = [axis for axis in range(whole.ndim) if axis not in moved]
        ends = [layout.normalize_axis(axis, whole.ndim, where) for axis in axes]
        whole = manipulation.permute_dims(whole, (*order, *ends))
    shape = whole.shape[side.ndim :]
    if math.prod(shape) != math.prod(whole.shape[: side.ndim]):
        fault = f"a has shape {whole.shape} and b {side.shape}"
        accepted = "the axes of a beyond those of b have as many elements as b"
        raise refused(LinAlgError, where, fault, accepted)
    size = math.prod(shape)
    solution = linalg.solve(whole.reshape((size, size)), side.reshape((-1,)))
    return solution.reshape(shape)


def tensorinv(a: ArrayLike, ind: SupportsIndex = 2) -> Array:
    """The inverse of a tensor: tensordot(tensorinv(a), a, ind) is the identity.

    a : floating-point Array, shape P + Q, of as many elements in P as in Q
        The tensor. Its inverse has shape Q + P.
    ind : int, optional -- How many axes P has.

    >>> xarr.linalg.tensorinv(xarr.eye(4).reshape((4, 2, 2)), ind=1).shape
    (2, 2, 4)
    """
    where = "linalg.tensorinv(a, ind)"
    whole = array_of(a, where, "a")
    count = int(ind)
    if count <= 0:
        raise value_error(where, f"ind is {ind}", "a positive number is accepted")
    before, after = whole.shape[:count], whole.shape[count:]
    size = math.prod(after)
    inverse = linalg.inv(whole.reshape((math.prod(before), size)))
    return inverse.reshape((*after, *before))
