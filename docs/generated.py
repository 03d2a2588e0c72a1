"""Sphinx directives that write parts of the pages from the code, at build time.

So the tables, the API reference and the kernel sources that are shown cannot fall behind the code.
The functions that make the text know nothing of Sphinx; the tests call them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import xarr
from xarr import dtypes, elementwise, reductions
from xarr.array import FUNCTIONS
from xarr.dtypes import DType
from xarr.expression import Node, constant
from xarr.settings import Settings

# -- the table of operations x dtypes -------------------------------------------------------------

ACCEPTED: Final = "yes"
REFUSED: Final = "–"

_SHORT: Final = {"uint": "u", "int": "i", "float": "f", "complex": "c"}


def short(name: str) -> str:
    """A data type's name for a narrow column: i32 for int32."""
    return re.sub(r"^[a-z]+(?=\d)", lambda match: _SHORT[match[0]], name)


def _operand(dtype: DType) -> Node:
    """A constant on no device; the rules ask only whether there is float64."""
    device: Any = SimpleNamespace(info=SimpleNamespace(has_float64=True))
    return constant(1, dtype, (), device)


def _cell(dtype: DType, rule: Callable[[Node], DType]) -> str:
    """What becomes of a data type: taken as it is, converted to another, or refused."""
    try:
        computed = rule(_operand(dtype))
    except TypeError:
        return REFUSED
    return ACCEPTED if computed is dtype else short(computed.name)


def elementwise_table() -> list[list[str]]:
    """A line for each elementwise function, the header first."""
    header = ["function", "operator", *(short(row.name) for row in dtypes.TABLE), "error"]
    lines = [header]
    for row in elementwise.TABLE:

        def rule(node: Node, row: elementwise.Elementwise = row) -> DType:
            return row._resolve((node,) * row.operands).operands[0]

        cells = [_cell(dtype, rule) for dtype in dtypes.TABLE]
        error = f"{row.domain.ulp:g} ulp" if row.domain.ulp else "exact"
        operator = f"``__{row.operator}__``" if row.operator else ""
        lines.append([f"`~xarr.{row.name}`", operator, *cells, error])
    return lines


def reductions_table() -> list[list[str]]:
    """A line for each reduction and scan, the header first."""
    lines = [["function", *(short(row.name) for row in dtypes.TABLE), "of no elements"]]
    for row in reductions.TABLE:

        def rule(node: Node, row: reductions.Reduction = row) -> DType:
            return reductions._types(row, node, None, row.name)[0]

        cells = [_cell(dtype, rule) for dtype in dtypes.TABLE]
        empty = "ValueError" if row.empty is None else repr(row.empty)
        lines.append([f"`~xarr.{row.name}`", *cells, empty])
    return lines


def dtypes_table() -> list[list[str]]:
    """A line for each data type, the header first."""
    lines = [["data type", "kind", "bytes", "in memory", "computed in"]]
    for row in dtypes.TABLE:
        lines.append(
            [
                f"``xarr.{row.name}``",
                row.kind,
                str(row.itemsize),
                f"``{row.storage}``",
                f"``{row.compute}``",
            ]
        )
    return lines


# -- environment variables ------------------------------------------------------------------------


def environment_table() -> list[list[str]]:
    """A line for each environment variable, from the docstring of `Settings`, the header first."""
    text = inspect.cleandoc(Settings.__doc__ or "")
    found = re.findall(
        r"^(\w+) : (.+)\n    (XARR_\w+): ((?:.+\n?(?:    )?)+?)(?=^\w|\Z)", text + "\n", re.MULTILINE
    )
    defaults = Settings()
    lines = [["variable", "meaning", "when it is not set"]]
    for name, _, variable, meaning in found:
        default = getattr(defaults, name)
        unset = "off" if default is False else _UNSET[name]
        meaning = " ".join(meaning.split())
        lines.append([f"``{variable}``", meaning[0].upper() + meaning[1:], unset])
    return lines


_UNSET: Final = {
    "device": "the first GPU, else the first CPU",
    "cache_dir": "``xarr`` in the system's folder for caches (``~/.cache`` on Linux)",
    "dump_source": "nothing is written",
}

# -- the API reference ----------------------------------------------------------------------------

PARTS: Final = {
    "xarr.creation": "Creation",
    "xarr.data_type": "Data types",
    "xarr.elementwise": "Element-wise functions",
    "xarr.indexing": "Indexing",
    "xarr.inspection": "Inspection",
    "xarr.manipulation": "Manipulation",
    "xarr.reductions": "Reductions and scans",
    "xarr.searching": "Searching",
    "xarr.statistical": "Statistics beyond the standard",
}


def names_by_part() -> dict[str, list[str]]:
    """The public functions of each chapter by their first name; aliases are left out."""
    parts: dict[str, list[str]] = {}
    seen: set[int] = set()
    rows = {row.name: "xarr.elementwise" for row in elementwise.TABLE}
    rows |= {row.name: "xarr.reductions" for row in reductions.TABLE}
    for name, function in FUNCTIONS.items():
        if id(function) in seen or name != getattr(function, "__name__", name):
            continue
        seen.add(id(function))
        code = inspect.unwrap(function)
        module = rows.get(name) or getattr(code, "__globals__", {}).get("__name__", "xarr")
        parts.setdefault(PARTS.get(module, _title(module)), []).append(name)
    return {part: sorted(parts[part]) for part in sorted(parts)}


def _title(module: str) -> str:
    return module.rpartition(".")[2].replace("_", " ").capitalize()


def aliases() -> list[list[str]]:
    """The names that functions have besides their first, the header first."""
    first = {id(FUNCTIONS[name]): name for names in names_by_part().values() for name in names}
    more = sorted(
        (name, first[id(function)])
        for name, function in FUNCTIONS.items()
        if id(function) in first and first[id(function)] != name
    )
    return [["name", "is"], *([f"``xarr.{name}``", f"`~xarr.{own}`"] for name, own in more)]


# -- kernels --------------------------------------------------------------------------------------


def explained(program: str) -> str:
    """What `xarr.explain` says of `x` after a program, without the dialect's header."""
    names: dict[str, Any] = {"np": xarr, "xarr": xarr}
    exec(program, names)
    text = xarr.explain(names["x"])
    head, marker, source = text.partition("#define XR_ASSEMBLED 1")
    if not marker:
        return str(text)
    lines = source.splitlines()
    own = next(number for number, line in enumerate(lines) if line.startswith("#define xr_index"))
    skeleton = next(number for number, line in enumerate(lines) if line.startswith("#line 1"))
    shown = [
        "// ... the dialect's header (kernels/opencl.h) and library functions, if any ...",
        *lines[own:skeleton],
        "// ... the skeleton (kernels/elementwise.c) ...",
    ]
    return head + "\n".join(shown)


# -- directives -----------------------------------------------------------------------------------


def list_table(lines: list[list[str]], options: str = "") -> str:
    """A reStructuredText table of lines of cells."""
    text = [".. list-table::", "   :header-rows: 1", *([f"   {options}"] if options else []), ""]
    for line in lines:
        for number, cell in enumerate(line):
            text.append(f"   {'*' if number == 0 else ' '} - {cell}".rstrip())
    return "\n".join(text) + "\n"


class _Text(SphinxDirective):
    """Parse text that a function makes."""

    make: Callable[[], str]

    def run(self) -> list[nodes.Node]:
        return list(self.parse_text_to_nodes(type(self).make(), allow_section_headings=True))


def _table(make: Callable[[], list[list[str]]], options: str = "") -> type[_Text]:
    return type(
        "Table", (_Text,), {"make": staticmethod(lambda: linked(list_table(make(), options)))}
    )


def linked(text: str) -> str:
    """Turn `~xarr.name` into a link to the function's place in the reference."""
    return re.sub(r"`~xarr\.(\w+)`", r":py:func:`~xarr.\1`", text)


def _reference() -> Iterator[str]:
    for part, names in names_by_part().items():
        yield f"{part}\n{'-' * len(part)}\n"
        for name in names:
            yield f".. autofunction:: xarr.{name}\n"


class _Explained(SphinxDirective):
    """Show a program and what `xarr.explain` says of its `x`."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        program = "\n".join(self.content)
        shown = program + "\nprint(np.explain(x))"
        code = nodes.literal_block(shown, shown, language="python")
        text = explained(program)
        return [code, nodes.literal_block(text, text, language="c")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directives."""
    wide = ":class: operations"
    app.add_directive("xarr-elementwise", _table(elementwise_table, wide))
    app.add_directive("xarr-reductions", _table(reductions_table, wide))
    app.add_directive("xarr-dtypes", _table(dtypes_table))
    app.add_directive("xarr-environment", _table(environment_table))
    app.add_directive("xarr-aliases", _table(aliases))
    app.add_directive(
        "xarr-reference",
        type("Reference", (_Text,), {"make": staticmethod(lambda: "\n".join(_reference()))}),
    )
    app.add_directive("xarr-explain", _Explained)
    return {"parallel_read_safe": True}
