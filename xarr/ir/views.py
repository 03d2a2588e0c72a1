# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Views of storages, and constants: the operands and results of instructions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import dtypes, errors, layout, tuning
from xarr.backends.base import InMemory
from xarr.backends.device import found
from xarr.ir import _cython as cython
from xarr.ir.memo import remembered
from xarr.layout import Layout
from xarr.memo import listed

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.memo import Memo, Memoised
    from xarr.ir.storage import Storage

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.dtypes import DType
    from xarr.layout import Pattern, Shape

_ndarray = cython.declare(object, numpy.ndarray)
_float64 = cython.declare(object, dtypes.float64)

_EXACT: Final = 1 << 53
"""Integers up to this are float64 exactly."""


def in_memory(dtype: DType, shape: Shape, strides: Shape) -> InMemory:
    """Return NumPy's shape, type and strides in bytes for elements at given strides."""
    nbytes = dtype.itemsize
    return InMemory(shape, dtype.numpy, tuple([stride * nbytes for stride in strides]))


@cython.ccall
def array_in(lies: Any, memory: object, offset: cython.Py_ssize_t) -> object:
    """Return a NumPy array over memory, from an offset in elements on; `lies` is an `InMemory`."""
    shape, dtype, strides, is_bool = lies
    nbytes: cython.Py_ssize_t = dtype.itemsize
    values = _ndarray(shape, dtype, memory, offset * nbytes, strides)
    return values != 0 if is_bool else values


@cython.cclass
class Structure(Memoised):
    """A view without its storage and offset; views that agree in it share one object.

    Attributes
    ----------
    strides : tuple of int or None
        In elements, for each axis; None for a constant.
    size, nbytes : int
        The count of elements, and their bytes; repeated elements count each time.
    is_linear : bool
        Whether the elements follow each other in C order without gaps.
    repeats : bool
        Whether two elements may be one, as in a broadcast view.
    in_memory : InMemory or None
        NumPy's description of the elements, once it was needed.
    unpack, pack : function or None
        Read and write an element in memory, at some byte, where the host does that in place.
    low, high : number or None
        The Python integers between these are values of the data type.
    cell : NumPy array or None
        Holds a constant while a function of NumPy's computes with it; only under the device's lock.
    element : Structure or None
        That of scalar constants of the data type; None before it is first needed.
    lone : Structure or None
        That of one element which was written or read by itself.
    copy : Opcode or None
        The opcode that copies one element, once there was a copy.
    places : set of int or None
        The offsets from the view's first element of elements that were read or written alone.
    """

    device: Any
    dtype: Any
    shape: Any
    strides: tuple[int, ...] | None
    in_memory: Any
    cell: Any
    element: Any
    lone: Any
    copy: Any
    unpack: Any
    pack: Any
    low: Any
    high: Any
    repeats: bool
    itemsize: int
    nbytes: int
    size: int
    is_linear: bool
    is_complex: bool
    alike: list[Any] | None
    remembered: dict[Any, Any] | None
    places: set[int] | None
    _pattern: Any
    _layout: Any

    def __init__(
        self, device: Device, dtype: DType, shape: Shape, strides: tuple[int, ...] | None
    ) -> None:
        size: cython.Py_ssize_t = 1
        most: float = 1.0
        extent: cython.Py_ssize_t
        for extent in shape:
            most *= extent
        if most < _MOST_NBYTES:  # a constant may have any shape
            for extent in shape:
                size *= extent
        self.device = device
        self.dtype = dtype
        self.shape = shape
        self.strides = strides
        self.size = size
        if strides is not None:
            itemsize: cython.Py_ssize_t = dtype.itemsize
            if most * itemsize >= _MOST_NBYTES:  # repeated elements are counted as well
                nbytes = math.prod(shape) * dtype.itemsize
                fault = f"an array of shape {shape} and dtype {dtype} would have {nbytes} bytes"
                accepted = "there must be less than 2**63"
                raise errors.value_error(f"arrays on {device}", fault, accepted)
            self.itemsize = itemsize
            self.nbytes = size * itemsize
            self.is_linear = _is_linear(shape, strides, size)
            if not self.is_linear:
                self.repeats = layout.is_self_overlapping(shape, strides)
        self.is_complex = dtype.kind == dtypes.COMPLEX
        if dtype is dtypes.float64:
            self.low, self.high = -_EXACT, _EXACT
        elif dtype.kind in dtypes.INTEGER:
            self.low, self.high = dtype.bounds
        self.unpack, self.pack = device.in_place[dtype]

    @property
    def pattern(self) -> Pattern | None:
        """The shape and strides; None for a constant."""
        if self._pattern is None and self.strides is not None:
            self._pattern = layout.pattern_of(self.shape, self.strides)
        return self._pattern

    @property
    def layout(self) -> Layout | None:
        """The layout of elements that begin with the storage; None for a constant."""
        if self._layout is None and self.strides is not None:
            self._layout = Layout(self.shape, self.strides)
        return self._layout

    @cython.ccall
    def known(self, key: object) -> Any:
        """Return what is remembered of such views by a key, or None.

        By the key of an index or a shape it is the structure that it gives; by the structure of a
        value, within one storage with its offset from the view, the opcode that writes the value.
        """
        return None if self.remembered is None else self.remembered.get(key)

    @cython.ccall
    def remember(self, key: object, found: object) -> object:
        """Remember something of such views by a key."""
        if self.remembered is None:
            self.remembered = {}
        return remembered(self.remembered, key, found)

    @cython.ccall
    def fits(self, value: object) -> cython.bint:
        """Return whether the data type holds a Python int or float exactly."""
        if type(value) is float:
            return self.dtype is _float64
        return type(value) is int and self.low is not None and self.low <= value <= self.high

    @cython.ccall
    def seen(self) -> Any:
        """Return NumPy's description of the elements."""
        if self.in_memory is None:
            assert self.strides is not None
            self.in_memory = in_memory(self.dtype, self.shape, self.strides)
        return self.in_memory


_MOST_NBYTES: Final = 2.0**63


@cython.cfunc
def _is_linear(
    shape: tuple[Any, ...], strides: tuple[Any, ...], size: cython.Py_ssize_t
) -> cython.bint:
    """Return whether elements follow each other in C order without gaps."""
    at: cython.Py_ssize_t
    extent: cython.Py_ssize_t
    step: cython.Py_ssize_t = 1
    if not size:
        return True
    for at in range(len(shape) - 1, -1, -1):
        extent = shape[at]
        if extent != 1:
            if strides[at] != step:
                return False
            step *= extent
    return True


def _structures() -> list[dict[Any, Structure]]:
    """Return the dictionaries of all devices' structures, and of hashes."""
    return [part for one in found() if one.structures for part in one.structures.parts()]


listed("Device.structures", tuning.STRUCTURES, _structures)
listed("Structure.remembered", tuning.REMEMBERED, lambda: [
    how.remembered for of in _structures() for how in filter(None, of.values()) if how.remembered
])  # fmt: skip


@cython.ccall
def structure(device: Any, dtype: Any, shape: tuple[Any, ...], strides: Any) -> Structure:
    """Return the structure of views of a shape and strides; without strides, of constants."""
    known: Memo | None = device.structures
    if known is None:
        known = device.structures = Memo(tuning.STRUCTURES)
    key = (dtype, shape, strides)
    found: Structure | None = known.get(key)
    if found is None:
        found = Structure(device, dtype, shape, strides)
        known.keep(key, found)
    return found


@cython.ccall
def contiguous(device: Any, dtype: Any, shape: tuple[Any, ...]) -> Structure:
    """Return the structure of elements that follow each other in C order."""
    at: cython.Py_ssize_t = len(shape)
    extent: cython.Py_ssize_t
    step: Any = 1  # a product of extents may be more than C counts
    if at == 1:
        return structure(device, dtype, shape, _ONE)
    strides: list[Any] = [1] * at
    while at:
        at -= 1
        strides[at] = step
        extent = shape[at]
        if extent > 1:
            step = step * extent
    return structure(device, dtype, shape, tuple(strides))


_ONE = cython.declare(tuple, (1,))


@cython.freelist(64)
@cython.cclass
class View:
    """A view of a storage, or a constant.

    Attributes
    ----------
    storage : Storage or None
        Where the elements are, or will be, from `offset` on; None for a constant.
    value : Python scalar or None
        The value of a constant, which `dtype` holds exactly.
    bound : bool
        Whether an array has this constant, which may be given a storage for it.
    """

    storage: Storage | None
    structure: Structure
    value: Any
    offset: int
    bound: bool

    def __init__(
        self, storage: Storage | None, structure: Structure, offset: int, value: Any = None
    ) -> None:
        self.storage = storage
        self.structure = structure
        self.offset = offset
        self.value = value

    @property
    def device(self) -> Device:
        """The device that the view is on."""
        return self.structure.device

    @property
    def dtype(self) -> DType:
        """The data type of the elements."""
        return self.structure.dtype

    @property
    def shape(self) -> Shape:
        """The extents of the axes."""
        return self.structure.shape

    @property
    def layout(self) -> Layout | None:
        """The layout of the elements in the storage; None for a constant."""
        where: Any = self.structure.layout
        if where is None or not self.offset:
            return where
        return Layout(where.shape, where.strides, self.offset)


@cython.cfunc
def view_at(storage: Storage | None, how: Structure, offset: cython.Py_ssize_t) -> View:
    """Return a view without a call of its class."""
    made: View = View.__new__(View)
    made.storage = storage
    made.structure = how
    made.offset = offset
    return made


@cython.cfunc
def beyond(view: View, first: View) -> cython.Py_ssize_t:
    """Return by how many bytes a view begins beyond another one of its storage."""
    return view.offset * view.structure.itemsize - first.offset * first.structure.itemsize


def storage_view(storage: Storage, where: Layout, dtype: DType) -> View:
    """Return the view of a storage's elements in a layout."""
    return view_at(
        storage, structure(storage.device, dtype, where.shape, where.strides), where.offset
    )


@cython.cfunc
def lone_of(view: View) -> Structure:
    """Return the structure of one element of a view's storage."""
    how: Structure = view.structure
    if how.lone is None:
        how.lone = structure(how.device, how.dtype, (), ())
    return how.lone


@cython.ccall
def number_like(view: View, value: object) -> View:
    """Return a scalar constant of a view's data type, which a single array has."""
    how: Structure = view.structure
    if how.element is None:
        how.element = structure(how.device, how.dtype, (), None)
    return lone_constant(how.element, value)


@cython.ccall
def lone_constant(how: Structure, value: object) -> View:
    """Return a constant that a single array has."""
    result: View = view_at(None, how, 0)
    result.value = value
    result.bound = True
    return result


def constant(value: Any, dtype: DType, shape: Shape, device: Device) -> View:
    """Return a constant, one value repeated over a shape; `dtype` holds the value exactly."""
    return View(None, structure(device, dtype, shape, None), 0, value)


@cython.freelist(64)
@cython.cclass
class ArraySlots:
    """The fields of an array: its view, its base array, whether it is locked, and kept."""

    __weakref__: object
    _view: View
    _base: Any
    _locked: bool
    _kept: bool


@cython.cfunc
def view_within(array: ArraySlots) -> View:
    """Return an array's view: of a name without a type Cython would look it up, in 0.1 us."""
    return array._view
