"""The memory of an array as bytes: read, written, swapped, taken as of another type or size."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy

from xarr import dtypes, layout
from xarr.array.array import Array, rebind
from xarr.array.layouts import reinterpreted, require_writeable, viewed
from xarr.array.operands import integer
from xarr.array.transfers import tell, to_host
from xarr.core.tape import constant
from xarr.errors import type_error, value_error
from xarr.functions.create import creation
from xarr.functions.shape import manipulation


def view(x: Array, dtype: Any, type: Any) -> Array:
    """Another array in the same memory, perhaps of another data type."""
    where = "x.view(dtype)"
    if dtype is Array:
        dtype = None
    if type not in (None, Array, numpy.ndarray):
        raise type_error(where, f"type is {type!r}", "xarr.ndarray is accepted, alone")
    row = x._node.dtype if dtype is None else dtypes.lookup(dtype, where)
    return viewed(x, reinterpreted(x, row, where))


def byteswap(x: Array, inplace: bool) -> Array:
    """Reverse the bytes of each element (of each part of a complex one)."""
    parts = x if inplace else x.copy()
    if x.dtype.kind == "c":
        parts = view(parts.reshape((*x.shape, 1)), parts.real.dtype, None)
    shape = (*parts.shape, parts.itemsize)
    places = view(parts.reshape((*parts.shape, 1), copy=False), "uint8", None).reshape(shape)
    places[...] = places[..., ::-1].copy()
    return x if inplace else view(parts, x.dtype, None).reshape(x.shape)


def resize(x: Array, new_shape: tuple[Any, ...], refcheck: bool) -> None:
    """Give the array another shape and size in place; what is new is zero."""
    where = "x.resize(new_shape)"
    require_writeable(x, where)
    integer(refcheck, where, "refcheck")
    shape = new_shape[0] if len(new_shape) == 1 else new_shape or None
    if shape is None:
        return
    extents = layout.extents_of(shape, where)
    size = math.prod(extents)
    if size == x.size:
        x.shape = extents
        return
    if not x.flags.owndata:
        fault = "x is a view"
        accepted = "an array of memory of its own is accepted"
        raise value_error(where, fault, accepted, "use xarr.resize, which makes a new array")
    kept = min(size, x.size)
    fresh = Array(constant(x.dtype.type(0).item(), x._node.dtype, (size,), x._node.device))
    fresh[:kept] = manipulation.ravel(x)[:kept]
    rebind(x, manipulation.reshape(fresh, extents)._node)


def tobytes(x: Array, order: str | None) -> bytes:
    """The values as bytes, in C order or Fortran's; a copy on the host."""
    order = layout.order_of(order, "x.tobytes(order)")
    fortran = order == "F" or (order == "A" and x.flags.fnc)
    return to_host((manipulation.reversed_axes(x) if fortran else x)._node, "x.tobytes()").tobytes()


def of(x: Array) -> bytes:
    """The values as bytes, for `bytes(x)`; zeros as many as an integer without axes says."""
    if not x.shape and x._node.dtype.kind in dtypes.INTEGER:
        return bytes(int(x))
    return to_host(x._node, "bytes(x)").tobytes()


def tofile(x: Array, fid: Any, sep: str, format: str) -> None:
    """Write the values to a file in C order, as bytes or as text with a separator."""
    tell("x.tofile(fid)", x.nbytes, "from", x.device)
    creation.to_numpy(x).tofile(fid, sep, format)


def dump(x: Array, file: Any) -> None:
    """Pickle the array to a file, an open one or one that is named."""
    if hasattr(file, "write"):
        pickle.dump(x, file)
        return
    with Path(file).open("wb") as opened:
        pickle.dump(x, opened)
