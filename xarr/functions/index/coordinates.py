"""Indices of elements: of flat ones, of diagonals, of triangles, of what a mask or a grid names.

What is made here is meant to be a key, as in `x[np.tril_indices(3)]`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, SupportsIndex

from xarr import dtypes, layout
from xarr.array.array import Array, ArrayLike
from xarr.array.conversion import as_array
from xarr.array.operands import integer
from xarr.backends.device import get_device
from xarr.core.tape import constant
from xarr.engine import engine
from xarr.errors import value_error
from xarr.functions.calls.places import bounded, int64
from xarr.functions.create import creation, fills
from xarr.functions.create.creation import shape_of
from xarr.functions.elementwise import elementwise
from xarr.functions.index.searching import nonzero
from xarr.functions.reduce import reductions
from xarr.functions.shape import manipulation
from xarr.layout import Shape


def unravel_index(indices: ArrayLike, shape: Any, order: str | None = "C") -> tuple[Array, ...]:
    """Turn indices of the flattened array into one index for each axis; reads one value back.

    shape : tuple of int -- Its shape before it was flattened.

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
            Array(constant(flat // step % extent, dtypes.int64, (), index._node.device))
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
    return value_error(where, f"the index {index} is out of bounds", f"there are {size} elements")


def ravel_multi_index(
    multi_index: Any, dims: Any, mode: str | tuple[str, ...] = "raise", order: str | None = "C"
) -> Array:
    """Turn indices along each axis into indices of the flattened array.

    multi_index : tuple of integer Arrays, shapes that broadcast -- The indices along each axis.
    dims : tuple of int -- The shape of the array.

    >>> int(xarr.ravel_multi_index((1, 3), (2, 4)))
    7
    """
    where = "ravel_multi_index(multi_index, dims)"
    extents = shape_of(dims, where)
    parts = [int64(part, where, "multi_index", empty=False) for part in multi_index]
    modes = (mode,) * len(extents) if isinstance(mode, str) else tuple(mode)
    if len(parts) != len(extents) or len(modes) != len(extents):
        fault = f"there are {len(parts)} indices and {len(modes)} modes"
        raise value_error(where, fault, f"dims has {len(extents)} axes, and there is one for each")
    order = layout.order_of(order, where, "CF") or "C"
    steps = layout.contiguous_strides(extents if order == "C" else extents[::-1])
    total: Any = 0
    for axis, (part, extent, step, way) in enumerate(
        zip(parts, extents, steps if order == "C" else steps[::-1], modes, strict=True)
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
    """The indices of the main diagonal of an array whose axes all have n elements.

    >>> [index.tolist() for index in xarr.diag_indices(2)]
    [[0, 1], [0, 1]]
    """
    where = "diag_indices(n, ndim)"
    line = creation.arange(integer(n, where, "n"))
    return (line,) * integer(ndim, where, "ndim")


def diag_indices_from(arr: ArrayLike) -> tuple[Array, ...]:
    """The indices of the main diagonal of an array whose axes all have the same length.

    >>> xarr.diag_indices_from(xarr.zeros((2, 2)))[0].tolist()
    [0, 1]
    """
    where = "diag_indices_from(arr)"
    shape = manipulation.at_least(as_array(arr, where, "arr"), 2, where).shape
    if len(set(shape)) != 1:
        fault = f"arr has shape {shape}"
        raise value_error(where, fault, "all dimensions of input must be of equal length")
    return diag_indices(shape[0], len(shape))


def tril_indices(
    n: SupportsIndex, k: SupportsIndex = 0, m: SupportsIndex | None = None
) -> tuple[Array, ...]:
    """The rows and columns of the lower triangle of a matrix. Waits for the device.

    >>> [part.tolist() for part in xarr.tril_indices(2)]
    [[0, 1, 1], [0, 0, 1]]
    """
    return nonzero(creation.tri(n, m, k, dtype="bool"))


def triu_indices(
    n: SupportsIndex, k: SupportsIndex = 0, m: SupportsIndex | None = None
) -> tuple[Array, ...]:
    """The rows and columns of the upper triangle of a matrix. Waits for the device.

    >>> [part.tolist() for part in xarr.triu_indices(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    first = integer(k, "triu_indices(n, k, m)", "k")
    return nonzero(elementwise.logical_not(creation.tri(n, m, first - 1, dtype="bool")))


def tril_indices_from(arr: ArrayLike, k: SupportsIndex = 0) -> tuple[Array, ...]:
    """The indices of the lower triangle of a matrix, as `tril_indices` gives them.

    >>> [part.tolist() for part in xarr.tril_indices_from(xarr.eye(2), -1)]
    [[1], [0]]
    """
    rows, columns = _matrix(arr, "tril_indices_from(arr, k)")
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: ArrayLike, k: SupportsIndex = 0) -> tuple[Array, ...]:
    """The indices of the upper triangle of a matrix, as `triu_indices` gives them.

    >>> [part.tolist() for part in xarr.triu_indices_from(xarr.eye(2), 1)]
    [[0], [1]]
    """
    rows, columns = _matrix(arr, "triu_indices_from(arr, k)")
    return triu_indices(rows, k, columns)


def _matrix(arr: Any, where: str) -> Shape:
    shape = as_array(arr, where, "arr").shape
    if len(shape) != 2:
        raise value_error(where, f"arr has shape {shape}", "a matrix is accepted")
    return shape


def mask_indices(
    n: SupportsIndex, mask_func: Callable[[Array, Any], Array], k: Any = 0
) -> tuple[Array, ...]:
    """The indices of a square matrix that a function such as `triu` keeps.

    mask_func : callable -- Called once with an Array of ones of shape (n, n), and k.
    k : object -- Passed to the function.

    >>> [part.tolist() for part in xarr.mask_indices(2, xarr.triu)]
    [[0, 0, 1], [0, 1, 1]]
    """
    extent = integer(n, "mask_indices(n, mask_func)", "n")
    return nonzero(mask_func(fills.ones((extent, extent), dtype="int64"), k) != 0)


def ix_(*args: Any) -> tuple[Array, ...]:
    """Make of vectors of indices a key that names all combinations of them.

    *args : integer or bool Array, shapes (N1,), (N2,), ...
        The indices along each axis; a mask stands for those of its true elements.

    >>> xarr.arange(12).reshape(3, 4)[xarr.ix_([0, 2], [1, 3])].tolist()
    [[1, 3], [9, 11]]
    """
    where = "ix_(*args)"
    device = next((item.device for item in args if type(item) is Array), get_device())
    result = []
    for axis, item in enumerate(args):
        line = as_array(item, where, "an argument", device=device)
        if line.ndim != 1:
            raise value_error(where, f"an argument has shape {line.shape}", "vectors are accepted")
        if line._node.dtype.kind == dtypes.BOOL:
            (line,) = nonzero(line)
        elif not line.size and isinstance(item, list | tuple | range):
            line = Array(engine.converted(line._node, dtypes.int64))
        own = (1,) * axis + (line.size,) + (1,) * (len(args) - axis - 1)
        result.append(manipulation.reshape(line, own))
    return tuple(result)
