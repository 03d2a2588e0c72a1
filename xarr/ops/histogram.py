"""Record counts of bins among elements, and sums of values at places.

`lowering/histogram.py` makes their kernels, and says in which order values are summed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from xarr import dtypes, layout, tuning
from xarr.codegen.expressions import rolled
from xarr.dtypes import COMPLEX, INTEGER, REAL, DType
from xarr.ir.operation import Operation, interned
from xarr.ir.views import View, constant
from xarr.lowering.histogram import pieces_of
from xarr.lowering.operations import HistogramOp, OpaqueOp
from xarr.ops import elementwise, gather, radix_sort, reduce_scan, reductions
from xarr.ops.radix_sort import linear
from xarr.tape import builder, recorders

_EQUALS: Final = elementwise.equal.operation(dtypes.int64)
_AND: Final = elementwise.logical_and.operation(dtypes.bool_)
_OR: Final = elementwise.logical_or.operation(dtypes.bool_)
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
    fold = reductions.sum.fold(reductions.sum.types(dtypes.int64, dtypes.int64))
    return reduce_scan.reduce(fold, builder.reshaped(found, (pieces, number)), (0,))


def sums(places: View, values: View, number: int, *, inside: bool = False) -> View:
    """Sum the values of each place below `number`, shape (number,), in the values' data type.

    Both have the shape (N,); values of other places are left out, of which there are none where all
    are `inside`. A sum of none is -0.0, which changes nothing that it is added to.
    """

    def computed(places: View, values: View) -> Sequence[View]:
        return (_sums(places, values, number, inside),)

    return recorders.whole("sums", {"number": number}, (places, values), computed)[0]


def _sums(places: View, values: View, number: int, inside: bool) -> View:
    device, row = places.device, values.dtype
    if not number:
        return constant(0, row, (number,), device)
    if device.info.loop_per_item or max(places.shape[0], number // 16) <= tuning.SUMMED:
        if places.dtype is not dtypes.int32:
            places = builder.converted(places, dtypes.int64)
        if values.value is not None:  # one for all takes no memory for each
            values = constant(values.value, row, (1,), device)
        given = linear(places), linear(values)
        return builder.defer(_summing("histogram_sum", places.dtype, row), given, (number,))
    nothing = {**dict.fromkeys(INTEGER, 0), COMPLEX: complex(-0.0, -0.0)}.get(row.kind, -0.0)
    result = constant(nothing, row, (number,), device)
    builder.materialise(result)
    assert result.storage is not None
    if places.shape[0]:
        keys = keys_of(places, number)
        order = radix_sort.argsort(keys, 0, used=(number - inside).bit_length())
        is_packed = row.itemsize == 4 and keys.dtype.itemsize <= 4
        pair = (_pairs if is_packed else ordered)(keys, order, values)
        found, totals, chosen = runs(*pair, number)
        where = layout.contiguous((number,))
        gather.put(result, where, [(0, found)], 0, totals, distinct=True, chosen=chosen)
    return result


def keys_of(places: View, number: int) -> View:
    """Return unsigned integers to sort places by, those that are not below `number` last."""
    key = _KEYS[radix_sort.key_type(number + 1)]
    last = constant(number, dtypes.int64, (), places.device)
    return builder.defer(key, (builder.converted(places, dtypes.int64), last), places.shape)


def ordered(keys: View, order: View, values: View) -> tuple[View, View]:
    """Return places' keys and values in an order."""
    return _in_order(keys, order), _in_order(values, order)


def _pairs(keys: View, order: View, values: View) -> tuple[View, View]:
    """Return keys and values of 32 bits in an order: each pair is gathered at once.

    Pairs of 2^24 take an H200 0.40 ms and 0.04 to pack, one by one 0.68.
    """
    pack, key, value = interned(_packing, values.dtype)
    given = builder.converted(keys, dtypes.uint32), values
    joined = _in_order(builder.defer(pack, given, keys.shape), order)
    return builder.defer(key, (joined,), keys.shape), builder.defer(value, (joined,), keys.shape)


def _packing(row: DType) -> tuple[Operation, Operation, Operation]:
    """Return the operations that join a key and a value, and that take either out again."""
    pair, kind, is_real = dtypes.uint64, row.compute, row.kind == REAL
    bits, value = ("xr_bits_f32({1})", "xr_from_bits_f32") if is_real else ("(u32){1}", f"({kind})")
    return (
        Operation("pack", (dtypes.uint32, row), pair, f"((u64){{0}} << 32 | (u64){bits})"),
        Operation("unpacked_key", (pair,), dtypes.uint32, "(u32)({0} >> 32)"),
        Operation("unpacked_value", (pair,), row, f"{value}((u32){{0}})"),
    )


def runs(found: View, given: View, number: int) -> tuple[View, View, View]:
    """Sum the values of each place in the order of `sums`, given sorted keys and their values.

    Return the sorted places, int64, the sums, and where these are: at the first of equal places
    that are below `number`.
    """
    shape = found.shape

    def computed(found: View, given: View) -> Sequence[View]:
        summing = _summing("segment_sum", found.dtype, given.dtype)
        return (builder.defer(summing, (found, given), shape),)

    (totals,) = recorders.whole("sums of runs", {}, (found, given), computed)
    last = constant(number, found.dtype, (), found.device)
    is_in = builder.defer(interned(elementwise.less.operation, found.dtype), (found, last), shape)
    chosen = builder.defer(_AND, (begins(found), is_in), shape)
    return builder.converted(found, dtypes.int64), totals, chosen


def _in_order(view: View, order: View) -> View:
    """Return a vector's elements at indices, in memory."""
    view = linear(view)
    assert view.layout is not None
    return linear(gather.take(view, view.layout, [(0, order)], 0))


def begins(found: View) -> View:
    """Return where a run of equal integers begins in a vector, bool."""
    if found.shape == (1,):
        return constant(True, dtypes.bool_, (1,), found.device)
    before = builder.defer(interned(rolled, found.dtype, (1,)), (found,), found.shape)
    differs = interned(elementwise.not_equal.operation, found.dtype)
    zero = constant(0, dtypes.int64, (), found.device)
    is_first = builder.defer(_EQUALS, (builder.index(found.shape, found.device), zero), found.shape)
    is_other = builder.defer(differs, (found, before), found.shape)
    return builder.defer(_OR, (is_first, is_other), found.shape)


def _summing(name: str, place: DType, value: DType) -> OpaqueOp:
    """Return the operation that sums values at places."""
    template = interned(elementwise.add.operation, value).template
    operation: OpaqueOp = interned(OpaqueOp, name, (place, value), value, template)
    return operation
