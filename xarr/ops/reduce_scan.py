"""How a reduction or a scan becomes launches.

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
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy

from xarr import dtypes, tuning
from xarr.codegen.kernel_spec import KernelSpec
from xarr.codegen.launch import RESULT, Launch, ScratchBuffer
from xarr.dtypes import INTEGER
from xarr.ir.instructions import Opcode
from xarr.ir.operation import Operation
from xarr.ir.views import View, constant, storage_view
from xarr.layout import Shape, power_of_two
from xarr.ops import row_kernels
from xarr.ops.accumulators import (
    COLUMN_PIECE,
    PIECE,
    WIDTH,
    defines,
    folds_of,
    numbers,
    operations_of,
    shares,
)
from xarr.ops.rows import Fold, Joined
from xarr.ops.skeleton import NAMES, Skeleton
from xarr.runtime import host_folds, host_functions
from xarr.scheduler.instructions import DeferredTemplateOp, Epilogue, Rows, Unrolled
from xarr.tape import builder
from xarr.tape.builder import Grid
from xarr.tape.tape import IS_COMPILED

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.dtypes import DType

SHORT: Final = 16
"""Up to this many elements an axis is reduced in order, by one item."""
_COLUMN_ITEMS: Final = 1 << 17
_SCAN_PIECE: Final = 256
_REDUCE_LANE: Final = Skeleton("reduce_lane.c", "xr_reduce")
_REDUCE_GROUP: Final = Skeleton("reduce_group.c", "xr_reduce")
_SCAN: Final = Skeleton("scan.c", "xr_scan")
_SCAN_TILE: Final = Skeleton("scan_tile.c", "xr_scan")


class _Reduction(DeferredTemplateOp):
    """The reduction of some axes."""

    __slots__ = ("axes", "fold")

    def __init__(self, fold: Fold, axes: tuple[int, ...]) -> None:
        stop = axes[-1] + 1
        super().__init__(fold.name, fold.result, (_start(axes), stop), NAMES, False)
        self.fold = fold
        self.axes = axes

    accepts_epilogue = True

    def can_share_kernel(self, others: Sequence[Operation]) -> bool:
        nbytes = self.fold.nbytes
        for other in others:
            if not isinstance(other, _Reduction) or other.axes != self.axes:
                return False
            if other.fold.ordered or self.fold.ordered:
                return False  # they compute more than they read
            nbytes += other.fold.nbytes
        return len(others) < tuning.FOLDS and nbytes <= tuning.FOLDS_NBYTES

    def on_host(self, given: DType) -> Callable[..., Any] | None:
        fold = self.fold
        steps = [(given, fold.taken), (fold.taken, fold.value), (fold.value, fold.result)]
        taken, element, result = [host_functions.converter(*types) for types in steps]
        joined, along = fold.joined, fold.along
        if joined is None and fold.host is not None:
            joined = _plain_accumulation(fold.host)
        if joined is None:
            result = host_functions.converter(
                fold.result, fold.result
            )  # places are of that type already
        if taken is None or element is None or result is None:
            return None
        quick = self._loop()
        is_one_run = _start(self.axes) == self.axes[0]
        if joined is None and (along is None or not is_one_run):
            return None

        def reduced(x: Any, *numbers: Any) -> Any:
            x = element(taken(x))
            is_all = quick is not None and x.ndim == len(self.axes) and x.flags.c_contiguous
            if quick is not None and is_all and x.size <= host_folds.MOST:
                found = quick(x.reshape(-1))
                return joined.finish((found,), *numbers) if along is None and joined else found
            if along is None or not is_one_run:
                assert joined is not None
                found = joined.finish(_reduced(joined, x, self.axes), *numbers)
            else:
                first, stop = self.axes[0], self.axes[-1] + 1
                length = math.prod(x.shape[first:stop])
                found = along(x.reshape(*x.shape[:first], length, *x.shape[stop:]), axis=first)
            return result(found)

        return reduced

    def _loop(self) -> Callable[[Any], Any] | None:
        """Return the compiled loop over all elements of float64; None if the fold has none."""
        fold = self.fold
        if not IS_COMPILED or not fold.taken is fold.value is fold.result is dtypes.float64:
            return None
        if fold.along in (host_functions.largest, host_functions.smallest):
            sign = 1.0 if fold.along is host_functions.largest else -1.0
            return lambda x: host_folds.largest(x, sign)
        return host_folds.total if fold.along is None and fold.host is numpy.add else None

    def unrolled(self, shape: Shape) -> Unrolled | None:
        start, stop = _start(self.axes), self.axes[-1] + 1
        found = operations_of(self.fold)
        is_short = start == self.axes[0] and 1 < math.prod(shape[start:stop]) <= SHORT
        return Unrolled(start, stop, *found) if is_short and found is not None else None

    def columns(self, shape: Shape) -> tuple[int, int]:
        start, stop = _start(self.axes), self.axes[-1] + 1
        is_long = math.prod(shape[start:stop]) > SHORT
        return (len(shape) - stop, math.prod(shape[stop:])) if is_long else (0, 0)

    def row_nbytes(self, length: int) -> int:
        return row_kernels.abreast(length) * self.fold.nbytes

    def row_length(self, shape: Shape) -> int:
        start, stop = _start(self.axes), self.axes[-1] + 1
        length = math.prod(shape[start:stop])
        is_row = start == self.axes[0] and math.prod(shape[stop:]) == 1
        return length if is_row and SHORT < length <= PIECE else 0

    def rows(self, device: Device, work: Rows) -> Launch:
        parts = [
            one._replace(epilogue=one.epilogue and _of_folds(one.epilogue)) for one in work.parts
        ]
        size = work.items * work.length
        grid, item_chunk = _grid(device, -(-work.items // work.rows_together), size, column=False)
        return row_kernels.rows_launch(device, work._replace(parts=tuple(parts)), grid, item_chunk)

    def launches(
        self, device: Device, spec: KernelSpec, shape: Shape, epilogue: Epilogue
    ) -> tuple[list[Launch], list[ScratchBuffer]]:
        epilogue = _of_folds(epilogue)
        folds = folds_of(epilogue)
        axes, extents = self.axes, list(shape)
        launches: list[Launch] = []
        scratch: list[ScratchBuffer] = []
        source: KernelSpec | None = spec
        while axes:
            start, stop = _start(axes), axes[-1] + 1
            axes = tuple(axis for axis in axes if axis < start)
            outer = math.prod(extents[:start])
            length = math.prod(extents[start:stop])
            inner = math.prod(extents[stop:])
            del extents[start:stop]
            while True:
                pieces, *_ = cut = _cut(outer, length, inner, is_first=source is not None)
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
        (one.fold if isinstance(one, _Reduction) else one, *ats) for one, *ats in epilogue.entries
    ]
    return epilogue._replace(entries=tuple(entries))


def _plain_accumulation(combine: Callable[..., Any]) -> Joined:
    """Return the accumulation of plain values by a NumPy function of two."""
    return Joined(
        lambda x: (x.copy(),),
        lambda acc, x, seen: (combine(acc[0], x),),
        lambda one, other: (combine(one[0], other[0]),),
        lambda acc, *divisors: _divide(acc[0], *divisors) if divisors else acc[0],
        combine if isinstance(combine, numpy.ufunc) else None,
    )


def _divide(x: Any, divisor: Any) -> Any:
    """Divide by a real number; a complex number part by part."""
    if x.dtype.kind != "c":
        return x / divisor
    result = numpy.empty_like(x)
    result.real, result.imag = x.real / divisor, x.imag / divisor
    return result


_Parts = tuple[Any, ...]
"""An accumulator, for each of many places: an array for each of its members."""


def _reduced(how: Joined, x: Any, axes: tuple[int, ...]) -> _Parts:
    """Reduce axes with NumPy, in the order of the kernels."""
    shape = list(x.shape)
    work = _HostPass(
        lambda parts: how.first(parts[0]), lambda acc, more, seen: how.step(acc, more[0], seen), how
    )
    parts: _Parts = (x,)
    is_first = True
    while axes:
        start, stop = _start(axes), axes[-1] + 1
        axes = tuple(axis for axis in axes if axis < start)
        outer, inner = math.prod(shape[:start]), math.prod(shape[stop:])
        length = math.prod(shape[start:stop])
        del shape[start:stop]
        while True:
            pieces, piece_length, column = _cut(outer, length, inner, is_first=is_first)
            parts = tuple([part.reshape(outer, length, inner) for part in parts])
            if column:
                parts = work.in_order(parts, piece_length)
            else:
                parts = work.by_lanes(tuple([part[..., 0] for part in parts]))
            work = _HostPass(_copies, lambda acc, more, _: how.combine(acc, more), how)
            is_first = False
            if pieces == 1:
                break
            length = pieces
    return tuple([part.reshape(shape) for part in parts])


def _copies(parts: _Parts) -> _Parts:
    return tuple([part.copy() for part in parts])


def _write(parts: _Parts, values: _Parts) -> None:
    for part, value in zip(parts, values, strict=True):
        part[...] = value


def _down(ufunc: numpy.ufunc, x: Any) -> Any:
    """Join the rows of (outer, piece, row, inner), one after the other."""
    first: dict[str, Any] = {}
    if ufunc is numpy.add and x.dtype.kind in "fc":
        # NumPy begins with 0, to which -0 would be added.
        first["initial"] = -0.0 if x.dtype.kind == "f" else complex(-0.0, -0.0)
    return ufunc.reduce(x, axis=2, dtype=x.dtype, **first)


class _HostPass(NamedTuple):
    """One pass of a reduction by NumPy: how accumulators begin, and take more elements."""

    first: Callable[[_Parts], _Parts]
    step: Callable[[_Parts, _Parts, int], _Parts]
    how: Joined

    def in_order(self, parts: _Parts, length: int) -> _Parts:
        """Accumulate each piece of rows of (outer, position, inner) in order."""
        outer, count, inner = parts[0].shape
        ufunc = self.how.ufunc
        if ufunc is not None and count <= length and inner == 1:
            (x,) = parts
            return (ufunc.accumulate(x, axis=1, dtype=x.dtype)[:, -1:],)
        if ufunc is not None and inner > 1 and parts[0].flags.c_contiguous:
            # Along any axis but the last NumPy adds row after row.
            (x,) = parts
            whole = count // length * length
            pieces = x[:, :whole].reshape(outer, -1, length, inner)
            found = _down(ufunc, pieces)
            if whole < count:
                rest = _down(ufunc, x[:, None, whole:])
                found = numpy.concatenate([found, rest], axis=1) if whole else rest
            return (found,)
        total = self.first(tuple([part[:, ::length] for part in parts]))
        for row in range(1, min(length, count)):
            rows = tuple([part[:, row::length] for part in parts])
            some = tuple([part[:, : rows[0].shape[1]] for part in total])
            _write(some, self.step(some, rows, row + 1))
        return total

    def by_lanes(self, parts: _Parts) -> _Parts:
        """Accumulate each piece of the rows of (outer, position) lane by lane."""
        outer, length = parts[0].shape
        whole = length // PIECE * PIECE
        found = []
        if whole:
            pieces = tuple([part[:, :whole].reshape(outer, -1, PIECE) for part in parts])
            found.append(self._join_lanes(pieces))
        if whole < length:
            found.append(self._join_lanes(tuple([part[:, None, whole:] for part in parts])))
        return tuple([numpy.concatenate(ones, axis=1) for ones in zip(*found, strict=True)])

    def _join_lanes(self, pieces: _Parts) -> _Parts:
        """Join the lanes of pieces of equal length, (outer, piece, position)."""
        outer, count, length = pieces[0].shape
        active = min(length, WIDTH)
        whole = length // WIDTH * WIDTH
        ufunc = self.how.ufunc
        begin = WIDTH
        if ufunc is not None and whole > WIDTH and pieces[0].strides[-1] == pieces[0].itemsize:
            steps = pieces[0][..., :whole].reshape(outer, count, -1, WIDTH)
            # Row after row, as above.
            lanes: _Parts = (_down(ufunc, steps),)
            begin = whole
        else:
            lanes = self.first(tuple([part[..., :active] for part in pieces]))
        for base in range(begin, length, WIDTH):
            more = tuple([part[..., base : base + WIDTH] for part in pieces])
            some = tuple([part[..., : more[0].shape[2]] for part in lanes])
            _write(some, self.step(some, more, base // WIDTH + 1))
        reach = WIDTH // 2
        while reach:
            pairs = min(active - reach, reach)
            if pairs > 0 and ufunc is not None:
                (part,) = lanes
                low = part[..., :pairs]
                ufunc(low, part[..., reach : reach + pairs], out=low)
            elif pairs > 0:
                some = tuple([part[..., :pairs] for part in lanes])
                high = tuple([part[..., reach : reach + pairs] for part in lanes])
                _write(some, self.how.combine(some, high))
            reach //= 2
        return tuple([part[..., :1].reshape(outer, count) for part in lanes])


def _start(axes: tuple[int, ...]) -> int:
    """Return where the last run of consecutive axes begins."""
    start = axes[-1]
    while start > 0 and start - 1 in axes:
        start -= 1
    return start


_REDUCTIONS: Final[dict[tuple[Fold, tuple[int, ...]], _Reduction]] = {}


def reduce(fold: Fold, view: View, axes: tuple[int, ...], divisor: float = 0.0) -> View:
    """Reduce sorted `axes` of a view of type `fold.value`; the view has the axes that are left."""
    return builder.computed(*reduction(fold, view, axes, divisor))


def reduction(
    fold: Fold, view: View, axes: tuple[int, ...], divisor: float = 0.0
) -> tuple[Opcode, tuple[View, ...]]:
    """Return the opcode of a reduction, and its operands."""
    if not fold.ordered:
        view, axes = _in_memory_order(view, axes)
    kept = tuple([extent for axis, extent in enumerate(view.shape) if axis not in axes])
    operation = _REDUCTIONS.get((fold, axes))
    if operation is None:
        operation = _REDUCTIONS[fold, axes] = _Reduction(fold, axes)
    inputs: tuple[View, ...] = (view,)
    if fold.divisor is not None:
        inputs = (view, constant(divisor, fold.divisor, (), view.device))
    return builder.skeletal(operation, inputs, kept), inputs


def _in_memory_order(view: View, axes: tuple[int, ...]) -> tuple[View, tuple[int, ...]]:
    """Permute a view's axes into the order of memory, if the kept axes keep their order."""
    where = view.layout
    if where is None or view.storage is None or where.linear:
        return view, axes
    order = sorted(range(len(view.shape)), key=lambda axis: -abs(where.strides[axis]))
    kept = [axis for axis in order if axis not in axes]
    if kept != sorted(kept) or order == sorted(order):
        return view, axes
    permuted = storage_view(view.storage, where.permuted(order), view.dtype)
    return permuted, tuple(place for place, axis in enumerate(order) if axis in axes)


def _cut(outer: int, length: int, inner: int, *, is_first: bool) -> tuple[int, int, bool]:
    """Cut an axis; return the number of pieces, their length, and whether columns are walked."""
    if inner == 1 and (length > SHORT or not is_first):
        return -(-length // PIECE), PIECE, False
    if length <= SHORT:
        return 1, length, True
    wanted = max(-(-length // COLUMN_PIECE), _COLUMN_ITEMS // (outer * inner), 1)
    pieces = min(wanted, -(-length // 32))
    piece_length = -(-length // pieces)
    return -(-length // piece_length), piece_length, True


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


class _Scan(DeferredTemplateOp):
    """The running accumulators along an axis, `shift` elements from its start."""

    __slots__ = ("axis", "fold", "shift")

    single_pass = False

    def __init__(self, fold: Fold, axis: int, shift: int) -> None:
        super().__init__(fold.name, fold.result, (axis, axis + 1), NAMES, False)
        self.fold = fold
        self.axis = axis
        self.shift = shift

    def on_host(self, given: DType) -> Callable[..., Any] | None:
        fold, axis = self.fold, self.axis
        element = host_functions.converter(fold.taken, fold.value)
        taken = host_functions.converter(given, fold.taken)
        if self.shift or taken is None or element is None:
            return None
        along = fold.along
        if along is None and fold.value.kind in INTEGER and isinstance(fold.host, numpy.ufunc):
            along = fold.host.accumulate  # which is the same in any order
        if along is None and fold.host is numpy.add and fold.taken is fold.value is dtypes.float64:
            along = _running_sums
        return None if along is None else lambda x: along(element(taken(x)), axis=axis)

    def launches(
        self, device: Device, spec: KernelSpec, shape: Shape, epilogue: Epilogue
    ) -> tuple[list[Launch], list[ScratchBuffer]]:
        axis = self.axis
        outer, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
        scratch: list[ScratchBuffer] = []
        walk = _Walk(device, spec, outer, shape[axis], inner)
        return _scan(self.fold, walk, scratch, RESULT, self.shift), scratch


def _running_sums(x: Any, axis: int) -> Any:
    """Return the running sums of float64 along an axis, in the order of the kernels."""
    lines = numpy.moveaxis(x, axis, -1)
    rows = numpy.ascontiguousarray(lines).reshape(-1, lines.shape[-1])
    return numpy.moveaxis(host_folds.running(rows).reshape(lines.shape), -1, axis)


_SCANS: Final[dict[tuple[Fold, int, int], _Scan]] = {}


def scan(fold: Fold, view: View, axis: int, shift: int) -> View:
    """Record the running accumulators along an axis, `shift` elements from its start."""
    shape = view.shape
    operation = _SCANS.get((fold, axis, shift))
    if operation is None:
        operation = _SCANS[fold, axis, shift] = _Scan(fold, axis, shift)
    return builder.recorded(
        operation, (view,), (*shape[:axis], shape[axis] + shift, *shape[axis + 1 :])
    )


def _scan(
    fold: Fold,
    walk: _Walk,
    scratch: list[ScratchBuffer],
    source: int,
    shift: int,
    result: int = RESULT,
) -> list[Launch]:
    """Lower one scan level: block scan, scan of block totals, add offsets."""
    device, spec, outer, length, inner = walk
    count = -(-length // _SCAN_PIECE)
    items = outer * count * inner
    lanes = device.info.loop_per_item
    indices = {"pieces": count, "length": length + shift, "shift": shift}
    if inner == 1 and not lanes:
        skeleton = _SCAN_TILE
        pieces = min(tuning.SCAN_ITEMS, power_of_two(count))  # of a line that a group takes
        blocks = -(-count // pieces)
        grid: Grid = ((-(-outer * pieces // tuning.SCAN_ITEMS) * blocks,), (tuning.SCAN_ITEMS,))
        indices |= {"lines": outer, "blocks": blocks}
        span = power_of_two(tuning.SCAN_SPAN_NBYTES // max(fold.nbytes, 4))
        how = [
            f"#define XR_PIECES {tuning.SCAN_ITEMS}",
            f"#define XR_LINE_PIECES {pieces}",
            f"#define XR_PIECE_LENGTH {_SCAN_PIECE}",
            f"#define XR_SPAN {min(span, _SCAN_PIECE)}",
        ]
    else:
        skeleton = _SCAN
        indices = {"items": items, "piece_length": _SCAN_PIECE, **indices}
        grid, item_chunk = _grid(device, items, outer * length * inner, True)
        how = [f"#define XR_CHUNKED {int(lanes)}"]
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

    if count == 1:
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
    return ((min(items, units * tuning.WAVES),), (WIDTH,)), 1
