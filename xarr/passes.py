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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from xarr import engine, garbage, layout
from xarr.dtypes import DType
from xarr.expression import Node, leaf
from xarr.plan import Plan, argument_defines, argument_format, cast, stored
from xarr.source import define
from xarr.storage import Storage

if TYPE_CHECKING:
    from xarr.device import Device

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
_NAMES: Final = ("outer", "position", "inner")


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """What is accumulated, in C, specialised for data types; one object for each.

    `first`, `step` and `close` may use `x` (the element), `acc`, `position` and `seen` (the number
    of elements so far, this one included); `combine` uses `acc1` and `acc2`; `finish` uses `acc`
    and `divisor`. An accumulator is a plain value, or a structure with `fields` (name, C type).
    """

    name: str
    value: DType
    accumulator: str
    nbytes: int
    result: DType
    first: str
    step: str
    combine: str
    close: str
    finish: str
    fields: tuple[tuple[str, str], ...] = ()
    running: tuple[str, ...] = ()
    divisor: DType | None = None
    ordered: bool = False

    def defines(self, *, partial: bool, last: bool) -> list[str]:
        """The defines that specialise `fold.h` and the skeletons."""
        finish = self.finish.replace("acc", "(acc)").replace("divisor", "a.divisor")
        lines = [
            f"#define XR_WIDTH {WIDTH}",
            f"#define XR_BLOCK {BLOCK}",
            f"#define XR_PARTIAL {int(partial)}",
            f"#define XR_ACC {self.accumulator}",
            f"#define XR_RESULT {self.result.storage if last else 'XR_ACC'}",
            f"#define XR_FIRST(x, position) ({self.first})",
            f"#define XR_STEP(acc, x, position, seen) ({self.step})",
            f"#define XR_CLOSE(acc, seen) {self.close}",
            f"#define XR_CLOSES {int(bool(self.close) and not partial)}",
            f"#define XR_COMBINE(acc1, acc2) ({self.combine})",
            f"#define XR_FINISH(acc) {stored(finish, self.result) if last else '(acc)'}",
            _parameter("XR_SOURCE", "partial", partial),
        ]
        everything = tuple(name for name, _ in self.fields)
        if not self.fields:
            lines += [
                f"#define XR_LANES(count) {_array('XR_ACC', 'lanes_value')}",
                *_lane_access("", ("",), lambda name: "lanes_value", lambda name, acc: acc),
                *_lane_access("_CLOSED", ("",), lambda name: "lanes_value", lambda name, acc: acc),
            ]
        else:
            running = everything if partial or not self.running else self.running
            lines.append(
                define(
                    "XR_LANES(count)",
                    [_array(kind, f"lanes_{name}") for name, kind in self.fields],
                )
            )
            for suffix, names in (("", running), ("_CLOSED", everything)):
                lines += _lane_access(
                    suffix, names, lambda name: f"lanes_{name}", lambda name, acc: f"({acc}).{name}"
                )
        return lines


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
                pieces, piece_length, column = _pieces(outer, length, inner, storage is None)
                last = not axes and pieces == 1
                storage = _pass(
                    fold, device, node, (start, stop), storage, (outer, length, inner),
                    (pieces, piece_length), divisor, column=column, last=last,
                )  # fmt: skip
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


def _pieces(outer: int, length: int, inner: int, first: bool) -> tuple[int, int, bool]:
    """How an axis is cut: the number of pieces, their length, and whether columns are walked."""
    if inner == 1 and (length > SHORT or not first):
        return -(-length // PIECE), PIECE, False
    if length <= SHORT:
        return 1, length, True
    wanted = max(-(-length // _COLUMN_PIECE), _COLUMN_ITEMS // (outer * inner), 1)
    pieces = min(wanted, -(-length // 32))
    piece_length = -(-length // pieces)
    return -(-length // piece_length), piece_length, True


def _pass(
    fold: Fold,
    device: Device,
    node: Node,
    run: tuple[int, int],
    source: Storage | None,
    extents: tuple[int, int, int],
    pieces: tuple[int, int],
    divisor: float,
    *,
    column: bool,
    last: bool,
) -> Storage:
    """One launch: from the expression, or from the accumulators in `source`, to a new storage."""
    outer, _, inner = extents
    count, piece_length = pieces
    itemsize = fold.result.itemsize if last else fold.nbytes
    result = engine.allocate(device, outer * count * inner * itemsize)
    lanes = device.info.chunked
    blocks = -(-inner // BLOCK) if column and lanes else 1
    items = outer * count * (blocks if lanes or not column else inner)
    grid, group, item_chunk = _grid(device, items, math.prod(extents), lanes, column)
    own = {"items": items, "pieces": count, "piece_length": piece_length}
    if lanes:
        own |= {"item_chunk": item_chunk, "blocks": blocks}
    skeleton = "reduce_lane.c" if lanes else "reduce_group.c"
    extra = [f"#define XR_COLUMN {int(column)}", f"#define XR_CHUNKED {int(lanes)}"]
    _launch(
        fold, device, node, run, source, result, extents, own, divisor, skeleton, "xr_reduce",
        extra, (), grid, group, last=last,
    )  # fmt: skip
    return result


def scan(fold: Fold, node: Node, axis: int, shift: int) -> Node:
    """Running accumulators along an axis, `shift` elements from its start; the leaf of them."""
    device = node.device
    shape = node.shape
    extents = (math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :]))
    where = layout.contiguous((*shape[:axis], shape[axis] + shift, *shape[axis + 1 :]))
    with device.lock:
        result = engine.allocate(device, where.size * fold.result.itemsize)
        _scan(fold, device, node, (axis, axis + 1), None, result, extents, shift, last=True)
    return leaf(result, where, fold.result)


@garbage.postponed
def _scan(
    fold: Fold,
    device: Device,
    node: Node,
    run: tuple[int, int],
    source: Storage | None,
    result: Storage,
    extents: tuple[int, int, int],
    shift: int,
    *,
    last: bool,
) -> None:
    outer, length, inner = extents
    count = -(-length // _SCAN_PIECE)
    items = outer * count * inner
    lanes = device.info.chunked
    own = {
        "items": items,
        "pieces": count,
        "piece_length": _SCAN_PIECE,
        "length": length + shift,
        "shift": shift,
    }
    if inner == 1 and not lanes:
        skeleton = "scan_tile.c"
        grid, group = (min(-(-items // _SCAN_ITEMS), _SCAN_GROUPS),), (_SCAN_ITEMS,)
        span = _SCAN_SPAN_NBYTES // max(fold.nbytes, 4)
        form = [f"#define XR_PIECES {_SCAN_ITEMS}", f"#define XR_SPAN {span}"]
    else:
        skeleton = "scan.c"
        grid, group, item_chunk = _grid(device, items, math.prod(extents), lanes, True)
        form = [f"#define XR_CHUNKED {int(lanes)}"]
        if lanes:
            own["item_chunk"] = item_chunk
    carry: tuple[Storage, ...] = ()
    if count > 1:
        totals = engine.allocate(device, items * fold.nbytes)
        _launch(
            fold, device, node, run, source, totals, extents, own, 0.0, skeleton, "xr_scan",
            [*form, *_scan_defines(totals=True, carried=False)], (), grid, group, last=False,
        )  # fmt: skip
        running = engine.allocate(device, items * fold.nbytes)
        _scan(fold, device, node, run, totals, running, (outer, count, inner), 0, last=False)
        carry = (running,)
    _launch(
        fold, device, node, run, source, result, extents, own, 0.0, skeleton, "xr_scan",
        [*form, *_scan_defines(totals=False, carried=bool(carry))], carry, grid, group, last=last,
    )  # fmt: skip


def _scan_defines(*, totals: bool, carried: bool) -> list[str]:
    return [
        f"#define XR_TOTALS {int(totals)}",
        f"#define XR_CARRIED {int(carried)}",
        _parameter("XR_CARRY", "carry", carried),
    ]


def _grid(
    device: Device, items: int, size: int, lanes: bool, column: bool
) -> tuple[tuple[int], tuple[int], int]:
    """Groups, items of a group, and how many items of work a core takes."""
    units = device.info.compute_units
    if lanes:
        tasks = max(1, min(units * 8, size // 4096, items))
        chunk = -(-items // tasks)
        return (-(-items // chunk),), (1,), chunk
    if column:
        return (min(-(-items // engine.GROUP), units * engine.WAVES),), (engine.GROUP,), 1
    return (min(items, units * engine.WAVES),), (WIDTH,), 1


@garbage.postponed
def _launch(
    fold: Fold,
    device: Device,
    node: Node,
    run: tuple[int, int],
    source: Storage | None,
    result: Storage,
    extents: tuple[int, int, int],
    own: dict[str, int],
    divisor: float,
    skeleton: str,
    entry: str,
    extra: list[str],
    more: tuple[Storage, ...],
    grid: tuple[int, ...],
    group: tuple[int, ...],
    *,
    last: bool,
) -> None:
    """Launch a skeleton over the expression, or over accumulators."""
    tail: list[str] = []
    values: list[Any] = []
    letters = ""
    if fold.divisor is not None and last:
        tail, values = [f"{fold.divisor.compute} divisor;"], [divisor]
        letters = fold.divisor.format
    plan: Plan | None = None
    stores: list[Any] = []
    if source is None:
        plan, stores = engine.prepare(node, node.shape, keep=node.wanted(), split=run, names=_NAMES)
        for observer in engine.counts.observers:
            observer(skeleton, plan)
        names = tuple(own)
        storages = plan.storages
        numbers = (*own.values(), *plan.values(), *values)
        structure: Any = plan.form.key
    else:
        sizes = dict(zip(("outer_extent", "position_extent", "inner_extent"), extents, strict=True))
        names = (*own, *sizes)
        storages = [source]
        numbers = (*own.values(), *sizes.values(), *values)
        structure = None

    def describe() -> tuple[list[str], str]:
        if plan is None:
            defines = [*argument_defines(names, tail, wide=True), "#define XR_POINTERS(parameter)"]
            arguments = argument_format(len(names), letters, wide=True)
        else:
            form, position = plan.form, plan.position[id(node)]
            wanted = cast(f"v{position}", form.type_of(position), fold.value)
            defines = [*form.defines(names, tail), f"#define XR_VALUE {wanted}"]
            arguments = form.arguments(names, letters)
        defines += fold.defines(partial=plan is None, last=last)
        return defines + extra, arguments

    engine.launch(
        device,
        skeleton,
        entry,
        (fold, structure, last, *extra),
        describe,
        [*storages, *more, result],
        numbers,
        grid,
        group,
    )
    if plan is not None:
        engine.finish(plan, stores)
