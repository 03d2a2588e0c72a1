"""Run the examples on xarr and, unchanged, on NumPy; compare results and times: `make demo`.

An example knows only `import xarr as np`. Here its source is executed twice, the second time with
NumPy standing under xarr's name.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = Path(__file__).resolve().parent
OUTPUT = FOLDER / "output"
OTHERS = ("cuda_python", "demo", "tutorial", "__init__")  # what NumPy does not run
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in OTHERS)
# So many steps compile every kernel of a program.
FIRST_STEPS = 3

COLUMNS = "{:20} {:>9} {:>8} {:>8} {:>6}  {:27} {}"
HEADINGS = ("program", "first", "xarr", "NumPy", "ratio", "largest difference (bound)", "")


class Bar:
    """A progress bar around the steps of a program, which ends after `limit` of them."""

    def __init__(self, title: str, limit: int | None = None, width: int = 30) -> None:
        self.title, self.limit, self.width = title, limit, width

    def __call__(self, steps: range) -> Iterator[int]:
        """Yield the steps."""
        steps = steps[: self.limit]
        shown = 0.0
        for done, step in enumerate(steps):
            if time.perf_counter() - shown > 0.1:
                shown = time.perf_counter()
                self.show(done / len(steps))
            yield step
        self.show(1.0)

    def show(self, part: float) -> None:
        """Draw the bar where a person looks on."""
        if sys.stderr.isatty():
            full = round(part * self.width)
            bar = "#" * full + "." * (self.width - full)
            print(f"\r{self.title:42} [{bar}] {part:4.0%}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the bar away."""
        if sys.stderr.isatty():
            print("\r" + " " * (self.width + 51) + "\r", end="", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Run:
    """The results of a program as NumPy arrays, and what they took."""

    results: dict[str, numpy.ndarray[Any, Any]]
    elapsed_s: float


def load(name: str, library: ModuleType) -> ModuleType:
    """Execute the example `name` with `library` under the name of xarr."""
    spec = importlib.util.spec_from_file_location(
        f"{name}_on_{library.__name__}", FOLDER / f"{name}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get("xarr")
    sys.modules["xarr"] = library
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules["xarr"]
        if before is not None:
            sys.modules["xarr"] = before
    return module


def run(main: Callable[[Any], dict[str, Any]], bar: Bar) -> Run:
    """Run a program until its results are NumPy arrays, so that all work is done."""
    start = time.perf_counter()
    try:
        results = {name: numpy.asarray(value) for name, value in main(bar).items()}
    finally:
        bar.clear()
    return Run(results, time.perf_counter() - start)


def difference(actual: numpy.ndarray[Any, Any], expected: numpy.ndarray[Any, Any]) -> float:
    """Return the largest difference relative to the largest value; inf for another shape or NaN."""
    if actual.shape != expected.shape:
        return float("inf")
    a, b = actual.astype(numpy.float64), expected.astype(numpy.float64)
    if a.size == 0 or numpy.array_equal(a, b, equal_nan=True):
        return 0.0
    if not numpy.isfinite(a).all() or not numpy.isfinite(b).all():
        return float("inf")
    return float(numpy.abs(a - b).max() / (numpy.abs(b).max() or 1.0))


def compare(name: str, library: ModuleType, device: Any, quick: bool) -> bool:
    """Run one example on both, print its row, save its picture; return whether it agrees."""
    limit = FIRST_STEPS if quick else None
    program, reference = load(name, library), load(name, numpy)
    with library.device(device):
        first = run(program.main, Bar(f"{name} on xarr, first steps", FIRST_STEPS))
        actual = run(program.main, Bar(f"{name} on xarr", limit))
    expected = run(reference.main, Bar(f"{name} on NumPy", limit))

    differences = {
        key: difference(actual.results[key], value) for key, value in expected.results.items()
    }
    over = [key for key, value in differences.items() if not value <= program.BOUNDS[key]]
    worst = max(differences, key=lambda key: (key in over, differences[key]))
    print(
        COLUMNS.format(
            name,
            f"{first.elapsed_s:.2f} s",
            f"{actual.elapsed_s:.2f} s",
            f"{expected.elapsed_s:.2f} s",
            f"{expected.elapsed_s / actual.elapsed_s:.1f}",
            f"{worst} {differences[worst]:.1e} ({program.BOUNDS[worst]:.0e})",
            "OVER ITS BOUND: " + ", ".join(over) if over else "ok",
        ).rstrip(),
        flush=True,
    )
    save(program.draw, actual.results, name)
    return not over


def save(
    draw: Callable[[Figure, dict[str, Any]], None], results: dict[str, Any], name: str
) -> Path:
    """Write the picture of a program's results and return its path."""
    from matplotlib.figure import Figure

    OUTPUT.mkdir(exist_ok=True)
    figure = Figure(figsize=(10, 5), layout="constrained")
    draw(figure, results)
    path = OUTPUT / f"{name}.png"
    figure.savefig(path)
    return path


def show(
    main: Callable[[Any], dict[str, Any]], draw: Callable[[Figure, dict[str, Any]], None], file: str
) -> None:
    """Run one example by itself and write its picture."""
    name = Path(file).stem
    done = run(main, Bar(name))
    print(f"{name}: {done.elapsed_s:.2f} s, {save(draw, done.results, name)}")


def main(arguments: list[str] | None = None) -> int:
    """Run the examples named, or all; return 1 where one fails or is over a bound."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.demo", description="Run the examples on xarr and on NumPy."
    )
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--device", help="for example opencl:1; xarr's default device if not given")
    parser.add_argument("--quick", action="store_true", help=f"only {FIRST_STEPS} steps of each")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(NAMES):
        parser.error(f"no example is called {', '.join(unknown)}; there are {', '.join(NAMES)}")

    xarr = importlib.import_module("xarr")
    try:
        with xarr.device(options.device or xarr.default_device()) as device:
            print(f"xarr on {device} ({device.name}), NumPy {numpy.__version__}")
    except ValueError as error:
        parser.error(str(error))
    print(COLUMNS.format(*HEADINGS).rstrip())
    failed = []
    for name in options.names or NAMES:
        try:
            agrees = compare(name, xarr, device, options.quick)
        except Exception:  # noqa: BLE001 - a program that fails must not hide the others
            traceback.print_exc()
            print(f"{name:20} FAILED", flush=True)
            agrees = False
        if not agrees:
            failed.append(name)
    print(f"Pictures: {OUTPUT}")
    if failed:
        print(f"Failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
