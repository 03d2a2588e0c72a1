"""The chapters that follow from the rows of the tables: ``python -m tools.chapters [--write]``.

They are checked in, so that readers, editors and type checkers see plain functions. Without
``--write`` the command compares, and its exit status says whether all is as the rows say.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.processes import ROOT
from xarr.dtypes import BOOL, COMPLEX, KIND_WORDS, REAL
from xarr.tables import elementwise, reductions
from xarr.tables.rows import FORMS, Elementwise, Reduction

NAMES = ROOT / "xarr" / "__init__.py"
CHAPTERS = ROOT / "xarr" / "functions"

_HEAD = '''"""{about}: written from the rows of `tables.{table}`.

``python -m tools.chapters --write`` writes this file; edit the rows.
"""

from __future__ import annotations

'''


def _docstring(
    about: str,
    parameters: Sequence[str],
    returns: Sequence[str],
    raises: Sequence[str],
    source: str,
    example: Sequence[str],
) -> str:
    """A numpydoc text with its quotes, indented for a function's body."""
    notes = textwrap.wrap(source, 96)
    sections = {
        "Parameters": parameters,
        "Returns": returns,
        "Raises": raises,
        "Notes": notes,
        "Examples": [">>> import xarr", *example],
    }
    lines = [f'"""{about}']
    for title, body in sections.items():
        lines += ["", title, "-" * len(title), *body]
    return textwrap.indent("\n".join([*lines, '"""']), "    ")


def _elementwise(row: Elementwise) -> str:
    words = KIND_WORDS[row.kinds]
    unit = f", {row.unit}" if row.unit else ""
    raises = ["TypeError", "    If an operand has another dtype, or can be made no array."]
    if row.operands == 2:
        names, apply = "x1: ArrayLike, x2: ArrayLike", f"binary(rows.{row.name}, x1, x2)"
        parameters = [
            f"x1, x2 : {words} Array, shapes that broadcast to (...)",
            f"    The operands{unit}; also numbers, lists of numbers and NumPy arrays.",
        ]
        raises += ["ValueError", "    If the shapes do not broadcast or the devices differ."]
    else:
        names, apply = "x: ArrayLike", f"unary(rows.{row.name}, x)"
        parameters = [
            f"x : {words} Array, shape (...)",
            f"    The operand{unit}; also a number, a list of numbers or a NumPy array.",
        ]
    result = {
        "same": "the type that the operands promote to",
        "bool": "bool",
        "real": "the type of x, or of the parts of a complex x",
    }[row.result]
    remark = "; integers are computed in floating point" if row.floats_integers else ""
    example = [f">>> xarr.{row.name}({row.example or _operands(row)}).shape", "(2,)"]
    text = _docstring(
        row.about,
        parameters,
        ["Array, shape (...)", f"    Of dtype {result}{remark}."],
        raises,
        row.source,
        example,
    )
    return f"def {row.name}({names}, /) -> Array:\n{text}\n    return {apply}\n"


def _operands(row: Elementwise) -> str:
    """Operands that fit the kinds of a row."""
    if row.kinds == (COMPLEX,):
        values = "1 + 2j, 3j"
    elif REAL in row.kinds:
        values = "1.0, 2.0" if row.operands == 1 else "6.0, 7.0"
    else:
        values = "True, False" if BOOL in row.kinds else "6, 7"
    second = {"True, False": ", True", "6, 7": ", 2", "6.0, 7.0": ", 2.0"}.get(values, "")
    return f"xarr.asarray([{values}])" + (second if row.operands == 2 else "")


_SIGNATURES = {
    "axis": "axis: Axis = None",
    "dtype": "dtype: DTypeLike = None",
    "correction": "correction: float = 0.0",
    "keepdims": "keepdims: bool = False",
    "ddof": "ddof: float | None = None",
    "include_initial": "include_initial: bool = False",
}
_PARAMETERS = {
    "axis": ["axis : int, tuple of int or None", "    The axes to reduce; None for all."],
    "one axis": ["axis : int or None", "    The axis; None for all elements in C order."],
    "scan axis": ["axis : int or None", "    The axis; None where x has one dimension."],
    "keepdims": ["keepdims : bool", "    Whether to keep the reduced axes, with extent 1."],
    "dtype": ["dtype : data type or None", "    The type to accumulate in and to return."],
    "correction": [
        "correction : float",
        "    What is subtracted from the number of elements that the sum of squares is divided by.",
    ],
    "ddof": ["ddof : float or None", "    NumPy's name of `correction`."],
    "include_initial": ["include_initial : bool", "    Begin with the value of no elements."],
}


def _reduction(row: Reduction) -> str:
    names = FORMS[row.form]
    signature = [_SIGNATURES[name] for name in names]
    parameters = [
        f"x : {KIND_WORDS[row.kinds]} Array, shape (...)",
        "    The operand; an expression is not stored, but computed on the way.",
    ]
    given = {name: f"{name}={name}" for name in names if name != "axis"}
    apply = "reduced"
    if row.form in ("axis", "scan"):
        signature[0] = "axis: int | None = None"
        names = ("one axis" if row.form == "axis" else "scan axis", *names[1:])
    if row.form == "scan":
        apply = "scanned"
    if "ddof" in given:
        del given["ddof"]
        given["correction"] = "correction=correction if ddof is None else ddof"
    for name in names:
        parameters += _PARAMETERS[name]
    rule = row.value if row.result.about == "x's" else row.result
    raises = [
        *("TypeError", "    If x has another dtype or is no Array."),
        "ValueError",
        "    If an axis is named twice"
        + ("." if row.empty is not None else ", or there are no elements."),
        *("IndexError", "    If an axis is out of range."),
    ]
    source = (
        f"{row.source} The order of operations, and so every bit of the result, is the same on "
    )
    text = _docstring(
        row.about,
        parameters,
        [f"Array of dtype {rule.about}", "    Its shape is that of the axes that are left."]
        if row.form != "scan"
        else [f"Array of dtype {rule.about}", "    Of the shape of x."],
        raises,
        source + "all devices.",
        [f">>> result = xarr.{row.name}({row.example or 'xarr.asarray([1, 2, 3])'})"],
    )
    options = ", ".join([f"rows.{row.name}", "x", "axis", *given.values()])
    return (
        f"@door\ndef {row.name}(x: Node, /, {', '.join(signature)}) -> Array:\n{text}\n"
        f"    return {apply}({options})\n"
    )


def _elementwise_chapter() -> str:
    body = [_elementwise(row) for row in sorted(_written(), key=lambda row: row.name)]
    head = _HEAD.format(about="Functions of each element by itself", table="elementwise")
    head += "from xarr.array.array import Array, ArrayLike\n"
    head += "from xarr.functions.applying import binary, unary\n"
    head += "from xarr.tables import elementwise as rows\n"
    return "\n\n".join([head, *body])


def _reduction_chapter() -> str:
    body = [_reduction(row) for row in sorted(reductions.TABLE, key=lambda row: row.name)]
    head = _HEAD.format(about="Reductions and scans", table="reductions")
    head += "from xarr.array.array import Array, Axis, DTypeLike\n"
    head += "from xarr.array.door import door\n"
    head += "from xarr.engine.expression import Node\n"
    head += "from xarr.functions.applying import reduced, scanned\n"
    head += "from xarr.tables import reductions as rows\n"
    return "\n\n".join([head, *body])


def _written() -> Iterator[Elementwise]:
    return (row for row in elementwise.TABLE if not row.by_hand)


def _names() -> str:
    """`xarr/__init__.py` with the rows' functions among its imports."""
    text = NAMES.read_text(encoding="utf-8")
    for chapter, rows in (("elementwise", list(_written())), ("reductions", reductions.TABLE)):
        names = sorted(row.name for row in rows)
        block = "".join(f"    {name} as {name},\n" for name in names)
        start = f"from xarr.functions.{chapter} import (\n"
        text = re.sub(f"{re.escape(start)}[^)]*\\)\n", f"{start}{block})\n", text)
    return _by_ruff(text, "check", "--select", "I", "--fix")


def written() -> dict[Path, str]:
    """The text of each file that follows from the rows."""
    return {
        CHAPTERS / "elementwise.py": _by_ruff(_elementwise_chapter(), "format"),
        CHAPTERS / "reductions.py": _by_ruff(_reduction_chapter(), "format"),
        NAMES: _names(),
    }


def _by_ruff(text: str, *arguments: str) -> str:
    """The text as ruff leaves it."""
    command = [sys.executable, "-m", "ruff", *arguments, "--quiet", "--stdin-filename", "x.py", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout


def main(arguments: Sequence[str]) -> int:
    """Write the files, or compare them."""
    status = 0
    for path, text in written().items():
        if "--write" in arguments:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            print(f"{path.relative_to(ROOT)} is not what the rows say: write it with --write")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
