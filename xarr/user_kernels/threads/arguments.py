"""Facts about a launch's sizes and arguments that the translation of a kernel depends on."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence
from typing import Any

import numpy

from xarr import dtypes, layout
from xarr.array.array import Array
from xarr.backends.device import Device
from xarr.ir.events import hooks
from xarr.ir.views import storage_view
from xarr.layout import Layout, contiguous
from xarr.user_kernels.arguments import storage_of

LARGE = layout.WIDE
"""Elements from which on an array, or items from which on a launch, needs places of 64 bits."""
NARROW_ON: tuple[str, ...] = ("gpu",)
"""The kinds of devices with registers of 32 bits; on a CPU such places keep loops from vectors."""


def sizes_of(given: Any) -> tuple[int, ...]:
    """Return an integer, or several, as a tuple; an empty one for anything else."""
    try:
        return tuple(map(operator.index, given if isinstance(given, Sequence) else (given,)))
    except TypeError:
        return ()


def most_items(grid: Any, block: Any) -> int:
    """Return the items of a launch along the dimension that has most; many for an iterator's."""
    sizes = sizes_of(grid), sizes_of(block)
    if not all(sizes):
        return LARGE
    return max(groups * items for groups, items in itertools.zip_longest(*sizes, fillvalue=1))


def is_small(lies: Layout) -> bool:
    """Return whether 32 bits hold the distance of any two elements, and each extent."""
    low, high = lies.bounds()
    return high - low < LARGE and max(lies.shape, default=0) < LARGE


def are_narrow(device: Device, most: int, layouts: Sequence[Layout | None]) -> bool:
    """Return whether a launch computes places in 32 bits."""
    is_possible = device.info.kind in NARROW_ON and most < LARGE
    return is_possible and all(lies is None or is_small(lies) for lies in layouts)


def is_first(array: Array) -> bool:
    """Return whether an array is known to begin where its memory does, in each replay, too."""
    view = array._view
    is_recorded = hooks.recorder is not None
    return not view.offset and not (is_recorded and array.nbytes < storage_of(array).nbytes)


def shares_memory(args: Sequence[Any]) -> bool:
    """Return whether arrays among the arguments share memory."""
    memory = [storage_of(arg).serial for arg in args if type(arg) is Array]
    return len(set(memory)) < len(memory)


def memory_of(array: Array) -> Array:
    """Return the bytes of the whole memory in which an array lies."""
    storage = storage_of(array)
    return Array(storage_view(storage, contiguous((storage.nbytes,)), dtypes.uint8))


def scalar_of(value: Any, device: Device) -> Any:
    """Return a number of Python's as the kernel computes with it."""
    if isinstance(value, bool):
        return numpy.bool_(value)
    wide = numpy.float64 if device.info.has_float64 else numpy.float32
    return numpy.int64(value) if isinstance(value, int) else wide(value)
