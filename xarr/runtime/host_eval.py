# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Evaluate instructions by NumPy's functions in a CPU's buffers, with the bits of kernels.

A kernel costs a compiler a tenth of a second, and to plan one a millisecond of Python. So a list of
instructions runs here first, one instruction after the other, wherever NumPy has a function of the
same bits. Once a list has kernels, only libraries' work is NumPy's, see `NumpyStep`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from xarr import dtypes, layout, tuning
from xarr.ir import _cython as cython
from xarr.runtime.host_functions import find

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.events import core_hooks
    from xarr.ir.instructions import Opcode, RunArguments
    from xarr.ir.steps import LibraryStep, Step, launch
    from xarr.ir.storage import Storage, allocate_or_collect, memory_of
    from xarr.ir.views import Structure, array_in

if TYPE_CHECKING:
    from xarr.runtime.program import Runnable

_ndarray = cython.declare(object, numpy.ndarray)
_ufunc = cython.declare(object, numpy.ufunc)
_uint8 = cython.declare(object, numpy.uint8)
_bool = cython.declare(object, dtypes.bool_)
_WIDE = cython.declare(cython.Py_ssize_t, layout.WIDE)
_CHUNK = cython.declare(cython.Py_ssize_t, tuning.CHUNK)
_KEPT_NBYTES = cython.declare(cython.Py_ssize_t, tuning.KEPT_NBYTES)


@cython.ccall
def evaluate(
    program: Runnable,
    opcodes: tuple[Any, ...],
    codes: tuple[Any, ...],
    listed: RunArguments,
    done: list[Any],
    unfinished: list[Any],
    freed: Any,
) -> object:
    """Compute the instructions of a program in order, by NumPy or by a kernel for one alone.

    A number is appended to `done` for each that is done, so that an error leaves the others on the
    tape. After each, those storages lose their memory that `freed` names, if that is not None.
    """
    opcode: Opcode
    how: Structure
    storage: Storage
    call: Step
    at: cython.Py_ssize_t = 0
    constant: cython.Py_ssize_t = 0
    slot: cython.Py_ssize_t
    named: cython.Py_ssize_t = 0
    number: cython.Py_ssize_t = 0
    storages: list[Any] = listed.storages
    for opcode in opcodes:
        driver = opcode.device.driver
        listed.begun = driver.launched
        places: list[Any] = []
        for how in opcode.named:
            if how.strides is None:
                places.append(constant)
                constant += 1
                continue
            place = codes[at]
            at += 1
            if type(place) is not tuple:
                place = (place, 0)
            places.append(place)
            slot = place[0]
            if slot >= named:
                named = slot + 1
        if opcode.is_fresh:
            places.append((named, 0))
            named += 1
        function: Any = opcode.host
        if function is None:
            function = find(opcode)
        if function is False and not _is_row(program, opcode, places, listed):
            call = program.single_kernel(opcode, places, storages)
            call.run(opcode.device, listed, unfinished)
            call.end(storages)
        elif function is not False:
            _compute(driver, opcode, function, places, listed)
        if freed is not None:
            for slot in freed[number]:
                storage = storages[slot]
                storage.buffer = None
        number += 1
        done.append(number)
    return None


@cython.cfunc
def _is_row(
    program: Runnable, opcode: Opcode, places: list[Any], listed: RunArguments
) -> cython.bint:
    """Launch the kernel of an operation on few elements that follow each other, if there is one.

    It serves rows of any length up to `tuning.CHUNK`, so that a new length is not planned.
    """
    how: Structure = opcode.target
    storage: Storage
    size: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    operand: cython.Py_ssize_t
    if not opcode.is_fresh or how.size > _CHUNK or opcode.is_whole or opcode.is_separate:
        return False
    size = how.size
    operand = 0
    types: tuple[Any, ...] = opcode.operation.operands
    for how in opcode.operands:
        if not how.is_linear or how.size != size or how.dtype is not types[operand]:
            return False
        slot, _ = places[operand]
        storage = listed.storages[slot]
        if storage.nbytes >= _WIDE:
            return False
        operand += 1
    rows: dict[Any, Any] = opcode.operation.row_kernels
    found = rows.get(opcode.device)
    if found is None:
        found = rows[opcode.device] = program.row(opcode)
    if found is False:
        return False
    kernel, grid, order = found
    buffers: list[Any] = []
    values: list[Any] = [_CHUNK, size]
    for operand in order:
        slot, beyond = places[operand]
        storage = listed.storages[slot]
        if storage.buffer is None:
            storage.buffer = allocate_or_collect(opcode.device, storage.nbytes)
        elif type(storage.buffer) is _ndarray:
            storage.settle()
        buffers.append(storage.buffer)
        values.append(listed.bases[slot] + beyond)
    launch(opcode.device, kernel, grid, buffers, kernel.arguments.pack(*values), size)
    return True


@cython.cfunc
def _compute(
    driver: Any, opcode: Opcode, function: Any, places: list[Any], listed: RunArguments
) -> cython.void:
    """Call a function of NumPy's with an instruction's operands; store the result.

    All is stored in one call, so that a signal's handler finds the instruction done, and counted as
    a launch, or finds nothing.
    """
    how: Structure
    slot: cython.Py_ssize_t
    beyond: cython.Py_ssize_t
    operand: cython.Py_ssize_t = 0
    values: list[Any] = []
    for how in opcode.operands:
        place = places[operand]
        if how.strides is None:
            values.append(how.dtype.numpy.type(listed.constants[place]))
        else:
            slot, beyond = place
            beyond += listed.bases[slot]
            if opcode.is_indirect and not operand:
                values.append(_places_of(how, opcode.shape, listed.storages[slot], beyond))
            else:
                values.append(_operand(how, opcode, listed.storages[slot], beyond))
        operand += 1
    if opcode.target is None:  # it gives the memory, the places and the values to be stored there
        memory, where, result = function(*values)
        _store(driver, memory, where, result)
        return
    slot, beyond = places[operand]
    beyond += listed.bases[slot]
    target: Storage = listed.storages[slot]
    _finish(opcode.device, function, values, opcode.target, opcode.shape, target, beyond)


@cython.cfunc
def _finish(
    device: Any,
    function: Any,
    values: list[Any],
    how: Structure,
    shape: tuple[Any, ...],
    target: Storage,
    offset: cython.Py_ssize_t,
) -> cython.void:
    """Store a function's result: as the memory of a small storage that has none, or in a view."""
    driver: Any = device.driver
    if target.buffer is None:
        if target.nbytes <= _KEPT_NBYTES:
            result = function(*values)
            if not _is_own(result, how, values):
                made: Any = numpy.empty(how.shape, how.dtype.numpy)
                made[...] = _fitted(result, how)
                result = made
            driver.launched += 1
            target.buffer = result
            return
        target.buffer = allocate_or_collect(device, target.nbytes)
    view: Any = _array_at(how, memory_of(target), offset)
    if type(function) is not _ufunc or shape != how.shape:
        _store(driver, view, ..., _fitted(function(*values), how))
        return
    driver.launched += 1
    try:
        function(*values, out=view)
    except Exception:
        driver.launched -= 1
        raise


@cython.cclass
class NumpyStep(LibraryStep):
    """A step of a program that is NumPy's work in a CPU's memory.

    Where the host does not reach the memory, or somebody watches, `work` does it as a library's.

    Attributes
    ----------
    function : function
        Takes the operands as arrays, and returns the result.
    """

    function: Any

    @cython.ccall
    def run(self, device: Any, listed: RunArguments, unfinished: list[Any]) -> object:
        """Let NumPy compute the result."""
        how: Structure
        slot: cython.Py_ssize_t
        beyond: cython.Py_ssize_t
        is_watched: cython.bint = core_hooks.run is not None or core_hooks.launch is not None
        if is_watched or not device.driver.is_open():
            return LibraryStep.run(self, device, listed, unfinished)
        values: list[Any] = []
        count: cython.Py_ssize_t = len(self.views) - 1
        for how, slot, beyond in self.views[:count]:
            values.append(_elements(how, listed.storages[slot], listed.bases[slot] + beyond))
        how, slot, beyond = self.views[count]
        offset: cython.Py_ssize_t = listed.bases[slot] + beyond
        _finish(device, self.function, values, how, how.shape, listed.storages[slot], offset)
        return None


@cython.cfunc
def _fitted(result: Any, how: Structure) -> object:
    """Return the result in the shape of the view that it is for, or one that broadcasts to that."""
    if type(result) is _ndarray and result.shape != how.shape and result.size == how.size:
        return result.reshape(how.shape)
    return result


@cython.cfunc
def _store(driver: Any, target: Any, places: Any, values: Any) -> cython.void:
    """Write values, and count that as a launch."""
    driver.launched += 1
    try:
        target[places] = values
    except Exception:
        driver.launched -= 1
        raise


@cython.cfunc
def _is_own(result: Any, how: Structure, values: list[Any]) -> cython.bint:
    """Return whether a result can be a new storage's memory: nobody else's, and all of the view."""
    if type(result) is not _ndarray or result.base is not None:
        return False
    if result.dtype is not how.dtype.numpy or result.shape != how.shape:
        return False
    for value in values:
        if value is result:  # a conversion to the type that it has gives its operand
            return False
    flags: Any = result.flags
    return flags.c_contiguous and flags.writeable


@cython.cfunc
def _array_at(how: Structure, memory: Any, offset: cython.Py_ssize_t) -> Any:
    """The elements of a view in memory, of which the first lies so many from its beginning."""
    if how.is_linear:
        return _ndarray(how.shape, how.dtype.numpy, memory, offset * how.itemsize)
    return array_in(how.seen(), memory, offset)


@cython.cfunc
def _elements(how: Structure, storage: Storage, offset: cython.Py_ssize_t) -> Any:
    """Return the elements of a view of a storage that has its memory."""
    memory: Any = storage.buffer
    if how.dtype is _bool:  # every byte but 0 is True
        return _array_at(how, memory_of(storage), offset).view(_uint8) != 0
    if type(memory) is not _ndarray:
        return _array_at(how, memory_of(storage), offset)
    is_whole = how.is_linear and not offset and memory.shape == how.shape
    if is_whole and memory.dtype is how.dtype.numpy:
        return memory
    return _array_at(how, memory, offset)


@cython.cfunc
def _operand(how: Structure, opcode: Opcode, storage: Storage, offset: cython.Py_ssize_t) -> object:
    """Return the elements of an operand, which broadcast to the shape of the instruction."""
    values: Any = _elements(how, storage, offset)
    if opcode.is_separate or how.shape is opcode.shape or how.shape == opcode.shape:
        return values
    return _over(values, how, opcode)


def _over(values: Any, how: Structure, opcode: Opcode) -> Any:
    """Return elements of another shape as an array that broadcasts to the instruction's."""
    shape = opcode.shape
    if how.is_linear and values.size == numpy.prod(shape, dtype=numpy.int64):
        return values.reshape(shape)
    if opcode.is_whole:
        return numpy.broadcast_to(values, shape)
    return values.reshape(()) if values.size == 1 else values


def _places_of(
    how: Structure, shape: tuple[int, ...], storage: Storage, offset: cython.Py_ssize_t
) -> tuple[Any, Any]:
    """Return all of a storage's memory as elements, and where the places of each count from."""
    memory: Any = memory_of(storage)
    assert how.strides is not None
    begin: Any = numpy.int64(offset)
    lifted = len(shape) - len(how.shape)
    for axis, (extent, step) in enumerate(zip(how.shape, how.strides, strict=True)):
        if step and extent > 1:
            axes = (extent, *(1,) * (len(shape) - lifted - axis - 1))
            begin = begin + (numpy.arange(extent) * step).reshape(axes)
    count = memory.nbytes // how.dtype.itemsize
    return _ndarray((count,), how.dtype.numpy, memory), begin
