"""AMD's and Intel's compilers, which need no card of theirs: what they make of a kernel's text.

AMD's is a library, hiprtc, and Intel's a program, ocloc. Where kernels come from is not known here.
"""

from __future__ import annotations

import ctypes
import functools
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from xarr.backends import hip

OPENCL_OPTIONS = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
"""What `base_options` gives a driver that rounds divisions and roots, as Intel's does."""


@dataclass(frozen=True)
class Target:
    """A GPU: what its compiler calls it, and how much of it a kernel may take."""

    name: str
    registers: int
    local_nbytes: int
    platform: str = ""
    """What Intel's disassembler calls it; empty where it is AMD's."""
    has_float64: bool = True

    @property
    def dialect(self) -> str:
        """The dialect that the backend of this vendor compiles."""
        return "opencl" if self.platform else "cuda"

    def fused(self, code: str) -> list[str]:
        """The instructions that multiply and add floating-point numbers."""
        intel, amd = r".*\bmad \(.*?>:(?:f|df|hf)\b.*", r"\s+v_(?:pk_)?(?:fma|mad|mac)\w*_f\d\d.*"
        return re.findall(rf"^{intel if self.platform else amd}", code, re.MULTILINE)


class Built(NamedTuple):
    """What became of a kernel; sizes are bytes of an item, or of a thread of Intel's."""

    log: str
    """Why it does not compile; empty where it does."""
    code: str = ""
    """The disassembly."""
    registers: int = 0
    spilled: int = 0
    scratch_nbytes: int = 0
    local_nbytes: int = 0


def missing(target: Target) -> str:
    """Why nothing compiles for a target; empty where it does."""
    if target.platform:
        packages = {"ocloc": "intel-opencl-icd", "iga64": "libigc-tools"}
        absent = [name for name in packages if not shutil.which(name)]
        return "; ".join(f"{x} is not installed (Debian's {packages[x]})" for x in absent)
    try:
        names = _known()
    except OSError as error:
        return f"hiprtc is not installed (Debian's libamdhip64-5): {error}"
    if not (_llvm("llvm-objdump") and _llvm("llvm-readelf")):
        return "llvm-objdump is not installed (Debian's llvm-15)"
    return "" if target.name in names else "this compiler does not know it"


def version(target: Target) -> str:
    """Which compiler it is."""
    if not target.platform:
        number = ctypes.c_int()
        _hiprtc().hipRuntimeGetVersion(ctypes.byref(number))
        return f"HIP {number.value}"
    with tempfile.TemporaryDirectory() as scratch:
        command = ("ocloc", "query", "OCL_DRIVER_VERSION")
        subprocess.run(command, cwd=scratch, check=True, capture_output=True)
        return f"ocloc {(Path(scratch) / command[2]).read_text().strip(chr(0)).strip()}"


def compiled(target: Target, text: str) -> Built:
    """Compile a kernel with the options of its backend."""
    return (_by_intel if target.platform else _by_amd)(target, text)


def _by_amd(target: Target, text: str) -> Built:
    rtc, program, size = _hiprtc(), ctypes.c_void_p(), ctypes.c_size_t()
    rtc.hiprtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel", 0, None, None)
    words = [option.encode() for option in (f"--gpu-architecture={target.name}", *hip.OPTIONS)]
    failed = rtc.hiprtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words))
    what = "ProgramLog" if failed else "Code"
    getattr(rtc, f"hiprtcGet{what}Size")(program, ctypes.byref(size))
    result = ctypes.create_string_buffer(size.value)
    getattr(rtc, f"hiprtcGet{what}")(program, result)
    rtc.hiprtcDestroyProgram(ctypes.byref(program))
    if failed:
        return Built(result.value.decode() or "it says nothing")
    with tempfile.NamedTemporaryFile() as file:
        file.write(result.raw)
        file.flush()
        code = _said(_llvm("llvm-objdump"), "-d", file.name)
        notes = _said(_llvm("llvm-readelf"), "--notes", file.name)
    spilled = _figure("vgpr_spill_count", notes) + _figure("sgpr_spill_count", notes)
    sizes = (_figure(f"{part}_segment_fixed_size", notes) for part in ("private", "group"))
    return Built("", code, _figure("vgpr_count", notes), spilled, *sizes)


def _by_intel(target: Target, text: str) -> Built:
    with tempfile.TemporaryDirectory() as scratch:
        given, parts = Path(scratch) / "kernel.cl", Path(scratch) / "parts"
        given.write_text(text)
        parts.mkdir()
        on = ("-device", target.name)
        how = ("-options", OPENCL_OPTIONS, "-out_dir", scratch, "--format", "zebin", "-exclude_ir")
        log = _said("ocloc", "compile", "-file", str(given), *on, *how)
        binaries = list(Path(scratch).glob("*.bin"))
        if not binaries:
            return Built(log or "it says nothing")
        _said("ocloc", "disasm", "-file", str(binaries[0]), *on, "-dump", str(parts))
        (kernel,) = parts.glob(".text.*")
        code = _said("iga64", "-d", f"-p={target.platform}", str(kernel))
        facts = (parts / ".ze_info").read_text()
    spilled = _figure("spilled around", log)
    scratch_nbytes = _figure("size", facts.partition("per_thread_memory_buffers:")[2])
    sizes = (scratch_nbytes, _figure("slm_size", facts))
    return Built("", code, _figure("grf_count", facts), spilled, *sizes)


def _figure(name: str, text: str) -> int:
    found = re.search(rf"\b{name}:?\s+(\d+)", text)
    return int(found[1]) if found else 0


def _said(*command: str) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return done.stdout + done.stderr


def _llvm(name: str) -> str:
    """LLVM's program of this name, the newest; empty where there is none that knows gfx1036."""
    names: Sequence[str] = [f"{name}-{version}" for version in range(30, 14, -1)]
    numbered = next(filter(None, map(shutil.which, names)), "")
    if numbered or not shutil.which(name):
        return numbered
    number = re.search(r"version (\d+)", _said(name, "--version"))
    return name if number and int(number[1]) > 14 else ""


@functools.cache
def _hiprtc() -> ctypes.CDLL:
    return ctypes.CDLL("libamdhip64.so.5")


def _known() -> set[str]:
    """The GPUs that AMD's compiler knows; it crashes if it is asked for another."""
    _hiprtc()
    comgr, count, name = ctypes.CDLL("libamd_comgr.so.2"), ctypes.c_size_t(), ctypes.c_char_p()
    comgr.amd_comgr_get_isa_count(ctypes.byref(count))
    names = set[str]()
    for index in range(count.value):
        comgr.amd_comgr_get_isa_name(ctypes.c_size_t(index), ctypes.byref(name))
        names.add((name.value or b"").decode().rpartition("-")[2])
    return names
