"""NumPy's older functions of polynomials, whose coefficients begin with the highest power."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, Final, SupportsIndex

import numpy
from numpy.exceptions import RankWarning

from xarr import dtypes
from xarr.array.array import Array, ArrayLike
from xarr.array.cached_calls import by_numpy, cached_call
from xarr.array.coerce import array_of, as_array
from xarr.array.transfers import openly
from xarr.errors import value_error, warn
from xarr.functions.calls.on_host import device_of, given_back, host_of
from xarr.functions.create import fills, ranges
from xarr.functions.elementwise.elementwise import add, subtract
from xarr.functions.index import searching
from xarr.functions.linalg import linalg
from xarr.functions.linalg.numpy_products import outer
from xarr.functions.linalg.products import matmul
from xarr.functions.polynomials import series_values
from xarr.functions.reduce import reductions
from xarr.functions.shape import joining, manipulation
from xarr.functions.shape.insert_delete_pad import trim_zeros
from xarr.functions.signal.calculus import convolve
from xarr.ir.views import View
from xarr.layout import integer
from xarr.tape import builder, recorders

Coefficients = Any
"""An annotation of which `docstrings` knows what to say."""

_CHOSEN: Final = 8
"""Columns of a Vandermonde matrix that one expression computes, each by choosing among all. An H200
takes 0.4 ms for four of 2^24 float32, and 2.1 where it scans rows."""
_POLY1D: Final = "poly1d(...)"
"""The call that errors name where operators and methods read coefficients."""


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


def _on_host(function: Callable[..., Any], where: str, *operands: Any) -> Any:
    """The results of a function of NumPy's, as Arrays or `poly1d`."""
    return _back(function(*(_host(operand, where) for operand in operands)), *operands)


def poly(seq_of_zeros: ArrayLike) -> Array:
    """Compute the coefficients of the polynomial with given roots. Runs on the host.

    seq_of_zeros : Array, shape (N,) or (N, N)
        The roots, or a square matrix: the result is its characteristic polynomial.

    -> Array, shape (N + 1,) -- The coefficients, of the highest power first.

    ValueError -- If it is neither a vector nor a square matrix.

    >>> xarr.poly([1, 2]).tolist()
    [1.0, -3.0, 2.0]
    """
    return _on_host(numpy.poly, "poly(seq_of_zeros)", seq_of_zeros)  # type: ignore[no-any-return]


def roots(p: Coefficients) -> Array:
    """Compute the roots of a polynomial as eigenvalues of a matrix. Runs on the host.

    p : Array, shape (N + 1,) -- The coefficients, of the highest power first.

    -> Array, shape (N,) if the first and the last one are not 0; complex if a root is complex

    ValueError -- If p is not a vector.

    >>> sorted(xarr.roots([1, -3, 2]).tolist())
    [1.0, 2.0]
    """
    return _on_host(numpy.roots, "roots(p)", p)  # type: ignore[no-any-return]


@by_numpy(numpy.polyadd, 2)
@cached_call
def polyadd(a1: Coefficients, a2: Coefficients) -> Coefficients:
    """Add two polynomials."""
    return _joined(add, numpy.polyadd, "polyadd(a1, a2)", a1, a2)


@by_numpy(numpy.polysub, 2)
@cached_call
def polysub(a1: Coefficients, a2: Coefficients) -> Coefficients:
    """Subtract one polynomial from another."""
    return _joined(subtract, numpy.polysub, "polysub(a1, a2)", a1, a2)


def polymul(a1: Coefficients, a2: Coefficients) -> Coefficients:
    """Multiply two polynomials. Waits for the device, to find leading zeros.

    ValueError -- If a1 or a2 has several axes.
    """
    where = "polymul(a1, a2)"
    if isinstance(a1, poly1d) or isinstance(a2, poly1d):
        return _on_host(numpy.polymul, where, a1, a2)
    pair = _coefficients(where, a1, a2)
    for name, part in zip(("a1", "a2"), pair, strict=True):
        if part.ndim > 1:
            raise value_error(where, f"{name} has {part.ndim} dimensions", "it must have one")
    first, second = pair
    with openly():  # like the count of a mask no hidden transfer
        if not (first.size and second.size) or bool((first[0] == 0) | (second[0] == 0)):
            first, second = (
                trim_zeros(part, "f") if reductions.any(part) else fills.zeros_like(part, shape=1)
                for part in pair
            )
    return convolve(first, second)


def _coefficients(where: str, *operands: Any) -> list[Array]:
    """Return operands as Arrays of one device with an axis at least."""
    device = device_of(*operands)
    given = (as_array(one, where, f"a{n}", device=device) for n, one in enumerate(operands, 1))
    return [one if one.ndim else one.reshape(1) for one in given]


def _joined(function: Any, numpys: Any, where: str, *operands: Any) -> Any:
    """Combine coefficients of the same powers: those that an operand lacks are zeros."""
    if any(isinstance(one, poly1d) for one in operands):
        return _on_host(numpys, where, *operands)
    pair = _coefficients(where, *operands)
    count = max(len(one) for one in pair)
    return function(*(_lengthened(one, count) for one in pair))


def _lengthened(x: Array, count: int) -> Array:
    """Return coefficients with zeros before them, so many in all."""
    if len(x) == count:
        return x
    return joining.concat([fills.zeros(count - len(x), dtype=x.dtype, device=x.device), x])


def polydiv(u: Coefficients, v: Coefficients) -> tuple[Coefficients, Coefficients]:
    """Divide a polynomial by another: quotient and remainder. Runs on the host.

    -> tuple of two Arrays, or of poly1d if an operand is a poly1d

    >>> [part.tolist() for part in xarr.polydiv([1.0, 5.0, 6.0], [1.0, 2.0])]
    [[1.0, 3.0], [0.0]]
    """
    return _on_host(numpy.polydiv, "polydiv(u, v)", u, v)  # type: ignore[no-any-return]


def polyder(p: Coefficients, m: SupportsIndex = 1) -> Coefficients:
    """Differentiate a polynomial m times. Runs on the host.

    >>> xarr.polyder([1, 1, 1, 1]).tolist()
    [3, 2, 1]
    """
    return _back(numpy.polyder(_host(p, "polyder(p, m)"), operator.index(m)), p)


def polyint(p: Coefficients, m: SupportsIndex = 1, k: Any = None) -> Coefficients:
    """Integrate a polynomial m times. Runs on the host.

    k : number or list of m numbers, optional -- The constants of integration; None for zeros.

    >>> xarr.polyint([2, 1]).tolist()
    [1.0, 1.0, 0.0]
    """
    where = "polyint(p, m, k)"
    return _back(numpy.polyint(_host(p, where), operator.index(m), host_of(k, where)), p)


def polyval(p: Coefficients, x: Any) -> Any:
    """Evaluate a polynomial by Horner's rule: one expression of x, and so one kernel.

    x : Array, shape (...), or poly1d -- The points.

    -> Array, shape (...), or poly1d if x is a poly1d -- Of the dtype that both promote to.

    >>> xarr.polyval([3, 0, 1], xarr.asarray([5, 6])).tolist()
    [76, 109]
    """
    if isinstance(x, poly1d):
        where = "polyval(p, x)"
        return _back(numpy.polyval(_host(p, where), x._host(where)))
    given = p.coeffs if isinstance(p, poly1d) else p
    points = array_of(x, "polyval(p, x)")
    if not isinstance(given, Array) and numpy.size(host_of(given, "polyval(p, x)")) == 0:
        return fills.zeros_like(points)
    if isinstance(given, Array) and given.shape[:1] == (0,):
        return fills.zeros_like(points)
    series = series_values.coefficients(given, 0, points, floating=False)
    return series_values.power.summed(points, series[::-1])


def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: SupportsIndex,
    rcond: float | None = None,
    full: bool = False,
    w: Any = None,
    cov: bool | str = False,
) -> Any:
    """Fit a polynomial to points by least squares. Waits for the device, to check the rank.

    x : Array, shape (M,) -- The x coordinates of the points.
    y : Array, shape (M,) or (M, K) -- The y coordinates of the points; each column is fitted
        separately.
    deg : int -- The degree.
    rcond : float, optional -- Singular values up to rcond times the largest are taken as zero; None
        for M times the dtype's epsilon.
    full : bool, optional -- Whether to return residuals, rank, singular values and rcond too.
    w : Array, shape (M,), optional -- The weights of the residuals, before they are squared.
    cov : bool or "unscaled", optional -- Whether to return the covariance matrix of the
        coefficients too; "unscaled" does not scale it by the residuals.

    -> Array, shape (deg + 1,) or (deg + 1, K)
        The coefficients, of the highest power first; with `full` or `cov` the first of a tuple.

    ValueError -- If the degree is negative, or there are too few points for a covariance that is
        scaled.
    TypeError -- If x is not a vector with elements, or y does not have a row for each.

    Warns
    -----
    RankWarning
        If the points do not determine the coefficients.

    >>> [round(value, 6) for value in xarr.polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1).tolist()]
    [2.0, 1.0]
    """
    where = "polyfit(x, y, deg)"
    count = int(operator.index(deg)) + 1
    points, values = array_of(x, where) + 0.0, array_of(y, where) + 0.0
    if count < 1:
        raise value_error(where, f"deg is {deg}", "deg must not be negative")
    series_values.require_points(points, values, where)
    matrix = vander(points, count)
    solved = series_values.scaled_fit(matrix, points, values, w, rcond, where)
    if full:
        cutoff = series_values.cutoff_of(rcond, points)
        return solved.x, solved.residuals, solved.rank, solved.s, cutoff

    def check(rank: View) -> None:
        if int(Array(rank)) != count:
            warn("Polyfit may be poorly conditioned", RankWarning)

    recorders.checked(check, solved.rank._view)
    if cov is False:
        return solved.x
    lhs, scale = series_values.scaled(matrix, points, w, where)
    base = linalg.inv(matmul(lhs.T, lhs)) / outer(scale, scale)
    factor: Any = 1
    if cov != "unscaled":
        if points.shape[0] <= count:
            fault = f"there are {points.shape[0]} points and {count} coefficients"
            accepted = "there must be more points than coefficients for a covariance"
            raise value_error(where, fault, accepted, 'pass cov="unscaled"')
        factor = solved.residuals / (points.shape[0] - count)
    return solved.x, base * factor if values.ndim == 1 else base[:, :, None] * factor


def _special(name: str) -> Callable[[poly1d, Any], Any]:
    """A special method, by NumPy's of its name."""

    def special(self: poly1d, other: Any) -> Any:
        result = getattr(self._host(), name)(_host(other, _POLY1D))
        return result if result is NotImplemented else _back(result, self.coeffs)

    return special


class poly1d:  # noqa: N801 - NumPy's name
    """A polynomial of one variable, with coefficients of the highest power first.

    c_or_r : Array, shape (N,), or poly1d -- The coefficients, or the roots if r is true.
    r : bool, optional -- Whether c_or_r holds the roots.
    variable : str, optional -- The name of the variable in printed polynomials; None for x.

    ValueError -- If there are coefficients with several axes.

    Note: NumPy's class. Arithmetic with coefficients runs on the host, calls on the device.

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
        if values is not self.coeffs:  # what `p.coeffs += 1` does not
            raise AttributeError(f"{_POLY1D}: coeffs cannot be set; write p.coeffs[...] = values")

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
        """The name of the variable in printed polynomials."""
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

    __add__ = _special("__add__")
    __radd__ = _special("__radd__")
    __sub__ = _special("__sub__")
    __rsub__ = _special("__rsub__")
    __mul__ = _special("__mul__")
    __rmul__ = _special("__rmul__")
    __truediv__ = _special("__truediv__")
    __rtruediv__ = _special("__rtruediv__")
    __pow__ = _special("__pow__")

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, poly1d):
            return NotImplemented
        return bool(self._host() == other._host())

    def integ(self, m: SupportsIndex = 1, k: Any = 0) -> poly1d:
        """Integrate the polynomial m times.

        k : number or sequence of m numbers -- The constants, in the order of the integrals.

        >>> xarr.poly1d([2, 1]).integ().coeffs.tolist()
        [1.0, 1.0, 0.0]
        """
        return self._of(self._host().integ(operator.index(m), host_of(k, _POLY1D)))

    def deriv(self, m: SupportsIndex = 1) -> poly1d:
        """Differentiate the polynomial m times.

        >>> xarr.poly1d([1, 1, 0]).deriv().coeffs.tolist()
        [2, 1]
        """
        return self._of(self._host().deriv(operator.index(m)))


@cached_call
def vander(
    x: ArrayLike,
    N: SupportsIndex | None = None,  # noqa: N803 - NumPy's name
    increasing: bool = False,
) -> Array:
    """Make the Vandermonde matrix: the powers of each number in a row.

    N : int, optional -- The number of columns; None for the number of elements of x.
    increasing : bool -- Whether the powers in a row go up from 0 to N - 1; else they go down.

    -> Array, shape (len(x), N), of the data type that x and int64 promote to

    ValueError -- If x is not a vector.

    >>> xarr.vander(xarr.asarray([2, 3]), 3).tolist()
    [[4, 2, 1], [9, 3, 1]]
    """
    where = "vander(x, N)"
    given = array_of(x, where)
    if given.ndim != 1:
        raise value_error(where, f"x has {given.ndim} dimensions", "it must have one")
    columns = given.size if N is None else integer(N, where, "N")
    row = dtypes.promote(given._view.dtype, dtypes.int64)
    base = Array(builder.converted(given._view, row))
    if 1 < columns <= _CHOSEN:
        column = manipulation.reshape(base, (-1, 1))
        exponents = ranges.arange(columns, device=given.device)
        exponents = exponents if increasing else columns - 1 - exponents
        power, result = column, searching.where(exponents > 0, column, 1)
        for exponent in range(2, columns):
            power = power * column
            result = searching.where(exponents == exponent, power, result)
        return result
    powers = fills.ones((given.size, columns), row, device=given.device)
    if columns > 1:
        powers[:, 1:] = manipulation.reshape(base, (-1, 1))
        powers[:, 1:] = reductions.cumulative_prod(powers[:, 1:], axis=1)
    return powers if increasing else manipulation.flip(powers, axis=1).copy()
