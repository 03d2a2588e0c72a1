"""What no device holds, in a program that runs with xarr in NumPy's place.

Arrays of records, strings, dates and Python's objects are NumPy's own there, on the host: where a
function refuses them, NumPy's is called, and the few names that xarr lacks, which stand for such
arrays, are NumPy's. A report shows the lines.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, Final

import numpy

from xarr.algorithms import library
from xarr.backends.device import default_device

KINDS: Final = "OSUVMm"
"""NumPy's kinds of data type that no device has."""


class Namespace(ModuleType):
    """xarr's main module as a program sees it in NumPy's place."""

    def __init__(self, package: ModuleType) -> None:
        super().__init__(package.__name__, package.__doc__)
        self._package = package

    def __getattr__(self, name: str) -> Any:
        try:
            found = getattr(self._package, name)
        except AttributeError:
            if name.startswith("_") or not hasattr(numpy, name):
                raise
            _note(name, 0)
            found = getattr(numpy, name)
        else:
            if isinstance(found, FunctionType) and hasattr(numpy, name):
                found = _or_numpys(found, getattr(numpy, name))
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return dir(self._package)


@functools.cache
def namespace() -> Namespace:
    """The one there is."""
    return Namespace(importlib.import_module("xarr"))


def _or_numpys(own: Callable[..., Any], theirs: Callable[..., Any]) -> Callable[..., Any]:
    """A function of xarr, and NumPy's for what no device holds."""

    @functools.wraps(own)
    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            return own(*args, **kwargs)
        except TypeError:
            try:
                given = theirs(*args, **kwargs)
            except Exception:  # noqa: BLE001 - what xarr says of the call is what is told
                given = None
            if given is None or not any(map(_is_of_host, (given, *args, *kwargs.values()))):
                raise
        _note(own.__name__, getattr(given, "nbytes", 0))
        return given

    return function


def _is_of_host(value: object) -> bool:
    """Whether a value is, or holds, numbers of no data type that a device has."""
    if isinstance(value, numpy.dtype):
        return value.kind in KINDS
    if isinstance(value, numpy.ndarray | numpy.generic):
        return value.dtype.kind in KINDS
    return isinstance(value, list | tuple) and any(
        isinstance(item, str | bytes) or _is_of_host(item) for item in value
    )


def _note(name: str, nbytes: int) -> None:
    device = default_device()
    if not library.is_preferred(device):
        library.warn_once(name, device)
    for observer in library.observers:
        observer(f"{name} (NumPy's own)", nbytes, "from", device)
