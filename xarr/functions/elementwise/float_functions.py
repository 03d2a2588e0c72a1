"""Floating-point numbers taken apart and put together, their odd values, angles and phases."""

from __future__ import annotations

import math
from typing import Any, Final, Unpack

import numpy

from xarr import dtypes
from xarr.array.array import Array, ArrayLike, Out
from xarr.array.cached_calls import by_numpy, cached_call
from xarr.array.coerce import SCALARS, array_of, as_array, scalar_view, together
from xarr.array.out_argument import Outs, deliver, require_shape
from xarr.array.transfers import openly, to_host
from xarr.backends.device import default_float
from xarr.dtypes import BOOL, COMPLEX, FLOATING, INTEGER, REAL
from xarr.errors import type_error
from xarr.functions.calls.on_host import device_of
from xarr.functions.elementwise import arithmetic, elementwise
from xarr.functions.elementwise.ufuncs import Options, universal
from xarr.functions.reduce import reductions
from xarr.functions.shape import joining
from xarr.ir.views import View, constant
from xarr.layout import broadcast_shapes, normalize_axis
from xarr.ops import elementwise as rows
from xarr.ops.rows import Elementwise, choose, name_rows
from xarr.tape import builder
from xarr.tape.traced import plainly

exponent: Final = Elementwise((REAL,), "xr_exponent(x)", "The exponent of x.")
significand: Final = Elementwise((REAL,), "xr_significand(x)", "The significand of x.")
scaled: Final = Elementwise((REAL,), "xr_ldexp(x1, x2)", "x1 times 2 to the power of x2.")
i1: Final = Elementwise(
    (REAL,), "xr_i1(x)", "The modified Bessel function of order 1, the derivative of `i0`."
)
fraction: Final = Elementwise((REAL,), "xr_modf(x)", "The fraction of x.")
ROWS: Final = name_rows(vars(), Elementwise)
"""Rows that no function of one result is made of."""


@universal(nin=1, nout=2)
@by_numpy(numpy.frexp)
def frexp(x: ArrayLike, /, out: Outs = None, **options: Unpack[Options]) -> tuple[Array, Array]:
    """Split x into a significand m and an exponent e: x = m * 2**e with 0.5 <= abs(m) < 1.

    -> tuple of two Arrays, shape of x
        The significands, of the dtype of x or, for integers, a floating-point one; and the
        exponents, int32. For 0, NaN and infinity m is x and e is 0.

    >>> [part.tolist() for part in xarr.frexp(xarr.asarray([1.0, 6.0]))]
    [[0.5, 0.75], [1, 3]]
    """
    view = _of_reals(x, "frexp(x)")
    parts = significand.applied(view), exponent.applied(view)
    return Array(parts[0]), Array(builder.converted(parts[1], dtypes.int32))


@universal(nin=1, nout=2)
def modf(x: ArrayLike, /, out: Outs = None, **options: Unpack[Options]) -> tuple[Array, Array]:
    """Split x into its fraction and its whole part.

    -> tuple of two floating-point Arrays, shape of x
        Both have the sign and the data type of x; integers become floating-point.

    >>> [part.tolist() for part in xarr.modf(xarr.asarray([1.5, -2.25]))]
    [[0.5, -0.25], [1.0, -2.0]]
    """
    view = _of_reals(x, "modf(x)")
    part = fraction.applied(view)
    return Array(part), Array(rows.trunc.applied(builder.converted(view, part.dtype)))


def _of_reals(x: ArrayLike, where: str) -> View:
    view = array_of(x, where)._view
    if view.dtype.kind == COMPLEX:
        fault = f"x has dtype {view.dtype}"
        raise type_error(where, fault, "x must be real", "take x.real or x.imag")
    return view


_NORMAL: Final = {dtypes.float32: range(-126, 128), dtypes.float64: range(-1022, 1024)}
"""The exponents of normal numbers."""


@universal(nin=2, is_mixed=True)
@by_numpy(numpy.ldexp, 2)
def ldexp(x1: ArrayLike, x2: ArrayLike, /, out: Out = None, **options: Unpack[Options]) -> Array:
    """Compute x1 * 2**x2, rounded once.

    x1 : real numeric Array, shape (...) -- The numbers; integers become floating-point.
    x2 : integer Array, shape (...) -- The exponents.

    -> floating-point Array, shape that x1 and x2 broadcast to, of the data type of x1

    >>> xarr.ldexp(xarr.asarray([0.5, 0.75]), xarr.asarray([1, 3])).tolist()
    [1.0, 6.0]
    """
    where_named = "ldexp(x1, x2)"
    x1, x2 = plainly(x1), plainly(x2)
    device = next((value.device for value in (x1, x2) if type(value) is Array), None)
    if type(x1) is Array and type(x2) is int:
        second = Array(scalar_view(x2, dtypes.int32, x1.device, where_named))
    else:
        second = as_array(x2, where_named, "x2", device=device)
    number: Any = x1
    if type(x2) is Array and type(number) in (bool, int, float):
        default = default_float(x2.device)
        beside = dtypes.of_python_scalar(number, x2._view.dtype, default)
        # A number that has no type of its own takes NumPy's first, which is float16.
        row = dtypes.float16 if beside is x2._view.dtype else default
        first = Array(scalar_view(number, row, x2.device, where_named))
    else:
        first = as_array(x1, where_named, "x1", device=device)
    if second._view.dtype.kind not in (*INTEGER, BOOL) or second._view.dtype is dtypes.uint64:
        fault = f"x2 has dtype {second._view.dtype}"
        accepted = "x2 must have a bool or integer dtype other than uint64"
        raise type_error(where_named, fault, accepted, "write x1 * 2.0**x2")
    view = first._view
    if view.dtype.kind not in FLOATING:  # the type that functions compute integers in
        view = builder.converted(view, rows.fabs._resolve((view,)).operands[0])
    number = None if second.shape else second._view.value
    if number is not None and number in _NORMAL.get(view.dtype, ()):
        # A power that is a normal number: the same product, without the kernel's steps.
        factor = scalar_view(2.0**number, view.dtype, view.device, where_named)
        return Array(rows.multiply.combined(view, factor, where_named))
    power = builder.converted(second._view, dtypes.float32)
    return Array(scaled.combined(view, builder.converted(power, view.dtype), where_named))


@universal(nin=2)
def float_power(
    x1: ArrayLike, x2: ArrayLike, /, out: Out = None, **options: Unpack[Options]
) -> Array:
    """Raise x1 to the power of x2, in float64 or complex128.

    x1, x2 : numeric Array, shapes that broadcast to (...) -- The operands.

    -> floating-point Array, shape that x1 and x2 broadcast to

    >>> xarr.float_power(xarr.asarray([2, 3]), 2).tolist()
    [4.0, 9.0]
    """
    where = "float_power(x1, x2)"
    # A Python number becomes one of the widest type at once: 1e300 is none of float16's.
    one, other = [1j if type(x) is complex else 1.0 if type(x) in SCALARS else x for x in (x1, x2)]
    first, second = together(one, other, where)
    wide = default_float(first.device)
    if first.dtype.kind == COMPLEX:
        wide = dtypes.COMPLEX_OF[wide]
    first, second = (
        constant(wide.numpy.type(x).item(), wide, (), view.device)
        if type(x) in SCALARS
        else builder.converted(view, wide)
        for x, view in ((x1, first), (x2, second))
    )
    return Array(rows.pow.combined(first, second, where))


def _real(x: ArrayLike, where: str) -> Array:
    """An operand that is not complex."""
    array = array_of(x, where)
    if array._view.dtype.kind == COMPLEX:
        given = f"x has dtype {array._view.dtype}"
        raise type_error(where, given, "it must be real", "take x.real")
    return array


def isneginf(x: ArrayLike, out: Out = None) -> Array:
    """Tell whether x is negative infinity.

    -> Array of bool, shape of x
    """
    x = _real(x, "isneginf(x)")
    return deliver(elementwise.isinf(x) & (x < 0), out, "isneginf(x, out)")


def isposinf(x: ArrayLike, out: Out = None) -> Array:
    """Tell whether x is positive infinity.

    -> Array of bool, shape of x
    """
    x = _real(x, "isposinf(x)")
    return deliver(elementwise.isinf(x) & (x > 0), out, "isposinf(x, out)")


def fix(x: ArrayLike, out: Out = None) -> Array:
    """Round x towards 0 to an integer, in the dtype of x, as `trunc`.

    -> Array, shape and data type of x

    >>> xarr.fix(xarr.asarray([1.7, -1.7])).tolist()
    [1.0, -1.0]
    """
    where = "fix(x)" if out is None else "fix(x, out)"
    given = as_array(x, where, "x", device=device_of(x, out))
    return deliver(Array(rows.trunc.applied(_of_reals(given, where))), out, where)


@cached_call
def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Array:
    """Replace NaN and infinities by numbers.

    copy : bool -- Whether the result is a new array; else x itself is changed and returned.
    nan, posinf, neginf : float, optional -- The replacements of NaN, inf and -inf;
        for the infinities, None is the largest and the lowest finite number of the dtype.

    -> Array, shape and data type of x

    >>> xarr.nan_to_num(xarr.asarray([xarr.nan, 2.0])).tolist()
    [0.0, 2.0]
    """
    array = array_of(x, "nan_to_num(x)")
    view = array._view
    if view.dtype.kind == COMPLEX:
        real, imag = (
            Array(_finite(part.applied(view), nan, posinf, neginf))
            for part in (rows.real, rows.imag)
        )
        result = arithmetic.of_parts(real, imag)
    elif view.dtype.kind == REAL:
        result = Array(_finite(view, nan, posinf, neginf))
    else:
        result = array.copy() if copy else array
    if copy or result is array:
        return result
    return deliver(result, array, "nan_to_num(x, copy)")


def _finite(view: View, nan: Any, posinf: Any, neginf: Any) -> View:
    """A real view with numbers in place of what is none."""
    where = "nan_to_num(x, nan)"
    info = numpy.finfo(view.dtype.numpy)
    zero = constant(0.0, view.dtype, (), view.device)
    infinite = rows.isinf.applied(view)
    above = rows.logical_and.combined(infinite, rows.greater.combined(view, zero))
    for condition, value in (
        (rows.isnan.applied(view), nan),
        (above, float(info.max) if posinf is None else posinf),
        (
            rows.logical_and.combined(infinite, rows.less.combined(view, zero)),
            float(info.min) if neginf is None else neginf,
        ),
    ):
        if numpy.iscomplexobj(value):
            raise type_error(where, f"{value!r} is complex", "it must be real")
        if type(value) in SCALARS:
            number = scalar_view(float(value), view.dtype, view.device, where)
        else:
            values = as_array(value, where, "nan", dtype=view.dtype, device=view.device)
            require_shape(values.shape, view.shape, where, "a value in place", "x")
            number = values._view
        view = choose(condition, number, view)
    return view


@cached_call
def sinc(x: ArrayLike) -> Array:
    """Compute sin(pi x) / (pi x), which is 1 at x = 0.

    -> floating-point Array, shape of x; integers become the default floating-point type

    >>> print(xarr.sinc(xarr.asarray([0.0, 0.5])).round(3))
    [1.    0.637]
    """
    view = in_floating(array_of(x, "sinc(x)")._view)
    # As in NumPy, no condition: next to 0 the quotient is 1.
    zero = constant(0.0, view.dtype, (), view.device)
    least = float(dtypes.quietly(view.dtype.numpy.type, 1e-20).real) or 2.0**-24
    tiny = constant(least, view.dtype, (), view.device)
    angle = Array(choose(rows.equal.combined(view, zero), tiny, view)) * math.pi
    return elementwise.sin(angle) / angle


def in_floating(view: View) -> View:
    """A view in floating point: of the device's default type where it is not."""
    if view.dtype.kind in FLOATING:
        return view
    return builder.converted(view, default_float(view.device))


def i0(x: ArrayLike) -> Array:
    """Compute the modified Bessel function of the first kind, of order 0.

    x : real floating-point Array, shape (...) -- The operand; also integers and bools.

    -> Array, shape (...) -- Of the dtype of x; for integers, the default floating-point type.

    Note: For infinities the result is NaN, as in NumPy.

    >>> f"{xarr.i0(1.0):.6f}"
    '1.266066'
    """
    return Array(rows.i0.applied(array_of(x, "i0(x)")._view))


@cached_call
def angle(z: ArrayLike, deg: bool = False) -> Array:
    """Compute the angle of complex numbers, from -pi to pi radians or in degrees.

    z : numeric Array, shape (...) -- The numbers.
    deg : bool -- Whether the result is in degrees.

    -> real floating-point Array, shape of z

    >>> xarr.angle(xarr.asarray([1.0, 1j]), deg=True).tolist()
    [0.0, 90.0]
    """
    view = array_of(z, "angle(z)")._view
    if view.dtype.kind == BOOL:
        view = builder.converted(view, dtypes.int64)
    if view.dtype.kind == REAL:  # atan2 takes an H200 85 us of 2^24 float32, to store them 50
        turn, none = (constant(value, view.dtype, (), view.device) for value in (math.pi, 0.0))
        of_sign = choose(rows.signbit.applied(view), turn, none)
        result = Array(choose(rows.isnan.applied(view), view, of_sign))
        return result * (180.0 / math.pi) if deg else result
    real = rows.real.applied(view)
    if view.dtype.kind == COMPLEX:
        imag = rows.imag.applied(view)
    else:
        imag = constant(real.dtype.numpy.type(0).item(), real.dtype, (), real.device)
    result = Array(rows.atan2.combined(imag, real))
    return result * (180.0 / math.pi) if deg else result


def real_if_close(a: ArrayLike, tol: float = 100) -> Array:
    """Return the real part if all imaginary parts are close to 0, else `a`. Waits for the device.

    tol : float -- The bound on imaginary parts; a value above 1 is in units of the dtype's epsilon.

    -> Array, shape of a

    >>> xarr.real_if_close(xarr.asarray([1 + 1e-15j])).tolist()
    [1.0]
    """
    x = array_of(a, "real_if_close(a)")
    if x._view.dtype.kind != COMPLEX:
        return x
    part = dtypes.PART[x._view.dtype]
    bound = float(tol) if tol <= 1 else float(tol) * float(numpy.finfo(part.numpy).eps)
    close = reductions.all(elementwise.abs(arithmetic.imag(x)) < bound)
    with openly():
        real = bool(to_host(close._view))
    return arithmetic.real(x) if real else x


@cached_call
def unwrap(
    p: ArrayLike, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi
) -> Array:
    """Remove jumps of more than half a period along an axis.

    p : real numeric Array, shape (...) -- The phases.
    discont : float, optional -- The smallest jump to remove; values below half a period mean half a
        period.
    period : float
        The period; whole multiples of it are added to the phases.

    -> Array, shape of p, floating-point unless p and period are integers

    >>> xarr.unwrap(xarr.asarray([0, 1, 5, 0]), period=6).tolist()
    [0, 1, -1, 0]
    """
    name = "unwrap(p, discont, axis)"
    x = array_of(p, name)
    if x._view.dtype.kind == COMPLEX:
        raise type_error(name, f"p has dtype {x._view.dtype}", "p must be real")
    whole = x._view.dtype.kind != REAL and isinstance(period, int)
    place = normalize_axis(axis, x.ndim, name)
    steps = joining.diff(x, axis=place)
    if not whole:
        x, steps = (Array(in_floating(values._view)) for values in (x, steps))
    half: Any = period // 2 if whole else period / 2
    low = -half
    shifted = (steps - low) % period + low
    if not (whole and period % 2):
        turned = elementwise.positive(shifted * 0 + half)._view
        shifted = Array(choose(((shifted == -half) & (steps > 0))._view, turned, shifted._view))
    correction = shifted - steps
    least = half if discont is None else discont
    broadcast_shapes(getattr(least, "shape", ()), steps.shape, where=name)
    zero = constant(0, correction._view.dtype, (), correction.device)
    jumps = Array(choose((elementwise.abs(steps) < least)._view, zero, correction._view))
    first = (slice(None),) * place
    result = x.copy()
    result[(*first, slice(1, None))] += reductions.cumsum(jumps, axis=place)
    return result
