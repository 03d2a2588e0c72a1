"""Medians, percentiles and quantiles: what stands where when elements are sorted.

Where a quantile lies is said by thirteen definitions: those of Hyndman and Fan (1996) and NumPy's
own four. They are computed on the host for lines of one length, and on the device where lines
differ in how many numbers they hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy

from xarr import dtypes, layout
from xarr.array.array import Array, ArrayLike, Axis
from xarr.array.cached_calls import cached_call
from xarr.array.coerce import as_array
from xarr.array.out_argument import deliver, single
from xarr.array.transfers import Host, openly
from xarr.backends.device import Device, default_float, require_together
from xarr.dtypes import DType
from xarr.errors import refused, type_error, value_error, warn
from xarr.functions.calls.on_host import host_of
from xarr.functions.calls.row_calls import sent
from xarr.functions.create import creation
from xarr.functions.elementwise import arithmetic, elementwise
from xarr.functions.index import searching
from xarr.functions.index.searching import where as chosen
from xarr.functions.reduce import reductions
from xarr.functions.reduce.reductions import cumsum
from xarr.functions.shape import manipulation
from xarr.functions.sort.sorting import argsort
from xarr.functions.statistics.selecting import Ordered, nan_where, picked
from xarr.ir.views import constant
from xarr.tape.traced import plainly


@cached_call
def median(
    a: ArrayLike,
    axis: Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """Compute the median: the middle element in order, or the mean of the two middle ones.

    -> floating-point Array, shape of a without the reduced axes, unless `keepdims`
        NaN if an element is NaN, or there are no elements.
    """
    where = "median(a, axis)"
    x = as_array(a, where, "a")
    lines = lines_of(x, axis, where)
    result = lines.shaped(median_of(lines), keepdims=keepdims)
    return sent(result._view, single(out, where), where)


def median_of(lines: Lines) -> Array:
    """The median of each line."""
    device = lines.values.device
    row = floating_of(lines.values._view.dtype, device)
    if not lines.length:
        warn("Mean of empty slice", RuntimeWarning)
        return creation.full((lines.number,), math.nan, dtype=row.numpy, device=device)
    ordered = Ordered(lines.values)
    middle = lines.length // 2
    if lines.length % 2:
        result = widened(ordered.at(middle)[0])
    else:
        result = mean_of_two(*ordered.at(middle - 1))
    return ordered.nan_where_any_is(result).astype(row.numpy)


def mean_of_two(low: Array, high: Array) -> Array:
    """Half the sum, in floating point; of float16 in float32."""
    return (widened(low) + widened(high)) / 2


def widened(x: Array) -> Array:
    """An array in the type that means are computed in."""
    row = floating_of(x._view.dtype, x.device)
    return x.astype((dtypes.float32 if row is dtypes.float16 else row).numpy)


def floating_of(row: DType, device: Device) -> DType:
    """The type of a mean."""
    return row if row.kind in dtypes.FLOATING else default_float(device)


class Lines(NamedTuple):
    """An array with its reduced axes as the rows of a matrix, shape (count, length)."""

    values: Array
    left: layout.Shape  # of the axes that are left
    kept: layout.Shape  # of all axes, the reduced ones with one element
    axes: tuple[int, ...]

    @property
    def number(self) -> int:
        """How many lines there are."""
        return self.values.shape[0]

    @property
    def length(self) -> int:
        """How many elements a line has."""
        return self.values.shape[1]

    def shaped(self, result: Array, *, keepdims: bool, before: layout.Shape = ()) -> Array:
        """A result of shape (*before, count) in the shape of what is left, or a number."""
        return Array(result.reshape((*before, *(self.kept if keepdims else self.left)))._view)


def lines_of(x: Array, axis: Axis, where: str) -> Lines:
    """The lines along some axes of an array; of a 0-dimensional one a line of one element."""
    axes = layout.normalize_axes(axis, x.ndim, where)
    others = [place for place in range(x.ndim) if place not in axes]
    left = tuple(x.shape[place] for place in others)
    kept = tuple(1 if place in axes else extent for place, extent in enumerate(x.shape))
    length = math.prod(x.shape[place] for place in axes)
    if others != list(range(len(others))):
        x = manipulation.permute_dims(x, (*others, *axes))
    return Lines(x.reshape((math.prod(left), length)), left, kept, axes)


@cached_call
def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """Compute percentiles along axes: `quantile` with q in percent.

    q : Array, shape (...) -- The percentiles, from 0 to 100; read on the host.

    -> floating-point Array, shape (*q.shape, ...)
        The axes of q, then the axes of a that remain. NaN where an element is NaN.

    >>> xarr.percentile(xarr.asarray([1.0, 2.0, 3.0]), [25, 50]).tolist()
    [1.5, 2.0]
    """
    asked = Asked.of(a, q, axis, method, weights, "percentile(a, q, axis)", percent=True)
    return asked.answered(quantile_of, out, keepdims=keepdims)


@cached_call
def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """Compute quantiles of real elements along axes.

    Definitions: R. J. Hyndman and Y. Fan, The American Statistician 50 (1996) 361.

    q : Array, shape (...) -- The quantiles, from 0 to 1; read on the host.

    -> floating-point Array, shape (*q.shape, ...)
        The axes of q, then the axes of a that remain. NaN where an element is NaN.

    >>> float(xarr.quantile(xarr.asarray([1.0, 2.0, 4.0]), 0.75))
    3.0
    """
    asked = Asked.of(a, q, axis, method, weights, "quantile(a, q, axis)")
    return asked.answered(quantile_of, out, keepdims=keepdims)


class Asked(NamedTuple):
    """The arguments of a quantile's function, checked."""

    lines: Lines
    q: Host  # from 0 to 1
    weak: bool  # whether q takes the type of the elements
    method: str
    weights: Array | None  # of the shape of the lines
    where: str

    @classmethod
    def of(
        cls,
        a: ArrayLike,
        q: ArrayLike,
        axis: Axis,
        method: str,
        weights: ArrayLike | None,
        where: str,
        *,
        percent: bool = False,
    ) -> Asked:
        """Check what the user gave."""
        x = as_array(a, where, "a")
        kind = x._view.dtype.kind
        if kind == dtypes.COMPLEX:
            fault = f"a has dtype {x.dtype}"
            raise type_error(where, fault, "a must be real to have an order", "take a.real")
        require_known(method, where)
        q = plainly(q)
        asked = numpy.asarray(host_of(q, where))
        if asked.dtype.kind not in "biuf":
            raise type_error(where, f"q is {q!r}", "q must be real")
        if percent:
            asked = asked / numpy.asarray(100, asked.dtype if asked.dtype.kind == "f" else None)
        asked = numpy.asarray(asked)
        if asked.ndim > 2:
            raise value_error(where, f"q has {asked.ndim} dimensions", "it must have at most 2")
        if not ((asked >= 0) & (asked <= 1)).all():
            scope = "Percentiles must be in [0, 100]" if percent else "it must be in [0, 1]"
            raise value_error(where, f"q is {q!r}", scope)
        lines = lines_of(x, axis, where)
        weighed = None
        if weights is not None:
            weighed = _weights(weights, x, axis, method, where)
            weighed = lines_of(weighed, axis, where).values
        on_elements = method == "linear" and asked.dtype.kind in "iub"
        if kind == dtypes.BOOL and weighed is None and not on_elements and _interpolates(method):
            fault = "a has dtype bool"
            accepted = "a must be numeric, as there is nothing between two bools"
            remedy = 'convert with a.astype("float64"), or use method="lower"'
            raise type_error(where, fault, accepted, remedy)
        return cls(lines, asked, type(q) in (int, float), method, weighed, where)

    def answered(
        self, function: Any, out: Array | None, *, keepdims: bool, casting: str = "same_kind"
    ) -> Array:
        """The result of a function of this request, in the shape that was asked for."""
        result = self.lines.shaped(function(self), keepdims=keepdims, before=self.q.shape)
        where = self.where.replace(")", ", out)")
        # As in NumPy: what interpolates ends in an addition, whose result broadcasts to `out`.
        grows = _interpolates(self.method)
        return deliver(result, out, where, casting=casting, grows=grows)

    @property
    def share_dtype(self) -> DType:
        """The type in which it is said how far a quantile is between two elements."""
        row, device = self.lines.values._view.dtype, self.lines.values.device
        if self.weak:
            return floating_of(row, device)
        given = dtypes.BY_NUMPY.get(self.q.dtype)
        if given is None or given.kind != dtypes.REAL or not device.info.has_float64:
            return default_float(device)
        return given

    def column(self, values: Host) -> Array:
        """Values for each quantile, beside the lines: shape (*q.shape, 1)."""
        device = self.lines.values.device
        row = dtypes.BY_NUMPY[values.dtype]
        if row in dtypes.NEEDS_FLOAT64 and not device.info.has_float64:
            values = values.astype("float32")
        if values.size == 1:  # a constant is recorded again, and an upload is not
            number = values.item()
            return Array(
                constant(number, dtypes.BY_NUMPY[values.dtype], (*values.shape, 1), device)
            )
        with openly():
            return creation.asarray(values[..., None], device=device)


def _interpolates(method: str) -> bool:
    return place_of(numpy.asarray(0.5), 2, method, HOST).share is not None


def _weights(weights: ArrayLike, x: Array, axis: Axis, method: str, where: str) -> Array:
    """The weights of all elements, none of them negative."""
    if method != "inverted_cdf":
        fault = f"method is {method!r} and there are weights"
        raise value_error(where, fault, "Only method 'inverted_cdf' supports weights")
    spread = spread_weights(weights, x, axis, where)
    if bool(reductions.any(spread < 0)):
        raise value_error(where, "a weight is negative", "Weights must be non-negative")
    return manipulation.broadcast_to(spread, x.shape)


def spread_weights(weights: ArrayLike, x: Array, axis: Axis, where: str) -> Array:
    """The weights of an array's elements, or of those along axes, shaped to stand beside it."""
    given = as_array(weights, where, "weights", device=x.device)
    require_together(given.device, x.device, where)
    if given.shape == x.shape:
        return given
    if axis is None:
        fault = f"weights have shape {given.shape} and a {x.shape}"
        accepted = "Axis must be specified when shapes of a and weights differ"
        raise type_error(where, fault, accepted, "name the axis")
    single = not isinstance(axis, tuple | list)
    axes = [layout.normalize_axis(place, x.ndim, where) for place in ([axis] if single else axis)]  # type: ignore[union-attr]
    wanted = tuple(x.shape[place] for place in axes)
    if given.shape != wanted:
        fault = f"weights have shape {given.shape} and a {x.shape}"
        accepted = "Shape of weights must be consistent with shape of a along specified axis"
        raise value_error(where, fault, f"{accepted}, which is {wanted}")
    order = sorted(range(len(axes)), key=axes.__getitem__)
    extents = tuple(extent if place in axes else 1 for place, extent in enumerate(x.shape))
    return manipulation.permute_dims(given, order).reshape(extents)


def quantile_of(asked: Asked) -> Array:
    """The quantiles of lines, shape (*q.shape, lines)."""
    lines = asked.lines
    if asked.weights is not None:
        return weighted(asked)
    if not lines.length:
        raise refused(IndexError, asked.where, "there are no elements", "there must be one or more")
    q = asked.q
    place = place_of(q, lines.length, asked.method, HOST)
    ordered = Ordered(lines.values)
    places = [
        asked.column(numpy.asarray(one).astype("int64")) for one in (place.before, place.after)
    ]
    if place.share is None or (asked.method == "linear" and q.dtype.kind in "iub"):
        result = ordered.picked(places[0])
    else:
        share = asked.column(numpy.asarray(place.share, numpy.float64))
        result = between(*ordered.both(*places), share.astype(asked.share_dtype.numpy))
    return ordered.nan_where_any_is(result)


def between(low: Array, high: Array, share: Array) -> Array:
    """Interpolate between two elements, starting from the nearer one."""
    wanted = numpy.result_type(low.dtype, share.dtype)
    row = dtypes.BY_NUMPY[wanted]
    if row in dtypes.NEEDS_FLOAT64 and not low.device.info.has_float64:
        wanted = numpy.dtype("float32")
    if low._view.dtype.kind in dtypes.INTEGER:  # whose difference may not fit
        low, high = low.astype(wanted), high.astype(wanted)
    step = high - low
    return searching.where(share >= 0.5, high - step * (1 - share), low + step * share)


def weighted(asked: Asked, weights: Array | None = None, count: Array | None = None) -> Array:
    """The quantiles of weighted lines: the first element at which the weights reach them."""
    lines, weights = asked.lines, asked.weights if weights is None else weights
    assert weights is not None
    order = argsort(lines.values)
    ordered, weights = (
        searching.take_along_axis(part, order, axis=1) for part in (lines.values, weights)
    )
    row = default_float(lines.values.device)
    sums = cumsum(weights.astype(row.numpy), axis=1)
    total = sums[:, -1:]
    if not bool(reductions.all(elementwise.isfinite(total) & (total > 0))):
        fault = "Weights included NaN, inf or were all zero"
        raise value_error(asked.where, fault, "their sum must be finite and positive")
    shares = sums / total
    if asked.q.dtype.kind == "f":
        shares = shares.astype(min(asked.q.dtype, row.numpy))
    q = asked.column(asked.q.astype(shares.dtype))[..., None]
    before = reductions.sum((shares < q) | (shares == 0), axis=-1)
    last = lines.length - 1 if count is None else elementwise.maximum(count - 1, 0)
    result = picked(ordered, elementwise.minimum(before, last))
    return result if count is not None else nan_where(ordered[:, -1], result)


class Place(NamedTuple):
    """The indices of the elements on both sides, and how far towards the second; None for on it."""

    before: Any
    after: Any
    share: Any


class _Words(NamedTuple):
    """The functions that the formulas call: NumPy's on the host, xarr's on a device."""

    floor: Callable[[Any], Any]
    ceil: Callable[[Any], Any]
    rint: Callable[[Any], Any]
    where: Callable[[Any, Any, Any], Any]


HOST: Final = _Words(numpy.floor, numpy.ceil, numpy.rint, numpy.where)
DEVICE: Final = _Words(elementwise.floor, elementwise.ceil, arithmetic.round, chosen)

_BETWEEN: Final[dict[str, tuple[float, float]]] = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
"""Hyndman and Fan's alpha and beta of the definitions that differ in these only."""
_ON: Final = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
"""The definitions that give an element and interpolate none."""
METHODS: Final = (
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    *_BETWEEN,
    "linear",
    "lower",
    "higher",
    "midpoint",
    "nearest",
)


def require_known(method: str, where: str) -> None:
    """Refuse the name of no definition."""
    if method not in METHODS:
        raise value_error(
            where, f"method is {method!r}", "method must be one of " + ", ".join(METHODS)
        )


def place_of(q: Any, count: Any, method: str, words: _Words) -> Place:
    """Where the quantiles `q` of `count` sorted elements are."""
    if method in _ON:
        index = _index_of(q, count, method, words)
        return Place(index, index, None)
    if method == "averaged_inverted_cdf":
        place = count * q - 1
    elif method == "midpoint":
        place = 0.5 * (words.floor((count - 1) * q) + words.ceil((count - 1) * q))
    elif method == "linear":
        place = (count - 1) * q
    else:
        alpha, beta = _BETWEEN[method]
        place = count * q + (alpha + q * (1 - alpha - beta)) - 1
    below = words.floor(place)
    last = count - 1
    beyond, early = place >= last, place < 0
    before = words.where(beyond, last, words.where(early, 0, below))
    after = words.where(beyond, last, words.where(early, 0, below + 1))
    share = place - before
    if method == "averaged_inverted_cdf":
        share = words.where(share == 0, 0.5, 1.0)
    elif method == "midpoint":
        share = words.where(place == below, 0.0, 0.5)
    return Place(before, after, share)


def _index_of(q: Any, count: Any, method: str, words: _Words) -> Any:
    if method == "lower":
        return words.floor((count - 1) * q)
    if method == "higher":
        return words.ceil((count - 1) * q)
    if method == "nearest":
        return words.rint((count - 1) * q)
    place = count * q - (1.5 if method == "closest_observation" else 1.0)
    below = words.floor(place)
    stays = place == below
    if method == "closest_observation":
        stays = stays & (below != 2 * words.floor(below / 2))
    index = words.where(stays, below, below + 1)
    return words.where(index < 0, 0, index)
