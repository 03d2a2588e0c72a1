"""The array: a view of a storage, computed or not, or a constant.

`Array` is thin. What its operators compute stands in the rows of `ops.elementwise`, and `tape` has
values computed. A method calls one function, mostly of a package above this one:
functions make arrays, so their modules cannot be imported before there is `Array`; it reaches them
through their packages, `functions` and `package`.
"""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from types import GenericAlias, ModuleType
from typing import TYPE_CHECKING, Any, Final, Literal, SupportsIndex, TypeAlias

import numpy
import numpy.typing

from xarr import dtypes, errors, functions, layout, tuning
from xarr.array import operators
from xarr.array.operators import ArrayBase, operated, set_array_type
from xarr.array.transfers import READING, Host, are_allowed, from_host, item_of, tell, to_host
from xarr.backends.base import ForkedError
from xarr.backends.device import Device, default_device
from xarr.dtypes import DType
from xarr.errors import type_error, value_error
from xarr.ir.storage import Storage
from xarr.ir.views import View, constant, storage_view
from xarr.layout import Layout, Shape, integer
from xarr.memo import memo
from xarr.ops import elementwise as rows, reductions
from xarr.ops.rows import Elementwise

if TYPE_CHECKING:
    import xarr.array as package
else:  # whose name in `xarr` is the function `array`
    package = sys.modules[__package__]

API_VERSIONS: Final = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
"""The versions of the standard that the functions fit; the last is the one that is meant."""

ArrayLike: TypeAlias = (
    "Array | complex | numpy.ndarray[Any, Any] | numpy.generic | list[Any] | tuple[Any, ...]"
)
"""An operand: an Array, a number, a NumPy array, or lists of numbers."""
Out: TypeAlias = "Array | tuple[Array | None, ...] | None"
"""The type of `out`: an Array, or one in a tuple."""
Axis: TypeAlias = "SupportsIndex | Sequence[SupportsIndex] | None"
DTypeLike: TypeAlias = "numpy.typing.DTypeLike | DType | None"
ShapeLike: TypeAlias = "SupportsIndex | Sequence[SupportsIndex]"
DeviceLike: TypeAlias = "Device | str | None"


class Array(ArrayBase):
    """An n-dimensional array on one device.

    Arrays are made by functions such as `asarray`, `zeros` and `linspace`. They behave as NumPy's
    arrays do: basic indexing gives views that share memory, operators broadcast and promote,
    in-place operators write through views. Its other name is `ndarray`; there are no subclasses.

    Elementwise work is deferred until a value is needed; see `xarr.explain`.

    shape : int or tuple of int -- The shape.
    dtype : dtype, optional -- The data type; the device's default floating-point one where None.
    buffer : Array, or what has a buffer, optional
        The values: the memory of an Array is shared, any other is copied. Zeros where None.
    offset : int -- Where the first element is in the buffer, in bytes.
    strides : tuple of int, optional
        Bytes from one element to the next along each axis; in C order without gaps where None.
    order : {"C", "F"}, optional -- The order in memory where strides is None.
    """

    __slots__ = ()

    __array_priority__ = 1000.0
    __class_getitem__: Any = classmethod(GenericAlias)

    def __init__(
        self,
        shape: Any,
        dtype: DTypeLike = None,
        buffer: Any = None,
        offset: SupportsIndex = 0,
        strides: ShapeLike | None = None,
        order: str | None = None,
    ) -> None:
        if type(shape) is not View:
            self._kept = True
            shape = package.layouts.constructed(shape, dtype, buffer, offset, strides, order)
            self._locked = type(buffer) is Array and buffer._locked
        rebind(self, shape)

    def __init_subclass__(cls, **options: Any) -> None:
        fault = "a subclass is defined"
        accepted = "operators and functions make arrays of the one class there is"
        remedy = "keep an array in an attribute of your class"
        raise type_error(f"class {cls.__name__}(Array)", fault, accepted, remedy)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class, for `isinstance`: of an array without axes, NumPy's kind of number as well.

        NumPy's results without axes are numbers, and programs and libraries ask whether they are.
        """
        view = self._view
        return Array if view.shape else NUMBERS.get(view.dtype, view.dtype.numpy.type)

    # -- attributes of the standard -----------------------------------------------------------

    @property
    def dtype(self) -> numpy.dtype[numpy.generic]:
        """The data type of the elements, one of NumPy's; given another one, of the same memory."""
        return self._view.dtype.numpy

    @dtype.setter
    def dtype(self, dtype: DTypeLike) -> None:
        row = dtypes.lookup(dtype, "x.dtype = dtype")
        rebind(self, package.layouts.reinterpreted(self, row, "x.dtype = dtype"))

    @property
    def shape(self) -> Shape:
        """The extent of each axis, in elements; given another one, of the same memory."""
        return self._view.shape

    @shape.setter
    def shape(self, shape: ShapeLike) -> None:
        package.layouts.reshape_in_place(self, shape)

    @property
    def strides(self) -> Shape:
        """Bytes from one element to the next along each axis."""
        return tuple(
            [step * self._view.dtype.itemsize for step in package.layouts.layout_of(self).strides]
        )

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._view.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return product(self._view.shape)

    @property
    def device(self) -> Device:
        """The device that the array is on."""
        return self._view.device

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._view.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self._view.dtype.itemsize

    @property
    def real(self) -> Array:
        """The real part, a view; the array itself where it is real."""
        return package.layouts.part(self, 0) if self._view.dtype.kind == dtypes.COMPLEX else self

    @real.setter
    def real(self, value: ArrayLike) -> None:
        self.real[...] = value

    @property
    def imag(self) -> Array:
        """The imaginary part, a view; zeros that cannot be written where the array is real."""
        view = self._view
        if view.dtype.kind == dtypes.COMPLEX:
            return package.layouts.part(self, 1)
        zero = view.dtype.numpy.type(0).item()
        return package.layouts.lock(Array(constant(zero, view.dtype, view.shape, view.device)))

    @imag.setter
    def imag(self, value: ArrayLike) -> None:
        if self._view.dtype.kind != dtypes.COMPLEX:
            fault = f"x has dtype {self._view.dtype}"
            accepted = "complex arrays have an imaginary part"
            remedy = "convert x with x.astype('complex128')"
            raise type_error("x.imag = value", fault, accepted, remedy)
        self.imag[...] = value

    @property
    def T(self) -> Array:  # noqa: N802 - the standard's name
        """The transpose of a matrix, shape (..., N, M) for (..., M, N); a view."""
        return package.layouts.renamed(self, "T", package.layouts.transposed)

    @property
    def mT(self) -> Array:  # noqa: N802 - the standard's name
        """The transpose of each matrix in a stack of matrices, shape (..., N, M); a view."""
        if self.ndim < 2:
            fault = f"the array has {self.ndim} dimensions"
            raise value_error("Array.mT", fault, "at least 2 are needed")
        axes = [*range(self.ndim - 2), self.ndim - 1, self.ndim - 2]
        return package.layouts.view(self, package.layouts.settled(self).permuted(axes))

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        """The module `xarr`, for a version of the standard that it knows."""
        if api_version not in (None, *API_VERSIONS):
            fault = f"api_version is {api_version!r}"
            accepted = "xarr knows " + ", ".join(API_VERSIONS)
            raise value_error("x.__array_namespace__(api_version)", fault, accepted)
        return sys.modules["xarr"]

    # -- values to the host ------------------------------------------------------------------

    def tolist(self) -> Any:
        """The values as nested lists of Python scalars."""
        return to_host(self._view).tolist()

    def item(self, *args: Any) -> Any:
        """The value of a one-element array as a Python scalar."""
        return to_host(self._view).item(*args)

    def _scalar(self, kind: str) -> Any:
        """The one element, for a function of Python's that takes numbers of some kinds."""
        view, kinds = self._view, _TAKEN.get(kind, dtypes.ANY)
        if product(view.shape) != 1:
            refusal = ValueError if kind == "bool" else TypeError
            raise refusal(
                errors.message(
                    f"{kind}(x)",
                    f"x has shape {view.shape}",
                    "only one-element arrays stand for one value",
                    "use x.any(), x.all(), or index one element",
                )
            )
        if view.dtype.kind not in kinds:
            fault = f"x has dtype {view.dtype}"
            accepted = f"{dtypes.KIND_WORDS[kinds]} dtypes are accepted"
            remedy = "convert with x.astype(...) or take x.real"
            raise type_error(f"{kind}(x)", fault, accepted, remedy)
        return _value(view)

    def __complex__(self) -> complex:
        return complex(self._scalar("complex"))

    def _index(self) -> int:
        if self._view.shape != ():
            fault = f"x has shape {self._view.shape}"
            accepted = "only 0-dimensional integer arrays are indices"
            raise type_error("operator.index(x)", fault, accepted)
        return int(self._scalar("operator.index"))

    def __hash__(self) -> int:
        """The hash of a number: that of its value, which never changes."""
        if not package.layouts.is_number(self):
            fault = f"unhashable: x is an array of shape {self._view.shape}"
            accepted = "what functions give without axes is a key of a dictionary, by its value"
            raise type_error("hash(x)", fault, accepted, "write x.item(), x.tobytes() or tuple(x)")
        return hash(_value(self._view))

    def __trunc__(self) -> int:
        return int(self._scalar("math.trunc"))

    def __round__(self, ndigits: int | None = None) -> Any:
        return round(self._scalar("round"), ndigits)

    def __len__(self) -> int:
        if not self._view.shape:
            raise type_error("len(x)", "x is 0-dimensional", "it has no length")
        return self._view.shape[0]

    def __iter__(self) -> Iterator[Array]:
        if not self._view.shape:
            raise type_error("iter(x)", "x is 0-dimensional", "it cannot be iterated over")
        return _rows(self)

    def __contains__(self, value: Any) -> bool:
        equal = self == value
        return type(equal) is Array and package.other_operands.holds(equal._view)

    def __format__(self, spec: str) -> str:
        if not self._view.shape:
            return format(to_host(self._view)[()], spec)
        if spec:
            fault = f"x has shape {self._view.shape} and spec is {spec!r}"
            accepted = "an array with axes has no format of its own"
            remedy = "format its elements, or use numpy.array2string"
            raise type_error("format(x, spec)", fault, accepted, remedy)
        return str(self)

    def copy(self, order: str | None = "C") -> Array:
        """Copy the array, in C order, Fortran's, or ("A", "K") as it lies in memory."""
        return package.layouts.like(
            self,
            package.layouts.laid_out(
                self._view, package.layouts.axes_in_order(self, order, "x.copy(order)")
            ),
        )

    def __copy__(self) -> Array:
        return self.copy("K")

    def __deepcopy__(self, memo: Any) -> Array:
        return self.copy("K")

    def __reduce__(self) -> tuple[Callable[..., Array], tuple[Any, ...]]:
        return _restored, (to_host(self._view),)

    # -- operators ----------------------------------------------------------------------------

    def _combined(self, row: Elementwise, x1: Any, x2: Any) -> Array:
        """An operator on operands that the core does not know."""
        return package.other_operands.binary_operator(row, x1, x2)

    def _applied(self, row: Elementwise) -> Array:
        return Array(row.applied(self._view))

    def _assigned(self, row: Elementwise, result: Any) -> Array:
        return package.other_operands.assigned_by(row, self, result)

    def __divmod__(self, other: ArrayLike, /) -> tuple[Array, Array]:
        if not package.other_operands.accepts(other):
            return _NEITHER
        return (
            operated(rows.floor_divide.known, self, other),
            operated(rows.remainder.known, self, other),
        )

    def __rdivmod__(self, other: ArrayLike, /) -> tuple[Array, Array]:
        if not package.other_operands.accepts(other):
            return _NEITHER
        return (
            operated(rows.floor_divide.known, other, self),
            operated(rows.remainder.known, other, self),
        )

    def __pow__(self, other: ArrayLike, /) -> Array:
        return package.other_operands.power_operator(self, other)

    def __rpow__(self, other: ArrayLike, /) -> Array:
        return package.other_operands.power_operator(other, self)

    def __ipow__(self, other: ArrayLike, /) -> Array:
        return package.other_operands.power_in_place(self, other)

    # -- memory ----------------------------------------------------------------------------------

    @property
    def base(self) -> Any:
        """The array whose memory a view is of; None for an array of its own memory."""
        return package.flags.base_of(self)

    @property
    def ctypes(self) -> Any:
        """The memory of an array on a CPU for ctypes, as NumPy's attribute has it."""
        return package.flags.ctypes_of(self)

    @property
    def data(self) -> memoryview:
        """The memory of an array on a CPU; from then on both sides see it."""
        return package.flags.data_of(self)

    @property
    def flags(self) -> package.flags.Flags:
        """The layout of the memory, and whether it can be written."""
        return package.flags.Flags(self)

    @property
    def flat(self) -> functions.python.nditer.flatiter:
        """The elements in C order, to be walked, read and written one after the other."""
        return functions.python.nditer.flatiter(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        functions.python.nditer.flatiter(self)[...] = value

    def setflags(
        self, write: bool | None = None, align: bool | None = None, uic: bool | None = None
    ) -> None:
        """Set whether the array can be written; the other flags stay as they are."""
        package.flags.set_flags(self, write, align, uic)

    def __sizeof__(self) -> int:
        return package.flags.bytes_of(self)

    @property
    def cl_buffer(self) -> Any:
        """PyOpenCL's buffer in which an array lies, from its beginning on."""
        return package.exchange.cl_buffer(self)

    @property
    def cl_base(self) -> Any:
        """PyOpenCL's buffer of all memory that an array is a view of."""
        return package.exchange.cl_base(self)

    @property
    def cl_offset(self) -> int:
        """The offset of an array in `cl_base`, in bytes."""
        return package.exchange.cl_offset(self)

    # -- values as bytes, files and text ---------------------------------------------------------

    def tobytes(self, order: str | None = "C") -> bytes:
        """The values as bytes, in C order or Fortran's; a copy on the host."""
        return functions.io.bits.tobytes(self, order)

    def tofile(self, fid: Any, /, sep: str = "", format: str = "%s") -> None:
        """Write the values to a file in C order, as bytes or as text with a separator."""
        functions.io.bits.tofile(self, fid, sep, format)

    def dump(self, file: Any) -> None:
        """Pickle the array to a file, an open one or one that is named."""
        functions.io.bits.dump(self, file)

    def dumps(self) -> bytes:
        """Pickle the array to bytes."""
        return pickle.dumps(self)

    def __bytes__(self) -> bytes:
        return functions.io.bits.of(self)

    def to_numpy(self, /) -> Host:
        """Copy the array to the host; no hidden transfer. See `xarr.to_numpy`."""
        # Libraries call it too, as Matplotlib does, and a report shows their lines.
        tell(READING, self.nbytes, "from", self.device)
        return functions.create.creation.to_numpy(self)

    def to_device(self, device: DeviceLike, /, *, stream: Any = None) -> Array:
        """Copy the array to a device, if it is not there. See `xarr.to_device`."""
        return functions.create.creation.to_device(self, device, stream=stream)

    def __repr__(self) -> str:
        return functions.io.printing.array_repr(self)

    def __str__(self) -> str:
        return functions.io.printing.array_str(self)

    def _repr_html_(self) -> str:
        """Return NumPy's text for notebooks; of a large array also shape, dtype, device, memory."""
        return functions.io.printing.repr_html(self)

    # -- data types and shapes -------------------------------------------------------------------

    def astype(
        self,
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
            return functions.calls.on_host.fallen_back(
                refusal, "astype", self, dtype, order, casting
            )

    def view(self, dtype: Any = None, type: Any = None) -> Array:
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

    def byteswap(self, inplace: bool = False) -> Array:
        """Reverse the bytes of each element (of each part of a complex one)."""
        return functions.io.bits.byteswap(self, inplace)

    def reshape(self, *shape: Any, copy: bool | None = None, order: str = "C") -> Array:
        """Give the array another shape, given as a tuple or as integers; see `xarr.reshape`."""
        wanted = shape[0] if len(shape) == 1 else shape
        return functions.shape.manipulation.reshape(self, wanted, copy=copy, order=order)

    def resize(self, *new_shape: Any, refcheck: bool = True) -> None:
        """Give the array another shape and size in place; what is new is zero.

        Raises
        ------
        ValueError
            If the array is a view. Views of it keep the memory as it was.
        """
        functions.io.bits.resize(self, new_shape, refcheck)

    def ravel(self, order: str = "C") -> Array:
        """Flatten the array, as a view where that is possible. See `xarr.ravel`."""
        return functions.shape.manipulation.ravel(self, order)

    def flatten(self, order: str = "C") -> Array:
        """Copy the array, flattened."""
        return functions.shape.manipulation.flattened(self, order, "x.flatten(order)", copy=True)

    def squeeze(self, axis: Axis = None) -> Array:
        """Remove axes of one element; a view. See `xarr.squeeze`."""
        return functions.shape.manipulation.squeeze(self, axis)

    def swapaxes(self, axis1: SupportsIndex, axis2: SupportsIndex) -> Array:
        """Swap two axes; a view. See `xarr.swapaxes`."""
        return functions.shape.manipulation.swapaxes(self, axis1, axis2)

    def transpose(self, *axes: Any) -> Array:
        """Reverse the axes, or put them in the order given as a tuple or as integers."""
        if not axes or (len(axes) == 1 and axes[0] is None):
            return functions.shape.manipulation.reversed_axes(self)
        order = axes[0] if len(axes) == 1 else axes
        return functions.shape.manipulation.permuted(self, order, "x.transpose(axes)")

    def diagonal(
        self, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1
    ) -> Array:
        """The diagonals of matrices; a view, which is read-only. See `xarr.diagonal`."""
        return functions.linalg.matrices.diagonal(self, offset, axis1, axis2)

    # -- elements --------------------------------------------------------------------------------

    def _item(self, key: Any) -> Array:
        """The elements that `key` names: a view, or a copy where it holds arrays."""
        return functions.index.indexing.getitem(self, key)

    def _set_item(self, key: Any, value: Any) -> None:
        """Write to the elements that `key` names."""
        functions.index.indexing.setitem(self, key, value)

    def __delitem__(self, key: Any) -> None:
        fault = "elements of an array cannot be deleted"
        accepted = "a shape stays as it is"
        remedy = "make another array with xarr.delete(x, key)"
        raise value_error("del x[key]", fault, accepted, remedy)

    def fill(self, value: Any) -> None:
        """Write one value to all elements."""
        if not isinstance(value, int | float | complex) and numpy.ndim(value):
            fault = f"value has {numpy.ndim(value)} dimensions"
            raise value_error("x.fill(value)", fault, "a number is accepted", "use x[...] = value")
        self[...] = value

    def put(self, ind: Any, v: ArrayLike, mode: str = "raise") -> None:
        """Write values to elements of the flattened array. See `xarr.put`."""
        functions.index.put.put(self, ind, v, mode)

    def take(
        self,
        indices: ArrayLike,
        axis: SupportsIndex | None = None,
        out: Any = None,
        mode: str = "raise",
    ) -> Array:
        """The elements at indices along an axis. See `xarr.take`."""
        return functions.index.searching.take(self, indices, axis, out, mode)

    def choose(self, *choices: Any, out: Any = None, mode: str = "raise") -> Array:
        """Choose for each element from one of several arrays; see `xarr.choose`.

        The arrays are given one by one, or as one sequence.
        """
        among = choices[0] if len(choices) == 1 else choices
        return functions.index.searching.choose(self, among, out, mode)

    def compress(self, condition: Any, axis: SupportsIndex | None = None, out: Any = None) -> Array:
        """Take the parts along an axis where a condition is true; see `xarr.compress`."""
        return functions.index.searching.compress(condition, self, axis, out)

    def repeat(self, repeats: Any, axis: SupportsIndex | None = None) -> Array:
        """Repeat each element, one after the other. See `xarr.repeat`."""
        return functions.shape.joining.repeat(self, repeats, axis)

    def nonzero(self) -> tuple[Array, ...]:
        """The indices of the nonzero elements, in C order, along each axis. See `xarr.nonzero`."""
        return functions.index.searching.nonzero(self)

    # -- order -----------------------------------------------------------------------------------

    def sort(
        self,
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
        self,
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
        self, kth: Any, axis: SupportsIndex = -1, kind: str = "introselect", order: Any = None
    ) -> None:
        """Put the k-th element in place where it is when sorted; see `xarr.partition`."""
        package.layouts.require_writeable(self, "x.partition(kth)")
        integer(axis, "x.partition(kth, axis)", "axis")
        self[...] = functions.sort.sorting.partition(self, kth, axis, kind, order)

    def argpartition(
        self,
        kth: Any,
        axis: SupportsIndex | None = -1,
        kind: str = "introselect",
        order: Any = None,
    ) -> Array:
        """The indices of what `partition` gives. See `xarr.argpartition`."""
        return functions.sort.sorting.argpartition(self, kth, axis, kind, order)

    def searchsorted(
        self, v: ArrayLike, side: Literal["left", "right"] = "left", sorter: Any = None
    ) -> Array:
        """Where values would go into a sorted array. See `xarr.searchsorted`."""
        return functions.sort.sorting.searchsorted(self, v, side, sorter)

    # -- reductions and scans --------------------------------------------------------------------

    def all(
        self, axis: Axis = None, out: Out = None, keepdims: bool = False, *, where: ArrayLike = True
    ) -> Array:
        """Whether all elements are nonzero. See `xarr.all`."""
        return functions.calls.row_calls.reduced(
            reductions.all, self._view, axis, out=out, keepdims=keepdims, mask=where
        )

    def any(
        self, axis: Axis = None, out: Out = None, keepdims: bool = False, *, where: ArrayLike = True
    ) -> Array:
        """Whether an element is nonzero. See `xarr.any`."""
        return functions.calls.row_calls.reduced(
            reductions.any, self._view, axis, out=out, keepdims=keepdims, mask=where
        )

    def argmax(
        self, axis: SupportsIndex | None = None, out: Out = None, *, keepdims: bool = False
    ) -> Array:
        """The index of the first largest element; of the first NaN if any. See `xarr.argmax`."""
        return functions.calls.row_calls.reduced(
            reductions.argmax, self._view, axis, out=out, keepdims=keepdims
        )

    def argmin(
        self, axis: SupportsIndex | None = None, out: Out = None, *, keepdims: bool = False
    ) -> Array:
        """The index of the first smallest element; of the first NaN if any. See `xarr.argmin`."""
        return functions.calls.row_calls.reduced(
            reductions.argmin, self._view, axis, out=out, keepdims=keepdims
        )

    def count_nonzero(self, axis: Axis = None, keepdims: bool = False) -> Array:
        """The number of nonzero elements. See `xarr.count_nonzero`."""
        return functions.calls.row_calls.reduced(
            reductions.count_nonzero, self._view, axis, keepdims=keepdims
        )

    def max(
        self,
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
        self,
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
        self,
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
        self,
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

    def ptp(self, axis: Axis = None, out: Out = None, keepdims: bool = False) -> Array:
        """The largest element less the smallest (peak to peak). See `xarr.ptp`."""
        return functions.reduce.reductions.ptp(self, axis, out, keepdims)

    def std(
        self,
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
        self,
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
        self,
        offset: SupportsIndex = 0,
        axis1: SupportsIndex = 0,
        axis2: SupportsIndex = 1,
        dtype: DTypeLike = None,
        out: Any = None,
    ) -> Array:
        """The sums of the diagonals of the matrices that two axes hold. See `xarr.trace`."""
        return functions.linalg.matrices.trace(self, offset, axis1, axis2, dtype, out)

    def var(
        self,
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
        self, axis: SupportsIndex | None = None, dtype: DTypeLike = None, out: Out = None
    ) -> Array:
        """The running products along an axis. See `xarr.cumprod`."""
        return functions.reduce.reductions.cumprod(self, axis, dtype, out)

    def cumsum(
        self, axis: SupportsIndex | None = None, dtype: DTypeLike = None, out: Out = None
    ) -> Array:
        """The running sums along an axis. See `xarr.cumsum`."""
        return functions.reduce.reductions.cumsum(self, axis, dtype, out)

    def cumulative_prod(
        self,
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
        self,
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

    # -- arithmetic ------------------------------------------------------------------------------

    def clip(
        self,
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

    def conj(self, /, out: Out = None) -> Array:
        """The complex conjugate; the array itself where it is real. See `xarr.conj`."""
        if out is None and self._view.dtype.kind != dtypes.COMPLEX:
            return self
        return functions.elementwise.elementwise.conj(self, out)

    def conjugate(self, /, out: Out = None) -> Array:
        """The complex conjugate; the array itself where it is real. See `xarr.conj`."""
        return self.conj(out)

    def round(self, decimals: SupportsIndex = 0, out: Out = None) -> Array:
        """The nearest integer, halves to even. See `xarr.round`."""
        return functions.elementwise.arithmetic.round(self, decimals, out)

    def dot(self, b: ArrayLike, out: Any = None) -> Array:
        """NumPy's product of scalars, vectors, matrices and stacks of them. See `xarr.dot`."""
        return functions.linalg.numpy_products.dot(self, b, out)

    def __matmul__(self, other: ArrayLike, /) -> Array:
        if not package.other_operands.holds_matrices(other):
            return NOT_IMPLEMENTED
        return functions.linalg.products.matmul(self, other)

    def __rmatmul__(self, other: ArrayLike, /) -> Array:
        if not package.other_operands.holds_matrices(other):
            return NOT_IMPLEMENTED
        return functions.linalg.products.matmul(other, self)

    def __imatmul__(self, other: ArrayLike, /) -> Array:
        if not package.other_operands.holds_matrices(other):
            return NOT_IMPLEMENTED
        where = "matmul(x1, x2), in place"
        package.layouts.require_writeable(self, where)
        return package.other_operands.stored_in_place(
            self, functions.linalg.products.matmul(self, other)._view, where
        )

    # -- what Python's numbers have --------------------------------------------------------------

    def is_integer(self) -> bool:
        """Tell whether the number is an integer."""
        return functions.python.scalars.is_integer(self)

    def as_integer_ratio(self) -> tuple[int, int]:
        """Give two integers whose ratio is the number."""
        return functions.python.scalars.as_integer_ratio(self)

    def bit_count(self) -> int:
        """Count the ones in the absolute value of an integer."""
        return functions.python.scalars.bit_count(self)

    @property
    def numerator(self) -> int:
        """The integer, as a fraction's numerator."""
        return functions.python.scalars.numerator(self)

    @property
    def denominator(self) -> int:
        """Give 1, an integer's denominator."""
        return functions.python.scalars.denominator(self)

    # -- protocols -------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Host:
        return package.buffer_protocols.to_array(self, dtype, copy)

    def __array_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        return package.numpy_protocols.array_function(self, func, types, args, kwargs)

    def __array_ufunc__(self, ufunc: numpy.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return package.numpy_protocols.array_ufunc(self, ufunc, method, *inputs, **kwargs)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return package.buffer_protocols.array_interface(self)

    def _memory(self) -> memoryview:
        return package.buffer_protocols.buffer(self)

    def __dlpack__(
        self,
        /,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Export the array as a DLPack capsule, in its own memory on a CPU and a CUDA device.

        Where that is read-only (a broadcast view), the capsule says so, or the export is refused.

        Parameters
        ----------
        stream : int, optional
            The consumer's stream, which waits for the array's values: a ``cudaStream_t``, 1 or None
            for the legacy default stream, 2 for the one of the thread, -1 for none. None on a CPU.
        max_version : pair of int, optional
            The newest DLPack version that the consumer knows; a versioned capsule from 1.0 on.
        dl_device : pair of int, optional
            The device the consumer wants: that of `__dlpack_device__`, or (1, 0), the host. (4, n)
            is the ``cl_mem`` of an array on ``opencl:n``, for what comes on xarr's queue.
        copy : bool, optional
            True for memory of its own, False for the array's own, None for a copy if needed.
        """
        return package.exchange.export(
            self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
        )

    def __dlpack_device__(self, /) -> tuple[int, int]:
        """DLPack's type and number of the device.

        (1, 0) is a CPU, (2, n) CUDA, (10, n) ROCm, and (4, n) another device of OpenCL.
        """
        return package.exchange.dlpack_device(self)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """CUDA's array interface, version 3, for libraries that take pointers.

        Shape, typestr, data (the pointer and whether it is read-only), strides in bytes, and the
        stream in whose order the values are there. From then on the memory is shared for as long as
        it exists.
        On other devices there is no such attribute.
        """
        return package.exchange.cuda_array_interface(self)


set_array_type(Array)
made: Final[Callable[[View], Array]] = operators.made  # type: ignore[assignment]
"""`Array(view)` of a view that is no constant, or one that `number_like` made."""

_TAKEN: Final = {
    **dict.fromkeys(("int", "float", "math.trunc", "round"), (dtypes.BOOL, *dtypes.REAL_NUMERIC)),
    "operator.index": dtypes.INTEGER,
}
"""The kinds that Python's functions of numbers take, where these are not all."""

NUMBERS: Final[dict[DType, type]] = {
    dtypes.float64: numpy.floating,
    dtypes.complex128: numpy.complexfloating,
}
"""Not float64 and complex128, which are Python's float and complex as well: users of the standard
ask by these whether an operand is no array. Empty while a program for NumPy runs."""


def _value(view: View) -> Any:
    """The one element, as a Python scalar."""
    return item_of(view) if view.value is None else view.value


def namesake(name: str, module: str = "numpy") -> Callable[..., Any] | None:
    """Return the public function that has the name of one of NumPy's, or `scipy.special`'s."""
    function = getattr(_namesake(module), name, None)
    return function if callable(function) else None


@memo
def _namesake(module: str) -> ModuleType | None:
    package, _, rest = module.partition(".")
    known = package == "numpy" or module == "scipy.special"
    try:
        return importlib.import_module(f"xarr.{rest}" if rest else "xarr") if known else None
    except ModuleNotFoundError:
        return None


NOT_IMPLEMENTED: Final[Array] = NotImplemented
"""`NotImplemented`, with the type that operators return."""
_NEITHER: Final[tuple[Array, Array]] = NotImplemented


def product(shape: Shape) -> int:
    """The number of elements of a shape."""
    size = 1
    for extent in shape:
        size *= extent
    return size


def rebind(array: Array, view: View) -> None:
    """Give an array a value; a constant is its own."""
    if view.value is not None:
        if view.bound:
            view = constant(view.value, view.dtype, view.shape, view.device)
        view.bound = True
    array._view = view


def _restored(values: Host) -> Array:
    """An array that was pickled, maybe on another machine: it comes to the default device."""
    on = default_device()
    try:
        return Array(from_host(values, on, "pickle.load"))
    except ForkedError:
        # A pool's process that cannot read its task is replaced without a word, and its parent
        # waits for ever. So the array is made, and the error comes from whatever uses it.
        row = dtypes.BY_NUMPY[values.dtype]
        return Array(
            storage_view(Storage(on, values.nbytes, None), layout.contiguous(values.shape), row)
        )


def _rows(array: Array) -> Iterator[Array]:
    """The views along the first axis; of a vector the elements, copied as NumPy's scalars are."""
    if array.ndim == 1 and are_allowed():
        yield from _elements(array)
        return
    for position in range(array.shape[0]):
        yield array[position]


def _elements(array: Array) -> Iterator[Array]:
    """Yield the elements of a vector, read some at a time; each alone once a loop writes to it."""
    values = list[Any]()
    begin, seen = 0, (-1, -1)
    for position in range(array.shape[0]):
        where = package.layouts.settled(array)
        view = array._view
        storage = view.storage
        assert storage is not None
        mark = storage.serial, storage.writes
        if storage.is_seen or (values and mark != seen):
            yield array[position]
            continue
        if position - begin >= len(values):
            count = min(tuning.ITERATED, view.shape[0] - position)
            (stride,) = where.strides
            part = Layout((count,), (stride,), where.offset + position * stride)
            values = to_host(storage_view(storage, part, view.dtype)).tolist()
            begin, seen = position, mark
        yield Array(constant(values[position - begin], view.dtype, (), view.device))
