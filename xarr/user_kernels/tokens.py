"""The pieces of C: what a program's own kernels are read by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"(?P<line>(?m:^)[ \t]*\#(?:[^\n\\]|\\.)*)"
    r"|(?P<skip>//[^\n]*|/\*.*?\*/|[^\S\n]+|\n|\\\n)"
    r'|(?P<text>"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')'
    r"|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)"
    r"|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<sign>->|\+\+|--|&&|\|\||.)",
    re.DOTALL,
)
_DEFINED: Final = re.compile(r"\s*#\s*define\s+(\w+)(\([^)]*\))?")
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
OPENING: Final = {"(": ")", "[": "]", "{": "}"}


class Token(NamedTuple):
    """A piece of C, what kind it is, and where it begins."""

    kind: str
    text: str
    at: int


def tokens(text: str, begin: int = 0) -> Iterator[Token]:
    """The pieces of a text from a place on, spaces and comments included."""
    for match in _TOKEN.finditer(text, begin):
        yield Token(match.lastgroup or "", match.group(), match.start())


def without_comments(text: str) -> str:
    """Return the text with spaces in the place of comments."""
    return _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def words(text: str) -> frozenset[str]:
    """The names that a text mentions."""
    return frozenset(token.text for token in tokens(text) if token.kind == "word")


class Macro(NamedTuple):
    """A `#define` line: its name, its parameters if it takes any, and where its value begins."""

    name: str
    parameters: frozenset[str]
    body: int


def macro(line: Token) -> Macro | None:
    """The macro that a directive defines."""
    found = _DEFINED.match(line.text)
    if found is None:
        return None
    return Macro(found[1], words(found[2] or ""), found.end())
