"""Distributions of integers."""

from __future__ import annotations

from typing import Any

from xarr import dtypes
from xarr.functions.random.drawing import (
    ABOVE_ONE,
    BELOW_ONE,
    CHANCE,
    MEAN,
    NOT_NEGATIVE,
    POSITIVE,
    PROBABILITY,
    Size,
    Source,
    parameter,
    require_enough,
    require_held,
)
from xarr.tables import random


class Discrete(Source):
    """Draws integers, with NumPy's parameters."""

    def binomial(self, n: Any, p: Any, size: Size = None) -> Any:
        """Draw how many of n trials succeed.

        Parameters
        ----------
        n : real Array or number
            How many trials, not negative.
        p : real Array or number
            The probability that one succeeds.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array of int64, or int where neither a parameter nor size asks for an array

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Notes
        -----
        W. Hoermann, Journal of Statistical Computation and Simulation 46, 1993.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).binomial(10, 0.5, 3).shape
        (3,)
        """
        where = "binomial(n, p, size)"
        parameters = (parameter(n, "n", where, NOT_NEGATIVE), parameter(p, "p", where, PROBABILITY))
        return self.sample(random.binomial, parameters, size, where, result=dtypes.int64)

    def geometric(self, p: Any, size: Size = None) -> Any:
        """Draw how many trials it takes until one succeeds.

        Parameters
        ----------
        p : real Array or number
            The probability that one succeeds, not 0.
        size : int or tuple of int, optional
            The shape; by default that of the parameter.

        Returns
        -------
        Array of int64, or int where neither a parameter nor size asks for an array

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).geometric(0.5, 3).shape
        (3,)
        """
        where = "geometric(p, size)"
        parameters = (parameter(p, "p", where, CHANCE),)
        return self.sample(random.geometric, parameters, size, where, result=dtypes.int64)

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Size = None) -> Any:
        """Draw how many of a sample without replacement are good.

        Parameters
        ----------
        ngood, nbad : real Array or number
            How many good and bad ones there are, not negative.
        nsample : real Array or number
            How many are taken, at most all.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array of int64, or int where neither a parameter nor size asks for an array

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Notes
        -----
        E. Stadlober, Journal of Computational and Applied Mathematics 31, 1990.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).hypergeometric(10, 5, 4, 3).shape
        (3,)
        """
        where = "hypergeometric(ngood, nbad, nsample, size)"
        parameters = (
            parameter(ngood, "ngood", where, NOT_NEGATIVE),
            parameter(nbad, "nbad", where, NOT_NEGATIVE),
            parameter(nsample, "nsample", where, NOT_NEGATIVE),
        )
        require_enough(parameters, where)
        return self.sample(random.hypergeometric, parameters, size, where, result=dtypes.int64)

    def logseries(self, p: Any, size: Size = None) -> Any:
        """Draw from the logarithmic series distribution.

        Parameters
        ----------
        p : real Array or number
            Its parameter, in [0, 1).
        size : int or tuple of int, optional
            The shape; by default that of the parameter.

        Returns
        -------
        Array of int64, or int where neither a parameter nor size asks for an array

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Notes
        -----
        A. W. Kemp, Applied Statistics 30, 1981.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).logseries(0.5, 3).shape
        (3,)
        """
        where = "logseries(p, size)"
        parameters = (parameter(p, "p", where, BELOW_ONE),)
        return self.sample(random.logseries, parameters, size, where, result=dtypes.int64)

    def negative_binomial(self, n: Any, p: Any, size: Size = None) -> Any:
        """Draw how many trials fail before n succeed.

        Parameters
        ----------
        n : real Array or number
            How many have to succeed, positive; not necessarily an integer.
        p : real Array or number
            The probability that one succeeds, not 0.
        size : int or tuple of int, optional
            The shape; by default what the parameters broadcast to.

        Returns
        -------
        Array of int64, or int where neither a parameter nor size asks for an array

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).negative_binomial(3, 0.5, 3).shape
        (3,)
        """
        where = "negative_binomial(n, p, size)"
        parameters = (parameter(n, "n", where, POSITIVE), parameter(p, "p", where, CHANCE))
        require_held(parameters, where)
        return self.sample(random.negative_binomial, parameters, size, where, result=dtypes.int64)

    def poisson(self, lam: Any = 1.0, size: Size = None) -> Any:
        """Draw from the Poisson distribution.

        Parameters
        ----------
        lam : real Array or number
            The mean, not negative.
        size : int or tuple of int, optional
            The shape; by default that of the parameter.

        Returns
        -------
        Array of int64, or int where neither a parameter nor size asks for an array

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Notes
        -----
        W. Hoermann, Insurance: Mathematics and Economics 12, 1993.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).poisson(3.0, 3).shape
        (3,)
        """
        where = "poisson(lam, size)"
        parameters = (parameter(lam, "lam", where, MEAN),)
        return self.sample(random.poisson, parameters, size, where, result=dtypes.int64)

    def zipf(self, a: Any, size: Size = None) -> Any:
        """Draw from the zeta distribution: k with a probability that goes as k**-a.

        Parameters
        ----------
        a : real Array or number
            The exponent, above 1.
        size : int or tuple of int, optional
            The shape; by default that of the parameter.

        Returns
        -------
        Array of int64, or int where neither a parameter nor size asks for an array

        Raises
        ------
        ValueError
            If a parameter is out of range.

        Notes
        -----
        L. Devroye, Non-uniform random variate generation, 1986, chapter X.6.

        Examples
        --------
        >>> import xarr
        >>> xarr.random.default_rng(1).zipf(3.0, 3).shape
        (3,)
        """
        where = "zipf(a, size)"
        parameters = (parameter(a, "a", where, ABOVE_ONE),)
        return self.sample(random.zipf, parameters, size, where, result=dtypes.int64)
