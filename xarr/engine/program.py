"""Programs: what a list of instructions becomes, once for each list that differs.

A program is a list of launches, each with its kernel, its grid and the packing of its arguments,
which are taken from the tape by number.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy

from xarr import dtypes, layout
from xarr.engine import (
    background,
    hosted as hosting,
    launch,
    schedule,
    stepwise,
    unrolled,
)
from xarr.engine.expression import Opcode, remembered
from xarr.engine.schedule import Ref
from xarr.engine.storage import Storage
from xarr.engine.unrolled import Call, Prepared

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.dtypes import DType

LIMIT_PROGRAMS: Final = 16
"""Programs that are kept of one list of instructions."""


_Runner = Callable[..., Prepared | None]


class Launch(NamedTuple):
    """A group that becomes kernels, what it stores, and what becomes of storages.

    Attributes
    ----------
    stores : list of (int, Ref)
        The entries that are stored, and where.
    taken : dict
        The storages whose memory is that of another one.
    freed : list of int
        Those that are not needed any more.
    """

    group: schedule.Group
    stores: list[tuple[int, Ref]]
    taken: dict[int, int]
    freed: list[int]

    def call(self, device: Device, types: Sequence[DType], *, wide: bool) -> Call:
        """It with its kernels; `types` are those of all constants."""
        group, stores, taken = self.group, self.stores, self.taken
        form, pointers = group.form(stores, taken, wide=wide)
        results = [ref for _, ref in group.delivered]
        written = [ref for _, ref in stores if ref.slot in group.fresh and ref.slot not in taken]
        stages: list[launch.Stage] = []
        rooms: list[launch.Room] = []
        if not group.endings:
            stages = [launch.elementwise(form, device, in_order=group.in_order)]
        elif not group.closed:
            operation = group.endings[0].operation
            assert isinstance(operation, schedule.Recorded)
            stored = tuple([number for number, _ in group.delivered])
            finals = schedule.Finals(tuple(group.finals), stored)
            stages, rooms = operation.stages(device, form, group.endings[0].shape, finals)
        numbers = group.constants + group.numbers
        return Call(
            launch.with_form(stages, form),
            rooms,
            form,
            pointers,
            results,
            group.offsets(stores),
            [(ref.slot, ref.pattern.size * ref.dtype.itemsize) for ref in written + results],
            group.constants,
            group.numbers,
            frozenset(number for number in numbers if types[number].kind == dtypes.COMPLEX),
            tuple(taken.items()),
            self.freed,
        )


class _Plan:
    """The groups that a list of instructions becomes, in order, and what becomes of storages.

    Attributes
    ----------
    launches : list of Launch
        All but the one that a skeleton takes the place of: `consumer`, which comes last.
    unread : list of int
        The storages that nobody holds and no launch needs.
    members : list of frozenset
        The instructions of each, by number.
    """

    def __init__(
        self,
        steps: Sequence[schedule.Instruction],
        states: Sequence[int],
        room: int,
    ) -> None:
        self.launches: list[Launch] = []
        self.consumer: list[Launch] = []
        alive = [state in schedule.HELD for state in states]
        groups = schedule.stored(schedule.grouped(steps, alive, room), alive)
        memory = schedule.Memory(groups, states, alive)
        self.unread = memory.unread()
        for number, (group, stores) in enumerate(groups):
            taken = memory.taken(number)
            if group.endings and group.closed:
                self.consumer = [Launch(group, stores, taken, [])]
            else:
                freed = memory.freed(number, taken)
                self.launches.append(Launch(group, stores, taken, freed))
        self.members = [
            frozenset(number for number, *_ in one.group.members)
            for one in (*self.launches, *self.consumer)
        ]


class Program:
    """The launches that a list of instructions becomes."""

    __slots__ = ("_calls", "_codes", "_device", "_first", "_fused", "_hosts", "_is_sought", "_job",
                 "_members", "_opcodes", "_run", "_spent_s", "_states", "_wide")  # fmt: skip

    def __init__(
        self,
        device: Device,
        opcodes: Sequence[Opcode],
        codes: Sequence[int | tuple[int, int]],
        states: Sequence[int],
    ) -> None:
        self._device = device
        self._opcodes = opcodes
        self._codes = codes
        self._states = states
        self._wide = any(map(_is_wide, states))
        self._fused: _Plan | None = None  # once it is wanted
        self._run: _Runner | None = None
        self._first: _Runner | None = None  # while there are no kernels
        self._job: background.Job | None = None
        self._is_sought = False  # whether they were looked for
        self._spent_s = 0.0  # without them
        self._hosts: list[hosting.Host | None] | None = None  # of each instruction, once asked
        # Of what was made last:
        self._calls: list[Call] | list[stepwise.Work] = []
        self._members: list[frozenset[int]] | None = None  # None: each instruction by itself

    def _plan(self) -> _Plan:
        """The groups that become fused kernels."""
        if self._fused is None:
            steps = schedule.instructions(self._opcodes, self._codes)
            self._fused = _Plan(steps, self._states, self._device.info.parameter_nbytes)
        return self._fused

    @property
    def _types(self) -> list[DType]:
        """Those of the constants."""
        return [how.dtype for opcode in self._opcodes for how in opcode.operands
                if how.pattern is None]  # fmt: skip

    def run(
        self,
        listed: tuple[list[Storage], list[int], list[Any], list[int]],
        done: list[int],
        unfinished: list[launch.Prepared],
    ) -> Prepared | None:
        """Run all launches; what a skeleton takes the place of is prepared.

        `listed` has storages, bases, constants and the numbers of the instructions. To `done`
        something is appended for each kernel's work that is done before the last one's.
        """
        storages, bases, constants, _ = listed
        run = self._run or self._at_once()
        if run is self._run:
            for storage in storages:
                if type(storage.buffer) is numpy.ndarray:
                    storage.settle()
        begin = 0.0 if run is self._run else time.perf_counter()
        found = run(self._device, storages, bases, constants, done, unfinished)
        if begin:
            if not self._spent_s:
                # Most lists that have another shape each time never come again.
                self._first, self._calls = None, []
            self._spent_s += time.perf_counter() - begin
        return found

    def _at_once(self) -> _Runner:
        """What runs although there are no kernels yet; what runs them where nothing else does.

        The instructions run one after the other. Where this has taken as long as a compiler does,
        it is asked meanwhile.
        """
        device, tier = self._device, hosting.tier
        if self._waits():
            self.prepare()
        elif self._first is None:
            # What runs once needs no plan, unless it needs kernels.
            assert self._hosts is not None
            if all(self._hosts) or not self._is_compiled():
                if not all(self._hosts) and tier.name != "hosted":
                    background.expect(device)  # which takes as long as to compile the first ones
                self._first = self._stepwise(self._hosts)
        elif self._job is not None or tier.name == "hosted" or self._spent_s < tier.seek_s:
            pass
        elif not self._is_compiled():
            patience_s = tier.patience_s * len(self._plan().launches)
            if self._spent_s >= patience_s:
                self._job = background.submit(self._compile)
            elif self._spent_s >= patience_s / 4:
                background.expect(device)
        found = self._run or self._first
        assert found is not None
        return found

    def _stepwise(self, hosts: Sequence[hosting.Host | None]) -> _Runner:
        """What runs the instructions one after the other."""
        turns = stepwise.turns(self._opcodes, self._codes)
        is_held = [state in schedule.HELD for state in self._states]
        works: list[stepwise.Work] = []
        self._calls, self._members = works, None
        kernels: list[Program | None] = []
        for opcode, host, turn, freed in zip(
            self._opcodes, hosts, turns, stepwise.freed(turns, is_held), strict=True
        ):
            kernel = None
            launches = 1
            if host is None:
                codes, views, _ = turn.alone()
                states = [
                    schedule.ALIVE + schedule.WIDE * _is_wide(self._states[slot])
                    for slot, _ in views
                ]
                kernel = traced(self._device, (opcode,), tuple(codes)).program(tuple(states))
                launches = sum([call.launches for call in kernel.prepare()])
            kernels.append(kernel)
            works.append(stepwise.Work(launches, freed))
        passes = stepwise.passing(turns, hosts, is_held)
        return stepwise.runner(turns, hosts, kernels, works, passes)

    @property
    def tier(self) -> str:
        """How it runs now: "fused", "step by step", or so and "being compiled"."""
        if self._run is not None:
            return "fused"
        return "step by step" if self._job is None else "being compiled"

    def _waits(self) -> bool:
        """Whether the program has to wait for its kernels, or need not as they are there."""
        device = self._device
        if self._job is not None and self._job.is_done:
            return True
        if hosting.tier.name == "fused" or not device.info.in_place:
            return True
        if self._hosts is None:
            self._hosts = list(map(hosting.host, self._opcodes))
            if any(math.prod(opcode.shape) > hosting.LARGEST for opcode in self._opcodes):
                self._hosts = []  # its kernel is worth a wait
        return not device.driver.is_open() or not any(self._hosts)

    def _is_compiled(self) -> bool:
        """Whether all kernels were there, so that they are prepared now; looked for once."""
        if self._is_sought or hosting.tier.name == "hosted":
            return False
        self._is_sought = True
        before = self._first, self._calls, self._members
        try:
            with launch.without_compiler():
                self.prepare()
        except launch.NotCompiledError:
            self._first, self._calls, self._members = before
            return False
        return True

    def _compile(self) -> None:
        """Have the kernels compiled, in another thread."""
        for one in self._plan().launches:
            one.call(self._device, self._types, wide=self._wide)

    def prepare(self) -> list[Call]:
        """Have the kernels; the launches with them."""
        if self._run is None:
            device, types, wide, plan = self._device, self._types, self._wide, self._plan()
            self._first = None  # so that it is known which kernel failed, if one does
            calls: list[Call] = []
            self._calls, self._members = calls, plan.members
            for one in plan.launches:
                # Not at once: if one fails, it is known which.
                calls.append(one.call(device, types, wide=wide))  # noqa: PERF401
            last = [one.call(device, types, wide=wide) for one in plan.consumer]
            everything = [*calls, *last]
            self._run = unrolled.runner(everything, len(self._states), len(types), plan.unread)
            self._fused = self._job = self._hosts = None
        return self._calls  # type: ignore[return-value]

    def broken_off(
        self,
        storages: list[Storage],
        launched: int,
        done: list[int],
        unfinished: list[launch.Prepared],
    ) -> None:
        """Note what a run did that was broken off after some launches.

        A signal's handler may have come between a launch and what follows it. Work of several
        launches that has begun counts as done, since the tape finishes it.
        """
        number = len(done)
        if (self._run or self._first) is None or number == len(self._calls):
            return
        if launched > sum(call.launches for call in self._calls[:number]):
            unrolled.end(self._calls[number], storages)
            done.append(number + 1)
        else:
            unfinished.clear()

    def failed(self, done: Sequence[int]) -> frozenset[int]:
        """The instructions of the first kernel that is not done, by number."""
        at = len(self._calls) if (self._run or self._first) is None else len(done)
        return frozenset[int]().union(*self._parts()[at : at + 1])

    def left(self, done: Sequence[int]) -> frozenset[int]:
        """The instructions that have yet to run, by number, where a run was broken off.

        Those that nobody needs are none of them: their operands may have lost their memory.
        """
        return frozenset[int]().union(*self._parts()[len(done) :])

    def part(self, number: int) -> tuple[Call | stepwise.Work, list[int]]:
        """What is launched once so many calls are done, and the instructions that it is of."""
        return self._calls[number], sorted(self._parts()[number])

    def names(self, instructions: Sequence[int]) -> list[str]:
        """What the operations of instructions are called."""
        return [self._opcodes[number].operation.name for number in instructions]

    def _parts(self) -> list[frozenset[int]]:
        """The instructions of each of `_calls`."""
        if self._members is not None:
            return self._members
        return [frozenset((number,)) for number in range(len(self._opcodes))]


def _is_wide(state: int) -> bool:
    return state >= layout.WIDE or state in schedule.OF_WIDE


_Watcher = Callable[[Program, Sequence[int], list[int]], AbstractContextManager[None]]
_run_of: Final = Program.run


def watch(watcher: _Watcher | None) -> None:
    """Have a context around each run, of the program, the numbers and what is done; or none.

    Another method takes the place of `Program.run` meanwhile, so that none costs nothing.
    """

    def run(
        self: Program,
        listed: tuple[list[Storage], list[int], list[Any], list[int]],
        done: list[int],
        unfinished: list[launch.Prepared],
    ) -> Prepared | None:
        assert watcher is not None
        with watcher(self, listed[3], done):
            return _run_of(self, listed, done, unfinished)

    Program.run = _run_of if watcher is None else run  # type: ignore[method-assign]


def traced(
    device: Device, opcodes: tuple[Opcode, ...], codes: tuple[int | tuple[int, int], ...]
) -> Trace:
    """What is kept of a list of instructions on some views."""
    key = opcodes, codes
    found: Trace | None = device.programs.get(key)
    return found or remembered(device.programs, key, Trace(device, opcodes, codes))


class Trace:
    """A list of instructions on some views, and what it becomes, by which storages are held.

    Attributes
    ----------
    sizes : frozenset of int
        The bytes of its results.
    """

    __slots__ = ("_device", "_programs", "_read", "codes", "opcodes", "sizes")

    def __init__(
        self,
        device: Device,
        opcodes: tuple[Opcode, ...],
        codes: tuple[int | tuple[int, int], ...],
    ) -> None:
        self._device = device
        self._programs: dict[tuple[int, ...], Program] = {}
        self._read: Callable[..., Any] | None = None
        self.opcodes = opcodes
        self.codes = codes
        self.sizes = frozenset(opcode.nbytes for opcode in opcodes if opcode.is_fresh)

    def prepare(self, counts: Sequence[int]) -> None:
        """Have `read` for such instructions, each of which names a count of nodes."""
        if self._read is None:
            self._read = unrolled.reader(self.opcodes, self.codes, counts)

    def read(self, steps: Sequence[Any]) -> Any:
        """Storages, bases, constants and numbers of steps that have the opcodes; None for others.

        Others have other codes, or constants in other places.
        """
        return None if self._read is None else self._read(steps)

    @property
    def programs(self) -> list[Program]:
        """All that it has become so far."""
        return list(self._programs.values())

    def program(self, states: tuple[int, ...]) -> Program:
        """The program where storages are in some states."""
        program = self._programs.get(states)
        if program is None:
            if len(self._programs) >= LIMIT_PROGRAMS:
                self._programs.clear()
            program = Program(self._device, self.opcodes, self.codes, states)
            self._programs[states] = program
        return program
