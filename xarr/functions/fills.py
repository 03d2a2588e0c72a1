"""Arrays of one value that is known beforehand."""

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
    dtype : dtype, optional
        The data type; the device's default floating-point one where None.

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

    Examples
    --------
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

    Returns
    -------
    Array, shape (...)
        Some values.

    Raises
    ------
    TypeError
        If shape is not made of integers, or the device lacks dtype.

    Examples
    --------
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
    dtype : dtype, optional
        The data type; the device's default floating-point one where None.

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

    Examples
    --------
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

    Returns
    -------
    Array, shape (...)
        Ones.

    Raises
    ------
    TypeError
        If shape is not made of integers, or the device lacks dtype.

    Examples
    --------
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
    dtype : dtype, optional
        The data type; the device's default floating-point one where None.

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

    Examples
    --------
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

    Returns
    -------
    Array, shape (...)
        Zeros.

    Raises
    ------
    TypeError
        If shape is not made of integers, or the device lacks dtype.

    Examples
    --------
    >>> xarr.zeros_like(xarr.asarray([1, 2])).tolist()
    [0, 0]
    """
    return filled_like(a, 0, dtype, shape, device, "zeros_like(a)", order)
