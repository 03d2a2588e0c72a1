"""Searching: where values are, and choosing between values."""

from __future__ import annotations

from typing import Any, SupportsIndex, overload

import numpy

from xarr import dtypes, errors, layout
from xarr.algorithms import gather
from xarr.array.array import Array, ArrayLike, as_operand, settled
from xarr.array.conversion import as_array
from xarr.array.door import array_of, node_of
from xarr.array.operands import no_array, operand, widened
from xarr.backends.device import require_together
from xarr.dtypes import BOOL, INTEGER
from xarr.engine import engine
from xarr.engine.expression import constant
from xarr.functions import creation, joining
from xarr.functions.keys import require_in_range
from xarr.tables.rows import choose


@overload
def where(condition: ArrayLike, /) -> tuple[Array, ...]: ...


@overload
def where(condition: ArrayLike, x1: ArrayLike, x2: ArrayLike, /) -> Array: ...


def where(condition: Any, x1: Any = None, x2: Any = None, /) -> Array | tuple[Array, ...]:
    """Choose between two values for each element.

    Parameters
    ----------
    condition : bool Array, shape (...)
        Which to choose. With the condition alone, the result is that of `nonzero`.
    x1, x2 : Array or Python scalar, shapes that broadcast with condition's
        The values where the condition holds, and elsewhere.

    Returns
    -------
    Array, shape (...)
        Of the dtype that x1 and x2 promote to.

    Raises
    ------
    TypeError
        If the condition is not a bool Array, or a value is no Array and no scalar.

    Notes
    -----
    Python Array API standard 2025.12, searching functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.where(xarr.asarray([True, False]), 1, 2).tolist()
    [1, 2]
    """
    name = "where(condition, x1, x2)"
    arrays = [value for value in (condition, x1, x2) if type(value) is Array]
    if not arrays:
        raise no_array("condition", condition, name)
    if x1 is None and x2 is None:
        return nonzero(condition)
    test = operand(as_operand(condition), arrays[0]._node, name)
    if test is None or test.dtype.kind != BOOL:
        if test is None or test.dtype.kind not in dtypes.NUMERIC:
            raise no_array("condition", condition, name)
        test = engine.converted(test, dtypes.bool_)
    beside = next((value._node for value in (x1, x2) if type(value) is Array), None)
    if beside is None:
        default = constant(0, dtypes.bool_, (), test.device)
        beside = operand(as_operand(x1), default, name)
        other = operand(as_operand(x2), default, name)
        if beside is not None and other is not None and other.dtype is not beside.dtype:
            beside = max((beside, other), key=lambda node: dtypes.RANK[node.dtype.kind])
    if beside is None:
        raise no_array("x1", x1, name)
    require_together(beside.device, test.device, name)
    first, second = operand(as_operand(x1), beside, name), operand(as_operand(x2), beside, name)
    if first is None:
        raise no_array("x1", x1, name, "an Array or a number")
    if second is None:
        raise no_array("x2", x2, name, "an Array or a number")
    return Array(choose(test, widened(first, second, x2), widened(second, first, x1)))


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """The indices of the nonzero elements.

    Parameters
    ----------
    x : Array, shape (...), at least one axis
        The operand.

    Returns
    -------
    tuple of int64 Array, shape (count,)
        For each axis, the indices along it, in C order.

    Raises
    ------
    ValueError
        If x is 0-dimensional.

    Notes
    -----
    Python Array API standard 2025.12, searching functions. Waits for the device, since the shape
    depends on the values.

    Examples
    --------
    >>> import xarr
    >>> xarr.nonzero(xarr.asarray([0, 3, 0, 5]))[0].tolist()
    [1, 3]
    """
    return _nonzero(x, "nonzero(x)")


def _nonzero(x: Array, where: str) -> tuple[Array, ...]:
    node = node_of(x, where)
    if not node.shape:
        raise ValueError(errors.message(where, "x is 0-dimensional", "at least one axis is needed"))
    mask = engine.converted(node, dtypes.bool_)
    return tuple(Array(along) for along in gather.nonzero(mask))


def take(x: Array, indices: Any, /, axis: SupportsIndex | None = None) -> Array:
    """The elements at indices along an axis.

    Parameters
    ----------
    x : Array, shape (..., N, ...)
        The operand.
    indices : integer Array, shape (K,) or any other
        The indices, in [-N, N).
    axis : int, optional
        The axis; may be left out where x has one axis only.

    Returns
    -------
    Array, shape (..., K, ...)
        The shape of indices replaces the axis.

    Raises
    ------
    IndexError
        If an index or the axis is out of range.
    TypeError
        If indices are not integers.

    Notes
    -----
    Python Array API standard 2025.12, indexing functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.take(xarr.asarray([4, 5, 6]), xarr.asarray([2, 0])).tolist()
    [6, 4]
    """
    name = "take(x, indices)"
    x = array_of(x, name)
    node = x._node
    if axis is None:
        if len(node.shape) != 1:
            raise ValueError(
                errors.message(
                    name, f"x has {len(node.shape)} dimensions and axis is None", "name the axis"
                )
            )
        axis = 0
    place = layout.normalize_axis(axis, len(node.shape), "take(x, indices, axis)")
    index = _integers(indices, x, name)
    require_in_range(index, node.shape[place], place, name)
    layout.require_possible((*node.shape[1:], *index.shape), name)
    where = settled(x)
    return Array(
        gather.take(node, where, [(place, engine.converted(index._node, dtypes.int64))], place)
    )


def take_along_axis(x: Array, indices: Array, /, *, axis: SupportsIndex = -1) -> Array:
    """The elements at indices along an axis, each line of x with its own indices.

    Parameters
    ----------
    x : Array, shape (..., N, ...)
        The operand.
    indices : integer Array, shape (..., K, ...) that broadcasts with x's beside the axis
        The indices, in [-N, N).
    axis : int
        The axis.

    Returns
    -------
    Array, shape (..., K, ...)
        Of x's dtype.

    Raises
    ------
    IndexError
        If an index or the axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12, indexing functions.

    Examples
    --------
    >>> import xarr
    >>> x = xarr.asarray([[3, 1, 2]])
    >>> xarr.take_along_axis(x, xarr.asarray([[1, 2, 0]])).tolist()
    [[1, 2, 3]]
    """
    name = "take_along_axis(x, indices)"
    x = array_of(x, name)
    node = x._node
    index = _integers(indices, x, name)
    ndim = len(node.shape)
    place = layout.normalize_axis(axis, ndim, "take_along_axis(x, indices, axis)")
    if index.ndim != ndim:
        raise ValueError(
            errors.message(
                name, f"indices have {index.ndim} dimensions", f"x has {ndim}; both have to agree"
            )
        )
    require_in_range(index, node.shape[place], place, name)
    without = (*node.shape[:place], 1, *node.shape[place + 1 :])
    flat_index = (*index.shape[:place], 1, *index.shape[place + 1 :])
    common = layout.broadcast_shapes(without, flat_index, where=name)
    shape = (*common[:place], index.shape[place], *common[place + 1 :])
    given = settled(x)
    lines = (*common[:place], node.shape[place], *common[place + 1 :])
    spread = given.broadcast(lines)
    along = engine.broadcast(engine.converted(index._node, dtypes.int64), shape)
    arrays = []
    for axis_number in range(ndim):
        if axis_number == place:
            arrays.append((axis_number, along))
        else:
            positions = creation.arange(shape[axis_number], device=x.device)._node
            own = (1,) * axis_number + (shape[axis_number],) + (1,) * (ndim - axis_number - 1)
            lifted = engine.reshaped(positions, own)
            arrays.append((axis_number, engine.broadcast(lifted, shape)))
    return Array(gather.take(node, spread, arrays, 0))


def _integers(indices: Any, x: Array, name: str) -> Array:
    """An argument of indices as an Array."""
    if type(indices) is not Array:
        if not isinstance(indices, numpy.ndarray | numpy.integer | list | tuple | int):
            raise TypeError(
                errors.message(
                    name,
                    f"indices are of type {type(indices).__name__}",
                    "an Array of integers is accepted",
                )
            )
        indices = as_array(indices, name, "indices", device=x.device)
    if indices._node.dtype.kind not in INTEGER:
        raise TypeError(
            errors.message(
                name,
                f"indices have dtype {indices._node.dtype}",
                "indices are of integer dtype",
                'convert with indices.astype("int64")',
            )
        )
    assert type(indices) is Array
    require_together(indices._node.device, x._node.device, name)
    return indices


def argwhere(x: Array, /) -> Array:
    """The indices of the nonzero elements, one row each.

    Parameters
    ----------
    x : Array, shape (...)
        The operand, of one dimension or more.

    Returns
    -------
    int64 Array, shape (count, x.ndim)
        The rows of `nonzero`, in C order.

    Raises
    ------
    ValueError
        If x has no dimensions.
    TypeError
        If x is no array.

    Notes
    -----
    NumPy's function.

    Examples
    --------
    >>> import xarr
    >>> xarr.argwhere(xarr.asarray([[0, 5], [7, 0]])).tolist()
    [[0, 1], [1, 0]]
    """
    return joining.stack(_nonzero(x, "argwhere(x)"), axis=1)
