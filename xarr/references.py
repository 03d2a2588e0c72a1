"""Whether others refer to an object: CPython's counts, and what they are where nobody else does.

Frames, views, expressions and other threads are all references, so a count can only be too high.
That holds for a free-threaded CPython as long as its global lock is on, which the compiled core
switches on: what one thread drops of another's may be counted until that one notices.

Without the lock a count is two numbers, the owner's and that of all other threads, which are not
read at once. Where the owner takes a reference in between, and a third thread drops one, their sum
is too low. So `are_counted` is False there, as on other interpreters: nothing is taken to be dead,
and each result is stored. Ten operations on 2^22 float32 take two cores 17 ms so, instead of 1.4,
and 64 of them on the tape 1.1 GB, instead of 50 MB; ten on 1,000 and their sum 22 us, not 16.
"""

from __future__ import annotations

import sys
import warnings
from typing import Final

from xarr.errors import message


def _is_locked() -> bool:
    """Return whether Python's global lock is on, as it always was before 3.13."""
    is_on: bool = getattr(sys, "_is_gil_enabled", lambda: True)()
    return is_on


def are_counted() -> bool:
    """Return whether counts are used; to be asked when a compiled module is there."""
    return sys.implementation.name == "cpython" and _is_locked()


def warn_without_lock() -> None:
    """Warn where the global lock is off; called by a module of the core, which switches it on."""
    if not _is_locked():
        fault = "Python's global lock is off, which the core relies on, compiled or not"
        accepted = "one thread at a time may use xarr"
        hint = "set PYTHON_GIL=1 to use it in several threads"
        warnings.warn(message("xarr", fault, accepted, hint), RuntimeWarning, stacklevel=2)


def _count() -> int:
    local = object()
    return sys.getrefcount(local)


IN_VARIABLE: Final = _count()
"""The count that `sys.getrefcount` returns for an object held by one local variable only."""
