"""Functions of all bases, as `numpy.polynomial.polyutils`; all but mapdomain run on the host."""

import typing as _typing

import numpy.polynomial.polyutils as _theirs

from xarr.functions.calls.on_host import host_of as _host_of, run_on_host as _run_on_host
from xarr.functions.polynomials.series import Series as _Series
from xarr.functions.polynomials.series_values import mapped as _mapped

as_series = _run_on_host(_theirs.as_series)
getdomain = _run_on_host(_theirs.getdomain)
trimcoef = _run_on_host(_theirs.trimcoef)
trimseq = _run_on_host(_theirs.trimseq, "Remove the zeros at the end of a sequence.")
format_float = _theirs.format_float


def mapparms(old: _typing.Any, new: _typing.Any) -> tuple[_typing.Any, _typing.Any]:
    """Return the offset and the scale of the linear map of one interval to another.

    old, new : pair of float -- The intervals: their first and last points.

    -> (float, float) -- The offset and the scale, numbers on the host: offset + scale * old is new.

    >>> xarr.polynomial.polyutils.mapparms([0.0, 4.0], [-1.0, 1.0])
    (-1.0, 0.5)
    """
    where = "mapparms(old, new)"
    return _theirs.mapparms(_host_of(old, where), _host_of(new, where))


def mapdomain(x: _typing.Any, old: _typing.Any, new: _typing.Any) -> _typing.Any:
    """Map points by the linear map of one interval to another.

    x : Array, shape (...), or series -- The points.
    old, new : pair of float -- The intervals: their first and last points.

    -> Array, shape (...), or series -- The points in the new interval.

    >>> xarr.polynomial.polyutils.mapdomain(xarr.asarray([0.0, 1.0]), [0, 4], [-1, 1]).tolist()
    [-1.0, -0.5]
    """
    offset, scale = mapparms(old, new)
    if isinstance(x, _Series):
        return offset + scale * x
    return _mapped(x, offset, scale)
