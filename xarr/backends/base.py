"""The interface of a backend: bytes, programs and queues; no shapes, dtypes or operations.

A backend is a module with a function ``discover() -> Discovery`` and the drivers it returns.
"""

from __future__ import annotations

import ctypes
import functools
import math
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, NoReturn, Protocol

import numpy

from xarr import tuning
from xarr.errors import difference, message

RUSTICL: Final = "rusticl"
"""The name of Mesa's OpenCL platform, which has ways of its own."""


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """The facts of a device that are known before it is opened.

    backend, index : str, int -- Together the name of the device: ``opencl:0``.
    name, vendor, platform, driver_version : str -- What the driver says of itself.
    kind : "cpu", "gpu" or "accelerator"
    dialect : "opencl", "cuda" or "c" -- The language that `Driver.compile` takes.
    memory_nbytes : int -- All memory of the device.
    has_float64 : bool -- Whether it computes in 64-bit floating point.
    compute_units, group_size, local_nbytes : int
        Units that run groups, the largest group in items, the local memory of a group in bytes.
    parameter_nbytes : int -- The largest total of a kernel's arguments in bytes.
    shares_host_memory : bool -- Whether device and host use the same memory.
    target : str -- Everything that a compiled binary depends on besides source and options.
    subgroup_size : int
        Items that run in step: a warp, a wavefront, a subgroup; 1 where the driver names none.
    loop_per_item : bool
        Whether an item takes a chunk of neighbours, as suits a core; else items run abreast.
    host_addressable : bool
        Whether the host reads and writes its memory as its own, and computes no slower there.
    memory : str -- Whose memory it is to other libraries: "host", "CUDA", "ROCm" or "OpenCL".
    """

    backend: str
    index: int
    name: str
    vendor: str
    platform: str
    driver_version: str
    kind: Literal["cpu", "gpu", "accelerator"]
    dialect: Literal["opencl", "cuda", "c"]
    memory_nbytes: int
    has_float64: bool
    compute_units: int
    group_size: int
    local_nbytes: int
    parameter_nbytes: int
    shares_host_memory: bool
    target: str
    subgroup_size: int = 1
    loop_per_item: bool = field(init=False)
    host_addressable: bool = field(init=False)
    memory: str = field(init=False)

    def __post_init__(self) -> None:
        # llvmpipe leaves every loop after 65,535 rounds of all loops of an item together, and runs
        # items in the lanes of its vectors.
        object.__setattr__(self, "loop_per_item", self.kind == "cpu" and self.platform != RUSTICL)
        object.__setattr__(self, "host_addressable", self.kind == "cpu" and self.shares_host_memory)
        own = self.platform if self.platform in ("CUDA", "ROCm") else "OpenCL"
        object.__setattr__(self, "memory", "host" if self.host_addressable else own)

    @property
    def most(self) -> tuning.Most:
        """The bounds of a kernel."""
        return tuning.KERNEL_OF_CPU if self.loop_per_item else tuning.KERNEL_OF_GPU


class InMemory(NamedTuple):
    """NumPy's type and strides of a view in memory; `is_bool` where any byte but 0 is true."""

    shape: tuple[int, ...]
    dtype: numpy.dtype[Any]
    strides: tuple[int, ...]
    is_bool: bool = False


class Place(NamedTuple):
    """Memory that a kernel is given: a buffer, from so many bytes beyond its beginning on."""

    buffer: Any
    offset_nbytes: int


ATTRIBUTES: Final = (
    "max_threads_per_block",
    "shared_size_bytes",
    "const_size_bytes",
    "local_size_bytes",
    "num_regs",
    "ptx_version",
    "binary_version",
    "cache_mode_ca",
    "max_dynamic_shared_size_bytes",
    "preferred_shared_memory_carveout",
)
"""CUDA's attributes of a kernel. The last two can be changed."""

Asked = tuple[Any, tuple[tuple[int, ...], tuple[int, ...]], Sequence[Any], bytes, int]
"""A launch: what has the kernel as its `handle`, the groups and their items, buffers, arguments
and how many elements that is for."""


class Together(Protocol):
    """Launches that a driver is asked for by one call."""

    def run(self, asked: Sequence[Asked]) -> bool:
        """Whether all were asked for; else none was, and they are to be launched one by one."""

    def change(self, number: int, asked: Asked) -> bool:
        """Give a launch, by its number, other buffers and arguments; whether that is possible."""

    def again(self, blocks: Iterable[Any]) -> bool:
        """Ask for all as they are, as `run`; `blocks` are all buffers that they use."""


Call = tuple[str, tuple[Any, ...]]
"""A method of a driver that asks for work, and what it was given."""


Span = Callable[[], tuple[float, float]]
"""Waits for work; when it began and ended, in seconds of `time.perf_counter`."""

Timer = Callable[[str, Callable[[], Any]], Span]
"""Has work asked for, by the driver's method of a name or by several (""), and measures it."""


MARKS: Final = 8
"""The readings by which a timer maps a device's clock to the host's. The host may be late, so the
earliest counts."""


class Driver(Protocol):
    """One opened device. What is asked of one stream happens in the order asked.

    Each thread has a current stream, the default one at first. Where two streams use one buffer,
    what is asked later waits for what was asked before.

    Calls on one driver must not run at the same time in two threads; the engine holds the
    device's lock. Kernels are opaque, and so are buffers but for their bytes, `nbytes` or `size`. A
    buffer is freed when it is dropped. It is no array of NumPy's: such are results of the host.

    Nine methods are required: compile, load, launch, allocate, upload, download, copy, synchronize,
    memory_info. A class that derives from this one has the others as they are here: no other
    driver's buffers, no library, no memory that others see, no streams.
    """

    info: DeviceInfo
    limit_nbytes: float = math.inf
    """The limit, in bytes, of all live buffers together."""

    launched: int = 0
    """How many kernels were handed over; counted right before each, with no call in between.

    Signals' handlers run behind calls, where functions begin and where loops begin again. With none
    of these in between, one that raises behind a kernel finds it counted, and one before it not.
    """

    def compile(self, source: str, options: tuple[str, ...] = ()) -> bytes:
        """Compile to a binary that `load` takes, in any process; raises `errors.CompileError`."""

    def load(self, binary: bytes, name: str) -> Any:
        """The kernel `name` of a binary; ValueError when the driver refuses it."""

    def compile_own(
        self, source: str, options: tuple[str, ...], names: Sequence[str]
    ) -> tuple[bytes, str]:
        """Compile a program's own source, with what the compiler says of it.

        `names` are those of kernels of C++ that `load` is asked for, instances of templates.
        """
        return self.compile(source, options), ""

    def load_beside(self, kernel: Any, binary: bytes, name: str) -> Any:
        """Another kernel of a binary, with the same variables as one that was loaded of it."""
        return self.load(binary, name)

    def variable(self, kernel: Any, name: str) -> tuple[int, int]:
        """The address and the bytes of a variable of the binary that a kernel is of."""
        raise lacking(self.info, "variables that others see")

    def device_attributes(self) -> dict[str, Any]:
        """Return the driver's attributes of the device by name; a few have CUDA's names anywhere.

        Drivers add their own.
        """
        info = self.info
        return {
            "multiprocessor_count": info.compute_units,
            "max_threads_per_block": info.group_size,
            "max_shared_memory_per_block": info.local_nbytes,
            "warp_size": info.subgroup_size,
        }

    def attributes(self, kernel: Any) -> dict[str, int | None]:
        """The attributes of a kernel, by the names of `ATTRIBUTES`; None for unknown ones."""
        return dict.fromkeys(ATTRIBUTES)

    def set_attribute(self, kernel: Any, name: str, value: int) -> None:
        """Change one of the attributes that can be changed."""
        raise lacking(self.info, "attributes of kernels that can be changed")

    def occupancy(self, kernel: Any, items: int, shared_nbytes: int) -> int:
        """Return how many groups of a kernel fit a multiprocessor at once."""
        raise lacking(self.info, "occupancy of kernels")

    def suggested_group(self, kernel: Any, shared_nbytes: int) -> int:
        """Return the items of a group with which a kernel fills the device best."""
        raise lacking(self.info, "occupancy of kernels")

    def cooperating(self, kernel: Any, cooperative: bool, cluster: tuple[int, ...]) -> Any:
        """Return a kernel as `launch_with` takes it whose groups wait for each other.

        All of the grid where `cooperative`; `cluster` groups of it share their local memory.
        """
        raise lacking(self.info, "groups that wait for each other")

    def launch(
        self,
        kernel: Any,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        buffers: Sequence[Any],
        arguments: bytes,
        work: float = math.inf,
    ) -> None:
        """Run `grid` groups of `group` items, in 1 to 3 dimensions, without waiting.

        The kernel's parameters are the buffers and then, unless `arguments` is empty, one
        struct by value whose bytes `arguments` are. `work` is about how many operations that is,
        of all items together: a driver may do little work at once, in the caller's thread.
        """

    is_sequenced: bool = False
    """Whether `sequence` may give something."""

    takes_numbers: bool = False
    """Whether `sequence` takes numbers in place of buffers: of each in the list that `again` gets.

    So the buffers may be others at each call.
    """

    @functools.cached_property
    def reserves(self) -> weakref.WeakSet[Any]:
        """The objects that hold memory and can `drop` it, for when memory is short."""
        return weakref.WeakSet()

    def sequence(self, asked: Sequence[Asked | Callable[[], None]]) -> Together | None:
        """An object that asks for such launches together; None where one by one is as good.

        They differ in buffers and arguments only. Functions among them ask a library for work that
        its routine says it `captures`, always on the same buffers.
        """
        return None

    def launch_with(
        self,
        kernel: Any,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        arguments: Sequence[Place | bytes | int],
        local_nbytes: int,
    ) -> None:
        """Run a program's own kernel, whose parameters are in any order.

        Each argument is memory, a value's bytes, or the size of local memory behind a pointer to
        that. A CUDA kernel has `local_nbytes` bytes of shared memory as well. Places in OpenCL's
        buffers begin where these do.
        """
        raise lacking(self.info, "kernels of a program's own")

    def launch_at(
        self,
        kernel: Any,
        grid: tuple[int, ...],
        group: tuple[int, ...],
        places: int,
        local_nbytes: int,
    ) -> bool:
        """Run a program's own kernel, given where the pointers to its parameters lie.

        Return whether it did; where it did not, `launch_with` does, or says what is wrong.
        """
        return False

    def allocate(self, nbytes: int) -> Any:
        """A buffer, its content undefined; MemoryError when there is no room for it."""

    def upload(self, buffer: Any, offset_nbytes: int, data: Any, *, waits: bool = True) -> None:
        """Copy contiguous host data in; returns when `data` may be changed.

        Unless it `waits`, that is when an event behind it is reached; until then it keeps `data`.
        """

    def download(self, buffer: Any, offset_nbytes: int, out: Any, *, waits: bool = True) -> None:
        """Copy into contiguous writable host memory; returns when it is there, or as `upload`."""

    def pinned(self, nbytes: int) -> Any:
        """Host memory that the device reaches by itself: an array of bytes of NumPy's."""
        return numpy.empty(nbytes, numpy.uint8)

    def copy(
        self, source: Any, source_offset: int, target: Any, target_offset: int, nbytes: int
    ) -> None:
        """Copy on the device, without waiting; the regions may overlap."""

    def reaches(self, other: Driver) -> bool:
        """Whether `copy` also takes sources that are buffers of another driver."""
        return other is self

    def accesses(self, other: Driver) -> bool:
        """Whether the device reads another one's memory by a way of their own."""
        return other is self

    exports: bool = False
    """Whether other processes of this machine can copy the device's memory, by the next two."""

    def exported(self, buffer: Any) -> tuple[bytes, int]:
        """A name of memory for other processes of this machine, and the bytes before the buffer.

        What was asked of the buffer is done, and it has to live until they have copied it.
        """
        raise lacking(self.info, "names of memory for other processes")

    def open_exported(self, name: bytes) -> tuple[int, Any]:
        """Map memory that another process exported; return its address, and what keeps it mapped.

        It is unmapped when that is dropped.
        """
        raise lacking(self.info, "way to memory of other processes")

    def copy_exported(self, name: bytes, begin: int, target: Any, at: int, nbytes: int) -> None:
        """Copy, from a byte on, memory that another process exported; returns when it is there."""
        raise lacking(self.info, "way to memory of other processes")

    def graph(
        self, calls: Sequence[Call], before: Callable[[], None] | None = None
    ) -> Callable[[], None]:
        """A function that repeats some calls: launch, launch_with and copy, on its own buffers.

        It asks the current stream, and keeps the buffers. `before` is such a function that is no
        longer needed: a driver may change it and return it.
        """
        return functools.partial(replay, self, calls)

    def map(self, buffer: Any) -> AbstractContextManager[Any]:
        """The buffer's own memory as a writable array of bytes, while the block is open.

        Where `info.shares_host_memory`, NumPy's, after a wait for what was asked of the device; of
        a driver with a library, that library's.
        """
        raise lacking(self.info, "memory that others work in")

    def routine(self, name: str, dtype: numpy.dtype[Any]) -> Callable[..., Any] | None:
        """The device's library's function that NumPy calls `name`, as "linalg.qr", or None.

        It takes and gives the library's arrays, of which `map` makes one of a buffer. One with an
        attribute `takes` gives none: it writes into those of the results, `out`, and takes operands
        of whose shape and strides, in elements, `takes` approves. Where `captures` approves of the
        operands as they lie in memory, all its work is kernels on the current stream.
        """
        return None

    def arrays(self, places: Sequence[tuple[Any, InMemory, int]]) -> list[Any] | None:
        """Elements in buffers as arrays of the library's, where that needs no more; else None.

        Of each the buffer, how they lie, and how many elements from its beginning. What is done
        with them is in the order of the current stream.
        """
        return None

    def adopt(self, array: Any) -> Any:
        """A buffer in the memory of an array that the library has made, or None.

        It keeps that memory. None also where the elements are not in C order from its beginning.
        """
        return None

    def address(self, buffer: Any) -> int:
        """The address of a buffer in the memory of a CPU or a CUDA device, as long as it exists.

        What a finished kernel has written is there, and what is written there a kernel launched
        later reads.
        """
        raise lacking(self.info, "memory that others see")

    def is_open(self) -> bool:
        """Whether `window` gives memory now."""
        return False

    def is_at_rest(self) -> bool:
        """Whether `window` gives memory now, with nothing to wait for."""
        return False

    stable_addresses: bool = False
    """Whether a buffer gives its memory by Python's buffer protocol, at one address always."""

    def window(self, buffer: Any) -> memoryview | None:
        """The buffer's own memory as bytes, or None.

        The host may read and write it until anything else is asked of the device: all that was
        asked is done.
        """
        return None

    def seen(self, buffer: Any) -> Any:
        """The buffer's bytes to be read at once: `window`, or a copy where that takes less time."""
        return self.window(buffer)

    def wrap(self, address: int, nbytes: int, owner: Any) -> Any:
        """A buffer in memory that `owner` keeps; on a CPU or a CUDA device."""
        raise lacking(self.info, "buffers in memory of others")

    def synchronize(self) -> None:
        """Wait until everything asked so far is done, on all streams."""

    def memory_info(self) -> dict[str, int]:
        """The bytes there are, left, in live buffers, held for reuse, and the most ever live.

        What blocks of live buffers have beyond what was asked for counts as held. Keys:
        ``total_nbytes``, ``free_nbytes``, ``used_nbytes``, ``held_nbytes``, ``peak_nbytes``.
        """

    def release_memory(self) -> None:
        """Give the blocks that are held for reuse back to the system."""
        return

    def create_stream(self, priority: int = 0) -> Any:
        """A new stream, of the nearest priority that the device has; lower numbers go first."""
        raise lacking(self.info, "streams")

    def priority(self, stream: Any) -> int:
        """The priority of a stream."""
        return 0

    def current_stream(self) -> int:
        """The pointer of this thread's current stream."""
        raise lacking(self.info, "streams")

    def wrap_stream(self, pointer: int) -> Any:
        """Another library's stream: a cudaStream_t or a cl_command_queue of the same context."""
        raise lacking(self.info, "streams")

    def stream_pointer(self, stream: Any) -> int:
        """The pointer of a stream, as `wrap_stream` takes it."""
        raise lacking(self.info, "streams")

    def swap_stream(self, stream: Any) -> Any:
        """Make a stream the current one of this thread; the one that it was before."""
        raise lacking(self.info, "streams")

    def is_done(self) -> bool:
        """Whether all that this thread's current stream was asked is done."""
        return self.reached(self.mark())

    def call(self, function: Callable[[], None]) -> None:
        """Call a function of the host's once all that the current stream was asked is done.

        Here the host waits for that. What the function raises goes to `sys.unraisablehook`.
        """
        self.finish(self.mark())
        ctypes.CFUNCTYPE(None)(function)()

    def mark(self, *, timed: bool = False, blocking: bool = False) -> Any:
        """An event at the end of what this thread's current stream was asked.

        Where `blocking`, a thread that waits for it sleeps meanwhile, as far as the driver can.
        """
        raise lacking(self.info, "streams")

    def wait(self, event: Any) -> None:
        """Let this thread's current stream wait for an event."""
        raise lacking(self.info, "streams")

    def reached(self, event: Any) -> bool:
        """Whether all work before an event is done."""
        raise lacking(self.info, "streams")

    def finish(self, event: Any) -> None:
        """Wait on the host until all work before an event is done."""
        raise lacking(self.info, "streams")

    def elapsed(self, first: Any, last: Any) -> float:
        """The milliseconds between two timed events, both reached."""
        raise lacking(self.info, "streams")

    def timer(self) -> Timer:
        """A timer of work on the device; here the host waits, and looks at its clock."""
        return functools.partial(timed_by_host, self)


class Found(NamedTuple):
    """A device that is there, and the function that opens it."""

    info: DeviceInfo
    open: Callable[[], Driver]


class Discovery(NamedTuple):
    """The devices of a backend, best first, and why others are absent, one sentence each."""

    devices: list[Found]
    problems: list[str]


def timed_by_host(driver: Driver, _: str, ask: Callable[[], Any]) -> Span:
    """A timer for drivers that note no times."""
    driver.synchronize()
    begin = time.perf_counter()
    ask()
    driver.synchronize()
    span = begin, time.perf_counter()
    return lambda: span


def replay(driver: Driver, calls: Sequence[Call]) -> None:
    """Ask a driver for calls again, one after the other."""
    for name, arguments in calls:
        getattr(driver, name)(*arguments)


def buffers_of(call: Call) -> list[Any]:
    """The buffers that a call works on."""
    name, arguments = call
    if name == "copy":
        return [arguments[0], arguments[2]]
    if name == "launch":
        return list(arguments[3])
    return [given.buffer for given in arguments[3] if isinstance(given, Place)]


def lacking(info: DeviceInfo, what: str) -> RuntimeError:
    """The error of a method that a driver does not have."""
    where = f"{info.backend}:{info.index}"
    return RuntimeError(message(where, f"the driver has no {what}", "another device may"))


class ForkedError(RuntimeError):
    """A process used a driver that its parent process opened before the fork.

    >>> try:
    ...     xarr.synchronize()
    ... except xarr.ForkedError:
    ...     print("start this process by multiprocessing's spawn")
    """


def forked(api: str) -> ForkedError:
    """The error of a process whose parent opened the driver before the fork."""
    return ForkedError(
        message(
            "xarr",
            f"this process was forked from one that uses {api}",
            f"{api} drivers do not survive a fork",
            'start processes with multiprocessing.get_context("spawn")',
            difference("np-processes-that-fork"),
        )
    )


def refuse_after_fork(driver: Driver, api: str) -> None:
    """Make every use of a driver that a forked process inherited an error: it fails, or hangs."""

    def refuse(*_: object, **__: object) -> NoReturn:
        raise forked(api)

    for name, method in vars(Driver).items():
        if not name.startswith("_") and callable(method):
            setattr(driver, name, refuse)
