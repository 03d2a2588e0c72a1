"""NVIDIA GPUs by the CUDA driver alone: memory, streams and kernels need no array library.

NVIDIA's libraries come from nvmath-python; without it xarr's kernels and the host do their work.
The Numba backend differs in whose memory and which first stream it shares.
"""

from __future__ import annotations

import contextlib
import importlib.util
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from xarr.backends import cuda, cuda_bindings, cuda_devices, cuda_streams, nvidia
from xarr.backends.base import DeviceInfo, Discovery
from xarr.backends.cuda_pool import Block
from xarr.errors import message

_INSTALL = (
    'pip install "cuda-core[cu13]" "nvidia-cuda-nvrtc==13.*" "nvmath-python[cu13]" (12 in the '
    "place of 13 for drivers before 580)"
)


class Allocation:
    """Memory of `cuMemAlloc`'s, freed when it is dropped."""

    __slots__ = ("_driver", "_pointer")

    def __init__(self, driver: NativeDriver, pointer: int) -> None:
        self._driver = driver
        self._pointer = pointer

    def __del__(self) -> None:
        self._driver.free(self._pointer)


class Lent:
    """Memory of a program's resource that gives addresses, as RMM's do; back there when dropped."""

    __slots__ = ("_nbytes", "_pointer", "_resource")

    def __init__(self, resource: Any, pointer: int, nbytes: int) -> None:
        self._resource = resource
        self._pointer = pointer
        self._nbytes = nbytes

    def __del__(self) -> None:
        self._resource.deallocate(self._pointer, self._nbytes)


class StayingContext(cuda_streams.Context):
    """A device's context, which stays the thread's where there was none, as with CUDA's runtime.

    So later work in the thread needs no ``with`` block.
    """

    __slots__ = ("_current",)

    def __init__(self, cuda_driver: Any, handle: Any) -> None:
        super().__init__(cuda_driver, handle)
        self._current = cuda_driver.cuCtxGetCurrent

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        if not int(self._current()[1]):
            self.__enter__()


class NativeStream:
    """A stream of CUDA's, by its handle."""

    __slots__ = ("__weakref__", "pointer")

    def __init__(self, pointer: int) -> None:
        self.pointer = pointer

    def __cuda_stream__(self) -> tuple[int, int]:
        """The version of this protocol, and the handle."""
        return 0, self.pointer


class NativeDriver(cuda.CudaDriver):
    """One CUDA device with memory and streams of its own."""

    def __init__(self, info: DeviceInfo) -> None:
        super().__init__(info)
        self.context = StayingContext(self._cuda, self._handle)
        self._default = NativeStream(self.default_stream)
        self._current = threading.local()
        self._has_swapped = False
        self._library = nvidia.Library(self)

    def current_stream(self) -> int:
        """The handle of the first stream, or of one that was made current here."""
        return self.named(getattr(self._current, "stream", self._default).pointer)

    def wrap_stream(self, pointer: int) -> NativeStream:
        """A stream by its handle."""
        return NativeStream(pointer)

    def stream_pointer(self, stream: NativeStream) -> int:
        """The handle of a stream."""
        return stream.pointer

    def swap_stream(self, stream: NativeStream) -> NativeStream:
        """Make a stream the current one of this thread; the one that it was before."""
        before = getattr(self._current, "stream", self._default)
        self._current.stream = stream
        self._has_swapped = True
        return before

    def is_plain(self) -> bool:
        """Whether the default stream is the current one, and no other one was ever seen."""
        return not cuda_streams.Streams.several and (
            not self._has_swapped or self.current_stream() == self.default_stream
        )

    def allocate(self, nbytes: int) -> Block:
        """A buffer, its content undefined; MemoryError when there is no room for it."""
        return self._pool.front(nbytes) or super().allocate(nbytes)

    def take(self, nbytes: int) -> Block:
        """A block of the pool."""
        return self._pool.take(nbytes)

    def reserved(self, nbytes: int) -> tuple[int, Any]:
        """Memory of the system's: its address, and what frees it when it is dropped."""
        with self.context:
            status, pointer = self._cuda.cuMemAlloc(nbytes)
        self.check("allocate", (status,))
        return int(pointer), Allocation(self, int(pointer))

    def free(self, pointer: int) -> None:
        """Give memory of `cuMemAlloc`'s back."""
        with self.context:
            self._cuda.cuMemFree(pointer)

    def reserved_by(self, resource: Any, nbytes: int) -> tuple[int, Any]:
        """Memory of a program's resource: its address, and what gives it back when dropped."""
        with self.context:
            try:
                if not hasattr(resource, "is_device_accessible"):
                    pointer = int(resource.allocate(nbytes))
                    return pointer, Lent(resource, pointer, nbytes)
                from cuda.core import Stream

                stream = Stream.from_handle(self.default_stream)
                buffer = resource.allocate(nbytes, stream=stream)
            except Exception as error:
                if "OUT_OF_MEMORY" in str(error):  # cuda.core's own error is a RuntimeError
                    raise MemoryError(str(error)) from error
                raise
        return int(buffer.handle), buffer

    @property
    def resource(self) -> Any:
        """The object that gives arrays their memory; None for the pool."""
        return self._pool.resource

    @resource.setter
    def resource(self, resource: Any) -> None:
        is_cores = hasattr(resource, "is_device_accessible")  # whose buffers go back by themselves
        wanted = ("allocate",) if is_cores else ("allocate", "deallocate")
        if resource is not None and not all(hasattr(resource, name) for name in wanted):
            raise TypeError(
                message(
                    "memory.resource",
                    f"it is {resource!r}",
                    "it must be a MemoryResource of cuda.core, an object with allocate(nbytes) and "
                    "deallocate(address, nbytes), as RMM's, or None for xarr's pool",
                )
            )
        self._pool.resource = resource

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
        """Give the blocks that are held for reuse back to the system."""
        with self.context:
            self._pool.clear()


def discover() -> Discovery:
    """All CUDA devices, if CUDA's bindings are installed and find a driver."""
    if importlib.util.find_spec("cuda") is None:
        return Discovery([], [f"cuda-bindings is not installed; {_INSTALL}"])
    problem = cuda_bindings.missing()
    if problem:
        return Discovery([], [problem])
    return found("cuda", _INSTALL)


def found(backend: str, install: str) -> Discovery:
    """The devices that the CUDA driver finds, under the name of a backend."""
    try:
        driver = cuda_bindings.bindings("driver")
        cuda_bindings.checked((*driver.cuInit(0), None))
        count = int(cuda_bindings.checked(driver.cuDeviceGetCount()))
    except (ImportError, RuntimeError) as error:
        return Discovery([], [f"CUDA's bindings find no device ({error}); {install}"])
    return cuda_devices.discovered(backend, count, NativeDriver, install)
