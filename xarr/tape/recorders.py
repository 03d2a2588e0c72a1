"""Recorders: they note what a thread records, and decide what happens where a value is read.

While a recorder is active on any thread, no element is read or written by the host alone, so that
each result comes from an instruction. What needs a value all the same calls `reading` first.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr.ir.events import hooks
from xarr.ir.storage import Storage

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.ir.instructions import Opcode
    from xarr.ir.views import View

Take = Callable[[], tuple[int, int]]
"""Takes the number and the key of the next draw from a generator."""


class Recorder:
    """Base of what is told of a thread's instructions, as transformations are."""

    def note(
        self, opcode: Opcode, views: tuple[View, ...], fresh: Storage | None, scalar: Any
    ) -> None:
        """Note an instruction, before it is recorded: nothing that it overwrites is gone yet."""

    def reading(self, where: str, views: tuple[View, ...]) -> None:
        """Permit the host to read values, or raise; `where` names what asks for them."""

    def checking(self, function: Callable[..., None], views: tuple[View, ...]) -> None:
        """Learn of a check of values, which raises; it is made of these values in any case."""

    def failed(self, where: str) -> None:
        """Learn of an error that depends on values, which is about to be raised."""

    def computing(self, where: str, views: tuple[View, ...]) -> None:
        """Permit work on values whose results are written without an instruction, or raise."""

    def launching(self, where: str, opcode: Opcode, views: tuple[View, ...]) -> None:
        """Note the launch of a program's own kernel on views, or raise."""
        self.computing(where, views)

    def varies(self, view: View) -> bool:
        """Return whether the values of a view may be others where the work is done again."""
        return False

    def materialised(self, view: View) -> None:
        """Note that a constant was given a storage, by an instruction."""

    draws_anew = False
    """Whether the work is done again with other random numbers."""

    def drawn(self, take: Take, storage: Storage) -> None:
        """Note that a storage holds what `take` gave, the number and the key of a random draw."""

    def seeded(self, generator: Any) -> None:
        """Note that a generator is made of a seed."""

    def drawing(self, generator: Any) -> None:
        """Permit a draw of random numbers, or raise."""

    def whole(
        self,
        name: str,
        options: Mapping[str, Any],
        operands: tuple[View, ...],
        compute: Callable[..., Sequence[View]],
    ) -> Sequence[View] | None:
        """Note a function as a whole and return its results; None to note its instructions."""
        return None


class _Active(threading.local):
    """The recorders of a thread, the outermost first."""

    def __init__(self) -> None:
        self.recorders: list[Recorder] = []


_active: Final = _Active()
_count_lock: Final = threading.Lock()
_count = 0


def _note(opcode: Opcode, views: tuple[View, ...], fresh: Storage | None, scalar: Any) -> None:
    # The innermost first: what it copies before the instruction overwrites it comes first.
    for recorder in reversed(tuple(_active.recorders)):
        recorder.note(opcode, views, fresh, scalar)


def _add(count: int) -> None:
    """Count the recorders of all threads; while there is one, the engine tells of instructions."""
    global _count
    with _count_lock:
        _count += count
        hooks.transfers += count
        hooks.recorder = _note if _count else None


def active() -> tuple[Recorder, ...]:
    """Return this thread's recorders, the outermost first."""
    return tuple(_active.recorders) if _count else ()


def reading(where: str, *views: View) -> None:
    """Tell this thread's recorders that the host will read values; one that cannot bear it raises.

    Constants are no values: they are the same at each call.
    """
    if hooks.recorder is None:
        return
    views = tuple([view for view in views if view.value is None])
    if views:
        for recorder in tuple(_active.recorders):
            recorder.reading(where, views)


def checked(function: Callable[..., None], *views: View) -> None:
    """Call a function that reads values of views to check them, and raises or warns.

    Recorders are told of the check, not of what it reads and records.
    """
    if hooks.recorder is None:
        function(*views)
        return
    for recorder in active():
        recorder.checking(function, views)
    with failing("a check of values"), apart():
        function(*views)


@contextmanager
def failing(where: str) -> Iterator[None]:
    """Tell this thread's recorders of an error within a ``with`` block, as the call may go on."""
    try:
        yield
    except Exception:
        for recorder in active():
            recorder.failed(where)
        raise


def computing(where: str, *views: View) -> None:
    """Tell this thread's recorders of work whose results no instruction makes, as a library's."""
    for recorder in active():
        recorder.computing(where, views)


def materialised(view: View) -> None:
    """Tell this thread's recorders that a constant was given a storage."""
    for recorder in active():
        recorder.materialised(view)


def varies(view: View) -> bool:
    """Return whether a check of a view's values, which is made once, may not hold later."""
    return hooks.recorder is not None and any([one.varies(view) for one in active()])


def drawing(generator: Any) -> None:
    """Tell this thread's recorders that a generator will be drawn from."""
    if hooks.recorder is not None:
        for recorder in active():
            recorder.drawing(generator)


def seeded(generator: Any) -> None:
    """Tell this thread's recorders that a generator is made of a seed."""
    for recorder in active():
        recorder.seeded(generator)


def drawn(take: Take, device: Device) -> Storage | None:
    """Return a storage with the number and the key of a random draw, where a recorder needs that.

    `take` is called then, and never else.
    """
    if not any([recorder.draws_anew for recorder in _active.recorders]):
        return None
    with apart():
        storage = Storage(device, 16, numpy.array(take(), numpy.uint64))
    for recorder in _active.recorders:
        recorder.drawn(take, storage)
    return storage


def whole(
    name: str,
    options: Mapping[str, Any],
    operands: Sequence[View],
    compute: Callable[..., Sequence[View]],
) -> Sequence[View]:
    """Return the results of a function of views, which recorders may take as a whole.

    So a factorization, of which a library computes the results, has a derivative. `name` and
    `options` determine the function; `compute` records or computes it, given the views.
    """
    for recorder in reversed(active()):
        results = recorder.whole(name, options, tuple(operands), compute)
        if results is not None:
            return results
    return compute(*operands)


@contextmanager
def recorded_by(recorder: Recorder) -> Iterator[None]:
    """Tell a recorder of all that this thread records within a ``with`` block."""
    _add(1)
    _active.recorders.append(recorder)
    try:
        yield
    finally:
        _active.recorders.remove(recorder)
        _add(-1)


@contextmanager
def paused(recorder: Recorder | None) -> Iterator[None]:
    """Leave a recorder, and those within it, out of what is recorded within a ``with`` block."""
    recorders = _active.recorders
    at = recorders.index(recorder) if recorder in recorders else len(recorders)
    inner = recorders[at:]
    del recorders[at:]
    try:
        yield
    finally:
        recorders.extend(inner)


@contextmanager
def apart() -> Iterator[None]:
    """Leave all recorders out of what is recorded within a ``with`` block, as of a check."""
    with paused(next(iter(_active.recorders), None)):
        yield


@contextmanager
def alone(recorder: Recorder) -> Iterator[None]:
    """Tell a recorder, and none outside of it, of what is recorded within a ``with`` block."""
    with apart(), recorded_by(recorder):
        yield
