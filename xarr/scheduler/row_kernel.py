"""Kernels of rows: the local memory of a run of groups, and the call that it is lowered to."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Any, NamedTuple

from xarr import dtypes, layout, tuning
from xarr.core.steps import Call
from xarr.scheduler.fusion_group import FusionGroup
from xarr.scheduler.instructions import DeferredTemplateOp, Epilogue, Part, Rows, WrappedAccess
from xarr.scheduler.row_fusion import (
    SHARES_NBYTES,
    row_axes,
    row_length,
    trees_nbytes,
    values_of_elements,
)

if TYPE_CHECKING:
    from xarr.backends.base import DeviceInfo
    from xarr.backends.device import Device
    from xarr.dtypes import DType


class PlannedRowKernel(NamedTuple):
    """Groups that become one kernel of rows, and its local memory.

    Attributes
    ----------
    rooms : list of str
        The element types of the buffers in local memory, of one row each.
    kept : dict of int to int
        The storages of which only one row exists, and in which buffer.
    cached : dict
        The accesses whose elements are loaded once and read again from a buffer.
    together : int
        How many rows a group of items on a GPU takes at a time.
    """

    groups: list[FusionGroup]
    rooms: list[str]
    kept: dict[int, int]
    cached: dict[Any, int]
    together: int
    freed: list[int]
    reuses: dict[int, int]  # none: rows are read in another order

    @property
    def members(self) -> frozenset[int]:
        """The numbers of the instructions."""
        return frozenset[int]().union(*[group.numbers_of_members for group in self.groups])

    def call(self, device: Device, types: Sequence[DType], *, wide: bool) -> Call:
        """Lower to a call; `types` are the data types of the program's constants."""
        first = self.groups[0]
        length = row_length(first)
        axes = row_axes(first, length)
        operation = first.reductions[0].operation
        assert axes is not None
        assert isinstance(operation, DeferredTemplateOp)
        results = [ref for group in self.groups for _, ref in group.stored_results]
        written = {slot for group in self.groups for slot, *_ in group.outputs}
        names = {(ref.slot, ref.dtype): f"r{number}" for number, ref in enumerate(results)}
        pointers: list[int] = []
        parameters: list[tuple[str, str]] = []
        parts = []
        forms = []
        loaded: set[Any] = set()
        for group in self.groups:
            row = axes - len(first.space) + len(group.space), operation.names
            form, slots = group.form({}, wide=wide, row=row, kept=self.kept)
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
            own = tuple([names[ref.slot, ref.dtype] for _, ref in group.stored_results])
            stored = tuple([number for number, _ in group.stored_results])
            epilogue = Epilogue(tuple(group.epilogue), stored) if group.reductions else None
            loads = values_of_elements(group, first.space)
            cached = tuple([
                (access, f"room{self.cached[how]}", how in loaded)
                for access, how in enumerate(group.accesses) if how in loads and how in self.cached
            ])  # fmt: skip
            loaded.update(loads)
            parts.append(Part(form, tuple(memory), own, epilogue, cached))
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
            for group in self.groups
            for _, ref in group.outputs.values()
            if ref.slot in group.fresh and ref.slot not in self.kept
        ]
        constants = [number for group in self.groups for number in group.constants]
        numbers = [number for group in self.groups for number in group.numbers]
        return Call(
            [operation.rows(device, work)],
            [],
            forms,
            pointers,
            results,
            [
                (-1, 0) if slot in self.kept else (slot, offset)
                for group in self.groups
                for slot, offset in group.offsets()
            ],
            [
                *((ref.slot, ref.nbytes) for ref in new + results),
                *(item for group in self.groups for item in group.uninitialised.items()),
            ],
            constants,
            numbers,
            frozenset(n for n in constants + numbers if types[n].kind == dtypes.COMPLEX),
            (),
            self.freed,
        )


def plan_row_kernel(
    run: list[FusionGroup], local: Set[int], freed: list[int], info: DeviceInfo
) -> PlannedRowKernel:
    """Plan the local memory of a run; `local` are the dead storages that no other kernel uses."""
    first = run[0]
    length = row_length(first)
    rooms: list[str] = []
    kept: dict[int, int] = {}
    cached: dict[Any, int] = {}
    ends: dict[int, int] = {}  # the part that reads each buffer last
    left = most = tuning.ROW_NBYTES
    if not info.chunked:
        left = most = min(most, info.local_nbytes - SHARES_NBYTES - trees_nbytes(run, length))
        for how, parts in _reread(run, length).items():
            nbytes = layout.power_of_two(length) * how[1].itemsize
            if nbytes <= left:
                cached[how] = len(rooms)
                ends[len(rooms)] = parts[-1]
                rooms.append(how[1].storage)
                left -= nbytes
    for part, group in enumerate(run):
        for slot, dtype, *_ in group.outputs if group.space == first.space else ():
            if slot in kept or slot not in local or slot not in group.fresh:
                continue
            room = next(
                (n for n, end in ends.items() if end <= part and rooms[n] == dtype.storage),
                len(rooms),
            )
            nbytes = layout.power_of_two(length) * dtype.itemsize
            if room < len(rooms):
                del ends[room]
            elif nbytes <= left:
                rooms.append(dtype.storage)
                left -= nbytes
            else:
                continue
            kept[slot] = room
    together = 1 if info.chunked else _together(run, length, most - left, info)
    return PlannedRowKernel(run, rooms, kept, cached, together, freed, {})


def _together(run: list[FusionGroup], length: int, kept_nbytes: int, info: DeviceInfo) -> int:
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


def _reread(run: list[FusionGroup], length: int) -> dict[Any, list[int]]:
    """Map the accesses along a row by which several parts read the same elements to the parts."""
    written = {slot for group in run for slot in group.written}
    space = run[0].space
    axes = row_axes(run[0], length)
    assert axes is not None
    parts: dict[Any, list[int]] = {}
    for part, group in enumerate(run):
        for how in values_of_elements(group, space):
            slot, _, steps, _ = how
            if isinstance(steps, WrappedAccess):
                steps = steps.steps
            if slot >= 0 and slot not in written and (steps is None or any(steps[-axes:])):
                parts.setdefault(how, []).append(part)
    return {how: some for how, some in parts.items() if len(some) > 1}
