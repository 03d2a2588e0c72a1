"""Whether arrays are equal, exactly or nearly."""

from __future__ import annotations

import cmath
from typing import Any

import numpy

from xarr.array.array import Array, ArrayLike
from xarr.array.cached_calls import cached_call
from xarr.array.coerce import as_array
from xarr.backends.device import Device
from xarr.functions.calls.on_host import host_of
from xarr.functions.elementwise import elementwise
from xarr.functions.elementwise.float_functions import in_floating
from xarr.functions.reduce import reductions
from xarr.layout import broadcast_shapes


@cached_call
def isclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> Array:
    """Tell whether elements of two arrays are nearly equal; infinities must be equal.

    -> Array of bool, shape that a and b broadcast to

    ValueError -- If the shapes are not compatible.

    >>> xarr.isclose(xarr.asarray([1.0, 2.0]), [1.0 + 1e-9, 2.1]).tolist()
    [True, False]
    """
    return _near(a, b, rtol, atol, equal_nan, "isclose(a, b)")


def _near(a: Any, b: Any, rtol: Any, atol: Any, equal_nan: bool, where: str) -> Array:
    device = device_of(a, b, rtol, atol)
    x, y = _number_or_array(a, where, "a", device), _number_or_array(b, where, "b", device)
    relative = _number_or_array(rtol, where, "rtol", device)
    absolute = _number_or_array(atol, where, "atol", device)
    given = (x, y, relative, absolute)
    broadcast_shapes(*(getattr(part, "shape", ()) for part in given), where=where)
    if type(y) is Array:
        y = _inexact(y)
        if type(x) is Array and not x.device.has_float64:
            x = _inexact(x)
    elif type(x) is Array:
        y = float(y) if isinstance(y, int) else y
    else:
        y = _inexact(as_array(y, where, "b", device=device))
    finite = elementwise.isfinite(y) if type(y) is Array else cmath.isfinite(y)
    near: Array = elementwise.less_equal(abs(x - y), absolute + relative * abs(y)) & finite | (
        x == y
    )
    if equal_nan:
        near = near | (_is_nan(x) & _is_nan(y))
    return near


def _number_or_array(value: Any, where: str, name: str, device: Device | None) -> Any:
    """An operand as an array; a Python number as it is, so that it takes an array's type."""
    if isinstance(value, int | float | complex):
        return value
    return as_array(value, where, name, device=device)


def device_of(*values: Any) -> Device | None:
    """The device of the first Array among values; None without one."""
    return next((value.device for value in values if type(value) is Array), None)


def _inexact(x: Array) -> Array:
    """An array in floating point, which holds the size of the smallest integer too."""
    return Array(in_floating(x._view))


def _is_nan(x: Any) -> Any:
    if type(x) is not Array:
        return cmath.isnan(x)
    return x != x


def allclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> bool:
    """Tell whether all elements of two arrays are nearly equal; waits for the device.

    ValueError -- If the shapes are not compatible.

    >>> xarr.allclose(xarr.asarray([1.0, 2.0]), [1.0 + 1e-9, 2.0])
    True
    """
    return bool(reductions.all(_near(a, b, rtol, atol, equal_nan, "allclose(a, b)")))


def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> bool:
    """Tell whether two arrays have the same shape and the same elements; waits for the device.

    NumPy compares values that no device can hold, such as strings.

    >>> xarr.array_equal(xarr.asarray([1, 2]), [1, 2])
    True
    """
    pair = _both(a1, a2, "array_equal(a1, a2)")
    if pair is None:
        first, second = host_of((a1, a2), "array_equal(a1, a2)")
        return bool(numpy.array_equal(first, second, equal_nan=equal_nan))
    if pair[0].shape != pair[1].shape:
        return False
    return _all_equal(*pair, equal_nan=equal_nan)


def array_equiv(a1: ArrayLike, a2: ArrayLike) -> bool:
    """Tell whether two arrays have the same elements after broadcasting; waits for the device.

    False if the shapes do not broadcast. NumPy compares values that no device can hold, such as
    strings.

    >>> xarr.array_equiv(xarr.asarray([[1, 2], [1, 2]]), [1, 2])
    True
    """
    pair = _both(a1, a2, "array_equiv(a1, a2)")
    if pair is None:
        return bool(numpy.array_equiv(*host_of((a1, a2), "array_equiv(a1, a2)")))
    try:
        return _all_equal(*pair)
    except ValueError:
        return False


def _both(a1: ArrayLike, a2: ArrayLike, where: str) -> tuple[Array, Array] | None:
    """Two operands as arrays; None where one can be made none."""
    device = device_of(a1, a2)
    try:
        return as_array(a1, where, "a1", device=device), as_array(a2, where, "a2", device=device)
    except (TypeError, ValueError, OverflowError):
        return None


def _all_equal(a1: Array, a2: Array, *, equal_nan: bool = False) -> bool:
    if not equal_nan:
        return bool(reductions.all(a1 == a2))
    return bool(reductions.all((a1 == a2) | ((a1 != a1) & (a2 != a2))))
