"""Memory traffic of kernels: the storages that each loads and stores, and how many bytes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from xarr.codegen import launch
from xarr.ir.steps import LibraryStep, Step
from xarr.lowering.operations import Ref
from xarr.scheduler.instructions import ScheduledInstruction


class Move(NamedTuple):
    """One load or store of a kernel.

    stores : bool -- Whether it stores.
    slot : int -- The storage by number; -1 for memory between the launches of one template.
    what : str -- The storage in words.
    nbytes : int -- How many bytes are moved, each element once.
    """

    stores: bool
    slot: int
    what: str
    nbytes: int

    def __str__(self) -> str:
        return f"{'stores' if self.stores else 'loads'} {self.what}"


class Traffic(NamedTuple):
    """The moves of a kernel; of a library's work or an own kernel, whose `kernel` is None."""

    kernel: launch.Kernel | None
    moves: list[Move]
    title: str = "the device's library"

    @property
    def name(self) -> str:
        """The file of the kernel's skeleton, the name of an own kernel, or one for the library."""
        return self.title if self.kernel is None else self.kernel.skeleton

    @property
    def nbytes(self) -> int:
        """The bytes of all moves."""
        return sum([move.nbytes for move in self.moves])


def of(call: Step) -> Iterator[Traffic]:
    """Yield the traffic of a step's kernels, one after the other, or of its library's work."""
    if isinstance(call, LibraryStep):
        stores = [_whole(ref, stores=True) for ref in call.results]
        title: str = getattr(call, "title", "the device's library")
        yield Traffic(None, [*map(_whole, call.whole), *stores], title)
    for planned in call.launches:
        moves = list(dict.fromkeys(_of_specs(call))) if planned.takes_spec else []
        if planned.takes_spec:
            moves += dict.fromkeys(map(_whole, call.whole))
        first = len(planned.buffers) - planned.written
        for place, number in enumerate(planned.buffers):
            stores = place >= first
            if number < 0:
                moves.append(_whole(call.results[number], stores=stores))
            else:
                moves.append(_between(call.scratch[number], stores=stores))
        yield Traffic(planned.kernel, moves)


def _whole(ref: Ref, *, stores: bool = False) -> Move:
    """Return the move of all of a view."""
    walked = zip(ref.pattern.shape, ref.pattern.strides, strict=True)
    count = math.prod(extent for extent, step in walked if step)
    return Move(stores, ref.slot, f"s{ref.slot}: {ref.dtype}", count * ref.dtype.itemsize)


def _between(buffer: launch.ScratchBuffer, *, stores: bool) -> Move:
    """Return the move of a scratch buffer."""
    if isinstance(buffer, int):
        return Move(stores, -1, "partial results", buffer)
    return Move(stores, -1, "a table", buffer.nbytes)


def _of_specs(call: Step) -> Iterator[Move]:
    """Yield the loads and stores of specs; a row read twice counts once, as caches keep it."""
    offsets = iter(call.offsets)
    reuses = dict(call.reuses)
    fresh = {slot for slot, _ in call.fresh}
    for spec in call.specs:
        size = math.prod(math.prod(extents) for extents in spec.extents)
        places = spec.indirect()
        first = len(spec.accesses) - len(spec.stored)
        for number, (_, dtype, where) in enumerate(spec.accesses):
            slot, _ = next(offsets)
            if slot < 0:
                continue
            what = f"s{slot}: {dtype}"
            if number in places:
                stores = bool(places[number])
                yield Move(stores, slot, f"{what} at computed places", size * dtype.itemsize)
                continue
            if slot in reuses and reuses[slot] not in fresh:
                what += f" in the memory of s{reuses[slot]}"
            elif slot in reuses and number >= first:
                what += " in other memory"
            walked = zip(where.shape, where.strides, strict=True)
            count = math.prod(extent for extent, step in walked if step)
            yield Move(number >= first, slot, what, count * dtype.itemsize)


def describe(steps: list[ScheduledInstruction], constants: list[Any]) -> list[str]:
    """Return instructions in words, storages by number: ``s2[(3,)] = add(s0[(3,)], 1.0)``."""
    rest = iter(constants)
    return [_describe_one(step, rest) for step in steps]


def _describe_one(step: ScheduledInstruction, rest: Iterator[Any]) -> str:
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
