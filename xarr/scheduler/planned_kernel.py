"""Planned kernels: a fusion group with its buffers, and the call that it is lowered to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from xarr import dtypes
from xarr.compiler import launch
from xarr.core.steps import Call
from xarr.scheduler.fusion_group import FusionGroup
from xarr.scheduler.instructions import DeferredTemplateOp, Epilogue, OpaqueOp

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.dtypes import DType


class PlannedKernel(NamedTuple):
    """A group that becomes one kernel, or several launches of a template.

    Attributes
    ----------
    reuses : dict
        The dead storage whose buffer each output reuses, or the spare buffer that it is written to.
    freed : list of int
        The storages that are dead afterwards.
    """

    group: FusionGroup
    reuses: dict[int, int]
    freed: list[int]

    @property
    def groups(self) -> list[FusionGroup]:
        """The group, as a list."""
        return [self.group]

    @property
    def members(self) -> frozenset[int]:
        """The numbers of the instructions."""
        return self.group.numbers_of_members

    def call(self, device: Device, types: Sequence[DType], *, wide: bool) -> Call:
        """Lower to a call; `types` are the data types of the program's constants."""
        group, reuses = self.group, self.reuses
        opaque = group.opaque
        if opaque is not None:
            assert isinstance(opaque.operation, OpaqueOp)
            call = opaque.operation.call(device, opaque, wide=wide)
            call.freed = self.freed
            return call
        form, pointers = group.form(reuses, wide=wide)
        results = [ref for _, ref in group.stored_results]
        allocated = [
            (reuses.get(ref.slot, ref.slot), ref.nbytes)
            for _, ref in group.outputs.values()
            if ref.slot in group.double_buffered
            or (ref.slot in group.fresh and ref.slot not in reuses)
        ]
        stages: list[launch.Stage] = []
        rooms: list[launch.Room] = []
        if not group.reductions:
            stages = [launch.elementwise(form, device, in_order=group.in_order)]
        elif not group.sealed:
            operation = group.reductions[0].operation
            assert isinstance(operation, DeferredTemplateOp)
            stored = tuple([number for number, _ in group.stored_results])
            epilogue = Epilogue(tuple(group.epilogue), stored)
            stages, rooms = operation.stages(device, form, group.reductions[0].shape, epilogue)
        numbers = group.constants + group.numbers
        return Call(
            launch.with_form(stages, form),
            rooms,
            [form],
            [slot for slot, _ in pointers],
            results,
            group.offsets(),
            [
                *allocated,
                *((ref.slot, ref.nbytes) for ref in results),
                *group.uninitialised.items(),
            ],
            group.constants,
            group.numbers,
            frozenset(number for number in numbers if types[number].kind == dtypes.COMPLEX),
            tuple(reuses.items()),
            self.freed,
        )
