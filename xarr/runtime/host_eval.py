# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Evaluate instructions by NumPy's functions in a CPU's buffers, with the bits of kernels.

A kernel costs a compiler a tenth of a second, and to plan one a millisecond of Python. So a list of
instructions runs here first, one instruction after the other, wherever NumPy has a function of the
same bits. Once a list has kernels, only libraries' work is NumPy's, see `NumpyStep`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy

from xarr import dtypes, layout, tuning
from xarr.ir import _cython as cython
from xarr.runtime.host_functions import find
from xarr.runtime.host_reductions import Alone
from xarr.runtime.host_values import COMPOSED, SILENT, same

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir._cython import foreign as put_in
    from xarr.ir.events import core_hooks
    from xarr.ir.instructions import Opcode, RunArguments
    from xarr.ir.quiet import called_quietly
    from xarr.ir.steps import LibraryStep, Step
    from xarr.ir.storage import Storage, allocate_or_collect, memory_of
    from xarr.ir.views import Structure, View
    from xarr.runtime.host_memory import array_at, elements, is_reached
    from xarr.runtime.row_launch import has_rows, launch_row

if TYPE_CHECKING:
    from xarr.runtime.program import Runnable

_ndarray = cython.declare(object, numpy.ndarray)
_ufunc = cython.declare(object, numpy.ufunc)
_NEW = cython.declare(object, frozenset({"astype", "where"}))
_uint8 = cython.declare(object, numpy.uint8)
_bool = cython.declare(object, dtypes.bool_)
_float64 = cython.declare(object, dtypes.float64)
_int64 = cython.declare(object, dtypes.int64)
_Alone = cython.declare(type, Alone)
_same = cython.declare(object, same)
_COMPOSED = cython.declare(object, COMPOSED)
_FLOATING = cython.declare(object, dtypes.FLOATING)
_SILENT = cython.declare(object, SILENT)
_WIDE = cython.declare(cython.Py_ssize_t, layout.WIDE)
_PLANNED = cython.declare(cython.Py_ssize_t, tuning.PLANNED)
_BY_KERNEL = cython.declare(cython.Py_ssize_t, -2)
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
            if type(function) is _Alone:  # which has no kernel to wait for
                opcode.is_small = True
                opcode.small_runs = -1
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
def _launch_small(
    program: Runnable, opcode: Opcode, views: tuple[Any, ...], scalar: object, fresh: Storage
) -> cython.bint:
    """Launch the kernel that a small instruction is by itself; return whether it was done."""
    how: Structure
    view: View
    at: cython.Py_ssize_t = 0
    given: list[Any] = []
    offsets: list[Any] = []
    for how in opcode.operands:
        if how.strides is None and scalar is not None:
            given.append(scalar)
            offsets.append(0)
            continue
        view = views[at]
        at += 1
        given.append(view.value if view.storage is None else view.storage)
        offsets.append(view.offset)
    given.append(fresh)
    offsets.append(0)
    # To put constants into memory takes four times a kernel that takes them as arguments.
    takes_rows: cython.bint = not (opcode.constants and opcode.small_runs == _BY_KERNEL)
    if not (takes_rows and has_rows(opcode) and launch_row(program, opcode, given, offsets)):
        _launch_planned(program, opcode, given, offsets)
    return True


@cython.cfunc
def _launch_planned(
    program: Runnable, opcode: Opcode, given: list[Any], offsets: list[Any]
) -> cython.void:
    """Launch the kernel that is planned for a small instruction of new memory."""
    storage: Storage
    call: Step
    slot: cython.Py_ssize_t
    offset: cython.Py_ssize_t
    operand: cython.Py_ssize_t
    wide: list[Any] = []
    codes: list[Any] = []
    listed: RunArguments = RunArguments([], [], [], [])
    for operand in range(len(given)):
        if not isinstance(given[operand], Storage):
            listed.constants.append(given[operand])
            continue
        offset = offsets[operand]
        slot = _slot_of(given[operand], offset, listed)
        offset -= listed.bases[slot]
        if operand < len(given) - 1:
            place: object = slot
            if offset:
                place = (slot, offset)
            codes.append(place)
    for storage in listed.storages:
        wide.append(storage.nbytes >= _WIDE)
    call = program.planned_kernel(opcode, tuple(codes), tuple(wide))
    call.run(opcode.device, listed, [])
    call.end(listed.storages)


@cython.cfunc
def _slot_of(
    storage: Storage, offset: cython.Py_ssize_t, listed: RunArguments
) -> cython.Py_ssize_t:
    """Return the number of a storage among those of a run; add it with its first view's offset."""
    slot: cython.Py_ssize_t = 0
    for known in listed.storages:
        if known is storage:
            return slot
        slot += 1
    listed.storages.append(storage)
    listed.bases.append(offset)
    return slot


@cython.cfunc
def _is_row(
    program: Runnable, opcode: Opcode, places: list[Any], listed: RunArguments
) -> cython.bint:
    """Launch the kernel of an operation on few elements in a row, if there is one."""
    if not has_rows(opcode):
        return False
    slot: cython.Py_ssize_t
    beyond: cython.Py_ssize_t
    given: list[Any] = []
    offsets: list[Any] = []
    for place in places:
        if type(place) is tuple:
            slot, beyond = place
            given.append(listed.storages[slot])
            offsets.append(listed.bases[slot] + beyond)
        else:
            given.append(listed.constants[place])
            offsets.append(0)
    return launch_row(program, opcode, given, offsets)


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
            values.append(_operand(how, opcode, operand, listed.storages[slot], beyond))
        operand += 1
    target: Storage | None = None
    beyond = 0
    if opcode.target is not None:
        slot, beyond = places[operand]
        beyond += listed.bases[slot]
        target = listed.storages[slot]
    _call(opcode, function, values, target, beyond)


@cython.ccall
def _call(
    opcode: Opcode,
    function: Any,
    values: list[Any],
    target: Storage | None,
    offset: cython.Py_ssize_t,
) -> object:
    """Call a function of NumPy's with an instruction's operands; store the result."""
    if target is None:  # it gives the memory, the places and the values to be stored there
        memory, where, result = function(*values)
        _store(opcode.device.driver, memory, where, result)
        return None
    _finish(opcode.device, function, values, opcode.target, opcode.shape, target, offset)
    return None


@cython.cfunc
def _values_of(opcode: Opcode, function: Any, views: tuple[Any, ...], scalar: object) -> list[Any]:
    """Return the operands of a small instruction as NumPy's arrays and numbers."""
    how: Structure
    view: View
    at: cython.Py_ssize_t = 0
    operand: cython.Py_ssize_t = 0
    values: list[Any] = []
    for how in opcode.operands:
        if how.strides is None and scalar is not None:
            values.append(_number(how, opcode, function, scalar))
        else:
            view = views[at]
            at += 1
            if how.strides is None:
                values.append(_number(how, opcode, function, view.value))
            else:
                values.append(_operand(how, opcode, operand, view.storage, view.offset))  # type: ignore[arg-type]
        operand += 1
    return values


@cython.cfunc
def _number(how: Structure, opcode: Opcode, function: Any, value: Any) -> object:
    """Return a constant for a function of NumPy's.

    A ufunc is given an array without axes that is used again: to make one of a number takes it 0.2
    us of 0.4.
    """
    if opcode.constants > 1 or type(function) is not _ufunc or how.shape:
        return how.dtype.numpy.type(value)
    if how.cell is None:
        how.cell = numpy.empty((), how.dtype.numpy)
    is_real: cython.bint = how.dtype is _float64
    if not (cython.compiled and (is_real or how.dtype is _int64)):
        how.cell.fill(value)
    else:
        put_in(how.cell, 0, value, is_real)  # `fill` takes 1,200 machine instructions
    return how.cell


@cython.cfunc
def overwrite_small(
    opcode: Opcode, views: tuple[Any, ...], scalar: object, target: View
) -> cython.bint:
    """Compute a small instruction into a view that exists; return whether it was done.

    NumPy copies operands that overlap the view otherwise than element by element.
    """
    view: View
    storage: Storage | None = target.storage
    function: Any = opcode.host
    if function is None:
        function = find(opcode)
    if type(function) is not _ufunc or storage is None or not is_reached(storage):
        return False
    for view in views:
        if view.storage is not None and not is_reached(view.storage):
            return False
    values: list[Any] = _values_of(opcode, function, views, scalar)
    values.append(array_at(target.structure, memory_of(storage), target.offset))
    storage.writes += 1
    called_quietly(function, values)
    return True


@cython.cfunc
def evaluate_small(
    program: Runnable, opcode: Opcode, views: tuple[Any, ...], scalar: object, fresh: Storage | None
) -> cython.bint:
    """Compute a small instruction as it is recorded; return whether it was done.

    The views are those of an `Instruction`. Nothing may wait on the tape, and all memory has to be
    the host's: NumPy's, or that of a driver which runs nothing behind the host's back.
    """
    how: Structure
    view: View
    storage: Storage | None
    function: Any = opcode.host
    if function is None:
        function = find(opcode)
    for view in views:
        if view.storage is not None and not is_reached(view.storage):
            return False
    if opcode.small_runs >= 0:
        # Folding in a kernel's order takes NumPy ten calls, as do a few functions of elements. So
        # what repeats gets its kernel.
        opcode.small_runs += 1
        is_fold: cython.bint = opcode.folds and type(function) is not _Alone
        is_kernels: cython.bint = function is False and opcode.constants > 0
        if not (is_fold or is_kernels or function in _COMPOSED):
            opcode.small_runs = -1
        elif (
            opcode.small_runs >= _PLANNED
            and opcode.small_runs % 16 == 0  # another process compiles it meanwhile
            and program.has_kernel(opcode)
        ):
            opcode.small_runs = _BY_KERNEL
    if function is False or opcode.small_runs == _BY_KERNEL:
        return fresh is not None and _launch_small(program, opcode, views, scalar, fresh)
    values: list[Any] = _values_of(opcode, function, views, scalar)
    if fresh is not None and function is _same:
        fresh.buffer = _copied(values[0], opcode.target)
        fresh.whole = opcode.target
        return True
    if fresh is not None:
        result: Any
        if opcode.is_silent:
            result = function(values[0], values[1]) if len(values) == 2 else function(values[0])
        else:
            result = called_quietly(function, values)
        how = opcode.target
        if not (opcode.gives_own and type(result) is _ndarray):
            if _is_own(result, how, values):
                # The result is new, and its layout follows from those of the operands.
                opcode.gives_own = type(function) is _ufunc or opcode.operation.name in _NEW
                opcode.is_silent = _is_silent(opcode, function)
            else:
                result = _copied(result, how)
        fresh.buffer = result
        fresh.whole = how
        return True
    storage = None
    offset: cython.Py_ssize_t = 0
    if opcode.target is not None:
        view = views[len(views) - 1]
        storage = view.storage
        offset = view.offset
    if function is _same and storage is not None:
        how = opcode.target
        target: Any = array_at(how, memory_of(storage), offset)
        _store(opcode.device.driver, target, ..., _fitted(values[0], how))
    else:
        called_quietly(_call, [opcode, function, values, storage, offset])
    return True


@cython.cfunc
def _is_silent(opcode: Opcode, function: Any) -> cython.bint:
    """Return whether a function of one or two operands warns of no values of integers."""
    how: Structure
    for how in opcode.operands:
        if how.dtype.kind in _FLOATING:
            return False
    return type(function) is _ufunc and function in _SILENT


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
    """Store a function's result: as the memory of a storage that has none, or in a view."""
    driver: Any = device.driver
    if target.buffer is None:
        is_small: cython.bint = target.nbytes <= _KEPT_NBYTES
        if is_small or type(function) is not _ufunc:  # which takes `out`
            result = function(*values)
            made = result if _is_own(result, how, values) else None
            if is_small:
                made = _copied(result, how) if made is None else made
                target.whole = how
            elif made is not None:
                made = driver.adopt(made) if target.nbytes == result.nbytes else None
            if made is not None:
                driver.launched += 1
                target.buffer = made
                return
            target.buffer = allocate_or_collect(device, target.nbytes)
            _store(driver, array_at(how, memory_of(target), offset), ..., _fitted(result, how))
            return
        target.buffer = allocate_or_collect(device, target.nbytes)
    view: Any = array_at(how, memory_of(target), offset)
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
            values.append(elements(how, listed.storages[slot], listed.bases[slot] + beyond))
        how, slot, beyond = self.views[count]
        offset: cython.Py_ssize_t = listed.bases[slot] + beyond
        _finish(device, self.function, values, how, how.shape, listed.storages[slot], offset)
        return None


@cython.cfunc
def _copied(result: Any, how: Structure) -> object:
    """Return a result as new memory for a view that is all of a storage."""
    if type(result) is _ndarray and result.dtype is how.dtype.numpy and result.shape == how.shape:
        return result.copy()
    made: Any = numpy.empty(how.shape, how.dtype.numpy)
    made[...] = _fitted(result, how)
    return made


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
    if type(result) is not _ndarray:
        return False
    if result.dtype is not how.dtype.numpy or result.shape != how.shape:
        return False
    base: Any = result.base  # an array of another shape may own its memory
    if base is not None and (type(base) is not _ndarray or base.nbytes != result.nbytes):
        return False
    if base is not None and base.base is not None:
        return False
    for value in values:
        if value is result or value is base:  # what has the type that is asked for is its operand
            return False
        if base is not None and type(value) is _ndarray and value.base is base:
            return False
    flags: Any = result.flags
    return flags.c_contiguous and flags.writeable


@cython.cfunc
def _operand(
    how: Structure,
    opcode: Opcode,
    number: cython.Py_ssize_t,
    storage: Storage,
    offset: cython.Py_ssize_t,
) -> object:
    """Return the elements of an operand, which broadcast to the shape of the instruction."""
    if opcode.is_indirect and not number:
        return _places_of(how, opcode.shape, storage, offset)
    if how.dtype is _bool and type(opcode.host) is _Alone:
        return array_at(how, memory_of(storage), offset)
    values: Any = elements(how, storage, offset)
    if opcode.is_separate or how.shape is opcode.shape or how.shape == opcode.shape:
        return values
    return _over(values, how, opcode)


def _over(values: Any, how: Structure, opcode: Opcode) -> Any:
    """Return elements of another shape as an array that broadcasts to the instruction's."""
    shape = opcode.shape
    if how.is_linear and values.size == math.prod(shape):
        return values.reshape(shape)
    if opcode.is_whole:
        return numpy.broadcast_to(values, shape)
    return values.reshape(()) if values.size == 1 else values


def _places_of(
    how: Structure, shape: tuple[int, ...], storage: Storage, offset: cython.Py_ssize_t
) -> tuple[Any, Any]:
    """Return all of a storage's memory as elements, and where each item's index counts from.

    The latter is the place, in elements, to which an item's computed index is added.
    """
    memory: Any = memory_of(storage)
    assert how.strides is not None
    begin: Any = numpy.int64(offset)
    lifted = len(shape) - len(how.shape)
    for axis, (extent, step) in enumerate(zip(how.shape, how.strides, strict=True)):
        if step and extent > 1:
            axes = (extent, *(1,) * (len(shape) - lifted - axis - 1))
            begin = begin + (numpy.arange(extent) * step).reshape(axes)
    count = storage.nbytes // how.dtype.itemsize
    return _ndarray((count,), how.dtype.numpy, memory), begin
