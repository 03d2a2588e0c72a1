"""Profiles: what a block of a program costs, by kernel and by line."""

from __future__ import annotations

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
from xarr.backends import device as devices, ranges
from xarr.backends.device import Device, get_device
from xarr.errors import refused
from xarr.functions.device.explanation import SCROLLED, shorten
from xarr.ir.storage import Storage
from xarr.ir.views import storage_view
from xarr.runtime import profiling
from xarr.runtime.profiling import Line, Work
from xarr.tape import builder

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
        The number of launches, copies and library calls.
    nbytes : int
        The bytes that these moved.
    seconds : float
        How long it took.
    share : float or None
        The bandwidth, divided by that of the device's copies; None for transfers.
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
    """The cost of a ``with`` block; `xarr.profile` makes one, `print` and notebooks show it.

    >>> x = xarr.arange(1000.0)
    >>> with xarr.profile() as cost:
    ...     total = (x + 1).sum()
    >>> cost.seconds > 0
    True
    """

    def __init__(self) -> None:
        self._recording: profiling.Recording | None = None
        self._block = contextlib.ExitStack()

    def __enter__(self) -> Profile:
        if self._recording is not None:
            fault = "it was used already"
            raise refused(
                RuntimeError,
                "profile()",
                fault,
                "it must be used once",
                "make another one with profile()",
            )
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
        """The seconds from the beginning of the block to its end."""
        recording = self._recording
        return 0.0 if recording is None else recording.end_s - recording.begin_s

    @property
    def kernels(self) -> list[Cost]:
        """The cost of each kernel, the slowest first."""
        return _costs(((work.name,), work, 1.0) for work in self._works())

    @property
    def lines(self) -> list[Cost]:
        """The cost of each line, the slowest first.

        The cost of a kernel for several lines is divided among them by their operations.
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

        Each device has a row of its work, or several where work overlaps; each thread has a row of
        the work that it started.

        path : path -- The file.

        >>> import os
        >>> with xarr.profile() as cost:
        ...     total = xarr.arange(1000.0).sum()
        >>> cost.save(os.devnull)
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
                texts = f"{shorten(what, _WIDTH)}  {shorten(source, _WIDTH)}"
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
        return f'<div style="{SCROLLED}">{"".join(parts)}</div>'

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
    """Measure the cost of a ``with`` block by kernel and by line of the program.

    ``print(p)``, or a notebook, shows launches, bytes, time and bandwidth, also as a
    share of the bandwidth of the device's copies; ``p.kernels`` and ``p.lines`` are the figures.
    ``p.save("trace.json")`` writes a trace for chrome://tracing or Perfetto.

    Note: Pending work runs before the block, and the work of the block runs within it. Kernels
    compute all work on a CPU too, where NumPy does small work without `profile`. Times are the
    device's, without compilation. Library calls on the host are named ``numpy.``. The work of all
    threads on all devices counts. With the package nvtx, the block and each launch are NVTX ranges
    in the domain ``xarr``.

    >>> x = xarr.ones(5000, dtype="float32") + 0
    >>> with xarr.profile() as p:
    ...     y = x * 2 + 1
    >>> [(cost.what, cost.nbytes) for cost in p.kernels if cost.what != "to the device"]
    [('elementwise: multiply, add', 40000)]
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


def _bandwidth(name: str) -> float:
    """Measure the bandwidth of a device in GB/s, once: bytes read and written by the best copy."""
    device = get_device(name)
    if device.bandwidth_gb_s is not None:
        return device.bandwidth_gb_s
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
        device.bandwidth_gb_s = 2e-9 * nbytes / min(_elapsed_s(device, copy) for copy in tries)
    return device.bandwidth_gb_s


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
