"""Sphinx directives for the parts of the pages that `tables.py` writes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar

import tables
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchmarks import gallery, sweep


class _Table(SphinxDirective):
    """Parse a table that a function makes; the page has to be read as reStructuredText there."""

    make: Callable[[], list[list[str]]]
    given = ""

    def run(self) -> list[nodes.Node]:
        kind = type(self)
        return self.parse_text_to_nodes(tables.linked(tables.list_table(kind.make(), kind.given)))


def _table(make: Callable[[], list[list[str]]], options: str = "") -> type[_Table]:
    return type("Table", (_Table,), {"make": staticmethod(make), "given": options})


def _functions() -> list[list[str]]:
    """Make a line for each call of the committed sweeps, the slowest first."""
    return sweep.table(sweep.files())


class _Explained(SphinxDirective):
    """Show a program and what `xarr.explain` says of its `x`: a `drawing`, or a text.

    The text has the `sources` or not.
    """

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"drawing": directives.flag, "sources": directives.flag}

    def run(self) -> list[nodes.Node]:
        program = "\n".join(self.content)
        if "drawing" in self.options:
            shown = program + "\nnp.explain(x)"
            code = nodes.literal_block(shown, shown, language="python")
            return [code, nodes.raw("", tables.drawn(program), format="html")]
        shown = program + "\nprint(np.explain(x))"
        code = nodes.literal_block(shown, shown, language="python")
        text = tables.explained(program, sources="sources" in self.options)
        return [code, nodes.literal_block(text, text, language="c")]


class _Example(SphinxDirective):
    """Show how long an example takes, and its code."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        (name,) = self.arguments
        code = gallery.excerpt(name)
        path = nodes.literal(text=f"examples/{name}.py")
        times = nodes.paragraph(
            "", "", nodes.Text(f"{gallery.caption(name)} From "), path, nodes.Text(":")
        )
        return [times, nodes.literal_block(code, code, language="python")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directives."""
    wide = ":class: operations"
    app.add_directive("xarr-elementwise", _table(tables.elementwise_table, wide))
    app.add_directive("xarr-reductions", _table(tables.reductions_table, wide))
    app.add_directive("xarr-dtypes", _table(tables.dtypes_table))
    app.add_directive("xarr-environment", _table(tables.environment_table))
    app.add_directive("xarr-places", _table(tables.places_table, wide))
    app.add_directive("xarr-chapters", _table(tables.chapters_table, ":widths: 20 80"))
    app.add_directive("xarr-names-counts", _table(tables.names_counts_table))
    for space in ("main", "linalg", "fft", "random", "ndarray"):
        make = functools.partial(tables.names_table, space)
        app.add_directive(f"xarr-names-{space}", _table(make, ":widths: 25 10 15 15 35"))
    app.add_directive("xarr-functions", _table(_functions, wide))
    app.add_directive("xarr-gallery", _table(gallery.table))
    app.add_directive("xarr-example", _Example)
    app.add_directive("xarr-explain", _Explained)
    return {"parallel_read_safe": True}
