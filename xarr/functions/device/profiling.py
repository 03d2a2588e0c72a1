"""Profiles: what a block of a program costs, by kernel and by line; `explain`: what it will run.

That is the pending operations of a device, and the kernels that they would be.
"""

from __future__ import annotations

import collections
import contextlib
import html
import itertools
import json
import linecache
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from xarr import dtypes, layout
from xarr.array.array import Array
from xarr.backends import device as devices, ranges
from xarr.backends.device import Device, get_device
from xarr.codegen import launch
from xarr.errors import refused, type_error, value_error
from xarr.ir.storage import Storage
from xarr.ir.views import storage_view
from xarr.memo import memo
from xarr.runtime import profiling, traffic
from xarr.runtime.profiling import Line, Work
from xarr.runtime.traffic import Move
from xarr.scheduler.instructions import decode
from xarr.tape import builder
from xarr.tape.tape import tape_of

_COPIED_NBYTES: Final = (1 << 27, 1 << 24, 1 << 20)
"""Bytes of the copy that bandwidth is measured by: more than caches hold, if there is room."""
_COPIES: Final = 3
_UNITS: Final = (("GB", 1e9), ("MB", 1e6), ("kB", 1e3))
_WIDTH: Final = 60
"""Characters of a name or a line of source."""


class Cost(NamedTuple):
    """The cost of a kernel, or of a line of a program.

    Attributes
    ----------
    what : str
        The kernel and its operations; or the line's file and number.
    launches : int
        How often something was launched, copied or called for it.
    nbytes : int
        The bytes that this moved.
    seconds : float
        How long it took.
    share : float or None
        The bandwidth, as a part of what the device copies at; None for transfers.
    source : str
        The text of the line.
    """

    what: str
    launches: int
    nbytes: int
    seconds: float
    share: float | None = None
    source: str = ""

    @property
    def gb_s(self) -> float:
        """The bandwidth in gigabytes a second."""
        return self.nbytes / max(self.seconds, 1e-9) / 1e9


class Profile:
    """The cost of a ``with`` block; `xarr.profile` makes one, `print` and notebooks show it."""

    def __init__(self) -> None:
        self._recording: profiling.Recording | None = None
        self._block = contextlib.ExitStack()

    def __enter__(self) -> Profile:
        if self._recording is not None:
            fault = "it was used already"
            raise refused(RuntimeError, "profile()", fault, "make another one with profile()")
        _settle()
        recording = profiling.Recording()
        recording.begin()
        self._block.callback(recording.end)
        self._block.enter_context(ranges.named("xarr.profile"))
        self._recording = recording
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._block:
            if kind is None:
                _settle()

    @property
    def seconds(self) -> float:
        """From the beginning of the block to its end."""
        recording = self._recording
        return 0.0 if recording is None else recording.end_s - recording.begin_s

    @property
    def kernels(self) -> list[Cost]:
        """The cost of each kernel, the one that took longest first."""
        return _costs(((work.name,), work, 1.0) for work in self._works())

    @property
    def lines(self) -> list[Cost]:
        """The cost of each line, the one that took longest first.

        A kernel that several lines asked for is shared among them by their operations.
        """
        shared = (
            ((_place(line), _source(line)), work, share)
            for work in self._works()
            for line, share in work.shares.items()
        )
        return _costs(shared)

    def _works(self) -> list[Work]:
        return [] if self._recording is None else self._recording.read()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a trace as JSON that chrome://tracing and https://ui.perfetto.dev show.

        Each device has a row of what it did, or several where work overlaps; each thread has one of
        what it asked for.
        """
        Path(path).write_text(json.dumps({"traceEvents": self._events()}), encoding="utf-8")

    def _events(self) -> list[dict[str, Any]]:
        """The events of the trace; of work that overlaps, on several streams, rows beside it."""
        if self._recording is None:
            return []
        origin = self._recording.begin_s
        names = ["host", *sorted({work.device for work in self._works()})]
        threads = dict.fromkeys(work.thread for work in self._works())
        events: list[dict[str, Any]] = [
            {"name": "process_name", "ph": "M", "pid": number, "args": {"name": name}}
            for number, name in enumerate(names)
        ]
        ends: dict[tuple[str, int], float] = {}
        for work in sorted(self._works(), key=lambda work: work.begin_s):
            row = next(
                n for n in itertools.count() if ends.get((work.device, n), 0) <= work.begin_s
            )
            ends[work.device, row] = work.end_s
            told = {
                "bytes": work.nbytes,
                "GB/s": round(work.nbytes / max(work.end_s - work.begin_s, 1e-9) / 1e9, 3),
                "lines": [f"{_place(line)} {_source(line)}".strip() for line in work.shares],
            }
            spans = [
                (work.asked_s, work.returned_s, 0, [*threads].index(work.thread)),
                (work.begin_s, work.end_s, names.index(work.device), row),
            ]
            for begin, end, process, thread in spans:
                events.append(
                    {
                        "name": work.name,
                        "cat": work.kind,
                        "ph": "X",
                        "ts": (begin - origin) * 1e6,
                        "dur": (end - begin) * 1e6,
                        "pid": process,
                        "tid": thread,
                        "args": told,
                    }
                )
        return events

    def __str__(self) -> str:
        parts = self._heads()
        for title, costs in self._tables():
            parts.append("")
            for *figures, what, source in _cells(title, costs):
                aligned = "{:>8} {:>9} {:>9} {:>7} {:>5}".format(*figures)
                texts = f"{_shorten(what, _WIDTH)}  {_shorten(source, _WIDTH)}"
                parts.append(f"{aligned}  {texts}".rstrip())
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        """Return the same as tables, in the page's own colours; a long name wraps."""
        parts = [f"<div>{html.escape(head)}</div>" for head in self._heads()]
        for title, costs in self._tables():
            rows = "".join(
                f'<tr style="background:none">{"".join(map(_cell, cells, _COLUMNS))}</tr>'
                for cells in _cells(title, costs)
            )
            style = "color:inherit;border-collapse:collapse;margin:8px 0"
            parts.append(f'<table style="{style}">{rows}</table>')
        return f'<div style="{_SCROLLED}">{"".join(parts)}</div>'

    def _heads(self) -> list[str]:
        """Sentences about all of the block."""
        works = self._works()
        moved = sum(work.nbytes for work in works)
        busy_s = sum(work.end_s - work.begin_s for work in works)
        head = (
            f"{_seconds(self.seconds)}, {_seconds(busy_s)} of them at work: "
            f"{len(works):,} launches, {_bytes(moved)} moved"
        )
        names = sorted({work.device for work in works})
        return [head, *(f"{name} copies at {_bandwidth(name):,.1f} GB/s: 100%" for name in names)]

    def _tables(self) -> list[tuple[str, list[Cost]]]:
        """The title of the last column, and the costs, of each table."""
        return [("kernel", self.kernels), ("line", self.lines)] if self._works() else []

    def __repr__(self) -> str:
        return f"<Profile of {len(self._works())} launches>"


def profile() -> Profile:
    """Measure what a ``with`` block costs, for each kernel and for each line of the program.

    ``print(p)``, or a notebook, shows launches, bytes, time, GB/s, and the share of the bandwidth
    at which the device copies; ``p.kernels`` and ``p.lines`` are the figures.
    ``p.save("trace.json")`` writes a trace for chrome://tracing or Perfetto.

    Note: What was asked before the block runs before it, and what is asked within runs within. All
    small work is done by kernels there, as on a GPU, which NumPy would do on a CPU. The time is the
    device's own, without that of compilers. What the host does in libraries is named ``numpy.``.
    Everything that any thread asks of any device counts. Where the package nvtx is installed, the
    block and each launch are ranges of NVTX in the domain ``xarr``.

    >>> x = xarr.ones(5000, dtype="float32") + 0
    >>> with xarr.profile() as p:
    ...     y = x * 2 + 1
    >>> [(cost.what, cost.launches, cost.nbytes) for cost in p.kernels]
    [('elementwise: multiply, add', 1, 40000)]
    """
    return Profile()


def _settle() -> None:
    """Run all that was asked of all devices."""
    for device in devices.found():
        builder.settle(device)


def _costs(parts: Iterable[tuple[tuple[str, ...], Work, float]]) -> list[Cost]:
    """Sum the costs of works, or of parts of them, by name."""
    sums: dict[tuple[str, ...], list[Any]] = {}
    for names, work, part in parts:
        entry = sums.setdefault(names, [0, 0.0, 0.0, 0.0, 0.0])
        seconds = (work.end_s - work.begin_s) * part
        entry[0] += 1
        entry[1] += work.nbytes * part
        entry[2] += seconds
        if work.kind != "transfer":
            entry[3] += work.nbytes * part / _bandwidth(work.device) / 1e9
            entry[4] += seconds
    costs = []
    for (name, *source), (count, nbytes, seconds, least_s, counted_s) in sums.items():
        share = least_s / counted_s if counted_s else None
        costs.append(Cost(name, count, round(nbytes), seconds, share, *source))
    return sorted(costs, key=lambda cost: (-cost.seconds, cost.what))


@memo
def _bandwidth(name: str) -> float:
    """The bandwidth of a device in GB/s: bytes read and written by the best of some copies."""
    device = get_device(name)
    with profiling.unrecorded(), device.lock:
        builder.settle(device)
        source, target = _pair(device)
        nbytes = source.nbytes
        driver = device.driver
        view = storage_view(source, layout.contiguous((nbytes // 4,)), dtypes.int32)

        def by_kernel() -> None:
            builder.write(target, layout.contiguous((nbytes // 4,)), dtypes.int32, view)
            builder.settle(device)

        def by_driver() -> None:
            driver.copy(source.buffer, 0, target.buffer, 0, nbytes)

        tries = [copy for copy in (by_kernel, by_driver) for _ in range(1 + _COPIES)]
        return 2e-9 * nbytes / min(_elapsed_s(device, copy) for copy in tries)


def _pair(device: Device) -> tuple[Storage, Storage]:
    """Memory to copy from and to, as much of it as there is room for."""
    for nbytes in _COPIED_NBYTES[:-1]:
        with contextlib.suppress(MemoryError):
            return builder.allocate(device, nbytes), builder.allocate(device, nbytes)
    nbytes = _COPIED_NBYTES[-1]
    return builder.allocate(device, nbytes), builder.allocate(device, nbytes)


def _elapsed_s(device: Device, ask: Callable[[], None]) -> float:
    device.driver.synchronize()
    begin = time.perf_counter()
    ask()
    device.driver.synchronize()
    return time.perf_counter() - begin


def _place(line: Line) -> str:
    """A line's file, as it is reached from the current folder where it lies below that."""
    if not line.file:
        return "no line"
    path, here = Path(line.file), Path.cwd()
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    return f"{shown}:{line.number}"


def _source(line: Line) -> str:
    return linecache.getline(line.file, line.number).strip()


def _cells(title: str, costs: list[Cost]) -> Iterator[tuple[str, ...]]:
    """The cells of a table of costs, line by line; the first line has the titles."""
    yield "launches", "bytes", "time", "GB/s", "share", title, ""
    for cost in costs:
        share = "" if cost.share is None else f"{cost.share:.0%}"
        figures = f"{cost.launches:,}", _bytes(cost.nbytes), _seconds(cost.seconds)
        yield (*figures, f"{cost.gb_s:,.1f}", share, cost.what, cost.source)


_SCROLLED: Final = "color:inherit;overflow-x:auto;scrollbar-color:gray transparent"
"""Style of what is as wide as it must be; the bar would be white on a dark page."""
_FIGURE: Final = "text-align:right;white-space:nowrap"
_TEXT: Final = "text-align:left;overflow-wrap:anywhere;min-width:10em"
_COLUMNS: Final = (*[_FIGURE] * 5, _TEXT, f"{_TEXT};font-family:monospace")


def _cell(text: str, style: str) -> str:
    own = "color:inherit;background:none;border:none;padding:1px 12px 1px 0;vertical-align:top"
    return f'<td style="{own};{style}">{html.escape(text)}</td>'


def _bytes(nbytes: float) -> str:
    if nbytes < 1000:
        return f"{nbytes:.0f} B"
    unit, one = next((unit, one) for unit, one in _UNITS if nbytes >= one)
    return f"{nbytes / one:,.1f} {unit}"


def _seconds(seconds: float) -> str:
    for unit, one in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= one:
            return f"{seconds / one:.1f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


class Explanation(str):
    """The text that `explain` gives; a notebook shows the drawing of it.

    Attributes
    ----------
    groups : list of Group
        What becomes kernels, in order; none where nothing is pending.
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
        """Return a drawing of the kernels: what each loads, computes and stores."""
        return self._drawn("color:CanvasText;background:Canvas;color-scheme:light dark")

    def _repr_html_(self) -> str:
        """Return the drawing in the page's own colours; it scrolls where the page is narrow."""
        return f'<div style="{_SCROLLED}">{self._drawn("max-width:none")}</div>'

    def _drawn(self, style: str) -> str:
        return _drawing(self.splitlines()[0], self.groups, style)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawing, as SVG, to a file whose name ends in ".svg"."""
        if Path(path).suffix.lower() != ".svg":
            raise value_error("explain(x).save(path)", f"path is {os.fspath(path)!r}", ".svg files")
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


def explain(x: Array, /) -> Explanation:
    """Describe what was asked of an array's device and has not run, and the kernels that it is.

    x : Array, shape (...)
        The array; it stays as it is. Nothing is launched, but kernels are compiled.

    -> str -- The operations, one a line, as they run: ``s2[(3,)] = add(s0[(3,)], 1.0)`` writes
        storage 2. Then how many of the device's programs (lists of such operations) run how: fused,
        or step by step while there are no kernels for them, by NumPy and kernels of one operation.
        Then the kernels, each with its skeleton's file, what it loads and stores and the bytes that
        this moves, and then their sources. For an array in memory, where it lies.

        A notebook shows a drawing of it, which ``.svg()`` returns and ``.save("kernels.svg")``
        writes. What a kernel stores stands there with an arrow; what is a variable is grey.

    >>> text = xarr.explain(xarr.ones(5000, dtype="float32") + 1)
    >>> text.splitlines()[0].partition(", ")[2]
    'pending: 1 operation'
    """
    if type(x) is not Array:
        raise type_error("explain(x)", f"x is of type {type(x).__name__}", "an Array is accepted")
    view = x._view
    device = view.device
    head = f"{view.dtype} {view.shape} on {device}"
    if view.storage is None:
        return Explanation(f"{head}: {view.value!r} everywhere, not in memory")
    with device.lock:
        on = tape_of(device)
        if not on.writes(view.storage):
            return Explanation(f"{head}, in memory: {view.layout}")
        trace, arguments, program = on.would_run()
        calls = program.prepare()
        listed = decode(trace.opcodes, trace.codes)
        steps = traffic.describe(listed, arguments.constants)
        groups = []
        kernels = []
        for number, call in enumerate(calls):
            found = list(traffic.of(call))
            kernels += found
            stored = {move.slot for kernel in found for move in kernel.moves if move.stores}
            operations = [
                Operation(steps[at], getattr(listed[at].target, "slot", None) in stored)
                for at in sorted(program.members[number])
            ]
            moved = [(kernel.name, kernel.moves) for kernel in found]
            groups.append(Group(operations, moved))
    total = sum(kernel.nbytes for kernel in kernels)
    lines = [f"{head}, pending: {_plural(len(steps), 'operation')}", *_indented(steps)]
    lines.append(_tiers(device))
    lines.append(f"{_plural(len(kernels), 'kernel')}, {_plural(total, 'byte')}")
    for number, one in enumerate(kernels, 1):
        lines.append(f"kernel {number}: {one.name}, {_plural(one.nbytes, 'byte')}")
        lines += _indented(f"{move}, {_plural(move.nbytes, 'byte')}" for move in one.moves)
    for number, (kernel, _) in enumerate(kernels, 1):
        if kernel is not None:
            text = launch.source_of(device, kernel.skeleton, kernel.defines)
            lines += [f"source of kernel {number}:", text]
    return Explanation("\n".join(lines), groups)


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
        for text in (*_titles(group), *(_shorten(one.text) for one in group.operations))
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
            (_shorten(one.text), "" if one.is_stored else "variable") for one in group.operations
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


def _shorten(text: str, most: int = _MOST) -> str:
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
