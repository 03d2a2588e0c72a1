"""Lower reductions and scans to launches.

A reduction walks the axes as (outer, position, inner), where `position` runs over the reduced axes.
It is cut into pieces, the pieces' accumulators are reduced again, and so on; separated reduced axes
are reduced one run after the other, the innermost first. The order of accumulation is fixed here by
the logical shape and the operand's own layout alone, never by the device:

- along a contiguous axis (inner = 1) a piece has `PIECE` elements and `WIDTH` lanes; lane l takes
  the elements l, l + WIDTH, ... in order, and a halving tree joins the lanes;
- along an outer axis a piece is a run of rows, taken in order.

The lane variant (CPU) and the group variant (GPU) of the kernels both keep this order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from xarr import tuning
from xarr.codegen.kernel_spec import KernelSpec
from xarr.codegen.launch import RESULT, Grid, Launch, ScratchBuffer
from xarr.ir.fold import Fold
from xarr.ir.operation import Operation, interned
from xarr.layout import Shape, power_of_two
from xarr.lowering import cuts, row_kernels
from xarr.lowering.accumulators import defines, folds_of, numbers, operations_of, shares
from xarr.lowering.operations import Epilogue, ReduceOp, Rows, ScanOp, Unrolled, last_run
from xarr.lowering.skeleton import Skeleton

if TYPE_CHECKING:
    from xarr.backends.device import Device

SCAN_PIECE: Final = 256
_REDUCE_LANE: Final = Skeleton("reduce_lane.c", "xr_reduce")
_REDUCE_GROUP: Final = Skeleton("reduce_group.c", "xr_reduce")
_SCAN: Final = Skeleton("scan.c", "xr_scan")
_SCAN_TILE: Final = Skeleton("scan_tile.c", "xr_scan")


def can_share_kernel(operation: Operation, others: Sequence[Operation]) -> bool:
    """Return whether one kernel may compute a reduction beside others, over the same shape."""
    if not isinstance(operation, ReduceOp):
        return False
    nbytes = operation.fold.nbytes
    for other in others:
        if not isinstance(other, ReduceOp) or other.axes != operation.axes:
            return False
        if other.fold.ordered or operation.fold.ordered:
            return False  # they compute more than they read
        nbytes += other.fold.nbytes
    return len(others) < tuning.FOLDS and nbytes <= tuning.FOLDS_NBYTES


def unrolled(operation: Operation, shape: Shape) -> Unrolled | None:
    """Return a reduction as an expression of few elements, or None where it is none."""
    if not isinstance(operation, ReduceOp):
        return None
    start, stop = operation.split
    is_short = start == operation.axes[0] and 1 < math.prod(shape[start:stop]) <= cuts.SHORT
    found = interned(operations_of, operation.fold) if is_short else None
    return None if found is None else Unrolled(start, stop, *found)


def columns(operation: Operation, shape: Shape) -> tuple[int, int]:
    """Count the axes behind those that a reduction reduces in order, and the columns along them."""
    if not isinstance(operation, ReduceOp):
        return 0, 0
    start, stop = operation.split
    is_long = math.prod(shape[start:stop]) > cuts.SHORT
    return (len(shape) - stop, math.prod(shape[stop:])) if is_long else (0, 0)


def rows_first(operation: ReduceOp, shape: Shape) -> Shape:
    """Return an order of axes in which those that a reduction keeps stand first, but the last one.

    () where the first axes are not reduced, or the last one has many columns. A GPU's item then
    reduces all columns of a row, so that what they share is computed once.
    """
    if not 1 < shape[-1] <= tuning.COLUMNS:
        return ()
    start, stop = operation.split
    last = len(shape) - 1
    return (*range(stop, last), *range(stop), last) if start == 0 and stop < last else ()


def row_nbytes(operation: Operation, length: int) -> int:
    """Count the bytes of local memory that reducing a row takes on a GPU."""
    if not isinstance(operation, ReduceOp):
        return 0
    return row_kernels.abreast(length) * operation.fold.nbytes


def row_length(operation: Operation, shape: Shape) -> int:
    """Return the length of the rows that a kernel of rows may reduce; 0 where none may."""
    if not isinstance(operation, ReduceOp):
        return 0
    start, stop = operation.split
    length = math.prod(shape[start:stop])
    is_row = start == operation.axes[0] and math.prod(shape[stop:]) == 1
    return length if is_row and cuts.SHORT < length <= cuts.PIECE else 0


def lower_rows(device: Device, work: Rows) -> Launch:
    """Return the launch of a kernel of rows."""
    parts = [one._replace(epilogue=one.epilogue and _of_folds(one.epilogue)) for one in work.parts]
    size = work.items * work.length
    grid, item_chunk = _grid(device, -(-work.items // work.rows_together), size, column=False)
    return row_kernels.rows_launch(device, work._replace(parts=tuple(parts)), grid, item_chunk)


def lower_reduction(
    operation: ReduceOp, device: Device, spec: KernelSpec, shape: Shape, epilogue: Epilogue
) -> tuple[list[Launch], list[ScratchBuffer]]:
    """Return the launches of reductions of the same axes, and the memory between them."""
    epilogue = _of_folds(epilogue)
    folds = folds_of(epilogue)
    axes, extents = operation.axes, list(shape)
    launches: list[Launch] = []
    scratch: list[ScratchBuffer] = []
    source: KernelSpec | None = spec
    while axes:
        start, stop = last_run(axes), axes[-1] + 1
        axes = tuple(axis for axis in axes if axis < start)
        outer = math.prod(extents[:start])
        length = math.prod(extents[start:stop])
        behind = extents[stop:]
        inner = math.prod(behind)
        del extents[start:stop]
        while True:
            pieces, *_ = cut = cuts.cut_axis(outer, length, behind, is_first=source is not None)
            if source is not None:  # whose rows may stand first
                outer, inner = math.prod(source.extents[0]), math.prod(source.extents[-1])
            last = not axes and pieces == 1
            walk = _Walk(device, source, outer, length, inner)
            launches.append(_pass(folds, epilogue if last else None, walk, cut, len(scratch)))
            source = None
            if not last:
                scratch += [outer * pieces * inner * fold.nbytes for fold in folds]
            if pieces == 1:
                break
            length = pieces
    return launches, scratch


def _of_folds(epilogue: Epilogue) -> Epilogue:
    """Replace the reductions of an epilogue by their folds."""
    entries = [
        (one.fold if isinstance(one, ReduceOp) else one, *ats) for one, *ats in epilogue.entries
    ]
    return epilogue._replace(entries=tuple(entries))


class _Walk(NamedTuple):
    """The elements of a spec, or accumulators, as (outer, position, inner)."""

    device: Device
    spec: KernelSpec | None
    outer: int
    length: int
    inner: int


def _pass(
    folds: tuple[Fold, ...],
    epilogue: Epilogue | None,
    walk: _Walk,
    cut: tuple[int, int, bool],
    buffer: int,
) -> Launch:
    """Return one launch over a spec's elements, or over accumulators in the last buffers.

    It stores accumulators, of each fold from buffer `buffer` on, or else runs the `epilogue`.
    """
    device, spec, outer, length, inner = walk
    count, piece_length, column = cut
    lanes = device.info.loop_per_item
    shares_values = inner <= tuning.COLUMNS and spec is not None and spec.has_row_invariants()
    block = tuning.BLOCK if lanes else inner if shares_values else 1
    blocks = -(-inner // block) if column else 1
    items = outer * count * blocks
    grid, item_chunk = _grid(device, items, outer * length * inner, column)
    indices = {"items": items, "pieces": count, "piece_length": piece_length, "blocks": blocks}
    if lanes:
        indices["item_chunk"] = item_chunk
    if spec is None:
        indices |= {"outer_extent": outer, "position_extent": length, "inner_extent": inner}
    how = [
        f"#define XR_COLUMN {int(column)}",
        f"#define XR_CHUNKED {int(lanes)}",
        f"#define XR_BLOCK {block}",
        f"#define XR_ROWS_ABREAST {int(blocks == 1 and spec is not None and spec.is_of_pairs())}",
    ]
    if not lanes:
        how += shares(folds, spec, column)
    special = (_column_defines if column else defines, folds, epilogue, tuple(how))
    own = numbers(epilogue) if epilogue is not None else []
    skeleton = _REDUCE_LANE if lanes else _REDUCE_GROUP
    kernel = skeleton.kernel(device, special, tuple(indices), spec, own, wide=True)
    read = () if spec is not None else range(buffer - len(folds), buffer)
    count = len(folds) if epilogue is None else len(epilogue.stored)
    written = range(buffer, buffer + count) if epilogue is None else range(-count, 0)
    elements = outer * length * inner
    return Launch(
        kernel,
        grid,
        elements,
        tuple(indices.values()),
        (*read, *written),
        takes_spec=spec is not None,
        takes_numbers=bool(own),
        written=len(written),
    )


def _column_defines(
    folds: tuple[Fold, ...],
    epilogue: Epilogue | None,
    more: Sequence[str],
    spec: KernelSpec | None = None,
) -> list[str]:
    """Return the defines of a launch over columns; see `accumulators.defines`."""
    return [*defines(folds, epilogue, more, spec), *(spec.by_columns() if spec is not None else [])]


def lower_scan(
    operation: ScanOp, device: Device, spec: KernelSpec, shape: Shape, epilogue: Epilogue
) -> tuple[list[Launch], list[ScratchBuffer]]:
    """Return the launches of a scan, and the memory between them."""
    axis = operation.axis
    outer, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    scratch: list[ScratchBuffer] = []
    walk = _Walk(device, spec, outer, shape[axis], inner)
    return _scan(operation.fold, walk, scratch, RESULT, operation.shift), scratch


def _scan(
    fold: Fold,
    walk: _Walk,
    scratch: list[ScratchBuffer],
    source: int,
    shift: int,
    result: int = RESULT,
) -> list[Launch]:
    """Lower one scan level: totals of pieces, a scan of these, each piece from its carry."""
    device, spec, outer, length, inner = walk
    count = -(-length // SCAN_PIECE)
    items = outer * count * inner
    lanes = device.info.loop_per_item
    indices = {"pieces": count, "length": length + shift, "shift": shift}
    if inner == 1 and not lanes:
        skeleton = _SCAN_TILE
        span = min(power_of_two(length), SCAN_PIECE)
        rows = tuning.SCAN_TILE_NBYTES // max(fold.nbytes, 4) // span
        most = min(power_of_two(max(rows, 1)), tuning.SCAN_ITEMS)
        pieces = min(most, power_of_two(count))  # of a line that a group takes
        abreast = most if outer > 1 else pieces
        in_one, blocks = 1 < count <= pieces, -(-count // pieces)
        width = min(tuning.SCAN_ITEMS, abreast * span)
        grid: Grid = ((-(-outer * pieces // abreast) * blocks,), (width,))
        indices |= {"lines": outer, "blocks": blocks}
        how = [
            f"#define XR_ITEMS {width}",
            f"#define XR_PIECES {abreast}",
            f"#define XR_LINE_PIECES {pieces}",
            f"#define XR_PIECE_LENGTH {SCAN_PIECE}",
            f"#define XR_SPAN {span}",
            f"#define XR_IN_ONE {int(in_one)}",
        ]
    else:
        skeleton = _SCAN
        indices = {"items": items, "piece_length": SCAN_PIECE, **indices}
        grid, item_chunk = _grid(device, items, outer * length * inner, True)
        in_one = lanes and inner == 1 and grid[0] == (1,) and 1 < count <= SCAN_PIECE
        how = [f"#define XR_CHUNKED {int(lanes)}", f"#define XR_IN_ONE {int(in_one)}"]
        if lanes:
            indices["item_chunk"] = item_chunk
    if spec is None:
        indices |= {"outer_extent": outer, "position_extent": length, "inner_extent": inner}

    def stage(*own: int, totals: bool, last: bool) -> Launch:
        more = (*how, *_scan_defines(totals=totals, carried=len(own) > 1))
        epilogue = Epilogue(((fold,),), (0,)) if last else None
        special = (defines, (fold,), epilogue, more)
        kernel = skeleton.kernel(device, special, tuple(indices), spec, wide=True)
        given = own if spec is not None else (source, *own)
        return Launch(
            kernel, grid, outer * length * inner, tuple(indices.values()), given, spec is not None
        )

    if count == 1 or in_one:
        return [stage(result, totals=False, last=result == RESULT)]
    totals, running = len(scratch), len(scratch) + 1
    scratch += [items * fold.nbytes] * 2
    over = _Walk(device, None, outer, count, inner)
    return [
        stage(totals, totals=True, last=False),
        *_scan(fold, over, scratch, totals, 0, running),
        stage(running, result, totals=False, last=result == RESULT),
    ]


def _scan_defines(*, totals: bool, carried: bool) -> list[str]:
    carry = "parameter(GLOBAL const XR_ACC *RESTRICT, carry)" if carried else ""
    return [
        f"#define XR_TOTALS {int(totals)}",
        f"#define XR_CARRIED {int(carried)}",
        f"#define XR_CARRY(parameter) {carry}",
    ]


def _grid(device: Device, items: int, size: int, column: bool) -> tuple[Grid, int]:
    """Return the grid, and how many items of work a core takes."""
    units = device.info.compute_units
    if device.info.loop_per_item:
        tasks = max(1, min(units * 8, size // 4096, items))
        chunk = -(-items // tasks)
        return ((-(-items // chunk),), (1,)), chunk
    if column:
        is_full = items >= units * tuning.RESIDENT * tuning.GROUP
        width = tuning.GROUP if is_full else tuning.SMALL_GROUP
        return ((min(-(-items // width), units * tuning.WAVES),), (width,)), 1
    return ((min(items, units * tuning.WAVES),), (cuts.WIDTH,)), 1
