"""Arrays with parts taken out or put in, and of other sizes."""

from __future__ import annotations

import math
import operator
from typing import Any, SupportsIndex

import numpy

from xarr import dtypes, layout
from xarr.algorithms import gather
from xarr.array.array import Array, ArrayLike
from xarr.array.conversion import as_array
from xarr.array.door import array_of
from xarr.array.layouts import keep_array, settled, view
from xarr.array.transfers import Host, from_host, openly
from xarr.core.tape import constant
from xarr.engine import engine
from xarr.errors import refused, value_error
from xarr.functions.calls.on_host import host_of
from xarr.functions.create import fills
from xarr.functions.create.creation import shape_of
from xarr.functions.elementwise import elementwise
from xarr.functions.index import indexing, searching
from xarr.functions.reduce import reductions
from xarr.functions.shape import joining, manipulation
from xarr.layout import Layout, Shape, normalize_axis


def resized(values: Array, shape: Shape) -> Array:
    """The elements in C order under another shape, from the first again when they end."""
    size = math.prod(shape)
    if values.size == 1:
        one = manipulation.reshape(values, ())
        return Array(engine.broadcast(one._node, shape))
    flat = manipulation.ravel(values)
    if size <= flat.size:
        return manipulation.reshape(flat[:size], shape)
    index = elementwise.remainder(Array(engine.index((size,), flat._node.device)), flat.size)
    node = gather.take(flat._node, settled(flat), [(0, index._node)], 0)
    return Array(engine.reshaped(node, shape))


def resize(a: ArrayLike, new_shape: Any) -> Array:
    """Give an array another shape and size, its elements repeated where there are too few.

    Note: The method `x.resize` fills with zeros instead.

    >>> xarr.resize(xarr.asarray([1, 2, 3]), (2, 2)).tolist()
    [[1, 2], [3, 1]]
    """
    where = "resize(a, new_shape)"
    x = array_of(a, where, "a")
    shape = layout.require_possible(shape_of(new_shape, where), where)
    if not x.size or not math.prod(shape):
        return Array(constant(x.dtype.type(0).item(), x._node.dtype, shape, x._node.device))
    return keep_array(Array(engine.copied(resized(x, shape)._node)))


def delete(arr: ArrayLike, obj: Any, axis: SupportsIndex | None = None) -> Array:
    """Take parts along an axis out of an array.

    obj : int, slice, integer Array, or bool Array of shape (N,)
        Which parts are left out; an Array is waited for.

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
        return joining.concat([part for part in parts if part.size] or parts[:1], axis=place)
    if type(obj) is Array:
        keep = fills.ones((extent,), dtype="bool", device=x.device)
        indexing.setitem(keep, _places(obj, extent, where), False)
        (kept,) = searching.nonzero(keep)
        return searching.take(x, kept, axis=place)
    keeping = numpy.ones(extent, bool)
    try:
        keeping[_host_places(obj, extent, where)] = False
    except IndexError as error:
        fault = f"{error}"
        raise refused(IndexError, where, fault, f"axis {place} has {extent} elements") from None
    return _elements_at(x, place, numpy.flatnonzero(keeping))


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
        accepted = f"axis {axis} has {extent} elements, so [{-extent}, {extent}) is accepted"
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
    kind = obj._node.dtype.kind
    if kind == dtypes.BOOL and obj.shape != (extent,):
        raise _wrong_mask(obj.shape, extent, where)
    if kind not in (dtypes.BOOL, *dtypes.INTEGER):
        raise _wrong_index(str(obj.dtype), where)
    return obj if kind == dtypes.BOOL else manipulation.ravel(obj)


def _host_places(obj: Any, extent: int, where: str) -> Any:
    """What `_places` gives, of values on the host; a slice as it is."""
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
    return value_error(
        where, f"the mask obj has shape {shape}", f"the axis has {extent} elements; as many"
    )


def _wrong_index(dtype: str, where: str) -> IndexError:
    return refused(
        IndexError,
        where,
        f"obj has dtype {dtype}",
        "integers, slices, and integer or bool arrays are accepted",
    )


def _elements_at(x: Array, axis: int, positions: Host) -> Array:
    """The elements at positions along an axis, which are known to be in range."""
    where = settled(x)
    with openly():
        index = from_host(positions.astype(numpy.int64, copy=False), x.device, "positions")
    return Array(gather.take(x._node, where, [(axis, index)], axis))


def insert(arr: ArrayLike, obj: Any, values: Any, axis: SupportsIndex | None = None) -> Array:
    """Put values between the elements along an axis.

    obj : int, slice, integer Array, or bool Array of shape (N,)
        In front of which elements of arr, or N for the end.
    values : Array or values
        What is put in; it broadcasts over the other axes, and over several indices.

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
        accepted = f"axis {place} has {extent} elements, so [{-extent}, {extent}] is accepted"
        raise refused(IndexError, where, fault, accepted)
    at = numpy.where(at < 0, at + extent, at)
    if not at.ndim or at.size == 1:
        first = int(at.reshape(-1)[0])
        if not at.ndim:
            fresh = manipulation.moveaxis(fresh, 0, place)
        count = fresh.shape[place]
        between = _over(fresh, x.shape, place, count, where)
        parts = [_part(x, place, 0, first), between, _part(x, place, first, extent)]
        return joining.concat([part for part in parts if part.size] or [parts[1]], axis=place)
    between = _over(fresh, x.shape, place, at.size, where)
    order = numpy.argsort(at, kind="stable")
    at[order] += numpy.arange(at.size)
    sources = numpy.empty(extent + at.size, numpy.int64)
    old = numpy.ones(sources.size, bool)
    old[at] = False
    sources[at] = extent + numpy.arange(at.size)
    sources[old] = numpy.arange(extent)
    return _elements_at(joining.concat([x, between], axis=place), place, sources)


def _insertions(obj: Any, extent: int, where: str) -> Host:
    """Where is put in, as integers on the host: without axes for one index, else a vector."""
    if isinstance(obj, slice):
        return numpy.arange(*obj.indices(extent))
    values = numpy.asarray(host_of(obj, where))
    if not values.size and type(obj) in (list, tuple):
        return values.astype(numpy.int64)
    if values.dtype == numpy.bool_ and values.ndim == 1:
        return numpy.flatnonzero(values)
    if values.ndim > 1:
        raise value_error(where, f"obj has shape {values.shape}", "a vector of indices is accepted")
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
    """Cut off what is zero at the ends; a view, of a list a list. Waits for the device.

    trim : str -- "f" for the front, "b" for the back, "fb" for both.
    axis : int or tuple of int, optional -- Along which axes; all where None.

    >>> xarr.trim_zeros(xarr.asarray([0, 0, 1, 0, 2, 0])).tolist()
    [1, 0, 2]
    """
    where = "trim_zeros(filt, trim, axis)"
    ends = trim.lower()
    if ends not in ("f", "b", "fb", "bf"):
        raise value_error(where, f"trim is {trim!r}", "'f', 'b', 'fb' are accepted")
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
