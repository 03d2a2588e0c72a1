"""The table of elementwise functions.

A row is a whole function: its name, the kinds of data type it takes, the C expression it computes,
the operator it stands behind, one line about it, and how it is tested. The public function with
its signature and docstring, the operators, the tests, the documentation's table and the benchmark
come from the row. In an expression `x`, or `x1` and `x2`, are the operands, of one common type; a
function `xr_name(...)` is the one in `kernels/` for that type.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy

from xarr import dtypes, errors
from xarr.array.array import (
    FUNCTIONS,
    Array,
    assign,
    attach,
    default_float,
    is_whole,
    lone,
    no_array,
    operand,
    promoted,
    rebind,
    require_common,
    require_writeable,
    scalar_node,
    settled,
    together,
    widened,
)
from xarr.backends.device import Device
from xarr.compiler import source
from xarr.dtypes import (
    ANY,
    BOOL,
    COMPLEX,
    FLOATING,
    INTEGER,
    KIND_WORDS,
    NUMERIC,
    REAL,
    REAL_NUMERIC,
    SIGNED,
    UNSIGNED,
    DType,
)
from xarr.engine import engine
from xarr.engine.expression import Node, Operation, constant
from xarr.layout import broadcast_shapes

INTEGER_OR_BOOL: Final = (BOOL, SIGNED, UNSIGNED)

_SAME: Final = "same"  # the common type of the operands
_TRUTH: Final = "bool"
_PARTS: Final = "real"  # the type of the parts of a complex operand, else the operand's


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """Where tests and examples draw operands from, and how far a result may be off.

    `ulp` is in units of the last place of a real result, `complex_ulp` in those of the larger part
    of a complex one.
    """

    low: float = -1e3
    high: float = 1e3
    ulp: float = 0.0
    complex_ulp: float = 0.0


EXACT: Final = Domain()


@dataclass(slots=True, eq=False)
class Elementwise:
    """A function of each element by itself.

    Parameters
    ----------
    name : str
        The standard's name.
    kinds : tuple of str
        The kinds of data type it takes. Integers are converted to floating point where a function
        takes floating point only, as NumPy does.
    expression : str
        The C expression, for all types that have no other one.
    integer, boolean, complex : str
        The C expression for these kinds, where it differs.
    result : "same", "bool" or "real"
        The type of the result: the operands' common one, bool, or that of a complex number's parts.
    operator : str
        The name of the special method without its underscores, "" for none.
    unit : str
        Unit of operand or result, where there is one.
    about : str
        The first line of the docstring.
    domain : Domain
        What tests draw operands from and how far a result may be off.
    source : str
        Where the function is defined, as its docstring says.
    """

    name: str
    kinds: tuple[str, ...]
    expression: str
    about: str
    integer: str = ""
    boolean: str = ""
    complex: str = ""
    result: str = _SAME
    operator: str = ""
    unit: str = ""
    domain: Domain = EXACT
    source: str = "Python Array API standard 2025.12, element-wise functions."

    operations: tuple[dict[Any, Operation], dict[Any, Operation]] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.operations = ({}, {})  # by whether the device is narrow, then by the operands' types

    @property
    def operands(self) -> int:
        """How many operands the function has."""
        return 2 if "x2" in self.expression else 1

    @property
    def where(self) -> str:
        """The function with its arguments, as errors name it."""
        return f"{self.name}(x1, x2)" if self.operands == 2 else f"{self.name}(x)"

    # -- calling ------------------------------------------------------------------------------

    def unary(self, x: Array) -> Array:
        """Apply to one array, or to what can be made one."""
        node = x._node if type(x) is Array else self._lone("x", x)._node
        operation = self.operations[node.device.narrow].get(node.dtype) or self._resolve((node,))
        return Array(engine.defer(operation, (node,), node.shape))

    def binary(self, x1: Any, x2: Any) -> Array:
        """Apply to two operands; where neither is an array, the first is made one."""
        if type(x1) is not Array and type(x2) is not Array:
            x1 = self._lone("x1", x1)
        result = self._combined(x1, x2)
        if result is None:
            raise self._refusal(*(("x1", x1) if type(x1) is not Array else ("x2", x2)))
        return Array(result)

    def _combined(self, x1: Any, x2: Any) -> Node | None:
        """The node of both operands together; None where one cannot be an operand."""
        first: Node | None
        second: Node | None
        if type(x1) is Array:
            first = x1._node
            if type(x2) is Array and x2._node.device is first.device:
                second = x2._node
            else:
                second = self._beside(x2, first)
                if second is None:
                    return self._beyond(first, x2, swapped=False)
                first = widened(first, second, x2)
        elif type(x2) is Array:
            second = x2._node
            first = self._beside(x1, second)
            if first is None:
                return self._beyond(second, x1, swapped=True)
            second = widened(second, first, x1)
        else:
            return None
        return self.applied(first, second, self.where)

    def applied(self, first: Node, second: Node, where: str) -> Node:
        """The node of two operands together, for a function that errors of shape name."""
        operation = self.operations[first.device.narrow].get(
            (first.dtype, second.dtype)
        ) or self._resolve((first, second))
        shape = first.shape
        if second.shape != shape:
            shape = broadcast_shapes(shape, second.shape, where=where)
        return engine.defer(operation, (first, second), shape)

    def _beside(self, value: Any, other: Node) -> Node | None:
        """The node of an operand beside an array's; None where it is none, or compares beyond."""
        if type(value) is int and other.dtype.kind in INTEGER:
            low, high = dtypes.integer_bounds(other.dtype)
            if not low <= value <= high:
                if self.result == _TRUTH:
                    return None
                if SIGNED not in self.kinds and REAL in self.kinds:
                    row = self._floating(other.dtype, other.device)
                    return scalar_node(float(value), row, other.device, self.where)
        return operand(value, other, self.where)

    def _floating(self, row: DType, device: Device) -> DType:
        """The type that integers of type `row` are converted to."""
        row = default_float(device) if self.name == "divide" else dtypes.as_floating(row)
        if row in dtypes.NEEDS_FLOAT64 and not device.info.has_float64:
            return dtypes.float32
        return row

    def _beyond(self, node: Node, value: Any, *, swapped: bool) -> Node | None:
        """What comparing with a Python integer that the array's type cannot hold gives."""
        if self.result != _TRUTH or type(value) is not int:
            return None
        less = self.name.startswith("less") is not swapped
        truth = self.name == "not_equal"
        if self.name not in ("equal", "not_equal"):
            truth = less is (value > 0)
        return constant(truth, dtypes.bool_, node.shape, node.device)

    def in_place(self, x1: Array, x2: Any) -> Array:
        """Apply with the result written to the first operand."""
        name = f"{self.name}(x1, x2), in place"
        require_writeable(x1, name)
        result = self._combined(x1, x2)
        if result is None:
            raise self._refusal("x2", x2)
        return stored_in_place(x1, result, name)

    # -- data types ---------------------------------------------------------------------------

    def _resolve(self, nodes: tuple[Node, ...]) -> Operation:
        """The operation for the operands' data types; remembered."""
        row = nodes[0].dtype
        for node in nodes[1:]:
            row = dtypes.promote(row, node.dtype)
        device = nodes[0].device
        kinds = self.kinds
        if row.kind not in kinds:
            if row.kind in INTEGER_OR_BOOL and REAL in kinds and SIGNED not in kinds:
                row = self._floating(row, device)
            else:
                raise self._dtype_error(nodes)
        require_common(row, [node.dtype for node in nodes], device, self.where)
        operation = self.operation(row, len(nodes))
        key = nodes[0].dtype if len(nodes) == 1 else (nodes[0].dtype, nodes[1].dtype)
        self.operations[device.narrow][key] = operation
        return operation

    def operation(self, row: DType, operands: int) -> Operation:
        """What the function computes for operands of one data type."""
        expression = self.expression
        if row.kind in INTEGER and self.integer:
            expression = self.integer
        elif row.kind == BOOL and (self.boolean or self.integer):
            expression = self.boolean or self.integer
        elif row.kind == COMPLEX and self.complex:
            expression = self.complex
        result = row
        if self.result == _TRUTH:
            result = dtypes.bool_
        elif self.result == _PARTS:
            result = dtypes.PART.get(row, row)
        template = template_of(expression, row)
        if result.kind != COMPLEX:
            template = f"({result.compute})({template})"
        return Operation(self.name, (row,) * operands, result, template)

    def _dtype_error(self, nodes: tuple[Node, ...]) -> TypeError:
        names = ["x"] if len(nodes) == 1 else ["x1", "x2"]
        given = list(zip(names, nodes, strict=True))
        wrong = [(name, node) for name, node in given if node.dtype.kind not in self.kinds]
        return TypeError(
            errors.message(
                self.where,
                " and ".join(f"{name} has dtype {node.dtype}" for name, node in wrong or given),
                f"{self.name} takes {KIND_WORDS[self.kinds]} dtypes",
                self._remedy(*wrong[0]) if wrong else "convert both to one dtype with astype",
            )
        )

    def _remedy(self, name: str, node: Node) -> str:
        """What to do with an operand whose dtype the function does not take."""
        if node.dtype.kind == COMPLEX and self.kinds != (BOOL,):
            return f"take {name}.real or {name}.imag"
        wanted = "bool" if self.kinds == (BOOL,) else "int32" if SIGNED in self.kinds else "float32"
        if self.kinds == (COMPLEX,):
            floating = dtypes.COMPLEX_OF.get(node.dtype)
            wanted = (floating or dtypes.COMPLEX_OF[default_float(node.device)]).name
        return f'convert with {name}.astype("{wanted}")'

    def _lone(self, name: str, value: object) -> Array:
        """An operand with no array beside it, as an array of the default device."""
        made = lone(value, self.where, name)
        if made is None:
            raise self._refusal(name, value)
        return made

    def _refusal(self, name: str, value: object) -> TypeError:
        return TypeError(
            errors.message(
                self.where,
                f"{name} is of type {type(value).__name__}",
                f"{self.name} takes arrays, numbers and lists of numbers",
                "make an array with xarr.asarray(...)",
            )
        )

    # -- what the user sees -------------------------------------------------------------------

    def function(self) -> Callable[..., Array]:
        """The public function, with its signature and docstring."""
        row = self

        def binary(x1: Any, x2: Any, /) -> Array:
            return row.binary(x1, x2)

        def unary(x: Any, /) -> Array:
            return row.unary(x)

        return named(binary if self.operands == 2 else unary, self.name, self.docstring())

    def docstring(self) -> str:
        """The numpydoc text of the public function."""
        words = KIND_WORDS[self.kinds]
        unit = f", {self.unit}" if self.unit else ""
        if self.operands == 2:
            parameters = (
                f"x1, x2 : {words} Array, shapes that broadcast to (...)\n"
                f"    The operands{unit}; also numbers, lists of numbers and NumPy arrays."
            )
        else:
            parameters = (
                f"x : {words} Array, shape (...)\n"
                f"    The operand{unit}; also a number, a list of numbers or a NumPy array."
            )
        result = {
            _SAME: "the type that the operands promote to",
            _TRUTH: "bool",
            _PARTS: "the type of x, or of the parts of a complex x",
        }[self.result]
        remark = ""
        if REAL in self.kinds and SIGNED not in self.kinds:
            remark = "; integers are computed in floating point"
        sample = {1: "xarr.asarray([1.0, 2.0])", 2: "xarr.asarray([6.0, 7.0]), 2.0"}
        if self.kinds == (COMPLEX,):
            sample[1] = "xarr.asarray([1 + 2j, 3j])"
        elif REAL not in self.kinds:
            sample = (
                {1: "xarr.asarray([True, False])", 2: "xarr.asarray([True, False]), True"}
                if BOOL in self.kinds
                else {1: "xarr.asarray([6, 7])", 2: "xarr.asarray([6, 7]), 2"}
            )
        raises = ["TypeError", "    If an operand has another dtype, or can be made no array."]
        if self.operands == 2:
            raises += ["ValueError", "    If the shapes do not broadcast or the devices differ."]
        return "\n".join(
            [
                *(self.about, "", "Parameters", "----------", parameters, ""),
                *(
                    "Returns",
                    "-------",
                    "Array, shape (...)",
                    f"    Of dtype {result}{remark}.",
                    "",
                ),
                *("Raises", "------", *raises, "", "Notes", "-----"),
                *(self.source, ""),
                *("Examples", "--------", ">>> import xarr"),
                f">>> result = xarr.{self.name}({sample[self.operands]})",
                *(">>> result.shape", "(2,)", ""),
            ]
        )


FUNCTION: Final = re.compile(r"\bxr_(\w+)\(")


def template_of(expression: str, row: DType) -> str:
    """A row's expression with operands as `{0}`, `{1}` and functions named for a type."""

    def named(match: re.Match[str]) -> str:
        # A type that is computed in another one may still have a function of its own.
        own = f"xr_{match[1]}_{row.storage}"
        return (
            f"{own}("
            if row.storage != row.compute and source.unit(own)
            else f"xr_{match[1]}_{row.compute}("
        )

    text = FUNCTION.sub(named, expression)
    for number, name in enumerate(("x1", "x2", "x3")):
        text = re.sub(rf"\b{name}\b", f"{{{number}}}", text)
    return re.sub(r"\bx\b", "{0}", text)


_RANK: Final = {BOOL: 0, UNSIGNED: 1, SIGNED: 2, REAL: 3, COMPLEX: 4}


def _same_kind(given: DType, wanted: DType) -> bool:
    """NumPy's rule for in-place results ("same_kind"): never to a lower kind."""
    return _RANK[given.kind] <= _RANK[wanted.kind]


def _rounding(name: str, about: str) -> Elementwise:
    return Elementwise(name, REAL_NUMERIC, f"{name}(x)", about, integer="x")


def _function(
    name: str,
    about: str,
    low: float,
    high: float,
    ulp: float,
    unit: str = "",
    complex_ulp: float = 3.0,
) -> Elementwise:
    return Elementwise(
        name,
        FLOATING,
        f"xr_{name}(x)",
        about,
        unit=unit,
        domain=Domain(low, high, ulp, complex_ulp),
    )


def _comparison(
    name: str, sign: str, kinds: tuple[str, ...], operator: str, about: str
) -> Elementwise:
    return Elementwise(
        name,
        kinds,
        f"x1 {sign} x2",
        about,
        complex=f"xr_{name}(x1, x2)" if COMPLEX in kinds else "",
        result=_TRUTH,
        operator=operator,
    )


def _bitwise(name: str, sign: str, operator: str, about: str) -> Elementwise:
    return Elementwise(name, INTEGER_OR_BOOL, f"x1 {sign} x2", about, operator=operator)


REAL_OR_BOOL: Final = (BOOL, *REAL_NUMERIC)

TABLE: Final = (
    Elementwise(
        "abs",
        NUMERIC,
        "fabs(x)",
        "The absolute value of x.",
        integer="xr_abs(x)",
        complex="xr_abs(x)",
        result=_PARTS,
        operator="abs",
        domain=Domain(complex_ulp=1),
    ),
    _function("acos", "The inverse cosine of x, in [0, pi].", -1, 1, 3, "result in radians"),
    _function("acosh", "The inverse hyperbolic cosine of x.", 1, 1e3, 3),
    Elementwise(
        "add",
        NUMERIC,
        "x1 + x2",
        "The sum of x1 and x2.",
        integer="xr_add(x1, x2)",
        complex="xr_add(x1, x2)",
        operator="add",
    ),
    _function("asin", "The inverse sine of x, in [-pi/2, pi/2].", -1, 1, 3, "result in radians", 4),
    _function("asinh", "The inverse hyperbolic sine of x.", -1e3, 1e3, 3),
    _function(
        "atan", "The inverse tangent of x, in [-pi/2, pi/2].", -1e3, 1e3, 3, "result in radians"
    ),
    Elementwise(
        "atan2",
        (REAL,),
        "xr_atan2(x1, x2)",
        "The angle of the point (x2, x1), in [-pi, pi].",
        unit="result in radians",
        domain=Domain(ulp=3),
    ),
    _function("atanh", "The inverse hyperbolic tangent of x.", -1, 1, 3),
    _bitwise("bitwise_and", "&", "and", "The bits that are set in both x1 and x2."),
    Elementwise(
        "bitwise_invert",
        INTEGER_OR_BOOL,
        "~x",
        "The bits of x inverted.",
        boolean="!x",
        operator="invert",
    ),
    Elementwise(
        "bitwise_left_shift",
        INTEGER,
        "xr_left_shift(x1, x2)",
        "The bits of x1 moved x2 places up; 0 where x2 is not below the width.",
        unit="x2 in bits",
        operator="lshift",
        domain=Domain(0, 8),
    ),
    _bitwise("bitwise_or", "|", "or", "The bits that are set in x1 or x2."),
    Elementwise(
        "bitwise_right_shift",
        INTEGER,
        "xr_right_shift(x1, x2)",
        "The bits of x1 moved x2 places down, the sign repeated.",
        unit="x2 in bits",
        operator="rshift",
        domain=Domain(0, 8),
    ),
    _bitwise("bitwise_xor", "^", "xor", "The bits that are set in one of x1 and x2."),
    _rounding("ceil", "The least integer that is not below x, in the dtype of x."),
    Elementwise(
        "conj",
        NUMERIC,
        "x",
        "The complex conjugate of x; x itself where it is real.",
        complex="xr_conj(x)",
    ),
    Elementwise(
        "copysign",
        (REAL,),
        "copysign(x1, x2)",
        "The magnitude of x1 with the sign of x2.",
    ),
    _function("cos", "The cosine of x.", -1e3, 1e3, 3, "in radians"),
    _function("cosh", "The hyperbolic cosine of x.", -50, 50, 3),
    Elementwise(
        "divide",
        FLOATING,
        "x1 / x2",
        "The quotient of x1 and x2.",
        complex="xr_divide(x1, x2)",
        operator="truediv",
    ),
    _comparison("equal", "==", ANY, "eq", "Whether x1 equals x2."),
    _function("exp", "The exponential of x.", -50, 50, 3),
    _function("expm1", "exp(x) - 1, accurate near 0.", -50, 50, 3),
    _rounding("floor", "The greatest integer that is not above x, in the dtype of x."),
    Elementwise(
        "floor_divide",
        REAL_NUMERIC,
        "xr_floor_divide(x1, x2)",
        "The quotient of x1 and x2, rounded down; 0 where an integer is divided by 0.",
        operator="floordiv",
    ),
    _comparison("greater", ">", REAL_OR_BOOL, "gt", "Whether x1 is greater than x2."),
    _comparison("greater_equal", ">=", REAL_OR_BOOL, "ge", "Whether x1 is not less than x2."),
    Elementwise(
        "hypot",
        (REAL,),
        "xr_hypot(x1, x2)",
        "The square root of x1**2 + x2**2, without overflow on the way.",
        domain=Domain(ulp=3),
    ),
    Elementwise("imag", (COMPLEX,), "x.im", "The imaginary part of x.", result=_PARTS),
    Elementwise(
        "isfinite",
        NUMERIC,
        "isfinite(x)",
        "Whether x is neither infinite nor NaN.",
        integer="1",
        complex="xr_isfinite(x)",
        result=_TRUTH,
    ),
    Elementwise(
        "isinf",
        NUMERIC,
        "isinf(x)",
        "Whether x is infinite.",
        integer="0",
        complex="xr_isinf(x)",
        result=_TRUTH,
    ),
    Elementwise(
        "isnan",
        NUMERIC,
        "isnan(x)",
        "Whether x is NaN.",
        integer="0",
        complex="xr_isnan(x)",
        result=_TRUTH,
    ),
    _comparison("less", "<", REAL_OR_BOOL, "lt", "Whether x1 is less than x2."),
    _comparison("less_equal", "<=", REAL_OR_BOOL, "le", "Whether x1 is not greater than x2."),
    _function("log", "The natural logarithm of x.", 1e-3, 1e3, 3),
    _function("log1p", "log(1 + x), accurate near 0.", -0.5, 1e3, 3),
    _function("log2", "The logarithm of x to base 2.", 1e-3, 1e3, 3),
    _function("log10", "The logarithm of x to base 10.", 1e-3, 1e3, 3),
    Elementwise(
        "logaddexp",
        (REAL,),
        "xr_logaddexp(x1, x2)",
        "log(exp(x1) + exp(x2)), without overflow on the way.",
        domain=Domain(-50, 50, 4),
    ),
    Elementwise(
        "logical_and",
        (BOOL,),
        "x1 & x2",
        "Whether x1 and x2 are both true.",
    ),
    Elementwise("logical_not", (BOOL,), "!x", "Whether x is false."),
    Elementwise(
        "logical_or",
        (BOOL,),
        "x1 | x2",
        "Whether x1 or x2 is true.",
    ),
    Elementwise(
        "logical_xor",
        (BOOL,),
        "x1 ^ x2",
        "Whether one of x1 and x2 is true.",
    ),
    Elementwise(
        "maximum",
        REAL_NUMERIC,
        "xr_maximum(x1, x2)",
        "The larger of x1 and x2; NaN if one is.",
    ),
    Elementwise(
        "minimum",
        REAL_NUMERIC,
        "xr_minimum(x1, x2)",
        "The smaller of x1 and x2; NaN if one is.",
    ),
    Elementwise(
        "multiply",
        NUMERIC,
        "x1 * x2",
        "The product of x1 and x2.",
        integer="xr_multiply(x1, x2)",
        complex="xr_multiply(x1, x2)",
        operator="mul",
    ),
    Elementwise(
        "negative",
        NUMERIC,
        "-x",
        "x with the other sign.",
        integer="xr_negative(x)",
        complex="xr_negative(x)",
        operator="neg",
    ),
    Elementwise(
        "nextafter",
        (REAL,),
        "xr_nextafter(x1, x2)",
        "The number next to x1 towards x2.",
    ),
    _comparison("not_equal", "!=", ANY, "ne", "Whether x1 differs from x2."),
    Elementwise("positive", NUMERIC, "x", "x itself, as a new array.", operator="pos"),
    Elementwise(
        "pow",
        NUMERIC,
        "xr_pow(x1, x2)",
        "x1 to the power of x2.",
        operator="pow",
        domain=Domain(0, 8, 4, 100),
    ),
    Elementwise(
        "real",
        NUMERIC,
        "x",
        "The real part of x.",
        complex="x.re",
        result=_PARTS,
    ),
    Elementwise(
        "reciprocal",
        FLOATING,
        "xr_reciprocal(x)",
        "1 / x.",
        domain=Domain(1e-3, 1e3, 1, 2),
    ),
    Elementwise(
        "remainder",
        REAL_NUMERIC,
        "xr_remainder(x1, x2)",
        "What is left of x1 after floor division by x2, with the sign of x2.",
        operator="mod",
    ),
    Elementwise(
        "round",
        NUMERIC,
        "rint(x)",
        "The integer nearest to x, halves to even.",
        integer="x",
        complex="xr_round(x)",
    ),
    Elementwise(
        "sign",
        NUMERIC,
        "xr_sign(x)",
        "-1, 0 or 1 by the sign of x; x / abs(x) if complex.",
        domain=Domain(complex_ulp=2),
    ),
    Elementwise(
        "signbit",
        (REAL,),
        "xr_signbit(x)",
        "Whether the sign bit of x is set.",
        result=_TRUTH,
    ),
    _function("sin", "The sine of x.", -1e3, 1e3, 3, "in radians"),
    _function("sinh", "The hyperbolic sine of x.", -50, 50, 3),
    Elementwise(
        "sqrt",
        FLOATING,
        "sqrt(x)",
        "The square root of x.",
        complex="xr_sqrt(x)",
        domain=Domain(0, 1e3, 0, 2),
    ),
    Elementwise(
        "square",
        NUMERIC,
        "x * x",
        "x times x.",
        integer="xr_square(x)",
        complex="xr_square(x)",
    ),
    Elementwise(
        "subtract",
        NUMERIC,
        "x1 - x2",
        "The difference of x1 and x2.",
        integer="xr_subtract(x1, x2)",
        complex="xr_subtract(x1, x2)",
        operator="sub",
    ),
    _function("tan", "The tangent of x.", -1e3, 1e3, 4, "in radians", 5),
    _function("tanh", "The hyperbolic tangent of x.", -50, 50, 3, complex_ulp=5),
    _rounding("trunc", "The integer next to x towards 0, in the dtype of x."),
)

BY_NAME: Final = {row.name: row for row in TABLE}


def named(function: Callable[..., Any], name: str, doc: str) -> Callable[..., Any]:
    """Give a function made from a row the name and docstring that the row says."""
    function.__name__ = function.__qualname__ = name
    function.__module__ = "xarr"
    function.__doc__ = doc
    return function


def stored_in_place(x1: Array, result: Node, name: str) -> Array:
    """The array with the result of an operator in place of its value."""
    target = x1._node
    if result.shape != target.shape:
        raise ValueError(
            errors.message(
                name,
                f"x1 has shape {target.shape} and the result {result.shape}",
                "the result has to have the shape of x1",
            )
        )
    if result.dtype is not target.dtype:
        if not _same_kind(result.dtype, target.dtype):
            raise TypeError(
                errors.message(
                    name,
                    f"x1 has dtype {target.dtype} and the result {result.dtype}",
                    "the result has to be of the same kind as x1 or a lower one",
                    f"write x1 = x1.astype({result.dtype.name!r}) first",
                )
            )
        result = engine.converted(result, target.dtype)
    if is_whole(x1):
        rebind(x1, result)
    else:
        assign(x1, settled(x1), result)
    return x1


def _power(x1: Any, x2: Any) -> Any:
    """pow, with the square for what it is, and NumPy's refusal of negative integer exponents."""
    row = BY_NAME["pow"]
    if type(x1) is not Array and type(x2) is not Array:
        x1 = row._lone("x1", x1)
    if type(x1) is Array and (type(x2) is int or type(x2) is float) and x2 == 2:
        base = x1._node.dtype.kind
        if base != BOOL and not (type(x2) is float and base in INTEGER):
            return BY_NAME["square"].unary(x1)
    _refuse_negative_powers(x1, x2)
    return row.binary(x1, x2)


def _refuse_negative_powers(x1: Any, x2: Any) -> None:
    """Refuse an integer to a negative integer power, as NumPy does."""
    if type(x1) is Array:
        whole = x1._node.dtype.kind in INTEGER
    else:
        whole = numpy.asarray(x1).dtype.kind in "iu"
    if not whole or type(x2) is float:
        return
    if type(x2) is Array:
        found = x2._node.dtype.kind == SIGNED and bool(FUNCTIONS["any"](x2 < 0))
        given = "an array with a negative element"
    elif type(x2) is int:
        found, given = x2 < 0, str(x2)
    else:
        values = numpy.asarray(x2)
        found, given = values.dtype.kind == "i" and bool((values < 0).any()), repr(x2)
    if found:
        raise ValueError(
            errors.message(
                "pow(x1, x2)",
                f"x2 is {given} and both are integers",
                "an integer to a negative power is no integer",
                "convert x1 with x1.astype('float64')",
            )
        )


def clip(x: Array, /, min: Any = None, max: Any = None) -> Array:
    """Bound each element of x below and above.

    Parameters
    ----------
    x : real numeric Array, shape (...)
        The operand.
    min, max : Array or Python scalar, optional
        The bounds, with shapes that broadcast to x's; None for no bound.

    Returns
    -------
    Array, shape (...)
        minimum(maximum(x, min), max), of the dtype that all promote to; NaN where x is.

    Raises
    ------
    TypeError
        If x is not of a real numeric dtype.

    Notes
    -----
    Python Array API standard 2025.12, element-wise functions.

    Examples
    --------
    >>> import xarr
    >>> xarr.clip(xarr.asarray([1, 5, 9]), 2, 6).tolist()
    [2, 5, 6]
    """
    where, accepted = "clip(x, min, max)", "clip takes real numeric dtypes"
    if type(x) is not Array:
        raise no_array("x", x, where)
    if x._node.dtype.kind not in REAL_NUMERIC:
        raise TypeError(errors.message(where, f"x has dtype {x._node.dtype}", accepted))
    result = x
    for name, bound, row in (("min", min, BY_NAME["maximum"]), ("max", max, BY_NAME["minimum"])):
        if bound is None:
            continue
        first, second = together(result, bound, where, ("x", name))
        if first.dtype.kind not in REAL_NUMERIC:
            raise TypeError(
                errors.message(
                    where, f"{name} is complex", accepted, f"take the real part of {name}"
                )
            )
        result = Array(row.applied(first, second, where))
    return BY_NAME["positive"].unary(x) if result is x else result


def choose(condition: Node, x1: Node, x2: Node) -> Node:
    """The node of x1 where a bool condition holds and of x2 elsewhere."""
    row = promoted((x1.dtype, x2.dtype), condition.device, "where(condition, x1, x2)")
    operation = _CHOICES.get(row)
    if operation is None:
        operation = Operation("where", (dtypes.bool_, row, row), row, "({0} ? {1} : {2})")
        _CHOICES[row] = operation
    shape = broadcast_shapes(condition.shape, x1.shape, x2.shape, where="where(condition, x1, x2)")
    return engine.defer(operation, (condition, x1, x2), shape)


_CHOICES: Final[dict[DType, Operation]] = {}

_REFLECTED: Final = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"),
    *("and", "or", "xor", "lshift", "rshift"),
)


def _install(row: Elementwise) -> None:
    """The public function and the operators of a row."""
    apply: Callable[..., Any] = _power if row.name == "pow" else row.binary
    function = row.function()
    if row.name == "pow":

        def power(x1: Any, x2: Any, /) -> Array:
            return apply(x1, x2)  # type: ignore[no-any-return]

        function = named(power, row.name, row.docstring())
    FUNCTIONS[row.name] = function
    if not row.operator:
        return
    special = f"__{row.operator}__"
    if row.operands == 1:

        def unary(self: Array) -> Array:
            return row.unary(self)

        attach(special, named(unary, special, row.about))
        return

    def binary(self: Array, other: Any) -> Any:
        if type(other) is not Array and not _accepts(other):
            return NotImplemented
        return apply(self, other)

    attach(special, named(binary, special, row.about))
    if row.operator not in _REFLECTED:
        return

    def reflected(self: Array, other: Any) -> Any:
        if not _accepts(other):
            return NotImplemented
        return apply(other, self)

    def in_place(self: Array, other: Any) -> Any:
        if type(other) is not Array and not _accepts(other):
            return NotImplemented
        if apply is _power:
            if type(other) is int and other == 2:
                return BY_NAME["multiply"].in_place(self, self)
            _refuse_negative_powers(self, other)
        return row.in_place(self, other)

    attach(f"__r{row.operator}__", named(reflected, f"__r{row.operator}__", row.about))
    attach(f"__i{row.operator}__", named(in_place, f"__i{row.operator}__", row.about))


def _accepts(value: Any) -> bool:
    return isinstance(
        value, Array | int | float | complex | numpy.generic | numpy.ndarray | list | tuple
    )


for _row in TABLE:
    _install(_row)
FUNCTIONS["clip"] = clip
