"""The memory of a device, as programs ask for it: what is used, held and left, and who gives it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from xarr.errors import message

if TYPE_CHECKING:
    from xarr.backends.device import Device


class Memory:
    """The memory of a device in bytes: `device.memory`.

    Examples
    --------
    >>> import xarr
    >>> memory = xarr.default_device().memory
    >>> before = memory.used
    >>> x = xarr.ones(1_000_000, dtype="float32") + 0
    >>> xarr.synchronize()
    >>> memory.used - before
    4000000
    >>> memory.trim()
    """

    __slots__ = ("_device",)

    def __init__(self, device: Device) -> None:
        self._device = device

    def _info(self, name: str) -> int:
        return self._device.memory_info()[name]

    @property
    def total(self) -> int:
        """The size of the device's memory."""
        return self._info("total_nbytes")

    @property
    def free(self) -> int:
        """The free bytes, as the driver reports them; else `total` less this process's own."""
        return self._info("free_nbytes")

    @property
    def used(self) -> int:
        """The bytes of arrays."""
        return self._info("used_nbytes")

    @property
    def held(self) -> int:
        """The bytes that the pool keeps for reuse, and the padding of arrays."""
        return self._info("held_nbytes")

    @property
    def peak(self) -> int:
        """The most bytes that arrays have used at one time."""
        return self._info("peak_nbytes")

    @property
    def limit(self) -> int | None:
        """The most bytes that arrays may use, else MemoryError; None for no limit."""
        limit = self._device.driver.limit_nbytes
        return None if limit == math.inf else int(limit)

    @limit.setter
    def limit(self, nbytes: int | None) -> None:
        if nbytes is not None and (type(nbytes) is not int or nbytes < 0):
            raise ValueError(
                message(
                    "memory.limit",
                    f"it is {nbytes!r}",
                    "it must be a number of bytes, 0 or more, or None",
                )
            )
        self._device.driver.limit_nbytes = math.inf if nbytes is None else nbytes

    @property
    def resource(self) -> Any:
        """The allocator of new arrays on a CUDA device; None for xarr's pool.

        A ``MemoryResource`` of cuda.core, as ``cuda.core.ManagedMemoryResource()``, or an object
        whose ``allocate(nbytes)`` gives an address and whose ``deallocate(address, nbytes)`` takes
        it back, as RMM's; both in the order of the default stream. On devices of CuPy's
        ``cupy.cuda.set_allocator`` chooses instead; elsewhere there is no choice: RuntimeError.
        """
        return getattr(self._device.driver, "resource", None)

    @resource.setter
    def resource(self, resource: Any) -> None:
        driver: Any = self._device.driver
        if not hasattr(driver, "resource"):
            remedy = "cupy.cuda.set_allocator" if self._device.backend == "cupy" else ""
            fault = f"{self._device} has no choice of memory"
            raise RuntimeError(message("memory.resource", fault, "cuda and numba have", remedy))
        with self._device.lock:
            driver.resource = resource

    def trim(self) -> None:
        """Wait for the device, and return the held bytes to the system."""
        self._device.synchronize()
        with self._device.lock:
            for reserve in tuple(self._device.driver.reserves):
                reserve.drop()
            self._device.driver.release_memory()

    def __repr__(self) -> str:
        info = self._device.memory_info()
        figures = (f"{name.removesuffix('_nbytes')} {n:,}" for name, n in info.items())
        return f"<Memory of {self._device}: {', '.join(figures)} bytes>"
