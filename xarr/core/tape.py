# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""The hot core: what is asked for is recorded, recognised, and run as one program.

A tape holds what was asked of a device and has not run, in program order. Running it in order, one
instruction after the other, is the meaning of a program. A list of instructions that has run before
is looked up by what it is: the opcodes, which storage each view is of, by order of first use, where
it begins beyond the storage's first view, and which storages somebody still holds. The program that
is found has its steps ready; storages, offsets and constants are its arguments.

The same file runs as it is, and compiled by Cython; `core/_cython.py` stands for what it is told.
"""

from __future__ import annotations

import gc
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from sys import is_finalizing as _is_finalizing
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeAlias

import numpy

from xarr import dtypes, errors, layout, references, tuning
from xarr.backends.base import Asked, InMemory
from xarr.core import _cython as cython
from xarr.core.cycles import Cycles
from xarr.layout import Layout
from xarr.settings import IMPORTED

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on

if cython.compiled:
    from cython.cimports.cpython.buffer import Py_buffer, PyObject_GetBuffer as fill_buffer
    from cython.cimports.cpython.ref import Py_REFCNT as held_by
else:
    from sys import getrefcount as held_by

    Py_buffer: TypeAlias = Any
    fill_buffer: Any = None

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.core.operations import Operation
    from xarr.dtypes import DType
    from xarr.layout import Pattern, Shape

IS_COMPILED: Final[bool] = cython.compiled
"""Whether the module is compiled."""


ALIVE: Final = -1
"""What the tape says of a storage that somebody holds."""
DEAD: Final = -2
"""Of one that nobody holds; of its own memory, if it has some, it says how many bytes instead."""
WIDE: Final = -10
"""What is added where a storage has so many bytes that kernels count with 64 bits."""
OWN: Final = -100
"""What it says less the bytes of a storage that is held, and written over most of it by a list, if
other memory may take the place of its own: nobody else sees that."""


def is_held(state: int) -> bool:
    """Whether somebody holds a storage of which the tape says this."""
    return state <= OWN or state in (ALIVE, ALIVE + WIDE)


def is_wide(state: int) -> bool:
    """Whether kernels count the bytes of a storage of which it says this with 64 bits."""
    wide = state >= layout.WIDE or state <= OWN - layout.WIDE
    return wide or state in (ALIVE + WIDE, DEAD + WIDE)


_ALIVE = cython.declare(cython.Py_ssize_t, ALIVE)
_DEAD = cython.declare(cython.Py_ssize_t, DEAD)
_WIDE = cython.declare(cython.Py_ssize_t, WIDE)
_OWN = cython.declare(cython.Py_ssize_t, OWN)
_WIDE_NBYTES = cython.declare(cython.Py_ssize_t, layout.WIDE)
_KEPT_NBYTES = cython.declare(cython.Py_ssize_t, tuning.KEPT_NBYTES)
_ndarray = cython.declare(object, numpy.ndarray)
_ASIDE = cython.declare(cython.Py_ssize_t, -1)
"""What storages bear that an instruction writes which was put aside."""


def remembered(found: dict[Any, Any], key: Any, value: Any) -> Any:
    """A value that is kept in a dictionary; one that is full is emptied first."""
    if len(found) >= tuning.REMEMBERED:
        found.clear()
    found[key] = value
    return value


# -- what is watched -------------------------------------------------------------------------------


@cython.cclass
class Hooks:
    """What tools and tests put in the place of what the core does by itself; else None.

    Attributes
    ----------
    launch : function
        Launches kernels, as `launch` does.
    run : function
        A context around each run: of a program, the instructions' numbers and what is done.
    numbers : iterator
        Gives instructions their numbers, so that it knows who asks for them.
    eager : int
        How many `eager()` blocks are open; XARR_EAGER opens one for good.
    transfers : int
        How many mind hidden transfers, or are told of them.
    changed : int
        How many blocks are open in which functions may record otherwise than elsewhere.
    unheld : int
        The count of references to a storage that only a list holds.
    """

    launch: Any = cython.declare(object, visibility="public")
    run: Any = cython.declare(object, visibility="public")
    numbers: Any = cython.declare(object, visibility="public")
    eager: int = cython.declare(cython.Py_ssize_t, visibility="public")
    transfers: int = cython.declare(cython.Py_ssize_t, visibility="public")
    changed: int = cython.declare(cython.Py_ssize_t, visibility="public")
    unheld: int = cython.declare(cython.Py_ssize_t, visibility="public")


@cython.cclass
class Counts:
    """What was done, for tests, reports and benchmarks: launches and compilations.

    Attributes
    ----------
    looks : int
        How often somebody wanted the values of a storage, or had a tape run.
    observers : list of function
        Are told of each new kernel's skeleton and form.
    """

    launches: int = cython.declare(cython.Py_ssize_t, visibility="public")
    looks: int = cython.declare(cython.Py_ssize_t, visibility="public")
    compilations: int = cython.declare(cython.Py_ssize_t, visibility="public")
    observers: list[Callable[[str, Any], None]] = cython.declare(list, visibility="public")

    def __init__(self) -> None:
        self.observers = []


_hooks = cython.declare(Hooks, Hooks())
hooks = _hooks
hooks.eager = 1 if IMPORTED.eager else 0
_counts = cython.declare(Counts, Counts())
counts = _counts


@contextmanager
def eager() -> Iterator[None]:
    """Run each operation at once within a ``with`` block, with the same bits.

    Useful to see in which line a slow or failing operation is.
    """
    hooks.eager += 1
    try:
        yield
    finally:
        hooks.eager -= 1


@contextmanager
def changed() -> Iterator[None]:
    """Say that functions may record otherwise within a ``with`` block than elsewhere."""
    hooks.changed += 1
    try:
        yield
    finally:
        hooks.changed -= 1


# -- storages and views ----------------------------------------------------------------------------

_serial = cython.declare(cython.Py_ssize_t, 0)


@cython.freelist(64)
@cython.cclass
class Storage:
    """A buffer on one device, whose memory is there from the first instruction on that writes it.

    A storage knows how many bytes it has, never shapes or data types. Only views and the device's
    tape hold it, so a storage that nothing but the tape holds is dead.

    Attributes
    ----------
    buffer : object or None
        The driver's memory, or an array of NumPy's that no driver knows; None before an instruction
        has run that writes it.
    lender : object or None
        What the memory belongs to, where it is not the device's own.
    selected : object or None
        What the memory selected when it was a mask, how it lay and what `writes` was.
    writes : int
        How often it was written to, or others may have written to it.
    mark : int
        What the tape has put here while an instruction on it writes the storage.
    """

    __weakref__: object
    buffer: Any = cython.declare(object, visibility="public")
    device: Any = cython.declare(object, visibility="public")
    lender: Any = cython.declare(object, visibility="public")
    selected: Any = cython.declare(object, visibility="public")
    _windows: dict[Any, Any] | None = cython.declare(dict)
    nbytes: int = cython.declare(cython.Py_ssize_t, visibility="public")
    serial: int = cython.declare(cython.Py_ssize_t, visibility="public")
    writes: int = cython.declare(cython.Py_ssize_t, visibility="public")
    mark: int = cython.declare(cython.Py_ssize_t, visibility="public")
    read_only: bool = cython.declare(cython.bint, visibility="public")
    list_mark: int = cython.declare(cython.Py_ssize_t)
    most_mark: int = cython.declare(cython.Py_ssize_t)
    slot: int = cython.declare(cython.Py_ssize_t)

    def __init__(self, device: Device, nbytes: cython.Py_ssize_t, buffer: Any = None) -> None:
        _made_storage(self, device, nbytes)
        self.buffer = buffer

    @property
    def is_seen(self) -> bool:
        """Whether others see the memory, or a graph writes it, so that its content may change."""
        device = self.device
        return self.serial in device.shared or id(self.buffer) in device.kept

    def settle(self) -> None:
        """Have what is in NumPy's memory in the driver's.

        It is copied, since NumPy's memory would not wait for kernels that use it.
        """
        if type(self.buffer) is not _ndarray:
            return
        with self.device.lock:
            memory = self.buffer
            if type(memory) is _ndarray:
                buffer = room(self.device, self.nbytes)
                self.device.driver.upload(buffer, 0, memory)
                self.buffer = buffer

    @cython.ccall
    def window(self, form: object) -> Any:
        """The memory as numbers of a format of the struct module's; see `Driver.window`."""
        memory = self.buffer
        if memory is None:
            return None
        driver = None if type(memory) is _ndarray else self.device.driver
        if driver is not None and not driver.is_lasting:
            return driver.window(memory, form)
        windows: dict[Any, Any] | None = self._windows
        if windows is None or windows[None] is not memory:
            # In one step: whoever reads an element holds no lock.
            windows = self._windows = {None: memory}
        found = windows.get(form)
        if found is None:
            if driver is not None:
                found = driver.window(memory, form)
            else:
                found = memory.reshape(-1).view(numpy.uint8).data.cast(form)
            windows[form] = found
        return found


@cython.cfunc
def _made_storage(made: Storage, device: object, nbytes: cython.Py_ssize_t) -> Storage:
    global _serial
    _serial += 1
    made.device = device
    made.nbytes = nbytes
    made.serial = _serial
    return made


@cython.ccall
def room(device: Any, nbytes: cython.Py_ssize_t) -> object:
    """Memory of the driver's; where it is short, garbage is collected and the pool given back."""
    try:
        return device.driver.allocate(nbytes)
    except MemoryError:
        return _found_room(device, nbytes)


def _found_room(device: Device, nbytes: int) -> Any:
    """Memory where there was none at once."""
    driver = device.driver
    for recover in (driver.release_memory, gc.collect):
        recover()
        with suppress(MemoryError):
            return driver.allocate(nbytes)
    driver.release_memory()
    with suppress(MemoryError):
        return driver.allocate(nbytes)
    info = driver.memory_info()
    raise MemoryError(
        errors.message(
            f"allocating on {device}",
            f"{nbytes:,} bytes were asked for",
            f"arrays may have {min(driver.limit_nbytes, info['total_nbytes']):,} bytes, and have "
            f"{info['used_nbytes']:,}",
            "delete arrays that are no longer needed, or work in smaller pieces",
        )
    )


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

    device: Any = cython.declare(object, visibility="public")
    dtype: Any = cython.declare(object, visibility="public")
    shape: Any = cython.declare(object, visibility="public")
    pattern: Any = cython.declare(object, visibility="public")
    layout: Any = cython.declare(object, visibility="public")
    in_memory: Any = cython.declare(object, visibility="public")
    element: Any = cython.declare(object, visibility="public")
    lone: Any = cython.declare(object)
    views: dict[Any, Any] = cython.declare(dict, visibility="public")
    stores: dict[Any, Any] = cython.declare(dict, visibility="public")
    places: set[int] = cython.declare(set, visibility="public")
    form: str | None = cython.declare(object, visibility="public")
    strides: tuple[int, ...] | None = cython.declare(tuple)
    low: Any = cython.declare(object)
    high: Any = cython.declare(object)
    repeats: bool = cython.declare(cython.bint, visibility="public")
    nbytes: int = cython.declare(cython.Py_ssize_t)
    is_complex: bool = cython.declare(cython.bint)
    is_in_place: bool = cython.declare(cython.bint)
    alike: list[Any] = cython.declare(list)

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


_EXACT: Final = 1 << 53
"""Integers up to this are float64 exactly."""
LONGEST_STEP: Final = 1 << 31
"""The longest step of a slice; one that is longer than its axis is as good."""
_LONGEST = cython.declare(cython.Py_ssize_t, LONGEST_STEP)
_MOST_AXES = cython.declare(cython.Py_ssize_t, layout.MAX_NDIM)
_NEVER = cython.declare(cython.Py_ssize_t, -(1 << 62))


def in_memory(dtype: DType, shape: Shape, strides: Shape) -> InMemory:
    """How NumPy sees elements that lie in memory by strides."""
    nbytes = dtype.itemsize
    return InMemory(shape, dtype.numpy, tuple([stride * nbytes for stride in strides]))


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

    storage: Storage | None = cython.declare(Storage, visibility="public")
    structure: Structure = cython.declare(Structure, visibility="public")
    value: Any = cython.declare(object, visibility="public")
    offset: int = cython.declare(cython.Py_ssize_t, visibility="public")
    bound: bool = cython.declare(cython.bint, visibility="public")

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
def _view(storage: Storage | None, how: Structure, offset: cython.Py_ssize_t) -> Node:
    made: Node = Node.__new__(Node)
    made.storage = storage
    made.structure = how
    made.offset = offset
    return made


_ELEMENT: Final = layout.contiguous(()).pattern


def leaf(storage: Storage, where: Layout, dtype: DType) -> Node:
    """The view of a storage's elements."""
    return _view(storage, structure(storage.device, dtype, where.pattern), where.offset)


def element(node: Node, at: int) -> Node:
    """A node of the one element of another one's storage that lies at an offset."""
    return Node(node.storage, structure(node.device, node.dtype, _ELEMENT), at)


@cython.ccall
def number_like(node: Node, value: object) -> Node:
    """A constant without axes, of a node's data type, which its array alone has."""
    how: Structure = node.structure
    if how.element is None:
        how.element = structure(how.device, how.dtype, ())
    return _lone(how.element, value)


@cython.cfunc
def _lone(how: Structure, value: object) -> Node:
    result: Node = _view(None, how, 0)
    result.value = value
    result.bound = True
    return result


# -- single elements, where the host reaches them --------------------------------------------------


@cython.ccall
def read(node: Node, at: cython.Py_ssize_t) -> object:
    """The element `at` elements from the storage's beginning, where nothing pends; or None.

    It is none, either, where a Python scalar may have other bits: of a NaN.
    """
    how: Structure = node.structure
    storage: Storage | None = node.storage
    on: Tape | None = how.device.tape
    _counts.looks += 1
    if how.form is None or storage is None or on is None:
        return None
    if type(storage.buffer) is _ndarray or how.device.driver.is_lasting:
        return _element(on, how, storage, at)
    with how.device.lock:
        return _element(on, how, storage, at)


@cython.cfunc
def _element(on: Tape, how: Structure, storage: Storage, at: cython.Py_ssize_t) -> object:
    if on.is_running or on.aside or on.writes(storage):
        return None
    window = storage.window(how.form)
    if window is None:
        return None
    value = complex(window[2 * at], window[2 * at + 1]) if how.is_complex else window[at]
    return value if value == value else None


@cython.ccall
def written(node: Node, at: cython.Py_ssize_t, value: Any) -> cython.bint:
    """Whether an element could be written at once: nothing that pends names the storage.

    `value` is a Python scalar that the data type holds exactly.
    """
    how: Structure = node.structure
    storage: Storage | None = node.storage
    on: Tape | None = how.device.tape
    _counts.looks += 1
    if how.form is None or storage is None or on is None or value != value:
        return False
    with how.device.lock:
        if on.is_running or storage.buffer is None or on.names(storage):
            return False
        window = storage.window(how.form)
        if window is None:
            return False
        storage.writes += 1
        if how.is_complex:
            window[2 * at], window[2 * at + 1] = value.real, value.imag
        else:
            window[at] = value
    return True


@cython.ccall
def values_of(node: Node) -> Any:
    """A node's elements in place, computed, as NumPy's; None where the host does not reach them.

    Whoever asks holds the device's lock while they are read.
    """
    how: Structure = node.structure
    storage: Storage | None = node.storage
    on: Tape | None = how.device.tape
    _counts.looks += 1
    if not how.is_in_place or storage is None or on is None or on.is_running:
        return None
    if on.aside or on.writes(storage):
        on.compute(storage)
    memory = storage.buffer if type(storage.buffer) is _ndarray else storage.window("B")
    if memory is None:
        return None
    if how.in_memory is None:
        how.seen()
    if 0 in how.shape:
        return numpy.empty(how.shape, how.in_memory.dtype)
    return array_in(how.in_memory, memory, node.offset)


@cython.ccall
def array_in(lies: Any, memory: object, offset: cython.Py_ssize_t) -> object:
    """The elements that lie so in memory, the first one so many of them from its beginning."""
    shape, dtype, strides, is_bool = lies
    nbytes: cython.Py_ssize_t = dtype.itemsize
    values = _ndarray(shape, dtype, memory, offset * nbytes, strides)
    return values != 0 if is_bool else values


def constant(value: Any, dtype: DType, shape: Shape, device: Device) -> Node:
    """One value, repeated over a shape. `value` is a Python scalar that `dtype` holds exactly."""
    return Node(None, structure(device, dtype, shape), 0, value)


# -- instructions ----------------------------------------------------------------------------------


@cython.cclass
class Opcode:
    """An operation on operands of some structures: what the tape holds of an instruction.

    Attributes
    ----------
    operands : tuple of Structure
        Of the operands; constants among them.
    target : Structure or None
        Of the view that it writes; None where the operation itself writes to its first operand.
    named : tuple of Structure
        Of what an instruction names: the operands, and the target unless that is new.
    is_fresh : bool
        Whether the target is all of a new storage, which needs `nbytes` bytes.
    constants : int
        How many constants an instruction names.
    host : object
        What computes it on the host, or why nothing does; None before that was asked.
    alone : dict
        The step that an instruction is where it stands alone, by how its views lie.
    """

    operation: Any = cython.declare(object, visibility="public")
    operands: tuple[Any, ...] = cython.declare(tuple, visibility="public")
    named: tuple[Any, ...] = cython.declare(tuple, visibility="public")
    target: Any = cython.declare(Structure, visibility="public")
    shape: Any = cython.declare(object, visibility="public")
    device: Any = cython.declare(object, visibility="public")
    host: Any = cython.declare(object, visibility="public")
    alone: dict[Any, Any] = cython.declare(dict, visibility="public")
    nbytes: int = cython.declare(cython.Py_ssize_t, visibility="public")
    constants: int = cython.declare(cython.Py_ssize_t, visibility="public")
    is_fresh: bool = cython.declare(cython.bint, visibility="public")

    def __init__(
        self,
        operation: Operation,
        operands: tuple[Structure, ...],
        target: Structure | None,
        shape: Shape,
        device: Device,
        is_fresh: bool,
    ) -> None:
        self.operation = operation
        self.operands = operands
        self.target = target
        self.shape = shape
        self.device = device
        self.is_fresh = is_fresh
        self.alone = {}
        self.named = operands if is_fresh or target is None else (*operands, target)
        self.constants = sum([operand.pattern is None for operand in operands])
        if is_fresh and target is not None:
            assert target.pattern is not None
            self.nbytes = target.pattern.size * target.dtype.itemsize


@cython.freelist(64)
@cython.cclass
class Step:
    """An instruction on the tape.

    Attributes
    ----------
    nodes : tuple of Node
        The operands, and last the view that is written, if its storage is not new.
    fresh : Storage or None
        The new storage that is written.
    scalar : Python scalar or None
        What stands for a constant among the operands, if one is left out of them.
    number : int
        Its place in program order.
    """

    opcode: Opcode = cython.declare(Opcode, visibility="public")
    nodes: tuple[Any, ...] = cython.declare(tuple, visibility="public")
    fresh: Storage | None = cython.declare(Storage, visibility="public")
    scalar: Any = cython.declare(object, visibility="public")
    number: int = cython.declare(cython.Py_ssize_t, visibility="public")

    @property
    def written(self) -> Storage:
        """The storage that it writes; of what is consumed, which writes none, the operand's."""
        if self.fresh is not None:
            return self.fresh
        node: Node = self.nodes[0 if self.opcode.target is None else len(self.nodes) - 1]
        assert node.storage is not None
        return node.storage


@cython.cfunc
def _step(
    opcode: Opcode,
    nodes: tuple[Any, ...],
    fresh: Storage | None,
    scalar: object,
    number: cython.Py_ssize_t,
) -> Step:
    made: Step = Step.__new__(Step)
    made.opcode = opcode
    made.nodes = nodes
    made.fresh = fresh
    made.scalar = scalar
    made.number = number
    return made


_number = cython.declare(cython.Py_ssize_t, 0)


@cython.cfunc
def _next_number() -> cython.Py_ssize_t:
    global _number
    if _hooks.numbers is not None:
        return next(_hooks.numbers)
    _number += 1
    return _number


def next_number() -> int:
    """The number of an instruction; what `Hooks.numbers` gives may be made of it."""
    global _number
    _number += 1
    return _number


class Prepared(NamedTuple):
    """What a skeleton needs of the kernel that gives it its elements."""

    form: Any
    storages: list[Storage]
    values: list[Any]


@cython.cclass
class Arguments:
    """What instructions have not in common with others that are the same on such views.

    Attributes
    ----------
    storages, bases : list of Storage, list of int
        The storages that are named, and the offset from which views of each are counted: of the
        first one, or none where most of the storage is written.
    constants : list
        The values of all constants.
    numbers : list of int
        Those of the instructions.
    mark : int
        What storages bear of which most is written.
    """

    storages: list[Any] = cython.declare(list, visibility="public")
    bases: list[Any] = cython.declare(list, visibility="public")
    constants: list[Any] = cython.declare(list, visibility="public")
    numbers: list[Any] = cython.declare(list, visibility="public")
    mark: int = cython.declare(cython.Py_ssize_t)

    def __init__(
        self, storages: list[Any], bases: list[Any], constants: list[Any], numbers: list[Any]
    ) -> None:
        self.storages = storages
        self.bases = bases
        self.constants = constants
        self.numbers = numbers

    def clear(self) -> None:
        """Hold nothing any more."""
        self.storages.clear()
        self.bases.clear()
        self.constants.clear()
        self.numbers.clear()


# -- programs --------------------------------------------------------------------------------------


@cython.ccall
def launched(
    device: Any, kernel: Any, grid: Any, buffers: Any, arguments: Any, elements: Any
) -> object:
    """Launch a kernel, whatever the hook does."""
    _counts.launches += 1
    groups, items = grid
    work = kernel.weight * elements
    device.driver.launch(kernel.handle, groups, items, buffers, arguments, work)
    return None


@contextmanager
def launched_by(function: Callable[..., Any]) -> Iterator[None]:
    """Let a function launch all kernels within a ``with`` block; it may call `launched`."""
    before, hooks.launch = hooks.launch, function
    try:
        yield
    finally:
        hooks.launch = before


@cython.ccall
def launch(
    device: Any, kernel: Any, grid: Any, buffers: Any, arguments: Any, elements: Any
) -> object:
    """Launch a kernel, over a grid of groups and items, with packed arguments; wait for nothing."""
    if _hooks.launch is not None:
        return _hooks.launch(device, kernel, grid, buffers, arguments, elements)
    return launched(device, kernel, grid, buffers, arguments, elements)


def go_on(device: Device, unfinished: list[Asked]) -> None:
    """Launch what is unfinished: the rest of one kernel's work, before anything else runs.

    If its first launches have run, which may have overwritten what they read, and the next one
    cannot, it stays in the list with those behind it.
    """
    driver = device.driver
    while unfinished:
        before = driver.launched
        try:
            launch(device, *unfinished[0])
        except BaseException:
            if driver.launched > before:  # a signal's handler came behind the launch
                del unfinished[0]
            raise
        del unfinished[0]


def end_before_others(device: Device) -> None:
    """Wait for what is under way where others read and write the memory whenever they like."""
    if device.shared and device.info.shares_host_memory:
        device.driver.synchronize()


@cython.cclass
class Call:
    """A step of a program: the launches that are one kernel's, but for what comes from the tape.

    Storages, bases and constants are named by number.

    Attributes
    ----------
    stages, rooms : list of Stage, list of Room
        The launches, and what is between them; no stages where a skeleton takes their place.
    forms : list of Form
        What the kernel computes, one after the other.
    fresh : list of (int, int)
        The storages that have memory from now on, and how many bytes.
    pointers : list of int
        The storages that the forms read and write.
    results : list of Ref
        What its skeletons write.
    offsets : list of (int, int)
        Of each access the storage, -1 for a position, and how far beyond its base.
    constants, numbers : list of int
        The constants of the forms, and those of skeletons.
    complex : frozenset of int
        Those of them that are complex.
    taken : list of (int, int)
        Those whose memory is from then on that of another one, which is not needed any more.
    freed : list of int
        Those that are not needed any more.
    whole : list of Ref
        What it reads besides its forms: all of these views.
    launches : int
        How many launches a driver counts for it.
    """

    stages: list[Any] = cython.declare(list, visibility="public")
    rooms: list[Any] = cython.declare(list, visibility="public")
    forms: list[Any] = cython.declare(list, visibility="public")
    pointers: list[Any] = cython.declare(list, visibility="public")
    results: list[Any] = cython.declare(list, visibility="public")
    offsets: list[Any] = cython.declare(list, visibility="public")
    fresh: list[Any] = cython.declare(list, visibility="public")
    constants: list[Any] = cython.declare(list, visibility="public")
    numbers: list[Any] = cython.declare(list, visibility="public")
    complex: Any = cython.declare(object, visibility="public")
    taken: list[Any] = cython.declare(list, visibility="public")
    freed: list[Any] = cython.declare(list, visibility="public")
    whole: list[Any] = cython.declare(list, visibility="public")
    launches: int = cython.declare(cython.Py_ssize_t, visibility="public")
    values: list[Any] | None = cython.declare(list)
    packed: list[Any] = cython.declare(list)

    def __init__(
        self,
        stages: Sequence[Any] = (),
        rooms: Sequence[Any] = (),
        forms: Sequence[Any] = (),
        pointers: Sequence[int] = (),
        results: Sequence[Any] = (),
        offsets: Sequence[tuple[int, int]] = (),
        fresh: Sequence[tuple[int, int]] = (),
        constants: Sequence[int] = (),
        numbers: Sequence[int] = (),
        complex: frozenset[int] = frozenset(),
        taken: Sequence[tuple[int, int]] = (),
        freed: Sequence[int] = (),
        whole: Sequence[Any] = (),
    ) -> None:
        self.stages = list(stages)
        self.rooms = list(rooms)
        self.forms = list(forms)
        self.pointers = list(pointers)
        self.results = list(results)
        self.offsets = list(offsets)
        self.fresh = list(fresh)
        self.constants = list(constants)
        self.numbers = list(numbers)
        self.complex = complex
        self.taken = list(taken)
        self.freed = list(freed)
        self.whole = list(whole)
        self.launches = len(self.stages)

    @cython.ccall
    def run(self, device: Any, listed: Arguments, unfinished: list[Any]) -> object:
        """Launch it; what a skeleton takes the place of is prepared."""
        asked: list[Any] = []
        found: object = self.ask(device, listed, asked)
        if len(asked) == 1:
            kernel, grid, buffers, arguments, elements = asked[0]
            launch(device, kernel, grid, buffers, arguments, elements)
        elif asked:
            unfinished.extend(asked)
            go_on(device, unfinished)
        return found

    @cython.ccall
    def ask(self, device: Any, listed: Arguments, asked: list[Any]) -> object:
        """Have memory for what it writes, and append its launches, ready, to a list."""
        storage: Storage
        slot: cython.Py_ssize_t
        beyond: cython.Py_ssize_t
        storages: list[Any] = listed.storages
        bases: list[Any] = listed.bases
        _have_room(device, self.fresh, storages)
        buffers: list[Any] = []
        for slot in self.pointers:
            storage = storages[slot]
            if type(storage.buffer) is _ndarray:
                storage.settle()
            buffers.append(storage.buffer)
        values: list[Any] = []
        for slot, beyond in self.offsets:
            values.append(0 if slot < 0 else bases[slot] + beyond)
        if self.constants:
            self._add_constants(self.constants, listed.constants, values)
        if not self.stages:
            read = [storages[slot] for slot in self.pointers]
            (form,) = self.forms
            return Prepared(form, read, [*form.numbers, *values])
        places: list[Any] = []
        numbers: list[Any] = []
        if self.rooms or self.results:
            for one in self.rooms:
                places.append(room(device, one) if isinstance(one, int) else one.buffer())
            for ref in self.results:
                storage = storages[ref.slot]
                places.append(storage.buffer)
        if self.numbers:
            self._add_constants(self.numbers, listed.constants, numbers)
        # Where nothing but offsets comes from the tape, these are often what they were.
        is_packed: cython.bint = values == self.values
        if not is_packed:
            self.values = None if self.constants or self.numbers else values
            self.packed = [_packed(stage, values, numbers) for stage in self.stages]
        number: cython.Py_ssize_t = 0
        for stage in self.stages:
            kernel, grid, elements, _, at, takes_form, _, _ = stage
            pointers: list[Any] = buffers
            if at or not takes_form:
                pointers = [*(buffers if takes_form else []), *[places[one] for one in at]]
            asked.append((kernel, grid, pointers, self.packed[number], elements))
            number += 1
        return None

    @cython.cfunc
    def _add_constants(
        self, numbers: list[Any], constants: list[Any], found: list[Any]
    ) -> cython.void:
        """Append constants as arguments, the complex ones as two."""
        number: cython.Py_ssize_t
        for number in numbers:
            value = constants[number]
            if self.complex and number in self.complex:
                found.append(value.real)
                found.append(value.imag)
            else:
                found.append(value)

    @cython.ccall
    def end(self, storages: list[Any]) -> object:
        """Do what follows the launches."""
        storage: Storage
        other: Storage
        slot: cython.Py_ssize_t
        at: cython.Py_ssize_t
        for slot, at in self.taken:
            storage = storages[slot]
            other = storages[at]
            storage.buffer = other.buffer
            other.buffer = None
        for slot in self.freed:
            storage = storages[slot]
            storage.buffer = None
        return None


@cython.cfunc
def _have_room(device: Any, fresh: list[Any], storages: list[Any]) -> cython.void:
    """Have memory for storages that are written for the first time."""
    storage: Storage
    slot: cython.Py_ssize_t
    nbytes: cython.Py_ssize_t
    for slot, nbytes in fresh:
        storage = storages[slot]
        if storage.buffer is None:
            storage.buffer = room(device, nbytes)


@cython.cfunc
def _packed(stage: Any, values: list[Any], numbers: list[Any]) -> object:
    """The arguments of a stage, packed."""
    arguments: list[Any] = list(stage.indices)
    if stage.takes_form:
        arguments.extend(values)
    if stage.takes_numbers:
        arguments.extend(numbers)
    return stage.kernel.arguments.pack(*arguments)


@cython.cclass
class HostCall(Call):
    """A step of a program: what NumPy computes in the same memory, with the bits of a kernel.

    Attributes
    ----------
    host : function
        Is given the driver and, as its `views` say, arrays and scalars.
    places : list
        The operands, and the target if there is one: the number of a constant, or a view: its
        storage, and how far beyond the first view it begins.
    made : int
        The storage that is new, -1 for none, of `nbytes` bytes; where nobody holds it, `passes`.
    """

    host: Any = cython.declare(object, visibility="public")
    places: list[Any] = cython.declare(list, visibility="public")
    made: int = cython.declare(cython.Py_ssize_t, visibility="public")
    nbytes: int = cython.declare(cython.Py_ssize_t, visibility="public")
    passes: bool = cython.declare(cython.bint, visibility="public")

    @cython.ccall
    def run(self, device: Any, listed: Arguments, unfinished: list[Any]) -> object:
        """Compute it."""
        storage: Storage
        slot: cython.Py_ssize_t
        beyond: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        storages: list[Any] = listed.storages
        if self.made >= 0:
            storage = storages[self.made]
            if storage.buffer is None:
                if self.passes or self.nbytes <= _KEPT_NBYTES:
                    storage.buffer = numpy.empty(self.nbytes, numpy.uint8)
                else:
                    storage.buffer = room(device, self.nbytes)
        values: list[Any] = []
        kinds: list[Any] = self.host.views
        for place in self.places:
            kind = kinds[at]
            at += 1
            if isinstance(place, tuple):
                slot, beyond = place
                storage = storages[slot]
                beyond += listed.bases[slot]
                if type(kind) is InMemory:
                    values.append(array_in(kind, memory_of(storage), beyond))
                else:
                    values.append(kind.array(memory_of(storage), beyond))
            else:
                values.append(kind(listed.constants[place]))
        self.host(device.driver, values)
        return None


@cython.cclass
class LibraryCall(Call):
    """A step of a program: what a library computes of whole views.

    Attributes
    ----------
    work : function
        Is given nodes: the operands and, last, the result.
    views : list of (Structure, int, int)
        Of each its structure, its storage, and how far beyond the first view it begins.
    """

    work: Any = cython.declare(object, visibility="public")
    views: list[Any] = cython.declare(list, visibility="public")

    @cython.ccall
    def run(self, device: Any, listed: Arguments, unfinished: list[Any]) -> object:
        """Have it computed."""
        slot: cython.Py_ssize_t
        beyond: cython.Py_ssize_t
        _have_room(device, self.fresh, listed.storages)
        nodes: list[Any] = []
        for how, slot, beyond in self.views:
            nodes.append(_view(listed.storages[slot], how, listed.bases[slot] + beyond))
        self.work(nodes)
        return None


@cython.ccall
def host_calls(trace: Trace, hosts: list[Any], states: tuple[Any, ...]) -> list[Any]:
    """A step for each instruction of a list, of what computes it on the host; some have none."""
    opcode: Opcode
    how: Structure
    call: HostCall
    at: cython.Py_ssize_t = 0
    slot: cython.Py_ssize_t
    slots: cython.Py_ssize_t = 0
    constants: cython.Py_ssize_t = 0
    number: cython.Py_ssize_t = 0
    none: list[Any] = []
    calls: list[Any] = []
    for opcode in trace.opcodes:
        places: list[Any] = []
        for how in opcode.named:
            if how.pattern is None:
                places.append(constants)
                constants += 1
                continue
            code = trace.codes[at]
            at += 1
            if isinstance(code, tuple):
                slot = code[0]
                places.append(code)
            else:
                slot = code
                places.append((slot, 0))
            if slot >= slots:
                slots = slot + 1
        call = HostCall.__new__(HostCall)
        call.host = hosts[number]
        call.places = places
        call.made = -1
        call.taken = none
        call.freed = none
        call.launches = 1
        if opcode.is_fresh:
            places.append((slots, 0))
            call.made = slots
            call.nbytes = opcode.nbytes
            call.passes = not is_held(states[slots])
            slots += 1
        calls.append(call)
        number += 1
    return calls


@cython.ccall
def memory_of(storage: Storage) -> object:
    """The memory of a storage that NumPy may work in, once what was asked of it is done."""
    if type(storage.buffer) is _ndarray:
        return storage.buffer
    return storage.device.driver.window(storage.buffer, "B")


@cython.cclass
class Program:
    """What a list of instructions becomes: its steps, once for each list that differs.

    Attributes
    ----------
    trace, states : Trace, tuple of int
        The instructions on which views, and what the tape says of the storages.
    steps : list of Call
        What runs now.
    members : list
        The instructions of each step, by number.
    unread : list of int
        The storages that nobody holds and no step needs.
    spare : list of int
        The bytes of storages beyond those that are named, whose memory others take.
    is_final : bool
        Whether other steps never take the place of these.
    runs : int
        How often it was to run before it was final.
    turns : int
        How often it ran since, up to 2.
    sequences : list or None
        What asks a driver for all launches at once, up to a library's work or the end; from the
        second turn on, where it has that.
    """

    trace: Trace = cython.declare("Trace", visibility="public")
    states: tuple[int, ...] = cython.declare(tuple, visibility="public")
    steps: list[Any] = cython.declare(list, visibility="public")
    members: list[Any] = cython.declare(list, visibility="public")
    unread: list[Any] = cython.declare(list, visibility="public")
    spare: list[Any] = cython.declare(list, visibility="public")
    is_final: bool = cython.declare(cython.bint, visibility="public")
    runs: int = cython.declare(cython.Py_ssize_t, visibility="public")
    turns: int = cython.declare(cython.Py_ssize_t, visibility="public")
    sequences: list[Any] | None = cython.declare(list, visibility="public")
    is_single: bool = cython.declare(cython.bint)
    is_ahead: bool = cython.declare(cython.bint)

    def __init__(self, trace: Trace, states: tuple[int, ...]) -> None:
        self.trace = trace
        self.states = states
        self.steps = []
        # Until the steps are there, one that is not done holds all instructions.
        self.members = [range(len(trace.opcodes))]
        self.unread = []
        self.spare = []

    def choose(self) -> None:
        """Have steps; the class that is made of it says which."""
        raise NotImplementedError

    def prepare(self) -> list[Any]:
        """Have the kernels; the steps, which are final."""
        raise NotImplementedError

    @cython.cfunc
    def run(self, listed: Arguments, done: list[Any], unfinished: list[Any]) -> object:
        """Run all steps; what a skeleton takes the place of is prepared.

        To `done` something is appended for each step that is done before the last one.
        """
        if not self.is_final:
            self.choose()
        for nbytes in self.spare:
            listed.storages.append(Storage(self.trace.device, nbytes))
        if _hooks.run is not None:
            with _hooks.run(self, listed.numbers, done):
                return self.go(listed, done, unfinished)
        if self.is_final:
            if self.turns < 2:
                self.turns += 1
            if self.turns == 2 and _hooks.launch is None:
                return self._go_at_once(listed, done, unfinished)
            return self.go(listed, done, unfinished)
        return dtypes.quietly(self.go, listed, done, unfinished)

    @cython.ccall
    def go(self, listed: Arguments, done: list[Any], unfinished: list[Any]) -> object:
        """The loop over the steps."""
        step: Call
        storage: Storage
        slot: cython.Py_ssize_t
        number: cython.Py_ssize_t = 0
        found: object = None
        device = self.trace.device
        storages: list[Any] = listed.storages
        count: cython.Py_ssize_t = len(self.steps)
        for slot in self.unread:
            storage = storages[slot]
            storage.buffer = None
        for step in self.steps:
            found = step.run(device, listed, unfinished)
            step.end(storages)
            number += 1
            if number < count:
                done.append(number)
        return found

    @cython.cfunc
    def _go_at_once(self, listed: Arguments, done: list[Any], unfinished: list[Any]) -> object:
        """The same, many launches by one call of the driver, where it has that."""
        if self.sequences is None:
            self.sequences = []
            held = self.trace.device.info.memory_nbytes // tuning.HELD_PART
            self.is_single = self._between(listed.storages) > held
        if self.is_single:
            return self.go(listed, done, unfinished)
        device = self.trace.device
        step: Call
        storage: Storage
        slot: cython.Py_ssize_t
        number: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t = 0
        is_short: cython.bint = False
        found: object = None
        asked: list[Any] = []
        storages: list[Any] = listed.storages
        driver = device.driver
        launched = driver.launched
        for slot in self.unread:
            storage = storages[slot]
            storage.buffer = None
        try:
            for step in self.steps:
                if isinstance(step, LibraryCall):
                    if asked:
                        self._ask(-1 if is_short else at, asked, unfinished)
                        at += 1
                    step.run(device, listed, unfinished)
                    launched = driver.launched
                else:
                    try:
                        found = step.ask(device, listed, asked)
                    except MemoryError:
                        # What is asked for holds what it frees until it is launched.
                        self._ask(-1, asked, unfinished)
                        launched = driver.launched
                        is_short = True
                        found = step.ask(device, listed, asked)
                step.end(storages)
                number += 1
            if asked:
                self._ask(-1 if is_short else at, asked, unfinished)
        except BaseException:
            # What an earlier step was to free is free, so that these are done; the tape sees to it.
            done.extend(range(1, number + 1))
            self.is_ahead = True
            if driver.launched == launched:
                unfinished.extend(asked)
            raise
        return found

    @cython.cfunc
    def _ask(self, at: cython.Py_ssize_t, asked: list[Any], unfinished: list[Any]) -> cython.void:
        """Have the driver do launches: by the sequence of a number, or one by one."""
        device = self.trace.device
        assert self.sequences is not None
        if at == len(self.sequences):
            self.sequences.append(device.driver.sequence(asked))
        if at >= 0:
            sequence = self.sequences[at]
            if sequence is not None and sequence.run(asked):
                _counts.launches += len(asked)
                asked.clear()
                return
            self.is_single = sequence is None
        unfinished.extend(asked)
        asked.clear()
        go_on(device, unfinished)

    def _between(self, storages: list[Any]) -> int:
        """The bytes that are freed before the last step, and would be held until all is asked."""
        nbytes = 0
        made = {slot for call in self.steps for slot, _ in call.fresh}
        for call in self.steps:
            nbytes += sum([one for one in call.rooms if isinstance(one, int)])
            if call is not self.steps[len(self.steps) - 1]:
                for slot in (*call.freed, *[slot for slot, _ in call.taken]):
                    if slot in made or storages[slot].buffer is not None:
                        nbytes += storages[slot].nbytes
        return nbytes

    def broken_off(
        self, storages: list[Any], launched: int, done: list[int], unfinished: list[Any]
    ) -> None:
        """Note what a run did that was broken off after some launches.

        A signal's handler may have come between a launch and what follows it. Work of several
        launches that has begun counts as done, since the tape finishes it.
        """
        number = len(done)
        if self.is_ahead or number >= len(self.steps):
            self.is_ahead = False
            return
        if launched > sum([call.launches for call in self.steps[:number]]):
            self.steps[number].end(storages)
            done.append(number + 1)
        else:
            unfinished.clear()

    def failed(self, done: Sequence[int]) -> frozenset[int]:
        """The instructions of the first step that is not done, by number."""
        return frozenset[int]().union(*self.members[len(done) : len(done) + 1])

    def left(self, done: Sequence[int]) -> frozenset[int]:
        """The instructions that have yet to run, by number, where a run was broken off.

        Those that nobody needs are none of them: their operands may have lost their memory.
        """
        return frozenset[int]().union(*self.members[len(done) :])


@cython.cclass
class Trace:
    """A list of instructions on some views, and what it becomes, by which storages are held.

    Attributes
    ----------
    codes : tuple
        Of each view the number of its storage, and how far beyond that's first view it begins.
    sizes : frozenset of int
        The bytes of its results.
    """

    device: Any = cython.declare(object, visibility="public")
    opcodes: tuple[Any, ...] = cython.declare(tuple, visibility="public")
    codes: tuple[Any, ...] = cython.declare(tuple, visibility="public")
    sizes: Any = cython.declare(object, visibility="public")
    programs: dict[Any, Any] = cython.declare(dict, visibility="public")

    def __init__(self, device: Device, opcodes: tuple[Opcode, ...], codes: tuple[Any, ...]) -> None:
        self.device = device
        self.opcodes = opcodes
        self.codes = codes
        self.sizes = frozenset([opcode.nbytes for opcode in opcodes if opcode.is_fresh])
        self.programs = {}

    @cython.ccall
    def program(self, states: tuple[Any, ...]) -> Program:
        """The program where storages are in some states."""
        found: Program | None = self.programs.get(states)
        if found is None:
            if len(self.programs) >= tuning.PROGRAMS:
                self.programs.clear()
            found = self.device.tape.make(self, states)
            self.programs[states] = found
        return found


# -- the tape --------------------------------------------------------------------------------------


def _have_memory(steps: list[Any]) -> None:
    """Give NumPy's memory to what steps write that has none, though they do not make it.

    What made it has run, as a variable of a kernel: all of it is written anew.
    """
    made: set[int] = set()
    step: Step
    for step in steps:
        if step.fresh is not None:
            made.add(step.fresh.serial)
        elif step.opcode.target is not None:
            storage = step.written
            if storage.buffer is None and storage.serial not in made:
                storage.buffer = numpy.empty(storage.nbytes, numpy.uint8)


_list_mark = cython.declare(cython.Py_ssize_t, 0)


def _carried(steps: list[Step]) -> list[int]:
    """The bytes that have to be stored if a tape is cut, for each number of steps before the cut.

    They are those of new storages which a step before it writes and one behind it reads; or none
    does, as of yet. Each counts as one byte more, so that of as many bytes the fewest storages are
    the least. Those that are stored in any case, as not all of it is read at each item's own
    place, do not count, unless they are written in parts, which may be one kernel.
    """
    global _list_mark
    step: Step
    maker: Step
    node: Node
    storage: Storage | None
    number: cython.Py_ssize_t = 0
    nbytes: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = len(steps)
    changes: list[Any] = [0] * (count + 2)
    ends: list[Any] = [count] * count
    stays: set[int] = set()
    parts: set[int] = set()
    mark: cython.Py_ssize_t = _list_mark + 1
    _list_mark = mark
    for step in steps:
        for node in step.nodes:
            storage = node.storage
            if storage is not None and storage.list_mark == mark:
                ends[storage.slot] = number
                pattern = node.structure.pattern
                maker = steps[storage.slot]
                is_whole = pattern.size * node.structure.dtype.itemsize == storage.nbytes
                if not is_whole or step.opcode.operation.strays > maker.opcode.operation.strays:
                    stays.add(storage.slot)
        storage = step.fresh
        if storage is None and step.opcode.target is not None:
            node = step.nodes[len(step.nodes) - 1]
            storage = node.storage
            if storage is not None and storage.list_mark == mark:
                parts.add(storage.slot)
            storage = None
        if storage is not None:
            storage.list_mark = mark
            storage.slot = number
            changes[number + 1] += storage.nbytes + 1
        number += 1
    number = 0
    stays -= parts
    for step in steps:
        storage = step.fresh
        if storage is not None:
            changes[(number if number in stays else ends[number]) + 1] -= storage.nbytes + 1
        number += 1
    found: list[int] = []
    for number in range(count + 1):
        nbytes += changes[number]
        found.append(nbytes)
    return found


_epoch = cython.declare(cython.Py_ssize_t, 0)


@cython.cfunc
def _next_epoch() -> cython.Py_ssize_t:
    global _epoch
    _epoch += 1
    return _epoch


@cython.cclass
class Tape:
    """What was asked of a device and has not run.

    Threads append to `steps` without a lock, since a list is changed by one at a time; what runs
    holds the device's.

    Attributes
    ----------
    make : type of Program
        What lists of instructions become.
    mark : int
        What storages that are written to bear, until that has run.
    aside : list of Step
        What failed, and what depends on that: it runs again when its value is asked for.
    """

    device: Any = cython.declare(object, visibility="public")
    make: Any = cython.declare(object, visibility="public")
    steps: list[Any] = cython.declare(list, visibility="public")
    aside: list[Any] = cython.declare(list, visibility="public")
    unfinished: list[Any] = cython.declare(list, visibility="public")
    cycles: Any = cython.declare(object, visibility="public")
    most: int = cython.declare(cython.Py_ssize_t, visibility="public")
    shared: dict[int, int] = cython.declare(dict)
    kept: dict[int, int] = cython.declare(dict)
    mark: int = cython.declare(cython.Py_ssize_t, visibility="public")
    is_running: bool = cython.declare(cython.bint, visibility="public")

    def __init__(self, device: Device, make: type[Program]) -> None:
        self.device = device
        self.shared = device.shared
        self.kept = device.kept
        self.make = make
        self.steps = []
        self.aside = []
        self.unfinished = []
        self.cycles = Cycles(_carried)
        self.most = self.cycles.most
        self.mark = _next_epoch()

    @cython.ccall
    def writes(self, storage: Storage) -> cython.bint:
        """Whether an instruction, or what is unfinished, may write a storage."""
        if self.unfinished or storage.buffer is None:
            return True
        return storage.mark == self.mark or storage.mark == _ASIDE

    def compute(self, storage: Storage) -> None:
        """Run what writes a storage, and all that was asked for with it."""
        _counts.looks += 1
        if self.is_running or self.writes(storage):
            self.run()
        if self.aside and (self.writes(storage) or self._is_behind(storage)):
            self._put_first(self.aside)
            self.run()

    def _is_behind(self, storage: Storage) -> bool:
        """Whether what is aside may write a storage's memory by another name."""
        shared = self.device.shared
        return storage.serial in shared and any(
            [step.written.serial in shared for step in self.aside]
        )

    def copied(self, storage: Storage, copy: Operation) -> Node | None:
        """What is in memory, and the last instruction copies to a new storage; None for others."""
        _counts.looks += 1
        if self.is_running or self.unfinished or self.aside or not self.steps:
            return None
        step: Step = self.steps[len(self.steps) - 1]
        if step.fresh is not storage or step.opcode.operation is not copy:
            return None
        node: Node = step.nodes[0]
        return None if node.storage is None or self.writes(node.storage) else node

    @cython.ccall
    def names(self, storage: Storage) -> cython.bint:
        """Whether an instruction, or what is unfinished, may write or read a storage."""
        if self.unfinished:
            return True
        if not self.steps and not self.aside:
            return False
        step: Step
        node: Node
        for step in [*self.steps, *self.aside]:
            for node in step.nodes:
                if node.storage is storage:
                    return True
            if step.fresh is storage:
                return True
        return False

    def has_no_axes(self) -> bool:
        """Whether all instructions are for one element each, so that no kernel becomes two."""
        return bool(self.steps) and not any([step.opcode.shape for step in self.steps])

    def end(self) -> None:
        """Run everything now that an instruction is complete; unless a finalizer asked for it."""
        with self.device.lock:
            if not self.is_running:
                self.run()

    def cut(self) -> None:
        """Run what stands on a full tape up to where a loop's body ended."""
        with self.device.lock:
            # Another thread may have cut it meanwhile.
            if len(self.steps) >= self.most and not self.is_running:
                count = self.cycles.end(list(self.steps))  # others append
                self.most = self.cycles.most
                if count:
                    self._run(count)

    # -- running ---------------------------------------------------------------------------------

    def run(self) -> None:
        """Run everything."""
        if self.steps or self.aside or self.unfinished or self.is_running:
            self.cycles.forget()
            self.most = self.cycles.most
            self._run(len(self.steps))

    def release(self, is_written: Callable[[Storage], bool]) -> None:
        """Run everything; also what is aside, if it names a storage that is written next.

        What writes is not on the tape, so nothing else would keep the order.
        """
        self.run()
        step: Step
        for step in self.aside:
            named = [node.storage for node in step.nodes if node.storage is not None]
            if any([is_written(storage) for storage in [step.written, *named]]):
                self._put_first(self.aside)
                self.run()
                return

    def ask(self, call: Callable[..., Any], *given: Any) -> None:
        """Have the driver do what is not on the tape; whoever calls holds the device's lock.

        A finalizer that launched something before this has ended would have a driver take its
        queue for empty, and a kernel for one with other arguments.
        """
        self.is_running = True
        try:
            call(*given)
        finally:
            self.is_running = False
            end_before_others(self.device)

    def consume(self, opcode: Opcode, node: Node) -> Prepared:
        """Run everything but the kernel that a skeleton, which takes a value, will be."""
        step: Step = _step(opcode, (node,), None, None, _next_number())
        self.steps.append(step)
        try:
            prepared: Any = self._run(len(self.steps))
        except BaseException:
            if step in self.steps:  # what failed came before it
                self.steps.remove(step)
            raise
        assert prepared is not None
        return prepared

    @cython.cfunc
    def _run(self, count: cython.Py_ssize_t) -> object:
        """Run the first instructions.

        If one fails, those that have not run stay on the tape, but what depends on it goes aside.
        """
        if self.is_running:
            raise RuntimeError(
                errors.message(
                    f"{self.device}",
                    "a value was asked for while work is being launched",
                    "finalizers and signal handlers may not ask for one",
                )
            )
        # Before anything is made: a finalizer that runs meanwhile would run what is listed here.
        self.is_running = True
        _counts.looks += 1
        others_see: cython.bint = False
        listed: Arguments | None = None
        try:
            others_see = bool(self.shared)
            listed = Arguments([], [], [], [])
            # No slice: while a compiled one makes its list, a finalizer may write to the tape.
            steps: list[Any] = list(self.steps)
            del steps[count:]
            return self._run_listed(steps, listed)
        finally:
            self.is_running = False
            if others_see and (listed is None or self._sees(listed.storages)):
                end_before_others(self.device)

    @cython.cfunc
    def _sees(self, storages: list[Any]) -> cython.bint:
        """Whether others see the memory of one of the storages, or what they are is not known."""
        shared = self.device.shared
        return not storages or any([storage.serial in shared for storage in storages])

    @cython.cfunc
    def _run_listed(self, steps: list[Any], listed: Arguments) -> object:
        """Run instructions that are the first on the tape."""
        trace: Trace | None = None
        program: Program | None = None
        device = self.device
        driver = device.driver
        launched = driver.launched
        done: list[Any] = []
        try:
            if self.unfinished:
                go_on(device, self.unfinished)
                end_before_others(device)
            launched = driver.launched
            trace = self._listed(self._taken(steps), listed)
            steps.clear()  # they hold storages
            program = trace.program(self._states(listed, trace.sizes))
            return program.run(listed, done, self.unfinished)
        except BaseException as error:
            if trace is None:
                listed.clear()
                if steps and not (self.steps and self.steps[0] is steps[0]):
                    self._put_first(steps)
                raise
            steps.clear()
            if program is not None:
                launched = driver.launched - launched
                program.broken_off(listed.storages, launched, done, self.unfinished)
            self._keep_left(trace, listed, program, done, error)
            raise

    def _keep_left(
        self,
        trace: Trace,
        listed: Arguments,
        program: Program | None,
        done: list[int],
        error: BaseException,
    ) -> None:
        """Have on the tape, or aside, what has yet to run after an error."""
        opcodes = trace.opcodes
        everything = frozenset(range(len(opcodes)))
        failed = everything if program is None else program.failed(done)
        names = dict.fromkeys([opcodes[at].operation.name for at in sorted(failed)])
        error.add_note(f"{self.device} was computing {', '.join(names)}")
        left = failed if program is None else program.left(done)
        marked = [(at in failed, step) for at, step in enumerate(_steps(trace, listed))
                  if at in left and step is not None]  # fmt: skip
        listed.clear()
        _have_memory([step for _, step in marked])
        traceback.clear_frames(error.__traceback__)  # else it holds them
        if isinstance(error, Exception):
            self._put_first(self._sorted_out(marked))
        else:
            self._put_first([step for _, step in marked])

    @cython.cfunc
    def _taken(self, steps: list[Any]) -> list[Any]:
        """The first instructions, which leave the tape; those of them that may run."""
        mark: cython.Py_ssize_t = _next_epoch()
        del self.steps[: len(steps)]
        # No call in between, behind which a finalizer may write and another thread go on.
        if not self.steps:
            self.mark = mark
        if not self.aside:
            return steps
        marked = [(False, step) for step in steps]
        steps.clear()
        return self._sorted_out(marked)

    def _sorted_out(self, marked: list[tuple[bool, Step]]) -> list[Any]:
        """The instructions that do not depend on one that failed; the others go, or stay, aside.

        Those that have just failed bear True. If none has, and others see memory that one which
        would go reads or writes, all are tried again.
        """
        shared = set() if any([failed for failed, _ in marked]) else {*self.device.shared}
        marked += [(True, step) for step in self._needed(self.aside)]
        marked.sort(key=_number_of)
        self.aside = []
        steps: list[Any] = []
        later: list[Any] = []
        read: set[int] = set()
        written: set[int] = set()
        while marked:
            has_failed, step = marked.pop(0)
            reads = {node.storage.serial for node in step.nodes if node.storage is not None}
            writes = step.written.serial
            if has_failed or reads & written or writes in written or writes in read:
                if step.opcode.operation.is_consumed or writes in shared or reads & shared:
                    both = [*later, *steps, step, *[step for _, step in marked]]
                    both.sort(key=_place_of)  # whoever asks is told
                    return both
                later.append(step)
                read |= reads
                written.add(writes)
            else:
                steps.append(step)
            del step
        self.aside = self._needed(later)
        for step in self.aside:
            step.written.mark = _ASIDE
        return steps

    def _needed(self, steps: list[Any]) -> list[Any]:
        """Those steps whose results somebody holds, or another one of them needs."""
        listed: Arguments = Arguments([], [], [], [])
        trace: Trace = self._listed(steps, listed)
        steps.clear()  # they hold storages
        states = self._states(listed, trace.sizes)
        wanted = {at for at, state in enumerate(states) if is_held(state)}
        wanted = {listed.storages[at].serial for at in wanted}
        found: list[Any] = []
        for step in reversed([step for step in _steps(trace, listed) if step is not None]):
            if step.written.serial in wanted:
                wanted.update(
                    [node.storage.serial for node in step.nodes if node.storage is not None]
                )
                found.append(step)
        found.reverse()
        return found

    def _put_first(self, steps: list[Any]) -> None:
        """Have instructions on the tape again, before those that are there."""
        if steps is self.aside:
            self.aside = []
        self.steps[:0] = steps
        step: Step
        for step in steps:
            step.written.mark = self.mark

    def would_run(self) -> tuple[Trace, Arguments, Program]:
        """What the tape says, and what would run now; all stays as it is."""
        was_running = self.is_running
        listed: Arguments = Arguments([], [], [], [])
        try:
            self.is_running = True
            # Else the tape itself holds every storage.
            trace: Trace = self._listed(self._taken(list(self.steps)), listed)
            try:
                return trace, listed, trace.program(self._states(listed, trace.sizes))
            finally:
                self._put_first([step for step in _steps(trace, listed) if step is not None])
        finally:
            self.is_running = was_running

    @cython.cfunc
    def _listed(self, steps: list[Any], listed: Arguments) -> Trace:
        """What steps have in common with others like them; what they have not is filled in."""
        global _list_mark
        step: Step
        node: Node
        storage: Storage | None
        beyond: cython.Py_ssize_t
        codes: list[Any] = []
        storages: list[Any] = listed.storages
        bases: list[Any] = listed.bases
        constants: list[Any] = listed.constants
        numbers: list[Any] = listed.numbers
        opcodes: list[Any] = []
        mark: cython.Py_ssize_t = _list_mark + 1
        _list_mark = listed.mark = mark
        for step in steps:
            if step.fresh is None and step.opcode.target is not None:
                node = step.nodes[len(step.nodes) - 1]
                storage = node.storage
                if storage is not None and 2 * node.structure.nbytes > storage.nbytes:
                    storage.most_mark = mark
        for step in steps:
            opcodes.append(step.opcode)
            numbers.append(step.number)
            for node in step.nodes:
                storage = node.storage
                if storage is None:
                    constants.append(node.value)
                elif storage.list_mark == mark:
                    beyond = node.offset - bases[storage.slot]
                    if beyond:
                        codes.append((storage.slot, beyond))
                    else:
                        codes.append(storage.slot)
                else:
                    storage.list_mark = mark
                    storage.slot = len(storages)
                    storages.append(storage)
                    if storage.most_mark == mark and node.offset:
                        bases.append(0)
                        codes.append((storage.slot, node.offset))
                    else:
                        bases.append(node.offset)
                        codes.append(storage.slot)
            if step.scalar is not None:
                constants.append(step.scalar)
            if step.fresh is not None:
                storage = step.fresh
                storage.list_mark = mark
                storage.slot = len(storages)
                storages.append(storage)
                bases.append(0)
        return self._trace(tuple(opcodes), tuple(codes))

    @cython.cfunc
    def _trace(self, opcodes: tuple[Any, ...], codes: tuple[Any, ...]) -> Trace:
        """What is kept of a list of instructions on some views."""
        programs: dict[Any, Any] = self.device.programs
        trace: Trace | None = programs.get(opcodes)
        if trace is None or trace.codes != codes:
            trace = programs.get((opcodes, codes))
            if trace is None:
                trace = Trace(self.device, opcodes, codes)
                remembered(programs, (opcodes, codes), trace)
            remembered(programs, opcodes, trace)  # what runs again is what will run next
        return trace

    @cython.cfunc
    def _states(self, listed: Arguments, sizes: object) -> tuple[Any, ...]:
        """Of each storage whether somebody holds it, and how many bytes are free if not.

        The bytes are none where no result, of one of some `sizes`, could have that memory. While
        functions record otherwise, as in a graph, results stay where they are.
        """
        storage: Storage
        storages: list[Any] = listed.storages
        stays: cython.bint = _hooks.changed > 0
        shared = self.shared
        kept = self.kept
        state: cython.Py_ssize_t
        states: list[Any] = []
        for storage in storages:
            # Held by the list, by the name here and by the call: else somebody has it.
            if (shared and storage.serial in shared) or (kept and id(storage.buffer) in kept):
                state = _ALIVE
            elif held_by(storage) > _hooks.unheld:
                state = _ALIVE
                if storage.most_mark == listed.mark and storage.lender is None and not stays:
                    states.append(_OWN - storage.nbytes)
                    continue
            elif storage.buffer is None or storage.lender is not None:
                state = _DEAD
            else:
                state = storage.nbytes
                if state < _WIDE_NBYTES and state not in sizes:  # type: ignore[operator]
                    state = 0
                states.append(state)
                continue
            states.append(state if storage.nbytes < _WIDE_NBYTES else state + _WIDE)
        return tuple(states)


def _number_of(marked: tuple[bool, Step]) -> int:
    return marked[1].number


def _place_of(step: Step) -> int:
    return step.number


@cython.cfunc
def _unheld() -> cython.Py_ssize_t:
    """The count of what only a list holds; less than any where threads count apart."""
    storage: Storage
    storages: list[Any] = [Storage(None, 0)]  # type: ignore[arg-type]
    count: cython.Py_ssize_t = -1
    if not references.COUNTED:
        return count
    for storage in storages:
        count = held_by(storage)
    return count


hooks.unheld = _unheld()


def _steps(trace: Trace, listed: Arguments) -> Iterator[Step | None]:
    """The instructions again; None for one that is consumed, of whose error its caller is told."""
    codes = iter(trace.codes)
    values = iter(listed.constants)
    named = 0
    for opcode, number in zip(trace.opcodes, listed.numbers, strict=True):
        nodes = []
        for how in opcode.named:
            if how.pattern is None:
                nodes.append(Node(None, how, 0, next(values)))
            else:
                slot, beyond = decoded(next(codes))
                named = max(named, slot + 1)
                nodes.append(Node(listed.storages[slot], how, listed.bases[slot] + beyond))
        fresh = None
        if opcode.is_fresh:
            fresh = listed.storages[named]
            named += 1
        if opcode.operation.is_consumed:
            yield None
        else:
            yield _step(opcode, tuple(nodes), fresh, None, number)


def decoded(code: int | tuple[int, int]) -> tuple[int, int]:
    """The number of a view's storage, and how far beyond the first view of it this one begins."""
    return code if isinstance(code, tuple) else (code, 0)


@cython.ccall
def computed(opcode: Opcode, operands: tuple[Any, ...], scalar: object = None) -> Node:
    """Ask for an instruction that writes a new storage; the view of it.

    A Python scalar stands for the operand that is a constant, between its data type's bounds.
    """
    tape: Tape = opcode.device.tape
    storage: Storage = _made_storage(Storage.__new__(Storage), opcode.device, opcode.nbytes)
    if opcode.constants and scalar is None:
        operands = _frozen(operands)
    if len(tape.steps) >= tape.most:
        tape.cut()
    tape.steps.append(_step(opcode, operands, storage, scalar, _next_number()))
    if _hooks.eager or tape.shared:
        _end(tape, opcode, operands)
    how: Structure = opcode.target
    return _view(storage, how, 0)


@cython.ccall
def recorded(opcode: Opcode, operands: tuple[Any, ...], target: Node | None = None) -> object:
    """Ask for an instruction that writes a storage that exists: the target's, or an operand's."""
    tape: Tape = opcode.device.tape
    nodes: tuple[Any, ...] = operands if target is None else (*operands, target)
    if opcode.constants:
        nodes = _frozen(nodes)
    written: Node = nodes[0] if target is None else target
    storage: Storage | None = written.storage
    assert storage is not None
    if len(tape.steps) >= tape.most:
        tape.cut()
    # Twice, as a finalizer may ask for the value in between, and another thread run the tape.
    storage.mark = tape.mark
    tape.steps.append(_step(opcode, nodes, None, None, _next_number()))
    storage.mark = tape.mark
    if _hooks.eager or tape.shared:
        _end(tape, opcode, nodes)
    return None


@cython.cfunc
def _end(tape: Tape, opcode: Opcode, nodes: tuple[Any, ...]) -> cython.void:
    """Run a tape now if its last instruction may not wait."""
    if _hooks.eager or is_seen(nodes, opcode.device):
        tape.end()


def is_seen(nodes: tuple[Node, ...], device: Device) -> bool:
    """Whether others see the memory that an instruction reads or writes, so that it runs at once.

    No earlier one does: what was on the tape ran when its memory was first seen.
    """
    shared = device.shared
    return any([node.storage is not None and node.storage.serial in shared for node in nodes])


@cython.no_gc
@cython.cclass
class _End:
    """What calls a function when it dies."""

    _function: Any = cython.declare(object)
    _arguments: tuple[Any, ...] = cython.declare(tuple)

    def __init__(self, function: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        self._function = function
        self._arguments = arguments

    def __del__(self) -> None:
        if not _is_finalizing():
            self._function(*self._arguments)


def ended(function: Callable[..., object], *arguments: Any) -> object:
    """Return an object that lives as long as it is held; `function` is called when it dies.

    In garbage that holds it this comes last, when no finalizer can use what goes with it any more:
    the garbage collector does not track it.
    """
    if not cython.compiled:
        token = numpy.empty(0)  # a class of Python's is tracked, and has its `__del__` called first
        weakref.finalize(token, function, *arguments).atexit = False
        return token
    # No Python frame begins, where a signal's handler could raise what nobody would be told of.
    return _End(function, arguments)


def claim(storage: Storage) -> object:
    """Mark a storage as seen by others, see `Device.shared`, as long as the result lives."""
    shared = storage.device.shared
    serial = storage.serial
    with _CLAIMS:
        if serial in shared:
            shared[serial] += 1
        else:
            shared[serial] = 1
    return ended(_unclaim, shared, serial)


def _unclaim(shared: Any, serial: int) -> None:
    # In whichever thread, so without the lock of the device.
    with _CLAIMS:
        shared[serial] -= 1
        if not shared[serial]:
            del shared[serial]


_CLAIMS: Final = threading.RLock()
"""Guards the counts of claims. Nothing is called while it is held, so no garbage is collected."""


@cython.cfunc
def _frozen(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands; the constants are others, which nobody gives a storage."""
    node: Node
    found: list[Any] = []
    for node in operands:
        found.append(node if node.value is None else Node(None, node.structure, 0, node.value))
    return tuple(found)


# -- what operators touch --------------------------------------------------------------------------


@cython.cclass
class Exact:
    """What Python computes of numbers of one type with the bits of a kernel.

    Attributes
    ----------
    takes : type or None
        What `function` is given; None where it may have other bits.
    """

    function: Any = cython.declare(object)
    takes: Any = cython.declare(object)
    is_bool: bool = cython.declare(cython.bint)
    low: Any = cython.declare(object)
    high: Any = cython.declare(object)

    def __init__(self, function: Callable[..., Any], operation: Operation) -> None:
        row = operation.operands[0]
        self.function = function
        self.is_bool = operation.result.kind == dtypes.BOOL
        self.low, self.high = operation.result.bounds
        if operation.operands.count(row) == len(operation.operands):
            self.takes = {dtypes.BOOL: bool, dtypes.REAL: float}.get(row.kind, int)
            if row.kind in dtypes.FLOATING and row is not dtypes.float64:
                self.takes = None

    @cython.ccall
    def of(self, x1: object, x2: object = None) -> object:
        """The result, where the type that it has holds it; else None."""
        takes: Any = self.takes
        if takes is None:
            return None
        x1 = x1 if type(x1) is takes else takes(x1)
        try:
            if x2 is None:
                value = self.function(x1)
            else:
                value = self.function(x1, x2 if type(x2) is takes else takes(x2))
        except (ArithmeticError, ValueError):
            return None
        if self.is_bool:
            return value if type(value) is bool else None
        if type(value) is int:
            return value if self.low <= value <= self.high else None
        return value if type(value) is float and value == value else None


@cython.cclass
class Known:
    """What a function has become, by the operands' structures.

    Attributes
    ----------
    row : object
        The row of the function.
    pairs : dict
        Opcodes, by one structure or two; the type of a Python scalar may stand for one of them,
        then with the bounds of its data type.
    numbers : dict
        By the structure of two numbers: what Python computes, and the structure of the result.
    """

    row: Any = cython.declare(object, visibility="public")
    pairs: dict[Any, Any] = cython.declare(dict, visibility="public")
    numbers: dict[Any, Any] = cython.declare(dict, visibility="public")
    number: int = cython.declare(cython.Py_ssize_t)

    def __init__(self, number: int = -1) -> None:
        self.number = number
        self.pairs = {}
        self.numbers = {}

    def remember(self, key: Any, opcode: Any) -> None:
        """Have an opcode found by the structures of its operands."""
        remembered(self.pairs, key, opcode)
        if self.number >= 0 and isinstance(key, tuple) and key[0] is key[1]:
            how: Structure = key[0]
            how.alike[self.number] = opcode


_NAMES: Final = ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift",
                 "rshift", "lt", "le", "gt", "ge", "eq", "ne", "pow", "neg", "pos", "abs",
                 "invert")  # fmt: skip
OPERATORS: Final = {name: Known(number) for number, name in enumerate(_NAMES)}
"""Of the rows that are operators, by the names of the special methods."""
_ADD = cython.declare(Known, OPERATORS["add"])
_SUB = cython.declare(Known, OPERATORS["sub"])
_MUL = cython.declare(Known, OPERATORS["mul"])
_DIV = cython.declare(Known, OPERATORS["truediv"])
_FLOOR = cython.declare(Known, OPERATORS["floordiv"])
_MOD = cython.declare(Known, OPERATORS["mod"])
_AND = cython.declare(Known, OPERATORS["and"])
_OR = cython.declare(Known, OPERATORS["or"])
_XOR = cython.declare(Known, OPERATORS["xor"])
_LEFT = cython.declare(Known, OPERATORS["lshift"])
_RIGHT = cython.declare(Known, OPERATORS["rshift"])
_LT = cython.declare(Known, OPERATORS["lt"])
_LE = cython.declare(Known, OPERATORS["le"])
_GT = cython.declare(Known, OPERATORS["gt"])
_GE = cython.declare(Known, OPERATORS["ge"])
_EQ = cython.declare(Known, OPERATORS["eq"])
_NE = cython.declare(Known, OPERATORS["ne"])
_NEG = cython.declare(Known, OPERATORS["neg"])
_POS = cython.declare(Known, OPERATORS["pos"])
_ABS = cython.declare(Known, OPERATORS["abs"])
_INVERT = cython.declare(Known, OPERATORS["invert"])


Operand: TypeAlias = (
    "ArrayBase | complex | numpy.ndarray[Any, Any] | numpy.generic | list[Any] | tuple[Any, ...]"
)
"""What an operator takes beside an array."""


@cython.freelist(64)
@cython.cclass
class ArrayBase:
    """The slots of an array and its operators, as far as they are known; else its class is asked.

    The class that is made of it has `_combined`, `_applied`, `_assigned`, `_item`, `_set_item` and
    `_scalar`.
    """

    __weakref__: object
    _node: Node = cython.declare(Node, visibility="public")
    _base: Any = cython.declare(object, visibility="public")
    _locked: bool = cython.declare(cython.bint, visibility="public")
    _kept: bool = cython.declare(cython.bint, visibility="public")

    def __add__(self, other: Operand, /) -> Self:
        return operated(_ADD, self, other)

    def __radd__(self, other: Operand, /) -> Self:
        return operated(_ADD, other, self)

    def __iadd__(self, other: Operand, /) -> Self:
        return _in_place(_ADD, self, other)

    def __sub__(self, other: Operand, /) -> Self:
        return operated(_SUB, self, other)

    def __rsub__(self, other: Operand, /) -> Self:
        return operated(_SUB, other, self)

    def __isub__(self, other: Operand, /) -> Self:
        return _in_place(_SUB, self, other)

    def __mul__(self, other: Operand, /) -> Self:
        return operated(_MUL, self, other)

    def __rmul__(self, other: Operand, /) -> Self:
        return operated(_MUL, other, self)

    def __imul__(self, other: Operand, /) -> Self:
        return _in_place(_MUL, self, other)

    def __truediv__(self, other: Operand, /) -> Self:
        return operated(_DIV, self, other)

    def __rtruediv__(self, other: Operand, /) -> Self:
        return operated(_DIV, other, self)

    def __itruediv__(self, other: Operand, /) -> Self:
        return _in_place(_DIV, self, other)

    def __floordiv__(self, other: Operand, /) -> Self:
        return operated(_FLOOR, self, other)

    def __rfloordiv__(self, other: Operand, /) -> Self:
        return operated(_FLOOR, other, self)

    def __ifloordiv__(self, other: Operand, /) -> Self:
        return _in_place(_FLOOR, self, other)

    def __mod__(self, other: Operand, /) -> Self:
        return operated(_MOD, self, other)

    def __rmod__(self, other: Operand, /) -> Self:
        return operated(_MOD, other, self)

    def __imod__(self, other: Operand, /) -> Self:
        return _in_place(_MOD, self, other)

    def __and__(self, other: Operand, /) -> Self:
        return operated(_AND, self, other)

    def __rand__(self, other: Operand, /) -> Self:
        return operated(_AND, other, self)

    def __iand__(self, other: Operand, /) -> Self:
        return _in_place(_AND, self, other)

    def __or__(self, other: Operand, /) -> Self:
        return operated(_OR, self, other)

    def __ror__(self, other: Operand, /) -> Self:
        return operated(_OR, other, self)

    def __ior__(self, other: Operand, /) -> Self:
        return _in_place(_OR, self, other)

    def __xor__(self, other: Operand, /) -> Self:
        return operated(_XOR, self, other)

    def __rxor__(self, other: Operand, /) -> Self:
        return operated(_XOR, other, self)

    def __ixor__(self, other: Operand, /) -> Self:
        return _in_place(_XOR, self, other)

    def __lshift__(self, other: Operand, /) -> Self:
        return operated(_LEFT, self, other)

    def __rlshift__(self, other: Operand, /) -> Self:
        return operated(_LEFT, other, self)

    def __ilshift__(self, other: Operand, /) -> Self:
        return _in_place(_LEFT, self, other)

    def __rshift__(self, other: Operand, /) -> Self:
        return operated(_RIGHT, self, other)

    def __rrshift__(self, other: Operand, /) -> Self:
        return operated(_RIGHT, other, self)

    def __irshift__(self, other: Operand, /) -> Self:
        return _in_place(_RIGHT, self, other)

    def __lt__(self, other: Operand, /) -> Self:
        return operated(_LT, self, other)

    def __le__(self, other: Operand, /) -> Self:
        return operated(_LE, self, other)

    def __gt__(self, other: Operand, /) -> Self:
        return operated(_GT, self, other)

    def __ge__(self, other: Operand, /) -> Self:
        return operated(_GE, self, other)

    def __eq__(self, other: Operand, /) -> Self:  # type: ignore[override]
        return operated(_EQ, self, other)

    def __ne__(self, other: Operand, /) -> Self:  # type: ignore[override]
        return operated(_NE, self, other)

    def __neg__(self) -> Self:
        return _unary(_NEG, self)

    def __pos__(self) -> Self:
        return _unary(_POS, self)

    def __abs__(self) -> Self:
        return _unary(_ABS, self)

    def __invert__(self) -> Self:
        return _unary(_INVERT, self)

    def __bool__(self) -> bool:
        value = _value(self)
        return bool(self._scalar("bool") if value is None else value)  # type: ignore[attr-defined]

    def __int__(self) -> int:
        value = _value(self)
        if value is None or type(value) is complex:
            value = self._scalar("int")  # type: ignore[attr-defined]
        return int(value)

    def __float__(self) -> float:
        value = _value(self)
        if value is None or type(value) is complex:
            value = self._scalar("float")  # type: ignore[attr-defined]
        return float(value)

    def __index__(self) -> int:
        value = _value(self)
        return value if type(value) is int else self._index()  # type: ignore[attr-defined]

    def __getitem__(self, key: Any, /) -> Self:
        node: Node = self._node
        at: cython.Py_ssize_t = place_of(node, key)
        if at < 0:
            part: Node | None = part_of(node, key)
            if part is not None:
                return _seen(self, part)
        elif not _hooks.transfers:
            value = read(node, at)
            if value is not None:
                return made(number_like(node, value))  # type: ignore[return-value]
        return self._item(key)  # type: ignore[attr-defined]

    def __setitem__(self, key: Any, value: Any, /) -> None:
        node: Node = self._node
        storage: Storage | None = node.storage
        if storage is not None and not (
            self._locked or storage.read_only or node.structure.repeats
        ):
            given: Node | None = None
            number = number_for(node.structure, value)
            at: cython.Py_ssize_t = place_of(node, key)
            if number is not None:
                if at >= 0 and written(node, at, number):
                    return
                given = number_like(node, number)
            elif isinstance(value, ArrayBase):
                given = value._node
            part: Node | None = None
            if given is not None:
                part = part_of(node, key) if at < 0 else _view(storage, _lone_of(node), at)
            if given is not None and part is not None and is_stored(part, given):
                return
        self._set_item(key, value)  # type: ignore[attr-defined]

    def __getbuffer__(self, view: cython.pointer[Py_buffer], flags: cython.int) -> None:
        """Fill a C structure with the memory that `_memory` lends; the compiled class's slot.

        An exception goes on to the caller, and before Python 3.12 no other way does that.
        """
        fill_buffer(_lent(self), view, flags)

    def __buffer__(self, flags: int, /) -> memoryview:
        """Lend the memory; what Python 3.12 and later call where the module is interpreted."""
        return _lent(self)


class _Failed(threading.local):
    """The array whose buffer this thread last asked for in vain, and the exception."""

    array: object = None
    error: BaseException | None = None


_failed: Final = _Failed()


@cython.cfunc
def _lent(x: ArrayBase) -> Any:
    """Return a memoryview of an array's values, after the work that they need.

    NumPy clears any exception that a buffer raises, and tries another way. So the exception is kept
    for `raise_cleared`. It is caught here since no signal's handler runs between a caller in C and
    compiled code; one may run when a Python function begins.
    """
    try:
        raise_cleared(x)
        return x._memory()  # type: ignore[attr-defined]
    except BufferError:  # the array has no buffer, and NumPy is right to try another way
        raise
    except BaseException as error:
        _failed.array, _failed.error = x, error
        raise


def raise_cleared(x: ArrayBase) -> None:
    """Raise the exception of an array's buffer again if no Python caller was told of it."""
    array, error = _failed.array, _failed.error
    if error is None:
        return
    _failed.array = _failed.error = None
    passed = error.__traceback__  # the outermost frame that the exception has passed is the first
    if array is x and passed is not None and passed.tb_frame.f_globals is globals():
        raise error


_kind = cython.declare(type, ArrayBase)


def set_array_type(kind: type[ArrayBase]) -> None:
    """Make arrays of a class from now on."""
    global _kind
    _kind = kind


@cython.ccall
def made(node: Node) -> ArrayBase:
    """The array of a node that is no constant, or one that `number_like` made."""
    result: ArrayBase = _kind.__new__(_kind)
    result._node = node
    return result


@cython.cfunc
def _value(x: ArrayBase) -> Any:
    """The value of a number; None of what has axes or is in a storage."""
    return None if x._node.structure.shape else x._node.value


@cython.ccall
def number_for(how: Structure, value: object) -> object:
    """A value that is written to an element of a structure, if that holds it exactly; or None."""
    if isinstance(value, ArrayBase):
        given: Structure = value._node.structure
        is_alike: cython.bint = given.device is how.device and given.dtype is how.dtype
        return _value(value) if is_alike else None
    if type(value) is float and how.dtype is dtypes.float32:
        low, high = how.dtype.bounds
        return value if low <= value <= high else None  # the write itself rounds
    return value if how.fits(value) else None


@cython.cfunc
def _seen(x: ArrayBase, part: Node) -> Any:
    """The array of a view of an array with axes."""
    result: ArrayBase = _kind.__new__(_kind)
    result._node = part
    result._locked = x._locked
    result._kept = True
    result._base = x if x._base is None else x._base
    return result


@cython.ccall
def operated(known: Known, x1: Any, x2: Any) -> Any:
    """An operator on two operands, one of them an array."""
    found: object = combined(known, x1, x2)
    if found is not None:
        return found
    array: ArrayBase = x1 if isinstance(x1, ArrayBase) else x2
    return array._combined(known.row, x1, x2)  # type: ignore[attr-defined]


@cython.ccall
def combined(known: Known, x1: Any, x2: Any) -> Any:
    """A function of two operands, where it is known for such; else None."""
    first: Node
    second: Node
    how: Structure
    opcode: Opcode | None
    if isinstance(x1, ArrayBase):
        first = x1._node
        how = first.structure
        if first.value is not None:
            number = _of_numbers(known, how, first.value, x2)
            if number is not None:
                return number
        if isinstance(x2, ArrayBase):
            second = x2._node
            opcode = None
            if known.number >= 0 and how is second.structure:
                opcode = how.alike[known.number]
            if opcode is None:
                opcode = known.pairs.get((how, second.structure))
            if opcode is not None and opcode.nbytes:
                return made(computed(opcode, (first, second)))
        elif type(x2) is float or type(x2) is int:
            found = known.pairs.get((how, type(x2)))
            if found is not None and found[1] <= x2 <= found[2]:
                return made(computed(found[0], (first,), x2))
    elif isinstance(x2, ArrayBase):
        second = x2._node
        if second.value is not None:
            number = _of_numbers(known, second.structure, x1, second.value)
            if number is not None:
                return number
        if type(x1) is float or type(x1) is int:
            found = known.pairs.get((type(x1), second.structure))
            if found is not None and found[1] <= x1 <= found[2]:
                return made(computed(found[0], (second,), x1))
    return None


@cython.cfunc
def _of_numbers(known: Known, how: Structure, x1: object, x2: object) -> object:
    """What Python computes of the number of a structure and of another one; None of any other."""
    found = known.numbers.get(how)
    if found is None:
        return None
    if isinstance(x2, ArrayBase):
        x2 = x2._node.value if x2._node.structure is how else None
        if x2 is None:
            return None
    elif not (how.fits(x2) and how.fits(x1)):
        return None
    exact: Exact = found[0]
    value = exact.of(x1, x2)
    return None if value is None else made(_lone(found[1], value))


@cython.cfunc
def _unary(known: Known, x: ArrayBase) -> Any:
    """An operator on one operand."""
    found: object = applied(known, x)
    return x._applied(known.row) if found is None else found  # type: ignore[attr-defined]


@cython.ccall
def applied(known: Known, x: Any) -> Any:
    """A function of one operand, where it is known for such; else None."""
    if not isinstance(x, ArrayBase):
        return None
    opcode: Opcode | None = known.pairs.get(x._node.structure)
    if opcode is None or not opcode.nbytes or x._node.storage is None:
        return None
    return made(computed(opcode, (x._node,)))


@cython.cfunc
def _in_place(known: Known, x1: ArrayBase, x2: object) -> Any:
    """An operator with its result written to the first operand."""
    result: object = operated(known, x1, x2)
    if not x1._kept and not x1._node.structure.shape:
        return result  # a number never changes
    if isinstance(result, ArrayBase) and not x1._locked:
        given: Node = result._node
        if given.structure.dtype is x1._node.structure.dtype and is_stored(x1._node, given):
            return x1
    return x1._assigned(known.row, result)  # type: ignore[attr-defined]


@cython.cfunc
def _integer(item: object) -> Any:
    """An integer of a key, or what stands for one: a number whose value is there; else None."""
    if type(item) is int:
        return item
    value = _value(item) if isinstance(item, ArrayBase) else None
    return value if type(value) is int else None


@cython.cfunc
def _index_of(item: object, extent: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Where an integer of a key is on an axis; -1 for what is no such thing, or beyond an end."""
    number = _integer(item)
    if number is None:
        return -1
    at: cython.Py_ssize_t = number
    if at < 0:
        at += extent
    return at if 0 <= at < extent else -1


@cython.cfunc
def _bound(
    item: object, extent: cython.Py_ssize_t, step: cython.Py_ssize_t, absent: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """A bound of a slice as Python takes it for an extent; `_NEVER` for what is no integer."""
    if item is None:
        return absent
    number = _integer(item)
    if number is None:
        return _NEVER
    at: cython.Py_ssize_t = number
    if at < 0:
        at += extent
        return at if at >= 0 else 0 if step > 0 else -1
    return at if at < extent else extent if step > 0 else extent - 1


@cython.cfunc
def _step_of(item: object) -> cython.Py_ssize_t:
    """The step of a slice; 0 for what is none, or is too long."""
    if item is None:
        return 1
    number = _integer(item)
    step: cython.Py_ssize_t = 0 if number is None else number
    return step if -_LONGEST <= step <= _LONGEST else 0


@cython.ccall
def sliced(
    shape: tuple[Any, ...], strides: tuple[Any, ...], items: tuple[Any, ...], lies: list[Any]
) -> cython.Py_ssize_t:
    """Where what a key of integers, slices, `...` and None names begins.

    Of each axis the extent and the stride are appended to a list. `_NEVER` for other keys, and for
    those that are errors.
    """
    part: slice
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    step: cython.Py_ssize_t
    extent: cython.Py_ssize_t
    stride: cython.Py_ssize_t
    beyond: cython.Py_ssize_t = 0
    axis: cython.Py_ssize_t = 0
    dots: cython.Py_ssize_t = 0
    rest: cython.Py_ssize_t = len(shape) - len(items)  # the axes that the key does not name
    for item in items:
        if item is None:
            rest += 1
        elif item is Ellipsis:
            dots += 1
    rest += dots
    if rest < 0 or dots > 1:
        return _NEVER
    for item in items:
        if item is None:
            lies.append(1)
            lies.append(0)
            continue
        if item is Ellipsis:
            for _ in range(rest):
                lies.append(shape[axis])
                lies.append(strides[axis])
                axis += 1
            continue
        extent = shape[axis]
        stride = strides[axis]
        axis += 1
        if type(item) is not slice:
            start = _index_of(item, extent)
            if start < 0:
                return _NEVER
            beyond += start * stride
            continue
        part = item
        step = _step_of(part.step)
        if not step:
            return _NEVER
        start = _bound(part.start, extent, step, 0 if step > 0 else extent - 1)
        stop = _bound(part.stop, extent, step, extent if step > 0 else -1)
        if start == _NEVER or stop == _NEVER:
            return _NEVER
        stop = (stop - start + step - 1) // step if step > 0 else (start - stop - step - 1) // -step
        if stop <= 0:
            stop = start = 0
        beyond += start * stride
        lies.append(stop)
        lies.append(step * stride)
    while axis < len(shape):
        lies.append(shape[axis])
        lies.append(strides[axis])
        axis += 1
    return beyond


@cython.ccall
def part_of(node: Node, key: object) -> Node | None:
    """The view with axes that a key of integers, slices, `...` and None names; None of others."""
    how: Structure = node.structure
    if how.strides is None or not how.shape:
        return None  # of a number a view is a copy
    lies: list[Any] = []
    beyond: cython.Py_ssize_t
    try:
        beyond = sliced(how.shape, how.strides, key if type(key) is tuple else (key,), lies)
    except OverflowError:  # of an integer that is longer than any axis
        return None
    if beyond == _NEVER or not lies or len(lies) > 2 * _MOST_AXES:
        return None
    name: object = tuple(lies)
    other: Structure | None = how.views.get(name)
    if other is None:
        where = Layout(tuple(lies[::2]), tuple(lies[1::2]))
        other = structure(how.device, how.dtype, where.pattern)
        remembered(how.views, name, other)
    return _view(node.storage, other, node.offset + beyond)


@cython.ccall
def place_of(node: Node, key: object) -> cython.Py_ssize_t:
    """Where the one element lies that a key of integers names; -1 for other keys."""
    how: Structure = node.structure
    strides: tuple[Any, ...] | None = how.strides
    if strides is None or type(key) is slice:
        return -1
    shape: tuple[Any, ...] = how.shape
    items: tuple[Any, ...] = key if type(key) is tuple else (key,)
    if len(items) != len(shape):
        return -1
    at: cython.Py_ssize_t = node.offset
    number: cython.Py_ssize_t
    place: cython.Py_ssize_t
    try:
        for number in range(len(items)):
            place = _index_of(items[number], shape[number])
            if place < 0:
                return -1
            at += place * strides[number]
    except OverflowError:
        return -1
    return at


@cython.cfunc
def _lone_of(node: Node) -> Structure:
    """The structure of one element of a node's storage."""
    how: Structure = node.structure
    if how.lone is None:
        how.lone = structure(how.device, how.dtype, _ELEMENT)
    return how.lone


@cython.ccall
def name_of_store(part: Node, given: Node) -> object:
    """What the view that a node is written to remembers the write by."""
    if given.storage is part.storage:
        return given.structure, given.offset - part.offset
    return given.structure


@cython.ccall
def is_stored(part: Node, given: Node) -> cython.bint:
    """Whether a node was written to a view, if one like it was before; or is that view itself."""
    storage: Storage | None = part.storage
    if storage is None or storage.read_only:
        return False
    is_itself: cython.bint = given.structure is part.structure and given.storage is storage
    if is_itself and given.offset == part.offset:
        return True  # x[key] += value has written already; Python now assigns the view to itself
    opcode = part.structure.stores.get(name_of_store(part, given))
    if opcode is None or are_shared(storage, given.storage):
        return False
    with storage.device.lock:
        storage.writes += 1
        recorded(opcode, (given,), part)
    return True


@cython.ccall
def are_shared(one: Storage, other: Storage | None) -> cython.bint:
    """Whether others see the memory of both, and may have given the same twice."""
    shared = one.device.shared
    if not shared or other is None or one is other:
        return False
    return one.serial in shared and other.serial in shared


# -- calls like earlier ones -----------------------------------------------------------------------

_TRIES = cython.declare(cython.Py_ssize_t, 4)
_MOST_PARTS = cython.declare(cython.Py_ssize_t, 32)


@cython.cclass
class Recipe:
    """What a call has recorded, to be recorded again for arrays like those that it was given.

    A place is one of the nodes, by number: those given, then those made; or a view: of which node's
    storage, its structure, and how far beyond that node it begins; or a constant's node.

    Attributes
    ----------
    steps : list of (Opcode, list, object)
        The instructions: places of the operands and of what is written, if that exists; a scalar.
    results : list of (place, int, bool, bool)
        The arrays that it returns: of which given one each is a view, -1 of none, whether it is
        locked, and whether it is kept. `is_lone` if it is no tuple of them.
    """

    steps: list[Any] = cython.declare(list)
    results: list[Any] = cython.declare(list)
    is_lone: bool = cython.declare(cython.bint)

    @cython.cfunc
    def follow(self, arrays: list[Any]) -> Any:
        """Record it for other arrays; what it returns."""
        opcode: Opcode
        target: Node
        array: ArrayBase
        places: list[Any]
        number: cython.Py_ssize_t
        nodes: list[Any] = []
        for array in arrays:
            nodes.append(array._node)
        for opcode, places, scalar in self.steps:
            operands: list[Any] = []
            for place in places:
                operands.append(_at(nodes, place))
            if opcode.is_fresh:
                nodes.append(computed(opcode, tuple(operands), scalar))
                continue
            target = operands[0] if opcode.target is None else operands.pop()
            with opcode.device.lock:
                target.storage.writes += 1  # type: ignore[union-attr]
                recorded(opcode, tuple(operands), None if opcode.target is None else target)
        found: list[Any] = []
        for place, number, is_locked, is_kept in self.results:
            node = _at(nodes, place)
            array = made(node) if number < 0 else _seen(arrays[number], node)
            array._locked = is_locked
            array._kept = is_kept
            found.append(array)
        return found[0] if self.is_lone else tuple(found)


@cython.cfunc
def _at(nodes: list[Any], place: Any) -> Node:
    """The node of a place of a recipe."""
    node: Node
    beyond: cython.Py_ssize_t
    if type(place) is int:
        return nodes[place]
    if type(place) is tuple:
        number, how, beyond = place
        node = nodes[number]
        return _view(node.storage, how, node.offset + beyond)
    return place


def _recipe(steps: list[Step], arrays: list[ArrayBase], result: Any) -> Recipe | None:
    """What a call recorded that was given arrays; None where it is not told by them alone."""
    known = [array._node for array in arrays]
    numbers = {id(node.storage): number for number, node in reversed(list(enumerate(known)))}

    def place_of_node(node: Node) -> Any:
        if node.storage is None:
            return node
        number = numbers[id(node.storage)]
        base = known[number]
        if base.dtype is not node.dtype:
            raise KeyError(number)  # it begins elsewhere where that one does
        if base.structure is node.structure and base.offset == node.offset:
            return number
        return number, node.structure, node.offset - base.offset

    recipe = Recipe()
    recipe.steps, recipe.results = [], []
    recipe.is_lone = not isinstance(result, tuple)
    try:
        for step in steps:
            places = [place_of_node(node) for node in step.nodes]
            recipe.steps.append((step.opcode, places, step.scalar))
            if step.fresh is not None:
                numbers[id(step.fresh)] = len(known)
                assert step.opcode.target is not None
                known.append(Node(step.fresh, step.opcode.target, 0))
            elif numbers[id(step.written)] < len(arrays):
                return None
        for array in (result,) if recipe.is_lone else result:
            if type(array) is not _kind or array._node.storage is None:
                return None
            if any([array is given for given in arrays]) or 0 in array._node.shape:
                return None  # of no elements it does not matter where they begin
            number = numbers[id(array._node.storage)]
            if (number < len(arrays)) is (array._base is None):
                return None  # what was given, or a view of what is new
            if array._base is None:
                number = -1
            else:
                given = arrays[number]
                if array._base is not (given if given._base is None else given._base):
                    return None
            recipe.results.append((place_of_node(array._node), number, array._locked, array._kept))
    except KeyError:
        return None
    return recipe


TOLD: Final = {type(None), bool, int, str, type, dtypes.DType}
"""The types of arguments that are told by what they are equal to."""


@cython.cfunc
def _tells(value: Any, parts: list[Any], arrays: list[Any]) -> cython.bint:
    """Whether an argument is told by parts of a key, which are appended, and by arrays."""
    number: cython.Py_ssize_t = 0
    node: Node
    other: ArrayBase
    if len(parts) > _MOST_PARTS:
        return False
    if isinstance(value, ArrayBase):
        node = value._node
        if node.storage is None or type(value) is not _kind:
            return False
        parts.append(node.structure)
        if not node.structure.shape:
            parts.append(value._kept)
        if value._locked:
            parts.append(None)
        for other in arrays:
            if other._node.storage is node.storage:
                parts.append(number)
                parts.append(node.offset - other._node.offset)
                break
            number += 1
        arrays.append(value)
        return True
    kind: Any = type(value)
    parts.append(kind)
    if kind is tuple or kind is list:
        parts.append(len(value))
        for one in value:  # noqa: SIM110 - a generator's frame takes longer
            if not _tells(one, parts, arrays):
                return False
        return True
    if kind is float:
        parts.append(value or str(value))  # of two zeros
        return value == value
    parts.append(value)
    return kind in TOLD


@cython.cclass
class Recalled:
    """A function of arrays whose instructions are recorded again where a call is like earlier ones.

    It depends on nothing but its arguments, and on no state but what `Hooks` tell of.

    Attributes
    ----------
    recipes : dict
        By what calls have in common, the Recipe, or how often there was such a call without one.
    """

    function: Any = cython.declare(object, visibility="public")
    recipes: dict[Any, Any] = cython.declare(dict, visibility="public")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.recipes = {}

    @cython.ccall
    def call(self, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The result for arguments, by position and by name."""
        arrays: list[Any] = []
        key = None if _hooks.eager or _hooks.changed else _key_of(given, named, arrays)
        if key is None:
            return self.function(*given, **named)
        recipe: Recipe
        found = self.recipes.get(key)
        if isinstance(found, Recipe):
            recipe = found
            return recipe.follow(arrays)
        tries: cython.Py_ssize_t = 0 if found is None else found
        if tries > _TRIES:
            return self.function(*given, **named)
        remembered(self.recipes, key, tries + 1)
        if not tries:
            return self.function(*given, **named)
        array: ArrayBase = arrays[0]
        tape: Tape = array._node.structure.device.tape
        count = len(tape.steps)
        looks = _counts.looks
        warned = errors.warned
        result = self.function(*given, **named)
        if looks == _counts.looks and warned == errors.warned:
            made_of = _recipe(list(tape.steps)[count:], arrays, result)  # others append
            if made_of is not None:
                remembered(self.recipes, key, made_of)
        return result


@cython.cfunc
def _key_of(given: tuple[Any, ...], named: dict[str, Any], arrays: list[Any]) -> object:
    """What calls have in common that record the same; None where that is not told."""
    parts: list[Any] = []
    for value in given:
        if not _tells(value, parts, arrays):
            return None
    for name, value in named.items():
        parts.append(name)
        if not _tells(value, parts, arrays):
            return None
    if not arrays:
        return None
    array: ArrayBase = arrays[0]
    tape: Tape | None = array._node.structure.device.tape
    return None if tape is None or tape.shared else tuple(parts)
