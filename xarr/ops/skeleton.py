"""Launches of the skeletons of `kernels/` that take more than a form: each argument is named once.

A kernel is given the storages of its input map's form, if it has one, and then its own; its own
indices, what the form needs, and at last a number that is no index. What a
skeleton does, and how its work is cut, is the concern of whoever launches it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from xarr.codegen import launch
from xarr.codegen.kernel_spec import KernelSpec, described
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
"""Of an element of a storage, where it is not known what it holds."""

Special = tuple[Any, ...]
"""What a kernel's text depends on besides its input map, and so a part of its key: a function that
gives the defines, and its arguments. The form of the input map is added to these, if it has one."""
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
        """Run it behind all work on its storages; what only the input map reads is fused into it.

        The names of `indices` have to follow from the skeleton, `special` and whether there is an
        input map. The last of the storages is written. `wide` asks for indices of 64 bits, where
        the input map does not. `elements` says how many it works on; else those of the input map,
        or as many as fill the storages.
        """
        device = storages[-1].device
        with device.lock:
            on = tape_of(device)
            values: list[Any] = [*indices.values()]
            form = None
            if source is None:
                if on.is_running or any(map(on.writes, storages)):
                    on.run()
            else:
                view, run = source
                builder.placed(view)
                form, inputs, given = consume(view, run, NAMES, wide=wide)
                storages = [*inputs, *storages]
                values += given
                elements = math.prod(view.shape)
            if elements is None:
                elements = sum([storage.nbytes for storage in storages]) // _ELEMENT_NBYTES
            if number is not None:
                values.append(number[1])
            numbers = () if number is None else ((self.number, number[0]),)
            kernel = self.kernel(device, special, tuple(indices), form, numbers, wide=wide)
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
        form: KernelSpec | None,
        numbers: Sequence[tuple[str, DType]] = (),
        *,
        wide: bool,
    ) -> Kernel:
        """The kernel, over a form as its input map if there is one; see `launch`.

        `numbers`, which `special` tells, are its arguments that are no indices.
        """
        if form is not None:
            for observer in launch.counts.observers:
                observer(self.file, form)

        def describe() -> tuple[list[str], str]:
            function, *rest = special
            if form is None:
                defines, block = described(indices, numbers, wide=wide)
                return defines + function(*rest), block
            defines, block = form.described(indices, numbers)
            return defines + function(*rest, form), block

        key = (special, wide if form is None else form.key)
        return launch.kernel_of(device, self.file, self.entry, key, describe)


def consume(view: View, split: tuple[int, ...], names: tuple[str, ...], *, wide: bool) -> Prepared:
    """Run everything but the kernel that a skeleton, which takes a value, will be."""
    opcode = opcode_of(_consumed(split, names, wide), (view.structure,), view.shape)
    return tape_of(view.device).consume(opcode, view)


@functools.cache
def _consumed(split: tuple[int, ...], names: tuple[str, ...], wide: bool) -> ImmediateTemplateOp:
    return ImmediateTemplateOp(split, names, wide)
