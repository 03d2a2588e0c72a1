"""Joining and repeating: results of several parts.

Each part is written in one kernel, together with what computes it. Small arrays that are there are
joined by NumPy.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, SupportsIndex

import numpy

from xarr import dtypes, layout, tuning
from xarr.array.array import Array, ArrayLike, Axis, DTypeLike, Out, made
from xarr.array.cached_calls import by_numpy, cached_call
from xarr.array.coerce import array_of, as_array, numbers, stored_number
from xarr.array.layouts import settled, view
from xarr.array.out_argument import deliver, require_castable, require_casting, single
from xarr.array.transfers import Host, openly, uploaded
from xarr.backends.device import Device, promoted, require_together
from xarr.codegen.expressions import rolled
from xarr.dtypes import DType
from xarr.errors import operand_of, refused, type_error, value_error
from xarr.functions.calls.on_host import host_of
from xarr.functions.elementwise import elementwise
from xarr.functions.shape.manipulation import (
    at_least,
    broadcast_to,
    copied_as,
    expand_dims,
    integers,
    ravel,
    reshape,
    with_axes,
    with_three_axes,
)
from xarr.ir.operation import interned
from xarr.ir.storage import Storage
from xarr.ir.views import View, constant, storage_view
from xarr.layout import Layout, Shape, integer, normalize_axis
from xarr.ops import gather, vendor
from xarr.tape import builder


class Assembly:
    """A new array in C order that is written part by part.

    `run` is how many elements of a part follow each other, where that may be few.
    """

    def __init__(
        self, shape: Shape, dtype: DType, device: Device, run: int = tuning.JOINED_RUN
    ) -> None:
        self.layout = layout.contiguous(shape)
        self.dtype = dtype
        self.storage: Storage = _blank(shape, dtype, device, run)

    def put(self, begin: Sequence[int], shape: Shape, value: View) -> None:
        """Write a value that broadcasts to `shape` at the indices that begin at `begin`."""
        where = self.part(begin, shape)
        builder.write(self.storage, where, self.dtype, builder.converted(value, self.dtype))

    def part(self, begin: Sequence[int], shape: Shape) -> Layout:
        """The layout of the part of `shape` at `begin`."""
        strides = self.layout.strides
        return Layout(shape, strides, sum(map(operator.mul, begin, strides)))

    def array(self) -> Array:
        """The whole."""
        return Array(storage_view(self.storage, self.layout, self.dtype))


def _blank(shape: Shape, dtype: DType, device: Device, run: int) -> Storage:
    """A storage for an array that is written part by part: where it is zeros at first, one kernel.

    With the kernel is what reads the whole. A CPU copies large parts, and such as alternate, faster
    one by one, and a GPU those that are long rows.
    """
    size = math.prod(shape)
    most = tuning.JOINED if run >= tuning.JOINED_RUN else tuning.ALTERNATING
    are_rows = run >= tuning.JOINED_ROW and run * shape[0] == size
    if size > most if device.info.loop_per_item else are_rows:
        return builder.blank(shape, dtype, device)
    view = constant(dtype.numpy.type(0).item(), dtype, shape, device)
    builder.materialise(view)
    assert view.storage is not None
    return view.storage


_PARTS: Final = 16


def made_by_parts(size: int, itemsize: int, part: Callable[[int, int], Array]) -> Array:
    """Make a vector of `part(first, last)`, of all elements at once if they are not many.

    Else by parts, so that what is in between takes less memory.
    """
    if size * itemsize <= tuning.PARTED_NBYTES:
        return part(0, size)
    step = -(-size // _PARTS)
    whole: Assembly | None = None
    for first in range(0, size, step):
        found = part(first, min(first + step, size))
        whole = whole or Assembly((size,), found._view.dtype, found.device)
        whole.put([first], found.shape, found._view)
        builder.settle(found.device)
    assert whole is not None
    return whole.array()


def _arrays(values: Any, where: str) -> list[Array]:
    """A sequence argument as Arrays on one device."""
    scalar = isinstance(values, str | bytes) or getattr(values, "ndim", 1) == 0
    if scalar or not (hasattr(values, "__len__") and hasattr(values, "__getitem__")):
        fault = f"{operand_of(where)} is of type {type(values).__name__}"
        accepted = 'arrays to stack must be passed as a "sequence" type such as list or tuple'
        raise type_error(where, fault, accepted)
    items = list(values)
    if not items:
        raise value_error(
            where, f"{operand_of(where)} is empty", "it must hold arrays: need at least one array"
        )
    device = next((item.device for item in items if type(item) is Array), None)
    arrays = [
        item if type(item) is Array else as_array(item, where, "an array", device=device)
        for item in items
    ]
    for item in arrays:
        require_together(item._view.device, arrays[0]._view.device, where)
    return arrays


def _promoted(
    arrays: Sequence[Array], where: str, dtype: DTypeLike = None, casting: str = "same_kind"
) -> DType:
    """The data type of a result: the one asked for, else what the arrays promote to."""
    require_casting(casting, where)
    if dtype is not None:
        row = dtypes.lookup(dtype, where)
        for item in arrays:
            require_castable(item._view.dtype, row, casting, where, "an array", "dtype is")
        return row
    return promoted([item._view.dtype for item in arrays], arrays[0].device, where)


@cached_call
def concat(
    arrays: Any,
    /,
    axis: SupportsIndex | None = 0,
    out: Out = None,
    *,
    dtype: DTypeLike = None,
    casting: str = "same_kind",
) -> Array:
    """Join arrays along an axis that they have.

    arrays : sequence of Array, shapes (..., N1, ...), (..., N2, ...), ...
        The arrays; their shapes agree except along the axis.

    -> Array, shape (..., N1 + N2 + ..., ...)

    TypeError -- If an operand is no array, out and dtype are both given, or casting forbids the
        conversion.
    ValueError -- If the shapes differ on another axis.

    >>> xarr.concat([xarr.arange(2), xarr.arange(3)]).tolist()
    [0, 1, 0, 1, 2]
    """
    where = "concat(arrays, axis)"
    return _joined(_arrays(arrays, where), axis, where, dtype, casting, out)


def _joined(
    parts: list[Array],
    axis: SupportsIndex | None,
    where: str,
    dtype: DTypeLike = None,
    casting: str = "same_kind",
    out: Out = None,
) -> Array:
    """`concat` of arrays on one device; errors name the calling function, `where`."""
    _require_one(out, dtype, where)
    if axis is None:
        parts, axis = [ravel(part) for part in parts], 0
    first = parts[0].shape
    if not first:
        fault = "an array is 0-dimensional"
        accepted = "arrays must have at least one axis"
        raise value_error(where, fault, accepted, "use stack, or axis=None")
    place = normalize_axis(axis, len(first), where)
    for part in parts:
        shape = part.shape
        if len(shape) != len(first) or any(
            one != other
            for number, (one, other) in enumerate(zip(shape, first, strict=True))
            if number != place
        ):
            fault = f"the shapes are {first} and {shape} and axis is {place}"
            remedy = "reshape or broadcast the arrays first, or join along another axis"
            raise value_error(where, fault, "shapes must agree except along the axis", remedy)
    row = _promoted(parts, where, dtype, casting)
    total = sum(part.shape[place] for part in parts)
    full = (*first[:place], total, *first[place + 1 :])
    device = parts[0].device
    is_small = math.prod(full) * row.itemsize <= tuning.KEPT_NBYTES
    if is_small and out is None and all(part._view.dtype is row for part in parts):
        views = [part._view for part in parts]
        found = vendor.deferred(
            "concat", (place,), lambda *x: numpy.concatenate(x, place), views, full, row
        )
        if found is not None:
            return Array(found)
    run = math.prod(first[place + 1 :]) * max(part.shape[place] for part in parts)
    whole = Assembly(full, row, device, run)
    begin = [0] * len(first)
    for part in parts:
        whole.put(begin, part.shape, part._view)
        begin[place] += part.shape[place]
    return _hand_over(whole, out, casting, where)


def _hand_over(whole: Assembly, out: Any, casting: str, where: str) -> Array:
    """The whole, or `out` of its shape after it was written to it."""
    result = whole.array()
    target = single(out, where)
    if target is not None and target.shape != result.shape:
        fault = f"out has shape {target.shape} and the result {result.shape}"
        raise value_error(where, fault, "both must be equal")
    return deliver(result, target, where, casting=casting)


def _require_one(out: Any, dtype: DTypeLike, where: str) -> None:
    if out is not None and dtype is not None:
        raise type_error(where, "out and dtype are both given", "one of them must be left out")


@by_numpy(numpy.stack)
@cached_call
def stack(
    arrays: Any,
    axis: SupportsIndex = 0,
    out: Out = None,
    *,
    dtype: DTypeLike = None,
    casting: str = "same_kind",
) -> Array:
    """Join arrays of one shape along a new axis.

    axis : int -- The position of the new axis in the result.
    arrays : sequence of Array or values -- The arrays.

    -> Array, shape with one more axis, of the data type that the arrays promote to

    TypeError -- If an operand is no array, out and dtype are both given, or casting forbids the
        conversion.

    >>> xarr.stack([xarr.arange(2), xarr.arange(2)], axis=1).tolist()
    [[0, 0], [1, 1]]
    """
    where = "stack(arrays, axis)"
    _require_one(out, dtype, where)
    parts = _arrays(arrays, where)
    shape = parts[0].shape
    for part in parts:
        if part.shape != shape:
            fault = f"the shapes are {shape} and {part.shape}"
            remedy = "reshape or broadcast the arrays first, or join them with concatenate"
            raise value_error(where, fault, "all shapes must agree", remedy)
    place = normalize_axis(axis, len(shape) + 1, where, "the result")
    full = layout.require_possible((*shape[:place], len(parts), *shape[place:]), where)
    row = _promoted(parts, where, dtype, casting)
    whole = Assembly(full, row, parts[0].device, math.prod(shape[place:]))
    strides = whole.layout.strides
    for number, part in enumerate(parts):
        target = Layout(shape, (*strides[:place], *strides[place + 1 :]), number * strides[place])
        builder.write(
            whole.storage, target, whole.dtype, builder.converted(part._view, whole.dtype)
        )
    return _hand_over(whole, out, casting, where)


@by_numpy(numpy.roll)
@cached_call
def roll(a: ArrayLike, shift: Any, axis: Axis = None) -> Array:
    """Move elements along axes; those that leave at one end come in at the other.

    shift : int or tuple of int -- By how many places elements move towards higher indices.
    axis : int or tuple of int, optional -- The axes: one for each shift, or a single axis or shift
        for all. None shifts the flattened array.

    -> Array, shape and data type of a

    ValueError -- If there are several shifts and several axes, but not as many of both.

    >>> xarr.roll(xarr.arange(5), 2).tolist()
    [3, 4, 0, 1, 2]
    """
    where = "roll(a, shift, axis)"
    x = array_of(a, where, "a")
    view = x._view
    if axis is None and len(view.shape) == 1:
        axis = 0
    if axis is None:
        total = sum(_shifts(shift, where))
        return reshape(roll(ravel(x), total, 0), view.shape)
    shifts, axes = _shifts(shift, where), integers(axis, where, "axis")
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        fault = f"there are {len(shifts)} shifts and {len(axes)} axes"
        raise value_error(where, fault, "there must be as many of both, or one of either")
    count = max(len(shifts), len(axes)) if shifts and axes else 0
    moves = [0] * len(view.shape)
    for number in range(count):
        place = normalize_axis(axes[number % len(axes)], len(view.shape), where)
        moves[place] += shifts[number % len(shifts)]
    if math.prod(view.shape) < 2:
        return Array(builder.copied(view))
    moves = [move % extent for move, extent in zip(moves, view.shape, strict=True)]
    settled(x)
    opcode = builder.elementwise(interned(rolled, view.dtype, tuple(moves)), (view,), view.shape)
    return made(builder.computed(opcode, (view,)))


def _shifts(shift: Any, where: str) -> list[int]:
    """Return shifts as integers: the integer parts of other numbers, as in NumPy."""
    try:
        return integers(shift, where, "shift")
    except TypeError:
        shifts = numbers(host_of(shift, where), dtypes.int64, where, "shift")
    if shifts.ndim > 1:
        raise value_error(where, f"shift has {shifts.ndim} dimensions", "it must be a sequence")
    return [int(one) for one in shifts.flat]


@by_numpy(numpy.ndarray.repeat)
@cached_call
def repeat(a: ArrayLike, repeats: Any, axis: SupportsIndex | None = None) -> Array:
    """Repeat each element, one after the other.

    repeats : int, or integer Array, shape (N,) or (1,)
        How often to repeat each element, or a number for each index along the axis. If it is an
        Array, the call waits for the device.

    -> Array, of the data type of a; with one axis where axis is None

    ValueError -- If a number is negative, or there are neither one nor as many as the axis has
        elements.
    TypeError -- If a cannot be converted to an Array, or an array `repeats` does not hold integers
        or has several axes.
    MemoryError -- If the result does not fit into the device's memory.

    >>> xarr.repeat(xarr.asarray([3, 4]), 2).tolist()
    [3, 3, 4, 4]
    """
    where = "repeat(a, repeats, axis)"
    x = array_of(a, where, "a")
    if axis is None:
        x, axis = ravel(x), 0
    if not x.ndim:
        x = ravel(x)
    view = x._view
    place = normalize_axis(axis, len(view.shape), where)
    counts = numpy.asarray(host_of(repeats, where))
    # Of numbers and lists NumPy takes the integer parts; arrays of floats it refuses.
    if counts.dtype.kind == "b" or not isinstance(repeats, Array | numpy.ndarray):
        counts = numbers(counts.tolist(), dtypes.int64, where, "repeats")
    if not numpy.can_cast(counts.dtype, numpy.int64) or counts.ndim > 1:
        fault = f"repeats has dtype {counts.dtype} and shape {counts.shape}"
        raise type_error(where, fault, "repeats must be an integer, or a vector of integers")
    extent = view.shape[place]
    if counts.size and counts.min() < 0:
        raise value_error(where, f"repeats holds {counts.min()}", "repeats must not be negative")
    shape = view.shape
    one = counts.size == 1
    total = extent * int(counts.item()) if one else sum(counts.tolist())
    layout.require_possible((*shape[:place], total, *shape[place + 1 :]), where)
    if one:
        return _repeated(x, place, int(counts.item()))
    if counts.size != extent:
        fault = f"repeats has {counts.size} elements"
        accepted = f"it must have one for each of the {extent} of axis {place}, or one for all"
        raise value_error(where, fault, accepted)
    nbytes = total * dtypes.int64.itemsize
    if nbytes > x.device.memory_nbytes:
        fault = f"repeats asks for {total} elements, whose places take {nbytes} bytes"
        accepted = f"they must fit into the {x.device.memory_nbytes} bytes of {x.device}"
        raise refused(MemoryError, where, fault, accepted, "work in smaller pieces")
    sources = numpy.repeat(numpy.arange(extent, dtype=numpy.int64), counts)
    return Array(taken_at(x, place, sources))


def taken_at(x: Array, axis: int, positions: Host) -> View:
    """The view of the elements at positions along an axis, which are known to be in range."""
    where = settled(x)
    with openly():
        index = uploaded(positions, x.device, "positions")
    return gather.take(x._view, where, [(axis, index)], axis)


def taken_from(vector: Array, index: Array) -> Array:
    """The elements of a vector at indices that are in range."""
    return Array(gather.take(vector._view, settled(vector), [(0, index._view)], 0))


def _repeated(x: Array, axis: int, count: int) -> Array:
    given = settled(x)
    shape, strides = given.shape, given.strides
    spread = Layout(
        (*shape[: axis + 1], count, *shape[axis + 1 :]),
        (*strides[: axis + 1], 0, *strides[axis + 1 :]),
        given.offset,
    )
    result = (*shape[:axis], shape[axis] * count, *shape[axis + 1 :])
    return copied_as(x, spread, result)


@by_numpy(numpy.tile)
@cached_call
def tile(A: ArrayLike, reps: Any) -> Array:  # noqa: N803 - NumPy's name
    """Repeat an array along its axes.

    reps : int or tuple of int -- How often to repeat along each axis. The shorter of reps and the
        shape of A is padded with 1 in front.

    -> Array of the data type of A -- The extent of each axis is A's times the entry of reps.

    ValueError -- If a number of repetitions is negative, or the result has too many elements.

    >>> xarr.tile(xarr.asarray([1, 2]), 2).tolist()
    [1, 2, 1, 2]
    """
    where = "tile(A, reps)"
    x = array_of(A, where, "A")
    times = integers(reps, where, "reps")
    if any(count < 0 for count in times):
        raise value_error(where, f"reps is {reps!r}", "numbers of repetitions must not be negative")
    ndim = max(x.ndim, len(times))
    times = [1] * (ndim - len(times)) + times
    given = settled(x)
    extents = (1,) * (ndim - x.ndim) + given.shape
    strides = (0,) * (ndim - x.ndim) + given.strides
    spread = Layout(
        tuple(itertools.chain.from_iterable(zip(times, extents, strict=True))),
        tuple(itertools.chain.from_iterable((0, stride) for stride in strides)),
        given.offset,
    )
    shape = tuple(count * extent for count, extent in zip(times, extents, strict=True))
    return copied_as(x, spread, layout.require_possible(shape, where))


@by_numpy(numpy.append, 2)
def append(arr: ArrayLike, values: Any, axis: SupportsIndex | None = None) -> Array:
    """Join values to the end of an array along an axis; None flattens both first.

    values : Array or values -- The values, of the shape of arr except along the axis.

    -> Array, of the data type that arr and values promote to

    ValueError -- If the shapes differ on another axis.

    >>> xarr.append(xarr.arange(2), 7).tolist()
    [0, 1, 7]
    """
    return _appended(arr, stored_number(values, arr), axis)


@cached_call
def _appended(arr: ArrayLike, values: Any, axis: SupportsIndex | None) -> Array:
    where = "append(arr, values, axis)"
    return _joined(_arrays([arr, values], where), axis, where)


@by_numpy(numpy.vstack)
@cached_call
def vstack(tup: Any, *, dtype: DTypeLike = None, casting: str = "same_kind") -> Array:
    """Join arrays along the first axis, vectors as rows.

    tup : sequence of Array or values -- The arrays.

    -> Array, shape (M1 + M2 + ..., N, ...), of the data type that the arrays promote to

    TypeError -- If `tup` is no sequence of arrays.
    """
    where = "vstack(tup)"
    return _joined(
        [with_axes(item, 2, where) for item in _arrays(tup, where)], 0, where, dtype, casting
    )


@by_numpy(numpy.hstack)
@cached_call
def hstack(tup: Any, *, dtype: DTypeLike = None, casting: str = "same_kind") -> Array:
    """Join arrays along the second axis, vectors along the first.

    tup : sequence of Array or values -- The arrays.

    -> Array, shape (M, N1 + N2 + ..., ...), of the data type that the arrays promote to

    TypeError -- If `tup` is no sequence of arrays.
    """
    where = "hstack(tup)"
    parts = [with_axes(item, 1, where) for item in _arrays(tup, where)]
    return _joined(parts, 0 if parts[0].ndim == 1 else 1, where, dtype, casting)


@by_numpy(numpy.dstack)
@cached_call
def dstack(tup: Any) -> Array:
    """Join arrays along the third axis; `atleast_3d` gives vectors and matrices the missing axes.

    tup : sequence of Array or values -- The arrays.

    -> Array, shape (M, N, K1 + K2 + ..., ...), of the data type that the arrays promote to

    TypeError -- If `tup` is no sequence of arrays.
    """
    where = "dstack(tup)"
    return _joined([with_three_axes(item, where) for item in _arrays(tup, where)], 2, where)


@by_numpy(numpy.column_stack)
@cached_call
def column_stack(tup: Any) -> Array:
    """Join vectors as the columns of a matrix; a matrix adds all its columns.

    tup : sequence of Array or values -- The arrays.

    -> Array, shape (M, N1 + N2 + ...), of the data type that the arrays promote to

    TypeError -- If `tup` is no sequence of arrays.
    """
    where = "column_stack(tup)"
    parts = []
    for item in _arrays(tup, where):
        part = with_axes(item, 1, where)
        parts.append(expand_dims(part, 1) if part.ndim == 1 else part)
    return _joined(parts, 1, where)


@cached_call
def diff(
    a: ArrayLike,
    n: SupportsIndex = 1,
    axis: SupportsIndex = -1,
    prepend: Any = None,
    append: Any = None,
) -> Array:
    """Subtract each element along an axis from the next; for bools, tell whether they differ.

    prepend, append : Array or scalar, optional
        Values to join to a first, before and after it along the axis.
    n : int -- How many times to take differences.

    -> Array
        Of the shape and data type of prepend, a and append joined, but n elements shorter along the
        axis.

    ValueError -- If `n` is negative, or the shapes of `prepend` or `append` and of a differ in
        other axes.

    >>> xarr.diff(xarr.asarray([1, 4, 9])).tolist()
    [3, 5]
    """
    where = "diff(a, n, axis)"
    result = at_least(as_array(a, where, "a"), 1, where)
    times = integer(n, where, "n")
    if times < 0:
        raise value_error(where, f"n is {times}", "n must not be negative")
    if times == 0:
        return result
    place = normalize_axis(axis, result.ndim, where)
    line = (*result.shape[:place], 1, *result.shape[place + 1 :])
    if prepend is not None:
        before = _line(prepend, result, line, "diff(a, n, axis, prepend)", "prepend")
        result = _joined([before, result], place, "diff(a, n, axis, prepend)")
    if append is not None:
        after = _line(append, result, line, "diff(a, n, axis, append)", "append")
        result = _joined([result, after], place, "diff(a, n, axis, append)")
    boolean = result._view.dtype.kind == dtypes.BOOL
    minus = elementwise.not_equal if boolean else elementwise.subtract
    for _ in range(min(times, result.shape[place])):
        given = settled(result)
        shape = (*given.shape[:place], given.shape[place] - 1, *given.shape[place + 1 :])
        later = Layout(shape, given.strides, given.offset + given.strides[place])
        earlier = Layout(shape, given.strides, given.offset)
        result = minus(view(result, later), view(result, earlier))
    return result


def _line(item: Any, x: Array, shape: Shape, where: str, name: str) -> Array:
    """An item to join to an array; a scalar is broadcast to one element along the axis."""
    extra = as_array(item, where, name, device=x.device)
    return extra if extra.ndim else broadcast_to(extra, shape)
