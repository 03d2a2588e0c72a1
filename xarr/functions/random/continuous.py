"""Distributions of real numbers."""

from __future__ import annotations

from typing import Any

from xarr.functions.random.drawing import (
    NOT_NEGATIVE,
    POSITIVE,
    Size,
    Source,
    difference,
    parameter,
    require_order,
)
from xarr.tables import random


class Continuous(Source):
    """Draws real numbers, with NumPy's parameters."""

    def beta(self, a: Any, b: Any, size: Size = None) -> Any:
        """Draw from the beta distribution.

        Parameters
        ----------
        a, b : real Array or number
            Its shape, positive.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Notes
        -----
        The quotient of gamma variables, by their logarithms.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).beta(2, 3, 3).shape
        (3,)
        """
        where = "beta(a, b, size)"
        parameters = (parameter(a, "a", where, POSITIVE), parameter(b, "b", where, POSITIVE))
        return self.sample(random.beta, parameters, size, where)

    def chisquare(self, df: Any, size: Size = None) -> Any:
        """Draw from the chi-square distribution.

        Parameters
        ----------
        df : real Array or number
            The degrees of freedom, positive.
        size : int or tuple of int, optional
            The shape; by default that of the parameter.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).chisquare(2, 3).shape
        (3,)
        """
        where = "chisquare(df, size)"
        parameters = (parameter(df, "df", where, POSITIVE),)
        return self.sample(random.chisquare, parameters, size, where)

    def exponential(self, scale: Any = 1.0, size: Size = None) -> Any:
        """Draw from the exponential distribution.

        Parameters
        ----------
        scale : real Array or number
            The mean, not negative.
        size : int or tuple of int, optional
            The shape; by default that of the parameter.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).exponential(2.0, 3).shape
        (3,)
        """
        where = "exponential(scale, size)"
        parameters = (parameter(scale, "scale", where, NOT_NEGATIVE),)
        return self.sample(random.exponential, parameters, size, where)

    def f(self, dfnum: Any, dfden: Any, size: Size = None) -> Any:
        """Draw from Fisher's F distribution.

        Parameters
        ----------
        dfnum, dfden : real Array or number
            The degrees of freedom above and below, positive.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).f(2, 5, 3).shape
        (3,)
        """
        where = "f(dfnum, dfden, size)"
        parameters = (
            parameter(dfnum, "dfnum", where, POSITIVE),
            parameter(dfden, "dfden", where, POSITIVE),
        )
        return self.sample(random.f, parameters, size, where)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Size = None) -> Any:
        """Draw from the gamma distribution.

        Parameters
        ----------
        shape : real Array or number
            Its shape, not negative.
        scale : real Array or number
            What it is multiplied by, not negative.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Notes
        -----
        G. Marsaglia, W. W. Tsang, ACM TOMS 26, 2000.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).gamma(2.0, 3.0, 3).shape
        (3,)
        """
        where = "gamma(shape, scale, size)"
        parameters = (
            parameter(shape, "shape", where, NOT_NEGATIVE),
            parameter(scale, "scale", where, NOT_NEGATIVE),
        )
        return self.sample(random.gamma, parameters, size, where)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:
        """Draw from the Gumbel distribution, of largest values.

        Parameters
        ----------
        loc : real Array or number
            The mode.
        scale : real Array or number
            The scale, not negative.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).gumbel(0.0, 1.0, 3).shape
        (3,)
        """
        where = "gumbel(loc, scale, size)"
        parameters = (parameter(loc, "loc", where), parameter(scale, "scale", where, NOT_NEGATIVE))
        return self.sample(random.gumbel, parameters, size, where)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:
        """Draw from the Laplace distribution, exponential on both sides.

        Parameters
        ----------
        loc : real Array or number
            The mean.
        scale : real Array or number
            The mean distance from it, not negative.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).laplace(0.0, 1.0, 3).shape
        (3,)
        """
        where = "laplace(loc, scale, size)"
        parameters = (parameter(loc, "loc", where), parameter(scale, "scale", where, NOT_NEGATIVE))
        return self.sample(random.laplace, parameters, size, where)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:
        """Draw from the logistic distribution.

        Parameters
        ----------
        loc : real Array or number
            The mean.
        scale : real Array or number
            The scale, not negative.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).logistic(0.0, 1.0, 3).shape
        (3,)
        """
        where = "logistic(loc, scale, size)"
        parameters = (parameter(loc, "loc", where), parameter(scale, "scale", where, NOT_NEGATIVE))
        return self.sample(random.logistic, parameters, size, where)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Size = None) -> Any:
        """Draw numbers whose logarithm has the normal distribution.

        Parameters
        ----------
        mean : real Array or number
            The mean of the logarithm.
        sigma : real Array or number
            Its standard deviation, not negative.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).lognormal(0.0, 1.0, 3).shape
        (3,)
        """
        where = "lognormal(mean, sigma, size)"
        parameters = (
            parameter(mean, "mean", where),
            parameter(sigma, "sigma", where, NOT_NEGATIVE),
        )
        return self.sample(random.lognormal, parameters, size, where)

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Size = None) -> Any:
        """Draw from the noncentral chi-square distribution.

        Parameters
        ----------
        df : real Array or number
            The degrees of freedom, positive.
        nonc : real Array or number
            The noncentrality, not negative.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).noncentral_chisquare(2, 1, 3).shape
        (3,)
        """
        where = "noncentral_chisquare(df, nonc, size)"
        parameters = (
            parameter(df, "df", where, POSITIVE),
            parameter(nonc, "nonc", where, NOT_NEGATIVE),
        )
        return self.sample(random.noncentral_chisquare, parameters, size, where)

    def noncentral_f(self, dfnum: Any, dfden: Any, nonc: Any, size: Size = None) -> Any:
        """Draw from the noncentral F distribution.

        Parameters
        ----------
        dfnum, dfden : real Array or number
            The degrees of freedom above and below, positive.
        nonc : real Array or number
            The noncentrality, not negative.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).noncentral_f(2, 5, 1, 3).shape
        (3,)
        """
        where = "noncentral_f(dfnum, dfden, nonc, size)"
        parameters = (
            parameter(dfnum, "dfnum", where, POSITIVE),
            parameter(dfden, "dfden", where, POSITIVE),
            parameter(nonc, "nonc", where, NOT_NEGATIVE),
        )
        return self.sample(random.noncentral_f, parameters, size, where)

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

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Notes
        -----
        G. E. P. Box, M. E. Muller, Annals of Mathematical Statistics 29, 1958.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).normal(0.0, 1.0, 3).shape
        (3,)
        """
        where = "normal(loc, scale, size)"
        parameters = (parameter(loc, "loc", where), parameter(scale, "scale", where, NOT_NEGATIVE))
        return self.sample(random.normal, parameters, size, where)

    def pareto(self, a: Any, size: Size = None) -> Any:
        """Draw from the Pareto distribution of the second kind, which begins at 0.

        Parameters
        ----------
        a : real Array or number
            Its shape, positive.
        size : int or tuple of int, optional
            The shape; by default that of the parameter.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).pareto(3.0, 3).shape
        (3,)
        """
        where = "pareto(a, size)"
        parameters = (parameter(a, "a", where, POSITIVE),)
        return self.sample(random.pareto, parameters, size, where)

    def power(self, a: Any, size: Size = None) -> Any:
        """Draw from [0, 1] with a density that is a power, a - 1, of the number.

        Parameters
        ----------
        a : real Array or number
            One more than the exponent, positive.
        size : int or tuple of int, optional
            The shape; by default that of the parameter.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).power(3.0, 3).shape
        (3,)
        """
        where = "power(a, size)"
        parameters = (parameter(a, "a", where, POSITIVE),)
        return self.sample(random.power, parameters, size, where)

    def rayleigh(self, scale: Any = 1.0, size: Size = None) -> Any:
        """Draw from the Rayleigh distribution.

        Parameters
        ----------
        scale : real Array or number
            The mode, not negative.
        size : int or tuple of int, optional
            The shape; by default that of the parameter.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).rayleigh(2.0, 3).shape
        (3,)
        """
        where = "rayleigh(scale, size)"
        parameters = (parameter(scale, "scale", where, NOT_NEGATIVE),)
        return self.sample(random.rayleigh, parameters, size, where)

    def standard_cauchy(self, size: Size = None) -> Any:
        """Draw from the Cauchy distribution of mode 0.

        Parameters
        ----------
        size : int or tuple of int, optional
            The shape.

        Returns
        -------
        Array, or float without size
            Of the device's default floating-point type.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).standard_cauchy(3).shape
        (3,)
        """
        where = "standard_cauchy(size)"
        return self.sample(random.standard_cauchy, (), size, where)

    def standard_t(self, df: Any, size: Size = None) -> Any:
        """Draw from Student's t distribution.

        Parameters
        ----------
        df : real Array or number
            The degrees of freedom, positive.
        size : int or tuple of int, optional
            The shape; by default that of the parameter.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).standard_t(3.0, 3).shape
        (3,)
        """
        where = "standard_t(df, size)"
        parameters = (parameter(df, "df", where, POSITIVE),)
        return self.sample(random.standard_t, parameters, size, where)

    def triangular(self, left: Any, mode: Any, right: Any, size: Size = None) -> Any:
        """Draw from the distribution whose density is a triangle.

        Parameters
        ----------
        left, right : real Array or number
            Where it begins and ends.
        mode : real Array or number
            Where it is highest.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).triangular(0, 1, 3, 3).shape
        (3,)
        """
        where = "triangular(left, mode, right, size)"
        parameters = (
            parameter(left, "left", where),
            parameter(mode, "mode", where),
            parameter(right, "right", where),
        )
        require_order(parameters, ("left", "mode", "right"), where)
        return self.sample(random.triangular, parameters, size, where)

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
        span = difference(least, most, where, self._descending)
        return self.sample(random.uniform, (least, span), size, where)

    def vonmises(self, mu: Any, kappa: Any, size: Size = None) -> Any:
        """Draw angles in radians from the von Mises distribution.

        Parameters
        ----------
        mu : real Array or number
            The mode, in radians.
        kappa : real Array or number
            The concentration, not negative.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Notes
        -----
        D. J. Best, N. I. Fisher, Applied Statistics 28, 1979.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).vonmises(0.0, 2.0, 3).shape
        (3,)
        """
        where = "vonmises(mu, kappa, size)"
        parameters = (parameter(mu, "mu", where), parameter(kappa, "kappa", where, NOT_NEGATIVE))
        return self.sample(random.vonmises, parameters, size, where)

    def wald(self, mean: Any, scale: Any, size: Size = None) -> Any:
        """Draw from the Wald, or inverse Gaussian, distribution.

        Parameters
        ----------
        mean : real Array or number
            The mean, positive.
        scale : real Array or number
            The scale, positive.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Notes
        -----
        J. R. Michael, W. R. Schucany, R. W. Haas, American Statistician 30, 1976.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).wald(1.0, 2.0, 3).shape
        (3,)
        """
        where = "wald(mean, scale, size)"
        parameters = (
            parameter(mean, "mean", where, POSITIVE),
            parameter(scale, "scale", where, POSITIVE),
        )
        return self.sample(random.wald, parameters, size, where)

    def weibull(self, a: Any, size: Size = None) -> Any:
        """Draw from the Weibull distribution of scale 1.

        Parameters
        ----------
        a : real Array or number
            Its shape, not negative.
        size : int or tuple of int, optional
            The shape; by default that of the parameter.

        Returns
        -------
        Array, or float where neither a parameter nor size asks for an array
            Of the device's default floating-point type.

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).weibull(2.0, 3).shape
        (3,)
        """
        where = "weibull(a, size)"
        parameters = (parameter(a, "a", where, NOT_NEGATIVE),)
        return self.sample(random.weibull, parameters, size, where)
