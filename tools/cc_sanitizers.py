"""Run the kernels' tests on cpu:0 with the compiler's sanitizers: part of `make check-memory`.

They stop the process at the first access beyond a block, use of one that was given back, overflow
of a signed number, shift too far, or address that is not a multiple of its type's size.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

from tools.oclgrind import CHECKS, KERNEL_TESTS, PLANTED_TESTS

NVRTC = "nvidia/*/lib/libnvrtc-builtins.so*"
FLAGS = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"


def main(arguments: list[str]) -> int:
    """Run pytest with kernels that check themselves; their library comes before all others."""
    command = shlex.split(os.environ.get("XARR_CC", "cc"))
    asked = [*command, "-print-file-name=libasan.so"]
    library = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    # By the sanitizer's `dlopen` NVRTC does not find its own parts.
    parts = {str(part.parent) for part in Path(sysconfig.get_path("purelib")).glob(NVRTC)}
    environment = os.environ | {
        "LD_LIBRARY_PATH": os.pathsep.join([*parts, os.environ.get("LD_LIBRARY_PATH", "")]),
        "XARR_DEVICE": "cpu:0",
        "XARR_CC_FLAGS": FLAGS,
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0",  # Python's own
        CHECKS: "1",
        "XARR_TIERS": "fused",
    }
    asked = [sys.executable, "-m", "pytest", *arguments]
    if all(given.startswith("-") for given in arguments):
        asked += PLANTED_TESTS + KERNEL_TESTS
    return subprocess.run(asked, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
