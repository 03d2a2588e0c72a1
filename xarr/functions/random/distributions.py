"""Distributions of real numbers, and of integers."""

from __future__ import annotations

import builtins

from xarr.functions.random import permuting
from xarr.functions.random.drawing import (
    Floats,
    Integers,
    Real,
    Size,
    Source,
    difference,
    parameter,
    require_enough,
    require_held,
    require_order,
)
from xarr.tables import random


class Continuous(Source):
    """Draws real numbers, with NumPy's parameters."""

    def beta(self, a: Real, b: Real, size: Size = None) -> Floats:
        """Draw from the beta distribution: the quotient of gamma variables, by their logarithms.

        a, b : real Array or number -- Its shape, positive.
        """
        return self._draw(random.beta, (a, b), size)

    def chisquare(self, df: Real, size: Size = None) -> Floats:
        """Draw from the chi-square distribution."""
        return self._draw(random.chisquare, (df,), size)

    def exponential(self, scale: Real = 1.0, size: Size = None) -> Floats:
        """Draw from the exponential distribution.

        scale : real Array or number -- The mean, not negative.
        """
        return self._draw(random.exponential, (scale,), size)

    def f(self, dfnum: Real, dfden: Real, size: Size = None) -> Floats:
        """Draw from Fisher's F distribution."""
        return self._draw(random.f, (dfnum, dfden), size)

    def gamma(self, shape: Real, scale: Real = 1.0, size: Size = None) -> Floats:
        """Draw from the gamma distribution.

        After G. Marsaglia, W. W. Tsang, ACM TOMS 26, 2000.
        """
        return self._draw(random.gamma, (shape, scale), size)

    def gumbel(self, loc: Real = 0.0, scale: Real = 1.0, size: Size = None) -> Floats:
        """Draw from the Gumbel distribution, of largest values.

        loc : real Array or number -- The mode.
        """
        return self._draw(random.gumbel, (loc, scale), size)

    def laplace(self, loc: Real = 0.0, scale: Real = 1.0, size: Size = None) -> Floats:
        """Draw from the Laplace distribution, exponential on both sides.

        scale : real Array or number -- The mean distance from the mean, not negative.
        """
        return self._draw(random.laplace, (loc, scale), size)

    def logistic(self, loc: Real = 0.0, scale: Real = 1.0, size: Size = None) -> Floats:
        """Draw from the logistic distribution."""
        return self._draw(random.logistic, (loc, scale), size)

    def lognormal(self, mean: Real = 0.0, sigma: Real = 1.0, size: Size = None) -> Floats:
        """Draw numbers whose logarithm has the normal distribution.

        mean, sigma : real Array or number
            The mean of the logarithm, and its standard deviation, not negative.
        """
        return self._draw(random.lognormal, (mean, sigma), size)

    def noncentral_chisquare(self, df: Real, nonc: Real, size: Size = None) -> Floats:
        """Draw from the noncentral chi-square distribution."""
        return self._draw(random.noncentral_chisquare, (df, nonc), size)

    def noncentral_f(self, dfnum: Real, dfden: Real, nonc: Real, size: Size = None) -> Floats:
        """Draw from the noncentral F distribution."""
        return self._draw(random.noncentral_f, (dfnum, dfden, nonc), size)

    def normal(self, loc: Real = 0.0, scale: Real = 1.0, size: Size = None) -> Floats:
        """Draw from the normal distribution.

        After G. E. P. Box, M. E. Muller, Annals of Mathematical Statistics 29, 1958.

        scale : real Array or number -- The standard deviation, not negative.

        >>> xarr.random.default_rng(1).normal(0.0, [1.0, 2.0], (3, 2)).shape
        (3, 2)
        """
        return self._draw(random.normal, (loc, scale), size)

    def pareto(self, a: Real, size: Size = None) -> Floats:
        """Draw from the Pareto distribution of the second kind, which begins at 0.

        a : real Array or number -- Its shape, positive.
        """
        return self._draw(random.pareto, (a,), size)

    def power(self, a: Real, size: Size = None) -> Floats:
        """Draw from [0, 1] with a density that is a power, a - 1, of the number.

        a : real Array or number -- One more than the exponent, positive.
        """
        return self._draw(random.power, (a,), size)

    def rayleigh(self, scale: Real = 1.0, size: Size = None) -> Floats:
        """Draw from the Rayleigh distribution.

        scale : real Array or number -- The mode, not negative.
        """
        return self._draw(random.rayleigh, (scale,), size)

    def standard_cauchy(self, size: Size = None) -> Floats:
        """Draw from the Cauchy distribution of mode 0."""
        return self._draw(random.standard_cauchy, (), size)

    def standard_t(self, df: Real, size: Size = None) -> Floats:
        """Draw from Student's t distribution."""
        return self._draw(random.standard_t, (df,), size)

    def triangular(self, left: Real, mode: Real, right: Real, size: Size = None) -> Floats:
        """Draw from the distribution whose density is a triangle.

        left, right : real Array or number -- Where it begins and ends.
        mode : real Array or number -- Where it is highest.
        """
        return self._draw(random.triangular, (left, mode, right), size, require_order)

    def uniform(self, low: Real = 0.0, high: Real = 1.0, size: Size = None) -> Floats:
        """Draw evenly between bounds.

        low, high : real Array or number -- The bounds; high is excluded but for rounding.

        OverflowError -- If high - low is not finite.

        >>> bool((xarr.random.default_rng(1).uniform(2, 3, size=100) >= 2).all())
        True
        """
        where = random.uniform.where
        least, most = parameter(low, "low", where), parameter(high, "high", where)
        span = difference(least, most, where, self._descending)
        return self.sample(random.uniform, (least, span), size, where)

    def vonmises(self, mu: Real, kappa: Real, size: Size = None) -> Floats:
        """Draw angles in radians from the von Mises distribution.

        After D. J. Best, N. I. Fisher, Applied Statistics 28, 1979.

        mu : real Array or number -- The mode, in radians.
        kappa : real Array or number -- The concentration, not negative.
        """
        return self._draw(random.vonmises, (mu, kappa), size)

    def wald(self, mean: Real, scale: Real, size: Size = None) -> Floats:
        """Draw from the Wald, or inverse Gaussian, distribution.

        After J. R. Michael, W. R. Schucany, R. W. Haas, American Statistician 30, 1976.

        mean, scale : real Array or number -- The mean and the scale, positive.
        """
        return self._draw(random.wald, (mean, scale), size)

    def weibull(self, a: Real, size: Size = None) -> Floats:
        """Draw from the Weibull distribution of scale 1.

        a : real Array or number -- Its shape, not negative.
        """
        return self._draw(random.weibull, (a,), size)


class Discrete(Source):
    """Draws integers, with NumPy's parameters."""

    def binomial(self, n: Real, p: Real, size: Size = None) -> Integers:
        """Draw how many of n trials succeed.

        After W. Hoermann, Journal of Statistical Computation and Simulation 46, 1993.

        n : real Array or number -- How many trials, not negative.
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

        ngood, nbad : real Array or number -- How many good and bad ones there are, not negative.
        nsample : real Array or number -- How many are taken, at most all.
        """
        return self._draw(random.hypergeometric, (ngood, nbad, nsample), size, require_enough)

    def logseries(self, p: Real, size: Size = None) -> Integers:
        """Draw from the logarithmic series distribution.

        After A. W. Kemp, Applied Statistics 30, 1981.

        p : real Array or number -- Its parameter, in [0, 1).
        """
        return self._draw(random.logseries, (p,), size)

    def negative_binomial(self, n: Real, p: Real, size: Size = None) -> Integers:
        """Draw how many trials fail before n succeed.

        n : real Array or number -- How many have to succeed, positive; not necessarily an integer.
        """
        return self._draw(random.negative_binomial, (n, p), size, require_held)

    def poisson(self, lam: Real = 1.0, size: Size = None) -> Integers:
        """Draw from the Poisson distribution.

        After W. Hoermann, Insurance: Mathematics and Economics 12, 1993.

        lam : real Array or number -- The mean, not negative.
        """
        return self._draw(random.poisson, (lam,), size)

    def zipf(self, a: Real, size: Size = None) -> Integers:
        """Draw from the zeta distribution: k with a probability that goes as k**-a.

        After L. Devroye, Non-uniform random variate generation, 1986, chapter X.6.

        a : real Array or number -- The exponent, above 1.
        """
        return self._draw(random.zipf, (a,), size)
