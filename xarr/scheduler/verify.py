"""Verification: check the list after each pass for what makes a program right.

The checks look at operands and targets alone, and not at what passes derive from these, so that a
pass which derives something wrong is found. They cost as much as the passes: tests run them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeVar

from xarr.codegen.expressions import GatherScatter
from xarr.ir.storage import is_live
from xarr.lowering.operations import Ref, TemplateOp
from xarr.scheduler.buffer_reuse import Plan
from xarr.scheduler.fusion_group import FusionGroup, overlap
from xarr.scheduler.instructions import Key, ScheduledInstruction
from xarr.settings import IMPORTED

_Listed = TypeVar("_Listed")


class _Switch:
    """Whether lists are verified: XARR_VERIFY, or what tests choose."""

    is_on = IMPORTED.verify


switch: Final = _Switch()


class VerificationError(AssertionError):
    """A pass of the scheduler has made a list that is not what the program means."""


class _Access(NamedTuple):
    """A read or a write of an instruction; `ref` is None where it may be of any element."""

    instruction: ScheduledInstruction
    ref: Ref | None
    key: Key
    writes: bool


def _require(condition: object, at: ScheduledInstruction | None, fault: str, *parts: int) -> None:
    if not condition:
        where = "" if at is None else f"instruction {at.number} ({at.operation.name}) "
        raise VerificationError(where + fault.format(*parts))


def _accesses(instruction: ScheduledInstruction) -> Iterator[_Access]:
    """Yield the reads of an instruction, then its write."""
    is_indirect = isinstance(instruction.operation, GatherScatter)
    is_scatter = is_indirect and instruction.target is None
    for place, ref, key in instruction.read:
        if place or not is_scatter:
            is_any = is_indirect and not place
            yield _Access(instruction, None if is_any else ref, key, writes=False)
    if instruction.target is not None or is_scatter:
        yield _Access(instruction, instruction.target, instruction.key, writes=True)


def _if_on(check: Callable[[Verifier, _Listed], None]) -> Callable[[Verifier, _Listed], _Listed]:
    """Let a check give back its list, at which it looks only where lists are verified."""

    def checked(self: Verifier, listed: _Listed) -> _Listed:
        if switch.is_on:
            check(self, listed)
        return listed

    return checked


class Verifier:
    """The checks of the lists that a list of instructions becomes."""

    def __init__(self, given: Sequence[ScheduledInstruction], states: Sequence[int]) -> None:
        if switch.is_on:
            self._given = self._instructions = given
            self._states = states
            self._live = [is_live(state) for state in states]
            self._writes: dict[int, list[ScheduledInstruction]] = {}
            for instruction in given:
                self._writes.setdefault(instruction.written.slot, []).append(instruction)
            fresh = {instruction.written.slot for instruction in given if instruction.is_fresh}
            self._in_memory = set(range(len(states))) - fresh

    @_if_on
    def instructions(self, instructions: Sequence[ScheduledInstruction]) -> None:
        """Check that no instruction reads an unwritten storage, and that no live one is dropped."""
        there = set(self._in_memory)
        numbers = [instruction.number for instruction in instructions]
        _require(numbers == sorted(set(numbers)), None, "instructions have left their order")
        filled = {one.written.slot for one in instructions if one.uninitialised_nbytes}
        fills = [one.number for one in self._given if one.is_fresh and one.written.slot in filled]
        kept = {*numbers, *fills}
        done = kept.union(*[instruction.also for instruction in instructions])
        for instruction in self._given:
            slot = instruction.written.slot
            is_done = instruction.number in done or not self._live[slot]
            _require(is_done, instruction, "writes s{}, which is live, and is gone", slot)
        for instruction in instructions:
            slot = instruction.written.slot
            for one in filter(None, (instruction, instruction.whole)):
                self._reads(one, there, kept)
            is_new = not instruction.is_fresh or slot not in there
            _require(is_new, instruction, "makes s{} again", slot)
            is_there = instruction.is_fresh or slot in there or instruction.uninitialised_nbytes
            _require(is_there, instruction, "writes to s{} before it is there", slot)
            there.add(slot)
        self._instructions = instructions

    def _reads(self, reader: ScheduledInstruction, there: set[int], kept: set[int]) -> None:
        """Check the operands of an instruction, also those that it reads to recompute others."""
        recomputed = [self._given[number] for number in sorted(reader.also)]
        for _, ref, _ in reader.read:
            slot = ref.slot
            _require(slot in there, reader, "reads s{} before anything writes it", slot)
            first = next((one.number for one in recomputed if slot in one.slots), reader.number)
            for other in self._writes.get(slot, ()):
                if other.number < reader.number:
                    _require(other.number in kept, reader, "reads s{}, whose write is gone", slot)
                    is_between = other.number > first and overlap(other.written, ref)
                    _require(not is_between, reader, "reads s{} after it was overwritten", slot)

    @_if_on
    def groups(self, groups: Sequence[FusionGroup]) -> None:
        """Check that each instruction is in one group, and that no hazard is broken."""
        members = [instruction for group in groups for instruction in group.members]
        numbers = {instruction.number for instruction in members}
        _require(len(numbers) == len(members), None, "an instruction is in two groups")
        numbers.update(number for instruction in members for number in instruction.also)
        for instruction in self._instructions:
            _require(instruction.number in numbers, instruction, "is in no group")
        self._hazards(groups)

    def _hazards(self, groups: Sequence[FusionGroup]) -> None:
        """Check that instructions with a hazard between them keep their order, in all pairs."""
        accesses: dict[int, list[tuple[int, int, _Access]]] = {}
        for place, group in enumerate(groups):
            reads = [one for each in group.recomputed for one in _accesses(each) if not one.writes]
            for access in reads:
                accesses.setdefault(access.key[0], []).append((place, -1, access))
            for at, instruction in enumerate(group.members):
                for access in _accesses(instruction):
                    accesses.setdefault(access.key[0], []).append((place, at, access))
        for slot, some in accesses.items():
            some.sort(key=lambda one: one[2].instruction.number)
            for number, (place, at, first) in enumerate(some):
                for other, behind, second in some[number + 1 :]:
                    is_same = first.instruction is second.instruction
                    if is_same or not (first.writes or second.writes):
                        continue
                    refs = first.ref, second.ref
                    if refs[0] is None or refs[1] is None or overlap(refs[0], refs[1]):
                        rest = second.instruction.number, slot
                        in_order = (place, at) < (other, behind)
                        _require(in_order, first.instruction, "and {} changed places in s{}", *rest)
                        if place == other:
                            self._items(groups[place], first, second)

    def _items(self, group: FusionGroup, first: _Access, second: _Access) -> None:
        """Check that each item of a kernel accesses the same element in both instructions."""
        is_same = None not in (first.ref, second.ref) and first.key == second.key
        if not first.writes:
            is_same |= first.key[0] in group.double_buffered
        elif isinstance(first.instruction.operation, TemplateOp):
            is_same = second.key[2:] == (None, 0)  # a result, element by element
        fault = "and {} access each other's elements in one kernel"
        _require(is_same, first.instruction, fault, second.instruction.number)

    @_if_on
    def stores(self, groups: Sequence[FusionGroup]) -> None:
        """Check that kernels load what was stored, and that live storages are stored."""
        there = set(self._in_memory)
        done = {number for group in groups for number in group.numbers_of_members}
        for instruction in self._instructions:
            is_done = instruction.number in done or not self._live[instruction.written.slot]
            _require(is_done, instruction, "is live and is gone")
        for group in groups:
            instruction = group.members[0]
            for slot in group.read:
                _require(slot in there, instruction, "loads s{}, which nothing stores", slot)
            there |= {slot for slot, *_ in group.outputs}
            there |= {ref.slot for _, ref in group.stored_results}
            for slot in group.written:
                is_stored = slot in there or not self._live[slot]
                _require(is_stored, instruction, "does not store s{}, which is live", slot)

    @_if_on
    def runs(self, runs: Sequence[list[FusionGroup]]) -> None:
        """Check that joined groups keep their order, and that none gathers from another's rows."""
        groups = [group for run in runs for group in run]
        if len(runs) < len(groups):
            self._hazards(groups)
            self.stores(groups)
        for run in runs:
            written = {slot for group in run for slot in group.written}
            for group in run if len(run) > 1 else ():
                gathered = {slot for slot, refs in group.read.items() if None in refs}
                is_apart = not gathered & written and not group.double_buffered
                _require(is_apart, group.members[0], "accesses other rows")

    @_if_on
    def plan(self, plan: Plan) -> None:
        """Check that no buffer is reused or freed that is live, or that a later kernel accesses."""
        count = len(self._states)
        gone = set(plan.dead)
        nbytes = {slot: state for slot, state in enumerate(self._states) if state >= 0}
        spare: list[int] = []
        for kernel in plan.kernels:
            groups = kernel.groups
            first = groups[0].members[0]
            accesses = [key for group in groups for key in (*group.accesses, *group.outputs)]
            for slot in {slot for group in groups for slot in (*group.read, *group.written)}:
                _require(slot not in gone, first, "accesses s{}, whose buffer is gone", slot)
            for _, ref in [one for group in groups for one in group.outputs.values()]:
                nbytes.setdefault(ref.slot, ref.nbytes)
            for output, donor in kernel.reuses.items():
                if donor >= count:
                    spare.append(donor)
                    continue
                is_alike = nbytes.get(donor, -1) == nbytes.get(output)
                places = [how for slot, _, how, _ in accesses if slot in (output, donor)]
                is_in_place = is_alike and set(places) == {None}
                _require(is_in_place, first, "reuses s{} for s{}, which is unlike", donor, output)
            for slot in (*kernel.freed, *[one for one in kernel.reuses.values() if one < count]):
                _require(not self._live[slot], first, "frees s{}, which is live", slot)
                _require(slot not in gone, first, "frees s{} twice", slot)
                gone.add(slot)
        spares = [*range(count, count + len(plan.spare_buffers))]
        _require(spare == spares, None, "a spare buffer is used twice, or not at all")
