"""Functions of each element by itself.

Each is an object of its row in `ops.elementwise`; the line below it is the row's `about`, for
editors.
"""

from __future__ import annotations

from typing import Final

from xarr.functions.elementwise.ufuncs import Binary, Unary
from xarr.ops import elementwise as rows

abs: Final = Unary(rows.abs)
"""Compute the absolute value of x; the magnitude of a complex x."""
acos: Final = Unary(rows.acos)
"""Compute the inverse cosine of x, in [0, pi]."""
acosh: Final = Unary(rows.acosh)
"""Compute the inverse hyperbolic cosine of x."""
add: Final = Binary(rows.add)
"""Add x1 and x2; for bools, the logical or."""
asin: Final = Unary(rows.asin)
"""Compute the inverse sine of x, in [-pi/2, pi/2]."""
asinh: Final = Unary(rows.asinh)
"""Compute the inverse hyperbolic sine of x."""
atan: Final = Unary(rows.atan)
"""Compute the inverse tangent of x, in [-pi/2, pi/2]."""
atan2: Final = Binary(rows.atan2)
"""Compute the angle of the vector (x2, x1) to the first axis, in [-pi, pi]."""
atanh: Final = Unary(rows.atanh)
"""Compute the inverse hyperbolic tangent of x."""
bitwise_and: Final = Binary(rows.bitwise_and)
"""Compute the bitwise and: the bits set in both x1 and x2."""
bitwise_invert: Final = Unary(rows.bitwise_invert)
"""Invert each bit of x; for bools, the logical not."""
bitwise_left_shift: Final = Binary(rows.bitwise_left_shift)
"""Shift the bits of x1 to the left by x2; 0 if x2 is negative or not below the dtype's width."""
bitwise_or: Final = Binary(rows.bitwise_or)
"""Compute the bitwise or: the bits set in x1, x2 or both."""
bitwise_right_shift: Final = Binary(rows.bitwise_right_shift)
"""Shift the bits of x1 to the right by x2, repeating the sign bit."""
bitwise_xor: Final = Binary(rows.bitwise_xor)
"""Compute the bitwise xor: the bits set in x1 or x2, not both."""
cbrt: Final = Unary(rows.cbrt)
"""Compute the cube root of x."""
ceil: Final = Unary(rows.ceil)
"""Round x up to an integer, in the dtype of x."""
conj: Final = Unary(rows.conj)
"""Compute the complex conjugate of x; a real x is copied."""
copysign: Final = Binary(rows.copysign)
"""Combine the magnitude of x1 with the sign of x2."""
cos: Final = Unary(rows.cos)
"""Compute the cosine of x."""
cosh: Final = Unary(rows.cosh)
"""Compute the hyperbolic cosine of x."""
deg2rad: Final = Unary(rows.deg2rad)
"""Convert an angle from degrees to radians."""
divide: Final = Binary(rows.divide)
"""Divide x1 by x2."""
equal: Final = Binary(rows.equal)
"""Tell whether x1 equals x2."""
erf: Final = Unary(rows.erf)
"""Compute the error function of x."""
erfc: Final = Unary(rows.erfc)
"""Compute 1 - erf(x), accurate for large x."""
exp: Final = Unary(rows.exp)
"""Compute e to the power of x."""
exp2: Final = Unary(rows.exp2)
"""Compute 2**x."""
expm1: Final = Unary(rows.expm1)
"""Compute exp(x) - 1, accurate for x near 0."""
fabs: Final = Unary(rows.fabs)
"""Compute abs(x) as a float."""
floor: Final = Unary(rows.floor)
"""Round x down to an integer, in the dtype of x."""
floor_divide: Final = Binary(rows.floor_divide)
"""Divide x1 by x2 and round down; an integer divided by 0 gives 0."""
fmax: Final = Binary(rows.fmax)
"""Compute the larger of x1 and x2; if one is NaN, the other."""
fmin: Final = Binary(rows.fmin)
"""Compute the smaller of x1 and x2; if one is NaN, the other."""
fmod: Final = Binary(rows.fmod)
"""Compute the remainder of x1 / x2 with the sign of x1, as C's fmod."""
gcd: Final = Binary(rows.gcd)
"""Compute the greatest common divisor of abs(x1) and abs(x2)."""
greater: Final = Binary(rows.greater)
"""Tell whether x1 is greater than x2."""
greater_equal: Final = Binary(rows.greater_equal)
"""Tell whether x1 is greater than or equal to x2."""
heaviside: Final = Binary(rows.heaviside)
"""Compute the step function: 0 for negative x1, 1 for positive x1, and x2 for x1 = 0."""
hypot: Final = Binary(rows.hypot)
"""Compute sqrt(x1**2 + x2**2) without intermediate overflow."""
isfinite: Final = Unary(rows.isfinite)
"""Tell whether x is neither infinite nor NaN."""
isinf: Final = Unary(rows.isinf)
"""Tell whether x is infinite."""
isnan: Final = Unary(rows.isnan)
"""Tell whether x is NaN."""
lcm: Final = Binary(rows.lcm)
"""Compute the least common multiple of abs(x1) and abs(x2)."""
lgamma: Final = Unary(rows.lgamma)
"""Compute the natural logarithm of the absolute value of the gamma function of x."""
less: Final = Binary(rows.less)
"""Tell whether x1 is below x2."""
less_equal: Final = Binary(rows.less_equal)
"""Tell whether x1 is less than or equal to x2."""
log: Final = Unary(rows.log)
"""Compute the natural logarithm of x."""
log10: Final = Unary(rows.log10)
"""Compute the logarithm of x to base 10."""
log1p: Final = Unary(rows.log1p)
"""Compute log(1 + x), accurate for x near 0."""
log2: Final = Unary(rows.log2)
"""Compute the logarithm of x to base 2."""
logaddexp: Final = Binary(rows.logaddexp)
"""Compute log(exp(x1) + exp(x2)) without intermediate overflow."""
logaddexp2: Final = Binary(rows.logaddexp2)
"""Compute log2(2**x1 + 2**x2) without intermediate overflow."""
logical_and: Final = Binary(rows.logical_and)
"""Tell whether x1 and x2 are both true, or nonzero."""
logical_not: Final = Unary(rows.logical_not)
"""Tell whether x is false, or zero."""
logical_or: Final = Binary(rows.logical_or)
"""Tell whether x1, x2 or both are true, or nonzero."""
logical_xor: Final = Binary(rows.logical_xor)
"""Tell whether exactly one of x1 and x2 is true, or nonzero."""
maximum: Final = Binary(rows.maximum)
"""Compute the larger of x1 and x2; NaN if either is NaN."""
minimum: Final = Binary(rows.minimum)
"""Compute the smaller of x1 and x2; NaN if either is NaN."""
multiply: Final = Binary(rows.multiply)
"""Multiply x1 and x2; for bools, the logical and."""
negative: Final = Unary(rows.negative)
"""Compute the negative of x."""
nextafter: Final = Binary(rows.nextafter)
"""Find the next number after x1 towards x2."""
not_equal: Final = Binary(rows.not_equal)
"""Tell whether x1 differs from x2."""
positive: Final = Unary(rows.positive)
"""Return a copy of x."""
rad2deg: Final = Unary(rows.rad2deg)
"""Convert an angle from radians to degrees."""
reciprocal: Final = Unary(rows.reciprocal)
"""Compute 1 / x; for integers, rounded towards 0, and 0 for x = 0."""
remainder: Final = Binary(rows.remainder)
"""Compute the remainder of x1 / x2 with the sign of x2, as Python's %."""
rint: Final = Unary(rows.rint)
"""Round x to the nearest integer, halves to even, in floating point."""
rsqrt: Final = Unary(rows.rsqrt)
"""Compute 1 / sqrt(x), rounding after each of the two operations."""
sign: Final = Unary(rows.sign)
"""Compute the sign of x: -1, 0 or 1; x / abs(x) for a complex x other than 0."""
signbit: Final = Unary(rows.signbit)
"""Tell whether the sign bit of x is set."""
sin: Final = Unary(rows.sin)
"""Compute the sine of x."""
sinh: Final = Unary(rows.sinh)
"""Compute the hyperbolic sine of x."""
spacing: Final = Unary(rows.spacing)
"""Compute the distance from x to the next number away from 0, with the sign of x."""
sqrt: Final = Unary(rows.sqrt)
"""Compute the square root of x."""
square: Final = Unary(rows.square)
"""Compute the square of x."""
subtract: Final = Binary(rows.subtract)
"""Subtract x2 from x1."""
tan: Final = Unary(rows.tan)
"""Compute the tangent of x."""
tanh: Final = Unary(rows.tanh)
"""Compute the hyperbolic tangent of x."""
tgamma: Final = Unary(rows.tgamma)
"""Compute the gamma function of x."""
trunc: Final = Unary(rows.trunc)
"""Round x towards 0 to an integer, in the dtype of x."""
