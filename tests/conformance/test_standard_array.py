"""The array object of the standard: attributes, conversions, devices, DLPack.

What keys name is in functions/test_indexing.py, exchange in functions/test_exchange.py.
"""

from __future__ import annotations

import operator
from typing import Any

import array_api_strict
import numpy as np
import pytest

import xarr
from tests.comparing import has, needs
from tests.conformance.standard import ALL, VERSION, words
from tests.functions.calls import check, each

TESTED = words(
    "__array_namespace__ __bool__ __complex__ __dlpack__ __dlpack_device__ __float__ "
    "__getitem__ __index__ __int__ __setitem__ to_device"
)
"""The methods that are tested here; the operators are in test_standard_elementwise.py."""

CALLS = """
({x.shape, x.ndim, x.size|x[0, ...].shape, x[0, 0].ndim, x[:0, :].size})
x.T
x.mT
x[1:, ::-2].mT
x[::2, :].T
x[:, None, 1:3]
x[x > 3]
x[np.asarray([2, 0]), np.asarray([-1, 3])]
x.__setitem__({(slice(None), 1), 7|x > 3, 0})
x.__setitem__((..., slice(None, None, 2)), np.asarray([[1.0], [2.0], [3.0]], dtype=np.float32))
"""


@each(CALLS)
def test_attributes_and_keys(call: str) -> None:
    """Names views; functions/test_indexing.py has other keys."""
    check(call, beside=array_api_strict, x=np.arange(12, dtype=np.float32).reshape(3, 4))


def test_the_namespace() -> None:
    x = xarr.ones(1)
    assert x.__array_namespace__() is xarr
    assert x.__array_namespace__(api_version=None) is xarr
    assert x.__array_namespace__(api_version=VERSION) is xarr
    with pytest.raises(ValueError, match="2020"):
        x.__array_namespace__(api_version="2020.01")


@pytest.mark.parametrize("dtype", ALL)
def test_conversions(dtype: str) -> None:
    needs(dtype)
    kind = np.dtype(dtype).kind
    number: Any = {"b": True, "f": 2.5, "c": 2.5 - 1j}.get(kind, 100)
    x = xarr.asarray(number, dtype=dtype)
    assert bool(x) is True
    assert bool(xarr.zeros((), dtype=dtype)) is False
    assert complex(x) == complex(number)
    assert type(complex(x)) is complex
    if kind != "c":
        assert (int(x), float(x)) == (int(number), float(number))
        assert (type(int(x)), type(float(x))) == (int, float)
    if kind in "iu":
        assert operator.index(x) == 100
        assert list(range(200))[x] == 100
    for convert in (*((int, float) if kind == "c" else ()), *(() if kind in "iu" else ("index",))):
        with pytest.raises(TypeError):
            (operator.index if convert == "index" else convert)(x)


def test_conversions_of_special_values() -> None:
    for number in (float("nan"), float("inf"), -float("inf"), -0.0):
        assert repr(float(xarr.asarray(number, dtype="float32"))) == repr(number)
        assert bool(xarr.asarray(number, dtype="float32")) is bool(number)
    with pytest.raises(ValueError, match="NaN|nan"):
        int(xarr.asarray(float("nan"), dtype="float32"))
    with pytest.raises(OverflowError):
        int(xarr.asarray(float("inf"), dtype="float32"))
    for convert in (bool, int, float, complex, operator.index):
        with pytest.raises((TypeError, ValueError)):
            convert(xarr.ones(2, dtype="int32"))
    assert [float(value) for value in xarr.asarray([1.0, 2.0])] == [1, 2]


def test_devices() -> None:
    x = xarr.asarray([1.0, 2.0], dtype="float32")
    assert x.device == xarr.default_device()
    for device in xarr.__array_namespace_info__().devices():
        moved = x.to_device(device)
        assert moved.device == device
        assert (moved.dtype, moved.tolist()) == (x.dtype, x.tolist())
        assert moved.to_device(x.device, stream=None).device == x.device
        assert xarr.empty_like(moved).device == device
        assert (moved + 1).device == device
        assert xarr.asarray(moved).device == device
        assert xarr.from_dlpack(np.ones(3, "f4"), device=device).tolist() == [1, 1, 1]


def test_the_protocol() -> None:
    x = xarr.ones(3, dtype="float32") * 3
    assert [*map(type, x.__dlpack_device__())] == [int, int]
    for version in (None, (1, 0), (1, 1), (2, 0)):
        assert "dltensor" in repr(x.__dlpack__(max_version=version, dl_device=(1, 0)))
    with pytest.raises((BufferError, ValueError)):
        x.__dlpack__(dl_device=(8, 0))
    for other in (x, xarr.permute_dims(xarr.ones((2, 3)), (1, 0))):
        again = xarr.from_dlpack(other)
        assert again.device == other.device
        assert again.tolist() == other.tolist()
    back = np.from_dlpack(x, device="cpu", copy=True)
    x[1] = 1
    assert back.tolist() == [3, 3, 3]
    for dtype in filter(has, ALL):
        host = np.arange(12).reshape(3, 4).astype(dtype)
        for given in (host[::2, ::-1], host.T, host[:0], host[1, 1]):
            for lent in (np.asarray(given), array_api_strict.asarray(given)):
                np.testing.assert_array_equal(xarr.from_dlpack(lent), given)
