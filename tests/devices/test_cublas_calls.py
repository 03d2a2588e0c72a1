"""How products of matrices become calls of cuBLAS, whose part NumPy plays here."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from xarr.backends.cupy_library import _call
from xarr.backends.nvidia.products import Call

SIZES = (1, 2, 3, 5)
Vector = np.ndarray[tuple[int], np.dtype[np.float64]]
Matrix = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def beginning(array: Matrix) -> Vector:
    return np.lib.stride_tricks.as_strided(array, (1,), (array.itemsize,))


def matrix(memory: Vector, rows: int, columns: int, pitch: int) -> Matrix:
    """A matrix that lies by columns, as BLAS has them; a pitch below the rows is refused."""
    assert pitch >= max(rows, 1)
    strides = memory.itemsize, pitch * memory.itemsize
    return np.lib.stride_tricks.as_strided(memory, (rows, columns), strides)


def vector(memory: Vector, length: int, step: int) -> Matrix:
    assert step > 0
    return np.lib.stride_tricks.as_strided(memory, (length,), (step * memory.itemsize,))


def done(call: Call, arrays: tuple[Vector, Vector, Vector]) -> None:
    """What cuBLAS would do."""
    (left, right, target), pitches = (arrays[at] for at in call.order), call.pitches
    if call.name == "gemv":
        turned, rows, columns = call.head
        a = matrix(left, rows, columns, pitches[0])
        a = a.T if turned else a
        vector(target, a.shape[0], pitches[2])[:] = a @ vector(right, a.shape[1], pitches[1])
        return
    left_turned, right_turned, rows, columns, length = call.head
    size = (length, rows) if left_turned else (rows, length)
    a = matrix(left, *size, pitches[0])
    size = (columns, length) if right_turned else (length, columns)
    b = matrix(right, *size, pitches[1])
    result = (a.T if left_turned else a) @ (b.T if right_turned else b)
    matrix(target, rows, columns, pitches[2])[:] = result


LAYOUTS: dict[str, Callable[[Matrix], Matrix]] = {
    "by rows": np.ascontiguousarray,
    "by columns": np.asfortranarray,
    "of wider rows": lambda x: np.pad(x, ((0, 0), (0, 3)))[:, : x.shape[1]],
    "of longer columns": lambda x: np.asfortranarray(np.pad(x, ((0, 2), (0, 0))))[: x.shape[0]],
    "of every second row": lambda x: np.repeat(x, 2, axis=0)[::2],
}


@pytest.mark.parametrize("second_layout", LAYOUTS)
@pytest.mark.parametrize("first_layout", LAYOUTS)
def test_the_call_multiplies(first_layout: str, second_layout: str) -> None:
    random = np.random.default_rng(1)
    for rows, length, columns in itertools.product(SIZES, SIZES, SIZES):
        first = LAYOUTS[first_layout](random.integers(-9, 9, (rows, length)).astype(float))
        second = LAYOUTS[second_layout](random.integers(-9, 9, (length, columns)).astype(float))
        call = _call(first.shape, first.strides, second.shape, second.strides, 8)
        assert call is not None
        assert call.name == ("gemv" if 1 in (rows, columns) else "gemm")
        result = np.full((rows, columns), np.nan)
        done(call, (beginning(first), beginning(second), beginning(result)))
        np.testing.assert_array_equal(result, first @ second)


def test_other_layouts_are_left_to_cupy() -> None:
    x = np.zeros((4, 6))
    for other in (x[:, ::2], x[::-1], np.broadcast_to(x[0], (4, 6)), np.zeros((2, 4, 6))):
        assert _call(other.shape, other.strides, (6, 4), (32, 8), 8) is None
