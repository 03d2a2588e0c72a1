"""That type checkers know what a user's program computes, and refuse what is not there."""

from __future__ import annotations

import ast
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ROOT, with_root

PROGRAM = Path(__file__).with_name("program_of_a_user.py")
OTHERS = {
    "device": "Device",
    "kind": "dtype[generic]",
    "number": "float",
    "shape": "tuple[int, ...]",
}
"""The names of the program that are no arrays."""
REFUSED = ("np.zeroes(3)", "x.nonsense()", "np.sum(x, axes=0)")


def names() -> list[str]:
    tree = ast.parse(PROGRAM.read_text(encoding="utf-8"))
    stored = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return sorted({node.id for node in stored if isinstance(node.ctx, ast.Store)})


def revealing() -> str:
    """The program, and a question for the type of each of its names."""
    asked = "".join(f"reveal_type({name})\n" for name in names())
    return PROGRAM.read_text(encoding="utf-8") + asked


def refused() -> str:
    return "import xarr as np\n\nx = np.ones(3)\n" + "\n".join(REFUSED) + "\n"


def by_mypy(folder: Path, text: str) -> str:
    (folder / "program.py").write_text(text, encoding="utf-8")
    arguments = ["--strict", "--config-file", "", "--cache-dir", str(folder), "program.py"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *arguments],
        cwd=folder,
        env={**with_root({}), "MYPYPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,  # its status says whether there are errors
    )
    return done.stdout + done.stderr


def by_pyright(folder: Path, text: str) -> list[tuple[int, str, str]]:
    """The line, severity and text of each message."""
    (folder / "program.py").write_text(text, encoding="utf-8")
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
    return [
        (message["range"]["start"]["line"], message["severity"], message["message"])
        for message in messages
    ]


def wanted(name: str) -> str:
    return OTHERS.get(name, "Array")


def test_the_program_runs() -> None:
    found = runpy.run_path(str(PROGRAM))
    for name in names():
        assert type(found[name]).__name__ == wanted(name).partition("[")[0] or name == "kind", name


@pytest.mark.slow
def test_mypy_knows_each_type(tmp_path: Path) -> None:
    said = by_mypy(tmp_path, revealing())
    assert "error:" not in said, said
    types = re.findall(r'Revealed type is "(.*)"', said)
    assert len(types) == len(names())
    for name, type_ in zip(names(), types, strict=True):
        plain = re.sub(r"\b[a-z_]+\.", "", type_).replace("generic[Any]", "generic")
        assert plain == wanted(name), f"{name} is {type_}"


@pytest.mark.slow
def test_pyright_knows_each_type(tmp_path: Path) -> None:
    said = by_pyright(tmp_path, revealing())
    assert not [message for message in said if message[1] == "error"]
    types = [re.findall(r'Type of "\w+" is "(.*)"', text)[0] for *_, text in said]
    assert [re.sub(r"generic\[Any\]", "generic", type_) for type_ in types] == [
        wanted(name) for name in names()
    ]


@pytest.mark.slow
def test_both_refuse_what_is_not_there(tmp_path: Path) -> None:
    mypy = re.findall(r"program\.py:(\d+): error", by_mypy(tmp_path, refused()))
    assert [int(line) for line in mypy] == [4, 5, 6]
    pyright = by_pyright(tmp_path, refused())
    assert {line + 1 for line, severity, _ in pyright if severity == "error"} >= {4, 5, 6}
