"""Integers between bounds, exactly, of every integer data type."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy

from xarr import dtypes
from xarr.array.array import Array
from xarr.array.transfers import from_host
from xarr.backends.device import get_device
from xarr.core.tape import Node, constant
from xarr.dtypes import BOOL, INTEGER, SIGNED, DType
from xarr.engine import engine
from xarr.errors import type_error, value_error
from xarr.functions.calls.applying import reduced
from xarr.functions.random.drawing import Source, size_of
from xarr.tables import elementwise, random, reductions
from xarr.tables.rows import Elementwise

_WORD: Final = 1 << 64
_NARROW: Final = 1 << 32


def integers(
    source: Source, low: Any, high: Any, size: Any, dtype: Any, endpoint: bool, where: str
) -> Any:
    """Draw integers from `low` to `high`, which is included if `endpoint`."""
    row = _row_of(dtype, where)
    alone = high is None
    if alone:
        low, high = 0, low
    bounds = _Bounds(row, bool(endpoint), alone, where)
    if size is not None:
        size = size_of(size, where)
        if 0 in size:
            return Array(constant(0, row, size, get_device()))
    if isinstance(low, Array) or isinstance(high, Array):
        return _between_arrays(source, low, high, size, bounds)
    least, most = _on_host(low), _on_host(high) - (not endpoint)
    bounds.require(_some(least < bounds.lowest), _some(most > bounds.highest))
    bounds.require_order(_some(least > most))
    spans = most - least + 1
    computed = dtypes.int64 if row.kind == SIGNED else dtypes.uint64
    if isinstance(spans, numpy.ndarray) and spans.ndim:
        first, span = (
            from_host(
                numpy.asarray(values % _WORD, object).astype(numpy.uint64), get_device(), where
            )
            for values in (least, spans)
        )
        return source.sample(
            random.integers_wide, (first, span), size, where, dtype=computed, result=row
        )
    draw = random.integers if spans <= _NARROW else random.integers_wide
    numbers = (int(least) % _WORD, int(spans) % _WORD)
    drawn = source.sample(draw, numbers, size, where, dtype=computed, result=row)
    return _single(drawn, row, dtype) if isinstance(drawn, int) else drawn


def _single(drawn: int, row: DType, dtype: Any) -> Any:
    """One number: as Python has it where that was asked for, else of its data type."""
    if row.kind == SIGNED and drawn >= _WORD // 2:
        drawn -= _WORD
    if row.kind == BOOL:
        drawn = bool(drawn)
    if dtype in (int, bool):
        return drawn
    return Array(constant(drawn, row, (), get_device()))


class _Bounds(NamedTuple):
    """What bounds have to keep to, and how errors say that they do not."""

    row: DType
    endpoint: bool
    alone: bool
    where: str

    @property
    def lowest(self) -> int:
        """The least value of the data type."""
        return _range_of(self.row)[0]

    @property
    def highest(self) -> int:
        """The largest value of the data type."""
        return _range_of(self.row)[1]

    def require(self, low: bool, high: bool) -> None:
        """Refuse bounds, of which one is beyond the data type."""
        if low or high:
            fault = f"{'low' if low else 'high'} is out of bounds for {self.row}"
            accepted = f"{self.row} holds {self.lowest} to {self.highest}"
            raise value_error(self.where, fault, accepted)

    def require_order(self, wrong: bool) -> None:
        """Refuse bounds that hold no integer."""
        if wrong:
            first = "high" if self.alone else "low"
            sign = ("<" if self.alone else ">") + ("" if self.endpoint else "=")
            second = "0" if self.alone else "high"
            raise value_error(self.where, f"{first} {sign} {second}", "low is below high")


def _on_host(bound: Any) -> Any:
    """Bounds as exact Python integers, in an array of objects where there are several."""
    if isinstance(bound, int | float):
        return int(bound)
    return numpy.vectorize(int, otypes=[object])(numpy.asarray(bound, dtype=object))


def _some(holds: Any) -> bool:
    """Whether a comparison of bounds holds anywhere."""
    return holds if isinstance(holds, bool) else bool(holds.any())


def _row_of(dtype: Any, where: str) -> DType:
    row = dtypes.lookup(dtype, where)
    if row.kind not in (*INTEGER, BOOL):
        fault = f"Unsupported dtype {row} for integers"
        raise type_error(where, fault, "integer dtypes and bool are accepted")
    return row


def _range_of(row: DType) -> tuple[int, int]:
    return (0, 1) if row.kind == BOOL else dtypes.integer_bounds(row)


def _between_arrays(source: Source, low: Any, high: Any, size: Any, bounds: _Bounds) -> Any:
    """Draw between bounds that are arrays of a device; what they have to be waits for it."""
    row, endpoint, _, where = bounds
    device = (low if isinstance(low, Array) else high).device
    wide = dtypes.uint64 if row is dtypes.uint64 else dtypes.int64
    nodes = []
    for bound, most in ((low, bounds.highest), (high, bounds.highest + (not endpoint))):
        if not isinstance(bound, Array):
            values = _on_host(bound)
            beyond = _some(values < bounds.lowest), _some(values > most)
            bounds.require(bound is low and any(beyond), bound is high and any(beyond))
            # One less than it may be, where the bound is one more than the type holds.
            held = numpy.minimum(values, dtypes.integer_bounds(wide)[1], dtype=object)
            nodes.append(from_host(numpy.asarray(held, wide.numpy), device, where))
            continue
        node = bound._node
        if node.dtype.kind not in (*INTEGER, BOOL):
            node = engine.converted(node, dtypes.int64)
        beyond = (
            _is_beyond(elementwise.less, node, bounds.lowest),
            _is_beyond(elementwise.greater, node, most),
        )
        bounds.require(bound is low and any(beyond), bound is high and any(beyond))
        nodes.append(engine.converted(node, wide))
    least, last = nodes
    order = elementwise.less if endpoint else elementwise.less_equal
    bounds.require_order(bool(reduced(reductions.any, order.combined(last, least))))
    span = elementwise.subtract.combined(
        engine.converted(last, dtypes.uint64), engine.converted(least, dtypes.uint64)
    )
    if endpoint:
        span = elementwise.add.combined(span, constant(1, dtypes.uint64, (), device))
    return source.sample(random.integers_wide, (least, span), size, where, dtype=wide, result=row)


def _is_beyond(row: Elementwise, node: Node, bound: int) -> bool:
    """Whether an element is less, or greater, than a bound, which its data type may not hold."""
    lowest, highest = _range_of(node.dtype)
    if highest <= bound if row is elementwise.greater else lowest >= bound:
        return False
    limit = constant(bound, node.dtype, (), node.device)
    return bool(reduced(reductions.any, row.combined(node, limit)))
