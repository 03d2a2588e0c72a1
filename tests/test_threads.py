"""Arrays in several threads: what one computes, another may be about to read."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import xarr

ROUNDS = 100


@pytest.fixture
def eager_switches() -> Iterator[None]:
    """Threads that take turns after every few instructions."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def together(*works: Callable[[], object]) -> None:
    barrier = threading.Barrier(len(works))

    def run(work: Callable[[], object]) -> None:
        barrier.wait()
        work()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_what_one_thread_computes_another_reads_before_it_is_written(eager_switches: None) -> None:
    for _ in range(ROUNDS):
        p = xarr.asarray(np.arange(1000)) + 1
        r = p * 2
        out: list[xarr.Array] = []
        together(lambda: np.asarray(r), lambda: out.extend(p + k for k in range(20)))  # noqa: B023
        p[:500] = -5
        for k, value in enumerate(out):
            np.testing.assert_array_equal(np.asarray(value), np.arange(1000) + 1 + k)


def test_threads_compute_apart(eager_switches: None) -> None:
    results: dict[int, np.ndarray] = {}

    def work(number: int) -> None:
        x = xarr.asarray(np.arange(500, dtype=np.float32)) + number
        for _ in range(20):
            x[1:] += x[:-1].sum() * 0 + 1
        results[number] = np.asarray(x)

    together(*(lambda number=number: work(number) for number in range(4)))  # type: ignore[misc]
    for number in range(4):
        wanted = np.arange(500, dtype=np.float32) + number
        wanted[1:] += 20
        np.testing.assert_array_equal(results[number], wanted)
