"""The tutorial as a script and as a notebook: ``python -m tools.tutorial`` writes both.

`docs/tutorial.md` is the source of examples/tutorial.py and examples/tutorial.ipynb. The script has
the blocks one after another in a function, since workers of a cluster import it again; what the
page shows below a block, the script prints. A cell of the notebook ends where the page shows an
output, which it has below it.
"""

from __future__ import annotations

import ast
import doctest
import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "tutorial.md"
SCRIPT: Final = ROOT / "examples" / "tutorial.py"
NOTEBOOK: Final = ROOT / "examples" / "tutorial.ipynb"

PART: Final = re.compile(
    r"^#{2,3} (?P<title>[^\n]*)$|^```pycon\n(?P<block>.*?)^```$", re.MULTILINE | re.DOTALL
)
HEAD: Final = '''"""The program of docs/tutorial.md as a script: ``python examples/tutorial.py``.

`python -m tools.tutorial` writes it from the page. It saves its pictures, plate.png and study.png,
in the folder where it is started.
"""


def main():
'''
FOOT: Final = """

if __name__ == "__main__":
    main()
"""


def printing(source: str) -> str:
    """Print the value that Python's prompt would show."""
    (statement,) = ast.parse(source).body
    if not isinstance(statement, ast.Expr) or source.startswith("print("):
        return source
    return f"print({source.rstrip()})\n"


def parts(page: str) -> Iterator[str]:
    """Yield the headings of a page as comments, and the blocks of its program."""
    for match in PART.finditer(page):
        if match["title"]:
            yield f"\n# {match['title']}\n"
        else:
            yield "\n"
            for example in doctest.DocTestParser().get_examples(match["block"]):
                yield printing(example.source) if example.want else example.source


def script() -> str:
    """Return the script that the page describes."""
    text = "".join(parts(PAGE.read_text(encoding="utf-8")))
    text = re.sub(r"\n# .*\n(?=\n# |\Z)", "", text).replace("\n\n\n", "\n\n")
    text = re.sub(r"(\n# .*\n)\n", r"\1", text)
    return HEAD + textwrap.indent(text.lstrip("\n"), "    ") + FOOT


def cells(page: str) -> Iterator[dict[str, Any]]:
    """Yield the cells of the notebook: the page's text, and its blocks with what they show."""
    # A notebook has no prompts, and no button that leaves them out.
    page = re.sub(
        r"\A---\n.*?^---\n|^```\{index\}.*?^```\n|^Each step shows .*?\n\n",
        "",
        page,
        flags=re.DOTALL | re.MULTILINE,
    )
    page = re.sub(
        r"\]\((\w+)\.md", r"](../docs/\1.md", page.replace("](images/", "](../docs/images/")
    )
    for number, part in enumerate(
        re.split(r"^```pycon\n(.*?)^```\n", page, flags=re.DOTALL | re.MULTILINE)
    ):
        if number % 2 == 0:
            yield {
                "cell_type": "markdown",
                "metadata": {},
                "source": part.strip().splitlines(keepends=True),
            }
            continue
        source = ""
        examples = doctest.DocTestParser().get_examples(part)
        for example in examples:
            source += example.source
            if example.want or example is examples[-1]:
                lines = example.want.splitlines(keepends=True)
                shown = {"output_type": "stream", "name": "stdout", "text": lines}
                yield {
                    "cell_type": "code",
                    "execution_count": None,
                    "metadata": {},
                    "outputs": [shown] if lines else [],
                    "source": source.strip().splitlines(keepends=True),
                }
                source = ""


def notebook() -> str:
    """Return the notebook that the page describes, as JSON."""
    kept = [
        {**cell, "id": f"cell-{number}"}
        for number, cell in enumerate(cells(PAGE.read_text("utf-8")))
        if cell["source"]
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {
        "cells": kept,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCRIPT.write_text(script(), encoding="utf-8")
    NOTEBOOK.write_text(notebook(), encoding="utf-8")
