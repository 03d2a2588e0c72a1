"""Graphs: the work of a block, recorded once and launched as often as one likes."""

from __future__ import annotations

import contextlib
import gc
import threading
import weakref
from collections.abc import Callable
from typing import Final, TypeAlias

import numpy

from xarr import dtypes
from xarr.array.array import Array
from xarr.backends.base import Call, buffers_of
from xarr.backends.device import Device, get_device
from xarr.backends.recording import recording
from xarr.errors import refused
from xarr.ir.events import changed
from xarr.ir.storage import Storage
from xarr.ir.views import View, storage_view
from xarr.layout import Layout
from xarr.runtime import host_functions
from xarr.tape import builder
from xarr.tape.tape import tape_of

_Draw: TypeAlias = tuple[Callable[[], tuple[int, int]], Storage]


class Graph:
    """The recorded work of a ``with`` block, which `launch` repeats; `xarr.graph` makes one.

    Another ``with`` block of the graph replaces the recording. On a CUDA device the graph is
    updated in place if its kinds of steps are the same.

    Attributes
    ----------
    device : Device -- The device of the recorded work.
    launches : int -- The number of recorded kernels and copies.

    >>> x = xarr.zeros(2)
    >>> with xarr.graph() as work:
    ...     x += 1
    >>> work.launches > 0
    True
    >>> work.launch()
    >>> x.tolist()
    [2.0, 2.0]
    """

    device: Device
    launches: int

    def __init__(self, device: Device) -> None:
        self.device = device
        self.launches = 0
        self._launch: Callable[[], None] | None = None
        self._block = contextlib.ExitStack()
        self._is_open = False
        self._calls: list[Call] = []
        self._draws: list[_Draw] = []
        self._launched_draws: list[_Draw] = []
        self._let_go: Callable[[], object] | None = None

    def __enter__(self) -> Graph:
        if self._is_open:
            raise self._refusal("it is being recorded", "leave its block before")
        for array in gc.get_objects():
            # Zeros, say, are a number until they are written to; a graph reads where they lie.
            if type(array) is Array and array._view.device is self.device:
                builder.materialise(array._view)
        builder.settle(self.device)
        self._calls = self._block.enter_context(recording(self.device))
        self._block.enter_context(host_functions.fused())
        self._block.enter_context(changed())  # no library has a part in it
        self._block.callback(setattr, self.device, "drawing", None)
        self.device.drawing = self._numbers
        self._is_open = True
        self._draws = []
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        calls, self._calls = self._calls, []
        self._is_open = False
        with self._block:
            if kind is None:
                builder.settle(self.device)
        if kind is not None:
            return
        with self.device.lock:
            self._launch = self.device.driver.graph(calls, self._launch)
        self._launched_draws = self._draws
        self.launches = len(calls)
        used = {id(buffer) for call in calls for buffer in buffers_of(call)}
        _count(self.device, used, 1)
        if self._let_go is not None:
            self._let_go()
        self._let_go = weakref.finalize(self, _count, self.device, used, -1)
        self._let_go.atexit = False

    def launch(self) -> None:
        """Run the recorded work again, in the same memory, after all earlier work of the device.

        The work reads the present values of its operands and overwrites its results. This method
        does not wait for it.

        RuntimeError -- If nothing was recorded, or a graph is being recorded.

        >>> x = xarr.zeros(2)
        >>> with xarr.graph() as work:
        ...     x += 1
        >>> work.launch()
        >>> x.tolist()
        [2.0, 2.0]
        """
        if self._launch is None:
            raise self._refusal("nothing was recorded", "launch it behind its with block")
        with self.device.lock:
            if self.device.is_recorded:
                raise self._refusal("a graph is being recorded", "graphs do not grow")
            builder.release(self.device, lambda storage: id(storage.buffer) in self.device.kept)
            tape_of(self.device).ask(self._again)

    def _again(self) -> None:
        assert self._launch is not None
        for take, storage in self._launched_draws:
            self._write(storage, take())
        self._launch()

    def _numbers(self, take: Callable[[], tuple[int, int]]) -> tuple[View, View]:
        """The number and the key of a random draw, in memory that launches write before they run.

        As operands they are the only thing that two draws by the same kernel differ in.
        """
        with self.device.lock:
            storage = builder.allocate(self.device, 2 * dtypes.uint64.itemsize)
            self._write(storage, take())
        self._draws.append((take, storage))
        draw, key = (storage_view(storage, Layout((), (), at), dtypes.uint64) for at in range(2))
        return draw, key

    def _write(self, storage: Storage, numbers: tuple[int, int]) -> None:
        host = numpy.array(numbers, numpy.uint64)
        self.device.driver.upload(storage.buffer, 0, host, waits=False)

    def _refusal(self, given: str, remedy: str) -> RuntimeError:
        return refused(RuntimeError, f"graph on {self.device}", given, "", remedy)

    def __repr__(self) -> str:
        return f"<Graph of {self.launches} launches on {self.device}>"


def graph(device: Device | str | None = None) -> Graph:
    """Record the device work of a ``with`` block, to launch it again at little cost.

    The block runs normally, once, while it is recorded. ``g.launch()`` then repeats its launches:
    on a CUDA device as one CUDA graph, elsewhere one after the other. Operands and results keep
    their memory: write new values into an operand, as ``x[...] = values``, before a launch.

    RuntimeError -- In the block, if the host reads a value (as `float(x)`, a mask and `nonzero` do)
        or draws a random number, or if another graph is being recorded.

    Note: Values that come from the host within the block are copied once, not at each launch. Each
    launch draws new random arrays. Products and transforms run by xarr's own kernels, not by the
    device's libraries. The graph keeps the memory of temporaries, and arrays without memory get it
    (`zeros` has none until it is written to). Work of other threads on the device is recorded too.

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
