"""SciPy's special functions that xarr has, by SciPy's names.

They compute float32 in float32 and all else in float64, as SciPy before 1.18. The functions of the
rows compute float16 and integers of 8 bits in float16, which gamma(10) is beyond.
"""

from __future__ import annotations

from typing import Unpack

from xarr import dtypes
from xarr.array.array import Array, ArrayLike, Out
from xarr.array.coerce import array_of
from xarr.backends.device import default_float
from xarr.dtypes import FLOATING
from xarr.functions.elementwise.ufuncs import Options, universal
from xarr.ops import elementwise as rows
from xarr.ops.rows import Elementwise
from xarr.tape import builder


def _applied(row: Elementwise, x: ArrayLike, where: str) -> Array:
    view = array_of(x, where)._view
    if view.dtype is dtypes.float16 or view.dtype.kind not in FLOATING:
        view = builder.converted(view, default_float(view.device))
    return Array(row.applied(view))


@universal(rows.erf)
def erf(x: ArrayLike, /, out: Out = None, **options: Unpack[Options]) -> Array:
    """Compute the error function of x.

    x : real Array, shape (...) -- The operand.

    -> real floating-point Array, shape of x -- float32 for float32, else the default type.

    >>> print(xarr.special.erf(xarr.asarray([1.0, 2.0])).round(3))
    [0.843 0.995]
    """
    return _applied(rows.erf, x, "erf(x)")


@universal(rows.erfc)
def erfc(x: ArrayLike, /, out: Out = None, **options: Unpack[Options]) -> Array:
    """Compute 1 - erf(x), accurate for large x.

    x : real Array, shape (...) -- The operand.

    -> real floating-point Array, shape of x -- float32 for float32, else the default type.

    >>> print(xarr.special.erfc(xarr.asarray([0.0, 1.0])).round(3))
    [1.    0.157]
    """
    return _applied(rows.erfc, x, "erfc(x)")


@universal(rows.tgamma)
def gamma(x: ArrayLike, /, out: Out = None, **options: Unpack[Options]) -> Array:
    """Compute the gamma function of x, as `tgamma`.

    x : real Array, shape (...) -- The operand.

    -> real floating-point Array, shape of x -- float32 for float32, else the default type.

    >>> xarr.special.gamma(xarr.asarray([5.0, 6.0])).tolist()
    [24.0, 120.0]
    """
    return _applied(rows.tgamma, x, "gamma(x)")


@universal(rows.lgamma)
def gammaln(x: ArrayLike, /, out: Out = None, **options: Unpack[Options]) -> Array:
    """Compute the natural logarithm of the absolute value of the gamma function, as `lgamma`.

    x : real Array, shape (...) -- The operand.

    -> real floating-point Array, shape of x -- float32 for float32, else the default type.

    Note: gammaln(-inf) is inf, as `lgamma` of C and Python has it; SciPy gives -inf.

    >>> print(xarr.special.gammaln(xarr.asarray([0.5, 3.0])).round(3))
    [0.572 0.693]
    """
    return _applied(rows.lgamma, x, "gammaln(x)")
