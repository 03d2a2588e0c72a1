"""The report of a program: lines that fell to the host, launches, times."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from types import FrameType
from typing import Any, Final

from xarr.array.array import Array
from xarr.array.transfers import READING, observed
from xarr.backends.device import Device, default_device
from xarr.compiler import launch
from xarr.core import tape as core
from xarr.core.tape import launched_by
from xarr.engine import engine

_SPOKEN: Final = {
    "__array__": "numpy.asarray(x)",
    "__bool__": "bool(x)",
    "__complex__": "complex(x)",
    "__contains__": "value in x",
    "__float__": "float(x)",
    "__format__": "format(x)",
    "__index__": "x as an index",
    "__int__": "int(x)",
    "__iter__": "iter(x)",
    "__round__": "round(x)",
    "_index": "x as an index",
    "_rows": "iter(x)",
    "array_interface": "numpy.asarray(x)",
    "array_repr": "repr(x)",
    "array_str": "str(x)",
    "item": "x.item()",
    "to_array": "numpy.asarray(x)",
    "tolist": "x.tolist()",
}
"""The expressions that call special methods."""

Line = tuple[str, int, str]
"""A file, a line, and what is called there."""


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
        self._compilations = engine.counts.compilations
        self._begin = (time.perf_counter(), time.process_time())
        self.seconds = (0.0, 0.0)

    def __enter__(self) -> Report:
        if self._detailed:
            self._watch()
        self._compilations = engine.counts.compilations
        self._begin = (time.perf_counter(), time.process_time())
        return self

    def _watch(self) -> None:
        self._stack.enter_context(observed(self._note))
        self._stack.enter_context(launched_by(self._launch))

    def __exit__(self, *exception: object) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        self.seconds = (wall - self._begin[0], cpu - self._begin[1])
        self._stack.close()

    def _launch(self, device: Device, kernel: launch.Kernel, *rest: Any) -> None:
        """Launch a kernel, and wait for it, so that its time is known."""
        device.driver.synchronize()
        begin = time.perf_counter()
        core.launched(device, kernel, *rest)
        device.driver.synchronize()
        elapsed_s = time.perf_counter() - begin
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
            called = _function_name(frame) or called
            frame = frame.f_back
        what = _SPOKEN.get(called, called) if where == READING else where
        if frame is None:
            return "", 0, what
        return frame.f_code.co_filename, frame.f_lineno, what

    def text(self, compared: tuple[float, float] | None = None) -> str:
        """The report; `compared` has the wall and CPU seconds that NumPy took, if known."""
        lines = [f"xarr on {default_device()!r}", _time("xarr", self.seconds)]
        if compared is not None:
            ratio = compared[0] / max(self.seconds[0], 1e-9)
            lines.append(f"{_time('NumPy', compared)}; xarr is {ratio:.2f} times as fast")
        if self._detailed:
            lines += self._details()
        return "\n".join(lines) + "\n"

    def _details(self) -> list[str]:
        launches = sum(int(count) for count, _ in self._launched.values())
        busy_s = sum(seconds for _, seconds in self._launched.values())
        kernels = sum(map(len, self._kernels.values()))
        compiled = engine.counts.compilations - self._compilations
        lines = [
            f"{'launches':<10}{launches:>8,} of {kernels:,} kernels, {busy_s:.3f} s; "
            f"{compiled:,} compiled"
        ]
        for skeleton, (count, seconds) in sorted(self._launched.items(), key=_by_seconds):
            lines.append(f"{'':<10}{count:>8,}  {seconds:8.3f} s  {skeleton.removesuffix('.c')}")
        times = sum(count for count, _ in self._moved.values())
        nbytes = sum(moved for _, moved in self._moved.values())
        lines.append(f"{'moved':<10}{times:>8,} times, {_bytes(nbytes)}")
        for (file, number, what), (count, moved) in sorted(self._moved.items(), key=_by_bytes):
            place = f"{_relative_path(file)}:{number}" if file else "outside the program"
            lines.append(f"{'':<10}{count:>8,}  {_bytes(moved):>10}  {place}  {what}")
        return lines


def _function_name(frame: FrameType) -> str:
    """The name of the function that a frame runs; "" for one that only hands on."""
    module, code = str(frame.f_globals.get("__name__", "")), frame.f_code
    if module.startswith("xarr.running") or "<locals>" in code.co_qualname:
        return ""
    if not module.startswith("xarr"):
        return f"{module}.{code.co_qualname}"
    if code.co_name == "__next__":
        return code.co_qualname.removesuffix(".__next__")
    # The compiled core has no frames, and asks for a number here.
    return f"{frame.f_locals['kind']}(x)" if code is _SCALAR else code.co_name


_SCALAR: Final = Array._scalar.__code__


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


def _relative_path(file: str) -> str:
    """A file as it is reached from the current folder, where it lies below that."""
    path = Path(file)
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else file
