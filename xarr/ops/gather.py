"""Reading and writing at computed places: gathers and scatters.

A gather is an instruction like any other, so its consumers are fused with it. A scatter ends its
kernel. Callers check places before.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, Final

import numpy

from xarr import dtypes, layout
from xarr.codegen.expressions import GatherScatter, stored
from xarr.dtypes import INTEGER, REAL_NUMERIC, DType
from xarr.ir.events import hooks
from xarr.ir.operation import Operation, interned
from xarr.ir.views import View, constant, storage_view, structure
from xarr.layout import Layout, Shape
from xarr.ops import elementwise, reduce_scan, reductions, vendor
from xarr.tape import builder
from xarr.tape.scalar_access import Host, values_of
from xarr.tape.tape import tape_of

_ADD: Final = elementwise.add.operation(dtypes.int64)
_EQUAL: Final = elementwise.equal.operation(dtypes.int64)

PLACE: Final = Operation(
    "place",
    (dtypes.int64,) * 3,
    dtypes.int64,
    "({0} < 0 ? {0} + {1} : {0}) * {2}",
    lambda index, extent, stride: numpy.where(index < 0, index + extent, index) * stride,
)
"""The offset of an index, from extent and stride; a negative index counts from the end."""


def gather_of(dtype: DType) -> GatherScatter:
    """Return the operation that reads elements of a type at computed places."""
    return GatherScatter(
        "gather", (dtype, dtypes.int64), dtype, "{memory}", writes=False, host=operator.getitem
    )


def scatter_of(dtype: DType, in_order: bool = False) -> GatherScatter:
    """Return the operation that writes chosen elements of a type at computed places."""
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
    """Facts about indices in memory that nobody else sees, until they are written to.

    Attributes
    ----------
    extent : int
        All are in range of it, and so of more.
    scattered : int
        How often they were written at, in an array that a group of items writes.
    wins : (int, View) or None
        Of an axis of this extent, which of them write: the last of equal ones.
    """

    __slots__ = ("_key", "extent", "scattered", "wins")

    def __init__(self, key: Any, extent: int) -> None:
        self._key = key
        self.extent = extent
        self.scattered = 0
        self.wins: tuple[int, View] | None = None

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


def _extreme(name: str, dtype: DType) -> GatherScatter:
    """Return the operation that makes elements the larger or the smaller of two, in any order."""
    is_largest = int(name == "maximum")
    template = f"xr_extreme_at_{dtype.compute}(&{{memory}}, {{2}}, {is_largest});"
    operands = dtype, dtypes.int64, dtype
    return GatherScatter(name, operands, dtypes.bool_, template, writes=True)


def result_shape(where: Layout, arrays: Sequence[tuple[int, View]], place: int) -> Shape:
    """Return the shape of an indexed view: the arrays' axes replace those they index."""
    if len(arrays) == len(where.shape):
        return arrays[0][1].shape
    indexed = {axis for axis, _ in arrays}
    kept = [extent for axis, extent in enumerate(where.shape) if axis not in indexed]
    before = sum(1 for axis in range(place) if axis not in indexed)
    return (*kept[:before], *arrays[0][1].shape, *kept[before:])


def addresses(
    view: View, where: Layout, arrays: Sequence[tuple[int, View]], place: int
) -> tuple[View, View]:
    """Return the view where each element's walk begins, and the element's offset from there."""
    device, how = view.device, view.structure
    key = addresses, where.shape, where.strides, place, *[(axis, of.shape) for axis, of in arrays]
    known = how.known(key)
    if known is None:
        shape, index_shape = result_shape(where, arrays, place), arrays[0][1].shape
        indexed = {axis for axis, _ in arrays}
        kept = [stride for axis, stride in enumerate(where.strides) if axis not in indexed]
        before = sum(1 for axis in range(place) if axis not in indexed)
        strides = (*kept[:before], *(0,) * len(index_shape), *kept[before:])
        # The index axes stand inside the result: give them one-element axes for those behind them.
        lifted = (*index_shape, *(1,) * (len(kept) - before))
        known = structure(device, view.dtype, shape, strides), lifted
        how.remember(key, known)
    base = View(view.storage, known[0], where.offset)
    beyond: View | None = None
    for axis, index in arrays:
        extent, stride = (
            constant(value, dtypes.int64, (), device)
            for value in (where.shape[axis], where.strides[axis])
        )
        step = builder.defer(PLACE, (index, extent, stride), index.shape)
        beyond = step if beyond is None else builder.defer(_ADD, (beyond, step), index.shape)
    assert beyond is not None
    return base, builder.reshaped(beyond, known[1])


def take(view: View, where: Layout, arrays: Sequence[tuple[int, View]], place: int) -> View:
    """Record a gather of the elements that arrays of indices name in a view."""
    shape = result_shape(where, arrays, place)
    if math.prod(shape) == 0:
        return constant(view.dtype.numpy.type(0).item(), view.dtype, shape, view.device)
    base, beyond = addresses(view, where, arrays, place)
    return builder.defer(interned(gather_of, view.dtype), (base, beyond), shape)


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
    base, beyond = addresses(view, where, arrays, place)
    assert base.storage is not None
    if distinct or device.info.loop_per_item:
        chosen = constant(True, dtypes.bool_, (), device) if chosen is None else chosen
        operation = interned(scatter_of, view.dtype, not distinct)
        builder.scatter(operation, (base, beyond, value, chosen), value.shape)
        return
    wins = _known_winners(view, where, arrays)
    if wins is None:
        wins = _wins(view, where, arrays)
    lifted = builder.reshaped(wins, (*wins.shape, *(1,) * (len(beyond.shape) - len(wins.shape))))
    builder.scatter(interned(scatter_of, view.dtype), (base, beyond, value, lifted), value.shape)


def _known_winners(view: View, where: Layout, arrays: Sequence[tuple[int, View]]) -> View | None:
    """Return which of the indices along one axis write, if the same ones have written before.

    That is looked at once, the second time.
    """
    ((axis, index), *others) = arrays
    known = None if others or hooks.recorder is not None else Looked.at(index)
    if known is None:
        return None
    extent = where.shape[axis]
    known.scattered += 1
    if known.scattered > 1 and (known.wins is None or known.wins[0] != extent):
        wins = builder.copied(_wins(view, where, arrays))
        every = reductions.all
        fold = every.fold(every.types(dtypes.bool_, dtypes.bool_))
        found = reduce_scan.reduce(fold, wins, tuple(range(len(wins.shape))))
        if last(builder.reshaped(found, (1,))):
            wins = constant(True, dtypes.bool_, wins.shape, view.device)
        known.wins = extent, wins
    return None if known.wins is None else known.wins[1]


def _wins(view: View, where: Layout, arrays: Sequence[tuple[int, View]]) -> View:
    """Return which of tuples of indices write: the last of equal ones."""
    winners, mine = _winners(view, where, arrays)
    return builder.defer(_EQUAL, (winners, mine), winners.shape)


def add_at(view: View, where: Layout, arrays: Sequence[tuple[int, View]], value: View) -> bool:
    """Add integers to the elements that arrays of indices name; return whether a GPU does so."""
    dtype = view.dtype
    if view.device.info.loop_per_item or dtype.kind not in INTEGER or dtype.itemsize < 4:
        return False
    base, beyond = addresses(view, where, arrays, 0)
    builder.scatter(interned(_add, dtype), (base, beyond, value), value.shape)
    return True


def extreme_at(
    name: str, view: View, where: Layout, arrays: Sequence[tuple[int, View]], value: View
) -> bool:
    """Make elements that arrays of indices name their `name` with values, "maximum" or "minimum".

    Return whether a GPU does so, by atomic operations, of which OpenCL may lack those on 64 bits;
    a recorder notes sorted values, which have a derivative. 2^24 float32 take an H200 0.4 ms so,
    sorted 2.4, and 1,000 take 53 us and 227.
    """
    info, dtype = view.device.info, view.dtype
    if info.loop_per_item or dtype.kind not in REAL_NUMERIC or hooks.recorder is not None:
        return False
    if dtype.itemsize < 4 or (dtype.itemsize > 4 and info.dialect != "cuda"):
        return False
    base, beyond = addresses(view, where, arrays, 0)
    builder.scatter(interned(_extreme, name, dtype), (base, beyond, value), value.shape)
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
            # NumPy keeps the order of equal indices for what lies in C order alone.
            target[numpy.asarray(places, order="C")] = numpy.asarray(given, order="C")
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
    base, beyond = addresses(elected, dense, places, 0)
    mine = builder.index(beyond.shape, device)
    builder.scatter(_ELECT, (base, beyond, mine), beyond.shape)
    winners = builder.converted(
        builder.defer(interned(gather_of, dtypes.int32), (base, beyond), beyond.shape), dtypes.int64
    )
    return winners, mine


def last(view: View) -> int:
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
