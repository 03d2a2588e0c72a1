"""NumPy's older functions of polynomials, whose coefficients begin with the highest power."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator
from typing import Any, Final, SupportsIndex

import numpy
from numpy.exceptions import RankWarning

from xarr import errors
from xarr.array.array import Array, ArrayLike
from xarr.array.door import array_of
from xarr.functions import linalg
from xarr.functions.contractions import outer
from xarr.functions.hosting import device_of, given_back, host_of
from xarr.functions.polynomials import recurrences
from xarr.functions.powers import vander
from xarr.functions.products import matmul

_POLY1D: Final = "poly1d(...)"
"""What reads the coefficients that operators and methods work on."""


def _host(value: Any, where: str) -> Any:
    """An operand on the host, where `poly1d` is NumPy's."""
    if isinstance(value, poly1d):
        return value._host(where)
    if isinstance(value, list | tuple):
        return [_host(part, where) for part in value]
    return host_of(value, where)


def _back(value: Any, *operands: Any) -> Any:
    """A result of the host's as Arrays, or as `poly1d`."""
    if isinstance(value, numpy.poly1d):
        return poly1d._of(value)
    if isinstance(value, tuple):
        return tuple(_back(part, *operands) for part in value)
    return given_back(value, device_of(*operands))


def poly(seq_of_zeros: ArrayLike) -> Array:
    """The coefficients of the polynomial that has given roots. Runs on the host.

    Parameters
    ----------
    seq_of_zeros : Array, shape (N,) or (N, N)
        The roots, or a matrix whose characteristic polynomial is asked for.

    Returns
    -------
    Array, shape (N + 1,)
        The coefficients, of the highest power first.

    Notes
    -----
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.poly([1, 2]).tolist()
    [1.0, -3.0, 2.0]
    """
    return _back(numpy.poly(_host(seq_of_zeros, "poly(seq_of_zeros)")), seq_of_zeros)  # type: ignore[no-any-return]


def roots(p: ArrayLike) -> Array:
    """The roots of a polynomial. Runs on the host.

    Parameters
    ----------
    p : Array, shape (N + 1,)
        The coefficients, of the highest power first.

    Returns
    -------
    Array, shape (N,)
        The roots, in no particular order; complex where one is.

    Notes
    -----
    NumPy's function. The eigenvalues of a companion matrix.

    Examples
    --------
    >>> import xarr
    >>> sorted(xarr.roots([1, -3, 2]).tolist())
    [1.0, 2.0]
    """
    return _back(numpy.roots(_host(p, "roots(p)")), p)  # type: ignore[no-any-return]


def polyadd(a1: Any, a2: Any) -> Any:
    """The sum of two polynomials. Runs on the host.

    Parameters
    ----------
    a1, a2 : Array, shape (N,), or poly1d
        The coefficients, of the highest power first.

    Returns
    -------
    Array, shape (N,), or poly1d where an operand is one
        The coefficients.

    Notes
    -----
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.polyadd([1, 2], [9, 5, 4]).tolist()
    [9, 6, 6]
    """
    where = "polyadd(a1, a2)"
    return _back(numpy.polyadd(_host(a1, where), _host(a2, where)), a1, a2)


def polysub(a1: Any, a2: Any) -> Any:
    """The difference of two polynomials. Runs on the host.

    Parameters
    ----------
    a1, a2 : Array, shape (N,), or poly1d
        The coefficients, of the highest power first.

    Returns
    -------
    Array, shape (N,), or poly1d where an operand is one
        The coefficients.

    Notes
    -----
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.polysub([2, 10, -2], [3, 10, -4]).tolist()
    [-1, 0, 2]
    """
    where = "polysub(a1, a2)"
    return _back(numpy.polysub(_host(a1, where), _host(a2, where)), a1, a2)


def polymul(a1: Any, a2: Any) -> Any:
    """The product of two polynomials. Runs on the host.

    Parameters
    ----------
    a1, a2 : Array, shape (N,), or poly1d
        The coefficients, of the highest power first.

    Returns
    -------
    Array, shape (N,), or poly1d where an operand is one
        The coefficients.

    Notes
    -----
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.polymul([1, 2], [1, 3]).tolist()
    [1, 5, 6]
    """
    where = "polymul(a1, a2)"
    return _back(numpy.polymul(_host(a1, where), _host(a2, where)), a1, a2)


def polydiv(u: Any, v: Any) -> Any:
    """The quotient and the remainder of two polynomials. Runs on the host.

    Parameters
    ----------
    u, v : Array, shape (N,), or poly1d
        The coefficients, of the highest power first.

    Returns
    -------
    quotient, remainder : Array, or poly1d where an operand is one
        The coefficients.

    Notes
    -----
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> [part.tolist() for part in xarr.polydiv([1.0, 5.0, 6.0], [1.0, 2.0])]
    [[1.0, 3.0], [0.0]]
    """
    where = "polydiv(u, v)"
    return _back(numpy.polydiv(_host(u, where), _host(v, where)), u, v)


def polyder(p: Any, m: SupportsIndex = 1) -> Any:
    """The derivative of a polynomial, m times. Runs on the host.

    Parameters
    ----------
    p : Array, shape (N,), or poly1d
        The coefficients, of the highest power first.
    m : int, optional
        How often.

    Returns
    -------
    Array, or poly1d where p is one
        The coefficients.

    Notes
    -----
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.polyder([1, 1, 1, 1]).tolist()
    [3, 2, 1]
    """
    return _back(numpy.polyder(_host(p, "polyder(p, m)"), operator.index(m)), p)


def polyint(p: Any, m: SupportsIndex = 1, k: Any = None) -> Any:
    """The integral of a polynomial, m times. Runs on the host.

    Parameters
    ----------
    p : Array, shape (N,), or poly1d
        The coefficients, of the highest power first.
    m : int, optional
        How often.
    k : number or list of m numbers, optional
        The constants; zero where None.

    Returns
    -------
    Array, or poly1d where p is one
        The coefficients.

    Notes
    -----
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.polyint([2, 1]).tolist()
    [1.0, 1.0, 0.0]
    """
    where = "polyint(p, m, k)"
    return _back(numpy.polyint(_host(p, where), operator.index(m), host_of(k, where)), p)


def polyval(p: Any, x: Any) -> Any:
    """The values of a polynomial, as one expression of x.

    Parameters
    ----------
    p : Array, shape (N,), or poly1d
        The coefficients, of the highest power first.
    x : Array, shape (...), or poly1d
        The points.

    Returns
    -------
    Array, shape (...), or poly1d where x is one
        Of the dtype that both promote to.

    Notes
    -----
    NumPy's function. By Horner's rule, in one kernel.

    Examples
    --------
    >>> import xarr
    >>> xarr.polyval([3, 0, 1], xarr.asarray([5, 6])).tolist()
    [76, 109]
    """
    if isinstance(x, poly1d):
        where = "polyval(p, x)"
        return _back(numpy.polyval(_host(p, where), x._host(where)))
    given = p.coeffs if isinstance(p, poly1d) else p
    points = array_of(x, "polyval(p, x)")
    if not isinstance(given, Array) and numpy.size(host_of(given, "polyval(p, x)")) == 0:
        return points * 0
    if isinstance(given, Array) and given.shape == (0,):
        return points * 0
    series = recurrences.coefficients(given, 0, points, floating=False)
    return recurrences.power.summed(points, series[::-1])


def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: SupportsIndex,
    rcond: float | None = None,
    full: bool = False,
    w: Any = None,
    cov: bool | str = False,
) -> Any:
    """The coefficients of the polynomial that is nearest to points, by least squares.

    Parameters
    ----------
    x : Array, shape (M,)
        Where.
    y : Array, shape (M,) or (M, K)
        The values; each column is fitted by itself.
    deg : int
        The degree.
    rcond : float, optional
        Singular values up to rcond times the largest are taken as zero; M times the dtype's epsilon
        where None.
    full : bool, optional
        Whether to give residuals, rank, singular values and rcond too.
    w : Array, shape (M,), optional
        The weights of the residuals, before they are squared.
    cov : bool or "unscaled", optional
        Whether to give the covariances of the coefficients too.

    Returns
    -------
    Array, shape (deg + 1,) or (deg + 1, K)
        The coefficients, of the highest power first; with `full` or `cov` the first of a tuple.

    Raises
    ------
    TypeError
        If the shapes are others.
    ValueError
        If deg is negative, or `cov` needs more points.

    Warns
    -----
    RankWarning
        If the points do not determine the coefficients.

    Notes
    -----
    NumPy's function. Waits for the rank.

    Examples
    --------
    >>> import xarr
    >>> [round(value, 6) for value in xarr.polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1).tolist()]
    [2.0, 1.0]
    """
    where = "polyfit(x, y, deg)"
    count = int(operator.index(deg)) + 1
    points, values = array_of(x, where) + 0.0, array_of(y, where) + 0.0
    if count < 1:
        raise errors.wrong_value(where, f"deg is {deg}", "degrees are not negative")
    recurrences.require_points(points, values, where)
    matrix = vander(points, count)
    solved = recurrences.scaled_fit(matrix, points, values, w, rcond, where)
    if int(solved.rank) != count and not full:
        warnings.warn("Polyfit may be poorly conditioned", RankWarning, stacklevel=2)
    if full:
        cutoff = recurrences.cutoff_of(rcond, points)
        return solved.x, solved.residuals, solved.rank, solved.s, cutoff
    if cov is False:
        return solved.x
    lhs, scale = recurrences.scaled(matrix, points, w, where)
    base = linalg.inv(matmul(lhs.T, lhs)) / outer(scale, scale)
    factor: Any = 1
    if cov != "unscaled":
        if points.shape[0] <= count:
            raise errors.wrong_value(
                where,
                f"there are {points.shape[0]} points and {count} coefficients",
                "covariances need more points than coefficients",
                'pass cov="unscaled"',
            )
        factor = solved.residuals / (points.shape[0] - count)
    return solved.x, base * factor if values.ndim == 1 else base[:, :, None] * factor


class poly1d:  # noqa: N801 - NumPy's name
    """A polynomial of one variable, with coefficients of the highest power first.

    Parameters
    ----------
    c_or_r : Array, shape (N,), or poly1d
        The coefficients, or the roots.
    r : bool, optional
        Whether these are the roots.
    variable : str, optional
        What the variable is called in texts.

    Notes
    -----
    NumPy's class. Arithmetic with coefficients runs on the host, calls on the device.

    Examples
    --------
    >>> import xarr
    >>> p = xarr.poly1d([1, 2, 3])
    >>> float(p(xarr.asarray(0.5)))
    4.25
    >>> (p * p).coeffs.tolist()
    [1, 4, 10, 12, 9]
    """

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, c_or_r: Any, r: bool = False, variable: str | None = None) -> None:
        self._device = device_of(c_or_r.coeffs if isinstance(c_or_r, poly1d) else c_or_r)
        self._made = numpy.poly1d(_host(c_or_r, _POLY1D), r, variable)
        self._array: Array | None = None

    @classmethod
    def _of(cls, made: numpy.poly1d) -> poly1d:
        return cls(made.coeffs, variable=made.variable)

    def _host(self, where: str = _POLY1D) -> numpy.poly1d:
        """NumPy's polynomial, with what was written to the coefficients."""
        if self._array is not None:
            self._made = numpy.poly1d(host_of(self._array, where), variable=self._made.variable)
        return self._made

    @property
    def coeffs(self) -> Array:
        """The coefficients, of the highest power first: Array, shape (order + 1,)."""
        if self._array is None:
            self._array = given_back(self._made.coeffs, self._device)
        return self._array

    @coeffs.setter
    def coeffs(self, values: Any) -> None:
        made = numpy.poly1d(_host(values, _POLY1D), variable=self._made.variable)
        self._made, self._array = made, None

    c = coef = coefficients = coeffs

    @property
    def order(self) -> int:
        """The degree."""
        return len(self._made.coeffs) - 1

    o = order

    @property
    def roots(self) -> Array:
        """The roots: Array, shape (order,). Runs on the host."""
        return _back(self._host().roots, self.coeffs)  # type: ignore[no-any-return]

    r = roots

    @property
    def variable(self) -> str:
        """What the variable is called in texts."""
        return str(self._made.variable)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return numpy.array(self._host().coeffs, dtype=dtype)

    def __repr__(self) -> str:
        return repr(self._host())

    def __str__(self) -> str:
        return str(self._host())

    def __len__(self) -> int:
        return self.order

    def __call__(self, val: Any) -> Any:
        """The values at points, or the polynomial of a polynomial."""
        return polyval(self, val)

    def __iter__(self) -> Iterator[Array]:
        return iter(self.coeffs)

    def __getitem__(self, power: int) -> Any:
        if not 0 <= power <= self.order:
            return given_back(self._made.coeffs.dtype.type(0), self._device)
        return self.coeffs[self.order - power]

    def __setitem__(self, power: int, value: Any) -> None:
        made = self._host()
        made[power] = host_of(value, _POLY1D)
        self._made, self._array = made, None

    def __neg__(self) -> poly1d:
        return self._of(-self._host())

    def __pos__(self) -> poly1d:
        return self

    def _with(self, name: str, other: Any) -> Any:
        result = getattr(self._host(), name)(_host(other, _POLY1D))
        return result if result is NotImplemented else _back(result, self.coeffs)

    def __add__(self, other: Any) -> Any:
        return self._with("__add__", other)

    def __radd__(self, other: Any) -> Any:
        return self._with("__radd__", other)

    def __sub__(self, other: Any) -> Any:
        return self._with("__sub__", other)

    def __rsub__(self, other: Any) -> Any:
        return self._with("__rsub__", other)

    def __mul__(self, other: Any) -> Any:
        return self._with("__mul__", other)

    def __rmul__(self, other: Any) -> Any:
        return self._with("__rmul__", other)

    def __truediv__(self, other: Any) -> Any:
        return self._with("__truediv__", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with("__rtruediv__", other)

    def __pow__(self, power: Any) -> Any:
        return self._with("__pow__", power)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, poly1d):
            return NotImplemented
        return bool(self._host() == other._host())

    def integ(self, m: SupportsIndex = 1, k: Any = 0) -> poly1d:
        """The integral, m times, with constants k."""
        return self._of(self._host().integ(operator.index(m), host_of(k, _POLY1D)))

    def deriv(self, m: SupportsIndex = 1) -> poly1d:
        """The derivative, m times."""
        return self._of(self._host().deriv(operator.index(m)))
