"""Runs scripts with NumPy or with xarr: ``python -m tests.programs.runner``, for the tests.

It reads lines of JSON, a library and a script each, and answers each with a line of base64: the
variables that the script left, as NumPy has them, and what it printed. The tests start it in a
process of its own, since whose random numbers xarr draws is decided when it is imported.
"""

from __future__ import annotations

import base64
import builtins
import contextlib
import io
import json
import pickle
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy

import xarr

DATA = (bool, int, float, complex, str, list, tuple, dict, numpy.ndarray, numpy.generic, xarr.Array)
"""The types of the variables that are compared."""


def imported(name: str, *rest: Any) -> Any:
    """What a script imports where NumPy means xarr."""
    if name.partition(".")[0] != "numpy":
        return builtins.__import__(name, *rest)
    found: Any = xarr
    for part in name.split(".")[1:] if len(rest) > 2 and rest[2] else []:
        found = getattr(found, part)
    return found


def run(script: Path, with_xarr: bool) -> tuple[dict[str, Any], str]:
    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(script)}
    if with_xarr:
        names["__builtins__"] = {**vars(builtins), "__import__": imported}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(script.read_text(), str(script), "exec"), names)
    kept = {
        name: on_host(value)
        for name, value in names.items()
        if not name.startswith("_") and isinstance(value, DATA)
    }
    return kept, printed.getvalue()


def on_host(value: Any) -> Any:
    """A variable with NumPy's arrays for xarr's; text for what can be no data."""
    if isinstance(value, xarr.Array):
        return numpy.asarray(value)
    if isinstance(value, dict):
        return {key: on_host(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [on_host(item) for item in value]
    return value if isinstance(value, DATA) or value is None else type(value).__name__


def answer(line: str) -> str:
    request = json.loads(line)
    try:
        said: Any = run(Path(request["script"]), request["library"] == "xarr")
    except Exception:  # noqa: BLE001 - the test shows whatever it is
        said = traceback.format_exc()
    return base64.b64encode(pickle.dumps(said)).decode()


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(answer(line) + "\n")
        sys.stdout.flush()
