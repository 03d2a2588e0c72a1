"""Interpolation, derivatives, integrals, convolution and windows of sampled functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy

from xarr import dtypes, layout
from xarr.array.array import Array, ArrayLike
from xarr.array.cached_calls import cached_call
from xarr.array.coerce import as_array, stored_number, together
from xarr.array.layouts import settled
from xarr.backends.device import default_float, require_together
from xarr.dtypes import BOOL, COMPLEX
from xarr.errors import type_error, value_error
from xarr.functions.calls.row_calls import reduced
from xarr.functions.create import creation, fills, ranges
from xarr.functions.elementwise import arithmetic, elementwise, float_functions
from xarr.functions.index import searching
from xarr.functions.reduce import reductions
from xarr.functions.reduce.comparing import device_of
from xarr.functions.shape import joining, manipulation
from xarr.functions.shape.joining import Assembly, made_by_parts, taken_from
from xarr.functions.sort.sorting import argsort, searchsorted
from xarr.ir.views import View, constant, storage_view
from xarr.layout import Layout
from xarr.ops import elementwise as rows, reductions as folds
from xarr.ops.rows import choose
from xarr.tape import builder


def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: complex | ArrayLike | None = None,
    right: complex | ArrayLike | None = None,
    period: float | None = None,
) -> Array:
    """Interpolate linearly at x between the points (xp, fp).

    x : real Array, shape (...) -- The coordinates to evaluate at.
    xp : real Array, shape (N,) -- The coordinates of the points; ascending if `period` is None.
    fp : Array, shape (N,) -- The values of the points.
    left, right : number, optional
        The values below xp[0] and above xp[-1]; by default fp[0] and fp[-1].
    period : float, optional -- The period of the coordinates; left and right are then ignored.

    -> Array, shape (...) -- float64, or complex128 if fp is complex; NaN where x is NaN.

    ValueError -- If there are no points, the lengths of xp and fp differ, or `period` is 0.

    >>> xarr.interp([1.5, 9], xarr.asarray([1.0, 2.0]), xarr.asarray([10.0, 20.0])).tolist()
    [15.0, 20.0]
    """
    return _interpolated(stored_number(x, xp), xp, fp, left, right, period)


@cached_call
def _interpolated(
    x: ArrayLike, xp: ArrayLike, fp: ArrayLike, left: Any, right: Any, period: float | None
) -> Array:
    where = "interp(x, xp, fp)"
    device = device_of(x, xp, fp)
    points = as_array(xp, where, "xp", device=device)
    values = as_array(fp, where, "fp", device=device)
    at = as_array(x, where, "x", device=points.device)
    for other in (at, values):
        require_together(other.device, points.device, where)
    if points.ndim != 1 or values.ndim != 1:
        fault = f"xp has shape {points.shape} and fp {values.shape}"
        raise value_error(where, fault, "both must be vectors")
    if points.shape != values.shape or not points.size:
        fault = f"xp has {points.size} elements and fp {values.size}"
        raise value_error(where, fault, "both must have as many, one or more")
    row = default_float(points.device)
    for name, array in (("x", at), ("xp", points)):
        if array._view.dtype.kind == COMPLEX:
            raise type_error(where, f"{name} has dtype {array.dtype}", f"{name} must be real")
    at, points = [Array(builder.converted(array._view, row)) for array in (at, points)]
    if period is not None:
        if period == 0:
            raise value_error(where, "period is 0", "period must not be 0")
        left = right = None
        period = abs(period)
        at, points = at % period, points % period
        order = argsort(points)
        points, values = searching.take(points, order), searching.take(values, order)
        points = joining.concat((points[-1:] - period, points, points[:1] + period))
        values = joining.concat((values[-1:], values, values[:1]))
    if values._view.dtype.kind != COMPLEX:
        for name, bound in (("left", left), ("right", right)):
            if isinstance(bound, complex | numpy.complexfloating):
                raise type_error(
                    where, f"{name} is {bound!r}", f"{name} must be a real number, as fp is real"
                )
        values = Array(builder.converted(values._view, row))

    def part(first: int, last: int) -> Array:
        some = at if last - first == at.size else at.reshape(-1)[first:last]
        return _at_points(some, points, values, left, right)

    found = made_by_parts(at.size, values.itemsize, part)
    return found if found.shape == at.shape else found.reshape(at.shape)


def _at_points(x: Array, points: Array, values: Array, left: Any, right: Any) -> Array:
    """The values at x, real or complex."""
    index = searchsorted(points, x, side="right") - 1
    if values._view.dtype.kind != COMPLEX:
        return _polygon(x, points, values, index, left, right)
    bounds = [None if bound is None else complex(bound) for bound in (left, right)]
    real, imag = (
        _polygon(
            x,
            points,
            getattr(values, part).astype(x.dtype),
            index,
            *(None if bound is None else getattr(bound, part) for bound in bounds),
        )
        for part in ("real", "imag")
    )
    return arithmetic.of_parts(real, imag)


def _ends(points: Array) -> tuple[Array, Array]:
    """Return the first and the last element as views: `points[0]` would read it on the host."""
    return points[:1].reshape(()), points[-1:].reshape(())


def _polygon(x: Array, points: Array, values: Array, index: Array, left: Any, right: Any) -> Array:
    """The polygon's value at x, after the point that `index` names; one expression."""
    last = points.size - 1
    here = elementwise.maximum(index, 0)
    after = elementwise.minimum(here + 1, last)
    x0, y0 = taken_from(points, here), taken_from(values, here)
    x1, y1 = taken_from(points, after), taken_from(values, after)
    is_last = index == last
    width = searching.where(is_last, 1.0, x1 - x0)  # else 0 / 0, and so its derivative NaN
    slope = (y1 - y0) / width
    line = slope * (x - x0) + y0
    line = searching.where(line == line, line, slope * (x - x1) + y1)
    line = searching.where((line != line) & (y0 == y1), y0, line)
    line = searching.where(is_last | (x0 == x), y0, line)
    (low, high), (least, most) = [_ends(part) for part in (points, values)]
    line = searching.where(x < low, least if left is None else left, line)
    line = searching.where(x > high, most if right is None else right, line)
    if last:  # as in NumPy, one point has its value for NaN as well
        line = searching.where(x == x, line, x)
    return Array(builder.converted(line._view, values._view.dtype))


@cached_call
def gradient(
    f: ArrayLike, *varargs: Any, axis: Any = None, edge_order: int = 1
) -> Array | tuple[Array, ...]:
    """Compute the gradient, by central differences inside and one-sided differences at the edges.

    f : Array, shape (...) -- The samples.
    *varargs : number or Array of shape (N,)
        One spacing for all axes; or, for each axis, its spacing or the coordinates. Waits for the
        device to see whether the coordinates in an Array are evenly spaced.
    axis : int or tuple of int, optional -- The axes along which to differentiate; None for all.
    edge_order : 1 or 2 -- The order of the differences at the edges.

    -> Array, shape (...), or tuple of one for each axis
        Of the dtype of f; floating-point for integers.

    ValueError -- If `edge_order` is neither 1 nor 2, an axis is named twice or has fewer than
        edge_order + 1 elements, or coordinates are not a vector with one for each element.
    TypeError -- If f or coordinates cannot be converted to an array, f is bool, or there are
        neither one spacing nor one for each axis.

    >>> xarr.gradient(xarr.asarray([1.0, 4.0, 9.0, 16.0])).tolist()
    [3.0, 4.0, 6.0, 7.0]
    """
    where = "gradient(f, *varargs)"
    x = as_array(f, where, "f", device=device_of(f, *varargs))
    axes = layout.normalize_axes(axis, x.ndim, where)
    if isinstance(axis, tuple | list):  # in the order that they are given
        axes = tuple(layout.normalize_axis(place, x.ndim, where) for place in axis)
    steps = _spacings(x, axes, varargs, where)
    if edge_order > 2:
        raise value_error(where, f"edge_order is {edge_order}", "edge_order must be 1 or 2")
    if x._view.dtype.kind == dtypes.BOOL:
        fault = "f has dtype bool"
        raise type_error(where, fault, "f must be numeric", 'write f.astype("int8")')
    if x._view.dtype.kind not in dtypes.FLOATING:
        x = x.astype(default_float(x.device).numpy)
    results = []
    for place, step in zip(axes, steps, strict=True):
        if x.shape[place] < edge_order + 1:
            fault = f"axis {place} has {x.shape[place]} elements"
            accepted = f"it must have {edge_order + 1} with edge_order {edge_order}"
            raise value_error(where, fault, accepted)
        results.append(_derivative(x, place, step, edge_order))
    return results[0] if len(results) == 1 else tuple(results)


def _spacings(x: Array, axes: Sequence[int], given: tuple[Any, ...], where: str) -> list[Any]:
    """For each axis the distance of the samples, or an Array of all distances."""
    if not given:
        return [1.0] * len(axes)
    if len(given) == 1 and numpy.ndim(given[0]) == 0:
        return [given[0]] * len(axes)
    if len(given) != len(axes):
        fault = f"there are {len(given)} spacings and {len(axes)} axes"
        raise type_error(where, fault, "there must be one spacing for all axes, or one for each")
    return [_spacing(x, place, step, where) for place, step in zip(axes, given, strict=True)]


def _spacing(x: Array, place: int, step: Any, where: str) -> Any:
    if numpy.ndim(step) == 0:
        return step
    points = as_array(step, where, "the coordinates", device=x.device)
    if points.ndim != 1 or points.size != x.shape[place]:
        fault = f"the coordinates of axis {place} have shape {points.shape}"
        accepted = f"distances must be either scalars or 1d, with {x.shape[place]} elements"
        raise value_error(where, fault, accepted)
    if points._view.dtype.kind not in dtypes.FLOATING:
        points = points.astype(default_float(x.device).numpy)
    distances = points[1:] - points[:-1]
    if not distances.size:
        return 1.0
    return distances[0] if bool(reductions.all(distances == distances[0])) else distances


def _derivative(x: Array, place: int, step: Any, edge_order: int) -> Array:
    """The derivative along one axis; a launch for the inside and one for each edge."""

    def part(*bounds: int | None) -> tuple[slice, ...]:
        return (*(slice(None),) * place, slice(*bounds))

    def line(number: int) -> tuple[slice, ...]:
        return part(number, number + 1 or None)

    out = fills.empty(x.shape, dtype=x.dtype, device=x.device)
    inside, before, after = part(1, -1), part(None, -2), part(2, None)
    even = numpy.ndim(step) == 0
    if even:
        out[inside] = (x[after] - x[before]) / (2.0 * step)
    else:
        shape = tuple(-1 if axis == place else 1 for axis in range(x.ndim))
        first, second = (d.reshape(shape) for d in (step[:-1], step[1:]))
        both = first + second
        out[inside] = (
            -second / (first * both) * x[before]
            + (second - first) / (first * second) * x[inside]
            + first / (second * both) * x[after]
        )
    start, end = (step, step) if even else (step[0], step[-1])
    if edge_order == 1:
        out[line(0)] = (x[line(1)] - x[line(0)]) / start
        out[line(-1)] = (x[line(-1)] - x[line(-2)]) / end
        return out
    for lines, near, sign, far in (((0, 1, 2), start, 1.0, 1), ((-1, -2, -3), end, -1.0, -2)):
        if even:
            weights = [-1.5 / step, 2.0 / step, -0.5 / step]
        else:
            further = step[far]
            both = near + further
            weights = [
                -(2.0 * near + further) / (near * both),
                both / (near * further),
                -near / (further * both),
            ]
        places = [x[line(number)] for number in lines]
        out[line(lines[0])] = sign * (
            weights[0] * places[0] + weights[1] * places[1] + weights[2] * places[2]
        )
    return out


@cached_call
def trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: SupportsIndex = -1
) -> Array:
    """Integrate along an axis by the trapezoidal rule.

    y : Array, shape (..., N, ...) -- The samples.
    x : Array, shape (N,) or the shape of y, optional -- The coordinates of the samples.
    dx : float, optional -- The spacing of the samples, if x is None.

    -> floating-point Array, shape of y without the axis

    >>> float(xarr.trapezoid(xarr.asarray([1.0, 2.0, 3.0]), dx=2))
    8.0
    """
    where = "trapezoid(y, x)"
    values = as_array(y, where, "y", device=device_of(y, x, dx))
    place = layout.normalize_axis(axis, values.ndim, where)
    step: Any = dx
    if x is not None:
        points = as_array(x, where, "x", device=values.device)
        if points.ndim == 1:
            step = joining.diff(points)
            step = step.reshape(tuple(-1 if i == place else 1 for i in range(values.ndim)))
        else:
            step = joining.diff(points, axis=place - values.ndim)
    whole: tuple[slice, ...] = (slice(None),) * place
    later, earlier = values[(*whole, slice(1, None))], values[(*whole, slice(None, -1))]
    layout.broadcast_shapes(getattr(step, "shape", ()), later.shape, where=where)
    result: Array = reductions.sum(step * (later + earlier) / 2.0, axis=place)
    return result


@cached_call
def convolve(a: ArrayLike, v: ArrayLike, mode: str | int = "full") -> Array:
    """Convolve two vectors: result[n] is the sum over m of a[m] * v[n - m].

    a, v : numeric Array, shapes (N,) and (M,) -- The vectors.
    mode : {"full", "same", "valid"}, optional -- "full": all N + M - 1 sums. "same": the max(N, M)
        in the middle. "valid": those where the vectors overlap fully. Also 2, 1 and 0.

    -> Array, shape (N + M - 1,) in mode "full", of the data type that a and v promote to

    ValueError -- If a or v is not a vector, or is empty, or `mode` is unknown.

    Note: Computes N * M products, in order; for two long vectors a product of `xarr.fft` transforms
    takes less time, and rounds differently.
    """
    first, second = _vectors(a, v, "convolve(a, v)")
    if second.size > first.size:
        first, second = second, first
    return _correlated(first, manipulation.flip(second), mode, "convolve(a, v, mode)")


@cached_call
def correlate(a: ArrayLike, v: ArrayLike, mode: str | int = "valid") -> Array:
    """Correlate two vectors: result[k] is the sum over n of a[n + k] * conj(v[n]).

    a, v : numeric Array, shapes (N,) and (M,) -- The vectors.
    mode : {"valid", "same", "full"}, optional -- "valid": the sums where the vectors overlap fully.
        "same": the max(N, M) in the middle. "full": all N + M - 1. Also 0, 1 and 2.

    -> Array, shape (abs(N - M) + 1,) in mode "valid", of the data type that a and v promote to

    ValueError -- If a or v is not a vector, or is empty, or `mode` is unknown.
    """
    where = "correlate(a, v, mode)"
    first, second = _vectors(a, v, "correlate(a, v)")
    if second._view.dtype.kind == COMPLEX:
        second = Array(rows.conj.applied(second._view))
    if second.size <= first.size:
        return _correlated(first, second, mode, where)
    # The sums of the shorter vector along the longer one, in the other order.
    return manipulation.flip(_correlated(second, first, mode, where)).copy()


def _vectors(a: Any, v: Any, where: str) -> tuple[Array, Array]:
    """Two operands as vectors of the data type that they promote to."""
    device = device_of(a, v)
    pair = [as_array(part, where, name, device=device) for name, part in (("a", a), ("v", v))]
    for name, part in zip(("a", "v"), pair, strict=True):
        if part.ndim > 1 or not part.size:
            fault = f"{name} has shape {part.shape}"
            raise value_error(where, fault, f"{name} must be a vector of elements")
    lines = [part.reshape(-1) for part in pair]
    first, second = together(lines[0], lines[1], where, ("a", "v"))
    return Array(first), Array(second)


def _correlated(a: Array, v: Array, mode: str | int, where: str) -> Array:
    """The sums of a, shape (N,), times v, shape (M <= N,), as v moves along it."""
    count = v.size
    around = {"full": (count - 1, count - 1), "same": (count // 2, (count - 1) // 2)}
    around["valid"] = (0, 0)
    if mode is None:
        raise type_error(where, "mode is None", "mode must be a str")
    if isinstance(mode, int) and 0 <= mode < 3:
        mode = ("valid", "same", "full")[mode]
    if mode not in around:
        raise value_error(where, f"mode is {mode!r}", "mode must be 'full', 'same' or 'valid'")
    before, after = around[mode]
    size = before + a.size + after - count + 1

    def part(first: int, last: int) -> Array:
        begin, end = first - before, last - before + count - 1  # of what the windows reach
        beyond = max(-begin, 0), max(end - a.size, 0)
        begin, end = max(begin, 0), min(end, a.size)
        return _sums(a if end - begin == a.size else a[begin:end], v, beyond, where)

    return made_by_parts(size, a.itemsize, part)


def _sums(a: Array, v: Array, beyond: tuple[int, int], where: str) -> Array:
    """The sums of v times each window of a, which reaches so far beyond its two borders."""
    count = v.size
    truths = a._view.dtype.kind == BOOL
    column = builder.reshaped(v._view, (count, 1))
    multiply = rows.logical_and if truths else rows.multiply
    products = multiply.combined(_windows(_padded(a, *beyond), count), column, where)
    if any(beyond):
        # What lies beyond a takes no part, were it only that 0 times infinity is NaN.
        inside = _padded(Array(constant(True, dtypes.bool_, a.shape, a.device)), *beyond)
        products = choose(_windows(inside, count), products, _zero(products))
    if truths:
        return reduced(folds.any, products, 0, where=where)
    return reduced(folds.sum, products, 0, dtype=products.dtype.numpy, where=where)


def _windows(a: Array, count: int) -> View:
    """View a vector's windows, shape (count, their number), which share its memory."""
    where = settled(a)
    (step,) = where.strides
    shape = (count, a.size - count + 1)
    storage = a._view.storage
    assert storage is not None
    return storage_view(storage, Layout(shape, (step, step), where.offset), a._view.dtype)


def _padded(a: Array, before: int, after: int) -> Array:
    """A vector with zeros around it."""
    if not before and not after:
        return a
    view, size = a._view, a.size
    whole = Assembly((before + size + after,), view.dtype, view.device)
    for begin, length in ((0, before), (before + size, after)):
        if length:
            whole.put([begin], (length,), _zero(view))
    whole.put([before], (size,), view)
    return whole.array()


def _zero(view: View) -> View:
    """Zero, of the type of a view."""
    return constant(view.dtype.numpy.type(0).item(), view.dtype, (), view.device)


def bartlett(M: float) -> Array:  # noqa: N803 - NumPy's name
    """Return the Bartlett window: a triangle.

    -> Array of the default floating-point data type, shape (M,)
    """
    n = _points(M, "bartlett(M)")
    if n.size < 2:
        return n + 1.0
    return searching.where(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1))


def hanning(M: float) -> Array:  # noqa: N803 - NumPy's name
    """Return the Hann window: one period of a raised cosine, from 0 to 1 and back.

    -> Array of the default floating-point data type, shape (M,)
    """
    return _cosines(M, "hanning(M)", 0.5, 0.5)


def hamming(M: float) -> Array:  # noqa: N803 - NumPy's name
    """Return the Hamming window: a raised cosine, from 0.08 to 1 and back.

    -> Array of the default floating-point data type, shape (M,)
    """
    return _cosines(M, "hamming(M)", 0.54, 0.46)


def blackman(M: float) -> Array:  # noqa: N803 - NumPy's name
    """Return the Blackman window: a sum of three cosine terms.

    -> Array of the default floating-point data type, shape (M,)
    """
    return _cosines(M, "blackman(M)", 0.42, 0.5, 0.08)


def kaiser(M: float, beta: float) -> Array:  # noqa: N803 - NumPy's name
    """Return the Kaiser window, which uses Bessel functions: from 1 / i0(beta) to 1 and back.

    beta : float -- The shape: 0 is a rectangle, 5 is similar to `hamming`, 14 a narrow peak.

    -> Array of the default floating-point data type, shape (M,)

    >>> print(xarr.kaiser(5, 5.0).round(3))
    [0.037 0.553 1.    0.553 0.037]
    """
    where = "kaiser(M, beta)"
    shape = float(creation.number(beta, where, "beta"))
    count = creation.number(M, where, "M")
    if count <= 1:
        return _points(count, where) + 1.0
    half = (count - 1) / 2.0
    share = (ranges.arange(0.0, count) - half) / half
    return float_functions.i0(shape * elementwise.sqrt(1 - share * share)) / float_functions.i0(
        shape
    )


def _points(M: float, where: str) -> Array:  # noqa: N803 - NumPy's name
    """The odd or even integers from 1 - M to M - 1; 0 alone for one point."""
    count = creation.number(M, where, "M")
    if count < 1:
        return fills.zeros(0)
    if count == 1:
        return fills.zeros(1)
    return ranges.arange(1.0 - count, count, 2.0)


def _cosines(M: float, where: str, *terms: float) -> Array:  # noqa: N803 - NumPy's name
    """The sum of cosines of 0, 1, 2 half periods over M points."""
    n = _points(M, where)
    if n.size < 2:
        return n + 1.0
    result = terms[0] + terms[1] * elementwise.cos(math.pi * n / (M - 1))
    if len(terms) == 2:
        return result
    return result + terms[2] * elementwise.cos(2.0 * math.pi * n / (M - 1))
