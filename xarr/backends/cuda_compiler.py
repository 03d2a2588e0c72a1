"""Compilation of CUDA C by NVRTC, without a GPU: options, headers, and what the compiler says."""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from xarr.backends.cuda_bindings import bindings, checked
from xarr.errors import CompileError

OPTIONS: Final = (
    "-fmad=false",
    "-ftz=false",
    "-prec-div=true",
    "-prec-sqrt=true",
    "-default-device",
)
"""The numerics policy: no contraction, denormals kept, correctly rounded division and root."""


def compile_cubin(source: str, arch: str, options: Sequence[str] = ()) -> bytes:
    """Compile CUDA C for an architecture, as "sm_90"; needs no GPU; raises `CompileError`."""
    return compile_own_cubin(source, arch, options, ())[0]


def compile_own_cubin(
    source: str, arch: str, options: Sequence[str], names: Sequence[str]
) -> tuple[bytes, str]:
    """A cubin and what the compiler says; before the cubin stand the names that C++ gives kernels.

    Those of `names`, which `CudaDriver.load` takes, as a line of JSON.
    """
    nvrtc = bindings("nvrtc")
    program = checked(nvrtc.nvrtcCreateProgram(source.encode(), b"xarr.cu", 0, [], []))
    options = (f"--gpu-architecture={arch}", *OPTIONS, *options)
    try:
        for name in names:
            checked(nvrtc.nvrtcAddNameExpression(program, name.encode()))
        (status,) = nvrtc.nvrtcCompileProgram(
            program, len(options), [option.encode() for option in options]
        )
        log = bytearray(checked(nvrtc.nvrtcGetProgramLogSize(program)))
        checked(nvrtc.nvrtcGetProgramLog(program, log))
        text = log.rstrip(b"\0").decode()
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise CompileError(device=arch, options=options, log=text or str(status), source=source)
        cubin = bytearray(checked(nvrtc.nvrtcGetCUBINSize(program)))
        checked(nvrtc.nvrtcGetCUBIN(program, cubin))
        mangled = {
            name: checked(nvrtc.nvrtcGetLoweredName(program, name.encode())).decode()
            for name in names
        }
        head = f"{json.dumps(mangled)}\n".encode() if names else b""
        return head + bytes(cubin), text
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def header_folders() -> tuple[str, ...]:
    """Options for the headers that programs' own kernels include: the toolkit's and CuPy's."""
    from cuda import pathfinder

    found = [pathfinder.find_nvidia_header_directory(name) for name in ("cudart", "cccl")]
    cupy = importlib.util.find_spec("cupy")
    if cupy is not None and cupy.origin is not None:
        found.append(str(Path(cupy.origin).parent / "_core" / "include"))
    return tuple(f"--include-path={folder}" for folder in found if folder is not None)


def nvrtc_version() -> str:
    """The version of the compiler, as "13.0"."""
    major, minor = checked(bindings("nvrtc").nvrtcVersion())
    return f"{major}.{minor}"
