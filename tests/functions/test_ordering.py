"""Sorting and sets as NumPy spells them, against NumPy, in both forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xarr
from tests.functions.test_sorting import form  # noqa: F401 - a fixture
from tests.reference import assert_same

ROWS = [[3, 1, 2, 1], [0, 5, 0, 5], [3, 1, 2, 1]]
NANS = [2.0, float("nan"), -0.0, 0.0, float("nan"), 1.0, 2.0]


def rows(m: Any, dtype: str = "float32") -> Any:
    return m.asarray(ROWS, dtype=dtype)


def after(x: Any, method: Callable[[Any], None]) -> Any:
    method(x)
    return x


CALLS: dict[str, Callable[[Any], Any]] = {
    "sort": lambda m: m.sort(rows(m), 0, "stable"),
    "sort list": lambda m: m.sort([3, 1, 2]),
    "sort None": lambda m: m.sort(rows(m), axis=None, kind="mergesort"),
    "sort a": lambda m: m.sort(a=rows(m), stable=True),
    "sort kind": lambda m: m.sort(rows(m), kind="other"),
    "sort order": lambda m: m.sort(rows(m), order="f"),
    "argsort": lambda m: m.argsort(rows(m), kind="stable"),
    "argsort 0": lambda m: m.argsort(rows(m), 0, "stable"),
    "x.sort": lambda m: after(rows(m), lambda x: x.sort(0)),
    "x.sort kind": lambda m: after(rows(m), lambda x: x.sort(axis=1, kind="heapsort")),
    "x.argsort": lambda m: rows(m).argsort(kind="stable"),
    "lexsort": lambda m: m.lexsort((m.asarray([9, 4, 0, 4, 0, 2, 1]), [1, 5, 1, 4, 3, 4, 4])),
    "lexsort array": lambda m: m.lexsort(rows(m)),
    "lexsort axis": lambda m: m.lexsort((rows(m), rows(m) % 2), axis=0),
    "lexsort none": lambda m: m.lexsort(()),
    "lexsort shapes": lambda m: m.lexsort(([1, 2], [1, 2, 3])),
    "sort_complex": lambda m: m.sort_complex(m.asarray([1 + 2j, 2 - 1j, 3 - 2j, 1 - 3j])),
    "sort_complex ints": lambda m: m.sort_complex(m.asarray([3, 1, 2], dtype="int16")),
    "sort_complex wide": lambda m: m.sort_complex([3, 1, 2]),
    "partition kth": lambda m: m.partition(rows(m), 7),
    "argpartition kind": lambda m: m.argpartition(rows(m), 1, kind="other"),
    "searchsorted": lambda m: m.searchsorted([1, 2, 3, 4], 3, side="right"),
    "searchsorted v": lambda m: m.searchsorted(a=m.asarray([1, 2, 3]), v=[0, 2, 9]),
    "searchsorted sorter": lambda m: m.searchsorted([3, 1, 2], [2], sorter=[1, 2, 0]),
    "unique": lambda m: m.unique(rows(m)),
    "unique list": lambda m: m.unique([3, 1, 1]),
    "unique number": lambda m: m.unique(3, return_inverse=True),
    "unique all": lambda m: m.unique(rows(m), True, True, True),
    "unique counts": lambda m: m.unique(rows(m, "int8"), return_counts=True),
    "unique index": lambda m: m.unique(rows(m, "uint8"), return_index=True),
    "unique inverse": lambda m: m.unique(rows(m), return_inverse=True),
    "unique nan": lambda m: m.unique(m.asarray(NANS, dtype="float32")),
    "unique nan all": lambda m: m.unique(m.asarray(NANS, dtype="float32"), True, True, True),
    "unique nans": lambda m: m.unique(m.asarray(NANS), return_counts=True, equal_nan=False),
    "unique bool": lambda m: m.unique(m.asarray([True, False, True])),
    "unique empty": lambda m: m.unique(m.zeros(0), return_counts=True),
    "unique axis": lambda m: m.unique(rows(m), axis=0),
    "unique axis all": lambda m: m.unique(rows(m), True, True, True, axis=-1),
    "unique axis beyond": lambda m: m.unique(rows(m), axis=2),
    "intersect1d": lambda m: m.intersect1d(rows(m, "int64"), [1, 3, 4, 3]),
    "intersect1d indices": lambda m: m.intersect1d(
        m.asarray([1, 1, 2, 3, 4]), m.asarray([2, 1, 4, 6]), return_indices=True
    ),
    "intersect1d unique": lambda m: m.intersect1d([4, 1, 2], [2.5, 2, 4], True, True),
    "union1d": lambda m: m.union1d(rows(m), [7.5, 1]),
    "setdiff1d": lambda m: m.setdiff1d(rows(m, "int64"), [1, 2, 9]),
    "setdiff1d unique": lambda m: m.setdiff1d([4, 1, 2], m.asarray([2]), assume_unique=True),
    "setxor1d": lambda m: m.setxor1d([1, 2, 3, 2, 4], m.asarray([2, 3, 5, 7, 5])),
    "setxor1d empty": lambda m: m.setxor1d([], []),
    "isin": lambda m: m.isin(rows(m), [1, 3]),
    "isin number": lambda m: m.isin(3, [1, 3]),
    "isin element": lambda m: m.isin(element=[3, 4], test_elements=[1, 3], invert=True),
    "isin kind": lambda m: m.isin([3, 4], [1, 3], kind="other"),
    "ediff1d": lambda m: m.ediff1d(m.asarray([1, 2, 4, 7, 0]), to_begin=-99, to_end=[88, 99]),
    "ediff1d matrix": lambda m: m.ediff1d(rows(m)),
    "ediff1d empty": lambda m: m.ediff1d(m.zeros(0), to_end=1),
    "ediff1d float": lambda m: m.ediff1d([1, 2], to_end=1.5),
}


@pytest.mark.filterwarnings("ignore::xarr.HostFallbackWarning")
@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(name: str, form: xarr.Device) -> None:  # noqa: F811
    call = CALLS[name]
    try:
        wanted = call(np)
    except (TypeError, ValueError, IndexError) as error:
        with pytest.raises(type(error)):
            call(xarr)
        return
    got = call(xarr)
    if not isinstance(wanted, tuple):
        got, wanted = (got,), (wanted,)
    assert len(got) == len(wanted)
    for mine, other in zip(got, wanted, strict=True):
        assert type(mine) is xarr.Array
        zero = np.asarray(other).dtype.type(0)  # of equal zeros either may stand
        assert_same(np.asarray(mine) + zero, np.asarray(other) + zero, name)


@pytest.mark.parametrize("kth", [0, 2, -1, (1, 3)])
@pytest.mark.parametrize("axis", [0, -1, None])
def test_partitions(kth: Any, axis: int | None, form: xarr.Device) -> None:  # noqa: F811
    x = np.random.default_rng(5).integers(0, 9, (5, 6)).astype(np.float32)
    wanted = np.sort(x, axis)
    places = [kth] if isinstance(kth, int) else list(kth)
    got = np.asarray(xarr.partition(xarr.asarray(x), kth, axis))
    order = np.asarray(xarr.argpartition(xarr.asarray(x), kth, axis))
    taken = x.ravel()[order] if axis is None else np.take_along_axis(x, order, axis)
    for place in places:
        for found in (got, taken):
            assert_same(np.take(found, place, axis or 0), np.take(wanted, place, axis or 0), "kth")
    mine = xarr.asarray(x)
    if axis is not None:
        mine.partition(kth, axis)
        assert_same(np.asarray(mine), got, "x.partition")


def test_no_elements_are_partitioned_at_any_place() -> None:
    x = xarr.zeros((3, 0))
    assert xarr.partition(x, 0).shape == (3, 0)
    assert xarr.argpartition(x, 0, axis=0).shape == (3, 0)
