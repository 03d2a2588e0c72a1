"""CUDA's bindings for Python, imported at first use, and what a status of theirs means."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import sys
from typing import Any, Final

from xarr.errors import message

LIBRARY: Final = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
OUT_OF_MEMORY: Final = 2
"""The status of the driver and of the runtime where memory is short, CUDA's and ROCm's."""


def missing() -> str:
    """Why no CUDA device can be there, without loading a library that would look for one."""
    return _unloadable(LIBRARY, "NVIDIA")


def missing_rocm() -> str:
    """Why no device of ROCm's can be there."""
    return _unloadable("libamdhip64.so", "AMD")


def _unloadable(library: str, vendor: str) -> str:
    try:
        ctypes.CDLL(library)
    except OSError as error:
        return f"{vendor}'s driver does not load ({error})"
    return ""


def device_handle(cuda: Any, index: int) -> Any:
    """Return the driver's handle of a device."""
    return checked(cuda.cuDeviceGet(index))


def bindings(name: str) -> Any:
    """Import a module of the bindings, which `sys.modules` keeps: "driver" or "nvrtc"."""
    return importlib.import_module(f"cuda.bindings.{name}")


def core_device(index: int) -> Any:
    """Return cuda.core's `Device` of a number, made current; AttributeError where it is absent."""
    try:
        core = importlib.import_module("cuda.core")
    except ImportError as error:
        fault = f"cuda.core does not load ({error})"
        raise AttributeError(message("device.cuda", fault, "", "pip install cuda-core")) from error
    found = core.Device(index)
    found.set_current()
    return found


def checked(answer: tuple[Any, ...]) -> Any:
    """The results of a call of the CUDA bindings besides its status."""
    status, *values = answer
    if status:
        raise RuntimeError(name_of(status))
    return values[0] if len(values) == 1 else tuple(values)


def name_of(status: Any) -> str:
    """Return a status as the driver names it."""
    return str(getattr(status, "name", status))
