# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Programs: what a list of instructions becomes, by what it is and by which storages are held.

A list that has run before is looked up by its opcodes, which storage each view is of, by order of
first use, where it begins beyond the storage's first view, and which storages somebody still holds.
The program that is found has its steps ready; storages, offsets and constants are its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xarr import dtypes, tuning
from xarr.ir import _cython as cython
from xarr.ir.memo import remembered
from xarr.ir.steps import go_on

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.events import core_counts, core_hooks
    from xarr.ir.instructions import Opcode, RunArguments
    from xarr.ir.steps import LibraryStep, Step
    from xarr.ir.storage import Storage
    from xarr.runtime.host_eval import evaluate

if TYPE_CHECKING:
    from xarr.backends.device import Device


@cython.cclass
class Runnable:
    """Runs the steps that a trace became; its subclass `dispatch.Program` chooses these.

    Attributes
    ----------
    trace, states : Trace, tuple of int
        The instructions, and the state of each storage: live or dead, see `ir/storage.py`.
    steps : list of Step
        The steps that run now.
    members : list
        The instructions of each step, by number.
    dead : list of int
        The storages that nobody holds and no step needs.
    spare : list of int
        The bytes of each spare buffer, whose memory a double-buffered storage takes.
    is_final : bool
        Whether the steps stay: they are kernels.
    runs : int
        How often it ran before it was final.
    turns : int
        How often it ran since, up to 2.
    is_alone : bool
        Whether instructions run one by one now, as there are no steps.
    sequences : list or None
        What makes all launches by one call of the driver, up to a library's work or the end; from
        the second turn on, where the driver has that.
    """

    trace: Trace
    states: tuple[int, ...]
    steps: list[Any]
    members: list[Any]
    dead: list[Any]
    spare: list[Any]
    is_final: bool
    runs: int
    turns: int
    sequences: list[Any] | None
    is_single: bool
    is_ahead: bool
    is_alone: bool

    def __init__(self, trace: Trace, states: tuple[int, ...]) -> None:
        self.trace = trace
        self.states = states
        self.steps = []
        self.members = [range(len(trace.opcodes))]  # an error before a step concerns all
        self.dead = []
        self.spare = []

    def dispatch(self) -> None:
        """Choose the steps, or none: then the host evaluates the instructions."""
        raise NotImplementedError

    def single_kernel(self, opcode: Opcode, places: list[Any], storages: list[Any]) -> Step:
        """Return the kernel that an instruction is by itself."""
        raise NotImplementedError

    def has_kernel(self, opcode: Opcode) -> bool:
        """Return whether an instruction's own kernel is compiled; have it compiled if it is not."""
        raise NotImplementedError

    @cython.ccall
    def planned_kernel(self, opcode: Opcode, codes: tuple[Any, ...], wide: tuple[Any, ...]) -> Step:
        """Return the call that one instruction is by itself; planned once for an opcode.

        `codes` are the places of its views, and `wide` tells which storages need wide indices.
        """
        key = codes, wide
        known = opcode.single_kernel  # which planning may drop, see `forget_single_kernels`
        if known is None:
            known = opcode.single_kernel = {}
        call: Step | None = known.get(key)
        if call is None:
            call = remembered(known, key, self.planned(opcode, codes, wide))
        return call

    def planned(self, opcode: Opcode, codes: tuple[Any, ...], wide: tuple[Any, ...]) -> Step:
        """Plan the call that one instruction is by itself."""
        raise NotImplementedError

    def row(self, opcode: Opcode) -> Any:
        """Return the kernel for elements in a row, its grid and the order of pointers, or False."""
        raise NotImplementedError

    def freed(self) -> list[Any] | None:
        """Return the storages that nobody needs after each instruction; None where they are few."""
        raise NotImplementedError

    def prepare(self) -> list[Any]:
        """Make the launches of kernels, which are final; return them."""
        raise NotImplementedError

    @cython.cfunc
    def run(self, listed: RunArguments, done: list[Any], unfinished: list[Any]) -> object:
        """Run all steps.

        A number is appended to `done` for each step that is done before the last one.
        """
        self.is_alone = False
        if not (self.is_final or self.trace.is_new):
            self.dispatch()
        for nbytes in self.spare:
            listed.storages.append(Storage(self.trace.device, nbytes))
        if core_hooks.run is not None:
            with core_hooks.run(self, listed.numbers, done):
                return self.go(listed, done, unfinished)
        if self.is_final:
            if self.turns < 2:
                self.turns += 1
            if self.turns == 2 and core_hooks.launch is None:
                return self._go_at_once(listed, done, unfinished)
            return self.go(listed, done, unfinished)
        return dtypes.quietly(self.go, listed, done, unfinished)

    @cython.ccall
    def go(self, listed: RunArguments, done: list[Any], unfinished: list[Any]) -> object:
        """Run one step after the other, or else one instruction after the other."""
        step: Step
        storage: Storage
        slot: cython.Py_ssize_t
        number: cython.Py_ssize_t = 0
        device = self.trace.device
        storages: list[Any] = listed.storages
        count: cython.Py_ssize_t = len(self.steps)
        if not self.is_final:
            self.is_alone = True
            trace: Trace = self.trace
            freed: object = None if trace.is_new else self.freed()
            return evaluate(self, trace.opcodes, trace.codes, listed, done, unfinished, freed)
        for slot in self.dead:
            storage = storages[slot]
            storage.buffer = None
        for step in self.steps:
            step.run(device, listed, unfinished)
            step.end(storages)
            number += 1
            if number < count:
                done.append(number)
        return None

    @cython.cfunc
    def _go_at_once(self, listed: RunArguments, done: list[Any], unfinished: list[Any]) -> object:
        """Run the steps with many launches in one call of the driver, where it has that."""
        if self.sequences is None:
            self.sequences = []
            held = self.trace.device.info.memory_nbytes // tuning.HELD_PART
            takes_numbers = self.trace.device.driver.takes_numbers
            self.is_single = takes_numbers or self._between(listed.storages) > held
        if self.is_single:
            return self.go(listed, done, unfinished)
        device = self.trace.device
        step: Step
        storage: Storage
        slot: cython.Py_ssize_t
        number: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t = 0
        is_short: cython.bint = False
        asked: list[Any] = []
        storages: list[Any] = listed.storages
        driver = device.driver
        launched = driver.launched
        for slot in self.dead:
            storage = storages[slot]
            storage.buffer = None
        try:
            for step in self.steps:
                if isinstance(step, LibraryStep):
                    if asked:
                        self._ask(-1 if is_short else at, asked, unfinished)
                        at += 1
                    step.run(device, listed, unfinished)
                    launched = driver.launched
                else:
                    try:
                        step.ask(device, listed, asked)
                    except MemoryError:
                        # What is asked for holds what it frees until it is launched.
                        self._ask(-1, asked, unfinished)
                        launched = driver.launched
                        is_short = True
                        step.ask(device, listed, asked)
                step.end(storages)
                number += 1
            if asked:
                self._ask(-1 if is_short else at, asked, unfinished)
        except BaseException:
            # What an earlier step was to free is free, so that these are done; the tape sees to it.
            done.extend(range(1, number + 1))
            self.is_ahead = True
            if driver.launched == launched:
                unfinished.extend(asked)
            raise
        return None

    @cython.cfunc
    def _ask(self, at: cython.Py_ssize_t, asked: list[Any], unfinished: list[Any]) -> cython.void:
        """Launch what is collected: by the sequence of a number, or one by one."""
        device = self.trace.device
        assert self.sequences is not None
        if at == len(self.sequences):
            self.sequences.append(device.driver.sequence(asked))
        if at >= 0:
            sequence = self.sequences[at]
            if sequence is not None and sequence.run(asked):
                core_counts.launches += len(asked)
                asked.clear()
                return
            self.is_single = sequence is None
        unfinished.extend(asked)
        asked.clear()
        go_on(device, unfinished)

    def _between(self, storages: list[Any]) -> int:
        """Count the bytes freed before the last step, which are held if all is launched at once."""
        nbytes = 0
        made = {slot for call in self.steps for slot, _ in call.fresh}
        for call in self.steps:
            nbytes += sum([one for one in call.scratch if isinstance(one, int)])
            if call is not self.steps[len(self.steps) - 1]:
                for slot in (*call.freed, *[slot for slot, _ in call.reuses]):
                    if slot in made or storages[slot].buffer is not None:
                        nbytes += storages[slot].nbytes
        return nbytes

    def broken_off(
        self, listed: RunArguments, launched: int, done: list[int], unfinished: list[Any]
    ) -> None:
        """Correct `done` and `unfinished` after a run that was interrupted between launches.

        A signal's handler may have come between a launch and what follows it. Work of several
        launches that has begun counts as done, since the tape finishes it.
        """
        number = len(done)
        if self.is_alone:
            if self.trace.device.driver.launched > listed.begun:
                done.append(number + 1)
            else:
                unfinished.clear()
            return
        if self.is_ahead or number >= len(self.steps):
            self.is_ahead = False
            return
        if launched > sum([call.launch_count for call in self.steps[:number]]):
            self.steps[number].end(listed.storages)
            done.append(number + 1)
        else:
            unfinished.clear()

    def failed(self, done: Sequence[int]) -> frozenset[int]:
        """Return the instructions of the first step that is not done, by number."""
        if self.is_alone:
            return frozenset(range(len(self.trace.opcodes))[len(done) : len(done) + 1])
        return frozenset[int]().union(*self.members[len(done) : len(done) + 1])

    def left(self, done: Sequence[int]) -> frozenset[int]:
        """Return the instructions that have yet to run, by number, where a run was broken off.

        Those that nobody needs are none of them: their operands may have lost their memory.
        """
        if self.is_alone:
            return frozenset(range(len(done), len(self.trace.opcodes)))
        return frozenset[int]().union(*self.members[len(done) :])


@cython.cclass
class Trace:
    """A list of instructions on some views, and what it becomes, by which storages are held.

    Attributes
    ----------
    codes : tuple
        Of each view the number of its storage, and how far beyond that's first view it begins.
    is_new, is_counted : bool
        Whether the list came a few times only, so that nothing is kept of it; whether it was
        counted before it was kept.
    """

    device: Any
    opcodes: tuple[Any, ...]
    codes: tuple[Any, ...]
    _sizes: Any
    programs: dict[Any, Any]
    is_new: bool
    is_counted: bool

    def __init__(self, device: Device, opcodes: tuple[Opcode, ...], codes: tuple[Any, ...]) -> None:
        self.device = device
        self.opcodes = opcodes
        self.codes = codes
        self.programs = {}

    @property
    def sizes(self) -> frozenset[int]:
        """The bytes of its results."""
        if self._sizes is None:
            self._sizes = frozenset([one.nbytes for one in self.opcodes if one.is_fresh])
        return self._sizes

    @cython.ccall
    def program(self, states: tuple[Any, ...]) -> Runnable | None:
        """Return the program where storages are in some states, if the list was met with these."""
        found: Runnable | None = self.programs.get(states)
        return found

    @cython.ccall
    def keep(self, states: tuple[Any, ...], program: Runnable) -> Runnable:
        """Keep a new program by the states of storages; return it."""
        if len(self.programs) >= tuning.PROGRAMS:
            self.programs.clear()
        self.programs[states] = program
        return program
