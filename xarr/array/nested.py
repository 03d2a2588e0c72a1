# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Read nested lists of Python's numbers, as programs write small matrices.

NumPy asks each item for protocols that a float does not have, and knows no number that an Array
without axes stands for. Whatever is unusual is left to `coerce`.
"""

from __future__ import annotations

from typing import Any

import numpy

from xarr import dtypes, layout, tuning
from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.array.operators import ArrayBase, is_plain, made
    from xarr.ir.events import core_hooks, core_tier
    from xarr.ir.storage import Storage, new_storage
    from xarr.ir.views import Structure, View, contiguous, view_at
    from xarr.tape.record import is_nearly_idle
    from xarr.tape.scalar_access import only, peek, values_of
    from xarr.tape.tape import Tape

_MOST_AXES = cython.declare(cython.Py_ssize_t, layout.MAX_NDIM)
_KEPT_NBYTES = cython.declare(cython.Py_ssize_t, tuning.KEPT_NBYTES)
_AT_ONCE_NBYTES = cython.declare(cython.Py_ssize_t, tuning.AT_ONCE_NBYTES)
_FLOAT = cython.declare(object, numpy.float64)
_INT = cython.declare(object, numpy.int64)
_float64 = cython.declare(object, dtypes.float64)
_int64 = cython.declare(object, dtypes.int64)


def array_of_list(items: list[Any], device: Any) -> Any:
    """Return the array of nested lists, float64 or int64; None where they are not so plain.

    Items are floats, integers, and arrays of a device without axes, or with one and few elements,
    whose values are known. The result is in NumPy's memory until a kernel uses it.
    """
    how: Structure
    storage: Storage
    shape: list[Any] = []
    flat: list[Any] = []
    if core_hooks.recorder is not None or core_hooks.transfers or core_tier.name:
        return None
    if device.no_float64 or not _read(items, 0, shape, flat, device):
        return None
    is_real: cython.bint = False
    for one in flat:
        if type(one) is float:
            is_real = True
            break
    how = contiguous(device, _float64 if is_real else _int64, tuple(shape))
    if how.unpack is None or not 0 < how.nbytes <= _KEPT_NBYTES:
        return None
    try:
        values = numpy.array(flat, _FLOAT if is_real else _INT)
    except OverflowError:
        return None
    storage = new_storage(Storage.__new__(Storage), device, how.nbytes)
    storage.buffer = values if len(shape) == 1 else values.reshape(how.shape)
    storage.whole = how
    return made(view_at(storage, how, 0))


@cython.cfunc
def _read(
    items: Any, axis: cython.Py_ssize_t, shape: list[Any], flat: list[Any], device: object
) -> cython.bint:
    """Append the numbers of a list to `flat`; return whether they and its extent are plain."""
    count: cython.Py_ssize_t = len(items)
    known: cython.Py_ssize_t = len(shape)
    numbers: cython.Py_ssize_t = 0
    if axis == known:
        if flat or axis == _MOST_AXES:  # numbers stand at this depth elsewhere
            return False
        shape.append(count)
    elif shape[axis] != count:
        return False
    for item in items:
        kind = type(item)
        if kind is float or kind is int:
            flat.append(item)
            numbers += 1
        elif kind is list or kind is tuple:
            if not _read(item, axis + 1, shape, flat, device):
                return False
        elif is_plain(item) and item._view.structure.shape:
            if not _read_row(item, axis + 1, shape, flat, device):
                return False
        else:
            number = float(item) if kind is _FLOAT else _number_of(item, device)
            if number is None:
                return False
            flat.append(number)
            numbers += 1
    if numbers:
        return numbers == count and len(shape) == axis + 1
    return count > 0


@cython.cfunc
def _read_row(
    item: ArrayBase, axis: cython.Py_ssize_t, shape: list[Any], flat: list[Any], device: Any
) -> cython.bint:
    """Append the elements of a vector that is computed and small; return whether it is plain."""
    how: Structure = item._view.structure
    tape: Tape | None = how.device.tape
    if how.device is not device or len(how.shape) != 1 or how.nbytes > _AT_ONCE_NBYTES:
        return False
    if (how.dtype is not _float64 and how.dtype is not _int64) or tape is None:
        return False
    if not is_nearly_idle(tape):
        return False
    with device.lock:
        values = values_of(item._view)
        return values is not None and _read(values.tolist(), axis, shape, flat, device)


@cython.cfunc
def _number_of(item: Any, device: Any) -> object:
    """Return the number that an array without axes is on a device, if it is known; else None."""
    if not is_plain(item):
        return None
    array: ArrayBase = item
    view: View = array._view
    how: Structure = view.structure
    if how.device is not device or (how.dtype is not _float64 and how.dtype is not _int64):
        return None
    number = view.value
    if number is None and view.storage is not None:
        number = peek(view, view.offset)
        # To record writes of the items takes ten times as long as to compute them.
        tape: Tape = how.device.tape
        if number is None and is_nearly_idle(tape):
            number = only(view)
    return number if type(number) is float or type(number) is int else None
