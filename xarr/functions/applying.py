"""How the functions that are made from rows take their arguments."""

from __future__ import annotations

import math
from typing import Any

import numpy

from xarr import dtypes, errors, layout
from xarr.algorithms import passes
from xarr.array import array
from xarr.array.array import Array, accepts, product, refusal
from xarr.array.door import lone
from xarr.backends.device import default_float, require_on
from xarr.dtypes import COMPLEX, KIND_WORDS, DType
from xarr.engine import engine
from xarr.engine.expression import Node, constant
from xarr.tables.rows import Elementwise, Reduction, Types


def unary(row: Elementwise, x: Any) -> Array:
    """Apply a row to one array, or to what can be made one."""
    return Array(row.applied(x._node if type(x) is Array else _made(row, "x", x)._node))


def binary(row: Elementwise, x1: Any, x2: Any) -> Array:
    """Apply a row to two operands; where neither is an array, the first is made one."""
    if type(x1) is not Array and type(x2) is not Array:
        x1 = _made(row, "x1", x1)
    return array.binary(row, x1, x2)


def _made(row: Elementwise, name: str, value: object) -> Array:
    """An operand with no array beside it, as an array of the default device."""
    if not accepts(value):
        raise refusal(row, name, value)
    return lone(value, row.where, name)


def reduced(
    row: Reduction,
    node: Node,
    axis: Any = None,
    *,
    keepdims: bool = False,
    dtype: Any = None,
    correction: float = 0.0,
    where: str = "",
) -> Array:
    """Reduce a node by a row of the table, for the row's function or one that `where` names."""
    if not isinstance(correction, int | float | numpy.integer | numpy.floating):
        raise TypeError(
            errors.message(
                f"{row.name}(x, axis, correction)",
                f"correction is {correction!r}",
                "a real number is accepted",
            )
        )
    types = _types(row, node, dtype, where)
    along = where or f"{row.name}(x, axis)"
    shape = node.shape
    if row.ordered and axis is not None:
        axes: tuple[int, ...] = (layout.normalize_axis(axis, len(shape), along),)
    else:
        axes = layout.normalize_axes(axis, len(shape), along)
    length = product(tuple(shape[place] for place in axes))
    left = tuple(extent for place, extent in enumerate(shape) if place not in axes)
    if length == 0 or product(left) == 0:
        if length == 0 and row.empty is None:
            raise ValueError(
                errors.message(
                    where or f"{row.name}(x)",
                    f"x has shape {shape}, so axis {axis} has no elements",
                    f"{row.name} of no elements does not exist",
                    "check x.size first",
                )
            )
        final = constant(_empty(row, types.result), types.result, left, node.device)
    else:
        over = axes
        if not axes:  # each element is a reduction of its own: over an axis of one element
            node = engine.reshaped(node, (1, *shape))
            over = (0,)
        divisor = length - correction if length > correction else math.nan
        final = passes.reduce(row.fold(types), node, over, divisor)
    if keepdims:
        kept = tuple(1 if place in axes else extent for place, extent in enumerate(shape))
        final = engine.reshaped(final, kept)
    return Array(final)


def _empty(row: Reduction, result: DType) -> Any:
    """The result of no elements, as `result` has it."""
    return result.numpy.type(0 if row.empty is None else row.empty).item()


def _types(row: Reduction, node: Node, dtype: Any, where: str) -> Types:
    """The types on the way; `dtype` is the caller's wish."""
    given = node.dtype
    if given.kind not in row.kinds:
        where = where or f"{row.name}(x)"
        raise TypeError(
            errors.message(
                where,
                f"x has dtype {given}",
                f"{where.partition('(')[0]} takes {KIND_WORDS[row.kinds]} dtypes",
                'convert with x.astype("float32")' if given.kind == COMPLEX else "",
            )
        )
    default = default_float(node.device)
    wanted = None
    if dtype is not None:
        where = where or f"{row.name}(x, dtype)"
        wanted = dtypes.lookup(dtype, where)
        require_on(node.device, wanted, where)
        if isinstance(row.combine, Elementwise) and wanted.kind not in row.combine.kinds:
            raise TypeError(
                errors.message(
                    where,
                    f"dtype is {wanted}",
                    f"{KIND_WORDS[row.combine.kinds]} dtypes are accepted",
                    "use any for a sum of truths, and all for a product",
                )
            )
    return row.types(given, default, wanted)


def scanned(
    row: Reduction, node: Node, axis: Any, dtype: Any, include_initial: bool, where: str = ""
) -> Array:
    """Run a row of the table along one axis, for the row's function or one that `where` names."""
    along = where or f"{row.name}(x, axis)"
    if axis is None:
        if len(node.shape) != 1:
            raise ValueError(
                errors.message(
                    along,
                    f"x has {len(node.shape)} dimensions and axis is None",
                    "without axis a one-dimensional array is accepted",
                    "name the axis",
                )
            )
        axis = 0
    place = layout.normalize_axis(axis, len(node.shape), along)
    types = _types(row, node, dtype, where)
    shift = int(bool(include_initial))
    shape = node.shape
    full = (*shape[:place], shape[place] + shift, *shape[place + 1 :])
    if math.prod(shape) == 0:
        return Array(constant(_empty(row, types.result), types.result, full, node.device))
    final = passes.scan(row.fold(types), node, place, shift)
    if shift:
        assert final.storage is not None
        assert final.layout is not None
        start = layout.Layout(
            (*full[:place], 1, *full[place + 1 :]), final.layout.strides, final.layout.offset
        )
        identity = constant(_empty(row, types.result), types.result, start.shape, node.device)
        engine.write(final.storage, start, types.result, identity)
    return Array(final)
