"""Creation: arrays from values, from shapes, and of ones on diagonals.

What a formula gives is computed where it is used; `zeros`, `ones` and `full` are constants, which
take no memory until they are written to, or a view of them is made.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Final, SupportsIndex, cast

import numpy

from xarr import dtypes, layout
from xarr.array import transfers
from xarr.array.array import Array, ArrayLike, DeviceLike, DTypeLike, ShapeLike, made
from xarr.array.cached_calls import by_numpy, cached_call
from xarr.array.coerce import array_of, as_array, numbers, operand_view
from xarr.array.layouts import axes_in_order, in_order, keep_array, laid_out
from xarr.array.nested import array_of_list
from xarr.array.transfers import Host, openly, to_host
from xarr.backends.device import Device, default_device, default_float, get_device, require_on
from xarr.dtypes import DType
from xarr.errors import operand_of, type_error, value_error
from xarr.functions.device.streams import Stream
from xarr.ir.instructions import require_memory
from xarr.ir.views import View, constant, lone_constant, structure
from xarr.layout import Shape, integer
from xarr.memo import memo
from xarr.ops import elementwise as table
from xarr.ops.rows import Elementwise, choose
from xarr.runtime import dispatch
from xarr.tape import builder
from xarr.tape.traced import TracedNumber


def asarray(
    a: Any,
    dtype: DTypeLike = None,
    order: str | None = None,
    *,
    device: DeviceLike = None,
    copy: bool | None = None,
    like: Any = None,
) -> Array:
    """Make an array of values; an Array that needs no change is returned itself.

    a : Array, Python scalar, nested sequence, NumPy array, buffer, or another library's array
        The values. A nested sequence may hold Arrays. The memory of an array on a CUDA device (of
        CuPy, Numba, PyTorch, JAX) is shared.

    -> Array, shape and data type of the values

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
    if type(obj) is Array and dtype is device is None and not copy and obj._view.shape:
        lies = (None, "A", "C", "K") if obj._view.structure.is_linear else (None, "A", "K")
        if order in lies:
            return obj  # 0.7 us sooner than below
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
            raise value_error(
                where, fault, "copy must not be False for another order", "pass copy=None"
            )
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
    """Make a new array of values, as ``asarray(object, copy=True)``.

    object : Array, Python scalar, nested sequence, NumPy array or buffer -- The values.
    ndmin : int -- The least number of axes; axes of one element are added in front.
    ndmax : int -- The most axes that the values may have; 0 for no limit.

    -> Array, shape of the values, with axes of one element in front up to ndmin

    OverflowError -- If a Python integer does not fit the dtype.

    >>> xarr.array([1.5, 2.5], dtype="float32").dtype
    dtype('float32')
    """
    # Past `ordered`, whose questions take 1.5 of 4.6 us for a list of 4 x 4 numbers.
    if type(object) is list and dtype is device is None and (copy, order) == (True, "K"):
        known = array_of_list(object, default_device()) if (ndmin, ndmax) == (0, 0) else None
        if known is not None:
            return known  # type: ignore[no-any-return]
    is_alone = dtype is device is None and copy is True and ndmin == ndmax == 0
    is_plain = type(object) is Array and object._view.structure.is_linear
    if is_plain and is_alone and order in ("K", "C"):
        return keep_array(Array(builder.copied(object._view)))
    # What comes from the host is new already.
    where = "array(object)"
    least = most = 0
    if ndmin != 0 or ndmax != 0:
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
        accepted = "it must have as many at most, as devices hold no Python objects"
        raise type_error(where, fault, accepted)
    if least <= result.ndim:
        return result
    return result.reshape(
        layout.require_possible((1,) * (least - result.ndim) + result.shape, where)
    )


shape_of: Final = layout.extents_of


_INTEGER: Final = frozenset((int,))
_HASHED: Final = numpy.dtype | DType | str | None


@memo
def _uniform(value: Any, shape: Any, dtype: Any, target: Device, where: str) -> tuple[Any, Any]:
    """The structure of an array of one value, and the value; what is known takes half the time."""
    extents = layout.extents_of(shape, where)
    if dtype is None:
        row = default_float(target)
    else:
        row = dtypes.lookup(dtype, where)
        require_on(target, row, where)
    require_memory(target, row, extents)
    return structure(target, row, extents, None), numbers(value, row, where, "fill_value").item()


def filled(
    value: Any, shape: Any, dtype: Any, device: DeviceLike, where: str, order: str | None = "C"
) -> Array:
    """An array of one value, for a function that errors name."""
    is_plain = type(shape) is int or (
        type(shape) is tuple and _INTEGER.issuperset(map(type, shape))
    )
    is_number = type(value) is int or (type(value) is float and (value > 0 or value < 0))
    is_known = is_plain and is_number and isinstance(dtype, _HASHED)  # -0.0 == 0.0 as a key
    uniform = _uniform if is_known else _uniform.__wrapped__
    result = made(lone_constant(*uniform(value, shape, dtype, get_device(device, where), where)))
    result._kept = True
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
    """Make an array of one value.

    dtype : dtype, optional -- The data type; None for the type of fill_value.
    order : {"C", "F"} -- The index that runs fastest in memory: the last (C) or the first (F).

    -> Array, shape as given

    OverflowError -- If the value is an integer that dtype cannot hold.

    >>> xarr.full(3, -0.0).tolist()
    [-0.0, -0.0, -0.0]
    """
    where = "full(shape, fill_value)"
    return in_order(_full(fill_value, shape, dtype, device, where), order, where, "CF")


def _full(fill_value: Any, shape: Any, dtype: Any, device: DeviceLike, where: str) -> Array:
    if type(fill_value) is (float if dtype is None else int):
        return filled(fill_value, shape, dtype, device, where)
    extents = layout.extents_of(shape, where)
    is_float = type(fill_value) not in (Array, TracedNumber) and isinstance(fill_value, float)
    if is_float and dtype is not None:
        # As in NumPy a float is converted like an array's element; an integer has to fit.
        fill_value = numpy.asarray(fill_value)
    view = as_array(fill_value, where, "fill_value", dtype=dtype, device=device)._view
    if layout.broadcast_shapes(view.shape, extents, where=where) != extents:
        fault = f"fill_value has shape {view.shape} and shape is {extents}"
        raise value_error(where, fault, "fill_value must broadcast to shape")
    if view.value is not None:
        require_memory(view.device, view.dtype, extents)
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
    given = x if type(x) is Array else as_array(x, where, operand_of(where))
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
    """Make an array of one value, with the shape and dtype of another array.

    -> Array, shape and data type of a unless given

    >>> xarr.full_like(xarr.asarray([1, 2]), 7).tolist()
    [7, 7]
    """
    where = "full_like(a, fill_value)"
    return filled_like(a, fill_value, dtype, shape, device, where, order, _full)


def scalar(value: Any, row: DType, device: Device) -> View:
    """Return the constant of a value, rounded to a data type."""
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
            raise type_error(where, fault, f"{name} must be one number") from None
    return value


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
    """Make a matrix of zeros with ones on a diagonal.

    order : {"C", "F"} -- The index that runs fastest in memory: the last (C) or the first (F).

    -> Array, shape (N, M)

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
        known = dispatch.known(
            shape, row, target, lambda: numpy.eye(shape[0], shape[1], offset, dtype=row.numpy)
        )
    if known is None:
        known = _with_ones(filled(0, shape, row, target, where)._view, offset)
    return Array(known)


def _with_ones(zeros: View, k: int) -> View:
    """Write ones to the k-th diagonal of each matrix of new zeros."""
    builder.materialise(zeros)
    storage, where = zeros.storage, zeros.layout
    assert storage is not None
    assert where is not None
    rows, columns = where.shape[-2:]
    length = min(rows, columns - k) if k > 0 else min(rows + k, columns)
    if length > 0:
        first = k if k > 0 else -k * columns
        shape = (*where.shape[:-2], length)
        diagonal = layout.Layout(shape, (*where.strides[:-2], columns + 1), where.offset + first)
        builder.write(storage, diagonal, zeros.dtype, constant(1, zeros.dtype, shape, zeros.device))
    return zeros


def identity(
    n: SupportsIndex, dtype: DTypeLike = None, *, device: DeviceLike = None, like: Any = None
) -> Array:
    """Make a square matrix of zeros with ones on the main diagonal.

    n : int -- The number of rows and of columns.

    -> Array, shape (n, n)
    """
    where = "identity(n)"
    extents = shape_of(integer(n, where, "n"), where, "n")
    return _eye(extents * 2, 0, dtype, device, where)


def _diagonal(shape: Shape, k: int, comparison: Elementwise, device: Device) -> View:
    """Where column - row, in the last two axes, compares with k; not for an empty shape."""
    rows, columns = shape[-2:]
    # Division by 32 bits takes half the time. They hold any k that makes a difference.
    is_wide = math.prod(shape) >= layout.WIDE
    kind = dtypes.int64 if is_wide else dtypes.int32
    if device.kind == "cpu":
        # Of two vectors tri of 1024 x 1024 takes 0.2 ms, by divisions 5; a GPU has one kernel so.
        row = builder.converted(builder.index((rows, 1), device), kind)
        column = builder.converted(builder.index((columns,), device), kind)
    else:
        # One division of numbers without a sign: two with it take four times the time.
        whole = dtypes.uint64 if is_wide else dtypes.uint32
        position = builder.converted(builder.index(shape, device), whole)
        width = scalar(columns, whole, device)
        quotient = table.floor_divide.combined(position, width)
        before = table.multiply.combined(quotient, width)
        column = builder.converted(table.subtract.combined(position, before), kind)
        if len(shape) > 2:
            quotient = table.remainder.combined(quotient, scalar(rows, whole, device))
        row = builder.converted(quotient, kind)
    bound = scalar(min(max(k, -rows - 1), columns + 1), kind, device)
    return comparison.combined(column, table.add.combined(row, bound))


@by_numpy(numpy.tril)
@cached_call
def tril(m: ArrayLike, k: SupportsIndex = 0) -> Array:
    """Keep the lower triangle of each matrix, up to the k-th diagonal, zeros above it.

    m : Array, shape (..., M, N) -- The matrices; a vector is repeated as N rows.

    -> Array, shape (..., M, N), of the data type of m

    ValueError -- If m has no axes.
    """
    return _triangle(m, k, table.less_equal, "tril(m)")


@by_numpy(numpy.triu)
@cached_call
def triu(m: ArrayLike, k: SupportsIndex = 0) -> Array:
    """Keep the upper triangle of each matrix, from the k-th diagonal on, zeros below it.

    m : Array, shape (..., M, N) -- The matrices; a vector is repeated as N rows.

    -> Array, shape (..., M, N), of the data type of m

    ValueError -- If m has no axes.
    """
    return _triangle(m, k, table.greater_equal, "triu(m)")


def _triangle(x: ArrayLike, k: SupportsIndex, comparison: Elementwise, where: str) -> Array:
    view = operand_view(x, where)
    if len(view.shape) == 1:  # of which NumPy makes a matrix of equal rows
        view = builder.broadcast(view, view.shape * 2)
    if len(view.shape) < 2:
        raise value_error(where, f"m has {len(view.shape)} dimensions", "m must have at least 1")
    offset = integer(k, where, "k")
    if 0 in view.shape:
        return Array(builder.copied(view))
    kept = _diagonal(view.shape, offset, comparison, view.device)
    return Array(choose(kept, view, scalar(0, view.dtype, view.device)))


@by_numpy(numpy.tri, 0)
def tri(
    N: SupportsIndex,  # noqa: N803 - NumPy's name
    M: SupportsIndex | None = None,  # noqa: N803 - NumPy's name
    k: SupportsIndex = 0,
    dtype: DTypeLike = None,
    *,
    device: DeviceLike = None,
    like: Any = None,
) -> Array:
    """Make a matrix of ones at and below a diagonal, zeros above it.

    -> Array, shape (N, M)
    """
    where = "tri(N, M, k)"
    rows = max(integer(N, where, "N"), 0)
    columns = rows if M is None else max(integer(M, where, "M"), 0)
    return _triangle(filled(1, (rows, columns), dtype, device, where), k, table.less_equal, where)


def to_numpy(x: Array, /) -> Host:
    """Copy an array to the host. `no_implicit_transfer` allows it, since it is not hidden.

    -> numpy.ndarray, shape and data type of x

    >>> xarr.to_numpy(xarr.arange(3))
    array([0, 1, 2])
    """
    x = array_of(x, "to_numpy(x)")
    with openly():
        return to_host(x._view)


def to_device(x: Array, device: DeviceLike, /, *, stream: Any = None) -> Array:
    """Copy an array to a device; an array that is there already is returned itself.

    stream : Stream, optional
        The stream of `device` on which the values are copied; None for its current stream.

    -> Array, shape and data type of x

    ValueError -- If there is no such device, or the stream is on another device.

    Note: CUDA devices copy from one to the other directly; other copies go through the host.

    >>> x = xarr.arange(3)
    >>> xarr.to_device(x, x.device) is x
    True
    """
    where = "to_device(x, device)"
    x = array_of(x, where)
    view = x._view
    target = get_device(device, where)
    if stream is not None:
        if not isinstance(stream, Stream) or stream.device.driver is not target.driver:
            fault = f"stream is {stream!r}"
            raise value_error(where, fault, f"stream must be an xarr.Stream on {target}")
        with stream:
            return to_device(x, target)
    return x if target is view.device else Array(transfers.to_device(view, target, where))
