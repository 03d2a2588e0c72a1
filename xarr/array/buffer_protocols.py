"""The array in the host's memory, as NumPy's callers expect it: `__array__` and its like.

On a CPU NumPy's array is a view: what either side writes, both see. On other devices it is a copy.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy

from xarr import errors
from xarr.array import dlpack, exchange
from xarr.array.array import Array
from xarr.array.layouts import is_number
from xarr.array.operators import raise_cleared
from xarr.array.transfers import Host, forbidden, to_host
from xarr.layout import Layout


def to_array(self: Array, dtype: Any = None, copy: bool | None = None) -> Host:
    """Give the values as a NumPy array; see `numpy.asarray`.

    On a CPU it is the array's own memory: what is written to one shows in the other. On other
    devices it is a copy, and so is what a number gives, since it never changes; a ValueError with
    ``copy=False``.
    """
    raise_cleared(self)
    other = dtype is not None and numpy.dtype(dtype) != self.dtype
    is_copy = copy or is_number(self) or (other and copy is False)
    host = None if is_copy else exchange.in_place(self)
    if copy is False and host is None:
        raise errors.value_error(
            "__array__(copy=False)",
            f"the values have dtype {self.dtype} and are on {self.device}",
            "copy must not be False for another dtype, a number, or a device with its own memory",
            "pass copy=True or None",
        )
    if host is None:
        host = to_host(self._view)
    return host.astype(dtype) if other else host


def array_interface(self: Array) -> dict[str, Any]:
    """NumPy's array interface, version 3, for libraries that take memory without a copy.

    Its data is an object with the buffer protocol, and the memory is shared for as long as somebody
    has that. Only an array in the host's memory has it, and no number, since that never changes.
    """
    raise_cleared(self)
    is_hidden = is_number(self) or forbidden()  # then `__array__` says so
    memory = None if is_hidden else exchange.host_memory(self)
    if memory is None:
        raise errors.refused(
            AttributeError,
            "x.__array_interface__",
            f"x has {self.ndim} axes and is on {self.device}",
            "x must be on a CPU, have an axis, and be outside of no_implicit_transfer()",
            f"make a copy with xarr.to_numpy(x); {errors.difference('buffers')}",
        )
    where = Layout(memory.shape, memory.strides)
    interface = dict(dlpack.as_numpy(memory).__array_interface__)
    if where.size == 0:
        return interface
    # An address would be claimed for as long as x lives, since nothing tells when it is done with.
    itemsize = memory.dtype.itemsize
    low, high = where.bounds()
    data = dataclasses.replace(
        memory,
        pointer=memory.pointer + low * itemsize,
        shape=((high - low + 1) * itemsize,),
        strides=(1,),
        dtype=numpy.dtype(numpy.uint8),
    )
    strides = tuple(stride * itemsize for stride in memory.strides)
    return interface | {
        "data": dlpack.as_numpy(data),
        "offset": -low * itemsize,
        "strides": strides,
    }


def buffer(self: Array) -> memoryview:
    """Lend the memory of an array on a CPU, for `memoryview(x)` and what C does so."""
    # A buffer for type checkers from Python 3.12 on; a number's is a copy, as it never changes.
    lent: Any = exchange.in_place(self)
    if lent is None:
        raise errors.refused(
            BufferError,
            "memoryview(x)",
            f"x is on {self.device}",
            "x must be on a CPU to have a buffer",
            f"make a copy with memoryview(xarr.to_numpy(x)); {errors.difference('buffers')}",
        )
    if is_number(self):
        lent = to_host(self._view)
    return memoryview(lent)
