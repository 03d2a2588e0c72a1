"""Lower an operation to launches, by its class or name.

Modules that few programs need are imported at their first use: all of them take 4 ms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from xarr import lowering
from xarr.ir.operation import Operation
from xarr.ir.steps import Step
from xarr.ir.views import structure
from xarr.lowering import reduce_scan
from xarr.lowering.operations import (
    Epilogue,
    FourierOp,
    HistogramOp,
    ReduceOp,
    Ref,
    RoutineOp,
    ScanOp,
)

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.codegen.kernel_spec import KernelSpec
    from xarr.codegen.launch import Launch, ScratchBuffer
    from xarr.layout import Shape


def lower_template(
    operation: Operation, device: Device, spec: KernelSpec, shape: Shape, epilogue: Epilogue
) -> tuple[list[Launch], list[ScratchBuffer]]:
    """Return the launches of a template with its epilogue, and the memory between them."""
    if isinstance(operation, ReduceOp):
        return reduce_scan.lower_reduction(operation, device, spec, shape, epilogue)
    if isinstance(operation, ScanOp):
        return reduce_scan.lower_scan(operation, device, spec, shape, epilogue)
    if isinstance(operation, FourierOp):
        return lowering.fft.lower(operation, device, spec, shape, epilogue)
    assert isinstance(operation, HistogramOp)
    return lowering.histogram.lower_counts(operation, device, spec, shape, epilogue)


def lower_opaque(
    operation: Operation, device: Device, operands: Sequence[Any], target: Ref, *, wide: bool
) -> Step:
    """Return the step of an opaque operation; `wide` asks for 64-bit indices."""
    if isinstance(operation, RoutineOp):
        return _routine(operation, device, operands, target)
    match operation.name:
        case "matmul":
            lower: Callable[..., Step] = lowering.matmul.lower
        case "sort" | "argsort":
            lower = lowering.radix_sort.lower_sort
        case "searchsorted":
            lower = lowering.radix_sort.lower_search
        case "histogram_sum":
            lower = lowering.histogram.lower_sums
        case "segment_sum":
            lower = lowering.histogram.lower_segment_sums
    return lower(operation, device, operands, target, wide)


def _routine(operation: RoutineOp, device: Device, operands: Sequence[Any], target: Ref) -> Step:
    """Return the step of a library's routine."""
    fresh = [(target.slot, target.nbytes)]
    step: Any = operation.step(results=[target], fresh=fresh, whole=list(operands))
    if operation.host is not None:
        step.function, step.launch_count = operation.host, 1
    step.work = lambda views: operation.work(operation, views)
    step.captures = getattr(operation.function, "captures", None)
    step.views = [
        (structure(device, ref.dtype, how.shape, how.strides), ref.slot, ref.offset)
        for ref, how in [(ref, ref.pattern) for ref in (*operands, target)]
    ]
    return step  # type: ignore[no-any-return]
