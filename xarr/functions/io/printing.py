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
from xarr.array.coerce import array_of
from xarr.array.layouts import settled
from xarr.array.transfers import to_host
from xarr.backends.device import default_device
from xarr.functions.shape.joining import Assembly
from xarr.ir.views import storage_view
from xarr.layout import Layout

_IMPLIED = frozenset((dtypes.bool_, dtypes.int64, dtypes.float64, dtypes.complex128))
"""Data types that NumPy does not print, since the values tell them."""


def array_repr(
    arr: Array,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """Return the text of `repr`, in NumPy's format; it names any device but the default.

    >>> xarr.array_repr(xarr.asarray([1, 2]))
    'array([1, 2])'
    """
    x = array_of(arr, "array_repr(arr)")
    view = x._view
    options = numpy.get_printoptions()
    prefix = "array("
    width = int(options["linewidth"] if max_line_width is None else max_line_width)
    how = {"max_line_width": width, "precision": precision, "suppress_small": suppress_small}
    text = prefix + _values(x, separator=", ", prefix=prefix, suffix=")", **how)
    extras = []
    large = math.prod(view.shape) > options["threshold"]
    if large or (0 in view.shape and view.shape != (0,)):
        extras.append(f"shape={view.shape}")
    if view.dtype not in _IMPLIED or 0 in view.shape:
        extras.append(f"dtype={view.dtype.name}")
    if view.device is not default_device():
        extras.append(f"device={str(view.device)!r}")
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
    """Return the text of `str`, in NumPy's format.

    >>> xarr.array_str(xarr.asarray([1, 2]))
    '[1 2]'
    """
    x = array_of(a, "array_str(a)")
    if not x.shape:
        return str(to_host(x._view)[()])
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
    """Return the array as text, as `numpy.array2string`; only the corners of a large one are read.

    separator : str -- The separator of elements.
    prefix, suffix : str -- Text that the caller writes before and after; line breaks allow
        for it, and rows are indented by the length of `prefix`.
    formatter : dict of str to callable, optional
        Functions from an element to its text, by kind of data type: "bool", "int", "float", "all".
    threshold : int, optional -- The largest number of elements to write in full.
    edgeitems : int, optional
        The number of elements of a larger array to write at each end of an axis.
    sign : {"-", "+", " "}, optional -- The sign of positive numbers: none, a plus or a space.
    floatmode : {"fixed", "unique", "maxprec", "maxprec_equal"}, optional
        The digits after the point: `precision` of them ("fixed"); as many as identify the number
        ("unique"); the fewer of both ("maxprec"); or the same for all elements ("maxprec_equal").
    legacy : str or False, optional
        The NumPy version of the format, as "1.13"; False for the present format.

    Note: A parameter that is None is as `set_printoptions` set it.

    >>> xarr.array2string(xarr.asarray([1.0, 2.5]), separator=", ")
    '[1. , 2.5]'
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
    shape = x._view.shape
    nothing = numpy.array2string(numpy.empty(0), **how)  # NumPy refuses what it does not take
    if 0 in shape:
        return nothing
    if math.prod(shape) <= threshold or edge < 0:
        return numpy.array2string(to_host(x._view), **how)
    how["threshold"] = 0
    return numpy.array2string(to_host(_corners(x, edge)._view), **how)


def format_float_positional(x: Any, *args: Any, **kwargs: Any) -> str:
    """Return a number as decimal text, as `numpy.format_float_positional`.

    x : float -- The number.
    args, kwargs : object -- The other parameters of `numpy.format_float_positional`.

    >>> xarr.format_float_positional(0.00001)
    '0.00001'
    """
    return numpy.format_float_positional(_number(x), *args, **kwargs)


def format_float_scientific(x: Any, *args: Any, **kwargs: Any) -> str:
    """Return a number as text with an exponent, as `numpy.format_float_scientific`.

    x : float -- The number.
    args, kwargs : object -- The other parameters of `numpy.format_float_scientific`.

    >>> xarr.format_float_scientific(0.00001)
    '1.e-05'
    """
    return numpy.format_float_scientific(_number(x), *args, **kwargs)


def _number(x: Any) -> Any:
    return to_host(x._view)[()] if type(x) is Array else x


def base_repr(number: SupportsIndex, base: int = 2, padding: int = 0) -> str:
    """Return an integer as text in a base from 2 to 36.

    number : int -- The integer.
    base : int -- The base, from 2 to 36.
    padding : int -- The number of zeros to put in front.

    ValueError -- If `base` is not in [2, 36].

    >>> xarr.base_repr(10, base=3)
    '101'
    """
    return numpy.base_repr(operator.index(number), base, padding)


def binary_repr(num: SupportsIndex, width: int | None = None) -> str:
    """Return an integer as binary text; two's complement if it is negative and width is given.

    num : int -- The number.
    num : int -- The integer.
    width : int, optional -- The number of digits; ValueError if the integer needs more.

    >>> xarr.binary_repr(-3, width=4)
    '1101'
    """
    return numpy.binary_repr(operator.index(num), width)


def _corners(x: Array, edge: int) -> Array:
    """The first and last elements along each axis, with one between that is not shown."""
    given = settled(x)
    view = x._view
    storage = view.storage
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
    result = Assembly(shape, view.dtype, view.device)
    for block in itertools.product(*pieces):
        part = tuple(length for _, _, length in block)
        offset = given.offset + sum(
            start * stride for (start, _, _), stride in zip(block, given.strides, strict=True)
        )
        source = storage_view(storage, Layout(part, given.strides, offset), view.dtype)
        result.put([target for _, target, _ in block], part, source)
    return result.array()


get_printoptions = numpy.get_printoptions
set_printoptions = numpy.set_printoptions
printoptions = numpy.printoptions
