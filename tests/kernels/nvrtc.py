"""Compile CUDA C on a machine that needs no GPU: NVRTC is a compiler in a wheel."""

from collections.abc import Sequence

import pytest

from xarr.backends import cuda_compiler


def compile_cuda(source: str, arch: str, options: Sequence[str] = ()) -> bytes:
    """Return the cubin of `source` for `arch`, as "sm_90"; skip where NVRTC is absent."""
    pytest.importorskip("cuda.bindings.nvrtc", reason="cuda-bindings is not installed")
    try:
        cuda_compiler.nvrtc_version()
    except RuntimeError as error:
        # cuda-pathfinder's DynamicLibNotFoundError is a RuntimeError.
        pytest.skip(f"NVRTC's library is absent (pip install nvidia-cuda-nvrtc): {error}")
    return cuda_compiler.compile_cubin(source, arch, options)
