"""Factorizations by xarr's own kernels, which have the same bits on every device.

Columns are eliminated one by one within a panel, and what is right of a panel by one product. All
steps are of the same shapes, with masks in the place of smaller matrices, so that a few programs
are all that is planned. Source: Golub and Van Loan, "Matrix Computations", 4th edition, sections
3.2, 3.4, 4.2 and 5.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy

from xarr.array.array import Array
from xarr.dtypes import COMPLEX
from xarr.functions.create import creation, fills, ranges
from xarr.functions.elementwise import elementwise
from xarr.functions.index import searching
from xarr.functions.linalg.products import matmul
from xarr.functions.reduce import reductions
from xarr.ir.views import View
from xarr.tape import recorders

LinAlgError: Final = numpy.linalg.LinAlgError
_PANEL: Final = 32


def _panels(size: int) -> Iterator[tuple[int, int]]:
    for start in range(0, size, _PANEL):
        yield start, min(start + _PANEL, size)


def _range(start: int, stop: int, like: Array) -> Array:
    return ranges.arange(start, stop, device=like.device)


def _adjoint(x: Array) -> Array:
    return elementwise.conj(x.mT) if x._view.dtype.kind == COMPLEX else x.mT


def _refuse_any(fault: str, is_wrong: Array) -> None:
    def check(view: View) -> None:
        if bool(reductions.any(Array(view))):
            raise LinAlgError(fault)

    recorders.checked(check, is_wrong._view)


def _size(x: Array) -> Array:
    """|x|^2, real."""
    if x._view.dtype.kind != COMPLEX:
        return x * x
    return x.real * x.real + x.imag * x.imag


class _Eliminated:
    """P A = L U: both factors in one matrix, the order of rows, and whether it is an odd one."""

    def __init__(self, a: Array) -> None:
        size = a.shape[-1]
        rows = _range(0, size, a)
        a = a.copy()
        order = fills.zeros(a.shape[:-1], dtype="int64", device=a.device) + rows
        odd = fills.zeros(a.shape[:-2], dtype="bool", device=a.device)
        for start, stop in _panels(size):
            panel, moved = a[..., start:stop], rows + order * 0
            columns = _range(start, stop, a)
            for k in range(start, stop):
                sizes = searching.where(rows < k, -1, elementwise.abs(panel[..., k - start]))
                pivot = reductions.argmax(sizes, axis=-1, keepdims=True)
                odd = odd ^ (pivot[..., 0] != k)
                here = searching.where(rows == pivot, k, rows)
                here = searching.where(rows == k, pivot, here)
                panel = searching.take_along_axis(panel, here[..., None], axis=-2)
                moved = searching.take_along_axis(moved, here, axis=-1)
                column, row = panel[..., k - start], panel[..., k, :]
                divisor = row[..., k - start, None]
                factors = searching.where(
                    rows > k, column / searching.where(divisor == 0, 1, divisor), 0
                )
                right = searching.where(columns > k, row, 0)
                panel = panel - factors[..., None] * right[..., None, :]
                panel[..., k - start] = searching.where(rows > k, factors, column)
            a = searching.take_along_axis(a, moved[..., None], axis=-2)
            order = searching.take_along_axis(order, moved, axis=-1)
            a[..., start:stop] = panel
            if stop == size:
                break
            beyond = rows >= stop
            block = _by_diagonal(a[..., start:stop, start:stop], a[..., start:stop, :], lower=True)
            a[..., start:stop, :] = searching.where(beyond, block, a[..., start:stop, :])
            below = searching.where(beyond[:, None], panel, 0)
            a = a - matmul(below, searching.where(beyond, block, 0))
        self.factors, self.order, self.odd = a, order, odd

    @property
    def diagonal(self) -> Array:
        """The diagonal of U."""
        size = self.factors.shape[-1]
        at = _range(0, size, self.factors)
        return self.factors[..., at, at]

    def solved(self, b: Array) -> Array:
        """X of A X = B."""
        _refuse_any("Singular matrix", self.diagonal == 0)
        b = searching.take_along_axis(b, self.order[..., None], axis=-2)
        b = _substituted(self.factors, b, lower=True)
        return _substituted(self.factors, b, lower=False)


def _by_diagonal(block: Array, b: Array, *, lower: bool) -> Array:
    """X of L X = B, with ones on the diagonal of L, or of U X = B, for a panel's own block."""
    count = block.shape[-1]
    rows = _range(0, count, b)
    for k in range(count) if lower else reversed(range(count)):
        row = b[..., k : k + 1, :]
        if not lower:
            row = row / block[..., k : k + 1, k, None]
            b = searching.where((rows == k)[:, None], row, b)
        rest = rows > k if lower else rows < k
        b = b - searching.where(rest, block[..., k], 0)[..., None] * row
    return b


def _substituted(factors: Array, b: Array, *, lower: bool) -> Array:
    """X of L X = B, or of U X = B, panel by panel."""
    size = b.shape[-2]
    rows = _range(0, size, b)
    b = b.copy()
    panels = [*_panels(size)]
    for start, stop in panels if lower else reversed(panels):
        block = factors[..., start:stop, start:stop]
        part = _by_diagonal(block, b[..., start:stop, :], lower=lower)
        b[..., start:stop, :] = part
        rest = rows >= stop if lower else rows < start
        b = b - matmul(searching.where(rest[:, None], factors[..., start:stop], 0), part)
    return b


def _solve(a: Array, b: Array) -> tuple[Array]:
    is_vector = b.ndim == 1
    columns = b[:, None] if is_vector else b
    stack = numpy.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    columns = fills.zeros((*stack, *columns.shape[-2:]), dtype=b.dtype, device=b.device) + columns
    if a.ndim < columns.ndim:  # as many axes, so that rows of both are taken alike
        a = a[(None,) * (columns.ndim - a.ndim)]
    found = _Eliminated(a).solved(columns)
    return (found[..., 0] if is_vector else found,)


def _inv(a: Array) -> tuple[Array]:
    identity = creation.eye(a.shape[-1], dtype=a.dtype, device=a.device)
    return (_Eliminated(a).solved(identity + fills.zeros_like(a)),)


def _det(a: Array) -> tuple[Array]:
    eliminated = _Eliminated(a)
    product = reductions.prod(eliminated.diagonal, axis=-1)
    return (searching.where(eliminated.odd, -product, product),)


def _slogdet(a: Array) -> tuple[Array, Array]:
    eliminated = _Eliminated(a)
    diagonal = eliminated.diagonal
    sizes = elementwise.abs(diagonal)
    is_zero = sizes == 0
    signs = searching.where(is_zero, 0, diagonal / searching.where(is_zero, 1, sizes))
    sign = reductions.prod(signs, axis=-1)
    logs = searching.where(is_zero, -numpy.inf, elementwise.log(searching.where(is_zero, 1, sizes)))
    return searching.where(eliminated.odd, -sign, sign), reductions.sum(logs, axis=-1)


def _cholesky(a: Array, upper: bool) -> tuple[Array]:
    a = _adjoint(a).copy() if upper else a.copy()
    size = a.shape[-1]
    rows = _range(0, size, a)
    is_wrong = fills.zeros(a.shape[:-2], dtype="bool", device=a.device)
    for start, stop in _panels(size):
        panel = a[..., start:stop].copy()
        columns = _range(start, stop, a)
        for k in range(start, stop):
            pivot = panel[..., k, k - start].real
            is_wrong = is_wrong | ~(pivot > 0)
            root = elementwise.sqrt(pivot)[..., None]
            column = searching.where(rows == k, root, panel[..., k - start] / root)
            column = searching.where(rows >= k, column, 0)
            across = searching.where(columns > k, elementwise.conj(column[..., start:stop]), 0)
            panel = panel - column[..., None] * across[..., None, :]
            panel[..., k - start] = column
        a[..., start:stop] = panel
        below = searching.where((rows >= stop)[:, None], panel, 0)
        a = a - matmul(below, _adjoint(below))
    _refuse_any("Matrix is not positive definite", is_wrong)
    a = searching.where(rows[:, None] >= rows, a, 0)
    return (_adjoint(a) if upper else a,)


def _qr(a: Array, mode: str) -> tuple[Array, Array]:
    count, size = a.shape[-2:]
    inner = count if mode == "complete" else min(count, size)
    rows = _range(0, count, a)
    reflections = []
    for k in range(min(count, size)):
        column = a[..., k]
        alpha = column[..., k]
        largest = reductions.max(searching.where(rows >= k, elementwise.abs(column), 0), axis=-1)
        scale = searching.where(largest == 0, 1, largest)
        sizes = _size(column / scale[..., None])
        tail = reductions.sum(searching.where(rows > k, sizes, 0), axis=-1)
        norm = scale * elementwise.sqrt(tail + _size(alpha / scale))
        is_done = (tail == 0) & (alpha == alpha.real)
        beta = -elementwise.copysign(norm, alpha.real)
        tau = searching.where(is_done, 0, (beta - alpha) / searching.where(is_done, 1, beta))
        divisor = searching.where(is_done, 1, alpha - beta)[..., None]
        v = searching.where(rows > k, column / divisor, searching.where(rows == k, 1, 0))
        v = v.astype(a.dtype)
        a = _reflected(v, elementwise.conj(tau), a)
        reflections.append((v, tau))
    q = creation.eye(count, inner, dtype=a.dtype, device=a.device)
    q = q + fills.zeros((*a.shape[:-2], count, inner), dtype=a.dtype, device=a.device)
    for v, tau in reversed(reflections):
        q = _reflected(v, tau, q)
    upper = _range(0, size, a) >= rows[:, None]
    return q, searching.where(upper, a, 0)[..., :inner, :]


def _reflected(v: Array, tau: Array, a: Array) -> Array:
    """A - tau v v^H A."""
    across = reductions.sum(elementwise.conj(v)[..., None] * a, axis=-2)
    return a - (tau[..., None] * v)[..., None] * across[..., None, :]


_OWN: Final[dict[str, Callable[..., Sequence[Array]]]] = {
    "solve": _solve,
    "inv": _inv,
    "det": _det,
    "slogdet": _slogdet,
    "cholesky": _cholesky,
    "qr": _qr,
}


def own(name: str) -> Callable[..., Sequence[Array]] | None:
    """The device's implementation of NumPy's function of `linalg`; None where there is none."""
    return _OWN.get(name)
