"""Views with shapes and strides of the caller's choice."""

from __future__ import annotations

import operator
from typing import Any

from xarr import layout
from xarr.array.array import Array, ArrayLike, Axis, ShapeLike
from xarr.array.door import array_of
from xarr.array.layouts import lock, settled, view
from xarr.errors import value_error
from xarr.functions.create.creation import shape_of
from xarr.functions.shape.manipulation import integers
from xarr.layout import Layout, Shape


def as_strided(
    x: ArrayLike,
    shape: ShapeLike | None = None,
    strides: Any = None,
    subok: bool = False,
    writeable: bool = True,
) -> Array:
    """Make a view with a shape and strides of one's own, which begins where x begins.

    strides : tuple of int, optional
        The bytes between elements along each axis; those of x where None.

    ValueError -- If the view would reach beyond the memory of x, which NumPy does not check, or
        strides are no multiples of the size of an element.

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
        raise value_error(where, fault, "a stride for each axis is needed")
    wanted = Layout(extents, steps, given.offset)
    storage = array._node.storage
    assert storage is not None
    if wanted.size:
        low, high = wanted.bounds()
        count = storage.nbytes // array.itemsize
        if low < 0 or high >= count or not given.size:
            fault = f"the view would have elements {low} to {high} of the memory of x"
            accepted = f"there are elements 0 to {count - 1}"
            remedy = "strides count bytes: take multiples of x.itemsize"
            raise value_error(where, fault, accepted, remedy)
    result = view(array, wanted)
    return result if writeable else lock(result)


def _in_elements(strides: Any, extents: Shape, x: Array, where: str) -> tuple[int, ...]:
    """Strides in bytes as strides in elements; any do along an axis of one element."""
    nbytes, itemsize = integers(strides, where, "strides"), x.itemsize
    if len(nbytes) == len(extents):
        nbytes = [0 if extent <= 1 else step for step, extent in zip(nbytes, extents, strict=True)]
    if any(step % itemsize for step in nbytes):
        fault = f"strides is {strides}"
        accepted = f"multiples of the {itemsize} bytes of an element are accepted"
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

    -> Array -- Its axes are those of x, each shorter by its window's extent less one, then those of
        the window.

    >>> xarr.lib.stride_tricks.sliding_window_view(xarr.arange(4), 3).tolist()
    [[0, 1, 2], [1, 2, 3]]
    """
    where = "sliding_window_view(x, window_shape)"
    array = array_of(x, where)
    windows = integers(window_shape, where, "window_shape")
    if any(extent < 0 for extent in windows):
        raise value_error(where, f"window_shape is {window_shape}", "no extent is negative")
    given = settled(array)
    if axis is None:
        places = list(range(array.ndim))
    else:
        named = axis if isinstance(axis, list | tuple) else (axis,)
        places = [layout.normalize_axis(operator.index(item), array.ndim, where) for item in named]
    if len(places) != len(windows):
        fault = f"window_shape is {window_shape} and there are {len(places)} axes"
        raise value_error(where, fault, "an extent for each axis is needed")
    shape = list(given.shape)
    for place, extent in zip(places, windows, strict=True):
        if shape[place] < extent:
            fault = f"the window has {extent} elements along axis {place}, x has {shape[place]}"
            raise value_error(where, fault, "a window is at most as large as x")
        shape[place] -= extent - 1
    strides = (*given.strides, *(given.strides[place] for place in places))
    wanted = Layout((*shape, *windows), strides, given.offset)
    result = view(array, wanted)
    return result if writeable else lock(result)
