# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Read and write single elements in place, where the host reaches them and nothing pends."""

from __future__ import annotations

from typing import Any

import numpy

from xarr.core import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.core.storage import Storage
    from xarr.core.tape import Tape
    from xarr.core.views import Node, Structure, array_in
    from xarr.core.watch import core_counts, core_hooks

_ndarray = cython.declare(object, numpy.ndarray)


@cython.ccall
def read(node: Node, at: cython.Py_ssize_t) -> object:
    """The element `at` elements from the storage's beginning, where nothing pends; or None.

    It is none, either, where a Python scalar may have other bits: of a NaN.
    """
    how: Structure = node.structure
    storage: Storage | None = node.storage
    on: Tape | None = how.device.tape
    core_counts.looks += 1
    if how.form is None or storage is None or on is None:
        return None
    if type(storage.buffer) is _ndarray or how.device.driver.is_lasting:
        return _element(on, how, storage, at)
    with how.device.lock:
        return _element(on, how, storage, at)


@cython.ccall
def only(node: Node) -> object:
    """The one element of a node, computed, where the host reads it in place; or None.

    It is none where transfers to the host are watched, and of a NaN, whose bits may differ.
    """
    how: Structure = node.structure
    storage: Storage | None = node.storage
    on: Tape | None = how.device.tape
    if storage is None or on is None or how.size != 1 or how.form is None or core_hooks.transfers:
        return None
    with how.device.lock:
        if on.is_running or on.ends_in_copy(storage):
            return None
        on.compute(storage)
        return _element(on, how, storage, node.offset)


@cython.cfunc
def _element(on: Tape, how: Structure, storage: Storage, at: cython.Py_ssize_t) -> object:
    if on.is_running or on.aside or on.writes(storage):
        return None
    window = storage.window(how.form)
    if window is None:
        return None
    value = complex(window[2 * at], window[2 * at + 1]) if how.is_complex else window[at]
    return value if value == value else None


@cython.ccall
def written(node: Node, at: cython.Py_ssize_t, value: Any) -> cython.bint:
    """Whether an element could be written at once: nothing that pends names the storage.

    `value` is a Python scalar that the data type holds exactly.
    """
    how: Structure = node.structure
    storage: Storage | None = node.storage
    on: Tape | None = how.device.tape
    core_counts.looks += 1
    if how.form is None or storage is None or on is None or value != value:
        return False
    with how.device.lock:
        if on.is_running or storage.buffer is None or on.names(storage):
            return False
        window = storage.window(how.form)
        if window is None:
            return False
        storage.writes += 1
        if how.is_complex:
            window[2 * at], window[2 * at + 1] = value.real, value.imag
        else:
            window[at] = value
    return True


@cython.ccall
def values_of(node: Node) -> Any:
    """A node's elements in place, computed, as NumPy's; None where the host does not reach them.

    Whoever asks holds the device's lock while they are read.
    """
    how: Structure = node.structure
    storage: Storage | None = node.storage
    on: Tape | None = how.device.tape
    core_counts.looks += 1
    if not how.is_in_place or storage is None or on is None or on.is_running:
        return None
    if on.aside or on.writes(storage):
        on.compute(storage)
    memory = storage.buffer if type(storage.buffer) is _ndarray else storage.window("B")
    if memory is None:
        return None
    if how.in_memory is None:
        how.seen()
    if 0 in how.shape:
        return numpy.empty(how.shape, how.in_memory.dtype)
    return array_in(how.in_memory, memory, node.offset)
