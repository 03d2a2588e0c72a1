"""Distributions of integers."""

from __future__ import annotations

import builtins

from xarr.functions.random import permuting
from xarr.functions.random.drawing import Integers, Real, Size, Source, require_enough, require_held
from xarr.tables import random


class Discrete(Source):
    """Draws integers, with NumPy's parameters."""

    def binomial(self, n: Real, p: Real, size: Size = None) -> Integers:
        """Draw how many of n trials succeed.

        After W. Hoermann, Journal of Statistical Computation and Simulation 46, 1993.

        n : real Array or number
            How many trials, not negative.
        """
        return self._draw(random.binomial, (n, p), size)

    def bytes(self, length: int) -> builtins.bytes:
        """Draw so many bytes, which are the host's.

        >>> len(xarr.random.bytes(5))
        5
        """
        return permuting.random_bytes(self, length, "bytes(length)")

    def geometric(self, p: Real, size: Size = None) -> Integers:
        """Draw how many trials it takes until one succeeds."""
        return self._draw(random.geometric, (p,), size)

    def hypergeometric(self, ngood: Real, nbad: Real, nsample: Real, size: Size = None) -> Integers:
        """Draw how many of a sample without replacement are good.

        After E. Stadlober, Journal of Computational and Applied Mathematics 31, 1990.

        ngood, nbad : real Array or number
            How many good and bad ones there are, not negative.
        nsample : real Array or number
            How many are taken, at most all.
        """
        return self._draw(random.hypergeometric, (ngood, nbad, nsample), size, require_enough)

    def logseries(self, p: Real, size: Size = None) -> Integers:
        """Draw from the logarithmic series distribution.

        After A. W. Kemp, Applied Statistics 30, 1981.

        p : real Array or number
            Its parameter, in [0, 1).
        """
        return self._draw(random.logseries, (p,), size)

    def negative_binomial(self, n: Real, p: Real, size: Size = None) -> Integers:
        """Draw how many trials fail before n succeed.

        n : real Array or number
            How many have to succeed, positive; not necessarily an integer.
        """
        return self._draw(random.negative_binomial, (n, p), size, require_held)

    def poisson(self, lam: Real = 1.0, size: Size = None) -> Integers:
        """Draw from the Poisson distribution.

        After W. Hoermann, Insurance: Mathematics and Economics 12, 1993.

        lam : real Array or number
            The mean, not negative.
        """
        return self._draw(random.poisson, (lam,), size)

    def zipf(self, a: Real, size: Size = None) -> Integers:
        """Draw from the zeta distribution: k with a probability that goes as k**-a.

        After L. Devroye, Non-uniform random variate generation, 1986, chapter X.6.

        a : real Array or number
            The exponent, above 1.
        """
        return self._draw(random.zipf, (a,), size)
