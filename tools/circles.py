"""Circles of imports among the modules of xarr, also inside a package: there are none.

What is imported within a function counts; what is imported for annotations alone does not, as it
is never imported when a program runs.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]


def modules() -> dict[str, Path]:
    """The files of the package by the names of their modules."""
    found = {}
    for path in sorted((ROOT / "xarr").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path, known: dict[str, Path]) -> set[str]:
    """The modules that a file imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = set()
    for node in _at_run_time(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            inside = names & known.keys()
            found |= inside
            if len(inside) < len(names):
                found.add(node.module)
    return found & known.keys()


def _at_run_time(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from (child for other in node.orelse for child in (other, *_at_run_time(other)))
            continue
        yield node
        yield from _at_run_time(node)


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """The sets of several modules that import each other, by Tarjan's algorithm."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(name: str) -> None:
        number[name] = low[name] = len(number)
        stack.append(name)
        for other in sorted(edges[name]):
            if other not in number:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], number[other])
        if low[name] == number[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for name in edges:
        if name not in number:
            visit(name)
    return found


def main() -> int:
    """Print the circles; 1 where there is one."""
    sys.setrecursionlimit(10_000)
    known = modules()
    edges = {name: imported(path, known) - {name} for name, path in known.items()}
    found = circles(edges)
    for circle in found:
        print(f"{len(circle)} modules import each other:")
        for name in circle:
            print(f"  {name} -> {', '.join(sorted(edges[name] & set(circle)))}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
