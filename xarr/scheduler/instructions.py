"""The scheduler's instructions.

Nothing in this package knows a buffer, an address, a storage's own offset or the value of a
constant, so a plan serves every list of the same instructions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import dtypes, layout
from xarr.codegen.expressions import GatherScatter
from xarr.dtypes import DType
from xarr.ir.instructions import Opcode, decoded
from xarr.ir.operation import Operation
from xarr.layout import Pattern, Shape
from xarr.lowering.operations import Number, Ref, WrappedAccess

if TYPE_CHECKING:
    from xarr.codegen.kernel_spec import Cut


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


def _strides(pattern: Pattern, shape: Shape) -> Shape | None:
    """Compute the `Strides` of a view that is broadcast over a shape."""
    if pattern.linear and pattern.size == math.prod(shape):
        return None
    if pattern.size == 1:
        return ()
    if pattern.shape == shape:
        return pattern.steps
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
