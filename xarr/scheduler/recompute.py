"""Rematerialisation: groups compute again what is far smaller than their elements to load.

Distances of all pairs, for example, are made of few positions: each kernel that needs them computes
them, and they are never stored.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from xarr import layout, tuning
from xarr.ir.operation import Operation
from xarr.layout import Layout, Shape
from xarr.lowering.operations import Number, Ref, WrappedAccess
from xarr.scheduler.fusion_group import FusionGroup
from xarr.scheduler.instructions import Key, ScheduledInstruction

if TYPE_CHECKING:
    from xarr.backends.base import DeviceInfo


class _Chain(NamedTuple):
    """The instructions that make a value, by number, and the bytes of what these load."""

    instructions: dict[int, ScheduledInstruction]
    loads: dict[Key, int]


def recompute(
    groups: Sequence[FusionGroup], live: Sequence[bool], info: DeviceInfo
) -> list[FusionGroup]:
    """Let groups compute what they would load, where that takes a part of the bytes.

    Each operand of what is computed again is what it was: nothing writes to it afterwards. A CPU
    does not: the energy of 2,000 bodies and its gradient take two cores twice as long.
    """
    if len(groups) == 1 or info.loop_per_item:
        return [*groups]
    writes: dict[int, list[ScheduledInstruction]] = {}
    for group in groups:
        for instruction in group.members:
            writes.setdefault(instruction.written.slot, []).append(instruction)
    chains = _Chains(writes, live)
    return [chains.applied(group) for group in groups]


class _Chains:
    """Finds what makes the values that groups load."""

    def __init__(self, writes: dict[int, list[ScheduledInstruction]], live: Sequence[bool]) -> None:
        self._writes = writes
        self._live = live
        self._known: dict[tuple[Key, Shape], _Chain | None] = {}

    def applied(self, group: FusionGroup) -> FusionGroup:
        """Return the group, or one that computes again what it loads."""
        found: dict[int, ScheduledInstruction] = {}
        for key in group.accesses if not group.sealed else ():
            if key[0] in self._writes and not self._live[key[0]] and key[2] != ():
                chain = self._chain(key, group.space)
                small = _nbytes(key, group.space) // tuning.SMALLER
                if chain is not None and sum(chain.loads.values()) <= small:
                    found |= chain.instructions
        if not found or len(found) > tuning.RECOMPUTED:
            return group
        other = FusionGroup(group.space, group.live, group.readers, group.info)
        for number in sorted(found):
            if not other.can_join(found[number]):
                return group
            other.recompute(found[number])
        for instruction in group.members:
            if not other.can_join(instruction):
                return group
            other.add(instruction)
        return other

    def _chain(self, key: Key, space: Shape) -> _Chain | None:
        """Return what makes a value over a space; None where something may not be repeated.

        Nor may more than a group repeats at most. Each value is looked at once, after its operands:
        what is used many times, as the states of a loop, has as many ways that lead to it.
        """
        waiting = [key]
        while waiting:
            at = waiting[-1]
            if (at, space) not in self._known:
                maker = self._maker(at, space)
                operands = [] if maker is None else self._operands(maker)
                below = [one for one in operands or () if (one, space) not in self._known]
                if below:
                    waiting.extend(below)
                    continue
                self._known[at, space] = self._joined(maker, operands, space)
            waiting.pop()
        return self._known[key, space]

    def _operands(self, maker: ScheduledInstruction) -> list[Key] | None:
        """Return the operands that were made before; None where one is written to afterwards."""
        found = []
        for _, ref, operand in maker.read:
            last = max([one.number for one in self._writes.get(ref.slot, [maker])])
            if ref.wrapped or last > maker.number:
                return None
            if last < maker.number:
                found.append(operand)
        return found

    def _joined(
        self, maker: ScheduledInstruction | None, operands: list[Key] | None, space: Shape
    ) -> _Chain | None:
        """Return an instruction with the chains of its operands."""
        if maker is None or operands is None:
            return None
        chain = _Chain({maker.number: maker}, {})
        for _, _, operand in maker.read:
            below = self._known[operand, space] if operand in operands else None
            if below is None:
                chain.loads[operand] = _nbytes(operand, space)
            else:
                chain.instructions.update(below.instructions)
                chain.loads.update(below.loads)
        return chain if len(chain.instructions) <= tuning.RECOMPUTED else None

    def _maker(self, key: Key, space: Shape) -> ScheduledInstruction | None:
        """Return the instruction that makes a value, repeated over a space."""
        slot, dtype, strides, offset = key
        makers = self._writes.get(slot, ())
        maker = makers[0] if len(makers) == 1 else None
        if maker is None or not maker.is_fresh or type(maker.operation) is not Operation:
            return None
        if any(not isinstance(one, Ref | Number) for one in maker.operands) or not maker.read:
            return None
        if maker.space == space and maker.key == key:
            return maker
        if strides is None:
            strides = layout.contiguous_strides(space)
        if isinstance(strides, WrappedAccess) or offset or dtype is not maker.written.dtype:
            return None
        axes = [axis for axis, stride in enumerate(strides) if stride]
        extents = tuple([space[axis] for axis in axes])
        own = tuple([strides[axis] for axis in axes])
        if extents != maker.space or own != layout.contiguous_strides(extents):
            return None

        def repeated(ref: Ref) -> Ref:
            walk = _strides(ref, maker.shape)
            by_axis = dict(zip(axes, walk, strict=True))
            where = Layout(space, tuple([by_axis.get(axis, 0) for axis in range(len(space))]))
            return ref._replace(pattern=where.pattern)

        operands = [repeated(one) if isinstance(one, Ref) else one for one in maker.operands]
        target = repeated(maker.written)
        return maker.but(operands=tuple(operands), target=target, shape=space)


def _strides(ref: Ref, shape: Shape) -> Shape:
    """Return the strides of a view over the axes of a shape that have several elements."""
    pattern = ref.pattern
    strides = layout.contiguous_strides(shape)
    if not (pattern.linear and pattern.size == math.prod(shape)):
        strides = layout.broadcast_strides(pattern.shape, pattern.strides, shape)
    return tuple([stride for stride, extent in zip(strides, shape, strict=True) if extent != 1])


def _nbytes(key: Key, space: Shape) -> int:
    """Count the bytes of the elements of an access over a space."""
    _, dtype, strides, _ = key
    if strides is None:
        return math.prod(space) * dtype.itemsize
    if isinstance(strides, WrappedAccess):
        strides = strides.strides
    return dtype.itemsize * math.prod(
        [extent for stride, extent in zip(strides, space, strict=False) if stride]
    )
