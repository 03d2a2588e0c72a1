"""Elements side by side, in the form of GPUs: tiles and their ends, in types of each width."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xarr
from tests.conftest import DEVICES
from tests.launching import change, watched
from xarr import dtypes, tuning
from xarr.codegen import source
from xarr.runtime import host_functions

WIDTHS = ("uint8", "float16", "float32", "int64", "complex128")
SIZES = (1, 255, 256, 1023, 1024, 1025, 2047, 2049, 5000)


@pytest.fixture(params=WIDTHS)
def values(request: pytest.FixtureRequest) -> np.ndarray:
    return np.arange(max(SIZES)).astype(request.param)


@pytest.fixture(autouse=True)
def as_gpu() -> object:
    with xarr.device(DEVICES[0].pretending("as-gpu")) as device, host_functions.fused():
        yield device


@pytest.mark.parametrize("size", SIZES)
def test_each_element_once(values: np.ndarray, size: int) -> None:
    x = xarr.asarray(values)
    x[:size] += x[:size]
    wanted = values.copy()
    wanted[:size] += wanted[:size]
    np.testing.assert_array_equal(np.asarray(x), wanted)


@pytest.mark.parametrize("size", SIZES)
def test_places_that_their_elements_replace(size: int) -> None:
    # What lies beyond the end of a tile has no index to read: a result may be there by then.
    table = np.arange(2 * max(SIZES)) * 10**12
    index = np.arange(size)[::-1].copy()
    places = xarr.asarray(index) + 1
    taken = xarr.asarray(table)[places]
    del places
    np.testing.assert_array_equal(np.asarray(taken), table[index + 1])
    written = xarr.zeros(2 * max(SIZES), dtype=xarr.int64)
    written[xarr.asarray(index) + 1] = taken
    assert int(written.sum()) == int(table[index + 1].sum())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", SIZES)
def test_random_numbers_are_those_of_a_cpu(dtype: str, size: int) -> None:
    drawn = np.asarray(xarr.random.default_rng(3).random(size, dtype=dtype) * 2)
    with xarr.device(DEVICES[0]):
        wanted = np.asarray(xarr.random.default_rng(3).random(size, dtype=dtype) * 2)
    np.testing.assert_array_equal(drawn, wanted)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_shares_of_a_mean_are_those_of_a_cpu(dtype: str, axis: int | None) -> None:
    x = np.random.default_rng(5).random((700, 300)).astype(dtype)
    found = np.asarray(xarr.var(xarr.asarray(x), axis=axis))
    with xarr.device(DEVICES[0]):
        wanted = np.asarray(xarr.var(xarr.asarray(x), axis=axis))
    np.testing.assert_array_equal(found, wanted)


def stencil(np: Any, x: Any) -> Any:
    """Write neighbours' sums to their own array, and read them where they come round."""
    x[1:-1, 1:-1] = x[:-2, :-2] + x[1:-1, 2:] * x[2:, 1:-1]
    x[:, 3:] += x[:1, 3:]
    return np.roll(x, 2, axis=1) ^ np.roll(x, -1, axis=0) ^ x


def parts(np: Any, x: Any) -> Any:
    """Read what begins anywhere, is repeated, goes backwards and is chosen by a value."""
    table = np.arange(256, dtype=np.uint8)[::-1]
    y = x[:, 1:] ^ x[:, :-1]
    y[:, ::2] = x[:, -1:]
    return np.where(y > x[:, 1:], y, np.take(table, y.astype(np.int64) & 255).astype(x.dtype))


def line(np: Any, x: Any) -> Any:
    """The same along one axis."""
    x = x.reshape(-1)
    x[: x.size // 2] &= x[x.size - x.size // 2 :]
    return np.roll(x, 3) ^ x | (np.pad(x, 2)[:-4] & x[:1])


@pytest.mark.parametrize("program", [stencil, parts, line])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "bool"])
def test_neighbours_of_one_byte(
    dtype: str, program: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for abreast in (0, 1000):  # rows one by one, and side by side
        monkeypatch.setattr(tuning, "ABREAST", abreast)
        change(monkeypatch, xarr.default_device())
        for columns in (3, 5, 8, 64, 257):
            values = np.random.default_rng(columns).integers(0, 255, (9, columns)).astype(dtype)
            x = xarr.asarray(values)
            with watched() as seen:
                found = np.asarray(program(xarr, x))
            assert any("#define XR_WIDTH" in one.text for one in seen.launches)
            np.testing.assert_array_equal(found, program(np, values))
            np.testing.assert_array_equal(np.asarray(x), values)


def test_structures_of_opencl_end_without_padding() -> None:
    """rusticl copies a part only of those that do: argmax of rows of 1,000 was wrong."""
    fills = dict(re.findall(r"#define XR_FILL_(\w+) ?(.*)", source.kernel_file("opencl.h")))
    for row in dtypes.TABLE:
        if row.kind != dtypes.COMPLEX:
            text = fills[row.compute] and fills[fills[row.compute].removeprefix("XR_FILL_")]
            nbytes = max(int(row.compute[1:]) // 8, 1)
            assert nbytes + sum(map(int, re.findall(r"\d", text))) == 8
            assert f"XR_FILL({row.compute})\n}}" in str(source.unit(f"xr_arg_{row.compute}"))
