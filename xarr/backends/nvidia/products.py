"""Stacks of matrix products as calls of cuBLAS, few of them, on operands as they lie.

A stack of matrices lies by rows, so cuBLAS sees the transposes, and computes the transpose of the
product: first and second change places.
"""

from __future__ import annotations

import itertools
from typing import Final, NamedTuple

from xarr.backends.nvidia.handles import Integers
from xarr.backends.nvidia.work import LETTERS, DeviceArray, Work, scalar

_WORKSPACE_NBYTES: Final = 1 << 25
"""What NVIDIA recommends for cuBLAS since Hopper. With cuBLAS' own workspaces the bits of a product
could depend on what other streams do."""


def matmul(work: Work, first: DeviceArray, second: DeviceArray, result: DeviceArray) -> None:
    """Fill the result with the products of two stacks, which are broadcast to its own."""
    *axes, rows, columns = result.shape
    stack, length = tuple(axes), first.shape[-1]
    ways = [leading(*array.shape[-2:], *array.steps[-2:]) for array in (first, second)]
    (left_turned, left_pitch), (right_turned, right_pitch) = ways  # type: ignore[misc]
    starts, count, steps = batches(
        stack, *(_stack_steps(array, stack) for array in (first, second, result))
    )
    if count > 1 and not left_turned and steps[1:] == (0, rows * columns):
        # One matrix on the right for many on the left, whose rows may be those of one matrix.
        pitch = steps[0] if rows == 1 else left_pitch
        if steps[0] == rows * pitch and pitch >= length:
            rows, count, left_pitch = rows * count, 1, pitch
    cublas, handle = work.blas()
    cublas.set_workspace(handle, work.room(_WORKSPACE_NBYTES), _WORKSPACE_NBYTES)
    operations = [
        cublas.Operation.T if turned else cublas.Operation.N
        for turned in (right_turned, left_turned)
    ]
    char, size = result.dtype.char, result.dtype.itemsize
    one, zero = scalar(1, char), scalar(0, char)
    name = "gemm_64" if count == 1 else "gemm_strided_batched_64"
    multiply = getattr(cublas, f"{LETTERS[char]}{name}")
    for start in starts:
        left, right, target = (
            array.data + offset * size
            for array, offset in zip((first, second, result), start, strict=True)
        )
        begin = handle, *operations, columns, rows, length, one.ctypes.data
        if count == 1:
            multiply(
                *(*begin, right, right_pitch, left, left_pitch),
                *(zero.ctypes.data, target, columns),
            )
        else:
            multiply(
                *(*begin, right, right_pitch, steps[1], left, left_pitch, steps[0]),
                *(zero.ctypes.data, target, columns, steps[2], count),
            )


def leading(rows: int, columns: int, row: int, column: int) -> tuple[bool, int] | None:
    """How cuBLAS reads a matrix of given strides: whether by columns, and its leading dimension.

    None where neither neighbours in a row nor those in a column follow each other, or where lines
    overlap.
    """
    if columns == 1 or column == 1:
        step = row if rows > 1 else columns
        if step >= columns:
            return False, step
    if rows == 1 or row == 1:
        step = column if columns > 1 else rows
        if step >= rows:
            return True, step
    return None


def is_multiplied(shape: Integers, strides: Integers) -> bool:
    """Whether cuBLAS takes a stack of matrices of given strides, in elements, as it lies."""
    forward = all(stride >= 0 for stride in strides[:-2])
    return forward and leading(*shape[-2:], *strides[-2:]) is not None


class Batches(NamedTuple):
    """A stack of products as calls: `starts` of each, `batch` products a call, `steps` apart.

    Starts and steps are elements of first, second and result.
    """

    starts: list[Integers]
    batch: int
    steps: Integers


def batches(stack: Integers, *steps: Integers) -> Batches:
    """Few calls for a stack, given how far apart matrices are along its axes in each array."""
    axes: list[tuple[int, Integers]] = []
    for axis in reversed(range(len(stack))):
        extent, here = stack[axis], tuple(step[axis] for step in steps)
        if extent == 1:
            continue
        if axes:
            inner, there = axes[-1]
            if here == tuple(inner * step for step in there):
                axes[-1] = extent * inner, there
                continue
        axes.append((extent, here))
    if not axes:
        return Batches([(0,) * len(steps)], 1, (0,) * len(steps))
    longest = max(axes)
    axes.remove(longest)
    walks = [[tuple(index * step for step in there) for index in range(n)] for n, there in axes]
    starts = [
        tuple(sum(place[array] for place in places) for array in range(len(steps)))
        for places in itertools.product(*walks)
    ]
    return Batches(starts, *longest)


def _stack_steps(array: DeviceArray, stack: Integers) -> Integers:
    """How far apart, in elements, an array's matrices are along a stack that it broadcasts to."""
    own = zip(array.shape[:-2], array.steps[:-2], strict=True)
    steps = tuple(step if extent > 1 else 0 for extent, step in own)
    return (0,) * (len(stack) - len(steps)) + steps
