"""Exchange of arrays on a CUDA device with CuPy, Numba, PyTorch and JAX, without a copy."""

from __future__ import annotations

import contextlib
import gc
import importlib
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import xarr
from tests.processes import run_code
from tests.reference import assert_same
from xarr import dtypes
from xarr.dtypes import DType
from xarr.tape import builder

LAYOUTS: dict[str, Any] = {
    "contiguous": lambda x: x,
    "sliced": lambda x: x[1:, ::2],
    "transposed": lambda x: x.T,
    "one element": lambda x: x[1:2, 2:3],
}


@pytest.fixture
def gpu(device: xarr.Device) -> Iterator[xarr.Device]:
    """A CUDA device, on which CuPy's and Numba's arrays are made as well."""
    if device.info.dialect != "cuda":
        pytest.skip(f"{device} is no CUDA device")
    with contextlib.ExitStack() as held:
        with contextlib.suppress(ImportError):
            held.enter_context(importlib.import_module("cupy").cuda.Device(device.index))
        with contextlib.suppress(ImportError):
            held.enter_context(importlib.import_module("numba.cuda").gpus[device.index])
        yield device


def imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        pytest.skip(f"{name} is not installed ({error})")


def values(dtype: DType = dtypes.float32) -> Any:
    return np.arange(12).reshape(3, 4).astype(dtype.numpy)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", dtypes.TABLE, ids=str)
def test_cupy_by_dlpack(dtype: DType, layout: str, gpu: xarr.Device) -> None:
    cupy = imported("cupy")
    host = values(dtype)
    x = xarr.asarray(host)
    seen = cupy.from_dlpack(LAYOUTS[layout](x))
    wanted = LAYOUTS[layout](host)
    assert_same(cupy.asnumpy(seen), wanted, "export")
    seen[...] = 1
    wanted[...] = 1
    assert_same(np.asarray(x), host, "written by CuPy")
    theirs = cupy.asarray(values(dtype))
    y = xarr.from_dlpack(LAYOUTS[layout](theirs))
    assert y.device is gpu
    y[...] = 1
    host = values(dtype)
    LAYOUTS[layout](host)[...] = 1
    assert_same(cupy.asnumpy(theirs), host, "written by xarr")


def test_cupy_by_array_interface(gpu: xarr.Device) -> None:
    cupy = imported("cupy")
    x = xarr.asarray(values())
    seen = cupy.asarray(x)
    assert seen.data.ptr == x.__cuda_array_interface__["data"][0]
    pending = x * 2
    seen += 1
    assert_same(np.asarray(pending), values() * 2, "what was pending before the export")
    assert_same(np.asarray(x), values() + 1, "written by CuPy")
    x += 1  # may not take new memory: CuPy looks at the old
    assert_same(cupy.asnumpy(seen), values() + 2, "in place")
    y = xarr.asarray(seen[:, 1:])
    y[...] = 0
    assert float(seen[:, 1:].sum()) == 0
    assert y.device is gpu


def test_one_memory_given_twice_may_be_scattered(gpu: xarr.Device) -> None:
    cupy = imported("cupy")
    order = np.random.default_rng(1).permutation(5000)
    values = np.arange(5000)
    theirs = cupy.asarray(order)
    target, index = xarr.asarray(theirs), xarr.asarray(theirs[::-1])
    target[index] = values
    wanted = order.copy()
    wanted[order[::-1]] = values
    assert_same(cupy.asnumpy(theirs), wanted, "at places in the same memory")
    theirs[...] = cupy.asarray(order)
    target[xarr.asarray(values)] = index
    assert_same(cupy.asnumpy(theirs), order[::-1], "from the same memory")
    target[target >= 0] = index
    assert_same(cupy.asnumpy(theirs), order, "where a mask says so")


@pytest.mark.parametrize("module", ["numba.cuda", "numba_cuda_mlir.cuda"])
def test_numba_kernels_take_arrays(module: str, gpu: xarr.Device) -> None:
    cuda = imported(module)

    @cuda.jit  # type: ignore[untyped-decorator]
    def double(x: Any) -> None:
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    x = xarr.arange(1000, dtype="float32")
    y = x + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the grid is small on purpose
        double[4, 256](x)
    assert_same(np.asarray(x), np.arange(1000, dtype=np.float32) * 2, "written by Numba")
    assert_same(np.asarray(y), np.arange(1000, dtype=np.float32) + 1, "pending before")
    stream = xarr.Stream(gpu)
    with stream:
        z = xarr.arange(1 << 20, dtype="float32") + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        double[1 << 12, 256, cuda.external_stream(stream.pointer)](z)  # behind the sum, before +=
    with stream:
        z += 1
    assert_same(np.asarray(z), np.arange(1 << 20, dtype=np.float32) * 2 + 3, "in a stream")
    theirs = cuda.to_device(np.ones(10, np.float32))  # says nothing of its device
    z = xarr.asarray(theirs)
    assert z.device is gpu
    z += 1
    assert_same(theirs.copy_to_host(), np.full(10, 2, np.float32), "written by xarr")


@pytest.mark.parametrize("name", ["float32", "float64", "int64", "bool", "complex64"])
def test_torch(name: str, gpu: xarr.Device) -> None:
    torch = imported("torch")
    dtype = dtypes.lookup(name, "test")
    x = xarr.asarray(values(dtype))
    seen = torch.from_dlpack(x.T)
    assert (seen.device.type, seen.device.index) == ("cuda", gpu.index)
    seen[0, 0] = 1
    wanted = values(dtype)
    wanted[0, 0] = 1
    assert_same(np.asarray(x), wanted, "written by PyTorch")
    theirs = torch.ones((3, 4), dtype=getattr(torch, name), device=f"cuda:{gpu.index}")
    y = xarr.from_dlpack(theirs[:, 1:])
    y[...] = 0
    assert int((theirs != 0).sum()) == 3
    assert xarr.asarray(theirs).device is gpu


def test_jax(gpu: xarr.Device) -> None:
    jax = imported("jax")
    if not any(found.platform == "gpu" for found in jax.devices()):
        pytest.skip("JAX sees no GPU")
    x = xarr.asarray(values())
    seen = jax.dlpack.from_dlpack(x)
    assert_same(np.asarray(seen), values(), "export")
    with jax.default_device(next(iter(seen.devices()))):
        y = xarr.from_dlpack(seen * 2)
    assert y.device is gpu
    assert_same(np.asarray(y + 1), values() * 2 + 1, "import")


def test_empty_arrays(gpu: xarr.Device) -> None:
    cuda, cupy = imported("numba.cuda"), imported("cupy")
    for theirs in (cuda.device_array((0, 3), np.float32), cupy.empty((0, 3), np.float32)):
        x = xarr.asarray(theirs)
        assert (x.shape, x.device) == ((0, 3), gpu)
        assert cupy.asarray(x).shape == cupy.from_dlpack(x).shape == (0, 3)


def test_streams_of_others_are_waited_for(gpu: xarr.Device) -> None:
    cupy = imported("cupy")
    with cupy.cuda.Stream(non_blocking=True) as stream:
        slow = cupy.ones(50_000_000, dtype=cupy.float32)
        for _ in range(20):
            slow = cupy.sin(slow) * 0 + 4
        slow = cupy.sin(slow) * 0 + 2  # no block has held twos before
        stream.use()
        x = xarr.from_dlpack(slow)
    assert float(x.sum()) == 100_000_000  # on the default stream
    with xarr.Stream(gpu):
        y = xarr.full(50_000_000, 1, dtype="float32") + 0
        for _ in range(20):
            with xarr.eager():
                y = xarr.sin(y) * 0 + 5
        with xarr.eager():
            y = xarr.sin(y) * 0 + 3
    seen = cupy.from_dlpack(y)
    assert float(seen.sum()) == 150_000_000  # CuPy's default stream
    y += 1
    z = cupy.asarray(y)
    assert float(z.sum()) == 200_000_000


def test_the_stream_that_cupy_uses_stays(gpu: xarr.Device) -> None:
    cupy = imported("cupy")
    stream = cupy.cuda.Stream(non_blocking=True)
    stream.use()
    try:
        x = xarr.ones(1000, device=gpu) + 1
        builder.compute(x._view)
        assert cupy.cuda.get_current_stream().ptr == stream.ptr
        if gpu.backend == "cupy":
            assert gpu.driver.current_stream() == stream.ptr  # type: ignore[attr-defined]
    finally:
        cupy.cuda.Stream.null.use()


def test_managed_memory_is_shared(gpu: xarr.Device) -> None:
    cupy = imported("cupy")
    with cupy.cuda.using_allocator(cupy.cuda.malloc_managed):
        theirs = cupy.arange(10, dtype=cupy.float32)
    for x in (xarr.from_dlpack(theirs, copy=False), xarr.asarray(theirs)):
        assert x.device is gpu
        x[...] = x + 1
    assert_same(cupy.asnumpy(theirs), np.arange(10, dtype=np.float32) + 2, "seen by CuPy")


def test_memory_that_is_short_without_a_pool(gpu: xarr.Device) -> None:
    cupy = imported("cupy")
    with cupy.cuda.using_allocator(None):
        with pytest.raises(MemoryError):
            builder.compute(xarr.zeros(gpu.memory_nbytes // 2, dtype="float32")._view)
        assert float((xarr.ones(1000) + 1).sum()) == 2000


CUPY_ALLOCATOR = """
import cupy
pool = cupy.cuda.MemoryPool()
def allocate(nbytes):
    asked.append(nbytes)
    return pool.malloc(nbytes)
cupy.cuda.set_allocator(allocate)
"""
NUMBA_PLUGIN = """
from numba import cuda
from numba.cuda.cudadrv.driver import NumbaCUDAMemoryManager
class Manager(NumbaCUDAMemoryManager):
    def memalloc(self, nbytes):
        asked.append(nbytes)
        return super().memalloc(nbytes)
cuda.set_memory_manager(Manager)
"""


RESOURCE = """
import xarr
from cuda.core import Device, DeviceMemoryResource
class Resource(DeviceMemoryResource):
    def allocate(self, nbytes, *, stream):
        asked.append(nbytes)
        return super().allocate(nbytes, stream=stream)
xarr.default_device().cuda.set_current()
xarr.default_device().memory.resource = Resource(xarr.default_device().index)
"""


def test_memory_comes_from_where_the_user_wants_it(gpu: xarr.Device) -> None:
    plugs = {"CupyDriver": CUPY_ALLOCATOR, "NumbaDriver": NUMBA_PLUGIN}
    theirs = plugs.get(type(gpu.driver).__name__, RESOURCE)
    ours = """
import xarr
x = xarr.ones(1 << 22, dtype="float32") + 1
assert float(x.sum()) == 1 << 23
assert max(asked) >= 1 << 24, asked
"""
    done = run_code("asked = []" + theirs + ours, XARR_DEVICE=str(gpu))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_forked_process_is_told_so(gpu: xarr.Device) -> None:
    code = """
    import os, xarr
    x = xarr.ones(10) + 1
    assert float(x.sum()) == 20
    with xarr.Stream():
        y = x + 1
    child = os.fork()
    if child == 0:
        del y
        try:
            float((x + 1).sum())
        except RuntimeError as error:
            os._exit(7 if "spawn" in str(error) else 8)
        os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert float((x + y).sum()) == 50
    """
    done = run_code(code, XARR_DEVICE=str(gpu), PYTHONWARNINGS="ignore")
    assert (done.returncode, done.stderr) == (0, "")


def test_what_the_program_does_at_its_end_is_done(gpu: xarr.Device) -> None:
    """Handlers that it registered first come last; a daemon thread goes on meanwhile."""
    code = """
    import atexit, threading, time
    import numpy, xarr
    def step():
        return xarr.cumulative_sum(xarr.sort(a * 2 + a)) + 1
    @atexit.register
    def report():
        with stream:
            x = a * 3
        graph.launch()
        print(float(step()[0]), float(x.sum()), float(y[0]))
    a = xarr.ones(1000) + 0
    for _ in range(20):
        step()
        xarr.synchronize()
    stream, pinned = xarr.Stream(), xarr.empty_pinned(4_000_000)
    with xarr.graph() as graph:
        y = a + 1
    def loader():
        while True:
            numpy.add(pinned, 1, out=pinned)
    threading.Thread(target=loader, daemon=True).start()
    time.sleep(0.3)
    """
    done = run_code(code, XARR_DEVICE=str(gpu))
    assert (done.returncode, done.stdout, done.stderr) == (0, "4.0 3000.0 2.0\n", "")


def test_a_kernel_that_faults_is_an_error_with_the_drivers_code(gpu: xarr.Device) -> None:
    code = """
    import xarr
    x = xarr.ones(10, dtype="float32") + 1
    assert float(x.sum()) == 20
    wild = xarr.RawKernel(
        "KERNEL void wild(GLOBAL f32 *x) { x[(i64)GLOBAL_ID(0) << 40] = 1; }", "wild")
    wild((1,), (256,), (x,))
    for _ in range(3):
        try:
            float((x + 1).sum())
        except xarr.DeviceError as error:
            assert (error.code, error.name) == (700, "CUDA_ERROR_ILLEGAL_ADDRESS"), error
        else:
            raise AssertionError
    print("lives")
    """
    done = run_code(code, XARR_DEVICE=str(gpu))
    assert (done.returncode, done.stdout) == (0, "lives\n"), done.stderr


def test_between_the_backends(gpu: xarr.Device) -> None:
    other = next(
        (
            found
            for found in xarr.devices()
            if found.info.dialect == "cuda"
            and found.index == gpu.index
            and found.backend != gpu.backend
        ),
        None,
    )
    if other is None:
        pytest.skip("there is one CUDA backend")
    x = xarr.asarray(values())
    y = xarr.from_dlpack(x, device=other)
    assert y.device is other
    assert y.__cuda_array_interface__["data"][0] == x.__cuda_array_interface__["data"][0]
    y += 1
    assert_same(np.asarray(x), values() + 1, "written by the other backend")
    with xarr.Stream(gpu):
        x *= 2
    with xarr.Stream(other):
        y += 1
    assert_same(np.asarray(x), (values() + 1) * 2 + 1, "in turns, on two streams")
    apart = x.to_device(other)
    apart[...] = 0
    assert_same(np.asarray(x), (values() + 1) * 2 + 1, "to_device copies")


def test_lifetimes(gpu: xarr.Device) -> None:
    cupy = imported("cupy")
    seen = cupy.from_dlpack(xarr.arange(1000, dtype="float32") + 1)
    gc.collect()
    others = [xarr.zeros(1000, dtype="float32") + 3 for _ in range(10)]
    assert float(sum(float(x.sum()) for x in others)) == 30000
    assert float(seen.sum()) == 500500
    assert gpu.shared
    del seen
    gc.collect()
    assert not gpu.shared
    x = xarr.from_dlpack(cupy.arange(1000, dtype=cupy.float32))
    gc.collect()
    cupy.zeros(1000, dtype=cupy.float32)
    assert float(x.sum()) == 499500


def test_wishes(gpu: xarr.Device) -> None:
    x = xarr.asarray(values())
    assert x.__dlpack_device__() == (2, gpu.index)
    for stream in (0, -2, "1"):
        with pytest.raises(ValueError, match="stream"):
            x.__dlpack__(stream=stream)
    own = xarr.Stream(gpu)
    for stream in (None, 1, 2, -1, own.pointer):
        assert "dltensor" in repr(x.__dlpack__(stream=stream))
    assert_same(np.from_dlpack(x, device="cpu"), values(), "to the host")
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(4, 0))
    with pytest.raises(BufferError, match="read-only"):
        xarr.broadcast_to(xarr.ones(1), (3,)).__dlpack__()
    host = xarr.from_dlpack(values())
    assert host.device is gpu
    with pytest.raises(ValueError, match="copy"):
        xarr.from_dlpack(values(), copy=False)
    empty = xarr.from_dlpack(xarr.zeros((0, 3)))
    assert empty.shape == (0, 3)


def test_other_devices_have_no_array_interface(device: xarr.Device) -> None:
    assert hasattr(xarr.ones(3), "__cuda_array_interface__") == (device.info.dialect == "cuda")
