"""How a list of instructions becomes groups, which are one kernel each.

Running the instructions one after the other is what a program means. Here they are put together, in
order: an instruction joins the last group that it fits, and may pass a group by only if neither
reads or overwrites what the other one writes.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from xarr import tuning
from xarr.compiler.forms import Rolled
from xarr.core.operations import Operation
from xarr.layout import Shape
from xarr.schedule.groups import Group, overlap
from xarr.schedule.instructions import Consumed, Instruction, Recorded, Ref
from xarr.schedule.rewriting import rewritten

if TYPE_CHECKING:
    from xarr.backends.base import DeviceInfo


def grouped(
    steps: Sequence[Instruction], alive: Sequence[bool], own: Mapping[int, int], info: DeviceInfo
) -> list[Group]:
    """The groups that instructions make, in the order in which they run.

    Some storages may exchange their `own` memory, of so many bytes. The device says how many bytes
    of arguments a kernel may be given.
    """
    steps = rewritten(steps, alive, own, info)
    wanted = needed(steps, alive)
    blank = _written_in_parts(steps, wanted)
    parts = _only_for_parts(steps, alive)
    readers = [0] * len(alive)
    for step in itertools.compress(steps, wanted):
        for slot in step.slots if step.whole is None else step.slots | step.whole.slots:
            readers[slot] += 1
    new = functools.partial(Group, alive=alive, readers=readers, info=info)
    last = {step.written.slot: member for member, step in enumerate(steps)}
    later = {member for own in parts.values() for member in own}
    groups: list[Group] = []
    for member, step in enumerate(steps):
        if not wanted[member] or member in later or member in blank:
            continue
        before = parts.get(member, [])
        if step.whole is not None:
            maker = next((one for one in before if steps[one].target == step.whole.target), None)
            if maker is not None:
                before.remove(maker)
                behind = _behind(step.whole, groups)
                _place(groups, maker, steps[maker], last, new, behind)
            wider = _that_takes(step.whole, groups)
            if wider is not None:
                wider.add(member, step.whole)
                continue
            if step.whole.exchanges and step.whole.also.issubset(before):
                _place(groups, member, step.whole, last, new)
                continue
        for one in (*before, member):
            _place(groups, one, steps[one], last, new)
    groups = _side_by_side(groups)
    for member in blank:
        target = steps[member].written
        first = next(group for group in groups if target.slot in group.written)
        first.blank[target.slot] = target.nbytes
    return groups


def _place(
    groups: list[Group],
    member: int,
    step: Instruction,
    last: Mapping[int, int],
    new: Callable[[Shape], Group],
    first: int = 0,
) -> None:
    """Put an instruction, by its number or that of the one in whose place it is, into a group.

    That is the last one that it fits, from a first one on, or one that `new` makes. Known is which
    instruction writes a storage `last`.
    """
    chosen = None
    # What is written over afterwards is read in the first group that may, so that the writes need
    # not be one kernel each.
    is_early = isinstance(step.operation, Rolled) and last.get(step.read[0][1].slot, -1) > member
    for number in reversed(range(first, len(groups))):
        group = groups[number]
        joins = not group.endings or group.goes_with(step)
        if group.shares(step) and (joins or group.follows(step)) and group.fits(step):
            if not joins:
                chosen = group
                break
            if isinstance(step.operation, Consumed):
                if not passes(group, groups[number + 1 :]):
                    break
                groups.append(groups.pop(number))
            if is_early:
                chosen = group
                if group.hinders(step):
                    break
                continue
            chosen = _with_others(groups, group, step)
            if isinstance(step.operation, Recorded) and not chosen.endings:
                chosen = _beside(groups, chosen, step)
            break
        if group.hinders(step):
            break
    if chosen is None:
        after = None if first else _after_others(groups, step)
        chosen = after or new(step.shape)
        groups.append(chosen)
    chosen.add(member, step)


def _only_for_parts(steps: Sequence[Instruction], alive: Sequence[bool]) -> dict[int, list[int]]:
    """The instructions that nothing needs before one that writes a part, and may write the whole.

    They are what makes the whole, which comes first, and what only this part is computed of. They
    are put into groups with it, or just before it, and until then nothing overwrites what they
    read.
    """
    parts: dict[int, list[int]] = {}
    if all(step.whole is None for step in steps):
        return parts
    readers: dict[int, set[int]] = {}
    makers: dict[int, int] = {}
    for member, step in enumerate(steps):
        for slot in step.slots:
            readers.setdefault(slot, set()).add(member)
        if step.is_fresh and type(step.operation) is Operation:
            makers[step.written.slot] = member
    for member, step in enumerate(steps):
        if step.whole is None:
            continue
        own = {member}
        for other in sorted(step.whole.also, reverse=True):
            slot = steps[other].written.slot
            if not alive[slot] and readers.get(slot, set()) <= own:
                own.add(other)
        maker = makers.pop(step.written.slot, member)
        read = steps[maker].slots
        between = range(maker + 1, member)
        touched = {steps[other].written.slot for other in between}
        users = readers.get(step.written.slot, set()).intersection(between)
        if not touched & {*read, step.written.slot} and users <= own:
            own.add(maker)
        parts[member] = sorted(own - {member})
    return parts


def _written_in_parts(steps: list[Instruction], wanted: Sequence[bool]) -> set[int]:
    """The instructions that make storages of which others write every element before it is read.

    Where one of those cannot write the whole, none does.
    """
    found: set[int] = set()
    parts: dict[int, list[int]] = {}
    for member in reversed(range(len(steps))):
        step = steps[member]
        if not wanted[member]:
            continue
        target = step.target
        if target is not None and not step.is_fresh:
            parts.setdefault(target.slot, []).append(member)
        elif target is not None:
            others = parts.pop(target.slot, [])
            alone = any(steps[other].whole is None for other in others)
            if alone and _fill([steps[other].written for other in others], target):
                found.add(member)
                for other in others:
                    steps[other] = steps[other].but(whole=None)
                continue
        for slot in step.slots:
            parts.pop(slot, None)
    return found


def _fill(parts: Sequence[Ref], whole: Ref) -> bool:
    """Whether parts are all of a storage, and have no element in common."""
    sizes = [part.pattern.size for part in parts if part.dtype is whole.dtype]
    if len(sizes) < len(parts) or sum(sizes) != whole.pattern.size:
        return False
    return not any(itertools.starmap(overlap, itertools.combinations(parts, 2)))


def _behind(step: Instruction, groups: Sequence[Group]) -> int:
    """The number of groups up to the last one that an instruction has to come after."""
    return max([number for number, one in enumerate(groups, 1) if one.hinders(step)], default=0)


def _that_takes(whole: Instruction, groups: Sequence[Group]) -> Group | None:
    """The group that computes an array, if it may take an instruction that writes all of it."""
    for group in reversed(groups):
        if group.computes_for(whole) and not group.endings and group.fits(whole):
            return group
        if group.hinders(whole):
            break
    return None


def _side_by_side(groups: list[Group]) -> list[Group]:
    """The groups, those as one that do not depend on each other and read the same elements."""
    found: list[Group] = []
    for group in groups:
        for number in reversed(range(len(found))):
            other = found[number]
            if not passes(group, [other]):
                found.append(group)
                break
            if _may_join(other, group):
                whole = _join(other, group)
                if whole is not None:
                    found[number] = whole
                    break
        else:
            found.append(group)
    return found


def _may_join(one: Group, other: Group) -> bool:
    """Whether two groups compute nothing but elements of one space, and read some of the same."""
    return (
        not (one.endings or other.endings or one.closed or other.closed)
        and one.space == other.space
        and one.reads_with(other)
    )


def _after_others(groups: list[Group], step: Instruction) -> Group | None:
    """A group that computes for an instruction, and may as well run after all others; taken out."""
    for number, group in enumerate(groups):
        if (
            not group.endings
            and group.computes_for(step)
            and passes(group, groups[number + 1 :])
            and group.fits(step)
        ):
            return groups.pop(number)
    return None


def _with_others(groups: list[Group], group: Group, step: Instruction) -> Group:
    """A group that an instruction joins, put together with others that it gains by.

    These are earlier ones whose values it reads too, and those that it goes with at the end.
    """
    if len(groups) == 1:
        return group
    recorded = isinstance(step.operation, Recorded)
    place = groups.index(group)
    others = groups[:place]
    if recorded:
        others += groups[place + 1 :]
    for other in reversed(others):
        if other.closed:
            continue
        if other.endings:
            if not recorded or not other.goes_with(step) or not group.reads_with(other):
                continue
        elif groups.index(other) > place or not other.computes_for(step):
            continue
        low, high = sorted((place, groups.index(other)))
        between = groups[low + 1 : high]
        if passes(groups[low], between):
            at = high - 1
        elif recorded and passes(groups[high], between):
            at = low
        else:
            continue
        whole = _join(groups[low], groups[high])
        if whole is not None and whole.fits(step):
            del groups[high], groups[low]
            groups.insert(at, whole)
            group, place = whole, at
    return group


def _beside(groups: list[Group], group: Group, step: Instruction) -> Group:
    """The group that a skeleton joins: one that it goes with, if the given one computes nothing."""
    if group.computes_for(step):
        return group
    for other in reversed(groups[: groups.index(group)]):
        if other.endings and other.goes_with(step) and other.shares(step) and other.fits(step):
            return other
        if other.hinders(step):
            break
    return group


def _join(first: Group, second: Group) -> Group | None:
    """Two groups, of which one runs before the other, as one, if that can be."""
    shared = first.values.keys() & second.values.keys()
    if len(first.entries) + len(second.entries) - len(shared) >= tuning.ENTRIES:
        return None
    if not _may_be_one(first, second):
        return None
    few = second
    if passes(first, [second]):
        few, first = sorted((first, second), key=lambda group: len(group.members))
    whole = first.copy()
    for number, step in few.members:
        if not whole.fits(step):
            return None
        whole.add(number, step)
    return whole


def _may_be_one(first: Group, second: Group) -> bool:
    """Whether two groups, one behind the other, have few storages and nothing plain against it."""
    if first.space != second.space and not first.linear and not second.linear:
        return False
    if any(slot in first.written for slot in second.moved):
        return False
    stored = first.stored | second.stored
    slots = stored | first.read.keys() | (second.read.keys() - first.written.keys())
    return len(slots) <= tuning.SLOTS and len(stored) <= tuning.STORES


def passes(group: Group, others: Sequence[Group]) -> bool:
    """Whether a group may as well run after, or before, others that are next to it."""
    return not any(
        slot in other.read or slot in other.written for other in others for slot in group.written
    ) and not any(slot in other.written for other in others for slot in group.read)


def needed(steps: Sequence[Instruction], alive: Sequence[bool]) -> list[bool]:
    """Whether what an instruction writes is read later, or by whoever holds the storage."""
    wanted = {slot for slot, is_alive in enumerate(alive) if is_alive}
    result = []
    for step in reversed(steps):
        is_needed = isinstance(step.operation, Consumed) or step.written.slot in wanted
        if is_needed:
            wanted.update(step.slots)
        result.append(is_needed)
    return result[::-1]
