"""Opcodes, and the tapes of devices that instructions are recorded on."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

from xarr import errors, layout, tuning
from xarr.core.instructions import Opcode
from xarr.core.operations import Operation
from xarr.core.steps import Prepared
from xarr.core.tape import Tape
from xarr.core.views import Node, Structure, structure
from xarr.engine.program import Program
from xarr.schedule.instructions import Consumed

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.layout import Shape


def tape_of(device: Device) -> Tape:
    """A device's tape."""
    if device.tape is None:
        with device.lock:
            if device.tape is None:
                device.tape = Tape(device, Program)
    return device.tape  # type: ignore[no-any-return]


def opcode_of(
    operation: Operation,
    operands: tuple[Structure, ...],
    shape: Shape,
    target: Structure | None = None,
    *,
    fresh: Shape | None = None,
    device: Device | None = None,
) -> Opcode:
    """The opcode of an operation over a shape, on operands of some structures.

    It writes to a view of the structure `target`, or to a new storage whose shape is `fresh`.
    """
    opcodes = operation.opcodes
    key = (operands, shape, target, fresh, device)
    opcode = opcodes.get(key)
    if opcode is None:
        if len(opcodes) >= tuning.REMEMBERED:
            opcodes.clear()
        on = device or operands[0].device
        _require_possible(operation, fresh, on)
        if fresh is not None:
            target = structure(on, operation.result, layout.contiguous(fresh).pattern)
        tape_of(on)
        opcode = Opcode(operation, operands, target, shape, on, fresh is not None)
        opcodes[key] = opcode
    return opcode


def consume(node: Node, split: tuple[int, ...], names: tuple[str, ...], *, wide: bool) -> Prepared:
    """Run everything but the kernel that a skeleton, which takes a value, will be."""
    opcode = opcode_of(_consumed(split, names, wide), (node.structure,), node.shape)
    return tape_of(node.device).consume(opcode, node)


@functools.cache
def _consumed(split: tuple[int, ...], names: tuple[str, ...], wide: bool) -> Consumed:
    return Consumed(split, names, wide)


def _require_possible(operation: Operation, fresh: Shape | None, device: Device) -> None:
    """Refuse a result that no memory of the device would hold, where it is asked for."""
    nbytes = 0 if fresh is None else math.prod(fresh) * operation.result.itemsize
    if nbytes > device.info.memory_nbytes:
        raise MemoryError(
            errors.message(
                f"{operation.name} on {device}",
                f"a result of shape {fresh} and dtype {operation.result} has {nbytes} bytes",
                f"the device has {device.info.memory_nbytes}",
                "work in smaller pieces",
            )
        )
