"""SymPy: `lambdify(..., modules="xarr")` computes with Arrays; a number on a device is a number."""

from __future__ import annotations

import sys
from typing import Any, Final

import numpy
from sympy.core.sympify import _convert_numpy_types, converter, sympify

import xarr

# The package has a function of this name.
_lambdify: Final[Any] = sys.modules["sympy.utilities.lambdify"]
_is_among: Final = _lambdify._module_present


def _print_as(name: str, modules: Any) -> bool:
    """Print for xarr what SymPy prints for NumPy."""
    return _is_among(name, modules) or (name == "numpy" and _is_among("xarr", modules))


def _number(value: Any) -> Any:
    """SymPy's number of one of NumPy's, as which Arrays without axes are known."""
    is_array = type(value) is xarr.Array
    return sympify(value.item()) if is_array else _convert_numpy_types(value)


_lambdify.MODULES["xarr"] = (
    _lambdify.NUMPY_DEFAULT.copy(),
    _lambdify.NUMPY_DEFAULT,
    _lambdify.NUMPY_TRANSLATIONS,
    ("import xarr; from xarr import *; from xarr.linalg import *",),
)
_lambdify._module_present = _print_as
converter[numpy.generic] = _number
