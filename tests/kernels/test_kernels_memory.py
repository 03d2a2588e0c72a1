"""Every kernel in every form, on tiny operands: for Oclgrind and NVIDIA's compute-sanitizer.

These check each access to memory, each uninitialised value and each pair of items that touch the
same place; here only the results are looked at. See oclgrind.py and sanitizer.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import xarr
from tests import reference
from tests.comparing import is_on
from tests.launching import change
from tests.reference import Values, assert_same
from tools.oclgrind import CHECKS
from xarr import dtypes, layout
from xarr.array.array import Array
from xarr.dtypes import COMPLEX, SIGNED
from xarr.ir.views import View
from xarr.lowering import radix_sort as kernels
from xarr.ops import elementwise, fft, histogram, radix_sort, random, reductions
from xarr.tape import builder

# Elsewhere the other tests have run every kernel already, but for those that are marked otherwise.
when_checked = pytest.mark.skipif(
    CHECKS not in os.environ, reason="no simulator or sanitizer checks; run make check-memory"
)

SAMPLED = ("float32", "int32", "float64", "complex64", "bool", "float16", "uint8")


@pytest.fixture(params=["cpu", "gpu"])
def form(request: pytest.FixtureRequest) -> Iterator[xarr.Device]:
    """The default device, taken for a CPU (chunks, lanes) and for a GPU (groups, elections)."""
    device = xarr.default_device()
    with pytest.MonkeyPatch.context() as patch:
        change(patch, device, kind=request.param)
        yield device


def on_device(values: Any) -> xarr.Array:
    result: xarr.Array = xarr.asarray(np.asarray(values))
    return result


@when_checked
@pytest.mark.parametrize("name", SAMPLED)
@pytest.mark.parametrize("form", ["cpu"], indirect=True)
def test_every_function(name: str, form: xarr.Device) -> None:
    """All rows of a type: results that live on are outputs of one kernel, seven at a time."""
    dtype = dtypes.BY_NAME[name]
    if not is_on(form, dtype):
        pytest.skip(f"{form} has no {dtype}")
    special = reference.special_values(dtype)
    if dtype.kind == COMPLEX:
        special = special[::5]
    x = on_device(special)
    y = on_device(special[::-1].copy())
    powers = on_device(np.abs(special[::-1] // 2)) if dtype.kind == SIGNED else y
    results: list[xarr.Array] = []
    for row in elementwise.TABLE:
        if dtype.kind in row.kinds:
            second = powers if row.name == "pow" else y
            results.append(
                getattr(xarr, row.name)(x, second)
                if row.operands == 2
                else getattr(xarr, row.name)(x)
            )
    for start in range(0, len(results), 7):
        together = results[start] == results[start]
        for result in results[start + 1 : start + 7]:
            together = together | (result == result)
        np.asarray(together)
    for result in results:
        assert np.asarray(result).shape == special.shape


@when_checked
def test_conversions(form: xarr.Device) -> None:
    for dtype in dtypes.TABLE:
        if not is_on(form, dtype):
            continue
        x = np.array([0, 1, 100, 3]).astype(dtype.numpy)
        given = on_device(x)._view
        others = [other for other in dtypes.TABLE if other is not dtype and is_on(form, other)]
        results = [Array(builder.converted(given, other)) for other in others]
        for start in range(0, len(results), 7):
            together = results[start] != 0
            for result in results[start + 1 : start + 7]:
                together = together & (result != 0)
            np.asarray(together)
        for result, other in zip(results, others, strict=True):
            wanted = (x.real if other.kind != COMPLEX else x).astype(other.numpy)
            assert_same(np.asarray(result), wanted, f"{dtype} to {other}")


def around(library: Any, x: Any) -> Any:
    """The sum of neighbours, which come round along one axis or two."""
    return sum(library.roll(x, (i, j), axis=(0, 2)) for i in (-1, 0, 1) for j in (-1, 0, 2))


def walk(x: Values, array: xarr.Array) -> None:
    """One kernel of each kind of walk: linear, rows, several axes, repeated, in place."""
    assert_same(np.asarray(array + 1), x + 1, "linear")
    assert_same(np.asarray(array[::2, ::-1] * 2), x[::2, ::-1] * 2, "rows")
    assert_same(np.asarray(array[:, 1:, ::2] * 2), x[:, 1:, ::2] * 2, "three axes")
    assert_same(np.asarray(array.T - array.T[:1]), x.T - x.T[:1], "repeated")
    assert_same(np.asarray(around(xarr, array)), around(np, x), "comes round")
    assert_same(np.asarray(array[1, 2, ::3] - array[0, 0, 0]), x[1, 2, ::3] - x[0, 0, 0], "scalar")
    x[:, 1:] += x[:, :-1]
    array[:, 1:] += array[:, :-1]
    x[...] = x[::-1]
    array[...] = array[::-1]
    x[0] = 5
    array[0] = 5
    assert_same(np.asarray(array), x, "in place")


@when_checked
@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_walks(dtype: str, form: xarr.Device) -> None:
    for shape in ((3, 4, 5), (1, 3, 300), (300, 3, 1)):
        x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        if shape == (3, 4, 5):
            walk(x, on_device(x))
        else:
            assert_same(np.asarray(on_device(x)[:, ::2] + 1), x[:, ::2] + 1, "rows")


def test_wide_indices(form: xarr.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "WIDE", 1)
    x = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    walk(x, on_device(x))
    y = np.arange(600, dtype=np.int32).reshape(3, 200)
    for axis in (None, 0, 1):
        assert_same(np.asarray(on_device(y).sum(axis=axis)), y.sum(axis=axis), "sum")
    assert_same(np.asarray(xarr.cumulative_sum(on_device(y), axis=1)), y.cumsum(axis=1), "scan")


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces small enough that few elements take several passes."""
    monkeypatch.setattr("xarr.lowering.cuts.PIECE", 300)
    monkeypatch.setattr("xarr.lowering.cuts.SHORT", 4)
    monkeypatch.setattr("xarr.lowering.cuts.COLUMN_PIECE", 4)
    monkeypatch.setattr("xarr.lowering.cuts._COLUMN_ITEMS", 4)
    monkeypatch.setattr("xarr.lowering.reduce_scan.SCAN_PIECE", 4)


ROWS = {row.name: row for row in reductions.TABLE}


@when_checked
@pytest.mark.parametrize("name", ROWS)
def test_every_reduction(name: str, form: xarr.Device, small_pieces: None) -> None:
    row = ROWS[name]
    for dtype in (dtypes.float32, dtypes.int32, dtypes.complex64, dtypes.bool_):
        if dtype.kind not in row.kinds:
            continue
        x = (np.arange(2 * 70) % 3).astype(dtype.numpy).reshape(2, 70)
        for axis in (0, 1):
            got = np.asarray(getattr(xarr, name)(on_device(x), axis=axis))
            wanted = getattr(np, name)(x, axis=axis)
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)
    if form.kind == "gpu" and name not in ("sum", "var", "argmax", "cumulative_sum"):
        return
    y = (np.arange(700) % 5 == 0).astype(np.float32 if row.kinds[-1] != dtypes.BOOL else bool)
    got = np.asarray(getattr(xarr, name)(on_device(y)))
    np.testing.assert_allclose(got, getattr(np, name)(y), rtol=1e-5, atol=1e-6)


def test_reductions_of_expressions_and_views(form: xarr.Device, small_pieces: None) -> None:
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    array = on_device(x)
    kept = array * 2
    assert float(((array - 1) ** 2).sum()) == ((x - 1) ** 2).sum()
    assert_same(np.asarray(kept.sum(axis=0)), (x * 2).sum(axis=0), "sum")
    assert_same(np.asarray(kept), x * 2, "kept")
    assert_same(
        np.asarray(array[::-2, 1::2].sum(axis=1)), x[::-2, 1::2].sum(axis=1), "sum of a view"
    )
    assert_same(np.asarray(xarr.max(array.T, axis=(0, 1))), np.max(x.T, axis=(0, 1)), "max")
    scan = xarr.cumulative_sum(array[:, ::2] + 1, axis=0, include_initial=True)
    wanted = np.cumulative_sum(x[:, ::2] + 1, axis=0, include_initial=True)
    assert_same(np.asarray(scan), wanted, "scan")
    weights = np.arange(60, dtype=np.float32).reshape(3, 20)
    pairs = (array[:3, None, :3] - array[0, :3]) * (on_device(weights) * 2 + 1)[:, :, None]
    wanted = ((x[:3, None, :3] - x[0, :3]) * (weights * 2 + 1)[:, :, None]).sum(axis=1)
    assert_same(np.asarray(pairs.sum(axis=1)), wanted, "columns")


@when_checked
def test_gathers_and_scatters(form: xarr.Device) -> None:
    x = np.arange(20, dtype=np.float32).reshape(4, 5)
    array = on_device(x)
    rows, columns = np.array([3, 0, -1, 3]), np.array([1, 1, -5, 1])
    mask = x % 3 == 1
    keys = (rows, (rows, columns), (slice(None), columns), (slice(1, 3), columns[:2]), mask)
    for key in keys:
        alike = tuple(map(_uploaded, key)) if isinstance(key, tuple) else _uploaded(key)
        assert_same(np.asarray(array[alike]), x[key], "gather")
        value = -np.arange(x[key].size, dtype=np.float32).reshape(x[key].shape)
        x[key] = value
        array[alike] = on_device(value)
        assert_same(np.asarray(array), x, "scatter")
    for got, wanted in zip(xarr.nonzero(array), np.nonzero(x), strict=True):
        assert_same(np.asarray(got), wanted, "nonzero")
    index = on_device(np.argmax(x, axis=1, keepdims=True))
    wanted = np.take_along_axis(x, np.argmax(x, axis=1, keepdims=True), axis=1)
    assert_same(np.asarray(xarr.take_along_axis(array, index, axis=1)), wanted, "take_along_axis")
    assert_same(np.asarray(xarr.where(array > 3, array, 0)), np.where(x > 3, x, 0), "where")


def _uploaded(key: Any) -> Any:
    return on_device(key) if isinstance(key, np.ndarray) else key


@when_checked
@pytest.mark.parametrize("name", random.BY_NAME)
def test_every_draw(name: str, form: xarr.Device) -> None:
    row = random.BY_NAME[name]
    parameters = [on_device(np.full(2, value, np.float32)) for value in (3.0, 4.0, 5.0)]
    given = tuple(array._view for array in parameters[: len(row.parameters)])
    for size in (1, 300) if given else (1, 300, 1500):
        shape = (size, 2) if given else (size,)
        view = row.drawn(shape, 1, 2, form, dtypes.float32, given)
        assert np.asarray(Array(view)).shape == shape


@when_checked
@pytest.mark.parametrize("options", [(), ("as-gpu",)], ids=str)
@pytest.mark.parametrize("number", [3, 5000])
@pytest.mark.parametrize("size", [1500, 2600])  # a GPU walks few, and sorts many
def test_counts_and_sums(number: int, size: int, options: tuple[str, ...]) -> None:
    with xarr.device(xarr.default_device().pretending(*options)):
        bins = np.arange(size) * 37 % 7 - 1
        bins[:1100] = 1  # more than are summed in one piece
        weights = np.arange(size, dtype=np.float32) % 64
        inside = (bins >= 0) & (bins < number)
        x, w = xarr.asarray(bins), xarr.asarray(weights)
        got = np.asarray(Array(histogram.counts(x._view, number)))
        np.testing.assert_array_equal(got, np.bincount(bins[inside], minlength=number))
        wanted = np.bincount(bins[inside], weights[inside], minlength=number)
        last = xarr.asarray(np.concat([weights[:5], weights]))[5:]  # to the end of its memory
        for values in (w, last):
            got = np.asarray(Array(histogram.sums(x._view, values._view, number)))
            np.testing.assert_array_equal(got, wanted.astype(np.float32))
        counts, _ = xarr.histogram(x, 5, (0, 5))
        np.testing.assert_array_equal(np.asarray(counts), np.histogram(bins, 5, (0, 5))[0])


TURNED = """
KERNEL void turned(GLOBAL i32 *x, GLOBAL const i32 *y, const i32 n)
{
    LOCAL i32 tile[8];
    const i32 k = (i32)LOCAL_ID(0);
    const i64 i = GLOBAL_ID(0);
    tile[k] = i < n ? y[i] : 0;
    BARRIER();
    if (i < n) {
        x[i] += tile[7 - k];
    }
}
"""


@when_checked
@pytest.mark.parametrize("options", [(), ("as-gpu",)], ids=str)
def test_own_kernels(options: tuple[str, ...]) -> None:
    """Fused, indexed, reduced and raw, of views, and into views of what they read."""
    with xarr.device(xarr.default_device().pretending(*options)):
        x = np.arange(600, dtype=np.int32).reshape(3, 200) % 17
        a = on_device(x)
        parts = xarr.ElementwiseKernel(
            "T x, T y", "T more, T less", "more = f(x) + y * i; less = x - _ind.size()",
            preamble="T f(T x) { return 2 * x; }",
        )  # fmt: skip
        more, less = parts(a[:, ::-2], a[:1, :100])
        places = np.arange(300).reshape(3, 100)
        np.testing.assert_array_equal(np.asarray(more), 2 * x[:, ::-2] + x[:1, :100] * places)
        np.testing.assert_array_equal(np.asarray(less), x[:, ::-2] - 300)
        kept = xarr.ElementwiseKernel("T x, T y", "T z", "if (x > y) z = x; z += 1", "kept")
        kept(a[:, :-1], 5, a[:, 1:])
        x[:, 1:] = np.where(x[:, :-1] > 5, x[:, :-1], x[:, 1:]) + 1
        np.testing.assert_array_equal(np.asarray(a), x)
        mirrored = xarr.ElementwiseKernel(
            "T x, raw T y", "T z", "z = x + y[y.size() - 1 - i % y.size()] * y.shape()[1]", "mirror"
        )
        mirrored(a, a[:2], a)
        x += x[:2].ravel()[::-1][np.arange(600) % 400].reshape(3, 200) * 200
        np.testing.assert_array_equal(np.asarray(a), x)
        total = xarr.ReductionKernel("T x", "T y", "x % 7", "a + b", "y = a", 0, "total")
        for axis in (0, 1, None):
            np.testing.assert_array_equal(np.asarray(total(a, axis=axis)), (x % 7).sum(axis))
        turned = xarr.RawKernel(TURNED, "turned")
        turned((13,), (8,), (a[1, :100], a[2, 100:], 100))
        tiles = np.zeros(104, np.int32)
        tiles[:100] = x[2, 100:]
        x[1, :100] += tiles.reshape(13, 8)[:, ::-1].ravel()[:100]
        np.testing.assert_array_equal(np.asarray(a), x)


@pytest.fixture
def tiny_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups so small that few elements take several tiles and pieces."""
    monkeypatch.setattr(kernels, "_GROUPS", (16,))
    monkeypatch.setattr(xarr.default_device(), "kernels", {})
    monkeypatch.setattr(xarr.default_device(), "programs", {})


@when_checked
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("bool", (2, 241)), ("int16", (2, 5)), ("int16", (2, 241)), ("float32", (2, 5)),
        ("float32", (1, 500)), ("float64", (2, 241)), ("complex64", (2, 5)),
        ("complex64", (2, 241)),
    ],
)  # fmt: skip
def test_sorts(name: str, shape: tuple[int, int], tiny_groups: None) -> None:
    dtype = dtypes.BY_NAME[name]
    if dtype in dtypes.NEEDS_FLOAT64 and not xarr.default_device().has_float64:
        pytest.skip(f"the device has no {dtype}")
    x = (np.arange(np.prod(shape)) * 37 % 101 - 50).astype(dtype.numpy).reshape(shape)
    wanted = np.argsort(x, axis=1, kind="stable")
    last = on_device(np.concat([x[::-1], x]))[shape[0] :]  # to the end of its memory
    for view in (on_device(x)._view, last._view):
        got = radix_sort.argsort(view, 1)
        np.testing.assert_array_equal(np.asarray(Array(got)), wanted)
        got = radix_sort.sort(view, 1)
        np.testing.assert_array_equal(np.asarray(Array(got)), np.take_along_axis(x, wanted, 1))


@when_checked
@pytest.mark.parametrize("length", [3, 256, 600])
def test_segments(form: xarr.Device, length: int) -> None:
    values = (np.arange(length) % 5).astype(np.float32)
    begins = np.arange(0, length, 7)
    x = on_device(values)
    assert_same(np.asarray(xarr.add.reduceat(x, begins)), np.add.reduceat(values, begins), "sums")
    y, wanted = xarr.zeros(9, dtype="float32"), np.zeros(9, np.float32)
    xarr.add.at(y, np.arange(length) % 9, x)
    np.add.at(wanted, np.arange(length) % 9, values)
    assert_same(np.asarray(y), wanted, "changed")
    counts = xarr.zeros(9, dtype="int64")
    xarr.add.at(counts, np.arange(length) % 9, np.full(length, (1 << 32) - 1))
    wanted = np.bincount(np.arange(length) % 9, minlength=9) * ((1 << 32) - 1)
    assert_same(np.asarray(counts), wanted, "integers")


@when_checked
def test_long_rows(tiny_groups: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_LONG", 1)
    x = np.arange(300, dtype=np.uint8)[::-1].copy()
    got = np.asarray(Array(radix_sort.argsort(on_device(x)._view, 0)))
    np.testing.assert_array_equal(got, np.argsort(x, kind="stable"))


@when_checked
@pytest.mark.parametrize("name", ["float32", "complex64"])
@pytest.mark.parametrize("options", [(), ("as-gpu",)], ids=str)
def test_searches(name: str, options: tuple[str, ...], tiny_groups: None) -> None:
    x = np.arange(0, 40, 2).astype(name)
    values = np.arange(-1, 41).astype(name)
    with xarr.device(xarr.default_device().pretending(*options)):
        for right in (False, True):
            wanted = np.searchsorted(x, values, "right" if right else "left")
            got = radix_sort.searchsorted(on_device(x)._view, on_device(values)._view, right=right)
            np.testing.assert_array_equal(np.asarray(Array(got)), wanted)
            backwards = on_device(np.arange(20)[::-1].copy())._view
            got = radix_sort.searchsorted(
                on_device(x[::-1].copy())._view,
                on_device(values)._view,
                right=right,
                sorter=backwards,
            )
            np.testing.assert_array_equal(np.asarray(Array(got)), wanted)


@pytest.fixture
def small_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits so small that short lines take several passes and tiles hold few columns."""
    monkeypatch.setattr("xarr.lowering.fft._TILE_NBYTES", 256)
    monkeypatch.setattr("xarr.lowering.fft._LONGEST_COLUMN", 8)
    monkeypatch.setattr("xarr.lowering.fft._LONGEST_PASS", 8)
    monkeypatch.setattr(xarr.default_device(), "kernels", {})
    monkeypatch.setattr(xarr.default_device(), "programs", {})


def near(ours: View, wanted: Values) -> None:
    np.testing.assert_allclose(np.asarray(Array(ours)), wanted, rtol=1e-4, atol=1e-4)


@when_checked
@pytest.mark.parametrize("length", [1, 2, 5, 6, 7, 11, 30, 64, 72])
def test_complex_lines(length: int, small_passes: None) -> None:
    for shape, axis in (((3, length), 1), ((length, 3), 0)):
        values = (np.arange(3 * length) % 7 - 3j).reshape(shape).astype(np.complex64)
        given = on_device(values)._view
        near(fft.fft(given, axis, inverse=False, scale=1.0), np.fft.fft(values, axis=axis))
        near(fft.fft(given, axis, inverse=True, scale=1 / length), np.fft.ifft(values, axis=axis))


@when_checked
@pytest.mark.parametrize("length", [17, 256, 300, 1025])
def test_rows(form: xarr.Device, length: int) -> None:
    values = (np.arange(11 * length) % 7).reshape(11, length).astype(np.float32)
    x = on_device(values)
    e = xarr.exp(x - x.max(axis=1, keepdims=True))
    shares = e / e.sum(axis=1, keepdims=True)
    del e
    assert_same(np.round(np.asarray(shares.sum(axis=1)), 4), np.ones(11, "float32"), "softmax")
    centred = (x - x.mean(axis=1, keepdims=True)) / (1 + x.var(axis=1, keepdims=True))
    wanted = (values - values.mean(1, keepdims=True)) / (1 + values.var(1, keepdims=True))
    np.testing.assert_allclose(np.asarray(centred), wanted, rtol=1e-4, atol=1e-5)
    most = x.max(axis=1)
    total = most + xarr.log(xarr.exp(x - most[:, None]).sum(axis=1))
    wanted = np.log(np.exp(values).sum(1))
    np.testing.assert_allclose(np.asarray(total), wanted, rtol=1e-4)


@when_checked
@pytest.mark.parametrize("length", [1, 2, 9, 12, 22, 64, 100])
def test_real_lines(length: int, small_passes: None) -> None:
    for shape, axis in (((3, length), 1), ((length, 2), 0)):
        values = (np.arange(np.prod(shape)) % 7).reshape(shape).astype(np.float32)
        spectrum = np.fft.rfft(values, axis=axis).astype(np.complex64)
        near(fft.rfft(on_device(values)._view, axis, scale=1.0), spectrum)
        near(fft.irfft(on_device(spectrum)._view, axis, length, scale=1 / length), values)


@when_checked
def test_transforms_of_expressions_and_views(small_passes: None) -> None:
    values = (np.arange(60) % 11).reshape(3, 20).astype(np.complex64)
    x = xarr.asarray(values)
    kept = x * 2
    near(fft.fft(kept._view, 1, inverse=False, scale=1.0), np.fft.fft(values * 2))
    np.testing.assert_array_equal(np.asarray(kept), values * 2)
    seen = values[::2, ::-3]
    near(fft.fft(x[::2, ::-3]._view, 1, inverse=False, scale=1.0), np.fft.fft(seen))
    near(fft.fft(x.T._view, 0, inverse=False, scale=1.0), np.fft.fft(values.T, axis=0))
