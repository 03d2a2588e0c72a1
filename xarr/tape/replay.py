# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Replay recordings: by launches whose arguments are packed, or by the tape where that must be.

A recording is cut into parts, each of which is a program. Its launches are bound once: they name
buffers by slot, and their arguments are packed, as constants and offsets stay what they are. So a
call allocates what it makes, launches, and has no instructions or storages in between. Where
somebody looks at each instruction or launch, or sees the memory, the instructions are recorded
again one by one.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy

from xarr import layout, tuning
from xarr.ir import _cython as cython
from xarr.ir.storage import DEAD, LIVE, SWAPPABLE, WIDE
from xarr.runtime import dispatch
from xarr.tape import builder, launches
from xarr.tape.bound import holes_of
from xarr.tape.traced import TracedConstant

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.events import core_counts, core_hooks, core_tier
    from xarr.ir.instructions import Opcode, RunArguments, new_instruction
    from xarr.ir.steps import LibraryStep, Step, launched, packed_arguments
    from xarr.ir.storage import Storage, new_storage
    from xarr.ir.views import Structure, View, view_at
    from xarr.runtime.program import Runnable, Trace
    from xarr.tape.bound import Bound, BoundLaunch, Memory, worked
    from xarr.tape.call_graph import CallGraph
    from xarr.tape.record import computed, recorded
    from xarr.tape.tape import Tape, tape_of

if TYPE_CHECKING:
    from xarr.tape.recording import Recording

_ndarray = cython.declare(object, numpy.ndarray)
_Constant = cython.declare(type, TracedConstant)
_Launch = cython.declare(type, launches.LaunchOp)
_MOST_BOUND = cython.declare(cython.Py_ssize_t, tuning.BOUND)


@cython.cclass
class Part:
    """The instructions of a recording that are one program.

    Attributes
    ----------
    program : Program
        The program, whose kernels are compiled.
    slots : list of int
        The recording's slot of each storage of the program.
    bases : list of int
        Where each storage's views begin, for a given one beyond the view that was given; None where
        the program writes most of it, and has the offsets of its views from its start.
    constants : list
        The values of the constants.
    """

    program: Runnable
    slots: list[Any]
    bases: list[Any]
    constants: list[Any]

    def __init__(
        self, program: Runnable, slots: list[int], bases: list[Any], constants: list[Any]
    ) -> None:
        self.program = program
        self.slots = slots
        self.bases = bases
        self.constants = constants


@cython.cclass
class Replay:
    """Makes the calls of a recording.

    Attributes
    ----------
    entries : list of Entry
        Its instructions.
    parts : list of Part or None
        Its programs, once it was first replayed.
    planned : dict
        The offset of each given view that the programs are made for: a program writes most of its
        storage, or there are views of this with elements of several sizes.
    bound : dict
        The launches of all parts, by the offsets of the given views.
    kept : list of int
        The slots that are there before a call, and those of the results that it makes.
    made : list of (Structure, int)
        Of each of these results the structure of a view of it, and the storage's bytes.
    places : list
        The places of the results' views, by positions in `kept` in place of slots.
    sizes : dict
        The bytes of the storages that instructions make, by slot.
    noted : Replay or None
        That of the instructions as noted, if those here compute again: for memory that others see.
    """

    device: Any
    noted: Any
    entries: list[Any]
    captured: list[Any]
    written: list[Any]
    results: list[Any]
    parts: list[Any] | None
    planned: dict[Any, Any]
    bound: dict[Any, Any]
    kept: list[Any]
    made: list[Any]
    places: list[Any]
    sizes: dict[Any, Any]
    given: int
    known: int
    slots: int

    def __init__(self, recording: Recording, noted: Recording | None = None) -> None:
        self.device = recording.device
        self.noted = None if noted is None or noted is recording else Replay(noted)
        self.entries = [
            (opcode, [_plain(place) for place in places], made, scalar)
            for opcode, places, made, scalar in recording.entries
        ]
        self.captured = recording.captured
        self.written = sorted(recording.written)
        self.results = [_plain(place) for place in recording.results]
        self.given = recording.given
        self.known = recording.known
        self.slots = recording.slots
        self.bound = {}
        self.planned = {}
        self.sizes = {entry[2]: entry[0].nbytes for entry in self.entries if entry[2] >= 0}
        kinds = {place[0]: place[1] for place in self.results if place[0] >= self.known}
        self.kept = [*range(self.known), *kinds]
        self.made = [(how, self.sizes[slot]) for slot, how in kinds.items()]
        self.places = [(self.kept.index(slot), *rest) for slot, *rest in self.results]

    @cython.ccall
    def call(self, views: list[Any], constants: list[Any]) -> list[Any]:
        """Make the call over given views, one for each given slot; return the result's views.

        `constants` replace those of the recorded call that depend on its numbers; where they are
        the same list as in the last call, so are they.
        """
        tape: Tape = tape_of(self.device)
        view: View
        if self._is_watched(tape):
            return self._record(views, constants)
        with self.device.lock:
            if tape.is_running:
                return self._record(views, constants)
            if tape.instructions or tape.unfinished:
                tape.run()
            storages: list[Any] = self._storages(views)
            if tape.failed_pending or not self._can_launch(tape, views, storages):
                return self._record(views, constants)
            offsets: list[Any] = []
            for view in views:
                offsets.append(view.offset)
            key = tuple(offsets)
            bound: Bound | None = self.bound.get(key)
            if bound is None:
                if len(self.bound) >= _MOST_BOUND:
                    return self._record(views, constants)
                bound = self.bound[key] = self._bind(views, offsets)
            if constants and bound.constants is not constants:
                bound.put(constants)
            return self._launch(tape, views, storages, bound)

    @cython.cfunc
    def _is_watched(self, tape: Tape) -> cython.bint:
        """Return whether somebody looks at instructions, or at launches one by one."""
        if core_hooks.recorder is not None or core_hooks.eager or core_hooks.changed:
            return True
        if core_hooks.launch is not None:
            return True
        return core_tier.name == "hosted" or bool(tape.kept)

    @cython.cfunc
    def _can_launch(self, tape: Tape, views: list[Any], storages: list[Any]) -> cython.bint:
        """Return whether the storages are as the programs take them for: own, and in memory."""
        view: View
        captured: View
        storage: Storage
        slot: cython.Py_ssize_t
        shared = tape.shared
        for storage in storages:
            if storage.buffer is None or (shared and storage.serial in shared):
                return False
        for slot in self.written:
            storage = storages[slot]
            if storage.lender is not None:
                return False
        for captured in self.captured:
            for view in views:  # the order of launches does not know that both are one
                if view.storage is captured.storage:
                    return False
        return True

    @cython.cfunc
    def _storages(self, views: list[Any]) -> list[Any]:
        """Return the storages that are there before a call."""
        view: View
        found: list[Any] = []
        for view in [*views, *self.captured]:
            found.append(view.storage)
        return found

    # -- by the tape -----------------------------------------------------------------------------

    @cython.cfunc
    def _record(self, views: list[Any], constants: list[Any]) -> list[Any]:
        """Record all instructions again; return the result's views."""
        noted: Replay | None = self.noted
        if noted is not None and self.device.shared:  # one storage may be another one
            return noted._record(views, constants)
        firsts: list[Any] = [*views, *self.captured]
        self.record(firsts, constants)
        return [view_in(place, firsts) for place in self.results]

    @cython.cfunc
    def record(self, firsts: list[Any], constants: list[Any]) -> cython.void:
        """Record all instructions again, given the first view of each storage that is there.

        Those of what the instructions make are appended.
        """
        opcode: Opcode
        target: View
        view: View
        places: list[Any]
        for opcode, places, _, scalar in self.entries:
            operands: list[Any] = []
            for place in places:
                view = view_in(place, firsts)
                if constants and isinstance(view.value, _Constant):
                    view = View(None, view.structure, 0, constants[view.value.number])
                operands.append(view)
            if type(opcode.operation) is _Launch:
                launches.launch(opcode.operation, operands, opcode.device)
                continue
            if opcode.is_fresh:
                if opcode.raises:
                    firsts.append(builder.computed_at_once(opcode, tuple(operands)))
                elif constants and isinstance(scalar, _Constant):
                    firsts.append(computed(opcode, tuple(operands), constants[scalar.number]))
                else:
                    firsts.append(computed(opcode, tuple(operands), scalar))
                continue
            target = operands[0] if opcode.target is None else operands.pop()
            with opcode.device.lock:
                target.storage.writes += 1  # type: ignore[union-attr]
                recorded(opcode, tuple(operands), None if opcode.target is None else target)

    # -- by launches -----------------------------------------------------------------------------

    def _planned(self, views: list[Any]) -> list[Any]:
        """Return the programs of the recording, with their kernels."""
        tape: Tape = tape_of(self.device)
        storage: Storage
        opcode: Opcode
        made: cython.Py_ssize_t
        view: View
        firsts: list[Any] = []
        for view in [*views, *self.captured]:
            storage = Storage(self.device, view.storage.nbytes)  # type: ignore[union-attr]
            firsts.append(View(storage, view.structure, view.offset))
        offsets = [view.offset for view in firsts]
        instructions: list[Any] = []
        mixed: set[int] = set()
        for number, (opcode, places, made, scalar) in enumerate(self.entries):
            operands = tuple([view_in(place, firsts) for place in places])
            fresh = None
            if made >= 0:
                fresh = Storage(self.device, opcode.nbytes)
                firsts.append(View(fresh, opcode.target, 0))
            instructions.append(new_instruction(opcode, operands, fresh, scalar, number))
            for view, place in zip(operands, places, strict=True):
                if view.storage is not None and firsts[place[0]].structure.itemsize != (
                    view.structure.itemsize
                ):
                    mixed.add(place[0])
        number_of = {view.storage.serial: slot for slot, view in enumerate(firsts)}
        last = self._last_uses()
        parts: list[Any] = []
        seen: set[int] = set(range(self.known))
        first = 0
        for end in launches.ends(instructions):
            opcode, places, _, _ = self.entries[end - 1]
            if type(opcode.operation) is _Launch:
                slots = list(dict.fromkeys([place[0] for place in places]))
                dead = [slot for slot in slots if slot >= self.known and last[slot] == end - 1]
                alone = launches.program_of(instructions[end - 1], places, slots, dead)
                begins = [None if slot < self.given else 0 for slot in slots]
                parts.append(Part(alone, slots, begins, []))
                self.planned.update([(slot, offsets[slot]) for slot in slots if slot < self.given])
                seen.update(slots)
                first = end
                continue
            listed: RunArguments = RunArguments([], [], [], [])
            trace: Trace = tape.described(instructions[first:end], listed)
            slots = [number_of[storage.serial] for storage in listed.storages]
            states: list[Any] = []
            bases: list[Any] = []
            for slot, base, storage in zip(slots, listed.bases, listed.storages, strict=True):
                is_most = storage.most_mark == listed.mark
                is_live = slot < self.known or last[slot] >= end
                states.append(_state(storage, is_live, is_most, slot in seen, trace.sizes))
                if slot < self.given:
                    bases.append(None if is_most else base - offsets[slot])
                    if is_most or slot in mixed:
                        self.planned[slot] = offsets[slot]
                else:
                    bases.append(base)
            seen.update(slots)
            program: Runnable | None = trace.program(tuple(states))
            if program is None:
                program = trace.keep(tuple(states), dispatch.Program(trace, tuple(states)))
            program.prepare()
            parts.append(Part(program, slots, bases, listed.constants))
            first = end
        return parts

    def _last_uses(self) -> list[int]:
        """Return the number of the last instruction that names each slot; of results, the end."""
        found = [0] * self.slots
        for number, (_, places, made, _) in enumerate(self.entries):
            for place in places:
                if type(place) is tuple:
                    found[place[0]] = number
            if made >= 0:
                found[made] = number
        for place in self.results:
            found[place[0]] = len(self.entries)
        return found

    def _bind(self, views: list[Any], offsets: list[int]) -> Bound:
        """Return the launches of all parts, for given views with some offsets."""
        part: Part
        bound: Bound = Bound()
        if self.parts is None or any(
            [offsets[slot] != offset for slot, offset in self.planned.items()]
        ):
            self.parts = self._planned(views)
        spare = self.slots
        storages = self._storages(views)
        for part in self.parts:
            bases: list[Any] = []
            for slot, base in zip(part.slots, part.bases, strict=True):
                if slot < self.given:
                    bases.append(0 if base is None else base + offsets[slot])
                else:
                    bases.append(base)
            slots = list(part.slots)
            for _ in part.program.spare:
                slots.append(spare)
                bases.append(0)
                spare += 1
            dropped = [slots[slot] for slot in part.program.dead]
            counts: list[Any] = []
            bound.programs.append((part.program, counts))
            for step in part.program.steps:
                before = len(bound.launches)
                spare = self._bind_step(
                    bound, step, slots, bases, part.constants, dropped, spare, storages
                )
                counts.append(len(bound.launches) - before)
                dropped = []
        bound.slots = spare
        return bound

    def _bind_step(
        self,
        bound: Bound,
        step: Step,
        slots: list[int],
        bases: list[int],
        constants: list[Any],
        dropped: list[int],
        spare: int,
        storages: list[Any],
    ) -> int:
        """Append the launches of a step; return the next free slot."""
        launch: BoundLaunch
        launches: list[Any] = []
        fresh = [(slots[slot], nbytes) for slot, nbytes in step.fresh]
        scratch: list[int] = []
        if isinstance(step, LibraryStep):
            launch = BoundLaunch(dropped)
            launch.step = step
            launch.bases = bases
            for at in dict.fromkeys([at for _, at, _ in step.views]):
                slot = slots[at]
                nbytes = self.sizes[slot] if slot in self.sizes else storages[slot].nbytes
                launch.storages.append((at, slot, nbytes))
            launches.append(launch)
        else:
            values: list[Any] = []
            for slot, beyond in step.offsets:
                values.append(0 if slot < 0 else bases[slot] + beyond)
            numbers: list[Any] = []
            holes = [
                *holes_of(values, step.constants, constants, step.complex),
                *holes_of(numbers, step.numbers, constants, step.complex),
            ]
            step._add_constants(step.constants, constants, values)
            step._add_constants(step.numbers, constants, numbers)
            pointers = [slots[slot] for slot in step.pointers]
            places: list[Any] = []
            for one in step.scratch:
                places.append(spare if isinstance(one, int) else one)
                if isinstance(one, int):
                    fresh.append((spare, one))
                    scratch.append(spare)
                    spare += 1
            places.extend([slots[ref.slot] for ref in step.results])
            for planned in step.launches:
                launch = BoundLaunch([] if launches else dropped)
                launch.kernel, launch.grid, launch.elements, _, at, takes_spec, _, _ = planned
                launch.named = pointers
                if at or not takes_spec:
                    before = pointers if takes_spec else []
                    launch.named = [*before, *[places[one] for one in at]]
                launch.packed = packed_arguments(planned, values, numbers)
                launch.planned, launch.template, launch.numbers = planned, values, numbers
                launch.holes = holes
                launches.append(launch)
        launch = launches[0]
        launch.fresh = fresh
        launch = launches[len(launches) - 1]
        launch.reuses = [(slots[one], slots[other]) for one, other in step.reuses]
        launch.freed = [*[slots[slot] for slot in step.freed], *scratch]
        bound.launches.extend(launches)
        return spare

    @cython.cfunc
    def _launch(self, tape: Tape, views: list[Any], storages: list[Any], bound: Bound) -> list[Any]:
        """Make all launches; return the result's views.

        If one fails, what the call writes to is left as the launches before it have made it.
        """
        storage: Storage
        slot: cython.Py_ssize_t
        device = self.device
        buffers: list[Any] = []
        for storage in storages:
            if type(storage.buffer) is _ndarray:
                storage.settle()
            buffers.append(storage.buffer)
        core_counts.looks += 1
        tape.is_running = True
        try:
            if core_hooks.run is not None or not self._launch_together(bound, buffers):
                self._launch_singly(bound, buffers)
        except BaseException as error:
            error.add_note(
                f"{device} was replaying a call: arrays that it writes may hold some of its work"
            )
            raise
        finally:
            tape.is_running = False
            for slot in self.written:
                storage = storages[slot]
                storage.writes += 1
                if buffers[slot] is not None:
                    storage.buffer = buffers[slot]
        return self._results(views, buffers)

    @cython.cfunc
    def _results(self, views: list[Any], buffers: list[Any]) -> list[Any]:
        """Return the result's views, given the buffers after the call."""
        storage: Storage
        at: cython.Py_ssize_t = self.known
        nbytes: cython.Py_ssize_t
        firsts: list[Any] = views + self.captured
        for how, nbytes in self.made:
            storage = new_storage(Storage.__new__(Storage), self.device, nbytes)
            storage.buffer = buffers[at]
            firsts.append(view_at(storage, how, 0))
            at += 1
        found: list[Any] = []
        for place in self.places:
            found.append(view_in(place, firsts))
        return found

    @cython.cfunc
    def _launch_singly(self, bound: Bound, buffers: list[Any]) -> cython.void:
        """Make the launches one by one; replace the known buffers by those of `kept`."""
        slot: cython.Py_ssize_t
        memory: Memory = Memory(self.device, [*buffers, *[None] * (bound.slots - self.known)])
        try:
            if core_hooks.run is None:
                self._launch_each(bound.launches, memory)
            else:
                self._launch_profiled(bound, memory)
        finally:
            buffers.clear()
            for slot in self.kept:
                buffers.append(memory.buffers[slot])

    def _launch_profiled(self, bound: Bound, memory: Memory) -> None:
        """Make the launches one by one, and tell a profile of which program and step each is."""
        first = 0
        for program, counts in bound.programs:
            done: list[Any] = []
            # A launch of an own kernel has its kernel's name, and is of no program.
            is_named = isinstance(program, dispatch.Program)
            with core_hooks.run(program, [], done) if is_named else nullcontext():
                for count in counts:
                    self._launch_each(bound.launches[first : first + count], memory)
                    first += count
                    done.append(first)

    @cython.cfunc
    def _launch_each(self, launches: list[Any], memory: Memory) -> cython.void:
        """Make launches one by one, in a memory."""
        launch: BoundLaunch
        position: cython.Py_ssize_t
        for launch in launches:
            memory.drop(launch)
            if launch.kernel is None:  # which allocates by itself
                buffers = memory.buffers
                places = [(at, buffers[slot], nbytes) for at, slot, nbytes in launch.storages]
                for position, buffer in worked(self.device, launch, places):
                    memory.give(launch.storages[position][1], buffer)
            else:
                memory.take(launch)
                launched(
                    self.device,
                    launch.kernel,
                    launch.grid,
                    memory.buffers_of(launch),
                    launch.packed,
                    launch.elements,
                )
            memory.end(launch)

    @cython.cfunc
    def _launch_together(self, bound: Bound, buffers: list[Any]) -> cython.bint:
        """Make the launches by few calls of the driver, if it has that and memory is left."""
        graph: CallGraph | None = bound.graph
        if graph is None:
            bound.calls += 1
            if bound.calls != 2 or not self.device.driver.is_sequenced:  # it may be the last time
                return False
            graph = CallGraph(self.device, bound.launches, self.known, bound.slots, self.kept)
            bound.graph = graph
        if graph.held is None:
            bound.graph = None
            return False
        return graph.run(buffers, bound.constants)


@cython.cfunc
def _plain(place: Any) -> Any:
    """Return a place as a tuple, which compiled code takes apart at once; a constant as it is."""
    return place if isinstance(place, View) else tuple(place)


@cython.cfunc
def view_in(place: Any, firsts: list[Any]) -> View:
    """Return the view of a place, of the first view of each storage."""
    first: View
    how: Structure
    slot: cython.Py_ssize_t
    beyond: cython.Py_ssize_t
    if type(place) is not tuple:
        return place
    slot, how, beyond = place
    first = firsts[slot]
    if first.structure is how and beyond == 0:
        return first
    begin: cython.Py_ssize_t = first.offset
    if first.structure.itemsize != how.itemsize:
        begin *= first.structure.itemsize
        if begin % how.itemsize:
            raise layout.misaligned("x.view(dtype)", how.itemsize)
        begin //= how.itemsize
    return view_at(first.storage, how, begin + beyond)


def _state(storage: Storage, is_live: bool, is_most: bool, is_there: bool, sizes: Any) -> int:
    """Return the state of a storage in a program, as the tape would tell it."""
    state: int
    if is_live and is_most:
        return SWAPPABLE - storage.nbytes
    if is_live:
        state = LIVE
    elif not is_there:
        state = DEAD
    else:
        state = storage.nbytes
        return state if state >= layout.WIDE or state in sizes else 0
    return state if storage.nbytes < layout.WIDE else state + WIDE
