"""Whether others refer to an object: CPython's counts, and what they are where nobody else does.

Frames, views, expressions and other threads are all references, so a count can only be too high.
Without the interpreter's lock, and on other interpreters, counts say nothing: `COUNTED` is False.
"""

from __future__ import annotations

import sys
from typing import Final

COUNTED: Final = (
    sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)()
)


def _count() -> int:
    local = object()
    return sys.getrefcount(local)


IN_VARIABLE: Final = _count()
"""The count that `sys.getrefcount` returns for an object held by one local variable only."""
