"""NPBench's programs, unchanged: wall time and CPU time of xarr beside NumPy and CuPy.

A program runs in a process of its own for each library, which has its first run to warm up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools import programs

LIMIT_S = 300
COLUMNS = "{:26} {:8} {:>12} {:>12} {:>8} {:>8}  {}"


@dataclass(frozen=True, slots=True)
class Figure:
    """What a program took with a library, in seconds a run."""

    program: str
    library: str
    wall_s: float
    cpu_s: float
    problem: str = ""


def measured(
    folder: Path,
    size: str,
    device: str,
    libraries: Sequence[str],
    repeats: int,
    names: Sequence[str] = (),
    progress: Callable[[str], None] = lambda text: None,
) -> Iterator[Figure]:
    """Run the programs of a checkout with xarr and others; NumPy's figures come with xarr's."""
    for name in names or programs.npbench_names(folder):
        progress(f"NPBench, {name}")
        for library in ("xarr", *libraries):
            given = ["npbench", str(folder), "--size", size, "--repeat", str(repeats)]
            given += ["--limit", str(LIMIT_S), "--library", library, "--device", device]
            found = programs.run_apart(programs.parse(given), name)
            if library == "xarr":
                yield Figure(name, "numpy", found.numpy_wall, found.numpy_cpu)
            yield Figure(name, library, found.wall, found.cpu, found.problem)


def lines(figures: Sequence[Figure], size: str) -> Iterator[str]:
    """Yield the lines of the table that is printed."""
    yield ""
    yield f"NPBench, size {size}, milliseconds a run, and how many times faster than NumPy"
    yield COLUMNS.format("", "", "wall", "CPU", "wall x", "CPU x", "").rstrip()
    reference = {one.program: one for one in figures if one.library == "numpy"}
    for one in figures:
        beside = reference[one.program]
        times = [
            f"{whole / own:.2f}" if own else ""
            for whole, own in ((beside.wall_s, one.wall_s), (beside.cpu_s, one.cpu_s))
        ]
        yield COLUMNS.format(
            one.program if one is beside else "",
            one.library,
            f"{1e3 * one.wall_s:.3f}",
            f"{1e3 * one.cpu_s:.3f}",
            *times,
            f"WRONG: {one.problem}" if one.problem else "",
        ).rstrip()


def document(figures: Sequence[Figure], size: str) -> dict[str, Any]:
    """The figures, for the JSON file."""
    return {
        "size": size,
        "programs": [
            {
                "program": one.program,
                "library": one.library,
                "wall_s": one.wall_s,
                "cpu_s": one.cpu_s,
                "wrong": one.problem or None,
            }
            for one in figures
        ],
    }
