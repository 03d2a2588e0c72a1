"""Lower stable radix sorts, and binary searches in sorted rows, to launches.

A sort is a number of stable passes over the bits of the elements, lowest first. A row that fits in
a group's local memory is sorted there, in one launch. Else each pass sorts by eight bits, in up to
three launches: count the digits of each tile, sum up the counts, and move the elements. All rows
take part in each launch. The kernels order elements by their bits (`kernels/keys.h`), so that the
result is the same on every device. The arguments of public functions are checked before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from xarr import dtypes, layout, tuning
from xarr.codegen.launch import RESULT, Launch
from xarr.dtypes import COMPLEX, FLOATING, SIGNED, DType
from xarr.ir.steps import Step
from xarr.lowering.operations import Number, OpaqueOp, Ref
from xarr.lowering.skeleton import Skeleton

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
_SORT: Final = Skeleton("sort.c", "xr_sort")
_SORT_COUNT: Final = Skeleton("sort_count.c", "xr_sort_count")
_SORT_SCAN: Final = Skeleton("sort_scan.c", "xr_sort_scan")
_SORT_SEARCH: Final = Skeleton("sort_search.c", "xr_sort_search")


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


_BEGIN: Final = (("source_offset", dtypes.int64),)
_FRACTION: Final = {16: 10, 32: 23, 64: 52}
"""The bits of a floating-point number's fraction, by its width."""


def flip_of(dtype: DType) -> tuple[int, DType]:
    """Return the mask that turns the order of an element's bits into its own, and its type."""
    key = _key(dtype)
    return key.flip(descending=False), key.type


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
        return place_type(self.length)

    @property
    def used(self) -> int:
        """The bits of an element that are sorted by."""
        return -(-self.key.used // _NIBBLE) * _NIBBLE

    def launches(
        self,
        skeleton: Skeleton,
        buffers: tuple[int, ...],
        items: int,
        group: int,
        numbers: Mapping[str, int],
        variant: tuple[tuple[str, int], ...] = (),
        *,
        takes_spec: bool,
    ) -> list[Launch]:
        """Return launches of a skeleton, a group an item of work; all but the scan take `flip`.

        `takes_spec` says whether it reads the elements that are sorted, before the buffers; it is
        then told where they begin.
        """
        indices = {
            "first_item": 0,
            "tiles": self.tiles,
            "pieces": self.pieces,
            "piece_tiles": self.piece_tiles,
            "length": self.length,
            **numbers,
        }
        key = None if skeleton is _SORT_SCAN else self.key
        variant = (("FIRST", int(takes_spec)), *variant)
        special = (_sort_defines, key, self.place.itemsize, self.group, variant)
        flip = () if key is None else (self.flip,)
        types = () if key is None else (("flip", key.type), *_BEGIN[: int(takes_spec)])
        kernel = skeleton.kernel(self.device, special, tuple(indices), None, types, wide=self.wide)
        launches = []
        for first in range(0, items, _GRID):
            indices["first_item"] = first
            grid = ((min(items - first, _GRID),), (group,))
            values = (*indices.values(), *flip)
            launches.append(Launch(kernel, grid, self.size, values, buffers, takes_spec))
        return launches


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


def place_type(length: int) -> DType:
    """Return the data type of places in a row."""
    return dtypes.uint64 if length >= _LONG else dtypes.uint32


def lower_sort(
    operation: OpaqueOp, device: Device, operands: Sequence[Ref], target: Ref, wide: bool
) -> Step:
    """Return the step that sorts rows in C order, or their places."""
    (source,) = operands
    length = source.pattern.shape[-1]
    descending, *used = operation.parameters
    work = _rows(device, source.dtype, source.pattern.size // length, length, descending=descending)
    if any(used):
        work = work._replace(key=work.key._replace(used=used[0]))
    scratch: list[int] = []
    if work.tiles == 1:
        numbers = {"shift": 0, "stop": work.used, "last": 1}
        variant = (("WHOLE", 1), ("INDEXED", int(operation.name == "argsort")))
        launches = work.launches(
            _SORT, (RESULT,), work.rows, work.group, numbers, variant, takes_spec=True
        )
    else:
        launches = _passes(work, operation, source, scratch)
    return Step(
        launches,
        scratch,
        (),
        [source.slot],
        [target],
        [(source.slot, source.offset)],
        [(target.slot, target.nbytes)],
        whole=(source,),
    )


def _passes(work: _Rows, operation: OpaqueOp, source: Ref, scratch: list[int]) -> list[Launch]:
    """Return the launches of all passes; add the buffers between them to `scratch`."""

    def allocate(nbytes: int) -> int:
        scratch.append(nbytes)
        return len(scratch) - 1

    def by_turns(nbytes: int, *, is_result: bool) -> list[int]:
        """Return the buffer that each pass writes: one of two, of which it reads the other."""
        two = [allocate(nbytes) for _ in range(min(len(shifts), 2) - is_result)]
        two = [RESULT, *two] if is_result else two
        return [two[(len(shifts) - 1 - turn) % 2] for turn in range(len(shifts))]

    is_indexed = operation.name == "argsort"
    row_nbytes = work.rows * 256 * work.place.itemsize
    before, totals = allocate(work.tiles * row_nbytes), allocate(work.pieces * row_nbytes)
    digits = totals if work.pieces == 1 else allocate(row_nbytes)
    variant = (("WHOLE", 0), ("INDEXED", int(is_indexed)))
    shifts = range(0, work.used, _DIGIT)
    written = by_turns(work.size * source.dtype.itemsize, is_result=not is_indexed)
    indices = by_turns(work.size * work.place.itemsize, is_result=True) if is_indexed else []
    launches = []
    read: tuple[int, ...] = ()  # the first pass reads the operand
    read_index = tuple(indices[:1])  # which the first pass does not read
    for turn, shift in enumerate(shifts):
        stop = min(shift + _DIGIT, work.used)
        launches += _count(work, (*read, before, totals), digits, shift)
        numbers = {"shift": shift, "stop": stop, "last": int(stop == work.used)}
        written_index = tuple(indices[turn : turn + 1])
        buffers = (*read, before, totals, digits, *read_index, *written_index, written[turn])
        launches += work.launches(
            _SORT, buffers, work.rows * work.tiles, work.group, numbers, variant,
            takes_spec=not turn,
        )  # fmt: skip
        read, read_index = (written[turn],), written_index
    return launches


def _count(work: _Rows, buffers: tuple[int, ...], digits: int, shift: int) -> list[Launch]:
    """Count a digit's values in each tile, and sum up over the tiles and pieces before."""
    *_, totals = buffers
    group, items = min(work.group, 64), work.rows * work.pieces
    is_first = len(buffers) == 2
    launches = work.launches(
        _SORT_COUNT, buffers, items, group, {"shift": shift}, takes_spec=is_first
    )
    if work.pieces > 1:
        sums = (totals, digits)
        launches += work.launches(
            _SORT_SCAN, sums, work.rows * 256, work.group, {}, takes_spec=False
        )
    return launches


def lower_search(
    operation: OpaqueOp, device: Device, operands: Sequence[Ref | Number], target: Ref, wide: bool
) -> Step:
    """Return the step that searches; the values are in C order."""
    info = device.info
    refs = [one for one in operands if isinstance(one, Ref)]
    numbers = [one.number for one in operands if isinstance(one, Number)]
    ordered, values, *sorter = refs
    key = _key(ordered.dtype)
    size, length = values.pattern.size, ordered.pattern.size
    indices = {"items": size, "length": length, "right": int(operation.parameters[0])}
    indices["ordered_stride"] = ordered.pattern.strides[0]
    if sorter:
        indices["sorter_stride"] = sorter[0].pattern.strides[0]
    if info.loop_per_item:
        chunk = max(tuning.SEARCH_CHUNK, -(-size // (info.compute_units * tuning.TASKS)))
        indices["item_chunk"] = chunk
        grid = ((-(-size // chunk),), (1,))
    else:
        group = min(tuning.GROUP, info.group_size)
        grid = ((min(-(-size // group), info.compute_units * tuning.WAVES),), (group,))
    names = (*indices, "ordered_offset", "values_offset", *["sorter_offset"][: len(sorter)])
    special = (_search_defines, key, info.loop_per_item, bool(sorter))
    types = (("flip", key.type),)
    kernel = _SORT_SEARCH.kernel(device, special, names, None, types, wide=wide)
    elements = size * length.bit_length()
    launch = Launch(kernel, grid, elements, tuple(indices.values()), (RESULT,), takes_numbers=True)
    return Step(
        [launch],
        (),
        (),
        [one.slot for one in refs],
        [target],
        [(one.slot, one.offset) for one in refs],
        [(target.slot, target.nbytes)],
        numbers=numbers,
        whole=refs,
    )


def _search_defines(key: _Key, loop_per_item: bool, is_sorted: bool) -> list[str]:
    words = [f"#define XR_CHUNKED {int(loop_per_item)}", f"#define XR_SORTED {int(is_sorted)}"]
    return [*key.defines(), *words]
