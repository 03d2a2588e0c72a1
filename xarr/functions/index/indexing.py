"""Reading and writing parts of arrays: views by slices, copies by masks and integer arrays.

A key of integers, slices, `...` and None gives a view, which shares memory. A key with a mask or
integer arrays gives a copy; the arrays broadcast together and take the place of the axes they
index, as NumPy's do. What is gathered or scattered is one kernel, with the index expressions and
the written expression fused in. `keys` says what a key means.
"""

from __future__ import annotations

import math
from numbers import Number
from typing import Any, Final

import numpy

from xarr import dtypes, layout
from xarr.algorithms import gather
from xarr.array.array import Array, made, rebind
from xarr.array.conversion import as_array, numbers, warn_of_imaginary
from xarr.array.layouts import assign, is_whole, keep_array, require_writeable, settled, view
from xarr.array.nested import holds_arrays
from xarr.array.operands import operand
from xarr.array.operators import as_operand
from xarr.array.transfers import from_host, is_unobserved
from xarr.core.tape import (
    Node,
    constant,
    element,
    leaf,
    name_of_store,
    number_for,
    number_like,
    place_of,
    remembered,
)
from xarr.dtypes import BOOL, INTEGER
from xarr.engine import elements, engine
from xarr.errors import value_error
from xarr.functions.index.keys import WHERE, advanced, basic, is_array, mask_of
from xarr.layout import Layout, Shape
from xarr.tables import elementwise as rows
from xarr.tables.rows import choose

_ALL: Final = slice(None)
_WRITE: Final = "x[key] = value"


def getitem(x: Array, key: Any) -> Array:
    """The elements that `key` names: a view, or a copy where it holds arrays."""
    kind = type(key)
    if kind is Array and key._node.dtype.kind in INTEGER and is_unobserved():
        given, index = x._node, key._node
        if index.device is given.device and given.shape:
            found = gather.picked(given, index)
            if found is not None:
                return Array(found)
    if kind is not slice:
        at = place_of(x._node, key)
        if at >= 0:
            value = elements.read(x._node, at) if is_unobserved() else None
            if value is not None:
                return made(number_like(x._node, value))
            # NumPy gives a scalar here, so that x[0], x[1] = x[1], x[0] exchanges them.
            return Array(engine.copied(element(x._node, at)))
    elif type(key.start) is Array or type(key.stop) is Array:
        key = _of_integers(key)
    where = settled(x)
    items = key if kind is tuple else tuple(key) if isinstance(key, tuple) else (key,)
    if kind is slice or kind is int or not any(map(is_array, items)):
        part = view(x, basic(where, items))
        node = part._node
        if node.shape == ():
            if any(item is Ellipsis for item in items):
                return keep_array(part)
            # NumPy gives a scalar here, so that x[0], x[1] = x[1], x[0] exchanges them.
            return Array(engine.copied(node))
        return part
    if len(items) == 1:
        mask = mask_of(items[0], x)
        if mask is not None and mask.shape == x.shape:
            return Array(gather.compress(x._node, mask._node))
    where, arrays, place = advanced(x, items)
    layout.require_possible(gather.result_shape(where, arrays, place), WHERE)
    return Array(gather.take(x._node, where, arrays, place))


def setitem(x: Array, key: Any, value: Any) -> None:
    """Write to the elements that `key` names."""
    node = x._node
    given = value._node if type(value) is Array else None
    require_writeable(x, _WRITE)
    kind = type(key)
    at = -1 if kind is slice else place_of(node, key)
    number = number_for(node.structure, value) if at >= 0 else None
    if number is not None and elements.write(node, at, number):
        return
    if given is None:
        given = _number(node, value)
    source = _source(value, node)
    items = key if kind is tuple else tuple(key) if isinstance(key, tuple) else (key,)
    if kind is not slice and kind is not int and any(map(is_array, items)):
        _set_advanced(x, items, source)
        return
    if node.value is not None and len(items) == 1 and items[0] in (Ellipsis, _ALL):
        rebind(x, _filled(source, node))
        return
    where = basic(settled(x), items)
    source = _fitted(source, where.shape)
    leaf_layout = source.layout
    if (
        source.storage is x._node.storage
        and leaf_layout is not None
        and leaf_layout == where
        and source.dtype is node.dtype
    ):
        # x[key] += value has written already; Python now assigns the view to itself.
        return
    assign(x, where, source)
    if given is None or not where.size or source.structure is not given.structure:
        return
    storage = node.storage
    assert storage is not None
    # What reads what it overwrites is copied first, each time.
    if given.storage is not storage or not engine.reads_what_it_overwrites(
        given, storage, where, node.dtype
    ):
        opcode, target = engine.storing(source.structure, where, node.dtype)
        name = name_of_store(Node(storage, target, where.offset), given)
        remembered(target.stores, name, opcode)


def _number(node: Node, value: Any) -> Node | None:
    """A Python number as a node beside which no other one has its data type; None for others."""
    number = number_for(node.structure, value)
    return None if number is None else number_like(node, number)


def _of_integers(key: slice) -> slice:
    """A slice from and to Arrays that are integers, read once; any other as it is."""
    parts = [key.start, key.stop, key.step]
    for place, part in enumerate(parts):
        if type(part) is Array:
            if part._node.shape or part._node.dtype.kind not in INTEGER:
                return key  # its own error says what is wrong
            parts[place] = int(part)
    return slice(*parts)


def _source(value: Any, node: Node) -> Node:
    """The node of a value that is written to the memory of another."""
    if type(value) is not Array:
        if isinstance(value, _NUMBERS):
            number = numbers([value], node.dtype, _WRITE, "value")[0]
            return constant(number.item(), node.dtype, (), node.device)
        if isinstance(value, list | tuple) and not holds_arrays(value):
            return from_host(numbers(value, node.dtype, _WRITE, "value"), node.device, _WRITE)
    found = operand(as_operand(value), node, _WRITE)
    source = found or as_array(value, _WRITE, "value", device=node.device)._node
    if source.dtype.kind == dtypes.COMPLEX and node.dtype.kind not in (dtypes.COMPLEX, BOOL):
        warn_of_imaginary(source.dtype, node.dtype, _WRITE, "value")
        return rows.real.applied(source)
    return source


_NUMBERS: Final = (Number, numpy.generic, str, bytes, set, dict, type(None))
"""What is written as NumPy converts one value, or refuses to; no array is made of it."""


def _filled(source: Node, target: Node) -> Node:
    source = engine.converted(_fitted(source, target.shape), target.dtype)
    return engine.copied(engine.broadcast(source, target.shape))


def _fitted(source: Node, shape: Shape) -> Node:
    """A value that broadcasts to `shape`, without leading axes of one element beyond it."""
    given = source.shape
    extra = len(given) - len(shape)
    fits = all(extent == 1 for extent in given[: max(extra, 0)]) and all(
        mine in (1, wanted) for mine, wanted in zip(reversed(given), reversed(shape), strict=False)
    )
    if not fits:
        fault = f"value has shape {given}"
        accepted = "it has to broadcast to that of x[key], " + str(shape).replace(" ", "")
        raise value_error(_WRITE, fault, accepted)
    if extra <= 0:
        return source
    if source.storage is None:
        return constant(source.value, source.dtype, (), source.device)
    assert source.layout is not None
    where = Layout(given[extra:], source.layout.strides[extra:], source.layout.offset)
    return leaf(source.storage, where, source.dtype)


def _set_advanced(x: Array, items: tuple[Any, ...], source: Node) -> None:
    mask = mask_of(items[0], x) if len(items) == 1 else None
    if mask is not None and _is_selected(x, mask, source):
        return
    where, arrays, place = advanced(x, items)
    shape = gather.result_shape(where, arrays, place)
    source = engine.broadcast(_fitted(source, shape), shape)
    if math.prod(shape):
        gather.put(x._node, where, arrays, place, engine.converted(source, x._node.dtype))


def _is_selected(x: Array, mask: Array, source: Node) -> bool:
    """Write by choosing for each element of x; False where the mask's indices are needed."""
    rest = x.shape[mask.ndim :]
    if mask.ndim > x.ndim or not mask.ndim or mask.shape != x.shape[: mask.ndim]:
        return False
    if len(source.shape) <= len(rest) or (not rest and math.prod(source.shape) == 1):
        # The same value for each true element, so nobody has to know how many there are.
        lifted = engine.reshaped(mask._node, (*mask.shape, *(1,) * len(rest)))
        value = engine.converted(_fitted(source, rest), x._node.dtype)
        _replaced(x, choose(lifted, value, x._node))
        return True
    if rest:
        return False
    settled(x)
    if len(source.shape) == 1 and gather.replace(x._node, mask._node, source):
        return True
    selected = gather.select(mask._node)
    source = _fitted(source, (selected.total,))
    values = engine.broadcast(engine.converted(source, x._node.dtype), (selected.total,))
    engine.placed(values)
    chosen = gather.overwrite(x._node, mask._node, selected, values)
    if chosen is not None:
        _replaced(x, chosen)
    return True


def _replaced(x: Array, chosen: Node) -> None:
    """Write the values of all elements."""
    if is_whole(x):
        rebind(x, chosen)
    else:
        assign(x, settled(x), chosen)
