# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Views of storages, and constants: what instructions take and give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import dtypes, errors, layout, tuning
from xarr.backends.base import InMemory
from xarr.core import _cython as cython
from xarr.layout import Layout

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.core.storage import Storage

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.dtypes import DType
    from xarr.layout import Pattern, Shape

_ndarray = cython.declare(object, numpy.ndarray)

_EXACT: Final = 1 << 53
"""Integers up to this are float64 exactly."""


def in_memory(dtype: DType, shape: Shape, strides: Shape) -> InMemory:
    """How NumPy sees elements that lie in memory by strides."""
    nbytes = dtype.itemsize
    return InMemory(shape, dtype.numpy, tuple([stride * nbytes for stride in strides]))


@cython.ccall
def array_in(lies: Any, memory: object, offset: cython.Py_ssize_t) -> object:
    """The elements that lie so in memory, the first one so many of them from its beginning."""
    shape, dtype, strides, is_bool = lies
    nbytes: cython.Py_ssize_t = dtype.itemsize
    values = _ndarray(shape, dtype, memory, offset * nbytes, strides)
    return values != 0 if is_bool else values


@cython.cclass
class Structure:
    """What a view is but for its storage and offset: one object for all views that agree in it.

    Attributes
    ----------
    pattern, layout : Pattern and Layout, or None
        How the elements lie, and the layout of those that begin where the storage does; None for a
        constant.
    repeats : bool
        Whether two elements may be one, as in a broadcast view.
    in_memory : InMemory or None
        How NumPy sees the elements; once it was asked for.
    form : str or None
        What elements are for the struct module, where the host reaches them; None where not.
    element : Structure or None
        Of constants without axes, of the same data type; there once it was asked for.
    lone : Structure or None
        Of one element, where it was written to alone.
    views : dict
        What indexing and reshaping give: structures, and by some keys how far they begin from this.
    stores : dict
        Opcodes of what writes to it, by the value's structure; of the same storage also by how far
        the value begins from it.
    places : set of int
        How far beyond the first one elements were that were read or written alone, while others
        waited.
    """

    device: Any
    dtype: Any
    shape: Any
    pattern: Any
    layout: Any
    in_memory: Any
    element: Any
    lone: Any
    views: dict[Any, Any]
    stores: dict[Any, Any]
    places: set[int]
    form: str | None
    strides: tuple[int, ...] | None
    low: Any
    high: Any
    repeats: bool
    nbytes: int
    is_complex: bool
    is_in_place: bool
    alike: list[Any]

    def __init__(self, device: Device, dtype: DType, shape: Shape, pattern: Pattern | None) -> None:
        self.device = device
        self.dtype = dtype
        self.shape = shape
        self.pattern = pattern
        self.strides = None if pattern is None else pattern.strides
        self.layout = None if pattern is None else Layout(pattern.shape, pattern.strides)
        self.repeats = self.layout is not None and layout.self_overlapping(self.layout)
        nbytes = 0 if pattern is None else pattern.size * dtype.itemsize
        if nbytes >> 63:  # repeated elements are counted as well
            fault = f"an array of shape {shape} and dtype {dtype} would have {nbytes} bytes"
            raise errors.value_error(f"arrays on {device}", fault, "less than 2**63 are accepted")
        self.nbytes = nbytes
        self.views = {}
        self.stores = {}
        self.places = set()
        self.alike = [None] * 24
        self.is_complex = dtype.kind == dtypes.COMPLEX
        self.low, self.high = (-_EXACT, _EXACT) if dtype is dtypes.float64 else dtype.bounds
        if dtype.kind not in dtypes.INTEGER and dtype is not dtypes.float64:
            self.low = self.high = None
        self.is_in_place = device.info.in_place
        if self.is_in_place and dtype is not dtypes.float16:
            self.form = "?" if dtype is dtypes.bool_ else dtype.format[0]

    @cython.ccall
    def fits(self, value: object) -> cython.bint:
        """Whether a Python int or float beside elements stands for one of their values exactly."""
        if type(value) is float:
            return self.dtype is dtypes.float64
        return type(value) is int and self.low is not None and self.low <= value <= self.high

    def seen(self) -> InMemory:
        """How NumPy sees the elements of a view."""
        if self.in_memory is None:
            assert self.pattern is not None
            self.in_memory = in_memory(self.dtype, self.pattern.shape, self.pattern.strides)
        return self.in_memory


def structure(device: Device, dtype: DType, how: Pattern | Shape) -> Structure:
    """The structure of views that lie in a pattern, or of constants that have a shape."""
    structures = device.structures
    found: Structure | None = structures.get((dtype, how))
    if found is None:
        if len(structures) >= tuning.STRUCTURES:
            structures.clear()  # two objects of one structure cost a program, and change nothing
        if isinstance(how, tuple):
            found = Structure(device, dtype, how, None)
        else:
            found = Structure(device, dtype, how.shape, how)
        structures[dtype, how] = found
    return found


@cython.freelist(64)
@cython.cclass
class Node:
    """A view of a storage, or a constant.

    Attributes
    ----------
    storage : Storage or None
        Where the elements are, or will be; None for a constant.
    offset : int
        Where the first one is.
    value : Python scalar or None
        The value of a constant, which `dtype` can hold exactly.
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
        """The device that computes it."""
        return self.structure.device

    @property
    def dtype(self) -> DType:
        """The data type of the elements."""
        return self.structure.dtype

    @property
    def shape(self) -> Shape:
        """The extents."""
        return self.structure.shape

    @property
    def layout(self) -> Layout | None:
        """Where the elements are in the storage; None for a constant."""
        where: Any = self.structure.layout
        if where is None or not self.offset:
            return where
        return Layout(where.shape, where.strides, self.offset)


@cython.cfunc
def view_at(storage: Storage | None, how: Structure, offset: cython.Py_ssize_t) -> Node:
    """Return a view without a call of its class."""
    made: Node = Node.__new__(Node)
    made.storage = storage
    made.structure = how
    made.offset = offset
    return made


ELEMENT: Final = layout.contiguous(()).pattern


def leaf(storage: Storage, where: Layout, dtype: DType) -> Node:
    """The view of a storage's elements."""
    return view_at(storage, structure(storage.device, dtype, where.pattern), where.offset)


def element(node: Node, at: int) -> Node:
    """A node of the one element of another one's storage that lies at an offset."""
    return Node(node.storage, structure(node.device, node.dtype, ELEMENT), at)


@cython.ccall
def number_like(node: Node, value: object) -> Node:
    """A constant without axes, of a node's data type, which its array alone has."""
    how: Structure = node.structure
    if how.element is None:
        how.element = structure(how.device, how.dtype, ())
    return lone_constant(how.element, value)


@cython.cfunc
def lone_constant(how: Structure, value: object) -> Node:
    """Return a constant that its array alone has."""
    result: Node = view_at(None, how, 0)
    result.value = value
    result.bound = True
    return result


def constant(value: Any, dtype: DType, shape: Shape, device: Device) -> Node:
    """One value, repeated over a shape. `value` is a Python scalar that `dtype` holds exactly."""
    return Node(None, structure(device, dtype, shape), 0, value)


@cython.freelist(64)
@cython.cclass
class ArraySlots:
    """The fields of an array: its node, whose view it is, whether it is locked, and kept."""

    __weakref__: object
    _node: Node
    _base: Any
    _locked: bool
    _kept: bool
