"""Series of Hermite polynomials of physics, as in `numpy.polynomial.hermite`.

Values, Vandermonde matrices and fits are computed on the device; functions that return coefficients
run on the host, and return Arrays.
"""

import typing as _typing

import numpy.polynomial.hermite as _theirs

from xarr.functions.calls.on_host import constants as _constants, run_on_host as _run_on_host
from xarr.functions.polynomials import series_values as _recurrences
from xarr.functions.polynomials.series import Hermite as Hermite

_basis = _recurrences.hermite

hermval, hermvalnd = _basis.val, _basis.valnd
hermval2d, hermval3d = _basis.val2d, _basis.val3d
hermgrid2d, hermgrid3d = _basis.grid2d, _basis.grid3d
hermvander, hermvander2d, hermvander3d = _basis.vander, _basis.vander2d, _basis.vander3d
hermfit = _basis.fit

herm2poly = _run_on_host(_theirs.herm2poly)
hermadd = _run_on_host(_theirs.hermadd)
hermcompanion = _run_on_host(_theirs.hermcompanion)
hermder = _run_on_host(_theirs.hermder)
hermdiv = _run_on_host(_theirs.hermdiv)
hermfromroots = _run_on_host(_theirs.hermfromroots)
hermgauss = _run_on_host(_theirs.hermgauss)
hermint = _run_on_host(_theirs.hermint)
hermline = _run_on_host(_theirs.hermline)
hermmul = _run_on_host(_theirs.hermmul)
hermmulx = _run_on_host(_theirs.hermmulx)
hermpow = _run_on_host(_theirs.hermpow)
hermroots = _run_on_host(_theirs.hermroots)
hermsub = _run_on_host(_theirs.hermsub)
hermtrim = _run_on_host(_theirs.hermtrim)
hermweight = _recurrences.hermweight
poly2herm = _run_on_host(_theirs.poly2herm)

if not _typing.TYPE_CHECKING:
    __getattr__ = _constants(__name__, _theirs, "herm")
