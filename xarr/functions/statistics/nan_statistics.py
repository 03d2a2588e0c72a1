"""Sums, extremes, means, variances, medians and quantiles of the elements that are not NaN."""

from __future__ import annotations

import math
import warnings
from typing import Any, Final, SupportsIndex

import numpy

from xarr import dtypes, layout
from xarr.array.array import Array, ArrayLike, Axis, DTypeLike, Out
from xarr.array.cached_calls import cached_call
from xarr.array.coerce import as_array, operand_view
from xarr.array.out_argument import copied_back, deliver, mask_of, single
from xarr.dtypes import ANY, COMPLEX, FLOATING, REAL, DType
from xarr.errors import type_error, value_error
from xarr.functions.calls.row_calls import first_of, reduced, sent
from xarr.functions.create import creation
from xarr.functions.elementwise import arithmetic, elementwise
from xarr.functions.index import searching
from xarr.functions.reduce import reductions
from xarr.functions.reduce.moments import freedom_less, spread, warn_of_few, warn_of_nan
from xarr.functions.statistics import order_statistics
from xarr.functions.statistics.order_statistics import Asked, Lines, lines_of, mean_of_two
from xarr.functions.statistics.selecting import Ordered
from xarr.ir.views import View, constant
from xarr.ops import elementwise as rows, reductions as folds, vendor
from xarr.ops.reductions import ORDERED
from xarr.ops.rows import OWN, Elementwise, Reduction, choose, name_rows
from xarr.tape import builder


def nanmean(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> Array:
    """Compute the mean of the elements that are not NaN.

    The result is NaN if all elements are NaN; on a CPU with a RuntimeWarning.

    TypeError -- If a is floating-point, but dtype or out is not.
    """
    name = "nanmean(a, axis)"
    view = operand_view(a, name)
    if view.dtype.kind not in FLOATING:
        return reductions.mean(Array(view), axis, dtype, out, keepdims, where=where)
    is_plain = dtype is out is None and where is True and view.dtype.kind == REAL
    if is_plain and _are_numbers(view):
        return reduced(folds.mean, view, axis, keepdims, where=name)
    view, row = _operand(view, dtype, out, name)
    total, number = _sum_and_number(view, counted(view, where, name), axis, name, keepdims)
    warn_of_few(number, "Mean of empty slice")
    return sent((total / number).astype(row.numpy)._view, single(out, name), name)


def nanvar(
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
    """Compute the variance of the elements that are not NaN.

    -> Array, shape of a without the reduced axes, unless `keepdims`
        Of `dtype`, or else real floating-point. NaN if no more than `ddof` elements are numbers; on
        a CPU with a RuntimeWarning.

    TypeError -- If a is floating-point, but dtype or out is not.
    """
    name = "nanvar(a, axis)"
    view = operand_view(a, name)
    if view.dtype.kind not in FLOATING:
        return spread(folds.var, view, axis, dtype, out, ddof, keepdims, where, mean, correction)
    result = _variance(view, axis, dtype, out, ddof, keepdims, where, mean, correction, name)
    return deliver(result, out, "nanvar(a, axis, dtype, out)", grows=False)


def nanstd(
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
    """Compute the standard deviation of the elements that are not NaN.

    -> Array, shape of a without the reduced axes, unless `keepdims`
        Of `dtype`, or else real floating-point. NaN if no more than `ddof` elements are numbers; on
        a CPU with a RuntimeWarning.

    TypeError -- If a is floating-point, but dtype or out is not.
    """
    name = "nanstd(a, axis)"
    view = operand_view(a, name)
    if view.dtype.kind not in FLOATING:
        return spread(folds.std, view, axis, dtype, out, ddof, keepdims, where, mean, correction)
    result = _variance(view, axis, dtype, out, ddof, keepdims, where, mean, correction, name)
    return deliver(elementwise.sqrt(result), out, "nanstd(a, axis, dtype, out)", grows=False)


def nanmedian(
    a: ArrayLike,
    axis: Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """Compute the median of the elements that are not NaN.

    -> floating-point Array, shape of a without the reduced axes, unless `keepdims`
        NaN if all elements are NaN; on a CPU with a RuntimeWarning.
    """
    name = "nanmedian(a, axis)"
    lines = lines_of(as_array(a, name, "a"), axis, name)
    if out is None and _are_numbers(lines.values._view):
        return order_statistics.median(a, axis, keepdims=keepdims)
    result = lines.shaped(_median(lines), keepdims=keepdims)
    return sent(result._view, single(out, name), name)


def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """Compute percentiles of the elements that are not NaN, as `percentile`.

    q : Array, shape (...) -- The percentiles, from 0 to 100; read on the host.

    -> floating-point Array, shape (*q.shape, ...)
        The axes of q, then the axes of a that remain. NaN if all elements are NaN; on a CPU with a
        RuntimeWarning.

    >>> float(xarr.nanpercentile(xarr.asarray([1.0, float("nan"), 2.0]), 50))
    1.5
    """
    asked = Asked.of(a, q, axis, method, weights, "nanpercentile(a, q, axis)", percent=True)
    if out is weights is None and _are_numbers(asked.lines.values._view):
        return order_statistics.percentile(a, q, axis, None, False, method, keepdims)
    return asked.answered(_quantile, out, keepdims=keepdims, casting="unsafe")


def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """Compute quantiles of the elements that are not NaN, as `quantile`.

    q : Array, shape (...) -- The quantiles, from 0 to 1; read on the host.

    -> floating-point Array, shape (*q.shape, ...)
        The axes of q, then the axes of a that remain. NaN if all elements are NaN; on a CPU with a
        RuntimeWarning.

    >>> float(xarr.nanquantile(xarr.asarray([1.0, float("nan"), 2.0]), 0.5))
    1.5
    """
    asked = Asked.of(a, q, axis, method, weights, "nanquantile(a, q, axis)")
    if out is weights is None and _are_numbers(asked.lines.values._view):
        return order_statistics.quantile(a, q, axis, None, False, method, keepdims)
    return asked.answered(_quantile, out, keepdims=keepdims, casting="unsafe")


def _are_numbers(view: View) -> bool:
    """Return whether the host sees no NaN: nanmedian of 1,000 takes 60 us so on cpu:0, not 460."""
    if 0 in view.shape or view.dtype.kind not in FLOATING:
        return False
    known = vendor.now("isnan", lambda values: not numpy.isnan(values).any(), (view,))
    return bool(known)


def _operand(view: View, dtype: DTypeLike, out: Out, name: str) -> tuple[View, DType]:
    """The floating-point operand in the type that is computed in, and the type of the result."""
    target = None if out is None else single(out, name)
    row = None if dtype is None else dtypes.lookup(dtype, name)
    given = [("dtype", row), ("out", None if target is None else target._view.dtype)]
    for what, wanted in given:
        if wanted is not None and wanted.kind not in FLOATING:
            fault = f"a has dtype {view.dtype} and {what} {wanted}"
            raise type_error(name, fault, f"{what} must be floating-point")
    row = row or view.dtype
    computed = dtypes.promote(view.dtype, row)
    if computed is dtypes.float16:  # whose sums are soon too large
        computed = dtypes.float32
    return builder.converted(view, computed), row


def _sum_and_number(
    view: View, mask: View | None, axis: Axis, name: str, keepdims: bool
) -> tuple[Array, Array]:
    """The sum of the elements that count, and how many there are, of the same real type."""
    values = view if mask is None else replaced(view, 0, mask)
    total = reduced(folds.sum, values, axis, keepdims=keepdims, where=name)
    row = dtypes.PART.get(view.dtype, view.dtype)
    if mask is None:
        each = math.prod(view.shape) // max(total.size, 1)
        return total, Array(constant(float(each), row, total.shape, view.device))
    mask = builder.broadcast(mask, values.shape)
    number = reduced(folds.sum, mask, axis, keepdims=keepdims, where=name)
    return total, Array(builder.converted(number._view, row))


def _variance(
    view: View,
    axis: Axis,
    dtype: DTypeLike,
    out: Out,
    ddof: float | None,
    keepdims: bool,
    where: Any,
    mean: ArrayLike | None,
    correction: float,
    name: str,
) -> Array:
    less = freedom_less(ddof, correction, name)
    view, row = _operand(view, dtype, out, name)
    mask = counted(view, where, name)
    total, number = _sum_and_number(view, mask, axis, name, True)
    middle = total / number if mean is None else as_array(mean, name, "mean", device=view.device)
    if row.kind != COMPLEX and middle._view.dtype.kind == COMPLEX:
        middle = arithmetic.real(middle)  # as NumPy, which sums in the type asked for
    apart = Array(view) - middle
    if mask is not None:
        apart = Array(replaced(apart._view, 0, mask))
    if apart._view.dtype.kind == COMPLEX:
        squares = arithmetic.real(apart * elementwise.conj(apart))._view
    else:
        squares = rows.square.applied(apart._view)
    result = reduced(folds.sum, squares, axis, keepdims=keepdims, where=name)
    freedom = number.reshape(result.shape) - less
    warn_of_few(freedom, "Degrees of freedom <= 0 for slice.")
    result = searching.where(freedom > 0, result / freedom, math.nan)
    wanted = row if dtype is not None else dtypes.PART.get(row, row)
    return Array(builder.converted(result._view, wanted))


def _median(lines: Lines) -> Array:
    if lines.values._view.dtype.kind not in FLOATING or not lines.length:
        return order_statistics.median_of(lines)
    ordered = Ordered(lines.values)
    number = _number(lines)
    first = elementwise.maximum((number - 1) // 2, 0)
    low, high = ordered.both(first, number // 2 - (number // 2 == lines.length))
    middle = searching.where(number % 2 == 1, order_statistics.widened(low), mean_of_two(low, high))
    result = middle.astype(lines.values.dtype)
    warn_of_few(number, "All-NaN slice encountered")
    return result


def _number(lines: Lines) -> Array:
    """How many elements of each line are not NaN, int64."""
    return reductions.sum(elementwise.logical_not(elementwise.isnan(lines.values)), axis=1)


def _quantile(asked: Asked) -> Array:
    """The quantiles of the numbers of lines, shape (*q.shape, lines)."""
    lines = asked.lines
    if not lines.length:
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=4)
        device, shape = lines.values.device, (*asked.q.shape, lines.number)
        row = order_statistics.floating_of(lines.values._view.dtype, device)
        return creation.full(shape, math.nan, dtype=row.numpy, device=device)
    if lines.values._view.dtype.kind not in FLOATING:
        return order_statistics.quantile_of(asked)
    number = _number(lines)
    warn_of_few(number, "All-NaN slice encountered")
    if asked.weights is not None:
        unknown = elementwise.isnan(lines.values) & (number > 0)[:, None]
        weights = searching.where(unknown, 0, asked.weights)
        return order_statistics.weighted(asked, weights, number)
    q = asked.column(asked.q if asked.q.dtype.kind == "f" else asked.q.astype("float64"))
    place = order_statistics.place_of(
        q, number.astype(q.dtype), asked.method, order_statistics.DEVICE
    )
    ordered = Ordered(lines.values)
    first = elementwise.maximum(place.before.astype("int64"), 0)
    if place.share is None or (asked.method == "linear" and asked.q.dtype.kind in "iub"):
        return ordered.picked(first)
    both = ordered.both(first, elementwise.maximum(place.after.astype("int64"), 0))
    return order_statistics.between(*both, place.share.astype(asked.share_dtype.numpy))


def _extreme(combine: Elementwise) -> Reduction:
    return Reduction(ANY, value=OWN, accumulate=ORDERED, combine=combine)


_ROWS: Final = {
    "nanmin": _extreme(rows.fmin),
    "nanmax": _extreme(rows.fmax),
    "nanargmin": folds.extreme_index("xr_nanargmin", finish="xr_arg_number(acc)"),
    "nanargmax": folds.extreme_index("xr_nanargmax", finish="xr_arg_number(acc)"),
}
name_rows(_ROWS, Reduction)


@cached_call
def nansum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = 0,
    where: ArrayLike = True,
) -> Array:
    """Sum the elements that are not NaN; 0 if all are NaN."""
    name = "nansum(a, axis)"
    view = operand_view(a, name)
    view = replaced(view, 0, counted(view, where, name))
    return reduced(folds.sum, view, axis, keepdims, dtype, out, initial, where=name)


@cached_call
def nanprod(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = 1,
    where: ArrayLike = True,
) -> Array:
    """Multiply the elements that are not NaN; 1 if all are NaN."""
    name = "nanprod(a, axis)"
    view = operand_view(a, name)
    view = replaced(view, 1, counted(view, where, name))
    return reduced(folds.prod, view, axis, keepdims, dtype, out, initial, where=name)


@cached_call
def nancumsum(
    a: ArrayLike, axis: SupportsIndex | None = None, dtype: DTypeLike = None, out: Out = None
) -> Array:
    """Compute the running sums along an axis, with NaN as 0.

    -> Array, shape of a
    """
    name = "nancumsum(a, axis)"
    view = operand_view(a, name)
    view = replaced(view, 0, counted(view, True, name))
    return reductions.running(folds.cumulative_sum, view, axis, dtype, out, name)


@cached_call
def nancumprod(
    a: ArrayLike, axis: SupportsIndex | None = None, dtype: DTypeLike = None, out: Out = None
) -> Array:
    """Compute the running products along an axis, with NaN as 1.

    -> Array, shape of a
    """
    name = "nancumprod(a, axis)"
    view = operand_view(a, name)
    view = replaced(view, 1, counted(view, True, name))
    return reductions.running(folds.cumulative_prod, view, axis, dtype, out, name)


def nanmin(
    a: ArrayLike,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Array:
    """Find the smallest element that is not NaN.

    -> Array, of the data type of a, shape of a without the reduced axes, unless `keepdims`
        NaN if all elements are NaN; on a CPU with a RuntimeWarning.

    ValueError -- If there are no elements and no `initial`.
    """
    return _extreme_of(
        "nanmin", operand_view(a, "nanmin(a, axis)"), axis, out, keepdims, initial, where
    )


def nanmax(
    a: ArrayLike,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Array:
    """Find the largest element that is not NaN.

    -> Array, of the data type of a, shape of a without the reduced axes, unless `keepdims`
        NaN if all elements are NaN; on a CPU with a RuntimeWarning.

    ValueError -- If there are no elements and no `initial`.
    """
    return _extreme_of(
        "nanmax", operand_view(a, "nanmax(a, axis)"), axis, out, keepdims, initial, where
    )


def nanargmin(
    a: ArrayLike, axis: SupportsIndex | None = None, out: Out = None, *, keepdims: bool = False
) -> Array:
    """Find the index of the smallest element that is not NaN; the first of equal elements.

    inf counts as a number here; NumPy may return the index of a NaN instead.

    axis : int or None -- The axis to search along; None searches all elements.

    -> int64 Array, shape of a without the reduced axes, unless `keepdims`

    ValueError -- If all elements along the axis are NaN. The check waits for the device.
    """
    return _index_of("nanargmin", operand_view(a, "nanargmin(a, axis)"), axis, out, keepdims)


def nanargmax(
    a: ArrayLike, axis: SupportsIndex | None = None, out: Out = None, *, keepdims: bool = False
) -> Array:
    """Find the index of the largest element that is not NaN; the first of equal elements.

    -inf counts as a number here; NumPy may return the index of a NaN instead.

    axis : int or None -- The axis to search along; None searches all elements.

    -> int64 Array, shape of a without the reduced axes, unless `keepdims`

    ValueError -- If all elements along the axis are NaN. The check waits for the device.
    """
    return _index_of("nanargmax", operand_view(a, "nanargmax(a, axis)"), axis, out, keepdims)


def is_number(view: View) -> View | None:
    """Which elements are not NaN; None where none can be."""
    if view.dtype.kind not in FLOATING:
        return None
    return rows.logical_not.applied(rows.isnan.applied(view))


def counted(view: View, where: Any, name: str) -> View | None:
    """Which elements count: those that are not NaN, of those that `where` names; None for all."""
    mask = mask_of(where, view, name)
    number = is_number(view)
    if mask is None or number is None:
        return mask if number is None else number
    return rows.logical_and.combined(mask, number, name)


def replaced(view: View, value: int, mask: View | None) -> View:
    """The elements where a mask holds, and a value in place of others."""
    if mask is None:
        return view
    other = view.dtype.numpy.type(value).item()
    return choose(mask, view, constant(other, view.dtype, (), view.device))


def _extreme_of(
    function: str, view: View, axis: Axis, out: Out, keepdims: bool, initial: Any, where: Any
) -> Array:
    name = f"{function}(a, axis)"
    row = _ROWS[function] if view.dtype.kind in FLOATING else getattr(folds, function[3:])
    start = None if initial is None else first_of(view, initial, name)
    mask = mask_of(where, view, name)
    if mask is not None:
        if start is None:
            fault = "where is given and initial is not"
            raise value_error(
                name, fault, "initial must be given, as it is the result of no elements"
            )
        view = choose(mask, view, start)
    if start is not None and 0 in view.shape:
        left = reduced(folds.any, builder.converted(view, dtypes.bool_), axis, keepdims=keepdims)
        return sent(builder.broadcast(start, left.shape), single(out, name), name)
    result = reduced(row, view, axis, keepdims=keepdims, where=name)
    if start is not None:
        nearer = elementwise.fmin if function == "nanmin" else elementwise.fmax
        result = nearer(result, Array(start))
    warn_of_nan(result)
    return sent(result._view, single(out, name), name)


def _index_of(
    function: str, view: View, axis: SupportsIndex | None, out: Out, keepdims: bool
) -> Array:
    name = f"{function}(a, axis)"
    x = Array(view)
    if view.dtype.kind not in FLOATING:
        row = getattr(folds, function[3:])
        return copied_back(reduced(row, view, axis, keepdims=keepdims, where=name), out, name)
    result = reduced(_ROWS[function], view, axis, keepdims=True, where=name)
    axis = axis if x.ndim else None
    is_lost = result < 0
    if is_lost.size != 1:
        is_lost = reductions.any(is_lost)
    if bool(is_lost.reshape(())):
        raise value_error(name, "All-NaN slice encountered", "each slice must hold a number")
    if not keepdims:
        place = () if axis is None else (layout.normalize_axis(axis, x.ndim, name),)
        left = tuple(extent for number, extent in enumerate(x.shape) if number not in place)
        result = result.reshape(() if axis is None else left)
    return copied_back(result, out, f"{function}(a, axis, out)")
