"""Which programs have all their NumPy names in xarr: ``python -m tools.survey FOLDER...``.

It reads the programs and notebooks under the folders, collects the names that each takes from
NumPy (``np.linalg.norm``, ``from numpy import sin``), and looks whether xarr has them. Nothing is
run: that a name is there says nothing of what it does, which `tests/programs` is for.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import numpy

import xarr


def main(arguments: Sequence[str]) -> int:
    """Print how many of the files are covered, and the names that most files lack."""
    parser = argparse.ArgumentParser(prog="python -m tools.survey", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--missing", type=int, default=40, help="how many names to list")
    options = parser.parse_args(arguments)
    lacking: Counter[str] = Counter()
    used: Counter[str] = Counter()
    total = covered = 0
    for folder in options.folders:
        names = [found for path in sorted(folder.rglob("*")) if (found := names_of(path))]
        whole = 0
        for found in names:
            absent = [name for name in found if not _has(xarr, name)]
            lacking.update(absent)
            used.update(found)
            whole += not absent
        print(f"{folder.name}: {whole} of {len(names)} files")
        total += len(names)
        covered += whole
    print(f"all: {covered} of {total} files, {100 * covered / max(total, 1):.1f} %")
    for name, count in lacking.most_common(options.missing):
        print(f"{count:5} files lack {name}")
    print(f"{len(used)} names of NumPy are used, {len(lacking)} of them xarr lacks")
    return 0


def names_of(path: Path) -> set[str]:
    """The names that a program takes from NumPy; none where it cannot be read as Python 3."""
    if path.suffix not in (".py", ".ipynb") or not path.is_file():
        return set()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(_source(path))
    except (SyntaxError, ValueError, KeyError):
        return set()
    aliases = dict(_aliases(tree))
    names = {name for name in aliases.values() if name}
    names.update(_attributes(tree, aliases))
    # What NumPy itself lacks is another package's, or of a NumPy long gone.
    return {name for name in names if _has(numpy, name)}


def _source(path: Path) -> str:
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".py":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    lines = "\n".join("".join(cell["source"]) for cell in cells).splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith(("%", "!", "?")))


def _aliases(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Names bound to NumPy or to something of it, each with its name inside NumPy."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                head, _, rest = item.name.partition(".")
                if head == "numpy":
                    yield (item.asname, rest) if item.asname else ("numpy", "")
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            head, _, rest = node.module.partition(".")
            if head == "numpy":
                for item in node.names:
                    if item.name != "*":
                        yield item.asname or item.name, f"{rest}.{item.name}".lstrip(".")


def _attributes(tree: ast.AST, aliases: dict[str, str]) -> Iterator[str]:
    """Each ``np.linalg.norm`` as ``linalg.norm``, as far as it goes through modules."""
    for node in ast.walk(tree):
        path: list[str] = []
        whole: ast.AST = node
        while isinstance(whole, ast.Attribute):
            path.insert(0, whole.attr)
            whole = whole.value
        if path and isinstance(whole, ast.Name) and whole.id in aliases:
            start = aliases[whole.id]
            if isinstance(_found(numpy, start), ModuleType):
                parts = [*filter(None, start.split(".")), *path]
                yield ".".join(parts[: _depth(parts)])


def _depth(parts: Sequence[str]) -> int:
    """How many of the parts lead through NumPy's modules, the thing in the last one included."""
    for number in range(1, len(parts)):
        if not isinstance(_found(numpy, ".".join(parts[:number])), ModuleType):
            return number
    return len(parts)


_MISSING = object()


def _found(space: object, name: str) -> object:
    for part in filter(None, name.split(".")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            space = getattr(space, part, _MISSING)
        if space is _MISSING:
            break
    return space


def _has(space: object, name: str) -> bool:
    return _found(space, name) is not _MISSING


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
