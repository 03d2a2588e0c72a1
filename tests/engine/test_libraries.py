"""Products of a library on the tape: in order, by themselves, where somebody needs them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import xarr
from tests.launching import watched
from tests.reference import assert_same
from xarr import tuning
from xarr.array.array import Array
from xarr.ir.views import View
from xarr.ops import vendor
from xarr.runtime import host_functions


@pytest.fixture(autouse=True)
def fused() -> Iterator[None]:
    with host_functions.fused():
        yield


class Routine:
    """A library's product of matrices, by NumPy, which counts its calls and may fail."""

    def __init__(self) -> None:
        self.calls = 0
        self.failures = 0

    def __call__(self, first: Any, second: Any, *, out: Any) -> None:
        self.calls += 1
        if self.failures:
            self.failures -= 1
            raise RuntimeError("the library is out of order")
        out[...] = first @ second


@pytest.fixture
def routine() -> Routine:
    if xarr.default_device().info.backend not in ("cpu", "opencl", "cupy"):
        pytest.skip("no arrays that NumPy or CuPy take")
    return Routine()


@pytest.fixture
def multiply(routine: Routine) -> Callable[[Array, Array], Array]:
    def product(first: Array, second: Array) -> Array:
        one, two = first._view, second._view
        shape = (one.shape[0], two.shape[1])
        found: View = vendor.recorded("matmul", routine, (one, two), shape, one.dtype)
        return Array(found)

    return product


def numbers(rows: int, columns: int) -> np.ndarray:
    return (np.arange(rows * columns) % 7 - 3.0).astype("f4").reshape(rows, columns)


Multiply = Callable[[Array, Array], Array]


def test_order(multiply: Multiply) -> None:
    """Expressions before and behind it, views, and writes to operands and to the result."""
    for turn in range(4):
        a, b = numbers(6, 8) + turn, numbers(8, 5)
        x, y = xarr.asarray(a), xarr.asarray(b)
        product = multiply((x + 1)[1:5], y[:, 1:4] * 2)
        x[...] = 0
        y += 1
        again = multiply(product, y[:3])
        product[0] = 9
        first = (a + 1)[1:5] @ (b[:, 1:4] * 2)
        second = first @ (b + 1)[:3]
        first[0] = 9
        np.testing.assert_array_equal(xarr.to_numpy(again - 1), second - 1)
        np.testing.assert_array_equal(xarr.to_numpy(product), first)


def test_constants_and_views_that_it_does_not_take(multiply: Multiply, routine: Routine) -> None:
    a = numbers(4, 4)
    ones = xarr.ones((4, 4), dtype="float32")
    np.testing.assert_array_equal(
        xarr.to_numpy(multiply(xarr.asarray(a), ones)), a.sum(1)[:, None] + 0 * a
    )
    asked: list[tuple[int, ...]] = []

    def takes(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
        asked.append(strides)
        return strides[-1] == 1

    vars(routine)["takes"] = takes
    x = xarr.asarray(a)
    product = multiply(x[::-1, ::-1], x)
    assert asked == [(-4, -1), (4, 1)]
    (step,) = [
        step for step in x.device.tape.instructions if step.opcode.operation.name == "matmul"
    ]
    assert {view.layout.strides for view in step.views} == {(4, 1)}
    del product


def test_what_nobody_needs_is_not_computed(multiply: Multiply, routine: Routine) -> None:
    x = xarr.asarray(numbers(4, 4))
    multiply(x, x)
    y = x + 1
    xarr.synchronize()
    assert routine.calls == 0
    assert float(y[0, 0]) == -2


def test_it_waits_for_who_needs_it(multiply: Multiply, routine: Routine) -> None:
    """What a function's names held until it returned is not stored for the product alone."""
    x = xarr.asarray(numbers(64, 64))

    def weighted(x: Array) -> Array:
        scaled = x * 0.5
        weights = scaled / scaled.max()
        return multiply(weights, x) + 1

    for _ in range(3):
        with watched() as seen:
            found = weighted(x)
            assert routine.calls == 0
            xarr.synchronize()
        assert sum(seen.stored()) <= 3  # the maximum, the weights and the result
        routine.calls = 0
    a = numbers(64, 64)
    scaled = a * np.float32(0.5)
    np.testing.assert_allclose(xarr.to_numpy(found), (scaled / scaled.max()) @ a + 1, 1e-5)


def test_one_that_fails_is_tried_again(multiply: Multiply, routine: Routine) -> None:
    x = xarr.asarray(numbers(3, 3))
    for _ in range(3):
        routine.failures = 1
        product, other = multiply(x, x) + 1, x * 3
        with pytest.raises(RuntimeError, match="out of order"):
            xarr.to_numpy(product)
        np.testing.assert_array_equal(xarr.to_numpy(other), numbers(3, 3) * 3)
        np.testing.assert_array_equal(xarr.to_numpy(product), numbers(3, 3) @ numbers(3, 3) + 1)


def test_explain_and_profile_name_it(multiply: Multiply) -> None:
    x = xarr.asarray(numbers(8, 8))
    product = multiply(x + 1, x)
    text = str(xarr.explain(product))
    assert "kernel 2: the device's library, 768 bytes" in text
    with xarr.profile() as p:
        product = multiply(x + 1, x)
        xarr.synchronize()
    (cost,) = [cost for cost in p.kernels if "library" in cost.what]
    assert cost.what == "matmul of the device's library"
    assert (cost.launches, cost.nbytes) == (1, 768)


def test_nan_is_last_in_a_librarys_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries may sort by bits, as CUB, so that NaN with a sign comes first."""
    if xarr.default_device().info.backend not in ("cpu", "opencl"):
        pytest.skip("no arrays that NumPy takes")
    called = []

    def by_bits(x: Any, axis: int) -> Any:
        called.append(x.dtype)
        host = np.asarray(x)
        is_first = np.isnan(host) & np.signbit(host) if host.dtype.kind == "f" else host != host
        return np.concatenate([host[is_first], np.sort(host[~is_first], axis=axis)])

    monkeypatch.setattr(vendor, "runs_on_numpy", lambda device: False)
    monkeypatch.setattr(vendor, "routine", lambda name, *_: by_bits)
    monkeypatch.setattr(tuning, "LIBRARY_SORT", 2)
    floats = np.asarray([1, np.nan, 3, -0.0, 0.0, -np.nan, -np.inf], "f4")
    wanted = np.asarray([3, 1, -0.0, 0.0, -np.inf, np.nan, np.nan], "f4")
    assert_same(np.asarray(xarr.sort(xarr.asarray(floats), descending=True)), wanted, "sort")
    rising = np.asarray([-np.inf, -0.0, 0.0, 1, 3, np.nan, np.nan], "f4")
    assert_same(np.asarray(xarr.sort(xarr.asarray(floats))), rising, "ascending")
    for dtype in ("int8", "uint16", "bool"):
        x = np.asarray([3, 0, 255, 128, 1]).astype(dtype)
        found = np.asarray(xarr.sort(xarr.asarray(x), descending=True))
        assert_same(found, np.sort(x)[::-1], dtype)
    assert len(called) >= 5


@pytest.mark.parametrize("tier", ["fused", ""])
def test_its_other_functions_are_instructions_too(
    tier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results have their own memory, or share some; a sort has its derivative."""
    if xarr.default_device().info.backend not in ("cpu", "opencl"):
        pytest.skip("no arrays that NumPy takes")
    monkeypatch.setattr(host_functions.tier, "name", tier)
    monkeypatch.setattr(vendor, "runs_on_numpy", lambda device: False)
    monkeypatch.setattr(vendor, "routine", lambda name, *_: operator.attrgetter(name)(np))

    def call(x: Array) -> tuple[Array, ...]:
        found = xarr.sort(x, axis=0, descending=True), *xarr.linalg.eigh(x.T @ x)
        return *found, xarr.linalg.inv(x[:2]), *xarr.linalg.slogdet(x[1:])

    jitted = xarr.jit(call)
    for turn in range(3):
        x = xarr.asarray([[3.0, 1.0], [2.0, 5.0], [4.0, 0.0]]) + turn
        wanted, found = call(x), jitted(x)
        assert [one.tolist() for one in found] == [one.tolist() for one in wanted]
    assert wanted[0].tolist() == [[6.0, 7.0], [5.0, 3.0], [4.0, 2.0]]
    slope = xarr.grad(lambda x: (xarr.sort(x, axis=0) * xarr.asarray([[0], [2], [4]])).sum())(x)
    assert slope.tolist() == [[2.0, 2.0], [0.0, 4.0], [4.0, 0.0]]
    batched = xarr.vmap(lambda row: xarr.sort(row, descending=True))(x)
    assert batched.tolist() == [[5.0, 3.0], [7.0, 4.0], [6.0, 2.0]]
    with xarr.profile() as p:
        xarr.linalg.inv(x[:2])
    assert "linalg.inv of the device's library" in [cost.what for cost in p.kernels]
