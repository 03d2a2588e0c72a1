"""Padding, joining, splitting, diagonals and bits as NumPy spells them, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xarr
from tests.reference import assert_same

pytestmark = pytest.mark.usefixtures("device", "each_tier")


def grid(m: Any, dtype: str = "float32") -> Any:
    return m.asarray(np.array([[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8]])).astype(dtype)


def scaled(vector: Any, width: Any, axis: int, kwargs: Any) -> None:
    value = kwargs.get("value", 7)
    vector[: width[0]] = value + axis
    if width[1]:
        vector[-width[1] :] = -value


CALLS: dict[str, Callable[[Any], Any]] = {
    "pad": lambda m: m.pad(grid(m), 1),
    "pad array": lambda m: m.pad(array=[1, 2], pad_width=(1, 2), constant_values=(4, 6)),
    "pad dict": lambda m: m.pad(grid(m), {-1: (1, 2)}),
    "pad maximum": lambda m: m.pad(grid(m), ((1, 0), (2, 1)), "maximum"),
    "pad maximum part": lambda m: m.pad(grid(m), 2, "maximum", stat_length=2),
    "pad minimum": lambda m: m.pad(grid(m, "int32"), (1, 2), mode="minimum", stat_length=(1, 3)),
    "pad mean": lambda m: m.pad(grid(m, "int32"), 2, "mean"),
    "pad mean real": lambda m: m.pad(grid(m, "float64"), 1, "mean", stat_length=2),
    "pad median": lambda m: m.pad(grid(m, "int32"), ((1, 1), (2, 0)), "median"),
    "pad median odd": lambda m: m.pad([1, 5, 2], 1, "median"),
    "pad no length": lambda m: m.pad(grid(m), 1, "maximum", stat_length=0),
    "pad ramp": lambda m: m.pad([1, 2, 3, 4, 5], (2, 3), "linear_ramp", end_values=(5, -4)),
    "pad ramp real": lambda m: m.pad(grid(m, "float64"), 4, "linear_ramp", end_values=0.5),
    "pad reflect odd": lambda m: m.pad([1, 2, 4], (2, 2), "reflect", reflect_type="odd"),
    "pad reflect far": lambda m: m.pad([1, 2, 4], (5, 9), "reflect", reflect_type="odd"),
    "pad reflect matrix": lambda m: m.pad(grid(m, "int32"), 2, "reflect", reflect_type="odd"),
    "pad symmetric odd": lambda m: m.pad([1, 2, 4], (7, 5), "symmetric", reflect_type="odd"),
    "pad symmetric": lambda m: m.pad(grid(m), (3, 7), "symmetric"),
    "pad one": lambda m: m.pad([3.0], 2, "reflect"),
    "pad wrap": lambda m: m.pad(grid(m), ((1, 5), (6, 2)), "wrap"),
    "pad empty": lambda m: m.pad(grid(m), 2, "empty")[2:-2, 2:-2],
    "pad function": lambda m: m.pad(grid(m), 2, scaled, value=3),
    "pad option": lambda m: m.pad(grid(m), 2, "edge", constant_values=3),
    "concatenate out": lambda m: m.concatenate(([1, 2], [3]), 0, m.zeros(3)),
    "concatenate dtype": lambda m: m.concatenate(([1, 2], [3]), dtype="float32"),
    "concatenate casting": lambda m: m.concatenate(([1.5, 2], [3]), dtype="int32"),
    "concatenate unsafe": lambda m: m.concatenate(([1.5, 2], [3]), dtype="int32", casting="unsafe"),
    "concatenate both": lambda m: m.concatenate(([1], [3]), dtype="int32", out=m.zeros(2)),
    "concatenate None": lambda m: m.concatenate((grid(m), [[1]]), axis=None),
    "stack dtype": lambda m: m.stack([[1, 2], [3, 4]], -1, dtype="float32"),
    "stack out": lambda m: m.stack([[1, 2], [3, 4]], out=m.zeros((2, 2))),
    "vstack": lambda m: m.vstack(([1, 2], grid(m)[:, :2]), dtype="float64"),
    "hstack": lambda m: m.hstack(([1, 2], [3]), dtype="int8", casting="unsafe"),
    "row_stack": lambda m: m.vstack(([1, 2], [3, 4])),
    "column_stack": lambda m: m.column_stack(([1, 2, 3], grid(m))),
    "dstack": lambda m: m.dstack(([1, 2], [3, 4])),
    "block": lambda m: m.block([[m.eye(2) * 2, m.zeros((2, 3))], [m.ones((3, 2)), m.eye(3) * 3]]),
    "block flat": lambda m: m.block([m.asarray([1, 2]), 7, [3.5][0]]),
    "block deep": lambda m: m.block([[[m.ones((1, 2)), 2]], [[1, [3][0], 4]]]),
    "block number": lambda m: m.block(3),
    "block axes": lambda m: m.block([m.ones((2, 2, 2)), m.zeros((2, 2, 1))]),
    "block depths": lambda m: m.block([[1], 2]),
    "block shapes": lambda m: m.block([[m.ones((2, 2)), m.ones((3, 2))]]),
    "block empty": lambda m: m.block([[], [1]]),
    "block tuple": lambda m: m.block([(1, 2)]),
    "dsplit": lambda m: m.dsplit(m.arange(16).reshape(2, 2, 4), [1, 3]),
    "dsplit flat": lambda m: m.dsplit(grid(m), 2),
    "split ary": lambda m: m.split(ary=m.arange(4), indices_or_sections=2),
    "array_split list": lambda m: m.array_split([1, 2, 3, 4, 5], m.asarray([2, 3])),
    "rollaxis": lambda m: m.rollaxis(m.ones((3, 4, 5, 6)), 3, 1),
    "rollaxis end": lambda m: m.rollaxis(m.ones((3, 4, 5, 6)), 1, 4),
    "rollaxis 0": lambda m: m.rollaxis(m.ones((3, 4, 5)), 2),
    "rollaxis negative": lambda m: m.rollaxis(m.ones((3, 4, 5)), -3, -1),
    "rollaxis beyond": lambda m: m.rollaxis(m.ones((3, 4, 5)), 0, 5),
    "roll list": lambda m: m.roll([1, 2, 3], 1),
    "roll a": lambda m: m.roll(a=grid(m), shift=(1, -1), axis=(1, 0)),
    "repeat list": lambda m: m.repeat([1, 2], [2, 3]),
    "repeat bools": lambda m: m.repeat(m.asarray([1, 2]), m.asarray([True, False])),
    "tile list": lambda m: m.tile(A=[1, 2], reps=(2, 1)),
    "reshape order": lambda m: m.reshape(grid(m), (4, 3), "F"),
    "reshape list": lambda m: m.reshape([1, 2, 3, 4], (2, 2)),
    "ravel list": lambda m: m.ravel(a=[[1, 2], [3, 4]], order="F"),
    "flip list": lambda m: m.flip(m=[[1, 2], [3, 4]], axis=1),
    "moveaxis list": lambda m: m.moveaxis(a=[[1, 2], [3, 4]], source=0, destination=1),
    "expand list": lambda m: m.expand_dims(a=[1, 2], axis=(0, 2)),
    "squeeze list": lambda m: m.squeeze(a=[[1, 2]]),
    "broadcast list": lambda m: m.broadcast_to(array=[1, 2], shape=(2, 2)),
    "broadcast arrays": lambda m: m.broadcast_arrays([1, 2], [[3], [4]], subok=True),
    "diag": lambda m: m.diag([1, 2, 3]),
    "diag above": lambda m: m.diag(m.asarray([1.5, 2]), 2),
    "diag below": lambda m: m.diag(m.asarray([1.5, 2]), k=-1),
    "diag matrix": lambda m: m.diag(grid(m), 1),
    "diag number": lambda m: m.diag(3),
    "diag empty": lambda m: m.diag([], 1),
    "diag list": lambda m: m.diag([[1, 2], [3, 4]]),
    "diagflat": lambda m: m.diagflat(grid(m)[:2, :2], -1),
    "diagonal": lambda m: m.diagonal(m.arange(24).reshape(2, 3, 4), 1, 2, 1),
    "trace": lambda m: m.trace(grid(m), 1),
    "trace out": lambda m: m.trace(grid(m), out=m.zeros(())),
    "trace dtype": lambda m: m.trace(grid(m, "int32"), dtype="float64"),
    "tril list": lambda m: m.tril([[1, 2], [3, 4]]),
    "triu vector": lambda m: m.triu([1, 2, 3]),
    "packbits": lambda m: m.packbits(m.asarray([[1, 0, 1, 1], [0, 0, 0, 1], [1, 1, 1, 0]])),
    "packbits axis": lambda m: m.packbits(grid(m, "int32") > 3, axis=0),
    "packbits little": lambda m: m.packbits([1, 0, 1, 1, 0, 0, 0, 0, 1], bitorder="little"),
    "packbits last": lambda m: m.packbits(grid(m, "uint8"), -1),
    "packbits floats": lambda m: m.packbits([1.5]),
    "packbits empty": lambda m: m.packbits(m.asarray([], dtype="uint8")),
    "unpackbits": lambda m: m.unpackbits(grid(m, "uint8")),
    "unpackbits axis": lambda m: m.unpackbits(grid(m, "uint8"), axis=1),
    "unpackbits count": lambda m: m.unpackbits(grid(m, "uint8"), axis=0, count=5),
    "unpackbits less": lambda m: m.unpackbits(grid(m, "uint8"), 1, -3, "little"),
    "unpackbits more": lambda m: m.unpackbits(m.asarray([3], dtype="uint8"), count=11),
    "unpackbits few": lambda m: m.unpackbits(m.asarray([3], dtype="uint8"), count=-9),
    "unpackbits type": lambda m: m.unpackbits(m.asarray([3])),
}


@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(name: str) -> None:
    call = CALLS[name]
    try:
        wanted = call(np)
    except (TypeError, ValueError, IndexError) as error:
        with pytest.raises(type(error)):
            call(xarr)
        return
    got = call(xarr)
    if not isinstance(wanted, tuple | list):
        got, wanted = (got,), (wanted,)
    assert len(got) == len(wanted)
    for mine, other in zip(got, wanted, strict=True):
        assert type(mine) is xarr.Array
        assert_same(np.asarray(mine), np.asarray(other), name)


def test_row_stack_is_vstack() -> None:
    assert xarr.row_stack is xarr.vstack


def test_parts_are_views() -> None:
    x = xarr.arange(8).reshape(2, 2, 2)
    for part in (
        xarr.dsplit(x, 2)[1],
        xarr.rollaxis(x, 2)[1],
        xarr.moveaxis(x, 0, -1)[1],
        xarr.swapaxes(x, 0, 2)[1],
        xarr.unstack(x, axis=2)[1],
        xarr.reshape(x, (4, 2))[:, 1],
    ):
        before = np.array(x)
        part[...] = -1 - part
        assert (np.asarray(x) != before).sum() == 4


def test_diagonals_are_read_only_views() -> None:
    x = xarr.ones((3, 3))
    view, other = xarr.diagonal(x), xarr.diag(x)
    x[1, 1] = 5
    assert view.tolist() == other.tolist() == [1, 5, 1]
    for part in (view, other):
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 3


def test_what_numpy_lets_pass_is_refused() -> None:
    with pytest.raises(ValueError, match="reflect_type is 'other'"):
        xarr.pad([1, 2], 1, "reflect", reflect_type="other")
