"""The tutorial as a script: ``python -m tools.tutorial`` writes examples/tutorial.py.

`docs/tutorial.md` is the source. Its blocks follow one another in a function, since workers of a
cluster import the script again; what the page shows below a block, the script prints.
"""

from __future__ import annotations

import ast
import doctest
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "tutorial.md"
SCRIPT: Final = ROOT / "examples" / "tutorial.py"

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


if __name__ == "__main__":
    SCRIPT.write_text(script(), encoding="utf-8")
