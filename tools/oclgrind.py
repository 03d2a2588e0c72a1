"""Run tests on Oclgrind, an OpenCL device that checks every memory access: `make check-memory`.

The wheel brings the simulator as a driver, without its command. The driver takes its settings from
the environment, always exits with success and writes what it finds to a log, so the log decides.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKS = "XARR_TESTS_CHECK_MEMORY"
"""The variable that tells the tests that something checks what kernels do to memory."""

PLANTED_TESTS = ["tests/kernels/test_oclgrind.py", "tests/kernels/test_threads_memory.py"]
KERNEL_TESTS = [
    "tests/kernels/test_kernels_memory.py",
    "tests/kernels/test_products_memory.py",
    "tests/functions/test_threads.py::test_examples_with_indices_of_32_and_64_bits",
    "tests/functions/test_regions.py::test_barriers_give_what_python_gives",
]

SETTINGS = {
    "OCLGRIND_CHECK_API": "1",
    "OCLGRIND_DATA_RACES": "1",
    "OCLGRIND_UNINITIALIZED": "1",
    "OCLGRIND_MAX_ERRORS": "20",
    # Optimised, a branch on an uninitialised value becomes a select, which is not checked. Of an
    # inlined function that returns a structure Clang makes a note that Oclgrind does not know.
    "OCLGRIND_BUILD_OPTIONS": "-cl-opt-disable -DXR_INLINED= -DXR_UNFILLED",
    "PYOPENCL_NO_CACHE": "1",
}

# pyopencl asks for what devices of a later OpenCL have, and takes the refusal as an answer.
QUESTION = "Function: clGetDeviceInfo"


def faults(log: str) -> list[str]:
    """Return the reports in a log, without pyopencl's questions."""
    reports = [report.strip() for report in log.split("\n\n") if report.strip()]
    return [report for report in reports if QUESTION not in report]


def pytest_configure() -> None:
    """Give each array memory of its own size, which nobody uses again; pytest calls it.

    Of memory that is used again the simulator knows no more bytes than were uploaded to it first,
    and takes those behind them for uninitialised; nor would it see an access behind an array.
    """
    import pyopencl as cl

    from xarr.backends.opencl import OpenCLDriver

    kept: list[cl.Buffer] = []

    def allocate(self: OpenCLDriver, nbytes: int) -> cl.Buffer:
        kept.append(cl.Buffer(self._context, cl.mem_flags.READ_WRITE, max(nbytes, 1)))
        return kept[-1]

    OpenCLDriver.allocate = allocate


def main(folder: Path, arguments: list[str]) -> int:
    """Run pytest on the simulator in `folder`; return 1 where a test fails or a fault is found."""
    drivers = sorted((folder / "pyopencl" / ".libs").glob("liboclgrind-rt-icd-*.so"))
    if not drivers:
        print(f"{folder} holds no Oclgrind; its wheel exists for Linux on x86-64 only")
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "oclgrind.log"
        # The wheel's own .icd names its library without a folder, where no loader finds it.
        (Path(scratch) / "oclgrind.icd").write_text(f"{drivers[0].resolve()}\n")
        os.environ |= SETTINGS
        os.environ |= {
            "OCL_ICD_VENDORS": scratch,
            "OCLGRIND_LOG": str(log),
            "XARR_CACHE_DIR": str(Path(scratch) / "cache"),
            CHECKS: "1",
        }
        # PoCL's wheel is found whatever OCL_ICD_VENDORS says, so the device has to be named.
        os.environ["XARR_DEVICE"] = _simulator()
        pytest = [sys.executable, "-m", "pytest", "-p", "tools.oclgrind"]
        command = [*pytest, *(arguments or PLANTED_TESTS + KERNEL_TESTS)]
        status = subprocess.run(command, check=False).returncode
        found = faults(log.read_text()) if log.exists() else ["Oclgrind was not used"]
    print("\n\n".join(found) or "Oclgrind: 0 faults")
    return 1 if status or found else 0


def _simulator() -> str:
    from xarr.backends.device import devices

    return next(str(device) for device in devices() if device.info.platform == "Oclgrind")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
