"""Record sorts without a library, and searches; `lowering/radix_sort.py` makes their kernels.

The arguments of public functions are checked before.
"""

from __future__ import annotations

from xarr import dtypes, layout
from xarr.dtypes import DType
from xarr.ir.operation import interned
from xarr.ir.views import View, constant, storage_view
from xarr.lowering.operations import OpaqueOp
from xarr.lowering.radix_sort import flip_of, place_type
from xarr.tape import builder


def sort(view: View, axis: int, *, descending: bool = False) -> View:
    """Record a sort of the elements along an axis, NaN last; equal elements keep their order."""
    if view.shape[axis] < 2 or 0 in view.shape:
        return builder.copied(view)
    return _along(view, axis, interned(OpaqueOp, "sort", (view.dtype,), view.dtype, descending))


def key_type(count: int) -> DType:
    """Return the type of numbers below `count` that takes the fewest passes to sort."""
    kinds = dtypes.uint8, dtypes.uint16, dtypes.uint32
    return next((kind for kind in kinds if count <= 1 << 8 * kind.itemsize), dtypes.uint64)


def argsort(view: View, axis: int, *, descending: bool = False, used: int = 0) -> View:
    """Record the indices along an axis, int64, that put the elements in the order of `sort`.

    Unsigned integers that differ in their lowest `used` bits alone take fewer passes.
    """
    if view.shape[axis] < 2 or 0 in view.shape:
        return constant(0, dtypes.int64, view.shape, view.device)
    place = place_type(view.shape[axis])
    operation = interned(OpaqueOp, "argsort", (view.dtype,), place, descending, used)
    return builder.converted(_along(view, axis, operation), dtypes.int64)


def _along(view: View, axis: int, operation: OpaqueOp) -> View:
    """Sort along an axis; copy the view first unless that is the last axis in C order."""
    builder.materialise(view)
    assert view.storage is not None
    assert view.layout is not None
    axes = [place for place in range(len(view.shape)) if place != axis]
    axes.append(axis)
    moved = linear(storage_view(view.storage, view.layout.permuted(axes), view.dtype))
    done = builder.defer(operation, (moved,), moved.shape)
    if axis != len(axes) - 1:
        back = sorted(range(len(axes)), key=axes.__getitem__)
        where = layout.contiguous(moved.shape).permuted(back)
        assert done.storage is not None
        done = builder.copied(storage_view(done.storage, where, done.dtype))
    return done


def linear(view: View) -> View:
    """Return a view, or a copy, in C order; where it begins is a kernel's argument."""
    builder.materialise(view)
    assert view.layout is not None
    return view if view.layout.linear else builder.copied(view)


def searchsorted(ordered: View, values: View, *, right: bool, sorter: View | None = None) -> View:
    """Record where each value would be inserted in `ordered`, shape (n,), in the order of `sort`.

    Before the elements that are equal to it, or after them with `right`. `sorter`, int64, holds the
    indices that put `ordered` in order; they are checked before they come here.
    """
    if 0 in values.shape:
        return constant(0, dtypes.int64, values.shape, ordered.device)
    builder.materialise(values)
    assert values.layout is not None
    if not values.layout.linear:
        values = builder.copied(values)
    views = [ordered, values] if sorter is None else [ordered, values, sorter]
    for view in views:
        builder.materialise(view)
    flip, dtype = flip_of(ordered.dtype)
    views.append(constant(flip, dtype, (), ordered.device))
    operation = interned(OpaqueOp, "searchsorted", (ordered.dtype,) * 2, dtypes.int64, right)
    return builder.defer(operation, tuple(views), values.shape)
