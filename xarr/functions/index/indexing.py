"""Reading and writing parts of arrays: views by slices, copies by masks and integer arrays.

A key of integers, slices, `...` and None gives a view, which shares memory. A key with a mask or
integer arrays gives a copy; the arrays broadcast together and take the place of the axes they
index, as NumPy's do: masks stand for the indices of their true elements; one without axes, and
`True` and `False`, for one index or none on a new axis; an integer beside arrays is an array
without axes. What is gathered or scattered is one kernel, with the index expressions and the
written expression fused in.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from numbers import Number
from typing import Any, Final, NamedTuple

import numpy

from xarr import dtypes, layout
from xarr.array.array import Array, rebind
from xarr.array.coerce import as_array, beside, holds_arrays, numbers, warn_of_imaginary
from xarr.array.host_calls import HostCall
from xarr.array.keys import LONGEST_STEP, name_of_store, number_for, place_of, sliced
from xarr.array.layouts import assign, is_whole, keep_array, require_writeable, settled, view
from xarr.array.selected import Selected
from xarr.array.transfers import is_unobserved, uploaded
from xarr.dtypes import BOOL, INTEGER
from xarr.errors import refused, type_error, value_error
from xarr.functions.index.bounds import in_range, require_bounds
from xarr.ir.views import View, constant, number_like, storage_view
from xarr.layout import Layout, Shape
from xarr.ops import elementwise as rows, gather, selection
from xarr.ops.rows import choose
from xarr.tape import builder, recorders, scalar_access
from xarr.tape.traced import TracedNumber

_ALL: Final = slice(None)
_KEYS: Final = (BOOL, *INTEGER)
_WRITE: Final = "x[key] = value"


def getitem(x: Array, key: Any) -> Array:
    """The elements that `key` names: a view, or a copy where it holds arrays."""
    if type(key) is Array and key._view.shape and key._view.dtype.kind in _KEYS:
        return _BY_ARRAY.call((x, key), {})  # type: ignore[return-value]
    return _getitem(x, key)


def _getitem(x: Array, key: Any) -> Array:
    kind = type(key)
    if kind is Array and is_unobserved():
        given, index = x._view, key._view
        if index.device is given.device and given.shape:
            found = selection.picked(given, index)
            if found is not None:
                return Array(found)
    elif kind is slice and (type(key.start) is Array or type(key.stop) is Array):
        key = _of_integers(key)
    elif kind is tuple and Array in map(type, key):
        masked = _masked(x, key)
        if masked is not None:
            return getitem(*masked)
        plain = _with_integers(key)
        if plain is not key:
            return x[plain]
    where = settled(x)
    items = key if kind is tuple else tuple(key) if issubclass(kind, tuple) else (key,)
    if kind is slice or kind is int or not any(map(is_array, items)):
        part = view(x, basic(where, items))
        selected = part._view
        if selected.shape == ():
            if any(item is Ellipsis for item in items):
                return keep_array(part)
            # NumPy gives a scalar here, so that x[0], x[1] = x[1], x[0] exchanges them.
            return Array(builder.copied(selected))
        return part
    if len(items) == 1:
        mask = mask_of(items[0], x)
        if mask is not None and _is_unknown(mask, x):
            return Selected(x, mask)  # type: ignore[return-value]
        if mask is not None and mask._view.shape == x._view.shape:
            return Array(selection.compress(x._view, mask._view))
    where, arrays, place = advanced(x, items)
    shape = gather.result_shape(where, arrays, place)
    is_view = shape or any(item is Ellipsis for item in items)
    if is_view and all(_is_varying_integer(item) for item in items if is_array(item)):
        # Integers give a view here, which a gather is not: so they are read, or refused.
        return view(x, basic(settled(x), items))
    layout.require_possible(shape, WHERE)
    return Array(gather.take(x._view, where, arrays, place))


_BY_ARRAY: Final = HostCall(_getitem, operator.getitem, 2, writes=False)
"""By NumPy 1,000 of 1,000 float32 are taken in 4 us on cpu:0, and in 7 by `selection.picked`."""


def setitem(x: Array, key: Any, value: Any) -> None:
    """Write to the elements that `key` names."""
    if type(key) is Array and key._view.shape and key._view.dtype.kind in _KEYS:
        view, given = x._view, value._view if type(value) is Array else None
        # NumPy reads what it writes over, where they are the same memory.
        is_apart = view.storage not in (key._view.storage, given and given.storage)
        is_held = (
            given.dtype is view.dtype if given else number_for(view.structure, value) is not None
        )
        if is_apart and is_held:
            _WRITE_BY_ARRAY.call((x, key, value), {})
            return
    _setitem(x, key, value)


def _setitem(x: Array, key: Any, value: Any) -> None:
    view = x._view
    given = value._view if type(value) is Array else None
    require_writeable(x, _WRITE)
    kind = type(key)
    if view.value is not None and view.shape and kind is not slice and key is not Ellipsis:
        settled(x)
        view = x._view
    if kind is tuple and Array in map(type, key):
        masked = _masked(x, key)
        if masked is not None:
            setitem(*masked, value)
            return
        key = _with_integers(key)
    at = -1 if kind is slice else place_of(view, key)
    number = number_for(view.structure, value) if at >= 0 else None
    if number is not None and scalar_access.write(view, at, number):
        return
    if type(value) is Selected:
        _set_selected(x, key, value)
        return
    if given is None:
        held = number_for(view.structure, value)
        given = None if held is None else number_like(view, held)
    is_exact = given is not None and type(value) is not Array and view.structure.fits(value)
    source = given if given is not None and is_exact else _source(value, view)
    items = key if kind is tuple else tuple(key) if isinstance(key, tuple) else (key,)
    if kind is not slice and kind is not int and any(map(is_array, items)):
        _set_advanced(x, items, source)
        return
    if view.value is not None and len(items) == 1 and items[0] in (Ellipsis, _ALL):
        source = builder.converted(_fitted(source, view.shape), view.dtype)
        rebind(x, builder.copied(builder.broadcast(source, view.shape)))
        return
    where = basic(settled(x), items)
    source = _fitted(source, where.shape)
    leaf_layout = source.layout
    if (
        source.storage is x._view.storage
        and leaf_layout is not None
        and leaf_layout == where
        and source.dtype is view.dtype
    ):
        # x[key] += value has written already; Python now assigns the view to itself.
        return
    assign(x, where, source)
    if given is None or not where.size or source.structure is not given.structure:
        return
    storage = view.storage
    assert storage is not None
    # What reads what it overwrites is copied first, each time.
    own = given.storage is storage
    if not (own and builder.reads_what_it_overwrites(given, storage, where, view.dtype)):
        opcode, target = builder.storing(source.structure, where, view.dtype)
        name = name_of_store(View(storage, target, where.offset), given)
        target.remember(name, opcode)


_WRITE_BY_ARRAY: Final = HostCall(_setitem, operator.setitem, 3, writes=True)


def _with_integers(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """Read the integers of a key that are Arrays without axes; return the key if one has axes."""
    if any(map(is_array, key)):
        return key
    return tuple([operator.index(item) if type(item) is Array else item for item in key])


def _of_integers(key: slice) -> slice:
    """A slice whose bounds that are Arrays are read as integers; any other as it is."""
    parts = [key.start, key.stop, key.step]
    for place, part in enumerate(parts):
        if type(part) is Array:
            if part._view.shape or part._view.dtype.kind not in INTEGER:
                return key  # its own error says what is wrong
            parts[place] = int(part)
    return slice(*parts)


def _source(value: Any, view: View) -> View:
    """The view of a value that is written to the memory of another."""
    if type(value) is not Array:
        if type(value) is TracedNumber and value.fits(view.dtype, exactly=True):
            return value.operand(view.dtype, view.device)
        if isinstance(value, _NUMBERS):
            number = numbers([value], view.dtype, _WRITE, "value")[0]
            return constant(number.item(), view.dtype, (), view.device)
        if isinstance(value, list | tuple) and not holds_arrays(value):
            return uploaded(numbers(value, view.dtype, _WRITE, "value"), view.device, _WRITE)
    source = beside(value, view, _WRITE, "value")
    if source.dtype.kind == dtypes.COMPLEX and view.dtype.kind not in (dtypes.COMPLEX, BOOL):
        warn_of_imaginary(source.dtype, view.dtype, _WRITE, "value")
        return rows.real.applied(source)
    return source


_NUMBERS: Final = (Number, numpy.generic, str, bytes, set, dict, type(None))
"""Types of values to assign that NumPy converts, or refuses, as one value and not as an array."""


def _fitted(source: View, shape: Shape) -> View:
    """A value that broadcasts to `shape`, without leading axes of one element beyond it."""
    given = source.shape
    extra = len(given) - len(shape)
    fits = all(extent == 1 for extent in given[: max(extra, 0)]) and all(
        mine in (1, wanted) for mine, wanted in zip(reversed(given), reversed(shape), strict=False)
    )
    if not fits:
        fault = f"value has shape {given}"
        accepted = "it must broadcast to that of x[key], " + str(shape).replace(" ", "")
        raise value_error(_WRITE, fault, accepted)
    if extra <= 0:
        return source
    if source.storage is None:
        return constant(source.value, source.dtype, (), source.device)
    assert source.layout is not None
    where = Layout(given[extra:], source.layout.strides[extra:], source.layout.offset)
    return storage_view(source.storage, where, source.dtype)


def _is_unknown(mask: Array, x: Array) -> bool:
    """Return whether a mask of leading axes selects others where the work is done again."""
    extents, given = mask._view.shape, x._view.shape
    fits = 0 < len(extents) <= len(given) and extents == given[: len(extents)]
    return fits and recorders.varies(mask._view)


def _masked(x: Array, key: tuple[Any, ...]) -> tuple[Array, Array] | None:
    """Return the view and the mask that stand for a key of integers, a mask, integers and slices.

    None for other keys, and for a mask that selects the same where the work is done again.
    """
    if len(key) < 2 or not recorders.active():
        return None
    at = next(place for place, item in enumerate(key) if type(item) is Array)
    mask = mask_of(key[at], x)
    rest = {*map(type, key[:at]), int} | {*map(type, key[at + 1 :])} - {slice}
    if mask is None or rest != {int}:
        return None
    part = x[(*key[:at], *(_ALL,) * mask.ndim, *key[at + 1 :])]
    return (part, mask) if _is_unknown(mask, part) else None


def _set_selected(x: Array, key: Any, value: Selected) -> None:
    """Write what a mask selected to the elements that it selects."""
    settled(x)
    mask = None if isinstance(key, tuple | slice) or not is_array(key) else mask_of(key, x)
    if mask is None:
        fault = f"value is what a mask selects, and the key is of type {type(key).__name__}"
        refusal = type_error(_WRITE, fault, "the key must be the mask that selected it")
        setitem(x, key, value.instead(refusal))
        return
    builder.materialise(mask._view)
    assign(x, settled(x), value.chosen(x._view, mask._view))


def _set_advanced(x: Array, items: tuple[Any, ...], source: View) -> None:
    mask = mask_of(items[0], x) if len(items) == 1 else None
    if mask is not None and _is_selected(x, mask, source):
        return
    if mask is None and len(items) == 1 and type(items[0]) is Array and is_unobserved():
        index = items[0]._view
        source = _fitted(source, (*index.shape, *x.shape[1:]))
        settled(x)
        if index.device is source.device and gather.put_now(x._view, index, source):
            return
    where, arrays, place = advanced(x, items)
    shape = gather.result_shape(where, arrays, place)
    source = builder.broadcast(_fitted(source, shape), shape)
    if math.prod(shape):
        gather.put(x._view, where, arrays, place, builder.converted(source, x._view.dtype))


def _is_selected(x: Array, mask: Array, source: View) -> bool:
    """Write by choosing for each element of x; False where the mask's indices are needed."""
    rest = x.shape[mask.ndim :]
    if mask.ndim > x.ndim or not mask.ndim or mask.shape != x.shape[: mask.ndim]:
        return False
    if len(source.shape) <= len(rest) or (not rest and math.prod(source.shape) == 1):
        # The same value for each true element, so nobody has to know how many there are.
        lifted = builder.reshaped(mask._view, (*mask.shape, *(1,) * len(rest)))
        value = builder.converted(_fitted(source, rest), x._view.dtype)
        _replace(x, choose(lifted, value, x._view))
        return True
    if rest:
        return False
    settled(x)
    if len(source.shape) == 1 and selection.replace(x._view, mask._view, source):
        return True
    selected = selection.select(mask._view)
    write_selected(x, mask, selected, _fitted(source, (selected.total,)))
    return True


def write_selected(x: Array, mask: Array, selected: selection.Selected, source: View) -> None:
    """Write the next of a vector's values, or the only one, to each element that a mask selects.

    The mask has the shape of x, which is settled.
    """
    values = builder.broadcast(builder.converted(source, x._view.dtype), (selected.total,))
    builder.materialise(values)
    chosen = selection.overwrite(x._view, mask._view, selected, values)
    if chosen is not None:
        _replace(x, chosen)


def _replace(x: Array, chosen: View) -> None:
    """Write the values of all elements."""
    if is_whole(x):
        rebind(x, chosen)
    else:
        assign(x, settled(x), chosen)


WHERE: Final = "x[key]"
_ACCEPTED: Final = "an index must be an integer, a slice, ..., None, or an integer or bool array"


class Key(NamedTuple):
    """A key with arrays, taken apart.

    `where` is x with slices and None applied; `arrays` are the axes of it that are indexed, each
    with its indices, int64 and of one shape; `place` is the axis of the result where theirs begin.
    """

    where: Layout
    arrays: list[tuple[int, View]]
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
    fault = f"the result would have {ndim} dimensions"
    return refused(IndexError, WHERE, fault, f"it must have {layout.MAX_NDIM} at most")


def _several_ellipses() -> IndexError:
    return refused(IndexError, WHERE, "key has several ...", "there must be one ... at most")


def _too_many(named: int, ndim: int) -> IndexError:
    accepted = f"too many indices: there must be at most the {ndim} of x"
    return refused(IndexError, WHERE, f"key names {named} axes", accepted)


def _slice(item: slice, extent: int) -> slice:
    """The same slice, its parts integers within the extent."""
    try:
        start, stop, step = item.indices(extent)
    except TypeError:
        fault = f"the slice is {item}"
        raise type_error(WHERE, fault, "the parts of a slice must be integers or None") from None
    except ValueError:
        fault = f"slice step cannot be zero, as in {item}"  # NumPy's words
        raise value_error(WHERE, fault, "it must be positive or negative", "omit it") from None
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
        require_bounds(index, index, extent, axis, WHERE)
    return index + extent if index < 0 else index


def _is_varying_integer(item: Any) -> bool:
    """Return whether an index is an integer array without axes that replays have others of."""
    if type(item) is not Array or item._view.shape or item._view.dtype.kind not in INTEGER:
        return False
    return recorders.varies(item._view)


def is_array(item: Any) -> bool:
    """Whether an item of a key is an array, so that the key gives a copy."""
    kind = type(item)
    if kind is slice or kind is int or item is None or item is Ellipsis:
        return False
    if kind is Array:
        is_integer = item._view.shape == () and item._view.dtype.kind in INTEGER
        return not is_integer or _is_varying_integer(item)
    if isinstance(item, numpy.ndarray | Sequence | bool | numpy.bool_):
        return not isinstance(item, str | bytes)
    return hasattr(item, "__array__") and not isinstance(item, numpy.generic)


def mask_of(item: Any, x: Array) -> Array | None:
    """The array of an item that is a mask; None for any other."""
    if type(item) is Array:
        return item if item._view.dtype.kind == BOOL and _of_device(item, x) else None
    if is_array(item):
        array = _index(item, x).array
        return array if array._view.dtype.kind == BOOL else None
    return None


def _of_device(array: Array, x: Array) -> bool:
    if array._view.device is not x._view.device:
        fault = f"the index is on {array.device} and x on {x.device}"
        raise value_error(WHERE, fault, "both must be on one device")
    return True


def _index(item: Any, x: Array) -> _Index:
    """An item as an Array on the device of x: bool, or integers."""
    bounds = None
    if type(item) is Selected:
        item = item.array("as an index")
    if type(item) is Array:
        _of_device(item, x)
        array = item
    elif isinstance(item, list | tuple) and holds_arrays(item):
        array = as_array(item, WHERE, "the index", device=x.device)
    else:
        values = _host(item)
        if values.dtype.kind in "iu" and values.size:
            bounds = int(values.min()), int(values.max())
        array = Array(uploaded(values, x.device, WHERE))
    if array._view.dtype.kind not in (BOOL, *INTEGER):
        raise _no_index(str(array._view.dtype))
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
    fault = f"an index array has dtype {dtype}"
    accepted = "index arrays must be of integer or bool dtype"
    return refused(IndexError, WHERE, fault, accepted, 'convert with index.astype("int64")')


def advanced(x: Array, items: tuple[Any, ...]) -> Key:
    """Take a key with arrays apart; x is settled afterwards."""
    if len(items) == 1 and type(items[0]) is Array and x.ndim:  # what most keys are
        index = items[0]
        if index._view.shape and index._view.dtype.kind in INTEGER and _of_device(index, x):
            where = settled(x)
            index = in_range(index, where.shape[0], 0, WHERE)
            return Key(where, [(0, builder.converted(index._view, dtypes.int64))], 0)
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
    try:
        shape = layout.broadcast_shapes(*(part.array.shape for _, part in found), where=WHERE)
    except ValueError as error:
        raise IndexError(str(error)) from None
    arrays = list[tuple[int, View]]()
    for place, part in found:
        is_checked = 0 not in shape or not part.array.ndim
        index = _in_range(part, where.shape[place], place) if is_checked else part.array
        converted = builder.converted(index._view, dtypes.int64)
        arrays.append((place, builder.broadcast(converted, shape)))
    together = positions[-1] - positions[0] + 1 == len(set(positions))
    return Key(where, arrays, found[0][0] if together else 0)


def _axes_of(entry: Any) -> int:
    """The number of axes of x that an item takes."""
    if type(entry) is _Index:
        return entry.array.ndim if entry.array._view.dtype.kind == BOOL else 1
    return 0 if entry is None or entry is Ellipsis else 1


def _indices(entry: _Index, extents: Shape, first: int) -> list[_Index]:
    """The index arrays that an array in a key stands for; `first` is its first axis of x."""
    array, _ = entry
    if array._view.dtype.kind != BOOL:
        return [entry]
    if not array.ndim:
        view = constant(0, dtypes.int64, (int(bool(array)),), array._view.device)
        return [_Index(Array(view), (0, 0))]
    for axis, (mine, own) in enumerate(zip(array.shape, extents, strict=True), first):
        if mine not in (own, 0):
            # NumPy's words, which programs match.
            fault = (
                f"boolean index did not match indexed array along axis {axis}; size of axis is "
                f"{own} but size of corresponding boolean axis is {mine}"
            )
            remedy = "compute the mask from x, as x > 0"
            raise refused(IndexError, WHERE, fault, "both sizes must be equal", remedy)
    return [_Index(Array(along), (0, 0)) for along in selection.nonzero(array._view)]


def _in_range(part: _Index, extent: int, axis: int) -> Array:
    if part.bounds is None:
        return in_range(part.array, extent, axis, WHERE)
    if part.array.size:
        require_bounds(*part.bounds, extent, axis, WHERE)
    return part.array
