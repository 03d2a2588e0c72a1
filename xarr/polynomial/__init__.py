"""Polynomials in six bases, as in `numpy.polynomial`: values and fits on the device."""

import sys as _sys
from typing import Literal as _Literal

import numpy.polynomial as _theirs

from xarr.functions.names.docstrings import complete as _complete
from xarr.functions.polynomials.series import (
    Chebyshev as Chebyshev,
    Hermite as Hermite,
    HermiteE as HermiteE,
    Laguerre as Laguerre,
    Legendre as Legendre,
    Polynomial as Polynomial,
)
from xarr.polynomial import (
    chebyshev as chebyshev,
    hermite as hermite,
    hermite_e as hermite_e,
    laguerre as laguerre,
    legendre as legendre,
    polynomial as polynomial,
    polyutils as polyutils,
)


def set_default_printstyle(style: _Literal["ascii", "unicode"]) -> None:
    """Choose how `str` writes series, NumPy's series too: "ascii" or "unicode".

    style : "ascii" or "unicode" -- The style: 1.0 + 2.0 x**2, or with superscripts.

    ValueError -- If style is neither "ascii" nor "unicode".

    >>> xarr.polynomial.set_default_printstyle("ascii")
    >>> print(xarr.polynomial.Polynomial([1.0, 0.0, 2.0]))
    1.0 + 0.0 x + 2.0 x**2
    >>> xarr.polynomial.set_default_printstyle("unicode")
    """
    _theirs.set_default_printstyle(style)


for _space in (
    _sys.modules[__name__],
    Polynomial,
    chebyshev,
    hermite,
    hermite_e,
    laguerre,
    legendre,
    polynomial,
    polyutils,
):
    _complete(_space, "As in NumPy; not part of the Array API standard.")
