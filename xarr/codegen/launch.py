"""Launches: grids, compiled kernels, and what skeletons of `kernels/` take besides a `KernelSpec`.

A kernel is given pointers, and then one block of arguments by value: the skeleton's own indices,
the spec's numbers, offsets and constants, and last the skeleton's own numbers.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import re
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import cache, dtypes, errors, tuning
from xarr.codegen import source
from xarr.codegen.expressions import INSIDE
from xarr.codegen.kernel_spec import STRIP, KernelSpec
from xarr.ir.events import counts as counts
from xarr.ir.instructions import forget_single_kernels
from xarr.layout import power_of_two
from xarr.settings import settings

if TYPE_CHECKING:
    from xarr.backends.device import Device


class Kernel(NamedTuple):
    """A compiled kernel, the packing of its arguments, and its text's defines.

    `weight` is about how many operations an element takes.
    """

    handle: Any
    arguments: struct.Struct
    skeleton: str
    weight: int = 1
    defines: tuple[str, ...] = ()


Grid = tuple[tuple[int, ...], tuple[int, ...]]
"""The groups of a launch, and the items of a group, along each dimension."""


class Launch(NamedTuple):
    """One launch of a kernel, complete but for storages, offsets and constants of the tape.

    Attributes
    ----------
    elements : int
        How many it works on.
    indices : tuple of int
        The arguments that come first.
    buffers : tuple of int
        The pointers that come last: numbers of scratch buffers, or below 0 of results.
    takes_spec, takes_numbers : bool
        Whether a spec's pointers and values come in between, and the skeleton's own numbers last.
    written : int
        How many of the buffers, the last ones, it writes.
    """

    kernel: Kernel
    grid: Grid
    elements: int
    indices: tuple[int, ...]
    buffers: tuple[int, ...] = ()
    takes_spec: bool = True
    takes_numbers: bool = False
    written: int = 1


RESULT: Final = -1
"""The number of the last result among a launch's buffers."""


class Table(NamedTuple):
    """A scratch buffer of fixed numbers, as roots of unity; `buffer` returns it."""

    nbytes: int
    buffer: Callable[[], Any]


ScratchBuffer = int | Table
"""Memory shared by the launches of one skeleton: a number of bytes, or a table's contents."""


def with_spec(launches: Sequence[Launch], spec: KernelSpec) -> list[Launch]:
    """Append a spec's extents and strides to the arguments of its launches."""
    numbers = tuple(spec.numbers)
    return [
        one._replace(indices=(*one.indices, *numbers)) if one.takes_spec else one
        for one in launches
    ]


def elementwise(spec: KernelSpec, device: Device, *, in_order: bool) -> Launch:
    """Return the launch of an elementwise kernel.

    `in_order`, which needs a CPU, lets one item walk all elements, one after the other.
    """
    for observer in counts.observers:
        observer("elementwise.c", spec)
    extents = [math.prod(group) for group in spec.extents]
    if device.info.loop_per_item:
        grid, group, chunks = _chunks(
            extents, 1 if in_order else device.info.compute_units * tuning.TASKS, spec.lanes
        )
    else:
        grid, group, chunks = _groups(
            extents,
            device.info.compute_units,
            spec.neighbours.width,
            _items(spec),
            tiled=spec.is_column_major(),
        )
    describe = functools.partial(elementwise_defines, spec, device)
    kernel = kernel_of(device, "elementwise.c", "xr_elementwise", spec.key, describe)
    return Launch(kernel, (grid, group), math.prod(extents), chunks)


def _chunks(extents: list[int], tasks: int, lanes: int) -> tuple[tuple[int, ...], ...]:
    """Return the grid, group and chunks of each extent for a device that loops in each item."""
    if len(extents) == 1:
        (size,) = extents
        chunk = max(tuning.CHUNK, -(-size // tasks))
        if lanes > 1:
            tile = STRIP * lanes
            chunk = -(-chunk // tile) * tile
        return (-(-size // chunk),), (1,), (chunk,)
    rows, columns = extents
    row_chunk = max(-(-rows // tasks), -(-tuning.CHUNK // columns))
    column_chunk = columns
    if rows < tasks:
        pieces = -(-tasks // rows)
        column_chunk = max(tuning.CHUNK, -(-columns // pieces))
    grid = (-(-columns // column_chunk), -(-rows // row_chunk))
    return grid, (1, 1), (row_chunk, column_chunk)


def _items(spec: KernelSpec) -> int:
    """Return how many elements an item on a GPU takes side by side, of rows and of neighbours."""
    if len(spec.extents) > 1:
        is_abreast = len(spec.accesses) * spec.neighbours.width <= tuning.ABREAST
        return spec.neighbours.width * (tuning.ROWS if is_abreast else 1)
    if spec.neighbours.width > 1:
        return spec.neighbours.width
    widest = max(dtype.numpy.itemsize for slot, dtype, _ in spec.accesses if slot >= 0)
    return max(spec.lanes, tuning.ITEMS[widest])


def _groups(
    extents: list[int], units: int, neighbours: int, items: int, *, tiled: bool
) -> tuple[tuple[int, ...], ...]:
    """Return the grid, group and rows of each item for a GPU."""
    if len(extents) == 1:
        (size,) = extents
        if items > 1:
            return (-(-size // (STRIP * items)),), (STRIP,), ()
        return (min(-(-size // tuning.GROUP), units * tuning.WAVES),), (tuning.GROUP,), ()
    rows, columns = extents[0], -(-extents[1] // neighbours)
    width = min(tuning.TILE if tiled else tuning.GROUP, power_of_two(columns))
    height = tuning.GROUP // width
    across, down = -(-columns // width), -(-rows // height)
    chunk = min(tuning.ROWS, max(1, across * down // (units * tuning.RESIDENT)))
    chunk = max(chunk, -(-down // MOST_GROUPS))
    return (across, -(-down // chunk)), (width, height), (chunk,)


def elementwise_defines(spec: KernelSpec, device: Device) -> tuple[list[str], str]:
    """Return the defines that specialise `elementwise.c`, and the format of its arguments."""
    loop_per_item = device.info.loop_per_item
    walked = spec.names if loop_per_item else spec.names[:-1]
    names = tuple(f"{name}_chunk" for name in walked)
    defines, block = spec.specialisation(
        names,
        items=1 if loop_per_item else _items(spec),
        pieces=(loop_per_item and spec.lanes == 1) or spec.neighbours.width > 1,
    )
    defines += [
        f"#define XR_CHUNKED {int(loop_per_item)}",
        f"#define XR_ROWS {len(spec.extents) - 1}",
    ]
    defines += [f"#define XR_STRIP {STRIP}", f"#define XR_GUARDED {int(bool(spec.indirect()))}"]
    # A choice that is the same for a whole loop takes clang longer in vectors: a stencil that is
    # written to its own array 0.31 ms instead of 0.22.
    chooses = (INSIDE,) in spec.entries
    defines.append(f"#define XR_FREE {int(not spec.indirect() and not chooses)}")
    if loop_per_item and spec.lanes > 1:
        defines.append(f"#define XR_ITEMS {spec.lanes}")
    elif loop_per_item and not any(line.startswith("#define XR_STOP(") for line in defines):
        defines += _near(defines)
    return defines, block


def _near(defines: Sequence[str]) -> list[str]:
    """Return the defines of a CPU's loop over strips, where functions have near arguments."""
    compute = next(line for line in defines if line.startswith("#define XR_COMPUTE "))
    near = _FAR.sub(r"xr_\1_near_\2(", compute)
    if near == compute:
        return []
    seen = _FAR.sub(r"xr_\1_seen_\2(&far_\2, ", compute)
    named = (("NEAR", near), ("SEEN", seen))
    lines = [text.replace("XR_COMPUTE", f"XR_COMPUTE_{name}", 1) for name, text in named]
    return ["#define XR_NEAR 1", *lines]


_FAR: Final = re.compile(r"\bxr_(sin|cos|tan|pow)_(f32|f64)\(")
"""Calls of functions that have a short way for most arguments: `kernels/trig.h`, `power.h`."""


MOST_GROUPS: Final = 65535
"""Groups of a grid in its second and third dimension, which CUDA limits."""


def kernel_of(
    device: Device,
    skeleton: str,
    entry: str,
    key: Any,
    describe: Callable[[], tuple[list[str], str]],
) -> Kernel:
    """Return a device's kernel of a skeleton, compiled unless its key was met before.

    `key` is all that the kernel's text depends on besides the skeleton; `describe` returns the
    defines and the format of the arguments.
    """
    kernel: Kernel | None = device.kernels.get((skeleton, key))
    if kernel is None:
        defines, arguments = describe()
        handle = load_or_compile(device, source_of(device, skeleton, defines), entry, key)
        weight = source.operations(defines)
        kernel = Kernel(handle, struct.Struct(arguments), skeleton, weight, tuple(defines))
        if len(device.kernels) >= tuning.KERNELS:
            forget_kernels(device)
        device.kernels[skeleton, key] = kernel
    return kernel


def forget_kernels(device: Device) -> None:
    """Drop a device's kernels, with all plans that hold them; work in progress keeps its own."""
    device.kernels.clear()
    device.programs.clear()
    forget_single_kernels(device)


def source_of(device: Device, skeleton: str, defines: Sequence[str]) -> str:
    """Return the text of a kernel."""
    info = device.info
    return source.assemble(skeleton, info.dialect, defines, has_float64=info.has_float64)


def names_in_key(entry: str, key: Any) -> tuple[str, tuple[str, ...]]:
    """Return the names of the operations, joined, and of the data types in a kernel's key."""
    names: dict[str, None] = {}
    types: dict[str, None] = {}
    rest = [key]
    while rest:
        item = rest.pop()
        name = getattr(item, "name", None)
        if isinstance(name, str):
            (types if isinstance(item, dtypes.DType) else names)[name] = None
            rest += [getattr(item, "result", None), *getattr(item, "operands", ())]
        elif isinstance(item, tuple):
            rest += reversed(item)
    return ", ".join(names) or entry, tuple(types)


class NotCompiledError(Exception):
    """A kernel is in no cache, and compiling is not allowed."""


class _Compiler(threading.local):
    is_allowed = True
    compile: Callable[[Device, str], bytes] | None = None


_compiler: Final = _Compiler()


def compile_with(compiler: Callable[[Device, str], bytes]) -> None:
    """Set the function that compiles this thread's kernels in place of the driver."""
    _compiler.compile = compiler


@contextlib.contextmanager
def without_compiler() -> Iterator[None]:
    """Raise `NotCompiledError` in this thread for kernels that were not compiled before."""
    before, _compiler.is_allowed = _compiler.is_allowed, False
    try:
        yield
    finally:
        _compiler.is_allowed = before


def load_or_compile(device: Device, text: str, entry: str, key: Any) -> Any:
    """Load a source's kernel from the disk cache, or compile and store it."""
    dump = settings().dump_source
    disk = cache.DISK
    name = disk.key(source.SCHEMA, text, (), device.info.target)
    if dump is not None:
        try:
            os.makedirs(dump, exist_ok=True)
        except OSError as error:
            raise OSError(
                errors.message(
                    "XARR_DUMP_SOURCE", f"{dump} is no folder ({error})", "it must be a folder"
                )
            ) from error
        with open(os.path.join(dump, f"{entry}-{name[:16]}.c"), "w", encoding="utf-8") as file:
            file.write(text)
    driver = device.driver
    binary = disk.get(name)
    if binary is not None:
        try:
            return driver.load(binary, entry)
        except ValueError:
            pass
    if not _compiler.is_allowed:
        raise NotCompiledError
    counts.compilations += 1
    try:
        other = _compiler.compile
        binary = driver.compile(text) if other is None else other(device, text)
    except errors.CompileError as error:
        error.op, error.dtypes = names_in_key(entry, key)
        error.device = str(device)
        raise
    disk.put(name, binary)
    return driver.load(binary, entry)
