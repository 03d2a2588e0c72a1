"""Single elements: read and written in place where that can be, in the order of the program."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

import xarr
from tests.comparing import DTYPES, computed_together
from tests.launching import storage_of, watched
from xarr.errors import ImplicitTransferError
from xarr.tape.tape import tape_of


@pytest.fixture(autouse=True)
def nothing_asked_before() -> None:
    xarr.synchronize()


def reaches() -> bool:
    return xarr.default_device().info.host_addressable


def wild(dtype: str, count: int = 64) -> Any:
    """Numbers of any bits but that a bool is 0 or 1."""
    bits = np.random.default_rng(1).integers(0, 256, count * np.dtype(dtype).itemsize, np.uint8)
    return (bits % 2).astype(bool) if dtype == "bool" else bits.view(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_element_has_its_bits_when_read_and_when_written(dtype: str) -> None:
    host = wild(dtype)
    host[:1] = np.asarray([-0.0]).astype(dtype)
    if np.dtype(dtype).kind in "fc":
        host[1:5] = [np.nan, -np.nan, np.inf, -np.inf]
    x, y = xarr.asarray(host), xarr.asarray(np.zeros_like(host))
    for place in range(len(host)):
        got = np.asarray(x[place])
        assert got.dtype == host.dtype
        assert got.tobytes() == host[place].tobytes()
        y[-1 - place] = x[place]
    assert np.asarray(y).tobytes() == host[::-1].tobytes()


@pytest.mark.skipif(not reaches(), reason="the host does not reach into this device's memory")
def test_a_loop_over_elements_launches_nothing() -> None:
    host = np.random.default_rng(0).uniform(1, 2, (6, 7))
    x = xarr.asarray(host.copy())
    with watched() as seen:
        for row in range(1, 6):
            for column in range(7):
                x[row, column] -= x[row, :column] @ host_or(x, row, column)
                x[row, column] = xarr.sqrt(max(x[row, column], x[row - 1, column] / 9.0))
    assert not seen.launches
    for row in range(1, 6):
        for column in range(7):
            host[row, column] -= host[row, :column] @ host_or(host, row, column)
            host[row, column] = np.sqrt(max(host[row, column], host[row - 1, column] / 9.0))
    assert np.asarray(x).tobytes() == host.tobytes()


def host_or(x: Any, row: int, column: int) -> Any:
    return x[row - 1, :column]


def test_the_ends_of_a_stencil_stay_in_its_kernels() -> None:
    def steps(u: Any, count: int) -> None:
        for _ in range(count):
            u[1:-1] = (u[:-2] + u[2:]) * 0.5
            u[0] = u[1]
            u[-1] = u[-2]

    host = np.random.default_rng(0).uniform(1, 2, 5000)
    u = xarr.asarray(host.copy())
    steps(u, 1)
    with watched() as seen:
        steps(u, 4)
        assert not seen.launches
    steps(host, 5)
    assert np.asarray(u).tobytes() == host.tobytes()


@pytest.mark.skipif(not reaches(), reason="the host does not reach into this device's memory")
def test_what_has_nothing_to_do_with_an_element_stays_pending() -> None:
    x, y = xarr.asarray(np.arange(9.0)), xarr.asarray(np.ones(9))
    total = y + 1
    with watched() as seen:
        x[2] = x[1] + 5.0
    assert not seen.launches
    assert storage_of(total).buffer is None
    assert not tape_of(x.device).names(storage_of(x))
    assert x.tolist()[:3] == [0, 1, 6]


def test_what_cannot_be_written_is_refused() -> None:
    whole = xarr.asarray(np.arange(3))
    with pytest.raises(OverflowError):
        whole[0] = 1 << 70
    assert whole.tolist() == [0, 1, 2]


def test_an_element_to_the_host_is_a_hidden_transfer() -> None:
    x = xarr.asarray(np.arange(3.0))
    with xarr.no_implicit_transfer(), pytest.raises(ImplicitTransferError):
        float(x[1])
    with xarr.no_implicit_transfer(), pytest.raises(ImplicitTransferError):
        float(x @ x)


@pytest.mark.skipif(not reaches(), reason="the host does not reach into this device's memory")
def test_memory_of_numpy_is_seen_as_it_is_now() -> None:
    host = np.arange(4.0)
    x = xarr.from_dlpack(host)
    for value in (5.0, 6.0):
        host[2] = value
        assert float(x[2]) == value
    x[1] = 9.0
    assert host[1] == 9


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "uint64", "float64"])
def test_numbers_that_are_known_are_combined_as_kernels_do(dtype: str) -> None:
    host = wild(dtype, 24)
    if dtype == "float64":
        host[:6] = [0.0, -0.0, np.inf, -np.inf, 1e308, -1.5]
    host = host[~np.isnan(host)]
    x = xarr.asarray(host)
    names = ["add", "subtract", "multiply", "less", "equal", "not_equal", "greater_equal"]
    names += ["divide", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_right_shift"]
    names += ["bitwise_left_shift"]
    calls: list[tuple[str, tuple[int, ...]]]
    calls = [(name, shifts) for name in names for shifts in ((0, 1), (0, 5))]
    calls += [(name, (0,)) for name in ("negative", "abs", "sqrt")]
    forms, whole = [], []
    for name, shifts in calls:
        with contextlib.suppress(TypeError):
            whole.append(getattr(xarr, name)(*[xarr.roll(x, -shift) for shift in shifts]))
            forms.append((name, shifts))
    computed_together(whole)
    for (name, shifts), wanted in zip(forms, map(np.asarray, whole), strict=True):
        for place in range(len(host)):
            places = [(place + shift) % len(host) for shift in shifts]
            got = np.asarray(getattr(xarr, name)(*[x[place] for place in places]))
            assert got.dtype == wanted.dtype
            assert got.tobytes() == wanted[place].tobytes(), (name, host[places])
