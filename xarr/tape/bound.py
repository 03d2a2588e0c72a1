# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Launches that are complete but for their buffers, and the memory of a call that makes them."""

from __future__ import annotations

from typing import Any

from xarr.ir import _cython as cython
from xarr.tape.traced import TracedConstant

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.instructions import RunArguments
    from xarr.ir.steps import LibraryStep, packed_arguments
    from xarr.ir.storage import Storage, allocate_or_collect, new_storage


@cython.cclass
class BoundLaunch:
    """A launch that is complete but for buffers, or a library's work.

    Attributes
    ----------
    kernel, grid, packed, elements : object
        The kernel, groups and items, the packed arguments, over how many elements it goes.
    named : list
        The slots of the buffers that it is given; a table's contents in place of a slot.
    dropped : list of int
        The slots whose buffers are freed before it.
    fresh : list of (int, int)
        The slots that are allocated before it, and their bytes; a library may allocate by itself.
    reuses : list of (int, int)
        The slots that take over another slot's buffer after it.
    freed : list of int
        The slots whose buffers are freed after it.
    step : LibraryStep or None
        The library's work, in place of a kernel.
    planned : Launch
        The launch that the packed arguments are of.
    template, numbers : list
        The offsets and constants, and the constants of templates, that are packed.
    holes : list of (list, int, int, int)
        Of each constant that calls replace the list, the place there, its number, and whether it is
        the whole, 0, the real, 1, or the imaginary part, 2.
    storages : list of (int, int, int)
        Of each of its storages the program's number, the slot, and the bytes.
    bases : list of int
        Where the views of all the program's storages begin.
    """

    kernel: Any
    grid: Any
    packed: Any
    elements: Any
    named: list[Any]
    dropped: list[Any]
    fresh: list[Any]
    reuses: list[Any]
    freed: list[Any]
    step: Any
    storages: list[Any]
    bases: list[Any]
    planned: Any
    template: list[Any]
    numbers: list[Any]
    holes: list[Any]

    def __init__(self, dropped: list[int]) -> None:
        self.named, self.fresh, self.reuses, self.freed, self.storages = [], [], [], [], []
        self.dropped, self.holes = dropped, []


@cython.cclass
class Bound:
    """The launches of a call.

    Attributes
    ----------
    launches : list of BoundLaunch
    programs : list of (Runnable, list of int)
        The programs that these are of, and how many launches each of their steps has.
    slots : int
        How many buffers they use.
    constants : list or None
        The constants that their arguments were last packed with.
    calls : int
        How often they were made without a graph.
    graph : CallGraph or None
        What makes them by few calls of the driver.
    """

    launches: list[Any]
    programs: list[Any]
    slots: int
    constants: list[Any] | None
    calls: int
    graph: Any

    def __init__(self) -> None:
        self.launches, self.programs = [], []

    @cython.cfunc
    def put(self, constants: list[Any]) -> cython.void:
        """Pack the launches' arguments anew, with other constants."""
        launch: BoundLaunch
        for launch in self.launches:
            if not launch.holes:
                continue
            for where, at, number, part in launch.holes:
                value = constants[number]
                where[at] = value if part == 0 else value.real if part == 1 else value.imag
            launch.packed = packed_arguments(launch.planned, launch.template, launch.numbers)
        self.constants = constants


@cython.cclass
class Memory:
    """The buffers of a call. What one launch frees, a later one takes, as launches run in order.

    Attributes
    ----------
    buffers : list
        The buffer of each slot, or None.
    own : list of int
        The bytes of each that the call allocated, or 0.
    free : dict of int to list
        Buffers by their bytes.
    """

    device: Any
    buffers: list[Any]
    own: list[Any]
    free: dict[Any, Any]

    def __init__(self, device: Any, buffers: list[Any]) -> None:
        self.device = device
        self.buffers = buffers
        self.own = [0] * len(buffers)
        self.free = {}

    @cython.cfunc
    def drop(self, launch: BoundLaunch) -> cython.void:
        """Free what is dead before a launch."""
        slot: cython.Py_ssize_t
        for slot in launch.dropped:
            self._release(slot)

    @cython.cfunc
    def take(self, launch: BoundLaunch) -> cython.void:
        """Allocate what a launch writes first."""
        slot: cython.Py_ssize_t
        nbytes: cython.Py_ssize_t
        for slot, nbytes in launch.fresh:
            if self.buffers[slot] is None:
                found: list[Any] | None = self.free.get(nbytes)
                if found:
                    self.buffers[slot] = found.pop()
                else:
                    self.buffers[slot] = self._allocated(nbytes)
                self.own[slot] = nbytes

    @cython.cfunc
    def _allocated(self, nbytes: cython.Py_ssize_t) -> object:
        """Return new memory; where it is short, give up what is free first."""
        if self.free:
            try:
                return self.device.driver.allocate(nbytes)
            except MemoryError:
                self.free.clear()
        return allocate_or_collect(self.device, nbytes)

    @cython.cfunc
    def _release(self, slot: cython.Py_ssize_t) -> cython.void:
        """Free a slot's buffer."""
        nbytes: object = self.own[slot]
        if nbytes:
            found: list[Any] | None = self.free.get(nbytes)
            if found is None:
                self.free[nbytes] = [self.buffers[slot]]
            else:
                found.append(self.buffers[slot])
            self.own[slot] = 0
        self.buffers[slot] = None

    @cython.cfunc
    def give(self, slot: cython.Py_ssize_t, buffer: Any) -> cython.void:
        """Let a slot have a buffer that somebody else allocated."""
        self.own[slot] = 0
        self.buffers[slot] = buffer

    @cython.cfunc
    def buffers_of(self, launch: BoundLaunch) -> list[Any]:
        """Return the buffers that a launch is given."""
        found: list[Any] = []
        for slot in launch.named:
            found.append(self.buffers[slot] if type(slot) is int else slot.buffer())
        return found

    @cython.cfunc
    def end(self, launch: BoundLaunch) -> cython.void:
        """Move and free buffers after a launch."""
        slot: cython.Py_ssize_t
        other: cython.Py_ssize_t
        for slot, other in launch.reuses:
            self._release(slot)
            self.buffers[slot] = self.buffers[other]
            self.own[slot] = self.own[other]
            self.buffers[other] = None
            self.own[other] = 0
        for slot in launch.freed:
            self._release(slot)


@cython.ccall
def worked(device: Any, launch: BoundLaunch, places: list[Any]) -> list[Any]:
    """Let a library work on buffers; return those that are others afterwards, with their positions.

    `places` has for each storage of the launch the program's number, the buffer, and the bytes.
    """
    storage: Storage
    number: cython.Py_ssize_t
    nbytes: cython.Py_ssize_t
    position: cython.Py_ssize_t = 0
    step: LibraryStep = launch.step
    storages: list[Any] = [None] * len(launch.bases)
    for number, buffer, nbytes in places:
        storage = new_storage(Storage.__new__(Storage), device, nbytes)
        storage.buffer = buffer
        storages[number] = storage
    step.run(device, RunArguments(storages, launch.bases, [], []), [])
    others: list[Any] = []
    for number, buffer, _ in places:
        storage = storages[number]
        storage.settle()
        if buffer is not storage.buffer:
            others.append((position, storage.buffer))
        position += 1
    return others


def holes_of(
    values: list[Any], numbers: list[int], constants: list[Any], are_complex: frozenset[int]
) -> list[tuple[list[Any], int, int, int]]:
    """Return the places of constants that calls replace, which are appended to a list."""
    found = []
    at = len(values)
    for number in numbers:
        value = constants[number]
        parts = [1, 2] if number in are_complex else [0]
        if isinstance(value, TracedConstant):
            found += [(values, at + more, value.number, part) for more, part in enumerate(parts)]
        at += len(parts)
    return found
