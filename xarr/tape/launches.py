"""Launches of a program's own kernels: made at once, and noted by what records instructions.

Launches like one before are made by `user_kernels/repeats.py`, where nothing is recorded. Such a
launch is no instruction on the tape, as nothing is known of what it does to its arrays; it
runs behind all that was asked before. A recording has it as an entry, between whose neighbours
nothing is fused.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from xarr import dtypes
from xarr.backends.base import Place
from xarr.ir.events import counts
from xarr.ir.instructions import Instruction, Opcode, live_bytes_per_cut
from xarr.ir.operation import Operation
from xarr.ir.steps import LibraryStep
from xarr.ir.views import View
from xarr.layout import Pattern
from xarr.lowering.operations import Ref
from xarr.runtime.program import Runnable, Trace
from xarr.tape import builder, recorders
from xarr.tape.loops import cut_points
from xarr.tape.tape import tape_of

if TYPE_CHECKING:
    from xarr.backends.device import Device


class PointerTo(NamedTuple):
    """An argument that is the address of an array, or of the memory in which it lies.

    number : int -- The array's place among the views.
    is_whole : bool -- Whether it is the address of the memory.
    """

    number: int
    is_whole: bool = False


class OffsetOf(NamedTuple):
    """An argument that says at which element of its memory an array begins, as an int64."""

    number: int


class LaunchOp(Operation):
    """A launch of a kernel on some views.

    Attributes
    ----------
    where : str
        The call that errors name.
    kernel : object
        The kernel as the driver has it.
    grid, group : tuple of int
        The groups, and the items of one.
    arguments : sequence of PointerTo, OffsetOf, bytes and int
        What the kernel's parameters are given; an int is so many bytes of local memory.
    local_nbytes : int
        The bytes of local memory behind all pointers to it.
    written : tuple of int
        The views that the kernel may write to, by number.
    """

    __slots__ = ("arguments", "grid", "group", "kernel", "local_nbytes", "where", "written")

    reads_other_positions = True
    is_separate = True

    def __init__(
        self,
        name: str,
        where: str,
        views: Sequence[View],
        kernel: Any,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        arguments: Sequence[PointerTo | OffsetOf | bytes | int],
        local_nbytes: int,
        written: tuple[int, ...],
    ) -> None:
        types = tuple([view.dtype for view in views])
        result = types[written[0]] if written else dtypes.bool_
        super().__init__(name, types, result, "")
        self.where = where
        self.kernel = kernel
        self.grid, self.group = grid, group
        self.arguments = arguments
        self.local_nbytes = local_nbytes
        self.written = written

    def work(self, device: Device, views: Sequence[View]) -> None:
        """Call the driver, for views that are in memory; the caller holds the device's lock."""
        given = [_argument(one, views) for one in self.arguments]
        device.driver.launch_with(self.kernel, self.grid, self.group, given, self.local_nbytes)
        counts.launches += 1


def _argument(given: PointerTo | OffsetOf | bytes | int, views: Sequence[View]) -> Any:
    """Return an argument as the driver takes it."""
    if isinstance(given, OffsetOf):
        return struct.pack("=q", views[given.number].offset)
    if not isinstance(given, PointerTo):
        return given
    view = views[given.number]
    assert view.storage is not None
    view.storage.settle()
    begin = 0 if given.is_whole else view.offset * view.structure.itemsize
    return Place(view.storage.buffer, begin)


def launch(operation: LaunchOp, views: Sequence[View], device: Device) -> None:
    """Launch a kernel on views, which are in storages, after all that was asked before."""
    if views:
        for recorder in recorders.active():
            structures = tuple([view.structure for view in views])
            opcode = Opcode(operation, structures, None, views[0].shape, device, False)
            recorder.launching(operation.where, opcode, tuple(views))
    with device.lock:
        for view in views:
            builder.compute(view)
        written = {views[number].storage for number in operation.written}
        builder.release(device, written.__contains__)
        tape_of(device).ask(operation.work, device, views)
        for storage in written:
            storage.writes += 1  # type: ignore[union-attr]


class LaunchStep(LibraryStep):
    """A launch as a step; `title` is the kernel's name."""

    title: str


class LaunchProgram(Runnable):
    """A launch as a program of a recording, of one step.

    opcode : Opcode -- The launch.
    views : sequence of View -- Its views; they lie where they do in each call.
    numbers : sequence of int -- The number of each view's storage in the program.
    freed : sequence of int -- The storages that nobody needs afterwards.
    """

    def __init__(
        self, opcode: Opcode, views: Sequence[View], numbers: Sequence[int], freed: Sequence[int]
    ) -> None:
        device = opcode.device
        places = [(at, view.offset) for at, view in zip(numbers, views, strict=True)]
        super().__init__(Trace(device, (opcode,), tuple(places)), ())
        operation: LaunchOp = opcode.operation
        refs = [
            Ref(at, view.dtype, _pattern_of(view), offset)
            for view, (at, offset) in zip(views, places, strict=True)
        ]
        step = LaunchStep(
            whole=refs, results=[refs[number] for number in operation.written], freed=freed
        )
        step.title = operation.name
        step.launch_count = 1
        step.work = lambda found: operation.work(device, found)
        step.captures = None if device.driver.takes_numbers else _is_captured
        step.views = [
            (view.structure, at, offset) for view, (at, offset) in zip(views, places, strict=True)
        ]
        self.steps = [step]
        self.is_final = True

    def prepare(self) -> list[Any]:
        """Return the steps."""
        return self.steps


def _pattern_of(view: View) -> Pattern:
    pattern: Pattern | None = view.structure.pattern
    assert pattern is not None
    return pattern


def _is_captured(*_: Any) -> bool:
    return True


def program_of(
    instruction: Instruction, places: Sequence[Any], slots: Sequence[int], dead: Sequence[int]
) -> LaunchProgram:
    """Return the program of a launch, given the slots of its views and those that end with it."""
    numbers = [slots.index(place[0]) for place in places]
    freed = [slots.index(slot) for slot in dead]
    return LaunchProgram(instruction.opcode, instruction.views, numbers, freed)


def ends(instructions: list[Instruction]) -> list[int]:
    """Return where instructions are cut into programs; a launch is one by itself."""
    found: list[int] = []
    begin = 0
    launches = [
        number
        for number, instruction in enumerate(instructions)
        if type(instruction.opcode.operation) is LaunchOp
    ]
    for number in [*launches, len(instructions)]:
        listed = instructions[begin:number]
        found += [begin + end for end in cut_points(listed, live_bytes_per_cut)]
        begin = number + 1
        if number < len(instructions):
            found.append(begin)
    return found
