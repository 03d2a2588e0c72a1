"""`python -m benchmarks`: xarr beside other libraries, as a table, a JSON file and a plot."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import costs, host, measure, npbench, report
from benchmarks.libraries import OPENERS, open_libraries
from benchmarks.rows import CPU_SIZE, HOST, KEYS, LARGE, LARGE_ROWS, SMALL_ROWS

OUTPUT = Path(__file__).resolve().parent / "output"
_FEW = 5
"""Repeats of what starts a process."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status is 1 when a result is wrong."""
    options = parse(arguments)
    from xarr.backends.device import device as default_device, get_device

    device = get_device(options.device)
    sizes = options.sizes or [CPU_SIZE if device.kind == "cpu" else LARGE]
    libraries, absent = open_libraries(["xarr", *options.libraries], str(device))
    own = libraries[0]
    results: list[measure.Result] = []
    spent: list[costs.Cost] = []
    copies: dict[int, tuple[float, str]] = {}
    table: host.Table | None = None
    with default_device(device):
        for size in sizes:
            large = [row for row in LARGE_ROWS if row.key in options.rows]
            if any(row.moved is not None for row in large):
                copies[size] = costs.copy_bandwidth(own, size, options.dtype, options.repeats)
            for row in large:
                _progress(f"{row.title}, {size:,} elements")
                results += measure.large(row, size, libraries, options.dtype, options.repeats)
        for row in SMALL_ROWS:
            if row.key in options.rows:
                _progress(row.title)
                results += measure.small(row, libraries, options.dtype, options.repeats)
        if HOST in options.rows:
            _progress("the host's cost")
            table = host.measured(libraries, options.repeats)
        few = min(options.repeats, _FEW)
        measurements: dict[str, Callable[[], list[costs.Cost]]] = {
            "import": lambda: costs.import_cost(libraries, few),
            "first result": lambda: costs.first_result_cost(str(device), few),
        }
        for key, measured in measurements.items():
            if key in options.rows:
                _progress(key)
                spent += measured()
    figures = list[npbench.Figure]()
    if options.npbench is not None:
        others = [one.name for one in libraries if one.name == "cupy"]
        asked = (options.npbench, options.npbench_size, str(device), others, options.repeats)
        figures += npbench.measured(*asked, names=options.npbench_programs, progress=_progress)
    _progress("")
    everything = (libraries, absent, results, spent, copies, device, options.dtype)
    print(*report.lines(*everything), sep="\n")
    content = report.document(*everything)
    if table is not None:
        print(*host.lines(table, device.kind), sep="\n")
        content["host"] = host.document(table, device.kind)
    if figures:
        print(*npbench.lines(figures, options.npbench_size), sep="\n")
        content["npbench"] = npbench.document(figures, options.npbench_size)
    written = report.write(options.out, content)
    print("\nwritten: " + ", ".join(map(str, written)))
    wrong = [*(one.wrong for one in results), *(one.problem for one in figures)]
    if table is not None:
        wrong += [one.wrong for one in table.cells]
    return 1 if any(wrong) else 0


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        epilog="Rows: " + ", ".join(KEYS),
    )
    parser.add_argument("--device", help="xarr's device, as opencl:0; the default device if absent")
    parser.add_argument("--rows", type=_rows, default=list(KEYS), help="names, with commas between")
    parser.add_argument(
        "--host",
        dest="rows",
        action="store_const",
        const=[HOST],
        help="only what operations cost the host, on 1,000 elements",
    )
    parser.add_argument(
        "--sizes",
        type=_sizes,
        help="elements, as 2^24,1e6; 2^24 on a CPU, 2^27 on a GPU if absent",
    )
    parser.add_argument("--repeats", type=_positive, default=15, help="rounds of each row")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32")
    parser.add_argument(
        "--libraries",
        type=_libraries,
        default=[name for name in OPENERS if name != "xarr"],
        help="what to compare with, of " + ", ".join(name for name in OPENERS if name != "xarr"),
    )
    parser.add_argument("--npbench", type=Path, help="a checkout of NPBench, to run its programs")
    parser.add_argument("--npbench-size", choices=["S", "M", "L", "paper"], default="S")
    parser.add_argument("--npbench-programs", type=_words, default=[], help="some programs only")
    parser.add_argument("--out", type=Path, default=OUTPUT, help="folder for the JSON and the plot")
    return parser.parse_args(arguments)


def _words(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _rows(text: str) -> list[str]:
    names = _words(text)
    unknown = [name for name in names if name not in KEYS]
    if unknown:
        raise argparse.ArgumentTypeError(f"no row {unknown[0]!r}; the rows are {', '.join(KEYS)}")
    return names


def _libraries(text: str) -> list[str]:
    names = _words(text)
    unknown = [name for name in names if name not in OPENERS or name == "xarr"]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is not a library to compare with")
    return names


def _sizes(text: str) -> list[int]:
    sizes = []
    for part in text.split(","):
        base, power, exponent = part.strip().partition("^")
        try:
            size = int(base) ** int(exponent) if power else int(float(base))
        except (ValueError, OverflowError):
            size = 0
        if not 16 <= size <= 1 << 40:
            raise argparse.ArgumentTypeError(
                f"the size {part!r} is not a number of elements; 2^24, 16777216 or 1e7 is one"
            )
        sizes.append(size)
    return sizes


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")
    return number


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
