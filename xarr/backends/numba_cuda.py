"""NVIDIA GPUs beside Numba's kernels, without CuPy.

With Numba-CUDA memory comes from Numba's manager, or the plug-in that replaces it, and work goes to
Numba's default stream. With Numba-CUDA-MLIR, which calls both deprecated and takes any stream,
xarr's own serve. Numba is imported when devices are looked for.
"""

from __future__ import annotations

import contextlib
import importlib.util
from typing import Any, Final

from xarr.backends import cuda_bindings, cuda_devices, cuda_native, nvidia
from xarr.backends.base import DeviceInfo, Discovery

_INSTALL: Final = (
    'pip install "numba-cuda[cu13]" "nvmath-python[cu13]" (12 in the place of 13 for drivers '
    'before 580; "numba-cuda-mlir[cu13]" is accepted as well)'
)


class NumbaDriver(cuda_native.NativeDriver):
    """One CUDA device whose context, first stream and memory are Numba-CUDA's."""

    def __init__(self, info: DeviceInfo) -> None:
        from numba import cuda as numba_cuda

        super().__init__(info)
        self._numba = numba_cuda.gpus[info.index].get_primary_context()
        stream = self._numba.get_default_stream()
        number = int(getattr(stream.handle, "value", stream.handle) or 0)
        self._default = cuda_native.NativeStream(self.named(number))
        self._has_swapped = self._default.pointer != self.default_stream

    def reserved(self, nbytes: int) -> tuple[int, Any]:
        """Memory of Numba's manager: its address, and what frees it when it is dropped."""
        from numba.cuda.cudadrv.driver import CudaAPIError

        try:
            with self.context:
                owner = self._numba.memalloc(nbytes)
        except CudaAPIError as error:
            if int(error.code) == cuda_bindings.OUT_OF_MEMORY:
                raise MemoryError(str(error)) from error
            raise
        return int(owner.device_pointer_value), owner

    def release_memory(self) -> None:
        """Give the blocks that are held for reuse back to Numba, and through it to the system."""
        super().release_memory()
        with self.context, contextlib.suppress(AttributeError):  # plug-ins need not put it off
            self._numba.deallocations.clear()


def discover() -> Discovery:
    """All CUDA devices, if one of Numba's two modules is installed and a driver is found."""
    # The packages' own names tell without loading Numba, which may fail.
    own = importlib.util.find_spec("numba_cuda") is not None
    if not own and importlib.util.find_spec("numba_cuda_mlir") is None:
        return Discovery([], [f"Numba-CUDA is not installed; {_INSTALL}"])
    problem = cuda_bindings.missing()
    if problem:
        return Discovery([], [problem])
    found = _found_by_numba() if own else cuda_native.found("numba", _INSTALL)
    lacking = nvidia.missing()
    if found.devices and lacking:
        found.problems.append(f"{lacking}; {_INSTALL}")
    return found


def _found_by_numba() -> Discovery:
    try:
        from numba import cuda as numba_cuda

        if not numba_cuda.is_available():
            error = getattr(numba_cuda, "cuda_error", lambda: None)() or "no driver is available"
            return Discovery([], [f"Numba-CUDA finds no device: {error}"])
        count = len(numba_cuda.gpus)
    except Exception as error:  # noqa: BLE001 - whatever Numba's loading of the driver raises
        return Discovery([], [f"Numba-CUDA finds no device ({type(error).__name__}: {error})"])
    return cuda_devices.discovered("numba", count, NumbaDriver, _INSTALL)
