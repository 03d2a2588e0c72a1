"""Where a full tape is cut: so that the body of a loop is cut at the same places each time.

A loop of a thousand steps then has few programs, whatever the length of its body.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from xarr import tuning

if TYPE_CHECKING:
    from xarr.ir.instructions import Instruction, Opcode


class LoopDetector:
    """What a tape held before it was cut, and the body of the loop that it is of.

    `carried` gives the bytes that have to be stored if the tape is cut after so many instructions.

    Attributes
    ----------
    most : int
        The instructions that the tape may have: enough for the body of the loop.
    """

    def __init__(self, carried: Callable[[list[Instruction]], list[int]]) -> None:
        self.most = tuning.STEPS
        self._live_bytes_per_cut = carried
        self._past: list[Opcode] = []
        self._body: list[Opcode] = []

    def forget(self) -> None:
        """Note that everything has run, so that no loop goes on."""
        self.most = tuning.STEPS
        self._past = []

    def end(self, instructions: list[Instruction]) -> int:
        """Return how many instructions of a full tape to run: up to where a loop's body last began.

        0 where the tape is to have more.
        """
        opcodes = [instruction.opcode for instruction in instructions]
        count = self._continue_loop(opcodes)
        if count is None:
            count = self._detect([*self._past[-2 * tuning.BODY :], *opcodes], instructions)
        self._past += opcodes[:count]
        if len(self._past) > 4 * tuning.BODY:
            del self._past[: -2 * tuning.BODY]
        return count

    def _continue_loop(self, opcodes: list[Opcode]) -> int | None:
        """Count the instructions to run while the known loop goes on; None where it does not."""
        body, length, count = self._body, len(self._body), len(opcodes)
        turns = body * (count // length + 2) if length else []
        for at in range(length):
            if body[at] is opcodes[0] and turns[at : at + count] == opcodes:
                break
        else:
            return None
        end = length - at
        if length > tuning.STEPS:
            # Of long bodies each runs by itself, as planning two takes twice as long.
            self.most = length
            return end if end <= count else 0
        return end + (count - end) // length * length

    def _detect(self, known: list[Opcode], instructions: list[Instruction]) -> int:
        """Return how many instructions to run where another loop begins, or none."""
        counts = tuning.BODY, min(len(instructions), len(known) // 2)
        lengths = [_period(known, count) for count in counts]
        length = next((one for one in lengths if 0 < one <= tuning.BODY), 0)
        if length > tuning.STEPS and len(instructions) < 3 * length:
            # The tape is to have so many turns that it is known what each value is for.
            self.most = 3 * length
            return 0
        self.most = tuning.STEPS
        if length:
            self._body = self._rotate_body(known, length, instructions)
            # What is before the last turns may be of no loop.
            turns = min(len(instructions) // length, 2) * length
            count = self._continue_loop(known[-turns:])
            if turns and count:
                return len(instructions) - turns + count
        return _cheapest_cut(self._live_bytes_per_cut(instructions))

    def _rotate_body(
        self, known: list[Opcode], length: int, instructions: list[Instruction]
    ) -> list[Opcode]:
        """Return the body that one turn of a loop is of.

        Of all the places at which it may begin one is chosen, the same each time: behind a write to
        what was there before, with which the body of a loop mostly ends; where a cut stores least;
        between instructions that follow each other nowhere else, as those of inner loops do.
        """
        found = known[-length:]
        new = {id(instruction.fresh) for instruction in instructions}
        last = instructions[-length:]
        writes = [not one.opcode.is_fresh and id(one.written) not in new for one in last]
        ends = [at for at in range(len(last)) if writes[at - 1]] or range(length)
        if len(ends) == 1:
            return found[ends[0] :] + found[: ends[0]]
        carried = self._live_bytes_per_cut(instructions)
        # One turn before the last one, so that it is known what reads a value.
        end = len(carried) - 1 - (2 if 2 * length < len(carried) else 1) * length
        pairs = [(found[at - 1], found[at]) for at in range(length)]
        # So that a tie goes to where the loop itself began.
        first = _first(known, length)
        turns = [
            (carried[max(end + at, 0)], pairs.count(pairs[at]), (at - first) % length, at)
            for at in ends
        ]
        *_, at = min(turns)
        return found[at:] + found[:at]


def _first(known: Sequence[Opcode], length: int) -> int:
    """Count the last `length` instructions that come before one with which a turn begins.

    It begins as the first one did: what is repeated so from there to the end.
    """
    before = len(known) - length
    while before and known[before - 1] is known[before - 1 + length]:
        before -= 1
    return (before - len(known)) % length


def _period(known: Sequence[Opcode], count: int) -> int:
    """Return the length of the shortest list that the last `count` opcodes repeat; 0 for none."""
    if len(known) <= count:
        return 0
    behind = known[::-1]
    first = behind[0]
    end = next((at for at in range(1, count) if behind[at] is not first), 0)
    if not end:
        return int(behind[count] is first)
    # Only where a run of such instructions ends as the last one does: lists are compared there.
    with contextlib.suppress(ValueError):
        at = end
        while True:
            at = behind.index(behind[end], behind.index(first, at))
            length = at - end
            if len(behind) - length < count:
                break
            if behind[length : length + count] == behind[:count]:
                return length
    return 0


def _cheapest_cut(carried: Sequence[int]) -> int:
    """Return where in the second half of a tape a cut stores least, as late as possible."""
    return min(range(len(carried) // 2, len(carried)), key=lambda at: (carried[at], -at))


def cut_points(
    instructions: list[Instruction], carried: Callable[[list[Instruction]], list[int]]
) -> list[int]:
    """Return where a whole list is cut into programs: as a tape of the longest bodies would be."""
    found: list[int] = []
    first, most = 0, tuning.BODY
    detector = LoopDetector(carried)
    while len(instructions) - first > most:
        count = detector.end(instructions[first : first + most])
        if count:
            first += count
            found.append(first)
        most = max(tuning.BODY, detector.most)
    return [*found, len(instructions)] if first < len(instructions) else found
