"""Lower an operation to launches, by its class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from xarr.ir.operation import Operation
from xarr.ir.steps import Step
from xarr.ir.views import structure
from xarr.lowering import fft, histogram, matmul, radix_sort, reduce_scan
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
    found: tuple[list[Launch], list[ScratchBuffer]]
    found = _TEMPLATES[type(operation)](operation, device, spec, shape, epilogue)
    return found


def lower_opaque(
    operation: Operation, device: Device, operands: Sequence[Any], target: Ref, *, wide: bool
) -> Step:
    """Return the step of an opaque operation; `wide` asks for 64-bit indices."""
    if isinstance(operation, RoutineOp):
        return _routine(operation, device, operands, target)
    return _OPAQUE[operation.name](operation, device, operands, target, wide)


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


_TEMPLATES: Final[dict[type, Callable[..., Any]]] = {
    ReduceOp: reduce_scan.lower_reduction,
    ScanOp: reduce_scan.lower_scan,
    FourierOp: fft.lower,
    HistogramOp: histogram.lower_counts,
}
_OPAQUE: Final[dict[str, Callable[..., Step]]] = {
    "matmul": matmul.lower,
    "sort": radix_sort.lower_sort,
    "argsort": radix_sort.lower_sort,
    "searchsorted": radix_sort.lower_search,
    "histogram_sum": histogram.lower_sums,
    "segment_sum": histogram.lower_segment_sums,
}
