"""NumPy's methods of arrays, which the standard has as functions only; `Array` lists them.

A method calls one function, mostly of a package above this one, through `functions`.
"""

from __future__ import annotations

import pickle
import sys
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy
import numpy.typing

from xarr import dtypes, functions
from xarr.array.transfers import READING, Host, tell, to_host
from xarr.errors import value_error
from xarr.layout import integer
from xarr.ops import reductions

if TYPE_CHECKING:
    import xarr.array as package
    from xarr.array.array import Array, ArrayLike, Axis, DeviceLike, DTypeLike, Out
else:  # whose name in `xarr` is the function `array`
    package = sys.modules[__package__]


def tolist(self: Array) -> Any:
    """The values as nested lists of Python scalars."""
    return to_host(self._view).tolist()


def item(self: Array, *args: Any) -> Any:
    """The value of a one-element array as a Python scalar."""
    return to_host(self._view).item(*args)


def copy(self: Array, order: str | None = "C") -> Array:
    """Copy the array, in C order, Fortran's, or ("A", "K") as it lies in memory."""
    return package.layouts.like(
        self,
        package.layouts.laid_out(
            self._view, package.layouts.axes_in_order(self, order, "x.copy(order)")
        ),
    )


def setflags(
    self: Array, write: bool | None = None, align: bool | None = None, uic: bool | None = None
) -> None:
    """Set whether the array can be written; the other flags stay as they are."""
    package.flags.set_flags(self, write, align, uic)


def tobytes(self: Array, order: str | None = "C") -> bytes:
    """The values as bytes, in C order or Fortran's; a copy on the host."""
    return functions.io.bits.tobytes(self, order)


def tofile(self: Array, fid: Any, /, sep: str = "", format: str = "%s") -> None:
    """Write the values to a file in C order, as bytes or as text with a separator."""
    functions.io.bits.tofile(self, fid, sep, format)


def dump(self: Array, file: Any) -> None:
    """Pickle the array to a file, an open one or one that is named."""
    functions.io.bits.dump(self, file)


def dumps(self: Array) -> bytes:
    """Pickle the array to bytes."""
    return pickle.dumps(self)


def to_numpy(self: Array, /) -> Host:
    """Copy the array to the host; no hidden transfer. See `xarr.to_numpy`."""
    # Libraries call it too, as Matplotlib does, and a report shows their lines.
    tell(READING, self.nbytes, "from", self.device)
    return functions.create.creation.to_numpy(self)


def astype(
    self: Array,
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
    try:
        return functions.types.data_types.cast(self, dtype, order, casting, copy, device)
    except TypeError as refusal:
        return functions.calls.on_host.fallen_back(refusal, "astype", self, dtype, order, casting)


def view(self: Array, dtype: Any = None, type: Any = None) -> Array:
    """Another array in the same memory, perhaps of another data type.

    Parameters
    ----------
    dtype : dtype, optional
        The data type that the bytes are taken as. Where its elements are of another size, the
        last axis grows or shrinks; it has to lie without gaps then.
    type : type, optional
        `xarr.ndarray`, the only type there is.

    Raises
    ------
    ValueError
        If the bytes of the last axis do not make whole elements, or lie apart.
    TypeError
        If the device lacks dtype.
    """
    try:
        return functions.io.bits.view(self, dtype, type)
    except TypeError as refusal:
        return functions.calls.on_host.fallen_back(refusal, "view", self, dtype)


def byteswap(self: Array, inplace: bool = False) -> Array:
    """Reverse the bytes of each element (of each part of a complex one)."""
    return functions.io.bits.byteswap(self, inplace)


def reshape(self: Array, *shape: Any, copy: bool | None = None, order: str = "C") -> Array:
    """Give the array another shape, given as a tuple or as integers; see `xarr.reshape`."""
    wanted = shape[0] if len(shape) == 1 else shape
    return functions.shape.manipulation.reshape(self, wanted, copy=copy, order=order)


def resize(self: Array, *new_shape: Any, refcheck: bool = True) -> None:
    """Give the array another shape and size in place; what is new is zero.

    Raises
    ------
    ValueError
        If the array is a view. Views of it keep the memory as it was.
    """
    functions.io.bits.resize(self, new_shape, refcheck)


def ravel(self: Array, order: str = "C") -> Array:
    """Flatten the array, as a view where that is possible. See `xarr.ravel`."""
    return functions.shape.manipulation.ravel(self, order)


def flatten(self: Array, order: str = "C") -> Array:
    """Copy the array, flattened."""
    return functions.shape.manipulation.flattened(self, order, "x.flatten(order)", copy=True)


def squeeze(self: Array, axis: Axis = None) -> Array:
    """Remove axes of one element; a view. See `xarr.squeeze`."""
    return functions.shape.manipulation.squeeze(self, axis)


def swapaxes(self: Array, axis1: SupportsIndex, axis2: SupportsIndex) -> Array:
    """Swap two axes; a view. See `xarr.swapaxes`."""
    return functions.shape.manipulation.swapaxes(self, axis1, axis2)


def transpose(self: Array, *axes: Any) -> Array:
    """Reverse the axes, or put them in the order given as a tuple or as integers."""
    if not axes or (len(axes) == 1 and axes[0] is None):
        return functions.shape.manipulation.reversed_axes(self)
    order = axes[0] if len(axes) == 1 else axes
    return functions.shape.manipulation.permuted(self, order, "x.transpose(axes)")


def diagonal(
    self: Array, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1
) -> Array:
    """The diagonals of matrices; a view, which is read-only. See `xarr.diagonal`."""
    return functions.linalg.matrices.diagonal(self, offset, axis1, axis2)


def fill(self: Array, value: Any) -> None:
    """Write one value to all elements."""
    if not isinstance(value, int | float | complex) and numpy.ndim(value):
        fault = f"value has {numpy.ndim(value)} dimensions"
        raise value_error("x.fill(value)", fault, "a number is accepted", "use x[...] = value")
    self[...] = value


def put(self: Array, ind: Any, v: ArrayLike, mode: str = "raise") -> None:
    """Write values to elements of the flattened array. See `xarr.put`."""
    functions.index.put.put(self, ind, v, mode)


def take(
    self: Array,
    indices: ArrayLike,
    axis: SupportsIndex | None = None,
    out: Any = None,
    mode: str = "raise",
) -> Array:
    """The elements at indices along an axis. See `xarr.take`."""
    return functions.index.searching.take(self, indices, axis, out, mode)


def choose(self: Array, *choices: Any, out: Any = None, mode: str = "raise") -> Array:
    """Choose for each element from one of several arrays; see `xarr.choose`.

    The arrays are given one by one, or as one sequence.
    """
    among = choices[0] if len(choices) == 1 else choices
    return functions.index.searching.choose(self, among, out, mode)


def compress(
    self: Array, condition: Any, axis: SupportsIndex | None = None, out: Any = None
) -> Array:
    """Take the parts along an axis where a condition is true; see `xarr.compress`."""
    return functions.index.searching.compress(condition, self, axis, out)


def repeat(self: Array, repeats: Any, axis: SupportsIndex | None = None) -> Array:
    """Repeat each element, one after the other. See `xarr.repeat`."""
    return functions.shape.joining.repeat(self, repeats, axis)


def nonzero(self: Array) -> tuple[Array, ...]:
    """The indices of the nonzero elements, in C order, along each axis. See `xarr.nonzero`."""
    return functions.index.searching.nonzero(self)


def sort(
    self: Array,
    axis: SupportsIndex = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool = True,
    descending: bool = False,
) -> None:
    """Sort the array in place, as NumPy's method does."""
    package.layouts.require_writeable(self, "x.sort()")
    integer(axis, "x.sort(axis)", "axis")
    self[...] = functions.sort.sorting.sort(
        self, axis, kind, order, stable=stable, descending=descending
    )


def argsort(
    self: Array,
    axis: SupportsIndex | None = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool = True,
    descending: bool = False,
) -> Array:
    """The indices that sort the array. See `xarr.argsort`."""
    return functions.sort.sorting.argsort(
        self, axis, kind, order, stable=stable, descending=descending
    )


def partition(
    self: Array, kth: Any, axis: SupportsIndex = -1, kind: str = "introselect", order: Any = None
) -> None:
    """Put the k-th element in place where it is when sorted; see `xarr.partition`."""
    package.layouts.require_writeable(self, "x.partition(kth)")
    integer(axis, "x.partition(kth, axis)", "axis")
    self[...] = functions.sort.sorting.partition(self, kth, axis, kind, order)


def argpartition(
    self: Array,
    kth: Any,
    axis: SupportsIndex | None = -1,
    kind: str = "introselect",
    order: Any = None,
) -> Array:
    """The indices of what `partition` gives. See `xarr.argpartition`."""
    return functions.sort.sorting.argpartition(self, kth, axis, kind, order)


def searchsorted(
    self: Array, v: ArrayLike, side: Literal["left", "right"] = "left", sorter: Any = None
) -> Array:
    """Where values would go into a sorted array. See `xarr.searchsorted`."""
    return functions.sort.sorting.searchsorted(self, v, side, sorter)


def all(
    self: Array,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> Array:
    """Whether all elements are nonzero. See `xarr.all`."""
    return functions.calls.row_calls.reduced(
        reductions.all, self._view, axis, out=out, keepdims=keepdims, mask=where
    )


def any(
    self: Array,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> Array:
    """Whether an element is nonzero. See `xarr.any`."""
    return functions.calls.row_calls.reduced(
        reductions.any, self._view, axis, out=out, keepdims=keepdims, mask=where
    )


def argmax(
    self: Array, axis: SupportsIndex | None = None, out: Out = None, *, keepdims: bool = False
) -> Array:
    """The index of the first largest element; of the first NaN if any. See `xarr.argmax`."""
    return functions.calls.row_calls.reduced(
        reductions.argmax, self._view, axis, out=out, keepdims=keepdims
    )


def argmin(
    self: Array, axis: SupportsIndex | None = None, out: Out = None, *, keepdims: bool = False
) -> Array:
    """The index of the first smallest element; of the first NaN if any. See `xarr.argmin`."""
    return functions.calls.row_calls.reduced(
        reductions.argmin, self._view, axis, out=out, keepdims=keepdims
    )


def count_nonzero(self: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """The number of nonzero elements. See `xarr.count_nonzero`."""
    return functions.calls.row_calls.reduced(
        reductions.count_nonzero, self._view, axis, keepdims=keepdims
    )


def max(
    self: Array,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Array:
    """The largest element; NaN if any is. See `xarr.max`."""
    return functions.calls.row_calls.reduced(
        reductions.max, self._view, axis, keepdims, None, out, initial, where
    )


def mean(
    self: Array,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
) -> Array:
    """The arithmetic mean. See `xarr.mean`."""
    return functions.reduce.moments.averaged(
        reductions.mean, self._view, axis, dtype, out, keepdims, where
    )


def min(
    self: Array,
    axis: Axis = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Array:
    """The smallest element; NaN if any is. See `xarr.min`."""
    return functions.calls.row_calls.reduced(
        reductions.min, self._view, axis, keepdims, None, out, initial, where
    )


def prod(
    self: Array,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Array:
    """The product of the elements, in 64 bits for integers. See `xarr.prod`."""
    return functions.calls.row_calls.reduced(
        reductions.prod, self._view, axis, keepdims, dtype, out, initial, where
    )


def ptp(self: Array, axis: Axis = None, out: Out = None, keepdims: bool = False) -> Array:
    """The largest element less the smallest (peak to peak). See `xarr.ptp`."""
    return functions.reduce.reductions.ptp(self, axis, out, keepdims)


def std(
    self: Array,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    ddof: float | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    mean: ArrayLike | None = None,
    correction: float = 0.0,
) -> Array:
    """The standard deviation of real numbers. See `xarr.std`."""
    return functions.reduce.moments.spread(
        reductions.std, self._view, axis, dtype, out, ddof, keepdims, where, mean, correction
    )


def sum(
    self: Array,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Array:
    """The sum of the elements, in 64 bits for integers. See `xarr.sum`."""
    return functions.calls.row_calls.reduced(
        reductions.sum, self._view, axis, keepdims, dtype, out, initial, where
    )


def trace(
    self: Array,
    offset: SupportsIndex = 0,
    axis1: SupportsIndex = 0,
    axis2: SupportsIndex = 1,
    dtype: DTypeLike = None,
    out: Any = None,
) -> Array:
    """The sums of the diagonals of the matrices that two axes hold. See `xarr.trace`."""
    return functions.linalg.matrices.trace(self, offset, axis1, axis2, dtype, out)


def var(
    self: Array,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: Out = None,
    ddof: float | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike = True,
    mean: ArrayLike | None = None,
    correction: float = 0.0,
) -> Array:
    """The variance of real numbers. See `xarr.var`."""
    return functions.reduce.moments.spread(
        reductions.var, self._view, axis, dtype, out, ddof, keepdims, where, mean, correction
    )


def cumprod(
    self: Array, axis: SupportsIndex | None = None, dtype: DTypeLike = None, out: Out = None
) -> Array:
    """The running products along an axis. See `xarr.cumprod`."""
    return functions.reduce.reductions.cumprod(self, axis, dtype, out)


def cumsum(
    self: Array, axis: SupportsIndex | None = None, dtype: DTypeLike = None, out: Out = None
) -> Array:
    """The running sums along an axis. See `xarr.cumsum`."""
    return functions.reduce.reductions.cumsum(self, axis, dtype, out)


def cumulative_prod(
    self: Array,
    /,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike = None,
    include_initial: bool = False,
    out: Out = None,
) -> Array:
    """The products of the elements up to each place. See `xarr.cumulative_prod`."""
    return functions.calls.row_calls.scanned(
        reductions.cumulative_prod, self._view, axis, dtype, include_initial, out=out
    )


def cumulative_sum(
    self: Array,
    /,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike = None,
    include_initial: bool = False,
    out: Out = None,
) -> Array:
    """The sums of the elements up to each place. See `xarr.cumulative_sum`."""
    return functions.calls.row_calls.scanned(
        reductions.cumulative_sum, self._view, axis, dtype, include_initial, out=out
    )


def clip(
    self: Array,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    out: Out = None,
    *,
    a_min: ArrayLike | None = None,
    a_max: ArrayLike | None = None,
    where: ArrayLike = True,
    casting: str = "same_kind",
    dtype: DTypeLike = None,
) -> Array:
    """Bound each element below and above. See `xarr.clip`."""
    return functions.elementwise.arithmetic.clip(
        self, min, max, out, a_min=a_min, a_max=a_max, where=where, casting=casting, dtype=dtype
    )


def conj(self: Array, /, out: Out = None) -> Array:
    """The complex conjugate; the array itself where it is real. See `xarr.conj`."""
    if out is None and self._view.dtype.kind != dtypes.COMPLEX:
        return self
    return functions.elementwise.elementwise.conj(self, out)


def conjugate(self: Array, /, out: Out = None) -> Array:
    """The complex conjugate; the array itself where it is real. See `xarr.conj`."""
    return self.conj(out)


def round(self: Array, decimals: SupportsIndex = 0, out: Out = None) -> Array:
    """The nearest integer, halves to even. See `xarr.round`."""
    return functions.elementwise.arithmetic.round(self, decimals, out)


def dot(self: Array, b: ArrayLike, out: Any = None) -> Array:
    """NumPy's product of scalars, vectors, matrices and stacks of them. See `xarr.dot`."""
    return functions.linalg.numpy_products.dot(self, b, out)


def is_integer(self: Array) -> bool:
    """Tell whether the number is an integer."""
    return functions.python.scalars.is_integer(self)


def as_integer_ratio(self: Array) -> tuple[int, int]:
    """Give two integers whose ratio is the number."""
    return functions.python.scalars.as_integer_ratio(self)


def bit_count(self: Array) -> int:
    """Count the ones in the absolute value of an integer."""
    return functions.python.scalars.bit_count(self)
