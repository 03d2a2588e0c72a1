"""Information on memory, devices and NumPy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import numpy

from xarr.array.array import Array
from xarr.backends.device import Device, get_device
from xarr.engine import engine

_INCLUDE: Final = Path(__file__).resolve().parents[2] / "include"


def memory_info(device: Device | str | None = None) -> dict[str, int]:
    """The memory of a device in bytes, as of `Device.memory_info`.

    >>> sorted(name.removesuffix("_nbytes") for name in xarr.memory_info())
    ['free', 'held', 'peak', 'total', 'used']
    """
    return get_device(device, where="memory_info(device)").memory_info()


def synchronize(x: Array | Device | str | None = None) -> None:
    """Compute an array, or run all that was asked of a device, and wait until it is done.

    x : Array, Device, str or None -- What to wait for; the default device where None.
    """
    if type(x) is Array:
        engine.compute(x._node)
        with x.device.lock:
            x.device.driver.synchronize()
        return
    device = get_device(x, where="synchronize(x)")  # type: ignore[arg-type]
    device.synchronize()


def info(
    object: Any = None, maxwidth: int = 76, output: Any = None, toplevel: str = "xarr"
) -> None:
    """Write what is known of an array, or the documentation of anything else, as NumPy does.

    object : Array or object -- What is asked about.
    maxwidth, toplevel
        Those of `numpy.info`.
    output : open file, optional -- Where it is written; to the standard output where None.

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
    """Return the folder of ``xarr.hpp``, the header with which C++ sees arrays.

    >>> import pathlib
    >>> [path.name for path in pathlib.Path(xarr.get_include()).iterdir()]
    ['xarr.hpp']
    """
    return str(_INCLUDE)


def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Show how NumPy was built, which computes on the host; `python -m xarr info` shows devices.

    mode : str -- "stdout" to print, "dicts" for a dictionary.
    """
    show: Any = numpy.show_config
    found: dict[str, Any] | None = show(mode)
    return found


def show_runtime() -> None:
    """Print NumPy's version and the host's instructions; `python -m xarr info` shows devices."""
    numpy.show_runtime()
