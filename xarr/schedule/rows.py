"""Which groups run together, row by row: they reduce the rows, and compute more with the results.

A group of items takes a row and does with it what one group after the other says. What it reads
twice is near then, and what only these groups need of a row is never stored.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import dtypes, layout, tuning
from xarr.core.steps import Call
from xarr.dtypes import DType
from xarr.layout import Shape
from xarr.schedule.grouping import passes
from xarr.schedule.groups import NBYTES_OF_KERNEL, Group
from xarr.schedule.instructions import Finals, Key, Moved, Part, Recorded, Ref, Rows
from xarr.schedule.memory import Memory

if TYPE_CHECKING:
    from xarr.backends.base import DeviceInfo
    from xarr.backends.device import Device

Stored = tuple[Group, list[tuple[int, Ref]]]
"""A group, the entries that it stores, and where."""
_SHARES_NBYTES: Final = 1024
"""Local memory that the shares of elements in means take, and no more."""
_RESULT: Any = object()
"""How a reduction touches what it writes."""


def runs(groups: Sequence[Stored], info: DeviceInfo) -> list[list[Stored]]:
    """Groups in order, those together that may be one kernel of rows and gain by it.

    For that they pass by groups that they have nothing to do with.
    """
    found: list[list[Stored]] = []
    for one in groups:
        place = len(found)
        found.append([one])
        for at in reversed(range(place)):
            before, run = found[at], found[place]
            if _computes_for(before, run) and _is_one([*before, *run], info):
                before += found.pop(place)
                place = at
            elif not all(passes(group, [other for other, _ in before]) for group, _ in run):
                break
    return found


def is_short(run: Sequence[Stored], info: DeviceInfo) -> bool:
    """Whether a reduction alone has rows so short that a GPU's group takes several."""
    group = run[0][0]
    length = 0 if info.chunked else _length(group)
    return 0 < length <= min(tuning.SHORT_ROW, group.size // 2) and _is_one(run, info)


def _computes_for(before: Sequence[Stored], run: Sequence[Stored]) -> bool:
    """Whether groups write what others read."""
    written = {slot for group, _ in before for slot in group.written}
    return any(slot in written for group, _ in run for slot in group.read)


def _length(group: Group) -> int:
    """How many elements the rows have that a group reduces; 0 where it is not of that kind."""
    if not group.endings or group.closed:
        return 0
    lengths = set()
    for ending in group.endings:
        operation = ending.operation
        assert isinstance(operation, Recorded)
        lengths.add(operation.row_length(ending.shape))
    return lengths.pop() if len(lengths) == 1 else 0


def _axes(group: Group, length: int) -> int | None:
    """The number of the last axes of a group's space that are a row; None where none are."""
    for count in range(1, len(group.space) + 1):
        if math.prod(group.space[-count:]) == length:
            return count
    return None


def _is_one(run: Sequence[Stored], info: DeviceInfo) -> bool:
    """Whether groups may be one kernel of rows."""
    groups = [group for group, _ in run]
    if any(one.exchanged for one in groups):
        return False
    first, *others = groups
    length = _length(first)
    axes = _axes(first, length) if length else None
    if axes is None or sum(one.space == first.space for one in groups) > _most_parts(groups):
        return False
    for other in others:
        if other.closed or other.space not in (first.space, first.space[:-axes]):
            return False
        if other.endings and (other.space != first.space or _length(other) != length):
            return False
    items = first.size // length
    if items < info.compute_units and first.size > tuning.ROWS_ALONE:
        return False
    local_nbytes = _SHARES_NBYTES + _trees_nbytes(groups, length)
    if not info.chunked and local_nbytes > info.local_nbytes // 2:
        return False
    arguments = NBYTES_OF_KERNEL + sum(one.nbytes() for one in groups)
    slots = {slot for one in groups for slot in one.read}
    slots |= {ref.slot for one, stores in run for _, ref in (*stores, *one.delivered)}
    if arguments > info.parameter_nbytes or len(slots) > tuning.SLOTS:
        return False
    return _is_safe(groups, axes)


def _most_parts(groups: Sequence[Group]) -> int:
    """How many groups of one kernel may walk the elements."""
    made = {slot for one in groups for slot in one.written}
    parts = [one.read.keys() - made for one in groups if one.space == groups[0].space]
    is_chain = not parts[-1] and len({slot for slots in parts for slot in slots}) == 1
    return tuning.CHAINED if is_chain else tuning.ROW_PARTS


def _trees_nbytes(groups: Sequence[Group], length: int) -> int:
    """The local memory in which a row of a length is reduced on a GPU, for all endings."""
    endings = [ending.operation for group in groups for ending in group.endings]
    return sum(one.row_nbytes(length) for one in endings if isinstance(one, Recorded))


def _loads(group: Group, space: Shape) -> Collection[Key]:
    """What a group loads, or computes, for each element of rows, and not once for a row."""
    return group.values if group.space == space else ()


def _touches(group: Group, space: Shape) -> Iterator[tuple[int, Any]]:
    """The storages that a group touches and how: type, steps (`_RESULT`) and offset.

    The steps are those over a space of which the group may have no more than the rows.
    """
    axes = len(space) - len(group.space)
    every = layout.contiguous_strides(group.space) if axes else None
    for slot, dtype, steps, offset in (*group.accesses, *group.stores):
        own = every if steps is None else steps
        if slot < 0:
            continue
        if axes and isinstance(own, Moved):
            own = Moved((*own.steps, *[0] * axes), (*own.cuts, *[()] * axes), own.back)
        elif own:
            own = (*own, *[0] * axes)
        yield slot, (dtype, own, offset)
    for slot, (_, ref) in group.results.items():
        yield slot, (ref.dtype, _RESULT, 0)


def _is_safe(groups: Sequence[Group], axes: int) -> bool:
    """Whether rows do not depend on each other, nor items within a row.

    What is written by one group and touched by a second is the element at the item's place in
    both, or what there is once for a row, of which each row touches its own.
    """
    space = groups[0].space
    outer = layout.contiguous_strides(space[:-axes])
    own = outer and (*outer, *[0] * axes)
    written = {slot for group in groups for slot in group.written}
    touches: dict[int, set[Any]] = {slot: set() for slot in written}
    for group in groups:
        for slot, how in _touches(group, space):
            if slot in touches:
                touches[slot].add((how, group))
    for slot, all_of_it in touches.items():
        if any(None in group.read.get(slot, ()) for group in groups):
            return False  # whose elements are gathered
        if len({group for _, group in all_of_it}) < 2:
            continue
        ways = {how for how, _ in all_of_it}
        results = {how for how in ways if how[1] is _RESULT}
        if results:
            ((dtype, *_),) = results
            if not ways - results <= {(dtype, own, 0)}:
                return False
            if any(slot == at for group in groups for at, *_ in group.stores):
                return False
        elif len(ways) > 1:
            return False
    return True


class RowsLaunch(NamedTuple):
    """Groups that become one kernel of rows, and what becomes of storages; see `plan.Launch`.

    Attributes
    ----------
    rooms : list of str
        The types of what is there of a row, in near memory.
    kept : dict of int to int
        The storages of which no more than a row is ever there, and in which room.
    held : dict
        The accesses whose elements are read once and again from a room.
    together : int
        How many rows a group of items on a GPU takes at a time.
    """

    run: list[Stored]
    rooms: list[str]
    kept: dict[int, int]
    held: dict[Any, int]
    together: int
    freed: list[int]

    @property
    def members(self) -> frozenset[int]:
        """The instructions, by number."""
        return frozenset[int]().union(*[group.numbers_of_members for group, _ in self.run])

    def call(self, device: Device, types: Sequence[DType], *, wide: bool) -> Call:
        """The call of its kernel; `types` are the data types of all constants."""
        first = self.run[0][0]
        length = _length(first)
        axes = _axes(first, length)
        operation = first.endings[0].operation
        assert axes is not None
        assert isinstance(operation, Recorded)
        results = [ref for group, _ in self.run for _, ref in group.delivered]
        written = {ref.slot for _, stores in self.run for _, ref in stores}
        names = {(ref.slot, ref.dtype): f"r{number}" for number, ref in enumerate(results)}
        pointers: list[int] = []
        parameters: list[tuple[str, str]] = []
        parts = []
        forms = []
        loaded: set[Any] = set()
        for group, stores in self.run:
            row = axes - len(first.space) + len(group.space), operation.names
            form, slots = group.form(stores, {}, wide=wide, row=row, kept=self.kept)
            memory = []
            for slot, dtype in slots:
                name = names.get((slot, dtype))
                if name is None and slot in self.kept:
                    name = f"room{self.kept[slot]}"
                elif name is None:
                    name = f"q{len(pointers)}"
                    pointers.append(slot)
                    const = "" if slot in written else "const "
                    parameters.append((f"{const}{dtype.storage}", name))
                names[slot, dtype] = name
                memory.append(name)
            own = tuple([names[ref.slot, ref.dtype] for _, ref in group.delivered])
            stored = tuple([number for number, _ in group.delivered])
            finals = Finals(tuple(group.finals), stored) if group.endings else None
            loads = _loads(group, first.space)
            held = tuple([
                (access, f"room{self.held[how]}", how in loaded)
                for access, how in enumerate(group.accesses) if how in loads and how in self.held
            ])  # fmt: skip
            loaded.update(loads)
            parts.append(Part(form, tuple(memory), own, finals, held))
            forms.append(form)
        parameters += [(ref.dtype.storage, f"r{number}") for number, ref in enumerate(results)]
        work = Rows(
            tuple(parts),
            first.size // length,
            length,
            tuple(parameters),
            tuple([(kind, f"room{number}") for number, kind in enumerate(self.rooms)]),
            self.together,
        )
        new = [
            ref
            for group, stores in self.run
            for _, ref in stores
            if ref.slot in group.fresh and ref.slot not in self.kept
        ]
        constants = [number for group, _ in self.run for number in group.constants]
        numbers = [number for group, _ in self.run for number in group.numbers]
        return Call(
            [operation.rows(device, work)],
            [],
            forms,
            pointers,
            results,
            [
                (-1, 0) if slot in self.kept else (slot, offset)
                for group, stores in self.run
                for slot, offset in group.offsets(stores)
            ],
            [
                *((ref.slot, ref.nbytes) for ref in new + results),
                *(item for group, _ in self.run for item in group.blank.items()),
            ],
            constants,
            numbers,
            frozenset(n for n in constants + numbers if types[n].kind == dtypes.COMPLEX),
            (),
            self.freed,
        )


def launched(
    run: list[Stored], at: int, memory: Memory, alive: Sequence[bool], info: DeviceInfo
) -> RowsLaunch:
    """The launch of a run, whose first group is `at` among all."""
    last = at + len(run) - 1
    length = _length(run[0][0])
    rooms: list[str] = []
    kept: dict[int, int] = {}
    held: dict[Any, int] = {}
    ends: dict[int, int] = {}  # which part reads last what a room holds
    left = most = tuning.ROW_NBYTES
    if not info.chunked:
        trees = _trees_nbytes([group for group, _ in run], length)
        left = most = min(most, info.local_nbytes - _SHARES_NBYTES - trees)
        for how, parts in _rereads(run, length).items():
            nbytes = layout.power_of_two(length) * how[1].itemsize
            if nbytes <= left:
                held[how] = len(rooms)
                ends[len(rooms)] = parts[-1]
                rooms.append(how[1].storage)
                left -= nbytes
    for part, (group, stores) in enumerate(run):
        for _, ref in stores:
            if (
                ref.slot in kept
                or alive[ref.slot]
                or ref.slot not in group.fresh
                or group.space != run[0][0].space
                or not memory.is_within(ref.slot, at, last)
            ):
                continue
            room = next(
                (n for n, end in ends.items() if end <= part and rooms[n] == ref.dtype.storage),
                len(rooms),
            )
            nbytes = layout.power_of_two(length) * ref.dtype.itemsize
            if room < len(rooms):
                del ends[room]
            elif nbytes <= left:
                rooms.append(ref.dtype.storage)
                left -= nbytes
            else:
                continue
            kept[ref.slot] = room
    freed = []
    for number in range(at, last + 1):
        memory.taken(number, by_rows=True)
        freed += memory.freed(number, {})
    together = 1 if info.chunked else _together(run, length, most - left, info)
    return RowsLaunch(run, rooms, kept, held, together, freed)


def _together(run: Sequence[Stored], length: int, kept_nbytes: int, info: DeviceInfo) -> int:
    """How many rows a group of items takes at a time, by the local memory that each needs."""
    if length > tuning.SHORT_ROW:
        return 1
    row = layout.power_of_two(length)
    nbytes = kept_nbytes + _trees_nbytes([group for group, _ in run], row)
    rows = run[0][0].size // length
    most = min(
        tuning.ROWS_TOGETHER // row,
        rows // info.compute_units,
        min(info.local_nbytes - _SHARES_NBYTES, tuning.ROW_NBYTES) // nbytes,
    )
    return 1 << max(most, 1).bit_length() - 1


def _rereads(run: Sequence[Stored], length: int) -> dict[Any, list[int]]:
    """The accesses by which several parts read elements along a row, and which do."""
    written = {slot for group, _ in run for slot in group.written}
    space = run[0][0].space
    axes = _axes(run[0][0], length)
    assert axes is not None
    parts: dict[Any, list[int]] = {}
    for part, (group, _) in enumerate(run):
        for how in _loads(group, space):
            slot, _, steps, _ = how
            if isinstance(steps, Moved):
                steps = steps.steps
            if slot >= 0 and slot not in written and (steps is None or any(steps[-axes:])):
                parts.setdefault(how, []).append(part)
    return {how: some for how, some in parts.items() if len(some) > 1}
