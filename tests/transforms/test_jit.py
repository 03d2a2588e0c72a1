"""`jit`: replayed calls have the bits of plain ones, and what cannot be replayed is refused."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import numpy
import pytest

import xarr as np
from tests.functions.calls import program
from tests.transforms.random_calls import bits, count_replays
from xarr import tuning
from xarr.ir.events import counts, eager, hooks
from xarr.tape import builder
from xarr.tape.loops import cut_points


def same(call: Any, *givens: tuple[Any, ...], times: int = 1) -> Any:
    """Call a function plain and jitted with like arguments; return the jitted one."""
    jitted = np.jit(call)
    for given in givens * times:
        mine, own = ([_copied(one) for one in given] for _ in range(2))
        wanted, found = call(*own), jitted(*mine)
        assert _leaves(found) == _leaves(wanted)
        assert _leaves(mine) == _leaves(own)
    return jitted


def _copied(value: Any) -> Any:
    return np.asarray(value, copy=True) if isinstance(value, np.Array) else value


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *map(_leaves, value.values())]
    if isinstance(value, tuple | list):
        return [_leaves(one) for one in value]
    return [bits(value)] if isinstance(value, np.Array) else [type(value), repr(value)]


def numbers(count: int, begin: float = 0.0) -> Any:
    return np.asarray(begin + numpy.arange(float(count)))


def heat(u: Any, dt: float) -> None:
    u[1:-1] += dt * (u[2:] - 2 * u[1:-1] + u[:-2])


def parts(x: Any, y: dict[str, Any]) -> Any:
    total = np.zeros(3)
    total += x
    total[0] = total[1] * 2
    return {
        "b": total,
        "a": (np.sin(x) * y["scale"]).sum(),
        "x": x,
        "part": x[1:],
        "one": np.ones(2),
    }


def linear(a: Any, b: Any) -> Any:
    """Factorizations, one of which is written to, and a part of another not needed."""
    even = a @ a.T
    q, r = np.linalg.qr(a)
    q[0] += b
    least = np.linalg.lstsq(a[:, :2], b)
    known = np.linalg.solve(a, b), np.linalg.inv(a), np.linalg.det(a), np.linalg.cholesky(even)
    pairs = *np.linalg.slogdet(a), *np.linalg.eigh(even), *np.linalg.eig(a), np.linalg.svd(a)[1]
    ranks = np.linalg.matrix_rank(a), np.linalg.pinv(a), np.linalg.cond(a, 1)
    return *known, *pairs, *ranks, q, r, *least[::2], least.s, np.polyfit(a[0], b, 1)


def written(line: str) -> Any:
    return program(line, "x, y, z", np=np)


LIKELIHOOD = written("""
apart = y[:, None] - y
root = np.linalg.cholesky(np.exp(-x * apart * apart) + np.eye(len(y)))
-> (np.linalg.solve(root, z) ** 2).sum() / 2 + np.log(np.diagonal(root)).sum()
""")  # a Gaussian process's
NEWTON = written("""
for _ in range(4):
    slope = np.stack([2 * x, x[::-1]])
    x = x - np.linalg.solve(slope, np.stack([(x * x).sum() - 4, x[0] * x[1] - 1]))
-> x
""")
LITERALS = written("""
weights = np.asarray([1.0, 2.0, 3.0]); weights *= x
-> weights, x[np.asarray([0, 0, 2])], np.arange(3) + x
""")
LIBRARIES = written("-> np.sort(x), np.fft.fft(x), np.outer(x, x) @ np.outer(x, x), np.cumsum(x)")
ADDED = written("np.add.at(x, y, x); np.multiply.at(x, [0, 1, 1], 2.0) -> None")
OVERWRITTEN = written("y = x * 1.0; np.multiply(y, y, out=y) -> (y * y).sum()")
"""Its derivative wants what it overwrites."""


CALLS: list[tuple[Any, list[tuple[Any, ...]]]] = [
    (heat, [(numbers(9), 0.25), (numbers(9, 3) ** 2, 0.25)]),
    (parts, [(numbers(3, k), {"scale": np.asarray(k + 0.5)}) for k in range(3)]),
    (LIBRARIES, [(numbers(3, k),) for k in range(3)]),
    (NEWTON, [(np.asarray([2.0, 0.5]) + k,) for k in range(3)]),
    (
        np.value_and_grad(LIKELIHOOD),
        [(np.asarray(k + 0.5), numbers(4), numbers(4, k)) for k in range(3)],
    ),
    (LITERALS, [(numbers(3, k),) for k in range(3)]),
    (lambda x, n: x * n, [(numbers(3), 2), (numbers(3), 3)]),
    (lambda x: (x, x.T, [x[0], None, "text"]), [(numbers(6).reshape(2, 3),)] * 2),
    (lambda x, i: (x[i], np.take(x, i)), [(numbers(5), np.asarray([k, -1])) for k in range(3)]),
    (lambda x, i: (x[i], x[None][0, i - 1]), [(numbers(5), np.asarray(k)) for k in range(3)]),
    (lambda x: np.where(x > 1, x, -x), [(numbers(4),), (numbers(4, -2),)]),
    (np.grad(OVERWRITTEN), [(numbers(5, k),) for k in range(3)]),
    (ADDED, [(numbers(5, k), np.asarray([0, 3, 3, 1, k])) for k in range(3)]),
]


@pytest.mark.parametrize(("call", "givens"), CALLS)
def test_replays_have_the_bits_of_plain_calls(call: Any, givens: Any) -> None:
    jitted = same(call, *givens, times=2)
    with eager():
        same(call, *givens)
    assert all(jitted.recordings.values())


@pytest.mark.parametrize("device", [None, "as-gpu"])
@pytest.mark.filterwarnings("ignore::xarr.HostFallbackWarning")
def test_factorizations_are_replayed(device: str | None) -> None:
    """On a device without a library too, for which the host computes."""
    with np.device(np.devices()[0].pretending(device) if device else np.default_device()):
        tall = np.asarray([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [2.0, 0.0, 5.0]])
        givens = [(tall + k * np.eye(3), numbers(3, k)) for k in range(3)]
        same(linear, *givens, times=2)


def test_errors_of_values_are_raised_at_each_call() -> None:
    @np.jit
    def checked(x: Any) -> Any:
        np.linalg.cholesky(x)  # which raises, though nobody needs it
        return x + np.linalg.slogdet(x)[1]

    outer, good = np.jit(lambda x: checked(x) * 2), np.eye(2) * 3
    for _ in range(2):
        assert _leaves(checked(good)) == _leaves(good + np.linalg.slogdet(good)[1])
        for call in (checked, outer):
            with pytest.raises(np.linalg.LinAlgError, match="positive-definite"):
                call(-good)


def test_a_gradient_takes_the_function_itself() -> None:
    """A replay's instructions have no derivative where the whole function has it."""

    def size(x: Any) -> Any:
        return np.linalg.inv(np.outer(x, x) + np.eye(3)).sum() + abs(np.fft.rfft(x)).sum()

    jitted, x = same(size, (numbers(3),), times=2), numbers(3, 1)
    assert _leaves(np.grad(jitted)(x)) == _leaves(np.grad(size)(x))
    assert _leaves(np.vmap(jitted)(x[None])) == _leaves(size(x)[None])


def test_random_functions_have_the_bits_of_plain_ones() -> None:
    assert count_replays(0, 14, (0, 1, 2)) > 10


def test_the_function_runs_once_and_launches_stay() -> None:
    ran = []

    @np.jit
    def step(x: Any) -> Any:
        ran.append(1)
        return np.sin(x) + 1, x * 2

    for turn in range(4):
        x = numbers(5000, turn)
        builder.compute(x._view)
        before = counts.launches
        step(x)
        launched = counts.launches - before
    assert len(ran) == 1
    assert launched == 1


def test_names_of_the_function_are_read_anew() -> None:
    weight, count = numbers(3), 2

    @np.jit
    def step(x: Any) -> Any:
        return x * weight + count

    for _ in range(3):
        assert step(numbers(3)).tolist() == (numbers(3) * weight + count).tolist()
        weight, count = weight + 1, count + 1


@np.jit
def defined_before_its_names(x: Any) -> Any:
    return scaled(x) * np.asarray(FACTOR)


@np.jit
def scaled(x: Any) -> Any:
    return x * SCALE


def test_names_are_found_in_jitted_functions_and_where_defined_later() -> None:
    scope = globals()
    partly = functools.partial(lambda a, x: scaled(x) * a, 2.0)
    jitted = np.jit(partly)
    for turn in range(6):
        scope["SCALE"] = numbers(3, turn)
        scope["FACTOR"] = [numpy.float64(turn), complex(0, turn)][turn % 2]
        x = numbers(3, turn)
        assert defined_before_its_names(x).tolist() == (x * SCALE * FACTOR).tolist()
        assert jitted(x).tolist() == (x * SCALE * 2).tolist()
    assert len(jitted.recordings) == 1


SCALE: Any = None
SHIFT = [0.0]
FACTOR: Any = None


def test_a_generator_made_of_a_seed_within_draws_the_same() -> None:
    def draw(x: Any) -> Any:
        return x + np.random.default_rng(7).normal(size=3)

    same(draw, *[(numbers(3, k),) for k in range(3)])


def test_a_view_that_is_written_may_begin_elsewhere() -> None:
    def fill(x: Any) -> None:
        x[:] = x * 2 + 1

    jitted = np.jit(fill)
    for begin, end in ((0, -1), (1, 10), (0, -1), (1, 10)):
        base, other = numbers(10), numbers(10)
        fill(base[begin:end])
        jitted(other[begin:end])
        assert other.tolist() == base.tolist()


def test_views_of_another_type_begin_where_the_given_ones_do() -> None:
    """Their offsets count other elements; one that lies between these is refused as without jit."""
    jitted = np.jit(lambda x: (x.real + 0, x.imag))
    whole = numbers(20) * (1 + 2j)
    for begin in (0, 3, 3, 1):
        first, second = jitted(whole[begin : begin + 4])
        assert first.tolist() == [*range(begin, begin + 4)]
        assert second.tolist() == [2 * n for n in range(begin, begin + 4)]
    jitted = np.jit(lambda x: x.view("complex128") + 0)
    assert jitted(numbers(9)[2:6]).tolist() == [2 + 3j, 4 + 5j]  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="would lie across"):
        jitted(numbers(9)[1:5])


def test_aliases_and_views_are_told_apart() -> None:
    def move(a: Any, b: Any) -> None:
        a[:] = b * 2

    for turn in range(3):
        base, other = numbers(8, turn), numbers(8, turn)
        jitted = np.jit(move)
        for a, b in ((slice(0, 4), slice(4, 8)), (slice(0, 4), slice(2, 6)), (slice(1, 5),) * 2):
            move(base[a], base[b])
            jitted(other[a], other[b])
            assert other.tolist() == base.tolist()


def test_many_offsets_are_replayed_without_binding_them() -> None:
    jitted = np.jit(heat)
    base, other = numbers(40) ** 2, numbers(40) ** 2
    for begin in range(20):
        heat(base[begin : begin + 10], 0.25)
        jitted(other[begin : begin + 10], 0.25)
    assert other.tolist() == base.tolist()
    assert len(jitted.recordings) == 1


def test_draws_go_on() -> None:
    def draw(x: Any, source: Any) -> Any:
        return x + source.normal(size=3), source.random(2)

    own, mine = np.random.default_rng(5), np.random.default_rng(5)
    jitted = np.jit(draw)
    for turn in range(4):
        found, wanted = jitted(numbers(3, turn), mine), draw(numbers(3, turn), own)
        assert _leaves(found) == _leaves(wanted)
    assert mine.bit_generator.state == own.bit_generator.state
    assert len(jitted.recordings) == 1


def test_constants_that_the_call_makes_and_writes_to_may_wait_on_the_tape() -> None:
    def edges(x: Any) -> Any:
        y = np.zeros(x.shape)
        y[0] = 1
        return x + y

    same(edges, *[(numbers(3000, k),) for k in range(3)])
    inner = np.jit(edges)
    same(lambda x: inner(x) * 2, *[(numbers(3000, k),) for k in range(3)])


def test_within_another_jitted_function() -> None:
    inner = np.jit(parts)
    source = np.random.default_rng(1)
    inner(numbers(3), {"scale": np.asarray(1.0)})

    def outer(x: Any) -> Any:
        return inner(x, {"scale": np.asarray(2.0)})["b"] * 2 + source.random(3) * 0

    same(outer, *[(numbers(3, k),) for k in range(3)])


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclass(frozen=True)
class Body:
    place: Any
    mass: float


def test_named_tuples_dataclasses_and_methods() -> None:
    @np.jit
    def step(pair: Pair, body: Body) -> Any:
        return Pair(pair.right, pair.left + 1), Body(body.place * body.mass, body.mass)

    for turn in range(3):
        pair, body = step(Pair(numbers(2), numbers(2, turn)), Body(numbers(3, turn), 2.0))
        assert pair.right.tolist() == [1, 2]
        assert body.place.tolist() == (numbers(3, turn) * 2).tolist()

    class Model:
        def __init__(self) -> None:
            self.state = numbers(3) + 0

        @np.jit
        def step(self, x: Any) -> Any:
            self.state += x
            return self.moved().sum()

        def moved(self) -> Any:
            return self.state + SHIFT[0]

    model = Model()
    assert [float(model.step(numbers(3))) for _ in range(3)] == [6, 9, 12]
    model = Model()
    model.state = np.zeros(3)
    assert [float(model.step(numbers(3))) for _ in range(2)] == [3, 6]
    model.state[:] = 1
    assert float(model.step(numbers(3))) == 6
    globals()["SHIFT"] = [1.0]
    assert float(model.step(numbers(3))) == 12


@dataclass
class State:
    """State that a step may change by assignment, which no replay does."""

    u: Any = 0.0
    parts: Any = None

    def moved(self, x: Any) -> None:
        self.u = self.u + x


def change_parts(x: Any, state: State) -> None:
    state.parts["u"] = [x]


def test_assignments_that_outlive_the_call_are_refused() -> None:
    count = 0

    def counted(x: Any) -> Any:
        nonlocal count
        count += 1
        return x + count

    state = State(numbers(3), {"u": None})
    calls: list[Any] = [
        np.jit(state.moved),
        lambda x: np.jit(State.moved)(state, x),
        np.jit(counted),
        lambda x: np.jit(lambda x, p: p.update(m=x * 2))(x, {"count": 1}),
        lambda x: np.jit(lambda x, p: p.append(0.5))(x, [x]),
    ]
    for call in [*calls, lambda x: np.jit(change_parts)(x, state)]:
        with pytest.raises(TypeError, match="assigns to .*, which outlives the call"):
            call(numbers(3))
    loose = np.jit(counted, strict=False)
    assert [float(loose(numbers(1))[0]) for _ in range(3)] == [2, 3, 4]


def test_a_long_loop_is_cut_into_like_programs() -> None:
    def steps(u: Any) -> None:
        for _ in range(500):
            heat(u, 0.25)

    jitted = same(steps, (numbers(50) ** 2,), (numbers(50) ** 3,), times=2)
    (recorded,) = jitted.recordings.values()
    programs = {id(part.program) for part in recorded.replay.parts}
    assert len(recorded.replay.parts) > len(programs)
    assert cut_points([], lambda instructions: []) == []


def test_memory_that_others_see_is_read_and_written_in_order() -> None:
    if not np.default_device().info.shares_host_memory:
        pytest.skip("the memory is the device's own")
    jitted = np.jit(heat)
    for turn in range(3):
        u = numbers(9, turn) ** 2
        seen = numpy.asarray(u)
        wanted = np.asarray(seen, copy=True)
        heat(wanted, 0.25)
        jitted(u, 0.25)
        u.tolist()
        assert seen.tolist() == wanted.tolist()


def rooted(x: Any) -> Any:
    try:
        return np.linalg.cholesky(-np.outer(x, x))
    except np.linalg.LinAlgError:
        return -x


def first_of(x: Any) -> Any:
    try:
        return x[x.astype("int64") + 5]
    except IndexError:
        return x[:1]


REFUSED: list[tuple[Any, str]] = [
    (lambda x: x if float(x.sum()) > 0 else -x, "needs a value"),
    (lambda x: x if x.any() else -x, "needs a value"),
    (lambda x: x[x > 1], "needs a value"),
    (lambda x: np.linalg.lstsq(x[:, None], x), "needs a value"),
    (lambda x: np.linalg.qr(np.outer(x, x), mode="raw"), "needs a value"),
    (first_of, "a check of values .* fails for these values"),
    (rooted, "linalg.cholesky .* fails for these values"),
    (lambda x: x * np.random.default_rng(0).random(), "is made by the host"),
    (lambda x: np.random.default_rng(0).spawn(1)[0].random(3), "is made by the host"),
    (lambda x: setattr(x, "shape", (3, 1)), "changes the shape"),
]


@pytest.mark.parametrize(("call", "why"), REFUSED)
def test_what_cannot_be_replayed_is_refused_with_its_line(call: Any, why: str) -> None:
    with pytest.raises(TypeError, match=why) as raised:
        np.jit(call)(numbers(3))
    assert "test_jit.py, line" in str(raised.value)
    loose = np.jit(call, strict=False)
    for turn in range(2):
        assert _leaves(loose(numbers(3, turn + 1))) is not None
    assert hooks.recorder is None


def masked_beside(x: Any, place: Any) -> Any:
    y = same_one = x[x > 2]
    y += x[:2]  # an array, whose elements the mask does not select
    x[place[place > 0]] += x[x > 2]
    x[x > 3] *= x[:2]
    x[1:3] = x[x > 5]
    return same_one, x[1:] - x[x > 5], np.stack([x[x > 5], x[:3]]), x[(place[place > 0],)]


def masked_again(x: Any) -> Any:
    mask = x > 2
    y = x[mask]
    mask[...] = x > 0
    return y


def test_a_function_that_runs_each_time_has_what_a_mask_selects() -> None:
    place = np.asarray([0, 1, 3])
    wanted = masked_beside(numbers(4) + 1, place)
    loose = np.jit(masked_beside, strict=False)
    for _ in range(2):
        assert _leaves(loose(numbers(4) + 1, place)) == _leaves(wanted)
    with pytest.raises(TypeError, match="used after its mask was written to"):
        np.jit(masked_again, strict=False)(numbers(4))
    with pytest.raises(TypeError, match=r"as an index, \(test_jit.py, line .*needs a value"):
        np.jit(lambda x: x[place[place > x[0]]])(numbers(4))


def test_numpys_arrays_are_read_and_not_written() -> None:
    double = np.jit(lambda x: x * 2)
    for turn in range(2):
        assert double(numpy.arange(3) + turn).tolist() == [2 * turn, 2 * turn + 2, 2 * turn + 4]
    with pytest.raises(TypeError, match="NumPy's"):
        np.jit(heat)(numpy.arange(5.0), 0.5)


def test_static_arguments_have_a_recording_each() -> None:
    @np.jit(static_argnums=1, static_argnames="name")
    def power(x: Any, count: int, name: str = "") -> Any:
        return x**count if name == "up" else x * count

    for count in (2, 3, 2):
        assert power(numbers(3), count, name="up").tolist() == (numbers(3) ** count).tolist()
    assert power(numbers(3), count=3).tolist() == [0, 3, 6]
    assert len(power.recordings) == 3
    assert power(numbers(3), True).tolist() == power(numbers(3), 1).tolist()
    assert len(power.recordings) == 5
    with pytest.raises(TypeError, match="hash"):
        np.jit(lambda x, y: x)(numbers(2), {1, 2})


def test_a_failure_within_a_replay_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    jitted = np.jit(lambda x: np.sin(x) + 1)
    x = numbers(5000)
    for _ in range(2):
        jitted(x)

    def short(nbytes: int) -> Any:
        raise MemoryError

    monkeypatch.setattr(type(np.default_device().driver), "allocate", lambda self, n: short(n))
    with pytest.raises(MemoryError) as raised:
        jitted(x)
    monkeypatch.undo()
    assert any("replaying" in note for note in raised.value.__notes__)
    assert jitted(x).tolist() == (np.sin(x) + 1).tolist()


def test_callable_objects_and_defaults_are_read_anew() -> None:
    weight = np.ones(3)

    class Model:
        def __call__(self, x: Any, weight: Any = weight) -> Any:
            return scaled(x) * weight

    jitted, own = np.jit(Model()), np.jit(lambda x, weight=weight: scaled(x) * weight)
    for turn in range(3):
        globals()["SCALE"] = numbers(3, turn)
        weight += 1
        wanted = (numbers(3, 1) * SCALE * (turn + 2)).tolist()
        assert own(numbers(3, 1)).tolist() == wanted
        assert jitted(numbers(3, 1)).tolist() == wanted


def test_recordings_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "RECORDINGS", 4)
    jitted = np.jit(lambda x, n: x * float(n))
    with pytest.warns(RuntimeWarning, match="pass numbers that it decides by as arrays") as warned:
        for count in range(8):
            assert jitted(numbers(3), count).tolist() == (numbers(3) * count).tolist()
    assert len(jitted.recordings) == 4
    assert len(warned) == 1


def filled(x: Any, s: float) -> Any:
    x[1:] = s
    x += 2 * s
    return np.full(3, s), x.clip(-s, s), np.where(x > 1, s, x), np.maximum(x, -s)


def many(x: Any, t: float) -> float:
    for _ in range(300):
        x += 0.01 * t
        t += 0.5
    return t


def stepped(x: Any, p: dict[str, Any]) -> Any:
    x -= p["rate"] * x / (1 - 0.9 ** p["count"])
    return {"rate": p["rate"] * 0.5, "count": p["count"] + 1}


SINGLE = numpy.ones(6, "float32")
FLOATS = (0.25, 0.5, -3.0, 2.0, float("nan"), 0.0, -0.0, float("inf"))
TAKES: list[tuple[Any, Any, int]] = [
    (lambda x, s: (x * s, s - x, x / s, x + -s, abs(s) * x, x[0] + s, s + 1), FLOATS, 1),
    (filled, FLOATS, 1),
    (many, (0.0, 1.0, -2.0), 1),
    (stepped, [{"rate": 0.1 * k, "count": k} for k in (1, 2, 3)], 1),
    (lambda x, s: np.grad(lambda y: (y * y * s + s / y + y / s).sum())(x), FLOATS[:4], 1),
    (np.grad(lambda y, t: (y * t).sum(), argnums=1), FLOATS[:4], 1),
    (np.vmap(lambda y, t: y * t + 1, in_axes=(0, None)), FLOATS[:4], 1),
    (lambda x, s: np.jit(lambda y, t: y * t)(x, s * 2), FLOATS[:4], 1),
    (lambda x, s: isinstance(s, float) and x * s, FLOATS[:4], 1),
    (lambda x, n: x * n + n // 2 + n % 3, (1, 2, 3, 100, 2**52), 1),
    # What decides by a number has a recording for each.
    (lambda x, s: (math.sin(s) * x, np.asarray(numpy.sqrt(s)) * x), (0.1, 0.2, 0.3), 3),
    (lambda x, s: (x * s if s > 0.2 else x + s, f"{s}"), (0.1, 0.2, 0.3, 0.1), 3),
    (lambda x, s: x * 2 + timedelta(s) / timedelta(1) + int(Decimal(s)), (0.5, 2.0, 0.5), 2),
    (lambda x, n: (x[n], x[:n], np.roll(x, n), x.repeat(n)), (1, 2, 3, 1), 3),
    (lambda x, n: sum((x * i for i in range(n)), x), (1, 2, 3, 1), 3),
    (lambda x, p: (x**p, np.linspace(0, p, 6) * x), (2.0, 3.0, 0.5, 2.0), 3),
    (lambda x, s: x * s**0.5, (4.0, 9.0, -1.0, 16.0), 5),
    (lambda x, z: x * z, (1j, 2j, 0.5), 2),
    (lambda x, z: x * np.linspace(z, 1, 6) * numpy.sqrt(z), (1j, -1 + 0j, complex(-1, -0.0)), 3),
    # A NumPy scalar is an input as well, and keeps its data type.
    (lambda x, s: (x * s, s - x, x + s * s, s * 2, x[0] * s), [*map(numpy.float64, FLOATS)], 1),
    (lambda x, s: (x == s, s * 0.5 * x, s * x[0], s - x.sum()), [*map(numpy.float32, FLOATS)], 1),
    (lambda x, p: (x * p[0], x + p[1]), [(numpy.int16(n), numpy.complex64(n)) for n in (1, 3)], 1),
    (lambda x, n: (x[n], x[:n], x**n), (numpy.int64(1), numpy.int64(2), numpy.int64(1)), 2),
    (lambda x, n: x + np.random.default_rng([n, 1]).random(6) + n, (1, 2, 1), 2),
    (lambda x, n: x + np.random.default_rng(n).random(6) + n, (1, 2, 1), 2),
    # Beside NumPy's arrays and scalars it has the type of a number.
    (lambda x, s: (SINGLE * s, s - SINGLE[1], numpy.where(s < SINGLE, s, SINGLE)), (0.1, 2), 2),
]


@pytest.mark.parametrize(("call", "values", "recordings"), TAKES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_numbers_differ_from_call_to_call(
    call: Any, values: Any, recordings: int, dtype: str
) -> None:
    x = (numbers(6) - 2.5).astype(dtype)
    jitted = same(call, *[(x, value) for value in values], times=2)
    assert len(jitted.recordings) == recordings
    with eager():
        same(call, *[(x, value) for value in values])


def test_a_call_that_has_written_is_not_made_again_for_a_number() -> None:
    x = numbers(3)
    with pytest.raises(TypeError, match="TracedNumber to Decimal .* as the call has written"):
        np.jit(lambda x, n: (x.__iadd__(1), Decimal(n)))(x, 2)
    assert x.tolist() == (numbers(3) + 1).tolist()


def test_explain_lists_what_recordings_launch() -> None:
    jitted = np.jit(lambda u, dt: u + dt * (u - 1))
    jitted(numbers(5000), 0.5)
    assert "recording 1, not yet replayed" in np.explain(jitted)
    jitted(numbers(5000), 0.25)
    text = np.explain(jitted)
    assert "recording 1: 1 program, 1 different" in text
    assert "1 kernel, 80,000 bytes" in text
    assert "multiply(0.5, s1[(5000,)])" in text


def test_an_integer_out_of_bounds_is_an_error_in_a_replay_too() -> None:
    small = np.asarray([1, 2, 3], dtype="int8")
    jitted = same(lambda x, n: (x * n, x < n), (small, 2), (small, -128))
    with pytest.raises(OverflowError, match="300 is out of bounds for int8"):
        jitted(small, 300)
    compared = same(lambda x, n: x < n, (small, 2), (small, 300), (small, 3))
    assert len(compared.recordings) > 1
    taken = same(lambda x, n: (x.take(n), x[np.arange(2) + n]), (small, 1), (small, -2))
    with pytest.raises(IndexError, match="index 300 is out of bounds"):
        taken(small, 300)
    made = same(lambda x, n: x + np.asarray(n, dtype="int8"), (small, 1), (small, -2))
    with pytest.raises(OverflowError, match="300 out of bounds for int8"):
        made(small, 300)
    with pytest.raises(TypeError, match="not 'complex'"):
        np.jit(lambda x, z: x * np.asarray(z, dtype="float64"))(small, 1j)


def test_small_arrays_of_numpys_that_a_function_names_are_told_by_content() -> None:
    weights = numpy.ones(3)
    jitted = np.jit(lambda x: x * np.asarray(weights))
    for turn in range(3):
        weights[:] = turn
        assert jitted(numbers(3)).tolist() == (numbers(3) * turn).tolist()


def test_an_argument_may_be_what_the_call_holds() -> None:
    class Model:
        def __init__(self) -> None:
            self.state = numbers(6) + 0

        def step(self, x: Any) -> Any:
            self.state[1:] += x[:-1]
            return x * 2

    own, mine = Model(), Model()
    jitted = np.jit(mine.step)
    for turn in (0, 1, 2):
        assert jitted(numbers(6, turn)).tolist() == own.step(numbers(6, turn)).tolist()
    assert jitted(mine.state).tolist() == own.step(own.state).tolist()
    assert mine.state.tolist() == own.state.tolist()


def test_donated_arrays_become_results() -> None:
    @np.jit(donate_argnums=(0, 1))  # type: ignore[untyped-decorator]
    def step(x: Any, more: Any) -> Any:
        around = x.copy()
        around[1:-1] += 0.25 * (x[2:] - 2 * x[1:-1] + x[:-2])
        return around, {"y": more["y"] * 2, "sum": around.sum()}, more["z"][1:]

    x, y, z = np.arange(6.0) ** 2, np.ones(3), np.ones(3)
    wanted, scale = np.to_numpy(x), 1
    for _ in range(4):
        found, rest, cut = step(x, {"y": y, "z": z})
        wanted = numpy.concatenate(
            [wanted[:1], wanted[1:-1] + 0.25 * numpy.diff(wanted, 2), wanted[-1:]]
        )
        scale *= 2
        assert found is x
        assert rest["y"] is y
        assert x.tolist() == wanted.tolist()
        assert y.tolist() == [scale] * 3
        assert float(rest["sum"]) == pytest.approx(wanted.sum())
        assert z.tolist() == [1, 1, 1]  # of which a result is a view
        assert np.shares_memory(cut, z)
    host = numpy.ones(3)
    assert np.jit(lambda x: x + 1, donate_argnums=0)(host).tolist() == [2, 2, 2]
    assert host.tolist() == [1, 1, 1]
