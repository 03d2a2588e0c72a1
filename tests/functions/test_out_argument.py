"""Results that go to `out`: where, of which type and shape, and where a mask holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr
from tests.reference import assert_same
from xarr.array.out_argument import deliver


def test_a_result_is_written_to_out() -> None:
    out = xarr.zeros((2, 3), dtype="float32")
    assert deliver(xarr.asarray([1, 2, 3], dtype="int8"), out, "f(x, out)") is out
    assert_same(np.asarray(out), np.asarray([[1, 2, 3]] * 2, "float32"), "out")
    assert deliver(xarr.asarray(5), (out,), "f(x, out)", where=[[True], [False]]) is out
    assert_same(np.asarray(out), np.asarray([[5, 5, 5], [1, 2, 3]], "float32"), "masked")


def test_an_operand_that_overlaps_out_is_read_first() -> None:
    host, array = np.arange(6.0), xarr.asarray(np.arange(6.0))
    np.add(host[1:], host[:-1], out=host[1:])
    deliver(array[1:] + array[:-1], array[1:], "add(x1, x2, out)")
    assert_same(np.asarray(array), host, "overlap")
    before = array.copy()
    kept = array + 1
    deliver(array[::-1] * 1, array, "f(x, out)", where=array > 3)
    after = np.where(host > 3, host[::-1], host)
    assert_same(np.asarray(array), after, "itself reversed")
    assert_same(np.asarray(kept), np.asarray(before) + 1, "what was pending")


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
@pytest.mark.parametrize(
    ("given", "wanted"),
    [("float32", "float64"), ("float64", "float32"), ("float32", "int32"), ("int8", "int8")],
)
def test_casting_is_numpys(given: str, wanted: str, casting: Any) -> None:
    array = xarr.zeros(3, dtype=wanted)
    if np.can_cast(given, wanted, casting):
        deliver(xarr.full(3, 2.0).astype(given), array, "f(x, out)", casting=casting)
        assert array.tolist() == [2, 2, 2]
    else:
        with pytest.raises(TypeError, match=r"f\(x, out\): the result has dtype"):
            deliver(xarr.full(3, 2.0).astype(given), array, "f(x, out)", casting=casting)
        assert array.tolist() == [0, 0, 0]


def test_what_is_refused() -> None:
    x = xarr.ones(3)
    for call, error, said in (
        (lambda: deliver(x, np.zeros(3), "f(x)"), TypeError, "write out"),
        (lambda: deliver(x, [0, 0, 0], "f(x)"), TypeError, "of type list"),
        (lambda: deliver(x, xarr.zeros(1), "f(x)"), ValueError, "out has shape"),
        (lambda: deliver(x, xarr.zeros(4), "f(x)"), ValueError, "the shapes are"),
        (lambda: deliver(x, (x, x), "f(x)"), ValueError, "2 entries"),
        (lambda: deliver(x, x, "f(x)", where=np.arange(3)), TypeError, "where has dtype int64"),
        (lambda: deliver(x, x, "f(x)", casting="any"), ValueError, "casting is 'any'"),
        (
            lambda: deliver(x, xarr.broadcast_to(xarr.zeros(1), (3,)), "f(x)"),
            ValueError,
            "read-only",
        ),
    ):
        with pytest.raises(error, match=said):
            call()


def test_operands_that_are_no_arrays() -> None:
    """Lists, tuples, numbers, NumPy's arrays, lists that hold Arrays: on the default device."""
    one = xarr.asarray(1.5)
    assert xarr.sort([3, 1, 2]).tolist() == [1, 2, 3]
    assert xarr.flip(np.asarray([1, 2])).tolist() == [2, 1]
    assert xarr.matmul([[1, 2], [3, 4]], [1, 1]).tolist() == [3, 7]
    assert xarr.add([one, 2], [1, one]).tolist() == [2.5, 3.5]
    assert (xarr.ones(2) * [one, 5]).tolist() == [1.5, 5.0]
    assert xarr.isin([1, 2], [2]).tolist() == [False, True]
    assert xarr.sum(range(3)).tolist() == 3
    assert xarr.clip(np.float32(7), 1, 2).dtype == np.float32
    assert xarr.matmul(np.ones(2, "float32"), [1, 2]).dtype == np.float64
