# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Append instructions to the tape of their device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.events import core_hooks
    from xarr.ir.instructions import Opcode, new_instruction, take_number
    from xarr.ir.storage import Storage, new_storage
    from xarr.ir.views import Structure, View, view_at
    from xarr.tape.tape import Tape, tape_of

if TYPE_CHECKING:
    from xarr.backends.device import Device


@cython.ccall
def computed(opcode: Opcode, operands: tuple[Any, ...], scalar: object = None) -> View:
    """Record an instruction that writes a new storage; return the view of that.

    A Python scalar stands for the operand that is a constant, between its data type's bounds.
    """
    tape: Tape | None = opcode.device.tape
    if tape is None:
        tape = tape_of(opcode.device)
    storage: Storage = new_storage(Storage.__new__(Storage), opcode.device, opcode.nbytes)
    if opcode.constants and scalar is None:
        operands = _frozen(operands)
    if len(tape.instructions) >= tape.most:
        tape.cut()
    tape.instructions.append(new_instruction(opcode, operands, storage, scalar, take_number()))
    if core_hooks.eager or tape.shared:
        _end(tape, opcode, operands)
    how: Structure = opcode.target
    return view_at(storage, how, 0)


@cython.ccall
def recorded(opcode: Opcode, operands: tuple[Any, ...], target: View | None = None) -> object:
    """Record an instruction that writes a storage that exists: the target's, or an operand's."""
    tape: Tape | None = opcode.device.tape
    if tape is None:
        tape = tape_of(opcode.device)
    views: tuple[Any, ...] = operands if target is None else (*operands, target)
    if opcode.constants:
        views = _frozen(views)
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


@cython.cfunc
def _end(tape: Tape, opcode: Opcode, views: tuple[Any, ...]) -> cython.void:
    """Run the tape if its last instruction may not wait."""
    if core_hooks.eager or is_seen(views, opcode.device):
        tape.end()


def is_seen(views: tuple[View, ...], device: Device) -> bool:
    """Return whether others see memory of an instruction, so that it has to run at once.

    No earlier one does: what was on the tape ran when its memory was first seen.
    """
    shared = device.shared
    return any([view.storage is not None and view.storage.serial in shared for view in views])


@cython.cfunc
def _frozen(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return operands with new constants in place of theirs, which nobody gives a storage."""
    view: View
    found: list[Any] = []
    for view in operands:
        found.append(view if view.value is None else View(None, view.structure, 0, view.value))
    return tuple(found)
