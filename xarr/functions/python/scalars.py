"""Methods of an array without axes that NumPy's and Python's numbers have: it stands for one."""

from __future__ import annotations

from typing import Any

from xarr.array.array import Array
from xarr.errors import type_error


def _number(x: Array, name: str) -> Any:
    if x.shape:
        fault = f"x has shape {x.shape}"
        accepted = "x must have no axes to be a number"
        raise type_error(f"x.{name}", fault, accepted, "index one element")
    return x.item()


def is_integer(self: Array) -> bool:
    """Tell whether the number is an integer.

    TypeError -- If the array has axes.

    >>> xarr.asarray(2.0).is_integer()
    True
    """
    return float(_number(self, "is_integer()")).is_integer()


def as_integer_ratio(self: Array) -> tuple[int, int]:
    """Return two integers whose ratio is the number.

    TypeError -- If the array has axes.

    >>> xarr.asarray(0.75).as_integer_ratio()
    (3, 4)
    """
    ratio: tuple[int, int] = _number(self, "as_integer_ratio()").as_integer_ratio()
    return ratio


def bit_count(self: Array) -> int:
    """Count the ones in the absolute value of an integer.

    TypeError -- If the array has axes, or holds no integer.

    >>> xarr.asarray(-7).bit_count()
    3
    """
    return int(_number(self, "bit_count()").bit_count())


def numerator(self: Array) -> int:
    """Return the integer itself, the numerator of it as a fraction."""
    return int(_number(self, "numerator").numerator)


def denominator(self: Array) -> int:
    """Return the denominator of an integer as a fraction: 1."""
    return int(_number(self, "denominator").denominator)
