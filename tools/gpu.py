"""The whole test suite on every GPU that is found: ``make test-gpu``, or ``python -m tools.gpu``.

Each device gets a run of pytest of its own, with XARR_DEVICE naming it. A table says how each went;
below it stands what was skipped, and why. What is skipped for another reason than that a device has
not what a test is about is a failure: a library that is not installed, say.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.processes import ROOT
from tools.conformance import ENDED, Report

LACKING = (
    r"\S+ is not (CuPy's|of OpenCL)",
    r"\S+ is (no CUDA device( without CuPy)?|the narrow device already)",
    r"\S+ does not share the host's memory",
    r"\S+ (launches no clusters|takes its memory from its library alone)",
    r"\S+ has no managed memory that both sides use at once",
    r"there is one CUDA device",
    # CUDA devices have float64, but for the handles that say that they have not.
    r"(opencl:\S+|\S+\?\S*no-float64\S*) has no (float64|complex128)",
    r"\S+ pretends to be another device, which has no library",
    r"the device (takes the group form|scatters by election|has no second handle)",
    r"the device (has no float64|lacks the data type)",  # said beside others that name it
    r"the tests run on one device",
    r"no device is a CPU",
    r"no CUDA compiler was found",
    r"all OpenCL devices are of one kind",
    r"the target tested here is that of a CPU",
    r"array_api_extra.testing asks for the host's memory where it knows no library",
    # What other runs test.
    r"no simulator or sanitizer checks; run make check-memory",
    r"not on Oclgrind; run make check-memory",
    r".* is not installed \(extra (docs|bench)\)",
)
"""Why a test may be skipped on a GPU."""
COLUMNS = ("device", "hardware", "driver", "passed", "failed", "skipped", "seconds")


@dataclass(frozen=True)
class Outcome:
    """How the tests went on a device."""

    cells: tuple[str, ...]
    failed: list[str]
    reasons: Counter[str]


def reasons_of(xml: str) -> Counter[str]:
    """Why tests were skipped, and how many for each reason."""
    found = ElementTree.fromstring(xml).iter("skipped")
    return Counter(element.get("message") or "no reason" for element in found)


def is_lacking(why: str, more: Sequence[str] = ()) -> bool:
    """Whether a test was skipped because a device has not what it is about."""
    return any(re.fullmatch(reason, why) for reason in (*LACKING, *more))


def run_on(device: str, arguments: argparse.Namespace) -> Outcome:
    """Run the tests on a device."""
    from xarr.backends.device import get_device

    info = get_device(device).info
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.xml"
        command = [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-n", str(arguments.jobs), "--dist", "worksteal"),
            *(f"--junitxml={result}", "-o", "junit_family=xunit1"),
            *arguments.pytest,
        ]
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | {"XARR_DEVICE": device}, check=False
        )
        text = result.read_text() if result.exists() else ""
    if done.returncode not in ENDED or not text:
        raise SystemExit(f"{device}: pytest ended with status {done.returncode}")
    report = Report.read(text)
    counts = report.counts
    cells = (
        device,
        info.name,
        f"{info.platform} {info.driver_version}",
        *(str(counts[outcome]) for outcome in ("passed", "failed", "skipped")),
        f"{time.perf_counter() - begun:.0f}",
    )
    return Outcome(cells, report.failed, reasons_of(text))


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells in columns, the header first."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def parse(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.gpu", description=__doc__)
    parser.add_argument("--device", nargs="+", help='devices, as "cupy:0"; all GPUs without')
    parser.add_argument("--jobs", default="auto", help="processes (one for each processor)")
    parser.add_argument(
        "--allow", nargs="+", default=(), help="further reasons for skips, as regular expressions"
    )
    parser.add_argument("pytest", nargs="*", help="what pytest is told besides, after --")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Run the tests; return 0 if nothing failed on any device."""
    import xarr
    from xarr.backends.device import problems

    arguments = parse(given)
    devices = arguments.device or [str(one) for one in xarr.devices() if one.kind == "gpu"]
    absent = [text for backend in problems().values() for text in backend]
    if not devices:
        print("\n".join(["no GPU was found:", *absent]), file=sys.stderr)
        return 2
    outcomes = [run_on(device, arguments) for device in devices]
    print("\n" + table([COLUMNS, *(outcome.cells for outcome in outcomes)]))
    if absent:
        print("\n".join(["\ndevices that are absent:", *absent]))
    for outcome in outcomes:
        if outcome.reasons:
            print(f"\nskipped on {outcome.cells[0]}:")
            print("\n".join(f"{count:6} {why}" for why, count in outcome.reasons.most_common()))
    failed = [f"{outcome.cells[0]} {name}" for outcome in outcomes for name in outcome.failed]
    failed += [
        f"{outcome.cells[0]} skipped {count}: {why}"
        for outcome in outcomes
        for why, count in outcome.reasons.items()
        if not is_lacking(why, arguments.allow)
    ]
    print("\n".join(["", *(failed or ["Nothing failed."])]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
