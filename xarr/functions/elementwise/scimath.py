"""Functions that give complex numbers where real ones do not do: `xarr.emath`.

Whether an element needs it is asked of the values, so these functions wait for the device.
"""

from __future__ import annotations

import math
from typing import Any

from xarr import dtypes
from xarr.array.array import Array, ArrayLike
from xarr.array.door import array_of
from xarr.backends.device import default_float
from xarr.dtypes import COMPLEX, FLOATING
from xarr.engine import engine
from xarr.functions.elementwise import arithmetic, elementwise
from xarr.functions.reduce import reductions


def _floating(x: Any, where: str) -> Array:
    """An operand in floating point."""
    array = array_of(x, where)
    node = array._node
    if node.dtype.kind in FLOATING:
        return array
    return Array(engine.converted(node, default_float(node.device)))


def _widened(x: Any, where: str, low: float, high: float = math.inf) -> Array:
    """An operand, complex where it is not complex and an element is below low or above high."""
    array = _floating(x, where)
    if array._node.dtype.kind == COMPLEX:
        return array
    beyond = array < low
    if high < math.inf:
        beyond = beyond | (array > high)
    return complex_of(array) if bool(reductions.any(beyond)) else array


def complex_of(x: Array) -> Array:
    """An array as the complex type of its precision."""
    node = x._node
    row = dtypes.COMPLEX_OF.get(node.dtype, node.dtype)
    return Array(engine.converted(node, dtypes.complex64 if row is dtypes.float16 else row))


def sqrt(x: ArrayLike) -> Array:
    """The square root; complex where an element is negative.

    >>> xarr.emath.sqrt([-1.0, 4.0]).tolist()
    [1j, (2+0j)]
    """
    return elementwise.sqrt(_widened(x, "emath.sqrt(x)", 0))


def log(x: ArrayLike) -> Array:
    """The natural logarithm; complex where an element is negative.

    >>> xarr.emath.log([1.0]).tolist()
    [0.0]
    """
    return elementwise.log(_widened(x, "emath.log(x)", 0))


def log2(x: ArrayLike) -> Array:
    """The logarithm to base 2; complex where an element is negative.

    >>> xarr.emath.log2([8.0]).tolist()
    [3.0]
    """
    return elementwise.log2(_widened(x, "emath.log2(x)", 0))


def log10(x: ArrayLike) -> Array:
    """The logarithm to base 10; complex where an element is negative.

    >>> xarr.emath.log10([100.0]).tolist()
    [2.0]
    """
    return elementwise.log10(_widened(x, "emath.log10(x)", 0))


def logn(n: ArrayLike, x: ArrayLike) -> Array:
    """The logarithm of x to base n; complex where an element is negative.

    n : Array, shape that broadcasts with x's -- The base.

    >>> xarr.emath.logn(2, [4.0]).tolist()
    [2.0]
    """
    where = "emath.logn(n, x)"
    return elementwise.log(_widened(x, where, 0)) / elementwise.log(_widened(n, where, 0))


def power(x: ArrayLike, p: ArrayLike) -> Array:
    """X to the power of p; complex where an element of x is negative.

    p : Array, shape that broadcasts with x's
        The exponent; where one is negative, integers are raised in floating point.

    >>> xarr.emath.power([2, 4], 2).tolist()
    [4, 16]
    """
    where = "emath.power(x, p)"
    base, exponent = array_of(x, where), array_of(p, where, "p")
    if exponent._node.dtype.kind != COMPLEX and bool(reductions.any(exponent < 0)):
        exponent = _floating(exponent, where)
    if base._node.dtype.kind != COMPLEX and bool(reductions.any(base < 0)):
        base = complex_of(_floating(base, where))
    return arithmetic.pow(base, exponent)


def arccos(x: ArrayLike) -> Array:
    """The inverse cosine, in radians; complex where an element is beyond -1 to 1.

    >>> xarr.emath.arccos([1.0]).tolist()
    [0.0]
    """
    return elementwise.acos(_widened(x, "emath.arccos(x)", -1, 1))


def arcsin(x: ArrayLike) -> Array:
    """The inverse sine, in radians; complex where an element is beyond -1 to 1.

    >>> xarr.emath.arcsin([0.0]).tolist()
    [0.0]
    """
    return elementwise.asin(_widened(x, "emath.arcsin(x)", -1, 1))


def arctanh(x: ArrayLike) -> Array:
    """The inverse hyperbolic tangent; complex where an element is beyond -1 to 1.

    >>> xarr.emath.arctanh([0.0]).tolist()
    [0.0]
    """
    return elementwise.atanh(_widened(x, "emath.arctanh(x)", -1, 1))
