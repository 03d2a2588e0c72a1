"""The scheduler's instructions, and the operations that a kernel is written for (template ops).

Nothing in this package knows a buffer, an address, a storage's own offset or the value of a
constant, so a plan serves every list of the same instructions.
"""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import dtypes, layout, tuning
from xarr.codegen.kernel_spec import GatherScatter
from xarr.dtypes import DType
from xarr.ir.instructions import Opcode, decoded
from xarr.ir.operation import Operation
from xarr.layout import Pattern, Shape

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.codegen.kernel_spec import Cut, KernelSpec
    from xarr.codegen.launch import Launch, ScratchBuffer
    from xarr.ir.steps import Step


class WrappedAccess(NamedTuple):
    """The address of an item's element where the operand wraps around or is bounds-checked."""

    strides: Shape
    cuts: tuple[Cut, ...]
    """For each axis where the operand wraps around, or its bounds."""
    back: int = 0
    """How many elements the first item lies before the first element."""


class Ref(NamedTuple):
    """A view of a storage: the storage's number in the list, data type, pattern and offset.

    The offset counts from the storage's first view. The view is broadcast over the shape of an
    instruction, unless it is `wrapped`.
    """

    slot: int
    dtype: DType
    pattern: Pattern
    offset: int
    wrapped: WrappedAccess | None = None

    @property
    def nbytes(self) -> int:
        """The bytes of the view's elements."""
        return self.pattern.size * self.dtype.itemsize


class Number(NamedTuple):
    """A constant operand: its data type, and its number among the program's constants."""

    dtype: DType
    number: int


class BoundsMask(NamedTuple):
    """A boolean operand: whether an item lies within bounds along each axis of the space."""

    cuts: tuple[Cut, ...]
    dtype: DType = dtypes.bool_


Operand = Ref | Number | BoundsMask
Strides = Shape | WrappedAccess | None
"""The address of an item's element: strides over the space, () where all items share one element,
None where item i has element i."""
Key = tuple[int, DType, Strides, int]
"""The identity of a loaded or stored value: slot, data type, strides, offset."""


@dataclass(slots=True, eq=False)
class ScheduledInstruction:
    """An operation over a shape on views and constants, and the view that it writes."""

    number: int
    """The place in the program's list; a rewritten instruction keeps it."""
    operation: Operation
    target: Ref | None
    """The view that is written; None of an operation that writes into its first operand."""
    operands: tuple[Operand, ...]
    shape: Shape
    is_fresh: bool
    """Whether the target is all of a new storage."""
    also: frozenset[int] = frozenset()
    """The numbers of the producers that it recomputes."""
    whole: ScheduledInstruction | None = None
    """A replacement that writes the whole array, of which it writes a part."""
    can_swap: bool = False
    """Whether it may read the storage's memory and write a spare buffer (double buffering)."""
    uninitialised_nbytes: int = 0
    """The bytes of a storage whose memory it allocates, or a write that fills another part."""
    space: Shape = field(init=False)
    """The shape without axes of one element."""
    size: int = field(init=False)
    read: list[tuple[int, Ref, Key]] = field(init=False)
    """The operands that are views, by position."""
    slots: set[int] = field(init=False)
    """The storages that are read."""
    written: Ref = field(init=False)
    """The target, or else the first operand."""
    key: Key = field(init=False)
    """The identity of the value that is written."""
    cuts_nbytes: int = field(init=False)
    """The bytes of a kernel's arguments for wrapped operands and bounds."""
    is_linear: bool = field(init=False)
    """Whether every operand and the target are walked in order, or are one element."""

    def __post_init__(self) -> None:
        shape = self.shape
        self.space = space_of(shape)
        self.size = math.prod(shape)
        self.read = []
        self.slots = set()
        self.cuts_nbytes = 0
        is_linear = not isinstance(self.operation, GatherScatter)
        for place, operand in enumerate(self.operands):
            if type(operand) is Ref:
                is_own = self.operation.is_separate  # its operands are not broadcast
                key = _key(operand, operand.pattern.shape if is_own else shape)
                self.read.append((place, operand, key))
                self.slots.add(operand.slot)
                is_linear = is_linear and not key[2]
                if operand.wrapped:
                    self.cuts_nbytes += nbytes_of_cuts(operand.wrapped.cuts)
            elif type(operand) is BoundsMask:
                is_linear = False
                self.cuts_nbytes += nbytes_of_cuts(operand.cuts)
        self.written = self.read[0][1] if self.target is None else self.target
        self.key = _key(self.written, shape)
        self.is_linear = is_linear and (self.target is None or not self.key[2])

    def but(self, **changed: Any) -> ScheduledInstruction:
        """Copy the instruction with other values of some parameters."""
        return ScheduledInstruction(**{name: getattr(self, name) for name in _PARAMETERS} | changed)


_PARAMETERS: Final = [one.name for one in fields(ScheduledInstruction) if one.init]


def space_of(shape: Shape) -> Shape:
    """Drop the axes of one element from a shape."""
    return tuple([extent for extent in shape if extent != 1])


def nbytes_of_cuts(cuts: Sequence[Cut]) -> int:
    """Count the bytes of a kernel's arguments that wrap points and bounds take."""
    return 16 * sum(map(bool, cuts))


def _key(ref: Ref, shape: Shape) -> Key:
    if ref.wrapped:
        return ref.slot, ref.dtype, ref.wrapped, ref.offset - ref.wrapped.back
    return ref.slot, ref.dtype, _strides(ref.pattern, shape), ref.offset


@functools.lru_cache(tuning.REMEMBERED)
def _strides(pattern: Pattern, shape: Shape) -> Shape | None:
    """Compute the `Strides` of a view that is broadcast over a shape."""
    if pattern.linear and pattern.size == math.prod(shape):
        return None
    if pattern.size == 1:
        return ()
    strides = layout.broadcast_strides(pattern.shape, pattern.strides, shape)
    return tuple([stride for stride, extent in zip(strides, shape, strict=True) if extent != 1])


def decode(
    opcodes: Sequence[Opcode], codes: Sequence[int | tuple[int, int]]
) -> list[ScheduledInstruction]:
    """Decode the opcodes and codes of a trace."""
    found: list[ScheduledInstruction] = []
    rest = map(decoded, codes)
    named = constants = 0
    for number, opcode in enumerate(opcodes):
        operands: list[Operand] = []
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
        how = opcode.operation, target, tuple(operands), opcode.shape, opcode.is_fresh
        found.append(ScheduledInstruction(number, *how))
    return found


class TemplateOp(Operation):
    """An operation with a kernel template, which a group's other instructions are fused into."""

    __slots__ = ("names", "split", "wide")

    single_pass = True
    """Whether the template computes each element once, so that it may overwrite its operands."""
    takes_expression = True
    """Whether the template computes its elements; otherwise it loads them from memory."""

    def __init__(
        self, name: str, result: DType, split: tuple[int, ...], names: tuple[str, ...], wide: bool
    ) -> None:
        super().__init__(name, (), result, "")
        # How the space is cut into named axes, and whether indices have 64 bits; see `KernelSpec`.
        self.split = split
        self.names = names
        self.wide = wide


class OpaqueOp(Operation):
    """An operation that is never fused: it reads whole operands and writes a new storage."""

    __slots__ = ()

    reads_other_positions = True
    is_separate = True

    @abstractmethod
    def call(self, device: Device, instruction: ScheduledInstruction, *, wide: bool) -> Step:
        """Return the launches or the library's call; `wide` asks for 64-bit indices."""


class ImmediateTemplateOp(TemplateOp):
    """A template whose caller runs the tape and launches it, as a sort or a histogram does."""

    __slots__ = ()

    is_consumed = True

    def __init__(self, split: tuple[int, ...], names: tuple[str, ...], wide: bool) -> None:
        super().__init__("consumed", dtypes.bool_, split, names, wide)


class DeferredTemplateOp(TemplateOp):
    """A template that is recorded on the tape and writes a new storage, as a reduction is."""

    __slots__ = ("functions",)

    is_whole = True

    accepts_epilogue = False
    """Whether the kernel may compute more of each result, which then need not be stored."""

    def __init__(
        self, name: str, result: DType, split: tuple[int, ...], names: tuple[str, ...], wide: bool
    ) -> None:
        super().__init__(name, result, split, names, wide)
        # What `on_host` returned, by the operand's data type; False for None.
        self.functions: dict[DType, Callable[..., Any] | bool] = {}

    def can_share_kernel(self, others: Sequence[Operation]) -> bool:
        """Return whether one kernel may compute this beside the others, over the same shape."""
        return False

    def on_host(self, given: DType) -> Callable[..., Any] | None:
        """Return a function of a NumPy array and numbers that computes the result, or None."""
        return None

    def unrolled(self, shape: Shape) -> Unrolled | None:
        """Return the reduction as an expression of few elements, or None where it is none."""
        return None

    def columns(self, shape: Shape) -> tuple[int, int]:
        """Count the axes behind those reduced in order, and the columns along them."""
        return 0, 0

    def row_nbytes(self, length: int) -> int:
        """Count the bytes of local memory that reducing a row takes on a GPU."""
        return 0

    def row_length(self, shape: Shape) -> int:
        """Return the length of the rows that a kernel of rows may reduce; 0 where none may."""
        return 0

    def rows(self, device: Device, work: Rows) -> Launch:
        """Return the launch of a kernel of rows, of which this is a part."""
        raise NotImplementedError

    @abstractmethod
    def launches(
        self, device: Device, spec: KernelSpec, shape: Shape, epilogue: Epilogue
    ) -> tuple[list[Launch], list[ScratchBuffer]]:
        """Return the launches of the template with its epilogue, and the memory between them."""


class Unrolled(NamedTuple):
    """A reduction of the axes `start:stop` as elementwise operations.

    `first` makes an accumulator of an element, `step` adds an element to an accumulator, and
    `finish` makes the result of an accumulator and the reduction's numbers.
    """

    start: int
    stop: int
    first: Operation
    step: Operation
    finish: Operation


class Epilogue(NamedTuple):
    """The end of a kernel of one or more templates: operations on their results, and stores."""

    entries: tuple[Any, ...]
    """The values: (template op, its numbers), or (operation, operands). A number is (DType, number
    among the constants), any other operand the number of an entry."""
    stored: tuple[int, ...]
    """The entries that are stored, in the order of the results."""


class Part(NamedTuple):
    """A pass of a kernel of rows: over all elements of a row, or once for each row."""

    spec: KernelSpec
    memory: tuple[str, ...]
    """The kernel's names of the form's pointers."""
    results: tuple[str, ...]
    epilogue: Epilogue | None
    """The reductions and their epilogue; None where the part is elementwise."""
    cached: tuple[tuple[int, str, bool], ...]
    """The accesses to local memory, the buffer's name, and whether it is filled already."""


class Rows(NamedTuple):
    """A kernel of rows: a group of items runs all parts on a row before it takes the next."""

    parts: tuple[Part, ...]
    items: int
    length: int
    parameters: tuple[tuple[str, str], ...]
    """The types and names of the kernel's pointers."""
    kept: tuple[tuple[str, str], ...]
    """The types and names of the buffers of one row in local memory."""
    rows_together: int
    """How many rows a group of items on a GPU takes at a time."""
