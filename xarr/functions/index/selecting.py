"""Choosing between arrays, and parts of them by conditions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

from xarr import dtypes, layout, tuning
from xarr.array.array import Array, ArrayLike
from xarr.array.conversion import as_array
from xarr.array.door import SCALARS
from xarr.array.layouts import keep_array
from xarr.array.outcome import delivered
from xarr.backends.device import get_device
from xarr.engine import engine
from xarr.errors import refused, type_error, value_error
from xarr.functions.calls.places import bounded, int64
from xarr.functions.create import fills
from xarr.functions.index import indexing, searching
from xarr.functions.shape import joining, manipulation
from xarr.functions.types.data_types import result_type


def choose(a: ArrayLike, choices: Any, out: Any = None, mode: str = "raise") -> Array:
    """Choose for each element from one of several arrays.

    choices : sequence of N Arrays or values, shapes that broadcast with a's
        What the numbers of a, in [0, N), choose from.

    >>> xarr.choose([0, 1, 0], [[1, 2, 3], [10, 20, 30]]).tolist()
    [1, 20, 3]
    """
    where = "choose(a, choices)"
    device = _device_of(a, choices)
    number = int64(a, where, "a", device)
    given = list(choices)
    parts = [as_array(part, where, "a choice", device=number.device) for part in given]
    if not parts:
        raise value_error(where, "there are no choices", "at least one is needed")
    try:
        number = bounded(number, len(parts), 0, mode, where)
        if mode == "raise" and number.size and bool((number < 0).any()):
            raise refused(IndexError, where, "a is negative", f"[0, {len(parts)}) is accepted")
    except IndexError as error:
        raise ValueError(str(error)) from None
    values = [
        part if type(part) in SCALARS else made for part, made in zip(given, parts, strict=True)
    ]
    row = dtypes.lookup(result_type(*values))
    shape = layout.broadcast_shapes(number.shape, *(part.shape for part in parts), where=where)
    nodes = [Array(engine.converted(part._node, row)) for part in parts]
    if len(nodes) <= tuning.CHOICES:
        result = nodes[-1]
        for position in range(len(nodes) - 2, -1, -1):
            result = searching.where(number == position, nodes[position], result)
        result = Array(engine.broadcast(result._node, shape))
    else:
        stacked = joining.stack([manipulation.broadcast_to(node, shape) for node in nodes])
        index = manipulation.broadcast_to(number, shape)[None]
        result = searching.take_along_axis(stacked, index, axis=0)[0]
    return delivered(result, out, "choose(a, choices, out)")


def _device_of(*values: Any) -> Any:
    """The device of the first Array among values and what sequences of them hold."""
    for value in values:
        if type(value) is Array:
            return value.device
        if isinstance(value, list | tuple):
            for item in value:
                if type(item) is Array:
                    return item.device
    return get_device()


def compress(
    condition: ArrayLike, a: ArrayLike, axis: SupportsIndex | None = None, out: Any = None
) -> Array:
    """Take the parts along an axis where a condition is true. Waits for the device.

    condition : bool Array, shape (K,), K <= N -- Which parts of the N.

    >>> xarr.compress([False, True], [[1, 2], [3, 4]], axis=0).tolist()
    [[3, 4]]
    """
    where = "compress(condition, a, axis)"
    device = _device_of(a, condition)
    x = as_array(a, where, "a", device=device)
    mask = as_array(condition, where, "condition", device=device)
    if mask.ndim != 1:
        raise value_error(where, f"condition has shape {mask.shape}", "a vector is accepted")
    if axis is None:
        x, axis = manipulation.ravel(x), 0
    (index,) = searching.nonzero(mask)
    return delivered(searching.take(x, index, axis=axis), out, "compress(condition, a, axis, out)")


def extract(condition: ArrayLike, arr: ArrayLike) -> Array:
    """Take the elements of the flattened array where a condition is true. Waits for the device.

    >>> x = xarr.arange(5)
    >>> xarr.extract(x % 2 == 0, x).tolist()
    [0, 2, 4]
    """
    where = "extract(condition, arr)"
    device = _device_of(arr, condition)
    x = as_array(arr, where, "arr", device=device)
    mask = as_array(condition, where, "condition", device=device).astype(bool, copy=False)
    if mask.shape == x.shape:
        return indexing.getitem(x, mask)
    return searching.take(manipulation.ravel(x), searching.flatnonzero(mask), axis=0)


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Array:
    """Choose for each element the first of several values whose condition is true.

    condlist : sequence of bool Arrays, shapes that broadcast -- The conditions.
    choicelist : sequence of as many Arrays or values -- The values.
    default : scalar or Array -- The value where no condition is true.

    >>> x = xarr.arange(5)
    >>> xarr.select([x < 2, x > 3], [x, x * 10], -1).tolist()
    [0, 1, -1, -1, 40]
    """
    where = "select(condlist, choicelist, default)"
    if len(condlist) != len(choicelist) or not len(condlist):
        fault = f"there are {len(condlist)} conditions and {len(choicelist)} values"
        raise value_error(where, fault, "as many of both are accepted, and at least one")
    device = _device_of(list(condlist), list(choicelist))
    tests = [as_array(test, where, "a condition", device=device) for test in condlist]
    for test in tests:
        if test._node.dtype.kind != dtypes.BOOL:
            fault = f"a condition has dtype {test.dtype}"
            raise type_error(where, fault, "bool Arrays are accepted")
    values = [
        value
        if type(value) in (bool, int, float, complex)
        else as_array(value, where, "a value", device=device)
        for value in (*choicelist, default)
    ]
    row = result_type(*values)
    *choices, rest = (as_array(value, where, dtype=row, device=device) for value in values)
    shapes = [array.shape for array in (*tests, *choices, rest)]
    shape = layout.broadcast_shapes(*shapes, where=where)
    result = rest
    for test, choice in zip(reversed(tests), reversed(choices), strict=True):
        result = searching.where(test, choice, result)
    return keep_array(Array(engine.broadcast(result._node, shape)))


def piecewise(x: ArrayLike, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Array:
    """Compute a function that has another formula under each of several conditions.

    condlist : sequence of bool Arrays, shape (...)
        The conditions; of those that are true the last one counts.
    funclist : sequence of callables or values
        For each condition a function, called with the elements of x where it is true, `args` and
        `kw`, or a value. One more stands for where no condition is true; without it that is 0.

    Note: Waits for the device, which counts the elements under each condition.

    >>> x = xarr.asarray([-2.0, 0.0, 3.0])
    >>> xarr.piecewise(x, [x < 0, x >= 0], [lambda v: -v, 10]).tolist()
    [2.0, 10.0, 10.0]
    """
    where = "piecewise(x, condlist, funclist)"
    given = as_array(x, where)
    tests = [
        as_array(test, where, "a condition", device=given.device).astype(bool, copy=False)
        for test in ([condlist] if _is_single(condlist, given) else condlist)
    ]
    functions: list[Callable[..., Any] | Any] = list(funclist)
    if len(functions) == len(tests) + 1:
        somewhere = tests[0]
        for test in tests[1:]:
            somewhere = somewhere | test
        tests.append(~somewhere)
    if len(functions) != len(tests):
        fault = f"there are {len(tests)} conditions and {len(functions)} functions"
        raise value_error(where, fault, "as many functions, or one more, are accepted")
    result = fills.zeros_like(given)
    for test, function in zip(tests, functions, strict=True):
        if not callable(function):
            indexing.setitem(result, test, function)
            continue
        values = indexing.getitem(given, test)
        if values.size:
            indexing.setitem(result, test, function(values, *args, **kw))
    return result


def _is_single(condlist: Any, x: Array) -> bool:
    """Whether the conditions of `piecewise` are one that stands without a list."""
    if type(condlist) is bool or (hasattr(condlist, "ndim") and condlist.ndim == 0):
        return True
    first = condlist[0]
    return bool(x.ndim) and not (isinstance(first, list | tuple) or getattr(first, "ndim", None))
