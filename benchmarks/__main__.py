"""`python -m benchmarks`: xarr beside other libraries, as a table, a JSON file and a plot."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import costs, functions, host, measure, npbench, report, whole
from benchmarks.libraries import OPENERS, Library, open_libraries
from benchmarks.programs import PROGRAMS
from benchmarks.rows import CPU_SIZE, HOST, KEYS, LARGE, LARGE_ROWS, SMALL_ROWS

if TYPE_CHECKING:
    from xarr.backends.device import Device

OUTPUT = Path(__file__).resolve().parent / "output"
NAMES = [one.name for one in PROGRAMS]
OTHERS = [name for name in OPENERS if name != "xarr"]
_FEW = 5
"""Repeats of what starts a process."""


@dataclass(frozen=True, slots=True)
class Part:
    """What stands beside the rows: lines to print, an entry of the JSON file, what is wrong."""

    key: str
    lines: Iterable[str]
    document: Any
    wrong: list[str]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status is 1 when a result is wrong."""
    options = parse(arguments)
    from xarr.backends.device import device as default_device, get_device
    from xarr.runtime import host_functions

    # The kernels are measured, whether or not they were compiled before.
    host_functions.tier.name = "fused"
    device = get_device(options.device)
    sizes = options.sizes or [CPU_SIZE if device.kind == "cpu" else LARGE]
    libraries, absent = open_libraries(["xarr", *options.libraries], str(device))
    own = libraries[0]
    results: list[measure.Result] = []
    spent: list[costs.Cost] = []
    copies: dict[int, tuple[float, str]] = {}
    few = min(options.repeats, _FEW)
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
        if "import" in options.rows:
            _progress("import")
            spent += costs.import_cost(libraries, few)
        if "first result" in options.rows:
            _progress("first result")
            spent += costs.first_result_cost(str(device), few)
        parts = list(_parts(options, device, libraries))
    _progress("")
    everything = (libraries, absent, results, spent, copies, device, options.dtype)
    print(*report.lines(*everything), sep="\n")
    content = report.document(*everything)
    wrong = [one.wrong for one in results]
    for part in parts:
        print(*part.lines, sep="\n")
        content[part.key] = part.document
        wrong += part.wrong
    written = report.write(options.out, content)
    print("\nwritten: " + ", ".join(map(str, written)))
    return 1 if any(wrong) else 0


def _parts(
    options: argparse.Namespace, device: Device, libraries: Sequence[Library]
) -> Iterator[Part]:
    """Measure what is asked for beside the rows."""
    kind, repeats = device.kind, options.repeats
    if HOST in options.rows:
        _progress("the host's cost")
        table = host.measured(libraries, repeats)
        wrong = [one.wrong for one in table.cells]
        yield Part("host", host.lines(table, kind), host.document(table, kind), wrong)
    if options.programs is not None:
        size = options.programs_size or ("gpu" if kind == "gpu" else "demo")
        pair = (libraries[0], whole.reference(libraries, kind))
        found = list(whole.compared(*pair, size, repeats, options.programs, _progress))
        wrong = [one.wrong for one in found]
        yield Part("programs", whole.lines(found), whole.document(found, size), wrong)
    if options.npbench is not None:
        others = [one.name for one in libraries if one.name == "cupy"]
        asked = (options.npbench, options.npbench_size, str(device), others, repeats)
        names = options.npbench_programs
        programs = list(npbench.measured(*asked, names=names, progress=_progress))
        wrong = [one.problem for one in programs]
        document = npbench.document(programs, options.npbench_size)
        yield Part("npbench", npbench.lines(programs, options.npbench_size), document, wrong)
    if options.functions is not None:
        yield _sweep(options, device, libraries)


def _sweep(options: argparse.Namespace, device: Device, libraries: Sequence[Library]) -> Part:
    """Measure all functions, as a program meets them: small work on a CPU may stay with NumPy."""
    from xarr.runtime import host_functions

    host_functions.tier.name = ""
    sizes = options.sizes or functions.SIZES[device.kind]
    peers = [one for one in libraries if one.name in functions.PEERS[device.kind]]
    speed, _ = costs.copy_bandwidth(libraries[0], max(sizes), "float32", options.repeats)
    given = ([libraries[0], *peers], sizes, options.dtypes, options.functions, options.repeats)
    rows = list(functions.measured(*given, _progress))
    shown = (rows, device.kind, speed)
    wrong = [one.failed for one in rows]
    return Part("functions", functions.lines(*shown), functions.document(*shown), wrong)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, epilog="Rows: " + ", ".join(KEYS)
    )
    parser.add_argument("--device", help="xarr's device, as opencl:0; the default device if absent")
    parser.add_argument(
        "--rows", type=partial(_known, "row", KEYS), help="names, with commas between"
    )
    parser.add_argument(
        "--host",
        dest="rows",
        action="store_const",
        const=[HOST],
        help="only what operations cost the host, on 1,000 elements",
    )
    parser.add_argument(
        "--sizes", type=_sizes, help="elements, as 2^24,1e6; 2^24 on a CPU, 2^27 on a GPU if absent"
    )
    parser.add_argument("--repeats", type=_positive, default=15, help="rounds of each row")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32")
    parser.add_argument(
        "--libraries",
        type=partial(_known, "library", OTHERS),
        default=OTHERS,
        help="what to compare with, of " + ", ".join(OTHERS),
    )
    parser.add_argument(
        "--functions",
        type=partial(_known, "function", functions.NAMES),
        nargs="?",
        const=[],
        help="only the sweep over functions, the slowest beside the best peer first; all, or "
        "some by name",
    )
    parser.add_argument(
        "--dtypes",
        type=partial(_known, "data type", list(functions.DTYPES)),
        default=list(functions.DTYPES),
        help="data types of the sweep, of " + ", ".join(functions.DTYPES),
    )
    parser.add_argument(
        "--programs",
        type=partial(_known, "program", NAMES),
        nargs="?",
        const=[],
        help="only whole programs, beside CuPy or NumPy; all, or some by name: " + ", ".join(NAMES),
    )
    parser.add_argument(
        "--programs-size", choices=whole.SIZES, help="gpu on a GPU and demo on a CPU if absent"
    )
    parser.add_argument("--npbench", type=Path, help="a checkout of NPBench, to run its programs")
    parser.add_argument("--npbench-size", choices=["S", "M", "L", "paper"], default="S")
    parser.add_argument("--npbench-programs", type=_words, default=[], help="some programs only")
    parser.add_argument("--out", type=Path, default=OUTPUT, help="folder for the JSON and the plot")
    options = parser.parse_args(arguments)
    if options.rows is None:
        is_whole = options.programs is None and options.functions is None
        options.rows = list(KEYS) if is_whole else []
    return options


def _words(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _known(what: str, known: Sequence[str], text: str) -> list[str]:
    names = _words(text)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise argparse.ArgumentTypeError(f"no {what} {unknown[0]!r}; there are {', '.join(known)}")
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
