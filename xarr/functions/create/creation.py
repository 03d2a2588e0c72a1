"""Creation: arrays from values, from shapes and by formula.

What a formula gives is computed where it is used; `zeros`, `ones` and `full` are constants, which
take no memory until they are written to, or a view of them is made.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, NamedTuple, SupportsIndex, cast, overload

import numpy

from xarr import dtypes, layout
from xarr.array import transfers
from xarr.array.array import Array, ArrayLike, DeviceLike, DTypeLike, ShapeLike
from xarr.array.cached_calls import cached_call
from xarr.array.coerce import SCALARS, array_of, as_array, operand_view, retyped, warn_of_imaginary
from xarr.array.layouts import axes_in_order, in_order, keep_array, laid_out
from xarr.array.operators import made
from xarr.array.transfers import Host, from_host, openly, to_host
from xarr.backends.device import Device, default_float, get_device, promoted, require_on
from xarr.dtypes import DType
from xarr.errors import operand_of, refused, type_error, value_error
from xarr.functions.device.streams import Stream
from xarr.functions.elementwise import arithmetic
from xarr.ir.views import View, constant
from xarr.layout import Shape, integer
from xarr.ops import elementwise as table
from xarr.ops.rows import Elementwise, choose
from xarr.tape import builder


def asarray(
    a: Any,
    dtype: DTypeLike = None,
    order: str | None = None,
    *,
    device: DeviceLike = None,
    copy: bool | None = None,
    like: Any = None,
) -> Array:
    """Make an array of values; an Array that already is what was asked for is returned itself.

    a : Array, Python scalar, nested sequence, NumPy array, buffer, or another library's array
        The values. A nested sequence may hold Arrays. The memory of an array on a CUDA device (of
        CuPy, Numba, PyTorch, JAX) is shared.
    dtype : dtype, optional -- The data type of the result; where None, that of the values. Python
        scalars become bool, int64, and the device's default floating-point and complex types.

    ValueError -- If copy is False and a copy is needed, or a nested sequence is ragged.
    OverflowError -- If a Python integer does not fit the dtype.

    >>> xarr.asarray([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    return ordered(a, dtype, order, copy, device, "asarray(a)", "a")


def ordered(
    obj: Any,
    dtype: Any,
    order: str | None,
    copy: bool | None,
    device: DeviceLike,
    where: str,
    name: str = "obj",
) -> Array:
    """`asarray`, also of arrays without axes; errors name the calling function, `where`."""
    order = layout.order_of(order, where)
    if (
        order is None
        or (order != "F" and type(obj) in (list, tuple))
        or (order == "C" and type(obj) is not Array)
    ):
        result = as_array(obj, where, name, dtype=dtype, device=device, copy=copy)
    elif copy and type(obj) is Array:
        # In one step, of the type that it will have.
        result = as_array(obj, where, name, dtype=dtype, device=device)
        axes = axes_in_order(obj, order, where)
        if result is obj or axes is not None:
            result = Array(laid_out(result._view, axes))
    else:
        given = as_array(obj, where, name, dtype=dtype, device=device, copy=copy)
        if type(obj) is numpy.ndarray and order in ("A", "K") and obj.flags.fnc:
            order = "F"
        result = in_order(given, order, where)
        if copy is False and result is not given:
            fault = f"copy is False and {name} does not lie in order {order}"
            raise value_error(where, fault, "another order needs a copy", "pass copy=None")
    is_given = result is obj
    if is_given and (result._kept or result.ndim or copy is False):
        return result
    return keep_array(Array(builder.copied(result._view)) if is_given else result)


def array(
    object: Any,
    dtype: DTypeLike = None,
    *,
    copy: bool | None = True,
    order: str | None = "K",
    subok: bool = False,
    ndmin: SupportsIndex = 0,
    ndmax: SupportsIndex = 0,
    device: DeviceLike = None,
    like: Any = None,
) -> Array:
    """Make a new array of values: NumPy's name of ``asarray(obj, copy=True)``.

    object : Array, Python scalar, nested sequence, NumPy array or buffer -- The values.
    ndmin : int -- The least number of axes; missing ones are put in front.
    ndmax : int -- The most axes that values may have; 0 for as many as there can be.

    >>> xarr.array([1.5, 2.5], dtype="float32").dtype
    dtype('float32')
    """
    # What comes from the host is new already.
    where = "array(object)"
    least = integer(ndmin, "array(object, ndmin)", "ndmin")
    most = integer(ndmax, "array(object, ndmax)", "ndmax")
    if not 0 <= most <= layout.MAX_NDIM or 0 < most < least:
        fault = f"ndmin is {least} and ndmax is {most}"
        scope = f"ndmax must be in the range [0, {layout.MAX_NDIM}]"
        accepted = "ndmin must be <= ndmax" if 0 < most < least else scope
        raise value_error("array(object, ndmin, ndmax)", fault, accepted)
    if isinstance(copy, str):
        fault = f"copy is {copy!r}"
        accepted = "strings are not allowed for 'copy' keyword. Use True/False/None instead."
        raise value_error(where, fault, accepted)
    result = ordered(object, dtype, order, copy, device, where, "object")
    if most and result.ndim > most:
        fault = f"object has {result.ndim} dimensions and ndmax is {most}"
        accepted = "what lies deeper would be Python objects, which cannot be on a device"
        raise type_error(where, fault, accepted)
    shape = layout.require_possible((1,) * (least - result.ndim) + result.shape, where)
    return result.reshape(shape) if least > result.ndim else result


shape_of: Final = layout.extents_of


def filled(
    value: Any, shape: Any, dtype: Any, device: DeviceLike, where: str, order: str | None = "C"
) -> Array:
    """An array of one value, for a function that errors name."""
    extents = layout.extents_of(shape, where)
    target = get_device(device, where)
    row = default_float(target) if dtype is None else dtypes.lookup(dtype, where)
    require_on(target, row, where)
    value = row.numpy.type(value).item()
    result = keep_array(Array(constant(value, row, extents, target)))
    return result if order == "C" else in_order(result, order, where, "CF")


def full(
    shape: ShapeLike,
    fill_value: Any,
    dtype: DTypeLike = None,
    order: str | None = "C",
    *,
    device: DeviceLike = None,
    like: Any = None,
) -> Array:
    """Make an array of one value, of the value's dtype where none is given.

    OverflowError -- If the value is an integer that dtype cannot hold.

    >>> xarr.full(3, -0.0).tolist()
    [-0.0, -0.0, -0.0]
    """
    where = "full(shape, fill_value)"
    return in_order(_full(fill_value, shape, dtype, device, where), order, where, "CF")


def _full(fill_value: Any, shape: Any, dtype: Any, device: DeviceLike, where: str) -> Array:
    extents = layout.extents_of(shape, where)
    if type(fill_value) is not Array and isinstance(fill_value, float) and dtype is not None:
        # As in NumPy a float is converted like an array's element; an integer has to fit.
        fill_value = numpy.asarray(fill_value)
    view = as_array(fill_value, where, "fill_value", dtype=dtype, device=device)._view
    if layout.broadcast_shapes(view.shape, extents, where=where) != extents:
        fault = f"fill_value has shape {view.shape} and shape is {extents}"
        raise value_error(where, fault, "fill_value has to broadcast to shape")
    if view.value is not None:
        return keep_array(Array(constant(view.value, view.dtype, extents, view.device)))
    return keep_array(Array(builder.copied(builder.broadcast(view, extents))))


def filled_like(
    x: Any,
    value: Any,
    dtype: Any,
    shape: Any,
    device: DeviceLike,
    where: str,
    order: str | None = "K",
    make: Callable[..., Array] = filled,
) -> Array:
    """An array of one value like another array, for a function that errors name."""
    given = as_array(x, where, operand_of(where))
    view = given._view
    shape, dtype = view.shape if shape is None else shape, view.dtype if dtype is None else dtype
    result = make(value, shape, dtype, view.device if device is None else device, where)
    # "A" and "K" are taken from an array of as many axes.
    order = layout.order_of(order, where)
    if order == "C" or (result.ndim != given.ndim and order != "F"):
        return result
    axes = axes_in_order(result if order == "F" else given, order, where)
    return result if axes is None else Array(laid_out(result._view, axes))


def full_like(
    a: ArrayLike,
    fill_value: Any,
    dtype: DTypeLike = None,
    order: str | None = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> Array:
    """Make an array of one value like another array.

    >>> xarr.full_like(xarr.asarray([1, 2]), 7).tolist()
    [7, 7]
    """
    where = "full_like(a, fill_value)"
    return filled_like(a, fill_value, dtype, shape, device, where, order, _full)


def _scalar(value: Any, row: DType, device: Device) -> View:
    return constant(row.numpy.type(value).item(), row, (), device)


def number(value: Any, where: str, name: str, *, complex_too: bool = False) -> Any:
    """An argument that is one number, as a Python or a NumPy scalar."""
    if type(value) is float or type(value) is int:
        return value
    if type(value) is Array and value.ndim == 0:
        value = to_host(value._view, where)[()]
    if isinstance(value, numpy.ndarray) and value.ndim == 0:
        value = value[()]
    kinds = (int, float, numpy.number) + ((complex,) if complex_too else ())
    if not isinstance(value, kinds) or (
        not complex_too and isinstance(value, numpy.complexfloating)
    ):
        try:
            return operator.index(cast(Any, value))
        except TypeError:
            fault = f"{name} is of type {type(value).__name__}"
            raise type_error(where, fault, "one number is accepted") from None
    return value


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
        The first number; the end of the interval, which then starts at 0, where stop is None.
    stop : int or float, optional -- The end of the interval, not included.
    step : int or float, optional -- The distance between two numbers, not 0; None counts as 1.
    dtype : dtype, optional -- The data type; int64 where None and all numbers are integers, else
        the default floating-point one.

    -> Array, shape (ceil((stop - start) / step),) -- start + i * step, computed in dtype.

    OverflowError -- If one of the first two numbers does not fit an integer dtype.

    >>> xarr.arange(2, 8, 2).tolist()
    [2, 4, 6]
    """
    where = "arange(start, stop, step)"
    if stop is None:
        if start is None:
            raise type_error(where, "stop is missing", "stop is a number")
        start, stop = 0, start
    start, step = 0 if start is None else start, 1 if step is None else step
    if not {type(start), type(stop), type(step)} <= _PLAIN:
        start, stop = number(start, where, "start"), number(stop, where, "stop")
        step = number(step, where, "step")
    target = get_device(device, where)
    row = _arange_type(start, stop, step, dtype, target, where)
    length = _arange_length(start, stop, step, where)
    if length >> 31:
        layout.require_possible((length,), where)
    if length == 0:
        return filled(0, 0, row, target, where)
    if row is dtypes.bool_:
        return _of_bools(start, step, length, target, where)
    first, second = _first_two(start, step, row, length, where)
    computed = dtypes.float32 if row is dtypes.float16 else row
    wide = computed.numpy.type
    if type(first) is float:
        delta = second - first
    else:
        delta = dtypes.quietly(lambda: wide(second) - wide(first))
    if computed is row and math.isfinite(delta):
        known = builder.known(
            (length,), row, target, lambda: _counted(first, delta, length, row.numpy)
        )
        if known is not None:
            return made(known)  # type: ignore[return-value]
    index = builder.index((length,), target)
    places = builder.converted(index, computed)
    steps = table.multiply.combined(places, _scalar(delta, computed, target))
    view = table.add.combined(_scalar(first, computed, target), steps)
    if not numpy.isfinite(delta):
        # The first two are what they are; what follows them is NaN, as NumPy's.
        for position, value in ((0, first), (1, second)):
            at = table.equal.combined(index, _scalar(position, dtypes.int64, target))
            view = choose(at, _scalar(value, computed, target), view)
    return Array(builder.converted(view, row))


def _counted(first: Any, delta: Any, length: int, kind: Any) -> Host:
    """Return first + i * delta for each i below a length, as NumPy computes it in a data type."""
    if kind.itemsize < 8:
        return dtypes.quietly(lambda: first + numpy.arange(length).astype(kind) * delta)
    values: Host = numpy.arange(length, dtype=kind)
    if delta != 1:
        values *= delta
    if first:
        values += first
    return values


def _of_bools(start: Any, step: Any, length: int, target: Device, where: str) -> Array:
    """The one or two bools that NumPy makes."""
    if length > 2:
        fault = f"dtype is bool and there are {length} numbers"
        raise type_error(where, fault, "2 at most are accepted")
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
            raise refused(type(error), where, fault, "finite ones fit") from None
        if not low <= whole <= high:
            fault = f"the number {whole} is out of bounds for {row}"
            raise refused(OverflowError, where, fault, f"{row} holds {low} to {high}")
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
        raise refused(ZeroDivisionError, where, "step is 0", "step is not 0")
    if not {type(start), type(stop), type(step)} <= _PLAIN:
        numbers = (start, stop, step)
        start, stop, step = [x.item() if isinstance(x, numpy.generic) else x for x in numbers]
    span = stop - start
    count = float(span / step)
    if not math.isfinite(count):
        fault = f"start is {start}, stop is {stop}, step is {step}"
        why = "cannot compute length" if math.isnan(count) else "maximum allowed size exceeded"
        raise value_error(where, fault, f"the number of elements has to be finite ({why})")
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
    """Make an array of evenly spaced numbers between two numbers, or between those of two arrays.

    start, stop : int, float or complex, or Array, shapes that broadcast to (...)
        The ends of the interval.
    retstep : bool -- Whether to return the distance between two numbers too.
    dtype : dtype, optional -- The data type; where None the ends' floating-point or complex one,
        or the default of integers and Python's numbers. Integer ones round down.
    num : int -- How many numbers.

    -> Array, shape (num,), or (num, ...) where the ends are arrays and axis is 0
        start + i * (stop - start) / (num - 1), or / num without the end point, computed in float64
        and rounded once. With retstep a tuple of it and the distance: a float, or an Array where
        the ends are arrays.

    Note: Num's default, arrays as ends, retstep and axis are NumPy's. On a device without float64
    the host computes numbers between numbers, so they are the same everywhere.

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
            raise value_error(self.where, f"num is {count}", "num is not negative")
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
    is_complex = row.kind == dtypes.COMPLEX or any(type(end) is complex for end in ends)
    if row.kind not in dtypes.FLOATING or row in dtypes.NEEDS_FLOAT64:
        row = default
    return dtypes.COMPLEX_OF.get(row, row) if is_complex else row


def _has_axes(value: Any) -> bool:
    """Whether an argument is an array, or a list that becomes one, with at least one axis."""
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
        last = table.equal.combined(position._view, _scalar(count - 1, dtypes.int64, target))
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
            found = numpy.arange(count).astype(row.numpy) * step + start
            if endpoint and count > 1:
                found[-1] = stop
            return found

        known = builder.known((count,), row, device, lambda: dtypes.quietly(points))
        if known is not None:
            return known
    index = builder.index((count,), device)
    view = builder.converted(index, row)
    if pieces > 0 and step == 0:
        # The distance is too small for a number: divide first, as NumPy does.
        view = table.divide.combined(view, _scalar(pieces, row, device))
        step = stop - start
    elif pieces <= 0:
        step = stop - start
    view = table.multiply.combined(view, _scalar(step, row, device))
    view = table.add.combined(view, _scalar(start, row, device))
    if endpoint and count > 1:
        last = table.equal.combined(index, _scalar(count - 1, dtypes.int64, device))
        view = choose(last, _scalar(stop, row, device), view)
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
    """Make an array of numbers on a logarithmic scale: base ** linspace(start, stop, num).

    start, stop, base : number, or Array, shapes that broadcast to (...)
        The exponents of the ends, and the base of the powers.
    num : int -- How many numbers.

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
        The ends of the progression, not 0. Between real ends of different signs all is NaN.
    num : int -- How many numbers.

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
        raise value_error(where, f"start is {low} and stop is {high}", "neither is 0")
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
            at = table.equal.combined(index, _scalar(position, dtypes.int64, view.device))
            end = value._view if type(value) is Array else _scalar(value, view.dtype, view.device)
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
        raise value_error(where, "an end is 0", "numbers other than 0 are accepted")
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


def eye(
    N: SupportsIndex,  # noqa: N803 - NumPy's name
    M: SupportsIndex | None = None,  # noqa: N803 - NumPy's name
    k: SupportsIndex = 0,
    dtype: DTypeLike = None,
    order: str | None = "C",
    *,
    device: DeviceLike = None,
    like: Any = None,
) -> Array:
    """Make a matrix of zeros with ones on a diagonal, of the default floating-point dtype.

    >>> xarr.eye(2, 3, k=1).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    where = "eye(N, M)"
    rows = shape_of(integer(N, where, "N"), where, "N")
    columns = rows if M is None else shape_of(integer(M, where, "M"), where, "M")
    return in_order(_eye(rows + columns, k, dtype, device, where), order, where, "CF")


def _eye(shape: Any, k: SupportsIndex, dtype: Any, device: DeviceLike, where: str) -> Array:
    shape = layout.extents_of(shape, where)
    offset = integer(k, where, "k")
    target = get_device(device, where)
    row = default_float(target) if dtype is None else dtypes.lookup(dtype, where)
    require_on(target, row, where)
    if 0 in shape:
        return filled(0, shape, row, target, where)
    known = None
    if len(shape) == 2:
        known = builder.known(
            shape, row, target, lambda: numpy.eye(shape[0], shape[1], offset, dtype=row.numpy)
        )
    if known is None:
        known = builder.converted(_diagonal(shape, offset, table.equal, target), row)
    return Array(known)


def identity(
    n: SupportsIndex, dtype: DTypeLike = None, *, device: DeviceLike = None, like: Any = None
) -> Array:
    """Make a square matrix of zeros with ones on the main diagonal."""
    where = "identity(n)"
    extents = shape_of(integer(n, where, "n"), where, "n")
    return _eye(extents * 2, 0, dtype, device, where)


def _diagonal(shape: Shape, k: int, comparison: Elementwise, device: Device) -> View:
    """Where column - row, in the last two axes, compares with k; not for an empty shape."""
    rows, columns = shape[-2:]
    position = builder.index(shape, device)
    width = _scalar(columns, dtypes.int64, device)
    column = table.remainder.combined(position, width)
    row = table.floor_divide.combined(position, width)
    if len(shape) > 2:
        row = table.remainder.combined(row, _scalar(rows, dtypes.int64, device))
    # Bounds of int64 hold any k that makes a difference.
    bound = _scalar(min(max(k, -rows - 1), columns + 1), dtypes.int64, device)
    return comparison.combined(table.subtract.combined(column, row), bound)


@cached_call
def tril(m: ArrayLike, k: SupportsIndex = 0) -> Array:
    """Keep the lower triangle of each matrix, up to the k-th diagonal, zeros above it."""
    return _triangle(m, k, table.less_equal, "tril(m)")


@cached_call
def triu(m: ArrayLike, k: SupportsIndex = 0) -> Array:
    """Keep the upper triangle of each matrix, from the k-th diagonal on, zeros below it."""
    return _triangle(m, k, table.greater_equal, "triu(m)")


def _triangle(x: ArrayLike, k: SupportsIndex, comparison: Elementwise, where: str) -> Array:
    view = operand_view(x, where)
    if len(view.shape) == 1:  # of which NumPy makes a matrix of equal rows
        view = builder.broadcast(view, view.shape * 2)
    if len(view.shape) < 2:
        raise value_error(where, f"m has {len(view.shape)} dimensions", "at least 1 is needed")
    offset = integer(k, where, "k")
    if 0 in view.shape:
        return Array(builder.copied(view))
    kept = _diagonal(view.shape, offset, comparison, view.device)
    return Array(choose(kept, view, _scalar(0, view.dtype, view.device)))


def tri(
    N: SupportsIndex,  # noqa: N803 - NumPy's name
    M: SupportsIndex | None = None,  # noqa: N803 - NumPy's name
    k: SupportsIndex = 0,
    dtype: DTypeLike = None,
    *,
    device: DeviceLike = None,
    like: Any = None,
) -> Array:
    """Make a matrix of ones at and below a diagonal, zeros above it."""
    where = "tri(N, M, k)"
    rows = max(integer(N, where, "N"), 0)
    columns = rows if M is None else max(integer(M, where, "M"), 0)
    return _triangle(filled(1, (rows, columns), dtype, device, where), k, table.less_equal, where)


def to_numpy(x: Array, /) -> Host:
    """Copy an array to the host; allowed in `no_implicit_transfer`, since it is not hidden.

    >>> xarr.to_numpy(xarr.arange(3))
    array([0, 1, 2])
    """
    x = array_of(x, "to_numpy(x)")
    with openly():
        return to_host(x._view)


def to_device(x: Array, device: DeviceLike, /, *, stream: Any = None) -> Array:
    """Copy an array to a device; an array that is there already is returned itself.

    stream : Stream, optional
        The stream of `device` on which the values are copied; the current one where None.

    Note: Between CUDA devices the values go from memory to memory, elsewhere through the host's.

    >>> x = xarr.arange(3)
    >>> x.to_device(x.device) is x
    True
    """
    where = "to_device(x, device)"
    x = array_of(x, where)
    view = x._view
    target = get_device(device, where)
    if stream is not None:
        if not isinstance(stream, Stream) or stream.device.driver is not target.driver:
            fault = f"stream is {stream!r}"
            raise value_error(where, fault, f"an xarr.Stream on {target} is accepted")
        with stream:
            return to_device(x, target)
    return x if target is view.device else Array(transfers.to_device(view, target, where))
