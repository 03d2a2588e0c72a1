"""Skeletons of `kernels/`, and how the arguments of their kernels are named.

A kernel is given the storages that a spec reads, if it has one, and then its own; its own indices,
the spec's numbers, and last numbers that are no indices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xarr.codegen import launch
from xarr.codegen.kernel_spec import KernelSpec, argument_struct
from xarr.codegen.launch import Kernel
from xarr.dtypes import DType

if TYPE_CHECKING:
    from xarr.backends.device import Device

Special = tuple[Any, ...]
"""A function that returns the defines of a kernel, and its arguments; the spec of its elements is
added to these. Together with that it determines the kernel's text, so it is a part of its key."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A kernel in a file of `kernels/`."""

    file: str
    entry: str

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
        """Return the kernel, over the elements of a spec if there is one.

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
