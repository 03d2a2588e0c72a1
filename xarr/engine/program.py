"""Programs: what a list of instructions becomes, once for each list that differs.

A program is a list of steps: a step is a kernel with its grid and the packing of its arguments, or
a call of NumPy's on the same memory with the same bits. `Program.choose` is the one place that says
which, by how often the list came.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import dtypes, layout
from xarr.core import tape as core
from xarr.core.tape import ALIVE, HELD, OF_WIDE, WIDE, Call, HostCall, Opcode, Trace, host_calls
from xarr.engine import background, hosted, launch, schedule
from xarr.engine.schedule import Ref

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.dtypes import DType

_REPEATS: Final = 8
"""How often a list runs on the host before its kernels are asked for. To plan a list takes as long
as to run it fifteen times on few elements."""
_LARGE_WORK: Final = 1 << 22
"""Elements of all instructions, in all runs, from which on they are asked for earlier."""
_LARGE_NBYTES: Final = 1 << 20
"""Bytes of new storages from which on each gives its memory back once nothing reads it."""

Place = int | tuple[int, int]
"""A constant by number, or a view: its storage, and how far beyond the first view it begins."""


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
        alive = [state in HELD for state in states]
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


class Program(core.Program):
    """What a list of instructions becomes.

    Attributes
    ----------
    job : Job or None
        What has its kernels compiled beside it.
    """

    __slots__ = ("_due", "_failed_at", "_is_sought", "_plan", "job")

    def __init__(self, trace: Trace, states: tuple[int, ...]) -> None:
        super().__init__(trace, states)
        self.job: background.Job | None = None
        self._plan: _Plan | None = None  # once it is wanted
        self._is_sought = False  # whether its kernels were looked for
        self._due = _REPEATS  # in which run they are asked for
        self._failed_at: int | None = None  # which kernel could not be had

    def choose(self) -> None:
        """Have steps: kernels where they are there, or worth a wait; else the instructions' own.

        What is new, and can be done on the host, is done there, instruction by instruction. Once it
        has come again so often, or its work is large, its kernels are looked for, and another
        process is asked for those that were never compiled. They are taken when they are there.
        """
        self.runs += 1
        self._failed_at = None
        if self._is_due():
            self.prepare()
            return
        if self.steps and (self.job is not None or self.runs < self._due):
            return
        hosts = [hosted.host(opcode) for opcode in self.trace.opcodes]
        if not any(hosts):
            self.prepare()
            return
        if self.runs == 1:
            self._due = min(_REPEATS, 1 + _LARGE_WORK // max(self._work(), 1))
        is_repeated = self.runs >= self._due
        if (is_repeated or not all(hosts)) and self._is_compiled():
            return
        if is_repeated and self.job is None and hosted.tier.name != "hosted":
            self._planned()
            self.job = background.submit(self._compile)
        if not self.steps:
            self._go_singly(hosts)

    def _is_due(self) -> bool:
        """Whether kernels run it now, even if they are to be waited for."""
        device = self.trace.device
        if self.job is not None and self.job.is_done:
            return True
        if hosted.tier.name == "fused" or not device.info.in_place:
            return True
        if not device.driver.is_open():
            return True
        if self.steps:
            return False
        sizes = [math.prod(opcode.shape) for opcode in self.trace.opcodes]
        return max(sizes, default=0) > hosted.LARGEST

    def _work(self) -> int:
        """The elements of all instructions."""
        return sum([math.prod(opcode.shape) for opcode in self.trace.opcodes])

    def _is_compiled(self) -> bool:
        """Whether all kernels were there, so that they are taken now; looked for once."""
        if self._is_sought or hosted.tier.name == "hosted":
            return False
        self._is_sought = True
        try:
            with launch.without_compiler():
                self.prepare()
        except launch.NotCompiledError:
            return False
        return True

    def _compile(self) -> None:
        """Have the kernels compiled, in another thread."""
        for one in self._planned().launches:
            one.call(self.trace.device, self._types, wide=self._is_wide)

    def _planned(self) -> _Plan:
        """The groups that become fused kernels."""
        if self._plan is None:
            steps = schedule.instructions(self.trace.opcodes, self.trace.codes)
            room = self.trace.device.info.parameter_nbytes
            self._plan = _Plan(steps, self.states, room)
        return self._plan

    def prepare(self) -> list[Call]:
        """Have the kernels; the launches with them."""
        if self.is_final:
            return self.steps
        device, types, plan = self.trace.device, self._types, self._planned()
        calls: list[Call] = []
        try:
            for one in (*plan.launches, *plan.consumer):
                calls.append(one.call(device, types, wide=self._is_wide))  # noqa: PERF401
        except launch.NotCompiledError:
            raise
        except BaseException:
            self.steps, self.members, self._failed_at = [], plan.members, len(calls)
            raise
        self.steps, self.members, self.unread = calls, plan.members, plan.unread
        self.is_final = True
        self._plan = self.job = None
        return calls

    def failed(self, done: Sequence[int]) -> frozenset[int]:
        """The instructions of the first step that is not done, by number."""
        if self._failed_at is None:
            return super().failed(done)
        return frozenset[int]().union(*self.members[self._failed_at : self._failed_at + 1])

    @property
    def tier(self) -> str:
        """How it runs now: "fused", "step by step", or so and "being compiled"."""
        if self.is_final:
            return "fused"
        return "step by step" if self.job is None else "being compiled"

    @property
    def _types(self) -> list[DType]:
        """Those of the constants."""
        return [how.dtype for opcode in self.trace.opcodes for how in opcode.operands
                if how.pattern is None]  # fmt: skip

    @property
    def _is_wide(self) -> bool:
        return any(map(_is_wide, self.states))

    def names(self, instructions: Sequence[int]) -> list[str]:
        """What the operations of instructions are called."""
        return [self.trace.opcodes[number].operation.name for number in instructions]

    # -- instruction by instruction ---------------------------------------------------------------

    def _go_singly(self, hosts: list[hosted.Host | None]) -> None:
        """Have a step for each instruction: NumPy's, or the kernel that it is by itself."""
        steps: list[Any] = host_calls(self.trace, hosts, self.states)
        self.steps, self.members = [], [(number,) for number in range(len(steps))]
        if sum([opcode.nbytes for opcode in self.trace.opcodes]) >= _LARGE_NBYTES:
            self._free(steps)
        for number, host in enumerate(hosts):
            if host is None:
                self._failed_at = number
                opcode, step = self.trace.opcodes[number], steps[number]
                steps[number] = _alone(opcode, step.places, self.states, step.freed)
        self.steps, self._failed_at = steps, None

    def _free(self, steps: Sequence[HostCall]) -> None:
        """Have each step free the storages that nothing needs any more."""
        seen = {slot for slot, state in enumerate(self.states) if state in HELD}
        for step in reversed(steps):
            step.freed = []
            for place in step.places:
                if isinstance(place, tuple) and place[0] not in seen:
                    seen.add(place[0])
                    step.freed.append(place[0])


def _is_wide(state: int) -> bool:
    return state >= layout.WIDE or state in OF_WIDE


def _alone(
    opcode: Opcode, places: Sequence[Place], states: Sequence[int], freed: Sequence[int]
) -> Call:
    """The kernel that an instruction is by itself, as a step of a list in which it has places."""
    slots: dict[int, tuple[int, int]] = {}  # by the list's number: its own, and where it begins
    codes: list[Place] = []
    constants = [place for place in places if isinstance(place, int)]
    for place in places:
        if isinstance(place, tuple):
            slot, beyond = place
            number, base = slots.setdefault(slot, (len(slots), beyond))
            codes.append((number, beyond - base) if beyond != base else number)
    wide = tuple([_is_wide(states[slot]) for slot in slots])
    if opcode.is_fresh:
        del codes[-1]
    call: Call | None = opcode.alone.get((tuple(codes), wide))
    if call is None:
        trace = Trace(opcode.device, (opcode,), tuple(codes))
        program = Program(trace, tuple([ALIVE + WIDE * is_wide for is_wide in wide]))
        (call,) = program.prepare()
        core.remembered(opcode.alone, (tuple(codes), wide), call)
    there = list(slots)
    begins = [base for _, base in slots.values()]
    return Call(
        call.stages,
        call.rooms,
        call.form,
        [there[slot] for slot in call.pointers],
        [ref._replace(slot=there[ref.slot]) for ref in call.results],
        [
            (there[slot], beyond + begins[slot]) if slot >= 0 else (slot, beyond)
            for slot, beyond in call.offsets
        ],
        [(there[slot], nbytes) for slot, nbytes in call.fresh],
        [constants[number] for number in call.constants],
        [constants[number] for number in call.numbers],
        frozenset([constants[number] for number in call.complex]),
        (),
        freed,
    )
