"""NVIDIA GPUs through CuPy: its memory, its streams, its libraries.

The user's allocator and current stream are honoured. CuPy is imported when devices are looked for,
so that importing xarr needs no driver. What is CUDA's own is in `cuda.py`; see `hip.py` for AMD.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy

from xarr.backends import cuda, cuda_bindings, cuda_streams, cupy_library
from xarr.backends.base import DeviceInfo, InMemory

_BYTE: Final = numpy.dtype(numpy.uint8)


class _Foreign:
    """A stream of another library's, as CuPy takes it."""

    def __init__(self, pointer: int) -> None:
        self._pointer = pointer

    def __cuda_stream__(self) -> tuple[int, int]:
        """The version of this protocol, and the handle."""
        return 0, self._pointer


class CupyDriver(cuda.CudaDriver):
    """One CUDA device whose memory and streams are CuPy's."""

    def __init__(self, info: DeviceInfo) -> None:
        import cupy

        self._cupy = cupy
        self._current = cupy.cuda.get_current_stream
        self._alloc, self._device_here = cupy.cuda.alloc, cupy.cuda.runtime.getDevice
        self._device = cupy.cuda.Device(info.index)
        self._array, self._pointer = cupy.ndarray, cupy.cuda.MemoryPointer
        super().__init__(info)

    def current_stream(self) -> int:
        """The handle of CuPy's current stream."""
        return self.named(self._current(self.info.index).ptr)

    def wrap_stream(self, pointer: int) -> Any:
        """Another library's stream as one of CuPy's."""
        cuda_module = self._cupy.cuda
        with self._device:
            if hasattr(cuda_module.Stream, "from_external"):
                return cuda_module.Stream.from_external(_Foreign(pointer))
            return cuda_module.ExternalStream(pointer, self.info.index)

    def stream_pointer(self, stream: Any) -> int:
        """The handle of a stream."""
        return int(stream.ptr)

    def swap_stream(self, stream: Any) -> Any:
        """Make a stream CuPy's current one; the one that it was before."""
        with self._device:
            before = self._cupy.cuda.get_current_stream()
            stream.use()
        return before

    def take(self, nbytes: int) -> cuda_streams.Block:
        """A block of CuPy's current allocator, of the part that is for the default stream."""
        # CuPy keeps blocks of each stream apart, and gives back to a stream what was freed at once.
        cuda_module = self._cupy.cuda
        index = self.info.index
        if self._device_here() == index and not self._current(index).ptr:
            try:
                memory = self._alloc(nbytes)
            except cuda_module.runtime.CUDARuntimeError:
                pass
            else:
                return cuda_streams.Block(self, memory.ptr, nbytes, memory)
        with self._device:
            current = cuda_module.get_current_stream()
            # `with` would end with the stream of the enclosing `with`, not with the one of `use`.
            if current.ptr:
                cuda_module.Stream.null.use()
            try:
                memory = cuda_module.alloc(nbytes)
            except cuda_module.runtime.CUDARuntimeError as error:
                # CuPy's pools raise a MemoryError, its other allocators what the runtime says.
                if error.status == cuda_bindings.OUT_OF_MEMORY:
                    raise MemoryError(str(error)) from error
                raise
            finally:
                if current.ptr:
                    current.use()
        return cuda_streams.Block(self, memory.ptr, nbytes, memory)

    @contextmanager
    def map(self, buffer: cuda_streams.Block) -> Iterator[Any]:
        """The buffer's own memory as an array of CuPy's, in the order of the current stream."""
        if self.is_plain() and self.is_current():
            yield self._bytes_of(buffer)
            return
        with self._device, self.context:
            stream = self.begin((buffer,))
            try:
                yield self._bytes_of(buffer)
            finally:
                self.end(stream, (buffer,))

    def arrays(
        self, places: Sequence[tuple[cuda_streams.Block, InMemory, int]]
    ) -> list[Any] | None:
        """Elements in blocks as CuPy's arrays; None beside other devices and streams."""
        if not (self.is_plain() and self.is_current()):
            return None
        made = []
        for block, (shape, dtype, strides, _), offset in places:
            base = self._place(block)
            place = base + offset * dtype.itemsize if offset else base  # `+=` would move the block
            made.append(self._array(shape, dtype, place, strides))
        return made

    def _bytes_of(self, block: cuda_streams.Block) -> Any:
        return self._array((block.nbytes,), _BYTE, self._place(block))

    def _place(self, block: cuda_streams.Block) -> Any:
        place = block.memory
        if not isinstance(place, self._pointer):
            memory = self._cupy.cuda.UnownedMemory(
                block.pointer, block.nbytes, block, self.info.index
            )
            place = self._pointer(memory, 0)
        return place

    def adopt(self, array: Any) -> cuda_streams.Block | None:
        """A block in the memory of an array of CuPy's, or None.

        That of a view is another array's, and that of another stream goes back to it at once.
        """
        if array.base is not None or not array.nbytes or not array.flags.c_contiguous:
            return None
        if not (self.is_plain() and self.is_current()):
            return None
        block = cuda_streams.Block(self, array.data.ptr, array.nbytes, array.data)
        self.count(block, array.nbytes)
        return block

    def routine(self, name: str, dtype: numpy.dtype[Any]) -> Callable[..., Any] | None:
        """CuPy's function that NumPy calls `name`, where a library of NVIDIA's stands behind it."""
        return cupy_library.routine(name, dtype)

    def held_nbytes(self) -> int:
        """The bytes that CuPy's pool holds for reuse."""
        with self._device:
            return int(self._pool().free_bytes())

    def release_memory(self) -> None:
        """Give the blocks that CuPy's pool holds back to the system."""
        with self._device:
            self._pool().free_all_blocks()

    def _pool(self) -> Any:
        """The pool of CuPy's that memory comes from; the default one under other allocators."""
        pool = getattr(self._cupy.cuda.get_allocator(), "__self__", None)
        return pool if hasattr(pool, "free_all_blocks") else self._cupy.get_default_memory_pool()
