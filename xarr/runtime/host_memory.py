# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""The elements of views, as NumPy's arrays in memory that the host reads."""

from __future__ import annotations

from typing import Any

import numpy

from xarr import dtypes, tuning
from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.storage import Storage, memory_of
    from xarr.ir.views import Structure, array_in

_ndarray = cython.declare(object, numpy.ndarray)
_KEPT_NBYTES = cython.declare(cython.Py_ssize_t, tuning.KEPT_NBYTES)
_uint8 = cython.declare(object, numpy.uint8)
_bool = cython.declare(object, dtypes.bool_)
_bool_ = cython.declare(object, numpy.dtype(bool))


@cython.cfunc
def is_reached(storage: Storage) -> cython.bint:
    """Return whether the host reads a storage's memory, with nothing to wait for."""
    if type(storage.buffer) is _ndarray:
        return True
    if storage.buffer is None:
        return False
    driver: Any = storage.device.driver
    return driver.stable_addresses or driver.is_at_rest()


@cython.cfunc
def array_at(how: Structure, memory: Any, offset: cython.Py_ssize_t) -> Any:
    """The elements of a view in memory, of which the first lies so many from its beginning."""
    if not how.size:  # it may begin beyond the memory's end
        offset = 0
    if how.is_linear:
        if type(memory) is _ndarray and memory.dtype is how.dtype.numpy:
            if not offset and memory.shape == how.shape:
                return memory
            if len(how.shape) == 1 and memory.ndim == 1:  # in half the time of a new array
                return memory[offset : offset + how.size]
        return _ndarray(how.shape, how.dtype.numpy, memory, offset * how.itemsize)
    return array_in(how.seen(), memory, offset)


@cython.cfunc
def elements(how: Structure, storage: Storage, offset: cython.Py_ssize_t) -> Any:
    """Return the elements of a view of a storage that has its memory."""
    memory: Any = storage.buffer
    is_bool: cython.bint = how.dtype is _bool
    if type(memory) is not _ndarray:
        return _in_driver(how, storage, offset)
    if storage.whole is how and not offset and not (is_bool and storage.writes):
        return memory
    is_whole: cython.bint = how.is_linear and not offset and memory.shape == how.shape
    if is_whole and memory.dtype is how.dtype.numpy:
        if is_bool and (storage.writes or _has_others(memory)):
            return _as_bool(memory)
        storage.whole = how
        return memory
    memory = array_at(how, memory, offset)
    return _as_bool(memory) if is_bool else memory


@cython.cfunc
def _in_driver(how: Structure, storage: Storage, offset: cython.Py_ssize_t) -> Any:
    """Return the elements of a view in a driver's memory.

    To make an array takes NumPy half of an addition of 1,000. So that of all of a storage is kept.
    """
    is_bool: cython.bint = how.dtype is _bool
    is_kept: cython.bint = storage.whole is how and not (offset or (is_bool and storage.writes))
    if is_kept and storage.mapped is storage.buffer:
        return storage.array
    memory: Any = memory_of(storage)
    values: Any = array_at(how, memory, offset)
    if is_bool and (storage.writes or not how.size or _has_others(values)):
        return _as_bool(values)
    is_all: cython.bint = how.is_linear and not offset and how.nbytes == storage.nbytes
    if is_all and storage.nbytes <= _KEPT_NBYTES and memory is storage.buffer:
        storage.whole = how
        storage.mapped = memory
        storage.array = values
    return values


@cython.cfunc
def _as_bool(memory: Any) -> object:
    """Return bool of memory in which every byte but 0 is True; NumPy knows 0 and 1."""
    return memory.view(_uint8).astype(_bool_)


@cython.cfunc
def _has_others(memory: Any) -> cython.bint:
    """Return whether there are bytes other than 0 and 1."""
    return memory.view(_uint8).max() > 1
