"""The array in the host's memory, as NumPy's callers expect it: `__array__` and its like.

On a CPU NumPy's array is a view: what either side writes, both see. On other devices it is a copy.
"""

from __future__ import annotations

import ctypes
import dataclasses
import sys
from typing import Any, Final

import numpy

from xarr import errors
from xarr.algorithms import library
from xarr.array import dlpack, interchange
from xarr.array.array import Array
from xarr.array.layouts import is_number
from xarr.array.transfers import READING, Host, forbidden, note, to_host
from xarr.layout import Layout


def to_array(self: Array, dtype: Any = None, copy: bool | None = None) -> Host:
    """Give the values as a NumPy array; see `numpy.asarray`.

    On a CPU it is the array's own memory: what is written to one shows in the other. On other
    devices it is a copy, and so is what a number gives, since it never changes; a ValueError with
    ``copy=False``.
    """
    other = dtype is not None and numpy.dtype(dtype) != self.dtype
    own = _is_lent(self)
    if copy is False and (other or not own):
        raise errors.value_error(
            "__array__(copy=False)",
            f"the values have dtype {self.dtype} and are on {self.device}",
            "a NumPy array of another dtype, of a number, or of a device with memory of its "
            "own, is a copy",
            "pass copy=True or None",
        )
    if own and not copy:
        host = in_place(self)
    else:
        host = to_host(self._node)
    return host.astype(dtype) if other else host


def _is_lent(x: Array) -> bool:
    """Whether NumPy may have the array's own memory: on a CPU, and not a number's."""
    return library.is_preferred(x.device) and not is_number(x)


def in_place(x: Array, where: str = READING) -> Host:
    """A NumPy array in the memory of an array on a CPU; a hidden transfer, which copies nothing."""
    note(where, x.nbytes, "from", x.device)
    return dlpack.as_numpy(interchange.exposed(x))


def array_interface(self: Array) -> dict[str, Any]:
    """NumPy's array interface, version 3, for libraries that take memory without a copy.

    Its data is an object with the buffer protocol, and the memory is shared for as long as somebody
    has that. Only an array in the host's memory has it, and no number, since that never changes.
    """
    if not _is_lent(self) or forbidden():  # then `__array__` says so
        raise errors.refused(
            AttributeError,
            "x.__array_interface__",
            f"x has {self.ndim} axes and is on {self.device}",
            "arrays on CPUs have it, outside of no_implicit_transfer(), and numbers do not",
            "make a copy with xarr.to_numpy(x)",
        )
    note(READING, self.nbytes, "from", self.device)
    memory = interchange.exposed(self)
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


def buffer(self: Array, flags: int, /) -> memoryview:
    """Lend the memory of an array on a CPU, for `memoryview(x)` and what C does so."""
    if not library.is_preferred(self.device):
        raise errors.refused(
            BufferError,
            "memoryview(x)",
            f"x is on {self.device}",
            "arrays on CPUs have a buffer",
            "make a copy with memoryview(xarr.to_numpy(x))",
        )
    # A buffer for type checkers from Python 3.12 on; a number's is a copy, as it never changes.
    lent: Any = in_place(self) if _is_lent(self) else to_host(self._node)
    return memoryview(lent)


_TP_AS_BUFFER: Final = 20
"""The word of a type of CPython 3.11 that has the address of its functions for buffers."""


def _function_for_buffers() -> Any:
    """The function that CPython calls for a buffer before 3.12, whose classes cannot define it.

    It cannot raise, so an array that is not lent is a SystemError there.
    """
    signature = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int)
    fill = ctypes.pythonapi.PyObject_GetBuffer
    fill.argtypes = (ctypes.py_object, ctypes.c_void_p, ctypes.c_int)

    def get(array: Array, view: int, flags: int) -> int:
        try:
            return int(fill(buffer(array, flags), view, flags))
        except Exception:  # noqa: BLE001 - nothing may leave what C calls
            return -1

    made = signature(get)
    word = ctypes.sizeof(ctypes.c_void_p)
    functions = ctypes.c_void_p.from_address(id(Array) + _TP_AS_BUFFER * word)
    address = ctypes.cast(made, ctypes.c_void_p).value
    ctypes.c_void_p.from_address(functions.value or 0).value = address
    return made


if sys.version_info < (3, 12) and sys.implementation.name == "cpython":
    _kept = _function_for_buffers()
