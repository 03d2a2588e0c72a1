"""Launches: grids, compiled kernels, and the skeletons of `kernels/` that take more than a form.

A kernel is given pointers, and then one block of arguments by value: the skeleton's own indices,
what its form needs, and at last a number that is no index.
"""

from __future__ import annotations

import contextlib
import math
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import cache, dtypes, errors, tuning
from xarr.codegen import source
from xarr.codegen.kernel_spec import INSIDE, STRIP, KernelSpec
from xarr.ir.events import counts as counts
from xarr.layout import power_of_two
from xarr.settings import settings

if TYPE_CHECKING:
    from xarr.backends.device import Device


class Kernel(NamedTuple):
    """A compiled kernel, how its argument block is packed, and what it was made of.

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
    """One launch of a kernel, ready but for what comes from the tape.

    Attributes
    ----------
    elements : int
        How many it works on.
    indices : tuple of int
        The arguments that come first.
    rooms : tuple of int
        The pointers that come last, by number.
    takes_form, takes_numbers : bool
        Whether a form's pointers and values come in between, and the skeleton's own numbers last.
    written : int
        How many of the rooms, the last ones, it writes.
    """

    kernel: Kernel
    grid: Grid
    elements: int
    indices: tuple[int, ...]
    rooms: tuple[int, ...] = ()
    takes_form: bool = True
    takes_numbers: bool = False
    written: int = 1


RESULT: Final = -1
"""The room of the last result; results come after all others."""


class Table(NamedTuple):
    """A room with numbers that follow from nothing on the tape; `buffer` gives it."""

    nbytes: int
    buffer: Callable[[], Any]


ScratchBuffer = int | Table
"""Memory shared by the launches of one skeleton: a number of bytes, or a table's contents."""


def with_form(stages: Sequence[Launch], form: KernelSpec) -> list[Launch]:
    """Launches whose arguments have those of a form that do not come from the tape."""
    numbers = tuple(form.numbers)
    return [
        stage._replace(indices=(*stage.indices, *numbers)) if stage.takes_form else stage
        for stage in stages
    ]


def elementwise(form: KernelSpec, device: Device, *, in_order: bool) -> Launch:
    """The launch of a form whose elements do not depend on each other.

    `in_order`, which needs a CPU, lets one item walk them all, one after the other.
    """
    for observer in counts.observers:
        observer("elementwise.c", form)
    extents = [math.prod(group) for group in form.extents]
    if device.info.loop_per_item:
        grid, group, chunks = _chunks(
            extents, 1 if in_order else device.info.compute_units * tuning.TASKS, form.lanes
        )
    else:
        grid, group, chunks = _groups(
            extents, device.info.compute_units, _items(form), tiled=form.reads_down()
        )
    kernel = kernel_of(
        device,
        "elementwise.c",
        "xr_elementwise",
        form.key,
        lambda: elementwise_defines(form, device),
    )
    return Launch(kernel, (grid, group), math.prod(extents), chunks)


def _chunks(extents: list[int], tasks: int, lanes: int) -> tuple[tuple[int, ...], ...]:
    """Items on a CPU, each of which takes a chunk of every extent."""
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


def _items(form: KernelSpec) -> int:
    """How many elements an item on a GPU takes side by side; where it walks rows, one of each."""
    if len(form.extents) > 1:
        return tuning.ROWS if len(form.accesses) <= tuning.ABREAST else 1
    widest = max(dtype.numpy.itemsize for slot, dtype, _ in form.accesses if slot >= 0)
    return max(form.lanes, tuning.ITEMS[widest])


def _groups(
    extents: list[int], units: int, items: int, *, tiled: bool
) -> tuple[tuple[int, ...], ...]:
    """Groups on a GPU, and the rows that each of their items takes."""
    if len(extents) == 1:
        (size,) = extents
        if items > 1:
            return (-(-size // (STRIP * items)),), (STRIP,), ()
        return (min(-(-size // tuning.GROUP), units * tuning.WAVES),), (tuning.GROUP,), ()
    rows, columns = extents
    width = min(tuning.TILE if tiled else tuning.GROUP, power_of_two(columns))
    height = tuning.GROUP // width
    across, down = -(-columns // width), -(-rows // height)
    chunk = min(tuning.ROWS, max(1, across * down // (units * tuning.RESIDENT)))
    chunk = max(chunk, -(-down // MOST_GROUPS))
    return (across, -(-down // chunk)), (width, height), (chunk,)


def elementwise_defines(form: KernelSpec, device: Device) -> tuple[list[str], str]:
    """The defines that specialise `elementwise.c` for a form, and the format of its arguments."""
    loop_per_item = device.info.loop_per_item
    walked = form.names if loop_per_item else form.names[:-1]
    names = tuple(f"{name}_chunk" for name in walked)
    defines, block = form.described(
        names, items=1 if loop_per_item else _items(form), pieces=loop_per_item and form.lanes == 1
    )
    defines += [
        f"#define XR_CHUNKED {int(loop_per_item)}",
        f"#define XR_ROWS {len(form.extents) - 1}",
    ]
    defines += [f"#define XR_STRIP {STRIP}", f"#define XR_GUARDED {int(bool(form.indirect()))}"]
    # A choice that is the same for a whole loop takes clang longer in vectors: a stencil that is
    # written to its own array 0.31 ms instead of 0.22.
    chooses = (INSIDE,) in form.entries
    defines.append(f"#define XR_FREE {int(not form.indirect() and not chooses)}")
    if loop_per_item and form.lanes > 1:
        defines.append(f"#define XR_ITEMS {form.lanes}")
    return defines, block


MOST_GROUPS: Final = 65535
"""Groups of a grid in its second and third dimension, which CUDA limits."""


def kernel_of(
    device: Device,
    skeleton: str,
    entry: str,
    key: Any,
    describe: Callable[[], tuple[list[str], str]],
) -> Kernel:
    """The kernel of a skeleton.

    `key` is all that the kernel's text depends on besides the skeleton; `describe` gives the
    defines and the format of the arguments, and is called only when the key is new.
    """
    kernel: Kernel | None = device.kernels.get((skeleton, key))
    if kernel is None:
        defines, arguments = describe()
        handle = _compiled(device, source_of(device, skeleton, defines), entry, key)
        weight = source.operations(defines)
        kernel = Kernel(handle, struct.Struct(arguments), skeleton, weight, tuple(defines))
        device.kernels[skeleton, key] = kernel
    return kernel


def source_of(device: Device, skeleton: str, defines: Sequence[str]) -> str:
    """The text of a kernel."""
    info = device.info
    return source.assemble(skeleton, info.dialect, defines, has_float64=info.has_float64)


def contents(entry: str, key: Any) -> tuple[str, tuple[str, ...]]:
    """The names of the operations and of the data types that a kernel's key holds."""
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
    """A kernel is in no cache, and the compiler is not asked for it."""


class _Compiler(threading.local):
    is_allowed = True
    compile: Callable[[Device, str], bytes] | None = None


_compiler: Final = _Compiler()


def compile_with(compiler: Callable[[Device, str], bytes]) -> None:
    """Have the kernels that this thread asks for compiled by something else than the driver."""
    _compiler.compile = compiler


@contextlib.contextmanager
def without_compiler() -> Iterator[None]:
    """Have kernels in this thread only where they were compiled before."""
    before, _compiler.is_allowed = _compiler.is_allowed, False
    try:
        yield
    finally:
        _compiler.is_allowed = before


def _compiled(device: Device, text: str, entry: str, key: Any) -> Any:
    """The kernel of a source, from the disk cache or from the compiler."""
    dump = settings().dump_source
    disk = cache.disk_cache()
    name = disk.key(source.SCHEMA, text, (), device.info.target)
    if dump is not None:
        folder = Path(dump)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OSError(
                errors.message(
                    "XARR_DUMP_SOURCE", f"{dump} is no folder ({error})", "a folder is accepted"
                )
            ) from error
        (folder / f"{entry}-{name[:16]}.c").write_text(text, encoding="utf-8")
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
        error.op, error.dtypes = contents(entry, key)
        error.device = str(device)
        raise
    disk.put(name, binary)
    return driver.load(binary, entry)
