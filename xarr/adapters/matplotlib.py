"""Matplotlib: methods that ask whether an argument is of NumPy's own class are given that."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy
from matplotlib.axes import Axes
from matplotlib.colors import LightSource
from matplotlib.markers import MarkerStyle

import xarr

_OF_NUMPYS_ARRAYS: Final[tuple[tuple[Any, str], ...]] = (
    # The shades are a view of a NumPy array as the type of the argument.
    (LightSource, "hillshade"),
    # A NumPy array of vertices is a marker.
    (MarkerStyle, "__init__"),
    # NumPy arrays of colours and widths are interpolated along the lines.
    (Axes, "streamplot"),
)


def _of_values(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that is given NumPy's arrays of the values of Arrays."""

    @functools.wraps(method)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        named = {name: _value(item) for name, item in kwargs.items()}
        return method(self, *map(_value, args), **named)

    return called


def _value(item: Any) -> Any:
    return numpy.asarray(item) if type(item) is xarr.Array else item


for _owner, _name in _OF_NUMPYS_ARRAYS:
    setattr(_owner, _name, _of_values(getattr(_owner, _name)))
