"""Records of devices' work within a profile: launches, with time, bytes and the lines that asked.

Without a profile nothing here runs. The first profile that opens replaces the functions that number
instructions, run programs and drive devices; the last one that closes restores them.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import sysconfig
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

import numpy

from xarr import tuning
from xarr.backends import device as devices, ranges
from xarr.backends.base import Driver, Place, Span, Timer, timed_by_host
from xarr.backends.device import Device
from xarr.backends.recording import Asked, around, replaced
from xarr.codegen import launch
from xarr.ir.events import hooks
from xarr.ir.instructions import next_number
from xarr.runtime import host_functions, traffic
from xarr.runtime.dispatch import Program

_ROOT: Final = str(Path(__file__).parents[1]) + os.sep
_LIBRARIES: Final = (
    *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    str(Path(numpy.__file__).parents[1]),
)
_reading: Final = threading.RLock()
"""Held while a span is read: that is done once, though open profiles share the work."""


class Line(NamedTuple):
    """A line of a program."""

    file: str
    number: int


class Work:
    """A piece of work that a device, or the host in its place, did.

    name, kind, device : str
        Its name; its kind: a "kernel", a "library" of the device's, NumPy on the "host", a "copy"
        on the device or a "transfer" between it and the host; and the device.
    shares : dict of Line
        The lines that asked for it, and each one's share; 1 together.
    nbytes : int -- The bytes that it moves.
    asked_s, returned_s, begin_s, end_s : float
        When the host began and ended to ask for it, and when it ran, in seconds of
        `time.perf_counter`.
    thread : int -- The thread that asked.
    """

    __slots__ = ("_span", "asked_s", "begin_s", "device", "end_s", "kind", "name", "nbytes",
                 "returned_s", "shares", "thread")  # fmt: skip

    def __init__(
        self, name: str, kind: str, device: str, shares: dict[Line, float], nbytes: int
    ) -> None:
        self.name = name
        self.kind = kind
        self.device = device
        self.shares = shares
        self.nbytes = nbytes
        self.thread = threading.get_ident()
        self.asked_s = self.returned_s = self.begin_s = self.end_s = time.perf_counter()
        self._span: Span | None = None

    def measure(self, timer: Timer, method: str, ask: Callable[[], Any]) -> None:
        """Do the work by `ask`, measured by a timer."""
        with ranges.named(self.name):
            self._span = timer(method, ask)
        self.returned_s = time.perf_counter()

    def read(self) -> None:
        """Wait for the work, and read its times."""
        with _reading:
            if self._span is not None:
                self.begin_s, self.end_s = self._span()
                self._span = None


class Recording:
    """The work of devices between `begin` and `end`.

    works : list of Work -- In the order in which it was asked for.
    begin_s, end_s : float -- When it began and ended, in seconds of `time.perf_counter`.
    """

    def __init__(self) -> None:
        self.works: list[Work] = []
        self.begin_s = self.end_s = time.perf_counter()

    def begin(self) -> None:
        """Record work from now on."""
        with _watch.lock:
            if not _watch.recordings:
                _watch.install()
            _watch.recordings = [*_watch.recordings, self]
        self.begin_s = self.end_s = time.perf_counter()

    def end(self) -> None:
        """Stop recording, and wait for the recorded work."""
        with _watch.lock:
            _watch.recordings = [one for one in _watch.recordings if one is not self]
            if not _watch.recordings:
                _watch.stack.close()
        self.read()
        self.end_s = time.perf_counter()

    def read(self) -> list[Work]:
        """Wait for the work recorded so far, and return it."""
        works = self.works.copy()
        for work in works:
            work.read()
        return works


class _Run:
    """A running program: its instructions' numbers on the tape, and the finished steps."""

    def __init__(self, program: Program, numbers: Sequence[int], done: list[int]) -> None:
        self.program = program
        self.numbers = numbers
        self.done = done
        self.call = -1
        self.stage = 0

    def next(self) -> tuple[str, dict[Line, float], int]:
        """Return the name, the program's lines and the bytes of the next launch."""
        self.stage = self.stage + 1 if self.call == len(self.done) else 0
        self.call = len(self.done)
        names, members, moved = _watch.part(self.program, self.call)
        skeleton, nbytes = moved[self.stage]
        name = f"{skeleton.removesuffix('.c')}: {', '.join(dict.fromkeys(names))}"
        return name, self._shares(members), nbytes

    def shares(self) -> dict[Line, float]:
        """Return the lines of the program that asked for the next step, which is no launch."""
        return self._shares(_watch.part(self.program, len(self.done))[1])

    def _shares(self, members: Sequence[int]) -> dict[Line, float]:
        numbers = [self.numbers[member] for member in members if self.numbers]
        lines = [_watch.lines.get(number) or line_at_work() for number in numbers or [-1]]
        return {line: n / len(lines) for line, n in Counter(lines).items()}


class _Here(threading.local):
    """The program that this thread runs, and whether its calls belong to work that is measured."""

    run: _Run | None = None
    is_within = False


class _Watch:
    """Replaces functions of the engine and drivers by measuring ones while recordings are open."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.here = _Here()
        self.recordings: list[Recording] = []
        self.stack = ExitStack()
        self.lines: dict[int, Line] = {}
        self.pending: list[Work] = []
        self._drivers: dict[int, list[Device]] = {}
        self._timers: dict[int, Timer] = {}
        self._kernels: dict[int, str] = {}
        self._parts: dict[tuple[Program, int], tuple[list[str], list[int], list[Any]]] = {}

    def install(self) -> None:
        """Replace the functions, all or none."""
        with ExitStack() as stack:
            self.stack = stack
            self._install(stack)
            self.stack = stack.pop_all()

    def _install(self, stack: ExitStack) -> None:
        stack.enter_context(host_functions.fused())
        stack.callback(self._clear)
        hooks.numbers, hooks.run = self, self.running
        devices.when_opened.append(self.attach)
        stack.callback(devices.when_opened.remove, self.attach)
        for device in devices.found():
            if device.is_open:
                self.attach(device)

    def _clear(self) -> None:
        for kept in (self.lines, self._drivers, self._timers, self._kernels, self._parts):
            kept.clear()
        self.pending.clear()
        hooks.numbers = hooks.run = None

    def attach(self, device: Device) -> None:
        """Measure the work of a device from now on."""
        with device.lock:
            driver = device.driver
            found = self._drivers.setdefault(id(driver), [])
            found.append(device)
            if len(found) > 1:
                return
            self._timers[id(driver)] = driver.timer()
            do = functools.partial(self._intercept, driver)
            names = ("launch", "launch_with", "copy", "upload", "download")
            block = replaced(driver, functools.partial(around, driver, names, do))
            block.__enter__()
        self.stack.callback(self._detach, device, block)

    def _detach(self, device: Device, block: AbstractContextManager[None]) -> None:
        with device.lock:
            block.__exit__(None, None, None)

    def __next__(self) -> int:
        """Number an instruction and note its line."""
        number = next_number()
        self.lines[number] = line_at_work()
        return number

    def __iter__(self) -> Iterator[int]:
        return self

    @contextlib.contextmanager
    def running(self, program: Program, numbers: Sequence[int], done: list[int]) -> Iterator[None]:
        """Attribute launches within the block to the instructions of a program."""
        before, self.here.run = self.here.run, _Run(program, numbers, done)
        try:
            yield
            for number in numbers:
                self.lines.pop(number, None)
        finally:
            self.here.run = before

    def part(self, program: Program, number: int) -> tuple[list[str], list[int], list[Any]]:
        """Return a step's operations' names, its instructions, and its kernels' names and bytes."""
        found = self._parts.get((program, number))
        if found is None:
            call, members = program.steps[number], sorted(program.members[number])
            moved = [(one.name, one.nbytes) for one in traffic.of(call)]
            found = self._parts[program, number] = program.names(members), members, moved
        return found

    def _intercept(
        self, driver: Driver, method: str, asked: Asked, given: tuple[Any, ...], options: Any
    ) -> None:
        ask = functools.partial(asked, *given, **options)
        if self.here.is_within:
            ask()
            return
        if method == "launch" and self.here.run is not None:
            name, shares, nbytes = self.here.run.next()
            kind = "kernel"
        else:
            name, kind, nbytes = self._describe(driver, method, given)
            shares = {line_at_work(): 1.0}
        self.note(driver, Work(name, kind, _device_name(driver), shares, nbytes), method, ask)

    def _describe(
        self, driver: Driver, method: str, given: tuple[Any, ...]
    ) -> tuple[str, str, int]:
        """Return the name, kind and bytes of a driver's method called outside of programs."""
        if method == "copy":
            return "copy", "copy", 2 * given[-1]
        if method in ("upload", "download"):
            name = "to the device" if method == "upload" else "to the host"
            return name, "transfer", memoryview(given[2]).nbytes
        if method == "launch":
            return self._kernel(driver, given[0]), "kernel", sum(map(_nbytes, given[3]))
        places = [one.buffer for one in given[3] if isinstance(one, Place)]
        return getattr(given[0], "name", "kernel"), "kernel", sum(map(_nbytes, places))

    def _kernel(self, driver: Driver, handle: Any) -> str:
        """Return the name of the kernel with a driver's handle."""
        if id(handle) not in self._kernels:
            for device in self._drivers[id(driver)]:
                for (skeleton, key), kernel in device.kernels.copy().items():
                    names = launch.names_in_key("", key)[0]
                    name = skeleton.removesuffix(".c")
                    self._kernels[id(kernel.handle)] = f"{name}: {names}" if names else name
        return self._kernels.get(id(handle), "kernel")

    def note(self, driver: Driver, work: Work, method: str, ask: Callable[[], Any]) -> None:
        """Do work, measure it, and record it; work that it asks for counts as part of it."""
        here = self.here
        here.is_within = True
        try:
            is_host = work.kind == "host"
            timer = functools.partial(timed_by_host, driver) if is_host else self._timer(driver)
            work.measure(timer, method, ask)
        finally:
            here.is_within = False
        self.keep(work)

    def keep(self, work: Work) -> None:
        """Add work to all recordings."""
        for recording in self.recordings:
            recording.works.append(work)
        self.pending.append(work)
        if len(self.pending) >= tuning.PENDING:
            for one in self.pending:
                one.read()
            self.pending.clear()

    def _timer(self, driver: Driver) -> Timer:
        return self._timers.get(id(driver)) or functools.partial(timed_by_host, driver)


_watch: Final = _Watch()


def record(name: str, nbytes: int, device: Device, ask: Callable[[], Any], *, on_host: bool) -> Any:
    """Call `ask`, a library's work; record it in the open recordings; return its result."""
    if _watch.here.is_within:
        return ask()
    found: Any = None

    def asked() -> None:
        nonlocal found
        found = ask()

    with device.lock:
        driver = device.driver
        kind = "host" if on_host else "library"
        run = _watch.here.run
        shares = {line_at_work(): 1.0} if run is None else run.shares()
        work = Work(name, kind, _device_name(driver), shares, nbytes)
        _watch.note(driver, work, "", asked)
    return found


@contextlib.contextmanager
def unrecorded() -> Iterator[None]:
    """Record no work that this thread asks for within a ``with`` block."""
    before, _watch.here.is_within = _watch.here.is_within, True
    try:
        yield
    finally:
        _watch.here.is_within = before


def line_at_work() -> Line:
    """Return the running line: the program's, else that of the library that calls xarr."""
    frame: FrameType | None = sys._getframe(1)
    nearest = None
    while frame is not None:
        rank = _rank(frame.f_code.co_filename)
        if rank == 0:
            return Line(frame.f_code.co_filename, frame.f_lineno)
        if rank == 1 and nearest is None:
            nearest = Line(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return nearest or Line("", 0)


def _rank(file: str) -> int:
    """Return 0 for a program's file, 1 for a library's, 2 for xarr's."""
    if file.startswith(_ROOT) or file == "<frozen importlib._bootstrap>":
        return 2
    return 1 if file.startswith((*_LIBRARIES, "<frozen ")) else 0


def _device_name(driver: Driver) -> str:
    return f"{driver.info.backend}:{driver.info.index}"


def _nbytes(buffer: Any) -> int:
    """Return the bytes of a driver's buffer."""
    found = getattr(buffer, "size", None)
    return int(buffer.nbytes if found is None else found)
