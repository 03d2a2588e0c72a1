"""Scripts that others wrote for NumPy, run with xarr: ``python -m tools.scripts FOLDER ...``.

Each script runs unchanged, first under Python as it is and then under ``python -m xarr run``, in a
copy of its folder, with Matplotlib's Agg. What it printed is compared, and so are the figures that
it left open. A script that Python itself cannot run is left out. One that never ends has to get
past the limit without an error both times.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy

from tests.processes import with_root

ATTACHED = """
import atexit, os

def _keep_figures():
    import sys
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        for number in pyplot.get_fignums():
            figure = pyplot.figure(number)
            figure.savefig(os.path.join(os.environ["XARR_SCRIPTS_KEPT"], f"{number}.png"), dpi=40)

atexit.register(_keep_figures)
"""
"""Runs in the script's process, before the script: keeps the figures at the end."""

RAN, ENDLESS, FAILED = "ran", "ran on past the limit", "failed"

NEAR = 4.0
"""By how much two figures may differ on average, of 255, and be called alike."""


@dataclass
class Run:
    """One run of a script."""

    state: str
    seconds: float
    printed: str
    problem: str
    figures: dict[str, numpy.ndarray]


@dataclass
class Outcome:
    """A script run twice."""

    script: Path
    expected: Run
    found: Run | None = None

    @property
    def verdict(self) -> str:
        """What is said of the script."""
        if self.found is None:
            return f"does not run under NumPy: {self.expected.problem}"
        if self.found.state == FAILED:
            return f"FAILED: {self.found.problem}"
        if self.found.state != self.expected.state:
            return f"{self.found.state} ({self.found.seconds:.0f} s)"
        return "; ".join([self.found.state, *self._differences()])

    def _differences(self) -> list[str]:
        assert self.found is not None
        said = []
        if not alike(self.expected.printed, self.found.printed):
            said.append("printed something else")
        for name, figure in self.expected.figures.items():
            other = self.found.figures.get(name)
            if other is None or other.shape != figure.shape:
                said.append(f"figure {name} differs in shape")
            elif (off := float(abs(figure - other).mean())) > NEAR:
                said.append(f"figure {name} is off by {off:.1f} of 255")
        return said


_NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?", re.IGNORECASE)


def alike(one: str, other: str) -> bool:
    """Whether two texts say the same, numbers being close and spaces aside."""
    if _NUMBER.sub("#", one).split() != _NUMBER.sub("#", other).split():
        return False
    first, second = ([float(text) for text in _NUMBER.findall(text)] for text in (one, other))
    return bool(numpy.allclose(first, second, rtol=1e-3, atol=1e-6))


def run(script: Path, arguments: argparse.Namespace, with_xarr: bool) -> Run:
    """Run a script in a copy of its folder."""
    with tempfile.TemporaryDirectory() as scratch:
        place, kept, attached = (Path(scratch) / name for name in ("copy", "kept", "attached"))
        shutil.copytree(script.parent, place)
        kept.mkdir()
        attached.mkdir()
        (attached / "sitecustomize.py").write_text(ATTACHED)
        variables = with_root(os.environ) | {
            "MPLBACKEND": "Agg",
            "XARR_RANDOM": "numpy",
            "XARR_SCRIPTS_KEPT": str(kept),
        }
        variables["PYTHONPATH"] = os.pathsep.join([str(attached), variables["PYTHONPATH"]])
        if arguments.device:
            variables["XARR_DEVICE"] = arguments.device
        command = [sys.executable, *(["-m", "xarr", "run"] if with_xarr else []), script.name]
        begun = time.perf_counter()
        state, problem, printed = RAN, "", ""
        try:
            done = subprocess.run(
                command,
                cwd=place,
                env=variables,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=arguments.limit,
                check=False,
            )
            printed = done.stdout
            if done.returncode:
                state, problem = FAILED, _problem(done.stderr, script.name)
        except subprocess.TimeoutExpired:
            state = ENDLESS
        return Run(state, time.perf_counter() - begun, printed, problem, _figures(kept))


def _problem(said: str, name: str) -> str:
    """The last line of a traceback, and the script's line."""
    lines = re.findall(rf'{re.escape(name)}", line (\d+)', said)
    last = [
        line
        for line in said.strip().splitlines()
        if re.match(r"\w[\w.]*(Error|Exit|Warning)", line)
    ]
    text = last[-1] if last else (said.strip().splitlines() or ["no word"])[-1]
    return f"{text[:150]}{f' (line {lines[-1]})' if lines else ''}"


def _figures(folder: Path) -> dict[str, numpy.ndarray]:
    from matplotlib import image

    return {path.stem: 255 * image.imread(path)[..., :3] for path in sorted(folder.glob("*.png"))}


def scripts_of(paths: Sequence[Path]) -> list[Path]:
    """The scripts that are named, and those of folders."""
    found = list[Path]()
    for path in paths:
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return [path.resolve() for path in found]


def parse(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.scripts", description=__doc__)
    add = parser.add_argument
    add("paths", nargs="+", type=Path, help="scripts, and folders of scripts")
    add("--device", help='as "opencl:0"; the default device without')
    add("--limit", type=float, default=120, help="seconds a run may take (120)")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Run scripts; return 0 if each that runs under NumPy runs under xarr."""
    arguments = parse(given)
    outcomes = []
    for script in scripts_of(arguments.paths):
        outcome = Outcome(script, run(script, arguments, with_xarr=False))
        if outcome.expected.state != FAILED:
            outcome.found = run(script, arguments, with_xarr=True)
        outcomes.append(outcome)
        times = [one.seconds for one in (outcome.expected, outcome.found) if one is not None]
        took = ", ".join(f"{one:.1f} s" for one in times)
        print(f"{script.parent.name}/{script.name}: {outcome.verdict} ({took})", flush=True)
    tried = [one for one in outcomes if one.found is not None]
    passed = [one for one in tried if one.found is not None and one.found.state != FAILED]
    print(f"{len(passed)} of {len(tried)} that run under NumPy run under xarr")
    return 0 if len(passed) == len(tried) else 1


if __name__ == "__main__":
    sys.exit(main())
