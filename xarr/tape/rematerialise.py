"""Rematerialisation in a recording: values that are read much later are computed again there.

A gradient reads what the forward program made long before, and each such value takes memory, a
store and a load. Elementwise ones follow from others that are in memory anyway, as the states of a
simulation are. So of what lies between these and the values that are read later, the cut with the
fewest bytes is kept (a minimum cut by augmenting paths: Edmonds and Karp, J. ACM 19, 1972), and
what is behind it is computed again where it is read.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import Any, Final

from xarr import tuning
from xarr.codegen.expressions import Roll
from xarr.ir.operation import Operation
from xarr.tape.recording import Entry, Place, Recording, written_slots

_Node = tuple[int, int]
"""A slot, and whether it stands for what goes into its value (0) or comes out of it (1)."""
_SOURCE: Final = (-1, 0)
_SINK: Final = (-1, 1)
_INFINITE: Final = 1 << 62


def rematerialised(recording: Recording) -> Recording:
    """Return a recording with the same results that keeps fewer values for late readers.

    Only GPUs gain: a CPU takes longer to compute than to load from its caches.
    """
    if len(recording.entries) <= tuning.LATE or recording.device.info.loop_per_item:
        return recording
    values = _Values(recording)
    again = values.computed_again()
    return _Rewriter(values, again).rewritten(recording) if again or values.rolls else recording


class _Values:
    """The values that the instructions of a recording make, and their readers.

    Attributes
    ----------
    made : dict of int to int
        The instruction that makes all of a storage, by slot, if nothing else writes to it.
    late : dict of int to int
        The first late reader of a repeatable value that has late ones.
    repeatable : set of int
        The slots whose instruction may be repeated, as their operands stay what they are.
    rolls : set of int
        Those of rolls: a kernel reads the operand itself, if it has the reader.
    """

    def __init__(self, recording: Recording) -> None:
        self._entries = recording.entries
        self._readers: dict[int, list[int]] = {}
        self._nbytes: dict[int, int] = {}
        results = {place.slot for place in recording.results}
        self._stored = set(results)  # what is in memory in any case
        writes = [0] * recording.slots
        makers: dict[int, Entry] = {}
        for number, entry in enumerate(recording.entries):
            for slot in written_slots(entry):
                writes[slot] += 1
            if entry.made >= 0:
                makers[entry.made] = entry
                self._nbytes[entry.made] = entry.opcode.nbytes
            for place in _places(entry):
                self._nbytes.setdefault(place.slot, place.structure.nbytes)
                self._readers.setdefault(place.slot, []).append(number)
                if not _is_beside(place, entry, makers.get(place.slot)):
                    self._stored.add(place.slot)
        self.made = {
            entry.made: number
            for number, entry in enumerate(recording.entries)
            if entry.made >= 0 and writes[entry.made] == 1
        }
        self._fixed = {slot for slot in range(recording.known) if not writes[slot]} | {*self.made}
        turns: dict[int, int] = {}  # of rolls, how many follow on each other
        for slot, number in self.made.items():
            if type(self._entries[number].opcode.operation) is Roll and slot not in results:
                (operand,) = self.operands(slot)
                count = turns.get(operand, 0) + 1
                if operand in self._fixed and count <= tuning.REPEATED:
                    turns[slot] = count
        self.rolls = {*turns}
        self.late: dict[int, int] = {}
        self.repeatable: set[int] = set()
        depths: dict[int, int] = {}
        for slot, number in self.made.items():
            depth = 1 + max([depths.get(one, 0) for one in self.operands(slot)], default=0)
            if depth <= tuning.REPEATED and self._may_repeat(slot, number):
                depths[slot] = depth
                self.repeatable.add(slot)

    def operands(self, slot: int) -> list[int]:
        """Return the slots that the instruction of a value reads."""
        return [place.slot for place in _places(self._entries[self.made[slot]])]

    def _may_repeat(self, slot: int, number: int) -> bool:
        """Return whether a value is cheap and read late but once; note its first late reader."""
        operation = self._entries[number].opcode.operation
        if type(operation) is not Roll:
            is_plain = type(operation) is Operation and not operation.raises
            if not is_plain or "xr_" in operation.template:  # functions take longer than a load
                return False
        late = [one for one in self._readers.get(slot, ()) if one - number > tuning.LATE]
        if slot in self._stored or not self._fixed.issuperset(self.operands(slot)):
            return False
        if late and late[-1] - late[0] > tuning.LATE:
            return False
        if late:
            self.late[slot] = late[0]
        return True

    def computed_again(self) -> set[int]:
        """Return the values behind the cuts, which are computed again for late readers."""
        users: dict[int, list[int]] = {}
        for slot in self.repeatable:
            for operand in self.operands(slot):
                users.setdefault(operand, []).append(slot)
        found: set[int] = set()
        seen: set[int] = set()
        for slot in self.late:
            if slot not in seen:
                group = self._connected(slot, users)
                seen |= group
                if len(group) <= tuning.CONNECTED:
                    found |= self._behind_cut(group)
        return found

    def _connected(self, slot: int, users: dict[int, list[int]]) -> set[int]:
        """Return the repeatable values that are connected with one by operands."""
        found = {slot}
        waiting = [slot]
        while waiting:
            one = waiting.pop()
            for near in (*self.operands(one), *users.get(one, ())):
                if near in self.repeatable and near not in found:
                    found.add(near)
                    waiting.append(near)
        return found

    def _behind_cut(self, group: set[int]) -> set[int]:
        """Return the values of a group that are not kept, but computed again.

        To keep a value is to store and to load it; what is in memory anyway is loaded, and to
        compute a value again takes a part of that. There are none where little would be gained.
        """
        network = _Network()
        for slot in group:
            nbytes = self._nbytes[slot]
            network.join(_SOURCE, (slot, 0), nbytes // tuning.AGAIN)
            network.join((slot, 0), (slot, 1), 2 * nbytes)
            if slot in self.late:
                network.join((slot, 1), _SINK, _INFINITE)
            for operand in self.operands(slot):
                if operand not in group:
                    network.join(_SOURCE, (operand, 0), _INFINITE)
                    network.join((operand, 0), (operand, 1), self._nbytes[operand])
                network.join((operand, 1), (slot, 0), _INFINITE)
        behind, taken = network.behind_cut()
        kept = sum([2 * self._nbytes[slot] for slot in group if slot in self.late])
        return (
            {slot for slot in group if (slot, 0) in behind}
            if tuning.GAIN * taken <= kept
            else set()
        )


def _places(entry: Entry) -> list[Place]:
    """Return the operands, and the target, that are in storages."""
    return [place for place in entry.places if isinstance(place, Place)]


def _is_beside(place: Place, reader: Entry, maker: Entry | None) -> bool:
    """Return whether an instruction reads each element of a value for its own one at that place.

    A kernel that computes the value has it then in a variable; else it has to be in memory.
    """
    if maker is None or place.beyond or reader.opcode.operation.reads_other_positions:
        return False
    return maker.opcode.target is place.structure


class _Network:
    """Edges with capacities, from a source to a sink."""

    def __init__(self) -> None:
        self._left: dict[_Node, dict[_Node, int]] = {_SOURCE: {}, _SINK: {}}

    def join(self, start: _Node, end: _Node, capacity: int) -> None:
        """Add an edge; one that is there stays as it is."""
        self._left.setdefault(start, {}).setdefault(end, capacity)
        self._left.setdefault(end, {}).setdefault(start, 0)

    def behind_cut(self) -> tuple[set[_Node], int]:
        """Return the nodes behind the minimum cut that is nearest to the sink, and its capacity."""
        capacity = 0
        while True:
            following = self._to_sink()  # what each node that reaches the sink goes to
            if _SOURCE not in following:
                return {*following}, capacity
            path = [_SOURCE]
            while path[-1] != _SINK:
                path.append(following[path[-1]])
            most = min([self._left[start][end] for start, end in pairwise(path)])
            capacity += most
            for start, end in pairwise(path):
                self._left[start][end] -= most
                self._left[end][start] += most

    def _to_sink(self) -> dict[_Node, _Node]:
        """Map nodes that reach the sink, until the source does, to the next on a shortest path."""
        following = {_SINK: _SINK}
        waiting = deque([_SINK])
        while waiting and _SOURCE not in following:
            end = waiting.popleft()
            for start in self._left[end]:
                if start not in following and self._left[start][end] > 0:
                    following[start] = end
                    waiting.append(start)
        return following


class _Rewriter:
    """Lists the instructions anew, with those that are computed again before their late readers."""

    def __init__(self, values: _Values, again: set[int]) -> None:
        self._values = values
        self._again = again
        self._copies: dict[int, tuple[int, int]] = {}  # the last copy of a value, and its reader
        self._entries: list[Entry] = []

    def rewritten(self, recording: Recording) -> Recording:
        """Return the recording, whose slots are numbered in the order in which they are made."""
        self._given = recording.entries
        self._next = recording.slots
        for number, entry in enumerate(recording.entries):
            if entry.made not in self._values.rolls:
                self._append(entry, number, entry.made)
        numbers = {slot: slot for slot in range(recording.known)}
        for entry in self._entries:
            if entry.made >= 0:
                numbers[entry.made] = len(numbers)

        def moved(place: Any) -> Any:
            return place._replace(slot=numbers[place.slot]) if isinstance(place, Place) else place

        entries = [
            Entry(opcode, [moved(place) for place in places], numbers.get(made, -1), scalar)
            for opcode, places, made, scalar in self._entries
        ]
        results = [moved(place) for place in recording.results]
        return Recording(
            recording.device, recording.given, recording.captured, len(numbers), entries, results
        )

    def _append(self, entry: Entry, reader: int, made: int) -> None:
        """Append an instruction for a reader, and before it what it reads late."""

        def found(place: Any) -> Any:
            is_place = isinstance(place, Place)
            return place._replace(slot=self._slot(place.slot, reader)) if is_place else place

        places = [found(place) for place in entry.places]
        self._entries.append(Entry(entry.opcode, places, made, entry.scalar))

    def _slot(self, slot: int, reader: int) -> int:
        """Return the slot in which a reader finds a value: its own, or that of a copy."""
        number = self._values.made.get(slot, reader)
        if slot not in self._values.rolls and (
            slot not in self._again or reader - number <= tuning.LATE
        ):
            return slot
        copy, at = self._copies.get(slot, (-1, -tuning.LATE))
        if reader - at >= tuning.LATE:
            copy = self._next
            self._next += 1
            self._append(self._given[number], reader, copy)
            self._copies[slot] = copy, reader
        return copy
