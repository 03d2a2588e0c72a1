# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Iterate over an array: the views along its first axis; of a vector the elements."""

from __future__ import annotations

from typing import Any

from xarr import tuning
from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.array.operators import ArrayBase, made, view_of
    from xarr.ir.events import core_hooks
    from xarr.ir.storage import Storage
    from xarr.ir.views import Structure, View, number_like, structure, view_at
    from xarr.tape.scalar_access import values_of
    from xarr.tape.tape import Tape, tape_of

_MOST = cython.declare(cython.Py_ssize_t, tuning.ITERATED)


@cython.cclass
class Rows:
    """An iterator over the first axis of an array, for as long as the array is not written to.

    Elements of a vector are read some at a time. Where that may not be done any more, and of
    what is not known, the array is indexed.

    Attributes
    ----------
    array : ArrayBase
        The array.
    view : View
        What the array was when the iteration began.
    on : Tape
        The tape of the device.
    how, row : Structure
        Those of this view, and of a view along the first axis.
    position, extent, stride : int
        How many rows there were already, and of the axis.
    values : list or None
        Elements that were read.
    first : int
        The position of the first of them.
    writes : int
        How often the storage had been written to then.
    """

    array: ArrayBase
    view: View
    on: Tape
    how: Structure
    row: Structure | None
    position: int
    extent: int
    stride: int
    values: list[Any] | None
    first: int
    writes: int

    def __init__(self, array: ArrayBase) -> None:
        how: Structure = array._view.structure
        self.array, self.view, self.how = array, array._view, how
        self.on = tape_of(how.device)
        self.extent = how.shape[0]
        if how.strides is None:
            return
        self.stride = how.strides[0]
        if len(how.shape) > 1:
            self.row = structure(how.device, how.dtype, how.shape[1:], how.strides[1:])

    def __iter__(self) -> Rows:
        return self

    def __next__(self) -> Any:
        """Return the next view or element."""
        view: View = self.view
        position: cython.Py_ssize_t = self.position
        if position >= self.extent:
            raise StopIteration
        self.position = position + 1
        if self.array._view is view and view.structure is self.how and view.storage is not None:
            if self.row is not None:
                place: cython.Py_ssize_t = view.offset + position * self.stride
                return view_of(self.array, view_at(view.storage, self.row, place))
            if len(self.how.shape) == 1 and self._is_read(position):
                value = self.values[position - self.first]  # type: ignore[index]
                if value == value:  # of a NaN the bits may be others
                    return made(number_like(view, value))
        try:
            return self.array[position]
        except IndexError:  # it has been given another shape
            raise StopIteration from None

    @cython.cfunc
    def _is_read(self, position: cython.Py_ssize_t) -> cython.bint:
        """Return whether an element of the vector was read, and is as it was then."""
        storage: Storage = self.view.storage  # type: ignore[assignment]
        on: Tape = self.on
        if core_hooks.recorder is not None or core_hooks.transfers:
            return False
        if (on.shared or on.kept) and storage.is_seen:
            return False
        if self.values is not None:
            if storage.writes != self.writes:
                return False  # as a loop writes to it, what is read ahead is not used
            if position < self.first + len(self.values):
                return True
        self.first = position
        self.writes = storage.writes
        count: cython.Py_ssize_t = min(_MOST, self.extent - position)
        how: Structure = structure(on.device, self.how.dtype, (count,), (self.stride,))
        with on.device.lock:
            place: cython.Py_ssize_t = self.view.offset + position * self.stride
            found: Any = values_of(view_at(storage, how, place))
            if found is None:
                return False
            self.values = found.tolist()
        return True
