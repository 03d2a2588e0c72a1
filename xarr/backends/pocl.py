"""Amendments to PoCL's platform: the name of a processor, a second device for small work.

PoCL's wheel has LLVM 14, which calls a processor that it does not know (AMD's Zen 5, say) "generic"
and then refuses that name, so that no kernel compiles (https://github.com/pocl/pocl/issues/1049).
PoCL 3.0 has no setting for it. Such a device is given the name of an older processor with the same
instructions instead, one for which PoCL's own library of functions is compiled.

PoCL's device `pthread` hands a launch to its threads, for 20 to 30 us. Its device `basic` runs it
in the caller's thread, in one context on the same buffers. Both run the same machine code: their
binaries differ in a label only, a hash of the name by which PoCL knows a device.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from xarr.backends.processor import features

PARAMETER_NBYTES: Final = 4096
"""A kernel's arguments. PoCL says 1,024, the least that OpenCL allows, and takes any number."""
_UNKNOWN: Final = b"generic\0"
_DESCRIPTION_NBYTES: Final = 2048
"""More than PoCL's description of a device takes; what else points to the name lies behind it."""
_PROCESSORS: Final = (
    ("haswell", ("avx2", "fma", "f16c", "bmi1", "bmi2", "movbe", "abm")),
    ("x86-64", ()),
)
"""LLVM's names of processors, and Linux's names of the instructions that they have.

None has AVX-512. LLVM makes a load under a mask of each comparison that is stored, and AMD's
Zen 5 takes 300 ns for one whose mask is empty: `x > 2`, where nothing is, took 37 ns an element
instead of 0.2, and a cumulative sum twice as long. Of 21 kernels exp and sum of float32 gained a
third by it, the others nothing.
"""
_MAGIC: Final = b"poclbin\0"


def name_processor(device: Any) -> None:
    """Give a device whose processor PoCL's compiler does not know one that it knows."""
    wanted = stand_in(device)
    if wanted is None:
        return
    with contextlib.suppress(OSError):
        places = _places_of(_UNKNOWN, device.int_ptr)
        if places:  # else this PoCL is another one, and its own error says what fails
            copied = ctypes.CDLL(None).strdup
            copied.restype = ctypes.c_void_p
            name = copied(wanted.encode())
            ctypes.c_void_p.from_address(places[0]).value = name


def stand_in(device: Any) -> str | None:
    """The substitute that PoCL's compiler knows for a device's processor; None of a known one."""
    if platform.machine() != "x86_64" or not device.version.strip().endswith("-generic"):
        return None
    return processor(features())


def processor(known: frozenset[str]) -> str:
    """The newest processor of PoCL's library that has no instructions beyond these."""
    return next(name for name, needed in _PROCESSORS if known.issuperset(needed))


def _places_of(text: bytes, address: int) -> list[int]:
    """The offsets in the description of a device of pointers to a text."""
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


def with_inline(registrations: Sequence[Path]) -> dict[str, str]:
    """The variables that let PoCL's wheel have both devices; none if the user chose devices.

    `registrations` are the files that name the drivers of the system. With another PoCL among them
    the variables would hide devices of that one.
    """
    if "POCL_DEVICES" in os.environ or importlib.util.find_spec("pocl_binary_distribution") is None:
        return {}
    for file in registrations:
        with contextlib.suppress(OSError):
            if "pocl" in file.read_text(errors="replace"):
                return {}
    return {"POCL_DEVICES": "pthread basic"}


def apart(devices: Sequence[Any]) -> tuple[list[Any], Any]:
    """PoCL's devices without the one that runs in the caller's thread, and that one, or None."""
    inline = [device for device in devices if _known_as(device).startswith(b"basic-")]
    rest = [device for device in devices if device not in inline]
    if len(inline) == 1 and len(rest) == 1:
        return rest, inline[0]
    return list(devices), None


def label(device: Any) -> bytes:
    """The label of binaries for a device: FNV-1 of its name."""
    value = 0xCBF29CE484222325
    for character in _known_as(device):
        value = (value * 0x100000001B3 % (1 << 64)) ^ character
    return value.to_bytes(8, "little")


def relabelled(binary: bytes, given: bytes, wanted: bytes) -> bytes | None:
    """A binary with another label; None where it is no binary with the label that is given."""
    if not binary.startswith(_MAGIC + given):
        return None
    return _MAGIC + wanted + binary[len(_MAGIC + given) :]


def _known_as(device: Any) -> bytes:
    """The name by which PoCL knows a device, as pthread-x86_64-unknown-linux-gnu-haswell."""
    return str(device.version).partition("HSTR:")[2].strip().encode()
