"""That the compiler behind test_cuda_compile.py accepts, refuses and keeps the policy."""

import ctypes

import pytest

from tests.kernels.nvrtc import compile_cuda
from xarr.backends import cuda_bindings
from xarr.errors import CompileError

SOURCE = """
extern "C" __global__ void axpy(const float *__restrict__ x, float *y, unsigned n, float a)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + sqrtf(y[i]) / x[i];
}
"""


@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_a_kernel_becomes_a_cubin(arch: str) -> None:
    assert compile_cuda(SOURCE, arch).startswith(b"\x7fELF")


def test_an_error_shows_the_log_and_the_numbered_source() -> None:
    with pytest.raises(CompileError, match=r'"z" is undefined') as caught:
        compile_cuda(SOURCE.replace("a * x", "a * z"), "sm_90")
    assert "> 6 |         y[i] = a * z[i]" in str(caught.value)
    assert "-fmad=false" in str(caught.value)


def test_contraction_is_off() -> None:
    assert compile_cuda(SOURCE, "sm_90") != compile_cuda(SOURCE, "sm_90", ["-fmad=true"])


def test_a_machine_without_a_driver_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", refused)
    assert "NVIDIA's driver does not load" in cuda_bindings.missing()
