"""The inspection API of the standard, and information on memory, devices and NumPy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import numpy

from xarr import dtypes
from xarr.array.array import API_VERSIONS, Array
from xarr.array.row_function import is_waited_for
from xarr.backends.device import (
    Device,
    default_device,
    default_float,
    devices as found_devices,
    get_device,
)
from xarr.functions.types.data_types import AnyDType, is_of
from xarr.layout import MAX_NDIM

__array_api_version__: Final = API_VERSIONS[-1]


class Info:
    """The inspection API of the standard.

    >>> xarr.__array_namespace_info__().capabilities()["boolean indexing"]
    True
    """

    def capabilities(self) -> dict[str, Any]:
        """Tell what is supported: bools, and the largest number of axes.

        >>> xarr.__array_namespace_info__().capabilities()["max dimensions"]
        64
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": MAX_NDIM}

    def default_device(self) -> Device:
        """Tell the device that new arrays are made on.

        >>> xarr.__array_namespace_info__().default_device() == xarr.zeros(1).device
        True
        """
        return default_device()

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, AnyDType]:
        """Tell the data types of arrays made of Python scalars.

        float64 and complex128 where the device has them, else float32 and complex64.

        >>> xarr.__array_namespace_info__().default_dtypes()["integral"]
        dtype('int64')
        """
        floating = default_float(get_device(device, "default_dtypes(device)"))
        return {
            "real floating": floating.numpy,
            "complex floating": dtypes.COMPLEX_OF[floating].numpy,
            "integral": dtypes.int64.numpy,
            "indexing": dtypes.int64.numpy,
        }

    def dtypes(
        self, *, device: Device | str | None = None, kind: Any = None
    ) -> dict[str, AnyDType]:
        """Tell the data types of the standard that a device has, by name; kind as in `isdtype`.

        >>> sorted(xarr.__array_namespace_info__().dtypes(kind="signed integer"))
        ['int16', 'int32', 'int64', 'int8']
        """
        has_float64 = get_device(device, "dtypes(device, kind)").info.has_float64
        return {
            row.name: row.numpy
            for row in dtypes.STANDARD
            if (has_float64 or row not in dtypes.NEEDS_FLOAT64)
            and (kind is None or is_of(row, kind, "dtypes(device, kind)"))
        }

    def devices(self) -> tuple[Device, ...]:
        """List all devices that were found, and the default device where it pretends.

        The standard's version 2025.12 wants a tuple; before, it was a list.

        >>> xarr.default_device() in xarr.__array_namespace_info__().devices()
        True
        """
        found = found_devices()
        chosen = default_device()
        return tuple(found if chosen in found else [chosen, *found])


def __array_namespace_info__() -> Info:  # noqa: N807 - the standard's name
    """Describe the namespace: devices, data types, capabilities.

    Notes
    -----
    Python Array API standard 2025.12, inspection.

    Examples
    --------
    >>> import xarr
    >>> sorted(xarr.__array_namespace_info__().default_dtypes())
    ['complex floating', 'indexing', 'integral', 'real floating']
    """
    return Info()


_INCLUDE: Final = Path(__file__).resolve().parents[2] / "include"


def memory_info(device: Device | str | None = None) -> dict[str, int]:
    """Return the memory of a device in bytes, as `Device.memory_info`.

    >>> sorted(name.removesuffix("_nbytes") for name in xarr.memory_info())
    ['free', 'held', 'peak', 'total', 'used']
    """
    return get_device(device, where="memory_info(device)").memory_info()


def synchronize(x: Array | Device | str | None = None) -> None:
    """Compute an array, or all pending work of a device, and wait until it is done.

    x : Array, Device, str or None -- The array or device to wait for; None for the default device.

    TypeError -- If x is none of these.
    ValueError -- If there is no such device.

    >>> x = xarr.ones(3) + 1
    >>> xarr.synchronize(x)
    """
    if not is_waited_for(x):
        get_device(x, where="synchronize(x)").synchronize()  # type: ignore[arg-type]


def info(
    object: Any = None, maxwidth: int = 76, output: Any = None, toplevel: str = "xarr"
) -> None:
    """Write a description of an array, or the documentation of anything else, as NumPy does.

    object : Array, object or str -- The array, the object, or an object's name.
    maxwidth : int -- The length of the longest line, in characters.
    toplevel : str -- The module to search for a name.
    output : open file, optional -- The file to write to; None for the standard output.

    >>> xarr.info(xarr.zeros((2, 3), dtype="int8"), output=None)  # doctest: +ELLIPSIS
    class:  Array
    shape:  (2, 3)
    dtype:  int8
    device:  ...
    """
    if type(object) is not Array:
        numpy.info(object, maxwidth, output, toplevel)
        return
    lines = {"class": "Array", "shape": object.shape, "dtype": object.dtype}
    lines["device"] = object.device
    file = sys.stdout if output is None else output
    file.writelines(f"{name}:  {value}\n" for name, value in lines.items())


def get_include() -> str:
    """Return the folder of ``xarr.hpp``, the header for C++ code that uses arrays.

    Note: Not in NumPy, whose function of this name returns the folder of NumPy's headers.

    >>> import pathlib
    >>> [path.name for path in pathlib.Path(xarr.get_include()).iterdir()]
    ['xarr.hpp']
    """
    return str(_INCLUDE)


def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Show how NumPy was built; `python -m xarr info` shows the devices.

    mode : {"stdout", "dicts"} -- Whether to print the text, or to return a dictionary.

    -> dict, or None if printed

    >>> sorted(xarr.show_config("dicts"))[0]
    'Build Dependencies'
    """
    show: Any = numpy.show_config
    found: dict[str, Any] | None = show(mode)
    return found


def show_runtime() -> None:
    """Print NumPy's version and the host's CPU features; `python -m xarr info` shows the devices.

    >>> xarr.show_runtime()
    [...
    """
    numpy.show_runtime()
