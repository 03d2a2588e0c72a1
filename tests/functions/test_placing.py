"""Functions that make indices, write at places, choose, delete and insert, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xarr
from tests.reference import assert_same

pytestmark = pytest.mark.usefixtures("device", "each_tier")

Call = Callable[[Any], Any]
"""A call on the module, xarr or NumPy; the same values or the same type of exception."""


def grid(m: Any, dtype: str = "float32") -> Any:
    return m.arange(12).reshape(3, 4).astype(dtype)


def after(x: Any, write: Callable[..., None], *arguments: Any, **options: Any) -> Any:
    """An array after a function has written to it."""
    write(x, *arguments, **options)
    return x


CALLS: dict[str, Call] = {
    "unravel": lambda m: m.unravel_index(m.asarray([[5, 11], [0, 3]]), (3, 4)),
    "unravel F": lambda m: m.unravel_index(m.asarray([5, 11]), (3, 4), order="F"),
    "unravel list": lambda m: m.unravel_index([22, 41, 37], (7, 6)),
    "unravel number": lambda m: m.unravel_index(1621, (6, 7, 8, 9)),
    "unravel argmax": lambda m: m.unravel_index(m.argmax(grid(m)), (3, 4)),
    "unravel beyond": lambda m: m.unravel_index([12], (3, 4)),
    "unravel below": lambda m: m.unravel_index(-1, (3, 4)),
    "unravel float": lambda m: m.unravel_index([1.5], (3, 4)),
    "ravel multi": lambda m: m.ravel_multi_index(m.asarray([[3, 6, 6], [4, 5, 1]]), (7, 6)),
    "ravel multi F": lambda m: m.ravel_multi_index(([3, 6], [4, 5]), (7, 6), order="F"),
    "ravel multi clip": lambda m: m.ravel_multi_index(([3, 9], [4, -5]), (4, 6), mode="clip"),
    "ravel multi modes": lambda m: m.ravel_multi_index(([3, 9], [4, -5]), (4, 6), ("clip", "wrap")),
    "ravel multi beyond": lambda m: m.ravel_multi_index(([3, 9], [4, 5]), (4, 6)),
    "ravel multi below": lambda m: m.ravel_multi_index(([3, -1], [4, 5]), (4, 6)),
    "diag_indices": lambda m: m.diag_indices(3, 3),
    "diag_indices_from": lambda m: m.diag_indices_from(m.zeros((4, 4))),
    "diag_indices_from oblong": lambda m: m.diag_indices_from(m.zeros((4, 3))),
    "tril": lambda m: m.tril_indices(4, 1, 3),
    "triu": lambda m: m.triu_indices(3, -1, 5),
    "tril from": lambda m: m.tril_indices_from(grid(m), -1),
    "triu from": lambda m: m.triu_indices_from(grid(m)),
    "triu from vector": lambda m: m.triu_indices_from(m.arange(3)),
    "mask_indices": lambda m: m.mask_indices(4, m.tril, -1),
    "ix_": lambda m: grid(m)[m.ix_([0, 2], [True, False, True, True])],
    "ix_ empty": lambda m: grid(m)[m.ix_([], [1])],
    "ix_ matrix": lambda m: m.ix_([[0]], [1]),
    "put": lambda m: after(grid(m), m.put, [0, -1, 5, 5], [7, 8, 9]),
    "put transposed": lambda m: after(grid(m).T, m.put, [0, -1, 5], 7.5),
    "put clip": lambda m: after(grid(m), m.put, [50, -50], [1, 2], mode="clip"),
    "put wrap": lambda m: after(grid(m), m.put, [50, -50], [1, 2], mode="wrap"),
    "put beyond": lambda m: after(grid(m), m.put, [12], 1),
    "putmask": lambda m: after(grid(m), m.putmask, grid(m) > 4, [1, 2, 3, 4, 5]),
    "putmask whole": lambda m: after(grid(m, "int32"), m.putmask, grid(m) > 4, -grid(m, "int32")),
    "putmask short": lambda m: after(grid(m), m.putmask, [True], 1),
    "place": lambda m: after(grid(m), m.place, grid(m) > 4, [-1, -2, -3]),
    "place strided": lambda m: after(grid(m)[:, ::2], m.place, grid(m)[:, 1::2] > 4, [-1, -2]),
    "place none": lambda m: after(grid(m), m.place, grid(m) > 4, []),
    "put_along": lambda m: after(grid(m), m.put_along_axis, m.asarray([[1], [0], [3]]), 9, axis=1),
    "put_along 0": lambda m: after(
        grid(m), m.put_along_axis, m.asarray([[1, 0, 2, -1]]), m.asarray([[5, 6, 7, 8]]), 0
    ),
    "put_along None": lambda m: after(grid(m), m.put_along_axis, m.asarray([1, 7]), [3, 4], None),
    "put_along axes": lambda m: after(grid(m), m.put_along_axis, m.asarray([1, 7]), [3, 4], 0),
    "fill_diagonal": lambda m: after(grid(m), m.fill_diagonal, 5),
    "fill_diagonal list": lambda m: after(m.zeros((5, 5)), m.fill_diagonal, [1, 2]),
    "fill_diagonal tall": lambda m: after(m.zeros((7, 3)), m.fill_diagonal, [1, 2]),
    "fill_diagonal wrap": lambda m: after(m.zeros((9, 3)), m.fill_diagonal, [1, 2, 3, 4], True),
    "fill_diagonal cube": lambda m: after(m.zeros((3, 3, 3)), m.fill_diagonal, 2),
    "fill_diagonal view": lambda m: after(m.zeros((6, 6))[::2, ::-1], m.fill_diagonal, 2),
    "fill_diagonal vector": lambda m: after(m.zeros(3), m.fill_diagonal, 2),
    "choose": lambda m: m.choose([2, 3, 1, 0], [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23],
                                               [30, 31, 32, 33]]),
    "choose broadcast": lambda m: m.choose(m.asarray([[1, 0, 1], [0, 1, 0]]), [-10.5, 10]),
    "choose wrap": lambda m: m.choose([2, 4, 1, 0, -1], (1, 2, 3), mode="wrap"),
    "choose clip": lambda m: m.choose([2, 4, 1, 0, -1], (1, 2, 3), mode="clip"),
    "choose many": lambda m: m.choose(m.arange(20)[::-1], [m.arange(20) * k for k in range(20)]),
    "choose out": lambda m: m.choose([0, 1], [[1, 2], [3, 4]], m.zeros(2)),
    "choose beyond": lambda m: m.choose([2, 0], (1, 2)),
    "choose below": lambda m: m.choose([-1, 0], (1, 2)),
    "compress": lambda m: m.compress([0, 1], grid(m), axis=0),
    "compress flat": lambda m: m.compress([False, True, True], grid(m)),
    "compress beyond": lambda m: m.compress([0, 1, 1, 1], grid(m), axis=0),
    "compress matrix": lambda m: m.compress([[0, 1]], grid(m), axis=0),
    "extract": lambda m: m.extract(grid(m) % 3 == 0, grid(m)),
    "extract list": lambda m: m.extract([1, 0, 1], [5, 6, 7]),
    "select": lambda m: m.select([grid(m) < 3, grid(m) > 5], [grid(m), grid(m) ** 2], 42),
    "select numbers": lambda m: m.select([grid(m) < 3, grid(m) > 5], [1, 2.5]),
    "select first": lambda m: m.select([grid(m) < 7, grid(m) > 2], [1, 2]),
    "select lengths": lambda m: m.select([grid(m) < 3], [1, 2]),
    "select ints": lambda m: m.select([m.asarray([1, 0])], [1]),
    "piecewise": lambda m: m.piecewise(
        m.asarray([-2.0, 0.5, 3.0]), [[True, False, False]], [lambda v: -v, lambda v: v * 2]
    ),
    "piecewise values": lambda m: m.piecewise(grid(m), [grid(m) < 3, grid(m) >= 3], [-1, 1]),
    "piecewise single": lambda m: m.piecewise(m.arange(5), m.arange(5) < 3, [9, 1]),
    "piecewise arguments": lambda m: m.piecewise(
        grid(m), [grid(m) < 3], [lambda v, k, j: v + k + j, 9], 5, j=2
    ),
    "piecewise number": lambda m: m.piecewise(m.asarray(3.0), [True], [7]),
    "piecewise lengths": lambda m: m.piecewise(grid(m), [grid(m) < 3], [1, 2, 3]),
    "delete": lambda m: m.delete(grid(m), 1, axis=0),
    "delete flat": lambda m: m.delete(grid(m), [1, -2, 1]),
    "delete last": lambda m: m.delete(grid(m), -1, 1),
    "delete slice": lambda m: m.delete(grid(m), slice(None, None, 2), 1),
    "delete run": lambda m: m.delete(grid(m), slice(1, 3), 1),
    "delete backwards": lambda m: m.delete(grid(m), slice(2, 0, -1), 1),
    "delete s_": lambda m: m.delete(grid(m), np.s_[5:1], 1),
    "delete mask": lambda m: m.delete(m.arange(5), [True, False, True, False, False]),
    "delete array": lambda m: m.delete(grid(m), m.asarray([3, -4]), 1),
    "delete array mask": lambda m: m.delete(grid(m), m.asarray([True, False, True]), 0),
    "delete nothing": lambda m: m.delete(grid(m), [], 0),
    "delete all": lambda m: m.delete(m.arange(3), slice(None)),
    "delete beyond": lambda m: m.delete(grid(m), 3, 0),
    "delete list beyond": lambda m: m.delete(grid(m), [0, 3], 0),
    "delete float": lambda m: m.delete(grid(m), [0.5], 0),
    "delete short mask": lambda m: m.delete(m.arange(5), [True, False]),
    "insert": lambda m: m.insert(grid(m), 1, 5, axis=1),
    "insert flat": lambda m: m.insert(grid(m), 3, 99),
    "insert end": lambda m: m.insert(m.arange(3), 3, [7, 8]),
    "insert rows": lambda m: m.insert(grid(m), 1, [[1, 2, 3, 4], [5, 6, 7, 8]], axis=0),
    "insert column": lambda m: m.insert(grid(m), 1, [1, 2, 3], axis=1),
    "insert list of one": lambda m: m.insert(grid(m), [1], [[1], [2], [3]], axis=1),
    "insert several": lambda m: m.insert(m.arange(6), [2, 2, 0, -1], [5, 6, 7, 8]),
    "insert several rows": lambda m: m.insert(grid(m), [0, 2], -1, axis=0),
    "insert slice": lambda m: m.insert(m.arange(6), slice(2, 4), [5, 6]),
    "insert mask": lambda m: m.insert(m.arange(3), m.asarray([True, False, True]), [8, 9]),
    "insert converts": lambda m: m.insert(m.arange(4), 1, 2.9),
    "insert nothing": lambda m: m.insert(m.arange(4), [], 2),
    "insert beyond": lambda m: m.insert(m.arange(4), 5, 2),
    "insert float": lambda m: m.insert(m.arange(4), [1.5], 2),
    "insert longer mask": lambda m: m.insert(m.arange(3), m.asarray([True, False, True, True]), 9),
    "insert shorter mask": lambda m: m.insert(m.arange(3), m.asarray([True, True]), 9),
    "insert mask beyond": lambda m: m.insert(m.arange(3), m.asarray([False] * 4 + [True]), 9),
    "insert no floats": lambda m: m.insert(m.arange(3), m.zeros(0), []),
    "append": lambda m: m.append(m.asarray([1, 2]), [[3, 4], [5, 6]]),
    "resize": lambda m: m.resize(grid(m), (2, 7)),
    "resize less": lambda m: m.resize(grid(m), (2, 2)),
    "resize number": lambda m: m.resize(5, (2, 2)),
    "resize empty": lambda m: m.resize(m.zeros(0), (2, 2)),
    "resize negative": lambda m: m.resize(grid(m), (2, -2)),
    "trim_zeros": lambda m: m.trim_zeros(m.asarray([0, 0, 1, 2, 0, 3, 0])),
    "trim_zeros f": lambda m: m.trim_zeros(m.asarray([0, 0, 1, 2, 0, 3, 0]), "f"),
    "trim_zeros b": lambda m: m.trim_zeros(m.asarray([0, 0, 1, 2, 0, 3, 0]), trim="B"),
    "trim_zeros none": lambda m: m.trim_zeros(m.zeros(3)),
    "trim_zeros matrix": lambda m: m.trim_zeros(m.asarray([[0, 0, 0], [0, 1, 0], [0, 0, 2]])),
    "trim_zeros axis": lambda m: m.trim_zeros(m.asarray([[0, 0], [0, 1], [0, 0]]), axis=0),
    "trim_zeros other": lambda m: m.trim_zeros([1], "x"),
    "take None": lambda m: m.take(grid(m), [[5, -1]]),
    "take clip": lambda m: m.take(grid(m), [5, -9], 1, mode="clip"),
    "take wrap": lambda m: m.take(grid(m), [5, -9], axis=1, mode="wrap"),
    "take out": lambda m: m.take(m.arange(5.0), [1, 2], 0, m.zeros(2)),
    "take list": lambda m: m.take([4, 5, 6], 1),
    "take bools": lambda m: m.take([4, 5, 6], [True, False]),
    "take mode": lambda m: m.take([4, 5, 6], [1], mode="other"),
    "take beyond": lambda m: m.take(grid(m), [3], 0),
    "take_along None": lambda m: m.take_along_axis(grid(m), m.asarray([1, 7]), None),
    "take_along 0": lambda m: m.take_along_axis(grid(m), m.argsort(-grid(m), axis=0), 0),
    "take_along floats": lambda m: m.take_along_axis(grid(m), m.ones((3, 1)), 1),
    "take_along bools": lambda m: m.take_along_axis(grid(m), grid(m) > 0, 1),
    "put_along floats": lambda m: after(grid(m), m.put_along_axis, m.ones((3, 1)), 0, 1),
    "unravel empty": lambda m: m.unravel_index([], (3, 4)),
    "unravel no axes": lambda m: m.unravel_index(0, ()),
    "unravel several of one": lambda m: m.unravel_index([0, 0], ()),
    "flatnonzero": lambda m: m.flatnonzero(grid(m) % 3),
    "argwhere number": lambda m: m.argwhere(m.asarray(3)),
    "argwhere zero": lambda m: m.argwhere(0),
    "argwhere list": lambda m: m.argwhere([[0, 1], [2, 0]]),
    "nonzero list": lambda m: m.nonzero([[0, 1], [2, 0]]),
    "where numbers": lambda m: m.where(m.asarray([True, False]), 1, 2.5),
    "where lists": lambda m: m.where([True, False], [1, 2], 7),
    "where all numbers": lambda m: m.where(True, 1, 2),
    "where numpy": lambda m: m.where(np.asarray([True, False]), np.float32(2), m.asarray([1, 2])),
    "where ints": lambda m: m.where(m.asarray([0, 3, 0]), m.asarray([1.5, 2.5, 3.5]), 0),
    "where one missing": lambda m: m.where(m.asarray([0, 3, 0]), 1),
    "where list alone": lambda m: m.where([0, 3, 0]),
    "where broadcast": lambda m: m.where([True, False], [[1], [2]], -1),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(name: str) -> None:
    call = CALLS[name]
    try:
        wanted = call(np)
    except (IndexError, TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            np.asarray(call(xarr))
        return
    got = call(xarr)
    assert isinstance(got, tuple | list) is isinstance(wanted, tuple | list), name
    if not isinstance(wanted, tuple | list):
        got, wanted = (got,), (wanted,)
    assert len(got) == len(wanted)
    for mine, other in zip(got, wanted, strict=True):
        assert type(mine) is xarr.Array
        assert_same(np.asarray(mine), np.asarray(other), name)
