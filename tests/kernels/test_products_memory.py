"""The kernels of matrix products on tiny operands: what `make check-memory` runs on Oclgrind."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import xarr
from tests.launching import change
from xarr import layout
from xarr.array.array import Array
from xarr.ir.operation import interned
from xarr.lowering import matmul as kernels
from xarr.lowering.matmul import TILES, Tile
from xarr.ops import matmul

from .test_kernels_memory import when_checked


@pytest.fixture(autouse=True)
def as_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default device taken for a GPU, and short pieces of sums."""
    device = xarr.default_device()
    change(monkeypatch, device, kind="gpu")
    monkeypatch.setattr(kernels, "PIECE", 16)


def check(x: np.ndarray, y: np.ndarray) -> None:
    interned.cache_clear()  # a program that is known would run as it was planned
    nodes = [xarr.asarray(operand)._view for operand in (x, y)]
    result = Array(matmul.matmul(nodes[0], nodes[1]))
    np.testing.assert_array_equal(np.asarray(result), x @ y)


def operand(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return (np.arange(np.prod(shape)) % 5).astype(dtype).reshape(shape)


CASES = [
    (dtype, tile)
    for dtype, nbytes in (("float32", 4), ("float64", 8), ("complex128", 16))
    for tile in TILES[nbytes]
]


@when_checked
@pytest.mark.parametrize(("dtype", "tile"), CASES, ids=str)
def test_tiles(dtype: str, tile: Tile, monkeypatch: pytest.MonkeyPatch) -> None:
    if dtype != "float32" and not xarr.default_device().has_float64:
        pytest.skip("no float64")
    for swapped, split in ((False, False), (True, True)):
        monkeypatch.setattr(kernels, "_choose", lambda *_, c=(tile, swapped, split), **__: c)
        check(operand((3, 35), dtype), operand((35, 2), dtype))
        check(operand((35, 3), dtype).T, operand((2, 35), dtype).T)


@when_checked
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "complex64"])
def test_dtypes(dtype: str) -> None:
    check(operand((2, 3, 19), dtype), operand((2, 19, 2), dtype))


def test_layers_and_wide_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "MOST_GROUPS", 2)
    for wide in (1 << 30, 1):
        monkeypatch.setattr(layout, "WIDE", wide)
        for one, two in itertools.product(((2, 3, 5, 6), (5, 6)), ((3, 6, 4), (2, 1, 6, 4))):
            check(operand(one, "float32"), operand(two, "float32"))
