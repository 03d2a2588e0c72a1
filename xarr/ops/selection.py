"""Selection by a mask: which elements it selects, read one after the other, and written to.

A selection waits for the device, as its shape depends on values, unless it is cached.
"""

from __future__ import annotations

import math
import weakref
from collections import deque
from typing import Any, Final, NamedTuple

import numpy

from xarr import dtypes, errors, layout, tuning
from xarr.dtypes import INTEGER, DType
from xarr.ir.events import hooks
from xarr.ir.fold import Fold
from xarr.ir.operation import Operation, interned
from xarr.ir.storage import Storage
from xarr.ir.views import View, constant, storage_view
from xarr.layout import Layout, Shape
from xarr.ops import elementwise, gather, reduce_scan, vendor
from xarr.ops.rows import choose
from xarr.tape import builder, recorders
from xarr.tape.scalar_access import Host, values_of
from xarr.tape.tape import tape_of

_FLOOR_DIVIDE: Final = elementwise.floor_divide.operation(dtypes.int64)
_REMAINDER: Final = elementwise.remainder.operation(dtypes.int64)

_MOST_RANKS: Final = 1 << 30
_FEW: Final = 1 << 12


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
    recorders.reading(errors.READING, mask)
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
    total = gather.last(ranks) // 2
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


def _truth_in_place(mask: Host) -> Host:
    """Return `_truth` of a mask, without a copy if all bytes are 0 or 1."""
    is_plain = mask.view(numpy.uint8).max(initial=0) < 2
    return mask.view(numpy.bool_) if is_plain else _truth(mask)


def _true_places(mask: Host) -> Host:
    """Return the places of true elements in C order, in memory of their own."""
    places: Host = _truth_in_place(mask).ravel().nonzero()[0]
    made: Any = places.base  # NumPy's is a view of an array with one column
    if type(made) is not numpy.ndarray or not made.flags.owndata or made.size != places.size:
        return places.copy()
    made.resize(places.shape, refcheck=False)
    found: Host = made
    return found


def compress(values: View, mask: View) -> View:
    """Return the values where a mask of the same shape is true, in C order."""
    return _selected_by(mask, values) or extract(values, mask.shape, select(mask))


def _selected_by(mask: View, values: View) -> View | None:
    """Take the values where a mask of the same shape is true by NumPy, or return None.

    Each number of them would need a new program. The places of many may be cached, see `select`,
    but for those of a very long mask, which take eight times its memory.
    """
    found = vendor.now("compress", _true_elements, (values, mask), _bytes_for_numpy(values))
    return None if found is None else vendor.adopted(found, values.dtype, values.device)


def _bytes_for_numpy(values: View) -> int:
    """Return the bytes by which `now` decides who selects: few, also for a very long mask."""
    size = math.prod(values.shape)
    nbytes = size * values.dtype.itemsize
    return min(nbytes, tuning.SELECTED_NBYTES) if size >= tuning.LONG_MASK else nbytes


def _true_elements(values: Host, mask: Host) -> Host | None:
    """Return the elements in C order where a mask is true, None where that copies all of them.

    Places are looked for in a block at a time, so that they stay in the cache: half of 30,000
    float32 take 40 us, by the mask 200; half of 2^23 take 16 ms, by all places 24 and 32 MB.
    """
    size = mask.size
    if size < _FEW:
        chosen: Host = values[_truth(mask)]
        return chosen
    if size > tuning.HOST_BLOCK and values.ndim > 1 and not values.flags.c_contiguous:
        return None
    truth, values = _truth_in_place(mask).reshape(-1), values.reshape(-1)
    elements: Host = numpy.empty(numpy.count_nonzero(truth), values.dtype)
    stop = 0
    for at in range(0, size, tuning.HOST_BLOCK):
        places = truth[at : at + tuning.HOST_BLOCK].nonzero()[0]
        begin, stop = stop, stop + places.size
        # All are in range; a check would let NumPy make a copy first.
        values[at : at + tuning.HOST_BLOCK].take(places, out=elements[begin:stop], mode="clip")
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

    truth = _truth if mask.storage is storage else _truth_in_place

    def replaced(mask: Host) -> bool:
        chosen = truth(mask)
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
        if target.size >= _FEW and not target.flags.c_contiguous and target.ndim > 1:
            return False
        storage.writes += 1
        _write_true(target, chosen, given)
        return True

    return bool(vendor.now("place", replaced, (mask,), _bytes_for_numpy(view)))


def _write_true(target: Host, truth: Host, values: Host) -> None:
    """Write values to the elements where a mask is true, as `_true_elements` reads them."""
    if target.size < _FEW:
        target[truth] = values
        return
    target, truth, stop = target.reshape(-1), truth.reshape(-1), 0
    for at in range(0, target.size, tuning.HOST_BLOCK):
        places = truth[at : at + tuning.HOST_BLOCK].nonzero()[0]
        begin, stop = stop, stop + places.size
        target[at : at + tuning.HOST_BLOCK][places] = values[begin:stop]


def extract(values: View, shape: Shape, selected: Selected) -> View:
    """Return the values that a mask of a shape selects, in C order."""
    if selected.places is not None:
        builder.materialise(values)
        return gather.take(values, *_index_arguments(values, selected.places))
    storage = builder.blank((selected.total,), values.dtype, values.device)
    result = storage_view(storage, layout.contiguous((selected.total,)), values.dtype)
    if selected.total:
        chosen, number = _parts(selected)
        base = storage_view(storage, Layout(shape, (0,) * len(shape)), values.dtype)
        values = builder.broadcast(values, shape)
        builder.scatter(
            interned(gather.scatter_of, values.dtype), (base, number, values, chosen), shape
        )
    return result


def overwrite(view: View, mask: View, selected: Selected, values: View) -> View | None:
    """Write the next of `values`, of shape (total,), to each element that a mask selects.

    Or return the values of the whole view for the caller to write: the next of `values` where the
    mask selects, the view's own elsewhere. The view has the mask's shape and is in memory.
    """
    if not selected.total:
        return None
    if selected.places is not None:
        if (
            len(view.shape) == 1
            and not hooks.transfers
            and gather.put_now(view, selected.places, values)
        ):
            return None
        where, arrays, place = _index_arguments(view, selected.places)
        gather.put(view, where, arrays, place, values, distinct=True)
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
    beyond = builder.defer(gather.PLACE, (number, *parts), shape)
    return builder.defer(interned(gather.gather_of, values.dtype), (base, beyond), shape)


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
    elif (found := vendor.now("nonzero", _true_indices, (mask,))) is not None:
        return [vendor.adopted(along, dtypes.int64, mask.device) for along in found]
    selected = select(mask)
    places = selected.places
    if places is None:
        places = extract(builder.index(mask.shape, mask.device), mask.shape, selected)
    if len(mask.shape) == 1:
        return [builder.copied(places) if selected.places is not None else places]  # cached ones
    return _along(places, mask.shape)


def _true_indices(mask: Host) -> tuple[Host, ...]:
    """Return the indices of true elements along each axis; to divide places takes four times it."""
    return _truth(mask).nonzero()


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
        return gather.take(values, layout.contiguous(values.shape), [(0, index)], 0)
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
