# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Calls whose launches are graphs of the driver's, with memory that stays between the calls.

What a call frees before its end lies in memory that the graphs hold, so that their launches have
the same buffers in every call but for those of arguments and results. A graph is kept for each of
a few sets of these, as `x = step(x)` comes back to the same memory every other call; with more of
them, the launches that are given them get new parameters. A driver that takes numbers in place of
buffers needs one graph alone.
"""

from __future__ import annotations

import functools
from typing import Any

from xarr import references, tuning
from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from sys import getrefcount as held_by

    from xarr.ir.events import core_counts, core_hooks
    from xarr.ir.steps import launched
    from xarr.ir.storage import allocate_or_collect
    from xarr.tape.bound import BoundLaunch, Memory, worked

_MOST_GRAPHS = cython.declare(cython.Py_ssize_t, tuning.GRAPHS)
_MOST_RESULTS = cython.declare(cython.Py_ssize_t, tuning.RESULTS)


@cython.cclass
class _Numbers(Memory):
    """Memory whose buffers are numbers.

    Attributes
    ----------
    sizes : list of int
        The bytes of each; 0 of those that are there before the call.
    """

    sizes: list[Any]

    @cython.cfunc
    def _allocated(self, nbytes: cython.Py_ssize_t) -> object:
        self.sizes.append(nbytes)
        return len(self.sizes) - 1


@cython.cclass
class _Launched:
    """A launch or a library's work, with the numbers of its buffers.

    Attributes
    ----------
    launch : BoundLaunch
    named : list
        The number of each buffer that the kernel is given.
    storages : list of (int, int, int)
        As of the launch, with a number in place of the slot.
    """

    launch: BoundLaunch
    named: list[Any]
    storages: list[Any]

    def __init__(self, launch: BoundLaunch, named: list[Any], storages: list[Any]) -> None:
        self.launch, self.named, self.storages = launch, named, storages


@cython.cclass
class _Graph:
    """A graph, and the constants that its launches have."""

    made: Any
    fixed: Any
    constants: Any

    def __init__(self, made: Any, fixed: Any, constants: Any) -> None:
        self.made, self.fixed, self.constants = made, fixed, constants


@cython.cclass
class _Segment:
    """Launches one behind the other that can be a graph.

    Attributes
    ----------
    members : list of _Launched
    changing : list of int
        The numbers of buffers that differ from call to call.
    fixed : list of int
        Those of them that a library's work is given, which a graph cannot change.
    touched, filled : list of int
        The launches that are given such buffers, and those that have constants of calls.
    graphs : dict
        The graphs, by the addresses of these buffers; the latest last.
    kernels : int
        How many of its members are kernels.
    is_single : bool
        Whether its launches are made one by one.
    """

    members: list[Any]
    changing: list[Any]
    fixed: list[Any]
    touched: list[Any]
    filled: list[Any]
    graphs: dict[Any, Any]
    kernels: int
    is_single: bool

    def __init__(self, members: list[Any], is_single: bool) -> None:
        self.members, self.is_single = members, is_single
        self.graphs = {}

    def prepare(self, is_held: list[bool]) -> None:
        """Tell which buffers change, and which launches are given them.

        `is_held` is True for each that is the same in every call, or that does not matter.
        """
        member: _Launched
        changing: set[int] = set()
        fixed: set[int] = set()
        self.touched, self.filled = [], []
        self.kernels = 0
        for position, member in enumerate(self.members):
            if member.launch.kernel is None:
                fixed.update([one for _, one, _ in member.storages if not is_held[one]])
                continue
            self.kernels += 1
            outer = [one for one in member.named if not is_held[one]]
            changing.update(outer)
            if outer:
                self.touched.append(position)
            if member.launch.holes:
                self.filled.append(position)
        self.changing, self.fixed = sorted(changing | fixed), sorted(fixed)


@cython.cclass
class CallGraph:
    """The launches of a call, as graphs and what is between them.

    Attributes
    ----------
    known : int
        How many buffers are there before the call.
    held : list or None
        The buffers that stay, by number; None once they were given up.
    made : list of (int, int, list)
        The numbers and bytes of buffers that become results, and a few of earlier calls that are
        taken again once nobody else has them.
    ends : list of (int, int)
        The positions among those that are asked for whose buffer is another after the call, and its
        number.
    tables : dict
        The buffers of tables that launches are given, by number.
    extra : int
        How many buffers are asked for besides the known ones.
    takes_numbers : bool
        Whether a graph is given its buffers at each call.
    """

    __weakref__: object
    device: Any
    known: int
    held: list[Any] | None
    made: list[Any]
    ends: list[Any]
    tables: dict[Any, Any]
    segments: list[Any]
    extra: int
    is_single: bool
    is_keeping: bool
    takes_numbers: bool

    def __init__(
        self, device: Any, launches: list[Any], known: int, slots: int, kept: list[int]
    ) -> None:
        """`kept` are the slots whose buffers are asked for after the call, the known ones first."""
        self.takes_numbers = device.driver.takes_numbers
        memory: _Numbers = _Numbers(device, [*range(known), *[None] * (slots - known)])
        memory.sizes = sizes = [0] * known
        self.device, self.known, self.extra = device, known, len(kept) - known
        self.segments, self.tables = [], {}
        self._cut(launches, memory)
        ends = [(position, memory.buffers[slot]) for position, slot in enumerate(kept)]
        self.ends = [
            (position, number)
            for position, number in ends
            if number is not None and (position >= known or number != position)
        ]
        most = min(device.info.memory_nbytes, device.driver.limit_nbytes) // tuning.HELD_PART
        results = {number for _, number in self.ends if number >= known}
        self.made = [(number, sizes[number], []) for number in sorted(results)]
        nbytes = sum([sizes[number] for number in results])
        self.is_keeping = references.are_counted() and nbytes * _MOST_RESULTS <= most
        is_held = [number >= known and number not in results for number in range(len(sizes))]
        if sum([size for size, is_one in zip(sizes, is_held, strict=True) if is_one]) <= most:
            self._take(sizes, is_held)

    def _cut(self, launches: list[Any], memory: _Numbers) -> None:
        """Cut the launches into segments, a library's work that is not captured by itself."""
        launch: BoundLaunch
        members: list[Any] | None = None
        for launch in launches:
            memory.drop(launch)
            memory.take(launch)
            buffers = memory.buffers
            storages = [(at, buffers[slot], nbytes) for at, slot, nbytes in launch.storages]
            named = memory.buffers_of(launch)
            for position, one in enumerate(named):
                if type(one) is not int:
                    named[position] = number = memory._allocated(0)
                    self.tables[number] = one
            memory.end(launch)
            is_apart = launch.kernel is None and not launch.step.is_captured()
            if members is None or is_apart:
                members = []
                self.segments.append(_Segment(members, is_apart))
            members.append(_Launched(launch, named, storages))
            if is_apart:
                members = None

    def _take(self, sizes: list[int], is_held: list[bool]) -> None:
        """Allocate what the graphs hold, if there is a graph and memory for it."""
        segment: _Segment
        for segment in self.segments:
            segment.prepare([True] * len(sizes) if self.takes_numbers else is_held)
        if all([segment.is_single for segment in self.segments]):
            return
        try:
            self.held = [
                self.device.driver.allocate(size) if is_one and number not in self.tables else None
                for number, (size, is_one) in enumerate(zip(sizes, is_held, strict=True))
            ]
        except MemoryError:
            return
        for number, table in self.tables.items():
            self.held[number] = table
        self.device.driver.reserves.add(self)

    def drop(self) -> None:
        """Give up the memory, and the graphs that use it."""
        segment: _Segment
        self.held = None
        for segment in self.segments:
            segment.graphs.clear()
        for _, _, kept in self.made:
            kept.clear()

    @cython.ccall
    def run(self, buffers: list[Any], constants: Any) -> cython.bint:
        """Make the launches, given the known buffers; whether they could be made so.

        `buffers` has those that are asked for afterwards, these first.
        """
        segment: _Segment
        number: cython.Py_ssize_t
        nbytes: cython.Py_ssize_t
        made: list[Any] = []
        for _, nbytes, kept in self.made:
            made.append(self._result(nbytes, kept))
        if self.held is None:  # perhaps since memory was short right now
            return False
        physical: list[Any] = list(self.held)
        for number in range(self.known):
            physical[number] = buffers[number]
        at: cython.Py_ssize_t = 0
        for number, _, _ in self.made:
            physical[number] = made[at]
            at += 1
        for segment in self.segments:
            if segment.is_single or self.is_single or not self._go(segment, physical, constants):
                self._go_singly(segment, physical)
        for number in range(self.known):  # a library may have given another one
            buffers[number] = physical[number]
        buffers.extend([None] * self.extra)
        for at, number in self.ends:
            buffers[at] = physical[number]
        return True

    @cython.cfunc
    def _result(self, nbytes: cython.Py_ssize_t, kept: list[Any]) -> object:
        """Return memory for a result: that of an earlier one, if nobody has that any more."""
        for block in kept:
            if held_by(block) == core_hooks.unheld:
                return block
        block = allocate_or_collect(self.device, nbytes)
        if self.is_keeping and len(kept) < _MOST_RESULTS:
            kept.append(block)
        return block

    @cython.cfunc
    def _go(self, segment: _Segment, physical: list[Any], constants: Any) -> cython.bint:
        """Launch a segment as a graph; whether that could be."""
        position: cython.Py_ssize_t
        key: object = ()
        if segment.changing:
            address = self.device.driver.address
            addresses: list[Any] = []
            for number in segment.changing:
                addresses.append(address(physical[number]))
            key = tuple(addresses)
        graph: _Graph | None = segment.graphs.get(key)
        if graph is None:
            graph = self._graph(segment, key, physical, constants)
            if graph is None:
                return False
        if graph.constants is not constants:
            for position in segment.filled:
                if not graph.made.change(position, _asked(segment.members[position], physical)):
                    del segment.graphs[key]
                    return False
            graph.constants = constants
        blocks = physical
        if not self.takes_numbers:
            blocks = [one for one in physical if one is not None]
        if not graph.made.again(blocks):
            return False
        core_counts.launches += segment.kernels
        return True

    @cython.cfunc
    def _graph(
        self, segment: _Segment, key: Any, physical: list[Any], constants: Any
    ) -> _Graph | None:
        """Return a new graph for some buffers, or one that there is with these in place of its."""
        member: _Launched
        graph: _Graph
        address = self.device.driver.address
        fixed = tuple([address(physical[number]) for number in segment.fixed])
        most: cython.Py_ssize_t = _MOST_GRAPHS
        if len(segment.graphs) < most:
            asked: list[Any] = []
            for member in segment.members:
                if member.launch.kernel is None:
                    asked.append(functools.partial(self._work, member, physical))
                elif self.takes_numbers:
                    asked.append(_asked(member, None))
                else:
                    asked.append(_asked(member, physical))
            made = self.device.driver.sequence(asked)
            if made is None:
                segment.is_single = True
                return None
            graph = segment.graphs[key] = _Graph(made, fixed, constants)
            return graph
        for before, graph in list(segment.graphs.items()):
            if graph.fixed != fixed:
                continue
            del segment.graphs[before]
            for position in segment.touched:
                if not graph.made.change(position, _asked(segment.members[position], physical)):
                    return None
            segment.graphs[key] = graph
            return graph
        return None

    def _work(self, member: _Launched, physical: list[Any]) -> None:
        """Let a library work on its buffers."""
        places = [(at, physical[number], nbytes) for at, number, nbytes in member.storages]
        for number, buffer in worked(self.device, member.launch, places):
            physical[member.storages[number][1]] = buffer
            self.is_single = not self.takes_numbers  # graphs know the other buffer

    @cython.cfunc
    def _go_singly(self, segment: _Segment, physical: list[Any]) -> cython.void:
        """Make the launches of a segment one by one."""
        member: _Launched
        for member in segment.members:
            if member.launch.kernel is None:
                self._work(member, physical)
            else:
                kernel, grid, buffers, packed, elements = _asked(member, physical)
                launched(self.device, kernel, grid, buffers, packed, elements)


@cython.cfunc
def _asked(member: _Launched, physical: list[Any] | None) -> tuple[Any, ...]:
    """Return a launch as drivers take it, with the numbers of buffers where these are not given."""
    launch: BoundLaunch = member.launch
    buffers: list[Any] = member.named
    if physical is not None:
        buffers = []
        for one in member.named:
            buffers.append(physical[one])
    return launch.kernel, launch.grid, buffers, launch.packed, launch.elements
