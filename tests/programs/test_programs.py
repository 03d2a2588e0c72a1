"""Programs in the idioms of textbooks and lecture notes, run with NumPy and with xarr.

Each file of `scripts/` is a script as people write them for NumPy. It is run twice, unchanged, its
`import numpy as np` meaning xarr the second time. What it printed and every variable that it left
has to agree.
"""

from __future__ import annotations

import base64
import contextlib
import json
import pickle
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest

from tests.processes import start

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.py"))

RTOL = {"float16": 1e-2, "float32": 1e-4, "complex64": 1e-4}
"""Relative to the largest element; 1e-8 for the other data types."""

Left = tuple[dict[str, Any], str]
"""The variables that a script left, and what it printed."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path, str], Left]]:
    """Run a script with a library, in one process a tier: xarr draws NumPy's random numbers.

    Kernels alone run one script; the others run as users have them, since the kernels of a script
    take ten seconds to compile, and random programs are what finds faults of fusing.
    """
    folder = tmp_path_factory.mktemp("programs")
    processes = dict[str, subprocess.Popen[str]]()
    with contextlib.ExitStack() as stack:

        def ask(script: Path, library: str) -> Left:
            tier = "fused" if script.stem == "shallow_water" else ""
            if tier not in processes:
                options = {"XARR_RANDOM": "numpy", "XARR_TIERS": tier}
                made = start("-m", "tests.programs.runner", cwd=folder, stdin=True, **options)
                processes[tier] = stack.enter_context(made)
            to, back = processes[tier].stdin, processes[tier].stdout
            assert to is not None
            assert back is not None
            to.write(json.dumps({"script": str(script), "library": library}) + "\n")
            to.flush()
            said = pickle.loads(base64.b64decode(back.readline()))
            if isinstance(said, str):
                pytest.fail(f"with {library}:\n{said}", pytrace=False)
            names, printed = said
            return names, printed

        yield ask
        for process in processes.values():
            assert process.stdin is not None
            process.stdin.close()


def _compare(expected: Any, found: Any, where: str) -> None:
    if isinstance(expected, dict):
        assert list(map(str, expected)) == list(map(str, found)), where
        for key, other in zip(expected, found.values(), strict=True):
            _compare(expected[key], other, f"{where}[{key!r}]")
    elif isinstance(expected, list) and isinstance(found, list):
        assert len(expected) == len(found), where
        for number, (one, other) in enumerate(zip(expected, found, strict=True)):
            _compare(one, other, f"{where}[{number}]")
    elif isinstance(expected, numpy.ndarray | numpy.generic):
        one, other = numpy.asarray(expected), numpy.asarray(found)
        assert (one.dtype, one.shape) == (other.dtype, other.shape), where
        _close(one, other, where)
    elif isinstance(expected, float | complex):
        _close(numpy.asarray(expected), numpy.asarray(found), where)
    elif isinstance(expected, str):
        _compare_text(expected, found, where)
    else:
        assert expected == found, where


def _close(expected: numpy.ndarray, found: numpy.ndarray, where: str) -> None:
    if expected.dtype.kind not in "fc":
        numpy.testing.assert_array_equal(found, expected, err_msg=where)
        return
    magnitudes = abs(expected[numpy.isfinite(expected)])
    largest = float(magnitudes.max()) if magnitudes.size else 0.0
    rtol = RTOL.get(expected.dtype.name, 1e-8)
    numpy.testing.assert_allclose(found, expected, rtol, rtol * largest + 1e-13, err_msg=where)


_NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


def _compare_text(expected: str, found: str, where: str) -> None:
    """Assert that two texts are alike but for the last digits of numbers."""
    assert _NUMBER.sub("#", found).split() == _NUMBER.sub("#", expected).split(), where
    numbers = [[float(one) for one in _NUMBER.findall(text)] for text in (found, expected)]
    numpy.testing.assert_allclose(*numbers, rtol=1e-4, atol=1e-9, err_msg=f"{where}: {found}")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_program_runs_unchanged(script: Path, run: Callable[[Path, str], Left]) -> None:
    expected, printed = run(script, "numpy")
    found, also_printed = run(script, "xarr")
    assert printed
    _compare_text(printed, also_printed, "what it printed")
    assert list(expected) == list(found)
    for name, value in expected.items():
        _compare(value, found[name], name)
