"""Arrays of one value: written from the rows of `tables.fills`.

``python -m tools.chapters --write`` writes this file; edit the rows.
"""

from __future__ import annotations

from typing import Any

from xarr.array.array import Array, ArrayLike, DeviceLike, DTypeLike, ShapeLike
from xarr.functions.creation import filled, filled_like


def empty(
    shape: ShapeLike,
    dtype: DTypeLike = None,
    order: str | None = "C",
    *,
    device: DeviceLike = None,
    like: Any = None,
) -> Array:
    """Make an array whose values are not specified; they are zeros.

    Parameters
    ----------
    shape : int or tuple of int
        The shape.
    dtype : dtype, optional
        The data type; the device's default floating-point one where None.
    order : {"C", "F"}, optional
        Which index runs fastest in memory: the last, or as in Fortran the first.
    device : Device, str or None
        The device; the default device where None.
    like : object, optional
        Not used; an argument of NumPy's.

    Returns
    -------
    Array, of the given shape
        Some values.

    Raises
    ------
    ValueError
        If an extent is negative.
    TypeError
        If shape is not made of integers, or the device lacks dtype.

    Notes
    -----
    Python Array API standard 2025.12, creation functions; dtype may also be positional, as in
    NumPy, and order and like are NumPy's.

    Examples
    --------
    >>> import xarr
    >>> xarr.empty(2, dtype="int8").tolist()
    [0, 0]
    """
    return filled(0, shape, dtype, device, "empty(shape)", order)


def empty_like(
    prototype: ArrayLike,
    dtype: DTypeLike = None,
    order: str | None = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> Array:
    """Make an array like another array, whose values are not specified; they are zeros.

    Parameters
    ----------
    prototype : Array, shape (...)
        The array whose shape, dtype and device are taken.
    dtype : dtype, optional
        The data type, if another one.
    order : {"C", "F", "A", "K"}, optional
        How the elements lie in memory: in C order, in Fortran's, or as they do there.
    subok : bool
        Not used, since arrays have no subclasses.
    shape : int or tuple of int, optional
        The shape, if another one.
    device : Device, str or None
        The device, if another one.

    Returns
    -------
    Array, shape (...)
        Some values.

    Raises
    ------
    TypeError
        If shape is not made of integers, or the device lacks dtype.

    Notes
    -----
    Python Array API standard 2025.12, creation functions; order, subok and shape are NumPy's.

    Examples
    --------
    >>> import xarr
    >>> xarr.empty_like(xarr.asarray([1, 2])).tolist()
    [0, 0]
    """
    return filled_like(prototype, 0, dtype, shape, device, "empty_like(prototype)", order)


def ones(
    shape: ShapeLike,
    dtype: DTypeLike = None,
    order: str | None = "C",
    *,
    device: DeviceLike = None,
    like: Any = None,
) -> Array:
    """Make an array of ones.

    Parameters
    ----------
    shape : int or tuple of int
        The shape.
    dtype : dtype, optional
        The data type; the device's default floating-point one where None.
    order : {"C", "F"}, optional
        Which index runs fastest in memory: the last, or as in Fortran the first.
    device : Device, str or None
        The device; the default device where None.
    like : object, optional
        Not used; an argument of NumPy's.

    Returns
    -------
    Array, of the given shape
        Ones.

    Raises
    ------
    ValueError
        If an extent is negative.
    TypeError
        If shape is not made of integers, or the device lacks dtype.

    Notes
    -----
    Python Array API standard 2025.12, creation functions; dtype may also be positional, as in
    NumPy, and order and like are NumPy's.

    Examples
    --------
    >>> import xarr
    >>> xarr.ones(2, dtype="int8").tolist()
    [1, 1]
    """
    return filled(1, shape, dtype, device, "ones(shape)", order)


def ones_like(
    a: ArrayLike,
    dtype: DTypeLike = None,
    order: str | None = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> Array:
    """Make an array like another array, of ones.

    Parameters
    ----------
    a : Array, shape (...)
        The array whose shape, dtype and device are taken.
    dtype : dtype, optional
        The data type, if another one.
    order : {"C", "F", "A", "K"}, optional
        How the elements lie in memory: in C order, in Fortran's, or as they do there.
    subok : bool
        Not used, since arrays have no subclasses.
    shape : int or tuple of int, optional
        The shape, if another one.
    device : Device, str or None
        The device, if another one.

    Returns
    -------
    Array, shape (...)
        Ones.

    Raises
    ------
    TypeError
        If shape is not made of integers, or the device lacks dtype.

    Notes
    -----
    Python Array API standard 2025.12, creation functions; order, subok and shape are NumPy's.

    Examples
    --------
    >>> import xarr
    >>> xarr.ones_like(xarr.asarray([1, 2])).tolist()
    [1, 1]
    """
    return filled_like(a, 1, dtype, shape, device, "ones_like(a)", order)


def zeros(
    shape: ShapeLike,
    dtype: DTypeLike = None,
    order: str | None = "C",
    *,
    device: DeviceLike = None,
    like: Any = None,
) -> Array:
    """Make an array of zeros.

    Parameters
    ----------
    shape : int or tuple of int
        The shape.
    dtype : dtype, optional
        The data type; the device's default floating-point one where None.
    order : {"C", "F"}, optional
        Which index runs fastest in memory: the last, or as in Fortran the first.
    device : Device, str or None
        The device; the default device where None.
    like : object, optional
        Not used; an argument of NumPy's.

    Returns
    -------
    Array, of the given shape
        Zeros.

    Raises
    ------
    ValueError
        If an extent is negative.
    TypeError
        If shape is not made of integers, or the device lacks dtype.

    Notes
    -----
    Python Array API standard 2025.12, creation functions; dtype may also be positional, as in
    NumPy, and order and like are NumPy's.

    Examples
    --------
    >>> import xarr
    >>> xarr.zeros(2, dtype="int8").tolist()
    [0, 0]
    """
    return filled(0, shape, dtype, device, "zeros(shape)", order)


def zeros_like(
    a: ArrayLike,
    dtype: DTypeLike = None,
    order: str | None = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: DeviceLike = None,
) -> Array:
    """Make an array like another array, of zeros.

    Parameters
    ----------
    a : Array, shape (...)
        The array whose shape, dtype and device are taken.
    dtype : dtype, optional
        The data type, if another one.
    order : {"C", "F", "A", "K"}, optional
        How the elements lie in memory: in C order, in Fortran's, or as they do there.
    subok : bool
        Not used, since arrays have no subclasses.
    shape : int or tuple of int, optional
        The shape, if another one.
    device : Device, str or None
        The device, if another one.

    Returns
    -------
    Array, shape (...)
        Zeros.

    Raises
    ------
    TypeError
        If shape is not made of integers, or the device lacks dtype.

    Notes
    -----
    Python Array API standard 2025.12, creation functions; order, subok and shape are NumPy's.

    Examples
    --------
    >>> import xarr
    >>> xarr.zeros_like(xarr.asarray([1, 2])).tolist()
    [0, 0]
    """
    return filled_like(a, 0, dtype, shape, device, "zeros_like(a)", order)
