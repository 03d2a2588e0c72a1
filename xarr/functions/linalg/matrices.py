"""NumPy's functions of matrices that take more than those of `linalg` that have their names."""

from __future__ import annotations

import operator
from typing import Any, SupportsIndex

import numpy

from xarr import layout
from xarr.array.array import Array, ArrayLike, DTypeLike
from xarr.array.cached_calls import by_numpy, cached_call
from xarr.array.coerce import array_of
from xarr.array.layouts import lock, settled, view
from xarr.array.out_argument import deliver
from xarr.errors import axes_of, operand_of, type_error, value_error
from xarr.functions.calls.row_calls import reduced
from xarr.functions.create import fills
from xarr.functions.shape import manipulation
from xarr.layout import Layout, integer
from xarr.ops import reductions as folds


@cached_call
def diagonal(
    a: Array, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1
) -> Array:
    """Return the diagonals of the matrices along two axes, as a read-only view.

    axis1, axis2 : int, optional
        The axes of the rows and of the columns; by default the first two.

    -> Array, shape (..., K) for diagonals of K elements, of the data type of a

    ValueError -- If the array has fewer than two axes, or `axis1` and `axis2` are the same.

    >>> xarr.diagonal(xarr.asarray([[1, 2], [3, 4]]), 1).tolist()
    [2]
    """
    where = "diagonal(a)"
    return lock(diagonal_of(_last_two(a, axis1, axis2, where), offset, where))


@cached_call
def trace(
    a: Array,
    offset: SupportsIndex = 0,
    axis1: SupportsIndex = 0,
    axis2: SupportsIndex = 1,
    dtype: DTypeLike = None,
    out: Any = None,
) -> Array:
    """Sum the diagonals of the matrices along two axes.

    axis1, axis2 : int, optional
        The axes of the rows and of the columns; by default the first two.

    -> Array, shape of the other axes

    ValueError -- If the array has fewer than two axes, or `axis1` and `axis2` are the same.

    >>> int(xarr.trace(xarr.asarray([[1, 2], [3, 4]])))
    5
    """
    where = "trace(a)"
    result = trace_of(_last_two(a, axis1, axis2, where), offset, dtype, where)
    return deliver(result, out, "trace(a, offset, axis1, axis2, dtype, out)", grows=False)


def _last_two(a: Any, axis1: SupportsIndex, axis2: SupportsIndex, where: str) -> Array:
    """The array with two axes moved to the end."""
    a = array_of(a, where)
    ndim = a.ndim
    if ndim < 2:
        raise value_error(where, f"a has {axes_of(ndim)}", "it must have at least 2")
    places = tuple(layout.normalize_axis(axis, ndim, where) for axis in (axis1, axis2))
    if places[0] == places[1]:
        raise value_error(where, f"axis1 and axis2 are {axis1}", "they must be two different axes")
    return manipulation.moveaxis(a, places, (-2, -1))


def _matrix_of(v: Any, k: Any = 0) -> Any:
    """Make a matrix with a diagonal, by NumPy; that of a matrix is a view."""
    return numpy.diag(v, k) if v.ndim == 1 else NotImplemented


@by_numpy(_matrix_of)
@cached_call
def diag(v: ArrayLike, k: SupportsIndex = 0) -> Array:
    """Make a matrix with v as its diagonal; or, if v is a matrix, return its diagonal.

    v : Array, shape (N,) or (M, N) -- The elements of the diagonal, or the matrix.

    -> Array of the data type of v
        For a vector the matrix, shape (N + abs(k), N + abs(k)); for a matrix its diagonal, a
        read-only view with one axis.

    ValueError -- If v has no axis, or more than two.

    >>> xarr.diag([1, 2]).tolist()
    [[1, 0], [0, 2]]
    """
    where = "diag(v, k)"
    x = array_of(v, where, "v")
    offset = integer(k, where, "k")
    if x.ndim == 2:
        return diagonal(x, offset)
    if x.ndim != 1:
        raise value_error(where, f"v has shape {x.shape}", "it must be a vector or a matrix")
    extent = x.size + abs(offset)
    whole = fills.zeros((extent, extent), dtype=x.dtype, device=x.device)
    if x.size:
        place = diagonal_of(whole, offset, where)
        place[...] = x
    return whole


@by_numpy(numpy.diagflat)
def diagflat(v: ArrayLike, k: SupportsIndex = 0) -> Array:
    """Make a matrix with the elements of v, in C order, as its diagonal.

    -> Array, shape (N + abs(k), N + abs(k)), of the data type of v; N is the size of v

    >>> xarr.diagflat([[1, 2]], 1).tolist()
    [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    """
    where = "diagflat(v, k)"
    return diag(manipulation.ravel(array_of(v, where, "v")), integer(k, where, "k"))


def diagonal_of(x: ArrayLike, offset: SupportsIndex, where: str) -> Array:
    """The diagonals of matrices, for a function that errors name."""
    x = array_of(x, where)
    operand = x._view
    if len(operand.shape) < 2:
        fault = f"{operand_of(where)} has shape {operand.shape}"
        raise value_error(where, fault, "it must have at least 2 dimensions")
    if isinstance(offset, bool) or not isinstance(offset, int | numpy.integer):
        raise type_error(where, f"offset is {offset!r}", "offset must be an integer")
    offset = operator.index(offset)  # a shape of NumPy's integers would be that of all equal ones
    matrix = settled(x)
    *stack, rows, columns = matrix.shape
    *strides, down, right = matrix.strides
    row, column = max(-offset, 0), max(offset, 0)
    length = max(min(rows - row, columns - column), 0)
    begin = matrix.offset + (row * down + column * right if length else 0)
    return view(x, Layout((*stack, length), (*strides, down + right), begin))


def trace_of(x: ArrayLike, offset: SupportsIndex, dtype: DTypeLike, where: str) -> Array:
    """The sums of the diagonals of matrices, for a function that errors name."""
    line = diagonal_of(x, offset, where)._view
    return reduced(folds.sum, line, -1, dtype=dtype, where=where)
