"""Streams and events: order by memory, whatever is asked where, on every backend."""

from __future__ import annotations

import gc
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import xarr
from tests.functions.calls import all_refused
from tests.launching import storage_of, together
from tests.reference import assert_same
from xarr.tape import builder


def current(device: xarr.Device) -> int:
    driver: Any = device.driver
    before = driver.swap_stream(xarr.Stream(device)._handle)
    driver.swap_stream(before)
    return int(driver.stream_pointer(before))


def test_a_stream_is_current_within_its_block_and_its_thread(device: xarr.Device) -> None:
    outer, inner = xarr.Stream(device), xarr.Stream(device)
    default = current(device)
    elsewhere = []
    with outer:
        assert current(device) == outer.pointer
        with inner, outer:
            assert current(device) == outer.pointer
        assert current(device) == outer.pointer
        together(lambda: elsewhere.append(current(device)))
        x = xarr.ones(1000, device=device) + 1
        builder.compute(x._view)
        assert current(device) == outer.pointer, "after an allocation and a launch"
    assert current(device) == default
    assert elsewhere == [default]
    with pytest.raises(ZeroDivisionError), inner:
        raise ZeroDivisionError
    assert current(device) == default


def test_a_block_ends_its_stream_also_where_what_is_pending_fails(device: xarr.Device) -> None:
    default = current(device)
    with pytest.raises(MemoryError), xarr.Stream(device):
        xarr.zeros(device.memory_nbytes // 2, dtype="float32", device=device) + 1
    assert current(device) == default


def test_a_foreign_stream_is_wrapped(device: xarr.Device) -> None:
    own = xarr.Stream(device)
    wrapped = xarr.Stream(device, pointer=own.pointer)
    assert wrapped.pointer == own.pointer
    with wrapped:
        x = xarr.ones(1000, device=device) + 1
    with own:
        y = x * 2
    assert float(y.sum()) == 4000
    assert str(device) in repr(wrapped)
    x = xarr.arange(10, device=device)
    other = device.pretending("as-gpu")
    y = x.to_device(other, stream=xarr.Stream(other))
    assert y.device is other
    assert_same(np.asarray(y), np.arange(10), "to_device")
    all_refused(
        """
        np.Stream(device, pointer={-1|1.5|"0"}) ! TypeError: pointer
        np.Stream(device, priority={1.5|"0"}) ! TypeError: priority
        np.Stream("opencl:99") ! ValueError: no device
        x.to_device(other, stream={0|1|"stream"}) ! ValueError: xarr.Stream
        """,
        {"device": device, "x": x, "other": other},
    )


def test_events(device: xarr.Device) -> None:
    stream = xarr.Stream(device)
    begin, end = xarr.Event(device), xarr.Event(device)
    assert begin.done
    begin.synchronize()
    begin.wait()
    all_refused(
        """
        begin.elapsed_ms(end) ! ValueError: not recorded
        {begin.record(3)|begin.wait(3)|begin.elapsed_ms(3)} ! TypeError: of type int
        np.copyto_async(np.ones(2), numpy.ones(2), stream=3) ! TypeError: of type int
        """,
        {"begin": begin, "end": end},
    )
    begin.record()
    x = xarr.arange(1_000_000, dtype="float32", device=device)
    pending = xarr.sin(x) + xarr.cos(x)
    end.record()
    assert storage_of(pending).buffer is not None  # what was asked before the event is before it
    took = begin.elapsed_ms(end)
    assert 0 < took < 60_000
    assert end.done
    with stream:
        y = pending * 2
        inside = stream.record()
    inside.wait()
    inside.wait(stream)
    stream.synchronize()
    assert inside.done
    assert end.elapsed_ms(inside) >= 0
    assert storage_of(y).buffer is not None
    assert "done" in repr(inside)
    answers: list[Any] = []
    together(lambda: answers.extend((end.done, begin.elapsed_ms(end) >= 0)))
    assert answers == [True, True]  # in a thread that did nothing else


def test_a_stream_waits_and_calls(device: xarr.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    unraisable: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", lambda told: unraisable.append(told.exc_type))
    first, second = xarr.Stream(device), xarr.Stream(device)
    came: list[Any] = []
    with first:
        x = xarr.ones(100_000, device=device) + 1
    second.wait(first)
    second.wait(first.record(timed=False))
    second.call(came.append, "one")
    second.call(lambda: 1 / 0)
    second.call(came.append, "two")
    second.synchronize()
    assert came == ["one", "two"]
    assert unraisable == [ZeroDivisionError]
    assert any(second.done for _ in range(100))  # a marker of OpenCL's may take a moment
    assert any(first.done for _ in range(100))
    assert float(x.sum()) == 200_000
    if device.info.memory == "CUDA":
        assert first.__cuda_stream__() == (0, first.pointer)
        theirs = SimpleNamespace(__cuda_stream__=lambda: (0, second.pointer))
        first.wait(theirs)
    else:
        assert not hasattr(first, "__cuda_stream__")
    all_refused(
        """
        stream.wait({3|None}) ! TypeError: an Event or a Stream
        stream.call(3) ! TypeError: function is 3
        """,
        {"stream": first},
    )
    with xarr.graph(device), pytest.raises(RuntimeError, match="a graph is being recorded"):
        first.call(print)


def test_a_stream_is_used_until_another_one_is(device: xarr.Device) -> None:
    before = xarr.current_stream(device)
    default = before.pointer
    elsewhere = []
    try:
        pointer = xarr.Stream(device).use().pointer  # nobody else keeps it
        gc.collect()
        assert xarr.current_stream(device).pointer == pointer
        with xarr.Stream(device):
            assert xarr.current_stream(device).pointer != pointer
        assert xarr.current_stream(device).pointer == pointer
        together(lambda: elsewhere.append(xarr.current_stream(device).pointer))
        x = xarr.ones(1000, device=device) + 1
    finally:
        before.use()
    assert xarr.current_stream(device).pointer == default
    assert elsewhere == [default]
    assert float(x.sum()) == 2000


def test_events_without_times(device: xarr.Device) -> None:
    stream = xarr.Stream(device)
    event, timed = xarr.Event(device, timed=False, blocking=True), xarr.Event(device, stream)
    event.record(stream)
    event.synchronize()
    assert event.done
    all_refused(
        """
        {event.elapsed_ms(timed)|timed.elapsed_ms(event)} ! ValueError: both events must
        """,
        {"event": event, "timed": timed},
    )


def test_attributes_of_a_device(device: xarr.Device) -> None:
    found = device.attributes
    assert found["multiprocessor_count"] == device.info.compute_units
    assert found["max_threads_per_block"] == device.info.group_size
    assert set(dir(device)) < set(vars(xarr.Device)) | {"info"}
    assert "driver" not in dir(device)
    assert ("cl_context" in dir(device)) is hasattr(device, "cl_context")
    assert ("cuda" in dir(device)) is (device.info.memory == "CUDA")
    if device.backend == "opencl":
        assert found["max_compute_units"] > 0
    if device.info.memory != "CUDA":
        with pytest.raises(AttributeError, match="no CUDA device"):
            device.cuda  # noqa: B018
        with pytest.raises(RuntimeError, match=r"send numpy\.asarray"):
            xarr.ipc_handle(xarr.ones(3, device=device))
    with pytest.raises(TypeError, match="of type list"):
        xarr.ipc_handle([1])  # type: ignore[arg-type]


def test_what_is_pending_runs_where_it_was_asked(device: xarr.Device) -> None:
    """Entering and leaving a stream asks for what is pending."""
    stream = xarr.Stream(device)
    x = xarr.ones(2000, device=device)
    before = x + 1
    with stream:
        assert storage_of(before).buffer is not None
        within = before * 2
        assert storage_of(within).buffer is None
    assert storage_of(within).buffer is not None
    after = within + 1
    device.synchronize()
    assert storage_of(after).buffer is not None
    assert float(after[0]) == 5


def test_two_threads_with_a_stream_each(device: xarr.Device) -> None:
    shared = xarr.arange(10_000, dtype="int64", device=device)
    wrong = []
    streams = [xarr.Stream(device) for _ in range(4)]

    def work(place: int) -> None:
        with streams[place]:
            ends = []
            for first in (shared, np.arange(10_000)):
                x: Any = first
                for step in range(50):
                    x = (x + first * place) & 0xFFFF
                    if step % 10 == 9:
                        x[::3] = x[1::3][: x[::3].shape[0]].sum() & 0xFF
                ends.append(np.asarray(x))
            if not np.array_equal(*ends):
                wrong.append(place)

    together(*(partial(work, place) for place in range(4)))
    assert not wrong


def test_queues_that_cannot_be_streams(device: xarr.Device) -> None:
    if device.backend != "opencl":
        pytest.skip(f"{device} is not of OpenCL")
    cl = pytest.importorskip("pyopencl")
    driver: Any = device.driver
    out_of_order = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    if driver._device.queue_properties & out_of_order:
        queue = cl.CommandQueue(driver._context, properties=out_of_order)
        with pytest.raises(ValueError, match="does not keep the order"):
            xarr.Stream(device, pointer=queue.int_ptr)
    context = cl.Context([driver._device])
    queue = cl.CommandQueue(context)
    with pytest.raises(ValueError, match="another context"):
        xarr.Stream(device, pointer=queue.int_ptr)
    queue = cl.CommandQueue(driver._context)  # notes no times
    with xarr.Stream(device, pointer=queue.int_ptr):
        begin, end = xarr.Event(device), xarr.Event(device)
        begin.record()
        (xarr.ones(1000, device=device) + 1).sum()
        end.record()
    assert begin.elapsed_ms(end) >= 0
