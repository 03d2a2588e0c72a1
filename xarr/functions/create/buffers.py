"""Arrays of what is in memory already: buffers, iterables, and copies in the order asked for.

What Python holds, iterables and buffers, is read on the host and brought to the device once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex, cast

import numpy

from xarr import dtypes
from xarr.array import flags
from xarr.array.array import Array, ArrayLike, DeviceLike, DTypeLike
from xarr.array.cached_calls import by_numpy, cached_call
from xarr.array.coerce import SCALARS, as_array
from xarr.array.layouts import axes_in_order, in_order, keep_array, laid_out, require_writeable
from xarr.array.out_argument import mask_of, require_shape
from xarr.array.transfers import is_unobserved
from xarr.backends.device import default_float, get_device, require_on
from xarr.errors import difference, refused, type_error, value_error
from xarr.functions.create.creation import ordered
from xarr.functions.elementwise import elementwise
from xarr.functions.reduce import reductions
from xarr.functions.shape import manipulation
from xarr.functions.types import data_types
from xarr.layout import integer
from xarr.runtime import dispatch


def ascontiguousarray(a: Any, dtype: DTypeLike = None, *, like: Any = None) -> Array:
    """Return the array itself if its elements follow each other in C order, else a copy.

    -> Array, shape of a with at least one axis

    >>> xarr.ascontiguousarray(xarr.eye(2).T).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    result = ordered(a, dtype, "C", None, None, "ascontiguousarray(a)", "a")
    return result if result.ndim else result.reshape((1,))


@cached_call
def asfortranarray(a: Any, dtype: DTypeLike = None, *, like: Any = None) -> Array:
    """Return the array itself if its elements follow each other in Fortran's order, else a copy.

    -> Array, shape of a with at least one axis

    >>> xarr.asfortranarray(xarr.eye(2)).strides
    (8, 16)
    """
    result = ordered(a, dtype, "F", None, None, "asfortranarray(a)", "a")
    return result if result.ndim else result.reshape((1,))


def isfortran(a: Array | numpy.ndarray[Any, Any]) -> bool:
    """Tell whether an array has Fortran order in memory and not C order.

    a : Array or numpy.ndarray -- The array.

    TypeError -- If a is neither an Array nor a NumPy array.

    >>> xarr.isfortran(xarr.ones((2, 3), order="F"))
    True
    """
    if type(a) is Array:
        return not a._view.structure.is_linear and flags.Flags(a).fnc
    if isinstance(a, numpy.ndarray):
        return a.flags.fnc
    raise type_error("isfortran(a)", f"a is of type {type(a).__name__}", "a must be an Array")


def copy(a: Any, order: str | None = "K", subok: bool = False) -> Array:
    """Copy an array.

    -> Array, shape and data type of a

    >>> x = xarr.zeros(2)
    >>> xarr.copy(x) is x
    False
    """
    where = "copy(a)"
    if type(a) is not Array:
        return ordered(a, None, order, None, None, where, "a")
    return keep_array(Array(laid_out(a._view, axes_in_order(a, order, where))))


def _copied_to(dst: Any, src: Any) -> None:
    """Write all values by NumPy; a mask, or another casting, is left to instructions."""
    numpy.copyto(dst, src)


@by_numpy(_copied_to, 2, writes=True)
def copyto(dst: Array, src: ArrayLike, casting: str = "same_kind", where: ArrayLike = True) -> None:
    """Write values to an array, where a mask is true.

    src : Array or values that broadcast to the shape of dst
        The values; further axes of one element in front are dropped.
    where : Array of bool that broadcasts to the shape of dst -- Which elements are written.
    dst : Array, shape (...) -- The array that is written to.

    ValueError -- If the shapes do not fit.
    TypeError -- If casting forbids the conversion.

    >>> x = xarr.zeros(3)
    >>> xarr.copyto(x, 1.0, where=[True, False, True])
    >>> x.tolist()
    [1.0, 0.0, 1.0]
    """
    name = "copyto(dst, src)"
    if type(dst) is not Array:
        fault, accepted = f"dst is of type {type(dst).__name__}", "dst must be an Array"
        remedy = f"write dst[...] = numpy.asarray(src); {difference('np-out')}"
        raise type_error(name, fault, accepted, remedy)
    require_writeable(dst, name)
    weak = type(src) in SCALARS
    values = as_array(src, name, "src", device=dst.device)
    beyond = values.ndim - dst.ndim
    if beyond > 0 and values.shape[:beyond] == (1,) * beyond:
        values = values[(0,) * beyond]
    require_shape(values.shape, dst.shape, name, "src", "dst")
    given = values.dtype
    if weak:
        given = data_types.result_type(dst, src)
    data_types.require_casting(given, dst.dtype, casting, name)
    if where is True:
        # A float to integers, which casting allows, is converted as an array is.
        dst[...] = src if weak and given == dst.dtype else values
        return
    chosen = mask_of(where, dst._view, name)
    assert chosen is not None
    mask = manipulation.broadcast_to(Array(chosen), dst.shape)
    if weak:
        values = as_array(src, name, "src", dtype=dst.dtype, device=dst.device)
    spread = manipulation.broadcast_to(values, dst.shape)
    dst[mask] = spread[mask]


def frombuffer(
    buffer: Any,
    dtype: DTypeLike = None,
    count: SupportsIndex = -1,
    offset: SupportsIndex = 0,
    *,
    device: DeviceLike = None,
    like: Any = None,
) -> Array:
    """Make a one-dimensional array from the bytes of a buffer.

    buffer : Array, or object with a buffer, such as bytes
        The bytes. The memory of an Array is shared; other memory is copied to the device.
    dtype : dtype, optional
        The data type to read the bytes as; None for the default floating-point type.
    count : int -- The number of elements; all where negative.
    offset : int -- The byte that the first element begins at.

    -> Array, shape (count,), of the data type asked for

    ValueError -- If there is no such device, or the number of bytes is no multiple of the element
        size.

    >>> xarr.frombuffer(bytes([1, 0, 2, 0]), dtype="int16").tolist()
    [1, 2]
    """
    where = "frombuffer(buffer)"
    target = get_device(device, where)
    count, offset = integer(count, where, "count"), integer(offset, where, "offset")
    kind = default_float(target).numpy if dtype is None else numpy.dtype(cast(Any, dtype))
    if type(buffer) is Array:
        flat = manipulation.reshape(buffer, (-1,), copy=False)
        whole: Array = flat.view("uint8")[offset:]
        if count >= 0:
            whole = whole[: count * kind.itemsize]
        return whole.view(kind)
    try:
        host = numpy.frombuffer(buffer, kind, count, offset)
    except TypeError:
        fault = f"buffer is of type {type(buffer).__name__}"
        accepted, remedy = "it must have a buffer, as bytes do", "write text.encode() for text"
        raise type_error(where, fault, accepted, remedy) from None
    except ValueError as error:
        raise value_error(where, str(error), "the buffer must hold whole elements") from None
    row = dtypes.BY_NUMPY.get(host.dtype)
    if row is not None and is_unobserved():
        require_on(target, row, where)
        known = dispatch.known(host.shape, row, target, host.copy)
        if known is not None:
            return Array(known)
    return as_array(host, where, "buffer", device=target)


def fromiter(
    iter: Iterable[Any],
    dtype: DTypeLike,
    count: SupportsIndex = -1,
    *,
    device: DeviceLike = None,
    like: Any = None,
) -> Array:
    """Make a one-dimensional array from the values of an iterable. Runs on the host.

    iter : iterable of numbers -- The values.
    dtype : dtype -- The data type.
    count : int -- The number of values to take; all where -1.

    -> Array, shape (N,), of the data type asked for

    >>> xarr.fromiter((i * i for i in range(4)), dtype="int64").tolist()
    [0, 1, 4, 9]
    """
    where = "fromiter(iter, dtype)"
    row = dtypes.lookup(dtype, where)
    if not numpy.iterable(iter):
        fault = f"iter is of type {type(iter).__name__}"
        raise type_error(where, fault, "iter must be iterable", "write asarray for one value")
    host = numpy.fromiter(iter, row.numpy, integer(count, where, "count"))
    return as_array(host, where, "iter", device=device)


def asarray_chkfinite(a: Any, dtype: DTypeLike = None, order: str | None = None) -> Array:
    """Make an array of finite values. Waits for the device, to check them.

    -> Array, shape and data type of a

    ValueError -- If a value is NaN or infinite.

    >>> xarr.asarray_chkfinite([1.0, 2.0]).tolist()
    [1.0, 2.0]
    """
    result = ordered(a, dtype, order, None, None, "asarray_chkfinite(a)", "a")
    floating = result._view.dtype.kind in dtypes.FLOATING
    if floating and not bool(reductions.all(elementwise.isfinite(result))):
        fault = "a holds NaN or infinities"
        raise value_error("asarray_chkfinite(a)", fault, "a must be finite")
    return result


def require(
    a: Any,
    dtype: DTypeLike = None,
    requirements: str | Sequence[str] | None = None,
    *,
    like: Any = None,
) -> Array:
    """Make an array that meets requirements; an Array that meets them is returned itself.

    requirements : str or sequence of str, optional -- "C" or "F" for the order in memory, "W" for
        writeable, "O" for memory of its own; "A" and "E" are accepted, being true of every Array.

    -> Array, shape of a

    KeyError -- If a requirement is unknown.
    ValueError -- If both "C" and "F" are required.

    >>> xarr.require(xarr.eye(2).T, requirements="C").flags.c_contiguous
    True
    """
    if type(a) is Array and dtype is None and not requirements:
        return a
    where = "require(a, dtype, requirements)"
    wanted = set[str]()
    for item in requirements or ():
        short = _REQUIREMENTS.get(item.upper())
        if short is None:
            fault = f"a requirement is {item!r}"
            raise refused(KeyError, where, fault, "it must be C, F, A, W, O or E")
        wanted.add(short)
    if {"C", "F"} <= wanted:
        raise value_error(where, "both orders are required", "there must be one at most")
    order = "C" if "C" in wanted else "F" if "F" in wanted else "A"
    result = in_order(as_array(a, where, "a", dtype=dtype), order, where)
    has = flags.Flags(result)
    if ("W" in wanted and not has.writeable) or ("O" in wanted and not has.owndata):
        return Array(laid_out(result._view, axes_in_order(result, order, where)))
    return result


_REQUIREMENTS = {
    **dict.fromkeys(("C", "C_CONTIGUOUS", "CONTIGUOUS"), "C"),
    **dict.fromkeys(("F", "F_CONTIGUOUS", "FORTRAN"), "F"),
    **dict.fromkeys(("A", "ALIGNED"), "A"),
    **dict.fromkeys(("W", "WRITEABLE"), "W"),
    **dict.fromkeys(("O", "OWNDATA"), "O"),
    **dict.fromkeys(("E", "ENSUREARRAY"), "E"),
}


def shares_memory(a: Any, b: Any, /, max_work: int | None = None) -> bool:
    """Tell whether a and b have a byte of memory in common.

    max_work : int, optional -- The limit of the search, as in NumPy; None for no limit.
    a, b : Array -- The arrays; also NumPy arrays.

    >>> x = xarr.zeros(4)
    >>> xarr.shares_memory(x[::2], x[1::2])
    False
    """
    return flags.share_memory(a, b, max_work, exactly=True)


def may_share_memory(a: Any, b: Any, /, max_work: int | None = None) -> bool:
    """Tell whether a and b may share memory: whether their addresses overlap. False is certain.

    max_work : int, optional -- The limit of an exact search; None compares the ends only.
    a, b : Array -- The arrays; also NumPy arrays.

    >>> x = xarr.zeros(4)
    >>> xarr.may_share_memory(x[::2], x[1::2])
    True
    """
    return flags.share_memory(a, b, max_work, exactly=False)
