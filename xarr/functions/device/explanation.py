"""`explain`: the pending operations of a device, the kernels that they will be, and a drawing."""

from __future__ import annotations

import collections
import html
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from xarr.array.array import Array
from xarr.backends.device import Device
from xarr.codegen import launch
from xarr.errors import type_error, value_error
from xarr.runtime import traffic
from xarr.runtime.traffic import Move
from xarr.scheduler.instructions import decode
from xarr.tape.tape import tape_of

SCROLLED: Final = "color:inherit;overflow-x:auto;scrollbar-color:gray transparent"
"""Style of what is as wide as it must be; the bar would be white on a dark page."""


class Explanation(str):
    """The text that `explain` gives; a notebook shows the drawing of it.

    text : str -- Programs do not call the class.

    Attributes
    ----------
    groups : list of Group
        The operations of each kernel, in order; empty where nothing is pending.

    >>> text = xarr.explain(xarr.arange(1000.0) + 1)
    >>> isinstance(text, str), len(text.groups)
    (True, 1)
    """

    groups: list[Group]

    def __new__(cls, text: str, groups: Iterable[Group] = ()) -> Explanation:
        """Make one of a text and what becomes kernels."""
        made = super().__new__(cls, text)
        made.groups = list(groups)
        return made

    def __repr__(self) -> str:
        return str(self)

    def svg(self) -> str:
        """Return a drawing of the kernels: what each loads, computes and stores.

        >>> xarr.explain(xarr.arange(1000.0) + 1).svg()[:4]
        '<svg'
        """
        return self._drawn("color:CanvasText;background:Canvas;color-scheme:light dark")

    def _repr_html_(self) -> str:
        """Return the drawing in the page's own colours; it scrolls where the page is narrow."""
        return f'<div style="{SCROLLED}">{self._drawn("max-width:none")}</div>'

    def _drawn(self, style: str) -> str:
        return _drawing(self.splitlines()[0], self.groups, style)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawing, as SVG, to a file.

        path : path -- The file, whose name ends in ".svg".

        ValueError -- If it does not.

        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "kernels.svg"
        ...     xarr.explain(xarr.arange(1000.0) + 1).save(path)
        ...     path.read_text()[:4]
        '<svg'
        """
        if Path(path).suffix.lower() != ".svg":
            raise value_error(
                "explain(x).save(path)", f"path is {os.fspath(path)!r}", "it must end with .svg"
            )
        Path(path).write_text(self.svg(), encoding="utf-8")


class Operation(NamedTuple):
    """An operation of a kernel: how it is written, and whether its result is stored."""

    text: str
    is_stored: bool


class Group(NamedTuple):
    """Operations that become one kernel, or several one after the other, and what these move."""

    operations: list[Operation]
    kernels: list[tuple[str, list[Move]]]

    @property
    def nbytes(self) -> int:
        """The bytes that are moved."""
        return sum(move.nbytes for _, moves in self.kernels for move in moves)


def explain(x: Any, /) -> Explanation:
    """Describe an array's pending operations and the kernels that compute them.

    x : Array, shape (...), or function of `jit`
        An array: the pending operations of its device are described. Kernels are compiled for them,
        but not launched. Or a function of `jit`: all launches of its recordings are described.

    -> str
        The operations, one a line, as they run: ``s2[(3,)] = add(s0[(3,)], 1.0)`` writes storage 2.
        Then two numbers of the device's programs (lists of such operations): those that run fused,
        and those that run step by step until their kernels are compiled, by NumPy and by kernels
        of one operation. Then each kernel with its template's file, its loads and stores, the
        bytes that these move, and its source. For an array in memory, its position there.

        A notebook shows it as a drawing, which ``.svg()`` returns and ``.save("kernels.svg")``
        writes. Stored results have an arrow there; results held in variables are grey.

    TypeError -- If x is no Array and no function that jit returned.

    >>> text = xarr.explain(xarr.ones(5000, dtype="float32") + 1)
    >>> text.splitlines()[0].partition(", ")[2]
    'pending: 1 operation'
    """
    if hasattr(x, "programs"):
        return _of_programs(x)
    if type(x) is not Array:
        accepted = "x must be an Array, or a function that jit returned"
        raise type_error("explain(x)", f"x is of type {type(x).__name__}", accepted)
    view = x._view
    device = view.device
    head = f"{view.dtype} {view.shape} on {device}"
    if view.storage is None:
        return Explanation(f"{head}: {view.value!r} everywhere, not in memory")
    with device.lock:
        on = tape_of(device)
        if not on.writes(view.storage):
            return Explanation(f"{head}, in memory: {view.layout}")
        _, arguments, program = on.would_run()
        steps, groups, kernels = _of_program(program, arguments.constants)
    lines = [f"{head}, pending: {_plural(len(steps), 'operation')}", *_indented(steps)]
    lines += [_tiers(device), *_of_kernels(device, kernels)]
    return Explanation("\n".join(lines), groups)


def _of_programs(function: Any) -> Explanation:
    """Describe what the recordings of a function launch: each program once."""
    lines: list[str] = []
    groups: list[Group] = []
    count = 0
    for head, device, parts in function.programs():
        uses = collections.Counter([program for program, _ in parts])
        constants = dict(parts)
        lines.append(f"{head}: {_plural(len(parts), 'program')}, {len(uses):,} different")
        for program, times in uses.items():
            steps, found, kernels = _of_program(program, constants[program])
            lines += [f"launched {_plural(times, 'time')}:", *_indented(steps)]
            lines += _of_kernels(device, kernels)
            groups += found
        count += 1
    name = getattr(function, "__name__", "a function")
    return Explanation("\n".join([f"{name}: {_plural(count, 'recording')}", *lines]), groups)


def _of_program(program: Any, constants: list[Any]) -> tuple[list[str], list[Group], list[Any]]:
    """Return the operations of a program as text, and what becomes kernels."""
    listed = decode(program.trace.opcodes, program.trace.codes)
    steps = traffic.describe(listed, constants)
    groups = []
    kernels = []
    for number, call in enumerate(program.prepare()):
        found = list(traffic.of(call))
        kernels += found
        stored = {move.slot for kernel in found for move in kernel.moves if move.stores}
        operations = [
            Operation(steps[at], getattr(listed[at].target, "slot", None) in stored)
            for at in sorted(program.members[number])
        ]
        groups.append(Group(operations, [(kernel.name, kernel.moves) for kernel in found]))
    return steps, groups, kernels


def _of_kernels(device: Device, kernels: list[Any]) -> list[str]:
    """Return the lines on kernels: what each moves, then their sources."""
    total = sum(kernel.nbytes for kernel in kernels)
    lines = [f"{_plural(len(kernels), 'kernel')}, {_plural(total, 'byte')}"]
    for number, one in enumerate(kernels, 1):
        lines.append(f"kernel {number}: {one.name}, {_plural(one.nbytes, 'byte')}")
        lines += _indented(f"{move}, {_plural(move.nbytes, 'byte')}" for move in one.moves)
    for number, kernel in enumerate([one.kernel for one in kernels], 1):
        if kernel is not None:
            text = launch.source_of(device, kernel.skeleton, kernel.defines)
            lines += [f"source of kernel {number}:", text]
    return lines


def _tiers(device: Device) -> str:
    """Count the device's programs by their tier."""
    traces = set(device.programs.values())
    tiers = collections.Counter(
        program.tier for trace in traces for program in trace.programs.values()
    )
    return "programs: " + ", ".join(f"{count:,} {tier}" for tier, count in sorted(tiers.items()))


def _plural(number: int, name: str) -> str:
    return f"{number:,} {name}" if number == 1 else f"{number:,} {name}s"


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


# -- the drawing -----------------------------------------------------------------------------------

_LINE: Final = 18
"""Pixels of a line of text, of 12 pixels."""
_LETTER: Final = 7.25
"""Pixels of a letter, which is as wide as any other."""
_PAD: Final = 10
_ARROW: Final = 44
"""Pixels between a kernel and what it loads or stores."""
_MOST: Final = 72
"""Letters of an operation that are shown."""

# Ink is the text's colour where the drawing stands, and areas are tints of what lies below.
_STYLE: Final = """
.xarr-explain{font:12px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.xarr-explain text{fill:currentColor;white-space:pre}.xarr-explain .head{font-weight:bold}
.xarr-explain .variable{fill-opacity:.65;font-style:italic}
.xarr-explain .kernel{fill:#3b82d6;stroke:#3b82d6;fill-opacity:.12}
.xarr-explain .memory{fill:#c98a1b;stroke:#c98a1b;fill-opacity:.12}
.xarr-explain .arrow{stroke:currentColor;fill:none}.xarr-explain .tip{fill:currentColor}
"""


def _drawing(head: str, groups: list[Group], style: str) -> str:
    """Draw the kernels below each other, between what they load and what they store."""
    left = max((_width(_box(move)) for move in _all(groups, stores=False)), default=0)
    right = max((_width(_box(move)) for move in _all(groups, stores=True)), default=0)
    texts = [
        text
        for group in groups
        for text in (*_titles(group), *(shorten(one.text) for one in group.operations))
    ]
    middle = max(map(_width, texts), default=0)
    begin = _PAD + left + (_ARROW if left else 0)
    end = begin + middle + (_ARROW if right else 0)
    total = sum(group.nbytes for group in groups)
    count = sum(len(group.kernels) for group in groups)
    told = f"{_plural(count, 'kernel')}, {_plural(total, 'byte')} moved; grey is not stored"
    width = max(end + right + _PAD, _width(head), _width(told))
    parts = [_text(_PAD, 1, head, "head"), _text(_PAD, 2, told if groups else "", "")]
    top = 3.0
    for group in groups:
        loads, stores = (list(_ends(group, stores=stores)) for stores in (False, True))
        lines = [(text, "head") for text in _titles(group)]
        lines += [
            (shorten(one.text), "" if one.is_stored else "variable") for one in group.operations
        ]
        rows = max(len(lines) * _LINE + _PAD, 2 * _LINE * len(loads), 2 * _LINE * len(stores))
        y = top * _LINE
        parts.append(_rect(begin, y, middle, rows, "kernel", 6))
        for number, (text, kind) in enumerate(lines):
            parts.append(_text(begin + _PAD, top + number + 1, text, kind))
        for moves, x, room in ((loads, _PAD, left), (stores, end, right)):
            for number, move in enumerate(moves):
                at = y + rows * (number + 0.5) / len(moves)
                parts.append(_rect(x, at - _LINE / 2 - 2, room, _LINE + 4, "memory", 2))
                parts.append(_text(x + _PAD, (at + _LINE / 2 - 5) / _LINE, _box(move), ""))
                tail = x + room if moves is loads else begin + middle
                parts.append(_arrow(tail + 3, tail + _ARROW - 3, at))
        top += rows / _LINE + 1
    height = top * _LINE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="xarr-explain" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" style="{style}">'
        f"<style>{_STYLE}</style>{''.join(parts)}</svg>"
    )


def _all(groups: list[Group], *, stores: bool) -> list[Move]:
    return [move for group in groups for move in _ends(group, stores=stores)]


def _ends(group: Group, *, stores: bool) -> list[Move]:
    """The loads of a group from the program's memory, or its stores there."""
    return [
        move
        for _, moves in group.kernels
        for move in moves
        if move.stores is stores and move.slot >= 0
    ]


def _titles(group: Group) -> list[str]:
    """A line for each kernel of a group."""
    return [
        f"{file}, {_plural(sum(move.nbytes for move in moves), 'byte')}"
        for file, moves in group.kernels
    ]


def shorten(text: str, most: int = _MOST) -> str:
    """Cut a text that has more letters than are shown."""
    return text if len(text) <= most else text[: most - 3] + "..."


def _box(move: Move) -> str:
    return f"{move.what}, {_plural(move.nbytes, 'byte')}"


def _width(text: str) -> float:
    return len(text) * _LETTER + 2 * _PAD


def _text(x: float, line: float, text: str, kind: str) -> str:
    return f'<text x="{x:.0f}" y="{line * _LINE:.0f}" class="{kind}">{html.escape(text)}</text>'


def _rect(x: float, y: float, width: float, height: float, kind: str, round_: int) -> str:
    return (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" '
        f'rx="{round_}" class="{kind}"/>'
    )


def _arrow(x1: float, x2: float, y: float) -> str:
    tip = f"M{x2:.0f} {y:.0f}l-8 -4v8z"
    line = f'<path class="arrow" d="M{x1:.0f} {y:.0f}H{x2 - 6:.0f}"/>'
    return f'{line}<path class="tip" d="{tip}"/>'
