"""Creation as NumPy's programs write it: positions, keywords, orders, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr as xp
from tests.comparing import device

CALLS: Any = [
    lambda n: n.arange(start=2, stop=9, step=3),
    lambda n: n.arange(stop=4),
    lambda n: n.arange(0, 1, 0.25, "f4"),
    lambda n: n.arange(5, 7, 3, dtype="int8"),
    lambda n: n.arange(0, 300, 300, dtype="int8"),
    lambda n: n.arange(1e10, 1e10 + 3, 0.5, dtype="float16"),
    lambda n: n.arange(2, dtype=bool),
    lambda n: n.arange(3.5, -1, -1.5),
    lambda n: n.linspace(0, 5, 4, dtype=int),
    lambda n: n.linspace(0, 1, 5, False, True)[1],
    lambda n: n.linspace([0, 1], [3, 5], 4),
    lambda n: n.linspace([0.0, 1.0], 2, 3, axis=-1),
    lambda n: n.linspace(n.asarray([[1.0], [2.0]]), n.asarray([3.0, 5.0]), 3, axis=1),
    lambda n: n.linspace([0, 1], [3, 5], 4, endpoint=False, retstep=True)[1],
    lambda n: n.linspace([0, 1j], 2, 3),
    lambda n: n.linspace([1, 2], 9, 1),
    lambda n: n.linspace([1, 2], 9, 0),
    lambda n: n.linspace([0, -1], [7, 8], 6, dtype="int32"),
    lambda n: n.zeros((2, 3), "f4", "F"),
    lambda n: n.ones(3, int, "C"),
    lambda n: n.full((2, 2), 3, "f4", "F"),
    lambda n: n.full(2, 300.5, "int8"),
    lambda n: n.full(2, [1.5, 2.5], int),
    lambda n: n.zeros_like(n.ones((2, 3), dtype="f4"), None, "F"),
    lambda n: n.ones_like([[1, 2], [3, 4]], "f4"),
    lambda n: n.full_like(n.ones((2, 3)), 7, None, "K", True, (4,)),
    lambda n: n.zeros_like(n.ones((2, 3)).T),
    lambda n: n.zeros_like(n.ones((2, 3, 4)).transpose(1, 0, 2), "i4"),
    lambda n: n.eye(3, 4, 1, "f4", "F"),
    lambda n: n.eye(N=2, M=3),
    lambda n: n.identity(3, "i4"),
    lambda n: n.tri(3, 4, 1, "i4"),
    lambda n: n.tril([[1, 2], [3, 4]], -1),
    lambda n: n.triu([1, 2, 3]),
    lambda n: n.array([[1, 2], [3, 4]], "f4", order="F"),
    lambda n: n.array([1, 2], ndmin=3),
    lambda n: n.array(object=[1, 2], dtype=float, copy=True, subok=False),
    lambda n: n.array(n.ones((2, 3)).T),
    lambda n: n.array(n.ones((2, 3)).T, order="C"),
    lambda n: n.array(n.ones((2, 3)).T, "f4", copy=True, order="A"),
    lambda n: n.asarray([[1, 2]], float, "F"),
    lambda n: n.copy(n.ones((2, 3, 4)).transpose(2, 0, 1)),
    lambda n: n.ones((2, 3, 4)).transpose(2, 0, 1).copy("K"),
    lambda n: n.ones((2, 3)).T.copy(),
    lambda n: n.asfortranarray([[1, 2, 3]]),
    lambda n: n.asfortranarray(3),
    lambda n: n.ascontiguousarray(n.ones((2, 3)).T),
    lambda n: n.require(n.ones((2, 3)).T, "f4", ["C", "W"]),
    lambda n: n.require(n.ones((2, 3)), requirements="F"),
    lambda n: n.asarray_chkfinite([1.0, 2.0]),
    lambda n: n.frombuffer(b"\1\0\2\0\3\0", "i2", 2, 2),
    lambda n: n.frombuffer(b"\1\0\2\0", dtype=n.uint8),
    lambda n: n.fromiter((i * i for i in range(5)), float),
    lambda n: n.fromiter(range(9), "i4", count=3),
    lambda n: n.arange(6).reshape(2, 3).ravel("F"),
    lambda n: n.arange(6).reshape(2, 3).T.ravel("A"),
    lambda n: n.arange(24).reshape(2, 3, 4).transpose(1, 2, 0).ravel("K"),
    lambda n: n.arange(6).reshape(2, 3).flatten("F"),
    lambda n: n.arange(6).reshape(2, 3).T.flatten("K"),
    lambda n: n.arange(6).reshape((2, 3), order="F"),
    lambda n: n.arange(6).reshape(3, 2).T.reshape(6, order="A"),
    lambda n: n.arange(6).reshape(2, 3).astype("f4", "F"),
    lambda n: n.vander([1, 2, 3, 5], 3),
    lambda n: n.vander(n.asarray([1.5, 2.0]), increasing=True),
    lambda n: n.vander([1j, 2]),
    lambda n: n.vander([1, 2], 0),
]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_calls_give_what_numpy_gives(call: Any) -> None:
    if not device().has_float64:
        pytest.skip("default types differ")
    with np.errstate(all="ignore"):
        got, wanted = call(xp), np.asarray(call(np))
    if isinstance(got, float):
        assert got == wanted
        return
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(xp.to_numpy(got), wanted)
    assert got.flags.c_contiguous == wanted.flags.c_contiguous
    assert got.flags.f_contiguous == wanted.flags.f_contiguous


NEARLY: Any = [
    lambda n: n.logspace(0, 3, 7),
    lambda n: n.logspace([0, 1], [2, 3], 4, base=2.0, axis=1),
    lambda n: n.logspace(0, 3, 4, base=[2.0, 3.0]),
    lambda n: n.logspace(0, 1, 3, True, 2, "f4"),
    lambda n: n.geomspace(1, 256, 9),
    lambda n: n.geomspace(-1, -1000, 4),
    lambda n: n.geomspace([1, 2], [1000, 16], 4, axis=-1),
    lambda n: n.geomspace(1, 256, 9, endpoint=False),
    lambda n: n.geomspace(1j, 1000j, 4),
    lambda n: n.geomspace(-1 + 0j, 1 + 0j, 5),
]


@pytest.mark.parametrize("call", NEARLY, ids=range(len(NEARLY)))
def test_progressions_give_nearly_what_numpy_gives(call: Any) -> None:
    if not device().has_float64:
        pytest.skip("default types differ")
    got, wanted = call(xp), call(np)
    assert got.dtype == wanted.dtype
    np.testing.assert_allclose(
        xp.to_numpy(got), wanted, rtol=1e-6 if wanted.dtype == "f4" else 1e-14, atol=1e-15
    )


REFUSED: Any = [
    lambda n: n.arange(1e10, 1e10 + 5, 0.5, dtype="int32"),
    lambda n: n.arange(0, 2**40, 2**38, dtype="uint8"),
    lambda n: n.arange(-1, 2, dtype="uint8"),
    lambda n: n.arange(5, dtype=bool),
    lambda n: n.asarray(float("nan"), dtype="int8"),
    lambda n: n.asarray([1.0, float("nan")], dtype="uint64"),
    lambda n: n.asarray(float("inf"), dtype="int64"),
    lambda n: n.asarray(300.7, dtype="int8"),
    lambda n: n.asarray([-1.5], dtype="uint8"),
    lambda n: n.asarray(1e19, dtype="int64"),
    lambda n: n.full(3, 300, "int8"),
    lambda n: n.linspace(0, 1, -1),
    lambda n: n.linspace([0], 1, 2, axis=3),
    lambda n: n.geomspace(0, 1),
    lambda n: n.frombuffer(b"123", "i4"),
    lambda n: n.frombuffer(b"1234", "i4", 2),
    lambda n: n.fromiter([1, 2], "i4", count=3),
    lambda n: n.asarray_chkfinite([1.0, float("inf")]),
    lambda n: n.require([1], requirements="CF"),
    lambda n: n.require([1], requirements="Z"),
    lambda n: n.zeros(2, order="Z"),
    lambda n: n.copyto(n.zeros(2, dtype="i4"), 1.5),
    lambda n: n.copyto(n.zeros(2), n.zeros(3)),
    lambda n: n.copyto(n.zeros(2, dtype="i1"), n.zeros(2)),
    lambda n: n.vander([[1]]),
    lambda n: n.ones((2, 3)).ravel("Z"),
    lambda n: n.array(n.ones((2, 3)), copy=False, order="F"),
]


@pytest.mark.parametrize("call", REFUSED, ids=range(len(REFUSED)))
def test_calls_are_refused_as_by_numpy(call: Any) -> None:
    with pytest.raises(Exception) as wanted:  # noqa: PT011 - its type is what is compared
        call(np)
    with pytest.raises(Exception) as got:  # noqa: PT011
        call(xp)
    assert issubclass(got.type, wanted.type) or (
        wanted.type is np.exceptions.AxisError and got.type is np.exceptions.AxisError
    )


@pytest.mark.parametrize(
    ("value", "where"),
    [(5, True), ([1, 2, 3], [True, False, True]), (2, [[True], [False]]), (-1.0, False)],
)
def test_copyto(value: Any, where: Any) -> None:
    host, x = np.zeros((2, 3), "f4"), xp.zeros((2, 3), dtype="f4")
    np.copyto(host, value, where=where)
    xp.copyto(x, xp.asarray(value) if isinstance(value, list) else value, where=where)
    assert x.tolist() == host.tolist()
    y = xp.zeros(3, dtype="i4")
    xp.copyto(y, [1.5, 2.5, 3.5], casting="unsafe")
    assert y.tolist() == [1, 2, 3]


def test_buffers_of_arrays_are_shared() -> None:
    x = xp.arange(4, dtype="i4")
    y = xp.frombuffer(x, "i8", offset=8)
    y[...] = 0
    assert x.tolist() == [0, 1, 0, 0]
    assert y.base is x


def test_lists_that_hold_arrays() -> None:
    a, b = xp.asarray(1.5, dtype="f4"), xp.arange(3, dtype="f4")
    assert xp.array([a, 2, a * 2]).tolist() == [1.5, 2, 3]
    assert xp.array([[a, 1], (2, a)], dtype="f4").tolist() == [[1.5, 1], [2, 1.5]]
    assert xp.array([b, [7, 8, 9], np.ones(3)]).tolist() == [[0, 1, 2], [7, 8, 9], [1, 1, 1]]
    assert xp.array([[b[0], b[1]], b[1:]]).tolist() == [[0, 1], [1, 2]]
    assert xp.array([a, 2], dtype="int8").tolist() == [1, 2]
    for wrong in ([b, [1, 2]], [a, b]):
        with pytest.raises(ValueError, match="same length"):
            xp.array(wrong)


def test_orders_are_kept_where_they_can_be() -> None:
    x = xp.ones((2, 3), order="F")
    assert xp.asarray(x, order="F") is x
    assert xp.asarray(x, order="A") is x
    assert xp.asfortranarray(x) is x
    assert xp.ascontiguousarray(x) is not x
    assert xp.ascontiguousarray(x.T).base is x
    assert xp.require(x, requirements="F") is x
    x[0, 1] = 5
    assert x.ravel("F").tolist() == [1, 1, 5, 1, 1, 1]
    assert x.ravel("K").base is x
