"""NumPy's functions of values, with the bits of xarr's kernels where NumPy's own differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy

from xarr import dtypes
from xarr.dtypes import BOOL, COMPLEX, REAL, DType

Values = Any
"""A NumPy array or scalar."""
Function = Callable[..., Values]


def same(values: Values) -> Values:
    """Return values as they are: their copy is another one's work."""
    return values


def converter(given: DType, wanted: DType) -> Function | None:
    """Return a function that converts between types; None where NumPy's bits may differ."""
    if given is wanted:
        return same
    if dtypes.float16 in (given, wanted) or (given.kind == COMPLEX and wanted.kind != COMPLEX):
        return None
    if given.kind == REAL and wanted.kind not in (REAL, BOOL, COMPLEX):
        return None
    target = wanted.numpy
    return lambda values: values.astype(target)


def maximum(x: Values, y: Values) -> Values:
    """Return the larger of two numbers; NaN if one is, and of zeros the one without a sign."""
    found = numpy.maximum(x, y)
    if numpy.count_nonzero(found == 0):
        found = numpy.where((x == 0) & (y == 0), x + y, found)
    return found


def minimum(x: Values, y: Values) -> Values:
    """Return the smaller of two numbers; NaN if one is, and of zeros the one with a sign."""
    found = numpy.minimum(x, y)
    if numpy.count_nonzero(found == 0):
        found = numpy.where((x == 0) & (y == 0), -(-x - y), found)
    return found


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


COMPOSED: Final = frozenset({maximum, minimum, multiply, square, remainder})
"""Functions that take NumPy so many calls that a kernel is launched sooner for a few elements."""

SILENT: Final = frozenset((
    numpy.add, numpy.subtract, numpy.multiply, numpy.negative, numpy.absolute, numpy.square,
    numpy.equal, numpy.not_equal, numpy.less, numpy.less_equal, numpy.greater, numpy.greater_equal,
    numpy.maximum, numpy.minimum, numpy.logical_and, numpy.logical_or, numpy.logical_xor,
    numpy.logical_not, numpy.bitwise_and, numpy.bitwise_or, numpy.bitwise_xor, numpy.invert,
))  # fmt: skip
"""Functions of NumPy's that warn of no integers."""
