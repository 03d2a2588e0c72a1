"""The memory of an array as bytes: read, written, swapped, of another type; and bits in bytes."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any, SupportsIndex

import numpy

from xarr import dtypes, layout
from xarr.array.array import Array, rebind
from xarr.array.cached_calls import by_numpy
from xarr.array.coerce import array_of
from xarr.array.layouts import reinterpreted, require_writeable, viewed
from xarr.array.transfers import tell, to_host
from xarr.errors import type_error, value_error, word_error
from xarr.functions.create import creation, fills, ranges
from xarr.functions.elementwise import elementwise
from xarr.functions.reduce import reductions
from xarr.functions.shape import joining, manipulation
from xarr.ir.views import constant
from xarr.layout import integer, normalize_axis
from xarr.ops import vendor
from xarr.tape import builder


def view(x: Array, dtype: Any, type: Any) -> Array:
    """Another array in the same memory, perhaps of another data type."""
    where = "x.view(dtype)"
    if dtype is Array:
        dtype = None
    if type not in (None, Array, numpy.ndarray):
        raise type_error(where, f"type is {type!r}", "type must be xarr.ndarray")
    row = x._view.dtype if dtype is None else dtypes.lookup(dtype, where)
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


def resize(x: Array, new_shape: tuple[Any, ...], refcheck: Any) -> None:
    """Give the array another shape and size in place; what is new is zero."""
    where = "x.resize(new_shape)"
    require_writeable(x, where)
    integer(int(refcheck) if type(refcheck) is bool else refcheck, where, "refcheck")
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
        accepted = "x must have memory of its own"
        raise value_error(where, fault, accepted, "use xarr.resize, which makes a new array")
    kept = min(size, x.size)
    fresh = Array(constant(x.dtype.type(0).item(), x._view.dtype, (size,), x._view.device))
    fresh[:kept] = manipulation.ravel(x)[:kept]
    rebind(x, manipulation.reshape(fresh, extents)._view)


def tobytes(x: Array, order: str | None) -> bytes:
    """The values as bytes, in C order or Fortran's; a copy on the host."""
    order = layout.order_of(order, "x.tobytes(order)")
    fortran = order == "F" or (order == "A" and x.flags.fnc)
    return to_host((manipulation.reversed_axes(x) if fortran else x)._view, "x.tobytes()").tobytes()


def of(x: Array) -> bytes:
    """The values as bytes, for `bytes(x)`; zeros as many as an integer without axes says."""
    if not x.shape and x._view.dtype.kind in dtypes.INTEGER:
        return bytes(int(x))
    return to_host(x._view, "bytes(x)").tobytes()


def tofile(x: Array, fid: Any, sep: str, format: str) -> None:
    """Write the values to a file in C order, as bytes or as text with a separator."""
    tell("x.tofile(fid)", x.nbytes, "from", x.device)
    creation.to_numpy(x).tofile(fid, sep, format)


def dump(x: Array, file: Any) -> None:
    """Pickle an array to a file.

    file : path or open file -- The file.

    >>> import io, pickle
    >>> file = io.BytesIO()
    >>> xarr.arange(2).dump(file)
    >>> pickle.loads(file.getvalue()).tolist()
    [0, 1]
    """
    if hasattr(file, "write"):
        pickle.dump(x, file)
        return
    with Path(file).open("wb") as opened:
        pickle.dump(x, opened)


@by_numpy(numpy.packbits)
def packbits(a: Any, /, axis: SupportsIndex | None = None, bitorder: str = "big") -> Array:
    """Pack bools into bytes, eight into each.

    a : bool or integer Array, shape (..., N, ...)
        The elements; those that are not zero are packed as 1.
    bitorder : {"big", "little"}
        Whether the first element is the most significant bit of a byte, or the least.

    -> uint8 Array, shape (..., ceil(N / 8), ...) -- The bytes; zeros fill the last one.

    TypeError -- If a holds neither integers nor bools.

    >>> xarr.packbits(xarr.asarray([1, 0, 1])).tolist()
    [160]
    """
    where = "packbits(a, axis, bitorder)"
    x = _checked_operand(a, (dtypes.BOOL, *dtypes.INTEGER), bitorder, where)
    x, place = _with_axis(x, axis, where)
    order: Any = bitorder
    packed = _by_numpy(x, lambda host: numpy.packbits(host, place, order))
    if packed is not None:
        return packed
    truths = Array(builder.converted(builder.converted(x._view, dtypes.bool_), dtypes.uint8))
    last = manipulation.moveaxis(truths, place, -1)
    last = _with_zeros(last, -last.shape[-1] % 8)
    bits = manipulation.reshape(last, (*last.shape[:-1], last.shape[-1] // 8, 8))
    weights = _shifts(bitorder, x)
    packed = reductions.sum(elementwise.bitwise_left_shift(bits, weights), axis=-1, dtype="uint8")
    return manipulation.moveaxis(packed, -1, place)


@by_numpy(numpy.unpackbits)
def unpackbits(
    a: Any,
    /,
    axis: SupportsIndex | None = None,
    count: SupportsIndex | None = None,
    bitorder: str = "big",
) -> Array:
    """Unpack bytes into their bits.

    a : uint8 Array, shape (..., N, ...) -- The bytes.
    count : int, optional -- The number of bits along the axis, padded with zeros at the end; a
        negative one cuts off bits at the end; None for all.
    bitorder : {"big", "little"}
        Whether the first element is the most significant bit of a byte, or the least.

    -> uint8 Array, shape (..., 8 * N, ...), or (8 * N,) where axis is None
        Zeros and ones; `count` changes the extent 8 * N.

    TypeError -- If a does not hold uint8.
    ValueError -- If `count` cuts off more bits than there are, or `bitorder` is neither "big" nor
        "little".

    >>> xarr.unpackbits(xarr.asarray([160], dtype="uint8"), count=3).tolist()
    [1, 0, 1]
    """
    where = "unpackbits(a, axis, count, bitorder)"
    x = _checked_operand(a, (dtypes.UNSIGNED,), bitorder, where)
    if x._view.dtype is not dtypes.uint8:
        raise type_error(where, f"a has dtype {x.dtype}", "a must have dtype uint8")
    x, place = _with_axis(x, axis, where)
    if count is None:
        order: Any = bitorder
        unpacked = _by_numpy(x, lambda host: numpy.unpackbits(host, place, bitorder=order))
        if unpacked is not None:
            return unpacked
    last = manipulation.moveaxis(x, place, -1)
    shifted = elementwise.bitwise_right_shift(last[..., None], _shifts(bitorder, x))
    bits = manipulation.reshape(shifted & 1, (*last.shape[:-1], 8 * last.shape[-1]))
    if count is not None:
        given = integer(count, where, "count")
        have = bits.shape[-1]
        if given < -have:
            raise value_error(
                where, f"count is {given}", f"it must be at most {have}, the number of bits"
            )
        wanted = given if given >= 0 else have + given
        bits = _with_zeros(bits[..., :wanted], wanted - have)
    return manipulation.moveaxis(bits, -1, place)


def _by_numpy(x: Array, function: Any) -> Array | None:
    """Return what NumPy's function, which takes a fraction of a kernel's time, makes of bits.

    None where the host does not reach the memory.
    """
    found = vendor.now("packbits", function, (x._view,))
    return None if found is None else Array(vendor.adopted(found, dtypes.uint8, x._view.device))


def _checked_operand(a: Any, kinds: tuple[str, ...], bitorder: str, where: str) -> Array:
    x = array_of(a, where, "a")
    if bitorder not in ("big", "little"):
        raise word_error(where, "bitorder", bitorder, "bitorder must be 'big' or 'little'")
    if x._view.dtype.kind not in kinds:
        raise type_error(where, f"a has dtype {x.dtype}", "a must hold integers or bools")
    return x


def _with_axis(x: Array, axis: SupportsIndex | None, where: str) -> tuple[Array, int]:
    """The operand and the axis; flattened where there is none."""
    if axis is None or not x.ndim:
        x, axis = manipulation.ravel(x), 0
    return x, normalize_axis(axis, x.ndim, where)


def _with_zeros(x: Array, count: int) -> Array:
    """An array with so many zeros more along its last axis."""
    if count <= 0:
        return x
    rest = fills.zeros((*x.shape[:-1], count), dtype="uint8", device=x.device)
    return joining.concat([x, rest], axis=-1)


def _shifts(bitorder: str, x: Array) -> Array:
    """The shift of each bit of a byte."""
    steps = ranges.arange(8, dtype="uint8", device=x.device)
    return 7 - steps if bitorder == "big" else steps
