"""Choices and permutations: random keys are sorted, and what they carry along is taken."""

from __future__ import annotations

import math
import operator
from typing import Any, Final

import numpy

from xarr import dtypes, layout
from xarr.array import host_keys
from xarr.array.array import Array
from xarr.array.coerce import as_array
from xarr.array.layouts import settled
from xarr.array.out_argument import deliver
from xarr.backends.device import Device, default_float, get_device
from xarr.errors import refused, type_error, value_error
from xarr.functions import sort  # to import what it holds takes 7 ms, when it is used
from xarr.functions.calls.on_host import is_of_host
from xarr.functions.create import creation
from xarr.functions.index import indexing, searching
from xarr.functions.random.sampling import Source, integers, size_of
from xarr.functions.reduce import reductions
from xarr.functions.shape import manipulation
from xarr.layout import Shape
from xarr.ops import gather, random
from xarr.tape import builder

_MANY: Final = 1 << 20
_FEW: Final = 1 << 10
"""Where so many elements are to choose from, and so few are chosen, none is sorted."""


def keys(source: Source, shape: Shape, device: Device, where: str) -> Array:
    """Random 64-bit integers, whose order is the permutation."""
    return Array(source._view(random.words_wide, shape, device, where, dtypes.uint64))


def order(source: Source, count: int, device: Device, where: str) -> Array:
    """A permutation of the integers below `count`."""
    if device is not get_device() or not count:
        return sort.sorting.argsort(keys(source, (count,), device, where))
    call, of_keys = (order, count), (keys, count)
    picked: Array | None = source._ahead.next(source._bits, call)
    if picked is None:
        shape, kind = (count,), dtypes.uint64
        view = source._view(random.words_wide, shape, device, where, kind, call=of_keys)
        picked = sort.sorting.argsort(Array(view))
        source._note_order(call, of_keys)
    return picked


def _taken(x: Array, index: Array, place: int) -> Array:
    """Take the elements at indices along an axis, which are known to be in range."""
    if not x.size or not index.size:
        return searching.take(x, index, axis=place)
    few = host_keys.taken(x, index) if place == 0 else None
    if isinstance(few, Array):
        return few
    return Array(gather.take(x._view, settled(x), [(place, index._view)], place))


def permutation(source: Source, x: Any, axis: Any, where: str) -> Any:
    """A permuted range of integers, or a copy of an array that is permuted along an axis."""
    if isinstance(x, int | numpy.integer):
        return order(source, max(int(x), 0), get_device(), where)
    if is_of_host(x):
        values = numpy.asarray(x)
        place = layout.normalize_axis(axis, values.ndim, where)
        picked = order(source, values.shape[place], get_device(), where)
        return values.take(creation.to_numpy(picked), place)
    array = as_array(x, where)
    if not array.ndim:
        if array._view.dtype.kind in dtypes.INTEGER:
            if isinstance(x, Array):
                return order(source, max(int(array), 0), array.device, where)
            raise refused(
                IndexError, where, "x has no axes", "x must be an integer or an array with axes"
            )
        raise numpy.exceptions.AxisError(0, 0)
    place = layout.normalize_axis(axis, array.ndim, where)
    picked = order(source, array.shape[place], array.device, where)
    return _taken(array, picked, place)


def shuffle(source: Source, x: Any, axis: Any, where: str) -> None:
    """Permute an array along an axis, or a list, in place."""
    if isinstance(x, Array):
        if not x.ndim:
            raise type_error(where, "x has no axes", "x must have an axis")
        if x.shape[layout.normalize_axis(axis, x.ndim, where)] > 1:
            x[...] = permutation(source, x, axis, where)
        return
    if isinstance(x, numpy.ndarray):
        place = layout.normalize_axis(axis, x.ndim, where)
        picked = order(source, x.shape[place], get_device(), where).tolist()
        x[...] = numpy.take(x, picked, axis=place)
        return
    if not hasattr(x, "__setitem__") or not hasattr(x, "__len__"):
        fault = f"x is of type {type(x).__name__}"
        raise type_error(where, fault, "x must be an Array, a NumPy array or a list")
    if axis != 0:
        fault = f"axis is {axis!r} and x a list"
        raise refused(NotImplementedError, where, fault, "axis must be 0 for a list")
    picked = order(source, len(x), get_device(), where).tolist()
    moved = [x[place] for place in picked]
    for place, item in enumerate(moved):
        x[place] = item


def permuted(source: Source, x: Any, axis: Any, out: Any, where: str) -> Array:
    """Permute the elements along an axis, of each line by itself."""
    array = as_array(x, where)
    shape = array.shape
    if isinstance(out, Array) and out.shape != shape:
        fault = f"out has shape {out.shape}"
        raise value_error(where, fault, f"out must have the same shape as x, {shape}")
    if axis is None:
        flat = manipulation.reshape(array, (-1,))
        picked = order(source, array.size, array.device, where)
        result = manipulation.reshape(_taken(flat, picked, 0), shape)
    else:
        place = layout.normalize_axis(axis, array.ndim, where)
        indices = sort.sorting.argsort(keys(source, shape, array.device, where), axis=place)
        result = searching.take_along_axis(array, indices, axis=place)
    return deliver(result, out, where)


def choice(
    source: Source, a: Any, size: Any, replace: bool, p: Any, axis: Any, shuffled: bool, where: str
) -> Any:
    """Choose elements of an array, or of the integers below `a`."""
    is_vector = type(a) is Array and len(a.shape) == 1 and axis == 0
    if is_vector and size is None and p is None and a.size:  # takes 1.2 us, and 7 below
        return _copied(a[integers(source, 0, a.size, None, int, False, where)])
    population, count, place = _population(a, axis, where)
    shape = None if size is None else size_of(size, where)
    wanted = 1 if shape is None else math.prod(shape)
    if count == 0 and wanted:
        fault = "a is empty" if population is not None else "a is not a positive integer"
        raise value_error(where, fault, "a must be greater than 0 unless no samples are taken")
    chances = None if p is None else _chances(p, count, where)
    if not replace and wanted > count:
        fault = f"size asks for {wanted} of {count} elements and replace is False"
        accepted = "a sample must not be larger than the population"
        raise value_error(where, fault, accepted, "pass replace=True")
    if replace or wanted == 0 or (wanted == 1 and shape is None):
        picked = _with_replacement(source, count, shape, chances, where)
    else:
        picked = _without(source, count, wanted, chances, population, where)
        if shuffled is False and chances is None:
            picked = sort.sorting.sort(picked)
        picked = manipulation.reshape(picked, shape or ())
        if shape is None:
            picked = int(picked)
    if population is None:
        return picked
    if not isinstance(population, Array):
        return population.take(picked if shape is None else creation.to_numpy(picked), place)
    if isinstance(picked, int):
        key = (*(slice(None),) * place, picked)
        return _copied(indexing.getitem(population, key))
    if len(picked.shape) == 1:
        return _taken(population, picked, place)
    flat = _taken(population, manipulation.reshape(picked, (-1,)), place)
    before, after = population.shape[:place], population.shape[place + 1 :]
    return manipulation.reshape(flat, before + picked.shape + after)


def _copied(element: Array) -> Array:
    """A part of an array that does not follow it; a number that was read is none of its views."""
    if element._view.value is not None and element._base is None:
        return element
    return Array(builder.copied(element._view))


def _population(a: Any, axis: Any, where: str) -> tuple[Any, int, int]:
    """The population to choose from (None for integers below a number), its size, and the axis."""
    if isinstance(a, int | numpy.integer) and not isinstance(a, bool):
        if a < 0:
            raise value_error(where, f"a is {a}", "a must be a positive integer")
        return None, int(a), 0
    if is_of_host(a):
        values = numpy.asarray(a)
        place = layout.normalize_axis(axis, values.ndim, where)
        return values, values.shape[place], place
    array = as_array(a, where, "a")
    if not array.ndim:
        if array._view.dtype.kind in dtypes.INTEGER:
            return _population(int(array), axis, where)
        fault = f"a must be a sequence or an integer, not {type(a).__name__}"
        raise value_error(where, fault, "write numpy.asarray(a) to make an array")
    place = layout.normalize_axis(axis, array.ndim, where)
    return array, array.shape[place], place


def _chances(p: Any, count: int, where: str) -> Array:
    """Probabilities, which add to 1; waits for the device."""
    given = as_array(p, where, "p")
    row = default_float(given.device)
    chances = Array(builder.converted(given._view, row))
    if chances.ndim != 1:
        raise value_error(where, f"p has {chances.ndim} axes", "p must be 1-dimensional")
    if chances.shape[0] != count:
        fault = f"a has {count} elements and p {chances.shape[0]}"
        raise value_error(where, fault, "a and p must have same size")
    total, least = float(reductions.sum(chances)), float(reductions.min(chances)) if count else 0.0
    if math.isnan(total):
        raise value_error(where, "probabilities contain NaN", "p must hold no NaN")
    if least < 0:
        raise value_error(where, f"p holds {least}", "probabilities must not be negative")
    own = given._view.dtype
    row = own if own.kind == dtypes.REAL else row
    if abs(total - 1) > math.sqrt(numpy.finfo(row.numpy).eps):
        raise value_error(
            where, f"the sum of p is {total}", "it must be 1: probabilities do not sum to 1"
        )
    return chances


def _with_replacement(
    source: Source, count: int, shape: Shape | None, chances: Array | None, where: str
) -> Any:
    if chances is None:
        if not count:
            return creation.filled(0, shape, "int64", None, where)
        return integers(source, 0, count, shape, int, False, where)
    bounds = reductions.cumulative_sum(chances)
    bounds = bounds / bounds[-1]
    drawn = source._sample(random.random, (), shape or (), where, dtype=chances._view.dtype)
    found = sort.sorting.searchsorted(bounds, drawn, side="right")
    return int(found) if shape is None else found


def _without(
    source: Source, count: int, wanted: int, chances: Array | None, population: Any, where: str
) -> Array:
    """Different integers below `count`."""
    device = population.device if isinstance(population, Array) else get_device()
    if chances is not None:
        if int(reductions.sum((chances > 0).astype("int64"))) < wanted:
            fault = f"{wanted} elements are asked for"
            raise value_error(where, fault, "Fewer non-zero entries in p than size")
        # The smallest of independent exponentials of these rates are a sample without replacement,
        # in its order (P. S. Efraimidis, P. G. Spirakis, Information Processing Letters 97, 2006).
        kind = chances._view.dtype
        waits = source._view(random.standard_exponential, (count,), chances.device, where, kind)
        return sort.sorting.argsort(Array(waits) / chances)[:wanted]
    if count >= _MANY and wanted <= _FEW:
        return _few_of_many(source, count, wanted, device, where)
    return order(source, count, device, where)[:wanted]


def _few_of_many(source: Source, count: int, wanted: int, device: Device, where: str) -> Array:
    """Different integers below a large number: the first of a sequence with repetitions."""
    found: dict[int, None] = {}
    while len(found) < wanted:
        drawn = integers(source, 0, count, (2 * wanted,), int, False, where)
        found.update(dict.fromkeys(drawn.tolist()))
    return as_array(list(found)[:wanted], where, dtype="int64", device=device)


def random_bytes(source: Source, length: Any, where: str) -> bytes:
    """Bytes, in the host's memory."""
    count = operator.index(length)
    if count < 0:
        raise value_error(where, f"length is {count}", "length must not be negative")
    shape = (-(-count // 4),)
    view = source._view(random.words, shape, get_device(), where, dtypes.uint32)
    return numpy.asarray(creation.to_numpy(Array(view)), "<u4").tobytes()[:count]
