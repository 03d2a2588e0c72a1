"""The public names of CuPy and dpnp, read from their wheels: ``python -m tools.names WHEEL...``.

Nothing is imported: what `__init__.py` and the modules beside it define or import is read. The
methods of CuPy's arrays stand in files that its wheel does not have: ``--core core.pyx core.pxd``.
The lists are written to docs/names, for the page that compares them with NumPy's and xarr's.
"""

from __future__ import annotations

import argparse
import ast
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "names"
SPACES = ("", "linalg", "fft", "random")


class Wheel:
    """The modules of a package in a wheel, as syntax trees."""

    def __init__(self, path: Path) -> None:
        self._archive = zipfile.ZipFile(path)
        self.package, self.version = path.name.split("-")[:2]
        self.package = self.package.partition("_")[0]
        self._files = set(self._archive.namelist())

    def tree(self, module: str) -> ast.Module | None:
        """A module by its dotted name; None where it is compiled."""
        base = module.replace(".", "/")
        for name in (f"{base}/__init__.py", f"{base}.py"):
            if name in self._files:
                return ast.parse(self._archive.read(name))
        return None

    def names(self, module: str) -> set[str]:
        """The public names that a module binds; of ``import *`` those of its source."""
        tree = self.tree(module)
        if tree is None:
            return set()
        own = set(_listed(tree))
        for node in _statements(tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if alias.name == "*":
                        source = self._source(module, node)
                        found = self.tree(source)
                        own |= set(_listed(found) if found else ()) or self.names(source)
                    else:
                        own.add(alias.asname or alias.name)
            else:
                own |= set(_bound(node))
        return {name for name in own if not name.startswith("_")}

    def _source(self, module: str, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = module.split(".")
        parts = parts[: len(parts) - node.level + 1]
        return ".".join([*parts, *([node.module] if node.module else [])])


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    for node in tree.body:
        yield node
        if isinstance(node, ast.If | ast.Try):
            yield from node.body


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    yield from (target.id for target in targets if isinstance(target, ast.Name))


def _listed(tree: ast.Module) -> Iterator[str]:
    """What `__all__` lists as texts."""
    for node in tree.body:
        value = node.value if isinstance(node, ast.Assign | ast.AugAssign) else None
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        named = isinstance(target, ast.Name) and target.id == "__all__"
        if named and isinstance(value, ast.List):
            yield from (
                item.value
                for item in value.elts
                if isinstance(item, ast.Constant) and isinstance(item.value, str)
            )


def _methods(wheel: Wheel, core: Sequence[Path]) -> set[str]:
    """The attributes and methods of the package's arrays."""
    if wheel.package == "dpnp":
        tree = wheel.tree("dpnp.dpnp_array")
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)] if tree else []
        return {
            node.name
            for one in classes
            if one.name == "dpnp_array"
            for node in one.body
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        }
    found = set()
    for path in core:
        text = path.read_text().partition("cdef class _ndarray_base")[2]
        text = re.split(r"^(?:cdef |cpdef |def |class )", text, maxsplit=1, flags=re.MULTILINE)[0]
        for pattern in (
            r"^    (?:property|(?:cpdef|def)(?: [\w.]+)*?) (\w+)\s*[(:]",
            r"^        (?:readonly|public) [\w.]+ (\w+)",
        ):
            found |= set(re.findall(pattern, text, re.MULTILINE))
    return {name for name in found if not name.startswith("_")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a list for each wheel."""
    parser = argparse.ArgumentParser(prog="python -m tools.names", description=__doc__)
    parser.add_argument("wheels", nargs="+", type=Path)
    parser.add_argument("--core", nargs="*", default=[], type=Path)
    options = parser.parse_args(arguments)
    for path in options.wheels:
        wheel = Wheel(path)
        lines = [f"{wheel.package} {wheel.version}"]
        for space in SPACES:
            module = ".".join(filter(None, (wheel.package, space)))
            lines += sorted(".".join(filter(None, (space, n))) for n in wheel.names(module))
        lines += sorted(f"ndarray.{name}" for name in _methods(wheel, options.core))
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{wheel.package}.txt").write_text("\n".join(lines) + "\n")
        print(f"{lines[0]}: {len(lines) - 1} names")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
