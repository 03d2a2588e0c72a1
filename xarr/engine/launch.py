"""Launches of the skeletons of `kernels/` that take more than a plan: each argument is named once.

A kernel is given the storages of an expression, if it has one as its input map, and then its own;
its own indices, what the expression's plan needs, and at last a number that is no index. What a
skeleton does, and how its work is cut, is the concern of whoever launches it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from xarr import garbage
from xarr.dtypes import DType
from xarr.engine import engine
from xarr.engine.engine import Grid
from xarr.engine.expression import Node
from xarr.engine.plan import Plan, described
from xarr.engine.storage import Storage

_NAMES: Final = ("outer", "position", "inner")

Special = tuple[Any, ...]
"""What a kernel's text depends on besides its input map, and so a part of its key: a function that
gives the defines, and its arguments. The form of the input map is added to these, if it has one."""
Input = tuple[Node, tuple[int, int]]
"""An expression as input map, and which of its axes are `position` in (outer, position, inner)."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A kernel in a file of `kernels/`; `number` is the name of its argument that is no index."""

    file: str
    entry: str
    number: str = ""

    @garbage.postponed
    def launch(
        self,
        special: Special,
        grid: Grid,
        indices: Mapping[str, int],
        storages: Sequence[Storage],
        wide: bool,
        number: tuple[DType, Any] | None = None,
        source: Input | None = None,
    ) -> None:
        """Run it, and compute what is to be kept of the input map.

        The names of `indices` have to follow from the skeleton, `special` and whether there is an
        input map. The last of the storages is written. `wide` asks for indices of 64 bits, where
        the input map does not.
        """
        device = storages[-1].device
        plan: Plan | None = None
        values: list[Any] = [*indices.values()]
        structure: Any = wide
        if source is not None:
            node, run = source
            plan, stores = engine.prepare(
                node, node.shape, keep=node.wanted(), split=run, names=_NAMES, wide=wide
            )
            for observer in engine.counts.observers:
                observer(self.file, plan)
            structure = plan.form.key
            storages = [*plan.storages, *storages]
            values += plan.values()
        if number is not None:
            values.append(number[1])

        def describe() -> tuple[list[str], str]:
            numbers = [] if number is None else [(self.number, number[0])]
            function, *rest = special
            if plan is None:
                defines, block = described(tuple(indices), numbers, wide=wide)
                return defines + function(*rest), block
            defines, block = plan.form.described(tuple(indices), numbers)
            return defines + function(*rest, plan.form), block

        key = (special, structure)
        kernel = engine.kernel_of(device, self.file, self.entry, key, describe)
        engine.run(device, kernel, grid, storages, kernel.arguments.pack(*values))
        if plan is not None:
            engine.finish(plan, stores)
        engine.end_before_others(device)
