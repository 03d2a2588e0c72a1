"""Every row of the elementwise table against NumPy: values, layouts, data types, operators, errors.

All cases come from the table: a new row is tested by being there.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xarr
from tests import reference
from tests.comparing import RARE, computed_together, is_on, needs, together
from tests.functions.calls import check as check_call, each_line, rows as calls_of
from tests.reference import Values, assert_near, assert_same
from xarr import dtypes
from xarr.dtypes import BOOL, COMPLEX, INTEGER, REAL, SIGNED, UNSIGNED, DType
from xarr.ops.elementwise import BY_NAME, TABLE
from xarr.ops.rows import Elementwise

pytestmark = pytest.mark.usefixtures("fused", "has_dtype")

COUNT = 3000


def accepts(row: Elementwise, dtype: DType) -> bool:
    """Whether a row takes a data type, integers and bool also where they become floating-point."""
    if dtype.kind in row.kinds or (dtype.kind == BOOL and row.widens_bool):
        return True
    return dtype.kind in (BOOL, *INTEGER) and row.floats_integers


def computed(row: Elementwise, dtype: DType, device: xarr.Device) -> DType:
    """The data type that a row computes an accepted type in."""
    if dtype.kind in row.kinds:
        return dtype
    if dtype.kind == BOOL and row.widens_bool:
        return dtypes.int8
    widest = dtypes.float64 if device.has_float64 else dtypes.float32
    wanted = widest if row.integers_as_default else dtypes.as_floating(dtype)
    return widest if wanted is dtypes.float64 else wanted


def named(*cases: tuple[Elementwise, DType]) -> Callable[[Any], Any]:
    return pytest.mark.parametrize(
        ("row", "dtype"), cases, ids=[f"{row.name}-{dtype}" for row, dtype in cases]
    )


def grouped(
    *cases: tuple[Elementwise, DType],
    usual: Callable[[Elementwise, DType], bool] = lambda _, dtype: dtype.name not in RARE,
) -> Callable[[Any], Any]:
    """As `named`, with as many rows of a data type at a time as one kernel computes."""
    alike = dict[tuple[DType, int, bool, bool], list[Elementwise]]()
    for row, dtype in cases:
        key = dtype, row.operands, bool(row.operator), usual(row, dtype)
        alike.setdefault(key, []).append(row)
    found = [
        pytest.param(
            *(rows[start : start + together(dtype.numpy)], dtype),
            id=f"{dtype}-{rows[start].name}",
            marks=() if is_usual else pytest.mark.nightly,
        )
        for (dtype, *_, is_usual), rows in alike.items()
        for start in range(0, len(rows), together(dtype.numpy))
    ]
    return pytest.mark.parametrize(("rows", "dtype"), found)


ACCEPTED = [(row, dtype) for row in TABLE for dtype in dtypes.TABLE if accepts(row, dtype)]
# Integers and bools that become floating-point do so in one way for all rows.
VALUED = [
    (row, dtype)
    for row, dtype in ACCEPTED
    if dtype.kind in row.kinds or row.widens_bool or row.name in ("divide", "sqrt", "trunc")
]
REFUSED = [
    (row, dtype)
    for row in TABLE
    for dtype in dtypes.TABLE
    # `round` takes bools beyond its row, as float16.
    if not accepts(row, dtype) and (row.name, dtype.kind) != ("round", BOOL)
]
COMPARED = ("equal", "not_equal")
"""What compares with anything: text is equal to no number."""


@functools.cache
def operands_of(row: Elementwise, dtype: DType) -> tuple[Values, ...]:
    """Values of the row's domain, of all bits, and all pairs of special values."""
    rng = np.random.default_rng(17)
    low, high = row.domain.low, row.domain.high
    special = reference.special_values(dtype)
    if row.operands == 2:
        pairs = [side.ravel() for side in np.meshgrid(special, special)]
    else:
        pairs = [special]
    operands = []
    for pair in pairs:
        parts = [pair, reference.drawn(dtype, low, high, COUNT, rng)]
        # Complex functions keep their bound for moderate operands.
        if dtype.kind != COMPLEX:
            parts.append(reference.any_bits(dtype, COUNT, rng))
        operands.append(np.concatenate(parts))
    if row.operands == 2 and dtype in (dtypes.int8, dtypes.uint8):  # all there are
        every = np.arange(256, dtype=np.uint8).view(dtype.numpy)
        operands = [side.ravel() for side in np.meshgrid(every, every)]
    if row.name == "pow" and dtype.kind == SIGNED:
        operands[1] = np.abs(operands[1] // 2)  # negative powers of integers are refused
    return tuple(operands)


def in_parts(x: Values, y: Values) -> Values:
    """The complex product in operations of real numbers; NumPy's contracts them where it can."""
    with np.errstate(all="ignore"):
        result = np.empty(x.shape, x.dtype)
        result.real = x.real * y.real - x.imag * y.imag
        result.imag = x.real * y.imag + x.imag * y.real
        return result


def extreme(name: str, sign: Callable[[Values, Values], Values]) -> Callable[..., Values]:
    """NumPy's function, with +0 greater than -0 in whichever order they come."""

    def call(x: Values, y: Values) -> Values:
        result = reference.function(name)(x, y)
        if result.dtype.kind != "f":
            return result
        zero = np.where(sign(np.signbit(x), np.signbit(y)), -0.0, 0.0).astype(result.dtype)
        return np.where((x == 0) & (y == 0), zero, result)

    return call


def floor_quotient(x: Values, y: Values) -> Values:
    """The floor division of the standard: an infinite operand gives what true division does."""
    with np.errstate(all="ignore"):
        quotient = np.where(np.isinf(x) | np.isinf(y), x / y, np.floor_divide(x, y))
    return quotient.astype(x.dtype)


# Where NumPy's own bits depend on the machine or on the order of operands.
REFERENCES: dict[tuple[str, str], Callable[..., Values]] = {
    ("multiply", COMPLEX): in_parts,
    ("square", COMPLEX): lambda x: in_parts(x, x),
    ("maximum", REAL): extreme("maximum", np.logical_and),
    ("minimum", REAL): extreme("minimum", np.logical_or),
    ("nextafter", REAL): lambda x, y: np.where(x == y, y, reference.function("nextafter")(x, y)),
    ("floor_divide", REAL): floor_quotient,
    ("fmax", REAL): extreme("fmax", np.logical_and),
    ("fmin", REAL): extreme("fmin", np.logical_or),
    ("reciprocal", SIGNED): lambda x: np.where(x == 0, x, reference.function("reciprocal")(x)),
}
# Where NumPy departs from the standard for complex operands that are not finite, or are zero:
# expm1(inf) has the imaginary part NaN, sign(inf + nan j) is 1, reciprocal(0) is NaN.
DEPARTS = ("expm1", "pow", "reciprocal", "sign")
# Signs of zero at infinity: NumPy's follow sin(2 y), the standard's the sign of y.
ODD_SIGNS = ("tan", "tanh")


def check(row: Elementwise, operands: tuple[Values, ...], result: xarr.Array) -> None:
    """Compare a result with NumPy's, or with that in a wider type where the row has a bound."""
    got = np.asarray(result)
    dtype = computed(row, dtypes.BY_NUMPY[np.result_type(*operands)], result.device)
    call = REFERENCES.get((row.name, dtype.kind)) or reference.of(row)
    with np.errstate(all="ignore"):
        converted = [operand.astype(dtype.numpy) for operand in operands]
    wanted_dtype = row.operation(dtype).result
    assert got.dtype == wanted_dtype.numpy, f"{row.name} of {dtype} has dtype {got.dtype}"
    bound = row.domain.complex_ulp if dtype.kind == COMPLEX else row.domain.ulp
    if bound == 0 or not reference.is_floating(dtype):
        assert_same(got, call(*converted), row.name, operands)
        return
    wanted = call(*[reference.wide(operand, dtype) for operand in operands])
    if dtype.kind == COMPLEX:
        got, wanted, operands = specified(row, got, wanted, operands)
    elif row.domain.cancel:
        bound = bound * beside(got, wanted, converted)
    assert_near(got, wanted, bound, row.name, operands)


def specified(
    row: Elementwise, got: Values, wanted: Values, operands: tuple[Values, ...]
) -> tuple[Values, Values, tuple[Values, ...]]:
    """What the standard says of a complex result: some signs, and some values, it leaves open."""
    finite = functools.reduce(np.logical_and, [np.isfinite(x) & (x != 0) for x in operands])
    if row.name in DEPARTS:
        # Adding 0 leaves the sign of a zero part open.
        return got[finite] + 0, wanted[finite] + 0, tuple(x[finite] for x in operands)
    if got.dtype.kind != "c":
        return got, wanted, operands
    free = np.zeros(got.shape, bool)
    for x in operands:
        infinite = np.isinf(x.real).astype(int) + np.isinf(x.imag)
        free |= np.isnan(x) | (infinite > (row.name not in ODD_SIGNS))
    if row.name in ("tan", "tanh"):
        # The standard: tanh(inf + yj) is 1 + 0j for y > 0; C99 lets the sign follow sin(2y).
        free |= np.isinf(operands[0])
    return unsigned(got, free), unsigned(wanted, free), operands


def unsigned(values: Values, where: Values) -> Values:
    """Complex values with both parts' signs removed at some places."""
    result = values.copy()
    result.real[where] = np.abs(values.real[where])
    result.imag[where] = np.abs(values.imag[where])
    return result


def beside(got: Values, wanted: Values, operands: list[Values]) -> Values:
    """How many times the largest operand's unit in the last place is that of the result."""
    with np.errstate(all="ignore"):
        unit = np.spacing(np.abs(wanted.astype(got.dtype)))
        largest = functools.reduce(np.fmax, [np.spacing(np.abs(x)) for x in operands])
        ratio = largest / unit
    return np.where(ratio > 1, ratio, 1).astype(np.longdouble)


def apply(row: Elementwise, *operands: Any) -> xarr.Array:
    result: xarr.Array = getattr(xarr, row.name)(*operands)
    return result


@grouped(*VALUED)
def test_values(rows: list[Elementwise], dtype: DType, device: xarr.Device) -> None:
    results = [apply(row, *map(xarr.asarray, operands_of(row, dtype))) for row in rows]
    computed_together(results)
    for row, result in zip(rows, results, strict=True):
        check(row, operands_of(row, dtype), result)


def test_the_data_type_of_the_result(any_device: xarr.Device) -> None:
    for row, dtype in ACCEPTED:
        if is_on(any_device, dtype):
            wanted = row.operation(computed(row, dtype, any_device)).result.numpy
            assert apply(row, *[ones(dtype)] * row.operands).dtype == wanted, (row.name, dtype)
            if any_device.has_float64 and row.reference is None:
                numpys = reference.function(row.name)(*[np.ones(3, dtype.numpy)] * row.operands)
                assert numpys.dtype == wanted, (row.name, dtype)


BINARY = [row for row in TABLE if row.operands == 2]
FEW = [row for row in TABLE if row.name in ("equal", "positive", "subtract", "where", "sin")]


def stands_for(row: Elementwise) -> list[DType]:
    """A data type of each group that a row has an expression of its own for."""
    chosen = ("float32", "int32", "bool", "complex64")
    taken = [dtypes.BY_NAME[name] for name in chosen if dtypes.BY_NAME[name].kind in row.kinds]
    return taken[:2] if taken[0] is dtypes.float32 else taken[:1]


LAYOUTS: dict[str, tuple[tuple[int, ...], Callable[[Any], Any]]] = {
    "contiguous": ((7, 300), lambda x: x),
    "strided": ((3000,), lambda x: x[1::3]),
    "reversed": ((3000,), lambda x: x[::-1]),
    "columns": ((100, 30), lambda x: x[:, 4:20]),
    "every other row": ((100, 30), lambda x: x[::2]),
    "reversed columns": ((100, 30), lambda x: x[:, ::-1]),
    "transposed": ((40, 50), lambda x: x.T),
    "permuted": ((6, 7, 8), lambda x: np.permute_dims(x, (2, 0, 1))),
    "broadcast along rows": ((1, 50), lambda x: np.broadcast_to(x, (30, 50))),
    "broadcast along columns": ((30, 1), lambda x: np.broadcast_to(x, (30, 50))),
    "one element broadcast": ((1,), lambda x: np.broadcast_to(x, (3, 5))),
    "a column": ((50, 20), lambda x: x[:, 3]),
    "with new axes": ((50, 20), lambda x: x[:, None, 3:9]),
    "0-d": ((), lambda x: x),
    "0-d view": ((5, 6), lambda x: x[3, 2]),
    "one element": ((1, 1, 1), lambda x: x),
    "empty": ((0,), lambda x: x),
    "empty with extent": ((3, 0, 4), lambda x: x),
    "empty view": ((30,), lambda x: x[5:5]),
    "5-d": ((3, 4, 5, 6, 7), lambda x: x[::2, ::2, ::2, ::2, ::2]),
}


def laid_out(name: str, dtype: DType) -> tuple[Values, xarr.Array]:
    shape, look = LAYOUTS[name]
    rng = np.random.default_rng(len(name))
    base = reference.drawn(dtype, -100, 100, int(np.prod(shape)), rng).reshape(shape)
    return look(base), look(xarr.asarray(base))


OF_ALL_DTYPES = ("columns", "transposed", "broadcast along rows")


@pytest.mark.parametrize(
    ("layout", "dtype"),
    [(layout, dtypes.float32) for layout in LAYOUTS]
    + [(layout, dtype) for layout in OF_ALL_DTYPES for dtype in dtypes.TABLE],
    ids=str,
)
def test_layouts(layout: str, dtype: DType, device: xarr.Device) -> None:
    wanted, given = laid_out(layout, dtype)
    rows = FEW if dtype is dtypes.float32 else [BY_NAME["not_equal"], BY_NAME["positive"]]
    rows = [row for row in rows if accepts(row, dtype)]
    results = [
        apply(row, *[given, given[::-1] if given.ndim else given][: row.operands]) for row in rows
    ]
    computed_together(results)
    for row, result in zip(rows, results, strict=True):
        check(row, (wanted, wanted[::-1] if wanted.ndim else wanted)[: row.operands], result)


@pytest.mark.parametrize("size", [1, 63, 255, 256, 257, 4095, 4096, 4097, 65537, 10**6 + 1])
@pytest.mark.parametrize("row", FEW, ids=lambda row: row.name)
def test_sizes(row: Elementwise, size: int, device: xarr.Device) -> None:
    rng = np.random.default_rng(size)
    operands = tuple(reference.drawn(dtypes.float32, -9, 9, size, rng) for _ in range(row.operands))
    check(row, operands, apply(row, *map(xarr.asarray, operands)))


def ones(dtype: DType, shape: tuple[int, ...] = (3,)) -> xarr.Array:
    result: xarr.Array = xarr.asarray(np.ones(shape, dtype.numpy))
    return result


@pytest.mark.parametrize("row", BINARY, ids=lambda row: row.name)
def test_mixed_dtypes_promote(row: Elementwise, any_device: xarr.Device) -> None:
    on = {dtype: ones(dtype) for dtype in dtypes.TABLE if is_on(any_device, dtype)}
    for first, second in itertools.product(on, repeat=2):
        common = dtypes.BY_NUMPY[np.result_type(first.numpy, second.numpy)]
        if not accepts(row, common):
            with pytest.raises(TypeError, match=row.name):
                apply(row, on[first], on[second])
            continue
        if row.beyond is not None and {first.kind, second.kind} == {SIGNED, UNSIGNED}:
            assert apply(row, on[first], on[second]).dtype == bool
            continue
        if common.kind in row.kinds and not is_on(any_device, common):
            with pytest.raises(TypeError, match="float32 and complex64 are the widest"):
                apply(row, on[first], on[second])
            continue
        if common.kind not in row.kinds and row.floats_integers:  # each for itself
            common = dtypes.promote(*(computed(row, one, any_device) for one in (first, second)))
        wanted = row.operation(computed(row, common, any_device)).result.numpy
        assert apply(row, on[first], on[second]).dtype == wanted, (first, second)


OPERATORS = [row for row in TABLE if row.operator and row.operands == 2]
ARITHMETIC = [row for row in OPERATORS if row.result != "bool"]


def symbol(row: Elementwise, prefix: str = "") -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(operator, f"{prefix}{row.operator}", None) or getattr(
        operator, f"{prefix}{row.operator}_"
    )
    return found


def small(dtype: DType) -> tuple[Values, Values]:
    rng = np.random.default_rng(11)
    x1, x2 = (reference.drawn(dtype, 1, 6, 50, rng) for _ in range(2))
    return x1, x2


@grouped(*[(row, dtype) for row in OPERATORS for dtype in dtypes.TABLE if accepts(row, dtype)])
def test_operators(rows: list[Elementwise], dtype: DType, device: xarr.Device) -> None:
    x1, x2 = small(dtype)
    on = xarr.asarray
    for left, right in ((on, on), (on, np.asarray), (np.asarray, on)):
        # Each has operands of its own, so that the kernel is that of other tests.
        results = [symbol(row)(left(x1), right(x2)) for row in rows]
        computed_together(results)
        for row, result in zip(rows, results, strict=True):
            assert type(result) is xarr.Array
            check(row, (x1, x2), result)


# Every row with one data type, and every data type with one row.
SEEN = [(row, stands_for(row)[0]) for row in ARITHMETIC]
SEEN += [
    (next(row for row in ARITHMETIC if dtype.kind in row.kinds), dtype) for dtype in dtypes.TABLE
]


@named(*dict.fromkeys(SEEN))
def test_in_place_operators_write_what_others_see(
    row: Elementwise, dtype: DType, device: xarr.Device
) -> None:
    x1, x2 = small(dtype)
    left = whole = xarr.asarray(x1)
    view = left[:]
    left = symbol(row, "i")(left, xarr.asarray(x2))
    assert left is whole
    check(row, (x1, x2), left)
    check(row, (x1, x2), view)


@pytest.mark.parametrize("row", OPERATORS, ids=lambda row: row.name)
def test_operators_leave_what_they_do_not_know_to_the_other_side(row: Elementwise) -> None:
    class Other:
        def answer(self, other: Any) -> str:
            return "answered"

    swapped = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
    reflected = swapped.get(row.operator, f"r{row.operator}")
    setattr(Other, f"__{reflected}__", Other.answer)
    kind = dtypes.float32 if REAL in row.kinds else dtypes.int32
    if row.operator in swapped:  # of each element, as NumPy compares objects that say nothing
        assert symbol(row)(ones(kind), Other()).all()
        Other.__array_ufunc__ = None  # type: ignore[attr-defined]
    assert symbol(row)(ones(kind), Other()) == "answered"
    if row.operator not in swapped:
        with pytest.raises(TypeError):
            symbol(row)(ones(kind), "text")


DIVISIONS = [row for row in TABLE if row.name in ("floor_divide", "remainder")]


@pytest.mark.parametrize("row", DIVISIONS, ids=lambda row: row.name)
@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.float32, dtypes.float64], ids=str)
def test_division_near_integers(row: Elementwise, dtype: DType, device: xarr.Device) -> None:
    """Quotients at and next to integers, up to the largest, and all pairs of special values."""
    rng = np.random.default_rng(23)
    count = 40_000
    divisor = reference.any_bits(dtype, count, rng)
    times = np.rint(2.0 ** rng.uniform(0, 60, count)) * rng.choice([-1, 1], count)
    with np.errstate(all="ignore"):
        dividend = (divisor.astype(np.longdouble) * times).astype(dtype.numpy)
        steps = rng.integers(-2, 3, count)
        for step in (1, 2):
            towards = np.where(steps > 0, np.inf, -np.inf).astype(dtype.numpy)
            dividend = np.where(np.abs(steps) >= step, np.nextafter(dividend, towards), dividend)
    pairs = np.meshgrid(*[reference.special_values(dtype)] * 2)
    operands = tuple(np.append(*both) for both in zip((dividend, divisor), pairs, strict=True))
    check(row, operands, apply(row, *map(xarr.asarray, operands)))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_chains_have_the_same_bits_fused_and_step_by_step(dtype: str) -> None:
    needs(dtype)
    rng = np.random.default_rng(8)
    draw = (
        reference.any_bits if dtype == "float16" else lambda *given: rng.standard_normal(given[1])
    )
    x, y = (draw(dtypes.BY_NAME[dtype], 20_000, rng).astype(dtype) for _ in range(2))
    calls = ("np.sqrt(abs(x * y + x - y / 3)) * (x - 1) + y", "(x * y + 1) * x - y / (x * x + 2)")
    for call in calls:
        check_call(call, x=x, y=y)
    names = {"np": xarr, "x": xarr.asarray(x), "y": xarr.asarray(y)}
    for call in (*calls, "np.exp(np.sin(x) * y)"):
        fused = np.asarray(eval(call, names))
        with xarr.eager():
            assert_same(np.asarray(eval(call, names)), fused, call)


OF_KINDS = {
    INTEGER: """
        s ** {0|1|2|3|64}
        np.clip(x, {-(10**30), 60|3, 10**30|-(10**30), None})
        [f({s, n|n, s}) for f in COMPARISONS for n in OUT_OF_RANGE]
    """,
    (SIGNED,): "{s ** -1|s ** np.asarray(-1, s.dtype)|2 ** (s - 1)} ! ValueError: negative",
    (SIGNED, UNSIGNED, REAL, COMPLEX): """
        np.clip(x, {low, high|low, None|None, high|high, low|3, 60})
    """,
}
OUT_OF_RANGE = [-(2**70), -(2**15) - 1, -1, 256, 2**31, 2**63, 2**64]
COMPARISONS = [symbol(row) for row in TABLE if row.result == "bool" and row.operator]
DIVIDED = "v {%|//} {n}\n{n} {%|//} v"


@pytest.mark.parametrize(
    ("dtype", "calls"),
    [
        *(
            (one, calls)
            for kinds, calls in OF_KINDS.items()
            for one in dtypes.TABLE
            if one.kind in kinds
        ),
        (dtypes.int32, DIVIDED.replace("{n}", "{3|-7|0}")),
        (dtypes.float32, DIVIDED.replace("{n}", "{3|-7|0|2.5|-0.1|0.0}")),
        (dtypes.float32, "v % {-0.0|inf|-inf}\n{-0.0|inf|-inf} % v"),
    ],
    ids=lambda value: str(value).strip()[:20],
)
def test_of_dtypes(dtype: DType, calls: str, device: xarr.Device) -> None:
    rng = np.random.default_rng(9)
    given = {"x": reference.any_bits(dtype, 500, rng), "s": reference.special_values(dtype)}
    given |= {"v": reference.drawn(dtype, -100, 100, 500, rng)}
    given |= {"low": np.array(3, dtype.numpy), "high": np.array(60, dtype.numpy)}
    for call in calls_of(calls):
        names = {"COMPARISONS": COMPARISONS, "OUT_OF_RANGE": OUT_OF_RANGE}
        check_call(call, names=names, **given)


def test_other_dtypes_are_refused(device: xarr.Device) -> None:
    for row, dtype in REFUSED:
        if is_on(device, dtype):
            with pytest.raises(TypeError) as caught:
                apply(row, *[ones(dtype) for _ in range(row.operands)])
            words = dtypes.KIND_WORDS[row.kinds]
            remedy = ".real" if dtype.kind == COMPLEX and row.kinds != (BOOL,) else ".astype("
            for part in (row.where, f"has dtype {dtype}", f"must be {words};", remedy):
                assert part in str(caught.value), caught.value


NAMES = {"i0": "x", "imag": "val", "real": "val", "round": "a"}
"""What NumPy calls the operand of functions that are no ufuncs there."""


def widest(row: Elementwise, device: xarr.Device) -> DType:
    return next(one for one in dtypes.TABLE[::-1] if accepts(row, one) and is_on(device, one))


@pytest.mark.parametrize(
    "row", [row for row in TABLE if row.name not in COMPARED], ids=lambda row: row.name
)
def test_other_arguments_are_refused(row: Elementwise, device: xarr.Device) -> None:
    kind = widest(row, device)
    for place in range(row.operands):
        operands: list[Any] = [ones(kind) for _ in range(row.operands)]
        operands[place] = "text"
        with pytest.raises(TypeError) as caught:
            apply(row, *operands)
        name = ("x1", "x2")[place] if row.operands == 2 else NAMES.get(row.name, "x")
        begin = row.where.replace("x)", NAMES.get(row.name, "x)"))
        for part in (begin, f"{name} is of type str"):
            assert part in str(caught.value), caught.value
        assert re.search(r"xarr\.asarray\(|it must be a number", str(caught.value)), caught.value
    with pytest.raises(TypeError):
        apply(row)


@pytest.mark.parametrize("row", BINARY, ids=lambda row: row.name)
def test_other_shapes_are_refused(row: Elementwise, device: xarr.Device) -> None:
    kind = widest(row, device)
    with pytest.raises(ValueError, match=r"\(2, 3\) and \(4,\).*broadcast") as caught:
        apply(row, ones(kind, (2, 3)), ones(kind, (4,)))
    assert row.where in str(caught.value)


def test_arrays_of_two_devices_are_refused(device: xarr.Device) -> None:
    other = device.pretending("no-float64")
    if other is device:
        pytest.skip("the device has no second handle")
    with pytest.raises(ValueError, match=r"add\(x1, x2\): the arrays are on .*to_device"):
        xarr.asarray(np.ones(2, np.float32)) + xarr.asarray(np.ones(2, np.float32), device=other)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_signature_and_docstring(row: Elementwise) -> None:
    function = getattr(xarr, row.name)
    names = ["x1", "x2"] if row.operands == 2 else [NAMES.get(row.name, "x")]
    parameters = list(inspect.signature(function).parameters.values())
    own, more = parameters[: len(names)], parameters[len(names) :]
    assert [parameter.name for parameter in own] == names
    by_name = row.name in NAMES
    assert all((parameter.kind is not parameter.POSITIONAL_ONLY) is by_name for parameter in own)
    options = ["out", "where", "casting", "order", "dtype", "subok", "signature", "sig"]
    if by_name:
        options = ["decimals", "out"] if row.name == "round" else []
    assert [parameter.name for parameter in more] == options
    assert function.__name__ == function.__qualname__ == row.name
    lines = (inspect.getdoc(function) or "").splitlines()
    if isinstance(function, xarr.ufunc):
        operands = ", ".join(names)
        assert lines[0] == f"{row.name}({operands}, /, out=None, *, where=True, casting=" + (
            "'same_kind', order='K', dtype=None, subok=True, signature=None, sig=None)"
        )
        del lines[:2]
    assert lines[:2] == [row.about, ""]
    for section in ("Parameters", "Returns", "Raises", "Notes", "Examples"):
        assert lines[lines.index(section) + 1] == "-" * len(section)
    assert dtypes.KIND_WORDS[row.kinds] in "\n".join(lines)


ERRORS = """
np.clip(x, "a", None) ! TypeError: clip(a, min, max): min is of type str
np.clip(x, None, [1, 2]) ! ValueError: clip(a, min, max): the shapes are
np.clip(x, 10**30, None) ! OverflowError: clip(a, min, max): the Python integer
np.clip(x, None, -(10**30)) ! OverflowError: clip(a, min, max): the Python integer
(x * 1j) % 2 ! TypeError: ; take x1.real or x1.imag
np.remainder(x, x * 1j) ! TypeError: ; take x2.real or x2.imag
np.bitwise_and(x, np.asarray(x, dtype="u8")) ! TypeError: ; convert both to one
np.abs(["a"]) ! TypeError: abs(x): x is of type list
np.sum([[1], [1, 2]]) ! ValueError: sum(a): a is no array of numbers
np.add([[1], [1, 2]], np.ones(2)) ! ValueError: add(x1, x2): x1 is no array
np.pow(2, -1) ! ValueError: negative power
x.__iadd__(np.ones((2, 3), "i8")) ! ValueError: shape
np.broadcast_to(x, (2, 3)).__iadd__(1) ! ValueError: read-only
y = np.arange(24.0).reshape(4, 6); y[1:3, ::2] *= 10; y.T[2] -= y[:, 3]; y[:, 1:] += y[:, :-1]
x ** {-1|numpy.int64(-1)|numpy.asarray([1, -1, 1])|[1, -1, 1]|np.asarray([1, -1, 1])} ! ValueError
x.__ipow__({-1|numpy.int64(-1)|[1, -1, 1]|np.asarray([1, -1, 1])}) ! ValueError
np.{sqrt("a")|add(None, 1)|add(1, None)} ! TypeError
np.sqrt("a") ! TypeError: is of type
float(np.sqrt(4))
np.conj(1j)
np.maximum(1, 2)
np.hypot([3.0], 4)
np.pow(4, 0.5)
np.round(np.asarray([1.25, -2.345, 155.0], "f4"), {0|1|3|-1})
np.round(np.asarray([15, -25, 149]), {0|1|3|-1})
np.asarray([2.0, 4.0]) ** -1
x * {[1, 2, 3]|[[1], [2]]|(3, 4, 5)}
# numbers of NumPy's keep their type, arrays are uploaded, on either side
f - {n}
{n} - f
np.subtract({n}, f)
numpy.subtract({n}, f)
[1, 2, 3] * x
"""
NUMPYS = "|".join(
    f"numpy.asarray({n}, '{dtype}')[()]" for dtype in dtypes.TABLE for n in (2, [3, 1, 2])
)


@each_line(ERRORS.replace("{n}", f"{{{NUMPYS}}}"))
def test_operands_and_errors(call: str) -> None:
    check_call(call, x=np.asarray([1, 2, 3]), f=np.asarray([1, 2, 3], "f4"))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("int32", "int64"),
        *itertools.product(("int8", "uint8", "int16", "uint16"), ("int32", "float32")),
    ],
)
def test_fused_conversions_are_those_of_memory(
    source: str, target: str, device: xarr.Device
) -> None:
    """Rusticl 22.3 compiles comparisons of what was narrow wrongly, or dies of them."""
    x = xarr.asarray(np.array([1, 2, 100, 0, 5, -7, -128, -1]).astype(source))
    stored = xarr.asarray(np.asarray(xarr.astype(x, target)))
    names = ("abs", "sign", "square", "exp", "tanh", "floor_divide", "remainder")
    rows = [BY_NAME[name] for name in names if accepts(BY_NAME[name], dtypes.BY_NAME[target])]
    fused = [apply(row, *[xarr.astype(x, target)] * row.operands) for row in rows]
    plain = [apply(row, *[stored] * row.operands) for row in rows]
    computed_together(fused)
    computed_together(plain)
    for row, got, wanted in zip(rows, fused, plain, strict=True):
        assert_same(np.asarray(got), np.asarray(wanted), f"{row.name} of {target} from {source}")


@pytest.mark.parametrize("number", [2, 2.0])
def test_squares_after_other_powers(number: float) -> None:
    """Squares are products, whatever other powers of such an array are known."""
    x = np.random.default_rng(1).uniform(1, 1e9, 5013)
    array = xarr.asarray(x)
    xarr.synchronize()
    for other in (type(number)(0), type(number)(7)):
        (array**other).tolist()
    assert np.array_equal(np.asarray(array**number), x * x)


@pytest.mark.parametrize("exponent", [0, 1, 2, 2.0, 0.5, 3, 3.0, 1.5, -0.5, -1, -1.5])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_of_scalars(exponent: float, dtype: str) -> None:
    """Exponents that are functions of their own: within 2 ulp, and pow's special values."""
    needs(dtype)
    random = np.random.default_rng(3)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, -1, -2.5, 1, 3e38]
    x = np.concatenate([np.exp(random.uniform(-60, 60, 5000)), special]).astype(dtype)
    found = np.asarray(xarr.to_numpy(xarr.asarray(x) ** exponent))
    if exponent == 2:
        with np.errstate(all="ignore"):
            assert_same(found, x * x, "pow", (x,))
    with np.errstate(all="ignore"):
        exact = np.pow(x.astype(np.longdouble), exponent)
        wanted = exact.astype(dtype)
    count = len(special)
    np.testing.assert_array_equal(found[-count:], wanted[-count:])
    zero = wanted == 0
    np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(wanted[zero]))
    usual = np.isfinite(wanted) & (np.abs(wanted) > np.finfo(dtype).tiny)
    error = np.abs(found[usual] - exact[usual]) / np.spacing(np.abs(wanted[usual]))
    assert error.max() < 2
