"""The tape: what was asked of a device and has not run, in program order.

Running it in order, one instruction after the other, is the meaning of a program. A list of
instructions that has run before is looked up by what it is: the opcodes, which storage each view
is of, by order of first use, where it begins beyond the storage's first view, and which storages
somebody still holds. The program that is found has the launches ready; storages, offsets and
constants are its arguments.
"""

from __future__ import annotations

import functools
import itertools
import math
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import errors, layout, references
from xarr.engine import hosted, immediate, launch, schedule
from xarr.engine.expression import (
    Node,
    Opcode,
    Operation,
    Structure,
    remembered,
    structure,
)
from xarr.engine.program import Program, Trace
from xarr.engine.storage import Storage
from xarr.engine.unrolled import Prepared
from xarr.settings import settings

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.layout import Shape

LIMIT: Final = 64
"""Instructions that a tape may have."""
LIMIT_OPCODES: Final = 1024

Code = int | tuple[int, int]
"""A view of a storage: its number on the tape, and how far beyond the first view it begins."""


class _Mode:
    """How many `eager()` blocks are open; XARR_EAGER opens one for good."""

    def __init__(self) -> None:
        self.eager = 1 if settings().eager else 0


_mode: Final = _Mode()


@contextmanager
def eager() -> Iterator[None]:
    """Run each operation at once within a ``with`` block, with the same bits.

    Useful to see in which line a slow or failing operation is.
    """
    _mode.eager += 1
    try:
        yield
    finally:
        _mode.eager -= 1


class Step(NamedTuple):
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

    opcode: Opcode
    nodes: tuple[Node, ...]
    fresh: Storage | None
    scalar: Any
    number: int

    @property
    def written(self) -> Storage:
        """The storage that it writes; of what is consumed, which writes none, the operand's."""
        if self.fresh is not None:
            return self.fresh
        storage = self.nodes[0 if self.opcode.target is None else -1].storage
        assert storage is not None
        return storage


NUMBERS: Final = itertools.count()
"""What gives instructions their numbers."""
_numbers: Iterator[int] = NUMBERS
_tier: Final = hosted.tier
_ALONE: Final = immediate.alone
_ASIDE: Final = object()
"""What storages bear that an instruction writes which was put aside."""


class Tape:
    """What was asked of a device and has not run.

    Threads append to `steps` without a lock, since a list is changed by one at a time; what runs
    holds the device's.

    Attributes
    ----------
    mark : object
        What storages that are written to bear, until that has run.
    reads : int
        How many elements the host has read in place since it last ran.
    aside : list of Step
        What failed, and what depends on that: it runs again when its value is asked for.
    """

    __slots__ = ("aside", "cycle", "device", "is_running", "mark", "past", "reads", "steps",
                 "unfinished")  # fmt: skip

    def __init__(self, device: Device) -> None:
        self.device = device
        self.is_running = False
        self.mark = object()
        self.reads = 0
        self.steps: list[Step] = []
        self.aside: list[Step] = []
        self.unfinished: list[launch.Prepared] = []
        self.past: list[Opcode] = []
        self.cycle: list[Opcode] = []

    def writes(self, storage: Storage) -> bool:
        """Whether an instruction, or what is unfinished, may write a storage."""
        if self.unfinished:
            return True
        return storage.buffer is None or storage.mark in (self.mark, _ASIDE)

    def compute(self, storage: Storage) -> None:
        """Run what writes a storage, and all that was asked for with it."""
        if self.is_running or self.writes(storage):
            self.run()
        if self.aside and (self.writes(storage) or self._is_behind(storage)):
            self._put_first(self.aside)
            self.run()

    def _is_behind(self, storage: Storage) -> bool:
        """Whether what is aside may write a storage's memory by another name."""
        shared = self.device.shared
        return storage.serial in shared and any(
            step.written.serial in shared for step in self.aside
        )

    def copied(self, storage: Storage, copy: Operation) -> Node | None:
        """What is in memory, and the last instruction copies to a new storage; None for others."""
        if self.is_running or self.unfinished or self.aside or not self.steps:
            return None
        opcode, nodes, fresh, *_ = self.steps[-1]
        if fresh is not storage or opcode.operation is not copy:
            return None
        source = nodes[0].storage
        return None if source is None or self.writes(source) else nodes[0]

    def names(self, storage: Storage) -> bool:
        """Whether an instruction, or what is unfinished, may write or read a storage."""
        if self.unfinished:
            return True
        for step in (*self.steps, *self.aside):
            for node in step.nodes:
                if node.storage is storage:
                    return True
            if step.fresh is storage:
                return True
        return False

    def has_no_axes(self) -> bool:
        """Whether all instructions are for one element each, so that no kernel becomes two."""
        return not any(step.opcode.shape for step in self.steps)

    def end(self) -> None:
        """Run everything now that an instruction is complete; unless a finalizer asked for it."""
        with self.device.lock:
            if not self.is_running:
                self.run()

    def cut(self) -> None:
        """Run what stands on a full tape up to where a loop's body ended; see `end`."""
        with self.device.lock:
            # Another thread may have cut it meanwhile.
            if len(self.steps) >= LIMIT and not self.is_running:
                self._run(self._end_of_cycle())

    def _end_of_cycle(self) -> int:
        """How many instructions of a full tape to run: up to where a loop's body last began.

        So the body of a loop is cut at the same places each time, whatever its length, and a loop
        of a thousand steps has few programs.
        """
        steps = self.steps[:]  # others append
        opcodes = [step.opcode for step in steps]
        known = [*self.past, *opcodes]
        before = len(self.past)
        length = len(self.cycle)
        first = max(before - length, 0)
        count = 0
        if length and known[first + length :] == known[first : len(known) - length]:
            count = _last_end(known, self.cycle, before)
        if not count:
            found = _cycle(known, min(len(opcodes), len(known) // 2), steps)
            self.cycle = found or self.cycle
            count = _last_end(known, self.cycle, before) or _narrowest(_carried(steps))
        self.past = known[: before + count][-2 * LIMIT :]
        return count

    # -- running ---------------------------------------------------------------------------------

    def run(self) -> None:
        """Run everything."""
        if self.steps or self.aside or self.unfinished or self.is_running:
            self.past = []
            self._run(len(self.steps))

    def release(self, is_written: Callable[[Storage], bool]) -> None:
        """Run everything; also what is aside, if it names a storage that is written next.

        What writes is not on the tape, so nothing else would keep the order.
        """
        self.run()
        if any(
            is_written(step.written)
            or any(node.storage is not None and is_written(node.storage) for node in step.nodes)
            for step in self.aside
        ):
            self._put_first(self.aside)
            self.run()

    def consume(
        self, node: Node, split: tuple[int, ...], names: tuple[str, ...], *, wide: bool
    ) -> Prepared:
        """Run everything but the kernel that a skeleton, which takes a value, will be."""
        operation = _consumed(split, names, wide)
        opcode = opcode_of(operation, (node.structure,), node.shape)
        step = Step(opcode, (node,), None, None, next(_numbers))
        self.steps.append(step)
        try:
            prepared = self._run(len(self.steps))
        except BaseException:
            if step in self.steps:  # what failed came before it
                self.steps.remove(step)
            raise
        assert prepared is not None
        return prepared

    def _run(self, count: int) -> Prepared | None:
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
        trace = listed = program = None
        steps = self.steps[:count]
        device = self.device
        driver = device.driver
        others_see = bool(device.shared)
        launched = 0
        done: list[int] = []
        try:
            self.is_running = True
            self.reads = 0
            if self.unfinished:
                launch.go_on(device, self.unfinished)
                launch.end_before_others(device)
            launched = driver.launched
            trace, listed = self._listed(self._taken(steps))
            steps.clear()  # they hold storages
            storages = listed.storages
            if others_see:
                others_see = any(storage.serial in device.shared for storage in storages)
            program = trace.program(self._states(storages, trace.sizes))
            return program.run(listed, done, self.unfinished)
        except BaseException as error:
            if listed is None or trace is None:
                if steps and not (self.steps and self.steps[0] is steps[0]):
                    self._put_first(steps)
                raise
            steps.clear()
            if program is not None:
                launched = driver.launched - launched
                program.broken_off(listed.storages, launched, done, self.unfinished)
            opcodes = trace.opcodes
            failed = range(len(opcodes)) if program is None else program.failed(done)
            names = dict.fromkeys([opcodes[at].operation.name for at in failed])
            error.add_note(f"{self.device} was computing {', '.join(names)}")
            left = failed if program is None else program.left(done)
            marked = [(at in failed, step) for at, step in enumerate(_steps(trace, listed))
                      if at in left and step is not None]  # fmt: skip
            for part in listed:
                part.clear()
            traceback.clear_frames(error.__traceback__)  # else it holds them
            if isinstance(error, Exception):
                self._put_first(self._sorted_out(marked))
            else:
                self._put_first([step for _, step in marked])
            raise
        finally:
            self.is_running = False
            if others_see:
                launch.end_before_others(device)

    def _taken(self, steps: list[Step]) -> list[Step]:
        """The first instructions, which leave the tape; those of them that may run."""
        del self.steps[: len(steps)]
        mark = object()
        # No call in between, behind which a finalizer may write and another thread go on.
        if not self.steps:
            self.mark = mark
        if not self.aside:
            return steps
        marked = [(False, step) for step in steps]
        steps.clear()
        return self._sorted_out(marked)

    def _sorted_out(self, marked: list[tuple[bool, Step]]) -> list[Step]:
        """The instructions that do not depend on one that failed; the others go, or stay, aside.

        Those that have just failed bear True. If none has, and others see memory that one which
        would go reads or writes, all are tried again.
        """
        shared = set() if any(has_failed for has_failed, _ in marked) else {*self.device.shared}
        marked += [(True, step) for step in self._needed(self.aside)]
        marked.sort(key=lambda item: item[1].number)
        self.aside = []
        steps: list[Step] = []
        later: list[Step] = []
        read: set[int] = set()
        written: set[int] = set()
        while marked:
            has_failed, step = marked.pop(0)
            reads = {node.storage.serial for node in step.nodes if node.storage is not None}
            writes = step.written.serial
            if has_failed or reads & written or writes in written or writes in read:
                is_consumed = isinstance(step.opcode.operation, schedule.Consumed)
                if is_consumed or writes in shared or reads & shared:
                    both = [*later, *steps, step, *(step for _, step in marked)]
                    return sorted(both, key=lambda step: step.number)  # whoever asks is told
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

    def _needed(self, steps: list[Step]) -> list[Step]:
        """Those steps whose results somebody holds, or another one of them needs."""
        trace, listed = self._listed(steps)
        steps.clear()  # they hold storages
        alive = [state in schedule.HELD for state in self._states(listed.storages, trace.sizes)]
        needed = schedule.needed(schedule.instructions(trace.opcodes, trace.codes), alive)
        found = zip(_steps(trace, listed), needed, strict=True)
        return [step for step, is_needed in found if is_needed and step is not None]

    def _put_first(self, steps: list[Step]) -> None:
        """Have instructions on the tape again, before those that are there."""
        if steps is self.aside:
            self.aside = []
        self.steps[:0] = steps
        for step in steps:
            step.written.mark = self.mark

    def would_run(self) -> tuple[Trace, Arguments, Program]:
        """What the tape says, and what would run now; all stays as it is."""
        was_running = self.is_running
        try:
            self.is_running = True
            # Else the tape itself holds every storage.
            trace, listed = self._listed(self._taken(self.steps[:]))
            try:
                return trace, listed, trace.program(self._states(listed.storages, trace.sizes))
            finally:
                self._put_first([step for step in _steps(trace, listed) if step is not None])
        finally:
            self.is_running = was_running

    def _listed(self, steps: list[Step]) -> tuple[Trace, Arguments]:
        """Steps as what they have in common with others like them, and what they have not."""
        opcodes = tuple([step[0] for step in steps])
        programs = self.device.programs
        trace: Trace | None = programs.get(opcodes)
        found = None if trace is None else trace.read(steps)
        if found is None or trace is None:
            codes, found = _encoded(steps)
            trace = programs.get((opcodes, codes))
            if trace is None:
                trace = Trace(self.device, opcodes, codes)
                remembered(programs, (opcodes, codes), trace)
            else:  # what runs again is what will run next
                trace.prepare([len(step.nodes) for step in steps])
                remembered(programs, opcodes, trace)
        return trace, _made(Arguments, found)

    def _states(self, storages: list[Storage], sizes: frozenset[int]) -> tuple[int, ...]:
        """Of each storage whether somebody holds it, and how many bytes are free if not.

        The bytes are none where no result, of one of some `sizes`, could have that memory.
        """
        held = sys.getrefcount
        shared, kept = self.device.shared, self.device.kept
        states = []
        for storage in storages:
            # Held by the list, by the name here and by the call: else somebody has it.
            if (
                held(storage) > _UNHELD
                or (shared and storage.serial in shared)
                or (kept and id(storage.buffer) in kept)
            ):
                state = schedule.ALIVE
            elif storage.buffer is None or storage.lender is not None:
                state = schedule.DEAD
            else:
                nbytes = storage.nbytes
                states.append(nbytes if nbytes in sizes or nbytes >= layout.WIDE else 0)
                continue
            states.append(state if storage.nbytes < layout.WIDE else state + schedule.WIDE)
        return tuple(states)


def _unheld() -> int:
    """The count of what only a list holds; less than any where threads count apart."""
    if not references.COUNTED:
        return -1
    storages = [object()]
    count = 0
    for storage in storages:
        count = sys.getrefcount(storage)
    return count


_UNHELD: Final = _unheld()


_made: Final[Any] = tuple.__new__
"""What makes named tuples at less cost than their own functions."""


class Arguments(NamedTuple):
    """What steps have not in common with others that are the same instructions on such views.

    Attributes
    ----------
    storages, bases : list of Storage, list of int
        The storages that are named, and the offset of the first view of each.
    constants : list
        The values of all constants.
    numbers : list of int
        Those of the steps.
    """

    storages: list[Storage]
    bases: list[int]
    constants: list[Any]
    numbers: list[int]


def _encoded(steps: Sequence[Step]) -> tuple[tuple[Code, ...], Arguments]:
    """The views of each step's operands, then of its target unless that is new; and the rest."""
    mark = object()
    codes: list[Code] = []
    constants: list[Any] = []
    storages: list[Storage] = []
    bases: list[int] = []
    numbers: list[int] = []
    for _, nodes, fresh, scalar, number in steps:
        numbers.append(number)
        for node in nodes:
            storage = node.storage
            if storage is None:
                constants.append(node.value)
            elif storage.tape is mark:
                slot = storage.slot
                beyond = node.offset - bases[slot]
                codes.append((slot, beyond) if beyond else slot)
            else:
                storage.tape = mark
                storage.slot = slot = len(storages)
                codes.append(slot)
                storages.append(storage)
                bases.append(node.offset)
        if scalar is not None:
            constants.append(scalar)
        if fresh is not None:
            fresh.tape = mark
            fresh.slot = len(storages)
            storages.append(fresh)
            bases.append(0)
    return tuple(codes), Arguments(storages, bases, constants, numbers)


def _steps(trace: Trace, listed: Arguments) -> Iterator[Step | None]:
    """The instructions again; None for one that is consumed, of whose error its caller is told."""
    storages, bases, constants, numbers = listed
    rest, values = map(schedule.decoded, trace.codes), iter(constants)
    named = 0
    for opcode, number in zip(trace.opcodes, numbers, strict=True):
        nodes = []
        for how in opcode.named:
            if how.pattern is None:
                nodes.append(Node(None, how, 0, next(values)))
            else:
                slot, beyond = next(rest)
                named = max(named, slot + 1)
                nodes.append(Node(storages[slot], how, bases[slot] + beyond))
        fresh = None
        if opcode.is_fresh:
            fresh = storages[named]
            named += 1
        is_consumed = isinstance(opcode.operation, schedule.Consumed)
        yield None if is_consumed else Step(opcode, tuple(nodes), fresh, None, number)


def _last_end(known: Sequence[Opcode], cycle: Sequence[Opcode], first: int) -> int:
    """How many instructions after `first` there are up to where a cycle ended last; 0 for none."""
    length = len(cycle)
    if length:
        last = cycle[-1]
        for end in range(len(known), max(first, length - 1), -1):
            if known[end - 1] is last and known[end - length : end] == cycle:
                return end - first
    return 0


def _carried(steps: list[Step]) -> list[int]:
    """The bytes that have to be stored if the tape is cut, for each number of steps before the cut.

    They are those of new storages which a step before it writes and one behind it reads; or none
    does, as of yet.
    """
    places: dict[int, int] = {}
    ends = [len(steps)] * len(steps)
    changes = [0] * (len(steps) + 2)
    for number, step in enumerate(steps):
        for node in step.nodes:
            if node.storage is not None and node.storage.serial in places:
                ends[places[node.storage.serial]] = number
        if step.fresh is not None:
            places[step.fresh.serial] = number
    for number, step in enumerate(steps):
        if step.fresh is not None:
            changes[number + 1] += step.fresh.nbytes
            changes[ends[number] + 1] -= step.fresh.nbytes
    return list(itertools.accumulate(changes))[:-1]


def _narrowest(carried: list[int]) -> int:
    """Where in the second half of a tape a cut stores least, as late as possible."""
    return min(range(len(carried) // 2, len(carried)), key=lambda at: (carried[at], -at))


def _cycle(known: list[Opcode], count: int, steps: list[Step]) -> list[Opcode]:
    """The shortest list that the last `count` instructions repeat; empty for none.

    Of all the places at which it may begin one is chosen, the same each time: behind a write to
    what exists, with which the body of a loop mostly ends; then where a cut stores least.
    """
    last = known[-count:]
    for length in range(1, len(known) - count + 1):
        if known[-1 - length] is last[-1] and known[-count - length : -length] == last:
            found = known[-length:]
            carried = _carried(steps)
            # One turn before the last one, so that it is known what reads a value.
            end = len(carried) - 1 - (2 if 2 * length < len(carried) else 1) * length
            turns = [(found[at:] + found[:at], end + at) for at in range(length)]
            return min(
                turns,
                key=lambda turn: [
                    turn[0][-1].is_fresh,
                    carried[max(turn[1], 0)],
                    *map(id, turn[0]),
                ],
            )[0]
    return []


@functools.cache
def _consumed(split: tuple[int, ...], names: tuple[str, ...], wide: bool) -> schedule.Consumed:
    return schedule.Consumed(split, names, wide)


def opcode_of(
    operation: Operation,
    operands: tuple[Structure, ...],
    shape: Shape,
    target: Structure | None = None,
    *,
    fresh: Shape | None = None,
    device: Device | None = None,
) -> Opcode:
    """The opcode of an operation over a shape, on operands of some structures.

    It writes to a view of the structure `target`, or to a new storage whose shape is `fresh`.
    """
    opcodes = operation.opcodes
    key = (operands, shape, target, fresh, device)
    opcode = opcodes.get(key)
    if opcode is None:
        if len(opcodes) >= LIMIT_OPCODES:
            opcodes.clear()
        on = device or operands[0].device
        _require_possible(operation, fresh, on)
        if fresh is not None:
            target = structure(on, operation.result, layout.contiguous(fresh).pattern)
        opcode = Opcode(operation, operands, target, shape, on, is_fresh=fresh is not None)
        opcode.immediate = immediate.of(opcode)
        opcodes[key] = opcode
    return opcode


def _require_possible(operation: Operation, fresh: Shape | None, device: Device) -> None:
    """Refuse a result that no memory of the device would hold, where it is asked for."""
    nbytes = 0 if fresh is None else math.prod(fresh) * operation.result.itemsize
    if nbytes > device.info.memory_nbytes:
        raise MemoryError(
            errors.message(
                f"{operation.name} on {device}",
                f"a result of shape {fresh} and dtype {operation.result} has {nbytes} bytes",
                f"the device has {device.info.memory_nbytes}",
                "work in smaller pieces",
            )
        )


def computed(opcode: Opcode, operands: tuple[Node, ...], scalar: Any = None) -> Node:
    """Ask for an instruction that writes a new storage; the view of it.

    A Python scalar stands for the operand that is a constant, between its data type's bounds.
    """
    device = opcode.device
    tape = device.tape or of(device)
    at_once = opcode.immediate
    if at_once is not None and not _tier.name:
        done: Node | None = at_once(tape, operands, scalar)
        if done is not None:
            return done
    if opcode.constants and scalar is None:
        operands = _frozen(operands)
    storage = Storage(device, opcode.nbytes)
    if len(tape.steps) >= LIMIT:
        tape.cut()
    tape.steps.append(_made(Step, (opcode, operands, storage, scalar, next(_numbers))))
    if _mode.eager or opcode.immediate is _ALONE or device.shared:
        _end(tape, opcode, operands)
    return Node(storage, opcode.target, 0)  # type: ignore[arg-type]


def recorded(opcode: Opcode, operands: tuple[Node, ...], target: Node | None = None) -> None:
    """Ask for an instruction that writes a storage that exists: the target's, or an operand's."""
    device = opcode.device
    tape = device.tape or of(device)
    nodes = operands if target is None else (*operands, target)
    at_once = opcode.immediate
    if at_once is not None and not _tier.name and at_once(tape, nodes, None) is not None:
        return
    if opcode.constants:
        nodes = _frozen(nodes)
    written = nodes[0] if target is None else target
    assert written.storage is not None
    if len(tape.steps) >= LIMIT:
        tape.cut()
    # Twice, as a finalizer may ask for the value in between, and another thread run the tape.
    written.storage.mark = tape.mark
    tape.steps.append(Step(opcode, nodes, None, None, next(_numbers)))
    written.storage.mark = tape.mark
    if _mode.eager or opcode.immediate is _ALONE or device.shared:
        _end(tape, opcode, nodes)


def _end(tape: Tape, opcode: Opcode, nodes: tuple[Node, ...]) -> None:
    """Run a tape now if its last instruction may not wait, or all that follows would for it."""
    is_alone = len(tape.steps) == 1 and opcode.immediate is _ALONE and not _tier.name
    if is_alone:
        immediate.turned(opcode)
    if _mode.eager or is_alone or is_seen(nodes, opcode.device):
        tape.end()


def is_seen(nodes: tuple[Node, ...], device: Device) -> bool:
    """Whether others see the memory that an instruction reads or writes, so that it runs at once.

    No earlier one does: what was on the tape ran when its memory was first seen.
    """
    shared = device.shared
    return any(node.storage is not None and node.storage.serial in shared for node in nodes)


def number_with(numbers: Iterator[int]) -> None:
    """Have another iterator give the numbers of `NUMBERS`, so that it knows who asks for them."""
    global _numbers
    _numbers = numbers


def _frozen(operands: tuple[Node, ...]) -> tuple[Node, ...]:
    """The operands; the constants are others, which nobody gives a storage."""
    return tuple(
        [
            node if node.value is None else Node(None, node.structure, 0, node.value)
            for node in operands
        ]
    )


def of(device: Device) -> Tape:
    """A device's tape."""
    if device.tape is None:
        with device.lock:
            if device.tape is None:
                device.tape = Tape(device)
    return device.tape  # type: ignore[no-any-return]
