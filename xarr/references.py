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


class _Slotted:
    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = object()


def _counts() -> tuple[int, int, int]:
    holder = [object()]
    slotted = _Slotted()
    local = object()
    return sys.getrefcount(holder[0]), sys.getrefcount(slotted.value), sys.getrefcount(local)


IN_LIST, IN_SLOT, IN_VARIABLE = _counts()
"""What `sys.getrefcount` gives for what is in one list only, in one slot, in one local variable."""
