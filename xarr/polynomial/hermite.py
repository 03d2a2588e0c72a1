"""Series of Hermite polynomials of physics, as in `numpy.polynomial.hermite`.

Values, Vandermonde matrices and fits are computed on the device; what makes coefficients of
coefficients runs on the host, and gives Arrays.
"""

import typing as _typing

import numpy.polynomial.hermite as _theirs

from xarr.backends.device import get_device as _get_device
from xarr.functions.hosting import given_back as _given_back, hosted as _hosted
from xarr.functions.polynomials import recurrences as _recurrences, weights as _weights
from xarr.functions.polynomials.classes import Hermite as Hermite

_basis = _recurrences.hermite

hermval = _basis.val
hermval2d = _basis.val2d
hermval3d = _basis.val3d
hermgrid2d = _basis.grid2d
hermgrid3d = _basis.grid3d
hermvander = _basis.vander
hermvander2d = _basis.vander2d
hermvander3d = _basis.vander3d
hermfit = _basis.fit

herm2poly = _hosted(_theirs.herm2poly)
hermadd = _hosted(_theirs.hermadd)
hermcompanion = _hosted(_theirs.hermcompanion)
hermder = _hosted(_theirs.hermder)
hermdiv = _hosted(_theirs.hermdiv)
hermfromroots = _hosted(_theirs.hermfromroots)
hermgauss = _hosted(_theirs.hermgauss)
hermint = _hosted(_theirs.hermint)
hermline = _hosted(_theirs.hermline)
hermmul = _hosted(_theirs.hermmul)
hermmulx = _hosted(_theirs.hermmulx)
hermpow = _hosted(_theirs.hermpow)
hermroots = _hosted(_theirs.hermroots)
hermsub = _hosted(_theirs.hermsub)
hermtrim = _hosted(_theirs.hermtrim)
hermweight = _weights.hermite
poly2herm = _hosted(_theirs.poly2herm)

_CONSTANTS = ("hermdomain", "hermone", "hermx", "hermzero")


if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Make the arrays hermdomain, hermone, hermx, hermzero when one is asked for."""
        if name in _CONSTANTS:
            return _given_back(getattr(_theirs, name), _get_device())
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
