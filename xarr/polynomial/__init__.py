"""Polynomials in six bases, as in `numpy.polynomial`: values and fits on the device."""

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
    """Choose how `str` writes series, NumPy's among them: "ascii" or "unicode".

    Raises
    ------
    ValueError
        If the style is another.
    """
    _theirs.set_default_printstyle(style)


for _space in (
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
