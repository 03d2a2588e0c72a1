"""Rows that are reduced and computed with the results are one kernel, with the bits of several."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import xarr
from tests.comparing import needs
from tests.functions.calls import each, lines, program
from tests.launching import change, watched
from xarr import tuning
from xarr.array.array import Array
from xarr.lib.stride_tricks import as_strided
from xarr.lowering.cuts import PIECE, SHORT
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


def at_places(x: Array, places: Array) -> Array:
    places = xarr.reshape(places * x.shape[-1] + 5, x.shape[:-1])
    return xarr.take(xarr.reshape(x, (-1,)), places, mode="clip")


# `k` keeps an axis of one element where the last one was.
PROGRAMS: Final = """
1 | e = np.exp(x - x.max(**k)) -> e / e.sum(**k)
1 | shifted = x - x.max(**k) -> shifted - np.log(np.exp(shifted).sum(**k))
1 | gain = np.asarray(numpy.linspace(0.5, 2, x.shape[-1]), dtype=x.dtype)
... mean, var = x.mean(**k), x.var(**k) -> (x - mean) / np.sqrt(var + 1e-5) * gain + 1
1 | -> x / np.sqrt((x * x).sum(**k))
1 | e = np.exp(x / 8); total = e.sum(**k) -> e, total, e / total
any | y = x * 2; y -= y.mean(**k); y /= 1 + np.abs(y).max(**k) -> y
any | large = np.where(x > 1, x, 0) -> large * (x > 1).mean(**k), np.argmax(x, axis=-1)
any | axes = tuple(range(1, x.ndim)); centred = x - x.mean(axis=axes, keepdims=True)
... -> centred / centred.std(axis=axes, keepdims=True)
1 | most = x.max(axis=-1) -> most + np.log(np.exp(x - most[..., None]).sum(axis=-1))
1 | y = other(x); dx, dy = x - x.mean(**k), y - y.mean(**k)
... squares = [np.sqrt((d * d).sum(axis=-1)) for d in (dx, dy)]
... -> (dx * dy).sum(axis=-1) / (squares[0] * squares[1])
2 | y = other(x); of_x, of_y = (np.exp(z - z.max(**k)) for z in (x, y))
... sums = [e.sum(**k) for e in (of_x, of_y)] -> of_x / sums[0], of_y / sums[1]
2 | scale = x[..., 0] * 2; total = np.abs(x * scale[..., None]).sum(axis=-1)
... before = x * scale[..., None] / total[..., None]; scale /= total
... -> before, scale, x - scale[..., None]
any | e = np.exp(x / 8); apart = np.roll(x, 1, axis=-1) - x
... -> apart * e / e.sum(**k) + np.roll(x, 2, axis=0)
1 | most = x.max(axis=-1); total = most + np.log(np.exp(x - most[..., None]).sum(axis=-1))
... -> total - at_places(x, np.arange(x.size // x.shape[-1]))
2 | count = x.size // x.shape[-1]; y = x - x.max(**k)
... -> y, y.sum(axis=-1) - at_places(y, count - 1 - np.arange(count))
any | y = x[:-1]; windows = as_strided(x, (2, *y.shape), (x.strides[0], *x.strides))
... total = windows[np.asarray([1])][0].sum(**k) -> y / np.abs(y - total).max(**k)
any | z = x * 2; index = np.asarray([1]); first = z[index]; y = z[:-1]; y -= y.mean(**k)
... windows = as_strided(z, (2, *y.shape), (z.strides[0], *z.strides))
... -> first, z, (y * windows[index][0]).sum(axis=-1)
"""
"""How many kernels rows of one piece take, and a program of them."""


def written(text: str) -> Program:
    """The program of a line."""
    names = {"np": xarr, "numpy": np, "at_places": at_places, "as_strided": as_strided}
    names |= {"k": {"axis": -1, "keepdims": True}}
    return program(
        text.partition("|")[2],
        "x",
        **names,
        other=lambda x: xarr.asarray(drawn(x.shape, str(x.dtype))[..., ::-1] + 1),
    )


@pytest.fixture(autouse=True)
def kernels_at_once(form: xarr.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "ROWS_ALONE", 1 << 30)


def flat(results: Any) -> list[bytes]:
    listed = results if isinstance(results, tuple) else (results,)
    return [np.asarray(one).tobytes() for one in listed]


def launches(run: Program, x: Any) -> tuple[list[str], list[bytes]]:
    given = xarr.asarray(x)
    with watched() as seen:
        results = run(given)
        found = flat(results)
    return [launch.skeleton for launch in seen.launches], found


def drawn(shape: tuple[int, ...], dtype: str) -> Any:
    needs(dtype)
    x = np.random.default_rng(5).normal(size=shape) * 3
    return x.astype(dtype)


@pytest.mark.parametrize(
    ("line", "shape", "dtype"),
    [
        pytest.param(line, *case, marks=() if is_due else pytest.mark.nightly)
        for turn, line in enumerate(lines(PROGRAMS))
        for number, case in enumerate(CASES)
        for is_due in (case == (SHAPES[0], "float32") or (turn + number) % 4 == 0,)
    ],
    ids=str,
)
def test_a_kernel_of_rows_has_the_bits_of_several(
    line: str, shape: tuple[int, ...], dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = drawn(shape, dtype)
    together, found = launches(written(line), x)
    with monkeypatch.context() as patch:
        patch.setattr(schedule, "fuse_rows", lambda groups, info: [[one] for one in groups])
        patch.setattr(buffer_reuse, "is_kernel_of_rows", lambda run, info: False)
        apart, expected = launches(written(line), x)
    assert found == expected
    assert not any(name.startswith("rows_") for name in apart)
    length = math.prod(shape[1:]) if "axis=axes" in line else shape[-1]
    if SHORT < length <= PIECE:
        assert any(name.startswith("rows_") for name in together)
        assert line[:3] == "any" or len(together) == int(line[0])


@each("""
x - x.mean(axis=0, keepdims=True)
x[1:] - x.mean(**k)[:-1]
x - x.mean()
x * np.flip(x.sum(**k), axis=0)
x[:, :16] / x[:, :16].sum(**k)
x * x.sum(**k).view("int32").astype(x.dtype)
x.sum(axis=-1)[1:] * 2
np.flip(x.sum(axis=-1)) * 2
(x.sum(axis=-1) * 2).sum()
""")
def test_rows_that_need_each_other_are_no_kernel(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buffer_reuse, "is_kernel_of_rows", lambda run, info: len(run) > 1)
    names, _ = launches(written(f"| -> {call}"), drawn((300, 300), "float32"))
    assert len(names) > 1
    assert not any(name.startswith("rows_") for name in names)


def test_another_rows_result_is_not_written_over() -> None:
    x = drawn((64, 200), "float32")

    def shifted(x: Array) -> Any:
        y = x + 0
        total = y.sum(axis=-1, keepdims=True)
        y[1:] = y[:-1] * total[1:]
        return y

    _, (found,) = launches(shifted, x)
    expected = x.copy()
    total = np.asarray(xarr.asarray(x).sum(axis=-1, keepdims=True))
    expected[1:] = x[:-1] * total[1:]
    assert found == expected.tobytes()


def test_what_groups_share_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reductions that follow each other take more local memory than a group may have."""
    x = drawn((300, 700), "float32")
    device = xarr.default_device()

    def repeated(y: Array) -> Any:
        for _ in range(6):
            e = xarr.exp((y - y.mean(axis=-1, keepdims=True)) / 8)
            y = e / xarr.sqrt(e.var(axis=-1, keepdims=True) + 1)
        return y

    names, expected = launches(repeated, x)
    change(monkeypatch, device, local_nbytes=1 << 14)
    fewer, found = launches(repeated, x)
    assert found == expected
    assert device.info.loop_per_item or len(fewer) > len(names)


def test_a_row_that_nobody_holds_takes_no_memory() -> None:
    x = xarr.asarray(drawn((300, 1000), "float32"))
    with watched() as seen:
        result = written(lines(PROGRAMS)[0])(x)
        xarr.synchronize()
    assert result.shape == x.shape
    assert max(seen.allocated) == x.nbytes
    assert sum(seen.allocated) < 1.1 * x.nbytes


def test_pairs_are_computed_again_where_they_are_reduced(form: xarr.Device) -> None:
    """But on a CPU, which stores them."""
    host = np.arange(50, dtype="float32") ** 2 % 7
    x = xarr.asarray(host)
    pairs = abs(x[:, None] - x)
    highest, total = pairs.max(axis=0), pairs.sum(axis=1)
    del pairs
    assert ("stores s2: float32, 10,000 bytes" in xarr.explain(total)) == form.info.loop_per_item
    wanted = abs(host[:, None] - host)
    assert np.array_equal(xarr.to_numpy(highest), wanted.max(axis=0))
    assert np.array_equal(xarr.to_numpy(total), wanted.sum(axis=1))


@pytest.mark.parametrize("axis", [0, 1])
def test_what_pairs_share_is_computed_once_for_all_columns(axis: int, form: xarr.Device) -> None:
    """Along either axis of the pairs, with the bits that a CPU has, which sums what it stored."""
    host = np.arange(600, dtype="float32").reshape(200, 3) ** 2 % 7
    found = []
    for device in (form, xarr.device("cpu:0")):
        x = xarr.asarray(host, device=device)
        near = 1 / xarr.sqrt(x[:, None, 0] + 2 * x[:, 0] + 0.25)
        total = (near[:, :, None] * (x[:, None] - x)).sum(axis=axis)
        del near
        assert device.info.loop_per_item or "#define XR_BLOCK 3" in xarr.explain(total)
        found.append(xarr.to_numpy(total).tobytes())
    assert found[0] == found[1]
