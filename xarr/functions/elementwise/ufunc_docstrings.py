"""Docstrings of ufuncs, made of their rows: parameters, data types, accuracy and an example."""

from __future__ import annotations

import numpy

from xarr.dtypes import BOOL, COMPLEX, KIND_WORDS, REAL
from xarr.functions.names import docstrings
from xarr.ops.rows import Elementwise


def docstring_of(row: Elementwise, annotations: dict[str, str]) -> str:
    """The text of `help` for a function that is a row."""
    pair = row.operands == 2
    names, given = ("x1, x2", "The operands") if pair else ("x", "The operand")
    shape = "shapes that broadcast to (...)" if pair else "shape (...)"
    unit, result = f"{',' * pair} {row.unit}" if row.unit else "", ""
    if row.unit.startswith("result "):
        unit, result = "", f", {row.unit.removeprefix('result ')}"
    made = {
        "same": "the data type that the operands promote to" if pair else "the data type of x",
        "bool": "data type bool",
        "real": "the data type of x, or of the parts of a complex x",
    }[row.result]
    floats = "; floating-point for integers" if row.floats_integers else ""
    text = f"""{row.about}

Parameters
----------
{names} : {KIND_WORDS[row.kinds]} Array, {shape}
    {given}{unit}; also numbers, lists of numbers and NumPy arrays.

Returns
-------
Array, shape (...)
    Of {made}{result}{floats}.

Raises
------
TypeError
    If an operand cannot be converted to an array, or its data type is not supported.
ValueError
    If the shapes do not broadcast, or the devices differ.

{_example(row)}"""
    return docstrings.completed(row.name, text, annotations, row.source)


def _example(row: Elementwise) -> str:
    """A call and what it gives: the values, to three decimals unless these say nothing."""
    call = f"{row.name}({row.example or _operands(row)})"
    function = row.reference or getattr(numpy, row.name)
    with numpy.errstate(all="ignore"):
        result = eval(call, {row.name: function, "xarr": numpy})
    short = result if numpy.asarray(result).dtype.kind in "biu" else numpy.round(result, 3)
    if numpy.array_equal(result, short):
        return f">>> xarr.{call}.tolist()\n{numpy.asarray(result).tolist()!r}"
    if numpy.array_equal(short, numpy.round(short)):  # as of `spacing`
        return f">>> xarr.{call}.shape\n{numpy.shape(result)!r}"
    return f">>> print(xarr.{call}.round(3))\n{short}"


def _operands(row: Elementwise) -> str:
    """Operands that fit the kinds of a row."""
    if row.kinds == (COMPLEX,):
        values = "1 + 2j, 3j"
    elif REAL in row.kinds:
        within = "0.25, 0.5" if row.domain.high <= 1 else "1.0, 2.0"
        values = within if row.operands == 1 else "6.0, 7.0"
    else:
        values = "True, False" if BOOL in row.kinds else "6, 7"
    second = {"True, False": ", True", "6, 7": ", 2", "6.0, 7.0": ", 2.0"}.get(values, "")
    return f"xarr.asarray([{values}])" + (second if row.operands == 2 else "")
