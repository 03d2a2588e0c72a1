"""Orders of several keys, of complex numbers, and orders that are only partly asked for."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy

from xarr import dtypes
from xarr.array.array import Array, ArrayLike
from xarr.array.conversion import as_array, retyped
from xarr.array.door import array_of
from xarr.backends.device import get_device
from xarr.errors import type_error, value_error
from xarr.functions.index import searching
from xarr.functions.shape import manipulation
from xarr.functions.shape.manipulation import integers
from xarr.functions.sort.sorting import argsort, sort
from xarr.layout import normalize_axis


def lexsort(keys: Any, axis: SupportsIndex = -1) -> Array:
    """The indices that sort by several keys, the last one first: one stable sort for each.

    keys : sequence of K Arrays of shape (..., N, ...), or Array of shape (K, ..., N, ...)
        The keys; elements that are equal in the last one are sorted by the one before, and so on.

    >>> xarr.lexsort(([9, 4, 0], [1, 5, 1])).tolist()
    [2, 0, 1]
    """
    where = "lexsort(keys, axis)"
    if type(keys) is Array or isinstance(keys, numpy.ndarray):
        whole = array_of(keys, where, "keys")
        parts = list(manipulation.unstack(whole)) if whole.ndim else []
    else:
        device = next((key.device for key in keys if type(key) is Array), get_device())
        parts = [as_array(key, where, "a key", device=device) for key in keys]
    if not parts:
        raise type_error(where, "there are no keys", "at least one is needed")
    for part in parts:
        if part.shape != parts[0].shape:
            fault = f"keys have shapes {parts[0].shape} and {part.shape}"
            raise value_error(where, fault, "all shapes have to agree")
    if not parts[0].ndim:
        return argsort(parts[0])
    place = normalize_axis(axis, parts[0].ndim, where)
    order = argsort(parts[0], place)
    for part in parts[1:]:
        sorted_so_far = searching.take_along_axis(part, order, place)
        order = searching.take_along_axis(order, argsort(sorted_so_far, place), place)
    return order


def partition(
    a: ArrayLike,
    kth: Any,
    axis: SupportsIndex | None = -1,
    kind: str = "introselect",
    order: Any = None,
) -> Array:
    """Return a copy whose k-th element is where it is when sorted, smaller ones in front of it.

    All of it is sorted, which is one of the orders that are asked for.

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
    """The indices of what `partition` gives.

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
        raise type_error(where, f"kind is {kind!r}", "a str is accepted")
    if kind != "introselect" or order is not None:
        fault = f"kind is {kind!r} and order {order!r}"
        raise value_error(where, fault, '"introselect" and None are accepted')
    extent = x.shape[place] if x.ndim else 1
    for position in integers(kth, where, "kth"):
        if x.size and not -extent <= position < extent:
            fault = f"kth is {position}"
            accepted = f"the axis has {extent} elements, so [{-extent}, {extent}) is accepted"
            raise value_error(where, fault, accepted)
    return x, place


def sort_complex(a: ArrayLike) -> Array:
    """Return a copy, sorted by the real and then by the imaginary parts, as complex numbers.

    >>> xarr.sort_complex(xarr.asarray([5, 3, 6])).tolist()
    [(3+0j), (5+0j), (6+0j)]
    """
    where = "sort_complex(a)"
    x = sort(array_of(a, where, "a"))
    row = x._node.dtype
    if row.kind == dtypes.COMPLEX:
        return x
    small = row.kind in dtypes.INTEGER and row.itemsize <= 2
    wanted = dtypes.complex64 if small else dtypes.complex128
    if wanted is dtypes.complex128 and not x._node.device.info.has_float64:
        wanted = dtypes.complex64
    return retyped(x, wanted, where, "a")
