"""Sums, products and extremes that pass over NaN, each in one pass over the elements."""

from __future__ import annotations

from typing import Any, Final, SupportsIndex

from xarr import dtypes, layout
from xarr.array.array import Array, ArrayLike, Axis, DTypeLike, Out
from xarr.array.conversion import as_array
from xarr.array.door import node_of
from xarr.array.outcome import delivered
from xarr.core.tape import Node, constant
from xarr.dtypes import ANY, FLOATING
from xarr.engine import engine
from xarr.errors import value_error
from xarr.functions.calls.applying import reduced
from xarr.functions.calls.warned import warn_of_nan
from xarr.functions.elementwise import elementwise
from xarr.functions.index import searching
from xarr.functions.reduce import reductions
from xarr.tables import elementwise as rows, reductions as folds
from xarr.tables.reductions import INDEX, ORDERED
from xarr.tables.rows import OWN, Elementwise, Reduction, choose, name_rows


def _extreme(combine: Elementwise) -> Reduction:
    return Reduction(ANY, value=OWN, accumulate=ORDERED, combine=combine)


def _index_of_extreme(function: str) -> Reduction:
    return Reduction(
        ANY,
        value=OWN,
        result=INDEX,
        structure="xr_arg",
        fields=(("value", "T"), ("index", "i64")),
        first="xr_arg_first(x, (i64)(position))",
        step=f"{function}(acc, xr_arg_first(x, (i64)(position)))",
        combine=function,
        finish="acc.index",
        form="axis",
    )


_ROWS: Final = {
    "nanmin": _extreme(rows.fmin),
    "nanmax": _extreme(rows.fmax),
    "nanargmin": _index_of_extreme("xr_nanargmin"),
    "nanargmax": _index_of_extreme("xr_nanargmax"),
}
name_rows(_ROWS, Reduction)


def nansum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = 0,
    where: ArrayLike = True,
) -> Array:
    """The sum of the elements that are not NaN; 0 where all are.

    >>> float(xarr.nansum(xarr.asarray([1.0, float("nan"), 2.0])))
    3.0
    """
    name = "nansum(a, axis)"
    node = node_of(a, name)
    node = replaced(node, 0, counted(node, where, name))
    return reduced(
        folds.sum, node, axis, keepdims=keepdims, dtype=dtype, where=name, out=out, initial=initial
    )


def nanprod(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = 1,
    where: ArrayLike = True,
) -> Array:
    """The product of the elements that are not NaN; 1 where all are.

    >>> float(xarr.nanprod(xarr.asarray([3.0, float("nan"), 2.0])))
    6.0
    """
    name = "nanprod(a, axis)"
    node = node_of(a, name)
    node = replaced(node, 1, counted(node, where, name))
    return reduced(
        folds.prod, node, axis, keepdims=keepdims, dtype=dtype, where=name, out=out, initial=initial
    )


def nancumsum(
    a: ArrayLike, axis: SupportsIndex | None = None, dtype: DTypeLike = None, out: Out = None
) -> Array:
    """The running sums of the elements, NaN counting as 0.

    >>> xarr.nancumsum(xarr.asarray([1.0, float("nan"), 2.0])).tolist()
    [1.0, 1.0, 3.0]
    """
    name = "nancumsum(a, axis)"
    node = node_of(a, name)
    node = replaced(node, 0, counted(node, True, name))
    return reductions.cumsum(Array(node), axis=axis, dtype=dtype, out=out)


def nancumprod(
    a: ArrayLike, axis: SupportsIndex | None = None, dtype: DTypeLike = None, out: Out = None
) -> Array:
    """The running products of the elements, NaN counting as 1.

    >>> xarr.nancumprod(xarr.asarray([3.0, float("nan"), 2.0])).tolist()
    [3.0, 3.0, 6.0]
    """
    name = "nancumprod(a, axis)"
    node = node_of(a, name)
    node = replaced(node, 1, counted(node, True, name))
    return reductions.cumprod(Array(node), axis=axis, dtype=dtype, out=out)


def nanmin(
    a: ArrayLike,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Array:
    """The smallest number; NaN where there is none, of which a CPU warns.

    ValueError -- If there are no elements and no `initial`.

    >>> float(xarr.nanmin(xarr.asarray([3.0, float("nan"), 2.0])))
    2.0
    """
    return _extreme_of("nanmin", node_of(a, "nanmin(a, axis)"), axis, out, keepdims, initial, where)


def nanmax(
    a: ArrayLike,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Array:
    """The largest number; NaN where there is none, of which a CPU warns.

    ValueError -- If there are no elements and no `initial`.

    >>> float(xarr.nanmax(xarr.asarray([3.0, float("nan"), 2.0])))
    3.0
    """
    return _extreme_of("nanmax", node_of(a, "nanmax(a, axis)"), axis, out, keepdims, initial, where)


def nanargmin(
    a: ArrayLike, axis: SupportsIndex | None = None, out: Out = None, *, keepdims: bool = False
) -> Array:
    """The int64 index of the smallest number along an axis, of equal ones the first.

    Infinity beside NaN is found, which NumPy may miss.

    ValueError -- If all elements of a line are NaN; so of floating-point a it waits for the device.

    >>> int(xarr.nanargmin(xarr.asarray([3.0, float("nan"), 2.0])))
    2
    """
    return _index_of("nanargmin", node_of(a, "nanargmin(a, axis)"), axis, out, keepdims)


def nanargmax(
    a: ArrayLike, axis: SupportsIndex | None = None, out: Out = None, *, keepdims: bool = False
) -> Array:
    """The int64 index of the largest number along an axis, of equal ones the first.

    Infinity beside NaN is found, which NumPy may miss.

    ValueError -- If all elements of a line are NaN; so of floating-point a it waits for the device.

    >>> int(xarr.nanargmax(xarr.asarray([3.0, float("nan"), 2.0])))
    0
    """
    return _index_of("nanargmax", node_of(a, "nanargmax(a, axis)"), axis, out, keepdims)


def is_number(node: Node) -> Node | None:
    """Which elements are not NaN; None where none can be."""
    if node.dtype.kind not in FLOATING:
        return None
    return rows.logical_not.applied(rows.isnan.applied(node))


def counted(node: Node, where: Any, name: str) -> Node | None:
    """Which elements count: those that are not NaN, of those that `where` names; None for all."""
    mask = None if where is True else as_array(where, name, "where", dtype="bool")._node
    number = is_number(node)
    if mask is None or number is None:
        return mask if number is None else number
    return rows.logical_and.combined(mask, number, name)


def replaced(node: Node, value: int, mask: Node | None) -> Node:
    """The elements where a mask holds, and a value in place of others."""
    if mask is None:
        return node
    other = node.dtype.numpy.type(value).item()
    return choose(mask, node, constant(other, node.dtype, (), node.device))


def _extreme_of(
    function: str, node: Node, axis: Axis, out: Out, keepdims: bool, initial: Any, where: Any
) -> Array:
    name = f"{function}(a, axis)"
    row = _ROWS[function] if node.dtype.kind in FLOATING else getattr(folds, function[3:])
    if where is not True:
        if initial is None:
            fault = "where is given and initial is not"
            raise value_error(name, fault, "of no elements it is the result")
        start = as_array(initial, name, "initial", dtype=node.dtype, device=node.device)
        mask = as_array(where, name, "where", dtype="bool", device=node.device)
        node = choose(mask._node, node, start._node)
    if initial is not None and 0 in node.shape:
        left = reduced(folds.any, engine.converted(node, dtypes.bool_), axis, keepdims=keepdims)
        node = constant(0, dtypes.bool_, left.shape, node.device)
        start = as_array(initial, name, "initial", device=node.device)
        return delivered(Array(engine.broadcast(start._node, left.shape)), out, name)
    result = reduced(row, node, axis, keepdims=keepdims, where=name)
    if initial is not None:
        start = as_array(initial, name, "initial", dtype=result.dtype, device=result.device)
        nearer = elementwise.fmin if function == "nanmin" else elementwise.fmax
        result = nearer(result, start)
    warn_of_nan(result)
    return delivered(result, out, f"{function}(a, axis, out)")


def _index_of(
    function: str, node: Node, axis: SupportsIndex | None, out: Out, keepdims: bool
) -> Array:
    name = f"{function}(a, axis)"
    x = Array(node)
    if node.dtype.kind not in FLOATING:
        row = getattr(folds, function[3:])
        return delivered(reduced(row, node, axis, keepdims=keepdims, where=name), out, name)
    result = reduced(_ROWS[function], node, axis, keepdims=True, where=name)
    if axis is None:
        found = searching.take(x.reshape(-1), result.reshape(-1), axis=0)
    else:
        found = searching.take_along_axis(x, result, axis=axis)
    if bool(reductions.any(elementwise.isnan(found))):
        raise value_error(name, "All-NaN slice encountered", "a number is needed in each")
    if not keepdims:
        place = () if axis is None else (layout.normalize_axis(axis, x.ndim, name),)
        left = tuple(extent for number, extent in enumerate(x.shape) if number not in place)
        result = result.reshape(() if axis is None else left)
    return delivered(result, out, f"{function}(a, axis, out)")
