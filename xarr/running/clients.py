"""Libraries that ask for NumPy's own class, adapted while a program runs with xarr."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, Final

import numpy

from xarr.array.array import Array

_OF_NUMPYS_ARRAYS: Final = (
    # The shades are a view of a NumPy array as the type of the argument.
    ("matplotlib.colors", "LightSource", "hillshade"),
    # A NumPy array of vertices is a marker.
    ("matplotlib.markers", "MarkerStyle", "__init__"),
    # NumPy arrays of colours and widths are interpolated along the lines.
    ("matplotlib.axes", "Axes", "streamplot"),
)
"""Methods that ask whether an argument is of NumPy's class: the module, the class, the name."""


class Adaptation:
    """Lets Matplotlib's methods take what a program gives them, each once it is imported."""

    def __init__(self) -> None:
        self._left = list(_OF_NUMPYS_ARRAYS)

    def adapt(self) -> None:
        """Adapt what has been imported since."""
        for entry in self._left.copy():
            module, kind, name = entry
            owner: Any = getattr(sys.modules.get(module), kind, None)
            if owner is not None:
                setattr(owner, name, _of_values(getattr(owner, name)))
                self._left.remove(entry)


def _of_values(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that is given NumPy's arrays of the values of Arrays."""

    @functools.wraps(method)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        named = {name: _value(item) for name, item in kwargs.items()}
        return method(self, *map(_value, args), **named)

    return called


def _value(item: Any) -> Any:
    return numpy.asarray(item) if type(item) is Array else item
