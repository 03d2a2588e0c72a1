"""Series of Chebyshev polynomials, as in `numpy.polynomial.chebyshev`.

Values, Vandermonde matrices and fits are computed on the device; functions that return coefficients
run on the host, and return Arrays.
"""

import typing as _typing

import numpy.polynomial.chebyshev as _theirs

from xarr.functions.calls.on_host import constants as _constants, run_on_host as _run_on_host
from xarr.functions.polynomials import series_values as _recurrences
from xarr.functions.polynomials.series import Chebyshev as Chebyshev

_basis = _recurrences.chebyshev

chebval, chebvalnd = _basis.val, _basis.valnd
chebval2d, chebval3d = _basis.val2d, _basis.val3d
chebgrid2d, chebgrid3d = _basis.grid2d, _basis.grid3d
chebvander, chebvander2d, chebvander3d = _basis.vander, _basis.vander2d, _basis.vander3d
chebfit = _basis.fit

cheb2poly = _run_on_host(_theirs.cheb2poly)
chebadd = _run_on_host(_theirs.chebadd)
chebcompanion = _run_on_host(_theirs.chebcompanion)
chebder = _run_on_host(_theirs.chebder)
chebdiv = _run_on_host(_theirs.chebdiv)
chebfromroots = _run_on_host(_theirs.chebfromroots)
chebgauss = _run_on_host(_theirs.chebgauss)
chebint = _run_on_host(_theirs.chebint)
chebinterpolate = _recurrences.chebinterpolate
chebline = _run_on_host(_theirs.chebline)
chebmul = _run_on_host(_theirs.chebmul)
chebmulx = _run_on_host(_theirs.chebmulx)
chebpow = _run_on_host(_theirs.chebpow)
chebpts1 = _run_on_host(_theirs.chebpts1)
chebpts2 = _run_on_host(_theirs.chebpts2)
chebroots = _run_on_host(_theirs.chebroots)
chebsub = _run_on_host(_theirs.chebsub)
chebtrim = _run_on_host(_theirs.chebtrim)
chebweight = _recurrences.chebweight
poly2cheb = _run_on_host(_theirs.poly2cheb)

if not _typing.TYPE_CHECKING:
    __getattr__ = _constants(__name__, _theirs, "cheb")
