"""What the backends on CUDA share: kernels compiled by NVRTC, launches and copies by the driver.

A backend adds who owns memory and streams. Both load the same cubin: CuPy would compile with
`-ftz=true`, and Numba through its own compiler. Knows bytes and pointers; never shapes, dtypes or
operations. The CUDA packages are imported at first use.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, NoReturn

import numpy

from xarr.backends.base import DeviceInfo, Discovery, Found
from xarr.errors import CompileError, message

OPTIONS: Final = (
    "-fmad=false",
    "-ftz=false",
    "-prec-div=true",
    "-prec-sqrt=true",
    "-default-device",
)
"""The numerics policy: no contraction, denormals kept, correctly rounded division and root."""

_ARGUMENTS_NBYTES: Final = 4096
"""The most that a kernel's parameters take on every CUDA device."""


def missing() -> str:
    """Why no CUDA device can be there, without loading a library that would look for one."""
    library = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        ctypes.CDLL(library)
    except OSError as error:
        return f"NVIDIA's driver does not load ({error})"
    return ""


def compile_cubin(source: str, arch: str, options: Sequence[str] = ()) -> bytes:
    """Compile CUDA C for an architecture, as "sm_90"; needs no GPU; raises `CompileError`."""
    nvrtc = _bindings("nvrtc")
    program = _checked(nvrtc.nvrtcCreateProgram(source.encode(), b"xarr.cu", 0, [], []))
    options = (f"--gpu-architecture={arch}", *OPTIONS, *options)
    try:
        (status,) = nvrtc.nvrtcCompileProgram(
            program, len(options), [option.encode() for option in options]
        )
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = bytearray(_checked(nvrtc.nvrtcGetProgramLogSize(program)))
            _checked(nvrtc.nvrtcGetProgramLog(program, log))
            text = log.rstrip(b"\0").decode() or str(status)
            raise CompileError(device=arch, options=options, log=text, source=source)
        cubin = bytearray(_checked(nvrtc.nvrtcGetCUBINSize(program)))
        _checked(nvrtc.nvrtcGetCUBIN(program, cubin))
        return bytes(cubin)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


@functools.cache
def nvrtc_version() -> str:
    """The version of the compiler, as "13.0"."""
    major, minor = _checked(_bindings("nvrtc").nvrtcVersion())
    return f"{major}.{minor}"


def describe(backend: str, index: int) -> DeviceInfo:
    """What the driver says of a CUDA device."""
    cuda = _bindings("driver")
    handle = _checked(cuda.cuDeviceGet(index))
    attributes = cuda.CUdevice_attribute

    def attribute(name: str) -> int:
        which = getattr(attributes, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(_checked(cuda.cuDeviceGetAttribute(which, handle)))

    arch = f"sm_{attribute('COMPUTE_CAPABILITY_MAJOR')}{attribute('COMPUTE_CAPABILITY_MINOR')}"
    name = _checked(cuda.cuDeviceGetName(256, handle)).split(b"\0")[0].decode()
    version = int(_checked(cuda.cuDriverGetVersion()))
    return DeviceInfo(
        backend=backend,
        index=index,
        name=name,
        vendor="NVIDIA Corporation",
        platform="CUDA",
        driver_version=f"CUDA {version // 1000}.{version % 1000 // 10}",
        kind="gpu",
        dialect="cuda",
        memory_nbytes=int(_checked(cuda.cuDeviceTotalMem(handle))),
        has_float64=True,
        compute_units=attribute("MULTIPROCESSOR_COUNT"),
        group_size=attribute("MAX_THREADS_PER_BLOCK"),
        local_nbytes=attribute("MAX_SHARED_MEMORY_PER_BLOCK"),
        parameter_nbytes=_ARGUMENTS_NBYTES,
        shares_host_memory=False,
        target="\n".join(("cuda", arch, nvrtc_version(), *OPTIONS)),
    )


def discovered(
    backend: str, count: int, opened: Callable[[DeviceInfo], CudaDriver], install: str
) -> Discovery:
    """The first `count` CUDA devices, for the backend whose drivers `opened` makes."""
    discovery = Discovery([], [])
    for index in range(count):
        try:
            info = describe(backend, index)
        except (ImportError, RuntimeError) as error:
            discovery.problems.append(f"CUDA device {index} was passed over: {error}; {install}")
            continue
        discovery.devices.append(Found(info, functools.partial(opened, info)))
    return discovery


class Kernel:
    """A loaded kernel, and the memory in which a launch finds its parameters."""

    __slots__ = ("_module", "address", "content", "function", "parameters", "pointers")

    def __init__(self, module: Any, function: Any) -> None:
        self._module = module
        self.function = function
        self.pointers: Any = None
        self.parameters: Any = None
        self.address = 0
        self.content = ctypes.create_string_buffer(_ARGUMENTS_NBYTES)

    def prepare(self, count: int) -> None:
        """Make room for `count` buffers, and for the struct that follows them."""
        self.pointers = (ctypes.c_uint64 * max(count, 1))()
        begin = ctypes.addressof(self.pointers)
        places = [begin + 8 * place for place in range(count)]
        self.parameters = (ctypes.c_void_p * (count + 1))(*places, ctypes.addressof(self.content))
        self.address = ctypes.addressof(self.parameters)


class CudaDriver:
    """One CUDA device, opened. What allocates and which stream is current, a subclass says.

    Work goes to the stream that is current when it is asked for; a stream waits for the one that
    was used before it, so everything happens in the order asked.
    """

    def __init__(self, info: DeviceInfo) -> None:
        self.info = info
        self._cuda = _bindings("driver")
        _checked(self._cuda.cuInit(0))
        self._context = _checked(
            self._cuda.cuDevicePrimaryCtxRetain(_checked(self._cuda.cuDeviceGet(info.index)))
        )
        self._enter()
        self._event = _checked(
            self._cuda.cuEventCreate(self._cuda.CUevent_flags.CU_EVENT_DISABLE_TIMING)
        )
        self._last: int | None = None
        self._peak_nbytes = 0

    def current_stream(self) -> int:
        """The handle of the stream that new work goes to."""
        raise NotImplementedError

    def take(self, nbytes: int) -> Any:
        """A new buffer of the library's; MemoryError when there is none."""
        raise NotImplementedError

    def pointer(self, buffer: Any) -> int:
        """Where a buffer is."""
        raise NotImplementedError

    def used_nbytes(self) -> tuple[int, int]:
        """The bytes in live buffers and those held for reuse."""
        raise NotImplementedError

    def release_memory(self) -> None:
        """Give the blocks that are held for reuse back to the system."""
        raise NotImplementedError

    def compile(self, source: str, options: tuple[str, ...] = ()) -> bytes:
        """Compile to a cubin, which `load` takes in any process; raises `CompileError`."""
        return compile_cubin(source, self.info.target.splitlines()[1], options)

    def load(self, binary: bytes, name: str) -> Kernel:
        """The kernel `name` of a cubin; ValueError when the driver refuses it."""
        self._enter()
        try:
            module = _checked(self._cuda.cuModuleLoadData(binary))
            return Kernel(module, _checked(self._cuda.cuModuleGetFunction(module, name.encode())))
        except RuntimeError as error:
            raise ValueError(
                message(
                    "load(binary, name)",
                    f"{self.info.name} refuses the binary of kernel {name!r}: {error}",
                    "a binary of compile() for the same device and driver is accepted",
                    "compile it anew",
                )
            ) from error

    def launch(
        self,
        kernel: Kernel,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        buffers: Sequence[Any],
        arguments: bytes,
    ) -> None:
        """Run `grid` groups of `group` items, without waiting."""
        if 0 in grid:
            return
        stream = self._stream()
        if kernel.parameters is None:
            kernel.prepare(len(buffers))
        pointer = self.pointer
        kernel.pointers[: len(buffers)] = [pointer(buffer) for buffer in buffers]
        ctypes.memmove(kernel.content, arguments, len(arguments))
        x, y, z = (*grid, 1, 1)[:3]
        items = (*group, 1, 1)[:3]
        (status,) = self._cuda.cuLaunchKernel(
            kernel.function, x, y, z, *items, 0, stream, kernel.address, 0
        )
        if status:
            self._fail("launch", status)

    def allocate(self, nbytes: int) -> Any:
        """A buffer, its content undefined; MemoryError when there is no room for it."""
        self._stream()
        nbytes = max(nbytes, 1)
        try:
            buffer = self.take(nbytes)
        except MemoryError:
            self.synchronize()
            self.release_memory()
            try:
                buffer = self.take(nbytes)
            except MemoryError as error:
                used, _ = self.used_nbytes()
                raise MemoryError(
                    message(
                        f"{self.info.backend}:{self.info.index}",
                        f"no room for {nbytes:,} bytes",
                        f"{used:,} of the device's {self.info.memory_nbytes:,} bytes are in use",
                        "delete arrays that are no longer needed",
                    )
                ) from error
        self._peak_nbytes = max(self._peak_nbytes, self.used_nbytes()[0])
        return buffer

    def upload(self, buffer: Any, offset_nbytes: int, data: Any) -> None:
        """Copy contiguous host data in; returns when `data` may be changed."""
        nbytes = memoryview(data).nbytes
        if nbytes == 0:
            return
        stream = self._stream()
        host = numpy.frombuffer(data, numpy.uint8)
        self._check(
            "upload",
            self._cuda.cuMemcpyHtoDAsync(
                self.pointer(buffer) + offset_nbytes, host.ctypes.data, nbytes, stream
            ),
        )
        self._check("upload", self._cuda.cuStreamSynchronize(stream))

    def download(self, buffer: Any, offset_nbytes: int, out: Any) -> None:
        """Copy into contiguous writable host memory; returns when it is there."""
        nbytes = memoryview(out).nbytes
        if nbytes == 0:
            return
        stream = self._stream()
        host = numpy.frombuffer(out, numpy.uint8)
        self._check(
            "download",
            self._cuda.cuMemcpyDtoHAsync(
                host.ctypes.data, self.pointer(buffer) + offset_nbytes, nbytes, stream
            ),
        )
        self._check("download", self._cuda.cuStreamSynchronize(stream))

    def copy(
        self, source: Any, source_offset: int, target: Any, target_offset: int, nbytes: int
    ) -> None:
        """Copy on the device, without waiting; the regions may overlap."""
        if nbytes == 0:
            return
        if source is target and abs(source_offset - target_offset) < nbytes:
            between = self.allocate(nbytes)
            self.copy(source, source_offset, between, 0, nbytes)
            source, source_offset = between, 0
        self._check(
            "copy",
            self._cuda.cuMemcpyDtoDAsync(
                self.pointer(target) + target_offset,
                self.pointer(source) + source_offset,
                nbytes,
                self._stream(),
            ),
        )

    def map(self, buffer: Any) -> AbstractContextManager[Any]:
        """Refuse: the host does not see the device's memory."""
        raise RuntimeError(
            message("map(buffer)", f"{self.info.name} shares no memory with the host", "")
        )

    def address(self, buffer: Any) -> int:
        """Where a buffer lies in the device's memory, as long as it exists."""
        return self.pointer(buffer)

    def wrap(self, memory: Any) -> Any:
        """Refuse: the host's memory is not the device's."""
        raise RuntimeError(
            message("wrap(memory)", f"{self.info.name} shares no memory with the host", "")
        )

    def synchronize(self) -> None:
        """Wait until everything asked so far is done."""
        self._check("synchronize", self._cuda.cuStreamSynchronize(self._stream()))

    def memory_info(self) -> dict[str, int]:
        """The bytes there are, in live buffers, held for reuse, and the most ever live."""
        used, held = self.used_nbytes()
        return {
            "total_nbytes": self.info.memory_nbytes,
            "used_nbytes": used,
            "held_nbytes": held,
            "peak_nbytes": self._peak_nbytes,
        }

    def _enter(self) -> None:
        """Make the device's context current in this thread."""
        _checked(self._cuda.cuCtxSetCurrent(self._context))

    def _stream(self) -> int:
        """The current stream, which waits for what was asked of another before."""
        self._enter()
        stream = self.current_stream()
        if stream != self._last:
            if self._last is not None:
                self._check("wait", self._cuda.cuEventRecord(self._event, self._last))
                self._check("wait", self._cuda.cuStreamWaitEvent(stream, self._event, 0))
            self._last = stream
        return stream

    def _check(self, what: str, answer: tuple[Any, ...]) -> None:
        if answer[0]:
            self._fail(what, answer[0])

    def _fail(self, what: str, status: Any) -> NoReturn:
        """Raise the exception of Python's that says what the driver's says."""
        text = message(
            f"{self.info.backend}:{self.info.index}",
            f"{what}: {self.info.name} failed: {_named(status)}",
            "",
        )
        out_of_memory = self._cuda.CUresult.CUDA_ERROR_OUT_OF_MEMORY
        raise (MemoryError if status == out_of_memory else RuntimeError)(text)


@functools.cache
def _bindings(name: str) -> Any:
    return importlib.import_module(f"cuda.bindings.{name}")


def _checked(answer: tuple[Any, ...]) -> Any:
    """What a call of the CUDA bindings returns besides its status."""
    status, *values = answer
    if status:
        raise RuntimeError(_named(status))
    return values[0] if len(values) == 1 else tuple(values)


def _named(status: Any) -> str:
    return str(getattr(status, "name", status))
