# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Launches and small copies by the addresses of the driver's functions, from compiled code.

By the bindings and Python's packing of parameters a launch takes the host 5 us, so 1; reading a
number takes 9 beside the wait for it, so 2.
"""

from __future__ import annotations

from typing import Any

from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.backends.cuda_pool import Block
    from xarr.ir._cython import foreign as _called, foreign as _copied

is_compiled: bool = cython.compiled
_MOST = cython.declare(cython.Py_ssize_t, 512)
"""Pointers that fit the 4,096 bytes of a kernel's parameters."""


@cython.ccall
def launch_at(
    entry: cython.Py_ssize_t,
    function: cython.Py_ssize_t,
    grid: tuple[Any, ...],
    group: tuple[Any, ...],
    buffers: Any,
    arguments: bytes,
    stream: cython.Py_ssize_t,
) -> cython.int:
    """Launch a kernel whose parameters are buffers and then a struct; return the driver's status.

    Only compiled code can. `entry` is the address of `cuLaunchKernel`.
    """
    block: Block
    count: cython.Py_ssize_t = 0
    pointers = cython.declare(cython.ulonglong[512])
    for block in buffers:
        if count == _MOST:
            raise ValueError(f"a kernel takes at most {_MOST} buffers")
        pointers[count] = block.pointer
        count += 1
    return _called(  # type: ignore[no-any-return]
        entry, function, grid[0], _extent(grid, 1), _extent(grid, 2),
        group[0], _extent(group, 1), _extent(group, 2), pointers, count, arguments, stream,
    )  # fmt: skip


@cython.ccall
def download_at(
    entry: cython.Py_ssize_t,
    current: cython.Py_ssize_t,
    context: cython.Py_ssize_t,
    pointer: cython.Py_ssize_t,
    host: Any,
    nbytes: cython.Py_ssize_t,
) -> cython.int:
    """Copy a buffer's bytes, once the default stream is done; return the driver's status.

    Where the thread has another context, -1, and nothing is copied. Only compiled code can. `entry`
    and `current` are the addresses of `cuMemcpyDtoH` and `cuCtxGetCurrent`.
    """
    return _copied(entry, current, context, pointer, host, nbytes)  # type: ignore[no-any-return]


@cython.cfunc
def _extent(extents: tuple[Any, ...], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    if at < len(extents):
        return extents[at]  # type: ignore[no-any-return]
    return 1
