"""What functions hand to the engine: operations, and views of buffers and numbers as operands.

A view says which elements of a storage an array has, whether or not they have been computed. A
constant is one number, repeated over a shape, that no storage holds yet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from xarr import layout
from xarr.backends.base import InMemory
from xarr.layout import Layout

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.dtypes import DType
    from xarr.engine.storage import Storage
    from xarr.layout import Pattern, Shape


LIMIT_REMEMBERED: Final = 4096


def remembered(found: dict[Any, Any], key: Any, value: Any) -> Any:
    """A value that is kept in a dictionary; one that is full is emptied first."""
    if len(found) >= LIMIT_REMEMBERED:
        found.clear()
    found[key] = value
    return value


class Operation:
    """What an instruction computes: one C expression over typed operands.

    Rows of the elementwise table make one of these for each combination of data types; so do casts.
    `template` holds the operands as `{0}`, `{1}`, ...; it is one C expression. Operations are
    compared by identity. `host` computes the same bits of NumPy's arrays, where it is not None.
    """

    __slots__ = ("host", "name", "opcodes", "operands", "result", "template")

    def __init__(
        self,
        name: str,
        operands: tuple[DType, ...],
        result: DType,
        template: str,
        host: Callable[..., Any] | None = None,
    ) -> None:
        self.host = host
        self.name = name
        self.operands = operands
        self.result = result
        self.template = template
        self.opcodes: dict[Any, Opcode] = {}

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(row.name for row in self.operands)})"


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
    element : Structure or None
        Of constants without axes, of the same data type; there once it was asked for.
    views : dict
        What basic indexing gives, by key: structures, and how far they begin from this one.
    stores : dict
        What writes to a view of it, by key and the value's structure: opcodes, and then the same;
        None where the value is that view.
    places : set of int
        How far beyond the first one elements were that were written alone, while others waited.
    """

    __slots__ = (
        "device",
        "dtype",
        "element",
        "in_memory",
        "layout",
        "pattern",
        "places",
        "repeats",
        "shape",
        "stores",
        "views",
    )

    def __init__(self, device: Device, dtype: DType, shape: Shape, pattern: Pattern | None) -> None:
        self.device = device
        self.dtype = dtype
        self.shape = shape
        self.pattern = pattern
        self.layout = None if pattern is None else Layout(pattern.shape, pattern.strides)
        self.repeats = self.layout is not None and layout.self_overlapping(self.layout)
        self.in_memory: InMemory | None = None
        self.element: Structure | None = None
        self.views: dict[Any, tuple[Structure, int]] = {}
        self.stores: dict[Any, tuple[Opcode, Structure, int] | None] = {}
        self.places: set[int] = set()

    def seen(self) -> InMemory:
        """How NumPy sees the elements of a view."""
        if self.in_memory is None:
            assert self.pattern is not None
            self.in_memory = in_memory(self.dtype, self.pattern.shape, self.pattern.strides)
        return self.in_memory


def in_memory(dtype: DType, shape: Shape, strides: Shape) -> InMemory:
    """How NumPy sees elements that lie in memory by strides."""
    nbytes = dtype.itemsize
    return InMemory(shape, dtype.numpy, tuple([stride * nbytes for stride in strides]))


_LIMIT_STRUCTURES: Final = 1 << 16
_ELEMENT: Final = layout.contiguous(()).pattern


def structure(device: Device, dtype: DType, how: Pattern | Shape) -> Structure:
    """The structure of views that lie in a pattern, or of constants that have a shape."""
    structures = device.structures
    found = structures.get((dtype, how))
    if found is None:
        if len(structures) >= _LIMIT_STRUCTURES:
            structures.clear()  # two objects of one structure cost a program, and change nothing
        found = (
            Structure(device, dtype, how, None)
            if isinstance(how, tuple)
            else Structure(device, dtype, how.shape, how)
        )
        structures[dtype, how] = found
    return found


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
    seen : NumPy array or None
        The elements of a view in place, once NumPy has worked on them.
    """

    __slots__ = ("bound", "offset", "seen", "storage", "structure", "value")

    def __init__(
        self, storage: Storage | None, structure: Structure, offset: int, value: Any = None
    ) -> None:
        self.storage = storage
        self.structure = structure
        self.offset = offset
        self.value = value
        self.bound = False
        self.seen: Any = None

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
        where = self.structure.layout
        if where is None or not self.offset:
            return where
        return Layout(where.shape, where.strides, self.offset)


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
    host, immediate : object
        What `hosted` and `immediate` keep of it.
    turns : int
        How often a tape ran it by itself since it was the first; see `immediate`.
    """

    __slots__ = ("constants", "device", "host", "immediate", "is_fresh", "named", "nbytes",
                 "operands", "operation", "shape", "target", "turns")  # fmt: skip

    def __init__(
        self,
        operation: Operation,
        operands: tuple[Structure, ...],
        target: Structure | None,
        shape: Shape,
        device: Device,
        *,
        is_fresh: bool,
    ) -> None:
        self.operation = operation
        self.operands = operands
        self.target = target
        self.shape = shape
        self.device = device
        self.is_fresh = is_fresh
        self.host: Any = None
        self.immediate: Any = None
        self.turns = 0
        self.named = operands if is_fresh or target is None else (*operands, target)
        self.constants = sum(operand.pattern is None for operand in operands)
        self.nbytes = 0
        if is_fresh and target is not None:
            assert target.pattern is not None
            self.nbytes = target.pattern.size * target.dtype.itemsize


def leaf(storage: Storage, where: Layout, dtype: DType) -> Node:
    """The view of a storage's elements."""
    return Node(storage, structure(storage.device, dtype, where.pattern), where.offset)


def element(node: Node, at: int) -> Node:
    """A node of the one element of another one's storage that lies at an offset."""
    return Node(node.storage, structure(node.device, node.dtype, _ELEMENT), at)


def number_like(node: Node, value: Any) -> Node:
    """A constant without axes, of a node's data type, which its array alone has."""
    how = node.structure
    element = how.element
    if element is None:
        element = how.element = structure(how.device, how.dtype, ())
    result = Node(None, element, 0, value)
    result.bound = True
    return result


def constant(value: Any, dtype: DType, shape: Shape, device: Device) -> Node:
    """One value, repeated over a shape. `value` is a Python scalar that `dtype` holds exactly."""
    return Node(None, structure(device, dtype, shape), 0, value)
