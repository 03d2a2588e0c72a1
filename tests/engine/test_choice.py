"""What runs a list: what is new NumPy, what comes again kernels; in order, with the same bits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import pytest

import xarr
from tests.engine.pairs import tier
from tests.engine.test_tiers import assert_same_bits, drawn
from tests.launching import change, together
from xarr.codegen import compile_worker
from xarr.ir.events import counts
from xarr.tape.tape import tape_of


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    if not xarr.default_device().info.host_addressable:
        pytest.skip(f"{xarr.default_device()} does not share the host's memory")
    with tier(""):
        yield
        xarr.default_device().synchronize()
    if compile_worker._worker.is_started:  # its kernels are no other test's
        last = compile_worker.submit(int)
        while not last.is_done:
            time.sleep(0.001)


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """No kernels and no programs at first, and nothing that another test has asked for."""
    xarr.synchronize()
    change(monkeypatch, xarr.default_device())


def waiting() -> int:
    """How many instructions stand on the tape."""
    return len(tape_of(xarr.default_device()).instructions)


def is_at_once(x: xarr.Array) -> bool:
    """Whether NumPy has made a value, whose memory no driver knows yet."""
    assert x._view.storage is not None
    return type(x._view.storage.buffer) is np.ndarray


def small(count: int = 8) -> xarr.Array:
    return xarr.asarray(np.arange(count) / 4 - 1)


def tier_of(*opcodes: str) -> str:
    """How the one program of these operations runs; "new" where nothing is kept of the list."""
    found = {
        program
        for trace in xarr.default_device().programs.values()
        for program in trace.programs.values()
        if tuple([opcode.operation.name for opcode in trace.opcodes]) == opcodes
    }
    return "".join(program.tier for program in found) or "new"


def test_what_is_new_is_done_by_numpy(anew: None) -> None:
    x = small()
    y = (2 * x - x) / 3
    assert waiting() == 3
    launched = counts.launches
    np.testing.assert_array_equal(xarr.to_numpy(y), (2 * np.asarray(x) - np.asarray(x)) / 3)
    assert is_at_once(y)
    assert counts.launches == launched
    assert tier_of("multiply", "subtract", "divide") == "new"


@pytest.mark.parametrize(("size", "turn"), [(8, 8), (1 << 20, 2)])
def test_kernels_are_asked_for_after_some_repeats(size: int, turn: int, anew: None) -> None:
    x = xarr.zeros(size) + 0
    xarr.synchronize(x)
    for now in range(1, turn + 2):
        xarr.synchronize((x + 3) * (x - 3.25))
        tier_now = tier_of("add", "subtract", "multiply")
        assert (tier_now not in ("new", "step by step")) == (now >= turn)


def test_kernels_of_large_work_are_asked_for_at_once(anew: None) -> None:
    x = xarr.zeros((1 << 22) + 1) + 1
    assert float(x[-1]) == 1
    assert tier_of("add") not in ("new", "step by step")


def test_what_numpy_has_other_bits_of_is_its_own_kernel(anew: None) -> None:
    x = small()
    launched = counts.launches
    y = xarr.exp(x)
    z = y * 2
    np.testing.assert_allclose(xarr.to_numpy(z), 2 * np.exp(np.arange(8) / 4 - 1))
    assert counts.launches == launched + 1
    assert tier_of("exp", "multiply") == "new"


def test_a_kernel_serves_all_lists_that_an_instruction_is_in(anew: None) -> None:
    x, w = small(), small() + 4
    shared = xarr.asarray(np.arange(40.0))
    got = [
        xarr.to_numpy(xarr.exp(x) + 1),
        xarr.to_numpy(2 - xarr.exp(w)),
        xarr.to_numpy((shared[:8] + 0) * xarr.exp(shared[3:11])),
    ]
    part = shared[8:16]
    shared[::5] = xarr.exp(part) * 0 + 7
    host = np.arange(40.0)
    wanted = [
        np.exp(np.arange(8) / 4 - 1) + 1,
        2 - np.exp(np.arange(8) / 4 + 3),
        np.exp(host[3:11]) * host[:8],
    ]
    for mine, numpys in zip(got, wanted, strict=True):
        np.testing.assert_allclose(mine, numpys)
    host[::5] = 7
    np.testing.assert_array_equal(xarr.to_numpy(shared), host)


def test_a_program_takes_the_same_path_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = []
    for _ in range(3):
        with monkeypatch.context() as patch, tier(""):
            change(patch, xarr.default_device())
            x, path = small(), list[Any]()
            for _ in range(2):
                x = (x * 0.5 + x[::-1]) - 1
                x[2:4] = 0
                path.append(xarr.to_numpy(x).tobytes())
            programs = set(xarr.default_device().programs.values())
            path += sorted(
                (len(trace.opcodes), len(program.steps), program.runs)
                for trace in programs
                for program in trace.programs.values()
            )
            paths.append(path)
    assert paths[1] == paths[2]


def test_what_cannot_be_computed_says_so_and_is_computed_later(
    anew: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = small()
    driver: Any = xarr.default_device().driver

    def refuse(nbytes: int) -> Any:
        raise MemoryError(nbytes)

    large = xarr.zeros(2000) + 1
    y = xarr.exp(x)
    del large
    with monkeypatch.context() as patch:
        patch.setattr(driver, "allocate", refuse)
        with pytest.raises(MemoryError):
            xarr.to_numpy(y)
    assert float(x[1]) == -0.75
    np.testing.assert_allclose(xarr.to_numpy(y), np.exp(np.arange(8) / 4 - 1))


def thinned(np: Any, steps: int) -> Any:
    """What is left of numbers of which each step selects fewer, and writes to them."""
    x, count = np.arange(3001.0), np.zeros(3001, dtype="int64")
    taken = []
    for step in range(steps):
        chosen = x > 11 * step
        x[step] = -1.0
        x[chosen] = x[chosen] * 0.999
        count[chosen] += 1
        taken.append(float(x[chosen].max()))
    return x, count, np.asarray(taken)


def test_selections_of_many_sizes_are_not_planned(anew: None) -> None:
    programs = xarr.default_device().programs
    for got, wanted in zip(thinned(xarr, 200), thinned(np, 200), strict=True):
        np.testing.assert_array_equal(np.asarray(got), wanted, strict=True)
    assert len(programs) < 30


@pytest.mark.parametrize("name", ["fused", "hosted"])
def test_work_waits_where_another_tier_is_asked_for(name: str) -> None:
    with tier(name):
        y = small() + 1
        assert waiting()
        assert not is_at_once(y)


EXPRESSIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "x - 2": lambda np, x: x - 2,
    "2 - x": lambda np, x: 2 - x,
    "x * 0.5": lambda np, x: x * 0.5,
    "where": lambda np, x: np.where(x > 1, x, 0),
    "where of numbers": lambda np, x: np.where(x > 1, 2.0, -1.0),
    "transposed": lambda np, x: x[:12].reshape(3, 4).T + np.ones((4, 3)),
    "rows by columns": lambda np, x: x[:5, None] * x[None, :7],
    "backwards": lambda np, x: x[::-2] - x[1::2],
    "maximum": lambda np, x: np.maximum(x, -x),
    "sum": lambda np, x: np.sum(x),
    "sum of columns": lambda np, x: np.sum(x[:24].reshape(2, 4, 3), axis=1),
    "mean of rows": lambda np, x: np.mean(x[:24].reshape(2, 4, 3), axis=2),
    "max": lambda np, x: np.max(x),
    "argmin": lambda np, x: np.argmin(x),
    "any": lambda np, x: np.any(x > 3),
    "of indices": lambda np, x: np.take(x, np.arange(6) % 4),
    "converted": lambda np, x: x.astype("complex128"),
    "bools": lambda np, x: (x > 0) & ~(x > 1),
    "square": lambda np, x: x**2,
}  # fmt: skip


@pytest.mark.parametrize(
    ("what", "dtype"),
    [
        (what, dtype)
        for number, what in enumerate(EXPRESSIONS)
        for dtype in ("float64", ("float32", "int8", "uint32", "int64")[number % 4])
    ],
)
def test_the_bits_are_those_of_kernels(what: str, dtype: str) -> None:
    values = drawn(dtype, 60)[:70]
    results = []
    for name in ("", "fused"):
        with tier(name):
            results.append(xarr.to_numpy(EXPRESSIONS[what](xarr, xarr.asarray(values))))
    assert_same_bits(*results)


def test_what_comes_behind_large_work_waits_for_it() -> None:
    x = small()
    y = (xarr.zeros(200_000) + 1)[:8] * x
    assert waiting()
    x += 1
    z = xarr.exp(y) + x
    x[2:] = -1
    assert waiting()
    np.testing.assert_allclose(np.asarray(z), np.exp(np.arange(8) / 4 - 1) + np.arange(8) / 4)
    np.testing.assert_array_equal(np.asarray(x)[1:4], [0.25, -1, -1])


@pytest.mark.parametrize("dtype", ["int64", "longlong", np.dtype("int64", metadata={"unit": "m"})])
@pytest.mark.parametrize("make", [xarr.asarray, xarr.array])
def test_what_is_made_of_numpys_array_is_a_copy(make: Callable[..., Any], dtype: Any) -> None:
    values = np.arange(4).astype(dtype)
    x = make(values)
    values[0] = 9
    x[1] = 7
    x += 1
    assert x.tolist() == [1, 8, 3, 4]
    assert values.tolist() == [9, 1, 2, 3]
    values.flags.writeable = False
    y = make(values)
    y[0] = 5
    assert y.tolist() == [5, 1, 2, 3]


def test_what_is_joined_stays_on_the_host() -> None:
    x, y = small(6), xarr.asarray(np.arange(6)) * 0.5
    for joined, wanted in (
        (xarr.concat([x, y]), np.concatenate([x, y])),
        (xarr.stack([x, y], axis=1), np.stack([x, y], axis=1)),
        (
            xarr.stack([x.reshape(2, 3).T, xarr.zeros((3, 2))]),
            [x.reshape(2, 3).T, np.zeros((3, 2))],
        ),
        (xarr.concat([x, xarr.asarray([True, False])]), np.concatenate([x, [1, 0]])),
        (xarr.stack([x > 0, y > 1]), np.stack([x > 0, y > 1])),
        (xarr.stack([x[0], y[1]]), np.stack([x[0], y[1]])),
    ):
        np.testing.assert_array_equal(xarr.to_numpy(joined), wanted)
    whole = xarr.stack([x, y])
    xarr.synchronize()
    assert is_at_once(whole)
    x[0] = 100
    whole[1] = 0
    assert float(whole[0, 0]) == -1
    assert float(y[5]) == 2.5


def test_what_is_there_is_selected_at_once() -> None:
    x = small()
    part = x[x > -0.5]
    assert is_at_once(part)
    part[0] = 8
    x[-1] = 9
    assert part.tolist() == [8, 0, 0.25, 0.5, 0.75]
    assert x[x > 100].tolist() == []
    table = x.reshape(2, 4).T
    np.testing.assert_array_equal(table[table < 0], np.asarray(table)[np.asarray(table) < 0])
    memory = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    assert x[:4][xarr.from_dlpack(memory, copy=False)].tolist() == [-0.75, -0.5, -0.25]


def test_what_lies_elsewhere_is_selected_and_selects() -> None:
    x, order = small(), xarr.asarray([7, -8, 3])
    assert x[order].tolist() == [0.75, -1, -0.25]
    x[1:].T[order[2:]] = 6.0
    assert x[::2][order[2:] - 1].tolist() == [6]
    large = xarr.zeros(2000) + 1
    x *= large[:8]
    assert x[order].tolist() == [0.75, -1, -0.25]


def test_what_waits_is_joined_in_order() -> None:
    x = small(4)
    large = xarr.zeros(2000) + 1
    y = xarr.exp(x)
    whole = xarr.concat([x, y])
    x += 1
    assert waiting()
    del large
    np.testing.assert_allclose(
        whole, np.concatenate([np.arange(4) / 4 - 1, np.exp(np.arange(4) / 4 - 1)])
    )


def test_what_a_library_gives_back_shares_no_memory_with_what_it_took() -> None:
    x = xarr.asarray(np.arange(1.0, 5.0).reshape(2, 2))
    results = [
        xarr.linalg.matrix_power(x, 2), xarr.linalg.inv(x), *xarr.linalg.svd(x), xarr.sort(x),
        xarr.fft.fft(x), xarr.take(x, xarr.asarray([0, 1]), axis=0), x[x > 0], x[[0, 1]],
    ]  # fmt: skip
    before = [xarr.to_numpy(result) for result in results]
    x[...] = -1
    for result, wanted in zip(results, before, strict=True):
        np.testing.assert_array_equal(xarr.to_numpy(result), wanted)
        result[...] = 0
    assert (xarr.to_numpy(x) == -1).all()


def test_a_bool_in_the_memory_of_others_is_true_unless_it_is_0() -> None:
    memory = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    x = xarr.from_dlpack(memory, copy=False)
    assert xarr.to_numpy(x & xarr.asarray([True] * 4)).tolist() == [False, True, True, True]
    assert int(xarr.sum(x.astype("int8"))) == 3


def test_nothing_is_said_of_overflow() -> None:
    x = small()
    assert np.isinf(float((x / 0)[0]))
    assert np.isnan(float((x[4:5] / 0)[0]))
    assert np.isinf(float(((x + 2) * 1e308 * 1e308)[0]))


def test_elements_of_numpys_memory() -> None:
    x = small() + 1
    x[3] = 4.5
    assert [float(x[0]), float(x[3]), float(x[-1])] == [0, 4.5, 1.75]
    z = (x + 0).astype("complex64")
    z[1] = 1j
    assert complex(z[1]) == 1j
    truths = x > 1
    truths[0] = True
    assert bool(truths[0])
    assert is_at_once(x)


def test_memory_of_the_dead_waits_for_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    driver: Any = xarr.default_device().driver
    monkeypatch.setattr(driver, "_small", 0, raising=False)  # PoCL's threads do it, later
    results = []
    for number in range(200):
        x = small(900) + number
        results.append(xarr.gcd(xarr.asarray(np.full(900, 12)), x.astype("int64") * 0 + number))
        if number % 7 == 0:
            xarr.default_device().synchronize()
        del x
    for number, result in enumerate(results):
        assert xarr.to_numpy(result).tolist() == [np.gcd(12, number)] * 900


def test_threads_write_to_parts_of_one_array_beside_a_kernel() -> None:
    for _ in range(30):
        x = xarr.asarray(np.zeros(64))

        def written(first: int, x: xarr.Array = x) -> None:
            for at in range(first, 64, 2):
                x[at : at + 1] = at

        def read(x: xarr.Array = x) -> None:
            assert xarr.to_numpy(xarr.exp(x)).shape == (64,)

        together(partial(written, 0), partial(written, 1), read)
        np.testing.assert_array_equal(xarr.to_numpy(x), np.arange(64.0))
