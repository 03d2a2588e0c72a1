"""OpenCL devices of any vendor, through PyOpenCL.

Knows platforms, queues, programs and bytes; never shapes, dtypes or operations. PyOpenCL is
imported at first use, so that importing xarr needs no driver.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import hashlib
import itertools
import math
import os
import platform
import shutil
import struct
import sys
import tempfile
import threading
import time
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, NoReturn

import numpy

from xarr import tuning
from xarr.backends import pocl, processor
from xarr.backends.base import (
    ATTRIBUTES,
    MARKS,
    RUSTICL,
    DeviceInfo,
    Discovery,
    Driver,
    Found,
    Place,
    Span,
    Timer,
    forked,
    refuse_after_fork,
    timed_by_host,
)
from xarr.errors import CompileError, DeviceError, message
from xarr.memo import memo
from xarr.settings import settings

_INSTALL = 'pip install "pyopencl[pocl]"'
_SPIRV: Final = (0x07230203).to_bytes(4, "little")
"""The first bytes of SPIR-V."""
_SEAL_NBYTES = hashlib.sha256().digest_size
_POCL = "Portable Computing Language"
_X86 = ("x86_64", "AMD64")
_SYSTEM = Path("/etc/OpenCL/vendors")
# PoCL would read 17,000 lines of declarations for each kernel, which takes it 80 ms. A source that
# has the word declares itself what it needs, if asked to; see kernels/opencl.h.
_DECLARES = "XR_DECLARES"
_WITHOUT_DECLARATIONS = ("-D_OPENCL_H_", f"-D{_DECLARES}")
# The clang in PoCL writes "2 warnings generated." to the process's standard error, beside the log
# that has them. PoCL refuses the option that ends this, unless it is part of a definition: PoCL
# divides options at spaces, and then clang at tabs too.
_QUIET = "-DXR_QUIET\t-fno-caret-diagnostics"


class Handle(NamedTuple):
    """A kernel of a program that was loaded for one device, and the calls that set arguments."""

    program: Any
    kernel: Any
    set_buffers: Any
    set_struct: Any


class Kernel:
    """A kernel's handles: for the device, and for the one that runs in the caller's thread.

    A process ends when a device is given a program that was loaded for another. So each has its
    own, which is loaded when it is first wanted.
    """

    __slots__ = ("inline", "name", "queued")

    def __init__(self, name: str, queued: Handle | None, inline: Handle | None) -> None:
        self.name = name
        self.queued = queued
        self.inline = inline


class Event(NamedTuple):
    """A point in the work of a queue, and its time where the host noted it."""

    handle: Any
    seconds: float | None


_memory: Final = ctypes.pythonapi.PyMemoryView_FromMemory
"""A view of so many bytes at an address; an array of ctypes' has a type for each number of them."""
_memory.argtypes = (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int)
_memory.restype = ctypes.py_object
_WRITABLE: Final = 0x200
"""PyBUF_WRITE."""

_ASKING: Final = ("_enqueue", "_copy", "_read", "_write")
"""The attributes of a driver that put work on a queue and return an event."""
_BINARY_SIZES: Final = 0x1165
_BINARIES: Final = 0x1166
"""CL_PROGRAM_BINARY_SIZES and CL_PROGRAM_BINARIES."""


class OpenCLDriver(Driver):
    """One OpenCL device, opened: a context, in-order queues and a pool of memory.

    A stream is a queue. Buffers that were last used by another than the default queue stand in
    `_last`, under their handles: a buffer that the pool gives out again is still the one that was.

    `inline` is a second device with the same memory, which runs in the caller's thread. Small work
    goes there as long as no queue has anything to do, which is while `_is_idle`. What is asked of
    it is done when the call returns.
    """

    def __init__(self, info: DeviceInfo, device: Any, inline: Any = None) -> None:
        cl = _pyopencl()
        self._fast = _has_fast_launch(cl)
        if not self._fast:
            inline = None
        devices = [device] if inline is None else [device, inline]
        self.info = info
        self._cl = cl
        self._device = device
        if info.platform == _POCL:
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
        self._options = _base_options(cl, device)
        self._is_rusticl = info.platform == RUSTICL
        self._skips_declarations = info.platform == _POCL and platform.machine() in _X86
        self._quiet = (_QUIET,) * (info.platform == _POCL)
        self._streams = threading.local()
        self._several = False  # whether a stream beside the default one has been current
        self._last: dict[int, Any] = {}
        self._is_idle = inline is not None
        self._small = tuning.SMALL_WORK
        self._labels = tuple([pocl.label(one) for one in devices])
        self._peak_nbytes = 0
        self._compiled: tuple[bytes, Any] | None = None
        self._direct = _direct(cl)
        self._launches = 0
        self._copy = cl.enqueue_copy
        self._under_way: deque[tuple[Any, Any]] = deque()  # transfers, and the host's memory
        if self._fast:
            self._enqueue = cl._cl.enqueue_nd_range_kernel
            self._read = cl._cl._enqueue_read_buffer
            self._write = cl._cl._enqueue_write_buffer
        else:
            self._read, self._write = _public_transfers(cl)
            self.launch = self._launch_publicly  # type: ignore[method-assign]
        _opened.add(self)

    def compile(self, source: str, options: tuple[str, ...] = ()) -> bytes:
        """Compile to a binary that `load` takes, in any process; raises `CompileError`."""
        return self.compile_own(source, options, ())[0]

    def compile_own(
        self, source: str, options: tuple[str, ...], names: Sequence[str]
    ) -> tuple[bytes, str]:
        """Compile a program's own source, with what the compiler says of it."""
        options = (*self._options, *options)
        if not (self._skips_declarations and _DECLARES in source):
            return self._built(source, options)
        try:
            return self._built(source, (*_WITHOUT_DECLARATIONS, *options))
        except CompileError:
            # An error of the source comes again; else this PoCL goes another way.
            built = self._built(source, options)
            self._skips_declarations = False
            return built

    def _built(self, source: str, options: tuple[str, ...]) -> tuple[bytes, str]:
        cl = self._cl
        program = None
        try:
            program = cl._cl._Program(self._context, source)
            program._build(" ".join((*self._quiet, *options)).encode(), [self._device])
            binary = self._binary_of(program)
        except cl.Error as error:
            log = str(error)
            if program is not None:
                with contextlib.suppress(cl.Error):
                    log = program.get_build_info(self._device, cl.program_build_info.LOG) or log
            is_refused = error.code == cl.status_code.INVALID_BUILD_OPTIONS
        else:
            binary = self._seal(binary) + binary
            # The binary is loaded next: keep the program, so that it is not built a second time.
            self._compiled = (binary, program)
            return binary, program.get_build_info(self._device, cl.program_build_info.LOG)
        if is_refused and self._quiet:  # by a PoCL of another version, or the program's own options
            self._quiet = ()
            return self._built(source, options)
        # Not where PyOpenCL's error is handled: Dask sends with an error what it came of, and that
        # one cannot be pickled.
        raise CompileError(
            device=f"{self.info.backend}:{self.info.index} ({self.info.name})",
            options=options,
            log=log,
            source=source,
        )

    def load(self, binary: bytes, name: str) -> Kernel:
        """The kernel `name` of a binary, or of SPIR-V; ValueError when the driver refuses it."""
        try:
            if binary.startswith(_SPIRV):
                program = self._cl._cl._create_program_with_il(self._context, binary)
                program._build(b"", [self._device])
                return Kernel(name, self._handle(program, name), None)
            compiled = self._compiled
            if compiled is not None and compiled[0] == binary:
                return Kernel(name, self._handle(compiled[1], name), None)
            seal, content = binary[:_SEAL_NBYTES], binary[_SEAL_NBYTES:]
            if seal != self._seal(content):
                raise OSError("it was made for another device or driver, or is damaged")
            inline = self._loaded_inline(content, name)
            if inline is not None:
                return Kernel(name, None, inline)
            return Kernel(name, self._loaded(self._device, content, name), None)
        except (self._cl.Error, OSError) as error:
            raise ValueError(
                message(
                    "load(binary, name)",
                    f"{self.info.name} refuses the binary of kernel {name!r}: {error}",
                    "a binary of compile() for the same device and driver is accepted",
                    "compile it anew",
                )
            ) from error

    def _loaded(self, device: Any, content: bytes, name: str) -> Handle:
        program = self._cl._cl._Program(self._context, [device], [content])
        program._build(b"", [device])
        return self._handle(program, name)

    def _loaded_inline(self, content: bytes, name: str) -> Handle | None:
        """The handle for the device that runs in the caller's thread, if there is one."""
        if self._inline is None:
            return None
        relabelled = pocl.relabelled(content, *self._labels)
        if relabelled is None:  # this PoCL's binaries are not known, so that device stays unused
            self._inline, self._is_idle = None, False
            return None
        return self._loaded(self._inline.device, relabelled, name)

    def _handle(self, program: Any, name: str) -> Handle:
        kernel = self._cl.Kernel(program, name)
        if self._fast:
            return Handle(program, kernel, kernel._set_arg_multi, kernel._set_arg_buf_multi)
        return Handle(program, kernel, None, None)

    def _binary_of(self, program: Any) -> bytes:
        """The binary of a program; PoCL links it only now, which takes as long again."""
        direct = self._direct
        if direct is not None:
            ask = direct.program_info
            handle = ctypes.c_void_p(program.int_ptr)
            nbytes = ctypes.c_size_t()
            failed = ask(handle, _BINARY_SIZES, 8, ctypes.byref(nbytes), None)
            content = ctypes.create_string_buffer(nbytes.value)
            places = (ctypes.c_void_p * 1)(ctypes.addressof(content))
            if not failed and not ask(handle, _BINARIES, 8, places, None):
                return content.raw
        return bytes(program.get_info(self._cl.program_info.BINARIES)[0])

    def _queued_handle(self, kernel: Kernel) -> Handle:
        """Load a kernel for the device's queues."""
        assert kernel.inline is not None
        content = pocl.relabelled(self._binary_of(kernel.inline.program), *self._labels[::-1])
        assert content is not None
        kernel.queued = self._loaded(self._device, content, kernel.name)
        return kernel.queued

    def _inline_handle(self, kernel: Kernel) -> Handle | None:
        """Load a kernel for the device that runs in the caller's thread, if there is one."""
        assert kernel.queued is not None
        content = self._binary_of(kernel.queued.program)
        kernel.inline = self._loaded_inline(content, kernel.name)
        return kernel.inline

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
        numbered = _NUMBERED[: 2 * count]
        numbered[1::2] = buffers
        try:
            queue, handle = self._inline, None
            if work <= self._small and self._is_free():
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

    def attributes(self, kernel: Kernel) -> dict[str, int]:
        """The largest group, and the local and private memory of a group and an item."""
        handle = (kernel.queued or self._queued_handle(kernel)).kernel
        asked = self._cl.kernel_work_group_info
        known = {
            "max_threads_per_block": asked.WORK_GROUP_SIZE,
            "shared_size_bytes": asked.LOCAL_MEM_SIZE,
            "local_size_bytes": asked.PRIVATE_MEM_SIZE,
        }
        return dict.fromkeys(ATTRIBUTES, -1) | {
            name: int(handle.get_work_group_info(which, self._device))
            for name, which in known.items()
        }

    def allocate(self, nbytes: int) -> Any:
        """A buffer, its content undefined; MemoryError when there is no room for it."""
        pool = self._pool
        nbytes = max(nbytes, 1)
        if pool.active_bytes + nbytes > self.limit_nbytes:
            self._refuse(nbytes)
        if self.info.shares_host_memory:
            # The system promises more memory than there is, and kills whoever then uses it.
            if pool.managed_bytes + nbytes > self.info.memory_nbytes:
                self.synchronize()
                pool.free_held()
            if pool.active_bytes + nbytes > self.info.memory_nbytes:
                self._refuse(nbytes)
        try:
            buffer = pool.allocate(nbytes)
        except self._cl.Error:
            self.synchronize()
            pool.free_held()
            try:
                buffer = pool.allocate(nbytes)
            except self._cl.Error as error:
                self._refuse(nbytes, error)
        active_nbytes = pool.active_bytes
        if active_nbytes > self._peak_nbytes:
            self._peak_nbytes = active_nbytes
        return buffer

    def upload(self, buffer: Any, offset_nbytes: int, data: Any, *, waits: bool = True) -> None:
        """Copy contiguous host data in; returns when `data` may be changed, if it `waits`."""
        self._transfer("upload", self._write, buffer, offset_nbytes, data, waits=waits)

    def download(self, buffer: Any, offset_nbytes: int, out: Any, *, waits: bool = True) -> None:
        """Copy into contiguous writable host memory; returns when it is there, if it `waits`."""
        self._transfer("download", self._read, buffer, offset_nbytes, out, waits=waits)

    def _transfer(
        self, what: str, way: Callable[..., Any], buffer: Any, begin: int, host: Any, *, waits: bool
    ) -> None:
        if memoryview(host).nbytes == 0:
            return
        try:
            if waits and self._is_free():
                way(self._inline, buffer, host, begin, None, True)
                return
            queue = self._queue_behind((buffer,))
            if waits:
                way(queue, buffer, host, begin, None, True)
                self._note_wait()
                return
            self._is_idle = False
            while self._under_way and self.reached(self._under_way[0][0]):
                self._under_way.popleft()
            # PyOpenCL's event of the transfer waits for it when it is dropped.
            self._under_way.append(
                (Event(way(queue, buffer, host, begin, None, False), None), host)
            )
            queue.flush()
        except self._cl.Error as error:
            self._fail(what, error)

    def pinned(self, nbytes: int) -> Any:
        """Host memory that the device reaches by itself, as an array of bytes."""
        cl = self._cl
        if self.info.shares_host_memory:
            return numpy.empty(nbytes, numpy.uint8)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR
        both = cl.map_flags.READ | cl.map_flags.WRITE
        try:
            memory = cl.Buffer(self._context, flags, max(nbytes, 1))
            mapped, _ = cl.enqueue_map_buffer(self._queue, memory, both, 0, (nbytes,), "u1")
        except cl.Error as error:
            self._fail("pinned", error)
        return mapped

    def copy(
        self, source: Any, source_offset: int, target: Any, target_offset: int, nbytes: int
    ) -> None:
        """Copy on the device, without waiting; the regions may overlap."""
        if nbytes == 0:
            return
        if source is target and abs(source_offset - target_offset) < nbytes:
            # OpenCL refuses overlapping regions.
            between = self.allocate(nbytes)
            self.copy(source, source_offset, between, 0, nbytes)
            source, source_offset = between, 0
        try:
            if nbytes <= tuning.SMALL_NBYTES and self._is_free():
                queue = self._inline
            else:
                self._is_idle = False
                queue = self._queue_behind((source, target))
            self._copy(
                queue,
                target,
                source,
                byte_count=nbytes,
                src_offset=source_offset,
                dst_offset=target_offset,
            )
        except self._cl.Error as error:
            self._fail("copy", error)

    @contextlib.contextmanager
    def map(self, buffer: Any) -> Iterator[Any]:
        """The buffer's own memory as a writable NumPy array of bytes, while the block is open."""
        flags = self._cl.map_flags.READ | self._cl.map_flags.WRITE
        if self._inline is not None and self._current() is self._queue:
            self.synchronize()
        try:
            if self._is_free():
                queue = self._inline
            else:
                self._is_idle = False
                queue = self._queue_behind((buffer,))
            mapped, _ = self._cl.enqueue_map_buffer(
                queue, buffer, flags, 0, (buffer.size,), "u1", is_blocking=True
            )
        except self._cl.Error as error:
            self._fail("map", error)
        try:
            yield mapped
        finally:
            mapped.base.release(queue)

    def address(self, buffer: Any) -> int:
        """The address of a buffer in the host's memory, as long as it exists; on a CPU."""
        # The three drivers for CPUs (PoCL, Intel's, llvmpipe) map each buffer where it lies.
        if self._direct is not None and self._is_free():
            queue, memory = self._inline.int_ptr, buffer.int_ptr
            _, enqueue, release = self._direct
            flags = self._cl.map_flags.READ | self._cl.map_flags.WRITE
            found = enqueue(queue, memory, 1, flags, 0, buffer.size, 0, None, None, None)
            if found:
                release(queue, memory, found, 0, None, None)
                return int(found)
        with self.map(buffer) as mapped:
            return int(mapped.ctypes.data)

    def is_open(self) -> bool:
        """Whether `window` gives memory now: on a CPU, with the default queue."""
        if self.info.kind != "cpu":
            return False
        return not self._several or self._current() is self._queue

    def window(self, buffer: Any, form: str) -> memoryview | None:
        """The buffer's own memory as numbers of a format, after a wait for what was asked.

        None where the thread's current queue is another one, which others may put work on.
        """
        if self._several and self._current() is not self._queue:
            return None
        if not self._is_idle:
            self.synchronize()
        found: memoryview | None = buffer.__dict__.get(form)
        if found is None:
            if self.info.kind != "cpu":
                return None
            size = struct.calcsize(form)
            whole = _memory(self.address(buffer), buffer.size // size * size, _WRITABLE)
            found = buffer.__dict__[form] = whole.cast(form)
        return found

    def wrap(self, address: int, nbytes: int, owner: Any) -> Any:
        """A buffer in the host's memory, which `owner` keeps longer than the buffer; on a CPU."""
        memory = numpy.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(address))
        flags = self._cl.mem_flags.READ_WRITE | self._cl.mem_flags.USE_HOST_PTR
        try:
            return self._cl.Buffer(self._context, flags, hostbuf=memory)
        except self._cl.Error as error:
            self._fail("wrap", error)

    def synchronize(self) -> None:
        """Wait until everything asked so far is done, on all streams."""
        if self._is_idle:
            return
        try:
            for queue in {self._queue, *self._last.values()}:
                if self._is_rusticl:
                    # Its clFinish (22.3) does not wait for what was flushed before.
                    self._cl.enqueue_marker(queue).wait()
                else:
                    queue.finish()
        except self._cl.Error as error:
            self._fail("synchronize", error)
        self._last.clear()
        self._under_way.clear()
        self._is_idle = self._inline is not None

    def memory_info(self) -> dict[str, int]:
        """The bytes there are, in live buffers, held for reuse, and the most ever live."""
        used = self._pool.active_bytes
        return {
            "total_nbytes": self.info.memory_nbytes,
            "free_nbytes": max(0, self.info.memory_nbytes - self._pool.managed_bytes),
            "used_nbytes": used,
            "held_nbytes": self._pool.managed_bytes - used,
            "peak_nbytes": self._peak_nbytes,
        }

    def release_memory(self) -> None:
        """Give the blocks that are held for reuse back to the system."""
        self._pool.free_held()

    def lend(self) -> Any:
        """The context, for programs that use it themselves: PyOpenCL's `Context`.

        What they put on its queues is not known here, so the device never counts as idle again.
        """
        if self._inline is not None:
            self.synchronize()
            self._inline, self._is_idle = None, False
        return self._context

    def lend_stream(self, stream: Any) -> Any:
        """A stream, PyOpenCL's `CommandQueue`, for programs that put work on it; see `lend`."""
        self.lend()
        return stream

    def owns(self, buffer: Any) -> bool:
        """Whether a buffer, one of PyOpenCL's, is of this context."""
        return bool(buffer.get_info(self._cl.mem_info.CONTEXT) == self._context)

    def is_read_only(self, buffer: Any) -> bool:
        """Whether kernels may not write a buffer."""
        flags = buffer.get_info(self._cl.mem_info.FLAGS)
        return bool(flags & self._cl.mem_flags.READ_ONLY)

    def order_before(self, queue: Any, buffer: Any) -> None:
        """Let what is asked of a buffer wait for what was asked of a queue of the context."""
        if queue != self._queue:
            self._several, self._is_idle = True, False
            self._last[buffer.int_ptr] = queue

    def create_stream(self, priority: int = 0) -> Any:
        """A new in-order queue, which notes times; all have one priority."""
        profiling = self._cl.command_queue_properties.PROFILING_ENABLE
        return self._cl.CommandQueue(self._context, self._device, profiling)

    def wrap_stream(self, pointer: int) -> Any:
        """Another library's queue, in order, of the context that `stream_pointer`'s queues have."""
        out_of_order = self._cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
        cause = None
        try:
            queue = self._cl.CommandQueue.from_int_ptr(pointer)
            if queue.context != self._context or queue.device != self._device:
                problem = "a queue of another context"
            elif queue.properties & out_of_order:
                problem = "a queue that does not keep the order"
            else:
                return queue
        except self._cl.Error as error:
            problem, cause = f"no queue ({error})", error
        raise ValueError(
            message(
                "Stream(device, pointer)",
                f"pointer is {pointer:#x}, {problem}",
                "the address of a cl_command_queue that runs in order is accepted, of the context "
                "of xarr's queues",
            )
        ) from cause

    def stream_pointer(self, stream: Any) -> int:
        """The cl_command_queue of a stream."""
        return int(stream.int_ptr)

    def current_stream(self) -> int:
        """The cl_command_queue of this thread's current queue."""
        return int(self._current().int_ptr)

    def swap_stream(self, stream: Any) -> Any:
        """Make a queue the current one of this thread; the one that it was before."""
        before = self._current()
        self._streams.queue = stream
        self._several = True
        return before

    def mark(self, *, timed: bool = False) -> Event:
        """An event at the end of what this thread's current queue was asked."""
        queue = self._current()
        self._is_idle = False
        try:
            event = self._cl.enqueue_marker(queue)
            queue.flush()
            if timed and not self._notes_times(queue):
                event.wait()
                return Event(event, time.perf_counter())
        except self._cl.Error as error:
            self._fail("event", error)
        return Event(event, None)

    def wait(self, event: Event) -> None:
        """Let this thread's current queue wait for an event."""
        self._is_idle = False
        self._cl.enqueue_barrier(self._current(), [event.handle])

    def reached(self, event: Event) -> bool:
        """Whether all work before an event is done."""
        status = event.handle.command_execution_status
        return bool(status == self._cl.command_execution_status.COMPLETE)

    def finish(self, event: Event) -> None:
        """Wait on the host until all work before an event is done."""
        event.handle.wait()

    def elapsed(self, first: Event, last: Event) -> float:
        """The milliseconds between two events, both reached."""
        if first.seconds is not None and last.seconds is not None:
            return (last.seconds - first.seconds) * 1e3
        if first.seconds is not None or last.seconds is not None:
            raise ValueError(
                message(
                    "event.elapsed_ms(end)",
                    "one of the events is of a queue that notes no times",
                    "two events of queues that note times, or two of queues that do not",
                    "make the queue with CL_QUEUE_PROFILING_ENABLE",
                )
            )
        return float(last.handle.profile.end - first.handle.profile.end) * 1e-6

    def timer(self) -> Timer:
        """A timer of work, by the times that the queue notes; inline work takes the host's."""
        if not self._fast or not self._notes_times(self._queue):
            return functools.partial(timed_by_host, self)
        begins = []
        for _ in range(MARKS):
            event = self._cl.enqueue_marker(self._queue)
            event.wait()
            begins.append(time.perf_counter() - event.profile.end * 1e-9)
        return functools.partial(self._timed, min(begins))

    def _timed(self, origin_s: float, name: str, ask: Callable[[], Any]) -> Span:
        spans: list[tuple[float, float]] = []
        events: list[Any] = []

        def noted(asked: Callable[..., Any], queue: Any, *arguments: Any, **options: Any) -> Any:
            begin = time.perf_counter()
            event = asked(queue, *arguments, **options)
            if queue is self._inline or not self._notes_times(queue):
                event.wait()
                spans.append((begin, time.perf_counter()))
            else:
                events.append(event)
            return event

        before = {name: vars(self)[name] for name in _ASKING}
        vars(self).update({name: functools.partial(noted, one) for name, one in before.items()})
        try:
            ask()
        finally:
            vars(self).update(before)

        def span() -> tuple[float, float]:
            while events:
                event = events.pop()
                event.wait()
                times = event.profile
                spans.append((origin_s + times.start * 1e-9, origin_s + times.end * 1e-9))
            return min(begin for begin, _ in spans), max(end for _, end in spans)

        return span if events or spans else timed_by_host(self, name, lambda: None)

    def _notes_times(self, queue: Any) -> bool:
        """Whether a queue says when its work was done; the host looks at its clock else."""
        # rusticl's (22.3) say that they do, and do not.
        profiling = self._cl.command_queue_properties.PROFILING_ENABLE
        return bool(queue.properties & profiling) and not self._is_rusticl

    def _current(self) -> Any:
        return getattr(self._streams, "queue", self._queue)

    def _is_free(self) -> bool:
        """Whether what is asked now may run inline: it comes after nothing that is not done."""
        # Others may have put work on a queue that this thread made the current one.
        return self._is_idle and (not self._several or self._current() is self._queue)

    def _note_wait(self) -> None:
        """Note that what was asked of this thread's queue is done."""
        if not self._last and self._current() is self._queue:
            self._is_idle = self._inline is not None

    def _queue_behind(self, buffers: Sequence[Any]) -> Any:
        """The current queue, after it was told to wait for what was last asked of buffers."""
        if not self._several:
            return self._queue
        queue = self._current()
        for buffer in buffers:
            handle = buffer.int_ptr
            last = self._last.get(handle, self._queue)
            if last != queue:
                self._cl.enqueue_barrier(queue, [self._cl.enqueue_marker(last)])
                last.flush()
            if queue == self._queue:
                self._last.pop(handle, None)
            else:
                self._last[handle] = queue
        return queue

    def _seal(self, content: bytes) -> bytes:
        """A seal before a binary: rusticl 22.3 ends the process on one that it cannot read."""
        return hashlib.sha256(self.info.target.encode() + content).digest()

    def _refuse(self, nbytes: int, cause: Exception | None = None) -> NoReturn:
        used, total = self._pool.active_bytes, self.info.memory_nbytes
        raise MemoryError(
            message(
                f"{self.info.backend}:{self.info.index}",
                f"no room for {nbytes:,} bytes",
                f"{used:,} of the device's {total:,} bytes are in use, and one buffer may have "
                f"{self._device.max_mem_alloc_size:,}",
                "delete arrays that are no longer needed",
            )
        ) from cause

    def _fail(self, what: str, error: Any) -> NoReturn:
        """Raise the exception of Python's that says what the driver's says."""
        given = f"{self.info.name} failed: {error}"
        text = message(f"{self.info.backend}:{self.info.index}", what + ": " + given, "")
        if isinstance(error, self._cl.MemoryError):
            raise MemoryError(text) from error
        status = self._cl.status_code.to_string(error.code, "UNKNOWN")
        raise DeviceError(text, error.code, f"CL_{status}") from error


def may_have_gpus() -> bool:
    """Whether there is a driver beside those in wheels, which are for processors."""
    if sys.platform != "linux" or {"OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"} & os.environ.keys():
        return True
    return bool(_registrations()) or (Path(sys.prefix) / "etc/OpenCL/vendors").is_dir()


def discover() -> Discovery:
    """All OpenCL devices: GPUs, then accelerators, then CPUs, PoCL's first among these."""
    try:
        cl = _pyopencl()
    except ImportError as error:
        return Discovery([], [f"PyOpenCL cannot be imported ({error}); {_INSTALL}"])
    problems: list[str] = []
    found: list[tuple[Any, Any, Any]] = []
    registrations = _registrations()
    both = pocl.with_inline(registrations) if settings().inline else {}
    with _driver_environment(problems), _environment(both):
        try:
            platforms = cl.get_platforms()
        except cl.Error as error:
            return Discovery([], [f"no OpenCL driver was found ({error}); {_INSTALL}"])
        for of in platforms:
            try:
                devices = of.get_devices()
            except cl.Error as error:
                problems.append(f"platform {of.name.strip()!r} was passed over: {error}")
                continue
            if not devices:
                problems.append(f"platform {of.name.strip()!r} has no device")
            inline = None
            if both and of.name.strip() == _POCL:
                devices, inline = pocl.apart(devices)
            found += [(of, device, inline) for device in devices]
    problems += _unloadable(registrations)
    found.sort(key=lambda each: _rank(cl, *each[:2]))
    discovery = Discovery([], problems)
    for of, device, inline in found:
        try:
            info = _info(cl, len(discovery.devices), of, device)
        except cl.Error as error:
            problems.append(f"a device of platform {of.name.strip()!r} was passed over: {error}")
            continue
        discovery.devices.append(Found(info, functools.partial(_open, info, device, inline)))
    if not discovery.devices:
        problems.append(f"no OpenCL platform has a device; {_INSTALL}")
    return discovery


def _open(info: DeviceInfo, device: Any, inline: Any) -> OpenCLDriver:
    if _discovered_in != os.getpid():
        raise forked("OpenCL")
    return OpenCLDriver(info, device, inline)


@memo
def _pyopencl() -> Any:
    """PyOpenCL, told to keep no cache of its own beside xarr's."""
    # Its cache of argument setters fails where the home directory is not writable.
    name = "PYOPENCL_NO_CACHE"
    with _environment({} if name in os.environ else {name: "1"}), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pyopencl
        import pyopencl.tools
    global _discovered_in
    _discovered_in = os.getpid()
    return pyopencl


class _Direct(NamedTuple):
    """OpenCL's own functions, where PyOpenCL's way to them takes long.

    While a program is linked it keeps all threads from running Python. Of a mapping it makes an
    array of NumPy's and two objects more.
    """

    program_info: Any
    map: Any
    unmap: Any


def _direct(cl: Any) -> _Direct | None:
    """The functions in the library that PyOpenCL is linked to; None where they are not found."""
    try:
        library = ctypes.CDLL(cl._cl.__file__)
        found = _Direct(
            library.clGetProgramInfo, library.clEnqueueMapBuffer, library.clEnqueueUnmapMemObject
        )
    except (AttributeError, OSError):  # as on Windows, where a library shows its own names only
        return None
    pointer, number, size = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_size_t
    found.map.restype = pointer
    found.map.argtypes = (
        *(pointer, pointer, number, ctypes.c_uint64, size, size),
        *(number, pointer, pointer, pointer),
    )
    found.unmap.argtypes = (pointer, pointer, pointer, number, pointer, pointer)
    return found


def _has_fast_launch(cl: Any) -> bool:
    """Whether PyOpenCL has the private names of the cheapest launch and the cheapest transfers."""
    names = ("enqueue_nd_range_kernel", "_enqueue_read_buffer", "_enqueue_write_buffer")
    return all(hasattr(cl._cl, name) for name in names) and all(
        hasattr(cl._cl.Kernel, name) for name in ("_set_arg_multi", "_set_arg_buf_multi")
    )


def _public_transfers(cl: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The functions that read a buffer and write one, by PyOpenCL's public names."""

    def read(queue: Any, buffer: Any, host: Any, offset: int, _: None, is_blocking: bool) -> None:
        cl.enqueue_copy(queue, host, buffer, src_offset=offset, is_blocking=is_blocking)

    def write(queue: Any, buffer: Any, host: Any, offset: int, _: None, is_blocking: bool) -> None:
        cl.enqueue_copy(queue, buffer, host, dst_offset=offset, is_blocking=is_blocking)

    return read, write


def _rank(cl: Any, of: Any, device: Any) -> tuple[int, bool]:
    kinds = {"gpu": 0, "accelerator": 1, "cpu": 2}
    return kinds[_kind(cl, device)], of.name.strip() != _POCL


def _kind(cl: Any, device: Any) -> Literal["cpu", "gpu", "accelerator"]:
    if device.type & cl.device_type.GPU:
        return "gpu"
    if device.type & cl.device_type.CPU:
        return "cpu"
    return "accelerator"


def _info(cl: Any, index: int, of: Any, device: Any) -> DeviceInfo:
    kind = _kind(cl, device)
    is_pocl = of.name.strip() == _POCL
    target = [of.name, of.version, device.name, device.vendor, device.version]
    target += [device.driver_version, str(device.address_bits)]
    target += _base_options(cl, device)
    if kind == "cpu":
        target.append(processor.identity())
        if is_pocl:
            target.append(pocl.stand_in(device) or "")
    return DeviceInfo(
        backend="opencl",
        index=index,
        name=device.name.strip(),
        vendor=device.vendor.strip(),
        platform=of.name.strip(),
        driver_version=device.driver_version.strip(),
        kind=kind,
        dialect="opencl",
        memory_nbytes=device.global_mem_size,
        subgroup_size=_subgroup_size(device),
        has_float64="cl_khr_fp64" in device.extensions.split(),
        compute_units=device.max_compute_units,
        group_size=device.max_work_group_size,
        local_nbytes=device.local_mem_size,
        parameter_nbytes=pocl.PARAMETER_NBYTES if is_pocl else device.max_parameter_size,
        shares_host_memory=kind == "cpu" or bool(device.host_unified_memory),
        target="\n".join(target),
    )


def _subgroup_size(device: Any) -> int:
    """Items that run in step, which each vendor tells by a name of its own."""
    for name in ("warp_size_nv", "wavefront_width_amd", "sub_group_sizes_intel"):
        with contextlib.suppress(Exception):  # one of PyOpenCL's, where the device has not the name
            return int(numpy.max(getattr(device, name)))
    return 1


def _base_options(cl: Any, device: Any) -> tuple[str, ...]:
    """The options that every kernel is compiled with."""
    options = ["-cl-std=CL1.2"]
    if device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT:
        options.append("-cl-fp32-correctly-rounded-divide-sqrt")
    return tuple(options)


@contextlib.contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _driver_environment(problems: list[str]) -> Iterator[None]:
    """The environment in which the OpenCL loader finds the drivers that come in wheels."""
    changes = {}
    with contextlib.ExitStack() as stack:
        try:
            changes.update(_pocl_cache())
            drivers = _wheel_drivers()
            if drivers:
                directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="xarr-icd-"))
                changes.update(_loader_variables(drivers, Path(directory)))
        except OSError as error:
            problems.append(f"drivers that come in wheels were passed over: {error}")
        with _environment(changes):
            yield


def _wheel_drivers() -> list[Path]:
    """Drivers in this Python environment that no loader knows of; none if the user chose some."""
    chosen = ("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES")
    if any(name in os.environ for name in chosen):
        return []
    # The wheel intel-opencl-rt registers its driver where only conda's loader looks.
    names = {"linux": "lib/libintelocl.so", "win32": "Library/bin/intelocl64.dll"}
    path = Path(sys.prefix) / names.get(sys.platform, "-")
    if path.is_file() and not any(_registers(file, path) for file in _registrations()):
        return [path]
    return []


def _registrations() -> list[Path]:
    """The files that name the drivers of this system, or those that the user chose."""
    chosen = Path(os.environ.get("OCL_ICD_VENDORS") or _SYSTEM)
    return [chosen] if chosen.suffix == ".icd" else sorted(chosen.glob("*.icd"))


def _unloadable(registrations: list[Path]) -> list[str]:
    """Why registered drivers are absent: the loader passes over what does not load, silently."""
    problems = []
    if sys.platform == "linux":
        for file in registrations:
            try:
                # Loaded already where the loader succeeded, so this costs nothing then.
                ctypes.CDLL(file.read_text().split("\n")[0].strip())
            except (OSError, UnicodeError) as error:
                problems.append(f"the driver that {file} names does not load: {error}")
    return problems


def _registers(file: Path, driver: Path) -> bool:
    return driver.name in file.read_text(errors="replace")


def _loader_variables(drivers: list[Path], directory: Path) -> dict[str, str]:
    """Variables that add `drivers` to those that each of the two common loaders knows."""
    # Khronos' loader takes a list of further drivers; ocl-icd, which PyOpenCL's Linux wheels
    # bundle, takes one directory instead of the system's, so the system's files are copied to it.
    variables = {"OCL_ICD_FILENAMES": os.pathsep.join(map(str, drivers))}
    if sys.platform == "linux":
        conda = Path(sys.prefix) / "etc/OpenCL/vendors"
        for number, file in enumerate((*_registrations(), *conda.glob("*.icd"))):
            if not any(_registers(file, driver) for driver in drivers):
                shutil.copyfile(file, directory / f"{number:02}-{file.name}")
        for driver in drivers:
            (directory / f"{driver.stem}.icd").write_text(f"{driver}\n")
        variables["OCL_ICD_VENDORS"] = str(directory)
    return variables


def _pocl_cache() -> dict[str, str]:
    """A directory for PoCL, which reports no device where it cannot write."""
    if "POCL_CACHE_DIR" in os.environ or sys.platform == "win32":
        return {}
    try:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        (cache / "pocl/kcache").mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache / "pocl/kcache"):
            return {}
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        directory = tempfile.mkdtemp(prefix="xarr-pocl-")
        atexit.register(shutil.rmtree, directory, ignore_errors=True)
        return {"POCL_CACHE_DIR": directory}


_NUMBERED: list[Any] = [*itertools.chain.from_iterable((number, None) for number in range(128))]
"""The numbers of arguments, each with a place for the argument."""
_opened: weakref.WeakSet[OpenCLDriver] = weakref.WeakSet()
_discovered_in = 0


@atexit.register
def _finish() -> None:
    """Wait for what still runs: a driver that is unloaded under its own kernels crashes."""
    if _discovered_in == os.getpid():
        for driver in _opened:
            with contextlib.suppress(Exception):
                driver.synchronize()


def _after_fork() -> None:
    for driver in _opened:
        refuse_after_fork(driver, "OpenCL")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_finish, after_in_child=_after_fork)
