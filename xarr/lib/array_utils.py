"""Axes as NumPy counts them, as in `numpy.lib.array_utils`."""

from typing import Any as _Any, NoReturn as _NoReturn

from numpy.lib.array_utils import (
    normalize_axis_index as normalize_axis_index,
    normalize_axis_tuple as normalize_axis_tuple,
)

from xarr import errors as _errors


def byte_bounds(a: _Any) -> _NoReturn:
    """Raise TypeError: the memory of a device has no addresses that the host could use.

    Parameters
    ----------
    a : Array, shape (...)
        Any array.

    Raises
    ------
    TypeError
        Always.

    Examples
    --------
    >>> import xarr
    >>> xarr.lib.array_utils.byte_bounds(xarr.ones(2))
    Traceback (most recent call last):
        ...
    TypeError: byte_bounds(a): ...
    """
    raise TypeError(
        _errors.message(
            "byte_bounds(a)",
            "the values of a are on a device",
            "addresses of the host's memory are asked for",
            "use numpy.lib.array_utils.byte_bounds(numpy.asarray(a))",
        )
    )
