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
from types import ModuleType

import numpy

from tests.processes import ROOT

if "xarr" not in sys.modules:
    # The rows are read without `xarr/__init__.py`, which may name what is not written yet.
    package = ModuleType("xarr")
    package.__path__ = [str(ROOT / "xarr")]
    sys.modules["xarr"] = package

from xarr.dtypes import BOOL, COMPLEX, KIND_WORDS, REAL, SIGNED
from xarr.tables import elementwise, fills, fourier, reductions
from xarr.tables.fills import Fill
from xarr.tables.fourier import Transform
from xarr.tables.rows import FORMS, STANDARD, Elementwise, Reduction

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
        names, apply = "x1: ArrayLike,\n    x2: ArrayLike", f"binary(rows.{row.name}, x1, x2)"
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
    parameters += _OPTIONS
    result = {
        "same": "the type that the operands promote to",
        "bool": "bool",
        "real": "the type of x, or of the parts of a complex x",
    }[row.result]
    remark = "; integers are computed in floating point" if row.floats_integers else ""
    example = _example(row, row.example or _operands(row))
    text = _docstring(
        row.about,
        parameters,
        ["Array, shape (...)", f"    Of dtype {result}{remark}."],
        raises,
        row.source,
        example,
    )
    return (
        f"@universal(rows.{row.name})\ndef {row.name}(\n    {names},\n    /,\n"
        f"    out: Out = None,\n    *,\n    where: ArrayLike = True,\n"
        f'    casting: str = "same_kind",\n    order: str = "K",\n    dtype: DTypeLike = None,\n'
        f"    subok: bool = True,\n) -> Array:\n{text}\n    return {apply}\n"
    )


_OPTIONS = [
    "out : Array, optional",
    "    Where the result goes.",
    "where : bool Array, optional",
    "    Where it goes there; elsewhere `out` keeps its elements.",
    "dtype, casting : data type, str, optional",
    "    What to compute in, and how operands and result may be converted.",
    "order, subok : optional",
    "    NumPy's; of no effect.",
]


def _example(row: Elementwise | Reduction, operands: str) -> list[str]:
    """A call and what it gives: the values where four decimals hold them, else their shape."""
    call = f"{row.name}({operands})"
    function = row.reference or getattr(numpy, row.name)
    with numpy.errstate(all="ignore"):
        result = eval(call, {row.name: function, "xarr": numpy})
    short = result if numpy.asarray(result).dtype.kind in "biu" else numpy.round(result, 4)
    if numpy.array_equal(result, short):
        return [f">>> xarr.{call}.tolist()", repr(numpy.asarray(result).tolist())]
    return [f">>> xarr.{call}.shape", repr(numpy.shape(result))]


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
    "out": "out: Out = None",
    "correction": "correction: float = 0.0",
    "keepdims": "keepdims: bool = False",
    "ddof": "ddof: float | None = None",
    "initial": "initial: ArrayLike | None = None",
    "where": "where: ArrayLike = True",
    "mean": "mean: ArrayLike | None = None",
    "include_initial": "include_initial: bool = False",
}
_PARAMETERS = {
    "axis": ["axis : int, tuple of int or None", "    The axes to reduce; None for all."],
    "one axis": ["axis : int or None", "    The axis; None for all elements in C order."],
    "scan axis": ["axis : int or None", "    The axis; None where {} has one dimension."],
    "keepdims": ["keepdims : bool", "    Whether to keep the reduced axes, with extent 1."],
    "dtype": ["dtype : data type or None", "    The type to accumulate in and to return."],
    "out": ["out : Array, optional", "    Where the result goes; of its shape."],
    "initial": ["initial : number, optional", "    What stands in front of the elements."],
    "where": ["where : bool Array, optional", "    Which elements take part."],
    "mean": ["mean : Array, optional", "    The mean, if it is known, with the axes kept."],
    "correction": [
        "correction : float",
        "    What is subtracted from the number of elements that the sum of squares is divided by.",
    ],
    "ddof": ["ddof : float or None", "    NumPy's name of `correction`; one of them is given."],
    "include_initial": ["include_initial : bool", "    Begin with the value of no elements."],
}
_KEYWORDS = {
    "axes": "where",
    "axes, mean": "where",
    "axes, correction": "where",
    "axis": "keepdims",
}
"""The first parameter that has to be named, as in NumPy, by the form."""
_CALLED = {
    "axes, mean": "averaged(rows.{}, node, axis, dtype, out, keepdims, where)",
    "axes, correction": (
        "spread(rows.{}, node, axis, dtype, out, ddof, keepdims, where, mean, correction)"
    ),
}
"""What computes a reduction that is more than its row."""


def _reduction(row: Reduction) -> str:
    names, operand = FORMS[row.form], row.operand
    signature = [_SIGNATURES[name] for name in names]
    if row.form in _KEYWORDS:
        signature.insert(names.index(_KEYWORDS[row.form]), "*")
    parameters = [
        f"{operand} : {KIND_WORDS[row.kinds]} Array, shape (...)",
        "    The operand; an expression is not stored, but computed on the way.",
    ]
    given = [f"{_PASSED.get(name, name)}={name}" for name in names if name != "axis"]
    options = ", ".join([f"rows.{row.name}", "node", "axis", *given])
    apply = _CALLED.get(row.form, "reduced({options})").format(row.name, options=options)
    if row.form in ("axis", "scan"):
        signature[0] = "axis: SupportsIndex | None = None"
        names = ("one axis" if row.form == "axis" else "scan axis", *names[1:])
    if row.form == "scan":
        apply = f"scanned({options})"
    for name in names:
        parameters += [line.format(operand) for line in _PARAMETERS[name]]
    rule = row.value.about if row.result.about == "x's" else row.result.about
    rule = rule.replace("x's", f"{operand}'s")
    if row.map is not None and row.map.result == "real":
        rule += f", or of the parts of a complex {operand}"
    raises = [
        *("TypeError", f"    If {operand} has another dtype, or can be made no array."),
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
        [f"Array of dtype {rule}", "    Its shape is that of the axes that are left."]
        if row.form != "scan"
        else [f"Array of dtype {rule}", f"    Of the shape of {operand}."],
        raises,
        source + "all devices.",
        _example(row, row.example or _elements(row)),
    )
    named = "x: ArrayLike, /" if row.form == "scan" else "a: ArrayLike"
    return (
        f"def {row.name}({named}, {', '.join(signature)}) -> Array:\n{text}\n"
        f'    node = taken({operand}, "{row.name}({operand})")\n    del {operand}\n'
        f"    return {apply}\n"
    )


_PASSED = {"where": "mask"}
"""What a function calls its parameter where it hands it on, if something else."""


def _elements(row: Reduction) -> str:
    return "xarr.asarray([1, 2, 3])" if SIGNED in row.kinds else "xarr.asarray([1.0, 2.0])"


_LIKE = ["like : object, optional", "    Not used; an argument of NumPy's."]


def _fill(row: Fill) -> str:
    given = "prototype" if row.name == "empty" else "a"  # NumPy's words
    name, kind = row.name, row.about.partition(" ")[2].partition(";")
    raises = ["ValueError", "    If an extent is negative."]
    raises += ["TypeError", "    If shape is not made of integers, or the device lacks dtype."]
    source = f"{STANDARD}, creation functions;"
    shown = str([row.value, row.value])
    text = _docstring(
        f"Make {row.about}.",
        [
            *("shape : int or tuple of int", "    The shape."),
            "dtype : dtype, optional",
            "    The data type; the device's default floating-point one where None.",
            'order : {"C", "F"}, optional',
            "    Which index runs fastest in memory: the last, or as in Fortran the first.",
            *("device : Device, str or None", "    The device; the default device where None."),
            *_LIKE,
        ],
        ["Array, of the given shape", f"    {row.values}"],
        raises,
        f"{source} dtype may also be positional, as in NumPy, and order and like are NumPy's.",
        [f'>>> xarr.{name}(2, dtype="int8").tolist()', shown],
    )
    like = _docstring(
        f"Make an array like another array,{kind[0].removeprefix('array')}{''.join(kind[1:])}.",
        [
            f"{given} : Array, shape (...)",
            "    The array whose shape, dtype and device are taken.",
            *("dtype : dtype, optional", "    The data type, if another one."),
            'order : {"C", "F", "A", "K"}, optional',
            "    How the elements lie in memory: in C order, in Fortran's, or as they do there.",
            *("subok : bool", "    Not used, since arrays have no subclasses."),
            *("shape : int or tuple of int, optional", "    The shape, if another one."),
            *("device : Device, str or None", "    The device, if another one."),
        ],
        ["Array, shape (...)", f"    {row.values}"],
        raises[2:],
        f"{source} order, subok and shape are NumPy's.",
        [f">>> xarr.{name}_like(xarr.asarray([1, 2])).tolist()", shown],
    )
    return (
        f"def {name}(\n    shape: ShapeLike,\n    dtype: DTypeLike = None,\n"
        '    order: str | None = "C",\n    *,\n    device: DeviceLike = None,\n'
        f"    like: Any = None,\n) -> Array:\n{text}\n"
        f'    return filled({row.value}, shape, dtype, device, "{name}(shape)", order)\n\n\n'
        f"def {name}_like(\n    {given}: ArrayLike,\n    dtype: DTypeLike = None,\n"
        '    order: str | None = "K",\n    subok: bool = True,\n'
        f"    shape: ShapeLike | None = None,\n    *,\n    device: DeviceLike = None,\n"
        f") -> Array:\n{like}\n"
        f"    return filled_like({given}, {row.value}, dtype, shape, device, "
        f'"{name}_like({given})", order)\n'
    )


def _transform(row: Transform) -> str:
    kinds = {"real": "real floating-point", "complex": "floating-point"}
    if row.many:
        axes = "(-2, -1)" if row.plane else "None"
        signature = (
            "s: Sequence[SupportsIndex] | None = None, "
            f"axes: Sequence[SupportsIndex] | None = {axes}"
        )
        lengths = [
            "s : sequence of int, optional",
            "    The lengths of the signal along `axes`, which has to be given as well; -1 is the",
            "    operand's own. The operand is cut, or padded with zeros.",
            "axes : sequence of int, optional",
            "    The axes" + ("." if row.plane else "; all of them where None."),
        ]
        shape = {"real": (4, 2), "complex": (4, 3)}[row.given]
        operand, shape = "xarr.ones((4, 3))", (4, 4) if row.made == "real" else shape
        apply = f"over_axes(rows.{row.name}, a, s, axes, norm, out)"
    else:
        signature = "n: SupportsIndex | None = None, axis: SupportsIndex = -1"
        lengths = [
            "n : int, optional",
            "    The length of the signal along the axis; the operand's own where None. The",
            "    operand is cut, or padded with zeros.",
            "axis : int, optional",
            "    The axis.",
        ]
        extent = 8 if row.made == "real" else 3 if row.given == "real" else 5
        operand, shape = "xarr.ones(5)", (extent,)
        apply = f"along_axis(rows.{row.name}, a, n, axis, norm, out)"
    text = _docstring(
        row.about,
        [
            f"a : {kinds[row.given]} Array, shape (...)",
            "    The operand. Integers become the default floating-point dtype, float16 float32.",
            *lengths,
            'norm : {"backward", "ortho", "forward"}, optional',
            "    Which direction divides by the number of elements: the inverse one, both by its",
            "    square root, or the forward one.",
            *("out : Array, optional", "    Where the result is written."),
        ],
        [f"{row.made} floating-point Array", "    Of the precision of a."],
        [
            *("ValueError", "    If a length is below 1, or `norm` is not known."),
            *("AxisError", "    If an axis is out of range."),
            *("TypeError", "    If a is no array, or of a dtype that is not accepted."),
        ],
        ("NumPy's function" if row.plane else f"{STANDARD}, extension fft; out is NumPy's")
        + ". Any length is computed in O(n log n).",
        [f">>> xarr.fft.{row.name}({operand}).shape", str(shape)],
    )
    return (
        f'def {row.name}(a: ArrayLike, {signature}, norm: Norm | None = "backward", '
        "out: Any = None) -> Array:\n"
        f"{text}\n    return {apply}\n"
    )


def _transform_chapter() -> str:
    head = _HEAD.format(about="Discrete Fourier transforms", table="fourier")
    head += "from collections.abc import Sequence\nfrom typing import Any, SupportsIndex\n\n"
    head += "from xarr.array.array import Array, ArrayLike\n"
    head += "from xarr.functions.fourier import Norm, along_axis, over_axes\n"
    head += "from xarr.tables import fourier as rows\n"
    return "\n\n".join([head, *map(_transform, fourier.TABLE)])


def _fill_chapter() -> str:
    head = _HEAD.format(about="Arrays of one value", table="fills")
    head += "from typing import Any\n\n"
    head += "from xarr.array.array import Array, ArrayLike, DeviceLike, DTypeLike, ShapeLike\n"
    head += "from xarr.functions.creation import filled, filled_like\n"
    return "\n\n".join([head, *map(_fill, fills.TABLE)])


def _elementwise_chapter() -> str:
    body = [_elementwise(row) for row in sorted(_written(), key=lambda row: row.name)]
    head = _HEAD.format(about="Functions of each element by itself", table="elementwise")
    head += "from xarr.array.array import Array, ArrayLike, DTypeLike\n"
    head += "from xarr.array.outcome import Out\n"
    head += "from xarr.functions.applying import binary, unary\n"
    head += "from xarr.functions.ufuncs import universal\n"
    head += "from xarr.tables import elementwise as rows\n"
    return "\n\n".join([head, *body])


def _reduction_chapter() -> str:
    body = [_reduction(row) for row in sorted(reductions.TABLE, key=lambda row: row.name)]
    head = _HEAD.format(about="Reductions and scans", table="reductions")
    head += "from typing import SupportsIndex\n\n"
    head += "from xarr.array.array import Array, ArrayLike, Axis, DTypeLike\n"
    head += "from xarr.array.door import taken\n"
    head += "from xarr.array.outcome import Out\n"
    head += "from xarr.functions.applying import reduced, scanned\n"
    head += "from xarr.functions.moments import averaged, spread\n"
    head += "from xarr.tables import reductions as rows\n"
    return "\n\n".join([head, *body])


def _written() -> Iterator[Elementwise]:
    return (row for row in elementwise.TABLE if not row.by_hand)


def _names() -> str:
    """`xarr/__init__.py` with the rows' functions among its imports."""
    text = NAMES.read_text(encoding="utf-8")
    chapters = {
        "elementwise": [row.name for row in _written()],
        "fills": [name for row in fills.TABLE for name in (row.name, f"{row.name}_like")],
        "reductions": [row.name for row in reductions.TABLE],
    }
    for chapter, names in chapters.items():
        block = "".join(f"    {name} as {name},\n" for name in names)
        start = f"from xarr.functions.{chapter} import (\n"
        text = re.sub(f"{re.escape(start)}[^)]*\\)\n", f"{start}{block})\n", text)
    return _by_ruff(text, "check", "--select", "I", "--fix")


def written() -> dict[Path, str]:
    """The text of each file that follows from the rows."""
    return {
        CHAPTERS / "elementwise.py": _by_ruff(_elementwise_chapter(), "format"),
        CHAPTERS / "fft.py": _by_ruff(_transform_chapter(), "format"),
        CHAPTERS / "fills.py": _by_ruff(_fill_chapter(), "format"),
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
