"""Memory of a CUDA device: blocks, copies, other devices' memory and other processes'."""

from __future__ import annotations

import ctypes
import math
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, NoReturn

import numpy

from xarr.backends.base import Driver
from xarr.backends.cuda_bindings import LIBRARY, OUT_OF_MEMORY, checked, device_handle
from xarr.backends.cuda_pool import Pool
from xarr.backends.cuda_streams import Block, Context, Streams
from xarr.errors import message

_HANDLE_NBYTES: Final = 64
"""CU_IPC_HANDLE_SIZE: what `exported` gives has so many bytes."""
_DEVICE_ORDINAL: Final = 9
"""CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL."""


def _ends(buffer: Block, offset_nbytes: int, host: Any) -> tuple[int, int, int]:
    """The bytes of host memory, its address, and the device's where they go or come from."""
    if type(host) is numpy.ndarray:
        return host.nbytes, host.ctypes.data, buffer.pointer + offset_nbytes
    view = memoryview(host)
    address = numpy.frombuffer(view, numpy.uint8).ctypes.data if view.nbytes else 0
    return view.nbytes, address, buffer.pointer + offset_nbytes


class _Mapped:
    """Memory of another process, mapped as long as this lives."""

    def __init__(self, cuda: Any, context: Context, pointer: Any) -> None:
        self.pointer = pointer
        weakref.finalize(self, _unmap, cuda, context, pointer).atexit = False


def _mapped(cuda: Any, name: bytes) -> Any:
    """Map another process's memory into the context that is the thread's; return its address."""
    handle = cuda.CUipcMemHandle()
    ctypes.memmove(int(handle.getPtr()), name, _HANDLE_NBYTES)
    flag = cuda.CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
    return checked(cuda.cuIpcOpenMemHandle(handle, flag))


def _free_pinned(free: Callable[[Any], Any], context: Context, address: Any) -> None:
    with context:
        free(address)


def _unmap(cuda: Any, context: Context, pointer: Any) -> None:
    with context:
        cuda.cuCtxSynchronize()  # a kernel may still read it
        cuda.cuIpcCloseMemHandle(pointer)


class Memory(Streams):
    """The blocks of a device, and copies to and from them."""

    _peers: dict[int, bool]
    _pool: Pool

    exports = True

    limit_nbytes = math.inf

    def used_nbytes(self) -> int:
        """The bytes that were asked for and are in live buffers."""
        return self._pool.used_nbytes()

    def held_nbytes(self) -> int:
        """The bytes held for reuse, or beyond what was asked for."""
        raise NotImplementedError

    def release_memory(self) -> None:
        """Give the blocks that are held for reuse back to the system."""
        raise NotImplementedError

    def allocate(self, nbytes: int) -> Block:
        """A buffer, its content undefined; MemoryError when there is no room for it."""
        nbytes = max(nbytes, 1)
        if self.limit_nbytes < math.inf and self.used_nbytes() + nbytes > self.limit_nbytes:
            self._refuse(nbytes)
        try:
            buffer = self.take(nbytes)
        except MemoryError:
            self.make_room()
            try:
                buffer = self.take(nbytes)
            except MemoryError as error:
                self._refuse(nbytes, error)
        self._pool.count(buffer, nbytes)
        return buffer

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
        is_array = type(out) is numpy.ndarray
        calls = self._calls
        if calls is not None and waits and is_array and out.nbytes and self.is_plain():
            status = calls.download(buffer.pointer + offset_nbytes, out, out.nbytes)
            if status >= 0:
                self.check("download", (status,))
                return
        nbytes, host, there = _ends(buffer, offset_nbytes, out)
        if nbytes:
            with self._copying("download", buffer, None if waits else out) as stream:
                self.check("download", self._cuda.cuMemcpyDtoHAsync(host, there, nbytes, stream))

    def pinned(self, nbytes: int) -> Any:
        """Page-locked memory of the host's, as an array of bytes."""
        free = self._cuda.cuMemFreeHost
        with self.context:
            status, address = self._cuda.cuMemHostAlloc(nbytes, 0)
        self.check("pinned", (status,))
        memory = (ctypes.c_uint8 * nbytes).from_address(int(address))
        # Daemon threads may write to it when the program ends.
        weakref.finalize(memory, _free_pinned, free, self.context, address).atexit = False
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
        return isinstance(other, Memory)

    def exported(self, buffer: Block) -> tuple[bytes, int]:
        """A handle of the driver's, and the bytes between what it stands for and the buffer."""
        cuda = self._cuda
        with self.context:
            self.finish(self.last_use(buffer))
            begin, _ = checked(cuda.cuMemGetAddressRange(buffer.pointer))
            handle = checked(cuda.cuIpcGetMemHandle(begin))
        name = ctypes.string_at(int(handle.getPtr()), _HANDLE_NBYTES)
        return name, buffer.pointer - int(begin)

    def open_exported(self, name: bytes) -> tuple[int, Any]:
        """Map another process's memory until the object that keeps it mapped is dropped."""
        with self.context:
            mapped = _Mapped(self._cuda, self.context, _mapped(self._cuda, name))
        return int(mapped.pointer), mapped

    def copy_exported(self, name: bytes, begin: int, target: Block, at: int, nbytes: int) -> None:
        """Copy from another process's memory, from card to card where there is a way."""
        cuda = self._cuda
        with self._copying("copy", target, None) as stream:
            opened = _mapped(cuda, name)
            try:
                pointers = target.pointer + at, int(opened) + begin
                self.check("copy", cuda.cuMemcpyDtoDAsync(*pointers, nbytes, stream))
                self.check("copy", cuda.cuStreamSynchronize(stream))
            finally:
                cuda.cuIpcCloseMemHandle(opened)

    def accesses(self, other: Driver) -> bool:
        """Whether the device reads another one's memory by a way of their own."""
        if not isinstance(other, Memory) or other.info.index == self.info.index:
            return isinstance(other, Memory)
        cuda = self._cuda
        devices = device_handle(cuda, self.info.index), device_handle(cuda, other.info.index)
        return bool(checked(cuda.cuDeviceCanAccessPeer(*devices)))

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

    def memory_info(self) -> dict[str, int]:
        """The bytes there are, in live buffers, held for reuse, and the most ever live."""
        return {
            "total_nbytes": self.info.memory_nbytes,
            "free_nbytes": self.free_nbytes(),
            "used_nbytes": self.used_nbytes(),
            "held_nbytes": self.held_nbytes(),
            "peak_nbytes": self._pool.most_nbytes,
        }

    def free_nbytes(self) -> int:
        """The bytes of the device that nobody has."""
        with self.context:
            return int(checked(self._cuda.cuMemGetInfo())[0])

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
        ask = ctypes.CDLL(LIBRARY).cuPointerGetAttribute
        status = ask(ctypes.byref(ordinal), _DEVICE_ORDINAL, ctypes.c_uint64(pointer))
        checked((self._cuda.CUresult(status), None))
        return ordinal.value

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

    def _let_peer_be_read(self, other: Streams) -> None:
        """Open the direct way to another device's memory, where there is one."""
        index = other.info.index
        if index not in self._peers:
            cuda = self._cuda
            self._peers[index] = self.accesses(other)
            if self._peers[index]:
                (status,) = cuda.cuCtxEnablePeerAccess(other._handle, 0)
                if status != cuda.CUresult.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED:
                    self.check("peer access", (status,))
