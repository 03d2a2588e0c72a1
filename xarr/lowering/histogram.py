"""Lower counts of bins, and sums of weights by bin, to launches.

Counts are integers, so devices may add them in any order. Sums of weights have one order: the
weights of a bin, in the order of the elements, are summed by 256, those sums by 256, and so on. A
CPU does that in one pass, a GPU sorts by bin first; both give the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from xarr import dtypes, layout, tuning
from xarr.codegen.expressions import cast
from xarr.codegen.kernel_spec import KernelSpec
from xarr.codegen.launch import RESULT, Grid, Launch, ScratchBuffer, elementwise
from xarr.dtypes import DType
from xarr.ir.operation import Operation
from xarr.ir.steps import Step
from xarr.layout import Shape
from xarr.lowering.operations import Epilogue, HistogramOp, OpaqueOp, Ref
from xarr.lowering.skeleton import Skeleton

if TYPE_CHECKING:
    from xarr.backends.device import Device

RUN: Final = 256
"""Weights that are summed in order; `kernels/histogram_sum.c` has the same number."""
_HISTOGRAM: Final = Skeleton("histogram.c", "xr_histogram")
_SUM: Final = Skeleton("histogram_sum.c", "xr_histogram_sum")
_SEGMENT_SUM: Final = Skeleton("segment_sum.c", "xr_segment_sum")
_FILL: Final = Operation(
    "astype", (dtypes.int64,), dtypes.int64, cast("{0}", dtypes.int64, dtypes.int64)
)


def pieces_of(device: Device, size: int, bins: int) -> int:
    """Return how many rows of counts a device makes, which are to be added."""
    if not device.info.loop_per_item:
        return 1
    most = size // max(tuning.COUNTED, 8 * bins)
    items = max(1, min(device.info.compute_units * 4, most))
    return -(-size // -(-size // items))


def lower_counts(
    operation: HistogramOp, device: Device, spec: KernelSpec, shape: Shape, epilogue: Epilogue
) -> tuple[list[Launch], list[ScratchBuffer]]:
    """Return the launches that count; on a GPU the first one sets the counts to zero."""
    info, number, size = device.info, operation.bins, math.prod(shape)
    launches = []
    if info.loop_per_item:
        indices = {"bins": number, "item_chunk": -(-size // operation.pieces)}
        grid: Grid = (operation.pieces,), (1,)
        special = (_histogram_defines, True, 0)
    else:
        launches.append(_zeros(device, number))
        group = min(tuning.GROUP, info.group_size)
        groups = min(-(-size // group), info.compute_units * tuning.HISTOGRAM_GROUPS)
        fits = number <= tuning.BINS and info.local_nbytes >= 4 * tuning.BINS
        indices = {"bins": number}
        grid = (groups,), (group,)
        special = (_histogram_defines, False, tuning.BINS if fits else 0)
    kernel = _HISTOGRAM.kernel(device, special, tuple(indices), spec, wide=spec.wide)
    launches.append(Launch(kernel, grid, size, tuple(indices.values()), (RESULT,)))
    return launches, []


def _zeros(device: Device, number: int) -> Launch:
    """Return the launch that sets counts to zero."""
    access = (0, dtypes.int64, (number,), (1,), ())
    entry = (_FILL, (dtypes.int64, 0))
    spec = KernelSpec((number,), None, ("i",), number >= layout.WIDE, (entry,), (access,), (0,), ())
    launch = elementwise(spec, device, in_order=False)
    values = (*launch.indices, *spec.numbers, 0, 0)  # the offset, and the constant
    return launch._replace(indices=values, buffers=(RESULT,), takes_spec=False)


def _histogram_defines(loop_per_item: bool, local: int, spec: KernelSpec) -> list[str]:
    return [
        f"#define XR_CHUNKED {int(loop_per_item)}",
        f"#define XR_LOCAL {local}",
        f"#define XR_VALUE {spec.value(dtypes.int64)}",
    ]


def lower_sums(
    operation: OpaqueOp, device: Device, operands: Sequence[Ref], target: Ref, wide: bool
) -> Step:
    """Return the step that adds each weight to the sum of its bin in order, by one item of a CPU.

    Each 256 sums of a bin are one of the next level, as on a GPU, so that bits agree.
    """
    bins, weights = operands
    levels, number = target.pattern.shape
    indices = {"items": bins.pattern.size, "bins": number, "levels": levels}
    special = (_sum_defines, weights.dtype, (("CHUNKED", 1),))
    kernel = _SUM.kernel(device, special, tuple(indices), None, wide=wide)
    values = tuple(indices.values())
    launch = Launch(kernel, ((1,), (1,)), bins.pattern.size, values, (0, RESULT))
    return _step(launch, operands, target, [number * dtypes.int64.itemsize])


def lower_segment_sums(
    operation: OpaqueOp, device: Device, operands: Sequence[Ref], target: Ref, wide: bool
) -> Step:
    """Return the step that sums pieces of 256 elements of segments, or segments so short.

    Operands are the elements, where segments begin, the elements' order if there is one, and, where
    these are not whole segments, where each segment's pieces begin.
    """
    starts, items = operands[1], target.pattern.size
    is_whole, is_ordered = operation.parameters
    words = (("WHOLE", int(is_whole)), ("ORDERED", int(is_ordered)))
    indices = {"items": items, "segments": starts.pattern.size - 1}
    special = (_sum_defines, target.dtype, words)
    group = min(tuning.GROUP, device.info.group_size)
    groups = min(-(-items // group), device.info.compute_units * tuning.WAVES)
    kernel = _SEGMENT_SUM.kernel(device, special, tuple(indices), None, wide=wide)
    values = tuple(indices.values())
    launch = Launch(kernel, ((groups,), (group,)), operands[0].pattern.size, values, (RESULT,))
    return _step(launch, operands, target, [])


def _step(launch: Launch, operands: Sequence[Ref], target: Ref, scratch: Sequence[int]) -> Step:
    """Return the step of one launch over all of some storages."""
    slots = [ref.slot for ref in operands]
    fresh = [(target.slot, target.nbytes)]
    return Step([launch], scratch, (), slots, [target], fresh=fresh, whole=operands)


def _sum_defines(row: DType, words: tuple[tuple[str, int], ...]) -> list[str]:
    lines = [f"#define XR_{name} {value}" for name, value in words]
    return [*lines, f"#define XR_WEIGHT {row.compute}"]
