"""The rows of the element-wise functions; `rows.Elementwise` says what their columns mean."""

from __future__ import annotations

import math
import operator as python
from collections.abc import Callable
from typing import Any, Final

import numpy

from xarr import tuning
from xarr.dtypes import (
    ANY,
    BOOL,
    COMPLEX,
    FLOATING,
    INTEGER,
    NUMERIC,
    REAL,
    REAL_NUMERIC,
    SIGNED,
    UNSIGNED,
)
from xarr.ir.resolved import OPERATORS
from xarr.memo import listed
from xarr.ops.rows import OF_THE_STANDARD, Domain, Elementwise, name_rows

INTEGER_OR_BOOL: Final = (BOOL, SIGNED, UNSIGNED)
REAL_OR_BOOL: Final = (BOOL, *REAL_NUMERIC)
NUMPYS: Final = "As in NumPy; not part of the Array API standard."


def _rounding(expression: str, about: str, function: Callable[[float], int]) -> Elementwise:
    def exact(x: float) -> float:  # a zero has the sign of x, which Python's integer has not
        return x if type(x) is not float else float(function(x)) or math.copysign(0.0, x)

    return Elementwise(REAL_OR_BOOL, expression, about, integer="x", host=(REAL,), exact=exact)


def _function(
    expression: str,
    about: str,
    low: float,
    high: float,
    ulp: float,
    unit: str = "",
    complex_ulp: float = 3.0,
) -> Elementwise:
    domain = Domain(low, high, ulp, complex_ulp)
    return Elementwise(FLOATING, expression, f"Compute {about}", unit=unit, domain=domain)


def _special(
    expression: str, about: str, low: float, high: float, ulp: float, reference: Callable[..., Any]
) -> Elementwise:
    return Elementwise(
        (REAL,),
        expression,
        f"Compute {about}",
        domain=Domain(low, high, ulp),
        source="The C standard (ISO 9899), mathematics, and its Annex F.",
        reference=reference,
    )


def _of_numbers(function: Callable[[float], float]) -> Callable[..., Any]:
    """Return a reference that calls a Python function for each element."""
    return numpy.vectorize(function, otypes=[numpy.float64])


def _comparison(
    sign: str,
    kinds: tuple[str, ...],
    operator: str,
    about: str,
    beyond: tuple[bool, bool],
    complex: str = "",
) -> Elementwise:
    return Elementwise(
        kinds,
        f"x1 {sign} x2",
        about,
        complex=complex,
        result="bool",
        operator=operator,
        beyond=beyond,
        host=kinds,
        exact=getattr(python, operator),
    )


def _bitwise(sign: str, operator: str, about: str, identity: int) -> Elementwise:
    return Elementwise(
        INTEGER_OR_BOOL,
        f"x1 {sign} x2",
        about,
        operator=operator,
        associative=True,
        identity=identity,
        host=INTEGER_OR_BOOL,
        exact=getattr(python, f"{operator}_" if operator in ("and", "or") else operator),
    )


def _shifted_left(x1: int, x2: int) -> int:
    """Shift as Python does; raise ValueError where no data type holds the result."""
    if x2 >= 64:
        raise ValueError
    return x1 << x2


def _logical(sign: str, about: str, identity: bool) -> Elementwise:
    return Elementwise(
        ANY,
        f"(x1 != 0) {sign} (x2 != 0)",
        about,
        boolean=f"x1 {sign} x2",
        complex=f"xr_nonzero(x1) {sign} xr_nonzero(x2)",
        result="bool",
        associative=True,
        identity=identity,
        host=ANY,
    )


def _larger(x: float, y: float) -> float | None:
    """Return the larger of two different numbers; None of equal ones, which may be signed zeros."""
    return x if x > y else y if y > x else None


def _smaller(x: float, y: float) -> float | None:
    """Return the smaller of two different numbers; None of equal ones."""
    return x if x < y else y if y < x else None


_EXTREMES: Final = {"maximum": _larger, "minimum": _smaller}


def _extreme(name: str, about: str, sign: str, source: str = "") -> Elementwise:
    whole = {"fmax": "maximum", "fmin": "minimum"}.get(name, name)
    return Elementwise(
        ANY,
        f"xr_{name}(x1, x2)",
        f"Compute {about}",
        integer=f"xr_{whole}(x1, x2)",
        boolean=f"x1 {sign} x2",
        associative=True,
        source=source or OF_THE_STANDARD,
        host=REAL_OR_BOOL if name == whole else INTEGER_OR_BOOL,
        exact=_EXTREMES.get(name),
    )


abs = Elementwise(
    ANY,
    "fabs(x)",
    "Compute the absolute value of x; the magnitude of a complex x.",
    integer="xr_abs(x)",
    boolean="x",
    complex="xr_abs(x)",
    result="real",
    operator="abs",
    domain=Domain(complex_ulp=1),
    exact=python.abs,
    host=REAL_OR_BOOL,
)
acos = _function(
    "xr_acos(x)", "the inverse cosine of x, in [0, pi].", -1, 1, 3, "result in radians"
)
acosh = _function("xr_acosh(x)", "the inverse hyperbolic cosine of x.", 1, 1e3, 3)
add = Elementwise(
    ANY,
    "x1 + x2",
    "Add x1 and x2; for bools, the logical or.",
    integer="xr_add(x1, x2)",
    boolean="x1 | x2",
    complex="xr_add(x1, x2)",
    operator="add",
    associative=True,
    identity=0,
    host=ANY,
    exact=python.add,
)
asin = _function(
    "xr_asin(x)", "the inverse sine of x, in [-pi/2, pi/2].", -1, 1, 3, "result in radians", 4
)
asinh = _function("xr_asinh(x)", "the inverse hyperbolic sine of x.", -1e3, 1e3, 3)
atan = _function(
    "xr_atan(x)", "the inverse tangent of x, in [-pi/2, pi/2].", -1e3, 1e3, 3, "result in radians"
)
atan2 = Elementwise(
    (REAL,),
    "xr_atan2(x1, x2)",
    "Compute the angle of the vector (x2, x1) to the first axis, in [-pi, pi].",
    unit="result in radians",
    domain=Domain(ulp=3),
)
atanh = _function("xr_atanh(x)", "the inverse hyperbolic tangent of x.", -1, 1, 3)
bitwise_and = _bitwise("&", "and", "Compute the bitwise and: the bits set in both x1 and x2.", -1)
bitwise_invert = Elementwise(
    INTEGER_OR_BOOL,
    "~x",
    "Invert each bit of x; for bools, the logical not.",
    boolean="!x",
    operator="invert",
    host=INTEGER_OR_BOOL,
)
bitwise_left_shift = Elementwise(
    INTEGER,
    "xr_left_shift(x1, x2)",
    "Shift the bits of x1 to the left by x2; 0 if x2 is negative or not below the dtype's width.",
    unit="x2 in bits",
    operator="lshift",
    widens_bool=True,
    domain=Domain(0, 8),
    exact=_shifted_left,
    host=INTEGER,
)
bitwise_or = _bitwise("|", "or", "Compute the bitwise or: the bits set in x1, x2 or both.", 0)
bitwise_right_shift = Elementwise(
    INTEGER,
    "xr_right_shift(x1, x2)",
    "Shift the bits of x1 to the right by x2, repeating the sign bit.",
    unit="x2 in bits",
    operator="rshift",
    widens_bool=True,
    domain=Domain(0, 8),
    exact=python.rshift,
    host=INTEGER,
)
bitwise_xor = _bitwise(
    "^", "xor", "Compute the bitwise xor: the bits set in x1 or x2, not both.", 0
)
cbrt = Elementwise(
    (REAL,), "xr_cbrt(x)", "Compute the cube root of x.", domain=Domain(-1e3, 1e3, 2), source=NUMPYS
)
ceil = _rounding("ceil(x)", "Round x up to an integer, in the dtype of x.", math.ceil)
conj = Elementwise(
    NUMERIC,
    "x",
    "Compute the complex conjugate of x; a real x is copied.",
    complex="xr_conj(x)",
    widens_bool=True,
    host=(COMPLEX,),
)
copysign = Elementwise(
    (REAL,), "copysign(x1, x2)", "Combine the magnitude of x1 with the sign of x2.", host=(REAL,)
)
cos = _function("xr_cos(x)", "the cosine of x.", -1e3, 1e3, 3, "in radians")
cosh = _function("xr_cosh(x)", "the hyperbolic cosine of x.", -50, 50, 3)
deg2rad = Elementwise(
    (REAL,),
    "xr_deg2rad(x)",
    "Convert an angle from degrees to radians.",
    unit="in degrees",
    domain=Domain(ulp=1),
    source=NUMPYS,
)
divide = Elementwise(
    FLOATING,
    "x1 / x2",
    "Divide x1 by x2.",
    complex="xr_divide(x1, x2)",
    operator="truediv",
    integers_as_default=True,
    host=REAL_OR_BOOL,
    exact=python.truediv,
)
equal = _comparison(
    "==", ANY, "eq", "Tell whether x1 equals x2.", complex="xr_equal(x1, x2)", beyond=(False, False)
)
erf = _special("xr_erf(x)", "the error function of x.", -5, 5, 1.5, _of_numbers(math.erf))
erfc = _special(
    "xr_erfc(x)", "1 - erf(x), accurate for large x.", -5, 25, 1.5, _of_numbers(math.erfc)
)
exp = _function("xr_exp(x)", "e to the power of x.", -50, 50, 3)
exp2 = Elementwise(
    FLOATING, "xr_exp2(x)", "Compute 2**x.", domain=Domain(-50, 50, 3, 64), source=NUMPYS
)
expm1 = _function("xr_expm1(x)", "exp(x) - 1, accurate for x near 0.", -50, 50, 3)
fabs = Elementwise((REAL,), "fabs(x)", "Compute abs(x) as a float.", source=NUMPYS, host=(REAL,))
floor = _rounding("floor(x)", "Round x down to an integer, in the dtype of x.", math.floor)
floor_divide = Elementwise(
    REAL_NUMERIC,
    "xr_floor_divide(x1, x2)",
    "Divide x1 by x2 and round down; an integer divided by 0 gives 0.",
    operator="floordiv",
    widens_bool=True,
    host=INTEGER,
)
fmax = _extreme("fmax", "the larger of x1 and x2; if one is NaN, the other.", "|", NUMPYS)
fmin = _extreme("fmin", "the smaller of x1 and x2; if one is NaN, the other.", "&", NUMPYS)
fmod = Elementwise(
    REAL_NUMERIC,
    "xr_fmod(x1, x2)",
    "Compute the remainder of x1 / x2 with the sign of x1, as C's fmod.",
    widens_bool=True,
    source=NUMPYS,
    host=(REAL,),
)
gcd = Elementwise(
    INTEGER,
    "xr_gcd(x1, x2)",
    "Compute the greatest common divisor of abs(x1) and abs(x2).",
    associative=True,
    identity=0,
    source=NUMPYS,
)
greater = _comparison(
    ">",
    ANY,
    "gt",
    "Tell whether x1 is greater than x2.",
    beyond=(False, True),
    complex="xr_less(x2, x1)",
)
greater_equal = _comparison(
    ">=",
    ANY,
    "ge",
    "Tell whether x1 is greater than or equal to x2.",
    beyond=(False, True),
    complex="xr_less_equal(x2, x1)",
)
heaviside = Elementwise(
    (REAL,),
    "xr_heaviside(x1, x2)",
    "Compute the step function: 0 for negative x1, 1 for positive x1, and x2 for x1 = 0.",
    source=NUMPYS,
    host=(REAL,),
)
hypot = Elementwise(
    (REAL,),
    "xr_hypot(x1, x2)",
    "Compute sqrt(x1**2 + x2**2) without intermediate overflow.",
    associative=True,
    identity=0,
    domain=Domain(ulp=3),
)
i0 = Elementwise(
    (REAL,),
    "xr_i0(x)",
    "Compute the modified Bessel function of the first kind, of order 0.",
    domain=Domain(-30, 30, 3),
    integers_as_default=True,
    by_hand=True,
)
imag = Elementwise(
    ANY,
    "0",
    "Take the imaginary part; 0 for real numbers.",
    complex="x.im",
    result="real",
    by_hand=True,
    host=ANY,
)
isfinite = Elementwise(
    ANY,
    "isfinite(x)",
    "Tell whether x is neither infinite nor NaN.",
    integer="1",
    complex="xr_isfinite(x)",
    result="bool",
    host=ANY,
)
isinf = Elementwise(
    ANY,
    "isinf(x)",
    "Tell whether x is infinite.",
    integer="0",
    complex="xr_isinf(x)",
    result="bool",
    host=ANY,
)
isnan = Elementwise(
    ANY,
    "isnan(x)",
    "Tell whether x is NaN.",
    integer="0",
    complex="xr_isnan(x)",
    result="bool",
    host=ANY,
)
lcm = Elementwise(
    INTEGER,
    "xr_lcm(x1, x2)",
    "Compute the least common multiple of abs(x1) and abs(x2).",
    source=NUMPYS,
)
lgamma = _special(
    "xr_lgamma(x)",
    "the natural logarithm of the absolute value of the gamma function of x.",
    0,
    100,
    1.5,
    _of_numbers(math.lgamma),
)
less = _comparison(
    "<", ANY, "lt", "Tell whether x1 is below x2.", beyond=(True, False), complex="xr_less(x1, x2)"
)
less_equal = _comparison(
    "<=",
    ANY,
    "le",
    "Tell whether x1 is less than or equal to x2.",
    beyond=(True, False),
    complex="xr_less_equal(x1, x2)",
)
log = _function("xr_log(x)", "the natural logarithm of x.", 1e-3, 1e3, 3)
log1p = _function("xr_log1p(x)", "log(1 + x), accurate for x near 0.", -0.5, 1e3, 3)
log2 = _function("xr_log2(x)", "the logarithm of x to base 2.", 1e-3, 1e3, 3)
log10 = _function("xr_log10(x)", "the logarithm of x to base 10.", 1e-3, 1e3, 3)
logaddexp = Elementwise(
    (REAL,),
    "xr_logaddexp(x1, x2)",
    "Compute log(exp(x1) + exp(x2)) without intermediate overflow.",
    associative=True,
    identity=-math.inf,
    domain=Domain(-50, 50, 4, cancel=True),
)
logaddexp2 = Elementwise(
    (REAL,),
    "xr_logaddexp2(x1, x2)",
    "Compute log2(2**x1 + 2**x2) without intermediate overflow.",
    associative=True,
    identity=-math.inf,
    domain=Domain(-50, 50, 4, cancel=True),
    source=NUMPYS,
)
logical_and = _logical("&", "Tell whether x1 and x2 are both true, or nonzero.", True)
logical_not = Elementwise(
    ANY,
    "x == 0",
    "Tell whether x is false, or zero.",
    boolean="!x",
    complex="!xr_nonzero(x)",
    result="bool",
    host=ANY,
)
logical_or = _logical("|", "Tell whether x1, x2 or both are true, or nonzero.", False)
logical_xor = _logical("^", "Tell whether exactly one of x1 and x2 is true, or nonzero.", False)
maximum = _extreme("maximum", "the larger of x1 and x2; NaN if either is NaN.", "|")
minimum = _extreme("minimum", "the smaller of x1 and x2; NaN if either is NaN.", "&")
multiply = Elementwise(
    ANY,
    "ROUNDED(x1 * x2)",
    "Multiply x1 and x2; for bools, the logical and.",
    integer="xr_multiply(x1, x2)",
    boolean="x1 & x2",
    complex="xr_multiply(x1, x2)",
    operator="mul",
    associative=True,
    identity=1,
    host=ANY,
    exact=python.mul,
)
negative = Elementwise(
    NUMERIC,
    "-x",
    "Compute the negative of x.",
    integer="xr_negative(x)",
    complex="xr_negative(x)",
    operator="neg",
    exact=python.neg,
    host=ANY,
)
nextafter = Elementwise(
    (REAL,), "xr_nextafter(x1, x2)", "Find the next number after x1 towards x2.", host=(REAL,)
)
not_equal = _comparison(
    "!=",
    ANY,
    "ne",
    "Tell whether x1 differs from x2.",
    complex="xr_not_equal(x1, x2)",
    beyond=(True, True),
)
positive = Elementwise(NUMERIC, "x", "Return a copy of x.", operator="pos", host=NUMERIC)
pow = Elementwise(
    NUMERIC,
    "xr_pow(x1, x2)",
    "Raise x1 to the power of x2.",
    operator="pow",
    widens_bool=True,
    domain=Domain(0, 8, 4, 100),
    by_hand=True,
)
rad2deg = Elementwise(
    (REAL,),
    "xr_rad2deg(x)",
    "Convert an angle from radians to degrees.",
    unit="in radians",
    domain=Domain(ulp=1),
    source=NUMPYS,
)
real = Elementwise(
    ANY, "x", "Take the real part.", complex="x.re", result="real", by_hand=True, host=ANY
)
reciprocal = Elementwise(
    NUMERIC,
    "xr_reciprocal(x)",
    "Compute 1 / x; for integers, rounded towards 0, and 0 for x = 0.",
    widens_bool=True,
    domain=Domain(1e-3, 1e3, 1, 2),
    host=(REAL,),
)
remainder = Elementwise(
    REAL_NUMERIC,
    "xr_remainder(x1, x2)",
    "Compute the remainder of x1 / x2 with the sign of x2, as Python's %.",
    operator="mod",
    widens_bool=True,
    host=REAL_OR_BOOL,
)
rint = Elementwise(
    FLOATING,
    "rint(x)",
    "Round x to the nearest integer, halves to even, in floating point.",
    complex="xr_round(x)",
    source=NUMPYS,
    host=REAL_OR_BOOL,
)
round = Elementwise(
    NUMERIC,
    "rint(x)",
    "Round to the nearest integer, halves to even.",
    integer="x",
    complex="xr_round(x)",
    by_hand=True,
    host=(SIGNED, UNSIGNED, REAL),
)
rsqrt = Elementwise(
    (REAL,),
    "xr_rsqrt(x)",
    "Compute 1 / sqrt(x), rounding after each of the two operations.",
    domain=Domain(1e-3, 1e3, 1.5),
    source="CUDA C++ and OpenCL C.",
    reference=lambda x: 1 / numpy.sqrt(x),
)
sign = Elementwise(
    NUMERIC,
    "xr_sign(x)",
    "Compute the sign of x: -1, 0 or 1; x / abs(x) for a complex x other than 0.",
    domain=Domain(complex_ulp=2),
    host=(SIGNED, UNSIGNED, REAL),
)
signbit = Elementwise(
    (REAL,), "xr_signbit(x)", "Tell whether the sign bit of x is set.", result="bool", host=(REAL,)
)
sin = _function("xr_sin(x)", "the sine of x.", -1e3, 1e3, 3, "in radians")
sinh = _function("xr_sinh(x)", "the hyperbolic sine of x.", -50, 50, 3)
spacing = Elementwise(
    (REAL,),
    "xr_spacing(x)",
    "Compute the distance from x to the next number away from 0, with the sign of x.",
    source=NUMPYS,
)
sqrt = Elementwise(
    FLOATING,
    "sqrt(x)",
    "Compute the square root of x.",
    complex="xr_sqrt(x)",
    domain=Domain(0, 1e3, 0, 2),
    exact=math.sqrt,
    host=REAL_OR_BOOL,
)
square = Elementwise(
    NUMERIC,
    "ROUNDED(x * x)",
    "Compute the square of x.",
    integer="xr_square(x)",
    complex="xr_square(x)",
    widens_bool=True,
    exact=lambda x: x * x,
    host=ANY,
)
subtract = Elementwise(
    NUMERIC,
    "x1 - x2",
    "Subtract x2 from x1.",
    integer="xr_subtract(x1, x2)",
    complex="xr_subtract(x1, x2)",
    operator="sub",
    host=ANY,
    exact=python.sub,
)
tan = _function("xr_tan(x)", "the tangent of x.", -1e3, 1e3, 4, "in radians", 5)
tanh = _function("xr_tanh(x)", "the hyperbolic tangent of x.", -50, 50, 3, complex_ulp=5)
tgamma = _special("xr_tgamma(x)", "the gamma function of x.", -20, 30, 1, _of_numbers(math.gamma))
trunc = _rounding("trunc(x)", "Round x towards 0 to an integer, in the dtype of x.", math.trunc)

square.known = OPERATORS["square"]  # so that `x ** 2` finds it, whose operator is `pow`
square.known.row = square

TABLE: Final = name_rows(vars(), Elementwise)
listed("ResolvedRow.pairs", tuning.OPCODES, lambda: [row.known.pairs for row in TABLE])
listed("ResolvedRow.numbers", tuning.REMEMBERED, lambda: [row.known.numbers for row in TABLE])
BY_NAME: Final = {row.name: row for row in TABLE}
