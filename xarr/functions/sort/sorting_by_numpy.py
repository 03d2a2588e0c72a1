"""Sorting by NumPy, of arrays in a CPU's memory.

Functions of NumPy's arrays, with the results of the instructions that `sorting.py` records on other
devices. It knows nothing of Arrays.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final

import numpy

from xarr import tuning
from xarr.layout import Shape, normalize_axis


def sorted_copy(values: Any, place: int, *, descending: bool) -> Any:
    """Let NumPy sort a copy of an array; equal elements keep their order."""
    result = numpy.array(values, order="C")
    reverse = _reversing(result.dtype)
    if descending:
        reverse(result, out=result)
    sort_rows(result.reshape(_lines(result.shape, place)).swapaxes(1, 2))
    if descending:
        reverse(result, out=result)
    return result


def _reversing(dtype: Any) -> Any:
    """Return NumPy's function that reverses the order of elements, but for NaN, which stay last."""
    return numpy.negative if dtype.kind in "fc" else numpy.invert


def sort_rows(rows: Any) -> None:
    """Let NumPy sort an array along its last axis; equal elements keep their order."""
    dtype = rows.dtype
    if dtype.kind != "f" or dtype.itemsize < 4:
        # Stable is by digits up to 16 bits; wider integers that are equal do not differ. Of
        # float16 the unstable sort is wrong with AVX-512 (NumPy 2.4).
        wide = dtype.itemsize > 2 and dtype.kind != "c"
        rows.sort(axis=-1, kind=None if wide else "stable")
        return
    # NumPy's unstable sort is three times as fast, and of equal values only zeros differ.
    if numpy.count_nonzero(rows) == rows.size:
        rows.sort(axis=-1)
        return
    if rows.size == rows.shape[-1]:
        _sort_row(rows.reshape(-1))
        return
    zeros = rows[rows == 0]
    rows.sort(axis=-1)
    if zeros.size:
        rows[rows == 0] = zeros


def _sort_row(row: Any) -> None:
    """Sort floats as `sort_rows` does, without a mask of as many elements."""
    zeros = [
        part[part == 0]
        for part in (
            row[at : at + tuning.HOST_BLOCK] for at in range(0, row.size, tuning.HOST_BLOCK)
        )
    ]
    row.sort()
    if not any(part.size for part in zeros):
        return
    begin = row.searchsorted(row.dtype.type(0))  # of 0 it makes a copy in float64
    for part in zeros:
        row[begin : begin + part.size] = part
        begin += part.size


_MOST_AXES: Final = 32
"""Axes of an array that every version of NumPy takes."""


def _lines(shape: Shape, place: int) -> Shape:
    """A shape whose second axis is the one to sort along: NumPy does not sort beyond 32 axes."""
    return math.prod(shape[:place]), shape[place], math.prod(shape[place + 1 :])


def order_of(values: Any, place: int, *, stable: bool, descending: bool) -> Any:
    """Let NumPy find the indices that sort an array."""
    lines = values.reshape(_lines(values.shape, place))
    find = stable_order if stable else functools.partial(numpy.argsort, axis=1)
    return find(_reversing(lines.dtype)(lines) if descending else lines).reshape(values.shape)


def stable_order(lines: Any) -> Any:
    """Find the indices that sort along the second axis, those of equal elements ascending.

    Integers are sorted of which each has the leading bits of an element and then its index: NumPy's
    stable sort of indices takes 3 to 11 times as long, its unstable one 2 to 3 times.
    """
    length, kind, itemsize = lines.shape[1], lines.dtype.kind, lines.dtype.itemsize
    if not tuning.PACKED <= length < 1 << 32 or kind not in "iuf" or itemsize < 4:
        return numpy.argsort(lines, axis=1, kind="stable")
    least, most = _range_of_keys(lines)
    spare = min(64 - (most - least).bit_length(), 63)
    bits = (length - 1).bit_length()
    mask = numpy.uint64((1 << bits) - 1)

    def leading(part: Any) -> Any:
        keys = _keys(part).astype(numpy.int64)
        keys -= least
        return keys.view(numpy.uint64) << numpy.uint64(spare) & ~mask

    packed = _sorted_indices(lines, leading)
    agree = None if spare >= bits else _agreeing(packed, mask)
    packed &= mask
    order = packed.view(numpy.int64)
    found = 0 if agree is None else numpy.count_nonzero(agree)
    if found > lines.size // _MANY_AGREE:
        keys = numpy.take_along_axis(_keys(lines), order, 1)
        return order if (keys[:, 1:] >= keys[:, :-1]).all() else _order_of_many(lines)
    if found:
        _put_in_order(order, agree, lines)
    return order


def _agreeing(packed: Any, mask: Any) -> Any:
    """Tell of which elements along the second axis all bits above a mask are those of the last."""
    last = packed.shape[1] - 1
    agree = numpy.empty((packed.shape[0], last, packed.shape[2]), numpy.bool_)
    for first in range(0, last, _PART):
        part = packed[:, first : first + _PART + 1]
        numpy.less_equal(part[:, 1:] ^ part[:, :-1], mask, out=agree[:, first : first + _PART])
    return agree


def _put_in_order(order: Any, agree: Any, lines: Any) -> None:
    """Put indices in order where elements agree in their leading bits with the one before."""
    joined = numpy.zeros(lines.shape, numpy.bool_)
    joined[:, 1:] = agree
    joined[:, :-1] |= agree
    line, other, at = numpy.nonzero(joined.swapaxes(1, 2))
    some = order[line, at, other]
    place = numpy.lexsort((_keys(lines[line, some, other]), other, line))
    order[line, at, other] = some[place]


def _order_of_many(lines: Any) -> Any:
    """Find the stable order of elements of 64 bits of which many are equal."""
    order = numpy.argsort(lines, axis=1)
    found = numpy.take_along_axis(lines, order, 1)
    before, after = found[:, :-1], found[:, 1:]
    differ = (before != after) & ((before == before) | (after == after))
    ranks = numpy.zeros(lines.shape, numpy.uint64)
    numpy.cumsum(differ, axis=1, out=ranks[:, 1:])
    return _sorted_indices(ranks, lambda part: part << 32, order).view(numpy.int64) & 0xFFFFFFFF


def _sorted_indices(lines: Any, leading: Callable[[Any], Any], order: Any = None) -> Any:
    """Sort indices by the leading bits of elements as uint64, and then by themselves.

    The indices, which come behind these bits, are those of `order`, or else those of the elements
    along the second axis.
    """
    length = lines.shape[1]
    packed = numpy.empty(lines.shape, numpy.uint64)
    for first in range(0, length, _PART):  # what is in between takes little memory
        part = slice(first, first + _PART)
        within = numpy.arange(first, min(first + _PART, length), dtype=numpy.uint64)[:, None]
        packed[:, part] = leading(lines[:, part])
        packed[:, part] |= within if order is None else order[:, part].view(numpy.uint64)
    packed.sort(axis=1)
    return packed


_PART: Final = 1 << 14
"""Elements of a line that are packed at a time."""

_MANY_AGREE: Final = 16
"""One in so many elements that agree with another one are put in order by a sort of all."""


def _range_of_keys(lines: Any) -> tuple[int, int]:
    """Return the least and the largest of the keys of an array; of 32 bits the type's own."""
    bits = 8 * lines.dtype.itemsize
    least = lines.min() if bits == 64 else math.nan
    if least != least:  # NaN has the largest key
        return -1 << bits - 1, (1 << bits - 1) - 1
    keys = _keys(numpy.asarray([least, lines.max()], lines.dtype))
    return int(keys[0]), int(keys[1])


def _keys(values: Any) -> Any:
    """Return signed integers in the order of values of as many bits; equal values have one key."""
    bits = 8 * values.dtype.itemsize
    signed = numpy.dtype(f"i{bits // 8}")
    if values.dtype.kind == "i":
        return values
    if values.dtype.kind == "u":
        return (values ^ values.dtype.type(1 << bits - 1)).view(signed)
    last = numpy.iinfo(signed).max
    keys = (values + values.dtype.type(0)).view(signed)  # of -0.0 those of 0.0
    keys ^= (keys >> bits - 1) & last
    keys[values != values] = last
    return keys


def partitioned(values: Any, kth: int, axis: int = -1) -> Any:
    """Let NumPy sort a copy of an array that has a k-th element."""
    if values.shape[axis] <= (kth if kth >= 0 else -kth - 1):
        raise IndexError
    return sorted_copy(values, normalize_axis(axis, values.ndim, "partition"), descending=False)


def sort_in_memory(values: Any, axis: int = -1) -> None:
    """Let NumPy sort its own array."""
    place = normalize_axis(axis, values.ndim, "sort")
    if values.ndim > _MOST_AXES:
        values[...] = sorted_copy(values, place, descending=False)
    else:
        sort_rows(values.swapaxes(place, -1))


def partition_in_memory(values: Any, kth: int, axis: int = -1) -> None:
    """Let NumPy sort its own array, which has a k-th element."""
    values[...] = partitioned(values, kth, axis)


MOST_RANKS: Final = 128
"""Ranks from which on 8 bits do not hold how many of them are at most as large, and smaller."""


def sides_of(x: Any, pivots: Any) -> tuple[Any, Any]:
    """Tell which elements come before pivots, and which behind them, where NaN is the largest."""
    below, above = x < pivots, x > pivots
    if x.dtype.kind != "f":
        return below, above
    is_number, has_number = x == x, pivots == pivots
    return below | (is_number & (pivots != pivots)), above | (has_number & (x != x))


def argpartitioned(values: Any, kth: int, axis: int = -1) -> Any:
    """Find the indices of `argpartition`, of real numbers that have a k-th one."""
    extent = values.shape[axis]
    if values.dtype.kind == "c" or extent < 2 or not -extent <= kth < extent:
        raise NotImplementedError
    return order_about(values, normalize_axis(axis, values.ndim, "argpartition"), (kth % extent,))


def order_about(values: Any, place: int, ranks: tuple[int, ...]) -> Any:
    """Find the indices of `argpartition`."""
    lines = values.reshape(_lines(values.shape, place))
    ordered = lines.copy()
    if ordered.itemsize > 2:
        ordered.partition(ranks, axis=1)
    else:  # which is sorted by digits
        sort_rows(ordered.swapaxes(1, 2))
    if len(ranks) == 1 and values.size == lines.shape[1]:
        pivot = ordered.item(ranks[0])
        del ordered  # before there is as much memory of indices
        return _order_about_one(values.reshape(-1), pivot).reshape(values.shape)
    sides = numpy.zeros(lines.shape, numpy.uint8 if len(ranks) < MOST_RANKS else numpy.int32)
    for rank in ranks:
        below, above = sides_of(lines, ordered[:, rank : rank + 1])
        sides += ~below
        sides += above
    return numpy.argsort(sides, axis=1, kind="stable").reshape(values.shape)


def _order_about_one(line: Any, pivot: Any) -> Any:
    """Find the indices of elements below a number, those of the same, and of others; ascending.

    To sort by these sides takes three times as long: of 2^20 float32 6 and 2 ms.
    """
    sides: list[Callable[[Any], Any]] = [
        lambda part: part < pivot,
        lambda part: part == pivot,
        lambda part: ~(part <= pivot),
    ]
    if pivot != pivot:
        sides = [lambda part: part == part, lambda part: part != part]
    order = numpy.empty(line.size, numpy.int64)
    end = 0
    for is_there in sides:
        for first in range(0, line.size, tuning.HOST_BLOCK):
            (found,) = is_there(line[first : first + tuning.HOST_BLOCK]).nonzero()
            end += found.size
            numpy.add(found, first, out=order[end - found.size : end])
    return order
