"""The derivatives of elementwise operations, in the words of xarr's functions.

At kinks and ends the rules have JAX's values:

====================  =====================================================
`abs`                 1 at 0
`maximum`, `minimum`  half to each of equal operands; so `clip` at a bound
`max`, `min`          equal shares to equal elements
`sqrt`                infinite at 0
norms                 NaN at 0, as of the square root of a sum
rounding, `sign`      0
====================  =====================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from xarr.array.array import Array
from xarr.functions.elementwise import arithmetic, elementwise as np, float_functions as floats
from xarr.functions.index.searching import where
from xarr.ops import elementwise as rows
from xarr.ops.powers import POWERS
from xarr.transforms.digamma import digamma
from xarr.transforms.steps import ZERO, Rule, Value, conj, is_complex, like, signed


def _halves(is_mine: Array, is_equal: Array, g: Array) -> Array:
    return where(is_mine, like(1.0, g), where(is_equal, like(0.5, g), like(0.0, g)))


def _abs(g: Array, x: Array) -> Array:
    return g * signed(x)


def _real(g: Array) -> Array:
    return arithmetic.real(g)


def _imag(g: Array) -> Array:
    return arithmetic.imag(g)


def _conj(g: Array) -> Value:
    return conj(g)


def _cos(x: Array) -> Array:
    return np.cos(x)


def _cosh(x: Array) -> Array:
    return np.cosh(x)


def _sinh(x: Array) -> Array:
    return np.sinh(x)


def _i1(x: Array, r: Array) -> Array:
    """The derivative of `i1`: I0(x) - I1(x) / x, which is 1/2 at 0."""
    is_zero = x == 0
    return floats.i0(x) - where(is_zero, like(0.5, x), r / where(is_zero, like(1.0, x), x))


def _power_of_two(x2: Array) -> Array:
    return np.exp2(x2)


def _leg(number: int) -> Callable[..., Value]:
    """The derivative of a hypotenuse by one leg; half at 0, as JAX has it."""

    def factor(x1: Array, x2: Array, r: Array) -> Array:
        return where(r == 0, like(0.5, r), (x1, x2)[number] / where(r == 0, like(1.0, r), r))

    return factor


def _sign(g: Array, x: Array) -> Array | None:
    """Of complex numbers x / abs(x): what turns it is the part of g at right angles."""
    if not is_complex(x):
        return None
    unit = np.sign(x)
    along = arithmetic.real(g * np.conj(unit))
    size = np.abs(x)
    return where(size == 0, 0.0, (g - unit * along) / where(size == 0, 1.0, size))


def _shared(number: int, larger: bool) -> Callable[..., Value]:
    """The part of an operand in a maximum or minimum: all, half where they are equal, or none."""

    def part(g: Array, x1: Array, x2: Array) -> Array:
        mine, other = (x1, x2) if number == 0 else (x2, x1)
        is_mine = mine > other if larger else mine < other
        return g * _halves(is_mine, mine == other, g)

    return part


def _first_number(x1: Array, x2: Array, larger: bool) -> Array:
    """Whether a function that ignores NaN returns x1; of equal operands it is x2, as JAX has it."""
    return (x1 > x2 if larger else x1 < x2) | np.isnan(x2)


def _one_number(is_first: bool, larger: bool) -> Callable[..., Value]:
    def part(g: Array, x1: Array, x2: Array) -> Array:
        chosen = _first_number(x1, x2, larger)
        return where(chosen, g, 0.0) if is_first else where(chosen, 0.0, g)

    return part


def _power_by_base(x1: Array, x2: Array) -> Array:
    return x2 * arithmetic.pow(x1, where(x2 == 0, 1.0, x2 - 1))


def _power_by_exponent(x1: Array, r: Array) -> Array:
    """R log(x1), of which JAX has 0 where x1 is 0."""
    return r * np.log(where(x1 == 0, 1.0, x1))


def _share(number: int) -> Callable[..., Value]:
    def factor(x1: Array, x2: Array, r: Array) -> Array:
        apart = (x1, x2)[number] - r
        return np.exp(where(np.isnan(apart), 0.0, apart))

    return factor


def _share2(number: int) -> Callable[..., Value]:
    def factor(x1: Array, x2: Array, r: Array) -> Array:
        apart = (x1, x2)[number] - r
        return np.exp2(where(np.isnan(apart), 0.0, apart))

    return factor


_LN2: Final = math.log(2)
_LN10: Final = math.log(10)
_TWO_OVER_SQRT_PI: Final = 2 / math.sqrt(math.pi)

RULES: Final[dict[Any, Rule]] = {
    # The engine's own kinds.
    "astype": Rule(lambda g: g),
    "where": Rule(None, lambda g, x1: where(x1, g, 0.0), lambda g, x1: where(x1, 0.0, g)),
    "complex": Rule(_real, _imag),
    "scale": Rule(lambda x2: x2, lambda g, x1: arithmetic.real(g * conj(x1))),
    # Arithmetic.
    rows.add: Rule(lambda g: g, lambda g: g),
    rows.subtract: Rule(lambda g: g, lambda g: -g),
    rows.multiply: Rule(lambda x2: x2, lambda x1: x1),
    rows.divide: Rule(lambda x2: 1 / x2, lambda x2, r: -r / x2),
    rows.negative: Rule(lambda g: -g),
    rows.positive: Rule(lambda g: g),
    rows.reciprocal: Rule(lambda r: -r * r),
    rows.square: Rule(lambda x: 2 * x),
    rows.pow: Rule(_power_by_base, _power_by_exponent),
    POWERS[3.0]: Rule(lambda x: 3 * x * x),
    POWERS[0.5]: Rule(lambda r: 0.5 / r),
    POWERS[1.5]: Rule(lambda x: 1.5 * np.sqrt(x)),
    POWERS[-0.5]: Rule(lambda x, r: -0.5 * r / x),
    POWERS[-1.5]: Rule(lambda x, r: -1.5 * r / x),
    rows.remainder: Rule(lambda g: g, lambda x1, x2: -np.floor(x1 / x2)),
    rows.fmod: Rule(lambda g: g, lambda x1, x2: -np.trunc(x1 / x2)),
    rows.sqrt: Rule(lambda r: 0.5 / r),
    rows.rsqrt: Rule(lambda x, r: -0.5 * r / x),
    rows.cbrt: Rule(lambda r: 1 / (3 * r * r)),
    rows.hypot: Rule(_leg(0), _leg(1)),
    # Exponentials and logarithms.
    rows.exp: Rule(lambda r: r),
    rows.exp2: Rule(lambda r: r * _LN2),
    rows.expm1: Rule(lambda r: r + 1),
    rows.log: Rule(lambda x: 1 / x),
    rows.log1p: Rule(lambda x: 1 / (1 + x)),
    rows.log2: Rule(lambda x: 1 / (x * _LN2)),
    rows.log10: Rule(lambda x: 1 / (x * _LN10)),
    rows.logaddexp: Rule(_share(0), _share(1)),
    rows.logaddexp2: Rule(_share2(0), _share2(1)),
    # Trigonometry.
    rows.sin: Rule(_cos),
    rows.cos: Rule(lambda x: -np.sin(x)),
    rows.tan: Rule(lambda r: 1 + r * r),
    rows.asin: Rule(lambda x: 1 / np.sqrt(1 - x * x)),
    rows.acos: Rule(lambda x: -1 / np.sqrt(1 - x * x)),
    rows.atan: Rule(lambda x: 1 / (1 + x * x)),
    rows.atan2: Rule(
        lambda x1, x2: x2 / (x1 * x1 + x2 * x2), lambda x1, x2: -x1 / (x1 * x1 + x2 * x2)
    ),
    rows.sinh: Rule(_cosh),
    rows.cosh: Rule(_sinh),
    rows.tanh: Rule(lambda r: 1 - r * r),
    rows.asinh: Rule(lambda x: 1 / np.sqrt(x * x + 1)),
    rows.acosh: Rule(lambda x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1))),
    rows.atanh: Rule(lambda x: 1 / (1 - x * x)),
    rows.deg2rad: Rule(lambda g: g * (math.pi / 180)),
    rows.rad2deg: Rule(lambda g: g * (180 / math.pi)),
    # Special functions.
    rows.erf: Rule(lambda x: _TWO_OVER_SQRT_PI * np.exp(-x * x)),
    rows.erfc: Rule(lambda x: -_TWO_OVER_SQRT_PI * np.exp(-x * x)),
    rows.i0: Rule(lambda x: Array(floats.i1.applied(x._view))),
    floats.i1: Rule(_i1),
    rows.lgamma: Rule(digamma),
    rows.tgamma: Rule(lambda x, r: r * digamma(x)),
    # Parts, signs and choices.
    rows.abs: Rule(_abs),
    rows.fabs: Rule(_abs),
    rows.sign: Rule(_sign),
    rows.copysign: Rule(lambda x1, x2: signed(x1) * np.copysign(like(1.0, x1), x2), None),
    rows.conj: Rule(_conj),
    rows.real: Rule(lambda g: g),
    rows.imag: Rule(lambda g: g * 1j),
    rows.maximum: Rule(_shared(0, True), _shared(1, True)),
    rows.minimum: Rule(_shared(0, False), _shared(1, False)),
    rows.fmax: Rule(_one_number(True, True), _one_number(False, True)),
    rows.fmin: Rule(_one_number(True, False), _one_number(False, False)),
    rows.heaviside: Rule(None, lambda g, x1: where(x1 == 0, g, 0.0)),
    floats.fraction: Rule(lambda g: g),
    floats.scaled: Rule(_power_of_two, None),
    floats.significand: Rule(lambda x, r: r / where(x == 0, like(1.0, x), x)),
    # Piecewise constant.
    **dict.fromkeys(
        (
            *(rows.ceil, rows.floor, rows.floor_divide, rows.rint, rows.round, rows.trunc),
            floats.exponent,
        ),
        ZERO,
    ),
}
"""The rules of elementwise operations, by row or by the name of the engine's own kind."""
