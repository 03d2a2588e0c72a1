"""C expressions of values: operations that name places, loads, stores, conversions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy

from xarr import dtypes
from xarr.dtypes import DType
from xarr.ir.operation import Operation
from xarr.layout import Shape

INDEX: Final = Operation("index", (), dtypes.int64, "(i64)index")
"""The position of an element in C order; it has no operands."""
INSIDE: Final = Operation("inside", (), dtypes.bool_, "inside")
"""Whether an item lies within bounds; it has no operands, and its access has the bounds."""
PLACES: Final = (INDEX, INSIDE)
"""The operations that have an access, though they load nothing."""


class GatherScatter(Operation):
    """An operation on memory at a computed place.

    Its first operand is a view whose storage and offset say where to begin, its second the number
    of elements (int64) from there. In `template`, `{memory}` is that place; the other operands
    follow as `{2}`, ... Where `writes`, the template is a statement without a value; with
    `in_order`, which needs a CPU, elements are written one after the other. `host` is given the
    memory, the places, and the values of the other operands; where it `writes` it returns places
    and values to write.
    """

    __slots__ = ("in_order", "writes")

    reads_other_positions = True
    is_indirect = True

    def __init__(
        self,
        name: str,
        operands: tuple[DType, ...],
        result: DType,
        template: str,
        *,
        writes: bool,
        in_order: bool = False,
        host: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(name, operands, result, template, host)
        self.writes = writes
        self.in_order = in_order


class RandomDraw(Operation):
    """An operation on blocks of random numbers, each of which serves `lanes` elements.

    Its first operand is the position, for which `template` is given the number of the block and of
    the element's lane in it. Strips of `STRIP` elements share the same blocks, so that elements
    which are neighbours in memory come of blocks which are neighbours: element i has block i //
    (lanes * STRIP) * STRIP + i % STRIP and lane i // STRIP % lanes.
    """

    __slots__ = ("lanes",)

    def __init__(
        self, name: str, operands: tuple[DType, ...], result: DType, template: str, lanes: int
    ) -> None:
        super().__init__(name, operands, result, template)
        self.lanes = lanes


class Roll(Operation):
    """The elements of a view moved along axes; those that leave at one end come in at the other.

    `shifts` count places to higher indices, from 0 to below the extent. A kernel reads the view
    itself, and stores no roll: twenty steps of life on 4096 x 4096 take an H100 2.3 ms, not 22.
    """

    __slots__ = ("shifts",)

    reads_other_positions = True

    def __init__(self, dtype: DType, shifts: Shape, host: Callable[..., Any] | None) -> None:
        super().__init__("roll", (dtype,), dtype, "{0}", host)
        self.shifts = shifts


def rolled(dtype: DType, shifts: Shape) -> Roll:
    """Return the operation that moves elements along axes by shifts below the extents."""
    halves = [((slice(shift, None), slice(None, -shift)), (slice(shift), slice(-shift, None)))
              if shift else ((slice(None),) * 2,) for shift in shifts]  # fmt: skip
    blocks = [tuple(zip(*block, strict=True)) for block in itertools.product(*halves)]

    def host(values: Any) -> Any:
        result = numpy.empty_like(values)
        for to, given in blocks:
            result[to] = values[given]
        return result

    return Roll(dtype, shifts, host)


def loaded(value: str, dtype: DType) -> str:
    """Return the expression that loads a value of `dtype` in its computed form."""
    if dtype is dtypes.bool_:
        return f"({value} != 0)"  # memory of others, or of another type, may hold other numbers
    return f"xr_half_to_float({value})" if dtype is dtypes.float16 else value


def stored(value: str, dtype: DType) -> str:
    """Return the expression that stores a computed value of `dtype`."""
    return f"xr_float_to_half({value})" if dtype is dtypes.float16 else value


def rounded(value: str, dtype: DType) -> str:
    """Round a computed value as storing and loading it would.

    float16 is computed in float32; each result is rounded, so that a fused chain has the bits of
    one that stored every result.
    """
    if dtype is dtypes.float16:
        return f"xr_half_to_float(xr_float_to_half({value}))"
    return value


def computed(name: str, operation: Operation, operands: Sequence[str]) -> str:
    """Return the statement that gives a name to an operation's value."""
    value = rounded(operation.template.format(*operands), operation.result)
    return f"const {operation.result.compute} {name} = {value};"


def cast(value: str, source: DType, target: DType) -> str:
    """Return the C expression that converts `value`, a name, from the computed form of `source`.

    `kernels/cast.h` says what becomes of numbers that the target cannot hold.
    """
    if source is target:
        return value
    if target is dtypes.float16:
        if source is dtypes.float64:
            return f"xr_half_to_float(xr_double_to_half({value}))"
        return rounded(_converted(value, source.compute, "f32"), target)
    return _converted(value, source.compute, target.compute)


_PART: Final = {row.compute: part.compute for row, part in dtypes.PART.items()}
_FLOATS: Final = ("f32", "f64")
_WIDER: Final = {
    "b8": "(i32)",
    "i8": "xr_wider_i8",
    "u8": "(i32)",
    "i16": "xr_wider_i16",
    "u16": "(i32)",
}
"""How 8 and 16 bits become int32, which they do on the way to 32 bits; see `kernels/cast.h`."""


def _converted(value: str, source: str, target: str) -> str:
    if source == target:
        return value
    if target in _PART:
        part = _PART[target]
        if source in _PART:
            real = _converted(f"{value}.re", _PART[source], part)
            imag = _converted(f"{value}.im", _PART[source], part)
            return f"xr_complex_{target}({real}, {imag})"
        return f"xr_complex_{target}({_converted(value, source, part)}, 0)"
    if source in _PART:
        if target == "b8":
            return f"(b8)xr_nonzero_{source}({value})"
        return _converted(f"{value}.re", _PART[source], target)
    if target == "b8":
        return f"(b8)({value} != ({source})0)"
    if source in _FLOATS and target not in _FLOATS:
        via = {"u32": "i64", "i64": "i64", "u64": "u64"}.get(target, "i32")
        return f"({target})xr_to_{via}_{source}({value})"
    if source in _WIDER and target in ("i32", "u32", "f32"):
        return f"({target}){_WIDER[source]}({value})"
    if (source, target) == ("i32", "i64"):
        return f"xr_wider_i32({value})"
    return f"({target})({value})"
