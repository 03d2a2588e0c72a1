"""The derivatives of operations, in the words of xarr's functions.

A rule has a function for each operand, which makes of the result's adjoint `g` that of the operand;
its parameters say what else it wants: `x` or `x1`, `x2`, `x3` (operands), `r` (the result), `at`
(the instruction). Only that is held until the derivative is taken. A *factor* leaves `g` out: it is
multiplied with that, conjugated where it is complex, as of any holomorphic function.

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

import inspect
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import errors
from xarr.array.array import Array
from xarr.codegen.expressions import GatherScatter, Roll
from xarr.dtypes import COMPLEX
from xarr.functions.elementwise import arithmetic, elementwise as np, float_functions as floats
from xarr.functions.index.searching import where
from xarr.ir.views import constant
from xarr.lowering.operations import OpaqueOp, ReduceOp, ScanOp
from xarr.ops import elementwise as rows
from xarr.transforms.digamma import digamma

if TYPE_CHECKING:
    from xarr.transforms.reverse import Adjoints, Place, Step

Value = Any
"""An array, or a number."""
_OPERANDS: Final = {"x": 0, "x1": 0, "x2": 1, "x3": 2, "r": -1}


class Partial:
    """The derivative by one operand."""

    __slots__ = ("function", "is_factor", "parameters", "wanted")

    def __init__(self, function: Callable[..., Value]) -> None:
        names = tuple(inspect.signature(function).parameters)
        self.function = function
        self.parameters = names
        self.is_factor = "g" not in names
        self.wanted = tuple([_OPERANDS[name] for name in names if name in _OPERANDS])

    def of(self, step: Step, g: Array) -> Array | None:
        """Return the adjoint of the operand, for that of the result; None where it is zero."""
        values: list[Value] = []
        for name in self.parameters:
            number = _OPERANDS.get(name)
            if number is not None:
                values.append(step.value(number))
            else:
                values.append(g if name == "g" else step)
        found = self.function(*values)
        return times(g, found) if self.is_factor else found


class Rule:
    """The derivative of an operation: by each operand, or of all the step.

    Attributes
    ----------
    partials : tuple of Partial or None
        Those of the operands; None for one by which the derivative is zero.
    whole : function or None
        What passes adjoints on instead, given the step and the `Adjoints`.
    """

    __slots__ = ("partials", "whole", "whole_wanted")

    def __init__(
        self,
        *functions: Callable[..., Value] | None,
        whole: Callable[[Step, Adjoints], None] | None = None,
        wanted: tuple[int, ...] = (),
    ) -> None:
        self.partials = tuple([None if each is None else Partial(each) for each in functions])
        self.whole = whole
        self.whole_wanted = wanted

    def wanted(self, places: Sequence[Place | None]) -> set[int]:
        """Return the numbers of the values that are wanted for active operands."""
        found = set(self.whole_wanted)
        for place, partial in zip(places, self.partials, strict=False):
            if place is not None and partial is not None:
                found.update(partial.wanted)
        return found


ZERO: Final = Rule(None, None, None, None)


def rule_of(operation: Any) -> Rule | None:
    """Return the rule of an operation; refuse one without a rule."""
    rule: Rule | None = operation.derivative
    if rule is None:
        rule = operation.derivative = _found(operation)
    return None if rule is ZERO else rule


def missing(where: str) -> Exception:
    """Return the error of a function that has no derivative."""
    fault = "it has no derivative, and one of its operands depends on an argument"
    accepted = "functions with a derivative are accepted"
    remedy = "define one with xarr.custom_vjp, or pass a copy of constants"
    return errors.refused(NotImplementedError, where, fault, accepted, remedy)


def _found(operation: Any) -> Rule:
    if isinstance(operation, ReduceOp | ScanOp):
        from xarr.transforms import derivatives_of_folds

        rule = derivatives_of_folds.rule_of(operation)
    elif isinstance(operation, GatherScatter | Roll | OpaqueOp):
        from xarr.transforms import derivatives_of_arrays

        rule = derivatives_of_arrays.RULES.get(operation.name)
    else:
        rule = RULES.get(operation.row)
    if rule is None:
        raise missing(operation.name)
    return rule


def conj(value: Value) -> Value:
    """Return the complex conjugate; the value itself where it is real."""
    if type(value) is Array and value._view.dtype.kind == COMPLEX:
        return np.conj(value)
    return value.conjugate() if type(value) is complex else value


def times(g: Array, factor: Value) -> Array:
    """Return an adjoint times the conjugate of a factor."""
    if type(factor) in (int, float) and factor == 1:
        return g
    return g * conj(factor)


def is_complex(value: Array) -> bool:
    """Return whether an array holds complex numbers."""
    return value._view.dtype.kind == COMPLEX


def like(number: float, beside: Array) -> Array:
    """Return a number as an array of another one's data type."""
    return Array(constant(number, beside._view.dtype, (), beside.device))


def _halves(is_mine: Array, is_equal: Array, g: Array) -> Array:
    return where(is_mine, like(1.0, g), where(is_equal, like(0.5, g), like(0.0, g)))


def signed(x: Array) -> Array:
    """Return the derivative of abs, which JAX has as 1 at 0; of complex numbers the sign."""
    if is_complex(x):
        return np.sign(x)
    return where(x >= 0, like(1.0, x), like(-1.0, x))


def _abs(g: Array, x: Array) -> Array:
    return g * signed(x)


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
    """Return r log(x1), of which JAX has 0 where x1 is 0."""
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
    "complex": Rule(lambda g: arithmetic.real(g), lambda g: arithmetic.imag(g)),
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
    rows.POWERS[3.0]: Rule(lambda x: 3 * x * x),
    rows.POWERS[0.5]: Rule(lambda r: 0.5 / r),
    rows.POWERS[1.5]: Rule(lambda x: 1.5 * np.sqrt(x)),
    rows.POWERS[-0.5]: Rule(lambda x, r: -0.5 * r / x),
    rows.POWERS[-1.5]: Rule(lambda x, r: -1.5 * r / x),
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
    rows.sin: Rule(lambda x: np.cos(x)),
    rows.cos: Rule(lambda x: -np.sin(x)),
    rows.tan: Rule(lambda r: 1 + r * r),
    rows.asin: Rule(lambda x: 1 / np.sqrt(1 - x * x)),
    rows.acos: Rule(lambda x: -1 / np.sqrt(1 - x * x)),
    rows.atan: Rule(lambda x: 1 / (1 + x * x)),
    rows.atan2: Rule(
        lambda x1, x2: x2 / (x1 * x1 + x2 * x2), lambda x1, x2: -x1 / (x1 * x1 + x2 * x2)
    ),
    rows.sinh: Rule(lambda x: np.cosh(x)),
    rows.cosh: Rule(lambda x: np.sinh(x)),
    rows.tanh: Rule(lambda r: 1 - r * r),
    rows.asinh: Rule(lambda x: 1 / np.sqrt(x * x + 1)),
    rows.acosh: Rule(lambda x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1))),
    rows.atanh: Rule(lambda x: 1 / (1 - x * x)),
    rows.deg2rad: Rule(lambda g: g * (math.pi / 180)),
    rows.rad2deg: Rule(lambda g: g * (180 / math.pi)),
    # Special functions.
    rows.erf: Rule(lambda x: _TWO_OVER_SQRT_PI * np.exp(-x * x)),
    rows.erfc: Rule(lambda x: -_TWO_OVER_SQRT_PI * np.exp(-x * x)),
    rows.lgamma: Rule(digamma),
    rows.tgamma: Rule(lambda x, r: r * digamma(x)),
    # Parts, signs and choices.
    rows.abs: Rule(_abs),
    rows.fabs: Rule(_abs),
    rows.sign: Rule(_sign),
    rows.copysign: Rule(lambda x1, x2: signed(x1) * np.copysign(like(1.0, x1), x2), None),
    rows.conj: Rule(lambda g: conj(g)),
    rows.real: Rule(lambda g: g),
    rows.imag: Rule(lambda g: g * 1j),
    rows.maximum: Rule(_shared(0, True), _shared(1, True)),
    rows.minimum: Rule(_shared(0, False), _shared(1, False)),
    rows.fmax: Rule(_one_number(True, True), _one_number(False, True)),
    rows.fmin: Rule(_one_number(True, False), _one_number(False, False)),
    rows.heaviside: Rule(None, lambda g, x1: where(x1 == 0, g, 0.0)),
    floats.fraction: Rule(lambda g: g),
    floats.scaled: Rule(lambda x2: np.exp2(x2), None),
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


class Whole(NamedTuple):
    """The derivative of a function that is taken as a whole.

    Attributes
    ----------
    function : function
        Makes of the results' adjoints (None where zero), the operands, the results and the options
        the operands' adjoints.
    wants_operands, wants_results : bool
        Whether it needs the values, which are held; else it is given none.
    """

    function: Callable[..., Sequence[Array | None]]
    wants_operands: bool = True
    wants_results: bool = True


def whole_of(name: str) -> Whole | None:
    """Return the derivative of a function that is taken as a whole, if there is one."""
    from xarr.transforms import derivatives_of_matrices

    return derivatives_of_matrices.WHOLE.get(name)
