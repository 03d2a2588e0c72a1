"""Pointers: C's arithmetic over the memory of an array."""

from __future__ import annotations

import ctypes
import gc
from typing import Any

import numpy as np
import pytest

import xarr
from tests.functions.calls import all_refused
from tests.reference import assert_same
from xarr.ops import vendor

DOUBLE = """
KERNEL void twice(GLOBAL i32 *x)
{
    x[GLOBAL_ID(0)] *= 2;
}"""


def test_arithmetic(device: xarr.Device) -> None:
    x = xarr.arange(24, dtype="int32")
    p = xarr.Pointer(x)
    assert (p + 3) - p == 3
    assert (3 + p - 3) == p
    assert hash(p + 1) == hash(xarr.Pointer(x[1:]))
    assert p < p + 1 <= p + 1
    assert p + 1 > p >= p
    assert p != 5
    assert (p + 24).nbytes == 0
    assert (p + 2).nbytes == 88
    assert p.device is device
    assert p.dtype == "int32"
    assert "88 bytes" in repr(p + 2)
    assert_same(
        np.asarray((p + 5).array((2, 3))), np.arange(5, 11, dtype="int32").reshape(2, 3), ""
    )
    assert_same(np.asarray((p + 22).array()), np.arange(22, 24, dtype="int32"), "")
    assert (p + 3).cast("int16").array(2).tolist() == [3, 0]
    assert xarr.Pointer(x[::-1]).array(1).tolist() == [23]
    assert (p + 22).array(np.int64(2)).tolist() == [22, 23]
    all_refused(
        """
        {p + 25|p - 1} ! IndexError: it must stay within the 24
        (p + 20).array(5) ! IndexError: 4 elements
        p.array({(-2, 3)|-1|(-2, -2)}) ! ValueError: not be negative
        (p + 1).cast("int64") ! ValueError: 8 bytes
        p {+|-} {1.5|"a"} ! TypeError: Pointer
        p - {np.Pointer(x + 1)|p.cast("int16")} ! ValueError: one data type in one array's memory
        p < 3 ! TypeError: not supported
        np.Pointer(numpy.ones(3)) ! TypeError: an Array
        """,
        {"p": p, "x": x},
    )


def test_what_is_written_shows_everywhere(device: xarr.Device) -> None:
    x = xarr.arange(12, dtype="int32").reshape(3, 4)
    p = xarr.Pointer(x)
    row = (p + 4).array(4)
    row += 100
    xarr.RawKernel(DOUBLE, "twice")((1,), (4,), (p + 8,))
    assert x.tolist() == [[0, 1, 2, 3], [104, 105, 106, 107], [16, 18, 20, 22]]
    del x
    gc.collect()
    assert p.array(5).tolist() == [0, 1, 2, 3, 104]


def test_addresses(device: xarr.Device) -> None:
    x = xarr.arange(10, dtype="int64")
    p = xarr.Pointer(x) + 2
    if not vendor.runs_on_numpy(device) and device.backend == "opencl":
        with pytest.raises(RuntimeError, match="cl_buffer"):
            int(p)
        return
    assert int(p) - int(p - 2) == 16
    assert int(p) == int(xarr.Pointer(x[2:]))
    if not vendor.runs_on_numpy(device):
        assert int(p) == x[2:].__cuda_array_interface__["data"][0]
        return
    place: Any = ctypes.cast(int(p), ctypes.POINTER(ctypes.c_int64))
    assert place[3] == 5
    place[3] = 50
    assert int(x[5]) == 50
    x += 1
    device.synchronize()
    assert place[3] == 51
