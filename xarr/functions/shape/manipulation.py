"""Manipulation: other shapes and other orders, as views.

What only renames elements (reshape, flip, transpose) shares memory, as in NumPy. What parts arrays
is in `splitting`, and what brings parts together in `joining`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, Final, SupportsIndex, overload

import numpy

from xarr import layout
from xarr.array.array import Array, ArrayLike, Axis, ShapeLike
from xarr.array.cached_calls import cached_call
from xarr.array.coerce import array_of, as_array
from xarr.array.layouts import keep_array, kept_order, layout_of, lock, renamed, settled, view
from xarr.errors import axes_of, difference, operand_of, type_error, value_error
from xarr.functions.create.creation import shape_of
from xarr.ir.views import constant, storage_view
from xarr.layout import Layout, Shape, index_of, integer, normalize_axis
from xarr.tape import builder

newaxis: Final = None


def integers(value: Any, where: str, name: str) -> list[int]:
    """An argument that is an integer or a sequence of integers."""
    if isinstance(value, numpy.ndarray | Array):
        value = value.tolist()
    items = value if isinstance(value, Sequence) else (value,)
    try:
        return [index_of(item) for item in items]
    except TypeError:
        fault = f"{name} is {value!r}"
        raise type_error(
            where, fault, f"{name} must be an integer or a tuple of integers"
        ) from None


def copied_as(x: Array, where: Layout, shape: Shape) -> Array:
    """A copy of a view of a settled array, in C order under another shape."""
    view = x._view
    assert view.storage is not None
    if where.size == 0:
        return Array(constant(view.dtype.numpy.type(0).item(), view.dtype, shape, view.device))
    fresh = builder.copied(storage_view(view.storage, where, view.dtype))
    assert fresh.storage is not None
    return Array(storage_view(fresh.storage, layout.contiguous(shape), view.dtype))


@cached_call
def reshape(
    a: ArrayLike, /, shape: ShapeLike, order: str = "C", *, copy: bool | None = None
) -> Array:
    """Give an array another shape, its elements in the same order: a view where strides allow it.

    shape : int or tuple of int -- The shape. One extent may be -1: it is computed from the others.
    order : {"C", "F", "A"} -- Which index runs fastest: the last ("C") or the first ("F"). "A" is
        "F" for an array in Fortran order, else "C".

    -> Array, shape as given, data type kept

    ValueError -- If the number of elements differs, or copy is False and a copy is needed.

    >>> xarr.reshape(xarr.arange(6), (2, -1)).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    where = "reshape(a, shape)"
    x = array_of(a, where, "a")
    given_view = x._view
    extents = layout.resolved(shape, math.prod(given_view.shape), where)
    letter = layout.order_of(order, "reshape(a, shape, order)", "CFA")
    if letter == "F" or (letter == "A" and fortran_alone(x)):
        backwards = reshape(reversed_axes(x), extents[::-1], copy=copy)
        return reversed_axes(backwards)
    if copy:
        return copied_as(x, settled(x), extents)
    given = settled(x)
    target = given.reshaped(extents)
    if target is not None:
        return view(x, target)
    if copy is False:
        fault = (
            f"a has shape {given_view.shape} with strides {given.strides} and shape is {extents}"
        )
        accepted = "copy must not be False, as strides cannot express the shape"
        raise value_error("reshape(a, shape, copy=False)", fault, accepted, "pass copy=None")
    return copied_as(x, settled(x), extents)


def reversed_axes(x: Array) -> Array:
    """The array with its axes in the other order; a view."""
    return permute_dims(x, tuple(reversed(range(x.ndim))))


@cached_call
def ravel(a: ArrayLike, order: str = "C") -> Array:
    """Flatten an array: a view of it where its elements follow each other, else a copy.

    order : {"C", "F", "A", "K"} -- Which index runs fastest: the last ("C") or the first ("F"). "A"
        is "F" for an array in Fortran order, else "C"; "K" keeps the order in memory.

    -> Array, shape (N,), data type kept
    """
    return flattened(array_of(a, "ravel(a)", "a"), order, "ravel(a, order)")


def flattened(x: Array, order: str | None, where: str, *, copy: bool = False) -> Array:
    """The elements in an order; a view where they follow each other, unless `copy`."""
    order = layout.order_of(order, where)
    if order == "K":
        x = view(x, settled(x).permuted(kept_order(layout_of(x))))
    elif order == "F" or (order == "A" and fortran_alone(x)):
        x = reversed_axes(x)
    return reshape(x, (x.size,), copy=copy or not settled(x).linear)


def fortran_alone(x: Array) -> bool:
    """Whether an array lies in memory in Fortran's order and not in C order."""
    where = layout_of(x)
    return not where.linear and layout.is_fortran(where)


@cached_call
def permute_dims(a: Array, axes: Any = None) -> Array:
    """Put the axes in another order; a view.

    axes : tuple of int, optional -- The axes of a in their new order; None reverses them.

    -> Array, of the data type of a

    ValueError -- If the axes are not all axes of a, each once.

    >>> xarr.permute_dims(xarr.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    where = "permute_dims(a, axes)"
    a = array_of(a, where)
    return permuted(a, range(a.ndim)[::-1] if axes is None else axes, where)


def permuted(x: Array, axes: Any, where: str) -> Array:
    """The array with its axes in the order named, for a function that errors name; a view."""
    order = [normalize_axis(axis, x.ndim, where) for axis in integers(axes, where, "axes")]
    if sorted(order) != list(range(x.ndim)):
        fault = f"{operand_of(where)} has {axes_of(x.ndim)} and axes is {axes!r}"
        raise value_error(where, fault, "each axis must be named once")
    return view(x, settled(x).permuted(order))


@cached_call
def transpose(a: ArrayLike, axes: Any = None) -> Array:
    """Reverse the axes, or put them in another order; a view.

    axes : tuple of int, optional -- The axes of a in their new order; None reverses them.

    -> Array, of the data type of a

    ValueError -- If the axes are not all axes of a, each once.
    """
    where = "transpose(a, axes)"
    x = array_of(a, where, "a")
    return reversed_axes(x) if axes is None else permuted(x, axes, where)


@cached_call
def swapaxes(a: ArrayLike, axis1: SupportsIndex, axis2: SupportsIndex) -> Array:
    """Swap two axes; a view.

    -> Array, data type kept

    >>> xarr.swapaxes(xarr.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    where = "swapaxes(a, axis1, axis2)"
    x = array_of(a, where, "a")
    first, second = (normalize_axis(axis, x.ndim, where) for axis in (axis1, axis2))
    order = list(range(x.ndim))
    order[first], order[second] = second, first
    return permute_dims(x, tuple(order))


@cached_call
def moveaxis(a: ArrayLike, source: Any, destination: Any) -> Array:
    """Move axes to other positions, and keep the order of the others; return a view.

    source, destination : int or tuple of int -- The axes, and the position of each in the result.

    -> Array, of the data type of a

    AxisError -- If an axis is out of range.
    ValueError -- If there are not as many of both, or an axis is named twice.

    >>> xarr.moveaxis(xarr.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    where = "moveaxis(a, source, destination)"
    x = array_of(a, where, "a")
    given = [normalize_axis(item, x.ndim, where) for item in integers(source, where, "source")]
    places = [
        normalize_axis(item, x.ndim, where) for item in integers(destination, where, "destination")
    ]
    if len(given) != len(places) or any(len(set(axes)) != len(axes) for axes in (given, places)):
        fault = f"source is {source!r} and destination is {destination!r}"
        raise value_error(where, fault, "both must have as many axes, each named once")
    order = [axis for axis in range(x.ndim) if axis not in given]
    for place, axis in sorted(zip(places, given, strict=True)):
        order.insert(place, axis)
    return permute_dims(x, tuple(order))


@cached_call
def expand_dims(a: ArrayLike, axis: Any) -> Array:
    """Insert axes of one element; a view.

    axis : int or tuple of int -- The positions of the new axes in the result.

    -> Array, of the data type of a

    >>> xarr.expand_dims(xarr.zeros((2, 3)), 1).shape
    (2, 1, 3)
    """
    where = "expand_dims(a, axis)"
    x = array_of(a, where, "a")
    items = integers(axis, where, "axis")
    places = layout.normalize_axes(tuple(items), x.ndim + len(items), where, "the result")
    return _with_places(x, places, where)


def _with_places(x: Array, places: Sequence[int], where: str) -> Array:
    """Insert axes of one element at places of the result, in ascending order."""

    def lay(given: Layout) -> Layout:
        shape, strides = list(given.shape), list(given.strides)
        for place in places:
            shape.insert(place, 1)
            strides.insert(place, 0)
        layout.require_possible(tuple(shape), where)
        return Layout(tuple(shape), tuple(strides), given.offset)

    return renamed(x, ("expand_dims", *places), lay)


@cached_call
def squeeze(a: ArrayLike, axis: Axis = None) -> Array:
    """Remove axes of one element; a view.

    axis : int, tuple of int or None -- The axes; None for all that have one element.

    -> Array, data type kept

    ValueError -- If an axis has more than one element, or none.

    >>> xarr.squeeze(xarr.zeros((1, 3)), 0).shape
    (3,)
    """
    where = "squeeze(a, axis)"
    x = array_of(a, where, "a")
    if axis is None:
        places = tuple(number for number, extent in enumerate(x.shape) if extent == 1)
    else:
        items = tuple(integers(axis, where, "axis"))
        places = layout.normalize_axes(items, max(x.ndim, 1), where)
        places = places if x.ndim else ()  # NumPy takes the first axis of what has none
    if any(x.shape[place] != 1 for place in places):
        fault = f"a has shape {x.shape} and axis is {axis!r}"
        raise value_error(where, fault, "the axes to remove must have one element")
    given = settled(x)
    kept = [number for number in range(x.ndim) if number not in places]
    return view(x, given.permuted(kept))


@cached_call
def flip(m: ArrayLike, axis: Axis = None) -> Array:
    """Reverse the order of elements along axes; a view.

    -> Array, shape and data type of m
    """
    where = "flip(m, axis)"
    x = array_of(m, where, "m")
    places = layout.normalize_axes(axis, x.ndim, where)
    if not x.ndim:
        return x[()]  # a number, as NumPy's

    def lay(given: Layout) -> Layout:
        offset, strides = 0, list(given.strides)
        for place in places:
            offset += max(given.shape[place] - 1, 0) * strides[place]
            strides[place] = -strides[place]
        return Layout(given.shape, tuple(strides), offset if given.size else 0)

    return renamed(x, (flip, places), lay)


@cached_call
def fliplr(m: ArrayLike) -> Array:
    """Reverse the second axis; a view.

    -> Array, shape and data type of m
    """
    where = "fliplr(m)"
    return flip(at_least(array_of(m, where, "m"), 2, where), 1)


@cached_call
def flipud(m: ArrayLike) -> Array:
    """Reverse the first axis; a view.

    -> Array, shape and data type of m
    """
    where = "flipud(m)"
    return flip(at_least(array_of(m, where, "m"), 1, where), 0)


def at_least(x: Array, ndim: int, where: str) -> Array:
    """The array; ValueError if it has fewer axes."""
    if x.ndim < ndim:
        fault = f"{operand_of(where)} is {x.ndim}-d"
        raise value_error(where, fault, f"it must be at least {ndim}-d")
    return x


@cached_call
def rot90(m: ArrayLike, k: SupportsIndex = 1, axes: Any = (0, 1)) -> Array:
    """Rotate by quarter turns in the plane of two axes, from the first to the second; a view.

    k : int -- The number of quarter turns; a negative one turns back.
    axes : tuple of two int -- The axes of the plane.

    -> Array, of the data type of m

    ValueError -- If the axes are not two different ones.

    >>> xarr.rot90(xarr.asarray([[1, 2], [3, 4]])).tolist()
    [[2, 4], [1, 3]]
    """
    where = "rot90(m, k, axes)"
    x = array_of(m, where, "m")
    plane = [normalize_axis(axis, x.ndim, where) for axis in integers(axes, where, "axes")]
    if len(plane) != 2 or plane[0] == plane[1]:
        raise value_error(where, f"axes is {axes!r}", "axes must be two different axes")
    first, second = plane
    turns = integer(k, where, "k") % 4
    if turns == 0:
        return view(x, settled(x))
    if turns == 2:
        return flip(x, (first, second))
    if turns == 1:
        return swapaxes(flip(x, second), first, second)
    return flip(swapaxes(x, first, second), second)


@cached_call
def broadcast_to(array: ArrayLike, shape: ShapeLike, subok: bool = False) -> Array:
    """Repeat an array over a shape, without copying: a view, which is read-only.

    shape : int or tuple of int -- The shape of the result.

    -> Array, shape as given, of the data type of array

    ValueError -- If the array does not broadcast to the shape.

    >>> xarr.broadcast_to(xarr.arange(2), (2, 2)).tolist()
    [[0, 1], [0, 1]]
    """
    where = "broadcast_to(array, shape)"
    owned = type(array) is Array
    x = as_array(array, where, "array")
    extents = shape_of(shape, where)
    if len(extents) < x.ndim or layout.broadcast_shapes(x.shape, extents, where=where) != extents:
        fault = f"array has shape {x.shape} and shape is {extents}"
        rule = "aligned at the last axis, each extent equal or 1"
        raise value_error(where, fault, f"array must broadcast to shape: {rule}")
    given_view = x._view
    if not owned and given_view.value is not None:
        return lock(Array(constant(given_view.value, given_view.dtype, extents, given_view.device)))
    # A constant that an array holds may be written to later, which the view has to show.
    return lock(keep_array(view(x, settled(x).broadcast(extents))))


def broadcast_arrays(*arrays: ArrayLike, subok: bool = False) -> tuple[Array, ...]:
    """Repeat arrays over the shape that they broadcast to: views, read-only where elements repeat.

    -> tuple of Arrays of one shape, data types kept

    ValueError -- If the shapes are not compatible.

    >>> [x.shape for x in xarr.broadcast_arrays(xarr.zeros(3), xarr.zeros((2, 1)))]
    [(2, 3), (2, 3)]
    """
    where = "broadcast_arrays(*arrays)"
    items = [as_array(item, where, "an array") for item in arrays]
    if not items:
        return ()
    shape = layout.broadcast_shapes(*(item.shape for item in items), where=where)
    return tuple(item if item.shape == shape else broadcast_to(item, shape) for item in items)


def broadcast_shapes(*shapes: Any) -> Shape:
    """Tell the shape that several shapes broadcast to; () for no shapes.

    shapes : int or tuple of int -- The shapes.

    -> tuple of int

    ValueError -- If the shapes do not broadcast.

    >>> xarr.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    where = "broadcast_shapes(*shapes)"
    if not shapes:
        return ()
    return layout.broadcast_shapes(*(shape_of(shape, where) for shape in shapes), where=where)


@overload
def atleast_1d(array: ArrayLike, /) -> Array: ...
@overload
def atleast_1d(*arrays: ArrayLike) -> tuple[Array, ...]: ...
@cached_call
def atleast_1d(*arrays: ArrayLike) -> Array | tuple[Array, ...]:
    """Give arrays at least one axis.

    -> Array: a view, or a tuple of views for several arguments; data types kept
    """
    return _one_or_all([with_axes(item, 1, "atleast_1d(*arrays)") for item in arrays])


@overload
def atleast_2d(array: ArrayLike, /) -> Array: ...
@overload
def atleast_2d(*arrays: ArrayLike) -> tuple[Array, ...]: ...
@cached_call
def atleast_2d(*arrays: ArrayLike) -> Array | tuple[Array, ...]:
    """Give arrays at least two axes; new axes come in front.

    -> Array: a view, or a tuple of views for several arguments; data types kept
    """
    return _one_or_all([with_axes(item, 2, "atleast_2d(*arrays)") for item in arrays])


@overload
def atleast_3d(array: ArrayLike, /) -> Array: ...
@overload
def atleast_3d(*arrays: ArrayLike) -> tuple[Array, ...]: ...
@cached_call
def atleast_3d(*arrays: ArrayLike) -> Array | tuple[Array, ...]:
    """Give arrays at least three axes: (N,) becomes (1, N, 1) and (M, N) becomes (M, N, 1).

    -> Array: a view, or a tuple of views for several arguments; data types kept
    """
    return _one_or_all([with_three_axes(item, "atleast_3d(*arrays)") for item in arrays])


def with_three_axes(item: Any, where: str) -> Array:
    """An array with axes of one element: a vector's in front, then one at the end."""
    flat = with_axes(item, 2, where)
    return _with_places(flat, (flat.ndim,), where) if flat.ndim < 3 else flat


def with_axes(item: Any, ndim: int, where: str) -> Array:
    """An array with axes of one element in front, if it has too few."""
    x = item if type(item) is Array else as_array(item, where, "an array")
    missing = ndim - x.ndim
    return _with_places(x, range(missing), where) if missing > 0 else x


def _one_or_all(results: list[Array]) -> Array | tuple[Array, ...]:
    return results[0] if len(results) == 1 else tuple(results)


@cached_call
def rollaxis(a: ArrayLike, axis: SupportsIndex, start: SupportsIndex = 0) -> Array:
    """Move an axis in front of another one; `moveaxis` is easier to read.

    start : int -- The axis in front of which to put `axis`; the number of axes for the end.

    -> Array, of the data type of a

    >>> xarr.rollaxis(xarr.zeros((3, 4, 5, 6)), 3, 1).shape
    (3, 6, 4, 5)
    """
    where = "rollaxis(a, axis, start)"
    x = array_of(a, where, "a")
    place = normalize_axis(axis, x.ndim, where)
    end = integer(start, where, "start") == x.ndim
    target = x.ndim if end else normalize_axis(start, x.ndim, where)
    order = [number for number in range(x.ndim) if number != place]
    order.insert(target - (place < target), place)
    return permute_dims(x, tuple(order))


def as_strided(
    x: ArrayLike,
    shape: ShapeLike | None = None,
    strides: Any = None,
    subok: bool = False,
    writeable: bool = True,
) -> Array:
    """Make a view of given shape and strides that begins at the first element of x.

    strides : tuple of int, optional
        The bytes between elements along each axis; None for the strides of x.
    shape : int, tuple of int or None -- The shape; None for the shape of x.

    -> Array, shape as given, of the data type of x

    ValueError -- If the view would reach beyond the memory of x (NumPy does not check it), or a
        stride is no multiple of the size of an element.

    >>> x = xarr.arange(4)
    >>> xarr.lib.stride_tricks.as_strided(x, (3, 2), (x.itemsize, x.itemsize)).tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    where = "as_strided(x, shape, strides)"
    array = array_of(x, where)
    given = settled(array)
    extents = given.shape if shape is None else shape_of(shape, where)
    steps = given.strides if strides is None else _in_elements(strides, extents, array, where)
    if len(steps) != len(extents):
        fault = f"shape is {extents} and strides has {len(steps)} entries"
        raise value_error(where, fault, "strides must have an entry for each axis")
    wanted = Layout(extents, steps, given.offset)
    storage = array._view.storage
    assert storage is not None
    if wanted.size:
        low, high = wanted.bounds()
        count = storage.nbytes // array.itemsize
        if low < 0 or high >= count or not given.size:
            fault = f"the view would have elements {low} to {high} of the memory of x"
            accepted = f"they must be among its elements 0 to {count - 1}"
            remedy = "strides count bytes: take multiples of x.itemsize"
            raise value_error(where, fault, accepted, remedy, difference("np-as-strided"))
    result = view(array, wanted)
    return result if writeable else lock(result)


def _in_elements(strides: Any, extents: Shape, x: Array, where: str) -> tuple[int, ...]:
    """Strides in bytes as strides in elements; any do along an axis of one element."""
    nbytes, itemsize = integers(strides, where, "strides"), x.itemsize
    if len(nbytes) == len(extents):
        nbytes = [0 if extent <= 1 else step for step, extent in zip(nbytes, extents, strict=True)]
    if any(step % itemsize for step in nbytes):
        fault = f"strides is {strides}"
        accepted = f"strides must be multiples of the {itemsize} bytes of an element"
        raise value_error(where, fault, accepted)
    return tuple(step // itemsize for step in nbytes)


def sliding_window_view(
    x: ArrayLike,
    window_shape: ShapeLike,
    axis: Axis = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> Array:
    """Make a view of all windows of an array.

    window_shape : int or tuple of int -- The extent of the window along each of the axes.

    -> Array
        Its axes are those of x, each shortened by the window's extent minus one, then those of the
        window.

    ValueError -- If a window is larger than x along an axis, or has a negative extent.

    >>> xarr.lib.stride_tricks.sliding_window_view(xarr.arange(4), 3).tolist()
    [[0, 1, 2], [1, 2, 3]]
    """
    where = "sliding_window_view(x, window_shape)"
    array = array_of(x, where)
    windows = integers(window_shape, where, "window_shape")
    if any(extent < 0 for extent in windows):
        raise value_error(where, f"window_shape is {window_shape}", "extents must not be negative")
    given = settled(array)
    if axis is None:
        places = list(range(array.ndim))
    else:
        named = axis if isinstance(axis, list | tuple) else (axis,)
        places = [layout.normalize_axis(operator.index(item), array.ndim, where) for item in named]
    if len(places) != len(windows):
        fault = f"window_shape is {window_shape} and there are {len(places)} axes"
        raise value_error(where, fault, "window_shape must have an extent for each axis")
    shape = list(given.shape)
    for place, extent in zip(places, windows, strict=True):
        if shape[place] < extent:
            fault = f"the window has {extent} elements along axis {place}, x has {shape[place]}"
            raise value_error(where, fault, "a window must be at most as large as x")
        shape[place] -= extent - 1
    strides = (*given.strides, *(given.strides[place] for place in places))
    wanted = Layout((*shape, *windows), strides, given.offset)
    result = view(array, wanted)
    return result if writeable else lock(result)
