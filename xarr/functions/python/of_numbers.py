"""Functions of arrays in the place of Python's functions of numbers: the module `math`, `max`.

Each takes arrays and numbers, with at least one array among them, and gives what Python's gives
for each element; where that raises an error, it gives NaN or infinity as NumPy does.
"""

from __future__ import annotations

import builtins
import cmath
import functools
import math
import operator
from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any, Final

from xarr.array.array import Array
from xarr.backends.device import default_float
from xarr.errors import type_error
from xarr.functions.elementwise import elementwise as rows, float_functions
from xarr.functions.index import searching
from xarr.functions.types import data_types

WHERE: Final = "elementwise(function)"


def truth(value: Array) -> Array:
    """Tell of each element whether it is not zero."""
    return value if value.dtype == bool else value != 0


def to_integers(value: Any) -> Array:
    """Cut to integers."""
    return data_types.astype(value, "int64")


def to_floats(value: Any) -> Any:
    """Make integers floats; floats keep their width."""
    if type(value) is not Array:
        return float(value)
    if value.dtype.kind == "f":
        return value
    return data_types.astype(value, default_float(value.device).numpy)


def _folded(of_arrays: Callable[..., Any], of_numbers: Callable[..., Any]) -> Callable[..., Any]:
    """A function of any number of operands by one of two."""

    def of_two(one: Any, other: Any) -> Any:
        is_array = type(one) is Array or type(other) is Array
        return (of_arrays if is_array else of_numbers)(one, other)

    return lambda *values: functools.reduce(of_two, values)


def _round(x: Array, ndigits: int | None = None) -> Array:
    if ndigits is not None:
        accepted = "ndigits must be left out"
        raise type_error(WHERE, f"ndigits is {ndigits!r}", accepted, "use xarr.round(x, ndigits)")
    return to_integers(rows.rint(x))


def _log(x: Any, base: Any = math.e) -> Any:
    """The logarithm, as Python has it: a quotient of logarithms."""
    first, second = (rows.log(one) if type(one) is Array else math.log(one) for one in (x, base))
    return first if base is math.e else first / second


def _pow(x: Any, y: Any) -> Any:
    return to_floats(x) ** to_floats(y)


def _remainder(x: Any, y: Any) -> Any:
    """The remainder of the nearest quotient, IEEE's, which is exact."""
    x, y = to_floats(x), to_floats(y)
    divisor = abs(y)
    rest = rows.fmod(abs(x), divisor)
    above = divisor - rest
    even = rest - 2 * rows.fmod(0.5 * (abs(x) - rest), divisor)  # of two that are as near
    nearest = searching.where(rest < above, rest, searching.where(rest > above, -above, even))
    return nearest * (rows.copysign(1.0, x) if type(x) is Array else math.copysign(1.0, x))


def _isclose(a: Any, b: Any, *, rel_tol: Any = 1e-9, abs_tol: Any = 0.0) -> Any:
    """Whether numbers differ by little, as Python says it: of the larger one, not of the second."""
    apart = abs(a - b)
    largest = rows.maximum(abs(a), abs(b))
    near = (apart <= rel_tol * largest) | (apart <= abs_tol)
    return (a == b) | (near & (apart < math.inf))  # two infinities are apart


_ROWS: Final = {"gamma": "tgamma"}
"""The rows that have other names than Python's functions."""

OF_ARRAYS: Final[dict[Any, Callable[..., Any]]] = {
    **{
        found: getattr(rows, row)
        for name in dir(math)
        if callable(found := getattr(math, name)) and hasattr(rows, row := _ROWS.get(name, name))
    },
    math.ceil: lambda x: to_integers(rows.ceil(x)),
    math.degrees: rows.rad2deg,
    math.floor: lambda x: to_integers(rows.floor(x)),
    math.frexp: float_functions.frexp,
    math.gcd: _folded(rows.gcd, math.gcd),
    math.hypot: _folded(rows.hypot, math.hypot),
    math.isclose: _isclose,
    math.lcm: _folded(rows.lcm, math.lcm),
    math.ldexp: float_functions.ldexp,
    math.log: _log,
    math.modf: float_functions.modf,
    math.pow: _pow,
    math.radians: rows.deg2rad,
    math.remainder: _remainder,
    math.trunc: to_integers,
    math.ulp: lambda x: rows.spacing(rows.fabs(x)),
    builtins.bool: truth,
    builtins.float: to_floats,
    builtins.int: to_integers,
    builtins.max: _folded(rows.maximum, max),
    builtins.min: _folded(rows.minimum, min),
    builtins.pow: operator.pow,
    builtins.round: _round,
}
"""The function of arrays for each function of numbers."""

_MODULES: Final = (math.__name__, cmath.__name__)


def require_arrays(function: Any) -> None:
    """Refuse a function of `math` or `cmath` that there is not for arrays."""
    if isinstance(function, BuiltinFunctionType) and function.__module__ in _MODULES:
        fault = f"{function.__module__}.{function.__name__} is unknown for arrays"
        accepted = "compose it of functions that are"
        remedy = "xarr.vectorize(function) lets Python compute each element, on the host"
        raise type_error(WHERE, fault, accepted, remedy)
