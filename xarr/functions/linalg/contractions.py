"""Products that are made of products: NumPy's dot, inner, kron, cross, and chains of matrices."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, Final, SupportsIndex

import numpy

from xarr import layout
from xarr.array.array import Array, ArrayLike
from xarr.array.door import array_of, arrays_together
from xarr.array.outcome import delivered
from xarr.core.tape import Node
from xarr.dtypes import BOOL, COMPLEX
from xarr.engine import engine
from xarr.errors import refused, value_error
from xarr.functions.linalg.products import multiplied, numeric_pair, summed, summed_products
from xarr.functions.shape import joining
from xarr.tables import elementwise as rows

LinAlgError: Final = numpy.linalg.LinAlgError


def dot(a: ArrayLike, b: ArrayLike, out: Any = None) -> Array:
    """NumPy's product: of scalars, vectors and matrices; else over a's last and b's last but one.

    >>> int(xarr.dot(xarr.asarray([1, 2]), xarr.asarray([3, 4])))
    11
    """
    result = _dot(a, b)
    if out is None:
        return result
    if type(out) is Array and (out.shape != result.shape or out.dtype != result.dtype):
        fault = f"out has shape {out.shape} and dtype {out.dtype}"
        accepted = f"the result has shape {result.shape} and dtype {result.dtype}"
        remedy = "make out with xarr.empty(shape, dtype)"
        raise value_error("dot(a, b, out)", fault, accepted, remedy)
    return delivered(result, out, "dot(a, b, out)")


def _dot(a: Any, b: Any) -> Array:
    where, names = "dot(a, b)", ("a", "b")
    first, second = arrays_together(a, b, where, names)
    if not first.shape or not second.shape:
        return _scaled(first, second)
    if len(first.shape) <= 2 and len(second.shape) <= 2:
        return multiplied(first, second, where, names)
    last = -1 if len(second.shape) == 1 else -2
    return summed_products(first, second, ((-1,), (last,)), where, names)


def _scaled(first: Node, second: Node) -> Array:
    """The products of elements of one dtype; of bools, both."""
    row = rows.multiply if first.dtype.kind != BOOL else rows.logical_and
    return Array(row.combined(first, second))


def inner(a: ArrayLike, b: ArrayLike, /) -> Array:
    """The sums of products over the last axis of both operands; a scalar multiplies.

    >>> int(xarr.inner([1, 2, 3], [0, 1, 0]))
    2
    """
    where, names = "inner(a, b)", ("a", "b")
    first, second = arrays_together(a, b, where, names)
    if not first.shape or not second.shape:
        return _scaled(first, second)
    return summed_products(first, second, ((-1,), (-1,)), where, names)


def vdot(a: ArrayLike, b: ArrayLike, /) -> Array:
    """The dot product of all elements, those of the first operand conjugated.

    >>> complex(xarr.vdot([1j, 2], [1j, 1]))
    (3+0j)
    """
    where = "vdot(a, b)"
    first, second = arrays_together(a, b, where, ("a", "b"))
    sizes = [math.prod(node.shape) for node in (first, second)]
    if sizes[0] != sizes[1]:
        fault = f"a has {sizes[0]} elements and b {sizes[1]}"
        raise value_error(where, fault, "operands of as many elements are accepted")
    if first.dtype.kind == COMPLEX:
        first = rows.conj.applied(first)
    if first.shape != second.shape:
        first, second = (engine.reshaped(node, (sizes[0],)) for node in (first, second))
    return summed(first, second, None, where)


def outer(a: ArrayLike, b: ArrayLike, out: Any = None) -> Array:
    """The products of each element of one array with each of another, both flattened.

    >>> xarr.outer(xarr.asarray([1, 2]), 3).tolist()
    [[3], [6]]
    """
    where = "outer(a, b)"
    first, second = arrays_together(a, b, where, ("a", "b"))
    column = engine.reshaped(first, (math.prod(first.shape), 1))
    row = engine.reshaped(second, (math.prod(second.shape),))
    return delivered(_scaled(column, row), out, where)


def kron(a: ArrayLike, b: ArrayLike) -> Array:
    """The Kronecker product: blocks of b, each scaled by an element of a.

    >>> xarr.kron([1, 10], [5, 6]).tolist()
    [5, 6, 50, 60]
    """
    first, second = arrays_together(a, b, "kron(a, b)", ("a", "b"))
    ndim = max(len(first.shape), len(second.shape))
    rows_of, columns = ((1,) * (ndim - len(node.shape)) + node.shape for node in (first, second))
    spread = tuple(extent for pair_of in rows_of for extent in (pair_of, 1))
    within = tuple(extent for pair_of in columns for extent in (1, pair_of))
    product = _scaled(engine.reshaped(first, spread), engine.reshaped(second, within))
    return product.reshape(tuple(r * s for r, s in zip(rows_of, columns, strict=True)))


def cross(
    a: ArrayLike,
    b: ArrayLike,
    axisa: SupportsIndex = -1,
    axisb: SupportsIndex = -1,
    axisc: SupportsIndex = -1,
    axis: SupportsIndex | None = None,
) -> Array:
    """The cross product of vectors with two or three elements; a third one that is missing is 0.

    axisa, axisb, axisc : int, optional -- The axes of the vectors in a, in b and in the result. The
        products of two vectors of two elements are their third component, without an axis.
    axis : int, optional -- All three axes.

    >>> xarr.cross([1, 0, 0], [0, 1, 0]).tolist()
    [0, 0, 1]
    """
    where = "cross(a, b)"
    if axis is not None:
        axisa = axisb = axisc = axis
    first, second = numeric_pair(a, b, where, ("a", "b"))
    sides = []
    for name, node, place in (("a", first, axisa), ("b", second, axisb)):
        if not node.shape:
            fault = f"{name} is 0-dimensional"
            accepted = "At least one array has zero dimension, and vectors are taken"
            raise value_error(where, fault, accepted)
        along = layout.normalize_axis(place, len(node.shape), where)
        if node.shape[along] not in (2, 3):
            fault = f"axis {along} of {name} has {node.shape[along]} elements"
            raise value_error(where, fault, "vectors of two or three elements are accepted")
        sides.append(components(Array(node), along))
    if len(sides[0]) == 2 or len(sides[1]) == 2:
        warnings.warn(
            "Arrays of 2-dimensional vectors are deprecated. "
            "Use arrays of 3-dimensional vectors instead.",
            DeprecationWarning,
            stacklevel=2,
        )
    return crossed(sides[0], sides[1], axisc, where)


def components(vectors: Array, axis: int) -> list[Array]:
    """The components of vectors along an axis."""
    before = (slice(None),) * axis
    return [vectors[(*before, number)] for number in range(vectors.shape[axis])]


def crossed(u: list[Array], v: list[Array], axisc: SupportsIndex, where: str) -> Array:
    """The cross product of the components of vectors."""
    third: Array = u[0] * v[1] - u[1] * v[0]
    if len(u) == len(v) == 2:
        return third
    if len(u) == 2:
        parts = (u[1] * v[2], -(u[0] * v[2]), third)
    elif len(v) == 2:
        parts = (-(u[2] * v[1]), u[2] * v[0], third)
    else:
        parts = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], third)
    return joining.stack(parts, axis=layout.normalize_axis(axisc, third.ndim + 1, where))


def multi_dot(arrays: Sequence[ArrayLike], *, out: Any = None) -> Array:
    """The product of several matrices, in the order that takes the fewest multiplications.

    arrays : sequence of Array, shapes (M, K), (K, L), ..., (P, N)
        The matrices; the first and the last may be vectors.

    >>> xarr.linalg.multi_dot([xarr.ones((2, 3)), xarr.ones((3, 4)), xarr.ones(4)]).tolist()
    [12.0, 12.0]
    """
    where = "linalg.multi_dot(arrays)"
    chain = [array_of(item, where, "arrays") for item in arrays]
    if len(chain) < 2:
        raise value_error(where, f"there are {len(chain)} arrays", "at least two")
    for place, array in enumerate(chain):
        allowed = (1, 2) if place in (0, len(chain) - 1) else (2,)
        if array.ndim not in allowed:
            fault = f"array {place} has {array.ndim} dimensions"
            accepted = "matrices are accepted, and vectors at the ends"
            raise refused(LinAlgError, where, fault, accepted)
    row_vector, column_vector = chain[0].ndim == 1, chain[-1].ndim == 1
    extents = [1 if row_vector else chain[0].shape[0], *(array.shape[0] for array in chain[1:])]
    if row_vector:
        extents[1] = chain[0].shape[0]
    extents.append(1 if column_vector else chain[-1].shape[1])
    cuts = _best_cuts(extents)

    def joined(first: int, last: int) -> Array:
        if first == last:
            return chain[first]
        cut = cuts[first, last]
        return _dot(joined(first, cut), joined(cut + 1, last))

    return delivered(joined(0, len(chain) - 1), out, where)


def _best_cuts(extents: Sequence[int]) -> dict[tuple[int, int], int]:
    """Where the product of each run of matrices is cut in two; matrix k is extents[k : k + 2]."""
    count = len(extents) - 1
    cost = {(place, place): 0 for place in range(count)}
    cuts = {}
    for length in range(1, count):
        for first in range(count - length):
            last = first + length
            cost[first, last], cuts[first, last] = min(
                (
                    cost[first, cut]
                    + cost[cut + 1, last]
                    + extents[first] * extents[cut + 1] * extents[last + 1],
                    cut,
                )
                for cut in range(first, last)
            )
    return cuts
