"""NumPy's functions of matrices that take more than those of `linalg` that have their names."""

from __future__ import annotations

from typing import Any, SupportsIndex

from xarr import errors, layout
from xarr.array.array import Array, DTypeLike
from xarr.array.door import array_of
from xarr.functions import linalg, manipulation


def diagonal(
    a: Array, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1
) -> Array:
    """The diagonals of the matrices that two axes hold; a view.

    Parameters
    ----------
    a : Array, shape (..., M, ..., N, ...)
        The array.
    offset : int, optional
        How far above the main diagonal, along axis2; negative below.
    axis1, axis2 : int, optional
        The axes of the rows and of the columns: the first two; `linalg.diagonal` has the last.

    Returns
    -------
    Array, shape (..., K)
        The other axes, then the diagonal.

    Raises
    ------
    ValueError
        If the axes are the same, or there are fewer than two.
    AxisError
        If an axis is out of range.

    Notes
    -----
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.diagonal(xarr.asarray([[1, 2], [3, 4]]), 1).tolist()
    [2]
    """
    where = "diagonal(a)"
    return linalg.diagonal_of(_last_two(a, axis1, axis2, where), offset, where)


def trace(
    a: Array,
    offset: SupportsIndex = 0,
    axis1: SupportsIndex = 0,
    axis2: SupportsIndex = 1,
    dtype: DTypeLike = None,
) -> Array:
    """The sums of the diagonals of the matrices that two axes hold.

    Parameters
    ----------
    a : numeric Array, shape (..., M, ..., N, ...)
        The array.
    offset : int, optional
        How far above the main diagonal, along axis2; negative below.
    axis1, axis2 : int, optional
        The axes of the rows and of the columns: the first two; `linalg.trace` has the last.
    dtype : dtype, optional
        Of the result; as for `sum`.

    Returns
    -------
    Array, shape of the other axes
        The sums.

    Raises
    ------
    ValueError
        If the axes are the same, or there are fewer than two.
    AxisError
        If an axis is out of range.

    Notes
    -----
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> int(xarr.trace(xarr.asarray([[1, 2], [3, 4]])))
    5
    """
    where = "trace(a)"
    return linalg.trace_of(_last_two(a, axis1, axis2, where), offset, dtype, where)


def _last_two(a: Any, axis1: SupportsIndex, axis2: SupportsIndex, where: str) -> Array:
    """The array with two axes moved to the end."""
    a = array_of(a, where)
    ndim = a.ndim
    if ndim < 2:
        raise ValueError(errors.message(where, f"a has {ndim} dimensions", "at least 2 are needed"))
    places = tuple(layout.normalize_axis(axis, ndim, where) for axis in (axis1, axis2))
    if places[0] == places[1]:
        raise ValueError(
            errors.message(where, f"axis1 and axis2 are {axis1}", "two different axes are accepted")
        )
    return manipulation.moveaxis(a, places, (-2, -1))
