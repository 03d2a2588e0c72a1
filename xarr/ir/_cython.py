"""Stand-ins for `cython` where the engine runs uncompiled: decorators that do nothing.

The compiler resolves every `cython.x` itself, and never looks in here.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, Generic, TypeAlias, TypeVar

_T = TypeVar("_T")
_C = TypeVar("_C", bound=type)

compiled: bool = False
int = builtins.int
Py_ssize_t: TypeAlias = int
bint: TypeAlias = bool
void: TypeAlias = None


class _Number:
    """A number of C's, of which compiled code has arrays and views of memory."""

    def __getitem__(self, _: Any) -> None:
        return None


double: Any = _Number()
floating: Any = _Number()
ulonglong: Any = _Number()


class pointer(Generic[_T]):  # noqa: N801 - Cython's name
    """The type of a C pointer, which only compiled functions take."""


def foreign(*_: Any) -> Any:
    """Stand for a function of C's, which only compiled code calls."""
    raise NotImplementedError


def _same(item: _T) -> _T:
    return item


def freelist(_: int) -> Callable[[_T], _T]:
    """Return a decorator that does nothing, in place of a pool of a class's objects."""
    return _same


cfunc = ccall = inline = final = no_gc = _same

_BEFORE = {"int": 0, "bool": False}
"""The values of C fields before they are set, by annotation; other fields have None."""


def cclass(kind: _C) -> _C:
    """Give the fields of a class the values that they have in C before they are set."""
    for name, annotation in kind.__annotations__.items():
        if name != "__weakref__" and name not in vars(kind):
            setattr(kind, name, _BEFORE.get(annotation))
    return kind


def declare(kind: Any, value: Any = None) -> Any:
    """Return the value of a variable that has a type in C."""
    return value
