# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Launch the kernel of an operation on few elements in a row: one serves rows of any length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from xarr import layout, tuning
from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.instructions import Opcode
    from xarr.ir.steps import launch
    from xarr.ir.storage import Storage, allocate_or_collect, memory_of
    from xarr.ir.views import Structure

if TYPE_CHECKING:
    from xarr.runtime.program import Runnable

_ndarray = cython.declare(object, numpy.ndarray)
_WIDE = cython.declare(cython.Py_ssize_t, layout.WIDE)
_CHUNK = cython.declare(cython.Py_ssize_t, tuning.CHUNK)


@cython.cfunc
def has_rows(opcode: Opcode) -> cython.bint:
    """Return whether operands and new result are elements in a row, of the operation's types."""
    if not opcode.rows:
        opcode.rows = 1 if _are_rows(opcode) else -1
    return opcode.rows > 0


@cython.cfunc
def _are_rows(opcode: Opcode) -> cython.bint:
    how: Structure
    operand: cython.Py_ssize_t = 0
    types: tuple[Any, ...] = opcode.operation.operands
    if not opcode.is_fresh or opcode.is_whole or opcode.is_separate:
        return False
    size: cython.Py_ssize_t = opcode.target.size
    if size > _CHUNK:
        return False
    for how in opcode.operands:
        if how.dtype is not types[operand]:
            return False
        if how.strides is not None and not (how.is_linear and how.size == size):
            return False
        operand += 1
    return True


@cython.cfunc
def launch_row(
    program: Runnable, opcode: Opcode, given: list[Any], offsets: list[Any]
) -> cython.bint:
    """Launch the kernel of an operation on elements in a row, and return whether there is one.

    It serves rows of any length up to `tuning.CHUNK`, so that a new length is not planned. `given`
    are storages, the result's last, or the values of constants.
    """
    storage: Storage
    operand: cython.Py_ssize_t
    device: Any = opcode.device
    size: cython.Py_ssize_t = opcode.target.size
    rows: dict[Any, Any] = opcode.operation.row_kernels
    found = rows.get(device)
    if found is None:
        found = rows[device] = program.row(opcode)
    if found is False:
        return False
    kernel, grid, order = found
    is_at_start: cython.bint = True
    buffers: list[Any] = []
    for operand in order:
        is_at_start = is_at_start and not offsets[operand]
        if isinstance(given[operand], Storage):
            storage = given[operand]
        else:
            storage = _repeated(opcode, operand, given[operand])
        if storage.nbytes >= _WIDE:
            return False
        if storage.buffer is None:
            storage.buffer = allocate_or_collect(device, storage.nbytes)
        elif type(storage.buffer) is _ndarray:
            storage.settle()
        buffers.append(storage.buffer)
    packed: object = opcode.packed if is_at_start else None
    if packed is None:
        values = [_CHUNK, size, *[offsets[operand] for operand in order]]
        packed = kernel.arguments.pack(*values)
        if is_at_start:
            opcode.packed = packed
    launch(device, kernel, grid, buffers, packed, size)
    return True


@cython.cfunc
def _repeated(opcode: Opcode, operand: cython.Py_ssize_t, value: object) -> Storage:
    """Return a new storage with a constant for each element of the result."""
    device: Any = opcode.device
    how: Structure = opcode.operands[operand]
    size: cython.Py_ssize_t = opcode.target.size
    storage: Storage = Storage(device, size * how.dtype.itemsize)
    if how.pack is not None and device.driver.stable_addresses:
        storage.buffer = allocate_or_collect(device, storage.nbytes)
        _ndarray((size,), how.dtype.numpy, memory_of(storage)).fill(value)
    else:
        storage.buffer = numpy.full(size, value, how.dtype.numpy)
    return storage
