"""Verification: check the list after each pass for what makes a program right.

The checks look at operands and targets alone, and not at what passes derive from these, so that a
pass which derives something wrong is found. They cost as much as the passes: tests run them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeVar

from xarr.codegen.kernel_spec import GatherScatter
from xarr.ir.storage import is_held
from xarr.scheduler.buffer_reuse import Plan
from xarr.scheduler.fusion_group import FusionGroup, overlap
from xarr.scheduler.instructions import Key, Ref, ScheduledInstruction, TemplateOp
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

    step: ScheduledInstruction
    ref: Ref | None
    key: Key
    writes: bool


def _require(condition: object, step: ScheduledInstruction | None, fault: str, *parts: int) -> None:
    if not condition:
        where = "" if step is None else f"instruction {step.number} ({step.operation.name}) "
        raise VerificationError(where + fault.format(*parts))


def _accesses(step: ScheduledInstruction) -> Iterator[_Access]:
    """Yield the reads of an instruction, then its write."""
    is_indirect = isinstance(step.operation, GatherScatter)
    is_scatter = is_indirect and step.target is None
    for place, ref, key in step.read:
        if place or not is_scatter:
            yield _Access(step, None if is_indirect and not place else ref, key, writes=False)
    if step.target is not None or is_scatter:
        yield _Access(step, step.target, step.key, writes=True)


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
            self._given = self._steps = given
            self._states = states
            self._live = [is_held(state) for state in states]
            self._writes: dict[int, list[ScheduledInstruction]] = {}
            for step in given:
                self._writes.setdefault(step.written.slot, []).append(step)
            fresh = {step.written.slot for step in given if step.is_fresh}
            self._in_memory = set(range(len(states))) - fresh

    @_if_on
    def instructions(self, steps: Sequence[ScheduledInstruction]) -> None:
        """Check that what is read was written, and that nothing is dropped that somebody needs."""
        there = set(self._in_memory)
        numbers = [step.number for step in steps]
        _require(numbers == sorted(set(numbers)), None, "instructions have left their order")
        filled = {step.written.slot for step in steps if step.uninitialised_nbytes}
        fills = [one.number for one in self._given if one.is_fresh and one.written.slot in filled]
        kept = {*numbers, *fills}
        done = kept.union(*[step.also for step in steps])
        for step in self._given:
            slot = step.written.slot
            is_done = step.number in done or not self._live[slot]
            _require(is_done, step, "writes s{}, which is live, and is gone", slot)
        for step in steps:
            slot = step.written.slot
            for one in filter(None, (step, step.whole)):
                self._reads(one, there, kept)
            _require(not (step.is_fresh and slot in there), step, "makes s{} again", slot)
            is_there = step.is_fresh or slot in there or step.uninitialised_nbytes
            _require(is_there, step, "writes to s{} before it is there", slot)
            there.add(slot)
        self._steps = steps

    def _reads(self, step: ScheduledInstruction, there: set[int], kept: set[int]) -> None:
        """Check the operands of an instruction, also those that it reads to recompute others."""
        recomputed = [self._given[number] for number in sorted(step.also)]
        for _, ref, _ in step.read:
            slot = ref.slot
            _require(slot in there, step, "reads s{} before anything writes it", slot)
            first = next((one.number for one in recomputed if slot in one.slots), step.number)
            for other in self._writes.get(slot, ()):
                if other.number < step.number:
                    _require(other.number in kept, step, "reads s{}, whose write is gone", slot)
                    is_between = other.number > first and overlap(other.written, ref)
                    _require(not is_between, step, "reads s{} after it was overwritten", slot)

    @_if_on
    def groups(self, groups: Sequence[FusionGroup]) -> None:
        """Check that each instruction is in one group, and that no hazard is broken."""
        members = [step for group in groups for step in group.members]
        numbers = {step.number for step in members}
        _require(len(numbers) == len(members), None, "an instruction is in two groups")
        numbers.update(number for step in members for number in step.also)
        for step in self._steps:
            _require(step.number in numbers, step, "is in no group")
        self._hazards(groups)

    def _hazards(self, groups: Sequence[FusionGroup]) -> None:
        """Check that instructions with a hazard between them keep their order, in all pairs."""
        accesses: dict[int, list[tuple[int, int, _Access]]] = {}
        for place, group in enumerate(groups):
            for at, step in enumerate(group.members):
                for access in _accesses(step):
                    accesses.setdefault(access.key[0], []).append((place, at, access))
        for slot, some in accesses.items():
            some.sort(key=lambda one: one[2].step.number)
            for number, (place, at, first) in enumerate(some):
                for other, behind, second in some[number + 1 :]:
                    if first.step is second.step or not (first.writes or second.writes):
                        continue
                    refs = first.ref, second.ref
                    if refs[0] is None or refs[1] is None or overlap(refs[0], refs[1]):
                        faulty = second.step.number, slot
                        in_order = (place, at) < (other, behind)
                        _require(in_order, first.step, "and {} changed places in s{}", *faulty)
                        if place == other:
                            self._items(groups[place], first, second)

    def _items(self, group: FusionGroup, first: _Access, second: _Access) -> None:
        """Check that each item of a kernel accesses the same element in both instructions."""
        is_same = None not in (first.ref, second.ref) and first.key == second.key
        if not first.writes:
            is_same |= first.key[0] in group.double_buffered
        elif isinstance(first.step.operation, TemplateOp):
            is_same = second.key[2:] == (None, 0)  # a result, element by element
        fault = "and {} access each other's elements in one kernel"
        _require(is_same, first.step, fault, second.step.number)

    @_if_on
    def stores(self, groups: Sequence[FusionGroup]) -> None:
        """Check that what a kernel loads was stored, and that what is live is stored."""
        there = set(self._in_memory)
        done = {number for group in groups for number in group.numbers_of_members}
        for step in self._steps:
            is_done = step.number in done or not self._live[step.written.slot]
            _require(is_done, step, "is live and is gone")
        for group in groups:
            step = group.members[0]
            for slot in group.read:
                _require(slot in there, step, "loads s{}, which nothing stores", slot)
            there |= {slot for slot, *_ in group.outputs}
            there |= {ref.slot for _, ref in group.stored_results}
            for slot in group.written:
                is_stored = slot in there or not self._live[slot]
                _require(is_stored, step, "does not store s{}, which is live", slot)

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
        for kernel in (*plan.launches, *plan.consumer):
            groups = kernel.groups
            step = groups[0].members[0]
            accesses = [key for group in groups for key in (*group.accesses, *group.outputs)]
            for slot in {slot for group in groups for slot in (*group.read, *group.written)}:
                _require(slot not in gone, step, "accesses s{}, whose buffer is gone", slot)
            for _, ref in [one for group in groups for one in group.outputs.values()]:
                nbytes.setdefault(ref.slot, ref.nbytes)
            for output, donor in kernel.reuses.items():
                if donor >= count:
                    spare.append(donor)
                    continue
                is_alike = nbytes.get(donor, -1) == nbytes.get(output)
                places = [how for slot, _, how, _ in accesses if slot in (output, donor)]
                is_in_place = is_alike and set(places) == {None}
                _require(is_in_place, step, "reuses s{} for s{}, which is unlike", donor, output)
            for slot in (*kernel.freed, *[one for one in kernel.reuses.values() if one < count]):
                _require(not self._live[slot], step, "frees s{}, which is live", slot)
                _require(slot not in gone, step, "frees s{} twice", slot)
                gone.add(slot)
        spares = [*range(count, count + len(plan.spare_buffers))]
        _require(spare == spares, None, "a spare buffer is used twice, or not at all")
