"""Work on several devices at once: copies from one to another, in order, through any backends.

Two devices are enough: two graphics cards, two OpenCL drivers for the processor, or one that is
taken for a graphics card as well.
"""

from __future__ import annotations

import itertools
import pickle
import random

import numpy as np
import pytest

import xarr
from tests.reference import assert_same

FOUND = xarr.devices()
if len(FOUND) == 1:
    FOUND = [*FOUND, FOUND[0].pretending("as-gpu")]
PAIRS = list(itertools.permutations(FOUND, 2))

pair = pytest.mark.parametrize(("first", "second"), PAIRS, ids=str)


@pair
def test_what_was_pickled_comes_to_the_default_device(
    first: xarr.Device, second: xarr.Device
) -> None:
    stored = pickle.dumps(xarr.arange(5, dtype="float32", device=first) + 1)
    with xarr.device(second):
        x = pickle.loads(stored)
    assert x.device is second
    assert x.tolist() == [1, 2, 3, 4, 5]


@pair
def test_a_copy_is_of_the_values_when_it_was_asked_for(
    first: xarr.Device, second: xarr.Device
) -> None:
    host = np.arange(300_000, dtype=np.float32)
    x = xarr.asarray(host, device=first)
    pending = x * 2
    there = x.to_device(second)
    computed = pending.to_device(second)
    every_other = x[::-2].to_device(second)
    x[...] = 0
    assert there.device is computed.device is second
    assert_same(np.asarray(there), host, "before the write")
    assert_same(np.asarray(computed), host * 2, "pending")
    assert_same(np.asarray(every_other), host[::-2], "a view")
    there += 1
    assert_same(np.asarray(x), host * 0, "a copy is apart")
    back = there.to_device(first)
    there[...] = 0
    assert_same(np.asarray(back + x), host + 1, "there and back")


@pair
@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,), (5, 1, 3)], ids=str)
def test_small_arrays(shape: tuple[int, ...], first: xarr.Device, second: xarr.Device) -> None:
    for dtype in (np.int8, np.complex64, np.bool_):
        host = np.ones(shape, dtype)
        there = xarr.asarray(host, device=first).to_device(second)
        assert_same(np.asarray(there), host, str(dtype))


@pair
@pytest.mark.parametrize("seed", range(10))
def test_random_programs(seed: int, first: xarr.Device, second: xarr.Device) -> None:
    """Arithmetic, writes to views and copies, each on a stream of the device that it is on."""
    draw = random.Random(seed)
    devices = first, second
    size = draw.choice((7, 1000, 300_000))
    streams = {device: [xarr.Stream(device) for _ in range(2)] for device in devices}
    hosts = [np.arange(size, dtype=np.int32) % 97 + place for place in range(4)]
    arrays = [xarr.asarray(host, device=devices[place % 2]) for place, host in enumerate(hosts)]
    for _ in range(60):
        source, target = (draw.randrange(len(hosts)) for _ in "ab")
        device = arrays[target].device
        with draw.choice(streams[device]):
            match draw.randrange(5):
                case 0:
                    hosts[target] = hosts[source] * 3 & 0xFFFF
                    arrays[target] = (arrays[source] * 3 & 0xFFFF).to_device(device)
                case 1:
                    hosts[target][1::2] = hosts[source][: size // 2]
                    arrays[target][1::2] = arrays[source][: size // 2].to_device(device)
                case 2:
                    hosts[target] += 1
                    arrays[target] += 1
                case 3:
                    other = draw.choice(devices)
                    arrays[target] = arrays[target].to_device(other)
                case _:
                    assert_same(np.asarray(arrays[source]), hosts[source], f"seed {seed}")
    for array, host in zip(arrays, hosts, strict=True):
        assert_same(np.asarray(array), host, f"seed {seed}")


@pair
def test_the_arrays_of_an_operation_are_on_one_device(
    first: xarr.Device, second: xarr.Device
) -> None:
    x, y = xarr.ones(3, device=first), xarr.ones(3, device=second)
    with pytest.raises(ValueError, match="to_device"):
        x + y
    with pytest.raises(ValueError, match="to_device"):
        x[...] = y
    assert_same(np.asarray(x), np.ones(3, str(x.dtype)), "untouched")


@pair
def test_the_default_device_of_a_block(first: xarr.Device, second: xarr.Device) -> None:
    for device in (first, second, first):
        with xarr.device(device):
            x = xarr.linspace(0, 1, 1000, dtype="float32")
            assert x.device is device
            assert float(xarr.sum(x * 2)) == 1000
