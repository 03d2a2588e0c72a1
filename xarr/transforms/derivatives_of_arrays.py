"""The derivatives of operations on whole arrays: gathers, scatters, rolls, products, sorts."""

from __future__ import annotations

from typing import Final

from xarr.array.array import Array
from xarr.functions.create import creation
from xarr.functions.index import searching
from xarr.functions.linalg import products
from xarr.functions.shape import joining, manipulation
from xarr.functions.sort import sorting
from xarr.tape import builder
from xarr.transforms.adjoints import Adjoints, indices, scatter_add
from xarr.transforms.steps import Rule, Step, conj


def _gather(at: Step, adjoints: Adjoints) -> None:
    """Add the adjoint of each element to where it was read."""
    g = adjoints.taken(at.target, True)
    base = at.operands[0]
    if g is None or base is None:
        return
    places = indices(base.structure, base.offset, at.value(1))
    scatter_add(adjoints.flat(base), places, g)


def _scatter(at: Step, adjoints: Adjoints) -> None:
    """Give the values that were written the adjoints of where they are, and set these to zero.

    Of equal places the last one was written, and alone has the adjoint.
    """
    if not adjoints.has(at.target):
        return
    where = searching.where
    how = at.target.structure
    chosen = manipulation.broadcast_to(at.value(3), at.shape)
    beyond = manipulation.broadcast_to(at.value(1), at.shape)
    places = manipulation.reshape(indices(how, at.target.offset, beyond), (-1,))
    chosen = manipulation.reshape(chosen, (-1,))
    elements = adjoints.flat(at.target)
    count = elements.size
    # Those that are not chosen write to an element more, which nothing reads.
    safe = where(chosen, places, count)
    value = at.operands[2]
    if value is not None:
        wins = chosen
        if at.operation.in_order:
            order = Array(builder.index(places.shape, places.device))
            winners = creation.full((count + 1,), -1, dtype="int64", device=places.device)
            builder.materialise(winners._view)
            winners[safe] = order
            wins = wins & (winners[safe] == order)
        g = where(wins, elements[where(chosen, places, 0)], 0.0)
        adjoints.add(value, manipulation.reshape(g, at.shape))
    more = joining.concat([elements, elements[:1]])
    more[safe] = 0.0
    elements[...] = more[:-1]


def _rolled(g: Array, at: Step) -> Array:
    shifts = at.operation.shifts
    return joining.roll(g, tuple([-shift for shift in shifts]), tuple(range(len(shifts))))


def _turned(x: Array) -> Array:
    found: Array = conj(products.matrix_transpose(x))
    return found


def _concat(at: Step, adjoints: Adjoints) -> None:
    g = adjoints.taken(at.target, True)
    if g is None:
        return
    (axis,) = at.operation.parameters
    begin = 0
    for place, how in zip(at.operands, at.opcode.operands, strict=True):
        end = begin + how.shape[axis]
        if place is not None:
            adjoints.add(place, g[(*(slice(None),) * axis, slice(begin, end))])
        begin = end


def _sorted(g: Array, at: Step, x: Array) -> Array:
    """Give each element the adjoint of where it went."""
    parameters = at.operation.parameters
    axis = parameters[0] if len(parameters) > 1 else x.ndim - 1
    order = sorting.argsort(x, axis=axis, descending=bool(parameters[-1]))
    return searching.take_along_axis(g, sorting.argsort(order, axis=axis), axis=axis)


RULES: Final[dict[str, Rule]] = {
    "gather": Rule(None, None, whole=_gather, wanted=(1,)),
    "scatter": Rule(None, None, None, None, whole=_scatter, wanted=(1, 3)),
    "roll": Rule(_rolled),
    "matmul": Rule(
        lambda g, x2: products.matmul(g, _turned(x2)), lambda g, x1: products.matmul(_turned(x1), g)
    ),
    "concat": Rule(whole=_concat),
    "sort": Rule(_sorted),
}
"""The rules of operations that are no rows, by name."""
