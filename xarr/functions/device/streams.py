"""Streams and events: work that runs beside other work of a device, and places in it.

Which stream waits for which is the drivers' affair: where two streams use the same memory, what is
asked later waits for what was asked before. So a result is never read before it is written. Copies
between host and device that nobody waits for end in an event.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable
from typing import Any, Final

import numpy

from xarr import dtypes
from xarr.array.array import Array
from xarr.array.layouts import assign, require_writeable, settled
from xarr.array.transfers import in_a_row
from xarr.backends.device import Device, default_float, get_device
from xarr.errors import refused, require_callable, type_error, value_error
from xarr.ir.views import storage_view
from xarr.layout import contiguous, extents_of
from xarr.tape import builder, recorders


class Stream:
    """A queue of work on a device: a CUDA stream or an OpenCL queue.

    The work of a ``with stream:`` block runs on the stream in order, concurrently with other
    streams. Results may be used anywhere: work that reads them waits for them. The device's pending
    work of all threads is launched when the block begins and when it ends.

    device : Device, str or None -- The device; None for the default device.
    pointer : int, optional -- A stream of another library to wrap: a ``cudaStream_t``, or a
        ``cl_command_queue`` of xarr's context. It must live as long as this object.
    priority : int -- The priority of a new CUDA stream: lower numbers, such as -1, go first.
        Numbers outside the device's range are clamped to it; OpenCL has only 0.

    TypeError -- If `pointer` or `priority` is no integer.
    ValueError -- If there is no such device.

    >>> stream = xarr.Stream()
    >>> with stream:
    ...     x = xarr.ones(3) + 1
    >>> x.tolist()
    [2.0, 2.0, 2.0]
    """

    def __init__(
        self, device: Device | str | None = None, *, pointer: int | None = None, priority: int = 0
    ) -> None:
        where = "Stream(device, pointer, priority)"
        self._device = get_device(device, where)
        if pointer is not None and (type(pointer) is not int or pointer < 0):
            raise type_error(where, f"pointer is {pointer!r}", "pointer must be an integer address")
        if type(priority) is not int:
            raise type_error(where, f"priority is {priority!r}", "priority must be an integer")
        driver = self._device.driver
        with self._device.lock:
            self._handle = (
                driver.create_stream(priority) if pointer is None else driver.wrap_stream(pointer)
            )
        self._before = threading.local()

    @property
    def device(self) -> Device:
        """The device of the stream."""
        return self._device

    @property
    def pointer(self) -> int:
        """The address of the stream, as ``cudaStream_t`` or ``cl_command_queue``."""
        return self._device.driver.stream_pointer(self._handle)

    @property
    def priority(self) -> int:
        """The stream's priority: work of lower numbers goes first."""
        return self._device.driver.priority(self._handle)

    @property
    def cl_queue(self) -> Any:
        """The `pyopencl.CommandQueue` of the stream; AttributeError on other devices.

        The program's commands there run in order with xarr's.
        """
        if self._device.backend != "opencl":
            fault = f"the stream is on {self._device}"
            raise refused(AttributeError, "stream.cl_queue", fault, "", "")
        driver: Any = self._device.driver
        with self._device.lock:
            return driver.lend_stream(self._handle)

    @property
    def __cuda_stream__(self) -> Callable[[], tuple[int, int]]:
        """The protocol by which CUDA's libraries take a stream: version 0, and its address.

        AttributeError for a stream of another device. What they launch on it has no order with
        work of other streams: `wait` for it before a result is used elsewhere.
        """
        if self._device.info.memory != "CUDA":
            fault = f"the stream is on {self._device}"
            raise refused(AttributeError, "stream.__cuda_stream__", fault, "", "")
        return lambda: (0, self.pointer)

    @property
    def done(self) -> bool:
        """Whether all work of the stream is done."""
        with self._device.lock, self:
            return self._device.driver.is_done()

    def synchronize(self) -> None:
        """Wait until all work of the stream is done.

        >>> xarr.Stream().synchronize()
        """
        Event(self._device, self, timed=False).synchronize()

    def record(self, *, timed: bool = True, blocking: bool = False) -> Event:
        """Return an event at the end of the stream's work so far.

        timed : bool -- Whether the event records its time.
        blocking : bool -- Whether `synchronize` sleeps instead of polling.

        >>> xarr.Stream().record().synchronize()
        """
        return Event(self._device, self, timed=timed, blocking=blocking)

    def wait(self, other: Event | Stream | Any) -> None:
        """Make later work of the stream wait for an event, or for the present work of a stream.

        other : Event, Stream, or stream of another library with ``__cuda_stream__``
            The event or stream to wait for.

        TypeError -- If `other` is no Event and no Stream.

        >>> first, second = xarr.Stream(), xarr.Stream()
        >>> second.wait(first)
        """
        if not isinstance(other, Event | Stream) and hasattr(other, "__cuda_stream__"):
            other = Stream(self._device, pointer=other.__cuda_stream__()[1])
        event = other.record(timed=False) if isinstance(other, Stream) else other
        if not isinstance(event, Event):
            fault = f"other is of type {type(other).__name__}"
            raise type_error("Stream.wait(other)", fault, "other must be an Event or a Stream")
        event.wait(self)

    def use(self) -> Stream:
        """Make this the stream of this thread until another one is used; return it.

        To go back later, keep the result of ``xarr.current_stream()`` first.

        >>> before = xarr.current_stream()
        >>> stream = xarr.Stream().use()
        >>> xarr.current_stream().pointer == stream.pointer
        True
        >>> before.use().synchronize()
        """
        driver, name = self._device.driver, str(self._device)
        with self._device.lock:
            builder.settle(self._device)
            pointer = driver.current_stream()
            first = pointer, driver.swap_stream(self._handle)
            first, _ = _used.__dict__.get(name, (first, None))
            if first[0] == self.pointer:
                driver.swap_stream(first[1])  # a library's own default stream, and no wrapper of it
        _used.__dict__[name] = first, self
        return self

    def call(self, function: Callable[..., object], *arguments: Any) -> None:
        """Call a host function when all work of the stream so far is done.

        On a CUDA device a thread of the driver calls it, and later work of the stream waits for the
        call; on other devices this method waits and calls it. The function must neither use the
        device nor wait for a thread that does. Its exceptions go to `sys.unraisablehook`.

        function : function -- The function to call.
        arguments : object -- The arguments of the function.

        TypeError -- If the function cannot be called.
        RuntimeError -- If a graph is being recorded.

        >>> came = []
        >>> stream = xarr.Stream()
        >>> stream.call(came.append, 3)
        >>> stream.synchronize()
        >>> came
        [3]
        """
        where = "Stream.call(function)"
        require_callable(function, where, "function")
        if self._device.is_recorded:
            fault = "a graph is being recorded"
            raise refused(RuntimeError, where, fault, "a graph must work on the device alone")

        def called() -> None:
            function(*arguments)

        with self._device.lock, self:
            self._device.driver.call(called)

    def __enter__(self) -> Stream:
        stack = self._before.__dict__.setdefault("stack", [])
        with self._device.lock:
            builder.settle(self._device)
            stack.append(self._device.driver.swap_stream(self._handle))
        return self

    def __exit__(self, *_: object) -> None:
        before = self._before.stack.pop()
        with self._device.lock:
            try:
                builder.settle(self._device)
            finally:
                self._device.driver.swap_stream(before)

    def __repr__(self) -> str:
        return f"<Stream {self.pointer:#x} on {self._device}>"


_used: Final = threading.local()
"""By a device's name: the pointer and the handle of the stream before the first `Stream.use` of
this thread, and the stream that was used last, as CuPy's do not live by being used."""


def current_stream(device: Device | str | None = None) -> Stream:
    """Return the stream in which this thread's work on a device runs.

    >>> with xarr.Stream() as stream:
    ...     xarr.current_stream().pointer == stream.pointer
    True
    """
    where = get_device(device, "current_stream(device)")
    with where.lock:
        return Stream(where, pointer=where.driver.current_stream())


def require_stream(stream: Any, where: str) -> None:
    """Refuse what is no stream."""
    if not isinstance(stream, Stream):
        fault = f"stream is of type {type(stream).__name__}"
        raise type_error(where, fault, "stream must be a Stream")


class Event:
    """A point in the work of a stream, for waiting and for measuring time.

    device : Device, str or None -- The device; None for the default device.
    stream : Stream, optional -- The stream to record the event in at once; see `record`.
    timed : bool -- Whether the event records its time, for `elapsed_ms`; untimed events are
        cheaper to wait for.
    blocking : bool -- Whether `synchronize` sleeps instead of polling, on a CUDA device.

    >>> begin, end = xarr.Event(), xarr.Event()
    >>> begin.record()
    >>> x = xarr.ones(1000).sum()
    >>> end.record()
    >>> begin.elapsed_ms(end) >= 0
    True
    """

    def __init__(
        self,
        device: Device | str | None = None,
        stream: Stream | None = None,
        *,
        timed: bool = True,
        blocking: bool = False,
    ) -> None:
        self._device = get_device(device, "Event(device)")
        self._handle: Any = None
        self._timed, self._blocking = timed, blocking
        if stream is not None:
            self.record(stream)

    @property
    def device(self) -> Device:
        """The device of the event."""
        return self._device

    @property
    def done(self) -> bool:
        """Whether all work before the event is done; true if it was never recorded."""
        return self._handle is None or self._device.driver.reached(self._handle)

    def record(self, stream: Stream | None = None) -> None:
        """Record the event in a stream, after the stream's work so far.

        stream : Stream, optional -- The stream; None for the current stream.

        ValueError -- If the stream is not on the device of the event.

        >>> event = xarr.Event()
        >>> event.record()
        >>> event.synchronize()
        """
        where = "Event.record(stream)"
        driver = self._device.driver
        with self._device.lock:
            if stream is None:
                builder.settle(self._device)
                self._handle = driver.mark(timed=self._timed, blocking=self._blocking)
                return
            require_stream(stream, where)
            if stream.device.driver is not driver:
                fault = f"the stream is on {stream.device}"
                raise value_error(where, fault, f"it must be on {self._device}")
            with stream:
                self._handle = driver.mark(timed=self._timed, blocking=self._blocking)

    def wait(self, stream: Stream | None = None) -> None:
        """Make later work of a stream wait for the event.

        Parameters
        ----------
        stream : Stream, optional
            The stream; None for the current stream of the event's device. For a stream of another
            device the host waits, unless both are CUDA devices.

        TypeError -- If the stream is no Stream.

        >>> xarr.Stream().record().wait(xarr.Stream())
        """
        if stream is not None:
            require_stream(stream, "Event.wait(stream)")
        if self._handle is None:
            return
        driver = self._device.driver
        if stream is None:
            with self._device.lock:
                driver.wait(self._handle)
        elif stream.device.driver.reaches(driver):
            with stream.device.lock, stream:
                stream.device.driver.wait(self._handle)
        else:
            self.synchronize()

    def synchronize(self) -> None:
        """Wait until all work before the event is done.

        >>> xarr.Stream().record().synchronize()
        """
        if self._handle is not None:
            self._device.driver.finish(self._handle)

    def elapsed_ms(self, end: Event) -> float:
        """Return the time from this event to a later one, in milliseconds. Waits for both.

        end : Event -- The later event.

        -> float

        TypeError -- If `end` is no Event.
        ValueError -- If an event is not timed, was not recorded, or is on another device.

        >>> begin, end = xarr.Event(), xarr.Event()
        >>> begin.record()
        >>> total = xarr.arange(1000.0).sum()
        >>> end.record()
        >>> begin.elapsed_ms(end) >= 0
        True
        """
        where = "Event.elapsed_ms(end)"
        if not isinstance(end, Event):
            raise type_error(where, f"end is of type {type(end).__name__}", "end must be an Event")
        for name, event in (("the event", self), ("end", end)):
            if not event._timed:
                raise value_error(
                    where,
                    f"{name} has no time",
                    "both events must have one",
                    "make it with timed=True",
                )
            if event._handle is None:
                raise value_error(
                    where,
                    f"{name} was not recorded",
                    "both events must be recorded",
                    "call its record() before",
                )
        if end._device.driver is not self._device.driver:
            raise value_error(where, f"end is on {end._device}", f"it must be on {self._device}")
        self.synchronize()
        end.synchronize()
        return self._device.driver.elapsed(self._handle, end._handle)

    def __repr__(self) -> str:
        return f"<Event on {self._device}, {'done' if self.done else 'under way'}>"


Host = numpy.ndarray[tuple[int, ...], numpy.dtype[Any]]


def empty_pinned(shape: Any, dtype: Any = None, *, device: Device | str | None = None) -> Host:
    """Make a NumPy array in host memory that a device copies from and to at full speed.

    Its content is undefined. For a GPU the memory is page-locked: the system cannot use it for
    anything else while the array exists. CuPy has this function in `cupyx`.

    shape : int or tuple of int -- The shape.
    dtype : dtype, optional -- The data type; None for the default floating-point type.

    -> numpy.ndarray, shape as given

    >>> host = xarr.empty_pinned((2, 3), "float32")
    >>> host.shape
    (2, 3)
    """
    where = "empty_pinned(shape, dtype)"
    target = get_device(device, where)
    row = default_float(target) if dtype is None else dtypes.lookup(dtype, where)
    extents = extents_of(shape, where)
    nbytes = math.prod(extents) * row.itemsize
    if not nbytes:
        return numpy.empty(extents, row.numpy)
    with target.lock:
        memory = target.driver.pinned(nbytes)
    return memory.view(row.numpy).reshape(extents)  # type: ignore[no-any-return]


def copyto_async(dst: Array | Host, src: Array | Host, *, stream: Stream | None = None) -> Event:
    """Copy between the host and a device, or two Arrays, without waiting for the end.

    The copy follows all earlier work of the device, and later work on the Array waits for it. The
    host must not touch its array until the event is done. The copy overlaps other work, and is
    faster, only if that array is from `empty_pinned`.

    dst, src : Array or numpy.ndarray, at least one an Array, shape (...)
        The target and the source, of the same shape and data type. A NumPy array must be
        C-contiguous. Two Arrays are on one device, or on two CUDA devices.
    stream : Stream, optional -- The stream for the copy, on the device of `dst` (of `src` if `dst`
        is NumPy's); None for the current stream.

    -> Event at the end of the copy

    TypeError -- If neither is an Array, if one is no array at all, or if their data types differ.
    ValueError -- If the shapes differ, NumPy's array is not C-contiguous, `dst` is read-only, the
        stream is on another device, or the devices cannot copy directly.
    RuntimeError -- If a graph is being recorded.

    >>> host = xarr.empty_pinned(3, "float32")
    >>> xarr.copyto_async(host, xarr.arange(3, dtype="float32") * 2).synchronize()
    >>> host.tolist()
    [0.0, 2.0, 4.0]
    """
    where = "copyto_async(dst, src)"
    array, host = (dst, src) if type(dst) is Array else (src, dst)
    if type(array) is not Array or not isinstance(host, numpy.ndarray | Array):
        fault = f"dst is of type {type(dst).__name__} and src of {type(src).__name__}"
        accepted = "both must be Arrays, or one an Array and one a NumPy array"
        raise type_error(where, fault, accepted, "use xarr.copyto")
    if array.dtype != host.dtype:
        raise type_error(
            where, f"the dtypes are {array.dtype} and {host.dtype}", "both must have one dtype"
        )
    in_one_piece = type(host) is Array or host.flags.c_contiguous
    if array.shape != host.shape or not in_one_piece:
        fault = f"the shapes are {array.shape} and {host.shape}"
        fault += "" if in_one_piece else ", and NumPy's lies not in one piece"
        raise value_error(where, fault, "both must have one shape and lie in C order")
    if array.device.is_recorded:
        fault = "a graph is being recorded"
        accepted = "a graph must work on the device alone"
        raise refused(RuntimeError, where, fault, accepted, "copy before it or behind it")
    if stream is not None:
        require_stream(stream, where)
    if type(host) is Array and not array.device.driver.reaches(host.device.driver):
        fault = f"dst is on {array.device} and src on {host.device}"
        raise value_error(
            where,
            fault,
            "both must be on one device, or on two of CUDA",
            "use src.to_device(device)",
        )
    if stream is not None and stream.device is not array.device:
        raise value_error(where, f"stream is on {stream.device}", f"it must be on {array.device}")
    recorders.computing(where, array._view)
    event, within = Event(array.device), contextlib.nullcontext() if stream is None else stream
    if isinstance(host, Array):
        with within:  # no lock is held, as a copy between devices takes both in their order
            array[...] = host.to_device(array.device)
            event.record()
        return event
    with array.device.lock, within:
        if array is src:
            if not host.flags.writeable:
                raise value_error(
                    where, "dst cannot be written", "it must be writable", "copy to dst.copy()"
                )
            storage, begin = in_a_row(array._view)
            array.device.driver.download(storage.buffer, begin, host, waits=False)
        else:
            _upload(array, host, where)
        event.record()
    return event


def _upload(array: Array, host: Host, where: str) -> None:
    require_writeable(array, where)
    lies, view = settled(array), array._view
    device = view.device
    if not lies.linear:
        fresh = builder.allocate(device, host.nbytes)
        device.driver.upload(fresh.buffer, 0, host, waits=False)
        assign(array, lies, storage_view(fresh, contiguous(host.shape), view.dtype))
        builder.settle(device)
        return
    storage = view.storage
    assert storage is not None
    builder.release(device, lambda other: other is storage)
    storage.settle()
    storage.writes += 1
    begin = lies.offset * view.dtype.itemsize
    device.driver.upload(storage.buffer, begin, host, waits=False)
