# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Storages: buffers of a device, whose memory may not be allocated yet.

A storage knows how many bytes it has, never shapes or data types; the tape tells which are live.
"""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import errors, layout
from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on

if TYPE_CHECKING:
    from xarr.backends.device import Device

_ndarray = cython.declare(object, numpy.ndarray)

LIVE: Final = -1
"""The state of a storage that is live."""
DEAD: Final = -2
"""The state of a dead storage without memory; one with memory has its bytes as state instead."""
WIDE: Final = -10
"""Is added to the state of a storage with so many bytes that kernels count with 64 bits."""
SWAPPABLE: Final = -100
"""This less its bytes is the state of a live storage of which a list writes the most, and whose
memory may be replaced: nobody else sees it."""


def is_live(state: int) -> bool:
    """Return whether a storage in this state is live."""
    return state <= SWAPPABLE or state in (LIVE, LIVE + WIDE)


def is_wide(state: int) -> bool:
    """Return whether kernels count the bytes of a storage in this state with 64 bits."""
    wide = state >= layout.WIDE or state <= SWAPPABLE - layout.WIDE
    return wide or state in (LIVE + WIDE, DEAD + WIDE)


_serial = cython.declare(cython.Py_ssize_t, 0)


@cython.freelist(64)
@cython.cclass
class Storage:
    """A buffer on one device, whose memory is allocated by the first instruction that writes it.

    Only views and the device's tape refer to a storage, so one that only the tape refers to is
    dead.

    Attributes
    ----------
    buffer : object or None
        The driver's memory, or a NumPy array that no driver knows; None before an instruction that
        writes it has run.
    lender : object or None
        The owner of the memory, where it is not the device's own.
    selected : object or None
        The cached selection of a mask, with the mask's structure, offset and `writes`.
    whole : Structure or None
        What the buffer is the array of, where it is NumPy's, or else `array`; of bool with bytes of
        0 and 1, as long as nothing was written.
    mapped, array : object or None, NumPy array or None
        The driver's memory, while that is the buffer, as an array of few elements.
    writes : int
        How often it was written to, or others may have written to it.
    serial : int
        Its number, which no other storage has.
    mark : int
        The tape's number while an instruction on it writes the storage.
    list_mark, slot : int
        The number of the list that was described last with it, and its own number there.
    most_mark : int
        The number of the last list that writes the most of it.
    """

    __weakref__: object
    buffer: Any
    device: Any
    lender: Any
    selected: Any
    whole: Any
    mapped: Any
    array: Any
    nbytes: int
    serial: int
    writes: int
    mark: int
    read_only: bool
    list_mark: int
    most_mark: int
    slot: int

    def __init__(self, device: Device, nbytes: cython.Py_ssize_t, buffer: Any = None) -> None:
        new_storage(self, device, nbytes)
        self.buffer = buffer

    @property
    def is_seen(self) -> bool:
        """Whether others see the memory, or a graph writes it, so that its content may change."""
        device = self.device
        return self.serial in device.shared or id(self.buffer) in device.kept

    def settle(self) -> None:
        """Move content from NumPy's memory to the driver's.

        It is copied, since NumPy's memory could be freed before kernels that use it have run.
        """
        if type(self.buffer) is not _ndarray:
            return
        with self.device.lock:
            memory = self.buffer
            if type(memory) is _ndarray:
                buffer = allocate_or_collect(self.device, self.nbytes)
                self.device.driver.upload(buffer, 0, memory)
                self.buffer = buffer

    @cython.ccall
    def window(self) -> Any:
        """Return the memory as an object whose bytes the host reads; None where it cannot."""
        memory = self.buffer
        if memory is None or type(memory) is _ndarray:
            return memory
        driver = self.device.driver
        return memory if driver.stable_addresses else driver.window(memory)

    @cython.ccall
    def seen(self) -> Any:
        """Return the memory as `window` does, or a copy; the caller holds the device's lock."""
        memory = self.buffer
        if memory is None or type(memory) is _ndarray or self.device.driver.stable_addresses:
            return self.window()
        return self.device.driver.seen(memory)


@cython.cfunc
def new_storage(made: Storage, device: object, nbytes: cython.Py_ssize_t) -> Storage:
    """Fill in a storage that has no memory, and return it."""
    global _serial
    _serial += 1
    made.device = device
    made.nbytes = nbytes
    made.serial = _serial
    return made


@cython.ccall
def allocate_or_collect(device: Any, nbytes: cython.Py_ssize_t) -> object:
    """Allocate memory of the driver; where it is short, collect garbage and empty the pool."""
    try:
        return device.driver.allocate(nbytes)
    except MemoryError:
        return _allocate_after_collecting(device, nbytes)


def _allocate_after_collecting(device: Device, nbytes: int) -> Any:
    """Allocate after emptying the pool or collecting garbage, or raise MemoryError."""
    driver = device.driver
    for recover in (driver.release_memory, gc.collect):
        recover()
        with suppress(MemoryError):
            return driver.allocate(nbytes)
    for reserve in tuple(driver.reserves):
        reserve.drop()
    driver.release_memory()
    with suppress(MemoryError):
        return driver.allocate(nbytes)
    info = driver.memory_info()
    raise MemoryError(
        errors.message(
            f"allocating on {device}",
            f"{nbytes:,} bytes were asked for",
            f"arrays may have {min(driver.limit_nbytes, info['total_nbytes']):,} bytes, and have "
            f"{info['used_nbytes']:,}",
            "delete arrays that are no longer needed, or work in smaller pieces",
        )
    )


@cython.ccall
def memory_of(storage: Storage) -> object:
    """Return the memory of a storage that NumPy may work in; pending work on it has to be done."""
    memory = storage.window()
    if memory is None:  # NumPy would allocate for None, and read what is there
        raise RuntimeError(
            errors.message(
                f"{storage.device}",
                "the host does not reach the memory, as another queue is current",
                "work on it goes by kernels there",
            )
        )
    return memory


_list_mark = cython.declare(cython.Py_ssize_t, 0)


@cython.cfunc
def next_mark() -> cython.Py_ssize_t:
    """Return a number that no storage has as `list_mark` yet."""
    global _list_mark
    _list_mark += 1
    return _list_mark


# A C variable, as module globals may be None at the end of the process.
_is_finalizing = cython.declare(object, sys.is_finalizing)


@cython.no_gc
@cython.cclass
class _Finalizer:
    """An object that calls a function when it is deallocated."""

    _function: Any = cython.declare(object)
    _arguments: tuple[Any, ...] = cython.declare(tuple)

    def __init__(self, function: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        self._function = function
        self._arguments = arguments

    def __del__(self) -> None:
        if not _is_finalizing():
            self._function(*self._arguments)


def finalizer(function: Callable[..., object], *arguments: Any) -> object:
    """Return an object that lives as long as it is held; `function` is called when it dies.

    In garbage that holds it this comes last, when no finalizer can use what goes with it any more:
    the garbage collector does not track it.
    """
    if not cython.compiled:
        token = numpy.empty(0)  # Python classes are tracked, and their `__del__` is called early
        weakref.finalize(token, function, *arguments).atexit = False
        return token
    # Without a Python frame, in which a signal's handler could raise an unraisable exception.
    return _Finalizer(function, arguments)


def claim(storage: Storage) -> object:
    """Mark a storage as seen by others, see `Device.shared`, as long as the result lives."""
    shared = storage.device.shared
    serial = storage.serial
    with _CLAIMS:
        if serial in shared:
            shared[serial] += 1
        else:
            shared[serial] = 1
    return finalizer(_unclaim, shared, serial)


def _unclaim(shared: Any, serial: int) -> None:
    # Runs in any thread, so without the device's lock.
    with _CLAIMS:
        shared[serial] -= 1
        if not shared[serial]:
            del shared[serial]


_CLAIMS: Final = threading.RLock()
"""Guards the counts of claims. Nothing is called while it is held, so no garbage is collected."""


@cython.ccall
def are_shared(one: Storage, other: Storage | None) -> cython.bint:
    """Return whether others see the memory of both, so that both may be the same memory."""
    shared = one.device.shared
    if not shared or other is None or one is other:
        return False
    return one.serial in shared and other.serial in shared
