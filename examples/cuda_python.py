"""What programs ask of cuda.core, Numba and cuda.bindings, in xarr's words: a function for each.

Each stands for a group of rows of docs/from_cuda_python.md, asserts its results, and tells what the
device or the installation lacks for it:

    XARR_DEVICE=cuda:0 python examples/cuda_python.py
"""

from __future__ import annotations

import importlib
import multiprocessing
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy

import xarr

TWICE: Final = """extern "C" __global__ void twice(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}"""


class LackingError(Exception):
    """What an example is about is not there."""


def cuda_device() -> xarr.Device:
    """Return the default device, which is a CUDA device."""
    device = xarr.default_device()
    if device.info.memory != "CUDA":
        raise LackingError(f"{device} is no CUDA device")
    return device


def library(name: str) -> Any:
    """Import a library."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise LackingError(f"{name} is not installed ({error})") from error


def devices() -> None:
    """Ask a device what it is: Device, DeviceProperties, cuDeviceGetAttribute."""
    device = xarr.default_device()
    assert device.attributes["multiprocessor_count"] >= 1
    assert 0 < device.memory.used + device.memory.free <= device.memory.total
    device.synchronize()
    if device.info.memory == "CUDA":
        core = library("cuda.core")
        theirs = device.cuda  # current from now on
        assert core.Device() == theirs
        assert theirs.device_id == device.index
        count = theirs.properties.multiprocessor_count
        assert device.attributes["multiprocessor_count"] == count


def streams() -> None:
    """Order work by streams and events: Stream, Event, cuda.stream(), cuStreamWaitEvent."""
    first, second = xarr.Stream(priority=-1), xarr.Stream()
    begin, end = xarr.Event(), xarr.Event()
    came: list[str] = []
    begin.record(first)
    with first:
        x = xarr.arange(1_000_000, dtype="float32") + 1
    end.record(first)
    second.wait(end)
    second.wait(first)
    second.call(came.append, "called by the stream")
    with second:
        y = x * 2
    second.synchronize()
    assert came == ["called by the stream"]
    assert begin.elapsed_ms(end) >= 0
    assert float(y[10]) == 22
    before = xarr.current_stream()
    second.use()
    assert xarr.current_stream().pointer == second.pointer
    before.use()
    sleeping = first.record(timed=False, blocking=True)
    sleeping.synchronize()
    assert sleeping.done


def foreign_streams() -> None:
    """Work on streams of cuda.core, and lend it xarr's: Stream.from_handle, __cuda_stream__."""
    device = cuda_device()
    library("cuda.core")
    theirs = device.cuda.create_stream()
    ours = xarr.Stream(pointer=int(theirs.handle))
    with ours:
        x = xarr.ones(1000, dtype="float32") + 1
    own = xarr.Stream()
    own.wait(theirs)
    theirs.wait(own)
    assert int(device.cuda.create_stream(own).handle) == own.pointer
    assert float(x.sum()) == 2000


def copies() -> None:
    """Copy: Buffer.copy_to, cuda.to_device, pinned_array, cuMemcpyAsync."""
    host = xarr.empty_pinned(1000, "float32")
    host[...] = 3
    x, y = xarr.zeros(1000, dtype="float32"), xarr.zeros(1000, dtype="float32")
    stream = xarr.Stream()
    xarr.copyto_async(x, host, stream=stream)
    copied = xarr.copyto_async(y, x, stream=stream)
    back = xarr.empty_pinned(1000, "float32")
    xarr.copyto_async(back, y, stream=stream).synchronize()
    assert copied.done
    assert (back == 3).all()


def buffers() -> None:
    """Share memory with cuda.core's Buffer, both ways."""
    device = cuda_device()
    core = library("cuda.core")
    gpu = device.cuda
    stream = core.Stream.from_handle(xarr.current_stream().pointer)
    x = xarr.arange(1000, dtype="float32")
    buffer = core.Buffer.from_handle(int(xarr.Pointer(x)), x.nbytes, owner=x)
    other = gpu.allocate(x.nbytes, stream=stream)
    buffer.copy_to(other, stream=stream)
    y = xarr.from_dlpack(other).view("float32")
    assert float(y.sum()) == 499_500
    buffer.fill(0, stream=stream)
    assert float(x.sum()) == 0


def memory_resources() -> None:
    """Have arrays in memory of cuda.core's: MemoryResource, managed_array."""
    device = cuda_device()
    core = library("cuda.core")
    if not device.attributes["concurrent_managed_access"]:
        raise LackingError(f"{device} has no managed memory that both sides use at once")
    before, nbytes = device.memory.resource, 64 << 20
    options = core.DeviceMemoryResourceOptions(max_size=nbytes // 2)
    gpu = device.cuda
    try:
        try:
            device.memory.resource = core.DeviceMemoryResource(gpu, options=options)
        except RuntimeError as error:  # CuPy's devices have cupy.cuda.set_allocator
            raise LackingError(str(error)) from error
        try:
            xarr.synchronize(xarr.ones(nbytes, dtype="uint8") + 1)
        except MemoryError:
            pass
        else:
            raise AssertionError("the pool gave more than it may")
        device.memory.resource = core.ManagedMemoryResource()
        x = xarr.ones(nbytes, dtype="uint8") + 1
        xarr.synchronize(x)
        managed = core.ManagedBuffer.from_handle(int(xarr.Pointer(x)), x.nbytes, owner=x)
        assert managed.is_managed
        assert int(x.sum()) == 2 * nbytes
    finally:
        if device.memory.resource is not before:
            device.memory.resource = before


def kernels() -> None:
    """Compile, inspect and launch own kernels: Program, Kernel, launch, Linker, @cuda.jit."""
    portable = """KERNEL void twice(GLOBAL f32 *x, i32 n)
    {
        const i64 i = GLOBAL_ID(0);
        if (i < n) x[i] *= 2;
    }"""
    kernel = xarr.RawKernel(portable, "twice")
    x = xarr.ones(1000, dtype="float32")
    kernel((4,), (256,), (x, 1000))
    assert float(x.sum()) == 2000
    assert (kernel.max_threads_per_block or 256) >= 256
    if xarr.default_device().info.memory == "CUDA":
        assert kernel.occupancy(256) >= 1
        assert kernel.suggested_block() % 32 == 0


def compiled_by_cuda_core() -> None:
    """Launch by cuda.core on xarr's stream and memory, and load what it compiled into xarr."""
    device = cuda_device()
    core = library("cuda.core")
    gpu = device.cuda
    options = core.ProgramOptions(arch=f"sm_{gpu.arch}")
    binary = core.Program(TWICE, "c++", options).compile("cubin")
    x = xarr.ones(1000, dtype="float32") + 1
    config = core.LaunchConfig(grid=4, block=256)
    place = int(xarr.Pointer(x))
    kernel, current = binary.get_kernel("twice"), xarr.current_stream()
    stream = core.Stream.from_handle(current.pointer)
    core.launch(stream, config, kernel, place, numpy.int32(1000))
    assert float(x.sum()) == 4000
    own = xarr.Stream()
    own.wait(current)
    stream = core.Stream.from_handle(own.pointer)
    core.launch(stream, config, kernel, place, numpy.int32(1000))
    xarr.current_stream().wait(own)
    assert float(x.sum()) == 8000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "twice.cubin"
        path.write_bytes(binary.code)
        xarr.RawModule(path=path).get_function("twice")((4,), (256,), (x, numpy.int32(1000)))
    assert float(x.sum()) == 16_000


def cooperative_launches() -> None:
    """Launch groups that wait for all others: LaunchConfig(is_cooperative=True)."""
    device = cuda_device()
    source = """extern "C" __global__ void wait_for_all(unsigned int *count, float *x)
    {
        if (threadIdx.x == 0) {
            atomicAdd(count, 1u);
            while (atomicAdd(count, 0u) < gridDim.x) {}
        }
        __syncthreads();
        x[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(count, 0u);
    }"""
    kernel = xarr.RawKernel(source, "wait_for_all")
    most = kernel.occupancy(64) * device.attributes["multiprocessor_count"]
    count, x = xarr.zeros(1, dtype="uint32"), xarr.zeros(64 * most, dtype="float32")
    kernel((most,), (64,), (count, x), cooperative=True)
    assert float(x.min()) == most
    said = ""
    try:
        kernel((most + 1,), (64,), (count, x), cooperative=True)
    except xarr.DeviceError as error:
        said = error.name
    assert said == "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"


def clusters() -> None:
    """Launch clusters of groups: LaunchConfig(cluster=...)."""
    device = cuda_device()
    if not device.attributes.get("cluster_launch"):
        raise LackingError(f"{device} launches no clusters")
    source = """extern "C" __global__ void cluster_size(unsigned int *x)
    {
        unsigned int size;
        asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
        if (threadIdx.x == 0) x[blockIdx.x] = size;
    }"""
    x = xarr.zeros(8, dtype="uint32")
    xarr.RawKernel(source, "cluster_size")((8,), (32,), (x,), cluster=(2, 1, 1))
    assert x.tolist() == [2] * 8


def graphs() -> None:
    """Record work once and launch it often: GraphBuilder, Graph.update, cuStreamBeginCapture."""
    x = xarr.zeros(1000, dtype="float32") + 0
    with xarr.graph() as graph:
        y = (x + 1) * 2
    x[...] = 4
    graph.launch()
    assert float(y[0]) == 10
    with graph:  # recorded anew; a CUDA graph is updated in place
        z = (x + 3) * 5
    x[...] = 1
    graph.launch()
    assert float(z[0]) == 20
    assert float(y[0]) == 10


def views() -> None:
    """See arrays by cuda.core's StridedMemoryView, and its views as arrays."""
    cuda_device()
    utils = library("cuda.core.utils")
    x = xarr.arange(12, dtype="float32").reshape(3, 4)
    view = utils.StridedMemoryView.from_any_interface(x.T, xarr.current_stream().pointer)
    assert (view.ptr, view.shape, view.dtype) == (int(xarr.Pointer(x)), (4, 3), numpy.float32)
    y = xarr.from_dlpack(view)
    y[0, 0] = 7
    assert float(x[0, 0]) == 7


def numba_kernels() -> None:
    """Launch kernels of Numba on arrays of xarr's: @cuda.jit, cuda.external_stream."""
    device = cuda_device()
    try:
        cuda = library("numba.cuda")
    except LackingError:
        cuda = library("numba_cuda_mlir.cuda")

    @cuda.jit  # type: ignore[untyped-decorator]
    def double(x: Any) -> None:
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    with cuda.gpus[device.index], warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the grid is small on purpose
        x = xarr.arange(1000, dtype="float32") + 1
        stream = xarr.Stream()
        with stream:
            double[4, 256, cuda.external_stream(stream.pointer)](x)
        xarr.current_stream().wait(stream)
        assert float(x.sum()) == 1_001_000
        theirs = cuda.to_device(numpy.ones(10, numpy.float32))
        y = xarr.asarray(theirs)  # the same memory
        y += 1
        xarr.synchronize(y)
        assert (theirs.copy_to_host() == 2).all()


def driver_calls() -> None:
    """Call the driver by cuda.bindings on memory and streams of xarr's."""
    device = cuda_device()
    driver = library("cuda.bindings.driver")
    library("cuda.core")
    assert device.cuda  # whose context is current
    x, y = xarr.zeros(1000, dtype="int32") + 1, xarr.empty(1000, dtype="int32")
    pointer, there = int(xarr.Pointer(x)), int(xarr.Pointer(y))
    stream = xarr.current_stream().pointer
    for (status,) in (
        driver.cuMemsetD32Async(pointer, 7, 500, stream),
        driver.cuMemcpyDtoDAsync(there, pointer, x.nbytes, stream),
    ):
        assert status == driver.CUresult.CUDA_SUCCESS
    assert int(y.sum()) == 7 * 500 + 500


def textures() -> None:
    """Read an array by a texture of cuda.core's, in a kernel of xarr's."""
    device = cuda_device()
    core, texture = library("cuda.core"), library("cuda.core.texture")
    x, y = xarr.arange(64, dtype="float32") * 3, xarr.zeros(64, dtype="float32")
    buffer = core.Buffer.from_handle(int(xarr.Pointer(x)), x.nbytes, owner=x)
    linear = texture.ResourceDescriptor.from_linear(buffer, format="float32", num_channels=1)
    source = """extern "C" __global__ void fetch(unsigned long long from, float *y)
    {
        y[threadIdx.x] = tex1Dfetch<float>((cudaTextureObject_t)from, threadIdx.x);
    }"""
    with device.cuda.create_texture_object(resource=linear) as read:
        xarr.RawKernel(source, "fetch")((1,), (64,), (numpy.uint64(int(read.handle)), y))
        xarr.synchronize(y)
    assert y.tolist() == x.tolist()


def add_one(handle: xarr.IpcHandle, connection: Any) -> None:
    """Add one to an array of another process's, and send its sum before that."""
    x = handle.open()
    before = float(x.sum())
    x += 1
    x.device.synchronize()
    connection.send(before)


def processes() -> None:
    """Work in one memory by two processes: Buffer.ipc_descriptor, get_ipc_handle."""
    cuda_device()
    x = xarr.arange(1000, dtype="float32") + 1
    handle = xarr.ipc_handle(x[10:20])
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=add_one, args=(handle, there))
    process.start()
    assert here.poll(120), "the other process says nothing"
    assert here.recv() == sum(range(11, 21))
    process.join(60)
    assert process.exitcode == 0
    assert x[8:22].tolist() == [9, 10, *range(12, 22), 21, 22]


def several_devices() -> None:
    """Copy from card to card in a stream: can_access_peer, cuMemcpyPeerAsync."""
    device = cuda_device()
    same = [one for one in xarr.devices() if one.backend == device.backend and one != device]
    if not same:
        raise LackingError("there is one CUDA device")
    other = same[0]
    x = xarr.arange(1000, dtype="float32") + 1
    y = xarr.zeros(1000, dtype="float32", device=other)
    copied = xarr.copyto_async(y, x, stream=xarr.Stream(other))
    xarr.Stream(device).wait(copied)
    assert device.can_access(other) in (False, True)
    assert float(y.sum()) == 500_500


EXAMPLES: Final[tuple[Callable[[], None], ...]] = (
    devices,
    streams,
    foreign_streams,
    copies,
    buffers,
    memory_resources,
    kernels,
    compiled_by_cuda_core,
    cooperative_launches,
    clusters,
    graphs,
    views,
    numba_kernels,
    driver_calls,
    textures,
    processes,
    several_devices,
)


def main() -> int:
    """Run all examples; return how many failed."""
    failed = 0
    for example in EXAMPLES:
        try:
            example()
            said = "ok"
        except LackingError as error:
            said = f"left out: {error}"
        except Exception as error:  # noqa: BLE001 - the others run all the same
            failed += 1
            said = f"FAILED: {type(error).__name__}: {error}"
        print(f"{example.__name__}: {said}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
