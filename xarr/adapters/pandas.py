"""pandas: Arrays without axes are numbers in its columns, and Arrays are keys and conditions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy
from pandas._libs import lib
from pandas.core import algorithms, common
from pandas.core.dtypes import cast

import xarr


def _number(value: Any) -> Any:
    return numpy.asarray(value)[()] if type(value) is xarr.Array and not value.ndim else value


def _value(value: Any) -> Any:
    return numpy.asarray(value) if type(value) is xarr.Array else value


def _numbers(objects: Any) -> Any:
    """Numbers in place of Arrays, if the first object is one: results of a function of groups."""
    if not objects.size or type(objects.flat[0]) is not xarr.Array:
        return objects
    numbers = (_number(one) for one in objects.flat)
    return numpy.fromiter(numbers, object, objects.size).reshape(objects.shape)


def _of(convert: Callable[[Any], Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function of pandas, whose first argument is converted before."""

    @functools.wraps(function)
    def called(value: Any, *args: Any, **kwargs: Any) -> Any:
        return function(convert(value), *args, **kwargs)

    return called


# pandas has no registries for these, through which it asks what a number, a column or a key is.
lib.item_from_zerodim = _of(_number, lib.item_from_zerodim)
lib.maybe_convert_objects = _of(_numbers, lib.maybe_convert_objects)
cast.infer_dtype_from_scalar = _of(_number, cast.infer_dtype_from_scalar)
algorithms._ensure_arraylike = _of(_value, algorithms._ensure_arraylike)
common.apply_if_callable = _of(_value, common.apply_if_callable)
