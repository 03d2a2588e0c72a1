"""Counts of integers, and histograms: which bin elements are in, and how many are there."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy

from xarr import dtypes
from xarr.array.array import Array, ArrayLike
from xarr.array.cached_calls import by_numpy
from xarr.array.coerce import as_array
from xarr.array.transfers import Host, openly, to_host
from xarr.backends.device import Device, default_float, require_together
from xarr.dtypes import BOOL, COMPLEX, INTEGER, DType, complex_of
from xarr.errors import difference, message, refused, type_error, value_error
from xarr.functions.calls.on_host import host_of
from xarr.functions.create import creation
from xarr.functions.index import searching
from xarr.functions.reduce import reductions
from xarr.functions.reduce.comparing import device_of
from xarr.functions.shape.joining import stack, taken_from
from xarr.functions.sort.sorting import searchsorted
from xarr.functions.statistics import order_statistics
from xarr.ir.operation import Operation, interned
from xarr.ir.views import View, constant
from xarr.layout import integer, require_possible
from xarr.lowering.histogram import RUN
from xarr.ops import histogram as histograms
from xarr.tape import builder

_Limits = tuple[Any, Any]


def _of_few(x: Host, weights: Any = None, minlength: int = 0) -> Any:
    """Let NumPy count, and sum weights, which it does in the order of one piece."""
    if weights is not None and len(x) > RUN:
        raise NotImplementedError
    return numpy.bincount(x, weights, minlength)


@by_numpy(_of_few, 2)
def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: int = 0) -> Array:
    """Count how often each integer from 0 on occurs.

    Waits for the device, since the shape depends on the values. Weights are summed in the same
    order on all devices.

    x : integer or bool Array, shape (N,) -- The numbers, none negative.
    weights : Array, shape (N,), optional -- The weight of each number; None for 1.
    minlength : int, optional -- The least length of the result.

    -> int64 Array, shape (max(largest + 1, minlength),)
        The counts; with `weights`, the sums of the weights, float64.

    ValueError -- If x is not a vector or has negative numbers, if `weights` has another
        shape, or if `minlength` is negative.
    OverflowError -- If `minlength` is no int64.
    MemoryError -- If the result does not fit into the device's memory.

    >>> xarr.bincount(xarr.asarray([3, 1, 1])).tolist()
    [0, 2, 0, 1]
    """
    where = "bincount(x, weights, minlength)"
    values = as_array(x, where, "x", device=device_of(x, weights))
    view = values._view
    if isinstance(x, list | tuple) and not values.size:
        view = builder.converted(view, dtypes.int64)
    if len(view.shape) != 1:
        raise value_error(where, f"x has shape {view.shape}", "x must be a vector")
    if view.dtype.kind not in (BOOL, *INTEGER):
        remedy = 'convert with x.astype("int64")'
        raise type_error(where, f"x has dtype {view.dtype}", "x must hold integers", remedy)
    least = integer(minlength, where, "minlength")
    if not -(1 << 63) <= least < 1 << 63:
        raise refused(OverflowError, where, f"minlength is {least}", "it must be an int64")
    if least < 0:
        raise value_error(where, f"minlength is {least}", "it must be 0 or more")
    number = least
    if values.size:
        smallest, largest = map(int, _extremes(values))
        if smallest < 0 or largest >= 1 << 63:
            raise value_error(where, "x has a negative number", "numbers must not be negative")
        number = max(least, largest + 1)
    if number >> 60:  # their bytes are not counted in 64 bits
        accepted = f"they must fit into the {view.device.info.memory_nbytes} bytes of the device"
        fault = f"there are {number} bins"
        raise MemoryError(message(where, fault, accepted, "work in smaller pieces"))
    if weights is None:
        return Array(histograms.counts(view, number))
    weighed = as_array(weights, where, "weights", device=values.device)
    require_together(weighed.device, values.device, where)
    if weighed.shape != values.shape:
        fault = f"weights have shape {weighed.shape} and x {values.shape}"
        raise value_error(where, fault, "there must be a weight for each element of x")
    if weighed._view.dtype.kind == COMPLEX:
        raise type_error(where, f"weights have dtype {weighed.dtype}", "weights must be real")
    if not values.size:  # as in NumPy not floating-point
        return Array(histograms.counts(view, number))
    return _sums(view, weighed, number, inside=True)


def _sums(bins: View, weights: Array, number: int, *, inside: bool = False) -> Array:
    """The sums of weights by bin, in the default floating-point type, or complex numbers of it."""
    flat = builder.reshaped(bins, (math.prod(bins.shape),))
    row = default_float(weights.device)
    row = complex_of(row) if weights._view.dtype.kind == COMPLEX else row
    weighed = builder.converted(weights.reshape(-1)._view, row)
    found = Array(histograms.sums(flat, weighed, number, inside=inside))
    return found + 0.0  # the sum of nothing is -0.0


def _host(x: Array) -> Host:
    """Read a result on which further work depends; like the count of a mask no hidden transfer."""
    with openly():
        return to_host(x._view)


def _extremes(x: Array) -> Host:
    """Read the smallest and the largest element."""
    return _host(stack((reductions.min(x), reductions.max(x))))


def histogram(
    a: ArrayLike,
    bins: int | str | ArrayLike = 10,
    range: _Limits | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """Count the elements in each of adjacent bins.

    Without `range` or edges it waits for the device, to find the smallest and largest element.

    bins : int, str, or Array of shape (N + 1,)
        The number of equally wide bins; or a rule for it, such as "auto"; or the edges of the bins.
    range : (float, float), optional
        The outer edges; by default the smallest and the largest element of a.

    -> (Array, Array), shapes (N,) and (N + 1,) -- The counts, int64 or of the dtype of the weights;
        and the edges. The last bin includes its right edge, the others only the left one.

    ValueError -- If the edges do not ascend or are not finite, there is no bin, or the weights have
        another shape.

    >>> counts, edges = xarr.histogram(xarr.asarray([0.0, 1.0, 1.5, 4.0]), bins=2)
    >>> counts.tolist(), edges.tolist()
    ([3, 1], [0.0, 2.0, 4.0])
    """
    where = "histogram(a, bins)"
    x, weighed = _operands(a, weights, bins, where)
    edges, limits = _edges(x, bins, range, weighed, where)
    number = max(len(edges) - 1, 0)
    result = _upload(edges, x.device)
    binned = _equal_bins(x, *limits, number, result) if limits else _bins(x, edges, result)
    counts = _count(binned._view, weighed, number)
    if density:
        widths = _upload(numpy.diff(edges).astype(float), x.device)
        if counts._view.dtype.kind not in dtypes.FLOATING:
            counts = counts.astype(widths.dtype)
        counts = counts / widths / reductions.sum(counts)
    return counts, result


def histogram_bin_edges(
    a: ArrayLike,
    bins: int | str | ArrayLike = 10,
    range: _Limits | None = None,
    weights: ArrayLike | None = None,
) -> Array:
    """Compute the edges of the bins that `histogram` uses.

    bins : int, str, or Array of shape (N + 1,)
        The number of equally wide bins; or a rule for it, such as "auto"; or the edges of the bins.
    range : (float, float), optional
        The outer edges; by default the smallest and the largest element of a.

    -> floating-point Array, shape (N + 1,)

    ValueError -- If the number of bins is below 1, edges do not ascend, the rule is unknown,
        `range` is not finite or ends before it begins, or `weights` has another shape than a.

    >>> xarr.histogram_bin_edges(xarr.asarray([0.0, 1.0, 4.0]), bins=2).tolist()
    [0.0, 2.0, 4.0]
    """
    where = "histogram_bin_edges(a, bins)"
    x, weighed = _operands(a, weights, bins, where)
    return _upload(_edges(x, bins, range, weighed, where)[0], x.device)


def _operands(a: Any, weights: Any, bins: Any, where: str) -> tuple[Array, Array | None]:
    """The elements and their weights."""
    x = as_array(a, where, "a", device=device_of(a, weights, bins))
    if x._view.dtype.kind == COMPLEX:
        remedy = f"take a.real; {difference('np-histogram')}"
        raise type_error(where, f"a has dtype {x.dtype}", "a must be real", remedy)
    if x._view.dtype.kind == BOOL:
        text = "Converting input from bool to uint8 for compatibility."
        warnings.warn(text, RuntimeWarning, stacklevel=3)
        x = x.astype("uint8")
    if weights is None:
        return x, None
    weighed = as_array(weights, where, "weights", device=x.device)
    require_together(weighed.device, x.device, where)
    if weighed.shape != x.shape:
        fault = f"weights have shape {weighed.shape} and a {x.shape}"
        raise value_error(where, fault, "weights must have the same shape as a")
    return x, weighed


def _upload(values: Host, device: Device) -> Array:
    """A result of the host as an Array, with float32 where the device lacks float64."""
    if values.dtype == numpy.float64 and not device.info.has_float64:
        values = values.astype(numpy.float32)
    with openly():
        return creation.asarray(values, device=device)


def _edges(
    x: Array, bins: Any, limits: _Limits | None, weights: Array | None, where: str
) -> tuple[Host, _Limits | None]:
    """The edges, and the outer ones where the bins are equally wide."""
    if isinstance(bins, str):
        if bins not in WIDTHS:
            raise value_error(
                where, f"bins is {bins!r}", "bins must be one of " + ", ".join(WIDTHS)
            )
        if weights is not None:
            fault = f"bins is {bins!r} and there are weights"
            raise type_error(where, fault, "weights must be None, as the rules are for counts")
        outer = _outer(x, limits, where)
        return _between(x, outer, _number_of_bins(x, bins, limits, outer), where), outer
    if numpy.ndim(bins) == 0:
        try:
            number = operator.index(bins)
        except TypeError:
            fault = f"bins is {bins!r}"
            raise type_error(where, fault, "bins must be an integer, a rule or edges") from None
        if number < 1:
            raise value_error(where, f"bins is {number}", "bins must be 1 or more")
        outer = _outer(x, limits, where)
        return _between(x, outer, number, where), outer
    return _users_edges(bins, where, "bins"), None


def _users_edges(bins: Any, where: str, name: str) -> Host:
    """Edges that the user gives, in order."""
    edges = host_of(bins, where) if type(bins) is Array else _host(as_array(bins, where, name))
    if edges.ndim != 1:
        raise value_error(where, f"{name} has {edges.ndim} dimensions", "edges must be 1d")
    if (edges[:-1] > edges[1:]).any():
        raise value_error(where, f"{name} do not ascend", "edges must ascend")
    return edges


def _outer(x: Array, limits: _Limits | None, where: str) -> _Limits:
    """The outer edges: those given, or the smallest and the largest element."""
    if limits is not None:
        try:
            first, last = limits = tuple(limits)
        except (TypeError, ValueError) as error:
            fault = f"range is {limits!r}"
            raise refused(type(error), where, fault, "range must be two numbers") from None
        first, last = (host_of(edge, where)[()] if type(edge) is Array else edge for edge in limits)
        given = "range"
        if first > last:
            raise value_error(where, f"range is {first} to {last}", "max must be larger than min")
    elif not x.size:
        first, last, given = 0, 1, ""
    else:
        (first, last), given = _extremes(x), "the range of a"
    if not (numpy.isfinite(first) and numpy.isfinite(last)):
        raise value_error(where, f"{given} is {first} to {last}", "edges must be finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def _between(x: Array, outer: _Limits, number: int, where: str) -> Host:
    """Edges of bins of one width, in the type that NumPy has them in."""
    wanted = numpy.result_type(*outer, x.dtype)
    if wanted.kind in "iu":
        wanted = numpy.result_type(wanted, float)
    edges = numpy.linspace(*outer, number + 1, dtype=wanted)
    if (edges[:-1] >= edges[1:]).any():
        fault = f"{number} bins lie between {outer[0]} and {outer[1]}"
        accepted = "Too many bins for data range, in which numbers lie further apart"
        raise value_error(where, fault, accepted)
    return edges


def _number_of_bins(x: Array, rule: str, limits: _Limits | None, outer: _Limits) -> int:
    """How many bins a rule gives."""
    if limits is not None:
        inside = (x >= outer[0]) & (x <= outer[1])
        if not bool(reductions.all(inside)):
            x = x[inside]
    if not x.size:
        return 1
    width = WIDTHS[rule](x.reshape(-1), outer, _equal_bins)
    if not width:
        return 1
    if x._view.dtype.kind in INTEGER:
        width = max(width, 1)
    return math.ceil((float(outer[1]) - float(outer[0])) / width)


def _binning(row: DType) -> tuple[Operation, Operation]:
    """The operations that guess a bin and correct the guess; `kernels/binning.h` has their C."""
    count, kind = dtypes.int64, row.compute
    guess = f"xr_bin_guess_{kind}({{0}}, {{1}}, {{2}}, {{3}})"
    settle = f"xr_bin_of_{kind}({{0}}, {{1}}, {{2}}, {{3}}, {{4}})"
    return (
        Operation("guess", (row, row, row, count), count, guess),
        Operation("bin", (row, count, row, row, count), count, settle),
    )


def _equal_bins(
    x: Array, first: Any, last: Any, number: int, borders: Array | None = None
) -> Array:
    """Which of bins of one width each element is in, -1 for none."""
    device = x.device
    if borders is None:
        borders = _upload(_between(x, (first, last), number, "histogram(a, bins)"), device)
    row = borders._view.dtype
    guess, settle = interned(_binning, row)
    view = builder.converted(x._view, row)
    ends = [constant(row.numpy.type(edge).item(), row, (), device) for edge in (first, last)]
    count = constant(number, dtypes.int64, (), device)
    guessed = Array(builder.defer(guess, (view, *ends, count), view.shape))
    low, high = taken_from(borders, guessed), taken_from(borders, guessed + 1)
    inputs = (view, guessed._view, low._view, high._view, count)
    return Array(builder.defer(settle, inputs, view.shape))


def _bins(x: Array, edges: Host, borders: Array | None = None) -> Array:
    """Between which edges each element is, an index that is no bin for none."""
    borders = _upload(edges, x.device) if borders is None else borders
    if not edges.size:
        return searchsorted(borders, x)
    found = searchsorted(borders, x, side="right") - 1
    return searching.where(x == borders[-1], edges.size - 2, found)


def _count(bins: View, weights: Array | None, number: int) -> Array:
    """The elements of each bin, or their weights."""
    if weights is None:
        return Array(histograms.counts(bins, number))
    return _sums(bins, weights, number).astype(weights.dtype)


def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: Any = 10,
    range: Sequence[_Limits | None] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[Array, Array, Array]:
    """Count the points of a plane in each bin of a grid.

    x, y : real Array, shape (N,) -- The coordinates of the points.
    bins : int, Array of edges, or pair of these
        The number of bins or their edges, for both axes or for each.
    range : pair of (float, float), optional -- The outer edges along each axis.
    weights : Array, shape (N,), optional -- The weight of each point; None for 1.

    -> (Array, Array, Array), shapes (NX, NY), (NX + 1,) and (NY + 1,)
        The counts, float64; and the edges along x and y.

    ValueError -- If a number of bins is below 1, edges do not ascend, `range` is not finite or ends
        before it begins, or x, y and `weights` differ in length.

    >>> counts, _, _ = xarr.histogram2d(xarr.asarray([0, 1, 1]), xarr.asarray([0, 1, 1]), bins=2)
    >>> counts.tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    where = "histogram2d(x, y, bins)"
    device = device_of(x, y, weights)
    first = as_array(x, where, "x", device=device)
    second = as_array(y, where, "y", device=device)
    if first.shape[:1] != second.shape[:1]:
        fault = f"x has shape {first.shape} and y {second.shape}"
        raise value_error(where, fault, "both must have as many")
    if not hasattr(bins, "__len__"):
        bins = [bins, bins]
    elif len(bins) not in (1, 2):
        edges = as_array(bins, where, "bins", device=device)
        bins = [edges, edges]
    counts, borders = _binned([first, second], bins, range, density, weights, where)
    return counts, borders[0], borders[1]


def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Sequence[_Limits | None] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[Array, tuple[Array, ...]]:
    """Count points of D dimensions in each bin of a grid.

    sample : real Array, shape (N, D), or a sequence of D Arrays, shape (N,)
        The points, or their coordinates along each axis.
    bins : int, or a sequence of D integers or Arrays of edges
        The number of bins or their edges, for all axes or for each.
    range : sequence of D (float, float) or None, optional
        The outer edges along each axis; None for the extremes of the points.
    weights : Array, shape (N,), optional -- The weight of each point; None for 1.

    -> (Array, tuple of Array)
        The counts, float64, shape (N1, N2, ...); and the edges along each axis.

    ValueError -- If a number of bins is below 1, edges do not ascend, `range` is not finite or ends
        before it begins, or coordinates and `weights` differ in length.
    TypeError -- If a number of bins is no integer.

    >>> counts, _ = xarr.histogramdd(xarr.asarray([[0.0, 0.0], [1.0, 1.0]]), bins=2)
    >>> counts.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return _binned(sample, bins, range, density, weights, "histogramdd(sample, bins)")


def _binned(
    sample: Any, bins: Any, range: Any, density: Any, weights: Any, where: str
) -> tuple[Array, tuple[Array, ...]]:
    parts = _coordinates(sample, where, device_of(sample, weights))
    axes, device = len(parts), parts[0].device
    if not hasattr(bins, "__len__"):
        bins = [bins] * axes
    limits = [None] * axes if range is None else list(range)
    for name, given in (("bins", bins), ("range", limits)):
        if len(given) != axes:
            fault = f"{name} has {len(given)} entries"
            raise value_error(where, fault, f"it must have one for each of {axes} axes")
    edges = [
        _edges_along(part, wanted, limit, where, f"bins[{axis}]")
        for axis, (part, wanted, limit) in enumerate(zip(parts, bins, limits, strict=True))
    ]
    shape = tuple(max(len(along) - 1, 0) for along in edges)
    require_possible(shape, where)
    counts = _count_points(parts, edges, shape, weights, where)
    if density:
        total = reductions.sum(counts)
        for axis, along in enumerate(edges):
            widths = _upload(numpy.diff(along), device)
            own = tuple(-1 if number == axis else 1 for number, _ in enumerate(edges))
            counts = counts / widths.reshape(own)
        counts = counts / total
    return counts, tuple(_upload(along, device) for along in edges)


def _coordinates(sample: Any, where: str, device: Device | None) -> list[Array]:
    """The coordinates of points along each axis."""
    if not isinstance(sample, list | tuple):
        points = as_array(sample, where, "sample", device=device)
        if points.ndim == 2 and points.shape[1]:
            return [points[:, axis] for axis in range(points.shape[1])]
        sample = [points]
    device = device or device_of(*sample)
    parts = [as_array(part, where, "sample", device=device) for part in sample]
    if all(part.ndim == 0 for part in parts):  # one axis
        parts = [stack(parts)]
    if any(part.ndim != 1 or part.shape != parts[0].shape for part in parts):
        fault = f"sample has shapes {', '.join(str(part.shape) for part in parts)}"
        raise value_error(where, fault, "sample must be vectors of one length, or a matrix")
    return parts


def _edges_along(x: Array, bins: Any, limits: _Limits | None, where: str, name: str) -> Host:
    """The edges along one axis of a grid."""
    if numpy.ndim(bins) != 0:
        return _users_edges(bins, where, name)
    if bins < 1:
        raise value_error(where, f"{name} is {bins}", f"{name} must be 1 or more")
    outer = _outer(x, limits, where)
    try:
        number = operator.index(bins)
    except TypeError:
        raise type_error(
            where, f"{name} is {bins!r}", f"{name} must be an integer or edges"
        ) from None
    return numpy.asarray(numpy.linspace(*outer, number + 1))


def _count_points(
    parts: list[Array], edges: list[Host], shape: tuple[int, ...], weights: Any, where: str
) -> Array:
    """The points in each bin of a grid, floating-point."""
    device = parts[0].device
    flat: Any = 0
    inside: Any = None
    for part, along, extent in zip(parts, edges, shape, strict=True):
        found = _bins(part, along)
        here = (found >= 0) & (found < extent)
        inside = here if inside is None else inside & here
        flat = flat * extent + found
    bins = searching.where(inside, flat, -1)._view
    row = default_float(device).numpy
    number = math.prod(shape)
    if weights is None:
        return Array(histograms.counts(bins, number)).astype(row).reshape(shape)
    weighed = as_array(weights, where, "weights", device=device)
    if weighed.shape != parts[0].shape:
        fault = f"weights have shape {weighed.shape}"
        raise value_error(
            where, fault, f"they must have shape {parts[0].shape}, one for each point"
        )
    return _sums(bins, weighed, number).reshape(shape)


Scope = tuple[Any, Any]
Binning = Callable[[Array, Any, Any, int], Array]
"""Which of equally wide bins between two numbers each element is in."""


def _extent(x: Array) -> float:
    return _number(reductions.max(x)) - _number(reductions.min(x))


def _number(x: Array) -> float:
    """The value of a 0-dimensional array, which the rules are computed with on the host."""
    return float(_host(x))


def _real(x: Array) -> Array:
    return x.astype(default_float(x.device).numpy)


def _sqrt(x: Array, scope: Scope, binning: Binning) -> float:
    return _extent(x) / math.sqrt(x.size)


def _sturges(x: Array, scope: Scope, binning: Binning) -> float:
    return _extent(x) / (math.log2(x.size) + 1.0)


def _scott(x: Array, scope: Scope, binning: Binning) -> float:
    deviation = _number(reductions.std(_real(x)))
    return float((24.0 * math.pi**0.5 / x.size) ** (1.0 / 3.0) * deviation)


def _freedman_diaconis(x: Array, scope: Scope, binning: Binning) -> float:
    high, low = map(_number, order_statistics.percentile(x, [75, 25]))
    return float(2.0 * (high - low) * x.size ** (-1.0 / 3.0))


def _doane(x: Array, scope: Scope, binning: Binning) -> float:
    if x.size < 3:
        return 0.0
    spread = math.sqrt(6.0 * (x.size - 2) / ((x.size + 1.0) * (x.size + 3)))
    deviation = _number(reductions.std(_real(x)))
    if not deviation > 0.0:
        return 0.0
    centred = (_real(x) - reductions.mean(_real(x))) / deviation
    skew = _number(reductions.mean(centred * centred * centred))
    return _extent(x) / (1.0 + math.log2(x.size) + math.log2(1.0 + abs(skew) / spread))


def _stone(x: Array, scope: Scope, binning: Binning) -> float:
    extent = _extent(x)
    if x.size <= 1 or extent == 0:
        return 0.0

    def loss(bins: int) -> float:
        found = _host(Array(histograms.counts(binning(x, *scope, bins)._view, bins))) / x.size
        return float((2 - (x.size + 1) * found.dot(found)) * bins / extent)

    most = max(100, int(math.sqrt(x.size)))
    best = min(range(1, most + 1), key=loss)
    if best == most:
        text = "The number of bins estimated may be suboptimal."
        warnings.warn(text, RuntimeWarning, stacklevel=4)
    return extent / best


def _auto(x: Array, scope: Scope, binning: Binning) -> float:
    robust = max(_freedman_diaconis(x, scope, binning), _sqrt(x, scope, binning) / 2)
    return min(robust, _sturges(x, scope, binning))


WIDTHS: Final[dict[str, Callable[[Array, Scope, Binning], float]]] = {
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman_diaconis,
    "rice": lambda x, *_: float(_extent(x) / (2.0 * x.size ** (1.0 / 3))),
    "scott": _scott,
    "sqrt": _sqrt,
    "stone": _stone,
    "sturges": _sturges,
}
"""The rules, as functions of the elements, between which numbers they lie, and how to bin them."""
