"""Exchange by DLPack: the same memory on a CPU, copies elsewhere, and reads and writes in order."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import xarr
from tests.processes import run_code
from tests.reference import assert_same
from xarr import dtypes
from xarr.array import dlpack
from xarr.dtypes import DType
from xarr.ops import vendor

pytestmark = pytest.mark.usefixtures("has_dtype")

LAYOUTS: dict[str, Any] = {
    "contiguous": lambda x: x,
    "sliced": lambda x: x[1:, ::2],
    "reversed": lambda x: x[::-1, ::-1],
    "transposed": lambda x: x.T,
    "one element": lambda x: x[1:2, 2:3],
}


@pytest.fixture
def shared_host(device: xarr.Device) -> xarr.Device:
    if not vendor.runs_on_numpy(device):
        pytest.skip(f"{device} does not share the host's memory")
    return device


def values(dtype: DType) -> Any:
    return np.arange(12).reshape(3, 4).astype(dtype.numpy)


def address(x: Any) -> int:
    return int(x.__array_interface__["data"][0])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", dtypes.TABLE, ids=str)
def test_exports_and_imports_share_memory(
    dtype: DType, layout: str, shared_host: xarr.Device
) -> None:
    host, look = values(dtype), LAYOUTS[layout]
    x = xarr.asarray(host)
    seen, wanted = np.from_dlpack(look(x)), look(host)
    assert_same(seen, wanted, "from_dlpack")
    assert address(np.from_dlpack(x[...])) == address(np.from_dlpack(x))
    look(x)[...] = 1
    wanted[...] = 1
    assert_same(seen, wanted, "after a write by xarr")
    x = xarr.from_dlpack(look(host), device=shared_host)
    assert_same(np.asarray(x), look(host), "from_dlpack")
    x[...] = 0
    assert_same(np.asarray(look(host)), np.zeros_like(look(host)), "written")
    host[...] = 1
    assert_same(np.asarray(x), look(host), "written by NumPy")


def test_sharing_ends_with_the_last_consumer(shared_host: xarr.Device) -> None:
    before = len(shared_host.shared)
    x = xarr.asarray(np.arange(10, dtype=np.float32))
    first, second = np.from_dlpack(x), np.from_dlpack(x[2:])
    assert len(shared_host.shared) == before + 1
    del first
    assert len(shared_host.shared) == before + 1
    del second
    gc.collect()
    assert len(shared_host.shared) == before
    host = np.ones(10, np.float32)
    y = xarr.from_dlpack(host)
    z = y[1:]
    del y
    assert len(shared_host.shared) == before + 1
    del z
    gc.collect()
    assert len(shared_host.shared) == before


def test_read_only_memory_stays_so(shared_host: xarr.Device) -> None:
    host = np.arange(4.0, dtype=np.float32)
    host.flags.writeable = False
    x = xarr.from_dlpack(host)
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    assert_same(np.asarray(x), host, "unchanged")
    repeated = xarr.broadcast_to(xarr.ones(1, dtype="float32"), (3,))
    assert not np.from_dlpack(repeated).flags.writeable
    with pytest.raises(BufferError):
        repeated.__dlpack__()


def test_copies(shared_host: xarr.Device) -> None:
    host = np.zeros(4, np.float32)
    x = xarr.from_dlpack(host, copy=True)
    host[0] = 9
    np.from_dlpack(x, copy=True)[1] = 9
    xarr.from_dlpack(x, copy=True)[2] = 9
    assert x.tolist() == [0, 0, 0, 0]
    xarr.from_dlpack(x)[2] = 7
    assert float(x[2]) == 7


def test_capsules(shared_host: xarr.Device) -> None:
    x = xarr.ones(3, dtype="float32")
    assert x.__dlpack_device__() == (1, 0)
    assert "dltensor" in repr(x.__dlpack__())
    assert "dltensor_versioned" in repr(x.__dlpack__(max_version=(1, 0)))
    with pytest.raises(BufferError, match="dl_device"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(ValueError, match="stream"):
        x.__dlpack__(stream=1)
    with pytest.raises(AttributeError, match="__dlpack__"):
        xarr.from_dlpack([1, 2])
    for shape in ((0,), (2, 0), ()):
        same = xarr.from_dlpack(np.ones(shape, np.float32))
        assert_same(np.asarray(same), np.ones(shape, np.float32), "empty")
        assert_same(np.from_dlpack(same), np.ones(shape, np.float32), "empty")


def test_a_device_with_memory_of_its_own(shared_host: xarr.Device) -> None:
    apart = shared_host.pretending("as-gpu")
    host = np.arange(3.0, dtype=np.float32)
    x = xarr.from_dlpack(host, device=apart)
    host[0] = 5
    assert float(x[0]) == 0
    assert x.__dlpack_device__() == (4, shared_host.index)
    with pytest.raises(BufferError, match="only the host"):
        x.__dlpack__()
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(ValueError, match="copy"):
        xarr.from_dlpack(host, device=apart, copy=False)
    assert "dltensor" in repr(x.__dlpack__(dl_device=(1, 0)))


def test_a_capsule_of_opencls_memory(shared_host: xarr.Device) -> None:
    if shared_host.backend != "opencl":
        pytest.skip(f"{shared_host} is not of OpenCL")
    place = (dlpack.OPENCL, shared_host.index)
    for device in (shared_host, shared_host.pretending("as-gpu")):
        x = xarr.arange(12, dtype="float32", device=device).reshape(3, 4)[1:, ::-2]
        lent = dlpack.borrow(x.__dlpack__(dl_device=place, max_version=(1, 0)))
        assert lent.pointer - x.cl_offset == x.cl_base.int_ptr
        assert (x.cl_offset, lent.device, lent.read_only) == (28, place, False)
        assert (lent.shape, lent.strides, lent.dtype) == ((2, 2), (4, -2), np.float32)
        apart = dlpack.borrow(x.__dlpack__(dl_device=place, copy=True))
        assert apart.pointer != lent.pointer
        fixed = xarr.broadcast_to(x[0], (3, 2))
        assert dlpack.borrow(fixed.__dlpack__(dl_device=place, max_version=(1, 0))).read_only
        with pytest.raises(BufferError, match="read-only"):
            fixed.__dlpack__(dl_device=place)
        for shape in ((0,), (2, 0), ()):
            empty = xarr.ones(shape, dtype="float32", device=device)
            assert dlpack.borrow(empty.__dlpack__(dl_device=place)).shape == shape
    with pytest.raises(BufferError, match="dl_device is"):
        x.__dlpack__(dl_device=(dlpack.OPENCL, shared_host.index + 1))


@pytest.mark.parametrize("size", [10, 100_000])
def test_one_memory_given_twice_may_overlap(shared_host: xarr.Device, size: int) -> None:
    """What is written through one import may be what is read through another."""

    def twice(of: Any, to: Any) -> tuple[Any, Any, Any]:
        host = np.arange(size, dtype=np.float32)
        return host, xarr.from_dlpack(host[of]), xarr.from_dlpack(host[to])

    everything, backward = slice(None), slice(None, None, -1)
    host, source, target = twice(backward, everything)
    target[...] = source
    assert_same(host, np.arange(size, dtype=np.float32)[::-1], "reversed in place")
    host, source, target = twice(slice(None, -1), slice(1, None))
    target[...] = source
    wanted = np.arange(size, dtype=np.float32)
    wanted[1:] = wanted[:-1].copy()
    assert_same(host, wanted, "shifted in place")
    host, source, target = twice(backward, everything)
    target += source
    assert_same(host, np.full(size, size - 1, np.float32), "added in place")


@pytest.mark.parametrize("size", [6, 5000])
def test_one_memory_given_twice_may_be_scattered(shared_host: xarr.Device, size: int) -> None:
    order = np.random.default_rng(size).permutation(size)
    values = np.arange(size)
    host = order.copy()
    target, index = map(xarr.from_dlpack, (host, host[::-1]))
    target[index] = values
    wanted = order.copy()
    wanted[order[::-1]] = values
    assert_same(np.asarray(target), wanted, "at places in the same memory")
    host = order.copy()
    target, source = map(xarr.from_dlpack, (host, host[::-1]))
    target[xarr.asarray(values)] = source
    assert_same(np.asarray(target), order[::-1], "from the same memory")
    target[target >= 0] = source
    assert_same(np.asarray(target), order, "where a mask says so")


def test_a_copy_to_another_handle_has_ended_before_the_host_writes(
    shared_host: xarr.Device,
) -> None:
    other = shared_host.pretending("as-gpu")
    for value in range(10):
        x = xarr.asarray(np.full(3_000_000, value, np.float32))
        host = np.from_dlpack(x)
        copy = x.to_device(other)
        host[...] = -1
        assert bool((copy == value).all())


def test_a_view_that_outlives_the_program_ends_quietly() -> None:
    done = run_code("import numpy, xarr\nnumpy.kept = numpy.asarray(xarr.arange(5.0) * 2)")
    assert (done.returncode, done.stderr) == (0, "")
