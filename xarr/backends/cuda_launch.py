# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""The driver's most frequent functions, called by their addresses from compiled code.

By the bindings, with parameters that Python packs, a launch takes the host 5 us, so 1; reading a
number takes 9 beside the wait for it, so 2; a wait takes 4, so 0.5.
"""

from __future__ import annotations

import ctypes
from typing import Any

from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.backends.cuda_pool import Block
    from xarr.ir._cython import (
        foreign as _called,
        foreign as _called_at,
        foreign as _copied,
        foreign as _waited,
    )

is_compiled: bool = cython.compiled
_MOST = cython.declare(cython.Py_ssize_t, 512)
"""Pointers that fit the 4,096 bytes of a kernel's parameters."""
_FUNCTIONS = ("cuLaunchKernel", "cuMemcpyDtoH_v2", "cuCtxSynchronize", "cuCtxGetCurrent")


@cython.cclass
class DriverCalls:
    """Calls of the driver's functions for one context, which return the driver's status.

    Only compiled code can make them: `is_compiled`.
    """

    context: int
    launch_entry: int
    copy_entry: int
    wait_entry: int
    current_entry: int

    def __init__(self, library: Any, context: int) -> None:
        """Look the functions up in the driver's library, of ctypes."""
        self.context = context
        self.launch_entry, self.copy_entry, self.wait_entry, self.current_entry = [
            ctypes.cast(library[name], ctypes.c_void_p).value or 0 for name in _FUNCTIONS
        ]

    @cython.ccall
    def launch(
        self,
        function: cython.Py_ssize_t,
        grid: tuple[Any, ...],
        group: tuple[Any, ...],
        buffers: Any,
        arguments: bytes,
        stream: cython.Py_ssize_t,
    ) -> cython.int:
        """Launch a kernel whose parameters are buffers and then a struct."""
        block: Block
        count: cython.Py_ssize_t = 0
        pointers = cython.declare(cython.ulonglong[512])
        for block in buffers:
            if count == _MOST:
                raise ValueError(f"a kernel must have at most {_MOST} buffers")
            pointers[count] = block.pointer
            count += 1
        return _called(  # type: ignore[no-any-return]
            self.launch_entry, function, grid[0], _extent(grid, 1), _extent(grid, 2),
            group[0], _extent(group, 1), _extent(group, 2), pointers, count, arguments, stream,
        )  # fmt: skip

    @cython.ccall
    def launch_at(
        self,
        function: cython.Py_ssize_t,
        grid: tuple[Any, ...],
        group: tuple[Any, ...],
        parameters: cython.Py_ssize_t,
        nbytes: cython.Py_ssize_t,
        stream: cython.Py_ssize_t,
    ) -> cython.int:
        """Launch a kernel, given the address of the pointers to its parameters.

        `nbytes` is its dynamic shared memory.
        """
        return _called_at(  # type: ignore[no-any-return]
            self.launch_entry, function, grid[0], _extent(grid, 1), _extent(grid, 2),
            group[0], _extent(group, 1), _extent(group, 2), nbytes, stream, parameters,
        )  # fmt: skip

    @cython.ccall
    def download(
        self, pointer: cython.Py_ssize_t, host: Any, nbytes: cython.Py_ssize_t
    ) -> cython.int:
        """Copy bytes once the default stream is done; -1 where the thread has another context."""
        return _copied(  # type: ignore[no-any-return]
            self.copy_entry, self.current_entry, self.context, pointer, host, nbytes
        )

    @cython.ccall
    def synchronize(self) -> cython.int:
        """Wait for all work of the context; -1 where the thread has another one."""
        return _waited(  # type: ignore[no-any-return]
            self.wait_entry, self.current_entry, self.context
        )


@cython.cfunc
def _extent(extents: tuple[Any, ...], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    if at < len(extents):
        return extents[at]  # type: ignore[no-any-return]
    return 1
