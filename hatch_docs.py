"""Writes the docstrings that `help` shows into copies of the sources, where editors read them.

`python hatch_docs.py FOLDER` imports the package beside this file and asks for every public name,
so that `xarr/functions/names/docstrings.py` completes its docstring. The modules whose docstrings
differ then are written into the folder: a definition gets the complete docstring; an assignment,
such as `sin: Final = Unary(rows.sin)`, gets that of its value on the line below. hatch_build.py
puts these modules into wheels. The compiled ones stay as they are, so that their lines fit.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

ROOT = Path(__file__).parent

Edit = tuple[int, int, str, int, int]
"""Lines, from the first to before the last; the docstring that takes their place, its column, and
the column where the last one goes on."""


def main(folder: Path) -> None:
    """Write the modules that differ."""
    sys.path.insert(0, str(ROOT))
    import xarr

    public: dict[int, Any] = {}
    _ask(xarr, public)
    for name, module in sorted(sys.modules.items()):
        file = Path(getattr(module, "__file__", None) or "")
        if name.partition(".")[0] != "xarr" or file.with_suffix(".pxd").exists():
            continue
        source = file.read_text(encoding="utf-8")
        text = _written(source, vars(module), public)
        if text != source:
            target = folder / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")


def _ask(space: Any, public: dict[int, Any]) -> None:
    """Ask for the public names of a module or class, and of those that it holds; note them."""
    for name in dir(space):
        value = getattr(space, name, None) if name[0] != "_" else None
        is_known = id(value) in public
        public[id(value)] = value  # kept, so that no other object gets the number
        if isinstance(value, ModuleType | type) and not is_known and _is_ours(value):
            _ask(value, public)


def _is_ours(value: Any) -> bool:
    kind = value if isinstance(value, type | FunctionType | MethodType) else type(value)
    place = value.__name__ if isinstance(value, ModuleType) else kind.__module__
    return str(place).partition(".")[0] == "xarr"


def _written(source: str, space: Mapping[str, Any], public: dict[int, Any]) -> str:
    """The text of a module with the docstrings of what it defines."""
    lines = source.encode().split(b"\n")
    edits = sorted(_edits(ast.parse(source).body, space, public))
    for first, last, text, column, end in reversed(edits):
        after = lines[last - 1][end:] if last > first else b""
        docstring = (" " * column + _literal(text, column)).encode() + after
        lines[first:last] = docstring.split(b"\n")
    return b"\n".join(lines).decode()


def _edits(
    body: list[ast.stmt], space: Mapping[str, Any], public: dict[int, Any]
) -> Iterator[Edit]:
    """What changes in the body of a module or class; of overloads only the last is defined."""
    last = {node.name: node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node, below in zip(body, [*body[1:], None], strict=True):
        match node:
            case ast.FunctionDef(name) | ast.ClassDef(name) if last[name] is node:
                value = getattr(space.get(name), "__func__", space.get(name))
                if getattr(value, "__name__", "") == name and _is_ours(value):
                    yield from _edit(node.body[0], _docstring_of(value, is_defined=True))
                if isinstance(node, ast.ClassDef) and isinstance(value, type):
                    yield from _edits(node.body, vars(value), public)
            case ast.Assign([ast.Name(name)], given) | ast.AnnAssign(ast.Name(name), value=given):
                value = space.get(name)
                is_shown = isinstance(value, type) or (  # by the function's definition
                    isinstance(value, FunctionType | MethodType) and not isinstance(given, ast.Call)
                )
                if name[0] != "_" and id(value) in public and _is_ours(value) and not is_shown:
                    yield from _edit(below, _docstring_of(value), node)


def _edit(there: ast.stmt | None, text: str, after: ast.stmt | None = None) -> Iterator[Edit]:
    """Write a docstring where one is, or after a statement."""
    match there:
        case ast.Expr(ast.Constant(str(old))):
            if text and text != inspect.cleandoc(old):
                end = there.end_lineno or 0, there.end_col_offset or 0
                yield there.lineno - 1, end[0], text, there.col_offset, end[1]
        case _ if text and after is not None:
            line = after.end_lineno or 0
            yield line, line, text, after.col_offset, 0


def _docstring_of(value: Any, is_defined: bool = False) -> str:
    """What `help` says of a value; where it is defined, without the call that a ufunc's has."""
    if is_defined and isinstance(value, sys.modules["xarr"].ufunc):
        return str(value._docstring())
    text = vars(value)["__doc__"] if isinstance(value, type) else value.__doc__
    return inspect.cleandoc(text) if type(text) is str else ""


def _literal(text: str, column: int) -> str:
    """A docstring as it is written at a column."""
    first, *others = text.replace("\\", "\\\\").replace('"""', r"\"\"\"").split("\n")
    others = [" " * column + line if line else "" for line in others]
    if others or first.endswith('"'):
        others.append(" " * column)
    return '"""' + "\n".join([first, *others]) + '"""'


if __name__ == "__main__":
    main(Path(sys.argv[1]))
