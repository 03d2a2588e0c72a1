"""Functions that write to some elements of an array, and indices that are meant to be keys.

They are those of flat elements, of diagonals, of triangles, of what a mask or a grid names.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, SupportsIndex

import numpy

from xarr import dtypes, layout
from xarr.array.array import Array, ArrayLike
from xarr.array.cached_calls import by_numpy
from xarr.array.coerce import as_array
from xarr.array.layouts import assign, require_writeable, settled, view
from xarr.array.transfers import is_unobserved
from xarr.backends.device import get_device
from xarr.errors import difference, operand_of, type_error, value_error
from xarr.functions.create import creation, fills, ranges
from xarr.functions.create.creation import shape_of
from xarr.functions.elementwise import elementwise
from xarr.functions.index import searching
from xarr.functions.index.indexing import setitem, write_selected
from xarr.functions.index.searching import along, bounded, int64, lines_along, nonzero
from xarr.functions.reduce import reductions
from xarr.functions.shape import manipulation
from xarr.functions.shape.insert_delete_pad import resized
from xarr.functions.types import data_types
from xarr.ir.views import constant
from xarr.layout import Layout, Shape, integer, normalize_axis
from xarr.ops import gather, selection
from xarr.tape import builder


def _target(a: Any, where: str, name: str = "a") -> Array:
    """An argument that is written to."""
    if type(a) is not Array:
        remedy = f"use numpy.{where}; {difference('np-put')}"
        if not isinstance(a, numpy.ndarray):
            remedy = f"use xarr.asarray({name})"
        fault = f"{name} is of type {type(a).__name__}"
        raise type_error(where, fault, "it must be an Array, as it is written to", remedy)
    require_writeable(a, where)
    return a


def _write_flat(a: Array, index: Array, values: Array) -> None:
    """Write to elements of the flattened array, in C order; the indices are in range."""
    if a.ndim == 1:
        setitem(a, index, values)
        return
    flat = settled(a).reshaped((a.size,))
    if flat is not None:
        setitem(view(a, flat), index, values)
        return
    steps = layout.contiguous_strides(a.shape)
    index = index % a.size
    places = (index // step % extent for step, extent in zip(steps, a.shape, strict=True))
    setitem(a, tuple(places), values)


def _put_now(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Write values of the array's type at indices, by NumPy."""
    if type(ind) is not numpy.ndarray or type(v) is not numpy.ndarray:
        raise NotImplementedError
    if ind.dtype.kind not in "iu" or v.dtype != a.dtype or mode not in ("raise", "wrap", "clip"):
        raise NotImplementedError  # NumPy takes other words and numbers for modes, too
    a.put(ind, v, mode)


@by_numpy(_put_now, 3, writes=True)
def put(a: Array, ind: Any, v: ArrayLike, mode: str = "raise") -> None:
    """Write values to elements of the flattened array; for equal indices the last one counts.

    v : Array or values
        The values, in order; repeated if there are fewer than indices.

    >>> x = xarr.arange(4)
    >>> xarr.put(x, [0, -1], [7, 8])
    >>> x.tolist()
    [7, 1, 2, 8]
    """
    where = "put(a, ind, v)"
    target = _target(a, where)
    index = manipulation.ravel(int64(ind, where, "ind", target.device, truncates=True))
    values = manipulation.ravel(as_array(v, where, "v", dtype=target.dtype, device=target.device))
    if mode == "raise" and target.ndim == 1 and index.size == values.size and is_unobserved():
        settled(target)
        if gather.put_now(target._view, index._view, values._view):
            return
    index = bounded(index, target.size, 0, mode, where)
    if not index.size or not values.size:
        return
    _write_flat(target, index, resized(values, (index.size,)))


@by_numpy(numpy.putmask, 3, writes=True)
def putmask(a: Array, /, mask: Any, values: Any) -> None:
    """Write values[i] to element i wherever a mask is True.

    `place` and ``a[mask] = values`` take the values one after the other instead.

    values : Array or values
        One value for each element of a, in C order; repeated if there are fewer.

    ValueError -- If the mask has another size.

    >>> x = xarr.arange(5)
    >>> xarr.putmask(x, x > 1, [-33, -44])
    >>> x.tolist()
    [0, 1, -33, -44, -33]
    """
    where = "putmask(a, mask, values)"
    target = _target(a, where)
    chosen = _mask(mask, target, where)
    _require_safe(values, target, where)
    fill = as_array(values, where, "values", dtype=target.dtype, device=target.device)
    if fill.size and target.size:
        setitem(target, ..., searching.where(chosen, resized(fill, target.shape), target))


def _require_safe(values: Any, target: Array, where: str) -> None:
    """Refuse arrays that do not convert safely, as NumPy does; a number only has to fit."""
    if isinstance(values, Array | numpy.ndarray) and values.ndim:
        data_types.require_casting(values.dtype, target.dtype, "safe", where)


def _mask(mask: Any, a: Array, where: str) -> Array:
    """A mask of as many elements as `a`, in its shape."""
    array = as_array(mask, where, "mask", device=a.device)
    if array.size != a.size:
        fault = f"mask has shape {array.shape} and {operand_of(where)} {a.shape}"
        raise value_error(where, fault, "both must have as many elements")
    return manipulation.reshape(array.astype(bool, copy=False), a.shape)


@by_numpy(numpy.place, 3, writes=True)
def place(arr: Array, mask: Any, vals: Any) -> None:
    """Write values, one after the other, where a mask is True. Waits for the device.

    vals : Array or values -- The values; repeated if there are too few.

    ValueError -- If the mask has another size, or there are no values.

    >>> x = xarr.arange(5)
    >>> xarr.place(x, x > 1, [-33, -44])
    >>> x.tolist()
    [0, 1, -33, -44, -33]
    """
    where = "place(arr, mask, vals)"
    target = _target(arr, where, "arr")
    chosen = _mask(mask, target, where)
    _require_safe(vals, target, where)
    given = as_array(vals, where, "vals", dtype=target.dtype, device=target.device)
    values = manipulation.ravel(given)
    selected = selection.select(chosen._view)
    if not selected.total:
        return
    if not values.size:
        raise value_error(where, "vals is empty", "vals must have at least one value for the mask")
    settled(target)
    write_selected(target, chosen, selected, resized(values, (selected.total,))._view)


@by_numpy(numpy.put_along_axis, 3, writes=True)
def put_along_axis(arr: Array, indices: ArrayLike, values: Any, axis: Any) -> None:
    """Write values at indices along an axis, the inverse of `take_along_axis`.

    values : Array or values -- The values; they broadcast to the shape of indices.

    ValueError -- If arr and indices have different numbers of axes, or axis is None and indices
        have several.

    >>> x = xarr.asarray([[3, 1, 2]])
    >>> xarr.put_along_axis(x, xarr.argmax(x, axis=1, keepdims=True), 0, axis=1)
    >>> x.tolist()
    [[0, 1, 2]]
    """
    where = "put_along_axis(arr, indices, values, axis)"
    target = _target(arr, where, "arr")
    place = -1 if axis is None else normalize_axis(axis, target.ndim, where)
    index = along(indices, where, target.device)
    if axis is None:
        if index.ndim != 1:
            fault = f"indices have shape {index.shape}"
            raise value_error(where, fault, "without axis they must have a single dimension")
        given = as_array(values, where, "values", device=target.device)
        _write_flat(target, bounded(index, target.size, 0, "raise", where), given)
        return
    if index.ndim != target.ndim:
        fault = f"indices have {index.ndim} dimensions"
        raise value_error(where, fault, f"arr has {target.ndim}; both must agree")
    key: list[Any] = list(lines_along(target.shape, place, target.device))
    key.insert(place, index)
    setitem(target, tuple(key), values)


@by_numpy(numpy.fill_diagonal, 2, writes=True)
def fill_diagonal(a: Array, val: Any, wrap: bool = False) -> None:
    """Write values to the main diagonal of an array.

    wrap : bool -- Whether the diagonal of a matrix with more rows than columns begins again
        after its end, with one row left out between.
    val : Array or values -- The values; repeated if there are too few.

    ValueError -- If the array has fewer than two axes, or more than two of different lengths.

    >>> x = xarr.zeros((2, 2))
    >>> xarr.fill_diagonal(x, 5)
    >>> x.tolist()
    [[5.0, 0.0], [0.0, 5.0]]
    """
    where = "fill_diagonal(a, val)"
    target = _target(a, where)
    shape = manipulation.at_least(target, 2, where).shape
    if target.ndim > 2 and len(set(shape)) != 1:
        fault = f"a has shape {shape}"
        raise value_error(where, fault, "all dimensions of input must be of equal length")
    one = as_array(val, where, "val", dtype=target.dtype, device=target.device)
    values = manipulation.ravel(one) if one.ndim else one  # which would be put in memory
    if not values.size or not target.size:
        return
    given = settled(target)
    step = sum(given.strides)
    first = 0
    written = 0
    while first < shape[0]:
        count = min(shape[0] - first, *shape[1:])
        offset = given.offset + first * given.strides[0]
        diagonal = Layout((count,), (step,), offset)
        part = values if values.size == 1 else resized(values, (written + count,))[written:]
        assign(target, diagonal, builder.converted(part._view, target._view.dtype))
        written += count
        first += count + 1
        if not wrap or target.ndim > 2:
            break


@by_numpy(numpy.unravel_index)
def unravel_index(indices: ArrayLike, shape: Any, order: str | None = "C") -> tuple[Array, ...]:
    """Convert flat indices to one index for each axis. Waits for the device.

    indices : integer Array, shape (...) -- The indices in the flattened array, from 0 on.
    shape : tuple of int -- The shape of the array.

    -> tuple of Arrays of int64, one for each axis, shape of indices

    ValueError -- If an index is out of range.

    >>> [int(place) for place in xarr.unravel_index(7, (2, 4))]
    [1, 3]
    """
    where = "unravel_index(indices, shape)"
    index = int64(indices, where, "indices", empty=False)
    extents = shape_of(shape, where)
    size = math.prod(extents)
    order = layout.order_of(order, where, "CF") or "C"
    steps = layout.contiguous_strides(extents if order == "C" else extents[::-1])
    steps = steps if order == "C" else steps[::-1]
    if index.ndim and not extents:
        raise value_error(where, "shape is ()", "multiple indices are not supported for 0d array")
    if not index.ndim:
        flat = int(index)
        if not 0 <= flat < size:
            raise _out_of_bounds(flat, size, where)
        return tuple(
            Array(constant(flat // step % extent, dtypes.int64, (), index._view.device))
            for step, extent in zip(steps, extents, strict=True)
        )
    if index.size and bool(reductions.any((index < 0) | (index >= size))):
        low, high = int(reductions.min(index)), int(reductions.max(index))
        raise _out_of_bounds(low if low < 0 else high, size, where)
    largest = steps.index(max(steps)) if steps else 0
    return tuple(
        index // step if axis == largest else index // step % max(extent, 1)
        for axis, (step, extent) in enumerate(zip(steps, extents, strict=True))
    )


def _out_of_bounds(index: int, size: int, where: str) -> ValueError:
    return value_error(where, f"the index {index} is out of bounds", f"it must be in [0, {size})")


@by_numpy(numpy.ravel_multi_index)
def ravel_multi_index(
    multi_index: Any, dims: Any, mode: str | tuple[str, ...] = "raise", order: str | None = "C"
) -> Array:
    """Convert indices along each axis to indices of the flattened array.

    multi_index : tuple of integer Arrays, shapes that broadcast -- The indices along each axis.
    dims : tuple of int -- The shape of the array.

    -> Array of int64, shape that the indices broadcast to

    ValueError -- If an index is out of range and `mode` is "raise".

    >>> int(xarr.ravel_multi_index((1, 3), (2, 4)))
    7
    """
    where = "ravel_multi_index(multi_index, dims)"
    extents = shape_of(dims, where, "dims")
    parts = [int64(part, where, "multi_index", empty=False) for part in multi_index]
    modes = (mode,) * len(extents) if isinstance(mode, str) else tuple(mode)
    if len(parts) != len(extents) or len(modes) != len(extents):
        fault = f"there are {len(parts)} indices and {len(modes)} modes"
        raise value_error(
            where, fault, f"dims has {len(extents)} axes, and there must be one for each"
        )
    order = layout.order_of(order, where, "CF") or "C"
    steps = layout.contiguous_strides(extents if order == "C" else extents[::-1])
    total: Any = 0
    steps = steps if order == "C" else steps[::-1]
    for axis, (part, extent, step, way) in enumerate(
        zip(parts, extents, steps, modes, strict=True)
    ):
        try:
            index = bounded(part, extent, axis, way, where)
        except IndexError as error:
            raise ValueError(str(error)) from None
        if way == "raise" and index.size and bool(reductions.any(index < 0)):
            raise _out_of_bounds(int(reductions.min(index)), extent, where)
        total = total + index * step
    return total if type(total) is Array else creation.asarray(total)


def diag_indices(n: SupportsIndex, ndim: SupportsIndex = 2) -> tuple[Array, ...]:
    """Return the indices of the main diagonal of an array whose axes all have length n.

    n : int -- The length of each axis.

    -> tuple of ndim Arrays of int64, shape (n,)

    TypeError -- If n or ndim is not an integer.
    """
    where = "diag_indices(n, ndim)"
    line = ranges.arange(integer(n, where, "n"))
    return (line,) * integer(ndim, where, "ndim")


def diag_indices_from(arr: ArrayLike) -> tuple[Array, ...]:
    """Return the indices of the main diagonal of an array whose axes have equal lengths.

    -> tuple of Arrays of int64, one for each axis, shape (N,)

    ValueError -- If the array has fewer than two axes, or the lengths differ.
    """
    where = "diag_indices_from(arr)"
    shape = manipulation.at_least(as_array(arr, where, "arr"), 2, where).shape
    if len(set(shape)) != 1:
        fault = f"arr has shape {shape}"
        raise value_error(where, fault, "all dimensions of input must be of equal length")
    return diag_indices(shape[0], len(shape))


@by_numpy(numpy.tril_indices, 0)
def tril_indices(
    n: SupportsIndex, k: SupportsIndex = 0, m: SupportsIndex | None = None
) -> tuple[Array, ...]:
    """Return the row and column indices of a lower triangle. Waits for the device.

    -> tuple of two Arrays of int64, shape (K,)

    TypeError -- If n, k or m is not a number.
    """
    return nonzero(_lower(n, k, m, "tril_indices(n, k, m)"))


def _lower(n: Any, k: Any, m: Any, where: str) -> Array:
    rows, offset = integer(n, where, "n"), integer(k, where, "k")
    columns = rows if m is None else integer(m, where, "m")
    return creation.tri(rows, columns, offset, dtype="bool")


@by_numpy(numpy.triu_indices, 0)
def triu_indices(
    n: SupportsIndex, k: SupportsIndex = 0, m: SupportsIndex | None = None
) -> tuple[Array, ...]:
    """Return the row and column indices of an upper triangle. Waits for the device.

    -> tuple of two Arrays of int64, shape (K,)

    TypeError -- If n, k or m is not a number.
    """
    where = "triu_indices(n, k, m)"
    return nonzero(elementwise.logical_not(_lower(n, integer(k, where, "k") - 1, m, where)))


@by_numpy(numpy.tril_indices_from)
def tril_indices_from(arr: ArrayLike, k: SupportsIndex = 0) -> tuple[Array, ...]:
    """Return the row and column indices of the lower triangle of a matrix.

    -> tuple of two Arrays of int64, shape (K,)

    ValueError -- If the array is not a matrix.
    """
    where = "tril_indices_from(arr, k)"
    rows, columns = _matrix(arr, where)
    return tril_indices(rows, integer(k, where, "k"), columns)


@by_numpy(numpy.triu_indices_from)
def triu_indices_from(arr: ArrayLike, k: SupportsIndex = 0) -> tuple[Array, ...]:
    """Return the row and column indices of the upper triangle of a matrix.

    -> tuple of two Arrays of int64, shape (K,)

    ValueError -- If the array is not a matrix.
    """
    where = "triu_indices_from(arr, k)"
    rows, columns = _matrix(arr, where)
    return triu_indices(rows, integer(k, where, "k"), columns)


def _matrix(arr: Any, where: str) -> Shape:
    shape = as_array(arr, where, "arr").shape
    if len(shape) != 2:
        raise value_error(where, f"arr has shape {shape}", "it must be a matrix")
    return shape


def mask_indices(
    n: SupportsIndex, mask_func: Callable[[Array, Any], Array], k: Any = 0
) -> tuple[Array, ...]:
    """Return the indices of the elements of a square matrix that a function such as `triu` keeps.

    n : int -- The number of rows and columns.
    mask_func : callable -- The function; called once, with an Array of ones, shape (n, n), and k.
    k : any -- The second argument of the function.

    -> tuple of two Arrays of int64, shape (K,)

    TypeError -- If n is not an integer.

    >>> [part.tolist() for part in xarr.mask_indices(2, xarr.triu)]
    [[0, 0, 1], [0, 1, 1]]
    """
    extent = integer(n, "mask_indices(n, mask_func)", "n")
    return nonzero(mask_func(fills.ones((extent, extent), dtype="int64"), k) != 0)


def ix_(*args: Any) -> tuple[Array, ...]:
    """Make an index from vectors; it selects all combinations of their elements.

    *args : integer or bool Array, shapes (N1,), (N2,), ...
        The indices along each axis; a mask gives the indices of its true elements.

    -> tuple of integer Arrays, shapes (N1, 1, ...), (1, N2, 1, ...), ...

    ValueError -- If an argument is not a vector.

    >>> xarr.arange(12).reshape(3, 4)[xarr.ix_([0, 2], [1, 3])].tolist()
    [[1, 3], [9, 11]]
    """
    where = "ix_(*args)"
    device = next((item.device for item in args if type(item) is Array), get_device())
    result = []
    for axis, item in enumerate(args):
        line = as_array(item, where, "an argument", device=device)
        if line.ndim != 1:
            raise value_error(where, f"an argument has shape {line.shape}", "it must be a vector")
        if line._view.dtype.kind == dtypes.BOOL:
            (line,) = nonzero(line)
        elif not line.size and isinstance(item, list | tuple | range):
            line = Array(builder.converted(line._view, dtypes.int64))
        own = (1,) * axis + (line.size,) + (1,) * (len(args) - axis - 1)
        result.append(manipulation.reshape(line, own))
    return tuple(result)
