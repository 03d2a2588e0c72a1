"""The sorting kernels against NumPy's stable sorts: the same order, and the very bits."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

import xarr
from tests import reference
from tests.conftest import DEVICES
from tests.kernels.nvrtc import compile_cuda
from tests.launching import record
from xarr import dtypes, layout, tuning
from xarr.array.array import Array
from xarr.dtypes import FLOATING, DType
from xarr.ir.operation import interned
from xarr.ir.views import View, constant, storage_view
from xarr.lowering import radix_sort as kernels
from xarr.ops import radix_sort
from xarr.tape import builder

Values = npt.NDArray[Any]

FORMS = [DEVICES[0], DEVICES[0].pretending("as-gpu")]
TYPES = [row for row in dtypes.TABLE if DEVICES[0].has_float64 or row not in dtypes.NEEDS_FLOAT64]
TILE = 64 * 15
"""The elements of a tile with `small_tiles`, and of a row that few items sort."""


@pytest.fixture(params=FORMS, ids=str)
def form(request: pytest.FixtureRequest) -> Iterator[xarr.Device]:
    with xarr.device(request.param) as chosen:
        yield chosen


@pytest.fixture(autouse=True)
def forget() -> None:
    """A program that is known would run as it was planned."""
    interned.cache_clear()


@pytest.fixture
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of one size, whose tiles are small enough that a few thousand elements take many."""
    monkeypatch.setattr(kernels, "_GROUPS", (64,))


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


def raw(x: Values) -> Values:
    return np.ascontiguousarray(x).reshape(*x.shape, 1).view(np.uint8)


def on_device(x: Values) -> View:
    view: View = xarr.asarray(x)._view
    return view


def check(view: View, x: Values, axis: int, sorts: Sequence[str] = ("values", "indices")) -> None:
    for descending in (False, True):
        wanted = reference.stable_order(x, axis, descending=descending)
        about = f"{x.dtype}{x.shape}, axis {axis}, descending {descending}"
        if "indices" in sorts:
            got = np.asarray(Array(radix_sort.argsort(view, axis, descending=descending)))
            reference.assert_same(got, wanted, f"argsort of {about}")
        if "values" in sorts:
            values = np.take_along_axis(x, wanted, axis)
            got = np.asarray(Array(radix_sort.sort(view, axis, descending=descending)))
            reference.assert_same(got, values, f"sort of {about}")
            np.testing.assert_array_equal(raw(got), raw(values), about)


# A kernel takes PoCL two to five seconds, and there is one for each way that an element is read,
# with indices and without, for each size of a group, narrow and wide. So rows of each way that an
# element is read are sorted by one kernel here, and the other choices take turns.


class Case(NamedTuple):
    """One way that elements are read, and the variants of the kernels that it is sorted by."""

    types: str
    sort: str
    group: int
    wide: bool = False

    def __str__(self) -> str:
        name = f"{self.types.replace(' ', '-')}-{self.sort}-{self.group}"
        return f"{name}{'-wide' * self.wide}"


SHORT = [
    Case("bool int8 uint8", "values", 64), Case("int16 uint16", "values", 64, wide=True),
    Case("float16", "indices", 64), Case("float32", "values", 64), Case("float32", "indices", 64),
    Case("int64 uint64", "values", 256), Case("complex128", "values", 64),
]  # fmt: skip
SHORT_SLOW = [
    Case("int32 uint32", "indices", 256),
    Case("float64", "values", 64),
    Case("complex64", "values", 64),
]
LONG = [
    Case("float32", "values", 64),
    Case("float32", "indices", 64),
    Case("float64", "indices", 64, wide=True),
]
LONG_SLOW = [
    Case("bool int8 uint8", "indices", 256), Case("int16 uint16", "values", 64),
    Case("float16", "values", 256), Case("int32 uint32", "values", 64),
    Case("int64 uint64", "values", 64), Case("complex64", "indices", 256),
    Case("complex128", "values", 256),
]  # fmt: skip


def cases(quick: list[Case], slow: list[Case]) -> list[Any]:
    marked = [pytest.param(case, marks=pytest.mark.nightly, id=str(case)) for case in slow]
    return [*(pytest.param(case, id=str(case)) for case in quick), *marked]


@pytest.fixture
def enter(monkeypatch: pytest.MonkeyPatch) -> Callable[[Case], list[DType]]:
    """Set what a case says, and give the types that the first device has."""

    def enter(case: Case) -> list[DType]:
        interned.cache_clear()
        monkeypatch.setattr(kernels, "_GROUPS", (case.group,))
        monkeypatch.setattr(tuning, "SORT_ITEMS", case.group)
        if case.wide:
            monkeypatch.setattr(layout, "WIDE", 1)
            monkeypatch.setattr(kernels, "_LONG", 1)
        found = [row for row in TYPES if row.name in case.types.split()]
        if not found:
            pytest.skip(f"{DEVICES[0]} has no {case.types}")
        return found

    return enter


@pytest.mark.parametrize("case", cases(SHORT, SHORT_SLOW))
def test_rows_of_one_tile(case: Case, enter: Callable[[Case], list[DType]]) -> None:
    tile = case.group * 15
    for dtype in enter(case):
        for count in (0, 1, 2, 255, 256, 257, tile - 1, tile):
            x = examples(dtype, count)
            check(on_device(x), x, 0, [case.sort])


@pytest.mark.parametrize("case", cases(LONG, LONG_SLOW))
def test_rows_of_several_tiles(case: Case, enter: Callable[[Case], list[DType]]) -> None:
    tile = case.group * 15
    for dtype in enter(case):
        counts = [tile + 1, 2 * tile, 5 * tile + 7, 65537]
        rows = [examples(dtype, count) for count in counts]
        some = np.arange(3 * tile + 1)
        rows += [row.astype(dtype.numpy) for row in (0 * some, some, some[::-1], 0 * some + 1)]
        for x in rows:
            check(on_device(x), x, 0, [case.sort])


def test_every_type_is_sorted_by_each_way() -> None:
    for quick, slow in ((SHORT, SHORT_SLOW), (LONG, LONG_SLOW)):
        every = [*quick, *slow]
        assert {row.name for row in dtypes.TABLE} == set(" ".join(c.types for c in every).split())
        assert {(c.sort, c.group) for c in every} == {
            (sort, group) for sort in ("values", "indices") for group in (64, 256)
        }
        for part in (quick, slow):
            assert {case.sort for case in part} >= {"indices"}
        assert any(case.wide for case in quick)


@pytest.mark.parametrize("sort", ["values", "indices"])
def test_many_tiles(sort: str, small_tiles: None) -> None:
    x = examples(dtypes.float32, 10**6 + 1)
    check(on_device(x), x, 0, [sort])


def test_many_elements_come_in_order(small_tiles: None) -> None:
    count = 3 << 20
    x = np.random.default_rng(1).standard_normal(count).astype(np.float32)
    np.testing.assert_array_equal(np.asarray(Array(radix_sort.sort(on_device(x), 0))), np.sort(x))


def floating(quick: str, slow: str) -> list[Any]:
    """Types, and how they are sorted: as the cases above, whose kernels these tests use."""
    kinds = [(name, ()) for name in quick.split()] + [
        (n, pytest.mark.nightly) for n in slow.split()
    ]
    return [
        pytest.param(dtypes.BY_NAME[case.types], case.sort, marks=mark, id=f"{name}-{case.sort}")
        for name, mark in kinds
        for case in (*SHORT, *SHORT_SLOW)
        if case.types == name and dtypes.BY_NAME[name] in TYPES
    ]


@pytest.mark.parametrize(
    ("dtype", "sort"), floating("float16 float32 complex128", "float64 complex64")
)
def test_zeros_and_nans_are_equal_and_keep_their_order(dtype: DType, sort: str) -> None:
    part = dtypes.PART.get(dtype, dtype).numpy
    x = np.array([np.nan, 0, -np.nan, -0.0, np.inf, 0, -0.0, -np.inf, -np.nan], part)
    # The last bits of a NaN tell which one it is.
    last = np.array([1, 0, 2, 0, 0, 0, 0, 0, 3], f"u{x.itemsize}")
    x = (x.view(last.dtype) | last).view(part).astype(dtype.numpy)
    up, down = [7, 1, 3, 5, 6, 4, 0, 2, 8], [4, 1, 3, 5, 6, 7, 0, 2, 8]
    assert len(np.unique(raw(x[up[-3:]]), axis=0)) == 3
    for descending, wanted in ((False, up), (True, down)):
        if sort == "indices":
            got = np.asarray(Array(radix_sort.argsort(on_device(x), 0, descending=descending)))
            assert got.tolist() == wanted
        else:
            got = np.asarray(Array(radix_sort.sort(on_device(x), 0, descending=descending)))
            np.testing.assert_array_equal(raw(got), raw(x[wanted]))
    check(on_device(x), x, 0, [sort])


@pytest.mark.parametrize(("dtype", "sort"), floating("complex128", "complex64"))
def test_complex_numbers_go_by_where_they_are_nan(dtype: DType, sort: str) -> None:
    nan = np.nan
    wanted = [1 + 2j, 3 - 1j, 3, complex(1, nan), complex(3, nan)]
    wanted += [complex(nan, -np.inf), complex(nan, 2), complex(nan, nan)]
    x = np.array(wanted, dtype.numpy)
    shuffled = np.random.default_rng(2).permutation(len(x))
    if sort == "indices":
        got = np.asarray(Array(radix_sort.argsort(on_device(x[shuffled]), 0)))
        assert shuffled[got].tolist() == list(range(len(x)))
    else:
        got = np.asarray(Array(radix_sort.sort(on_device(x[shuffled]), 0)))
        np.testing.assert_array_equal(raw(got), raw(x))


def test_axes(small_tiles: None) -> None:
    for shape, axes in (
        ((3, 4, 5), (0, 1, 2)), ((2, TILE + 40, 3), (1,)), ((2 * TILE + 1, 2), (0,)),
        ((5, 2 * TILE + 1), (1,)), ((1, 300), (0, 1)), ((300, 1), (0, 1)),
    ):  # fmt: skip
        x = examples(dtypes.float32, math.prod(shape)).reshape(shape)
        view = on_device(x)
        for axis in axes:
            check(view, x, axis)
    for shape in ((0, 3), (3, 0), (2, 0, 3)):
        x = np.zeros(shape, np.float32)
        for axis in range(len(shape)):
            check(on_device(x), x, axis)


def test_results_lie_in_c_order() -> None:
    """Reductions go by layout, so it may not depend on the way a sort took."""
    x = on_device(np.arange(60, dtype=np.float32).reshape(3, 4, 5))
    for function in (radix_sort.sort, radix_sort.argsort):
        for axis in range(3):
            view = function(x, axis)
            builder.compute(view)
            assert view.layout == layout.contiguous((3, 4, 5))
            assert view.storage is not x.storage


def test_views(small_tiles: None) -> None:
    x = examples(dtypes.float32, 60 * 70).reshape(60, 70)
    array = xarr.asarray(x)
    for key in ((slice(None, None, -1),), (slice(3, 50, 2), slice(None, None, 3)), (5,), (0, ...)):
        view = array[key]
        for axis in range(view.ndim):
            check(view._view, x[key], axis)
    check(array.T._view, x.T, 0)
    check(xarr.broadcast_to(array[0], (4, 70))._view, np.broadcast_to(x[0], (4, 70)), 0)
    check(xarr.broadcast_to(array[0], (4, 70))._view, np.broadcast_to(x[0], (4, 70)), 1)
    np.testing.assert_array_equal(np.asarray(array), x)


def test_pending_expressions_and_constants(small_tiles: None) -> None:
    x = examples(dtypes.int32, TILE + 9).astype(np.float32)
    check((xarr.asarray(x) * 3)._view, x * 3, 0)
    seven = constant(7.0, dtypes.float32, (4, TILE + 9), xarr.default_device())
    for axis in (0, 1):
        check(seven, np.full((4, TILE + 9), 7, np.float32), axis)


def test_indices_are_fused_with_what_follows() -> None:
    x = examples(dtypes.int32, 100).astype(np.float32)
    array = xarr.asarray(x)
    places = Array(radix_sort.argsort(array._view, 0))
    np.testing.assert_array_equal(np.asarray(array[places] * 2), np.sort(x) * 2)


def test_wide_rows_and_several_launches(
    enter: Callable[[Case], list[DType]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "_GRID", 3)
    for case, shape in zip((SHORT[1], LONG[2]), ((4, 20), (5, 2 * TILE + 1)), strict=True):
        for dtype in enter(case):
            x = examples(dtype, int(np.prod(shape))).reshape(shape)
            check(on_device(x), x, 1, [case.sort])


def test_wide_searches(form: xarr.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "WIDE", 1)
    x = np.sort(examples(dtypes.float32, 2 * TILE + 1))
    view = on_device(x)
    got = np.asarray(Array(radix_sort.searchsorted(view, view, right=False)))
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
        work = kernels._rows(device, dtypes.float64, 1, 1 << 20)
        assert work.group == group
        assert work.tiles == -(-(1 << 20) // (group * 15))
        assert work.pieces * work.piece_tiles >= work.tiles > (work.pieces - 1) * work.piece_tiles
        assert kernels._rows(device, dtypes.float64, 1, 10).group == min(group, 64)


def test_without_float64() -> None:
    """One sort, of 64 bits an element; searches order elements of each kind by the same code."""
    with xarr.device(FORMS[1].pretending("no-float64")):
        x = examples(dtypes.int64, 300)
        check(on_device(x), x, 0, ["values"])
        for dtype in (dtypes.float32, dtypes.complex64):
            x = examples(dtype, 300)
            x = x[np.argsort(x, kind="stable")]
            got = radix_sort.searchsorted(on_device(x), on_device(x), right=True)
            np.testing.assert_array_equal(np.asarray(Array(got)), np.searchsorted(x, x, "right"))


def test_sorting_does_not_take_a_launch_a_row(small_tiles: None) -> None:
    short, long = on_device(np.zeros((1000, 50), np.float32)), on_device(np.zeros((9, 5000), "f4"))
    for view, most in ((short, 1), (long, 4 * 3)):
        before = builder.counts.launches
        radix_sort.sort(view, 1)
        assert builder.counts.launches - before <= most


def searches() -> list[Any]:
    """Each type in both forms, one of them nightly, and in one with a sorter, by turns."""
    return [
        pytest.param(
            *(dtype, FORMS[index], sorted_by),
            id=f"{dtype}-{FORMS[index]}{'-s' * sorted_by}",
            marks=() if index == number % 2 else pytest.mark.nightly,
        )
        for number, dtype in enumerate(TYPES)
        for index in (0, 1)
        for sorted_by in (bool(index) is (dtype.kind in FLOATING),)
    ]


@pytest.mark.parametrize(("dtype", "on", "sorted_by"), searches())
def test_searches(dtype: DType, on: xarr.Device, sorted_by: bool) -> None:
    for count in (0, 1, 2, 255, 1000):
        x = examples(dtype, count)
        values = examples(dtype, 600, seed=1).reshape(2, 300)
        places = np.argsort(x, kind="stable")
        ordered = x[places]
        for right in (False, True):
            side: Any = "right" if right else "left"
            wanted = np.searchsorted(ordered, values, side).astype(np.int64)
            with xarr.device(on):
                among = on_device(x if sorted_by else ordered)
                sorter = on_device(places) if sorted_by else None
                got = radix_sort.searchsorted(among, on_device(values), right=right, sorter=sorter)
            about = f"searchsorted {side}, sorter {sorted_by}"
            reference.assert_same(np.asarray(Array(got)), wanted, about)


def test_searches_among_views_and_expressions(form: xarr.Device) -> None:
    x = np.sort(examples(dtypes.int32, 1000))
    values = examples(dtypes.int32, 60 * 70, seed=1).reshape(60, 70)
    ordered, wanted = xarr.asarray(x), xarr.asarray(values)
    for some, view in ((x[::3], ordered[::3]), (x[10:900], ordered[10:900])):
        got = radix_sort.searchsorted(view._view, wanted[::-2, 5:].T._view, right=False)
        expected = np.searchsorted(some, values[::-2, 5:].T)
        np.testing.assert_array_equal(np.asarray(Array(got)), expected)
    places = xarr.asarray(np.arange(3000)[::3])[::-1] // 3
    got = radix_sort.searchsorted(
        ordered[::-1]._view, (wanted + 1)._view, right=True, sorter=places._view
    )
    np.testing.assert_array_equal(np.asarray(Array(got)), np.searchsorted(x, values + 1, "right"))


def test_searches_for_nothing_one_and_many(form: xarr.Device) -> None:
    x = on_device(np.arange(10, dtype=np.float32))
    for shape in ((0,), (3, 0), (), (1,), (10**6,)):
        values = np.full(shape, 4.5, np.float32)
        got = np.asarray(Array(radix_sort.searchsorted(x, on_device(values), right=False)))
        assert got.shape == shape
        assert (got == 5).all()


@pytest.mark.parametrize(
    ("arch", "names"),
    [
        ("sm_75", ("float32", "int16", "complex64")),
        ("sm_90", ("bool", "float16", "float32", "uint64", "complex128")),
    ],
)
def test_kernels_compile_for_cuda(
    arch: str, names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each kernel for each type, with indices and without in turns."""
    device = FORMS[1]
    sources = record(monkeypatch, device)
    for turn, name in enumerate(names):
        dtype = dtypes.BY_NAME[name]
        storage = builder.allocate(device, 5000 * dtype.itemsize)
        short, long = (storage_view(storage, layout.contiguous((n,)), dtype) for n in (100, 5000))
        index = storage_view(storage, layout.contiguous((100,)), dtypes.int64)
        builder.compute(radix_sort.sort((short, long)[turn % 2], 0))
        builder.compute(radix_sort.argsort((long, short)[turn % 2], 0))
        sorter = (None, index)[turn % 2]
        builder.compute(radix_sort.searchsorted(short, short, right=False, sorter=sorter))
    monkeypatch.setattr(layout, "WIDE", 1)
    monkeypatch.setattr(kernels, "_LONG", 1)
    interned.cache_clear()
    builder.compute(radix_sort.argsort(long, 0))
    entries = {*sources.values()} - {"xr_elementwise"}  # which converts indices
    assert entries == {"xr_sort", "xr_sort_count", "xr_sort_scan", "xr_sort_search"}
    for text, entry in sorted(sources.items()):
        cubin = compile_cuda(text, arch)
        assert cubin.startswith(b"\x7fELF")
        assert entry.encode() in cubin
