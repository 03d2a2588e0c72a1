"""Reading and writing parts of arrays: views by slices, copies by masks and integer arrays.

A key of integers, slices, `...` and None gives a view, which shares memory. A key with a mask or
integer arrays gives a copy; the arrays broadcast together and take the place of the axes they
index, as NumPy's do. What is gathered or scattered is one kernel, with the index expressions and
the written expression fused in.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Final

import numpy

from xarr import dtypes, errors, layout
from xarr.algorithms import gather
from xarr.array.array import (
    Array,
    as_operand,
    assign,
    is_whole,
    rebind,
    require_writeable,
    settled,
    view,
)
from xarr.array.operands import operand
from xarr.array.transfers import from_host
from xarr.dtypes import BOOL, INTEGER
from xarr.engine import engine
from xarr.engine.expression import Node, constant, leaf
from xarr.functions import reductions
from xarr.layout import Layout, Shape
from xarr.tables.rows import choose

_WHERE: Final = "x[key]"
_ALL: Final = slice(None)


def getitem(x: Array, key: Any) -> Array:
    """The elements that `key` names: a view, or a copy where it holds arrays."""
    where = settled(x) if x._node.operation is not None else x._node.layout
    if where is None:
        where = settled(x)
    kind = type(key)
    items = key if kind is tuple else (key,)
    if kind is slice or kind is int or not any(_is_array(item) for item in items):
        part = view(x, _basic(where, items))
        if part._node.shape == () and Ellipsis not in items:
            # NumPy gives a scalar here, so that x[0], x[1] = x[1], x[0] exchanges them.
            return Array(engine.copied(part._node))
        return part
    if len(items) == 1 and _is_mask(items[0]):
        selected = _masked(x, _index_array(items[0], x))
        if selected is not None:
            return selected
    node, where, arrays, place = _advanced(x, items)
    layout.require_possible(gather.result_shape(where, arrays, place), _WHERE)
    return Array(gather.take(node, where, arrays, place))


def setitem(x: Array, key: Any, value: Any) -> None:
    """Write to the elements that `key` names."""
    require_writeable(x, "x[key] = value")
    node = x._node
    source = operand(as_operand(value), node, "x[key] = value")
    if source is None:
        raise TypeError(
            errors.message(
                "x[key] = value",
                f"value is of type {type(value).__name__}",
                "an Array, a scalar, a list or a NumPy array is accepted",
            )
        )
    if source.dtype.kind == dtypes.COMPLEX and node.dtype.kind != dtypes.COMPLEX:
        raise TypeError(
            errors.message(
                "x[key] = value",
                f"value has dtype {source.dtype} and x has {node.dtype}",
                "a complex value does not fit a real array",
                "write value.real",
            )
        )
    if isinstance(value, float) and node.dtype.kind in dtypes.INTEGER and not math.isfinite(value):
        # As NumPy does: NaN is a ValueError, an infinity an OverflowError.
        raise (ValueError if math.isnan(value) else OverflowError)(
            errors.message(
                "x[key] = value",
                f"value is {value} and x has dtype {node.dtype}",
                "finite numbers are accepted",
                "convert x with x.astype('float64')",
            )
        )
    items = key if type(key) is tuple else (key,)
    if any(_is_array(item) for item in items):
        if len(items) == 1 and x.ndim and _is_mask(items[0]) and _mask_ndim(items[0]) == 0:
            if bool(items[0]):
                setitem(x, Ellipsis, value)
        else:
            _set_advanced(x, items, source)
        return
    if node.operation is not None and _names_all(items):
        # Nobody sees the pending value any more: it need not be computed.
        rebind(x, _filled(source, node))
        return
    where = _basic(settled(x), items)
    source = _fitted(source, where.shape)
    leaf_layout = source.layout
    if source.storage is x._node.storage and leaf_layout is not None and leaf_layout == where:
        return  # x[key] += value has written already; Python now assigns the view to itself
    del value
    assign(x, where, source)


def _filled(source: Node, target: Node) -> Node:
    source = engine.converted(_fitted(source, target.shape), target.dtype)
    return engine.copied(engine.broadcast(source, target.shape))


def _names_all(items: tuple[Any, ...]) -> bool:
    return len(items) == 1 and (items[0] is Ellipsis or items[0] == _ALL)


def _fitted(source: Node, shape: Shape) -> Node:
    """A value that broadcasts to `shape`, without leading axes of one element beyond it."""
    given = source.shape
    extra = len(given) - len(shape)
    fits = all(extent == 1 for extent in given[: max(extra, 0)]) and all(
        mine in (1, wanted) for mine, wanted in zip(reversed(given), reversed(shape), strict=False)
    )
    if not fits:
        raise ValueError(
            errors.message(
                "x[key] = value",
                f"value has shape {given} and x[key] has {shape}",
                "value has to broadcast to the shape of x[key]",
            )
        )
    if extra <= 0:
        return source
    if source.operation is not None:
        engine.compute(source)
    if source.storage is None:
        return constant(source.value, source.dtype, (), source.device)
    assert source.layout is not None
    where = Layout(given[extra:], source.layout.strides[extra:], source.layout.offset)
    return leaf(source.storage, where, source.dtype)


def _basic(where: Layout, items: tuple[Any, ...]) -> Layout:
    """The layout of a view by integers, slices, `...` and None."""
    shape, strides = where.shape, where.strides
    named = 0
    ellipses = 0
    for item in items:
        if item is Ellipsis:
            ellipses += 1
        elif item is not None:
            named += 1
    if ellipses > 1:
        raise IndexError(
            errors.message(_WHERE, "key has several ...", "one ... at most is accepted")
        )
    if named > len(shape):
        raise IndexError(
            errors.message(
                _WHERE,
                f"key names {named} axes",
                f"x has {len(shape)} dimensions",
            )
        )
    offset = where.offset
    new_shape = list[int]()
    new_strides = list[int]()
    axis = 0
    for item in items:
        if item is None:
            new_shape.append(1)
            new_strides.append(0)
        elif item is Ellipsis:
            skipped = len(shape) - named
            new_shape += shape[axis : axis + skipped]
            new_strides += strides[axis : axis + skipped]
            axis += skipped
        elif type(item) is slice:
            start, count, step = _slice(item, shape[axis])
            if count:
                offset += start * strides[axis]
            new_shape.append(count)
            new_strides.append(step * strides[axis])
            axis += 1
        else:
            offset += _integer(item, shape[axis], axis) * strides[axis]
            axis += 1
    new_shape += shape[axis:]
    new_strides += strides[axis:]
    if len(new_shape) > layout.MAX_NDIM:
        layout.require_possible(tuple(new_shape), _WHERE)
    return Layout(tuple(new_shape), tuple(new_strides), offset)


def _slice(item: slice, extent: int) -> tuple[int, int, int]:
    try:
        start, stop, step = item.indices(extent)
    except TypeError:
        raise TypeError(
            errors.message(
                _WHERE, f"the slice is {item}", "the parts of a slice are integers or None"
            )
        ) from None
    if step > 0:
        return start, max(0, -((start - stop) // step)), step
    return start, max(0, -((stop - start) // -step)), step


def _integer(item: Any, extent: int, axis: int) -> int:
    if isinstance(item, bool | numpy.bool_):
        raise IndexError(
            errors.message(
                _WHERE,
                f"the index is {item}",
                "bool indices are masks, which have to be arrays",
                "use xarr.asarray(mask)",
            )
        )
    try:
        index = operator.index(item)
    except TypeError:
        raise IndexError(
            errors.message(
                _WHERE,
                f"the index is {item!r}",
                "integers, slices, ..., None, and integer or bool arrays are accepted",
            )
        ) from None
    if not -extent <= index < extent:
        raise IndexError(
            errors.message(
                _WHERE,
                f"the index {index} is out of range",
                f"axis {axis} has {extent} elements, so [{-extent}, {extent}) is accepted",
            )
        )
    return index + extent if index < 0 else index


def _is_array(item: Any) -> bool:
    if type(item) is Array:
        return not (item._node.shape == () and item._node.dtype.kind in INTEGER)
    return isinstance(item, numpy.ndarray | list | tuple | bool | numpy.bool_)


def _is_mask(item: Any) -> bool:
    if type(item) is Array:
        return item._node.dtype.kind == BOOL
    return bool(numpy.asarray(item).dtype == numpy.bool_)


def _mask_ndim(item: Any) -> int:
    return item.ndim if type(item) is Array else numpy.asarray(item).ndim


def _index_array(item: Any, x: Array) -> Array:
    """An item as an Array on the device of x: bool, or integers."""
    if type(item) is Array:
        array = item
        if array._node.device is not x._node.device:
            raise ValueError(
                errors.message(
                    _WHERE,
                    f"the index is on {array.device} and x on {x.device}",
                    "both have to be on one device",
                )
            )
    else:
        values = numpy.asarray(item)
        if values.size == 0 and values.dtype.kind == "f":
            values = values.astype(numpy.int64)
        array = Array(from_host(values, x.device, _WHERE))
    if array._node.dtype.kind not in (BOOL, *INTEGER):
        raise IndexError(
            errors.message(
                _WHERE,
                f"an index array has dtype {array._node.dtype}",
                "index arrays are of integer or bool dtype",
            )
        )
    return array


def _advanced(x: Array, items: tuple[Any, ...]) -> tuple[Node, Layout, list[tuple[int, Node]], int]:
    """Sort a key with arrays into a view and the arrays that index its axes.

    Returns x's node; the layout of x with slices, integers and None applied; for each array the
    axis of that layout which it indexes and its node, all broadcast to one shape; and where in
    the result the arrays' axes come.
    """
    expanded = list[Any]()
    for item in items:
        if _is_array(item):
            array = _index_array(item, x)
            expanded.append((array, array.ndim) if array.dtype == numpy.bool_ else (array, 1))
        else:
            expanded.append(item)
    named = sum(
        item[1] if type(item) is tuple else 1
        for item in expanded
        if item is not None and item is not Ellipsis
    )
    if Ellipsis not in [item for item in expanded if type(item) is not tuple]:
        expanded.append(Ellipsis)
    if named > x.ndim:
        raise IndexError(
            errors.message(_WHERE, f"key names {named} axes", f"x has {x.ndim} dimensions")
        )
    basic = list[Any]()
    arrays: list[tuple[int, Array]] = []
    positions = list[int]()
    axis = 0  # of x
    out = 0  # of the view
    for number, item in enumerate(expanded):
        if type(item) is tuple:
            array, count = item
            if array.dtype == numpy.bool_:
                extents = x.shape[axis : axis + count]
                if array.shape != extents:
                    raise IndexError(
                        errors.message(
                            _WHERE,
                            f"the mask has shape {array.shape}",
                            f"the axes it indexes have shape {extents}",
                        )
                    )
                indices = _nonzero(array)
                if count == 0:
                    raise IndexError(
                        errors.message(
                            _WHERE,
                            "a 0-dimensional mask stands beside other indices",
                            "a 0-dimensional mask is accepted alone",
                        )
                    )
            else:
                indices = (array,)
            for index in indices:
                arrays.append((out, index))
                basic.append(_ALL)
                positions.append(number)
                out += 1
            axis += count
        elif item is Ellipsis:
            skipped = x.ndim - named
            basic += [_ALL] * skipped
            axis += skipped
            out += skipped
        elif item is None:
            basic.append(None)
            out += 1
        elif type(item) is slice:
            basic.append(item)
            axis += 1
            out += 1
        else:
            # An integer beside arrays is an index array of one element, as in NumPy.
            at = _integer(item, x.shape[axis], axis)
            arrays.append((out, Array(constant(at, dtypes.int64, (), x.device))))
            basic.append(_ALL)
            positions.append(number)
            axis += 1
            out += 1
    where = _basic(settled(x), tuple(basic))
    shape = _common_shape([array for _, array in arrays])
    nodes = list[tuple[int, Node]]()
    for place, array in arrays:
        extent = where.shape[place]
        require_in_range(array, extent, place)
        node = engine.converted(array._node, dtypes.int64)
        nodes.append((place, engine.broadcast(node, shape)))
    together = positions[-1] - positions[0] + 1 == len(set(positions))
    return x._node, where, nodes, arrays[0][0] if together else 0


def _common_shape(arrays: list[Array]) -> Shape:
    """The shape that index arrays broadcast to."""
    try:
        return layout.broadcast_shapes(*(array.shape for array in arrays), where=_WHERE)
    except ValueError as error:
        raise IndexError(str(error)) from None


def require_in_range(array: Array, extent: int, axis: int, where: str = _WHERE) -> None:
    """Refuse indices out of range; reads one value back from the device."""
    if array.size == 0:
        return
    node = array._node
    if node.operation is None and node.storage is None:
        low = high = int(node.value)
    else:
        if node.operation is not None:
            engine.compute(node)
        signed = node.dtype.kind == dtypes.SIGNED
        high = int(reductions.max(array))
        low = int(reductions.min(array)) if signed else 0
    if low < -extent or high >= extent:
        raise IndexError(
            errors.message(
                where,
                f"the index {low if low < -extent else high} is out of range",
                f"axis {axis} has {extent} elements, so [{-extent}, {extent}) is accepted",
            )
        )


def _nonzero(mask: Array) -> tuple[Array, ...]:
    """The indices of the true elements along each axis."""
    return tuple(Array(node) for node in gather.nonzero(mask._node))


def _masked(x: Array, mask: Array) -> Array | None:
    """What one mask selects; None where it is a mask of x's first axes."""
    if mask.ndim == 0 and x.ndim:
        # It keeps all of x, or nothing, on an axis of its own.
        return Array(engine.copied(x[None][: int(bool(mask))]._node))
    axes = zip(mask.shape, x.shape, strict=False)
    if mask.ndim <= x.ndim and 0 in mask.shape and all(mine in (own, 0) for mine, own in axes):
        zero, none = x.dtype.type(0).item(), (0, *x.shape[mask.ndim :])
        return Array(constant(zero, x._node.dtype, none, x._node.device))
    return _compressed(x, mask) if mask.ndim == x.ndim else None


def _compressed(x: Array, mask: Array) -> Array:
    """The elements where a mask of x's shape is true, in C order, shape (count,)."""
    if mask.shape != x.shape:
        raise IndexError(
            errors.message(_WHERE, f"the mask has shape {mask.shape}", f"x has shape {x.shape}")
        )
    return Array(gather.compress(x._node, mask._node))


def _set_advanced(x: Array, items: tuple[Any, ...], source: Node) -> None:
    if len(items) == 1 and _is_mask(items[0]) and _mask_ndim(items[0]) == x.ndim:
        mask = _index_array(items[0], x)
        if mask.shape != x.shape:
            raise IndexError(
                errors.message(_WHERE, f"the mask has shape {mask.shape}", f"x has shape {x.shape}")
            )
        if math.prod(source.shape) == 1:
            _set_where(x, mask._node, _fitted(source, ()))
            return
        selected = gather.select(mask._node)
        source = _fitted(source, (selected.total,))
        if selected.total:
            _set_where(x, selected.chosen, gather.spread(source, selected))
        return
    node, where, arrays, place = _advanced(x, items)
    shape = gather.result_shape(where, arrays, place)
    source = engine.broadcast(_fitted(source, shape), shape)
    if math.prod(shape):
        gather.put(node, where, arrays, place, engine.converted(source, node.dtype))


def _set_where(x: Array, mask: Node, value: Node) -> None:
    node = x._node
    chosen = choose(mask, engine.converted(value, node.dtype), node)
    if is_whole(x):
        rebind(x, chosen)
    else:
        assign(x, settled(x), chosen)
