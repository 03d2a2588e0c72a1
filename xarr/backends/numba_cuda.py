"""NVIDIA GPUs through Numba-CUDA, without CuPy: its context, its stream, its memory manager.

NVIDIA's libraries come from nvmath-python; without it xarr's kernels and the host do their work.
Numba's memory manager, or the plug-in that replaces it, takes 22 us for a block where CuPy's pool
takes 1.2, so blocks are kept in classes of sizes. Numba is imported when devices are looked for.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from xarr import references, tuning
from xarr.backends import cuda, cuda_bindings, cuda_devices, cuda_streams, nvidia
from xarr.backends.base import DeviceInfo, Discovery

_INSTALL = (
    'pip install "numba-cuda[cu13]" "nvmath-python[cu13]" (12 in the place of 13 for drivers '
    "before 580)"
)


class Block(cuda_streams.Block):
    """A block of a pool, and back there when it is dropped."""

    __slots__ = ()

    def give_back(self, event: cuda_streams.Event | None) -> None:
        """Give the memory back to the pool."""
        self.memory.put_back(self, event)


Free = tuple[int, int, cuda_streams.Event | None]
"""A free block: its size and where it is, and the end of what was last asked of it."""


class Pool:
    """Memory for reuse, by the class of its size.

    Where the system is asked for more, no more may be free than was ever in use at a time: the
    classes that were not used for the longest time give theirs back first.
    """

    def __init__(self, driver: NumbaDriver, context: Any) -> None:
        self._driver = driver
        self._context = context
        # By whichever thread dropped them. Garbage may still read a block that `__del__` was called
        # of, in finalizers that come later; what they bring back to life keeps the block.
        self._returned: deque[tuple[Block, cuda_streams.Event | None]] = deque()
        self._free: dict[int, list[Free]] = {}  # by size, the last used last
        # Numba's handles live here, not in the blocks: the garbage collector runs the finalizer of
        # a handle, which frees the memory, before the `__del__` of a block that dies with it.
        self._handles: dict[int, Any] = {}
        self._free_nbytes = 0
        self._peak_nbytes = 0
        self.reserved_nbytes = 0

    def take(self, nbytes: int) -> Block:
        """A block of at least `nbytes`; MemoryError when there is none."""
        self._collect()
        size = size_class(nbytes)
        free = self._free.pop(size, [])
        self._free[size] = free
        if free:
            size, pointer, event = free.pop()
            self._free_nbytes -= size
        else:
            with self._driver.context:
                while self._free_nbytes > self._peak_nbytes:
                    self._give_back(next(size for size, free in self._free.items() if free))
                handle = _allocated(self._context, size)
            pointer, event = int(handle.device_pointer_value), None
            self._handles[pointer] = handle
            self.reserved_nbytes += size
        self._peak_nbytes = max(self._peak_nbytes, self.reserved_nbytes - self._free_nbytes)
        block = Block(self._driver, pointer, size, self)
        if event is not None:
            block.event = event
        return block

    def put_back(self, block: Block, event: cuda_streams.Event | None) -> None:
        """Keep the memory of a block for reuse, once nothing refers to the block any more."""
        self._returned.append((block, event))

    def clear(self) -> None:
        """Give what is kept back to Numba, and through it to the system."""
        self._collect()
        for size in tuple(self._free):
            self._give_back(size)
        with contextlib.suppress(AttributeError):  # plug-ins need not put deallocations off
            self._context.deallocations.clear()

    def _collect(self) -> None:
        """Sort in what was returned and is referred to no more."""
        for _ in range(len(self._returned)):
            block, event = self._returned.popleft()
            if references.are_counted() and sys.getrefcount(block) > references.IN_VARIABLE:
                self._returned.append((block, event))
                continue
            event = self._driver.last_uses.pop(id(block), event)
            free = self._free.pop(block.nbytes, [])
            free.append((block.nbytes, block.pointer, event))
            self._free[block.nbytes] = free
            self._free_nbytes += block.nbytes

    def _give_back(self, size: int) -> None:
        """Give the free blocks of a class back to Numba."""
        for _, pointer, event in self._free.pop(size):
            if event is not None:
                self._driver.hold_default_stream(event)
            del self._handles[pointer]
            self._free_nbytes -= size
            self.reserved_nbytes -= size


def size_class(nbytes: int) -> int:
    """The size of the blocks that serve requests of `nbytes`."""
    nbytes = max(nbytes, tuning.SMALLEST_NBYTES)
    step = 1 << nbytes.bit_length() - tuning.LEADING_BITS
    return -(-nbytes // step) * step


def _allocated(context: Any, nbytes: int) -> Any:
    from numba.cuda.cudadrv.driver import CudaAPIError

    try:
        return context.memalloc(nbytes)
    except CudaAPIError as error:
        if int(error.code) == cuda_bindings.OUT_OF_MEMORY:
            raise MemoryError(str(error)) from error
        raise


class NumbaDriver(cuda.CudaDriver):
    """One CUDA device whose context, streams and memory are Numba's."""

    def __init__(self, info: DeviceInfo) -> None:
        from numba import cuda as numba_cuda

        super().__init__(info)
        self._numba = numba_cuda.gpus[info.index].get_primary_context()
        self._pool = Pool(self, self._numba)
        self._default = self._numba.get_default_stream()
        self._first = self.named(self.stream_pointer(self._default))
        self._current = threading.local()
        self._library = nvidia.Library(self)

    def current_stream(self) -> int:
        """The handle of Numba's default stream, or of one that was made current here."""
        stream = getattr(self._current, "stream", None)
        return self._first if stream is None else self.named(self.stream_pointer(stream))

    def wrap_stream(self, pointer: int) -> Any:
        """Another library's stream as one of Numba's."""
        with self.context:
            return self._numba.create_external_stream(pointer)

    def stream_pointer(self, stream: Any) -> int:
        """The handle of a stream."""
        return int(getattr(stream.handle, "value", stream.handle) or 0)

    def swap_stream(self, stream: Any) -> Any:
        """Make a stream the current one of this thread; the one that it was before."""
        before = getattr(self._current, "stream", self._default)
        self._current.stream = stream
        return before

    def take(self, nbytes: int) -> Block:
        """A block of the pool."""
        return self._pool.take(nbytes)

    @contextlib.contextmanager
    def map(self, buffer: cuda_streams.Block) -> Iterator[nvidia.DeviceArray]:
        """The buffer's own memory as the libraries' routines take it, in the current stream."""
        with self.context:
            stream = self.begin((buffer,))
            try:
                yield nvidia.DeviceArray(
                    (buffer.nbytes,), numpy.dtype(numpy.uint8), buffer.pointer, (1,)
                )
            finally:
                self.end(stream, (buffer,))

    def routine(self, name: str, dtype: numpy.dtype[Any]) -> Callable[..., Any] | None:
        """The function of NVIDIA's libraries that NumPy calls `name`, through nvmath-python."""
        return self._library.routine(name, dtype)

    def held_nbytes(self) -> int:
        """The bytes held for reuse, or beyond what was asked for."""
        return self._pool.reserved_nbytes - self.used_nbytes()

    def release_memory(self) -> None:
        """Give the blocks that are held for reuse back to Numba's memory manager."""
        with self.context:
            self._pool.clear()


def discover() -> Discovery:
    """All CUDA devices, if Numba-CUDA is installed and finds a driver."""
    # Numba-CUDA's own package tells without loading Numba, which may fail.
    if importlib.util.find_spec("numba_cuda") is None:
        return Discovery([], [f"Numba-CUDA is not installed; {_INSTALL}"])
    problem = cuda_bindings.missing()
    if problem:
        return Discovery([], [problem])
    try:
        from numba import cuda as numba_cuda

        if not numba_cuda.is_available():
            error = getattr(numba_cuda, "cuda_error", lambda: None)() or "no driver is available"
            return Discovery([], [f"Numba-CUDA finds no device: {error}"])
        count = len(numba_cuda.gpus)
    except Exception as error:  # noqa: BLE001 - whatever Numba's loading of the driver raises
        return Discovery([], [f"Numba-CUDA finds no device ({type(error).__name__}: {error})"])
    found = cuda_devices.discovered("numba", count, NumbaDriver, _INSTALL)
    lacking = nvidia.missing()
    if found.devices and lacking:
        found.problems.append(f"{lacking}; {_INSTALL}")
    return found
