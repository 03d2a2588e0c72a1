"""Copies between host and device that nobody waits for, and the host's memory for them."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy

from xarr import dtypes
from xarr.array.array import Array
from xarr.array.layouts import assign, require_writeable, settled
from xarr.array.transfers import in_a_row
from xarr.backends.device import Device, default_float, get_device
from xarr.core.tape import leaf
from xarr.engine import engine
from xarr.errors import refused, type_error, value_error
from xarr.functions.device.streams import Event, Stream, require_stream
from xarr.layout import contiguous, extents_of

Host = numpy.ndarray[tuple[int, ...], numpy.dtype[Any]]


def empty_pinned(shape: Any, dtype: Any = None, *, device: Device | str | None = None) -> Host:
    """A NumPy array in memory of the host's that a device copies from and to at full speed.

    Its content is undefined. The memory is page-locked where the device is a GPU: the system has
    that much less for everything else, as long as the array is there. CuPy has it in `cupyx`.

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
    """Copy between the host and a device without waiting for it; give the end of the copy.

    The copy comes behind all that was asked of the device before, and what is asked afterwards of
    the Array waits for it. The host has to leave its array alone until the event is done. It is
    faster, and only then beside other work, where that array is of `empty_pinned`.

    dst, src : Array and numpy.ndarray, or numpy.ndarray and Array, shape (...) -- What is written,
        and what is read. Both have one shape and data type; NumPy's lies in one piece, in C order.
    stream : Stream, optional
        The stream of the Array's device that copies; the current one where None.

    TypeError -- If not one is an Array and the other one NumPy's, or their data types differ.
    ValueError -- If the shapes differ, NumPy's array does not lie in one piece, `dst` cannot be
        written, or the stream is another device's.

    >>> host = xarr.empty_pinned(3, "float32")
    >>> xarr.copyto_async(host, xarr.arange(3, dtype="float32") * 2).synchronize()
    >>> host.tolist()
    [0.0, 2.0, 4.0]
    """
    where = "copyto_async(dst, src)"
    array, host = (dst, src) if type(dst) is Array else (src, dst)
    if type(array) is not Array or not isinstance(host, numpy.ndarray):
        fault = f"dst is of type {type(dst).__name__} and src of {type(src).__name__}"
        accepted = "an Array and an array of NumPy's are accepted"
        raise type_error(where, fault, accepted, "use xarr.copyto")
    if array.dtype != host.dtype:
        raise type_error(where, f"the dtypes are {array.dtype} and {host.dtype}", "they are one")
    if array.shape != host.shape or not host.flags.c_contiguous:
        raise value_error(
            where,
            f"the shapes are {array.shape} and {host.shape}"
            + ("" if host.flags.c_contiguous else ", and NumPy's lies not in one piece"),
            "arrays of one shape in C order are accepted",
        )
    if array.device.is_recorded:
        fault = "a graph is being recorded"
        accepted = "a graph works on the device alone"
        raise refused(RuntimeError, where, fault, accepted, "copy before it or behind it")
    if stream is not None:
        require_stream(stream, where)
    if stream is not None and stream.device is not array.device:
        raise value_error(where, f"stream is on {stream.device}", f"{array.device} is accepted")
    with array.device.lock, contextlib.nullcontext() if stream is None else stream:
        if array is src:
            if not host.flags.writeable:
                raise value_error(where, "dst cannot be written", "")
            storage, begin = in_a_row(array._node)
            array.device.driver.download(storage.buffer, begin, host, waits=False)
        else:
            _upload(array, host, where)
        event = Event(array.device)
        event.record()
    return event


def _upload(array: Array, host: Host, where: str) -> None:
    require_writeable(array, where)
    lies, node = settled(array), array._node
    device = node.device
    if not lies.linear:
        fresh = engine.allocate(device, host.nbytes)
        device.driver.upload(fresh.buffer, 0, host, waits=False)
        assign(array, lies, leaf(fresh, contiguous(host.shape), node.dtype))
        engine.settle(device)
        return
    storage = node.storage
    assert storage is not None
    engine.release(device, lambda other: other is storage)
    storage.settle()
    storage.writes += 1
    begin = lies.offset * node.dtype.itemsize
    device.driver.upload(storage.buffer, begin, host, waits=False)
