"""The distributions that generators and the older functions have in common."""

from __future__ import annotations

from xarr.functions.random.continuous import Continuous
from xarr.functions.random.discrete import Discrete
from xarr.functions.random.vectors import Vectors


class Distributions(Continuous, Discrete, Vectors):
    """Draws from distributions, with NumPy's parameters."""
