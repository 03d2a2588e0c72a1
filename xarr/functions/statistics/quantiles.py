"""Where a quantile lies among sorted elements, by thirteen definitions.

The formulas are those of Hyndman and Fan (1996) and NumPy's own four. They are computed on the host
for lines of one length, and on the device where lines differ in how many numbers they hold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy

from xarr.errors import value_error
from xarr.functions.elementwise import arithmetic, elementwise
from xarr.functions.index.searching import where as chosen


class Place(NamedTuple):
    """The indices of the elements on both sides, and how far towards the second; None for on it."""

    before: Any
    after: Any
    share: Any


class _Words(NamedTuple):
    """What the formulas are computed with."""

    floor: Callable[[Any], Any]
    ceil: Callable[[Any], Any]
    rint: Callable[[Any], Any]
    where: Callable[[Any, Any, Any], Any]


HOST: Final = _Words(numpy.floor, numpy.ceil, numpy.rint, numpy.where)
DEVICE: Final = _Words(elementwise.floor, elementwise.ceil, arithmetic.round, chosen)

_BETWEEN: Final[dict[str, tuple[float, float]]] = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
"""Hyndman and Fan's alpha and beta of the definitions that differ in these only."""
_ON: Final = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
"""The definitions that give an element and interpolate none."""
METHODS: Final = (
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    *_BETWEEN,
    "linear",
    "lower",
    "higher",
    "midpoint",
    "nearest",
)


def require_known(method: str, where: str) -> None:
    """Refuse the name of no definition."""
    if method not in METHODS:
        raise value_error(where, f"method is {method!r}", "accepted are " + ", ".join(METHODS))


def place_of(q: Any, count: Any, method: str, words: _Words) -> Place:
    """Where the quantiles `q` of `count` sorted elements are."""
    if method in _ON:
        index = _index_of(q, count, method, words)
        return Place(index, index, None)
    if method == "averaged_inverted_cdf":
        place = count * q - 1
    elif method == "midpoint":
        place = 0.5 * (words.floor((count - 1) * q) + words.ceil((count - 1) * q))
    elif method == "linear":
        place = (count - 1) * q
    else:
        alpha, beta = _BETWEEN[method]
        place = count * q + (alpha + q * (1 - alpha - beta)) - 1
    below = words.floor(place)
    last = count - 1
    beyond, early = place >= last, place < 0
    before = words.where(beyond, last, words.where(early, 0, below))
    after = words.where(beyond, last, words.where(early, 0, below + 1))
    share = place - before
    if method == "averaged_inverted_cdf":
        share = words.where(share == 0, 0.5, 1.0)
    elif method == "midpoint":
        share = words.where(place == below, 0.0, 0.5)
    return Place(before, after, share)


def _index_of(q: Any, count: Any, method: str, words: _Words) -> Any:
    if method == "lower":
        return words.floor((count - 1) * q)
    if method == "higher":
        return words.ceil((count - 1) * q)
    if method == "nearest":
        return words.rint((count - 1) * q)
    place = count * q - (1.5 if method == "closest_observation" else 1.0)
    below = words.floor(place)
    stays = place == below
    if method == "closest_observation":
        stays = stays & (below != 2 * words.floor(below / 2))
    index = words.where(stays, below, below + 1)
    return words.where(index < 0, 0, index)
