# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Remember values by keys, up to a bound."""

from __future__ import annotations

from typing import Any

from xarr import tuning
from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on


@cython.cclass
class Memo:
    """A cache in two generations, which forgets the values that were not asked for lately.

    When the young generation is full it becomes the old one, and the old one is dropped; a value of
    the old one that is asked for becomes young again.
    """

    young: dict[Any, Any]
    old: dict[Any, Any]
    most: int

    def __init__(self, most: int) -> None:
        self.young = {}
        self.old = {}
        self.most = most

    @cython.ccall
    def get(self, key: object) -> Any:
        """Return the value of a key, or None."""
        found = self.young.get(key)
        if found is None and self.old:
            found = self.old.get(key)
            if found is not None:
                self.keep(key, found)
        return found

    @cython.ccall
    def keep(self, key: object, value: object) -> object:
        """Cache a value by a key."""
        if len(self.young) >= self.most:
            self.old = self.young
            self.young = {}
        self.young[key] = value
        return None


def remembered(found: dict[Any, Any], key: Any, value: Any) -> Any:
    """Keep a value in a dictionary and return it; one that is full is emptied first."""
    if len(found) >= tuning.REMEMBERED:
        found.clear()
    found[key] = value
    return value
