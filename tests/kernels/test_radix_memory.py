"""The sorting kernels on tiny operands, as in test_kernels_memory.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr
from xarr import dtypes
from xarr.algorithms import radix
from xarr.array.array import Array
from xarr.core.tape import Node

from .test_kernels_memory import when_checked

Values = np.ndarray[Any, Any]


@pytest.fixture
def tiny_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups so small that few elements take several tiles and pieces."""
    monkeypatch.setattr(radix, "_GROUPS", (16,))
    monkeypatch.setattr(xarr.default_device(), "kernels", {})


def on_device(values: Values) -> Node:
    result: Node = xarr.asarray(values)._node
    return result


@when_checked
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("bool", (2, 241)),
        ("int16", (2, 5)),
        ("int16", (2, 241)),
        ("float32", (2, 5)),
        ("float32", (1, 500)),
        ("float64", (2, 241)),
        ("complex64", (2, 5)),
        ("complex64", (2, 241)),
    ],
)
def test_sorts(name: str, shape: tuple[int, int], tiny_groups: None) -> None:
    dtype = dtypes.BY_NAME[name]
    if dtype in dtypes.NEEDS_FLOAT64 and not xarr.default_device().has_float64:
        pytest.skip(f"the device has no {dtype}")
    x = (np.arange(np.prod(shape)) * 37 % 101 - 50).astype(dtype.numpy).reshape(shape)
    wanted = np.argsort(x, axis=1, kind="stable")
    got = radix.argsort(on_device(x), 1)
    np.testing.assert_array_equal(np.asarray(Array(got)), wanted)
    got = radix.sort(on_device(x), 1)
    np.testing.assert_array_equal(np.asarray(Array(got)), np.take_along_axis(x, wanted, 1))


@when_checked
def test_long_rows(tiny_groups: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(radix, "_LONG", 1)
    x = np.arange(300, dtype=np.uint8)[::-1].copy()
    got = np.asarray(Array(radix.argsort(on_device(x), 0)))
    np.testing.assert_array_equal(got, np.argsort(x, kind="stable"))


@when_checked
@pytest.mark.parametrize("name", ["float32", "complex64"])
@pytest.mark.parametrize("form", ["", "as-gpu"])
def test_searches(name: str, form: str, tiny_groups: None) -> None:
    x = np.arange(0, 40, 2).astype(name)
    values = np.arange(-1, 41).astype(name)
    with xarr.device(xarr.default_device().pretending(*([form] if form else []))):
        for right in (False, True):
            wanted = np.searchsorted(x, values, "right" if right else "left")
            got = radix.searchsorted(on_device(x), on_device(values), right=right)
            np.testing.assert_array_equal(np.asarray(Array(got)), wanted)
            backwards = on_device(np.arange(20)[::-1].copy())
            got = radix.searchsorted(
                on_device(x[::-1].copy()), on_device(values), right=right, sorter=backwards
            )
            np.testing.assert_array_equal(np.asarray(Array(got)), wanted)
