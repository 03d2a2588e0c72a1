"""Garbage that refers to itself, and the finalizers that CPython's collector runs for it.

They may use the arrays of their garbage, when all weak references to these are cleared already; and
they run between any two steps of the engine. So what weak references stand for is held meanwhile,
and what must not be torn apart lets no collection begin.
"""

from __future__ import annotations

import functools
import gc
import os
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


class _Collector:
    """Whether the collector is off because spans are open, and not by the user's will."""

    is_off = False


_open: Final[set[object]] = set()
"""The spans without collections that are open, in all threads."""


def postponed(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function run without a collection that begins by itself, in the whole process.

    Let it be called where the thread waits for no other one, since garbage piles up meanwhile.
    """

    # Without a lock, which a finalizer might wait for. CPython looks for signals and changes
    # threads after calls: whoever opens a span is in `_open` before he asks, and who is interrupted
    # in `finally` has left it, so that the next one turns the collector on.
    @functools.wraps(function)
    def run(*args: _P.args, **options: _P.kwargs) -> _R:
        span = object()
        try:
            _open.add(span)
            if gc.isenabled():
                _Collector.is_off = True
                gc.disable()
            return function(*args, **options)
        finally:
            _open.discard(span)
            if not _open and _Collector.is_off:
                _Collector.is_off = False
                gc.enable()

    return run


def _forget_other_threads() -> None:
    """Close the spans of threads that a forked process has not."""
    _open.clear()
    if _Collector.is_off:
        _Collector.is_off = False
        gc.enable()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_other_threads)
