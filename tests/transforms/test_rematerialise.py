"""Values that late readers compute again: which these are, and that results have the same bits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import xarr as np
from tests.comparing import nightly
from tests.transforms.random_calls import bits, calls, count_replays, scope_of
from xarr import tuning
from xarr.ir.storage import Storage, claim
from xarr.ir.views import View
from xarr.runtime import host_functions
from xarr.tape.rematerialise import _SINK, _SOURCE, _Network


@pytest.fixture(autouse=True)
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(host_functions.tier, "name", "fused")
    device = np.default_device()
    with np.device(device.pretending("as-gpu") if device.info.kind == "cpu" else device):
        yield


def compute_again(monkeypatch: pytest.MonkeyPatch, late: int) -> None:
    """Let values that are read so many instructions later be computed again, whatever it saves."""
    monkeypatch.setattr(tuning, "LATE", late)
    monkeypatch.setattr(tuning, "GAIN", 0)


def moved(state: list[Any], solid: Any) -> list[Any]:
    """Five arrays move, and mix by products: so the derivative wants what was mixed."""
    state = [np.roll(one, at - 2, axis=at % 2) for at, one in enumerate(state)]
    sum_ = state[0] + state[1] + state[2] + state[3] + state[4]
    part = (state[1] - state[3]) / sum_
    rest = [one + (sum_ * (0.25 + part * part) - one) / 0.7 for one in state]
    return [np.where(solid, one, two) for one, two in zip(state, rest, strict=True)]


def flow(state: list[Any], solid: Any, count: int) -> Any:
    for _ in range(count):
        state = moved(state, solid)
    return np.sum(state[1] * state[1])


def begun(n: int) -> tuple[list[Any], Any]:
    generator = numpy.random.default_rng(3)
    state = [np.asarray(1 + generator.random((n, n), numpy.float32)) for _ in range(5)]
    return state, np.asarray(generator.random((n, n)) < 0.2)


def counted_with_and_without(
    monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any], given: list[Any]
) -> list[Any]:
    """Return a gradient's kernels and their bytes, where values may be computed again or not."""
    gradient = np.grad(function, tuple(range(len(given))))
    wanted, counts = gradient(*given), []
    for late in (60, 1 << 20):
        monkeypatch.setattr(tuning, "LATE", late)
        jitted = np.jit(gradient)
        for _ in range(3):
            assert [bits(one) for one in jitted(*given)] == [bits(one) for one in wanted]
        kernels = re.findall(r"^([\d,]+) kernels, ([\d,]+) bytes", np.explain(jitted), re.MULTILINE)
        numbers = [[int(one.replace(",", "")) for one in both] for both in kernels]
        counts.append(numpy.sum(numbers, axis=0))
    return counts


def test_a_gradient_stores_the_states_and_computes_the_rest_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, solid = begun(40)
    (few, nbytes), (_, most) = counted_with_and_without(
        monkeypatch, lambda *state: flow([*state], solid, 4), state
    )
    assert few <= 13  # one for each step and back, and five for rolls that are results
    assert nbytes < 0.7 * most


def test_values_are_kept_where_computing_them_again_saves_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Keep the Laplacian of each step, which takes five loads and as many instructions to make."""

    def phase(u: Any, e: Any) -> Any:
        for _ in range(8):
            near = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
            u = u + 0.1 * (e * (near - 4 * u) + u - u**3)
        return np.sum(u * u)

    counts = counted_with_and_without(monkeypatch, phase, begun(40)[0][:2])
    assert numpy.array_equal(*counts)


def test_what_is_written_in_place_stays_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    compute_again(monkeypatch, 3)

    def f(x: Any) -> Any:
        x = x + 1
        y = x * x  # x is another one when y is read
        for _ in range(6):
            x *= 0.5
        return np.sum(y * x), y[::-1] + x

    x = np.arange(30.0) if not np.default_device().no_float64 else np.arange(30, dtype="float32")
    wanted, jitted = f(x), np.jit(f)
    for _ in range(3):
        assert [bits(one) for one in jitted(x)] == [bits(one) for one in wanted]


def test_memory_that_others_see_may_be_that_of_two_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    compute_again(monkeypatch, 4)

    def f(a: Any, b: Any) -> Any:
        y = z = b * 2
        a += 1  # which is b, too
        for _ in range(8):
            z = z * 0.5 + a
        return z * y

    def twice() -> tuple[Any, Any]:
        a = np.arange(5, dtype="float32") + 0
        np.synchronize()
        view, own = a._view, a._view.storage
        assert own is not None
        storage = Storage(a.device, own.nbytes, own.buffer)
        claims.extend(map(claim, (own, storage)))
        return a, np.Array(View(storage, view.structure, 0))

    claims: list[object] = []
    jitted, wanted = np.jit(f), bits(f(*twice()))
    for _ in range(3):
        assert bits(jitted(*twice())) == wanted


def test_states_that_are_used_many_times() -> None:
    """Each state has as many ways that lead to it as a loop has turns: twice as many each turn."""

    def orbit(x: Any, y: Any, z: Any) -> Any:
        for _ in range(40):
            right, up, out = 10 * (y - x), x * (28 - z) - y, x * y - 2.5 * z
            x, y, z = x + 0.001 * right, y + 0.001 * up, z + 0.001 * out
        return np.sum(x * y + z)

    given = [np.full((64,), one, dtype="float32") + 0 for one in (1.0, 1.1, 1.2)]
    gradient = np.grad(orbit, (0, 1, 2))
    wanted, jitted = gradient(*given), np.jit(gradient)
    for _ in range(3):
        assert list(map(bits, jitted(*given))) == list(map(bits, wanted))


def test_a_thousand_rolls_one_after_the_other() -> None:
    def f(x: Any) -> Any:
        for turn in range(1000):
            x = np.roll(x, turn % 7 + 1)
        return x + 1

    x = np.arange(50, dtype="float32")
    jitted = np.jit(f)
    for _ in range(3):
        assert bits(jitted(x)) == bits(f(x))


def test_the_cut_nearest_to_the_sink_has_the_fewest_bytes() -> None:
    network = _Network()
    a, b, c, d = [((at, 0), (at, 1)) for at in range(4)]
    for (start, end), nbytes in ((a, 4), (b, 4), (c, 8), (d, 8)):
        network.join(start, end, nbytes)
    for start, end in ((_SOURCE, a[0]), (_SOURCE, b[0]), (a[1], c[0]), (b[1], c[0])):
        network.join(start, end, 1 << 40)
    network.join(b[1], d[0], 1 << 40)
    network.join(c[1], _SINK, 1 << 40)
    behind, nbytes = network.behind_cut()  # 8 bytes there, and 8 before it
    assert c[0] not in behind
    assert nbytes == 8
    network.join(d[1], _SINK, 1 << 40)
    behind, more = network.behind_cut()  # of both: 16 bytes there, and 8 before them
    assert more == 0
    assert {c[0], d[0], a[1], b[1]} <= behind
    assert not {a[0], b[0]} & behind


@pytest.mark.parametrize("first", [0, *nightly(*range(10, 200, 10))])
def test_random_functions_have_the_bits_of_the_plain_call(
    first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    compute_again(monkeypatch, 2)
    assert count_replays(first, 10, (0, 1, 2)) > 0


@pytest.mark.parametrize("first", [0, *nightly(*range(6, 120, 6))])
def test_gradients_of_random_functions_have_the_same_bits(
    first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    compute_again(monkeypatch, 3)
    scope = scope_of()
    compared = 0
    for seed, call in calls(first, 6):
        gradient = summed(call.function(scope))
        jitted = np.jit(gradient)
        for turn in (0, 1, 2):
            try:
                wanted = gradient(*call.arguments(scope, turn))
                found = jitted(*call.arguments(scope, turn))
            except (IndexError, ValueError, TypeError, NotImplementedError):
                break  # a mask that selects another number of elements, or what has no derivative
            assert list(map(bits, found)) == list(map(bits, wanted)), (seed, turn, call.text)
            compared += 1
    assert compared > 0


def summed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the gradient, by all real arguments, of the sum of what a function returns."""

    def loss(reals: list[Any], at: list[int], given: list[Any]) -> Any:
        for number, one in zip(at, reals, strict=True):
            given[number] = one
        results = [
            one for one in function(*given).values() if np.isdtype(one.dtype, "real floating")
        ]
        return sum([np.sum(one.astype(reals[0].dtype)) for one in results])

    def gradient(*given: Any) -> Any:
        at = [n for n, one in enumerate(given) if np.isdtype(one.dtype, "real floating")]
        reals = [np.copy(given[number]) for number in at]
        return np.grad(loss)(reals, at, [*given])

    return gradient
