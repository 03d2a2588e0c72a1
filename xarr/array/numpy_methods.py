"""NumPy's methods of arrays, which the standard has as functions only; `Array` lists them.

A function that takes an array first is the method itself, imported at its first use: its statement
stands under `TYPE_CHECKING`. Other methods call functions of packages above this one, through
`functions`.
"""

from __future__ import annotations

import pickle
import sys
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy
import numpy.typing

from xarr import dtypes, functions, lazy
from xarr.array.cached_calls import by_numpy
from xarr.array.transfers import Host, tell, to_host
from xarr.errors import READING, refused, value_error
from xarr.layout import integer
from xarr.tape import builder

if TYPE_CHECKING:
    import xarr.array as package
    from xarr.array.array import Array, ArrayLike, Axis, DeviceLike, DTypeLike, Out
    from xarr.functions.elementwise.arithmetic import round as round
    from xarr.functions.index.put import put as put
    from xarr.functions.index.searching import nonzero as nonzero, take as take
    from xarr.functions.io.bits import dump as dump
    from xarr.functions.linalg.matrices import diagonal as diagonal
    from xarr.functions.python.scalars import (
        as_integer_ratio as as_integer_ratio,
        bit_count as bit_count,
        is_integer as is_integer,
    )
    from xarr.functions.reduce.reductions import (
        all as all,
        any as any,
        argmax as argmax,
        argmin as argmin,
        count_nonzero as count_nonzero,
        cumprod as cumprod,
        cumsum as cumsum,
        cumulative_prod as cumulative_prod,
        cumulative_sum as cumulative_sum,
        max as max,
        mean as mean,
        min as min,
        prod as prod,
        ptp as ptp,
        std as std,
        sum as sum,
        var as var,
    )
else:  # whose name in `xarr` is the function `array`
    package = sys.modules[__package__]


class _Method:
    """A function of a module above as a method, which `Array` has itself from its first use on."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def __get__(self, x: Array | None, kind: type[Array]) -> Any:
        from xarr.functions.names import docstrings

        function = lazy.imported(__name__, self._module, self._name)
        docstrings.complete_public(function)
        method = docstrings.method_of(function)
        setattr(kind, self._name, method)
        return method.__get__(x, kind)


for _name, (_module, _) in lazy.imports(__name__).items():
    if _module.startswith("xarr.functions"):
        globals()[_name] = _Method(_module, _name)


def tolist(self: Array) -> Any:
    """Return the values as nested lists of Python scalars.

    -> list; a scalar for an array without axes

    >>> xarr.eye(2, dtype="int8").tolist()
    [[1, 0], [0, 1]]
    """
    return to_host(self._view).tolist()


def item(self: Array, *args: Any) -> Any:
    """Return an element as a Python scalar; without an index, the only element.

    args : int or tuple of int -- The index of the element, or its position in C order.

    -> bool, int, float or complex

    ValueError -- If there are several elements and no index.
    IndexError -- If the index is out of range.

    >>> xarr.arange(4).item(2)
    2
    """
    values = to_host(self._view)
    try:
        return values.item(*args)
    except (IndexError, TypeError, ValueError) as error:
        given, accepted = f"x has shape {values.shape}", "x must have one element, or an index"
        if args:
            given += f" and the index is {args if args[1:] else args[0]!r}"
            accepted = "it must be a position in C order, or a place on each axis"
        remedy = "write x.tolist() for all elements"
        given += f" ({error})"
        kind = type(error)
        raise refused(kind, "x.item(*args)", given, accepted, remedy) from None


def copy(self: Array, order: str | None = "C") -> Array:
    """Copy the array, by default into C order.

    -> Array, shape and data type of the array

    >>> x = xarr.zeros(2)
    >>> y = x.copy()
    >>> y += 1
    >>> x.tolist()
    [0.0, 0.0]
    """
    if order == "C":
        return package.layouts.like(self, builder.copied(self._view))
    return package.layouts.like(
        self,
        package.layouts.laid_out(
            self._view, package.layouts.axes_in_order(self, order, "x.copy(order)")
        ),
    )


def setflags(
    self: Array, write: bool | None = None, align: bool | None = None, uic: bool | None = None
) -> None:
    """Set whether the array can be written; the other flags stay as they are.

    write : bool, optional -- Whether the array can be written; None leaves the flag.
    align, uic : bool, optional -- Accepted for compatibility: align must be True, uic False.

    ValueError -- If write is True and the memory is read-only.

    >>> x = xarr.ones(2)
    >>> x.setflags(write=False)
    >>> x.flags.writeable
    False
    """
    package.flags.set_flags(self, write, align, uic)


def tobytes(self: Array, order: str | None = "C") -> bytes:
    """Copy the values to bytes on the host, in C order by default.

    order : str or None -- "C", or "F" for Fortran order; "A" is "F" for an array in Fortran order.

    -> bytes, as many as nbytes

    >>> xarr.asarray([65, 66], dtype="uint8").tobytes()
    b'AB'
    """
    return functions.io.bits.tobytes(self, order)


def tofile(self: Array, fid: Any, /, sep: str = "", format: str = "%s") -> None:
    """Write the values to a file in C order, as bytes or as text with a separator.

    fid : path or open file -- The file.
    sep : str -- The text between elements; "" writes the bytes of the array.
    format : str -- The % format of an element in text.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     xarr.asarray([65, 66], dtype="uint8").tofile(file.name)
    ...     file.read()
    b'AB'
    """
    functions.io.bits.tofile(self, fid, sep, format)


def dumps(self: Array) -> bytes:
    """Pickle the array to bytes.

    >>> import pickle
    >>> pickle.loads(xarr.arange(2).dumps()).tolist()
    [0, 1]
    """
    return pickle.dumps(self)


def to_numpy(self: Array, /) -> Host:
    """Copy the array to the host; `no_implicit_transfer` allows it. See `xarr.to_numpy`."""
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

    order : {"C", "F", "A", "K"} -- The index that runs fastest in memory: the last ("C", "K") or
        the first ("F"). "A" is "F" for an array in Fortran order, else "C".
    copy : bool -- What to do if nothing changes: True copies, False returns the array itself.
    device : Device, str or None -- The device; None for the array's.
    """
    try:
        return functions.types.data_types.cast(self, dtype, order, casting, copy, device)
    except TypeError as refusal:
        return functions.calls.on_host.fallen_back(refusal, "astype", self, dtype, order, casting)


def view(self: Array, dtype: Any = None, type: Any = None) -> Array:
    """Return another array in the same memory, with another data type if one is given.

    dtype : dtype, optional -- The data type to read the bytes as. If its elements have another
        size, the last axis grows or shrinks, and must be contiguous.
    type : type, optional -- `xarr.ndarray`, the only type there is.

    ValueError -- If the last axis has gaps, or its size in bytes is no multiple of the new element
        size.
    TypeError -- If the device lacks dtype.

    >>> xarr.asarray([1.0], dtype="float32").view("int32").tolist()
    [1065353216]
    """
    try:
        return functions.io.bits.view(self, dtype, type)
    except TypeError as refusal:
        return functions.calls.on_host.fallen_back(refusal, "view", self, dtype)


def byteswap(self: Array, inplace: bool = False) -> Array:
    """Reverse the bytes of each element; of a complex element, of each part.

    inplace : bool -- Whether to change and return the array itself.

    -> Array, shape and data type of the array

    >>> xarr.asarray([1], dtype="int16").byteswap().tolist()
    [256]
    """
    return functions.io.bits.byteswap(self, inplace)


def reshape(self: Array, *shape: Any, copy: bool | None = None, order: str = "C") -> Array:
    """Give the array another shape, a tuple or integers. See `xarr.reshape`."""
    wanted = shape[0] if len(shape) == 1 else shape
    return functions.shape.manipulation.reshape(self, wanted, copy=copy, order=order)


def resize(self: Array, *new_shape: Any, refcheck: bool = True) -> None:
    """Change the shape and size of the array in place; new elements are zero.

    new_shape : int or tuple of int -- The shape.
    refcheck : bool -- Accepted for compatibility; has no effect.

    ValueError -- If the array is a view.

    Note: Views that were made before keep the old memory, with the old values.

    >>> x = xarr.asarray([1, 2])
    >>> x.resize(2, 2)
    >>> x.tolist()
    [[1, 2], [0, 0]]
    """
    functions.io.bits.resize(self, new_shape, refcheck)


def ravel(self: Array, order: str = "C") -> Array:
    """Flatten the array; a view where possible. See `xarr.ravel`."""
    return functions.shape.manipulation.ravel(self, order)


def flatten(self: Array, order: str = "C") -> Array:
    """Copy the array into a vector, in the order of `ravel`. See `xarr.ravel`.

    -> Array, shape (N,), of the data type of the array

    >>> xarr.eye(2).flatten().tolist()
    [1.0, 0.0, 0.0, 1.0]
    """
    if order == "C" and len(self._view.shape) == 1:
        result = package.layouts.like(self, builder.copied(self._view))
        return package.layouts.keep_array(result)
    return functions.shape.manipulation.flattened(self, order, "x.flatten(order)", copy=True)


def squeeze(self: Array, axis: Axis = None) -> Array:
    """Remove axes of one element; a view. See `xarr.squeeze`."""
    return functions.shape.manipulation.squeeze(self, axis)


def swapaxes(self: Array, axis1: SupportsIndex, axis2: SupportsIndex) -> Array:
    """Swap two axes; a view. See `xarr.swapaxes`."""
    return functions.shape.manipulation.swapaxes(self, axis1, axis2)


def transpose(self: Array, *axes: Any) -> Array:
    """Permute the axes; without arguments, reverse them. A view.

    axes : int or tuple of int -- The axes in their new order, one by one or in a tuple.

    -> Array, a view of the data type of the array

    ValueError -- If the axes are not each named once.

    >>> xarr.ones((2, 3, 4)).transpose(0, 2, 1).shape
    (2, 4, 3)
    """
    if not axes or (len(axes) == 1 and axes[0] is None):
        return functions.shape.manipulation.reversed_axes(self)
    order = axes[0] if len(axes) == 1 else axes
    return functions.shape.manipulation.permuted(self, order, "x.transpose(axes)")


@by_numpy(numpy.copyto, writes=True)
def fill(self: Array, value: Any) -> None:
    """Write one value to all elements.

    value : number -- The value, converted to the data type of the array.

    ValueError -- If the value has axes.
    OverflowError -- If a Python integer does not fit into the data type of the array.

    >>> x = xarr.zeros(2)
    >>> x.fill(3)
    >>> x.tolist()
    [3.0, 3.0]
    """
    if not isinstance(value, int | float | complex) and numpy.ndim(value):
        fault = f"value has {numpy.ndim(value)} dimensions"
        raise value_error("x.fill(value)", fault, "value must be a number", "use x[...] = value")
    self[...] = value


def choose(self: Array, *choices: Any, out: Out = None, mode: str = "raise") -> Array:
    """Choose each element from one of several arrays, numbered by this array. See `xarr.choose`.

    choices : Arrays that broadcast with the array, or a sequence of them
        The arrays to choose from: where the array is i, the result has the element of choices[i].

    -> Array, shape that all arrays broadcast to, of the data type that the choices promote to
    """
    among = choices[0] if len(choices) == 1 else choices
    return functions.index.searching.choose(self, among, out, mode)


def compress(
    self: Array, condition: Any, axis: SupportsIndex | None = None, out: Out = None
) -> Array:
    """Take the slices along an axis where a condition is true. See `xarr.compress`.

    -> Array, of the array's data type; its shape, but with the taken slices alone along the axis
    """
    return functions.index.searching.compress(condition, self, axis, out)


def repeat(self: Array, repeats: Any, axis: SupportsIndex | None = None) -> Array:
    """Repeat each element, one after the other. See `xarr.repeat`."""
    return functions.shape.joining.repeat(self, repeats, axis)


def _sorted(values: Host, axis: int = -1) -> None:
    functions.sort.sorting_by_numpy.sort_in_memory(values, axis)


@by_numpy(_sorted, writes=True)
def sort(
    self: Array,
    axis: SupportsIndex = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> None:
    """Sort the array in place.

    stable : bool, optional -- Accepted for compatibility; every sort is stable.
    descending : bool -- Whether the largest element comes first.

    >>> x = xarr.asarray([3, 1, 2])
    >>> x.sort()
    >>> x.tolist()
    [1, 2, 3]
    """
    package.layouts.require_writeable(self, "x.sort()")
    place = integer(axis, "x.sort(axis)", "axis")
    is_plain = (kind, order, stable, bool(descending)) == (None, None, None, False)
    if is_plain and functions.sort.sorting.is_sorted_now(self, place):
        return
    self[...] = functions.sort.sorting.sort(
        self, axis, kind, order, stable=stable, descending=descending
    )


def argsort(
    self: Array,
    axis: SupportsIndex | None = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Array:
    """Return the indices that sort the array. See `xarr.argsort`."""
    return functions.sort.sorting.argsort(
        self, axis, kind, order, stable=stable, descending=descending
    )


def _partitioned(values: Host, kth: int, axis: int = -1) -> None:
    functions.sort.sorting_by_numpy.partition_in_memory(values, kth, axis)


@by_numpy(_partitioned, writes=True)
def partition(
    self: Array, kth: Any, axis: SupportsIndex = -1, kind: str = "introselect", order: Any = None
) -> None:
    """Partition the array in place: position kth gets the element that sorting would put there.

    Smaller elements come before it and larger ones after it, in any order.

    kth : int or sequence of int -- The positions, from -N to N - 1 for N elements.

    >>> x = xarr.asarray([3, 4, 2, 1])
    >>> x.partition(2)
    >>> int(x[2])
    3
    """
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
    """Return the indices that partition the array. See `xarr.argpartition`."""
    return functions.sort.sorting.argpartition(self, kth, axis, kind, order)


def searchsorted(
    self: Array, v: ArrayLike, side: Literal["left", "right"] = "left", sorter: Any = None
) -> Array:
    """Find the indices at which to insert values into the sorted array. See `xarr.searchsorted`."""
    return functions.sort.sorting.searchsorted(self, v, side, sorter)


def trace(
    self: Array,
    offset: SupportsIndex = 0,
    axis1: SupportsIndex = 0,
    axis2: SupportsIndex = 1,
    dtype: DTypeLike = None,
    out: Out = None,
) -> Array:
    """Sum the diagonals of the matrices along two axes. See `xarr.trace`."""
    return functions.linalg.matrices.trace(self, offset, axis1, axis2, dtype, out)


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
    """Return the complex conjugate; for a real array, the array itself. See `xarr.conj`."""
    if out is None and self._view.dtype.kind != dtypes.COMPLEX:
        return self
    return functions.elementwise.elementwise.conj(self, out)


def conjugate(self: Array, /, out: Out = None) -> Array:
    """Return the complex conjugate; for a real array, the array itself. See `xarr.conj`."""
    return self.conj(out)


def dot(self: Array, b: ArrayLike, out: Out = None) -> Array:
    """Multiply the array by a scalar, vector, matrix or stack of them. See `xarr.dot`.

    b : Array or values -- The second operand.

    -> Array, of the data type that both operands promote to
    """
    return functions.linalg.numpy_products.dot(self, b, out)
