"""Series of Hermite polynomials of probability, as in `numpy.polynomial.hermite_e`.

Values, Vandermonde matrices and fits are computed on the device; what makes coefficients of
coefficients runs on the host, and gives Arrays.
"""

import typing as _typing

import numpy.polynomial.hermite_e as _theirs

from xarr.backends.device import get_device as _get_device
from xarr.functions.hosting import given_back as _given_back, hosted as _hosted
from xarr.functions.polynomials import recurrences as _recurrences, weights as _weights
from xarr.functions.polynomials.classes import HermiteE as HermiteE

_basis = _recurrences.hermite_e

hermeval = _basis.val
hermeval2d = _basis.val2d
hermeval3d = _basis.val3d
hermegrid2d = _basis.grid2d
hermegrid3d = _basis.grid3d
hermevander = _basis.vander
hermevander2d = _basis.vander2d
hermevander3d = _basis.vander3d
hermefit = _basis.fit

herme2poly = _hosted(_theirs.herme2poly)
hermeadd = _hosted(_theirs.hermeadd)
hermecompanion = _hosted(_theirs.hermecompanion)
hermeder = _hosted(_theirs.hermeder)
hermediv = _hosted(_theirs.hermediv)
hermefromroots = _hosted(_theirs.hermefromroots)
hermegauss = _hosted(_theirs.hermegauss)
hermeint = _hosted(_theirs.hermeint)
hermeline = _hosted(_theirs.hermeline)
hermemul = _hosted(_theirs.hermemul)
hermemulx = _hosted(_theirs.hermemulx)
hermepow = _hosted(_theirs.hermepow)
hermeroots = _hosted(_theirs.hermeroots)
hermesub = _hosted(_theirs.hermesub)
hermetrim = _hosted(_theirs.hermetrim)
hermeweight = _weights.hermite_e
poly2herme = _hosted(_theirs.poly2herme)

_CONSTANTS = ("hermedomain", "hermeone", "hermex", "hermezero")


if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Make the arrays hermedomain, hermeone, hermex, hermezero when one is asked for."""
        if name in _CONSTANTS:
            return _given_back(getattr(_theirs, name), _get_device())
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
