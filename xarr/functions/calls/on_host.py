"""Functions of a few numbers that run on the host: their operands there, their results back.

`host_of` is how a function reads Arrays that says "Runs on the host.": a transfer that is noted
under the function's name, and that `no_implicit_transfer` refuses.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy

from xarr import dtypes
from xarr.array.array import Array
from xarr.array.coerce import replaced
from xarr.array.transfers import from_host, openly, to_host
from xarr.backends.device import Device, default_float, get_device

numpys_method: Callable[[str, Array, tuple[Any, ...]], Array | None] | None = None
"""NumPy's method in the place of a refused one, in a program that runs with xarr; else None."""


def fallen_back(refusal: TypeError, name: str, x: Array, *args: Any) -> Array:
    """The fallback's result where an Array's method was refused; raise the refusal without one."""
    given = None if numpys_method is None else numpys_method(name, x, args)
    if given is None:
        raise refusal
    return given


def left_on_host(refusal: TypeError, result: Any) -> Any:
    """An array of NumPy's that no device can hold, where a program has them; else the refusal."""
    if numpys_method is None or not isinstance(result, numpy.ndarray):
        raise refusal
    return result


def is_of_host(value: object) -> bool:
    """Whether a value is, or holds, what no device holds: text, dates, long doubles, ..."""
    if isinstance(value, numpy.dtype):
        return value not in dtypes.BY_NUMPY
    if isinstance(value, numpy.ndarray | numpy.generic):
        return is_of_host(value.dtype)
    return isinstance(value, list | tuple) and any(
        isinstance(item, str | bytes) or is_of_host(item) for item in value
    )


def host_of(value: Any, where: str) -> Any:
    """Replace the Arrays in a value by NumPy arrays; `where` reads them."""
    return replaced(value, (Array,), lambda x: to_host(x._view, where))


def device_of(*values: Any) -> Device:
    """The device of the first Array among values, or in lists among them; else the default one."""
    for value in values:
        if type(value) is Array:
            return value.device
        if isinstance(value, list | tuple):
            for part in value:
                if type(part) is Array:
                    return part.device
    return get_device()


def given_back(value: Any, device: Device) -> Any:
    """Replace NumPy's arrays and scalars in a result by Arrays."""

    def of_device(given: Any) -> Array:
        values = numpy.asarray(given)
        row = dtypes.BY_NUMPY.get(values.dtype)
        if row in dtypes.NEEDS_FLOAT64 and device.no_float64:
            floating = default_float(device)
            narrow = floating if row is dtypes.float64 else dtypes.COMPLEX_OF[floating]
            values = values.astype(narrow.numpy)
        with openly():
            return Array(from_host(values, device, "the result of a function on the host"))

    return replaced(value, (numpy.ndarray, numpy.generic), of_device)


def constants(space: str, theirs: ModuleType, prefix: str) -> Callable[[str], Any]:
    """Make the `__getattr__` of a module of polynomials, which makes its constants when asked."""
    names = [prefix + name for name in ("domain", "one", "x", "zero")]

    def __getattr__(name: str) -> Any:  # noqa: N807 - what Python calls it
        if name in names:
            return given_back(getattr(theirs, name), get_device())
        raise AttributeError(f"module {space!r} has no attribute {name!r}")

    return __getattr__


def run_on_host(function: Callable[..., Any], about: str = "") -> Callable[..., Any]:
    """A function of NumPy's for Arrays, which runs on the host; `about` replaces its summary."""
    where = f"{function.__name__}(...)"

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        device = device_of(*args, *kwargs.values())
        return given_back(function(*host_of(args, where), **host_of(kwargs, where)), device)

    lines = map(str.strip, (function.__doc__ or "").split("\n"))
    about = about or next((line for line in lines if line.endswith(".")), "")
    module = (function.__module__ or "").replace("._", ".")
    called.__doc__ = (
        f"{about}\n\nRuns on the host, by `{module}.{function.__name__}`.\n"
        "The parameters are the same; xarr's Arrays are accepted, too."
    )
    return called
