"""The common part of backends on CUDA: NVRTC compiles kernels, the driver launches and copies.

A backend adds who owns memory and streams. Both load the same cubin: CuPy would compile with
`-ftz=true`, and Numba through its own compiler. Knows bytes and pointers; never shapes, dtypes or
operations. The CUDA packages are imported at first use.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import importlib
import importlib.util
import json
import math
import os
import re
import struct
import sys
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final, NoReturn

import numpy

from xarr.backends.base import (
    ATTRIBUTES,
    MARKS,
    Asked,
    Call,
    DeviceInfo,
    Discovery,
    Driver,
    Found,
    Place,
    Span,
    Timer,
    Together,
    buffers_of,
    forked,
    refuse_after_fork,
)
from xarr.errors import CompileError, DeviceError, message
from xarr.memo import memo

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


_LEGACY: Final = 1
"""The default stream by its unmistakable name, CU_STREAM_LEGACY; 0 may mean a thread's own."""
_HANDLE_NBYTES: Final = 64
"""CU_IPC_HANDLE_SIZE: what `exported` gives has so many bytes."""
_LIBRARY: Final = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
_STREAM: Final = 8
"""The index of the stream among the arguments of `cuLaunchKernel`."""
_DEVICE_ORDINAL: Final = 9
"""CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL."""
OUT_OF_MEMORY: Final = 2
"""The status of the driver and of the runtime where memory is short, CUDA's and ROCm's."""
_NOT_INITIALIZED: Final = 3
_NOT_FOUND: Final = 500
_REFUSED: Final = (200, 209, 218, 222, 223, 300, 500)
"""The statuses of a binary that is damaged, for another device or driver, or without the kernel."""
_OTHER_CONTEXT: Final = (201, 400, 709)
"""The statuses of a launch where the thread has no context, or another device's or library's."""


def missing() -> str:
    """Why no CUDA device can be there, without loading a library that would look for one."""
    return _unloadable(_LIBRARY, "NVIDIA")


def missing_rocm() -> str:
    """Why no device of ROCm's can be there."""
    return _unloadable("libamdhip64.so", "AMD")


def _unloadable(library: str, vendor: str) -> str:
    try:
        ctypes.CDLL(library)
    except OSError as error:
        return f"{vendor}'s driver does not load ({error})"
    return ""


def compile_cubin(source: str, arch: str, options: Sequence[str] = ()) -> bytes:
    """Compile CUDA C for an architecture, as "sm_90"; needs no GPU; raises `CompileError`."""
    return compile_own_cubin(source, arch, options, ())[0]


def compile_own_cubin(
    source: str, arch: str, options: Sequence[str], names: Sequence[str]
) -> tuple[bytes, str]:
    """A cubin and what the compiler says; before the cubin stand the names that C++ gives kernels.

    Those of `names`, which `CudaDriver.load` takes, as a line of JSON.
    """
    nvrtc = _bindings("nvrtc")
    program = checked(nvrtc.nvrtcCreateProgram(source.encode(), b"xarr.cu", 0, [], []))
    options = (f"--gpu-architecture={arch}", *OPTIONS, *options)
    try:
        for name in names:
            checked(nvrtc.nvrtcAddNameExpression(program, name.encode()))
        (status,) = nvrtc.nvrtcCompileProgram(
            program, len(options), [option.encode() for option in options]
        )
        log = bytearray(checked(nvrtc.nvrtcGetProgramLogSize(program)))
        checked(nvrtc.nvrtcGetProgramLog(program, log))
        text = log.rstrip(b"\0").decode()
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise CompileError(device=arch, options=options, log=text or str(status), source=source)
        cubin = bytearray(checked(nvrtc.nvrtcGetCUBINSize(program)))
        checked(nvrtc.nvrtcGetCUBIN(program, cubin))
        mangled = {
            name: checked(nvrtc.nvrtcGetLoweredName(program, name.encode())).decode()
            for name in names
        }
        head = f"{json.dumps(mangled)}\n".encode() if names else b""
        return head + bytes(cubin), text
    finally:
        nvrtc.nvrtcDestroyProgram(program)


@memo
def header_folders() -> tuple[str, ...]:
    """Options for the headers that programs' own kernels include: the toolkit's and CuPy's."""
    from cuda import pathfinder

    found = [pathfinder.find_nvidia_header_directory(name) for name in ("cudart", "cccl")]
    cupy = importlib.util.find_spec("cupy")
    if cupy is not None and cupy.origin is not None:
        found.append(str(Path(cupy.origin).parent / "_core" / "include"))
    return tuple(f"--include-path={folder}" for folder in found if folder is not None)


@memo
def nvrtc_version() -> str:
    """The version of the compiler, as "13.0"."""
    major, minor = checked(_bindings("nvrtc").nvrtcVersion())
    return f"{major}.{minor}"


def describe(backend: str, index: int) -> DeviceInfo:
    """The driver's facts of a CUDA device."""
    cuda = _bindings("driver")
    handle = _device(cuda, index)
    attributes = cuda.CUdevice_attribute

    def attribute(name: str) -> int:
        which = getattr(attributes, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(checked(cuda.cuDeviceGetAttribute(which, handle)))

    capability = attribute("COMPUTE_CAPABILITY_MAJOR"), attribute("COMPUTE_CAPABILITY_MINOR")
    arch = "sm_{}{}".format(*capability)
    name = checked(cuda.cuDeviceGetName(256, handle)).split(b"\0")[0].decode()
    if int(arch[3:]) not in checked(_bindings("nvrtc").nvrtcGetSupportedArchs()):
        raise RuntimeError(
            "{} has compute capability {}.{}, for which NVRTC {} does not compile".format(
                name, *capability, nvrtc_version()
            )
        )
    version = int(checked(cuda.cuDriverGetVersion()))
    if int(nvrtc_version().split(".")[0]) > version // 1000:
        raise RuntimeError(
            f"its driver is one for CUDA {version // 1000}, and NVRTC {nvrtc_version()} compiles "
            "for newer ones"
        )
    return DeviceInfo(
        backend=backend,
        index=index,
        name=name,
        vendor="NVIDIA Corporation",
        platform="CUDA",
        driver_version=f"{version // 1000}.{version % 1000 // 10}{_driver_release()}",
        kind="gpu",
        dialect="cuda",
        memory_nbytes=int(checked(cuda.cuDeviceTotalMem(handle))),
        has_float64=True,
        compute_units=attribute("MULTIPROCESSOR_COUNT"),
        group_size=attribute("MAX_THREADS_PER_BLOCK"),
        local_nbytes=attribute("MAX_SHARED_MEMORY_PER_BLOCK"),
        parameter_nbytes=_ARGUMENTS_NBYTES,
        shares_host_memory=False,
        target="\n".join(("cuda", arch, nvrtc_version(), *OPTIONS)),
        subgroup_size=attribute("WARP_SIZE"),
    )


def _driver_release() -> str:
    """The release of the driver in words, where the system tells it."""
    try:
        release = Path("/sys/module/nvidia/version").read_text()
    except OSError:
        return ""
    return f", driver {release.strip()}"


def discovered(
    backend: str,
    count: int,
    opened: Callable[[DeviceInfo], CudaDriver],
    install: str,
    described: Callable[[int], DeviceInfo] | None = None,
) -> Discovery:
    """The first `count` CUDA devices, for the backend whose drivers `opened` makes."""
    discovery = Discovery([], [])
    for index in range(count):
        try:
            info = described(index) if described is not None else describe(backend, index)
        except (ImportError, RuntimeError) as error:
            discovery.problems.append(f"CUDA device {index} was passed over: {error}; {install}")
            continue
        discovery.devices.append(Found(info, functools.partial(opened, info)))
    return discovery


class Parameters:
    """The memory in which a launch finds its parameters: buffers, and a struct behind them.

    address : int -- Of the list of pointers to them.
    """

    __slots__ = ("_content", "_pack", "_pointers", "address")

    def __init__(self, count: int) -> None:
        self._content = ctypes.create_string_buffer(8 * count + _ARGUMENTS_NBYTES)
        begin = ctypes.addressof(self._content)
        self._pointers = (ctypes.c_void_p * (count + 1))(*range(begin, begin + 8 * count + 1, 8))
        self.address = ctypes.addressof(self._pointers)
        self._pack = struct.Struct(f"={count}Q{_ARGUMENTS_NBYTES}s").pack_into

    def fill(self, given: Sequence[Any]) -> None:
        """Have addresses and a struct as the parameters."""
        self._pack(self._content, 0, *given)


class Kernel:
    """A loaded kernel.

    module, function : object -- The driver's handles.
    name : str -- What the source calls it.
    names : Mapping of str to str -- The names that C++ gives kernels of the module.
    parameters : Parameters or None
        Those of its launches one by one; there from the first one on.
    """

    __slots__ = ("function", "module", "name", "names", "parameters")

    def __init__(
        self, module: Any, function: Any, name: str = "", names: Mapping[str, str] | None = None
    ) -> None:
        self.module = module
        self.function = function
        self.name = name
        self.names = names or {}
        self.parameters: Parameters | None = None

    def filled(self, buffers: Sequence[Block], arguments: bytes) -> int:
        """Fill a launch's parameters, addresses of buffers and a struct; return their address."""
        parameters = self.parameters
        if parameters is None:
            parameters = self.parameters = Parameters(len(buffers))
        parameters.fill([*[buffer.pointer for buffer in buffers], arguments])
        return parameters.address


class _NodeParameters(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS_v2."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        *((name, ctypes.c_uint) for name in ("gx", "gy", "gz", "ix", "iy", "iz", "local_nbytes")),
        *((name, ctypes.c_void_p) for name in ("parameters", "extra", "kernel", "context")),
    )


class LaunchGraph:
    """Launches by one call: a graph, one node behind the other, whose parameters change.

    A call of its own sets a node's parameters, so only where they have changed. Ten launches take
    the host 79 us on an H200, a graph of them 14. By ctypes: bindings make objects of all this.
    """

    __slots__ = ("__weakref__", "_driver", "_given", "_nodes", "_parameters", "_ready")

    def __init__(self, driver: CudaDriver, asked: Sequence[Asked]) -> None:
        cuda = _libcuda()
        self._driver = driver
        self._parameters: list[Parameters] = []
        self._given: list[Any] = [None] * len(asked)
        self._nodes: list[tuple[Any, ...]] = []
        graph, ready = ctypes.c_void_p(), ctypes.c_void_p()
        driver.check("sequence", (cuda.cuGraphCreate(ctypes.byref(graph), 0),))
        try:
            before = None
            made = []
            for kernel, (grid, group), buffers, _, _ in asked:
                parameters = Parameters(len(buffers))
                where = _in_three_dimensions(grid, group)
                how = _NodeParameters(int(kernel.handle.function), *where, 0, parameters.address)
                node = ctypes.c_void_p()
                others: Any = None if before is None else ctypes.byref(before)
                status = cuda.cuGraphAddKernelNode_v2(
                    ctypes.byref(node), graph, others, ctypes.c_size_t(before is not None),
                    ctypes.byref(how),
                )  # fmt: skip
                driver.check("sequence", (status,))
                # With all that the driver has added, so that only the parameters change.
                status = cuda.cuGraphKernelNodeGetParams_v2(node, ctypes.byref(how))
                driver.check("sequence", (status,))
                how.parameters, how.extra = parameters.address, None
                self._parameters.append(parameters)
                made.append((node, how))
                before = node
            status = cuda.cuGraphInstantiateWithFlags(
                ctypes.byref(ready), graph, ctypes.c_ulonglong(0)
            )
            driver.check("sequence", (status,))
        except BaseException:
            cuda.cuGraphDestroy(graph)
            raise
        self._ready = ready
        self._nodes = [(ready, node, ctypes.byref(how)) for node, how in made]
        kernels = [one[0].handle for one in asked]
        weakref.finalize(self, _destroyed, cuda.cuGraphExecDestroy, ready, kernels)
        weakref.finalize(self, cuda.cuGraphDestroy, graph)  # whose nodes these are

    def run(self, asked: Sequence[Asked]) -> bool:
        """Whether all were asked for; not where somebody looks at each, or records the stream."""
        driver = self._driver
        if "launch" in vars(driver):
            return False
        if driver.is_plain() and driver.is_current():
            return not self._launch(asked, driver.default_stream)
        with driver.context:
            blocks = list({id(block): block for one in asked for block in one[2]}.values())
            stream = driver.begin(blocks)
            status = self._launch(asked, stream)
            if not status:
                driver.end(stream, blocks)
        return not status

    def _launch(self, asked: Sequence[Asked], stream: int) -> int:
        cuda = _libcuda()
        given = self._given
        for number, (_, _, buffers, arguments, _) in enumerate(asked):
            now: list[Any] = [block.pointer for block in buffers]
            now.append(arguments)
            if now != given[number]:
                given[number] = None
                self._parameters[number].fill(now)
                status: int = cuda.cuGraphExecKernelNodeSetParams_v2(*self._nodes[number])
                if status:
                    return status
                given[number] = now
        self._driver.launched += len(asked)
        status = cuda.cuGraphLaunch(self._ready, ctypes.c_void_p(stream))
        if status:
            self._driver.launched -= len(asked)
        return status


@memo
def _libcuda() -> Any:
    return ctypes.CDLL(_LIBRARY)


class Block:
    """Memory on a device, given back when it is dropped.

    driver : CudaDriver -- The driver that it belongs to.
    pointer, nbytes : int -- Where it begins, and how long it is.
    memory : object -- What keeps it.
    counted_nbytes : int -- What the driver counts as live for it.
    """

    __slots__ = ("counted_nbytes", "driver", "memory", "nbytes", "pointer")

    def __init__(self, driver: CudaDriver, pointer: int, nbytes: int, memory: Any) -> None:
        self.driver = driver
        self.pointer = pointer
        self.nbytes = nbytes
        self.memory = memory
        self.counted_nbytes = 0

    @property
    def event(self) -> Event | None:
        """The end of its last use; None where that was on the default stream."""
        return self.driver.last_uses.get(id(self))

    @event.setter
    def event(self, event: Event | None) -> None:
        if event is not None:
            self.driver.last_uses[id(self)] = event
        else:
            self.driver.last_uses.pop(id(self), None)

    def __del__(self) -> None:
        # In whichever thread, without the lock of the device.
        driver = self.driver
        if self.counted_nbytes:
            driver.freed_nbytes.append(self.counted_nbytes)
        self.give_back(driver.last_uses.pop(id(self), None) if driver.last_uses else None)

    def give_back(self, event: Event | None) -> None:
        """Order the default stream behind the last use, so that the next user may begin there."""
        if event is not None:
            self.driver.hold_default_stream(event)


class Event:
    """A point in the work of a stream."""

    __slots__ = ("_destroy", "handle")

    def __init__(self, cuda: Any, *, timed: bool) -> None:
        flags = cuda.CUevent_flags
        flag = flags.CU_EVENT_DEFAULT if timed else flags.CU_EVENT_DISABLE_TIMING
        self._destroy = cuda.cuEventDestroy
        self.handle = checked(cuda.cuEventCreate(flag))

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self._destroy(self.handle)


class _Context:
    """A ``with`` block in which a device's context is the thread's; the one before afterwards."""

    __slots__ = ("_handle", "_pop", "_push")

    def __init__(self, cuda: Any, handle: Any) -> None:
        self._handle = handle
        self._push, self._pop = cuda.cuCtxPushCurrent, cuda.cuCtxPopCurrent

    def __enter__(self) -> None:
        checked((*self._push(self._handle), None))

    def __exit__(self, *_: object) -> None:
        self._pop()


class CudaDriver(Driver):
    """One CUDA device, opened. What allocates and which stream is current, a subclass says.

    Work goes to the stream that is current when it is asked for. It waits there for what was last
    asked of the blocks that it uses, on whichever stream. An event stands for the end of that, as
    the stream may be gone by the time it matters; only the default stream is there for good.
    """

    several: ClassVar = False
    """Whether a stream beside the default ones has been seen, so that blocks may have events."""

    default_stream: ClassVar = _LEGACY
    """The handle of the default stream: what `current_stream` gives, and other libraries take."""

    exports = True
    launched = 0
    limit_nbytes = math.inf

    def __init__(self, info: DeviceInfo) -> None:
        self.info = info
        self._cuda = cuda = self.driver_functions()
        (status,) = cuda.cuInit(0)
        if status == _NOT_INITIALIZED:
            raise forked("CUDA")
        checked((status,))
        self._handle = checked(cuda.cuDevicePrimaryCtxRetain(_device(cuda, info.index)))
        self.context = _Context(cuda, self._handle)
        self._context_number = int(self._handle)
        self._peers: dict[int, bool] = {}
        self.freed_nbytes: deque[int] = deque()
        # The events of blocks live here, not in the blocks: the garbage collector destroys an event
        # before the `__del__` of a block that dies with it, which hands the event on.
        self.last_uses: dict[int, Event] = {}
        self._used_nbytes = 0
        self._peak_nbytes = 0
        self._under_way: deque[tuple[Event, Any]] = deque()  # copies, and the host's memory
        _opened.add(self)

    def driver_functions(self) -> Any:
        """The functions of the CUDA driver, by its names."""
        return _bindings("driver")

    def current_stream(self) -> int:
        """The handle of the stream that this thread's work goes to."""
        raise NotImplementedError

    def named(self, handle: int) -> int:
        """A stream's handle, which for the default stream is `default_stream`, whatever it was."""
        return self.default_stream if handle in (0, _LEGACY) else handle

    def create_stream(self, priority: int = 0) -> Any:
        """A new stream, as one of the library's, which does not wait for the default one.

        The libraries' own wait for it, or have no priorities.
        """
        cuda = self._cuda
        flags = cuda.CUstream_flags.CU_STREAM_NON_BLOCKING
        with self.context:
            least, greatest = checked(cuda.cuCtxGetStreamPriorityRange())
            number = min(max(priority, greatest), least)
            handle = checked(cuda.cuStreamCreateWithPriority(flags, number))
            stream = self.wrap_stream(int(handle))
        weakref.finalize(stream, cuda.cuStreamDestroy, handle)
        return stream

    def priority(self, stream: Any) -> int:
        """The priority of a stream."""
        with self.context:
            return int(checked(self._cuda.cuStreamGetPriority(self.stream_pointer(stream))))

    def wrap_stream(self, pointer: int) -> Any:
        """Another library's stream as one of this library's."""
        raise NotImplementedError

    def stream_pointer(self, stream: Any) -> int:
        """The handle of a stream."""
        raise NotImplementedError

    def swap_stream(self, stream: Any) -> Any:
        """Make a stream the one that this thread's work goes to; the one that it was before."""
        raise NotImplementedError

    def take(self, nbytes: int) -> Block:
        """A block that was last used on the default stream; MemoryError when there is none."""
        raise NotImplementedError

    def used_nbytes(self) -> int:
        """The bytes that were asked for and are in live buffers."""
        while self.freed_nbytes:
            self._used_nbytes -= self.freed_nbytes.popleft()
        return self._used_nbytes

    def held_nbytes(self) -> int:
        """The bytes held for reuse, or beyond what was asked for."""
        raise NotImplementedError

    def release_memory(self) -> None:
        """Give the blocks that are held for reuse back to the system."""
        raise NotImplementedError

    def compile(self, source: str, options: tuple[str, ...] = ()) -> bytes:
        """Compile to a cubin, which `load` takes in any process; raises `CompileError`."""
        return compile_cubin(source, self.info.target.splitlines()[1], options)

    def compile_own(
        self, source: str, options: tuple[str, ...], names: Sequence[str]
    ) -> tuple[bytes, str]:
        """Compile a program's own source, with what the compiler says of it."""
        if re.search(r"^[ \t]*#[ \t]*include\b", source, re.MULTILINE):
            options = (*header_folders(), *options)
        return compile_own_cubin(source, self.info.target.splitlines()[1], options, names)

    def load(self, binary: bytes, name: str) -> Kernel:
        """The kernel `name` of a cubin; ValueError when the driver refuses it."""
        names = dict[str, str]()
        if binary.startswith(b"{"):
            head, _, binary = binary.partition(b"\n")
            names = json.loads(head)
        with self.context:
            status, module = self._with_room(self._cuda.cuModuleLoadData, binary)
            if not status:
                # Loaded lazily, code goes to the device here.
                find = self._cuda.cuModuleGetFunction
                status, function = self._with_room(find, module, names.get(name, name).encode())
        if status in _REFUSED:
            raise ValueError(
                message(
                    "load(binary, name)",
                    f"{self.info.name} refuses the binary of kernel {name!r}: {_name_of(status)}",
                    "a binary of compile() for the same device and driver is accepted",
                    f"compile it anew, with a driver that is as new as NVRTC {nvrtc_version()}",
                )
            )
        if status:
            self._fail("load", status)
        return Kernel(module, function, name, names)

    def load_beside(self, kernel: Kernel, binary: bytes, name: str) -> Kernel:
        """Another kernel of the module of one that was loaded; ValueError if it has none."""
        names = kernel.names
        with self.context:
            status, function = self._cuda.cuModuleGetFunction(
                kernel.module, names.get(name, name).encode()
            )
        if status:
            self._refuse_name(name, status)
        return Kernel(kernel.module, function, name, names)

    def variable(self, kernel: Kernel, name: str) -> tuple[int, int]:
        """The address and the bytes of a variable of a kernel's module."""
        with self.context:
            status, address, nbytes = self._cuda.cuModuleGetGlobal(kernel.module, name.encode())
        if status:
            self._refuse_name(name, status)
        return int(address), int(nbytes)

    def _refuse_name(self, name: str, status: Any) -> NoReturn:
        if status != _NOT_FOUND:
            self._fail("load", status)
        given = f"the module has no {name}: {_name_of(status)}"
        raise ValueError(message("load(binary, name)", given, "a name that it has is accepted"))

    def attributes(self, kernel: Kernel) -> dict[str, int]:
        """The driver's attributes of a kernel."""
        with self.context:
            return {
                name: int(checked(self._cuda.cuFuncGetAttribute(_which(name), kernel.function)))
                for name in ATTRIBUTES
            }

    def set_attribute(self, kernel: Kernel, name: str, value: int) -> None:
        """Change an attribute of a kernel."""
        with self.context:
            self.check(name, self._cuda.cuFuncSetAttribute(kernel.function, _which(name), value))

    def launch(
        self,
        kernel: Kernel,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        buffers: Sequence[Block],
        arguments: bytes,
        work: float = math.inf,
    ) -> None:
        """Run `grid` groups of `group` items, without waiting."""
        if 0 in grid:
            self.launched += 1
            return
        where = _in_three_dimensions(grid, group)
        address = kernel.filled(buffers, arguments)
        if self.is_plain():
            # Mostly the context is the thread's already; in any other one a launch is refused.
            stream = self.default_stream
            status = self._launch(kernel.function, *where, 0, stream, address, 0)
            if not status:
                return
            if status not in _OTHER_CONTEXT:
                self._fail("launch", status)
        with self.context:
            stream = self.begin(buffers)
            status = self._launch(kernel.function, *where, 0, stream, address, 0)
            if status:
                self._fail("launch", status)
            self.end(stream, buffers)

    def sequence(self, asked: Sequence[Asked]) -> Together | None:
        """An object that asks for such launches by one call; None where that is impossible."""
        if not asked or any(0 in grid for _, (grid, _), *_ in asked):
            return None
        with self.context:
            try:
                return LaunchGraph(self, asked)
            except (AttributeError, OSError, RuntimeError):  # launches one by one go on
                return None

    def launch_with(
        self,
        kernel: Kernel,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        arguments: Sequence[Place | bytes | int],
        local_nbytes: int,
    ) -> None:
        """Run a program's own kernel, whose parameters are in any order."""
        blocks = [given.buffer for given in arguments if isinstance(given, Place)]
        with self.context:
            stream = self.begin(blocks)
            self._put_with(stream, kernel, grid, group, arguments, local_nbytes)
            self.end(stream, blocks)

    def _put_with(
        self,
        stream: Any,
        kernel: Kernel,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        arguments: Sequence[Place | bytes | int],
        local_nbytes: int,
    ) -> None:
        """Put a program's own kernel on a stream."""
        contents = [
            ctypes.create_string_buffer(value, len(value))
            for value in (
                struct.pack("=Q", given.buffer.pointer + given.offset_nbytes)
                if isinstance(given, Place)
                else given
                for given in arguments
            )
            if isinstance(value, bytes)
        ]
        pointers = (ctypes.c_void_p * max(1, len(contents)))(*map(ctypes.addressof, contents))
        where = _in_three_dimensions(grid, group)
        address = ctypes.addressof(pointers)
        status = self._launch(kernel.function, *where, local_nbytes, stream, address, 0)
        if status:
            self._fail("launch", status)

    def _launch(self, *arguments: Any) -> Any:
        """Call `cuLaunchKernel`, again where memory is short; return its status."""
        self.launched += 1
        (status,) = self._cuda.cuLaunchKernel(*arguments)
        if status == OUT_OF_MEMORY:
            self.launched -= 1
            self.make_room()
            self.launched += 1
            (status,) = self._cuda.cuLaunchKernel(*arguments)
        if status:
            self.launched -= 1
        return status

    def allocate(self, nbytes: int) -> Block:
        """A buffer, its content undefined; MemoryError when there is no room for it."""
        nbytes = max(nbytes, 1)
        if self._used_nbytes + nbytes > self.limit_nbytes < self.used_nbytes() + nbytes:
            self._refuse(nbytes)
        try:
            buffer = self.take(nbytes)
        except MemoryError:
            self.make_room()
            try:
                buffer = self.take(nbytes)
            except MemoryError as error:
                self._refuse(nbytes, error)
        return self._count_block(buffer, nbytes)

    def _refuse(self, nbytes: int, cause: Exception | None = None) -> NoReturn:
        most = min(self.info.memory_nbytes, self.limit_nbytes)
        raise MemoryError(
            message(
                f"{self.info.backend}:{self.info.index}",
                f"no room for {nbytes:,} bytes",
                f"{self.used_nbytes():,} of {most:,} bytes are in use",
                "delete arrays that are no longer needed",
            )
        ) from cause

    def _count_block(self, block: Block, nbytes: int) -> Block:
        """The block, of which so many bytes are in use from now on."""
        block.counted_nbytes = nbytes
        self._used_nbytes += nbytes
        used = self.used_nbytes()
        if used > self._peak_nbytes:
            self._peak_nbytes = used
        return block

    def make_room(self) -> None:
        """Give memory that is held for reuse back, for whoever else asks the system for some."""
        self.synchronize()
        self.release_memory()

    def _with_room(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the driver's, again where memory is short; return its result."""
        answer = function(*arguments)
        if answer[0] == OUT_OF_MEMORY:
            self.make_room()
            answer = function(*arguments)
        return answer

    def upload(self, buffer: Block, offset_nbytes: int, data: Any, *, waits: bool = True) -> None:
        """Copy contiguous host data in; returns when `data` may be changed, if it `waits`."""
        nbytes, host, there = _ends(buffer, offset_nbytes, data)
        if nbytes:
            with self._copying("upload", buffer, None if waits else data) as stream:
                self.check("upload", self._cuda.cuMemcpyHtoDAsync(there, host, nbytes, stream))

    def download(self, buffer: Block, offset_nbytes: int, out: Any, *, waits: bool = True) -> None:
        """Copy into contiguous writable host memory; returns when it is there, if it `waits`."""
        nbytes, host, there = _ends(buffer, offset_nbytes, out)
        if nbytes and waits and self.is_plain() and self.is_current():
            stream = self.default_stream
            self.check("download", self._cuda.cuMemcpyDtoHAsync(host, there, nbytes, stream))
            self.check("download", self._cuda.cuStreamSynchronize(stream))
        elif nbytes:
            with self._copying("download", buffer, None if waits else out) as stream:
                self.check("download", self._cuda.cuMemcpyDtoHAsync(host, there, nbytes, stream))

    def pinned(self, nbytes: int) -> Any:
        """Page-locked memory of the host's, as an array of bytes."""
        free = self._cuda.cuMemFreeHost
        with self.context:
            status, address = self._cuda.cuMemHostAlloc(nbytes, 0)
        self.check("pinned", (status,))
        memory = (ctypes.c_uint8 * nbytes).from_address(int(address))
        weakref.finalize(memory, free, address)
        return numpy.ctypeslib.as_array(memory)

    def copy(
        self, source: Block, source_offset: int, target: Block, target_offset: int, nbytes: int
    ) -> None:
        """Copy on the device, or from another CUDA device, without waiting; regions may overlap."""
        if nbytes == 0:
            return
        if source is target and abs(source_offset - target_offset) < nbytes:
            between = self.allocate(nbytes)
            self.copy(source, source_offset, between, 0, nbytes)
            source, source_offset = between, 0
        begin, end = source.pointer + source_offset, target.pointer + target_offset
        giver = source.driver
        if giver.info.index == self.info.index:
            with self.context:
                stream = self.begin((source, target))
                self.check("copy", self._cuda.cuMemcpyDtoDAsync(end, begin, nbytes, stream))
                self.end(stream, (source, target))
            return
        last = giver.last_use(source)
        with self.context:
            self._let_peer_be_read(giver)
            stream = self.begin((target,))
            self._wait(stream, last)
            status = self._cuda.cuMemcpyPeerAsync(
                end, self._handle, begin, giver._handle, nbytes, stream
            )
            self.check("copy", status)
            self.end(stream, (target,))
            self.order_before(stream, source)

    def reaches(self, other: Driver) -> bool:
        """Whether `copy` takes the other driver's buffers as well."""
        return isinstance(other, CudaDriver)

    def exported(self, buffer: Block) -> tuple[bytes, int]:
        """A handle of the driver's, and the bytes between what it stands for and the buffer."""
        cuda = self._cuda
        with self.context:
            self.finish(self.last_use(buffer))
            begin, _ = checked(cuda.cuMemGetAddressRange(buffer.pointer))
            handle = checked(cuda.cuIpcGetMemHandle(begin))
        name = ctypes.string_at(int(handle.getPtr()), _HANDLE_NBYTES)
        return name, buffer.pointer - int(begin)

    def copy_exported(self, name: bytes, begin: int, target: Block, at: int, nbytes: int) -> None:
        """Copy from another process's memory, from card to card where there is a way."""
        cuda = self._cuda
        handle = cuda.CUipcMemHandle()
        ctypes.memmove(int(handle.getPtr()), name, _HANDLE_NBYTES)
        flag = cuda.CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
        with self._copying("copy", target, None) as stream:
            opened = checked(cuda.cuIpcOpenMemHandle(handle, flag))
            try:
                pointers = target.pointer + at, int(opened) + begin
                self.check("copy", cuda.cuMemcpyDtoDAsync(*pointers, nbytes, stream))
                self.check("copy", cuda.cuStreamSynchronize(stream))
            finally:
                cuda.cuIpcCloseMemHandle(opened)

    def accesses(self, other: Driver) -> bool:
        """Whether the device reads another one's memory by a way of their own."""
        if not isinstance(other, CudaDriver) or other.info.index == self.info.index:
            return isinstance(other, CudaDriver)
        cuda = self._cuda
        devices = _device(cuda, self.info.index), _device(cuda, other.info.index)
        return bool(checked(cuda.cuDeviceCanAccessPeer(*devices)))

    def graph(self, calls: Sequence[Call]) -> Callable[[], None]:
        """A function that repeats launches and copies by one call: a CUDA graph."""
        cuda = self._cuda
        blocks = list({id(block): block for call in calls for block in buffers_of(call)}.values())
        with self.context:
            stream = checked(cuda.cuStreamCreate(cuda.CUstream_flags.CU_STREAM_NON_BLOCKING))
            try:
                mode = cuda.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
                self.check("graph", cuda.cuStreamBeginCapture(stream, mode))
                try:
                    for name, arguments in calls:
                        self._put(stream, name, arguments)
                finally:
                    recorded = checked(cuda.cuStreamEndCapture(stream))
                ready = checked(cuda.cuGraphInstantiate(recorded, 0))
                self.check("graph", cuda.cuGraphDestroy(recorded))
            finally:
                cuda.cuStreamDestroy(stream)

        def launch() -> None:
            with self.context:
                stream = self.begin(blocks)
                self.check("graph", cuda.cuGraphLaunch(ready, stream))
                self.end(stream, blocks)

        kernels = [arguments[0] for name, arguments in calls if name != "copy"]
        weakref.finalize(launch, _destroyed, cuda.cuGraphExecDestroy, ready, kernels)
        return launch

    def _put(self, stream: Any, name: str, arguments: tuple[Any, ...]) -> None:
        """Put one call's work on a stream that records."""
        if name == "launch_with":
            self._put_with(stream, *arguments)
        elif name == "launch":
            kernel, grid = arguments[:2]
            if 0 not in grid:
                where = _in_three_dimensions(grid, arguments[2])
                address = kernel.filled(*arguments[3:5])
                status = self._launch(kernel.function, *where, 0, stream, address, 0)
                self.check("graph", (status,))
        else:
            source, begin, target, end, nbytes = arguments
            copy = self._cuda.cuMemcpyDtoDAsync
            places = target.pointer + end, source.pointer + begin
            self.check("graph", copy(*places, nbytes, stream))

    def map(self, buffer: Block) -> AbstractContextManager[Any]:
        """Refuse: the host does not see the device's memory, and there is no library."""
        raise RuntimeError(
            message("map(buffer)", f"{self.info.name} shares no memory with the host", "")
        )

    def address(self, buffer: Block) -> int:
        """The address of a buffer in the device's memory, as long as it exists."""
        return buffer.pointer

    def wrap(self, address: int, nbytes: int, owner: Any) -> Block:
        """A buffer in memory of the device that belongs to `owner`."""
        return Block(self, address, nbytes, owner)

    def synchronize(self) -> None:
        """Wait until everything asked so far is done, on all streams."""
        with self.context:
            self.check("synchronize", self._cuda.cuCtxSynchronize())
        self._under_way.clear()

    def memory_info(self) -> dict[str, int]:
        """The bytes there are, in live buffers, held for reuse, and the most ever live."""
        return {
            "total_nbytes": self.info.memory_nbytes,
            "free_nbytes": self.free_nbytes(),
            "used_nbytes": self.used_nbytes(),
            "held_nbytes": self.held_nbytes(),
            "peak_nbytes": self._peak_nbytes,
        }

    def free_nbytes(self) -> int:
        """The bytes of the device that nobody has."""
        with self.context:
            return int(checked(self._cuda.cuMemGetInfo())[0])

    def mark(self, *, timed: bool = False) -> Event:
        """An event at the end of what this thread's current stream was asked."""
        with self.context:
            return self._recorded(self.current_stream(), timed=timed)

    def wait(self, event: Event) -> None:
        """Let this thread's current stream wait for an event."""
        with self.context:
            stream = self.current_stream()
            self._wait(stream, event)

    def reached(self, event: Event) -> bool:
        """Whether all work before an event is done."""
        with self.context:
            (status,) = self._cuda.cuEventQuery(event.handle)
        if status == self._cuda.CUresult.CUDA_ERROR_NOT_READY:
            return False
        self.check("event", (status,))
        return True

    def finish(self, event: Event) -> None:
        """Wait on the host until all work before an event is done."""
        with self.context:
            self.check("event", self._cuda.cuEventSynchronize(event.handle))

    def elapsed(self, first: Event, last: Event) -> float:
        """The milliseconds between two timed events, both reached."""
        with self.context:
            return float(checked(self._cuda.cuEventElapsedTime(first.handle, last.handle)))

    def timer(self) -> Timer:
        """A timer of work, by two events each."""
        origin = self.mark(timed=True)
        self.finish(origin)
        begins = []
        for _ in range(MARKS):
            event = self.mark(timed=True)
            self.finish(event)
            begins.append(time.perf_counter() - self.elapsed(origin, event) * 1e-3)
        return functools.partial(self._timed, origin, min(begins))

    def _timed(self, origin: Event, origin_s: float, name: str, ask: Callable[[], Any]) -> Span:
        with self.context:
            last = Event(self._cuda, timed=True)
        first = self.mark(timed=True)
        if name == "launch":
            # Right before the launch and behind it, as the host takes longer than a small kernel.
            self._launch = functools.partial(  # type: ignore[method-assign]
                self._launched_between, self._launch, first, last
            )
        try:
            ask()
        finally:
            vars(self).pop("_launch", None)
        if name != "launch":
            last = self.mark(timed=True)

        def span() -> tuple[float, float]:
            self.finish(last)
            begin = origin_s + self.elapsed(origin, first) * 1e-3
            return begin, begin + self.elapsed(first, last) * 1e-3

        return span

    def _launched_between(
        self, launch: Callable[..., Any], first: Event, last: Event, *arguments: Any
    ) -> Any:
        """Launch by `_launch`, with an event before and one behind it."""
        stream = arguments[_STREAM]
        record = self._cuda.cuEventRecord
        with self.context:
            self.check("event", record(first.handle, stream))
            status = launch(*arguments)
            self.check("event", record(last.handle, stream))
        return status

    def device_of(self, pointer: int) -> int:
        """The number of the CUDA device that memory is on; ValueError where it is on none."""
        try:
            return self.ordinal(pointer)
        except RuntimeError as error:
            raise ValueError(
                message("asarray(a)", f"no CUDA device has memory at {pointer:#x}", str(error))
            ) from error

    def ordinal(self, pointer: int) -> int:
        """The number of the device that memory is on, as the driver says, or RuntimeError."""
        # Of cuda.bindings (13.3) the answer is 0 for every device, so the driver itself is asked.
        ordinal = ctypes.c_int()
        ask = ctypes.CDLL(_LIBRARY).cuPointerGetAttribute
        status = ask(ctypes.byref(ordinal), _DEVICE_ORDINAL, ctypes.c_uint64(pointer))
        checked((self._cuda.CUresult(status), None))
        return ordinal.value

    def last_use(self, block: Block) -> Event:
        """The end of what was last asked of a block."""
        # Here, as each device has a default stream of its own.
        with self.context:
            return block.event or self._recorded(self.default_stream)

    def order_after(self, stream: int, block: Block) -> None:
        """Let a stream of anybody's wait for what was last asked of a block."""
        with self.context:
            self._wait(stream, self.last_use(block))

    def order_before(self, stream: int, block: Block) -> None:
        """Let what is asked of a block wait for what was asked of a stream of anybody's."""
        with self.context:
            block.event = self._recorded(stream)
        CudaDriver.several = True

    def hold_default_stream(self, event: Event) -> None:
        """Let the default stream wait for an event; called wherever a block is dropped."""
        with self.context:
            self._cuda.cuStreamWaitEvent(self.default_stream, event.handle, 0)

    def is_plain(self) -> bool:
        """Whether the default stream is the current one, and no other one was ever seen."""
        return not CudaDriver.several and self.current_stream() == self.default_stream

    def is_current(self) -> bool:
        """Whether the device's context is the thread's, so that its default stream is meant."""
        return int(self._cuda.cuCtxGetCurrent()[1]) == self._context_number

    def begin(self, blocks: Sequence[Block]) -> int:
        """The current stream, after it was told to wait for what was last asked of blocks."""
        stream = self.current_stream()
        if stream != self.default_stream:
            CudaDriver.several = True
        if CudaDriver.several:
            on_default = None
            for block in blocks:
                event = block.event
                if event is not None:
                    self._wait(stream, event)
                elif stream != self.default_stream and on_default is None:
                    on_default = self._recorded(self.default_stream)
                    self._wait(stream, on_default)
        return stream

    def end(self, stream: int, blocks: Sequence[Block]) -> None:
        """Note where the last use of blocks ends, once it was asked for without an error."""
        if CudaDriver.several:
            event = None if stream == self.default_stream else self._recorded(stream)
            for block in blocks:
                block.event = event

    @contextmanager
    def _copying(self, what: str, block: Block, host: Any) -> Iterator[int]:
        """The current stream, in which a copy of a block is asked for.

        Waits for the copy, or keeps the host's memory that is given until it is done.
        """
        with self.context:
            stream = self.begin((block,))
            yield stream
            if host is None:
                self.check(what, self._cuda.cuStreamSynchronize(stream))
                return
            self.end(stream, (block,))
            while self._under_way and self.reached(self._under_way[0][0]):
                self._under_way.popleft()
            self._under_way.append((self._recorded(stream), host))

    def _recorded(self, stream: int, *, timed: bool = False) -> Event:
        event = Event(self._cuda, timed=timed)
        self.check("event", self._cuda.cuEventRecord(event.handle, stream))
        return event

    def _wait(self, stream: int, event: Event) -> None:
        self.check("wait", self._cuda.cuStreamWaitEvent(stream, event.handle, 0))

    def _let_peer_be_read(self, other: CudaDriver) -> None:
        """Open the direct way to another device's memory, where there is one."""
        index = other.info.index
        if index not in self._peers:
            cuda = self._cuda
            self._peers[index] = self.accesses(other)
            if self._peers[index]:
                (status,) = cuda.cuCtxEnablePeerAccess(other._handle, 0)
                if status != cuda.CUresult.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED:
                    self.check("peer access", (status,))

    def check(self, what: str, answer: tuple[Any, ...]) -> None:
        """Raise what a status that is an error says."""
        if answer[0]:
            self._fail(what, answer[0])

    def _fail(self, what: str, status: Any) -> NoReturn:
        """Raise the exception of Python's that says what the driver's says."""
        text = message(
            f"{self.info.backend}:{self.info.index}",
            f"{what}: {self.info.name} failed: {_name_of(status)}",
            "",
        )
        if status == OUT_OF_MEMORY:
            raise MemoryError(text)
        raise DeviceError(text, int(status), _name_of(status))


def _in_three_dimensions(grid: tuple[int, ...], group: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers of a launch's groups and items."""
    if len(grid) == 1:
        return (grid[0], 1, 1, group[0], 1, 1)
    return (*(*grid, 1, 1)[:3], *(*group, 1, 1)[:3])


def _which(name: str) -> Any:
    attributes = _bindings("driver").CUfunction_attribute
    return getattr(attributes, f"CU_FUNC_ATTRIBUTE_{name.upper()}")


def _destroyed(destroy: Callable[[Any], Any], ready: Any, _kernels: list[Kernel]) -> None:
    """Destroy a graph, whose kernels were kept until now."""
    destroy(ready)


def _ends(buffer: Block, offset_nbytes: int, host: Any) -> tuple[int, int, int]:
    """The bytes of host memory, its address, and the device's where they go or come from."""
    if type(host) is numpy.ndarray:
        return host.nbytes, host.ctypes.data, buffer.pointer + offset_nbytes
    view = memoryview(host)
    address = numpy.frombuffer(view, numpy.uint8).ctypes.data if view.nbytes else 0
    return view.nbytes, address, buffer.pointer + offset_nbytes


def _device(cuda: Any, index: int) -> Any:
    return checked(cuda.cuDeviceGet(index))


@memo
def _bindings(name: str) -> Any:
    return importlib.import_module(f"cuda.bindings.{name}")


def checked(answer: tuple[Any, ...]) -> Any:
    """The results of a call of the CUDA bindings besides its status."""
    status, *values = answer
    if status:
        raise RuntimeError(_name_of(status))
    return values[0] if len(values) == 1 else tuple(values)


def _name_of(status: Any) -> str:
    return str(getattr(status, "name", status))


_opened: weakref.WeakSet[CudaDriver] = weakref.WeakSet()


def _let_blocks_go() -> None:
    """Keep blocks that are dropped from now on from asking anything of the driver."""
    for driver in _opened:
        driver.hold_default_stream = lambda event: None  # type: ignore[method-assign]


def _after_fork() -> None:
    _let_blocks_go()
    for driver in _opened:
        refuse_after_fork(driver, "CUDA")


# At the end everything is garbage at once, and events are destroyed before blocks are dropped.
atexit.register(_let_blocks_go)

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
