"""The devices that CuPy finds: NVIDIA's, or AMD's."""

from __future__ import annotations

import functools
import importlib.util

from xarr.backends import cuda_bindings, cuda_devices, hip
from xarr.backends.base import Discovery
from xarr.backends.cupy import CupyDriver

_INSTALL = (
    'pip install "cupy-cuda13x[ctk]" "cuda-bindings==13.*" (12 in the place of 13 for drivers '
    "before 580; cupy-rocm-7-0 for AMD's GPUs)"
)


def discover() -> Discovery:
    """All CUDA devices, if CuPy is installed and finds a driver."""
    if importlib.util.find_spec("cupy") is None:
        return Discovery([], [f"CuPy is not installed; {_INSTALL}"])
    problem = cuda_bindings.missing()
    if problem and cuda_bindings.missing_rocm():
        return Discovery([], [problem])
    try:
        import cupy

        runtime = cupy.cuda.runtime
        count = runtime.getDeviceCount()
    except Exception as error:  # noqa: BLE001 - whatever CuPy's loading of its libraries raises
        return Discovery([], [f"CuPy finds no device ({type(error).__name__}: {error})"])
    if runtime.is_hip:
        described = functools.partial(hip.describe, runtime)
        return cuda_devices.discovered("cupy", count, hip.HipDriver, _INSTALL, described)
    return cuda_devices.discovered("cupy", count, CupyDriver, _INSTALL)
