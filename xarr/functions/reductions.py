"""Reductions and scans: written from the rows of `tables.reductions`.

``python -m tools.chapters --write`` writes this file; edit the rows.
"""

from __future__ import annotations

from typing import SupportsIndex

from xarr.array.array import Array, Axis, DTypeLike
from xarr.array.door import door
from xarr.engine.expression import Node
from xarr.functions.applying import reduced, scanned
from xarr.tables import reductions as rows


@door
def all(x: Node, /, axis: Axis = None, keepdims: bool = False) -> Array:
    """Whether all elements are nonzero.

    Parameters
    ----------
    x : any Array, shape (...)
        The operand; an expression is not stored, but computed on the way.
    axis : int, tuple of int or None
        The axes to reduce; None for all.
    keepdims : bool
        Whether to keep the reduced axes, with extent 1.

    Returns
    -------
    Array of dtype bool
        Its shape is that of the axes that are left.

    Raises
    ------
    TypeError
        If x has another dtype, or can be made no array.
    ValueError
        If an axis is named twice.
    IndexError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12. The order of operations, and so every bit of the result, is
    the same on all devices.

    Examples
    --------
    >>> import xarr
    >>> xarr.all(xarr.asarray([1, 2, 3]) > 1).tolist()
    False
    """
    return reduced(rows.all, x, axis, keepdims=keepdims)


@door
def any(x: Node, /, axis: Axis = None, keepdims: bool = False) -> Array:
    """Whether an element is nonzero.

    Parameters
    ----------
    x : any Array, shape (...)
        The operand; an expression is not stored, but computed on the way.
    axis : int, tuple of int or None
        The axes to reduce; None for all.
    keepdims : bool
        Whether to keep the reduced axes, with extent 1.

    Returns
    -------
    Array of dtype bool
        Its shape is that of the axes that are left.

    Raises
    ------
    TypeError
        If x has another dtype, or can be made no array.
    ValueError
        If an axis is named twice.
    IndexError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12. The order of operations, and so every bit of the result, is
    the same on all devices.

    Examples
    --------
    >>> import xarr
    >>> xarr.any(xarr.asarray([1, 2, 3]) > 1).tolist()
    True
    """
    return reduced(rows.any, x, axis, keepdims=keepdims)


@door
def argmax(x: Node, /, axis: SupportsIndex | None = None, keepdims: bool = False) -> Array:
    """The index of the first largest element; of the first NaN if any.

    Parameters
    ----------
    x : real numeric or bool Array, shape (...)
        The operand; an expression is not stored, but computed on the way.
    axis : int or None
        The axis; None for all elements in C order.
    keepdims : bool
        Whether to keep the reduced axes, with extent 1.

    Returns
    -------
    Array of dtype int64
        Its shape is that of the axes that are left.

    Raises
    ------
    TypeError
        If x has another dtype, or can be made no array.
    ValueError
        If an axis is named twice, or there are no elements.
    IndexError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12. The order of operations, and so every bit of the result, is
    the same on all devices.

    Examples
    --------
    >>> import xarr
    >>> xarr.argmax(xarr.asarray([1, 2, 3])).tolist()
    2
    """
    return reduced(rows.argmax, x, axis, keepdims=keepdims)


@door
def argmin(x: Node, /, axis: SupportsIndex | None = None, keepdims: bool = False) -> Array:
    """The index of the first smallest element; of the first NaN if any.

    Parameters
    ----------
    x : real numeric or bool Array, shape (...)
        The operand; an expression is not stored, but computed on the way.
    axis : int or None
        The axis; None for all elements in C order.
    keepdims : bool
        Whether to keep the reduced axes, with extent 1.

    Returns
    -------
    Array of dtype int64
        Its shape is that of the axes that are left.

    Raises
    ------
    TypeError
        If x has another dtype, or can be made no array.
    ValueError
        If an axis is named twice, or there are no elements.
    IndexError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12. The order of operations, and so every bit of the result, is
    the same on all devices.

    Examples
    --------
    >>> import xarr
    >>> xarr.argmin(xarr.asarray([1, 2, 3])).tolist()
    0
    """
    return reduced(rows.argmin, x, axis, keepdims=keepdims)


@door
def count_nonzero(x: Node, /, axis: Axis = None, keepdims: bool = False) -> Array:
    """The number of nonzero elements.

    Parameters
    ----------
    x : any Array, shape (...)
        The operand; an expression is not stored, but computed on the way.
    axis : int, tuple of int or None
        The axes to reduce; None for all.
    keepdims : bool
        Whether to keep the reduced axes, with extent 1.

    Returns
    -------
    Array of dtype int64
        Its shape is that of the axes that are left.

    Raises
    ------
    TypeError
        If x has another dtype, or can be made no array.
    ValueError
        If an axis is named twice.
    IndexError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12. The order of operations, and so every bit of the result, is
    the same on all devices.

    Examples
    --------
    >>> import xarr
    >>> xarr.count_nonzero(xarr.asarray([1, 2, 3])).tolist()
    3
    """
    return reduced(rows.count_nonzero, x, axis, keepdims=keepdims)


@door
def cumulative_prod(
    x: Node,
    /,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike = None,
    include_initial: bool = False,
) -> Array:
    """The products of the elements up to each place.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; an expression is not stored, but computed on the way.
    axis : int or None
        The axis; None where x has one dimension.
    dtype : data type or None
        The type to accumulate in and to return.
    include_initial : bool
        Begin with the value of no elements.

    Returns
    -------
    Array of dtype x's, or 64-bit for integers
        Of the shape of x.

    Raises
    ------
    TypeError
        If x has another dtype, or can be made no array.
    ValueError
        If an axis is named twice.
    IndexError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12. The order of operations, and so every bit of the result, is
    the same on all devices.

    Examples
    --------
    >>> import xarr
    >>> xarr.cumulative_prod(xarr.asarray([1, 2, 3])).tolist()
    [1, 2, 6]
    """
    return scanned(rows.cumulative_prod, x, axis, dtype=dtype, include_initial=include_initial)


@door
def cumulative_sum(
    x: Node,
    /,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike = None,
    include_initial: bool = False,
) -> Array:
    """The sums of the elements up to each place.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; an expression is not stored, but computed on the way.
    axis : int or None
        The axis; None where x has one dimension.
    dtype : data type or None
        The type to accumulate in and to return.
    include_initial : bool
        Begin with the value of no elements.

    Returns
    -------
    Array of dtype x's, or 64-bit for integers
        Of the shape of x.

    Raises
    ------
    TypeError
        If x has another dtype, or can be made no array.
    ValueError
        If an axis is named twice.
    IndexError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12. The order of operations, and so every bit of the result, is
    the same on all devices.

    Examples
    --------
    >>> import xarr
    >>> xarr.cumulative_sum(xarr.asarray([1, 2, 3])).tolist()
    [1, 3, 6]
    """
    return scanned(rows.cumulative_sum, x, axis, dtype=dtype, include_initial=include_initial)


@door
def max(x: Node, /, axis: Axis = None, keepdims: bool = False) -> Array:
    """The largest element; NaN if any is.

    Parameters
    ----------
    x : real numeric or bool Array, shape (...)
        The operand; an expression is not stored, but computed on the way.
    axis : int, tuple of int or None
        The axes to reduce; None for all.
    keepdims : bool
        Whether to keep the reduced axes, with extent 1.

    Returns
    -------
    Array of dtype x's
        Its shape is that of the axes that are left.

    Raises
    ------
    TypeError
        If x has another dtype, or can be made no array.
    ValueError
        If an axis is named twice, or there are no elements.
    IndexError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12. The order of operations, and so every bit of the result, is
    the same on all devices.

    Examples
    --------
    >>> import xarr
    >>> xarr.max(xarr.asarray([1, 2, 3])).tolist()
    3
    """
    return reduced(rows.max, x, axis, keepdims=keepdims)


@door
def mean(x: Node, /, axis: Axis = None, keepdims: bool = False) -> Array:
    """The arithmetic mean.

    Parameters
    ----------
    x : any Array, shape (...)
        The operand; an expression is not stored, but computed on the way.
    axis : int, tuple of int or None
        The axes to reduce; None for all.
    keepdims : bool
        Whether to keep the reduced axes, with extent 1.

    Returns
    -------
    Array of dtype x's floating-point type
        Its shape is that of the axes that are left.

    Raises
    ------
    TypeError
        If x has another dtype, or can be made no array.
    ValueError
        If an axis is named twice.
    IndexError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12. The order of operations, and so every bit of the result, is
    the same on all devices.

    Examples
    --------
    >>> import xarr
    >>> xarr.mean(xarr.asarray([1, 2, 3])).tolist()
    2.0
    """
    return reduced(rows.mean, x, axis, keepdims=keepdims)


@door
def min(x: Node, /, axis: Axis = None, keepdims: bool = False) -> Array:
    """The smallest element; NaN if any is.

    Parameters
    ----------
    x : real numeric or bool Array, shape (...)
        The operand; an expression is not stored, but computed on the way.
    axis : int, tuple of int or None
        The axes to reduce; None for all.
    keepdims : bool
        Whether to keep the reduced axes, with extent 1.

    Returns
    -------
    Array of dtype x's
        Its shape is that of the axes that are left.

    Raises
    ------
    TypeError
        If x has another dtype, or can be made no array.
    ValueError
        If an axis is named twice, or there are no elements.
    IndexError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12. The order of operations, and so every bit of the result, is
    the same on all devices.

    Examples
    --------
    >>> import xarr
    >>> xarr.min(xarr.asarray([1, 2, 3])).tolist()
    1
    """
    return reduced(rows.min, x, axis, keepdims=keepdims)


@door
def prod(x: Node, /, axis: Axis = None, dtype: DTypeLike = None, keepdims: bool = False) -> Array:
    """The product of the elements.

    Parameters
    ----------
    x : any Array, shape (...)
        The operand; an expression is not stored, but computed on the way.
    axis : int, tuple of int or None
        The axes to reduce; None for all.
    dtype : data type or None
        The type to accumulate in and to return.
    keepdims : bool
        Whether to keep the reduced axes, with extent 1.

    Returns
    -------
    Array of dtype x's, or 64-bit for integers
        Its shape is that of the axes that are left.

    Raises
    ------
    TypeError
        If x has another dtype, or can be made no array.
    ValueError
        If an axis is named twice.
    IndexError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12. The order of operations, and so every bit of the result, is
    the same on all devices.

    Examples
    --------
    >>> import xarr
    >>> xarr.prod(xarr.asarray([1, 2, 3])).tolist()
    6
    """
    return reduced(rows.prod, x, axis, dtype=dtype, keepdims=keepdims)


@door
def std(
    x: Node,
    /,
    axis: Axis = None,
    correction: float = 0.0,
    keepdims: bool = False,
    ddof: float | None = None,
) -> Array:
    """The standard deviation.

    Parameters
    ----------
    x : real numeric or bool Array, shape (...)
        The operand; an expression is not stored, but computed on the way.
    axis : int, tuple of int or None
        The axes to reduce; None for all.
    correction : float
        What is subtracted from the number of elements that the sum of squares is divided by.
    keepdims : bool
        Whether to keep the reduced axes, with extent 1.
    ddof : float or None
        NumPy's name of `correction`.

    Returns
    -------
    Array of dtype x's floating-point type
        Its shape is that of the axes that are left.

    Raises
    ------
    TypeError
        If x has another dtype, or can be made no array.
    ValueError
        If an axis is named twice.
    IndexError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12. The order of operations, and so every bit of the result, is
    the same on all devices.

    Examples
    --------
    >>> import xarr
    >>> xarr.std(xarr.asarray([1, 2, 3])).shape
    ()
    """
    return reduced(
        rows.std, x, axis, correction=correction if ddof is None else ddof, keepdims=keepdims
    )


@door
def sum(x: Node, /, axis: Axis = None, dtype: DTypeLike = None, keepdims: bool = False) -> Array:
    """The sum of the elements.

    Parameters
    ----------
    x : any Array, shape (...)
        The operand; an expression is not stored, but computed on the way.
    axis : int, tuple of int or None
        The axes to reduce; None for all.
    dtype : data type or None
        The type to accumulate in and to return.
    keepdims : bool
        Whether to keep the reduced axes, with extent 1.

    Returns
    -------
    Array of dtype x's, or 64-bit for integers
        Its shape is that of the axes that are left.

    Raises
    ------
    TypeError
        If x has another dtype, or can be made no array.
    ValueError
        If an axis is named twice.
    IndexError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12. The order of operations, and so every bit of the result, is
    the same on all devices.

    Examples
    --------
    >>> import xarr
    >>> xarr.sum(xarr.asarray([1, 2, 3])).tolist()
    6
    """
    return reduced(rows.sum, x, axis, dtype=dtype, keepdims=keepdims)


@door
def var(
    x: Node,
    /,
    axis: Axis = None,
    correction: float = 0.0,
    keepdims: bool = False,
    ddof: float | None = None,
) -> Array:
    """The variance.

    Parameters
    ----------
    x : real numeric or bool Array, shape (...)
        The operand; an expression is not stored, but computed on the way.
    axis : int, tuple of int or None
        The axes to reduce; None for all.
    correction : float
        What is subtracted from the number of elements that the sum of squares is divided by.
    keepdims : bool
        Whether to keep the reduced axes, with extent 1.
    ddof : float or None
        NumPy's name of `correction`.

    Returns
    -------
    Array of dtype x's floating-point type
        Its shape is that of the axes that are left.

    Raises
    ------
    TypeError
        If x has another dtype, or can be made no array.
    ValueError
        If an axis is named twice.
    IndexError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12. The order of operations, and so every bit of the result, is
    the same on all devices.

    Examples
    --------
    >>> import xarr
    >>> xarr.var(xarr.asarray([1, 2, 3])).shape
    ()
    """
    return reduced(
        rows.var, x, axis, correction=correction if ddof is None else ddof, keepdims=keepdims
    )
