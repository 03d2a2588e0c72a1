"""Reading and writing at computed places: gathers, scatters, and what a mask selects.

A gather is an instruction like any other, so what follows it is fused with it. A scatter ends its
kernel. Places are checked before they come here.
"""

from __future__ import annotations

import functools
import math
import operator
import weakref
from collections import deque
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy

from xarr import dtypes, layout, tuning
from xarr.algorithms import library, passes
from xarr.compiler.forms import Indirect, stored
from xarr.core.elements import values_of
from xarr.core.operations import Operation
from xarr.core.storage import Storage
from xarr.core.views import Node, constant, leaf
from xarr.dtypes import DType
from xarr.engine import engine, hosted
from xarr.engine.elements import Host
from xarr.engine.opcodes import tape_of
from xarr.layout import Layout, Shape
from xarr.tables import elementwise
from xarr.tables.rows import Fold, choose

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
"""The offset of an index, from extent and stride; a negative index counts from the end."""

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
"""Twice the count of true elements up to each one, plus one where it is true itself."""
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
        host=_scatter_targets,
    )


def _scatter_targets(memory: Any, places: Any, values: Any, chosen: Any) -> tuple[Any, Any]:
    """The targets of a scatter, and the values for them."""
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


def picked(values: Node, index: Node) -> Node | None:
    """The elements at one array of indices along axis 0, where NumPy takes them at once; else None.

    That is where few are named, as in `compress`, of values that are in memory. It is none, too,
    where an index is out of range. NPBench's spmv takes 66 ms with it, and 159 without.
    """
    if 0 in index.shape:  # of which nothing is read
        return take(values, layout.contiguous(values.shape), [(0, index)], 0)
    nbytes = math.prod((*index.shape, *values.shape[1:])) * values.dtype.itemsize
    storage = values.storage
    if storage is None or not index.shape or not library.is_preferred(values.device):
        return None
    if not hosted.keeps(values.device, nbytes):
        return None
    with values.device.lock:
        places = values_of(index)
        if places is None or tape_of(values.device).writes(storage):
            return None
        given = values_of(values)
        if given is None:
            return None
        try:
            found: Host = given[places]
        except IndexError:
            return None
        return library.adopted(found, values.dtype, values.device)


def put(
    node: Node,
    where: Layout,
    arrays: Sequence[tuple[int, Node]],
    place: int,
    value: Node,
    *,
    distinct: bool = False,
) -> None:
    """Write to the elements that arrays of indices name; the last of equal ones stays.

    Where they are `distinct`, none are equal.
    """
    device = node.device
    base, beyond = _addresses(node, where, arrays, place)
    assert base.storage is not None
    always = constant(True, dtypes.bool_, (), device)
    if distinct or device.info.chunked:
        operation = _scatter(node.dtype, in_order=not distinct)
        engine.scatter(operation, (base, beyond, value, always), value.shape)
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
    """The selection of a mask.

    Attributes
    ----------
    total : int
        How many elements.
    places : Node or None
        Which ones, in C order, of shape (total,), where the host has looked for them.
    ranks : Node or None
        Else, of the mask's shape, what `_RANKS` says of each element. It is in memory, so that no
        write comes between what is asked of it.
    """

    total: int
    places: Node | None
    ranks: Node | None


_remembering: Final[deque[weakref.ref[Storage]]] = deque()


def select(mask: Node) -> Selected:
    """The selection of a mask; waits for the device unless it is known from before."""
    engine.placed(mask)
    storage = mask.storage
    assert storage is not None
    if storage.is_seen or storage.nbytes > tuning.MASK_NBYTES:
        return _selected(mask)
    key = mask.structure, mask.offset, storage.writes
    known = storage.selected
    if known is None or known[0] != key:
        known = storage.selected = key, _selected(mask)
        _remembering.append(weakref.ref(storage))
        while len(_remembering) > tuning.MASKS:  # more than once where threads come together
            oldest = _remembering.popleft()()
            if oldest is not None and oldest is not storage:
                oldest.selected = None
    found: Selected = known[1]
    return found


def _selected(mask: Node) -> Selected:
    if 0 in mask.shape:
        return Selected(0, engine.index((0,), mask.device), None)
    places = _places(mask)
    if places is not None:
        return Selected(places.shape[0], places, None)
    ranks = passes.scan(_RANKS, engine.reshaped(mask, (math.prod(mask.shape),)), 0, 0)
    total = _last(ranks) // 2
    return Selected(total, None, engine.reshaped(ranks, mask.shape))


def _places(mask: Node) -> Node | None:
    """The places of true elements by NumPy, in a fifth of the time of kernels; or None."""
    with mask.device.lock:
        values = values_of(mask)
        if values is None:
            return None
        found = numpy.flatnonzero(values.view(numpy.uint8) != 0)
        return library.adopted(found, dtypes.int64, mask.device)


def compress(values: Node, mask: Node) -> Node:
    """The values where a mask of the same shape is true, in C order.

    Few are taken by NumPy, as a list of instructions is new for each number of them.
    """
    if _is_few(values):
        with values.device.lock:
            engine.placed(values)
            engine.placed(mask)
            given, chosen = values_of(values), values_of(mask)
            if given is not None and chosen is not None:
                found: Host = given[chosen.view(numpy.uint8) != 0]
                return library.adopted(found, values.dtype, values.device)
    return _compressed(values, mask.shape, select(mask))


def replace(node: Node, mask: Node, values: Node) -> bool:
    """Whether NumPy wrote the values of a vector where a mask is true: few, as in `compress`.

    The node has the mask's shape and lies in memory, which nobody else sees: the values may be the
    same memory by another name.
    """
    storage = node.storage
    assert storage is not None
    if not _is_few(node) or values.storage is storage or storage.is_seen:
        return False
    on = tape_of(node.device)
    with node.device.lock:
        engine.placed(mask)
        chosen = values_of(mask)
        if chosen is None or numpy.count_nonzero(chosen.view(numpy.uint8)) != values.shape[0]:
            return False
        values = engine.converted(values, node.dtype)
        engine.placed(values)
        given = values_of(values)
        if on.names(storage):
            on.run()
        target = values_of(node)
        if given is None or target is None or on.names(storage):
            return False
        storage.writes += 1
        target[chosen.view(numpy.uint8) != 0] = given
        return True


def _is_few(node: Node) -> bool:
    """Whether NumPy selects from a node at once: a kernel is new for each number of elements."""
    nbytes = math.prod(node.shape) * node.dtype.itemsize
    device = node.device
    return library.is_preferred(device) and hosted.keeps(device, nbytes, tuning.SELECTED_NBYTES)


def _compressed(values: Node, shape: Shape, selected: Selected) -> Node:
    if selected.places is not None:
        engine.placed(values)
        return take(values, *_index_arguments(values, selected.places))
    storage = engine.allocate(values.device, selected.total * values.dtype.itemsize)
    result = leaf(storage, layout.contiguous((selected.total,)), values.dtype)
    if selected.total:
        chosen, number = _parts(selected)
        base = leaf(storage, Layout(shape, (0,) * len(shape)), values.dtype)
        values = engine.broadcast(values, shape)
        engine.scatter(_scatter(values.dtype), (base, number, values, chosen), shape)
    return result


def overwrite(node: Node, mask: Node, selected: Selected, values: Node) -> Node | None:
    """Write the next of `values`, of shape (total,), to each element that a mask selects.

    Or give the values of the whole node, which are to be written: of what is selected the next one,
    of the rest its own. The node has the mask's shape and lies in memory.
    """
    if not selected.total:
        return None
    if selected.places is not None:
        where, arrays, place = _index_arguments(node, selected.places)
        put(node, where, arrays, place, values, distinct=True)
        return None
    true, number = _parts(selected)
    return choose(true, _numbered_elements(values, number), node)


def _parts(selected: Selected) -> tuple[Node, Node]:
    """Whether each element of a mask is selected, and the number of those before it in C order."""
    ranks = selected.ranks
    assert ranks is not None
    return (
        engine.defer(_CHOSEN, (ranks,), ranks.shape),
        engine.defer(_NUMBER, (ranks,), ranks.shape),
    )


def _numbered_elements(values: Node, number: Node) -> Node:
    """The elements of a vector at indices; of those that nothing uses, some are out of range."""
    engine.placed(values)
    assert values.storage is not None
    assert values.layout is not None
    shape = number.shape
    (stride,) = values.layout.strides
    base = leaf(
        values.storage, Layout(shape, (0,) * len(shape), values.layout.offset), values.dtype
    )
    parts = [constant(value, dtypes.int64, (), values.device) for value in (0, stride)]
    beyond = engine.defer(_PLACE, (number, *parts), shape)
    return engine.defer(_gather(values.dtype), (base, beyond), shape)


def _index_arguments(node: Node, places: Node) -> tuple[Layout, list[tuple[int, Node]], int]:
    """The arguments of `take` and `put` for elements of a leaf by their places in C order."""
    where = node.layout
    assert where is not None
    flat = where.reshaped((where.size,))
    if flat is not None:
        return flat, [(0, places)], 0
    return where, list(enumerate(_along(places, where.shape))), 0


def _along(places: Node, shape: Shape) -> list[Node]:
    """The indices along each axis of elements by their places in C order."""
    result = []
    for extent, stride in zip(shape, layout.contiguous_strides(shape), strict=True):
        parts = [
            constant(value, dtypes.int64, (), places.device)
            for value in (max(stride, 1), max(extent, 1))
        ]
        along = engine.defer(_FLOOR_DIVIDE, (places, parts[0]), places.shape)
        result.append(engine.defer(_REMAINDER, (along, parts[1]), places.shape))
    return result


def nonzero(mask: Node) -> list[Node]:
    """The indices of the true elements along each axis, each of shape (count,)."""
    selected = select(mask)
    places = selected.places
    if places is None:
        places = _compressed(engine.index(mask.shape, mask.device), mask.shape, selected)
    return _along(places, mask.shape)


def _last(node: Node) -> int:
    """The last element of a vector; waits for the device."""
    engine.compute(node)
    assert node.storage is not None
    host = numpy.empty(1, node.dtype.numpy)
    with node.device.lock:
        node.storage.settle()
        node.device.driver.download(
            node.storage.buffer, (node.shape[0] - 1) * node.dtype.itemsize, host
        )
    return int(host[0])
