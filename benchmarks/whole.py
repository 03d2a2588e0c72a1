"""Whole programs, unchanged: xarr beside CuPy or NumPy, taking turns.

A program is timed until its last result is there. Its first run, which compiles kernels, is not.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy

from benchmarks.libraries import OPENERS, Library
from benchmarks.programs import PROGRAMS, Program
from benchmarks.timing import Timing, interleaved

SIZES: Final = ("gpu", "demo", "test")
COLUMNS: Final = "{:22} {:>14} {:>10} {:>10} {:>10} {:>10} {:>8} {:>8}  {}"


@dataclass(frozen=True, slots=True)
class Run:
    """What a program took with a library: wall time, and CPU time of all the process's threads."""

    wall: Timing
    cpu: Timing


@dataclass(frozen=True, slots=True)
class Comparison:
    """A program with xarr and with another library.

    own, other : Run or None -- What it took; None where it did not run.
    wrong : str -- How xarr's results differ, or why there are none.
    absent : str -- Why the other library has none.
    """

    program: Program
    sizes: tuple[int, ...]
    reference: str
    own: Run | None
    other: Run | None
    wrong: str = ""
    absent: str = ""

    @property
    def times_faster(self) -> float | None:
        """The other library's shortest wall time over xarr's; None where one is wrong or absent."""
        if self.own is None or self.other is None or self.wrong:
            return None
        return self.other.wall.minimum_s / self.own.wall.minimum_s

    @property
    def times_less_processor(self) -> float | None:
        """The same of the shortest CPU times."""
        if self.own is None or self.other is None or self.wrong:
            return None
        return self.other.cpu.minimum_s / self.own.cpu.minimum_s


def compared(
    own: Library,
    other: Library,
    size: str,
    repeats: int,
    names: Sequence[str] = (),
    progress: Callable[[str], None] = lambda text: None,
) -> Iterator[Comparison]:
    """Run programs with xarr and another library."""
    for program in PROGRAMS:
        if not names or program.name in names:
            progress(program.name)
            yield _compared(program, getattr(program, size), own, other, repeats)


def reference(libraries: Sequence[Library], kind: str) -> Library:
    """CuPy for a GPU, where it is installed; else NumPy."""
    found = {one.name: one for one in libraries}
    if kind == "gpu" and "cupy" in found:
        return found["cupy"]
    return found.get("numpy") or OPENERS["numpy"](None)


def _compared(
    program: Program, sizes: tuple[int, ...], own: Library, other: Library, repeats: int
) -> Comparison:
    works: dict[str, Callable[[], tuple[float, float]]] = {}
    values: dict[str, list[Any]] = {}
    problems: dict[str, str] = {}
    for library in (own, other):
        try:
            values[library.name] = _values(program, sizes, library)
        except Exception as error:  # noqa: BLE001 - whatever a program meets is its outcome
            first = str(error).strip().partition("\n")[0]
            problems[library.name] = f"{type(error).__name__}: {first}"
        else:
            works[library.name] = _timed(program, sizes, library)
    runs = {
        name: Run(Timing.of([wall for wall, _ in rounds]), Timing.of([cpu for _, cpu in rounds]))
        for name, rounds in interleaved(works, repeats).items()
    }
    wrong = problems.get(own.name, "")
    if len(values) == 2:
        wrong = disagreement(values[own.name], values[other.name], program.tolerance)
    found = (runs.get(own.name), runs.get(other.name))
    return Comparison(program, sizes, other.name, *found, wrong, problems.get(other.name, ""))


def _results(program: Program, sizes: tuple[int, ...], library: Library) -> list[Any]:
    """What a program returns, when it is there."""
    found = program.run(library.namespace, *sizes)
    results = list(found) if isinstance(found, tuple) else [found]
    for result in results:
        if not isinstance(result, int | float):
            library.wait(result)
    return results


def _values(program: Program, sizes: tuple[int, ...], library: Library) -> list[Any]:
    return [
        result if isinstance(result, int | float) else library.download(result)
        for result in _results(program, sizes, library)
    ]


def _timed(
    program: Program, sizes: tuple[int, ...], library: Library
) -> Callable[[], tuple[float, float]]:
    def work() -> tuple[float, float]:
        wall, cpu = time.perf_counter(), time.process_time()
        _results(program, sizes, library)
        return time.perf_counter() - wall, time.process_time() - cpu

    return work


def disagreement(given: Sequence[Any], wanted: Sequence[Any], tolerance: float) -> str:
    """Say how results differ; "" where the 2-norm of each difference is small beside the result."""
    if len(given) != len(wanted):
        return f"{len(given)} results instead of {len(wanted)}"
    for number, (one, expected) in enumerate(zip(given, wanted, strict=True)):
        if numpy.shape(one) != numpy.shape(expected):
            return f"result {number} has shape {numpy.shape(one)}, not {numpy.shape(expected)}"
        off = numpy.subtract(one, expected, dtype=numpy.result_type(expected, numpy.float64))
        relative = numpy.linalg.norm(off.ravel()) / (numpy.linalg.norm(numpy.ravel(expected)) or 1)
        if not relative <= tolerance:
            return f"result {number} is off by {relative:.1e}"
    return ""


def geometric_mean(comparisons: Sequence[Comparison]) -> float | None:
    """How many times faster xarr is; None where nothing is compared."""
    ratios = [one.times_faster for one in comparisons if one.times_faster is not None]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def lines(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield the lines of the table that is printed."""
    other = comparisons[0].reference
    yield ""
    yield (
        "whole programs, milliseconds of wall time, the shortest round and the median; how many "
        "times faster by the shortest, and by CPU time of the process"
    )
    yield COLUMNS.format("", "", "xarr", "median", other, "median", "wall", "CPU", "").rstrip()
    for one in comparisons:
        times = [
            f"{1e3 * value:.2f}" if value is not None else ""
            for run in (one.own, one.other)
            for value in ((run.wall.minimum_s, run.wall.median_s) if run else (None, None))
        ]
        ratio = one.times_faster
        words = f"WRONG: {one.wrong}" if one.wrong else one.absent
        if ratio is not None and ratio < 1:
            words = "SLOWER"
        times += [
            "" if value is None else f"{value:.2f}" for value in (ratio, one.times_less_processor)
        ]
        sizes = " ".join(f"{size:,}" for size in one.sizes)
        yield COLUMNS.format(one.program.name, sizes, *times, words).rstrip()
    mean = geometric_mean(comparisons)
    if mean is not None:
        counted = [one for one in comparisons if one.times_faster is not None]
        slower = [one.program.name for one in counted if (one.times_faster or 0) < 1]
        yield (
            f"geometric mean of {len(counted)}: {mean:.2f} times as fast as {other}; "
            f"slower: {', '.join(slower) or 'none'}"
        )


def document(comparisons: Sequence[Comparison], size: str) -> dict[str, Any]:
    """The figures, for the JSON file."""
    return {
        "size": size,
        "reference": comparisons[0].reference,
        "geometric_mean": geometric_mean(comparisons),
        "programs": [
            {
                "program": one.program.name,
                "sizes": one.sizes,
                "xarr": _seconds(one.own),
                "reference": _seconds(one.other),
                "times_faster": one.times_faster,
                "wrong": one.wrong or None,
                "absent": one.absent or None,
            }
            for one in comparisons
        ],
    }


def _seconds(run: Run | None) -> dict[str, float] | None:
    if run is None:
        return None
    return {
        "wall_s": run.wall.minimum_s,
        "wall_median_s": run.wall.median_s,
        "cpu_s": run.cpu.minimum_s,
        "cpu_median_s": run.cpu.median_s,
    }
