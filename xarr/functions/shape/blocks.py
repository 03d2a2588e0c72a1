"""`block`: an array put together of nested lists of blocks."""

from __future__ import annotations

from typing import Any

import numpy

from xarr.array.array import Array
from xarr.array.cached_calls import by_numpy
from xarr.array.coerce import as_array
from xarr.array.layouts import keep_array
from xarr.backends.device import get_device, promoted
from xarr.errors import type_error, value_error
from xarr.functions.shape.joining import Assembly
from xarr.functions.shape.manipulation import with_axes
from xarr.layout import Shape


@by_numpy(numpy.block)
def block(arrays: Any) -> Array:
    """Assemble an array from nested lists of blocks.

    arrays : nested lists of Arrays and values -- The innermost lists are joined along the last
        axis, those around them along the one before, and so on.

    -> Array, of the data type that the blocks promote to

    TypeError -- If a tuple is among the lists.
    ValueError -- If lists are empty or not equally deep, or the shapes of blocks do not fit
        together.

    >>> xarr.block([[xarr.ones((1, 1)), 2], [3, 4]]).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    where = "block(arrays)"
    depth = _depth(arrays, where)
    leaves = list[Any]()
    _collect(arrays, leaves)
    device = next((item.device for item in leaves if type(item) is Array), get_device())
    parts = [as_array(item, where, "a block", device=device) for item in leaves]
    ndim = max(depth, *(part.ndim for part in parts))
    parts = [with_axes(part, ndim, where) for part in parts]
    placed: list[tuple[list[int], Array]] = []
    shape = _place_blocks(arrays, iter(parts), [0] * ndim, ndim - depth, placed, where)
    row = promoted([part._view.dtype for part in parts], device, where)
    whole = Assembly(shape, row, device)
    for begin, part in placed:
        whole.put(begin, part.shape, part._view)
    return keep_array(whole.array())


def _depth(arrays: Any, where: str) -> int:
    """How deep the lists are, everywhere."""
    if isinstance(arrays, tuple):
        raise type_error(where, "a tuple is among the lists", "blocks must be in lists")
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise value_error(where, "a list is empty", "it must have blocks")
    depths = {_depth(item, where) for item in arrays}
    if len(depths) > 1:
        fault = f"lists are {sorted(depths)} deep beside each other"
        raise value_error(where, fault, "all must be equally deep")
    return depths.pop() + 1


def _collect(arrays: Any, leaves: list[Any]) -> None:
    if isinstance(arrays, list):
        for item in arrays:
            _collect(item, leaves)
    else:
        leaves.append(arrays)


def _place_blocks(
    arrays: Any,
    parts: Any,
    begin: list[int],
    axis: int,
    placed: list[tuple[list[int], Array]],
    where: str,
) -> Shape:
    """Note where each block begins; the shape of all of them. `axis` is joined at this depth."""
    if not isinstance(arrays, list):
        part = next(parts)
        placed.append((begin, part))
        shape: Shape = part.shape
        return shape
    total: Shape | None = None
    for item in arrays:
        at = list(begin)
        if total is not None:
            at[axis] += total[axis]
        shape = _place_blocks(item, parts, at, axis + 1, placed, where)
        if total is None:
            total = shape
            continue
        for number, (one, other) in enumerate(zip(total, shape, strict=True)):
            if number != axis and one != other:
                fault = f"blocks of shapes {total} and {shape} are joined along axis {axis}"
                raise value_error(where, fault, "the other extents must agree")
        total = (*total[:axis], total[axis] + shape[axis], *total[axis + 1 :])
    assert total is not None
    return total
