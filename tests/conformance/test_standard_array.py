"""The array object of the standard: attributes, conversions, indexing, devices, DLPack."""

from __future__ import annotations

import operator
from typing import Any

import array_api_strict
import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import xarr
from tests.comparing import has, needs
from tests.conformance import standard
from tests.conformance.standard import (
    ALL,
    NUMERIC,
    SOME,
    VERSION,
    XPS,
    Call,
    Operand,
    Pick,
    exact,
    shown,
)

TESTED = (
    "__array_namespace__",
    "__bool__",
    "__complex__",
    "__dlpack__",
    "__dlpack_device__",
    "__float__",
    "__getitem__",
    "__index__",
    "__int__",
    "__setitem__",
    "to_device",
)
"""The methods that are tested here; the operators are in test_standard_elementwise.py."""


@hypothesis.settings(max_examples=15)
@hypothesis.given(data=st.data())
def test_attributes(data: st.DataObject) -> None:
    call = Call("attributes", (Pick(data.draw, "float32", plain=False).array(),))
    mine, other = call.on(xarr, lambda x: x), call.on(array_api_strict, lambda x: x)
    with shown(call):
        for name in ("shape", "ndim", "size"):
            assert getattr(mine, name) == getattr(other, name)
            assert type(getattr(mine, name)) is type(getattr(other, name))
        assert mine.dtype == xarr.float32
        assert mine.device == xarr.default_device()
        if mine.ndim == 2:
            exact(call, mine.T, other.T)
        if mine.ndim >= 2:
            exact(call, mine.mT, other.mT)


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
    else:
        for convert in (int, float):
            with pytest.raises(TypeError):
                convert(x)
    if kind in "iu":
        assert operator.index(x) == 100
        assert list(range(200))[x] == 100
    else:
        with pytest.raises(TypeError):
            operator.index(x)


def test_conversions_of_special_values() -> None:
    for number in (float("nan"), float("inf"), -float("inf"), -0.0):
        assert repr(float(xarr.asarray(number, dtype="float32"))) == repr(number)
        assert bool(xarr.asarray(number, dtype="float32")) is bool(number)
    with pytest.raises(ValueError, match="NaN|nan"):
        int(xarr.asarray(float("nan"), dtype="float32"))
    with pytest.raises(OverflowError):
        int(xarr.asarray(float("inf"), dtype="float32"))


def test_more_than_one_element_is_no_number() -> None:
    x = xarr.ones(2, dtype="int32")
    for convert in (bool, int, float, complex, operator.index):
        with pytest.raises((TypeError, ValueError)):
            convert(x)


def key_of(pick: Pick, shape: tuple[int, ...]) -> Any:
    """A key of integers, slices, an ellipsis and new axes."""
    return pick.draw(XPS.indices(shape, allow_newaxis=True, allow_ellipsis=True))


def masked(pick: Pick, shape: tuple[int, ...]) -> Operand:
    return pick.array(shape, dtype="bool", layout="contiguous")


@pytest.mark.parametrize("dtype", SOME)
@hypothesis.settings(max_examples=8)
@hypothesis.given(data=st.data())
def test_getitem(dtype: str, data: st.DataObject) -> None:
    needs(dtype)
    pick = Pick(data.draw, dtype, plain=dtype != "float32")
    x = pick.array(pick.one((5,), (3, 4), (2, 3, 2)))
    key = key_of(pick, x.host.shape)
    call = Call(f"asarray(...)[{key!r}]", (x,))
    with shown(call):
        exact(call, call.on(xarr, lambda x: x[key]), call.on(array_api_strict, lambda x: x[key]))


@pytest.mark.parametrize("dtype", SOME)
@hypothesis.settings(max_examples=5)
@hypothesis.given(data=st.data())
def test_getitem_of_masks_and_integer_arrays(dtype: str, data: st.DataObject) -> None:
    needs(dtype)
    pick = Pick(data.draw, dtype, plain=True)
    x = pick.array(pick.one((5,), (3, 4)))
    rows = pick.array((pick.integer(1, 4),), -3, 2, dtype="int64", layout="contiguous")
    calls = [(Call("take by mask", (x, masked(pick, x.host.shape))), lambda x, key: x[key])]
    if x.host.ndim == 2:
        # The standard has integer arrays together with integers, one for each axis.
        calls.append((Call("take by integers", (x, rows)), lambda x, key: x[key, 1]))
        calls.append((Call("take by integers", (x, rows)), lambda x, key: x[key, key]))
    for call, take in calls:
        with shown(call):
            exact(call, call.on(xarr, take), call.on(array_api_strict, take))


@pytest.mark.parametrize("dtype", SOME)
@hypothesis.settings(max_examples=8)
@hypothesis.given(data=st.data())
def test_setitem(dtype: str, data: st.DataObject) -> None:
    needs(dtype)
    pick = Pick(data.draw, dtype, plain=True)
    x = pick.array(pick.one((5,), (3, 4), (2, 3, 2)))
    key = pick.draw(XPS.indices(x.host.shape, allow_ellipsis=True))
    place = x.host[key].shape
    value = pick.one(
        standard.of_python(pick, -9, 9),
        pick.array(place, layout="contiguous"),
        pick.array(place[1:], layout="contiguous"),
    )

    def put(x: Any, value: Any) -> Any:
        x = x.__array_namespace__().asarray(x, copy=True)
        x[key] = value
        return x

    call = Call(f"put at {key!r}", (x, value))
    with shown(call):
        exact(call, call.on(xarr, put), call.on(array_api_strict, put))


@hypothesis.settings(max_examples=8)
@hypothesis.given(data=st.data())
def test_setitem_of_masks(data: st.DataObject) -> None:
    pick = Pick(data.draw, "float32", plain=True)
    x = pick.array(pick.one((5,), (3, 4)))
    mask = masked(pick, x.host.shape)

    def put(x: Any, mask: Any) -> Any:
        x = x.__array_namespace__().asarray(x, copy=True)
        x[mask] = 7.0
        return x

    call = Call("put by mask", (x, mask))
    with shown(call):
        exact(call, call.on(xarr, put), call.on(array_api_strict, put))


def test_setitem_keeps_and_promotes_data_types() -> None:
    x = xarr.zeros(3, dtype="float32")
    x[1] = 2
    x[2] = xarr.asarray(3, dtype="float32")
    assert (x.dtype, x.tolist()) == (xarr.float32, [0, 2, 3])
    x = xarr.zeros(3, dtype="int64")
    x[:2] = xarr.asarray([5, 6], dtype="int8")
    assert (x.dtype, x.tolist()) == (xarr.int64, [5, 6, 0])
    x = xarr.zeros(3, dtype="complex64")
    x[0] = xarr.asarray(1.5, dtype="float32")
    assert (x.dtype, x.tolist()) == (xarr.complex64, [1.5, 0, 0])


def test_errors_of_indexing() -> None:
    x = xarr.zeros((2, 3))
    for key in (2, (0, 3), (0, 0, 0), (slice(None), -4)):
        with pytest.raises(IndexError):
            x[key]
    for key in (1.5, "word"):
        with pytest.raises((IndexError, TypeError)):
            x[key]
    with pytest.raises(IndexError):
        x[xarr.asarray([True, False, True])]


def test_iteration_of_one_axis() -> None:
    assert [float(value) for value in xarr.asarray([1.0, 2.0], dtype="float32")] == [1, 2]


def test_to_device() -> None:
    x = xarr.asarray([1.0, 2.0], dtype="float32")
    for device in xarr.__array_namespace_info__().devices():
        moved = x.to_device(device)
        assert moved.device == device
        assert (moved.dtype, moved.tolist()) == (x.dtype, x.tolist())
        assert moved.to_device(x.device, stream=None).device == x.device
        assert xarr.empty_like(moved).device == device
        assert (moved + 1).device == device
        assert xarr.asarray(moved).device == device


HOST = (1, 0)
"""DLPack's name of the memory of the host."""


@pytest.mark.parametrize("dtype", ALL)
def test_values_come_from_and_go_to_other_libraries(dtype: str) -> None:
    needs(dtype)
    host = np.arange(12).reshape(3, 4).astype(dtype)
    for given in (host, host[::2, ::-1], host.T, host[:0], host[1, 1]):
        for other in (np.asarray(given), array_api_strict.asarray(given)):
            x = xarr.from_dlpack(other)
            assert type(x) is xarr.Array
            assert (str(x.dtype), x.tolist()) == (dtype, given.tolist())
            copied = xarr.from_dlpack(other, copy=True)
            assert copied.tolist() == given.tolist()
        x = xarr.asarray(given)
        back = np.from_dlpack(x.to_device(x.device)) if x.__dlpack_device__()[0] == 1 else None
        own = np.from_dlpack(x, copy=True) if x.__dlpack_device__()[0] == 1 else None
        for result in (back, np.from_dlpack(x, device="cpu"), own):
            if result is not None:
                np.testing.assert_array_equal(result, given)
                assert result.dtype == dtype


def test_a_copy_shares_nothing() -> None:
    host = np.zeros(3, np.float32)
    x = xarr.from_dlpack(host, copy=True)
    x[0] = 1
    assert host[0] == 0
    back = np.from_dlpack(x, device="cpu", copy=True)
    x[1] = 1
    assert back.tolist() == [1, 0, 0]


def test_a_pending_array_is_computed_before_it_is_exported() -> None:
    x = xarr.ones(5, dtype="float32") * 3
    np.testing.assert_array_equal(np.from_dlpack(x, device="cpu"), np.full(5, 3, np.float32))


def test_the_protocol() -> None:
    x = xarr.ones(3, dtype="float32")
    kind, number = x.__dlpack_device__()
    assert isinstance(kind, int)
    assert isinstance(number, int)
    for version in (None, (1, 0), (1, 1), (2, 0)):
        assert "dltensor" in repr(x.__dlpack__(max_version=version, dl_device=HOST))
    with pytest.raises((BufferError, ValueError)):
        x.__dlpack__(dl_device=(8, 0))
    for other in (x, xarr.permute_dims(xarr.ones((2, 3)), (1, 0))):
        again = xarr.from_dlpack(other)
        assert again.device == other.device
        assert again.tolist() == other.tolist()
    with pytest.raises(AttributeError):
        xarr.from_dlpack(object())


@pytest.mark.parametrize("dtype", [name for name in NUMERIC if has(name)][:1])
def test_arrays_of_another_device(dtype: str) -> None:
    for device in xarr.__array_namespace_info__().devices():
        x = xarr.from_dlpack(np.ones(3, dtype), device=device)
        assert x.device == device
        assert x.tolist() == [1, 1, 1]
