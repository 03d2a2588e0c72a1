"""Mutable views and deferred work together: random programs have to do what NumPy does.

`programs` writes and runs them; `pairs.shrunk` makes what fails a short program.
"""

from __future__ import annotations

import gc
import random
from typing import Final

import numpy as np
import pytest

import xarr
from tests.engine.pairs import replay, tier
from tests.engine.programs import MIDDLE, NARROW, WIDE, Breadth, run_random
from tests.engine.views import SEEN_OTHERWISE, Seen
from tests.launching import refuse_memory
from xarr.array.exchange import _Shared
from xarr.array.layouts import settled
from xarr.backends.base import Driver
from xarr.ir.events import hooks


def _need_float64() -> None:
    if not xarr.default_device().has_float64:
        pytest.skip(f"{xarr.default_device()} has no float64")


# In 2,500 of the first narrow steps all planted bugs are found but three, and these after 2,675,
# 7,050 and 18,450; so `make nightly` takes four times as many. Kernels are most of the time, and
# these programs share theirs. On PoCL, where a kernel takes seconds, there are the first 500
# narrow ones alone.
RUNS: Final = (
    (NARROW, "narrow", 0, 500),
    *((NARROW, "narrow", seed, 10_000 if seed else 2_500) for seed in range(5)),
    *((MIDDLE, "middle", seed, 1_750 if seed else 800) for seed in range(3)),
    *((WIDE, "wide", seed, 1_000 if seed else 300) for seed in range(2)),
)


@pytest.mark.parametrize(
    ("breadth", "seed", "steps"),
    [
        pytest.param(
            *(breadth, seed, steps),
            id=f"{name}-{seed}-{steps}",
            marks=pytest.mark.nightly if seed else pytest.mark.slow if steps != 500 else (),
        )
        for breadth, name, seed, steps in RUNS
    ],
)
def test_random_programs_do_what_numpy_does(breadth: Breadth, seed: int, steps: int) -> None:
    if breadth is not NARROW:
        _need_float64()
    assert max(run_random(seed, steps, breadth)) >= steps


def test_programs_do_what_numpy_does_where_nothing_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some interpreters do not count references, so every buffer may be held."""
    monkeypatch.setattr(xarr.default_device(), "programs", {})
    monkeypatch.setattr(hooks, "unheld", -1)
    for _ in run_random(0, 500, NARROW):
        pass


def test_a_mask_selects_where_values_of_lent_memory_go() -> None:
    """The target is another array of the values' memory."""
    with tier(""):
        replay(
            [
                "b = np.asarray(data((6,), 'int64', 1))",
                "m1 = lend(b)",
                "f = borrow(m1[::-1])",
                "b[1:] = 2 * b[:0:-1] + 3",
                "f[f > 2] = b[f > 2]",
                "f[f > -99] = apart(b)",
            ]
        )


@pytest.fixture
def short_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every few allocations be refused twice, which leaves the last way to find memory."""
    chance = random.Random(1)
    left = [5]

    def is_short() -> bool:
        left[0] -= 1
        if left[0] < 0:
            left[0] = chance.randrange(4, 30)
        return left[0] in (0, 1)

    refuse_memory(monkeypatch, is_short)
    monkeypatch.setattr(gc, "collect", lambda: 0)  # takes its time, and changes nothing here


@pytest.mark.parametrize(
    "line", ["np.where(shared, longer, -1)", "np.clip(shared, None, longer)"], ids=["where", "clip"]
)
def test_what_is_computed_on_behalf_of_another_operand_is_read_before_it_is_written(
    line: str,
) -> None:
    for extra in range(26, 32):
        results = []
        for np_ in (xarr, np):
            shared = np_.ones(10, dtype="int32") * 2
            longer = np_.astype(shared, "float32")
            for _ in range(extra):
                longer = longer + 1
            # `shared` is converted, and then computed: both together are too long for one kernel.
            results.append(eval(line, {"np": np_, "shared": shared, "longer": longer}))
            shared[...] = 0
        assert np.array_equal(np.asarray(results[0]), results[1])


@pytest.mark.usefixtures("short_memory")
def test_programs_do_what_numpy_does_when_memory_is_short() -> None:
    for _ in run_random(0, 1000, NARROW):
        pass


@pytest.mark.parametrize("source", ["np.arange(3.0) + 1", "np.asarray([1.0, 2, 3])", "np.ones(3)"])
@pytest.mark.parametrize(
    "line",
    [
        "np.vecdot(x, x)", "np.linalg.outer(x, x)", "np.tensordot(x, x, axes=1)",
        "np.linalg.cross(x, x)", "np.linalg.matrix_norm(x[None])",
        "np.linalg.matrix_rank(x[None])", "np.linalg.solve(np.eye(3), x)", "np.fft.fft(x)",
        "np.isin(x, x)", "np.sort(x)", "np.sum(x)", "np.concat((x, x))",
    ],
)  # fmt: skip
def test_a_function_leaves_the_array_that_it_is_given(line: str, source: str) -> None:
    _need_float64()
    seen = []
    for library in (xarr, np):
        x = eval(source, {"np": library})
        eval(line, {"np": library, "x": x})
        later = x + 5
        values = [np.array(later), np.array(x)]
        view = x[...]
        view += 1
        values.append(np.array(x))
        del view
        x += later
        later[...] = 0
        seen.append([*values, np.array(x)])
    assert np.array_equal(*seen)


@pytest.mark.parametrize("name", ["sum", "max", "mean", "var", "argmax", "any", "cumulative_sum"])
def test_a_function_reads_an_array_that_it_alone_holds(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = xarr.asarray(np.arange(10, dtype=np.float32))
    held = [source + 1]
    del source
    other = held[0] + 1
    refusals = [True, True]
    refuse_memory(monkeypatch, lambda: bool(refusals) and refusals.pop())
    result = np.asarray(getattr(xarr, name)(held.pop()))
    assert not refusals
    np.testing.assert_array_equal(np.asarray(other), np.arange(2, 12))
    np.testing.assert_allclose(result, getattr(np, name)(np.arange(1, 11, dtype=np.float32)))


@pytest.mark.parametrize("name", ["sum", "max", "any"])
def test_memory_is_found_in_older_work(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that a function alone holds needs memory itself; what is older gives some back."""
    driver = xarr.default_device().driver
    a, b, c, d = (xarr.asarray(np.full(1 << 16, value, np.float32)) for value in (1, 2, 3, 4))
    older = a * b
    del a, b
    gc.collect()
    most = driver.memory_info()["used_nbytes"]
    allocate = type(driver).allocate

    def bounded(driver: Driver, nbytes: int) -> object:
        if driver.memory_info()["used_nbytes"] + nbytes > most:
            raise MemoryError
        return allocate(driver, nbytes)

    monkeypatch.setattr(type(driver), "allocate", bounded)
    result = getattr(xarr, name)(c * d)
    assert float(result) == float(getattr(np, name)(np.full(1 << 16, 12, np.float32)))
    assert float(older[5]) == 2


def test_a_value_that_goes_to_memory_that_others_see_is_kept() -> None:
    host = np.arange(5000, dtype=np.float32)
    u = xarr.zeros(5000, dtype="float32")
    settled(u)
    storage = u._view.storage
    assert storage is not None
    claim = _Shared(None, storage)
    value = xarr.asarray(host) * 2
    u[...] = value
    value += 1
    u[1:] = 3
    del claim
    assert np.array_equal(np.asarray(value), host * 2 + 1)
    assert np.array_equal(np.asarray(u), [0, *[3] * 4999])


@pytest.mark.parametrize("seed", [0, 1])
def test_arrays_seen_otherwise_do_what_numpy_does(seed: int) -> None:
    _need_float64()
    for _ in run_random(seed, 200, SEEN_OTHERWISE, kind=Seen):
        pass
