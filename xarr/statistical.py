"""NumPy's names for what the tables hold, and small statistics made of it."""

from __future__ import annotations

from typing import Any

from xarr.array import FUNCTIONS, Array, attach


def cumsum(x: Array, /, axis: int | None = None, dtype: Any = None) -> Array:
    """The running sums along an axis; of the flattened array where axis is None."""
    if axis is None:
        x, axis = x.reshape(-1), 0
    return FUNCTIONS["cumulative_sum"](x, axis=axis, dtype=dtype)  # type: ignore[no-any-return]


def cumprod(x: Array, /, axis: int | None = None, dtype: Any = None) -> Array:
    """The running products along an axis; of the flattened array where axis is None."""
    if axis is None:
        x, axis = x.reshape(-1), 0
    return FUNCTIONS["cumulative_prod"](x, axis=axis, dtype=dtype)  # type: ignore[no-any-return]


def ptp(x: Array, /, axis: Any = None, keepdims: bool = False) -> Array:
    """The largest element less the smallest."""
    largest = FUNCTIONS["max"](x, axis=axis, keepdims=keepdims)
    smallest = FUNCTIONS["min"](x, axis=axis, keepdims=keepdims)
    return largest - smallest  # type: ignore[no-any-return]


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
for _name in ("clip", "round", "conj"):
    attach(_name, FUNCTIONS[_name])


def _imag(x: Array) -> Array:
    """The imaginary part of x; zeros where x is real."""
    if x.dtype.kind == "c":
        return FUNCTIONS["imag"](x)  # type: ignore[no-any-return]
    return FUNCTIONS["zeros_like"](x)  # type: ignore[no-any-return]


attach("real", property(FUNCTIONS["real"]))
attach("imag", property(_imag))
