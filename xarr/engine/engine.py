"""The requests that functions make of a device: operations on views, writes, values in memory.

Everything here puts instructions on the device's tape, or runs it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import dtypes, errors, layout, tuning
from xarr.backends.device import before_synchronizing
from xarr.compiler import launch as launching
from xarr.compiler.forms import INDEX, cast
from xarr.compiler.launch import MOST_GROUPS as MOST_GROUPS, Grid as Grid
from xarr.core import record, steps
from xarr.core.instructions import Opcode
from xarr.core.operations import Operation
from xarr.core.operators import are_shared
from xarr.core.steps import launch as launch
from xarr.core.storage import Storage, room
from xarr.core.views import Node, Structure, constant, contiguous, leaf, structure
from xarr.core.watch import counts as counts, eager as eager
from xarr.engine import hosted
from xarr.engine.opcodes import tape_of
from xarr.layout import Layout, Shape
from xarr.scheduler.instructions import DeferredTemplateOp

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.dtypes import DType

end_before_others = steps.end_before_others
kernel_of = launching.kernel_of


def defer(operation: Operation, inputs: tuple[Node, ...], shape: Shape) -> Node:
    """Record an operation on operands that broadcast; return a view of its new storage."""
    return computed(elementwise(operation, inputs, shape), inputs)


def elementwise(operation: Operation, inputs: tuple[Node, ...], shape: Shape) -> Opcode:
    """The opcode of an operation on operands that broadcast to a shape."""
    return record.opcode_of(operation, tuple([x.structure for x in inputs]), shape, fresh=shape)


def index(shape: Shape, device: Device) -> Node:
    """The position of every element of `shape` in C order, as int64."""
    return computed(record.opcode_of(INDEX, (), shape, fresh=shape, device=device), ())


def recorded(operation: DeferredTemplateOp, inputs: tuple[Node, ...], shape: Shape) -> Node:
    """Record a skeleton over a node; return a view, of a shape, of its new storage."""
    return computed(skeletal(operation, inputs, shape), inputs)


def skeletal(operation: DeferredTemplateOp, inputs: tuple[Node, ...], shape: Shape) -> Opcode:
    """The opcode of a skeleton over a node, with its numbers, whose result has a shape."""
    placed(inputs[0])
    structures = tuple([x.structure for x in inputs])
    return record.opcode_of(operation, structures, inputs[0].shape, fresh=shape)


def again(node: Node, opcode: Opcode, numbers: tuple[Node, ...], how: Structure) -> Node:
    """Record a known instruction over another node; return its result as a view of a structure."""
    result = record.computed(opcode, (node, *numbers))
    return result if result.structure is how else Node(result.storage, how, 0)


def computed(opcode: Opcode, inputs: tuple[Node, ...]) -> Node:
    """Record an instruction; return a view of its new storage."""
    if opcode.nbytes:
        return record.computed(opcode, inputs)
    assert opcode.target is not None
    return Node(allocate(opcode.device, 0), opcode.target, 0)


_CASTS: Final[dict[tuple[DType, DType], Operation]] = {}


def converted(node: Node, dtype: DType) -> Node:
    """The node converted to another data type; the node itself where it has it already."""
    if node.dtype is dtype:
        return node
    if node.value is not None:
        value = dtypes.quietly(node.dtype.numpy.type(node.value).astype, dtype.numpy)
        return constant(value.item(), dtype, node.shape, node.device)
    return defer(_cast(node.dtype, dtype), (node,), node.shape)


def copied(node: Node) -> Node:
    """A new node with the same value, which nothing shares."""
    return defer(_cast(node.dtype, node.dtype), (node,), node.shape)


def _cast(given: DType, wanted: DType) -> Operation:
    operation = _CASTS.get((given, wanted))
    if operation is None:
        host = hosted.converter(given, wanted)
        operation = Operation("astype", (given,), wanted, cast("{0}", given, wanted), host)
        _CASTS[given, wanted] = operation
    return operation


def broadcast(node: Node, shape: Shape) -> Node:
    """The node repeated over `shape`, in a storage of its own."""
    if node.shape == shape:
        return node
    if node.value is not None:
        return constant(node.value, node.dtype, shape, node.device)
    return defer(_cast(node.dtype, node.dtype), (node,), shape)


def reshaped(node: Node, shape: Shape) -> Node:
    """The node under a shape with as many elements; copied where strides cannot express it."""
    if node.shape == shape:
        return node
    if node.value is not None:
        return constant(node.value, node.dtype, shape, node.device)
    how = node.structure
    key = reshaped, shape
    known = how.view(key)
    if known is None:
        assert how.layout is not None
        where = how.layout.reshaped(shape)
        if where is None:
            storage = copied(node).storage
            assert storage is not None
            return leaf(storage, layout.contiguous(shape), node.dtype)
        known = structure(how.device, how.dtype, where.shape, where.strides), 0
        how.keep_view(key, known)
    return Node(node.storage, known[0], node.offset)


def placed(node: Node) -> None:
    """Give a constant a storage; any other node has one."""
    if node.value is None:
        return
    with node.device.lock:  # threads may write to one array
        if node.value is not None:
            row, value = node.dtype, constant(node.value, node.dtype, node.shape, node.device)
            filled = known(
                node.shape, row, node.device, lambda: numpy.full(node.shape, value.value, row.numpy)
            ) or defer(_cast(node.dtype, node.dtype), (value,), node.shape)
            node.storage, node.structure, node.value = filled.storage, filled.structure, None


def compute(node: Node) -> None:
    """Have the elements of a node in memory, as far as the device's queue is concerned."""
    if node.value is not None:
        placed(node)
    storage = node.storage
    assert storage is not None
    device = node.device
    with device.lock:
        (device.tape or tape_of(device)).compute(storage)


def there(node: Node) -> Node:
    """A node of the same elements in memory: itself, computed, or what it is being copied from.

    Whoever asks holds the device's lock while they are read.
    """
    assert node.storage is not None
    source = tape_of(node.device).copied(node.storage, _cast(node.dtype, node.dtype))
    if source is not None and node.shape == source.shape == ():
        return source
    compute(node)
    return node


def settle(device: Device) -> None:
    """Run everything that was asked of a device."""
    if device.tape is not None:
        with device.lock:
            tape_of(device).run()


def release(device: Device, is_written: Callable[[Storage], bool]) -> None:
    """Run everything that was asked of a device, before something else writes storages."""
    with device.lock:
        tape_of(device).release(is_written)


before_synchronizing.append(settle)


def write(storage: Storage, where: Layout, dtype: DType, value: Node) -> None:
    """Store a value that broadcasts to `where.shape` into a storage."""
    if not where.size:
        return
    device = storage.device
    with device.lock:
        if value.storage is not None and reads_what_it_overwrites(value, storage, where, dtype):
            value = copied(value)
        storage.writes += 1
        opcode, target = storing(value.structure, where, dtype)
        record.recorded(opcode, (value,), Node(storage, target, where.offset))


def storing(given: Structure, where: Layout, dtype: DType) -> tuple[Opcode, Structure]:
    """The opcode of a write of a value that broadcasts to `where.shape`, and what it writes to."""
    target = structure(given.device, dtype, where.shape, where.strides)
    return record.opcode_of(_cast(given.dtype, dtype), (given,), where.shape, target), target


def reads_what_it_overwrites(value: Node, storage: Storage, where: Layout, dtype: DType) -> bool:
    """Whether one element's write may come before another element's read of the same address."""
    source, read = value.storage, value.layout
    assert source is not None
    assert read is not None
    if source is not storage:
        return are_shared(storage, source)
    if value.dtype is not dtype:
        return True  # a C compiler takes it that pointers of two types are apart
    return read != where and layout.overlap(read, where)


def scatter(operation: Operation, inputs: tuple[Node, ...], shape: Shape) -> None:
    """Ask for an operation that writes at computed places of its first operand's storage."""
    base = inputs[0].storage
    assert base is not None
    with base.device.lock:
        rest = tuple([apart(node, base) for node in inputs[1:]])
        base.writes += 1
        nodes = (inputs[0], *rest)
        structures = tuple([node.structure for node in nodes])
        record.recorded(record.opcode_of(operation, structures, shape), nodes)


def apart(value: Node, storage: Storage) -> Node:
    """The node, or another one of the same value, which reads nothing of a storage's memory."""
    if value.storage is None:
        return value
    if value.storage is not storage and not are_shared(storage, value.storage):
        return value
    return copied(value)


def reserve(device: Device, nbytes: int) -> Storage:
    """A storage with memory that the host may be the first to write."""
    if hosted.keeps(device, nbytes):
        return Storage(device, nbytes, numpy.empty(nbytes, numpy.uint8))
    return allocate(device, nbytes)


def held(values: Any, device: Device, dtype: DType) -> Node | None:
    """A view of NumPy's result in its own memory; None where the driver needs a copy of it.

    An array that has its memory from another one is no such thing: it may be an operand's.
    """
    if type(values) is not numpy.ndarray or not hosted.keeps(device, values.nbytes):
        return None
    flags = values.flags
    if not (flags.owndata and flags.c_contiguous and flags.writeable):
        return None
    storage = Storage(device, values.nbytes, values)
    return Node(storage, contiguous(device, dtype, values.shape), 0)


def known(shape: Shape, dtype: DType, device: Device, compute: Callable[[], Any]) -> Node | None:
    """A view of few values that depend on no array, as NumPy computes them; else None.

    Five instructions for ten numbers take fifty times as long.
    """
    if hosted.keeps(device, math.prod(shape) * dtype.itemsize, tuning.MADE_NBYTES):
        return held(dtypes.quietly(compute), device, dtype)
    return None


def allocate(device: Device, nbytes: int) -> Storage:
    """A storage with the driver's memory, its content undefined."""
    if nbytes >> 63:  # drivers count in 64 bits
        fault = f"{nbytes} bytes were asked for"
        accepted = f"the device has {device.info.memory_nbytes}"
        raise MemoryError(errors.message(f"{device}", fault, accepted, "work in smaller pieces"))
    with device.lock:
        try:
            memory = device.driver.allocate(nbytes)
        except MemoryError:
            if not tape_of(device).is_running:
                tape_of(device).run()  # what only that needs is given back
            memory = room(device, nbytes)
        return Storage(device, nbytes, memory)
