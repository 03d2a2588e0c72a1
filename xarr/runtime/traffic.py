"""Memory traffic of kernels: the memory that each loads and stores, and how many bytes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from xarr.codegen import launch
from xarr.ir.steps import LibraryStep, Step
from xarr.scheduler.instructions import Ref, ScheduledInstruction


class Move(NamedTuple):
    """One load or store of a kernel.

    stores : bool -- Whether it stores.
    slot : int -- The storage by number; -1 for what is between the launches of one skeleton.
    what : str -- It in words.
    nbytes : int -- How many bytes that is, each element once.
    """

    stores: bool
    slot: int
    what: str
    nbytes: int

    def __str__(self) -> str:
        return f"{'stores' if self.stores else 'loads'} {self.what}"


class Traffic(NamedTuple):
    """A kernel, or a library's work, which is none, and what it moves."""

    kernel: launch.Kernel | None
    moves: list[Move]

    @property
    def name(self) -> str:
        """The file of the kernel's skeleton, or what works instead of one."""
        return "the device's library" if self.kernel is None else self.kernel.skeleton

    @property
    def nbytes(self) -> int:
        """The bytes of all."""
        return sum([move.nbytes for move in self.moves])


def of(call: Step) -> Iterator[Traffic]:
    """The kernels of a call, one after the other, or its library's work."""
    if isinstance(call, LibraryStep):
        yield Traffic(None, [*map(_whole, call.whole), _whole(*call.results, stores=True)])
    for stage in call.stages:
        moves = list(dict.fromkeys(_of_forms(call))) if stage.takes_form else []
        if stage.takes_form:
            moves += dict.fromkeys(map(_whole, call.whole))
        first = len(stage.rooms) - stage.written
        for place, room in enumerate(stage.rooms):
            stores = place >= first
            if room < 0:
                moves.append(_whole(call.results[room], stores=stores))
            else:
                moves.append(_between(call.rooms[room], stores=stores))
        yield Traffic(stage.kernel, moves)


def _whole(ref: Ref, *, stores: bool = False) -> Move:
    """All of a view."""
    walked = zip(ref.pattern.shape, ref.pattern.strides, strict=True)
    count = math.prod(extent for extent, step in walked if step)
    return Move(stores, ref.slot, f"s{ref.slot}: {ref.dtype}", count * ref.dtype.itemsize)


def _between(room: launch.ScratchBuffer, *, stores: bool) -> Move:
    if isinstance(room, int):
        return Move(stores, -1, "partial results", room)
    return Move(stores, -1, "a table", room.nbytes)


def _of_forms(call: Step) -> Iterator[Move]:
    """The loads and stores of forms; a row that is read twice counts once, as caches keep it."""
    offsets = iter(call.offsets)
    taken = dict(call.taken)
    fresh = {slot for slot, _ in call.fresh}
    for form in call.forms:
        size = math.prod(math.prod(extents) for extents in form.extents)
        places = form.indirect()
        first = len(form.accesses) - len(form.stored)
        for number, (_, dtype, where) in enumerate(form.accesses):
            slot, _ = next(offsets)
            if slot < 0:
                continue
            what = f"s{slot}: {dtype}"
            if number in places:
                stores = bool(places[number])
                yield Move(stores, slot, f"{what} at computed places", size * dtype.itemsize)
                continue
            if slot in taken and taken[slot] not in fresh:
                what += f" in the memory of s{taken[slot]}"
            elif slot in taken and number >= first:
                what += " in other memory"
            walked = zip(where.shape, where.strides, strict=True)
            count = math.prod(extent for extent, step in walked if step)
            yield Move(number >= first, slot, what, count * dtype.itemsize)


def described(steps: list[ScheduledInstruction], constants: list[Any]) -> list[str]:
    """Instructions in words, their storages by numbers: ``s2[(3,)] = add(s0[(3,)], 1.0)``."""
    rest = iter(constants)
    return [_describe(step, rest) for step in steps]


def _describe(step: ScheduledInstruction, rest: Iterator[Any]) -> str:
    operands = [
        _view_name(ref) if isinstance(ref, Ref) else repr(next(rest)) for ref in step.operands
    ]
    target = "" if step.target is None else f"{_view_name(step.target)} = "
    return f"{target}{step.operation.name}({', '.join(operands)}): {step.operation.result}"


def _view_name(ref: Ref) -> str:
    pattern = ref.pattern
    plain = pattern.linear and not ref.offset
    where = "" if plain else f", strides {pattern.strides} from {ref.offset}"
    return f"s{ref.slot}[{pattern.shape}{where}]"
