"""Where a full tape is cut: so that the body of a loop is cut at the same places each time.

A loop of a thousand steps then has few programs, whatever the length of its body.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from xarr import tuning

if TYPE_CHECKING:
    from xarr.core.tape import Opcode, Step


class Cycles:
    """What a tape held before it was cut, and the body of the loop that it is of.

    `carried` gives the bytes that have to be stored if the tape is cut, for each number of steps
    before the cut.

    Attributes
    ----------
    most : int
        The instructions that the tape may have: enough for the body of the loop.
    """

    def __init__(self, carried: Callable[[list[Step]], list[int]]) -> None:
        self.most = tuning.STEPS
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
            count = max(_ends(known, self._body, before), default=before) - before
        if not count:
            count = self._begun(known, before, steps)
        self._past = known[: before + count][-2 * tuning.BODY :]
        return count

    def _begun(self, known: list[Opcode], before: int, steps: list[Step]) -> int:
        """The same where the loop, if it is one, is another than before."""
        length = _period(known, tuning.BODY) or _period(known, min(len(steps), len(known) // 2))
        is_long = length > tuning.STEPS
        if is_long and len(steps) < 2 * length:
            # The tape is to have two turns, of which it can be told where the body begins.
            self.most = 2 * length
            return _narrowest(self._carried(steps))
        if length:
            self._body = self._turned(known[-length:], steps)
        self.most = length if is_long else tuning.STEPS
        ends = _ends(known, self._body, before)
        # A long body is planned once: what comes before it runs by itself.
        count = (min if is_long else max)(ends, default=before) - before
        return count or _narrowest(self._carried(steps))

    def _turned(self, found: list[Opcode], steps: list[Step]) -> list[Opcode]:
        """The body that one turn of a loop is of.

        Of all the places at which it may begin one is chosen, the same each time: behind a write to
        what exists, with which the body of a loop mostly ends; then where a cut stores least.
        """
        length = len(found)
        ends = [at for at in range(length) if not found[at - 1].is_fresh] or range(length)
        if len(ends) == 1:
            return found[ends[0] :] + found[: ends[0]]
        carried = self._carried(steps)
        # One turn before the last one, so that it is known what reads a value.
        end = len(carried) - 1 - (2 if 2 * length < len(carried) else 1) * length
        turns = [(found[at:] + found[:at], end + at) for at in ends]
        return min(turns, key=lambda turn: [carried[max(turn[1], 0)], *map(id, turn[0])])[0]


def _period(known: Sequence[Opcode], count: int) -> int:
    """The length of the shortest list that the last `count` instructions repeat; 0 for none."""
    behind = known[::-1]
    with contextlib.suppress(ValueError):
        length = 0
        while True:
            length = behind.index(behind[0], length + 1, len(behind) - count + 1)
            if behind[length : length + count] == behind[:count]:
                return length
    return 0


def _ends(known: Sequence[Opcode], body: Sequence[Opcode], first: int) -> list[int]:
    """Where behind `first` a body ends."""
    length = len(body)
    return [
        end
        for end in range(max(first, length - 1) + 1, len(known) + 1)
        if length and known[end - 1] is body[-1] and known[end - length : end] == body
    ]


def _narrowest(carried: Sequence[int]) -> int:
    """Where in the second half of a tape a cut stores least, as late as possible."""
    return min(range(len(carried) // 2, len(carried)), key=lambda at: (carried[at], -at))
