"""The requests that functions make of a device: operations on views, writes, values in memory.

Everything here puts instructions on the device's tape, or runs it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from xarr import dtypes, errors, layout
from xarr.backends.device import before_synchronizing
from xarr.codegen.expressions import INDEX
from xarr.ir.events import counts as counts, eager as eager, hooks
from xarr.ir.instructions import Opcode, opcode_of
from xarr.ir.operation import Operation, interned
from xarr.ir.storage import Storage, allocate_or_collect, are_shared
from xarr.ir.views import Structure, View, constant, storage_view, structure
from xarr.layout import Layout, Shape
from xarr.lowering.operations import TemplateOp
from xarr.runtime import dispatch
from xarr.tape import record, recorders, scalar_access, traced
from xarr.tape.record import cast_of, copied as copied
from xarr.tape.tape import tape_of
from xarr.tape.traced import is_known

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.dtypes import DType


def defer(operation: Operation, inputs: tuple[View, ...], shape: Shape) -> View:
    """Record an operation on operands that broadcast; return a view of its new storage."""
    return computed(elementwise(operation, inputs, shape), inputs)


def elementwise(operation: Operation, inputs: tuple[View, ...], shape: Shape) -> Opcode:
    """Return the opcode of an operation on operands that broadcast to a shape."""
    return opcode_of(operation, tuple([x.structure for x in inputs]), shape, fresh=shape)


def index(shape: Shape, device: Device) -> View:
    """Record the position of every element of `shape` in C order, as int64."""
    return computed(opcode_of(INDEX, (), shape, fresh=shape, device=device), ())


def recorded(operation: TemplateOp, inputs: tuple[View, ...], shape: Shape) -> View:
    """Record a skeleton over a view; return a view, of a shape, of its new storage."""
    return computed(skeletal(operation, inputs, shape), inputs)


def skeletal(operation: TemplateOp, inputs: tuple[View, ...], shape: Shape) -> Opcode:
    """Return the opcode of a skeleton over a view, with its numbers, whose result has a shape."""
    materialise(inputs[0])
    structures = tuple([x.structure for x in inputs])
    return opcode_of(operation, structures, inputs[0].shape, fresh=shape)


def computed(opcode: Opcode, inputs: tuple[View, ...]) -> View:
    """Record an instruction; return a view of its new storage."""
    if opcode.nbytes:
        return record.computed(opcode, inputs)
    assert opcode.target is not None
    return View(allocate(opcode.device, 0), opcode.target, 0)


def computed_at_once(opcode: Opcode, inputs: tuple[View, ...]) -> View:
    """Compute a library's instruction now, so that an error that depends on values is raised here.

    It never stands on the tape, which would try it again.
    """
    device = opcode.device
    result = View(Storage(device, opcode.nbytes), opcode.target, 0)
    if hooks.recorder is not None:
        hooks.recorder(opcode, inputs, result.storage, None)
    with device.lock, recorders.failing(opcode.operation.name):
        for view in inputs:
            compute(view)
        tape_of(device).ask(opcode.operation.work, opcode.operation, [*inputs, result])
    return result


def converted(view: View, dtype: DType) -> View:
    """Record the conversion of a view to another data type; return the view if it has that type."""
    if view.dtype is dtype:
        return view
    if is_known(view):
        value = dtypes.quietly(view.dtype.numpy.type(view.value).astype, dtype.numpy)
        return constant(value.item(), dtype, view.shape, view.device)
    return defer(interned(cast_of, view.dtype, dtype), (view,), view.shape)


def broadcast(view: View, shape: Shape) -> View:
    """Record a view repeated over `shape`, in a storage of its own."""
    if view.shape == shape:
        return view
    if view.value is not None:
        return constant(view.value, view.dtype, shape, view.device)
    return defer(interned(cast_of, view.dtype, view.dtype), (view,), shape)


def reshaped(view: View, shape: Shape) -> View:
    """Return the view under another shape; record a copy where strides cannot express it."""
    if view.shape == shape:
        return view
    if view.value is not None:
        return constant(view.value, view.dtype, shape, view.device)
    how = view.structure
    key = reshaped, shape
    known = how.known(key)
    if known is None:
        assert how.layout is not None
        where = how.layout.reshaped(shape)
        if where is None:
            storage = copied(view).storage
            assert storage is not None
            return storage_view(storage, layout.contiguous(shape), view.dtype)
        known = structure(how.device, how.dtype, where.shape, where.strides), 0
        how.remember(key, known)
    return View(view.storage, known[0], view.offset)


def materialise(view: View) -> None:
    """Materialise a constant: give it a storage. Any other view has one."""
    if record.fill(view):
        return
    with view.device.lock:  # threads may write to one array
        if view.value is not None:
            value = constant(view.value, view.dtype, view.shape, view.device)
            filled = (
                defer(interned(cast_of, view.dtype, view.dtype), (value,), view.shape)
                if is_known(view)
                else traced.filled(value)
            )
            view.storage, view.structure, view.value = filled.storage, filled.structure, None
            recorders.materialised(view)


def compute(view: View) -> None:
    """Run what computes a view, so that its elements are in memory once the queue has ended."""
    if view.value is not None:
        materialise(view)
    scalar_access.compute(view)


def there(view: View) -> View:
    """Return a computed view of the same elements: itself, or what it is a pending copy of.

    The caller holds the device's lock while they are read.
    """
    assert view.storage is not None
    source = tape_of(view.device).source_of(view.storage)
    if source is not None and source.dtype is view.dtype:
        return source
    compute(view)
    return view


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


def write(storage: Storage, where: Layout, dtype: DType, value: View) -> None:
    """Record a write of a value that broadcasts to `where.shape` to a storage."""
    if not where.size:
        return
    device = storage.device
    with device.lock:
        if value.storage is not None and reads_what_it_overwrites(value, storage, where, dtype):
            value = copied(value)
        storage.writes += 1
        opcode, target = storing(value.structure, where, dtype)
        record.recorded(opcode, (value,), View(storage, target, where.offset))


def storing(given: Structure, where: Layout, dtype: DType) -> tuple[Opcode, Structure]:
    """Return the opcode of a write of a value that broadcasts to `where.shape`, and its target."""
    target = structure(given.device, dtype, where.shape, where.strides)
    return opcode_of(interned(cast_of, given.dtype, dtype), (given,), where.shape, target), target


def reads_what_it_overwrites(value: View, storage: Storage, where: Layout, dtype: DType) -> bool:
    """Return whether an element may be written before another element reads its address."""
    source, read = value.storage, value.layout
    assert source is not None
    assert read is not None
    if source is not storage:
        return are_shared(storage, source)
    if value.dtype is not dtype:
        return True  # a C compiler takes it that pointers of two types are apart
    return read != where and layout.overlap(read, where)


def scatter(operation: Operation, inputs: tuple[View, ...], shape: Shape) -> None:
    """Record an operation that writes at computed places of its first operand's storage."""
    base = inputs[0].storage
    assert base is not None
    with base.device.lock:
        rest = tuple([apart(view, base) for view in inputs[1:]])
        base.writes += 1
        views = (inputs[0], *rest)
        structures = tuple([view.structure for view in views])
        record.recorded(opcode_of(operation, structures, shape), views)


def apart(value: View, storage: Storage) -> View:
    """Return the view, or a copy of it if it reads a storage's memory."""
    if value.storage is None:
        return value
    if value.storage is not storage and not are_shared(storage, value.storage):
        return value
    return copied(value)


def reserve(device: Device, nbytes: int) -> Storage:
    """Make a storage with memory that the host may be the first to write."""
    memory = dispatch.blank_on_host(device, nbytes)
    return allocate(device, nbytes) if memory is None else Storage(device, nbytes, memory)


def blank(shape: Shape, dtype: DType, device: Device) -> Storage:
    """Make a storage for elements that are written before anything reads them."""
    if hooks.recorder is None:
        return reserve(device, math.prod(shape) * dtype.itemsize)
    zeros = constant(dtype.numpy.type(0).item(), dtype, shape, device)
    materialise(zeros)
    assert zeros.storage is not None
    return zeros.storage


def owned(view: View) -> View:
    """Return a view of elements that may be written; record a copy where a recorder is there.

    A storage that no instruction makes is an input of a recording, which a replay finds as the last
    one left it.
    """
    return view if hooks.recorder is None else copied(view)


def allocate(device: Device, nbytes: int) -> Storage:
    """Make a storage with the driver's memory, its content undefined."""
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
            memory = allocate_or_collect(device, nbytes)
        return Storage(device, nbytes, memory)
