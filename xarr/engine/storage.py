"""A device buffer and who shares it.

A storage knows how many bytes it has and on which device, never shapes or data types. It answers
whether another array sees it, which decides whether an in-place operator may rebind. Pending
expressions name the storages they read by `serial`, so no reference cycle arises.
"""

from __future__ import annotations

import itertools
import weakref
from typing import TYPE_CHECKING, Any, Final

from xarr import garbage

if TYPE_CHECKING:
    from xarr.backends.device import Device

_SERIALS: Final = itertools.count(1)


class Storage:
    """A buffer on one device."""

    __slots__ = (
        "buffer",
        "device",
        "nbytes",
        "owner",
        "read_only",
        "reads",
        "serial",
        "viewers",
        "writes",
    )

    def __init__(self, device: Device, nbytes: int, buffer: Any) -> None:
        self.device = device
        self.nbytes = nbytes
        self.buffer = buffer
        self.serial = next(_SERIALS)
        self.reads = frozenset((self.serial,))
        self.viewers: list[weakref.ref[Any]] = []
        self.owner: Any = None  # what the memory belongs to, where it is not the device's own
        self.read_only = False
        self.writes = 0  # how often it was written to after it was made

    def add_viewer(self, viewer: weakref.ref[Any]) -> None:
        """Record an array that lies in this storage."""
        viewers = self.viewers
        if len(viewers) >= 16 and len(viewers).bit_count() == 1:
            self._forget_the_dead()
        viewers.append(viewer)

    def seen_beyond(self, array: object) -> bool:
        """Whether an array other than `array` lies in this storage, or others see its memory."""
        if self.serial in self.device.shared or garbage.is_collecting():
            return True
        self._forget_the_dead()
        return any(viewer() is not array for viewer in self.viewers)

    def _forget_the_dead(self) -> None:
        alive = []
        for viewer in self.viewers:
            array = viewer()
            if array is not None and array._node.storage is self:
                alive.append(viewer)
        self.viewers[:] = alive
