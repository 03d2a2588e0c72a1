"""Finalizers: what they write and read, whenever they run, is what NumPy's arrays would hold.

While work is being launched they may ask for no value: that is a RuntimeError, and what is launched
stays right.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import sysconfig
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import xarr
from tests.functions.calls import program, rows
from tests.launching import refuse_memory
from tests.processes import run_code

Work = Callable[[], object]


class Cycle:
    """Garbage as soon as nobody has it, for the collector alone."""

    def __init__(self, last: Callable[[Cycle], object]) -> None:
        self.me = self
        self.last = last
        self.x: Any = None
        self.y: Any = None

    def __del__(self) -> None:
        self.last(self)


def _write_and_read(library: Any, seen: list[Any]) -> Iterator[None]:
    x = library.ones(4)
    later = x * 3
    try:
        yield
    finally:
        x[...] = 7
        seen += [later, x]


def a_generator(library: Any) -> list[Any]:
    seen = list[Any]()
    held = list[Any]()

    def steps() -> Iterator[None]:
        cycle = held
        yield from _write_and_read(library, seen)
        del cycle

    held.append(steps())
    next(held[0])
    return seen


def an_object(library: Any) -> list[Any]:
    seen = list[Any]()

    def last(cycle: Cycle) -> None:
        cycle.x[...] = 100
        seen.append(cycle.y)

    cycle = Cycle(last)
    cycle.x = library.ones(4)
    cycle.y = cycle.x / 2
    return seen


def an_object_with_a_view(library: Any) -> list[Any]:
    seen = list[Any]()

    def last(cycle: Cycle) -> None:
        cycle.x += 1
        cycle.y[:1] += 1
        whole = cycle.x[:]
        whole += 1
        seen.extend([cycle.x, cycle.y])

    cycle = Cycle(last)
    cycle.x = library.ones(4)
    cycle.y = cycle.x[:2]
    return seen


@pytest.mark.parametrize("make", [a_generator, an_object, an_object_with_a_view])
def test_a_finalizer_of_garbage_sees_what_numpy_shows(make: Callable[[Any], list[Any]]) -> None:
    results = []
    for library in (xarr, np):
        seen = make(library)
        gc.collect()
        assert seen
        results.append([np.array(x) for x in seen])
    for ours, theirs in zip(*results, strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("written", ["a number", "itself"])
def test_what_a_finalizer_takes_out_of_garbage_stays_what_it_was(written: str) -> None:
    x = xarr.ones(4)
    saved = list[Any]()
    cycle = Cycle(lambda cycle: saved.append(cycle.y))
    cycle.y = x * 2
    del cycle
    gc.collect()
    x[...] = saved[0] if written == "itself" else 100
    assert np.array_equal(np.asarray(saved[0]), [2, 2, 2, 2])


@pytest.mark.parametrize(
    "name",
    [
        *("sum", "prod", "max", "min", "mean", "std", "argmax", "any", "all", "count_nonzero"),
        *("cumulative_sum", "cumulative_prod", "matmul", "sort", "nonzero"),
    ],
)
def test_an_operand_that_dies_may_have_a_finalizer(name: str) -> None:
    x = xarr.asarray([1.0, 0.0, 2.0, 4.0], dtype="float32")
    wanted = np.asarray([1, 0, 2, 4]) - 1
    held = [x - 1]
    weakref.finalize(held[0], x.__setitem__, ..., 100)
    more = (xarr.ones(4, dtype="float32"),) if name == "matmul" else ()
    result = getattr(xarr, name)(held.pop(), *more)
    other = getattr(np, name.replace("cumulative_", "cum"))(wanted, *map(np.asarray, more))
    result, other = (found[0] if name == "nonzero" else found for found in (result, other))
    np.testing.assert_allclose(np.asarray(result), other)
    assert float(x[0]) == 100


COMPUTATIONS = """
-> x * 2
-> xarr.max(x * 2{|, axis=1})
-> xarr.cumulative_sum(x * 2, axis=0)[:1]
value, y = x * 2, xarr.zeros((3, 3), dtype="int64"); y[:2] = value[:2] -> y[:2]
value, y = x * 2, xarr.zeros((3, 3), dtype="int64"); y[xarr.asarray([0, 2])] = value[:2] -> y[2]
"""


@contextlib.contextmanager
def collected_after(made: int, last: Callable[[Cycle], object]) -> Iterator[None]:
    """Let garbage with a finalizer be collected when so many objects have been made."""
    threshold = gc.get_threshold()
    gc.collect()
    try:
        gc.set_threshold(made)
        Cycle(last)
        yield
    finally:
        gc.set_threshold(*threshold)


@pytest.fixture
def collected_fast() -> None:
    """Let the collector pass over all that was there before."""
    gc.freeze()


@pytest.mark.usefixtures("collected_fast")
@pytest.mark.parametrize("memory", ["ample", "short"])
@pytest.mark.parametrize("line", rows(COMPUTATIONS))
def test_finalizers_may_write_at_any_time(
    line: str, memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compute = program(line, "x", xarr=xarr)
    x = xarr.zeros((3, 3), dtype="int64")
    view = x[:]
    written = 0

    def last(_: Cycle) -> None:
        nonlocal written
        with contextlib.suppress(RuntimeError):
            view[...] = written + 1
            written += 1

    if memory == "short":
        asked = itertools.count(1)
        refuse_memory(monkeypatch, lambda: not next(asked) % 3)
    meanwhile = 0
    for made in range(1, 400):
        pending = x + 0
        before = written
        with collected_after(made, last):
            result = np.asarray(compute(pending))
        meanwhile += written != before
        assert (result == 2 * before).all(), made
        assert (np.asarray(x) == written).all(), made
    assert meanwhile > 10


@pytest.fixture
def as_gpu() -> Iterator[xarr.Device]:
    """The default device, taken for a GPU, where all functions have kernels."""
    with xarr.device(f"{str(xarr.default_device()).partition('?')[0]}?as-gpu") as chosen:
        yield chosen


SEVERAL_LAUNCHES: dict[str, Callable[[Any], Any]] = {
    "scan": xarr.cumulative_sum,
    "transform": lambda x: xarr.fft.fft(x[:4096] + 0j),
    "nonzero": lambda x: xarr.nonzero(x >= 0)[0],
}


@pytest.mark.usefixtures("as_gpu", "collected_fast")
@pytest.mark.parametrize("name", SEVERAL_LAUNCHES)
def test_what_takes_several_launches_reads_at_one_time(name: str) -> None:
    compute = SEVERAL_LAUNCHES[name]
    written = 0

    def values() -> Any:
        return xarr.asarray(np.arange(20_000) * (written + 1) % 1009, dtype="float32") - 500

    x = xarr.asarray(values())
    view = x[:]
    here = threading.get_ident()

    def last(_: Cycle) -> None:
        nonlocal written
        if threading.get_ident() != here:  # of a thread that compiles: other default, other order
            return
        written += 1
        try:
            view[...] = values()
        except RuntimeError:
            written -= 1

    results: dict[int, Any] = {}  # after so many writes

    def accepted(result: Any) -> bool:
        if written not in results:
            results[written] = np.asarray(compute(values()))
        return np.array_equal(result, results[written])

    meanwhile = 0
    for made in range(1, 200):
        gc.collect()  # the cycle before, if it is still there
        before = written
        accepted(None)
        with collected_after(made, last):
            result = np.asarray(compute(x))
        meanwhile += written != before
        assert accepted(result) or np.array_equal(result, results[before]), made
    gc.collect()
    # A free-threaded Python collects by how many objects live, not by how many were made.
    assert meanwhile > 10 or sysconfig.get_config_var("Py_GIL_DISABLED")


@pytest.mark.usefixtures("collected_fast")
@pytest.mark.parametrize(
    "make",
    [
        lambda x: xarr.arange(9, dtype="float32"),
        lambda x: xarr.linspace(0, 1, 9),
        lambda x: xarr.asarray(np.ones(9), dtype="float32"),
        lambda x: x + 1.5,
        lambda x: x + 1e300,
    ],
    ids=["arange", "linspace", "asarray", "a scalar", "a large scalar"],
)
def test_finalizers_convert_while_others_do(
    make: Callable[[Any], Any], device: xarr.Device
) -> None:
    """CPython 3.11 crashes where one context variable is set within the setting of another."""
    x = xarr.zeros(4, dtype="float32")
    converted = 0

    def last(_: Cycle) -> None:
        nonlocal converted
        xarr.asarray(np.ones(3), dtype="float32")
        converted += 1

    for made in range(1, 100):
        for before in range(2):
            with collected_after(made, last):
                held = [x > number for number in range(before)]
                make(x)
            del held
            gc.collect()
    assert converted == 2 * 99


WRITES = """
x += value
x[{...] = 7|...] = value.T|...] = x[::-1] + value|value > 0] = 7|xarr.asarray([2, 0, 1])] = value}
"""


@pytest.mark.usefixtures("collected_fast")
@pytest.mark.parametrize("memory", ["ample", "short"])
@pytest.mark.parametrize("line", rows(WRITES))
def test_what_finalizers_read_is_of_one_time(
    line: str, memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = program(f"{line} -> x", "x, value", xarr=xarr)
    x = xarr.zeros((3, 3), dtype="int64")
    view = x[:]
    other = xarr.zeros((3, 3), dtype="int64")
    seen = list[tuple[Any, Any]]()

    def last(_: Cycle) -> None:
        doubled = x * 2
        with contextlib.suppress(RuntimeError):
            seen.append((doubled, np.array(view)))

    if memory == "short":
        asked = itertools.count(1)
        refuse_memory(monkeypatch, lambda: not next(asked) % 3)
    for made in range(1, 300):
        x[...] = 0
        value = other + made
        with collected_after(made, last):
            write(x, value)
        gc.collect()
        for pending, at_once in seen:
            assert np.array_equal(np.asarray(pending), 2 * at_once), made
        seen.clear()


def _asks_for_a_value(x: Any, view: Any) -> None:
    float(x.sum())


def _reads_what_is_launched(x: Any, view: Any) -> None:
    np.asarray(view)


def _rotate_body(x: xarr.Array) -> xarr.Array:
    turned = xarr.ElementwiseKernel(
        "T x, raw T y", "T z", "z = x + y[_ind.size() - 1 - i]", "turned"
    )
    return turned(x, x * 0)  # type: ignore[no-any-return]


def _raw(x: xarr.Array) -> xarr.Array:
    out = xarr.empty_like(x)
    same = xarr.RawKernel(
        "KERNEL void same(GLOBAL const i64 *x, GLOBAL i64 *y) "
        "{ y[GLOBAL_ID(0)] = x[GLOBAL_ID(0)]; }",
        "same",
    )
    same((9,), (1,), (x, out))
    return out


@pytest.mark.parametrize("ask", [_asks_for_a_value, _reads_what_is_launched])
def test_a_value_that_is_asked_for_within_a_launch_is_refused(
    ask: Callable[[Any, Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On PoCL a finalizer within an own kernel's launch left the queue busy and taken for idle.

    Memory that the kernel had yet to read was given to others.
    """
    driver = type(xarr.default_device().driver)
    x, other = xarr.ones(9, dtype="int64") + 1, xarr.ones((9, 9), dtype="int64") + 1
    view = other[1:]
    refused, answered = list[RuntimeError](), list[object]()

    def interrupting(launch: Callable[..., None]) -> Callable[..., None]:
        def interrupted(*arguments: Any) -> None:
            try:
                ask(other, view)
            except RuntimeError as error:
                refused.append(error)
            else:
                answered.append(ask)
            launch(*arguments)

        return interrupted

    for own in (_rotate_body, _raw):
        own(x)
    xarr.synchronize(x)
    results = x * 2, (x * 3).sum(), xarr.cumulative_sum(x)
    other[0] = 7
    with monkeypatch.context() as patch:
        for name in ("launch", "launch_with"):
            patch.setattr(driver, name, interrupting(getattr(driver, name)))
        xarr.synchronize()
        for work in (lambda x: xarr.max(x + other[0]), _rotate_body, _raw):
            results += (work(x),)
            xarr.synchronize()
    assert refused
    assert _asks_for_a_value not in answered
    assert all("while work is being launched" in str(error) for error in refused)
    wanted = np.full(9, 2)
    for got, right in zip(
        results, (wanted * 2, 54, wanted.cumsum(), 9, wanted, wanted), strict=True
    ):
        assert np.array_equal(np.asarray(got), right)
    assert np.array_equal(np.asarray(other), np.full((9, 9), [[7]] + [[2]] * 8))


def test_what_is_recorded_within_a_launch_comes_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = type(xarr.default_device().driver)
    launch = driver.launch
    x = xarr.ones(9, dtype="int64") + 1
    seen = []

    def interrupted(*arguments: Any) -> None:
        seen.append(x * 10)
        x[...] = 5
        launch(*arguments)

    doubled = x * 2
    with monkeypatch.context() as patch:
        patch.setattr(driver, "launch", interrupted)
        xarr.synchronize()
    assert np.array_equal(np.asarray(doubled), np.full(9, 4))
    assert np.array_equal(np.asarray(seen[0]), np.full(9, 20))
    assert np.array_equal(np.asarray(x), np.full(9, 5))


def test_a_finalizer_writes_to_memory_that_its_lender_has_not_freed() -> None:
    """The lender's memory goes when all finalizers of the garbage are done."""
    device = xarr.default_device()
    if not device.info.shares_host_memory:
        pytest.skip(f"{device} copies what the host lends")
    host = np.zeros(1000)
    view = host[::-1]
    freed = weakref.finalize(view, int)
    found: list[bool] = []

    def last(cycle: Cycle) -> None:
        cycle.x += 1
        found.append(freed.alive)

    x = xarr.from_dlpack(view)  # before the cycle, as the collector takes them in this order
    cycle = Cycle(last)
    cycle.x = x
    del cycle, view, x
    gc.collect()
    assert found == [True]
    assert not freed.alive
    assert np.array_equal(host, np.ones(1000))


def test_handlers_of_a_program_end_before_memory_that_libraries_free() -> None:
    """Numba frees its memory by finalizers that run at the end of the process."""
    done = run_code(
        """
        import atexit, weakref
        import xarr
        atexit.register(print, "a handler of the program")
        memory = {1}
        weakref.finalize(memory, print, "memory is freed")
        """
    )
    assert done.stdout.splitlines() == ["a handler of the program", "memory is freed"], done.stderr
