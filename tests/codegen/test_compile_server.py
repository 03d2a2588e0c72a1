"""Kernels that another process compiles, so that the program goes on meanwhile."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import xarr
from tests.processes import run_code
from xarr.codegen import compile_server
from xarr.errors import CompileError


@pytest.fixture
def helper() -> Iterator[compile_server.ServerProcess]:
    made = compile_server.ServerProcess()
    yield made
    made.end()


SOURCE: Final = """
#ifdef __OPENCL_VERSION__
__kernel void nothing(__global int *x) {{ x[get_global_id(0)] = {number}; }}
#elif defined(__CUDACC_RTC__)
extern "C" __global__ void nothing(int *x) {{ x[threadIdx.x] = {number}; }}
#else
void xr_run_nothing(int *const *values) {{ values[0][0] = {number}; }}
#endif
"""


def test_another_process_that_is_nobodys_child_compiles(
    helper: compile_server.ServerProcess,
) -> None:
    device = xarr.default_device()
    for number in (3, 5):
        binary = helper.compile(device, SOURCE.format(number=number))
        device.driver.load(binary, "nothing")
    assert helper._pipes is not None
    if sys.platform == "linux":
        ours = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
        lines = [Path(f"/proc/{child}/cmdline").read_bytes() for child in ours]
        assert not [line for line in lines if b"compiling" in line]


def test_what_another_process_cannot_do_this_one_does(
    helper: compile_server.ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = xarr.default_device()
    with pytest.raises(CompileError, match="undeclared|undefined"):
        helper.compile(device, SOURCE.format(number="absent"))
    assert helper._pipes is not None
    os.write(helper._pipes[0], b"nonsense of sixteen bytes or more, which ends it")
    assert helper.compile(device, SOURCE.format(number=7))
    assert helper._pipes is None
    for executable in ("/nowhere/python", "/usr/bin/true", ""):
        monkeypatch.setattr(sys, "executable", executable)
        other = compile_server.ServerProcess()
        assert other.compile(device, SOURCE.format(number=9))
        assert other._pipes is None


@pytest.mark.parametrize("ending", ["", "import os; os.fork() or os._exit(0); os.wait()"])
def test_a_process_ends_while_a_compiler_is_at_work(ending: str) -> None:
    if ending and sys.platform == "win32":
        pytest.skip("there is no fork")
    code = f"""
    import os
    os.environ["XARR_TIERS"] = ""
    import xarr
    x = xarr.arange(1000) * 1.5
    for _ in range(10):
        x = x * {time.time()} + 1
        xarr.synchronize()
    {ending}
    print("the end")
    """
    done = run_code(code)
    assert done.returncode == 0
    assert done.stdout.split("\\n")[0].strip() == "the end", done.stderr
