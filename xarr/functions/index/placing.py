"""Functions that write to some elements of an array."""

from __future__ import annotations

from typing import Any

import numpy

from xarr import layout
from xarr.array.array import Array, ArrayLike
from xarr.array.conversion import as_array
from xarr.array.layouts import assign, require_writeable, settled, view
from xarr.engine import engine
from xarr.errors import type_error, value_error
from xarr.functions.calls.places import along, bounded, int64, lines_along
from xarr.functions.index import searching
from xarr.functions.index.indexing import setitem
from xarr.functions.shape import manipulation
from xarr.functions.shape.editing import resized
from xarr.functions.types import data_types
from xarr.layout import Layout, normalize_axis


def _target(a: Any, where: str, name: str = "a") -> Array:
    """An argument that is written to."""
    if type(a) is not Array:
        remedy = f"numpy.{where}" if isinstance(a, numpy.ndarray) else f"xarr.asarray({name})"
        fault = f"{name} is of type {type(a).__name__}"
        raise type_error(where, fault, "it is written to, so an Array is accepted", f"use {remedy}")
    require_writeable(a, where)
    return a


def _written_flat(a: Array, index: Array, values: Array) -> None:
    """Write to elements of the flattened array, in C order; the indices are in range."""
    if a.ndim == 1:
        setitem(a, index, values)
        return
    flat = settled(a).reshaped((a.size,))
    if flat is not None:
        setitem(view(a, flat), index, values)
        return
    steps = layout.contiguous_strides(a.shape)
    index = index % a.size
    setitem(
        a,
        tuple(index // step % extent for step, extent in zip(steps, a.shape, strict=True)),
        values,
    )


def put(a: Array, ind: Any, v: ArrayLike, mode: str = "raise") -> None:
    """Write values to elements of the flattened array; of equal indices the last one stays.

    v : Array or values
        The values, in order; from the first again where there are fewer than indices.

    >>> x = xarr.arange(4)
    >>> xarr.put(x, [0, -1], [7, 8])
    >>> x.tolist()
    [7, 1, 2, 8]
    """
    where = "put(a, ind, v)"
    target = _target(a, where)
    index = manipulation.ravel(int64(ind, where, "ind", target.device))
    values = manipulation.ravel(as_array(v, where, "v", dtype=target.dtype, device=target.device))
    if not index.size or not values.size:
        return
    index = bounded(index, target.size, 0, mode, where)
    _written_flat(target, index, resized(values, (index.size,)))


def putmask(a: Array, /, mask: Any, values: Any) -> None:
    """Write values to the elements that a mask names: to each the value of its own place.

    ``a[mask] = values`` takes them one after the other.

    values : Array or values
        The values for all elements of a, in order; from the first again where there are fewer.

    >>> x = xarr.arange(5)
    >>> xarr.putmask(x, x > 1, [-33, -44])
    >>> x.tolist()
    [0, 1, -33, -44, -33]
    """
    where = "putmask(a, mask, values)"
    target = _target(a, where)
    chosen = _mask(mask, target, where)
    if isinstance(values, Array | numpy.ndarray) and values.ndim:
        data_types.require_casting(values.dtype, target.dtype, "safe", where)
    fill = as_array(values, where, "values", dtype=target.dtype, device=target.device)
    if fill.size and target.size:
        setitem(target, ..., searching.where(chosen, resized(fill, target.shape), target))


def _mask(mask: Any, a: Array, where: str) -> Array:
    """A mask of as many elements as `a`, in its shape."""
    array = as_array(mask, where, "mask", device=a.device)
    if array.size != a.size:
        fault = f"mask has shape {array.shape} and a {a.shape}"
        raise value_error(where, fault, "as many elements are needed")
    return manipulation.reshape(array.astype(bool, copy=False), a.shape)


def place(arr: Array, mask: Any, vals: Any) -> None:
    """Write values one after the other to the elements that a mask names. Waits for the device.

    vals : Array or values -- The values; from the first again where there are too few.

    >>> x = xarr.arange(5)
    >>> xarr.place(x, x > 1, [-33, -44])
    >>> x.tolist()
    [0, 1, -33, -44, -33]
    """
    where = "place(arr, mask, vals)"
    target = _target(arr, where, "arr")
    chosen = _mask(mask, target, where)
    values = manipulation.ravel(
        as_array(vals, where, "vals", dtype=target.dtype, device=target.device)
    )
    index = searching.flatnonzero(chosen)
    if not index.size:
        return
    if not values.size:
        raise value_error(where, "vals is empty", "at least one value is needed for the mask")
    _written_flat(target, index, resized(values, (index.size,)))


def put_along_axis(arr: Array, indices: ArrayLike, values: Any, axis: Any) -> None:
    """Write values at indices along an axis, to each line with its own indices.

    values : Array or values -- What is written; it broadcasts to the shape of indices.

    >>> x = xarr.asarray([[3, 1, 2]])
    >>> xarr.put_along_axis(x, xarr.argmax(x, axis=1, keepdims=True), 0, axis=1)
    >>> x.tolist()
    [[0, 1, 2]]
    """
    where = "put_along_axis(arr, indices, values, axis)"
    target = _target(arr, where, "arr")
    index = along(indices, where, target.device)
    if axis is None:
        if index.ndim != 1:
            fault = f"indices have shape {index.shape}"
            raise value_error(where, fault, "without axis, indices have a single dimension")
        _written_flat(
            target,
            bounded(index, target.size, 0, "raise", where),
            as_array(values, where, "values", device=target.device),
        )
        return
    place = normalize_axis(axis, target.ndim, where)
    if index.ndim != target.ndim:
        fault = f"indices have {index.ndim} dimensions"
        raise value_error(where, fault, f"arr has {target.ndim}; both have to agree")
    key: list[Any] = list(lines_along(target.shape, place, target.device))
    key.insert(place, index)
    setitem(target, tuple(key), values)


def fill_diagonal(a: Array, val: Any, wrap: bool = False) -> None:
    """Write to the main diagonal of an array.

    val : Array or values
        The values along the diagonal; from the first again where there are too few.
    wrap : bool -- Whether the diagonal of a matrix with more rows than columns begins anew below,
        one row apart.
    val : Array or values -- What is written, from the first again where there is less.

    >>> x = xarr.zeros((2, 2))
    >>> xarr.fill_diagonal(x, 5)
    >>> x.tolist()
    [[5.0, 0.0], [0.0, 5.0]]
    """
    where = "fill_diagonal(a, val)"
    target = _target(a, where)
    shape = manipulation.at_least(target, 2, where).shape
    if target.ndim > 2 and len(set(shape)) != 1:
        fault = f"a has shape {shape}"
        raise value_error(where, fault, "all dimensions of input must be of equal length")
    values = manipulation.ravel(
        as_array(val, where, "val", dtype=target.dtype, device=target.device)
    )
    if not values.size or not target.size:
        return
    given = settled(target)
    step = sum(given.strides)
    first = 0
    written = 0
    while first < shape[0]:
        count = min(shape[0] - first, *shape[1:])
        offset = given.offset + first * given.strides[0]
        diagonal = Layout((count,), (step,), offset)
        part = values if values.size == 1 else resized(values, (written + count,))[written:]
        assign(target, diagonal, engine.converted(part._node, target._node.dtype))
        written += count
        first += count + 1
        if not wrap or target.ndim > 2:
            break
