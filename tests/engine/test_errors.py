"""Runs that fail: what has run has run, the rest is still asked for, the error says what."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest

import xarr
from tests.engine.pairs import Planned, faults
from tests.launching import storage_of

KINDS = {"launch": Planned, "interrupt": KeyboardInterrupt, "allocate": MemoryError}


@pytest.fixture(autouse=True)
def a_driver_that_may_fail() -> Iterator[None]:
    xarr.synchronize()
    with faults.installed():
        yield


def said(error: BaseException) -> str:
    """An error's text and notes."""
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


@pytest.mark.parametrize("kind", ["launch", "allocate"])
def test_an_error_names_the_operations(kind: str) -> None:
    x = xarr.asarray(np.arange(5.0, dtype="float32"))
    y = xarr.sqrt(x * 2)
    with faults.armed(kind, times=9), pytest.raises(KINDS[kind]) as caught:
        xarr.to_numpy(y)
    assert "sqrt" in said(caught.value)
    assert "multiply" in said(caught.value)
    if kind == "allocate":
        assert "20 bytes" in said(caught.value)
    del caught
    assert np.array_equal(np.asarray(y), np.sqrt(np.arange(5, dtype="float32") * 2))


@pytest.mark.parametrize("after", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_what_failed_is_computed_when_it_is_asked_for_again(kind: str, after: int) -> None:
    x = xarr.asarray(np.arange(12).reshape(3, 4))
    total = x.sum(axis=0)
    x[1:] += total
    scanned = xarr.cumulative_sum(x * 2, axis=1)
    x[:, ::2] = x[:, 1::2] + 1
    shifted = x[:, ::-1] + scanned
    x += x.T[0, 0]
    host = np.arange(12).reshape(3, 4)
    totals = host.sum(axis=0)
    host[1:] += totals
    scans = np.cumsum(host * 2, axis=1)
    host[:, ::2] = host[:, 1::2] + 1
    shifts = host[:, ::-1] + scans
    host += host[0, 0].copy()
    with faults.armed(kind, after, 9):
        try:
            xarr.to_numpy(shifted)
        except KINDS[kind]:
            failed = True
        else:
            failed = False
    assert failed or after
    other = xarr.ones(3) + 1
    assert np.array_equal(np.asarray(other), [2, 2, 2])
    for got, wanted in ((x, host), (shifted, shifts), (scanned, scans), (total, totals)):
        assert np.array_equal(np.asarray(got), wanted)


def test_what_is_dead_after_a_failure_holds_no_memory() -> None:
    device = xarr.default_device()
    gc.collect()
    before = device.memory_info()["used_nbytes"]
    x = xarr.asarray(np.ones(1 << 16, np.float32))
    y = x + 1
    with faults.armed("launch"), pytest.raises(Planned):
        xarr.to_numpy(y)
    with faults.armed("launch"), pytest.raises(Planned):
        xarr.to_numpy(x[::-1] * 2)
    del x, y
    gc.collect()
    xarr.synchronize()
    assert device.memory_info()["used_nbytes"] == before


def test_a_failure_is_no_others_affair() -> None:
    """A value that has nothing to do with what fails is computed."""
    x = xarr.asarray(np.arange(5))
    large, small = xarr.zeros(1 << 20) + 1, x * 2
    with faults.armed("allocate", 0, 9), pytest.raises(MemoryError):
        xarr.to_numpy(large)
    assert np.array_equal(np.asarray(small), np.arange(5) * 2)
    assert storage_of(small).buffer is not None
    assert float(large[3]) == 1
