"""Which storages groups write to memory, and which memory is used again.

A storage that nobody holds and that no other group reads is never stored: it is a variable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xarr.schedule.groups import Group
from xarr.schedule.instructions import Ref


def stored(
    groups: Sequence[Group], alive: Sequence[bool]
) -> list[tuple[Group, list[tuple[int, Ref]]]]:
    """The groups that store something, with the entries that they store, and where."""
    later: set[int] = set()
    result = []
    for group in reversed(groups):
        stores = [
            (number, ref)
            for number, ref in group.stores.values()
            if alive[ref.slot] or ref.slot in later
        ]
        if group.results:
            group.deliver(lambda slot: alive[slot] or slot in later)
        if stores or group.delivered or group.closed:
            result.append((group, stores))
            later.update(group.read)
    return result[::-1]


class Memory:
    """Reuse of memory: which dead storages' memory others take over, and when the rest is freed."""

    def __init__(
        self,
        groups: Sequence[tuple[Group, list[tuple[int, Ref]]]],
        states: Sequence[int],
        alive: Sequence[bool],
    ) -> None:
        self._groups = groups
        self._alive = alive
        self._first: dict[int, int] = {}
        self._last: dict[int, int] = {}
        for number, (group, _) in enumerate(groups):
            for slot in (*group.read, *group.written):
                self._first.setdefault(slot, number)
                self._last[slot] = number
        self._nbytes = {slot: state for slot, state in enumerate(states) if state >= 0}

    def is_within(self, slot: int, first: int, last: int) -> bool:
        """Whether no group but those from a first to a last one needs a storage."""
        return self._first[slot] >= first and self._last[slot] <= last

    def taken(self, number: int, *, by_rows: bool = False) -> dict[int, int]:
        """For each storage that takes another one's memory in a launch, that one.

        Both have as many bytes and one data type, each item reads and writes one element there, at
        the same place, and nothing reads the other one later. A kernel that goes `by_rows` takes
        none.
        """
        group, stores = self._groups[number]
        found: dict[int, int] = {}
        donors = {
            (nbytes, group.type_in_step(slot)): slot
            for slot, nbytes in self._nbytes.items()
            if self._last.get(slot) == number and slot not in group.written
        }
        if group.endings or by_rows:
            donors = {}
        for _, ref in stores:
            nbytes = ref.nbytes
            if self._first[ref.slot] != number or ref.slot not in group.fresh:
                continue
            donor = donors.pop((nbytes, ref.dtype), None)
            if donor is not None:
                found[ref.slot] = donor
                del self._nbytes[donor]
            if not self._alive[ref.slot]:
                self._nbytes[ref.slot] = nbytes
        return found

    def unread(self) -> list[int]:
        """The storages that nobody holds and no launch needs."""
        return [slot for slot in self._nbytes if slot not in self._last]

    def freed(self, number: int, taken: Mapping[int, int]) -> list[int]:
        """The storages that are not needed after a launch and whose memory nobody took over."""
        return [
            slot
            for slot, last in self._last.items()
            if last == number and not self._alive[slot] and slot not in taken.values()
        ]
