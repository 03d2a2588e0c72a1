"""Printing arrays as NumPy prints them, and bringing no more to the host than is shown.

NumPy formats the values; of a large array it is given the corners, gathered on the device.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy

from xarr import dtypes
from xarr.array.array import Array, settled
from xarr.array.door import array_of
from xarr.array.transfers import to_host
from xarr.backends.device import default_device
from xarr.engine.expression import leaf
from xarr.functions.joining import Assembly
from xarr.layout import Layout

_IMPLIED = frozenset((dtypes.bool_, dtypes.int64, dtypes.float64, dtypes.complex128))
"""Data types that NumPy does not print, since the values tell them."""


def array_repr(x: Array) -> str:
    """The array as NumPy's repr shows it, with the device where it is not the default one."""
    x = array_of(x, "array_repr(x)")
    node = x._node
    options = numpy.get_printoptions()
    prefix = "array("
    text = prefix + _values(x, separator=", ", prefix=prefix, suffix=")")
    extras = []
    large = math.prod(node.shape) > options["threshold"]
    if large or (0 in node.shape and node.shape != (0,)):
        extras.append(f"shape={node.shape}")
    if node.dtype not in _IMPLIED or 0 in node.shape:
        extras.append(f"dtype={node.dtype.name}")
    if node.device is not default_device():
        extras.append(f"device={str(node.device)!r}")
    if not extras:
        return text + ")"
    text += ","
    extra = ", ".join(extras) + ")"
    room = int(options["linewidth"]) - (len(text) - (text.rfind("\n") + 1))
    return text + (" " if len(extra) + 1 <= room else "\n" + " " * len(prefix)) + extra


def array_str(x: Array) -> str:
    """The array as NumPy's str shows it."""
    x = array_of(x, "array_str(x)")
    if not x.shape:
        return str(to_host(x._node)[()])
    return _values(x)


def _values(x: Array, **how: Any) -> str:
    options = numpy.get_printoptions()
    shape = x._node.shape
    if 0 in shape:
        return "[]"
    if math.prod(shape) <= options["threshold"]:
        return numpy.array2string(to_host(x._node), **how)
    return numpy.array2string(to_host(_corners(x, options["edgeitems"])._node), threshold=0, **how)


def _corners(x: Array, edge: int) -> Array:
    """The first and last elements along each axis, with one between that is not shown."""
    given = settled(x)
    node = x._node
    storage = node.storage
    assert storage is not None
    # For each axis the pieces (start in x, start in the result, length).
    pieces = [
        [(0, 0, edge + 1), (extent - edge, edge + 1, edge)]
        if extent > 2 * edge + 1
        else [(0, 0, extent)]
        for extent in given.shape
    ]
    shape = tuple(sum(length for _, _, length in axis) for axis in pieces)
    if shape == given.shape:
        return x
    result = Assembly(shape, node.dtype, node.device)
    for block in itertools.product(*pieces):
        part = tuple(length for _, _, length in block)
        offset = given.offset + sum(
            start * stride for (start, _, _), stride in zip(block, given.strides, strict=True)
        )
        source = leaf(storage, Layout(part, given.strides, offset), node.dtype)
        result.put([target for _, target, _ in block], part, source)
    return result.array()


get_printoptions = numpy.get_printoptions
set_printoptions = numpy.set_printoptions
printoptions = numpy.printoptions
