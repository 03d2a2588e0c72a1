"""Graphs: what a block asked is done again, with what its operands have by then."""

from __future__ import annotations

import gc
import random
from typing import Any

import numpy as np
import pytest

import xarr
from tests.comparing import nightly
from tests.functions.calls import lines, program
from tests.reference import assert_same
from xarr.runtime import host_functions
from xarr.tape import builder

PROGRAMS = """
y = (x + 1) * 2; total = y.sum(); u[1:-1] = y[1:-1] - y[:-2]; u += total
... -> y, total, y.reshape(4, -1).max(axis=0), u
order = np.argsort(x, kind="stable") -> np.sort(x * -3), order, np.cumulative_sum(x)
square = x.reshape(4, -1) -> square @ square.T, x[::-1][[3, 1, 1]]
-> (x,)
"""


@pytest.mark.parametrize("size", [20, *nightly(1000), 300_000])
@pytest.mark.parametrize("line", lines(PROGRAMS))
def test_a_launch_does_it_again(device: xarr.Device, line: str, size: int, each_tier: None) -> None:
    run = program(line, "np, x, u")
    host, written = np.arange(size, dtype="float32") % 13, np.zeros(size, "float32")
    x, u = xarr.asarray(host), xarr.asarray(written)
    with xarr.graph() as g:
        made = run(xarr, x, u)
    for change in (0, 5, 1):
        if change:
            host = (host + change) % 11
            x[...] = xarr.asarray(host)
            g.launch()
        for number, wanted in enumerate(run(np, host, written)):
            assert_same(np.asarray(made[number]), wanted, f"result {number} of {line}, {change}")
    if line == "-> (x,)":
        assert g.launches == 0
        return
    assert 0 < g.launches < 60
    assert str(g.launches) in repr(g)


@pytest.mark.parametrize("seed", [*range(3), *nightly(*range(3, 8))])
def test_random_graphs(device: xarr.Device, seed: int) -> None:
    """Operations, writes to views and reductions, recorded once and launched with other values."""
    draw = random.Random(seed)
    size = draw.choice((6, 999, 200_000))
    plan = [[draw.randrange(6), *(draw.randrange(4) for _ in range(3))] for _ in range(25)]

    def run(arrays: list[Any]) -> list[Any]:
        arrays = list(arrays)
        for what, first, second, third in plan:
            match what:
                case 0:
                    arrays[third] = arrays[first] * 3 - arrays[second] & 0xFFFF
                case 1:
                    arrays[third][1::2] = arrays[first][: size // 2]
                case 2:
                    arrays[third] += arrays[second]
                case 3:
                    arrays[third] = arrays[first][::-1] + 1
                case 4:
                    arrays[third] = arrays[first] + arrays[second].sum() & 0xFFFF
                case _:
                    arrays[third][: size // 2] = arrays[first][-(size // 2) :] + 1
        return arrays

    hosts = [np.arange(size) % 97 + place for place in range(4)]
    arrays = [xarr.asarray(host) for host in hosts]
    with xarr.graph() as g:
        ends = run(arrays)
    wanted = run(hosts)
    for _ in range(3):
        for array, host in zip([*ends, *arrays], [*wanted, *hosts], strict=True):
            assert_same(np.asarray(array), host, f"seed {seed}")
        for array, host in zip(arrays, hosts, strict=True):
            host[...] += 7
            array[...] += 7
        g.launch()
        wanted = run(hosts)


def test_numbers_over_a_shape_are_operands(device: xarr.Device, each_tier: None) -> None:
    x, u = xarr.zeros(5), xarr.ones((2, 3))
    scale = xarr.asarray(2.0)
    with xarr.graph() as g:
        y = x + 1
        u[0] += scale
        inner = xarr.zeros(5)
        inner += y
    x[...] = 4
    scale[...] = 3
    for _ in range(2):
        g.launch()
    assert y.tolist() == inner.tolist() == [5.0] * 5
    assert u.tolist() == [[9.0] * 3, [1.0] * 3]


def test_each_launch_draws_anew(device: xarr.Device) -> None:
    """A launch draws the next numbers, also of a generator that was seeded since."""
    u, v, ranks = xarr.zeros(700), xarr.zeros((2, 3)), xarr.zeros(50, dtype="int64")
    rng, bits = xarr.random.default_rng(5), xarr.random.Philox(6)

    def draw() -> list[Any]:
        u[...] = rng.random(700) + rng.normal(size=700)
        v[...] = xarr.random.normal(v, 2.0)
        ranks[...] = rng.permutation(50)
        return [u, v, ranks, bits.random_raw(4)]

    xarr.random.seed(3)
    with xarr.graph() as g:
        made = draw()
    results = [[np.array(array) for array in made]]
    for seed in (None, None, 9):
        if seed is not None:
            xarr.random.seed(seed)
        g.launch()
        results.append([np.array(array) for array in made])
    assert rng.bit_generator.state["state"]["counter"] == 12
    rng, bits = xarr.random.default_rng(5), xarr.random.Philox(6)
    v[...] = 0
    for seed, wanted in zip((3, None, None, 9), results, strict=True):
        if seed is not None:
            xarr.random.seed(seed)
        for array, other in zip(draw(), wanted, strict=True):
            assert_same(np.asarray(array), other, "a draw")


def test_a_graph_refuses_draws_on_the_host(device: xarr.Device) -> None:
    rng = xarr.random.default_rng(1)
    for draws in (rng, xarr.random.default_rng(np.random.PCG64(1))):
        draws.random()  # a few that follow may be computed already
        with pytest.raises(RuntimeError, match="while a graph is being recorded"), xarr.graph():
            draws.random()
    with pytest.raises(RuntimeError, match="draws on the host"), xarr.graph():
        draws.random(3)
    assert device.drawing is None


def test_memory_of_a_graph_is_its_own(device: xarr.Device) -> None:
    x = xarr.ones(10_000, dtype="float32") + 0
    with xarr.graph() as g:
        y = (x * 2).sum() + xarr.sort(x)
    others = [xarr.full(10_000, number, dtype="float32") + 0 for number in range(20)]
    x[...] = 3
    del x
    g.launch()
    assert float(y[0]) == 60003
    for number, other in enumerate(others):
        assert float(other.min()) == float(other.max()) == number
    del y
    g.launch()
    used = device.memory.used
    del g
    gc.collect()
    device.synchronize()
    assert device.memory.used < used
    assert not device.kept


def test_streams_order_a_launch(device: xarr.Device) -> None:
    x = xarr.zeros(100_000, dtype="float32") + 0
    with xarr.graph() as g:
        x += 1
    with xarr.Stream():
        for _ in range(50):
            g.launch()
    g.launch()
    assert float(x.min()) == float(x.max()) == 52


def test_a_graph_keeps_what_numpys_array_had(device: xarr.Device) -> None:
    x, host = xarr.zeros(2000, dtype="float32") + 0, np.ones(2000, "float32")
    with xarr.graph() as g:
        x += xarr.from_dlpack(host)
    host[:] = 7
    g.launch()
    assert x.tolist() == [2] * 2000


@pytest.mark.parametrize("grows", [False, True])
def test_a_graph_is_recorded_anew(device: xarr.Device, grows: bool) -> None:
    x = xarr.arange(2000, dtype="float32") + 0
    random = xarr.random.default_rng(3)
    with xarr.graph() as g:
        y = x + 1
        drawn = random.random(2000)
    launches = g.launches
    with g:
        z = x + 5
        if grows:
            z[::2] *= 3
        drawn_then = random.random(2000)
    assert g.launches == launches + grows
    values, values_then = np.array(drawn), np.array(drawn_then)
    x += 1
    g.launch()
    wanted = np.arange(2000, dtype="float32") + 6
    wanted[::2] *= 3 if grows else 1
    assert_same(np.asarray(z), wanted, "what was recorded last")
    assert_same(np.asarray(y), np.arange(2000, dtype="float32") + 1, "what was recorded before")
    assert_same(np.asarray(drawn), values, "drawn by the first recording")
    assert not np.array_equal(np.asarray(drawn_then), values_then)
    with pytest.raises(ZeroDivisionError), g:
        raise ZeroDivisionError
    x += 1
    g.launch()
    assert float(z[1]) == 8
    kept = len(device.kept)
    del g
    gc.collect()
    assert len(device.kept) < kept


def test_launches_clip_indices_that_were_written(device: xarr.Device) -> None:
    """Nothing looks at the indices of a launch, and they must not reach other memory."""
    x, z, index = xarr.arange(8.0) + 0, xarr.zeros(8), xarr.asarray([1, 2])
    assert x[index].tolist() == [1, 2]
    with xarr.graph() as work:
        z[index] = 5
        found = [x[index], xarr.take(x, index), x[xarr.argsort(-x)[:2]], x[index % 8]]
    index[...], z[...] = [-(10**12), 10**12], 0
    x += 1
    work.launch()
    assert [one.tolist() for one in found] == [[1, 8], [1, 8], [8, 7], [1, 1]]
    assert z.tolist() == [5, 0, 0, 0, 0, 0, 0, 5]
    with pytest.raises(RuntimeError, match="the host reads a value"), xarr.graph():
        x[(x * 2).astype("int64")]


def test_what_a_graph_refuses(device: xarr.Device) -> None:
    x = xarr.ones(2000, dtype="float32") + 0
    g, host = xarr.graph(), np.ones(2000, "float32")
    with pytest.raises(RuntimeError, match="nothing was recorded"):
        g.launch()
    for read in (float, np.asarray, lambda y: y[y > 0], xarr.nonzero):
        with pytest.raises(RuntimeError, match="the host reads a value"), xarr.graph():
            read((x + 1).sum() if read is float else x + 1)
    for both in (x, host), (host, x):
        with pytest.raises(RuntimeError, match="a graph is being recorded"), xarr.graph():
            xarr.copyto_async(*both)
    with pytest.raises(RuntimeError, match="a graph is being recorded"), g, xarr.graph():
        pass
    with pytest.raises(ZeroDivisionError), xarr.graph() as broken:
        raise ZeroDivisionError
    with pytest.raises(RuntimeError, match="nothing was recorded"):
        broken.launch()
    assert not device.is_recorded
    with xarr.graph() as g:
        x += 1
    with xarr.graph(), pytest.raises(RuntimeError, match="do not grow"):
        g.launch()
    with pytest.raises(RuntimeError, match="it is being recorded"), g, g:
        pass
    assert float(x.sum()) == 4000
    with pytest.raises(ValueError, match="no device"):
        xarr.graph("opencl:99")


def test_a_graph_that_is_refused_leaves_nothing(device: xarr.Device, each_tier: None) -> None:
    tier = host_functions.tier.name
    refused = xarr.graph()
    with xarr.graph():
        with pytest.raises(RuntimeError, match="one at a time"):
            refused.__enter__()
        del refused
        gc.collect()
        assert host_functions.tier.name == "fused"
    assert host_functions.tier.name == tier


def methods(device: xarr.Device) -> dict[str, Any]:
    """The functions that stand in the place of a driver's methods."""
    return {name: found for name, found in vars(device.driver).items() if callable(found)}


@pytest.mark.parametrize("ends_first", [0, 1])
@pytest.mark.parametrize("begins_first", [0, 1])
def test_graphs_and_profiles_end_in_any_order(
    device: xarr.Device, each_tier: None, begins_first: int, ends_first: int
) -> None:
    x = xarr.arange(5000, dtype="int32") + 0
    device.synchronize()
    own, tier = methods(device), host_functions.tier.name
    graph, profile = xarr.graph(), xarr.profile()
    blocks: list[Any] = [graph, profile]
    for block in (blocks[begins_first], blocks[1 - begins_first]):
        block.__enter__()
    y = x * 2
    builder.settle(device)
    for block in (blocks[ends_first], blocks[1 - ends_first]):
        block.__exit__(None, None, None)
    assert host_functions.tier.name == tier
    assert methods(device) == own
    assert "elementwise: multiply" in [cost.what for cost in profile.kernels]
    x += 1
    graph.launch()
    assert int(y[10]) == 22
    assert graph.launches == 1
