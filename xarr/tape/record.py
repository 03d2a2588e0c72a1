# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Append instructions to the tape of their device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from xarr import dtypes, tuning
from xarr.codegen.expressions import cast
from xarr.ir import _cython as cython
from xarr.ir.operation import Operation, interned
from xarr.runtime import dispatch
from xarr.runtime.host_values import converter

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.events import core_counts, core_hooks, core_tier
    from xarr.ir.instructions import Instruction, Opcode, new_instruction, opcode_of, take_number
    from xarr.ir.storage import Storage, new_storage
    from xarr.ir.views import Structure, View, contiguous, lone_of, view_at
    from xarr.runtime.host_eval import evaluate_small, overwrite_small
    from xarr.runtime.program import Trace
    from xarr.tape.tape import Tape, tape_of

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.dtypes import DType

_PLAIN = cython.declare(object, {bool, int, float, complex})
_MADE_NBYTES = cython.declare(cython.Py_ssize_t, tuning.MADE_NBYTES)
_AT_ONCE = cython.declare(cython.Py_ssize_t, tuning.AT_ONCE)
_few_runs = cython.declare(cython.Py_ssize_t, 0)


@cython.ccall
def is_idle(tape: Tape) -> cython.bint:
    """Return whether a small instruction may run now: nothing waits, and nobody watches."""
    return not tape.records and _is_empty(tape)


@cython.cfunc
def _is_empty(tape: Tape) -> cython.bint:
    """Return whether nothing waits, and nobody watches."""
    if tape.instructions or tape.failed_pending or tape.unfinished:
        return False
    return is_unwatched(tape)


@cython.cfunc
def _may_run(tape: Tape, opcode: Opcode) -> cython.bint:
    """Return whether a small instruction may run as it is recorded."""
    if opcode.is_number:
        return is_unwatched(tape)
    return (opcode.is_few or not tape.records) and _is_empty(tape)


@cython.ccall
def is_nearly_idle(tape: Tape) -> cython.bint:
    """Return whether what waits is little enough to run it for a value that could be recorded."""
    instruction: Instruction
    if len(tape.instructions) > _AT_ONCE or tape.failed_pending or tape.unfinished:
        return False
    for instruction in tape.instructions:
        if not instruction.opcode.is_small:
            return False
    return is_unwatched(tape)


@cython.cfunc
def is_unwatched(tape: Tape) -> cython.bint:
    """Return whether work that needs nothing of the tape may run now, as nobody watches.

    Memory that others see is no reason to wait: what reads or writes it runs at once anyway.
    """
    if tape.is_running or tape.noted or core_tier.name or tape.kept:
        return False
    return core_hooks.run is None and core_hooks.launch is None and not core_hooks.changed


@cython.cfunc
def _runs_small(
    tape: Tape,
    opcode: Opcode,
    views: tuple[Any, ...],
    scalar: object,
    fresh: Storage | None,
    target: View | None = None,
) -> cython.bint:
    """Run a small instruction instead of recording it, if it may; return whether it was done.

    With a `target` the result of an opcode of a new storage is written there instead.
    Meanwhile the tape counts as running, as what a finalizer records may come only behind it.
    After many such instructions for which no value was asked what follows is recorded.
    """
    global _few_runs
    if not _may_run(tape, opcode):
        return False
    tape.lock.acquire()  # a `with` takes 1,000 machine instructions more
    try:
        if not _may_run(tape, opcode):
            return False
        if tape.once is None:
            tape.once = dispatch.Program(Trace(tape.device, (), ()), ())
        tape.is_running = True
        try:
            if target is not None:
                if not overwrite_small(opcode, views, scalar, target):
                    return False
            elif not evaluate_small(tape.once, opcode, views, scalar, fresh):
                return False
        finally:
            tape.is_running = False
        if opcode.is_few:
            _few_runs += 1
            if not _few_runs & 31:  # else nothing were ever met again where no value is read
                core_counts.looks += 1
        else:
            # A fold takes NumPy as long as three functions of elements.
            tape.at_once += 3 if opcode.folds else 1
            tape.small_work = 31 * (tape.small_work & 0xFFFFFFFF) + opcode.number
            tape.records = tape.at_once >= _AT_ONCE
    finally:
        tape.lock.release()
    return True


@cython.ccall
def computed(opcode: Opcode, operands: tuple[Any, ...], scalar: object = None) -> View:
    """Record an instruction that writes a new storage; return the view of that.

    A Python scalar stands for the operand that is a constant, between its data type's bounds.
    """
    tape: Tape = tape_of(opcode.device)
    if opcode.constants and scalar is None:
        operands = _frozen(operands)
        opcode = _suited(opcode, operands)
    storage: Storage = new_storage(Storage.__new__(Storage), opcode.device, opcode.nbytes)
    how: Structure = opcode.target
    if core_hooks.recorder is not None:
        core_hooks.recorder(opcode, operands, storage, scalar)
    if opcode.is_small and _runs_small(tape, opcode, operands, scalar, storage):
        return view_at(storage, how, 0)
    if len(tape.instructions) >= tape.most:
        tape.cut()
    tape.instructions.append(new_instruction(opcode, operands, storage, scalar, take_number()))
    if core_hooks.eager or tape.shared:
        _end(tape, opcode, operands)
    return view_at(storage, how, 0)


@cython.cfunc
def computed_of(opcode: Opcode, first: View, second: View) -> View:
    """Record an operation of two views, of which one may be a constant."""
    value: object = None
    if opcode.constants == 1 and core_hooks.recorder is None:
        value = first.value if second.value is None else second.value
    if value is None:
        return computed(opcode, (first, second))
    return computed(opcode, (first,) if first.value is None else (second,), value)


@cython.ccall
def is_overwritten(
    opcode: Opcode, operands: tuple[Any, ...], scalar: object, target: View
) -> cython.bint:
    """Write a result of few elements over a view, if it may run now; return whether that is done.

    Where it may not, it is two instructions, which a program fuses: the result's and the copy's.
    """
    if not opcode.is_small or core_hooks.recorder is not None:
        return False
    return _runs_small(tape_of(opcode.device), opcode, operands, scalar, None, target)


@cython.ccall
def recorded(opcode: Opcode, operands: tuple[Any, ...], target: View | None = None) -> object:
    """Record an instruction that writes a storage that exists: the target's, or an operand's."""
    tape: Tape = tape_of(opcode.device)
    views: tuple[Any, ...] = operands if target is None else (*operands, target)
    if opcode.constants:
        views = _frozen(views)
        opcode = _suited(opcode, views)
    if core_hooks.recorder is not None:
        core_hooks.recorder(opcode, views, None, None)
    if opcode.is_small and _runs_small(tape, opcode, views, None, None):
        return None
    written: View = views[0] if target is None else target
    storage: Storage | None = written.storage
    assert storage is not None
    if len(tape.instructions) >= tape.most:
        tape.cut()
    # Twice, as a finalizer may ask for the value in between, and another thread run the tape.
    storage.mark = tape.mark
    tape.instructions.append(new_instruction(opcode, views, None, None, take_number()))
    storage.mark = tape.mark
    if core_hooks.eager or tape.shared:
        _end(tape, opcode, views)
    return None


@cython.ccall
def fill(view: View) -> cython.bint:
    """Give a constant of few elements memory of NumPy's; return whether it has a storage.

    Not while a recorder is there or a call is noted: instructions make it, so that each replay
    makes it anew.
    """
    how: Structure = view.structure
    if view.value is None:
        return True
    tape: Tape = tape_of(how.device)
    if core_hooks.recorder is not None or core_tier.name or tape.noted:
        return False
    if type(view.value) not in _PLAIN or how.size > _MADE_NBYTES:
        return False
    tape.lock.acquire()  # threads may write to one array
    try:
        if view.value is None:
            return True
        lies: Structure = contiguous(how.device, how.dtype, how.shape)
        if not 0 < lies.nbytes <= _MADE_NBYTES or lies.unpack is None:
            return False
        memory: Any = numpy.empty(how.shape, how.dtype.numpy)
        memory.fill(view.value)
        storage: Storage = new_storage(Storage.__new__(Storage), how.device, lies.nbytes)
        storage.buffer = memory
        storage.whole = lies
        view.storage, view.structure, view.value = storage, lies, None
    finally:
        tape.lock.release()
    return True


@cython.cfunc
def _end(tape: Tape, opcode: Opcode, views: tuple[Any, ...]) -> cython.void:
    """Run the tape if its last instruction may not wait."""
    if core_hooks.eager or is_seen(views, opcode.device):
        tape.end()


def cast_of(given: DType, wanted: DType) -> Operation:
    """Make the operation that converts between data types; the copy, if they are one."""
    template, host = cast("{0}", given, wanted), converter(given, wanted)
    return Operation("astype", (given,), wanted, template, host, "astype")


def choice(row: DType) -> Operation:
    """Make the operation that chooses between two operands of a data type by a condition."""
    types = dtypes.bool_, row, row
    return Operation("where", types, row, "({0} ? {1} : {2})", numpy.where, "where")


@cython.cfunc
def store_of(given: Structure, target: Structure) -> Opcode:
    """Return the opcode that writes elements, which broadcast, to a view that exists."""
    operation = interned(cast_of, given.dtype, target.dtype)
    return opcode_of(operation, (given,), target.shape, target, None)


@cython.ccall
def copied(view: View) -> View:
    """Record a copy of a view; return the view of the copy."""
    how: Structure = view.structure
    if view.storage is not None and not how.shape:
        return copied_element(view, view.offset)
    opcode: Opcode | None = how.known(copied)
    if opcode is None:
        operation = interned(cast_of, how.dtype, how.dtype)
        opcode = opcode_of(operation, (how,), how.shape, None, how.shape)
        if how.is_met():
            how.remember(copied, opcode)
    if opcode.nbytes:
        return computed(opcode, (view,))
    return view_at(Storage(how.device, 0, how.device.driver.allocate(0)), opcode.target, 0)


@cython.cfunc
def copied_element(view: View, at: cython.Py_ssize_t) -> View:
    """Record a copy of the element `at` elements from the beginning of a view's storage."""
    how: Structure = lone_of(view)
    if how.copy is None:
        how.copy = opcode_of(interned(cast_of, how.dtype, how.dtype), (how,), (), None, ())
    return computed(how.copy, (view_at(view.storage, how, at),))


def is_seen(views: tuple[View, ...], device: Device) -> bool:
    """Return whether others see memory of an instruction, so that it has to run at once.

    No earlier one does: what was on the tape ran when its memory was first seen.
    """
    shared = device.shared
    return any([view.storage is not None and view.storage.serial in shared for view in views])


@cython.cfunc
def _suited(opcode: Opcode, views: tuple[Any, ...]) -> Opcode:
    """Return the opcode for views, of which a finalizer may have given a constant a storage."""
    how: Structure
    view: View
    at: cython.Py_ssize_t = 0
    is_suited: cython.bint = True
    structures: list[Any] = []
    for how in opcode.operands:
        view = views[at]
        structures.append(view.structure)
        is_suited = is_suited and (how.strides is not None or view.storage is None)
        at += 1
    if is_suited:
        return opcode
    target = None if opcode.is_fresh else opcode.target
    fresh = opcode.target.shape if opcode.is_fresh else None
    return opcode_of(opcode.operation, tuple(structures), opcode.shape, target, fresh)


@cython.cfunc
def _frozen(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return operands with new constants in place of theirs, which nobody gives a storage."""
    view: View
    found: list[Any] = []
    for view in operands:
        found.append(view if view.value is None else View(None, view.structure, 0, view.value))
    return tuple(found)
