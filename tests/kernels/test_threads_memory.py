"""Accesses beyond arrays, and races, of kernels by threads are found: `make check-memory`.

The kernels without a fault are the examples of test_threads.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.oclgrind import faults

SIMULATED = "OCLGRIND_LOG" in os.environ
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
pytestmark = pytest.mark.skipif(
    not (SIMULATED or SANITIZED), reason="no simulator or sanitizer checks; run make check-memory"
)

PROGRAM = """
import numpy
import xarr
from tools.oclgrind import pytest_configure
from xarr import kernel as cuda

if {}:
    pytest_configure()

@cuda.jit
def planted(x, y):
    t = cuda.shared.array(16, x.dtype)
    i = cuda.grid(1)
    k = cuda.threadIdx.x
    {}

x, y = (xarr.asarray(numpy.ones(64, "float32")) for _ in range(2))
planted[4, 16](x, y)
y.tolist()
"""
PLANTED = [
    ("y[i + 1] = x[i]", "Invalid write of size 4 at global memory", "heap-buffer-overflow"),
    ("y[i] = x[i + 1]", "Invalid read of size 4 at global memory", "heap-buffer-overflow"),
    ("y[-65] = x[i]", "Invalid write of size 4 at global memory", "heap-buffer-overflow"),
    ("t[k + 1] = x[i]", "Invalid write of size 4 at local memory", "index 16 out of bounds"),
    ("y[i // 2] = i", "Write-write data race at global memory", None),
    ("t[k] = x[i]; y[i] = t[15 - k]", "Read-write data race at local memory", None),
    ("y[i] = t[k]", "Uninitialized value written to global memory", None),
    ("t[k] = x[i]; cuda.syncthreads(); y[i] = t[15 - k]", None, None),
]
"""Statements, what Oclgrind says of them, and what the C compiler's sanitizers say."""


@pytest.mark.parametrize(("statements", "simulated", "sanitized"), PLANTED)
def test_a_planted_fault_is_found(
    statements: str, simulated: str | None, sanitized: str | None, tmp_path: Path
) -> None:
    log, program = tmp_path / "log", tmp_path / "planted.py"
    program.write_text(PROGRAM.format(SIMULATED, statements))
    done = subprocess.run(
        [sys.executable, str(program)],
        env=os.environ | ({"OCLGRIND_LOG": str(log)} if SIMULATED else {}),
        check=False,
        capture_output=True,
        text=True,
    )
    if SIMULATED:
        assert done.returncode == 0, done.stderr
        found = faults(log.read_text())
        if simulated is None:
            assert not found
        else:
            assert any(report.startswith(simulated) for report in found), found[:1]
    else:
        assert bool(done.returncode) is bool(sanitized), done.stderr
        assert (sanitized or "") in done.stderr
