"""Arrays in the memory of other libraries, and theirs in ours: DLPack, CUDA's interface, OpenCL.

Values that move between host and device are the subject of `transfers`, capsules that of `dlpack`.
Memory that others see is treated as read and written by them at any time: see `Device.shared`. On a
CPU nothing is under way while they do; on a GPU streams order their work and xarr's.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from typing import Any, Final

import numpy

from xarr import dtypes, errors, layout
from xarr.array import dlpack
from xarr.array.array import Array
from xarr.array.layouts import settled, view, writeable
from xarr.array.transfers import Host, from_host, note, openly, to_host
from xarr.backends.device import (
    Device,
    default_device,
    default_float,
    devices,
    get_device,
    require_on,
)
from xarr.dtypes import DType
from xarr.errors import READING
from xarr.ir.storage import Storage, claim
from xarr.ir.views import constant, storage_view
from xarr.layout import Layout
from xarr.tape import builder, recorders

_HOSTS: Final = (dlpack.CPU, dlpack.CUDA_HOST)
_GPUS: Final = (dlpack.CUDA, dlpack.ROCM)
_TYPES: Final = {
    "host": dlpack.CPU, "CUDA": dlpack.CUDA, "ROCm": dlpack.ROCM, "OpenCL": dlpack.OPENCL,
}  # fmt: skip
"""DLPack's type of a device by its `DeviceInfo.memory`."""
_driver: Final = operator.attrgetter("driver")
"""Return the driver of a device of CUDA or OpenCL, with what only these have."""


class _Shared:
    """A claim that others see a storage's memory, as long as this lives; keeps `memory`."""

    __slots__ = ("_claim", "memory")

    def __init__(self, memory: object, storage: Storage) -> None:
        self.memory = memory
        storage.writes += 1  # what is remembered of its content is not known any more
        self._claim = claim(storage)


def dlpack_device(device: Device) -> tuple[int, int]:
    """DLPack's name of a device's memory."""
    return _TYPES[device.info.memory], device.index * (device.info.memory != "host")


def is_of_host(device: Device) -> bool:
    """Return whether arrays share memory with NumPy's: not in a graph, which reads it again."""
    return device.info.memory == "host" and not device.is_recorded


def _claimed(array: Array) -> tuple[Storage, _Shared]:
    """An array's memory, after everything that was asked of its device has run."""
    settled(array)
    view = array._view
    recorders.computing("sharing an array's memory", view)
    storage = view.storage
    assert storage is not None
    with view.device.lock:
        claim = _Shared(storage, storage)  # what other threads ask for from now on runs at once
        builder.settle(view.device)
        builder.compute(view)  # which tells of what failed before
        storage.settle()
        return storage, claim


def _keep_claim(storage: Storage) -> None:
    """Attach a claim to a storage, for a consumer that keeps the array and nothing else."""
    if type(storage.lender) is not _Shared:
        storage.lender = _Shared(storage.lender, storage)


def host_memory(array: Array, where: str = READING) -> dlpack.Memory | None:
    """The memory of an array on a CPU, a hidden transfer that copies nothing; None elsewhere."""
    if not is_of_host(array.device):
        return None
    note(where, array.nbytes, "from", array.device)
    return exposed(array)


def in_place(array: Array, where: str = READING) -> Host | None:
    """A NumPy array in the memory of an array on a CPU; None for one on another device."""
    memory = host_memory(array, where)
    return None if memory is None else dlpack.as_numpy(memory)


def shown(array: Array) -> dlpack.Memory:
    """The memory of an array, as `exposed`; from now on others see it as long as it is there."""
    with array.device.lock:
        memory = exposed(array)
        _keep_claim(memory.owner.memory)
    return memory


def buffer_of(array: Array) -> tuple[Any, int]:
    """The driver's memory that others see from now on, and the bytes before the first element."""
    with array.device.lock:
        storage, _ = _claimed(array)
        _keep_claim(storage)
    return storage.buffer, settled(array).offset * array.itemsize


def exposed(array: Array) -> dlpack.Memory:
    """The memory of an array, after everything that was asked of its device has run."""
    where = settled(array)
    view = array._view
    device = view.device
    with device.lock:
        storage, claim = _claimed(array)
        begin = device.driver.address(storage.buffer) + where.offset * view.dtype.itemsize
        if device.info.shares_host_memory:
            device.driver.synchronize()
        return _memory(array, begin, dlpack_device(device), claim)


def _memory(
    array: Array, pointer: int, device: tuple[int, int], owner: Any, offset_nbytes: int = 0
) -> dlpack.Memory:
    """Describe the memory of a settled array, which begins at a pointer."""
    where, locked = settled(array), not writeable(array)
    dtype = array._view.dtype.numpy
    return dlpack.Memory(
        pointer, where.shape, where.strides, dtype, device, locked, owner, offset_nbytes
    )


def _in_cl_mem(array: Array) -> dlpack.Memory:
    """The memory of an array in a buffer of OpenCL's; earlier work is on the queue."""
    buffer, offset_nbytes = buffer_of(array)
    owner = array._view.storage
    return _memory(array, buffer.int_ptr, (dlpack.OPENCL, array.device.index), owner, offset_nbytes)


def export(
    self: Array,
    /,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[Any, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Export an array as a DLPack capsule."""
    where = "x.__dlpack__()"
    device = self._view.device
    place = dlpack_device(device)
    wanted = place if dl_device is None else _pair(dl_device, "dl_device", where)
    version = (0, 0) if max_version is None else _pair(max_version, "max_version", where)
    in_cl = (dlpack.OPENCL, device.index) if device.backend == "opencl" else None
    as_cl = dl_device is not None and wanted == in_cl
    if not as_cl and (wanted not in (place, (dlpack.CPU, 0)) or wanted[0] == dlpack.OPENCL):
        raise errors.refused(
            BufferError,
            where,
            f"x is on {device} and dl_device is {dl_device}",
            f"only the {'' if place[0] == dlpack.OPENCL else 'device and the '}host's memory "
            "is exported",
            "pass dl_device=(1, 0), or move x with x.to_device(...)",
        )
    _check_stream(stream, place, where)
    versioned = version[0] >= dlpack.VERSION[0]
    if wanted != place and not as_cl:
        if copy is False:
            raise errors.refused(
                errors.CopyError, where, f"x is on {device}", "copy must be True or None"
            )
        host = to_host(self._view)
        strides = layout.contiguous_strides(host.shape)
        memory = dlpack.Memory(
            host.ctypes.data, host.shape, strides, host.dtype, wanted, read_only=False, owner=host
        )
        return dlpack.lend(memory, versioned=versioned, copied=True)
    if copy:
        self = Array(builder.copied(self._view))
    with device.lock:
        memory = _in_cl_mem(self) if as_cl else exposed(self)
        if memory.read_only and not versioned:
            raise errors.refused(
                BufferError,
                where,
                "x is read-only",
                "max_version must be at least (1, 0) for the capsule to say so",
                "pass max_version=(1, 0), or copy=True",
            )
        if place[0] in _GPUS and stream != -1:
            driver = _driver(device)
            driver.order_after(stream or driver.default_stream, memory.owner.memory.buffer)
    return dlpack.lend(memory, versioned=versioned, copied=bool(copy))


def _pair(value: Any, name: str, where: str) -> tuple[int, int]:
    """A pair of integers, of which the first may be a member of an enumeration."""
    try:
        first, second = value
        return int(getattr(first, "value", first)), int(second)
    except (TypeError, ValueError):
        accepted = f"{name} must be a pair of integers"
        raise errors.type_error(where, f"{name} is {value!r}", accepted) from None


def _check_stream(stream: Any, place: tuple[int, int], where: str) -> None:
    if stream is None:
        return
    if place[0] not in _GPUS:
        raise errors.value_error(where, f"stream is {stream!r}", "stream must be None on the host")
    if type(stream) is not int or stream < -1 or (stream == 0 and place[0] == dlpack.CUDA):
        raise errors.value_error(
            where,
            f"stream is {stream!r}",
            "stream must be the address of a stream, 1, 2 or -1",
            "1 is the legacy default stream",
        )


def cuda_array_interface(self: Array) -> dict[str, Any]:
    """CUDA's array interface of an array."""
    device = self._view.device
    if device.info.dialect != "cuda":
        name, accepted = "x.__cuda_array_interface__", "x must be on a CUDA device"
        raise errors.refused(AttributeError, name, f"x is on {device}", accepted)
    with device.lock:
        memory = shown(self)
        driver = _driver(device)
        stream = driver.current_stream()
        driver.order_after(stream, memory.owner.memory.buffer)
    itemsize = memory.dtype.itemsize
    return {
        "version": 3,
        "shape": memory.shape,
        "typestr": memory.dtype.str,
        # Of no elements as well, where the interface wants 0: CuPy (14.2) refuses 0 from others.
        "data": (memory.pointer, memory.read_only),
        "strides": tuple(stride * itemsize for stride in memory.strides),
        "stream": stream,
    }


def _is_pyopencl(obj: Any) -> bool:
    module = sys.modules.get("pyopencl.array")
    return module is not None and isinstance(obj, module.Array)


def is_foreign(obj: Any) -> bool:
    """Return whether an object is another library's array on a GPU, which NumPy could not read."""
    if hasattr(obj, "__cuda_array_interface__") or _is_pyopencl(obj):
        return True
    place = getattr(obj, "__dlpack_device__", None)
    return place is not None and int(place()[0]) not in _HOSTS


def from_foreign(obj: Any, device: Device | str | None, copy: bool | None, where: str) -> Array:
    """An array of what `is_foreign` knows, in the same memory if possible."""
    if _is_pyopencl(obj):
        return _from_pyopencl(obj, device, copy, where)
    if hasattr(obj, "__dlpack__") and hasattr(obj, "__dlpack_device__"):
        return from_dlpack(obj, device=device, copy=copy)
    given = obj.__cuda_array_interface__
    if given.get("mask") is not None:
        accepted = "obj must have no mask"
        raise errors.type_error(where, "obj has a mask", accepted, errors.difference("np-ma"))
    dtype = numpy.dtype(given["typestr"])
    pointer, read_only = given["data"]
    shape = tuple(given["shape"])
    strides = given.get("strides")
    if strides is None:
        steps = layout.contiguous_strides(shape)
    elif all(stride % dtype.itemsize == 0 for stride in strides):
        steps = tuple(stride // dtype.itemsize for stride in strides)
    else:
        raise errors.refused(
            BufferError,
            where,
            f"obj has strides of {strides} bytes",
            f"strides must be multiples of its {dtype.itemsize} bytes",
            "copy it to contiguous memory",
        )
    source = _cuda_device()
    if 0 not in shape:
        source = _cuda_device(_driver(source).device_of(pointer))
    memory = dlpack.Memory(pointer, shape, steps, dtype, dlpack_device(source), read_only, obj)
    return _from_driver(memory, source, device, copy, given.get("stream"))


def _from_pyopencl(obj: Any, device: Device | str | None, copy: bool | None, where: str) -> Array:
    """An array of one of PyOpenCL's, in its memory where that is of a context of xarr's."""
    source = None if obj.base_data is None or copy else _opencl_device_of(obj.base_data)
    if source is not None and (device is None or get_device(device, where) is source):
        if obj.queue is not None:
            _driver(source).order_before(obj.queue, obj.base_data)
        return _in_buffer(
            obj.base_data, source, obj.shape, obj.dtype, obj.offset, obj.strides, where
        )
    target = get_device(device, where)
    if copy is False:
        raise _no_copy(where, "the array of PyOpenCL's is of another context", target)
    with openly():
        return Array(from_host(obj.get(), target, where))


def _opencl_device_of(buffer: Any) -> Device | None:
    """The device in whose context a buffer of PyOpenCL's is; None where it is in none."""
    if not hasattr(buffer, "int_ptr"):  # memory that is shared without a buffer
        return None
    for candidate in devices():
        if candidate.backend == "opencl" and candidate.is_open and _driver(candidate).owns(buffer):
            return candidate
    return None


def _in_buffer(
    buffer: Any,
    device: Device,
    shape: layout.Shape,
    dtype: Any,
    begin: int,
    strides: Sequence[int] | None,
    where: str,
) -> Array:
    """An array in a buffer of PyOpenCL's, which begins so many bytes behind its beginning."""
    row = dtypes.lookup(dtype, where)
    require_on(device, row, where)
    steps = strides or [row.itemsize * step for step in layout.contiguous_strides(shape)]
    if any(number % row.itemsize for number in (begin, *steps)):
        raise layout.misaligned(where, row.itemsize)
    itemsize = row.itemsize
    lies = Layout(shape, tuple(step // itemsize for step in steps), begin // itemsize)
    low, high = lies.bounds() if lies.size else (0, -1)
    if begin < 0 or low < 0 or (high + 1) * itemsize > buffer.size:
        raise errors.value_error(
            where,
            f"shape is {shape} of {row}, from byte {begin} on",
            f"it must fit into the {buffer.size} bytes of the buffer",
        )
    storage = Storage(device, buffer.size, buffer)
    storage.read_only = _driver(device).is_read_only(buffer)
    storage.lender = _Shared(buffer, storage)
    return Array(storage_view(storage, lies, row))


def from_cl(buffer: Any, shape: Any, dtype: Any = None, *, offset: int = 0) -> Array:
    """Make an array in the memory of a PyOpenCL buffer, without a copy.

    buffer : pyopencl.Buffer -- The memory; its context must be `Device.cl_context`.
    dtype : dtype, optional
        The data type of the elements; float64, or float32 on a device without float64.
    offset : int -- The position of the first element, in bytes.
    shape : int or tuple of int -- The shape.

    -> Array, shape (...)
        In C order; read-only if the buffer is. Array and buffer see each other's writes, if the
        program's commands run in the queue `xarr.current_stream().cl_queue`.

    TypeError -- If the buffer is no `pyopencl.Buffer`.
    ValueError -- If the buffer has another context or is too small, or elements would not be
        aligned.

    >>> import pyopencl as cl, xarr
    >>> with xarr.device("opencl") as device:
    ...     context = device.cl_context
    >>> buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 12)
    >>> x = xarr.from_cl(buffer, 3, "float32")
    >>> x[...] = 2
    >>> x.tolist()
    [2.0, 2.0, 2.0]
    """
    where = "from_cl(buffer, shape, dtype, offset)"
    if not hasattr(buffer, "int_ptr"):
        raise errors.type_error(
            where, f"buffer is of type {type(buffer).__name__}", "it must be a pyopencl.Buffer"
        )
    device = _opencl_device_of(buffer)
    if device is None:
        raise errors.value_error(
            where,
            "the buffer is of a context that xarr does not use",
            "it must be of device.cl_context",
        )
    extents = layout.extents_of(shape, where)
    row = default_float(device) if dtype is None else dtype
    return _in_buffer(buffer, device, extents, row, offset, None, where)


def cl_buffer(array: Array) -> Any:
    """PyOpenCL's buffer in which an array lies, from its beginning on."""
    base, begin = cl_place(array, "x.cl_buffer")
    if begin:
        raise errors.value_error(
            "x.cl_buffer",
            f"x begins {begin} bytes behind its memory's beginning",
            "x must begin with its memory",
            "use x.cl_base and x.cl_offset, or a copy",
        )
    return base


def cl_place(array: Array, where: str) -> tuple[Any, int]:
    """PyOpenCL's buffer of all memory that an array is a view of, and the bytes before it."""
    if array.device.backend != "opencl":
        raise errors.refused(
            AttributeError, where, f"x is on {array.device}", "x must be on a device of OpenCL"
        )
    return buffer_of(array)


def from_dlpack(
    x: Any, /, *, device: Device | str | None = None, copy: bool | None = None
) -> Array:
    """Make an array of an object that supports DLPack, in the same memory if possible.

    x : object with ``__dlpack__`` and ``__dlpack_device__``, shape (...) -- The values.
    device : Device, str or None -- The device of the result; None for the device of x if x is an
        Array or on a GPU, else the default device.
    copy : bool, optional -- True to copy always, False to copy never, None to copy if needed.

    -> Array, shape (...)
        Of the dtype of x. A CPU shares host memory of x, a CUDA device shares its own memory:
        writes show on both sides. The result is read-only where x is.

    Raises
    ------
    BufferError
        If x cannot be exported, or copy is False and a copy is needed (then also a ValueError).
    TypeError
        If no data type describes the elements of x, or the device lacks this type.
    AttributeError
        If x does not support DLPack.

    >>> import numpy
    >>> x = xarr.from_dlpack(numpy.asarray([1, 2]))
    >>> x.tolist()
    [1, 2]
    """
    where = "from_dlpack(x)"
    if type(x) is Array:
        return _from_array(x, x.device if device is None else get_device(device, where), copy)
    for name in ("__dlpack__", "__dlpack_device__"):
        if not hasattr(x, name):
            raise errors.refused(
                AttributeError,
                where,
                f"x is of type {type(x).__name__}, which has no {name}",
                "x must support DLPack",
                "use xarr.asarray(x)",
            )
    kind, index = (int(part) for part in x.__dlpack_device__())
    if kind == dlpack.CUDA_MANAGED:
        kind = dlpack.CUDA
    if kind in _GPUS:
        source = _cuda_device(index)
        stream = _driver(source).current_stream()
        memory = dlpack.borrow(_capsule(x, stream=stream))
        return _from_driver(memory, source, device, copy, stream)
    target = get_device(device, where)
    if kind in _HOSTS:
        memory = dlpack.borrow(_capsule(x))
    elif copy is False:
        raise _no_copy(where, f"x is on a device of DLPack's type {kind}", target)
    else:
        memory = dlpack.borrow(_capsule(x, dl_device=(dlpack.CPU, 0)))
    return _from_host(memory, target, copy)


def _capsule(x: Any, **wishes: Any) -> Any:
    """The capsule that x exports, of the newest version that both sides know."""
    try:
        return x.__dlpack__(max_version=dlpack.VERSION, **wishes)
    except TypeError:
        # Before DLPack 1.0 there was no such keyword.
        return x.__dlpack__(**wishes)


def _from_array(x: Array, target: Device, copy: bool | None) -> Array:
    """An Array on a device, in the memory that it lies in where both devices use that."""
    source = x.device
    if copy:
        return Array(builder.copied(x.to_device(target)._view))
    if source is target:
        return view(x, settled(x))
    own = x._view
    if dlpack_device(source) == dlpack_device(target) and _holds(target, own.dtype):
        memory = exposed(x)
        lent = memory.owner.memory
        if target.driver.reaches(source.driver):
            assert own.layout is not None
            storage = Storage(target, lent.nbytes, lent.buffer)
            return _in_memory(storage, own.layout, memory)
        return borrowed(memory, target)
    if copy is False:
        raise _no_copy("from_dlpack(x)", f"x is on {source}", target)
    return x.to_device(target)


def _from_host(memory: dlpack.Memory, target: Device, copy: bool | None) -> Array:
    """An array of memory of the host's."""
    if not copy and is_of_host(target) and _is_usable(memory, target):
        return borrowed(memory, target)
    if copy is False:
        raise _no_copy("from_dlpack(x)", "x is in the host's memory", target)
    with openly():
        return Array(from_host(dlpack.as_numpy(memory), target, "from_dlpack(x)"))


def _from_driver(
    memory: dlpack.Memory,
    source: Device,
    device: Device | str | None,
    copy: bool | None,
    stream: int | None,
) -> Array:
    """An array of memory of a CUDA device's, which is there once `stream` is done."""
    where = "from_dlpack(x)"
    target = source if device is None else get_device(device, where)
    if target.info.dialect == "cuda" and target.index == source.index:
        source = target
    elif copy is False:
        raise _no_copy(where, f"x is on {source}", target)
    row = dtypes.BY_NUMPY.get(memory.dtype)
    if row is None or not _is_usable(memory, source):
        raise errors.refused(
            BufferError,
            where,
            f"x has dtype {memory.dtype} at address {memory.pointer:#x}",
            dtypes.ACCEPTED + ", at multiples of their size",
        )
    x = borrowed(memory, source)
    driver = _driver(source)
    if stream not in (None, driver.default_stream) and x.size:
        assert x._view.storage is not None
        driver.order_before(stream, x._view.storage.buffer)
    if copy:
        x = Array(builder.copied(x._view))
    return x.to_device(target)


def _cuda_device(index: int | None = None) -> Device:
    """A CUDA device, of a number or any: the default one where it fits, else the best backend's."""
    for candidate in (default_device(), *devices()):
        if candidate.info.dialect == "cuda" and index in (None, candidate.index):
            return candidate
    raise errors.refused(
        BufferError,
        "from_dlpack(x)",
        "x is on a CUDA device" if index is None else f"x is on CUDA device {index}",
        "a backend must drive it",
        "`python -m xarr info` tells why",
    )


def _no_copy(where: str, given: str, target: Device) -> errors.CopyError:
    return errors.refused(
        errors.CopyError, where, given, f"copy must not be False for {target}", "pass copy=None"
    )


def _holds(device: Device, row: DType | None) -> bool:
    """Return whether a device has a data type."""
    return row is not None and not (row in dtypes.NEEDS_FLOAT64 and device.no_float64)


def _is_usable(memory: dlpack.Memory, device: Device) -> bool:
    """Return whether kernels of a device can work on memory where it is."""
    row = dtypes.BY_NUMPY.get(memory.dtype)
    return _holds(device, row) and memory.pointer % memory.dtype.itemsize == 0


def borrowed(memory: dlpack.Memory, device: Device) -> Array:
    """The array that lies in somebody's memory, of a data type that the device has."""
    row = dtypes.BY_NUMPY[memory.dtype]
    where = Layout(memory.shape, memory.strides)
    if where.size == 0:
        return Array(constant(row.numpy.type(0).item(), row, memory.shape, device))
    low, high = where.bounds()
    begin, nbytes = memory.pointer + low * row.itemsize, (high - low + 1) * row.itemsize
    with device.lock:
        buffer = device.driver.wrap(begin, nbytes, memory.owner)
    storage = Storage(device, nbytes, buffer)
    return _in_memory(storage, Layout(memory.shape, memory.strides, -low), memory)


def _in_memory(storage: Storage, where: Layout, memory: dlpack.Memory) -> Array:
    storage.read_only = memory.read_only
    storage.lender = _Shared(memory.owner, storage)
    return Array(storage_view(storage, where, dtypes.BY_NUMPY[memory.dtype]))
