"""NumPy functions that compute an operation with the bits of its kernel.

`runtime/host_eval.py` calls them, for lists of instructions that have no kernels.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import dtypes, tuning
from xarr.codegen.kernel_spec import INDEX, GatherScatter
from xarr.dtypes import BOOL, COMPLEX, REAL, DType
from xarr.ir.events import tier as tier
from xarr.scheduler.instructions import DeferredTemplateOp, TemplateOp

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.ir.instructions import Opcode

Values = Any
"""A NumPy array or scalar."""
Function = Callable[..., Values]


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


def stays_on_host(device: Device, nbytes: int, most: int = tuning.KEPT_NBYTES) -> bool:
    """Return whether a storage of so many bytes is in NumPy's memory until a kernel uses it."""
    return 0 < nbytes <= most and not tier.name and device.info.host_addressable


def find(opcode: Opcode) -> Function | bool:
    """Find the NumPy function with the same bits as an opcode's kernel; False for none.

    It takes an array or scalar for each operand, for a gather's or scatter's first one the memory
    and the start of places, and returns the result; of a scatter memory, places and values.
    """
    found: Function | bool | None = opcode.host
    if found is None:
        found = 0 < math.prod(opcode.shape) <= tuning.LARGEST and _function(opcode)
        opcode.host = found
    return found


def _function(opcode: Opcode) -> Function | bool:
    operation, given = opcode.operation, opcode.operands
    if isinstance(operation, DeferredTemplateOp):
        known = operation.functions.get(given[0].dtype)
        if known is None:
            known = operation.on_host(given[0].dtype) or False
            operation.functions[given[0].dtype] = known
        return known
    if operation is INDEX:
        shape = opcode.shape
        return lambda: numpy.arange(math.prod(shape)).reshape(shape)
    host: Any = None if isinstance(operation, TemplateOp) else operation.host
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


def _same(values: Values) -> Values:
    return values


def converter(given: DType, wanted: DType) -> Function | None:
    """Return a function that converts between types; None where NumPy's bits may differ."""
    if given is wanted:
        return _same
    if dtypes.float16 in (given, wanted) or (given.kind == COMPLEX and wanted.kind != COMPLEX):
        return None
    if given.kind == REAL and wanted.kind not in (REAL, BOOL, COMPLEX):
        return None
    target = wanted.numpy
    return lambda values: values.astype(target)


def maximum(x: Values, y: Values) -> Values:
    """Return the larger of two numbers; NaN if one is, and of zeros the one without a sign."""
    return numpy.where((x == 0) & (y == 0), x + y, numpy.maximum(x, y))


def minimum(x: Values, y: Values) -> Values:
    """Return the smaller of two numbers; NaN if one is, and of zeros the one with a sign."""
    return numpy.where((x == 0) & (y == 0), -(-x - y), numpy.minimum(x, y))


def largest(x: Values, axis: int) -> Values:
    """Return the maximum along an axis, where 0 is larger than -0."""
    found = numpy.max(x, axis=axis)
    zero = found == 0
    if zero.any():
        is_plus = numpy.any((x == 0) & ~numpy.signbit(x), axis=axis)
        found = numpy.where(zero, numpy.where(is_plus, x.dtype.type(0), x.dtype.type(-0.0)), found)
    return found


def smallest(x: Values, axis: int) -> Values:
    """Return the minimum along an axis, where -0 is smaller than 0."""
    return -largest(-x, axis)


ALONG: Final = {maximum: largest, minimum: smallest}
"""The reduction along an axis for each function of two operands."""


def multiply(x: Values, y: Values) -> Values:
    """Multiply complex numbers by their parts, since NumPy may contract products."""
    result = numpy.empty(numpy.broadcast_shapes(x.shape, y.shape), x.dtype)
    result.real = x.real * y.real - x.imag * y.imag
    result.imag = x.real * y.imag + x.imag * y.real
    return result


def square(x: Values) -> Values:
    """Square complex numbers by their parts."""
    return multiply(x, x)


def remainder(x: Values, y: Values) -> Values:
    """Return the remainder of floor division, with the bits of `xr_remainder` in `real.h`."""
    rest = numpy.fmod(x, y)
    folded = numpy.where((y < 0) != (rest < 0), rest + y, rest)
    signed = numpy.where(rest == 0, numpy.copysign(numpy.zeros_like(rest), y), folded)
    return numpy.where((y == 0) | (rest != rest), rest, signed)
