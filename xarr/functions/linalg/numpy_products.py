"""Products that NumPy has beside the standard's: dot, inner, outer, kron, cross, and chains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy

from xarr import layout
from xarr.array.array import Array, ArrayLike
from xarr.array.cached_calls import cached_call
from xarr.array.coerce import array_of, arrays_together
from xarr.array.out_argument import deliver
from xarr.array.row_function import known_product
from xarr.dtypes import BOOL, COMPLEX
from xarr.errors import refused, value_error, warn
from xarr.functions.linalg.products import multiplied, numeric_pair, summed, summed_products
from xarr.functions.shape import joining
from xarr.ir.views import View
from xarr.ops import elementwise as rows
from xarr.tape import builder


def dot(a: ArrayLike, b: ArrayLike, out: Any = None) -> Array:
    """Multiply scalars, vectors and matrices as NumPy's `dot`.

    With more axes, the sum is over the last axis of a and the last but one (or only) axis of b.

    out : Array, optional -- The array to write the result to, of the result's shape and data type.

    -> Array, of the data type that a and b promote to
        The shape is a's other axes, then b's other axes.

    ValueError -- If the summed axes differ in length, or `out` has another shape or data type.
    """
    if out is None:
        found: Array | None = known_product(a, b)
        return _dot(a, b) if found is None else found
    result = _dot(a, b)
    if type(out) is Array and (out.shape != result.shape or out.dtype != result.dtype):
        fault = f"out has shape {out.shape} and dtype {out.dtype}"
        accepted = f"it must have those of the result, {result.shape} and {result.dtype}"
        remedy = "make out with xarr.empty(shape, dtype)"
        raise value_error("dot(a, b, out)", fault, accepted, remedy)
    return deliver(result, out, "dot(a, b, out)")


@cached_call
def _dot(a: Any, b: Any) -> Array:
    where, names = "dot(a, b)", ("a", "b")
    first, second = arrays_together(a, b, where, names)
    if not first.shape or not second.shape:
        return _scaled(first, second)
    if len(first.shape) <= 2 and len(second.shape) <= 2:
        return multiplied(first, second, where, names)
    last = -1 if len(second.shape) == 1 else -2
    return summed_products(first, second, ((-1,), (last,)), where, names)


def _scaled(first: View, second: View) -> Array:
    """The products of elements of one dtype; of bools, both."""
    row = rows.multiply if first.dtype.kind != BOOL else rows.logical_and
    return Array(row.combined(first, second))


@cached_call
def inner(a: ArrayLike, b: ArrayLike, /) -> Array:
    """Sum products over the last axes of both operands; with a scalar, multiply.

    -> Array, shape a.shape[:-1] + b.shape[:-1], of the data type that a and b promote to

    ValueError -- If the last axes are not equally long.
    """
    where, names = "inner(a, b)", ("a", "b")
    first, second = arrays_together(a, b, where, names)
    if not first.shape or not second.shape:
        return _scaled(first, second)
    return summed_products(first, second, ((-1,), (-1,)), where, names)


@cached_call
def vdot(a: ArrayLike, b: ArrayLike, /) -> Array:
    """Compute the dot product of all elements, conjugating those of a.

    -> Array, shape (), of the data type that a and b promote to

    ValueError -- If the operands differ in size.

    >>> complex(xarr.vdot([1j, 2], [1j, 1]))
    (3+0j)
    """
    where = "vdot(a, b)"
    first, second = arrays_together(a, b, where, ("a", "b"))
    sizes = [math.prod(view.shape) for view in (first, second)]
    if sizes[0] != sizes[1]:
        fault = f"a has {sizes[0]} elements and b {sizes[1]}"
        raise value_error(where, fault, "both must have as many elements")
    if first.dtype.kind == COMPLEX:
        first = rows.conj.applied(first)
    if first.shape != second.shape:
        first, second = (builder.reshaped(view, (sizes[0],)) for view in (first, second))
    return summed(first, second, None, where)


@cached_call
def outer(a: ArrayLike, b: ArrayLike, out: Any = None) -> Array:
    """Multiply each element of a by each element of b, both flattened.

    -> Array, shape (a.size, b.size), of the data type that a and b promote to

    MemoryError -- If the result does not fit into the device's memory.
    """
    where = "outer(a, b)"
    first, second = arrays_together(a, b, where, ("a", "b"))
    column = builder.reshaped(first, (math.prod(first.shape), 1))
    row = builder.reshaped(second, (math.prod(second.shape),))
    return deliver(_scaled(column, row), out, where)


@cached_call
def kron(a: ArrayLike, b: ArrayLike) -> Array:
    """Compute the Kronecker product: each element of a, times the whole of b, as a block.

    -> Array, of the data type that a and b promote to
        The length of each axis is the product of a's and b's.
    """
    first, second = arrays_together(a, b, "kron(a, b)", ("a", "b"))
    ndim = max(len(first.shape), len(second.shape))
    rows_of, columns = ((1,) * (ndim - len(view.shape)) + view.shape for view in (first, second))
    spread = tuple(extent for pair_of in rows_of for extent in (pair_of, 1))
    within = tuple(extent for pair_of in columns for extent in (1, pair_of))
    product = _scaled(builder.reshaped(first, spread), builder.reshaped(second, within))
    return product.reshape(tuple(r * s for r, s in zip(rows_of, columns, strict=True)))


@cached_call
def cross(
    a: ArrayLike,
    b: ArrayLike,
    axisa: SupportsIndex = -1,
    axisb: SupportsIndex = -1,
    axisc: SupportsIndex = -1,
    axis: SupportsIndex | None = None,
) -> Array:
    """Compute the cross products of vectors of three elements; two elements get 0 as the third.

    axisa, axisb, axisc : int, optional
        The axes of the vectors in a, in b and in the result. If all vectors have two elements, the
        result is the third component alone, without the axis axisc.
    axis : int, optional -- The axis instead of axisa, axisb and axisc.

    -> Array, of the data type that a and b promote to
        The vectors lie along axisc; the other axes of a and b broadcast.

    ValueError -- If vectors have another length, or the other axes do not broadcast.

    >>> xarr.cross([1, 0, 0], [0, 1, 0]).tolist()
    [0, 0, 1]
    """
    where = "cross(a, b)"
    if axis is not None:
        axisa = axisb = axisc = axis
    first, second = numeric_pair(a, b, where, ("a", "b"))
    sides = []
    for name, view, place in (("a", first, axisa), ("b", second, axisb)):
        if not view.shape:
            fault = f"{name} is 0-dimensional"
            accepted = "it must be a vector: At least one array has zero dimension"
            raise value_error(where, fault, accepted)
        along = layout.normalize_axis(place, len(view.shape), where)
        if view.shape[along] not in (2, 3):
            fault = f"axis {along} of {name} has {view.shape[along]} elements"
            raise value_error(where, fault, "vectors must have two or three elements")
        sides.append(components(Array(view), along))
    if len(sides[0]) == 2 or len(sides[1]) == 2:
        text = "Arrays of 2-dimensional vectors are deprecated. "
        text += "Use arrays of 3-dimensional vectors instead."
        warn(text, DeprecationWarning)
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


@cached_call
def multi_dot(arrays: Sequence[ArrayLike], *, out: Any = None) -> Array:
    """Multiply several matrices in the order that takes the fewest multiplications.

    arrays : sequence of Array, shapes (M, K), (K, L), ..., (P, N)
        The matrices; the first and the last may be vectors.

    -> Array, of the data type that the arrays promote to

    ValueError -- If there are fewer than two arrays, or their shapes do not fit.
    LinAlgError -- If an array is not a matrix; the first and the last may be vectors.

    >>> xarr.linalg.multi_dot([xarr.ones((2, 3)), xarr.ones((3, 4)), xarr.ones(4)]).tolist()
    [12.0, 12.0]
    """
    where = "linalg.multi_dot(arrays)"
    chain = [array_of(item, where, "arrays") for item in arrays]
    if len(chain) < 2:
        raise value_error(where, f"there are {len(chain)} arrays", "there must be at least two")
    for place, array in enumerate(chain):
        allowed = (1, 2) if place in (0, len(chain) - 1) else (2,)
        if array.ndim not in allowed:
            fault = f"array {place} has {array.ndim} dimensions"
            accepted = "arrays must be matrices, or vectors at the ends"
            raise refused(numpy.linalg.LinAlgError, where, fault, accepted)
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

    return deliver(joined(0, len(chain) - 1), out, where)


def _best_cuts(extents: Sequence[int]) -> dict[tuple[int, int], int]:
    """Where the product of each run of matrices is cut in two; matrix k is extents[k : k + 2]."""
    count = len(extents) - 1
    cost = {(place, place): 0 for place in range(count)}
    cuts = {}
    for length in range(1, count):
        for first in range(count - length):
            last = first + length
            around = extents[first] * extents[last + 1]
            cost[first, last], cuts[first, last] = min(
                (cost[first, cut] + cost[cut + 1, last] + around * extents[cut + 1], cut)
                for cut in range(first, last)
            )
    return cuts
