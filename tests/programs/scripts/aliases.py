"""The many names of one function, and functions where others write methods."""

import numpy as np

x = np.linspace(-1, 1, 7)
y = np.array([3.0, 1.0, 2.0])
trig = [np.arcsin(x), np.arccos(x), np.arctan(x), np.arctan2(x, 2.0), np.arcsinh(x), np.arccosh(x + 3), np.arctanh(x / 2)]
degrees = [np.degrees(x), np.rad2deg(x), np.radians(x), np.deg2rad(x)]
power = [np.power(2, [1, 2, 3]), np.float_power(2, 0.5), np.mod(7, [2, 3]), np.remainder(-7, 3), np.fmod(-7, 3), np.true_divide(1, 4)]
absolute = [np.absolute(x), np.abs(x), np.fabs(x), np.conjugate(1 + 2j), np.sign(x), np.negative(x)]
extreme = [np.amax(y), np.amin(y), np.max(y), np.maximum(y, 2), np.fmax(y, [np.nan, 5, 0]), np.minimum(y, 2), np.fmin(y, 1.5)]
rounding = [np.around(x, 1), np.round(x, 2), np.rint(x), np.fix(x * 3), np.trunc(x * 3), np.floor(x), np.ceil(x)]
logic = [np.logical_and(x, 1), np.logical_or(x > 0, [0]), np.logical_not(x), np.invert(x > 0), np.bitwise_not(np.array([5, 6])), np.left_shift(1, [1, 2]), np.right_shift(16, 2)]
sums = [np.cumsum(y), np.cumprod(y), np.product(y) if hasattr(np, "product") else np.prod(y), np.nansum([1, np.nan]), np.trace(np.eye(3)), np.diff(y)]
shapes = [np.shape(x), np.ndim(x), np.size(x), np.alen(x) if hasattr(np, "alen") else len(x), np.ravel([[1, 2], [3, 4]]), np.transpose([[1, 2, 3]]), np.swapaxes(np.ones((2, 3)), 0, 1)]
products = [np.dot(y, y), np.inner(y, y), np.outer(y, y), np.vdot(y, y), np.matmul(np.eye(3), y), np.cross([1, 0, 0], [0, 1, 0]), np.tensordot(np.eye(3), y, 1)]
special = [np.sinc(x), np.heaviside(x, 0.5), np.exp2(x), np.log1p(x + 1.5), np.expm1(x), np.cbrt(x), np.square(y), np.reciprocal(y), np.hypot(3.0, 4.0), np.logaddexp(x, 0), np.i0(y), np.gcd(12, 18), np.lcm(4, 6)]
making = [np.arange(5.0), np.zeros_like(y), np.ones_like(y, dtype=int), np.full_like(y, 7), np.empty((2, 0)), np.identity(2), np.eye(2, 3, k=1), np.tri(3), np.copy(y), np.asanyarray(y), np.asarray_chkfinite(y)]
flips = [np.flip(y), np.fliplr(np.eye(2)), np.flipud(np.eye(2)), np.rot90(np.arange(4).reshape(2, 2)), np.roll(y, 1), np.repeat(y, 2), np.tile(y, 2), np.resize(y, (2, 2)), np.trim_zeros([0, 1, 0])]
constants = [np.pi, np.e, np.inf, np.euler_gamma, np.newaxis is None, np.nan != np.nan]
same = all(np.array_equal(a, b) for a, b in [(np.abs(x), np.absolute(x)), (np.around(x, 1), x.round(1)), (np.conj(x), x)])
print("aliases agree:", same, "finite:", bool(np.isfinite(x).all()), "close:", np.allclose(np.concatenate(trig[:2]), np.r_[trig[0], trig[1]]))
print("scalar?", np.isscalar(3.0), "real?", np.isrealobj(x), np.iscomplexobj(x + 0j), "iterable?", np.iterable([1]))
