"""Sorting without a library: stable radix sorts, and binary searches in sorted rows.

A sort is a number of stable passes over the bits of the elements, lowest first. A row that fits in
a group's local memory is sorted there, in one launch. Else each pass sorts by eight bits, in up to
three launches: count the digits of each tile, sum up the counts, and move the elements. All rows
take part in each launch. The kernels order elements by their bits (`kernels/keys.h`), so that the
result is the same on every device. The arguments of public functions are checked before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from xarr import dtypes, layout, tuning
from xarr.dtypes import COMPLEX, FLOATING, SIGNED, DType
from xarr.ir.storage import Storage
from xarr.ir.views import View, constant, storage_view
from xarr.ops.skeleton import Skeleton
from xarr.tape import builder

if TYPE_CHECKING:
    from xarr.backends.device import Device

_GROUPS: Final = (32, 64, 128, 256)
"""Items of a group: the most that the device has room for, or `tuning.SORT_ITEMS` if they hold a
row."""
_EACH: Final = 15
"""Elements of an item, XR_EACH of `kernels/sort_tile.h`."""
_DIGIT: Final = 8
_NIBBLE: Final = 4
_LONG: Final = 1 << 32
"""From this many elements on, a place in a row takes 64 bits."""
_GRID: Final = (1 << 31) - 1
"""Groups of a launch; CUDA takes no more."""
_SORT: Final = Skeleton("sort.c", "xr_sort", "flip")
_SORT_COUNT: Final = Skeleton("sort_count.c", "xr_sort_count", "flip")
_SORT_SCAN: Final = Skeleton("sort_scan.c", "xr_sort_scan")
_SORT_SEARCH: Final = Skeleton("sort_search.c", "xr_sort_search", "flip")


class _Key(NamedTuple):
    """The bits of a data type, by which kernels sort."""

    units: int
    bits: int
    floating: bool
    signed: bool
    used: int  # the bits of an element that differ between elements

    @property
    def type(self) -> DType:
        """The data type that kernels handle a part in."""
        return dtypes.uint64 if self.bits == 64 else dtypes.uint32

    def flip(self, *, descending: bool) -> int:
        """Return the mask that turns the order of bits into that of elements."""
        sign = 1 << self.bits - 1 if self.signed else 0
        return sign ^ ((1 << self.bits) - 1 if descending else 0)

    def defines(self) -> list[str]:
        """Return the defines that specialise `keys.h`."""
        lines = [
            f"#define XR_UNIT u{self.bits}",
            f"#define XR_KEY {self.type.compute}",
            f"#define XR_BITS {self.bits}",
            f"#define XR_UNITS {self.units}",
            f"#define XR_FLOATING {int(self.floating)}",
        ]
        if self.floating:
            lines.append(f"#define XR_FRACTION {_FRACTION[self.bits]}")
        return lines


_FRACTION: Final = {16: 10, 32: 23, 64: 52}
"""The bits of a floating-point number's fraction, by its width."""


def _key(dtype: DType) -> _Key:
    units = 2 if dtype.kind == COMPLEX else 1
    width = 8 * dtype.itemsize
    used = 1 if dtype is dtypes.bool_ else width
    return _Key(units, width // units, dtype.kind in FLOATING, dtype.kind == SIGNED, used)


def _sort_defines(
    key: _Key | None, place_nbytes: int, group: int, variant: tuple[tuple[str, int], ...]
) -> list[str]:
    """Return the defines of a skeleton; with those of `key` where it reads elements."""
    place = ("PLACE", f"u{8 * place_nbytes}")
    words = (place, ("GROUP", group), ("LONG", place_nbytes // 8), *variant)
    defines = [f"#define XR_{name} {value}" for name, value in words]
    return defines if key is None else [*key.defines(), *defines]


class _Rows(NamedTuple):
    """Rows to sort, and how they are cut into tiles and pieces."""

    device: Device
    key: _Key
    flip: int
    rows: int
    length: int
    group: int
    tiles: int
    pieces: int
    piece_tiles: int

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.rows * self.length

    @property
    def wide(self) -> bool:
        """Whether indices take 64 bits."""
        return self.size * self.key.units >= layout.WIDE

    @property
    def place(self) -> DType:
        """The data type of counts, and of places in a row."""
        return dtypes.uint64 if self.length >= _LONG else dtypes.uint32

    def launch(
        self,
        skeleton: Skeleton,
        storages: Sequence[Storage],
        items: int,
        group: int,
        numbers: Mapping[str, int],
        variant: tuple[tuple[str, int], ...] = (),
    ) -> None:
        """Launch a skeleton, a group an item of work; those that read elements take `flip`."""
        indices = {
            "first_item": 0,
            "tiles": self.tiles,
            "pieces": self.pieces,
            "piece_tiles": self.piece_tiles,
            "length": self.length,
            **numbers,
        }
        key = self.key if skeleton.number else None
        special = (_sort_defines, key, self.place.itemsize, self.group, variant)
        number = None if key is None else (key.type, self.flip)
        for first in range(0, items, _GRID):
            indices["first_item"] = first
            grid = ((min(items - first, _GRID),), (group,))
            skeleton.launch(special, grid, indices, storages, self.wide, number)


def _local_nbytes(group: int, place_nbytes: int) -> int:
    """Return the bytes of local memory of `sort.c`, which needs the most."""
    words = group * _EACH + 4 * 17 * group // 16 + group + 16 + 16
    return 4 * words + (256 + 16) * place_nbytes


def _rows(
    device: Device, dtype: DType, rows: int, length: int, *, descending: bool = False
) -> _Rows:
    info, key = device.info, _key(dtype)
    place_nbytes = 8 if length >= _LONG else 4
    group = max(
        group
        for group in _GROUPS
        if group <= info.group_size and _local_nbytes(group, place_nbytes) <= info.local_nbytes
    )
    if length <= min(group, tuning.SORT_ITEMS) * _EACH:
        group = min(group, tuning.SORT_ITEMS)
    tiles = -(-length // (group * _EACH))
    piece_tiles = -(-tiles // max(1, info.compute_units * tuning.SORT_PIECES // rows))
    pieces = -(-tiles // piece_tiles)
    flip = key.flip(descending=descending)
    return _Rows(device, key, flip, rows, length, group, tiles, pieces, piece_tiles)


def sort(view: View, axis: int, *, descending: bool = False) -> View:
    """Sort the elements along an axis, NaN last; equal elements keep their order.

    A descending order is the reverse, NaN first, in which equal elements keep their order as well.
    """
    if view.shape[axis] < 2 or 0 in view.shape:
        return builder.copied(view)
    return _along(view, axis, view.dtype, descending=descending, indexed=False)


def argsort(view: View, axis: int, *, descending: bool = False) -> View:
    """Return the indices along an axis, int64, that put the elements in the order of `sort`."""
    if view.shape[axis] < 2 or 0 in view.shape:
        return constant(0, dtypes.int64, view.shape, view.device)
    return _along(view, axis, dtypes.int64, descending=descending, indexed=True)


def _along(view: View, axis: int, wanted: DType, *, descending: bool, indexed: bool) -> View:
    """Sort along an axis; copy the view first unless that is the last axis in C order."""
    device = view.device
    with device.lock:
        builder.compute(view)
        assert view.storage is not None
        assert view.layout is not None
        axes = [place for place in range(len(view.shape)) if place != axis]
        axes.append(axis)
        moved = _linear(storage_view(view.storage, view.layout.permuted(axes), view.dtype))
        length = moved.shape[-1]
        rows = math.prod(moved.shape) // length
        work = _rows(device, view.dtype, rows, length, descending=descending)
        result = _sort_linear(work, moved, indexed=indexed)
    where = layout.contiguous(moved.shape)
    done = storage_view(result, where, work.place if indexed else view.dtype)
    if axis != len(axes) - 1:
        back = sorted(range(len(axes)), key=axes.__getitem__)
        done = builder.copied(storage_view(result, where.permuted(back), done.dtype))
    return builder.converted(done, wanted)


def _linear(view: View) -> View:
    """Return a materialised view, or a copy, in C order from the start of its storage."""
    assert view.layout is not None
    if not view.layout.linear or view.layout.offset:
        view = builder.copied(view)
        builder.compute(view)
    return view


def _sort_linear(work: _Rows, view: View, *, indexed: bool) -> Storage:
    """Return the sorted elements of a linear view, or their places in their rows."""
    assert view.storage is not None
    device, key = work.device, work.key
    used = -(-key.used // _NIBBLE) * _NIBBLE
    element_nbytes = work.size * view.dtype.itemsize
    index_nbytes = work.size * work.place.itemsize
    if work.tiles == 1:
        result = builder.allocate(device, index_nbytes if indexed else element_nbytes)
        numbers = {"shift": 0, "stop": used, "last": 1}
        variant = (("WHOLE", 1), ("INDEXED", int(indexed)))
        work.launch(_SORT, (view.storage, result), work.rows, work.group, numbers, variant)
        return result
    tables = _tables(work)
    variant = (("WHOLE", 0), ("INDEXED", int(indexed)))
    shifts = range(0, used, _DIGIT)
    written = _by_turns(device, element_nbytes, len(shifts))
    indices = _by_turns(device, index_nbytes, len(shifts)) if indexed else []
    source, source_index = view.storage, indices[:1]  # no index is read in the first pass
    for turn, shift in enumerate(shifts):
        stop = min(shift + _DIGIT, used)
        _count(work, source, tables, shift)
        numbers = {"shift": shift, "stop": stop, "last": int(stop == used)}
        result_index = indices[turn : turn + 1]
        buffers = (source, *tables, *source_index, *result_index, written[turn])
        work.launch(_SORT, buffers, work.rows * work.tiles, work.group, numbers, variant)
        source, source_index = written[turn], result_index
    return indices[-1] if indexed else source


def _by_turns(device: Device, nbytes: int, turns: int) -> list[Storage]:
    """Return the storage that each pass writes: one of two, of which it reads the other."""
    two = [builder.allocate(device, nbytes) for _ in range(min(turns, 2))]
    return [two[turn % 2] for turn in range(turns)]


def _tables(work: _Rows) -> tuple[Storage, Storage, Storage]:
    """Allocate the counts of each tile, of each piece, and of each row."""
    row_nbytes = work.rows * 256 * work.place.itemsize
    before = builder.allocate(work.device, work.tiles * row_nbytes)
    totals = builder.allocate(work.device, work.pieces * row_nbytes)
    digits = totals if work.pieces == 1 else builder.allocate(work.device, row_nbytes)
    return before, totals, digits


def _count(
    work: _Rows, source: Storage, tables: tuple[Storage, Storage, Storage], shift: int
) -> None:
    """Count a digit's values in each tile, and sum up over the tiles and pieces before."""
    before, totals, digits = tables
    buffers = (source, before, totals)
    group = min(work.group, 64)
    work.launch(_SORT_COUNT, buffers, work.rows * work.pieces, group, {"shift": shift})
    if work.pieces > 1:
        work.launch(_SORT_SCAN, (totals, digits), work.rows * 256, work.group, {})


def searchsorted(ordered: View, values: View, *, right: bool, sorter: View | None = None) -> View:
    """Find where each value would be inserted in `ordered`, shape (n,), in the order of `sort`.

    Before the elements that are equal to it, or after them with `right`. `sorter`, int64, holds the
    indices that put `ordered` in order; they are checked before they come here.
    """
    device = ordered.device
    if 0 in values.shape:
        return constant(0, dtypes.int64, values.shape, device)
    with device.lock:
        for view in (ordered, values, sorter):
            if view is not None:
                builder.compute(view)
        assert values.layout is not None
        if not values.layout.linear:
            values = builder.copied(values)
            builder.compute(values)
        result = builder.allocate(device, math.prod(values.shape) * dtypes.int64.itemsize)
        _search(ordered, values, sorter, result, right=right)
    return storage_view(result, layout.contiguous(values.shape), dtypes.int64)


def _search(
    ordered: View, values: View, sorter: View | None, result: Storage, *, right: bool
) -> None:
    """Launch the search among materialised views, the values in C order."""
    info = ordered.device.info
    key = _key(ordered.dtype)
    size = math.prod(values.shape)
    assert ordered.storage is not None
    assert ordered.layout is not None
    assert values.storage is not None
    assert values.layout is not None
    storages = [ordered.storage, values.storage]
    indices = {
        "items": size,
        "length": ordered.shape[0],
        "right": int(right),
        "values_offset": values.layout.offset,
        "ordered_offset": ordered.layout.offset,
        "ordered_stride": ordered.layout.strides[0],
    }
    if sorter is not None:
        assert sorter.storage is not None
        assert sorter.layout is not None
        storages.append(sorter.storage)
        indices["sorter_offset"] = sorter.layout.offset
        indices["sorter_stride"] = sorter.layout.strides[0]
    if info.loop_per_item:
        indices["item_chunk"] = chunk = max(
            tuning.SEARCH_CHUNK, -(-size // (info.compute_units * tuning.TASKS))
        )
        grid = ((-(-size // chunk),), (1,))
    else:
        group = min(tuning.GROUP, info.group_size)
        grid = ((min(-(-size // group), info.compute_units * tuning.WAVES),), (group,))
    wide = any(storage.nbytes >= layout.WIDE for storage in storages)
    special = (_search_defines, key, info.loop_per_item, sorter is not None)
    number = (key.type, key.flip(descending=False))
    storages.append(result)
    elements = size * ordered.shape[0].bit_length()
    _SORT_SEARCH.launch(special, grid, indices, storages, wide, number, elements=elements)


def _search_defines(key: _Key, loop_per_item: bool, is_sorted: bool) -> list[str]:
    words = [f"#define XR_CHUNKED {int(loop_per_item)}", f"#define XR_SORTED {int(is_sorted)}"]
    return [*key.defines(), *words]
