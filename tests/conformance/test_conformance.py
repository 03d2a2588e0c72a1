"""That `python -m tools.conformance` reads what pytest writes, and keeps its table."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tools import conformance, gpu
from tools.conformance import BEGIN, END, Line, Report
from xarr.backends.device import default_device

XML = """<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite>
<testcase classname="array_api_tests.test_a" name="test_good[x | y]" file="array_api_tests/test_a.py"/>
<testcase classname="array_api_tests.test_a.TestB" name="test_bad" file="array_api_tests/test_a.py">
<failure message="AssertionError: 1 is not 2&#10;more">the long text</failure></testcase>
<testcase classname="array_api_tests.test_a" name="test_left_out" file="array_api_tests/test_a.py">
<skipped type="pytest.skip" message="not here"/></testcase>
<testcase classname="array_api_tests.test_a" name="test_known" file="array_api_tests/test_a.py">
<skipped type="pytest.xfail" message=""/></testcase>
<testcase classname="array_api_tests.test_a" name="test_ends_badly" file="array_api_tests/test_a.py"/>
<testcase classname="array_api_tests.test_a" name="test_ends_badly" file="array_api_tests/test_a.py">
<error message="failed on teardown">text</error></testcase>
<testcase classname="" name="array_api_tests.test_broken"><error message="collection failure">
ImportError</error></testcase>
</testsuite></testsuites>"""  # noqa: E501

A = "array_api_tests/test_a.py"


def line(**changes: str) -> Line:
    cells = dict.fromkeys(conformance.COLUMNS, "0") | {
        "device": "opencl:0",
        "hardware": "a processor",
        "left_out": "none",
    }
    return Line(**cells | changes)


def page(*lines: Line) -> str:
    return f"# Title\n\n{BEGIN}\n\n{conformance.markdown(lines)}\n\n{END}\n\nMore.\n"


def test_a_report_is_read() -> None:
    report = Report.read(XML)
    assert report.outcomes == {
        f"{A}::test_good[x | y]": "passed",
        f"{A}::TestB::test_bad": "failed",
        f"{A}::test_left_out": "skipped",
        f"{A}::test_known": "xfailed",
        f"{A}::test_ends_badly": "failed",
        "array_api_tests.test_broken": "failed",
    }
    assert report.counts == {"failed": 3, "passed": 1, "skipped": 1, "xfailed": 1}
    assert report.failed[0] == "array_api_tests.test_broken"
    assert report.messages[f"{A}::TestB::test_bad"] == "AssertionError: 1 is not 2"
    assert report.messages[f"{A}::test_ends_badly"] == "failed on teardown"


def test_of_several_runs_the_worst_counts() -> None:
    first = Report({"a": "passed", "b": "failed", "c": "skipped"}, {"b": "first"})
    second = Report({"a": "failed", "b": "passed", "c": "passed"}, {"a": "second"})
    for joined in (first | second, second | first):
        assert joined.outcomes == {"a": "failed", "b": "failed", "c": "passed"}
        assert joined.messages == {"a": "second", "b": "first"}
    assert first.outcomes["a"] == "passed"
    known = Report({"a": "xfailed"})
    assert (known | first).outcomes["a"] == (first | known).outcomes["a"] == "xfailed"


def test_a_line_of_the_same_device_is_replaced_and_others_stay() -> None:
    old = line(passed="1")
    narrow = line(device="opencl:0?no-float64", left_out="float64 complex128", passed="2")
    other = line(hardware="another processor", passed="3")
    text = conformance.updated(page(old, narrow, other), [line(passed="4")])
    assert conformance.table_of(text) == [line(passed="4"), narrow, other]
    assert text == page(line(passed="4"), narrow, other)
    more = line(device="opencl:0?as-gpu", passed="5")
    assert conformance.table_of(conformance.updated(text, [more]))[-1] == more
    assert len(conformance.table_of(conformance.updated(page(), [more]))) == 1


def test_the_table_of_the_documentation_can_be_read() -> None:
    text = conformance.PAGE.read_text()
    lines = conformance.table_of(text.partition(BEGIN)[2].partition(END)[0])
    assert len({one.key for one in lines}) == len(lines)
    for one in lines:
        assert one.standard == conformance.VERSION
        assert int(one.passed) > 1000
        assert one.failed.isdigit()
        assert "/" not in one.suite
    assert text == conformance.updated(text, [])


OPTIONS = """
def pytest_addoption(parser):
    parser.addoption("--max-examples")
    parser.addoption("--disable-deadline", action="store_true")
"""

TESTS = """
import os, pytest
from xarr import default_device

def test_good():
    assert str(default_device()) == os.environ["XARR_DEVICE"]

def test_left_out():
    pytest.skip(os.environ.get("ARRAY_API_TESTS_SKIP_DTYPES", ""))

@pytest.mark.xfail
def test_known():
    assert False
"""

BAD = """
def test_bad():
    assert 1 == 2
"""


def made(folder: Path, tests: str) -> Path:
    suite = folder / "suite"
    (suite / "array_api_tests").mkdir(parents=True)
    (suite / "conftest.py").write_text(OPTIONS)
    (suite / "pytest.ini").write_text("[pytest]")
    (suite / "array_api_tests" / "test_a.py").write_text(tests)
    return suite


@pytest.mark.parametrize(
    ("tests", "seeds", "status", "failed", "said"),
    [
        (TESTS, "1", 0, "0", "Nothing failed."),
        (TESTS + BAD, "1 2", 1, "1", f"{A}::test_bad: assert 1 == 2"),
    ],
    ids=["good", "bad"],
)
def test_a_suite_is_run_and_written_down(
    tests: str,
    seeds: str,
    status: int,
    failed: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    written = tmp_path / "page.md"
    written.write_text(page())
    monkeypatch.setattr(conformance, "PAGE", written)
    device = str(default_device())
    given = ["--suite", str(made(tmp_path, tests)), "--device", device, "--seeds", *seeds.split()]
    assert conformance.main([*given, "--max-examples", "5", "--write"]) == status
    (got,) = conformance.table_of(written.read_text())
    wanted = line(
        device=device,
        hardware=default_device().name,
        left_out=got.left_out,
        passed="1",
        failed=failed,
        skipped="1",
        xfailed="1",
        seeds=seeds,
        examples="5",
        standard="2025.12",
        suite="unknown",
    )
    changing = {"driver": got.driver, "seconds": got.seconds, "date": got.date}
    assert got == dataclasses.replace(wanted, **changing)
    assert said in capsys.readouterr().out
    assert str(tmp_path) not in written.read_text()
    assert written.read_text() == page(got)


def test_a_suite_that_does_not_run_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, tests in enumerate(["", "import absent_module"]):
        suite = made(tmp_path / str(number), tests)
        assert conformance.main(["--suite", str(suite)]) == 2
        said = capsys.readouterr().err
        assert "ended with status" in said or "absent_module" in said


@pytest.mark.parametrize(
    ("why", "wanted"),
    [
        ("numba:0 is not CuPy's", True),
        ("cupy:0?no-float64 has no complex128", True),
        ("opencl:0 has no float64", True),
        ("cupy:0 has no float64", False),
        ("torch is not installed (No module named 'torch')", False),
        ("JAX sees no GPU", False),
    ],
)
def test_skips_on_gpus_need_a_reason(why: str, wanted: bool) -> None:
    assert gpu.is_lacking(why) is wanted
    assert gpu.is_lacking(why, ["JAX.*"]) is (wanted or why.startswith("JAX"))
