# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""The tape: the instructions that were recorded for a device and have not run, in program order.

Running them in order, one after the other, is what a program means. A run takes instructions off
the tape (`_take`), describes them as a `Trace` (`_describe`), and asks of each storage whether it
is live (`states`). By these states the trace has a program, which runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from xarr import errors, layout, references, tuning
from xarr.ir import _cython as cython
from xarr.ir.events import hooks
from xarr.ir.instructions import live_bytes_per_cut
from xarr.ir.memo import remembered
from xarr.ir.steps import end_before_others, go_on
from xarr.ir.storage import DEAD, LIVE, SWAPPABLE, WIDE
from xarr.runtime import dispatch
from xarr.tape import failures
from xarr.tape.loops import LoopDetector

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from sys import getrefcount as held_by

    from xarr.backends.lock import Lock
    from xarr.ir.events import core_counts, core_hooks, core_tier
    from xarr.ir.instructions import Instruction, Opcode, RunArguments
    from xarr.ir.storage import Storage, next_mark
    from xarr.ir.views import View
    from xarr.runtime.program import Runnable, Trace

if TYPE_CHECKING:
    from xarr.backends.device import Device

IS_COMPILED: Final[bool] = cython.compiled
"""Whether the module is compiled."""
_LIVE = cython.declare(cython.Py_ssize_t, LIVE)
_DEAD = cython.declare(cython.Py_ssize_t, DEAD)
_WIDE = cython.declare(cython.Py_ssize_t, WIDE)
_SWAPPABLE = cython.declare(cython.Py_ssize_t, SWAPPABLE)
_WIDE_NBYTES = cython.declare(cython.Py_ssize_t, layout.WIDE)
_REPEATS = cython.declare(cython.Py_ssize_t, tuning.REPEATS)
_LONG_WORK = cython.declare(cython.Py_ssize_t, tuning.LONG_WORK)
_NEW_WORK = cython.declare(cython.Py_ssize_t, tuning.LARGE_WORK // tuning.REPEATS)
_FAILED = cython.declare(cython.Py_ssize_t, failures.FAILED)
_epoch = cython.declare(cython.Py_ssize_t, 0)
_last: Tape | None = None  # the tape that was asked for last


@cython.cfunc
def _next_epoch() -> cython.Py_ssize_t:
    global _epoch
    _epoch += 1
    return _epoch


@cython.cfunc
def _copies_element(instruction: Instruction) -> cython.bint:
    """Return whether an instruction copies one element to a storage of its own."""
    if instruction.fresh is None or not instruction.views:
        return False
    view: View = instruction.views[0]
    return view.structure.copy is instruction.opcode and view.storage is not None


@cython.cclass
class Tape:
    """The instructions of a device that have not run.

    Threads append to `instructions` without a lock, since appending is atomic; a run holds the
    device's lock.

    Attributes
    ----------
    mark : int
        The mark of each storage that an instruction writes; a new number once all have run.
    came : dict of int to int
        How often each new list came, by its hash: numbers, so that the garbage collector has
        nothing to walk. Lists of one hash count as one, and are planned earlier.
    once : Runnable or None
        The program that runs new lists, one after the other.
    failed_pending : list of Instruction
        What failed, and what depends on that: it runs again when its value is asked for.
    unfinished : list
        Launches of an interrupted step, which the next run makes first.
    loops, most, was_cut : LoopDetector, int, bool
        Says where a full tape is cut; how many instructions it may have before; whether it was cut
        since everything ran.
    at_once, small_work : int
        How many small instructions have run as they were recorded, since a value was asked for, and
        their opcodes, as a hash.
    records : bool
        Whether small instructions are recorded, as of the last ones no value was asked for, or they
        were a list of several that has its program.
    lock, is_stable : Lock, bool
        The device's lock; whether the host reads the driver's memory.
    noted : int
        How many calls are in progress whose instructions are read from the tape.
    """

    device: Any
    instructions: list[Any]
    failed_pending: list[Any]
    unfinished: list[Any]
    loops: Any
    most: int
    came: dict[int, int]
    once: Runnable | None
    shared: dict[int, int]
    kept: dict[int, int]
    mark: int
    is_running: bool
    was_cut: bool
    noted: int
    at_once: int
    small_work: int
    records: bool
    lock: Lock
    is_stable: bool

    def __init__(self, device: Device) -> None:
        self.device = device
        self.lock, self.is_stable = device.lock, device.driver.stable_addresses
        self.shared, self.kept = device.shared, device.kept
        self.instructions = []
        self.came = {}
        self.failed_pending = []
        self.unfinished = []
        self.loops = LoopDetector(live_bytes_per_cut)
        self.most = self.loops.most
        self.mark = _next_epoch()

    @cython.ccall
    def writes(self, storage: Storage) -> cython.bint:
        """Return whether an instruction, or an unfinished launch, may write a storage."""
        if self.unfinished or storage.buffer is None:
            return True
        return storage.mark == self.mark or storage.mark == _FAILED

    @cython.ccall
    def compute(self, storage: Storage) -> object:
        """Run everything if an instruction writes a storage, so that its elements are computed."""
        core_counts.looks += 1
        if self.is_running or self.writes(storage):
            self.run()
        if self.failed_pending and (self.writes(storage) or self._is_behind(storage)):
            failures.requeue(self, self.failed_pending)
            self.run()
        return None

    def _is_behind(self, storage: Storage) -> bool:
        """Return whether a failed instruction may write a storage's memory as another storage."""
        shared = self.device.shared
        return storage.serial in shared and any(
            [instruction.written.serial in shared for instruction in self.failed_pending]
        )

    @cython.ccall
    def runs_before_copies(self, storage: Storage) -> cython.bint:
        """Run what comes before copies of single elements at the end, of which the last makes this.

        To read an element where it is costs less than to copy it first. Return whether the tape is
        such copies and nothing else.
        """
        core_counts.looks += 1
        count: cython.Py_ssize_t = len(self.instructions)
        if self.is_running or self.unfinished or self.failed_pending or not count:
            return False
        last: Instruction = self.instructions[count - 1]
        if last.fresh is not storage:
            return False
        while count and _copies_element(self.instructions[count - 1]):
            count -= 1
        if count == len(self.instructions):
            return False
        if count:
            copy: Instruction = self.instructions[count]
            self._forget_loop()
            self._run(count)
            mark: cython.Py_ssize_t = _next_epoch()
            if not self.instructions or self.instructions[0] is not copy or self.failed_pending:
                return False
            # No call in between, as in `_take`. What was appended meanwhile may write anything.
            if self.instructions[len(self.instructions) - 1] is last:
                self.mark = mark
        return True

    @cython.ccall
    def copied_first(self, memory: object) -> object:
        """Take the first instruction off the tape: its result is in memory that is given."""
        first: Instruction = self.instructions[0]
        first.fresh.buffer = memory  # type: ignore[union-attr]
        del self.instructions[:1]
        return None

    def source_of(self, storage: Storage) -> View | None:
        """Return the computed element that the last instruction copies to a storage, or None."""
        if not self.runs_before_copies(storage):
            return None
        last: Instruction = self.instructions[len(self.instructions) - 1]
        view: View = last.views[0]
        if last.fresh is not storage or view.storage is None or self.writes(view.storage):
            return None
        return view

    @cython.ccall
    def names(self, storage: Storage) -> cython.bint:
        """Return whether an instruction, or an unfinished launch, may write or read a storage."""
        if self.unfinished:
            return True
        if not self.instructions and not self.failed_pending:
            return False
        instruction: Instruction
        view: View
        for instruction in [*self.instructions, *self.failed_pending]:
            for view in instruction.views:
                if view.storage is storage:
                    return True
            if instruction.fresh is storage:
                return True
        return False

    def has_no_axes(self) -> bool:
        """Return whether all instructions compute one element each: fusing them saves nothing."""
        return bool(self.instructions) and not any(
            [instruction.opcode.shape for instruction in self.instructions]
        )

    @cython.ccall
    def note_value(self) -> object:
        """Note that a value is asked for.

        Small work that came often before such a value is recorded from then on: as a program, where
        it is long enough for that to take less time.
        """
        if self.at_once >= _LONG_WORK:
            self.records = self._count(self.small_work) >= _REPEATS
        self.at_once = self.small_work = 0
        return None

    @cython.cfunc
    def _count(self, key: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Count how often a list came, by its hash."""
        times: cython.Py_ssize_t = self.came.get(key, 0) + 1
        remembered(self.came, key, times)
        return times

    def end(self) -> None:
        """Run everything, unless a run is in progress, whose finalizer has recorded something."""
        with self.device.lock:
            if not self.is_running:
                self.run()

    def cut(self) -> None:
        """Run the instructions of a full tape, up to where the body of a loop ended."""
        with self.device.lock:
            # Another thread may have cut it meanwhile.
            if len(self.instructions) >= self.most and not self.is_running:
                self.was_cut = True
                count = self.loops.end(list(self.instructions))  # others append
                self.most = self.loops.most
                if count:
                    self._run(count)
                    self.records = True

    # -- running ---------------------------------------------------------------------------------

    def run(self) -> None:
        """Run everything."""
        if self.instructions or self.failed_pending or self.unfinished or self.is_running:
            self._forget_loop()
            self._run(len(self.instructions))

    @cython.cfunc
    def _forget_loop(self) -> cython.void:
        """Note that everything runs, so that no loop goes on where a full tape was cut."""
        if self.was_cut:
            self.was_cut = False
            self.loops.forget()
            self.most = self.loops.most

    def release(self, is_written: Callable[[Storage], bool]) -> None:
        """Run everything, also what failed if it names a storage that is written next.

        The write is no instruction, so nothing else would keep the order.
        """
        self.run()
        instruction: Instruction
        for instruction in self.failed_pending:
            named = [view.storage for view in instruction.views if view.storage is not None]
            if any([is_written(storage) for storage in [instruction.written, *named]]):
                failures.requeue(self, self.failed_pending)
                self.run()
                return

    def ask(self, call: Callable[..., Any], *given: Any) -> None:
        """Call the driver for work that is no instruction; the caller holds the device's lock.

        Meanwhile the tape counts as running: a finalizer that launched something would let the
        driver take its queue for empty, or give a kernel other arguments.
        """
        self.is_running = True
        try:
            call(*given)
        finally:
            self.is_running = False
            end_before_others(self.device)

    @cython.cfunc
    def _run(self, count: cython.Py_ssize_t) -> object:
        """Run the first instructions.

        If one fails, those that have not run stay on the tape, except what depends on it.
        """
        if self.is_running:
            raise errors.refused(
                RuntimeError,
                f"{self.device}",
                "a value was asked for while work is being launched",
                "finalizers and signal handlers must not ask for one",
                errors.difference("np-finalizers"),
            )
        # Before anything is made: a finalizer that runs meanwhile would run what is listed here.
        self.is_running = True
        core_counts.looks += 1
        others_see: cython.bint = False
        listed: RunArguments | None = None
        last: cython.Py_ssize_t = -1
        try:
            others_see = bool(self.shared)
            listed = RunArguments([], [], [], [])
            # No slice: while a compiled one makes its list, a finalizer may write to the tape.
            instructions: list[Any] = list(self.instructions)
            del instructions[count:]
            if others_see and instructions:
                last = instructions[len(instructions) - 1].number
            return self._run_listed(instructions, listed)
        finally:
            self.is_running = False
            if others_see and (listed is None or failures.are_seen(self.device, listed.storages)):
                end_before_others(self.device)
            if last >= 0 and failures.is_seen_since(self, last):
                self._run(len(self.instructions))

    @cython.cfunc
    def _run_listed(self, instructions: list[Any], listed: RunArguments) -> object:
        """Run instructions that are the first on the tape; keep what has not run after an error."""
        trace: Trace | None = None
        program: Runnable | None = None
        device = self.device
        driver = device.driver
        launched = driver.launched
        done: list[Any] = []
        try:
            if self.unfinished:
                go_on(device, self.unfinished)
                end_before_others(device)
            launched = driver.launched
            trace = self._describe(self._take(instructions), listed, True)
            instructions.clear()  # they hold storages
            self.at_once = self.small_work = 0
            # Alone an instruction takes less at once: 1,000 numbers + 1 1.4 us, by a program 2.0.
            self.records = not trace.is_new and len(trace.opcodes) > 1
            if trace.is_new:
                if self.once is None:
                    self.once = dispatch.Program(trace, ())
                program = self.once
                program.trace = trace
            else:
                program = self._program(trace, listed)
            return program.run(listed, done, self.unfinished)
        except BaseException as error:
            if trace is None:
                listed.clear()
                if instructions and not (
                    self.instructions and self.instructions[0] is instructions[0]
                ):
                    failures.requeue(self, instructions)
                raise
            instructions.clear()
            if program is not None:
                launched = driver.launched - launched
                program.broken_off(listed, launched, done, self.unfinished)
            failures.keep_left(self, trace, listed, program, done, error)
            raise

    @cython.cfunc
    def _program(self, trace: Trace, listed: RunArguments) -> Runnable:
        """Return the program of a list by the states of its storages; make it the first time."""
        states = self.states(listed, trace.sizes)
        program: Runnable | None = trace.program(states)
        if program is None:
            program = trace.keep(states, dispatch.Program(trace, states))
        return program

    @cython.cfunc
    def _take(self, instructions: list[Any]) -> list[Any]:
        """Take the first instructions off the tape; return those that depend on no failed one."""
        mark: cython.Py_ssize_t = _next_epoch()
        del self.instructions[: len(instructions)]
        # No call in between, behind which a finalizer may write and another thread go on.
        if not self.instructions:
            self.mark = mark
        if not self.failed_pending:
            return instructions
        marked = [(False, instruction) for instruction in instructions]
        instructions.clear()
        return failures.split_runnable(self, marked)

    def would_run(self) -> tuple[Trace, RunArguments, Runnable]:
        """Return the trace, arguments and program that would run now; nothing runs."""
        was_running = self.is_running
        listed: RunArguments = RunArguments([], [], [], [])
        try:
            self.is_running = True
            # Else the tape itself holds every storage.
            trace: Trace = self._describe(self._take(list(self.instructions)), listed)
            try:
                return trace, listed, self._program(trace, listed)
            finally:
                failures.requeue(self, [*failures.instructions_of(trace, listed)])
        finally:
            self.is_running = was_running

    @cython.ccall
    def described(self, instructions: list[Any], listed: RunArguments) -> Trace:
        """Return the trace of instructions that are not on the tape, as of those that are."""
        return self._describe(instructions, listed)

    @cython.cfunc
    def _describe(
        self, instructions: list[Any], listed: RunArguments, runs: cython.bint = False
    ) -> Trace:
        """Return the trace of instructions; fill `listed` with what differs between runs of it.

        A view is coded by its storage, in order of first use, and by how far it begins beyond that
        storage's first view; beyond its start where most of the storage is written.
        """
        instruction: Instruction
        view: View
        storage: Storage | None
        beyond: cython.Py_ssize_t
        codes: list[Any] = []
        storages: list[Any] = listed.storages
        bases: list[Any] = listed.bases
        constants: list[Any] = listed.constants
        numbers: list[Any] = listed.numbers
        opcodes: list[Any] = []
        mark: cython.Py_ssize_t = next_mark()
        listed.mark = mark
        for instruction in instructions:
            if instruction.fresh is None and instruction.opcode.target is not None:
                view = instruction.views[len(instruction.views) - 1]
                storage = view.storage
                if storage is not None and 2 * view.structure.nbytes > storage.nbytes:
                    storage.most_mark = mark
        for instruction in instructions:
            opcodes.append(instruction.opcode)
            numbers.append(instruction.number)
            for view in instruction.views:
                storage = view.storage
                if storage is None:
                    constants.append(view.value)
                elif storage.list_mark == mark:
                    beyond = view.offset - bases[storage.slot]
                    if beyond:
                        codes.append((storage.slot, beyond))
                    else:
                        codes.append(storage.slot)
                else:
                    storage.list_mark = mark
                    storage.slot = len(storages)
                    storages.append(storage)
                    if storage.most_mark == mark and view.offset:
                        bases.append(0)
                        codes.append((storage.slot, view.offset))
                    else:
                        bases.append(view.offset)
                        codes.append(storage.slot)
            if instruction.scalar is not None:
                constants.append(instruction.scalar)
            if instruction.fresh is not None:
                storage = instruction.fresh
                storage.list_mark = mark
                storage.slot = len(storages)
                storages.append(storage)
                bases.append(0)
        return self._trace(tuple(opcodes), tuple(codes), runs)

    @cython.cfunc
    def _may_be_new(self) -> cython.bint:
        """Return whether the host may run new lists now, without a plan."""
        if core_tier.name or core_hooks.run is not None or core_hooks.changed or self.kept:
            return False
        return dispatch.can_host(self.device)

    @cython.cfunc
    def _is_kept(self, trace: Trace) -> cython.bint:
        """Count an unknown list; return whether it came often or is large, and so is kept."""
        opcode: Opcode
        size: cython.Py_ssize_t = 0
        for opcode in trace.opcodes:
            if opcode.target is None:
                size += opcode.operands[0].size
            else:
                size += opcode.target.size
        if size > _NEW_WORK:
            return True
        key = hash((trace.opcodes, trace.codes))
        if self._count(key) < _REPEATS:
            trace.is_new = True
            return False
        self.came.pop(key, None)
        trace.is_counted = True
        return True

    @cython.cfunc
    def _trace(self, opcodes: tuple[Any, ...], codes: tuple[Any, ...], runs: cython.bint) -> Trace:
        """Return the trace of opcodes and codes: the one that is kept, or a new one."""
        programs: dict[Any, Any] = self.device.programs
        trace: Trace | None = programs.get(opcodes)
        if trace is None or trace.codes != codes:
            trace = programs.get((opcodes, codes))
            if trace is None:
                trace = Trace(self.device, opcodes, codes)
                if runs and self._may_be_new() and not self._is_kept(trace):
                    return trace
                programs[opcodes, codes] = trace
            remembered(programs, opcodes, trace)  # what runs again is what will run next
        return trace

    @cython.ccall
    def states(self, listed: RunArguments, sizes: object) -> tuple[Any, ...]:
        """Return the state of each storage: live or dead, and the bytes that a dead one frees.

        The bytes are 0 where no result, of one of some `sizes`, could reuse that memory. While
        functions record otherwise, as in a graph, nothing is swapped.
        """
        storage: Storage
        storages: list[Any] = listed.storages
        stays: cython.bint = core_hooks.changed > 0
        shared = self.shared
        kept = self.kept
        state: cython.Py_ssize_t
        states: list[Any] = []
        for storage in storages:
            # Held by the list, by the name here and by the call: else somebody has it.
            if (shared and storage.serial in shared) or (kept and id(storage.buffer) in kept):
                state = _LIVE
            elif held_by(storage) > core_hooks.unheld:
                state = _LIVE
                if storage.most_mark == listed.mark and storage.lender is None and not stays:
                    states.append(_SWAPPABLE - storage.nbytes)
                    continue
            elif storage.buffer is None or storage.lender is not None:
                state = _DEAD
            else:
                state = storage.nbytes
                if state < _WIDE_NBYTES and state not in sizes:  # type: ignore[operator]
                    state = 0
                states.append(state)
                continue
            states.append(state if storage.nbytes < _WIDE_NBYTES else state + _WIDE)
        return tuple(states)


@cython.cfunc
def _unheld() -> cython.Py_ssize_t:
    """Return the reference count of what a list alone holds; -1 where threads count apart."""
    storage: Storage
    storages: list[Any] = [Storage(None, 0)]  # type: ignore[arg-type]
    count: cython.Py_ssize_t = -1
    if not references.are_counted():
        return count
    for storage in storages:
        count = held_by(storage)
    return count


hooks.unheld = _unheld()
references.warn_without_lock()


@cython.ccall
def tape_of(device: Any) -> Tape:
    """Return the tape of a device, which is made when it is first asked for."""
    global _last
    last: Tape | None = _last
    if last is None or last.device is not device:  # a handle has one tape for all time
        if device.tape is None:
            with device.lock:
                if device.tape is None:
                    device.tape = Tape(device)
        _last = last = device.tape
    return last
