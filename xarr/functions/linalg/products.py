"""Products of matrices and vectors, and of stacks of them, as the standard has them.

A product runs as the device's library or `ops.matmul` computes it; a product of vectors is
a sum of an expression, which is fused into it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

import numpy

from xarr import dtypes, layout
from xarr.array.array import Array, ArrayLike, DTypeLike, made
from xarr.array.cached_calls import by_numpy, cached_call
from xarr.array.coerce import array_of, together
from xarr.array.layouts import keep_array
from xarr.array.out_argument import deliver, require_castable
from xarr.array.transfers import is_unobserved
from xarr.dtypes import BOOL, COMPLEX
from xarr.errors import axes_of, type_error, value_error
from xarr.functions.calls.row_calls import reduced
from xarr.functions.elementwise.ufuncs import generalised
from xarr.functions.shape import manipulation
from xarr.ir.resolved import PRODUCTS
from xarr.ir.views import View, constant, number_like
from xarr.layout import Shape
from xarr.ops import elementwise as rows, matmul as matmul_kernels, reductions, vendor
from xarr.tape import builder


@generalised("(n?,k),(k,m?)->(n?,m?)")
@cached_call
def matmul(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Any = None,
    *,
    axes: Any = None,
    dtype: DTypeLike = None,
    casting: str = "same_kind",
) -> Array:
    """Multiply matrices, or stacks of matrices.

    x1 : Array, shape (..., M, K) or (K,) -- The first operand.
    x2 : Array, shape (..., K, N) or (K,)
        The second operand. The stacks broadcast; a vector is a row on the left, a column on the
        right, and its axis of length one is removed from the result.
    axes : list of tuples of int, optional
        The axes of the matrices in x1, in x2 and in the result; by default the last two.
    dtype : dtype, optional -- The data type to convert the operands to first.

    -> Array, shape (..., M, N), of the data type that x1 and x2 promote to

    Note: For bools, an element is the logical or of the products.

    >>> (xarr.asarray([[1, 2], [3, 4]]) @ xarr.asarray([[5, 6], [7, 8]])).tolist()
    [[19, 22], [43, 50]]
    """
    where = "matmul(x1, x2)"
    first, second = retyped(together(x1, x2, where), dtype, casting, where)
    if axes is None:
        result = multiplied(first, second, where)
    else:
        cores = [min(len(view.shape), 2) for view in (first, second)]
        cores.append(sum(cores) - 2)
        result = _along(multiplied, (first, second), axes, cores, where)
    return deliver(result, out, where, casting=casting)


def _matvec_now(x1: Any, x2: Any) -> Any:
    """Let NumPy multiply as the routine does that is recorded for more elements."""
    return numpy.matmul(*_like_routines(x1, x2[..., None], x1))[..., 0]


def _vecmat_now(x1: Any, x2: Any) -> Any:
    row = x1.conj() if x1.dtype.kind == "c" else x1
    return numpy.matmul(*_like_routines(row[..., None, :], x2, x2))[..., 0, :]


def _like_routines(first: Any, second: Any, matrices: Any) -> tuple[Any, Any]:
    """Return operands of matrices of one type that a library multiplies, as it may."""
    wide = first.dtype == second.dtype != numpy.float16
    if matrices.ndim < 2 or not wide or vendor.is_reproducible():
        raise NotImplementedError
    return first, second


@generalised("(m,n),(n)->(m)")
@by_numpy(_matvec_now, 2)
@cached_call
def matvec(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Any = None,
    *,
    axes: Any = None,
    dtype: DTypeLike = None,
    casting: str = "same_kind",
) -> Array:
    """Multiply matrices, shape (..., M, N), by vectors, shape (..., N).

    axes : list of tuples of int, optional
        The axes of the matrices, of the vectors and of the result; by default the last ones.

    -> Array, shape (..., M), of the data type that x1 and x2 promote to

    >>> xarr.matvec(xarr.asarray([[1, 2], [3, 4]]), xarr.asarray([5, 6])).tolist()
    [17, 39]
    """
    where = "matvec(x1, x2)"
    operands = retyped(together(x1, x2, where), dtype, casting, where)
    result = _along(_matrix_by_vector, operands, axes, (2, 1, 1), where)
    return deliver(result, out, where, casting=casting)


@generalised("(n),(n,m)->(m)")
@by_numpy(_vecmat_now, 2)
@cached_call
def vecmat(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Any = None,
    *,
    axes: Any = None,
    dtype: DTypeLike = None,
    casting: str = "same_kind",
) -> Array:
    """Multiply conjugated vectors, shape (..., N), by matrices, shape (..., N, M).

    axes : list of tuples of int, optional
        The axes of the vectors, of the matrices and of the result; by default the last ones.

    -> Array, shape (..., M), of the data type that x1 and x2 promote to

    >>> xarr.vecmat(xarr.asarray([1j, 2]), xarr.asarray([[1, 0], [0, 1]])).tolist()
    [-1j, (2+0j)]
    """
    where = "vecmat(x1, x2)"
    operands = retyped(together(x1, x2, where), dtype, casting, where)
    result = _along(_vector_by_matrix, operands, axes, (1, 2, 1), where)
    return deliver(result, out, where, casting=casting)


def _matrix_by_vector(first: View, second: View, where: str) -> Array:
    column = builder.reshaped(second, (*second.shape, 1))
    result = multiplied(first, column, where)
    return result.reshape(result.shape[:-1])


def _vector_by_matrix(first: View, second: View, where: str) -> Array:
    if first.dtype.kind == COMPLEX:
        first = rows.conj.applied(first)
    row = builder.reshaped(first, (*first.shape[:-1], 1, first.shape[-1]))
    result = multiplied(row, second, where)
    return result.reshape((*result.shape[:-2], result.shape[-1]))


def _along(
    function: Callable[[View, View, str], Array],
    operands: Sequence[View],
    axes: Any,
    cores: Sequence[int],
    where: str,
) -> Array:
    """Apply a product whose operands and result have `cores` axes, which `axes` may name."""
    for view, core in zip(operands, cores[:2], strict=True):
        if len(view.shape) < core:
            fault = f"an operand has {axes_of(len(view.shape))}"
            raise value_error(where, fault, f"it must have at least {core}")
    if axes is None:
        return function(operands[0], operands[1], where)
    places = _places(axes, cores, where)
    for view, own in zip(operands, places[:2], strict=True):
        layout.normalize_axes(own, len(view.shape), where)
    moved = [
        manipulation.moveaxis(Array(view), own, tuple(range(-len(own), 0)))._view
        for view, own in zip(operands, places[:2], strict=True)
    ]
    result = function(moved[0], moved[1], where)
    layout.normalize_axes(places[2], result.ndim, where)
    return manipulation.moveaxis(result, tuple(range(-len(places[2]), 0)), places[2])


def _places(axes: Any, cores: Sequence[int], where: str) -> list[tuple[int, ...]]:
    """The entries of `axes` as tuples; that of a result without axes may be left out."""
    entries = [_sequence(entry) for entry in axes]
    if len(entries) == 2 and not cores[2]:
        entries.append(())
    if [len(entry) for entry in entries] != list(cores):
        fault = f"axes is {axes!r}"
        accepted = f"it must be a list of {len(cores)} tuples of {', '.join(map(str, cores))} axes"
        raise value_error(where, fault, accepted)
    return entries


def retyped(
    operands: Sequence[View], dtype: DTypeLike, casting: str, where: str
) -> tuple[View, ...]:
    """Operands as the dtype that a caller wishes, if any, where `casting` allows it."""
    if dtype is None:
        return tuple(operands)
    row = dtypes.lookup(dtype, where)
    for view in operands:
        require_castable(view.dtype, row, casting, where, "an operand", "dtype is")
    return tuple(builder.converted(view, row) for view in operands)


@generalised("(n),(n)->()")
@cached_call
def vecdot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Any = None,
    *,
    axis: SupportsIndex = -1,
    axes: Any = None,
    keepdims: bool = False,
    dtype: DTypeLike = None,
    casting: str = "same_kind",
) -> Array:
    """Compute the dot products of vectors along an axis, conjugating x1.

    axes : list of int, optional -- Instead of `axis`: the axis of the vectors in x1, in x2, and,
        with `keepdims`, in the result.
    dtype : dtype, optional
        The data type of the result and of the computation; None derives it from the operands.

    -> Array, shape that x1 and x2 broadcast to, without the axis unless `keepdims`
        Of the data type that x1 and x2 promote to.

    Note: Expressions that compute x1 and x2 are fused into the sum.

    >>> float(xarr.vecdot(xarr.asarray([1.0, 2.0]), xarr.asarray([3.0, 4.0])))
    11.0
    """
    where = "vecdot(x1, x2)"
    kept = axis
    if axes is None:
        first, second, place = vectors(x1, x2, kept, where)
    else:
        if axis != -1:
            raise type_error(where, "axis and axes are given", "one of them must be left out")
        own, other, last = _places(axes, (1, 1, int(bool(keepdims))), where)
        first, second = (
            manipulation.moveaxis(
                Array(view), layout.normalize_axis(axis, len(view.shape), where), -1
            )._view
            for view, (axis,) in zip(together(x1, x2, where), (own, other), strict=True)
        )
        place, kept = -1, last[0] if last else -1
    first, second = retyped((first, second), dtype, casting, where)
    places = [layout.normalize_axis(place, len(view.shape), where) for view in (first, second)]
    if first.shape[places[0]] != second.shape[places[1]]:
        fault = f"the vectors have {first.shape[places[0]]} and {second.shape[places[1]]} elements"
        raise value_error(where, fault, "they must be equally long")
    if first.dtype.kind == COMPLEX:
        first = rows.conj.applied(first)
    result = summed(first, second, place, where)
    if keepdims:
        result = manipulation.expand_dims(result, kept)
    return deliver(result, out, where, casting=casting)


def summed(first: View, second: View, axes: Any, where: str) -> Array:
    """The sums, along axes, of the products of two views of one dtype."""
    row = first.dtype
    logical = row.kind == BOOL
    view = (rows.logical_and if logical else rows.multiply).combined(first, second)
    if logical:
        return reduced(reductions.any, view, axes, where=where)
    return reduced(reductions.sum, view, axes, dtype=row.numpy, where=where)


def multiplied(
    first: View, second: View, where: str, names: tuple[str, str] = ("x1", "x2")
) -> Array:
    """`matmul` of operands of one dtype; errors name the calling function, `where`."""
    shapes = first.shape, second.shape
    if len(shapes[0]) == len(shapes[1]) == 1 and is_unobserved():
        value = vendor.inner(first, second)
        if value is not None:
            return made(number_like(first, value))
    if not shapes[0] or not shapes[1]:
        fault = f"{names[1] if shapes[0] else names[0]} is 0-dimensional"
        accepted = "operands must be matrices or vectors"
        raise value_error(where, fault, accepted, "multiply by a scalar with *")
    given = first, second
    row_vector, column_vector = len(shapes[0]) == 1, len(shapes[1]) == 1
    if row_vector:
        first = builder.reshaped(first, (1, *first.shape))
    if column_vector:
        second = builder.reshaped(second, (*second.shape, 1))
    if first.shape[-1] != second.shape[-2]:
        fault = f"{names[0]} has shape {shapes[0]} and {names[1]} {shapes[1]}"
        columns, rows_ = f"{first.shape[-1]} columns", f"{second.shape[-2]} rows"
        accepted = f"the {columns} of {names[0]} must be as many as the {rows_} of {names[1]}"
        remedy = ""
        if first.shape[-1] == second.shape[-1] and not column_vector:
            remedy = f"transpose {names[1]}, as {names[1]}.mT"
        elif first.shape[-2] == second.shape[-2] and not row_vector:
            remedy = f"transpose {names[0]}, as {names[0]}.mT"
        raise value_error(where, fault, accepted, remedy)
    stack = layout.broadcast_shapes(first.shape[:-2], second.shape[:-2], where=where)
    result = product_of(first, second, stack)
    shape = result.shape
    if row_vector:
        shape = (*shape[:-2], shape[-1])
    if column_vector:
        shape = shape[:-1]
    shaped = builder.reshaped(result, shape)
    _remember(given, (first, second), result, shaped)
    return Array(shaped)


def _remember(
    given: tuple[View, View], operands: tuple[View, View], result: View, shaped: View
) -> None:
    """Have `row_function.known_product` find the opcode of a product that NumPy computes.

    Stacks have none, as `dot` multiplies them in another way, nor have two vectors, as their
    product is no instruction where their elements are there.
    """
    one, two = given[0].structure, given[1].structure
    is_known = None not in (one.strides, two.strides) and one.is_met() and two.is_met()
    dtype = result.dtype
    if not is_known or dtype is dtypes.float16 or vendor.is_reproducible():
        return
    if result.storage is not None and 0 < len(shaped.shape) <= 2:
        opcode = vendor.numpys_opcode("matmul", (), numpy.matmul, operands, result.shape, dtype)
        if opcode is not None:
            taken = operands[0].structure, operands[1].structure
            PRODUCTS.remember((one, two), (opcode, *taken, shaped.structure))


def product_of(first: View, second: View, stack: Shape) -> View:
    """The product of two stacks of matrices, where the device does it best."""
    shape = (*stack, first.shape[-2], second.shape[-1])
    row = first.dtype
    if 0 in shape or first.shape[-1] == 0:
        return constant(row.numpy.type(0).item(), row, shape, first.device)
    if row is not dtypes.float16 and not vendor.is_reproducible():
        found = vendor.deferred("matmul", (), numpy.matmul, (first, second), shape, row)
        if found is not None:
            return found
        if 1 in shape[-2:]:
            operands = (first, second, -1) if shape[-1] == 1 else (second, first, -2)
            return builder.reshaped(_by_vector(*operands), shape)
    function = vendor.routine("matmul", row, first.device)
    if function is None:
        return matmul_kernels.matmul(first, second)
    if row is dtypes.float16:
        wide = [builder.converted(view, dtypes.float32) for view in (first, second)]
        return builder.converted(product_of(wide[0], wide[1], stack), row)
    return vendor.recorded("matmul", function, (first, second), shape, row)


def _by_vector(matrix: View, vector: View, axis: int) -> View:
    """The products of matrices, along one of their two axes, and vectors with an axis of one more.

    They are as fast as memory is, so they are sums, which expressions join, in memory's order.
    """
    where, along = matrix.layout, axis
    if where is not None:
        along = -2 if abs(where.strides[axis]) > abs(where.strides[-3 - axis]) else -1
    if along != axis:
        matrix = manipulation.swapaxes(Array(matrix), -2, -1)._view
    length = max(vector.shape[-2:])
    core = (1, length) if along == -1 else (length, 1)
    turned = builder.reshaped(vector, (*vector.shape[:-2], *core))
    return summed(matrix, turned, along, "matmul(x1, x2)")._view


@cached_call
def tensordot(a: ArrayLike, b: ArrayLike, axes: Any = 2) -> Array:
    """Sum products over some axes of both operands.

    axes : int or pair of sequences of int, optional
        An integer N sums over the last N axes of a and the first N of b; a pair lists the axes of a
        and the axes of b, in the same order.

    -> Array, shape of a's other axes, then b's, of the data type that a and b promote to

    ValueError -- If paired axes differ in length, or an axis is named twice.

    >>> xarr.tensordot(xarr.ones((2, 3)), xarr.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    where = "tensordot(a, b, axes)"
    names = ("a", "b")
    return keep_array(summed_products(*together(a, b, where, names), axes, where, names))


def summed_products(
    first: View, second: View, axes: Any, where: str, names: tuple[str, str] = ("x1", "x2")
) -> Array:
    """`tensordot` of operands of one dtype; errors name the calling function, `where`."""
    one, two = _contracted(axes, first.shape, second.shape, where)
    for left, right in zip(one, two, strict=True):
        if first.shape[left] != second.shape[right]:
            fault = f"axis {left} of {names[0]} has {first.shape[left]} elements"
            fault += f" and axis {right} of {names[1]} {second.shape[right]}"
            raise value_error(where, fault, "axes that are contracted must be equally long")
    kept_one = [axis for axis in range(len(first.shape)) if axis not in one]
    kept_two = [axis for axis in range(len(second.shape)) if axis not in two]
    rows = tuple(first.shape[axis] for axis in kept_one)
    columns = tuple(second.shape[axis] for axis in kept_two)
    layout.require_possible((*rows, *columns), where)
    length = math.prod(first.shape[axis] for axis in one)
    permute = manipulation.permute_dims
    a = permute(Array(first), (*kept_one, *one)).reshape((math.prod(rows), length))
    b = permute(Array(second), (*two, *kept_two)).reshape((length, math.prod(columns)))
    return Array(builder.reshaped(product_of(a._view, b._view, ()), (*rows, *columns)))


def _contracted(
    axes: Any, first: Shape, second: Shape, where: str
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes that `tensordot` contracts, none negative."""
    if isinstance(axes, int | numpy.integer):
        count = int(axes)
        if not 0 <= count <= min(len(first), len(second)):
            fault = f"axes is {axes} and the operands have {len(first)} and {len(second)} axes"
            accepted = "it must be at most as many axes as both have, and not negative"
            raise value_error(where, fault, accepted)
        return tuple(range(len(first) - count, len(first))), tuple(range(count))
    try:
        one, two = axes
    except (TypeError, ValueError):
        fault = f"axes is {axes!r}"
        raise value_error(where, fault, "it must be an integer or a pair of sequences") from None
    one = tuple(layout.normalize_axis(axis, len(first), where) for axis in _sequence(one))
    two = tuple(layout.normalize_axis(axis, len(second), where) for axis in _sequence(two))
    if len(one) != len(two) or len(set(one)) != len(one) or len(set(two)) != len(two):
        fault = f"axes is {axes!r}"
        accepted = "the sequences must be equally long, and no axis may come twice"
        raise value_error(where, fault, accepted)
    return one, two


def _sequence(axes: Any) -> tuple[Any, ...]:
    return tuple(axes) if isinstance(axes, list | tuple | range | numpy.ndarray) else (axes,)


def numeric_pair(
    x1: Any, x2: Any, where: str, names: tuple[str, str] = ("x1", "x2")
) -> tuple[View, View]:
    """Two numeric operands as views of the data type that they promote to."""
    first, second = together(x1, x2, where, names)
    if first.dtype.kind not in dtypes.NUMERIC:
        fault = f"{names[0]} and {names[1]} have dtype {first.dtype}"
        accepted = "one of them must be numeric"
        raise type_error(where, fault, accepted, f'convert with {names[0]}.astype("int8")')
    return first, second


def vectors(x1: Any, x2: Any, axis: SupportsIndex, where: str) -> tuple[View, View, int]:
    """Two operands and the axis of their vectors, which counts from the end if that differs."""
    first, second = together(x1, x2, where)
    counts = [len(view.shape) for view in (first, second)]
    places = [layout.normalize_axis(axis, count, where) for count in counts]
    from_end = {place - count for place, count in zip(places, counts, strict=True)}
    if len(from_end) == 1:
        return first, second, from_end.pop()
    move = manipulation.moveaxis
    return (move(Array(first), places[0], -1)._view, move(Array(second), places[1], -1)._view, -1)


@cached_call
def matrix_transpose(x: ArrayLike, /) -> Array:
    """Transpose each matrix in a stack; return a view.

    x : Array, shape (..., M, N) -- The matrices.

    -> Array, shape (..., N, M), of the data type of x

    ValueError -- If x has fewer than two axes.
    """
    array = array_of(x, "matrix_transpose(x)")
    if array.ndim < 2:
        fault = f"x has shape {array.shape}"
        raise value_error("matrix_transpose(x)", fault, "it must have at least two dimensions")
    return array.mT
