"""Convolution and correlation of vectors, computed as they are defined."""

from __future__ import annotations

from typing import Any

from xarr import dtypes
from xarr.array.array import Array, ArrayLike
from xarr.array.conversion import as_array
from xarr.array.door import together
from xarr.array.layouts import settled
from xarr.core.tape import Node, constant, leaf
from xarr.dtypes import BOOL, COMPLEX
from xarr.engine import engine
from xarr.errors import type_error, value_error
from xarr.functions.calls.applying import reduced
from xarr.functions.reduce.comparing import device_of
from xarr.functions.shape import manipulation
from xarr.functions.shape.joining import Assembly
from xarr.layout import Layout
from xarr.tables import elementwise as rows, reductions as folds
from xarr.tables.rows import choose


def convolve(a: ArrayLike, v: ArrayLike, mode: str | int = "full") -> Array:
    """The convolution of two vectors: sum over m of a[m] v[n - m].

    mode : {"full", "same", "valid"}, optional -- All N + M - 1 sums; the max(N, M) in their middle;
        those where one vector lies within the other. Also 2, 1 and 0.

    Note: Each sum is computed in order, N M products in one launch; for two long vectors `xarr.fft`
    takes less time, with other roundings.

    >>> xarr.convolve(xarr.asarray([1, 2, 3]), [0, 1]).tolist()
    [0, 1, 2, 3]
    """
    first, second = _vectors(a, v, "convolve(a, v)")
    if second.size > first.size:
        first, second = second, first
    return _correlated(first, manipulation.flip(second), mode, "convolve(a, v, mode)")


def correlate(a: ArrayLike, v: ArrayLike, mode: str | int = "valid") -> Array:
    """The correlation of two vectors: sum over n of a[n + k] conj(v[n]).

    mode : {"valid", "same", "full"}, optional -- As of `convolve`, whose notes hold here too.

    >>> xarr.correlate(xarr.asarray([1, 2, 3]), [0, 1, 0.5]).tolist()
    [3.5]
    """
    where = "correlate(a, v, mode)"
    first, second = _vectors(a, v, "correlate(a, v)")
    if second._node.dtype.kind == COMPLEX:
        second = Array(rows.conj.applied(second._node))
    if second.size <= first.size:
        return _correlated(first, second, mode, where)
    # The sums of the shorter vector along the longer one, in the other order.
    return manipulation.flip(_correlated(second, first, mode, where)).copy()


def _vectors(a: Any, v: Any, where: str) -> tuple[Array, Array]:
    """Two operands as vectors of the data type that they promote to."""
    device = device_of(a, v)
    pair = [as_array(part, where, name, device=device) for name, part in (("a", a), ("v", v))]
    for name, part in zip(("a", "v"), pair, strict=True):
        if part.ndim > 1 or not part.size:
            fault = f"{name} has shape {part.shape}"
            raise value_error(where, fault, "a vector of elements is accepted")
    lines = [part.reshape(-1) for part in pair]
    first, second = together(lines[0], lines[1], where, ("a", "v"))
    return Array(first), Array(second)


def _correlated(a: Array, v: Array, mode: str | int, where: str) -> Array:
    """The sums of a, shape (N,), times v, shape (M <= N,), as v moves along it."""
    count = v.size
    around = {"full": (count - 1, count - 1), "same": (count // 2, (count - 1) // 2)}
    around["valid"] = (0, 0)
    if mode is None:
        raise type_error(where, "mode is None", "a str is accepted")
    if isinstance(mode, int) and 0 <= mode < 3:
        mode = ("valid", "same", "full")[mode]
    if mode not in around:
        raise value_error(where, f"mode is {mode!r}", "accepted are 'full', 'same' and 'valid'")
    before, after = around[mode]
    whole = [_padded(a, before, after)]
    if before or after:
        # What lies beyond a takes no part, were it only that 0 times infinity is NaN.
        inside = constant(True, dtypes.bool_, a.shape, a.device)
        whole.append(_padded(Array(inside), before, after))
    windows = [_windows(part, count) for part in whole]
    truths = a._node.dtype.kind == BOOL
    column = engine.reshaped(v._node, (count, 1))
    products = (rows.logical_and if truths else rows.multiply).combined(windows[0], column, where)
    if len(windows) == 2:
        products = choose(windows[1], products, _zero(products))
    return reduced(
        folds.any if truths else folds.sum,
        products,
        0,
        dtype=None if truths else products.dtype.numpy,
        where=where,
    )


def _windows(a: Array, count: int) -> Node:
    """The leaf of a vector's windows, shape (count, their number), which share its memory."""
    where = settled(a)
    (step,) = where.strides
    shape = (count, a.size - count + 1)
    storage = a._node.storage
    assert storage is not None
    return leaf(storage, Layout(shape, (step, step), where.offset), a._node.dtype)


def _padded(a: Array, before: int, after: int) -> Array:
    """A vector with zeros around it."""
    if not before and not after:
        return a
    node, size = a._node, a.size
    whole = Assembly((before + size + after,), node.dtype, node.device)
    for begin, length in ((0, before), (before + size, after)):
        if length:
            whole.put([begin], (length,), _zero(node))
    whole.put([before], (size,), node)
    return whole.array()


def _zero(node: Node) -> Node:
    """Zero, of the type of a node."""
    return constant(node.dtype.numpy.type(0).item(), node.dtype, (), node.device)
