# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""The tape: what was asked of a device and has not run, in program order.

Running it in order, one instruction after the other, is the meaning of a program.

Each module of this package that has a `.pxd` runs as it is, and compiled by Cython, which reads the
types of fields and functions there; `_cython.py` stands for what it is told.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import errors, layout, references, tuning
from xarr.core import _cython as cython
from xarr.core.cycles import Cycles
from xarr.core.instructions import carried, decoded
from xarr.core.memo import remembered
from xarr.core.steps import Prepared, end_before_others, go_on
from xarr.core.storage import ALIVE, DEAD, OWN, WIDE, is_held
from xarr.core.watch import hooks

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from sys import getrefcount as held_by

    from xarr.core.instructions import Arguments, Opcode, Step, new_step, take_number
    from xarr.core.program import Program, Trace
    from xarr.core.storage import Storage, next_mark
    from xarr.core.views import Node
    from xarr.core.watch import core_counts, core_hooks, core_tier

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.core.operations import Operation

IS_COMPILED: Final[bool] = cython.compiled
"""Whether the module is compiled."""
_ALIVE = cython.declare(cython.Py_ssize_t, ALIVE)
_DEAD = cython.declare(cython.Py_ssize_t, DEAD)
_WIDE = cython.declare(cython.Py_ssize_t, WIDE)
_OWN = cython.declare(cython.Py_ssize_t, OWN)
_WIDE_NBYTES = cython.declare(cython.Py_ssize_t, layout.WIDE)
_REPEATS = cython.declare(cython.Py_ssize_t, tuning.REPEATS)
_NEW_WORK = cython.declare(cython.Py_ssize_t, tuning.NEW_WORK)
_ASIDE = cython.declare(cython.Py_ssize_t, -1)
"""What storages bear that an instruction writes which was put aside."""
_epoch = cython.declare(cython.Py_ssize_t, 0)


@cython.cfunc
def _next_epoch() -> cython.Py_ssize_t:
    global _epoch
    _epoch += 1
    return _epoch


def _have_memory(steps: list[Any]) -> None:
    """Give NumPy's memory to what steps write that has none, though they do not make it.

    What made it has run, as a variable of a kernel: all of it is written anew.
    """
    made: set[int] = set()
    step: Step
    for step in steps:
        if step.fresh is not None:
            made.add(step.fresh.serial)
        elif step.opcode.target is not None:
            storage = step.written
            if storage.buffer is None and storage.serial not in made:
                storage.buffer = numpy.empty(storage.nbytes, numpy.uint8)


@cython.cclass
class Tape:
    """What was asked of a device and has not run.

    Threads append to `steps` without a lock, since a list is changed by one at a time; what runs
    holds the device's.

    Attributes
    ----------
    make : type of Program
        What lists of instructions become.
    mark : int
        What storages that are written to bear, until that has run.
    came : dict of int to int
        How often lists came that are new, by their hashes. It holds nothing but numbers, so that
        the garbage collector has nothing to walk; lists of one hash are counted as one, which
        makes a plan come earlier and changes no value.
    once : Program or None
        The program that runs lists that are new, one after the other.
    aside : list of Step
        What failed, and what depends on that: it runs again when its value is asked for.
    """

    device: Any
    make: Any
    steps: list[Any]
    aside: list[Any]
    unfinished: list[Any]
    cycles: Any
    most: int
    came: dict[int, int]
    once: Program | None
    shared: dict[int, int]
    kept: dict[int, int]
    mark: int
    is_running: bool

    def __init__(self, device: Device, make: type[Program]) -> None:
        self.device = device
        self.shared = device.shared
        self.kept = device.kept
        self.make = make
        self.steps = []
        self.came = {}
        self.aside = []
        self.unfinished = []
        self.cycles = Cycles(carried)
        self.most = self.cycles.most
        self.mark = _next_epoch()

    @cython.ccall
    def writes(self, storage: Storage) -> cython.bint:
        """Whether an instruction, or what is unfinished, may write a storage."""
        if self.unfinished or storage.buffer is None:
            return True
        return storage.mark == self.mark or storage.mark == _ASIDE

    def compute(self, storage: Storage) -> None:
        """Run what writes a storage, and all that was asked for with it."""
        core_counts.looks += 1
        if self.is_running or self.writes(storage):
            self.run()
        if self.aside and (self.writes(storage) or self._is_behind(storage)):
            self._put_first(self.aside)
            self.run()

    def _is_behind(self, storage: Storage) -> bool:
        """Whether what is aside may write a storage's memory by another name."""
        shared = self.device.shared
        return storage.serial in shared and any(
            [step.written.serial in shared for step in self.aside]
        )

    @cython.ccall
    def ends_in_copy(self, storage: Storage) -> cython.bint:
        """Whether the last instruction makes the storage of one element by a copy, or the like."""
        if not self.steps:
            return False
        step: Step = self.steps[len(self.steps) - 1]
        return step.fresh is storage and step.opcode.operation.name == "astype"

    def copied(self, storage: Storage, copy: Operation) -> Node | None:
        """What is in memory, and the last instruction copies to a new storage; None for others."""
        core_counts.looks += 1
        if self.is_running or self.unfinished or self.aside or not self.steps:
            return None
        step: Step = self.steps[len(self.steps) - 1]
        if step.fresh is not storage or step.opcode.operation is not copy:
            return None
        node: Node = step.nodes[0]
        return None if node.storage is None or self.writes(node.storage) else node

    @cython.ccall
    def names(self, storage: Storage) -> cython.bint:
        """Whether an instruction, or what is unfinished, may write or read a storage."""
        if self.unfinished:
            return True
        if not self.steps and not self.aside:
            return False
        step: Step
        node: Node
        for step in [*self.steps, *self.aside]:
            for node in step.nodes:
                if node.storage is storage:
                    return True
            if step.fresh is storage:
                return True
        return False

    def has_no_axes(self) -> bool:
        """Whether all instructions are for one element each, so that no kernel becomes two."""
        return bool(self.steps) and not any([step.opcode.shape for step in self.steps])

    def end(self) -> None:
        """Run everything now that an instruction is complete; unless a finalizer asked for it."""
        with self.device.lock:
            if not self.is_running:
                self.run()

    def cut(self) -> None:
        """Run what stands on a full tape up to where a loop's body ended."""
        with self.device.lock:
            # Another thread may have cut it meanwhile.
            if len(self.steps) >= self.most and not self.is_running:
                count = self.cycles.end(list(self.steps))  # others append
                self.most = self.cycles.most
                if count:
                    self._run(count)

    # -- running ---------------------------------------------------------------------------------

    def run(self) -> None:
        """Run everything."""
        if self.steps or self.aside or self.unfinished or self.is_running:
            self.cycles.forget()
            self.most = self.cycles.most
            self._run(len(self.steps))

    def release(self, is_written: Callable[[Storage], bool]) -> None:
        """Run everything; also what is aside, if it names a storage that is written next.

        What writes is not on the tape, so nothing else would keep the order.
        """
        self.run()
        step: Step
        for step in self.aside:
            named = [node.storage for node in step.nodes if node.storage is not None]
            if any([is_written(storage) for storage in [step.written, *named]]):
                self._put_first(self.aside)
                self.run()
                return

    def ask(self, call: Callable[..., Any], *given: Any) -> None:
        """Have the driver do what is not on the tape; whoever calls holds the device's lock.

        A finalizer that launched something before this has ended would have a driver take its
        queue for empty, and a kernel for one with other arguments.
        """
        self.is_running = True
        try:
            call(*given)
        finally:
            self.is_running = False
            end_before_others(self.device)

    def consume(self, opcode: Opcode, node: Node) -> Prepared:
        """Run everything but the kernel that a skeleton, which takes a value, will be."""
        step: Step = new_step(opcode, (node,), None, None, take_number())
        self.steps.append(step)
        try:
            prepared: Any = self._run(len(self.steps))
        except BaseException:
            if step in self.steps:  # what failed came before it
                self.steps.remove(step)
            raise
        assert prepared is not None
        return prepared

    @cython.cfunc
    def _run(self, count: cython.Py_ssize_t) -> object:
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
        # Before anything is made: a finalizer that runs meanwhile would run what is listed here.
        self.is_running = True
        core_counts.looks += 1
        others_see: cython.bint = False
        listed: Arguments | None = None
        try:
            others_see = bool(self.shared)
            listed = Arguments([], [], [], [])
            # No slice: while a compiled one makes its list, a finalizer may write to the tape.
            steps: list[Any] = list(self.steps)
            del steps[count:]
            return self._run_listed(steps, listed)
        finally:
            self.is_running = False
            if others_see and (listed is None or self._sees(listed.storages)):
                end_before_others(self.device)

    @cython.cfunc
    def _sees(self, storages: list[Any]) -> cython.bint:
        """Whether others see the memory of one of the storages, or what they are is not known."""
        shared = self.device.shared
        return not storages or any([storage.serial in shared for storage in storages])

    @cython.cfunc
    def _run_listed(self, steps: list[Any], listed: Arguments) -> object:
        """Run instructions that are the first on the tape."""
        trace: Trace | None = None
        program: Program | None = None
        device = self.device
        driver = device.driver
        launched = driver.launched
        done: list[Any] = []
        try:
            if self.unfinished:
                go_on(device, self.unfinished)
                end_before_others(device)
            launched = driver.launched
            trace = self._listed(self._taken(steps), listed, self._may_be_new())
            steps.clear()  # they hold storages
            if trace.is_new:
                if self.once is None:
                    self.once = self.make(trace, ())
                program = self.once
                program.trace = trace
            else:
                program = trace.program(self._states(listed, trace.sizes))
            return program.run(listed, done, self.unfinished)
        except BaseException as error:
            if trace is None:
                listed.clear()
                if steps and not (self.steps and self.steps[0] is steps[0]):
                    self._put_first(steps)
                raise
            steps.clear()
            if program is not None:
                launched = driver.launched - launched
                program.broken_off(listed, launched, done, self.unfinished)
            self._keep_left(trace, listed, program, done, error)
            raise

    def _keep_left(
        self,
        trace: Trace,
        listed: Arguments,
        program: Program | None,
        done: list[int],
        error: BaseException,
    ) -> None:
        """Have on the tape, or aside, what has yet to run after an error."""
        opcodes = trace.opcodes
        everything = frozenset(range(len(opcodes)))
        failed = everything if program is None else program.failed(done)
        names = dict.fromkeys([opcodes[at].operation.name for at in sorted(failed)])
        error.add_note(f"{self.device} was computing {', '.join(names)}")
        left = failed if program is None else program.left(done)
        marked = [(at in failed, step) for at, step in enumerate(_steps(trace, listed))
                  if at in left and step is not None]  # fmt: skip
        listed.clear()
        _have_memory([step for _, step in marked])
        traceback.clear_frames(error.__traceback__)  # else it holds them
        if isinstance(error, Exception):
            self._put_first(self._sorted_out(marked))
        else:
            self._put_first([step for _, step in marked])

    @cython.cfunc
    def _taken(self, steps: list[Any]) -> list[Any]:
        """The first instructions, which leave the tape; those of them that may run."""
        mark: cython.Py_ssize_t = _next_epoch()
        del self.steps[: len(steps)]
        # No call in between, behind which a finalizer may write and another thread go on.
        if not self.steps:
            self.mark = mark
        if not self.aside:
            return steps
        marked = [(False, step) for step in steps]
        steps.clear()
        return self._sorted_out(marked)

    def _sorted_out(self, marked: list[tuple[bool, Step]]) -> list[Any]:
        """The instructions that do not depend on one that failed; the others go, or stay, aside.

        Those that have just failed bear True. If none has, and others see memory that one which
        would go reads or writes, all are tried again.
        """
        shared = set() if any([failed for failed, _ in marked]) else {*self.device.shared}
        marked += [(True, step) for step in self._needed(self.aside)]
        marked.sort(key=_number_of)
        self.aside = []
        steps: list[Any] = []
        later: list[Any] = []
        read: set[int] = set()
        written: set[int] = set()
        while marked:
            has_failed, step = marked.pop(0)
            reads = {node.storage.serial for node in step.nodes if node.storage is not None}
            writes = step.written.serial
            if has_failed or reads & written or writes in written or writes in read:
                if step.opcode.operation.is_consumed or writes in shared or reads & shared:
                    both = [*later, *steps, step, *[step for _, step in marked]]
                    both.sort(key=_place_of)  # whoever asks is told
                    return both
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

    def _needed(self, steps: list[Any]) -> list[Any]:
        """Those steps whose results somebody holds, or another one of them needs."""
        listed: Arguments = Arguments([], [], [], [])
        trace: Trace = self._listed(steps, listed)
        steps.clear()  # they hold storages
        states = self._states(listed, trace.sizes)
        wanted = {at for at, state in enumerate(states) if is_held(state)}
        wanted = {listed.storages[at].serial for at in wanted}
        found: list[Any] = []
        for step in reversed([step for step in _steps(trace, listed) if step is not None]):
            if step.written.serial in wanted:
                wanted.update(
                    [node.storage.serial for node in step.nodes if node.storage is not None]
                )
                found.append(step)
        found.reverse()
        return found

    def _put_first(self, steps: list[Any]) -> None:
        """Have instructions on the tape again, before those that are there."""
        if steps is self.aside:
            self.aside = []
        self.steps[:0] = steps
        step: Step
        for step in steps:
            step.written.mark = self.mark

    def would_run(self) -> tuple[Trace, Arguments, Program]:
        """What the tape says, and what would run now; all stays as it is."""
        was_running = self.is_running
        listed: Arguments = Arguments([], [], [], [])
        try:
            self.is_running = True
            # Else the tape itself holds every storage.
            trace: Trace = self._listed(self._taken(list(self.steps)), listed)
            try:
                return trace, listed, trace.program(self._states(listed, trace.sizes))
            finally:
                self._put_first([step for step in _steps(trace, listed) if step is not None])
        finally:
            self.is_running = was_running

    @cython.cfunc
    def _listed(
        self, steps: list[Any], listed: Arguments, may_be_new: cython.bint = False
    ) -> Trace:
        """What steps have in common with others like them; what they have not is filled in."""
        step: Step
        node: Node
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
        for step in steps:
            if step.fresh is None and step.opcode.target is not None:
                node = step.nodes[len(step.nodes) - 1]
                storage = node.storage
                if storage is not None and 2 * node.structure.nbytes > storage.nbytes:
                    storage.most_mark = mark
        for step in steps:
            opcodes.append(step.opcode)
            numbers.append(step.number)
            for node in step.nodes:
                storage = node.storage
                if storage is None:
                    constants.append(node.value)
                elif storage.list_mark == mark:
                    beyond = node.offset - bases[storage.slot]
                    if beyond:
                        codes.append((storage.slot, beyond))
                    else:
                        codes.append(storage.slot)
                else:
                    storage.list_mark = mark
                    storage.slot = len(storages)
                    storages.append(storage)
                    if storage.most_mark == mark and node.offset:
                        bases.append(0)
                        codes.append((storage.slot, node.offset))
                    else:
                        bases.append(node.offset)
                        codes.append(storage.slot)
            if step.scalar is not None:
                constants.append(step.scalar)
            if step.fresh is not None:
                storage = step.fresh
                storage.list_mark = mark
                storage.slot = len(storages)
                storages.append(storage)
                bases.append(0)
        return self._trace(tuple(opcodes), tuple(codes), may_be_new)

    @cython.cfunc
    def _may_be_new(self) -> cython.bint:
        """Whether lists that are new run by the host now, without a plan."""
        device = self.device
        if core_tier.name or core_hooks.run is not None or core_hooks.changed or self.kept:
            return False
        return device.info.in_place and device.driver.is_open()

    @cython.cfunc
    def _times(self, opcodes: tuple[Any, ...], codes: tuple[Any, ...]) -> cython.Py_ssize_t:
        """Count a list that is not known; return how often it came, or 0 where it is large."""
        opcode: Opcode
        size: cython.Py_ssize_t = 0
        for opcode in opcodes:
            if opcode.target is None:
                size += opcode.operands[0].size
            else:
                size += opcode.target.size
            if opcode.operation.is_consumed:
                return 0
        if size > _NEW_WORK:
            return 0
        key = hash((opcodes, codes))
        times: cython.Py_ssize_t = self.came.get(key, 0) + 1
        if times < _REPEATS:
            remembered(self.came, key, times)
        else:
            self.came.pop(key, None)
        return times

    @cython.cfunc
    def _trace(
        self, opcodes: tuple[Any, ...], codes: tuple[Any, ...], may_be_new: cython.bint
    ) -> Trace:
        """What is kept of a list of instructions on some views."""
        programs: dict[Any, Any] = self.device.programs
        trace: Trace | None = programs.get(opcodes)
        if trace is None or trace.codes != codes:
            trace = programs.get((opcodes, codes))
            if trace is None:
                trace = Trace(self.device, opcodes, codes)
                times: cython.Py_ssize_t = self._times(opcodes, codes) if may_be_new else 0
                trace.is_counted = times >= _REPEATS
                if 0 < times < _REPEATS:
                    trace.is_new = True
                    return trace
                remembered(programs, (opcodes, codes), trace)
            remembered(programs, opcodes, trace)  # what runs again is what will run next
        return trace

    @cython.cfunc
    def _states(self, listed: Arguments, sizes: object) -> tuple[Any, ...]:
        """Of each storage whether somebody holds it, and how many bytes are free if not.

        The bytes are none where no result, of one of some `sizes`, could have that memory. While
        functions record otherwise, as in a graph, results stay where they are.
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
                state = _ALIVE
            elif held_by(storage) > core_hooks.unheld:
                state = _ALIVE
                if storage.most_mark == listed.mark and storage.lender is None and not stays:
                    states.append(_OWN - storage.nbytes)
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


def _number_of(marked: tuple[bool, Step]) -> int:
    return marked[1].number


def _place_of(step: Step) -> int:
    return step.number


@cython.cfunc
def _unheld() -> cython.Py_ssize_t:
    """The count of what only a list holds; less than any where threads count apart."""
    storage: Storage
    storages: list[Any] = [Storage(None, 0)]  # type: ignore[arg-type]
    count: cython.Py_ssize_t = -1
    if not references.COUNTED:
        return count
    for storage in storages:
        count = held_by(storage)
    return count


hooks.unheld = _unheld()


def _steps(trace: Trace, listed: Arguments) -> Iterator[Step | None]:
    """The instructions again; None for one that is consumed, of whose error its caller is told."""
    codes = iter(trace.codes)
    values = iter(listed.constants)
    named = 0
    for opcode, number in zip(trace.opcodes, listed.numbers, strict=True):
        nodes = []
        for how in opcode.named:
            if how.strides is None:
                nodes.append(Node(None, how, 0, next(values)))
            else:
                slot, beyond = decoded(next(codes))
                named = max(named, slot + 1)
                nodes.append(Node(listed.storages[slot], how, listed.bases[slot] + beyond))
        fresh = None
        if opcode.is_fresh:
            fresh = listed.storages[named]
            named += 1
        if opcode.operation.is_consumed:
            yield None
        else:
            yield new_step(opcode, tuple(nodes), fresh, None, number)
