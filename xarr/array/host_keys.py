# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Reading and writing the elements that masks and arrays of indices name, by NumPy, where few are.

By instructions `x[i, :]` takes 50 us: each part of a key is an array, whose values are checked.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy

from xarr import dtypes, tuning
from xarr.dtypes import BOOL, INTEGER
from xarr.ir import _cython as cython
from xarr.runtime.host_values import converter

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.array.host_calls import HostCall, are_ready, may_be_written, target_of
    from xarr.array.keys import integer_of, number_for
    from xarr.array.operators import ArrayBase, is_plain
    from xarr.ir.events import core_hooks
    from xarr.ir.quiet import called_quietly
    from xarr.ir.storage import Storage
    from xarr.ir.views import Structure, View
    from xarr.runtime.host_memory import elements
    from xarr.tape.tape import Tape, tape_of

_ndarray = cython.declare(object, numpy.ndarray)
_integer = cython.declare(object, numpy.integer)
_int64 = cython.declare(object, numpy.dtype(numpy.int64))
_asarray = cython.declare(object, numpy.asarray)
_MOST = cython.declare(cython.Py_ssize_t, tuning.KEPT_NBYTES)
_INDICES = cython.declare(
    object, frozenset(row for row in dtypes.TABLE if row.kind in (BOOL, *INTEGER)) - {dtypes.uint64}
)
"""NumPy wraps an index of uint64 beyond int64 around, so it is refused."""
_INDICES_OF_NUMPY = cython.declare(object, frozenset(row.numpy for row in _INDICES))
_CONVERTED = cython.declare(
    object,
    frozenset((one, two) for one in dtypes.TABLE for two in dtypes.TABLE if converter(one, two)),
)
_taking = cython.declare(HostCall, HostCall(operator.getitem, operator.getitem, 2, False))
_put = cython.declare(object, operator.setitem)
_absent = cython.declare(object, object())


@cython.ccall
def taken(x: ArrayBase, key: object) -> object:
    """Return the copy of the elements that a key with arrays names; None of other keys.

    And where not all is in memory, is much, or is an error, of which the caller has its own words.
    """
    views: list[Any] = [x._view]
    parts: list[Any] | None = _parts_of(x, key, views)
    if parts is None:
        return None
    how: Structure = x._view.structure
    on: Tape = tape_of(how.device)
    on.lock.acquire()
    try:
        if not are_ready(on, views):
            return None
        index: object = _values_of(parts, None)
        values: Any = _elements(x._view)
        try:
            result: Any = values[index]
        except (IndexError, ValueError, MemoryError):
            return None
        found: object = _taking.given_back(result, how.device, (values,))
        return found if isinstance(found, ArrayBase) else None
    finally:
        on.lock.release()


@cython.ccall
def is_put(x: ArrayBase, key: object, value: Any) -> cython.bint:
    """Write to the elements that a key with arrays names; return whether that was done.

    For equal indices the last value counts, in C order, which NumPy keeps for indices that lie so.
    """
    views: list[Any] = [x._view]
    given: View | None = None
    how: Structure = x._view.structure
    number: object = number_for(how, value)
    if number is None:
        if is_plain(value):
            array: ArrayBase = value
            given = array._view
            if (given.structure.dtype, how.dtype) not in _CONVERTED:
                return False
            if given.structure.unpack is None or given.structure.nbytes > _MOST:
                return False
            views.append(given)
        else:
            value = _listed_of(value, how)
            if value is None:
                return False
    parts: list[Any] | None = _parts_of(x, key, views)
    storage: Storage | None = x._view.storage
    if parts is None or storage is None:
        return False
    on: Tape = tape_of(how.device)
    on.lock.acquire()
    try:
        if not are_ready(on, views, storage) or not may_be_written(on, x):
            return False
        if number is not None:
            value = number
        elif given is not None:
            value = _ordered(given, storage)
        index: object = _values_of(parts, storage)
        storage.writes += 1
        try:
            called_quietly(_put, [target_of(x._view), index, value])
        except (IndexError, ValueError):
            return False
        return True
    finally:
        on.lock.release()


@cython.cfunc
def _listed_of(value: Any, how: Structure) -> object:
    """Return lists of Python's numbers as an array of a structure's data type; None of others."""
    kind: Any = type(value)
    if kind is list or kind is tuple:
        if not _are_numbers(value):
            return None
        try:
            value = _asarray(value)
        except ValueError:
            return None
    elif kind is not _ndarray:
        return None
    if value.dtype is not how.dtype.numpy or value.nbytes > _MOST:
        return None
    return value if value.flags.c_contiguous else value.copy()


@cython.cfunc
def _are_numbers(value: Any) -> cython.bint:
    """Return whether lists have nothing but Python's numbers."""
    for one in value:
        kind: Any = type(one)
        if kind is list or kind is tuple:
            if not _are_numbers(one):
                return False
        elif kind is not float and kind is not int and kind is not bool and kind is not complex:
            return False
    return True


@cython.cfunc
def _parts_of(x: ArrayBase, key: object, views: list[Any]) -> list[Any] | None:
    """Return the parts of a key with arrays, whose views are appended to a list; None of others.

    What is no array of xarr's is as NumPy takes it.
    """
    if core_hooks.recorder is not None or core_hooks.transfers:
        return None
    how: Structure = x._view.structure
    if how.unpack is None:
        return None
    count: cython.Py_ssize_t = 1
    arrays: cython.Py_ssize_t = 0
    others: cython.Py_ssize_t = 0
    parts: list[Any] = []
    array: ArrayBase
    named: Structure
    for item in key if type(key) is tuple else (key,):
        part: Any = _part_of(item, views)
        if part is _absent:
            return None
        parts.append(part)
        kind: Any = type(part)
        if isinstance(part, ArrayBase):
            array = part
            named = array._view.structure
            count *= named.size
            arrays += len(named.shape) > 0 or named.dtype.kind == BOOL
        elif kind is _ndarray:
            count *= part.size
            arrays += 1
        elif kind is list or kind is bool:
            arrays += 1
        elif kind is not int:
            others += 1
    if not arrays or count > _MOST:
        return None
    # Of a large array only elements are taken or written, no rows.
    return parts if how.nbytes <= _MOST or not (others or len(parts) < len(how.shape)) else None


@cython.cfunc
def _part_of(item: Any, views: list[Any]) -> object:
    """Return a part of a key as NumPy takes it, or an array; `_absent` of what it may not take.

    An array within a list, as numpy.nonzero gives it of a vector, stays in one.
    """
    kind: Any = type(item)
    if kind is int or kind is bool or item is None or item is Ellipsis:
        return item
    if kind is slice:
        return _slice_of(item)
    if is_plain(item):
        return _index_of(item, views)
    if kind is list or kind is tuple:
        if len(item) == 1 and is_plain(item[0]):
            one: object = _index_of(item[0], views)
            if isinstance(one, ArrayBase):
                return [one]
        item = _integers_of(item)
        if item is None:
            return _absent
        try:
            item = _asarray(item)
        except (ValueError, OverflowError):
            return _absent
        if not item.size:
            item = item.astype(_int64)
    elif kind is not _ndarray:
        return int(item) if isinstance(item, _integer) else _absent
    return item if item.nbytes <= _MOST and item.dtype in _INDICES_OF_NUMPY else _absent


@cython.cfunc
def _slice_of(item: slice) -> object:
    """Return a slice with Python's integers, or `_absent`."""
    bounds: list[Any] = []
    for bound in (item.start, item.stop, item.step):
        number: object = bound
        if bound is not None and type(bound) is not int:
            number = integer_of(bound)
            if number is None:
                return _absent
        bounds.append(number)
    return slice(bounds[0], bounds[1], bounds[2])


@cython.cfunc
def _index_of(item: ArrayBase, views: list[Any]) -> object:
    """Return an array of indices whose view is appended to a list, its number, or `_absent`."""
    how: Structure = item._view.structure
    if how.dtype not in _INDICES or how.unpack is None or how.nbytes > _MOST:
        return _absent
    if not how.shape and how.dtype.kind != BOOL:
        number: object = integer_of(item)
        if number is not None:
            return number
    views.append(item._view)
    return item


@cython.cfunc
def _integers_of(items: Any) -> list[Any] | None:
    """Return lists of integers and bools, without arrays; None of others."""
    found: list[Any] = []
    for one in items:
        kind: Any = type(one)
        number: object = one
        if kind is list or kind is tuple:
            number = _integers_of(one)
        elif kind is not int and kind is not bool:
            number = integer_of(one)
        if number is None:
            return None
        found.append(number)
    return found


@cython.cfunc
def _values_of(parts: list[Any], written: Storage | None) -> object:
    """Return a key with NumPy's arrays in place of arrays; in C order, if it is to be written."""
    array: ArrayBase
    number: cython.Py_ssize_t
    for number in range(len(parts)):
        part: Any = parts[number]
        if isinstance(part, ArrayBase):
            array = part
            parts[number] = (
                _elements(array._view) if written is None else _ordered(array._view, written)
            )
        elif type(part) is list:
            array = part[0]
            values: Any = (
                _elements(array._view) if written is None else _ordered(array._view, written)
            )
            parts[number] = values[None]
        elif written is not None and type(part) is _ndarray and not part.flags.c_contiguous:
            parts[number] = part.copy()
    return parts[0] if len(parts) == 1 else tuple(parts)


@cython.cfunc
def _elements(view: View) -> object:
    """Return a view's elements."""
    how: Structure = view.structure
    if view.storage is not None:
        return elements(how, view.storage, view.offset)
    return numpy.full(how.shape, view.value, how.dtype.numpy)


@cython.cfunc
def _ordered(view: View, written: Storage) -> object:
    """Return a view's elements in C order, and a copy if they are in a storage that is written."""
    values: Any = _elements(view)
    if view.storage is not written and (view.structure.is_linear or values.flags.c_contiguous):
        return values
    return values.copy()
