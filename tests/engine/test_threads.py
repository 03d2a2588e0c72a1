"""Arrays in several threads: what one computes, another may be about to read."""

from __future__ import annotations

import contextlib
import queue
import random
import sys
import sysconfig
import time
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import xarr
from tests.engine.pairs import tier
from tests.launching import together
from tests.processes import run_code
from xarr import tuning
from xarr.array import exchange
from xarr.ir.events import hooks
from xarr.tape import builder
from xarr.tape.tape import IS_COMPILED, tape_of

ROUNDS = 100


@pytest.fixture
def eager_switches() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_what_one_thread_computes_another_reads_before_it_is_written(eager_switches: None) -> None:
    for _ in range(ROUNDS):
        p = xarr.asarray(np.arange(1000)) + 1
        r = p * 2
        out: list[xarr.Array] = []
        together(lambda: np.asarray(r), lambda: out.extend(p + k for k in range(20)))  # noqa: B023
        p[:500] = -5
        for k, value in enumerate(out):
            np.testing.assert_array_equal(np.asarray(value), np.arange(1000) + 1 + k)


@pytest.mark.parametrize("name", ["sum", "any", "cumulative_sum", "sort"])
def test_what_one_thread_hands_to_another_is_not_overwritten(name: str) -> None:
    handed: queue.Queue[Any] = queue.Queue(2)
    function = getattr(xarr, name)

    def give() -> None:
        x = xarr.zeros(1000, dtype="int64")
        view = x[:]
        for value in range(500):
            view[...] = value
            handed.put(x * 2)

    def take() -> None:
        for _ in range(500):
            # Nobody but the function has the operand.
            results.append(np.asarray(function(handed.get())))

    results = list[Any]()
    together(give, take)
    for value, result in enumerate(results):
        of_one = getattr(np, name.replace("cumulative_", "cum"))(np.full(1000, 2 * value))
        assert np.array_equal(result, of_one), value


def test_threads_claim_one_memory_together(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(dict[int, int]):
        """Numbers that another thread may change while one reads them."""

        def __contains__(self, key: object) -> bool:
            found = super().__contains__(key)
            time.sleep(1e-4)
            return found

        def __getitem__(self, key: int) -> int:
            value = super().__getitem__(key)
            time.sleep(1e-4)
            return value

    device = xarr.default_device()
    monkeypatch.setattr(device, "shared", Slow())
    x = xarr.asarray(np.arange(10, dtype=np.float32))
    storage = x._view.storage
    assert storage is not None

    def lend() -> None:
        for _ in range(10):
            held = [exchange._Shared(storage, storage) for _ in range(3)]
            assert storage.serial in device.shared
            held.clear()

    together(lend, lend, lend)
    assert device.shared == {}


def test_a_tape_that_another_thread_has_cut_is_left_alone() -> None:
    x = xarr.asarray(np.arange(6.0))
    builder.settle(x._view.device)
    on = tape_of(x._view.device)
    for number in range(tuning.STEPS):
        x = x * 0.5 if number % 2 else x + 1.0
    assert len(on.instructions) == tuning.STEPS
    on.cut()
    left = len(on.instructions)
    on.cut()  # by a thread that saw it full
    assert len(on.instructions) == left


def test_threads_that_fill_a_tape_together_compute_apart(eager_switches: None) -> None:
    results: dict[int, np.ndarray] = {}

    def work(number: int) -> None:
        x = xarr.asarray(np.full(500, float(number)))
        for _ in range(6 * tuning.STEPS):
            x = x * 0.5 + 1.0
        for _ in range(20):
            x[1:] += x[:-1].sum() * 0 + number
        results[number] = np.asarray(x)

    together(*(partial(work, number) for number in range(4)))
    for number in range(4):
        np.testing.assert_array_equal(results[number], [2.0, *[2.0 + 20 * number] * 499])


class Watched:
    """A driver that notes which of its methods are called without the device's lock."""

    FREE = frozenset({"reaches", "routine", "address", "finish"})
    """What changes nothing; nobody holds a lock while he waits for an event."""

    def __init__(self, driver: Any, lock: Any, unlocked: set[str]) -> None:
        self._driver, self._lock, self._unlocked = driver, lock, unlocked

    def __getattr__(self, name: str) -> Any:
        if name not in self.FREE and not self._lock._is_owned():
            self._unlocked.add(name)
        return getattr(self._driver, name)


@pytest.mark.parametrize("option", ["", "as-gpu"])
def test_a_driver_is_called_with_the_lock(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    device = xarr.default_device().pretending(*filter(None, [option]))
    unlocked = set[str]()
    monkeypatch.setattr(device, "driver", Watched(device.driver, device.lock, unlocked))

    @contextlib.contextmanager
    def watched(*_: Any) -> Iterator[None]:
        if not device.lock._is_owned():  # type: ignore[attr-defined]
            unlocked.add("run")
        yield

    monkeypatch.setattr(hooks, "run", watched)
    host = np.arange(300, dtype=np.float32).reshape(3, 100)
    with xarr.device(device), warnings.catch_warnings():
        warnings.simplefilter("ignore", xarr.HostFallbackWarning)
        x = xarr.asarray(host)
        for made in (
            xarr.concat([x, x]), xarr.stack([x, x]), xarr.roll(x, 3), xarr.pad(x, 1),
            xarr.nonzero(x > 5)[0], x[x > 5], x[xarr.asarray([2, 0])], xarr.unique_values(x),
            xarr.sort(x), xarr.cumulative_sum(x, axis=1), xarr.matmul(x, x.T), xarr.fft.fft(x),
            xarr.linalg.svdvals(x), x.to_device(xarr.default_device()), xarr.sum(x),
        ):  # fmt: skip
            np.asarray(made)
        assert "add" in xarr.explain(x + 1)
        x[xarr.asarray([2, 0])] = 1
        x[x > 5] = 2
        x += x
        assert float(x.sum()) > 0
        xarr.synchronize()
        device.memory_info()
        with pytest.raises(MemoryError):
            builder.allocate(device, 1 << 60)
        event = xarr.Event(device)
        with xarr.Stream(device) as stream:
            stream.record().synchronize()
            event.record()
        event.synchronize()
    assert unlocked == set()


def _random_program(seed: str, shared: list[tuple[np.ndarray, xarr.Array]]) -> None:
    """Compute on arrays of a thread's own and on shared ones, and compare them with NumPy's."""
    chosen = random.Random(seed)
    extent = chosen.choice([5, 300])
    pairs = list[tuple[Any, Any]]()
    for factor in range(3):
        host = np.arange(extent) * factor
        pairs.append((host.copy(), xarr.asarray(host) + 0))
    for _ in range(25):
        (x, mine), (y, other) = chosen.choice(pairs), chosen.choice(pairs)
        theirs, common = chosen.choice(shared)
        step, at, number = chosen.randrange(9), chosen.randrange(3), chosen.randrange(-5, 5)
        if step == 0:
            pairs[at] = (x + y) % 1000, (mine + other) % 1000
        elif step == 1:
            x[1:3] = mine[1:3] = number
        elif step == 2:
            x[: extent // 2] += y[: extent // 2]
            mine[: extent // 2] += other[: extent // 2]
        elif step == 3:
            pairs[at] = y + x.sum() % 100, other + mine.sum() % 100
        elif step == 4:
            pairs[at] = np.where(x > y, x, y), xarr.where(mine > other, mine, other)
        elif step == 5:
            pairs[at] = y + (theirs * number).sum(), other + (common * number).sum()
        elif step == 6:
            pairs[at] = np.cumsum(x % 10), xarr.cumulative_sum(mine % 10)
        elif step == 7:
            x[x > 50] = mine[mine > 50] = number
        else:
            assert int(mine[number]) == x[number], seed
    for x, mine in pairs:
        np.testing.assert_array_equal(np.asarray(mine), x, seed)


def test_threads_run_random_programs_on_own_and_shared_arrays(eager_switches: None) -> None:
    hosts = [np.arange(extent) for extent in (7, 300, 5000)]
    shared = [(host, xarr.asarray(host) + 0) for host in hosts]
    ended = list[int]()

    def work(thread: int) -> None:
        for number in range(60):
            _random_program(f"{thread}-{number}", shared)
        ended.append(thread)

    with tier(""):  # the host runs new lists, as programs of users
        together(*(partial(work, thread) for thread in range(4)))
    assert sorted(ended) == [0, 1, 2, 3]


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has its lock always"
)
@pytest.mark.parametrize("lock", ["", "0", "1"])
def test_a_python_without_its_lock_gets_it_or_a_warning(lock: str) -> None:
    code = """
    import sys, xarr
    xarr.devices()
    x = xarr.arange(3) + 1
    from xarr import references
    from xarr.ir.events import hooks
    print(references.are_counted(), sys._is_gil_enabled(), hooks.unheld > 0, x.tolist())
    """
    done = run_code(code, PYTHON_GIL=lock)
    is_on = lock == "1" or (lock == "" and IS_COMPILED)
    assert done.stdout.split()[:3] == [str(is_on)] * 3, done.stderr
    assert ("one thread at a time may use xarr" in done.stderr) != is_on
