"""Small statistics beyond the standard, made of reductions and scans."""

from __future__ import annotations

from typing import SupportsIndex

from xarr import dtypes
from xarr.array.array import Array, ArrayLike, Axis, DTypeLike, Out, product
from xarr.array.door import node_of
from xarr.array.outcome import single
from xarr.core.tape import Node
from xarr.engine import engine
from xarr.errors import type_error
from xarr.functions.calls.applying import reduced, scanned, sent
from xarr.tables import elementwise as rows_of_two, reductions as rows
from xarr.tables.rows import Reduction


def cumsum(
    a: ArrayLike, axis: SupportsIndex | None = None, dtype: DTypeLike = None, out: Out = None
) -> Array:
    """The running sums along an axis; small integers are widened as in the standard.

    >>> xarr.cumsum(xarr.asarray([[1, 2], [3, 4]])).tolist()
    [1, 3, 6, 10]
    """
    where = "cumsum(a, axis)"
    node = node_of(a, where)
    return _running(rows.cumulative_sum, node, axis, dtype, out, where)


def cumprod(
    a: ArrayLike, axis: SupportsIndex | None = None, dtype: DTypeLike = None, out: Out = None
) -> Array:
    """The running products along an axis; small integers are widened as in the standard.

    >>> xarr.cumprod(xarr.asarray([[1, 2], [3, 4]])).tolist()
    [1, 2, 6, 24]
    """
    where = "cumprod(a, axis)"
    node = node_of(a, where)
    return _running(rows.cumulative_prod, node, axis, dtype, out, where)


def _running(
    row: Reduction, x: Node, axis: SupportsIndex | None, dtype: DTypeLike, out: Out, where: str
) -> Array:
    """A scan, of the flattened array where there is no axis."""
    if axis is None:
        x, axis = engine.reshaped(x, (product(x.shape),)), 0
    return scanned(row, x, axis, dtype, False, where, out=out)


def ptp(a: ArrayLike, axis: Axis = None, out: Out = None, keepdims: bool = False) -> Array:
    """The largest element less the smallest (peak to peak).

    >>> float(xarr.ptp(xarr.asarray([2.0, 7.0, 3.0])))
    5.0
    """
    where = "ptp(a, axis)"
    node = node_of(a, where)
    if node.dtype.kind not in dtypes.NUMERIC:
        raise type_error(where, f"a has dtype {node.dtype}", "numeric dtypes are accepted")
    largest, smallest = (
        reduced(row, node, axis, keepdims=bool(keepdims), where=where)
        for row in (rows.max, rows.min)
    )
    result = rows_of_two.subtract.combined(largest._node, smallest._node)
    return sent(result, single(out, where), where)
