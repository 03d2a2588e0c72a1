"""xarray: variables index Arrays as NumPy's arrays, and keep those without axes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from xarray.core import indexing, missing, variable
from xarray.namedarray import core

import xarr
from xarr.array import numpy_protocols

_indexed_otherwise: Final = indexing.ArrayApiIndexingAdapter
_named_otherwise: Final = core.from_array


def _indexing_adapter(array: Any) -> Any:
    """Let an Array be indexed as NumPy's are.

    Of the standard's arrays xarray wants less: they take no vectorised indices, and a block of rows
    and columns cannot be written to.
    """
    is_array = type(array) is xarr.Array
    return (indexing.NdArrayLikeIndexingAdapter if is_array else _indexed_otherwise)(array)


def _keep_number(dims: Any, data: Any, attrs: Any = None) -> Any:
    """Keep an Array that is a number, which xarray would make an array of NumPy's of."""
    create = core.NamedArray if type(data) is xarr.Array else _named_otherwise
    return create(dims, data, attrs)


def _returning_arrays(function: Callable[..., Any], where: str) -> Callable[..., Any]:
    """Give Arrays of what SciPy or Bottleneck computes of an Array on the host."""

    @functools.wraps(function)
    def called(x: Any, *args: Any, **kwargs: Any) -> Any:
        if type(x) is not xarr.Array:
            return function(x, *args, **kwargs)
        return numpy_protocols.on_host(function, (x, *args), kwargs, where)

    return called


# xarray has no registries for these.
missing._interpnd = _returning_arrays(missing._interpnd, "x.interp(...)")
missing.push = _returning_arrays(missing.push, "x.ffill(...)")
indexing.ArrayApiIndexingAdapter = _indexing_adapter
core.from_array = _keep_number
variable.NON_NUMPY_SUPPORTED_ARRAY_TYPES += (xarr.Array,)  # types that it keeps as they are
