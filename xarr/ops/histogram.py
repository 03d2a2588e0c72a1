"""Record counts of bins among elements, and sums of weights by bin.

`lowering/histogram.py` makes their kernels, and says in which order weights are summed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from xarr import dtypes, layout
from xarr.ir.fold import Fold
from xarr.ir.operation import Operation, interned
from xarr.ir.views import View, constant, storage_view
from xarr.layout import Layout
from xarr.lowering.histogram import RUN, pieces_of
from xarr.lowering.operations import HistogramOp, OpaqueOp
from xarr.ops import radix_sort, reduce_scan, reductions
from xarr.ops.radix_sort import linear
from xarr.tape import builder, recorders

_PIECES: Final = Operation(
    "pieces", (dtypes.int64,) * 2, dtypes.int64, f"(({{1}} - {{0}} + {RUN - 1}) / {RUN})"
)
"""The number of pieces of a segment, from where it begins and ends."""
_KEYS: Final = {
    row: Operation(
        "key",
        (dtypes.int64,) * 2,
        row,
        f"({row.compute})({{0}} < 0 || {{0}} >= {{1}} ? {{1}} : {{0}})",
    )
    for row in (dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64)
}
"""Operations that replace bins out of range by the number of bins, which sorts them last."""


def counts(bins: View, number: int) -> View:
    """Count each bin below `number`, int64, shape (number,); other bins are left out."""
    device = bins.device
    if 0 in bins.shape or not number:
        return constant(0, dtypes.int64, (number,), device)
    bins = builder.converted(bins, dtypes.int64)
    if not bins.shape:
        bins = builder.reshaped(bins, (1,))
    pieces = pieces_of(device, math.prod(bins.shape), number)
    operation = interned(HistogramOp, len(bins.shape), number, pieces)
    found = builder.recorded(operation, (bins,), (pieces * number,))
    if pieces == 1:
        return found
    return reduce_scan.reduce(_fold("sum"), builder.reshaped(found, (pieces, number)), (0,))


def _fold(name: str) -> Fold:
    """Return the fold of int64 of a row of the table of reductions."""
    row = reductions.BY_NAME[name]
    return row.fold(row.types(dtypes.int64, dtypes.int64))


def sums(bins: View, weights: View, number: int) -> View:
    """Sum the weights of each bin below `number`, in the weights' floating-point type.

    Both have the shape (N,); weights of other bins are left out.
    """

    def computed(bins: View, weights: View) -> Sequence[View]:
        return (_sums(bins, weights, number),)

    return recorders.whole("sums", {"number": number}, (bins, weights), computed)[0]


def _sums(bins: View, weights: View, number: int) -> View:
    device, row = bins.device, weights.dtype
    (size,) = bins.shape
    if not size or not number:
        return constant(0.0, row, (number,), device)
    if not device.info.loop_per_item:
        return _sum_sorted(bins, weights, number)
    levels, bound = 1, size
    while bound > RUN:
        levels, bound = levels + 1, -(-bound // RUN)
    given = linear(builder.converted(bins, dtypes.int64)), linear(weights)
    result = builder.defer(
        interned(OpaqueOp, "histogram_sum", (dtypes.int64, row), row), given, (levels + 1, number)
    )
    assert result.storage is not None
    return storage_view(result.storage, layout.contiguous((number,)), row)


def _sum_sorted(bins: View, weights: View, number: int) -> View:
    """Sort by bin on a GPU, so that a bin's weights are neighbours, and sum each 256 of them."""
    device, row = bins.device, weights.dtype
    bound = total = bins.shape[0]  # of the pieces of a segment, and of all
    key = _KEYS[radix_sort.key_type(number + 1)]
    last = constant(number, dtypes.int64, (), device)
    keys = builder.defer(key, (builder.converted(bins, dtypes.int64), last), bins.shape)
    order = [linear(radix_sort.argsort(keys, 0))]
    starts = _starts(counts(keys, number))
    values = linear(weights)
    while bound > RUN:
        first, end = _neighbours(starts)
        offsets = _starts(builder.defer(_PIECES, (first, end), first.shape))
        items = min(total, total // RUN + number)
        operation = interned(OpaqueOp, "segment_sum", (row,), row, False, bool(order))
        values = builder.defer(operation, (values, starts, *order, offsets), (items,))
        starts, order = offsets, []
        bound, total = -(-bound // RUN), items
    return builder.defer(
        interned(OpaqueOp, "segment_sum", (row,), row, True, bool(order)),
        (values, starts, *order),
        (number,),
    )


def _starts(view: View) -> View:
    """Return 0 and the sums up to each element, in a storage of its own."""
    result = reduce_scan.scan(_fold("cumulative_sum"), view, 0, 1)
    assert result.storage is not None
    zero = constant(0, dtypes.int64, (1,), view.device)
    builder.write(result.storage, layout.contiguous((1,)), dtypes.int64, zero)
    return result


def _neighbours(view: View) -> tuple[View, View]:
    """Return a materialised vector without its last element, and without its first."""
    assert view.storage is not None
    shape = (view.shape[0] - 1,)
    first, second = (
        storage_view(view.storage, Layout(shape, (1,), at), view.dtype) for at in (0, 1)
    )
    return first, second
