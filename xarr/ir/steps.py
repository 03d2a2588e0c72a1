# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""The steps of a program: launches of kernels, NumPy's work in the same memory, library calls.

A step names storages, bases and constants by number; `RunArguments` has them when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy

from xarr.backends.base import Asked
from xarr.ir import _cython as cython
from xarr.ir.events import hooks

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.events import core_counts, core_hooks
    from xarr.ir.instructions import RunArguments
    from xarr.ir.storage import Storage, allocate_or_collect
    from xarr.ir.views import view_at

if TYPE_CHECKING:
    from xarr.backends.device import Device

_ndarray = cython.declare(object, numpy.ndarray)


@cython.ccall
def launched(
    device: Any, kernel: Any, grid: Any, buffers: Any, arguments: Any, elements: Any
) -> object:
    """Launch a kernel without the hook."""
    core_counts.launches += 1
    groups, items = grid
    work = kernel.weight * elements
    device.driver.launch(kernel.handle, groups, items, buffers, arguments, work)
    return None


@contextmanager
def launching_with(function: Callable[..., Any]) -> Iterator[None]:
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
    """Launch a kernel, over a grid of groups and items, with packed arguments; do not wait."""
    if core_hooks.launch is not None:
        return core_hooks.launch(device, kernel, grid, buffers, arguments, elements)
    return launched(device, kernel, grid, buffers, arguments, elements)


def go_on(device: Device, unfinished: list[Asked]) -> None:
    """Launch the rest of one kernel's launches, before anything else runs.

    If its first launches have run, which may have overwritten their inputs, and the next one fails,
    it stays in the list with those behind it.
    """
    driver = device.driver
    while unfinished:
        before = driver.launched
        try:
            launch(device, *unfinished[0])
        except BaseException:
            if driver.launched > before:  # a signal's handler raised after the launch
                del unfinished[0]
            raise
        del unfinished[0]


def end_before_others(device: Device) -> None:
    """Wait for the device if others share the memory and may access it at any time."""
    if device.shared and device.info.shares_host_memory:
        device.driver.synchronize()


@cython.cclass
class Step:
    """A step of a program: the launches of one kernel or template.

    Storages, bases and constants are named by number.

    Attributes
    ----------
    launches, scratch : list of Launch, list of ScratchBuffer
        The launches, and the memory between them.
    specs : list of KernelSpec
        The kernel's parts, one after the other.
    fresh : list of (int, int)
        The storages that it allocates, and how many bytes.
    pointers : list of int
        The storages that the specs read and write.
    results : list of Ref
        The views that its templates write.
    offsets : list of (int, int)
        Of each access the storage, -1 for a position, and the offset from its base.
    constants, numbers : list of int
        The constants of the specs, and those of templates.
    complex : frozenset of int
        Those of them that are complex.
    reuses : list of (int, int)
        The storages that take over the memory of another one, which is dead, or a spare buffer.
    freed : list of int
        The storages that are dead afterwards.
    whole : list of Ref
        The views that it reads in full besides its specs.
    launch_count : int
        How many launches a driver counts for it.
    """

    launches: list[Any]
    scratch: list[Any]
    specs: list[Any]
    pointers: list[Any]
    results: list[Any]
    offsets: list[Any]
    fresh: list[Any]
    constants: list[Any]
    numbers: list[Any]
    complex: Any
    reuses: list[Any]
    freed: list[Any]
    whole: list[Any]
    launch_count: int
    values: list[Any] | None
    packed: list[Any]

    def __init__(
        self,
        launches: Sequence[Any] = (),
        scratch: Sequence[Any] = (),
        specs: Sequence[Any] = (),
        pointers: Sequence[int] = (),
        results: Sequence[Any] = (),
        offsets: Sequence[tuple[int, int]] = (),
        fresh: Sequence[tuple[int, int]] = (),
        constants: Sequence[int] = (),
        numbers: Sequence[int] = (),
        complex: frozenset[int] = frozenset(),
        reuses: Sequence[tuple[int, int]] = (),
        freed: Sequence[int] = (),
        whole: Sequence[Any] = (),
    ) -> None:
        self.launches = list(launches)
        self.scratch = list(scratch)
        self.specs = list(specs)
        self.pointers = list(pointers)
        self.results = list(results)
        self.offsets = list(offsets)
        self.fresh = list(fresh)
        self.constants = list(constants)
        self.numbers = list(numbers)
        self.complex = complex
        self.reuses = list(reuses)
        self.freed = list(freed)
        self.whole = list(whole)
        self.launch_count = len(self.launches)

    @cython.ccall
    def run(self, device: Any, listed: RunArguments, unfinished: list[Any]) -> object:
        """Launch it."""
        asked: list[Any] = []
        self.ask(device, listed, asked)
        if len(asked) == 1:
            kernel, grid, buffers, arguments, elements = asked[0]
            launch(device, kernel, grid, buffers, arguments, elements)
        elif asked:
            unfinished.extend(asked)
            go_on(device, unfinished)
        return None

    @cython.ccall
    def ask(self, device: Any, listed: RunArguments, asked: list[Any]) -> object:
        """Allocate what it writes, and append its launches, complete, to a list."""
        storage: Storage
        slot: cython.Py_ssize_t
        beyond: cython.Py_ssize_t
        nbytes: cython.Py_ssize_t
        storages: list[Any] = listed.storages
        bases: list[Any] = listed.bases
        for slot, nbytes in self.fresh:
            storage = storages[slot]
            if storage.buffer is None:
                storage.buffer = allocate_or_collect(device, nbytes)
        buffers: list[Any] = []
        for slot in self.pointers:
            storage = storages[slot]
            if type(storage.buffer) is _ndarray:
                storage.settle()
            buffers.append(storage.buffer)
        values: list[Any] = []
        for slot, beyond in self.offsets:
            values.append(0 if slot < 0 else bases[slot] + beyond)
        count: cython.Py_ssize_t = len(values)
        if self.constants:
            self._add_constants(self.constants, listed.constants, values)
        places: list[Any] = []
        if self.scratch or self.results:
            for one in self.scratch:
                is_table = not isinstance(one, int)
                places.append(one.buffer() if is_table else allocate_or_collect(device, one))
            for ref in self.results:
                storage = storages[ref.slot]
                places.append(storage.buffer)
        specs: cython.Py_ssize_t = len(values)
        if self.numbers:
            self._add_constants(self.numbers, listed.constants, values)
        if not self._are_packed(values, count):
            self.values = None
            numbers: list[Any] = values[specs:]
            given: list[Any] = values[:specs]
            self.packed = [packed_arguments(planned, given, numbers) for planned in self.launches]
            self.values = values
        number: cython.Py_ssize_t = 0
        for planned in self.launches:
            kernel, grid, elements, _, at, takes_spec, _, _ = planned
            pointers: list[Any] = buffers
            if at or not takes_spec:
                pointers = [*(buffers if takes_spec else []), *[places[one] for one in at]]
            asked.append((kernel, grid, pointers, self.packed[number], elements))
            number += 1
        return None

    @cython.cfunc
    def _are_packed(self, values: list[Any], count: cython.Py_ssize_t) -> cython.bint:
        """Return whether offsets, of that count, and constants are those of the last run.

        Constants are compared by identity, as of NaN and of zeros others may be equal.
        """
        at: cython.Py_ssize_t
        if self.values is None or len(self.values) != len(values):
            return False
        for at in range(len(values)):
            if self.values[at] is not values[at] and (at >= count or self.values[at] != values[at]):
                return False
        return True

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
        """Move and free buffers, after the launches."""
        storage: Storage
        other: Storage
        slot: cython.Py_ssize_t
        at: cython.Py_ssize_t
        for slot, at in self.reuses:
            storage = storages[slot]
            other = storages[at]
            storage.buffer = other.buffer
            other.buffer = None
        for slot in self.freed:
            storage = storages[slot]
            storage.buffer = None
        return None


@cython.ccall
def packed_arguments(planned: Any, values: list[Any], numbers: list[Any]) -> object:
    """Return a launch's arguments, packed."""
    arguments: list[Any] = list(planned.indices)
    if planned.takes_spec:
        arguments.extend(values)
    if planned.takes_numbers:
        arguments.extend(numbers)
    return planned.kernel.arguments.pack(*arguments)


@cython.cclass
class LibraryStep(Step):
    """A step of a program: a library's work on whole views.

    Attributes
    ----------
    work : function
        Takes views: the operands and, last, the result, which may have no memory yet.
    views : list of (Structure, int, int)
        Of each its structure, its storage, and its offset from the storage's first view.
    captures : function or None
        Whether work on operands that lie so in memory is kernels alone, which a graph captures.
    """

    work: Any
    views: list[Any]
    captures: Any

    @cython.ccall
    def run(self, device: Any, listed: RunArguments, unfinished: list[Any]) -> object:
        """Let the library compute the result."""
        slot: cython.Py_ssize_t
        beyond: cython.Py_ssize_t
        views: list[Any] = []
        for how, slot, beyond in self.views:
            views.append(view_at(listed.storages[slot], how, listed.bases[slot] + beyond))
        self.work(views)
        return None

    @cython.ccall
    def is_captured(self) -> cython.bint:
        """Return whether a graph may capture the library's work."""
        if self.captures is None:
            return False
        return self.captures(*[how.seen() for how, _, _ in self.views[: len(self.views) - 1]])
