"""What pytest runs NumPy's own tests by: files are executed by `numpy_shim`, results are written.

`tools.numpy_tests` starts pytest with it; the environment says what to do, in the variables
XARR_TESTS_*. A test that takes too long fails, and where it cannot be interrupted the process ends
and the caller starts another.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import numpy
import pytest

from tools.numpy_scope import Source, rules_of_parameters
from tools.numpy_shim import execute, reading

LIMIT_S = float(os.environ.get("XARR_TESTS_LIMIT", "60"))
RESULT = Path(os.environ.get("XARR_TESTS_RESULT", "numpy_tests.jsonl"))
DONE = Path(os.environ.get("XARR_TESTS_DONE", "/dev/null"))
WITH_XARR = os.environ.get("XARR_TESTS_WITH", "xarr") == "xarr"
CASES = int(os.environ.get("XARR_TESTS_CASES", "0"))
RULED_OUT = os.environ.get("XARR_TESTS_RULED_OUT", "skip")

_FOLDER = Path(numpy.__file__).parent
_CAUSE_LENGTH = 200


class TooLongError(BaseException):
    """A test ran past its limit. Not an Exception, which a test might expect."""


def _write(**record: Any) -> None:
    with RESULT.open("a") as file:
        file.write(json.dumps(record) + "\n")


class NumpyTests(pytest.Module):
    """A file of NumPy's tests."""

    def _getobj(self) -> ModuleType:
        package = ".".join(["numpy", *self.path.relative_to(_FOLDER).parts[:-1]])
        reading(True)
        module, broken = execute(self.path, package, WITH_XARR)
        for test, cause in broken.items():
            _write(test=test, broken=cause)
        return module


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    """Take a file."""
    return NumpyTests.from_parent(parent, path=module_path)


def _name(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[2]


def _some(items: list[pytest.Item]) -> list[pytest.Item]:
    """The items, of each test's cases only so many, evenly spaced."""
    cases = dict[str, list[pytest.Item]]()
    for item in items:
        cases.setdefault(_name(item).partition("[")[0], []).append(item)
    chosen = []
    for group in cases.values():
        every = max(1, -(-len(group) // CASES)) if CASES else 1
        chosen += group[::every]
    return chosen


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say which tests there are, and leave those that are out of scope or done."""
    done = set(DONE.read_text().splitlines())
    sources = dict[Path, Source]()
    kept = []
    for item in _some(items):
        if item.path not in sources:
            file = item.path.relative_to(_FOLDER).as_posix()
            sources[item.path] = Source.read(item.path, file)
        name = _name(item)
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        rules = sources[item.path].rules(name.partition("[")[0])
        rules += [rule for rule in rules_of_parameters(parameters) if rule not in rules]
        if name not in done:
            _write(test=name, rules=rules)
            if not rules or RULED_OUT == "run":
                kept.append(item)
    items[:] = kept


def pytest_collection_finish(session: pytest.Session) -> None:
    """From now on what xarr lacks raises."""
    del session
    reading(False)


def _stop(_: int, __: FrameType | None) -> None:
    raise TooLongError(f"ran longer than {LIMIT_S:g} s")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Give each test its time."""
    _write(test=_name(item), begun=True)
    faulthandler.dump_traceback_later(2 * LIMIT_S, exit=True, file=sys.__stderr__)
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


def _cause(call: pytest.CallInfo[None]) -> str:
    """The first line of what was raised."""
    assert call.excinfo is not None
    error = call.excinfo.value
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if isinstance(error, AssertionError) and lines:
        # numpy.testing says in the second line what differs.
        lines = [" ".join(lines[:3])]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:_CAUSE_LENGTH]


def _place(call: pytest.CallInfo[None], item: pytest.Item) -> int:
    """The line of the test that failed."""
    assert call.excinfo is not None
    lines = [entry.lineno for entry in call.excinfo.traceback if entry.path == item.path]
    return lines[-1] + 1 if lines else 0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Write what came of a test."""
    report = yield
    if report.failed and call.excinfo is not None:
        _write(test=_name(item), outcome="failed", cause=_cause(call), line=_place(call, item))
    elif report.skipped or (report.when == "call" and report.passed):
        outcome = "passed" if report.passed else "skipped"
        _write(test=_name(item), outcome=outcome, seconds=round(call.duration, 2))
    return report
