"""Every element-wise function and operator of the standard beside array-api-strict's."""

from __future__ import annotations

import contextlib
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import array_api_strict
import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import xarr
from tests import reference
from tests.comparing import computed_together, has, needs, together
from tests.conformance import standard
from tests.conformance.standard import (
    ALL,
    BINARY,
    COMPLEX,
    FLOATING,
    INTEGER,
    MANY,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    UNARY,
    Call,
    Operand,
    Pick,
    shown,
    words,
)
from tests.launching import nothing_launched
from tests.reference import Values
from xarr import dtypes
from xarr.tables.elementwise import BY_NAME

BITS = (*INTEGER, "bool")

TAKES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        words(
            "abs add conj isfinite isinf isnan multiply negative positive pow real round sign "
            "square subtract"
        ),
        NUMERIC,
    ),
    **dict.fromkeys(
        words(
            "acos acosh asin asinh atan atanh cos cosh divide exp expm1 log log1p log2 log10 "
            "reciprocal sin sinh sqrt tan tanh"
        ),
        FLOATING,
    ),
    **dict.fromkeys(words("atan2 copysign hypot logaddexp nextafter signbit"), REAL_FLOATING),
    **dict.fromkeys(["bitwise_and", "bitwise_invert", "bitwise_or", "bitwise_xor"], BITS),
    **dict.fromkeys(["bitwise_left_shift", "bitwise_right_shift"], INTEGER),
    **dict.fromkeys(
        words(
            "ceil floor floor_divide greater greater_equal less less_equal maximum minimum "
            "remainder trunc"
        ),
        REAL,
    ),
    **dict.fromkeys(["equal", "not_equal"], ALL),
    **dict.fromkeys(["logical_and", "logical_not", "logical_or", "logical_xor"], ("bool",)),
    "clip": REAL,
    "imag": COMPLEX,
}
"""The data types that the standard gives each function."""

COMPLEX_RANGE = {
    # Where the result overflows, which part becomes infinite first is nobody's business.
    **dict.fromkeys(words("cos cosh exp expm1 sin sinh pow"), 8.0),
    # Near a pole of the tangent NumPy's own result is far off.
    **dict.fromkeys(["tan", "tanh"], 1.0),
}

UNSIGNED_ZERO = ("clip", "floor_divide", "maximum", "minimum", "multiply", "remainder", "sign")
"""Whose result may be a zero of either sign; functions/test_elementwise.py has the bits."""

CANCELLING = ("logaddexp",)
"""Whose error is small beside the operands, not beside the result."""


@dataclass(frozen=True)
class Form:
    """What the operands of all functions of an example look like."""

    shape: tuple[int, ...]
    layout: str
    second: str


PLAIN = "an array"
SECONDS = (PLAIN, "a row", "0-d", "a scalar", "a scalar on the left")


def _interval(name: str, pick: Pick) -> tuple[float | None, float | None]:
    """The interval that first operands are of."""
    bound = COMPLEX_RANGE.get(name, 100.0)
    return (-bound, bound) if pick.kind == "c" else (None, None)


def _second_interval(name: str, pick: Pick) -> tuple[float | None, float | None]:
    if "shift" in name:
        return 0, 8 * np.dtype(pick.dtype).itemsize - 1
    if name == "pow":
        return {"c": (-3, 3), "f": (None, None)}.get(pick.kind, (0, 5))
    if name == "floor_divide" and pick.kind == "f":
        # Of infinite operands array-api-strict has Python's result; the standard's is below.
        return -1e30, 1e30
    return _interval(name, pick)


def _no_zero(name: str, pick: Pick) -> bool:
    """Whether the standard leaves open what a zero as second operand gives."""
    return name in ("floor_divide", "remainder") and pick.kind in "iu"


def operands(name: str, pick: Pick, form: Form) -> list[Any]:
    """The arguments of a call."""
    first = pick.array(form.shape, *_first_interval(name, pick), layout=form.layout)
    if name == "clip":
        low, high = sorted(pick.integer(0, 100) for _ in "ab")
        array = Operand(np.asarray(high, pick.dtype))
        if pick.plain:
            return [first, low, array]
        return [first, *pick.one((low, high), (None, array), (array, None), (low, array))]
    if name in UNARY:
        return [first]
    if form.second.startswith("a scalar"):
        scalar = standard.of_python(pick, 1, {"pow": 3, "bitwise_left_shift": 7}.get(name, 60))
        left = form.second.endswith("left") and name != "pow" and not _no_zero(name, pick)
        return [scalar, first] if left and "shift" not in name else [first, scalar]
    shape = {"a row": form.shape[-1:], "0-d": ()}.get(form.second, form.shape)
    second = pick.array(shape, *_second_interval(name, pick), layout="contiguous")
    if _no_zero(name, pick):
        base = np.where(second.base == 0, 3, second.base).astype(pick.dtype)
        second = Operand(base, second.layout, second.shape)
    return [first, second]


def _first_interval(name: str, pick: Pick) -> tuple[float | None, float | None]:
    if name == "floor_divide" and pick.kind == "f":
        return -1e30, 1e30
    return _interval(name, pick)


def agree(call: Call, got: Any, wanted: Any) -> None:
    """The same bits, or within the bound of xarr's row and what NumPy itself may be off."""
    name = call.name
    ((mine, other),) = standard.alike(got, wanted)
    domain = BY_NAME[name].domain if name in BY_NAME else BY_NAME["maximum"].domain
    dtype = np.result_type(*call.hosts)
    shown = [np.broadcast_to(x, mine.shape) for x in call.hosts]
    if dtype.kind == "c":
        if domain.complex_ulp or name in ("multiply", "divide", "reciprocal", "square"):
            # NumPy's own logarithms and expm1 lose what is small beside 1.
            beside = 1.0 if "log" in name or name == "expm1" else 0.0
            bound = 2 * domain.complex_ulp + 8
            if name == "pow":
                bound = max(bound, 4 * (1 + _turns(*shown)))
            standard.close(mine, other, bound, beside)
        else:
            np.testing.assert_array_equal(mine, other)
    elif not domain.ulp or dtype.kind in "iub":
        if name in UNSIGNED_ZERO:
            np.testing.assert_array_equal(mine, other)
        else:
            reference.assert_same(mine, other, name, shown)
    elif name in CANCELLING:
        standard.close(mine, other, 4, standard.largest(call))
    else:
        wide = other
        if dtype == np.float32 and has("float64"):
            wide = np.asarray(_widened(call).on(array_api_strict))
        # float64 is compared with NumPy's float64, which may be off by as much.
        slack = 1 if wide.dtype != mine.dtype else 4
        reference.assert_near(mine, wide, domain.ulp + slack, name, shown)


def _turns(x: Values, y: Values) -> float:
    """The largest |y log x|, the condition of a complex power, by which any rounding grows."""
    with np.errstate(all="ignore"):
        logarithm = np.abs(y.astype(complex) * np.log(x.astype(complex)))
    return float(np.max(logarithm, initial=0.0, where=np.isfinite(logarithm)))


def _widened(call: Call) -> Call:
    wide = [
        Operand(x.base.astype("float64"), x.layout, x.shape) if isinstance(x, Operand) else x
        for x in call.arguments
    ]
    return Call(call.name, wide)


OWN = ("float32", "bool", "int8", "complex64")
"""The data types, the first that a function takes, whose layouts are tested."""


VALUED = {*standard.SOME, *FLOATING}
"""The data types whose values are compared; functions/test_elementwise.py has those of all."""


def groups(dtypes: Sequence[str], *, own: bool = False) -> list[Any]:
    """Functions of a data type, some at a time."""
    found = []
    for dtype in dtypes:
        names = [
            name
            for name in sorted(TAKES)
            if dtype in TAKES[name] and (not own or dtype == TAKES[name][0])
        ]
        for start in range(0, len(names), together(dtype)):
            some = names[start : start + together(dtype)]
            found.append(pytest.param(dtype, some, id=f"{dtype}-{some[0]}-to-{some[-1]}"))
    return found


def check_together(dtype: str, names: Sequence[str], pick: Pick, form: Form) -> None:
    needs(dtype)
    calls = [Call(name, operands(name, pick, form)) for name in names]
    if dtype not in VALUED:
        for call in calls:
            # Integers to a negative power are refused, so a launch is looked at.
            looks = call.name == "pow" and pick.kind == "i"
            with contextlib.nullcontext() if looks else nothing_launched():
                standard.outline(call.on(xarr), call.on(array_api_strict))
        return
    results = [call.on(xarr) for call in calls]
    computed_together(results)
    for call, result in zip(calls, results, strict=True):
        with shown(call):
            agree(call, result, call.on(array_api_strict))


@pytest.mark.parametrize(("dtype", "names"), groups(ALL))
@hypothesis.settings(max_examples=5)
@hypothesis.given(data=st.data())
def test_of_data_types(dtype: str, names: Sequence[str], data: st.DataObject) -> None:
    pick = Pick(data.draw, dtype, plain=True)
    shape = pick.one((7,), (3, 4), (2, 3, 2))
    check_together(dtype, names, pick, Form(shape, "contiguous", PLAIN))


@pytest.mark.parametrize(("dtype", "names"), groups(OWN, own=True))
@hypothesis.settings(max_examples=9)
@hypothesis.given(data=st.data())
def test_of_layouts(dtype: str, names: Sequence[str], data: st.DataObject) -> None:
    pick = Pick(data.draw, dtype, plain=False)
    shape = pick.one((3, 4), (2, 5), ())
    layout = pick.one("contiguous", "strided", "reversed", "transposed", "broadcast", "part")
    second = PLAIN if layout != "contiguous" else pick.one(*SECONDS)
    check_together(dtype, names, pick, Form(shape, layout, second))


@pytest.mark.parametrize("layout", standard.LAYOUTS)
@pytest.mark.parametrize("shape", [(0,), (3, 0), (2, 0, 3), (0, 0)])
def test_no_elements(shape: tuple[int, ...], layout: str) -> None:
    base = {"part": (2, *shape), "transposed": shape[::-1]}.get(layout, shape)
    if layout == "strided":
        base = tuple(2 * side for side in shape)
    x = Operand(np.zeros(base, np.float32), layout, shape).on(xarr)
    for result in (x + x, x * 2, xarr.exp(x), x == x):
        xarr.synchronize(result)
        assert result.shape == shape
        assert np.asarray(result).shape == shape


def test_the_standards_data_types_are_taken() -> None:
    assert set(TAKES) == {*UNARY, *BINARY, "clip"}
    for name in (*UNARY, *BINARY):
        taken = {row.name for row in dtypes.TABLE if row.kind in BY_NAME[name].kinds}
        assert set(TAKES[name]) <= taken, name


@pytest.mark.parametrize(("dtype", "names"), groups(OWN, own=True))
def test_many_elements(dtype: str, names: Sequence[str]) -> None:
    calls = []
    for name in names:
        rng = np.random.default_rng(1)
        operands = []
        for _ in range(2 if name in BINARY else 1):
            drawn = rng.integers(0, 2, MANY) if dtype == "bool" else rng.integers(1, 60, MANY)
            host = (drawn / 4 if dtype == "float32" else drawn).astype(dtype)
            operands.append(Operand(host))
        calls.append(Call(name, [*operands, 3, 9] if name == "clip" else operands))
    results = [call.on(xarr) for call in calls]
    computed_together(results)
    for call, result in zip(calls, results, strict=True):
        with shown(call):
            agree(call, result, call.on(array_api_strict))


def test_many_elements_of_every_function() -> None:
    assert {name for group in groups(OWN, own=True) for name in group.values[1]} == set(TAKES)


FAMILIES = [(*standard.SIGNED, *standard.UNSIGNED), FLOATING, ("bool",)]
PAIRS = [pair for family in FAMILIES for pair in itertools.product(family, repeat=2)]


def standards(first: str, second: str) -> str | None:
    """What the standard promotes a pair to; None where it says nothing."""
    if {first, second} & set(standard.SIGNED) and "uint64" in (first, second):
        return None
    found = array_api_strict.result_type(
        getattr(array_api_strict, first), getattr(array_api_strict, second)
    )
    return str(found).removeprefix("array_api_strict.")


@pytest.mark.parametrize(("first", "second"), PAIRS, ids="-".join)
def test_promotion(first: str, second: str) -> None:
    wanted = standards(first, second)
    if wanted is None or not (has(first) and has(second)):
        return
    with nothing_launched():
        _promotes(first, second, wanted)


def _promotes(first: str, second: str, wanted: str) -> None:
    x, y = xarr.ones((2, 1), dtype=first), xarr.ones(3, dtype=second)
    assert xarr.result_type(x, y) == xarr.result_type(first, second) == wanted
    name = "logical_and" if first == "bool" else "multiply"
    result = getattr(xarr, name)(x, y)
    assert result.dtype == wanted
    assert result.shape == (2, 3)
    assert (x == y).dtype == xarr.bool
    assert xarr.where(x == y, x, y).dtype == wanted
    assert xarr.concat([x, xarr.reshape(y, (3, 1))]).dtype == wanted


OPERATORS: dict[str, tuple[str, Any]] = {
    "add": ("add", ("float32", "int64", "complex64")),
    "sub": ("subtract", ("float32", "uint8")),
    "mul": ("multiply", ("float32", "int16")),
    "truediv": ("divide", ("float32", "complex64")),
    "floordiv": ("floor_divide", ("float32", "int32", "uint16")),
    "mod": ("remainder", ("float32", "int32", "uint64")),
    "pow": ("pow", ("float32", "int32")),
    "and": ("bitwise_and", ("bool", "int32")),
    "or": ("bitwise_or", ("bool", "uint8")),
    "xor": ("bitwise_xor", ("bool", "int64")),
    "lshift": ("bitwise_left_shift", ("int32",)),
    "rshift": ("bitwise_right_shift", ("int32",)),
    "lt": ("less", ("float32", "int8")),
    "le": ("less_equal", ("float32", "uint32")),
    "gt": ("greater", ("float32", "int16")),
    "ge": ("greater_equal", ("float32", "int64")),
    "eq": ("equal", ("float32", "complex64", "bool")),
    "ne": ("not_equal", ("float32", "complex64", "bool")),
}
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
OPERATED = [(symbol, dtype) for symbol, (_, found) in OPERATORS.items() for dtype in found]


def operation(symbol: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(operator, symbol, None) or getattr(operator, f"{symbol}_")
    return found


@pytest.mark.parametrize(("symbol", "dtype"), OPERATED)
@hypothesis.settings(max_examples=5)
@hypothesis.given(data=st.data())
def test_operators(symbol: str, dtype: str, data: st.DataObject) -> None:
    """Between arrays, with a Python scalar on either side, and in place."""
    name = OPERATORS[symbol][0]
    pick = Pick(data.draw, dtype, plain=True)
    small = {"pow": 3, "lshift": 7, "rshift": 7}.get(symbol, 50)
    first, second = (pick.array((3, 4), 1, small) for _ in "ab")
    scalar = standard.of_python(pick, 1, small)
    forms = [Call(name, pair) for pair in ((first, second), (first, scalar), (scalar, first))]
    apply, calls = operation(symbol), [(call, operation(symbol)) for call in forms]
    if symbol not in COMPARISONS:
        calls += [(call, in_place(symbol)) for call in forms[:2]]
    results = [call.on(xarr, apply) for call, apply in calls]
    computed_together(results)
    for (call, apply), result in zip(calls, results, strict=True):
        with shown(call):
            agree(call, result, call.on(array_api_strict, apply))


def in_place(symbol: str) -> Callable[..., Any]:
    """The operator in place, on a copy; the copy has to be what it returns."""

    def apply(x: Any, other: Any) -> Any:
        x = x.__array_namespace__().asarray(x, copy=True)
        before = x
        x = getattr(operator, f"i{symbol}")(x, other)
        if type(x) is xarr.Array:
            assert x is before
        return x

    return apply


UNARY_OPERATORS = [
    *[("abs", "abs", dtype) for dtype in ("float32", "int8", "complex64")],
    *[("neg", "negative", dtype) for dtype in ("float32", "int64", "complex64")],
    *[("pos", "positive", dtype) for dtype in ("float32", "uint8", "complex64")],
    *[("invert", "bitwise_invert", dtype) for dtype in ("bool", "int16", "uint8")],
]


@pytest.mark.parametrize(("symbol", "name", "dtype"), UNARY_OPERATORS)
@hypothesis.settings(max_examples=4)
@hypothesis.given(data=st.data())
def test_unary_operators(symbol: str, name: str, dtype: str, data: st.DataObject) -> None:
    call = Call(name, (Pick(data.draw, dtype, plain=True).array(low=-100, high=100),))
    agree(call, call.on(xarr, operation(symbol)), call.on(array_api_strict, operation(symbol)))


def test_every_operator_has_its_reflected_and_in_place_form() -> None:
    for symbol in (*OPERATORS, "matmul"):
        assert hasattr(xarr.Array, f"__{symbol}__")
        if symbol not in COMPARISONS:
            assert hasattr(xarr.Array, f"__r{symbol}__"), symbol
            x = xarr.ones((2, 2), dtype="int32" if "shift" in symbol else "float32")
            if symbol in ("and", "or", "xor"):
                x = x == x
            before = x
            x = getattr(operator, f"i{symbol}")(x, x)
            assert type(x) is xarr.Array
            assert symbol == "matmul" or x is before


VALUES = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0, 1e30, math.inf]
SIGNS = np.asarray([sign * value for value in VALUES for sign in (1.0, -1.0)] + [math.nan])
LEFT, RIGHT = (side.ravel() for side in np.meshgrid(SIGNS, SIGNS, indexing="ij"))


def remainder_of_the_standard(x: float, y: float) -> float:
    """The remainder's special cases, one after the other; else Python's operator."""
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return math.nan
    if x == 0:
        return math.copysign(0.0, y)
    if math.isinf(y):
        return x if (x > 0) == (y > 0) else y
    return x % y


def floor_quotient_of_the_standard(x: float, y: float) -> float:
    """floor(x / y), which the standard prefers where Python's operator differs."""
    if math.isnan(x) or math.isnan(y) or (math.isinf(x) and math.isinf(y)) or x == y == 0:
        return math.nan
    sign = math.copysign(1.0, x) * math.copysign(1.0, y)
    if y == 0 or math.isinf(x):
        return sign * math.inf
    if x == 0 or math.isinf(y):
        return sign * 0.0
    return float(np.floor_divide(x, y))


def power_of_the_standard(x: float, y: float) -> float:
    """The special cases of pow, which are those of C's."""
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:  # a negative number to a broken power, or zero to a negative one
        if x != 0:
            return math.nan
        return math.copysign(math.inf, x) if y % 2 == 1 else math.inf


OF_THE_STANDARD = {
    "remainder": remainder_of_the_standard,
    "floor_divide": floor_quotient_of_the_standard,
    "pow": power_of_the_standard,
}


SYMBOLS = {"remainder": "mod", "floor_divide": "floordiv", "pow": "pow"}


def agrees(name: str, got: Any, x: Any, y: Any) -> None:
    """Assert what the standard says of each pair."""
    one = OF_THE_STANDARD[name]
    with np.errstate(all="ignore"):
        wide = np.asarray([one(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)])
        wanted = wide.astype(x.dtype)
    if name == "pow":
        reference.assert_near(got, wide, 4, name, (x, y))
    else:
        reference.assert_same(got, wanted, name, (x, y))


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name", OF_THE_STANDARD)
def test_all_signs_zeros_and_infinities(name: str, dtype: str) -> None:
    needs(dtype)
    x, y = LEFT.astype(dtype), RIGHT.astype(dtype)
    for call in (getattr(xarr, name), operation(SYMBOLS[name])):
        agrees(name, np.asarray(call(xarr.asarray(x), xarr.asarray(y))), x, y)
    apply = operation(SYMBOLS[name])
    numbers = SIGNS.astype(dtype)
    array = xarr.asarray(numbers)
    for number in numbers.tolist():
        for got, pairs in (
            (apply(array, number), [(other, number) for other in numbers.tolist()]),
            (apply(number, array), [(number, other) for other in numbers.tolist()]),
        ):
            agrees(
                name,
                np.asarray(got),
                *(np.asarray(side, dtype) for side in zip(*pairs, strict=True)),
            )


@pytest.mark.parametrize("dtype", INTEGER)
def test_integers_of_all_signs(dtype: str) -> None:
    """As Python's operators; of a zero divisor and of negative powers nothing is said."""
    forms = [form for name in OF_THE_STANDARD for form in integers_of_all_signs(name, dtype)]
    computed_together([got for _, got, _, _ in forms])
    for name, got, wanted, operands in forms:
        reference.assert_same(np.asarray(got), np.asarray(wanted, dtype), name, operands)


Checked = tuple[str, xarr.Array, list[int], tuple[Any, ...]]


def integers_of_all_signs(name: str, dtype: str) -> Iterator[Checked]:
    """A function, its pending result, what that has to be, and the operands."""
    info = np.iinfo(dtype)
    numbers = [0, 1, 2, 3, 7, int(info.max), int(info.max) - 1]
    if info.min:
        numbers += [-1, -2, -3, -7, int(info.min), int(info.min) + 1]
    symbol = SYMBOLS[name]
    pairs = [
        (a, b)
        for a in numbers
        for b in ([0, 1, 2, 3, 7] if name == "pow" else numbers)
        if (name == "pow" or b != 0) and not (a == info.min and b == -1)
    ]
    bits = 8 * np.dtype(dtype).itemsize
    wanted = [operation(symbol)(a, b) % 2**bits for a, b in pairs]
    wanted = [v - 2**bits if info.min and v >= 2 ** (bits - 1) else v for v in wanted]
    hosts = tuple(np.asarray(side, dtype) for side in zip(*pairs, strict=True))
    x, y = map(xarr.asarray, hosts)
    for call in (getattr(xarr, name), operation(symbol)):
        yield name, call(x, y), wanted, hosts
    if dtype not in ("int32", "uint8"):
        return
    for other in dict.fromkeys(b for _, b in pairs):
        rows = [place for place, (_, b) in enumerate(pairs) if b == other]
        column = np.asarray([pairs[place][0] for place in rows], dtype)
        got = operation(symbol)(xarr.asarray(column), other)
        yield name, got, [wanted[place] for place in rows], (column, np.full_like(column, other))
