"""The examples for who comes from cuda.core, Numba and cuda.bindings."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

import xarr

cuda_python: Any = importlib.import_module("examples.cuda_python")


@pytest.mark.parametrize("example", cuda_python.EXAMPLES, ids=lambda example: example.__name__)
def test_an_example_says_what_it_asserts(example: Callable[[], None], device: xarr.Device) -> None:
    try:
        with device:
            example()
    except cuda_python.LackingError as error:
        pytest.skip(str(error))


def test_every_example_is_listed() -> None:
    made = {one for one in vars(cuda_python).values() if callable(one)}
    examples = {
        one
        for one in made
        if getattr(one, "__module__", "") == cuda_python.__name__
        and one.__annotations__.get("return") == "None"
    }
    assert examples - {cuda_python.add_one} == set(cuda_python.EXAMPLES)


def test_the_program_runs_and_counts_what_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lacks() -> None:
        raise cuda_python.LackingError("it is not there")

    def fails() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(cuda_python, "EXAMPLES", (cuda_python.copies, lacks, fails))
    assert cuda_python.main() == 1
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "copies: ok",
        "lacks: left out: it is not there",
        "fails: FAILED: ZeroDivisionError: ",
    ]
