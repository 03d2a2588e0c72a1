"""The official test suite of the standard, run on devices: ``python -m tools.conformance``.

The suite is data-apis/array-api-tests, which the user has checked out; docs/conformance.md says
how. This program runs it in processes of its own, reads what pytest writes, and keeps the table of
that page. It knows nothing of what the tests test.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.processes import ROOT, with_root

PAGE = ROOT / "docs" / "conformance.md"
VERSION = "2025.12"

BEGIN = "<!-- begin of the table that python -m tools.conformance --write keeps -->"
END = "<!-- end of the table -->"

OUTCOMES = ("failed", "xfailed", "passed", "skipped")
"""Worst first: of several runs, or of a test and what follows it, the worst counts."""

ENDED = (0, 1)
"""pytest's exit statuses of a run that came to its end, without and with failures."""

COLLECTION = "collection failure"
"""What pytest says of a file that it cannot import."""


@dataclass(frozen=True)
class Report:
    """The outcome of each test, by its id, and what pytest said of those that failed."""

    outcomes: dict[str, str]
    messages: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, xml: str) -> Report:
        """Read the JUnit XML that pytest writes."""
        report = cls({})
        for case in ElementTree.fromstring(xml).iter("testcase"):
            report._add(_identity(case), *_outcome(case))
        return report

    def __or__(self, other: Report) -> Report:
        """Join two runs of the same tests."""
        joined = Report(dict(self.outcomes), dict(self.messages))
        for name, outcome in other.outcomes.items():
            joined._add(name, outcome, other.messages.get(name, ""))
        return joined

    def _add(self, name: str, outcome: str, message: str) -> None:
        self.outcomes[name] = min(self.outcomes.get(name, outcome), outcome, key=OUTCOMES.index)
        if message:
            self.messages.setdefault(name, message)

    @property
    def counts(self) -> Counter[str]:
        """How many tests had each outcome."""
        return Counter(self.outcomes.values())

    @property
    def failed(self) -> list[str]:
        """The tests that failed."""
        return sorted(name for name, outcome in self.outcomes.items() if outcome == "failed")


def _identity(case: ElementTree.Element) -> str:
    """The test's id as pytest takes it."""
    name, owner, file = (case.get(key, "") for key in ("name", "classname", "file"))
    if not file:
        return f"{owner}::{name}".strip(":")
    module = file.removesuffix(".py").replace("/", ".")
    groups = owner.removeprefix(module).strip(".").split(".")
    return "::".join([file, *filter(None, groups), name])


def _outcome(case: ElementTree.Element) -> tuple[str, str]:
    """A test's outcome, and the first line of what was said of a failure."""
    for tag in ("failure", "error"):
        found = case.find(tag)
        if found is not None:
            said = found.get("message") or (found.text or "").strip()
            return "failed", (said.splitlines() or [tag])[0]
    skipped = case.find("skipped")
    if skipped is None:
        return "passed", ""
    return ("xfailed" if skipped.get("type") == "pytest.xfail" else "skipped"), ""


class SuiteError(RuntimeError):
    """The suite could not be run to its end."""


def command(arguments: argparse.Namespace, seed: int, result: Path) -> list[str]:
    """The command that runs the suite once."""
    return [
        *(sys.executable, "-m", "pytest", *(arguments.files or ["array_api_tests"])),
        *("-q", "-p", "no:cacheprovider", "--disable-deadline"),
        *("--max-examples", str(arguments.max_examples), f"--hypothesis-seed={seed}"),
        *("-n", str(arguments.jobs)),
        # The older family of JUnit's XML names the file of each test.
        *(f"--junitxml={result}", "-o", "junit_family=xunit1"),
    ]


def environment(
    device: str, skipped: Sequence[str], scratch: Path, given: Mapping[str, str]
) -> dict[str, str]:
    """The environment that the suite runs in."""
    variables = with_root(given) | {
        "ARRAY_API_TESTS_MODULE": "xarr",
        "ARRAY_API_TESTS_VERSION": VERSION,
        "XARR_DEVICE": device,
        "XARR_TIERS": given.get("XARR_TIERS", "fused"),
        # Failures that are remembered from one run to the next would count against the seed.
        "HYPOTHESIS_STORAGE_DIRECTORY": str(scratch / "hypothesis"),
    }
    for name in ("ARRAY_API_TESTS_SKIP_DTYPES", "PYTEST_ADDOPTS"):
        variables.pop(name, None)
    if skipped:
        variables["ARRAY_API_TESTS_SKIP_DTYPES"] = ",".join(skipped)
    return variables


def run_once(
    arguments: argparse.Namespace, device: str, skipped: Sequence[str], seed: int
) -> Report:
    """Run the suite on a device with one seed."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.xml"
        done = subprocess.run(
            command(arguments, seed, result),
            cwd=arguments.suite,
            env=environment(device, skipped, Path(folder), os.environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        text = result.read_text() if result.exists() else ""
    if done.returncode not in ENDED or not text:
        raise SuiteError(f"pytest ended with status {done.returncode}:\n{done.stdout[-4000:]}")
    report = Report.read(text)
    if not report.outcomes or COLLECTION in report.messages.values():
        # Of a file that cannot be imported nobody knows how many tests it has.
        raise SuiteError(f"the tests could not be collected:\n{done.stdout[-4000:]}")
    return report


def commit_of(suite: Path) -> str:
    """The commit of the checkout, "-dirty" where it was changed, "unknown" without a repository."""
    if not (suite / ".git").exists():
        return "unknown"
    asked = [
        "git",
        "-C",
        str(suite),
        "describe",
        "--always",
        "--exclude=*",
        "--abbrev=12",
        "--dirty",
    ]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "unknown"
    return done.stdout.strip() or "unknown"


def skipped_dtypes(has_float64: bool, given: Sequence[str]) -> list[str]:
    """The data types that the suite has to leave out on a device."""
    absent = [] if has_float64 else ["float64", "complex128"]
    return [*absent, *(name for name in given if name not in absent)]


@dataclass(frozen=True)
class Line:
    """What is said of one device, a cell a field."""

    device: str
    hardware: str
    driver: str
    left_out: str
    standard: str
    passed: str
    failed: str
    skipped: str
    xfailed: str
    examples: str
    seeds: str
    suite: str
    seconds: str
    date: str

    @property
    def key(self) -> tuple[str, ...]:
        """What tells a line from the others."""
        return self.device, self.hardware, self.left_out, self.examples

    @property
    def cells(self) -> list[str]:
        """The cells, in the order of the columns."""
        return [getattr(self, name) for name in COLUMNS]


COLUMNS = {
    "device": "device",
    "hardware": "hardware",
    "driver": "driver",
    "left_out": "data types left out",
    "standard": "standard",
    "passed": "passed",
    "failed": "failed",
    "skipped": "skipped",
    "xfailed": "xfailed",
    "examples": "examples a test",
    "seeds": "seeds",
    "suite": "suite's commit",
    "seconds": "seconds",
    "date": "date",
}


def markdown(lines: Sequence[Line]) -> str:
    """The lines as a table of Markdown."""
    head = list(COLUMNS.values())
    rows = [head, ["---"] * len(head), *(line.cells for line in lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def table_of(text: str) -> list[Line]:
    """The lines of a table of Markdown."""
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]
        for row in text.splitlines()
        if row.strip().startswith("|")
    ]
    return [Line(*cells) for cells in rows[2:]]


def updated(page: str, lines: Sequence[Line]) -> str:
    """The page with some lines of its table replaced or added; the others stay."""
    head, begin, rest = page.partition(BEGIN)
    table, end, tail = rest.partition(END)
    if not begin or not end:
        raise SuiteError("the page lacks the comments that stand around the table")
    kept = {line.key: line for line in table_of(table)}
    kept |= {line.key: line for line in lines}
    return f"{head}{BEGIN}\n\n{markdown(list(kept.values()))}\n\n{END}{tail}"


def parse(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.conformance", description=__doc__)
    add = parser.add_argument
    add("--suite", type=Path, required=True, help="folder of the checkout of array-api-tests")
    add("--device", nargs="+", help='devices, as "opencl:0"; the default device without')
    add("--max-examples", type=int, default=100, help="examples a test (100)")
    add("--seeds", type=int, nargs="+", default=[1], help="a run for each seed (1)")
    add("--jobs", type=int, default=1, help="processes (1)")
    add("--skip-dtypes", nargs="+", default=[], help="data types to leave out")
    add("--files", nargs="+", help="files or tests of the suite, as array_api_tests/test_fft.py")
    add("--write", action="store_true", help=f"write the result into docs/{PAGE.name}")
    arguments = parser.parse_args(given)
    if arguments.write and arguments.files:
        parser.error("--write: the table is that of the whole suite, so --files cannot go with it")
    if not (arguments.suite / "array_api_tests").is_dir():
        parser.error("--suite: the folder holds no array_api_tests")
    for name in ("skips.txt", "xfails.txt"):
        if (arguments.suite / name).exists():
            parser.error(f"--suite: the suite would obey the {name} there; remove it")
    return arguments


def run_on(device: str, arguments: argparse.Namespace) -> tuple[Line, Report]:
    """Run the suite on a device with each seed."""
    from xarr.backends.device import get_device

    try:
        info = get_device(device).info
    except ValueError as error:
        raise SuiteError(str(error)) from error
    skipped = skipped_dtypes(info.has_float64, arguments.skip_dtypes)
    begun = time.perf_counter()
    report = Report({})
    for seed in arguments.seeds:
        report |= run_once(arguments, device, skipped, seed)
    counts = report.counts
    line = Line(
        device=device,
        hardware=info.name,
        driver=f"{info.platform} {info.driver_version}",
        left_out=" ".join(skipped) or "none",
        standard=VERSION,
        passed=str(counts["passed"]),
        failed=str(counts["failed"]),
        skipped=str(counts["skipped"]),
        xfailed=str(counts["xfailed"]),
        examples=str(arguments.max_examples),
        seeds=" ".join(map(str, arguments.seeds)),
        suite=commit_of(arguments.suite),
        seconds=f"{time.perf_counter() - begun:.0f}",
        date=datetime.date.today().isoformat(),
    )
    return line, report


def main(given: Sequence[str] | None = None) -> int:
    """Run the suite; return 0 if nothing failed on any device."""
    from xarr.backends.device import default_device

    arguments = parse(given)
    failures = list[str]()
    for device in arguments.device or [str(default_device())]:
        try:
            line, report = run_on(device, arguments)
        except SuiteError as error:
            print(f"{device}: {error}", file=sys.stderr)
            return 2
        print(markdown([line]))
        failures += [f"{device} {name}: {report.messages[name]}" for name in report.failed]
        if arguments.write:
            # At once: another device may take hours, and fail.
            PAGE.write_text(updated(PAGE.read_text(), [line]))
    print("\n".join(["", *(failures or ["Nothing failed."])]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
