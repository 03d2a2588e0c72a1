# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""The steps of a program: launches of kernels, NumPy's work in the same memory, library calls.

A step names storages, bases and constants by number; they are given when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from xarr.backends.base import Asked
from xarr.ir import _cython as cython
from xarr.ir.events import hooks

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.events import core_counts, core_hooks
    from xarr.ir.instructions import Arguments
    from xarr.ir.storage import Storage, room
    from xarr.ir.views import view_at

if TYPE_CHECKING:
    from xarr.backends.device import Device

_ndarray = cython.declare(object, numpy.ndarray)


class Prepared(NamedTuple):
    """What a skeleton needs of the kernel that gives it its elements."""

    form: Any
    storages: list[Storage]
    values: list[Any]


@cython.ccall
def launched(
    device: Any, kernel: Any, grid: Any, buffers: Any, arguments: Any, elements: Any
) -> object:
    """Launch a kernel, whatever the hook does."""
    core_counts.launches += 1
    groups, items = grid
    work = kernel.weight * elements
    device.driver.launch(kernel.handle, groups, items, buffers, arguments, work)
    return None


@contextmanager
def launched_by(function: Callable[..., Any]) -> Iterator[None]:
    """Let a function launch all kernels within a ``with`` block; it may call `launched`."""
    before, hooks.launch = hooks.launch, function
    try:
        yield
    finally:
        hooks.launch = before


@cython.ccall
def launch(
    device: Any, kernel: Any, grid: Any, buffers: Any, arguments: Any, elements: Any
) -> object:
    """Launch a kernel, over a grid of groups and items, with packed arguments; wait for nothing."""
    if core_hooks.launch is not None:
        return core_hooks.launch(device, kernel, grid, buffers, arguments, elements)
    return launched(device, kernel, grid, buffers, arguments, elements)


def go_on(device: Device, unfinished: list[Asked]) -> None:
    """Launch what is unfinished: the rest of one kernel's work, before anything else runs.

    If its first launches have run, which may have overwritten what they read, and the next one
    cannot, it stays in the list with those behind it.
    """
    driver = device.driver
    while unfinished:
        before = driver.launched
        try:
            launch(device, *unfinished[0])
        except BaseException:
            if driver.launched > before:  # a signal's handler came behind the launch
                del unfinished[0]
            raise
        del unfinished[0]


def end_before_others(device: Device) -> None:
    """Wait for what is under way where others read and write the memory whenever they like."""
    if device.shared and device.info.shares_host_memory:
        device.driver.synchronize()


@cython.cclass
class Step:
    """A step of a program: the launches that are one kernel's, but for what comes from the tape.

    Storages, bases and constants are named by number.

    Attributes
    ----------
    stages, rooms : list of Launch, list of ScratchBuffer
        The launches, and what is between them; no stages where a skeleton takes their place.
    forms : list of Form
        What the kernel computes, one after the other.
    fresh : list of (int, int)
        The storages that have memory from now on, and how many bytes.
    pointers : list of int
        The storages that the forms read and write.
    results : list of Ref
        What its skeletons write.
    offsets : list of (int, int)
        Of each access the storage, -1 for a position, and how far beyond its base.
    constants, numbers : list of int
        The constants of the forms, and those of skeletons.
    complex : frozenset of int
        Those of them that are complex.
    taken : list of (int, int)
        Those whose memory is from then on that of another one, which is not needed any more.
    freed : list of int
        Those that are not needed any more.
    whole : list of Ref
        What it reads besides its forms: all of these views.
    launches : int
        How many launches a driver counts for it.
    """

    stages: list[Any]
    rooms: list[Any]
    forms: list[Any]
    pointers: list[Any]
    results: list[Any]
    offsets: list[Any]
    fresh: list[Any]
    constants: list[Any]
    numbers: list[Any]
    complex: Any
    taken: list[Any]
    freed: list[Any]
    whole: list[Any]
    launches: int
    values: list[Any] | None
    packed: list[Any]

    def __init__(
        self,
        stages: Sequence[Any] = (),
        rooms: Sequence[Any] = (),
        forms: Sequence[Any] = (),
        pointers: Sequence[int] = (),
        results: Sequence[Any] = (),
        offsets: Sequence[tuple[int, int]] = (),
        fresh: Sequence[tuple[int, int]] = (),
        constants: Sequence[int] = (),
        numbers: Sequence[int] = (),
        complex: frozenset[int] = frozenset(),
        taken: Sequence[tuple[int, int]] = (),
        freed: Sequence[int] = (),
        whole: Sequence[Any] = (),
    ) -> None:
        self.stages = list(stages)
        self.rooms = list(rooms)
        self.forms = list(forms)
        self.pointers = list(pointers)
        self.results = list(results)
        self.offsets = list(offsets)
        self.fresh = list(fresh)
        self.constants = list(constants)
        self.numbers = list(numbers)
        self.complex = complex
        self.taken = list(taken)
        self.freed = list(freed)
        self.whole = list(whole)
        self.launches = len(self.stages)

    @cython.ccall
    def run(self, device: Any, listed: Arguments, unfinished: list[Any]) -> object:
        """Launch it; what a skeleton takes the place of is prepared."""
        asked: list[Any] = []
        found: object = self.ask(device, listed, asked)
        if len(asked) == 1:
            kernel, grid, buffers, arguments, elements = asked[0]
            launch(device, kernel, grid, buffers, arguments, elements)
        elif asked:
            unfinished.extend(asked)
            go_on(device, unfinished)
        return found

    @cython.ccall
    def ask(self, device: Any, listed: Arguments, asked: list[Any]) -> object:
        """Have memory for what it writes, and append its launches, ready, to a list."""
        storage: Storage
        slot: cython.Py_ssize_t
        beyond: cython.Py_ssize_t
        storages: list[Any] = listed.storages
        bases: list[Any] = listed.bases
        have_room(device, self.fresh, storages)
        buffers: list[Any] = []
        for slot in self.pointers:
            storage = storages[slot]
            if type(storage.buffer) is _ndarray:
                storage.settle()
            buffers.append(storage.buffer)
        values: list[Any] = []
        for slot, beyond in self.offsets:
            values.append(0 if slot < 0 else bases[slot] + beyond)
        if self.constants:
            self._add_constants(self.constants, listed.constants, values)
        if not self.stages:
            read = [storages[slot] for slot in self.pointers]
            (form,) = self.forms
            return Prepared(form, read, [*form.numbers, *values])
        places: list[Any] = []
        numbers: list[Any] = []
        if self.rooms or self.results:
            for one in self.rooms:
                places.append(room(device, one) if isinstance(one, int) else one.buffer())
            for ref in self.results:
                storage = storages[ref.slot]
                places.append(storage.buffer)
        if self.numbers:
            self._add_constants(self.numbers, listed.constants, numbers)
        # Where nothing but offsets comes from the tape, these are often what they were.
        is_packed: cython.bint = values == self.values
        if not is_packed:
            self.values = None if self.constants or self.numbers else values
            self.packed = [_packed(stage, values, numbers) for stage in self.stages]
        number: cython.Py_ssize_t = 0
        for stage in self.stages:
            kernel, grid, elements, _, at, takes_form, _, _ = stage
            pointers: list[Any] = buffers
            if at or not takes_form:
                pointers = [*(buffers if takes_form else []), *[places[one] for one in at]]
            asked.append((kernel, grid, pointers, self.packed[number], elements))
            number += 1
        return None

    @cython.cfunc
    def _add_constants(
        self, numbers: list[Any], constants: list[Any], found: list[Any]
    ) -> cython.void:
        """Append constants as arguments, the complex ones as two."""
        number: cython.Py_ssize_t
        for number in numbers:
            value = constants[number]
            if self.complex and number in self.complex:
                found.append(value.real)
                found.append(value.imag)
            else:
                found.append(value)

    @cython.ccall
    def end(self, storages: list[Any]) -> object:
        """Do what follows the launches."""
        storage: Storage
        other: Storage
        slot: cython.Py_ssize_t
        at: cython.Py_ssize_t
        for slot, at in self.taken:
            storage = storages[slot]
            other = storages[at]
            storage.buffer = other.buffer
            other.buffer = None
        for slot in self.freed:
            storage = storages[slot]
            storage.buffer = None
        return None


@cython.cfunc
def have_room(device: Any, fresh: list[Any], storages: list[Any]) -> cython.void:
    """Have memory for storages that are written for the first time."""
    storage: Storage
    slot: cython.Py_ssize_t
    nbytes: cython.Py_ssize_t
    for slot, nbytes in fresh:
        storage = storages[slot]
        if storage.buffer is None:
            storage.buffer = room(device, nbytes)


@cython.cfunc
def _packed(stage: Any, values: list[Any], numbers: list[Any]) -> object:
    """The arguments of a stage, packed."""
    arguments: list[Any] = list(stage.indices)
    if stage.takes_form:
        arguments.extend(values)
    if stage.takes_numbers:
        arguments.extend(numbers)
    return stage.kernel.arguments.pack(*arguments)


@cython.cclass
class LibraryStep(Step):
    """A step of a program: what a library computes of whole views.

    Attributes
    ----------
    work : function
        Is given views: the operands and, last, the result.
    views : list of (Structure, int, int)
        Of each its structure, its storage, and how far beyond the first view it begins.
    """

    work: Any
    views: list[Any]

    @cython.ccall
    def run(self, device: Any, listed: Arguments, unfinished: list[Any]) -> object:
        """Have it computed."""
        slot: cython.Py_ssize_t
        beyond: cython.Py_ssize_t
        have_room(device, self.fresh, listed.storages)
        views: list[Any] = []
        for how, slot, beyond in self.views:
            views.append(view_at(listed.storages[slot], how, listed.bases[slot] + beyond))
        self.work(views)
        return None
