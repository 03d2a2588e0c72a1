"""The rows of random draws: elements as functions of their place, of a key and of parameters.

A draw is an elementwise operation whose operands are the position, the number of the draw, the key
and the distribution's parameters, so that its consumers are fused with it. It has no state.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from xarr import dtypes
from xarr.backends.device import Device
from xarr.codegen.expressions import RandomDraw
from xarr.dtypes import DType
from xarr.ir.operation import Operation, interned
from xarr.ir.views import View, constant
from xarr.layout import Shape
from xarr.ops import elementwise
from xarr.ops.rows import Elementwise, name_rows
from xarr.tape import builder


class Check(NamedTuple):
    """Which values a parameter may have.

    wrong, accepted : str -- What errors say of others, and of these.
    refuses : function -- Whether a Python number is another.
    holds : tuple of (Elementwise, number)
        Comparisons that hold for an array's elements; none where only its sign counts.
    """

    wrong: str
    accepted: str
    refuses: Callable[[Any], bool]
    holds: tuple[tuple[Elementwise, float], ...] = ()


_ABOVE: Final = elementwise.greater
_FROM: Final = elementwise.greater_equal
_UP_TO: Final = elementwise.less_equal
MOST_MEAN: Final = 9.223372006484771e18
"""So large a mean leaves room for ten deviations in int64."""

NOT_NEGATIVE: Final = Check(
    "< 0", "it must not be negative", lambda x: x == x and math.copysign(1.0, x) < 0
)
COUNT: Final = Check(
    "< 0 or is NaN", "it must not be negative", lambda x: not x >= 0, ((_FROM, 0),)
)
POSITIVE: Final = Check("<= 0", "it must be positive", lambda x: not x > 0, ((_ABOVE, 0),))
ABOVE_ONE: Final = Check(
    "<= 1 or is NaN", "it must be above 1", lambda x: not x > 1, ((_ABOVE, 1),)
)
PROBABILITY: Final = Check(
    "< 0, > 1 or is NaN",
    "it must be in [0, 1]",
    lambda x: not 0 <= x <= 1,
    ((_FROM, 0), (_UP_TO, 1)),
)
CHANCE: Final = Check(
    "<= 0, > 1 or is NaN",
    "it must be in (0, 1]",
    lambda x: not 0 < x <= 1,
    ((_ABOVE, 0), (_UP_TO, 1)),
)
BELOW_ONE: Final = Check(
    "< 0, >= 1 or is NaN",
    "it must be in [0, 1)",
    lambda x: not 0 <= x < 1,
    ((_FROM, 0), (elementwise.less, 1)),
)
MEAN: Final = Check(
    "< 0 or too large",
    "it must be in [0, 9.2e18]",
    lambda x: not 0 <= x <= MOST_MEAN,
    ((_FROM, 0), (_UP_TO, MOST_MEAN)),
)


@dataclass(slots=True, eq=False)
class Draw:
    """A random function of an element's place.

    expression : str
        The C expression. In it T is the type that is computed in, `x1`, `x2`, ... are the
        parameters; `place` stands for the arguments block, lane, draw and key of a function, and
        `block` for block, draw and key, where each element has a block of its own or several.
    parameters : mapping of str to Check or None
        The names of the parameters, and which values they may have.
    kind : DType, optional
        What the parameters are converted to, if not to the type that is computed in.
    result : DType, optional -- The type of the result, if not the one that is computed in.
    bits : int -- How many bits of a block an element takes; 0 for as many as the type has.
    on_host : (Draw, function) or None
        Another draw, without parameters, and what makes of its Python number and the parameters
        this draw's, in the same operations on float64 or integers.
    """

    expression: str
    parameters: Mapping[str, Check | None] = field(default_factory=dict)
    kind: DType | None = None
    result: DType | None = None
    bits: int = 0
    on_host: tuple[Draw, Callable[..., Any]] | None = None
    name: str = field(default="", init=False)
    where: str = field(default="", init=False)

    def drawn(
        self,
        shape: Shape,
        draw: int | View,
        key: int | View,
        device: Device,
        computed: DType,
        parameters: tuple[View, ...] = (),
        result: DType | None = None,
    ) -> View:
        """Record a draw over a shape that the parameters broadcast to.

        It is computed in one data type, and its result is of that one or of another.
        """
        operation = interned(self.operation, computed, result or computed)
        numbers = [
            number if isinstance(number, View) else constant(number, dtypes.uint64, (), device)
            for number in (draw, key)
        ]
        inputs = (builder.index(shape, device), *numbers, *parameters)
        return builder.defer(operation, inputs, shape)

    def firsts(
        self,
        count: int,
        size: int,
        draw: int,
        key: int,
        device: Device,
        computed: DType,
        parameters: tuple[View, ...],
        result: DType,
    ) -> View:
        """Record the first `size` elements, of at most a strip, of `count` consecutive draws."""
        operation = interned(self._operation, computed, result, "(u64){0}, 0u")
        number = builder.converted(builder.index((count, 1), device), dtypes.uint64)
        start, key_number = (constant(value, dtypes.uint64, (), device) for value in (draw, key))
        draws = elementwise.add.combined(number, start)
        zero = constant(0, dtypes.int64, (), device)
        position = zero if size == 1 else builder.index((size,), device)
        inputs = (position, draws, key_number, *parameters)
        return builder.defer(operation, inputs, (count, size))

    def operation(self, computed: DType, result: DType) -> Operation:
        """Return the operation for a type that is computed in and a type of the result."""
        operation = self._operation(computed, result, "{0}")
        if "place" not in self.expression:
            return operation
        lanes = 128 // (self.bits or 8 * computed.itemsize)
        return RandomDraw(self.name, operation.operands, result, operation.template, lanes)

    def _operation(self, computed: DType, result: DType, place: str) -> Operation:
        text = re.sub(r"\bplace\b", place + ", {1}, {2}", self.expression)
        text = re.sub(r"\bblock\b", "(u64){0}, {1}, {2}", text)
        text = re.sub(r"\bT\b|(?<=_)T\b", computed.compute, text)
        text = re.sub(r"\bx(\d)\b", lambda found: f"{{{int(found[1]) + 2}}}", text)
        given = (self.kind or computed,) * len(self.parameters)
        operands = (dtypes.int64, dtypes.uint64, dtypes.uint64, *given)
        value = f"({text}) != 0" if result.kind == dtypes.BOOL else f"({text})"
        return Operation(self.name, operands, result, f"({result.compute})({value})")


def _integers(expression: str, parameters: Mapping[str, Check]) -> Draw:
    """Return the row of a distribution of integers."""
    return Draw(f"xr_to_i64_T({expression})", parameters, result=dtypes.int64)


_WORD: Final = 1 << 64
_OPEN: Final = "xr_standard_open_T(place)"
_NORMAL: Final = "xr_standard_normal_T(place)"
_EXPONENTIAL: Final = "xr_standard_exponential_T(place)"
_SCALED: Final = {"loc": None, "scale": NOT_NEGATIVE}
_SCALE: Final = {"scale": NOT_NEGATIVE}
_FREEDOM: Final = {"df": POSITIVE}
_BOUNDS: Final = {"low": None, "high": None}

words = Draw("xr_word_u32(place)", bits=32)
words_wide = Draw("xr_word_u64(place)", bits=64)
random = Draw("xr_random_T(place)")
uniform = Draw(
    "x1 + x2 * xr_random_T(place)", _BOUNDS, on_host=(random, lambda value, x1, x2: x1 + x2 * value)
)
standard_normal = Draw(_NORMAL)
normal = Draw(
    f"x1 + x2 * {_NORMAL}",
    _SCALED,
    on_host=(standard_normal, lambda value, x1, x2: x1 + x2 * value),
)
standard_exponential = Draw(_EXPONENTIAL)
exponential = Draw(
    f"x1 * {_EXPONENTIAL}", _SCALE, on_host=(standard_exponential, lambda value, x1: x1 * value)
)
integers = Draw(
    "x1 + xr_below(place, x2)",
    _BOUNDS,
    dtypes.uint64,
    bits=64,
    on_host=(words_wide, lambda value, x1, x2: (x1 + (value * x2 >> 64)) % _WORD),
)
integers_wide = Draw("x1 + xr_below_wide(block, x2)", _BOUNDS, dtypes.uint64)

laplace = Draw("x1 + x2 * xr_standard_laplace_T(place)", _SCALED)
logistic = Draw(f"x1 + x2 * xr_logit_T({_OPEN})", _SCALED)
gumbel = Draw(f"x1 - x2 * xr_log_T(-xr_log_T({_OPEN}))", _SCALED)
lognormal = Draw(f"xr_exp_T(x1 + x2 * {_NORMAL})", {"mean": None, "sigma": NOT_NEGATIVE})
rayleigh = Draw(f"x1 * sqrt((T)2.0f * {_EXPONENTIAL})", _SCALE)
# Compilers vectorise no branch around a power: 2^20 float64 of a ternary took 31 ms, these take 3.
weibull = Draw(
    f"xr_pow_T({_EXPONENTIAL}, (T)1.0f / (x1 + (T)(x1 == 0))) * (T)(x1 != 0)", {"a": NOT_NEGATIVE}
)
pareto = Draw(f"xr_expm1_T({_EXPONENTIAL} / x1)", {"a": POSITIVE})
power = Draw(f"xr_pow_T(-xr_expm1_T(-{_EXPONENTIAL}), (T)1.0f / x1)", {"a": POSITIVE})
standard_cauchy = Draw("xr_standard_cauchy_T(place)")
triangular = Draw(
    "xr_triangular_T(xr_random_T(place), x1, x2, x3)", {"left": None, "mode": None, "right": None}
)

standard_gamma = Draw("xr_standard_gamma_T(block, x1)", {"shape": NOT_NEGATIVE})
gamma = Draw("x2 * xr_standard_gamma_T(block, x1)", {"shape": NOT_NEGATIVE, "scale": NOT_NEGATIVE})
log_gamma = Draw("xr_log_gamma_variable_T(block, x1)", {"alpha": NOT_NEGATIVE})
beta = Draw("xr_beta_T(block, x1, x2)", {"a": POSITIVE, "b": POSITIVE})
chisquare = Draw("xr_chisquare_T(block, x1)", _FREEDOM)
f = Draw("xr_f_T(block, x1, x2)", {"dfnum": POSITIVE, "dfden": POSITIVE})
standard_t = Draw("xr_standard_t_T(block, x1)", _FREEDOM)
wald = Draw("xr_wald_T(block, x1, x2)", {"mean": POSITIVE, "scale": POSITIVE})
vonmises = Draw("xr_vonmises_T(block, x1, x2)", {"mu": None, "kappa": NOT_NEGATIVE})
noncentral_chisquare = Draw(
    "xr_noncentral_chisquare_T(block, x1, x2)", {"df": POSITIVE, "nonc": NOT_NEGATIVE}
)
noncentral_f = Draw(
    "xr_noncentral_f_T(block, x1, x2, x3)",
    {"dfnum": POSITIVE, "dfden": POSITIVE, "nonc": NOT_NEGATIVE},
)

poisson = _integers("xr_poisson_T(block, x1)", {"lam": MEAN})
binomial = _integers("xr_binomial_T(block, x1, x2)", {"n": COUNT, "p": PROBABILITY})
negative_binomial = _integers("xr_negative_binomial_T(block, x1, x2)", {"n": POSITIVE, "p": CHANCE})
geometric = _integers("xr_geometric_T(block, x1)", {"p": CHANCE})
hypergeometric = _integers(
    "xr_hypergeometric_T(block, x1, x2, x3)", dict.fromkeys(("ngood", "nbad", "nsample"), COUNT)
)
logseries = _integers("xr_logseries_T(block, x1)", {"p": BELOW_ONE})
zipf = _integers("xr_zipf_T(block, x1)", {"a": ABOVE_ONE})

TABLE: Final = name_rows(vars(), Draw)
for _row in TABLE:
    _row.where = f"{_row.name}({', '.join((*_row.parameters, 'size'))})"
BY_NAME: Final = {row.name: row for row in TABLE}
