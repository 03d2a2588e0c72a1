"""Functions that return complex numbers where no real result exists: `xarr.emath`.

Whether an element needs it is asked of the values, so these functions wait for the device.
"""

from __future__ import annotations

import math
from typing import Any, Final, Protocol

from xarr import dtypes
from xarr.array.array import Array, ArrayLike
from xarr.array.coerce import array_of
from xarr.backends.device import default_float
from xarr.dtypes import COMPLEX
from xarr.functions.elementwise import arithmetic, elementwise
from xarr.functions.elementwise.float_functions import in_floating
from xarr.functions.elementwise.ufuncs import Unary
from xarr.functions.reduce import reductions
from xarr.tape import builder


def _floating(x: Any, where: str) -> Array:
    """An operand in floating point."""
    return Array(in_floating(array_of(x, where)._view))


def _widened(x: Any, where: str, low: float = 0, high: float = math.inf) -> Array:
    """An operand, complex where it is not complex and an element is below low or above high."""
    array = array_of(x, where)
    if array._view.dtype.kind == COMPLEX:
        return array
    beyond = array < low
    if high < math.inf:
        beyond = beyond | (array > high)
    return complex_of(array) if bool(reductions.any(beyond)) else array


def complex_of(x: Array) -> Array:
    """An array as the complex type that NumPy takes: the narrow one of float32 and short ints."""
    view = x._view
    narrow = view.dtype is dtypes.float32 or (
        view.dtype.kind in dtypes.INTEGER and view.dtype.itemsize <= 2
    )
    default = default_float(view.device)
    row = dtypes.COMPLEX_OF[dtypes.float32 if narrow else default]
    return Array(builder.converted(view, row))


class _OfReal(Protocol):
    def __call__(self, x: ArrayLike) -> Array: ...


def _widening(
    name: str, function: Unary, about: str, example: str, low: float = 0, high: float = math.inf
) -> _OfReal:
    """A function that is complex where an element is below low or above high."""
    where = f"emath.{name}(x)"

    def widened(x: ArrayLike) -> Array:
        return function(_widened(x, where, low, high))

    widened.__name__ = widened.__qualname__ = name
    beyond = "negative" if high == math.inf else f"outside [{low}, {high}]"
    given, _, result = example.partition(": ")
    shown = f">>> xarr.emath.{name}([{given}]).round(3).tolist()\n[{result}]"
    shown = f"-> real or complex floating-point Array, shape of x\n\n{shown}"
    widened.__doc__ = f"Compute the {about}; complex if an element is {beyond}.\n\n{shown}"
    return widened


sqrt: Final = _widening("sqrt", elementwise.sqrt, "square root", "-1.0, 4.0: 1j, (2+0j)")
log: Final = _widening("log", elementwise.log, "natural logarithm", "-1.0, 1.0: 3.142j, 0j")
log2: Final = _widening(
    "log2", elementwise.log2, "logarithm to base 2", "-8.0, 8.0: (3+4.532j), (3+0j)"
)
log10: Final = _widening(
    "log10", elementwise.log10, "logarithm to base 10", "-100.0, 100.0: (2+1.364j), (2+0j)"
)
_SINE, _COSINE = "inverse sine, in radians", "inverse cosine, in radians"
arccos: Final = _widening("arccos", elementwise.acos, _COSINE, "0.5: 1.047", -1, 1)
arcsin: Final = _widening("arcsin", elementwise.asin, _SINE, "0.5: 0.524", -1, 1)
_TANGENT = "inverse hyperbolic tangent"
arctanh: Final = _widening("arctanh", elementwise.atanh, _TANGENT, "0.5: 0.549", -1, 1)


def logn(n: ArrayLike, x: ArrayLike) -> Array:
    """Compute the logarithm of x to base n; complex if an element is negative.

    n : Array, shape that broadcasts with x's -- The base.

    -> real or complex floating-point Array, shape that n and x broadcast to

    >>> xarr.emath.logn(2, [4.0]).tolist()
    [2.0]
    """
    where = "emath.logn(n, x)"
    return elementwise.log(_widened(x, where)) / elementwise.log(_widened(n, where))


def power(x: ArrayLike, p: ArrayLike) -> Array:
    """Raise x to the power p; complex if an element of x is negative.

    p : Array, shape that broadcasts with x's
        The exponent; if an element is negative, integers become floating-point.

    -> numeric Array, shape that x and p broadcast to

    >>> xarr.emath.power([2, 4], 2).tolist()
    [4, 16]
    """
    where = "emath.power(x, p)"
    base, exponent = array_of(x, where), array_of(p, where, "p")
    if exponent._view.dtype.kind != COMPLEX and bool(reductions.any(exponent < 0)):
        exponent = _floating(exponent, where)
    if base._view.dtype.kind != COMPLEX and bool(reductions.any(base < 0)):
        base = complex_of(base)
    return arithmetic.pow(base, exponent)
