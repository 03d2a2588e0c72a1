"""Means and variances with NumPy's options: over a mask, about a given mean, of complex numbers.

And the warnings of results that NumPy warns of, with the line of the caller.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy

from xarr import dtypes, errors, layout
from xarr.array.array import Array
from xarr.array.coerce import as_array, operand_view
from xarr.array.out_argument import mask_of, require_castable, single
from xarr.array.transfers import Host
from xarr.backends.device import default_float
from xarr.dtypes import BOOL, COMPLEX, FLOATING, REAL, DType
from xarr.errors import type_error, value_error
from xarr.functions.calls.row_calls import reduced, sent
from xarr.ir.views import View, constant
from xarr.layout import Shape
from xarr.ops import elementwise, reductions, vendor
from xarr.ops.rows import Reduction, choose
from xarr.tape import builder


def averaged(
    row: Reduction, x: View, axis: Any, dtype: Any, out: Any, keepdims: bool, where: Any
) -> Array:
    """The mean, over the elements where a mask holds."""
    name = f"{row.name}(a, axis, where)"
    if where is True and _accumulates(dtype, FLOATING, name):
        if not x.shape or 0 in x.shape:
            _warn(x.shape, axis, 0, "Mean of empty slice", f"{row.name}(a, axis)")
        return reduced(row, x, axis, dtype=dtype, out=out, keepdims=keepdims)
    mask = None if where is True else _mask(x, where, name)
    if mask is None:
        _warn(x.shape, axis, 0, "Mean of empty slice", name)
    else:
        number = reduced(reductions.count_nonzero, mask, axis, keepdims=keepdims, where=name)
        warn_of_few(number, "Mean of empty slice")
    result = _mean(x, axis, dtype, keepdims, mask, name)
    return sent(result, single(out, name), name)


def freedom_less(ddof: float | None, correction: float, where: str) -> float:
    """NumPy's `ddof` or the standard's `correction`, subtracted from the number of elements."""
    for name, given in (("ddof", 0 if ddof is None else ddof), ("correction", correction)):
        if not isinstance(given, int | float | numpy.integer | numpy.floating):
            where = f"{where.partition('(')[0]}(a, axis, {name})"
            raise type_error(where, f"{name} is {given!r}", f"{name} must be a real number")
    if ddof and correction:
        fault = f"ddof is {ddof} and correction {correction}"
        accepted = "one of them must be left out"
        remedy = "ddof and correction can't be provided simultaneously."
        raise value_error(where, fault, accepted, remedy)
    return ddof or correction


def spread(
    row: Reduction,
    x: View,
    axis: Any,
    dtype: Any,
    out: Any,
    ddof: float | None,
    keepdims: bool,
    where: Any,
    mean: Any,
    correction: float,
) -> Array:
    """The variance or the standard deviation."""
    name = f"{row.name}(a, axis, where, mean)"
    less = freedom_less(ddof, correction, name)
    if row is reductions.std and out is not None and dtype is not None:
        _require_root_fits(_summed(x, dtype, name), single(out, name), name)
    is_real = x.dtype.kind != COMPLEX and _accumulates(dtype, (REAL,), name)
    if where is True and mean is None and is_real:
        whole = reduced(row, x, axis, dtype=dtype, out=out, keepdims=keepdims, correction=less)
        _warn(x.shape, axis, less, _FREEDOM, f"{row.name}(a, axis)")
        return whole
    mask = None if where is True else _mask(x, where, name)
    wanted = _summed(x, dtype, name)
    if x.dtype.kind == wanted.kind == BOOL:
        fault = "a and dtype are bool"
        raise type_error(name, fault, "bools have no difference; another dtype must be given")
    if mean is None:
        middle = _mean(x, axis, dtype, True, mask, name)
    else:
        middle = builder.converted(operand_view(mean, name, "mean"), wanted)
    apart = elementwise.subtract.combined(x, middle, name)
    if apart.dtype.kind == COMPLEX:
        real, imag = (elementwise.square.applied(part.applied(apart)) for part in _PARTS)
        squares = elementwise.add.combined(real, imag)
    else:
        squares = elementwise.square.applied(apart)
    shape = squares.shape
    part = dtypes.PART.get(wanted, wanted)
    total = _sum(squares, axis, part.numpy, keepdims, mask, name)
    count = _count(shape, mask, axis, keepdims, total, name)
    above = elementwise.subtract.combined(count, _like(less, count))
    if mask is None:
        _warn(shape, axis, less, _FREEDOM, name)
    else:
        warn_of_few(Array(above), _FREEDOM)
    enough = elementwise.greater.combined(above, _like(0.0, count))
    divisor = choose(enough, above, _like(math.nan, count))
    result = builder.converted(elementwise.divide.combined(total, divisor), part)
    if row is reductions.std:
        result = builder.converted(elementwise.sqrt.applied(result), part)
    if dtype is not None:
        result = builder.converted(result, wanted)
    return sent(result, single(out, name), name)


def _require_root_fits(wanted: DType, out: Array | None, name: str) -> None:
    """Refuse an integer `out` of a root, which is a floating-point number for integers too."""
    if out is not None and wanted.kind not in FLOATING:
        require_castable(dtypes.float64, out._view.dtype, "same_kind", name)


_FREEDOM: Final = "Degrees of freedom <= 0 for slice"


def _warn(shape: Shape, axis: Any, less: float, message: str, name: str) -> None:
    """Warn where each of the results is of no more than `less` elements."""
    axes = layout.normalize_axes(axis, len(shape), name)
    if math.prod(shape[place] for place in axes) <= less:
        warn(message)


_PARTS = (elementwise.real, elementwise.imag)


def _mask(x: View, where: Any, name: str) -> View:
    as_array(where, name, "where")  # NumPy takes no truths of objects here
    mask = mask_of(where, x, name)
    if mask is None:
        mask = constant(True, dtypes.bool_, (), x.device)
    shape = layout.broadcast_shapes(mask.shape, x.shape, where=name)
    return builder.broadcast(mask, shape)


def _accumulates(dtype: Any, kinds: tuple[str, ...], name: str) -> bool:
    """Whether the kernel of a row accumulates in the data type asked for, or in its own."""
    return dtype is None or dtypes.lookup(dtype, name).kind in kinds


def _summed(x: View, dtype: Any, name: str) -> DType:
    """The data type that sums have."""
    if dtype is not None:
        return dtypes.lookup(dtype, name)
    return x.dtype if x.dtype.kind in FLOATING else default_float(x.device)


def _sum(x: View, axis: Any, dtype: Any, keepdims: bool, mask: View | None, name: str) -> View:
    """The sum where a mask holds, in the type that it is divided in."""
    which = True if mask is None else Array(mask)
    found = reduced(reductions.sum, x, axis, dtype=dtype, keepdims=keepdims, mask=which, where=name)
    total = found._view
    return (
        total if total.dtype.kind in FLOATING else builder.converted(total, default_float(x.device))
    )


def _mean(x: View, axis: Any, dtype: Any, keepdims: bool, mask: View | None, name: str) -> View:
    wanted = _summed(x, dtype, name)
    if mask is None and wanted.kind in FLOATING:
        return reduced(reductions.mean, x, axis, dtype=dtype, keepdims=keepdims)._view
    total = _sum(x, axis, wanted.numpy, keepdims, mask, name)
    count = _count(x.shape, mask, axis, keepdims, total, name)
    return builder.converted(elementwise.divide.combined(total, count), wanted)


def _count(
    shape: tuple[int, ...], mask: View | None, axis: Any, keepdims: bool, total: View, name: str
) -> View:
    """How many elements there are to each sum, in the type of a real part of the sums."""
    part = dtypes.PART.get(total.dtype, total.dtype)
    if mask is None:
        places = layout.normalize_axes(axis, len(shape), name)
        count = 1
        for place in places:
            count *= shape[place]
        return constant(float(count), part, (), total.device)
    number = reduced(reductions.count_nonzero, mask, axis, keepdims=keepdims, where=name)
    return builder.converted(number._view, part)


def _like(value: float, beside: View) -> View:
    return constant(float(value), beside.dtype, (), beside.device)


def warn_of_nan(result: Array) -> None:
    """Warn of a result that is NaN, as NumPy does."""
    if result._view.dtype.kind in FLOATING:
        _warn_where(result, numpy.isnan, "All-NaN slice encountered")


def warn_of_few(number: Array, message: str) -> None:
    """Warn of results of too few elements: where `number` is not positive."""
    _warn_where(number, lambda values: values <= 0, message)


def _warn_where(x: Array, is_wrong: Callable[[Host], Host], message: str) -> None:
    """Warn of elements where nobody has to wait for them: on a CPU."""
    if vendor.now("any", lambda values: is_wrong(values).any(), (x._view,)):
        warn(message)


def warn(message: str) -> None:
    """Give a RuntimeWarning, of the line that is not xarr's."""
    errors.warn(message, RuntimeWarning)
