"""The tapes of devices that instructions are recorded on."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from xarr.core.record import opcode_of
from xarr.core.steps import Prepared
from xarr.core.tape import Tape
from xarr.core.views import Node
from xarr.core.watch import hooks
from xarr.engine.program import Program
from xarr.scheduler.instructions import ImmediateTemplateOp

if TYPE_CHECKING:
    from xarr.backends.device import Device


def tape_of(device: Device) -> Tape:
    """A device's tape."""
    if device.tape is None:
        with device.lock:
            if device.tape is None:
                device.tape = Tape(device, Program)
    return device.tape  # type: ignore[no-any-return]


def consume(node: Node, split: tuple[int, ...], names: tuple[str, ...], *, wide: bool) -> Prepared:
    """Run everything but the kernel that a skeleton, which takes a value, will be."""
    opcode = opcode_of(_consumed(split, names, wide), (node.structure,), node.shape)
    return tape_of(node.device).consume(opcode, node)


@functools.cache
def _consumed(split: tuple[int, ...], names: tuple[str, ...], wide: bool) -> ImmediateTemplateOp:
    return ImmediateTemplateOp(split, names, wide)


hooks.opened = tape_of
