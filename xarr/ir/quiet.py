# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Calls of NumPy's functions that say nothing of overflow and the like."""

from __future__ import annotations

from typing import Any

from xarr import dtypes
from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir._cython import foreign as context_copy, foreign as enter, foreign as leave

_QUIET = cython.declare(object, dtypes.QUIET)
_quietly = cython.declare(object, dtypes.quietly)


@cython.cfunc
def called_quietly(function: Any, values: list[Any], named: dict[str, Any] | None = None) -> object:
    """Call a function of NumPy's as `dtypes.quietly` does, which takes 700 instructions more."""
    if not cython.compiled:
        return _quietly(function, *values, **(named or {}))
    count: cython.Py_ssize_t = len(values)
    context: object = context_copy(_QUIET)
    enter(context)
    try:
        if named:
            return function(*values, **named)
        if count == 2:
            return function(values[0], values[1])
        if count == 3:
            return function(values[0], values[1], values[2])
        return function(values[0]) if count == 1 else function(*values)
    finally:
        leave(context)
