"""That type checkers know what a user's program computes, and refuse what is not there."""

from __future__ import annotations

import ast
import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.comparing import nightly
from tests.processes import ROOT, with_root

PROGRAM = Path(__file__).with_name("program_of_a_user.py")
OTHERS = {
    "device": "Device",
    "kind": "dtype[generic]",
    "number": "float",
    "shape": "tuple[int, ...]",
}
"""The names of the program that are no arrays."""
REFUSED = ("np.zeroes(3)", "a.nonsense()", "np.sum(a, axes=0)")


def names() -> list[str]:
    tree = ast.parse(PROGRAM.read_text(encoding="utf-8"))
    stored = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return sorted({node.id for node in stored if isinstance(node.ctx, ast.Store)})


def text() -> str:
    """The program, a question for the type of each of its names, and what is refused."""
    asked = "".join(f"reveal_type({name})\n" for name in names())
    return PROGRAM.read_text(encoding="utf-8") + asked + "\n".join(REFUSED) + "\n"


def by_mypy(folder: Path) -> tuple[list[str], set[int]]:
    """The types that mypy reveals, and the lines of its errors."""
    (folder / "program.py").write_text(text(), encoding="utf-8")
    arguments = ["--strict", "--config-file", "", "--cache-dir", str(folder), "program.py"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *arguments],
        cwd=folder,
        env={**with_root({}), "MYPYPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,  # its status says whether there are errors
    )
    types = re.findall(r'Revealed type is "(.*)"', done.stdout)
    errors = {int(line) for line in re.findall(r"program\.py:(\d+): error", done.stdout)}
    return [re.sub(r"\b[a-z_]+\.", "", found) for found in types], errors


def by_pyright(folder: Path) -> tuple[list[str], set[int]]:
    (folder / "program.py").write_text(text(), encoding="utf-8")
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT)]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, "."],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,  # its status says whether there are errors
    )
    messages = json.loads(done.stdout)["generalDiagnostics"]
    types = re.findall(r'Type of "\w+" is "(.*)"', "\n".join(one["message"] for one in messages))
    errors = [one["range"]["start"]["line"] for one in messages if one["severity"] == "error"]
    return types, {line + 1 for line in errors}


def wanted(name: str) -> str:
    return OTHERS.get(name, "Array")


def test_the_program_runs() -> None:
    found = runpy.run_path(str(PROGRAM))
    for name in names():
        assert type(found[name]).__name__ == wanted(name).partition("[")[0] or name == "kind", name


@pytest.mark.slow
@pytest.mark.parametrize("checked_by", [by_pyright, *nightly(by_mypy)])
def test_a_checker_knows_each_type_and_refuses_what_is_not_there(
    checked_by: Callable[[Path], tuple[list[str], set[int]]], tmp_path: Path
) -> None:
    types, errors = checked_by(tmp_path)
    assert [found.replace("generic[Any]", "generic") for found in types] == [*map(wanted, names())]
    count = text().count("\n")
    assert errors == {*range(count - len(REFUSED) + 1, count + 1)}
