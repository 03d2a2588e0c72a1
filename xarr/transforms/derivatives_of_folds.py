"""The derivatives of reductions and scans: of how they map, combine and finish."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from xarr.array.array import Array
from xarr.functions.elementwise import elementwise as np, ufunc_methods
from xarr.functions.index import searching
from xarr.functions.linalg.solving import SQUARES
from xarr.functions.reduce import reductions
from xarr.functions.shape import joining, manipulation
from xarr.ir.views import View, structure
from xarr.layout import Shape
from xarr.lowering.operations import ReduceOp
from xarr.ops import elementwise as rows, reduce_scan, reductions as folds
from xarr.tape import builder
from xarr.transforms.adjoints import indices, repeated, scatter_add, vector_of_zeros
from xarr.transforms.steps import Rule, Step, like, signed, times

where: Final = searching.where


def rule_of(operation: Any) -> Rule | None:
    """Return the rule of a reduction or a scan; None where there is none."""
    row = operation.row
    if row is None:
        return None
    if not isinstance(operation, ReduceOp):
        function = _SCANS.get(row.combine)
        return None if function is None else Rule(_of_scan(function, operation.fold), None)
    if row in (folds.var, folds.std):
        return Rule(_std if row is folds.std else _var)
    if row.combine not in _COMBINED or row.map not in _MAPPED:
        return None
    if row.finish not in ("acc", "xr_over(acc, divisor)", "sqrt(acc)"):
        return None
    combined, mapped = _COMBINED[row.combine], _MAPPED[row.map]
    wants_result = row.finish == "sqrt(acc)" or row.combine not in (rows.add, rows.multiply)
    wants_operand = row.map is not None or row.combine is not rows.add

    def part(g: Array, at: Step, x: Any, r: Any) -> Array:
        if row.finish == "sqrt(acc)":
            g = g / (2 * r)
        elif row.finish != "acc":
            g = g / at.value(1)
        g = lifted(g, at)
        m = x if row.map is None or row.combine is rows.add else mapped[0](x)
        g = combined(g, at, m, r if r is None else lifted(r, at))
        if row.map is not None:
            found: Array = mapped[1](g, x)
            return found
        return repeated(g, at.shape)

    return Rule(_with(part, wants_operand, wants_result, row.finish))


def _with(
    part: Callable[..., Array], wants_operand: bool, wants_result: bool, finish: str
) -> Callable[..., Array]:
    """Return the function with parameters for the values that it wants."""
    if finish == "xr_over(acc, divisor)":
        return lambda g, at, x2: part(g, at, None, None)
    if wants_operand and wants_result:
        return part
    if wants_operand:
        return lambda g, at, x: part(g, at, x, None)
    return lambda g, at: part(g, at, None, None)


def lifted(g: Array, at: Step) -> Array:
    """Return a reduction's result, or its adjoint, with the axes that were reduced."""
    shape = tuple([1 if axis in at.operation.axes else e for axis, e in enumerate(at.shape)])
    return Array(builder.reshaped(g._view, shape))


# -- reductions ------------------------------------------------------------------------------------


def _summed(g: Array, at: Step, m: Any, r: Any) -> Array:
    return repeated(g, at.shape)


def _product(g: Array, at: Step, m: Array, r: Any) -> Array:
    """The product of the others: of those before, and of those behind, so that zeros are right."""
    axes: Shape = at.operation.axes
    count = len(axes)
    last = tuple(range(-count, 0))
    moved = manipulation.moveaxis(m, axes, last)
    lines = manipulation.reshape(moved, (*moved.shape[:-count], -1))
    others = _before(lines) * _backwards(_before(_backwards(lines)))
    back = manipulation.moveaxis(manipulation.reshape(others, moved.shape), last, axes)
    return times(g, back)


def _backwards(x: Array) -> Array:
    """Reverse the last axis."""
    return manipulation.flip(x, axis=-1)


def _before(lines: Array) -> Array:
    """Return the products of the elements before each one along the last axis."""
    running = reductions.cumulative_prod(lines, axis=-1)
    ones = like(1.0, lines)
    first = manipulation.broadcast_to(ones, (*lines.shape[:-1], 1))
    return joining.concat([first, running[..., :-1]], axis=-1)


def _shared(g: Array, at: Step, m: Array, r: Array) -> Array:
    is_extreme = where(m == r, like(1.0, g), like(0.0, g))
    count = reductions.sum(is_extreme, axis=at.operation.axes, keepdims=True)
    return is_extreme * (g / count)


def _softmax(g: Array, at: Step, m: Array, r: Array) -> Array:
    return g * np.exp(m - r)


def _softmax2(g: Array, at: Step, m: Array, r: Array) -> Array:
    return g * np.exp2(m - r)


def _legs(g: Array, at: Step, m: Array, r: Array) -> Array:
    return g * (m / r)


_COMBINED: Final[dict[Any, Callable[..., Array]]] = {
    rows.add: _summed,
    rows.multiply: _product,
    rows.maximum: _shared,
    rows.minimum: _shared,
    rows.fmax: _shared,
    rows.fmin: _shared,
    rows.logaddexp: _softmax,
    rows.logaddexp2: _softmax2,
    rows.hypot: _legs,
}
"""The adjoint of the mapped elements, by what combines them."""
_MAPPED: Final[dict[Any, Any]] = {
    None: None,
    rows.abs: (np.abs, lambda g, x: g * signed(x)),
    SQUARES: (None, lambda g, x: 2 * g * x),
}
"""What is done with each element, and its derivative."""


def _apart(x: Array, at: Step) -> Array:
    return x - reductions.mean(x, axis=at.operation.axes, keepdims=True)


def _var(g: Array, at: Step, x: Array, x2: Array) -> Array:
    return lifted(2 * g / x2, at) * _apart(x, at)


def _std(g: Array, at: Step, x: Array, x2: Array, r: Array) -> Array:
    return lifted(g / (x2 * r), at) * _apart(x, at)


# -- scans -----------------------------------------------------------------------------------------


class _Lines:
    """The lines of a scan, and where its segments begin, if it has such."""

    def __init__(self, axis: int, begins: Array | None) -> None:
        self.axis = axis
        self.begins = begins

    def scanned(self, row: Any, x: Array) -> Array:
        """Return the scan of a row of the table, within segments where there are such."""
        fold = row.fold(row.types(x._view.dtype, x._view.dtype))
        if self.begins is None:
            return Array(reduce_scan.scan(fold, x._view, self.axis, 0))
        return Array(reduce_scan.segmented(fold, x._view, self.begins._view, self.axis))

    def sums_to_end(self, x: Array) -> Array:
        """Return the running sums from the end of each line or segment."""
        begins = self.begins
        if begins is not None:  # those of the segments from the end of the line
            begins = manipulation.flip(joining.roll(begins, -1, self.axis), axis=self.axis)
        backwards = manipulation.flip(x, axis=self.axis)
        sums = _Lines(self.axis, begins).scanned(folds.cumulative_sum, backwards)
        return manipulation.flip(sums, axis=self.axis)


def _of_scan(function: Callable[..., Array], fold: Any) -> Callable[..., Array]:
    """Return the adjoint of a scan's elements, by one of `_SCANS`, with the parameters it wants."""

    def part(g: Array, at: Step, x: Any, begins: Any, r: Any) -> Array:
        axis, shift = at.operation.axis, at.operation.shift
        if shift:  # the value of no elements, at the beginning
            behind = (*(slice(None),) * axis, slice(shift, None))
            g, r = g[behind], r if r is None else r[behind]
        return function(g, _Lines(axis, begins), x, r)

    if function is _running_sum and fold.beside:
        return lambda g, at, x2: part(g, at, None, x2, None)
    if function is _running_sum:
        return lambda g, at: part(g, at, None, None, None)
    if fold.beside:
        return lambda g, at, x, x2, r: part(g, at, x, x2, r)
    return lambda g, at, x, r: part(g, at, x, None, r)


def _running_sum(g: Array, lines: _Lines, x: Any, r: Any) -> Array:
    return lines.sums_to_end(g)


def _running_product(g: Array, lines: _Lines, x: Array, r: Any) -> Array:
    """Beyond the first zero nothing counts; by that itself, the product without it is derived."""
    is_zero = x == 0
    number = lines.scanned(folds.cumulative_sum, is_zero)
    is_first = is_zero & (number == 1)
    filled = where(is_first, like(1.0, x), x)
    without = lines.scanned(folds.cumulative_prod, filled)
    one = like(1.0, x)
    before = times(g, where(number == 0, without, like(0.0, x)))
    ordinary = lines.sums_to_end(before) / np.conj(where(is_zero, one, x))
    first = lines.sums_to_end(times(where(number >= 1, g, like(0.0, g)), without))
    return where(is_first, first, where(number == 0, ordinary, like(0.0, g)))


def _running_extreme(g: Array, lines: _Lines, x: Array, r: Array) -> Array:
    """Each result is the last element so far that equals it; a segment's first one does."""
    axis = lines.axis
    steps = Array(builder.index((x.shape[axis],), x.device))
    shape = tuple([x.shape[axis] if place == axis else 1 for place in range(x.ndim)])
    steps = manipulation.broadcast_to(manipulation.reshape(steps, shape), x.shape)
    chosen = ufunc_methods.accumulate(np.maximum, where(x == r, steps, 0), axis, None, None)
    return added_along(g, chosen, axis)


def added_along(g: Array, places: Array, axis: int) -> Array:
    """Return zeros to which values were added at places along an axis."""
    sums = vector_of_zeros(g.size, g._view.dtype, g.device)
    whole = View(sums._view.storage, manipulation.reshape(sums, g.shape)._view.structure, 0)
    strides = whole.structure.strides
    assert strides is not None
    kept = tuple([0 if place == axis else stride for place, stride in enumerate(strides)])
    how = structure(whole.device, whole.dtype, whole.shape, kept)
    scatter_add(sums, indices(how, 0, places * strides[axis]), g)
    return manipulation.reshape(sums, g.shape)


def _running_logsum(g: Array, lines: _Lines, x: Array, r: Array) -> Array:
    top = reductions.max(x, axis=lines.axis, keepdims=True)
    return np.exp(x - top) * lines.sums_to_end(g * np.exp(top - r))


_SCANS: Final[dict[Any, Callable[..., Array]]] = {
    rows.add: _running_sum,
    rows.multiply: _running_product,
    rows.maximum: _running_extreme,
    rows.minimum: _running_extreme,
    rows.fmax: _running_extreme,
    rows.fmin: _running_extreme,
    rows.logaddexp: _running_logsum,
}
"""The adjoint of the elements, by what combines them."""
