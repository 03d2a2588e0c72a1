"""A list of instructions run one after the other, which is what a program means.

So runs what has no fused kernels yet. NumPy does what it can, and each other instruction is a
program by itself, whose kernel serves all lists that it is in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy

from xarr import dtypes
from xarr.engine import schedule, unrolled
from xarr.engine.storage import Storage, room

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.engine import launch
    from xarr.engine.expression import Opcode
    from xarr.engine.hosted import Host
    from xarr.engine.program import Program

_LARGE: Final = 1 << 20
"""Bytes of new storages from which on each gives its memory back once nothing reads it."""

Place = int | tuple[int, int]
"""A constant by number, or a view: its storage, and how far beyond the first view it begins."""


class Work(NamedTuple):
    """What is done of an instruction, as of a `Call`; with `launches` of a driver."""

    launches: int
    freed: Sequence[int] = ()
    taken: Sequence[tuple[int, int]] = ()


class Turn(NamedTuple):
    """An instruction of a list.

    Attributes
    ----------
    places : list of Place
        Its operands, and its target if it has one.
    fresh : int
        The storage that is new, -1 for none.
    nbytes : int
        The bytes of that.
    """

    places: list[Place]
    fresh: int
    nbytes: int

    def alone(self) -> tuple[list[Place], list[tuple[int, int]], list[int]]:
        """What it is on a tape of its own: codes; storages and bases there; and constants."""
        first: dict[int, tuple[int, int]] = {}
        codes: list[Place] = []
        constants: list[int] = []
        for place in self.places:
            if not isinstance(place, tuple):
                constants.append(place)
                continue
            slot, beyond = place
            number, base = first.setdefault(slot, (len(first), beyond))
            if slot != self.fresh:
                codes.append((number, beyond - base) if beyond != base else number)
        return codes, [(slot, base) for slot, (_, base) in first.items()], constants


def turns(opcodes: Sequence[Opcode], codes: Sequence[int | tuple[int, int]]) -> list[Turn]:
    """The instructions of a list, each by itself."""
    found: list[Turn] = []
    rest = iter(codes)
    slots = constants = 0
    for opcode in opcodes:
        places: list[Place] = []
        for how in opcode.named:
            if how.pattern is None:
                places.append(constants)
                constants += 1
            else:
                place = schedule.decoded(next(rest))
                slots = max(slots, place[0] + 1)
                places.append(place)
        fresh = -1
        if opcode.is_fresh:
            fresh = slots
            slots += 1
            places.append((fresh, 0))
        found.append(Turn(places, fresh, opcode.nbytes))
    return found


def freed(listed: Sequence[Turn], is_held: Sequence[bool]) -> list[list[int]]:
    """Of each turn the storages that nothing needs any more, where it matters."""
    result: list[list[int]] = [[] for _ in listed]
    if sum([turn.nbytes for turn in listed]) < _LARGE:
        return result
    seen = {slot for slot, held in enumerate(is_held) if held}
    for turn, slots in zip(reversed(listed), reversed(result), strict=True):
        for place in turn.places:
            if isinstance(place, tuple) and place[0] not in seen:
                seen.add(place[0])
                slots.append(place[0])
    return result


def passing(
    listed: Sequence[Turn], hosts: Sequence[Host | None], is_held: Sequence[bool]
) -> set[int]:
    """The new storages that nobody holds and only NumPy sees: they need no memory of a driver."""
    found = {turn.fresh for turn in listed if turn.fresh >= 0 and not is_held[turn.fresh]}
    for turn, host in zip(listed, hosts, strict=True):
        if host is None:
            found.difference_update([slot for slot, _ in turn.alone()[1]])
    return found


def runner(
    listed: Sequence[Turn], hosts: Sequence[Host | None], kernels: Sequence[Program | None],
    works: Sequence[Work], passes: set[int],
) -> Callable[..., Any]:  # fmt: skip
    """What runs them, as `unrolled.runner`: each has a host, or a program of its own."""
    steps = [*zip(listed, hosts, kernels, works, strict=True)]

    def run(*arguments: Any) -> Any:
        return dtypes.quietly(_run, steps, passes, *arguments)

    return run


def _run(
    steps: Sequence[tuple[Turn, Host | None, Program | None, Work]],
    passes: set[int],
    device: Device,
    storages: list[Storage],
    bases: list[int],
    constants: list[Any],
    done: list[int],
    unfinished: list[launch.Prepared],
) -> unrolled.Prepared | None:
    driver = device.driver
    found = None
    windows: dict[int, Any] = {}
    try:
        for number, (turn, host, kernel, work) in enumerate(steps, 1):
            if host is None:
                assert kernel is not None
                _, views, numbers = turn.alone()
                found = kernel.run(
                    (
                        [storages[slot] for slot, _ in views],
                        [bases[slot] + beyond for slot, beyond in views],
                        [constants[at] for at in numbers],
                        [],
                    ),
                    [],
                    unfinished,
                )
                # The kernel has to be waited for.
                windows = {slot: windows[slot] for slot in passes & windows.keys()}
            else:
                places, fresh, nbytes = turn
                if fresh in passes:
                    windows[fresh] = numpy.empty(nbytes, numpy.uint8)
                elif fresh >= 0 and storages[fresh].buffer is None:
                    storages[fresh].buffer = room(device, nbytes)
                values = []
                for place, kind in zip(places, host.views, strict=True):
                    if isinstance(place, tuple):
                        slot, beyond = place
                        window = windows.get(slot)
                        if window is None:
                            window = windows[slot] = storages[slot].window("B")
                        values.append(kind.array(window, bases[slot] + beyond))
                    else:
                        values.append(kind(constants[place]))
                host(driver, values)
            if number < len(steps):
                unrolled.end(work, storages)
                for slot in work.freed:
                    windows.pop(slot, None)
                done.append(number)
    except BaseException:
        for slot in passes & windows.keys():  # what has yet to run reads them
            storage, memory = storages[slot], windows[slot]
            storage.buffer = driver.wrap(memory.ctypes.data, memory.nbytes, memory)
            storage.lender = memory
        raise
    return found
