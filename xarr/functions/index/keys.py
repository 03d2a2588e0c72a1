"""Keys in `x[key]`: the view that they name, and the arrays that index its axes.

Integers, slices, `...` and None make a view. Masks stand for the indices of their true elements;
one without axes, and `True` and `False`, for one index or none on a new axis. An integer beside
arrays is an array without axes. Knows how keys are read, not what is done with the elements.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy

from xarr import dtypes, layout, tuning
from xarr.algorithms import gather
from xarr.array.array import Array
from xarr.array.conversion import as_array
from xarr.array.layouts import settled
from xarr.array.nested import holds_arrays
from xarr.array.transfers import from_host, is_unobserved
from xarr.core.tape import LONGEST_STEP, Node, constant, sliced, values_of
from xarr.dtypes import BOOL, INTEGER
from xarr.engine import engine
from xarr.errors import refused, type_error, value_error
from xarr.functions.elementwise import elementwise
from xarr.functions.reduce import reductions
from xarr.layout import Layout, Shape

WHERE: Final = "x[key]"
_ALL: Final = slice(None)
_ACCEPTED: Final = "integers, slices, ..., None, and integer or bool arrays are accepted"


class Key(NamedTuple):
    """A key with arrays, taken apart.

    `where` is x with slices and None applied; `arrays` are the axes of it that are indexed, each
    with its indices, int64 and of one shape; `place` is the axis of the result where theirs begin.
    """

    where: Layout
    arrays: list[tuple[int, Node]]
    place: int


class _Index(NamedTuple):
    """An array in a key, and the smallest and largest of its elements where the host knows."""

    array: Array
    bounds: tuple[int, int] | None


def basic(where: Layout, items: tuple[Any, ...]) -> Layout:
    """The layout of a view by integers, slices, `...` and None."""
    shape, strides = where.shape, where.strides
    named = 0
    ellipses = 0
    for item in items:
        if item is Ellipsis:
            ellipses += 1
        elif item is not None:
            named += 1
    if ellipses > 1:
        raise _several_ellipses()
    if named > len(shape):
        raise _too_many(named, len(shape))
    plain = list[Any]()
    axis = 0
    for item in items:
        if item is None or item is Ellipsis:
            plain.append(item)
            axis += 0 if item is None else len(shape) - named
        elif type(item) is slice:
            plain.append(_slice(item, shape[axis]))
            axis += 1
        else:
            plain.append(_integer(item, shape[axis], axis))
            axis += 1
    lies = list[int]()
    beyond = sliced(shape, strides, tuple(plain), lies)
    if len(lies) > 2 * layout.MAX_NDIM:
        raise _too_deep(len(lies) // 2)
    return Layout(tuple(lies[::2]), tuple(lies[1::2]), where.offset + beyond)


def _too_deep(ndim: int) -> IndexError:
    return refused(
        IndexError,
        WHERE,
        f"the result would have {ndim} dimensions",
        f"arrays have {layout.MAX_NDIM} at most",
    )


def _several_ellipses() -> IndexError:
    return refused(IndexError, WHERE, "key has several ...", "one ... at most is accepted")


def _too_many(named: int, ndim: int) -> IndexError:
    return refused(
        IndexError, WHERE, f"key names {named} axes", f"x has {ndim} dimensions: too many indices"
    )


def _slice(item: slice, extent: int) -> slice:
    """The same slice, its parts integers within the extent."""
    try:
        start, stop, step = item.indices(extent)
    except TypeError:
        fault = f"the slice is {item}"
        raise type_error(WHERE, fault, "the parts of a slice are integers or None") from None
    if abs(step) > LONGEST_STEP:
        step = (extent + 1) * (1 if step > 0 else -1)
    if (stop - start) * step <= 0:
        return slice(0, 0, step)
    return slice(start, None if stop < 0 else stop, step)


def _integer(item: Any, extent: int, axis: int) -> int:
    try:
        index = operator.index(item)
    except TypeError:
        raise refused(IndexError, WHERE, f"the index is {item!r}", _ACCEPTED) from None
    if not -extent <= index < extent:
        fault = f"index {index} is out of bounds for axis {axis} with size {extent}"
        raise refused(IndexError, WHERE, fault, f"[{-extent}, {extent}) is accepted")
    return index + extent if index < 0 else index


def is_array(item: Any) -> bool:
    """Whether an item of a key is an array, so that the key gives a copy."""
    kind = type(item)
    if kind is slice or kind is int or item is None or item is Ellipsis:
        return False
    if kind is Array:
        return not (item._node.shape == () and item._node.dtype.kind in INTEGER)
    if isinstance(item, numpy.ndarray | Sequence | bool | numpy.bool_):
        return not isinstance(item, str | bytes)
    return hasattr(item, "__array__") and not isinstance(item, numpy.generic)


def mask_of(item: Any, x: Array) -> Array | None:
    """The array of an item that is a mask; None for any other."""
    if type(item) is Array:
        return item if item._node.dtype.kind == BOOL and _of_device(item, x) else None
    if is_array(item):
        array = _index(item, x).array
        return array if array._node.dtype.kind == BOOL else None
    return None


def _of_device(array: Array, x: Array) -> bool:
    if array._node.device is not x._node.device:
        fault = f"the index is on {array.device} and x on {x.device}"
        raise value_error(WHERE, fault, "both have to be on one device")
    return True


def _index(item: Any, x: Array) -> _Index:
    """An item as an Array on the device of x: bool, or integers."""
    bounds = None
    if type(item) is Array:
        _of_device(item, x)
        array = item
    elif isinstance(item, list | tuple) and holds_arrays(item):
        array = as_array(item, WHERE, "the index", device=x.device)
    else:
        values = _host(item)
        if values.dtype.kind in "iu" and values.size:
            bounds = int(values.min()), int(values.max())
        array = Array(from_host(values, x.device, WHERE))
    if array._node.dtype.kind not in (BOOL, *INTEGER):
        raise _no_index(str(array._node.dtype))
    return _Index(array, bounds)


def _host(item: Any) -> numpy.ndarray[Any, numpy.dtype[Any]]:
    """An item that is no Array, as NumPy's."""
    try:
        values = numpy.asarray(item)
    except (TypeError, ValueError) as error:
        raise refused(IndexError, WHERE, f"an index is no array ({error})", _ACCEPTED) from None
    if values.size == 0 and not hasattr(item, "dtype"):
        return values.astype(numpy.int64)  # of an empty list
    if values.dtype.kind not in "biu":
        raise _no_index(str(values.dtype))
    return values


def _no_index(dtype: str) -> IndexError:
    return refused(
        IndexError,
        WHERE,
        f"an index array has dtype {dtype}",
        "index arrays are of integer or bool dtype",
        'convert with index.astype("int64")',
    )


def advanced(x: Array, items: tuple[Any, ...]) -> Key:
    """Take a key with arrays apart; x is settled afterwards."""
    entries = [_index(item, x) if is_array(item) else item for item in items]
    named = sum(map(_axes_of, entries))
    if sum(entry is Ellipsis for entry in entries) > 1:
        raise _several_ellipses()
    if not any(entry is Ellipsis for entry in entries):
        entries.append(Ellipsis)
    if named > x.ndim:
        raise _too_many(named, x.ndim)
    simple = list[Any]()
    found: list[tuple[int, _Index]] = []  # the axes of the view, and their indices
    positions = list[int]()
    axis = 0  # of x
    for number, entry in enumerate(entries):
        if entry is Ellipsis:
            simple += [_ALL] * (x.ndim - named)
            axis += x.ndim - named
        elif entry is None or type(entry) is slice:
            simple.append(entry)
            axis += entry is not None
        else:
            if type(entry) is _Index:
                count = _axes_of(entry)
                own = None if count == 0 else _ALL
                parts = _indices(entry, x.shape[axis : axis + count], axis)
            else:
                count, own = 1, _ALL
                at = _integer(entry, x.shape[axis], axis)
                parts = [_Index(Array(constant(at, dtypes.int64, (), x.device)), (at, at))]
            for part in parts:
                found.append((len(simple), part))
                simple.append(own)
                positions.append(number)
            axis += count
    if len(found) > layout.MAX_NDIM:
        raise _too_deep(len(found))
    where = basic(settled(x), tuple(simple))
    shape = _common_shape([part.array for _, part in found])
    arrays = list[tuple[int, Node]]()
    for place, part in found:
        if 0 not in shape or not part.array.ndim:
            _require_in_range(part, where.shape[place], place)
        index = engine.converted(part.array._node, dtypes.int64)
        arrays.append((place, engine.broadcast(index, shape)))
    together = positions[-1] - positions[0] + 1 == len(set(positions))
    return Key(where, arrays, found[0][0] if together else 0)


def _axes_of(entry: Any) -> int:
    """The number of axes of x that an item takes."""
    if type(entry) is _Index:
        return entry.array.ndim if entry.array._node.dtype.kind == BOOL else 1
    return 0 if entry is None or entry is Ellipsis else 1


def mismatch(mask: Shape, extents: Shape, first: int) -> str:
    """Describe the mismatch of a mask and the axes from `first` on that it indexes; else ""."""
    for number, (mine, own) in enumerate(zip(mask, extents, strict=False)):
        if mine not in (own, 0):
            return (
                f"boolean index did not match indexed array along axis {first + number}; "
                f"size of axis is {own} but size of corresponding boolean axis is {mine}"
            )
    return ""


def _indices(entry: _Index, extents: Shape, first: int) -> list[_Index]:
    """The index arrays that an array in a key stands for; `first` is its first axis of x."""
    array, _ = entry
    if array._node.dtype.kind != BOOL:
        return [entry]
    if not array.ndim:
        node = constant(0, dtypes.int64, (int(bool(array)),), array._node.device)
        return [_Index(Array(node), (0, 0))]
    if not all(mine in (own, 0) for mine, own in zip(array.shape, extents, strict=True)):
        fault = f"the mask has shape {array.shape}"
        raise refused(IndexError, WHERE, fault, mismatch(array.shape, extents, first))
    return [_Index(Array(along), (0, 0)) for along in gather.nonzero(array._node)]


def _common_shape(arrays: list[Array]) -> Shape:
    """The shape that index arrays broadcast to."""
    try:
        return layout.broadcast_shapes(*(array.shape for array in arrays), where=WHERE)
    except ValueError as error:
        raise IndexError(str(error)) from None


def _require_in_range(part: _Index, extent: int, axis: int) -> None:
    if part.bounds is None:
        require_in_range(part.array, extent, axis)
    elif part.array.size:
        _require_bounds(*part.bounds, extent, axis, WHERE)


def require_in_range(array: Array, extent: int, axis: int, where: str = WHERE) -> None:
    """Refuse indices out of range; reads one value back from the device."""
    if array.size == 0:
        return
    node = array._node
    if node.value is not None:
        _require_bounds(int(node.value), int(node.value), extent, axis, where)
        return
    if array.size <= tuning.INDICES and is_unobserved():
        with node.device.lock:
            values = values_of(node)
            if values is not None:
                low, high = int(values.min()), int(values.max())
                _require_bounds(low, high, extent, axis, where)
                return
    # Beyond what the type holds nothing lies, and an operand that it does not hold is refused.
    low, high = dtypes.integer_bounds(node.dtype)
    outside = array >= extent if extent <= high else None
    if low < -extent:
        below = array < -extent
        outside = below if outside is None else elementwise.logical_or(below, outside)
    if outside is not None and bool(reductions.any(outside)):
        _require_bounds(int(reductions.min(array)), int(reductions.max(array)), extent, axis, where)


def _require_bounds(low: int, high: int, extent: int, axis: int, where: str) -> None:
    if low < -extent or high >= extent:
        raise refused(
            IndexError,
            where,
            f"index {low if low < -extent else high} is out of bounds for axis {axis} "
            f"with size {extent}",
            f"[{-extent}, {extent}) is accepted",
        )
