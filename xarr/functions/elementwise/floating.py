"""Floating-point numbers taken apart and put together, and what is done with their odd values."""

from __future__ import annotations

from typing import Any, Final

import numpy

from xarr import dtypes
from xarr.array.array import Array, ArrayLike, DTypeLike, Out
from xarr.array.conversion import as_array
from xarr.array.door import SCALARS, array_of, together
from xarr.array.operands import scalar_node
from xarr.array.outcome import Outs, delivered, require_shape
from xarr.backends.device import default_float
from xarr.core.tape import Node, constant
from xarr.dtypes import BOOL, COMPLEX, FLOATING, INTEGER, REAL
from xarr.engine import engine
from xarr.errors import type_error
from xarr.functions.elementwise import elementwise
from xarr.functions.elementwise.ufuncs import universal
from xarr.tables import elementwise as rows
from xarr.tables.rows import Elementwise, choose, name_rows

exponent: Final = Elementwise((REAL,), "xr_exponent(x)", "The exponent of x.")
significand: Final = Elementwise((REAL,), "xr_significand(x)", "The significand of x.")
scaled: Final = Elementwise((REAL,), "xr_ldexp(x1, x2)", "x1 times 2 to the power of x2.")
fraction: Final = Elementwise((REAL,), "xr_modf(x)", "The fraction of x.")
_ROWS: Final = name_rows(vars(), Elementwise)


@universal(nin=1, nout=2)
def frexp(
    x: ArrayLike,
    /,
    out: Outs = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> tuple[Array, Array]:
    """The significand and the exponent of x: x is m * 2**e, with 0.5 <= abs(m) < 1.

    -> tuple of Array, shape (...)
        The significands, of the floating-point dtype of x, and the exponents, int32.

    >>> [part.tolist() for part in xarr.frexp(xarr.asarray([1.0, 6.0]))]
    [[0.5, 0.75], [1, 3]]
    """
    node = array_of(x, "frexp(x)")._node
    parts = significand.applied(node), exponent.applied(node)
    return Array(parts[0]), Array(engine.converted(parts[1], dtypes.int32))


@universal(nin=1, nout=2)
def modf(
    x: ArrayLike,
    /,
    out: Outs = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> tuple[Array, Array]:
    """The fraction and the whole part of x, both with its sign, and of its floating-point dtype.

    >>> [part.tolist() for part in xarr.modf(xarr.asarray([1.5, -2.25]))]
    [[0.5, -0.25], [1.0, -2.0]]
    """
    part = fraction.applied(array_of(x, "modf(x)")._node)
    whole = rows.trunc.applied(engine.converted(array_of(x, "modf(x)")._node, part.dtype))
    return Array(part), Array(whole)


@universal(nin=2, is_mixed=True)
def ldexp(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """x1 times 2 to the power of x2, rounded once.

    x1 : real numeric Array, shape (...) -- The numbers; the result has their floating-point dtype.
    x2 : integer Array, shape (...) -- The exponents.

    >>> xarr.ldexp(xarr.asarray([0.5, 0.75]), xarr.asarray([1, 3])).tolist()
    [1.0, 6.0]
    """
    where_named = "ldexp(x1, x2)"
    device = next((value.device for value in (x1, x2) if type(value) is Array), None)
    first, second = (
        value if type(value) is Array else as_array(value, where_named, name, device=device)
        for name, value in (("x1", x1), ("x2", x2))
    )
    if second._node.dtype.kind not in (*INTEGER, BOOL):
        fault = f"x2 has dtype {second._node.dtype}"
        raise type_error(where_named, fault, "integer dtypes are accepted", "write x1 * 2**x2")
    node = first._node if first._node.dtype.kind in FLOATING else _floating(first)
    power = engine.converted(second._node, dtypes.float32)
    return Array(scaled.combined(node, engine.converted(power, node.dtype), where_named))


@universal(nin=2)
def float_power(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    where: ArrayLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike = None,
    subok: bool = True,
) -> Array:
    """x1 to the power of x2, in the widest floating-point dtype, real or complex.

    x1, x2 : numeric Array, shapes that broadcast to (...) -- The operands.

    >>> xarr.float_power(xarr.asarray([2, 3]), 2).tolist()
    [4.0, 9.0]
    """
    first, second = together(x1, x2, "float_power(x1, x2)")
    wide = default_float(first.device)
    if first.dtype.kind == COMPLEX:
        wide = dtypes.COMPLEX_OF[wide]
    first, second = engine.converted(first, wide), engine.converted(second, wide)
    return Array(rows.pow.combined(first, second, "float_power(x1, x2)"))


def _floating(x: Array) -> Node:
    """Integers in the floating-point type that functions compute them in."""
    operation = rows.fabs._resolve((x._node,))
    return engine.converted(x._node, operation.operands[0])


def _real(x: ArrayLike, where: str) -> Array:
    """An operand that is not complex."""
    array = array_of(x, where)
    if array._node.dtype.kind == COMPLEX:
        given = f"x has dtype {array._node.dtype}"
        raise type_error(where, given, "real dtypes are accepted", "take x.real")
    return array


def isneginf(x: ArrayLike, out: Out = None) -> Array:
    """Whether x is negative infinity: bools.

    >>> xarr.isneginf(xarr.asarray([-xarr.inf, 0.0, xarr.inf])).tolist()
    [True, False, False]
    """
    x = _real(x, "isneginf(x)")
    return delivered(elementwise.isinf(x) & (x < 0), out, "isneginf(x, out)")


def isposinf(x: ArrayLike, out: Out = None) -> Array:
    """Whether x is positive infinity: bools.

    >>> xarr.isposinf(xarr.asarray([-xarr.inf, 0.0, xarr.inf])).tolist()
    [False, False, True]
    """
    x = _real(x, "isposinf(x)")
    return delivered(elementwise.isinf(x) & (x > 0), out, "isposinf(x, out)")


def fix(x: ArrayLike, out: Out = None) -> Array:
    """The integer next to x towards 0, in the dtype of x, as `trunc`.

    >>> xarr.fix(xarr.asarray([1.7, -1.7])).tolist()
    [1.0, -1.0]
    """
    return elementwise.trunc(x, out)


def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Array:
    """Numbers in place of NaN and of infinities.

    copy : bool -- Whether the result is a new array; else x is changed, and returned.
    nan, posinf, neginf : float, optional -- What stands in the place of NaN, and of the infinities;
        the largest and the smallest number of the dtype where None.

    >>> xarr.nan_to_num(xarr.asarray([xarr.nan, 2.0])).tolist()
    [0.0, 2.0]
    """
    array = array_of(x, "nan_to_num(x)")
    node = array._node
    if node.dtype.kind == COMPLEX:
        real, imag = (
            Array(_finite(part.applied(node), nan, posinf, neginf))
            for part in (rows.real, rows.imag)
        )
        result = real + imag * 1j
    elif node.dtype.kind == REAL:
        result = Array(_finite(node, nan, posinf, neginf))
    else:
        result = array.copy() if copy else array
    if copy or result is array:
        return result
    return delivered(result, array, "nan_to_num(x, copy)")


def _finite(node: Node, nan: Any, posinf: Any, neginf: Any) -> Node:
    """A real node with numbers in place of what is none."""
    where = "nan_to_num(x, nan)"
    info = numpy.finfo(node.dtype.numpy)
    zero = constant(0.0, node.dtype, (), node.device)
    infinite = rows.isinf.applied(node)
    above = rows.logical_and.combined(infinite, rows.greater.combined(node, zero))
    for condition, value in (
        (rows.isnan.applied(node), nan),
        (above, float(info.max) if posinf is None else posinf),
        (
            rows.logical_and.combined(infinite, rows.less.combined(node, zero)),
            float(info.min) if neginf is None else neginf,
        ),
    ):
        if type(value) in SCALARS:
            number = scalar_node(float(value), node.dtype, node.device, where)
        else:
            values = as_array(value, where, "nan", dtype=node.dtype, device=node.device)
            require_shape(values.shape, node.shape, where)
            number = values._node
        node = choose(condition, number, node)
    return node
