"""Series of Hermite polynomials of probability, as in `numpy.polynomial.hermite_e`.

Values, Vandermonde matrices and fits are computed on the device; functions that return coefficients
run on the host, and return Arrays.
"""

import typing as _typing

import numpy.polynomial.hermite_e as _theirs

from xarr.functions.calls.on_host import constants as _constants, run_on_host as _run_on_host
from xarr.functions.polynomials import series_values as _recurrences
from xarr.functions.polynomials.series import HermiteE as HermiteE

_basis = _recurrences.hermite_e

hermeval, hermevalnd = _basis.val, _basis.valnd
hermeval2d, hermeval3d = _basis.val2d, _basis.val3d
hermegrid2d, hermegrid3d = _basis.grid2d, _basis.grid3d
hermevander, hermevander2d, hermevander3d = _basis.vander, _basis.vander2d, _basis.vander3d
hermefit = _basis.fit

herme2poly = _run_on_host(_theirs.herme2poly)
hermeadd = _run_on_host(_theirs.hermeadd)
hermecompanion = _run_on_host(_theirs.hermecompanion)
hermeder = _run_on_host(_theirs.hermeder)
hermediv = _run_on_host(_theirs.hermediv)
hermefromroots = _run_on_host(_theirs.hermefromroots)
hermegauss = _run_on_host(_theirs.hermegauss)
hermeint = _run_on_host(_theirs.hermeint)
hermeline = _run_on_host(_theirs.hermeline)
hermemul = _run_on_host(_theirs.hermemul)
hermemulx = _run_on_host(_theirs.hermemulx)
hermepow = _run_on_host(_theirs.hermepow)
hermeroots = _run_on_host(_theirs.hermeroots)
hermesub = _run_on_host(_theirs.hermesub)
hermetrim = _run_on_host(_theirs.hermetrim)
hermeweight = _recurrences.hermeweight
poly2herme = _run_on_host(_theirs.poly2herme)

if not _typing.TYPE_CHECKING:
    __getattr__ = _constants(__name__, _theirs, "herme")
