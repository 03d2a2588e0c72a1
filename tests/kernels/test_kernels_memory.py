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
from tests.launching import change
from tests.reference import Values, assert_same
from tools.oclgrind import CHECKS
from xarr import dtypes, layout
from xarr.array.array import Array
from xarr.dtypes import COMPLEX, SIGNED, DType
from xarr.engine import engine
from xarr.tables import elementwise, random, reductions

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


def is_on(device: xarr.Device, dtype: DType) -> bool:
    return device.has_float64 or dtype not in dtypes.NEEDS_FLOAT64


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
        given = on_device(x)._node
        others = [other for other in dtypes.TABLE if other is not dtype and is_on(form, other)]
        results = [Array(engine.converted(given, other)) for other in others]
        for start in range(0, len(results), 7):
            together = results[start] != 0
            for result in results[start + 1 : start + 7]:
                together = together & (result != 0)
            np.asarray(together)
        for result, other in zip(results, others, strict=True):
            wanted = (x.real if other.kind != COMPLEX else x).astype(other.numpy)
            assert_same(np.asarray(result), wanted, f"{dtype} to {other}")


def walk(x: Values, array: xarr.Array) -> None:
    """One kernel of each kind of walk: linear, rows, several axes, repeated, in place."""
    assert_same(np.asarray(array + 1), x + 1, "linear")
    assert_same(np.asarray(array[::2, ::-1] * 2), x[::2, ::-1] * 2, "rows")
    assert_same(np.asarray(array[:, 1:, ::2] * 2), x[:, 1:, ::2] * 2, "three axes")
    assert_same(np.asarray(array.T - array.T[:1]), x.T - x.T[:1], "repeated")
    assert_same(np.asarray(array[1, 2, ::3] - array[0, 0, 0]), x[1, 2, ::3] - x[0, 0, 0], "scalar")
    x[:, 1:] += x[:, :-1]
    array[:, 1:] += array[:, :-1]
    x[...] = x[::-1]
    array[...] = array[::-1]
    x[0] = 5
    array[0] = 5
    assert_same(np.asarray(array), x, "in place")


@when_checked
def test_walks(form: xarr.Device) -> None:
    for shape in ((3, 4, 5), (1, 3, 300), (300, 3, 1)):
        x = np.arange(np.prod(shape)).reshape(shape).astype(np.float32)
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
    monkeypatch.setattr("xarr.algorithms.passes.PIECE", 300)
    monkeypatch.setattr("xarr.algorithms.passes.SHORT", 4)
    monkeypatch.setattr("xarr.algorithms.passes._COLUMN_PIECE", 4)
    monkeypatch.setattr("xarr.algorithms.passes._COLUMN_ITEMS", 4)
    monkeypatch.setattr("xarr.algorithms.passes._SCAN_PIECE", 4)


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
    given = tuple(array._node for array in parameters[: len(row.parameters)])
    for size in (1, 300) if given else (1, 300, 1500):
        shape = (size, 2) if given else (size,)
        node = row.drawn(shape, 1, 2, form, dtypes.float32, given)
        assert np.asarray(Array(node)).shape == shape
