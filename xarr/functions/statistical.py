"""NumPy's names for what the tables hold, and small statistics made of it."""

from __future__ import annotations

from typing import Any

from xarr import dtypes, errors
from xarr.array.array import FUNCTIONS, Array, attach, integer
from xarr.functions.creation import as_array
from xarr.tables import elementwise, reductions
from xarr.tables.reductions import reduced, scanned


def cumsum(x: Array, /, axis: int | None = None, dtype: Any = None) -> Array:
    """The running sums along an axis.

    Parameters
    ----------
    x : Array, shape (...)
        The operand.
    axis : int, optional
        The axis to run along; None flattens x first.
    dtype : data type, optional
        Of the result; by default small integers are widened as in the standard.

    Returns
    -------
    Array, shape (...), or (size,) without an axis
        The sums of the elements up to each.

    Raises
    ------
    AxisError
        If the axis is out of range.
    TypeError
        If x is no array of numbers.

    Notes
    -----
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.cumsum(xarr.asarray([[1, 2], [3, 4]])).tolist()
    [1, 3, 6, 10]
    """
    return _running("cumulative_sum", x, axis, dtype, "cumsum(x, axis)")


def cumprod(x: Array, /, axis: int | None = None, dtype: Any = None) -> Array:
    """The running products along an axis.

    Parameters
    ----------
    x : Array, shape (...)
        The operand.
    axis : int, optional
        The axis to run along; None flattens x first.
    dtype : data type, optional
        Of the result; by default small integers are widened as in the standard.

    Returns
    -------
    Array, shape (...), or (size,) without an axis
        The products of the elements up to each.

    Raises
    ------
    AxisError
        If the axis is out of range.
    TypeError
        If x is no array of numbers.

    Notes
    -----
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.cumprod(xarr.asarray([[1, 2], [3, 4]])).tolist()
    [1, 2, 6, 24]
    """
    return _running("cumulative_prod", x, axis, dtype, "cumprod(x, axis)")


def _running(name: str, x: Array, axis: int | None, dtype: Any, where: str) -> Array:
    """The scan `name`, of the flattened array where there is no axis."""
    x = as_array(x, where)
    if axis is None:
        x, axis = x.reshape(-1), 0
    return scanned(reductions.BY_NAME[name], x._node, axis, dtype, False, where)


def ptp(x: Array, /, axis: Any = None, keepdims: bool = False) -> Array:
    """The largest element less the smallest (peak to peak).

    Parameters
    ----------
    x : Array, shape (...)
        The operand.
    axis : int or tuple of int, optional
        The axes to reduce; None reduces all.
    keepdims : bool, optional
        Whether reduced axes stay, with one element.

    Returns
    -------
    Array, shape of the axes that are left
        Of the dtype of x.

    Raises
    ------
    AxisError
        If the axis is out of range.
    ValueError
        If there are no elements.
    TypeError
        If x is no array of numbers.

    Notes
    -----
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> float(xarr.ptp(xarr.asarray([2.0, 7.0, 3.0])))
    5.0
    """
    where = "ptp(x, axis)"
    node = as_array(x, where)._node
    if node.dtype.kind not in dtypes.REAL_NUMERIC:
        raise TypeError(
            errors.message(where, f"x has dtype {node.dtype}", "real numeric dtypes are accepted")
        )
    largest, smallest = (
        reduced(reductions.BY_NAME[name], node, axis, keepdims=bool(keepdims), where=where)
        for name in ("max", "min")
    )
    return largest - smallest


def around(x: Array, /, decimals: int = 0) -> Array:
    """The integer nearest to x, halves to even.

    Parameters
    ----------
    x : numeric Array, shape (...)
        The operand; also a number, a list of numbers or a NumPy array.
    decimals : int, optional
        How many decimals stay; of negative ones, places before the point become zero.

    Returns
    -------
    Array, shape (...)
        Of the dtype of x.

    Raises
    ------
    TypeError
        If x is not numeric, or decimals no integer.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions; decimals is NumPy's, and computed as
    NumPy does: x times a power of ten, rounded, divided by it.

    Examples
    --------
    >>> import xarr
    >>> xarr.round(xarr.asarray([1234.5, 5678.9]), -2).tolist()
    [1200.0, 5700.0]
    """
    where = "round(x, decimals)"
    places = integer(decimals, where, "decimals")
    if places == 0:
        return _to_integers(x)  # type: ignore[no-any-return]
    x = as_array(x, where)
    integers = x._node.dtype.kind in dtypes.INTEGER
    if integers and places > 0:
        return FUNCTIONS["positive"](x)  # type: ignore[no-any-return]
    scale = 10.0 ** abs(places)
    rounded = _to_integers(x * scale) / scale if places > 0 else _to_integers(x / scale) * scale
    return rounded.astype(x.dtype) if integers else rounded  # type: ignore[no-any-return]


_to_integers = FUNCTIONS["round"]
FUNCTIONS["round"] = elementwise.named(around, "round", around.__doc__ or "")

_NUMPY_NAMES = {
    "absolute": "abs",
    "amax": "max",
    "amin": "min",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "bitwise_not": "bitwise_invert",
    "conjugate": "conj",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "mod": "remainder",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "true_divide": "divide",
}
"""NumPy's names of functions of the standard."""

for _name, _standard in _NUMPY_NAMES.items():
    FUNCTIONS[_name] = FUNCTIONS[_standard]
for _function in (cumsum, cumprod, ptp):
    FUNCTIONS[_function.__name__] = _function
    attach(_function.__name__, _function)
FUNCTIONS["around"] = FUNCTIONS["round"]
for _name in ("clip", "round", "conj"):
    attach(_name, FUNCTIONS[_name])


def _real(x: Array) -> Array:
    """The real part of x; x itself where it is real."""
    return FUNCTIONS["real"](x) if x.dtype.kind == "c" else x


def _imag(x: Array) -> Array:
    """The imaginary part of x; zeros where x is real."""
    if x.dtype.kind == "c":
        return FUNCTIONS["imag"](x)  # type: ignore[no-any-return]
    return FUNCTIONS["zeros_like"](x)  # type: ignore[no-any-return]


attach("real", property(_real))
attach("imag", property(_imag))
