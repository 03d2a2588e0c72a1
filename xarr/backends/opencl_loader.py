"""PyOpenCL, imported at first use, and OpenCL's own functions where its way to them takes long."""

from __future__ import annotations

import contextlib
import ctypes
import os
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

POCL = "Portable Computing Language"


def pyopencl_module() -> Any:
    """PyOpenCL, told to keep no cache of its own beside xarr's."""
    # Its cache of argument setters fails where the home directory is not writable.
    name = "PYOPENCL_NO_CACHE"
    with environment({} if name in os.environ else {name: "1"}), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pyopencl
        import pyopencl.tools
    global _discovered_in
    _discovered_in = _discovered_in or os.getpid()
    return pyopencl


class Direct(NamedTuple):
    """OpenCL's own functions, where PyOpenCL's way to them takes long.

    While a program is linked it keeps all threads from running Python. Of a mapping it makes an
    array of NumPy's and two objects more.
    """

    program_info: Any
    map: Any
    unmap: Any


def direct_functions(cl: Any) -> Direct | None:
    """The functions in the library that PyOpenCL is linked to; None where they are not found."""
    try:
        library = ctypes.CDLL(cl._cl.__file__)
        found = Direct(
            library.clGetProgramInfo, library.clEnqueueMapBuffer, library.clEnqueueUnmapMemObject
        )
    except (AttributeError, OSError):  # as on Windows, where a library shows its own names only
        return None
    pointer, number, size = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_size_t
    found.map.restype = pointer
    found.map.argtypes = (
        *(pointer, pointer, number, ctypes.c_uint64, size, size),
        *(number, pointer, pointer, pointer),
    )
    found.unmap.argtypes = (pointer, pointer, pointer, number, pointer, pointer)
    return found


def has_fast_launch(cl: Any) -> bool:
    """Whether PyOpenCL has the private names of the cheapest launch and the cheapest transfers."""
    names = ("enqueue_nd_range_kernel", "_enqueue_read_buffer", "_enqueue_write_buffer")
    return all(hasattr(cl._cl, name) for name in names) and all(
        hasattr(cl._cl.Kernel, name) for name in ("_set_arg_multi", "_set_arg_buf_multi")
    )


def public_transfers(cl: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The functions that read a buffer and write one, by PyOpenCL's public names."""

    def read(queue: Any, buffer: Any, host: Any, offset: int, _: None, is_blocking: bool) -> None:
        cl.enqueue_copy(queue, host, buffer, src_offset=offset, is_blocking=is_blocking)

    def write(queue: Any, buffer: Any, host: Any, offset: int, _: None, is_blocking: bool) -> None:
        cl.enqueue_copy(queue, buffer, host, dst_offset=offset, is_blocking=is_blocking)

    return read, write


def base_options(cl: Any, device: Any) -> tuple[str, ...]:
    """The options that every kernel is compiled with."""
    options = ["-cl-std=CL1.2"]
    if device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT:
        options.append("-cl-fp32-correctly-rounded-divide-sqrt")
    return tuple(options)


@contextlib.contextmanager
def environment(changes: dict[str, str]) -> Iterator[None]:
    """Change environment variables within a `with` block."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


_discovered_in = 0


def is_discovered_here() -> bool:
    """Return whether this process imported PyOpenCL, and not one that it was forked from."""
    return _discovered_in == os.getpid()
