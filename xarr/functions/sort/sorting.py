"""Sorting, and searching in what is sorted.

On a CPU NumPy sorts, in the result's own memory; where CuPy is, CUB does `sort`; else the kernels
of `radix` do. The order is NumPy's: NaN after everything, complex numbers by real, then imaginary
part. All agree bit for bit but for unstable orders of equal elements.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final, Literal, SupportsIndex

import numpy

from xarr import dtypes, tuning
from xarr.array.array import Array, ArrayLike
from xarr.array.cached_calls import by_numpy, cached_call
from xarr.array.coerce import array_of, as_array, compared, operand_view, retyped
from xarr.array.transfers import Host, is_unobserved, openly, to_host
from xarr.backends.device import get_device
from xarr.dtypes import COMPLEX, FLOATING
from xarr.errors import type_error, value_error, word_error
from xarr.functions.calls.on_host import host_of
from xarr.functions.create import ranges
from xarr.functions.elementwise import elementwise
from xarr.functions.index import searching
from xarr.functions.index.bounds import in_range
from xarr.functions.reduce import reductions
from xarr.functions.reduce.comparing import device_of
from xarr.functions.shape import manipulation, splitting
from xarr.functions.shape.manipulation import integers
from xarr.ir.views import View, constant
from xarr.layout import Shape, normalize_axis
from xarr.ops import gather, radix_sort, vendor
from xarr.tape import builder
from xarr.tape.scalar_access import values_of
from xarr.tape.tape import tape_of


@cached_call
def sort(
    a: ArrayLike,
    axis: SupportsIndex | None = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool | None = True,
    descending: bool = False,
) -> Array:
    """Return a sorted copy; NaN comes last, also in descending order.

    stable : bool, optional
        Accepted for compatibility; equal elements (0.0 and -0.0) always keep their order.
    descending : bool, optional -- Whether the largest element comes first.

    -> Array, shape and data type of a

    >>> xarr.sort(xarr.asarray([3, 1, 2]), descending=True).tolist()
    [3, 2, 1]
    """
    where = "sort(a)"
    _require_known(kind, order, stable, where)
    view, place = _along(a, axis, where)
    if _is_sorted(view, place):
        return Array(builder.copied(view))
    options = place, bool(descending)
    work = functools.partial(_sorted, place=place, descending=bool(descending))
    found = vendor.deferred("sort", options, work, (view,), view.shape, view.dtype)
    if found is not None:
        return Array(found)
    is_one_line = view.structure.size == view.shape[place]
    is_long = is_one_line and view.structure.size >= tuning.LIBRARY_SORT
    if not (is_long and vendor.routine("sort", view.dtype, view.device)):
        return Array(radix_sort.sort(view, place, descending=bool(descending)))
    x = Array(view)
    is_floating = view.dtype.kind in FLOATING
    if descending and not is_floating:
        return elementwise.bitwise_invert(sort(elementwise.bitwise_invert(x), axis=place))
    if descending:
        return elementwise.negative(sort(elementwise.negative(x), axis=place))
    if is_floating:  # CUB has NaN with a sign first
        view = searching.where(elementwise.isnan(x), math.nan, x)._view
    wanted = [(view.shape, view.dtype)]
    facts = place, False
    return Array(vendor.call(where, "sort", (view,), wanted, parameters=facts, axis=place)[0])


_KINDS: Final = ("quicksort", "mergesort", "heapsort", "stable")


def _require_known(kind: Any, order: Any, stable: Any, where: str) -> None:
    """Refuse NumPy's options that it would refuse, and those of records.

    The standard's default of `stable` is True, which does not tell whether it was given.
    """
    if kind is not None and stable not in (True, None):
        raise value_error(
            where, f"kind is {kind!r} and stable {stable}", "one of them must be left out"
        )
    if order is not None:
        raise value_error(where, f"order is {order!r}", "order must be None", dtypes.NUMBERS_ONLY)
    if kind is not None and (not isinstance(kind, str) or kind[:1].lower() not in "qmhs"):
        raise word_error(where, "kind", kind, "kind must be one of " + ", ".join(_KINDS))


def _along(a: Any, axis: SupportsIndex | None, where: str) -> tuple[View, int]:
    """The operand and its axis to sort along; 0-dimensional arrays have one element to sort."""
    x = array_of(a, where, "a")
    view = x._view
    if axis is None:
        return x.reshape(-1)._view, 0
    return view, normalize_axis(axis, max(len(view.shape), 1), where)


def _is_sorted(view: View, place: int) -> bool:
    """Whether there is nothing to sort along the axis."""
    return 0 in view.shape or not view.shape or view.shape[place] == 1


def _sorted(values: Any, place: int, *, descending: bool) -> Any:
    """Let NumPy sort a copy of an array; equal elements keep their order."""
    result = numpy.array(values, order="C")
    reverse = _reversing(result.dtype)
    if descending:
        reverse(result, out=result)
    _sort_rows(result.reshape(_lines(result.shape, place)).swapaxes(1, 2))
    if descending:
        reverse(result, out=result)
    return result


def _reversing(dtype: Any) -> Any:
    """Return NumPy's function that reverses the order of elements, but for NaN, which stay last."""
    return numpy.negative if dtype.kind in "fc" else numpy.invert


def _sort_rows(rows: Any) -> None:
    """Let NumPy sort an array along its last axis; equal elements keep their order."""
    dtype = rows.dtype
    if dtype.kind != "f" or dtype.itemsize < 4:
        # Stable is by digits up to 16 bits; wider integers that are equal do not differ. Of
        # float16 the unstable sort is wrong with AVX-512 (NumPy 2.4).
        wide = dtype.itemsize > 2 and dtype.kind != "c"
        rows.sort(axis=-1, kind=None if wide else "stable")
        return
    # NumPy's unstable sort is three times as fast, and of equal values only zeros differ.
    if numpy.count_nonzero(rows) == rows.size:
        rows.sort(axis=-1)
        return
    if rows.size == rows.shape[-1]:
        _sort_row(rows.reshape(-1))
        return
    zeros = rows[rows == 0]
    rows.sort(axis=-1)
    if zeros.size:
        rows[rows == 0] = zeros


def _sort_row(row: Any) -> None:
    """Sort floats as `_sort_rows` does, without a mask of as many elements."""
    zeros = [
        part[part == 0]
        for part in (
            row[at : at + tuning.HOST_BLOCK] for at in range(0, row.size, tuning.HOST_BLOCK)
        )
    ]
    row.sort()
    if not any(part.size for part in zeros):
        return
    begin = row.searchsorted(row.dtype.type(0))  # of 0 it makes a copy in float64
    for part in zeros:
        row[begin : begin + part.size] = part
        begin += part.size


_MOST_AXES: Final = 32
"""Axes of an array that every version of NumPy takes."""


def _lines(shape: Shape, place: int) -> Shape:
    """A shape whose second axis is the one to sort along: NumPy does not sort beyond 32 axes."""
    return math.prod(shape[:place]), shape[place], math.prod(shape[place + 1 :])


@cached_call
def argsort(
    a: ArrayLike,
    axis: SupportsIndex | None = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool | None = True,
    descending: bool = False,
) -> Array:
    """Return the indices that sort an array; those of NaN come last, also in descending order.

    stable : bool, optional
        Whether equal elements keep their order; False leaves their order open.
    descending : bool, optional -- Whether the index of the largest element comes first.

    -> Array of int64, shape of a
    """
    where = "argsort(a)"
    _require_known(kind, order, stable, where)
    view, place = _along(a, axis, where)
    if not view.shape:  # NumPy gives the index in a vector
        view = builder.reshaped(view, (1,))
    if _is_sorted(view, place):
        return Array(constant(0, dtypes.int64, view.shape, view.device))
    keeps = stable is None or bool(stable)
    options = place, keeps, bool(descending)
    work = functools.partial(_order, place=place, stable=keeps, descending=bool(descending))
    found = vendor.deferred("argsort", options, work, (view,), view.shape, dtypes.int64)
    return Array(found or radix_sort.argsort(view, place, descending=bool(descending)))


def _order(values: Any, place: int, *, stable: bool, descending: bool) -> Any:
    """Let NumPy find the indices that sort an array."""
    lines = values.reshape(_lines(values.shape, place))
    find = _stable_order if stable else functools.partial(numpy.argsort, axis=1)
    return find(_reversing(lines.dtype)(lines) if descending else lines).reshape(values.shape)


def _stable_order(lines: Any) -> Any:
    """Find the indices that sort along the second axis, those of equal elements ascending.

    Integers are sorted of which each has a rank and, in the low 32 bits, an index: NumPy's stable
    sort of indices takes 3 to 11 times as long.
    """
    length, kind, itemsize = lines.shape[1], lines.dtype.kind, lines.dtype.itemsize
    if not tuning.PACKED <= length < 1 << 32 or kind not in "iuf" or itemsize < 4:
        return numpy.argsort(lines, axis=1, kind="stable")
    if itemsize == 4:
        return _sorted_indices(lines, _keys)
    least = lines.min()
    if kind != "f" and int(lines.max()) - int(least) < 1 << 31:
        return _sorted_indices(lines, lambda part: part - least)
    order = numpy.argsort(lines, axis=1)
    found = numpy.take_along_axis(lines, order, 1)
    before, after = found[:, :-1], found[:, 1:]
    differ = (before != after) & ((before == before) | (after == after))
    if differ.all():
        return order
    ranks = numpy.zeros(lines.shape, numpy.int64)
    numpy.cumsum(differ, axis=1, out=ranks[:, 1:])
    return _sorted_indices(ranks, lambda part: part, order)


def _sorted_indices(lines: Any, ranks: Callable[[Any], Any], order: Any = None) -> Any:
    """Sort indices by the ranks of elements, which have 32 bits, and then by themselves.

    The indices are those of `order`, or else those of the elements along the second axis.
    """
    length = lines.shape[1]
    packed = numpy.empty(lines.shape, numpy.int64)
    for first in range(0, length, _PART):  # what is in between takes little memory
        part = slice(first, first + _PART)
        within = numpy.arange(first, min(first + _PART, length))[:, None]
        packed[:, part] = ranks(lines[:, part])
        packed[:, part] <<= 32
        packed[:, part] |= within if order is None else order[:, part]
    packed.sort(axis=1)
    packed &= 0xFFFFFFFF
    return packed


_PART: Final = 1 << 14
"""Elements of a line that are packed at a time."""


def _keys(values: Any) -> Any:
    """Return int32 in the order of values of 32 bits, equal ones for equal values."""
    if values.dtype.kind == "i":
        return values
    if values.dtype.kind == "u":
        return (values ^ numpy.uint32(1 << 31)).view(numpy.int32)
    bits = (values + numpy.float32(0)).view(numpy.int32)  # of -0.0 those of 0.0
    bits ^= (bits >> 31) & 0x7FFFFFFF
    bits[values != values] = 0x7FFFFFFF
    return bits


@cached_call
def searchsorted(
    a: ArrayLike, v: ArrayLike, side: Literal["left", "right"] = "left", sorter: Any = None
) -> Array:
    """Find the indices at which to insert values into a sorted array; NaN goes to the end.

    a : Array, shape (N,) -- The values, ascending; or in any order, with `sorter`.
    v : Array, shape (...) -- The values to insert.
    side : {"left", "right"}, optional -- Whether to insert before or after equal values.
    sorter : integer Array, shape (N,), optional -- The indices that sort a, as from `argsort`.

    -> Array of int64, shape of v

    ValueError -- If a is not a vector, `side` is neither "left" nor "right", or `sorter` has
        another length than a.
    IndexError -- If an index in `sorter` is out of range.

    >>> xarr.searchsorted(xarr.asarray([1, 2, 2, 5]), xarr.asarray([2, 9])).tolist()
    [1, 4]
    """
    where = "searchsorted(a, v)"
    ordered = operand_view(a, where, "a")
    if len(ordered.shape) != 1:
        fault = f"a has shape {ordered.shape}"
        raise value_error(where, fault, "it must be one-dimensional")
    if side not in ("left", "right"):
        raise word_error(where, "side", side, 'side must be "left" or "right"')
    ordered, values = compared(a, v, where, ("a", "v"))
    if sorter is not None:
        order = _sorter(sorter, ordered, where)
        order = in_range(order, ordered.shape[0], 0, where)
        builder.compute(ordered)
        assert ordered.layout is not None
        index = builder.converted(order._view, dtypes.int64)
        ordered = gather.take(ordered, ordered.layout, [(0, index)], 0)
    if 0 in values.shape or ordered.shape[0] == 0:
        return Array(constant(0, dtypes.int64, values.shape, values.device))
    work, given = functools.partial(numpy.searchsorted, side=side), (ordered, values)
    found = vendor.deferred("searchsorted", (side,), work, given, values.shape, dtypes.int64)
    return Array(found or radix_sort.searchsorted(ordered, values, right=side == "right"))


def _sorter(sorter: Any, ordered: View, where: str) -> Array:
    own = None if type(sorter) is Array else ordered.device
    array = as_array(sorter, where, "sorter", device=own)
    view = array._view
    if view.dtype.kind not in dtypes.INTEGER:
        raise type_error(
            where, f"sorter has dtype {view.dtype}", "sorter must have an integer dtype"
        )
    if view.shape != ordered.shape:
        fault = f"sorter has shape {view.shape} and a {ordered.shape}"
        raise value_error(where, fault, "both must be equal")
    return array


def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> Array:
    """Find the bin of each element.

    bins : real Array, shape (N,)
        The edges, ascending or descending. The call waits for the device, to see which.
    right : bool, optional
        Whether bins include their right edge instead of the left one.

    -> int64 Array, shape (...)
        The index i with bins[i - 1] <= x < bins[i], or bins[i - 1] > x >= bins[i] if the edges
        descend; 0 before the first edge, N after the last.

    ValueError -- If the bins are not a vector, or neither ascend nor descend.

    >>> xarr.digitize(xarr.asarray([0.5, 2.0, 9.0]), [1, 2, 3]).tolist()
    [0, 2, 3]
    """
    where = "digitize(x, bins)"
    edges = as_array(bins, where, "bins", device=device_of(x, bins))
    values = as_array(x, where, "x", device=edges.device)
    if COMPLEX in (values._view.dtype.kind, edges._view.dtype.kind):
        raise type_error(where, "x or bins is complex", "both must be real")
    if edges.ndim != 1:
        raise value_error(where, f"bins have shape {edges.shape}", "bins must be a vector")
    side: Literal["left", "right"] = "left" if right else "right"
    way = _way_of(bins, edges, where)
    if not way:
        raise value_error(where, "bins are in no order", "bins must ascend or descend")
    if way > 0:
        return searchsorted(edges, values, side=side)
    return edges.size - searchsorted(edges[::-1], values, side=side)


def _way_of(bins: ArrayLike, edges: Array, where: str) -> int:
    """Return 1 if edges ascend, -1 if they descend, 0 if they are in no order.

    The host looks at few of them, and at those that it was given.
    """
    if type(bins) is not Array:
        return _way(numpy.asarray(host_of(bins, where)))
    if edges.size <= tuning.INDICES:
        with openly():  # few, as the one number below
            return _way(to_host(edges._view))
    found: int | None = vendor.now("digitize", _way, (edges._view,))
    return _way_on_device(edges) if found is None else found


def _way(edges: Host) -> int:
    """Let NumPy find which way edges go: 1, -1, or 0 for neither."""
    # Where NaN are among them the first two that differ say which way they go, as for NumPy.
    different = numpy.flatnonzero(edges[1:] != edges[:-1])
    if not different.size:
        return 1
    later, earlier = edges[different[0] + 1 :], edges[different[0] : -1]
    if later[0] > earlier[0]:
        return int(not (earlier > later).any())
    return -int(not (earlier < later).any())


def _way_on_device(edges: Array) -> int:
    """Find which way edges go as `_way` does, by one number that is read from the device."""
    later, earlier = edges[1:], edges[:-1]
    ascends, descends = later > earlier, later < earlier
    place = ranges.arange(later.size, device=edges.device) * 2
    # Even where the first pair that differs ascends, or none differs.
    first = reductions.min(
        searching.where(later != earlier, place + elementwise.logical_not(ascends), 2 * later.size)
    )
    some = reductions.any(ascends) * 2 + reductions.any(descends)
    with openly():
        number = int(to_host((first * 4 + some)._view)[()])
    if number & 4:
        return -int(not number & 2)
    return int(not number & 1)


def lexsort(keys: Any, axis: SupportsIndex = -1) -> Array:
    """Return the indices that sort by several keys; the last key is the primary one.

    keys : sequence of K Arrays of shape (..., N, ...), or Array of shape (K, ..., N, ...)
        The keys; where elements have the same last key, the key before it decides, and so on.

    -> Array of int64, shape of a key

    TypeError -- If there are no keys.
    ValueError -- If the keys have different shapes.

    >>> xarr.lexsort(([9, 4, 0], [1, 5, 1])).tolist()
    [2, 0, 1]
    """
    where = "lexsort(keys, axis)"
    if type(keys) is Array or isinstance(keys, numpy.ndarray):
        whole = array_of(keys, where, "keys")
        parts = list(splitting.unstack(whole)) if whole.ndim else []
    elif not numpy.iterable(keys):
        fault = f"keys is of type {type(keys).__name__}"
        raise type_error(where, fault, "keys must be a sequence of arrays", "write lexsort([key])")
    else:
        device = next((key.device for key in keys if type(key) is Array), get_device())
        parts = [as_array(key, where, "a key", device=device) for key in keys]
    if not parts:
        raise type_error(where, "there are no keys", "there must be at least one")
    for part in parts:
        if part.shape != parts[0].shape:
            fault = f"keys have shapes {parts[0].shape} and {part.shape}"
            raise value_error(where, fault, "all shapes must agree")
    if not parts[0].ndim:
        return manipulation.reshape(argsort(parts[0]), ())
    place = normalize_axis(axis, parts[0].ndim, where)
    order = argsort(parts[0], place)
    for part in parts[1:]:
        sorted_so_far = searching.take_along_axis(part, order, place)
        order = searching.take_along_axis(order, argsort(sorted_so_far, place), place)
    return order


def _partitioned(values: Any, kth: int, axis: int = -1) -> Any:
    """Let NumPy sort a copy of an array that has a k-th element."""
    if values.shape[axis] <= (kth if kth >= 0 else -kth - 1):
        raise IndexError
    return _sorted(values, normalize_axis(axis, values.ndim, "partition"), descending=False)


def sort_in_memory(values: Any, axis: int = -1) -> None:
    """Let NumPy sort its own array."""
    place = normalize_axis(axis, values.ndim, "sort")
    if values.ndim > _MOST_AXES:
        values[...] = _sorted(values, place, descending=False)
    else:
        _sort_rows(values.swapaxes(place, -1))


def is_sorted_now(x: Array, axis: int) -> bool:
    """Sort an array by NumPy where it is, if the host reaches it; return whether it did.

    Nobody else sees its memory. On cpu:0 a sort to other memory takes as much again.
    """
    view = x._view
    storage = view.storage
    if storage is None or storage.is_seen or not is_unobserved():
        return False
    if not view.structure.size or not -len(view.shape) <= axis < len(view.shape):
        return False
    on = tape_of(view.device)

    def is_done(_: Host) -> bool:
        if on.names(storage):  # what was recorded reads the elements as they are
            on.run()
        values = values_of(view)
        if values is None or on.names(storage):
            return False
        storage.writes += 1
        sort_in_memory(values, axis)
        return True

    return bool(vendor.now("sort", is_done, (view,)))


def partition_in_memory(values: Any, kth: int, axis: int = -1) -> None:
    """Let NumPy sort its own array, which has a k-th element."""
    values[...] = _partitioned(values, kth, axis)


@by_numpy(_partitioned)
def partition(
    a: ArrayLike,
    kth: Any,
    axis: SupportsIndex | None = -1,
    kind: str = "introselect",
    order: Any = None,
) -> Array:
    """Return a copy with the k-th smallest element at index k and no larger ones before it.

    The whole copy is sorted, which is a valid partition.

    -> Array, shape and data type of a

    >>> int(xarr.partition(xarr.asarray([3, 4, 2, 1]), 2)[2])
    3
    """
    x, place = _checked(a, kth, axis, kind, order, "partition(a, kth, axis)")
    return sort(x, place)


def argpartition(
    a: ArrayLike,
    kth: Any,
    axis: SupportsIndex | None = -1,
    kind: str = "introselect",
    order: Any = None,
) -> Array:
    """Return the indices that partition an array as `partition` does.

    -> Array of int64, shape of a

    >>> int(xarr.argpartition(xarr.asarray([3, 4, 2, 1]), 0)[0])
    3
    """
    x, place = _checked(a, kth, axis, kind, order, "argpartition(a, kth, axis)")
    return argsort(x, place)


def _checked(
    a: Any, kth: Any, axis: SupportsIndex | None, kind: str, order: Any, where: str
) -> tuple[Array, int]:
    x = array_of(a, where, "a")
    if axis is None:
        x, axis = manipulation.ravel(x), 0
    place = normalize_axis(axis, max(x.ndim, 1), where)
    if not isinstance(kind, str):
        raise type_error(where, f"kind is {kind!r}", "kind must be a str")
    if kind != "introselect" or order is not None:
        fault = f"kind is {kind!r} and order {order!r}"
        raise value_error(where, fault, 'kind must be "introselect", and order None')
    extent = x.shape[place] if x.ndim else 1
    for position in integers(kth, where, "kth"):
        if x.size and not -extent <= position < extent:
            fault = f"kth is {position}"
            accepted = f"the axis has {extent} elements, so it must be in [{-extent}, {extent})"
            raise value_error(where, fault, accepted)
    return x, place


def sort_complex(a: ArrayLike) -> Array:
    """Return a complex copy, sorted by the real and then by the imaginary parts.

    -> complex floating-point Array, shape of a
    """
    where = "sort_complex(a)"
    x = sort(array_of(a, where, "a"))
    row = x._view.dtype
    if row.kind == dtypes.COMPLEX:
        return x
    small = row.kind in dtypes.INTEGER and row.itemsize <= 2
    wanted = dtypes.complex64 if small else dtypes.complex128
    if wanted is dtypes.complex128 and not x._view.device.info.has_float64:
        wanted = dtypes.complex64
    return retyped(x, wanted, where, "a")
