"""Programs that a CUDA driver is asked for by one call: a graph whose nodes have new parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr
from tests.launching import change
from xarr.ir.events import counts


@pytest.fixture(autouse=True)
def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    device = xarr.default_device()
    if device.info.dialect != "cuda":
        pytest.skip(f"{device} is not driven through CUDA")
    change(monkeypatch, device)


def several(x: xarr.Array, scale: float) -> tuple[xarr.Array, xarr.Array]:
    """Compute what takes three launches at least."""
    y = (x + scale) * x
    return xarr.cumulative_sum(xarr.cumulative_sum(y) - xarr.max(y)), y[::-1] * scale


def wanted(x: Any, scale: float) -> tuple[Any, Any]:
    y = (x + scale) * x
    return np.cumsum(np.cumsum(y) - np.max(y)), y[::-1] * scale


def repeat(x: xarr.Array) -> None:
    """As often as it takes until the driver is asked by one call."""
    for _ in range(3):
        kept = several(x, 2.0)
        xarr.synchronize()
        del kept


def require(got: tuple[xarr.Array, ...], host: Any, scale: float) -> None:
    for mine, theirs in zip(got, wanted(host, scale), strict=True):
        np.testing.assert_array_equal(xarr.to_numpy(mine), theirs)


def sequences() -> list[Any]:
    programs = xarr.default_device().programs.values()
    found = {program for trace in set(programs) for program in trace.programs.values()}
    return [one for program in found for one in program.sequences or [] if one is not None]


def test_each_turn_has_its_own_operands() -> None:
    kept = []
    for turn in range(6):
        host = np.arange(5000.0) % 7 + turn
        before = counts.launches
        got = several(xarr.asarray(host), turn + 0.5)
        xarr.synchronize()
        launches = counts.launches - before
        kept.append((got, host, turn + 0.5))
        assert launches >= 3
    assert sequences()
    for each in kept:
        require(*each)


def test_streams_wait_for_each_other() -> None:
    x = xarr.asarray(np.ones(20_000))
    streams = [xarr.Stream(), xarr.Stream()]
    for turn in range(8):
        with streams[turn % 2]:
            x = x * 2 - x[::-1] * 0.5
            xarr.default_device().tape.end()
    assert sequences()
    np.testing.assert_array_equal(xarr.to_numpy(x), np.full(20_000, 1.5**8))


def test_a_profile_sees_each_launch() -> None:
    x = xarr.asarray(np.arange(3000.0))
    repeat(x)
    assert sequences()
    with xarr.profile() as p:
        got = several(x, 3.0)
        xarr.synchronize()
    assert sum(cost.launches for cost in p.kernels) >= 3
    np.testing.assert_array_equal(xarr.to_numpy(got[1]), wanted(np.arange(3000.0), 3.0)[1])


def test_a_graph_records_them() -> None:
    x, y = xarr.asarray(np.arange(300.0)), xarr.zeros(300) + 0
    for _ in range(3):
        y[...] = (x + 1) * x
        xarr.synchronize()
    assert sequences()
    with xarr.graph() as g:
        y[...] = (x + 1) * x
    x[...] = 3
    xarr.synchronize()
    g.launch()
    np.testing.assert_array_equal(xarr.to_numpy(y), np.full(300, 12.0))


def test_one_that_is_refused_is_launched_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    x = xarr.asarray(np.arange(900.0))
    repeat(x)
    (sequence,) = sequences()
    monkeypatch.setattr(type(sequence), "_launch", lambda *_: 999)
    before = xarr.default_device().driver.launched
    got = several(x, 5.0)
    xarr.synchronize()
    assert xarr.default_device().driver.launched - before >= 3
    require(got, np.arange(900.0), 5.0)


def test_memory_that_is_short_breaks_one_off_and_it_is_done_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = xarr.asarray(np.arange(900.0))
    repeat(x)
    driver: Any = type(xarr.default_device().driver)
    allocate = driver.allocate
    for allowed in range(4):
        left = [allowed]

        def short(self: Any, nbytes: int, left: list[int] = left) -> Any:
            left[0] -= 1
            if -9 < left[0] < 0:
                raise MemoryError(nbytes)
            return allocate(self, nbytes)

        with monkeypatch.context() as patch:
            patch.setattr(driver, "allocate", short)
            got = several(x, float(allowed))
            with pytest.raises(MemoryError):
                xarr.synchronize()
        require(got, np.arange(900.0), float(allowed))
