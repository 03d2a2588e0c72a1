"""Every kernel compiles for CUDA, on a machine without a GPU.

The programs below run through the public functions. What the engine would launch on a GPU is
assembled in the CUDA dialect and compiled with NVRTC; nothing but index arithmetic that the host
waits for is launched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pytest

import xarr
from tests.comparing import RARE, nightly
from tests.conftest import DEVICES
from tests.kernels.nvrtc import compile_cuda
from tests.launching import change, record
from xarr import dtypes, layout, tuning
from xarr.dtypes import DType
from xarr.functions.elementwise import float_functions
from xarr.ir.views import View
from xarr.ops import elementwise, histogram, random, reductions
from xarr.ops.powers import POWERS
from xarr.tape import builder
from xarr.tape.tape import tape_of

OLDEST = "sm_75"
"""What compiles for it compiles for later ones, as products, sorts and transforms show."""
SKELETONS = (
    "elementwise", "reduce", "rows", "scan", "sort", "histogram", "histogram_sum", "segment_sum",
)  # fmt: skip
ENTRIES = tuple(f"xr_{name}".encode() for name in SKELETONS)

Recorder = Callable[[], list[str]]


@pytest.fixture
def as_gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[xarr.Device]:
    device = next(found for found in DEVICES if found.has_float64)
    change(monkeypatch, device, kind="gpu")
    with xarr.device(device):
        yield device


@pytest.fixture
def recorded(as_gpu: xarr.Device, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The CUDA sources of all kernels that are asked for; none of them runs."""
    return record(monkeypatch, as_gpu)


@pytest.fixture
def recorded_and_run(as_gpu: xarr.Device, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The CUDA sources of all kernels that run, for programs that look at results."""
    return record(monkeypatch, as_gpu, runs=True)


def compiles(sources: Iterable[str]) -> None:
    """Assert that there are sources and that each becomes a cubin with its kernel in it."""
    assert sources
    for text in sorted(sources):
        cubin = compile_cuda(text, OLDEST)
        assert cubin.startswith(b"\x7fELF")
        assert any(name in cubin for name in ENTRIES)


def operands(dtype: DType, count: int) -> tuple[View, ...]:
    return tuple(xarr.asarray(np.ones(8, dtype.numpy))._view for _ in range(count))


def stored(sources: Iterable[str]) -> int:
    return sum(len(re.findall(r"p\d+\[at[^]]+\] = ", text)) for text in sources)


LATE = (*RARE, "float16", "uint8", "int64")
"""Data types whose functions are those of another one, with conversions around them."""


@pytest.mark.parametrize(
    "dtype",
    [
        *(one for one in dtypes.TABLE if one.name not in LATE),
        *nightly(*(one for one in dtypes.TABLE if one.name in LATE)),
    ],
    ids=str,
)
def test_every_function(dtype: DType, recorded: dict[str, str]) -> None:
    inputs = operands(dtype, max(row.operands for row in elementwise.TABLE))
    rows = dict.fromkeys([*elementwise.TABLE, *POWERS.values(), *float_functions.ROWS])
    held = [
        builder.defer(row.operation(dtype), inputs[: row.operands], inputs[0].shape)
        for row in rows
        if dtype.kind in row.kinds
    ]
    xarr.synchronize()
    compiles(recorded)
    assert stored(recorded) == len(held)


def test_many_complex_constants(recorded: dict[str, str]) -> None:
    """Arguments whose names no type has, as c64 is one."""
    x = xarr.asarray(np.ones(8, np.complex64))
    tape_of(x.device).most = 100
    for number in range(70):
        x = x + complex(number, 1)
    xarr.synchronize()
    compiles(recorded)


def test_every_conversion(recorded: dict[str, str]) -> None:
    held = []
    for dtype in dtypes.TABLE:
        (given,) = operands(dtype, 1)
        held += [builder.converted(given, other) for other in dtypes.TABLE if other is not dtype]
    xarr.synchronize()
    compiles(recorded)
    assert stored(recorded) == len(held)


def test_rows_and_columns(recorded: dict[str, str]) -> None:
    x = xarr.asarray(np.ones((4, 5, 6), np.float32))
    half = xarr.asarray(np.ones((4, 5, 6), np.float16))
    np.asarray(x[::2] * 2 + half[::2, ::-1])
    np.asarray(xarr.permute_dims(x, (2, 0, 1)) + 1j)
    x[1:3] = x[:2] + half[2:]
    x[..., 0] += 1
    np.asarray(xarr.where(x > 0, x, 0))
    compiles(recorded)


def test_wide_indices(recorded: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "WIDE", 1)
    x = xarr.asarray(np.ones((300, 300), np.float32))
    np.asarray(x + 1)
    np.asarray(x[::2] + 1)
    for axis in (None, 0, 1):
        np.asarray(xarr.var(x, axis=axis))
        np.asarray(xarr.argmax(x, axis=axis))
    np.asarray(xarr.cumulative_sum(x, axis=0))
    assert all("#define xr_index i64" in text for text in recorded)
    compiles(recorded)


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_extremes_at_places(
    name: str, as_gpu: xarr.Device, recorded: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, as_gpu, dialect="cuda")
    for kind in ("float32", "float64", "int32", "uint32", "int64", "uint64"):
        x = xarr.zeros(9, dtype=kind)
        getattr(xarr, name).at(x, xarr.arange(9) % 5, xarr.ones(9, dtype=kind))
        xarr.synchronize(x)
    call = re.compile(rf"xr_extreme_at_\w+\(.*, {int(name == 'maximum')}\);")
    assert sum(bool(call.search(text)) for text in recorded) == 6
    compiles(recorded)


def test_rolls(recorded: dict[str, str]) -> None:
    for shape in ((4000,), (60, 70)):
        x = xarr.asarray(np.ones(shape, "float32"))
        np.asarray(xarr.roll(xarr.roll(x, 1, axis=0), -2, axis=-1) + xarr.roll(x, 3) * x)
        np.asarray(xarr.roll(x, 1, axis=-1) + xarr.roll(xarr.roll(x, 1, axis=-1), 2, axis=0) + x)
        padded = xarr.pad(x, 1)
        padded[1:] -= 2
        np.asarray(padded.sum())
    assert any("a.cut" in text for text in recorded)
    assert any("a.low" in text for text in recorded)
    assert any("xr_index way" in text for text in recorded)
    compiles(recorded)


def test_parts_beside_each_other(
    recorded_and_run: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    x = np.arange(90_000, dtype=np.float32)
    given = xarr.asarray(x)
    for one, expected in (
        (xarr.concat([given, given * 2]), np.concat([x, x * 2])),
        (xarr.stack([given, given + 1]), np.stack([x, x + 1])),
    ):
        np.testing.assert_array_equal(one, expected)
    assert sum(" == 0 ? at" in text for text in recorded_and_run) == 1  # the rows are loaded once
    monkeypatch.setattr(tuning, "JOINED_ROW", x.size)
    recorded_and_run.clear()
    np.testing.assert_array_equal(xarr.stack([given, -given]), np.stack([x, -x]))
    assert not any("a.low" in text for text in recorded_and_run)
    compiles(recorded_and_run)


ROWS = {row.name: row for row in reductions.TABLE}


@pytest.mark.parametrize("is_rest", [False, *nightly(True)])
@pytest.mark.parametrize("name", ROWS)
def test_every_reduction(name: str, is_rest: bool, recorded: dict[str, str]) -> None:
    """One type of every row, and the others by turns; the rest is nightly."""
    row = ROWS[name]
    for number, dtype in enumerate(dtypes.TABLE):
        common = dtype is dtypes.float32
        is_due = common or (number + reductions.TABLE.index(row)) % 4 == 0
        if dtype.kind not in row.kinds or is_due == is_rest:
            continue
        # An axis for the tree, in pieces, then one for the columns.
        x = xarr.asarray(np.ones((2, 16385), dtype.numpy))
        for axis in (0, 1) if common else (1,):
            np.asarray(getattr(xarr, name)(x, axis=axis))
    compiles(recorded)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "complex64"])
def test_joint_reductions(dtype: str, recorded: dict[str, str]) -> None:
    x = xarr.asarray(np.ones((17, 16385), dtype))
    names = ("any", "max", "mean", "std" if dtype.startswith("f") else "sum")
    for axis in (0, 1):
        first, second, third, fourth = (getattr(xarr, name)(x, axis=axis) for name in names)
        np.asarray(xarr.where(first, second * third + 1, fourth))
    assert all("XR_ACC3" in text for text in recorded)
    assert sum("final6" in text for text in recorded) == 2
    compiles(recorded)


def test_reductions_of_expressions(recorded: dict[str, str]) -> None:
    x = xarr.asarray(np.ones((70, 300), np.float32))
    kept = x * 2
    np.asarray(((x - 1) ** 2).sum())
    np.asarray(kept.sum(axis=0))
    np.asarray(xarr.cumulative_sum(x[:, ::2] * 2, axis=1))
    np.asarray(xarr.mean(x.T, axis=(0, 1)))
    between = x[None, :, :3] - x[:, None, :3]
    np.asarray((between * (x[:, :70] * 0.5 + 1)[:, :, None]).sum(axis=1))
    assert any(re.search(r"XR_COMMON .*\bv\d", text) for text in recorded)
    compiles(recorded)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_rows_that_are_computed_with_their_results(dtype: str, recorded: dict[str, str]) -> None:
    x = xarr.asarray(np.ones((1000, 600), dtype))
    e = xarr.exp(x - x.max(axis=1, keepdims=True))
    shares = e / e.sum(axis=1, keepdims=True)
    del e
    normal = (x - x.mean(axis=1, keepdims=True)) / xarr.sqrt(x.var(axis=1, keepdims=True) + 1)
    builder.compute(shares._view)
    builder.compute(normal._view)
    most = x.max(axis=1)
    losses = most + xarr.log(xarr.exp(x - most[:, None]).sum(axis=1))
    labels = xarr.arange(1000) * 600 + 5
    builder.compute((losses - xarr.take(x.reshape(-1), labels, mode="clip"))._view)
    e = xarr.exp(x)
    builder.compute(((xarr.roll(x, 1, axis=1) - x) * e / e.sum(axis=1, keepdims=True))._view)
    assert {*recorded.values()} == {"xr_rows"}
    assert sum("a.cut" in text for text in recorded) == 1
    compiles(recorded)


@pytest.mark.parametrize("length", [24, 64, 200, 1024, 5000])
def test_rows_of_every_form(length: int, recorded: dict[str, str]) -> None:
    x = xarr.asarray(np.ones((1000, length), np.float32))
    e = xarr.exp(x - x.max(axis=1, keepdims=True))
    shares = e / e.sum(axis=1, keepdims=True)
    del e
    builder.compute(shares._view)
    builder.compute(((x - x.mean(axis=1, keepdims=True)) * x.var(axis=1, keepdims=True))._view)
    builder.compute(x.argmax(axis=1)._view)
    assert "xr_rows" in recorded.values()
    compiles(recorded)


def test_indexing(recorded_and_run: dict[str, str]) -> None:
    x = xarr.asarray(np.arange(60, dtype=np.float32).reshape(6, 10))
    rows = xarr.asarray(np.array([0, 5, 5, 2]))
    np.asarray(x[rows])
    np.asarray(x[:, rows] * 2)
    np.asarray(x[x > 5])
    x[rows] = 1
    x[rows, rows] = x[0, :4]
    x[x > 3] = x[x > 3] + 1
    np.asarray(xarr.nonzero(x)[1])
    np.asarray(xarr.take_along_axis(x, xarr.argmax(x, axis=1, keepdims=True), axis=1))
    assert any("ATOMIC_MAX_I32(&" in text for text in recorded_and_run)
    compiles(recorded_and_run)


def test_histograms(recorded: dict[str, str]) -> None:
    x = xarr.asarray(np.ones((40, 50), np.float32))
    bins = xarr.asarray(np.ones(70_000, np.int64))._view
    for dtype in (np.float32, np.float64, np.float16, np.int8):
        xarr.histogram(x.astype(dtype), 5, (0, 1))
    for number in (10, 100_000):
        builder.compute(histogram.counts(bins, number))
    for name in ("float32", "float64"):
        weights = builder.converted(bins, dtypes.BY_NAME[name])
        builder.compute(histogram.sums(bins, weights, 10))
    xarr.nansum(x)
    xarr.nanargmax(x.astype(int))
    np.asarray(xarr.interp(x, xarr.arange(3.0), xarr.arange(3.0) + 1j))
    np.asarray(xarr.convolve(x[0], x[1]))
    assert any(b"ATOMIC_ADD_U32(counts" in text.encode() for text in recorded)
    compiles(recorded)


@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_every_draw(lanes: int, recorded: dict[str, str]) -> None:
    held = []
    device = xarr.default_device()
    for row in random.TABLE:
        for computed in (dtypes.float32, dtypes.float64):
            operation = row.operation(computed, computed)
            if getattr(operation, "lanes", 1) == lanes:
                parameters = operands(dtypes.int64, len(row.parameters))
                held.append(row.drawn((8,), 1, 2, device, computed, parameters))
    xarr.synchronize()
    compiles(recorded)
