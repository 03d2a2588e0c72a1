"""NVIDIA GPUs through CuPy: its memory, its streams, its libraries.

The user's allocator and current stream are honoured. CuPy is imported when devices are looked for,
so that importing xarr needs no driver.
"""

from __future__ import annotations

import importlib.util
from typing import Any

from xarr.backends import cuda
from xarr.backends.base import DeviceInfo, Discovery

_INSTALL = 'pip install "xarr[cuda13]" (or cuda12, for older drivers)'


class CupyDriver(cuda.CudaDriver):
    """One CUDA device whose memory and streams are CuPy's."""

    def __init__(self, info: DeviceInfo) -> None:
        import cupy

        self._cupy = cupy
        self._device = cupy.cuda.Device(info.index)
        super().__init__(info)

    def current_stream(self) -> int:
        """The handle of CuPy's current stream."""
        return int(self._cupy.cuda.get_current_stream(self.info.index).ptr)

    def take(self, nbytes: int) -> Any:
        """A block of CuPy's current allocator."""
        with self._device:
            return self._cupy.cuda.alloc(nbytes)

    def pointer(self, buffer: Any) -> int:
        """Where a block is."""
        return buffer.ptr  # type: ignore[no-any-return]

    def used_nbytes(self) -> tuple[int, int]:
        """The bytes of CuPy's default pool that are in use, by whomever, and that it holds."""
        with self._device:
            pool = self._cupy.get_default_memory_pool()
            return pool.used_bytes(), pool.free_bytes()

    def release_memory(self) -> None:
        """Give the blocks that CuPy's default pool holds back to the system."""
        with self._device:
            self._cupy.get_default_memory_pool().free_all_blocks()


def discover() -> Discovery:
    """All CUDA devices, if CuPy is installed and finds a driver."""
    if importlib.util.find_spec("cupy") is None:
        return Discovery([], [f"CuPy is not installed; {_INSTALL}"])
    problem = cuda.missing()
    if problem:
        return Discovery([], [problem])
    try:
        import cupy

        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # noqa: BLE001 - whatever CuPy's loading of its libraries raises
        return Discovery([], [f"CuPy finds no device ({type(error).__name__}: {error})"])
    return cuda.discovered("cupy", count, CupyDriver, _INSTALL)
