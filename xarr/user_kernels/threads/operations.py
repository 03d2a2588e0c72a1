"""Operators and functions of numbers in kernels by threads, as C and as Python."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy

from xarr import dtypes
from xarr.dtypes import BOOL, REAL, SIGNED
from xarr.user_kernels.threads.values import (
    INT32,
    INT64,
    MOST_BITS,
    SPAN,
    TRUTH,
    WEAK_INT,
    Kind,
    Span,
    Types,
    Value,
    cast,
    literal,
)

_FOLDED: Final[dict[type[ast.AST], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_ARITHMETIC: Final = {
    ast.Add: ("add", "+"),
    ast.Sub: ("subtract", "-"),
    ast.Mult: ("multiply", "*"),
}
_LIBRARY: Final = {
    ast.FloorDiv: ("floor_divide", "_xr_floor_divide"),
    ast.Mod: ("remainder", "_xr_remainder"),
    ast.Pow: ("pow", "_xr_pow"),
    ast.LShift: ("left_shift", "_xr_left_shift"),
    ast.RShift: ("right_shift", "_xr_right_shift"),
}
_BITWISE: Final = {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}
_COMPARED: Final = {
    ast.Lt: ("<", ">"),
    ast.LtE: ("<=", ">="),
    ast.Gt: (">", "<"),
    ast.GtE: (">=", "<="),
    ast.Eq: ("==", "=="),
    ast.NotEq: ("!=", "!="),
}
"""The comparisons, and those of the operands in the other order."""

_POWERS: Final = {
    3: "xr_cube",
    1.5: "xr_pow_three_halves",
    -0.5: "xr_pow_minus_half",
    -1.5: "xr_pow_minus_three_halves",
}
"""Powers that arrays have functions of their own for."""
HELPERS: Final = {
    "wrapped": "DEVICE i64 wrapped(const i64 i, const i64 n)\n"
    "{\n    return i < 0 ? i + n : i;\n}\n",
    # The least without a sign, which a GPU has an instruction for: a negative index is large.
    "wrapped_i32": "DEVICE i32 wrapped_i32(const i32 i, const i32 n)\n"
    "{\n    return (i32)min((u32)i, (u32)i + (u32)n);\n}\n",
    **{
        f"squared_{T}": f"DEVICE {T} squared_{T}(const {T} x)\n{{\n    return x * x;\n}}\n"
        for T in ("f32", "f64")
    },
}
"""Functions that a kernel's C has if it calls them."""

_MOST_COUNTED: Final = 48
"""The bits of what a counter may grow by in each turn: it does not come to the end of int64."""
_MOST_FOLDED: Final = 4096
"""The bits of a power or a shift that is computed when the kernel is translated."""


def binary(types: Types, op: ast.operator, a: Value, b: Value) -> Value:
    """Return ``a op b``; TypeError where the operator does not take such operands."""
    folded = _folded(types, op, a, b)
    if folded is not None:
        return folded
    kind = types.arithmetic(a.kind, b.kind)
    way = type(op)
    varies = a.varies or b.varies
    if way in _BITWISE:
        if kind.row.kind == REAL:
            raise TypeError(f"{_BITWISE[way]} takes integers, not {kind}")
        if a.kind == b.kind == TRUTH:
            kind = TRUTH
        a, b = cast(a, kind), cast(b, kind)
        known = [one.bits for one in (a, b) if one.bits is not None]
        bits = min(known, default=None) if way is ast.BitAnd else None
        if way is not ast.BitAnd and len(known) == 2:
            bits = max(known)
        made = _made(kind, a, b, _BITWISE[way], bits, varies)
        return replace(made, span=_span(way, a, b)) if kind.row is dtypes.int64 else made
    if way is ast.Div:
        kind = types.floating(kind)
        a, b = cast(a, kind), cast(b, kind)
        to = kind.row.compute
        return Value(kind, f"(({to}){a.c} / ({to}){b.c})", f"({a.py} / {b.py})", varies=varies)
    if way in (ast.LShift, ast.RShift) and kind.row.kind == REAL:
        raise TypeError(f"a shift takes integers, not {kind}")
    if way is ast.Pow:
        return _power(types, a, b, kind, varies)
    a, b = cast(a, kind), cast(b, kind)
    bits = _bits(way, a, b)
    if way in _ARITHMETIC:
        if kind.row.kind == REAL:
            return _made(kind, a, b, _ARITHMETIC[way][1], None, varies)
        return _arithmetic(types, way, a, b, bits)
    if way not in _LIBRARY:
        raise TypeError("the operator is not there in kernels; write a loop")
    word, py = _LIBRARY[way]
    c = f"xr_{word}_{kind.row.compute}({a.c}, {b.c})"
    if kind.row.compute == "i64":
        c = _divided(types, way, a, b) or c
    span = _span(way, a, b) if kind.row is dtypes.int64 else None
    return Value(kind, c, f"{py}({a.py}, {b.py})", bits, varies, span=span)


def _arithmetic(
    types: Types, way: type[ast.operator], a: Value, b: Value, bits: int | None
) -> Value:
    """Return a sum, a difference or a product of integers of one type."""
    word, sign = _ARITHMETIC[way]
    py = f"({a.py} {sign} {b.py})"
    c = f"xr_{word}_{a.kind.row.compute}({a.c}, {b.c})"
    made = Value(a.kind, c, py, bits, a.varies or b.varies)
    if a.kind.row is not dtypes.int64:
        return made
    made = replace(made, span=_span(way, a, b))
    if types.is_narrow and all(one.is_within(*INT32) for one in (a, b, made)):
        return replace(made, c=f"((i64)((i32){a.c} {sign} (i32){b.c}))")
    is_plain = a.kind == WEAK_INT and _is_within(way, a, b)
    return replace(made, c=f"({a.c} {sign} {b.c})") if is_plain else made


def _divided(types: Types, way: type[ast.AST], a: Value, b: Value) -> str:
    """Return the C of a remainder or a floor division of int64 that is simpler; empty without."""
    is_positive = b.is_within(0, INT64[1])
    if way is ast.Mod and types.is_narrow and is_positive and b.is_within(*INT32):
        if a.is_within(0, INT32[1]):
            return f"((i64)xr_cyclic_u32((u32){a.c}, (u32){b.c}))"
        if a.is_within(-1, INT32[1]):  # the place before an index; an extent more has no sign
            return f"((i64)xr_cyclic_u32((u32){a.c} + (u32){b.c}, (u32){b.c}))"
        if a.is_within(*INT32):
            return f"((i64)xr_cyclic_i32((i32){a.c}, (i32){b.c}))"
    if way is ast.Mod and b.bits is not None:
        return f"xr_cyclic_i64({a.c}, {b.c})"
    is_shift = way is ast.FloorDiv and a.is_within(0, INT64[1]) and b.literal and is_positive
    return f"((i64)((u64){a.c} / {b.literal}u))" if is_shift else ""


def _made(kind: Kind, a: Value, b: Value, sign: str, bits: int | None, varies: bool) -> Value:
    c = f"({a.c} {sign} {b.c})"
    if kind.row.itemsize < 4 and kind.row.kind != BOOL:
        c = f"(({kind.row.compute}){c})"
    return Value(kind, c, f"({a.py} {sign} {b.py})", bits, varies)


def _folded(types: Types, op: ast.operator, a: Value, b: Value) -> Value | None:
    """Compute an operation of known Python numbers, if it is one."""
    if a.literal is None or b.literal is None or not (_is_python(a) and _is_python(b)):
        return None
    x, y = a.literal, b.literal
    wide = isinstance(op, ast.Pow | ast.LShift) and isinstance(y, int)
    if type(op) not in _FOLDED or (wide and not 0 <= y <= _MOST_FOLDED):
        return None
    try:
        found = _FOLDED[type(op)](x, y)
        kind = types.of_scalar(found)
        return None if kind is None else literal(found, kind)
    except (ZeroDivisionError, ValueError, TypeError):
        return None


def _is_python(value: Value) -> bool:
    return value.kind.weak or value.kind == TRUTH


def _bits(way: type[ast.AST], a: Value, b: Value) -> int | None:
    """Return how many bits a result has that is not negative, None where it may be negative."""
    x, y = a.bits, b.bits
    if way is ast.Mod and y is not None:
        return y
    if x is None or y is None:
        return None
    most = min(SPAN, 8 * a.kind.row.itemsize - (a.kind.row.kind == SIGNED))
    if way is ast.Add:
        is_counter = a.kind == WEAK_INT and max(x, y) <= SPAN and min(x, y) <= _MOST_COUNTED
        return min(max(x, y) + 1, most) if is_counter else _within(max(x, y) + 1, most)
    if way is ast.Mult:
        return _within(x + y, most)
    if way is ast.LShift and b.literal is not None:
        return _within(x + b.literal, most)
    return x if way in (ast.FloorDiv, ast.RShift) else None


def _span(way: type[ast.AST], a: Value, b: Value) -> Span | None:
    """Return the bounds of a result of int64, if they are known and it does not wrap around."""
    x, y = a.bounds(), b.bounds()
    if way is ast.Mod and y is not None and y[0] >= 0:
        return 0, max(y[1] - 1, 0)
    if x is None or y is None:
        return None
    if way is ast.LShift and b.literal is not None and 0 <= b.literal <= SPAN:
        way, y = ast.Mult, (1 << b.literal,) * 2
    if way in _ARITHMETIC:
        found = [_FOLDED[way](one, other) for one in x for other in y]
        span = min(found), max(found)
        return span if INT64[0] <= span[0] and span[1] <= INT64[1] else None
    if x[0] < 0 or y[0] < 0:
        return None
    if way in _BITWISE:
        most = min(x[1], y[1]) if way is ast.BitAnd else x[1] | y[1]
        return 0, (1 << most.bit_length()) - 1
    return (0, x[1]) if way in (ast.FloorDiv, ast.RShift) else None


def _is_within(way: type[ast.AST], a: Value, b: Value) -> bool:
    """Return whether int64 surely holds a result, so that C's own operator may compute it."""
    if a.bits is None or b.bits is None:
        return False
    return a.bits + b.bits <= SPAN if way is ast.Mult else max(a.bits, b.bits) < SPAN


def _within(bits: int, most: int) -> int | None:
    return bits if bits <= most else None


def _power(types: Types, a: Value, b: Value, kind: Kind, varies: bool) -> Value:
    if kind.row.kind != REAL and b.literal is not None and b.literal < 0:
        kind = types.floating(kind)
    exponent = b.literal if kind.row.kind == REAL else None
    a, b = cast(a, kind), cast(b, kind)
    to = kind.row.compute
    known: dict[float, str] = {1: "{}", 2: f"squared_{to}({{}})"}
    known |= {power: f"{word}_{to}({{}})" for power, word in _POWERS.items()}
    if exponent is not None and exponent in known:
        py = {1: "{}", 2: "_xr_square({})"}
        py_text = py.get(exponent, f"_xr_pow({{}}, {b.py})").format(a.py)
        return Value(kind, known[exponent].format(a.c), py_text, varies=varies)
    return Value(kind, f"xr_pow_{to}({a.c}, {b.c})", f"_xr_pow({a.py}, {b.py})", varies=varies)


def negative(types: Types, a: Value) -> Value:
    """Return ``-a``."""
    a = cast(a, types.arithmetic(a.kind, a.kind))
    known = None if a.literal is None or not a.kind.weak else types.of_scalar(-a.literal)
    if known is not None:
        return literal(-a.literal, known)
    c = f"(-{a.c})" if a.kind.row.kind == REAL else f"xr_negative_{a.kind.row.compute}({a.c})"
    return Value(a.kind, c, f"(-{a.py})", varies=a.varies)


def inverted(types: Types, a: Value) -> Value:
    """Return ``~a``."""
    if a.kind.row.kind == REAL:
        raise TypeError(f"~ takes integers, not {a.kind}")
    if a.kind == TRUTH:
        raise TypeError("~ of a truth value is -1 or -2 in Python; write not x")
    return Value(a.kind, f"(({a.kind.row.compute})~{a.c})", f"(~{a.py})", varies=a.varies)


def truth(value: Value) -> Value:
    """Return whether a number is not 0."""
    return cast(value, TRUTH)


def negated(value: Value) -> Value:
    """Return ``not value``."""
    value = truth(value)
    known = None if value.literal is None else not value.literal
    return Value(TRUTH, f"(!{value.c})", f"_xr_bool(not {value.py})", None, value.varies, known)


def compare(types: Types, op: ast.cmpop, a: Value, b: Value) -> Value:
    """Return ``a op b`` of two numbers, exactly, whatever their types are."""
    if type(op) not in _COMPARED:
        raise TypeError("in and is are not there in kernels; write ==, or a loop")
    sign, turned = _COMPARED[type(op)]
    varies = a.varies or b.varies
    if None not in (a.literal, b.literal) and _is_python(a) and _is_python(b):
        known = bool(eval(f"a {sign} b", {"a": a.literal, "b": b.literal}))
        return literal(known, TRUTH)
    if types.is_narrow and a.is_within(*INT32) and b.is_within(*INT32):
        py = f"_xr_bool(int({a.py}) {sign} int({b.py}))"
        return Value(TRUTH, f"((i32){a.c} {sign} (i32){b.c})", py, None, varies)
    if REAL not in (a.kind.row.kind, b.kind.row.kind):
        py = f"_xr_bool(int({a.py}) {sign} int({b.py}))"
        return Value(TRUTH, _compare_integers(types, a, b, sign, turned), py, None, varies)
    kind = types.joined(a.kind, b.kind)
    a, b = cast(a, kind), cast(b, kind)
    return Value(TRUTH, f"({a.c} {sign} {b.c})", f"_xr_bool({a.py} {sign} {b.py})", None, varies)


def _compare_integers(types: Types, a: Value, b: Value, sign: str, turned: str) -> str:
    for one, other in ((a, b), (b, a)):  # a known number that the other's type holds
        least, most = dtypes.integer_bounds(other.kind.row) if other.kind != TRUTH else (0, 1)
        if one.literal is not None and one.kind.weak and least <= one.literal <= most:
            kind = WEAK_INT if other.kind == TRUTH else other.kind
            return f"({cast(a, kind).c} {sign} {cast(b, kind).c})"
    a, b = (Value(Kind(one.kind.row), one.c, one.py, one.bits) for one in (a, b))
    if dtypes.uint64 not in (a.kind.row, b.kind.row):
        kind = types.arithmetic(a.kind, b.kind)
        return f"({cast(a, kind).c} {sign} {cast(b, kind).c})"
    if b.kind.row.kind == SIGNED:
        a, b, sign = b, a, turned
    wide = Kind(dtypes.uint64)
    compared = f"({cast(a, wide).c} {sign} {cast(b, wide).c})"
    if a.kind.row.kind != SIGNED or a.bits is not None:
        return compared
    return f"({a.c} < 0 ? {int(sign in ('<', '<=', '!='))} : {compared})"


# -- functions --------------------------------------------------------------------------------

_REAL: Final = {
    **{
        name: name
        for name in (
            *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh"),
            *("degrees", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "floor", "lgamma", "log"),
            *("log10", "log1p", "log2", "radians", "rint", "sin", "sinh", "sqrt", "tan", "tanh"),
            "trunc",
        )
    },
    "gamma": "tgamma",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctanh": "atanh",
    "rad2deg": "degrees",
    "deg2rad": "radians",
}
"""Functions of one number by Python's and NumPy's names, and C's names of them."""
_REAL_OF_TWO: Final = {
    name: name for name in ["atan2", "copysign", "fmod", "hypot", "nextafter", "pow", "remainder"]
} | {"arctan2": "atan2", "power": "pow"}
_OF_PYTHON: Final = ("ceil", "floor", "trunc")
"""Functions of `math` that give integers."""
_SELECTED: Final = ("maximum", "minimum", "fmax", "fmin")


def name_of_function(function: Any) -> tuple[str, str] | None:
    """Return the module and the name of a function of `math`, NumPy's or xarr's; None of others."""
    if isinstance(function, numpy.ufunc):
        return "numpy", function.__name__
    module = str(getattr(function, "__module__", "")).partition(".")[0]
    name = getattr(function, "__name__", "")
    if module in ("math", "numpy", "xarr") and isinstance(name, str) and name:
        return module, name
    return None


def call(types: Types, module: str, name: str, args: list[Value]) -> Value | None:
    """Return the value of a function of a module; None if kernels do not have it."""
    varies = any(arg.varies for arg in args)
    if name in ("isnan", "isinf", "isfinite", "signbit") and len(args) == 1:
        a = cast(args[0], types.floating(args[0].kind))
        return Value(TRUTH, f"({name}({a.c}) != 0)", f"_xr_bool(_xr_{name}({a.py}))", None, varies)
    if name in _REAL and len(args) == 1:
        kind = types.floating(args[0].kind)
        a = cast(args[0], kind)
        made = Value(kind, f"{_REAL[name]}({a.c})", f"_xr_{_REAL[name]}({a.py})", None, varies)
        return cast(made, WEAK_INT) if module == "math" and name in _OF_PYTHON else made
    if name in _REAL_OF_TWO and len(args) == 2:
        word = _REAL_OF_TWO[name]
        if module != "math" and word in ("pow", "remainder", "fmod"):
            op = {"pow": ast.Pow(), "remainder": ast.Mod()}.get(word)
            if op is not None:
                return binary(types, op, *args)
        kind = types.floating(types.joined(args[0].kind, args[1].kind))
        a, b = (cast(arg, kind) for arg in args)
        return Value(kind, f"{word}({a.c}, {b.c})", f"_xr_c_{word}({a.py}, {b.py})", None, varies)
    if name in _SELECTED and len(args) == 2:
        kind = types.arithmetic(args[0].kind, args[1].kind)
        a, b = (cast(arg, kind) for arg in args)
        word = (
            name
            if kind.row.kind == REAL
            else {"fmax": "maximum", "fmin": "minimum"}.get(name, name)
        )
        bits = max(a.bits, b.bits) if a.bits is not None and b.bits is not None else None
        c = f"xr_{word}_{kind.row.compute}({a.c}, {b.c})"
        return Value(kind, c, f"_xr_{word}({a.py}, {b.py})", bits, varies)
    if name in ("absolute", "abs") and len(args) == 1:
        return absolute(types, args[0])
    if name == "square" and len(args) == 1:
        return binary(types, ast.Pow(), args[0], literal(2, WEAK_INT))
    if name == "fma" and len(args) == 3:
        kind = types.floating(types.joined(types.joined(*(a.kind for a in args[:2])), args[2].kind))
        texts = [cast(arg, kind) for arg in args]
        c = ", ".join(text.c for text in texts)
        py = ", ".join(text.py for text in texts)
        return Value(kind, f"fma({c})", f"_xr_fma({py})", None, varies)
    return None


def absolute(types: Types, a: Value) -> Value:
    """Return ``abs(a)``."""
    a = cast(a, types.arithmetic(a.kind, a.kind))
    row = a.kind.row
    c = f"fabs({a.c})" if row.kind == REAL else f"xr_abs_{row.compute}({a.c})"
    return Value(a.kind, c, f"_xr_abs({a.py})", a.bits, a.varies)


def extreme(types: Types, name: str, args: list[Value]) -> Value:
    """Return Python's ``max`` or ``min`` of numbers."""
    kind = args[0].kind
    for arg in args[1:]:
        kind = types.joined(kind, arg.kind)
    if kind == TRUTH:
        kind = WEAK_INT
    found = cast(args[0], kind)
    for arg in args[1:]:
        b = cast(arg, kind)
        known = found.bits is not None and b.bits is not None
        if name == "max":
            bits = max(found.bits or 0, b.bits or 0)
            known = (found.bits is not None or b.bits is not None) and kind.row.kind != REAL
            bits = bits if found.bits is not None and b.bits is not None else MOST_BITS
        else:
            bits = min(found.bits or 0, b.bits or 0)
        made = f"_xr_{name}({found.py}, {b.py})"
        c = f"{name}({found.c}, {b.c})"
        if kind.row.itemsize < 4:
            c = f"(({kind.row.compute}){c})"
        found = Value(kind, c, made, bits if known else None, found.varies or b.varies)
    return found


def rounded(types: Types, a: Value) -> Value:
    """Return Python's ``round(a)``, an integer."""
    if a.kind.row.kind != REAL:
        return cast(a, WEAK_INT) if a.kind == TRUTH else a
    made = Value(a.kind, f"rint({a.c})", f"_xr_rint({a.py})", None, a.varies)
    return cast(made, WEAK_INT)
