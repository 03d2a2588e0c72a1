# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""The launch of kernels on a processor, and its memory, without frames of Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from xarr import tuning
from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on

_SHARED = cython.declare(object, tuning.SHARED)


@cython.cclass
class CpuLauncher:
    """The methods of the processor's driver that launch kernels and allocate memory.

    The class that is made of it has `_refuse`, which raises MemoryError.

    Attributes
    ----------
    launched, limit_nbytes : int, float
        As of `Driver`.
    _take, _launch : function
        Those of `cpu.c`.
    """

    launched: int
    limit_nbytes: float
    _take: Any
    _launch: Any

    def launch(
        self,
        kernel: Any,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        buffers: Sequence[Any],
        arguments: bytes,
        work: Any = math.inf,
    ) -> None:
        """Run `grid` groups of `group` items; they are done when it returns."""
        self.launched += 1
        self._launch(kernel.entry, grid, group, buffers, arguments, work >= _SHARED)

    def allocate(self, nbytes: int) -> Any:
        """Return a block of memory, its content undefined; MemoryError where there is no room."""
        block = self._take(nbytes, self.limit_nbytes)
        return self._refuse(nbytes) if block is None else block  # type: ignore[attr-defined]
