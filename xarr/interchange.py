"""Exchange of arrays with other libraries, by DLPack.

On a CPU an array's memory is the host's, so NumPy's own exporter and importer do the protocol, on
views of that memory. Memory that others see is treated as read and written by them at any time: see
`Device.shared`.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy
from numpy.lib.array_utils import byte_bounds

from xarr import dtypes, engine, errors, library
from xarr.array import FUNCTIONS, Array, attach, settled, to_host, transfers, view, writeable
from xarr.device import Device, get_device
from xarr.expression import leaf
from xarr.layout import Layout
from xarr.storage import Storage

_HOST: Final = 1  # DLPack's kDLCPU
_PINNED: Final = 3  # kDLCUDAHost: the host's memory as well
_OPENCL: Final = 4


class _Lent:
    """The memory of an array as NumPy sees it; while this lives, the storage is shared."""

    def __init__(self, array: Array) -> None:
        where = settled(array)
        node = array._node
        storage = node.storage
        assert storage is not None
        itemsize = node.dtype.itemsize
        with node.device.lock:
            engine.settle_readers(storage)
            begin = node.device.driver.address(storage.buffer)
            node.device.synchronize()
        self.storage = storage
        self.__array_interface__ = {
            "version": 3,
            "shape": where.shape,
            "typestr": node.dtype.numpy.str,
            "strides": tuple(stride * itemsize for stride in where.strides),
            "data": (begin + where.offset * itemsize, not writeable(array)),
        }
        storage.device.shared[storage.serial] += 1

    def __del__(self) -> None:
        if hasattr(self, "storage"):
            _unshare(self.storage.device, self.storage.serial)


class _Borrowed:
    """Memory of another library, shared as long as this lives."""

    def __init__(self, memory: library.Host, storage: Storage) -> None:
        self.memory = memory
        self.device = storage.device
        self.serial = storage.serial
        self.device.shared[self.serial] += 1

    def __del__(self) -> None:
        _unshare(self.device, self.serial)


def _unshare(device: Device, serial: int) -> None:
    device.shared[serial] -= 1
    if not device.shared[serial]:
        del device.shared[serial]


def dlpack(
    self: Array,
    /,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[Any, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Export the array as a DLPack capsule.

    Parameters
    ----------
    stream : None
        The memory is the host's, which has no streams.
    max_version : pair of int, optional
        The newest DLPack version that the consumer knows; a versioned capsule from 1.0 on.
    dl_device : pair of int, optional
        The device the consumer wants: that of `__dlpack_device__`, or (1, 0), the host.
    copy : bool, optional
        True for memory of its own, False for the array's own, None for a copy if needed.

    Returns
    -------
    PyCapsule
        On a CPU the array's own memory. Where it is read-only (a broadcast view), the capsule says
        so, or the export is refused if it cannot.

    Raises
    ------
    BufferError
        If the device cannot be handled, or a copy is needed and not allowed.
    ValueError
        If a stream is given.
    """
    where = "x.__dlpack__()"
    if stream is not None:
        raise ValueError(
            errors.message(where, f"stream is {stream!r}", "the host's memory has no streams")
        )
    device = self._node.device
    wanted = None if dl_device is None else int(getattr(dl_device[0], "value", dl_device[0]))
    if wanted not in (None, _HOST) or (wanted is None and not library.is_preferred(device)):
        raise BufferError(
            errors.message(
                where,
                f"x is on {device} and dl_device is {dl_device}",
                "only the host's memory is exported",
                "pass dl_device=(1, 0), or move x with x.to_device(...)",
            )
        )
    if library.is_preferred(device) and self.size:
        host = numpy.asarray(_Lent(self))
    elif copy is False and self.size:
        raise errors.CopyError(
            errors.message(where, f"x is on {device}", "the host's memory needs a copy")
        )
    else:
        transfers.check(where, self.nbytes, "from", device)
        host = to_host(self)
    return host.__dlpack__(max_version=max_version, dl_device=dl_device and (_HOST, 0), copy=copy)


def dlpack_device(self: Array, /) -> tuple[int, int]:
    """DLPack's type and number of the device: (1, 0) for a CPU, (4, n) for another of OpenCL."""
    device = self._node.device
    return (_HOST, 0) if library.is_preferred(device) else (_OPENCL, device.index)


def from_dlpack(
    x: Any, /, *, device: Device | str | None = None, copy: bool | None = None
) -> Array:
    """Make an array of an object that supports DLPack, in the same memory if possible.

    Parameters
    ----------
    x : object with ``__dlpack__`` and ``__dlpack_device__``, shape (...)
        The values.
    device : Device, str or None
        The device of the result; where None, that of an Array, else the default device.
    copy : bool, optional
        True for memory of its own, False for that of x, None for a copy if needed.

    Returns
    -------
    Array, shape (...)
        Of the dtype of x. On a CPU it shares the memory of x where that is the host's, so writes
        show on both sides; it is read-only where x is.

    Raises
    ------
    AttributeError
        If x does not support DLPack.
    BufferError
        If x cannot be exported to the host.
    BufferError and ValueError
        If copy is False and a copy is needed.

    Notes
    -----
    Python Array API standard 2025.12, creation functions.

    Examples
    --------
    >>> import numpy, xarr
    >>> host = numpy.asarray([1, 2])
    >>> x = xarr.from_dlpack(host)
    >>> x.tolist()
    [1, 2]
    """
    where = "from_dlpack(x)"
    if type(x) is Array:
        target = x.device if device is None else get_device(device, where)
        if target is not x.device:
            if copy is False:
                raise _no_copy(where, f"x is on {x.device}", target)
            return x.to_device(target)  # type: ignore[no-any-return]
        return Array(engine.copied(x._node)) if copy else view(x, settled(x))
    for name in ("__dlpack__", "__dlpack_device__"):
        if not hasattr(x, name):
            raise AttributeError(
                errors.message(
                    where,
                    f"x is of type {type(x).__name__}, which has no {name}",
                    "an object that supports DLPack is accepted",
                    "use xarr.asarray(x)",
                )
            )
    target = get_device(device, where)
    kind = int(x.__dlpack_device__()[0])
    if kind in (_HOST, _PINNED):
        host = numpy.from_dlpack(x)
    elif copy is False:
        raise _no_copy(where, f"x is on a device of DLPack's type {kind}", target)
    else:
        host = numpy.from_dlpack(x, device="cpu")
    if copy is not True and library.is_preferred(target):
        shared = _borrowed(host, target)
        if shared is not None:
            return shared
    if copy is False:
        raise _no_copy(where, "x is in the host's memory", target)
    return FUNCTIONS["asarray"](host, device=target)  # type: ignore[no-any-return]


def _no_copy(where: str, given: str, target: Device) -> errors.CopyError:
    return errors.CopyError(
        errors.message(where, given, f"{target} needs a copy", "pass copy=None")
    )


def _borrowed(host: library.Host, device: Device) -> Array | None:
    """The array that lies in a NumPy array's memory; None where its layout cannot be kept."""
    row = dtypes.BY_NUMPY.get(host.dtype)
    if row is None or not host.size or (row in dtypes.NEEDS_FLOAT64 and device.narrow):
        return None
    itemsize = row.itemsize
    low, high = byte_bounds(host)
    begin = int(host.ctypes.data)
    if low % itemsize or any(stride % itemsize for stride in host.strides):
        return None
    where = Layout(
        host.shape,
        tuple(stride // itemsize for stride in host.strides),
        (begin - low) // itemsize,
    )
    memory = numpy.ctypeslib.as_array((ctypes.c_uint8 * (high - low)).from_address(low))
    with device.lock:
        storage = Storage(device, high - low, device.driver.wrap(memory))
    storage.read_only = not host.flags.writeable
    storage.owner = _Borrowed(host, storage)
    return Array(leaf(storage, where, row))


FUNCTIONS["from_dlpack"] = from_dlpack
attach("__dlpack__", dlpack)
attach("__dlpack_device__", dlpack_device)
