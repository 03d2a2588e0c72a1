"""`cached_call` and `by_numpy`: functions of arrays that take less time than their Python.

What such a function records follows from the structures of its arrays and from its other arguments.
So the second call like an earlier one is noted, and from the third on (the fourth, if structures
are new) its instructions are recorded without a call of the function: `concat` of two arrays takes
2 us so, not 15.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

from xarr import tuning
from xarr.array.call_cache import CallCache
from xarr.array.host_calls import HostCall
from xarr.memo import listed

_P = ParamSpec("_P")
_R = TypeVar("_R")


_recordings: Final[list[dict[Any, Any]]] = []
listed("CallCache.recordings", tuning.REMEMBERED, lambda: _recordings)


def cached_call(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Have calls like earlier ones recorded without running the function.

    It depends on nothing but its arguments, and warns by `errors.warn`. A call that looks at
    values, warns, writes to what it was given or returns that itself is never recorded so.
    """
    known = CallCache(function)
    _recordings.append(known.recordings)

    @functools.wraps(function)
    def call(*given: _P.args, **named: _P.kwargs) -> _R:
        found: _R = known.call(given, named)
        return found

    vars(call)["recordings"] = known.recordings
    return call


def by_numpy(
    numpys: Callable[..., Any], arrays: int = 1, *, writes: bool = False
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Have NumPy's function compute a call on few elements that are in a CPU's memory.

    It takes the same arguments, of which as many by position may be `arrays`, and its results have
    the bits of the instructions: it selects, orders, counts or computes with integers. A function
    that `writes` changes its first argument, and refuses what is wrong before.
    """

    def decorated(function: Callable[_P, _R]) -> Callable[_P, _R]:
        known = HostCall(function, numpys, arrays, writes)

        @functools.wraps(function)
        def call(*given: _P.args, **named: _P.kwargs) -> _R:
            found: _R = known.call(given, named)  # type: ignore[assignment]
            return found

        return call

    return decorated
