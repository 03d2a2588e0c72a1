"""Printing arrays as NumPy prints them, and bringing no more to the host than is shown.

NumPy formats the values; of a large array it is given the corners, gathered on the device.
"""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any, SupportsIndex

import numpy

from xarr import dtypes
from xarr.array.array import Array
from xarr.array.door import array_of
from xarr.array.layouts import settled
from xarr.array.transfers import to_host
from xarr.backends.device import default_device
from xarr.core.tape import leaf
from xarr.functions.shape.joining import Assembly
from xarr.layout import Layout

_IMPLIED = frozenset((dtypes.bool_, dtypes.int64, dtypes.float64, dtypes.complex128))
"""Data types that NumPy does not print, since the values tell them."""


def array_repr(
    arr: Array,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """The array as NumPy's repr shows it, with the device where it is not the default one."""
    x = array_of(arr, "array_repr(arr)")
    node = x._node
    options = numpy.get_printoptions()
    prefix = "array("
    width = int(options["linewidth"] if max_line_width is None else max_line_width)
    how = {"max_line_width": width, "precision": precision, "suppress_small": suppress_small}
    text = prefix + _values(x, separator=", ", prefix=prefix, suffix=")", **how)
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
    room = width - (len(text) - (text.rfind("\n") + 1))
    return text + (" " if len(extra) + 1 <= room else "\n" + " " * len(prefix)) + extra


def array_str(
    a: Array,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """The array as NumPy's str shows it."""
    x = array_of(a, "array_str(a)")
    if not x.shape:
        return str(to_host(x._node)[()])
    return _values(
        x, max_line_width=max_line_width, precision=precision, suppress_small=suppress_small
    )


def array2string(
    a: Array,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
    separator: str = " ",
    prefix: str = "",
    *,
    formatter: Any = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    sign: Any = None,
    floatmode: Any = None,
    suffix: str = "",
    legacy: Any = None,
) -> str:
    """The array as text, as `numpy.array2string` writes it; of a large one its corners move alone.

    separator, prefix, suffix : str -- Those of `numpy.array2string`.
    formatter, threshold, edgeitems, sign, floatmode, legacy
        Those of `numpy.set_printoptions`.
    """
    how = dict(locals())
    return _values(array_of(how.pop("a"), "array2string(a)"), **how)


def _values(x: Array, **how: Any) -> str:
    """The values without a type; `how` has the arguments of `numpy.array2string`."""
    options = numpy.get_printoptions()
    given = {name: how.get(name) for name in ("threshold", "edgeitems")}
    threshold, edge = (
        options[name] if value is None else value  # type: ignore[literal-required]
        for name, value in given.items()
    )
    shape = x._node.shape
    if 0 in shape:
        return "[]"
    if math.prod(shape) <= threshold:
        return numpy.array2string(to_host(x._node), **how)
    how["threshold"] = 0
    return numpy.array2string(to_host(_corners(x, edge)._node), **how)


def format_float_positional(x: Any, *args: Any, **kwargs: Any) -> str:
    """A number as text; the other parameters are those of `numpy.format_float_positional`."""
    return numpy.format_float_positional(_number(x), *args, **kwargs)


def format_float_scientific(x: Any, *args: Any, **kwargs: Any) -> str:
    """A number as text with an exponent; as of `numpy.format_float_scientific`."""
    return numpy.format_float_scientific(_number(x), *args, **kwargs)


def _number(x: Any) -> Any:
    return to_host(x._node)[()] if type(x) is Array else x


def base_repr(number: SupportsIndex, base: int = 2, padding: int = 0) -> str:
    """An integer as text in a base from 2 to 36, with `padding` zeros in front."""
    return numpy.base_repr(operator.index(number), base, padding)


def binary_repr(num: SupportsIndex, width: int | None = None) -> str:
    """An integer as `width` zeros and ones, or more; two's complement where it is negative.

    num : int -- The number.
    """
    return numpy.binary_repr(operator.index(num), width)


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
