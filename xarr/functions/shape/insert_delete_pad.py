"""Arrays with parts taken out or put in, of other sizes, and with something around them.

Padding fills one axis after the other in the memory of the result; it begins with the first.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, SupportsIndex

import numpy

from xarr import dtypes, layout
from xarr.array.array import Array, ArrayLike
from xarr.array.cached_calls import by_numpy, cached_call
from xarr.array.coerce import array_of, as_array
from xarr.array.layouts import keep_array, settled, view
from xarr.array.transfers import Host
from xarr.backends.device import default_float
from xarr.errors import refused, type_error, value_error
from xarr.functions.calls.on_host import host_of
from xarr.functions.create import creation, fills
from xarr.functions.create.creation import shape_of
from xarr.functions.elementwise import arithmetic, elementwise
from xarr.functions.index import indexing, searching
from xarr.functions.reduce import reductions
from xarr.functions.shape import joining, manipulation
from xarr.functions.shape.joining import Assembly, taken_at
from xarr.functions.sort.sorting import sort
from xarr.ir.views import View, constant, storage_view
from xarr.layout import Layout, Shape, normalize_axis
from xarr.tape import builder


def resized(values: Array, shape: Shape) -> Array:
    """The elements in C order under another shape, from the first again when they end."""
    size = math.prod(shape)
    if values.size == 1:
        one = manipulation.reshape(values, ())
        return Array(builder.broadcast(one._view, shape))
    flat = manipulation.ravel(values)
    if size <= flat.size:
        return manipulation.reshape(flat[:size], shape)
    row, device, length = flat._view.dtype, flat._view.device, flat.size
    times = size // length
    storage = builder.blank((size,), row, device)
    whole = Layout((times, length), (length, 1))
    builder.write(storage, whole, row, builder.broadcast(flat._view, whole.shape))
    if rest := size - times * length:
        last = Layout((rest,), (1,), times * length)
        builder.write(storage, last, row, flat[:rest]._view)
    return Array(storage_view(storage, layout.contiguous(shape), row))


@by_numpy(numpy.resize)
def resize(a: ArrayLike, new_shape: Any) -> Array:
    """Give an array another shape and size; repeat its elements where there are too few.

    new_shape : int or tuple of int -- The shape.

    -> Array, shape new_shape, of the data type of a

    Note: The method `x.resize` fills with zeros instead.

    >>> xarr.resize(xarr.asarray([1, 2, 3]), (2, 2)).tolist()
    [[1, 2], [3, 1]]
    """
    where = "resize(a, new_shape)"
    x = array_of(a, where, "a")
    shape = layout.require_possible(shape_of(new_shape, where, "new_shape"), where)
    if not x.size or not math.prod(shape):
        return Array(constant(x.dtype.type(0).item(), x._view.dtype, shape, x._view.device))
    found = resized(x, shape)
    is_new = 1 < x.size < found.size
    return keep_array(found if is_new else Array(builder.copied(found._view)))


@by_numpy(numpy.delete, 2)
@cached_call
def delete(arr: ArrayLike, obj: Any, axis: SupportsIndex | None = None) -> Array:
    """Remove elements, or the slices at indices along an axis, from an array.

    obj : int, slice, integer Array, or bool Array of shape (N,)
        The indices along the axis to remove. If it is an Array, the call waits for the device.

    -> Array, shape of arr with fewer elements along the axis, of the data type of arr

    IndexError -- If an index is out of range, or `obj` holds other numbers than integers.
    ValueError -- If a mask has another length than the axis.

    >>> xarr.delete(xarr.arange(5), [1, 3]).tolist()
    [0, 2, 4]
    """
    where = "delete(arr, obj, axis)"
    x = array_of(arr, where, "arr")
    if axis is None:
        x, axis = manipulation.ravel(x), 0
    place = normalize_axis(axis, x.ndim, where)
    extent = x.shape[place]
    run = _run(obj, extent, place, where)
    if run is not None:
        start, stop = run
        parts = [_part(x, place, 0, start), _part(x, place, stop, extent)]
        some = [part for part in parts if part.shape[place]]
        return joining.concat(some or parts[:1], axis=place)
    if type(obj) is Array:
        keep = fills.ones((extent,), dtype="bool", device=x.device)
        indexing.setitem(keep, _places(obj, extent, where), False)
        (kept,) = searching.nonzero(keep)
        return searching.take(x, kept, axis=place)
    keeping = numpy.ones(extent, bool)
    places = _host_places(obj, extent, where)
    try:
        keeping[places] = False
    except IndexError as error:
        accepted = f"it must be in [{-extent}, {extent})"
        raise refused(IndexError, where, str(error), accepted) from None
    return Array(taken_at(x, place, numpy.flatnonzero(keeping)))


def _run(obj: Any, extent: int, axis: int, where: str) -> tuple[int, int] | None:
    """The run of elements that one integer, or a slice without gaps, names."""
    if isinstance(obj, slice):
        places = range(*obj.indices(extent))
        if len(places) == 0:
            return 0, 0
        gaps = abs(places.step) > 1 and len(places) > 1
        return None if gaps else (min(places), max(places) + 1)
    if isinstance(obj, bool | numpy.bool_) or getattr(obj, "dtype", None) == numpy.bool_:
        return None
    try:
        at = operator.index(obj)
    except TypeError:
        return None
    if not -extent <= at < extent:
        fault = f"the index {at} is out of bounds"
        accepted = f"axis {axis} has {extent} elements, so it must be in [{-extent}, {extent})"
        raise refused(IndexError, where, fault, accepted)
    at %= extent
    return at, at + 1


def _part(x: Array, axis: int, start: int, stop: int) -> Array:
    given = settled(x)
    shape = (*given.shape[:axis], stop - start, *given.shape[axis + 1 :])
    offset = given.offset + (start * given.strides[axis] if stop > start else 0)
    return view(x, Layout(shape, given.strides, offset))


def _places(obj: Array, extent: int, where: str) -> Array:
    """An Array of indices, or of bools for each element."""
    kind = obj._view.dtype.kind
    if kind == dtypes.BOOL and obj.shape != (extent,):
        raise _wrong_mask(obj.shape, extent, where)
    if kind not in (dtypes.BOOL, *dtypes.INTEGER):
        raise _wrong_index(str(obj.dtype), where)
    return obj if kind == dtypes.BOOL else manipulation.ravel(obj)


def _host_places(obj: Any, extent: int, where: str) -> Any:
    """`_places` of values on the host; a slice is returned as it is."""
    if isinstance(obj, slice):
        return obj
    values = numpy.asarray(host_of(obj, where))
    if not values.size and type(obj) in (list, tuple):
        return values.astype(numpy.int64)
    if values.dtype == numpy.bool_:
        if values.shape != (extent,):
            raise _wrong_mask(values.shape, extent, where)
        return values
    if values.dtype.kind not in "iu":
        raise _wrong_index(str(values.dtype), where)
    return values.reshape(-1)


def _wrong_mask(shape: Shape, extent: int, where: str) -> ValueError:
    fault = f"the mask obj has shape {shape}"
    return value_error(
        where, fault, f"it must have an element for each of the {extent} of the axis"
    )


def _wrong_index(dtype: str, where: str) -> IndexError:
    accepted = "it must be an integer, a slice, or an integer or bool array"
    return refused(IndexError, where, f"obj has dtype {dtype}", accepted)


@by_numpy(numpy.insert, 3)
@cached_call
def insert(arr: ArrayLike, obj: Any, values: Any, axis: SupportsIndex | None = None) -> Array:
    """Insert values in front of elements of an array, along an axis.

    obj : int, slice, integer Array, or bool Array of shape (N,)
        The indices along the axis to insert before; N for the end.
    values : Array or values
        The values; they broadcast over the other axes, and over several indices.

    -> Array, shape of arr with more elements along the axis, of the data type of arr

    IndexError -- If an index is out of range, or no integer.
    ValueError -- If `obj` has more than one axis, or `values` does not broadcast to the indices.

    >>> xarr.insert(xarr.asarray([1, 2, 3]), 1, 9).tolist()
    [1, 9, 2, 3]
    """
    where = "insert(arr, obj, values, axis)"
    x = array_of(arr, where, "arr")
    if axis is None:
        x, axis = manipulation.ravel(x), 0
    place = normalize_axis(axis, x.ndim, where)
    extent = x.shape[place]
    fresh = as_array(values, where, "values", dtype=x.dtype, device=x.device)
    fresh = manipulation.with_axes(fresh, x.ndim, where)
    at = _insertions(obj, extent, where)
    if at.size and (at.min() < -extent or at.max() > extent):
        fault = f"the index {at.min() if at.min() < -extent else at.max()} is out of bounds"
        accepted = f"axis {place} has {extent} elements, so it must be in [{-extent}, {extent}]"
        raise refused(IndexError, where, fault, accepted)
    at = numpy.where(at < 0, at + extent, at)
    if not at.ndim or at.size == 1:
        first = int(at.reshape(-1)[0])
        if not at.ndim:
            fresh = manipulation.moveaxis(fresh, 0, place)
        count = fresh.shape[place]
        between = _over(fresh, x.shape, place, count, where)
        parts = [_part(x, place, 0, first), between, _part(x, place, first, extent)]
        some = [part for part in parts if part.shape[place]]
        return joining.concat(some or [between], axis=place)
    between = _over(fresh, x.shape, place, at.size, where)
    order = numpy.argsort(at, kind="stable")
    at[order] += numpy.arange(at.size)
    sources = numpy.empty(extent + at.size, numpy.int64)
    old = numpy.ones(sources.size, bool)
    old[at] = False
    sources[at] = extent + numpy.arange(at.size)
    sources[old] = numpy.arange(extent)
    return Array(taken_at(joining.concat([x, between], axis=place), place, sources))


def _insertions(obj: Any, extent: int, where: str) -> Host:
    """The indices of `insert`, as integers on the host: without axes for one, else a vector."""
    if isinstance(obj, slice):
        return numpy.arange(*obj.indices(extent))
    values = numpy.asarray(host_of(obj, where))
    if not values.size and type(obj) in (list, tuple):
        return values.astype(numpy.int64)
    if values.dtype == numpy.bool_ and values.ndim == 1:
        return numpy.flatnonzero(values)
    if values.ndim > 1:
        raise value_error(where, f"obj has shape {values.shape}", "obj must be a vector of indices")
    if values.dtype.kind not in "iu":
        error = _wrong_index(str(values.dtype), where)
        raise TypeError(str(error)) if values.size == 1 else error
    if values.dtype == numpy.uint64:  # beyond int64 is out of range, and not negative
        values = numpy.minimum(values, numpy.uint64(2**63 - 1))
    return values.astype(numpy.int64)


def _over(fresh: Array, shape: Shape, axis: int, count: int, where: str) -> Array:
    """Values repeated over the shape of an array, with `count` along the axis."""
    return manipulation.broadcast_to(fresh, (*shape[:axis], count, *shape[axis + 1 :]))


def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: Any = None) -> Any:
    """Remove leading and trailing zeros. Waits for the device.

    The result is a view; for a list, a list.

    trim : str -- "f" for the front, "b" for the back, "fb" for both.
    axis : int or tuple of int, optional -- The axes to trim; None for all.

    -> Array, or list if filt is a list, of the data type of filt

    ValueError -- If `trim` has other letters than "f" and "b".

    >>> xarr.trim_zeros(xarr.asarray([0, 0, 1, 0, 2, 0])).tolist()
    [1, 0, 2]
    """
    where = "trim_zeros(filt, trim, axis)"
    ends = trim.lower()
    if ends not in ("f", "b", "fb", "bf"):
        raise value_error(where, f"trim is {trim!r}", "trim must be 'f', 'b' or 'fb'")
    x = array_of(filt, where, "filt")
    axes = layout.normalize_axes(axis, x.ndim, where)
    key = [slice(None)] * x.ndim
    for place in axes:
        others = tuple(number for number in range(x.ndim) if number != place)
        (found,) = searching.nonzero(reductions.any(x != 0, axis=others))
        low, high = (int(found[0]), int(found[-1]) + 1) if found.size else (0, 0)
        if not found.size:
            # Of zeros alone nothing stays: NumPy's slice begins where it ends.
            key[place] = slice(x.shape[place] if ends == "f" else 0, None if ends == "f" else 0)
            continue
        key[place] = slice(low if "f" in ends else None, high if "b" in ends else None)
    if isinstance(filt, list | tuple) and x.ndim == 1:
        return filt[key[0]]
    return indexing.getitem(x, tuple(key))


def _padded(array: Any, pad_width: Any) -> Any:
    """Pad with zeros, by NumPy; other modes compute what they pad with."""
    return numpy.pad(array, pad_width)


@by_numpy(_padded)
@cached_call
def pad(array: ArrayLike, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Array:
    """Pad an array.

    pad_width : int, (before, after), a sequence of such for each axis, or a dict of axes
        How many elements before and after.
    mode : str or callable
        The elements to pad with. "constant": a constant. "edge": the nearest element. "wrap": the
        array again. "reflect", "symmetric": the array mirrored without, or with, its last element.
        "linear_ramp": from the nearest element to an end. "maximum", "mean", "median", "minimum":
        this value of the elements along the axis. "empty": undefined values. A callable gets
        NumPy's vectors, as `numpy.pad` says, and runs on the host.
    constant_values, end_values : scalar, (before, after) or a sequence of such for each axis
        The constants, and the ends of ramps; 0 where they are not given.
    stat_length : int, (before, after) or a sequence of such for each axis -- How many elements next
        to the edge "maximum", "mean", "median" and "minimum" take; None for all.
    reflect_type : {"even", "odd"} -- "odd" subtracts the mirrored elements from two times the edge.
    kwargs : object -- Further arguments of a callable mode.

    -> Array, of the data type of array, shape with the pads added to each extent

    TypeError -- If the array cannot be converted to an Array, or a width is no integer.
    ValueError -- If `mode` is unknown or has no such keyword, or a width is negative.
    OverflowError -- If a constant is an integer that does not fit into the data type.

    >>> xarr.pad(xarr.arange(3), 2, mode="reflect").tolist()
    [2, 1, 0, 1, 2, 1, 0]
    """
    where = "pad(array, pad_width, mode)"
    x = array_of(array, where, "array")
    widths = _widths(pad_width, x.ndim, where)
    if callable(mode):
        padded = numpy.pad(host_of(x, where), widths, mode, **kwargs)
        return as_array(padded, where, device=x.device)
    _require_known(mode, kwargs, where)
    extents = (sum(pair, extent) for extent, pair in zip(x.shape, widths, strict=True))
    shape = layout.require_possible(tuple(extents), where)
    if mode not in ("constant", "empty"):
        for axis, (extent, pair) in enumerate(zip(x.shape, widths, strict=True)):
            if extent == 0 and any(pair):
                accepted = "can't extend empty axis {} using modes other than 'constant' or 'empty'"
                raise value_error(where, f"array has shape {x.shape}", accepted.format(axis))
    settings = _settings(mode, kwargs, x.ndim, where)
    values = [value for pair in settings for value in pair]
    if mode == "constant" and values and all(value == values[0] for value in values):
        how: Any = {"dtype": x._view.dtype, "device": x._view.device}
        filled = creation.full(shape, as_array(values[0], where, "constant_values", **how), **how)
        places = zip(widths, x.shape, strict=True)
        filled[tuple([slice(before, before + extent) for (before, _), extent in places])] = x
        return filled
    whole = Assembly(shape, x._view.dtype, x._view.device)
    whole.put([before for before, _ in widths], x.shape, x._view)
    if mode == "empty":
        return whole.array()
    for axis, (before, after) in enumerate(widths):
        extent = x.shape[axis]
        inside = _slab(x.shape, shape, widths, axis, before, extent)
        inner = Array(storage_view(whole.storage, whole.part(*inside), whole.dtype))
        sides = ((0, before), (before + extent, after))
        for side, (first, count) in enumerate(sides):
            if not count:
                continue
            border = _Border(inner, axis, first - before, count, side, settings[axis][side], where)
            whole.put(*_slab(x.shape, shape, widths, axis, first, count), _MODES[mode](border))
    return whole.array()


class _Border:
    """The padding at one side of an axis: `count` elements from index `first` of the array on."""

    def __init__(
        self, inner: Array, axis: int, first: int, count: int, side: int, setting: Any, where: str
    ) -> None:
        self.inner, self.axis, self.first, self.count = inner, axis, first, count
        self.side, self.setting, self.where = side, setting, where
        self.extent = inner.shape[axis]

    def positions(self) -> Host:
        """The indices along the axis, beyond its ends."""
        return numpy.arange(self.first, self.first + self.count)

    def edge(self, side: int) -> Array:
        """The first or the last element of each line."""
        return self.part(0 if side == 0 else self.extent - 1, 1)

    def part(self, begin: int, length: int) -> Array:
        key = [slice(None)] * self.inner.ndim
        key[self.axis] = slice(begin, begin + length)
        return self.inner[tuple(key)]

    def taken(self, source: Host) -> View:
        """The elements of each line at some positions; a view where these follow each other."""
        begin, step = int(source[0]), 1 if len(source) == 1 else int(source[1] - source[0])
        if abs(step) != 1 or (numpy.diff(source) != step).any():
            return taken_at(self.inner, self.axis, source)
        end = begin + step * len(source)
        key = [slice(None)] * self.inner.ndim
        key[self.axis] = slice(begin, None if end < 0 else end, step)
        return self.inner[tuple(key)]._view

    def line(self, values: Host) -> Array:
        """Values along the axis, on the device."""
        own = [1] * self.inner.ndim
        own[self.axis] = len(values)
        return as_array(values.reshape(own), self.where, device=self.inner.device)


def _constant(border: _Border) -> View:
    view, name = border.inner._view, "constant_values"
    how: Any = {"dtype": view.dtype, "device": view.device}
    return as_array(border.setting, border.where, name, **how)._view


def _ramp(border: _Border) -> View:
    view = border.inner._view
    row = default_float(view.device) if view.dtype.kind != dtypes.COMPLEX else view.dtype
    edge = Array(builder.converted(border.edge(border.side)._view, row))
    count = numpy.arange(border.count)
    steps = border.line(count if border.side == 0 else count[::-1].copy())
    end = as_array(border.setting, border.where, "end_values", device=view.device)
    ramp = steps * ((edge - end) / border.count) + end
    if view.dtype.kind in dtypes.INTEGER:
        ramp = elementwise.floor(ramp)
    return builder.converted(ramp._view, view.dtype)


def _statistic(function: Callable[..., Array]) -> Callable[[_Border], View]:
    def of(border: _Border) -> View:
        length = border.extent if border.setting is None else min(border.setting, border.extent)
        begin = 0 if border.side == 0 else border.extent - length
        result = function(border.part(begin, length), border.axis)
        row = border.inner._view.dtype
        if row.kind in dtypes.INTEGER and result._view.dtype.kind in dtypes.FLOATING:
            result = arithmetic.round(result)
        return builder.converted(result._view, row)

    return of


def _median(x: Array, axis: int) -> Array:
    if not x.shape[axis]:
        return reductions.mean(x, axis=axis, keepdims=True)
    ordered = sort(x, axis)
    middle = x.shape[axis] // 2
    key: list[Any] = [slice(None)] * x.ndim
    key[axis] = slice(middle, middle + 1)
    upper = ordered[tuple(key)]
    if x.shape[axis] % 2:
        return upper
    key[axis] = slice(middle - 1, middle)
    return reductions.mean(joining.stack([ordered[tuple(key)], upper]), axis=0)


def _mirrored(period: Callable[[int], int], even: Callable[[Host, int], Host]) -> Any:
    """A mode that mirrors: blocks of `period` elements, every other one backwards."""

    def of(border: _Border) -> View:
        inner, extent, outside = border.inner, border.extent, border.positions()
        if border.setting == "even" or extent == 1:
            return border.taken(even(outside, extent))
        number, rest = numpy.divmod(outside, period(extent))
        backwards = number % 2 == 1
        source = numpy.where(backwards, extent - 1 - rest, rest)
        taken = Array(taken_at(inner, border.axis, source))
        low, high = border.edge(0), border.edge(1)
        turned = searching.where(border.line(backwards), low + high - taken, taken)
        blocks = Array(builder.converted(border.line(number)._view, inner._view.dtype))
        return (turned + blocks * (high - low))._view

    return of


def _reflected(positions: Host, extent: int) -> Host:
    period = max(2 * (extent - 1), 1)
    place = positions % period
    return numpy.minimum(place, period - place) if extent > 1 else positions * 0


def _symmetric(positions: Host, extent: int) -> Host:
    place = positions % (2 * extent)
    mirrored: Host = numpy.minimum(place, 2 * extent - 1 - place)
    return mirrored


_MODES: Final[dict[str, Callable[[_Border], View]]] = {
    "constant": _constant,
    "edge": lambda border: border.edge(border.side)._view,
    "linear_ramp": _ramp,
    "maximum": _statistic(lambda x, axis: reductions.max(x, axis=axis, keepdims=True)),
    "mean": _statistic(lambda x, axis: reductions.mean(x, axis=axis, keepdims=True)),
    "median": _statistic(_median),
    "minimum": _statistic(lambda x, axis: reductions.min(x, axis=axis, keepdims=True)),
    "reflect": _mirrored(lambda extent: extent - 1, _reflected),
    "symmetric": _mirrored(lambda extent: extent, _symmetric),
    "wrap": lambda border: border.taken(border.positions() % border.extent),
}
"""For each mode what it puts at a side of an axis; it broadcasts to the place."""

_OPTIONS: Final = {
    "constant": ("constant_values", 0),
    "linear_ramp": ("end_values", 0),
    "maximum": ("stat_length", None),
    "mean": ("stat_length", None),
    "median": ("stat_length", None),
    "minimum": ("stat_length", None),
    "reflect": ("reflect_type", "even"),
    "symmetric": ("reflect_type", "even"),
}
"""The option that a mode reads, and what stands for it."""


def _require_known(mode: Any, options: dict[str, Any], where: str) -> None:
    if mode != "empty" and (not isinstance(mode, str) or mode not in _MODES):
        fault = f"mode '{mode}' is not supported"
        raise value_error(where, fault, "mode must be one of empty, " + ", ".join(_MODES))
    read = _OPTIONS.get(mode, ("none", None))[0]
    for name in options:
        if name != read:
            raise value_error(
                where,
                f"{name} is given",
                f"mode {mode!r} reads {read}, and others must be left out",
            )


def _settings(mode: str, options: dict[str, Any], ndim: int, where: str) -> list[tuple[Any, Any]]:
    """The option of a mode, for both sides of each axis."""
    name, default = _OPTIONS.get(mode, ("none", None))
    value = options.get(name, default)
    if value is None or isinstance(value, str):
        if name == "reflect_type" and value not in ("even", "odd"):
            raise value_error(
                where, f"reflect_type is {value!r}", "reflect_type must be 'even' or 'odd'"
            )
        return [(value, value)] * ndim
    pairs = _pairs(value, ndim, where, name)
    if name == "stat_length":
        lengths = _whole(pairs, value, where, name)
        if mode in ("maximum", "minimum") and any(0 in pair for pair in lengths):
            fault = "stat_length of 0 yields no value for padding"
            raise value_error(where, fault, "it must be at least 1")
        return lengths
    return pairs


def _widths(value: Any, ndim: int, where: str) -> list[tuple[int, int]]:
    if isinstance(value, dict):
        pairs: list[Any] = [(0, 0)] * ndim
        for axis, width in value.items():
            place = layout.normalize_axis(axis, ndim, where)
            pairs[place] = _pairs(width, 1, where, "pad_width")[0]
    else:
        pairs = _pairs(value, ndim, where, "pad_width")
    return _whole(pairs, value, where, "pad_width")


def _whole(
    pairs: Sequence[tuple[Any, Any]], value: Any, where: str, name: str
) -> list[tuple[int, int]]:
    """Pairs of integers that are not negative."""
    try:
        whole = [(operator.index(before), operator.index(after)) for before, after in pairs]
    except TypeError:
        fault = f"{name} is {value!r}"
        raise type_error(where, fault, f"`{name}` must be of integral type.") from None
    if any(item < 0 for pair in whole for item in pair):
        raise value_error(where, f"{name} is {value!r}", "index can't contain negative values")
    return whole


def _pairs(value: Any, ndim: int, where: str, name: str) -> list[tuple[Any, Any]]:
    """An argument of `pad` as a pair for each axis."""
    given = numpy.asarray(host_of(value, where))
    if given.dtype.kind not in "biufc":
        raise type_error(where, f"{name} is {value!r}", f"`{name}` must be of integral type.")
    try:
        pairs = numpy.broadcast_to(given, (ndim, 2))
    except ValueError:
        fault = f"{name} is {value!r} and the array has {ndim} dimensions"
        accepted = "operands could not be broadcast together"
        if given.ndim > 2:
            accepted = "input operand has more dimensions than allowed by the axis remapping"
        remedy = "pass one value, a pair, or a pair for each axis"
        raise value_error(where, fault, accepted, remedy) from None
    return [(before, after) for before, after in pairs.tolist()]


def _slab(
    inner: Shape, outer: Shape, widths: Sequence[tuple[Any, Any]], axis: int, first: int, count: int
) -> tuple[list[int], Shape]:
    """Where elements along `axis` are: across the whole of earlier axes, the inside of later."""
    begin = [0] * axis + [first] + [before for before, _ in widths[axis + 1 :]]
    return begin, (*outer[:axis], count, *inner[axis + 1 :])
