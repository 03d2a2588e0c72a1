"""Linear algebra: products, norms, factorizations, of matrices and stacks of matrices.

Products run as the device's library or `products` computes them; factorizations and what needs one
are a library's, the device's or else LAPACK on the host. What is elementwise or a reduction is an
expression like any other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, SupportsIndex

import numpy

from xarr import dtypes, errors, layout
from xarr.algorithms import library, products
from xarr.array.array import Array, ArrayLike, Axis, DTypeLike, settled, view
from xarr.array.conversion import as_array
from xarr.array.door import handed, node_of, together
from xarr.backends.device import default_float
from xarr.dtypes import COMPLEX, FLOATING, DType
from xarr.engine import engine
from xarr.engine.expression import Node, constant
from xarr.functions import creation, elementwise, joining, manipulation, reductions, searching
from xarr.functions.applying import reduced
from xarr.layout import Layout, Shape
from xarr.tables import elementwise as rows, reductions as folds
from xarr.tables.rows import OWN, Elementwise, Reduction

LinAlgError: Final = numpy.linalg.LinAlgError


class QRResult(NamedTuple):
    """The factors of `qr`."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """The result of `slogdet`."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """The factors of `svd`."""

    U: Array
    S: Array
    Vh: Array


class EigResult(NamedTuple):
    """The result of `eig`."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """The result of `eigh`."""

    eigenvalues: Array
    eigenvectors: Array


def _node(x: Any, where: str, kinds: tuple[str, ...] = dtypes.ANY) -> Node:
    """An operand as a node whose dtype is of some kinds."""
    node = node_of(x, where)
    if node.dtype.kind not in kinds:
        raise TypeError(
            errors.message(
                where,
                f"x has dtype {node.dtype}",
                f"{dtypes.KIND_WORDS[kinds]} dtypes are accepted",
                'convert with x.astype("float32")',
            )
        )
    return node


def _require_floating(x: list[Node], where: str, name: str = "x") -> None:
    """Make of integers the default floating-point type; refuse float16."""
    if x[0].dtype is dtypes.float16:
        raise TypeError(
            errors.message(
                where,
                f"{name} has dtype float16",
                "LAPACK has float32, float64, complex64 and complex128",
                f'convert with {name}.astype("float32")',
            )
        )
    if x[0].dtype.kind not in FLOATING:
        x.append(engine.converted(x[0], default_float(x[0].device)))
        del x[0]


def _matrices(x: Any, where: str, *, square: bool = False, name: str = "x") -> Node:
    """A stack of floating-point matrices; integers become the default floating-point type."""
    held = [node_of(x, where, name)]
    _require_floating(held, where, name)
    node = held.pop()
    _require_matrix(node.shape, where, name)
    if square and node.shape[-1] != node.shape[-2]:
        raise LinAlgError(
            errors.message(
                where,
                f"{name} has shape {node.shape}",
                "square matrices are accepted, shape (..., M, M)",
            )
        )
    return node


def _require_matrix(shape: Shape, where: str, name: str) -> None:
    if len(shape) < 2:
        raise LinAlgError(
            errors.message(
                where,
                f"{name} has shape {shape}",
                "at least two dimensions are needed, shape (..., M, N)",
            )
        )


def _real(row: DType) -> DType:
    """The type of the parts of a complex type, else the type itself."""
    return dtypes.PART.get(row, row)


def _complex(row: DType) -> DType:
    return dtypes.COMPLEX_OF.get(row, row)


def _by_library(
    where: str,
    name: str,
    operands: Sequence[Node],
    *results: tuple[Shape, DType],
    **options: Any,
) -> list[Array]:
    """Let a library's `name` of linalg compute arrays of given shapes and dtypes."""
    try:
        made = library.run(where, f"linalg.{name}", operands, results, **options)
    except LinAlgError as error:
        shapes = " and ".join(str(node.shape) for node in operands)
        accepted, remedy = _SOLVABLE.get(name, _FINITE)
        raise LinAlgError(
            errors.message(where, f"of shape {shapes}: {error}", accepted, remedy)
        ) from error
    return [Array(node) for node in made]


_FINITE: Final = ("finite matrices are accepted", "find the others with xarr.isfinite")
_SOLVABLE: Final = {
    "inv": ("invertible matrices are accepted", "use linalg.pinv(x)"),
    "solve": ("invertible matrices x1 are accepted", "use linalg.pinv(x1) @ x2"),
    "cholesky": ("positive-definite matrices are accepted", "use linalg.eigh(x)"),
}
"""What factorizations need, where that is more than finite elements, and what does with less."""


def matmul(x1: Any, x2: Any, /) -> Array:
    """The matrix product, of each pair of matrices in two stacks.

    Parameters
    ----------
    x1 : Array, shape (..., M, K) or (K,)
        The first operand.
    x2 : Array, shape (..., K, N) or (K,)
        The second operand. The stacks broadcast; a vector is a row on the left, a column on the
        right, and its axis of length one does not stand in the result.

    Returns
    -------
    Array, shape (..., M, N), (..., M), (..., N) or ()
        Of the dtype that x1 and x2 promote to.

    Raises
    ------
    ValueError
        If an operand is 0-dimensional, or the shapes do not fit.
    TypeError
        If an operand is no array.

    Notes
    -----
    Python Array API standard 2025.12, linear algebra functions.

    Examples
    --------
    >>> import xarr
    >>> (xarr.asarray([[1, 2], [3, 4]]) @ xarr.asarray([5, 6])).tolist()
    [17, 39]
    """
    where = "matmul(x1, x2)"
    return _multiplied(*together(x1, x2, where), where)


def _multiplied(
    first: Node, second: Node, where: str, names: tuple[str, str] = ("x1", "x2")
) -> Array:
    """What `matmul` makes of operands of one dtype, for a function that errors name."""
    shapes = first.shape, second.shape
    for name, node in zip(names, (first, second), strict=True):
        if not node.shape:
            raise ValueError(
                errors.message(
                    where,
                    f"{name} is 0-dimensional",
                    "matrices and vectors are accepted",
                    "multiply by a scalar with *",
                )
            )
    row_vector, column_vector = len(first.shape) == 1, len(second.shape) == 1
    if row_vector:
        first = engine.reshaped(first, (1, *first.shape))
    if column_vector:
        second = engine.reshaped(second, (*second.shape, 1))
    if first.shape[-1] != second.shape[-2]:
        raise ValueError(
            errors.message(
                where,
                f"{names[0]} has shape {shapes[0]} and {names[1]} {shapes[1]}",
                f"the {first.shape[-1]} columns of {names[0]} have to be as many as the "
                f"{second.shape[-2]} rows of {names[1]}",
            )
        )
    stack = layout.broadcast_shapes(first.shape[:-2], second.shape[:-2], where=where)
    result = _product(first, second, stack)
    shape = result.shape
    if row_vector:
        shape = (*shape[:-2], shape[-1])
    if column_vector:
        shape = shape[:-1]
    return Array(engine.reshaped(result, shape))


def _product(first: Node, second: Node, stack: Shape) -> Node:
    """The product of two stacks of matrices, where the device does it best."""
    shape = (*stack, first.shape[-2], second.shape[-1])
    row = first.dtype
    if 0 in shape or first.shape[-1] == 0:
        return constant(row.numpy.type(0).item(), row, shape, first.device)
    if library.routine("matmul", row, first.device) is None:
        return products.matmul(first, second)
    if row is dtypes.float16:
        wide = [engine.converted(node, dtypes.float32) for node in (first, second)]
        return engine.converted(_product(wide[0], wide[1], stack), row)
    return library.run("matmul(x1, x2)", "matmul", (first, second), [(shape, row)], out=True)[0]


def matrix_transpose(x: Array, /) -> Array:
    """The transpose of each matrix in a stack; a view.

    Parameters
    ----------
    x : Array, shape (..., M, N)
        The matrices.

    Returns
    -------
    Array, shape (..., N, M)
        Shares memory with x.

    Raises
    ------
    ValueError
        If x has fewer than two dimensions.

    Notes
    -----
    Python Array API standard 2025.12, linear algebra functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.matrix_transpose(xarr.asarray([[1, 2], [3, 4]])).tolist()
    [[1, 3], [2, 4]]
    """
    node = _node(x, "matrix_transpose(x)")
    if len(node.shape) < 2:
        raise ValueError(
            errors.message(
                "matrix_transpose(x)",
                f"x has shape {node.shape}",
                "at least two dimensions are needed",
            )
        )
    return x.mT


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Array:
    """The sum of products over some axes of both operands.

    Parameters
    ----------
    x1, x2 : Array, shapes (...)
        The operands.
    axes : int or pair of sequences of int, optional
        An integer N contracts the last N axes of x1 with the first N of x2; a pair names the axes
        of each, which have to be equally long one by one.

    Returns
    -------
    Array
        Its shape is what is left of x1's, then what is left of x2's; of the dtype that both promote
        to.

    Raises
    ------
    ValueError
        If the axes do not fit.
    TypeError
        If an operand is no array.

    Notes
    -----
    Python Array API standard 2025.12, linear algebra functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.tensordot(xarr.ones((2, 3)), xarr.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    where = "tensordot(x1, x2, axes)"
    return _summed_products(*together(x1, x2, where), axes, where)


def _summed_products(
    first: Node, second: Node, axes: Any, where: str, names: tuple[str, str] = ("x1", "x2")
) -> Array:
    """What `tensordot` makes of operands of one dtype, for a function that errors name."""
    one, two = _contracted(axes, first.shape, second.shape, where)
    for left, right in zip(one, two, strict=True):
        if first.shape[left] != second.shape[right]:
            raise ValueError(
                errors.message(
                    where,
                    f"axis {left} of {names[0]} has {first.shape[left]} elements and axis "
                    f"{right} of {names[1]} {second.shape[right]}",
                    "axes that are contracted have to be equally long",
                )
            )
    kept_one = [axis for axis in range(len(first.shape)) if axis not in one]
    kept_two = [axis for axis in range(len(second.shape)) if axis not in two]
    rows = tuple(first.shape[axis] for axis in kept_one)
    columns = tuple(second.shape[axis] for axis in kept_two)
    layout.require_possible((*rows, *columns), where)
    length = math.prod(first.shape[axis] for axis in one)
    permute = manipulation.permute_dims
    a = permute(Array(first), (*kept_one, *one)).reshape((math.prod(rows), length))
    b = permute(Array(second), (*two, *kept_two)).reshape((length, math.prod(columns)))
    return Array(engine.reshaped(_product(a._node, b._node, ()), (*rows, *columns)))


def _contracted(
    axes: Any, first: Shape, second: Shape, where: str
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes that `tensordot` contracts, none negative."""
    if isinstance(axes, int | numpy.integer):
        count = int(axes)
        if not 0 <= count <= min(len(first), len(second)):
            raise ValueError(
                errors.message(
                    where,
                    f"axes is {axes}, x1 has {len(first)} dimensions and x2 {len(second)}",
                    "at most as many axes as both have are accepted, and no negative number",
                )
            )
        return tuple(range(len(first) - count, len(first))), tuple(range(count))
    try:
        one, two = axes
    except (TypeError, ValueError):
        raise ValueError(
            errors.message(
                where, f"axes is {axes!r}", "an integer or a pair of sequences is accepted"
            )
        ) from None
    one = tuple(layout.normalize_axis(axis, len(first), where) for axis in _sequence(one))
    two = tuple(layout.normalize_axis(axis, len(second), where) for axis in _sequence(two))
    if len(one) != len(two) or len(set(one)) != len(one) or len(set(two)) != len(two):
        raise ValueError(
            errors.message(
                where,
                f"axes is {axes!r}",
                "the sequences have to be equally long, and no axis may come twice",
            )
        )
    return one, two


def _sequence(axes: Any) -> tuple[Any, ...]:
    return tuple(axes) if isinstance(axes, list | tuple | range | numpy.ndarray) else (axes,)


def vecdot(x1: Any, x2: Any, /, *, axis: SupportsIndex = -1) -> Array:
    """The dot product of vectors along an axis, with the first operand conjugated.

    Parameters
    ----------
    x1, x2 : Array, shapes that broadcast to (..., N, ...)
        The vectors.
    axis : int, optional
        The axis of the vectors, in each operand.

    Returns
    -------
    Array
        Without the axis, of the dtype that both promote to. An expression of the product is fused
        into the sum.

    Raises
    ------
    ValueError
        If the vectors are not equally long, or the shapes do not broadcast.
    AxisError
        If the axis is out of range.
    TypeError
        If an operand is no numeric array.

    Notes
    -----
    Python Array API standard 2025.12, linear algebra functions.

    Examples
    --------
    >>> import xarr
    >>> float(xarr.vecdot(xarr.asarray([1.0, 2.0]), xarr.asarray([3.0, 4.0])))
    11.0
    """
    where = "vecdot(x1, x2)"
    first, second, axis = _vectors(x1, x2, axis, where)
    places = [layout.normalize_axis(axis, len(node.shape), where) for node in (first, second)]
    if first.shape[places[0]] != second.shape[places[1]]:
        raise ValueError(
            errors.message(
                where,
                f"the vectors have {first.shape[places[0]]} and {second.shape[places[1]]} elements",
                "equally long vectors are accepted",
            )
        )
    row = first.dtype
    if row.kind == COMPLEX:
        first = rows.conj.applied(first)
    node = rows.multiply.combined(first, second)
    del x1, x2, first, second  # what only the product needs is not stored
    return reduced(folds.sum, node, axis, dtype=row.numpy, where=where)


def numeric_pair(
    x1: Any, x2: Any, where: str, names: tuple[str, str] = ("x1", "x2")
) -> tuple[Node, Node]:
    """Two numeric operands as nodes of the data type that they promote to."""
    """Two numeric operands as nodes of the data type that they promote to."""
    first, second = together(x1, x2, where, names)
    if first.dtype.kind not in dtypes.NUMERIC:
        raise TypeError(
            errors.message(
                where,
                f"{names[0]} and {names[1]} have dtype {first.dtype}",
                "numeric dtypes are accepted",
                f'convert with {names[0]}.astype("int8")',
            )
        )
    return first, second


def _vectors(x1: Any, x2: Any, axis: SupportsIndex, where: str) -> tuple[Node, Node, int]:
    """Two operands and the axis of their vectors, which counts from the end if that differs."""
    first, second = numeric_pair(x1, x2, where)
    counts = [len(node.shape) for node in (first, second)]
    places = [layout.normalize_axis(axis, count, where) for count in counts]
    from_end = {place - count for place, count in zip(places, counts, strict=True)}
    if len(from_end) == 1:
        return first, second, from_end.pop()
    move = manipulation.moveaxis
    return (
        move(Array(first), places[0], -1)._node,
        move(Array(second), places[1], -1)._node,
        -1,
    )


def outer(x1: Any, x2: Any, /) -> Array:
    """The products of each element of one vector with each of another.

    Parameters
    ----------
    x1 : Array, shape (N,)
        The first vector.
    x2 : Array, shape (M,)
        The second vector.

    Returns
    -------
    Array, shape (N, M)
        Of the dtype that both promote to; still an expression.

    Raises
    ------
    ValueError
        If an operand is no vector.
    TypeError
        If an operand is no numeric array.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> xarr.linalg.outer(xarr.asarray([1, 2]), xarr.asarray([3, 4])).tolist()
    [[3, 4], [6, 8]]
    """
    where = "linalg.outer(x1, x2)"
    first, second = numeric_pair(x1, x2, where)
    for name, node in (("x1", first), ("x2", second)):
        if len(node.shape) != 1:
            raise ValueError(
                errors.message(
                    where, f"{name} has shape {node.shape}", "one-dimensional arrays are accepted"
                )
            )
    return Array(engine.reshaped(first, (*first.shape, 1))) * Array(second)


def cross(x1: Any, x2: Any, /, *, axis: SupportsIndex = -1) -> Array:
    """The cross product of vectors with three elements.

    Parameters
    ----------
    x1, x2 : Array, shapes that broadcast to (..., 3, ...)
        The vectors.
    axis : int, optional
        The axis of the vectors, whose three elements are not broadcast.

    Returns
    -------
    Array, shape (..., 3, ...)
        Of the dtype that both promote to.

    Raises
    ------
    ValueError
        If the vectors do not have three elements, or the shapes do not broadcast.
    AxisError
        If the axis is out of range.
    TypeError
        If an operand is no numeric array.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> xarr.linalg.cross(xarr.asarray([1, 0, 0]), xarr.asarray([0, 1, 0])).tolist()
    [0, 0, 1]
    """
    where = "linalg.cross(x1, x2)"
    first, second, axis = _vectors(x1, x2, axis, where)
    parts = []
    for node in (first, second):
        place = layout.normalize_axis(axis, len(node.shape), where)
        if node.shape[place] != 3:
            raise ValueError(
                errors.message(
                    where,
                    f"axis {axis} has {node.shape[place]} elements",
                    "vectors of three elements are accepted",
                )
            )
        before = (slice(None),) * place
        parts.append([Array(node)[(*before, number)] for number in range(3)])
    shape = layout.broadcast_shapes(first.shape, second.shape, where=where)
    place = layout.normalize_axis(axis, len(shape), where)
    (a0, a1, a2), (b0, b1, b2) = parts
    result: Array = joining.stack(
        (a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0), axis=place
    )
    return result


def matrix_power(x: Array, n: SupportsIndex, /) -> Array:
    """A square matrix multiplied with itself n times.

    Parameters
    ----------
    x : floating-point Array, shape (..., M, M)
        The matrices.
    n : int
        The exponent; a negative one inverts the matrices first.

    Returns
    -------
    Array, shape (..., M, M)
        Of the dtype of x.

    Raises
    ------
    LinAlgError
        If the matrices are not square, or are singular and n is negative.
    TypeError
        If n is no integer, or x is no array.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg. Squares repeatedly: at most
    2 log2(n) products.

    Examples
    --------
    >>> import xarr
    >>> x = xarr.asarray([[1.0, 1.0], [0.0, 1.0]])
    >>> xarr.linalg.matrix_power(x, 3).tolist()
    [[1.0, 3.0], [0.0, 1.0]]
    >>> xarr.linalg.matrix_power(x, -1).tolist()
    [[1.0, -1.0], [0.0, 1.0]]
    """
    where = "linalg.matrix_power(x, n)"
    node = _node(x, where)
    _require_matrix(node.shape, where, "x")
    if node.shape[-1] != node.shape[-2]:
        raise LinAlgError(
            errors.message(where, f"x has shape {node.shape}", "square matrices are accepted")
        )
    if isinstance(n, bool) or not isinstance(n, int | numpy.integer):
        raise TypeError(errors.message(where, f"n is {n!r}", "an integer is accepted"))
    if n == 0:
        one = creation.eye(node.shape[-1], dtype=x.dtype, device=x.device)
        return Array(engine.copied(engine.broadcast(one._node, node.shape)))
    base = _inv(x, where) if n < 0 else x
    power: Array | None = None
    exponent = abs(int(n))
    while True:
        if exponent & 1:
            power = base if power is None else matmul(power, base)
        exponent >>= 1
        if power is not None and not exponent:
            return power
        base = matmul(base, base)


def diagonal(x: Array, /, *, offset: SupportsIndex = 0) -> Array:
    """The diagonals of matrices; a view.

    Parameters
    ----------
    x : Array, shape (..., M, N)
        The matrices.
    offset : int, optional
        How far above the main diagonal, in columns; negative below.

    Returns
    -------
    Array, shape (..., K)
        Shares memory with x, as NumPy's does, but can be written to.

    Raises
    ------
    ValueError
        If x has fewer than two dimensions.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> xarr.linalg.diagonal(xarr.asarray([[1, 2], [3, 4]])).tolist()
    [1, 4]
    """
    return diagonal_of(x, offset, "linalg.diagonal(x)")


def diagonal_of(x: Array, offset: SupportsIndex, where: str) -> Array:
    """The diagonals of matrices, for a function that errors name."""
    node = _node(x, where)
    if len(node.shape) < 2:
        raise ValueError(
            errors.message(where, f"x has shape {node.shape}", "at least 2 dimensions are needed")
        )
    if isinstance(offset, bool) or not isinstance(offset, int | numpy.integer):
        raise TypeError(errors.message(where, f"offset is {offset!r}", "an integer is accepted"))
    matrix = settled(x)
    *stack, rows, columns = matrix.shape
    *strides, down, right = matrix.strides
    row, column = max(-offset, 0), max(offset, 0)
    length = max(min(rows - row, columns - column), 0)
    begin = matrix.offset + (row * down + column * right if length else 0)
    return view(x, Layout((*stack, length), (*strides, down + right), begin))


def trace(x: Array, /, *, offset: SupportsIndex = 0, dtype: DTypeLike = None) -> Array:
    """The sums of the diagonals of matrices.

    Parameters
    ----------
    x : numeric Array, shape (..., M, N)
        The matrices.
    offset : int, optional
        How far above the main diagonal, in columns; negative below.
    dtype : dtype, optional
        Of the result; as for `sum`.

    Returns
    -------
    Array, shape (...)
        The sums.

    Raises
    ------
    ValueError
        If x has fewer than two dimensions.
    TypeError
        If x is no numeric array.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> int(xarr.linalg.trace(xarr.asarray([[1, 2], [3, 4]])))
    5
    """
    return trace_of(x, offset, dtype, "linalg.trace(x)")


def trace_of(x: Array, offset: SupportsIndex, dtype: DTypeLike, where: str) -> Array:
    """The sums of the diagonals of matrices, for a function that errors name."""
    _node(x, where, dtypes.NUMERIC)
    line = diagonal_of(x, offset, where)._node
    return reduced(folds.sum, line, -1, dtype=dtype, where=where)


@handed
def vector_norm(
    x: list[Node], /, *, axis: Axis = None, keepdims: bool = False, ord: float = 2
) -> Array:
    """The norms of vectors, over one axis, several, or all.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The vectors.
    axis : int or tuple of int, optional
        The axes of the vectors; all of them where None.
    keepdims : bool, optional
        Whether the axes stay, with length 1.
    ord : int or float, optional
        p of the p-norm, any real number: inf is the largest magnitude, -inf the smallest, 0 the
        number of elements that are not zero.

    Returns
    -------
    real floating-point Array
        Of the precision of x. One kernel reads x once, whatever expression x is.

    Raises
    ------
    TypeError
        If x is no floating-point array.
    AxisError
        If an axis is out of range.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg. Magnitudes are not scaled: squares beyond
    the dtype's range overflow.

    Examples
    --------
    >>> import xarr
    >>> float(xarr.linalg.vector_norm(xarr.asarray([3.0, 4.0])))
    5.0
    """
    return _vector_norm(x, axis, keepdims, ord, "linalg.vector_norm(x)")


_SQUARES: Final = Elementwise(
    FLOATING,
    "x * x",
    "The square of the magnitude of x.",
    complex="x.re * x.re + x.im * x.im",
    result="real",
)


def _norm(name: str, combine: Elementwise, empty: float, **columns: Any) -> Reduction:
    row = Reduction(FLOATING, "", value=OWN, combine=combine, empty=empty, **columns)
    row.name = name
    return row


_NORM_1: Final = _norm("norm_1", rows.add, 0.0, map=rows.abs)
_NORM_2: Final = _norm("norm_2", rows.add, 0.0, map=_SQUARES, finish="sqrt(acc)")
_LARGEST: Final = _norm("largest", rows.maximum, 0.0, map=rows.abs)
_SMALLEST: Final = _norm("smallest", rows.minimum, math.inf, map=rows.abs)
_NORMS: Final = {1: _NORM_1, 2: _NORM_2, math.inf: _LARGEST, -math.inf: _SMALLEST}


def _vector_norm(x: list[Node], axis: Any, keepdims: bool, ord: float, where: str) -> Array:
    if not isinstance(ord, int | float | numpy.integer | numpy.floating):
        raise TypeError(
            errors.message(
                where, f"ord is {ord!r}", "a real number is accepted, inf and -inf among them"
            )
        )
    if x[0].dtype.kind not in FLOATING:
        x.append(engine.converted(x[0], default_float(x[0].device)))
        del x[0]
    row = _real(x[0].dtype)
    if ord == 0:
        count = reduced(folds.count_nonzero, x[0], axis, keepdims=keepdims, where=where)
        return Array(engine.converted(count._node, row))
    if ord in _NORMS:
        return reduced(_NORMS[ord], x[0], axis, keepdims=keepdims, where=where)
    power = constant(row.numpy.type(ord).item(), row, (), x[0].device)
    powers = rows.pow.combined(rows.abs.applied(x.pop()), power)
    return reduced(folds.sum, powers, axis, keepdims=keepdims, where=where) ** (1.0 / ord)


@handed
def matrix_norm(
    x: list[Node],
    /,
    *,
    keepdims: bool = False,
    ord: float | Literal["fro", "nuc"] | None = "fro",
) -> Array:
    """The norms of matrices.

    Parameters
    ----------
    x : floating-point Array, shape (..., M, N)
        The matrices.
    keepdims : bool, optional
        Whether the last two axes stay, with length 1.
    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}, optional
        Frobenius norm; sum of the singular values; largest or smallest sum of the magnitudes of a
        column; largest or smallest singular value; largest or smallest sum of those of a row.

    Returns
    -------
    real floating-point Array, shape (...)
        Of the precision of x.

    Raises
    ------
    ValueError
        If `ord` is none of these.
    LinAlgError
        If x has fewer than two dimensions.
    TypeError
        If x is no array.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> x = xarr.asarray([[3.0, 0.0], [0.0, 4.0]])
    >>> float(xarr.linalg.matrix_norm(x))
    5.0
    >>> float(xarr.linalg.matrix_norm(x, ord="nuc"))
    7.0
    """
    return _matrix_norm(x, keepdims, ord, "linalg.matrix_norm(x)")


def _matrix_norm(x: list[Node], keepdims: bool, ord: Any, where: str) -> Array:
    _require_floating(x, where)
    _require_matrix(x[0].shape, where, "x")
    if ord in ("fro", None):
        return _vector_norm(x, (-2, -1), keepdims, 2, where)
    shape, row = x[0].shape, _real(x[0].dtype)
    result: Array
    if ord in ("nuc", 2, -2):
        single = _svdvals(Array(x.pop()), where)
        if ord == "nuc" or 0 in shape[-2:]:
            result = reductions.sum(single, axis=-1)
        else:
            result = single[..., 0 if ord == 2 else -1]
    elif ord in (1, -1, math.inf, -math.inf):
        sums = reduced(_NORM_1, x[0], -2 if ord in (1, -1) else -1, where=where)
        if sums.shape[-1] == 0:
            result = reductions.sum(sums, axis=-1)
        else:
            result = reductions.max(sums, axis=-1) if ord > 0 else reductions.min(sums, axis=-1)
    else:
        raise ValueError(
            errors.message(
                where, f"ord is {ord!r}", '"fro", "nuc", 1, -1, 2, -2, inf and -inf are accepted'
            )
        )
    result = Array(engine.converted(result._node, row))
    return result.reshape((*result.shape, 1, 1)) if keepdims else result


def det(x: Array, /) -> Array:
    """The determinants of square matrices.

    Parameters
    ----------
    x : floating-point Array, shape (..., M, M)
        The matrices: float32, float64, complex64 or complex128. Integers become the default
        floating-point dtype.

    Returns
    -------
    Array, shape (...)
        Of the dtype of x.

    Raises
    ------
    LinAlgError
        If the matrices are not square, or LAPACK does not converge.
    TypeError
        If x is no array, or float16.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> round(float(xarr.linalg.det(xarr.asarray([[1.0, 2.0], [3.0, 4.0]]))), 12)
    -2.0
    """
    where = "linalg.det(x)"
    node = _matrices(x, where, square=True)
    shape, row = node.shape, node.dtype
    return _by_library(where, "det", (node,), (shape[:-2], row))[0]


def slogdet(x: Array, /) -> SlogdetResult:
    """The signs of determinants, and the natural logarithms of their magnitudes.

    Parameters
    ----------
    x : floating-point Array, shape (..., M, M)
        The matrices: float32, float64, complex64 or complex128. Integers become the default
        floating-point dtype.

    Returns
    -------
    SlogdetResult: sign, logabsdet, Arrays of shape (...)
        The sign has the dtype of x, the logarithm the real one of its precision.

    Raises
    ------
    LinAlgError
        If the matrices are not square, or LAPACK does not converge.
    TypeError
        If x is no array, or float16.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> float(xarr.linalg.slogdet(xarr.eye(2)).logabsdet)
    0.0
    """
    where = "linalg.slogdet(x)"
    node = _matrices(x, where, square=True)
    shape, row = node.shape, node.dtype
    return SlogdetResult(
        *_by_library(where, "slogdet", (node,), (shape[:-2], row), (shape[:-2], _real(row)))
    )


def inv(x: Array, /) -> Array:
    """The inverses of square matrices.

    Parameters
    ----------
    x : floating-point Array, shape (..., M, M)
        The matrices: float32, float64, complex64 or complex128. Integers become the default
        floating-point dtype.

    Returns
    -------
    Array, shape (..., M, M)
        Of the dtype of x.

    Raises
    ------
    LinAlgError
        If the matrices are not square, or one is singular.
    TypeError
        If x is no array, or float16.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> xarr.linalg.inv(xarr.asarray([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return _inv(x, "linalg.inv(x)")


def eigh(x: Array, /) -> EighResult:
    """The eigenvalues, ascending, and eigenvectors of Hermitian or symmetric matrices.

    Parameters
    ----------
    x : floating-point Array, shape (..., M, M)
        The matrices: float32, float64, complex64 or complex128. Integers become the default
        floating-point dtype.

    Returns
    -------
    EighResult: eigenvalues, shape (..., M), eigenvectors, shape (..., M, M)
        The values are real, the vectors the columns. Only the lower triangle is read.

    Raises
    ------
    LinAlgError
        If the matrices are not square, or LAPACK does not converge.
    TypeError
        If x is no array, or float16.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> xarr.linalg.eigh(xarr.asarray([[2.0, 0.0], [0.0, 1.0]])).eigenvalues.tolist()
    [1.0, 2.0]
    """
    where = "linalg.eigh(x)"
    node = _matrices(x, where, square=True)
    shape, row = node.shape, node.dtype
    return EighResult(*_by_library(where, "eigh", (node,), (shape[:-1], _real(row)), (shape, row)))


def eigvalsh(x: Array, /) -> Array:
    """The eigenvalues of Hermitian or symmetric matrices, ascending.

    Parameters
    ----------
    x : floating-point Array, shape (..., M, M)
        The matrices: float32, float64, complex64 or complex128. Integers become the default
        floating-point dtype.

    Returns
    -------
    real Array, shape (..., M)
        Of the precision of x. Only the lower triangle is read.

    Raises
    ------
    LinAlgError
        If the matrices are not square, or LAPACK does not converge.
    TypeError
        If x is no array, or float16.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> xarr.linalg.eigvalsh(xarr.asarray([[2.0, 0.0], [0.0, 1.0]])).tolist()
    [1.0, 2.0]
    """
    where = "linalg.eigvalsh(x)"
    node = _matrices(x, where, square=True)
    shape, row = node.shape, node.dtype
    return _by_library(where, "eigvalsh", (node,), (shape[:-1], _real(row)))[0]


def eig(x: Array, /) -> EigResult:
    """The eigenvalues and eigenvectors of square matrices.

    Parameters
    ----------
    x : floating-point Array, shape (..., M, M)
        The matrices: float32, float64, complex64 or complex128. Integers become the default
        floating-point dtype.

    Returns
    -------
    EigResult: eigenvalues, shape (..., M), eigenvectors, shape (..., M, M)
        Complex, in no particular order; the vectors are the columns.

    Raises
    ------
    LinAlgError
        If the matrices are not square, or LAPACK does not converge.
    TypeError
        If x is no array, or float16.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> result = xarr.linalg.eig(xarr.asarray([[0.0, 1.0], [1.0, 0.0]]))
    >>> sorted(result.eigenvalues.real.tolist())
    [-1.0, 1.0]
    """
    where = "linalg.eig(x)"
    node = _matrices(x, where, square=True)
    shape, row = node.shape, node.dtype
    return EigResult(
        *_by_library(where, "eig", (node,), (shape[:-1], _complex(row)), (shape, _complex(row)))
    )


def eigvals(x: Array, /) -> Array:
    """The eigenvalues of square matrices, in no particular order.

    Parameters
    ----------
    x : floating-point Array, shape (..., M, M)
        The matrices: float32, float64, complex64 or complex128. Integers become the default
        floating-point dtype.

    Returns
    -------
    complex Array, shape (..., M)
        Of the precision of x.

    Raises
    ------
    LinAlgError
        If the matrices are not square, or LAPACK does not converge.
    TypeError
        If x is no array, or float16.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> xarr.linalg.eigvals(xarr.asarray([[3.0]])).tolist()
    [(3+0j)]
    """
    where = "linalg.eigvals(x)"
    node = _matrices(x, where, square=True)
    shape, row = node.shape, node.dtype
    return _by_library(where, "eigvals", (node,), (shape[:-1], _complex(row)))[0]


def svdvals(x: Array, /) -> Array:
    """The singular values of matrices, largest first.

    Parameters
    ----------
    x : floating-point Array, shape (..., M, N)
        The matrices: float32, float64, complex64 or complex128. Integers become the default
        floating-point dtype.

    Returns
    -------
    real Array, shape (..., min(M, N))
        Of the precision of x.

    Raises
    ------
    LinAlgError
        If x has fewer than two dimensions, or LAPACK does not converge.
    TypeError
        If x is no array, or float16.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> xarr.linalg.svdvals(xarr.asarray([[3.0, 0.0], [0.0, 4.0]])).tolist()
    [4.0, 3.0]
    """
    return _svdvals(x, "linalg.svdvals(x)")


def _inv(x: Any, where: str) -> Array:
    node = _matrices(x, where, square=True)
    return _by_library(where, "inv", (node,), (node.shape, node.dtype))[0]


def _svdvals(x: Any, where: str) -> Array:
    node = _matrices(x, where)
    shape = (*node.shape[:-2], min(node.shape[-2:]))
    return _by_library(where, "svdvals", (node,), (shape, _real(node.dtype)))[0]


def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """The Cholesky factors of Hermitian or symmetric positive-definite matrices.

    Parameters
    ----------
    x : floating-point Array, shape (..., M, M)
        The matrices; only the triangle of the factor is read.
    upper : bool, optional
        Whether to return U of x = U^H U rather than L of x = L L^H.

    Returns
    -------
    Array, shape (..., M, M)
        The triangular factors, of the dtype of x.

    Raises
    ------
    LinAlgError
        If the matrices are not square, or one is not positive-definite.
    TypeError
        If x is no array, or float16.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> xarr.linalg.cholesky(xarr.asarray([[4.0, 0.0], [0.0, 9.0]])).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    where = "linalg.cholesky(x)"
    node = _matrices(x, where, square=True)
    return _by_library(where, "cholesky", (node,), (node.shape, node.dtype), upper=bool(upper))[0]


def qr(x: Array, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """The QR decomposition of matrices: x = Q R with orthonormal Q and upper triangular R.

    Parameters
    ----------
    x : floating-point Array, shape (..., M, N)
        The matrices.
    mode : {"reduced", "complete"}, optional
        Whether Q has K = min(M, N) columns, or K = M.

    Returns
    -------
    QRResult: Q, shape (..., M, K), R, shape (..., K, N)
        Of the dtype of x.

    Raises
    ------
    ValueError
        If the mode is another.
    LinAlgError
        If x has fewer than two dimensions.
    TypeError
        If x is no array, or float16.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> xarr.linalg.qr(xarr.ones((3, 2))).R.shape
    (2, 2)
    """
    where = "linalg.qr(x)"
    if mode not in ("reduced", "complete"):
        raise ValueError(
            errors.message(where, f"mode is {mode!r}", '"reduced" and "complete" are accepted')
        )
    node = _matrices(x, where)
    *stack, rows, columns = node.shape
    inner = rows if mode == "complete" else min(rows, columns)
    return QRResult(
        *_by_library(
            where,
            "qr",
            (node,),
            ((*stack, rows, inner), node.dtype),
            ((*stack, inner, columns), node.dtype),
            mode=mode,
        )
    )


def svd(x: Array, /, *, full_matrices: bool = True) -> SVDResult:
    """The singular value decomposition of matrices: x = U diag(S) Vh.

    Parameters
    ----------
    x : floating-point Array, shape (..., M, N)
        The matrices.
    full_matrices : bool, optional
        Whether U and Vh are square, or have only K = min(M, N) columns and rows.

    Returns
    -------
    SVDResult: U, shape (..., M, M or K), S, shape (..., K), Vh, shape (..., N or K, N)
        U and Vh of the dtype of x; S real, largest first.

    Raises
    ------
    LinAlgError
        If x has fewer than two dimensions, or LAPACK does not converge.
    TypeError
        If x is no array, or float16.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> xarr.linalg.svd(xarr.ones((3, 2)), full_matrices=False).U.shape
    (3, 2)
    """
    where = "linalg.svd(x)"
    return _svd(_matrices(x, where), where, full_matrices=bool(full_matrices))


def _svd(node: Node, where: str, *, full_matrices: bool) -> SVDResult:
    *stack, rows, columns = node.shape
    count = min(rows, columns)
    left, right = (rows, columns) if full_matrices else (count, count)
    return SVDResult(
        *_by_library(
            where,
            "svd",
            (node,),
            ((*stack, rows, left), node.dtype),
            ((*stack, count), _real(node.dtype)),
            ((*stack, right, columns), node.dtype),
            full_matrices=full_matrices,
        )
    )


def solve(x1: Array, x2: ArrayLike, /) -> Array:
    """Solve systems of linear equations, x1 @ result = x2.

    Parameters
    ----------
    x1 : floating-point Array, shape (..., M, M)
        The matrices.
    x2 : floating-point Array, shape (M,) or (..., M, K)
        The right-hand sides: one vector, or matrices of K columns each. The stacks broadcast.

    Returns
    -------
    Array, shape (..., M) or (..., M, K)
        Of the dtype that both promote to.

    Raises
    ------
    LinAlgError
        If the matrices are not square, or one is singular.
    ValueError
        If the shapes do not fit.
    TypeError
        If an operand is no array, or float16.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> xarr.linalg.solve(xarr.asarray([[2.0, 0.0], [0.0, 4.0]]), xarr.asarray([2.0, 2.0])).tolist()
    [1.0, 0.5]
    """
    where = "linalg.solve(x1, x2)"
    first, second = together(x1, x2, where)
    matrices = _matrices(Array(first), where, square=True, name="x1")
    second = engine.converted(second, matrices.dtype)
    vector = len(second.shape) == 1
    columns = (*second.shape, 1) if vector else second.shape
    if not second.shape or columns[-2] != matrices.shape[-1]:
        raise ValueError(
            errors.message(
                where,
                f"x1 has shape {matrices.shape} and x2 {second.shape}",
                "x2 has as many rows as x1: shape (M,) or (..., M, K)",
            )
        )
    stack = layout.broadcast_shapes(matrices.shape[:-2], columns[:-2], where=where)
    shape = (*stack, *(columns[-2:-1] if vector else columns[-2:]))
    return _by_library(where, "solve", (matrices, second), (shape, matrices.dtype))[0]


def _cutoff(singular: Array, shape: Shape, rtol: Any, where: str) -> Array:
    """What singular values have to exceed, with an axis for them."""
    if rtol is None:
        return singular[..., :1] * (
            max(shape[-2:]) * float(numpy.finfo(singular._node.dtype.numpy).eps)
        )
    tolerance = as_array(rtol, where, "rtol", device=singular.device)
    if tolerance._node.dtype.kind not in dtypes.REAL_NUMERIC:
        raise TypeError(
            errors.message(
                where, f"rtol has dtype {tolerance.dtype}", "real numeric dtypes are accepted"
            )
        )
    if layout.broadcast_shapes(shape[:-2], tolerance.shape, where=where) != shape[:-2]:
        raise ValueError(
            errors.message(
                where,
                f"x has shape {shape} and rtol {tolerance.shape}",
                "a number for each matrix, or one for all, is accepted",
                "broadcast x to as many matrices",
            )
        )
    own: Array = tolerance.astype(singular.dtype, copy=False)
    return singular[..., :1] * own[..., None]


def matrix_rank(x: Array, /, *, rtol: Any = None) -> Array:
    """The ranks of matrices: how many singular values are not negligible.

    Parameters
    ----------
    x : floating-point Array, shape (..., M, N)
        The matrices.
    rtol : float or Array, shape that broadcasts to (...), optional
        Singular values up to rtol times the largest are negligible; max(M, N) times the dtype's
        epsilon where None.

    Returns
    -------
    int64 Array, shape (...)
        The ranks.

    Raises
    ------
    LinAlgError
        If x has fewer than two dimensions, or LAPACK does not converge.
    TypeError
        If x is no array, or float16.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg.

    Examples
    --------
    >>> import xarr
    >>> int(xarr.linalg.matrix_rank(xarr.ones((3, 3))))
    1
    """
    where = "linalg.matrix_rank(x, rtol)"
    node = _matrices(x, where)
    singular = _svdvals(Array(node), where)
    if 0 in node.shape[-2:]:
        return Array(constant(0, dtypes.int64, node.shape[:-2], node.device))
    beyond = singular > _cutoff(singular, node.shape, rtol, where)
    return reductions.count_nonzero(beyond, axis=-1)


def pinv(x: Array, /, *, rtol: Any = None) -> Array:
    """The Moore-Penrose pseudo-inverses of matrices.

    Parameters
    ----------
    x : floating-point Array, shape (..., M, N)
        The matrices.
    rtol : float or Array, shape that broadcasts to (...), optional
        Singular values up to rtol times the largest are taken as zero; max(M, N) times the dtype's
        epsilon where None.

    Returns
    -------
    Array, shape (..., N, M)
        Of the dtype of x.

    Raises
    ------
    LinAlgError
        If x has fewer than two dimensions, or LAPACK does not converge.
    TypeError
        If x is no array, or float16.

    Notes
    -----
    Python Array API standard 2025.12, extension linalg. By the singular value decomposition.

    Examples
    --------
    >>> import xarr
    >>> xarr.linalg.pinv(xarr.asarray([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    where = "linalg.pinv(x, rtol)"
    node = _matrices(x, where)
    *stack, rows, columns = node.shape
    if 0 in (rows, columns):
        shape = (*stack, columns, rows)
        return Array(constant(node.dtype.numpy.type(0).item(), node.dtype, shape, node.device))
    left, singular, right = _svd(node, where, full_matrices=False)
    significant = singular > _cutoff(singular, node.shape, rtol, where)
    inverse = searching.where(significant, 1 / singular, 0)
    if node.dtype.kind == COMPLEX:
        left, right = elementwise.conj(left), elementwise.conj(right)
    return matmul(right.mT * inverse[..., None, :], left.mT)


@handed
def norm(x: list[Node], /, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Array:
    """The norm of vectors or of matrices, by NumPy's name.

    Parameters
    ----------
    x : floating-point Array, shape (...)
        The vectors or matrices.
    ord : float or str, optional
        As in `vector_norm` for vectors, `matrix_norm` for matrices; None is the 2-norm of all
        elements.
    axis : int or pair of int, optional
        The axis of vectors, or the axes of matrices; all where None.
    keepdims : bool, optional
        Whether the axes stay, with length 1.

    Returns
    -------
    real floating-point Array
        The norms.

    Raises
    ------
    ValueError
        If `ord` is not known, or x has neither one nor two dimensions and `ord` needs them.

    Examples
    --------
    >>> import xarr
    >>> float(xarr.linalg.norm(xarr.asarray([3.0, 4.0])))
    5.0
    """
    where = "linalg.norm(x)"
    ndim = len(x[0].shape)
    axes = layout.normalize_axes(axis, ndim, where)
    if ord is None or len(axes) == 1:
        return _vector_norm(x, axis, keepdims, 2 if ord is None else ord, where)
    if len(axes) != 2:
        raise ValueError(
            errors.message(where, f"x has shape {x[0].shape} and axis is {axis}", "one or two axes")
        )
    named: Any = axis or axes
    pair = tuple(layout.normalize_axis(place, ndim, where) for place in named)
    if pair == (ndim - 2, ndim - 1):
        return _matrix_norm(x, keepdims, ord, where)
    moved = [manipulation.moveaxis(Array(x.pop()), pair, (-2, -1))._node]
    result = _matrix_norm(moved, keepdims, ord, where)
    return manipulation.moveaxis(result, (-2, -1), pair) if keepdims else result


def dot(a: Any, b: Any, /) -> Array:
    """NumPy's product: of scalars, vectors and matrices; else over a's last and b's last but one.

    Parameters
    ----------
    a : Array, shape (..., K)
        The first operand.
    b : Array, shape (..., K, N) or (K,)
        The second operand.

    Returns
    -------
    Array
        Of the dtype that both promote to.

    Raises
    ------
    ValueError
        If the shapes do not fit.
    TypeError
        If neither operand is an array.

    Examples
    --------
    >>> import xarr
    >>> int(xarr.dot(xarr.asarray([1, 2]), xarr.asarray([3, 4])))
    11
    """
    where, names = "dot(a, b)", ("a", "b")
    first, second = numeric_pair(a, b, where, names)
    if not first.shape or not second.shape:
        return Array(first) * Array(second)
    if len(first.shape) <= 2 and len(second.shape) <= 2:
        return _multiplied(first, second, where, names)
    last = -1 if len(second.shape) == 1 else -2
    return _summed_products(first, second, ((-1,), (last,)), where, names)
