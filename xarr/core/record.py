# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Append instructions to the tape of their device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xarr import errors, tuning
from xarr.core import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.core.instructions import Opcode, new_step, take_number
    from xarr.core.memo import Memo
    from xarr.core.storage import Storage, new_storage
    from xarr.core.tape import Tape
    from xarr.core.views import Node, Structure, contiguous, view_at
    from xarr.core.watch import core_hooks

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.core.operations import Operation


@cython.ccall
def opcode_of(
    operation: Any,
    operands: tuple[Any, ...],
    shape: Any,
    target: Any = None,
    fresh: Any = None,
    device: Any = None,
) -> Opcode:
    """Return the opcode of an operation over a shape, on operands of some structures.

    It writes to a view of the structure `target`, or to a new storage whose shape is `fresh`.
    """
    key = (operation, operands, shape, target, fresh, device)
    opcode: Opcode | None = _opcodes.get(key)
    how: Structure
    if opcode is None:
        on = device
        if on is None:
            how = operands[0]
            on = how.device
        if fresh is not None:
            how = contiguous(on, operation.result, fresh)
            if how.nbytes > _LARGE_NBYTES:
                _require_possible(operation, how)
            target = how
        if on.tape is None:
            core_hooks.opened(on)
        opcode = Opcode(operation, operands, target, shape, on, fresh is not None)
        _opcodes.keep(key, opcode)
    return opcode


_opcodes = cython.declare(Memo, Memo(tuning.OPCODES))
_LARGE_NBYTES = cython.declare(cython.Py_ssize_t, 1 << 24)
"""Bytes that any device has."""


def _require_possible(operation: Operation, how: Structure) -> None:
    """Refuse a result that no memory of the device would hold, where it is asked for."""
    memory_nbytes = how.device.info.memory_nbytes
    if how.nbytes > memory_nbytes:
        raise MemoryError(
            errors.message(
                f"{operation.name} on {how.device}",
                f"a result of shape {how.shape} and dtype {how.dtype} has {how.nbytes} bytes",
                f"the device has {memory_nbytes}",
                "work in smaller pieces",
            )
        )


@cython.ccall
def computed(opcode: Opcode, operands: tuple[Any, ...], scalar: object = None) -> Node:
    """Ask for an instruction that writes a new storage; the view of it.

    A Python scalar stands for the operand that is a constant, between its data type's bounds.
    """
    tape: Tape = opcode.device.tape
    storage: Storage = new_storage(Storage.__new__(Storage), opcode.device, opcode.nbytes)
    if opcode.constants and scalar is None:
        operands = _frozen(operands)
    if len(tape.steps) >= tape.most:
        tape.cut()
    tape.steps.append(new_step(opcode, operands, storage, scalar, take_number()))
    if core_hooks.eager or tape.shared:
        _end(tape, opcode, operands)
    how: Structure = opcode.target
    return view_at(storage, how, 0)


@cython.ccall
def recorded(opcode: Opcode, operands: tuple[Any, ...], target: Node | None = None) -> object:
    """Ask for an instruction that writes a storage that exists: the target's, or an operand's."""
    tape: Tape = opcode.device.tape
    nodes: tuple[Any, ...] = operands if target is None else (*operands, target)
    if opcode.constants:
        nodes = _frozen(nodes)
    written: Node = nodes[0] if target is None else target
    storage: Storage | None = written.storage
    assert storage is not None
    if len(tape.steps) >= tape.most:
        tape.cut()
    # Twice, as a finalizer may ask for the value in between, and another thread run the tape.
    storage.mark = tape.mark
    tape.steps.append(new_step(opcode, nodes, None, None, take_number()))
    storage.mark = tape.mark
    if core_hooks.eager or tape.shared:
        _end(tape, opcode, nodes)
    return None


@cython.cfunc
def _end(tape: Tape, opcode: Opcode, nodes: tuple[Any, ...]) -> cython.void:
    """Run a tape now if its last instruction may not wait."""
    if core_hooks.eager or is_seen(nodes, opcode.device):
        tape.end()


def is_seen(nodes: tuple[Node, ...], device: Device) -> bool:
    """Whether others see the memory that an instruction reads or writes, so that it runs at once.

    No earlier one does: what was on the tape ran when its memory was first seen.
    """
    shared = device.shared
    return any([node.storage is not None and node.storage.serial in shared for node in nodes])


@cython.cfunc
def _frozen(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands; the constants are others, which nobody gives a storage."""
    node: Node
    found: list[Any] = []
    for node in operands:
        found.append(node if node.value is None else Node(None, node.structure, 0, node.value))
    return tuple(found)
