"""What the core asks of `cython` where it runs as it is written: decorators that do nothing.

The compiler takes every `cython.x` for its own, and never looks in here.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, Generic, TypeAlias, TypeVar

_T = TypeVar("_T")

compiled: bool = False
int = builtins.int
Py_ssize_t: TypeAlias = int
bint: TypeAlias = bool
void: TypeAlias = None


class pointer(Generic[_T]):  # noqa: N801 - Cython's name
    """The type of a C pointer, which only compiled functions take."""


def _same(item: _T) -> _T:
    return item


def freelist(_: int) -> Callable[[_T], _T]:
    """Nothing, for a class that keeps some of its objects."""
    return _same


cclass = cfunc = ccall = inline = final = no_gc = _same


def declare(kind: Any, value: Any = None, *, visibility: str = "private") -> Any:
    """The value; of an attribute, what C has before it is set: 0, False or None."""
    return kind() if value is None and kind in (int, bool) else value
