"""The pages of the reference, written from docstrings before Sphinx reads any page.

A page is reStructuredText, since docstrings are. `tables.py` says which names are public and in
which chapter they stand; this module says how an entry looks.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy
import tables
from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config, NumpyDocstring

import xarr
from xarr import dtypes
from xarr.backends.device import PUBLIC

FOLDER: Final = "reference"

_NAPOLEON: Final = Config(
    napoleon_use_param=False, napoleon_use_rtype=False, napoleon_use_ivar=True
)

_DESCRIPTION_LENGTH: Final = 160
"""Characters of a description; search engines cut off what is longer."""

_PROTOCOLS: Final = ("__array_namespace__", "__cuda_array_interface__", "__dlpack")
"""How the special names begin that other libraries use."""

_SYMBOLS: Final = {
    "abs": "abs(x)",
    "add": "x1 + x2",
    "and": "x1 & x2",
    "eq": "x1 == x2",
    "floordiv": "x1 // x2",
    "ge": "x1 >= x2",
    "gt": "x1 > x2",
    "invert": "~x",
    "le": "x1 <= x2",
    "lshift": "x1 << x2",
    "lt": "x1 < x2",
    "mod": "x1 % x2",
    "mul": "x1 * x2",
    "ne": "x1 != x2",
    "neg": "-x",
    "or": "x1 | x2",
    "pos": "+x",
    "pow": "x1 ** x2",
    "rshift": "x1 >> x2",
    "sub": "x1 - x2",
    "truediv": "x1 / x2",
    "xor": "x1 ^ x2",
}


def write(folder: Path) -> None:
    """Write a page for each chapter; pages that have not changed keep their time."""
    folder.mkdir(exist_ok=True)
    texts = {f"{chapter}.rst": page(chapter) for chapter in tables.names_by_chapter()}
    for old in folder.glob("*.rst"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            # Another build may read the folder at this moment.
            scratch = path.with_suffix(".new")
            scratch.write_text(text, encoding="utf-8")
            scratch.replace(path)


def page(chapter: str) -> str:
    """Write the page of a chapter: a table of its names, then an entry for each."""
    title = tables.title_of(chapter)
    names = tables.names_by_chapter()[chapter]
    spellings = tables.spellings()
    parts = [
        f".. meta::\n   :description lang=en: {_description(chapter)}",
        f"{title}\n{'=' * len(title)}",
        ".. py:currentmodule:: xarr",
    ]
    if chapter in tables.CHAPTERS:
        parts.append(tables.CHAPTERS[chapter][1])
    if names == ["Array"]:
        parts += [_array_tables(), _class("Array", spellings["Array"], _members_of_array())]
    else:
        lines = [["name", "description"]]
        lines += [[_links(spellings[name]), _first_line(name)] for name in names]
        parts.append(_table(lines, "30 70"))
        parts += [_entry(name, spellings[name]) for name in names]
    return "\n\n".join(parts) + "\n"


def _description(chapter: str) -> str:
    """Describe a page for search engines: by its sentence, and by those of its first names."""
    about = re.split(r"[.;] :doc:", tables.CHAPTERS[chapter][1])[0].replace("`", "").rstrip(".")
    text = f"{tables.title_of(chapter)} in xarr. {about}."
    for number, name in enumerate(tables.names_by_chapter()[chapter]):
        longer = f"{text} {name}: {_first_line(name).replace('`', '')}"
        if number and len(longer) > _DESCRIPTION_LENGTH:
            break
        text = longer
    return text


def _table(lines: list[list[str]], widths: str) -> str:
    return tables.list_table(lines, f":widths: {widths}")


def _links(names: Iterable[str]) -> str:
    return ", ".join(f":py:obj:`{name} <xarr.{name}>`" for name in names)


# -- what is said of a name --------------------------------------------------------------------


def _text(name: str) -> str:
    """Return the docstring of a public name, or what stands for it."""
    value = tables.PUBLIC[name]
    if name in dtypes.BY_NAME:
        row = dtypes.BY_NAME[name]
        size = "1 byte" if row.itemsize == 1 else f"{row.itemsize} bytes"
        return f"{row.kind.capitalize()}, {size} an element; NumPy's ``numpy.{name}``."
    if name == "dtype":
        return "NumPy's class of data types, ``numpy.dtype``."
    if value is None:
        return "As an index, adds an axis of one element; it is None."
    if isinstance(value, float):
        return f"The number {value!r}."
    if isinstance(value, numpy.generic):
        return f"NumPy's own {value}."
    if isinstance(value, dict | tuple) or getattr(value, "__module__", "").startswith("numpy"):
        return _OF_NUMPY.get(name, "NumPy's own.")
    text = inspect.getdoc(value) or ""
    # Its call, which the text of these begins with, is that of the entry.
    return text.partition("\n\n")[2] if isinstance(value, tables.xarr.ufunc) else text


_OF_NUMPY: Final = {
    "get_printoptions": "NumPy's own function, which tells how Arrays and ndarrays are printed.",
    "linalg.LinAlgError": "NumPy's own exception: a matrix has no such factorization.",
    "printoptions": "NumPy's own context manager, which sets how Arrays and ndarrays are printed.",
    "set_printoptions": "NumPy's own function, which sets how Arrays and ndarrays are printed.",
}


def _first_line(name: str) -> str:
    return _sentence(_text(name))


def _sentence(text: str) -> str:
    """Return the first paragraph of a docstring in one line."""
    return " ".join(text.partition("\n\n")[0].split())


def _docstring(text: str) -> str:
    """Turn the sections of a docstring into field lists."""
    return str(NumpyDocstring(text, _NAPOLEON, what="function")).strip()


def _signature(function: Any, *, bound: bool = False) -> str:
    """Return a function's arguments with their defaults, without types."""
    parameters = list(inspect.signature(function).parameters.values())[1 if bound else 0 :]
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in parameters]
    # A class as a default is written by its name.
    return re.sub(r"<class '(?:\w+\.)?(\w+)'>", r"\1", str(inspect.Signature(bare)))


# -- entries -----------------------------------------------------------------------------------


def _described(kind: str, signatures: list[str], text: str) -> str:
    """Write an entry under one or several signatures."""
    head = f".. py:{kind}:: "
    lines = [head + ("\n" + " " * len(head)).join(signatures)]
    if signatures[0].startswith("xarr."):
        # Full names, which Sphinx shows as they are; names in the text are still those of xarr.
        lines.append("   :module:")
        text = f".. py:currentmodule:: xarr\n\n{text}"
    return "\n".join(lines) + f"\n\n{textwrap.indent(text, '   ')}\n"


def _entry(name: str, names: list[str]) -> str:
    value = tables.PUBLIC[name]
    text = _text(name)
    full = [f"xarr.{one}" for one in names]
    if tables.is_function(value):
        arguments = _signature(value)
        return _described("function", [one + arguments for one in full], _docstring(text))
    if not isinstance(value, type) or tables.chapter_of(name) == "data_types":
        return _described("data", full, _docstring(text))
    if issubclass(value, Exception):
        return _described("exception", full, _docstring(text))
    if issubclass(value, tuple):
        return _described("class", full, _docstring(text))
    return _class(name, names, PUBLIC if name == "Device" else _public_members(value))


def _class(name: str, names: list[str], members: Iterable[str]) -> str:
    """Write an entry of a class and of some of its members."""
    value = tables.PUBLIC[name]
    made = name in ("Stream", "Event")
    arguments = _signature(value) if made else ""
    body = [_docstring(_text(name))]
    body += [_member(value, member) for member in sorted(members, key=str.lower)]
    entry = _described("class", [name + arguments], "\n\n".join(body))
    same = (_described("class", [one], f"Another name of `{name}`.") for one in names[1:])
    return "\n\n".join([entry, *same])


def _member(owner: type, name: str) -> str:
    found = getattr(owner, name)
    text = inspect.getdoc(found) or ""
    if isinstance(found, property):
        return _described("property", [name], _docstring(text))
    if tables.PUBLIC.get(name) is not None and _sentence(text) == _first_line(name):
        text = f"{_sentence(text)} See :py:func:`xarr.{name}`."
    return _described("method", [name + _signature(found, bound=True)], _docstring(text))


def _public_members(owner: type) -> Iterator[str]:
    for name, value in vars(owner).items():
        if name[0] != "_" and (callable(getattr(owner, name)) or isinstance(value, property)):
            yield name


def _members_of_array() -> Iterator[str]:
    for name in vars(xarr.Array):
        value = getattr(xarr.Array, name)
        text = inspect.getdoc(value) if callable(value) or isinstance(value, property) else ""
        if text and (name[0] != "_" or name.startswith(_PROTOCOLS)):
            yield name


def _array_tables() -> str:
    """Write tables of an array's attributes, methods and operators."""
    attributes, methods = [["attribute", "description"]], [["method", "description"]]
    for name in sorted(_members_of_array(), key=str.lower):
        value = getattr(xarr.Array, name)
        lines = attributes if isinstance(value, property) else methods
        about = _sentence(inspect.getdoc(value) or "")
        lines.append([f":py:obj:`{name} <xarr.Array.{name}>`", about])
    operators = [["operator", "function", "description"]]
    for row in tables.elementwise.TABLE:
        if row.operator:
            about = _first_line(row.name)
            operators.append([f"``{_SYMBOLS[row.operator]}``", _links([row.name]), about])
    operators.append(["``x1 @ x2``", _links(["matmul"]), _first_line("matmul")])
    parts = [
        *("Attributes\n----------", _table(attributes, "30 70")),
        *("Methods\n-------", _table(methods, "30 70")),
        "Operators\n---------",
        "Those of two operands have a reflected form. All of these but comparisons have an "
        "in-place form.",
        _table(operators, "20 25 55"),
        "Entries\n-------",
    ]
    return "\n\n".join(parts)


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages when a build begins."""
    app.connect("builder-inited", lambda app: write(Path(app.srcdir) / FOLDER))
    return {"parallel_read_safe": True}
