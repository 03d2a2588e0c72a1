"""How many kernels run and compile, what they read and what they store."""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

import xarr
from tests.comparing import nightly
from tests.functions.calls import lines, program, rows
from tests.launching import change, refuse_memory, storage_of, watched
from xarr import layout, tuning
from xarr.array.array import Array
from xarr.codegen import launch
from xarr.ops.reductions import TABLE
from xarr.runtime import dispatch
from xarr.tape.tape import tape_of

Values = npt.NDArray[Any]


@pytest.fixture(autouse=True)
def nothing_asked_before() -> None:
    xarr.synchronize()


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> dict[Any, Any]:
    """The device's compiled kernels, none at first: what is there afterwards had to be compiled."""
    device = xarr.default_device()
    change(monkeypatch, device)
    return device.kernels


def values(*shape: int, dtype: str = "float32", seed: int = 0) -> Values:
    return np.random.default_rng(seed).uniform(0.5, 2, shape).astype(dtype)


def arrays(count: int, *shape: int) -> tuple[list[Array], list[Values]]:
    hosts = [values(*shape, seed=seed) for seed in range(count)]
    return [xarr.asarray(host) for host in hosts], hosts


def is_pending(x: Array) -> bool:
    return storage_of(x).buffer is None


def recorded() -> int:
    return len(tape_of(xarr.default_device()).instructions)


def assert_bits(x: Array, wanted: Values) -> None:
    got = np.asarray(x)
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    assert got.tobytes() == wanted.tobytes()


def grown(x: Any) -> Any:
    """An expression that is computed for a part, rather than for all of which it is one."""
    for _ in range(9):
        x = x * 0.5 + 1
    return x


def in_parts(np: Any, x: Any, parts: list[tuple[int, int]], *, read: bool = False) -> Any:
    out = np.zeros(x.shape, dtype=x.dtype)
    for number, part in enumerate(itertools.starmap(slice, parts)):
        out[part] = grown(x[part] + number) + (out[part] if read else 0)
    return out


def chain(np: Any, a: Any, b: Any, c: Any) -> Any:
    return ((a * b + c) * a - b) * c + a * b


def around(np: Any, x: Any) -> Any:
    x = np.broadcast_to(x, (5, 6))
    return np.roll(x, (1, 1), axis=(0, 1)) + np.roll(x, (1, -1), axis=(0, 1))


PROGRAMS: Final = """
1 | 80,90 | edge = x[0]; x[1:-1, 1:-1] = 0.5 * (x[:-2, 1:-1] + x[2:, 1:-1]) -> x, edge
# what has no elements
1 | 5000 | row = x[None]; none = row[:-1] + 1
... for _ in range(3): row[:-1] += none; row[:-1] = none
... x[1:] = x[:-1] -> x
# a temporary that is written, and one that lives on
1 2 1 | 5000 5000 | y[...] = x * y; y[1:] = shifted = x[1:] + 1; y[:1] = 7 -> y, shifted
4 | 5000 5000 | value = x * 3; user = value + 1; y[...] = value -> value, user, y, user * 2
# several writes
1 | 5000 5000 | for k in range(5): y[...] = x * k; y += x
... -> y
1 | 5000 5000 | y[1:-1] = x[1:-1] * 2; y[1:-1] += 1 -> y
1 | 5000 5000 | view = x[1:]; x += y; x *= 2; x -= y -> x, view
1 1 1 1 | 5000 5000 | reader, other = x * 2, y * 2; x[::2] = 0; reader += x -> reader, other, x
# live and dead intermediates
3 | 5000 5000 5000 | total = x + y; scaled = total * z -> scaled - x, total, scaled
1 | 5000 5000 5000 | total = x + y; result, _ = total * z, total - z -> result
1 | 5000 5000 5000 | total = x + y -> total * z - total
2 | 5000 5000 5000 | total = x + y -> total * z, total - z
1 1 3 1 1 | 60,50 60,50 | t = x + y
... seen = [t[1:], t.T, t[::-1, ::2], t.reshape(50, 60), t[None], t[3]]
... -> [view * 2 for view in seen], seen
# expressions that double
1 | 300 | for _ in range(20): x = x * 0.25 + x
... -> x
0 1 | 300,2 300 | x = x - 1
... for _ in range(40): x = x * x
... -> (np.sum(x, axis=1) if np is xarr else x[:, 0] + x[:, 1]) * y
1 | 100000 100000 100000 | -> chain(np, x, y, z)
1 | | -> np.arange(10_000) * 2 + np.ones(10_000, dtype="int64")
0 | | -> (np.full(3000, 2, dtype="int64") * 3).max()
1 | 80,90 80,90 | around = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
... y[1:-1, 1:-1] = 0.25 * around -> y
1 | 5000 | x[{::2] = x[1::2|:2500] = x[2500:|:] = x[:}] * 2 -> x
1 | 90,90 | -> x + x.T
1 | 5000 | -> {x[::-1] * 2|x[1:] - x[:-1]}
# comes round
1 | 6 | -> around(np, x)
any | 6 | -> around(np, x).max(axis=1)
# in parts: stacked, in halves, with a gap, on each other, read between, one of which is short
2 | 16,50 | -> np.stack([grown(x), grown(-x)])
2 | 16,50 | -> in_parts(np, x, [(0, 8), (8, 16)])
1 1 1 | 16,50 | -> in_parts(np, x, [(0, 8), (9, 16)])
1 1 | 16,50 | -> in_parts(np, x, [(0, 8), (0, 8)])
1 2 | 16,50 | -> in_parts(np, x, [(0, 8), (8, 16)], read=True)
2 | 16,50 | -> np.stack([grown(x), x + 1])
any | 16,50 | in_parts(np, x, [(0, 8), (8, 16)]) -> ()
# as many elements as there are, of a type that is half as wide
1 1 | 16,50 | out = np.zeros(x.size, dtype="float64")
... out.view("float32")[: x.size] = grown(x.reshape(-1)) -> out
| 40,40 | -> x.copy() @ x
1 | 16,50 16,50 | -> (x * y).max(axis=1), x * y * -np.ones((16, 50), "float32")
"""
"""Rows: the stores of each kernel, if all agree, the shapes of the given arrays, and a program."""


def flat(results: Any) -> list[Any]:
    if not isinstance(results, tuple | list):
        return [results]
    return [one for some in results for one in flat(some)]


@pytest.mark.parametrize("line", rows(PROGRAMS))
def test_the_kernels_of_a_program(line: str) -> None:
    """Nothing runs before it is asked for; then so many kernels, and values with NumPy's bits."""
    stored, shapes, text = (part.strip() for part in line.split("|", 2))
    run = program(text, xarr=xarr, chain=chain, around=around, grown=grown, in_parts=in_parts)
    given = [tuple(map(int, shape.split(","))) for shape in shapes.split()]
    hosts = [values(*shape, seed=seed) for seed, shape in enumerate(given)]
    arrays = [xarr.asarray(host) for host in hosts]
    xarr.full((2, 16, 50), 7, dtype="float32").sum()  # memory that is not zero by itself
    xarr.synchronize()
    with watched() as seen:
        results = flat(run(xarr, *arrays))
        arrays.clear()  # so that what a program was given may be dead
        assert not seen.launches
        xarr.synchronize()
    if stored != "any":
        assert seen.stored() == [*map(int, stored.split())]
    for ours, wanted in zip(results, flat(run(np, *hosts)), strict=True):
        if "@" in text:  # the order of its sums is that of a device's library
            np.testing.assert_allclose(np.asarray(ours), wanted, rtol=1e-5)
        else:
            assert_bits(ours, wanted)


CUT: Final = """
2 | 3,9 | 3,9 | for _ in range(3 * tuning.STEPS): x = x + y
... -> x
60 | 0,5 | 0,5 | -> sum((y, z, *more), x)
2 | 0,7 | 30,31 | -> with_many_live(x, y, 30)
2 | 0,7 | 20,22 | parts = with_many_live(x, y, 20) -> parts, parts[-1].max()
3 | 0,7 | 20,22 | parts = with_many_live(x, y, 20); z[...] = parts[-1] -> parts, z
""".replace("60", str(3 * tuning.KERNEL_OF_CPU.slots))
"""Arrays of a program that is too much for a kernel, bounds of kernels and of what they store."""


def with_many_live(x: Any, y: Any, count: int) -> list[Any]:
    return list(itertools.accumulate([y] * count, operator.add, initial=x))


@pytest.mark.parametrize("line", lines(CUT))
def test_expressions_that_are_too_much_for_a_kernel_are_cut(line: str) -> None:
    count, launches, stored, text = line.split("|", 3)
    run = program(text, "np, x, y, z, *more", **globals())
    given, hosts = arrays(int(count), 300)
    with watched() as seen:
        results = flat(run(xarr, *given))
        xarr.synchronize()
    for got, wanted in zip(results, flat(run(np, *hosts)), strict=True):
        assert_bits(got, wanted)
    most = xarr.default_device().info.most
    assert all(one.operations <= most.values for one in seen.launches)
    assert all(len(one.buffers) - one.stores <= most.slots for one in seen.launches)
    assert max(seen.stored()) <= most.stores
    assert len(seen.launches) in range(*eval(launches))
    assert sum(seen.stored()) in range(*eval(stored))


def test_a_sum_of_squares_reads_x_once() -> None:
    host = values(300_000)
    x = xarr.asarray(host)
    m = x.mean()
    xarr.synchronize()
    with watched() as seen:
        result = float(((x - m) ** 2).sum())
    exact = host.astype(np.float64)
    assert result == pytest.approx(((exact - exact.mean()) ** 2).sum(), rel=1e-5)
    assert seen.stored(storage_of(x)) == [0]


NORMS = {
    "vector_norm": ("0", "1", "2", "3", "0.5", "math.inf", "-math.inf"),
    "matrix_norm": ("'fro'", "1", "-1", "math.inf", "-math.inf"),
    "norm": ("None", "'fro'", "1", "-math.inf"),
}
REDUCING = [
    *(f"xarr.{row.name}(a - b, axis=0)" for row in TABLE),
    *(f"(a - b).{row.name}(axis=1)" for row in TABLE if hasattr(Array, row.name)),
    *(f"xarr.{row.name}(a - b)" for row in TABLE if row.form != "scan"),
    *(f"xarr.{name}(a - b, axis=1)" for name in ("cumsum", "cumprod")),
    *(f"xarr.linalg.{name}(a - b, ord={ord})" for name, ords in NORMS.items() for ord in ords),
    *(f"xarr.linalg.vector_norm(a - b, ord={ord}, axis=1, keepdims=True)" for ord in (1, 2, 3)),
    "xarr.vecdot(a - b, a * b)",
    "distance(a, b)",
    "xarr.linalg.vecdot(a - b, a * b, axis=0)",
]


def distance(a: Any, b: Any) -> Any:
    """A norm whose operands a function holds by name."""
    apart = a - b
    squared = apart * apart
    return xarr.sqrt(xarr.sum(squared))


@pytest.mark.parametrize("call", REDUCING)
def test_what_reduces_computes_its_operand_on_the_way(call: str) -> None:
    (a, b), _ = arrays(2, 130, 90)
    with watched() as seen:
        result = eval(call, {"xarr": xarr, "math": math, "a": a, "b": b, "distance": distance})
        xarr.synchronize()
    assert seen.reads_of(storage_of(a))
    assert sum(seen.stored(storage_of(a))) == 0
    if result.size < a.size:
        assert sum(seen.allocated) < a.nbytes


def test_a_reduction_stores_a_named_operand_on_the_way() -> None:
    (a, b), (first, second) = arrays(2, 40_000)
    product = a * b
    with watched() as seen:
        total = product.sum()
        assert float(total) == pytest.approx((first * second).sum(), rel=1e-5)
    assert seen.reads_of(storage_of(a)) == 1
    assert sum(seen.stored()) == 1
    with watched() as seen:
        assert_bits(product, first * second)
    assert len(seen.launches) == 0


def test_memory_that_others_see_is_not_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    host = values(80, 90)
    u = xarr.asarray(host)
    seen = np.from_dlpack(u) if xarr.default_device().info.shares_host_memory else None
    with xarr.graph() as g:
        u[1:-1] = 0.5 * (u[:-2] + u[2:])
    for _ in range(3):
        g.launch()
    for _ in range(4):
        host[1:-1] = np.float32(0.5) * (host[:-2] + host[2:])
    assert_bits(u, host)
    if seen is not None:
        assert_bits(u, seen)
    del g
    u[1:-1] = 0.5 * (u[:-2] + u[2:])
    host[1:-1] = np.float32(0.5) * (host[:-2] + host[2:])
    assert_bits(u, host)
    if seen is not None:
        assert_bits(u, seen)


@pytest.mark.parametrize("most", [1, 3, 65535])
@pytest.mark.parametrize("shape", [(2000, 3), (70, 300), (5, 1000)], ids=str)
def test_a_gpus_grid_takes_every_row_once(
    shape: tuple[int, int], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "MOST_GROUPS", most)
    host = values(*shape)
    gpu = xarr.default_device().pretending("as-gpu")
    monkeypatch.setattr(gpu, "programs", {})
    x, y = (xarr.asarray(host, device=gpu) for _ in "ab")
    y[1:, 1:] += 1
    y[:-1, 1:] += x[1:, :-1]
    other = xarr.zeros(shape[::-1], dtype="float32", device=gpu)
    other[...] = x.T
    wanted = host.copy()
    wanted[1:, 1:] += 1
    wanted[:-1, 1:] += host[1:, :-1]
    assert_bits(y, wanted)
    assert_bits(other, host.T)


def test_memory_that_is_short_changes_no_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    (x, y), (first, second) = arrays(2, 1000)
    value = x + y
    refusals = [True, True]
    refuse_memory(monkeypatch, lambda: bool(refusals) and refusals.pop())
    with watched() as seen:
        xarr.synchronize(value)
    assert not refusals
    assert len(seen.launches) == 1
    assert_bits(value, first + second)


def test_what_is_computed_while_memory_is_short_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    (x, y), (first, _) = arrays(2, 5000)
    middle = x * 2
    value = middle + 1
    refusals = [True, True]
    refuse_memory(monkeypatch, lambda: bool(refusals) and refusals.pop())
    y[...] = value
    xarr.synchronize()
    assert not refusals
    y[...] = 7
    assert_bits(value + 0, first * 2 + 1)
    assert_bits(middle, first * 2)


def test_a_stencil_loop_with_live_intermediates_compiles_few_kernels(
    kernels: dict[Any, Any],
) -> None:
    u, wanted = xarr.asarray(values(40, 50)), values(40, 50)
    energy = lap = u
    for step in range(1000):
        lap = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] += 0.125 * lap
        if step % 100 == 0:
            energy = (u * u).sum()
    for _ in range(1000):
        curved = (
            wanted[:-2, 1:-1] + wanted[2:, 1:-1] + wanted[1:-1, :-2] + wanted[1:-1, 2:]
            - 4 * wanted[1:-1, 1:-1]
        )  # fmt: skip
        wanted[1:-1, 1:-1] += np.float32(0.125) * curved
    assert_bits(u, wanted)
    assert_bits(lap, curved)
    assert float(energy) > 0
    assert len(kernels) <= 7  # two of them where a full tape is cut, as `lap` is held there


def test_sizes_do_not_compile_again(kernels: dict[Any, Any]) -> None:
    for size in (5, 100, 4097, 70_000):
        host = values(size)
        x = xarr.asarray(host)
        assert_bits(x * 2 + x, host * 2 + host)
        assert_bits(x[1:] - size, host[1:] - np.float32(size))
    assert len(kernels) == 2


def test_many_pending_arrays_are_computed_by_and_by() -> None:
    x, host = xarr.asarray(values(10)), values(10)
    kept = []
    for number in range(2 * tuning.STEPS):
        kept.append(x + number)
        assert recorded() <= tuning.STEPS
    x[:] = 0
    for number, got in enumerate(kept):
        assert_bits(got, host + np.float32(number))


def test_eager_work_leaves_nothing_recorded() -> None:
    x = xarr.asarray(values(10))
    with xarr.eager():
        for _ in range(10):
            y = x + 1
            assert not recorded()
            y[1:] = x[1:]
            assert not recorded()


def test_eager_chains_have_the_same_bits() -> None:
    (a, b, c), hosts = arrays(3, 5000)
    deferred = chain(np, a, b, c)
    with watched() as seen, xarr.eager():
        at_once = chain(np, a, b, c)
        assert not is_pending(at_once)
    assert len(seen.launches) == 7
    assert_bits(deferred, chain(np, *hosts))
    assert_bits(at_once, chain(np, *hosts))


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("axis", [None, 0, (0, 2)])
@pytest.mark.parametrize("name", ["sum", "var"])
@pytest.mark.parametrize(
    "view",
    [
        lambda x: x,
        lambda x: xarr.permute_dims(x, (2, 1, 0)),
        lambda x: x[:, ::-1, ::2],
        lambda x: xarr.broadcast_to(x[:1], x.shape),
    ],
    ids=["whole", "transposed", "strided", "repeated"],
)
def test_eager_reductions_have_the_same_bits(
    view: Callable[[Array], Array], name: str, axis: Any
) -> None:
    x = xarr.asarray(values(40, 30, 70) - np.float32(1))

    def results() -> list[Values]:
        part = view(x)
        reduce = getattr(xarr, name)
        return [np.asarray(reduce(form, axis=axis)) for form in (part, part * 3, part + part)]

    deferred = results()
    with xarr.eager():
        at_once = results()
    for got, wanted in zip(deferred, at_once, strict=True):
        assert got.tobytes() == wanted.tobytes()


def test_a_dead_operands_memory_is_taken_over() -> None:
    (x, y), (first, second) = arrays(2, 5000)
    buffer = storage_of(x).buffer
    x = x + y
    with watched() as seen:
        assert_bits(x, first + second)
    assert not seen.allocated
    assert storage_of(x).buffer is buffer


@pytest.mark.parametrize(
    "result",
    [
        lambda x: x.astype("complex64"),
        lambda x: x > 1,
        lambda x: x + xarr.ones((3, 1), dtype="float32"),
    ],
    ids=["wider", "narrower", "larger"],
)
def test_memory_of_another_size_is_not_taken_over(result: Callable[[Array], Array]) -> None:
    x = xarr.asarray(values(1000))
    buffer = storage_of(x).buffer
    x = result(x)
    np.asarray(x)
    assert storage_of(x).buffer is not buffer


def test_what_differs_in_offsets_and_numbers_is_planned_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = xarr.default_device()
    monkeypatch.setattr(device, "programs", {})
    x, host = xarr.asarray(values(3000)), values(3000)
    for number in range(50):
        assert_bits(
            x[number : number + 20] * number, host[number : number + 20] * np.float32(number)
        )
    assert len({*device.programs.values()}) == 1


LOOPS: Final = """
for k in range(n): x = x + y if k % 2 else x * 0.5
... -> x
for k in range(n):
...     if k % 3 == 0: x[1:-1] = y[2:] + y[:-2]
...     elif k % 3 == 1: y *= 0.25
...     else: y[1:] += x[1:]
... -> x
for k in range(0, n, 3):
...     curved = x[2:] - x[:-2]; x[1:-1] += curved
...     y = y * 0.5 if k % 2 else y - x
...     y[0] = 1
... -> x + y
"""


@pytest.mark.slow
@pytest.mark.parametrize("operations", [3, 64, 65, *nightly(31, 63)])
@pytest.mark.parametrize("number", range(3))
def test_a_long_loop_compiles_hardly_more_than_two_steps(
    number: int, operations: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = program(lines(LOOPS)[number], "n, x, y")
    compiled = []
    for steps in (2, 1000):
        with monkeypatch.context() as patch:
            device = xarr.default_device()
            change(patch, device)
            (x, y), _ = arrays(2, 50)
            for _ in range(steps):
                x = body(operations, x, y)
            xarr.synchronize()
            compiled.append(len(device.kernels))
    assert compiled[1] <= (compiled[0] + 8 if number == 0 else 1.5 * compiled[0])


def test_rows_are_written_in_parts() -> None:
    def softmax(np: Any, x: Any) -> Any:
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def both(np: Any, x: Any) -> Any:
        out = np.zeros((128, 100), dtype="float32")
        out[:64], out[64:] = softmax(np, x), softmax(np, x * 2)
        return out

    x = values(64, 100)
    with watched() as seen:
        out = xarr.to_numpy(both(xarr, xarr.asarray(x)))
    np.testing.assert_allclose(out, both(np, x), rtol=1e-5)
    assert len(seen.launches) == 2


ARGUMENTS: Final = """
# reductions with much behind them, and what is read from many sides
total = x.sum(axis=-1)
... for k in range(11): total = total * 1.5 + k
... result = x * total[..., None]
... for k in range(1, 11): result = result + np.roll(x, (k, 2 * k - 1, 3 * k - 2), axis=(0, 1, 2))
... -> result
x = x.astype("complex128")
... for k in range(80): x = x * (1 + 0.01j * k) + (0.5 + 1j * k)
... -> x
# what somebody holds is stored, though the kernel reads it as well
HELD[:] = [x * k for k in range(6)]; result = sum(HELD)
... for k in range(1, 11): result = result + np.roll(x, (k, 2 * k - 1), axis=(1, 2))
... -> result
# parts of other offsets and extents along each axis
keys = [np.s_[i % 2 : i % 2 + 2, i % 3 : i % 3 + 3, i : i + 34] for i in range(6)]
... -> sum(x[key] * number for number, key in enumerate(keys))
"""
HELD: list[Any] = []


@pytest.mark.parametrize(("number", "most"), [(3, 300), *itertools.product([0, 1, 2], [600, 1024])])
def test_no_kernel_has_more_arguments_than_it_may(
    number: int, most: int, form: xarr.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = program(lines(ARGUMENTS)[number], "np, x", HELD=HELD)
    monkeypatch.setattr(layout, "WIDE", 1)  # indices of 64 bits
    change(monkeypatch, form, parameter_nbytes=most)
    x = np.random.default_rng(0).random((4, 6, 40)).astype("float32")
    with watched() as seen:
        result = xarr.to_numpy(run(xarr, xarr.asarray(x)))
    np.testing.assert_allclose(result, run(np, x), rtol=1e-3)
    assert max(one.argument_nbytes for one in seen.launches) <= most


def test_neighbours_have_their_rows_and_columns_in_common() -> None:
    x = values(40, 50)

    def around(np: Any, x: Any) -> Any:
        return sum(np.roll(x, (i, j), axis=(0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1))

    with watched() as seen:
        assert_bits(around(xarr, xarr.asarray(x)), around(np, x))
    (kernel,) = seen.launches
    # Three rows, one of which the result has as well, and the columns to the left and right.
    assert len({*re.findall(r"const xr_index way\w+", kernel.text)}) == 5


def test_programs_tell_which_values_are_kept() -> None:
    x, host = xarr.asarray(values(5)), values(5)
    kept = x * 2
    assert_bits((kept + 1) * 3, (host * np.float32(2) + np.float32(1)) * np.float32(3))
    other = x * 2 + 1
    assert_bits(other * 3, (host * np.float32(2) + np.float32(1)) * np.float32(3))
    assert_bits(kept, host * np.float32(2))
    assert_bits(other, host * np.float32(2) + np.float32(1))


def test_programs_tell_how_wide_indices_are(monkeypatch: pytest.MonkeyPatch) -> None:
    x = xarr.asarray(values(5))
    wide = []
    for least in (layout.WIDE, 1):
        monkeypatch.setattr(layout, "WIDE", least)
        with watched() as seen:
            np.asarray(x * 7)
        wide += [one.is_wide for one in seen.launches]
    assert wide == [False, True]


def test_programs_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    device = xarr.default_device()
    monkeypatch.setattr(device, "programs", {})
    monkeypatch.setattr(tuning, "REMEMBERED", 3)
    x, host = xarr.asarray(values(300)), values(300)
    for size in range(1, 12):
        assert_bits(x[:size] + 1, host[:size] + np.float32(1))
        assert len(device.programs) <= 3


def test_an_element_that_is_there_is_read_without_a_launch() -> None:
    for device in (xarr.default_device(), xarr.default_device().pretending("as-gpu")):
        x = xarr.asarray(values(5, 7), device=device)
        y = x * 2
        xarr.synchronize()
        with watched() as seen:
            read = [float(y[1, 2]), float(y[-1, -1]), complex(y[0, 3])]
        assert len(seen.launches) == 0
        element = y[1, 2]
        assert read[0] == float(element)
        y[1, 2] = 5
        assert read[0] == float(element)
        assert float(y[1, 2]) == 5
        assert read == [float(2 * values(5, 7)[place]) for place in ((1, 2), (-1, -1), (0, 3))]


def test_sizes_that_change_and_take_no_ones_memory_make_no_new_programs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change(monkeypatch, xarr.default_device())
    programs = list[Any]()
    make = dispatch.Program.__init__

    def noted(self: Any, *given: Any) -> None:
        programs.append(self)
        make(self, *given)

    monkeypatch.setattr(dispatch.Program, "__init__", noted)
    z = xarr.asarray(values(40, 40))
    for turn in range(7):
        if turn == 5:  # instructions run at once at first; what then repeats gets its program
            programs.clear()
        for level in range(20):
            inside = z > level / 10
            z[inside] = z[inside] * 1
            z.sum()
    assert [[one.operation.name for one in made.trace.opcodes] for made in programs] == []
