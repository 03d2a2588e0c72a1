"""Arrays of one value that is known beforehand."""

from __future__ import annotations

from typing import Any

from xarr.array.array import Array, ArrayLike, DeviceLike, DTypeLike, ShapeLike
from xarr.functions.create.creation import filled, filled_like


def empty(
    shape: ShapeLike,
    dtype: DTypeLike = None,
    order: str | None = "C",
    *,
    device: DeviceLike = None,
    like: Any = None,
) -> Array:
    """Make an array of unspecified values; in xarr they are zeros.

    order : {"C", "F"} -- The index that runs fastest in memory: the last (C) or the first (F).

    -> Array, shape as given
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
    """Make an array of unspecified values, in xarr zeros, with the shape and dtype of another.

    -> Array, shape and data type of prototype unless given
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

    order : {"C", "F"} -- The index that runs fastest in memory: the last (C) or the first (F).

    -> Array, shape as given
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
    """Make an array of ones, with the shape and dtype of another.

    -> Array, shape and data type of a unless given
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

    order : {"C", "F"} -- The index that runs fastest in memory: the last (C) or the first (F).

    -> Array, shape as given
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
    """Make an array of zeros, with the shape and dtype of another.

    -> Array, shape and data type of a unless given
    """
    return filled_like(a, 0, dtype, shape, device, "zeros_like(a)", order)
