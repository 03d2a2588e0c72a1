"""Small work on a CPU, which is done where it is asked for, mostly by NumPy.

To put an instruction on the tape and to run it costs the host more than NumPy takes for some
hundred elements, above all in programs that never do the same twice. So what is small, and has a
function of NumPy's of the same bits, is done at once where nothing else waits: then it comes after
all that was asked before, as on the tape. Its result lies in NumPy's memory until a kernel wants
it. What has no such function is launched at once, so that nothing waits behind it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import dtypes
from xarr.backends.base import InMemory
from xarr.engine import hosted
from xarr.engine.expression import Node, Opcode, Structure
from xarr.engine.storage import Storage
from xarr.engine.unrolled import Given, unpacked

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.engine.hosted import Host
    from xarr.engine.tape import Tape

_MOST_NBYTES: Final = 1 << 13
"""Bytes of an operand or result up to which NumPy does the work. With 32 KiB (64 x 64 float64)
time loops whose kernels are there took 1.3 to 1.7 times as long."""

_ONCE_NBYTES: Final = 1 << 20
"""Bytes up to which NumPy does what is asked for the first time, where nothing else waits. What a
mask selects has another shape each time, and would be planned and never come again."""

_TURNS: Final = 256
"""How often an opcode without a host is launched at once, before it is taken for part of a loop.
What never does the same twice has lists of instructions in vain; a loop that does is twice as fast
when it is fused."""

Function = Callable[["Tape", Sequence[Node], Any], Node | None]
"""Is given a tape, what an instruction names, and the scalar that stands for a constant, or None.
It returns the view that is written, or None if it did nothing, as something else comes first."""


def keeps(device: Device, nbytes: int) -> bool:
    """Whether memory of so many bytes is NumPy's until a kernel wants it."""
    return 0 < nbytes <= _MOST_NBYTES and not hosted.tier.name and device.info.in_place


def of(opcode: Opcode) -> Function | None:
    """What does instructions of an opcode at once; None where the tape is to do it."""
    nbytes = _nbytes(opcode)
    if not opcode.device.info.in_place or nbytes > _ONCE_NBYTES:
        return None
    is_small = nbytes <= _MOST_NBYTES
    is_new = True

    def first(on: Tape, nodes: Sequence[Node], scalar: Any) -> Node | None:
        """Do it once as it is; then write the function, which takes time, or leave it to a tape."""
        nonlocal is_new
        host = hosted.host(opcode)
        if host is not None and is_new:
            done = _once(opcode, host, on, nodes, scalar)
            is_new = done is None
            return done
        if not is_small:
            opcode.immediate = None
            return None
        opcode.immediate = found = alone if host is None else _function(opcode, host)
        return found(on, nodes, scalar)

    return first


def _once(opcode: Opcode, host: Host, on: Tape, nodes: Sequence[Node], scalar: Any) -> Node | None:
    """What `_function` writes out, in a loop over what the opcode names."""
    device = opcode.device
    if on.steps or on.is_running or on.aside or on.unfinished or device.shared:
        return None
    values, rest = list[Any](), iter(nodes)
    for how, kind in zip(opcode.named, host.views, strict=False):
        if how.pattern is None:
            is_left_out = opcode.constants == 1 and scalar is not None
            values.append(kind(scalar if is_left_out else next(rest).value))
            continue
        node = next(rest)
        values.append(_look(node, kind, how))
        if values[-1] is None:
            return None
    if not opcode.is_fresh:
        with device.lock:
            _call(host, device, values)
        return node
    assert opcode.target is not None
    whole, kind = opcode.target.seen(), host.views[-1]
    memory = numpy.empty(whole.shape, whole.dtype)
    values.append(memory if kind is whole else kind.array(memory, 0))
    _call(host, device, values)
    result = Node(Storage(device, opcode.nbytes, memory), opcode.target, 0)
    result.seen = memory
    return result


def _call(host: Host, device: Device, values: list[Any]) -> None:
    if host.ufunc is None:
        dtypes.quietly(host, device.driver, values)
    else:
        *operands, target = values
        dtypes.quietly(host.ufunc, *operands, out=target)


def alone(_on: Tape, _nodes: Sequence[Node], _scalar: Any) -> None:
    """Nothing, for what has no host: where it is the first on a tape, that runs it by itself.

    So what is small and follows it need not wait.
    """


def turned(opcode: Opcode) -> None:
    """Note that a tape ran an opcode by itself; it will wait after so many turns."""
    opcode.turns += 1
    if opcode.turns == _TURNS:
        opcode.immediate = None


def _nbytes(opcode: Opcode) -> int:
    """The bytes of the largest operand or result, if each has all elements."""
    return math.prod(opcode.shape) * max([how.dtype.itemsize for how in opcode.named], default=8)


def _function(opcode: Opcode, host: Host) -> Function:
    """What does it, written out as Python, since a loop would take longer than NumPy."""
    given = Given()
    device = given(opcode.device)
    lines = [
        # In this order: what runs leaves the tape after `is_running` is set.
        "if on.steps or on.is_running or on.aside or on.unfinished or "
        f"{device}.shared: return None",
        *_named(opcode),
    ]
    values = []
    for number, (how, kind) in enumerate(zip(opcode.named, host.views, strict=False)):
        if how.pattern is None:
            value = "scalar" if opcode.constants == 1 else f"node{number}.value"
            values.append(f"{given(kind)}({value})")
            continue
        seen = f"seen{number}"
        values.append(seen)
        asked = f"{given(_look)}(node{number}, {given(kind)}, {given(how)})"
        if _is_kept(kind, how):
            kept = f"type(node{number}.storage.buffer) is {given(numpy.ndarray)}"
            lines += [
                f"{seen} = node{number}.seen",
                f"if {seen} is None or not {kept}:",
                f"    {seen} = {asked}",
            ]
        else:
            lines.append(f"{seen} = {asked}")
        lines.append(f"if {seen} is None: return None")
    if opcode.is_fresh:
        assert opcode.target is not None
        whole, kind = opcode.target.seen(), host.views[-1]
        lines.append(f"memory = {given(numpy.empty)}({given(whole.shape)}, {given(whole.dtype)})")
        values.append("memory" if kind is whole else f"{given(kind)}.array(memory, 0)")
    if host.ufunc is None:
        called = f"{given(host)}, {device}.driver, [{', '.join(values)}]"
    else:
        *operands, target = values
        called = f"{given(host.ufunc)}, {', '.join(operands)}, out={target}"
    lines.append(f"{given(dtypes.quiet)}().run({called})")
    if opcode.is_fresh:
        lines += [
            f"storage = {given(Storage)}({device}, {given(opcode.nbytes)}, memory)",
            f"node = {given(Node)}(storage, {given(opcode.target)}, 0)",
            "node.seen = memory",
            "return node",
        ]
    else:
        # Another thread might have the memory copied to the driver's meanwhile.
        lines.append(f"return node{len(opcode.named) - 1}")
        lines = [f"with {device}.lock:", *(f"    {line}" for line in lines)]
    return given.function("on, nodes, scalar", lines)


def _named(opcode: Opcode) -> list[str]:
    """The lines that give names to what an instruction names, of which a scalar may be left out."""
    names = [f"node{number}" for number in range(len(opcode.named))]
    whole = unpacked(names, "nodes")
    if opcode.constants != 1:
        return whole
    constant = next(
        name for name, how in zip(names, opcode.named, strict=True) if how.pattern is None
    )
    rest = unpacked([name for name in names if name != constant], "nodes") or ["pass"]
    return [
        "if scalar is None:",
        *(f"    {line}" for line in [*whole, f"scalar = {constant}.value"]),
        "else:",
        *(f"    {line}" for line in rest),
    ]


def _is_kept(kind: Any, how: Structure) -> bool:
    """Whether an operand is seen as its node keeps it: as all views of its structure are."""
    if kind is how.in_memory:
        return True
    return type(kind) is InMemory and kind.is_bool and kind.strides == how.seen().strides


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
        window = storage.window("B")
    return None if window is None else kind.array(window, node.offset)
