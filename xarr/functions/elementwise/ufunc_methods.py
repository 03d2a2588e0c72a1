"""The methods of ufuncs: reductions, scans, all pairs, slices, and repeated changes in place.

Associative functions join their elements in the order of a reduction or a scan; the others go from
left to right, some dozens of steps a launch. The methods of `ufunc`, which stands below the
chapters, call these.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import dtypes, layout, tuning
from xarr.array.array import Array, ArrayLike, Axis, DTypeLike, Out
from xarr.array.coerce import array_of, as_array, beside, operand
from xarr.array.host_calls import HostCall
from xarr.array.layouts import require_writeable, settled
from xarr.array.out_argument import deliver, mask_of, require_shape
from xarr.array.row_function import known_fold
from xarr.array.transfers import Host, openly, to_host
from xarr.backends.device import require_on
from xarr.dtypes import BOOL, INTEGER, DType
from xarr.errors import refused, type_error, value_error
from xarr.functions.calls.on_host import host_of
from xarr.functions.calls.row_calls import reduced, scanned
from xarr.functions.elementwise import elementwise as functions
from xarr.functions.elementwise.ufuncs_by_numpy import (
    SCANS,
    at_on_host,
    change_now,
    reduceat_on_host,
    slices_now,
)
from xarr.functions.index import searching
from xarr.functions.index.indexing import advanced, getitem
from xarr.functions.reduce import reductions as chapter
from xarr.functions.shape import joining
from xarr.functions.shape.joining import taken_at, taken_from
from xarr.functions.sort import sorting
from xarr.ir.operation import interned
from xarr.ir.views import View, constant
from xarr.ops import (
    elementwise,
    gather,
    histogram as histograms,
    radix_sort,
    reduce_scan,
    reductions,
)
from xarr.ops.rows import OWN, Elementwise, Reduction, choose
from xarr.tape import builder

if TYPE_CHECKING:
    from xarr.functions.elementwise.ufuncs import ufunc

_REDUCTIONS: Final = {
    elementwise.add.name: reductions.sum,
    elementwise.logical_and.name: reductions.all,
    elementwise.logical_or.name: reductions.any,
    elementwise.maximum.name: reductions.max,
    elementwise.minimum.name: reductions.min,
    elementwise.multiply.name: reductions.prod,
}
_JOINED: Final = {"divide": functions.multiply}
"""The function that combines second operands given for one element, where it is another one."""


def reduce(
    function: ufunc,
    array: ArrayLike,
    axis: Axis,
    dtype: DTypeLike,
    out: Out,
    keepdims: bool,
    initial: ArrayLike | None,
    where: ArrayLike,
) -> Array:
    """Combine the elements along axes by the function."""
    row = _REDUCTIONS.get(function.__name__)
    is_plain = dtype is None and out is None and initial is None and where is True
    if row is not None and is_plain and type(array) is Array:
        known: Array | None = known_fold(row.transitions, array._view, axis, keepdims, 0.0)
        if known is not None:
            return known
    _require_two(function, "reduce")
    name = f"{function.__name__}.reduce(array, axis)"
    x = array_of(array, name, "array")
    if not _is_associative(function):
        return _from_left(function, x, axis, dtype, out, keepdims, initial, where, name)
    row = row or interned(_joining, function._row, "axes")
    view = x._view
    if row.name not in reductions.BY_NAME or (dtype is not None and row.form != "axes, sum"):
        view, dtype = builder.converted(view, _computed_type(function, view, dtype, name)), None
    return reduced(row, view, axis, bool(keepdims), dtype, out, initial, where, where=name)


def accumulate(function: ufunc, array: ArrayLike, axis: Any, dtype: DTypeLike, out: Out) -> Array:
    """For each element, combine all up to it along an axis by the function."""
    _require_two(function, "accumulate")
    name = f"{function.__name__}.accumulate(array, axis)"
    x = array_of(array, name, "array")
    place = layout.normalize_axis(axis, x.ndim, name)
    if function.__name__ in SCANS:
        return scanned(SCANS[function.__name__], x._view, place, dtype, False, out, name)
    view = builder.converted(x._view, _computed_type(function, x._view, dtype, name))
    if _is_associative(function):
        # Truths are joined as such, whatever the type of `out` is.
        known = function._row
        joined = view.dtype if known is not None and known.takes_truths else None
        scan = interned(_joining, known, "scan")
        return scanned(scan, view, place, joined, False, out, name)
    rows = _along(Array(view), place)
    steps = [next(rows)] if x.shape[place] else []
    for row in rows:
        steps.append(function(steps[-1], row))
    result = joining.stack(steps, axis=place) if steps else Array(view)
    return deliver(result, out, name, grows=False)


def outer(function: ufunc, A: ArrayLike, B: ArrayLike, **options: Any) -> Array:  # noqa: N803
    """Apply the function to all pairs of an element of A and one of B: shape A.shape + B.shape."""
    _require_elements(function, "outer(A, B)")
    _require_two(function, "outer", results=None)
    where = f"{function.__name__}.outer(A, B)"
    device = next((value.device for value in (A, B) if type(value) is Array), None)
    first, second = (
        value if type(value) is Array else as_array(value, where, name, device=device)
        for name, value in (("A", A), ("B", B))
    )
    shape = first.shape + (1,) * second.ndim
    result: Array = function(Array(builder.reshaped(first._view, shape)), second, **options)
    return result


def at(function: ufunc, a: Array, indices: Any, b: ArrayLike | None) -> None:
    """Apply the function to elements of an array in place, each as often as it is named."""
    interned(_host_call, _at, at_on_host, function).call((a, indices, b), {})


def _host_call(method: Any, numpys: Any, function: ufunc) -> HostCall:
    """Return a method of a function, which NumPy computes of few elements.

    On cpu:0 `add.at` of 1,000 int64 takes 13 us so, and 85 by instructions.
    """
    ways = functools.partial(method, function), functools.partial(numpys, function)
    return HostCall(*ways, 3, method is _at)


def _at(function: ufunc, a: Array, indices: Any, b: ArrayLike | None) -> None:
    """Apply the function in place, by instructions where there are many elements."""
    _require_elements(function, "at(a, indices, b)")
    name = f"{function.__name__}.at(a, indices{', b' * (function.nin > 1)})"
    if type(a) is not Array:
        raise type_error(
            name, f"a is of type {type(a).__name__}", "a must be an Array, as it is written to"
        )
    if (b is None) is (function.nin == 2) or function.nout > 1 or function.nin > 2:
        fault = "b is None" if b is None else "b is given"
        raise value_error(
            name, fault, "b must be given to a function of two operands, and to no other"
        )
    require_writeable(a, name)
    places = _places(a, indices)
    values = None
    if b is not None:
        given = beside(b, a._view, name, "b")
        require_shape(given.shape, places.shape, name, "b", "a[indices]")
        values = _flat(builder.broadcast(given, places.shape))
    if places.size:
        _change(function, a, _flat(places._view), values, name)


def _places(a: Array, indices: Any) -> Array:
    """Return the places, in C order, of the elements of an array that indices name."""
    numbers = Array(builder.index(a.shape, a.device))
    items = indices if type(indices) is tuple else (indices,)
    are_integers = [type(one) is Array and one._view.dtype.kind in INTEGER for one in items]
    if not a.ndim or len(items) != a.ndim or not all(are_integers):
        return getitem(numbers, indices)
    where, arrays, place = advanced(numbers, items)  # each one's place is computed, not read
    return Array(gather.addresses(numbers._view, where, arrays, place)[1])


def reduceat(
    function: ufunc, array: ArrayLike, indices: Any, axis: Any, dtype: DTypeLike, out: Out
) -> Array:
    """Combine the elements of slices along an axis, which then has an element for each index."""
    known = interned(_host_call, _reduceat, reduceat_on_host, function)
    result: Array = known.call((array, indices, axis, dtype, out), {})
    return result


def _reduceat(
    function: ufunc, array: ArrayLike, indices: Any, axis: Any, dtype: DTypeLike, out: Out
) -> Array:
    """Combine the elements of slices by instructions."""
    _require_two(function, "reduceat")
    name = f"{function.__name__}.reduceat(array, indices, axis)"
    x = array_of(array, name, "array")
    place = layout.normalize_axis(axis, x.ndim, name)
    row = SCANS.get(function.__name__)
    if row is not None and dtype is None:
        wanted = row.types(x._view.dtype, x._view.dtype).taken
    else:
        wanted = _computed_type(function, x._view, dtype, name)
    values = Array(builder.converted(x._view, wanted))
    begins, ascend = _begins(indices, x, place, name)
    if _is_associative(function):
        found = slices_now(function.__name__, values, begins, place, ascend=ascend)
        if found is None and not ascend:
            values, begins = _apart(values, place, begins, name)
        result = _join_slices(function, values, place, begins) if found is None else found
    else:
        result = _slices_from_left(function, values, place, begins, name)
    return deliver(result, out, name, grows=False)


def _require_two(function: ufunc, method: str, results: int | None = 1) -> None:
    """Refuse a function of stacks, and one that has not two operands and one result."""
    _require_elements(function, f"{method}(array)", RuntimeError)
    if function.nin != 2 or (results is not None and function.nout != results):
        fault = f"{function.__name__} has {function.nin} operands and {function.nout} results"
        accepted = f"{method} must be that of a function of two operands" + (
            " and one result" if results else ""
        )
        raise value_error(f"{function.__name__}.{method}(array)", fault, accepted)


def _require_elements(function: ufunc, call: str, error: type[Exception] = TypeError) -> None:
    """Refuse a function of stacks, which has none of the methods."""
    if function.signature is not None:
        fault = f"its signature is {function.signature!r}"
        raise refused(error, f"{function.__name__}.{call}", fault, "it must have none")


def _is_associative(function: ufunc) -> bool:
    return function._row is not None and function._row.associative


def _computed_type(function: ufunc, view: View, dtype: Any, name: str) -> DType:
    """The data type in which elements are combined."""
    if dtype is not None:
        return _asked_type(function, view, dtype, name)
    row = function._row
    if row is None or row.by_hand:
        return view.dtype
    operation = row._resolve((view, view))
    if row.takes_truths:
        return dtypes.bool_
    if row.result == "bool" and view.dtype is not dtypes.bool_:
        fault = f"array has dtype {view.dtype} and the results are bool"
        accepted = "results must have the type of the operands to be joined"
        raise type_error(name, fault, accepted, f"take {function.__name__} of two arrays")
    return operation.operands[0]


def _asked_type(function: ufunc, view: View, dtype: Any, name: str) -> DType:
    """The data type that a caller asks for: two operands of it have to give a result of it."""
    wanted = dtypes.lookup(dtype, name)
    require_on(view.device, wanted, name)
    some = Array(constant(1, wanted, (), view.device))
    try:
        given: DType | None = function(some, some)._view.dtype
    except TypeError:
        given = None
    if given is not wanted:
        accepted = f"{function.__name__} of two operands of it must give that dtype"
        raise type_error(name, f"dtype is {wanted}", accepted, "convert the result with astype")
    return wanted


# -- reductions and scans ---------------------------------------------------------------------


def _joining(row: Elementwise, form: str) -> Reduction:
    """The row of a form that joins by a function."""
    value = reductions.TRUTH if row.result == "bool" else OWN
    empty = 0 if form == "scan" and row.identity is None else row.identity
    found = Reduction(row.kinds, value=value, combine=row, empty=empty, form=form)
    found.name = row.name
    return found


def _from_left(
    function: ufunc,
    x: Array,
    axis: Any,
    dtype: Any,
    out: Out,
    keepdims: bool,
    initial: Any,
    where: Any,
    name: str,
) -> Array:
    """A reduction by a function whose operands cannot be grouped otherwise."""
    places = layout.normalize_axes(axis, x.ndim, name)
    if len(places) > 1:
        fault = f"axis is {axis}"
        raise value_error(name, fault, "axis must be one axis, as the function does not commute")
    if where is not True and initial is None:
        fault = "where is given and initial is not"
        raise value_error(
            name, fault, f"initial must be given, as {function.__name__} has no identity"
        )
    x = Array(builder.converted(x._view, _computed_type(function, x._view, dtype, name)))
    if not places:
        return deliver(x, out, name, grows=False)
    (place,) = places
    mask = None
    if where is not True:
        given = mask_of(where, x._view, name)
        assert given is not None
        mask = _along(Array(builder.broadcast(given, x.shape)), place)
    left = x.shape[:place] + x.shape[place + 1 :]
    rows = _along(x, place)
    result: Array | None = None
    if initial is not None:
        first = operand(initial, x._view, name, "initial")
        assert first is not None
        result = Array(builder.broadcast(first, left))
    for row in rows:
        step = row if result is None else function(result, row)
        if mask is not None and result is not None:
            step = Array(choose(next(mask)._view, step._view, result._view))
        result = step
    if result is None:
        raise value_error(name, f"array has shape {x.shape}", "it must have at least one element")
    if keepdims:
        kept = (*x.shape[:place], 1, *x.shape[place + 1 :])
        result = Array(builder.reshaped(result._view, kept))
    return deliver(result, out, name, grows=False)


def _along(x: Array, place: int) -> Iterator[Array]:
    """The parts of an array along an axis."""
    for number in range(x.shape[place]):
        yield getitem(x, (slice(None),) * place + (number,))


# -- slices -----------------------------------------------------------------------------------


def _begins(indices: Any, x: Array, place: int, name: str) -> tuple[Array, bool]:
    """Check where slices along an axis begin; return it as int64, and whether it ascends."""
    begins = as_array(indices, name, "indices", device=x.device)
    if begins.ndim != 1 or (begins._view.dtype.kind not in INTEGER and begins.size):
        fault = f"indices have dtype {begins.dtype} and {begins.ndim} dimensions"
        raise type_error(name, fault, "they must be one-dimensional integers")
    begins = begins.astype("int64")
    extent = x.shape[place]
    if not begins.size:
        return begins, True
    descends = chapter.any(begins[1:] < begins[:-1])
    outside = (begins < 0) | (begins >= extent)
    if not _holds(descends | (begins[0] < 0) | (begins[-1] >= extent)):
        return begins, True
    if _holds(chapter.any(outside)):
        fault = f"the index {int(begins[outside][0])} is out of range"
        accepted = f"the axis has {extent} elements, so it must be in [0, {extent})"
        raise refused(IndexError, name, fault, accepted)
    return begins, False


def _holds(x: Array) -> bool:
    """Read a result on which further work depends; like the count of a mask no hidden transfer."""
    with openly():
        return bool(to_host(x._view))


def _lengths(begins: Host, extent: int) -> Host:
    """How many elements each slice has."""
    lengths: Host = numpy.maximum(numpy.append(begins[1:], extent) - begins, 1)
    return lengths


def _apart(x: Array, place: int, indices: Array, name: str) -> tuple[Array, Array]:
    """The elements of slices that overlap, one slice after the other, and where each begins."""
    begins = numpy.asarray(host_of(indices, name))
    lengths = _lengths(begins, x.shape[place])
    starts = numpy.cumsum(lengths) - lengths
    within = numpy.arange(lengths.sum()) - numpy.repeat(starts, lengths)
    taken = taken_at(x, place, numpy.repeat(begins, lengths) + within)
    return Array(taken), as_array(starts, name, device=x.device)


def _join_slices(function: ufunc, x: Array, place: int, begins: Array) -> Array:
    """The elements of each slice, joined in the order of a scan that begins anew with each."""
    extent, count = x.shape[place], begins.size
    begun = Array(constant(False, dtypes.bool_, (extent,), x.device))
    true = constant(True, dtypes.bool_, (count,), x.device)
    gather.put(begun._view, settled(begun), [(0, begins._view)], 0, true, distinct=True)
    running = _segmented(function, x, begun, place)
    last = Array(constant(extent, dtypes.int64, (1,), x.device))
    ends = functions.maximum(joining.concat([begins[1:], last]) - 1, begins)
    where = settled(running)
    return Array(gather.take(running._view, where, [(place, ends._view)], place))


def _segmented(function: ufunc, x: Array, begins: Array, place: int) -> Array:
    """The scan of an associative function along an axis that begins anew where `begins` is true."""
    row = SCANS.get(function.__name__) or interned(_joining, function._row, "scan")
    dtype = x._view.dtype
    fold = row.fold(row.types(dtype, dtype, dtype))
    lifted = (x.shape[place], *(1,) * (x.ndim - place - 1))
    begun = builder.reshaped(begins._view, (*(1,) * place, *lifted))
    return Array(reduce_scan.segmented(fold, x._view, begun, place))


def _slices_from_left(function: ufunc, x: Array, place: int, indices: Array, name: str) -> Array:
    begins = numpy.asarray(host_of(indices, name))
    lengths = _lengths(begins, x.shape[place])
    result = Array(taken_at(x, place, begins))
    shape = [1] * x.ndim
    shape[place] = len(begins)
    for step in range(1, int(lengths.max(initial=0))):
        within = (lengths > step).reshape(shape)
        mask = as_array(within, "reduceat", device=x.device)
        row = Array(taken_at(x, place, begins + numpy.minimum(step, lengths - 1)))
        result = Array(choose(mask._view, function(result, row)._view, result._view))
    return result


# -- in place ---------------------------------------------------------------------------------


def _change(function: ufunc, a: Array, places: Array, values: Array | None, name: str) -> None:
    """Change the elements of an array at places in C order, each as often as it occurs."""
    if values is not None and (
        change_now(function.__name__, a, places._view, values._view)
        or _add(function, a, places, values)
        or _extreme(function, a, places, values)
    ):
        return
    keys = Array(builder.converted(places._view, radix_sort.key_type(a.size)))
    order = sorting.argsort(keys, stable=True)
    places = taken_from(places, order)
    if values is not None:
        values = taken_from(values, order)
    count = places.size
    edges = Array(constant(True, dtypes.bool_, (count + 1,), places.device))
    edges[1:count] = places[1:] != places[:-1]
    begins = edges[:count]
    joining = function if _is_associative(function) else _JOINED.get(function.__name__)
    wanted = None if values is None or joining is None else _joined_type(function, a, values)
    if values is not None and joining is not None and wanted is not None:
        values = Array(builder.converted(values._view, wanted))
        _store(function, a, places, _segmented(joining, values, begins, 0), edges[1:])
        return
    number = Array(builder.index((count,), places.device))
    zero = constant(0, dtypes.int64, (), places.device)
    ranks = number - functions.maximum.accumulate(Array(choose(begins._view, number._view, zero)))
    for step in range(int(chapter.max(ranks)) + 1):
        (chosen,) = searching.nonzero(ranks == step)
        part = None if values is None else taken_from(values, chosen)
        _store(function, a, taken_from(places, chosen), part)


def _add(function: ufunc, a: Array, places: Array, values: Array) -> bool:
    """Add numbers at places, or subtract them; return whether it did.

    A GPU adds integers in any order. Sums of a place's values are kept for the whole array, if it
    is not much larger than they are many: 2^20 sums in an array of 2^20 take cpu:0 9 ms so, and 118
    sorted.
    """
    name = function.__name__
    wanted = _joined_type(function, a, values) if name in ("add", "subtract") else None
    if wanted is None or wanted.kind == BOOL:
        return False
    if wanted is dtypes.float16:
        wanted = dtypes.float32
    view = a._view
    added = Array(builder.converted(values._view, wanted))
    added = functions.negative(added) if name == "subtract" else added
    if wanted is view.dtype and gather.add_at(view, *_named(a, places), added._view):
        return True
    where = settled(a)
    if a.size <= tuning.DENSE * places.size:
        narrow = dtypes.int32 if a.size < layout.WIDE else dtypes.int64
        where_to = builder.converted(places._view, narrow)
        totals = histograms.sums(where_to, added._view, a.size, inside=True)
        totals = builder.reshaped(totals, a.shape)
        value = builder.converted(functions.add(a, Array(totals))._view, view.dtype)
        assert view.storage is not None
        builder.write(view.storage, where, view.dtype, value)
        return True
    keys = histograms.keys_of(places._view, a.size)
    order = sorting.argsort(Array(keys), stable=True)._view
    pair = histograms.ordered(keys, order, added._view)
    found, totals, chosen = histograms.runs(*pair, a.size)
    _store(functions.add, a, Array(found), Array(totals), Array(chosen))
    return True


def _extreme(function: ufunc, a: Array, places: Array, values: Array) -> bool:
    """Take the larger or the smaller at places in any order on a GPU; return whether it did."""
    name = function.__name__
    if name not in ("maximum", "minimum") or _joined_type(function, a, values) is not a._view.dtype:
        return False
    value = builder.converted(values._view, a._view.dtype)
    return gather.extreme_at(name, a._view, *_named(a, places), value)


def _joined_type(function: ufunc, a: Array, values: Array) -> DType | None:
    """The type in which values for one element are joined; None where each is a step of its own.

    Integers that a step of floats changes are rounded in each step.
    """
    row = function._row
    assert row is not None
    given, added = a._view, values._view
    known = row.operations[given.device.no_float64].get((given.dtype, added.dtype))
    operation = known or row._resolve((given, added))
    if not numpy.can_cast(operation.result.numpy, a._view.dtype.numpy, "same_kind"):
        return None
    return dtypes.bool_ if row.takes_truths else operation.operands[1]


def _store(
    function: ufunc, a: Array, places: Array, values: Array | None, chosen: Array | None = None
) -> None:
    """Change elements at places, at those `chosen` if there are such, which differ."""
    where, arrays = _named(a, places)
    given = Array(gather.take(a._view, where, arrays, 0))
    result = function(given) if values is None else function(given, values)
    value = builder.converted(result._view, a._view.dtype)
    only = None if chosen is None else chosen._view
    gather.put(a._view, where, arrays, 0, value, distinct=True, chosen=only)


def _named(a: Array, places: Array) -> tuple[layout.Layout, list[tuple[int, View]]]:
    """The layout of an array, and the indices along each axis of elements at places in C order."""
    where = settled(a)
    if not where.shape:
        where = layout.Layout((1,), (1,), where.offset)
    arrays = []
    strides = layout.contiguous_strides(where.shape)
    for axis, (extent, stride) in enumerate(zip(where.shape, strides, strict=True)):
        along = places // stride % extent if len(where.shape) > 1 else places
        arrays.append((axis, along._view))
    return where, arrays


def _flat(view: View) -> Array:
    return Array(builder.reshaped(view, (math.prod(view.shape),)))
