"""A plan: the kernels that a list of instructions becomes, in order, and their memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from xarr import dtypes
from xarr.compiler import launch
from xarr.core.steps import Call
from xarr.core.storage import OWN, is_held
from xarr.schedule import rows
from xarr.schedule.grouping import grouped
from xarr.schedule.groups import Group
from xarr.schedule.instructions import Finals, Instruction, Recorded, Ref, Separate
from xarr.schedule.memory import Memory, stored

if TYPE_CHECKING:
    from xarr.backends.base import DeviceInfo
    from xarr.backends.device import Device
    from xarr.dtypes import DType


class Launch(NamedTuple):
    """A group that becomes kernels, what it stores, and what becomes of storages.

    Attributes
    ----------
    stores : list of (int, Ref)
        The entries that are stored, and where.
    taken : dict
        The storages whose memory is that of another one.
    freed : list of int
        Those that are not needed any more.
    exchanged : dict
        The storages that are read as they were and written to other memory, and whose that is.
    """

    group: Group
    stores: list[tuple[int, Ref]]
    taken: dict[int, int]
    freed: list[int]
    exchanged: dict[int, int]

    @property
    def members(self) -> frozenset[int]:
        """The instructions, by number."""
        return self.group.numbers_of_members

    def call(self, device: Device, types: Sequence[DType], *, wide: bool) -> Call:
        """The call of its kernels; `types` are the data types of all constants."""
        group, stores, taken = self.group, self.stores, self.taken
        alone = group.separate
        if alone is not None:
            assert isinstance(alone.operation, Separate)
            call = alone.operation.call(device, alone, wide=wide)
            call.freed = self.freed
            return call
        memory = taken | self.exchanged
        form, pointers = group.form(stores, taken, wide=wide, exchanged=self.exchanged)
        results = [ref for _, ref in group.delivered]
        written = [
            ref._replace(slot=self.exchanged.get(ref.slot, ref.slot))
            for _, ref in stores
            if ref.slot in self.exchanged or (ref.slot in group.fresh and ref.slot not in taken)
        ]
        stages: list[launch.Stage] = []
        rooms: list[launch.Room] = []
        if not group.endings:
            stages = [launch.elementwise(form, device, in_order=group.in_order)]
        elif not group.closed:
            operation = group.endings[0].operation
            assert isinstance(operation, Recorded)
            stored = tuple([number for number, _ in group.delivered])
            finals = Finals(tuple(group.finals), stored)
            stages, rooms = operation.stages(device, form, group.endings[0].shape, finals)
        numbers = group.constants + group.numbers
        return Call(
            launch.with_form(stages, form),
            rooms,
            [form],
            [slot for slot, _ in pointers],
            results,
            group.offsets(stores),
            [*((ref.slot, ref.nbytes) for ref in written + results), *group.blank.items()],
            group.constants,
            group.numbers,
            frozenset(number for number in numbers if types[number].kind == dtypes.COMPLEX),
            tuple(memory.items()),
            self.freed,
        )


class Plan:
    """The groups that a list of instructions becomes, in order, and what becomes of storages.

    Attributes
    ----------
    launches : list of Launch
        All but the one that a skeleton takes the place of: `consumer`, which comes last.
    unread : list of int
        The storages that nobody holds and no launch needs.
    members : list of frozenset
        The instructions of each, by number.
    spare : list of int
        The bytes of storages beyond the list's, by which others are exchanged.
    """

    def __init__(
        self, steps: Sequence[Instruction], states: Sequence[int], info: DeviceInfo
    ) -> None:
        self.launches: list[Launch | rows.RowsLaunch] = []
        self.consumer: list[Launch] = []
        self.spare: list[int] = []
        alive = [is_held(state) for state in states]
        own = {slot: OWN - state for slot, state in enumerate(states) if state <= OWN}
        runs = rows.runs(stored(grouped(steps, alive, own, info), alive), info)
        memory = Memory([one for run in runs for one in run], states, alive)
        self.unread = memory.unread()
        following = 0
        for run in runs:
            number = following
            following += len(run)
            if len(run) > 1 or rows.is_short(run, info):
                self.launches.append(rows.launched(run, number, memory, alive, info))
                continue
            ((group, stores),) = run
            taken = memory.taken(number)
            exchanged: dict[int, int] = {}
            for _, ref in stores:
                if ref.slot in group.exchanged:
                    exchanged[ref.slot] = len(states) + len(self.spare)
                    self.spare.append(ref.nbytes)
            if group.endings and group.closed:
                self.consumer = [Launch(group, stores, taken, [], exchanged)]
            else:
                freed = memory.freed(number, taken)
                self.launches.append(Launch(group, stores, taken, freed, exchanged))
        self.members = [one.members for one in (*self.launches, *self.consumer)]
