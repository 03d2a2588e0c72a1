"""The report of a program: lines that fell to the host, launches, times."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from types import FrameType
from typing import Any, Final

from xarr import errors
from xarr.array.transfers import observed
from xarr.backends.device import Device, default_device
from xarr.codegen import launch
from xarr.ir import instructions, steps
from xarr.ir.events import hooks
from xarr.ir.steps import launching_with
from xarr.tape import builder

Line = tuple[str, int, str]
"""A file, a line, and what is called there."""

_SMALL_COUNT: Final = 1000
_SMALL_S: Final = 200e-6
"""Small operations are the cost of a program that does as many, each in less CPU time beside the
kernels, and more in all than these: NumPy adds 100,000 numbers in that time."""
_LINES: Final = 5
"""The lines that are named as those with the most operations."""


class Report(AbstractContextManager["Report"]):
    """Notes launches and hidden transfers while it is entered.

    owns : callable -- Tells by a module's global names whether it is the program's own.
    detailed : bool
        Whether launches and lines are told besides the time. A launch is waited for then, so that
        it has a time, and the program takes longer.
    """

    def __init__(self, owns: Callable[[Mapping[str, Any]], bool], *, detailed: bool) -> None:
        self._owns = owns
        self._detailed = detailed
        self._stack = ExitStack()
        self._moved: dict[Line, list[int]] = {}
        self._launched: dict[str, list[float]] = {}
        self._kernels: dict[str, set[int]] = {}
        self._asked = Counter[tuple[str, int]]()
        self._first_s = 0.0
        self._spent_s = 0.0
        self._busy_s = 0.0
        self._compilations = builder.counts.compilations
        self._begin = (time.perf_counter(), time.process_time())
        self.seconds = (0.0, 0.0)

    def __enter__(self) -> Report:
        if self._detailed:
            self._watch()
        self._compilations = builder.counts.compilations
        self._begin = (time.perf_counter(), time.process_time())
        return self

    def _watch(self) -> None:
        self._stack.enter_context(observed(self._note))
        self._stack.enter_context(launching_with(self._launch))
        self._stack.callback(setattr, hooks, "numbers", hooks.numbers)
        hooks.numbers = self

    def __next__(self) -> int:
        """The number of an operation that is asked for, whose line is noted."""
        if not self._asked:
            self._first_s = time.process_time()
        self._asked[self._line("")[:2]] += 1
        return instructions.next_number()

    def __exit__(self, *exception: object) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        self.seconds = (wall - self._begin[0], cpu - self._begin[1])
        self._spent_s = cpu - self._first_s if self._asked else 0.0
        self._stack.close()

    def _launch(self, device: Device, kernel: launch.Kernel, *rest: Any) -> None:
        """Launch a kernel, and wait for it, so that its time is known."""
        device.driver.synchronize()
        begin, busy_s = time.perf_counter(), time.process_time()
        steps.launched(device, kernel, *rest)
        device.driver.synchronize()
        elapsed_s = time.perf_counter() - begin
        self._busy_s += time.process_time() - busy_s
        entry = self._launched.setdefault(kernel.skeleton, [0, 0.0])
        entry[0] += 1
        entry[1] += elapsed_s
        self._kernels.setdefault(kernel.skeleton, set()).add(id(kernel.handle))

    def _note(self, where: str, nbytes: int, direction: str, device: Device) -> None:
        file, number, what = self._line(where)
        what += " (to the device)" if direction == "to" else ""
        entry = self._moved.setdefault((file, number, what), [0, 0])
        entry[0] += 1
        entry[1] += nbytes

    def _line(self, where: str) -> Line:
        """The program's line that is at work, and what it called."""
        frame: FrameType | None = sys._getframe(1)
        called = ""
        while frame is not None and not self._owns(frame.f_globals):
            called = errors.function_name(frame) or called
            frame = frame.f_back
        what = errors.spoken(called) if where == errors.READING else where
        if frame is None:
            return "", 0, what
        return frame.f_code.co_filename, frame.f_lineno, what

    def text(self, compared: tuple[float, float] | None = None) -> str:
        """The report; `compared` has the wall and CPU seconds that NumPy took, if known."""
        lines = [f"xarr on {default_device()!r}", _time("xarr", self.seconds)]
        if compared is not None:
            slower = self.seconds[0] / max(compared[0], 1e-9)
            told = f"is {1 / max(slower, 1e-9):.2f} times as fast"
            if slower > 1:
                told = f"takes {slower:,.1f} times as long"
            lines.append(f"{_time('NumPy', compared)}; xarr {told}")
        if self._detailed:
            lines += self._details()
        return "\n".join(lines) + "\n"

    def _details(self) -> list[str]:
        launches = sum(int(count) for count, _ in self._launched.values())
        busy_s = sum(seconds for _, seconds in self._launched.values())
        kernels = sum(map(len, self._kernels.values()))
        compiled = builder.counts.compilations - self._compilations
        lines = [
            f"{'launches':<10}{launches:>8,} of {kernels:,} kernels, {busy_s:.3f} s; "
            f"{compiled:,} compiled"
        ]
        for skeleton, (count, seconds) in sorted(self._launched.items(), key=_by_seconds):
            lines.append(f"{'':<10}{count:>8,}  {seconds:8.3f} s  {skeleton.removesuffix('.c')}")
        # CPU time is without what other programs take, and before are a program's imports.
        host_s = self._spent_s - self._busy_s if self._asked else 0.0
        asked = self._asked.total()
        lines.append(
            f"{'host':<10}{asked:>8,} operations, {host_s:.3f} s of CPU time beside kernels"
        )
        times = sum(count for count, _ in self._moved.values())
        nbytes = sum(moved for _, moved in self._moved.values())
        lines.append(f"{'moved':<10}{times:>8,} times, {_bytes(nbytes)}")
        for (file, number, what), (count, moved) in sorted(self._moved.items(), key=_by_bytes):
            place = _place(file, number)
            lines.append(f"{'':<10}{count:>8,}  {_bytes(moved):>10}  {place}  {what}")
        return lines + (self._verdict(host_s) if host_s > self._busy_s else [])

    def _verdict(self, host_s: float) -> list[str]:
        """The lines of a program whose cost is the host's work on small operations."""
        asked = self._asked.copy()
        for (file, number, _), (count, _) in self._moved.items():
            asked[file, number] += count
        total = asked.total()
        if total < _SMALL_COUNT or host_s / total > _SMALL_S:
            return []
        each_us = 1e6 * host_s / total
        lines = [
            f"{'verdict':<10}small operations are the cost, {each_us:.0f} us of CPU time each. "
            "Compute with whole arrays;",
            f"{'':<10}take numbers that Python needs one by one to it at once, by x.tolist(). "
            "Most are on",
        ]
        for (file, number), count in asked.most_common(_LINES):
            lines.append(f"{'':<10}{count:>8,}  {_place(file, number)}")
        return lines


def _time(name: str, seconds: tuple[float, float]) -> str:
    return f"{name:<10}{seconds[0]:8.3f} s, {seconds[1]:.3f} s of CPU time"


def _by_seconds(item: tuple[str, list[float]]) -> float:
    return -item[1][1]


def _by_bytes(item: tuple[Line, list[int]]) -> tuple[int, int, Line]:
    line, (count, nbytes) = item
    return -nbytes, -count, line


def _bytes(nbytes: int) -> str:
    size = float(nbytes)
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def _place(file: str, number: int) -> str:
    """A line, with its file as it is reached from the current folder, where it lies below that."""
    if not file:
        return "outside the program"
    path = Path(file)
    here = Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else file}:{number}"
