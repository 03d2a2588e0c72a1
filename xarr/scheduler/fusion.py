"""Fusion: which instructions become one kernel.

Running the instructions one after the other is what a program means. An instruction may leave its
place in that order only past groups that neither read nor write what it writes, and write nothing
that it reads.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from xarr.codegen.expressions import Roll
from xarr.ir.operation import Operation
from xarr.lowering.operations import TemplateOp
from xarr.scheduler.fusion_group import FusionGroup
from xarr.scheduler.instructions import ScheduledInstruction

if TYPE_CHECKING:
    from xarr.backends.base import DeviceInfo


def fuse_vertically(
    instructions: Sequence[ScheduledInstruction], live: Sequence[bool], info: DeviceInfo
) -> list[FusionGroup]:
    """Put each instruction into the group of its producers, so that it reads their values.

    An instruction joins the last group that it can join, has a storage in common with, and reaches
    without a hazard: it may not pass a group that it must run after. Otherwise it begins a group.
    """
    fusion = _VerticalFusion(instructions, live, info)
    postponed = _postponed(instructions, live)
    later = {producer.number for some in postponed.values() for producer in some}
    for instruction in instructions:
        if instruction.number not in later:
            fusion.add_with(postponed.get(instruction.number, []), instruction)
    return fusion.groups


def _postponed(
    instructions: Sequence[ScheduledInstruction], live: Sequence[bool]
) -> dict[int, list[ScheduledInstruction]]:
    """Map a partial write that can write the whole array to the instructions it can wait with.

    These are the array's producer, other such writes to it, and the producers of the written
    values, if nothing else reads what they write and nothing overwrites what they read until then.
    """
    postponed: dict[int, set[int]] = {}
    if all(instruction.whole is None for instruction in instructions):
        return {}
    readers: dict[int, set[int]] = {}
    producers: dict[int, int] = {}
    places = {instruction.number: place for place, instruction in enumerate(instructions)}
    for place, instruction in enumerate(instructions):
        for slot in instruction.slots:
            readers.setdefault(slot, set()).add(place)
        if instruction.is_fresh and type(instruction.operation) is Operation:
            producers[instruction.written.slot] = place
    # Of a new array what waits for the last write to it, what storages that reads, and the place.
    chains: dict[int, tuple[set[int], set[int], int]] = {}
    for place, instruction in enumerate(instructions):
        if instruction.whole is None:
            continue
        waiting = {place}
        for number in sorted(instruction.whole.also & places.keys(), reverse=True):
            slot = instructions[places[number]].written.slot
            if not live[slot] and readers.get(slot, set()) <= waiting:
                waiting.add(places[number])
        slot = instruction.written.slot
        producer = producers.pop(slot, place)
        waits = {producer}, instructions[producer].slots, producer
        if not instruction.whole.can_swap:  # else it reads what the others have written
            waits = chains.pop(slot, waits)
        chain, read, end = waits
        between = range(end + 1, place)
        overwritten = {instructions[other].written.slot for other in between}
        users = readers.get(slot, set()).intersection(between)
        if end < place and not overwritten & {*read, slot} and users <= waiting:
            postponed.pop(instructions[end].number, None)
            read = read.union(*[_slots(instructions[other]) for other in waiting])
            waiting |= chain
            if not instruction.whole.can_swap:
                chains[slot] = waiting, read, place
        postponed[instruction.number] = waiting - {place}
    return {number: [instructions[at] for at in sorted(some)] for number, some in postponed.items()}


def _slots(instruction: ScheduledInstruction) -> set[int]:
    """Return the storages that an instruction reads, or its replacement."""
    return instruction.slots | (instruction.whole.slots if instruction.whole else set())


class _VerticalFusion:
    """The groups that instructions were put into so far, in the order in which they run."""

    def __init__(
        self, instructions: Sequence[ScheduledInstruction], live: Sequence[bool], info: DeviceInfo
    ) -> None:
        readers = [0] * len(live)
        for instruction in instructions:
            for slot in _slots(instruction):
                readers[slot] += 1
        self.groups: list[FusionGroup] = []
        self._numbers = {one.number for one in instructions}
        self._last_write = {one.written.slot: one.number for one in instructions}
        self._new = functools.partial(FusionGroup, live=live, readers=readers, info=info)

    def add_with(
        self, producers: list[ScheduledInstruction], instruction: ScheduledInstruction
    ) -> None:
        """Add an instruction, and the producers and writes that waited for it."""
        whole = instruction.whole
        if whole is not None:
            slot = instruction.written.slot
            made = (one for one in producers if one.is_fresh and one.written.slot == slot)
            producer = next(made, None)
            if producer is not None:
                producers.remove(producer)
                wholes = [one.whole for one in (*producers, instruction) if one.whole is not None]
                after = [
                    place
                    for place, group in enumerate(self.groups)
                    if any(map(group.must_precede, wholes))
                ]
                self.add(producer, after[-1] + 1 if after else 0, is_written=True)
        writes = [one for one in (*producers, instruction) if one.whole is not None]
        for write in writes or [instruction]:
            also = write.whole.also if write.whole is not None else ()
            self._add_write(write, [one for one in producers if one.number in also])

    def _add_write(
        self, instruction: ScheduledInstruction, producers: list[ScheduledInstruction]
    ) -> None:
        """Add a write to a part of an array, whose values producers make that waited for it.

        If the group that computes the array can write the whole array instead, that is one store
        fewer, and one kernel fewer.
        """
        whole = instruction.whole
        if whole is not None:
            group = self._producer_of(whole)
            if group is not None:
                group.add(whole)
                return
            also = whole.also & self._numbers
            if whole.can_swap and also.issubset([one.number for one in producers]):
                self.add(whole)
                return
        for one in (*producers, instruction):
            self.add(one)

    def _producer_of(self, whole: ScheduledInstruction) -> FusionGroup | None:
        """Return the group that computes an array, if an instruction on all of it can join."""
        for group in reversed(self.groups):
            if group.feeds(whole) and not group.reductions and group.can_join(whole):
                return group
            if group.must_precede(whole):
                break
        return None

    def add(
        self, instruction: ScheduledInstruction, first: int = 0, *, is_written: bool = False
    ) -> None:
        """Add an instruction to the last group, from place `first` on, that it can join.

        What `is_written` in parts joins no reduction, whose loop cannot write the whole array.
        """
        groups = self.groups
        chosen = None
        # A roll of an array that is overwritten later is read in the first group that can, since
        # otherwise each of the writes that wait for it needs a kernel of its own.
        is_early = isinstance(instruction.operation, Roll) and (
            self._last_write.get(instruction.read[0][1].slot, -1) > instruction.number
        )
        for place in reversed(range(first, len(groups))):
            group = groups[place]
            is_epilogue = bool(group.reductions) and group.is_epilogue(instruction)
            is_open = is_epilogue or not (is_written and group.reductions)
            if is_open and group.touches(instruction) and group.can_join(instruction):
                if is_epilogue:
                    chosen = group
                    break
                if is_early:
                    chosen = group
                    if group.must_precede(instruction):
                        break
                    continue
                chosen = fuse_with_producers(groups, group, instruction)
                if isinstance(instruction.operation, TemplateOp) and not chosen.reductions:
                    chosen = fuse_with_reductions(groups, chosen, instruction)
                break
            if group.must_precede(instruction):
                break
        if chosen is None:
            delayed = None if first else _take_producer(groups, instruction)
            chosen = delayed or self._new(instruction.shape)
            groups.append(chosen)
        chosen.add(instruction)


def _take_producer(
    groups: list[FusionGroup], instruction: ScheduledInstruction
) -> FusionGroup | None:
    """Remove and return a group that feeds an instruction and that can be delayed to the end."""
    for place, group in enumerate(groups):
        is_producer = not group.reductions and group.feeds(instruction)
        if is_producer and group.commutes_with(groups[place + 1 :]) and group.can_join(instruction):
            return groups.pop(place)
    return None


def fuse_with_producers(
    groups: list[FusionGroup], group: FusionGroup, instruction: ScheduledInstruction
) -> FusionGroup:
    """Merge the group that an instruction joins with earlier groups whose values it reads too.

    A reduction's group is also merged with groups whose reductions can share its kernel.
    """
    if len(groups) == 1:
        return group
    is_reduction = isinstance(instruction.operation, TemplateOp)
    place = groups.index(group)
    others = groups[:place]
    if is_reduction:
        others += groups[place + 1 :]
    for other in reversed(others):
        if other.sealed:
            continue
        if other.reductions and is_reduction:
            if not (other.can_share_kernel(instruction) and group.reads_with(other)):
                continue
        elif groups.index(other) > place or not other.feeds(instruction):
            continue
        low, high = sorted((place, groups.index(other)))
        between = groups[low + 1 : high]
        if groups[low].commutes_with(between):
            at = high - 1
        elif is_reduction and groups[high].commutes_with(between):
            at = low
        else:
            continue
        merged = merge(groups[low], groups[high])
        if merged is not None and merged.can_join(instruction):
            del groups[high], groups[low]
            groups.insert(at, merged)
            group, place = merged, at
    return group


def fuse_with_reductions(
    groups: list[FusionGroup], group: FusionGroup, instruction: ScheduledInstruction
) -> FusionGroup:
    """Return an earlier group whose reductions a reduction can share the kernel with, or `group`.

    A group that computes the reduction's elements stays its group.
    """
    if group.feeds(instruction):
        return group
    for other in reversed(groups[: groups.index(group)]):
        shares = other.reductions and other.can_share_kernel(instruction)
        if shares and other.touches(instruction) and other.can_join(instruction):
            return other
        if other.must_precede(instruction):
            break
    return group


def fuse_horizontally(groups: Sequence[FusionGroup]) -> list[FusionGroup]:
    """Merge elementwise groups that do not depend on each other and load the same elements.

    One kernel then loads these once. A group may move up to the other one past groups that it
    commutes with.
    """
    found: list[FusionGroup] = []
    for group in groups:
        for place in reversed(range(len(found))):
            other = found[place]
            if not group.commutes_with([other]):
                found.append(group)
                break
            merged = merge(other, group) if _are_siblings(other, group) else None
            if merged is not None:
                found[place] = merged
                break
        else:
            found.append(group)
    return found


def _are_siblings(one: FusionGroup, other: FusionGroup) -> bool:
    """Return whether groups are elementwise over one space and load some storages in common."""
    if one.reductions or other.reductions or one.sealed or other.sealed:
        return False
    return one.space == other.space and one.reads_with(other)


def merge(first: FusionGroup, second: FusionGroup) -> FusionGroup | None:
    """Merge two groups, of which one runs right before the other; None where that is not legal."""
    shared = first.values.keys() & second.values.keys()
    if len(first.entries) + len(second.entries) - len(shared) >= first.info.most.values:
        return None
    if not _may_be_one(first, second):
        return None
    few = second
    if first.commutes_with([second]):
        few, first = sorted((first, second), key=lambda group: len(group.members))
    merged = first.copy()
    for instruction in few.members:
        if not merged.can_join(instruction):
            return None
        merged.add(instruction)
    return merged


def _may_be_one(first: FusionGroup, second: FusionGroup) -> bool:
    """Return whether a cheap check finds nothing against one kernel; `merge` has the full one."""
    if first.space != second.space and not first.linear and not second.linear:
        return False
    if any(slot in first.written for slot in second.wrapped):
        return False
    stored = first.must_store | second.must_store
    slots = stored | first.read.keys() | (second.read.keys() - first.written.keys())
    return len(slots) <= first.info.most.slots and len(stored) <= first.info.most.stores
