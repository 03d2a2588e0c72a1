"""Where a full tape is cut: so that the body of a loop is cut at the same places each time.

A loop of a thousand steps then has few programs, whatever the length of its body.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from xarr import tuning

if TYPE_CHECKING:
    from xarr.core.tape import Opcode, Step


class Cycles:
    """What a tape held before it was cut, and the body of the loop that it is of.

    `carried` gives the bytes that have to be stored if the tape is cut, for each number of steps
    before the cut.
    """

    def __init__(self, carried: Callable[[list[Step]], list[int]]) -> None:
        self._carried = carried
        self._past: list[Opcode] = []
        self._body: list[Opcode] = []

    def forget(self) -> None:
        """Note that everything has run, so that no loop goes on."""
        self._past = []

    def end(self, steps: list[Step]) -> int:
        """How many instructions of a full tape to run: up to where a loop's body last began."""
        opcodes = [step.opcode for step in steps]
        known = [*self._past, *opcodes]
        before = len(self._past)
        length = len(self._body)
        first = max(before - length, 0)
        count = 0
        if length and known[first + length :] == known[first : len(known) - length]:
            count = _last_end(known, self._body, before)
        if not count:
            found = self._repeated(known, min(len(opcodes), len(known) // 2), steps)
            self._body = found or self._body
            count = _last_end(known, self._body, before) or _narrowest(self._carried(steps))
        self._past = known[: before + count][-2 * tuning.STEPS :]
        return count

    def _repeated(self, known: Sequence[Opcode], count: int, steps: list[Step]) -> list[Opcode]:
        """The shortest list that the last `count` instructions repeat; empty for none.

        Of all the places at which it may begin one is chosen, the same each time: behind a write to
        what exists, with which the body of a loop mostly ends; then where a cut stores least.
        """
        last = known[-count:]
        for length in range(1, len(known) - count + 1):
            if known[-1 - length] is last[-1] and known[-count - length : -length] == last:
                found = list(known[-length:])
                ends = [at for at in range(length) if not found[at - 1].is_fresh] or range(length)
                if len(ends) == 1:
                    return found[ends[0] :] + found[: ends[0]]
                carried = self._carried(steps)
                # One turn before the last one, so that it is known what reads a value.
                end = len(carried) - 1 - (2 if 2 * length < len(carried) else 1) * length
                turns = [(found[at:] + found[:at], end + at) for at in ends]
                return min(turns, key=lambda turn: [carried[max(turn[1], 0)], *map(id, turn[0])])[0]
        return []


def _last_end(known: Sequence[Opcode], body: Sequence[Opcode], first: int) -> int:
    """How many instructions after `first` there are up to where a body ended last; 0 for none."""
    length = len(body)
    if length:
        last = body[-1]
        for end in range(len(known), max(first, length - 1), -1):
            if known[end - 1] is last and known[end - length : end] == body:
                return end - first
    return 0


def _narrowest(carried: Sequence[int]) -> int:
    """Where in the second half of a tape a cut stores least, as late as possible."""
    return min(range(len(carried) // 2, len(carried)), key=lambda at: (carried[at], -at))
