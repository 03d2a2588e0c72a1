"""The pictures and times of the gallery: ``python -m benchmarks.gallery [NAME] [--device D]``.

Runs each program of `make demo` on xarr, on NumPy and, if it is installed, on CuPy, in turns. The
shortest times go to `benchmarks/results/examples-NAME.json`. Without a name it only draws the
pictures of `docs/images/gallery`. `docs/gallery.md` shows both beside a part of each program.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import os
import textwrap
import time
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy

demo: Any = importlib.import_module("examples.demo")

ROOT: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results"
PICTURES: Final = ROOT / "docs" / "images" / "gallery"
LIBRARIES: Final = {"xarr": "xarr", "numpy": "NumPy", "cupy": "CuPy"}
LINES: Final = 20
GREY: Final = "#7d8590"
"""The colour of text, which is read on a white page and on a dark one; the ground is clear."""
KEYS: Final = "text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"


def excerpt(name: str) -> str:
    """Return the loop of an example after the functions that it calls, without docstrings.

    Statements before the loop are shown as far as `LINES` allow.
    """
    text: str = (demo.FOLDER / f"{name}.py").read_text(encoding="utf-8")
    functions = {one.name: one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)}
    _, *body = functions["main"].body
    place = next(k for k, statement in enumerate(body) if isinstance(statement, ast.For))
    calls = [node.func for node in ast.walk(body[place]) if isinstance(node, ast.Call)]
    called = {one.id for one in calls if isinstance(one, ast.Name)}
    lines = text.splitlines()

    def between(first: ast.stmt, last: ast.stmt) -> list[str]:
        return lines[first.lineno - 1 : last.end_lineno]

    shown: list[str] = []
    for function in (one for one in functions.values() if one.name in called):
        docstring, first, *_ = function.body
        head = lines[function.lineno - 1 : docstring.lineno - 1]
        shown += [*head, *between(first, function.body[-1]), ""]
    room = LINES - len(shown)
    begin = place
    while begin and len(between(body[begin - 1], body[place])) <= room:
        begin -= 1
    return "\n".join([*shown, textwrap.dedent("\n".join(between(body[begin], body[place])))])


def files() -> dict[str, dict[str, Any]]:
    """Return the committed runs by name."""
    found = sorted(RESULTS.glob("examples-*.json"))
    return {path.stem.partition("-")[2]: json.loads(path.read_text()) for path in found}


def table() -> list[list[str]]:
    """Make a line for each example: its times on each machine and with each library."""
    runs = files().values()
    head, keys = ["program"], []
    for run in runs:
        for library in run["versions"]:
            head.append(f"{LIBRARIES[library]}, {run['device']}")
            keys.append((run["times_s"], library))
    lines = [
        [name.replace("_", " "), *(shown(times[name].get(library)) for times, library in keys)]
        for name in demo.NAMES
    ]
    return [head, *lines]


def shown(seconds: float | None) -> str:
    """Write a time with two digits."""
    return "" if seconds is None else f"{float(f'{seconds:.2g}'):g} s"


def caption(name: str) -> str:
    """Say how long an example took on each machine."""
    said = []
    for run in files().values():
        times = run["times_s"][name]
        others = [f"{shown(times[key])} with {LIBRARIES[key]}" for key in times if key != "xarr"]
        said.append(f"{run['device']}: {shown(times['xarr'])} with xarr, {', '.join(others)}.")
    return " ".join(said)


def host(value: Any) -> Any:
    """Return a result as a NumPy array; CuPy's arrays have a method for it."""
    return value.get() if type(value).__module__.startswith("cupy") else numpy.asarray(value)


def timed(program: ModuleType) -> tuple[dict[str, Any], float]:
    """Run a program until its results are NumPy arrays; return them and the seconds."""
    start = time.perf_counter()
    results = {key: host(value) for key, value in program.main().items()}
    return results, time.perf_counter() - start


def draw(program: ModuleType, results: dict[str, Any], name: str) -> None:
    """Write the picture of an example's results."""
    matplotlib = importlib.import_module("matplotlib")
    figures = importlib.import_module("matplotlib.figure")
    with matplotlib.rc_context({**dict.fromkeys(KEYS, GREY), "axes.facecolor": "none"}):
        figure = figures.Figure(figsize=(10, 5), layout="constrained", facecolor="none")
        program.draw(figure, results)
        path = PICTURES / f"{name}.webp"
        figure.savefig(path, dpi=80, pil_kwargs={"quality": 70, "method": 6})


def main(arguments: list[str] | None = None) -> int:
    """Run the examples, draw their pictures, and write the times under a name."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gallery", description=__doc__)
    parser.add_argument("name", nargs="?", help="of the results: examples-NAME.json")
    parser.add_argument("--device", help="xarr's device, such as opencl:1")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each program")
    options = parser.parse_args(arguments)
    libraries = {"xarr": importlib.import_module("xarr")}
    device = libraries["xarr"].device(options.device or libraries["xarr"].default_device())
    if options.name:
        libraries["numpy"] = numpy
    if options.name and device.info.dialect == "cuda":
        libraries["cupy"] = importlib.import_module("cupy")
    times: dict[str, dict[str, float]] = {}
    PICTURES.mkdir(exist_ok=True)
    for name in demo.NAMES:
        programs = {key: demo.load(name, library) for key, library in libraries.items()}
        taken: dict[str, list[float]] = {key: [] for key in libraries}
        for turn in range(options.repeats + 1 if options.name else 1):
            for key, program in programs.items():
                # NumPy has nothing to compile, and what takes it seconds is measured once.
                if key != "numpy" or (turn and taken[key][:1] < [1.0]):
                    with libraries["xarr"].device(device):
                        results, elapsed_s = timed(program)
                    taken[key] += [elapsed_s] if turn else []
                    if key == "xarr" and not turn:
                        draw(program, results, name)
        times[name] = {key: float(f"{min(one):.3g}") for key, one in taken.items() if one}
        print(name, {key: shown(one) for key, one in times[name].items()}, flush=True)
    if options.name:
        content = {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "device": device.name,
            "processors": len(os.sched_getaffinity(0)),
            "versions": {key: library.__version__ for key, library in libraries.items()},
            "times_s": times,
        }
        path = RESULTS / f"examples-{options.name}.json"
        path.write_text(json.dumps(content, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
