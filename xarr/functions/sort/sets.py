"""Sets: the distinct elements of an array, and membership.

On a CPU NumPy finds them, in the array's own memory; on other devices they come from a stable sort
and expressions. NaN are distinct from each other, 0.0 and -0.0 are not; values ascend.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple, SupportsIndex

import numpy

from xarr import dtypes
from xarr.array.array import Array, ArrayLike
from xarr.array.cached_calls import by_numpy, cached_call
from xarr.array.coerce import array_of, as_array, compared, operand_view
from xarr.array.layouts import keep_array, settled
from xarr.array.transfers import to_host
from xarr.errors import type_error, value_error
from xarr.functions.create import creation, fills, ranges
from xarr.functions.elementwise import elementwise
from xarr.functions.index import searching
from xarr.functions.shape import joining
from xarr.functions.sort.sorting import argsort, searchsorted, sort
from xarr.functions.sort.sorting_by_numpy import sort_rows, stable_order
from xarr.ir.views import View, constant
from xarr.layout import normalize_axis
from xarr.ops import gather, selection, vendor
from xarr.tape import builder
from xarr.tape.scalar_access import Host


class UniqueAllResult(NamedTuple):
    """The result of `unique_all`.

    values : Array, shape (N,) -- The distinct elements, ascending.
    indices : int64 Array, shape (N,) -- Where each value occurs first in the flattened array.
    inverse_indices : int64 Array, shape of x -- For each element, the index of its value.
    counts : int64 Array, shape (N,) -- How often each value occurs.

    >>> result = xarr.unique_all(xarr.asarray([2, 1, 2]))
    >>> result.indices.tolist(), result.inverse_indices.tolist()
    ([1, 0], [1, 0, 1])
    """

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """The result of `unique_counts`.

    values : Array, shape (N,) -- The distinct elements, ascending.
    counts : int64 Array, shape (N,) -- How often each value occurs.

    >>> values, counts = xarr.unique_counts(xarr.asarray([2, 1, 2]))
    >>> values.tolist(), counts.tolist()
    ([1, 2], [1, 2])
    """

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """The result of `unique_inverse`.

    values : Array, shape (N,) -- The distinct elements, ascending.
    inverse_indices : int64 Array, shape of x -- For each element, the index of its value.

    >>> values, inverse = xarr.unique_inverse(xarr.asarray([2, 1, 2]))
    >>> values[inverse].tolist()
    [2, 1, 2]
    """

    values: Array
    inverse_indices: Array


def unique_values(x: Array) -> Array:
    """Return the distinct elements, ascending; each NaN is distinct. Waits for the device.

    -> Array, shape (N,), of the data type of x

    >>> xarr.unique_values(xarr.asarray([2, 1, 2])).tolist()
    [1, 2]
    """
    return _distinct(x, "unique_values(x)")[0]


def unique_counts(x: Array) -> UniqueCountsResult:
    """Return the distinct elements, and how often each occurs. Waits for the device.

    -> named tuple of values, shape (N,), of the data type of x, and counts, int64

    >>> xarr.unique_counts(xarr.asarray([2, 1, 2])).counts.tolist()
    [1, 2]
    """
    return UniqueCountsResult(*_distinct(x, "unique_counts(x)", return_counts=True))


def unique_inverse(x: Array) -> UniqueInverseResult:
    """Return the distinct elements, and the index of each element of x among them.

    -> named tuple of values, shape (N,), of the data type of x, and inverse_indices, int64

    >>> xarr.unique_inverse(xarr.asarray([2, 1, 2])).inverse_indices.tolist()
    [1, 0, 1]
    """
    # With the indices NumPy's sort is stable, and so is which NaN is which.
    asked = {"return_index": True, "return_inverse": True}
    values, _, inverse = _distinct(x, "unique_inverse(x)", **asked)
    return UniqueInverseResult(values, inverse)


def unique_all(x: Array) -> UniqueAllResult:
    """Return the distinct elements with their first indices, inverse indices and counts.

    -> named tuple of values, shape (N,), of the data type of x, and three int64 Arrays
        indices, of the first occurrences; inverse_indices, shape of x; and counts.

    >>> xarr.unique_all(xarr.asarray([2, 1, 2])).indices.tolist()
    [1, 0]
    """
    asked = dict.fromkeys(("return_index", "return_inverse", "return_counts"), True)
    return UniqueAllResult(*_distinct(x, "unique_all(x)", **asked))


def _distinct(x: Array, where: str, *, equal_nan: bool = False, **asked: bool) -> list[Array]:
    """The distinct elements and what else is asked for: by NumPy, or by a sort on the device."""
    view = operand_view(x, where)
    work = functools.partial(_unique, equal_nan=equal_nan, **asked)  # type: ignore[arg-type]
    found = vendor.now("unique", work, (view,))
    if found is None:
        return _by_sorting(Array(view), equal_nan=equal_nan, **asked)
    device = view.device
    return [Array(vendor.adopted(part, dtypes.BY_NUMPY[part.dtype], device)) for part in found]


def _ordered(x: Array) -> tuple[Array, Array | None]:
    """The distinct elements of a vector, ascending, where NumPy finds them, and None.

    Else all of its elements, ascending, and whether each is the first of those that are equal to
    it: what is asked besides can be selected with them, and waits once.
    """
    view = x._view
    found = vendor.now("unique", _unique_values, (view,))
    if found is not None:
        return Array(vendor.adopted(found, view.dtype, view.device)), None
    ordered = sort(x)
    return ordered, Array(_begins(ordered, equal_nan=True))


def _unique_values(values: Host) -> Host:
    return _unique(values, equal_nan=True)[0]


def _begins(ordered: Array, *, equal_nan: bool = False) -> View:
    """For each element of a sorted array, whether another value begins with it."""
    begins: Array = fills.ones(ordered.shape, dtype="bool", device=ordered.device)
    later, earlier = ordered[1:], ordered[:-1]
    differs = later != earlier
    if equal_nan and ordered._view.dtype.kind in dtypes.FLOATING:
        differs = differs & ((later == later) | (earlier == earlier))
    begins[1:] = differs
    return begins._view


@cached_call
def _runs(x: Array, asks_order: bool, equal_nan: bool) -> tuple[Array, ...]:
    """A sorted vector, where another value begins in it, and its order if that is asked for."""
    order = (argsort(x),) if asks_order else ()
    ordered = _taken(x, *order) if order else sort(x)
    return ordered, Array(_begins(ordered, equal_nan=equal_nan)), *order


def _counts(starts: View, size: int) -> Array:
    """How long the runs are that begin at these places of `size` elements."""
    first = Array(starts)
    is_last = ranges.arange(first.size, device=first.device) == first.size - 1
    ends = searching.where(is_last, size, joining.roll(first, -1))
    return ends - first


def _taken(x: Array, index: Array) -> Array:
    """The elements at indices that are known to be in range."""
    where = settled(x)
    return Array(gather.take(x._view, where, [(0, index._view)], 0))


def _unique(
    values: Host,
    *,
    equal_nan: bool = False,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> tuple[Host, ...]:
    """`numpy.unique` with each NaN distinct by default; returns a tuple always.

    Of equal elements the first one stands, which tells of zeros: on other devices it does too.
    `numpy.unique` (2.4) takes longer: it hashes 2^20 random int64 in 726 ms where a sort takes 12,
    and with indices of float32 its sort takes four times as long as `stable_order`.
    """
    flat = values.reshape(-1)
    if return_index or return_inverse or flat.dtype.kind == "c":
        order = stable_order(flat.reshape(1, -1, 1)).reshape(-1)
        ordered = flat[order]
    else:
        ordered = flat.copy()
        sort_rows(ordered)
    begins = numpy.ones(ordered.shape, numpy.bool_)
    later, earlier = ordered[1:], ordered[:-1]
    numpy.not_equal(later, earlier, out=begins[1:])
    if equal_nan and flat.dtype.kind in "fc":
        begins[1:] &= (later == later) | (earlier == earlier)
    found = [ordered[begins]]
    if return_index:
        found.append(order[begins])
    if return_inverse:
        inverse = numpy.empty(flat.shape, numpy.int64)
        inverse[order] = numpy.cumsum(begins) - 1
        found.append(inverse.reshape(values.shape))
    if return_counts:
        found.append(numpy.diff(numpy.flatnonzero(begins), append=flat.size))
    return tuple(found)


def _sortable(values: Host) -> Host:
    """Values of a type that NumPy (2.4) sorts right with AVX-512, where float16 comes out wrong."""
    return values.astype(numpy.float32) if values.dtype == numpy.float16 else values


def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> Array:
    """Tell whether each element of one array is in another; NaN is in none.

    element, test_elements : Array, shape (...) -- The elements, and the elements to search among.
    invert : bool -- Whether to tell the opposite.

    -> Array of bool, shape of element

    ValueError -- If `kind` is not "sort", "table" or None.

    >>> xarr.isin(xarr.asarray([1, 2, 3]), xarr.asarray([3, 1])).tolist()
    [True, False, True]
    """
    where = "isin(element, test_elements)"
    if kind not in (None, "sort", "table"):
        raise value_error(where, f"kind is {kind!r}", "kind must be 'sort', 'table' or None")
    first, second = compared(element, test_elements, where, ("element", "test_elements"))
    if 0 in second.shape or 0 in first.shape:
        return keep_array(Array(constant(bool(invert), dtypes.bool_, first.shape, first.device)))

    def work(values: Host, among: Host) -> Host:
        return numpy.isin(_sortable(values), _sortable(among), invert=bool(invert))

    given = first, second
    found = vendor.deferred("isin", (bool(invert),), work, given, first.shape, dtypes.bool_)
    if found is not None:
        return keep_array(Array(found))
    nearest = _nearest(Array(first), sort(Array(second).reshape(-1)))
    found_there: Array = nearest != Array(first) if invert else nearest == Array(first)
    return keep_array(found_there)


def _nearest(values: Array, ordered: Array) -> Array:
    """The first elements of a sorted array that are not below values, or its last one."""
    places = searchsorted(ordered, values)
    return _taken(ordered, elementwise.minimum(places, ordered.size - 1))


def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: SupportsIndex | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Return the distinct elements, ascending. Waits for the device; with `axis` runs on the host.

    return_index : bool -- Whether to return the index, in flattened ar or along `axis`, at which
        each distinct element occurs first.
    return_inverse : bool -- Whether to return, for each element of ar, its index in the result.
    return_counts : bool -- Whether to return how often each distinct element occurs.
    axis : int, optional
        The axis along which subarrays are the elements to compare; None flattens ar.
    equal_nan : bool -- Whether all NaN count as one element; else each is distinct.
    sorted : bool -- Accepted for compatibility; the result is always sorted.

    -> Array, of the data type of ar, or a tuple
        Of shape (N,); with `axis`, the shape of ar with N subarrays along it. With flags a tuple:
        the distinct elements, then an int64 Array for each flag, in the order of the parameters.

    >>> values, counts = xarr.unique(xarr.asarray([2, 1, 2]), return_counts=True)
    >>> values.tolist(), counts.tolist()
    ([1, 2], [1, 2])
    """
    where = "unique(ar)"
    x = array_of(ar, where, "ar")
    view = x._view
    asked: Any = {
        "return_index": bool(return_index),
        "return_inverse": bool(return_inverse),
        "return_counts": bool(return_counts),
    }
    if axis is not None:
        place = normalize_axis(axis, x.ndim, where)
        vendor.warn_once(where, view.device)
        values = to_host(view, where)
        # Asked for the indices, NumPy sorts in a stable way: the first of equal parts stands.
        stable = {**asked, "return_index": True}
        found: Any = numpy.unique(_sortable(values), axis=place, equal_nan=equal_nan, **stable)
        first, indices, *others = found
        parts = [first.astype(values.dtype, copy=False)]
        parts += [indices, *others] if return_index else others
        results = tuple(creation.asarray(part, device=view.device) for part in parts)
    else:
        results = tuple(_distinct(x, where, equal_nan=equal_nan, **asked))
    return results if len(results) > 1 else results[0]


def _by_sorting(
    x: Array,
    *,
    equal_nan: bool,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> list[Array]:
    """`unique` on the device, by a stable sort and expressions; it waits once."""
    flat = x.reshape(-1)
    size, device = flat.size, x.device
    ordered, marks, *order = _runs(flat, return_index or return_inverse, equal_nan)
    begins = marks._view
    selected = selection.select(begins)

    def chosen(values: Array) -> View:
        return selection.extract(values._view, begins.shape, selected)

    results = [Array(chosen(ordered))]
    if return_index:
        results.append(Array(chosen(*order)))
    if return_inverse:
        inverse = fills.empty(flat.shape, dtype="int64", device=device)
        # No place comes twice in the order.
        number = selection.run_numbers(begins, selected)
        where = settled(inverse)
        gather.put(inverse._view, where, [(0, order[0]._view)], 0, number, distinct=True)
        results.append(inverse.reshape(x.shape))
    if return_counts:
        results.append(_counts(chosen(ranges.arange(size, device=device)), size))
    return results


def _vectors(ar1: Any, ar2: Any, where: str) -> tuple[Array, Array]:
    """Two operands, flattened, of the data type that they promote to."""
    first, second = compared(ar1, ar2, where, ("ar1", "ar2"))
    return Array(first).reshape(-1), Array(second).reshape(-1)


def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """Return the distinct elements that are in both arrays, ascending. Waits for the device.

    return_indices : bool
        Whether to return the index of each element's first occurrence in ar1, and in ar2, too.

    -> Array, shape (N,), of the type ar1 and ar2 promote to
        With return_indices a tuple of the elements and two Arrays of int64.
    """
    first, second = _vectors(ar1, ar2, "intersect1d(ar1, ar2)")
    places: list[Array] = []
    if not assume_unique:
        if return_indices:
            first, one = unique(first, return_index=True)
            second, other = unique(second, return_index=True)
            places = [one, other]
        else:
            first, begins = _ordered(first)
            if begins is not None:
                return first[begins & isin(first, second)]
            second = unique(second)
    count = first.size
    both = joining.concat((first, second))
    order = argsort(both) if return_indices else None
    both = sort(both) if order is None else _taken(both, order)
    twice = both[1:] == both[:-1]
    values = both[:-1][twice]
    if order is None:
        return values
    indices = [order[:-1][twice], order[1:][twice] - count]
    if places:
        indices = [_taken(place, index) for place, index in zip(places, indices, strict=True)]
    return values, *indices


def union1d(ar1: ArrayLike, ar2: ArrayLike) -> Array:
    """Return the distinct elements of both arrays together, ascending. Waits for the device.

    -> Array, shape (N,), of the data type that ar1 and ar2 promote to
    """
    found: Array = unique(joining.concat(_vectors(ar1, ar2, "union1d(ar1, ar2)")))
    return found


def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Array:
    """Return the distinct elements of ar1 that are not in ar2, ascending. Waits for the device.

    assume_unique : bool
        Whether each array is known to have no duplicates; the result then keeps ar1's order.

    -> Array, shape (N,), of the data type of ar1
    """
    where = "setdiff1d(ar1, ar2)"
    device = ar2.device if type(ar2) is Array else None
    first = ar1 if type(ar1) is Array else as_array(ar1, where, "ar1", device=device)
    second = as_array(ar2, where, "ar2", device=first.device)
    first = first.reshape(-1)
    begins = None
    if not assume_unique:
        first, begins = _ordered(first)
    is_apart = isin(first, second, invert=True)
    return first[is_apart if begins is None else begins & is_apart]


def _xor_now(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Let NumPy compare elements of one type, among them neither NaN nor zeros, which differ."""
    if ar1.dtype != ar2.dtype or ar1.dtype.kind not in "biuf":
        raise NotImplementedError
    if ar1.dtype.kind == "f":
        for one in (ar1, ar2):
            largest = numpy.maximum.reduce(one, None)
            if largest != largest or numpy.count_nonzero(one) != one.size:
                raise NotImplementedError
    return numpy.setxor1d(ar1, ar2, assume_unique)


@by_numpy(_xor_now, 2)
def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Array:
    """Return the distinct elements that only one array has, ascending. Waits for the device.

    -> Array, shape (N,), of the data type that ar1 and ar2 promote to
    """
    parts = _vectors(ar1, ar2, "setxor1d(ar1, ar2)")
    if not assume_unique:
        (first, begins), (second, begins_too) = (_ordered(part) for part in parts)
        if begins is not None and begins_too is not None and first.size and second.size:
            begins &= _nearest(first, second) != first
            begins_too &= _nearest(second, first) != second
            both = joining.concat((first, second))
            return sort(both[joining.concat((begins, begins_too))])
        if begins is not None and begins_too is not None:
            return joining.concat((first[begins], second[begins_too]))
        parts = first, second
    both = sort(joining.concat(parts))
    if not both.size:
        return both
    begins = Array(_begins(both))
    ends = fills.ones(both.shape, dtype="bool", device=both.device)
    ends[:-1] = begins[1:]
    return both[begins & ends]


@cached_call
def ediff1d(ary: ArrayLike, to_end: Any = None, to_begin: Any = None) -> Array:
    """Compute the differences of consecutive elements of the flattened array.

    to_end, to_begin : Array or values, optional
        The elements to append to the differences, and to prepend.

    -> Array, shape (N,), of the data type of ary

    >>> xarr.ediff1d([1, 2, 4, 7, 0], to_end=99).tolist()
    [1, 2, 3, -7, 99]
    """
    where = "ediff1d(ary, to_end, to_begin)"
    flat = array_of(ary, where, "ary").reshape(-1)
    if flat._view.dtype.kind == dtypes.BOOL:
        fault = "ary has dtype bool"
        raise type_error(
            where, fault, "ary must be numeric", "use diff, which tells the elements that differ"
        )
    parts = [joining.diff(flat)] if flat.size else [flat]
    for name, value in (("to_begin", to_begin), ("to_end", to_end)):
        if value is None:
            continue
        end = as_array(value, where, name, device=flat.device)
        if not numpy.can_cast(end.dtype, flat.dtype, "same_kind"):
            fault = f"{name} has dtype {end.dtype} and ary {flat.dtype}"
            accepted = (
                f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule"
            )
            raise type_error(where, fault, accepted)
        end = Array(builder.converted(end._view, flat._view.dtype)).reshape(-1)
        parts = [end, *parts] if name == "to_begin" else [*parts, end]
    return joining.concat(parts) if len(parts) > 1 else parts[0]
