"""Sorting, searching and sets, by the host's library and by the kernels, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr
from tests.comparing import needs
from tests.functions.calls import check, each
from tests.reference import Values, assert_same, stable_order
from xarr import tuning

pytestmark = pytest.mark.usefixtures("each_tier")


def values(name: str) -> Values:
    rng = np.random.default_rng(3)
    if name == "float32":
        drawn = rng.integers(-40, 40, (50, 30)).astype(np.float32)
        drawn[::7, ::3] = -0.0
        drawn[::11, ::5] = np.nan
        drawn[1, 1], drawn[2, 2] = np.inf, -np.inf
        return drawn
    if name == "complex64 with NaN":
        parts = rng.choice(np.asarray([0.0, -0.0, 1, -2, np.nan, -np.nan, np.inf], "f4"), (50, 60))
        return np.asarray(parts.view("complex64"))
    return rng.integers(-40, 40, (50, 30)).astype(name)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("name", ["float32", "int16", "complex64 with NaN"])
def test_sort_and_argsort(name: str, axis: int | None, descending: bool, form: xarr.Device) -> None:
    host = values(name)
    x = xarr.asarray(host)
    flat, place = (host.ravel(), 0) if axis is None else (host, axis)
    order = stable_order(flat, place, descending=descending)
    assert_same(np.asarray(xarr.argsort(x, axis=axis, descending=descending)), order, "argsort")
    wanted = np.take_along_axis(flat, order, axis=place)
    assert_same(np.asarray(xarr.sort(x, axis=axis, descending=descending)), wanted, "sort")
    assert_same(np.asarray(x), host, "the operand")


CALLS = """
f[::2, ::-1].sort(axis=0, stable=True)
np.searchsorted(np.sort(f.ravel()), w, side={"left"|"right"})
np.searchsorted(f.ravel(), w, side={"left"|"right"}, sorter=np.argsort(f.ravel(), stable=True))
np.searchsorted(np.asarray([1, 3, 5]), 3, side={"left"|"right"})
np.{unique_all|unique_counts}({f|i|z|b})
np.unique_inverse({i|z|b})
np.sort(np.unique_values({f|i|b}))
np.isin(f, {w|w[:, :0]|[3, -0.0]}{|, invert=True})
np.isin(np.asarray([1, 3]), 3)
np.{sort|argsort|unique_counts}(np.ones({0|(3, 0)|(0, 3)|(1, 1)}, "f4"))
np.stack([np.{sort|argsort}(row, stable=True) for row in f[:4]])
"""


@each(CALLS)
def test_as_numpy(call: str, form: xarr.Device) -> None:
    given = dict(zip("fizb", map(values, ("float32", "int16", "complex64", "bool")), strict=True))
    check(call, w=np.asarray([[-41, -40, 0, 0.5], [39, 40, np.nan, np.inf]], np.float32), **given)


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "complex64"])
def test_of_two_zeros_the_first_stands(name: str, form: xarr.Device) -> None:
    needs(name)
    draw = np.random.default_rng(1)
    host = draw.choice([0.0, -0.0, 1, 2, -1], 50).astype(name)
    if name == "complex64":
        host.imag = draw.choice([0.0, -0.0, 3], 50)
    _, first = np.unique(host, return_index=True)
    x = xarr.asarray(host)
    for values in (xarr.unique_values(x), xarr.unique_counts(x).values, xarr.unique_all(x).values):
        assert np.asarray(values).tobytes() == host[first].tobytes()
    rows = host.reshape(25, 2)
    _, first = np.unique(rows, axis=0, return_index=True)
    distinct = xarr.unique(xarr.asarray(rows), axis=0)
    assert np.asarray(distinct).tobytes() == rows[first].tobytes()


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("name", ["float32", "float64", "int32", "uint32", "int64", "uint64"])
def test_indices_of_equal_elements_ascend(
    name: str, descending: bool, form: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs(name)
    monkeypatch.setattr(tuning, "PACKED", 2)
    if name.startswith("float"):
        some = [0.0, -0.0, 1, -1, np.nan, -np.nan, np.inf, -np.inf, 1e-40]
    else:
        bounds = np.iinfo(name)
        some = [bounds.min, bounds.max, bounds.max // 2, 0, 1, bounds.max // 2 + 1]
    rng = np.random.default_rng(2)
    for given in (some, some[:3], [3, 4, 5]):
        host = np.asarray(given, name)[rng.integers(0, len(given), (3, 60, 2))]
        found = np.asarray(xarr.argsort(xarr.asarray(host), axis=1, descending=descending))
        assert_same(found, stable_order(host, 1, descending=descending), "argsort")


@pytest.mark.parametrize("descending", [False, True])
def test_many_elements_of_float16(device: xarr.Device, descending: bool) -> None:
    """NumPy's own unstable sort of them (2.4, with AVX-512) is wrong."""
    host = np.random.default_rng(0).choice(np.asarray([2, 1, 0.0, -0.0, -1, -2], "float16"), 5000)
    x = xarr.asarray(host)
    order = np.argsort(-host if descending else host, kind="stable")
    assert_same(np.asarray(xarr.sort(x, descending=descending)), host[order], "sort")
    assert xarr.unique_values(x).tolist() == [-2, -1, 0, 1, 2]
    assert xarr.unique_counts(x).counts.sum() == 5000
    every = xarr.unique_all(x)
    assert_same(
        np.asarray(every.values[every.inverse_indices] == x), np.full(5000, True), "inverse"
    )
    assert bool(
        xarr.isin(x, xarr.asarray([2, -2], dtype="float16")).sum() == (abs(host) == 2).sum()
    )


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_more_axes_than_numpy_sorts(axis: int, descending: bool, form: xarr.Device) -> None:
    host = np.random.default_rng(1).integers(0, 9, (3, 4, 5)).astype(np.float32)
    x = xarr.asarray(host[:, :, ::-1])[:, :, ::-1]
    many = x.reshape((3, *(1,) * 19, 4, *(1,) * 18, 5))
    place = {0: 0, 1: 20, -1: -1}[axis]
    for function in (xarr.sort, xarr.argsort):
        wanted = function(x, axis=axis, descending=descending)
        got = function(many, axis=place, descending=descending)
        assert got.shape == many.shape
        assert_same(np.asarray(got).reshape(host.shape), np.asarray(wanted), function.__name__)


def test_python_numbers_beside_integers_on_a_device_without_float64(form: xarr.Device) -> None:
    with xarr.device(form.pretending("no-float64")):
        x = xarr.asarray([1, 2, 3])
        assert xarr.isin(x, 2.0).tolist() == [False, True, False]
        assert xarr.isin(2.5, x).tolist() is False
        assert int(xarr.searchsorted(x, 2.5)) == 2
        chosen = xarr.where(x > 1, x, 0.5)
        assert chosen.tolist() == [0.5, 2, 3]
        assert chosen.dtype == np.float32
        y = xarr.ones(3, dtype="float32")
        for call in (
            lambda: x + y,
            lambda: xarr.isin(x, y),
            lambda: xarr.searchsorted(x, y),
            lambda: xarr.where(x > 1, x, y),
            lambda: xarr.concat([x, y]),
        ):
            with pytest.raises(TypeError, match=r"promote to float64, which .* does not have"):
                call()


ERRORS = """
np.sort(x, axis=1) ! AxisError: axis is 1
np.searchsorted(x, x, side="middle") ! ValueError: side is 'middle'
np.searchsorted(x[None], x) ! ValueError: one-dimensional
np.searchsorted(x, x, sorter=np.zeros(3)) ! TypeError: integer dtype
np.searchsorted(x[:0], x)
np.searchsorted(x, x[:0])
np.sort("a") ! TypeError: is of type str
np.isin(x, "a") ! TypeError: isin(element, test_elements): test_elements is of type str
np.searchsorted(x, "a") ! TypeError: searchsorted(a, v): v is of type str
np.searchsorted(x, 1, sorter=x) ! IndexError: searchsorted(a, v): index 3 is out of bounds
np.where("a", 1, x) ! TypeError: where(condition, x1, x2): condition is of type str
np.where(x > 1, "a", x) ! TypeError: where(condition, x1, x2): x1 is of type str
np.where(x > 1, x) ! ValueError: where(condition, x1, x2): one of x1 and x2 is missing
"""


@each(ERRORS)
def test_what_is_refused(call: str, form: xarr.Device) -> None:
    check(call, x=np.asarray([3, 1, 2]))


@pytest.mark.parametrize("share", [0.02, 0.7])
def test_elements_that_agree_in_their_leading_bits(
    share: float, form: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("float64")
    monkeypatch.setattr(tuning, "PACKED", 2)
    rng = np.random.default_rng(8)
    near = 1 + rng.integers(0, 4, (3, 500, 2)) * 2.0**-52
    host = np.where(rng.random(near.shape) < share, near, rng.standard_normal(near.shape))
    for x in (host, host.view("int64"), host.view("uint64"), near):
        found = np.asarray(xarr.argsort(xarr.asarray(x), axis=1))
        assert_same(found, np.argsort(x, axis=1, kind="stable"), "argsort")


@pytest.mark.parametrize("kth", [0, -1, 7, (3, 20), tuple(range(130))])
@pytest.mark.parametrize("name", ["float16", "float32", "int8", "uint32", "bool"])
def test_indices_ascend_on_each_side_of_the_kth(
    name: str, kth: Any, form: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs(name)
    monkeypatch.setattr(tuning, "HOST_BLOCK", 100)
    rng = np.random.default_rng(4)
    some: list[float] = [0, 1] if name == "bool" else [0, 1, 3, 7, 9]
    if name.startswith("float"):
        some += [-0.0, np.nan, np.inf, -1]
    host = np.asarray(some, name)[rng.integers(0, len(some), (160, 7))]
    for x, axis in ((host, 0), (host.reshape(-1), 0), (host.T, -1)):
        numbers = np.nan_to_num(x.astype("float32"), nan=2e38, posinf=1e38)
        sides: Any = 0
        for place in {place % x.shape[axis] for place in np.atleast_1d(kth)}:
            pivots = np.take(np.sort(numbers, axis), [place], axis)
            sides = sides + (numbers >= pivots).astype(int) + (numbers > pivots)
        found = np.asarray(xarr.argpartition(xarr.asarray(x), kth, axis))
        assert_same(found, np.argsort(sides, axis, kind="stable"), "argpartition")


def test_each_nan_is_found_at_its_own_place(form: xarr.Device) -> None:
    rng = np.random.default_rng(6)
    host = np.where(rng.random(3000) < 0.2, np.nan, rng.integers(0, 50, 3000))
    _, _, wanted = np.unique(host, return_index=True, return_inverse=True, equal_nan=False)
    options: Any = {"return_inverse": True, "equal_nan": False}
    assert_same(np.asarray(xarr.unique(xarr.asarray(host), **options)[1]), wanted, "unique")
    assert_same(np.asarray(xarr.unique_inverse(xarr.asarray(host))[1]), wanted, "unique_inverse")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint64"])
@pytest.mark.parametrize("name", ["argmax", "argmin", "nanargmax", "nanargmin"])
def test_the_first_extreme_of_equal_ones_is_found(name: str, dtype: str, form: xarr.Device) -> None:
    rng = np.random.default_rng(7)
    host = rng.integers(0, 4, (5, 70_000)).astype(dtype)
    if dtype.startswith("float"):
        host[host == 0] = rng.choice([0.0, -0.0], (host == 0).sum())
        host[1:3, 40_000::9_001] = np.nan
        host[2, 300] = np.nan
    function, numpys = getattr(xarr, name), getattr(np, name)
    x = xarr.asarray(host)
    for axis in (None, 0, 1):
        assert_same(np.asarray(function(x, axis=axis)), numpys(host, axis=axis), name)
    assert_same(np.asarray(function(x[:, ::-3], axis=1)), numpys(host[:, ::-3], axis=1), name)


@each("np.{unique_all(x)|unique_inverse(x)|{intersect1d|setdiff1d|setxor1d|union1d|isin}(x, y)}")
def test_sets_wait_for_a_gpu_once(call: str) -> None:
    with xarr.device(xarr.default_device().pretending("as-gpu")):
        x, y = (xarr.asarray(np.arange(500) % modulus) for modulus in (70, 90))
        with xarr.profile() as profiled:
            eval(call, {"np": xarr, "x": x, "y": y})
            xarr.synchronize()
    read = [line for line in str(profiled).splitlines() if line.endswith("to the host")]
    assert [int(line.split()[0]) for line in read] == ([] if "isin" in call else [1])


NAN = np.nan
SETS: list[Any] = [
    *(([], []), ([], [2, 1, 2]), ([2, 1, 2], []), ([1], [1]), ([3, 1, 3, 2], [2, 2, 5])),
    *(([NAN, 1, NAN], [NAN, 2]), ([0.0, -0.0, 1], [1, 4]), ([-0.0, 2], [3, 0.0, 2, 3])),
]


@pytest.mark.parametrize(("first", "second"), SETS, ids=str)
@pytest.mark.parametrize("name", ["intersect1d", "setdiff1d", "setxor1d", "union1d"])
def test_sets_on_a_gpu(name: str, first: list[float], second: list[float]) -> None:
    x, y = np.asarray(first), np.asarray(second)
    wanted = getattr(np, name)(x, y)
    with xarr.device(xarr.default_device().pretending("as-gpu")):
        found = np.asarray(getattr(xarr, name)(xarr.asarray(x), xarr.asarray(y)))
    assert_same(found + 0, wanted + 0, name)


def same(got: xarr.Array, wanted: Values) -> None:
    assert_same(np.array(got), wanted, "it")


@pytest.mark.parametrize("size", [1, 65536, 200_000])
@pytest.mark.parametrize("name", ["float32", "float64", "int32", "float16", "bool"])
def test_an_array_is_sorted_where_it_is(name: str, size: int, device: xarr.Device) -> None:
    if device.no_float64 and name == "float64":
        pytest.skip(f"{device} has no float64")
    host = np.random.default_rng(size).integers(-50, 50, size).astype(name)
    if name.startswith("float"):
        host[::3], host[::7], host[::11] = 0.0, -0.0, np.nan
    wanted = np.sort(host, kind="stable")
    x = xarr.asarray(host, device=device)
    before, whole, pending = x + x, x[:], xarr.asarray(host, device=device) * x
    x.sort()
    same(x, wanted)
    same(whole, wanted)
    same(before, host + host)
    same(pending, host * host)
    x = xarr.asarray(host, device=device) + xarr.asarray(np.zeros(1, name), device=device)
    part = x[::-2]
    part.sort()
    plain = host + np.zeros(1, name)
    plain[::-2].sort(kind="stable")
    same(x, plain)
    lent = np.asarray(x)
    x.sort()
    same(x, np.sort(plain, kind="stable"))
    if device.info.host_addressable:
        same(xarr.asarray(lent), np.sort(plain, kind="stable"))  # it is the same memory
    table = host[: size // 5 * 5].reshape(5, -1)
    rows = xarr.asarray(table, device=device)
    for axis in (0, 1):
        rows.sort(axis=axis)
        table = np.sort(table, axis, "stable")
        same(rows, table)


@pytest.mark.parametrize("name", ["uint8", "int16", "int64", "uint64"])
def test_integers_are_unique_once(name: str, device: xarr.Device) -> None:
    draw = np.random.default_rng(1)
    for size, top in ((0, 9), (1, 9), (1000, 3), (70_000, 250), (70_000, 1 << 15)):
        host = draw.integers(0, min(top, np.iinfo(name).max), size).astype(name)
        for given in (host, host[::-3], host[: size // 2 * 2].reshape(-1, 2).T):
            same(xarr.unique(xarr.asarray(given, device=device)), np.unique(given))
