"""Functions that remember their results, and the list of all tables that do.

``python -m xarr info`` prints the list. Functions remember by `memo`; dictionaries that objects
hold are bounded by `ir/memo.py` and named here by `listed`.
"""

from __future__ import annotations

import functools
import gc
import sys
from collections.abc import Callable, Iterable, Sized
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from xarr import tuning

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

_T = TypeVar("_T")


class Table(NamedTuple):
    """A table that remembers: its entries, how many it may have, and their bytes.

    The bytes are those of the entries themselves, without what these refer to.
    """

    name: str
    entries: int
    most: int
    nbytes: int


_functions: Final[list[_lru_cache_wrapper[Any]]] = []


def memo(function: Callable[..., _T], most: int = tuning.REMEMBERED) -> _lru_cache_wrapper[_T]:
    """Let a function remember its results for the last `most` different arguments."""
    remembering = functools.lru_cache(most)(function)
    _functions.append(remembering)
    return remembering


_dictionaries: Final[list[tuple[str, int, Callable[[], Iterable[Sized]]]]] = []


def listed(name: str, most: int, find: Callable[[], Iterable[Sized]]) -> None:
    """List the dictionaries that objects hold by one name: `find` returns them as they are then."""
    _dictionaries.append((name, most, find))


def tables() -> list[Table]:
    """Return the tables that have entries, those with the most bytes first."""
    found = []
    for name, most, find in _dictionaries:
        held = list(find())
        found.append(Table(name, sum(map(len, held)), most, sum(map(sys.getsizeof, held))))
    for function in _functions:
        info = function.cache_info()
        parts = [one for one in gc.get_referents(function) if not callable(one)]
        name = f"{function.__module__}.{function.__qualname__}".removeprefix("xarr.")
        nbytes = sum(map(sys.getsizeof, parts))
        found.append(Table(name, info.currsize, info.maxsize or 0, nbytes))
    return sorted([one for one in found if one.entries], key=lambda one: -one.nbytes)
