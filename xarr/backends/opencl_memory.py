"""Memory of an OpenCL device: its pool of buffers, copies, and what the host sees of it."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn

import numpy

from xarr import tuning
from xarr.backends.opencl_queues import Event, Queues
from xarr.errors import message

_memory: Final = ctypes.pythonapi.PyMemoryView_FromMemory
"""A view of so many bytes at an address; an array of ctypes' has a type for each number of them."""
_memory.argtypes = (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int)
_memory.restype = ctypes.py_object
_WRITABLE: Final = 0x200
"""PyBUF_WRITE."""


class Memory(Queues):
    """The buffers of a device, and copies to and from them."""

    _pool: Any
    _peak_nbytes: int
    _copy: Any
    _read: Any
    _write: Any
    _few: Any

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

    def is_at_rest(self) -> bool:
        """Whether `window` gives memory now, with nothing to wait for."""
        return self._is_free()

    def window(self, buffer: Any) -> memoryview | None:
        """The buffer's own memory as bytes, after a wait for what was asked.

        None where the thread's current queue is another one, which others may put work on.
        """
        if self._several and self._current() is not self._queue:
            return None
        if not self._is_idle:
            self.synchronize()
        found: memoryview | None = buffer.__dict__.get("window")
        if found is None:
            if self.info.kind != "cpu":
                return None
            found = _memory(self.address(buffer), buffer.size, _WRITABLE)
            buffer.__dict__["window"] = found
        return found

    def seen(self, buffer: Any) -> Any:
        """The buffer's bytes; of a new number a copy, which takes 1 us, and its address 2.5."""
        if buffer.size > self._few.nbytes or "window" in buffer.__dict__ or not self.is_open():
            return self.window(buffer)
        self.download(buffer, 0, self._few[: buffer.size])
        return self._few

    def wrap(self, address: int, nbytes: int, owner: Any) -> Any:
        """A buffer in the host's memory, which `owner` keeps longer than the buffer; on a CPU."""
        memory = numpy.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(address))
        flags = self._cl.mem_flags.READ_WRITE | self._cl.mem_flags.USE_HOST_PTR
        try:
            return self._cl.Buffer(self._context, flags, hostbuf=memory)
        except self._cl.Error as error:
            self._fail("wrap", error)

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

    def owns(self, buffer: Any) -> bool:
        """Whether a buffer, one of PyOpenCL's, is of this context."""
        return bool(buffer.get_info(self._cl.mem_info.CONTEXT) == self._context)

    def is_read_only(self, buffer: Any) -> bool:
        """Whether kernels may not write a buffer."""
        flags = buffer.get_info(self._cl.mem_info.FLAGS)
        return bool(flags & self._cl.mem_flags.READ_ONLY)

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
