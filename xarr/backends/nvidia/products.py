"""Stacks of matrix products as calls of cuBLAS, few of them, on operands as they lie.

A stack of matrices lies by rows, so cuBLAS sees the transposes, and computes the transpose of the
product: first and second change places.
"""

from __future__ import annotations

import itertools
from typing import Final, NamedTuple

from xarr.backends.nvidia.handles import Integers
from xarr.backends.nvidia.work import FACTORS, LETTERS, DeviceArray, Work

_WORKSPACE_NBYTES: Final = 1 << 25
"""NVIDIA's recommendation for cuBLAS since Hopper. With cuBLAS' own workspaces the bits of a
product could depend on what other streams do."""


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
    char, size = result.dtype.char, result.dtype.itemsize
    one, zero = FACTORS[char]
    call = (single if count == 1 else general)(
        *(rows, columns, length), (left_turned, left_pitch), (right_turned, right_pitch)
    )
    batched, used = ("", 2) if count == 1 else ("_strided_batched", 3)
    multiply = getattr(cublas, f"{LETTERS[char]}{call.name}{batched}_64")
    arrays = first, second, result
    for start in starts:
        left, right, target = (
            (arrays[at].data + start[at] * size, pitch, steps[at])[:used]
            for at, pitch in zip(call.order, call.pitches, strict=True)
        )
        end = (count,) if used == 3 else ()
        multiply(handle, *call.head, one, *left, *right, zero, *target, *end)


class Call(NamedTuple):
    """A product as cuBLAS takes it: a routine, its first arguments, and the arrays' order.

    `order` has 0 for the first factor, 1 for the second and 2 for the result, and `pitches` the
    distance of the columns, or of a vector's elements, of each.
    """

    name: str
    head: Integers
    order: Integers
    pitches: Integers


_Way = tuple[bool, int]
"""The layout that cuBLAS is told of a matrix; see `leading`."""


def single(rows: int, columns: int, length: int, first: _Way, second: _Way) -> Call:
    """One product, whose factors lie in given ways: by gemv where one of them is a vector."""
    (first_turned, first_pitch), (second_turned, second_pitch) = first, second
    if columns == 1:
        sizes = (rows, length) if first_turned else (length, rows)
        return Call(
            "gemv", (int(not first_turned), *sizes), (0, 1, 2), (first_pitch, second_pitch, 1)
        )
    if rows == 1:
        sizes = (length, columns) if second_turned else (columns, length)
        step = first_pitch if first_turned else 1
        return Call("gemv", (int(second_turned), *sizes), (1, 0, 2), (second_pitch, step, 1))
    return general(rows, columns, length, first, second)


def general(rows: int, columns: int, length: int, first: _Way, second: _Way) -> Call:
    """One product, or each of a stack, by gemm."""
    head = int(second[0]), int(first[0]), columns, rows, length
    return Call("gemm", head, (1, 0, 2), (second[1], first[1], columns))


def leading(rows: int, columns: int, row: int, column: int) -> tuple[bool, int] | None:
    """The layout that cuBLAS is told of a matrix: whether by columns, and its leading dimension.

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
    """The steps, in elements, between matrices along a stack that an array broadcasts to."""
    own = zip(array.shape[:-2], array.steps[:-2], strict=True)
    steps = tuple(step if extent > 1 else 0 for extent, step in own)
    return (0,) * (len(stack) - len(steps)) + steps
