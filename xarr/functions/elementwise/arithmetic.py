"""Functions of each element that are more than a row: powers, rounding, bounds."""

from __future__ import annotations

import math
from typing import Any, Final, SupportsIndex, Unpack

import numpy

from xarr import dtypes
from xarr.array import other_operands
from xarr.array.array import Array, ArrayLike, DTypeLike, Out
from xarr.array.cached_calls import by_numpy, cached_call
from xarr.array.coerce import SCALARS, array_of, as_array, together
from xarr.array.operators import combined as known_pair
from xarr.array.out_argument import Outs, deliver
from xarr.dtypes import BOOL, COMPLEX, INTEGER
from xarr.functions.elementwise import elementwise
from xarr.functions.elementwise.ufuncs import Options, in_type, is_weak, universal
from xarr.ir.operation import Operation
from xarr.layout import broadcast_shapes, integer
from xarr.ops import elementwise as rows
from xarr.ops.rows import Elementwise, name_rows
from xarr.tape import builder

_COUNT: Final = Elementwise(
    (BOOL, *INTEGER), "xr_bit_count(x)", "The number of bits of x.", boolean="x"
)
name_rows({"bitwise_count": _COUNT}, Elementwise)
_OF_PARTS: Final = {
    part: Operation(
        "complex", (part, part), row, f"xr_complex_{row.compute}({{0}}, {{1}})", row="complex"
    )
    for row, part in dtypes.PART.items()
}


@universal(rows.pow)
def pow(x1: ArrayLike, x2: ArrayLike, /, out: Out = None, **options: Unpack[Options]) -> Array:
    """Raise x1 to the power of x2.

    x1, x2 : numeric Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    -> Array, shape (...) -- Of the data type that the operands promote to. x1 ** 2 is x1 times x1.

    ValueError -- If the shapes do not broadcast or the devices differ, or an integer is raised to a
        negative integer power.

    >>> xarr.pow(xarr.asarray([6.0, 7.0]), 2.0).tolist()
    [36.0, 49.0]
    """
    if type(x1) is not Array and type(x2) is not Array:
        x1 = array_of(x1, rows.pow.where, "x1")
    return other_operands.power(x1, x2)


@universal(nin=2, nout=2)
def divmod(
    x1: ArrayLike, x2: ArrayLike, /, out: Outs = None, **options: Unpack[Options]
) -> tuple[Array, Array]:
    """Divide x1 by x2: return `floor_divide` and `remainder` of them.

    x1, x2 : real numeric Array, shapes that broadcast to (...)
        The operands; also numbers, lists of numbers and NumPy arrays.

    -> tuple of two Arrays, shape that x1 and x2 broadcast to, of the type they promote to

    >>> [part.tolist() for part in xarr.divmod(xarr.asarray([5, -5]), 3)]
    [[1, -2], [2, 1]]
    """
    shapes = (getattr(operand, "shape", ()) for operand in (x1, x2))
    broadcast_shapes(*shapes, where="divmod(x1, x2)")
    return elementwise.floor_divide(x1, x2), elementwise.remainder(x1, x2)


@universal(nin=1)
@by_numpy(numpy.bitwise_count)
def bitwise_count(x: ArrayLike, /, out: Out = None, **options: Unpack[Options]) -> Array:
    """Count the 1 bits in the absolute value of x.

    x : integer or bool Array, shape (...) -- The operand.

    -> Array of uint8, shape of x

    >>> xarr.bitwise_count(xarr.asarray([7, 8, -1])).tolist()
    [3, 1, 1]
    """
    counted = _COUNT.applied(array_of(x, "bitwise_count(x)")._view)
    return Array(builder.converted(counted, dtypes.uint8))


@cached_call
def real(val: ArrayLike) -> Array:
    """Take the real part.

    val : ArrayLike, shape (...) -- The operand, of any data type.

    -> Array, shape (...)
        For a complex array a view, float32 or float64; a real array is returned as it is. A
        Python number gives a number.

    >>> xarr.real([1 + 2j, 3j]).tolist()
    [1.0, 0.0]
    """
    if type(val) in SCALARS:
        return val.real  # type: ignore[union-attr, return-value]
    return array_of(val, "real(val)").real


@cached_call
def imag(val: ArrayLike) -> Array:
    """Take the imaginary part; 0 for real numbers.

    val : ArrayLike, shape (...) -- The operand, of any data type.

    -> Array, shape (...)
        For a complex array a view, float32 or float64; for a real array, read-only zeros of its
        dtype. A Python number gives a number.

    >>> xarr.imag([1 + 2j, 3j]).tolist()
    [2.0, 3.0]
    """
    if type(val) in SCALARS:
        return val.imag  # type: ignore[union-attr, return-value]
    return array_of(val, "imag(val)").imag


def of_parts(real: Array, imag: Array) -> Array:
    """Make complex numbers of two parts of one data type and shape.

    `real + 1j * imag` is another number where a part is infinite, NaN or -0.0.
    """
    operation = _OF_PARTS[real._view.dtype]
    return Array(builder.defer(operation, (real._view, imag._view), real.shape))


def round(a: ArrayLike, decimals: SupportsIndex = 0, out: Out = None) -> Array:
    """Round to the nearest integer, halves to even.

    decimals : int, optional -- The number of decimal places; -1 rounds to tens, -2 to hundreds.
        As in NumPy, by multiplying with 10**decimals, rounding and dividing.

    -> numeric Array, shape (...) -- Of the dtype of a; float16 for bools.

    >>> xarr.round(xarr.asarray([1234.5, 5678.9]), -2).tolist()
    [1200.0, 5700.0]
    """
    where = "round(a, decimals)"
    places = int(decimals) if type(decimals) is bool else integer(decimals, where, "decimals")
    if out is not None:
        return deliver(round(a, places), out, "round(a, decimals, out)")
    if places == 0:
        return _to_integers(a)
    a = array_of(a, where)
    if a._view.dtype.kind == COMPLEX:  # a product of complex numbers mixes their parts
        return of_parts(round(real(a), places), round(imag(a), places))
    integers = a._view.dtype.kind in dtypes.INTEGER
    if integers and places > 0:
        return elementwise.positive(a)
    scale = 10.0 ** abs(places) if abs(places) <= _LARGEST_POWER else math.inf
    rounded = _to_integers(a * scale) / scale if places > 0 else _to_integers(a / scale) * scale
    return rounded.astype(a.dtype) if integers else rounded


_LARGEST_POWER: Final = 308
"""The largest power of ten that is a finite float64."""


def _to_integers(x: Any) -> Array:
    view = array_of(x, "round(a, decimals)")._view
    # As NumPy does: bools are rounded in float16.
    return Array(rows.rint.applied(view) if view.dtype.kind == BOOL else rows.round.applied(view))


def _beyond(bound: ArrayLike, name: str, x: Array) -> bool:
    """Whether a bound is a Python integer that no element of x's dtype is on the other side of."""
    row = x._view.dtype
    if type(bound) is not int or row.kind not in dtypes.INTEGER:
        return False
    least, most = dtypes.integer_bounds(row)
    return bound <= least if name == "min" else bound >= most


def clip(
    a: ArrayLike,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    out: Out = None,
    *,
    a_min: ArrayLike | None = None,
    a_max: ArrayLike | None = None,
    where: ArrayLike = True,
    casting: str = "same_kind",
    dtype: DTypeLike = None,
) -> Array:
    """Limit each element to [min, max], as minimum(maximum(element, min), max); NaN stays NaN.

    min, max : Array or Python scalar, optional
        The bounds, of shapes that broadcast with the array's; None for no bound. A Python integer
        `min` below the range of the array's dtype, or `max` above it, has no effect.
    a_min, a_max : Array or Python scalar, optional -- NumPy's older names of min and max.

    -> Array, shape that the operands broadcast to, of the data type that they promote to

    OverflowError -- If a Python integer `min` is above, or `max` below, the range of the dtype.
    ValueError -- If the shapes are not compatible.

    >>> xarr.clip(xarr.asarray([1, 5, 9]), 2, 6).tolist()
    [2, 5, 6]
    """
    min, max = (a_min if min is None else min), (a_max if max is None else max)
    is_plain = out is dtype is None and where is True and casting == "same_kind"
    if is_plain and type(a) is Array and a._view.dtype.kind == dtypes.REAL:
        # Of few elements it takes 3 us so, and 12 where a call is recorded again.
        first: Array | None = known_pair(rows.maximum.known, a, min)
        found: Array | None = None if first is None else known_pair(rows.minimum.known, first, max)
        if found is not None:
            return found
    return _clipped(a, min, max, out, where, casting, dtype)


@cached_call
def _clipped(a: Any, min: Any, max: Any, out: Any, where: Any, casting: Any, dtype: Any) -> Array:
    name = "clip(a, min, max)"
    a = array_of(a, name)
    if dtype is not None:
        wanted, told = dtypes.lookup(dtype, name), f"{name[:-1]}, dtype)"
        given: list[Any] = [a, min, max]
        for place, value in enumerate(given):
            if value is not None and (wanted.kind == BOOL or not is_weak(value, wanted)):
                array = as_array(value, name, device=a.device)
                given[place] = in_type(value, array, wanted, casting, told)
        a, min, max = given
    if out is not None or where is not True or casting != "same_kind":
        return deliver(clip(a, min, max), out, name, casting=casting, where=where)
    result = a
    for bound_name, bound, row in (("min", min, rows.maximum), ("max", max, rows.minimum)):
        if bound is None or _beyond(bound, bound_name, a):
            continue
        first, second = together(result, bound, name, ("a", bound_name))
        if first is result._view and type(bound) in (int, float):
            row.taken_as(first.structure, second.structure, type(bound), swapped=False)
        result = Array(row.combined(first, second, name))
    return elementwise.positive(a) if result is a else result
