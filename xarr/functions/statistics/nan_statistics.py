"""Means, variances, medians and quantiles of the elements that are not NaN."""

from __future__ import annotations

import math
import warnings
from typing import Any

from xarr import dtypes
from xarr.array.array import Array, ArrayLike, Axis, DTypeLike, Out
from xarr.array.conversion import as_array
from xarr.array.door import node_of
from xarr.array.outcome import delivered, single
from xarr.backends.device import default_float
from xarr.core.tape import Node, constant
from xarr.dtypes import COMPLEX, FLOATING, DType
from xarr.engine import engine
from xarr.errors import type_error
from xarr.functions.calls.applying import reduced
from xarr.functions.calls.warned import warn_of_few
from xarr.functions.create import creation
from xarr.functions.elementwise import arithmetic, elementwise
from xarr.functions.index import searching
from xarr.functions.reduce import reductions
from xarr.functions.reduce.moments import freedom_less
from xarr.functions.reduce.nan_functions import counted, replaced
from xarr.functions.sort.sorting import sort
from xarr.functions.statistics import order_statistics
from xarr.functions.statistics.order_statistics import Asked, Lines, lines_of, mean_of_two, picked
from xarr.tables import elementwise as rows, reductions as folds


def nanmean(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> Array:
    """The mean of the elements that are not NaN; NaN of none, of which a CPU warns.

    TypeError -- If a is floating-point, and dtype or out is not.

    >>> float(xarr.nanmean(xarr.asarray([1.0, float("nan"), 2.0])))
    1.5
    """
    name = "nanmean(a, axis)"
    node, row = _operand(node_of(a, name), dtype, out, name)
    total, number = _sum_and_number(node, counted(node, where, name), axis, name, keepdims)
    warn_of_few(number, "Mean of empty slice")
    return delivered((total / number).astype(row.numpy), out, "nanmean(a, axis, dtype, out)")


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
    """The variance of the elements that are not NaN, real floating-point.

    -> Array, shape of the axes that are left
        NaN of no more numbers than `ddof`, of which a CPU warns.

    TypeError -- If a is floating-point, and dtype or out is not.

    >>> float(xarr.nanvar(xarr.asarray([1.0, float("nan"), 3.0])))
    1.0
    """
    name = "nanvar(a, axis)"
    node = node_of(a, name)
    result = _variance(node, axis, dtype, out, ddof, keepdims, where, mean, correction, name)
    return delivered(result, out, "nanvar(a, axis, dtype, out)")


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
    """The standard deviation of the elements that are not NaN, real floating-point.

    -> Array, shape of the axes that are left
        NaN of no more numbers than `ddof`, of which a CPU warns.

    TypeError -- If a is floating-point, and dtype or out is not.

    >>> float(xarr.nanstd(xarr.asarray([1.0, float("nan"), 5.0])))
    2.0
    """
    name = "nanstd(a, axis)"
    node = node_of(a, name)
    result = _variance(node, axis, dtype, out, ddof, keepdims, where, mean, correction, name)
    return delivered(elementwise.sqrt(result), out, "nanstd(a, axis, dtype, out)")


def nanmedian(
    a: ArrayLike,
    axis: Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """The median of the elements that are not NaN; NaN of none, of which a CPU warns.

    >>> float(xarr.nanmedian(xarr.asarray([1.0, float("nan"), 2.0])))
    1.5
    """
    name = "nanmedian(a, axis)"
    lines = lines_of(as_array(a, name, "a"), axis, name)
    result = lines.shaped(_median(lines), keepdims=keepdims)
    return delivered(result, out, "nanmedian(a, axis, out)")


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
    """The percentiles of the elements that are not NaN, as of `percentile`.

    method : str -- As of `quantile`.

    -> Array, shape (*q.shape, ...)
        The axes of q, then those that are left. NaN of no numbers, of which a CPU warns.

    >>> float(xarr.nanpercentile(xarr.asarray([1.0, float("nan"), 2.0]), 50))
    1.5
    """
    asked = Asked.of(a, q, axis, method, weights, "nanpercentile(a, q, axis)", percent=True)
    return asked.answered(_quantile, out, keepdims=keepdims)


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
    """The quantiles of the elements that are not NaN, as of `quantile`.

    method : str -- As of `quantile`.

    -> Array, shape (*q.shape, ...)
        The axes of q, then those that are left. NaN of no numbers, of which a CPU warns.

    >>> float(xarr.nanquantile(xarr.asarray([1.0, float("nan"), 2.0]), 0.5))
    1.5
    """
    asked = Asked.of(a, q, axis, method, weights, "nanquantile(a, q, axis)")
    return asked.answered(_quantile, out, keepdims=keepdims)


def _operand(node: Node, dtype: DTypeLike, out: Out, name: str) -> tuple[Node, DType]:
    """The operand in the type that is computed in, and the type of the result."""
    target = None if out is None else single(out, name)
    row = None if dtype is None else dtypes.lookup(dtype, name)
    if node.dtype.kind in FLOATING:
        given = [("dtype", row), ("out", None if target is None else target._node.dtype)]
        for what, wanted in given:
            if wanted is not None and wanted.kind not in FLOATING:
                fault = f"x has dtype {node.dtype} and {what} {wanted}"
                raise type_error(name, fault, f"a floating-point {what} is accepted")
        row = row or node.dtype
        computed = dtypes.promote(node.dtype, row)
    else:
        row = row or default_float(node.device)
        computed = row if row.kind in FLOATING else default_float(node.device)
    if computed is dtypes.float16:  # whose sums are soon too large
        computed = dtypes.float32
    return engine.converted(node, computed), row


def _sum_and_number(
    node: Node, mask: Node | None, axis: Axis, name: str, keepdims: bool
) -> tuple[Array, Array]:
    """The sum of the elements that count, and how many there are, of the same real type."""
    values = node if mask is None else replaced(node, 0, mask)
    total = reduced(folds.sum, values, axis, keepdims=keepdims, where=name)
    row = dtypes.PART.get(node.dtype, node.dtype)
    if mask is None:
        each = math.prod(node.shape) // max(total.size, 1)
        return total, Array(constant(float(each), row, total.shape, node.device))
    mask = engine.broadcast(mask, values.shape)
    number = reduced(folds.sum, mask, axis, keepdims=keepdims, where=name)
    return total, Array(engine.converted(number._node, row))


def _variance(
    node: Node,
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
    node, row = _operand(node, dtype, out, name)
    mask = counted(node, where, name)
    total, number = _sum_and_number(node, mask, axis, name, True)
    middle = total / number if mean is None else as_array(mean, name, "mean", device=node.device)
    squares = _squares(Array(node) - middle)
    if mask is not None:
        squares = replaced(squares, 0, mask)
    result = reduced(folds.sum, squares, axis, keepdims=keepdims, where=name)
    freedom = number.reshape(result.shape) - less
    warn_of_few(freedom, "Degrees of freedom <= 0 for slice.")
    result = searching.where(freedom > 0, result / freedom, math.nan)
    return Array(engine.converted(result._node, dtypes.PART.get(row, row)))


def _squares(x: Array) -> Node:
    """The squared magnitudes."""
    if x._node.dtype.kind == COMPLEX:
        x = arithmetic.real(x * elementwise.conj(x))
        return x._node
    return rows.square.applied(x._node)


def _median(lines: Lines) -> Array:
    if lines.values._node.dtype.kind not in FLOATING or not lines.length:
        return order_statistics.median_of(lines)
    ordered = sort(lines.values)
    number = _number(lines)
    low = picked(ordered, elementwise.maximum((number - 1) // 2, 0))
    high = picked(ordered, number // 2 - (number // 2 == lines.length))
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
        return creation.full(
            (*asked.q.shape, lines.number),
            math.nan,
            dtype=order_statistics.floating_of(lines.values._node.dtype, lines.values.device).numpy,
            device=lines.values.device,
        )
    if lines.values._node.dtype.kind not in FLOATING:
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
    ordered = sort(lines.values)
    before = picked(ordered, elementwise.maximum(place.before.astype("int64"), 0))
    if place.share is None or (asked.method == "linear" and asked.q.dtype.kind in "iub"):
        return before
    after = picked(ordered, elementwise.maximum(place.after.astype("int64"), 0))
    return order_statistics.between(before, after, place.share.astype(asked.share_dtype.numpy))
