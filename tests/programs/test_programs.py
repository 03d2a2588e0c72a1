"""Programs in the idioms of textbooks and lecture notes, run with NumPy and with xarr.

Each file of `scripts/` is a script as people write them for NumPy. It is run twice, unchanged, its
`import numpy as np` meaning xarr the second time. What it printed and every variable that it left
has to agree.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy
import pytest

import xarr

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.py"))

RTOL = {"float16": 1e-2, "float32": 1e-4, "complex64": 1e-4}
"""Relative to the largest element; 1e-8 for the other data types."""


DATA = (bool, int, float, complex, str, list, tuple, dict, numpy.ndarray, numpy.generic, xarr.Array)
"""The types of the variables that are compared."""


def _importer(name: str, *rest: Any) -> Any:
    """An `__import__` for which NumPy is xarr."""
    if name.partition(".")[0] != "numpy":
        return builtins.__import__(name, *rest)
    found = xarr
    for part in name.split(".")[1:] if len(rest) > 2 and rest[2] else []:
        found = getattr(found, part)
    return found


def _run(script: Path, load: Callable[..., Any]) -> tuple[dict[str, Any], str]:
    """The variables that a script leaves, and what it prints."""
    names = {"__name__": "__main__", "__file__": str(script)}
    names["__builtins__"] = {**vars(builtins), "__import__": load}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(script.read_text(), str(script), "exec"), names)
    return {
        key: value for key, value in names.items() if _is_compared(key, value)
    }, printed.getvalue()


def _is_compared(name: str, value: Any) -> bool:
    return not name.startswith("_") and isinstance(value, DATA)


def _compare(expected: Any, found: Any, where: str) -> None:
    """Assert that two variables hold the same."""
    if isinstance(expected, Mapping):
        assert list(map(str, expected)) == list(map(str, found)), where
        for key, other in zip(expected, found.values(), strict=True):
            _compare(expected[key], other, f"{where}[{key!r}]")
    elif isinstance(expected, list | tuple) and not isinstance(found, xarr.Array):
        assert len(expected) == len(found), where
        for number, (one, other) in enumerate(zip(expected, found, strict=True)):
            _compare(one, other, f"{where}[{number}]")
    elif isinstance(expected, numpy.ndarray | numpy.generic):
        one, other = numpy.asarray(expected), numpy.asarray(found)
        assert (one.dtype, one.shape) == (other.dtype, other.shape), where
        _close(one, other, where)
    elif isinstance(expected, float | complex):
        _close(numpy.asarray(expected), numpy.asarray(found), where)
    elif isinstance(expected, bool | int):
        assert expected == found, where
    elif isinstance(expected, str):
        _compare_text(expected, found, where)


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
def test_a_program_runs_unchanged(
    script: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XARR_RANDOM", "numpy")
    monkeypatch.chdir(tmp_path)
    expected, printed = _run(script, builtins.__import__)
    found, other = _run(script, _importer)
    assert printed
    _compare_text(printed, other, "what it printed")
    assert list(expected) == list(found)
    for name, value in expected.items():
        _compare(value, found[name], name)
