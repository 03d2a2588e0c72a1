"""Buffer reuse: which outputs take over a dead buffer, and which are double-buffered.

The last pass. A kernel may write an output into the buffer of an input that is dead afterwards; a
storage that it reads at other places than it writes gets a spare buffer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from xarr.core.storage import is_held
from xarr.scheduler.fusion_group import FusionGroup
from xarr.scheduler.planned_kernel import PlannedKernel
from xarr.scheduler.row_fusion import is_kernel_of_rows
from xarr.scheduler.row_kernel import PlannedRowKernel, plan_row_kernel

if TYPE_CHECKING:
    from xarr.backends.base import DeviceInfo


class Plan(NamedTuple):
    """The kernels that a list of instructions becomes, in order, and their buffers.

    Attributes
    ----------
    launches : list of PlannedKernel or PlannedRowKernel
        All but the `consumer`, which comes last and whose template its caller launches.
    dead : list of int
        The storages that nobody holds and no kernel needs.
    spare_buffers : list of int
        The bytes of further storages, whose slots follow the list's.
    """

    launches: list[PlannedKernel | PlannedRowKernel]
    consumer: list[PlannedKernel]
    dead: list[int]
    spare_buffers: list[int]

    @property
    def members(self) -> list[frozenset[int]]:
        """The numbers of each kernel's instructions."""
        return [one.members for one in (*self.launches, *self.consumer)]


def reuse_buffers(
    runs: Sequence[list[FusionGroup]], states: Sequence[int], info: DeviceInfo
) -> Plan:
    """Plan the buffers of each run's kernel: reused, spare, local or freed afterwards."""
    buffers = Buffers([group for run in runs for group in run], states)
    plan = Plan([], [], buffers.dead(), [])
    number = 0
    for run in runs:
        if is_kernel_of_rows(run, info):
            plan.launches.append(_plan_rows(run, number, buffers, info))
            number += len(run)
            continue
        (group,) = run
        reuses = buffers.reuse(number)
        freed = buffers.freed(number, reuses)
        for _, ref in group.outputs.values():
            if ref.slot in group.double_buffered:
                reuses[ref.slot] = len(states) + len(plan.spare_buffers)
                plan.spare_buffers.append(ref.nbytes)
        if group.reductions and group.sealed:
            plan.consumer.append(PlannedKernel(group, reuses, []))
        else:
            plan.launches.append(PlannedKernel(group, reuses, freed))
        number += 1
    return plan


def _plan_rows(
    run: list[FusionGroup], first: int, buffers: Buffers, info: DeviceInfo
) -> PlannedRowKernel:
    """Plan the buffers of a kernel of rows, whose first group is of number `first`."""
    numbers = range(first, first + len(run))
    outputs = {slot for group in run for slot, *_ in group.outputs}
    local = {slot for slot in outputs if buffers.is_within(slot, numbers)}
    freed = []
    for number in numbers:
        buffers.reuse(number, is_allowed=False)
        freed += buffers.freed(number, {})
    return plan_row_kernel(run, local, freed, info)


class Buffers:
    """The buffers that are dead, while kernels are planned in order."""

    def __init__(self, groups: Sequence[FusionGroup], states: Sequence[int]) -> None:
        self._groups = groups
        self._live = [is_held(state) for state in states]
        self._first: dict[int, int] = {}
        self._last: dict[int, int] = {}
        for number, group in enumerate(groups):
            for slot in (*group.read, *group.written):
                self._first.setdefault(slot, number)
                self._last[slot] = number
            # The first group that writes to a part of such a storage allocates all of it.
            for slot in [slot for slot in group.uninitialised if self._first[slot] != number]:
                del group.uninitialised[slot]
        self._nbytes = {slot: state for slot, state in enumerate(states) if state >= 0}

    def is_within(self, slot: int, numbers: range) -> bool:
        """Return whether a storage is dead and only groups of these numbers use it."""
        first, last = self._first[slot], self._last[slot]
        return not self._live[slot] and first in numbers and last in numbers

    def reuse(self, number: int, *, is_allowed: bool = True) -> dict[int, int]:
        """Map each output of a group to the dead input whose buffer it reuses.

        Both have as many bytes and one data type, item i reads and writes element i alone, and
        nothing reads the input later. Kernels of templates and of rows have other orders.
        """
        group = self._groups[number]
        reuses: dict[int, int] = {}
        donors: dict[tuple[int, object], int] = {}
        if is_allowed and not group.reductions:
            donors = {
                (nbytes, group.type_in_step(slot)): slot
                for slot, nbytes in self._nbytes.items()
                if self._last.get(slot) == number and slot not in group.written
            }
        for _, ref in group.outputs.values():
            if self._first[ref.slot] != number or ref.slot not in group.fresh:
                continue
            donor = donors.pop((ref.nbytes, ref.dtype), None)
            if donor is not None:
                reuses[ref.slot] = donor
                del self._nbytes[donor]
            if not self._live[ref.slot]:
                self._nbytes[ref.slot] = ref.nbytes
        return reuses

    def dead(self) -> list[int]:
        """Return the storages that nobody holds and no kernel needs."""
        return [slot for slot in self._nbytes if slot not in self._last]

    def freed(self, number: int, reuses: Mapping[int, int]) -> list[int]:
        """Return the storages that are dead after a group and whose buffers nothing reuses."""
        return [
            slot
            for slot, last in self._last.items()
            if last == number and not self._live[slot] and slot not in reuses.values()
        ]
