"""A buffer on one device, whose memory is there from the first instruction on that writes it.

A storage knows how many bytes it has and on which device, never shapes or data types. Only views
and the device's tape hold it, so a storage that nothing but the tape holds is dead.
"""

from __future__ import annotations

import gc
import itertools
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import errors

if TYPE_CHECKING:
    from xarr.backends.device import Device

_SERIALS: Final = itertools.count(1)


class Storage:
    """A buffer on one device.

    Attributes
    ----------
    buffer : object or None
        The driver's memory, or an array of NumPy's that no driver knows; None before an instruction
        has run that writes it.
    lender : object or None
        What the memory belongs to, where it is not the device's own.
    selected : object or None
        What the memory selected when it was a mask, how it lay and what `writes` was.
    mark : object
        What the tape has put here while an instruction on it writes the storage.
    tape, slot : object, int
        The list that names the storage, and by which number.
    """

    __slots__ = (
        "__weakref__",
        "_windows",
        "buffer",
        "device",
        "lender",
        "mark",
        "nbytes",
        "read_only",
        "selected",
        "serial",
        "slot",
        "tape",
        "writes",
    )

    slot: int

    def __init__(self, device: Device, nbytes: int, buffer: Any = None) -> None:
        self.device = device
        self.nbytes = nbytes
        self.buffer = buffer
        self.serial = next(_SERIALS)
        self.writes = 0  # how often it was written to, or others may have written to it
        self.lender: Any = None
        self.tape: Any = None
        self.mark: Any = None
        self.selected: Any = None
        self.read_only = False
        self._windows: dict[str, memoryview] | None = None

    @property
    def is_seen(self) -> bool:
        """Whether others see the memory, or a graph writes it, so that its content may change."""
        device = self.device
        return self.serial in device.shared or id(self.buffer) in device.kept

    def settle(self) -> None:
        """Have what is in NumPy's memory in the driver's.

        It is copied, since NumPy's memory would not wait for kernels that use it.
        """
        if type(self.buffer) is not numpy.ndarray:
            return
        with self.device.lock:
            memory = self.buffer
            if type(memory) is numpy.ndarray:
                buffer = room(self.device, self.nbytes)
                self.device.driver.upload(buffer, 0, memory)
                self.buffer, self._windows = buffer, None

    def window(self, form: str) -> memoryview | None:
        """The memory as numbers of a format of the struct module's; see `Driver.window`."""
        memory = self.buffer
        found: memoryview | None = None
        if type(memory) is numpy.ndarray:
            if self._windows is None:
                self._windows = {}
            found = self._windows.get(form)
            if found is None:
                bytes_of = memory.reshape(-1).view(numpy.uint8).data
                found = self._windows[form] = bytes_of.cast(form)  # type: ignore[call-overload]
        elif memory is not None:
            found = self.device.driver.window(memory, form)
        return found


def room(device: Device, nbytes: int) -> Any:
    """Memory of the driver's; where it is short, garbage is collected and the pool given back."""
    try:
        return device.driver.allocate(nbytes)
    except MemoryError:
        return _found(device, nbytes)


def _found(device: Device, nbytes: int) -> Any:
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
