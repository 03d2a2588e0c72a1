"""NumPy functions that compute an operation with the bits of its kernel.

`runtime/host_eval.py` calls them, for lists of instructions that have no kernels.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import tuning
from xarr.codegen.expressions import INDEX, GatherScatter
from xarr.dtypes import BOOL
from xarr.ir.events import tier as tier
from xarr.lowering.operations import TemplateOp
from xarr.runtime import host_reductions
from xarr.runtime.host_values import Function, converter

if TYPE_CHECKING:
    from xarr.ir.instructions import Opcode

_fused: Final[list[str]] = []
"""The tier outside of `fused` blocks, once for each open block."""
_lock: Final = threading.Lock()


@contextmanager
def fused() -> Iterator[None]:
    """Let kernels do all work within a ``with`` block, in all threads, whose blocks may overlap."""
    with _lock:
        _fused.append(_fused[0] if _fused else tier.name)
        tier.name = "fused"
    try:
        yield
    finally:
        with _lock:
            before = _fused.pop()
            if not _fused:
                tier.name = before


def find(opcode: Opcode) -> Function | bool:
    """Find the NumPy function with the same bits as an opcode's kernel; False for none.

    It takes an array or scalar for each operand, for a gather's or scatter's first one the memory
    and the start of places, and returns the result; of a scatter memory, places and values.
    """
    found: Function | bool | None = opcode.host
    if found is None:
        found = 0 < math.prod(opcode.shape) <= tuning.LARGE_WORK and _function(opcode)
        opcode.host = found
    return found


def _function(opcode: Opcode) -> Function | bool:
    operation, given = opcode.operation, opcode.operands
    if isinstance(operation, TemplateOp):
        alone = host_reductions.alone(opcode)
        if alone is not None:
            return alone
        known = operation.functions.get(given[0].dtype)
        if known is None:
            known = host_reductions.function_of(operation, given[0].dtype) or False
            operation.functions[given[0].dtype] = known
        return known
    if operation is INDEX:
        shape = opcode.shape
        return lambda: numpy.arange(math.prod(shape)).reshape(shape)
    host: Any = operation.host
    if host is None:
        return False
    if isinstance(operation, GatherScatter):
        return _indirect(operation)
    if operation.is_separate:
        return host
    pairs = [(one.dtype, to) for one, to in zip(given, operation.operands, strict=True)]
    if all(one is to for one, to in pairs):
        return host
    converters = [one for pair in pairs if (one := converter(*pair)) is not None]
    if len(converters) < len(pairs):
        return False
    return lambda *values: host(*[to(x) for to, x in zip(converters, values, strict=True)])


def _indirect(operation: GatherScatter) -> Function:
    """Return the function for a gather or a scatter."""
    host = operation.host
    assert host is not None
    if operation.writes:
        return lambda to, places, *rest: (to[0], *host(to[0], to[1] + places, *rest))
    if operation.result.kind == BOOL:
        return lambda of, places: host(of[0].view(numpy.uint8), of[1] + places) != 0
    return lambda of, places: host(of[0], of[1] + places)
