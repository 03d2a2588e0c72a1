# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Calls of which NumPy computes all at once, where few elements are in memory that the host reads.

A function that selects, orders or counts records several instructions, each with a temporary, which
takes up to a hundred times as long as NumPy's own function on the same memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from xarr import dtypes, tuning
from xarr.backends.device import get_device
from xarr.dtypes import BOOL, COMPLEX, REAL
from xarr.ir import _cython as cython
from xarr.ops import vendor

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.array.operators import ArrayBase, is_plain, made
    from xarr.ir.events import core_hooks
    from xarr.ir.quiet import called_quietly
    from xarr.ir.storage import Storage, new_storage
    from xarr.ir.views import Structure, View, contiguous, lone_constant, structure, view_at
    from xarr.runtime.host_memory import array_at, elements, is_reached
    from xarr.tape.record import is_unwatched
    from xarr.tape.tape import Tape, tape_of

_ndarray = cython.declare(object, numpy.ndarray)
_dtype = cython.declare(object, numpy.dtype)
_adopted = cython.declare(object, vendor.adopted)
_rows = cython.declare(object, dtypes.BY_NUMPY)
_bool = cython.declare(object, dtypes.bool_)
_uint64 = cython.declare(object, dtypes.uint64)
_MOST = cython.declare(cython.Py_ssize_t, tuning.KEPT_NBYTES)
_SCALARS = cython.declare(
    object,
    {int: (dtypes.int64, int)}
    | {
        row.numpy.type: (row, {BOOL: bool, REAL: float, COMPLEX: complex}.get(row.kind, int))
        for row in dtypes.TABLE
    },
)
_PLAIN = cython.declare(object, {type(None), bool, int, float, complex, str})
_absent = cython.declare(object, object())


@cython.cclass
class HostCall:
    """A function whose result NumPy computes with the same bits as its instructions.

    What NumPy refuses, or does not know, the function is called for, which has its own errors.

    Attributes
    ----------
    function, numpys : function
        The function, and NumPy's, which takes the same arguments.
    arrays : int
        How many arguments by position may be arrays, from the first on.
    writes : bool
        Whether it writes to the first argument, and returns nothing.
    last : Structure or None
        That of the last result, which the next one often has too.
    """

    function: Any
    numpys: Any
    arrays: int
    writes: bool
    last: Structure | None

    def __init__(
        self, function: Callable[..., Any], numpys: Callable[..., Any], arrays: int, writes: bool
    ) -> None:
        self.function, self.numpys = function, numpys
        self.arrays, self.writes = arrays, writes

    @cython.ccall
    def call(self, given: tuple[Any, ...], named: dict[str, Any]) -> object:
        """Return the result for arguments by position and by name."""
        found: object = _absent
        if core_hooks.recorder is None and not core_hooks.transfers:
            found = self._computed(given, named)
        return self.function(*given, **named) if found is _absent else found

    @cython.cfunc
    def _computed(self, given: tuple[Any, ...], named: dict[str, Any]) -> object:
        """Let NumPy compute the result, if it may."""
        device: Any = None
        first: ArrayBase | None = None
        view: View
        views: list[Any] = []
        at: cython.Py_ssize_t = 0
        for value in given:
            at += 1
            if not _is_known(value, views, at <= self.arrays):
                return _absent
        for value in named.values():
            if not _is_known(value, views, False):
                return _absent
        if views:
            view = views[0]
            device = view.structure.device
        else:
            device = get_device(None)
            if device.in_place[dtypes.bool_][0] is None:
                return _absent
        on: Tape = tape_of(device)
        on.lock.acquire()  # a `with` of the lock takes 1,000 machine instructions more
        try:
            if not is_unwatched(on) or not _are_there(on, views):
                return _absent
            values: list[Any] = []
            for value in given:
                values.append(_value_of(value))
            if self.writes:  # asked last, as a finalizer may have run that reads or writes it
                first = given[0] if is_plain(given[0]) else None
                if first is None or not _may_be_written(on, first):
                    return _absent
                values[0] = _target_of(first._view)
                first._view.storage.writes += 1
            try:
                result: Any = called_quietly(self.numpys, values, named)
            except Exception:  # noqa: BLE001 - the function itself says what is wrong
                return _absent
            if first is not None:
                return None
            return self._given_back(result, device, values)
        finally:
            on.lock.release()

    @cython.cfunc
    def _given_back(self, result: Any, device: Any, values: list[Any]) -> object:
        """Return a result with arrays in place of NumPy's, in their own memory where it is new."""
        if type(result) is tuple:
            made_of: dict[int, Any] = {}
            for one in result:
                if id(one) not in made_of:
                    made_of[id(one)] = self._given_back(one, device, values)
                if made_of[id(one)] is _absent:
                    return _absent
            return tuple([made_of[id(one)] for one in result])
        known: Any = _SCALARS.get(type(result))
        if known is not None:
            value: Any = known[1](result)  # `item` takes twenty times as long
            if value == value:  # a NaN may have other bits than Python's
                return made(lone_constant(structure(device, known[0], (), None), value))
            result = numpy.asarray(result)
        if type(result) is not _ndarray:
            return _absent
        row = _rows.get(result.dtype)
        if row is None:
            return _absent
        if not 0 < result.nbytes <= _MOST:
            return made(_adopted(result, row, device))
        flags: Any = result.flags
        if result.base is not None or not (flags.c_contiguous and flags.writeable):
            result = result.copy()
        else:
            for one in values:
                if one is result:
                    result = result.copy()
                    break
        how: Structure | None = self.last
        if (
            how is None
            or how.dtype is not row
            or how.device is not device
            or how.shape != result.shape
        ):
            how = self.last = contiguous(device, row, result.shape)
        storage: Storage = new_storage(Storage.__new__(Storage), device, how.nbytes)
        storage.buffer = result
        storage.whole = how
        return made(view_at(storage, how, 0))


@cython.cfunc
def _is_known(value: Any, views: list[Any], may_be_array: cython.bint) -> cython.bint:
    """Return whether NumPy may take an argument; append the views of its arrays to a list."""
    how: Structure
    if is_plain(value):
        array: ArrayBase = value
        how = array._view.structure
        if not may_be_array or how.unpack is None or not 0 < how.nbytes <= _MOST:
            return False
        if how.dtype is _uint64:  # NumPy wraps an index beyond int64 around
            return False
        views.append(array._view)
        return True
    kind: Any = type(value)
    if kind is tuple or kind is list:
        for one in value:  # noqa: SIM110 - a generator's frame takes longer
            if not _is_known(one, views, may_be_array):
                return False
        return True
    return kind in _PLAIN or isinstance(value, _dtype)


@cython.cfunc
def _are_there(on: Tape, views: list[Any]) -> cython.bint:
    """Return whether the host reads all views of a device, and nothing that waits writes them."""
    view: View
    for view in views:
        if view.structure.device is not on.device:
            return False
        if view.storage is not None and (on.writes(view.storage) or not is_reached(view.storage)):
            return False
    return True


@cython.cfunc
def _target_of(view: View) -> object:
    """Return a view's elements as an array to write to."""
    storage: Storage = view.storage  # type: ignore[assignment]
    if view.structure.dtype is not _bool:
        return elements(view.structure, storage, view.offset)
    return array_at(view.structure, storage.window(), view.offset)


@cython.cfunc
def _may_be_written(on: Tape, array: ArrayBase) -> cython.bint:
    """Return whether nothing waits to read an array, and nobody else sees memory."""
    storage: Storage | None = array._view.storage
    if storage is None or storage.read_only or array._locked or array._view.structure.repeats:
        return False
    return storage.window() is not None and not (on.shared or on.names(storage))


@cython.cfunc
def _value_of(value: Any) -> object:
    """Return an argument with NumPy's arrays in place of arrays."""
    if isinstance(value, ArrayBase):
        array: ArrayBase = value
        view: View = array._view
        how: Structure = view.structure
        if view.storage is not None:
            return elements(how, view.storage, view.offset)
        return numpy.full(how.shape, view.value, how.dtype.numpy)
    kind: Any = type(value)
    if kind is not tuple and kind is not list:
        return value
    found: list[Any] = []
    for one in value:
        found.append(_value_of(one))
    return found if kind is list else tuple(found)
