"""Run tests under NVIDIA's compute-sanitizer: ``python -m tools.sanitizer [files]``.

It comes with the CUDA toolkit. Memory checks, races between threads of a block, and reads of memory
that nobody wrote; each test file of the kernels runs under each tool, on CuPy's backend without its
pool, which would hide an access beyond the end of a block. Each tool has to find a planted fault
first, so that its silence means something. Without NVIDIA's driver there is nothing to run; the
kernels are the same on all devices, and `make check-memory` needs no GPU.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools.oclgrind import CHECKS, KERNEL_TESTS
from xarr.backends import cuda_bindings

PLANTED = {
    "memcheck": "x[1 << 20] = 1;",
    "racecheck": (
        "__shared__ int s[64]; s[threadIdx.x] = threadIdx.x; x[threadIdx.x] = s[63 - threadIdx.x];"
    ),
    "initcheck": "x[threadIdx.x] += 1;",
}
"""For each tool, the body of a kernel with a fault that it finds; `x` is fresh memory."""

DEVICE = "cupy:0"
FORMS = "not cpu or every_function"
"""The forms of kernels that GPUs take."""
OPTIONS = ("-q", "-p", "no:cacheprovider", "-n", "0", "-p", "tools.sanitizer", "-k", FORMS)
SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)")


@dataclass(frozen=True)
class Run:
    """What a program under a tool ended with, and what it and the tool said."""

    status: int
    said: str
    reports: tuple[str, ...]

    @property
    def faults(self) -> int:
        """How many faults the tool counted; -1 where it watched no process to its end."""
        counts = [SUMMARY.search(report) for report in self.reports]
        if not counts or None in counts:
            return -1
        return sum(int(count[1]) for count in counts if count)


def pytest_configure(config: pytest.Config) -> None:
    """Let every block be one of the driver's: this module is a plugin of the runs it starts."""
    import cupy

    cupy.cuda.set_allocator(None)


def plant(tool: str) -> None:
    """Run the kernel with the fault that the tool has to find."""
    import cupy

    from xarr.backends.device import get_device

    cupy.cuda.set_allocator(None)
    driver = get_device(DEVICE).driver
    source = f'extern "C" __global__ void planted(int *x, int unused) {{ {PLANTED[tool]} }}'
    kernel = driver.load(driver.compile(source), "planted")
    driver.launch(kernel, (1,), (64,), [driver.allocate(256)], bytes(4))
    driver.synchronize()


def sanitizer() -> str:
    """Where compute-sanitizer is; empty where it is not."""
    there = Path("/usr/local/cuda/bin/compute-sanitizer")
    return shutil.which("compute-sanitizer") or (str(there) if there.exists() else "")


def watched(tool: str, *program: str) -> Run:
    """Run a program of Python under a tool."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [
            *(sanitizer(), "--tool", tool, "--target-processes", "all", "--print-limit", "20"),
            # CuPy and Numba ask for what is not there, and take the refusal as an answer.
            *("--report-api-errors", "no", "--log-file", f"{scratch}/%p.log"),
            # Of the host it would keep Python's frames, and so all arrays that their names hold.
            *("--show-backtrace", "device"),
            *(sys.executable, *program),
        ]
        environment = os.environ | {"XARR_DEVICE": DEVICE, CHECKS: "1"}
        done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
        logs = sorted(Path(scratch).glob("*.log"))
        return Run(done.returncode, done.stdout + done.stderr, tuple(map(Path.read_text, logs)))


def main(files: Sequence[str]) -> int:
    """Run the tests under each tool; return 1 where one finds something or a test fails."""
    problem = cuda_bindings.missing()
    if problem:
        print(f"nothing for compute-sanitizer to watch: {problem}")
        return 0
    if not sanitizer():
        print("compute-sanitizer is not installed; it comes with the CUDA toolkit")
        return 2
    files = files or KERNEL_TESTS
    failed = []
    with ThreadPoolExecutor() as pool:
        plants = {
            tool: pool.submit(
                watched, tool, "-c", f"from tools import sanitizer as s; s.plant({tool!r})"
            )
            for tool in PLANTED
        }
        runs = {
            f"{tool} {file}": pool.submit(watched, tool, "-m", "pytest", *OPTIONS, file)
            for tool in PLANTED
            for file in files
        }
        for name, plant_run in plants.items():
            found = plant_run.result().faults
            print(f"{name}: {found} faults of the planted kernel", flush=True)
            if found <= 0:
                failed.append(f"{name} (the planted fault was not found)")
                print(*plant_run.result().reports, plant_run.result().said, sep="\n")
        for name, test_run in runs.items():
            run = test_run.result()
            print(
                f"{name}: {run.faults} faults; {run.said.strip().rpartition(chr(10))[2]}",
                flush=True,
            )
            if run.status or run.faults or " passed" not in run.said:
                failed.append(name)
                print(run.said[-3000:], *(report[-3000:] for report in run.reports), sep="\n")
    print("failed: " + ", ".join(failed) if failed else "compute-sanitizer: 0 faults")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
