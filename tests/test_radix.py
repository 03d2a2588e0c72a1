"""The sorting kernels against NumPy's stable sorts: the same order, and the very bits."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import xarr
from xarr import dtypes, engine, layout, radix, source
from xarr.array import Array
from xarr.dtypes import COMPLEX, FLOATING, DType
from xarr.expression import Node, constant, leaf

from . import reference
from .conftest import DEVICES
from .nvrtc import compile_cuda

Values = npt.NDArray[Any]

FORMS = [DEVICES[0], DEVICES[0].pretending("as-gpu")]
TYPES = [row for row in dtypes.TABLE if DEVICES[0].has_float64 or row not in dtypes.NEEDS_FLOAT64]
TILE = 64 * 15
"""The elements of a tile with `small_tiles`, and of a row that few items sort."""


@pytest.fixture(params=FORMS, ids=str)
def form(request: pytest.FixtureRequest) -> Iterator[xarr.Device]:
    with xarr.device(request.param) as chosen:
        yield chosen


@pytest.fixture
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of one size, whose tiles are small enough that a few thousand elements take many."""
    monkeypatch.setattr(radix, "_GROUPS", (64,))


def examples(dtype: DType, count: int, seed: int = 0) -> Values:
    """Special values, values that occur often, and any bits: all NaNs, subnormal numbers."""
    chance = np.random.default_rng(seed)
    often = chance.integers(0, 5, count).astype(dtype.numpy)
    if dtype is dtypes.bool_:
        return chance.integers(0, 2, count).astype(bool)
    special = reference.special_values(dtype)
    special = special[chance.integers(0, len(special), count)]
    anything = np.frombuffer(chance.bytes(count * dtype.itemsize), dtype.numpy)
    which = chance.integers(0, 3, count)
    return np.choose(which, [often, special, anything]) if count else often


def order(x: Values, axis: int, *, descending: bool) -> Values:
    """The stable order; the descending one is the reverse of the reversed, so stable as well."""
    if not descending:
        return np.asarray(np.argsort(x, axis=axis, kind="stable"))
    reverse = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
    return np.asarray(x.shape[axis] - 1 - reverse)


def raw(x: Values) -> Values:
    """The bytes of each element."""
    return np.ascontiguousarray(x).reshape(*x.shape, 1).view(np.uint8)


def on_device(x: Values) -> Node:
    node: Node = xarr.asarray(x)._node
    return node


def check(node: Node, x: Values, axis: int, *, exact: bool = True) -> None:
    """Assert that both sorts give NumPy's order; `exact` where the bits of NaN have to be kept."""
    for descending in (False, True):
        wanted = order(x, axis, descending=descending)
        about = f"{x.dtype}{x.shape}, axis {axis}, descending {descending}"
        got = np.asarray(Array(radix.argsort(node, axis, descending=descending)))
        reference.assert_same(got, wanted, f"argsort of {about}")
        values = np.take_along_axis(x, wanted, axis)
        got = np.asarray(Array(radix.sort(node, axis, descending=descending)))
        reference.assert_same(got, values, f"sort of {about}")
        if exact:
            np.testing.assert_array_equal(raw(got), raw(values), about)


# -- data types and sizes -------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_every_type_and_size(dtype: DType, form: xarr.Device, small_tiles: None) -> None:
    for count in (0, 1, 2, 255, 256, 257, TILE - 1, TILE, TILE + 1, 2 * TILE, 5 * TILE + 7):
        x = examples(dtype, count)
        check(on_device(x), x, 0)


@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.int64], ids=str)
def test_large_tiles(dtype: DType, form: xarr.Device) -> None:
    for count in (TILE + 1, 4 * TILE - 1, 4 * TILE, 4 * TILE + 1, 65537, 10**6 + 1):
        x = examples(dtype, count)
        check(on_device(x), x, 0)


@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.int64], ids=str)
def test_what_is_sorted_or_equal(dtype: DType, form: xarr.Device, small_tiles: None) -> None:
    count = 3 * TILE + 1
    for x in (np.zeros(count), np.arange(count), -np.arange(count), np.full(count, -1)):
        check(on_device(x.astype(dtype.numpy)), x.astype(dtype.numpy), 0)


def test_many_elements_come_in_order(form: xarr.Device) -> None:
    count = 3 << 20
    x = np.random.default_rng(1).standard_normal(count).astype(np.float32)
    np.testing.assert_array_equal(np.asarray(Array(radix.sort(on_device(x), 0))), np.sort(x))


# -- order ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [row for row in TYPES if row.kind in FLOATING], ids=str)
def test_zeros_and_nans_are_equal_and_keep_their_order(dtype: DType, form: xarr.Device) -> None:
    part = dtypes.PART.get(dtype, dtype).numpy
    x = np.array([np.nan, 0, -np.nan, -0.0, np.inf, 0, -0.0, -np.inf, -np.nan], part)
    x = x.astype(dtype.numpy)
    node = on_device(x)
    got = np.asarray(Array(radix.argsort(node, 0)))
    assert got.tolist() == [7, 1, 3, 5, 6, 4, 0, 2, 8]
    got = np.asarray(Array(radix.argsort(node, 0, descending=True)))
    assert got.tolist() == [0, 2, 8, 4, 1, 3, 5, 6, 7]
    check(node, x, 0)


@pytest.mark.parametrize("dtype", [row for row in TYPES if row.kind == COMPLEX], ids=str)
def test_complex_numbers_go_by_where_they_are_nan(dtype: DType, form: xarr.Device) -> None:
    nan = np.nan
    wanted = [1 + 2j, 3 - 1j, 3, complex(1, nan), complex(3, nan)]
    wanted += [complex(nan, -np.inf), complex(nan, 2), complex(nan, nan)]
    x = np.array(wanted, dtype.numpy)
    shuffled = np.random.default_rng(2).permutation(len(x))
    got = np.asarray(Array(radix.sort(on_device(x[shuffled]), 0)))
    np.testing.assert_array_equal(raw(got), raw(x))


# -- shapes and layouts ---------------------------------------------------------------------------


def test_axes(form: xarr.Device, small_tiles: None) -> None:
    for shape in ((3, 4, 5), (2, TILE + 40, 3), (40, 2 * TILE + 1), (1, 300), (300, 1)):
        x = examples(dtypes.float32, int(np.prod(shape))).reshape(shape)
        node = on_device(x)
        for axis in range(len(shape)):
            check(node, x, axis)
    for shape in ((0, 3), (3, 0), (2, 0, 3)):
        x = np.zeros(shape, np.float32)
        for axis in range(len(shape)):
            check(on_device(x), x, axis)


def test_results_lie_in_c_order(form: xarr.Device) -> None:
    """Reductions go by layout, so it may not depend on the way a sort took."""
    x = on_device(np.arange(60, dtype=np.float32).reshape(3, 4, 5))
    for function in (radix.sort, radix.argsort):
        for axis in range(3):
            node = function(x, axis)
            engine.compute(node)
            assert node.layout == layout.contiguous((3, 4, 5))
            assert node.storage is not x.storage


def test_views(form: xarr.Device, small_tiles: None) -> None:
    x = examples(dtypes.int32, 60 * 70).reshape(60, 70)
    array = xarr.asarray(x)
    for key in ((slice(None, None, -1),), (slice(3, 50, 2), slice(None, None, 3)), (5,), (0, ...)):
        view = array[key]
        for axis in range(view.ndim):
            check(view._node, x[key], axis)
    check(array.T._node, x.T, 0)
    check(xarr.broadcast_to(array[0], (4, 70))._node, np.broadcast_to(x[0], (4, 70)), 0)
    check(xarr.broadcast_to(array[0], (4, 70))._node, np.broadcast_to(x[0], (4, 70)), 1)
    np.testing.assert_array_equal(np.asarray(array), x)


def test_pending_expressions_and_constants(form: xarr.Device, small_tiles: None) -> None:
    x = examples(dtypes.int32, TILE + 9)
    check((xarr.asarray(x) * 3)._node, x * 3, 0)
    seven = constant(7, dtypes.int16, (4, TILE + 9), form)
    for axis in (0, 1):
        check(seven, np.full((4, TILE + 9), 7, np.int16), axis)


def test_indices_are_fused_with_what_follows(form: xarr.Device) -> None:
    x = examples(dtypes.int32, 100)
    array = xarr.asarray(x)
    places = Array(radix.argsort(array._node, 0))
    np.testing.assert_array_equal(np.asarray(array[places] * 2), np.sort(x) * 2)


# -- limits ---------------------------------------------------------------------------------------


def test_wide_indices_long_rows_and_several_launches(
    form: xarr.Device, small_tiles: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "WIDE", 1)
    monkeypatch.setattr(radix, "_LONG", 1)
    monkeypatch.setattr(radix, "_GRID", 3)
    for shape in ((4, 20), (5, 2 * TILE + 1)):
        x = examples(dtypes.float32, int(np.prod(shape))).reshape(shape)
        check(on_device(x), x, 1)
    x = np.sort(x[0])
    node = on_device(x)
    got = np.asarray(Array(radix.searchsorted(node, node, right=False)))
    np.testing.assert_array_equal(got, np.searchsorted(x, x))


def test_groups_fit_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    device = DEVICES[0].pretending("as-gpu")
    for info, group in (
        ({"group_size": 1024, "local_nbytes": 32768}, 256),
        ({"group_size": 255, "local_nbytes": 32768}, 128),
        ({"group_size": 64, "local_nbytes": 65536}, 64),
        ({"group_size": 1024, "local_nbytes": 16384}, 128),
        ({"group_size": 32, "local_nbytes": 32768}, 32),
    ):
        monkeypatch.setattr(device, "info", dataclasses.replace(device.info, **info))
        work = radix._rows(device, dtypes.float64, 1, 1 << 20)
        assert work.group == group
        assert work.tiles == -(-(1 << 20) // (group * 15))
        assert work.pieces * work.piece_tiles >= work.tiles > (work.pieces - 1) * work.piece_tiles
        assert radix._rows(device, dtypes.float64, 1, 10).group == min(group, 64)


def test_without_float64() -> None:
    with xarr.device(FORMS[1].without_float64()):
        for dtype in (dtypes.float32, dtypes.int64, dtypes.complex64):
            x = examples(dtype, 300)
            check(on_device(x), x, 0)


def test_sorting_does_not_take_a_launch_a_row(form: xarr.Device) -> None:
    short, long = on_device(np.zeros((1000, 50), np.float32)), on_device(np.zeros((9, 5000), "f4"))
    for node, most in ((short, 1), (long, 4 * 3)):
        before = engine.counts.launches
        radix.sort(node, 1)
        assert engine.counts.launches - before <= most


# -- searching ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_searches(dtype: DType, form: xarr.Device) -> None:
    for count in (0, 1, 2, 255, 1000):
        x = examples(dtype, count)
        values = examples(dtype, 600, seed=1).reshape(2, 300)
        places = np.argsort(x, kind="stable")
        ordered = x[places]
        for right in (False, True):
            side: Any = "right" if right else "left"
            wanted = np.searchsorted(ordered, values, side).astype(np.int64)
            got = radix.searchsorted(on_device(ordered), on_device(values), right=right)
            reference.assert_same(np.asarray(Array(got)), wanted, f"searchsorted {side}")
            got = radix.searchsorted(
                on_device(x), on_device(values), right=right, sorter=on_device(places)
            )
            reference.assert_same(np.asarray(Array(got)), wanted, f"searchsorted {side}, sorter")


def test_searches_among_views_and_expressions(form: xarr.Device) -> None:
    x = np.sort(examples(dtypes.int32, 1000))
    values = examples(dtypes.int32, 60 * 70, seed=1).reshape(60, 70)
    ordered, wanted = xarr.asarray(x), xarr.asarray(values)
    for some, view in ((x[::3], ordered[::3]), (x[10:900], ordered[10:900])):
        got = radix.searchsorted(view._node, wanted[::-2, 5:].T._node, right=False)
        expected = np.searchsorted(some, values[::-2, 5:].T)
        np.testing.assert_array_equal(np.asarray(Array(got)), expected)
    places = xarr.asarray(np.arange(3000)[::3])[::-1] // 3
    got = radix.searchsorted(
        ordered[::-1]._node, (wanted + 1)._node, right=True, sorter=places._node
    )
    np.testing.assert_array_equal(np.asarray(Array(got)), np.searchsorted(x, values + 1, "right"))


def test_searches_for_nothing_one_and_many(form: xarr.Device) -> None:
    x = on_device(np.arange(10, dtype=np.float32))
    for shape in ((0,), (3, 0), (), (1,), (10**6,)):
        values = np.full(shape, 4.5, np.float32)
        got = np.asarray(Array(radix.searchsorted(x, on_device(values), right=False)))
        assert got.shape == shape
        assert (got == 5).all()


# -- CUDA -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arch", "names"),
    [
        ("sm_75", ("float32", "complex128")),
        ("sm_90", ("bool", "float16", "float32", "uint64", "complex128")),
    ],
)
def test_kernels_compile_for_cuda(
    arch: str, names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    device = FORMS[1]
    sources = dict[str, str]()

    def record(_: Any, skeleton: str, entry: str, key: Any, describe: Any, *more: Any) -> None:
        defines, _format = describe()
        sources[source.assemble(skeleton, "cuda", defines)] = entry

    monkeypatch.setattr(engine, "launch", record)
    for name in names:
        dtype = dtypes.BY_NAME[name]
        storage = engine.allocate(device, 5000 * dtype.itemsize)
        short, long = (leaf(storage, layout.contiguous((n,)), dtype) for n in (100, 5000))
        index = leaf(storage, layout.contiguous((100,)), dtypes.int64)
        for node in (short, long):
            radix.sort(node, 0)
            radix.argsort(node, 0)
        radix.searchsorted(short, short, right=False)
        radix.searchsorted(short, short, right=True, sorter=index)
    monkeypatch.setattr(layout, "WIDE", 1)
    monkeypatch.setattr(radix, "_LONG", 1)
    radix.argsort(long, 0)
    assert set(sources.values()) == {"xr_sort", "xr_sort_count", "xr_sort_scan", "xr_sort_search"}
    for text, entry in sorted(sources.items()):
        cubin = compile_cuda(text, arch)
        assert cubin.startswith(b"\x7fELF")
        assert entry.encode() in cubin
