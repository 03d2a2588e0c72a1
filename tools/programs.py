"""Programs that others wrote for NumPy, with xarr in its place: ``python -m tools.programs SUITE``.

Two suites are known, which the user has checked out: `npbench` (spcl/npbench) and
`numpy-benchmarks` (serge-sans-paille/numpy-benchmarks). Each program runs unchanged in a process of
its own, its module's `np` being xarr, on the arrays that its own set-up makes with NumPy. Its
results are compared with NumPy's by NPBench's criterion.
"""

from __future__ import annotations

import argparse
import builtins
import copy
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy

from tests.processes import ROOT, with_root

RTOL, ATOL, NORM = 1e-5, 1e-8, 1e-5
"""NPBench's: elements are close, or the norm of the difference is small."""

LIBRARIES = ("xarr", "cupy", "numpy")


@dataclass(frozen=True)
class Program:
    """One program: its kernel, and how its operands are made."""

    name: str
    run: Callable[[Any, dict[str, Any]], list[Any]]
    """What the program gives with a library for operands: its results, then what it wrote to."""
    operands: dict[str, Any]
    rtol: float = RTOL
    atol: float = ATOL
    norm: float = NORM


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _listed(result: Any) -> list[Any]:
    if result is None:
        return []
    return list(result) if isinstance(result, tuple | list) else [result]


def npbench_names(folder: Path) -> list[str]:
    """The benchmarks of a checkout of NPBench."""
    return sorted(path.stem for path in (folder / "bench_info").glob("*.json"))


def npbench(folder: Path, name: str, size: str) -> Program:
    """A benchmark of NPBench."""
    info = json.loads((folder / "bench_info" / f"{name}.json").read_text())["benchmark"]
    place = folder / "npbench" / "benchmarks" / info["relative_path"]
    made = dict(info["parameters"][size])
    if info.get("init"):
        initialize = getattr(
            _module(place / f"{info['module_name']}.py"), info["init"]["func_name"]
        )
        values = initialize(*(made[key] for key in info["init"]["input_args"]))
        names = info["init"]["output_args"]
        made |= dict(zip(names, values if len(names) > 1 else [values], strict=True))

    def run(library: Any, operands: dict[str, Any]) -> list[Any]:
        module = _module(place / f"{info['module_name']}_numpy.py")
        module.__dict__["np"] = library
        function = getattr(module, info["func_name"])
        result = function(*(operands[key] for key in info["input_args"]))
        return [*_listed(result), *(operands[key] for key in info.get("output_args", ()))]

    rtol, atol, norm = info.get("rtol", RTOL), info.get("atol", ATOL), info.get("norm_error", NORM)
    return Program(name, run, made, rtol, atol, norm)


_SETUP = re.compile(r"^#setup: (.*)$", re.MULTILINE)
_RUN = re.compile(r"^#run: (.*)$", re.MULTILINE)


def numpy_benchmarks_names(folder: Path) -> list[str]:
    """The programs of a checkout of numpy-benchmarks."""
    return sorted(path.stem for path in _numpy_benchmarks(folder).glob("*.py"))


def _numpy_benchmarks(folder: Path) -> Path:
    return folder / "numpy_benchmarks" / "benchmarks"


def numpy_benchmarks(folder: Path, name: str, _: str) -> Program:
    """A program of numpy-benchmarks: its set-up and its call stand in comments."""
    path = _numpy_benchmarks(folder) / f"{name}.py"
    text = path.read_text()
    setup, call = _SETUP.findall(text)[-1], _RUN.findall(text)[-1]
    made = dict[str, Any]()
    exec(setup, made)

    def run(library: Any, operands: dict[str, Any]) -> list[Any]:
        names = {"__builtins__": {**vars(builtins), "__import__": _importer(library)}}
        exec(compile(text, str(path), "exec"), names)
        result = eval(call, {**operands, name: names[name]})
        arrays = [value for value in operands.values() if hasattr(value, "dtype")]
        return [*_listed(result), *arrays]

    operands = {
        key: value
        for key, value in made.items()
        if key != "__builtins__" and not isinstance(value, ModuleType)
    }
    return Program(name, run, operands)


def _importer(library: Any) -> Callable[..., Any]:
    """An `__import__` for which NumPy is another library."""

    def load(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] != "numpy" or library is numpy:
            return builtins.__import__(name, *rest)
        found = library
        for part in name.split(".")[1:] if len(rest) > 2 and rest[2] else []:
            found = getattr(found, part)
        return found

    return load


SUITES = {
    "npbench": (npbench_names, npbench),
    "numpy-benchmarks": (numpy_benchmarks_names, numpy_benchmarks),
}


@dataclass
class Outcome:
    """What came of a program: whether its results agree, and how long it took, in seconds."""

    name: str
    valid: bool = False
    problem: str = ""
    wall: float = 0.0
    cpu: float = 0.0
    numpy_wall: float = 0.0
    numpy_cpu: float = 0.0


def on_host(library: Any, value: Any) -> Any:
    """A result as NumPy has it."""
    if library.__name__ == "cupy" and isinstance(value, library.ndarray):
        return library.asnumpy(value)
    return numpy.asarray(value) if hasattr(value, "dtype") else value


def to_library(library: Any, operands: Mapping[str, Any]) -> dict[str, Any]:
    """Operands that a program may change, NumPy's arrays being the library's."""
    if library is numpy:
        return copy.deepcopy(dict(operands))
    return {key: _to_library(library, value) for key, value in operands.items()}


def _to_library(library: Any, value: Any) -> Any:
    if isinstance(value, numpy.ndarray):
        return library.asarray(value)
    if isinstance(value, tuple | list):
        return type(value)(_to_library(library, item) for item in value)
    return value


def disagreement(program: Program, expected: Sequence[Any], found: Sequence[Any]) -> str:
    """What NPBench would object to; empty where results agree."""
    if len(expected) != len(found):
        return f"{len(found)} results instead of {len(expected)}"
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        if numpy.shape(one) != numpy.shape(other):
            return f"result {number} has shape {numpy.shape(other)}, not {numpy.shape(one)}"
        if numpy.allclose(one, other, program.rtol, program.atol, equal_nan=True):
            continue
        difference = numpy.asarray(one) - numpy.asarray(other)
        relative = numpy.linalg.norm(difference.ravel()) / numpy.linalg.norm(numpy.ravel(one))
        if not relative < program.norm:
            return f"result {number} is off by {relative:.3g}"
    return ""


def _synchronize(library: Any) -> None:
    if library.__name__ == "xarr":
        library.synchronize()
    elif library.__name__ == "cupy":
        library.cuda.Device().synchronize()


def timed(program: Program, library: Any, repeat: int) -> tuple[list[Any], float, float]:
    """The first run's results, and the median wall and CPU time of as many further runs."""
    found = program.run(library, to_library(library, program.operands))
    found = [on_host(library, value) for value in found]
    walls, cpus = [], []
    for _ in range(repeat):
        operands = to_library(library, program.operands)
        _synchronize(library)
        wall, cpu = time.perf_counter(), time.process_time()
        kept = program.run(library, operands)  # what nobody has is not computed
        _synchronize(library)
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
        del kept
    if not repeat:
        return found, 0.0, 0.0
    return found, statistics.median(walls), statistics.median(cpus)


def run_one(arguments: argparse.Namespace, name: str) -> Outcome:
    """Run a program with NumPy and with the library, in this process."""
    outcome = Outcome(name)
    program = SUITES[arguments.suite][1](arguments.folder, name, arguments.size)
    library = importlib.import_module(arguments.library)
    expected, outcome.numpy_wall, outcome.numpy_cpu = timed(program, numpy, arguments.repeat)
    try:
        found, outcome.wall, outcome.cpu = timed(program, library, arguments.repeat)
        outcome.problem = disagreement(program, expected, found)
    except Exception as error:  # noqa: BLE001 - whatever a program meets is its outcome
        outcome.problem = (
            f"{type(error).__name__}: {str(error).partition(chr(10))[0]}{_place(error)}"
        )
    outcome.valid = not outcome.problem
    return outcome


def _place(error: BaseException) -> str:
    """The program's line that an error came through."""
    place = ""
    trace = error.__traceback__
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if ROOT not in path.parents and "site-packages" not in path.parts:
            place = f" ({path.name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return place


def run_apart(arguments: argparse.Namespace, name: str) -> Outcome:
    """Run a program in a process of its own."""
    command = [
        *(sys.executable, "-m", "tools.programs", arguments.suite, str(arguments.folder)),
        *("--one", name, "--size", arguments.size, "--repeat", str(arguments.repeat)),
        *("--library", arguments.library),
    ]
    variables = with_root(os.environ) | (
        {"XARR_DEVICE": arguments.device} if arguments.device else {}
    )
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=variables,
            capture_output=True,
            text=True,
            timeout=arguments.limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(name, problem=f"longer than {arguments.limit:g} s")
    try:
        return Outcome(**json.loads(done.stdout.splitlines()[-1]))
    except (IndexError, ValueError, TypeError):
        last = (done.stderr.strip().splitlines() or [""])[-1]
        return Outcome(name, problem=f"the process ended with status {done.returncode}: {last}")


HEAD = f"{'program':28} {'wall ms':>10} {'CPU ms':>10} {'NumPy wall':>10} {'NumPy CPU':>10}"


def line(one: Outcome) -> str:
    """An outcome as text."""
    times = [one.wall, one.cpu, one.numpy_wall, one.numpy_cpu]
    cells = " ".join(f"{1e3 * value:10.2f}" for value in times)
    return f"{one.name:28} {cells}  {one.problem}".rstrip()


def parse(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.programs", description=__doc__)
    add = parser.add_argument
    add("suite", choices=SUITES)
    add("folder", type=Path, help="folder of the suite's checkout")
    add("names", nargs="*", help="programs; all without")
    add("--device", help='as "opencl:0"; the default device without')
    add("--library", choices=LIBRARIES, default="xarr", help="in NumPy's place (xarr)")
    add("--size", default="S", help="NPBench's preset: S, M, L or paper (S)")
    add("--repeat", type=int, default=1, help="runs that are timed, after the first (1)")
    add("--limit", type=float, default=300, help="seconds a program may take (300)")
    add("--json", type=Path, help="file to write the outcomes to")
    add("--one", help=argparse.SUPPRESS)
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Run the programs of a suite; return 0 if all agree with NumPy."""
    arguments = parse(given)
    arguments.folder = arguments.folder.resolve()
    if arguments.one:
        print(json.dumps(asdict(run_one(arguments, arguments.one))))
        return 0
    names = arguments.names or SUITES[arguments.suite][0](arguments.folder)
    outcomes = []
    print(HEAD)
    for name in names:
        outcomes.append(run_apart(arguments, name))
        print(line(outcomes[-1]), flush=True)
    print(f"{sum(one.valid for one in outcomes)} of {len(outcomes)} agree with NumPy")
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(one) for one in outcomes], indent=1))
    return 0 if all(one.valid for one in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
