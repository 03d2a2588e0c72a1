"""Arrays that are written while elements of theirs are read, and have other memory from then on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy
import pytest

import xarr
from xarr.runtime import host_functions

Results = tuple[Any, ...]
PROGRAMS: Final[dict[str, Callable[..., Results]]] = {}


def exchanging(program: Callable[..., Results]) -> Callable[..., Results]:
    PROGRAMS[program.__name__.replace("_", " ")] = program
    return program


@exchanging
def read_after_a_flipped_write(np: Any, u: Any, a: Any, few: Any) -> Results:
    u[::-1] = a * 2
    u[:] = u[::-1] + a
    return (u,)


@exchanging
def written_flipped_and_over(np: Any, u: Any, a: Any, few: Any) -> Results:
    u[::-1] = a * 2
    u[:] = u[:1] + a
    return (u,)


@exchanging
def written_flipped_once_more(np: Any, u: Any, a: Any, few: Any) -> Results:
    u[:] = u[::-1] + a
    u[::-1] = a * 2
    return (u,)


@exchanging
def rows_of_what_is_rolled(np: Any, u: Any, a: Any, few: Any) -> Results:
    x = u.reshape(-1, 50)
    x -= np.roll(x, 1, 0) * x.max(axis=1, keepdims=True)
    total = x.max(axis=1, keepdims=True)
    x += total
    return x, total


@exchanging
def rows_of_what_is_flipped(np: Any, u: Any, a: Any, few: Any) -> Results:
    x = u.reshape(-1, 50)
    x[:] = x[:, ::-1] - x.max(axis=1, keepdims=True)
    least = x.min(axis=1, keepdims=True)
    return x, x * least, least


@exchanging
def a_part_beyond_which_there_is_one_more(np: Any, u: Any, a: Any, few: Any) -> Results:
    x = few[:40].reshape(5, 8)
    x[1:, 1:] = x[:-1, :-1] + 1
    return (few,)


@exchanging
def bits_of_another_type(np: Any, u: Any, a: Any, few: Any) -> Results:
    u[1:-1] = u[2:] + 1
    bits = u.view("int32")
    bits[1:-1] = bits[2:] + 3
    return (u,)


@exchanging
def bits_read_at_the_same_place(np: Any, u: Any, a: Any, few: Any) -> Results:
    u[1:-1] = (u.view("int32")[1:-1] % 97).astype("float32") + u[2:]
    new = a * 2
    new[1:-1] = (new.view("int32")[1:-1] % 97).astype("float32")
    return u, new


@exchanging
def counted_afterwards(np: Any, u: Any, a: Any, few: Any) -> Results:
    u += u[::-1]
    first = np.histogram(u, bins=4, range=(0.0, 90.0))[0]
    u[1:] = 0.5 * (u[1:] + u[:-1])
    return u, first, np.histogram(u, bins=4, range=(0.0, 90.0))[0]


@pytest.mark.parametrize("form", ["usual", "as-gpu"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_functions.tier, "name", "fused")
    device = xarr.default_device()
    if form != "usual":
        device = device.pretending(form)
    size = 100_000 if form == "usual" and device.kind == "cpu" else 2_000
    hosts = [(numpy.arange(count) * 7 % 31).astype("float32") for count in (size, size, 41)]
    hosts[1] += 3
    with xarr.device(device):
        arrays = [xarr.asarray(host) + 0 for host in hosts]
        device.synchronize()
        got = PROGRAMS[name](xarr, *arrays)
        for ours, theirs in zip(got, PROGRAMS[name](numpy, *hosts), strict=True):
            numpy.testing.assert_array_equal(xarr.to_numpy(ours), theirs)


def test_a_graph_finds_the_memory_that_it_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_functions.tier, "name", "fused")
    host = (numpy.arange(40) * 7 % 31).astype("float32")

    def step(x: Any) -> None:
        x[1:-1] = 0.5 * (x[2:] + x[:-2])

    u = xarr.asarray(host) + 0
    xarr.synchronize()
    step(u)
    with xarr.graph() as graph:
        step(u)
    for _ in range(2):
        graph.launch()
    step(u)
    graph.launch()
    for _ in range(6):
        step(host)
    numpy.testing.assert_array_equal(xarr.to_numpy(u), host)
