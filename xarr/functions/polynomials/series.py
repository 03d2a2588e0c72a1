"""Series of polynomials as objects: `Polynomial`, `Chebyshev` and their like.

The coefficients are few, so what makes coefficients of coefficients runs on the host, by the class
of NumPy's of the same name. Values at points, and fits to points, are computed on the device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy
import numpy.polynomial as theirs

from xarr.array.array import Array, ArrayLike
from xarr.array.coerce import array_of
from xarr.backends.device import Device, get_device
from xarr.functions.calls.on_host import device_of, given_back, host_of
from xarr.functions.create import ranges
from xarr.functions.polynomials import series_values
from xarr.functions.polynomials.series_values import Basis, mapped, points_of
from xarr.functions.reduce import reductions

Made = Any
"""A series that a method returns."""
Pair = Any
"""A domain or window: two numbers, or None."""


def _special(name: str) -> Callable[..., Any]:
    """A special method, by NumPy's of its name."""

    def special(self: Series, *others: Any) -> Any:
        return self._with(name, *others)

    return special


class Series:
    """A series of polynomials of a basis, with a domain that is mapped to a window.

    coef : Array, shape (N,) -- The coefficients, of the lowest degree first.
    domain, window : pair of float, optional -- The interval of x, and the interval it is mapped to;
        None for the class's. Both are kept on the host, as NumPy arrays.
    symbol : str, optional -- The name of x in printed series.

    ValueError -- If there are no coefficients, or an interval is no pair.

    Note: NumPy's classes. Arithmetic, derivatives, integrals, roots and conversions run on the
    host; calls, `fit` and `linspace` on the device.
    """

    _basis: ClassVar[Basis]
    _kind: ClassVar[Any]
    domain: Any
    window: Any

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, coef: Any, domain: Pair = None, window: Pair = None, symbol: str = "x"):
        self._device = device_of(coef)
        made = self._kind(self._read(coef), self._read(domain), self._read(window), symbol)
        self._take(made)

    def _take(self, made: Any) -> None:
        self._made = made
        self._array: Array | None = None
        self.domain, self.window = made.domain, made.window

    def _host(self) -> Any:
        """NumPy's series, with what was written to the coefficients, the domain or the window."""
        if self._array is not None:
            self._made.coef = self._read(self._array)
        self._made.domain, self._made.window = self._read(self.domain), self._read(self.window)
        return self._made

    @classmethod
    def _read(cls, value: Any) -> Any:
        """An operand on the host, where a series is one of NumPy's."""
        if isinstance(value, Series):
            return value._host()
        return host_of(value, f"{cls.__name__}(...)")

    @classmethod
    def _of(cls, made: Any, device: Device | None = None) -> Any:
        """A result of NumPy's class as one of ours; other results as Arrays."""
        if isinstance(made, tuple | list):
            return type(made)(cls._of(part, device) for part in made)
        kind = _KINDS.get(type(made))
        if kind is None:
            return given_back(made, device or get_device())
        series = kind.__new__(kind)
        series._device = device or get_device()
        series._take(made)
        return series

    def _with(self, name: str, *others: Any) -> Any:
        """The result of a special method of NumPy's series."""
        result = getattr(self._host(), name)(*map(self._read, others))
        return result if result is NotImplemented else self._of(result, self._device)

    @property
    def coef(self) -> Array:
        """The coefficients, of the lowest degree first: Array, shape (N,)."""
        if self._array is None:
            self._array = given_back(self._made.coef, self._device)
        return self._array

    @coef.setter
    def coef(self, values: Any) -> None:
        self._array = None
        self._made.coef = self._read(values)

    @property
    def symbol(self) -> str:
        """The name of the variable in printed series."""
        return str(self._made.symbol)

    @property
    def basis_name(self) -> str | None:
        """The letter of the basis."""
        return self._kind.basis_name  # type: ignore[no-any-return]

    @property
    def maxpower(self) -> int:
        """The largest power that a series may be raised to."""
        return int(self._kind.maxpower)

    def __call__(self, arg: Any) -> Any:
        """The values at points, or the series of a series."""
        if isinstance(arg, Series):
            return self._of(self._host()(arg._host()), self._device)
        made = self._host()
        offset, scale = made.mapparms()
        points = points_of(arg, offset, "series(x)")
        if (offset, scale) != (0, 1):
            points = mapped(points, offset, scale)
        return self._basis.val(points, made.coef)

    def __iter__(self) -> Iterator[Array]:
        return iter(self.coef)

    def __len__(self) -> int:
        return len(self._made.coef)

    def __repr__(self) -> str:
        return repr(self._host())

    def __str__(self) -> str:
        return str(self._host())

    def __format__(self, spec: str) -> str:
        return format(self._host(), spec)

    def _repr_latex_(self) -> str:
        return self._host()._repr_latex_()  # type: ignore[no-any-return]

    def __getstate__(self) -> dict[str, Any]:
        return {"made": self._host()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._device = get_device()
        self._take(state["made"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Series) and bool(self._host() == other._host())

    def __pos__(self) -> Any:
        return self

    __neg__ = _special("__neg__")
    __add__ = _special("__add__")
    __sub__ = _special("__sub__")
    __mul__ = _special("__mul__")
    __truediv__ = _special("__truediv__")
    __floordiv__ = _special("__floordiv__")
    __mod__ = _special("__mod__")
    __divmod__ = _special("__divmod__")
    __pow__ = _special("__pow__")
    __radd__ = _special("__radd__")
    __rsub__ = _special("__rsub__")
    __rmul__ = _special("__rmul__")
    __rfloordiv__ = _special("__rfloordiv__")
    __rmod__ = _special("__rmod__")
    __rdivmod__ = _special("__rdivmod__")

    def copy(self) -> Made:
        """Copy the series."""
        return self._with("copy")

    def degree(self) -> int:
        """Return the degree: one less than the number of coefficients."""
        return len(self) - 1

    def cutdeg(self, deg: int) -> Made:
        """Remove the terms beyond a degree.

        deg : int -- The largest degree to keep.
        """
        return self._with("cutdeg", deg)

    def trim(self, tol: float = 0) -> Made:
        """Remove small coefficients at the end.

        tol : float -- The largest magnitude to remove, not negative.

        ValueError -- If `tol` is negative.
        """
        return self._with("trim", tol)

    def truncate(self, size: int) -> Made:
        """Keep the coefficients of the lowest degrees.

        size : int -- The largest number of coefficients to keep, positive.

        ValueError -- If `size` is not positive.
        """
        return self._with("truncate", size)

    def convert(self, domain: Pair = None, kind: Any = None, window: Pair = None) -> Made:
        """Convert the series to another basis, domain or window.

        domain, window : pair of float, optional -- The intervals of the result; None for its
            class's.
        kind : class of series, optional -- As `xarr.polynomial.Legendre`; None for this class.

        >>> square = xarr.polynomial.Polynomial([0.0, 0.0, 1.0])
        >>> square.convert(kind=xarr.polynomial.Chebyshev).coef.tolist()
        [0.5, 0.0, 0.5]
        """
        kind = self._kind if kind is None else getattr(kind, "_kind", kind)
        made = self._host().convert(self._read(domain), kind, self._read(window))
        return self._of(made, self._device)

    def mapparms(self) -> tuple[Any, Any]:
        """Return the offset and the scale that map the domain to the window.

        -> (offset, scale), numbers

        >>> offset, scale = xarr.polynomial.Polynomial([0.0, 1.0], domain=[0, 4]).mapparms()
        >>> float(offset), float(scale)
        (-1.0, 0.5)
        """
        return self._host().mapparms()  # type: ignore[no-any-return]

    def integ(self, m: int = 1, k: Any = (), lbnd: Any = None) -> Made:
        """Integrate the series m times.

        k : number or sequence of at most m numbers -- The values of the integrals at `lbnd`, in
            the order of the integrals; missing values are 0.
        lbnd : number, optional -- The lower bound of the integrals; None for 0.
        """
        constants = list(k) if isinstance(k, list | tuple) else k
        return self._with("integ", m, constants, lbnd)

    def deriv(self, m: int = 1) -> Made:
        """Differentiate the series m times."""
        return self._with("deriv", m)

    def roots(self) -> Array:
        """Compute the roots. Runs on the host.

        -> Array, shape (degree,)

        >>> xarr.polynomial.Polynomial([-4.0, 0.0, 1.0]).roots().round(6).tolist()
        [-2.0, 2.0]
        """
        return self._with("roots")  # type: ignore[no-any-return]

    def linspace(self, n: int = 100, domain: Pair = None) -> tuple[Array, Array]:
        """Evaluate the series at evenly spaced points of its domain.

        n : int -- The number of points.
        domain : pair of float, optional -- The interval of the points; None for the domain.

        -> (Array, Array), shapes (n,) -- The points, and the values there.

        >>> x, y = xarr.polynomial.Polynomial([0.0, 0.0, 1.0]).linspace(3)
        >>> x.tolist(), y.tolist()
        ([-1.0, 0.0, 1.0], [1.0, 0.0, 1.0])
        """
        low, high = self._read(self.domain if domain is None else domain)
        points = ranges.linspace(float(low), float(high), n)
        return points, self(points)

    @classmethod
    def fit(
        cls,
        x: ArrayLike,
        y: ArrayLike,
        deg: Any,
        domain: Pair = None,
        rcond: float | None = None,
        full: bool = False,
        w: Any = None,
        window: Pair = None,
        symbol: str = "x",
    ) -> Any:
        """Fit a series to points by least squares, on the device.

        x, y : Array, shape (M,) -- The points.
        deg : int or sequence of int -- The largest degree, or the degrees that the series may have.
        domain : pair of float, optional
            The domain; None for the range of x, [] for the class's.
        rcond : float, optional -- Singular values up to rcond times the largest are taken as zero;
            None for M times the dtype's epsilon.
        full : bool -- Whether to return [residuals, rank, singular values, rcond] too.
        w : Array, shape (M,), optional -- The weights of the residuals, before they are squared.

        -> series, or with `full` a tuple of it and the list

        >>> line = xarr.polynomial.Polynomial.fit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1)
        >>> line.convert().coef.round(6).tolist()
        [1.0, 2.0]
        """
        points = array_of(x, "fit(x, y, deg)")
        if domain is None:
            low, high = float(reductions.min(points)), float(reductions.max(points))
            if low == high:
                low, high = low - 1, high + 1
            interval = numpy.asarray([low, high])
        else:
            interval = numpy.asarray(cls._read(domain))
            if interval.size == 0:
                interval = cls._kind.domain
        frame = cls._kind.window if window is None else cls._read(window)
        offset, scale = theirs.polyutils.mapparms(interval, frame)
        inner = mapped(points, offset, scale)
        found = cls._basis.fit(inner, y, deg, rcond, full, w)
        coef, *more = found if full else (found,)
        series = cls(coef, interval, frame, symbol)
        return (series, *more) if full else series

    @classmethod
    def fromroots(
        cls, roots: Any, domain: Pair = (), window: Pair = None, symbol: str = "x"
    ) -> Made:
        """Make the monic polynomial that has these roots.

        roots : Array, shape (N,) -- The roots; a root of multiplicity k is listed k times.
        domain : pair of float, optional
            The domain; None for the range of the roots, [] for the class's.
        """
        interval = cls._read(domain)
        interval = [] if interval is not None and len(interval) == 0 else interval
        made = cls._kind.fromroots(cls._read(roots), interval, cls._read(window), symbol)
        return cls._of(made, device_of(roots))

    @classmethod
    def identity(cls, domain: Pair = None, window: Pair = None, symbol: str = "x") -> Made:
        """Make the series of the function x."""
        return cls._of(cls._kind.identity(cls._read(domain), cls._read(window), symbol))

    @classmethod
    def basis(cls, deg: int, domain: Pair = None, window: Pair = None, symbol: str = "x") -> Made:
        """Make the series of a single polynomial of the basis.

        deg : int -- The degree of the polynomial.
        """
        return cls._of(cls._kind.basis(deg, cls._read(domain), cls._read(window), symbol))

    @classmethod
    def cast(cls, series: Any, domain: Pair = None, window: Pair = None) -> Made:
        """Convert a series of another class to this class.

        series : series -- The other series.

        >>> square = xarr.polynomial.Polynomial([0.0, 0.0, 1.0])
        >>> xarr.polynomial.Chebyshev.cast(square).coef.tolist()
        [0.5, 0.0, 0.5]
        """
        return cls._of(cls._kind.cast(cls._read(series), cls._read(domain), cls._read(window)))

    def has_samecoef(self, other: Any) -> bool:
        """Tell whether the coefficients are the same."""
        return bool(self._host().has_samecoef(self._read(other)))

    def has_samedomain(self, other: Any) -> bool:
        """Tell whether the domains are the same."""
        return bool(self._host().has_samedomain(self._read(other)))

    def has_samewindow(self, other: Any) -> bool:
        """Tell whether the windows are the same."""
        return bool(self._host().has_samewindow(self._read(other)))

    def has_sametype(self, other: Any) -> bool:
        """Tell whether the classes are the same."""
        return isinstance(other, type(self))


class Polynomial(Series):
    """A series of powers; see `numpy.polynomial.Polynomial`.

    >>> p = xarr.polynomial.Polynomial([1.0, 2.0, 3.0])  # 1 + 2 x + 3 x**2
    >>> p(xarr.asarray([0.0, 1.0, 2.0])).tolist()
    [1.0, 6.0, 17.0]
    """

    _basis = series_values.power
    _kind = theirs.Polynomial
    domain, window = theirs.Polynomial.domain, theirs.Polynomial.window


class Chebyshev(Series):
    """A series of Chebyshev polynomials; see `numpy.polynomial.Chebyshev`.

    >>> p = xarr.polynomial.Chebyshev([0.0, 0.0, 1.0])  # T2(x) = 2 x**2 - 1
    >>> p(xarr.asarray([0.0, 1.0, 2.0])).tolist()
    [-1.0, 1.0, 7.0]
    """

    _basis = series_values.chebyshev
    _kind = theirs.Chebyshev
    domain, window = theirs.Chebyshev.domain, theirs.Chebyshev.window

    @classmethod
    def interpolate(cls, func: Any, deg: int, domain: Pair = None, args: Any = ()) -> Made:
        """Make the series that equals a function at the Chebyshev points of the domain.

        func : function -- Called with an Array of deg + 1 points of the domain, and with `args`.
        deg : int -- The degree of the series.
        args : tuple -- The further arguments of `func`.

        >>> p = xarr.polynomial.Chebyshev.interpolate(lambda x: x * x, 2)
        >>> round(float(p(3.0)), 6)
        9.0
        """
        interval = cls._kind.domain if domain is None else cls._read(domain)

        def within(x: Any, *rest: Any) -> Any:
            points = given_back(theirs.polyutils.mapdomain(x, cls._kind.window, interval), device)
            return cls._read(array_of(func(points, *rest), "interpolate(func, deg)"))

        device = get_device()
        return cls(theirs.chebyshev.chebinterpolate(within, deg, args), domain=interval)


class Legendre(Series):
    """A series of Legendre polynomials; see `numpy.polynomial.Legendre`.

    >>> p = xarr.polynomial.Legendre([0.0, 0.0, 1.0])  # P2(x) = 1.5 x**2 - 0.5
    >>> p(xarr.asarray([0.0, 1.0, 2.0])).tolist()
    [-0.5, 1.0, 5.5]
    """

    _basis = series_values.legendre
    _kind = theirs.Legendre
    domain, window = theirs.Legendre.domain, theirs.Legendre.window


class Hermite(Series):
    """A series of physicists' Hermite polynomials; see `numpy.polynomial.Hermite`.

    >>> p = xarr.polynomial.Hermite([0.0, 0.0, 1.0])  # H2(x) = 4 x**2 - 2
    >>> p(xarr.asarray([0.0, 1.0, 2.0])).tolist()
    [-2.0, 2.0, 14.0]
    """

    _basis = series_values.hermite
    _kind = theirs.Hermite
    domain, window = theirs.Hermite.domain, theirs.Hermite.window


class HermiteE(Series):
    """A series of probabilists' Hermite polynomials; see `numpy.polynomial.HermiteE`.

    >>> p = xarr.polynomial.HermiteE([0.0, 0.0, 1.0])  # He2(x) = x**2 - 1
    >>> p(xarr.asarray([0.0, 1.0, 2.0])).tolist()
    [-1.0, 0.0, 3.0]
    """

    _basis = series_values.hermite_e
    _kind = theirs.HermiteE
    domain, window = theirs.HermiteE.domain, theirs.HermiteE.window


class Laguerre(Series):
    """A series of Laguerre polynomials; see `numpy.polynomial.Laguerre`.

    >>> p = xarr.polynomial.Laguerre([0.0, 1.0])  # L1(x) = 1 - x
    >>> p(xarr.asarray([0.0, 1.0, 2.0])).tolist()
    [1.0, 0.0, -1.0]
    """

    _basis = series_values.laguerre
    _kind = theirs.Laguerre
    domain, window = theirs.Laguerre.domain, theirs.Laguerre.window


_KINDS: dict[type, type[Series]] = {
    kind._kind: kind for kind in (Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre)
}
