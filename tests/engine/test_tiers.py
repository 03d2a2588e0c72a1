"""Tiers: new lists, lists that come again and recalled calls have the bits of kernels.

NumPy computes in a CPU's buffers what is new, instruction by instruction, and gives way to kernels
that were compiled meanwhile. No program sees which of them did it.
"""

from __future__ import annotations

import contextlib
import gc
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

import xarr
from tests.comparing import DTYPES, RARE, computed_together, nightly
from tests.engine.pairs import tier
from tests.functions.calls import rows
from tests.launching import change, refuse_memory, together
from tests.reference import assert_same
from xarr import cache, dtypes, tuning
from xarr.codegen import compile_server, compile_worker
from xarr.errors import CompileError
from xarr.ir.events import counts
from xarr.ops import elementwise
from xarr.runtime import host_functions, host_reductions
from xarr.tape.tape import tape_of

Values = npt.NDArray[Any]
SPECIAL: Final = (
    0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, -2.5, 3, 7, 1e-45, -1e-45, 1e-310, 1e30, -1e30, 3.4e38,
    1.7e308, -1.7e308, np.inf, -np.inf, np.nan, 2.0**31, -(2.0**31), 2.0**53, 0.1, -0.1,
)  # fmt: skip
TYPES: Final = [one for one in DTYPES if one != "float16"]


@pytest.fixture(autouse=True)
def as_users_have_it() -> Iterator[None]:
    """The tier of users, on a device whose memory the host reads; no kernel is another test's."""
    if not xarr.default_device().info.host_addressable:
        pytest.skip(f"{xarr.default_device()} does not share the host's memory")
    with tier(""):
        yield
        xarr.default_device().synchronize()
    if compile_worker._worker.is_started:
        last = compile_worker.submit(int)
        while not last.is_done:
            time.sleep(0.001)


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """No kernels and no programs at first, and nothing that another test has asked for."""
    xarr.synchronize()
    change(monkeypatch, xarr.default_device())
    tape = tape_of(xarr.default_device())
    tape.records, tape.at_once = False, 0


def drawn(dtype: str, count: int) -> Values:
    """Special values, then ones of all magnitudes, then small whole ones."""
    draw = np.random.default_rng(7)
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return draw.integers(0, 2, count).astype(bool)
    if kind.kind == "c":
        part = f"f{kind.itemsize // 2}"
        values = np.empty(3 * count, dtype)
        values.real = np.tile(drawn(part, count), 3)[: 3 * count]
        values.imag = draw.permutation(values.real)
        return values
    small = draw.integers(0 if kind.kind == "u" else -9, 9, count).astype(dtype)
    if kind.kind == "f":
        with np.errstate(all="ignore"):
            special = np.array(SPECIAL).astype(dtype)
        bits = draw.integers(0, 2 ** (8 * kind.itemsize), count, dtype=f"u{kind.itemsize}")
        return np.concatenate([special, bits.view(dtype), small])
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    special = np.array([least, most, most - 1, 0, 1, 2, 3], dtype)
    spread = draw.integers(least, most, count, dtype=dtype, endpoint=True)
    return np.concatenate([special, spread, small])


def flat(results: Any) -> list[Values]:
    return (
        [xarr.to_numpy(xarr.asarray(one)) for one in results]
        if isinstance(results, list | tuple)
        else [xarr.to_numpy(results)]
    )


@contextlib.contextmanager
def nothing_launched() -> Iterator[None]:
    before = counts.launches
    yield
    assert counts.launches == before


def in_each_tier(compute: Callable[[], Any], about: str = "", has_kernels: bool = False) -> None:
    """Assert the bits of kernels where all lists are new, and where NumPy does all that it can.

    A NaN is one, whatever its sign and its other bits. Functions that NumPy has other bits of have
    kernels there too; else nothing is launched, but for a list that comes the eighth time.
    """
    with tier("fused"):
        wanted = flat(compute())
    with pytest.MonkeyPatch.context() as patch:
        change(patch, xarr.default_device())
        for name in ("hosted", ""):
            may_launch = has_kernels or not name
            with tier(name), contextlib.nullcontext() if may_launch else nothing_launched():
                results = flat(compute())
            for number, (got, kernels) in enumerate(zip(results, wanted, strict=True)):
                assert_same(got, kernels, f"{about} {name or 'new'}, number {number}")


# -- programs ---------------------------------------------------------------------------------


# `lengths`: they go along lines by pieces, by NumPy in other places than by kernels. `kernels`: of
# functions that NumPy has other bits of, and of numbers that it converts otherwise.
ELEMENTWISE: Final = rows("""
{x - 2|2 - x|x * 0.5|x**2}
x**3  # kernels
np.sin(y) + np.cos(y[::-1])  # kernels
np.hypot(x[1:], x[:-1])  # kernels
np.maximum(x, {-x|0.5})
np.where(x > y, x, 0.5)  # lengths
np.where(x > 1, 2.0, -1.0)
np.select([x > y, x < 0], [x, y], 7.0)
np.clip(x, {0.0, 1.0|-0.0, 1.0|y, None})
np.{isclose(x, y)|nan_to_num(x)}
(x > 0) & ~(x > 1)
x.astype("complex128")
x.T + np.ones(x.shape[::-1], dtype=x.dtype)
x[:1, :, None] * y[0, None, :7]
x[:, ::-2] - x[:, 1 - x.shape[1] % 2 :: 2]
""")
"""Programs of numbers, data types and views, element by element."""
SUMS: Final = "[*sums(x), *sums(x[0])]"
PROGRAMS: Final = ELEMENTWISE + rows(f"""
np.{{roll(x, 1, axis=0)|roll(x, -2)|flip(x, axis=1)|concat((x, y))|concat([x, x], axis=1)}}
np.concat([x[:, 2:], x[:, :2]], axis=1)  # lengths
np.{{stack((x, y), axis=1)|pad(x, 1, mode="edge")|tile(x, (2, 1))|repeat(x, 2, axis=1)}}
np.{{reshape(x, (-1, x.shape[0]))|permute_dims(x, (1, 0))|broadcast_to(x, (2, *x.shape))}}
np.{{tril(x)|diff(x, axis=0)|gradient(x)}}
x[x > 0.25]  # lengths
np.take(x.reshape(-1), np.arange(6) % 4)
np.{{sort(x, axis=1)|argsort(x[::-1], axis=1)}}  # lengths
np.einsum("ij,ij->i", x, y)
{{np.matmul(x, y.T)|x @ y[0]}}  # lengths
np.fft.fft(x)
{SUMS}  # lengths
np.{{sum(np.stack([x, y]), axis=1)|mean(np.stack([x, y]), axis=2)|argmin(x)|any(x > 3)}}
np.cumulative_sum({{x, axis=1|x[0]}})  # lengths
np.cumulative_sum(x, axis=0)
np.exp(y.sum() / y.size)  # kernels
np.log((y * 2).sum()) + (y * 2).max()  # kernels
((x * x).mean()) ** 0.5  # kernels
np.sqrt((x * x).sum(axis=0)) + 1
y.sum().astype("int64")  # kernels
x.mean(axis=0).astype("float16")  # kernels
np.round(x.mean(axis=-1), 2)
y.sum() // 2  # kernels
x.astype("int32").sum(axis=0) << 1  # kernels
np.sign(x.min())
np.fmin(y.min(), 3) + np.sin(y.max())  # kernels
x.max() - x.min() * 2
np.exp(x - x.max(axis=-1, keepdims=True)).sum(axis=-1)  # kernels
(x - x.mean()) / x.std()
(x + x * (2 + 1j)).mean(axis=0)
np.where(x > 1.9, np.inf, x).std(axis=0)
x[..., :1].std(axis=-1) + x.var(ddof=1)
(x * complex(np.inf, 1)).mean() + x.prod()
""")
LENGTHS: Final = (3, 16, 17, 255, 256, 257, 511, 513, 4096, 4097, 16384, 16385, 65537)


def sums(x: Any) -> list[Any]:
    return [x.sum(), x.mean(), x.max(), (-x).min(), x[::-1].sum()]


def result_of(call: str, np: Any, x: Any, y: Any) -> Any:
    return eval(call, {"np": np, "x": x, "y": y, "sums": sums})


def operands(shape: tuple[int, ...], seed: int, dtype: str = "float64") -> list[Values]:
    draw = np.random.default_rng(seed)
    x = draw.standard_normal(shape)
    x[0, 0] = -0.0
    return [x.astype(dtype), draw.uniform(0.5, 2, shape).astype(dtype)]


@pytest.mark.parametrize(("number", "call"), [*enumerate(PROGRAMS)])
def test_a_program_has_the_bits_of_kernels_in_each_tier(number: int, call: str) -> None:
    """Over lines around the lengths of pieces, else over a small matrix or a large one by turns."""
    lines = [(2, length) for length in LENGTHS]
    for shape in lines if "lengths" in call else [((4, 6), (40, 300))[number % 2]]:
        x, y = map(xarr.asarray, operands(shape, 1))
        in_each_tier(partial(result_of, call, xarr, x, y), f"{shape}", "# kernels" in call)


@pytest.mark.parametrize(("number", "call"), [*enumerate([*ELEMENTWISE, SUMS, "np.argmin(x)"])])
def test_other_types_have_the_bits_of_kernels_in_each_tier(number: int, call: str) -> None:
    dtype = ("float32", "int8", "uint32", "int64")[number % 4]
    values = drawn(dtype, 60)[:60].reshape(4, 15)
    x, y = xarr.asarray(values), xarr.asarray(abs(values[::-1]))
    in_each_tier(partial(result_of, call, xarr, x, y), call, "# kernels" in call)


# -- functions, conversions and reductions -----------------------------------------------------


@pytest.mark.parametrize("dtype", [one for one in TYPES if one not in RARE] + nightly(*RARE))
def test_functions_have_the_bits_of_kernels(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = drawn(dtype, 3000)
    few = values[:150]
    pair = [np.repeat(few, len(few)), values], [np.tile(few, len(few)), values[::-1]]
    arrays = [xarr.asarray(np.concatenate(one)) for one in pair]
    rows, results = [], []
    with tier("fused"):
        for row in elementwise.TABLE:
            with contextlib.suppress(TypeError):  # of this data type there is none
                if dtypes.lookup(dtype).kind in row.host:
                    results.append(getattr(xarr, row.name)(*arrays[: row.operands]))
                    rows.append(row)
        computed_together(results)
        wanted = list(map(xarr.to_numpy, results))
    change(monkeypatch, xarr.default_device())
    with tier("hosted"):
        for row, kernels in zip(rows, wanted, strict=True):
            before = counts.launches
            got = xarr.to_numpy(getattr(xarr, row.name)(*arrays[: row.operands]))
            assert_same(got, kernels, row.name)
            # Functions of floats are of halves of int8.
            assert counts.launches == before or got.dtype == np.float16, row.name


@pytest.mark.parametrize("given", TYPES)
def test_conversions_have_the_bits_of_kernels(given: str) -> None:
    x = xarr.asarray(drawn(given, 3000))
    # From complex to real numbers there is a warning.
    types = [one for one in TYPES if one[:7] == "complex" or given[:7] != "complex"]
    in_each_tier(lambda: [x.astype(wanted) for wanted in types], has_kernels=True)


REDUCED: Final = ("sum", "prod", "mean", "max", "min", "any", "all", "count_nonzero", "argmax",
                  "argmin", "std", "var")  # fmt: skip


def reduced(names: Sequence[str], x: Any, axis: int | None) -> list[Any]:
    return [getattr(xarr, name)(x, axis=axis) for name in names]


def squared(x: Any, axis: int | None) -> list[Any]:
    return reduced(REDUCED, x * x + x, axis)


@pytest.mark.parametrize("dtype", ["float64", *nightly("int32", "float32", "uint8", "bool")])
def test_reductions_have_the_bits_of_kernels(dtype: str) -> None:
    draw = np.random.default_rng(3)
    shapes = [(1,), (16,), (17,), (255,), (257,), (300,), (1000,), (16384,), (16385,), (50_000,),
              (3, 17), (5000, 3), (40, 41, 5)]  # fmt: skip
    for shape in shapes:
        x = xarr.asarray((draw.normal(size=shape) * 9).astype(dtype))
        for axis in (None, 0, -1) if len(shape) > 1 else (None,):  # each has kernels of its own
            in_each_tier(partial(squared, x, axis))


@pytest.mark.parametrize("dtype", ["float16", "float32", *nightly("float64", "complex64")])
def test_zeros_and_halves_have_the_bits_of_kernels(dtype: str) -> None:
    """Sums of -0, and moments beyond what the data type holds."""
    names = ["sum", "mean", *(["std", "var"] if dtype != "complex64" else [])]
    for shape in ((20,), (300,), (600,), (20_000,), (16, 40), (5000, 3)):
        zeros = np.full(shape, -0.0, dtype)
        spread = np.random.default_rng(4).normal(10, 180, shape).astype(dtype)
        for x in (xarr.asarray(zeros), xarr.asarray(spread)):
            for axis in (None, 0, -1):
                in_each_tier(partial(reduced, names, x, axis), has_kernels=True)


def test_extremes_of_zeros_and_nans() -> None:
    for values in ([0.0, -0.0], [-0.0, 0.0], [-0.0, -0.0], [1.0, np.nan, 2.0], [np.nan] * 3, [7.0]):
        x = xarr.asarray(values)
        in_each_tier(partial(reduced, ["max", "min", "sum"], x, None), str(values))


def written(host: Values) -> Any:
    """Views, broadcasting, exchanged parts, work of more than one piece."""
    x, y = xarr.asarray(host), xarr.asarray(host[0])
    x += 0.5 * y
    x[1:-1] = x[1:-1] * 2 - x[2:] + x[:-2]
    x[:, ::2], x[:, 1::2] = x[:, 1::2] + 0, x[:, ::2] + 0
    x[::-1, 3] *= 2
    x[2] = 1.5
    return x + y[:, None][:40].T


@pytest.mark.parametrize("rows", [7, 5000])
def test_what_is_written_has_the_bits_of_kernels(rows: int) -> None:
    host = np.random.default_rng(rows).normal(size=(rows, 40))
    in_each_tier(partial(written, host))


@pytest.mark.parametrize("dtype", ["float64", "bool", *nightly("int16", "complex64")])
def test_what_masks_and_indices_name_has_the_bits_of_kernels(dtype: str) -> None:
    draw = np.random.default_rng(11)
    host = (draw.normal(size=(30, 21)) * 3).astype(dtype)
    mask, places = draw.integers(0, 2, (30, 21)).astype(bool), draw.integers(-20, 20, 15)

    def work() -> Any:
        x, where, at = xarr.asarray(host), xarr.asarray(mask), xarr.asarray(places)
        parts = [x[where], x[at, at], x[:, at][where[:, :15]], x[::-1, ::2][at].reshape(-1)]
        parts.append(xarr.asarray(xarr.nonzero(where)[1], dtype=dtype))
        x[where] = x[where] == x[where]
        x[at] = x[:15] * 1  # of equal places the last one stays
        x[::-1][at, at] = x[3, :15]
        return xarr.concat([*parts, x.reshape(-1)])

    in_each_tier(work)


def test_operations_of_other_operands_than_their_types_say() -> None:
    """Also a number that fills all that a reduction gives, whose memory may hold it already."""
    host = np.random.default_rng(3).random(1000)
    x = xarr.asarray(np.arange(12.0).reshape(3, 4))
    with tier("hosted"):
        found, edges = xarr.histogram(xarr.asarray(host) + 0, 20)
        np.testing.assert_array_equal(xarr.to_numpy(found), np.histogram(host, 20)[0])
        np.testing.assert_allclose(xarr.to_numpy(edges), np.histogram(host, 20)[1])
        for number in (2, 3, 4):
            totals = x.sum(axis=0)
            totals[...] = number
            np.testing.assert_array_equal(np.asarray(totals), [number] * 4)


@pytest.mark.parametrize("keys", [("1:", ":-1"), (":-1", "1:"), ("::-1", ":"), (":", "::-1")])
def test_views_of_one_array_are_apart_where_a_kernel_stands_alone(keys: tuple[str, str]) -> None:
    host = np.arange(40, dtype=np.int64) * 7 % 60
    with tier("hosted"):
        x = xarr.asarray(host) + 1
        ours, theirs = (eval(f"x[{keys[0]}], x[{keys[1]}]", {"x": one}) for one in (x, host + 1))
        np.testing.assert_array_equal(xarr.to_numpy(xarr.gcd(*ours)), np.gcd(*theirs))


# -- which tier runs a list ---------------------------------------------------------------------


def waiting() -> int:
    return len(tape_of(xarr.default_device()).instructions)


def is_at_once(x: xarr.Array) -> bool:
    """Whether NumPy has made a value, whose memory no driver knows yet."""
    assert x._view.storage is not None
    return type(x._view.storage.buffer) is np.ndarray


MANY: Final = tuning.AT_ONCE_NBYTES // 8 + 8
"""More float64 than an instruction has that runs as it is recorded."""


def small(count: int = MANY) -> xarr.Array:
    return xarr.asarray(np.arange(count) / 4 - 1)


WANTED: Final = np.arange(MANY) / 4 - 1
"""The values of `small`."""
EIGHT: Final = WANTED[:8]
SEVERAL: Final = tuning.FEW_NBYTES // 8 + 1
"""More float64 than an instruction has that always runs as it is recorded."""


def tier_of(*opcodes: str) -> str:
    """How the one program of these operations runs; "new" where nothing is kept of the list."""
    found = {
        program
        for trace in xarr.default_device().programs.values()
        for program in trace.programs.values()
        if tuple([opcode.operation.name for opcode in trace.opcodes]) == opcodes
    }
    return "".join(program.tier for program in found) or "new"


def test_a_small_instruction_runs_as_it_is_recorded(anew: None) -> None:
    x = small(8)
    with nothing_launched():
        y = x * 2 + 1
        x[1:3] += y[1:3]
        total = y.sum()
    assert not waiting()
    assert is_at_once(y)
    assert total._view.value == 2 * EIGHT.sum() + 8
    assert x.tolist() == [-1, -1.25, -0.5, *EIGHT[3:]]
    launched = counts.launches
    z = xarr.exp(x)
    number = xarr.exp(0.5)
    assert counts.launches == launched + 2
    assert not waiting()
    np.testing.assert_allclose(xarr.to_numpy(z), np.exp(xarr.to_numpy(x)))
    assert abs(float(number) - np.exp(0.5)) < 1e-15
    with np.errstate(all="raise"):
        assert np.isinf(float((x / 0)[0]))


def test_few_elements_are_never_recorded(anew: None) -> None:
    x = small(8)
    y = zeros = xarr.zeros(8)
    for turn in range(3 * tuning.AT_ONCE):
        y = y + x
        zeros[turn % 8] += x[3]
        zeros *= 1
    assert not waiting()
    np.testing.assert_array_equal(xarr.to_numpy(y), EIGHT * 3 * tuning.AT_ONCE)
    assert zeros.tolist() == [EIGHT[3] * 3 * tuning.AT_ONCE / 8] * 8


def test_an_element_of_few_is_read_and_not_recorded(anew: None) -> None:
    large, few = xarr.zeros(2000) + 1, small(8)
    for turn in range(4):
        large += 1
        few[1:3] = large[:2] + turn
        assert waiting() >= 3
        assert few[1]._view.value == 2 * turn + 2
        assert not waiting()


def test_what_no_value_is_asked_of_is_recorded_in_the_end(anew: None) -> None:
    x = small(SEVERAL)
    y = x
    for _ in range(tuning.AT_ONCE + 2):
        y = y + x
    assert waiting() == 2
    np.testing.assert_array_equal(xarr.to_numpy(y), WANTED[:SEVERAL] * (tuning.AT_ONCE + 3))
    y = y + x  # the list was new, so the next one may be too
    assert not waiting()


def test_a_small_list_that_has_its_program_is_recorded(anew: None) -> None:
    x = small(SEVERAL)
    for turn in range(12):
        with tier("fused" if turn == 10 else ""):
            xarr.synchronize(((x + 3) * x)[::2] / 7)
    y = x + 3
    assert waiting() == 1
    assert y.tolist() == [*(WANTED[:SEVERAL] + 3)]


def test_small_work_waits_where_others_watch(anew: None) -> None:
    x = small(8)
    large = xarr.zeros(2000) + 1
    y = x + large[:8]  # what stands on the tape comes first
    x[0] = 5
    z = x + 1
    assert waiting()
    np.testing.assert_array_equal(xarr.to_numpy(y), EIGHT + 1)
    assert z.tolist() == [6, *(EIGHT[1:] + 1)]
    with xarr.profile() as report:
        x += 1
        assert waiting()
    assert report is not None


@pytest.mark.parametrize(
    ("size", "turn"), [(MANY, tuning.PLANNED), (1 << 20, 2), ((1 << 22) + 1, 1)]
)
def test_kernels_are_asked_for_after_some_repeats(size: int, turn: int, anew: None) -> None:
    """After many times, sooner where the work is larger, and at once where it is very large."""
    x = xarr.zeros(size) + 0
    xarr.synchronize(x)
    for now in range(1, turn + 2):
        xarr.synchronize((x + 3) * (x - 3.25))
        tier_now = tier_of("add", "subtract", "multiply")
        assert (tier_now not in ("new", "step by step")) == (now >= turn)


def test_a_function_that_numpy_has_other_bits_of_is_its_own_kernel(anew: None) -> None:
    """It serves all lists that its instruction is in."""
    x, shared = small() / MANY, xarr.asarray(np.arange(40.0))
    host = WANTED / MANY
    launched = counts.launches
    np.testing.assert_allclose(xarr.to_numpy(xarr.exp(x) * 2), 2 * np.exp(host))
    assert counts.launches == launched + 1
    assert tier_of("exp", "multiply") == "new"
    np.testing.assert_allclose(xarr.to_numpy(2 - xarr.exp(x + 4)), 2 - np.exp(host + 4))
    host = np.arange(40.0)
    parts = (shared[:8] + 0) * xarr.exp(shared[3:11])
    np.testing.assert_allclose(xarr.to_numpy(parts), np.exp(host[3:11]) * host[:8])
    shared[::5] = xarr.exp(shared[8:16]) * 0 + 7
    host[::5] = 7
    np.testing.assert_array_equal(xarr.to_numpy(shared), host)


def test_a_program_takes_the_same_path_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = []
    for _ in range(3):
        with monkeypatch.context() as patch:
            change(patch, xarr.default_device())
            x, path = small(), list[Any]()
            for _ in range(2):
                x = (x * 0.5 + x[::-1]) - 1
                x[2:4] = 0
                path.append(xarr.to_numpy(x).tobytes())
            path += sorted(
                (len(trace.opcodes), len(program.steps), program.runs)
                for trace in set(xarr.default_device().programs.values())
                for program in trace.programs.values()
            )
            paths.append(path)
    assert paths[1] == paths[2]


def thinned(np: Any, steps: int) -> Any:
    """Select fewer numbers in each step, and write to what is left."""
    x, count = np.arange(3001.0), np.zeros(3001, dtype="int64")
    taken = []
    for step in range(steps):
        chosen = x > 11 * step
        x[step] = -1.0
        x[chosen] = x[chosen] * 0.999
        count[chosen] += 1
        taken.append(float(x[chosen].max()))
    return x, count, np.asarray(taken)


def turn(count: int) -> float:
    x = xarr.arange(float(count)) * 0.5 + 1
    x[1:-1] = x[2:] - x[:-2]
    y = xarr.concat([x[x > 1], xarr.sqrt(x)])
    return float(xarr.sort(y)[0] + y.sum() + xarr.cumulative_sum(x)[-1])


def test_lists_of_many_sizes_leave_next_to_nothing(anew: None) -> None:
    programs = xarr.default_device().programs
    for got, wanted in zip(thinned(xarr, 200), thinned(np, 200), strict=True):
        np.testing.assert_array_equal(np.asarray(got), wanted, strict=True)
    assert len(programs) < 30
    for count in range(5, 40):
        turn(count)
    gc.collect()
    before, known = len(gc.get_objects()), len(programs)
    for count in range(40, 840):
        turn(count)
    gc.collect()
    assert len(programs) - known < 4
    assert (len(gc.get_objects()) - before) / 800 < 60  # structures and opcodes, up to a bound


def test_kernels_take_over_once_they_are_compiled(anew: None) -> None:
    x = xarr.arange(2000, dtype="float64")
    wanted = np.arange(2000.0)
    used = 0
    for _ in range(1000):
        x = x * 0.5 + 1
        wanted = wanted * 0.5 + 1
        launches = counts.launches
        xarr.synchronize()
        used += counts.launches - launches
        if used > 5:
            break
        time.sleep(0.01)
    assert used > 5
    assert xarr.to_numpy(x).tobytes() == wanted.tobytes()


@pytest.mark.parametrize(
    ("before", "within"),
    [("x[i] = v", "(big * x[:1])[0].item()"), ("r = x + 1", "xarr.special.gamma(x[:2] + 1)")],
)
def test_a_finalizer_that_reads_what_a_small_instruction_writes(
    before: str, within: str, anew: None
) -> None:
    """Wherever the garbage collector comes in between, the value is that of the line alone."""
    names: dict[str, Any] = {
        "xarr": xarr, "big": xarr.arange(100_000.0), "i": xarr.asarray([0, 2, 4]),
        "v": xarr.asarray([1.0, 2, 3]), "r": None, "x": xarr.zeros(6),
    }  # fmt: skip
    line, inner = compile(before, "line", "exec"), compile(within, "inner", "exec")
    xarr.special.gamma(xarr.zeros(6)[:2] + 1).tolist()
    is_on = False

    class Cycle:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            if is_on:
                with contextlib.suppress(RuntimeError):
                    exec(inner, names)

    thresholds = gc.get_threshold()
    try:
        for place in range(40):
            gc.disable()
            names["x"] = xarr.zeros(6)
            gc.collect()
            Cycle()
            gc.set_threshold(gc.get_count()[0] + place, 1000, 1000)
            is_on = True
            gc.enable()
            exec(line, names)
            gc.disable()
            is_on = False
            found = names["x"] if names["r"] is None else names["r"]
            assert found.tolist() == ([1, 0, 2, 0, 3, 0] if names["r"] is None else [1] * 6)
    finally:
        gc.set_threshold(*thresholds)
        gc.enable()


# -- in order -----------------------------------------------------------------------------------


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


def test_an_instruction_alone_stays_at_once_however_often_it_comes() -> None:
    x = small(1000)
    at_once = 0
    for _ in range(400):
        y = x + 1
        at_once += is_at_once(y)
        xarr.synchronize()
    assert at_once > 350  # now and then one is recorded, to see what comes with it


def test_small_work_is_at_once_while_memory_is_lent() -> None:
    x, other = small(8), small(8)
    lent = np.asarray(x)
    assert is_at_once(other + 1)
    before = x + 1
    lent[0] = 99
    after = x + 1
    x[1] = 7
    assert (float(before[0]), float(after[0]), lent[1]) == (0, 100, 7)
    x += other
    assert lent[0] == 98


def test_what_is_there_is_selected_at_once() -> None:
    x = small(8)
    part = x[x > -0.5]
    assert is_at_once(part)
    part[0] = 8
    x[-1] = 9
    assert part.tolist() == [8, 0, 0.25, 0.5, 0.75]
    assert x[x > 100].tolist() == []
    table = x.reshape(2, 4).T
    np.testing.assert_array_equal(table[table < 0], np.asarray(table)[np.asarray(table) < 0])
    order = xarr.asarray([7, -8, 3])
    assert x[order].tolist() == [9, -1, -0.25]
    x[1:].T[order[2:]] = 6.0
    assert x[::2][order[2:] - 1].tolist() == [6]
    x *= (xarr.zeros(2000) + 1)[:8]
    assert x[order].tolist() == [9, -1, -0.25]


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


def test_threads_and_streams_change_tiers(anew: None) -> None:
    shared = xarr.arange(3000, dtype="float64") + 0
    found: list[bool] = []

    def work() -> None:
        x, wanted = shared + 1, np.arange(3000.0) + 1
        for turn in range(60):
            x = x * 0.25 + shared
            wanted = wanted * 0.25 + np.arange(3000.0)
            if turn % 7 == 3:
                with xarr.Stream(xarr.default_device()):
                    x[5:] += 1
                wanted[5:] += 1
            if turn % 5 == 0:
                found.append(xarr.to_numpy(x).tobytes() == wanted.tobytes())
        found.append(xarr.to_numpy(x).tobytes() == wanted.tobytes())

    together(*[work] * 3)
    assert found == [True] * 39


# -- failures -----------------------------------------------------------------------------------


def test_memory_that_is_short_is_an_error_and_the_value_comes_later(
    anew: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = small(8)
    large = xarr.zeros(2000) + 1
    y = xarr.exp(x)
    del large
    with monkeypatch.context() as patch:
        refuse_memory(patch, lambda: True)
        with pytest.raises(MemoryError):
            xarr.to_numpy(y)
    assert float(x[1]) == -0.75
    np.testing.assert_allclose(xarr.to_numpy(y), np.exp(EIGHT))


@contextlib.contextmanager
def computed_by(change: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Iterator[None]:
    """Have other functions compute what stands on the tape, made of those that NumPy has."""
    opcodes = {step.opcode for step in tape_of(xarr.default_device()).instructions}
    functions = {opcode: host_functions.find(opcode) for opcode in opcodes}
    for opcode, function in functions.items():
        opcode.host = change(function)  # type: ignore[arg-type]
    yield
    for opcode, function in functions.items():
        opcode.host = function


def test_what_an_interrupt_breaks_off_is_done_once(anew: None) -> None:
    x = xarr.arange(200_000, dtype="float64")
    y = x + 1
    with tier("hosted"):
        xarr.synchronize()
        for at in range(4):
            x += y
            z = x * 2 + 1
            turns = iter(range(9))

            def interrupting(
                function: Callable[..., Any], at: int = at, turns: Iterator[int] = turns
            ) -> Callable[..., Any]:
                def call(*values: Any) -> Any:
                    if next(turns) == at:
                        raise KeyboardInterrupt
                    return function(*values)

                return call

            with computed_by(interrupting), pytest.raises(KeyboardInterrupt):
                xarr.synchronize()
            np.testing.assert_array_equal(xarr.to_numpy(z), xarr.to_numpy(x) * 2 + 1)
        np.testing.assert_array_equal(xarr.to_numpy(x), np.arange(200_000.0) * 5 + 4)


def test_what_numpy_refuses_to_do_is_done_when_it_is_asked_again() -> None:
    x = xarr.asarray(np.arange(6.0))
    with tier("hosted"):
        y = (x + 1) * 2
        wrong = computed_by(lambda _: lambda *values: np.empty(3))
        with wrong, pytest.raises(ValueError, match="broadcast"):
            xarr.synchronize()
        np.testing.assert_array_equal(xarr.to_numpy(y), (np.arange(6.0) + 1) * 2)


class _Nothing:
    def key(self, *_: Any) -> str:
        return ""

    def get(self, _: str) -> None:
        return None

    def put(self, *_: Any) -> None:
        pass


def test_a_compiler_that_fails_is_heard_of(anew: None, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = type(xarr.default_device().driver)
    text = "no such function"

    def failing(self: Any, source: str, options: Any = ()) -> bytes:
        raise CompileError(device="x", options=(), log=text, source=source)

    monkeypatch.setattr(driver, "compile", failing)
    monkeypatch.setattr(compile_server.ServerProcess, "_answer", lambda *_: b"")
    monkeypatch.setattr(cache, "DISK", _Nothing())
    x = xarr.arange(2000) + 0
    xarr.synchronize()
    with pytest.raises(CompileError, match=text) as raised:
        for _ in range(500):
            xarr.to_numpy(x * 3 + 1)
            time.sleep(0.01)
    assert "xr_elementwise" in raised.value.source
    # What failed waits for who holds it: frames, which a free-threaded Python collects late.
    del raised
    gc.collect()


def test_where_no_thread_can_be_had_the_program_waits(
    anew: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(compile_worker, "_worker", compile_worker._Worker())
    monkeypatch.setattr(threading.Thread, "start", refused)
    monkeypatch.setattr(tuning, "PLANNED", 8)
    x = xarr.arange(2000)
    before = counts.launches
    for _ in range(10):
        assert int((x * 3 + 1)[-1]) == 5998
        xarr.to_numpy(x * 5)
    assert counts.launches > before
    compile_worker._worker.end()


BYTES = {
    "bool": lambda draw, n: draw.integers(0, 3, n, np.uint8) * (draw.random(n) < 0.01),
    "int8": lambda draw, n: draw.integers(-5, 5, n, np.int8),
    "uint8": lambda draw, n: draw.integers(0, 9, n, np.uint8) + np.uint8(draw.integers(2)),
}


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize("name", host_reductions._ALONE)
def test_what_ends_early_stays_with_numpy(
    name: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reductions of bytes, in memory that may hold other bytes than 1 for True; twelve times."""
    monkeypatch.setattr(tuning, "PLANNED", 8)
    draw = np.random.default_rng(5)
    for shape, axis in (((70_000,), None), ((300, 90), 0), ((90, 300), 1), ((2, 3, 50), (1, 2))):
        if name.startswith("arg") and isinstance(axis, tuple):
            continue
        given = BYTES[dtype](draw, math.prod(shape)).reshape(shape)
        given[..., -1] = 0
        x = xarr.asarray(given).view(dtype) if dtype == "bool" else xarr.asarray(given)
        host = given != 0 if dtype == "bool" else given
        for operand, values in ((x, host), (x[..., ::2], host[..., ::2]), (x * 0, host * 0)):
            wanted = getattr(np, name)(values, axis=axis)
            for _ in range(12):
                found = xarr.to_numpy(getattr(xarr, name)(operand, axis=axis))
                assert found.tobytes() == np.asarray(wanted).tobytes()
                assert found.dtype == np.asarray(wanted).dtype
