"""`kernel` with the host's words of Numba's `cuda`, so that its programs change one import."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from xarr.array.array import Array
from xarr.array.coerce import as_array
from xarr.functions.create import fills
from xarr.functions.device.streams import Event, Stream, current_stream, empty_pinned
from xarr.functions.names.inspection import synchronize
from xarr.user_kernels.threads.kernel import kernel as kernel


def _on(stream: Any) -> AbstractContextManager[Any]:
    """Return the block in which a stream is the current one; 0 and None are no stream."""
    is_default = stream is None or (type(stream) is int and stream == 0)
    found: AbstractContextManager[Any] = nullcontext() if is_default else stream
    return found


def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: Any = None) -> Array:
    """Copy values to the default device: Numba's name of `xarr.asarray`.

    obj : Array or values -- The values.
    stream : Stream -- The stream to copy in; 0 for the current one.
    copy : bool -- Accepted for compatibility; has no effect.
    to : Array, optional -- An array to write the values to; None for a new one.

    >>> xarr.kernel.to_device([1.0, 2.0]).tolist()
    [1.0, 2.0]
    """
    with _on(stream):
        if to is None:
            return as_array(obj, "to_device(obj)", "obj")
        to[...] = obj
        return to  # type: ignore[no-any-return]


def device_array(shape: Any, dtype: Any = None, strides: Any = None, stream: Any = 0) -> Array:
    """Make an array of unspecified values: Numba's name of `xarr.empty`.

    strides, stream : object -- Accepted for compatibility; have no effect.

    >>> xarr.kernel.device_array((2, 3), "float32").shape
    (2, 3)
    """
    return fills.empty(shape, dtype=dtype)


def device_array_like(ary: Any, stream: Any = 0) -> Array:
    """Make an array of unspecified values, with the shape and data type of another array.

    stream : object -- Accepted for compatibility; has no effect.

    >>> xarr.kernel.device_array_like(xarr.ones(3, dtype="int8")).dtype
    dtype('int8')
    """
    return fills.empty(ary.shape, dtype=ary.dtype)


def pinned_array_like(ary: Any) -> Any:
    """Make a NumPy array like another one, as `xarr.empty_pinned` does.

    >>> xarr.kernel.pinned_array_like(xarr.ones((2, 3))).shape
    (2, 3)
    """
    return empty_pinned(ary.shape, ary.dtype)


def event(timing: bool = True) -> Event:
    """Make an `xarr.Event`: Numba's name of it.

    timing : bool -- Whether the event measures time, for `event_elapsed_time`.

    >>> event = xarr.kernel.event()
    >>> event.record()
    >>> event.synchronize()
    """
    return Event(timed=timing)


def event_elapsed_time(evtstart: Event, evtend: Event) -> float:
    """Return the time between two events, in milliseconds.

    evtstart, evtend : Event -- The recorded events, made with `timing`.

    >>> start, end = xarr.kernel.event(), xarr.kernel.event()
    >>> start.record()
    >>> end.record()
    >>> xarr.kernel.event_elapsed_time(start, end) >= 0
    True
    """
    return evtstart.elapsed_ms(evtend)


def is_available() -> bool:
    """Return True: kernels can be launched on every device, a CPU too.

    >>> xarr.kernel.is_available()
    True
    """
    return True


vars(kernel).update(
    to_device=to_device,
    device_array=device_array,
    device_array_like=device_array_like,
    pinned_array=empty_pinned,
    pinned_array_like=pinned_array_like,
    stream=Stream,
    default_stream=current_stream,
    event=event,
    event_elapsed_time=event_elapsed_time,
    synchronize=synchronize,
    is_available=is_available,
)
