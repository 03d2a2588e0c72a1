"""That errors call parameters what the functions call them."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator

import xarr
from tests.processes import ROOT

WHERE = re.compile(r"((?:\w+\.)*)(\w+)\((\*?\w+(?:, \*?\w+)*)\)")
"""What an error begins with, as `linalg.norm(x, ord)`: where a name is, the name, parameters."""


def places(tree: ast.Module) -> Iterator[ast.Constant]:
    """What is handed on as the place of an error: to functions, or by the name `where`.

    Arguments of classes are C expressions of rows, which look alike.
    """
    for node in ast.walk(tree):
        found: list[ast.expr] = []
        if isinstance(node, ast.Call) and not re.match("_?[A-Z]", ast.unparse(node.func)):
            found = [*node.args, *(given.value for given in node.keywords if given.arg == "where")]
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "where":
            found = [node.value]
        for value in found:
            parts = value.values if isinstance(value, ast.JoinedStr | ast.BoolOp) else [value]
            for part in parts:
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part


def signatures(space: str, name: str, tree: ast.Module) -> Iterator[set[str]]:
    """The parameters of the functions that a place may name: in its file, or public ones."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            given = node.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            yield {one.arg for one in every if one}
    value = xarr.Array if space == "x." else xarr
    for part in f"{space.removeprefix('x.')}{name}".split("."):
        value = getattr(value, part, None)
    if callable(value):
        yield set(inspect.signature(value).parameters)


def test_errors_name_parameters_that_there_are() -> None:
    count, wrong = 0, []
    for file in sorted(ROOT.glob("xarr/**/*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for place in places(tree):
            found = WHERE.fullmatch(str(place.value))
            known = list(signatures(found[1], found[2], tree)) if found else []
            if found and known:
                names = set(found[3].replace("*", "").split(", "))
                names -= {"x"} if found[1] == "x." else set()
                count += 1
                if not any(names <= one for one in known):
                    wrong.append(f"{file.name}:{place.lineno}: {found[0]}")
    assert count > 400
    assert not wrong
