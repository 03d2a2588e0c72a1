"""Reductions and scans, each of a row of `tables.reductions`.

The order of operations, and so every bit of a result, is the same on all devices. A function only
records: an operand that is an expression is computed on the way, once the tape runs.
"""

from __future__ import annotations

from typing import SupportsIndex

from xarr.array.array import Array, ArrayLike, Axis, DTypeLike, Out
from xarr.array.door import node_of
from xarr.functions.calls.applying import reduced, scanned
from xarr.functions.reduce.moments import averaged, spread
from xarr.tables import reductions as rows


def all(
    a: ArrayLike,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> Array:
    """Whether all elements are nonzero.

    >>> xarr.all(xarr.asarray([1, 2, 3]) > 1).tolist()
    False
    """
    return reduced(rows.all, node_of(a, "all(a)"), axis, out=out, keepdims=keepdims, mask=where)


def any(
    a: ArrayLike,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> Array:
    """Whether an element is nonzero.

    >>> xarr.any(xarr.asarray([1, 2, 3]) > 1).tolist()
    True
    """
    return reduced(rows.any, node_of(a, "any(a)"), axis, out=out, keepdims=keepdims, mask=where)


def argmax(
    a: ArrayLike, axis: SupportsIndex | None = None, out: Out = None, *, keepdims: bool = False
) -> Array:
    """The index of the first largest element; of the first NaN if any.

    >>> xarr.argmax(xarr.asarray([1, 2, 3])).tolist()
    2
    """
    return reduced(rows.argmax, node_of(a, "argmax(a)"), axis, out=out, keepdims=keepdims)


def argmin(
    a: ArrayLike, axis: SupportsIndex | None = None, out: Out = None, *, keepdims: bool = False
) -> Array:
    """The index of the first smallest element; of the first NaN if any.

    >>> xarr.argmin(xarr.asarray([1, 2, 3])).tolist()
    0
    """
    return reduced(rows.argmin, node_of(a, "argmin(a)"), axis, out=out, keepdims=keepdims)


def count_nonzero(a: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Array:
    """The number of nonzero elements.

    >>> xarr.count_nonzero(xarr.asarray([1, 2, 3])).tolist()
    3
    """
    return reduced(rows.count_nonzero, node_of(a, "count_nonzero(a)"), axis, keepdims=keepdims)


def cumulative_prod(
    x: ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike = None,
    include_initial: bool = False,
    out: Out = None,
) -> Array:
    """The products of the elements up to each place, in 64 bits for integers.

    axis : int or None -- The axis; None where x has one dimension.

    >>> xarr.cumulative_prod(xarr.asarray([1, 2, 3])).tolist()
    [1, 2, 6]
    """
    return scanned(
        rows.cumulative_prod,
        node_of(x, "cumulative_prod(x)"),
        axis,
        dtype=dtype,
        include_initial=include_initial,
        out=out,
    )


def cumulative_sum(
    x: ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike = None,
    include_initial: bool = False,
    out: Out = None,
) -> Array:
    """The sums of the elements up to each place, in 64 bits for integers.

    axis : int or None -- The axis; None where x has one dimension.

    >>> xarr.cumulative_sum(xarr.asarray([1, 2, 3])).tolist()
    [1, 3, 6]
    """
    return scanned(
        rows.cumulative_sum,
        node_of(x, "cumulative_sum(x)"),
        axis,
        dtype=dtype,
        include_initial=include_initial,
        out=out,
    )


def max(
    a: ArrayLike,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Array:
    """The largest element; NaN if any is.

    >>> xarr.max(xarr.asarray([1, 2, 3])).tolist()
    3
    """
    return reduced(
        rows.max,
        node_of(a, "max(a)"),
        axis,
        out=out,
        keepdims=keepdims,
        initial=initial,
        mask=where,
    )


def mean(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> Array:
    """The arithmetic mean.

    >>> xarr.mean(xarr.asarray([1, 2, 3])).tolist()
    2.0
    """
    return averaged(rows.mean, node_of(a, "mean(a)"), axis, dtype, out, keepdims, where)


def min(
    a: ArrayLike,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Array:
    """The smallest element; NaN if any is.

    >>> xarr.min(xarr.asarray([1, 2, 3])).tolist()
    1
    """
    return reduced(
        rows.min,
        node_of(a, "min(a)"),
        axis,
        out=out,
        keepdims=keepdims,
        initial=initial,
        mask=where,
    )


def prod(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Array:
    """The product of the elements, in 64 bits for integers.

    >>> xarr.prod(xarr.asarray([1, 2, 3])).tolist()
    6
    """
    return reduced(
        rows.prod,
        node_of(a, "prod(a)"),
        axis,
        dtype=dtype,
        out=out,
        keepdims=keepdims,
        initial=initial,
        mask=where,
    )


def std(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    ddof: float | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    mean: ArrayLike | None = None,
    correction: float = 0.0,
) -> Array:
    """The standard deviation of real numbers.

    >>> xarr.std(xarr.asarray([1, 2, 3])).shape
    ()
    """
    return spread(
        rows.std, node_of(a, "std(a)"), axis, dtype, out, ddof, keepdims, where, mean, correction
    )


def sum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Array:
    """The sum of the elements, in 64 bits for integers.

    >>> xarr.sum(xarr.asarray([1, 2, 3])).tolist()
    6
    """
    return reduced(
        rows.sum,
        node_of(a, "sum(a)"),
        axis,
        dtype=dtype,
        out=out,
        keepdims=keepdims,
        initial=initial,
        mask=where,
    )


def var(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    ddof: float | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    mean: ArrayLike | None = None,
    correction: float = 0.0,
) -> Array:
    """The variance of real numbers.

    >>> xarr.var(xarr.asarray([1, 2, 3])).shape
    ()
    """
    return spread(
        rows.var, node_of(a, "var(a)"), axis, dtype, out, ddof, keepdims, where, mean, correction
    )
