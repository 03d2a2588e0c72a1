"""`python -m xarr doctor` lets each device work, and says which does not."""

from __future__ import annotations

from typing import Any, NoReturn

import pytest

import xarr
from tests.processes import run, start
from xarr.__main__ import main
from xarr.numpy_runner import doctor
from xarr.runtime import host_functions


def break_driver(monkeypatch: pytest.MonkeyPatch, text: str, *methods: str) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise RuntimeError(text)

    for method in methods:
        monkeypatch.setattr(type(xarr.default_device().driver), method, refuse)


def test_a_device_that_works(capsys: pytest.CaptureFixture[str]) -> None:
    tier = host_functions.tier.name
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert said.count(" works") == len(doctor.CHECKS) * len(xarr.devices())
    for line in ("numpy ", "default device ", *(f"{one} (" for one in xarr.devices())):
        assert line in said
    assert "FAILED" not in said
    assert "advice" not in said
    assert host_functions.tier.name == tier


def test_a_device_that_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    device = xarr.default_device()
    break_driver(monkeypatch, "the card is gone\nand more", "load", "allocate")
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "kernel" in said
    assert said.count("FAILED: RuntimeError: the card is gone") >= 1
    assert "and more" not in said
    assert f"advice: {device} fails" in said


def test_a_wrong_result_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "solve", lambda a, b: b)
    lines, failing = doctor.examined(xarr.default_device())
    assert failing == ["solve"]
    assert [line.split()[0] for line in lines if "FAILED: ArithmeticError" in line] == ["solve"]


def test_a_compiler_that_fails_is_found_though_kernels_are_in_the_cache(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    device = xarr.default_device()
    assert main(["doctor"]) == 0
    capsys.readouterr()
    break_driver(monkeypatch, "no compiler today", "compile", "compile_own")
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert f"advice: {device}: {doctor.ADVICE['kernel']}" in said


def test_a_process_ends_with_the_status() -> None:
    done = run("-m", "xarr", "doctor")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_may_leave_before_the_end() -> None:
    with start("-m", "xarr", "info") as process:
        assert process.stdout
        process.stdout.close()
        assert (process.stderr and process.stderr.read(), process.wait()) == ("", 0)
