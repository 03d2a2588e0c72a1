"""Streams and events of a CUDA device, and the order of what is asked of blocks of memory."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import itertools
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, ClassVar, Final, NoReturn

from xarr.backends.base import MARKS, Driver, Span, Timer
from xarr.backends.cuda_bindings import OUT_OF_MEMORY, checked, name_of
from xarr.backends.cuda_launch import DriverCalls
from xarr.backends.cuda_pool import Block as Block
from xarr.errors import DeviceError, message

LEGACY: Final = 1
"""The default stream by its unmistakable name, CU_STREAM_LEGACY; 0 may mean a thread's own."""
_STREAM: Final = 8
"""The index of the stream among the arguments of `cuLaunchKernel`."""
_NOWHERE: Final = nullcontext()


class Event:
    """A point in the work of a stream."""

    __slots__ = ("_destroy", "handle")

    def __init__(self, cuda: Any, *, timed: bool, blocking: bool = False) -> None:
        flags = cuda.CUevent_flags
        flag = flags.CU_EVENT_DEFAULT if timed else flags.CU_EVENT_DISABLE_TIMING
        if blocking:
            flag |= flags.CU_EVENT_BLOCKING_SYNC
        self._destroy = cuda.cuEventDestroy
        self.handle = checked(cuda.cuEventCreate(flag))

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self._destroy(self.handle)


class Context:
    """A ``with`` block in which a device's context is the thread's; the one before afterwards."""

    __slots__ = ("_handle", "_pop", "_push")

    def __init__(self, cuda: Any, handle: Any) -> None:
        self._handle = handle
        self._push, self._pop = cuda.cuCtxPushCurrent, cuda.cuCtxPopCurrent

    def __enter__(self) -> None:
        checked((*self._push(self._handle), None))

    def __exit__(self, *_: object) -> None:
        self._pop()


class Streams(Driver):
    """The streams of a device.

    Work goes to the stream that is current when it is asked for. It waits there for what was last
    asked of the blocks that it uses, on whichever stream. An event stands for the end of that, as
    the stream may be gone by the time it matters; only the default stream is there for good.
    """

    _cuda: Any
    _handle: Any
    _context_number: int
    _launch: Any
    _calls: DriverCalls | None = None
    context: Context
    library: Any
    last_uses: dict[int, Event]
    freed_nbytes: deque[int]
    _under_way: deque[tuple[Event, Any]]

    several: ClassVar = False
    """Whether a stream beside the default ones has been seen, so that blocks may have events."""

    default_stream: ClassVar = LEGACY
    """The handle of the default stream: what `current_stream` gives, and other libraries take."""

    def current_stream(self) -> int:
        """The handle of the stream that this thread's work goes to."""
        raise NotImplementedError

    def named(self, handle: int) -> int:
        """A stream's handle, which for the default stream is `default_stream`, whatever it was."""
        return self.default_stream if handle in (0, LEGACY) else handle

    def create_stream(self, priority: int = 0) -> Any:
        """A new stream, as one of the library's, which does not wait for the default one.

        The libraries' own wait for it, or have no priorities.
        """
        cuda = self._cuda
        flags = cuda.CUstream_flags.CU_STREAM_NON_BLOCKING
        with self.context:
            least, greatest = checked(cuda.cuCtxGetStreamPriorityRange())
            number = min(max(priority, greatest), least)
            handle = checked(cuda.cuStreamCreateWithPriority(flags, number))
            stream = self.wrap_stream(int(handle))
        weakref.finalize(stream, cuda.cuStreamDestroy, handle).atexit = False
        return stream

    def priority(self, stream: Any) -> int:
        """The priority of a stream."""
        with self.context:
            return int(checked(self._cuda.cuStreamGetPriority(self.stream_pointer(stream))))

    def take(self, nbytes: int) -> Block:
        """A block that was last used on the default stream; MemoryError when there is none."""
        raise NotImplementedError

    def wrap_stream(self, pointer: int) -> Any:
        """Another library's stream as one of this library's."""
        raise NotImplementedError

    def stream_pointer(self, stream: Any) -> int:
        """The handle of a stream."""
        raise NotImplementedError

    def swap_stream(self, stream: Any) -> Any:
        """Make a stream the one that this thread's work goes to; the one that it was before."""
        raise NotImplementedError

    def synchronize(self) -> None:
        """Wait until everything asked so far is done, on all streams."""
        status = -1 if self._calls is None else self._calls.synchronize()
        if status >= 0:
            self.check("synchronize", (status,))
        else:
            with self.context:
                self.check("synchronize", self._cuda.cuCtxSynchronize())
        self._under_way.clear()

    def is_done(self) -> bool:
        """Whether all that this thread's current stream was asked is done."""
        with self.context:
            (status,) = self._cuda.cuStreamQuery(self.current_stream())
        return self._is_ready("stream", status)

    def call(self, function: Callable[[], None]) -> None:
        """Call a function of the host's in the order of the current stream, in a driver's thread.

        It must ask nothing of the device. What it raises goes to `sys.unraisablehook`.
        """
        number = next(_numbers)
        _waiting[number] = self, function
        with self.context:
            stream = ctypes.c_void_p(self.current_stream())
            status = self.library.cuLaunchHostFunc(stream, _HOST_FUNCTION, ctypes.c_void_p(number))
            if status:
                del _waiting[number]
                self._fail("call", self._cuda.CUresult(status))

    def mark(self, *, timed: bool = False, blocking: bool = False) -> Event:
        """An event at the end of what this thread's current stream was asked."""
        with self.context:
            return self._recorded(self.current_stream(), timed=timed, blocking=blocking)

    def wait(self, event: Event) -> None:
        """Let this thread's current stream wait for an event."""
        with self.context:
            stream = self.current_stream()
            self._wait(stream, event)

    def reached(self, event: Event) -> bool:
        """Whether all work before an event is done."""
        with self.context:
            (status,) = self._cuda.cuEventQuery(event.handle)
        return self._is_ready("event", status)

    def _is_ready(self, what: str, status: Any) -> bool:
        if status == self._cuda.CUresult.CUDA_ERROR_NOT_READY:
            return False
        self.check(what, (status,))
        return True

    def finish(self, event: Event) -> None:
        """Wait on the host until all work before an event is done."""
        with self.context:
            self.check("event", self._cuda.cuEventSynchronize(event.handle))

    def elapsed(self, first: Event, last: Event) -> float:
        """The milliseconds between two timed events, both reached."""
        with self.context:
            return float(checked(self._cuda.cuEventElapsedTime(first.handle, last.handle)))

    def timer(self) -> Timer:
        """A timer of work, by two events each."""
        origin = self.mark(timed=True)
        self.finish(origin)
        begins = []
        for _ in range(MARKS):
            event = self.mark(timed=True)
            self.finish(event)
            begins.append(time.perf_counter() - self.elapsed(origin, event) * 1e-3)
        return functools.partial(self._timed, origin, min(begins))

    def _timed(self, origin: Event, origin_s: float, name: str, ask: Callable[[], Any]) -> Span:
        with self.context:
            last = Event(self._cuda, timed=True)
        first = self.mark(timed=True)
        calls = self._calls
        if name == "launch":
            # Right before the launch and behind it, as the host takes longer than a small kernel.
            self._launch = functools.partial(self._launched_between, self._launch, first, last)
            self._calls = None
        try:
            ask()
        finally:
            vars(self).pop("_launch", None)
            self._calls = calls
        if name != "launch":
            last = self.mark(timed=True)

        def span() -> tuple[float, float]:
            self.finish(last)
            begin = origin_s + self.elapsed(origin, first) * 1e-3
            return begin, begin + self.elapsed(first, last) * 1e-3

        return span

    def _launched_between(
        self, launch: Callable[..., Any], first: Event, last: Event, *arguments: Any
    ) -> Any:
        """Launch by `_launch`, with an event before and one behind it."""
        stream = arguments[_STREAM]
        record = self._cuda.cuEventRecord
        with self.context:
            self.check("event", record(first.handle, stream))
            status = launch(*arguments)
            self.check("event", record(last.handle, stream))
        return status

    def last_use(self, block: Block) -> Event:
        """The end of what was last asked of a block."""
        # Here, as each device has a default stream of its own.
        with self.context:
            return block.event or self._recorded(self.default_stream)

    def order_after(self, stream: int, block: Block) -> None:
        """Let a stream of anybody's wait for what was last asked of a block."""
        with self.context:
            self._wait(stream, self.last_use(block))

    def order_before(self, stream: int, block: Block) -> None:
        """Let what is asked of a block wait for what was asked of a stream of anybody's."""
        with self.context:
            block.event = self._recorded(stream)
        Streams.several = True

    def hold_default_stream(self, event: Event) -> None:
        """Let the default stream wait for an event; called wherever a block is dropped."""
        with self.context:
            self._cuda.cuStreamWaitEvent(self.default_stream, event.handle, 0)

    @contextmanager
    def captured_by(self, stream: Any, held: list[Any]) -> Iterator[None]:
        """Let a stream capture what this thread asks for, as if it were the default one.

        Blocks that are allocated meanwhile are appended to `held`. Nothing waits or is waited for.
        """
        allocate = self.allocate

        def allocated(nbytes: int) -> Block:
            held.append(allocate(nbytes))
            block: Block = held[-1]
            return block

        before = self.swap_stream(stream)
        vars(self).update(default_stream=self.stream_pointer(stream), allocate=allocated)
        try:
            yield
        finally:
            for name in ("default_stream", "allocate"):
                vars(self).pop(name)
            self.swap_stream(before)

    def is_plain(self) -> bool:
        """Whether the default stream is the current one, and no other one was ever seen."""
        return not Streams.several and self.current_stream() == self.default_stream

    def is_current(self) -> bool:
        """Whether the device's context is the thread's, so that its default stream is meant."""
        return int(self._cuda.cuCtxGetCurrent()[1]) == self._context_number

    def entered(self) -> AbstractContextManager[Any]:
        """A ``with`` block in the device's context, which mostly is the thread's already."""
        return _NOWHERE if self.is_current() else self.context

    def begin(self, blocks: Sequence[Block]) -> int:
        """The current stream, after it was told to wait for what was last asked of blocks."""
        stream = self.current_stream()
        if stream != self.default_stream:
            Streams.several = True
        if Streams.several:
            on_default = None
            for block in blocks:
                event = block.event
                if event is not None:
                    self._wait(stream, event)
                elif stream != self.default_stream and on_default is None:
                    on_default = self._recorded(self.default_stream)
                    self._wait(stream, on_default)
        return stream

    def end(self, stream: int, blocks: Sequence[Block]) -> None:
        """Note where the last use of blocks ends, once it was asked for without an error."""
        if Streams.several:
            event = None if stream == self.default_stream else self._recorded(stream)
            for block in blocks:
                block.event = event

    def _recorded(self, stream: int, *, timed: bool = False, blocking: bool = False) -> Event:
        event = Event(self._cuda, timed=timed, blocking=blocking)
        self.check("event", self._cuda.cuEventRecord(event.handle, stream))
        return event

    def _wait(self, stream: int, event: Event) -> None:
        self.check("wait", self._cuda.cuStreamWaitEvent(stream, event.handle, 0))

    def check(self, what: str, answer: tuple[Any, ...]) -> None:
        """Raise what a status that is an error says."""
        if answer[0]:
            self._fail(what, answer[0])

    def _fail(self, what: str, status: Any) -> NoReturn:
        """Raise the exception of Python's that says what the driver's says."""
        text = message(
            f"{self.info.backend}:{self.info.index}",
            f"{what}: {self.info.name} failed: {name_of(status)}",
            "",
        )
        if status == OUT_OF_MEMORY:
            raise MemoryError(text)
        raise DeviceError(text, int(status), name_of(status))


_waiting: Final = dict[int, tuple[Streams, Callable[[], None]]]()
"""Functions of the host's that streams have yet to call, and their drivers."""
_numbers: Final = itertools.count(1)


def _call_function(number: int) -> None:
    _waiting.pop(number)[1]()


_HOST_FUNCTION: Final = ctypes.CFUNCTYPE(None, ctypes.c_size_t)(_call_function)
"""One for all calls: a function of C's that is dropped while it runs ends the process."""


@atexit.register
def _let_functions_be_called() -> None:
    """Wait for streams that would call Python when it has ended."""
    for driver in {driver for driver, _ in list(_waiting.values())}:
        with contextlib.suppress(RuntimeError):
            driver.synchronize()
