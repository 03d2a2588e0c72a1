"""Series of powers, as in `numpy.polynomial.polynomial`.

Values, Vandermonde matrices and fits are computed on the device; functions that return coefficients
run on the host, and return Arrays.
"""

import typing as _typing

import numpy.polynomial.polynomial as _theirs

from xarr.functions.calls.on_host import constants as _constants, run_on_host as _run_on_host
from xarr.functions.polynomials import series_values as _recurrences
from xarr.functions.polynomials.series import Polynomial as Polynomial

_basis = _recurrences.power

polyval, polyvalnd = _basis.val, _basis.valnd
polyval2d, polyval3d = _basis.val2d, _basis.val3d
polygrid2d, polygrid3d = _basis.grid2d, _basis.grid3d
polyvander, polyvander2d, polyvander3d = _basis.vander, _basis.vander2d, _basis.vander3d
polyfit = _basis.fit

polyadd = _run_on_host(_theirs.polyadd)
polycompanion = _run_on_host(_theirs.polycompanion)
polyder = _run_on_host(_theirs.polyder)
polydiv = _run_on_host(_theirs.polydiv)
polyfromroots = _run_on_host(_theirs.polyfromroots)
polyint = _run_on_host(_theirs.polyint)
polyline = _run_on_host(_theirs.polyline)
polymul = _run_on_host(_theirs.polymul)
polymulx = _run_on_host(_theirs.polymulx)
polypow = _run_on_host(_theirs.polypow)
polyroots = _run_on_host(_theirs.polyroots)
polysub = _run_on_host(_theirs.polysub)
polytrim = _run_on_host(_theirs.polytrim)
polyvalfromroots = _recurrences.value_from_roots

if not _typing.TYPE_CHECKING:
    __getattr__ = _constants(__name__, _theirs, "poly")
