"""Docstrings of ufuncs, made of their rows: parameters, data types, accuracy and an example."""

from __future__ import annotations

from typing import Final

import numpy

from xarr.dtypes import COMPLEX, KIND_WORDS, REAL
from xarr.functions.names import docstrings
from xarr.ops.rows import EXACT, Elementwise

_OPERANDS: Final = {
    **dict.fromkeys(("isfinite", "isinf", "isnan"), "xarr.asarray([1.0, -xarr.inf, xarr.nan])"),
    **dict.fromkeys(
        ("logical_and", "logical_or", "logical_xor"),
        "xarr.asarray([True, True, False]), xarr.asarray([True, False, False])",
    ),
    "conj": "xarr.asarray([1 + 2j, 3j])",
    "copysign": "xarr.asarray([1.0, -3.0]), -1.0",
    "deg2rad": "xarr.asarray([90.0, 180.0])",
    "heaviside": "xarr.asarray([-3.0, 0.0, 3.0]), 0.5",
    "lgamma": "xarr.asarray([0.5, 3.0])",
    "logical_not": "xarr.asarray([2, 0])",
    "nextafter": 'xarr.asarray([1.0, 3.0], dtype="float32"), 2.0',
    "rint": "xarr.asarray([1.0, 1.5, 2.5])",
    "spacing": 'xarr.asarray([1.0, 1024.0], dtype="float32")',
    "tgamma": "xarr.asarray([5.0, 6.0])",
}
"""The operands in examples, where those that fit the kinds of a row show little."""


def docstring_of(row: Elementwise, annotations: dict[str, str]) -> str:
    """The text of `help` for a function that is a row."""
    pair = row.operands == 2
    names, given = ("x1, x2", "The operands") if pair else ("x", "The operand")
    one = "Arrays, numbers, lists of numbers or NumPy arrays"
    one = one if pair else "an Array, a number, a list of numbers or a NumPy array"
    shape = "shapes that broadcast to (...)" if pair else "shape (...)"
    unit, result = f", {row.unit}" if row.unit else "", ""
    if row.unit.startswith("result "):
        unit, result = "", f", {row.unit.removeprefix('result ')}"
    made = {
        "same": "the data type that the operands promote to" if pair else "the data type of x",
        "bool": "data type bool",
        "real": "the data type of x; real for a complex x",
    }[row.result]
    floats = (
        "; integers give a floating-point type"
        if row.floats_integers and made != "data type bool"
        else ""
    )
    text = f"""{row.about}

Parameters
----------
{names} : {KIND_WORDS[row.kinds]} Array, {shape}
    {given}{unit}: {one}.

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
    """A call and what it gives: the values, to three decimals unless they are float32's own."""
    call = f"{row.name}({_OPERANDS.get(row.name) or _operands(row)})"
    function = row.reference or getattr(numpy, row.name)
    with numpy.errstate(all="ignore"):
        result = eval(call, {row.name: function, "xarr": numpy})
    short = result if numpy.asarray(result).dtype.kind in "biu" else numpy.round(result, 3)
    if numpy.array_equal(result, short) or "float32" in call:
        return f">>> xarr.{call}.tolist()\n{numpy.asarray(result).tolist()!r}"
    return f">>> print(xarr.{call}.round(3))\n{short}"


def _operands(row: Elementwise) -> str:
    """Operands that fit the kinds of a row."""
    if row.kinds == (COMPLEX,):
        values = "1 + 2j, 3j"
    elif REAL not in row.kinds:
        values = "6, 13"
    elif row.operands == 2:
        values = "1.0, 2.0, 3.0"
    elif (row.domain.low, row.domain.ulp) == (EXACT.low, 0):
        values = "-1.5, 2.5"
    else:
        values = "0.25, 0.5" if row.domain.high <= 1 else "1.0, 2.0"
    second = ", 2.0" if REAL in row.kinds else ", 2"
    return f"xarr.asarray([{values}])" + (second if row.operands == 2 else "")
