"""Programs: what a list of instructions becomes, once for each list that differs.

A program is a list of launches, each with its kernel, its grid and the packing of its arguments,
which are taken from the tape by number.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import dtypes, layout
from xarr.engine import background, elements, hosted as hosting, launch, schedule, unrolled
from xarr.engine.expression import Opcode
from xarr.engine.plan import Form
from xarr.engine.schedule import Ref
from xarr.engine.storage import Storage
from xarr.engine.unrolled import Call

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.dtypes import DType

LIMIT_PROGRAMS: Final = 16
"""Programs that are kept of one list of instructions."""


class Prepared(NamedTuple):
    """What a skeleton needs of the kernel that gives it its elements."""

    form: Form
    storages: list[Storage]
    values: list[Any]


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

    def call(
        self, device: Device, types: Sequence[DType], *, wide: bool, hosted: bool = False
    ) -> Call:
        """It with its kernels, or `hosted` where it can be; `types` are those of all constants."""
        group, stores = self.group, self.stores
        # NumPy's work is done again where a signal breaks it off, so it overwrites nothing.
        taken = {} if hosted else self.taken
        freed = [*self.freed, *self.taken.values()] if hosted else self.freed
        form, pointers = group.form(stores, taken, wide=wide)
        results = [ref for _, ref in group.delivered]
        written = [ref for _, ref in stores if ref.slot in group.fresh and ref.slot not in taken]
        stages: list[launch.Stage] = []
        rooms: list[launch.Room] = []
        shape = group.endings[0].shape if group.endings else group.space
        function = hosting.hosted(form, group, shape) if hosted else None
        if function is not None:
            pass
        elif not group.endings:
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
            freed,
            function,
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
        is_alone: Callable[[schedule.Instruction], bool] | None = None,
    ) -> None:
        self.launches: list[Launch] = []
        self.consumer: list[Launch] = []
        alive = [state in schedule.HELD for state in states]
        groups = schedule.stored(schedule.grouped(steps, alive, room, is_alone), alive)
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

    __slots__ = ("_calls", "_device", "_first", "_form", "_fused", "_hosts", "_is_sought", "_job",
                 "_members", "_run", "_spent_s", "_states", "_steps", "_types",
                 "_wide")  # fmt: skip

    def __init__(
        self,
        device: Device,
        opcodes: Sequence[Opcode],
        codes: Sequence[int | tuple[int, int]],
        states: Sequence[int],
    ) -> None:
        self._device = device
        self._steps = schedule.instructions(opcodes, codes)  # until there are kernels
        self._states = states
        self._wide = any(state >= layout.WIDE or state in schedule.OF_WIDE for state in states)
        self._types = [
            operand
            for step in self._steps
            for operand in step.operands
            if not isinstance(operand, Ref)
        ]
        self._fused: _Plan | None = None  # once it is wanted
        self._run: Callable[..., Any] | None = None
        self._first: Callable[..., Any] | None = None  # while there are no kernels
        self._job: background.Job | None = None
        self._is_sought = False  # whether they were looked for
        self._spent_s = 0.0  # without them
        self._hosts: list[bool] = []  # of each step whether NumPy computes it; once it is asked
        # Of what was made last:
        self._calls: list[Call] = []
        self._members = [frozenset(range(len(self._steps)))]
        self._form: Form | None = None

    def _planned(self, is_alone: Callable[[schedule.Instruction], bool] | None = None) -> _Plan:
        room = self._device.info.parameter_nbytes
        return _Plan(self._steps, self._states, room, is_alone)

    def _plan(self) -> _Plan:
        """The groups that become fused kernels."""
        if self._fused is None:
            self._fused = self._planned()
        return self._fused

    def run(
        self,
        storages: list[Storage],
        bases: list[int],
        constants: list[Any],
        done: list[int],
        unfinished: list[launch.Prepared],
    ) -> Prepared | None:
        """Run all launches; what a skeleton takes the place of is prepared.

        To `done` something is appended for each kernel's work that is done before the last one's.
        """
        run = self._run or self._at_once()
        if run is self._run:
            found = run(self._device, storages, bases, constants, done, unfinished)
        else:
            begin = time.perf_counter()
            found = run(self._device, storages, bases, constants, done, unfinished)
            self._spent_s += time.perf_counter() - begin
        if found is None or self._form is None:
            return None
        return Prepared(self._form, *found)

    def _at_once(self) -> Callable[..., Any]:
        """What runs although there are no kernels yet; what runs them where nothing else does.

        NumPy does what it can, and each other operation has a kernel of its own, which serves all
        programs. Where this has taken as long as a compiler does, it is asked meanwhile.
        """
        device, tier = self._device, hosting.tier
        if self._waits():
            self.prepare()
        elif self._first is None:
            # What runs once needs no other plan, unless it needs kernels.
            if all(self._hosts) or not self._is_compiled():
                if not all(self._hosts) and tier.name != "hosted":
                    background.expect(device)  # which takes as long as to compile the first ones
                self._first = self._made(self._planned(_has_no_host), hosted=True)
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
        if hosting.tier.name == "fused" or not elements.shares(device):
            return True
        if not self._hosts:
            self._hosts = list(map(hosting.computes, self._steps))
        return not device.driver.is_open() or not any(self._hosts)

    def _is_compiled(self) -> bool:
        """Whether all kernels were there, so that they are prepared now; looked for once."""
        if self._is_sought or hosting.tier.name == "hosted":
            return False
        self._is_sought = True
        before = self._first, self._calls, self._members, self._form
        try:
            with launch.without_compiler():
                self.prepare()
        except launch.NotCompiledError:
            self._first, self._calls, self._members, self._form = before
            return False
        return True

    def _compile(self) -> None:
        """Have the kernels compiled, in another thread."""
        for one in self._plan().launches:
            one.call(self._device, self._types, wide=self._wide)

    def _made(self, plan: _Plan, *, hosted: bool = False) -> Callable[..., Any]:
        """What runs the launches."""
        device, types, wide = self._device, self._types, self._wide
        calls = self._calls = []
        self._members = plan.members
        for one in plan.launches:
            # Not at once: if one fails, it is known which.
            calls.append(one.call(device, types, wide=wide, hosted=hosted))  # noqa: PERF401
        last = [one.call(device, types, wide=wide) for one in plan.consumer]
        for call in last:
            self._form = call.form
        return unrolled.runner([*calls, *last], len(self._states), len(types), plan.unread)

    def prepare(self) -> list[Call]:
        """Have the kernels; the launches with them."""
        if self._run is None:
            self._first = None  # so that it is known which kernel failed, if one does
            self._run = self._made(self._plan())
            self._fused = self._job = None
            self._steps = []
        return self._calls

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
        return frozenset[int]().union(*self._members[at : at + 1])

    def left(self, done: Sequence[int]) -> frozenset[int]:
        """The instructions that have yet to run, by number, where a run was broken off.

        Those that nobody needs are none of them: their operands may have lost their memory.
        """
        return frozenset[int]().union(*self._members[len(done) :])


def _has_no_host(step: schedule.Instruction) -> bool:
    is_large = math.prod(step.shape) > hosting.LARGEST  # its kernel is waited for
    return not is_large and not hosting.computes(step)


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
