"""Functions of each element by itself.

Each is an object of its row in `ops.elementwise`; the line below it is the row's `about`, for
editors.
"""

from __future__ import annotations

from typing import Final

from xarr.functions.elementwise.ufuncs import Binary, Unary
from xarr.ops import elementwise as rows

abs: Final = Unary(rows.abs)
"""The absolute value of x."""
acos: Final = Unary(rows.acos)
"""The inverse cosine of x, in [0, pi]."""
acosh: Final = Unary(rows.acosh)
"""The inverse hyperbolic cosine of x."""
add: Final = Binary(rows.add)
"""The sum of x1 and x2; of bools, whether one is true."""
asin: Final = Unary(rows.asin)
"""The inverse sine of x, in [-pi/2, pi/2]."""
asinh: Final = Unary(rows.asinh)
"""The inverse hyperbolic sine of x."""
atan: Final = Unary(rows.atan)
"""The inverse tangent of x, in [-pi/2, pi/2]."""
atan2: Final = Binary(rows.atan2)
"""The angle of the point (x2, x1), in [-pi, pi]."""
atanh: Final = Unary(rows.atanh)
"""The inverse hyperbolic tangent of x."""
bitwise_and: Final = Binary(rows.bitwise_and)
"""The bits that are set in both x1 and x2."""
bitwise_invert: Final = Unary(rows.bitwise_invert)
"""The bits of x inverted."""
bitwise_left_shift: Final = Binary(rows.bitwise_left_shift)
"""The bits of x1 moved x2 places up; 0 where x2 is not below the width."""
bitwise_or: Final = Binary(rows.bitwise_or)
"""The bits that are set in x1 or x2."""
bitwise_right_shift: Final = Binary(rows.bitwise_right_shift)
"""The bits of x1 moved x2 places down, the sign repeated."""
bitwise_xor: Final = Binary(rows.bitwise_xor)
"""The bits that are set in one of x1 and x2."""
cbrt: Final = Unary(rows.cbrt)
"""The cube root of x."""
ceil: Final = Unary(rows.ceil)
"""The least integer that is not below x, in the dtype of x."""
conj: Final = Unary(rows.conj)
"""The complex conjugate of x; x itself where it is real."""
copysign: Final = Binary(rows.copysign)
"""The magnitude of x1 with the sign of x2."""
cos: Final = Unary(rows.cos)
"""The cosine of x."""
cosh: Final = Unary(rows.cosh)
"""The hyperbolic cosine of x."""
deg2rad: Final = Unary(rows.deg2rad)
"""Convert an angle from degrees to radians."""
divide: Final = Binary(rows.divide)
"""The quotient of x1 and x2."""
equal: Final = Binary(rows.equal)
"""Tell whether x1 equals x2."""
erf: Final = Unary(rows.erf)
"""The error function of x."""
erfc: Final = Unary(rows.erfc)
"""1 - erf(x), accurate where that is near 0."""
exp: Final = Unary(rows.exp)
"""The exponential of x."""
exp2: Final = Unary(rows.exp2)
"""2 to the power of x."""
expm1: Final = Unary(rows.expm1)
"""exp(x) - 1, accurate near 0."""
fabs: Final = Unary(rows.fabs)
"""The absolute value of x, in floating point."""
floor: Final = Unary(rows.floor)
"""The greatest integer that is not above x, in the dtype of x."""
floor_divide: Final = Binary(rows.floor_divide)
"""The quotient of x1 and x2, rounded down; 0 where an integer is divided by 0."""
fmax: Final = Binary(rows.fmax)
"""The larger of x1 and x2; the other one where one is NaN."""
fmin: Final = Binary(rows.fmin)
"""The smaller of x1 and x2; the other one where one is NaN."""
fmod: Final = Binary(rows.fmod)
"""The rest of x1 after division by x2 rounded towards 0, with the sign of x1."""
gcd: Final = Binary(rows.gcd)
"""The greatest common divisor of x1 and x2, without a sign."""
greater: Final = Binary(rows.greater)
"""Tell whether x1 is greater than x2."""
greater_equal: Final = Binary(rows.greater_equal)
"""Tell whether x1 is not less than x2."""
heaviside: Final = Binary(rows.heaviside)
"""0 where x1 is negative, 1 where it is positive, and x2 where it is 0."""
hypot: Final = Binary(rows.hypot)
"""The square root of x1**2 + x2**2, without overflow on the way."""
isfinite: Final = Unary(rows.isfinite)
"""Tell whether x is neither infinite nor NaN."""
isinf: Final = Unary(rows.isinf)
"""Tell whether x is infinite."""
isnan: Final = Unary(rows.isnan)
"""Tell whether x is NaN."""
lcm: Final = Binary(rows.lcm)
"""The least common multiple of x1 and x2, without a sign."""
lgamma: Final = Unary(rows.lgamma)
"""The natural logarithm of the absolute value of the gamma function of x."""
less: Final = Binary(rows.less)
"""Tell whether x1 is below x2."""
less_equal: Final = Binary(rows.less_equal)
"""Tell whether x1 is not greater than x2."""
log: Final = Unary(rows.log)
"""The natural logarithm of x."""
log10: Final = Unary(rows.log10)
"""The logarithm of x to base 10."""
log1p: Final = Unary(rows.log1p)
"""log(1 + x), accurate near 0."""
log2: Final = Unary(rows.log2)
"""The logarithm of x to base 2."""
logaddexp: Final = Binary(rows.logaddexp)
"""log(exp(x1) + exp(x2)), without overflow on the way."""
logaddexp2: Final = Binary(rows.logaddexp2)
"""log2(2**x1 + 2**x2), without overflow on the way."""
logical_and: Final = Binary(rows.logical_and)
"""Tell whether x1 and x2 are both true, or nonzero."""
logical_not: Final = Unary(rows.logical_not)
"""Tell whether x is false, or zero."""
logical_or: Final = Binary(rows.logical_or)
"""Tell whether x1 or x2 is true, or nonzero."""
logical_xor: Final = Binary(rows.logical_xor)
"""Tell whether one of x1 and x2 is true, or nonzero."""
maximum: Final = Binary(rows.maximum)
"""The larger of x1 and x2; NaN if either is NaN."""
minimum: Final = Binary(rows.minimum)
"""The smaller of x1 and x2; NaN if either is NaN."""
multiply: Final = Binary(rows.multiply)
"""The product of x1 and x2; of bools, whether both are true."""
negative: Final = Unary(rows.negative)
"""The negative of x."""
nextafter: Final = Binary(rows.nextafter)
"""The number next to x1 towards x2."""
not_equal: Final = Binary(rows.not_equal)
"""Tell whether x1 differs from x2."""
positive: Final = Unary(rows.positive)
"""A new array with the values of x."""
rad2deg: Final = Unary(rows.rad2deg)
"""Convert an angle from radians to degrees."""
reciprocal: Final = Unary(rows.reciprocal)
"""1 / x; of integers without the fraction, and 0 of 0."""
remainder: Final = Binary(rows.remainder)
"""The rest of x1 after floor division by x2, with the sign of x2."""
rint: Final = Unary(rows.rint)
"""The integer nearest to x, halves to even, in floating point."""
rsqrt: Final = Unary(rows.rsqrt)
"""1 / sqrt(x), each rounded."""
sign: Final = Unary(rows.sign)
"""-1, 0 or 1 by the sign of x; x / abs(x) if complex."""
signbit: Final = Unary(rows.signbit)
"""Tell whether the sign bit of x is set."""
sin: Final = Unary(rows.sin)
"""The sine of x."""
sinh: Final = Unary(rows.sinh)
"""The hyperbolic sine of x."""
spacing: Final = Unary(rows.spacing)
"""The distance to the next number away from 0, with the sign of x."""
sqrt: Final = Unary(rows.sqrt)
"""The square root of x."""
square: Final = Unary(rows.square)
"""The square of x."""
subtract: Final = Binary(rows.subtract)
"""The difference of x1 and x2."""
tan: Final = Unary(rows.tan)
"""The tangent of x."""
tanh: Final = Unary(rows.tanh)
"""The hyperbolic tangent of x."""
tgamma: Final = Unary(rows.tgamma)
"""The gamma function of x."""
trunc: Final = Unary(rows.trunc)
"""The integer next to x towards 0, in the dtype of x."""
