"""That Oclgrind, as `make check-memory` sets it up, finds what was planted and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.oclgrind import faults

pytestmark = pytest.mark.skipif(
    "OCLGRIND_LOG" not in os.environ, reason="not on Oclgrind; run make check-memory"
)

PROGRAM = r"""
import numpy, pyopencl as cl
(platform,) = [platform for platform in cl.get_platforms() if platform.name == "Oclgrind"]
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context)
kernel = cl.Program(context, '''
__kernel void f(__global const float *x, __global float *y)
{
    uint i = get_global_id(0), l = get_local_id(0);
    __local float t[16];
    %s
}''').build().f
x = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=numpy.ones(64, numpy.float32))
y = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
kernel(queue, (64,), (16,), x, y)
queue.finish()
"""


@pytest.mark.parametrize(
    ("statements", "fault"),
    [
        ("y[i + 1] = x[i];", "Invalid write of size 4 at global memory"),
        ("y[i] = x[i + 1];", "Invalid read of size 4 at global memory"),
        ("t[l + 1] = x[i]; y[i] = 0;", "Invalid write of size 4 at local memory"),
        ("y[i / 2] = i;", "Write-write data race at global memory"),
        ("t[l] = x[i]; y[i] = t[15 - l];", "Read-write data race at local memory"),
        ("y[i] = y[i] + x[i];", "Uninitialized value written to global memory"),
        ("if (y[i] > 0) y[i] = 1;", "Controlflow depends on uninitialized value"),
        ("if (l > 8) y[i] = t[l]; else y[i] = 0;", "Uninitialized value written to global memory"),
        ("if (l > 8) barrier(CLK_LOCAL_MEM_FENCE); y[i] = 0;", "Work-group divergence detected"),
        ("t[l] = x[i]; barrier(CLK_LOCAL_MEM_FENCE); y[i] = t[15 - l];", None),
    ],
)
def test_a_planted_fault_is_found(statements: str, fault: str | None, tmp_path: Path) -> None:
    log = tmp_path / "log"
    environment = os.environ | {"OCLGRIND_LOG": str(log)}
    command = [sys.executable, "-c", PROGRAM % statements]
    subprocess.run(command, env=environment, check=True)
    found = faults(log.read_text())
    if fault is None:
        assert found == []
    else:
        assert any(report.startswith(fault) for report in found), found[:1]
