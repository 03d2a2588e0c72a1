"""Launches of skeletons of `kernels/` from outside of programs: each argument is named once.

A kernel is given the storages that its input map reads, if it has one, and then its own; its own
indices, the input map's numbers, and last a number that is no index. What a skeleton computes, and
how its work is cut, is decided by the caller.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from xarr.codegen import launch
from xarr.codegen.kernel_spec import KernelSpec, argument_struct
from xarr.codegen.launch import Grid, Kernel
from xarr.dtypes import DType
from xarr.ir import steps
from xarr.ir.instructions import opcode_of
from xarr.ir.steps import Prepared
from xarr.ir.storage import Storage
from xarr.ir.views import View
from xarr.scheduler.instructions import ImmediateTemplateOp
from xarr.tape import builder
from xarr.tape.tape import tape_of

if TYPE_CHECKING:
    from xarr.backends.device import Device

NAMES: Final = ("outer", "position", "inner")
"""The names of the axes of a skeleton's elements."""
_ELEMENT_NBYTES: Final = 8
"""The bytes assumed of an element of a storage of unknown data type."""

Special = tuple[Any, ...]
"""A function that returns the defines of a kernel, and its arguments; the spec of an input map is
added to these. Together with that it determines the kernel's text, so it is a part of its key."""
Input = tuple[View, tuple[int, int]]
"""A view as input map, and which of its axes are `position` in (outer, position, inner)."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A kernel in a file of `kernels/`; `number` is the name of its argument that is no index."""

    file: str
    entry: str
    number: str = ""

    def launch(
        self,
        special: Special,
        grid: Grid,
        indices: Mapping[str, int],
        storages: Sequence[Storage],
        wide: bool,
        number: tuple[DType, Any] | None = None,
        source: Input | None = None,
        elements: int | None = None,
    ) -> None:
        """Launch it after all recorded work on its storages; fuse into it what only it reads.

        The names of `indices` have to follow from the skeleton, `special` and whether there is an
        input map, `source`. The last of the storages is written. `wide` asks for indices of 64
        bits, where the input map does not. `elements` says how many it works on; else those of the
        input map, or as many as fill the storages.
        """
        device = storages[-1].device
        with device.lock:
            on = tape_of(device)
            values: list[Any] = [*indices.values()]
            spec = None
            if source is None:
                if on.is_running or any(map(on.writes, storages)):
                    on.run()
            else:
                view, run = source
                builder.materialise(view)
                spec, inputs, given = consume(view, run, NAMES, wide=wide)
                storages = [*inputs, *storages]
                values += given
                elements = math.prod(view.shape)
            if elements is None:
                elements = sum([storage.nbytes for storage in storages]) // _ELEMENT_NBYTES
            if number is not None:
                values.append(number[1])
            numbers = () if number is None else ((self.number, number[0]),)
            kernel = self.kernel(device, special, tuple(indices), spec, numbers, wide=wide)
            for storage in storages:
                storage.settle()
            buffers = [storage.buffer for storage in storages]
            packed = kernel.arguments.pack(*values)
            on.ask(steps.launch, device, kernel, grid, buffers, packed, elements)

    def kernel(
        self,
        device: Device,
        special: Special,
        indices: tuple[str, ...],
        spec: KernelSpec | None,
        numbers: Sequence[tuple[str, DType]] = (),
        *,
        wide: bool,
    ) -> Kernel:
        """Return the kernel, over the spec of its input map if there is one; see `launch`.

        `numbers`, which `special` determines, are its arguments that are no indices.
        """
        if spec is not None:
            for observer in launch.counts.observers:
                observer(self.file, spec)

        def describe() -> tuple[list[str], str]:
            function, *rest = special
            if spec is None:
                defines, block = argument_struct(indices, numbers, wide=wide)
                return defines + function(*rest), block
            defines, block = spec.specialisation(indices, numbers)
            return defines + function(*rest, spec), block

        key = (special, wide if spec is None else spec.key)
        return launch.kernel_of(device, self.file, self.entry, key, describe)


def consume(view: View, split: tuple[int, ...], names: tuple[str, ...], *, wide: bool) -> Prepared:
    """Run the tape but for the kernel that the caller launches; return that kernel's inputs."""
    opcode = opcode_of(_consumed(split, names, wide), (view.structure,), view.shape)
    return tape_of(view.device).consume(opcode, view)


@functools.cache
def _consumed(split: tuple[int, ...], names: tuple[str, ...], wide: bool) -> ImmediateTemplateOp:
    return ImmediateTemplateOp(split, names, wide)
