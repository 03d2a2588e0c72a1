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


_NEVER: Final = (1 << 31) - 12345
"""The threshold while spans are open. `gc.disable` is the user's, who may call it meanwhile, and so
is every other threshold than this odd number: no span undoes them."""
_open: Final[set[object]] = set()
"""The spans without collections that are open, in all threads."""
_threshold = 0
"""From how many new objects on a collection began by itself before."""


def postponed(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function run without a collection that begins by itself, in the whole process.

    Let it be called where the thread waits for no other one, since garbage piles up meanwhile.
    """
    if not hasattr(gc, "set_threshold"):  # other interpreters than CPython
        return function

    # Without a lock, which a finalizer might wait for. CPython looks for signals and changes
    # threads after calls: whoever opens a span is in `_open` before he asks, and who is interrupted
    # in `finally` has left it, so that the next one lets collections begin again.
    @functools.wraps(function)
    def run(*args: _P.args, **options: _P.kwargs) -> _R:
        global _threshold
        span = object()
        try:
            _open.add(span)
            threshold = gc.get_threshold()[0]
            if threshold not in (0, _NEVER):
                _threshold = threshold
                gc.set_threshold(_NEVER)
            return function(*args, **options)
        finally:
            _open.discard(span)
            # Asked once more after a call, in which another thread may have opened one.
            if not _open and gc.get_threshold()[0] == _NEVER and not _open:
                gc.set_threshold(_threshold)

    return run


def _forget_other_threads() -> None:
    """Close the spans of threads that a forked process has not."""
    _open.clear()
    if gc.get_threshold()[0] == _NEVER:
        gc.set_threshold(_threshold)


if hasattr(os, "register_at_fork") and hasattr(gc, "set_threshold"):
    os.register_at_fork(after_in_child=_forget_other_threads)
