"""Kernels that reduce rows, and compute more of the rows with the results, while these are near.

A row is reduced in one piece, so that its bits are those of a reduction by itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from xarr import tuning
from xarr.codegen import launch, source
from xarr.codegen.kernel_spec import described
from xarr.codegen.source import define
from xarr.dtypes import DType
from xarr.layout import power_of_two
from xarr.ops.accumulators import SUFFIXES, WIDTH, defines, folds_of, numbers, shares
from xarr.scheduler.instructions import Rows

if TYPE_CHECKING:
    from xarr.backends.device import Device


def stage(device: Device, work: Rows, grid: launch.Grid, item_chunk: int) -> launch.Launch:
    """The launch of a kernel, whose groups, or chunks of items, take rows."""
    lanes = device.info.loop_per_item
    skeleton = "rows_lane.c" if lanes else "rows_group.c"
    for part in work.parts:
        for observer in launch.counts.observers:
            observer(skeleton, part.form)
    forms = [part.form for part in work.parts]
    indices = (work.items, item_chunk) if lanes else (work.items,)
    extents = [number for form in forms for number in form.numbers]
    key = (
        tuple([(part.form.key, *part[1:]) for part in work.parts]),
        work.parameters,
        work.kept,
        work.together,
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
    """How many items of a group on a GPU share a row: an item has several elements of each."""
    room = power_of_two(length)
    return WIDTH if room > WIDTH else max(1, room // tuning.SPREAD)


def _size(work: Rows, lanes: bool) -> tuple[int, int, bool]:
    """The elements that there is room for in near memory, for several lengths of a row.

    And, of a row that is short on a GPU, how many an item has, and whether all have as many.
    """
    room = power_of_two(work.length)
    if lanes or work.length > tuning.SHORT_ROW:
        return room, 0, False
    items = abreast(work.length)
    turns = room // items if room <= WIDTH else -(-work.length // WIDTH)
    return room, turns, work.length == items * turns


def _log2(power: int) -> int:
    return power.bit_length() - 1


def _describe(work: Rows, lanes: bool) -> tuple[list[str], str]:
    """The defines, with those of each part after `source.STAGES`, and the arguments' format."""
    fields: tuple[list[str], list[str]] = ([], [])
    constants: list[tuple[str, DType]] = []
    own: list[tuple[str, DType]] = []
    room, turns, is_whole = _size(work, lanes)
    items = abreast(room)
    ending = "" if lanes else "_rows"
    rooms = [f"{kind} {name}{ending}[{work.together * room}];" for kind, name in work.kept]
    stages: list[str] = []
    everything: list[Any] = []
    for at, part in enumerate(work.parts):
        form, epilogue = part.form, part.epilogue
        names = [f"{name}_{at}" for name in form.fields()]
        fields[0].extend(names[: len(form.numbers)])
        fields[1].extend(names[len(form.numbers) :])
        constants += [(f"k{n}_{at}", dtype) for n, dtype in enumerate(form.constants)]
        reads = {
            access: f"{room}[position]" if is_there else f"({room}[position] = {{}})"
            for access, room, is_there in part.cached
        }
        words = form.words(reads=reads)
        words.append("#define XR_LENGTH a.position_extent")
        words += [f"#define p{n} {name}" for n, name in enumerate(part.memory)]
        words += [
            f"#define result{n} {name}" for n, name in zip(SUFFIXES, part.results, strict=False)
        ]
        if epilogue is not None:
            folds = folds_of(epilogue)
            first = len(everything)
            words += defines(folds, epilogue, (), form, first)
            own += [(f"{name}_{at}", dtype) for name, dtype in numbers(epilogue)]
            if not lanes:
                kinds = zip(folds, SUFFIXES[first:], strict=False)
                size = work.together * items
                rooms += [f"{fold.accumulator} tree{n}[{size}];" for fold, n in kinds]
            everything += folds
        for word in words:
            name = word.split("(")[0].split()[1]
            stages += [f"#undef {name}", re.sub(r"\ba\.(\w+)", rf"a.\1_{at}", word)]
        is_once = not form.extents[1]
        stages.append("XR_REDUCTION" if epilogue else "XR_ONCE" if is_once else "XR_EACH")
    indices = ["items", *(["item_chunk"] if lanes else []), *fields[0], *fields[1]]
    form = work.parts[0].form
    lines, block = described(indices, [*constants, *own], wide=form.wide)
    place = "ALIGNED(128)" if lanes else "LOCAL"
    lines += [
        f"#define XR_CHUNKED {int(lanes)}",
        f"#define XR_WIDTH {WIDTH}",
        "#define XR_PARTIAL 0",
        define(
            "XR_PARAMETERS(parameter)",
            [f"parameter(GLOBAL {kind} *RESTRICT, {name})" for kind, name in work.parameters],
        ),
        define("XR_ROOMS", [f"{place} {one}" for one in rooms]),
    ]
    if not lanes:
        lines += [f"#define XR_ROWS {work.together}", f"#define XR_ABREAST {items}"]
        lines += [f"#define XR_TURNS {turns}", f"#define XR_IS_WHOLE {int(is_whole)}"]
        lines += [f"#define XR_SPREAD {int(room <= WIDTH)}", f"#define XR_STEPS {_log2(items)}"]
        lines.append(f"#define XR_OWN_STEPS {_log2(turns)}")
        lines += [f"#define {name} ({name}_rows + row * {room})" for _, name in work.kept]
        if not turns:  # of turns that are unrolled a compiler divides
            lines += shares(tuple(everything), form, column=False)
    return [*lines, source.STAGES, *stages], block
