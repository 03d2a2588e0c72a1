# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Put back what a failed list left to do: on the tape, or aside until somebody asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr.ir import _cython as cython
from xarr.ir.instructions import decoded
from xarr.ir.storage import is_live

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.instructions import Instruction, RunArguments, new_instruction
    from xarr.ir.views import View
    from xarr.runtime.program import Runnable, Trace

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.tape.tape import Tape

FAILED: Final = -1
"""The mark of storages that a failed instruction, or one that depends on it, writes."""


def _have_memory(instructions: list[Any]) -> None:
    """Allocate what instructions write but do not make, where it has no memory.

    The instruction that made it has run, and its kernel did not store it: all of it is written
    anew.
    """
    made: set[int] = set()
    instruction: Instruction
    for instruction in instructions:
        if instruction.fresh is not None:
            made.add(instruction.fresh.serial)
        elif instruction.opcode.target is not None:
            storage = instruction.written
            if storage.buffer is None and storage.serial not in made:
                storage.buffer, storage.whole = numpy.empty(storage.nbytes, numpy.uint8), None


def keep_left(
    tape: Tape,
    trace: Trace,
    listed: RunArguments,
    program: Runnable | None,
    done: list[int],
    error: BaseException,
) -> None:
    """Put what has yet to run after an error back on the tape, or among what failed."""
    opcodes = trace.opcodes
    everything = frozenset(range(len(opcodes)))
    failed = everything if program is None else program.failed(done)
    names = dict.fromkeys([opcodes[at].operation.name for at in sorted(failed)])
    error.add_note(f"{tape.device} was computing {', '.join(names)}")
    left = failed if program is None else program.left(done)
    every = enumerate(instructions_of(trace, listed))
    marked = [(at in failed, one) for at, one in every if at in left]
    listed.clear()
    _have_memory([instruction for _, instruction in marked])
    from traceback import clear_frames  # here, as most programs need none

    clear_frames(error.__traceback__)  # else it holds them
    if isinstance(error, Exception):
        requeue(tape, split_runnable(tape, marked))
    else:
        requeue(tape, [instruction for _, instruction in marked])


def split_runnable(tape: Tape, marked: list[tuple[bool, Instruction]]) -> list[Any]:
    """Return the instructions that depend on none that failed; keep the others as pending.

    The instructions that have just failed are marked True. If there is none, and others see the
    memory of one that would be kept, all are tried again.
    """
    shared = set() if any([failed for failed, _ in marked]) else {*tape.device.shared}
    marked += [(True, instruction) for instruction in _needed(tape, tape.failed_pending)]
    marked.sort(key=lambda one: one[1].number)
    tape.failed_pending = []
    instructions: list[Any] = []
    later: list[Any] = []
    read: set[int] = set()
    written: set[int] = set()
    while marked:
        has_failed, instruction = marked.pop(0)
        reads = {view.storage.serial for view in instruction.views if view.storage is not None}
        writes = instruction.written.serial
        if has_failed or reads & written or writes in written or writes in read:
            if writes in shared or reads & shared:
                both = [*later, *instructions, instruction, *[one for _, one in marked]]
                both.sort(key=lambda one: one.number)  # whoever asks for a value gets the error
                return both
            later.append(instruction)
            read |= reads
            written.add(writes)
        else:
            instructions.append(instruction)
        del instruction
    tape.failed_pending = _needed(tape, later)
    for instruction in tape.failed_pending:
        instruction.written.mark = FAILED
    return instructions


def _needed(tape: Tape, instructions: list[Any]) -> list[Any]:
    """Return the instructions whose results are live, or that such an instruction needs."""
    listed: RunArguments = RunArguments([], [], [], [])
    trace: Trace = tape.described(instructions, listed)
    instructions.clear()  # they hold storages
    states = tape.states(listed, trace.sizes)
    wanted = {at for at, state in enumerate(states) if is_live(state)}
    wanted = {listed.storages[at].serial for at in wanted}
    found: list[Any] = []
    for instruction in reversed([*instructions_of(trace, listed)]):
        if instruction.written.serial in wanted:
            wanted.update(
                [view.storage.serial for view in instruction.views if view.storage is not None]
            )
            found.append(instruction)
    found.reverse()
    return found


def requeue(tape: Tape, instructions: list[Any]) -> None:
    """Put instructions back on the tape, before those that are there."""
    if instructions is tape.failed_pending:
        tape.failed_pending = []
    tape.instructions[:0] = instructions
    instruction: Instruction
    for instruction in instructions:
        instruction.written.mark = tape.mark


def are_seen(device: Device, storages: list[Any]) -> bool:
    """Return whether others see the memory of a storage, or the storages are not known."""
    shared = device.shared
    return not storages or any([storage.serial in shared for storage in storages])


def is_seen_since(tape: Tape, number: int) -> bool:
    """Return whether others see memory of an instruction that was recorded after a number.

    A finalizer has recorded it while the tape ran, so that it could not run at once.
    """
    instruction: Instruction
    storages: list[Any] = []
    for instruction in list(tape.instructions):
        if instruction.number > number:
            storages.append(instruction.written)
            storages += [view.storage for view in instruction.views if view.storage is not None]
    return bool(storages) and are_seen(tape.device, storages)


def instructions_of(trace: Trace, listed: RunArguments) -> Iterator[Instruction]:
    """Make the instructions of a trace again."""
    codes = iter(trace.codes)
    values = iter(listed.constants)
    named = 0
    for opcode, number in zip(trace.opcodes, listed.numbers, strict=True):
        views = []
        for how in opcode.named:
            if how.strides is None:
                views.append(View(None, how, 0, next(values)))
            else:
                slot, beyond = decoded(next(codes))
                named = max(named, slot + 1)
                views.append(View(listed.storages[slot], how, listed.bases[slot] + beyond))
        fresh = None
        if opcode.is_fresh:
            fresh = listed.storages[named]
            named += 1
        yield new_instruction(opcode, tuple(views), fresh, None, number)
