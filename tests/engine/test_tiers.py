"""What NumPy computes in a CPU's buffers has the bits of the kernels, and gives way to them."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

import xarr
from tests.comparing import RARE, computed_together, nightly
from tests.engine.pairs import tier
from tests.launching import change, together
from tests.processes import run_code
from tests.reference import assert_same
from xarr import cache, dtypes
from xarr.codegen import compile_server, compile_worker, launch
from xarr.errors import CompileError
from xarr.ops import elementwise
from xarr.runtime import host_functions
from xarr.tape.tape import tape_of

Values = npt.NDArray[Any]
SPECIAL: Final = (
    0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, -2.5, 3, 7, 1e-45, -1e-45, 1e-310, 1e30, -1e30, 3.4e38,
    1.7e308, -1.7e308, np.inf, -np.inf, np.nan, 2.0**31, -(2.0**31), 2.0**53, 0.1, -0.1,
)  # fmt: skip
DTYPES: Final = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
                 "float32", "float64", "complex64", "complex128")  # fmt: skip


@pytest.fixture(autouse=True)
def open_device() -> None:
    if not xarr.default_device().driver.is_open():
        pytest.skip(f"the host does not reach into the memory of {xarr.default_device()}")


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No kernels and no programs at first, and NumPy until there are some."""
    change(monkeypatch, xarr.default_device())
    with tier(""):
        yield


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


def assert_same_bits(got: Values, wanted: Values, call: str = "") -> None:
    """A NaN is one, whatever its sign and its other bits."""
    assert_same(np.asarray(got), np.asarray(wanted), call)


def in_both(compute: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> tuple[Values, int]:
    """What NumPy computes, which is what kernels do, and how many of them it launches."""
    (got,), launched = all_in_both(lambda: [compute()], monkeypatch)
    return got, launched


def all_in_both(
    compute: Callable[[], list[Any]], monkeypatch: pytest.MonkeyPatch
) -> tuple[list[Values], int]:
    """The same of several values, some of which one kernel computes: it takes long to compile."""
    with tier("fused"):
        wanted = list(map(xarr.to_numpy, compute()))
    change(monkeypatch, xarr.default_device())
    with tier("hosted"):
        before = launch.counts.launches
        got = list(map(xarr.to_numpy, compute()))
        launched = launch.counts.launches - before
    for number, (one, kernels) in enumerate(zip(got, wanted, strict=True)):
        assert_same_bits(one, kernels, f"number {number}")
    return got, launched


@pytest.mark.parametrize("dtype", [one for one in DTYPES if one not in RARE] + nightly(*RARE))
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
            before = launch.counts.launches
            got = xarr.to_numpy(getattr(xarr, row.name)(*arrays[: row.operands]))
            launched = launch.counts.launches - before
            assert_same_bits(got, kernels, row.name)
            # Functions of floats are of halves of int8.
            assert launched == 0 or got.dtype == np.float16, row.name


@pytest.mark.parametrize("given", DTYPES)
def test_conversions_have_the_bits_of_kernels(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = xarr.asarray(drawn(given, 3000))
    # From complex to real numbers there is a warning.
    types = [one for one in DTYPES if one[:7] == "complex" or given[:7] != "complex"]
    all_in_both(lambda: [x.astype(wanted) for wanted in types], monkeypatch)


def reduced(names: Sequence[str], x: Any, axis: int | None) -> list[Any]:
    y = x * x + x
    return [getattr(xarr, name)(y, axis=axis) for name in names]


REDUCED: Final = ("sum", "prod", "mean", "max", "min", "any", "all", "count_nonzero", "argmax",
                  "argmin", "std", "var")  # fmt: skip


@pytest.mark.parametrize("dtype", ["float64", "int32", *nightly("float32", "uint8", "bool")])
def test_reductions_have_the_bits_of_kernels(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(3)
    shapes = [(1,), (16,), (17,), (255,), (257,), (300,), (1000,), (16384,), (16385,), (50_000,),
              (3, 17), (5000, 3), (40, 41, 5)]  # fmt: skip
    for shape in shapes:
        x = xarr.asarray((draw.normal(size=shape) * 9).astype(dtype))
        for axis in (None, 0, -1) if len(shape) > 1 else (None,):  # each has kernels of its own
            _, launched = all_in_both(functools.partial(reduced, REDUCED, x, axis), monkeypatch)
            assert launched == 0


@pytest.mark.parametrize("dtype", ["float16", "float32", *nightly("float64", "complex64")])
def test_zeros_and_halves_have_the_bits_of_kernels(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sums of -0, and moments beyond what the data type holds."""
    names = ["sum", "mean", *(["std", "var"] if dtype != "complex64" else [])]
    for shape in ((20,), (300,), (600,), (20_000,), (16, 40), (5000, 3)):
        zeros = np.full(shape, -0.0, dtype)
        spread = np.random.default_rng(4).normal(10, 180, shape).astype(dtype)
        for x in (xarr.asarray(zeros), xarr.asarray(spread)):
            for axis in (None, 0, -1):
                all_in_both(
                    lambda x=x, axis=axis: [getattr(xarr, name)(x, axis=axis) for name in names],  # type: ignore[misc]
                    monkeypatch,
                )


FINISHED: Final[dict[str, Callable[[Any], Any]]] = {
    "exp": lambda x: xarr.exp(x.sum() / 100),
    "log": lambda x: xarr.log((x * 2).sum()) + (x * 2).max(),
    "power": lambda x: ((x * x).mean()) ** 0.5,
    "square root": lambda x: xarr.sqrt((x * x).sum(axis=0)) + 1,
    "integer": lambda x: x.sum().astype("int64"),
    "half": lambda x: x.mean(axis=0).astype("float16"),
    "rounded": lambda x: xarr.round(x.mean(axis=-1), 2),
    "floor": lambda x: x.sum() // 2,
    "shift": lambda x: x.astype("int32").sum(axis=0) << 1,
    "sign": lambda x: xarr.sign(x.min()),
    "least": lambda x: xarr.fmin(x.min(), 3) + xarr.sin(x.max()),
    "two": lambda x: x.max() - x.min() * 2,
    "whole": lambda x: xarr.exp(x - x.max(axis=-1, keepdims=True)).sum(axis=-1),
    "deviation": lambda x: (x - x.mean()) / x.std(),
    "complex": lambda x: (x + x * (2 + 1j)).mean(axis=0),
    "infinite spread": lambda x: xarr.where(x > 1.9, np.inf, x).std(axis=0),
    "no spread": lambda x: x[..., :1].std(axis=-1) + x.var(ddof=1),
    "infinite": lambda x: (x * complex(np.inf, 1)).mean() + x.prod(),
}


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        pytest.param(name, shape, marks=() if place in (number % 2, 2) else pytest.mark.nightly)
        for number, name in enumerate(FINISHED)
        for place, shape in enumerate([(10,), (7, 5), (300, 40)])
    ],
)
def test_what_follows_reductions_has_the_bits_of_kernels(
    name: str, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    x = xarr.asarray(np.random.default_rng(5).uniform(0.5, 2, shape))
    in_both(functools.partial(FINISHED[name], x), monkeypatch)


def test_a_number_takes_the_place_of_all_that_a_reduction_gives() -> None:
    """The number comes of no element, and yet fills every one of them."""
    x = xarr.asarray(np.arange(12.0).reshape(3, 4))
    with tier("hosted"):
        for number in (2, 3, 4):  # memory is used again, and may hold the number already
            totals = x.sum(axis=0)
            totals[...] = number
            np.testing.assert_array_equal(np.asarray(totals), [number] * 4)


def test_what_is_written_has_the_bits_of_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Views, broadcasting, exchanged parts, work of more than one piece."""
    for rows in (7, 5000):
        host = np.random.default_rng(rows).normal(size=(rows, 40))

        def work(host: Values = host) -> Any:
            x, y = xarr.asarray(host), xarr.asarray(host[0])
            x += 0.5 * y
            x[1:-1] = x[1:-1] * 2 - x[2:] + x[:-2]
            x[:, ::2], x[:, 1::2] = x[:, 1::2] + 0, x[:, ::2] + 0
            x[::-1, 3] *= 2
            x[2] = 1.5
            return x + y[:, None][:40].T

        _, launched = in_both(work, monkeypatch)
        assert launched == 0


@pytest.mark.parametrize("dtype", ["float64", "int16", "bool", "complex64"])
def test_what_masks_and_indices_name_has_the_bits_of_kernels(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
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

    _, launched = in_both(work, monkeypatch)
    assert launched == 0


@pytest.mark.usefixtures("anew")
def test_kernels_take_over_once_they_are_compiled() -> None:
    x = xarr.arange(2000, dtype="float64")
    wanted = np.arange(2000.0)
    used = 0
    for _ in range(1000):
        x = x * 0.5 + 1
        wanted = wanted * 0.5 + 1
        launches = launch.counts.launches
        xarr.synchronize()
        used += launch.counts.launches - launches
        if used > 5:
            break
        time.sleep(0.01)
    assert used > 5
    assert xarr.to_numpy(x).tobytes() == wanted.tobytes()


@pytest.mark.usefixtures("anew")
def test_a_compiler_that_fails_is_heard_of(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = type(xarr.default_device().driver)
    text = "no such function"

    def failing(self: Any, source: str, options: Any = ()) -> bytes:
        raise CompileError(device="x", options=(), log=text, source=source)

    monkeypatch.setattr(driver, "compile", failing)
    monkeypatch.setattr(compile_server.ServerProcess, "_answer", lambda *_: b"")
    monkeypatch.setattr(cache, "disk_cache", _Nothing)
    x = xarr.arange(2000) + 0
    xarr.synchronize()
    with pytest.raises(CompileError, match=text) as raised:
        for _ in range(500):
            xarr.to_numpy(x * 3 + 1)
            time.sleep(0.01)
    assert "xr_elementwise" in raised.value.source


class _Nothing:
    """A disk cache that holds nothing."""

    def key(self, *_: Any) -> str:
        return ""

    def get(self, _: str) -> None:
        return None

    def put(self, *_: Any) -> None:
        pass


@pytest.mark.usefixtures("anew")
def test_where_no_thread_can_be_had_the_program_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(compile_worker, "_worker", compile_worker._Worker())
    monkeypatch.setattr(threading.Thread, "start", refused)
    x = xarr.arange(2000)
    before = launch.counts.launches
    for _ in range(10):
        assert int((x * 3 + 1)[-1]) == 5998
        xarr.to_numpy(x * 5)
    assert launch.counts.launches > before
    compile_worker._worker.end()


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


def test_what_an_interrupt_breaks_off_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, xarr.default_device())
    monkeypatch.setattr(host_functions.tier, "name", "hosted")
    x = xarr.arange(200_000, dtype="float64")
    y = x + 1
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


@pytest.mark.parametrize("keys", [("1:", ":-1"), (":-1", "1:"), ("::-1", ":"), (":", "::-1")])
def test_views_of_one_array_are_apart_where_a_kernel_stands_alone(
    keys: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_functions.tier, "name", "hosted")
    host = np.arange(40, dtype=np.int64) * 7 % 60
    x = xarr.asarray(host) + 1
    ours, theirs = (eval(f"x[{keys[0]}], x[{keys[1]}]", {"x": one}) for one in (x, host + 1))
    np.testing.assert_array_equal(xarr.to_numpy(xarr.gcd(*ours)), np.gcd(*theirs))


def test_what_numpy_refuses_to_do_is_done_when_it_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(host_functions.tier, "name", "hosted")
    x = xarr.asarray(np.arange(6.0))
    y = (x + 1) * 2
    wrong = computed_by(lambda _: lambda *values: np.empty(3))
    with wrong, pytest.raises(ValueError, match="broadcast"):
        xarr.synchronize()
    np.testing.assert_array_equal(xarr.to_numpy(y), (np.arange(6.0) + 1) * 2)


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64", "float16"])
def test_few_indices_are_taken_at_once(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_functions.tier, "name", "hosted")
    host = np.arange(60).reshape(20, 3).astype(dtype)
    x, places = xarr.asarray(host), np.array([[19, 0], [-1, -20]], np.int32)
    where = xarr.asarray(places)
    xarr.synchronize()
    steps, before = tape_of(x.device).instructions, launch.counts.launches
    np.testing.assert_array_equal(xarr.to_numpy(x[::-1][where]), host[::-1][places])
    assert (steps, launch.counts.launches) == ([], before)
    x[0] = 7  # what is asked for later comes later
    host[0] = 7
    np.testing.assert_array_equal(xarr.to_numpy(x[where]), host[places])
    with pytest.raises(IndexError, match="out of bounds"):
        x[where + 1]


def test_operations_of_other_operands_than_their_types_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_functions.tier, "name", "hosted")
    host = np.random.default_rng(3).random(1000)
    found, edges = xarr.histogram(xarr.asarray(host) + 0, 20)
    np.testing.assert_array_equal(xarr.to_numpy(found), np.histogram(host, 20)[0])
    np.testing.assert_allclose(xarr.to_numpy(edges), np.histogram(host, 20)[1])


@pytest.mark.usefixtures("anew")
def test_threads_and_streams_change_tiers() -> None:
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


@pytest.fixture
def helper() -> Iterator[compile_server.ServerProcess]:
    made = compile_server.ServerProcess()
    yield made
    made.end()


SOURCE: Final = """
#ifdef __OPENCL_VERSION__
__kernel void nothing(__global int *x) {{ x[get_global_id(0)] = {number}; }}
#else
void xr_run_nothing(int *const *values) {{ values[0][0] = {number}; }}
#endif
"""


def test_another_process_that_is_nobodys_child_compiles(
    helper: compile_server.ServerProcess,
) -> None:
    device = xarr.default_device()
    for number in (3, 5):
        binary = helper.compile(device, SOURCE.format(number=number))
        device.driver.load(binary, "nothing")
    assert helper._pipes is not None
    if sys.platform == "linux":
        ours = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
        lines = [Path(f"/proc/{child}/cmdline").read_bytes() for child in ours]
        assert not [line for line in lines if b"compiling" in line]


def test_what_another_process_cannot_do_this_one_does(
    helper: compile_server.ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = xarr.default_device()
    with pytest.raises(CompileError, match="undeclared"):
        helper.compile(device, SOURCE.format(number="absent"))
    assert helper._pipes is not None
    os.write(helper._pipes[0], b"nonsense of sixteen bytes or more, which ends it")
    assert helper.compile(device, SOURCE.format(number=7))
    assert helper._pipes is None
    for executable in ("/nowhere/python", "/usr/bin/true", ""):
        monkeypatch.setattr(sys, "executable", executable)
        other = compile_server.ServerProcess()
        assert other.compile(device, SOURCE.format(number=9))
        assert other._pipes is None


@pytest.mark.parametrize("ending", ["", "import os; os.fork() or os._exit(0); os.wait()"])
def test_a_process_ends_while_a_compiler_is_at_work(ending: str) -> None:
    if ending and sys.platform == "win32":
        pytest.skip("there is no fork")
    code = f"""
    import os
    os.environ["XARR_TIERS"] = ""
    import xarr
    x = xarr.arange(1000) * 1.5
    for _ in range(10):
        x = x * {time.time()} + 1
        xarr.synchronize()
    {ending}
    print("the end")
    """
    done = run_code(code)
    assert done.returncode == 0
    assert done.stdout.split("\\n")[0].strip() == "the end", done.stderr
