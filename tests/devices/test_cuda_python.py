"""The examples for who comes from cuda.core, Numba and cuda.bindings."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
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


def test_a_handle_travels_without_its_array(
    device: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = np.arange(10, dtype="float64")
    handle = xarr.IpcHandle(str(device), bytes(64), 72, (5,), (-2,), "<f8", xarr.ones(5))
    with pytest.raises(RuntimeError, match="this process made the handle"):
        handle.open()
    there = pickle.loads(pickle.dumps(handle))
    assert there == handle
    if device.info.memory != "CUDA":
        with pytest.raises(RuntimeError, match="has no way to memory of other processes"):
            there.open()
    if device.info.memory == "host":
        monkeypatch.setattr(device.driver, "open_exported", lambda name: (host.ctypes.data, host))
        x = there.open(device)
        assert x.tolist() == [9, 7, 5, 3, 1]
        x += 1
        device.synchronize()
        assert host.tolist() == [0, 2, 2, 4, 4, 6, 6, 8, 8, 10]


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
