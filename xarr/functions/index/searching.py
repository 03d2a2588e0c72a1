"""Searching: where values are, and choosing between values."""

from __future__ import annotations

from typing import Any, SupportsIndex, overload

from xarr import dtypes, layout
from xarr.algorithms import gather
from xarr.array.array import Array, ArrayLike
from xarr.array.conversion import as_array
from xarr.array.door import SCALARS, array_of, node_of, together
from xarr.array.layouts import keep_array, settled
from xarr.array.operands import operand
from xarr.array.outcome import delivered
from xarr.backends.device import require_together
from xarr.core.tape import Node, constant
from xarr.engine import engine
from xarr.errors import operand_of, value_error
from xarr.functions.calls.places import along, bounded, int64, lines_along
from xarr.functions.index.indexing import require_in_range
from xarr.functions.shape import joining, manipulation
from xarr.tables.rows import choose


@overload
def where(condition: ArrayLike, /) -> tuple[Array, ...]: ...
@overload
def where(condition: ArrayLike, x1: Any, x2: Any, /) -> Array: ...
def where(condition: ArrayLike, x1: Any = None, x2: Any = None, /) -> Array | tuple[Array, ...]:
    """Choose between two values for each element.

    condition : Array, shape (...) -- Which to choose: x1 where it is true or not zero. With the
        condition alone, the result is that of `nonzero`.
    x1, x2 : Array or values, shapes that broadcast with condition's
        The values where the condition holds, and elsewhere.

    >>> xarr.where(xarr.asarray([True, False]), 1, 2).tolist()
    [1, 2]
    """
    name = "where(condition, x1, x2)"
    if x1 is None and x2 is None:
        return _nonzero(condition, name)
    if x1 is None or x2 is None:
        raise value_error(name, "one of x1 and x2 is missing", "both or neither are accepted")
    device = next((value.device for value in (condition, x1, x2) if type(value) is Array), None)
    test = as_array(
        condition, name, "condition", device=None if type(condition) is Array else device
    )._node
    test = engine.converted(test, dtypes.bool_)
    if type(x1) is not Array and type(x2) is not Array:
        x1, x2 = _values(x1, x2, test, name)
    first, second = together(x1, x2, name)
    require_together(first.device, test.device, name)
    return keep_array(Array(choose(test, first, second)))


def _values(x1: Any, x2: Any, test: Node, name: str) -> tuple[Any, Any]:
    """Two values, neither of them an Array, of which one is made an Array of the test's device."""
    if type(x1) not in SCALARS:
        return as_array(x1, name, "x1", device=test.device), x2
    if type(x2) not in SCALARS:
        return x1, as_array(x2, name, "x2", device=test.device)
    default = constant(0, dtypes.bool_, (), test.device)
    nodes = [operand(value, default, name) for value in (x1, x2)]
    larger = max((node for node in nodes if node), key=lambda node: dtypes.RANK[node.dtype.kind])
    return (Array(larger), x2) if larger is nodes[0] else (x1, Array(larger))


def nonzero(a: Array) -> tuple[Array, ...]:
    """The indices of the nonzero elements, in C order, along each axis. Waits for the device.

    >>> xarr.nonzero(xarr.asarray([0, 3, 0, 5]))[0].tolist()
    [1, 3]
    """
    return _nonzero(a, "nonzero(a)")


def _nonzero(x: ArrayLike, where: str) -> tuple[Array, ...]:
    node = node_of(x, where)
    if not node.shape:
        fault = f"{operand_of(where)} is 0-dimensional"
        raise value_error(where, fault, "at least one axis is needed")
    mask = engine.converted(node, dtypes.bool_)
    return tuple(Array(along) for along in gather.nonzero(mask))


def flatnonzero(a: ArrayLike) -> Array:
    """The indices of the nonzero elements of the flattened array. Waits for the device.

    >>> xarr.flatnonzero(xarr.asarray([[0, 3], [0, 5]])).tolist()
    [1, 3]
    """
    where = "flatnonzero(a)"
    return _nonzero(manipulation.ravel(array_of(a, where, "a")), where)[0]


def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: SupportsIndex | None = None,
    out: Any = None,
    mode: str = "raise",
) -> Array:
    """The elements at indices along an axis; the shape of indices replaces the axis.

    >>> xarr.take(xarr.asarray([4, 5, 6]), xarr.asarray([2, 0])).tolist()
    [6, 4]
    """
    name = "take(a, indices)"
    x = array_of(a, name, "a")
    if axis is None or (not x.ndim and axis in (0, -1)):
        x, axis = manipulation.ravel(x), 0
    place = layout.normalize_axis(axis, x.ndim, "take(a, indices, axis)")
    index = _integers(indices, x, name)
    index = bounded(index, x.shape[place], place, mode, name)
    layout.require_possible((*x.shape[1:], *index.shape), name)
    where = settled(x)
    result = Array(gather.take(x._node, where, [(place, index._node)], place))
    return delivered(result, out, "take(a, indices, axis, out)")


def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: SupportsIndex | None = -1) -> Array:
    """The elements at indices along an axis, each line of an array with its own indices.

    >>> x = xarr.asarray([[3, 1, 2]])
    >>> xarr.take_along_axis(x, xarr.asarray([[1, 2, 0]])).tolist()
    [[1, 2, 3]]
    """
    name = "take_along_axis(arr, indices)"
    x = array_of(arr, name, "arr")
    index = along(indices, name, x.device)
    if axis is None:
        x, axis = manipulation.ravel(x), 0
    ndim = x.ndim
    place = layout.normalize_axis(axis, ndim, "take_along_axis(arr, indices, axis)")
    if index.ndim != ndim:
        fault = f"indices have {index.ndim} dimensions"
        raise value_error(name, fault, f"arr has {ndim}; both have to agree")
    require_in_range(index, x.shape[place], place, name)
    without = (*x.shape[:place], 1, *x.shape[place + 1 :])
    flat_index = (*index.shape[:place], 1, *index.shape[place + 1 :])
    common = layout.broadcast_shapes(without, flat_index, where=name)
    shape = (*common[:place], index.shape[place], *common[place + 1 :])
    spread = settled(x).broadcast((*common[:place], x.shape[place], *common[place + 1 :]))
    lines = lines_along(shape, place, x.device)
    lines.insert(place, index)
    arrays = [(number, engine.broadcast(line._node, shape)) for number, line in enumerate(lines)]
    return Array(gather.take(x._node, spread, arrays, 0))


def _integers(indices: Any, x: Array, name: str) -> Array:
    """An argument of indices as an Array of int64 on the device of x."""
    index = int64(indices, name, "indices", None if type(indices) is Array else x.device)
    require_together(index._node.device, x._node.device, name)
    return index


def argwhere(a: ArrayLike) -> Array:
    """The indices of the nonzero elements, one row each, in C order. Waits for the device.

    >>> xarr.argwhere(xarr.asarray([[0, 5], [7, 0]])).tolist()
    [[0, 1], [1, 0]]
    """
    where = "argwhere(a)"
    x = array_of(a, where, "a")
    if not x.ndim:
        return Array(constant(0, dtypes.int64, (int(bool(x)), 0), x._node.device))
    return joining.stack(_nonzero(x, where), axis=1)
