"""Ranges: evenly spaced numbers, and numbers that are evenly spaced on a logarithmic scale."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, SupportsIndex, overload

import numpy

from xarr import dtypes, layout, tuning
from xarr.array.array import Array, ArrayLike, DeviceLike, DTypeLike
from xarr.array.cached_calls import by_numpy
from xarr.array.coerce import SCALARS, as_array, retyped, warn_of_imaginary
from xarr.array.operators import made
from xarr.array.transfers import Host, from_host, openly
from xarr.backends.device import Device, default_float, get_device, promoted, require_on
from xarr.dtypes import DType
from xarr.errors import refused, type_error, value_error
from xarr.functions.create.creation import filled, number, scalar
from xarr.functions.elementwise import arithmetic
from xarr.ir.views import View
from xarr.layout import integer
from xarr.ops import elementwise as table
from xarr.ops.rows import choose
from xarr.runtime import dispatch
from xarr.tape import builder, recorders

_FEW: Final = tuning.MADE_NBYTES // 8
_COUNTED: Final = "bhilqBHILQfd"
"""The letters of NumPy's data types in which it counts with the bits of a kernel."""


def _arange_now(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Host:
    """Let NumPy count few integers."""
    if stop is None:
        start, stop = 0, start
    if not (type(start) is type(stop) is type(step) is int and step):
        raise NotImplementedError
    if dtype is not None and (start or step != 1 or numpy.dtype(dtype).char not in _COUNTED):
        raise NotImplementedError
    if not 0 < stop - start <= _FEW * abs(step) or stop >= 1 << 62 or start <= -1 << 62:
        raise NotImplementedError
    found: Host = numpy.arange(start, stop, step, dtype)  # type: ignore[call-overload]
    return found


@by_numpy(_arange_now, 0)
def arange(
    start: Any = None,
    stop: Any = None,
    step: Any = 1,
    dtype: DTypeLike = None,
    *,
    device: DeviceLike = None,
    like: Any = None,
) -> Array:
    """Make an array of evenly spaced numbers in the half-open interval [start, stop).

    start : int or float
        The first number. If stop is None, the end of the interval, which then starts at 0.
    stop : int or float, optional -- The end of the interval, not included.
    step : int or float, optional -- The distance between two numbers, not 0; None for 1.
    dtype : dtype, optional -- The data type; None for int64 if all numbers are integers, else for
        the default floating-point type.

    -> Array, shape (ceil((stop - start) / step),) -- start + i * step, computed in dtype.

    OverflowError -- If one of the first two numbers does not fit an integer dtype.
    ZeroDivisionError -- If step is 0.

    >>> xarr.arange(2, 8, 2).tolist()
    [2, 4, 6]
    """
    where = "arange(start, stop, step)"
    if stop is None:
        if start is None:
            raise type_error(where, "stop is missing", "stop must be a number")
        start, stop = 0, start
    start, step = 0 if start is None else start, 1 if step is None else step
    target = get_device(device, where)
    if not {type(start), type(stop), type(step)} <= _PLAIN:
        start, stop = number(start, where, "start"), number(stop, where, "stop")
        step = number(step, where, "step")
        start, stop, step = [
            int(one) if type(one) is numpy.int64 and abs(one) < 1 << 62 else one
            for one in (start, stop, step)
        ]
    is_whole = type(start) is type(stop) is type(step) is int and step != 0
    is_typed = is_whole and (dtype is None or (start == 0 and step == 1))
    if is_typed and abs(start) + abs(stop) + abs(step) < 1 << 62:
        given = (start, stop, step, dtype, target, where)
        row = dtypes.int64 if dtype is None else _arange_type(*given)
        if row.kind in dtypes.REAL_NUMERIC and row is not dtypes.float16:
            known = dispatch.known(
                (len(range(start, stop, step)),), row, target,
                lambda: numpy.arange(start, stop, step, dtype="i8").astype(row.numpy, copy=False),
            )  # fmt: skip
            if known is not None:
                return made(known)  # type: ignore[return-value]
    row, length, first, delta = _planned(start, stop, step, dtype, target, where)
    if length == 0:
        return filled(0, 0, row, target, where)
    if row is dtypes.bool_:
        return _of_bools(start, step, length, target, where)
    computed = dtypes.float32 if row is dtypes.float16 else row
    if computed is row and math.isfinite(abs(delta)):
        known = dispatch.known(
            (length,), row, target, lambda: _counted(first, delta, length, row.numpy)
        )
        if known is not None:
            return made(known)  # type: ignore[return-value]
    index = builder.index((length,), target)
    view = builder.converted(index, computed)
    if first != 0 or delta != 1:  # else the positions are the numbers, in one instruction
        steps = table.multiply.combined(view, scalar(delta, computed, target))
        view = table.add.combined(scalar(first, computed, target), steps)
    if not numpy.isfinite(delta):
        # The first two are what they are; what follows them is NaN, as NumPy's.
        second = _first_two(start, step, row, length, where)[1]
        for position, value in ((0, first), (1, second)):
            at = table.equal.combined(index, scalar(position, dtypes.int64, target))
            view = choose(at, scalar(value, computed, target), view)
    return Array(builder.converted(view, row))


def _planned(
    start: Any, stop: Any, step: Any, dtype: Any, target: Device, where: str
) -> tuple[DType, int, Any, Any]:
    """The data type of numbers, how many there are, the first one and the step between them."""
    row = _arange_type(start, stop, step, dtype, target, where)
    length = _arange_length(start, stop, step, where)
    if length >> 31:
        layout.require_possible((length,), where)
    if length == 0 or row is dtypes.bool_:
        return row, length, None, None
    first, second = _first_two(start, step, row, length, where)
    if type(first) is float:
        return row, length, first, second - first
    wide = (dtypes.float32 if row is dtypes.float16 else row).numpy.type
    return row, length, first, dtypes.quietly(lambda: wide(second) - wide(first))


def _counted(first: Any, delta: Any, length: int, kind: Any) -> Host:
    """Return first + i * delta for each i below a length, as NumPy computes it in a data type."""
    if first == 0 and delta == 1:
        return numpy.arange(length).astype(kind, copy=False)
    if kind.itemsize < 8:
        return dtypes.quietly(lambda: first + numpy.arange(length).astype(kind) * delta)
    values: Host = numpy.arange(length, dtype=kind)
    values *= delta
    values += first  # of 0.0 as well, which a step below 0 has made -0.0
    return values


def _of_bools(start: Any, step: Any, length: int, target: Device, where: str) -> Array:
    """The one or two bools that NumPy makes."""
    if length > 2:
        fault = f"dtype is bool and there are {length} numbers"
        raise type_error(where, fault, "there must be 2 at most")
    values = [bool(start), bool(start + step)]
    return as_array(values[:length], where, device=target)


def _first_two(start: Any, step: Any, row: DType, length: int, where: str) -> tuple[Any, Any]:
    """The first number and the second, from which NumPy takes the step, each of the dtype."""
    kind = row.numpy.type
    if row is dtypes.float64 and {type(start), type(step)} <= _PLAIN:
        return float(start), float(start + step)
    if row.kind not in dtypes.INTEGER:
        return dtypes.quietly(kind, start), dtypes.quietly(kind, start + step)
    low, high = dtypes.integer_bounds(row)
    values = []
    for value in (start, start + step)[:length]:
        try:
            whole = int(value)
        except (OverflowError, ValueError) as error:
            fault = f"a number is {value} and dtype is {row}"
            raise refused(type(error), where, fault, "it must be finite") from None
        if not low <= whole <= high:
            fault = f"the number {whole} is out of bounds for {row}"
            raise refused(OverflowError, where, fault, f"it must be {low} to {high}")
        values.append(kind(whole))
    return values[0], values[-1]


_PLAIN: Final = {int, float}


def _arange_type(start: Any, stop: Any, step: Any, dtype: Any, device: Device, where: str) -> DType:
    if dtype is not None:
        row = dtypes.lookup(dtype, where)
    else:
        if type(start) is type(stop) is type(step) is int and max(start, stop, step) >> 63 == 0:
            return dtypes.int64
        if float in (types := {type(start), type(stop), type(step)}) and types <= _PLAIN:
            return default_float(device)
        kinds = [numpy.asarray(value).dtype for value in (start, stop, step)]
        row = dtypes.lookup(numpy.result_type(numpy.int64, *kinds), where)
        if row is dtypes.float64:
            row = default_float(device)
    require_on(device, row, where)
    return row


def _arange_length(start: Any, stop: Any, step: Any, where: str) -> int:
    if step == 0:
        raise refused(ZeroDivisionError, where, "step is 0", "step must not be 0")
    if not {type(start), type(stop), type(step)} <= _PLAIN:
        numbers = (start, stop, step)
        start, stop, step = [x.item() if isinstance(x, numpy.generic) else x for x in numbers]
    span = stop - start
    count = float(span / step)
    if not math.isfinite(count):
        fault = f"start is {start}, stop is {stop}, step is {step}"
        why = "cannot compute length" if math.isnan(count) else "maximum allowed size exceeded"
        raise value_error(where, fault, f"the number of elements must be finite ({why})")
    if count == 0.0 and span != 0:
        # The quotient underflowed; one element lies in the interval if it is positive.
        return 0 if math.copysign(1.0, count) < 0 else 1
    return max(0, math.ceil(count))


@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike = None,
    axis: SupportsIndex = 0,
    *,
    device: DeviceLike = None,
) -> Array: ...
@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike = None,
    axis: SupportsIndex = 0,
    device: DeviceLike = None,
) -> tuple[Array, Any]: ...
@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex,
    endpoint: bool,
    retstep: Literal[True],
    dtype: DTypeLike = None,
    axis: SupportsIndex = 0,
    *,
    device: DeviceLike = None,
) -> tuple[Array, Any]: ...
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike = None,
    axis: SupportsIndex = 0,
    *,
    device: DeviceLike = None,
) -> Array | tuple[Array, Any]:
    """Make an array of evenly spaced numbers between two numbers, or between two arrays' elements.

    start, stop : int, float or complex, or Array, shapes that broadcast to (...)
        The ends of the interval.
    retstep : bool -- Whether to return the distance between two numbers too.
    dtype : dtype, optional -- The data type. None for the ends' type if it is floating-point or
        complex, else for the default floating-point type. Numbers of an integer type are rounded
        down.
    num : int -- The number of values.

    -> Array, shape (num,), or (num, ...) where the ends are arrays and axis is 0
        start + i * (stop - start) / (num - 1), or / num without the end point, computed in float64
        and rounded once. With retstep also the distance: a float, or an Array where
        the ends are arrays.

    ValueError -- If num is negative, or there is no such device.

    Note: The default of num, arrays as ends, retstep and axis are NumPy's. If both ends are
    numbers and the device lacks float64, the host computes the values, with the same bits.

    >>> xarr.linspace(0, 1, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    span = _Span(start, stop, num, endpoint, device, "linspace(start, stop, num)")
    result, step = _line(span, dtype, axis)
    return (result, step) if retstep else result


class _Span(NamedTuple):
    """The bounds and the number of the points of `linspace` and its like."""

    start: Any
    stop: Any
    num: SupportsIndex
    endpoint: bool
    device: DeviceLike
    where: str

    def counted(self) -> tuple[int, int]:
        """The number of points, and of the distances between the ends."""
        count = integer(self.num, self.where, "num")
        if count < 0:
            raise value_error(self.where, f"num is {count}", "num must not be negative")
        return count, count - 1 if self.endpoint else count


def _line(span: _Span, dtype: Any = None, axis: SupportsIndex = 0) -> tuple[Array, Any]:
    """The points of `linspace`, and the distance between them."""
    if _has_axes(span.start) or _has_axes(span.stop):
        return _spaced_arrays(span, dtype, axis)
    layout.normalize_axis(axis, 1, span.where, "the result")
    return _spaced(span, dtype)


def _between(ends: Sequence[Any], device: Device) -> DType:
    """The floating-point or complex type of the numbers between two ends."""
    typed = [dtypes.BY_NUMPY.get(end.dtype) for end in ends if hasattr(end, "dtype")]
    default = default_float(device)
    row = functools.reduce(dtypes.promote, [one or default for one in typed] or [default])
    is_complex = row.kind == dtypes.COMPLEX or any(isinstance(end, complex) for end in ends)
    if row.kind not in dtypes.FLOATING or row in dtypes.NEEDS_FLOAT64:
        row = default
    return dtypes.COMPLEX_OF.get(row, row) if is_complex else row


def _has_axes(value: Any) -> bool:
    """Whether an argument is an array, or a list that becomes one, with at least one axis."""
    if type(value) is Array and recorders.active():
        return True  # what is computed of its value counts
    return isinstance(value, list | tuple) or bool(getattr(value, "ndim", 0))


def _spaced_arrays(span: _Span, dtype: Any, axis: SupportsIndex) -> tuple[Array, Array]:
    """The points of `linspace` between the elements of arrays, and their distances."""
    start, stop, _, endpoint, device, where = span
    count, pieces = span.counted()
    given = next((item for item in (start, stop) if type(item) is Array), None)
    target = get_device(device, where) if device is not None or given is None else given.device
    low = as_array(start, where, "start", device=target)
    high = as_array(stop, where, "stop", device=target)
    floating = default_float(target)
    row = promoted([low._view.dtype, high._view.dtype, floating], target, where)
    ends = [end if type(end) in SCALARS else made for end, made in ((start, low), (stop, high))]
    wanted = _between(ends, target) if dtype is None else dtypes.lookup(dtype, where)
    low, high = retyped(low, row, where), retyped(high, row, where)
    shape = layout.broadcast_shapes(low.shape, high.shape, where=where)
    warn_of_imaginary(row, wanted, where, "the result")
    whole = high - low
    step = whole / pieces if pieces > 0 else whole * math.nan
    position = Array(builder.index((count,), target)).reshape((-1,) + (1,) * len(shape))
    steps = retyped(position, row, where)
    values = steps * step if pieces > 0 else steps * whole
    if pieces > 0:
        # Where the distance is too small for a number: divide first, as NumPy does.
        values = Array(choose((step == 0)._view, (steps / pieces * whole)._view, values._view))
    values = values + low
    if endpoint and count > 1:
        last = table.equal.combined(position._view, scalar(count - 1, dtypes.int64, target))
        values = Array(choose(last, high._view, values._view))
    view = values._view
    if wanted.kind in dtypes.INTEGER:
        view = table.floor.applied(view)
    result = Array(builder.converted(view, wanted))
    if dtype is None:
        step = Array(builder.converted(step._view, wanted))
    return _along(result, axis, where), step


def _along(result: Array, axis: SupportsIndex, where: str) -> Array:
    """Move the first axis of an array to another place."""
    place = layout.normalize_axis(axis, result.ndim, where, "the result")
    order = (*range(1, place + 1), 0, *range(place + 1, result.ndim))
    return result.transpose(order) if place else result


def _spaced(span: _Span, dtype: Any) -> tuple[Array, Any]:
    """The points of `linspace` between numbers, and their distance."""
    start, stop, _, endpoint, device, where = span
    given = start, stop
    start = number(start, where, "start", complex_too=True)
    stop = number(stop, where, "stop", complex_too=True)
    count, pieces = span.counted()
    layout.require_possible((count,), where)
    target = get_device(device, where)
    ends = {"start": start, "stop": stop}
    complex_ends = [
        name for name, end in ends.items() if isinstance(end, complex | numpy.complexfloating)
    ]
    is_complex = bool(complex_ends)
    computed = dtypes.complex128 if is_complex else dtypes.float64
    row = _between(given, target) if dtype is None else dtypes.lookup(dtype, where)
    require_on(target, row, where)
    if is_complex:
        warn_of_imaginary(computed, row, where, complex_ends[0])
    start, stop = computed.numpy.type(start), computed.numpy.type(stop)
    step = computed.numpy.type(math.nan)
    if pieces > 0:
        step = dtypes.quietly(lambda: (stop - start) / pieces)
    if target.info.has_float64:
        view = _linspace_node(start, stop, step, count, pieces, endpoint, target)
        if row.kind in dtypes.INTEGER:
            view = table.floor.applied(view)
        result = Array(builder.converted(view, row))
    else:
        values = numpy.linspace(start, stop, count, endpoint=endpoint, dtype=row.numpy)
        with openly():
            result = Array(from_host(values, target, where))
    return result, step.item()


def _linspace_node(
    start: Any, stop: Any, step: Any, count: int, pieces: int, endpoint: bool, device: Device
) -> View:
    row = dtypes.BY_NUMPY[start.dtype]
    if row is dtypes.float64 and step and math.isfinite(step):

        def points() -> Any:
            found = _counted(start, step, count, row.numpy)
            if endpoint and count > 1:
                found[-1] = stop
            return found

        known = dispatch.known((count,), row, device, lambda: dtypes.quietly(points))
        if known is not None:
            return known
    index = builder.index((count,), device)
    view = builder.converted(index, row)
    if pieces > 0 and step == 0:
        # The distance is too small for a number: divide first, as NumPy does.
        view = table.divide.combined(view, scalar(pieces, row, device))
        step = stop - start
    elif pieces <= 0:
        step = stop - start
    view = table.multiply.combined(view, scalar(step, row, device))
    view = table.add.combined(view, scalar(start, row, device))
    if endpoint and count > 1:
        last = table.equal.combined(index, scalar(count - 1, dtypes.int64, device))
        view = choose(last, scalar(stop, row, device), view)
    return view


def logspace(
    start: Any,
    stop: Any,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: DTypeLike = None,
    axis: SupportsIndex = 0,
    *,
    device: DeviceLike = None,
) -> Array:
    """Make an array of numbers with evenly spaced logarithms: base ** linspace(start, stop, num).

    start, stop, base : number, or Array, shapes that broadcast to (...)
        The exponents of the ends, and the base of the powers.
    num : int -- The number of values.
    endpoint : bool
        Whether base ** stop is the last number; else the exponents end one step before `stop`.

    -> Array, shape (num, ...), or with the new axis at `axis`

    >>> xarr.logspace(0, 2, 3).tolist()
    [1.0, 10.0, 100.0]
    """
    where = "logspace(start, stop, num)"
    row = None if dtype is None else dtypes.lookup(dtype, where)
    if _has_axes(base):
        bases = as_array(base, where, "base", device=device)
        ends = [as_array(end, where, "an end", device=bases.device) for end in (start, stop)]
        shape = layout.broadcast_shapes(*(item.shape for item in (bases, *ends)), where=where)
        start, stop, bases = (
            Array(builder.broadcast(item._view, shape)) for item in (*ends, bases)
        )
        powers, _ = _line(_Span(start, stop, num, endpoint, device, where))
        result = _along(arithmetic.pow(bases, powers), axis, where)
    else:
        powers, _ = _line(_Span(start, stop, num, endpoint, device, where), None, axis)
        result = arithmetic.pow(base, powers)
    return result if row is None else retyped(result, row, where, "the result")


def geomspace(
    start: Any,
    stop: Any,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    dtype: DTypeLike = None,
    axis: SupportsIndex = 0,
    *,
    device: DeviceLike = None,
) -> Array:
    """Make an array of numbers in geometric progression; its ends are exact.

    start, stop : number, or Array, shapes that broadcast to (...)
        The ends of the progression, not 0. Between real ends of different signs there are NaNs.
    num : int -- The number of values.

    -> Array, shape (num, ...)

    ValueError -- If an end is 0, or num is negative.

    >>> xarr.geomspace(1, 1000, num=4).round().tolist()
    [1.0, 10.0, 100.0, 1000.0]
    """
    where = "geomspace(start, stop, num)"
    row = None if dtype is None else dtypes.lookup(dtype, where)
    turns = row is not None and row.kind == dtypes.COMPLEX
    if turns or _has_axes(start) or _has_axes(stop) or _is_complex(start) or _is_complex(stop):
        result = _geometric_arrays(_Span(start, stop, num, endpoint, device, where), axis, turns)
        return result if row is None else retyped(result, row, where, "the result")
    layout.normalize_axis(axis, 1, where)
    low, high = float(number(start, where, "start")), float(number(stop, where, "stop"))
    if low == 0 or high == 0:
        raise value_error(where, f"start is {low} and stop is {high}", "they must not be 0")
    if (low < 0) != (high < 0):
        result = _geometric_arrays(_Span(low, high, num, endpoint, device, where), axis, turns)
        return result if row is None else retyped(result, row, where, "the result")
    sign = -1.0 if low < 0 else 1.0
    exponents = math.log10(low * sign), math.log10(high * sign)
    logs, _ = _spaced(_Span(*exponents, num, endpoint, device, where), None)
    result = arithmetic.pow(10.0, logs) * sign
    result = _with_ends(result, low, high, endpoint)
    return result if row is None else retyped(result, row, where, "the result")


def _is_complex(value: Any) -> bool:
    return isinstance(value, complex | numpy.complexfloating) or (
        getattr(getattr(value, "dtype", None), "kind", "") == "c"
    )


def _with_ends(result: Array, low: Any, high: Any, endpoint: bool) -> Array:
    """Set the ends along the first axis to exactly `start` and `stop`."""
    view = result._view
    count = view.shape[0]
    ends = [(0, low)] + ([(count - 1, high)] if endpoint and count > 1 else [])
    if result.size:
        lifted = (count, *(1,) * (len(view.shape) - 1))
        index = builder.reshaped(builder.index((count,), view.device), lifted)
        for position, value in ends:
            at = table.equal.combined(index, scalar(position, dtypes.int64, view.device))
            end = value._view if type(value) is Array else scalar(value, view.dtype, view.device)
            view = choose(at, builder.converted(end, view.dtype), view)
    return Array(view) if view is not result._view else result


def _geometric_arrays(span: _Span, axis: SupportsIndex, turns: bool) -> Array:
    """The points of `geomspace` between elements of arrays or, along a spiral, complex numbers."""
    start, stop, _, endpoint, device, where = span
    low = as_array(start, where, "start", device=device)
    high = as_array(stop, where, "stop", device=low.device)
    kinds = [low._view.dtype, high._view.dtype, default_float(low.device)]
    if turns:
        kinds.append(dtypes.COMPLEX_OF[kinds[-1]])
    row = promoted(kinds, low.device, where)
    low, high = retyped(low, row, where), retyped(high, row, where)
    if bool((low == 0).any()) or bool((high == 0).any()):
        raise value_error(where, "an end is 0", "it must not be 0")
    shape = layout.broadcast_shapes(low.shape, high.shape, where=where)
    low, high = (Array(builder.broadcast(end._view, shape)) for end in (low, high))
    # From 1 to the quotient of the ends, turned to where the first one points.
    turned = low / abs(low)
    first = abs(low)
    last = high / turned
    begin = Array(table.log10.applied(builder.converted(first._view, row)))
    end = Array(table.log10.applied(last._view))
    logs, _ = _line(span._replace(start=begin, stop=end))
    return _along(_with_ends(arithmetic.pow(10.0, logs) * turned, low, high, endpoint), axis, where)
