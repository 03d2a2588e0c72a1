"""Values of series of polynomials, Vandermonde matrices and fits, on the device.

The polynomials of a basis follow from a recurrence of three terms, P[k + 1] = (a x + b) P[k] -
c P[k - 1] with P[0] = 1, so each function here serves all bases. A series is summed by Clenshaw's
recurrence, which is Horner's for powers: one expression of x, and so one kernel.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy
import numpy.polynomial.chebyshev as theirs
from numpy.exceptions import RankWarning

from xarr.array.array import Array, ArrayLike
from xarr.array.coerce import array_of, as_array
from xarr.backends.device import get_device
from xarr.dtypes import FLOATING
from xarr.errors import type_error, value_error
from xarr.functions.calls.on_host import given_back, host_of
from xarr.functions.elementwise import elementwise
from xarr.functions.index import searching
from xarr.functions.linalg import solving
from xarr.functions.reduce import reductions
from xarr.functions.shape import joining, manipulation

Step = Callable[[int], tuple[float, float, float]]
"""a, b and c of the recurrence, for k."""


class Basis:
    """A basis of polynomials: what follows from its recurrence, under the names of its module."""

    def __init__(self, prefix: str, step: Step) -> None:
        self.prefix = prefix
        self.step = step

    def val(self, x: ArrayLike, c: ArrayLike, tensor: bool = True) -> Array:
        """Evaluate a series, the sum of c[k] * P[k](x), by an expression that one kernel computes.

        c : Array, shape (N, *S) -- The coefficients; each index of axes S has a series.
        tensor : bool, optional
            Whether to evaluate each series at each point; else S and (...) broadcast.

        -> Array, shape (*S, ...); without `tensor`, what S and (...) broadcast to

        >>> xarr.polynomial.chebyshev.chebval(xarr.asarray([0.0, 2.0]), [1.0, 0.0, 1.0]).tolist()
        [0.0, 8.0]
        """
        points = points_of(x, c, f"{self.prefix}val(x, c)")
        series = coefficients(c, points.ndim if tensor else 0, points)
        result: Array = self.summed(points, series)
        return result

    def summed(self, x: Any, series: Sequence[Any]) -> Any:
        """The sum of a series, by Clenshaw's recurrence."""
        if len(series) == 1:
            return series[0] + x * 0
        later: Any = None
        value: Any = series[-1]
        for k in range(len(series) - 2, -1, -1):
            a, b, _ = self.step(k)
            factor = x if a == 1 else x * a
            if b:
                factor = factor + b
            found = series[k] + factor * value
            c = self.step(k + 1)[2]
            if c and later is not None:
                found = found - (later if c == 1 else later * c)
            later, value = value, found
        return value

    def val2d(self, x: ArrayLike, y: ArrayLike, c: ArrayLike) -> Array:
        """Sum c[i, j] * P[i](x) * P[j](y) at points.

        x, y : Array, shape (...) -- The coordinates of the points.
        c : Array, shape (L, M, *S) -- The coefficients; each index of axes S has a series.

        -> Array, shape c.shape[2:] + x.shape
        """
        return self._at(c, (x, y), f"{self.prefix}val2d")

    def val3d(self, x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike) -> Array:
        """Sum c[i, j, k] * P[i](x) * P[j](y) * P[k](z) at points.

        x, y, z : Array, shape (...) -- The coordinates of the points.
        c : Array, shape (L, M, N, *S) -- The coefficients; each index of axes S has a series.

        -> Array, shape c.shape[3:] + x.shape
        """
        return self._at(c, (x, y, z), f"{self.prefix}val3d")

    def valnd(self, pts: Iterable[ArrayLike], c: ArrayLike) -> Array:
        """Sum c[i, j, ...] * P[i](pts[0]) * P[j](pts[1]) * ... at points in N dimensions.

        pts : sequence of N Arrays, shape (...) -- The coordinates of the points along each axis.
        c : Array, shape (n_1, ..., n_N, *S)
            The coefficients; each index of axes S has a series.

        -> Array, shape (*S, ...)

        ValueError -- If `pts` has no coordinates.

        >>> x = xarr.asarray([1.0, 2.0])
        >>> xarr.polynomial.polynomial.polyvalnd([x, x], xarr.ones((2, 2))).tolist()
        [4.0, 9.0]
        """
        where = f"{self.prefix}valnd(pts, c)"
        coordinates = tuple(pts)
        if not coordinates:
            raise value_error(where, "pts is empty", "pts must have coordinates along an axis")
        return self._at(c, coordinates, where)

    def _at(self, c: Any, points: tuple[Any, ...], where: str) -> Array:
        arrays = [array_of(one, where) for one in points]
        if any(one.shape != arrays[0].shape for one in arrays):
            fault = "the shapes are " + " and ".join(str(one.shape) for one in arrays)
            raise value_error(where, fault, "points must have one shape")
        value = self.val(arrays[0], c)
        for one in arrays[1:]:
            value = self.val(one, value, tensor=False)
        return value

    def grid2d(self, x: ArrayLike, y: ArrayLike, c: ArrayLike) -> Array:
        """Sum c[i, j] * P[i](x) * P[j](y) on the grid of x and y.

        x, y : Array, shape (...) -- The coordinates along each axis of the grid.
        c : Array, shape (L, M, *S) -- The coefficients; each index of axes S has a series.

        -> Array, shape c.shape[2:] + x.shape + y.shape
        """
        return self.val(y, self.val(x, c))

    def grid3d(self, x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike) -> Array:
        """Sum c[i, j, k] * P[i](x) * P[j](y) * P[k](z) on the grid of x, y and z.

        x, y, z : Array, shape (...) -- The coordinates along each axis of the grid.
        c : Array, shape (L, M, N, *S) -- The coefficients; each index of axes S has a series.

        -> Array, shape c.shape[3:] + x.shape + y.shape + z.shape
        """
        return self.val(z, self.val(y, self.val(x, c)))

    def vander(self, x: ArrayLike, deg: Any) -> Array:
        """Evaluate the polynomials of degrees 0 to deg at points.

        x : Array, shape (...) -- The points.
        deg : int -- The largest degree.

        -> Array, shape (..., deg + 1) -- Floating-point.

        >>> xarr.polynomial.polynomial.polyvander(xarr.asarray([2.0, 3.0]), 2).tolist()
        [[1.0, 2.0, 4.0], [1.0, 3.0, 9.0]]
        """
        where = f"{self.prefix}vander(x, deg)"
        degree = _degree(deg, where)
        points = _floating(array_of(x, where))
        if points.ndim == 0:
            points = points.reshape((1,))
        columns = [points * 0 + 1]
        for k in range(degree):
            a, b, c = self.step(k)
            factor = points if a == 1 else points * a
            if b:
                factor = factor + b
            following = factor * columns[-1]
            if c and k:
                following = following - columns[-2] * c
            columns.append(following)
        return joining.stack(columns, axis=-1)

    def vander2d(self, x: ArrayLike, y: ArrayLike, deg: Sequence[int]) -> Array:
        """Evaluate P[i](x) * P[j](y) for all degrees i, j up to those in deg.

        x, y : Array, shape (...) -- The coordinates of the points.
        deg : sequence of two int -- The largest degree in each variable.

        -> Array, shape (..., (deg[0] + 1) * (deg[1] + 1))
        """
        return self._products(deg, x, y)

    def vander3d(self, x: ArrayLike, y: ArrayLike, z: ArrayLike, deg: Sequence[int]) -> Array:
        """Evaluate P[i](x) * P[j](y) * P[k](z) for all degrees i, j, k up to those in deg.

        x, y, z : Array, shape (...) -- The coordinates of the points.
        deg : sequence of three int -- The largest degree in each variable.

        -> Array, shape (..., (deg[0] + 1) * (deg[1] + 1) * (deg[2] + 1))
        """
        return self._products(deg, x, y, z)

    def _products(self, deg: Any, *points: Any) -> Array:
        where = f"{self.prefix}vander{len(points)}d"
        if len(deg) != len(points):
            raise value_error(where, f"deg has {len(deg)} entries", f"deg must have {len(points)}")
        arrays = [array_of(one, where) for one in points]
        arrays = list(manipulation.broadcast_arrays(*arrays))
        whole = self.vander(arrays[0], deg[0])
        for one, degree in zip(arrays[1:], deg[1:], strict=True):
            columns = self.vander(one, degree)
            product = whole[..., :, None] * columns[..., None, :]
            whole = product.reshape((*product.shape[:-2], -1))
        return whole

    def fit(
        self,
        x: ArrayLike,
        y: ArrayLike,
        deg: Any,
        rcond: float | None = None,
        full: bool = False,
        w: Any = None,
    ) -> Any:
        """Fit a series to points by least squares; return its coefficients.

        x : Array, shape (M,) -- The points.
        y : Array, shape (M,) or (M, K) -- The values; each column is fitted separately.
        deg : int or sequence of int -- The largest degree, or the degrees that the series may have.
        rcond : float, optional -- Singular values up to rcond times the largest are taken as zero;
            None for M times the dtype's epsilon.
        full : bool, optional -- Whether to give [residuals, rank, singular values, rcond] too.
        w : Array, shape (M,), optional -- The weights of the residuals, before they are squared.

        -> Array, shape (N,) or (N, K)
            The coefficients; with `full` a tuple of them and the list.

        Warns
        -----
        RankWarning
            If the points do not determine the coefficients.

        >>> x = xarr.asarray([0.0, 1.0, 2.0])
        >>> xarr.polynomial.polynomial.polyfit(x, 1 + 2 * x, 1).round(6).tolist()
        [1.0, 2.0]
        """
        where = f"{self.prefix}fit(x, y, deg)"
        points, values = (_floating(array_of(one, where)) for one in (x, y))
        degrees, order = _degrees(deg, where)
        require_points(points, values, where)
        matrix = self.vander(points, max(degrees))
        if order is not None:
            matrix = joining.stack([matrix[:, degree] for degree in order], axis=-1)
        solved = scaled_fit(matrix, points, values, w, rcond, where)
        if int(solved.rank) != matrix.shape[1] and not full:
            warnings.warn("The fit may be poorly conditioned", RankWarning, stacklevel=2)
        found = solved.x
        if order is not None:
            zero = found[0] * 0
            rows = [zero] * (max(degrees) + 1)
            for place, degree in enumerate(order):
                rows[degree] = found[place]
            found = joining.stack(rows)
        if full:
            return found, [solved.residuals, solved.rank, solved.s, cutoff_of(rcond, points)]
        return found

    def interpolate(self, points: Any, func: Callable[..., Any], deg: Any, args: Any = ()) -> Array:
        """The coefficients of the series that a function's values at some points determine."""
        values = array_of(func(points, *args), "interpolate(func, deg)")
        return solving.lstsq(self.vander(points, deg), values).x


def points_of(x: Any, beside: Any, where: str) -> Array:
    """Make an array of points; a Python number takes the narrow floating type of `beside`."""
    dtype = numpy.dtype(getattr(beside, "dtype", float))
    if type(x) in (int, float, complex) and dtype.char in "efF":
        return as_array(x, where, dtype=numpy.result_type(dtype, x))
    return array_of(x, where)


def coefficients(c: Any, ndim: int, beside: Array, floating: bool = True) -> list[Any]:
    """The coefficients of a series one by one, each with `ndim` axes more for the points."""
    if type(c) is not Array:
        host = numpy.asarray(_plain(c))
        if floating and host.dtype.kind in "biu":
            host = host.astype(float)
        if host.ndim < 2 and host.dtype.kind in "biufc":
            if beside.device.no_float64 and host.dtype.itemsize > 4 and host.dtype.kind in "fc":
                host = host.astype("complex64" if host.dtype.kind == "c" else "float32")
            return list(host.reshape(-1)) or [numpy.float64(0)]
        c = given_back(host, beside.device)
    array = _floating(c) if floating else c
    if array.ndim == 0:
        array = array.reshape((1,))
    if array.ndim > 1 and ndim:
        array = array.reshape((*array.shape, *(1,) * ndim))
    return [array[place] for place in range(array.shape[0])]


def _plain(c: Any) -> Any:
    """A list of coefficients, with numbers in the place of Arrays of no dimensions."""
    if isinstance(c, list | tuple) and any(type(part) is Array for part in c):
        return numpy.asarray([numpy.asarray(part) for part in c])
    return c


def _floating(x: Array) -> Array:
    return x if x._view.dtype.kind in FLOATING else x + 0.0


def _degree(deg: Any, where: str) -> int:
    try:
        degree = operator.index(deg)
    except TypeError:
        raise type_error(where, f"deg is {deg!r}", "deg must be an integer") from None
    if degree < 0:
        raise value_error(where, f"deg is {deg}", "deg must not be negative")
    return degree


def _degrees(deg: Any, where: str) -> tuple[list[int], list[int] | None]:
    """The degrees of a fit, and these in order where they were named one by one."""
    named = numpy.asarray(_plain(deg))
    if named.ndim > 1 or named.dtype.kind not in "iu" or named.size == 0:
        raise type_error(
            where, f"deg is {deg!r}", "deg must be an integer or a sequence of integers"
        )
    if named.min() < 0:
        raise value_error(where, f"deg is {deg}", "degrees must not be negative")
    if named.ndim == 0:
        return [int(named)], None
    order = sorted(named.tolist())
    return order, order


def require_points(points: Array, values: Array, where: str) -> None:
    """Refuse points of a fit that are not a vector, or values that are not as many."""
    if points.ndim != 1 or points.size == 0:
        raise type_error(where, f"x has shape {points.shape}", "x must be a vector with elements")
    if values.ndim not in (1, 2) or values.shape[0] != points.shape[0]:
        fault = f"x has shape {points.shape} and y {values.shape}"
        accepted = "y must have a row for each element of x, and one or two dimensions"
        raise type_error(where, fault, accepted)


def cutoff_of(rcond: float | None, points: Array) -> float:
    """The singular values that a fit takes as zero, relative to the largest."""
    if rcond is not None:
        return rcond
    return points.shape[0] * float(numpy.finfo(points._view.dtype.numpy).eps)


def scaled_fit(
    matrix: Array, points: Array, values: Array, w: Any, rcond: float | None, where: str
) -> solving.LstsqResult:
    """The least squares of columns that are scaled to length 1 first."""
    if w is not None:
        weights = _weights(w, points, where)
        values = values * (weights if values.ndim == 1 else weights[:, None])
    columns, scale = scaled(matrix, points, w, where)
    solved = solving.lstsq(columns, values, cutoff_of(rcond, points))
    found = solved.x / (scale if values.ndim == 1 else scale[:, None])
    return solved._replace(x=found)


def scaled(matrix: Array, points: Array, w: Any, where: str) -> tuple[Array, Array]:
    """The columns of a fit, weighted and scaled to length 1, and their lengths before."""
    if w is not None:
        matrix = matrix * _weights(w, points, where)[:, None]
    size = elementwise.abs(matrix)
    scale = elementwise.sqrt(reductions.sum(size * size, axis=0))
    scale = searching.where(scale == 0, 1, scale)
    return matrix / scale, scale


def _weights(w: Any, points: Array, where: str) -> Array:
    """The weights of a fit, one for each point."""
    weights = as_array(w, where, "w", device=points.device)
    if weights.shape != points.shape:
        fault = f"w has shape {weights.shape}"
        raise type_error(where, fault, f"w must have shape {points.shape}")
    return weights


def value_from_roots(x: ArrayLike, r: ArrayLike, tensor: bool = True) -> Array:
    """Evaluate polynomials given by their roots: the products of x - r.

    r : Array, shape (N, *S) -- The roots; S is the shape of an array of polynomials.
    tensor : bool, optional
        Whether each polynomial is evaluated at each point; else S and (...) broadcast.

    -> Array, shape (*S, ...); without `tensor`, what S and (...) broadcast to

    ValueError -- If `tensor` is false and r has no more axes than x.

    >>> xarr.polynomial.polynomial.polyvalfromroots(xarr.asarray([0.0, 3.0]), [1.0, 2.0]).tolist()
    [2.0, 2.0]
    """
    where = "polyvalfromroots(x, r)"
    points = array_of(x, where)
    roots = _floating(as_array(r, where, "r", device=points.device))
    if roots.ndim == 0:
        roots = roots.reshape((1,))
    if tensor:
        roots = roots.reshape((*roots.shape, *(1,) * points.ndim))
    elif points.ndim >= roots.ndim:
        fault = f"x has {points.ndim} dimensions and r {roots.ndim}"
        raise value_error(where, fault, "r must have more dimensions than x without tensor")
    return reductions.prod(points - roots, axis=0)


def mapped(x: Any, offset: Any, scale: Any) -> Any:
    """The linear map of points from a domain to a window."""
    points = array_of(x, "mapdomain(x, old, new)")
    first, second = (
        one.item() if isinstance(one, numpy.generic) else one for one in (offset, scale)
    )
    return first + second * points


power: Final = Basis("poly", lambda k: (1, 0, 0))
chebyshev: Final = Basis("cheb", lambda k: (2, 0, 1) if k else (1, 0, 0))
legendre: Final = Basis("leg", lambda k: ((2 * k + 1) / (k + 1), 0, k / (k + 1)))
hermite: Final = Basis("herm", lambda k: (2, 0, 2 * k))
hermite_e: Final = Basis("herme", lambda k: (1, 0, k))
laguerre: Final = Basis("lag", lambda k: (-1 / (k + 1), (2 * k + 1) / (k + 1), k / (k + 1)))


def chebweight(x: ArrayLike) -> Array:
    """Compute the weight 1 / sqrt(1 - x^2) of the Chebyshev polynomials."""
    points = array_of(x, "chebweight(x)")
    return 1.0 / (elementwise.sqrt(1.0 + points) * elementwise.sqrt(1.0 - points))


def legweight(x: ArrayLike) -> Array:
    """Compute the weight 1 of the Legendre polynomials."""
    return array_of(x, "legweight(x)") * 0.0 + 1.0


def hermweight(x: ArrayLike) -> Array:
    """Compute the weight exp(-x^2) of the physicists' Hermite polynomials."""
    points = array_of(x, "hermweight(x)")
    return elementwise.exp(-(points * points))


def hermeweight(x: ArrayLike) -> Array:
    """Compute the weight exp(-x^2 / 2) of the probabilists' Hermite polynomials."""
    points = array_of(x, "hermeweight(x)")
    return elementwise.exp(-0.5 * (points * points))


def lagweight(x: ArrayLike) -> Array:
    """Compute the weight exp(-x) of the Laguerre polynomials."""
    return elementwise.exp(-array_of(x, "lagweight(x)"))


def chebinterpolate(func: Callable[..., Any], deg: int, args: Any = ()) -> Array:
    """Compute the series that equals a function at the Chebyshev points.

    func : function -- Called with an Array of deg + 1 points between -1 and 1, and with `args`.
    deg : int -- The degree of the series.
    args : tuple -- The further arguments of `func`.

    -> Array, shape (deg + 1,)

    >>> xarr.polynomial.chebyshev.chebinterpolate(lambda x: 1 + 2 * x, 1).round(6).tolist()
    [1.0, 2.0]
    """
    device = get_device()
    where = "chebinterpolate(func)"

    def called(points: Any, *rest: Any) -> Any:
        return host_of(array_of(func(given_back(points, device), *rest), where), where)

    result: Array = given_back(theirs.chebinterpolate(called, deg, args), device)
    return result
