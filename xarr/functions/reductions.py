"""Reductions and scans, each of a row of `tables.reductions`.

The order of operations, and so every bit of a result, is the same on all devices. A function takes
its operand's node and lets go of the operand: an expression is then computed on the way.
"""

from __future__ import annotations

from typing import SupportsIndex

from xarr.array.array import Array, ArrayLike, Axis, DTypeLike
from xarr.array.door import taken
from xarr.array.outcome import Out
from xarr.functions.applying import reduced, scanned
from xarr.functions.moments import averaged, spread
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
    node = taken(a, "all(a)")
    del a
    return reduced(rows.all, node, axis, out=out, keepdims=keepdims, mask=where)


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
    node = taken(a, "any(a)")
    del a
    return reduced(rows.any, node, axis, out=out, keepdims=keepdims, mask=where)


def argmax(
    a: ArrayLike, axis: SupportsIndex | None = None, out: Out = None, *, keepdims: bool = False
) -> Array:
    """The index of the first largest element; of the first NaN if any.

    >>> xarr.argmax(xarr.asarray([1, 2, 3])).tolist()
    2
    """
    node = taken(a, "argmax(a)")
    del a
    return reduced(rows.argmax, node, axis, out=out, keepdims=keepdims)


def argmin(
    a: ArrayLike, axis: SupportsIndex | None = None, out: Out = None, *, keepdims: bool = False
) -> Array:
    """The index of the first smallest element; of the first NaN if any.

    >>> xarr.argmin(xarr.asarray([1, 2, 3])).tolist()
    0
    """
    node = taken(a, "argmin(a)")
    del a
    return reduced(rows.argmin, node, axis, out=out, keepdims=keepdims)


def count_nonzero(a: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Array:
    """The number of nonzero elements.

    >>> xarr.count_nonzero(xarr.asarray([1, 2, 3])).tolist()
    3
    """
    node = taken(a, "count_nonzero(a)")
    del a
    return reduced(rows.count_nonzero, node, axis, keepdims=keepdims)


def cumulative_prod(
    x: ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike = None,
    include_initial: bool = False,
    out: Out = None,
) -> Array:
    """The products of the elements up to each place, in 64 bits for integers.

    axis : int or None
        The axis; None where x has one dimension.

    >>> xarr.cumulative_prod(xarr.asarray([1, 2, 3])).tolist()
    [1, 2, 6]
    """
    node = taken(x, "cumulative_prod(x)")
    del x
    return scanned(
        rows.cumulative_prod, node, axis, dtype=dtype, include_initial=include_initial, out=out
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

    axis : int or None
        The axis; None where x has one dimension.

    >>> xarr.cumulative_sum(xarr.asarray([1, 2, 3])).tolist()
    [1, 3, 6]
    """
    node = taken(x, "cumulative_sum(x)")
    del x
    return scanned(
        rows.cumulative_sum, node, axis, dtype=dtype, include_initial=include_initial, out=out
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
    node = taken(a, "max(a)")
    del a
    return reduced(rows.max, node, axis, out=out, keepdims=keepdims, initial=initial, mask=where)


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
    node = taken(a, "mean(a)")
    del a
    return averaged(rows.mean, node, axis, dtype, out, keepdims, where)


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
    node = taken(a, "min(a)")
    del a
    return reduced(rows.min, node, axis, out=out, keepdims=keepdims, initial=initial, mask=where)


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
    node = taken(a, "prod(a)")
    del a
    return reduced(
        rows.prod, node, axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial, mask=where
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
    node = taken(a, "std(a)")
    del a
    return spread(rows.std, node, axis, dtype, out, ddof, keepdims, where, mean, correction)


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
    node = taken(a, "sum(a)")
    del a
    return reduced(
        rows.sum, node, axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial, mask=where
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
    node = taken(a, "var(a)")
    del a
    return spread(rows.var, node, axis, dtype, out, ddof, keepdims, where, mean, correction)
