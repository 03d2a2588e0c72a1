"""The table of reductions and scans.

A row says what is accumulated: the type, how an element begins or joins an accumulator, how two
accumulators combine, and how the last one becomes the result. `passes` runs it; the public
functions with their signatures and docstrings, the methods of Array, the tests and the
documentation's table come from the row.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy

from xarr import dtypes, errors, layout
from xarr.algorithms import passes
from xarr.algorithms.passes import Fold
from xarr.array.array import (
    FUNCTIONS,
    Array,
    attach,
    default_float,
    lone,
    no_array,
    product,
    require_on,
)
from xarr.dtypes import (
    ANY,
    BOOL,
    COMPLEX,
    FLOATING,
    INTEGER,
    KIND_WORDS,
    NUMERIC,
    REAL_NUMERIC,
    SIGNED,
    DType,
)
from xarr.engine import engine
from xarr.engine.expression import Node, constant
from xarr.tables import elementwise

REAL_OR_BOOL: Final = (BOOL, *REAL_NUMERIC)


def _own(row: DType, default: DType) -> DType:
    return row


def _widest(row: DType, default: DType) -> DType:
    """64-bit integers for integers and bool, so that sums do not overflow early."""
    if row.kind in INTEGER or row.kind == BOOL:
        return dtypes.int64 if row.kind in (BOOL, SIGNED) else dtypes.uint64
    return row


def _floating(row: DType, default: DType) -> DType:
    return row if row.kind in FLOATING else default


def _truth(row: DType, default: DType) -> DType:
    return dtypes.bool_


def _index(row: DType, default: DType) -> DType:
    return dtypes.int64


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """A function that reduces axes, or runs along one.

    Parameters
    ----------
    name, kinds, about : str, tuple of str, str
        The standard's name, the kinds of data type it takes, the first line of its docstring.
    value : function of (dtype of x, default float) to dtype
        What elements are converted to before they are accumulated.
    result : function of (that dtype, default float) to dtype
        The type of the result.
    structure : str
        The structure in `kernels/reductions.h` that is the accumulator; "" for a plain value.
    combine : str
        The elementwise function, or the function on structures, that joins two accumulators.
    first, step, close : str
        C expressions for structures; "" for the plain element, the combination, and nothing.
    finish : str
        The C expression that makes the result of the last accumulator.
    empty : value or None
        The result of no elements; None where that is an error.
    counts_truth : bool
        Whether elements are reduced to whether they are nonzero before they are converted.
    """

    name: str
    kinds: tuple[str, ...]
    about: str
    value: Callable[[DType, DType], DType]
    combine: str
    result: Callable[[DType, DType], DType] = _own
    structure: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    running: tuple[str, ...] = ()
    first: str = ""
    step: str = ""
    close: str = ""
    finish: str = "acc"
    empty: Any = None
    counts_truth: bool = False
    ordered: bool = False
    ulp: float = 0.0

    def fold(self, value: DType, result: DType) -> Fold:
        """The accumulation for elements of type `value`."""
        return _fold(self, value, result)


@functools.cache
def _fold(row: Reduction, value: DType, result: DType) -> Fold:
    kind = value.compute
    if not row.structure:
        operation = elementwise.BY_NAME[row.combine].operation(value, 2)
        combine = operation.template.format("acc1", "acc2")
        return Fold(
            name=row.name,
            value=value,
            accumulator=kind,
            nbytes=4 if value is dtypes.float16 else value.itemsize,
            result=result,
            first="x",
            step=operation.template.format("acc", "x"),
            combine=combine,
            close="",
            finish=_typed(row.finish, value),
            divisor=dtypes.PART.get(value, value) if "divisor" in row.finish else None,
        )
    fields = tuple((name, of.replace("T", kind)) for name, of in row.fields)
    nbytes = 16 if row.ordered else 3 * (4 if value is dtypes.float16 else value.itemsize)
    return Fold(
        name=row.name,
        value=value,
        accumulator=f"{row.structure}_{kind}",
        nbytes=nbytes,
        result=result,
        first=_typed(row.first, value),
        step=_typed(row.step, value),
        combine=_typed(f"{row.combine}(acc1, acc2)", value),
        close=_typed(row.close, value),
        finish=_typed(row.finish, value),
        fields=fields,
        running=row.running,
        divisor=value if "divisor" in row.finish else None,
        ordered=row.ordered,
    )


def _typed(expression: str, value: DType) -> str:
    """An expression with its functions and casts for a type."""
    named = elementwise.FUNCTION.sub(lambda match: f"xr_{match[1]}_{value.compute}(", expression)
    return named.replace("(T)", f"({value.compute})")


def _moments(name: str, about: str, finish: str) -> Reduction:
    return Reduction(
        name,
        REAL_OR_BOOL,
        about,
        value=_floating,
        structure="xr_moments",
        fields=(("mean", "T"), ("m2", "T"), ("count", "T")),
        running=("mean", "m2"),
        first="xr_moments_first(x)",
        step="xr_moments_step(acc, x, (T)(seen))",
        close="(acc).count = (T)(seen);",
        combine="xr_moments_combine",
        finish=finish,
        empty=math.nan,
        ulp=8,
    )


def _extreme_index(name: str, about: str) -> Reduction:
    return Reduction(
        name,
        REAL_OR_BOOL,
        about,
        value=_own,
        result=_index,
        structure="xr_arg",
        fields=(("value", "T"), ("index", "i64")),
        first="xr_arg_first(x, (i64)(position))",
        step=f"xr_{name}(acc, xr_arg_first(x, (i64)(position)))",
        combine=f"xr_{name}",
        finish="acc.index",
        ordered=True,
    )


TABLE: Final = (
    Reduction(
        "all",
        ANY,
        "Whether all elements are nonzero.",
        value=_truth,
        combine="logical_and",
        empty=True,
    ),
    Reduction(
        "any",
        ANY,
        "Whether an element is nonzero.",
        value=_truth,
        combine="logical_or",
        empty=False,
    ),
    _extreme_index("argmax", "The index of the first largest element; of the first NaN if any."),
    _extreme_index("argmin", "The index of the first smallest element; of the first NaN if any."),
    Reduction(
        "count_nonzero",
        ANY,
        "The number of nonzero elements.",
        value=_index,
        combine="add",
        empty=0,
        counts_truth=True,
    ),
    Reduction(
        "cumulative_prod",
        NUMERIC,
        "The products of the elements up to each place.",
        value=_widest,
        combine="multiply",
        empty=1,
        ulp=64,
    ),
    Reduction(
        "cumulative_sum",
        NUMERIC,
        "The sums of the elements up to each place.",
        value=_widest,
        combine="add",
        empty=0,
        ulp=64,
    ),
    Reduction(
        "max", REAL_OR_BOOL, "The largest element; NaN if any is.", value=_own, combine="maximum"
    ),
    Reduction(
        "mean",
        (BOOL, *NUMERIC),
        "The arithmetic mean.",
        value=_floating,
        combine="add",
        finish="xr_over(acc, divisor)",
        empty=math.nan,
        ulp=8,
    ),
    Reduction(
        "min", REAL_OR_BOOL, "The smallest element; NaN if any is.", value=_own, combine="minimum"
    ),
    Reduction(
        "prod",
        (BOOL, *NUMERIC),
        "The product of the elements.",
        value=_widest,
        combine="multiply",
        empty=1,
        ulp=64,
    ),
    _moments("std", "The standard deviation.", "sqrt(acc.m2 / divisor)"),
    Reduction(
        "sum",
        (BOOL, *NUMERIC),
        "The sum of the elements.",
        value=_widest,
        combine="add",
        empty=0,
        ulp=64,
    ),
    _moments("var", "The variance.", "acc.m2 / divisor"),
)

BY_NAME: Final = {row.name: row for row in TABLE}


def node_of(x: Any, where: str, name: str = "x") -> Node:
    """The node of an array operand; a copy of nothing, so a temporary array may die."""
    if type(x) is not Array:
        raise no_array(name, x, where)
    return x._node


def _operand(x: Any, where: str) -> Node:
    """The node of an array, or of what can be made one."""
    if type(x) is not Array:
        made = lone(x, where)
        if made is not None:
            return made._node
    return node_of(x, where)


def reduced(
    row: Reduction,
    node: Node,
    axis: Any = None,
    *,
    keepdims: bool = False,
    dtype: Any = None,
    correction: float = 0.0,
    single: bool = False,
    where: str = "",
) -> Array:
    """Reduce a node by a row of the table, for the row's function or one that `where` names."""
    value, result = _types(row, node, dtype, where)
    along = where or f"{row.name}(x, axis)"
    shape = node.shape
    if single and axis is not None:
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
        final = constant(_empty_value(row.empty, result), result, left, node.device)
    else:
        over = axes
        if not axes:  # each element is a reduction of its own: over an axis of one element
            node = engine.reshaped(node, (1, *shape))
            over = (0,)
        if row.counts_truth:
            node = engine.converted(node, dtypes.bool_)
        if row.combine in ("maximum", "minimum") and value.kind == BOOL:
            value = dtypes.uint8
        divisor = length - correction if length > correction else math.nan
        final = passes.reduce(row.fold(value, result), node, over, divisor)
    if keepdims:
        kept = tuple(1 if place in axes else extent for place, extent in enumerate(shape))
        final = engine.reshaped(final, kept)
    return Array(final)


def _empty_value(value: Any, result: DType) -> Any:
    return result.numpy.type(0 if value is None else value).item()


def _types(row: Reduction, node: Node, dtype: Any, where: str) -> tuple[DType, DType]:
    """The type that is accumulated and the type of the result."""
    given = node.dtype
    if given.kind not in row.kinds:
        where = where or f"{row.name}(x)"
        raise TypeError(
            errors.message(
                where,
                f"x has dtype {given}",
                f"{where.partition('(')[0]} takes "
                f"{KIND_WORDS.get(row.kinds, 'numeric or bool')} dtypes",
                'convert with x.astype("float32")' if given.kind == COMPLEX else "",
            )
        )
    default = default_float(node.device)
    if dtype is not None:
        where = where or f"{row.name}(x, dtype)"
        value = dtypes.lookup(dtype, where)
        require_on(node.device, value, where)
        if value.kind == BOOL and row.combine in ("add", "multiply"):
            raise TypeError(
                errors.message(
                    where,
                    "dtype is bool",
                    "numeric dtypes are accepted",
                    "use any for a sum of truths, and all for a product",
                )
            )
    else:
        value = row.value(given, default)
    return value, row.result(value, default)


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
    value, result = _types(row, node, dtype, where)
    shift = int(bool(include_initial))
    shape = node.shape
    full = (*shape[:place], shape[place] + shift, *shape[place + 1 :])
    if math.prod(shape) == 0:
        return Array(constant(_empty_value(row.empty, result), result, full, node.device))
    final = passes.scan(row.fold(value, result), node, place, shift)
    if shift:
        assert final.storage is not None
        assert final.layout is not None
        start = layout.Layout(
            (*full[:place], 1, *full[place + 1 :]), final.layout.strides, final.layout.offset
        )
        identity = constant(_empty_value(row.empty, result), result, start.shape, node.device)
        engine.write(final.storage, start, result, identity)
    return Array(final)


def _function(row: Reduction) -> Callable[..., Array]:
    """The public function of a row. It lets go of its operand before it runs.

    So `(a * b).sum()` does not keep, and therefore does not store, the product.
    """

    def over_axes(x: Array, /, axis: Any = None, keepdims: bool = False) -> Array:
        node = _operand(x, f"{row.name}(x)")
        del x
        return reduced(row, node, axis, keepdims=keepdims)

    def over_axes_as(
        x: Array, /, axis: Any = None, dtype: Any = None, keepdims: bool = False
    ) -> Array:
        node = _operand(x, f"{row.name}(x)")
        del x
        return reduced(row, node, axis, keepdims=keepdims, dtype=dtype)

    def corrected(
        x: Array,
        /,
        axis: Any = None,
        correction: float = 0.0,
        keepdims: bool = False,
        ddof: float | None = None,
    ) -> Array:
        node = _operand(x, f"{row.name}(x)")
        del x
        less = correction if ddof is None else ddof
        if not isinstance(less, int | float | numpy.integer | numpy.floating):
            raise TypeError(
                errors.message(
                    f"{row.name}(x, axis, correction)",
                    f"correction is {less!r}",
                    "a real number is accepted",
                )
            )
        return reduced(row, node, axis, keepdims=keepdims, correction=less)

    def over_axis(x: Array, /, axis: int | None = None, keepdims: bool = False) -> Array:
        node = _operand(x, f"{row.name}(x)")
        del x
        return reduced(row, node, axis, keepdims=keepdims, single=True)

    def along_axis(
        x: Array,
        /,
        axis: int | None = None,
        dtype: Any = None,
        include_initial: bool = False,
    ) -> Array:
        node = _operand(x, f"{row.name}(x)")
        del x
        return scanned(row, node, axis, dtype, include_initial)

    if row.name.startswith("cumulative"):
        function: Callable[..., Array] = along_axis
    elif row.ordered:
        function = over_axis
    elif row.structure:
        function = corrected
    elif row.name in ("sum", "prod"):
        function = over_axes_as
    else:
        function = over_axes
    return elementwise.named(function, row.name, _docstring(row, function))


_PARAMETERS: Final = {
    "axis": "axis : int, tuple of int or None, optional\n    The axes to reduce; None for all.",
    "keepdims": "keepdims : bool, optional\n    Keep the reduced axes, with extent 1.",
    "dtype": "dtype : data type, optional\n    The type to accumulate in and to return.",
    "correction": "correction : float, optional\n    What is subtracted from the number of "
    "elements that the sum of squares is divided by.",
    "ddof": "ddof : float, optional\n    NumPy's name of `correction`.",
    "include_initial": "include_initial : bool, optional\n    Begin with the value of no elements.",
}


def _docstring(row: Reduction, function: Callable[..., Any]) -> str:
    names = list(inspect.signature(function).parameters)[1:]
    words = KIND_WORDS.get(row.kinds, "numeric or bool")
    rule = row.value if row.result is _own else row.result
    kind = {
        "_own": "x's",
        "_widest": "x's, or 64-bit for integers",
        "_index": "int64",
        "_truth": "bool",
    }.get(rule.__name__, "x's floating-point type")
    lines = [row.about, "", "Parameters", "----------", f"x : {words} Array, shape (...)"]
    lines.append("    The operand; an expression is not stored, but computed on the way.")
    lines += [_PARAMETERS[name] for name in names]
    lines += ["", "Returns", "-------", f"Array of dtype {kind}", ""]
    lines += ["Raises", "------", "TypeError", "    If x has another dtype or is no Array."]
    lines += [
        "ValueError",
        "    If an axis is named twice"
        + ("." if row.empty is not None else ", or there are no elements."),
    ]
    lines += ["IndexError", "    If an axis is out of range.", "", "Notes", "-----"]
    lines += ["Python Array API standard 2025.12. The order of operations, and so every bit of the"]
    lines += ["result, is the same on all devices.", "", "Examples", "--------", ">>> import xarr"]
    lines += [
        f">>> result = xarr.{row.name}(xarr.asarray([1, 2, 3])"
        + (" > 1)" if row.name in ("all", "any") else ")")
    ]
    return "\n".join(lines) + "\n"


for _row in TABLE:
    FUNCTIONS[_row.name] = _function(_row)
    attach(_row.name, FUNCTIONS[_row.name])
