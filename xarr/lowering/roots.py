"""Roots of unity with the same bits on every host."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy

Numbers = numpy.ndarray[Any, numpy.dtype[Any]]


def roots(powers: Numbers, order: int) -> Numbers:
    """Return exp(-2 pi i p / order) for integers 0 <= p < order, with errors below 1 ulp.

    It takes additions and multiplications only, so that the bits do not depend on the host's
    library. The angle is reduced to an eighth of a turn in integers, so its multiples are exact.
    """
    powers = numpy.asarray(powers, numpy.int64)
    octant, rest = numpy.divmod(8 * powers, order)
    backwards = octant % 2 == 1
    cosine, sine = _first_octant(numpy.where(backwards, order - rest, rest), order)
    swapped = (octant + 1) // 2 % 2 == 1
    result = numpy.empty(powers.shape, numpy.complex128)
    result.real = numpy.where(swapped, sine, cosine)
    result.imag = -numpy.where(swapped, cosine, sine)
    result.real[(octant >= 2) & (octant <= 5)] *= -1
    result.imag[octant >= 4] *= -1
    return result


_QUARTER_PI: Final = (0.7853981633974483, 3.061616997868383e-17)
"""A quarter of pi as the sum of two numbers."""


def _first_octant(numerator: Numbers, order: int) -> tuple[Numbers, Numbers]:
    """Return cosine and sine of pi / 4 * numerator / order, where 0 <= numerator <= order."""
    ratio = numerator / order
    product, error = _product(ratio, float(order))
    missing = ((numerator - product) - error) / order
    angle, tail = _product(ratio, _QUARTER_PI[0])
    tail = tail + (ratio * _QUARTER_PI[1] + missing * _QUARTER_PI[0])
    square = angle * angle
    series = numpy.zeros_like(angle)
    for degree in (17, 15, 13, 11, 9, 7, 5, 3):
        series = (-1) ** (degree // 2) / math.factorial(degree) + square * series
    sine = angle + (angle * (square * series) + tail * (1 - square / 2))
    series = numpy.zeros_like(angle)
    for degree in (18, 16, 14, 12, 10, 8, 6, 4):
        series = (-1) ** (degree // 2) / math.factorial(degree) + square * series
    high = 1 - square / 2
    low = (1 - high) - square / 2
    cosine = high + (low + (square * square * series - angle * tail))
    diagonal = numerator == order
    half_root = math.sqrt(0.5)
    return numpy.where(diagonal, half_root, cosine), numpy.where(diagonal, half_root, sine)


def _product(first: Numbers, second: float) -> tuple[Numbers, Numbers]:
    """Return the rounded product, and its error, exactly (T. J. Dekker, 1971)."""
    result = first * second
    high1, low1 = _halves(first)
    high2, low2 = _halves(numpy.float64(second))
    error = ((high1 * high2 - result) + high1 * low2 + low1 * high2) + low1 * low2
    return result, error


def _halves(value: Any) -> tuple[Any, Any]:
    """Split a number into the sum of two of 26 bits each."""
    scaled = value * 134217729.0
    high = scaled - (scaled - value)
    return high, value - high
