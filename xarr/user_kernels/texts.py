"""The text of a Python function, as a tree: from its file, a notebook or the interactive prompt.

Python keeps no text of what is typed at its prompt before 3.13, nor of `python -c`. The lines are
then those of readline's history, and of the command line. Of such lines those are taken that
compile to the function's own code.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import itertools
import sys
import textwrap
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Final, NamedTuple

from xarr.memo import memo

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_TYPED: Final = 1000
"""The lines of the prompt's history that are searched, from the last one on."""
_PARSED: Final = 8
"""Files whose trees are kept."""


class Text(NamedTuple):
    """A function's definition, and the lines of its file, of which the first is number 1."""

    definition: Definition
    lines: list[str]


def text_of(code: CodeType) -> Text:
    """Find the text of a function's code; OSError where nothing has it.

    The tree is shared: who changes it, copies it before.
    """
    for lines, same in _sources(code):
        definition = _definition(_parsed("".join(lines)), same)
        if definition is not None:
            return Text(definition, lines)
    raise OSError("neither a file nor the prompt's history has it")


_parsed: Final = memo(ast.parse, _PARSED)


def _definition(tree: ast.Module, code: CodeType) -> Definition | None:
    """Find the definition that was compiled to a function's code."""
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, Definition)
        and _first_line(node) == code.co_firstlineno
        and getattr(node, "name", "<lambda>") == code.co_name
    ]
    if len(found) > 1:  # lambdas in one line, which differ in where their expressions stand
        places = [(line, column) for line, _, column, end in code.co_positions() if line and end]
        # `walk` gives an outer one before those within it.
        found = [node for node in found if places and _has(node, places)][-1:]
    return found[0] if found else None


def _first_line(node: Definition) -> int:
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min(one.lineno for one in (node, *decorators))


def _has(node: Definition, places: Sequence[tuple[int, int | None]]) -> bool:
    """Whether lines and columns are all within a lambda's expression."""
    if not isinstance(node, ast.Lambda):
        return False
    body = node.body
    begin, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    return all(begin <= place < end for place in places)


# -- where the lines are ------------------------------------------------------------------------


def _sources(code: CodeType) -> Iterator[tuple[list[str], CodeType]]:
    """Lines that may hold a function, and the code that they compile to."""
    with contextlib.suppress(OSError):
        yield inspect.findsource(code)[0], code
    if code.co_filename == "<string>":
        for option, text in itertools.pairwise(sys.orig_argv):
            if option.startswith("-") and option.endswith("c"):
                yield from _compiled(text, code)
    if code.co_filename == "<stdin>":
        lines = _history()
        for start in reversed(range(len(lines))):
            if any(word in lines[start] for word in ("@", "def ", "lambda", "class ")):
                first = start
                while first and lines[first - 1].lstrip().startswith("@"):
                    first -= 1  # so that lines have the numbers that they have at the prompt
                with contextlib.suppress(SyntaxError):
                    yield from _compiled("".join(inspect.getblock(lines[first:])), code)


def _history() -> list[str]:
    """The last lines that were typed at Python's prompt."""
    readline = sys.modules.get("readline")
    if readline is None:
        return []
    end = readline.get_current_history_length() + 1
    numbers = range(max(1, end - _TYPED), end)
    return [f"{readline.get_history_item(number) or ''}\n" for number in numbers]


def _compiled(text: str, code: CodeType) -> Iterator[tuple[list[str], CodeType]]:
    """The lines of a text and its code that does the same as a function's, if it has such code."""
    text = textwrap.dedent(text)
    try:
        whole = compile(text, code.co_filename, "exec", dont_inherit=True)
    except SyntaxError:
        return
    for inner in _inner_codes(whole):
        if _meaning(inner) == _meaning(code):
            yield text.splitlines(keepends=True), inner


def _inner_codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inner_codes(constant)


def _meaning(code: CodeType) -> tuple[object, ...]:
    """What code does, without where it stands."""
    constants = tuple(
        _meaning(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts
    )
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return (code.co_code, constants, *names)
