"""Run tests under NVIDIA's compute-sanitizer: ``python -m tests.sanitizer [pytest's arguments]``.

It comes with the CUDA toolkit. Memory checks, races between threads of a block, and reads of memory
that nobody wrote; each test file of the kernels runs under each tool, on CuPy's backend without its
pool, which would hide an access beyond the end of a block.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.oclgrind import CHECKS, KERNEL_TESTS

TOOLS = ("memcheck", "racecheck", "initcheck")
FORMS = "not cpu or every_function"
"""The forms of kernels that GPUs take."""
CLEAN = re.compile(r"(ERROR|RACECHECK) SUMMARY: 0 (errors|hazards)")


def pytest_configure(config: pytest.Config) -> None:
    """Let every block be one of the driver's: this module is a plugin of the runs it starts."""
    import cupy

    cupy.cuda.set_allocator(None)


def main(arguments: list[str]) -> int:
    """Run the tests under each tool; return 1 where one finds something or a test fails."""
    sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not Path(sanitizer).exists():
        print("compute-sanitizer is not installed; it comes with the CUDA toolkit")
        return 2
    files = arguments or [name for name in KERNEL_TESTS if "oclgrind" not in name]
    failed = []
    for tool in TOOLS:
        with tempfile.TemporaryDirectory() as scratch:
            command = [
                *(sanitizer, "--tool", tool, "--target-processes", "all", "--print-limit", "20"),
                # CuPy and Numba ask for what is not there, and take the refusal as an answer.
                *("--report-api-errors", "no", "--log-file", f"{scratch}/%p.log"),
                *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "auto"),
                *("-p", "tests.sanitizer", "-k", FORMS, *files),
            ]
            environment = os.environ | {"XARR_DEVICE": "cupy:0", CHECKS: "1"}
            status = subprocess.run(command, env=environment, check=False).returncode
            reports = [path.read_text() for path in sorted(Path(scratch).glob("*.log"))]
        faults = [report for report in reports if not CLEAN.search(report)]
        print(
            f"{tool}: pytest's exit status {status}; of {len(reports)} processes "
            f"{len(faults)} have faults"
        )
        print("\n".join(report[-4000:] for report in faults))
        if status or faults or not reports:
            failed.append(tool)
    print("failed: " + ", ".join(failed) if failed else "compute-sanitizer: 0 faults")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
