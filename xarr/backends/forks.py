"""Locks of devices over a fork: a child would have those of other threads, and not the threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Protocol

from xarr import lazy
from xarr.backends.lock import Lock


class _Locked(Protocol):
    lock: Lock


def hold_over_forks(forkable: Callable[[], Sequence[_Locked]]) -> None:
    """Have the locks of the devices that `forkable` gives held while the process forks.

    So other threads' work is waited for.
    """

    def before() -> None:
        devices = forkable()
        for one in devices:
            one.lock.acquire()
        while lazy.is_importing():  # which may need a device, so none is held while that ends
            for one in devices:
                one.lock.release()
            lazy.wait_for_imports()
            for one in devices:
                one.lock.acquire()

    def after() -> None:
        for one in forkable():
            one.lock.release()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=before, after_in_parent=after, after_in_child=after)
