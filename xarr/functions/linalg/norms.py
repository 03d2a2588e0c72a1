"""Norms of vectors and matrices, and condition numbers."""

from __future__ import annotations

import math
from typing import Any, Final, Literal

import numpy

from xarr import layout
from xarr.array.array import Array, ArrayLike, Axis
from xarr.array.door import node_of
from xarr.backends.device import default_float
from xarr.core.tape import Node, constant
from xarr.dtypes import FLOATING
from xarr.engine import engine
from xarr.errors import type_error, value_error
from xarr.functions.calls.applying import reduced
from xarr.functions.linalg.linalg import (
    Matrices,
    floating,
    part_of,
    require_matrix,
    singular_values,
)
from xarr.functions.reduce import reductions
from xarr.functions.shape import manipulation
from xarr.tables import elementwise as rows, reductions as folds
from xarr.tables.rows import OWN, Elementwise, Reduction


def vector_norm(
    x: ArrayLike, /, *, axis: Axis = None, keepdims: bool = False, ord: float = 2
) -> Array:
    """The norms of vectors, over one axis, several, or all: real, of the precision of x.

    ord : int or float, optional -- p of the p-norm, any real number: inf is the largest magnitude,
        -inf the smallest, 0 the number of elements that are not zero.

    Note: Magnitudes are not scaled: squares beyond the dtype's range overflow. One kernel reads x
    once, whatever expression x is.

    >>> float(xarr.linalg.vector_norm(xarr.asarray([3.0, 4.0])))
    5.0
    """
    where = "linalg.vector_norm(x)"
    return _vector_norm(node_of(x, where), axis, keepdims, ord, where)


_SQUARES: Final = Elementwise(
    FLOATING,
    "x * x",
    "The square of the magnitude of x.",
    complex="x.re * x.re + x.im * x.im",
    result="real",
)


def _norm(name: str, combine: Elementwise, empty: float, **columns: Any) -> Reduction:
    row = Reduction(FLOATING, value=OWN, combine=combine, empty=empty, **columns)
    row.name = name
    return row


_NORM_1: Final = _norm("norm_1", rows.add, 0.0, map=rows.abs)


_NORM_2: Final = _norm("norm_2", rows.add, 0.0, map=_SQUARES, finish="sqrt(acc)")


_LARGEST: Final = _norm("largest", rows.maximum, 0.0, map=rows.abs)


_SMALLEST: Final = _norm("smallest", rows.minimum, math.inf, map=rows.abs)


_NORMS: Final = {1: _NORM_1, 2: _NORM_2, math.inf: _LARGEST, -math.inf: _SMALLEST}


def _vector_norm(x: Node, axis: Any, keepdims: bool, ord: float, where: str) -> Array:
    if not isinstance(ord, int | float | numpy.integer | numpy.floating):
        fault = f"ord is {ord!r}"
        raise type_error(where, fault, "a real number is accepted, inf and -inf among them")
    if x.dtype.kind not in FLOATING:
        x = engine.converted(x, default_float(x.device))
    row = part_of(x.dtype)
    if ord == 0:
        count = reduced(folds.count_nonzero, x, axis, keepdims=keepdims, where=where)
        return Array(engine.converted(count._node, row))
    if ord in _NORMS:
        return reduced(_NORMS[ord], x, axis, keepdims=keepdims, where=where)
    power = constant(row.numpy.type(ord).item(), row, (), x.device)
    powers = rows.pow.combined(rows.abs.applied(x), power)
    return reduced(folds.sum, powers, axis, keepdims=keepdims, where=where) ** (1.0 / ord)


def matrix_norm(
    x: Matrices, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro"
) -> Array:
    """The norms of matrices, real, of the precision of x.

    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}, optional
        Frobenius norm; sum of the singular values; largest or smallest sum of the magnitudes of a
        column; largest or smallest singular value; largest or smallest sum of those of a row.

    >>> x = xarr.asarray([[3.0, 0.0], [0.0, 4.0]])
    >>> float(xarr.linalg.matrix_norm(x))
    5.0
    >>> float(xarr.linalg.matrix_norm(x, ord="nuc"))
    7.0
    """
    where = "linalg.matrix_norm(x)"
    return _matrix_norm(node_of(x, where), keepdims, ord, where)


def _matrix_norm(x: Node, keepdims: bool, ord: Any, where: str) -> Array:
    x = floating(x, where)
    require_matrix(x.shape, where)
    if ord in ("fro", None):
        return _vector_norm(x, (-2, -1), keepdims, 2, where)
    shape, row = x.shape, part_of(x.dtype)
    result: Array
    if ord in ("nuc", 2, -2):
        single = singular_values(Array(x), where)
        if ord == "nuc" or 0 in shape[-2:]:
            result = reductions.sum(single, axis=-1)
        else:
            result = single[..., 0 if ord == 2 else -1]
    elif ord in (1, -1, math.inf, -math.inf):
        sums = reduced(_NORM_1, x, -2 if ord in (1, -1) else -1, where=where)
        if sums.shape[-1] == 0:
            result = reductions.sum(sums, axis=-1)
        else:
            result = reductions.max(sums, axis=-1) if ord > 0 else reductions.min(sums, axis=-1)
    else:
        fault = f"ord is {ord!r}"
        raise value_error(where, fault, '"fro", "nuc", 1, -1, 2, -2, inf and -inf are accepted')
    result = Array(engine.converted(result._node, row))
    return result.reshape((*result.shape, 1, 1)) if keepdims else result


def norm(x: ArrayLike, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Array:
    """The norm of vectors or of matrices, by NumPy's name.

    ord : float or str, optional -- As in `vector_norm` for vectors, `matrix_norm` for matrices;
        None is the 2-norm of all elements.
    axis : int or pair of int, optional
        The axis of vectors, or the axes of matrices; all where None.

    >>> float(xarr.linalg.norm(xarr.asarray([3.0, 4.0])))
    5.0
    """
    where = "linalg.norm(x)"
    node = node_of(x, where)
    ndim = len(node.shape)
    if ord is not None and axis is None and ndim not in (1, 2):
        raise value_error(where, f"x has {ndim} dimensions and axis is None", "one or two are")
    axes = layout.normalize_axes(axis, ndim, where)
    if axis is not None and len(axes) not in (1, 2):
        raise value_error(where, f"axis is {axis!r}", "one axis or two are accepted")
    if isinstance(ord, str) and len(axes) == 1:
        raise value_error(where, f"ord is {ord!r}", "the norms of vectors are numbers")
    if ord is None or len(axes) == 1:
        return _vector_norm(node, axis, keepdims, 2 if ord is None else ord, where)
    named: Any = axis or axes
    pair = tuple(layout.normalize_axis(place, ndim, where) for place in named)
    if pair == (ndim - 2, ndim - 1):
        return _matrix_norm(node, keepdims, ord, where)
    moved = manipulation.moveaxis(Array(node), pair, (-2, -1))
    result = _matrix_norm(moved._node, keepdims, ord, where)
    return manipulation.moveaxis(result, (-2, -1), pair) if keepdims else result
