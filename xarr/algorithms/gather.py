"""Reading and writing at computed places: gathers, scatters, and what a mask selects.

A gather is an instruction like any other, so what follows it is fused with it. A scatter ends its
kernel. Places are checked before they come here.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy

from xarr import dtypes, layout
from xarr.algorithms import passes
from xarr.dtypes import DType
from xarr.engine import engine
from xarr.engine.expression import Node, Operation, constant, leaf
from xarr.engine.plan import Indirect, stored
from xarr.layout import Layout, Shape
from xarr.tables import elementwise
from xarr.tables.rows import Fold

_ADD: Final = elementwise.add.operation(dtypes.int64)
_FLOOR_DIVIDE: Final = elementwise.floor_divide.operation(dtypes.int64)
_REMAINDER: Final = elementwise.remainder.operation(dtypes.int64)
_EQUAL: Final = elementwise.equal.operation(dtypes.int64)

_PLACE: Final = Operation(
    "place",
    (dtypes.int64,) * 3,
    dtypes.int64,
    "({0} < 0 ? {0} + {1} : {0}) * {2}",
    lambda index, extent, stride: numpy.where(index < 0, index + extent, index) * stride,
)
"""Of index, extent and stride: how far beyond the start; a negative index counts from the end."""

_RANKS: Final = Fold(
    name="ranks",
    taken=dtypes.bool_,
    element="{0}",
    value=dtypes.bool_,
    accumulator="i64",
    nbytes=8,
    result=dtypes.int64,
    first="3 * (i64)(x)",
    step="acc - (acc & 1) + 3 * (i64)(x)",
    combine="acc1 - (acc1 & 1) + acc2",
    close="",
    finish="acc",
    along=lambda x, axis: 2 * numpy.cumsum(x, axis, dtype=numpy.int64) + x,
)
"""How many elements up to each one are true, times two; and one more where it is true itself."""
_CHOSEN: Final = Operation(
    "chosen", (dtypes.int64,), dtypes.bool_, "({0} & 1)", lambda ranks: (ranks & 1) != 0
)
_NUMBER: Final = Operation(
    "number",
    (dtypes.int64,),
    dtypes.int64,
    "({0} > 1 ? {0} / 2 - 1 : 0)",
    lambda ranks: numpy.where(ranks > 1, ranks // 2 - 1, 0),
)


@functools.cache
def _gather(dtype: DType) -> Indirect:
    return Indirect(
        "gather", (dtype, dtypes.int64), dtype, "{memory}", writes=False, host=operator.getitem
    )


@functools.cache
def _scatter(dtype: DType, *, in_order: bool = False) -> Indirect:
    template = "if ({3}) {memory} = " + stored("{2}", dtype) + ";"
    return Indirect(
        "scatter",
        (dtype, dtypes.int64, dtype, dtypes.bool_),
        dtypes.bool_,
        template,
        writes=True,
        in_order=in_order,
        host=_scattered,
    )


def _scattered(memory: Any, places: Any, values: Any, chosen: Any) -> tuple[Any, Any]:
    """Where values go, and these."""
    places, values, chosen = numpy.broadcast_arrays(places, values, chosen)
    return places[chosen], values[chosen]


_ELECT: Final = Indirect(
    "elect",
    (dtypes.int32, dtypes.int64, dtypes.int64),
    dtypes.bool_,
    "ATOMIC_MAX_I32(&{memory}, (i32)({2}));",
    writes=True,
)
"""The largest position that wants a place wins it."""


def result_shape(where: Layout, arrays: Sequence[tuple[int, Node]], place: int) -> Shape:
    """The shape of an indexed view: the arrays' axes replace those they index."""
    indexed = {axis for axis, _ in arrays}
    kept = [extent for axis, extent in enumerate(where.shape) if axis not in indexed]
    before = sum(1 for axis in range(place) if axis not in indexed)
    return (*kept[:before], *arrays[0][1].shape, *kept[before:])


def _addresses(
    node: Node, where: Layout, arrays: Sequence[tuple[int, Node]], place: int
) -> tuple[Node, Node]:
    """The leaf where each element's walk begins, and how far beyond it the element is."""
    device = node.device
    shape = result_shape(where, arrays, place)
    indexed = {axis for axis, _ in arrays}
    kept = [stride for axis, stride in enumerate(where.strides) if axis not in indexed]
    before = sum(1 for axis in range(place) if axis not in indexed)
    index_shape = arrays[0][1].shape
    strides = (*kept[:before], *(0,) * len(index_shape), *kept[before:])
    assert node.storage is not None
    base = leaf(node.storage, Layout(shape, strides, where.offset), node.dtype)
    beyond: Node | None = None
    for axis, index in arrays:
        parts = [
            constant(value, dtypes.int64, (), device)
            for value in (where.shape[axis], where.strides[axis])
        ]
        step = engine.defer(_PLACE, (index, *parts), index.shape)
        beyond = step if beyond is None else engine.defer(_ADD, (beyond, step), index.shape)
    assert beyond is not None
    # The index axes stand inside the result: give them one-element axes for those that follow.
    lifted = (*index_shape, *(1,) * (len(kept) - before))
    return base, engine.reshaped(beyond, lifted)


def take(node: Node, where: Layout, arrays: Sequence[tuple[int, Node]], place: int) -> Node:
    """The node of the elements that arrays of indices name in a view of a leaf."""
    shape = result_shape(where, arrays, place)
    if math.prod(shape) == 0:
        return constant(node.dtype.numpy.type(0).item(), node.dtype, shape, node.device)
    base, beyond = _addresses(node, where, arrays, place)
    return engine.defer(_gather(node.dtype), (base, beyond), shape)


def put(
    node: Node, where: Layout, arrays: Sequence[tuple[int, Node]], place: int, value: Node
) -> None:
    """Write to the elements that arrays of indices name; the last of equal ones stays."""
    device = node.device
    base, beyond = _addresses(node, where, arrays, place)
    assert base.storage is not None
    always = constant(True, dtypes.bool_, (), device)
    if device.info.chunked:
        ordered = _scatter(node.dtype, in_order=True)
        engine.scatter(ordered, (base, beyond, value, always), value.shape)
        return
    winners, mine = _winners(node, where, arrays)
    lifted = engine.reshaped(
        winners, (*winners.shape, *(1,) * (len(beyond.shape) - len(winners.shape)))
    )
    wins = engine.defer(_EQUAL, (lifted, engine.reshaped(mine, lifted.shape)), lifted.shape)
    engine.scatter(_scatter(node.dtype), (base, beyond, value, wins), value.shape)


def _winners(node: Node, where: Layout, arrays: Sequence[tuple[int, Node]]) -> tuple[Node, Node]:
    """For each tuple of indices, the last position that has it, and its own position."""
    device = node.device
    extents = tuple(where.shape[axis] for axis, _ in arrays)
    strides = layout.contiguous_strides(extents)
    storage = engine.allocate(device, max(1, math.prod(extents)) * dtypes.int32.itemsize)
    whole = layout.contiguous((math.prod(extents),))
    engine.write(storage, whole, dtypes.int32, constant(-1, dtypes.int32, whole.shape, device))
    dense = Layout(extents, strides)
    places = [(axis, index) for axis, (_, index) in enumerate(arrays)]
    elected = leaf(storage, dense, dtypes.int32)
    base, beyond = _addresses(elected, dense, places, 0)
    mine = engine.index(beyond.shape, device)
    engine.scatter(_ELECT, (base, beyond, mine), beyond.shape)
    winners = engine.converted(
        engine.defer(_gather(dtypes.int32), (base, beyond), beyond.shape), dtypes.int64
    )
    return winners, mine


class Selected(NamedTuple):
    """What a mask selects: it is read once, so that no write comes between `chosen` and `number`.

    Both have the mask's shape: whether an element is selected, and then the number
    of those before it in C order. `total` elements are selected.
    """

    chosen: Node
    number: Node
    total: int


def select(mask: Node) -> Selected:
    """What a mask selects; waits for the device."""
    shape = mask.shape
    if 0 in shape:
        no = constant(False, dtypes.bool_, shape, mask.device)
        return Selected(no, engine.index(shape, mask.device), 0)
    ranks = passes.scan(_RANKS, engine.reshaped(mask, (math.prod(shape),)), 0, 0)
    total = _last(ranks) // 2
    ranks = engine.reshaped(ranks, shape)
    chosen, number = (engine.defer(which, (ranks,), shape) for which in (_CHOSEN, _NUMBER))
    return Selected(chosen, number, total)


def compress(values: Node, mask: Node) -> Node:
    """The values where a mask of the same shape is true, in C order; a leaf."""
    shape = mask.shape
    chosen, number, count = select(mask)
    storage = engine.allocate(values.device, count * values.dtype.itemsize)
    result = leaf(storage, layout.contiguous((count,)), values.dtype)
    if count:
        base = leaf(storage, Layout(shape, (0,) * len(shape)), values.dtype)
        values = engine.broadcast(values, shape)
        engine.scatter(_scatter(values.dtype), (base, number, values, chosen), shape)
    return result


def spread(values: Node, selected: Selected) -> Node:
    """For each selected element of a mask, in C order, the next of `values`, shape (count,)."""
    engine.placed(values)
    assert values.storage is not None
    assert values.layout is not None
    shape = selected.number.shape
    (stride,) = values.layout.strides
    base = leaf(
        values.storage, Layout(shape, (0,) * len(shape), values.layout.offset), values.dtype
    )
    parts = [constant(value, dtypes.int64, (), values.device) for value in (0, stride)]
    beyond = engine.defer(_PLACE, (selected.number, *parts), shape)
    return engine.defer(_gather(values.dtype), (base, beyond), shape)


def nonzero(mask: Node) -> list[Node]:
    """The indices of the true elements along each axis, each of shape (count,)."""
    device = mask.device
    shape = mask.shape
    flat = compress(engine.index(shape, device), mask)
    result = []
    for extent, stride in zip(shape, layout.contiguous_strides(shape), strict=True):
        parts = [
            constant(value, dtypes.int64, (), device) for value in (max(stride, 1), max(extent, 1))
        ]
        along = engine.defer(_FLOOR_DIVIDE, (flat, parts[0]), flat.shape)
        result.append(engine.defer(_REMAINDER, (along, parts[1]), flat.shape))
    return result


def _last(node: Node) -> int:
    """The last element of a vector; waits for the device."""
    engine.compute(node)
    assert node.storage is not None
    host = numpy.empty(1, node.dtype.numpy)
    with node.device.lock:
        node.device.driver.download(
            node.storage.buffer, (node.shape[0] - 1) * node.dtype.itemsize, host
        )
    return int(host[0])
