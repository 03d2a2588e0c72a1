"""Looking at what xarr does: what has not run, the kernels that it would be, memory, devices."""

from __future__ import annotations

import collections
import math
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy

from xarr import errors
from xarr.array.array import Array
from xarr.backends.device import Device, get_device
from xarr.engine import engine, launch, schedule, tape
from xarr.engine.schedule import Instruction, Ref
from xarr.engine.unrolled import Call

_INCLUDE: Final = Path(__file__).resolve().parents[1] / "include"


def explain(x: Array, /) -> str:
    """Describe what was asked of an array's device and has not run, and the kernels that it is.

    Parameters
    ----------
    x : Array, shape (...)
        The array; it stays as it is. Nothing is launched, but kernels are compiled.

    Returns
    -------
    str
        The operations, one a line, as they run: ``s2[(3,)] = add(s0[(3,)], 1.0)`` writes storage 2.
        Then how many of the device's programs (lists of such operations) run how: fused, or step by
        step while there are no kernels for them, by NumPy and kernels of one operation. Then the
        kernels, each with its skeleton's file, what it loads and stores and the bytes that this
        moves, and then their sources. For an array in memory, where it lies; on a CPU NumPy
        computes what is small at once, where its bits are the same.

    Raises
    ------
    TypeError
        If x is no Array.

    Examples
    --------
    >>> import xarr
    >>> text = xarr.explain(xarr.ones(5000, dtype="float32") + 1)
    >>> text.splitlines()[0].partition(", ")[2]
    'pending: 1 operation'
    """
    if type(x) is not Array:
        raise TypeError(
            errors.message("explain(x)", f"x is of type {type(x).__name__}", "an Array is accepted")
        )
    node = x._node
    device = node.device
    head = f"{node.dtype} {node.shape} on {device}"
    if node.storage is None:
        return f"{head}: {node.value!r} everywhere, not in memory"
    with device.lock:
        on = tape.of(device)
        if not on.writes(node.storage):
            return f"{head}, in memory: {node.layout}"
        trace, arguments, program = on.would_run()
        calls = program.prepare()
        rest = iter(arguments.constants)
        listed = schedule.instructions(trace.opcodes, trace.codes)
        steps = [_described(step, rest) for step in listed]
        kernels = [kernel for call in calls for kernel in _kernels(device, call)]
    total = sum(kernel.nbytes for kernel in kernels)
    lines = [f"{head}, pending: {_counted(len(steps), 'operation')}", *_indented(steps)]
    lines.append(_tiers(device))
    lines.append(f"{_counted(len(kernels), 'kernel')}, {_counted(total, 'byte')}")
    for number, kernel in enumerate(kernels, 1):
        lines.append(f"kernel {number}: {kernel.skeleton}, {_counted(kernel.nbytes, 'byte')}")
        lines += _indented(f"{what}, {_counted(nbytes, 'byte')}" for what, nbytes in kernel.moves)
    for number, kernel in enumerate(kernels, 1):
        lines += [f"source of kernel {number}:", kernel.source]
    return "\n".join(lines)


def _tiers(device: Device) -> str:
    """How many of the device's programs run how."""
    traces = set(device.programs.values())
    tiers = collections.Counter(program.tier for trace in traces for program in trace.programs)
    return "programs: " + ", ".join(f"{count:,} {tier}" for tier, count in sorted(tiers.items()))


def _counted(number: int, name: str) -> str:
    return f"{number:,} {name}" if number == 1 else f"{number:,} {name}s"


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _described(step: Instruction, rest: Iterator[Any]) -> str:
    """An instruction, its storages by their numbers, with the next ones of all constants."""
    operands = [_named(ref) if isinstance(ref, Ref) else repr(next(rest)) for ref in step.operands]
    target = "" if step.target is None else f"{_named(step.target)} = "
    return f"{target}{step.operation.name}({', '.join(operands)}): {step.operation.result}"


def _named(ref: Ref) -> str:
    pattern = ref.pattern
    plain = pattern.linear and not ref.offset
    where = "" if plain else f", strides {pattern.strides} from {ref.offset}"
    return f"s{ref.slot}[{pattern.shape}{where}]"


class _Kernel(NamedTuple):
    """A kernel that would run: its file, what it loads and stores, with the bytes, its source."""

    skeleton: str
    moves: list[tuple[str, int]]
    source: str

    @property
    def nbytes(self) -> int:
        return sum(nbytes for _, nbytes in self.moves)


def _kernels(device: Device, call: Call) -> Iterator[_Kernel]:
    """The kernels of a call, one after the other."""
    for stage in call.stages:
        moves = list(_moves(call)) if stage.takes_form else []
        first = len(stage.rooms) - stage.written
        for place, room in enumerate(stage.rooms):
            verb = "loads" if place < first else "stores"
            if room < 0:
                target = call.results[room]
                nbytes = target.pattern.size * target.dtype.itemsize
                moves.append((f"{verb} s{target.slot}: {target.dtype}", nbytes))
            else:
                moves.append(_moved(verb, call.rooms[room]))
        kernel = stage.kernel
        text = launch.source_of(device, kernel.skeleton, kernel.defines)
        yield _Kernel(kernel.skeleton, moves, text)


def _moved(verb: str, room: launch.Room) -> tuple[str, int]:
    if isinstance(room, int):
        return f"{verb} partial results", room
    return f"{verb} a table", room.nbytes


def _moves(call: Call) -> Iterator[tuple[str, int]]:
    """What a form loads and stores, and the bytes of that."""
    form = call.form
    size = math.prod(math.prod(extents) for extents in form.extents)
    places = form.indirect()
    first = len(form.accesses) - len(form.stored)
    taken = dict(call.taken)
    for number, (slot, _) in enumerate(call.offsets):
        _, dtype, where = form.accesses[number]
        if slot < 0:
            continue
        verb = "stores" if number >= first else "loads"
        what = f"s{slot}: {dtype}"
        if number in places:
            verb = "stores" if places[number] else "loads"
            yield f"{verb} {what} at computed places", size * dtype.itemsize
            continue
        if slot in taken:
            what += f" in the memory of s{taken[slot]}"
        walked = zip(where.shape, where.strides, strict=True)
        count = math.prod(extent for extent, step in walked if step)
        yield f"{verb} {what}", count * dtype.itemsize


def memory_info(device: Device | str | None = None) -> dict[str, int]:
    """The memory of a device in bytes.

    Parameters
    ----------
    device : Device, str or None
        The device; the default device where None.

    Returns
    -------
    dict
        ``total_nbytes`` of the device, ``used_nbytes`` in arrays, ``held_nbytes`` freed and kept
        for reuse, ``peak_nbytes`` the most that was ever used.

    Examples
    --------
    >>> import xarr
    >>> sorted(xarr.memory_info())
    ['held_nbytes', 'peak_nbytes', 'total_nbytes', 'used_nbytes']
    """
    return get_device(device, where="memory_info(device)").memory_info()


def synchronize(x: Array | Device | str | None = None) -> None:
    """Compute an array, or run all that was asked of a device, and wait until it is done.

    Parameters
    ----------
    x : Array, Device, str or None
        What to wait for; the default device where None.
    """
    if type(x) is Array:
        engine.compute(x._node)
        with x.device.lock:
            x.device.driver.synchronize()
        return
    device = get_device(x, where="synchronize(x)")  # type: ignore[arg-type]
    device.synchronize()


def info(
    object: Any = None, maxwidth: int = 76, output: Any = None, toplevel: str = "xarr"
) -> None:
    """Write what is known of an array, or the documentation of anything else, as NumPy does.

    Parameters
    ----------
    object : Array or object
        What is asked about.
    maxwidth : int
        Characters of a line.
    output : open file, optional
        Where it is written; to the standard output where None.
    toplevel : str
        The module that names are looked up in.

    Examples
    --------
    >>> import xarr
    >>> xarr.info(xarr.zeros((2, 3), dtype="int8"), output=None)  # doctest: +ELLIPSIS
    class:  Array
    shape:  (2, 3)
    dtype:  int8
    device:  ...
    """
    if type(object) is not Array:
        numpy.info(object, maxwidth, output, toplevel)
        return
    lines = {
        "class": "Array",
        "shape": object.shape,
        "dtype": object.dtype,
        "device": object.device,
    }
    file = sys.stdout if output is None else output
    file.writelines(f"{name}:  {value}\n" for name, value in lines.items())


def get_include() -> str:
    """Return the folder of ``xarr.hpp``, the header with which C++ sees arrays.

    Returns
    -------
    str
        The folder. That of NumPy's headers is `numpy.get_include()`.

    Examples
    --------
    >>> import pathlib, xarr
    >>> [path.name for path in pathlib.Path(xarr.get_include()).iterdir()]
    ['xarr.hpp']
    """
    return str(_INCLUDE)


def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Show how NumPy was built, which computes on the host; `python -m xarr info` shows devices.

    Parameters
    ----------
    mode : str
        "stdout" to print, "dicts" for a dictionary.

    Returns
    -------
    dict or None
        The dictionary.
    """
    show: Any = numpy.show_config
    found: dict[str, Any] | None = show(mode)
    return found


def show_runtime() -> None:
    """Print NumPy's version and the host's instructions; `python -m xarr info` shows devices."""
    numpy.show_runtime()
