"""Splits of an array into views: into equal parts, at indices, and along an axis one by one."""

from __future__ import annotations

import itertools
from typing import Any, SupportsIndex

import numpy

from xarr.array.array import Array, ArrayLike
from xarr.array.coerce import array_of, as_array
from xarr.array.layouts import settled, view
from xarr.errors import value_error
from xarr.functions.calls.on_host import host_of
from xarr.functions.shape.manipulation import at_least, integers
from xarr.layout import Layout, integer, normalize_axis


def unstack(x: Array, /, axis: SupportsIndex = 0) -> tuple[Array, ...]:
    """Split an array along an axis into views with one axis fewer.

    -> tuple of Array, of the data type of x, one axis fewer

    >>> [int(item) for item in xarr.unstack(xarr.arange(3))]
    [0, 1, 2]
    """
    where = "unstack(x, axis)"
    x = array_of(x, where)
    place = normalize_axis(axis, x.ndim, where)
    given = settled(x)
    if not place and x.ndim > 1:
        return tuple(x)  # which makes views in a quarter of the time
    kept = given.permuted([number for number in range(x.ndim) if number != place])
    return tuple(
        view(x, Layout(kept.shape, kept.strides, given.offset + number * given.strides[place]))
        for number in range(given.shape[place])
    )


def array_split(ary: ArrayLike, indices_or_sections: Any, axis: SupportsIndex = 0) -> list[Array]:
    """Split an array along an axis into views, at indices or into almost equal parts.

    indices_or_sections : int or sequence of int
        The number of parts; or the indices at which the parts after the first begin.

    -> list of Array, of the data type of ary

    ValueError -- If the number of parts is below 1.

    >>> [part.tolist() for part in xarr.array_split(xarr.arange(5), 2)]
    [[0, 1, 2], [3, 4]]
    """
    where = "array_split(ary, indices_or_sections, axis)"
    x = array_of(ary, where, "ary")
    place = normalize_axis(axis, x.ndim, where)
    return _pieces(x, indices_or_sections, place, where)


def _pieces(x: Array, sections: Any, place: int, where: str) -> list[Array]:
    """The parts that `array_split` makes."""
    extent = x.shape[place]
    if type(sections) is Array:
        sections = host_of(sections, where)
    if isinstance(sections, numpy.ndarray):
        sections = sections.tolist()
    if isinstance(sections, tuple | list):
        cuts = [0, *integers(sections, where, "indices_or_sections"), extent]
    else:
        count = integer(sections, where, "indices_or_sections")
        if count <= 0:
            raise value_error(where, f"{count} parts were asked for", "there must be at least 1")
        size, larger = divmod(extent, count)
        cuts = [0, *itertools.accumulate([size + 1] * larger + [size] * (count - larger))]
    before = (slice(None),) * place
    return [x[(*before, slice(*ends))] for ends in itertools.pairwise(cuts)]


def split(ary: ArrayLike, indices_or_sections: Any, axis: SupportsIndex = 0) -> list[Array]:
    """Split an array along an axis into views, of one size or at indices.

    indices_or_sections : int or sequence of int
        The number of parts; or the indices at which the parts after the first begin.

    -> list of Array, of the data type of ary

    ValueError -- If the axis cannot be split into that many equal parts.
    """
    where = "split(ary, indices_or_sections, axis)"
    x = array_of(ary, where, "ary")
    return _equal_pieces(x, indices_or_sections, normalize_axis(axis, x.ndim, where), where)


def _equal_pieces(x: Array, count: Any, place: int, where: str) -> list[Array]:
    """The parts that `split` makes."""
    if isinstance(count, int) and count > 0 and x.shape[place] % count:
        fault = f"axis {place} has {x.shape[place]} elements"
        accepted = f"that must be a multiple of {count}"
        raise value_error(where, fault, accepted, "use array_split for parts that differ")
    return _pieces(x, count, place, where)


def hsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Array]:
    """Split an array along its second axis, or a vector along its first; see `split`.

    -> list of Array, of the data type of ary
    """
    where = "hsplit(ary, indices_or_sections)"
    x = at_least(array_of(ary, where, "ary"), 1, where)
    return _equal_pieces(x, indices_or_sections, 0 if x.ndim == 1 else 1, where)


def vsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Array]:
    """Split an array of at least two axes along its first; see `split`.

    -> list of Array, of the data type of ary

    >>> len(xarr.vsplit(xarr.eye(4), 2))
    2
    """
    where = "vsplit(ary, indices_or_sections)"
    x = at_least(array_of(ary, where, "ary"), 2, where)
    return _equal_pieces(x, indices_or_sections, 0, where)


def dsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Array]:
    """Split an array of at least three axes along its third; see `split`.

    -> list of Array, of the data type of ary

    >>> [part.shape for part in xarr.dsplit(xarr.zeros((2, 2, 4)), 2)]
    [(2, 2, 2), (2, 2, 2)]
    """
    where = "dsplit(ary, indices_or_sections)"
    x = at_least(as_array(ary, where, "ary"), 3, where)
    return _equal_pieces(x, indices_or_sections, 2, where)
