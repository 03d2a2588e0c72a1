"""The methods of Array that are functions of the chapters.

`Array` stands below the chapters, so what they give it is listed here, and adopted by it when xarr
is imported.
"""

from __future__ import annotations

from typing import Any

import numpy

from xarr.array import callers, interchange, views
from xarr.array.array import (
    NOT_IMPLEMENTED,
    Array,
    ArrayLike,
    DeviceLike,
    DTypeLike,
    adopt,
    require_writeable,
    stored_in_place,
)
from xarr.functions import (
    arithmetic,
    creation,
    data_types,
    elementwise,
    indexing,
    joining,
    linalg,
    manipulation,
    printing,
    reductions,
    searching,
    sorting,
    statistical,
)


def _astype(
    x: Array, dtype: DTypeLike, /, *, copy: bool = True, device: DeviceLike = None
) -> Array:
    """Convert the array to a data type; see `xarr.astype`."""
    return data_types.astype(x, dtype, copy=copy, device=device)


def _flatten(x: Array, order: str = "C") -> Array:
    """Copy the array, flattened."""
    return manipulation.reshape(x, (x.size,), copy=True, order=order)


def _reshape(x: Array, *shape: Any, copy: bool | None = None, order: str = "C") -> Array:
    """Give the array another shape, given as a tuple or as integers; see `xarr.reshape`."""
    wanted = shape[0] if len(shape) == 1 else shape
    return manipulation.reshape(x, wanted, copy=copy, order=order)


def _sort(x: Array, axis: int = -1, *, descending: bool = False, stable: bool = True) -> None:
    """Sort the array in place, as NumPy's method does."""
    require_writeable(x, "x.sort()")
    x[...] = sorting.sort(x, axis, descending=descending, stable=stable)


def _transpose(x: Array, *axes: Any) -> Array:
    """Reverse the axes, or put them in the order given as a tuple or as integers."""
    if not axes or axes == (None,):
        return manipulation.reversed_axes(x)
    order = axes[0] if len(axes) == 1 else axes
    return manipulation.permuted(x, order, "x.transpose(axes)")


def _matmul(x1: Array, x2: ArrayLike, /) -> Array:
    """The matrix product."""
    return linalg.matmul(x1, x2) if _holds_matrices(x2) else NOT_IMPLEMENTED


def _reflected_matmul(x2: Array, x1: ArrayLike, /) -> Array:
    """The matrix product from the right."""
    return linalg.matmul(x1, x2) if _holds_matrices(x1) else NOT_IMPLEMENTED


def _matmul_in_place(x1: Array, x2: ArrayLike, /) -> Array:
    """The matrix product, written to the left operand."""
    if not _holds_matrices(x2):
        return NOT_IMPLEMENTED
    where = "matmul(x1, x2), in place"
    require_writeable(x1, where)
    return stored_in_place(x1, linalg.matmul(x1, x2)._node, where)


def _holds_matrices(value: object) -> bool:
    return isinstance(value, Array | numpy.ndarray | numpy.generic | list | tuple)


class Methods:
    """What Array has beside its attributes, its operators and its values."""

    __slots__ = ()

    all = reductions.all
    any = reductions.any
    argmax = reductions.argmax
    argmin = reductions.argmin
    argsort = sorting.argsort
    astype = _astype
    clip = arithmetic.clip
    conj = elementwise.conj
    count_nonzero = reductions.count_nonzero
    cumprod = statistical.cumprod
    cumsum = statistical.cumsum
    cumulative_prod = reductions.cumulative_prod
    cumulative_sum = reductions.cumulative_sum
    dot = linalg.dot
    flatten = _flatten
    max = reductions.max
    mean = reductions.mean
    min = reductions.min
    nonzero = searching.nonzero
    prod = reductions.prod
    ptp = statistical.ptp
    ravel = manipulation.ravel
    repeat = joining.repeat
    reshape = _reshape
    round = arithmetic.round
    searchsorted = sorting.searchsorted
    sort = _sort
    squeeze = manipulation.squeeze
    std = reductions.std
    sum = reductions.sum
    swapaxes = manipulation.swapaxes
    take = searching.take
    to_device = creation.to_device
    transpose = _transpose
    var = reductions.var

    __getitem__ = indexing.getitem
    __setitem__ = indexing.setitem
    __matmul__ = _matmul
    __rmatmul__ = _reflected_matmul
    __imatmul__ = _matmul_in_place
    __repr__ = printing.array_repr
    __str__ = printing.array_str
    __array__ = views.to_array
    __array_function__ = callers.array_function
    __array_interface__ = property(views.array_interface)
    __buffer__ = views.buffer
    __dlpack__ = interchange.export
    __dlpack_device__ = interchange.dlpack_device
    __cuda_array_interface__ = property(interchange.cuda_array_interface)


adopt(Methods)
