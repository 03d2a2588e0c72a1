"""The lock of a device: one thread at a time, again by its owner, after a wait that is given up."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator

import pytest

from xarr.backends.lock import new_lock


@pytest.fixture(autouse=True)
def _often() -> Iterator[None]:
    """Let threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_one_thread_has_it() -> None:
    """Let threads count within the lock: it comes out as if one ran after the other."""
    lock, total = new_lock(), [0]

    def work() -> None:
        for _ in range(2000):
            with lock:
                before = total[0]
                with lock:
                    assert lock._is_owned()
                total[0] = before + 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    assert total == [8000]
    assert not lock._is_owned()


def test_release_by_another_thread_is_refused() -> None:
    """Only the thread that has it releases it."""
    lock, refused = new_lock(), list[bool]()

    def work() -> None:
        try:
            lock.release()
        except RuntimeError:
            refused.append(True)

    lock.acquire()
    one = threading.Thread(target=work)
    one.start()
    one.join(60)
    lock.release()
    assert refused == [True]
    with pytest.raises(RuntimeError):
        lock.release()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
def test_a_wait_that_a_signal_ends_leaves_it_free() -> None:
    """A handler may raise while a thread waits; others have the lock afterwards."""
    lock, has_it, ends = new_lock(), threading.Event(), threading.Event()

    class Ended(Exception):
        pass

    def raised(*_: object) -> None:
        raise Ended

    def hold() -> None:
        with lock:
            has_it.set()
            ends.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    has_it.wait(60)
    before = signal.signal(signal.SIGALRM, raised)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Ended):
            lock.acquire()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not lock._is_owned()
    ends.set()
    holder.join(60)
    taken = list[bool]()
    other = threading.Thread(target=lambda: taken.append(lock.acquire()))
    other.start()
    other.join(60)
    assert taken == [True]
