"""Programs and dispatch: the steps that run a list of instructions, made once for each list.

A step launches a kernel, or calls a library. Without steps `host_eval` computes one instruction
after the other, by NumPy in the same memory with the same bits. `Program.dispatch` chooses, by how
often the list came; small lists that are new are told before, by `Tape._trace`. The modules that
make kernels are imported with the first plan, as many small programs need none.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from xarr import codegen, layout, scheduler, tuning
from xarr.ir.events import hooks
from xarr.ir.instructions import Opcode, decoded, opcode_of
from xarr.ir.operation import Operation
from xarr.ir.steps import LibraryStep, Step
from xarr.ir.storage import LIVE, WIDE, Storage, is_live, is_wide
from xarr.ir.views import View, contiguous
from xarr.runtime import host_functions, host_reductions, program
from xarr.runtime.program import Trace

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.codegen.compile_worker import CompileJob
    from xarr.dtypes import DType
    from xarr.layout import Shape
    from xarr.scheduler.schedule import Plan


Place = int | tuple[int, int]
"""A constant by number, or a view: its storage, and how far beyond the first view it begins."""


def can_host(device: Device) -> bool:
    """Return whether the host may compute in a device's memory now."""
    return device.info.host_addressable and device.driver.is_open()


def stays_on_host(device: Device, nbytes: int, most: int = tuning.KEPT_NBYTES) -> bool:
    """Return whether a storage of so many bytes is in NumPy's memory until a kernel uses it."""
    return 0 < nbytes <= most and not host_functions.tier.name and device.info.host_addressable


def blank_on_host(device: Device, nbytes: int) -> Any:
    """Return NumPy's memory for a storage that stays there; None for one of the driver's."""
    return numpy.empty(nbytes, numpy.uint8) if stays_on_host(device, nbytes) else None


def known(shape: Shape, dtype: DType, device: Device, compute: Callable[[], Any]) -> View | None:
    """Return a view of few values that depend on no array, as NumPy computes them; else None.

    `compute` makes a new array in C order. Five instructions for ten numbers take fifty times as
    long. While a recorder is there or a call is noted, instructions make them, so that each replay
    makes them anew.
    """
    nbytes = math.prod(shape) * dtype.itemsize
    if hooks.recorder is not None or not stays_on_host(device, nbytes, tuning.MADE_NBYTES):
        return None
    if device.tape is not None and device.tape.noted:
        return None
    return View(Storage(device, nbytes, compute()), contiguous(device, dtype, shape), 0)


class Program(program.Runnable):
    """A list of instructions and the steps that run it, for whatever storages it is given.

    job : CompileJob or None -- The compilation of its kernels by another process.
    """

    __slots__ = ("_due", "_failed_at", "_is_first", "_is_sought", "_plan", "job")

    def __init__(self, trace: Trace, states: tuple[int, ...]) -> None:
        super().__init__(trace, states)
        self.job: CompileJob | None = None
        self._plan: Plan | None = None  # once it is wanted
        self._is_sought = False  # whether its kernels were looked for
        self._due = tuning.PLANNED  # in which run they are asked for
        self.runs = tuning.REPEATS - 1 if trace.is_counted else 0
        self._failed_at: int | None = None  # which kernel could not be had
        self._is_first = True  # whether it was never chosen how to run

    def dispatch(self) -> None:
        """Choose kernels if they are compiled, or worth a wait; else leave the work to the host.

        A new list that the host can compute runs there, instruction by instruction. Once it has
        come often enough, or its work is large, its kernels are looked for, and another process
        compiles the missing ones. They are taken when they are there.
        """
        self.runs += 1
        self._failed_at = None
        if self._is_due():
            self.prepare()
            return
        is_first = self._is_first
        self._is_first = False
        if not is_first and (self.job is not None or self.runs < self._due):
            return
        hosts = [host_functions.find(opcode) for opcode in self.trace.opcodes]
        if not any(hosts):
            self.prepare()
            return
        if len(hosts) == 1 and type(hosts[0]) is host_reductions.Alone:
            self._due = sys.maxsize
            return
        if is_first and self.runs < self._due:
            self._due = min(tuning.PLANNED, 1 + tuning.LARGE_WORK // max(self._work(), 1))
        is_repeated = self.runs >= self._due
        # To plan a list takes as long as a thousand runs of one on few elements.
        is_small = all([opcode.is_small for opcode in self.trace.opcodes])
        if (is_repeated or not (is_small or all(hosts))) and self._is_compiled():
            return
        if is_repeated and self.job is None and host_functions.tier.name != "hosted":
            self._planned()
            self.job = codegen.compile_worker.submit(self._compile)

    def _is_due(self) -> bool:
        """Return whether kernels run it now, even if they have to be compiled first."""
        device = self.trace.device
        if self.job is not None and self.job.is_done:
            return True
        if host_functions.tier.name == "fused" or not can_host(device):
            return True
        if not self._is_first:
            return False
        sizes = [math.prod(opcode.shape) for opcode in self.trace.opcodes]
        return max(sizes, default=0) > tuning.LARGE_WORK

    def _work(self) -> int:
        """Return the elements of all instructions."""
        return sum([math.prod(opcode.shape) for opcode in self.trace.opcodes])

    def _is_compiled(self) -> bool:
        """Take the kernels if all were compiled before, and tell whether they were; tried once."""
        if self._is_sought or host_functions.tier.name == "hosted":
            return False
        self._is_sought = True
        try:
            with codegen.launch.without_compiler():
                self.prepare()
        except codegen.launch.NotCompiledError:
            return False
        return True

    def _compile(self) -> None:
        """Compile the kernels, in another thread."""
        for one in self._planned().kernels:
            one.call(self.trace.device, self._types, wide=self._is_wide)

    def _planned(self) -> Plan:
        """The groups that become fused kernels."""
        if self._plan is None:
            steps = scheduler.instructions.decode(self.trace.opcodes, self.trace.codes)
            self._plan = scheduler.schedule.schedule(steps, self.states, self.trace.device.info)
        return self._plan

    def prepare(self) -> list[Step]:
        """Make the launches of kernels, compiled if need be; return them."""
        if self.is_final:
            return self.steps
        device, types, plan = self.trace.device, self._types, self._planned()
        calls: list[Step] = []
        try:
            for one in plan.kernels:
                calls.append(one.call(device, types, wide=self._is_wide))
        except codegen.launch.NotCompiledError:
            raise
        except BaseException:
            self.steps, self.members, self._failed_at = [], plan.members, len(calls)
            raise
        self.steps, self.members, self.dead = calls, plan.members, plan.dead
        self.spare = plan.spare_buffers
        self.is_final = True
        self._plan = self.job = None
        return calls

    def failed(self, done: Sequence[int]) -> frozenset[int]:
        """Return the instructions of the first call that is not done, by number."""
        if self._failed_at is None:
            return super().failed(done)
        return frozenset[int]().union(*self.members[self._failed_at : self._failed_at + 1])

    @property
    def tier(self) -> str:
        """How it runs: "fused"; "step by step", each instruction by itself; "being compiled"."""
        if self.is_final:
            return "fused"
        return "step by step" if self.job is None else "being compiled"

    @property
    def _types(self) -> list[DType]:
        """The data types of the constants."""
        return [how.dtype for opcode in self.trace.opcodes for how in opcode.operands
                if how.strides is None]  # fmt: skip

    @property
    def _is_wide(self) -> bool:
        return any(map(is_wide, self.states))

    def names(self, instructions: Sequence[int]) -> list[str]:
        """Return the names of the operations of instructions, which are given by number."""
        return [self.trace.opcodes[number].operation.name for number in instructions]

    # -- instruction by instruction ---------------------------------------------------------------

    def single_kernel(self, opcode: Opcode, places: list[Place], storages: list[Storage]) -> Step:
        """Return the kernel that an instruction is by itself, as a call in a list of places."""
        slots: dict[int, tuple[int, int]] = {}  # by the list's number: its own, and where it begins
        codes: list[Place] = []
        constants = [place for place in places if isinstance(place, int)]
        for place in places:
            if isinstance(place, tuple):
                slot, beyond = place
                number, base = slots.setdefault(slot, (len(slots), beyond))
                codes.append((number, beyond - base) if beyond != base else number)
        wide = tuple([storages[slot].nbytes >= layout.WIDE for slot in slots])
        if opcode.is_fresh:
            del codes[-1]
        call = self.planned_kernel(opcode, tuple(codes), wide)
        there = list(slots)
        begins = [base for _, base in slots.values()]
        if isinstance(call, LibraryStep):
            alone = LibraryStep()
            alone.work, views = call.work, call.views
            alone.views = [(how, there[at], beyond + begins[at]) for how, at, beyond in views]
            return alone
        return Step(
            call.launches,
            call.scratch,
            call.specs,
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
            (),
            [ref._replace(slot=there[ref.slot]) for ref in call.whole],
        )

    def planned(self, opcode: Opcode, codes: tuple[Place, ...], wide: tuple[bool, ...]) -> Step:
        """Plan the call that one instruction is by itself."""
        states = tuple([LIVE + WIDE * one for one in wide])
        call: Step
        (call,) = Program(Trace(opcode.device, (opcode,), codes), states).prepare()
        return call

    def has_kernel(self, opcode: Opcode) -> bool:
        """Return whether an instruction's own kernel is compiled; have it compiled if it is not."""
        known = opcode.single_kernel
        if known is None:
            known = opcode.single_kernel = {}
        program: Program | None = known.get(Program)
        if program is None:
            views = [how for how in opcode.named if how.strides is not None]
            states = (LIVE,) * (len(views) + opcode.is_fresh)
            codes = tuple(range(len(views)))
            program = known[Program] = Program(Trace(opcode.device, (opcode,), codes), states)
            program.runs = tuning.PLANNED
        program.dispatch()
        return program.is_final

    def row(self, opcode: Opcode) -> Any:
        """Return the kernel for elements in a row, its grid and the order of pointers, or False.

        It is the kernel of as many elements as an item takes, for which the count is an argument.
        """
        device, operation = opcode.device, opcode.operation
        if type(operation) is not Operation or not opcode.operands or not device.info.loop_per_item:
            return False
        if any(how.device is not device for how in opcode.operands):
            return False
        shape = (tuning.CHUNK,)
        operands = tuple([contiguous(device, how.dtype, shape) for how in opcode.operands])
        count = len(operands)
        row = opcode_of(operation, operands, shape, None, shape)
        call = self.planned_kernel(row, tuple(range(count)), (False,) * (count + 1))
        if len(call.launches) != 1 or call.scratch or call.results or call.constants:
            return False
        (planned,) = call.launches
        order = [slot for slot, _ in call.offsets]
        if planned.indices != (tuning.CHUNK,) * 2 or order != call.pointers:
            return False
        return planned.kernel, planned.grid, order

    def freed(self) -> list[list[int]] | None:
        """Return the storages that nobody needs after each instruction; None where they are few."""
        opcodes, codes = self.trace.opcodes, map(decoded, self.trace.codes)
        if sum([one.nbytes for one in opcodes]) < tuning.LARGE_NBYTES:
            return None
        named = 0
        slots: list[list[int]] = []
        for opcode in opcodes:
            here = [next(codes)[0] for how in opcode.named if how.strides is not None]
            named = max([named, *[slot + 1 for slot in here]])
            if opcode.is_fresh:
                here.append(named)
                named += 1
            slots.append(here)
        seen = {slot for slot, state in enumerate(self.states) if is_live(state)}
        freed: list[list[int]] = []
        for here in reversed(slots):
            freed.append([slot for slot in dict.fromkeys(here) if slot not in seen])
            seen.update(here)
        return freed[::-1]
