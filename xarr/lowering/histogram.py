"""Lower counts of bins, and sums of values at places, to launches.

Counts are integers, so devices may add them in any order. Sums at places have one order: the
values of a place, in the order of the elements, are summed by 1,024, and then those sums. A CPU
does that in one pass, a GPU sorts by place first; both give the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from xarr import dtypes, layout, tuning
from xarr.codegen.expressions import cast
from xarr.codegen.kernel_spec import KernelSpec
from xarr.codegen.launch import RESULT, Grid, Launch, ScratchBuffer, elementwise
from xarr.dtypes import COMPLEX, INTEGER, DType
from xarr.ir.operation import Operation
from xarr.ir.steps import Step
from xarr.layout import Shape
from xarr.lowering.operations import Epilogue, HistogramOp, OpaqueOp, Ref
from xarr.lowering.skeleton import Skeleton

if TYPE_CHECKING:
    from xarr.backends.device import Device

RUN: Final = 1024
"""Values that are summed in order; `histogram_sum.c` and `segment_sum.c` have the same number."""
_HISTOGRAM: Final = Skeleton("histogram.c", "xr_histogram")
_HISTOGRAM_SUM: Final = Skeleton("histogram_sum.c", "xr_histogram_sum")
_SEGMENT_SUM: Final = Skeleton("segment_sum.c", "xr_segment_sum")
_BEGINS: Final = (("places_offset", dtypes.int64), ("values_offset", dtypes.int64))
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
    """Return the step that adds each value, or the only one, to the sum of its place.

    One item of a CPU does it, and an item for each place of a GPU.
    """
    places, values = operands
    size, number, info = places.pattern.size, target.pattern.size, device.info
    indices = {"items": size, "number": number}
    groups, group = 1, 1
    scratch = [2 * number, number * values.dtype.itemsize]
    if not info.loop_per_item:
        group = min(tuning.GROUP, info.group_size)
        groups = min(-(-number // group), info.compute_units * tuning.WAVES)
        indices["threads"] = groups * group
        scratch = []
    grid: Grid = (groups,), (group,)
    how = operation, places.dtype, values.dtype, info.loop_per_item, False
    special = (_sum_defines, *how, int(values.pattern.size == size))
    kernel = _HISTOGRAM_SUM.kernel(device, special, tuple(indices), None, _BEGINS, wide=wide)
    launch = Launch(kernel, grid, size, tuple(indices.values()), (RESULT,))
    if scratch:
        launch = launch._replace(buffers=(0, 1, RESULT), written=3)
    return _step([launch], operands, target, scratch)


def lower_segment_sums(
    operation: OpaqueOp, device: Device, operands: Sequence[Ref], target: Ref, wide: bool
) -> Step:
    """Return the step that sums neighbours of equal places, which are sorted."""
    places, info = operands[0], device.info
    size = places.pattern.size
    group = 1 if info.loop_per_item else min(tuning.GROUP, info.group_size)
    groups = min(-(-size // group), info.compute_units * tuning.WAVES)
    groups = 1 if info.loop_per_item else groups
    indices = {"items": size, "threads": groups * group}
    launches = []
    for joins in (False, True)[: 1 + (size > RUN)]:
        special = (_sum_defines, operation, places.dtype, target.dtype, info.loop_per_item, joins)
        kernel = _SEGMENT_SUM.kernel(device, special, tuple(indices), None, _BEGINS, wide=wide)
        grid: Grid = (groups,), (group,)
        launches.append(Launch(kernel, grid, size, tuple(indices.values()), (RESULT,)))
    return _step(launches, operands, target, [])


def _step(
    launches: list[Launch], operands: Sequence[Ref], target: Ref, scratch: Sequence[int]
) -> Step:
    """Return the step of launches over places and values, which begin anywhere in their memory."""
    return Step(
        launches,
        scratch,
        (),
        [ref.slot for ref in operands],
        [target],
        [(ref.slot, ref.offset) for ref in operands],
        [(target.slot, target.nbytes)],
        whole=operands,
    )


def _sum_defines(
    operation: OpaqueOp, place: DType, value: DType, loop_per_item: bool, joins: bool, step: int = 1
) -> list[str]:
    (sum_template,) = operation.parameters
    nothing = "0" if value.kind in INTEGER else "-0.0f"
    is_complex = value.kind == COMPLEX
    zero = f"xr_complex_{value.compute}({nothing}, {nothing})"
    return [
        f"#define XR_CHUNKED {int(loop_per_item)}",
        f"#define XR_PLACE {place.compute}",
        f"#define XR_VALUE {value.compute}",
        f"#define XR_SUM(x, y) {sum_template.format('(x)', '(y)')}",
        f"#define XR_ZERO {zero if is_complex else f'({value.compute}){nothing}'}",
        f"#define XR_JOIN {int(joins)}",
        f"#define XR_STEP {step}",
    ]
