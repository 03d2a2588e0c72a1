"""Rows that are reduced and computed with the results are one kernel, with the bits of several."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import xarr
from tests.comparing import needs
from tests.launching import change, watched
from xarr import tuning
from xarr.array.array import Array
from xarr.lib.stride_tricks import as_strided
from xarr.lowering.accumulators import PIECE
from xarr.lowering.reduce_scan import SHORT
from xarr.scheduler import buffer_reuse, schedule

SHAPES: Final = [
    (300, 129), (5, 3000), (40, 257), (7, 3, 1000), (5, 20, 10), (3, 16384), (60, 1, 400),
]  # fmt: skip
DTYPES: Final = ["float16", "float32", "float64"]
CASES: Final = [(SHAPES[0], dtype) for dtype in DTYPES] + [
    (shape, DTYPES[number % 3]) for number, shape in enumerate(SHAPES[1:])
]
"""All types over one shape, and each other shape with one of them; but for one they take turns."""
Program = Callable[[Array], Any]


def softmax(x: Array) -> Any:
    e = xarr.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def log_softmax(x: Array) -> Any:
    shifted = x - x.max(axis=-1, keepdims=True)
    return shifted - xarr.log(xarr.exp(shifted).sum(axis=-1, keepdims=True))


def normalised(x: Array) -> Any:
    mean, var = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return (x - mean) / xarr.sqrt(var + 1e-5) * xarr.asarray(
        np.linspace(0.5, 2, x.shape[-1]), dtype=x.dtype
    ) + 1


def unit(x: Array) -> Any:
    return x / xarr.sqrt((x * x).sum(axis=-1, keepdims=True))


def held(x: Array) -> Any:
    e = xarr.exp(x / 8)
    total = e.sum(axis=-1, keepdims=True)
    return e, total, e / total


def in_place(x: Array) -> Any:
    y = x * 2
    y -= y.mean(axis=-1, keepdims=True)
    y /= 1 + xarr.abs(y).max(axis=-1, keepdims=True)
    return y


def masked(x: Array) -> Any:
    large = xarr.where(x > 1, x, 0)
    share = (x > 1).mean(axis=-1, keepdims=True)
    return large * share, xarr.argmax(x, axis=-1)


def several_axes(x: Array) -> Any:
    axes = tuple(range(1, x.ndim))
    centred = x - x.mean(axis=axes, keepdims=True)
    return centred / centred.std(axis=axes, keepdims=True)


def log_sum_exp(x: Array) -> Any:
    most = x.max(axis=-1)
    return most + xarr.log(xarr.exp(x - most[..., None]).sum(axis=-1))


def correlation(x: Array) -> Any:
    y = xarr.asarray(drawn(x.shape, str(x.dtype))[..., ::-1] + 1)
    dx, dy = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    squares = [xarr.sqrt((d * d).sum(axis=-1)) for d in (dx, dy)]
    return (dx * dy).sum(axis=-1) / (squares[0] * squares[1])


def side_by_side(x: Array) -> Any:
    y = xarr.asarray(drawn(x.shape, str(x.dtype))[..., ::-1] + 1)
    of_x, of_y = (xarr.exp(z - z.max(axis=-1, keepdims=True)) for z in (x, y))
    sums = [e.sum(axis=-1, keepdims=True) for e in (of_x, of_y)]
    return of_x / sums[0], of_y / sums[1]


def scaled(x: Array) -> Any:
    scale = x[..., 0] * 2
    total = xarr.abs(x * scale[..., None]).sum(axis=-1)
    before = x * scale[..., None] / total[..., None]
    scale /= total
    return before, scale, x - scale[..., None]


def moved(x: Array) -> Any:
    e = xarr.exp(x / 8)
    apart = xarr.roll(x, 1, axis=-1) - x
    return apart * e / e.sum(axis=-1, keepdims=True) + xarr.roll(x, 2, axis=0)


def at_places(x: Array, places: Array) -> Array:
    places = xarr.reshape(places * x.shape[-1] + 5, x.shape[:-1])
    return xarr.take(xarr.reshape(x, (-1,)), places, mode="clip")


def at_labels(x: Array) -> Any:
    return log_sum_exp(x) - at_places(x, xarr.arange(x.size // x.shape[-1]))


def at_other_rows(x: Array) -> Any:
    count = x.size // x.shape[-1]
    y = x - x.max(axis=-1, keepdims=True)
    return y, y.sum(axis=-1) - at_places(y, count - 1 - xarr.arange(count))


def beside_windows(x: Array) -> Any:
    y = x[:-1]
    windows = as_strided(x, (2, *y.shape), (x.strides[0], *x.strides))
    total = windows[xarr.asarray([1])][0].sum(axis=-1, keepdims=True)
    return y / xarr.abs(y - total).max(axis=-1, keepdims=True)


def at_windows(x: Array) -> Any:
    z, index = x * 2, xarr.asarray([1])
    first = z[index]
    y = z[:-1]
    y -= y.mean(axis=-1, keepdims=True)
    windows = as_strided(z, (2, *y.shape), (z.strides[0], *z.strides))
    return first, z, (y * windows[index][0]).sum(axis=-1)


PROGRAMS: Final[list[Program]] = [
    softmax, log_softmax, normalised, unit, held, in_place, masked, several_axes, log_sum_exp,
    correlation, side_by_side, scaled, moved, at_labels, at_other_rows,
    beside_windows, at_windows,
]  # fmt: skip
KERNELS: Final[dict[Program, int]] = dict.fromkeys(
    (softmax, log_softmax, normalised, unit, held, log_sum_exp, correlation, at_labels), 1
) | dict.fromkeys((side_by_side, scaled, at_other_rows), 2)
"""How many some of them are, of rows that are one piece."""


@pytest.fixture(autouse=True)
def kernels_at_once(form: xarr.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "ROWS_ALONE", 1 << 30)


def flat(results: Any) -> list[bytes]:
    listed = results if isinstance(results, tuple) else (results,)
    return [np.asarray(one).tobytes() for one in listed]


def launches(program: Program, x: Any) -> tuple[list[str], list[bytes]]:
    given = xarr.asarray(x)
    with watched() as seen:
        results = program(given)
        found = flat(results)
    return [launch.skeleton for launch in seen.launches], found


def drawn(shape: tuple[int, ...], dtype: str) -> Any:
    needs(dtype)
    x = np.random.default_rng(5).normal(size=shape) * 3
    return x.astype(dtype)


@pytest.mark.parametrize(
    ("program", "shape", "dtype"),
    [
        pytest.param(program, *case, marks=() if is_due else pytest.mark.nightly)
        for turn, program in enumerate(PROGRAMS)
        for number, case in enumerate(CASES)
        for is_due in (case == (SHAPES[0], "float32") or (turn + number) % 4 == 0,)
    ],
    ids=lambda value: value.__name__ if callable(value) else str(value),
)
def test_a_kernel_of_rows_has_the_bits_of_several(
    program: Program, shape: tuple[int, ...], dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = drawn(shape, dtype)
    together, found = launches(program, x)
    with monkeypatch.context() as patch:
        patch.setattr(schedule, "fuse_rows", lambda groups, info: [[one] for one in groups])
        patch.setattr(buffer_reuse, "is_kernel_of_rows", lambda run, info: False)
        apart, expected = launches(program, x)
    assert found == expected
    assert not any(name.startswith("rows_") for name in apart)
    length = shape[-1] if program is not several_axes else math.prod(shape[1:])
    if SHORT < length <= PIECE:
        assert any(name.startswith("rows_") for name in together)
        assert len(together) == KERNELS.get(program, len(together))


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x - x.mean(axis=0, keepdims=True),
        lambda x: x[1:] - x.mean(axis=-1, keepdims=True)[:-1],
        lambda x: x - x.mean(),
        lambda x: x * xarr.flip(x.sum(axis=-1, keepdims=True), axis=0),
        lambda x: x[:, :16] / x[:, :16].sum(axis=-1, keepdims=True),
        lambda x: x * x.sum(axis=-1, keepdims=True).view("int32").astype(x.dtype),
        lambda x: x.sum(axis=-1)[1:] * 2,
        lambda x: xarr.flip(x.sum(axis=-1)) * 2,
        lambda x: (x.sum(axis=-1) * 2).sum(),
    ],
)
def test_rows_that_need_each_other_are_no_kernel(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buffer_reuse, "is_kernel_of_rows", lambda run, info: len(run) > 1)
    names, _ = launches(program, drawn((300, 300), "float32"))
    assert len(names) > 1
    assert not any(name.startswith("rows_") for name in names)


def test_another_rows_result_is_not_written_over() -> None:
    x = drawn((64, 200), "float32")

    def program(x: Array) -> Any:
        y = x + 0
        total = y.sum(axis=-1, keepdims=True)
        y[1:] = y[:-1] * total[1:]
        return y

    _, (found,) = launches(program, x)
    expected = x.copy()
    total = np.asarray(xarr.asarray(x).sum(axis=-1, keepdims=True))
    expected[1:] = x[:-1] * total[1:]
    assert found == expected.tobytes()


def test_what_groups_share_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reductions that follow each other take more local memory than a group may have."""
    x = drawn((300, 700), "float32")
    device = xarr.default_device()

    def program(y: Array) -> Any:
        for _ in range(6):
            e = xarr.exp((y - y.mean(axis=-1, keepdims=True)) / 8)
            y = e / xarr.sqrt(e.var(axis=-1, keepdims=True) + 1)
        return y

    names, expected = launches(program, x)
    change(monkeypatch, device, local_nbytes=1 << 14)
    fewer, found = launches(program, x)
    assert found == expected
    assert device.info.loop_per_item or len(fewer) > len(names)


def test_a_row_that_nobody_holds_takes_no_memory() -> None:
    x = xarr.asarray(drawn((300, 1000), "float32"))
    with watched() as seen:
        result = softmax(x)
        xarr.synchronize()
    assert result.shape == x.shape
    assert max(seen.allocated) == x.nbytes
    assert sum(seen.allocated) < 1.1 * x.nbytes
