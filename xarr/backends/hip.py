"""AMD GPUs through CuPy for ROCm: the CuPy backend without anything of CUDA's.

CuPy's runtime stands for the driver's functions, and `cupy.RawModule` for NVRTC: it has HIP's
compiler compile the same source.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any, Final

import numpy

from xarr.backends import cuda_streams
from xarr.backends.base import DeviceInfo, Driver, Place
from xarr.backends.cupy import CupyDriver
from xarr.errors import CompileError, message

OPTIONS: Final = ("-ffp-contract=off", "-fno-gpu-flush-denormals-to-zero")
"""The numerics policy: no contraction, denormals kept; division and root are correctly rounded."""

_ARGUMENTS_NBYTES: Final = 4096
_PEER_ACCESS_ALREADY_ENABLED: Final = 704
"""The runtime's status, CUDA's and ROCm's."""


class Runtime:
    """The functions of the driver that `CudaDriver` calls, as CuPy's runtime has them.

    Each returns a tuple that begins with the status 0, as the bindings of CUDA do; CuPy raises its
    own exception, a RuntimeError, for any other.
    """

    class CUevent_flags:  # noqa: N801 - the driver's name
        """The flags of events."""

        CU_EVENT_DEFAULT = 0
        CU_EVENT_BLOCKING_SYNC = 1
        CU_EVENT_DISABLE_TIMING = 2

    class CUresult:
        """Statuses that are asked for by name, but that CuPy raises."""

        CUDA_ERROR_NOT_READY = -2
        CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = -3

    def __init__(self, runtime: Any) -> None:
        self._runtime = runtime
        self._thread = threading.local()

    # Each is the driver's function of the same name; a context is a device's number.

    def cuInit(self, flags: int) -> tuple[int]:  # noqa: N802, D102
        return (0,)

    def cuDeviceGet(self, index: int) -> tuple[int, int]:  # noqa: N802, D102
        return 0, index

    def cuDevicePrimaryCtxRetain(self, device: int) -> tuple[int, int]:  # noqa: N802, D102
        return 0, device

    def cuCtxPushCurrent(self, context: int) -> tuple[int]:  # noqa: N802, D102
        self._thread.before = [*getattr(self._thread, "before", ()), self._runtime.getDevice()]
        self._runtime.setDevice(context)
        return (0,)

    def cuCtxPopCurrent(self) -> tuple[int]:  # noqa: N802, D102
        self._runtime.setDevice(self._thread.before.pop())
        return (0,)

    def cuCtxGetCurrent(self) -> tuple[int, int]:  # noqa: N802, D102
        return 0, self._runtime.getDevice()

    def cuCtxSynchronize(self) -> tuple[int]:  # noqa: N802, D102
        self._runtime.deviceSynchronize()
        return (0,)

    def cuStreamSynchronize(self, stream: int) -> tuple[int]:  # noqa: N802, D102
        self._runtime.streamSynchronize(stream)
        return (0,)

    def cuStreamQuery(self, stream: int) -> tuple[int]:  # noqa: N802, D102
        return (self._runtime.streamQuery(stream) and self.CUresult.CUDA_ERROR_NOT_READY,)

    def cuStreamWaitEvent(self, stream: int, event: int, flags: int) -> tuple[int]:  # noqa: N802, D102
        self._runtime.streamWaitEvent(stream, event, flags)
        return (0,)

    def cuEventCreate(self, flags: int) -> tuple[int, int]:  # noqa: N802, D102
        return 0, self._runtime.eventCreateWithFlags(flags)

    def cuEventDestroy(self, event: int) -> tuple[int]:  # noqa: N802, D102
        self._runtime.eventDestroy(event)
        return (0,)

    def cuEventRecord(self, event: int, stream: int) -> tuple[int]:  # noqa: N802, D102
        self._runtime.eventRecord(event, stream)
        return (0,)

    def cuEventQuery(self, event: int) -> tuple[int]:  # noqa: N802, D102
        return (self._runtime.eventQuery(event) and self.CUresult.CUDA_ERROR_NOT_READY,)

    def cuEventSynchronize(self, event: int) -> tuple[int]:  # noqa: N802, D102
        self._runtime.eventSynchronize(event)
        return (0,)

    def cuEventElapsedTime(self, first: int, last: int) -> tuple[int, float]:  # noqa: N802, D102
        return 0, self._runtime.eventElapsedTime(first, last)

    def cuMemcpyHtoDAsync(self, to: int, of: int, nbytes: int, stream: int) -> tuple[int]:  # noqa: N802, D102
        return self._copy(to, of, nbytes, self._runtime.memcpyHostToDevice, stream)

    def cuMemcpyDtoHAsync(self, to: int, of: int, nbytes: int, stream: int) -> tuple[int]:  # noqa: N802, D102
        return self._copy(to, of, nbytes, self._runtime.memcpyDeviceToHost, stream)

    def cuMemcpyDtoDAsync(self, to: int, of: int, nbytes: int, stream: int) -> tuple[int]:  # noqa: N802, D102
        return self._copy(to, of, nbytes, self._runtime.memcpyDeviceToDevice, stream)

    def cuMemcpyPeerAsync(  # noqa: N802, D102
        self, to: int, to_context: int, of: int, of_context: int, nbytes: int, stream: int
    ) -> tuple[int]:
        self._runtime.memcpyPeerAsync(to, to_context, of, of_context, nbytes, stream)
        return (0,)

    def cuDeviceCanAccessPeer(self, device: int, other: int) -> tuple[int, int]:  # noqa: N802, D102
        return 0, self._runtime.deviceCanAccessPeer(device, other)

    def cuCtxEnablePeerAccess(self, context: int, flags: int) -> tuple[int]:  # noqa: N802, D102
        try:
            self._runtime.deviceEnablePeerAccess(context)
        except self._runtime.CUDARuntimeError as error:
            if error.status != _PEER_ACCESS_ALREADY_ENABLED:
                raise
            return (self.CUresult.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,)
        return (0,)

    def _copy(self, to: int, of: int, nbytes: int, kind: int, stream: int) -> tuple[int]:
        self._runtime.memcpyAsync(to, of, nbytes, kind, stream)
        return (0,)


class HipDriver(CupyDriver):
    """One device, of which CuPy is all that is known: its runtime, its compiler, its launch."""

    options = OPTIONS
    default_stream = 0

    def driver_calls(self) -> None:
        """None: CuPy's runtime launches, copies and waits."""

    def driver_functions(self) -> Any:
        """CuPy's runtime in the place of the driver."""
        return Runtime(self._cupy.cuda.runtime)

    def ordinal(self, pointer: int) -> int:
        """The number of the device that memory is on, as the runtime says, or RuntimeError."""
        return int(self._cupy.cuda.runtime.pointerGetAttributes(pointer).device)

    def compile(self, source: str, options: tuple[str, ...] = ()) -> bytes:
        """Compile, for the errors; what `load` takes is the source, as CuPy keeps its binary."""
        self._module(source.encode(), options)
        return source.encode()

    # CuPy's runtime for ROCm tells nothing of modules and kernels, and records no graphs. Memory of
    # other processes was not tried.
    exports = False
    exported = Driver.exported
    copy_exported = Driver.copy_exported
    open_exported = Driver.open_exported
    device_attributes = Driver.device_attributes
    occupancy = Driver.occupancy
    suggested_group = Driver.suggested_group
    cooperating = Driver.cooperating
    call = Driver.call
    compile_own = Driver.compile_own
    load_beside = Driver.load_beside
    variable = Driver.variable
    attributes = Driver.attributes
    set_attribute = Driver.set_attribute
    graph = Driver.graph
    sequence = Driver.sequence
    is_sequenced = False

    def load(self, binary: bytes, name: str) -> Any:
        """The kernel `name` of a source; ValueError when it is none."""
        try:
            return self._module(binary).get_function(name)
        except (CompileError, RuntimeError, UnicodeDecodeError) as error:
            raise ValueError(
                message(
                    "load(binary, name)",
                    f"{self.info.name} refuses the binary of kernel {name!r}: {error}",
                    "binary must come from compile()",
                    "compile it anew",
                )
            ) from error

    def create_stream(self, priority: int = 0) -> Any:
        """A stream of CuPy's, which does not wait for the default one; all have one priority."""
        with self._device:
            return self._cupy.cuda.Stream(non_blocking=True)

    def priority(self, stream: Any) -> int:
        """0: CuPy's runtime has no priorities."""
        return 0

    def pinned(self, nbytes: int) -> Any:
        """Page-locked memory of the host's, as an array of bytes."""
        memory = self._cupy.cuda.alloc_pinned_memory(nbytes)
        return numpy.frombuffer(memory, numpy.uint8, nbytes)

    def free_nbytes(self) -> int:
        """The bytes of the device that nobody has."""
        with self._device:
            return int(self._cupy.cuda.runtime.memGetInfo()[0])

    def launch(
        self,
        kernel: Any,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        buffers: Sequence[cuda_streams.Block],
        arguments: bytes,
        work: float = math.inf,
    ) -> None:
        """Run `grid` groups of `group` items, without waiting."""
        if 0 in grid:
            self.launched += 1
            return
        values: list[Any] = [buffer.pointer for buffer in buffers]
        if arguments:
            values.append(numpy.frombuffer(arguments, f"V{len(arguments)}")[0])
        with self._device, self.context:
            stream = self.begin(buffers)
            self.launched += 1
            try:
                kernel(grid, group, tuple(values))
            except BaseException:
                self.launched -= 1
                raise
            self.end(stream, buffers)

    def launch_with(
        self,
        kernel: Any,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        arguments: Sequence[Place | bytes | int],
        local_nbytes: int,
    ) -> None:
        """Run a program's own kernel, whose parameters are in any order."""
        blocks = [given.buffer for given in arguments if isinstance(given, Place)]
        values = [
            given.buffer.pointer + given.offset_nbytes
            if isinstance(given, Place)
            else numpy.frombuffer(given, f"V{len(given)}")[0]
            for given in arguments
            if not isinstance(given, int)
        ]
        with self._device, self.context:
            stream = self.begin(blocks)
            self.launched += 1
            try:
                kernel(grid, group, tuple(values), shared_mem=local_nbytes)
            except BaseException:
                self.launched -= 1
                raise
            self.end(stream, blocks)

    def _module(self, source: bytes, options: tuple[str, ...] = ()) -> Any:
        options = (*self.options, *options)
        with self._device:
            module = self._cupy.RawModule(code=source.decode(), options=options)
            try:
                module.compile()
            except self._cupy.cuda.compiler.CompileException as error:
                raise CompileError(
                    device=f"{self.info.backend}:{self.info.index} ({self.info.name})",
                    options=options,
                    log=error.get_message(),
                    source=source.decode(),
                ) from error
        return module


def describe(runtime: Any, index: int) -> DeviceInfo:
    """The facts that CuPy's runtime has of a device of ROCm's."""
    found = runtime.getDeviceProperties(index)
    arch = found.get("gcnArchName", b"").decode() or f"{found['major']}{found['minor']}"
    return DeviceInfo(
        backend="cupy",
        index=index,
        name=found["name"].decode(),
        vendor="Advanced Micro Devices, Inc.",
        platform="ROCm",
        driver_version=str(runtime.driverGetVersion()),
        kind="gpu",
        dialect="cuda",
        memory_nbytes=int(found["totalGlobalMem"]),
        has_float64=True,
        compute_units=int(found["multiProcessorCount"]),
        group_size=int(found["maxThreadsPerBlock"]),
        local_nbytes=int(found["sharedMemPerBlock"]),
        parameter_nbytes=_ARGUMENTS_NBYTES,
        shares_host_memory=False,
        subgroup_size=int(found["warpSize"]),
        target="\n".join(("hip", arch, str(runtime.runtimeGetVersion()), *OPTIONS)),
    )
