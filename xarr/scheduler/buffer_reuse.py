"""Buffer reuse: which outputs take over a dead buffer, and which are double-buffered.

The last pass. A kernel may write an output into a dead input's buffer; a storage that it reads at
other places gets a spare one: a step of heat on 4096 x 4096 takes an H100 72 us then, not 105.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, NamedTuple

from xarr import layout, tuning
from xarr.ir.storage import is_live
from xarr.lowering.operations import WrappedAccess
from xarr.scheduler.fusion_group import FusionGroup
from xarr.scheduler.planned_kernel import LocalMemory, PlannedKernel
from xarr.scheduler.row_fusion import (
    SHARES_NBYTES,
    is_kernel_of_rows,
    row_axes,
    row_length,
    trees_nbytes,
    values_of_elements,
)

if TYPE_CHECKING:
    from xarr.backends.base import DeviceInfo


class Plan(NamedTuple):
    """The kernels that a list of instructions becomes, in order, and their buffers."""

    kernels: list[PlannedKernel]
    dead: list[int]
    """The dead storages that no kernel needs."""
    spare_buffers: list[int]
    """The bytes of further storages, whose slots follow the list's."""

    @property
    def members(self) -> list[frozenset[int]]:
        """The numbers of each kernel's instructions."""
        return [one.members for one in self.kernels]


def reuse_buffers(
    runs: Sequence[list[FusionGroup]], states: Sequence[int], info: DeviceInfo
) -> Plan:
    """Plan the buffers of each run's kernel: reused, spare, local or freed afterwards."""
    buffers = Buffers([group for run in runs for group in run], states)
    plan = Plan([], buffers.dead(), [])
    number = 0
    for run in runs:
        if is_kernel_of_rows(run, info):
            numbers = range(number, number + len(run))
            internal = {slot for group in run for slot, *_ in group.outputs
                        if buffers.is_within(slot, numbers)}  # fmt: skip
            freed = []
            for number in numbers:
                buffers.reuse(number, is_allowed=False)
                freed += buffers.freed(number, {})
            local = _local_memory(run, internal, info)
            plan.kernels.append(PlannedKernel(run, {}, freed, local))
            number += 1
            continue
        (group,) = run
        reuses = buffers.reuse(number)
        freed = buffers.freed(number, reuses)
        for _, ref in group.outputs.values():
            if ref.slot in group.double_buffered and ref.slot not in reuses:
                reuses[ref.slot] = len(states) + len(plan.spare_buffers)
                plan.spare_buffers.append(ref.nbytes)
        plan.kernels.append(PlannedKernel(run, reuses, freed))
        number += 1
    return plan


class Buffers:
    """The buffers that are dead, while kernels are planned in order."""

    def __init__(self, groups: Sequence[FusionGroup], states: Sequence[int]) -> None:
        self._groups = groups
        self._live = [is_live(state) for state in states]
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
                (nbytes, group.type_in_order(slot)): slot
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
        """Return the dead storages that no kernel needs."""
        return [slot for slot in self._nbytes if slot not in self._last]

    def freed(self, number: int, reuses: Mapping[int, int]) -> list[int]:
        """Return the storages that are dead after a group and whose buffers nothing reuses."""
        return [
            slot
            for slot, last in self._last.items()
            if last == number and not self._live[slot] and slot not in reuses.values()
        ]


def _local_memory(run: list[FusionGroup], internal: Set[int], info: DeviceInfo) -> LocalMemory:
    """Plan the local memory of a run; `internal` are the dead storages that only its groups use."""
    first = run[0]
    length = row_length(first)
    buffers: list[str] = []
    kept: dict[int, int] = {}
    cached: dict[Any, int] = {}
    ends: dict[int, int] = {}  # the part that reads each buffer last
    left = most = tuning.ROW_NBYTES
    if not info.loop_per_item:
        left = most = min(most, info.local_nbytes - SHARES_NBYTES - trees_nbytes(run, length))
        for how, parts in _shared_loads(run, length).items():
            nbytes = layout.power_of_two(length) * how[1].itemsize
            if nbytes <= left:
                cached[how] = len(buffers)
                ends[len(buffers)] = parts[-1]
                buffers.append(how[1].storage)
                left -= nbytes
    for part, group in enumerate(run):
        for slot, dtype, *_ in group.outputs if group.space == first.space else ():
            if slot in kept or slot not in internal or slot not in group.fresh:
                continue
            buffer = next(
                (n for n, end in ends.items() if end <= part and buffers[n] == dtype.storage),
                len(buffers),
            )
            nbytes = layout.power_of_two(length) * dtype.itemsize
            if buffer < len(buffers):
                del ends[buffer]
            elif nbytes <= left:
                buffers.append(dtype.storage)
                left -= nbytes
            else:
                continue
            kept[slot] = buffer
    rows_together = 1 if info.loop_per_item else _rows_together(run, length, most - left, info)
    return LocalMemory(buffers, kept, cached, rows_together)


def _rows_together(run: list[FusionGroup], length: int, kept_nbytes: int, info: DeviceInfo) -> int:
    """Return how many rows a group of items takes at a time, by the local memory of each."""
    if length > tuning.SHORT_ROW:
        return 1
    row = layout.power_of_two(length)
    nbytes = kept_nbytes + trees_nbytes(run, row)
    most = min(
        tuning.ROWS_TOGETHER // row,
        run[0].size // length // info.compute_units,
        min(info.local_nbytes - SHARES_NBYTES, tuning.ROW_NBYTES) // nbytes,
    )
    return 1 << max(most, 1).bit_length() - 1


def _shared_loads(run: list[FusionGroup], length: int) -> dict[Any, list[int]]:
    """Map the accesses along a row by which several parts read the same elements to the parts."""
    written = {slot for group in run for slot in group.written}
    space = run[0].space
    axes = row_axes(run[0], length)
    assert axes is not None
    parts: dict[Any, list[int]] = {}
    for part, group in enumerate(run):
        for how in values_of_elements(group, space):
            slot, _, strides, _ = how
            if isinstance(strides, WrappedAccess):
                strides = strides.strides
            if slot >= 0 and slot not in written and (strides is None or any(strides[-axes:])):
                parts.setdefault(how, []).append(part)
    return {how: some for how, some in parts.items() if len(some) > 1}
