"""The weights with which the polynomials of each basis are orthogonal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy.polynomial.chebyshev as theirs

from xarr.array.array import Array, ArrayLike
from xarr.array.door import array_of
from xarr.backends.device import get_device
from xarr.functions.calls.on_host import given_back, host_of
from xarr.functions.elementwise import elementwise


def chebyshev(x: ArrayLike) -> Array:
    """The weight 1 / sqrt(1 - x^2): Array of the shape of x."""
    points = array_of(x, "chebweight(x)")
    return 1.0 / (elementwise.sqrt(1.0 + points) * elementwise.sqrt(1.0 - points))


def legendre(x: ArrayLike) -> Array:
    """The weight 1: Array of the shape of x."""
    return array_of(x, "legweight(x)") * 0.0 + 1.0


def hermite(x: ArrayLike) -> Array:
    """The weight exp(-x^2): Array of the shape of x."""
    points = array_of(x, "hermweight(x)")
    return elementwise.exp(-(points * points))


def hermite_e(x: ArrayLike) -> Array:
    """The weight exp(-x^2 / 2): Array of the shape of x."""
    points = array_of(x, "hermeweight(x)")
    return elementwise.exp(-0.5 * (points * points))


def laguerre(x: ArrayLike) -> Array:
    """The weight exp(-x): Array of the shape of x."""
    return elementwise.exp(-array_of(x, "lagweight(x)"))


def chebyshev_interpolated(func: Callable[..., Any], deg: int, args: Any = ()) -> Array:
    """The coefficients of the series that has a function's values at the Chebyshev points.

    func : function -- Called with an Array of deg + 1 points between -1 and 1, and with `args`.
    """
    device = get_device()
    where = "chebinterpolate(func)"

    def called(points: Any, *rest: Any) -> Any:
        return host_of(array_of(func(given_back(points, device), *rest), where), where)

    result: Array = given_back(theirs.chebinterpolate(called, deg, args), device)
    return result
