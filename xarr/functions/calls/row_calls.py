"""How the functions that are made from rows take their arguments."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy

from xarr import dtypes, layout
from xarr.array import operators as core, other_operands
from xarr.array.array import Array, made, product
from xarr.array.coerce import (
    SCALARS,
    array_of,
    array_of_number,
    as_array,
    numbers,
    operand,
    warn_of_imaginary,
)
from xarr.array.other_operands import refusal
from xarr.array.out_argument import deliver, mask_of, require_copyable, single
from xarr.array.row_function import folded, known_fold
from xarr.array.selected import Selected
from xarr.backends.device import Device, default_float, require_on
from xarr.dtypes import BOOL, COMPLEX, KIND_WORDS, UNSIGNED, DType
from xarr.errors import difference, operand_of, type_error, value_error
from xarr.ir.instructions import opcode_of
from xarr.ir.memo import remembered
from xarr.ir.views import View, constant, contiguous
from xarr.layout import Shape
from xarr.ops import reduce_scan
from xarr.ops.reductions import INDEX
from xarr.ops.rows import FORMS, Elementwise, Reduction, Types, choose
from xarr.tape import builder


def unary(row: Elementwise, x: Any) -> Array:
    """Apply a row to one array, or to what can be made one."""
    known: Array | None = core.applied(row.known, array_of_number(x) if type(x) is float else x)
    if known is not None:
        return known
    if type(x) is Selected:
        return x.applied(functools.partial(unary, row), x)  # type: ignore[return-value]
    return Array(row.applied(x._view if type(x) is Array else _array_beside(row, "x", x)._view))


def binary(row: Elementwise, x1: Any, x2: Any) -> Array:
    """Apply a row to two operands; where neither is an array, the first is made one."""
    if type(x1) is float and type(x2) is float:  # np.hypot of numbers takes 3 us so, and 8 below
        x1 = array_of_number(x1)
    known: Array | None = core.combined(row.known, x1, x2)
    if known is not None:
        return known
    if type(x1) is Selected or type(x2) is Selected:
        selected: Selected = x1 if type(x1) is Selected else x2
        return selected.applied(functools.partial(binary, row), x1, x2)  # type: ignore[return-value]
    if type(x1) is not Array and type(x2) is not Array:
        if type(x1) in SCALARS and type(x2) not in SCALARS:
            x2 = _array_beside(row, "x2", x2)
        else:
            x1 = _array_beside(row, "x1", x1)
    result = other_operands.combined(row, x1, x2)
    if result is None:
        result_unlike = other_operands.compare_unrelated(row, x1, x2)
        if result_unlike is not None:
            return result_unlike
        # What only functions take: other libraries' arrays, and what NumPy makes arrays of.
        if type(x1) is Array:
            x2 = _array_beside(row, "x2", x2, x1.device)
        else:
            x1 = _array_beside(row, "x1", x1, x2.device)
        return other_operands.binary(row, x1, x2)
    return Array(result)


def _array_beside(
    row: Elementwise, name: str, value: object, device: Device | None = None
) -> Array:
    """An operand with no array beside it, as an array."""
    if value is None or isinstance(value, str | bytes):
        raise refusal(row, name, value)
    if device is None:
        return array_of(value, row.where, name)
    return as_array(value, row.where, name, device=device)


def reduced(
    row: Reduction,
    view: View,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    out: Any = None,
    initial: Any = None,
    mask: Any = True,
    *,
    correction: float = 0.0,
    where: str = "",
) -> Array:
    """Reduce a view by a row of the table, for the row's function or one that `where` names.

    `mask` is NumPy's `where`: elements where it is false are taken as what changes nothing, in the
    launch that reduces them.
    """
    name = None
    if dtype is None and out is None and initial is None and mask is True and view.value is None:
        known: Array | None = known_fold(row.transitions, view, axis, keepdims, correction)
        if known is None:
            name = _key_of(view, axis, keepdims, correction)
            known = _like_others(row, view, name)
        if known is not None:
            return known
    _require_truth(keepdims, where or f"{row.name}(a, axis, keepdims)")
    given = view
    target = None if out is None else single(out, where or f"{row.name}(a, axis, out)")
    if target is not None and dtype is None:
        dtype = _of_target(row, view, target)
    along = where or f"{row.name}(a, axis)"
    types = _types(row, view, dtype, where)
    if mask is not True:
        if row.empty is None and initial is None:
            fault = "where is given and initial is not"
            accepted = "initial must be given, as there may be no elements"
            remedy = "pass initial, which stands where all elements are masked"
            raise value_error(along, fault, accepted, remedy)
        view = _masked(row, view, mask, along)
    shape = view.shape
    axes = _axes(row, axis, len(shape), along)
    opcode = None
    length = product(tuple(shape[place] for place in axes))
    left = tuple(extent for place, extent in enumerate(shape) if place not in axes)
    if length == 0 or product(left) == 0:
        if length == 0 and row.empty is None and initial is None:
            empty = "it" if axis is None else f"axis {axis}"
            fault = f"{operand_of(along)} has shape {shape}, so {empty} has no elements"
            accepted = "there must be at least one"
            remedy = f"check {operand_of(along)}.size first"
            raise value_error(where or f"{row.name}(a)", fault, accepted, remedy)
        final = constant(_empty(row, types.result), types.result, left, view.device)
        if initial is not None and length == 0:
            final = builder.broadcast(first_of(final, initial, along), left)
            initial = None
    else:
        over = axes
        if not axes:  # each element is a reduction of its own: over an axis of one element
            view = builder.reshaped(view, (1, *shape))
            over = (0,)
        divisor = length - correction if length > correction else math.nan
        opcode, inputs = reduce_scan.reduction(row.fold(types), view, over, divisor)
        final = builder.computed(opcode, inputs)
    if initial is not None:
        assert isinstance(row.combine, Elementwise)
        final = row.combine.combined(first_of(final, initial, along), final, along)
    if keepdims:
        kept = tuple(1 if place in axes else extent for place, extent in enumerate(shape))
        final = builder.reshaped(final, kept)
    if name is not None and opcode is not None and opcode.nbytes and given is inputs[0]:
        _remember(row, name, (opcode, inputs[1:], final.structure))
        how = view.structure
        if axes and over is axes and how.is_linear:
            plan = how.dtype, how.device, len(shape), *name[1:]
            _remember(row, plan, (opcode.operation, axes, types))
    return sent(final, target, along)


def _require_truth(keepdims: Any, where: str) -> None:
    if not isinstance(keepdims, int | numpy.integer | numpy.bool_):
        raise type_error(where, f"keepdims is {keepdims!r}", "keepdims must be True or False")


def _like_others(row: Reduction, view: View, name: Any) -> Array | None:
    """Record the reduction of a new shape, where one of as many axes was reduced so."""
    if name is None:
        return None
    how = view.structure
    shape: Shape = how.shape
    plan = row.transitions.get((how.dtype, how.device, len(shape), *name[1:]))
    if plan is None or not (how.is_linear and how.size):
        return None
    operation, axes, types = plan
    _, _, keepdims, correction = name
    left = tuple([extent for place, extent in enumerate(shape) if place not in axes])
    numbers: tuple[View, ...] = ()
    divisor = row.fold(types).divisor
    if divisor is not None:
        length = how.size // product(left)
        value = length - correction if length > correction else math.nan
        numbers = (constant(value, divisor, (), how.device),)
    structures = (how, *[number.structure for number in numbers])
    opcode = opcode_of(operation, structures, shape, None, left)
    if keepdims:
        left = tuple([1 if place in axes else extent for place, extent in enumerate(shape)])
    found = opcode, numbers, contiguous(how.device, opcode.target.dtype, left)
    if how.is_met():
        _remember(row, name, found)
    return folded(view, found)  # type: ignore[no-any-return]


def _remember(row: Reduction, key: Any, found: tuple[Any, ...]) -> None:
    remembered(row.transitions, key, found)


def _axes(row: Reduction, axis: Any, ndim: int, where: str) -> tuple[int, ...]:
    """The axes that a reduction goes along; NumPy takes one number for a line, and no list."""
    if not ndim and type(axis) is int and axis in (0, -1):
        axis = None
    if (row.ordered and axis is not None) or type(axis) is list:
        return (layout.normalize_axis(axis, ndim, where),)
    return layout.normalize_axes(axis, ndim, where)


def _key_of(view: View, axis: Any, keepdims: Any, correction: Any) -> Any:
    """The key of a reduction among the row's remembered ones; None where arguments need checks."""
    if axis is not None and type(axis) is not int:
        return None
    if type(keepdims) is not bool or type(correction) is not float:
        return None
    return view.structure, axis, keepdims, correction


def sent(result: View, target: Array | None, where: str) -> Array:
    """A result, or the array that it was written to, converted as NumPy does: in any case."""
    array: Array = made(result) if target is None else Array(result)
    return deliver(array, target, where, casting="unsafe", grows=False)


def _of_target(row: Reduction, view: View, target: Array) -> Any:
    """The type of the accumulator where `out` alone gives one, as in NumPy."""
    wanted, given = target._view.dtype, view.dtype
    if row.result is INDEX:
        require_copyable(wanted, dtypes.int64, f"{row.name}(a, axis, out)")
    if "dtype" not in FORMS[row.form] or row.finish != "acc" or wanted.kind == BOOL:
        return None
    fits = numpy.can_cast(given.numpy, wanted.numpy, "same_kind")
    return wanted if fits else None


def _masked(row: Reduction, view: View, mask: Any, where: str) -> View:
    """The elements where a mask holds, and the neutral element elsewhere."""
    chosen = mask_of(mask, view, where)
    if chosen is None:
        return view
    shape = layout.broadcast_shapes(chosen.shape, view.shape, where=where)
    if shape != view.shape:
        view = builder.broadcast(view, shape)
    if row.empty is None:
        return choose(chosen, view, _neutral(row, view.dtype, (), view.device))
    zero = constant(_empty(row, view.dtype), view.dtype, (), view.device)
    return choose(chosen, view, zero)


def _neutral(row: Reduction, dtype: DType, shape: Shape, device: Device) -> View:
    """The neutral element of a maximum or a minimum."""
    assert isinstance(row.combine, Elementwise)
    largest = row.combine.name in ("maximum", "fmax")
    value: complex
    if dtype.kind in dtypes.INTEGER:
        value = dtypes.integer_bounds(dtype)[0 if largest else 1]
    elif dtype.kind == BOOL:
        value = not largest
    else:
        value = -math.inf if largest else math.inf
        value = complex(value, value) if dtype.kind == COMPLEX else value
    return constant(value, dtype, shape, device)


def first_of(final: View, initial: Any, where: str) -> View:
    """Convert an initial value to the type of the result, in which a number has to fit."""
    if type(initial) is not Array and isinstance(initial, int | float | complex | numpy.generic):
        given = initial.item() if isinstance(initial, numpy.generic) else initial
        value = numbers(given, final.dtype, where, "initial").item()
        return constant(value, final.dtype, (), final.device)
    first = operand(initial, final, where, "initial")
    if first is None:
        fault = f"initial is of type {type(initial).__name__}"
        raise type_error(where, fault, "initial must be a number")
    if first.shape:
        raise value_error(where, f"initial has shape {first.shape}", "initial must be a number")
    if first.dtype.kind == COMPLEX != final.dtype.kind:
        fault = f"initial is {initial!r} and the result has dtype {final.dtype}"
        raise type_error(where, fault, "initial must be a real number", difference("np-initial"))
    return builder.converted(first, final.dtype)


def _empty(row: Reduction, result: DType) -> Any:
    """The result of no elements, as `result` has it."""
    if row.empty == -1 and result.kind == UNSIGNED:
        return dtypes.integer_bounds(result)[1]  # all bits
    return result.numpy.type(0 if row.empty is None else row.empty).item()


def _types(row: Reduction, view: View, dtype: Any, where: str) -> Types:
    """The types of elements, accumulators and the result; `dtype` is the caller's argument."""
    given = view.dtype
    if given.kind not in row.kinds:
        where = where or f"{row.name}({row.operand})"
        name = operand_of(where)
        fault = f"{name} has dtype {given}"
        accepted = f"its dtype must be {KIND_WORDS[row.kinds]}"
        remedy = f'convert with {name}.astype("float32")' if given.kind == COMPLEX else ""
        raise type_error(where, fault, accepted, remedy)
    default = default_float(view.device)
    wanted = None
    if dtype is not None:
        where = where or f"{row.name}({row.operand}, dtype)"
        wanted = dtypes.lookup(dtype, where)
        require_on(view.device, wanted, where)
        if isinstance(row.combine, Elementwise) and wanted.kind not in row.combine.kinds:
            fault = f"dtype is {wanted}"
            accepted = f"it must be {KIND_WORDS[row.combine.kinds]}"
            remedy = "use any for a sum of truths, and all for a product"
            raise type_error(where, fault, accepted, remedy)
    types = row.types(given, default, wanted)
    if wanted is not None:
        warn_of_imaginary(given, types.taken, where, operand_of(where))
    return types


def scanned(
    row: Reduction, view: View, axis: Any, dtype: Any, grows: bool, out: Any = None, where: str = ""
) -> Array:
    """Run a row of the table along one axis, for the row's function or one that `where` names.

    A result that grows begins with the value of no elements.
    """
    name = None
    if dtype is None and out is None and view.value is None and view.shape:
        known: Array | None = known_fold(row.transitions, view, axis, grows, 0.0)
        if known is not None:
            return known
        name = _key_of(view, axis, grows, 0.0)
    along = where or f"{row.name}(x, axis)"
    if not view.shape and (axis is None or axis in (0, -1)):
        view = builder.reshaped(view, (1,))
    if axis is None:
        if len(view.shape) != 1:
            fault = f"{operand_of(along)} has {len(view.shape)} dimensions and axis is None"
            accepted = f"without axis {operand_of(along)} must be one-dimensional"
            raise value_error(along, fault, accepted, "name the axis")
        axis = 0
    place = layout.normalize_axis(axis, len(view.shape), along)
    target = None if out is None else single(out, along)
    if target is not None and dtype is None:
        dtype = _of_target(row, view, target)
    types = _types(row, view, dtype, where)
    shift = int(bool(grows))
    shape = view.shape
    full = (*shape[:place], shape[place] + shift, *shape[place + 1 :])
    if math.prod(shape) == 0:
        final = constant(_empty(row, types.result), types.result, full, view.device)
    else:
        opcode = reduce_scan.scanning(row.fold(types), view, place, shift)
        final = builder.computed(opcode, (view,))
        if name is not None and not shift:
            _remember(row, name, (opcode, (), final.structure))
    if shift and final.storage is not None:
        assert final.layout is not None
        start = layout.Layout(
            (*full[:place], 1, *full[place + 1 :]), final.layout.strides, final.layout.offset
        )
        identity = constant(_empty(row, types.result), types.result, start.shape, view.device)
        builder.write(final.storage, start, types.result, identity)
    return sent(final, target, along)
