"""Distributions of real numbers, of integers, and of vectors, which are composed of numbers."""

from __future__ import annotations

import builtins
import warnings
from typing import Any

import numpy

from xarr import dtypes
from xarr.array.array import Array
from xarr.array.coerce import as_array
from xarr.array.drawn_ahead import call_of
from xarr.array.transfers import openly, to_host
from xarr.backends.device import default_float
from xarr.errors import type_error, value_error
from xarr.functions.elementwise import elementwise
from xarr.functions.linalg import linalg, products
from xarr.functions.random import permutation, sampling
from xarr.functions.random.sampling import Floats, Integers, Parameter, Real, Size, Source
from xarr.functions.reduce import reductions
from xarr.functions.shape import joining, manipulation
from xarr.layout import Shape, broadcast_shapes
from xarr.ops import random
from xarr.tape import builder


class Continuous(Source):
    """Draws real numbers, with NumPy's parameters."""

    def beta(self, a: Real, b: Real, size: Size = None) -> Floats:
        """Draw from the beta distribution.

        a, b : real Array or number -- The parameters alpha and beta, positive.
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

        Method: G. Marsaglia, W. W. Tsang, ACM TOMS 26, 2000.
        """
        return self._draw(random.gamma, (shape, scale), size)

    def gumbel(self, loc: Real = 0.0, scale: Real = 1.0, size: Size = None) -> Floats:
        """Draw from the Gumbel distribution of largest values.

        loc : real Array or number -- The mode.
        """
        return self._draw(random.gumbel, (loc, scale), size)

    def laplace(self, loc: Real = 0.0, scale: Real = 1.0, size: Size = None) -> Floats:
        """Draw from the Laplace distribution, exponential on both sides.

        scale : real Array or number -- The mean of abs(x - loc), not negative.
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

        Method: G. E. P. Box, M. E. Muller, Annals of Mathematical Statistics 29, 1958.

        scale : real Array or number -- The standard deviation, not negative.

        >>> xarr.random.default_rng(1).normal(0.0, [1.0, 2.0], (3, 2)).shape
        (3, 2)
        """
        return self._draw(random.normal, (loc, scale), size)

    def pareto(self, a: Real, size: Size = None) -> Floats:
        """Draw from the Pareto distribution of the second kind (Lomax), which begins at 0.

        a : real Array or number -- The shape of the distribution, positive.
        """
        return self._draw(random.pareto, (a,), size)

    def power(self, a: Real, size: Size = None) -> Floats:
        """Draw from [0, 1] with the density a * x**(a - 1).

        a : real Array or number -- The parameter a of the density: the exponent plus one, positive.
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
        """Draw from the triangular distribution.

        left, right : real Array or number -- The bounds, left < right.
        mode : real Array or number -- The mode, from left to right.
        """
        return self._draw(random.triangular, (left, mode, right), size, sampling.require_order)

    def uniform(self, low: Real = 0.0, high: Real = 1.0, size: Size = None) -> Floats:
        """Draw from the uniform distribution between bounds.

        low, high : real Array or number
            The bounds; high is excluded, but rounding may return it.

        OverflowError -- If high - low is not finite.

        >>> bool((xarr.random.default_rng(1).uniform(2, 3, size=100) >= 2).all())
        True
        """
        call = call_of(random.uniform, (low, high), size)
        found = self._ahead.next(self._bits, call)
        if found is not None:
            return found
        where = random.uniform.where
        least, most = sampling.parameter(low, "low", where), sampling.parameter(high, "high", where)
        span = sampling.difference(least, most, where, self._descending)
        return self._sample(random.uniform, (least, span), size, where, call=call)

    def vonmises(self, mu: Real, kappa: Real, size: Size = None) -> Floats:
        """Draw angles in radians from the von Mises distribution.

        Method: D. J. Best, N. I. Fisher, Applied Statistics 28, 1979.

        mu : real Array or number -- The mode, in radians.
        kappa : real Array or number -- The concentration, not negative.
        """
        return self._draw(random.vonmises, (mu, kappa), size)

    def wald(self, mean: Real, scale: Real, size: Size = None) -> Floats:
        """Draw from the Wald, or inverse Gaussian, distribution.

        Method: J. R. Michael, W. R. Schucany, R. W. Haas, American Statistician 30, 1976.

        mean, scale : real Array or number -- The mean and the scale, positive.
        """
        return self._draw(random.wald, (mean, scale), size)

    def weibull(self, a: Real, size: Size = None) -> Floats:
        """Draw from the Weibull distribution of scale 1.

        a : real Array or number -- The shape of the distribution, not negative.
        """
        return self._draw(random.weibull, (a,), size)


class Discrete(Source):
    """Draws integers, with NumPy's parameters."""

    def binomial(self, n: Real, p: Real, size: Size = None) -> Integers:
        """Draw numbers of successes in n trials.

        Method: W. Hoermann, Journal of Statistical Computation and Simulation 46, 1993.

        n : real Array or number -- The number of trials, not negative.
        p : real Array or number -- The probability of success, in [0, 1].
        """
        return self._draw(random.binomial, (n, p), size)

    def bytes(self, length: int) -> builtins.bytes:
        """Draw random bytes in host memory.

        length : int -- The number of bytes.

        >>> len(xarr.random.bytes(5))
        5
        """
        return permutation.random_bytes(self, length, "bytes(length)")

    def geometric(self, p: Real, size: Size = None) -> Integers:
        """Draw numbers of trials up to the first success.

        p : real Array or number -- The probability that a trial succeeds, in (0, 1].
        """
        return self._draw(random.geometric, (p,), size)

    def hypergeometric(self, ngood: Real, nbad: Real, nsample: Real, size: Size = None) -> Integers:
        """Draw numbers of good items in samples without replacement.

        Method: E. Stadlober, Journal of Computational and Applied Mathematics 31, 1990.

        ngood, nbad : real Array or number -- The numbers of good and bad items, not negative.
        nsample : real Array or number -- The number of items in a sample, at most ngood + nbad.
        """
        return self._draw(
            random.hypergeometric, (ngood, nbad, nsample), size, sampling.require_enough
        )

    def logseries(self, p: Real, size: Size = None) -> Integers:
        """Draw from the logarithmic series distribution.

        Method: A. W. Kemp, Applied Statistics 30, 1981.

        p : real Array or number -- The parameter of the distribution, in [0, 1).
        """
        return self._draw(random.logseries, (p,), size)

    def negative_binomial(self, n: Real, p: Real, size: Size = None) -> Integers:
        """Draw numbers of failures before n successes.

        n : real Array or number -- The number of successes, positive; it need not be an integer.
        p : real Array or number -- The probability that a trial succeeds, in (0, 1].
        """
        return self._draw(random.negative_binomial, (n, p), size, sampling.require_held)

    def poisson(self, lam: Real = 1.0, size: Size = None) -> Integers:
        """Draw from the Poisson distribution.

        Method: W. Hoermann, Insurance: Mathematics and Economics 12, 1993.

        lam : real Array or number -- The mean, not negative.
        """
        return self._draw(random.poisson, (lam,), size)

    def zipf(self, a: Real, size: Size = None) -> Integers:
        """Draw positive integers k with a probability proportional to k**-a (zeta distribution).

        Method: L. Devroye, Non-uniform random variate generation, 1986, chapter X.6.

        a : real Array or number -- The exponent, above 1.
        """
        return self._draw(random.zipf, (a,), size)


_SLACK = 1e-12
"""How far above 1 rounding may take the sum of probabilities."""


class Vectors(Source):
    """Draws vectors, with NumPy's parameters."""

    def dirichlet(self, alpha: Any, size: Size = None) -> Array:
        """Draw from the Dirichlet distribution.

        alpha : real Array, shape (K,) -- The parameters of the distribution, not negative.
        size : int, tuple of int or None -- The number or shape of the vectors; None for one vector.

        -> Array, shape (*size, K)

        >>> xarr.random.default_rng(1).dirichlet([1.0, 2.0, 3.0], 2).shape
        (2, 3)
        """
        where = "dirichlet(alpha, size)"
        shapes = _vector(alpha, "alpha", where)
        sampling.parameter(shapes, "alpha", where, random.NOT_NEGATIVE)
        drawn = self._sample(
            random.log_gamma, (shapes._view,), (*_size(size, where), *shapes.shape), where
        )
        # Where all are 0 their logarithms are infinite, and no largest one can be taken away.
        largest = elementwise.maximum(reductions.max(drawn, axis=-1, keepdims=True), -1e30)
        shares = elementwise.exp(drawn - largest)
        total = reductions.sum(shares, axis=-1, keepdims=True)
        return shares / elementwise.maximum(total, 1e-30)

    def multinomial(self, n: Any, pvals: Any, size: Size = None) -> Array:
        """Draw how often each of K outcomes occurs in n trials.

        n : integer Array or int -- The number of trials, not negative.
        pvals : real Array, shape (..., K)
            The probability of each outcome. The last one counts as 1 minus the sum of the others.
        size : int, tuple of int or None
            The shape of the draws; None for the shape that n and pvals[..., 0] broadcast to.

        -> Array of int64, shape (*size, K)

        >>> xarr.random.default_rng(1).multinomial(9, [0.5, 0.25, 0.25], 2).sum(axis=1).tolist()
        [9, 9]
        """
        where = "multinomial(n, pvals, size)"
        left = sampling.parameter(n, "n", where, random.COUNT)
        chances = _on_host(pvals, "pvals", where).astype(numpy.float64)
        if not chances.ndim or not chances.shape[-1]:
            fault = f"pvals has shape {chances.shape}"
            raise value_error(where, fault, "it must have an axis, not empty")
        if not ((chances >= 0) & (chances <= 1)).all():
            raise value_error(
                where, "pvals < 0, pvals > 1 or pvals contains NaNs", "they must be probabilities"
            )
        if (chances[..., :-1].sum(axis=-1) > 1 + _SLACK).any():
            raise value_error(where, "sum(pvals[:-1]) > 1.0", "it must be at most 1")
        shape = broadcast_shapes(chances.shape[:-1], numpy.shape(left), where=where)
        if size is not None:
            wanted = sampling.size_of(size, where)
            if broadcast_shapes(shape, wanted, where=where) != wanted:
                raise value_error(where, f"size is {wanted}", f"{shape} must broadcast to it")
            shape = wanted
        # Of the trials that are left, the share that has this result.
        rest = numpy.maximum(1 - numpy.cumsum(chances, axis=-1) + chances, chances)
        shares = numpy.divide(chances, rest, out=numpy.zeros_like(chances), where=rest > 0)
        parts = []
        for place in range(chances.shape[-1] - 1):
            p = numpy.minimum(shares[..., place], 1.0)
            share = sampling.parameter(p if p.ndim else float(p), "pvals", where)
            drawn = self._sample(random.binomial, (left, share), shape, where)
            parts.append(drawn)
            left = _less(left, drawn)
        parts.append(_fill(left, shape))
        return joining.stack(parts, axis=-1)

    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Size = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
    ) -> Array:
        """Draw vectors from a multivariate normal distribution.

        mean : real Array, shape (N,) -- The mean.
        cov : real Array, shape (N, N) -- The covariance, symmetric and positive semidefinite.
        check_valid : "warn", "raise" or "ignore" -- What to do if cov is not positive semidefinite.
        tol : float -- The tolerance of the check of cov.
        method : "svd", "eigh" or "cholesky" -- The factorization of cov.
        size : int, tuple of int or None -- The number or shape of the vectors; None for one vector.

        -> Array, shape (*size, N)

        TypeError -- If `mean` or `cov` is complex.

        >>> rng = xarr.random.default_rng(1)
        >>> rng.multivariate_normal([0, 0], [[2, 1], [1, 2]], 4).shape
        (4, 2)
        """
        where = "multivariate_normal(mean, cov, size)"
        for value, name, accepted in (
            (method, "method", ("svd", "eigh", "cholesky")),
            (check_valid, "check_valid", ("warn", "raise", "ignore")),
        ):
            if value not in accepted:
                raise value_error(
                    where, f"{name} is {value!r}", f"{name} must be one of {accepted}"
                )
        for value, name in ((mean, "mean"), (cov, "cov")):
            if as_array(value, where, name)._view.dtype.kind == dtypes.COMPLEX:
                raise type_error(where, f"{name} is complex", "mean and cov must not be complex")
        center = _vector(mean, "mean", where)
        matrix = as_array(cov, where, "cov", device=center.device)
        matrix = Array(builder.converted(matrix._view, default_float(center.device)))
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            fault = f"cov has shape {matrix.shape}"
            raise value_error(where, fault, "cov must be 2 dimensional and square")
        if matrix.shape[0] != center.shape[0]:
            fault = f"mean has shape {center.shape} and cov {matrix.shape}"
            raise value_error(where, fault, "mean and cov must have same length")
        factor = _factor(matrix, method, check_valid, tol, where)
        shape = (*_size(size, where), *center.shape)
        view = self._view(random.standard_normal, shape, center.device, where)
        lines = manipulation.reshape(Array(view), (-1, center.shape[0]))
        return manipulation.reshape(products.matmul(lines, factor), shape) + center


def colours(source: Source, colors: Any, nsample: Any, size: Any, method: str, where: str) -> Array:
    """Hypergeometric variables, each of the sample that the ones before have left."""
    if method not in ("marginals", "count"):
        raise value_error(where, f"method is {method!r}", "method must be 'marginals' or 'count'")
    counts = _on_host(colors, "colors", where)
    if counts.ndim != 1 or (counts.size and counts.dtype.kind not in "iu") or (counts < 0).any():
        fault = f"colors has shape {counts.shape} and dtype {counts.dtype}"
        raise value_error(where, fault, "colors must be a vector of integers that are not negative")
    wanted = int(nsample)
    rest = int(counts.sum())
    if not 0 <= wanted <= rest:
        raise value_error(
            where, f"nsample is {wanted}", f"nsample must be 0 to sum(colors), {rest}"
        )
    shape = _size(size, where)
    left: Parameter = float(wanted)
    parts = []
    for count in map(int, counts[:-1]):
        rest -= count
        drawn = source._sample(
            random.hypergeometric, (float(count), float(rest), left), shape, where
        )
        parts.append(drawn)
        left = _less(left, drawn)
    if not counts.size:
        return as_array(numpy.zeros((*shape, 0), numpy.int64), where)
    parts.append(_fill(left, shape))
    return joining.stack(parts, axis=-1)


def _size(size: Any, where: str) -> Shape:
    return () if size is None else sampling.size_of(size, where)


def _vector(value: Any, name: str, where: str) -> Array:
    """An argument of one axis, in the default floating-point type."""
    array = as_array(value, where, name)
    if array.ndim != 1:
        raise value_error(where, f"{name} has {array.ndim} axes", f"{name} must be 1 dimensional")
    return Array(builder.converted(array._view, default_float(array.device)))


def _on_host(value: Any, name: str, where: str) -> numpy.ndarray[Any, Any]:
    """An argument of few numbers, which the host looks at."""
    if not isinstance(value, Array):
        value = as_array(value, where, name)
        with openly():
            return to_host(value._view)
    return to_host(value._view, where)


def _less(left: Parameter, drawn: Array) -> Parameter:
    """The items that are left after `drawn` of them, as integers."""
    rest = left - drawn if isinstance(left, int | float) else Array(left) - drawn
    return Array(builder.converted(rest._view, dtypes.int64))._view


def _fill(left: Parameter, shape: Shape) -> Array:
    """The items that are left, broadcast to the shape of the counts drawn before."""
    if isinstance(left, int | float):
        return as_array(numpy.full(shape, int(left), numpy.int64), "multinomial(n, pvals, size)")
    return Array(builder.broadcast(builder.converted(left, dtypes.int64), shape))


def _factor(cov: Array, method: str, check_valid: str, tol: float, where: str) -> Array:
    """A matrix that turns independent variables into ones with the covariance `cov`."""
    if method == "cholesky":
        return linalg.cholesky(cov).T
    if method == "eigh":
        values, vectors = linalg.eigh(cov)
        valid = not bool(reductions.any(values < -tol))
        roots = elementwise.sqrt(elementwise.maximum(values, 0.0))
        factor = (vectors * roots).T
    else:
        _, values, rows = linalg.svd(cov)
        again = products.matmul(rows.T * values, rows)
        near = elementwise.abs(again - cov) <= tol + tol * elementwise.abs(cov)
        valid = check_valid == "ignore" or bool(reductions.all(near))
        factor = elementwise.sqrt(values)[:, None] * rows
    if not valid and check_valid != "ignore":
        text = "covariance is not symmetric positive-semidefinite."
        if check_valid == "raise":
            raise value_error(where, text, "cov must be a covariance")
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    return factor
