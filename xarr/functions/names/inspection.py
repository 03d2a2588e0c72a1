"""The inspection API of the standard: capabilities, devices, data types."""

from __future__ import annotations

from typing import Any

from xarr import dtypes
from xarr.backends.device import (
    Device,
    default_device,
    default_float,
    devices as found_devices,
    get_device,
)
from xarr.functions.types.data_types import AnyDType, is_of
from xarr.layout import MAX_NDIM


class Info:
    """The inspection API of the standard.

    >>> xarr.__array_namespace_info__().capabilities()["boolean indexing"]
    True
    """

    def capabilities(self) -> dict[str, Any]:
        """Tell what is supported: bools, and the largest number of axes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": MAX_NDIM}

    def default_device(self) -> Device:
        """Tell the device that new arrays are made on."""
        return default_device()

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, AnyDType]:
        """Tell the data types of arrays made of Python scalars.

        float64 and complex128 where the device has them, else float32 and complex64.
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
        """Tell the data types of the standard that a device has, by name; kind as in `isdtype`."""
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
