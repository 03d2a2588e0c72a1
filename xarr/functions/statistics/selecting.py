"""Elements by rank: of sorted lines, or of one long line by radix selection.

A GPU finds an element of a rank digit by digit, from the first one: those that agree with the
digits so far are counted by their next digit, and the running sum of these counts has the rank in
one bin. So each digit takes one pass over the line, which is never sorted. Elements are compared as
unsigned integers of the same order, as `kernels/keys.h` has it: NaN last, and -0.0 as 0.0.
"""

from __future__ import annotations

import functools
from typing import Final

from xarr import dtypes, layout, tuning
from xarr.array.array import Array
from xarr.array.cached_calls import cached_call
from xarr.array.layouts import settled
from xarr.dtypes import BOOL, COMPLEX, INTEGER, REAL, DType
from xarr.functions.create import ranges
from xarr.functions.index.searching import where
from xarr.functions.reduce import reductions
from xarr.functions.shape.joining import concat
from xarr.functions.sort.sorting import sort
from xarr.ir.operation import Operation, interned
from xarr.ir.views import storage_view
from xarr.ops import gather, histogram
from xarr.tape import builder, recorders

_DIGITS: Final = {1: (8,), 2: (8, 8), 4: (11, 11, 10), 8: (11, 11, 11, 11, 10, 10)}
"""The bits of each digit, by the bytes of an element; as many bins as a group's memory holds."""
_UNSIGNED: Final = {1: dtypes.uint8, 2: dtypes.uint16, 4: dtypes.uint32, 8: dtypes.uint64}
_FRACTIONS: Final = {2: 10, 4: 23, 8: 52}
"""The bits of a floating-point number's fraction, by its bytes."""


class Ordered:
    """The elements of lines by their rank among those of the line.

    values : Array, shape (lines, length)
    """

    def __init__(self, values: Array) -> None:
        self.values = values

    @functools.cached_property
    def _sorted(self) -> Array:
        return sort(self.values)

    def picked(self, ranks: Array) -> Array:
        """Return the elements at ranks, shape (..., 1 or lines), of each line."""
        return self.both(ranks, ranks)[0]

    def at(self, rank: int) -> tuple[Array, Array]:
        """Return the elements of a rank, shape (lines,), and those of the next one."""
        if self._is_selected(1):
            pair = selected(self.values, rank)
            return pair[:1], pair[1:]
        return self._sorted[:, rank], self._sorted[:, min(rank + 1, self.values.shape[1] - 1)]

    def both(self, ranks: Array, following: Array) -> tuple[Array, Array]:
        """Return the elements at ranks, and at others, each of which is the same or one more."""
        if not self._is_selected(ranks.size):
            return picked(self._sorted, ranks), picked(self._sorted, following)
        flat = ranks.reshape(-1)
        pairs = [selected(self.values, flat[at : at + 1]) for at in range(flat.size)]
        found, after = (concat([pair[at : at + 1] for pair in pairs]) for at in (0, 1))
        others = where(flat == following.reshape(-1), found, after)
        return found.reshape(ranks.shape), others.reshape(ranks.shape)

    def nan_where_any_is(self, result: Array) -> Array:
        """Return a result, shape (..., lines), but NaN where an element of the line is."""
        is_sorted = "_sorted" in vars(self)
        last = self._sorted[:, -1] if is_sorted else reductions.max(self.values, axis=1)
        return nan_where(last, result)

    def _is_selected(self, ranks: int) -> bool:
        """Return whether so many ranks of one line are found without sorting it."""
        view = self.values._view
        count, length = view.shape
        if view.device.info.loop_per_item or view.dtype.kind == COMPLEX or recorders.active():
            return False  # derivatives go through the order of all elements
        return count == 1 and length >= tuning.SELECTED * view.dtype.itemsize**2 * ranks


@cached_call
def selected(values: Array, rank: Array | int) -> Array:
    """Return the elements of a rank and of the next one among all, if there is one, shape (2,).

    `rank` is a number, or an array of shape (1,).
    """
    row = values._view.dtype
    unsigned = _UNSIGNED[row.itemsize]
    bits = values.reshape(-1).view(unsigned.numpy)._view
    keys = builder.defer(interned(_key_operation, row), (bits,), bits.shape)
    shift = 8 * row.itemsize
    rank_of = rank
    prefix: Array | None = None
    for width in _DIGITS[row.itemsize]:
        shift -= width
        given = (keys,) if prefix is None else (keys, prefix._view)
        operation = interned(_digit_operation, unsigned, shift, width, len(given))
        digits = builder.defer(operation, given, keys.shape)
        running = reductions.cumulative_sum(Array(histogram.counts(digits, 1 << width)))
        is_before = running <= rank
        digit = reductions.sum(is_before, keepdims=True).astype(unsigned.numpy)
        rank = rank - reductions.max(where(is_before, running, 0), keepdims=True)
        prefix = digit if prefix is None else prefix * (1 << width) + digit
    assert prefix is not None
    others = Array(keys)
    most = 2 ** (8 * row.itemsize) - 1
    above = reductions.min(where(others > prefix, others, most), keepdims=True)
    repeats = rank_of < reductions.sum(others <= prefix, keepdims=True) - 1
    both = concat([prefix, where(repeats, prefix, above)])
    found = builder.defer(interned(_bits_operation, row), (both._view,), (2,))
    assert found.storage is not None
    return Array(storage_view(found.storage, layout.contiguous((2,)), row))


def picked(ordered: Array, ranks: Array) -> Array:
    """Return the elements at ranks, shape (..., 1 or lines), of lines that are sorted."""
    count, length = ordered.shape
    starts = ranges.arange(count, dtype="int64", device=ordered.device) * length
    flat = ordered.reshape(-1)
    places = settled(flat)
    return Array(gather.take(flat._view, places, [(0, (ranks + starts)._view)], 0))


def nan_where(last: Array, result: Array) -> Array:
    """Return the result, but NaN where the last one of a line's elements is."""
    if last._view.dtype.kind not in dtypes.FLOATING:
        return result
    return where(last != last, last.astype(result.dtype), result)


def _words(row: DType) -> tuple[str, str, str, str]:
    """Return the bits of a type's sign, all bits, and those of infinity and NaN, as C constants."""
    sign = 1 << 8 * row.itemsize - 1
    fraction = 1 << _FRACTIONS.get(row.itemsize, 0)
    words = sign, 2 * sign - 1, sign - fraction, sign - fraction // 2
    return tuple(map(hex, words))  # type: ignore[return-value]


def _key_operation(row: DType) -> Operation:
    unsigned = _UNSIGNED[row.itemsize]
    sign, all_, infinity, _ = _words(row)
    text = "{0}"
    if row.kind == REAL:
        size = f"({{0}} & ({sign} - 1))"
        text = f"{size} > {infinity} ? {all_} : {size} == 0 ? {sign} : "
        text += f"({{0}} & {sign}) != 0 ? {all_} - {{0}} : {{0}} | {sign}"
    elif row.kind in INTEGER and row not in _UNSIGNED.values():
        text = f"{{0}} ^ {sign}"
    elif row.kind == BOOL:
        text = "{0} != 0"
    return Operation("key", (unsigned,), unsigned, f"({unsigned.compute})({text})")


def _bits_operation(row: DType) -> Operation:
    """Return the operation that makes the bits of an element of its key."""
    unsigned = _UNSIGNED[row.itemsize]
    sign, all_, _, nan = _words(row)
    text = "{0}"
    if row.kind == REAL:
        number = f"({{0}} & {sign}) != 0 ? {{0}} - {sign} : {all_} - {{0}}"
        text = f"{{0}} == {all_} ? {nan} : {number}"
    elif row.kind in INTEGER and row not in _UNSIGNED.values():
        text = f"{{0}} ^ {sign}"
    return Operation("bits", (unsigned,), unsigned, f"({unsigned.compute})({text})")


def _digit_operation(keys: DType, shift: int, width: int, operands: int) -> Operation:
    """Return the operation that makes a key's digit, or of another beginning no bin."""
    bins = 1 << width
    text = f"(i64)({{0}} >> {shift} & {bins - 1}u)"
    if operands == 2:
        text = f"({{0}} >> {shift + width}) == {{1}} ? {text} : (i64){bins}"
    return Operation("digit", (keys,) * operands, dtypes.int64, f"({text})")
