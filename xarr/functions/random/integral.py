"""Integers between bounds, exactly, of every integer data type."""

from __future__ import annotations

from typing import Any, Final

from xarr import dtypes, errors
from xarr.array.array import Array
from xarr.array.conversion import as_array
from xarr.dtypes import BOOL, INTEGER, SIGNED, DType
from xarr.engine import engine
from xarr.engine.expression import Node, constant
from xarr.functions.applying import reduced
from xarr.functions.random.drawing import Source
from xarr.tables import elementwise, random, reductions

_WORD: Final = 1 << 64
_NARROW: Final = 1 << 32


def integers(
    source: Source,
    low: Any,
    high: Any,
    size: Any,
    dtype: Any,
    endpoint: bool,
    where: str,
) -> Any:
    """Draw integers from `low` to `high`, which is included if `endpoint`."""
    row = _row_of(dtype, where)
    if high is None:
        low, high = 0, low
    least, most = _bound(low, where, "low"), _bound(high, where, "high")
    if not isinstance(least, int) or not isinstance(most, int):
        return _between_arrays(source, least, most, size, row, endpoint, where)
    if not endpoint:
        most -= 1
    lowest, highest = _range_of(row)
    if least < lowest or most > highest:
        raise ValueError(
            errors.message(
                where,
                f"{'low' if least < lowest else 'high'} is out of bounds for {row}",
                f"{row} holds {lowest} to {highest}",
            )
        )
    if least > most:
        raise ValueError(errors.message(where, "low >= high", "low is below high"))
    span = most - least + 1
    draw = random.integers if span <= _NARROW else random.integers_wide
    computed = dtypes.int64 if row.kind == SIGNED else dtypes.uint64
    drawn = source.sample(
        draw, (least % _WORD, span % _WORD), size, where, dtype=computed, result=row
    )
    if isinstance(drawn, int) and row.kind == SIGNED and drawn >= _WORD // 2:
        drawn -= _WORD
    return bool(drawn) if row.kind == BOOL and isinstance(drawn, int) else drawn


def _row_of(dtype: Any, where: str) -> DType:
    row = dtypes.lookup(dtype, where)
    if row.kind not in (*INTEGER, BOOL):
        raise TypeError(
            errors.message(
                where,
                f"Unsupported dtype {row} for integers",
                "integer dtypes and bool are accepted",
            )
        )
    return row


def _range_of(row: DType) -> tuple[int, int]:
    return (0, 1) if row.kind == BOOL else dtypes.integer_bounds(row)


def _bound(value: Any, where: str, name: str) -> int | Node:
    """A bound: a Python integer, or the node of an array of them."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return int(value)
    array = as_array(value, where, name)
    if not array.shape and not isinstance(value, Array):
        return int(array.tolist())
    if array._node.dtype.kind not in (*INTEGER, BOOL):
        return engine.converted(array._node, dtypes.int64)
    return array._node


def _between_arrays(
    source: Source,
    low: int | Node,
    high: int | Node,
    size: Any,
    row: DType,
    endpoint: bool,
    where: str,
) -> Any:
    """Draw between bounds that are arrays; whether they are in order waits for the device."""
    beside = low if isinstance(low, Node) else high
    assert isinstance(beside, Node)
    wide = dtypes.uint64 if row is dtypes.uint64 else dtypes.int64
    device = beside.device
    lowest, highest = _range_of(row)
    bounds = []
    for bound, name, most in ((low, "low", highest), (high, "high", highest + (not endpoint))):
        if isinstance(bound, int):
            if not lowest <= bound <= most:
                raise _out_of_bounds(name, row, where)
            number = min(bound, dtypes.integer_bounds(wide)[1])
            bounds.append(constant(number, wide, (), device))
        else:
            _require_inside(bound, lowest, most, name, row, where)
            bounds.append(engine.converted(bound, wide))
    least, most_node = bounds
    order = elementwise.less if endpoint else elementwise.less_equal
    if bool(reduced(reductions.any, order.combined(most_node, least))):
        raise ValueError(errors.message(where, "low >= high", "low is below high"))
    span = elementwise.subtract.combined(
        engine.converted(most_node, dtypes.uint64), engine.converted(least, dtypes.uint64)
    )
    if endpoint:
        span = elementwise.add.combined(span, constant(1, dtypes.uint64, (), device))
    return source.sample(random.integers_wide, (least, span), size, where, dtype=wide, result=row)


def _require_inside(node: Node, lowest: int, most: int, name: str, row: DType, where: str) -> None:
    """Refuse an array of bounds that go beyond a data type."""
    holds = (0, 1) if node.dtype.kind == BOOL else dtypes.integer_bounds(node.dtype)
    for bound, order, beyond in (
        (lowest, elementwise.less, holds[0] < lowest),
        (most, elementwise.greater, holds[1] > most),
    ):
        if beyond:
            limit = constant(bound, node.dtype, (), node.device)
            if bool(reduced(reductions.any, order.combined(node, limit))):
                raise _out_of_bounds(name, row, where)


def _out_of_bounds(name: str, row: DType, where: str) -> ValueError:
    lowest, highest = _range_of(row)
    return ValueError(
        errors.message(
            where, f"{name} is out of bounds for {row}", f"{row} holds {lowest} to {highest}"
        )
    )
