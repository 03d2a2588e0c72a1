# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Storages: buffers of a device, whose memory may not be there yet.

A storage knows how many bytes it has, never shapes or data types; the tape says who holds one.
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

ALIVE: Final = -1
"""What the tape says of a storage that somebody holds."""
DEAD: Final = -2
"""Of one that nobody holds; of its own memory, if it has some, it says how many bytes instead."""
WIDE: Final = -10
"""What is added where a storage has so many bytes that kernels count with 64 bits."""
SWAPPABLE: Final = -100
"""What it says less the bytes of a storage that is held, and written over most of it by a list, if
other memory may take the place of its own: nobody else sees that."""


def is_held(state: int) -> bool:
    """Whether somebody holds a storage of which the tape says this."""
    return state <= SWAPPABLE or state in (ALIVE, ALIVE + WIDE)


def is_wide(state: int) -> bool:
    """Whether kernels count the bytes of a storage of which it says this with 64 bits."""
    wide = state >= layout.WIDE or state <= SWAPPABLE - layout.WIDE
    return wide or state in (ALIVE + WIDE, DEAD + WIDE)


_serial = cython.declare(cython.Py_ssize_t, 0)


@cython.freelist(64)
@cython.cclass
class Storage:
    """A buffer on one device, whose memory is there from the first instruction on that writes it.

    A storage knows how many bytes it has, never shapes or data types. Only views and the device's
    tape hold it, so a storage that nothing but the tape holds is dead.

    Attributes
    ----------
    buffer : object or None
        The driver's memory, or an array of NumPy's that no driver knows; None before an instruction
        has run that writes it.
    lender : object or None
        What the memory belongs to, where it is not the device's own.
    selected : object or None
        What the memory selected when it was a mask, how it lay and what `writes` was.
    writes : int
        How often it was written to, or others may have written to it.
    mark : int
        What the tape has put here while an instruction on it writes the storage.
    """

    __weakref__: object
    buffer: Any
    device: Any
    lender: Any
    selected: Any
    _windows: dict[Any, Any] | None
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
        """Have what is in NumPy's memory in the driver's.

        It is copied, since NumPy's memory would not wait for kernels that use it.
        """
        if type(self.buffer) is not _ndarray:
            return
        with self.device.lock:
            memory = self.buffer
            if type(memory) is _ndarray:
                buffer = room(self.device, self.nbytes)
                self.device.driver.upload(buffer, 0, memory)
                self.buffer = buffer

    @cython.ccall
    def window(self, form: object) -> Any:
        """The memory as numbers of a format of the struct module's; see `Driver.window`."""
        memory = self.buffer
        if memory is None:
            return None
        driver = None if type(memory) is _ndarray else self.device.driver
        if driver is not None and not driver.stable_addresses:
            return driver.window(memory, form)
        windows: dict[Any, Any] | None = self._windows
        if windows is None or windows[None] is not memory:
            # In one step: whoever reads an element holds no lock.
            windows = self._windows = {None: memory}
        found = windows.get(form)
        if found is None:
            if driver is not None:
                found = driver.window(memory, form)
            else:
                found = memory.reshape(-1).view(numpy.uint8).data.cast(form)
            windows[form] = found
        return found


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
def room(device: Any, nbytes: cython.Py_ssize_t) -> object:
    """Memory of the driver's; where it is short, garbage is collected and the pool given back."""
    try:
        return device.driver.allocate(nbytes)
    except MemoryError:
        return _found_room(device, nbytes)


def _found_room(device: Device, nbytes: int) -> Any:
    """Memory where there was none at once."""
    driver = device.driver
    for recover in (driver.release_memory, gc.collect):
        recover()
        with suppress(MemoryError):
            return driver.allocate(nbytes)
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
    """The memory of a storage that NumPy may work in, once what was asked of it is done."""
    if type(storage.buffer) is _ndarray:
        return storage.buffer
    memory = storage.device.driver.window(storage.buffer, "B")
    if memory is None:  # NumPy would take None for new memory, and read what lies there
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
    """Return a number that no storage bears as the mark of a list yet."""
    global _list_mark
    _list_mark += 1
    return _list_mark


# A variable of C, as Python's names are gone at the end of the process.
_is_finalizing = cython.declare(object, sys.is_finalizing)


@cython.no_gc
@cython.cclass
class _End:
    """What calls a function when it dies."""

    _function: Any = cython.declare(object)
    _arguments: tuple[Any, ...] = cython.declare(tuple)

    def __init__(self, function: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        self._function = function
        self._arguments = arguments

    def __del__(self) -> None:
        if not _is_finalizing():
            self._function(*self._arguments)


def ended(function: Callable[..., object], *arguments: Any) -> object:
    """Return an object that lives as long as it is held; `function` is called when it dies.

    In garbage that holds it this comes last, when no finalizer can use what goes with it any more:
    the garbage collector does not track it.
    """
    if not cython.compiled:
        token = numpy.empty(0)  # a class of Python's is tracked, and has its `__del__` called first
        weakref.finalize(token, function, *arguments).atexit = False
        return token
    # No Python frame begins, where a signal's handler could raise what nobody would be told of.
    return _End(function, arguments)


def claim(storage: Storage) -> object:
    """Mark a storage as seen by others, see `Device.shared`, as long as the result lives."""
    shared = storage.device.shared
    serial = storage.serial
    with _CLAIMS:
        if serial in shared:
            shared[serial] += 1
        else:
            shared[serial] = 1
    return ended(_unclaim, shared, serial)


def _unclaim(shared: Any, serial: int) -> None:
    # In whichever thread, so without the lock of the device.
    with _CLAIMS:
        shared[serial] -= 1
        if not shared[serial]:
            del shared[serial]


_CLAIMS: Final = threading.RLock()
"""Guards the counts of claims. Nothing is called while it is held, so no garbage is collected."""


@cython.ccall
def are_shared(one: Storage, other: Storage | None) -> cython.bint:
    """Whether others see the memory of both, and may have given the same twice."""
    shared = one.device.shared
    if not shared or other is None or one is other:
        return False
    return one.serial in shared and other.serial in shared
