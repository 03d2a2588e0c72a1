# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""The lock of a device, which a thread may take several times.

`threading.RLock` takes 700 machine instructions, of 13,000 of an addition of few elements. Where no
thread waits this one takes none of the system's: Python's global lock keeps other threads away
between two calls of compiled code.
"""

from __future__ import annotations

import threading
from typing import Any

from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from threading import get_ident as this_thread


@cython.cclass
class Lock:
    """A lock that its owner may take again.

    Attributes
    ----------
    owner, count : int
        The thread that has it, and how often.
    waiting : int
        How many threads wait. While one does, the lock changes hands by `turn` alone.
    turn, is_held : Lock of Python's, bool
        What threads wait for, and whether it is held for the owner, who then releases it.
    """

    owner: int
    count: int
    waiting: int
    is_held: bool
    turn: Any

    def __init__(self) -> None:
        self.turn = threading.Lock()

    @cython.ccall
    def acquire(self) -> cython.bint:
        """Take the lock, and wait until other threads have released it."""
        if self.count and self.owner == this_thread():
            self.count += 1
            return True
        if self.count or self.waiting:
            return self._wait()
        self.owner = this_thread()
        self.count = 1
        return True

    @cython.cfunc
    def _wait(self) -> cython.bint:
        """Wait for the turn. A call of Python's may let other threads or finalizers run before."""
        is_mine: cython.bint = False
        if self.count and not self.is_held and self.turn.acquire(False):
            is_mine = not self.count  # the owner has gone meanwhile; else the turn is held for it
            self.is_held = True
        if not is_mine:
            self.waiting += 1
            try:
                self.turn.acquire()
            finally:
                self.waiting -= 1
        self.is_held = True
        self.owner = this_thread()
        self.count = 1
        return True

    @cython.ccall
    def release(self) -> object:
        """Release the lock, as often as it was taken."""
        if not self.count or self.owner != this_thread():
            raise RuntimeError("cannot release a lock that this thread has not taken")
        self.count -= 1
        if not self.count and self.is_held:
            self.is_held = False
            self.turn.release()
        return None

    def _is_owned(self) -> bool:
        return self.count > 0 and self.owner == this_thread()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, kind: object, value: object, traceback: object) -> None:
        self.release()


def new_lock() -> Any:
    """Return a lock; one of Python's where this is interpreted, as threads take turns there."""
    return Lock() if cython.compiled else threading.RLock()
