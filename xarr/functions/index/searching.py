"""Searching: where values are; and choosing between values, between arrays, and parts of them.

Arguments that are indices along an axis have their type, and are in range, by functions here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, SupportsIndex, overload

import numpy

from xarr import dtypes, layout, tuning
from xarr.array.array import Array, ArrayLike
from xarr.array.cached_calls import by_numpy, cached_call
from xarr.array.coerce import SCALARS, array_of, as_array, numbers, operand, operand_view, together
from xarr.array.layouts import keep_array, settled
from xarr.array.out_argument import deliver, retyped_out
from xarr.array.transfers import is_unobserved
from xarr.backends.device import require_together
from xarr.errors import operand_of, refused, type_error, value_error
from xarr.functions.calls.on_host import device_of
from xarr.functions.create import fills, ranges
from xarr.functions.elementwise import arithmetic, elementwise
from xarr.functions.index import indexing
from xarr.functions.index.bounds import in_range
from xarr.functions.shape import joining, manipulation
from xarr.functions.types.data_types import result_type
from xarr.ir.views import View, constant
from xarr.layout import Shape
from xarr.ops import gather, selection
from xarr.ops.rows import choose as chosen_of
from xarr.tape import builder


@overload
def where(condition: ArrayLike, /) -> tuple[Array, ...]: ...
@overload
def where(condition: ArrayLike, x1: Any, x2: Any, /) -> Array: ...
def where(condition: ArrayLike, x1: Any = None, x2: Any = None, /) -> Array | tuple[Array, ...]:
    """Choose for each element between two values, by a condition.

    condition : Array, shape (...) -- x1 is chosen where it is true or nonzero, else x2. With the
        condition alone, the function is `nonzero`.
    x1, x2 : Array or values, shapes that broadcast with condition's
        The values; give both or neither.

    -> Array, shape that all operands broadcast to, of the type x1 and x2 promote to

    ValueError -- If one of x1 and x2 is missing, the shapes are not compatible, or the condition
        alone has no axes.

    >>> xarr.where(xarr.asarray([True, False]), 1, 2).tolist()
    [1, 2]
    """
    if x1 is None and x2 is None:
        return _true_of(condition)
    return _of_three(condition, x1, x2)


@by_numpy(numpy.ndarray.nonzero)
def _true_of(condition: ArrayLike) -> tuple[Array, ...]:
    """Return the indices of true elements, as `where` of a condition alone does."""
    return _nonzero(condition, "where(condition, x1, x2)")


@cached_call
def _of_three(condition: ArrayLike, x1: Any, x2: Any) -> Array:
    """Select elements of x1 where a condition is true, and else of x2."""
    name = "where(condition, x1, x2)"
    if x1 is None or x2 is None:
        raise value_error(name, "one of x1 and x2 is missing", "both must be given, or neither")
    device = next((value.device for value in (condition, x1, x2) if type(value) is Array), None)
    own = None if type(condition) is Array else device
    test = as_array(condition, name, "condition", device=own)._view
    test = builder.converted(test, dtypes.bool_)
    if type(x1) is not Array and type(x2) is not Array:
        x1, x2 = _values(x1, x2, test, name)
    first, second = together(x1, x2, name)
    require_together(first.device, test.device, name)
    return keep_array(Array(chosen_of(test, first, second)))


_chosen: Final = where
"""For functions in which `where` is a text."""


def _values(x1: Any, x2: Any, test: View, name: str) -> tuple[Any, Any]:
    """Two values, neither of them an Array, of which one is made an Array of the test's device."""
    if type(x1) not in SCALARS:
        return as_array(x1, name, "x1", device=test.device), x2
    if type(x2) not in SCALARS:
        return x1, as_array(x2, name, "x2", device=test.device)
    default = constant(0, dtypes.bool_, (), test.device)
    views = [operand(value, default, name, called) for called, value in (("x1", x1), ("x2", x2))]
    larger = max((view for view in views if view), key=lambda view: dtypes.RANK[view.dtype.kind])
    return (Array(larger), x2) if larger is views[0] else (x1, Array(larger))


@by_numpy(numpy.ndarray.nonzero)
def nonzero(a: Array) -> tuple[Array, ...]:
    """Return the indices along each axis of the nonzero elements. Waits for the device.

    -> tuple of Arrays of int64, one for each axis, shape (K,)

    ValueError -- If the array has no axes.

    >>> xarr.nonzero(xarr.asarray([0, 3, 0, 5]))[0].tolist()
    [1, 3]
    """
    return _nonzero(a, "nonzero(a)")


def _nonzero(x: ArrayLike, where: str) -> tuple[Array, ...]:
    view = operand_view(x, where)
    if not view.shape:
        fault = f"{operand_of(where)} is 0-dimensional"
        raise value_error(where, fault, "it must have at least one axis")
    mask = builder.converted(view, dtypes.bool_)
    return tuple(Array(along) for along in selection.nonzero(mask))


@by_numpy(numpy.flatnonzero)
def flatnonzero(a: ArrayLike) -> Array:
    """Return the indices of the nonzero elements of the flattened array. Waits for the device.

    -> Array of int64, shape (K,)

    >>> xarr.flatnonzero(xarr.asarray([[0, 3], [0, 5]])).tolist()
    [1, 3]
    """
    where = "flatnonzero(a)"
    return _nonzero(manipulation.ravel(array_of(a, where, "a")), where)[0]


@by_numpy(numpy.ndarray.take, 2)
def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: SupportsIndex | None = None,
    out: Any = None,
    mode: str = "raise",
) -> Array:
    """Take the elements at indices along an axis.

    -> Array, of the data type of a
        The shape of indices replaces the axis in a's shape, or all of a's shape if axis is None.

    >>> xarr.take(xarr.asarray([4, 5, 6]), xarr.asarray([2, 0])).tolist()
    [6, 4]
    """
    name = "take(a, indices)"
    x = array_of(a, name, "a")
    if axis is None or (not x.ndim and axis in (0, -1)):
        x, axis = manipulation.ravel(x), 0
    place = layout.normalize_axis(axis, x.ndim, "take(a, indices, axis)")
    device = None if type(indices) is Array else x.device
    index = int64(indices, name, "indices", device, truncates=True)
    require_together(index._view.device, x._view.device, name)
    if not place and mode == "raise" and is_unobserved():
        found = selection.picked(x._view, index._view)
        if found is not None:
            return retyped_out(Array(found), out, "take(a, indices, axis, out)")
    if 0 in x.shape[:place]:  # no element is taken, so NumPy looks at no index
        bounded(Array(constant(0, dtypes.int64, (0,), x.device)), 0, place, mode, name)
    else:
        index = bounded(index, x.shape[place], place, mode, name)
    layout.require_possible((*x.shape[1:], *index.shape), name)
    where = settled(x)
    result = Array(gather.take(x._view, where, [(place, index._view)], place))
    return retyped_out(result, out, "take(a, indices, axis, out)")


@by_numpy(numpy.take_along_axis, 2)
def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: SupportsIndex | None = -1) -> Array:
    """Take elements along an axis, as `take`, with separate indices for each 1-D slice.

    -> Array, of the data type of arr, shape of indices; the other axes broadcast

    ValueError -- If arr and indices have different numbers of axes, or shapes that are not
        compatible.

    >>> x = xarr.asarray([[3, 1, 2]])
    >>> xarr.take_along_axis(x, xarr.asarray([[1, 2, 0]])).tolist()
    [[1, 2, 3]]
    """
    name = "take_along_axis(arr, indices)"
    x = array_of(arr, name, "arr")
    index = along(indices, name, x.device)
    if axis is None:
        x, axis = manipulation.ravel(x), 0
    ndim = x.ndim
    place = layout.normalize_axis(axis, ndim, "take_along_axis(arr, indices, axis)")
    if index.ndim != ndim:
        fault = f"indices have {index.ndim} dimensions"
        raise value_error(name, fault, f"arr has {ndim}; both must agree")
    index = in_range(index, x.shape[place], place, name)
    without = (*x.shape[:place], 1, *x.shape[place + 1 :])
    flat_index = (*index.shape[:place], 1, *index.shape[place + 1 :])
    common = layout.broadcast_shapes(without, flat_index, where=name)
    shape = (*common[:place], index.shape[place], *common[place + 1 :])
    spread = settled(x).broadcast((*common[:place], x.shape[place], *common[place + 1 :]))
    lines = lines_along(shape, place, x.device)
    lines.insert(place, index)
    arrays = [(number, builder.broadcast(line._view, shape)) for number, line in enumerate(lines)]
    return Array(gather.take(x._view, spread, arrays, 0))


@by_numpy(numpy.argwhere)
def argwhere(a: ArrayLike) -> Array:
    """Return the indices of the nonzero elements, one row for each. Waits for the device.

    -> Array of int64, shape (K, ndim)
    """
    where = "argwhere(a)"
    x = array_of(a, where, "a")
    if not x.ndim:
        return Array(constant(0, dtypes.int64, (int(bool(x)), 0), x._view.device))
    return joining.stack(_nonzero(x, where), axis=1)


@by_numpy(numpy.ndarray.choose, 2)
def choose(a: ArrayLike, choices: Any, out: Any = None, mode: str = "raise") -> Array:
    """Choose each element from one of several arrays: element i is choices[a[i]][i].

    a : integer Array, shape (...) -- The numbers of the choices, in [0, N).
    choices : sequence of N Arrays or values, shapes that broadcast with a's
        The arrays to choose from.

    -> Array, shape that a and the choices broadcast to, of the type the choices promote to

    ValueError -- If a number is out of range and `mode` is "raise".

    >>> xarr.choose([0, 1, 0], [[1, 2, 3], [10, 20, 30]]).tolist()
    [1, 20, 3]
    """
    where = "choose(a, choices)"
    device = device_of(a, choices)
    number = int64(a, where, "a", device)
    given = list(choices)
    parts = [as_array(part, where, "a choice", device=number.device) for part in given]
    if not parts:
        raise value_error(where, "there are no choices", "there must be at least one")
    try:
        number = bounded(number, len(parts), 0, mode, where)
        if mode == "raise" and number.size and bool((number < 0).any()):
            raise refused(IndexError, where, "a is negative", f"it must be in [0, {len(parts)})")
    except IndexError as error:
        raise ValueError(str(error)) from None
    values = [
        part if type(part) in SCALARS else made for part, made in zip(given, parts, strict=True)
    ]
    row = dtypes.lookup(result_type(*values))
    shape = layout.broadcast_shapes(number.shape, *(part.shape for part in parts), where=where)
    views = [Array(builder.converted(part._view, row)) for part in parts]
    if len(views) <= tuning.CHOICES:
        result = views[-1]
        for position in range(len(views) - 2, -1, -1):
            result = _chosen(number == position, views[position], result)
        result = Array(builder.broadcast(result._view, shape))
    else:
        stacked = joining.stack([manipulation.broadcast_to(view, shape) for view in views])
        index = manipulation.broadcast_to(number, shape)[None]
        result = take_along_axis(stacked, index, axis=0)[0]
    return deliver(result, out, "choose(a, choices, out)", casting="unsafe", grows=False)


@by_numpy(numpy.compress, 2)
def compress(
    condition: ArrayLike, a: ArrayLike, axis: SupportsIndex | None = None, out: Any = None
) -> Array:
    """Take the subarrays along an axis where a condition is true. Waits for the device.

    condition : bool Array, shape (M,) -- True for each index to take; M <= the axis's length.

    -> Array, shape of a with K elements along the axis, of the data type of a

    ValueError -- If the condition is not a vector.
    IndexError -- If it is true beyond the end of the axis.

    >>> xarr.compress([False, True], [[1, 2], [3, 4]], axis=0).tolist()
    [[3, 4]]
    """
    where = "compress(condition, a, axis)"
    device = device_of(a, condition)
    x = as_array(a, where, "a", device=device)
    mask = as_array(condition, where, "condition", device=device)
    if mask.ndim != 1:
        raise value_error(where, f"condition has shape {mask.shape}", "it must be a vector")
    if axis is None:
        x, axis = manipulation.ravel(x), 0
    result = _where_true(mask, x, layout.normalize_axis(axis, x.ndim, where), where)
    return retyped_out(result, out, "compress(condition, a, axis, out)")


def _where_true(mask: Array, x: Array, axis: int, where: str) -> Array:
    """The parts along an axis where a vector is true, which may go on where it is false."""
    if mask.shape == x.shape and mask._view.dtype.kind == dtypes.BOOL:
        return indexing.getitem(x, mask)
    (index,) = _nonzero(mask, where)
    if mask.size > x.shape[axis]:
        index = in_range(index, x.shape[axis], axis, where)
    return take(x, index, axis=axis)


@by_numpy(numpy.extract, 2)
def extract(condition: ArrayLike, arr: ArrayLike) -> Array:
    """Take the elements of the flattened array where a condition is true. Waits for the device.

    -> Array, shape (K,), of the data type of arr

    >>> x = xarr.arange(5)
    >>> xarr.extract(x % 2 == 0, x).tolist()
    [0, 2, 4]
    """
    where = "extract(condition, arr)"
    device = device_of(arr, condition)
    x = as_array(arr, where, "arr", device=device)
    mask = as_array(condition, where, "condition", device=device).astype(bool, copy=False)
    if mask.shape == x.shape:
        return indexing.getitem(x, mask)
    return _where_true(manipulation.ravel(mask), manipulation.ravel(x), 0, where)


@cached_call
def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Array:
    """Choose for each element the value of the first condition that is true.

    condlist : sequence of bool Arrays, shapes that broadcast -- The conditions.
    choicelist : sequence of Arrays or numbers -- The values, one for each condition.
    default : number or Array -- The value where no condition is true.

    -> Array, shape that all operands broadcast to, of the type the values promote to

    ValueError -- If there are no conditions, or not as many values.
    TypeError -- If a condition is not a bool Array.

    >>> x = xarr.arange(5)
    >>> xarr.select([x < 2, x > 3], [x, x * 10], -1).tolist()
    [0, 1, -1, -1, 40]
    """
    where = "select(condlist, choicelist, default)"
    if len(condlist) != len(choicelist) or not len(condlist):
        fault = f"there are {len(condlist)} conditions and {len(choicelist)} values"
        raise value_error(where, fault, "there must be as many of both, and at least one")
    device = device_of(list(condlist), list(choicelist))
    tests = [as_array(test, where, "a condition", device=device) for test in condlist]
    for test in tests:
        if test._view.dtype.kind != dtypes.BOOL:
            fault = f"a condition has dtype {test.dtype}"
            raise type_error(where, fault, "it must be a bool Array")
    values = [
        value if type(value) in SCALARS else as_array(value, where, "a value", device=device)
        for value in (*choicelist, default)
    ]
    row = result_type(*values)
    *choices, rest = (
        as_array(value, where, name, dtype=row, device=device)
        for value, name in zip(values, [*["a value"] * len(choicelist), "default"], strict=True)
    )
    shapes = [array.shape for array in (*tests, *choices, rest)]
    shape = layout.broadcast_shapes(*shapes, where=where)
    result = rest
    for test, choice in zip(reversed(tests), reversed(choices), strict=True):
        result = _chosen(test, choice, result)
    return keep_array(Array(builder.broadcast(result._view, shape)))


@cached_call
def piecewise(x: ArrayLike, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Array:
    """Evaluate a piecewise function: for each condition, a function or a value.

    condlist : sequence of bool Arrays, shape (...)
        The conditions; where several are true, the last one counts.
    funclist : sequence of callables or values
        For each condition a value, or a function of the elements of x where it is true. One more
        is for the elements where no condition is true; by default 0.
    args, kw : any -- Further arguments of the functions.

    -> Array, shape and data type of x

    ValueError -- If there are not as many functions as conditions, or one more.

    Note: Waits for the device, to count the elements under each condition.

    >>> x = xarr.asarray([-2.0, 0.0, 3.0])
    >>> xarr.piecewise(x, [x < 0, x >= 0], [lambda v: -v, 10]).tolist()
    [2.0, 10.0, 10.0]
    """
    where = "piecewise(x, condlist, funclist)"
    given = as_array(x, where)
    tests = [
        as_array(test, where, "a condition", device=given.device).astype(bool, copy=False)
        for test in ([condlist] if _is_single(condlist, given, where) else condlist)
    ]
    functions: list[Callable[..., Any] | Any] = list(funclist)
    if len(functions) == len(tests) + 1:
        somewhere = tests[0]
        for test in tests[1:]:
            somewhere = somewhere | test
        tests.append(~somewhere)
    if len(functions) != len(tests):
        fault = f"there are {len(tests)} conditions and {len(functions)} functions"
        raise value_error(where, fault, "there must be as many functions, or one more")
    result = fills.zeros_like(given)
    for test, function in zip(tests, functions, strict=True):
        if not callable(function):
            indexing.setitem(result, test, function)
            continue
        values = indexing.getitem(given, test)
        if values.size:
            indexing.setitem(result, test, function(values, *args, **kw))
    return result


def _is_single(condlist: Any, x: Array, where: str) -> bool:
    """Whether the conditions of `piecewise` are one that stands without a list."""
    if numpy.isscalar(condlist) or (hasattr(condlist, "ndim") and condlist.ndim == 0):
        return True
    try:
        first = condlist[0]
    except (LookupError, TypeError) as error:
        fault, accepted = f"condlist is {condlist!r}", "it must hold bool Arrays, at least one"
        raise refused(type(error), where, fault, accepted) from None
    return bool(x.ndim) and not (isinstance(first, list | tuple) or getattr(first, "ndim", None))


def int64(
    indices: Any,
    where: str,
    name: str,
    device: Any = None,
    *,
    empty: bool = True,
    truncates: bool = False,
) -> Array:
    """An argument of indices as an Array of int64; TypeError for floating-point ones.

    With `empty`, an empty list is one of integers; with `truncates`, numbers and lists of numbers
    stand for their integer parts.
    """
    array = as_array(indices, where, name, device=device)
    if empty and not array.size and type(indices) in (list, tuple):
        return Array(builder.converted(array._view, dtypes.int64))
    truncates = truncates and array._view.dtype.kind not in dtypes.INTEGER
    if truncates and not isinstance(indices, Array | numpy.ndarray):
        array = as_array(numbers(array.tolist(), dtypes.int64, where, name), where, device=device)
    if array._view.dtype.kind not in (*dtypes.INTEGER, dtypes.BOOL):
        fault, accepted = (
            f"{name} has dtype {array._view.dtype}",
            "indices must be of integer dtype",
        )
        raise type_error(where, fault, accepted, f'convert with {name}.astype("int64")')
    if array._view.dtype is dtypes.uint64:  # beyond int64 is out of range, and not negative
        array = elementwise.minimum(array, dtypes.integer_bounds(dtypes.int64)[1])
    return Array(builder.converted(array._view, dtypes.int64))


def along(indices: Any, where: str, device: Any) -> Array:
    """An argument of indices of each line; IndexError for what is not integer, as NumPy has it."""
    array = as_array(indices, where, "indices", device=None if type(indices) is Array else device)
    if array._view.dtype.kind not in dtypes.INTEGER:
        fault = f"indices have dtype {array.dtype}"
        raise refused(IndexError, where, fault, "they must be integers")
    require_together(array._view.device, device, where)
    return Array(builder.converted(array._view, dtypes.int64))


def bounded(index: Array, extent: int, axis: int, mode: str, where: str) -> Array:
    """Indices of int64 in [-extent, extent): refused where they are not, wrapped, or clipped."""
    if mode == "raise":
        return in_range(index, extent, axis, where)
    if mode not in ("wrap", "clip"):
        raise value_error(where, f"mode is {mode!r}", "mode must be 'raise', 'wrap' or 'clip'")
    if not extent:
        return in_range(index, extent, axis, where)
    if mode == "wrap":
        return elementwise.remainder(index, extent)
    return arithmetic.clip(index, 0, extent - 1)


def lines_along(shape: Shape, axis: int, device: Any) -> list[Array]:
    """For each axis but one, its indices, shaped so that they broadcast over `shape`."""
    result = []
    for place, extent in enumerate(shape):
        own = (1,) * place + (extent,) + (1,) * (len(shape) - place - 1)
        if place != axis:
            line = ranges.arange(extent, device=device)
            result.append(manipulation.reshape(line, own))
    return result
