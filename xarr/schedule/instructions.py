"""The instructions of a list in words, and the operations that end a kernel.

Nothing in this room knows a buffer, an address, an offset of a whole storage or the value of a
constant, so a plan serves every list of the same instructions.
"""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from xarr import dtypes, layout, tuning
from xarr.compiler.forms import Indirect
from xarr.core.instructions import Opcode, decoded
from xarr.core.operations import Operation
from xarr.dtypes import DType
from xarr.layout import Pattern, Shape

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.compiler.forms import Cut, Form
    from xarr.compiler.launch import Room, Stage
    from xarr.core.steps import Call


class Moved(NamedTuple):
    """How elements are reached from an item's place, where each is not at that place.

    Attributes
    ----------
    steps, cuts : tuple
        The strides over the space, and where along its axes elements are reached otherwise.
    back : int
        By how many elements the first item is before the first element.
    """

    steps: Shape
    cuts: tuple[Cut, ...]
    back: int = 0


class Ref(NamedTuple):
    """A view of a storage: its number on the tape, and where, beyond the storage's first view.

    It is broadcast over the shape of an instruction, or `moved` says how its elements are reached.
    """

    slot: int
    dtype: DType
    pattern: Pattern
    offset: int
    moved: Moved | None = None

    @property
    def nbytes(self) -> int:
        """The bytes of its elements."""
        return self.pattern.size * self.dtype.itemsize


class Number(NamedTuple):
    """A constant: its type, and which one of the program's it is."""

    dtype: DType
    number: int


class Inside(NamedTuple):
    """Whether an item is in a part of the space, as an operand: the bounds along each axis."""

    cuts: tuple[Cut, ...]
    dtype: DType = dtypes.bool_


Steps = Shape | Moved | None
"""How elements are reached from the item's place: strides over the space, () for one element alone,
None for all elements in a row."""
Key = tuple[int, DType, Steps, int]
"""By which elements are found among values: slot, data type, steps, offset."""


class Instruction:
    """An operation over a shape on views and constants, written to a view.

    Where it is fresh, the view is all of a new storage. `also` are the instructions, by number,
    whose work it does too. What writes a part of a storage, all of which is known, may be done by
    an instruction that writes the `whole`. One that writes all of a storage may be one that
    `exchanges` its memory, so that others, and it itself, read what was there before.

    Attributes
    ----------
    written : Ref
        The view that it writes; of an operation that writes itself, where it counts from.
    space, size : tuple of int, int
        The shape without axes of one element, and how many elements it has.
    read : list of (int, Ref, Key)
        The operands that are views, by number, and how their elements are found.
    slots : set of int
        The storages that it reads.
    key : Key
        How what it writes is found.
    cuts_nbytes : int
        The bytes of arguments that say where its operands are reached otherwise.
    is_linear : bool
        Whether every access is to all elements in a row, or to one element alone.
    """

    __slots__ = (
        "also",
        "cuts_nbytes",
        "exchanges",
        "is_fresh",
        "is_linear",
        "key",
        "operands",
        "operation",
        "read",
        "shape",
        "size",
        "slots",
        "space",
        "target",
        "whole",
        "written",
    )

    def __init__(
        self,
        operation: Operation,
        target: Ref | None,
        operands: tuple[Ref | Number | Inside, ...],
        shape: Shape,
        is_fresh: bool,
        also: frozenset[int] = frozenset(),
        whole: Instruction | None = None,
        exchanges: bool = False,
    ) -> None:
        self.operation = operation
        self.target = target
        self.operands = operands
        self.shape = shape
        self.is_fresh = is_fresh
        self.also = also
        self.whole = whole
        self.exchanges = exchanges
        self.space = space_of(shape)
        self.size = math.prod(shape)
        self.read: list[tuple[int, Ref, Key]] = []
        self.slots: set[int] = set()
        self.cuts_nbytes = 0
        is_linear = True
        for number, operand in enumerate(operands):
            if type(operand) is Ref:
                key = _key(operand, shape)
                self.read.append((number, operand, key))
                self.slots.add(operand.slot)
                is_linear = is_linear and not key[2]
                if operand.moved:
                    self.cuts_nbytes += nbytes_of_cuts(operand.moved.cuts)
            elif type(operand) is Inside:
                is_linear = False
                self.cuts_nbytes += nbytes_of_cuts(operand.cuts)
        self.written = self.read[0][1] if target is None else target
        self.key = _key(self.written, shape)
        is_linear = is_linear and (target is None or not self.key[2])
        self.is_linear = is_linear and not isinstance(operation, Indirect)

    def but(self, **other: Any) -> Instruction:
        """The instruction with other values of some of its parameters."""
        own = ("operation", "target", "operands", "shape", "is_fresh", "also", "whole", "exchanges")
        return Instruction(**{name: getattr(self, name) for name in own} | other)


def space_of(shape: Shape) -> Shape:
    """A shape without axes of one element."""
    return tuple([extent for extent in shape if extent != 1])


def nbytes_of_cuts(cuts: Sequence[Cut]) -> int:
    """The bytes of a kernel's arguments that cuts take."""
    return 16 * sum(map(bool, cuts))


def _key(ref: Ref, shape: Shape) -> Key:
    if ref.moved:
        return ref.slot, ref.dtype, ref.moved, ref.offset - ref.moved.back
    return ref.slot, ref.dtype, _steps(ref.pattern, shape), ref.offset


@functools.lru_cache(tuning.REMEMBERED)
def _steps(pattern: Pattern, shape: Shape) -> Shape | None:
    """A view's strides over a shape, without axes of one element; see `Steps`."""
    if pattern.linear and pattern.size == math.prod(shape):
        return None
    if pattern.size == 1:
        return ()
    strides = layout.broadcast_strides(pattern.shape, pattern.strides, shape)
    return tuple([step for step, extent in zip(strides, shape, strict=True) if extent != 1])


def instructions(
    opcodes: Sequence[Opcode], codes: Sequence[int | tuple[int, int]]
) -> list[Instruction]:
    """The tape's codes as Instructions."""
    steps = []
    rest = map(decoded, codes)
    named = constants = 0
    for opcode in opcodes:
        operands: list[Ref | Number | Inside] = []
        for structure in opcode.operands:
            if structure.strides is None:
                operands.append(Number(structure.dtype, constants))
                constants += 1
            else:
                slot, offset = next(rest)
                named = max(named, slot + 1)
                operands.append(Ref(slot, structure.dtype, structure.pattern, offset))
        target = None
        if opcode.target is not None:
            pattern = opcode.target.pattern
            assert pattern is not None
            slot, offset = (named, 0) if opcode.is_fresh else next(rest)
            named = max(named, slot + 1)
            target = Ref(slot, opcode.target.dtype, pattern, offset)
        steps.append(
            Instruction(opcode.operation, target, tuple(operands), opcode.shape, opcode.is_fresh)
        )
    return steps


class Skeletal(Operation):
    """An operation whose skeleton reads its elements from a value of its group, and ends the group.

    Parameters
    ----------
    split, names, wide
        How the space is cut into axes, and whether indices have 64 bits: as of `Form`.
    """

    __slots__ = ("names", "split", "wide")

    walks_once = True
    """Whether each element is computed once, so that it may overwrite what it is computed from."""
    takes_expression = True
    """Whether it computes its elements itself; else they are in memory."""

    def __init__(
        self, name: str, result: DType, split: tuple[int, ...], names: tuple[str, ...], wide: bool
    ) -> None:
        super().__init__(name, (), result, "")
        self.split = split
        self.names = names
        self.wide = wide


class Separate(Operation):
    """An operation that takes operands from memory, whole, and writes a new storage by itself."""

    __slots__ = ()

    strays = True
    is_separate = True

    @abstractmethod
    def call(self, device: Device, step: Instruction, *, wide: bool) -> Call:
        """Its launches, or a library's work; `wide` asks for indices of 64 bits."""


class Consumed(Skeletal):
    """A skeleton that whoever runs the tape launches."""

    __slots__ = ()

    is_consumed = True

    def __init__(self, split: tuple[int, ...], names: tuple[str, ...], wide: bool) -> None:
        super().__init__("consumed", dtypes.bool_, split, names, wide)


class Recorded(Skeletal):
    """A skeleton that the tape launches; it writes a new storage.

    functions : dict -- What `on_host` gave, by the operand's data type; False for none.
    """

    __slots__ = ("functions",)

    def __init__(
        self, name: str, result: DType, split: tuple[int, ...], names: tuple[str, ...], wide: bool
    ) -> None:
        super().__init__(name, result, split, names, wide)
        self.functions: dict[DType, Callable[..., Any] | bool] = {}

    is_whole = True
    goes_on = False
    """Whether it may compute more of each result, which then need not be stored."""

    def goes_with(self, others: Sequence[Recorded]) -> bool:
        """Whether one kernel may do this beside the others, over the same shape."""
        return False

    def on_host(self, given: DType) -> Callable[..., Any] | None:
        """A function that computes the result from a NumPy array and its own numbers; or None."""
        return None

    def unrolled(self, shape: Shape) -> Unrolled | None:
        """How its result is an expression of few elements; None where it is not."""
        return None

    def columns(self, shape: Shape) -> tuple[int, int]:
        """How many axes lie behind those that it reduces in order, and the columns along them."""
        return 0, 0

    def row_nbytes(self, length: int) -> int:
        """The local memory that a row of a length takes in a kernel of rows on a GPU."""
        return 0

    def row_length(self, shape: Shape) -> int:
        """How many elements a row has that it reduces at once; 0 where it reduces none so."""
        return 0

    def rows(self, device: Device, work: Rows) -> Stage:
        """The launch of a kernel of rows, of which this is a part."""
        raise NotImplementedError

    @abstractmethod
    def stages(
        self, device: Device, form: Form, shape: Shape, finals: Finals
    ) -> tuple[list[Stage], list[Room]]:
        """The launches of the skeleton with its epilogue, and the memory between them."""


class Unrolled(NamedTuple):
    """A reduction of the axes from `start` to before `stop` as operations, element by element.

    `first` is given an element, `step` what is there and one more, `finish` what is there in the
    end, and the reduction's numbers.
    """

    start: int
    stop: int
    first: Operation
    step: Operation
    finish: Operation


class Finals(NamedTuple):
    """The epilogue of a kernel of one or more skeletons: operations on their results, and stores.

    Attributes
    ----------
    entries : tuple
        The values: (skeleton, its own numbers), or an operation on results: (operation, operands).
        A number is (DType, its number), any other operand the number of an entry.
    stored : tuple of int
        The entries that are stored, in the order of the results.
    """

    entries: tuple[Any, ...]
    stored: tuple[int, ...]


class Part(NamedTuple):
    """A pass over all elements of a row, or what is done once for it, before a kernel's next part.

    Attributes
    ----------
    form : Form
        What it computes of elements.
    memory, results : tuple of str
        What the kernel calls the memory of the form's pointers, and of the results.
    finals : Finals or None
        What becomes of elements that are reduced; None where each is for itself.
    held : tuple of (int, str, bool)
        The accesses of elements that are held in near memory, where, and whether an earlier part
        has left them there; else this one does.
    """

    form: Form
    memory: tuple[str, ...]
    results: tuple[str, ...]
    finals: Finals | None
    held: tuple[tuple[int, str, bool], ...]


class Rows(NamedTuple):
    """A kernel that does its parts, one after the other, with each of some rows.

    Attributes
    ----------
    parameters : tuple of (str, str)
        The types and names of the pointers that it is given.
    kept : tuple of (str, str)
        The types and names of what it holds of a row.
    together : int
        How many rows a group of items on a GPU takes at a time.
    """

    parts: tuple[Part, ...]
    items: int
    length: int
    parameters: tuple[tuple[str, str], ...]
    kept: tuple[tuple[str, str], ...]
    together: int
