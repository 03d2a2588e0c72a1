"""The driver of an OpenCL device of any vendor, through PyOpenCL: how it opens, and launches.

Its base classes have programs, memory, and queues. Knows bytes; never shapes, dtypes or operations.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import math
import os
import platform
import threading
import weakref
from collections import deque
from collections.abc import Sequence
from typing import Any

from xarr import tuning
from xarr.backends import pocl
from xarr.backends.base import RUSTICL, DeviceInfo, Place, refuse_after_fork
from xarr.backends.opencl_loader import (
    POCL,
    base_options,
    direct_functions,
    has_fast_launch,
    is_discovered_here,
    public_transfers,
)
from xarr.backends.opencl_memory import Memory
from xarr.backends.opencl_programs import QUIET, Kernel, Programs
from xarr.errors import message

_X86 = ("x86_64", "AMD64")


class OpenCLDriver(Programs, Memory):
    """One OpenCL device, opened: a context, in-order queues and a pool of memory."""

    def __init__(self, info: DeviceInfo, device: Any, inline: Any = None) -> None:
        import pyopencl  # as `discover` imported it

        cl: Any = pyopencl
        self._fast = has_fast_launch(cl)
        if not self._fast:
            inline = None
        devices = [device] if inline is None else [device, inline]
        self.info = info
        self._cl = cl
        self._device = device
        if info.platform == POCL:
            # PoCL would compile each kernel twice: once for the binary, once more, specialised to
            # the grid, at its first launch in each new cache (30 ms a kernel). No faster kernel
            # came of it. It reads this once, in its own thread, so it stays set.
            os.environ.setdefault("POCL_WORK_GROUP_SPECIALIZATION", "0")
            for one in devices:
                pocl.name_processor(one)
        try:
            self._context = cl.Context(devices)
            self._queue = self.create_stream()
            self._inline: Any = None if inline is None else cl.CommandQueue(self._context, inline)
            # It asks its queue to place each new block, and no other may have anything to do.
            allocator = cl.tools.ImmediateAllocator(self._inline or self._queue)
            self._pool = cl.tools.MemoryPool(allocator)
        except cl.Error as error:
            raise RuntimeError(
                message(f"{info.backend}:{info.index}", f"{info.name} does not open", str(error))
            ) from error
        self._options = base_options(cl, device)
        self._is_rusticl = info.platform == RUSTICL
        self._skips_declarations = info.platform == POCL and platform.machine() in _X86
        self._quiet = (QUIET,) * (info.platform == POCL)
        self._streams = threading.local()
        self._several = False  # whether a stream beside the default one has been current
        self._last: dict[int, Any] = {}
        self._is_idle = inline is not None
        self._small = tuning.SMALL_WORK
        self._labels = tuple([pocl.label(one) for one in devices])
        self._peak_nbytes = 0
        self._few = memoryview(bytearray(16))  # a number
        self._compiled: tuple[bytes, Any] | None = None
        self._direct = direct_functions(cl)
        self._launches = 0
        self._copy = cl.enqueue_copy
        self._under_way: deque[tuple[Any, Any]] = deque()  # transfers, and the host's memory
        if self._fast:
            self._enqueue = cl._cl.enqueue_nd_range_kernel
            self._read = cl._cl._enqueue_read_buffer
            self._write = cl._cl._enqueue_write_buffer
        else:
            self._read, self._write = public_transfers(cl)
            self.launch = self._launch_publicly  # type: ignore[method-assign]
        _opened.add(self)

    def launch(
        self,
        kernel: Kernel,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        buffers: Sequence[Any],
        arguments: bytes,
        work: float = math.inf,
    ) -> None:
        """Run `grid` groups of `group` items, without waiting."""
        if 0 in grid:
            self.launched += 1
            return
        launched = self.launched
        count = len(buffers)
        while 2 * count > len(_NUMBERED):  # NVIDIA's kernels take 4,000 arrays
            _NUMBERED.extend((len(_NUMBERED) // 2, None))
        numbered = _NUMBERED[: 2 * count]
        numbered[1::2] = buffers
        try:
            queue, handle = self._inline, None
            if (work <= self._small or self._is_light(work, buffers)) and self._is_free():
                handle = kernel.inline or self._inline_handle(kernel)
            if handle is None:
                self._is_idle = False
                queue = self._queue_behind(buffers) if self._several else self._queue
                handle = kernel.queued or self._queued_handle(kernel)
            _, loaded, set_buffers, set_struct = handle
            if buffers:
                set_buffers(tuple(numbered))
            if arguments:
                set_struct((count, arguments))
            # Positional: keyword arguments cost 0.7 us more. The last two say that the grid
            # counts groups, and that an empty grid is not allowed.
            self.launched += 1
            self._enqueue(queue, loaded, grid, group, None, None, True, False)
        except self._cl.Error as error:
            self.launched = launched
            self._fail("launch", error)
        self._launches += 1
        if self._launches >= tuning.LAUNCHES_PER_FLUSH:
            self._launches = 0
            queue.flush()

    def _is_light(self, work: float, buffers: Sequence[Any]) -> bool:
        """Return whether more than small work is still done sooner by the caller's thread."""
        if self._inline is None or work > 8 * self._small:
            return False
        nbytes: int = sum([buffer.size for buffer in buffers])
        return work <= 8 * nbytes and nbytes <= tuning.LIGHT_NBYTES

    def _launch_publicly(
        self,
        kernel: Kernel,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        buffers: Sequence[Any],
        arguments: bytes,
        work: float = math.inf,
    ) -> None:
        """`launch` in PyOpenCL's public names only, several times slower."""
        if 0 in grid:
            self.launched += 1
            return
        launched = self.launched
        try:
            assert kernel.queued is not None
            handle = kernel.queued.kernel
            for index, buffer in enumerate(buffers):
                handle.set_arg(index, buffer)
            if arguments:
                handle.set_arg(len(buffers), arguments)
            items = tuple(g * n for g, n in zip(grid, group, strict=True))
            queue = self._queue_behind(buffers)
            self.launched += 1
            self._cl.enqueue_nd_range_kernel(queue, handle, items, group)
        except self._cl.Error as error:
            self.launched = launched
            self._fail("launch", error)

    def device_attributes(self) -> dict[str, Any]:
        """Return what PyOpenCL reads of the device, by the names of `device_info`, and CUDA's."""
        found = super().device_attributes()
        for name in dir(self._cl.device_info):
            if name.isupper():
                # An extension that the driver lacks is no `cl.Error` for all of them.
                with contextlib.suppress(self._cl.Error, AttributeError, ValueError):
                    found[name.lower()] = getattr(self._device, name.lower())
        return found

    def launch_with(
        self,
        kernel: Kernel,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        arguments: Sequence[Place | bytes | int],
        local_nbytes: int,
    ) -> None:
        """Run a program's own kernel, whose parameters are in any order."""
        cl = self._cl
        buffers = [given.buffer for given in arguments if isinstance(given, Place)]
        launched = self.launched
        try:
            handle = (kernel.queued or self._queued_handle(kernel)).kernel
            for index, given in enumerate(arguments):
                if isinstance(given, Place):
                    handle.set_arg(index, given.buffer)
                elif isinstance(given, bytes):
                    handle.set_arg(index, given)
                else:
                    handle.set_arg(index, cl.LocalMemory(given))
            self._is_idle = False
            queue = self._queue_behind(buffers)
            self.launched += 1
            if self._fast:
                self._enqueue(queue, handle, grid, group, None, None, True, False)
            else:
                items = tuple(g * n for g, n in zip(grid, group, strict=True))
                cl.enqueue_nd_range_kernel(queue, handle, items, group)
        except cl.Error as error:
            self.launched = launched
            self._fail("launch", error)


_NUMBERED: list[Any] = [*itertools.chain.from_iterable((number, None) for number in range(128))]
"""The numbers of arguments, each with a place for the argument."""
_opened: weakref.WeakSet[OpenCLDriver] = weakref.WeakSet()


@atexit.register
def _finish() -> None:
    """Wait for what still runs: a driver that is unloaded under its own kernels crashes."""
    if is_discovered_here():
        for driver in _opened:
            with contextlib.suppress(Exception):
                driver.synchronize()


def _after_fork() -> None:
    for driver in _opened:
        refuse_after_fork(driver, "OpenCL")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_finish, after_in_child=_after_fork)
