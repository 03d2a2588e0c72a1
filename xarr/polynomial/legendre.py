"""Series of Legendre polynomials, as in `numpy.polynomial.legendre`.

Values, Vandermonde matrices and fits are computed on the device; functions that return coefficients
run on the host, and return Arrays.
"""

import typing as _typing

import numpy.polynomial.legendre as _theirs

from xarr.functions.calls.on_host import constants as _constants, run_on_host as _run_on_host
from xarr.functions.polynomials import series_values as _recurrences
from xarr.functions.polynomials.series import Legendre as Legendre

_basis = _recurrences.legendre

legval, legvalnd = _basis.val, _basis.valnd
legval2d, legval3d = _basis.val2d, _basis.val3d
leggrid2d, leggrid3d = _basis.grid2d, _basis.grid3d
legvander, legvander2d, legvander3d = _basis.vander, _basis.vander2d, _basis.vander3d
legfit = _basis.fit

leg2poly = _run_on_host(_theirs.leg2poly)
legadd = _run_on_host(_theirs.legadd)
legcompanion = _run_on_host(_theirs.legcompanion)
legder = _run_on_host(_theirs.legder)
legdiv = _run_on_host(_theirs.legdiv)
legfromroots = _run_on_host(_theirs.legfromroots)
leggauss = _run_on_host(_theirs.leggauss)
legint = _run_on_host(_theirs.legint)
legline = _run_on_host(_theirs.legline)
legmul = _run_on_host(_theirs.legmul)
legmulx = _run_on_host(_theirs.legmulx)
legpow = _run_on_host(_theirs.legpow)
legroots = _run_on_host(_theirs.legroots)
legsub = _run_on_host(_theirs.legsub)
legtrim = _run_on_host(_theirs.legtrim)
legweight = _recurrences.legweight
poly2leg = _run_on_host(_theirs.poly2leg)

if not _typing.TYPE_CHECKING:
    __getattr__ = _constants(__name__, _theirs, "leg")
