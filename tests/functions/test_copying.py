"""Pinned memory, copies that nobody waits for, and the figures and limits of a device's memory."""

from __future__ import annotations

import copy
import gc
import pickle
import random
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import xarr
from tests.functions.calls import all_refused
from tests.reference import assert_same
from xarr.backends.base import Driver


@pytest.mark.parametrize("shape", [0, 1, 257, (3, 0), (2, 3), ()])
@pytest.mark.parametrize("dtype", ["float32", "int8", "complex64", "bool"])
def test_pinned_memory(device: xarr.Device, shape: Any, dtype: str) -> None:
    host = xarr.empty_pinned(shape, dtype)
    assert type(host) is np.ndarray
    assert host.dtype == dtype
    assert host.shape == np.empty(shape).shape
    host[...] = 1
    x = xarr.zeros(shape, dtype=dtype) + 0
    assert xarr.copyto_async(x.astype(dtype), host).device is device
    x = x.astype(dtype)
    xarr.copyto_async(x, host).synchronize()
    assert_same(np.asarray(x), host, "copied in")
    back = xarr.empty_pinned(shape, dtype)
    xarr.copyto_async(back, x).synchronize()
    assert_same(back, host, "copied out")


def test_pinned_memory_is_given_back(device: xarr.Device) -> None:
    for _ in range(200):
        xarr.empty_pinned(1 << 24, "int8")[0] = 1
    kept = xarr.empty_pinned(4, "int32")[1:].view("int16")
    gc.collect()
    kept[:] = 5
    assert kept.sum() == 30
    default = xarr.float64 if device.has_float64 else xarr.float32
    assert xarr.empty_pinned(3).dtype == default


@pytest.mark.parametrize("seed", range(6))
def test_random_copies(device: xarr.Device, seed: int) -> None:
    """Copies both ways on several streams, between operations and writes, come in order."""
    draw = random.Random(seed)
    size = draw.choice((7, 1000, 400_000))
    streams = [None, *(xarr.Stream(priority=-place) for place in range(2))]
    hosts = [np.arange(size, dtype="int64") + place for place in range(3)]
    arrays = [xarr.asarray(host) for host in hosts]
    pinned = [xarr.empty_pinned(size, "int64") for _ in range(3)]
    out = list[tuple[Any, Any, Any]]()
    for number in range(40):
        first, second = draw.randrange(3), draw.randrange(3)
        match draw.randrange(5):
            case 0:
                given = np.arange(size) * number
                xarr.copyto_async(arrays[first], given, stream=draw.choice(streams))
                hosts[first][...] = given
            case 1:
                half = size // 2
                given = np.arange(half) - number
                xarr.copyto_async(arrays[first][1::2][:half], given, stream=draw.choice(streams))
                hosts[first][1::2][:half] = given
            case 2:
                arrays[first] += arrays[second] * 3
                hosts[first] += hosts[second] * 3
            case 3:
                xarr.copyto_async(arrays[first], arrays[second], stream=draw.choice(streams))
                xarr.copyto_async(arrays[first][1:], arrays[first][:-1]).wait()
                hosts[first][...] = hosts[second]
                hosts[first][1:] = hosts[first][:-1].copy()
            case _:
                target = pinned[len(out) % 3]
                for event, there, wanted in out[-3:]:
                    event.synchronize()
                    if there is target:
                        assert_same(there, wanted, f"seed {seed}")
                event = xarr.copyto_async(target, arrays[first], stream=draw.choice(streams))
                out.append((event, target, hosts[first].copy()))
    for array, host in zip(arrays, hosts, strict=True):
        assert_same(np.asarray(array), host, f"seed {seed}")


def test_memory_of_a_copy_that_is_done_is_let_go(device: xarr.Device) -> None:
    class Host(np.ndarray[Any, Any]):
        pass

    host = np.empty(100_000, "float32").view(Host)
    kept = weakref.ref(host)
    xarr.copyto_async(host, xarr.arange(100_000, dtype="float32") * 2)
    del host
    device.synchronize()
    gc.collect()
    assert kept() is None


def test_what_a_copy_refuses(device: xarr.Device) -> None:
    x = xarr.zeros(4, dtype="float32")
    host = np.ones(4, "float32")
    fixed = host.copy()
    fixed.flags.writeable = False
    all_refused(
        """
        np.copyto_async(host, host) ! TypeError: one a NumPy array
        np.copyto_async(x, x[:3]) ! ValueError: shapes are
        np.copyto_async(x, x.astype("int32")) ! TypeError: dtypes are float32 and int32
        np.copyto_async(np.broadcast_to(x[:1], (4,)), x) ! ValueError: read-only
        np.copyto_async(x, [1, 2, 3, 4]) ! TypeError: src of list
        np.copyto_async(x, host.astype("int32")) ! TypeError: dtypes are float32 and int32
        np.copyto_async(x, host[:3]) ! ValueError: shapes are
        np.copyto_async(x, numpy.ones(8, "float32")[::2]) ! ValueError: not in one piece
        np.copyto_async(np.broadcast_to(x[:1], (4,)), host) ! ValueError: read-only
        np.copyto_async(fixed, x) ! ValueError: dst cannot be written
        np.copyto_async(x, host, stream=np.Stream(other)) ! ValueError: stream is on
        np.empty_pinned((2, -1)) ! ValueError: not be negative
        np.empty_pinned(2, "nonsense") ! TypeError: dtype
        """,
        {"x": x, "host": host, "fixed": fixed, "other": device.pretending("as-gpu")},
    )
    assert_same(np.asarray(x), np.zeros(4, "float32"), "unchanged")


@pytest.fixture
def limited(device: xarr.Device) -> Iterator[xarr.Device]:
    """A device that is trimmed, and whose limit is lifted afterwards."""
    gc.collect()
    device.memory.trim()
    yield device
    device.memory.limit = None


def test_memory_has_figures_and_a_limit(limited: xarr.Device) -> None:
    memory = limited.memory
    assert memory.total == limited.memory_nbytes
    before = memory.used
    x = xarr.ones(1_000_000, dtype="float32") + 0
    xarr.synchronize(x)
    assert memory.used == before + 4_000_000
    assert memory.peak >= memory.used
    assert memory.limit is None
    memory.limit = memory.used + 5_000_000
    y = x + 1
    xarr.synchronize(y)
    assert memory.limit == before + 9_000_000
    with pytest.raises(
        MemoryError, match=f"may have {before + 9_000_000:,} bytes, and have {memory.used:,}"
    ):
        xarr.synchronize(x + 2)
    assert float(y[0]) == 2
    del y
    z = x + 3
    assert float(z[0]) == 4
    del x, z
    gc.collect()
    held = memory.held
    memory.trim()
    holds = type(limited.driver).release_memory is not Driver.release_memory
    assert (memory.held < held) is holds
    assert f"used {memory.used:,}" in repr(memory)
    for wrong in (-1, 1.5, "3"):
        with pytest.raises(ValueError, match="0 or more"):
            memory.limit = wrong  # type: ignore[assignment]


def test_a_device_says_what_it_is(device: xarr.Device) -> None:
    info = device.info
    assert info.subgroup_size >= 1
    assert info.compute_units >= 1
    assert info.group_size >= 64
    assert info.local_nbytes > 0
    assert device.can_access(device)
    stream = xarr.Stream(priority=-1)
    assert stream.priority in (0, -1)
    with stream:
        assert xarr.current_stream().pointer == stream.pointer
    assert xarr.current_stream().pointer != stream.pointer


def test_errors_of_a_driver_have_its_code(device: xarr.Device) -> None:
    if device.info.dialect == "c":
        pytest.skip("there is no driver")
    one, other = device.driver.allocate(64), device.driver.allocate(64)
    with pytest.raises(xarr.DeviceError) as caught:
        device.driver.copy(one, 0, other, 0, 1 << 46)  # beyond the end of both
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.code, again.name, str(again)) == (
        caught.value.code,
        caught.value.name,
        str(caught.value),
    )
    assert caught.value.code != 0
    assert caught.value.name.startswith(("CL_", "CUDA_ERROR", "hipError"))
    assert float((xarr.ones(3) + 1).sum()) == 6


def test_a_copied_number_is_its_own() -> None:
    x = xarr.asarray([1, 2, 3])[0]
    y, z = copy.copy(x), copy.deepcopy(x)
    x[()] = 5
    assert (int(x), int(y), int(z)) == (5, 1, 1)
