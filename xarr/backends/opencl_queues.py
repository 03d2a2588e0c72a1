"""Queues and events of an OpenCL device: streams, the order of work on them, waits and times."""

from __future__ import annotations

import functools
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, NoReturn

from xarr.backends.base import MARKS, Driver, Span, Timer, timed_by_host
from xarr.backends.opencl_loader import Direct
from xarr.errors import DeviceError, message


class Event(NamedTuple):
    """A point in the work of a queue, and its time where the host noted it."""

    handle: Any
    seconds: float | None


_MARKER_S: Final = 1e-3
"""Until then a marker may be on its way: PoCL's took 36 to 142 us in an idle queue."""
_ASKING: Final = ("_enqueue", "_copy", "_read", "_write")
"""The attributes of a driver that put work on a queue and return an event."""


class Queues(Driver):
    """The queues of a device.

    A stream is a queue. Buffers that were last used by another than the default queue stand in
    `_last`, under their handles: a buffer that the pool gives out again is still the one that was.

    `inline` is a second device with the same memory, which runs in the caller's thread. Small work
    goes there as long as no queue has anything to do, which is while `_is_idle`. What is asked of
    it is done when the call returns.
    """

    _cl: Any
    _device: Any
    _context: Any
    _queue: Any
    _inline: Any
    _streams: threading.local
    _several: bool
    _last: dict[int, Any]
    _is_idle: bool
    _is_rusticl: bool
    _fast: bool
    _direct: Direct | None
    _under_way: deque[tuple[Any, Any]]

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
                "it must be the address of a cl_command_queue that runs in order, of the context "
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

    def is_done(self) -> bool:
        """Whether all that this thread's current queue was asked is done.

        A queue does not say so itself. The marker behind its work needs a moment in an idle one.
        """
        if self._is_idle and self._is_free():
            return True
        event, end = self.mark(), time.perf_counter() + _MARKER_S
        while not self.reached(event):
            if time.perf_counter() > end:
                return False
            time.sleep(0)
        return True

    def mark(self, *, timed: bool = False, blocking: bool = False) -> Event:
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
                    "both queues must note times, or neither",
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

    def _fail(self, what: str, error: Any) -> NoReturn:
        """Raise the exception of Python's that says what the driver's says."""
        given = f"{self.info.name} failed: {error}"
        text = message(f"{self.info.backend}:{self.info.index}", what + ": " + given, "")
        if isinstance(error, self._cl.MemoryError):
            raise MemoryError(text) from error
        status = self._cl.status_code.to_string(error.code, "UNKNOWN")
        raise DeviceError(text, error.code, f"CL_{status}") from error
