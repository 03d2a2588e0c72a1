"""DLPack's capsules: what they hold, and how one is made.

The memory is described, never touched, so it may be any device's. Knows no arrays. The structures
are those of dlpack.h, version 1.0.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy

from xarr.errors import message
from xarr.ir.storage import finalizer
from xarr.layout import contiguous_strides

CPU: Final = 1
CUDA: Final = 2
CUDA_HOST: Final = 3
OPENCL: Final = 4
ROCM: Final = 10
CUDA_MANAGED: Final = 13
"""Types of devices, dlpack.h's DLDeviceType."""

VERSION: Final = (1, 0)
"""The version of versioned capsules."""

_READ_ONLY: Final = 1
_COPIED: Final = 2

_KINDS: Final = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
"""NumPy's kind of each of DLPack's types of elements."""


class _Tensor(ctypes.Structure):
    """dlpack.h's DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_Deleter: Final = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    """dlpack.h's DLManagedTensor."""

    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))


class _Versioned(ctypes.Structure):
    """dlpack.h's DLManagedTensorVersioned."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", _Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_STRUCTURES: Final[dict[bytes, type[_Managed] | type[_Versioned]]] = {
    b"dltensor": _Managed,
    b"dltensor_versioned": _Versioned,
}
_USED: Final = {name: b"used_" + name for name in _STRUCTURES}
"""The names of capsules by that of their content, unused and used. A capsule keeps none alive."""

_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
_address = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_SetName", ctypes.pythonapi)
)


@dataclass(frozen=True, slots=True)
class Memory:
    """A tensor in somebody's memory.

    pointer : int
        Where the first element is; the ``cl_mem`` in which it is where the device is OpenCL's.
    shape, strides : tuple of int -- Both in elements.
    dtype : numpy.dtype
    device : pair of int -- DLPack's type of device, and which one.
    read_only : bool
    owner : object -- What keeps the memory.
    offset_nbytes : int -- Where in a ``cl_mem`` the first element is.
    """

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: numpy.dtype[Any]
    device: tuple[int, int]
    read_only: bool
    owner: Any
    offset_nbytes: int = 0


class _AsHost:
    """Memory as NumPy would see it if it were the host's."""

    def __init__(self, memory: Memory) -> None:
        self.owner = memory.owner
        self.__array_interface__ = {
            "version": 3,
            "shape": memory.shape,
            "typestr": memory.dtype.str,
            "strides": tuple(stride * memory.dtype.itemsize for stride in memory.strides),
            "data": (memory.pointer, memory.read_only),
        }


def as_numpy(memory: Memory) -> numpy.ndarray[Any, Any]:
    """A NumPy array that lies in memory of the host's and keeps its owner."""
    return numpy.asarray(_AsHost(memory))


def lend(memory: Memory, *, versioned: bool, copied: bool = False) -> Any:
    """A capsule that describes memory, and keeps its owner until the consumer is done.

    `versioned` says whether the consumer knows DLPack 1.0; without, nothing can say read-only.
    """
    # NumPy makes it, as if the memory were the host's: consumers free it wherever they are, with an
    # exception in flight or without the interpreter's lock, which only compiled code survives.
    capsule = as_numpy(memory).__dlpack__(max_version=VERSION if versioned else None)
    _, content = _content(capsule)
    content.tensor.device_type, content.tensor.device_id = memory.device
    content.tensor.byte_offset = memory.offset_nbytes
    if isinstance(content, _Versioned):
        content.flags |= _COPIED * copied
    return capsule


def _content(capsule: Any) -> tuple[bytes, _Managed | _Versioned]:
    """The name of a capsule that is not used up, and what it holds."""
    for name, structure in _STRUCTURES.items():
        if _is_valid(capsule, name):
            return name, structure.from_address(_address(capsule, name))
    raise BufferError(
        message(
            "from_dlpack(x)",
            f"x.__dlpack__() gave {capsule!r}",
            "it must be a DLPack capsule that nobody has used",
        )
    )


def _dtype_of(tensor: _Tensor) -> numpy.dtype[Any] | None:
    """The data type of a tensor's elements; None where NumPy has none."""
    kind = _KINDS.get(tensor.code)
    if kind is None or tensor.lanes != 1 or tensor.bits % 8:
        return None
    try:
        return numpy.dtype(f"{kind}{tensor.bits // 8}")
    except TypeError:
        return None


def _signed(strides: Sequence[int], nbytes: int) -> tuple[int, ...]:
    """Strides in elements; CuPy divides negative ones as if they had no sign."""
    whole = (1 << 64) // nbytes
    return tuple([step - whole if step * nbytes >= 1 << 63 else step for step in strides])


def borrow(capsule: Any) -> Memory:
    """The memory that a capsule describes; the capsule is used up.

    It is refused if its version is not known, if it is used up already, and if it has elements that
    no data type of NumPy describes.
    """
    name, content = _content(capsule)
    if isinstance(content, _Versioned) and content.major > VERSION[0]:
        raise BufferError(
            message(
                "from_dlpack(x)",
                f"the capsule is of DLPack {content.major}.{content.minor}",
                "its version must be at most 1",
            )
        )
    tensor = content.tensor
    dtype = _dtype_of(tensor)
    if dtype is None:
        raise BufferError(
            message(
                "from_dlpack(x)",
                f"elements are of DLPack's type {tensor.code}, of {tensor.bits} bits in "
                f"{tensor.lanes} lanes",
                "elements must be boolean, integer, floating-point or complex",
            )
        )
    owner = finalizer(content.deleter, ctypes.addressof(content)) if content.deleter else None
    _rename(capsule, _USED[name])
    shape = tuple(tensor.shape[: tensor.ndim])
    return Memory(
        pointer=(tensor.data or 0) + tensor.byte_offset,
        shape=shape,
        strides=_signed(tensor.strides[: tensor.ndim], dtype.itemsize)
        if tensor.strides
        else contiguous_strides(shape),
        dtype=dtype,
        device=(tensor.device_type, tensor.device_id),
        read_only=isinstance(content, _Versioned) and bool(content.flags & _READ_ONLY),
        owner=owner,
    )
