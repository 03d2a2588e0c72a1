"""Lower matrix products to launches of `kernels/matmul.c`: which tile, and how the sum is cut.

The order in which an element is summed is part of its definition, and depends on the length K of
the sum alone, so that a row of a product has the bits of that row's product, on every device:

- k is cut into pieces of `PIECE`. A piece's sum begins with 0 and takes its k in ascending order,
  ``acc = fma(x, y, acc)``, with one rounding each;
- the sums of the pieces are added in ascending order;
- for a complex x = a + bi and y = c + di, the real part takes ``fma(a, c, re)``, then
  ``fma(-b, d, re)``; the imaginary part ``fma(a, d, im)``, then ``fma(b, c, im)``;
- a sum that is zero is +0.

float16 is summed in float32 and rounded once, at the end. Integers wrap around; bool is an any of
ands. The error of a sum is below (PIECE + K / PIECE) eps sum|x y|.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from xarr import dtypes, layout, tuning
from xarr.codegen.expressions import loaded
from xarr.codegen.launch import MOST_GROUPS, RESULT, Launch
from xarr.codegen.source import define
from xarr.dtypes import DType
from xarr.ir.steps import Step
from xarr.layout import Shape
from xarr.lowering.operations import OpaqueOp, Ref
from xarr.lowering.skeleton import Skeleton

if TYPE_CHECKING:
    from xarr.backends.device import Device

PIECE: Final = 1024
"""The number of k that are summed before the sum is added to the total: this decides bits."""
_PACK_NBYTES: Final = 16
_MATMUL: Final = Skeleton("matmul.c", "xr_matmul")
_JOIN: Final = Skeleton("matmul.c", "xr_join")


@dataclass(frozen=True, slots=True)
class Tile:
    """The tile of a group, in elements; `speed` is relative, per element of the tile."""

    rows: int
    columns: int
    depth: int
    row_block: int
    column_block: int
    speed: float

    @property
    def items(self) -> int:
        """Items of a group."""
        return (self.rows // self.row_block) * (self.columns // self.column_block)


# 64 registers for sums, and less than 32 KiB of local memory, which is what OpenCL promises. The
# speeds come from counting loads of local memory for each product; they need to be right within 2.
TILES: Final = {
    4: (
        Tile(128, 128, 8, 8, 8, 1.0),
        Tile(64, 64, 16, 4, 4, 0.7),
        Tile(32, 32, 16, 4, 4, 0.5),
        Tile(128, 8, 16, 1, 8, 0.3),
        Tile(128, 1, 16, 1, 1, 0.05),
        Tile(16, 4, 16, 1, 1, 0.04),
    ),
    8: (
        Tile(128, 64, 8, 8, 4, 1.0),
        Tile(64, 64, 8, 4, 4, 0.8),
        Tile(32, 32, 8, 4, 4, 0.5),
        Tile(128, 8, 8, 1, 8, 0.3),
        Tile(128, 1, 8, 1, 1, 0.05),
        Tile(16, 4, 16, 1, 1, 0.04),
    ),
    16: (
        Tile(64, 64, 4, 4, 4, 1.0),
        Tile(32, 32, 4, 4, 4, 0.6),
        Tile(128, 4, 4, 1, 4, 0.3),
        Tile(128, 1, 4, 1, 1, 0.05),
        Tile(16, 4, 8, 1, 1, 0.04),
    ),
}
"""Tiles by the bytes of an accumulator, the best for large results first."""


class _Operand(NamedTuple):
    """A stack of matrices in memory; a line is read for one row or column of the result."""

    ref: Ref
    line: int
    k: int
    by_k: bool
    stack: tuple[int, ...]


def lower(
    operation: OpaqueOp, device: Device, operands: Sequence[Ref], target: Ref, wide: bool
) -> Step:
    """Return the launches of a product; `target` is all of a storage."""
    first, second = operands
    dtype, stack = target.dtype, target.pattern.shape[:-2]
    (rows, length), columns = first.pattern.shape[-2:], second.pattern.shape[-1]
    one, two = _walk(first, stack), _walk(second, stack)
    extents, merged = layout.collapse([(*stack, rows)], [[one[:-1]], [(*two[:-2], 0)]])
    if len(extents[0]) <= 1 and not any(merged[1][0]):
        # One matrix on the right for all on the left, whose rows follow each other.
        rows, stack = math.prod(extents[0]), ()
        one, two = (*(merged[0][0] or [0]), one[-1]), two[-2:]
    extents, merged = layout.collapse([stack], [[one[:-2]], [two[:-2]]])
    count = math.prod(stack)
    pieces = -(-length // PIECE)
    accumulator = _accumulator(dtype)
    limit = min(tuning.PARTIAL_NBYTES, device.info.memory_nbytes // 16)
    has_room = count * rows * columns * pieces * accumulator.itemsize <= limit
    tile, swapped, split = _choose(
        TILES[accumulator.itemsize], rows, columns, count, pieces, device.info.compute_units,
        has_room=has_room,
    )  # fmt: skip
    sides = (
        _operand(first, (rows, length), one[-2:], merged[0][0]),
        _operand(second, (columns, length), two[:-3:-1], merged[1][0]),
    )
    if swapped:
        sides, rows, columns = sides[::-1], columns, rows
    by_k = (sides[0].by_k, sides[1].by_k)
    spec = _TileSpec(first.dtype, dtype, tile, by_k, len(extents[0]), swapped, split)
    size = count * rows * columns
    launches = _stages(device, spec, sides, extents[0], (rows, length, columns), wide=wide)
    if split:
        launches.append(_join(device, dtype, size, pieces))
    return Step(
        launches,
        [pieces * size * accumulator.itemsize] if split else [],
        (),
        [one.ref.slot for one in sides],
        [target],
        [(one.ref.slot, one.ref.offset) for one in sides],
        [(target.slot, size * dtype.itemsize)],
        whole=(first, second),
    )


def _walk(ref: Ref, stack: Shape) -> Shape:
    """Return the strides of an operand that is broadcast over the whole stack."""
    pattern = ref.pattern
    shape = (*stack, *pattern.shape[-2:])
    return layout.broadcast_strides(pattern.shape, pattern.strides, shape)


def _operand(ref: Ref, extents: Shape, strides: Shape, stack: Sequence[int]) -> _Operand:
    """Return an operand whose lines and k have these `extents` and `strides`."""
    line, k = (
        abs(stride) if extent > 1 and stride else math.inf
        for extent, stride in zip(extents, strides, strict=True)
    )
    return _Operand(ref, strides[0], strides[1], k < line, tuple(stack))


def _accumulator(dtype: DType) -> DType:
    """Return the type of sums; integers wrap around in unsigned types.

    float16 was made float32 before, by `ops/matmul.py`.
    """
    if dtype.kind in dtypes.FLOATING:
        return dtype
    return dtypes.uint64 if dtype.itemsize == 8 else dtypes.uint32


def _choose(
    tiles: tuple[Tile, ...],
    rows: int,
    columns: int,
    count: int,
    pieces: int,
    units: int,
    *,
    has_room: bool,
) -> tuple[Tile, bool, bool]:
    """Return the tile, whether operands change places, and whether groups share a sum's pieces.

    The least time by a rough measure: rounds of groups over the device's units, and work a group.
    """
    best = (math.inf, tiles[0], False, False)
    for tile in tiles:
        for swapped in (False, True) if tile.rows > 2 * tile.columns else (False,):
            down, across = (columns, rows) if swapped else (rows, columns)
            groups = -(-down // tile.rows) * -(-across // tile.columns) * count
            work = tile.rows * tile.columns / tile.speed
            for split in (False, True) if pieces > 1 and has_room else (False,):
                if split:
                    time = -(-groups * pieces // units) * work * 1.1
                else:
                    time = -(-groups // units) * work * pieces
                if time < best[0]:
                    best = (time, tile, swapped, split)
    return best[1:]


def _defines(dtype: DType, result: DType) -> list[str]:
    """Return the defines that follow from types; `result` has the kind of the accumulator."""
    accumulator = _accumulator(result)
    floating = result.kind in dtypes.FLOATING
    load = loaded("(x)", dtype) if floating else f"(({accumulator.compute})(x))"
    return [
        f"#define XR_STORAGE {dtype.storage}",
        f"#define XR_ACC {accumulator.compute}",
        f"#define XR_COMPLEX {int(result.kind == dtypes.COMPLEX)}",
        f"#define XR_FLOATING {int(floating)}",
        f"#define XR_LOGICAL {int(result.kind == dtypes.BOOL)}",
        f"#define XR_LOAD(x) {load}",
        f"#define XR_TOTAL(x) {'(x)' if floating else load}",
        f"#define XR_FINISH(x) {'(x)' if floating else f'(({result.storage})(x))'}",
    ]


class _TileSpec(NamedTuple):
    """The specialisation of tiles: into the result or, where `split`, into sums of pieces."""

    dtype: DType
    result: DType
    tile: Tile
    by_k: tuple[bool, bool]
    ndim: int
    swapped: bool
    split: bool

    def defines(self) -> list[str]:
        """Return the defines of `xr_matmul`."""
        tile, accumulator = self.tile, _accumulator(self.result)
        packs = [
            min(block, max(1, _PACK_NBYTES // accumulator.itemsize))
            for block in (tile.row_block, tile.column_block)
        ]
        kind = accumulator.compute if self.split else self.result.storage
        return [
            *_defines(self.dtype, self.result),
            f"#define XR_RESULT {kind}",
            "#define XR_JOIN 0",
            f"#define XR_SPLIT {int(self.split)}",
            f"#define XR_SWAPPED {int(self.swapped)}",
            f"#define XR_PIECE {PIECE}",
            f"#define XR_ROWS {tile.rows}",
            f"#define XR_COLUMNS {tile.columns}",
            f"#define XR_DEPTH {tile.depth}",
            f"#define XR_ROW_BLOCK {tile.row_block}",
            f"#define XR_COLUMN_BLOCK {tile.column_block}",
            f"#define XR_ROW_PACK {packs[0]}",
            f"#define XR_COLUMN_PACK {packs[1]}",
            f"#define XR_ROW_ALIGNMENT {packs[0] * accumulator.itemsize}",
            f"#define XR_COLUMN_ALIGNMENT {packs[1] * accumulator.itemsize}",
            f"#define XR_FIRST_BY_K {int(self.by_k[0])}",
            f"#define XR_SECOND_BY_K {int(self.by_k[1])}",
            define("XR_STACK", _bases(self.ndim)),
        ]


def _stages(
    device: Device,
    spec: _TileSpec,
    operands: tuple[_Operand, _Operand],
    stack: Sequence[int],
    extents: tuple[int, int, int],
    *,
    wide: bool,
) -> list[Launch]:
    """Return the launches of the tiles; `extents` are the result's rows, k, and its columns."""
    rows, length, columns = extents
    tile, count, pieces = spec.tile, math.prod(stack), -(-length // PIECE)
    down, across = -(-rows // tile.rows), -(-columns // tile.columns)
    layers = count * pieces if spec.split else count
    size = count * rows * columns
    indices = {
        "layer": 0,
        "rows": rows,
        "columns": columns,
        "length": length,
        "pieces": pieces,
        "size": size,
        "tiles_down": down,
        "tiles_across": across,
        "result_row": 1 if spec.swapped else columns,
        "result_column": rows if spec.swapped else 1,
    }
    for name, operand in zip(_SIDES, operands, strict=True):
        indices[f"{name}_line"] = operand.line
        indices[f"{name}_k"] = operand.k
        for axis, step in enumerate(operand.stack):
            indices[f"{name}_stack{axis}"] = step
    for axis, extent in enumerate(stack):
        indices[f"extent{axis}"] = extent
    wide = wide or size * (pieces if spec.split else 1) >= layout.WIDE
    names = (*indices, *[f"{name}_offset" for name in _SIDES])
    kernel = _MATMUL.kernel(device, (_TileSpec.defines, spec), names, None, wide=wide)
    scratch = (0,) if spec.split else (RESULT,)
    launches = []
    for layer in range(0, layers, MOST_GROUPS):
        indices["layer"] = layer
        groups = (down * across, min(layers - layer, MOST_GROUPS))
        values = tuple(indices.values())
        launches.append(Launch(kernel, (groups, (tile.items, 1)), size * length, values, scratch))
    return launches


_SIDES: Final = ("first", "second")


def _bases(ndim: int) -> list[str]:
    """Return the statements that find the matrices of one place in the stack."""
    statements = []
    rest = "stack"
    for axis in range(ndim - 1, 0, -1):
        statements.append(f"const xr_index stack_{axis} = {rest} % a.extent{axis};")
        statements.append(f"const xr_index stack_rest{axis} = {rest} / a.extent{axis};")
        rest = f"stack_rest{axis}"
    if ndim:
        statements.append(f"const xr_index stack_0 = {rest};")
    for name in _SIDES:
        terms = [f"a.{name}_offset"]
        terms += [f"stack_{axis} * a.{name}_stack{axis}" for axis in range(ndim)]
        statements.append(f"const xr_index {name}_base = {' + '.join(terms)};")
    return statements


def _join_defines(dtype: DType) -> list[str]:
    joins = [f"#define XR_RESULT {dtype.storage}", "#define XR_JOIN 1"]
    return [*_defines(dtype, dtype), *joins]


def _join(device: Device, dtype: DType, size: int, pieces: int) -> Launch:
    """Return the launch that adds the sums of the pieces, which the first buffer has."""
    wide = size * pieces >= layout.WIDE
    indices = {"size": size, "pieces": pieces}
    groups = min(-(-size // tuning.GROUP), device.info.compute_units * tuning.WAVES)
    grid = ((groups,), (tuning.GROUP,))
    kernel = _JOIN.kernel(device, (_join_defines, dtype), tuple(indices), None, wide=wide)
    values = tuple(indices.values())
    return Launch(kernel, grid, size * pieces, values, (0, RESULT), takes_spec=False)
