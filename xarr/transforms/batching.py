"""How each class of operation is recorded for a whole batch, whose axis is the first one.

A rule is given the operation, its operands, the space that it was recorded over and the shape of
its result for one example. A batched operand's view has the batch as its first axis. Operands
without one are the same for all examples.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy

from xarr import layout
from xarr.array.array import Array
from xarr.codegen.expressions import GatherScatter, Roll, rolled
from xarr.functions.index import searching
from xarr.functions.linalg import linalg
from xarr.functions.shape import joining
from xarr.functions.signal import fourier
from xarr.functions.sort import sorting
from xarr.ir.instructions import opcode_of
from xarr.ir.operation import Operation, interned
from xarr.ir.views import Structure, View, contiguous, storage_view
from xarr.layout import Layout, Shape
from xarr.lowering import fft
from xarr.lowering.operations import FourierOp, OpaqueOp, ReduceOp, RoutineOp, ScanOp, TemplateOp
from xarr.ops import histogram, radix_sort, vendor
from xarr.tape import builder


class Operand(NamedTuple):
    """A view, and whether its first axis is the batch."""

    view: View
    is_batched: bool


Rule = Callable[[Any, Sequence[Operand], Shape, Shape, int], View]


def batched(
    operation: Operation, operands: Sequence[Operand], space: Shape, shape: Shape, count: int
) -> View:
    """Record an operation for all examples; return the view of the results, shape (count, ...)."""
    rule = _RULES.get(type(operation), _one_by_one)
    return rule(operation, operands, space, shape, count)


def spread(operand: Operand, ndim: int) -> View:
    """Return an operand's view with axes of one element behind the batch, up to `ndim` others."""
    view = operand.view
    missing = ndim + 1 - len(view.shape)
    if not operand.is_batched or not missing:
        return view
    where = view.layout
    assert where is not None
    assert view.storage is not None
    shape = (where.shape[0], *(1,) * missing, *where.shape[1:])
    strides = (where.strides[0], *(0,) * missing, *where.strides[1:])
    return storage_view(view.storage, Layout(shape, strides, where.offset), view.dtype)


def repeated(view: View, count: int) -> View:
    """Return a view of the same elements for each example, without a copy of them."""
    if view.value is not None:
        builder.materialise(view)
    where = view.layout
    assert where is not None
    assert view.storage is not None
    lies = Layout((count, *where.shape), (0, *where.strides), where.offset)
    return storage_view(view.storage, lies, view.dtype)


def scattered(
    operation: GatherScatter, operands: Sequence[Operand], space: Shape, count: int
) -> None:
    """Record a scatter for all examples; its first operand is batched."""
    views = tuple([spread(operand, len(space)) for operand in operands])
    builder.scatter(operation, views, (count, *space))


def _recorded(operation: Operation, views: Sequence[View], space: Shape, shape: Shape) -> View:
    structures = tuple([view.structure for view in views])
    return builder.computed(opcode_of(operation, structures, space, fresh=shape), tuple(views))


def _elementwise(
    operation: Operation, operands: Sequence[Operand], space: Shape, shape: Shape, count: int
) -> View:
    views = [spread(operand, len(space)) for operand in operands]
    return _recorded(operation, views, (count, *space), (count, *shape))


def _gather(
    operation: GatherScatter, operands: Sequence[Operand], space: Shape, shape: Shape, count: int
) -> View:
    """The memory's view has the whole shape, of which strides say where each walk begins."""
    memory, *rest = operands
    spaced = Operand(_for_each(memory, count), True)
    return _elementwise(operation, [spaced, *rest], space, shape, count)


def _roll(
    operation: Roll, operands: Sequence[Operand], space: Shape, shape: Shape, count: int
) -> View:
    moved = interned(rolled, operation.result, (0, *operation.shifts))
    return _elementwise(moved, operands, space, shape, count)


def _reduction(
    operation: ReduceOp, operands: Sequence[Operand], space: Shape, shape: Shape, count: int
) -> View:
    axes = tuple([axis + 1 for axis in operation.axes])
    return _template(interned(ReduceOp, operation.fold, axes), operands, shape, count)


def _scan(
    operation: ScanOp, operands: Sequence[Operand], space: Shape, shape: Shape, count: int
) -> View:
    further = interned(ScanOp, operation.fold, operation.axis + 1, operation.shift)
    first, *begins = operands
    whole = first if first.is_batched else Operand(repeated(first.view, count), True)
    return _template(further, [whole, *begins], shape, count)


def _transform(
    operation: FourierOp, operands: Sequence[Operand], space: Shape, shape: Shape, count: int
) -> View:
    facts = operation.name, operation.given, operation.axis + 1, operation.is_odd
    further = interned(FourierOp, *facts, False)
    if count * math.prod(space) * fft.MOST >= layout.WIDE and fft.is_wide(further, (count, *space)):
        further = interned(FourierOp, *facts, True)
    return _template(further, operands, shape, count)


def _template(operation: TemplateOp, operands: Sequence[Operand], shape: Shape, count: int) -> View:
    views = tuple([operand.view for operand in operands])
    return builder.recorded(operation, views, (count, *shape))


def _opaque(
    operation: OpaqueOp, operands: Sequence[Operand], space: Shape, shape: Shape, count: int
) -> View:
    """Products take stacks of matrices, and sorts all lines along the last axis."""
    if operation.name == "matmul":
        return _elementwise(operation, operands, space, shape, count)
    if operation.name in ("sort", "argsort"):
        view = radix_sort.linear(operands[0].view)
        return _recorded(operation, [view], (count, *space), (count, *shape))
    return _one_by_one(operation, operands, space, shape, count)


def _routine(
    operation: RoutineOp, operands: Sequence[Operand], space: Shape, shape: Shape, count: int
) -> View:
    """Call the function that recorded the work again; NumPy's others for each example."""
    if operation.name == "matmul":
        views = [spread(operand, len(space)) for operand in operands]
        takes = getattr(operation.function, "takes", None)
        if operation.host is None and takes is not None:
            views = [_taken(view, takes) for view in views]
        return _recorded(operation, views, (count, *space), (count, *shape))
    arrays = [Array(operand.view) for operand in operands]
    options = operation.parameters
    if operation.name == "sort":
        return sorting.sort(arrays[0], axis=options[0] + 1, descending=options[1])._view
    if operation.host is None:
        return _one_by_one(operation, operands, space, shape, count)
    if operation.name == "argsort":
        axis, stable, descending = options
        return sorting.argsort(arrays[0], axis=axis + 1, stable=stable, descending=descending)._view
    if operation.name == "searchsorted" and not operands[0].is_batched:
        return sorting.searchsorted(arrays[0], arrays[1], side=options[0])._view
    if operation.name == "concat":
        parts = [Array(_for_each(operand, count)) for operand in operands]
        return joining.concat(parts, axis=options[0] + 1)._view
    are_batched = tuple([operand.is_batched for operand in operands])
    work = functools.partial(_each, operation.host, are_batched)
    views = [operand.view for operand in operands]
    named = operation, are_batched
    whole = (count, *shape)
    found = vendor.deferred(operation.name, named, work, views, whole, operation.result)
    if found is None:  # while a graph is recorded
        return _one_by_one(operation, operands, space, shape, count)
    return found


def _for_each(operand: Operand, count: int) -> View:
    """Return an operand's view with the batch as its first axis."""
    return operand.view if operand.is_batched else repeated(operand.view, count)


def _taken(view: View, takes: Callable[[Shape, tuple[int, ...]], bool]) -> View:
    """Return the view, or a copy where a library does not take its layout."""
    assert view.layout is not None
    return view if takes(view.shape, view.layout.strides) else builder.copied(view)


def _each(function: Callable[..., Any], are_batched: tuple[bool, ...], *arrays: Any) -> Any:
    """Call a function of NumPy for each example; return its results in one array."""
    given = list(zip(arrays, are_batched, strict=True))
    count = next(len(array) for array, each in given if each)
    return numpy.stack(
        [function(*[array[at] if each else array for array, each in given]) for at in range(count)]
    )


def _one_by_one(
    operation: Operation, operands: Sequence[Operand], space: Shape, shape: Shape, count: int
) -> View:
    """Record an operation that has no rule once for each example, and copy its results together."""
    device = operands[0].view.device
    whole = contiguous(device, operation.result, (count, *shape))
    nbytes = math.prod(shape) * operation.result.itemsize
    storage = builder.blank((count, *shape), operation.result, device)
    for number in range(count):
        views = [
            at_number(operand.view, number) if operand.is_batched else operand.view
            for operand in operands
        ]
        if type(operation) is OpaqueOp:  # its operands begin where their storage does
            views = [radix_sort.linear(one) if one.value is None else one for one in views]
        one = _recorded(operation, views, space, shape)
        row = at_number(View(storage, whole, 0), number)
        assert row.layout is not None
        if nbytes:
            builder.write(storage, row.layout, row.dtype, one)
    return View(storage, whole, 0)


def at_number(view: View, number: int) -> View:
    """Return the view of one example of a batched view."""
    where = view.layout
    assert where is not None
    assert view.storage is not None
    lies = Layout(where.shape[1:], where.strides[1:], where.offset + number * where.strides[0])
    return storage_view(view.storage, lies, view.dtype)


# -- functions as a whole ---------------------------------------------------------------------


def whole(
    name: str,
    options: Mapping[str, Any],
    operands: Sequence[Operand],
    results: Sequence[Structure],
    count: int,
) -> list[View]:
    """Compute a function for all examples; `results` are those of one. See `recorders.whole`."""
    if name == "fft":
        axes = [axis if axis < 0 else axis + 1 for axis in options["axes"]]
        given = Array(operands[0].view)
        made = fourier.apply(options["row"], given, options["sizes"], axes, options["norm"])
        return [made._view]
    if name == "sums":
        places, values = operands
        return [_sums(options["number"], places, values, count)]
    if name == "linalg.solve" and len(operands[1].view.shape) - operands[1].is_batched == 1:
        matrix, vector = operands
        column = builder.reshaped(vector.view, (*vector.view.shape, 1))
        operands = [matrix, Operand(column, vector.is_batched)]
        results = [contiguous(how.device, how.dtype, (*how.shape, 1)) for how in results]
    ndim = max(len(operand.view.shape) - operand.is_batched for operand in operands)
    views = [spread(operand, ndim) for operand in operands]
    wanted = [((count, *how.shape), how.dtype) for how in results]
    function = name.partition(".")[2]
    return [array._view for array in linalg._by_library(name, function, views, *wanted, **options)]


def _sums(number: int, places: Operand, values: Operand, count: int) -> View:
    """Sum at places of all examples at once: each has `number` places of its own."""
    given = Array(_for_each(places, count))
    first = Array(builder.index((count, 1), given.device)) * number
    apart = searching.where((given >= 0) & (given < number), given + first, -1)
    flat = (math.prod(given.shape),)
    added = builder.reshaped(_for_each(values, count), flat)
    found = histogram.sums(builder.reshaped(apart._view, flat), added, count * number)
    return builder.reshaped(found, (count, number))


def is_batched_whole(name: str) -> bool:
    """Return whether a function that recorders may take as a whole has a rule here."""
    return name in ("fft", "sums") or name.startswith("linalg.")


_RULES: Final[dict[type[Operation], Rule]] = {
    Operation: _elementwise,
    GatherScatter: _gather,
    Roll: _roll,
    ReduceOp: _reduction,
    ScanOp: _scan,
    FourierOp: _transform,
    OpaqueOp: _opaque,
    RoutineOp: _routine,
}
