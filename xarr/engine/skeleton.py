"""Launches of the skeletons of `kernels/` that take more than a form: each argument is named once.

A kernel is given the storages of its input map's form, if it has one, and then its own; its own
indices, what the form needs, and at last a number that is no index. What a
skeleton does, and how its work is cut, is the concern of whoever launches it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from xarr.compiler import launch
from xarr.compiler.forms import Form, described
from xarr.compiler.launch import Grid, Kernel
from xarr.core import steps
from xarr.core.storage import Storage
from xarr.core.views import Node
from xarr.dtypes import DType
from xarr.engine import engine, opcodes

if TYPE_CHECKING:
    from xarr.backends.device import Device

NAMES: Final = ("outer", "position", "inner")
"""The names of the axes of a skeleton's elements."""
_ELEMENT_NBYTES: Final = 8
"""Of an element of a storage, where it is not known what it holds."""

Special = tuple[Any, ...]
"""What a kernel's text depends on besides its input map, and so a part of its key: a function that
gives the defines, and its arguments. The form of the input map is added to these, if it has one."""
Input = tuple[Node, tuple[int, int]]
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
            on = opcodes.tape_of(device)
            values: list[Any] = [*indices.values()]
            form = None
            if source is None:
                if on.is_running or any(map(on.writes, storages)):
                    on.run()
            else:
                node, run = source
                engine.placed(node)
                form, inputs, given = opcodes.consume(node, run, NAMES, wide=wide)
                storages = [*inputs, *storages]
                values += given
                elements = math.prod(node.shape)
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
        form: Form | None,
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
