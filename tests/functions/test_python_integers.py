"""A Python integer that an array's data type does not hold: refused, or compared, as NumPy does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xarr
from tests.reference import assert_same

BEYOND = -4611686009837453310


def set_item(x: Any, key: Any, value: Any) -> None:
    x[key] = value


WRITES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "element": lambda m, x, v: set_item(x, 0, v),
    "slice": lambda m, x, v: set_item(x, slice(1, 3), v),
    "slice of list": lambda m, x, v: set_item(x, slice(1, 3), [v, 1]),
    "mask": lambda m, x, v: set_item(x, x > 1, v),
    "mask of list": lambda m, x, v: set_item(x, x > 1, [v, 1]),
    "indices": lambda m, x, v: set_item(x, m.asarray([0, 2]), v),
    "fill": lambda m, x, v: x.fill(v),
    "full": lambda m, x, v: m.full(3, v, dtype=x.dtype),
    "full_like": lambda m, x, v: m.full_like(x, v),
    "put": lambda m, x, v: m.put(x, [0], v),
    "put list": lambda m, x, v: m.put(x, [0, 1], [v, 1]),
    "place": lambda m, x, v: m.place(x, x > 1, v),
    "putmask": lambda m, x, v: m.putmask(x, x > 1, v),
    "put_along_axis": lambda m, x, v: m.put_along_axis(x, m.asarray([0]), v, 0),
    "copyto": lambda m, x, v: m.copyto(x, v),
    "copyto where": lambda m, x, v: m.copyto(x, v, where=x > 1),
    "fill_diagonal": lambda m, x, v: m.fill_diagonal(x.reshape(2, 2), v),
    "flat slice": lambda m, x, v: set_item(x.flat, slice(0, 2), v),
    "flat list": lambda m, x, v: set_item(x.flat, [0, 1], [v, 1]),
    "insert": lambda m, x, v: m.insert(x, 1, v),
    "add": lambda m, x, v: x + v,
    "in place": lambda m, x, v: x.__iadd__(v),
    "maximum": lambda m, x, v: m.maximum(x, v),
    "asarray": lambda m, x, v: m.asarray([v, 1], dtype=x.dtype),
    "initial": lambda m, x, v: m.max(x, initial=v),
}


@pytest.mark.parametrize("name", WRITES)
def test_what_cannot_be_held_is_refused(name: str) -> None:
    call = WRITES[name]
    for module in (np, xarr):
        x = module.arange(4, dtype="int32")
        with pytest.raises(OverflowError):
            call(module, x, BEYOND)
        assert x.tolist() == [0, 1, 2, 3]


HELD: dict[str, Callable[[Any, Any], Any]] = {
    "put floats": lambda m, x: m.put(x, [0, 1], [2.5, 1]),
    "put array": lambda m, x: m.put(x, [0], m.asarray([7.9])),
    "fill_diagonal": lambda m, x: m.fill_diagonal(x.reshape(2, 2), 7.9),
    "flat": lambda m, x: set_item(x.flat, [0, 1], [2.5, 1]),
    "copyto": lambda m, x: m.copyto(x, 9, where=x > 1),
    "less": lambda m, x: x < BEYOND,
    "equal": lambda m, x: x == 2**70,
    "clip": lambda m, x: m.clip(x, BEYOND, 2**40),
    "clip one": lambda m, x: x.clip(max=2**40),
    "clip and bound": lambda m, x: x.clip(1, 2**70),
    "clip, wider": lambda m, x: m.clip(x.astype("int8"), m.full(4, 500), 400),
    "isin": lambda m, x: m.isin(x, BEYOND),
    "isin of number": lambda m, x: m.isin(2**40, x),
    "searchsorted": lambda m, x: m.searchsorted(x, 2**40),
    "searchsorted below": lambda m, x: m.searchsorted(x, BEYOND),
    "dot": lambda m, x: m.dot(x, 2**40),
    "dot float32": lambda m, x: m.dot(x.astype("float32"), 2.0),
    "inner": lambda m, x: m.inner(3, x),
    "kron": lambda m, x: m.kron(x, 3),
    "outer": lambda m, x: m.outer(x, 3),
    "outer bool": lambda m, x: m.outer(x, True),
}


@pytest.mark.parametrize("name", HELD)
def test_what_can_be_answered_is(name: str) -> None:
    call = HELD[name]
    ours, theirs = xarr.arange(4, dtype="int32"), np.arange(4, dtype="int32")
    with np.errstate(all="ignore"):
        wanted = call(np, theirs)
    got = call(xarr, ours)
    assert_same(np.asarray(ours), theirs, name)
    if wanted is not None:
        assert_same(np.asarray(got), np.asarray(wanted), name)


@pytest.mark.parametrize("bounds", [(300, None), (None, -1), (-300, -1), (300, 400)])
def test_a_bound_that_leaves_nothing_is_refused(bounds: tuple[int | None, int | None]) -> None:
    for module in (np, xarr):
        with pytest.raises(OverflowError):
            module.clip(module.arange(4, dtype="uint8"), *bounds)


def test_an_index_beyond_int64_is_out_of_range() -> None:
    x = xarr.arange(4)
    for index in (2**64 - 1, [2**63], xarr.asarray([2**64 - 1], dtype="uint64")):
        with pytest.raises(IndexError):
            xarr.take(x, index)
        with pytest.raises(IndexError):
            xarr.put(x, index, 5)
        with pytest.raises(IndexError):
            xarr.insert(x, index, 5)
    assert xarr.take(x, xarr.asarray([3, 0], dtype="uint64")).tolist() == [3, 0]
