"""How wide the bins of a histogram are to be, by the rules that have names."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, Final

from xarr.algorithms import counting
from xarr.array.array import Array
from xarr.array.transfers import openly, to_host
from xarr.backends.device import default_float
from xarr.functions.reduce import reductions
from xarr.functions.statistics import order_statistics

Scope = tuple[Any, Any]
Binning = Callable[[Array, Any, Any, int], Array]
"""Which of equally wide bins between two numbers each element is in."""


def _extent(x: Array) -> float:
    return _number(reductions.max(x)) - _number(reductions.min(x))


def _number(x: Array) -> float:
    """The value of a 0-dimensional array, which the rules are computed with on the host."""
    with openly():
        return float(to_host(x._node))


def _real(x: Array) -> Array:
    return x.astype(default_float(x.device).numpy)


def _sqrt(x: Array, scope: Scope, binning: Binning) -> float:
    return _extent(x) / math.sqrt(x.size)


def _sturges(x: Array, scope: Scope, binning: Binning) -> float:
    return _extent(x) / (math.log2(x.size) + 1.0)


def _rice(x: Array, scope: Scope, binning: Binning) -> float:
    return float(_extent(x) / (2.0 * x.size ** (1.0 / 3)))


def _scott(x: Array, scope: Scope, binning: Binning) -> float:
    deviation = _number(reductions.std(_real(x)))
    return float((24.0 * math.pi**0.5 / x.size) ** (1.0 / 3.0) * deviation)


def _freedman_diaconis(x: Array, scope: Scope, binning: Binning) -> float:
    high, low = map(_number, order_statistics.percentile(x, [75, 25]))
    return float(2.0 * (high - low) * x.size ** (-1.0 / 3.0))


def _doane(x: Array, scope: Scope, binning: Binning) -> float:
    if x.size < 3:
        return 0.0
    spread = math.sqrt(6.0 * (x.size - 2) / ((x.size + 1.0) * (x.size + 3)))
    deviation = _number(reductions.std(_real(x)))
    if not deviation > 0.0:
        return 0.0
    centred = (_real(x) - reductions.mean(_real(x))) / deviation
    skew = _number(reductions.mean(centred * centred * centred))
    return _extent(x) / (1.0 + math.log2(x.size) + math.log2(1.0 + abs(skew) / spread))


def _stone(x: Array, scope: Scope, binning: Binning) -> float:
    extent = _extent(x)
    if x.size <= 1 or extent == 0:
        return 0.0

    def loss(bins: int) -> float:
        with openly():
            found = to_host(counting.counts(binning(x, *scope, bins)._node, bins)) / x.size
        return float((2 - (x.size + 1) * found.dot(found)) * bins / extent)

    most = max(100, int(math.sqrt(x.size)))
    best = min(range(1, most + 1), key=loss)
    if best == most:
        warnings.warn(
            "The number of bins estimated may be suboptimal.", RuntimeWarning, stacklevel=4
        )
    return extent / best


def _auto(x: Array, scope: Scope, binning: Binning) -> float:
    robust = max(_freedman_diaconis(x, scope, binning), _sqrt(x, scope, binning) / 2)
    return min(robust, _sturges(x, scope, binning))


WIDTHS: Final[dict[str, Callable[[Array, Scope, Binning], float]]] = {
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman_diaconis,
    "rice": _rice,
    "scott": _scott,
    "sqrt": _sqrt,
    "stone": _stone,
    "sturges": _sturges,
}
"""The rules, as functions of the elements, between which numbers they lie, and how to bin them."""
