"""Counts of bins among elements, and sums of weights by bin.

Counts are integers, so devices may add them in any order. Sums of weights have one order: the
weights of a bin, in the order of the elements, are summed by 256, those sums by 256, and so on. A
CPU does that in one pass, a GPU sorts by bin first; both give the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from xarr import dtypes, layout, tuning
from xarr.codegen.kernel_spec import KernelSpec
from xarr.dtypes import DType
from xarr.ir.operation import Operation
from xarr.ir.storage import Storage
from xarr.ir.views import View, constant, storage_view
from xarr.layout import Layout
from xarr.ops import radix_sort, reduce_scan, reductions
from xarr.ops.rows import Fold
from xarr.ops.skeleton import Skeleton
from xarr.tape import builder
from xarr.tape.builder import Grid

_RUN: Final = 256
"""Weights that are summed in order; `kernels/histogram_sum.c` has the same number."""
_HISTOGRAM: Final = Skeleton("histogram.c", "xr_histogram")
_SUM: Final = Skeleton("histogram_sum.c", "xr_histogram_sum")
_SEGMENT_SUM: Final = Skeleton("segment_sum.c", "xr_segment_sum")

_PIECES: Final = Operation(
    "pieces", (dtypes.int64,) * 2, dtypes.int64, f"(({{1}} - {{0}} + {_RUN - 1}) / {_RUN})"
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
    source = (bins, (0, len(bins.shape)))
    size = math.prod(bins.shape)
    del bins  # an expression is not stored
    units = device.info.compute_units
    itemsize = dtypes.int64.itemsize
    with device.lock:
        if device.info.loop_per_item:
            items = max(1, min(units * 4, size // max(tuning.COUNTED, 8 * number)))
            chunk = -(-size // items)
            items = -(-size // chunk)
            result = builder.allocate(device, items * number * itemsize)
            indices = {"bins": number, "item_chunk": chunk}
            grid: Grid = (items,), (1,)
            special = (_histogram_defines, True, 0)
        else:
            items = 1
            result = builder.allocate(device, number * itemsize)
            whole = layout.contiguous((number,))
            zero = constant(0, dtypes.int64, whole.shape, device)
            builder.write(result, whole, dtypes.int64, zero)
            group = min(tuning.GROUP, device.info.group_size)
            groups = min(-(-size // group), units * tuning.HISTOGRAM_GROUPS)
            fits = number <= tuning.BINS and device.info.local_nbytes >= 4 * tuning.BINS
            indices = {"bins": number}
            grid = (groups,), (group,)
            special = (_histogram_defines, False, tuning.BINS if fits else 0)
        wide = result.nbytes >= layout.WIDE
        _HISTOGRAM.launch(special, grid, indices, [result], wide, source=source)
    rows = storage_view(result, layout.contiguous((items, number)), dtypes.int64)
    if items == 1:
        return builder.reshaped(rows, (number,))
    return reduce_scan.reduce(_fold("sum"), rows, (0,))


def _histogram_defines(loop_per_item: bool, local: int, spec: KernelSpec) -> list[str]:
    return [
        f"#define XR_CHUNKED {int(loop_per_item)}",
        f"#define XR_LOCAL {local}",
        f"#define XR_VALUE {spec.value(dtypes.int64)}",
    ]


def _fold(name: str) -> Fold:
    """Return the fold of int64 of a row of the table of reductions."""
    row = reductions.BY_NAME[name]
    return row.fold(row.types(dtypes.int64, dtypes.int64))


def sums(bins: View, weights: View, number: int) -> View:
    """Sum the weights of each bin below `number`, in the weights' floating-point type.

    Both have the shape (N,); weights of other bins are left out.
    """
    device, row = bins.device, weights.dtype
    (size,) = bins.shape
    if not size or not number:
        return constant(0.0, row, (number,), device)
    levels, bound = 1, size
    while bound > _RUN:
        levels, bound = levels + 1, -(-bound // _RUN)
    with device.lock:
        if device.info.loop_per_item:
            result = _sum_in_one_pass(bins, weights, number, levels + 1)
        else:
            result = _sum_sorted(bins, weights, number)
    return storage_view(result, layout.contiguous((number,)), row)


def _sum_in_one_pass(bins: View, weights: View, number: int, levels: int) -> Storage:
    """Add each weight to the sum of its bin in order, by one item of a CPU.

    Each 256 sums of a bin are one of the next level, as on a GPU, so that bits agree; the first
    `number` elements, level 0, are the result.
    """
    storages = [_linear(builder.converted(bins, dtypes.int64)), _linear(weights)]
    device = bins.device
    storages.append(builder.allocate(device, number * dtypes.int64.itemsize))
    storages.append(builder.allocate(device, levels * number * weights.dtype.itemsize))
    indices = {"items": bins.shape[0], "bins": number, "levels": levels}
    _launch(_SUM, {"CHUNKED": 1}, weights.dtype, ((1,), (1,)), indices, storages)
    return storages[-1]


def _sum_sorted(bins: View, weights: View, number: int) -> Storage:
    """Sort by bin on a GPU, so that a bin's weights are neighbours, and sum each 256 of them."""
    device, row = bins.device, weights.dtype
    bound = total = bins.shape[0]  # of the pieces of a segment, and of all
    key = next(key for row, key in _KEYS.items() if number < 1 << 8 * row.itemsize)
    last = constant(number, dtypes.int64, (), device)
    keys = builder.defer(key, (builder.converted(bins, dtypes.int64), last), bins.shape)
    builder.compute(keys)
    order: list[Storage] = [_linear(radix_sort.argsort(keys, 0))]
    starts = _starts(counts(keys, number))
    values = _linear(weights)
    while bound > _RUN:
        first, end = _neighbours(starts)
        offsets = _starts(builder.defer(_PIECES, (first, end), first.shape))
        items = min(total, total // _RUN + number)
        partial = builder.allocate(device, items * row.itemsize)
        indices = {"items": items, "segments": number}
        storages = [values, _linear(starts), *order, _linear(offsets), partial]
        words = {"WHOLE": 0, "ORDERED": len(order)}
        _launch(_SEGMENT_SUM, words, row, _grid(bins, items), indices, storages)
        values, starts, order = partial, offsets, []
        bound, total = -(-bound // _RUN), items
    result = builder.allocate(device, number * row.itemsize)
    indices = {"items": number, "segments": number}
    storages = [values, _linear(starts), *order, result]
    words = {"WHOLE": 1, "ORDERED": len(order)}
    _launch(_SEGMENT_SUM, words, row, _grid(bins, number), indices, storages)
    return result


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


def _linear(view: View) -> Storage:
    """Return a storage whose elements are those of a view in C order, from its start on."""
    builder.compute(view)
    if view.layout is None or not view.layout.linear or view.layout.offset:
        view = builder.copied(view)
        builder.compute(view)
    assert view.storage is not None
    return view.storage


def _grid(view: View, items: int) -> Grid:
    group = min(tuning.GROUP, view.device.info.group_size)
    return (min(-(-items // group), view.device.info.compute_units * tuning.WAVES),), (group,)


def _launch(
    skeleton: Skeleton,
    words: Mapping[str, int],
    row: DType,
    grid: Grid,
    indices: Mapping[str, int],
    storages: Sequence[Storage],
) -> None:
    special = (_sum_defines, row, tuple(words.items()))
    wide = any(storage.nbytes >= layout.WIDE for storage in storages)
    skeleton.launch(special, grid, indices, storages, wide)


def _sum_defines(row: DType, words: tuple[tuple[str, int], ...]) -> list[str]:
    lines = [f"#define XR_{name} {value}" for name, value in words]
    return [*lines, f"#define XR_WEIGHT {row.compute}"]
