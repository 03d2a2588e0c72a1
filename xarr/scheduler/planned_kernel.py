"""Planned kernels: fusion groups with their buffers, and the call that they are lowered to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from xarr import dtypes
from xarr.codegen import launch
from xarr.ir.steps import Step
from xarr.lowering.lower import lower_opaque, lower_template
from xarr.lowering.operations import NAMES, Epilogue, Part, Rows
from xarr.lowering.reduce_scan import lower_rows
from xarr.scheduler.fusion_group import FusionGroup
from xarr.scheduler.row_fusion import row_axes, row_length, values_of_elements

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.codegen.kernel_spec import KernelSpec
    from xarr.dtypes import DType


class LocalMemory(NamedTuple):
    """The local memory of a kernel of rows."""

    buffers: list[str]
    """The element types of its buffers, of one row each."""
    kept: dict[int, int]
    """The storages of which only one row exists, and in which buffer."""
    cached: dict[Any, int]
    """The accesses whose elements are loaded once and read again from a buffer."""
    rows_together: int
    """How many rows a group of items on a GPU takes at a time."""


class PlannedKernel(NamedTuple):
    """A group that becomes a kernel or the launches of a template, or groups that run by rows."""

    groups: list[FusionGroup]
    reuses: dict[int, int]
    """The dead storage whose buffer each output reuses, or its spare buffer."""
    freed: list[int]
    """The storages that are dead afterwards."""
    local: LocalMemory | None = None

    @property
    def members(self) -> frozenset[int]:
        """The numbers of the instructions."""
        return frozenset[int]().union(*[group.numbers_of_members for group in self.groups])

    def call(self, device: Device, types: Sequence[DType], *, wide: bool) -> Step:
        """Lower to a call; `types` are the data types of the program's constants."""
        if self.local is not None:
            return self._call_of_rows(device, self.local, types, wide=wide)
        (group,) = self.groups
        opaque = group.opaque
        if opaque is not None:
            call = lower_opaque(
                opaque.operation, device, opaque.operands, opaque.written, wide=wide
            )
            call.freed = self.freed
            return call
        spec, pointers = group.kernel_spec(self.reuses, wide=wide)
        launches: list[launch.Launch] = []
        scratch: list[launch.ScratchBuffer] = []
        if not group.reductions:
            launches = [launch.elementwise(spec, device, in_order=group.in_order)]
        else:
            operation, shape = group.reductions[0].operation, group.reductions[0].shape
            launches, scratch = lower_template(operation, device, spec, shape, _epilogue(group))
        launches = launch.with_spec(launches, spec)
        return self._lowered(launches, scratch, [spec], [slot for slot, _ in pointers], types)

    def _call_of_rows(
        self, device: Device, local: LocalMemory, types: Sequence[DType], *, wide: bool
    ) -> Step:
        """Lower to a kernel of rows, of which each group is a part."""
        first = self.groups[0]
        length = row_length(first)
        axes = row_axes(first, length)
        assert axes is not None
        results = [ref for group in self.groups for _, ref in group.stored_results]
        written = {slot for group in self.groups for slot, *_ in group.outputs}
        names = {(ref.slot, ref.dtype): f"r{number}" for number, ref in enumerate(results)}
        pointers: list[int] = []
        parameters: list[tuple[str, str]] = []
        parts = []
        loaded: set[Any] = set()
        for group in self.groups:
            row = axes - len(first.space) + len(group.space), NAMES
            spec, slots = group.kernel_spec({}, wide=wide, row=row, kept=local.kept)
            for slot, dtype in slots:
                if (slot, dtype) in names:
                    continue
                if slot in local.kept:
                    names[slot, dtype] = f"room{local.kept[slot]}"
                    continue
                names[slot, dtype] = name = f"q{len(pointers)}"
                pointers.append(slot)
                const = "" if slot in written else "const "
                parameters.append((f"{const}{dtype.storage}", name))
            loads = values_of_elements(group, first.space)
            cached = tuple([
                (access, f"room{local.cached[how]}", how in loaded)
                for access, how in enumerate(group.accesses) if how in loads and how in local.cached
            ])  # fmt: skip
            loaded.update(loads)
            memory = tuple([names[one] for one in slots])
            own = tuple([names[ref.slot, ref.dtype] for _, ref in group.stored_results])
            epilogue = _epilogue(group) if group.reductions else None
            parts.append(Part(spec, memory, own, epilogue, cached))
        parameters += [(ref.dtype.storage, f"r{number}") for number, ref in enumerate(results)]
        kept = tuple([(kind, f"room{number}") for number, kind in enumerate(local.buffers)])
        items = first.size // length
        work = Rows(tuple(parts), items, length, tuple(parameters), kept, local.rows_together)
        launches = [lower_rows(device, work)]
        return self._lowered(launches, [], [part.spec for part in parts], pointers, types)

    def _lowered(
        self,
        launches: Sequence[launch.Launch],
        scratch: Sequence[launch.ScratchBuffer],
        specs: Sequence[KernelSpec],
        pointers: Sequence[int],
        types: Sequence[DType],
    ) -> Step:
        """Return the call of launches over the forms of all groups."""
        groups, reuses = self.groups, self.reuses
        kept = () if self.local is None else self.local.kept
        results = [ref for group in groups for _, ref in group.stored_results]
        constants = [number for group in groups for number in group.constants]
        numbers = [number for group in groups for number in group.numbers]
        allocated = [
            (reuses.get(ref.slot, ref.slot), ref.nbytes)
            for group in groups
            for _, ref in group.outputs.values()
            if ref.slot in group.double_buffered
            or (ref.slot in group.fresh and ref.slot not in kept and ref.slot not in reuses)
        ]
        fresh = {slot for group in groups for slot in group.fresh}
        allocated += [(ref.slot, ref.nbytes) for ref in results if ref.slot in fresh]
        allocated += [one for group in groups for one in group.uninitialised.items()]
        offsets = [one for group in groups for one in group.offsets()]
        return Step(
            launches,
            scratch,
            specs,
            pointers,
            results,
            [(-1, 0) if slot in kept else (slot, offset) for slot, offset in offsets],
            allocated,
            constants,
            numbers,
            frozenset(n for n in constants + numbers if types[n].kind == dtypes.COMPLEX),
            tuple(reuses.items()),
            self.freed,
        )


def _epilogue(group: FusionGroup) -> Epilogue:
    """Return the epilogue of a group's reductions."""
    return Epilogue(tuple(group.epilogue), tuple([number for number, _ in group.stored_results]))
