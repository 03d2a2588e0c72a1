"""CUDA graphs: launches by one call, whose parameters change."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from xarr.backends.base import Asked
from xarr.backends.cuda_bindings import libcuda
from xarr.backends.cuda_kernels import Kernel, Kernels, Parameters, in_three_dimensions


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
    """

    __slots__ = ("__weakref__", "_driver", "_given", "_nodes", "_parameters", "_ready")

    def __init__(self, driver: Kernels, asked: Sequence[Asked]) -> None:
        cuda = libcuda()
        self._driver = driver
        self._parameters: list[Parameters] = []
        self._given: list[Any] = [None] * len(asked)
        self._nodes: list[tuple[Any, ...]] = []
        graph, ready = ctypes.c_void_p(), ctypes.c_void_p()
        driver.check("sequence", (cuda.cuGraphCreate(ctypes.byref(graph), 0),))
        try:
            before = None
            made = []
            for kernel, (grid, group), buffers, _, _ in asked:
                parameters = Parameters(len(buffers))
                where = in_three_dimensions(grid, group)
                how = _NodeParameters(int(kernel.handle.function), *where, 0, parameters.address)
                node = ctypes.c_void_p()
                others: Any = None if before is None else ctypes.byref(before)
                status = cuda.cuGraphAddKernelNode_v2(
                    ctypes.byref(node), graph, others, ctypes.c_size_t(before is not None),
                    ctypes.byref(how),
                )  # fmt: skip
                driver.check("sequence", (status,))
                # With all that the driver has added, so that only the parameters change.
                status = cuda.cuGraphKernelNodeGetParams_v2(node, ctypes.byref(how))
                driver.check("sequence", (status,))
                how.parameters, how.extra = parameters.address, None
                self._parameters.append(parameters)
                made.append((node, how))
                before = node
            status = cuda.cuGraphInstantiateWithFlags(
                ctypes.byref(ready), graph, ctypes.c_ulonglong(0)
            )
            driver.check("sequence", (status,))
        except BaseException:
            cuda.cuGraphDestroy(graph)
            raise
        self._ready = ready
        self._nodes = [(ready, node, ctypes.byref(how)) for node, how in made]
        kernels = [one[0].handle for one in asked]
        weakref.finalize(self, destroyed, cuda.cuGraphExecDestroy, ready, kernels)
        weakref.finalize(self, cuda.cuGraphDestroy, graph)  # whose nodes these are

    def run(self, asked: Sequence[Asked]) -> bool:
        """Whether all were asked for; not where somebody looks at each, or records the stream."""
        driver = self._driver
        if "launch" in vars(driver):
            return False
        if driver.is_plain() and driver.is_current():
            return not self._launch(asked, driver.default_stream)
        with driver.context:
            blocks = list({id(block): block for one in asked for block in one[2]}.values())
            stream = driver.begin(blocks)
            status = self._launch(asked, stream)
            if not status:
                driver.end(stream, blocks)
        return not status

    def _launch(self, asked: Sequence[Asked], stream: int) -> int:
        cuda = libcuda()
        given = self._given
        for number, (_, _, buffers, arguments, _) in enumerate(asked):
            now: list[Any] = [block.pointer for block in buffers]
            now.append(arguments)
            if now != given[number]:
                given[number] = None
                self._parameters[number].fill(now)
                status: int = cuda.cuGraphExecKernelNodeSetParams_v2(*self._nodes[number])
                if status:
                    return status
                given[number] = now
        self._driver.launched += len(asked)
        status = cuda.cuGraphLaunch(self._ready, ctypes.c_void_p(stream))
        if status:
            self._driver.launched -= len(asked)
        return status


def destroyed(destroy: Callable[[Any], Any], ready: Any, _kernels: list[Kernel]) -> None:
    """Destroy a graph, whose kernels were kept until now."""
    destroy(ready)
