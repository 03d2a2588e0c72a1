"""Reductions and scans, each of a row of `ops.reductions`.

The order of operations, and so every bit of a result, is the same on all devices. A function only
records: an operand that is an expression is computed on the way, once the tape runs.
"""

from __future__ import annotations

from typing import SupportsIndex

import numpy

from xarr import dtypes
from xarr.array.array import Array, ArrayLike, Axis, DTypeLike, Out, product
from xarr.array.cached_calls import by_numpy, cached_call
from xarr.array.coerce import operand_view
from xarr.array.out_argument import deliver
from xarr.errors import type_error
from xarr.functions.calls.row_calls import reduced, scanned
from xarr.functions.reduce.moments import averaged, spread
from xarr.ir.views import View
from xarr.ops import elementwise as rows_of_two, reductions as rows
from xarr.ops.rows import Reduction
from xarr.tape import builder


def all(
    a: ArrayLike,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> Array:
    """Tell whether all elements are nonzero; True if there are no elements.

    -> bool Array, shape of a without the reduced axes, unless `keepdims`
    """
    return reduced(
        rows.all, operand_view(a, "all(a)"), axis, out=out, keepdims=keepdims, mask=where
    )


def any(
    a: ArrayLike,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> Array:
    """Tell whether any element is nonzero; False if there are no elements.

    -> bool Array, shape of a without the reduced axes, unless `keepdims`
    """
    return reduced(
        rows.any, operand_view(a, "any(a)"), axis, out=out, keepdims=keepdims, mask=where
    )


def argmax(
    a: ArrayLike, axis: SupportsIndex | None = None, out: Out = None, *, keepdims: bool = False
) -> Array:
    """Find the index of the first largest element; of the first NaN, if there is one.

    axis : int or None -- The axis to search along; None searches all elements.

    -> int64 Array, shape of a without the reduced axes, unless `keepdims`

    ValueError -- If there are no elements.
    """
    return reduced(rows.argmax, operand_view(a, "argmax(a)"), axis, out=out, keepdims=keepdims)


def argmin(
    a: ArrayLike, axis: SupportsIndex | None = None, out: Out = None, *, keepdims: bool = False
) -> Array:
    """Find the index of the first smallest element; of the first NaN, if there is one.

    axis : int or None -- The axis to search along; None searches all elements.

    -> int64 Array, shape of a without the reduced axes, unless `keepdims`

    ValueError -- If there are no elements.
    """
    return reduced(rows.argmin, operand_view(a, "argmin(a)"), axis, out=out, keepdims=keepdims)


@by_numpy(numpy.count_nonzero)
def count_nonzero(a: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Array:
    """Count the nonzero elements.

    -> int64 Array, shape of a without the reduced axes, unless `keepdims`
    """
    return reduced(rows.count_nonzero, operand_view(a, "count_nonzero(a)"), axis, keepdims=keepdims)


def cumulative_prod(
    x: ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike = None,
    include_initial: bool = False,
    out: Out = None,
) -> Array:
    """Compute the running products along an axis; integers become 64-bit.

    axis : int or None -- The axis; None only if x has one axis.
    """
    return scanned(
        rows.cumulative_prod,
        operand_view(x, "cumulative_prod(x)"),
        axis,
        dtype,
        include_initial,
        out,
    )


def cumulative_sum(
    x: ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike = None,
    include_initial: bool = False,
    out: Out = None,
) -> Array:
    """Compute the running sums along an axis; integers become 64-bit.

    axis : int or None -- The axis; None only if x has one axis.
    """
    return scanned(
        rows.cumulative_sum, operand_view(x, "cumulative_sum(x)"), axis, dtype, include_initial, out
    )


def max(
    a: ArrayLike,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Array:
    """Find the largest element; NaN if any element is NaN.

    -> Array, of the data type of a, shape of a without the reduced axes, unless `keepdims`

    ValueError -- If there are no elements and no `initial`.
    """
    return reduced(rows.max, operand_view(a, "max(a)"), axis, keepdims, None, out, initial, where)


def mean(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> Array:
    """Compute the arithmetic mean."""
    return averaged(rows.mean, operand_view(a, "mean(a)"), axis, dtype, out, keepdims, where)


def min(
    a: ArrayLike,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Array:
    """Find the smallest element; NaN if any element is NaN.

    -> Array, of the data type of a, shape of a without the reduced axes, unless `keepdims`

    ValueError -- If there are no elements and no `initial`.
    """
    return reduced(rows.min, operand_view(a, "min(a)"), axis, keepdims, None, out, initial, where)


def prod(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Array:
    """Multiply the elements; integers become 64-bit."""
    return reduced(
        rows.prod, operand_view(a, "prod(a)"), axis, keepdims, dtype, out, initial, where
    )


@cached_call
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
    """Compute the standard deviation: the square root of `var`.

    -> Array, shape of a without the reduced axes, unless `keepdims`
        Of `dtype`, or else real floating-point.
    """
    return spread(
        rows.std,
        operand_view(a, "std(a)"),
        axis,
        dtype,
        out,
        ddof,
        keepdims,
        where,
        mean,
        correction,
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
    """Sum the elements; integers become 64-bit."""
    return reduced(rows.sum, operand_view(a, "sum(a)"), axis, keepdims, dtype, out, initial, where)


@cached_call
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
    """Compute the variance: the mean squared distance from the mean.

    -> Array, shape of a without the reduced axes, unless `keepdims`
        Of `dtype`, or else real floating-point.
    """
    return spread(
        rows.var,
        operand_view(a, "var(a)"),
        axis,
        dtype,
        out,
        ddof,
        keepdims,
        where,
        mean,
        correction,
    )


def cumsum(
    a: ArrayLike, axis: SupportsIndex | None = None, dtype: DTypeLike = None, out: Out = None
) -> Array:
    """Compute the running sums along an axis.

    -> Array, shape of a
    """
    where = "cumsum(a, axis)"
    view = operand_view(a, where)
    return running(rows.cumulative_sum, view, axis, dtype, out, where)


def cumprod(
    a: ArrayLike, axis: SupportsIndex | None = None, dtype: DTypeLike = None, out: Out = None
) -> Array:
    """Compute the running products along an axis.

    -> Array, shape of a
    """
    where = "cumprod(a, axis)"
    view = operand_view(a, where)
    return running(rows.cumulative_prod, view, axis, dtype, out, where)


def running(
    row: Reduction, x: View, axis: SupportsIndex | None, dtype: DTypeLike, out: Out, where: str
) -> Array:
    """A scan, of the flattened array where there is no axis."""
    if axis is None:
        x, axis = builder.reshaped(x, (product(x.shape),)), 0
    return scanned(row, x, axis, dtype, False, out, where)


@cached_call
def ptp(a: ArrayLike, axis: Axis = None, out: Out = None, keepdims: bool = False) -> Array:
    """Compute the largest element minus the smallest (peak to peak).

    -> Array, of the data type of a, shape of a without the reduced axes, unless `keepdims`

    ValueError -- If there are no elements along an axis to reduce.
    """
    where = "ptp(a, axis)"
    view = operand_view(a, where)
    if view.dtype.kind not in dtypes.NUMERIC:
        raise type_error(where, f"a has dtype {view.dtype}", "a must be numeric")
    largest, smallest = (
        reduced(row, view, axis, keepdims=bool(keepdims), where=where)
        for row in (rows.max, rows.min)
    )
    result = Array(rows_of_two.subtract.combined(largest._view, smallest._view))
    return deliver(result, out, "ptp(a, axis, out)", grows=False)
