"""Reading and writing at computed places: gathers, scatters, and the selection of a mask.

A gather is an instruction like any other, so its consumers are fused with it. A scatter ends its
kernel. Callers check places before.
"""

from __future__ import annotations

import math
import operator
import weakref
from collections import deque
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy

from xarr import dtypes, layout, tuning
from xarr.codegen.expressions import GatherScatter, stored
from xarr.dtypes import INTEGER, DType
from xarr.ir.events import hooks
from xarr.ir.fold import Fold
from xarr.ir.operation import Operation, interned
from xarr.ir.storage import Storage
from xarr.ir.views import View, constant, storage_view
from xarr.layout import Layout, Shape
from xarr.ops import elementwise, reduce_scan, reductions, vendor
from xarr.ops.rows import choose
from xarr.tape import builder, recorders
from xarr.tape.scalar_access import Host, values_of
from xarr.tape.tape import tape_of

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

_MOST_RANKS: Final = 1 << 30


def _ranks(result: DType) -> Fold:
    """Return the fold of a mask's ranks.

    They are twice the count of true elements up to each one, plus one where it is true itself.
    """
    one = f"3 * ({result.compute})(x)"
    return Fold(
        name="ranks",
        taken=dtypes.bool_,
        element="{0}",
        value=dtypes.bool_,
        accumulator=result.compute,
        nbytes=result.itemsize,
        result=result,
        first=one,
        step=f"acc - (acc & 1) + {one}",
        combine="acc1 - (acc1 & 1) + acc2",
        close="",
        finish="acc",
        along=lambda x, axis: (2 * numpy.cumsum(x, axis) + x).astype(result.numpy),
    )


_CHOSEN: Final = Operation(
    "chosen", (dtypes.int64,), dtypes.bool_, "({0} & 1)", lambda ranks: (ranks & 1) != 0
)
_RUN: Final = Operation(
    "run", (dtypes.int64,), dtypes.int64, "({0} / 2 - 1)", lambda ranks: ranks // 2 - 1
)
_NUMBER: Final = Operation(
    "number",
    (dtypes.int64,),
    dtypes.int64,
    "({0} > 1 ? {0} / 2 - 1 : 0)",
    lambda ranks: numpy.where(ranks > 1, ranks // 2 - 1, 0),
)


def _gather(dtype: DType) -> GatherScatter:
    return GatherScatter(
        "gather", (dtype, dtypes.int64), dtype, "{memory}", writes=False, host=operator.getitem
    )


def _scatter(dtype: DType, in_order: bool = False) -> GatherScatter:
    template = "if ({3}) {memory} = " + stored("{2}", dtype) + ";"
    return GatherScatter(
        "scatter",
        (dtype, dtypes.int64, dtype, dtypes.bool_),
        dtypes.bool_,
        template,
        writes=True,
        in_order=in_order,
        host=_scatter_targets,
    )


def _scatter_targets(memory: Any, places: Any, values: Any, chosen: Any) -> tuple[Any, Any]:
    """Return the targets of a scatter, and the values for them."""
    places, values, chosen = numpy.broadcast_arrays(places, values, chosen)
    return places[chosen], values[chosen]


_ELECT: Final = GatherScatter(
    "elect",
    (dtypes.int32, dtypes.int64, dtypes.int64),
    dtypes.bool_,
    "ATOMIC_MAX_I32(&{memory}, (i32)({2}));",
    writes=True,
)
"""The largest position that wants a place wins it."""


class Looked:
    """What is known of indices in memory that nobody else sees, until they are written to.

    Attributes
    ----------
    extent : int
        All are in range of it, and so of more.
    scattered : int
        How often they were written at, in an array that a group of items writes.
    distinct : int
        In an axis of this extent none are equal; 0 where that is not known.
    """

    __slots__ = ("_key", "distinct", "extent", "scattered")

    def __init__(self, key: Any, extent: int) -> None:
        self._key = key
        self.extent = extent
        self.scattered = 0
        self.distinct = 0

    @staticmethod
    def at(index: View) -> Looked | None:
        """Return what is known of the indices of a view; None where nothing is."""
        storage = index.storage
        known = None if storage is None or storage.is_seen else storage.selected
        if type(known) is not Looked or storage is None:
            return None
        key = index.structure, index.offset, storage.writes
        return known if known._key == key else None

    @staticmethod
    def remember(index: View, extent: int) -> None:
        """Note that all indices of a view are in range of an extent."""
        storage = index.storage
        if storage is not None and not storage.is_seen:  # else others may write to it
            storage.selected = Looked((index.structure, index.offset, storage.writes), extent)


def _add(dtype: DType) -> GatherScatter:
    """Return the operation that adds to integers of 32 or 64 bits, in whichever order."""
    words = "(GLOBAL u32 *)&{memory}"
    template = f"ATOMIC_ADD_U32({words}, (u32)({{2}}));"
    if dtype.itemsize == 8:
        template = f"xr_add_words({words}, (u64)({{2}}));"
    operands = dtype, dtypes.int64, dtype
    return GatherScatter("add", operands, dtypes.bool_, template, writes=True)


def result_shape(where: Layout, arrays: Sequence[tuple[int, View]], place: int) -> Shape:
    """Return the shape of an indexed view: the arrays' axes replace those they index."""
    indexed = {axis for axis, _ in arrays}
    kept = [extent for axis, extent in enumerate(where.shape) if axis not in indexed]
    before = sum(1 for axis in range(place) if axis not in indexed)
    return (*kept[:before], *arrays[0][1].shape, *kept[before:])


def _addresses(
    view: View, where: Layout, arrays: Sequence[tuple[int, View]], place: int
) -> tuple[View, View]:
    """Return the view where each element's walk begins, and the element's offset from there."""
    device = view.device
    shape = result_shape(where, arrays, place)
    indexed = {axis for axis, _ in arrays}
    kept = [stride for axis, stride in enumerate(where.strides) if axis not in indexed]
    before = sum(1 for axis in range(place) if axis not in indexed)
    index_shape = arrays[0][1].shape
    strides = (*kept[:before], *(0,) * len(index_shape), *kept[before:])
    assert view.storage is not None
    base = storage_view(view.storage, Layout(shape, strides, where.offset), view.dtype)
    beyond: View | None = None
    for axis, index in arrays:
        parts = [
            constant(value, dtypes.int64, (), device)
            for value in (where.shape[axis], where.strides[axis])
        ]
        step = builder.defer(_PLACE, (index, *parts), index.shape)
        beyond = step if beyond is None else builder.defer(_ADD, (beyond, step), index.shape)
    assert beyond is not None
    # The index axes stand inside the result: give them one-element axes for those that follow.
    lifted = (*index_shape, *(1,) * (len(kept) - before))
    return base, builder.reshaped(beyond, lifted)


def take(view: View, where: Layout, arrays: Sequence[tuple[int, View]], place: int) -> View:
    """Record a gather of the elements that arrays of indices name in a view."""
    shape = result_shape(where, arrays, place)
    if math.prod(shape) == 0:
        return constant(view.dtype.numpy.type(0).item(), view.dtype, shape, view.device)
    base, beyond = _addresses(view, where, arrays, place)
    return builder.defer(interned(_gather, view.dtype), (base, beyond), shape)


def picked(values: View, index: View) -> View | None:
    """Take the elements at indices along axis 0, or of a mask, by NumPy, or return None.

    NumPy takes few elements, as in `compress`, of values in memory, if no index is out of range.
    NPBench's spmv takes 66 ms with it, and 159 without.
    """
    if index.dtype is dtypes.bool_:
        return _selected_by(index, values) if index.shape == values.shape else None
    if index.dtype.kind not in INTEGER:
        return None
    if 0 in index.shape:  # of which nothing is read
        return take(values, layout.contiguous(values.shape), [(0, index)], 0)
    nbytes = math.prod((*index.shape, *values.shape[1:])) * values.dtype.itemsize
    storage = values.storage
    if storage is None or not index.shape or nbytes > tuning.KEPT_NBYTES:
        return None

    def taken(places: Host) -> Host | None:
        # Values that are still to be computed are computed with what is taken of them.
        given = None if tape_of(values.device).writes(storage) else values_of(values)
        try:
            return None if given is None else given[places]
        except IndexError:
            return None

    found = vendor.now("take", taken, (index,), nbytes)
    return None if found is None else vendor.adopted(found, values.dtype, values.device)


def put(
    view: View,
    where: Layout,
    arrays: Sequence[tuple[int, View]],
    place: int,
    value: View,
    *,
    distinct: bool = False,
    chosen: View | None = None,
) -> None:
    """Write to the elements that arrays of indices name; the last of equal indices wins.

    Where they are `distinct`, none are equal, or none of those `chosen`, which alone are written.
    """
    device = view.device
    base, beyond = _addresses(view, where, arrays, place)
    assert base.storage is not None
    if distinct or device.info.loop_per_item or _are_distinct(view, where, arrays):
        chosen = constant(True, dtypes.bool_, (), device) if chosen is None else chosen
        operation = interned(_scatter, view.dtype, not distinct)
        builder.scatter(operation, (base, beyond, value, chosen), value.shape)
        return
    winners, mine = _winners(view, where, arrays)
    lifted = builder.reshaped(
        winners, (*winners.shape, *(1,) * (len(beyond.shape) - len(winners.shape)))
    )
    wins = builder.defer(_EQUAL, (lifted, builder.reshaped(mine, lifted.shape)), lifted.shape)
    builder.scatter(interned(_scatter, view.dtype), (base, beyond, value, wins), value.shape)


def _are_distinct(view: View, where: Layout, arrays: Sequence[tuple[int, View]]) -> bool:
    """Return whether indices along one axis are known to be distinct.

    Where the same ones are written at again and again, that is looked at once, the second time.
    """
    ((axis, index), *others) = arrays
    known = None if others or hooks.recorder is not None else Looked.at(index)
    if known is None:
        return False
    extent = where.shape[axis]
    known.scattered += 1
    if known.scattered == 2:
        winners, mine = _winners(view, where, arrays)
        wins = builder.defer(_EQUAL, (winners, mine), winners.shape)
        every = reductions.all
        fold = every.fold(every.types(dtypes.bool_, dtypes.bool_))
        found = reduce_scan.reduce(fold, wins, tuple(range(len(wins.shape))))
        known.distinct = extent * _last(builder.reshaped(found, (1,)))
    return known.distinct == extent


def add_at(view: View, where: Layout, arrays: Sequence[tuple[int, View]], value: View) -> bool:
    """Add integers to the elements that arrays of indices name; return whether a GPU does so."""
    dtype = view.dtype
    if view.device.info.loop_per_item or dtype.kind not in INTEGER or dtype.itemsize < 4:
        return False
    base, beyond = _addresses(view, where, arrays, 0)
    builder.scatter(interned(_add, dtype), (base, beyond, value), value.shape)
    return True


def put_now(view: View, index: View, values: View) -> bool:
    """Write values at indices along axis 0 by NumPy, if all are in memory; return whether it did.

    It writes few, as in `compress`, and the last of equal indices wins, as in `put`. The view is in
    memory that nobody else sees. On cpu:0 `z[k] = y` of 1,000 takes 15 us with it, and 108 without.
    """
    storage, device = view.storage, view.device
    assert storage is not None
    if values.storage is storage or index.storage is storage or storage.is_seen:
        return False
    on = tape_of(device)
    if values.dtype is not view.dtype or on.names(storage):
        return False
    if values.storage is not None and on.writes(values.storage):
        return False  # what is still to be computed is written by the same kernel

    def written(places: Host) -> bool:
        given = values.value if values.storage is None else values_of(values)
        target = values_of(view)
        if given is None or target is None or on.names(storage):
            return False
        try:
            target[places] = given
        except IndexError:
            return False
        storage.writes += 1
        return True

    size = math.prod((*index.shape, *view.shape[1:]))
    return bool(vendor.now("put", written, (index,), size * view.dtype.itemsize))


def _winners(view: View, where: Layout, arrays: Sequence[tuple[int, View]]) -> tuple[View, View]:
    """Return, for each tuple of indices, the last position that has it, and its own position."""
    device = view.device
    extents = tuple(where.shape[axis] for axis, _ in arrays)
    strides = layout.contiguous_strides(extents)
    nobody = constant(-1, dtypes.int32, (max(1, math.prod(extents)),), device)
    builder.materialise(nobody)
    storage = nobody.storage
    assert storage is not None
    dense = Layout(extents, strides)
    places = [(axis, index) for axis, (_, index) in enumerate(arrays)]
    elected = storage_view(storage, dense, dtypes.int32)
    base, beyond = _addresses(elected, dense, places, 0)
    mine = builder.index(beyond.shape, device)
    builder.scatter(_ELECT, (base, beyond, mine), beyond.shape)
    winners = builder.converted(
        builder.defer(interned(_gather, dtypes.int32), (base, beyond), beyond.shape), dtypes.int64
    )
    return winners, mine


class Selected(NamedTuple):
    """The selection of a mask.

    Attributes
    ----------
    total : int
        How many elements are selected.
    places : View or None
        Which ones, in C order, of shape (total,), where the host has looked for them.
    ranks : View or None
        Else, of the mask's shape, the value of `_ranks` for each element; it is materialised, so
        that a write to the mask does not change it.
    """

    total: int
    places: View | None
    ranks: View | None


_remembering: Final[deque[weakref.ref[Storage]]] = deque()


def select(mask: View) -> Selected:
    """Return the selection of a mask; wait for the device unless the selection is cached."""
    recorders.reading("the places that a mask selects", mask)
    builder.materialise(mask)
    storage = mask.storage
    assert storage is not None
    if storage.is_seen or storage.nbytes > tuning.MASK_NBYTES:
        return _selected(mask)
    key = mask.structure, mask.offset, storage.writes
    known = storage.selected
    if type(known) is not tuple or known[0] != key:
        known = storage.selected = key, _selected(mask)
        _remembering.append(weakref.ref(storage))
        while len(_remembering) > tuning.MASKS:  # more than once where threads come together
            oldest = _remembering.popleft()()
            if oldest is not None and oldest is not storage:
                oldest.selected = None
    found: Selected = known[1]
    return found


def _selected(mask: View) -> Selected:
    if 0 in mask.shape:
        return Selected(0, builder.index((0,), mask.device), None)
    places = _places(mask)
    if places is not None:
        return Selected(places.shape[0], places, None)
    ranks = _scanned(mask)
    total = _last(ranks) // 2
    return Selected(total, None, builder.reshaped(ranks, mask.shape))


def _scanned(mask: View) -> View:
    """Record the ranks of a mask's elements in C order."""
    size = mask.structure.size
    fold = interned(_ranks, dtypes.int32 if size < _MOST_RANKS else dtypes.int64)
    return reduce_scan.scan(fold, builder.reshaped(mask, (size,)), 0, 0)


def _places(mask: View) -> View | None:
    """Find the places of true elements by NumPy, in a fifth of a kernel's time, or return None."""
    found = vendor.now("flatnonzero", _true_places, (mask,))
    return None if found is None else vendor.adopted(found, dtypes.int64, mask.device)


def _truth(mask: Host) -> Host:
    """Return a mask in which every byte but 0 is True."""
    truth: Host = mask.view(numpy.uint8).astype(numpy.bool_)  # half the time of != 0
    return truth


def _true_places(mask: Host) -> Host:
    """Return the places of true elements in C order, in memory of their own."""
    places: Host = _truth(mask).ravel().nonzero()[0]
    made: Any = places.base  # NumPy's is a view of an array with one column
    if type(made) is not numpy.ndarray or not made.flags.owndata or made.size != places.size:
        return places.copy()
    made.resize(places.shape, refcheck=False)
    found: Host = made
    return found


def compress(values: View, mask: View) -> View:
    """Return the values where a mask of the same shape is true, in C order.

    NumPy takes few, as each number of them would need a new program.
    """
    return _selected_by(mask, values) or extract(values, mask.shape, select(mask))


def _selected_by(mask: View, values: View) -> View | None:
    """Take the values where a mask of the same shape is true by NumPy, if they are few."""
    nbytes = values.structure.size * values.dtype.itemsize
    found = vendor.now("compress", _true_elements, (values, mask), nbytes)
    return None if found is None else vendor.adopted(found, values.dtype, values.device)


def _true_elements(values: Host, mask: Host) -> Host:
    elements: Host = values[_truth(mask)]
    return elements


def replace(view: View, mask: View, values: View) -> bool:
    """Write the values of a vector where a mask is true by NumPy; return whether it did.

    It writes few, as in `compress`. The view has the mask's shape and is in memory that nobody else
    sees, as else the values may be the same memory by another name.
    """
    storage = view.storage
    assert storage is not None
    if values.storage is storage or storage.is_seen:
        return False
    on = tape_of(view.device)

    def replaced(mask: Host) -> bool:
        chosen = _truth(mask)
        if numpy.count_nonzero(chosen) != values.shape[0]:
            return False
        wanted = builder.converted(values, view.dtype)
        builder.materialise(wanted)
        given = values_of(wanted)
        if on.names(storage):
            on.run()
        target = values_of(view)
        if given is None or target is None or on.names(storage):
            return False
        storage.writes += 1
        target[chosen] = given
        return True

    nbytes = math.prod(view.shape) * view.dtype.itemsize
    return bool(vendor.now("place", replaced, (mask,), nbytes))


def extract(values: View, shape: Shape, selected: Selected) -> View:
    """Return the values that a mask of a shape selects, in C order."""
    if selected.places is not None:
        builder.materialise(values)
        return take(values, *_index_arguments(values, selected.places))
    storage = builder.blank((selected.total,), values.dtype, values.device)
    result = storage_view(storage, layout.contiguous((selected.total,)), values.dtype)
    if selected.total:
        chosen, number = _parts(selected)
        base = storage_view(storage, Layout(shape, (0,) * len(shape)), values.dtype)
        values = builder.broadcast(values, shape)
        builder.scatter(interned(_scatter, values.dtype), (base, number, values, chosen), shape)
    return result


def overwrite(view: View, mask: View, selected: Selected, values: View) -> View | None:
    """Write the next of `values`, of shape (total,), to each element that a mask selects.

    Or return the values of the whole view for the caller to write: the next of `values` where the
    mask selects, the view's own elsewhere. The view has the mask's shape and is in memory.
    """
    if not selected.total:
        return None
    if selected.places is not None:
        if len(view.shape) == 1 and not hooks.transfers and put_now(view, selected.places, values):
            return None
        where, arrays, place = _index_arguments(view, selected.places)
        put(view, where, arrays, place, values, distinct=True)
        return None
    true, number = _parts(selected)
    return choose(true, _numbered_elements(values, number), view)


def _parts(selected: Selected) -> tuple[View, View]:
    """Return whether a mask selects each element, and the number of those before it in C order."""
    ranks = selected.ranks
    assert ranks is not None
    return (
        builder.defer(_CHOSEN, (ranks,), ranks.shape),
        builder.defer(_NUMBER, (ranks,), ranks.shape),
    )


def run_numbers(begins: View, selected: Selected) -> View:
    """Return for each element of a vector the number of its run; `begins` marks those of runs."""
    if 0 in begins.shape:
        return constant(0, dtypes.int64, begins.shape, begins.device)
    ranks = selected.ranks
    if ranks is None:  # the host has looked for the places
        ranks = _scanned(begins)
    return builder.defer(_RUN, (ranks,), begins.shape)


def _numbered_elements(values: View, number: View) -> View:
    """Gather a vector's elements at indices; unused indices may be out of range."""
    builder.materialise(values)
    assert values.storage is not None
    assert values.layout is not None
    shape = number.shape
    (stride,) = values.layout.strides
    base = storage_view(
        values.storage, Layout(shape, (0,) * len(shape), values.layout.offset), values.dtype
    )
    parts = [constant(value, dtypes.int64, (), values.device) for value in (0, stride)]
    beyond = builder.defer(_PLACE, (number, *parts), shape)
    return builder.defer(interned(_gather, values.dtype), (base, beyond), shape)


def _index_arguments(view: View, places: View) -> tuple[Layout, list[tuple[int, View]], int]:
    """Return the arguments of `take` and `put` for elements of a view by places in C order."""
    where = view.layout
    assert where is not None
    flat = where.reshaped((where.size,))
    if flat is not None:
        return flat, [(0, places)], 0
    return where, list(enumerate(_along(places, where.shape))), 0


def _along(places: View, shape: Shape) -> list[View]:
    """Return the indices along each axis of elements by their places in C order."""
    if len(shape) == 1:
        return [places]
    result = []
    for extent, stride in zip(shape, layout.contiguous_strides(shape), strict=True):
        parts = [
            constant(value, dtypes.int64, (), places.device)
            for value in (max(stride, 1), max(extent, 1))
        ]
        along = builder.defer(_FLOOR_DIVIDE, (places, parts[0]), places.shape)
        result.append(builder.defer(_REMAINDER, (along, parts[1]), places.shape))
    return result


def nonzero(mask: View) -> list[View]:
    """Return the indices of the true elements along each axis, each of shape (count,)."""
    if len(mask.shape) == 1:
        places = _places(mask)  # those of a selection are cached, and so are copied
        if places is not None:
            return [places]
    selected = select(mask)
    places = selected.places
    if places is None:
        places = extract(builder.index(mask.shape, mask.device), mask.shape, selected)
    if len(mask.shape) == 1:
        return [builder.copied(places) if selected.places is not None else places]  # cached ones
    return _along(places, mask.shape)


def _last(view: View) -> int:
    """Return the last element of a vector; wait for the device."""
    builder.compute(view)
    assert view.storage is not None
    host = numpy.empty(1, view.dtype.numpy)
    with view.device.lock:
        view.storage.settle()
        view.device.driver.download(
            view.storage.buffer, (view.shape[0] - 1) * view.dtype.itemsize, host
        )
    return int(host[0])
