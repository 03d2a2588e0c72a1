"""Garbage that refers to itself, and the finalizers that CPython's collector runs for it.

They may use the arrays of their garbage, when all weak references to these are cleared already; and
they run between any two steps of the engine. So what weak references stand for is held meanwhile,
and what must not be torn apart lets no collection begin.
"""

from __future__ import annotations

import functools
import gc
import os
import threading
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


class _Spans:
    """What runs without collections, in all threads, and whether the user has them enabled.

    An interruption may leave the collector off; the end of the next span turns it on again.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()  # a collection may begin in `begin`
        self.open: set[object] = set()
        self.are_wanted = True
        self.are_off = False

    def begin(self, span: object) -> None:
        with self.lock:
            if not self.are_off:
                self.are_wanted = gc.isenabled()
            self.open.add(span)
            self.are_off = True
            gc.disable()

    def end(self, span: object) -> None:
        with self.lock:
            self.open.discard(span)
            if not self.open and self.are_off:
                if self.are_wanted:
                    gc.enable()
                self.are_off = False

    def forget(self) -> None:
        """Close the spans of threads that a forked process has not."""
        self.lock = threading.RLock()
        self.open.clear()
        self.end(None)


_spans: Final = _Spans()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_spans.forget)


def postponed(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function run without a collection that begins by itself, in the whole process."""

    @functools.wraps(function)
    def run(*args: _P.args, **options: _P.kwargs) -> _R:
        span = object()
        try:
            _spans.begin(span)
            return function(*args, **options)
        finally:
            _spans.end(span)

    return run
