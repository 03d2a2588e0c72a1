"""Every row of the table of reductions and scans against NumPy, and the bits between its forms."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pytest

import xarr
from tests import reference
from tests.comparing import RARE, is_on, nightly
from tests.functions.calls import check as check_call, each_line
from tests.launching import change
from tests.reference import Values, assert_near, assert_same
from xarr import dtypes
from xarr.dtypes import BOOL, COMPLEX, INTEGER, REAL, DType
from xarr.ops import elementwise as functions, reduce_scan, reductions
from xarr.ops.reductions import TABLE
from xarr.ops.rows import Reduction
from xarr.tape import builder

pytestmark = pytest.mark.usefixtures("fused", "has_dtype")

EXTREMES = (functions.maximum, functions.minimum)
SCANS = [row for row in TABLE if row.form == "scan"]
WHOLE = [row for row in TABLE if row not in SCANS]
ORDERED = [row for row in WHOLE if row.ordered]
CORRECTED = [row for row in WHOLE if "m2" in row.finish]
FEW = [row for row in TABLE if row.name in ("argmin", "cumulative_sum", "max", "sum", "var")]
"""One row of each structure, for what the others do by the same code."""


def by_name(rows: list[Reduction], usual: Collection[Reduction] = TABLE) -> Callable[[Any], Any]:
    """A parameter `row`; `make nightly` has those that are not usual."""
    given = [row for row in rows if row in usual]
    others = nightly(*(row for row in rows if row not in usual))
    return pytest.mark.parametrize("row", [*given, *others], ids=lambda row: row.name)


ACCEPTED = [(row, dtype) for row in TABLE for dtype in dtypes.TABLE if dtype.kind in row.kinds]


def values(row: Reduction, dtype: DType, shape: tuple[int, ...], seed: int = 0) -> Values:
    """Operands: products near 1, with zeros and ties where they matter."""
    rng = np.random.default_rng(seed)
    size = int(np.prod(shape))
    if dtype.kind in INTEGER:
        low, high = dtypes.integer_bounds(dtype)
        x = rng.integers(max(low, -100), min(high, 100) + 1, size)
        if row.combine is functions.multiply:
            x |= 1
    elif dtype.kind == BOOL:
        x = rng.random(size) < (0.999 if row.name == "all" else 0.5)
    elif row.combine is functions.multiply:
        x = np.exp(rng.standard_normal(size) / 64)
        x = x * np.exp(1j * rng.standard_normal(size)) if dtype.kind == COMPLEX else x
    else:
        x = np.round(rng.standard_normal(size) * 64) / 16 + 0.25 * (rng.random(size) < 0.5)
        x = x + 1j * rng.standard_normal(size) if dtype.kind == COMPLEX else x
    return x.astype(dtype.numpy).reshape(shape)


def apply(row: Reduction, x: Any, **options: Any) -> xarr.Array:
    result: xarr.Array = getattr(xarr, row.name)(x, **options)
    return result


def result_type(row: Reduction, dtype: DType, device: xarr.Device) -> DType:
    default = dtypes.float64 if device.has_float64 else dtypes.float32
    return row.types(dtype, default).result


def check(row: Reduction, x: Values, result: xarr.Array, **options: Any) -> None:
    """Compare with NumPy: bits, or in a wider type with a bound beside what was added up."""
    got = np.asarray(result)
    call = reference.of(row)
    about = f"{row.name} of {x.dtype}{x.shape}, {options}"
    given = dtypes.BY_NUMPY[x.dtype]
    if "dtype" not in options:
        assert got.dtype == result_type(row, given, result.device).numpy, about
    if not reference.is_floating(dtypes.BY_NUMPY[got.dtype]) or row.combine in EXTREMES:
        with np.errstate(all="ignore"):
            assert_same(got, np.asarray(call(x, **options)), about)
        return
    options.pop("dtype", None)
    with np.errstate(all="ignore"):
        wide = x.astype(reference.WIDER["c" if x.dtype.kind == "c" else "f"])
        wanted = np.asarray(call(wide, **options))
        bound = bound_of(row, wide, wanted, got, options)
    assert_near(got, wanted, bound, about)


def bound_of(
    row: Reduction, wide: Values, wanted: Values, got: Values, options: dict[str, Any]
) -> Any:
    """The row's bound in ulp, for the condition of the operation."""
    axes = {name: value for name, value in options.items() if name in ("axis", "keepdims")}
    if row.reference is not None:
        return row.ulp
    if row.combine is functions.add:  # beside what is added up
        scale = np.asarray(reference.of(row)(np.abs(wide), **options), np.longdouble)
        part = got.real.dtype
        unit = np.spacing(np.fmax(np.abs(wanted.real), np.abs(wanted.imag)).astype(part))
        ratio = np.spacing(scale.astype(part)).astype(np.longdouble) / unit
        return row.ulp * np.where(ratio > 1, ratio, np.longdouble(1))
    if row.combine is functions.multiply:  # a random walk of roundings
        return row.ulp + np.sqrt(wide.size)
    spread = np.var(wide, **axes)
    condition = np.sqrt(1 + np.mean(wide, **axes) ** 2 / spread)
    return row.ulp * np.where(spread > 0, condition, 1)


FORMS = (0, 1, None)
"""The axes of a matrix, and a vector: each has kernels of its own."""


def forms_of(row: Reduction, dtype: DType) -> tuple[int | None, ...]:
    """The forms in which a usual run tests a row with a data type: each row and type has all."""
    if dtype.name in RARE:
        return ()
    if dtype.name == "float32":
        return FORMS
    return (FORMS[(TABLE.index(row) + dtypes.TABLE.index(dtype)) % len(FORMS)],)


@pytest.mark.parametrize(
    ("row", "dtype", "axis"),
    [
        pytest.param(
            *(row, dtype, axis),
            id=f"{row.name}-{dtype}-{axis}",
            marks=() if axis in forms_of(row, dtype) else pytest.mark.nightly,
        )
        for row, dtype in ACCEPTED
        for axis in FORMS
    ],
)
def test_values(row: Reduction, dtype: DType, axis: int | None, device: xarr.Device) -> None:
    x = values(row, dtype, (300, 7))
    if axis is None:
        x = x.ravel()
    options = {} if axis is None else {"axis": axis}
    check(row, x, apply(row, xarr.asarray(x), **options), **options)


AXES = (None, 0, 1, 2, -1, -3, (0,), (0, 1), (0, 2), (-1, 1), (2, 0, 1), ())


@pytest.mark.parametrize("option", [False, True])
@by_name(list(TABLE), FEW)
def test_axes(row: Reduction, option: bool, device: xarr.Device) -> None:
    """Along each axis, with `keepdims` or, of a scan, `include_initial`."""
    named = {"include_initial" if row in SCANS else "keepdims": option}
    for shape in ((5, 300, 3), (3, 2, 300)):
        x = values(row, dtypes.float32, shape)
        array = xarr.asarray(x)
        for axis in AXES:
            if isinstance(axis, int) or (row in WHOLE and not (row.ordered and axis is not None)):
                check(row, x, apply(row, array, axis=axis, **named), axis=axis, **named)


SIZES = [1, 63, 64, 65, 255, 256, 257, 512, 16383, 16384, 16385, 65535, 65537, 10**6 + 1]


@pytest.mark.parametrize("size", SIZES)
@by_name(list(TABLE))
def test_sizes(row: Reduction, size: int, device: xarr.Device) -> None:
    x = values(row, dtypes.float32 if row.kinds[-1] != BOOL else dtypes.bool_, (size,), size)
    check(row, x, apply(row, xarr.asarray(x)))


@pytest.mark.parametrize(
    "shape",
    [
        (1, 1), (64, 257), (65, 256), (66, 255), (1025, 3), (3, 1025), (20000, 5), (5, 20000),
        (1, 300),
    ],
    ids=str,
)  # fmt: skip
@by_name(FEW)
def test_sizes_of_matrices(row: Reduction, shape: tuple[int, int], device: xarr.Device) -> None:
    x = values(row, dtypes.float32, shape)
    for axis in (0, 1):
        check(row, x, apply(row, xarr.asarray(x), axis=axis), axis=axis)


def test_many_columns_and_three_passes(device: xarr.Device) -> None:
    row = next(row for row in TABLE if row.name == "sum")
    x = values(row, dtypes.int32, (3, 100_000, 2)).astype(np.int32)
    check(row, x, xarr.asarray(x).sum(axis=1), axis=1)
    x = values(row, dtypes.int8, (16384 * 300,))
    check(row, x, xarr.asarray(x).sum())


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "strided": lambda x: x[::2, ::3, ::2],
    "reversed": lambda x: x[::-1, ::-1, ::-1],
    "transposed": lambda x: x.T,
    "rows and columns exchanged": lambda x: x[3].T,
    "a column": lambda x: x[:, 3, 2],
    "columns": lambda x: x[:, 4:20],
    "broadcast": lambda x: np.broadcast_to(x[:, :1], (6, 30, 20)),
    "broadcast in front": lambda x: np.broadcast_to(x[0, :, :1], (4, 30, 5)),
    "one element": lambda x: x[:1, :1, :1],
}


def with_layouts(names: list[str]) -> Callable[[Any], Any]:
    """A sum and a scan of every layout, and the other rows of `FEW` with a third of them each."""
    return pytest.mark.parametrize(
        ("row", "layout"),
        [
            pytest.param(row, name, id=f"{row.name}-{name}")
            for number, row in enumerate(FEW)
            for place, name in enumerate(names)
            if (row.combine is functions.add and "m2" not in row.finish) or place % 3 == number % 3
        ],
    )


@with_layouts(list(LAYOUTS))
def test_layouts(row: Reduction, layout: str, device: xarr.Device) -> None:
    base = values(row, dtypes.float32, (6, 30, 20))
    x, array = LAYOUTS[layout](base), LAYOUTS[layout](xarr.asarray(base))
    axes = [*range(x.ndim), *([] if row in SCANS else [None])]
    for axis in axes:
        check(row, x, apply(row, array, axis=axis), axis=axis)


@by_name(CORRECTED)
def test_variance_is_stable(row: Reduction, device: xarr.Device) -> None:
    """A mean of 10^4 standard deviations: mean(x*x) - mean(x)**2 has no digit right there."""
    rng = np.random.default_rng(3)
    for shape in ((100_000,), (300, 400)):
        x = (rng.standard_normal(shape) + 1e4).astype(np.float32)
        for axis in (None, 0):
            wanted = reference.of(row)(x.astype(np.longdouble), axis=axis)
            got = np.asarray(apply(row, xarr.asarray(x), axis=axis))
            np.testing.assert_allclose(got, wanted.astype(np.float32), rtol=2e-3)
    constant = xarr.asarray(np.full(100_000, 0.1, np.float32))
    assert float(apply(row, constant)) < 1e-9


@pytest.mark.parametrize("place", [0, 1, 255, 256, 300, 16500, 19_999])
@by_name([row for row in TABLE if REAL in row.kinds and row.name != "count_nonzero"])
def test_nan_and_infinity(row: Reduction, place: int, device: xarr.Device) -> None:
    for special in ([np.nan], [np.inf], [-np.inf], [np.inf, np.nan], [np.inf, -np.inf]):
        x = values(row, dtypes.float32, (20_000,))
        x[place - np.arange(len(special))] = special
        got = np.asarray(apply(row, xarr.asarray(x)))
        with np.errstate(all="ignore"):
            wanted = np.asarray(reference.of(row)(x))
        if row.ordered or row.combine in (*EXTREMES, functions.logical_and, functions.logical_or):
            assert_same(got, wanted, row.name)
        else:
            finite = np.isfinite(wanted)
            np.testing.assert_array_equal(np.where(finite, 0, got), np.where(finite, 0, wanted))
            assert np.isfinite(got[finite]).all()


@by_name(ORDERED)
def test_ties_go_to_the_first(row: Reduction, device: xarr.Device) -> None:
    rng = np.random.default_rng(0)
    for dtype in (np.int8, np.float32, bool):
        for size in (5, 300, 20_000, 70_000):
            x = rng.integers(0, 2, size).astype(dtype)
            check(row, x, apply(row, xarr.asarray(x)))
    x = np.zeros(70_000, np.float32)
    x[500:] = -0.0
    check(row, x, apply(row, xarr.asarray(x)))
    x[[300, 800, 69_000]] = np.nan
    check(row, x, apply(row, xarr.asarray(x)))
    y = rng.integers(0, 3, (50, 40, 30)).astype(np.int16)
    for axis in (None, 0, 1, 2):
        check(row, y, apply(row, xarr.asarray(y), axis=axis), axis=axis)
        turned = xarr.permute_dims(xarr.asarray(y), (2, 0, 1))
        check(row, np.permute_dims(y, (2, 0, 1)), apply(row, turned, axis=axis), axis=axis)


@by_name([row for row in WHOLE if row.combine in EXTREMES])
def test_extremes_of_all_dtypes_reach_the_bounds(row: Reduction, device: xarr.Device) -> None:
    for dtype in dtypes.TABLE:
        if dtype.kind not in row.kinds or not is_on(device, dtype):
            continue
        x = reference.special_values(dtype)
        x = x[x == x]
        got = np.asarray(apply(row, xarr.asarray(x)))
        assert got == reference.of(row)(x), dtype


def expression(x: Any, y: Any) -> Any:
    return (x - y) * 1.5 + x


@with_layouts(["contiguous", *LAYOUTS])
def test_a_fused_operand_gives_the_bits_of_a_stored_one(
    row: Reduction, layout: str, device: xarr.Device
) -> None:
    look = LAYOUTS.get(layout, lambda x: x)
    rng = np.random.default_rng(1)
    x, y = (look(xarr.asarray(rng.standard_normal((6, 30, 20), np.float32))) for _ in range(2))
    stored = expression(x, y)
    np.asarray(stored)
    for axis in [*range(x.ndim), *([] if row in SCANS else [None])]:
        fused = np.asarray(apply(row, expression(x, y), axis=axis))
        assert_same(fused, np.asarray(apply(row, stored, axis=axis)), f"{row.name} along {axis}")
        with xarr.eager():
            eager = np.asarray(apply(row, expression(x, y), axis=axis))
        assert_same(fused, eager, f"{row.name} along {axis}")


BIT_EQUAL = ("sum", "mean", "var", "prod")
LARGE = {None: (10**7,), 0: (30_000, 100), 1: (9, 10**5), 2: (7, 1000, 200)}


def large(dtype: str, axis: int | None) -> Values:
    rng = np.random.default_rng(99)
    return rng.standard_normal(LARGE[axis]).astype(dtype)


def reduced(x: xarr.Array, axis: int | None) -> list[Values]:
    results = [
        np.asarray(getattr(xarr, name)(x, axis=axis)) for name in BIT_EQUAL if name != "prod"
    ]
    near_one = 1 + x / 4096
    return [*results, np.asarray(xarr.prod(near_one, axis=axis))]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", *nightly("float64")])
@pytest.mark.parametrize("axis", LARGE)
def test_lane_and_group_form_have_the_same_bits(
    dtype: str, axis: int | None, device: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not device.info.loop_per_item:
        pytest.skip("the device takes the group form")
    x = xarr.asarray(large(dtype, axis))
    lanes = reduced(x, axis)
    change(monkeypatch, device, kind="gpu")  # which reduces in groups of 256 items
    for name, lane, group in zip(BIT_EQUAL, lanes, reduced(x, axis), strict=True):
        assert_same(lane, group, f"{name} along {axis}")


@by_name(list(TABLE), FEW)
def test_lane_and_group_form_agree_on_small_operands(
    row: Reduction, device: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not device.info.loop_per_item:
        pytest.skip("the device takes the group form")
    change(monkeypatch, device, kind="gpu")  # which reduces in groups of 256 items
    dtype = dtypes.float32
    for shape in ((1,), (65,), (33_000,)):
        x = values(row, dtype, shape)
        check(row, x, apply(row, xarr.asarray(x)))
    x = values(row, dtype, (70, 300))
    for axis in (0, 1):
        check(row, x, apply(row, xarr.asarray(x), axis=axis), axis=axis)


@pytest.mark.parametrize(
    ("name", "dtype", "shape"),
    [
        ("cumulative_sum", "float32", (130, 600)),
        ("cumulative_sum", "float64", (3, 16_384)),
        ("cumulative_sum", "float64", (65, 7)),
        ("cumulative_sum", "complex128", (2, 16_897)),
        ("cumulative_prod", "complex64", (66_000,)),
    ],
)
def test_scans_through_local_memory_have_the_same_bits(
    name: str, dtype: str, shape: tuple[int, ...], device: xarr.Device
) -> None:
    rng = np.random.default_rng(4)
    host = rng.uniform(-1, 1, shape).astype(dtype)
    if dtype == "complex64":
        host = np.exp(1j * np.pi * host).astype(dtype)
    one, other = (
        getattr(xarr, name)(xarr.asarray(host, device=form), axis=-1, include_initial=True)
        for form in (device, device.pretending("as-gpu"))
    )
    assert np.isfinite(np.asarray(one)).all()
    assert_same(np.asarray(one), np.asarray(other), "scan")


@by_name(list(TABLE))
def test_other_arguments_are_refused(row: Reduction) -> None:
    array = xarr.asarray(np.ones((2, 3), np.float32))
    for axis in (2, -3):
        with pytest.raises(IndexError, match=rf"{row.name}\({row.operand}, axis\): axis is {axis}"):
            apply(row, array, axis=axis)
        with pytest.raises(np.exceptions.AxisError):
            reference.of(row)(np.ones((2, 3)), axis=axis)
    with pytest.raises(TypeError, match=r"axis is 1\.5"):
        apply(row, array, axis=1.5)
    with pytest.raises(TypeError, match=rf"{row.operand} is of type str"):
        apply(row, "12")
    if row in SCANS:
        with pytest.raises(ValueError, match="axis is None"):
            apply(row, array)
    elif row.ordered:
        with pytest.raises(TypeError):
            apply(row, array, axis=(0, 1))
    else:
        with pytest.raises(ValueError, match="each axis may be named once"):
            apply(row, array, axis=(0, 0))


def test_a_kernel_that_does_not_compile_names_its_operations(device: xarr.Device) -> None:
    fold = reductions.sum.fold(reductions.sum.types(dtypes.float32, dtypes.float64))
    broken = dataclasses.replace(fold, step="xr_absent(acc, x)")
    product = xarr.asarray(np.ones(300, np.float32)) * 2
    with pytest.raises(xarr.CompileError) as caught:
        builder.compute(reduce_scan.reduce(broken, product._view, (0,)))
    assert caught.value.op.startswith("sum, multiply")
    assert caught.value.dtypes == ("float32",)
    assert "xr_absent" in caught.value.log


CALLS = """
np.{sum|prod|cumsum}(n, dtype=bool)
np.{mean([1, 2.5])|sum(numpy.asarray([1, 2]))|cumsum([1, 2, 3])}
np.cumulative_sum(np.asarray([1, 2]), include_initial={True|2|-99|numpy.int64(3)})
np.sum({x|f}{, axis=0, where=mask|, initial=5})
np.sum({x|f}, axis=(0, 1), dtype="float32", keepdims=True)
np.prod({x|f}, axis=1, where=mask, initial=2)
np.{max({x|f}, axis=0, where=mask, initial=-1)|min({x|f}, initial=-3)}
np.{any|all}({x|f}, axis={0|1}, where=mask, keepdims=True)
np.mean({x|f}{, axis=0, where=mask|, dtype="float32"})
np.mean({x|f}, axis=1, where=mask, keepdims=True, dtype="float64")
np.{var|std}({x|f}{, axis=1, where=mask, ddof=1|, axis=0, dtype="float32"|, where=mask})
np.{var|std}(f, axis={None|0|1}, {ddof|correction}={0|1|2.5})
np.{var|std}(f[0, 0], ddof=1) ! RuntimeWarning: Degrees of freedom
np.{sum|prod|mean|var|std|max|argmin|any|count_nonzero|cumulative_sum}(f[0, 0, ...] + 0)
np.{sum|cumulative_prod}({bytes|mask}, axis=0, dtype={"int8"|"uint64"|"float32"|"complex64"})
np.{sum|cumulative_sum}(np.ones(100_000, "{i1|i2|?}"))
{x|f}.{sum|prod|mean|var|std}(axis=1, where=mask)
{x|f}.{max|min}(axis=0, where=mask, initial=2)
np.{sum|prod|max|min|mean|std|var|ptp}(f, axis=1, out=out[::2][:5])
f.argmax(0, out=index)
f.any(0, out=truth)
np.cumsum(f, 0, None, f)
np.sum(f, 0, None, f[1])
np.mean(f, axis=0, out=index, dtype="int64")
np.sum(bytes, out=one[{0|1}, ...])
np.sum(bytes, out=small[0, ...])
np.sum(f, axis=0, out={out[:5]|out[None, :6]}) ! ValueError: out has shape
np.max(f, 0, True) ! TypeError: of type bool
z.var(axis=1)
z.std(ddof=2)
np.var(f, axis=0, mean=np.mean(f, axis=0, keepdims=True))
np.max(np.zeros((0, 3)), axis=0, initial=4)
np.sum(np.zeros((0, 3)), initial=4)
np.max(np.zeros((0, 3))) ! ValueError: no elements
np.{nanargmax|nanargmin}(w)
np.{nanargmax|nanargmin}(numpy.array([complex(1, numpy.nan)])) ! ValueError: nanarg
np.{max|min}(c, initial={-3|1 - 2j}, where=c.imag > {1|9})
np.sum(None) ! TypeError: is of type NoneType
np.cumsum(n, axis=3) ! AxisError: cumsum(a, axis): axis is 3
np.cumprod("a") ! TypeError: cumprod(a, axis): a is of type str
np.ptp(n, axis=3) ! AxisError: ptp(a, axis): axis is 3
np.ptp(n > 1) ! TypeError: ptp(a, axis): a has dtype bool
np.std(n, correction="a") ! TypeError: std(a, axis, correction): correction is 'a'
"""


@each_line(CALLS)
def test_options_and_out(call: str) -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(-4, 5, (5, 6))
    given = {
        "x": x.astype("int32"), "f": x.astype("float64"),
        "z": rng.standard_normal((4, 5)) * (1 + 2j), "n": np.asarray([0, 3, 0, 1]),
        "mask": rng.random((5, 6)) > 0.3, "out": np.zeros(12), "index": np.zeros(6, dtype="int64"),
        "truth": np.zeros(6, dtype=bool), "bytes": np.asarray([100, 100, 100], dtype="int8"),
        "small": np.zeros(1, dtype="int8"), "one": np.zeros(2, dtype="float32"),
        "c": drawn_complex(300, (0, 1, 2, -1)), "w": drawn_complex(3000, (0, 1, 2, math.nan)),
    }  # fmt: skip
    check_call(call, near=1e-6, **given)


def test_a_mask_costs_no_launch() -> None:
    x, y = xarr.ones((300, 300)) + 0, xarr.ones((300, 300)) + 0
    xarr.synchronize()
    launches = []
    for call in (lambda: xarr.sum(x), lambda: xarr.sum(x, where=y > 0)):
        before = builder.counts.launches
        call()
        xarr.synchronize()
        launches.append(builder.counts.launches - before)
    assert launches[0] == launches[1]


EXTREMES_OF_COMPLEX = ("max", "min", "argmax", "argmin", "nanmax", "nanmin", "ptp")


def drawn_complex(size: int, parts: Sequence[float]) -> Values:
    """Complex numbers with many ties, among them NaN where a part may be."""
    rng = np.random.default_rng(size)
    return np.array(rng.choice(parts, size) + 1j * rng.choice(parts, size))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("name", EXTREMES_OF_COMPLEX)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers_go_by_real_then_imaginary_parts(
    name: str, dtype: str, device: xarr.Device
) -> None:
    for parts in ((0, 1, 2, -1), (0, 1, 2, math.nan), (math.inf, 1, -math.inf)):
        if name == "ptp" and math.inf in parts:
            continue
        x = drawn_complex(3000, parts).astype(dtype)
        for options, part in (({}, x), ({"axis": 0}, x.reshape(60, 50)[:, ::-2])):
            wanted = getattr(np, name)(part, **options)
            got = np.asarray(getattr(xarr, name)(xarr.asarray(part), **options))
            assert got.dtype == wanted.dtype
            # Of several NaN another one may be taken.
            np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted))
            np.testing.assert_array_equal(got[~np.isnan(got)], wanted[~np.isnan(wanted)])


def test_sums_of_negative_zeros() -> None:
    x = xarr.asarray([-0.0, -0.0, 1.0])
    assert np.signbit(np.asarray(xarr.sum(x[:2])))  # NumPy's is 0.0; docs/numpy.md says so
    for where in ([True, True, False], [False] * 3):
        assert not np.signbit(np.asarray(xarr.sum(x, where=xarr.asarray(where))))
        assert not np.signbit(np.sum(np.asarray(x), where=where))
