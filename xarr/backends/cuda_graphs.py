"""CUDA graphs: launches by one call, whose parameters change."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from xarr.backends.base import Asked
from xarr.backends.cuda_kernels import Kernel, Kernels, in_three_dimensions
from xarr.backends.cuda_streams import Block

_RELAXED: Final = 2
"""CU_STREAM_CAPTURE_MODE_RELAXED."""


class _NodeParameters(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS_v2."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        *((name, ctypes.c_uint) for name in ("gx", "gy", "gz", "ix", "iy", "iz", "local_nbytes")),
        *((name, ctypes.c_void_p) for name in ("parameters", "extra", "kernel", "context")),
    )


class LaunchGraph:
    """Launches by one call: a graph, one node behind the other, whose parameters change.

    A call of its own sets a node's parameters, so only where they have changed. Ten launches take
    the host 79 us on an H200, a graph of them 14. By ctypes: bindings make objects of all this.
    A function among the launches asks a library for work; what it launches is captured.
    """

    __slots__ = (
        "__weakref__",
        "_before",
        "_cuda",
        "_driver",
        "_given",
        "_held",
        "_nodes",
        "_ready",
        "_stream",
    )

    def __init__(self, driver: Kernels, asked: Sequence[Asked | Callable[[], None]]) -> None:
        self._cuda = cuda = driver.library
        self._driver = driver
        self._given: list[Any] = []
        self._nodes: list[Any] = []
        self._held: list[Any] = []  # memory that libraries took
        self._stream: Any = None  # that captures
        self._before: Any = (ctypes.c_void_p * 0)()  # the nodes that the next one waits for
        graph, ready = ctypes.c_void_p(), ctypes.c_void_p()
        driver.check("sequence", (cuda.cuGraphCreate(ctypes.byref(graph), 0),))
        try:
            for one in asked:
                if callable(one):
                    self._capture(graph, one)
                    self._given.append(None)
                    self._nodes.append(None)
                else:
                    self._add(graph, one)
            status = cuda.cuGraphInstantiateWithFlags(
                ctypes.byref(ready), graph, ctypes.c_ulonglong(0)
            )
            driver.check("sequence", (status,))
        except BaseException:
            cuda.cuGraphDestroy(graph)
            raise
        self._nodes = [one and (ready, one[0], ctypes.byref(one[1])) for one in self._nodes]
        kernels = [one[0].handle for one in asked if not callable(one)]
        # At exit nothing is destroyed that handlers and daemon threads of the program still use.
        weakref.finalize(self, destroyed, cuda.cuGraphExecDestroy, ready, kernels).atexit = False
        weakref.finalize(self, cuda.cuGraphDestroy, graph).atexit = False  # whose nodes these are
        self._ready = ready

    def _add(self, graph: Any, asked: Asked) -> None:
        """Add a launch behind what there is."""
        cuda = self._cuda
        kernel, (grid, group), buffers, arguments, _ = asked
        where = in_three_dimensions(grid, group)
        address = kernel.handle.filled(buffers, arguments)
        how = _NodeParameters(int(kernel.handle.function), *where, 0, address)
        node = ctypes.c_void_p()
        status = cuda.cuGraphAddKernelNode_v2(
            ctypes.byref(node), graph, self._before, ctypes.c_size_t(len(self._before)),
            ctypes.byref(how),
        )  # fmt: skip
        self._driver.check("sequence", (status,))
        # With all that the driver has added, so that only the parameters change.
        status = cuda.cuGraphKernelNodeGetParams_v2(node, ctypes.byref(how))
        self._driver.check("sequence", (status,))
        how.parameters, how.extra = address, None
        self._nodes.append((node, how))
        self._given.append([*[block.pointer for block in buffers], arguments])
        self._before = (ctypes.c_void_p * 1)(node)

    def _capture(self, graph: Any, work: Callable[[], None]) -> None:
        """Add what a library is asked for behind what there is."""
        cuda, driver = self._cuda, self._driver
        if self._stream is None:
            self._stream = driver.create_stream()
        stream = ctypes.c_void_p(driver.stream_pointer(self._stream))
        status = cuda.cuStreamBeginCaptureToGraph(
            stream, graph, self._before, None, ctypes.c_size_t(len(self._before)), _RELAXED
        )
        driver.check("sequence", (status,))
        state, number, count = ctypes.c_int(), ctypes.c_uint64(), ctypes.c_size_t()
        nodes, filled = ctypes.POINTER(ctypes.c_void_p)(), ctypes.c_void_p()
        try:
            with driver.captured_by(self._stream, self._held):
                work()
            status = cuda.cuStreamGetCaptureInfo_v2(
                stream, ctypes.byref(state), ctypes.byref(number), ctypes.byref(filled),
                ctypes.byref(nodes), ctypes.byref(count),
            )  # fmt: skip
            driver.check("sequence", (status,))
            self._before = (ctypes.c_void_p * count.value)(*nodes[: count.value])
        finally:
            status = cuda.cuStreamEndCapture(stream, ctypes.byref(filled))
        driver.check("sequence", (status,))

    def run(self, asked: Sequence[Asked]) -> bool:
        """Whether all were asked for; not where somebody looks at each, or records the stream."""
        changed = [self.change(number, one) for number, one in enumerate(asked)]
        return all(changed) and self.again(block for one in asked for block in one[2])

    def change(self, number: int, asked: Asked) -> bool:
        """Set the buffers and arguments of a launch; whether the driver takes them."""
        kernel, _, buffers, arguments, _ = asked
        now: list[Any] = [block.pointer for block in buffers]
        now.append(arguments)
        if now != self._given[number]:
            self._given[number] = None
            kernel.handle.filled(buffers, arguments)
            with self._driver.entered():
                status = self._cuda.cuGraphExecKernelNodeSetParams_v2(*self._nodes[number])
            if status:
                return False
            self._given[number] = now
        return True

    def again(self, blocks: Iterable[Block]) -> bool:
        """Ask for all launches as they are, which use some blocks; as `run`."""
        driver = self._driver
        if "launch" in vars(driver):
            return False
        if driver.is_plain():
            with driver.entered():
                return not self._launch(driver.default_stream)
        if self._stream is not None:  # libraries' memory is ordered by no event
            return False
        with driver.context:
            used = list({id(block): block for block in blocks}.values())
            stream = driver.begin(used)
            status = self._launch(stream)
            if not status:
                driver.end(stream, used)
        return not status

    def _launch(self, stream: int) -> int:
        driver, count = self._driver, len(self._given)
        driver.launched += count
        status: int = self._cuda.cuGraphLaunch(self._ready, ctypes.c_void_p(stream))
        if status:
            driver.launched -= count
        return status


class CallGraph:
    """Launches and copies of a program's graph by one call, which are always the same.

    ready : CUgraphExec -- The graph, instantiated.
    blocks, kernels : sequence of Block, list of Kernel -- What it uses, kept as long as it is.
    """

    __slots__ = ("__weakref__", "_blocks", "_driver", "_kernels", "_ready")

    def __init__(
        self, driver: Kernels, ready: Any, blocks: Sequence[Block], kernels: list[Kernel]
    ) -> None:
        self._driver = driver
        self._ready = ready
        self._blocks = blocks
        self._kernels = kernels
        destroy = driver._cuda.cuGraphExecDestroy
        weakref.finalize(self, destroyed, destroy, ready, kernels).atexit = False

    def __call__(self) -> None:
        """Ask the current stream for all of it."""
        driver = self._driver
        with driver.context:
            stream = driver.begin(self._blocks)
            driver.check("graph", driver._cuda.cuGraphLaunch(self._ready, stream))
            driver.end(stream, self._blocks)

    def update(self, recorded: Any, blocks: Sequence[Block], kernels: list[Kernel]) -> bool:
        """Have other parameters, those of a recorded graph; whether the driver takes them.

        It refuses other kinds of nodes, or another order of them, and leaves this one unusable.
        """
        (status, _) = self._driver._cuda.cuGraphExecUpdate(self._ready, recorded)
        if status:
            return False
        self._blocks = blocks
        self._kernels[:] = kernels
        return True


def destroyed(destroy: Callable[[Any], Any], ready: Any, _kernels: list[Kernel]) -> None:
    """Destroy a graph, whose kernels were kept until now."""
    destroy(ready)
