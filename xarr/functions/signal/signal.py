"""Convolution and correlation of vectors, as they are defined; windows, which taper vectors."""

from __future__ import annotations

import math
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
from xarr.functions.create import creation, fills
from xarr.functions.elementwise import elementwise, floating
from xarr.functions.index import searching
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


def bartlett(M: float) -> Array:  # noqa: N803 - NumPy's name
    """The Bartlett window: a triangle.

    >>> xarr.bartlett(5).tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    n = _points(M)
    if n.size < 2:
        return n + 1.0
    return searching.where(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1))


def hanning(M: float) -> Array:  # noqa: N803 - NumPy's name
    """The Hann window: one period of a raised cosine.

    >>> xarr.hanning(3).round(12).tolist()
    [0.0, 1.0, 0.0]
    """
    return _cosines(M, 0.5, 0.5)


def hamming(M: float) -> Array:  # noqa: N803 - NumPy's name
    """The Hamming window: a raised cosine, from 0.08 to 1 and back.

    >>> xarr.hamming(3).round(12).tolist()
    [0.08, 1.0, 0.08]
    """
    return _cosines(M, 0.54, 0.46)


def blackman(M: float) -> Array:  # noqa: N803 - NumPy's name
    """The Blackman window: the first three terms of a sum of cosines.

    >>> xarr.blackman(3).round(12).tolist()
    [-0.0, 1.0, -0.0]
    """
    return _cosines(M, 0.42, 0.5, 0.08)


def kaiser(M: float, beta: float) -> Array:  # noqa: N803 - NumPy's name
    """The Kaiser window, of Bessel functions: from 1 / i0(beta) to 1 and back.

    beta : float -- The shape: 0 is a rectangle, 5 about Hamming's window, 14 a narrow peak.

    >>> xarr.kaiser(3, 0.0).tolist()
    [1.0, 1.0, 1.0]
    """
    if M <= 1:
        return _points(M) + 1.0
    half = (M - 1) / 2.0
    share = (creation.arange(0.0, M) - half) / half
    return floating.i0(float(beta) * elementwise.sqrt(1 - share * share)) / floating.i0(float(beta))


def _points(M: float) -> Array:  # noqa: N803 - NumPy's name
    """The odd or even integers from 1 - M to M - 1; 0 alone for one point."""
    if M < 1:
        return fills.zeros(0)
    if M == 1:
        return fills.zeros(1)
    return creation.arange(1.0 - M, M, 2.0)


def _cosines(M: float, *terms: float) -> Array:  # noqa: N803 - NumPy's name
    """The sum of cosines of 0, 1, 2 half periods over M points."""
    n = _points(M)
    if n.size < 2:
        return n + 1.0
    result = terms[0] + terms[1] * elementwise.cos(math.pi * n / (M - 1))
    if len(terms) == 2:
        return result
    return result + terms[2] * elementwise.cos(2.0 * math.pi * n / (M - 1))
