"""Compile CUDA C on a machine that needs no GPU: NVRTC is a compiler in a wheel."""

import functools
from collections.abc import Sequence
from typing import Any

import pytest

# The numerics policy: no contraction, denormals kept, correctly rounded division and root.
OPTIONS = ("-fmad=false", "-ftz=false", "-prec-div=true", "-prec-sqrt=true", "-default-device")


class CudaCompileError(Exception):
    """NVRTC refused a source; the message is its log and the numbered source."""


@functools.cache
def load() -> Any:
    """Return the module cuda.bindings.nvrtc; skip the calling test where its wheels are absent."""
    nvrtc = pytest.importorskip("cuda.bindings.nvrtc", reason="cuda-bindings is not installed")
    try:
        nvrtc.nvrtcVersion()
    except RuntimeError as error:
        # cuda-pathfinder's DynamicLibNotFoundError is a RuntimeError.
        pytest.skip(f"NVRTC's library is absent (pip install nvidia-cuda-nvrtc): {error}")
    return nvrtc


def compile_cuda(source: str, arch: str, options: Sequence[str] = OPTIONS) -> bytes:
    """Return the cubin of `source` for `arch`, for example "sm_90".

    Raises
    ------
    CudaCompileError
        With the compiler's log and the numbered source, when it does not compile.
    """
    nvrtc = load()
    program = _checked(nvrtc, nvrtc.nvrtcCreateProgram(source.encode(), b"xarr.cu", 0, [], []))
    arguments = [f"--gpu-architecture={arch}".encode(), *(option.encode() for option in options)]
    try:
        (status,) = nvrtc.nvrtcCompileProgram(program, len(arguments), arguments)
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = bytearray(_checked(nvrtc, nvrtc.nvrtcGetProgramLogSize(program)))
            _checked(nvrtc, nvrtc.nvrtcGetProgramLog(program, log))
            text = log.rstrip(b"\0").decode()
            lines = "\n".join(f"{i:4} {line}" for i, line in enumerate(source.splitlines(), 1))
            raise CudaCompileError(f"{arch} {' '.join(options)}\n{text}\n{lines}")
        cubin = bytearray(_checked(nvrtc, nvrtc.nvrtcGetCUBINSize(program)))
        _checked(nvrtc, nvrtc.nvrtcGetCUBIN(program, cubin))
        return bytes(cubin)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def _checked(nvrtc: Any, answer: tuple[Any, ...]) -> Any:
    status, *values = answer
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise CudaCompileError(f"NVRTC answered {status}")
    return values[0] if values else None
