"""Arrays of every dtype and layout beside NumPy's, and the comparison of results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest

import xarr as xp
from tests.reference import assert_same
from xarr.dtypes import NEEDS_FLOAT64, DType

DTYPES = [
    "bool", *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)), "float16",
    "float32", "float64", "complex64", "complex128",
]  # fmt: skip
LAYOUTS = [
    "contiguous", "strided", "reversed", "transposed", "broadcast", "0-d", "empty", "vector",
    "group", "grid",
]  # fmt: skip


def device() -> xp.Device:
    return xp.default_device()


def has(dtype: Any) -> bool:
    return device().has_float64 or np.dtype(dtype).name not in ("float64", "complex128")


def is_on(device: xp.Device, dtype: DType) -> bool:
    return device.has_float64 or dtype not in NEEDS_FLOAT64


def narrow_device() -> xp.Device:
    """Another device than the default one: the same, without float64."""
    if device().options:
        pytest.skip(f"{device()} is the narrow device already")
    return device().pretending("no-float64")


def needs(dtype: Any) -> None:
    """Skip the test where the default device lacks a dtype."""
    if not has(dtype):
        pytest.skip(f"{device()} has no {dtype}")


def values(shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    """Numbers of both signs that every dtype holds, with special values among them."""
    size = int(np.prod(shape))
    host = (np.arange(size) * 37 % 101 - (0 if dtype.startswith("uint") else 50)).astype(dtype)
    if dtype == "bool":
        host = np.arange(size) % 3 == 0
    if dtype.startswith("complex"):
        host += (1j * (np.arange(size) * 17 % 31 - 15)).astype(dtype)
    return host.reshape(shape)


def given(dtype: str, layout: str) -> tuple[np.ndarray[Any, Any], xp.Array]:
    """An array of a layout, and NumPy's of the same values."""
    if layout == "0-d":
        host = values((), dtype)
        return host, xp.asarray(host)
    shape = {
        "empty": (3, 0, 2),
        "vector": (7,),
        "group": (3, 257),
        "grid": (65_539,),
        "strided": (9, 12),
        "broadcast": (1, 5),
    }.get(layout, (4, 5, 6) if layout == "transposed" else (4, 6))
    host = values(shape, dtype)
    x = xp.asarray(host)
    if layout == "strided":
        return host[1::2, 2::3], x[1::2, 2::3]
    if layout == "reversed":
        return host[::-1, ::-2], x[::-1, ::-2]
    if layout == "transposed":
        return host.transpose(2, 0, 1), x.transpose(2, 0, 1)
    if layout == "broadcast":
        return np.broadcast_to(host, (3, 5)), xp.broadcast_to(x, (3, 5))
    return host, x


def same(result: Any, expected: Any, call: str = "") -> None:
    """Assert that an Array has NumPy's dtype, shape and values, to the bit."""
    assert type(result) is xp.Array, f"{call} {type(result)} is no Array"
    assert_same(np.asarray(xp.to_numpy(result)), np.asarray(expected), call)


RARE = ("int16", "uint16", "int32", "uint32", "complex128")
"""Data types of which `make nightly` has all functions: each has a like of another width."""


def nightly(*values: Any) -> list[Any]:
    """Parameters that `make nightly` runs, and `make test` does not: their kernels take long."""
    return [pytest.param(value, marks=pytest.mark.nightly) for value in values]


def together(dtype: Any) -> int:
    """How many functions of a data type one kernel has.

    gcc takes 35 s for the functions of float64 in pairs, and 10 s for each alone; those of other
    types have in common what a kernel costs to begin with.
    """
    kind = np.dtype(dtype)
    return 7 if kind.kind not in "fc" else 2 if kind.itemsize == 2 else 1


def computed_together(results: Iterable[xp.Array]) -> None:
    """Compute pending arrays, some of one shape in each kernel: a kernel takes long to compile."""
    pending = dict[tuple[Any, ...], list[xp.Array]]()
    for x in results:
        storage = x._view.storage
        if storage is not None and storage.buffer is None:
            pending.setdefault((x.shape, together(x.dtype)), []).append(x)
    for (_, count), alike in pending.items():
        for start in range(0, len(alike), count):
            xp.synchronize(_joined(alike[start : start + count]))


def _joined(arrays: Sequence[xp.Array]) -> xp.Array:
    """An expression of all arrays, which holds nothing else that would be stored."""
    if len(arrays) == 1:  # whose kernel is that of other tests
        return arrays[0]
    joined: xp.Array = xp.not_equal(arrays[0], False)
    for x in arrays[1:]:
        joined = xp.logical_or(joined, xp.not_equal(x, False))
    return joined
