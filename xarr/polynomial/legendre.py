"""Series of Legendre polynomials, as in `numpy.polynomial.legendre`.

Values, Vandermonde matrices and fits are computed on the device; what makes coefficients of
coefficients runs on the host, and gives Arrays.
"""

import typing as _typing

import numpy.polynomial.legendre as _theirs

from xarr.backends.device import get_device as _get_device
from xarr.functions.hosting import given_back as _given_back, hosted as _hosted
from xarr.functions.polynomials import recurrences as _recurrences, weights as _weights
from xarr.functions.polynomials.classes import Legendre as Legendre

_basis = _recurrences.legendre

legval = _basis.val
legval2d = _basis.val2d
legval3d = _basis.val3d
leggrid2d = _basis.grid2d
leggrid3d = _basis.grid3d
legvander = _basis.vander
legvander2d = _basis.vander2d
legvander3d = _basis.vander3d
legfit = _basis.fit

leg2poly = _hosted(_theirs.leg2poly)
legadd = _hosted(_theirs.legadd)
legcompanion = _hosted(_theirs.legcompanion)
legder = _hosted(_theirs.legder)
legdiv = _hosted(_theirs.legdiv)
legfromroots = _hosted(_theirs.legfromroots)
leggauss = _hosted(_theirs.leggauss)
legint = _hosted(_theirs.legint)
legline = _hosted(_theirs.legline)
legmul = _hosted(_theirs.legmul)
legmulx = _hosted(_theirs.legmulx)
legpow = _hosted(_theirs.legpow)
legroots = _hosted(_theirs.legroots)
legsub = _hosted(_theirs.legsub)
legtrim = _hosted(_theirs.legtrim)
legweight = _weights.legendre
poly2leg = _hosted(_theirs.poly2leg)

_CONSTANTS = ("legdomain", "legone", "legx", "legzero")


if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Make the arrays legdomain, legone, legx, legzero when one is asked for."""
        if name in _CONSTANTS:
            return _given_back(getattr(_theirs, name), _get_device())
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
