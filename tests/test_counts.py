"""How many kernels run, how many compile, and what they read and store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest

import xarr
from xarr import engine
from xarr.expression import LIMIT_NODES, LIMIT_STORAGES
from xarr.plan import Plan


@dataclass
class Seen:
    """What the engine did within a block."""

    launches: int = 0
    compilations: int = 0
    plans: list[Plan] = field(default_factory=list)


@contextmanager
def seen() -> Iterator[Seen]:
    result = Seen()
    counts = engine.counts

    def observe(skeleton: str, plan: Plan) -> None:
        result.plans.append(plan)

    launches, compilations = counts.launches, counts.compilations
    counts.observers.append(observe)
    try:
        yield result
    finally:
        counts.observers.remove(observe)
        result.launches = counts.launches - launches
        result.compilations = counts.compilations - compilations


def arrays(count: int, shape: tuple[int, ...] = (500,)) -> list[xarr.Array]:
    rng = np.random.default_rng(1)
    return [xarr.asarray(rng.random(shape, dtype=np.float32)) for _ in range(count)]


def reads_of(plan: Plan, x: xarr.Array) -> int:
    """How many accesses of a plan read the storage of x."""
    stores = len(plan.stores)
    accesses = plan.accesses[: len(plan.accesses) - stores]
    return sum(slot >= 0 and plan.storages[slot] is x._node.storage for slot, _, _ in accesses)


def serial_of(x: xarr.Array) -> int:
    """Which storage an array lies in; a reference to it would keep it from being given away."""
    storage = x._node.storage
    assert storage is not None
    return storage.serial


def test_a_chain_is_one_launch() -> None:
    a, b, c = arrays(3)
    with seen() as done:
        result = ((a * b + c) * a - b) * c + a * b
        values = np.asarray(result)
    x, y, z = (np.asarray(value) for value in (a, b, c))
    assert done.launches == 1
    assert len(done.plans[0].stores) == 1
    assert values.tobytes() == (((x * y + z) * x - y) * z + x * y).tobytes()


def test_a_sum_of_squares_reads_its_operand_once_and_stores_no_square() -> None:
    (x,) = arrays(1, (300, 70))
    m = x.mean()
    with seen() as done:
        total = ((x - m) ** 2).sum()
    assert len(done.plans) == 1  # further launches join the pieces, from their accumulators
    assert reads_of(done.plans[0], x) == 1
    assert not done.plans[0].stores
    assert float(total) == pytest.approx(float(((np.asarray(x) - float(m)) ** 2).sum()), rel=1e-5)


def test_a_reduction_stores_what_has_a_name() -> None:
    (x,) = arrays(1)
    square = x * x
    with seen() as done:
        total = square.sum()
    assert [store.node for store in done.plans[0].stores] == [square._node]
    with seen() as done:
        assert np.asarray(square).tobytes() == (np.asarray(x) ** 2).tobytes()
    assert done.launches == 0
    assert float(total) > 0


def test_a_stencil_assignment_is_one_launch() -> None:
    u, v = arrays(2, (60, 70))
    with seen() as done:
        v[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
    assert done.launches == 1


def test_a_long_loop_compiles_few_kernels() -> None:
    (u,) = arrays(1, (40, 50))
    v = u + 0
    with seen() as done:
        for _ in range(1000):
            around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
            lap = around - 4 * u[1:-1, 1:-1]
            change = np.float32(0.1) * lap + around * np.float32(0.001)
            v[1:-1, 1:-1] = u[1:-1, 1:-1] + change
            u, v = v, u
        kept = float(lap.sum()) + float(change.sum())
    assert done.launches >= 1000
    assert len({plan.key for plan in done.plans}) <= 5  # what a cold cache would compile
    assert np.isfinite(kept)


def test_live_intermediates_are_stored_by_the_same_kernel_and_dead_ones_are_not() -> None:
    a, b = arrays(2)
    first = a + b
    last = (first * 2 - a) / 3
    with seen() as done:
        values = np.asarray(last)
        firsts = np.asarray(first)
    assert done.launches == 1
    assert len(done.plans[0].stores) == 2
    x, y = np.asarray(a), np.asarray(b)
    assert firsts.tobytes() == (x + y).tobytes()
    assert values.tobytes() == (((x + y) * 2 - x) / 3).tobytes()


def test_what_another_expression_needs_is_computed_once() -> None:
    a, b = arrays(2)
    shared = a * b
    one, two = shared + 1, shared + 2
    del shared
    with seen() as done:
        np.asarray(one)
        np.asarray(two)
    assert done.launches == 2
    assert reads_of(done.plans[1], a) == 0


def test_in_place_on_what_nobody_else_sees_waits() -> None:
    a, b = arrays(2)
    x = np.asarray(a).copy()
    with seen() as done:
        for _ in range(3):
            a += b
            a *= 2
    assert done.launches == 0
    for _ in range(3):
        x += np.asarray(b)
        x *= 2
    with seen() as done:
        assert np.asarray(a).tobytes() == x.tobytes()
    assert done.launches == 1


def test_in_place_on_what_a_view_sees_is_written_at_once() -> None:
    a, b = arrays(2)
    view = a[10:20]
    wanted = np.asarray(view) + np.asarray(b)[10:20]
    with seen() as done:
        a += b
    assert done.launches == 1
    assert np.asarray(view).tobytes() == wanted.tobytes()


def test_a_dead_operand_gives_its_buffer_and_a_live_one_does_not() -> None:
    a, b = arrays(2)
    serial = serial_of(a)
    a += b
    np.asarray(a)
    assert serial_of(a) == serial
    view = a[1:]
    result = a + b
    del a
    np.asarray(result)
    assert serial_of(result) != serial
    assert np.asarray(view).shape == (499,)


def test_many_nodes_are_cut_and_right() -> None:
    (a,) = arrays(1)
    x, y = a, np.asarray(a)
    for step in range(3 * LIMIT_NODES):
        x = x + step
        y = y + np.float32(step)
    with seen() as done:
        assert np.asarray(x).tobytes() == y.tobytes()
    assert done.launches >= 1


def test_many_arrays_are_cut_and_right() -> None:
    many = arrays(3 * LIMIT_STORAGES)
    total, wanted = many[0], np.asarray(many[0])
    for array in many[1:]:
        total = total + array
        wanted = wanted + np.asarray(array)
    assert np.asarray(total).tobytes() == wanted.tobytes()


def test_many_live_intermediates_are_cut_and_right() -> None:
    (a,) = arrays(1)
    kept = [a]
    wanted = [np.asarray(a)]
    for _ in range(30):
        kept.append(kept[-1] * np.float32(1.5))
        wanted.append(wanted[-1] * np.float32(1.5))
    np.asarray(kept[-1])
    for got, value in zip(kept, wanted, strict=True):
        assert np.asarray(got).tobytes() == value.tobytes()


def test_many_strided_arguments_are_cut_and_right() -> None:
    (a,) = arrays(1, (3, 4, 5, 6, 7))
    x, total, wanted = np.asarray(a), None, None
    for axes in [(4, 3, 2, 1, 0), (1, 0, 3, 2, 4), (2, 1, 0, 4, 3), (0, 4, 3, 2, 1)] * 5:
        part, value = xarr.permute_dims(a, axes), np.transpose(x, axes)
        part, value = part[:3, :3, :3, :3, :3], value[:3, :3, :3, :3, :3]
        total = part if total is None else total + part
        wanted = value if wanted is None else wanted + value
    assert np.asarray(total).tobytes() == np.asarray(wanted).tobytes()


@pytest.mark.parametrize("shape", [(700,), (40, 50), (7, 8, 9)])
def test_eager_gives_the_same_bits(shape: tuple[int, ...]) -> None:
    a, b, c = arrays(3, shape)

    def work() -> list[bytes]:
        chain = (a * b + c) / (a + 1) - xarr.sqrt(b)
        parts = [chain, chain.sum(), (chain * a.T.T).sum(axis=0), a.T.sum(), chain.var(axis=-1)]
        return [np.asarray(part).tobytes() for part in parts]

    deferred = work()
    with xarr.eager():
        assert work() == deferred
