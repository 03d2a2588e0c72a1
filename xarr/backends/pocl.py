"""Processors that are newer than PoCL's compiler.

PoCL's wheel has LLVM 14, which calls a processor that it does not know (AMD's Zen 5, say) "generic"
and then refuses that name, so that no kernel compiles (https://github.com/pocl/pocl/issues/1049).
PoCL 3.0 has no setting for it. Such a device is given the name of an older processor with the same
instructions instead: that of those for which PoCL's own library of functions is compiled.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
from pathlib import Path
from typing import Any, Final

_UNKNOWN: Final = b"generic\0"
_DESCRIPTION_NBYTES: Final = 2048
"""More than PoCL's description of a device takes; what else points to the name lies behind it."""
_PROCESSORS: Final = (
    ("skylake-avx512", ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")),
    ("haswell", ("avx2", "fma", "f16c", "bmi1", "bmi2", "movbe", "abm")),
    ("x86-64", ()),
)
"""What LLVM calls processors, and what Linux calls the instructions that they have."""


def name_processor(device: Any) -> None:
    """Give a device whose processor PoCL's compiler does not know one that it knows."""
    if platform.machine() != "x86_64" or not device.version.strip().endswith("-generic"):
        return
    with contextlib.suppress(OSError):
        places = _places_of(_UNKNOWN, device.int_ptr)
        if places:  # else this PoCL is another one, and its own error says what fails
            copied = ctypes.CDLL(None).strdup
            copied.restype = ctypes.c_void_p
            name = copied(processor(_features()).encode())
            ctypes.c_void_p.from_address(places[0]).value = name


def processor(features: frozenset[str]) -> str:
    """The newest processor of PoCL's library that has no instructions beyond these."""
    return next(name for name, needed in _PROCESSORS if features.issuperset(needed))


def _features() -> frozenset[str]:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    flags = next((line for line in lines if line.startswith("flags")), "")
    return frozenset(flags.partition(":")[2].split())


def _places_of(text: bytes, address: int) -> list[int]:
    """Where in the description of a device a pointer to a text stands."""
    # Read as a file: what is no pointer gives an error, not a crash.
    memory = os.open("/proc/self/mem", os.O_RDONLY)
    try:
        description = os.pread(memory, _DESCRIPTION_NBYTES, address)
        found = []
        for offset in range(0, len(description) - 7, 8):
            pointer = int.from_bytes(description[offset : offset + 8], "little")
            with contextlib.suppress(OSError, OverflowError):
                if os.pread(memory, len(text), pointer) == text:
                    found.append(address + offset)
        return found
    finally:
        os.close(memory)
