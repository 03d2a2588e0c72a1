"""The array: a view of a storage, computed or not, or a constant.

`Array` is thin: the rows of `ops.elementwise` say what its operators compute, and `tape` computes
values. A method calls one function, mostly of a package above this one. Functions make arrays, so
their modules are imported after this one: methods reach them through `functions` and `package`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from types import GenericAlias, ModuleType
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, TypeAlias

import numpy
import numpy.typing

from xarr import dtypes, functions, layout
from xarr.array import missing_attributes, numpy_methods, operators, row_function, values
from xarr.array.operators import ArrayBase, operated, set_array_type
from xarr.array.row_function import rebind as rebind
from xarr.array.transfers import Host, from_host, to_host
from xarr.backends.base import ForkedError
from xarr.backends.device import Device, default_device
from xarr.dtypes import DType
from xarr.errors import axes_of, type_error, value_error
from xarr.ir.storage import Storage
from xarr.ir.views import View, constant, storage_view
from xarr.layout import Shape
from xarr.ops import elementwise as rows
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
    dtype : dtype, optional -- The data type; None for the device's default floating-point type.
    buffer : Array or buffer, optional -- The values: shared if an Array, else copied; None for 0.
    offset : int -- The position of the first element in the buffer, in bytes.
    strides : tuple of int, optional -- Bytes between elements of each axis; None for `order`'s.
    order : {"C", "F"}, optional -- The order in memory where strides is None.

    >>> x = xarr.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> x.shape, (x.T + 1).tolist()
    ((2, 2), [[2.0, 4.0], [3.0, 5.0]])
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
        accepted = "a class must not derive from Array, the class of every result"
        remedy = f"keep an array in an attribute of your class; {dtypes.NUMBERS_ONLY}"
        raise type_error(f"class {cls.__name__}(Array)", "a subclass is defined", accepted, remedy)

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
        """The data type of the elements, one of NumPy's. Assigning one reinterprets memory."""
        return self._view.dtype.numpy

    @dtype.setter
    def dtype(self, dtype: DTypeLike) -> None:
        row = dtypes.lookup(dtype, "x.dtype = dtype")
        rebind(self, package.layouts.reinterpreted(self, row, "x.dtype = dtype"))

    @property
    def shape(self) -> Shape:
        """The extent of each axis. Assigning a shape reshapes the array in place."""
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
        """The real part, a view; the array itself if it is real."""
        return package.layouts.part(self, 0) if self._view.dtype.kind == dtypes.COMPLEX else self

    @real.setter
    def real(self, value: ArrayLike) -> None:
        self.real[...] = value

    @property
    def imag(self) -> Array:
        """The imaginary part, a view; read-only zeros where the array is real."""
        view = self._view
        if view.dtype.kind == dtypes.COMPLEX:
            return package.layouts.part(self, 1)
        zero = view.dtype.numpy.type(0).item()
        return package.layouts.lock(Array(constant(zero, view.dtype, view.shape, view.device)))

    @imag.setter
    def imag(self, value: ArrayLike) -> None:
        if self._view.dtype.kind != dtypes.COMPLEX:
            fault = f"x has dtype {self._view.dtype}"
            accepted = "x must be complex to have an imaginary part"
            remedy = "convert x with x.astype('complex128')"
            raise type_error("x.imag = value", fault, accepted, remedy)
        self.imag[...] = value

    @property
    def T(self) -> Array:  # noqa: N802 - the standard's name
        """The array with its axes reversed, a view: the transpose of a matrix."""
        return package.layouts.renamed(self, "T", package.layouts.transposed)

    @property
    def mT(self) -> Array:  # noqa: N802 - the standard's name
        """The transpose of each matrix in a stack of matrices, shape (..., N, M); a view."""
        if self.ndim < 2:
            fault = f"the array has {axes_of(self.ndim)}"
            raise value_error("Array.mT", fault, "it must have at least 2")
        axes = [*range(self.ndim - 2), self.ndim - 1, self.ndim - 2]
        return package.layouts.view(self, package.layouts.settled(self).permuted(axes))

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        """The module `xarr`, for a version of the standard that it knows."""
        if api_version not in (None, *API_VERSIONS):
            fault = f"api_version is {api_version!r}"
            accepted = "api_version must be one of " + ", ".join(API_VERSIONS)
            raise value_error("x.__array_namespace__(api_version)", fault, accepted)
        return sys.modules["xarr"]

    # -- values to the host ------------------------------------------------------------------

    def _scalar(self, kind: str) -> Any:
        return values.scalar(self._view, kind)

    def __complex__(self) -> complex:
        return complex(self._scalar("complex"))

    def _index(self) -> int:
        if self._view.shape != ():
            fault = f"x has shape {self._view.shape}"
            accepted = "an index must be a 0-dimensional integer array"
            raise type_error("operator.index(x)", fault, accepted)
        return int(self._scalar("operator.index"))

    def __hash__(self) -> int:
        """The hash of a number: that of its value, which never changes."""
        if not package.layouts.is_number(self):
            fault = f"unhashable: x is an array of shape {self._view.shape}"
            accepted = "a key must be a result without axes, which stands for its value"
            raise type_error("hash(x)", fault, accepted, "write x.item(), x.tobytes() or tuple(x)")
        return hash(values.value_of(self._view))

    def __trunc__(self) -> int:
        return int(self._scalar("math.trunc"))

    def __round__(self, ndigits: int | None = None) -> Any:
        return round(self._scalar("round"), ndigits)

    def __len__(self) -> int:
        if not self._view.shape:
            raise type_error("len(x)", "x is 0-dimensional", "x must have an axis", "use x.size")
        return self._view.shape[0]

    def __iter__(self) -> Iterator[Array]:
        if not self._view.shape:
            raise type_error("iter(x)", "x is 0-dimensional", "x must have an axis", "use x.item()")
        return values.rows(self)

    def __contains__(self, value: Any) -> bool:
        equal = self == value
        return type(equal) is Array and package.other_operands.holds(equal._view)

    def __format__(self, spec: str) -> str:
        if not self._view.shape:
            return format(to_host(self._view)[()], spec)
        if spec:
            fault = f"x has shape {self._view.shape} and spec is {spec!r}"
            accepted = "x must have no axes, or spec must be empty"
            remedy = "format its elements, or use numpy.array2string"
            raise type_error("format(x, spec)", fault, accepted, remedy)
        return str(self)

    def __copy__(self) -> Array:
        if package.layouts.is_number(self) and self._view.value is not None:
            return Array(self._view)  # a constant of its own, where a copy would be a storage
        return self.copy("K")

    def __deepcopy__(self, memo: Any) -> Array:
        return self.__copy__()

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

    def _raised(self, other: ArrayLike) -> Array:
        return package.other_operands.power_operator(self, other)

    def __rpow__(self, other: ArrayLike, /) -> Array:
        return package.other_operands.power_operator(other, self)

    def __ipow__(self, other: ArrayLike, /) -> Array:  # type: ignore[override, misc]
        return package.other_operands.power_in_place(self, other)

    # -- memory ----------------------------------------------------------------------------------

    @property
    def base(self) -> Any:
        """The array that owns the memory of this view; None for an array with its own memory."""
        return package.flags.base_of(self)

    @property
    def ctypes(self) -> Any:
        """The memory of the array for ctypes, as NumPy's attribute; on a CPU only."""
        return package.flags.ctypes_of(self)

    @property
    def data(self) -> memoryview:
        """The memory of the array as a memoryview, on a CPU only; writes show on both sides."""
        return package.flags.data_of(self)

    @property
    def flags(self) -> package.flags.Flags:
        """The layout of the memory, and whether it can be written."""
        return package.flags.Flags(self)

    @property
    def flat(self) -> functions.python.nditer.flatiter:
        """A `flatiter` over the elements in C order, to iterate over, read and write."""
        return functions.python.nditer.flatiter(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        functions.python.nditer.flatiter(self)[...] = value

    def __sizeof__(self) -> int:
        return package.flags.bytes_of(self)

    @property
    def cl_buffer(self) -> Any:
        """A `pyopencl.Buffer` that begins at the array's first element."""
        return package.exchange.cl_buffer(self)

    @property
    def cl_base(self) -> Any:
        """The `pyopencl.Buffer` of the whole memory that the array is a view of."""
        return package.exchange.cl_place(self, "x.cl_base")[0]

    @property
    def cl_offset(self) -> int:
        """The offset of an array in `cl_base`, in bytes."""
        return package.exchange.cl_place(self, "x.cl_offset")[1]

    # -- values as bytes, files and text ---------------------------------------------------------

    def __bytes__(self) -> bytes:
        return functions.io.bits.of(self)

    def to_device(self, device: DeviceLike, /, *, stream: Any = None) -> Array:
        """Copy the array to a device, if it is not there. See `xarr.to_device`."""
        return functions.create.creation.to_device(self, device, stream=stream)

    def __repr__(self) -> str:
        return functions.io.printing.array_repr(self)

    def __str__(self) -> str:
        return functions.io.printing.array_str(self)

    def _repr_html_(self) -> str:
        """Return NumPy's text for notebooks; of a large array also shape, dtype, device, memory."""
        return functions.io.notebooks.repr_html(self)

    def _item(self, key: Any) -> Array:
        """The elements that `key` names: a view, or a copy where it holds arrays."""
        return functions.index.indexing.getitem(self, key)

    def _set_item(self, key: Any, value: Any) -> None:
        """Write to the elements that `key` names."""
        functions.index.indexing.setitem(self, key, value)

    def _deleted(self, key: Any) -> None:
        fault = "elements of an array cannot be deleted"
        accepted = "the shape of an array must stay"
        remedy = "make another array with xarr.delete(x, key)"
        raise value_error("del x[key]", fault, accepted, remedy)

    def __matmul__(self, other: ArrayLike, /) -> Array:
        found: Array | None = row_function.known_product(self, other)
        return self._multiplied(self, other) if found is None else found

    def __rmatmul__(self, other: ArrayLike, /) -> Array:
        return self._multiplied(other, self)

    def _multiplied(self, x1: Any, x2: Any) -> Array:
        fit = package.other_operands.holds_matrices
        return functions.linalg.products.matmul(x1, x2) if fit(x1) and fit(x2) else NOT_IMPLEMENTED

    def __imatmul__(self, other: ArrayLike, /) -> Array:
        if not package.other_operands.holds_matrices(other):
            return NOT_IMPLEMENTED
        where = "matmul(x1, x2), in place"
        package.layouts.require_writeable(self, where)
        result = functions.linalg.products.matmul(self, other)._view
        return package.other_operands.stored_in_place(self, result, where)

    @property
    def numerator(self) -> int:
        """The numerator of an integer as a fraction: the integer itself."""
        return functions.python.scalars.numerator(self)

    @property
    def denominator(self) -> int:
        """The denominator of an integer as a fraction: 1."""
        return functions.python.scalars.denominator(self)

    # -- NumPy's methods ------------------------------------------------------------------------

    tolist = numpy_methods.tolist
    item = numpy_methods.item
    copy = numpy_methods.copy
    setflags = numpy_methods.setflags
    tobytes = numpy_methods.tobytes
    tofile = numpy_methods.tofile
    dump = numpy_methods.dump
    dumps = numpy_methods.dumps
    to_numpy = numpy_methods.to_numpy
    astype = numpy_methods.astype
    view = numpy_methods.view
    byteswap = numpy_methods.byteswap
    reshape = numpy_methods.reshape
    resize = numpy_methods.resize
    ravel = numpy_methods.ravel
    flatten = numpy_methods.flatten
    squeeze = numpy_methods.squeeze
    swapaxes = numpy_methods.swapaxes
    transpose = numpy_methods.transpose
    diagonal = numpy_methods.diagonal  # type: ignore[has-type]
    fill = numpy_methods.fill
    put = numpy_methods.put  # type: ignore[has-type]
    take = numpy_methods.take  # type: ignore[has-type]
    choose = numpy_methods.choose
    compress = numpy_methods.compress
    repeat = numpy_methods.repeat
    nonzero = numpy_methods.nonzero  # type: ignore[has-type]
    sort = numpy_methods.sort
    argsort = numpy_methods.argsort
    partition = numpy_methods.partition
    argpartition = numpy_methods.argpartition
    searchsorted = numpy_methods.searchsorted
    all = numpy_methods.all
    any = numpy_methods.any
    argmax = numpy_methods.argmax
    argmin = numpy_methods.argmin
    count_nonzero = numpy_methods.count_nonzero  # type: ignore[has-type]
    max = numpy_methods.max
    mean = numpy_methods.mean
    min = numpy_methods.min
    prod = numpy_methods.prod
    ptp = numpy_methods.ptp  # type: ignore[has-type]
    std = numpy_methods.std  # type: ignore[has-type]
    sum = numpy_methods.sum
    trace = numpy_methods.trace
    var = numpy_methods.var  # type: ignore[has-type]
    cumprod = numpy_methods.cumprod
    cumsum = numpy_methods.cumsum
    cumulative_prod = numpy_methods.cumulative_prod
    cumulative_sum = numpy_methods.cumulative_sum
    clip = numpy_methods.clip
    conj = numpy_methods.conj
    conjugate = numpy_methods.conjugate
    round = numpy_methods.round
    dot = numpy_methods.dot
    is_integer = numpy_methods.is_integer
    as_integer_ratio = numpy_methods.as_integer_ratio
    bit_count = numpy_methods.bit_count

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
        return package.exchange.dlpack_device(self.device)

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
missing_attributes.set_on_arrays(Array)
made: Final[Callable[[View], Array]] = operators.made  # type: ignore[assignment]
"""`Array(view)` of a view that is no constant, or one that `number_like` made."""

NUMBERS: Final[dict[DType, type]] = {
    dtypes.float64: numpy.floating,
    dtypes.complex128: numpy.complexfloating,
}
"""Not float64 and complex128, which are Python's float and complex as well: users of the standard
ask by these whether an operand is no array. Empty while a program for NumPy runs."""


NOT_IMPLEMENTED: Final[Array] = NotImplemented
"""`NotImplemented`, with the type that operators return."""
_NEITHER: Final[tuple[Array, Array]] = NotImplemented


def product(shape: Shape) -> int:
    """The number of elements of a shape."""
    size = 1
    for extent in shape:
        size *= extent
    return size


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
