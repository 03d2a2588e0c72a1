"""The methods of Array that are functions of the chapters.

`Array` stands below the chapters, so what they give it is listed here, and adopted by it when xarr
is imported.
"""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any, SupportsIndex

import numpy

from xarr import dtypes, errors, layout
from xarr.array import callers, interchange, memory, views
from xarr.array.array import (
    NOT_IMPLEMENTED,
    Array,
    ArrayLike,
    DeviceLike,
    DTypeLike,
    adopt,
    in_order,
    rebind,
    reinterpreted,
    require_writeable,
    stored_in_place,
    viewed,
)
from xarr.array.operands import integer
from xarr.array.outcome import Out
from xarr.array.transfers import tell, to_host
from xarr.core.tape import constant
from xarr.functions import (
    arithmetic,
    contractions,
    creation,
    data_types,
    elementwise,
    folding as folding,
    indexing,
    joining,
    manipulation,
    matrices,
    notebooks,
    ordering,
    placing,
    printing,
    products,
    reductions,
    scalars,
    searching,
    selecting,
    sorting,
    statistical,
)
from xarr.functions.flat import flatiter


def _astype(
    x: Array,
    dtype: DTypeLike,
    order: str | None = "K",
    casting: str = "unsafe",
    subok: bool = True,
    copy: bool = True,
    *,
    device: DeviceLike = None,
) -> Array:
    """Convert the array to a data type; see `xarr.astype`.

    `order` "K" gives a result in C order; `casting` says which conversions are accepted.
    """
    where = "x.astype(dtype)"
    row = dtypes.lookup(dtype, where)
    if casting != "unsafe":
        data_types.require_casting(x.dtype, row.numpy, casting, where)
    result = data_types.astype(x, row, copy=copy, device=device)
    order = layout.order_of(order, where)
    return result if order == "K" else in_order(result, _fixed(x, order), where)


def _fixed(x: Array, order: str | None) -> str | None:
    """An order of elements where "A" follows an array."""
    if order != "A":
        return order
    return "F" if memory.Flags(x).fnc else "C"


def _conj(x: Array, /, out: Out = None) -> Array:
    """The complex conjugate; the array itself where it is real. See `xarr.conj`."""
    if out is not None:
        return elementwise.conj(x, out)
    return elementwise.conj(x) if x._node.dtype.kind == dtypes.COMPLEX else x


def _delitem(x: Array, key: Any) -> None:
    """Refuse to delete elements, as NumPy does."""
    raise errors.value_error(
        "del x[key]",
        "elements of an array cannot be deleted",
        "a shape stays as it is",
        "make another array with xarr.delete(x, key)",
    )


def _flatten(x: Array, order: str = "C") -> Array:
    """Copy the array, flattened."""
    return manipulation.flattened(x, order, "x.flatten(order)", copy=True)


def _reshape(x: Array, *shape: Any, copy: bool | None = None, order: str = "C") -> Array:
    """Give the array another shape, given as a tuple or as integers; see `xarr.reshape`."""
    wanted = shape[0] if len(shape) == 1 else shape
    return manipulation.reshape(x, wanted, copy=copy, order=order)


def _sort(
    x: Array,
    axis: SupportsIndex = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool = True,
    descending: bool = False,
) -> None:
    """Sort the array in place, as NumPy's method does."""
    require_writeable(x, "x.sort()")
    integer(axis, "x.sort(axis)", "axis")
    x[...] = sorting.sort(x, axis, kind, order, stable=stable, descending=descending)


def _partition(
    x: Array, kth: Any, axis: SupportsIndex = -1, kind: str = "introselect", order: Any = None
) -> None:
    """Put the k-th element in place where it is when sorted; see `xarr.partition`."""
    require_writeable(x, "x.partition(kth)")
    integer(axis, "x.partition(kth, axis)", "axis")
    x[...] = ordering.partition(x, kth, axis, kind, order)


def _choose(x: Array, *choices: Any, out: Any = None, mode: str = "raise") -> Array:
    """Choose for each element from one of several arrays; see `xarr.choose`.

    The arrays are given one by one, or as one sequence.
    """
    return selecting.choose(x, choices[0] if len(choices) == 1 else choices, out, mode)


def _compress(
    x: Array, condition: Any, axis: SupportsIndex | None = None, out: Any = None
) -> Array:
    """Take the parts along an axis where a condition is true; see `xarr.compress`."""
    return selecting.compress(condition, x, axis, out)


def _transpose(x: Array, *axes: Any) -> Array:
    """Reverse the axes, or put them in the order given as a tuple or as integers."""
    if not axes or (len(axes) == 1 and axes[0] is None):
        return manipulation.reversed_axes(x)
    order = axes[0] if len(axes) == 1 else axes
    return manipulation.permuted(x, order, "x.transpose(axes)")


def _matmul(x1: Array, x2: ArrayLike, /) -> Array:
    """The matrix product."""
    return products.matmul(x1, x2) if _holds_matrices(x2) else NOT_IMPLEMENTED


def _reflected_matmul(x2: Array, x1: ArrayLike, /) -> Array:
    """The matrix product from the right."""
    return products.matmul(x1, x2) if _holds_matrices(x1) else NOT_IMPLEMENTED


def _matmul_in_place(x1: Array, x2: ArrayLike, /) -> Array:
    """The matrix product, written to the left operand."""
    if not _holds_matrices(x2):
        return NOT_IMPLEMENTED
    where = "matmul(x1, x2), in place"
    require_writeable(x1, where)
    return stored_in_place(x1, products.matmul(x1, x2)._node, where)


def _holds_matrices(value: object) -> bool:
    return isinstance(value, Array | numpy.ndarray | numpy.generic | list | tuple)


def _byteswap(x: Array, inplace: bool = False) -> Array:
    """Reverse the bytes of each element (of each part of a complex one)."""
    parts = x if inplace else x.copy()
    if x.dtype.kind == "c":
        parts = _view(parts.reshape((*x.shape, 1)), parts.real.dtype)
    shape = (*parts.shape, parts.itemsize)
    places = _view(parts.reshape((*parts.shape, 1), copy=False), "uint8").reshape(shape)
    places[...] = places[..., ::-1].copy()
    return x if inplace else _view(parts, x.dtype).reshape(x.shape)


def _dump(x: Array, file: Any) -> None:
    """Pickle the array to a file, an open one or one that is named."""
    if hasattr(file, "write"):
        pickle.dump(x, file)
        return
    with Path(file).open("wb") as opened:
        pickle.dump(x, opened)


def _dumps(x: Array) -> bytes:
    """Pickle the array to bytes."""
    return pickle.dumps(x)


def _fill(x: Array, value: Any) -> None:
    """Write one value to all elements."""
    x[...] = value


def _resize(x: Array, *new_shape: Any, refcheck: bool = True) -> None:
    """Give the array another shape and size in place; what is new is zero.

    Raises
    ------
    ValueError
        If the array is a view. Views of it keep the memory as it was.
    """
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
        raise errors.value_error(
            where,
            "x is a view",
            "an array of memory of its own is accepted",
            "use xarr.resize, which makes a new array",
        )
    kept = min(size, x.size)
    fresh = Array(constant(x.dtype.type(0).item(), x._node.dtype, (size,), x._node.device))
    fresh[:kept] = manipulation.ravel(x)[:kept]
    rebind(x, manipulation.reshape(fresh, extents)._node)


def _tobytes(x: Array, order: str | None = "C") -> bytes:
    """The values as bytes, in C order or Fortran's; a copy on the host."""
    order = layout.order_of(order, "x.tobytes(order)")
    fortran = order == "F" or (order == "A" and x.flags.fnc)
    return to_host((manipulation.reversed_axes(x) if fortran else x)._node, "x.tobytes()").tobytes()


def _bytes(x: Array) -> bytes:
    """The values as bytes, for `bytes(x)`; zeros as many as an integer without axes says."""
    if not x.shape and x._node.dtype.kind in dtypes.INTEGER:
        return bytes(int(x))
    return to_host(x._node, "bytes(x)").tobytes()


def _tofile(x: Array, fid: Any, /, sep: str = "", format: str = "%s") -> None:
    """Write the values to a file in C order, as bytes or as text with a separator."""
    tell("x.tofile(fid)", x.nbytes, "from", x.device)
    creation.to_numpy(x).tofile(fid, sep, format)


def _view(x: Array, dtype: Any = None, type: Any = None) -> Array:
    """Another array in the same memory, perhaps of another data type.

    Parameters
    ----------
    dtype : dtype, optional
        The data type that the bytes are taken as. Where its elements are of another size, the last
        axis grows or shrinks; it has to lie without gaps then.
    type : type, optional
        `xarr.ndarray`, the only type there is.

    Raises
    ------
    ValueError
        If the bytes of the last axis do not make whole elements, or lie apart.
    TypeError
        If the device lacks dtype.
    """
    where = "x.view(dtype)"
    if dtype is Array:
        dtype = None
    if type not in (None, Array, numpy.ndarray):
        raise errors.type_error(where, f"type is {type!r}", "xarr.ndarray is accepted, alone")
    row = x._node.dtype if dtype is None else dtypes.lookup(dtype, where)
    return viewed(x, reinterpreted(x, row, where))


class Methods:
    """The methods and attributes that `Array` adopts."""

    __slots__ = ()

    def __sizeof__(self: Any) -> int:
        return memory.bytes_of(self)

    @property
    def base(self: Any) -> Any:
        """The array whose memory a view is of; None for an array of its own memory."""
        return memory.base_of(self)

    @property
    def ctypes(self: Any) -> Any:
        """The memory of an array on a CPU for ctypes, as NumPy's attribute has it."""
        return memory.ctypes_of(self)

    @property
    def data(self: Any) -> memoryview:
        """The memory of an array on a CPU; from then on both sides see it."""
        return memory.data_of(self)

    @property
    def flags(self: Any) -> memory.Flags:
        """The layout of the memory, and whether it can be written."""
        return memory.Flags(self)

    @property
    def flat(self: Any) -> flatiter:
        """The elements in C order, to be walked, read and written one after the other."""
        return flatiter(self)

    @flat.setter
    def flat(self: Any, value: Any) -> None:
        flatiter(self)[...] = value

    all = reductions.all
    any = reductions.any
    argmax = reductions.argmax
    argmin = reductions.argmin
    argsort = sorting.argsort
    astype = _astype
    byteswap = _byteswap
    clip = arithmetic.clip
    conj = _conj
    conjugate = _conj
    count_nonzero = reductions.count_nonzero
    cumprod = statistical.cumprod
    cumsum = statistical.cumsum
    cumulative_prod = reductions.cumulative_prod
    cumulative_sum = reductions.cumulative_sum
    diagonal = matrices.diagonal
    dot = contractions.dot
    dump = _dump
    dumps = _dumps
    fill = _fill
    flatten = _flatten
    is_integer = scalars.is_integer
    as_integer_ratio = scalars.as_integer_ratio
    bit_count = scalars.bit_count
    numerator = property(scalars.numerator)
    denominator = property(scalars.denominator)
    max = reductions.max
    mean = reductions.mean
    min = reductions.min
    nonzero = searching.nonzero
    prod = reductions.prod
    ptp = statistical.ptp
    ravel = manipulation.ravel
    repeat = joining.repeat
    reshape = _reshape
    resize = _resize
    round = arithmetic.round
    searchsorted = sorting.searchsorted
    setflags = memory.set_flags
    argpartition = ordering.argpartition
    choose = _choose
    compress = _compress
    partition = _partition
    put = placing.put
    sort = _sort
    squeeze = manipulation.squeeze
    std = reductions.std
    sum = reductions.sum
    swapaxes = manipulation.swapaxes
    take = searching.take
    to_device = creation.to_device
    to_numpy = creation.to_numpy
    tobytes = _tobytes
    tofile = _tofile
    trace = matrices.trace
    transpose = _transpose
    var = reductions.var
    view = _view

    _item = indexing.getitem
    _set_item = indexing.setitem
    __delitem__ = _delitem
    __matmul__ = _matmul
    __rmatmul__ = _reflected_matmul
    __imatmul__ = _matmul_in_place
    __repr__ = printing.array_repr
    __str__ = printing.array_str
    _repr_html_ = notebooks.repr_html
    _repr_pretty_ = notebooks.repr_pretty
    __array__ = views.to_array
    __array_function__ = callers.array_function
    __array_ufunc__ = callers.array_ufunc
    __bytes__ = _bytes
    __array_interface__ = property(views.array_interface)
    __buffer__ = views.buffer
    __dlpack__ = interchange.export
    __dlpack_device__ = interchange.dlpack_device
    __cuda_array_interface__ = property(interchange.cuda_array_interface)
    cl_buffer = property(interchange.cl_buffer)
    cl_base = property(interchange.cl_base)
    cl_offset = property(interchange.cl_offset)


adopt(Methods)
