"""Kernels of rows: they reduce rows and compute more of a row while it is near in memory.

A row is reduced in one piece, so that its bits are those of a reduction by itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from xarr import tuning
from xarr.codegen import launch, source
from xarr.codegen.kernel_spec import argument_struct
from xarr.codegen.source import define
from xarr.dtypes import DType
from xarr.layout import power_of_two
from xarr.lowering.accumulators import SUFFIXES, defines, folds_of, numbers, shares
from xarr.lowering.cuts import WIDTH
from xarr.lowering.operations import Rows

if TYPE_CHECKING:
    from xarr.backends.device import Device


def rows_launch(device: Device, work: Rows, grid: launch.Grid, item_chunk: int) -> launch.Launch:
    """Return the launch of a kernel of rows; its groups, or chunks of items, take rows."""
    lanes = device.info.loop_per_item
    skeleton = "rows_lane.c" if lanes else "rows_group.c"
    for part in work.parts:
        for observer in launch.counts.observers:
            observer(skeleton, part.spec)
    specs = [part.spec for part in work.parts]
    indices = (work.items, item_chunk) if lanes else (work.items,)
    extents = [number for spec in specs for number in spec.numbers]
    key = (
        tuple([(part.spec.key, *part[1:]) for part in work.parts]),
        work.parameters,
        work.kept,
        work.rows_together,
        _size(work, lanes),
    )
    kernel = launch.kernel_of(device, skeleton, "xr_rows", key, lambda: _describe(work, lanes))
    written = sum(len(part.results) for part in work.parts)
    return launch.Launch(
        kernel,
        grid,
        work.items * work.length,
        (*indices, *extents),
        tuple(range(-written, 0)),
        takes_numbers=any(part.epilogue and numbers(part.epilogue) for part in work.parts),
        written=written,
    )


def abreast(length: int) -> int:
    """Return how many items of a GPU's group share a row; an item has several elements of each."""
    capacity = power_of_two(length)
    return WIDTH if capacity > WIDTH else max(1, capacity // tuning.SPREAD)


def _size(work: Rows, lanes: bool) -> tuple[int, int, bool]:
    """Return the elements of a row's buffer in local memory, for several lengths of a row.

    And, of a row whose loads a GPU unrolls, an item's elements, and whether all items have as many.
    """
    capacity = power_of_two(work.length)
    if lanes or work.length > tuning.UNROLLED_ROW:
        return capacity, 0, False
    items = abreast(work.length)
    turns = capacity // items if capacity <= WIDTH else -(-work.length // WIDTH)
    return capacity, turns, work.length == items * turns


def _log2(power: int) -> int:
    return power.bit_length() - 1


def _describe(work: Rows, lanes: bool) -> tuple[list[str], str]:
    """Return the defines, those of each part after `source.STAGES`, and the arguments' format."""
    fields: tuple[list[str], list[str]] = ([], [])
    constants: list[tuple[str, DType]] = []
    own_numbers: list[tuple[str, DType]] = []
    capacity, turns, is_whole = _size(work, lanes)
    items = abreast(capacity)
    ending = "" if lanes else "_rows"
    arrays = [
        f"{kind} {name}{ending}[{work.rows_together * capacity}];" for kind, name in work.kept
    ]
    stages: list[str] = []
    everything: list[Any] = []
    for at, part in enumerate(work.parts):
        spec, epilogue = part.spec, part.epilogue
        names = [f"{name}_{at}" for name in spec.fields()]
        fields[0].extend(names[: len(spec.numbers)])
        fields[1].extend(names[len(spec.numbers) :])
        constants += [(f"k{n}_{at}", dtype) for n, dtype in enumerate(spec.constants)]
        reads = {
            access: f"{buffer}[position]" if is_there else f"({buffer}[position] = {{}})"
            for access, buffer, is_there in part.cached
        }
        part_defines = spec.access_defines(reads=reads)
        part_defines.append("#define XR_LENGTH a.position_extent")
        part_defines += [f"#define p{n} {name}" for n, name in enumerate(part.memory)]
        part_defines += [
            f"#define result{n} {name}" for n, name in zip(SUFFIXES, part.results, strict=False)
        ]
        if epilogue is not None:
            folds = folds_of(epilogue)
            first = len(everything)
            part_defines += defines(folds, epilogue, (), spec, first)
            own_numbers += [(f"{name}_{at}", dtype) for name, dtype in numbers(epilogue)]
            if not lanes:
                kinds = zip(folds, SUFFIXES[first:], strict=False)
                size = work.rows_together * items
                arrays += [f"{fold.accumulator} tree{n}[{size}];" for fold, n in kinds]
            everything += folds
        for line in part_defines:
            name = line.split("(")[0].split()[1]
            stages += [f"#undef {name}", re.sub(r"\ba\.(\w+)", rf"a.\1_{at}", line)]
        is_once = not spec.extents[1]
        stages.append("XR_REDUCTION" if epilogue else "XR_ONCE" if is_once else "XR_EACH")
    indices = ["items", *(["item_chunk"] if lanes else []), *fields[0], *fields[1]]
    spec = work.parts[0].spec
    lines, block = argument_struct(indices, [*constants, *own_numbers], wide=spec.wide)
    place = "ALIGNED(128)" if lanes else "LOCAL"
    lines += [
        f"#define XR_CHUNKED {int(lanes)}",
        f"#define XR_WIDTH {WIDTH}",
        "#define XR_PARTIAL 0",
        define(
            "XR_PARAMETERS(parameter)",
            [f"parameter(GLOBAL {kind} *RESTRICT, {name})" for kind, name in work.parameters],
        ),
        define("XR_ROOMS", [f"{place} {one}" for one in arrays]),
    ]
    if not lanes:
        lines += [f"#define XR_ROWS {work.rows_together}", f"#define XR_ABREAST {items}"]
        lines += [f"#define XR_TURNS {turns}", f"#define XR_IS_WHOLE {int(is_whole)}"]
        lines += [f"#define XR_SPREAD {int(capacity <= WIDTH)}", f"#define XR_STEPS {_log2(items)}"]
        lines.append(f"#define XR_OWN_STEPS {_log2(turns)}")
        lines += [f"#define {name} ({name}_rows + row * {capacity})" for _, name in work.kept]
        if not turns:  # in unrolled turns the shares are constants
            lines += shares(tuple(everything), spec, column=False)
    return [*lines, source.STAGES, *stages], block
