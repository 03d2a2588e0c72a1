"""Record reductions and scans; `lowering/reduce_scan.py` makes their kernels."""

from __future__ import annotations

import dataclasses
import re

from xarr import dtypes
from xarr.ir.fold import Fold
from xarr.ir.instructions import Opcode
from xarr.ir.operation import interned
from xarr.ir.views import View, constant, storage_view
from xarr.lowering.operations import ReduceOp, ScanOp
from xarr.tape import builder


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
    operation = interned(ReduceOp, fold, axes)
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


def scan(fold: Fold, view: View, axis: int, shift: int) -> View:
    """Record the running accumulators along an axis, `shift` elements from its start."""
    return builder.computed(scanning(fold, view, axis, shift), (view,))


def scanning(fold: Fold, view: View, axis: int, shift: int) -> Opcode:
    """Return the opcode of running accumulators."""
    shape = view.shape
    operation = interned(ScanOp, fold, axis, shift)
    full = (*shape[:axis], shape[axis] + shift, *shape[axis + 1 :])
    return builder.skeletal(operation, (view,), full)


def segmented(fold: Fold, view: View, begins: View, axis: int) -> View:
    """Record a scan along an axis that begins anew wherever `begins`, bool, is true.

    `begins` broadcasts to the shape of the view and has as many axes. The fold accumulates plain
    values.
    """
    builder.materialise(begins)
    operation = interned(ScanOp, interned(_segmented, fold), axis, 0)
    return builder.recorded(operation, (view, begins), view.shape)


def _segmented(fold: Fold) -> Fold:
    """Return the fold whose accumulators also tell whether a segment begins in what they cover."""
    kind = fold.accumulator
    first = f"xr_segment_first_{kind}(x)"

    def joined(first: str, second: str) -> str:
        values = {"acc1": f"({first}).value", "acc2": f"({second}).value"}
        both = re.sub(r"\bacc[12]\b", lambda found: values[found[0]], fold.combine)
        return f"xr_segment_join_{kind}({first}, {second}, {both})"

    return dataclasses.replace(
        fold,
        accumulator=f"xr_segment_{kind}",
        nbytes=2 * fold.nbytes,
        first=first,
        step=joined("acc", first),
        combine=joined("acc1", "acc2"),
        finish="acc.value",
        element=f"{fold.element}, {{1}}",
        fields=(("value", kind), ("begins", kind)),
        host=None,
        along=None,
        beside=(dtypes.bool_,),
    )
