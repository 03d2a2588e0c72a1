"""Sets: the distinct elements of an array, and membership.

On a CPU NumPy finds them, in the array's own memory; on other devices they come from a stable sort
and expressions. NaN are distinct from each other, 0.0 and -0.0 are not; values ascend.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy

from xarr import dtypes
from xarr.algorithms import gather, library
from xarr.array.array import Array
from xarr.array.door import node_of, together
from xarr.engine.expression import Node, constant
from xarr.functions import creation, elementwise, fills, joining, reductions, searching
from xarr.functions.sorting import argsort, searchsorted, sort


class UniqueAllResult(NamedTuple):
    """The result of `unique_all`."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """The result of `unique_counts`."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """The result of `unique_inverse`."""

    values: Array
    inverse_indices: Array


def unique_values(x: Array, /) -> Array:
    """The distinct elements of an array, ascending.

    Parameters
    ----------
    x : Array, shape (...)
        The operand, taken as flattened.

    Returns
    -------
    Array, shape (count,)
        Of the dtype of x. Each NaN is distinct.

    Raises
    ------
    TypeError
        If x is no array.

    Notes
    -----
    Python Array API standard 2025.12, set functions. Waits for the device, since the shape depends
    on the values.

    Examples
    --------
    >>> import xarr
    >>> xarr.unique_values(xarr.asarray([2, 1, 2])).tolist()
    [1, 2]
    """
    node = node_of(x, "unique_values(x)")
    if library.is_preferred(node.device):
        with library.opened("unique_values(x)", (node,)) as (values,):
            return _uploaded(_unique(values)[0], node)
    ordered = sort(x.reshape(-1))
    return Array(gather.compress(ordered._node, _begins(ordered)))


def unique_counts(x: Array, /) -> UniqueCountsResult:
    """The distinct elements of an array, ascending, and how often each occurs.

    Parameters
    ----------
    x : Array, shape (...)
        The operand, taken as flattened.

    Returns
    -------
    UniqueCountsResult: values, counts, shapes (count,)
        The values have the dtype of x, the counts int64. Each NaN is distinct.

    Raises
    ------
    TypeError
        If x is no array.

    Notes
    -----
    Python Array API standard 2025.12, set functions. Waits for the device, since the shape depends
    on the values.

    Examples
    --------
    >>> import xarr
    >>> xarr.unique_counts(xarr.asarray([2, 1, 2])).counts.tolist()
    [1, 2]
    """
    node = node_of(x, "unique_counts(x)")
    if library.is_preferred(node.device):
        with library.opened("unique_counts(x)", (node,)) as (values,):
            found = _unique(values, return_counts=True)
            return UniqueCountsResult(*(_uploaded(part, node) for part in found))
    ordered = sort(x.reshape(-1))
    begins = _begins(ordered)
    return UniqueCountsResult(Array(gather.compress(ordered._node, begins)), _counts(begins))


def unique_inverse(x: Array, /) -> UniqueInverseResult:
    """The distinct elements of an array, ascending, and which of them each element is.

    Parameters
    ----------
    x : Array, shape (...)
        The operand, taken as flattened.

    Returns
    -------
    UniqueInverseResult: values, shape (count,), inverse_indices, shape (...)
        The values have the dtype of x; the indices are int64, such that values[inverse_indices] is
        x. Each NaN is distinct.

    Raises
    ------
    TypeError
        If x is no array.

    Notes
    -----
    Python Array API standard 2025.12, set functions. Waits for the device, since the shape depends
    on the values.

    Examples
    --------
    >>> import xarr
    >>> xarr.unique_inverse(xarr.asarray([2, 1, 2])).inverse_indices.tolist()
    [1, 0, 1]
    """
    result = _all(x, "unique_inverse(x)")
    return UniqueInverseResult(result.values, result.inverse_indices)


def unique_all(x: Array, /) -> UniqueAllResult:
    """The distinct elements of an array, where each occurs first, which each element is, how often.

    Parameters
    ----------
    x : Array, shape (...)
        The operand, taken as flattened.

    Returns
    -------
    UniqueAllResult: values, indices, inverse_indices, counts
        The values, ascending, shape (count,), of the dtype of x; int64 Arrays: the index in the
        flattened x of the first of each, shape (count,); the index of each element's value, shape
        (...); how often each value occurs, shape (count,). Each NaN is distinct.

    Raises
    ------
    TypeError
        If x is no array.

    Notes
    -----
    Python Array API standard 2025.12, set functions. Waits for the device, since the shape depends
    on the values.

    Examples
    --------
    >>> import xarr
    >>> xarr.unique_all(xarr.asarray([2, 1, 2])).indices.tolist()
    [1, 0]
    """
    return _all(x, "unique_all(x)")


def _all(x: Array, where: str) -> UniqueAllResult:
    node = node_of(x, where)
    if library.is_preferred(node.device):
        with library.opened(where, (node,)) as (values,):
            found = _unique(values, return_index=True, return_inverse=True, return_counts=True)
            shaped = (found[0], found[1], found[2].reshape(node.shape), found[3])
            return UniqueAllResult(*(_uploaded(part, node) for part in shaped))
    order = argsort(x.reshape(-1))
    ordered = searching.take(x.reshape(-1), order, axis=0)
    begins = _begins(ordered)
    number = reductions.cumulative_sum(Array(begins).astype("int64")) - 1
    inverse = fills.zeros(order.shape, dtype="int64", device=x.device)
    inverse[order] = number
    return UniqueAllResult(
        Array(gather.compress(ordered._node, begins)),
        Array(gather.compress(order._node, begins)),
        inverse.reshape(x.shape),
        _counts(begins),
    )


def _begins(ordered: Array) -> Node:
    """For each element of a sorted array, whether another value begins with it."""
    begins: Array = fills.ones(ordered.shape, dtype="bool", device=ordered.device)
    begins[1:] = ordered[1:] != ordered[:-1]
    return begins._node


def _counts(begins: Node) -> Array:
    """How long the runs are whose first elements are marked."""
    (starts,) = gather.nonzero(begins)
    end = creation.asarray([begins.shape[0]], dtype="int64", device=begins.device)
    bounds = joining.concat((Array(starts), end))
    return bounds[1:] - bounds[:-1]


def _unique(values: library.Host, **returned: bool) -> tuple[library.Host, ...]:
    """What `numpy.unique` returns, each NaN distinct; a tuple in any case.

    Of equal elements the first one stands, which tells of zeros: on other devices it does too.
    """
    # Asked for the indices, NumPy sorts in a stable way.
    for_order = values.dtype.kind == "c" and "return_index" not in returned
    if for_order:
        returned["return_index"] = True
    found = numpy.unique(_sortable(values), equal_nan=False, **returned)  # type: ignore[call-overload]
    first, *others = found if returned else (found,)
    first = first.astype(values.dtype)
    if for_order:
        others.pop(0)
    if values.dtype.kind == "f":
        zero = numpy.searchsorted(first, 0)
        if zero < first.size and first[zero] == 0:
            first[zero] = values.flat[numpy.argmax(values == 0)]
    return first, *others


def _sortable(values: library.Host) -> library.Host:
    """Values of a type that NumPy (2.4) sorts right with AVX-512, where float16 comes out wrong."""
    return values.astype(numpy.float32) if values.dtype == numpy.float16 else values


def _uploaded(values: library.Host, node: Node) -> Array:
    """What NumPy has found, as an array on the operand's device."""
    return creation.asarray(values, device=node.device)


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Array:
    """Whether each element of an array is among the elements of another.

    Parameters
    ----------
    x1 : Array or Python scalar, shape (...)
        The elements to look for.
    x2 : Array or Python scalar, any shape
        The elements to look among. At least one operand is an Array.
    invert : bool, optional
        Whether to test that it is not.

    Returns
    -------
    bool Array, shape (...)
        NaN is equal to nothing.

    Raises
    ------
    TypeError
        If neither operand is an array.

    Notes
    -----
    Python Array API standard 2025.12, set functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.isin(xarr.asarray([1, 2, 3]), xarr.asarray([3, 1])).tolist()
    [True, False, True]
    """
    where = "isin(x1, x2)"
    first, second = together(x1, x2, where)
    device = first.device
    if 0 in second.shape or 0 in first.shape:
        return Array(constant(bool(invert), dtypes.bool_, first.shape, device))
    if library.is_preferred(device):
        with device.lock:
            result = library.room(first.shape, dtypes.bool_, device)
            with library.opened(where, (first, second), (result,)) as (wanted, among, found):
                found[...] = numpy.isin(_sortable(wanted), _sortable(among), invert=bool(invert))
        return Array(result)
    among_sorted = sort(Array(second).reshape(-1))
    places = searchsorted(among_sorted, Array(first))
    last = among_sorted.shape[0] - 1
    nearest = searching.take(among_sorted, elementwise.minimum(places, last), axis=0)
    found_there: Array = nearest != Array(first) if invert else nearest == Array(first)
    return found_there
