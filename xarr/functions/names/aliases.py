"""NumPy's names of what the standard, or xarr, calls something else."""

from __future__ import annotations

from xarr.array.array import Array
from xarr.functions.create import creation
from xarr.functions.elementwise import arithmetic, elementwise
from xarr.functions.reduce import reductions
from xarr.functions.shape import joining

absolute = elementwise.abs
amax = reductions.max
amin = reductions.min
arccos = elementwise.acos
arccosh = elementwise.acosh
arcsin = elementwise.asin
arcsinh = elementwise.asinh
arctan = elementwise.atan
arctan2 = elementwise.atan2
arctanh = elementwise.atanh
around = arithmetic.round
bitwise_not = elementwise.bitwise_invert
conjugate = elementwise.conj
degrees = elementwise.rad2deg
invert = elementwise.bitwise_invert
left_shift = elementwise.bitwise_left_shift
mod = elementwise.remainder
power = arithmetic.pow
right_shift = elementwise.bitwise_right_shift
radians = elementwise.deg2rad
true_divide = elementwise.divide
asanyarray = creation.asarray
concatenate = joining.concat
row_stack = joining.vstack
ndarray = Array
