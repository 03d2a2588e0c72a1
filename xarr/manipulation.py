"""Manipulation: other shapes, other orders, joining, splitting, repeating.

What only renames elements (reshape, flip, transpose, split) is a view and shares memory, as in
NumPy. What brings parts together allocates the result and writes each part in one kernel, into
which the part's pending expression is fused.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, cast

import numpy

from xarr import dtypes, engine, errors, gather, layout
from xarr.array import FUNCTIONS, Array, attach, from_host, require_on, settled, view
from xarr.creation import Host, asarray, openly, require_c_order, shape_of, to_numpy
from xarr.device import Device
from xarr.dtypes import DType
from xarr.expression import Node, constant, leaf
from xarr.layout import Layout, Shape, normalize_axis
from xarr.reductions import node_of
from xarr.storage import Storage

newaxis: Final = None


# -- parts ----------------------------------------------------------------------------------------


class Assembly:
    """A new array in C order that is written part by part."""

    def __init__(self, shape: Shape, dtype: DType, device: Device) -> None:
        self.layout = layout.contiguous(shape)
        self.dtype = dtype
        self.storage: Storage = engine.allocate(device, self.layout.size * dtype.itemsize)

    def put(self, begin: Sequence[int], shape: Shape, value: Node) -> None:
        """Write a value that broadcasts to `shape` at the indices that begin at `begin`."""
        where = self.part(begin, shape)
        engine.write(self.storage, where, self.dtype, engine.converted(value, self.dtype))

    def part(self, begin: Sequence[int], shape: Shape) -> Layout:
        """The layout of the part of `shape` at `begin`."""
        strides = self.layout.strides
        return Layout(shape, strides, sum(map(operator.mul, begin, strides)))

    def array(self) -> Array:
        """The whole."""
        return Array(leaf(self.storage, self.layout, self.dtype))


def _arrays(values: Any, where: str) -> list[Array]:
    """A sequence argument as Arrays on one device."""
    if type(values) is Array:
        return list(values)
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise TypeError(
            errors.message(
                where,
                f"arrays is of type {type(values).__name__}",
                "a sequence of Arrays is accepted",
            )
        )
    items = list(values)
    if not items:
        raise ValueError(errors.message(where, "arrays is empty", "at least one array is needed"))
    device = next((item.device for item in items if type(item) is Array), None)
    arrays = [item if type(item) is Array else asarray(item, device=device) for item in items]
    for item in arrays:
        if item._node.device is not arrays[0]._node.device:
            raise ValueError(
                errors.message(
                    where,
                    f"the arrays are on {arrays[0].device} and {item.device}",
                    "the arrays of one operation have to be on one device",
                    "move one with x.to_device(device)",
                )
            )
    return arrays


def _promoted(arrays: Sequence[Array], where: str) -> DType:
    row = arrays[0]._node.dtype
    for item in arrays[1:]:
        row = dtypes.promote(row, item._node.dtype)
    require_on(arrays[0].device, row, where)
    return row


def concat(arrays: Any, /, axis: int | None = 0) -> Array:
    """Join arrays along an axis that they have.

    Parameters
    ----------
    arrays : sequence of Array, shapes (..., N1, ...), (..., N2, ...), ...
        The arrays; their shapes agree except along the axis.
    axis : int, optional
        The axis. None flattens the arrays first.

    Returns
    -------
    Array, shape (..., N1 + N2 + ..., ...)
        Of the dtype that the arrays promote to.

    Raises
    ------
    ValueError
        If there are no arrays, or the shapes do not agree.
    AxisError
        If the axis is out of range.
    TypeError
        If something is no array.

    Notes
    -----
    Python Array API standard 2025.12, manipulation functions; axis may also be positional, as in
    NumPy.

    Examples
    --------
    >>> import xarr
    >>> xarr.concat([xarr.arange(2), xarr.arange(3)]).tolist()
    [0, 1, 0, 1, 2]
    """
    where = "concat(arrays, axis)"
    parts = _arrays(arrays, where)
    if axis is None:
        parts, axis = [ravel(part) for part in parts], 0
    first = parts[0].shape
    if not first:
        raise ValueError(
            errors.message(
                where,
                "an array is 0-dimensional",
                "arrays with at least one axis are accepted",
                "use stack, or axis=None",
            )
        )
    place = normalize_axis(axis, len(first), where)
    for part in parts:
        shape = part.shape
        if len(shape) != len(first) or any(
            one != other
            for number, (one, other) in enumerate(zip(shape, first, strict=True))
            if number != place
        ):
            raise ValueError(
                errors.message(
                    where,
                    f"the shapes are {first} and {shape} and axis is {place}",
                    "shapes have to agree except along the axis",
                )
            )
    total = sum(part.shape[place] for part in parts)
    whole = Assembly(
        (*first[:place], total, *first[place + 1 :]), _promoted(parts, where), parts[0].device
    )
    begin = [0] * len(first)
    for part in parts:
        whole.put(begin, part.shape, part._node)
        begin[place] += part.shape[place]
    return whole.array()


def stack(arrays: Any, /, axis: int = 0) -> Array:
    """Join arrays along a new axis.

    Parameters
    ----------
    arrays : sequence of N Arrays, shape (...)
        The arrays, of one shape.
    axis : int
        Where the new axis is in the result.

    Returns
    -------
    Array, shape (..., N, ...)
        Of the dtype that the arrays promote to.

    Raises
    ------
    ValueError
        If there are no arrays, or the shapes differ.
    AxisError
        If the axis is out of range.
    TypeError
        If something is no array.

    Notes
    -----
    Python Array API standard 2025.12, manipulation functions; axis may also be positional, as in
    NumPy.

    Examples
    --------
    >>> import xarr
    >>> xarr.stack([xarr.arange(2), xarr.arange(2)], axis=1).tolist()
    [[0, 0], [1, 1]]
    """
    where = "stack(arrays, axis)"
    parts = _arrays(arrays, where)
    shape = parts[0].shape
    for part in parts:
        if part.shape != shape:
            raise ValueError(
                errors.message(
                    where, f"the shapes are {shape} and {part.shape}", "all shapes have to agree"
                )
            )
    place = normalize_axis(axis, len(shape) + 1, where)
    whole = Assembly(
        (*shape[:place], len(parts), *shape[place:]), _promoted(parts, where), parts[0].device
    )
    strides = whole.layout.strides
    for number, part in enumerate(parts):
        target = Layout(shape, (*strides[:place], *strides[place + 1 :]), number * strides[place])
        engine.write(whole.storage, target, whole.dtype, engine.converted(part._node, whole.dtype))
    return whole.array()


def roll(x: Array, /, shift: Any, axis: Any = None) -> Array:
    """Move elements along axes; those that leave at one end come in at the other.

    Parameters
    ----------
    x : Array, shape (...)
        The array.
    shift : int or tuple of int
        By how many places elements move towards higher indices.
    axis : int or tuple of int, optional
        The axes, one for each shift, or one of either for all. None moves in the flattened array.

    Returns
    -------
    Array, shape (...)
        Of the dtype of x.

    Raises
    ------
    AxisError
        If an axis is out of range.
    ValueError
        If there are several shifts and as many axes do not belong to them.
    TypeError
        If x is no Array or a shift no integer.

    Notes
    -----
    Python Array API standard 2025.12, manipulation functions; axis may also be positional, as in
    NumPy.

    Examples
    --------
    >>> import xarr
    >>> xarr.roll(xarr.arange(5), 2).tolist()
    [3, 4, 0, 1, 2]
    """
    where = "roll(x, shift, axis)"
    node = node_of(x, where)
    if axis is None:
        total = sum(_integers(shift, where, "shift"))
        return reshape(roll(ravel(x), total, 0), node.shape)
    shifts, axes = _integers(shift, where, "shift"), _integers(axis, where, "axis")
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise ValueError(
            errors.message(
                where,
                f"there are {len(shifts)} shifts and {len(axes)} axes",
                "as many of both, or one of either are accepted",
            )
        )
    count = max(len(shifts), len(axes)) if shifts and axes else 0
    moves = [0] * len(node.shape)
    for number in range(count):
        place = normalize_axis(axes[number % len(axes)], len(node.shape), where)
        moves[place] += shifts[number % len(shifts)]
    if math.prod(node.shape) == 0:
        return Array(engine.copied(node))
    moves = [move % extent for move, extent in zip(moves, node.shape, strict=True)]
    given = settled(x)
    storage = node.storage
    assert storage is not None
    whole = Assembly(node.shape, node.dtype, node.device)
    # Each axis falls into what stays ahead and what comes round, so there are 2**axes blocks.
    cuts = [
        [(0, move, extent - move), (extent - move, 0, move)] if move else [(0, 0, extent)]
        for move, extent in zip(moves, node.shape, strict=True)
    ]
    for block in itertools.product(*cuts):
        shape = tuple(length for _, _, length in block)
        offset = given.offset + sum(
            start * stride for (start, _, _), stride in zip(block, given.strides, strict=True)
        )
        source = leaf(storage, Layout(shape, given.strides, offset), node.dtype)
        whole.put([target for _, target, _ in block], shape, source)
    return whole.array()


def _integers(value: Any, where: str, name: str) -> list[int]:
    """An argument that is an integer or a sequence of integers."""
    items = value if isinstance(value, tuple | list) else (value,)
    try:
        return [operator.index(item) for item in items]
    except TypeError:
        raise TypeError(
            errors.message(
                where, f"{name} is {value!r}", "an integer or a tuple of integers is accepted"
            )
        ) from None


def repeat(x: Array, repeats: Any, /, axis: int | None = None) -> Array:
    """Repeat each element, one after the other.

    Parameters
    ----------
    x : Array, shape (..., N, ...)
        The array.
    repeats : int, or integer Array, shape (N,) or (1,)
        How often; an Array says it for each element along the axis.
    axis : int, optional
        The axis. None repeats in the flattened array.

    Returns
    -------
    Array, shape (..., N * repeats, ...), or (..., sum(repeats), ...)
        Of the dtype of x.

    Raises
    ------
    ValueError
        If a number is negative, or there are not N of them.
    AxisError
        If the axis is out of range.
    TypeError
        If x is no Array or repeats are no integers.

    Notes
    -----
    Python Array API standard 2025.12, manipulation functions; axis may also be positional, as in
    NumPy. Waits for the device where repeats is an Array, since the shape depends on its values.

    Examples
    --------
    >>> import xarr
    >>> xarr.repeat(xarr.asarray([3, 4]), 2).tolist()
    [3, 3, 4, 4]
    """
    where = "repeat(x, repeats, axis)"
    node_of(x, where)
    if axis is None:
        x, axis = ravel(x), 0
    node = x._node
    place = normalize_axis(axis, len(node.shape), where)
    counts = to_numpy(repeats) if type(repeats) is Array else numpy.asarray(repeats)
    if counts.dtype.kind not in "iu" or counts.ndim > 1:
        raise TypeError(
            errors.message(
                where,
                f"repeats has dtype {counts.dtype} and shape {counts.shape}",
                "an integer, or integers in one dimension are accepted",
            )
        )
    extent = node.shape[place]
    if counts.size and counts.min() < 0:
        raise ValueError(
            errors.message(where, f"repeats holds {counts.min()}", "repeats are not negative")
        )
    if counts.size == 1:
        return _repeated(x, place, int(counts.item()))
    if counts.size != extent:
        raise ValueError(
            errors.message(
                where,
                f"repeats has {counts.size} elements",
                f"axis {place} has {extent}; one for each, or one for all is accepted",
            )
        )
    sources = numpy.repeat(numpy.arange(extent, dtype=numpy.int64), counts)
    return Array(_taken(x, place, sources))


def _taken(x: Array, axis: int, positions: Host) -> Node:
    """The node of the elements at positions along an axis, which are known to be in range."""
    where = settled(x)
    with openly():
        index = from_host(positions, x.device, "positions")
    return gather.take(x._node, where, [(axis, index)], axis)


def _repeated(x: Array, axis: int, count: int) -> Array:
    given = settled(x)
    shape, strides = given.shape, given.strides
    spread = Layout(
        (*shape[: axis + 1], count, *shape[axis + 1 :]),
        (*strides[: axis + 1], 0, *strides[axis + 1 :]),
        given.offset,
    )
    result = (*shape[:axis], shape[axis] * count, *shape[axis + 1 :])
    return _copied_as(x, spread, result)


def _copied_as(x: Array, where: Layout, shape: Shape) -> Array:
    """A copy of a view of a settled array, in C order under another shape."""
    node = x._node
    assert node.storage is not None
    if where.size == 0:
        return Array(_zeros(shape, node.dtype, node.device))
    fresh = engine.copied(leaf(node.storage, where, node.dtype))
    engine.compute(fresh)
    assert fresh.storage is not None
    return Array(leaf(fresh.storage, layout.contiguous(shape), node.dtype))


def _zeros(shape: Shape, row: DType, device: Device) -> Node:
    return constant(row.numpy.type(0).item(), row, shape, device)


def tile(x: Array, repetitions: Any, /) -> Array:
    """Repeat an array along its axes.

    Parameters
    ----------
    x : Array, shape (..., N)
        The array.
    repetitions : int or tuple of int
        How often along each axis. Missing ones are 1, and so are missing axes of x, in front.

    Returns
    -------
    Array, shape (..., N * repetitions[-1])
        Of the dtype of x.

    Raises
    ------
    ValueError
        If a number is negative.
    TypeError
        If x is no Array or repetitions are no integers.

    Notes
    -----
    Python Array API standard 2025.12, manipulation functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.tile(xarr.asarray([1, 2]), 2).tolist()
    [1, 2, 1, 2]
    """
    where = "tile(x, repetitions)"
    node_of(x, where)
    times = _integers(repetitions, where, "repetitions")
    if any(count < 0 for count in times):
        raise ValueError(
            errors.message(
                where, f"repetitions is {repetitions!r}", "numbers of repetitions are not negative"
            )
        )
    ndim = max(x.ndim, len(times))
    times = [1] * (ndim - len(times)) + times
    given = settled(x)
    extents = (1,) * (ndim - x.ndim) + given.shape
    strides = (0,) * (ndim - x.ndim) + given.strides
    spread = Layout(
        tuple(itertools.chain.from_iterable(zip(times, extents, strict=True))),
        tuple(itertools.chain.from_iterable((0, stride) for stride in strides)),
        given.offset,
    )
    return _copied_as(
        x, spread, tuple(count * extent for count, extent in zip(times, extents, strict=True))
    )


def append(arr: Any, values: Any, axis: int | None = None) -> Array:
    """Join values to the end of an array.

    Parameters
    ----------
    arr, values : Array or values, shapes (..., N, ...), (..., K, ...)
        The array and what follows it.
    axis : int, optional
        The axis. None flattens both first.

    Returns
    -------
    Array, shape (..., N + K, ...)
        Of the dtype that both promote to.

    Raises
    ------
    ValueError
        If the shapes do not agree except along the axis.

    Examples
    --------
    >>> import xarr
    >>> xarr.append(xarr.arange(2), 7).tolist()
    [0, 1, 7]
    """
    return concat([arr, values], axis=axis)


# -- other shapes ---------------------------------------------------------------------------------


def reshape(x: Array, /, shape: Any, *, copy: bool | None = None, order: str = "C") -> Array:
    """Give an array another shape, its elements in the same order.

    Parameters
    ----------
    x : Array, shape (...)
        The array.
    shape : int or tuple of int
        The shape; one extent may be -1, which stands for what is left.
    copy : bool, optional
        True for a copy in any case, False for a view in any case, None for a view where possible.
    order : {"C", "F"}
        Which index runs fastest: the last, or as in Fortran the first.

    Returns
    -------
    Array, of the given shape
        A view of x where strides can express it, else a copy.

    Raises
    ------
    ValueError
        If the number of elements differs, or copy is False and a copy is needed.
    TypeError
        If x is no Array or shape is not made of integers.

    Notes
    -----
    Python Array API standard 2025.12, manipulation functions; order is NumPy's.

    Examples
    --------
    >>> import xarr
    >>> xarr.reshape(xarr.arange(6), (2, -1)).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    where = "reshape(x, shape)"
    node = node_of(x, where)
    extents = _resolved(shape, math.prod(node.shape), where)
    if order == "F":
        backwards = reshape(_reversed_axes(x), extents[::-1], copy=copy)
        return _reversed_axes(backwards)
    require_c_order(order, "reshape(x, shape, order)")
    if copy:
        return _copied_as(x, settled(x), extents)
    given = settled(x)
    target = given.reshaped(extents)
    if target is not None:
        return view(x, target)
    if copy is False:
        raise ValueError(
            errors.message(
                "reshape(x, shape, copy=False)",
                f"x has shape {node.shape} with strides {given.strides} and shape is {extents}",
                "strides cannot express it, so a copy is needed",
                "pass copy=None",
            )
        )
    return _copied_as(x, settled(x), extents)


def _reversed_axes(x: Array) -> Array:
    return permute_dims(x, tuple(reversed(range(x.ndim))))


def _resolved(shape: Any, size: int, where: str) -> Shape:
    """A shape argument of `size` elements, in which -1 stands for what is left."""
    extents = _integers(shape, where, "shape")
    known = math.prod(extent for extent in extents if extent != -1)
    if extents.count(-1) == 1 and known > 0 and size % known == 0:
        extents[extents.index(-1)] = size // known
    if any(extent < 0 for extent in extents) or math.prod(extents) != size:
        raise ValueError(
            errors.message(
                where,
                f"x has {size} elements and shape is {shape!r}",
                "the number of elements has to stay, and one extent may be -1",
            )
        )
    return tuple(extents)


def _reshape_method(self: Array, *shape: Any, copy: bool | None = None, order: str = "C") -> Array:
    """Give the array another shape, given as a tuple or as integers; see `xarr.reshape`."""
    wanted = shape[0] if len(shape) == 1 else shape
    return reshape(self, wanted, copy=copy, order=order)


def ravel(x: Any, /, order: str = "C") -> Array:
    """Flatten an array, as a view where possible.

    Parameters
    ----------
    x : Array, shape (...)
        The array.
    order : {"C", "F"}
        Which index runs fastest: the last, or as in Fortran the first.

    Returns
    -------
    Array, shape (size,)
        Of the dtype of x.

    Raises
    ------
    ValueError
        If order is something else.

    Examples
    --------
    >>> import xarr
    >>> xarr.ravel(xarr.eye(2)).tolist()
    [1.0, 0.0, 0.0, 1.0]
    """
    return reshape(asarray(x), (-1,) if asarray(x).size else (0,), order=order)


def _flatten_method(self: Array, order: str = "C") -> Array:
    """Copy the array, flattened."""
    return reshape(self, (self.size,), copy=True, order=order)


def permute_dims(x: Array, /, axes: Any) -> Array:
    """Put the axes in another order.

    Parameters
    ----------
    x : Array, shape (...)
        The array.
    axes : tuple of int
        For each axis of the result, which axis of x it is.

    Returns
    -------
    Array, shape (x.shape[axes[0]], x.shape[axes[1]], ...)
        A view.

    Raises
    ------
    ValueError
        If axes does not hold each axis once.
    AxisError
        If an axis is out of range.
    TypeError
        If x is no Array or an axis no integer.

    Notes
    -----
    Python Array API standard 2025.12, manipulation functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.permute_dims(xarr.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    where = "permute_dims(x, axes)"
    node_of(x, where)
    order = [normalize_axis(axis, x.ndim, where) for axis in _integers(axes, where, "axes")]
    if sorted(order) != list(range(x.ndim)):
        raise ValueError(
            errors.message(
                where,
                f"x has {x.ndim} dimensions and axes is {axes!r}",
                "each axis has to be named once",
            )
        )
    return view(x, settled(x).permuted(order))


def transpose(x: Any, axes: Any = None) -> Array:
    """Reverse the axes, or put them in another order.

    Parameters
    ----------
    x : Array, shape (...)
        The array.
    axes : tuple of int, optional
        For each axis of the result, which axis of x it is; all reversed where None.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    ValueError
        If axes does not hold each axis once.

    Examples
    --------
    >>> import xarr
    >>> xarr.transpose(xarr.zeros((2, 3))).shape
    (3, 2)
    """
    x = asarray(x)
    return _reversed_axes(x) if axes is None else permute_dims(x, axes)


def _transpose_method(self: Array, *axes: Any) -> Array:
    """Reverse the axes, or put them in the order given as a tuple or as integers."""
    if not axes or axes == (None,):
        return _reversed_axes(self)
    return permute_dims(self, axes[0] if len(axes) == 1 else axes)


def swapaxes(x: Any, axis1: int, axis2: int) -> Array:
    """Swap two axes.

    Parameters
    ----------
    x : Array, shape (...)
        The array.
    axis1, axis2 : int
        The axes.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    AxisError
        If an axis is out of range.

    Examples
    --------
    >>> import xarr
    >>> xarr.swapaxes(xarr.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    x = asarray(x)
    first, second = (
        normalize_axis(axis, x.ndim, "swapaxes(x, axis1, axis2)") for axis in (axis1, axis2)
    )
    order = list(range(x.ndim))
    order[first], order[second] = second, first
    return permute_dims(x, tuple(order))


def moveaxis(x: Array, source: Any, destination: Any, /) -> Array:
    """Move axes to other places; the others stay in their order.

    Parameters
    ----------
    x : Array, shape (...)
        The array.
    source : int or tuple of int
        The axes.
    destination : int or tuple of int
        Where each is in the result.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    ValueError
        If there are not as many of both, or an axis is named twice.
    AxisError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12, manipulation functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.moveaxis(xarr.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    where = "moveaxis(x, source, destination)"
    node_of(x, where)
    given = [normalize_axis(item, x.ndim, where) for item in _integers(source, where, "source")]
    places = [
        normalize_axis(item, x.ndim, where) for item in _integers(destination, where, "destination")
    ]
    if len(given) != len(places) or any(len(set(axes)) != len(axes) for axes in (given, places)):
        raise ValueError(
            errors.message(
                where,
                f"source is {source!r} and destination is {destination!r}",
                "as many of both are accepted, each named once",
            )
        )
    order = [axis for axis in range(x.ndim) if axis not in given]
    for place, axis in sorted(zip(places, given, strict=True)):
        order.insert(place, axis)
    return permute_dims(x, tuple(order))


def expand_dims(x: Array, /, axis: Any) -> Array:
    """Insert axes of one element.

    Parameters
    ----------
    x : Array, shape (...)
        The array.
    axis : int or tuple of int
        Where the new axes are in the result.

    Returns
    -------
    Array, shape (..., 1, ...)
        A view.

    Raises
    ------
    AxisError
        If an axis is out of range.
    ValueError
        If an axis is named twice.
    TypeError
        If x is no Array or an axis no integer.

    Notes
    -----
    Python Array API standard 2025.12, manipulation functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.expand_dims(xarr.zeros((2, 3)), 1).shape
    (2, 1, 3)
    """
    where = "expand_dims(x, axis)"
    node_of(x, where)
    items = _integers(axis, where, "axis")
    places = layout.normalize_axes(tuple(items), x.ndim + len(items), where)
    given = settled(x)
    shape, strides = list(given.shape), list(given.strides)
    for place in places:
        shape.insert(place, 1)
        strides.insert(place, 0)
    return view(x, Layout(tuple(shape), tuple(strides), given.offset))


def squeeze(x: Array, /, axis: Any = None) -> Array:
    """Remove axes of one element.

    Parameters
    ----------
    x : Array, shape (..., 1, ...)
        The array.
    axis : int or tuple of int, optional
        The axes; all of one element where None.

    Returns
    -------
    Array, shape (...)
        A view.

    Raises
    ------
    ValueError
        If an axis has more than one element, or none.
    AxisError
        If an axis is out of range.
    TypeError
        If x is no Array or an axis no integer.

    Notes
    -----
    Python Array API standard 2025.12, manipulation functions; None is NumPy's.

    Examples
    --------
    >>> import xarr
    >>> xarr.squeeze(xarr.zeros((1, 3)), 0).shape
    (3,)
    """
    where = "squeeze(x, axis)"
    node_of(x, where)
    if axis is None:
        places = tuple(number for number, extent in enumerate(x.shape) if extent == 1)
    else:
        items = tuple(_integers(axis, where, "axis"))
        places = layout.normalize_axes(items, x.ndim, where)
    if any(x.shape[place] != 1 for place in places):
        raise ValueError(
            errors.message(
                where, f"x has shape {x.shape} and axis is {axis!r}", "axes of one element go"
            )
        )
    given = settled(x)
    kept = [number for number in range(x.ndim) if number not in places]
    return view(x, given.permuted(kept))


def flip(x: Array, /, axis: Any = None) -> Array:
    """Reverse the order of elements along axes.

    Parameters
    ----------
    x : Array, shape (...)
        The array.
    axis : int or tuple of int, optional
        The axes; all where None.

    Returns
    -------
    Array, shape (...)
        A view.

    Raises
    ------
    AxisError
        If an axis is out of range.
    TypeError
        If x is no Array or an axis no integer.

    Notes
    -----
    Python Array API standard 2025.12, manipulation functions; axis may also be positional, as in
    NumPy.

    Examples
    --------
    >>> import xarr
    >>> xarr.flip(xarr.arange(3)).tolist()
    [2, 1, 0]
    """
    where = "flip(x, axis)"
    node_of(x, where)
    places = layout.normalize_axes(axis, x.ndim, where)
    given = settled(x)
    offset = given.offset
    strides = list(given.strides)
    for place in places:
        offset += max(given.shape[place] - 1, 0) * strides[place]
        strides[place] = -strides[place]
    return view(x, Layout(given.shape, tuple(strides), offset if given.size else given.offset))


def fliplr(x: Any) -> Array:
    """Reverse the second axis.

    Parameters
    ----------
    x : Array, shape (M, N, ...)
        The array.

    Returns
    -------
    Array, shape (M, N, ...)
        A view.

    Raises
    ------
    ValueError
        If x has less than 2 axes.

    Examples
    --------
    >>> import xarr
    >>> xarr.fliplr(xarr.eye(2)).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    return flip(_at_least(asarray(x), 2, "fliplr(x)"), 1)


def flipud(x: Any) -> Array:
    """Reverse the first axis.

    Parameters
    ----------
    x : Array, shape (M, ...)
        The array.

    Returns
    -------
    Array, shape (M, ...)
        A view.

    Raises
    ------
    ValueError
        If x has no axes.

    Examples
    --------
    >>> import xarr
    >>> xarr.flipud(xarr.arange(3)).tolist()
    [2, 1, 0]
    """
    return flip(_at_least(asarray(x), 1, "flipud(x)"), 0)


def _at_least(x: Array, ndim: int, where: str) -> Array:
    if x.ndim < ndim:
        raise ValueError(
            errors.message(where, f"x has {x.ndim} dimensions", f"at least {ndim} are needed")
        )
    return x


def rot90(x: Any, k: int = 1, axes: Any = (0, 1)) -> Array:
    """Rotate by quarter turns in the plane of two axes, from the first towards the second.

    Parameters
    ----------
    x : Array, shape (..., M, N, ...)
        The array.
    k : int
        How many quarter turns.
    axes : tuple of two int
        The axes of the plane.

    Returns
    -------
    Array, shape (..., M, N, ...) or (..., N, M, ...)
        A view.

    Raises
    ------
    ValueError
        If axes does not hold two different axes.
    AxisError
        If an axis is out of range.

    Examples
    --------
    >>> import xarr
    >>> xarr.rot90(xarr.asarray([[1, 2], [3, 4]])).tolist()
    [[2, 4], [1, 3]]
    """
    where = "rot90(x, k, axes)"
    x = asarray(x)
    plane = [normalize_axis(axis, x.ndim, where) for axis in _integers(axes, where, "axes")]
    if len(plane) != 2 or plane[0] == plane[1]:
        raise ValueError(
            errors.message(where, f"axes is {axes!r}", "two different axes are accepted")
        )
    first, second = plane
    turns = operator.index(k) % 4
    if turns == 0:
        return view(x, settled(x))
    if turns == 2:
        return flip(x, (first, second))
    if turns == 1:
        return swapaxes(flip(x, second), first, second)
    return flip(swapaxes(x, first, second), second)


def broadcast_to(x: Array, /, shape: Any) -> Array:
    """Repeat an array over a shape, without copying.

    Parameters
    ----------
    x : Array, shape that broadcasts to the given one
        The array.
    shape : int or tuple of int
        The shape.

    Returns
    -------
    Array, of the given shape
        A view, which is read-only since several elements share memory.

    Raises
    ------
    ValueError
        If x does not broadcast to shape.
    TypeError
        If shape is not made of integers.

    Notes
    -----
    Python Array API standard 2025.12, manipulation functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.broadcast_to(xarr.arange(2), (2, 2)).tolist()
    [[0, 1], [0, 1]]
    """
    where = "broadcast_to(x, shape)"
    owned = type(x) is Array
    x = asarray(x)
    extents = shape_of(shape, where)
    if len(extents) < x.ndim or layout.broadcast_shapes(x.shape, extents, where=where) != extents:
        raise ValueError(
            errors.message(
                where,
                f"x has shape {x.shape} and shape is {extents}",
                "x has to broadcast to shape: aligned at the last axis, each extent equal or 1",
            )
        )
    node = x._node
    if not owned and node.storage is None and node.operation is None:
        return Array(constant(node.value, node.dtype, extents, node.device))
    # A constant that an array holds may be written to later, which the view has to show.
    return view(x, settled(x).broadcast(extents))


def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """Repeat arrays over the shape that they broadcast to.

    Parameters
    ----------
    *arrays : Array, shapes that broadcast
        The arrays.

    Returns
    -------
    tuple of Array, of one shape
        Views, which are read-only where elements share memory.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Python Array API standard 2025.12, manipulation functions.

    Examples
    --------
    >>> import xarr
    >>> [x.shape for x in xarr.broadcast_arrays(xarr.zeros(3), xarr.zeros((2, 1)))]
    [(2, 3), (2, 3)]
    """
    items = [asarray(item) for item in arrays]
    if not items:
        return ()
    shape = layout.broadcast_shapes(
        *(item.shape for item in items), where="broadcast_arrays(*arrays)"
    )
    return tuple(item if item.shape == shape else broadcast_to(item, shape) for item in items)


def broadcast_shapes(*shapes: Any) -> Shape:
    """Tell the shape that shapes broadcast to.

    Parameters
    ----------
    *shapes : tuple of int, or int
        The shapes.

    Returns
    -------
    tuple of int
        The shape; () without arguments.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.
    TypeError
        If a shape is not made of integers.

    Notes
    -----
    Python Array API standard 2025.12, manipulation functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    where = "broadcast_shapes(*shapes)"
    if not shapes:
        return ()
    return layout.broadcast_shapes(*(shape_of(shape, where) for shape in shapes), where=where)


def atleast_1d(*arrays: Any) -> Any:
    """Give arrays at least one axis.

    Parameters
    ----------
    *arrays : Array or values, shape (...)
        The arrays.

    Returns
    -------
    Array or tuple of Array, shape (...) or (1,)
        Views; one for one argument, else a tuple.

    Examples
    --------
    >>> import xarr
    >>> xarr.atleast_1d(3.0).shape
    (1,)
    """
    return _one_or_all([_with_axes(item, 1) for item in arrays])


def atleast_2d(*arrays: Any) -> Any:
    """Give arrays at least two axes.

    Parameters
    ----------
    *arrays : Array or values, shape (...)
        The arrays.

    Returns
    -------
    Array or tuple of Array, shape (...), (1, N) or (1, 1)
        Views; one for one argument, else a tuple.

    Examples
    --------
    >>> import xarr
    >>> xarr.atleast_2d(xarr.zeros(3)).shape
    (1, 3)
    """
    return _one_or_all([_with_axes(item, 2) for item in arrays])


def atleast_3d(*arrays: Any) -> Any:
    """Give arrays at least three axes.

    Parameters
    ----------
    *arrays : Array or values, shape (...)
        The arrays.

    Returns
    -------
    Array or tuple of Array, shape (...), (M, N, 1), (1, N, 1) or (1, 1, 1)
        Views; one for one argument, else a tuple.

    Examples
    --------
    >>> import xarr
    >>> xarr.atleast_3d(xarr.zeros(3)).shape
    (1, 3, 1)
    """
    results = []
    for item in arrays:
        flat = _with_axes(item, 2)
        results.append(expand_dims(flat, flat.ndim) if flat.ndim < 3 else flat)
    return _one_or_all(results)


def _with_axes(item: Any, ndim: int) -> Array:
    x = asarray(item)
    missing = ndim - x.ndim
    return expand_dims(x, tuple(range(missing))) if missing > 0 else x


def _one_or_all(results: list[Array]) -> Any:
    return results[0] if len(results) == 1 else tuple(results)


# -- stacks and splits ----------------------------------------------------------------------------


def vstack(arrays: Any) -> Array:
    """Join arrays along the first axis, vectors as rows.

    Parameters
    ----------
    arrays : sequence of Array, shapes (..., N) or (N,)
        The arrays.

    Returns
    -------
    Array, shape (M, N)
        Of the dtype that the arrays promote to.

    Raises
    ------
    ValueError
        If the shapes do not agree except along the axis.

    Examples
    --------
    >>> import xarr
    >>> xarr.vstack([xarr.arange(2), xarr.arange(2)]).tolist()
    [[0, 1], [0, 1]]
    """
    return concat([_with_axes(item, 2) for item in _arrays(arrays, "vstack(arrays)")], 0)


def hstack(arrays: Any) -> Array:
    """Join arrays along the second axis, vectors along the first.

    Parameters
    ----------
    arrays : sequence of Array, shapes (M, N1, ...) or (N1,)
        The arrays.

    Returns
    -------
    Array, shape (M, N1 + N2, ...) or (N1 + N2,)
        Of the dtype that the arrays promote to.

    Raises
    ------
    ValueError
        If the shapes do not agree except along the axis.

    Examples
    --------
    >>> import xarr
    >>> xarr.hstack([xarr.arange(2), xarr.arange(2)]).tolist()
    [0, 1, 0, 1]
    """
    parts = [_with_axes(item, 1) for item in _arrays(arrays, "hstack(arrays)")]
    return concat(parts, 0 if parts[0].ndim == 1 else 1)


def dstack(arrays: Any) -> Array:
    """Join arrays along the third axis.

    Parameters
    ----------
    arrays : sequence of Array, shapes (M, N, K), (M, N) or (N,)
        The arrays.

    Returns
    -------
    Array, shape (M, N, K)
        Of the dtype that the arrays promote to.

    Raises
    ------
    ValueError
        If the shapes do not agree except along the axis.

    Examples
    --------
    >>> import xarr
    >>> xarr.dstack([xarr.arange(2), xarr.arange(2)]).shape
    (1, 2, 2)
    """
    return concat([atleast_3d(item) for item in _arrays(arrays, "dstack(arrays)")], 2)


def column_stack(arrays: Any) -> Array:
    """Join vectors as the columns of a matrix.

    Parameters
    ----------
    arrays : sequence of Array, shapes (M,) or (M, N)
        The arrays.

    Returns
    -------
    Array, shape (M, N)
        Of the dtype that the arrays promote to.

    Raises
    ------
    ValueError
        If the shapes do not agree except along the axis.

    Examples
    --------
    >>> import xarr
    >>> xarr.column_stack([xarr.arange(2), xarr.arange(2)]).tolist()
    [[0, 0], [1, 1]]
    """
    parts = []
    for item in _arrays(arrays, "column_stack(arrays)"):
        part = _with_axes(item, 1)
        parts.append(expand_dims(part, 1) if part.ndim == 1 else part)
    return concat(parts, 1)


def unstack(x: Array, /, axis: int = 0) -> tuple[Array, ...]:
    """Split an array into the arrays along an axis.

    Parameters
    ----------
    x : Array, shape (..., N, ...)
        The array.
    axis : int
        The axis.

    Returns
    -------
    tuple of N Arrays, shape (...)
        Views.

    Raises
    ------
    AxisError
        If the axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12, manipulation functions.

    Examples
    --------
    >>> import xarr
    >>> [int(item) for item in xarr.unstack(xarr.arange(3))]
    [0, 1, 2]
    """
    where = "unstack(x, axis)"
    node_of(x, where)
    place = normalize_axis(axis, x.ndim, where)
    given = settled(x)
    kept = given.permuted([number for number in range(x.ndim) if number != place])
    return tuple(
        view(
            x,
            Layout(kept.shape, kept.strides, given.offset + number * given.strides[place]),
        )
        for number in range(given.shape[place])
    )


def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Split an array along an axis, into parts that may differ in size.

    Parameters
    ----------
    x : Array, shape (..., N, ...)
        The array.
    indices_or_sections : int or sequence of int
        How many parts, or the indices at which each but the first begins.
    axis : int
        The axis.

    Returns
    -------
    list of Array
        Views.

    Raises
    ------
    ValueError
        If the number of parts is not positive.
    AxisError
        If the axis is out of range.

    Examples
    --------
    >>> import xarr
    >>> [part.tolist() for part in xarr.array_split(xarr.arange(5), 2)]
    [[0, 1, 2], [3, 4]]
    """
    where = "array_split(x, indices_or_sections, axis)"
    x = asarray(x)
    place = normalize_axis(axis, x.ndim, where)
    extent = x.shape[place]
    sections = indices_or_sections
    if type(sections) is Array:
        sections = to_numpy(sections)
    if isinstance(sections, tuple | list | numpy.ndarray) and numpy.ndim(sections):
        cuts = [0, *(operator.index(item) for item in sections), extent]
    else:
        count = _integers(sections, where, "indices_or_sections")[0]
        if count <= 0:
            raise ValueError(
                errors.message(where, f"{count} parts were asked for", "at least 1 is accepted")
            )
        size, larger = divmod(extent, count)
        cuts = [0, *itertools.accumulate([size + 1] * larger + [size] * (count - larger))]
    given = settled(x)
    parts = []
    for first, last in itertools.pairwise(cuts):
        start, stop, _ = slice(first, last).indices(extent)
        length = max(stop - start, 0)
        offset = given.offset + (start * given.strides[place] if length else 0)
        shape = (*given.shape[:place], length, *given.shape[place + 1 :])
        parts.append(view(x, Layout(shape, given.strides, offset)))
    return parts


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Split an array along an axis, into parts of one size or at indices.

    Parameters
    ----------
    x : Array, shape (..., N, ...)
        The array.
    indices_or_sections : int or sequence of int
        How many parts, which has to divide N, or the indices at which each but the first begins.
    axis : int
        The axis.

    Returns
    -------
    list of Array
        Views.

    Raises
    ------
    ValueError
        If the number of parts does not divide N.
    AxisError
        If the axis is out of range.

    Examples
    --------
    >>> import xarr
    >>> [part.tolist() for part in xarr.split(xarr.arange(4), 2)]
    [[0, 1], [2, 3]]
    """
    where = "split(x, indices_or_sections, axis)"
    x = asarray(x)
    place = normalize_axis(axis, x.ndim, where)
    count = indices_or_sections
    if isinstance(count, int) and count > 0 and x.shape[place] % count:
        raise ValueError(
            errors.message(
                where,
                f"axis {place} has {x.shape[place]} elements",
                f"that is no multiple of {count}",
                "use array_split for parts that differ",
            )
        )
    return array_split(x, indices_or_sections, place)


def hsplit(x: Any, indices_or_sections: Any) -> list[Array]:
    """Split an array along its second axis, or a vector along its first; see `split`.

    Parameters
    ----------
    x : Array, shape (M, N, ...) or (N,)
        The array.
    indices_or_sections : int or sequence of int
        As in `split`.

    Returns
    -------
    list of Array
        Views.

    Raises
    ------
    ValueError
        If x has no axes, or the number of parts does not divide N.

    Examples
    --------
    >>> import xarr
    >>> [part.tolist() for part in xarr.hsplit(xarr.arange(4), 2)]
    [[0, 1], [2, 3]]
    """
    x = _at_least(asarray(x), 1, "hsplit(x, indices_or_sections)")
    return split(x, indices_or_sections, 0 if x.ndim == 1 else 1)


def vsplit(x: Any, indices_or_sections: Any) -> list[Array]:
    """Split an array of at least two axes along its first; see `split`.

    Parameters
    ----------
    x : Array, shape (M, N, ...)
        The array.
    indices_or_sections : int or sequence of int
        As in `split`.

    Returns
    -------
    list of Array
        Views.

    Raises
    ------
    ValueError
        If x has less than 2 axes, or the number of parts does not divide M.

    Examples
    --------
    >>> import xarr
    >>> len(xarr.vsplit(xarr.eye(4), 2))
    2
    """
    return split(_at_least(asarray(x), 2, "vsplit(x, indices_or_sections)"), indices_or_sections)


# -- borders and differences ----------------------------------------------------------------------


def pad(x: Any, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0) -> Array:
    """Put elements around an array.

    Parameters
    ----------
    x : Array, shape (N1, N2, ...)
        The array.
    pad_width : int, (before, after) or a sequence of such for each axis
        How many elements before and after.
    mode : {"constant", "edge", "wrap", "reflect", "symmetric"}
        What they are: a constant; the nearest element; the array again; the array mirrored
        without, or with, its last element.
    constant_values : scalar, (before, after) or a sequence of such for each axis
        The constants.

    Returns
    -------
    Array, shape (N1 + before + after, ...)
        Of the dtype of x.

    Raises
    ------
    ValueError
        If a width is negative, the mode is another one, or an axis to extend is empty.
    TypeError
        If a width is no integer.

    Examples
    --------
    >>> import xarr
    >>> xarr.pad(xarr.arange(3), 2, mode="reflect").tolist()
    [2, 1, 0, 1, 2, 1, 0]
    """
    where = "pad(x, pad_width, mode)"
    x = asarray(x)
    if mode != "constant" and mode not in _BORDERS:
        raise ValueError(
            errors.message(
                where, f"mode is {mode!r}", "the modes are constant, " + ", ".join(_BORDERS)
            )
        )
    widths = _pairs(pad_width, x.ndim, where, "pad_width")
    if any(not isinstance(item, int) for pair in widths for item in pair):
        raise TypeError(errors.message(where, f"pad_width is {pad_width!r}", "widths are integers"))
    if any(item < 0 for pair in widths for item in pair):
        raise ValueError(
            errors.message(where, f"pad_width is {pad_width!r}", "widths are not negative")
        )
    node = x._node
    shape = tuple(
        before + extent + after for extent, (before, after) in zip(x.shape, widths, strict=True)
    )
    if mode != "constant" and any(
        extent == 0 and (before or after)
        for extent, (before, after) in zip(x.shape, widths, strict=True)
    ):
        raise ValueError(
            errors.message(
                where, f"x has shape {x.shape}", f"mode {mode!r} cannot extend an empty axis"
            )
        )
    whole = Assembly(shape, node.dtype, node.device)
    whole.put([before for before, _ in widths], x.shape, node)
    values = _pairs(constant_values, x.ndim, where, "constant_values")
    for axis, (before, after) in enumerate(widths):
        extent = x.shape[axis]
        for first, count, value in (
            (0, before, values[axis][0]),
            (before + extent, after, values[axis][1]),
        ):
            if not count:
                continue
            begin, slab = _slab(x.shape, shape, widths, axis, first, count)
            if mode == "constant":
                fill = node.dtype.numpy.type(value).item()
                whole.put(begin, slab, constant(fill, node.dtype, (), node.device))
            else:
                outside = numpy.arange(first - before, first - before + count)
                positions = _BORDERS[mode](outside, extent)
                inner = _slab(x.shape, shape, widths, axis, before, extent)
                part = Array(leaf(whole.storage, whole.part(*inner), whole.dtype))
                border = _taken(part, axis, positions)
                # Computed first: it reads the memory that it is written to.
                engine.compute(border)
                whole.put(begin, slab, border)
    return whole.array()


def _slab(
    inner: Shape,
    outer: Shape,
    widths: Sequence[tuple[Any, Any]],
    axis: int,
    first: int,
    count: int,
) -> tuple[list[int], Shape]:
    """Where elements along `axis` are: across the whole of earlier axes, the inside of later."""
    begin = [0] * axis + [first] + [before for before, _ in widths[axis + 1 :]]
    return begin, (*outer[:axis], count, *inner[axis + 1 :])


def _reflected(positions: Host, extent: int) -> Host:
    period = max(2 * (extent - 1), 1)
    place = positions % period
    return numpy.minimum(place, period - place) if extent > 1 else positions * 0


def _symmetric(positions: Host, extent: int) -> Host:
    place = positions % (2 * extent)
    mirrored: Host = numpy.minimum(place, 2 * extent - 1 - place)
    return mirrored


_BORDERS: Final[dict[str, Callable[[Host, int], Host]]] = {
    "edge": lambda positions, extent: numpy.clip(positions, 0, extent - 1),
    "wrap": lambda positions, extent: positions % extent,
    "reflect": _reflected,
    "symmetric": _symmetric,
}
"""For each mode of `pad`, which element stands at positions outside of an axis."""


def _pairs(value: Any, ndim: int, where: str, name: str) -> list[tuple[Any, Any]]:
    """An argument of `pad` as a pair for each axis."""
    try:
        pairs = numpy.broadcast_to(numpy.asarray(value), (ndim, 2))
    except ValueError:
        raise ValueError(
            errors.message(
                where,
                f"{name} is {value!r} and x has {ndim} dimensions",
                "one value, a pair, or a pair for each axis is accepted",
            )
        ) from None
    return [(before, after) for before, after in pairs.tolist()]


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    """Subtract each element along an axis from the next.

    Parameters
    ----------
    x : Array, shape (..., N, ...)
        The array.
    n : int
        How many times.
    axis : int
        The axis.
    prepend, append : Array or scalar, optional
        What to put before and after x first.

    Returns
    -------
    Array, shape (..., N - n, ...)
        x[1:] - x[:-1] along the axis; for bool whether they differ.

    Raises
    ------
    ValueError
        If n is negative or x is 0-dimensional.
    AxisError
        If the axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12, utility functions; n and axis may also be positional, as in
    NumPy.

    Examples
    --------
    >>> import xarr
    >>> xarr.diff(xarr.asarray([1, 4, 9])).tolist()
    [3, 5]
    """
    where = "diff(x, n, axis)"
    result = _at_least(asarray(x), 1, where)
    times = _integers(n, where, "n")[0]
    if times < 0:
        raise ValueError(errors.message(where, f"n is {times}", "n is not negative"))
    if times == 0:
        return result
    place = normalize_axis(axis, result.ndim, where)
    line = (*result.shape[:place], 1, *result.shape[place + 1 :])
    if prepend is not None:
        result = concat([_line(prepend, result, line), result], place)
    if append is not None:
        result = concat([result, _line(append, result, line)], place)
    minus = FUNCTIONS["not_equal" if result._node.dtype.kind == dtypes.BOOL else "subtract"]
    for _ in range(min(times, result.shape[place])):
        given = settled(result)
        shape = (*given.shape[:place], given.shape[place] - 1, *given.shape[place + 1 :])
        later = Layout(shape, given.strides, given.offset + given.strides[place])
        earlier = Layout(shape, given.strides, given.offset)
        result = cast(Array, minus(view(result, later), view(result, earlier)))
    return result


def _line(item: Any, x: Array, shape: Shape) -> Array:
    """What is put before or after an array; a scalar stands for one element along the axis."""
    extra = asarray(item, device=x.device)
    return extra if extra.ndim else broadcast_to(extra, shape)


_PUBLIC: Final = (
    append,
    array_split,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    column_stack,
    concat,
    diff,
    dstack,
    expand_dims,
    flip,
    fliplr,
    flipud,
    hsplit,
    hstack,
    moveaxis,
    pad,
    permute_dims,
    ravel,
    repeat,
    reshape,
    roll,
    rot90,
    split,
    squeeze,
    stack,
    swapaxes,
    tile,
    transpose,
    unstack,
    vsplit,
    vstack,
)

for _function in _PUBLIC:
    FUNCTIONS[_function.__name__] = _function
FUNCTIONS["concatenate"] = concat
attach("reshape", _reshape_method)
attach("transpose", _transpose_method)
attach("ravel", ravel)
attach("flatten", _flatten_method)
attach("squeeze", squeeze)
attach("swapaxes", swapaxes)
attach("repeat", repeat)
