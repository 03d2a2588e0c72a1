"""The distributions that generators and the older functions have in common."""

from __future__ import annotations

import math
from typing import Any

from xarr import errors
from xarr.engine.expression import Node
from xarr.functions.applying import reduced
from xarr.functions.random.drawing import (
    NOT_NEGATIVE,
    Parameter,
    Size,
    Source,
    combined,
    parameter,
)
from xarr.tables import elementwise, random, reductions


class Distributions(Source):
    """Draws from distributions, with NumPy's parameters."""

    def exponential(self, scale: Any = 1.0, size: Size = None) -> Any:
        """Draw from the exponential distribution.

        Parameters
        ----------
        scale : real Array or number
            The mean, not negative.
        size : int or tuple of int, optional
            The shape; by default that of the parameters.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).exponential(2.0, size=3).shape
        (3,)
        """
        where = "exponential(scale, size)"
        return self.sample(
            random.exponential, (parameter(scale, "scale", where, NOT_NEGATIVE),), size, where
        )

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:
        """Draw from the normal distribution.

        Parameters
        ----------
        loc : real Array or number
            The mean.
        scale : real Array or number
            The standard deviation, not negative.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Notes
        -----
        G. E. P. Box, M. E. Muller, Annals of Mathematical Statistics 29, 1958.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).normal(0.0, xarr.asarray([1.0, 2.0])).shape
        (2,)
        """
        where = "normal(loc, scale, size)"
        parameters = (
            parameter(loc, "loc", where),
            parameter(scale, "scale", where, NOT_NEGATIVE),
        )
        return self.sample(random.normal, parameters, size, where)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Size = None) -> Any:
        """Draw evenly between bounds.

        Parameters
        ----------
        low, high : real Array or number
            The bounds; high is excluded but for rounding.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        OverflowError
            If high - low is not finite.

        Examples
        --------
        >>> import xarr
        >>> bool((xarr.random.default_rng(1).uniform(2, 3, size=100) >= 2).all())
        True
        """
        where = "uniform(low, high, size)"
        least, most = parameter(low, "low", where), parameter(high, "high", where)
        span = _span(least, most, where)
        return self.sample(random.uniform, (least, span), size, where)


def _span(low: Parameter, high: Parameter, where: str) -> Parameter:
    """How far two bounds are apart."""
    if not isinstance(low, Node) and not isinstance(high, Node):
        difference = float(high) - float(low)
        span: Parameter = difference
        finite = math.isfinite(difference)
    else:
        span = node = combined(elementwise.subtract, high, low)
        finite = bool(reduced(reductions.all, elementwise.isfinite.applied(node)))
    if not finite:
        raise OverflowError(
            errors.message(
                where, "high - low range exceeds valid bounds", "a finite difference is accepted"
            )
        )
    return span
