"""Launches of own kernels that repeat an earlier one: as those that go the long way, to the bit."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

import xarr
from tests.functions.calls import each, refused
from tests.launching import together
from xarr import kernel as cuda
from xarr.backends.base import Driver
from xarr.user_kernels.repeats import Repeat, Repeats

SCALE = """
KERNEL void scale(GLOBAL const float *x, GLOBAL float *y, const int n, const float factor)
{
    const int i = (int)GLOBAL_ID(0);
    if (i < n) {
        y[i] = x[i] * factor + y[i];
    }
}
"""


@cuda.jit
def add(x, y, factor):  # type: ignore[no-untyped-def]
    i, j = cuda.grid(2)
    if i < y.shape[0] and j < y.shape[1]:
        y[i, j] += x[i, j] * factor


@pytest.fixture
def repeated(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each launch repeated an earlier one."""
    seen = list[bool]()
    real = Repeats.launch

    def launch(self: Repeats, key: Any, args: Sequence[Any]) -> bool:
        seen.append(real(self, key, args))
        return seen[-1]

    monkeypatch.setattr(Repeats, "launch", launch)
    return seen


VIEWS: list[Callable[[Any], Any]] = [
    lambda a: a,
    lambda a: a[1:4, 2:8],
    lambda a: a[2:5, 1:7],
    lambda a: a[::2, ::3],
    lambda a: a[1::2, 1::3],
    lambda a: a[::-1, ::-1],
    lambda a: a.T,
    lambda a: a[:0],
]
FACTORS = [2, 3, 0.5, -1.25, True, numpy.float32(0.1), numpy.int64(7), numpy.float64(1.5)]


def drawn(seed: int) -> list[Any]:
    """Run a random program of launches and operations; return all values that it saw."""
    rng = random.Random(seed)
    found = list[Any]()
    whole = [xarr.asarray(numpy.random.default_rng(k).random((6, 12), "float32")) for k in range(3)]
    for _ in range(60):
        name = rng.choice(["add", "add", "add", "over", "write", "new", "read", "expression"])
        a, b = rng.sample(range(3), 2)
        view = rng.choice(VIEWS[: rng.choice([3, 5, len(VIEWS)])])
        x, y, factor = view(whole[a]), view(whole[b]), rng.choice(FACTORS)
        if name == "add":
            add[(2, 3), (6, 4)](x, y, factor)
        elif name == "over":
            add.over(y.shape)(x, y, factor)
        elif name == "write":
            y[...] = x * 0.5 + 1
        elif name == "new":
            whole[a] = whole[b] + whole[a]
        elif name == "expression":
            add[(2, 3), (12, 4)](x + 1, y, factor)
        else:
            found.append(numpy.asarray(y).copy())
    return [*found, *map(numpy.asarray, whole)]


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_have_the_bits_of_the_long_way(
    device: xarr.Device, seed: int, repeated: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = drawn(seed)
    if type(device.driver).launch_at is not Driver.launch_at:
        assert any(repeated)
    monkeypatch.setattr(Repeats, "launch", lambda *_: False)
    wanted = drawn(seed)
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert one.tobytes() == other.tobytes()


def test_numbers_and_memory_may_differ(device: xarr.Device, repeated: list[bool]) -> None:
    scale = xarr.RawKernel(SCALE, "scale")
    for step in range(4):
        host = numpy.arange(20, dtype="float32") + step
        x, y = xarr.asarray(host), xarr.full(30, step, dtype="float32")
        parts = x[step : step + 16], y[2 * step : 2 * step + 20]
        scale(2, 16, (*parts, 10 + step, 0.5 * step))
        wanted = numpy.full(30, step, "float32")
        wanted[2 * step : 10 + 3 * step] += host[step : 10 + 2 * step] * numpy.float32(0.5 * step)
        assert numpy.array_equal(numpy.asarray(y), wanted)
    if type(device.driver).launch_at is not Driver.launch_at:
        assert repeated == [False, True, True, True]
    scale(2, 16, (x[:17], y[:17], 17, 1))  # other structures, and an int for a float
    assert y.tolist()[16] == wanted[16] + host[16]


def test_what_is_pending_comes_first(device: xarr.Device) -> None:
    scale = xarr.RawKernel(SCALE, "scale")
    x = xarr.ones(16, dtype="float32")
    y = xarr.zeros(16, dtype="float32")
    for _ in range(5):
        before = y + 0  # reads what the launch overwrites
        x = x * 2
        scale(1, 16, (x, y, 16, 1.0))
        after = y + 0
        assert numpy.array_equal(numpy.asarray(after - before), numpy.asarray(x))


WRONG = """
x, y, 2**40, 1.0 ! OverflowError: must fit into int32
x, y, 1.5, 1.0 ! TypeError: must be int32
x.astype("int32"), y, 3, 1.0 ! TypeError: x has dtype int32
x[::2], y, 3, 1.0 ! ValueError: one piece
x, np.broadcast_to(y[0], (16,)), 3, 1.0 ! ValueError: read-only
x, y, 3 ! TypeError: 3 arguments
x, y, "3", 1.0 ! TypeError: of type str
"""


@each(WRONG)
def test_errors_are_those_of_the_long_way(device: xarr.Device, call: str) -> None:
    args, _, error = call.partition(" ! ")
    scale = xarr.RawKernel(SCALE, "scale")
    x, y = xarr.ones(16, dtype="float32"), xarr.zeros(16, dtype="float32")
    for _ in range(3):
        scale(1, 16, (x, y, 16, 1.0))
    refused(lambda: scale(1, 16, eval(args, {"np": xarr, "x": x, "y": y})), error)
    y.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        scale(1, 16, (x, y, 16, 1.0))
    assert y.tolist() == [3.0] * 16


def test_graphs_profiles_and_jit_see_repeated_launches(device: xarr.Device) -> None:
    scale = xarr.RawKernel(SCALE, "scale")
    x, y = xarr.ones(16, dtype="float32"), xarr.zeros(16, dtype="float32")

    def step() -> None:
        scale(1, 16, (x, y, 16, 1.0))

    for _ in range(3):
        step()
    with xarr.profile() as profile:
        step()
    assert "scale" in str(profile)
    assert y.tolist() == [4.0] * 16
    with xarr.graph() as graph:
        step()
    before = float(y[0])
    graph.launch()
    graph.launch()
    assert y.tolist() == [before + 2] * 16

    def doubled(a: xarr.Array, b: xarr.Array) -> xarr.Array:
        scale(1, 16, (a, b, 16, 1.0))
        return b * 2

    replayed = xarr.jit(doubled)
    for turn in range(3):
        assert replayed(x, y).tolist() == [2 * (before + 3 + turn)] * 16


def test_threads_launch_one_kernel(device: xarr.Device) -> None:
    scale = xarr.RawKernel(SCALE, "scale")
    outs = [xarr.zeros(16, dtype="float32") for _ in range(4)]
    xs = [xarr.full(16, k, dtype="float32") for k in range(4)]

    def work(k: int) -> None:
        for _ in range(200):
            scale(1, 16, (xs[k], outs[k], 16, 1.0 + k))

    together(*[lambda k=k: work(k) for k in range(4)])
    assert [out.tolist() for out in outs] == [[200.0 * k * (1 + k)] * 16 for k in range(4)]


def test_launches_that_are_kept_keep_no_arrays(device: xarr.Device) -> None:
    scale = xarr.RawKernel(SCALE, "scale")
    y = xarr.ones(1 << 20, dtype="float32") * 2
    xarr.synchronize()
    before = device.memory_info()["used_nbytes"]
    x = xarr.ones(1 << 20, dtype="float32") + 0
    for _ in range(3):
        scale(1 << 16, 16, (x, y, 1 << 20, 1.0))
    xarr.synchronize()
    del x
    gc.collect()
    xarr.synchronize()
    assert device.memory_info()["used_nbytes"] <= before
    assert all(isinstance(one, Repeat) for one in scale._repeats._known.values())


def test_sizes_that_equal_known_ones_are_refused(device: xarr.Device, repeated: list[bool]) -> None:
    x = xarr.asarray(numpy.ones((2, 2)))
    add[(1, 1), (2, 2)](x, x, 1)
    for grid, block in (((1.0, 1), (2, 2)), ((1, 1), (2.0, 2)), ((1, 1), 2.0)):
        with pytest.raises(TypeError, match=r"(grid|block) is .*must be 1 to 3 integers"):
            add[grid, block](x, x, 1)
    add[(1, 1), (2, 2)](x, x, 1)
    is_repeated = type(device.driver).launch_at is not Driver.launch_at
    assert repeated == [False, False, False, False, is_repeated]


def test_sizes_may_be_lists(device: xarr.Device) -> None:
    kernel = xarr.RawKernel("KERNEL void more(GLOBAL float *x) { x[GLOBAL_ID(0)] += 1; }", "more")
    x = xarr.zeros(8, dtype="float32")
    for grid in ([1], numpy.asarray([1])) * 3:
        kernel(grid, [8], (x,))
    assert x.tolist() == [6] * 8
