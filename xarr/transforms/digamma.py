"""The derivative of the logarithm of the gamma function, of xarr's own functions."""

from __future__ import annotations

import math
from typing import Final

from xarr.array.array import Array
from xarr.functions.elementwise import elementwise as np
from xarr.functions.index.searching import where

_SHIFT: Final = 10
"""The series is taken beyond this number, where its terms fall by a factor of 100."""
_SERIES: Final = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
"""B(2k) / 2k, of Bernoulli's numbers: NIST's Handbook (DLMF), 5.11.2."""


def digamma(x: Array) -> Array:
    """Return the derivative of lgamma at x, by recurrence from where its asymptotic series holds.

    Of negative numbers it is that of 1 - x, less pi / tan(pi x): DLMF, 5.5.4.
    """
    is_low = x < 0.5
    high = where(is_low, 1 - x, x)
    found = _asymptotic(high + _SHIFT)
    for step in range(_SHIFT):
        found = found - 1 / (high + step)
    inside = where(is_low, x - np.floor(x), 0.25)
    return where(is_low, found - math.pi / np.tan(math.pi * inside), found)


def _asymptotic(x: Array) -> Array:
    inverse = 1 / (x * x)
    series = 0.0 * x
    for term in reversed(_SERIES):
        series = (series + term) * inverse
    return np.log(x) - 0.5 / x - series
