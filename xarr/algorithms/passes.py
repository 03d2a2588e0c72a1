"""How a reduction or a scan becomes launches.

A reduction walks the axes as (outer, position, inner), where `position` runs over the reduced axes.
It is cut into pieces, the pieces' accumulators are reduced again, and so on; separated reduced axes
are reduced one run after the other, the innermost first. Which element meets which, and when, is
fixed here from the logical shape and the operand's own layout alone, never from the device:

- along a contiguous axis (inner = 1) a piece has `PIECE` elements and `WIDTH` lanes; lane l takes
  the elements l, l + WIDTH, ... in order, and a halving tree joins the lanes;
- along an outer axis a piece is a run of rows, taken in order.

The lane form (CPU) and the group form (GPU) of the kernels both keep this order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import garbage, layout
from xarr.compiler.source import define
from xarr.dtypes import DType
from xarr.engine import engine
from xarr.engine.engine import Grid
from xarr.engine.expression import Node, leaf
from xarr.engine.launch import Input, Skeleton, Special
from xarr.engine.plan import Form, stored
from xarr.engine.storage import Storage
from xarr.tables.rows import Fold

if TYPE_CHECKING:
    from xarr.backends.device import Device

WIDTH: Final = 256
PIECE: Final = 64 * WIDTH
BLOCK: Final = 1024
"""Columns that an item of the lane form walks at once; no order depends on it."""
SHORT: Final = 16
"""Up to this many elements an axis is reduced in order, by one item."""
_COLUMN_PIECE: Final = 1024
_COLUMN_ITEMS: Final = 1 << 17
_SCAN_PIECE: Final = 256
_SCAN_ITEMS: Final = 64
"""Items of a group, and so pieces side by side, where a scan goes through local memory."""
_SCAN_GROUPS: Final = 1 << 20
_SCAN_SPAN_NBYTES: Final = 128
"""Of each piece what is in local memory at a time, so much as a GPU reads at once."""
_REDUCE_LANE: Final = Skeleton("reduce_lane.c", "xr_reduce", "divisor")
_REDUCE_GROUP: Final = Skeleton("reduce_group.c", "xr_reduce", "divisor")
_SCAN: Final = Skeleton("scan.c", "xr_scan")
_SCAN_TILE: Final = Skeleton("scan_tile.c", "xr_scan")


def _fold_defines(
    fold: Fold, last: bool, more: Sequence[str], form: Form | None = None
) -> list[str]:
    """The defines of a launch over an expression, or else over accumulators."""
    partial = form is None
    finish = fold.finish.replace("acc", "(acc)").replace("divisor", "a.divisor")
    lines = [
        "#define XR_POINTERS(parameter)"
        if form is None
        else f"#define XR_VALUE {fold.element.format(form.value(fold.taken))}",
        f"#define XR_WIDTH {WIDTH}",
        f"#define XR_BLOCK {BLOCK}",
        f"#define XR_PARTIAL {int(partial)}",
        f"#define XR_ACC {fold.accumulator}",
        f"#define XR_RESULT {fold.result.storage if last else 'XR_ACC'}",
        f"#define XR_FIRST(x, position) ({fold.first})",
        f"#define XR_STEP(acc, x, position, seen) ({fold.step})",
        f"#define XR_CLOSE(acc, seen) {fold.close}",
        f"#define XR_CLOSES {int(bool(fold.close) and not partial)}",
        f"#define XR_COMBINE(acc1, acc2) ({fold.combine})",
        f"#define XR_FINISH(acc) {stored(finish, fold.result) if last else '(acc)'}",
        _parameter("XR_SOURCE", "partial", partial),
    ]
    everything = tuple(name for name, _ in fold.fields)
    if not fold.fields:
        lines += [
            f"#define XR_LANES(count) {_array('XR_ACC', 'lanes_value')}",
            *_lane_access("", ("",), lambda name: "lanes_value", lambda name, acc: acc),
            *_lane_access("_CLOSED", ("",), lambda name: "lanes_value", lambda name, acc: acc),
        ]
    else:
        running = everything if partial or not fold.running else fold.running
        lines.append(
            define(
                "XR_LANES(count)",
                [_array(kind, f"lanes_{name}") for name, kind in fold.fields],
            )
        )
        for suffix, names in (("", running), ("_CLOSED", everything)):
            lines += _lane_access(
                suffix, names, lambda name: f"lanes_{name}", lambda name, acc: f"({acc}).{name}"
            )
    return [*lines, *more]


def _parameter(word: str, name: str, present: bool) -> str:
    """The list of one parameter, accumulators that are read, or of none."""
    given = f"parameter(GLOBAL const XR_ACC *RESTRICT, {name})"
    return f"#define {word}(parameter) {given if present else ''}"


def _array(kind: str, name: str) -> str:
    # The lanes of a reduction that lie across the lines of the cache cost it a third of its speed.
    return f"ALIGNED(128) {kind} {name}[count];"


def _lane_access(suffix: str, names: Sequence[str], array: Any, part: Any) -> list[str]:
    gets = " ".join(f"{part(name, 'acc')} = {array(name)}[lane];" for name in names)
    puts = " ".join(f"{array(name)}[lane] = {part(name, 'acc')};" for name in names)
    return [
        f"#define XR_GET{suffix}(acc, lane) {gets}",
        f"#define XR_PUT{suffix}(lane, acc) {puts}",
    ]


class _Walk(NamedTuple):
    """The elements of an expression, or accumulators, as (outer, position, inner)."""

    device: Device
    source: Input | Storage
    outer: int
    length: int
    inner: int

    def launch(
        self,
        skeleton: Skeleton,
        special: Special,
        grid: Grid,
        indices: dict[str, int],
        storages: list[Storage],
        number: tuple[DType, float] | None = None,
    ) -> None:
        """Launch a skeleton over what is walked."""
        source = self.source
        if not isinstance(source, Storage):
            skeleton.launch(special, grid, indices, storages, False, number, source)
            return
        extents = {
            "outer_extent": self.outer,
            "position_extent": self.length,
            "inner_extent": self.inner,
        }
        skeleton.launch(special, grid, {**indices, **extents}, [source, *storages], True, number)


def reduce(fold: Fold, node: Node, axes: tuple[int, ...], divisor: float = 0.0) -> Node:
    """Reduce sorted `axes` of a node of type `fold.value`; the leaf has the axes that are left."""
    device = node.device
    with device.lock:
        if not fold.ordered:
            node, axes = _in_memory_order(node, axes)
        kept = tuple(extent for axis, extent in enumerate(node.shape) if axis not in axes)
        shape = list(node.shape)
        storage: Storage | None = None
        while True:
            stop = axes[-1] + 1
            start = stop - 1
            while start > 0 and start - 1 in axes:
                start -= 1
            axes = tuple(axis for axis in axes if axis < start)
            outer = math.prod(shape[:start])
            length = math.prod(shape[start:stop])
            inner = math.prod(shape[stop:])
            while True:
                walk = _Walk(device, storage or (node, (start, stop)), outer, length, inner)
                pieces, *_ = cut = _cut(walk)
                storage = _pass(fold, walk, cut, divisor, last=not axes and pieces == 1)
                if pieces == 1:
                    break
                length = pieces
            del shape[start:stop]
            if not axes:
                return leaf(storage, layout.contiguous(kept), fold.result)


def _in_memory_order(node: Node, axes: tuple[int, ...]) -> tuple[Node, tuple[int, ...]]:
    """A leaf with its axes in the order of memory, where the kept axes keep their order."""
    where = node.layout
    if where is None or node.storage is None or where.linear:
        return node, axes
    order = sorted(range(len(node.shape)), key=lambda axis: -abs(where.strides[axis]))
    kept = [axis for axis in order if axis not in axes]
    if kept != sorted(kept):
        return node, axes
    permuted = leaf(node.storage, where.permuted(order), node.dtype)
    return permuted, tuple(place for place, axis in enumerate(order) if axis in axes)


def _cut(walk: _Walk) -> tuple[int, int, bool]:
    """How an axis is cut: the number of pieces, their length, and whether columns are walked."""
    _, source, outer, length, inner = walk
    if inner == 1 and (length > SHORT or isinstance(source, Storage)):
        return -(-length // PIECE), PIECE, False
    if length <= SHORT:
        return 1, length, True
    wanted = max(-(-length // _COLUMN_PIECE), _COLUMN_ITEMS // (outer * inner), 1)
    pieces = min(wanted, -(-length // 32))
    piece_length = -(-length // pieces)
    return -(-length // piece_length), piece_length, True


def _pass(
    fold: Fold, walk: _Walk, cut: tuple[int, int, bool], divisor: float, *, last: bool
) -> Storage:
    """One launch, to a new storage."""
    device, _, outer, length, inner = walk
    count, piece_length, column = cut
    itemsize = fold.result.itemsize if last else fold.nbytes
    result = engine.allocate(device, outer * count * inner * itemsize)
    lanes = device.info.chunked
    blocks = -(-inner // BLOCK) if column and lanes else 1
    items = outer * count * (blocks if lanes or not column else inner)
    grid, item_chunk = _grid(device, items, outer * length * inner, column)
    indices = {"items": items, "pieces": count, "piece_length": piece_length}
    if lanes:
        indices |= {"item_chunk": item_chunk, "blocks": blocks}
    form = (f"#define XR_COLUMN {int(column)}", f"#define XR_CHUNKED {int(lanes)}")
    special = (_fold_defines, fold, last, form)
    number = None if fold.divisor is None or not last else (fold.divisor, divisor)
    skeleton = _REDUCE_LANE if lanes else _REDUCE_GROUP
    walk.launch(skeleton, special, grid, indices, [result], number)
    return result


def scan(fold: Fold, node: Node, axis: int, shift: int) -> Node:
    """Running accumulators along an axis, `shift` elements from its start; the leaf of them."""
    shape = node.shape
    before, length, after = shape[:axis], shape[axis], shape[axis + 1 :]
    where = layout.contiguous((*before, length + shift, *after))
    device = node.device
    with device.lock:
        result = engine.allocate(device, where.size * fold.result.itemsize)
        source = (node, (axis, axis + 1))
        walk = _Walk(device, source, math.prod(before), length, math.prod(after))
        _scan(fold, walk, result, shift, last=True)
    return leaf(result, where, fold.result)


@garbage.postponed
def _scan(fold: Fold, walk: _Walk, result: Storage, shift: int, *, last: bool) -> None:
    device, _, outer, length, inner = walk
    count = -(-length // _SCAN_PIECE)
    items = outer * count * inner
    lanes = device.info.chunked
    indices = {
        "items": items,
        "pieces": count,
        "piece_length": _SCAN_PIECE,
        "length": length + shift,
        "shift": shift,
    }
    if inner == 1 and not lanes:
        skeleton = _SCAN_TILE
        grid: Grid = (min(-(-items // _SCAN_ITEMS), _SCAN_GROUPS),), (_SCAN_ITEMS,)
        span = _SCAN_SPAN_NBYTES // max(fold.nbytes, 4)
        form = [f"#define XR_PIECES {_SCAN_ITEMS}", f"#define XR_SPAN {span}"]
    else:
        skeleton = _SCAN
        grid, item_chunk = _grid(device, items, outer * length * inner, True)
        form = [f"#define XR_CHUNKED {int(lanes)}"]
        if lanes:
            indices["item_chunk"] = item_chunk
    carry: tuple[Storage, ...] = ()
    if count > 1:
        totals = engine.allocate(device, items * fold.nbytes)
        more = (*form, *_scan_defines(totals=True, carried=False))
        walk.launch(skeleton, (_fold_defines, fold, False, more), grid, indices, [totals])
        running = engine.allocate(device, items * fold.nbytes)
        _scan(fold, _Walk(device, totals, outer, count, inner), running, 0, last=False)
        carry = (running,)
    more = (*form, *_scan_defines(totals=False, carried=bool(carry)))
    walk.launch(skeleton, (_fold_defines, fold, last, more), grid, indices, [*carry, result])


def _scan_defines(*, totals: bool, carried: bool) -> list[str]:
    return [
        f"#define XR_TOTALS {int(totals)}",
        f"#define XR_CARRIED {int(carried)}",
        _parameter("XR_CARRY", "carry", carried),
    ]


def _grid(device: Device, items: int, size: int, column: bool) -> tuple[Grid, int]:
    """The grid, and how many items of work a core takes."""
    units = device.info.compute_units
    if device.info.chunked:
        tasks = max(1, min(units * 8, size // 4096, items))
        chunk = -(-items // tasks)
        return ((-(-items // chunk),), (1,)), chunk
    if column:
        return ((min(-(-items // engine.GROUP), units * engine.WAVES),), (engine.GROUP,)), 1
    return ((min(items, units * engine.WAVES),), (WIDTH,)), 1
