"""A buffer on one device, whose memory is there from the first instruction on that writes it.

A storage knows how many bytes it has and on which device, never shapes or data types. Only views
and the device's tape hold it, so a storage that nothing but the tape holds is dead.
"""

from __future__ import annotations

import gc
import itertools
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from xarr import errors

if TYPE_CHECKING:
    from xarr.backends.device import Device

_SERIALS: Final = itertools.count(1)


class Storage:
    """A buffer on one device.

    Attributes
    ----------
    buffer : object or None
        The driver's memory; None before an instruction has run that writes it.
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
            f"{nbytes} bytes were asked for",
            f"the device has {info['total_nbytes']} bytes, {info['used_nbytes']} of them in live "
            "arrays",
            "delete arrays that are no longer needed, or work in smaller pieces",
        )
    )
