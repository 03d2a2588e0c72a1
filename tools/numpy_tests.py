"""NumPy's own tests with xarr in NumPy's place: ``python -m tools.numpy_tests [files]``.

The tests are those of the installed NumPy. Each file runs in a process of its own. What a test
needs says whether it is in scope (`tools.numpy_scope.RULES`); a table has, for each file, how many
tests are in scope and pass, and the report says what the others fail of.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy

from tests.processes import with_root
from tools.numpy_scope import RULES, is_strict, rules_of_refusal

FOLDER = Path(numpy.__file__).parent

_CORE = (
    "umath umath_complex numeric multiarray indexing shape_base ufunc einsum function_base "
    "item_selection"
)

FILES = (
    *(f"_core/tests/test_{name}.py" for name in _CORE.split()),
    *(
        path.relative_to(FOLDER).as_posix()
        for room in ("lib", "linalg", "fft", "polynomial", "random")
        for path in sorted((FOLDER / room / "tests").glob("test_*.py"))
    ),
)
"""The files that are run without arguments."""


@dataclass
class Test:
    """What is known of one test."""

    name: str
    rules: list[str] = field(default_factory=list)
    outcome: str = ""
    cause: str = ""
    line: int = 0


@dataclass
class Result:
    """What came of a file."""

    file: str
    tests: dict[str, Test]

    @property
    def in_scope(self) -> list[Test]:
        """The tests that are in scope and were not skipped by NumPy."""
        return [
            test for test in self.tests.values() if not test.rules and test.outcome != "skipped"
        ]

    def count(self, outcome: str) -> int:
        """How many tests in scope had an outcome."""
        return sum(test.outcome == outcome for test in self.in_scope)


def _records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _pytest(file: str, arguments: argparse.Namespace, variables: dict[str, str]) -> str:
    """Run pytest on a file; return what it printed."""
    command = [
        *(sys.executable, "-m", "pytest", str(FOLDER / file), "-p", "tools.numpy_plugin"),
        *("--noconftest", "-c", os.devnull, f"--rootdir={(FOLDER / file).parent}"),
        "--continue-on-collection-errors",
        *("-p", "no:cacheprovider", "-q", "--tb=native", "-p", "no:xdist"),
        *(["-k", arguments.k] if arguments.k else []),
        *(["--collect-only"] if variables["XARR_TESTS_WITH"] == "numpy" else []),
    ]
    # Into a file: a process that a test forked may outlive pytest, and would keep a pipe open.
    printed = Path(variables["TMPDIR"], "printed")
    with printed.open("w") as file:
        status = subprocess.run(
            command,
            cwd=variables["TMPDIR"],
            env=with_root(os.environ) | variables,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    return f"{printed.read_text(errors='replace')}\nstatus {status}"


def run_file(file: str, arguments: argparse.Namespace) -> Result:
    """Run a file, again from where a process died; return what came of each test."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        variables = {
            "TMPDIR": scratch,
            "NPY_AVAILABLE_MEM": "1GB",
            "NUMPY_EXPERIMENTAL_DTYPE_API": "1",
            "XARR_TESTS_LIMIT": str(arguments.limit),
            "XARR_TESTS_RULED_OUT": "run" if arguments.all else "skip",
            "XARR_TESTS_CASES": str(arguments.cases),
            "XARR_TESTS_DONE": str(folder / "done"),
            **({"XARR_DEVICE": arguments.device} if arguments.device else {}),
        }
        (folder / "done").write_text("")
        known = folder / "numpy.jsonl"
        _pytest(file, arguments, variables | _with("numpy", known))
        found = folder / "xarr.jsonl"
        texts = []
        begun = set[str]()
        while True:
            before = len(begun)
            texts.append(_pytest(file, arguments, variables | _with("xarr", found)))
            died = texts[-1].endswith(("status 0", "status 1", "status 5")) is False
            records = _records(found)
            begun = {record["test"] for record in records if "begun" in record}
            if not died or len(begun) == before:
                break
            (folder / "done").write_text("\n".join(sorted(begun)))
        if died and not begun:
            raise SystemExit(f"{file}: no test ran\n{texts[-1]}")
        if arguments.verbose:
            print("\n".join(texts))
        return _result(file, _records(known), records)


def _with(library: str, result: Path) -> dict[str, str]:
    return {"XARR_TESTS_WITH": library, "XARR_TESTS_RESULT": str(result)}


def _result(file: str, known: list[dict[str, Any]], records: list[dict[str, Any]]) -> Result:
    """Join what NumPy's collection and xarr's run say."""
    tests = dict[str, Test]()
    broken = dict[str, str]()
    for record in records:
        if "broken" in record:
            broken[record["test"]] = record["broken"]
            continue
        test = tests.setdefault(record["test"], Test(record["test"]))
        test.rules = record.get("rules", test.rules)
        if "begun" in record and not test.outcome:
            test.outcome, test.cause = "failed", "the process ended"
        elif record.get("outcome") == "failed":
            test.outcome, test.cause, test.line = "failed", record["cause"], record["line"]
            test.rules += [rule for rule in rules_of_refusal(test.cause) if rule not in test.rules]
        elif "outcome" in record and test.cause in ("", "the process ended"):
            test.outcome, test.cause = record["outcome"], ""
    bases = {name.partition("[")[0] for name in tests}
    for record in known:
        name = record["test"]
        if "rules" in record and name.partition("[")[0] not in bases:
            why = broken.get(name.partition("[")[0], "xarr's collection lacks the test")
            rules = [*record["rules"], *rules_of_refusal(why)]
            tests[name] = Test(name, list(dict.fromkeys(rules)), "failed", why)
    return Result(file, tests)


def percent(part: int, whole: int) -> str:
    """A share in percent."""
    return f"{100 * part / whole:.1f}%" if whole else "-"


def table(results: Sequence[Result]) -> str:
    """The counts of each file as Markdown."""
    rows = [["file", "tests", "in scope", "passed", "failed", "share"]]
    rows.append(["---"] + ["---:"] * 5)
    total = Counter[str]()
    for result in results:
        counts = {
            "tests": len(result.tests),
            "in": len(result.in_scope),
            "passed": result.count("passed"),
        }
        total.update(counts)
        rows.append(_row(f"`{result.file}`", counts))
    rows.append(_row("all", total))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(name: str, counts: dict[str, int] | Counter[str]) -> list[str]:
    inside, passed = counts["in"], counts["passed"]
    cells = [counts["tests"], inside, passed, inside - passed]
    return [name, *map(str, cells), percent(passed, inside)]


def scope_table(results: Sequence[Result]) -> str:
    """How many tests each rule puts out of scope, as Markdown; a test counts once."""
    first = Counter(
        test.rules[0] for result in results for test in result.tests.values() if test.rules
    )
    rows = ["| out of scope | tests |", "| --- | ---: |"]
    rows += [f"| {row.why} | {first[rule]} |" for rule, row in RULES.items()]
    return "\n".join(rows)


_NUMBERS = re.compile(r"0x[0-9a-f]+|-?\d[\d.e+-]*")


def causes(results: Iterable[Result]) -> list[tuple[str, list[str]]]:
    """The failed tests by what they failed of, most first."""
    groups = defaultdict[str, list[str]](list)
    for result in results:
        for test in result.in_scope:
            if test.outcome != "passed":
                place = f":{test.line}" if test.line else ""
                key = _NUMBERS.sub("#", test.cause)[:120]
                groups[key].append(f"{result.file}{place} {test.name}  [{test.cause}]")
    return sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))


def report(results: Sequence[Result]) -> str:
    """All of it as text."""
    strict = [
        test
        for result in results
        for test in result.tests.values()
        if not is_strict(test.rules) and test.outcome != "skipped"
    ]
    passed = sum(test.outcome == "passed" for test in strict if not test.rules)
    parts = [
        table(results),
        f"Of the {len(strict)} tests that need no objects, strings, dates, records or Fortran "
        f"order, without regard to the other rules, {passed} pass: "
        f"{percent(passed, len(strict))}.",
        scope_table(results),
        "What failed, by cause",
    ]
    for cause, tests in causes(results):
        parts.append("\n    ".join([f"{len(tests)} x {cause}", *tests]))
    return "\n\n".join(parts)


def parse(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.numpy_tests", description=__doc__)
    add = parser.add_argument
    add("files", nargs="*", help="files below numpy, or parts of their names; all without")
    add("-k", help="the tests to run, as pytest's -k takes them")
    add("--device", help='as "opencl:0"; the default device without')
    add("--limit", type=float, default=60, help="seconds a test may take (60)")
    add("--cases", type=int, default=20, help="cases of a test, evenly spaced; 0 for all (20)")
    add("--jobs", type=int, default=2, help="processes (2)")
    add("--all", action="store_true", help="run what is out of scope too")
    add("--verbose", action="store_true", help="print what pytest prints")
    add("--table", action="store_true", help="print only the table")
    add("--json", type=Path, help="file to write every test's result to")
    add("--report", type=Path, help="file to write the report to")
    return parser.parse_args(given)


def chosen(parts: Sequence[str]) -> list[str]:
    """The files whose names hold one of the parts."""
    return [file for file in FILES if not parts or any(part in file for part in parts)]


def main(given: Sequence[str] | None = None) -> int:
    """Run the tests; return 0 if all in scope passed."""
    arguments = parse(given)
    results = list[Result]()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for result in pool.map(lambda file: run_file(file, arguments), chosen(arguments.files)):
            results.append(result)
            print(f"{result.file}: {result.count('passed')} of {len(result.in_scope)}", flush=True)
            if arguments.report:
                arguments.report.write_text(report(results) + "\n")
    text = report(results)
    print(table(results) if arguments.table else text)
    if arguments.json:
        found = {result.file: {k: vars(v) for k, v in result.tests.items()} for result in results}
        arguments.json.write_text(json.dumps(found, indent=1))
    return 0 if all(result.count("passed") == len(result.in_scope) for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
