"""Check that an editor's hover over a wheel's functions shows the docstrings of `help`."""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import xarr
from tests.processes import ROOT, once, run
from xarr.ops import elementwise

BUILT = ("pyproject.toml", "hatch_build.py", "hatch_docs.py", "README.md", "LICENSE")
NAMES = (
    *("linspace", "asarray", "concatenate", "sin", "add", "fft.rfft", "linalg.solve", "emath.sqrt"),
    *("random.Generator.normal", "random.normal", "Array.reshape", "jit", "kernel"),
)

TEXTS = """
import inspect, json, sys, types
import xarr
from xarr.functions.names import docstrings

if sys.argv[1:] == ["as written"]:
    docstrings._complete_one = lambda *given, **named: None

found, spaces, seen = {}, [("xarr", xarr)], set()
for place, space in spaces:
    for name in dir(space):
        value = getattr(space, name, None) if name[0] != "_" else None
        home = value.__name__ if isinstance(value, types.ModuleType) else value.__class__.__module__
        if callable(value) and not isinstance(value, xarr.ufunc):
            home = getattr(value, "__module__", None) or ""
        if not home.startswith("xarr"):
            continue
        is_class = isinstance(value, type)
        if (is_class or isinstance(value, types.ModuleType)) and id(value) not in seen:
            seen.add(id(value))
            spaces.append((f"{place}.{name}", value))
        code = getattr(inspect.unwrap(value), "__code__", None)
        text = value.__dict__["__doc__"] if is_class else value.__doc__
        is_written = is_class or code is not None and code.co_name == value.__name__
        if isinstance(text, str) and (is_written or not sys.argv[1:]):
            found[f"{place}.{name}"] = inspect.cleandoc(text)
json.dump(found, sys.stdout)
"""
"""Prints the docstrings of all public names, complete or, of definitions, as they are written."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the pure wheel is installed."""

    def make(folder: Path) -> None:
        unread = shutil.ignore_patterns("__pycache__", "compiled", "*.so", "*.pyd")
        shutil.copytree(ROOT / "xarr", folder / "xarr", ignore=unread)
        for name in BUILT:
            shutil.copy(ROOT / name, folder)
        done = run("-m", "hatchling", "build", "--target", "wheel", cwd=folder, XARR_PURE="1")
        assert done.returncode == 0, done.stderr
        (wheel,) = (folder / "dist").iterdir()
        zipfile.ZipFile(wheel).extractall(folder / "site")

    return once(tmp_path_factory, "wheel", make) / "site"


def texts(place: Path, *arguments: str) -> dict[str, str]:
    done = run("-c", TEXTS, *arguments, cwd=place, PYTHONPATH=str(place), XARR_PURE="1")
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_the_sources_of_a_wheel_have_the_docstrings_of_help(site: Path) -> None:
    complete = texts(ROOT)
    assert len(complete) > 1000
    assert texts(site) == complete
    written = texts(site, "as written")
    assert len(written) > 700
    assert {name: text for name, text in written.items() if text != complete[name]} == {}


def test_below_an_assignment_is_the_docstring_of_its_value(site: Path) -> None:
    body = ast.parse((site / "xarr/functions/elementwise/elementwise.py").read_text("utf-8")).body
    found = {
        node.target.id: inspect.cleandoc(below.value.value)
        for node, below in itertools.pairwise(body)
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }
    names = [row.name for row in elementwise.TABLE if not row.by_hand]
    assert found == {name: getattr(xarr, name).__doc__ for name in names}


def test_only_docstrings_differ_from_the_checkout(site: Path) -> None:
    changed = 0
    for file in (site / "xarr").rglob("*.py"):
        ours, theirs = (ROOT / file.relative_to(site)).read_bytes(), file.read_bytes()
        if ours != theirs:
            changed += 1
            assert not file.with_suffix(".pxd").exists()
            assert statements(ours) == statements(theirs), file
    assert changed > 50


def statements(source: bytes) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and body:
            node.body = [each for each in node.body if not is_text(each)]
    return ast.dump(tree)


def is_text(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(ast.Constant(str())):
            return True
    return False


def test_an_editor_shows_parameters_results_and_an_example(site: Path, tmp_path: Path) -> None:
    shown = hovers(site, tmp_path)
    for name in NAMES:
        value: Any = xarr
        for part in name.split("."):
            value = getattr(value, part)
        said = shown[name].partition("Parameters\n---")[2]
        assert "\nReturns\n---" in said, (name, shown[name])
        assert "\n>>> " in said.partition("\nExamples\n---")[2], (name, shown[name])
        for parameter in inspect.signature(value).parameters.values():
            if parameter.name != "self" and parameter.kind is not parameter.VAR_KEYWORD:
                entry = rf"^\*?(.*, )?\*?{parameter.name}(, .*)? : "
                assert re.search(entry, said, re.MULTILINE), (name, parameter)


def hovers(site: Path, folder: Path) -> dict[str, str]:
    """Return a language server's hover of names, for a program that imports a folder's xarr."""
    program = folder / "program.py"
    text = "\n".join(["import xarr", *(f"xarr.{name}" for name in NAMES), ""])
    program.write_text(text)
    settings = {"extraPaths": [str(site)], "typeCheckingMode": "off"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    server = subprocess.Popen(
        [sys.executable, "-c", "import basedpyright.langserver as it; it.main()", "--stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=folder,
    )
    questions, answers = server.stdin, server.stdout
    assert questions is not None
    assert answers is not None

    def send(**message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        questions.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        questions.flush()

    def asked(method: str, **params: Any) -> Any:
        """The answer to a question; the server's own questions are answered until it comes."""
        send(id=method, method=method, params=params)
        while True:
            size = 0
            while line := answers.readline().strip():
                if line.startswith(b"Content-Length:"):
                    size = int(line.split()[1])
            message = json.loads(answers.read(size))
            if message.get("id") == method and "method" not in message:
                return message["result"]
            if "id" in message:
                items = message["params"].get("items")
                send(id=message["id"], result=items and [{} for _ in items])

    document = {"uri": program.as_uri()}
    hover = {"contentFormat": ["plaintext"]}
    with server:
        asked(
            "initialize",
            processId=None,
            rootUri=folder.as_uri(),
            capabilities={"textDocument": {"hover": hover}},
            workspaceFolders=[{"uri": folder.as_uri(), "name": "program"}],
        )
        send(method="initialized", params={})
        opened = {**document, "languageId": "python", "version": 1, "text": text}
        send(method="textDocument/didOpen", params={"textDocument": opened})
        places = {
            name: {"line": line, "character": len(f"xarr.{name}") - 1}
            for line, name in enumerate(NAMES, 1)
        }
        found = {
            name: asked("textDocument/hover", textDocument=document, position=place)
            for name, place in places.items()
        }
        send(id="end", method="shutdown", params=None)
        send(method="exit", params=None)
    return {name: said["contents"]["value"] if said else "" for name, said in found.items()}
