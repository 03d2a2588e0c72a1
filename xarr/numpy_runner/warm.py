"""Compiling the kernels that most programs meet before they are needed: ``python -m xarr warm``.

They are one operation each. Where NumPy has an operation's bits and works in the device's memory,
a program does not wait for its kernel, so it is left out.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy

from xarr import dtypes
from xarr.array.array import Array
from xarr.backends.device import Device, device as current
from xarr.codegen import launch
from xarr.dtypes import DType
from xarr.functions.create.creation import asarray
from xarr.functions.linalg.products import matmul
from xarr.functions.random.generator import default_rng
from xarr.functions.reduce import reductions as functions
from xarr.functions.sort.sorting import sort
from xarr.ir.views import number_like
from xarr.ops import elementwise
from xarr.runtime import dispatch, host_functions
from xarr.tape import builder
from xarr.tape.tape import tape_of

_SIZE: Final = 1000
_WIDTH: Final = 30
_DRAWN: Final = ("random", "standard_normal", "standard_exponential")
_FOLDS: Final = ("sum", "mean", "max", "min", "prod", "std", "var", "argmax", "argmin", "any",
                 "all", "count_nonzero")  # fmt: skip
_SCANS: Final = ("cumulative_sum", "cumulative_prod")

Work = Callable[[], Any]


def warm(device: Device) -> str:
    """Compile the kernels; return a sentence about how many there are."""
    begin, before = time.perf_counter(), launch.counts.compilations
    try:
        with host_functions.fused(), current(device):
            asked, count = list(_operations(device)), 0
            for number, (name, work) in enumerate(asked):
                _show(number / len(asked), f"{device}: {name}")
                kept = work()
                opcodes = [one.opcode for one in tape_of(device).instructions]
                if dispatch.can_host(device) and all(map(host_functions.find, opcodes)):
                    kept = None  # what is dead is not compiled
                count += kept is not None
                builder.settle(device)
                del kept
    finally:
        _clear()
    compiled = launch.counts.compilations - before
    elapsed_s = time.perf_counter() - begin
    return f"{device}: {count} operations, {compiled} kernels compiled, {elapsed_s:.1f} s"


def _operations(device: Device) -> Iterator[tuple[str, Work]]:
    """The operations to compile kernels for, each with its name."""
    types = [dtypes.float32] + [dtypes.float64] * device.info.has_float64
    for dtype in types:
        x, y = (asarray(numpy.linspace(0.5, 1.5, _SIZE, dtype=dtype.numpy)) for _ in range(2))
        for row in elementwise.TABLE:
            if dtype.kind not in row.kinds:
                continue
            name = f"{row.name}, {dtype}"
            if row.operands == 1:
                yield name, functools.partial(row.applied, x._view)
            else:
                yield name, functools.partial(row.combined, x._view, y._view)
                yield name, functools.partial(row.combined, x._view, number_like(x._view, 2.5))
        yield from _folded(x, dtype)
        for name in _DRAWN:
            drawn = getattr(default_rng(1), name)
            yield f"{name}, {dtype}", functools.partial(drawn, _SIZE, dtype=dtype.name)


def _folded(x: Array, dtype: DType) -> Iterator[tuple[str, Work]]:
    matrix = x.reshape((_SIZE // 20, 20))
    for name in (*_FOLDS, *_SCANS):
        function = getattr(functions, name)
        for operand, axis in ((x, 0), (matrix, 0), (matrix, 1)):
            yield f"{name}, {dtype}", functools.partial(function, operand, axis=axis)
    yield f"sort, {dtype}", functools.partial(sort, x)
    yield f"matmul, {dtype}", functools.partial(matmul, matrix.T, matrix)


def _show(part: float, what: str) -> None:
    """Draw the bar where a person looks on."""
    if sys.stderr.isatty():
        full = round(part * _WIDTH)
        bar = "#" * full + "." * (_WIDTH - full)
        sys.stderr.write(f"\r[{bar}] {part:4.0%} {what:40.40}")
        sys.stderr.flush()


def _clear() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r" + " " * (_WIDTH + 50) + "\r")
        sys.stderr.flush()
