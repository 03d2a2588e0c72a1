"""That what fails in the middle of a run stays asked for."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import xarr
from tests.engine.pairs import faults, replay
from xarr.core.tape import hooks, launched


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The launches to be refused, by how many come before each; used up."""
    left = list[int]()

    def refusing(*given: Any) -> None:
        if left:
            left[0] -= 1
            if left[0] < 0:
                left.pop(0)
                raise KeyboardInterrupt
        launched(*given)

    monkeypatch.setattr(hooks, "launch", refusing)
    yield left
    assert not left


@pytest.mark.parametrize("before", [0, 1])
def test_a_write_that_was_broken_off_is_not_forgotten(refused: list[int], before: int) -> None:
    x, y = xarr.asarray([1.0, 2.0, 3.0]), xarr.asarray([5.0, 6.0, 7.0])
    small = xarr.asarray([1.0, 2.0])
    xarr.synchronize()
    other = small + 1
    x[...] = y * 2
    refused.append(before)
    with pytest.raises(KeyboardInterrupt):
        xarr.synchronize()
    assert x.tolist() == [10, 12, 14]
    assert other.tolist() == [2, 3]


def test_a_result_that_was_broken_off_is_computed(refused: list[int]) -> None:
    x = xarr.asarray([1.0, 2.0, 3.0])
    y = x + 1
    refused.append(0)
    with pytest.raises(KeyboardInterrupt):
        y.tolist()
    assert y.tolist() == [2, 3, 4]
    refused.append(1)
    total = (xarr.arange(100_000) * 2).sum()
    with pytest.raises(KeyboardInterrupt):
        int(total)
    assert int(total) == 99_999 * 100_000


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "in place": lambda np, u: operator.iadd(u, 1),
    "another array": lambda np, u: (u + 1) * 2,
    "written view": lambda np, u: operator.setitem(u, slice(1, None), u[:-1] * 2) or u,
    "two kernels": lambda np, u: np.cumsum(operator.iadd(u, 1)) + u.sum(),
}


@pytest.mark.parametrize("behind", range(3))
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_was_launched_before_an_interrupt_is_not_launched_again(
    monkeypatch: pytest.MonkeyPatch, name: str, behind: int
) -> None:
    """Signals' handlers run behind the driver's call, so the launch has happened."""
    host = numpy.arange(50_000.0)
    wanted = PROGRAMS[name](numpy, host)
    u = xarr.asarray(numpy.arange(50_000.0))
    got = PROGRAMS[name](xarr, u)
    left = [behind]

    def interrupted(*given: Any) -> None:
        launched(*given)
        left[0] -= 1
        if left[0] == -1:
            raise KeyboardInterrupt

    monkeypatch.setattr(hooks, "launch", interrupted)
    with contextlib.suppress(KeyboardInterrupt):
        xarr.synchronize()
    assert numpy.array_equal(xarr.to_numpy(got), wanted)
    assert numpy.array_equal(xarr.to_numpy(u), host)


@pytest.mark.parametrize("after", range(5))
def test_work_of_several_launches_is_finished_when_one_was_refused(after: int) -> None:
    """Its first launch has overwritten what it read."""
    with faults.installed():
        replay(
            [
                "c = np.asarray(data((70, 700), 'uint8', 1))",
                "b = np.any(c + c)",
                "c += 1",
                "d = c[:-1] + 1",
                "f = np.sum(c * 2)",
                f"failing('launch', {after}, 1, f)",
                "read(c)",
                "read(f)",
                "read(b)",
            ]
        )


def test_what_nobody_needs_is_not_put_back() -> None:
    """Its operand's memory is given up before the first launch, also if that fails."""
    with faults.installed():
        replay(
            [
                "a = np.asarray(data((6,), 'int64', 1))",
                "s = a + 1",
                "read(s)",
                "s += s",
                "b = a[::-1] * 2",
                "s += b",
                "del s",
                "failing('launch', 0, 1, b)",
                "c = a + 1",
                "read(c)",
                "read(b)",
            ]
        )


@pytest.mark.parametrize(
    "lines",
    [
        ["x = np.asarray(data((70,), 'int64', 1))", "y = x + x", "read(y)", "z = y + 1",
         "failing('allocate', 0, 9, z)", "m = lend(y)", "m[...] = 1", "read(z)"],
        ["m = data((70,), 'int64', 1)", "x = borrow(m)", "y = np.arange(70) + 1",
         "failing('launch', 0, 9, y)", "z = x + y", "m[...] = 1", "read(z)"],
    ],
)  # fmt: skip
def test_what_reads_memory_that_others_see_is_tried_again_before_they_write(
    lines: list[str],
) -> None:
    replay(lines)


def _by_kernel(x: xarr.Array) -> None:
    xarr.RawKernel("KERNEL void set(GLOBAL f64 *x) { x[GLOBAL_ID(0)] = 9; }", "set")(
        (3,), (1,), (x,)
    )


def _by_copy(x: xarr.Array) -> None:
    xarr.copyto_async(x, numpy.full(3, 9.0))


@pytest.mark.parametrize("write", [_by_kernel, _by_copy, None])
def test_what_failed_reads_what_was_there_before_others_write(
    monkeypatch: pytest.MonkeyPatch, device: xarr.Device, write: Callable[[xarr.Array], None] | None
) -> None:
    if not device.has_float64:
        pytest.skip(f"{device} has no float64")
    x = xarr.asarray([1.0, 2.0, 3.0]) + 0
    with xarr.graph() as g:
        x[...] = 9
    x[...] = 1
    xarr.synchronize(x)
    y = x + 1
    with monkeypatch.context() as patch:
        patch.setattr(hooks, "launch", _refuse)
        with pytest.raises(ZeroDivisionError):
            xarr.synchronize()
    g.launch() if write is None else write(x)
    assert x.tolist() == [9, 9, 9]
    assert y.tolist() == [2, 2, 2]


def _refuse(*_: Any) -> None:
    raise ZeroDivisionError
