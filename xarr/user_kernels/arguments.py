"""Arguments of a launch by grid and block: sizes, local memory, arrays and the bytes of values."""

from __future__ import annotations

import ctypes
import math
import operator
import struct
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy

from xarr import errors
from xarr.array.array import Array
from xarr.array.layouts import require_writeable, settled
from xarr.backends.device import Device, require_together
from xarr.ir.events import hooks
from xarr.ir.storage import Storage
from xarr.layout import WIDE
from xarr.user_kernels.declarations import Parameter
from xarr.user_kernels.parameters import holds_kind

_LOCAL_ALIGNMENT: Final = 16
"""Bytes; the widest number takes as many."""
_MOST: Final = (2**31 - 1, 65535, 65535)
"""Groups along each dimension."""


def is_small_integer(value: Any) -> bool:
    """Return whether a number is an integer of int64 whose sums and differences 32 bits hold."""
    return type(value) in (int, numpy.int64) and bool(-WIDE < value < WIDE)


class LocalMemory:
    """The local memory of a launch; `nbytes` counts what its pointers have.

    has_pointers : bool -- Whether the driver makes a pointer of a number of bytes.
    """

    def __init__(self, nbytes: int, *, has_pointers: bool) -> None:
        self.nbytes = nbytes
        self._has_pointers = has_pointers
        self._taken = 0

    def argument(self, nbytes: int) -> int | bytes:
        """The argument for a pointer to so many bytes: these, or where they begin."""
        begin = self._taken
        self._taken += -(-nbytes // _LOCAL_ALIGNMENT) * _LOCAL_ALIGNMENT
        self.nbytes = max(self.nbytes, self._taken)
        return nbytes if self._has_pointers else struct.pack("=Q", begin)


class Memory(NamedTuple):
    """The memory in which an array lies, as an argument."""

    array: Array


class Begin(NamedTuple):
    """The element at which the array before begins in its memory, as an argument of int64."""


class Span(NamedTuple):
    """The bytes of a storage in which an array lies."""

    storage: int
    begin: int
    end: int

    def overlaps(self, other: Span) -> bool:
        """Return whether two arrays have bytes in common."""
        return self.storage == other.storage and self.begin < other.end and other.begin < self.end


def launch_sizes(
    grid: Sequence[int] | int, block: Sequence[int] | int, device: Device, where: str
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The groups and the items of one, with as many dimensions; refused beyond the limits."""
    sizes = []
    for name, given in (("grid", grid), ("block", block)):
        try:
            found = tuple(map(operator.index, given if isinstance(given, Iterable) else (given,)))
        except TypeError:
            raise errors.type_error(
                where, f"{name} is {given!r}", f"{name} must be 1 to 3 integers"
            ) from None
        limits = _MOST if name == "grid" else (device.info.group_size,) * 3
        if not 1 <= len(found) <= 3 or any(
            not 1 <= extent <= most for extent, most in zip(found, limits, strict=False)
        ):
            raise errors.value_error(
                where, f"{name} is {found}", f"it must be 1 to 3 sizes, from 1 to {limits}"
            )
        sizes.append(found)
    dimensions = max(map(len, sizes))
    places, items = ((*found, 1, 1)[:dimensions] for found in sizes)
    if math.prod(items) > device.info.group_size:
        raise errors.value_error(
            where,
            f"block is {items}, which are {math.prod(items)} items",
            f"there must be at most {device.info.group_size} on {device}",
        )
    return places, items


def local_nbytes(given: Any, parameter: Parameter, shared_mem: int, where: str) -> int:
    """The bytes of local memory behind a pointer, as PyOpenCL's `LocalMemory` says or all."""
    if given is None:
        return int(shared_mem)
    if type(given).__name__ != "LocalMemory":
        raise errors.type_error(
            where,
            f"{parameter.name} is of type {type(given).__name__}",
            "a pointer to local memory must be a pyopencl.LocalMemory",
            "leave it out and give its bytes as shared_mem",
        )
    return int(given.size)


def check_array(
    value: Array, parameter: Parameter | None, number: int, device: Device, where: str
) -> None:
    """Refuse an array that is none for a parameter."""
    name = f"args[{number}]" if parameter is None else parameter.name
    require_together(value.device, device, where)
    if parameter is None or not parameter.is_read:
        require_writeable(value, where)
    if parameter is not None and not parameter.is_pointer:
        raise errors.type_error(
            where,
            f"{name} is an Array",
            "it must be a value, as the kernel takes one there",
            f"pass {name}.item()",
        )
    dtype = None if parameter is None else parameter.dtype
    if dtype is not None and dtype != value.dtype and dtype.itemsize != 1:
        raise errors.type_error(
            where,
            f"{name} has dtype {value.dtype}",
            f"it must be {dtype}, to which the kernel takes a pointer",
            f'convert with x.astype("{dtype}")',
        )
    if not settled(value).linear:
        raise errors.value_error(
            where,
            f"{name} is a view of shape {value.shape} that does not lie in one piece",
            "it must lie in one piece, as the kernel is given a pointer to it",
            "pass xarr.ascontiguousarray(x)",
        )


def bytes_of(
    value: Any, parameter: Parameter | None, number: int, where: str, *, is_cuda: bool
) -> bytes:
    """The bytes of a value, as a parameter takes it."""
    name = f"args[{number}]" if parameter is None else parameter.name
    if parameter is not None and parameter.is_pointer:
        raise errors.type_error(
            where,
            f"{name} is of type {type(value).__name__}",
            "it must be an Array, as the kernel takes a pointer there",
        )
    if isinstance(value, ctypes.Structure):
        return bytes(value)
    if isinstance(value, numpy.void) or (isinstance(value, numpy.ndarray) and value.size == 1):
        return bytes(value.tobytes())
    if not isinstance(value, bool | int | float | complex | numpy.generic):
        raise errors.type_error(
            where,
            f"{name} is of type {type(value).__name__}",
            "it must be an Array, a number, a NumPy scalar, or a structure of ctypes or NumPy",
        )
    dtype = None if parameter is None else parameter.dtype
    is_number = not isinstance(value, numpy.generic)
    if dtype is None and parameter is not None and is_number and not is_cuda:
        raise errors.type_error(
            where,
            f"{name} is {value!r}",
            f"the kernel takes {parameter.kind}, of which the size is not known here",
            "pass a scalar or structure of NumPy's",
        )
    if dtype is None:
        dtype = value.dtype if isinstance(value, numpy.generic) else numpy.dtype(type(value))
    if not holds_kind(dtype.kind, value):
        raise errors.type_error(
            where, f"{name} is {value!r}", f"it must be {dtype}, which the kernel takes"
        )
    if dtype.kind in "iu" and not _holds(dtype, value):
        raise errors.refused(
            OverflowError,
            where,
            f"{name} is {value}",
            f"it must fit into {dtype}, which the kernel takes",
        )
    made = numpy.asarray(value) if isinstance(value, numpy.generic) else None
    return bytes((numpy.array(value, dtype) if made is None else made.astype(dtype)).tobytes())


def may_begin_within(array: Array) -> bool:
    """Return whether an array may begin within its memory where that is a `cl_mem`.

    What a replay is given may begin elsewhere than what was recorded, unless it is all the memory.
    """
    if array.device.info.dialect != "opencl":
        return False
    is_recorded = hooks.recorder is not None
    return bool(settled(array).offset) or (is_recorded and array.nbytes < storage_of(array).nbytes)


def _holds(dtype: numpy.dtype[Any], value: Any) -> bool:
    limits = numpy.iinfo(dtype)
    return limits.min <= int(value) <= limits.max


def storage_of(array: Array) -> Storage:
    """Return the storage of an array that is no constant."""
    storage = array._view.storage
    assert storage is not None
    return storage
