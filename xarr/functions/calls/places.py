"""Arguments that are indices along an axis: their type, and those out of range."""

from __future__ import annotations

from typing import Any

from xarr import dtypes
from xarr.array.array import Array
from xarr.array.conversion import as_array
from xarr.backends.device import require_together
from xarr.engine import engine
from xarr.errors import refused, type_error, value_error
from xarr.functions.create import creation
from xarr.functions.elementwise import arithmetic, elementwise
from xarr.functions.index.indexing import require_in_range
from xarr.functions.shape import manipulation
from xarr.layout import Shape


def int64(indices: Any, where: str, name: str, device: Any = None, *, empty: bool = True) -> Array:
    """An argument of indices as an Array of int64; TypeError for floating-point ones.

    With `empty`, an empty list is one of integers.
    """
    array = as_array(indices, where, name, device=device)
    if empty and not array.size and type(indices) in (list, tuple):
        return Array(engine.converted(array._node, dtypes.int64))
    if array._node.dtype.kind not in (*dtypes.INTEGER, dtypes.BOOL):
        fault = f"{name} has dtype {array._node.dtype}"
        accepted = "indices are of integer dtype"
        raise type_error(where, fault, accepted, f'convert with {name}.astype("int64")')
    if array._node.dtype is dtypes.uint64:  # beyond int64 is out of range, and not negative
        array = elementwise.minimum(array, dtypes.integer_bounds(dtypes.int64)[1])
    return Array(engine.converted(array._node, dtypes.int64))


def along(indices: Any, where: str, device: Any) -> Array:
    """An argument of indices of each line; IndexError for what is not integer, as NumPy has it."""
    array = as_array(indices, where, "indices", device=None if type(indices) is Array else device)
    if array._node.dtype.kind not in dtypes.INTEGER:
        fault = f"indices have dtype {array.dtype}"
        raise refused(IndexError, where, fault, "integers are accepted")
    require_together(array._node.device, device, where)
    return Array(engine.converted(array._node, dtypes.int64))


def bounded(index: Array, extent: int, axis: int, mode: str, where: str) -> Array:
    """Indices of int64 in [-extent, extent): refused where they are not, wrapped, or clipped."""
    if mode == "raise":
        require_in_range(index, extent, axis, where)
        return index
    if mode not in ("wrap", "clip"):
        raise value_error(where, f"mode is {mode!r}", "'raise', 'wrap' and 'clip' are accepted")
    if not extent:
        require_in_range(index, extent, axis, where)
        return index
    if mode == "wrap":
        return elementwise.remainder(index, extent)
    return arithmetic.clip(index, 0, extent - 1)


def lines_along(shape: Shape, axis: int, device: Any) -> list[Array]:
    """For each axis but one, its indices, shaped so that they broadcast over `shape`."""
    result = []
    for place, extent in enumerate(shape):
        own = (1,) * place + (extent,) + (1,) * (len(shape) - place - 1)
        if place != axis:
            line = creation.arange(extent, device=device)
            result.append(manipulation.reshape(line, own))
    return result
