"""Measure the rows of the table, the libraries taking turns."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy

from benchmarks.libraries import Host, Library
from benchmarks.rows import SMALL, Row
from benchmarks.timing import Timing, interleaved

CALLS: Final = 100
"""Calls of a small row that are timed together."""
WAIT_S: Final = 0.01
"""Work on large arrays that is waited for once: so much that the wait itself counts little."""
LARGE_CALLS: Final = 20
"""Calls of a large row at most between two waits."""
TOLERANCE: Final = 2e-3
"""Largest relative difference from NumPy's result, as float32 sums of many elements have it."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one library took for one row."""

    row: Row
    size: int
    library: str
    unit: str
    timing: Timing
    moved_nbytes: float | None
    wrong: str = ""

    @property
    def per_unit(self) -> float:
        """Units in a second."""
        return {"ms": 1e3, "us": 1e6}[self.unit]

    @property
    def minimum(self) -> float:
        """The shortest time, in `unit`."""
        return self.timing.minimum_s * self.per_unit

    @property
    def median(self) -> float:
        """The median time, in `unit`."""
        return self.timing.median_s * self.per_unit

    @property
    def bandwidth_gb_s(self) -> float | None:
        """The bytes that have to move, over the shortest time."""
        if self.moved_nbytes is None:
            return None
        return self.moved_nbytes / self.timing.minimum_s / 1e9


def operands(row: Row, size: int, dtype: str) -> list[Host]:
    """Random operands in [0, 1), the same for every library."""
    random = numpy.random.default_rng(0)
    kind: Any = numpy.float64 if dtype == "float64" else numpy.float32
    return [random.random(shape, kind) for shape in row.shapes(size)]


def bound(row: Row, library: Library, arrays: Sequence[Any]) -> Callable[[], Any] | None:
    """Return the call that does the row's work in a library; None where it has none."""
    if library.name == "numexpr":
        if not row.numexpr:
            return None
        names = dict(zip("abc", arrays, strict=False))
        return lambda: library.namespace.evaluate(row.numexpr, names)
    work = row.others.get(library.name, row.work)
    if work is None:
        return None
    call = functools.partial(work, library.namespace)
    if library.prepare is not None:
        return functools.partial(library.prepare(call), *arrays)
    return functools.partial(call, *arrays)


def large(
    row: Row, size: int, libraries: Sequence[Library], dtype: str, repeats: int
) -> list[Result]:
    """Time a row: the device's time, of calls that follow each other without a pause."""

    def timed(library: Library, call: Callable[[], Any]) -> Callable[[], float]:
        def work(calls: int) -> float:
            began = time.perf_counter()
            for _ in range(calls):
                result = call()
                library.launch(result)
            library.wait(result)
            return (time.perf_counter() - began) / calls

        work(1)
        calls = max(1, min(LARGE_CALLS, round(WAIT_S / work(1))))
        return functools.partial(work, calls)

    moved = None if row.moved is None else row.moved * size * numpy.dtype(dtype).itemsize
    return _measured(row, size, libraries, dtype, repeats, timed, "ms", moved)


def small(row: Row, libraries: Sequence[Library], dtype: str, repeats: int) -> list[Result]:
    """Time calls on small arrays without waiting for their results: the host's time."""

    def timed(library: Library, call: Callable[[], Any]) -> Callable[[], float]:
        def work() -> float:
            result = call()
            began = time.perf_counter()
            for _ in range(CALLS):
                result = call()
                if not isinstance(result, float):
                    library.launch(result)
            elapsed_s = time.perf_counter() - began
            if not isinstance(result, float):
                library.wait(result)
            return elapsed_s / CALLS

        return work

    return _measured(row, SMALL, libraries, dtype, repeats, timed, "us", None)


def _measured(
    row: Row,
    size: int,
    libraries: Sequence[Library],
    dtype: str,
    repeats: int,
    timed: Callable[[Library, Callable[[], Any]], Callable[[], float]],
    unit: str,
    moved: float | None,
) -> list[Result]:
    hosts = operands(row, size, dtype)
    works: dict[str, Callable[[], float]] = {}
    values: dict[str, Any] = {}
    for library in libraries:
        call = bound(row, library, [library.upload(host.copy()) for host in hosts])
        if call is None:
            continue
        result = call()
        values[library.name] = result if isinstance(result, float) else library.download(result)
        works[library.name] = timed(library, call)
    expected = values.get("numpy")
    wrong = {name: difference(value, expected, alike=row.alike) for name, value in values.items()}
    return [
        Result(row, size, name, unit, Timing.of(elapsed_s), moved, wrong[name])
        for name, elapsed_s in interleaved(works, repeats).items()
    ]


def difference(value: Any, expected: Any, *, alike: bool = True) -> str:
    """Say what is wrong with a result; "" where nothing is, or without NumPy's result."""
    if expected is None:
        return ""
    given, wanted = numpy.asarray(value), numpy.asarray(expected)
    if given.shape != wanted.shape:
        return f"shape {given.shape} instead of {wanted.shape}"
    if not alike:
        return ""
    scale = float(numpy.max(numpy.abs(wanted), initial=0)) or 1.0
    off = numpy.subtract(given, wanted, dtype=numpy.result_type(wanted, numpy.float64))
    largest = float(numpy.max(numpy.abs(off), initial=0)) / scale
    return "" if largest <= TOLERANCE else f"differs from NumPy by {largest:.1e} of the largest"
