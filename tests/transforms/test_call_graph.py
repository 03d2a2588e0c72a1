"""Replayed calls whose launches a driver makes together: with one that stands in for a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy
import pytest

import xarr as np
from tests.transforms.random_calls import count_replays
from xarr.runtime import host_functions


class Graph:
    """Launches that keep their buffers and arguments until these are changed; or CUDA's graph."""

    made: list[Graph] = []  # noqa: RUF012 - emptied by each test

    def __init__(self, driver: Any, asked: Sequence[Any], real: Any) -> None:
        self.driver = driver
        self.asked = list(asked)
        self.real = real
        self.runs = self.changes = 0
        self.made.append(self)

    def run(self, asked: Sequence[Any]) -> bool:
        """Refuse the launches of a program that is not replayed."""
        return False

    def change(self, number: int, asked: Any) -> bool:
        assert asked[0] is self.asked[number][0]
        assert asked[1] == self.asked[number][1]
        self.asked[number] = asked
        self.changes += 1
        return self.real is None or bool(self.real.change(number, asked))

    def again(self, blocks: Iterable[Any]) -> bool:
        self.runs += 1
        if self.real is not None:
            return bool(self.real.again(blocks))
        known = {id(block) for block in blocks}
        for one in self.asked:
            if callable(one):
                one()
                continue
            kernel, (groups, items), buffers, arguments, elements = one
            assert known.issuperset(id(block) for block in buffers)
            work = kernel.weight * elements
            self.driver.launch(kernel.handle, groups, items, buffers, arguments, work)
        return True


@pytest.fixture(autouse=True, params=["addresses", "numbers"])
def together(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the driver of the device make launches together."""
    device = np.default_device()
    if device.backend == "opencl":
        pytest.skip("buffers of OpenCL have no addresses by which graphs are told apart")
    kind: Any = type(device.driver)
    takes_numbers = request.param == "numbers"
    if takes_numbers and not kind.takes_numbers:
        pytest.skip(f"{device} takes no numbers in place of buffers")
    is_own = kind.is_sequenced and kind.takes_numbers == takes_numbers
    real = kind.sequence if is_own else lambda *_: None
    monkeypatch.setattr(host_functions.tier, "name", "fused")
    monkeypatch.setattr(kind, "is_sequenced", True)
    monkeypatch.setattr(kind, "takes_numbers", takes_numbers)
    monkeypatch.setattr(kind, "sequence", lambda self, asked: Graph(self, asked, real(self, asked)))
    Graph.made.clear()
    yield
    Graph.made.clear()


def step(u: Any, v: Any) -> Any:
    """Several kernels, with memory between them."""
    w = np.cumulative_sum(u * v)
    return np.cumulative_sum(w[::-1] + u) / 500, v * 0.5 + np.sum(w) * 1e-6


def host(n: int, seed: int = 0) -> Any:
    return numpy.random.default_rng(seed).random(n)


def runs() -> int:
    return sum(graph.runs for graph in Graph.made)


def bits(values: Any) -> list[bytes]:
    return [np.to_numpy(one).tobytes() for one in values]


def follow(jitted: Callable[..., Any], plain: Callable[..., Any], args: Any, turns: int) -> None:
    """Compare the bits of turns that give their results to the next."""
    mine, theirs = args, args
    for _ in range(turns):
        mine, theirs = jitted(*mine), plain(*theirs)
        assert bits(mine) == bits(theirs)


def test_results_become_arguments() -> None:
    follow(np.jit(step), step, (np.asarray(host(300)), np.asarray(host(300, 1))), 14)
    assert runs() >= 11


def test_results_that_are_kept_have_their_own_memory() -> None:
    jitted = np.jit(step)
    kept = []
    for turn in range(12):
        args = np.asarray(host(200, turn)), np.asarray(host(200, turn + 50))
        kept.append((bits(step(*args)), jitted(*args)))
    takes_numbers = np.default_device().driver.takes_numbers
    assert takes_numbers or any(graph.changes for graph in Graph.made)
    for wanted, got in kept:
        assert bits(got) == wanted


def test_writes_and_numbers() -> None:
    def advance(u: Any, dt: Any) -> Any:
        for _ in range(3):
            u[1:-1] += dt * (u[2:] - 2 * u[1:-1] + u[:-2])
            u[...] = np.cumulative_sum(u) * (dt + 0.5)
        return np.sum(u)

    jitted = np.jit(advance)
    mine, theirs = np.asarray(host(400)), np.asarray(host(400))
    for turn in range(12):
        dt = 0.1 if turn % 3 else 0.1 + turn / 100
        assert bits([jitted(mine, dt), mine]) == bits([advance(theirs, dt), theirs])
    assert runs() >= 9


def test_library_work_between_and_within() -> None:
    def turn(a: Any, x: Any) -> Any:
        y = np.tanh(np.cumulative_sum(a @ x, axis=0) * 0.01)
        z = np.linalg.solve(a + 20 * np.eye(20), np.sin(y))
        return np.cumulative_sum(np.cumulative_sum(z, axis=0) + x, axis=1) * 0.001

    a = np.asarray(host(400).reshape(20, 20))
    jitted = np.jit(lambda a, x: (a, turn(a, x)))
    follow(jitted, lambda a, x: (a, turn(a, x)), (a, np.asarray(host(60, 3).reshape(20, 3))), 9)


def test_library_work_that_is_written_to_an_argument() -> None:
    def turn(a: Any, x: Any) -> Any:
        x[...] = np.linalg.solve(a + 20 * np.eye(20), np.cumulative_sum(x, axis=0))
        np.matmul(a, x + 1, out=x)
        return np.cumulative_sum(x, axis=1)

    jitted = np.jit(turn)
    a = np.asarray(host(400).reshape(20, 20))
    mine, theirs = (np.asarray(host(60, 3).reshape(20, 3)) for _ in range(2))
    for _ in range(8):
        assert bits([jitted(a, mine), mine]) == bits([turn(a, theirs), theirs])
        mine *= 0.01
        theirs *= 0.01


def test_memory_that_is_short_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    jitted = np.jit(step)
    args = np.asarray(host(300)), np.asarray(host(300, 1))
    for _ in range(3):
        jitted(*args)
    assert runs() == 1
    np.default_device().memory.trim()
    for _ in range(3):
        assert bits(jitted(*args)) == bits(step(*args))
    assert runs() == 1


def test_a_random_draw_goes_on() -> None:
    rng = np.random.default_rng(3)
    other = np.random.default_rng(3)

    def walk(x: Any) -> Any:
        return np.cumulative_sum(np.cumulative_sum(x + rng.random(100)) * 0.1)

    jitted = np.jit(walk)
    x = np.asarray(host(100))
    for _ in range(6):
        wanted = np.cumulative_sum(np.cumulative_sum(x + other.random(100)) * 0.1)
        assert bits([jitted(x)]) == bits([wanted])


@pytest.mark.nightly
def test_random_functions() -> None:
    with numpy.errstate(all="ignore"):
        assert count_replays(0, 60, (0, 1, 2, 0, 1, 2, 3, 0)) > 200
    assert runs() > 100
