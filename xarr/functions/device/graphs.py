"""Graphs: the work of a block, recorded once and launched as often as one likes."""

from __future__ import annotations

import contextlib
import gc
import threading
import weakref
from collections.abc import Callable
from typing import Final

from xarr.array.array import Array
from xarr.backends.base import Call, buffers_of
from xarr.backends.device import Device, get_device
from xarr.backends.recording import recording
from xarr.engine import engine, hosted
from xarr.engine.opcodes import tape_of
from xarr.errors import refused


class Graph:
    """The work of a ``with`` block, which `launch` repeats; `xarr.graph` makes one.

    Attributes
    ----------
    device : Device
        The device whose work it is.
    launches : int
        How many kernels and copies it has.
    """

    device: Device
    launches: int

    def __init__(self, device: Device) -> None:
        self.device = device
        self.launches = 0
        self._launch: Callable[[], None] | None = None
        self._block = contextlib.ExitStack()
        self._calls: list[Call] = []

    def __enter__(self) -> Graph:
        if self._launch is not None or self._calls:
            raise self._refusal("it is recorded already", "make another one with xarr.graph()")
        for array in gc.get_objects():
            # Zeros, say, are a number until they are written to; a graph reads where they lie.
            if type(array) is Array and array._node.device is self.device:
                engine.placed(array._node)
        engine.settle(self.device)
        self._calls = self._block.enter_context(recording(self.device))
        self._block.enter_context(hosted.fused())
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        calls, self._calls = self._calls, []
        with self._block:
            if kind is None:
                engine.settle(self.device)
        if kind is not None:
            return
        with self.device.lock:
            self._launch = self.device.driver.graph(calls)
        self.launches = len(calls)
        used = {id(buffer) for call in calls for buffer in buffers_of(call)}
        _count(self.device, used, 1)
        weakref.finalize(self, _count, self.device, used, -1).atexit = False

    def launch(self) -> None:
        """Do all of it again, in the memory in which it was done, behind all asked before.

        It reads what its operands have now and writes into the same results. It waits for nothing.
        """
        if self._launch is None:
            raise self._refusal("nothing was recorded", "launch it behind its with block")
        with self.device.lock:
            if self.device.is_recorded:
                raise self._refusal("a graph is being recorded", "graphs do not grow")
            engine.release(self.device, lambda storage: id(storage.buffer) in self.device.kept)
            tape_of(self.device).ask(self._launch)

    def _refusal(self, given: str, remedy: str) -> RuntimeError:
        return refused(RuntimeError, f"graph on {self.device}", given, "", remedy)

    def __repr__(self) -> str:
        return f"<Graph of {self.launches} launches on {self.device}>"


def graph(device: Device | str | None = None) -> Graph:
    """Record what a ``with`` block asks of a device, to launch all of it again at little cost.

    The block runs as ever, once, while it is recorded. ``g.launch()`` then repeats its launches: as
    one CUDA graph, elsewhere one after the other. Operands are read, and results are written,
    where they lie: write new values into an operand, as ``x[...] = values``, before a launch.

    RuntimeError -- In the block, where the host reads a value, as `float(x)`, a mask and `nonzero`
        do; and where a graph is recorded within another one.

    Note: What comes from the host within the block is moved once, not at each launch, and random
    numbers are the same at each. The libraries of a device stand aside: xarr's kernels compute
    products and transforms. The memory of temporaries stays with the graph, and all arrays get
    memory that have none yet, as `zeros` has not until it is written to. What other threads ask of
    the device meanwhile is recorded with it.

    >>> x = xarr.zeros(3)
    >>> with xarr.graph() as g:
    ...     y = (x + 1) * 2
    >>> x[...] = 4
    >>> g.launch()
    >>> y.tolist()
    [10.0, 10.0, 10.0]
    """
    return Graph(get_device(device, "graph(device)"))


_counting: Final = threading.Lock()
"""Nothing is called while it is held, so no garbage is collected."""


def _count(device: Device, buffers: set[int], number: int) -> None:
    """Count one graph more, or one less, that uses buffers; from whichever thread."""
    with _counting:
        for buffer in buffers:
            count = device.kept.get(buffer, 0) + number
            if count:
                device.kept[buffer] = count
            else:
                del device.kept[buffer]
