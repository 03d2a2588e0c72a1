"""PyOpenCL's buffers, arrays, programs and queues beside xarr's: one memory, one order."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import xarr
from tests.reference import assert_same

cl = pytest.importorskip("pyopencl")
cl_array = pytest.importorskip("pyopencl.array")

# NVIDIA's compiler has something to say of every program.
pytestmark = pytest.mark.filterwarnings("ignore::pyopencl.CompilerWarning")

SOURCE = """
__kernel void axpy(__global const float *x, __global float *y, float a)
{
    y[get_global_id(0)] += a * x[get_global_id(0)];
}
"""


@pytest.fixture(name="opencl")
def _opencl(device: xarr.Device) -> Iterator[xarr.Device]:
    if device.backend != "opencl":
        pytest.skip(f"{device} is not of OpenCL")
    inline, driver = device.driver._inline, device.driver  # type: ignore[attr-defined]
    yield device
    driver._inline = inline  # type: ignore[attr-defined]


@pytest.fixture(name="program")
def _program(opencl: xarr.Device) -> Any:
    return cl.Kernel(cl.Program(opencl.cl_context, SOURCE).build(), "axpy")


def test_a_program_of_pyopencls_on_xarrs_memory(opencl: xarr.Device, program: Any) -> None:
    x = xarr.arange(1000, dtype="float32") + 0
    y = xarr.ones(1000, dtype="float32") + 0
    queue = xarr.current_stream().cl_queue
    host = np.ones(1000, "float32")
    for number in range(20):
        x += 1
        y *= 2
        program(queue, (1000,), None, x.cl_buffer, y.cl_buffer, np.float32(number))
        host = host * 2 + number * (np.arange(1000, dtype="float32") + number + 1)
        assert float(y[3]) == host[3]
    assert_same(np.asarray(y), host, "in order")
    assert x.cl_buffer.int_ptr == x.cl_buffer.int_ptr == x.reshape(10, 100).cl_base.int_ptr


def test_buffers_of_views(opencl: xarr.Device) -> None:
    x = xarr.arange(10, dtype="int32") + 0
    part = x[3:]
    assert part.cl_base.int_ptr == x.cl_buffer.int_ptr
    assert part.cl_offset == 12
    assert x.cl_offset == 0
    with pytest.raises(ValueError, match="12 bytes behind"):
        _ = part.cl_buffer


def test_a_buffer_of_pyopencls(opencl: xarr.Device, program: Any) -> None:
    context = opencl.cl_context
    queue = xarr.current_stream().cl_queue
    host = np.arange(12, dtype="float32")
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffer = cl.Buffer(context, flags, hostbuf=host)
    x = xarr.from_cl(buffer, (3, 4), "float32")
    tail = xarr.from_cl(buffer, 4, "float32", offset=32)
    assert x.cl_buffer.int_ptr == buffer.int_ptr
    assert_same(np.asarray(x), host.reshape(3, 4), "read")
    x[0] += 10
    tail[...] = -1
    program(queue, (12,), None, buffer, buffer, np.float32(1))
    wanted = host.copy()
    wanted[:4] += 10
    wanted[8:] = -1
    wanted *= 2
    assert_same(np.asarray(x).ravel(), wanted, "both ways")
    there = np.empty(12, "float32")
    x += 1
    cl.enqueue_copy(queue, there, buffer)
    assert_same(there, wanted + 1, "seen by PyOpenCL")
    read_only = xarr.from_cl(cl.Buffer(context, cl.mem_flags.READ_ONLY, 16), 4, "float32")
    with pytest.raises(ValueError, match="read-only"):
        read_only[0] = 1
    other = cl.Context([opencl.cl_context.devices[0]])
    for made, words in (
        (lambda: xarr.from_cl(buffer, 13, "float32"), "the 48 bytes of the buffer"),
        (lambda: xarr.from_cl(buffer, 12, "float32", offset=4), "the 48 bytes of the buffer"),
        (lambda: xarr.from_cl(buffer, 1, "float32", offset=-4), "the 48 bytes of the buffer"),
        (lambda: xarr.from_cl(buffer, 1, "float32", offset=2), "multiple|align"),
        (lambda: xarr.from_cl(buffer, (-1, 4), "float32"), "not be negative"),
        (lambda: xarr.from_cl(cl.Buffer(other, flags, hostbuf=host), 4, "float32"), "context"),
    ):
        with pytest.raises(ValueError, match=words):
            made()
    for given, shape, words in ((buffer, 1.5, "shape is 1.5"), (None, 1, "of type NoneType")):
        with pytest.raises(TypeError, match=words):
            xarr.from_cl(given, shape, "float32")


def test_an_array_of_pyopencls(opencl: xarr.Device) -> None:
    queue = cl.CommandQueue(opencl.cl_context)  # one of the program's own
    theirs = cl_array.to_device(queue, np.arange(20, dtype="int32").reshape(4, 5))
    for _ in range(20):
        theirs += 1
    x = xarr.asarray(theirs)
    assert x.cl_buffer.int_ptr == theirs.base_data.int_ptr
    assert x.tolist() == (np.arange(20) + 20).reshape(4, 5).tolist()
    assert (
        xarr.asarray(theirs[1:, 2:]).tolist() == (np.arange(20) + 20).reshape(4, 5)[1:, 2:].tolist()
    )
    x *= 2
    xarr.synchronize()
    assert theirs.get().tolist() == x.tolist()
    copied = xarr.asarray(theirs, copy=True)
    copied += 1
    assert theirs.get().tolist() == x.tolist()
    context = cl.Context([opencl.cl_context.devices[0]])
    elsewhere = cl_array.to_device(cl.CommandQueue(context), np.arange(3))
    assert xarr.asarray(elsewhere).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="copy"):
        xarr.asarray(elsewhere, copy=False)
    ours = xarr.arange(5, dtype="float32") + 0
    wrapped = cl_array.Array(
        xarr.current_stream().cl_queue, ours.shape, np.float32, data=ours.cl_buffer
    )
    wrapped += 3
    assert ours.tolist() == [3, 4, 5, 6, 7]


@pytest.mark.parametrize("seed", range(6))
def test_random_programs(opencl: xarr.Device, program: Any, seed: int) -> None:
    """Kernels of a program's own between xarr's operations and writes, in the order asked."""
    draw = random.Random(seed)
    size = draw.choice((9, 1000, 200_000))
    queue = xarr.current_stream().cl_queue
    hosts = [np.arange(size, dtype="float32") % 7 + place for place in range(3)]
    arrays = [xarr.asarray(host) for host in hosts]
    for _ in range(60):
        first, second, third = draw.randrange(3), draw.randrange(3), draw.randrange(3)
        match draw.randrange(4):
            case 0 if first != second:
                program(
                    queue, (size,), None, arrays[first].cl_base, arrays[second].cl_base,
                    np.float32(1),
                )  # fmt: skip
                hosts[second] += hosts[first]
            case 1:
                arrays[third] %= 16
                hosts[third] %= 16
            case 2:
                arrays[third][1::2] = arrays[first][: size // 2]
                hosts[third][1::2] = hosts[first][: size // 2].copy()
            case _:
                arrays[third] = (arrays[first] - arrays[second]) % 32
                hosts[third] = (hosts[first] - hosts[second]) % 32
    for array, host in zip(arrays, hosts, strict=True):
        assert_same(np.asarray(array), host, f"seed {seed}")


def test_exchanges_leave_nothing(opencl: xarr.Device) -> None:
    x = xarr.arange(100, dtype="float32") + 0
    buffer = cl.Buffer(opencl.cl_context, cl.mem_flags.READ_WRITE, 400)
    kept = xarr.from_cl(buffer, 100, "float32")
    _ = x.cl_buffer
    gc.collect()
    used, objects = opencl.memory.used, len(gc.get_objects())
    for _ in range(2000):
        _ = x.cl_buffer
        xarr.from_cl(buffer, 100, "float32")[0] = 1
    gc.collect()
    assert opencl.memory.used == used
    assert len(gc.get_objects()) - objects < 100
    assert float(kept[0]) == 1


def test_other_devices_refuse(device: xarr.Device) -> None:
    if device.backend == "opencl":
        pytest.skip(f"{device} is no CUDA device")
    for name in ("cl_buffer", "cl_base", "cl_offset"):
        with pytest.raises(AttributeError, match="OpenCL"):
            getattr(xarr.ones(3), name)
    with pytest.raises(AttributeError, match="OpenCL"):
        _ = device.cl_context
    with pytest.raises(AttributeError):
        _ = xarr.current_stream().cl_queue
