# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Remember values by keys, up to a bound."""

from __future__ import annotations

from typing import Any

from xarr import tuning
from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.events import core_counts

_NEW = cython.declare(cython.Py_ssize_t, tuning.NEW)


@cython.cclass
class Memoised:
    """A value of a memo.

    Attributes
    ----------
    is_known : bool
        Whether it was met again after values were needed, and so is worth caching for.
    number : int
        The hash of its key.
    """

    is_known: bool
    born: int
    number: int

    def __hash__(self) -> int:
        """Return the hash of its key: that of its address comes again once it has left."""
        return self.number

    @cython.ccall
    def is_met(self) -> cython.bint:
        """Return `is_known` of a value that is met now; it is new until values are needed."""
        if not self.is_known:
            self.is_known = core_counts.looks != self.born
        return self.is_known


@cython.cclass
class Memo:
    """A cache in three generations, which forgets the values that were not asked for lately.

    Few new values are there at a time: what is not met again leaves early, so that the garbage
    collector has nothing to walk, and only its key's hash is kept, by which it is known when it
    comes again. When the young generation is full it becomes the old one, and the old one is
    dropped; a value of the old one that is asked for becomes young again.
    """

    new: dict[Any, Any]
    young: dict[Any, Any]
    old: dict[Any, Any]
    came: dict[int, None]
    most: int

    def __init__(self, most: int) -> None:
        self.new = {}
        self.young = {}
        self.old = {}
        self.came = {}
        self.most = most

    @cython.ccall
    def get(self, key: object) -> Any:
        """Return the value of a key, or None."""
        found: Memoised | None = self.young.get(key)
        if found is None:
            found = self.new.get(key)
            if found is None and self.old:
                found = self.old.get(key)
                if found is not None:
                    self._keep(key, found)
        if found is not None:
            found.is_met()
        return found

    @cython.ccall
    def keep(self, key: object, value: Memoised, is_known: cython.bint = False) -> object:
        """Cache a value by a key; what is made of known values alone counts as known."""
        number = value.number = hash(key)
        if is_known or number in self.came:
            value.is_known = True
            self._keep(key, value)
            return None
        value.born = core_counts.looks
        if len(self.new) >= _NEW:
            self._age()
        self.new[key] = value
        return None

    def parts(self) -> list[dict[Any, Any]]:
        """Return the dictionaries, the values' first and the hashes' last."""
        return [self.new, self.young, self.old, self.came]

    @cython.cfunc
    def _keep(self, key: object, value: Memoised) -> cython.void:
        """Cache a value in the young generation."""
        if len(self.young) >= self.most:
            self.old = self.young
            self.young = {}
        self.young[key] = value

    @cython.cfunc
    def _age(self) -> cython.void:
        """Move what was met again to the young generation; drop the rest, all but its hashes."""
        value: Memoised
        new: dict[Any, Any] = self.new
        self.new = {}
        for key, value in new.items():
            if value.is_known:
                self._keep(key, value)
            else:
                remembered(self.came, value.number, None)


def remembered(found: dict[Any, Any], key: Any, value: Any) -> Any:
    """Keep a value in a dictionary and return it; one that is full is emptied first."""
    if len(found) >= tuning.REMEMBERED:
        found.clear()
    found[key] = value
    return value
