# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Sums, extremes and running sums of float64 on the host, as loops in the order of the kernels.

NumPy adds in another order, and reproducing the kernels' order by NumPy functions takes dozens of
calls: for small arrays a hundred times as long. `lowering/cuts.py` has the constants.
"""

from __future__ import annotations

from typing import Any

import numpy

from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on

MOST: int = 64 * 256
"""Elements up to which `total` adds all of them in one piece."""
MOST_ROWS: int = 1 << 24
"""Rows up to which `add_slices` has the order of a scan."""


@cython.ccall
def total(x: Any) -> Any:
    """Return the sum of contiguous float64, up to `MOST` of them, as a piece of a kernel adds it.

    Up to 16 are added in order. Of more, each of 256 lanes adds every 256th element, and a halving
    tree joins the lanes.
    """
    values = cython.declare(cython.double[::1], x)
    lanes = cython.declare(cython.double[256])
    length: cython.Py_ssize_t = values.shape[0]
    active: cython.Py_ssize_t = min(256, length)
    reach: cython.Py_ssize_t = 128
    at: cython.Py_ssize_t
    base: cython.Py_ssize_t
    end: cython.Py_ssize_t
    found: float = values[0]
    if length <= 16:
        for at in range(1, length):
            found = found + values[at]
        return numpy.float64(found)
    for at in range(active):
        lanes[at] = values[at]
    for base in range(256, length, 256):
        end = min(256, length - base)
        for at in range(end):
            lanes[at] = lanes[at] + values[base + at]
    while reach:
        end = min(reach, active - reach)
        for at in range(end):
            lanes[at] = lanes[at] + lanes[reach + at]
        reach = reach // 2
    return numpy.float64(lanes[0])


@cython.ccall
def largest(x: Any, sign: float) -> Any:
    """Return the maximum of contiguous float64, or the minimum where `sign` is -1.

    It is NaN if an element is; 0 is above -0.
    """
    values = cython.declare(cython.double[::1], x)
    at: cython.Py_ssize_t
    value: float
    found: float = sign * values[0]
    for at in range(1, values.shape[0]):
        value = sign * values[at]
        if value > found or value != value:
            found = value
        elif value == 0.0 and found == 0.0:
            found = found + value  # the sum of two zeros is -0 only if both are
        if found != found:
            return numpy.float64(found)
    return numpy.float64(sign * found)


@cython.ccall
def running(x: Any) -> Any:
    """Return the running sums along the rows of contiguous float64 of two axes.

    Pieces of 256 are summed in order; each then has the sum of the pieces before added, and these
    sums are running sums themselves.
    """
    values = cython.declare(cython.double[:, ::1], x)
    rows: cython.Py_ssize_t = values.shape[0]
    length: cython.Py_ssize_t = values.shape[1]
    row: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    at: cython.Py_ssize_t
    sum_so_far: float
    result: Any = numpy.empty((rows, length))
    found = cython.declare(cython.double[:, ::1], result)
    for row in range(rows):
        for begin in range(0, length, 256):
            end = min(length, begin + 256)
            sum_so_far = values[row, begin]
            found[row, begin] = sum_so_far
            for at in range(begin + 1, end):
                sum_so_far = sum_so_far + values[row, at]
                found[row, at] = sum_so_far
    if length <= 256:
        return result
    carried = cython.declare(
        cython.double[:, ::1], running(numpy.ascontiguousarray(result[:, 255:-1:256]))
    )
    for row in range(rows):
        for begin in range(256, length, 256):
            end = min(length, begin + 256)
            sum_so_far = carried[row, begin // 256 - 1]
            for at in range(begin, end):
                found[row, at] = sum_so_far + found[row, at]
    return result


@cython.ccall
def add_slices(
    x: cython.floating[:, ::1], begins: cython.ulonglong[::1], sums: cython.floating[:, ::1]
) -> cython.bint:
    """Sum the rows from each begin up to the next one, in the order of `running`.

    There are three levels of pieces, so at most `MOST_ROWS` rows. A slice has at least one. Return
    False for begins that are no rows, or do not ascend.
    """
    count: cython.Py_ssize_t = begins.shape[0]
    column: cython.Py_ssize_t
    slice: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    at: cython.Py_ssize_t
    end: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    nothing: cython.floating = -0.0  # which leaves 0.0 and -0.0 as they are
    found: cython.floating
    pieces: cython.floating
    carried: cython.floating
    for slice in range(count):
        begin = begins[slice]
        end = begins[slice + 1] if slice + 1 < count else x.shape[0]
        if not 0 <= begin <= end <= x.shape[0] or begin == x.shape[0]:
            return False
        end = max(end, begin + 1)
        for column in range(x.shape[1]):
            at = begin
            pieces = carried = nothing
            while True:
                stop = min(end, at - at % 256 + 256)
                found = nothing
                while at < stop:
                    found = found + x[at, column]
                    at += 1
                if at == end:
                    break
                pieces = pieces + found
                if at % 65536 == 0:
                    carried = carried + pieces
                    pieces = nothing
            sums[slice, column] = carried + pieces + found
    return True
