# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Single elements, which the host reads and writes in place where it shares the device's memory.

A kernel for one element costs the host a hundred times what the element does. So `peek` reads one
that is there already, and `poke` writes one that nothing on the tape names. `read` and `write` run
the tape before, unless the element is part of a loop that asks for it each time. Whoever asks gets
None or False else, and has the element computed as others are.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy

from xarr import dtypes, tuning
from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir._cython import foreign as get_in, foreign as put_in
    from xarr.ir.events import core_counts, core_hooks, core_tier
    from xarr.ir.instructions import Instruction
    from xarr.ir.storage import Storage
    from xarr.ir.views import Structure, View, array_in, number_like
    from xarr.tape.tape import Tape, tape_of

_ndarray = cython.declare(object, numpy.ndarray)
_float64 = cython.declare(object, dtypes.float64)
_int64 = cython.declare(object, dtypes.int64)
_bool = cython.declare(object, dtypes.bool_)
_FEW_NBYTES = cython.declare(cython.Py_ssize_t, tuning.FEW_NBYTES)
_PLACES = cython.declare(cython.Py_ssize_t, tuning.PLACES)
Host: TypeAlias = "numpy.ndarray[Any, numpy.dtype[Any]]"
"""An array of NumPy's."""


@cython.ccall
def peek(view: View, at: cython.Py_ssize_t) -> object:
    """Read the element `at` elements from the storage's beginning, if no instruction writes it.

    Return None else, and of a NaN: a Python scalar may have other bits.
    """
    how: Structure = view.structure
    storage: Storage | None = view.storage
    core_counts.looks += 1
    if how.unpack is None or storage is None or core_hooks.recorder is not None:
        return None
    on: Tape = tape_of(how.device)
    if type(storage.buffer) is _ndarray or on.is_stable:
        return _element(on, how, storage, at)
    with on.lock:
        return _element(on, how, storage, at)


@cython.ccall
def only(view: View) -> object:
    """Compute the one element of a view and read it, where the host reads it in place.

    Return None else, where transfers to the host are watched, and of a NaN, whose bits may differ.
    """
    how: Structure = view.structure
    storage: Storage | None = view.storage
    on: Tape | None = how.device.tape
    if storage is None or on is None or how.size != 1 or core_hooks.transfers:
        return None
    if how.unpack is None:
        return None
    with how.device.lock:
        if on.is_running:
            return None
        is_watched: cython.bint = core_hooks.run is not None or bool(core_tier.name)
        if not is_watched and on.runs_before_copies(storage):
            _copy_elements(on)
        on.compute(storage)
        return _element(on, how, storage, view.offset)


@cython.cfunc
def _copy_elements(on: Tape) -> cython.void:
    """Copy single elements on the host, as far as the tape begins with such copies."""
    instruction: Instruction
    view: View
    while on.instructions:
        instruction = on.instructions[0]
        view = instruction.views[0]
        if view.structure.copy is not instruction.opcode:
            return
        value = _element(on, view.structure, view.storage, view.offset)
        if value is None:
            return
        on.copied_first(numpy.array([value], view.structure.dtype.numpy))


@cython.cfunc
def _element(on: Tape, how: Structure, storage: Storage | None, at: cython.Py_ssize_t) -> object:
    if (
        storage is None
        or how.unpack is None
        or on.is_running
        or on.failed_pending
        or on.writes(storage)
    ):
        return None
    memory = storage.seen()
    if memory is None:
        return None
    on.note_value()
    value: Any = None
    if (
        cython.compiled
        and type(memory) is _ndarray
        and (how.dtype is _float64 or how.dtype is _int64)
    ):
        value = get_in(memory, at, how.dtype is _float64)
    elements = None if value is not None else _array_of(how, storage, memory)
    if value is not None:
        pass  # in 600 machine instructions less than `item` takes
    elif elements is not None:
        value = elements.item(at)  # a fifth less than `unpack` in all, which asks for a buffer
    else:
        parts: tuple[Any, ...] = how.unpack(memory, at * how.itemsize)
        value = complex(parts[0], parts[1]) if how.is_complex else parts[0]
    return value if value == value else None


@cython.cfunc
def _array_of(how: Structure, storage: Storage, memory: object) -> Any:
    """Return a storage as NumPy's array of a structure's data type, where that is at hand."""
    whole: Structure | None = storage.whole
    if whole is None or whole.dtype is not how.dtype:
        return None
    if type(memory) is _ndarray:
        return memory
    return storage.array if storage.mapped is memory else None


@cython.ccall
def settled(view: View) -> View:
    """Return the view of a new storage that holds one number as a constant, if it is computed.

    So a program's arithmetic with it needs no instruction.
    """
    how: Structure = view.structure
    storage: Storage | None = view.storage
    if storage is None or how.shape or storage.buffer is None or core_hooks.transfers:
        return view
    if storage.nbytes != how.nbytes:
        return view
    value = peek(view, view.offset)
    return view if value is None else number_like(view, value)


@cython.ccall
def poke(view: View, at: cython.Py_ssize_t, value: Any) -> cython.bint:
    """Write an element, if no instruction names the storage; return whether it was written.

    `value` is a Python scalar that the data type holds exactly.
    """
    how: Structure = view.structure
    storage: Storage | None = view.storage
    core_counts.looks += 1
    if how.pack is None or storage is None or value != value:
        return False
    if core_hooks.recorder is not None:
        return False
    on: Tape = tape_of(how.device)
    on.lock.acquire()  # by a `with` of the lock all takes a tenth more
    try:
        if on.is_running or storage.buffer is None or on.names(storage):
            return False
        memory = storage.window()
        if memory is None:
            return False
        storage.writes += 1
        if (
            cython.compiled
            and type(memory) is _ndarray
            and (how.dtype is _float64 or how.dtype is _int64)
            and put_in(memory, at, value, how.dtype is _float64)
        ):
            return True
        elements = _array_of(how, storage, memory)
        if elements is not None and len(how.shape) == 1 and elements.ndim == 1:
            elements[at] = value  # a third of the time of `pack`
        elif how.is_complex:
            how.pack(memory, at * how.itemsize, value.real, value.imag)
        else:
            how.pack(memory, at * how.itemsize, value)
    finally:
        on.lock.release()
    return True


@cython.ccall
def values_of(view: View) -> Any:
    """Compute a view; return its elements in place, or None if the host cannot reach them.

    The caller holds the device's lock while they are read.
    """
    how: Structure = view.structure
    storage: Storage | None = view.storage
    on: Tape | None = how.device.tape
    core_counts.looks += 1
    if how.unpack is None or storage is None or on is None or on.is_running:
        return None
    if core_hooks.recorder is not None:
        return None
    if on.failed_pending or on.writes(storage):
        on.compute(storage)
    memory = storage.window()
    if memory is None:
        return None
    on.note_value()
    is_whole: cython.bint = storage.whole is how and not view.offset
    if is_whole and how.dtype is not _bool:  # a view is nobody's own, and takes a third of the time
        if type(memory) is _ndarray:
            return memory.view()
        if storage.mapped is memory:
            return storage.array.view()
    if how.in_memory is None:
        how.seen()
    if 0 in how.shape:
        return numpy.empty(how.shape, how.in_memory.dtype)
    return array_in(how.in_memory, memory, view.offset)


@cython.cfunc
def _is_there(on: Tape, storage: Storage) -> cython.bint:
    """Return whether nothing waits, and no driver's queue knows of the memory."""
    if storage.buffer is None or on.instructions or on.is_running:
        return False
    if type(storage.buffer) is not _ndarray and not on.is_stable:
        return False
    return not (on.unfinished or on.failed_pending)


@cython.ccall
def compute(view: View) -> object:
    """Run what computes the elements of a storage."""
    storage: Storage | None = view.storage
    assert storage is not None
    on: Tape = tape_of(view.structure.device)
    core_counts.looks += 1
    if not _is_there(on, storage):
        with on.device.lock:
            on.compute(storage)
    on.note_value()
    return None


@cython.ccall
def wait(view: View) -> object:
    """Compute a view, and wait until that is done; of a constant there is nothing to compute.

    Where nothing is to be done it takes 0.2 us, and 2.0 by properties and locks in Python.
    """
    storage: Storage | None = view.storage
    if storage is None:
        return None
    on: Tape = tape_of(view.structure.device)
    core_counts.looks += 1
    if not _is_there(on, storage):
        with on.device.lock:
            on.compute(storage)
            on.device.driver.synchronize()
    on.note_value()
    return None


@cython.ccall
def function_of(function: Any, operands: Any) -> object:
    """Return a function of the values of views, or None if the host cannot reach them."""
    view: View = operands[0]
    how: Structure = view.structure
    arrays: list[Any] = []
    with how.device.lock:
        for view in operands:
            how = view.structure
            is_number: cython.bint = view.value is not None
            arrays.append(
                numpy.full(how.shape, view.value, how.dtype.numpy) if is_number else values_of(view)
            )
            if arrays[len(arrays) - 1] is None:
                return None
        return function(*arrays)


@cython.ccall
def read(view: View, at: cython.Py_ssize_t) -> object:
    """Read the element `at` elements from the storage's beginning; run the tape if need be.

    Return None where it is better recorded, and of a NaN: a Python scalar may have other bits.
    """
    how: Structure = view.structure
    storage: Storage | None = view.storage
    value = peek(view, at)
    if value is not None or storage is None or how.unpack is None:
        return value
    if core_hooks.recorder is not None:
        return None
    on: Tape = tape_of(how.device)
    with how.device.lock:
        if on.is_running:
            return None
        waits: cython.bint = on.writes(storage)
        if waits and not core_tier.name:
            waits = storage.nbytes > _FEW_NBYTES and _comes_again(view, at)
        if waits and not on.has_no_axes():
            return None
        on.compute(storage)
        return peek(view, at)


@cython.cfunc
def _comes_again(view: View, at: cython.Py_ssize_t) -> cython.bint:
    """Return whether an element is one of few that a structure is read or written at alone.

    Then it is part of a loop, which is planned once. What a loop reads from another place each time
    would be planned each time.
    """
    how: Structure = view.structure
    if not how.is_met():
        return False
    if how.places is None:
        how.places = set()
    places: set[int] = how.places
    place = at - view.offset
    is_known: cython.bint = place in places
    if len(places) <= _PLACES:
        places.add(place)
    return is_known and len(places) <= _PLACES


def write(view: View, at: int, value: Any) -> bool:
    """Write an element, and run the tape before if need be; return whether it was written.

    `value` is a Python scalar that the data type holds exactly.
    """
    device, storage = view.device, view.storage
    assert storage is not None
    if view.structure.pack is None or value != value or core_hooks.recorder is not None:
        return False
    with device.lock:
        on = tape_of(device)
        if on.is_running:
            return False
        if storage.buffer is None or on.names(storage):
            if (core_tier.name or _comes_again(view, at)) and not on.has_no_axes():
                return False
            on.run()
        return poke(view, at, value)
