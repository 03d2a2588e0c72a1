"""Series of Laguerre polynomials, as in `numpy.polynomial.laguerre`.

Values, Vandermonde matrices and fits are computed on the device; functions that return coefficients
run on the host, and return Arrays.
"""

import typing as _typing

import numpy.polynomial.laguerre as _theirs

from xarr.functions.calls.on_host import constants as _constants, run_on_host as _run_on_host
from xarr.functions.polynomials import series_values as _recurrences
from xarr.functions.polynomials.series import Laguerre as Laguerre

_basis = _recurrences.laguerre

lagval, lagvalnd = _basis.val, _basis.valnd
lagval2d, lagval3d = _basis.val2d, _basis.val3d
laggrid2d, laggrid3d = _basis.grid2d, _basis.grid3d
lagvander, lagvander2d, lagvander3d = _basis.vander, _basis.vander2d, _basis.vander3d
lagfit = _basis.fit

lag2poly = _run_on_host(_theirs.lag2poly)
lagadd = _run_on_host(_theirs.lagadd)
lagcompanion = _run_on_host(_theirs.lagcompanion)
lagder = _run_on_host(_theirs.lagder)
lagdiv = _run_on_host(_theirs.lagdiv)
lagfromroots = _run_on_host(_theirs.lagfromroots)
laggauss = _run_on_host(_theirs.laggauss)
lagint = _run_on_host(_theirs.lagint)
lagline = _run_on_host(_theirs.lagline)
lagmul = _run_on_host(_theirs.lagmul)
lagmulx = _run_on_host(_theirs.lagmulx)
lagpow = _run_on_host(_theirs.lagpow)
lagroots = _run_on_host(_theirs.lagroots)
lagsub = _run_on_host(_theirs.lagsub)
lagtrim = _run_on_host(_theirs.lagtrim)
lagweight = _recurrences.lagweight
poly2lag = _run_on_host(_theirs.poly2lag)

if not _typing.TYPE_CHECKING:
    __getattr__ = _constants(__name__, _theirs, "lag")
