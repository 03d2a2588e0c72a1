"""The memory of an array for another process of the machine, without a copy.

The driver names and maps the memory; a name, a place in it and a layout are all that travels.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy

from xarr import errors
from xarr.array import dlpack
from xarr.array.array import Array
from xarr.array.exchange import borrowed, dlpack_device, shown
from xarr.backends.device import Device, get_device


@dataclass(frozen=True)
class IpcHandle:
    """A handle of an array's memory to send to another process; `xarr.ipc_handle` makes one.

    device : str -- The name of the device in the process that made the handle.
    name : bytes -- The driver's handle of the memory.
    begin_nbytes : int -- The position of the first element in the memory, in bytes.
    shape, strides : tuple of int -- The shape and the strides of the array; the strides count
        elements.
    dtype : str -- The name of the data type, as `numpy.dtype` takes it.

    >>> handle = xarr.ipc_handle(xarr.ones(3, device="cuda:0"))  # doctest: +SKIP
    >>> handle.shape, handle.dtype  # doctest: +SKIP
    ((3,), '<f8')
    """

    device: str
    name: bytes
    begin_nbytes: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    _array: Array | None = field(default=None, repr=False, compare=False)

    def open(self, device: Device | str | None = None) -> Array:
        """Return an Array in the memory of the handle, in a process that did not make it.

        device : Device, str or None -- The device; None for the device that the handle
            names. A device of another backend is accepted if it is the same card.

        RuntimeError -- If this process made the handle.

        >>> x = handle.open()  # in another process, which got the handle  # doctest: +SKIP
        """
        where = "IpcHandle.open(device)"
        if self._array is not None:
            fault = "this process made the handle"
            raise errors.refused(RuntimeError, where, fault, "another process must open it")
        target = get_device(self.device if device is None else device, where)
        with target.lock:
            address, owner = target.driver.open_exported(self.name)
        memory = dlpack.Memory(
            address + self.begin_nbytes,
            self.shape,
            self.strides,
            numpy.dtype(self.dtype),
            dlpack_device(target),
            read_only=False,
            owner=owner,
        )
        return borrowed(memory, target)

    def __reduce__(self) -> Any:
        alone = replace(self, _array=None)
        fields = alone.device, alone.name, alone.begin_nbytes, alone.shape, alone.strides
        return IpcHandle, (*fields, alone.dtype)


def ipc_handle(x: Array) -> IpcHandle:
    """Make a handle of an array's memory on a CUDA device, for another process on the same machine.

    The handle can be pickled, and its `open` gives the other process an Array in the same memory.
    The memory lives as long as the handle in this process; keep the handle until the Array in the
    other process is gone. A process sees what the other wrote before ``xarr.synchronize()`` there.

    x : Array, shape (...) -- The array, of at least one element.

    Returns
    -------
    IpcHandle

    Raises
    ------
    RuntimeError
        If the device is no CUDA device, or the driver has no handle for its kind of memory: managed
        memory, and pools of ``cudaMallocAsync``.
    ValueError
        If x has no elements.

    >>> handle = xarr.ipc_handle(xarr.ones(3))  # doctest: +SKIP
    """
    where = "ipc_handle(x)"
    if type(x) is not Array:
        raise errors.type_error(where, f"x is of type {type(x).__name__}", "x must be an Array")
    driver = x.device.driver
    if not driver.exports:
        accepted = "x must be on a CUDA device"
        fault = f"{x.device} has no memory for other processes"
        raise errors.refused(RuntimeError, where, fault, accepted, "send numpy.asarray(x)")
    if not x.size:
        raise errors.value_error(where, "x has no elements", "it must have one or more")
    with x.device.lock:
        memory = shown(x)
        buffer = memory.owner.memory.buffer
        try:
            name, begin = driver.exported(buffer)
        except RuntimeError as error:
            fault = f"the driver has no handle for the memory ({error})"
            accepted = "the memory must come from cuMemAlloc"
            raise errors.refused(RuntimeError, where, fault, accepted) from error
        begin += memory.pointer - driver.address(buffer)
    dtype = memory.dtype.str
    return IpcHandle(str(x.device), name, begin, memory.shape, memory.strides, dtype, x)
