"""Small work on a CPU, which NumPy does where it is asked for.

To put an instruction on the tape and to run it costs the host about 3 us, which is more than NumPy
takes for some thousand elements. So what is small, and has a function of NumPy's of the same bits,
is done at once where nothing else waits: then it comes after everything that was asked before, as
on the tape. Its result lies in NumPy's memory, which a driver is given once a kernel wants it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy

from xarr import dtypes
from xarr.backends.base import InMemory
from xarr.engine import elements, hosted
from xarr.engine.expression import Node, Opcode, Structure
from xarr.engine.storage import Storage
from xarr.engine.unrolled import Given, unpacked

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.engine.hosted import Host
    from xarr.engine.tape import Tape

_MOST_NBYTES: Final = 1 << 13
"""Bytes of operands and results up to which NumPy takes less time than a tape."""

Function = Callable[["Tape", Sequence[Node], Any], Any]
"""Is given a tape, what an instruction names, and the scalar that stands for a constant, or None.
It returns the view that is written, or None if it did nothing, as something else comes first."""


def keeps(device: Device, nbytes: int) -> bool:
    """Whether memory of so many bytes is NumPy's until a kernel wants it."""
    return 0 < nbytes <= _MOST_NBYTES and not hosted.tier.name and elements.shares(device)


def of(opcode: Opcode) -> Function | Literal[False]:
    """What does instructions of an opcode at once; False where the tape does it in less time."""
    found: Function | Literal[False] = False
    if elements.shares(opcode.device) and _nbytes(opcode) <= _MOST_NBYTES:
        host = hosted.host(opcode)
        if host is not None and host.is_quick:
            found = _function(opcode, host)
    opcode.immediate = found
    return found


def _nbytes(opcode: Opcode) -> int:
    """The bytes of the largest operand or result, if each has all elements."""
    return math.prod(opcode.shape) * max([how.dtype.itemsize for how in opcode.named], default=8)


def _function(opcode: Opcode, host: Host) -> Function:
    """What does it, written out as Python, as it costs little more than the call of NumPy's."""
    given = Given()
    device = opcode.device
    # In this order: what runs leaves the tape after `is_running` is set.
    lines = [
        "if on.steps or on.is_running or on.aside or on.unfinished or "
        f"{given(device)}.shared: return None",
    ]
    names, values = [], []
    ndarray, look = given(numpy.ndarray), given(_look)
    for number, (how, kind) in enumerate(zip(opcode.named, host.views, strict=False)):
        if how.pattern is None:
            named = f"node{number}.value" if opcode.constants > 1 else "scalar"
            values.append(f"{given(kind)}({named})")
            names.append(number)
            continue
        names.append(number)
        values.append(f"seen{number}")
        asked = f"{look}(node{number}, {given(kind)}, {given(how)})"
        lines += [
            f"seen{number} = node{number}.seen" if _is_kept(kind, how) else f"seen{number} = None",
            f"if seen{number} is None or type(node{number}.storage.buffer) is not {ndarray}:",
            f"    seen{number} = {asked}",
            f"    if seen{number} is None: return None",
        ]
    nodes = unpacked([f"node{number}" for number in names], "nodes")
    if opcode.constants == 1:
        constant = next(at for at, how in enumerate(opcode.named) if how.pattern is None)
        rest = unpacked([f"node{number}" for number in names if number != constant], "nodes")
        lines[1:1] = [
            "if scalar is None:",
            *(f"    {line}" for line in [*nodes, f"scalar = node{constant}.value"]),
            "else:",
            *(f"    {line}" for line in rest or ["pass"]),
        ]
    else:
        lines[1:1] = nodes
    target = opcode.target
    if opcode.is_fresh:
        assert target is not None
        how = target.seen()
        lines.append(f"memory = {given(numpy.empty)}({given(how.shape)}, {given(how.dtype)})")
        own = host.views[-1] is how
        values.append("memory" if own else f"{given(host.views[-1])}.array(memory, 0)")
    if host.ufunc is not None:
        lines.append(f"{given(dtypes.quiet)}().run({given(host.ufunc)}, {', '.join(values)})")
    else:
        parts = f"{given(host)}, {given(device.driver)}, [{', '.join(values)}]"
        lines.append(f"{given(dtypes.quiet)}().run({parts})")
    if opcode.is_fresh:
        lines += [
            f"storage = {given(Storage)}({given(device)}, {given(opcode.nbytes)}, memory)",
            f"node = {given(Node)}(storage, {given(target)}, 0)",
            "node.seen = memory",
            "return node",
        ]
    else:
        # Another thread might give the driver a copy of the memory meanwhile.
        lines.append(f"return node{names[-1]}")
        lines = [f"with {given(device.lock)}:", *(f"    {line}" for line in lines)]
    return given.function("on, nodes, scalar", lines)


def _is_kept(kind: Any, how: Structure) -> bool:
    """Whether an operand is seen as all views of its structure are."""
    return kind is how.in_memory or (
        type(kind) is InMemory and kind.is_bool and kind.strides == how.seen().strides
    )


def _look(node: Node, kind: Any, how: Structure) -> Any:
    """The elements of a view in place; None where the host does not see them."""
    storage = node.storage
    assert storage is not None
    memory = storage.buffer
    if type(memory) is numpy.ndarray:
        if not _is_kept(kind, how):
            return kind.array(memory, node.offset)
        node.seen = how.seen().array(memory, node.offset)
        return node.seen
    with storage.device.lock:
        memory = storage.window("B")
    return None if memory is None else kind.array(memory, node.offset)
