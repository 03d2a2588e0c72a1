"""Garbage that refers to itself, and the finalizers that CPython's collector runs for it.

They may use the arrays of their garbage, when all weak references to these are cleared already; and
they run between any two steps of the engine. So what weak references stand for is held meanwhile,
and what must not be torn apart lets no collection begin.
"""

from __future__ import annotations

import functools
import gc
import weakref
from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")

_lists: Final[list[list[weakref.ref[Any]]]] = []
_held: Final[list[object]] = []
_is_collecting = False


def hold(references: list[weakref.ref[Any]]) -> None:
    """Hold, from now on, what is in a list of weak references while garbage is collected."""
    _lists.append(references)


def is_collecting() -> bool:
    """Whether garbage is being collected, so that what a dead reference stood for may live."""
    return _is_collecting


def _at_collection(phase: str, _: dict[str, int]) -> None:
    global _is_collecting
    _is_collecting = phase == "start"
    if _is_collecting:
        for references in _lists:
            _held.extend([reference() for reference in references[:]])
    else:
        _held.clear()


if hasattr(gc, "callbacks"):  # other interpreters than CPython clear weak references later
    gc.callbacks.append(_at_collection)


def postponed(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function run without a collection that begins by itself, in the whole process."""

    @functools.wraps(function)
    def run(*args: _P.args, **options: _P.kwargs) -> _R:
        was_enabled = gc.isenabled()
        # CPython looks for signals after a call only, so an interruption cannot leave this off.
        try:
            gc.disable()
            return function(*args, **options)
        finally:
            if was_enabled:
                gc.enable()

    return run
