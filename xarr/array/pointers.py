"""`Pointer`: a place in the memory of an array, for those who call device code themselves."""

from __future__ import annotations

import functools
from typing import Any

import numpy

from xarr import dtypes, errors, layout
from xarr.array import dlpack
from xarr.array.array import Array
from xarr.array.exchange import dlpack_device, shown
from xarr.array.layouts import settled, viewed
from xarr.backends.device import Device
from xarr.dtypes import DType
from xarr.ir.views import storage_view
from xarr.layout import Layout, Shape


@functools.total_ordering
class Pointer:
    """The address of an array's first element, with C's pointer arithmetic.

    `p + n` is n elements further.

    `RawKernel` takes it as a pointer argument. ``int(p)`` is the address as a number, on a CPU or a
    CUDA device. The memory lives as long as the pointer. An address beyond the end raises
    IndexError.

    x : Array, shape (...) -- The array.

    TypeError -- If x is no Array.

    >>> import xarr
    >>> x = xarr.arange(6)
    >>> p = xarr.Pointer(x) + 2
    >>> p.array((2, 2)).tolist()
    [[2, 3], [4, 5]]
    >>> p - xarr.Pointer(x)
    2
    """

    __slots__ = ("_begin", "_dtype", "_of")

    def __init__(self, x: Array) -> None:
        if type(x) is not Array:
            raise errors.type_error(
                "Pointer(x)", f"x is of type {type(x).__name__}", "it must be an Array"
            )
        self._begin = settled(x).offset
        self._of = x
        self._dtype: DType = x._view.dtype

    def _at(self, begin: int, dtype: DType | None = None) -> Pointer:
        made: Pointer = object.__new__(Pointer)
        made._of, made._begin, made._dtype = self._of, begin, dtype or self._dtype
        if not 0 <= begin <= made._extent:
            raise errors.refused(
                IndexError,
                "pointer + n",
                f"it would point to element {begin}",
                f"it must stay within the {made._extent} of {made._dtype} of the memory",
            )
        return made

    @property
    def _extent(self) -> int:
        """The number of elements of the whole memory."""
        storage = self._of._view.storage
        assert storage is not None
        return storage.nbytes // self._dtype.itemsize

    @property
    def device(self) -> Device:
        """The device of the memory."""
        return self._of.device

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The data type of the elements."""
        return self._dtype.numpy

    @property
    def nbytes(self) -> int:
        """The bytes from here to the end of the memory."""
        return (self._extent - self._begin) * self._dtype.itemsize

    def array(self, shape: Shape | int | None = None) -> Array:
        """Make an array of a shape, in C order, that begins here; without a shape, up to the end.

        IndexError -- If the shape has more elements than are left.

        >>> xarr.Pointer(xarr.arange(4)).array((2, 2)).tolist()
        [[0, 1], [2, 3]]
        """
        left = self._extent - self._begin
        extents = layout.extents_of(left if shape is None else shape, "pointer.array(shape)")
        where = layout.contiguous(extents)
        if where.size > left:
            raise errors.refused(
                IndexError,
                "pointer.array(shape)",
                f"shape is {shape}",
                f"it must have at most the {left} elements that are left",
            )
        storage = self._of._view.storage
        assert storage is not None
        lies = Layout(where.shape, where.strides, self._begin)
        return viewed(self._of, storage_view(storage, lies, self._dtype))

    def cast(self, dtype: Any) -> Pointer:
        """Return a pointer to the same address with another data type.

        dtype : dtype -- The data type of the elements.

        TypeError -- If the device lacks the data type.
        ValueError -- If the address is no multiple of the new element size.

        >>> xarr.Pointer(xarr.zeros(2, dtype="int64")).cast("int32").array().shape
        (4,)
        """
        row = dtypes.lookup(dtype, "pointer.cast(dtype)")
        begin = self._begin * self._dtype.itemsize
        if begin % row.itemsize:
            raise layout.misaligned("pointer.cast(dtype)", row.itemsize)
        return self._at(begin // row.itemsize, row)

    def __int__(self) -> int:
        """The address. From now on the memory counts as seen by others, as long as it is there.

        On a GPU of OpenCL memory has no addresses, which is a RuntimeError.
        """
        if self.device.backend == "opencl" and dlpack_device(self.device)[0] == dlpack.OPENCL:
            raise errors.refused(
                RuntimeError,
                "int(pointer)",
                f"it is on {self.device}",
                "it must be on a device with addresses; a GPU of OpenCL has buffers",
                "use x.cl_buffer",
            )
        memory = shown(self._of)
        first = settled(self._of).offset * self._of.itemsize
        return memory.pointer - first + self._begin * self._dtype.itemsize

    __index__ = __int__

    def __add__(self, other: int) -> Pointer:
        if not isinstance(other, int):
            return NotImplemented
        return self._at(self._begin + other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, int):
            return self._at(self._begin - other)
        if not isinstance(other, Pointer):
            return NotImplemented
        (memory, ends), (its, begins) = self._place(), other._place()
        if memory != its or self._dtype is not other._dtype:
            raise errors.value_error(
                "pointer - pointer",
                f"they point to {self._dtype} and {other._dtype}"
                + ("" if memory == its else " in the memory of two arrays"),
                "both must point to one data type in one array's memory",
            )
        return (ends - begins) // self._dtype.itemsize

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pointer) and self._place() == other._place()

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Pointer):
            return NotImplemented
        return self._place() < other._place()

    def __hash__(self) -> int:
        return hash(self._place())

    def _place(self) -> tuple[int, int]:
        storage = self._of._view.storage
        assert storage is not None
        return storage.serial, self._begin * self._dtype.itemsize

    def __repr__(self) -> str:
        return f"<Pointer to {self._dtype} on {self.device}, {self.nbytes:,} bytes up to the end>"
