"""Runs that fail: what has run has run, the rest is still asked for, the error says what."""

from __future__ import annotations

import contextlib
import functools
import gc
import inspect
import itertools
import operator
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy
import pytest

import xarr
from tests.engine.pairs import Planned, faults, replay
from tests.launching import storage_of
from tests.processes import run_code
from xarr import cache
from xarr.backends.base import Driver
from xarr.ir.events import hooks
from xarr.ir.steps import launched
from xarr.runtime import dispatch, host_functions
from xarr.tape import tape

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


@pytest.mark.parametrize("where", ["dispatch", "prepare", "_planned"])
def test_what_an_interrupt_keeps_from_being_planned_is_still_asked_for(
    monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """A list that is new has no steps yet, whose instructions would be what is left."""
    monkeypatch.setattr(host_functions.tier, "name", "fused")
    xarr.default_device().programs.clear()
    x = xarr.asarray(numpy.arange(50_000.0))
    xarr.synchronize()

    def interrupted(*given: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(dispatch.Program, where, interrupted)
        x += 1
        y = xarr.sum(x * 2)
        with pytest.raises(KeyboardInterrupt):
            xarr.synchronize()
    assert float(y) == numpy.arange(1.0, 50_001).sum() * 2
    assert numpy.array_equal(xarr.to_numpy(x), numpy.arange(1.0, 50_001))


@pytest.mark.parametrize("after", range(5))
def test_work_that_was_done_in_place_of_others_is_asked_for_with_them(after: int) -> None:
    """One instruction does for two rolls, and for a short sum and what it is of."""
    with faults.installed():
        replay(
            ["c = np.asarray(data((70, 9), 'float32', 1))",
             "d = np.roll(np.roll(c, 1, axis=0), 2, axis=1)",
             "e = np.roll(np.roll(d + 1, 1, axis=0), -1, axis=0) * 2",
             "f = np.sum(c * c - d, axis=1) + c[:, 0]", "c += 1",
             "g = np.sum(e * e, axis=1) * np.max(d, axis=1)",
             f"failing('launch', {after}, 1, g)", "read(f)", "read(d)", "read(g)", "read(e)",
             "read(c)"]
        )  # fmt: skip


@pytest.mark.parametrize("after", range(5))
def test_work_of_several_launches_is_finished_when_one_was_refused(after: int) -> None:
    """Its first launch has overwritten what it read."""
    with faults.installed():
        replay(
            ["c = np.asarray(data((70, 700), 'uint8', 1))", "b = np.any(c + c)", "c += 1",
             "d = c[:-1] + 1", "f = np.sum(c * 2)", f"failing('launch', {after}, 1, f)",
             "read(c)", "read(f)", "read(b)"]
        )  # fmt: skip


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


KINDS = {"launch": Planned, "interrupt": KeyboardInterrupt, "allocate": MemoryError}


@pytest.fixture
def a_driver_that_may_fail() -> Iterator[None]:
    xarr.synchronize()
    with faults.installed():
        yield


class Alarm(Exception):
    """The exception that a signal's handler raises."""


HAS_BUFFERS: Final = tape.IS_COMPILED or sys.version_info >= (3, 12)
READS: Final[dict[str, Callable[[xarr.Array], Any]]] = {
    "asarray": numpy.asarray,
    "array": lambda x: numpy.array([x, x])[1],
    "add": lambda x: numpy.add(numpy.zeros(5), x, out=numpy.zeros(5)),
    "from_dlpack": numpy.from_dlpack,
    "interface": lambda x: numpy.asarray(x.__array_interface__["data"]).view(float),
    "memoryview": lambda x: numpy.asarray(memoryview(x)),
    "frombuffer": lambda x: numpy.frombuffer(x, "f8"),  # asks twice
    "bytearray": lambda x: numpy.frombuffer(bytearray(x)),
}  # fmt: skip


@pytest.mark.usefixtures("a_driver_that_may_fail")
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, MemoryError, Planned, Alarm])
@pytest.mark.parametrize("name", READS)
def test_what_is_raised_under_a_read_in_c_arrives(
    monkeypatch: pytest.MonkeyPatch, name: str, kind: type[BaseException]
) -> None:
    """NumPy clears what a buffer raises, and tries another way, as `memoryview` does not."""
    device = xarr.default_device()
    if not HAS_BUFFERS and name in ("memoryview", "frombuffer", "bytearray"):
        pytest.skip("an interpreted core has no buffers before Python 3.12")
    if not device.info.shares_host_memory and name not in ("asarray", "array", "add"):
        pytest.skip(f"{device} does not share the host's memory")
    with host_functions.fused():
        x = xarr.asarray(numpy.arange(5.0)) * 2
        error = kind("as planned")
        left = [error]

        def interrupted(*given: Any) -> None:
            launched(*given)
            if left:
                raise left.pop()

        with monkeypatch.context() as patch:
            patch.setattr(hooks, "launch", interrupted)
            with pytest.raises(kind) as caught:
                READS[name](x)
        assert caught.value is error
        assert xarr.to_numpy(x).tolist() == [0, 2, 4, 6, 8]
        # The caller was told, so that nothing is told again, and the memory is filled.
        if device.info.shares_host_memory:
            assert READS["interface"](x).tolist() == [0, 2, 4, 6, 8]
        assert READS[name](x).tolist() == [0, 2, 4, 6, 8]


@pytest.mark.parametrize("size", [50, 30_000])
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such alarms")
def test_no_signal_is_lost_while_arrays_are_read(size: int) -> None:
    """A process of its own, since it would crash; each turn goes on until the handler ran."""
    if not HAS_BUFFERS:
        pytest.skip("finalizers that Python runs drop what a signal's handler raises")
    code = f"""
    import random, signal
    import numpy, xarr
    host = numpy.linspace(0, 9, {size})
    x = xarr.asarray(host)
    has_come = False
    def come(*_):
        global has_come
        has_come = True
        raise KeyboardInterrupt
    signal.signal(signal.SIGALRM, come)
    random.seed(1)
    def go_on():
        # A function: what is raised by the jump at a loop's end, CPython 3.13 raises outside of the
        # `try` around the loop.
        global y
        signal.setitimer(signal.ITIMER_REAL, 0.0002 + random.random() * 0.01)
        while not has_come:
            y = xarr.exp(x) * x
            read(y)
    reads = numpy.asarray, numpy.array, memoryview, numpy.from_dlpack
    for read in reads if xarr.default_device().info.shares_host_memory else reads[:2]:
        lost = 0
        for turn in range(60):
            has_come = False
            y = xarr.exp(x) * x
            try:
                go_on()
                lost += 1
            except KeyboardInterrupt:
                pass
            assert numpy.allclose(numpy.asarray(read(y)), numpy.exp(host) * host), turn
        print(lost)
    """
    done = run_code(code)
    is_shared = xarr.default_device().info.shares_host_memory
    assert (done.stdout.split(), done.stderr) == (["0"] * (4 if is_shared else 2), "")


def said(error: BaseException) -> str:
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


@pytest.mark.usefixtures("a_driver_that_may_fail")
@pytest.mark.parametrize("kind", ["launch", "allocate"])
def test_an_error_names_the_operations(kind: str) -> None:
    x = xarr.asarray(numpy.arange(5.0, dtype="float32"))
    y = xarr.sqrt(x * 2)
    with faults.armed(kind, times=9), pytest.raises(KINDS[kind]) as caught:
        xarr.to_numpy(y)
    assert "sqrt" in said(caught.value)
    assert "multiply" in said(caught.value)
    if kind == "allocate":
        assert "20 bytes" in said(caught.value)
    del caught
    assert numpy.array_equal(numpy.asarray(y), numpy.sqrt(numpy.arange(5, dtype="float32") * 2))


@pytest.mark.usefixtures("a_driver_that_may_fail")
@pytest.mark.parametrize("after", range(4))
def test_what_was_a_variable_has_memory_once_it_is_written(after: int) -> None:
    # The first kernel needs no memory for `e`, since all of it is written anew.
    with host_functions.fused():
        b = xarr.asarray(numpy.arange(70))
        e = b + 1
        b[1:] = 2
        b += b[::-1]
        e[::-1] += e[::-1]
        x = b - b.min()
        e[...] = 3
        f = x + e
        total = e.sum()
        del e
        with faults.armed("launch", after), contextlib.suppress(Planned):
            xarr.to_numpy(f)
        assert int(total) == 210
        assert numpy.array_equal(xarr.to_numpy(f), [3, *[5] * 68, 3])


@pytest.mark.usefixtures("a_driver_that_may_fail")
def test_what_is_dead_after_a_failure_holds_no_memory() -> None:
    device = xarr.default_device()
    gc.collect()
    before = device.memory_info()["used_nbytes"]
    x = xarr.asarray(numpy.ones(1 << 16, numpy.float32))
    y = x + 1
    with faults.armed("launch"), pytest.raises(Planned):
        xarr.to_numpy(y)
    with faults.armed("launch"), pytest.raises(Planned):
        xarr.to_numpy(x[::-1] * 2)
    del x, y
    gc.collect()
    xarr.synchronize()
    assert device.memory_info()["used_nbytes"] == before


@pytest.mark.usefixtures("a_driver_that_may_fail")
def test_a_failure_is_no_others_affair() -> None:
    x = xarr.asarray(numpy.arange(5))
    large, small = xarr.zeros(1 << 20) + 1, x * 2
    with faults.armed("allocate", 0, 9), pytest.raises(MemoryError):
        xarr.to_numpy(large)
    assert numpy.array_equal(numpy.asarray(small), numpy.arange(5) * 2)
    assert storage_of(small).buffer is not None
    assert float(large[3]) == 1


def _streamed(x: xarr.Array) -> Any:
    begin, end = xarr.Event(), xarr.Event()
    begin.record()
    with xarr.Stream(priority=-1) as stream:
        y = x * 2
    end.record()
    assert xarr.Stream(pointer=stream.pointer).priority <= 0
    end.wait()
    end.synchronize()
    assert end.done
    xarr.Stream().wait(end)
    xarr.current_stream().call(int)
    assert xarr.current_stream().done in (False, True)
    assert begin.elapsed_ms(end) >= 0
    assert xarr.current_stream().pointer is not None
    return y


def _by_own_kernels(x: xarr.Array) -> xarr.Array:
    text = f"""
    KERNEL void twice(GLOBAL f64 *x) {{ x[GLOBAL_ID(0)] *= 2; }}
    KERNEL void other(GLOBAL f64 *x) {{ x[GLOBAL_ID(0)] = {next(_numbers)}; }}
    """
    module = xarr.RawModule(text)
    y = x * 1
    module.get_function("other")((y.size,), (1,), (x * 1,))
    module.get_function("twice")((y.size,), (1,), (y,))
    assert module.get_function("twice").attributes
    return y


def _repeated(x: xarr.Array) -> xarr.Array:
    with xarr.graph() as graph:
        y = x + x
    graph.launch()
    return y


def _profiled(x: xarr.Array) -> xarr.Array:
    with xarr.profile() as profile:
        y = x + x
        xarr.synchronize(y)
    assert profile.kernels
    return y


def _looked_at(x: xarr.Array) -> xarr.Array:
    xarr.synchronize()
    memory = x.device.memory
    memory.trim()
    assert memory.free <= memory.total
    assert x.device.can_access(x.device)
    assert x.device.attributes
    return x + x


def _pinned(x: xarr.Array) -> Any:
    host = xarr.empty_pinned(x.shape)
    xarr.copyto_async(host, x + x).synchronize()
    return host


_numbers: Final = itertools.count()
USES: Final[tuple[Callable[[xarr.Array], Any], ...]] = (
    lambda x: x + xarr.asarray(xarr.to_numpy(x)),
    lambda x: numpy.asarray(xarr.from_dlpack(numpy.arange(1.0, 10)) + x),
    lambda x: [float(one) * 2 for one in x],
    lambda x: (x[:, None] @ xarr.asarray([[2.0]]))[:, 0],
    lambda x: x.copy() * 2,
    lambda x: xarr.linalg.solve(xarr.eye(9) * 0.5, x),
    lambda x: xarr.sort(x[::-1]) * 2,
    _streamed, _by_own_kernels, _repeated, _profiled, _looked_at, _pinned,
)  # fmt: skip
METHODS: Final = [name for name, _ in inspect.getmembers(Driver, callable) if name[0] != "_"]


@functools.cache
def _asked(kind: type[Driver]) -> list[set[str]]:
    """For each of the uses the methods of a driver that it asks for."""
    found: list[set[str]] = []

    def noting(method: str) -> Callable[..., Any]:
        asked = getattr(kind, method)

        def noted(*given: Any, **options: Any) -> Any:
            found[-1].add(method)
            return asked(*given, **options)

        return noted

    with pytest.MonkeyPatch.context() as patch:
        found.append(set())
        for method in METHODS:
            patch.setattr(kind, method, noting(method))
        for use in USES:
            found.append(set())
            x = xarr.asarray(numpy.arange(9.0)) + 1
            xarr.default_device().programs.clear()
            numpy.asarray(use(x))
    return found[1:]


@pytest.mark.parametrize("method", METHODS)
def test_a_driver_may_fail_once_in_each_of_its_methods(
    monkeypatch: pytest.MonkeyPatch, device: xarr.Device, method: str, tmp_path: Path
) -> None:
    if not device.has_float64:
        pytest.skip(f"{device} has no float64")
    monkeypatch.setattr(cache, "DISK", cache.DiskCache(tmp_path))
    kind = type(device.driver)
    uses = [use for use, methods in zip(USES, _asked(kind), strict=True) if method in methods]
    asked = getattr(kind, method)
    failed, left = 0, -1
    stream = xarr.current_stream().pointer

    def fail_once(*given: Any, **options: Any) -> Any:
        nonlocal left, failed
        left -= 1
        if left == -1:
            failed += 1
            raise Planned
        return asked(*given, **options)

    monkeypatch.setattr(kind, method, fail_once)
    for use, after in itertools.product(uses, range(2)):
        left = -1
        x = xarr.asarray(numpy.arange(9.0))
        x += 1
        device.programs.clear()
        left = after
        for _ in range(2):
            with contextlib.suppress(Planned):
                result = numpy.asarray(use(x))
                break
        left = -1
        if method != "swap_stream":
            assert xarr.current_stream().pointer == stream
        assert numpy.array_equal(result, numpy.arange(2.0, 20, 2)), use
        assert numpy.array_equal(xarr.to_numpy(x), numpy.arange(1.0, 10)), use
    if not failed:
        pytest.skip(f"{device} needs no {method}")


def test_launches_that_could_not_be_asked_for_together_are_made_up_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = xarr.default_device()
    failing: list[bool] = []

    class Together:
        def run(self, asked: Sequence[Any]) -> bool:
            if failing:
                failing.clear()
                raise MemoryError
            return False  # one by one

    monkeypatch.setattr(host_functions.tier, "name", "fused")
    monkeypatch.setattr(type(device.driver), "sequence", lambda self, asked: Together())
    monkeypatch.setattr(type(device.driver), "takes_numbers", False)
    host = numpy.arange(5000.0)
    x = xarr.asarray(host)
    wanted = numpy.cumsum(numpy.cumsum(host * 2) * 0.5)
    for turn in range(4):
        y = xarr.cumulative_sum(xarr.cumulative_sum(x * 2) * 0.5)
        if turn == 3:
            failing.append(True)
            with pytest.raises(MemoryError):
                xarr.synchronize()
            assert not failing
        numpy.testing.assert_array_equal(xarr.to_numpy(y), wanted)


def test_a_finalizer_that_an_allocation_runs_writes_at_once_to_what_others_see() -> None:
    """Garbage is collected when memory runs out, while the tape runs."""
    replay(
        ["g = np.asarray(data((70,), 'int64', 1))", "tie(g, g)", "m = lend(g)",
         "g = np.zeros((70, 70), dtype='int64')", "d = g[::-1] + 3",
         "failing('allocate', 0, 2, d)", "read(m)"]
    )  # fmt: skip
