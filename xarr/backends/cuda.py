"""The driver that backends on CUDA share: how a device opens, launches, and records graphs.

Its base classes have kernels, memory, and streams. A backend adds who owns memory and streams. Both
load the same cubin: CuPy would compile with `-ftz=true`, and Numba through its own compiler. Knows
bytes and pointers; never shapes, dtypes or operations.
"""

from __future__ import annotations

import atexit
import ctypes
import math
import os
import struct
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

from xarr.backends.base import (
    Asked,
    Call,
    DeviceInfo,
    Place,
    Together,
    buffers_of,
    forked,
    refuse_after_fork,
)
from xarr.backends.cuda_bindings import OUT_OF_MEMORY, bindings, checked, device_handle
from xarr.backends.cuda_graphs import CallGraph, LaunchGraph
from xarr.backends.cuda_kernels import Kernel, Kernels, in_three_dimensions
from xarr.backends.cuda_launch import DriverCalls, is_compiled
from xarr.backends.cuda_pool import Pool
from xarr.backends.cuda_streams import Block, Context, Event

_NOT_INITIALIZED: Final = 3


class CudaDriver(Kernels):
    """One CUDA device, opened. What allocates and which stream is current, a subclass says."""

    launched = 0
    is_sequenced = True

    def __init__(self, info: DeviceInfo) -> None:
        self.info = info
        self._cuda = cuda = self.driver_functions()
        (status,) = cuda.cuInit(0)
        if status == _NOT_INITIALIZED:
            raise forked("CUDA")
        checked((status,))
        self._handle = checked(cuda.cuDevicePrimaryCtxRetain(device_handle(cuda, info.index)))
        self.context = Context(cuda, self._handle)
        self._context_number = int(self._handle)
        if is_compiled:
            self._calls = self.driver_calls()
        self._peers: dict[int, bool] = {}
        self._pool = Pool(self)
        self.freed_nbytes = self._pool.freed
        # The events of blocks live here, not in the blocks: the garbage collector destroys an event
        # before the `__del__` of a block that dies with it, which hands the event on.
        self.last_uses: dict[int, Event] = {}
        self._under_way: deque[tuple[Event, Any]] = deque()  # copies, and the host's memory
        _opened.add(self)

    def driver_functions(self) -> Any:
        """The functions of the CUDA driver, by its names."""
        return bindings("driver")

    def driver_calls(self) -> DriverCalls | None:
        """The driver's functions that compiled code calls without the bindings."""
        return DriverCalls(self.library, self._context_number)

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
        calls, stream = self._calls, self.default_stream
        if calls is not None and self.is_plain():
            # Mostly the context is the thread's already; in any other one a launch is refused.
            self.launched += 1
            if not calls.launch(kernel.address, grid, group, buffers, arguments, stream):
                return
            self.launched -= 1
        where = in_three_dimensions(grid, group)
        address = kernel.filled(buffers, arguments)
        with self.context:
            stream = self.begin(buffers)
            status = self._launch(kernel.function, *where, 0, stream, address, 0)
            if status:
                self._fail("launch", status)
            self.end(stream, buffers)

    def sequence(self, asked: Sequence[Asked | Callable[[], None]]) -> Together | None:
        """An object that asks for such launches by one call; None where that is impossible."""
        launches = [one for one in asked if not callable(one)]
        if not asked or any(0 in grid for _, (grid, _), *_ in launches):
            return None
        if len(launches) < len(asked) and not self.is_plain():
            return None
        with self.context:
            try:
                return LaunchGraph(self, asked)
            except (AttributeError, MemoryError, OSError, RuntimeError):  # one by one, then
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

    def launch_at(
        self,
        kernel: Kernel,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        places: int,
        local_nbytes: int,
    ) -> bool:
        """Run a program's own kernel on the default stream, if that is the current one."""
        calls = self._calls
        if calls is None or not self.is_plain():
            return False
        self.launched += 1
        given = kernel.address, grid, group, places, local_nbytes, self.default_stream
        if not calls.launch_at(*given):
            return True
        self.launched -= 1
        return False

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
        where = in_three_dimensions(grid, group)
        address = ctypes.addressof(pointers)
        if kernel.attributes:
            self.launched += 1
            status = kernel.launch_together(self._cuda, where, local_nbytes, stream, address)
            self.launched -= bool(status)
        else:
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

    def graph(
        self, calls: Sequence[Call], before: Callable[[], None] | None = None
    ) -> Callable[[], None]:
        """A function that repeats launches and copies by one call: a CUDA graph."""
        cuda = self._cuda
        kernels = [arguments[0] for name, arguments in calls if name != "copy"]
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
            finally:
                cuda.cuStreamDestroy(stream)
            try:
                if isinstance(before, CallGraph) and before.update(recorded, blocks, kernels):
                    return before
                ready = checked(cuda.cuGraphInstantiate(recorded, 0))
            finally:
                cuda.cuGraphDestroy(recorded)
        return CallGraph(self, ready, blocks, kernels)

    def _put(self, stream: Any, name: str, arguments: tuple[Any, ...]) -> None:
        """Put one call's work on a stream that records."""
        if name == "launch_with":
            self._put_with(stream, *arguments)
        elif name == "launch":
            kernel, grid = arguments[:2]
            if 0 not in grid:
                where = in_three_dimensions(grid, arguments[2])
                address = kernel.filled(*arguments[3:5])
                status = self._launch(kernel.function, *where, 0, stream, address, 0)
                self.check("graph", (status,))
        else:
            source, begin, target, end, nbytes = arguments
            copy = self._cuda.cuMemcpyDtoDAsync
            places = target.pointer + end, source.pointer + begin
            self.check("graph", copy(*places, nbytes, stream))


_opened: weakref.WeakSet[CudaDriver] = weakref.WeakSet()


def _let_blocks_go() -> None:
    """Keep blocks and memory that are dropped from now on from asking anything of the driver."""
    for driver in _opened:
        vars(driver).update(hold_default_stream=lambda event: None, free=lambda pointer: None)


def _after_fork() -> None:
    _let_blocks_go()
    for driver in _opened:
        refuse_after_fork(driver, "CUDA")


# At the end everything is garbage at once, and events are destroyed before blocks are dropped.
atexit.register(_let_blocks_go)

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
