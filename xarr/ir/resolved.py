# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Resolved rows: a row's opcodes by operands met before, and its function of Python numbers."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from xarr import dtypes, tuning
from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from xarr.ir.views import Structure

if TYPE_CHECKING:
    from xarr.ir.operation import Operation


_ROUNDED_ONCE: Final = frozenset(
    {"add", "subtract", "multiply", "divide", "negative", "abs", "sqrt", "square"}
)
_FLOAT32: Final = struct.Struct("f")
_packed = cython.declare(object, _FLOAT32.pack)
_unpacked = cython.declare(object, _FLOAT32.unpack)
_LEAST = cython.declare(cython.double, 2.0**-126)


@cython.cclass
class ScalarEvaluator:
    """A Python function of numbers of one type with the bits of a kernel.

    Attributes
    ----------
    takes : type or None
        The type of `function`'s arguments; None where it may have other bits.
    rounds : bool
        Whether it computes in float64 what is rounded to float32: once, as float64 has more than
        twice the digits, so that the sum, product, quotient or root is the one of float32.
    """

    function: Any
    takes: Any
    is_bool: bool
    rounds: bool
    low: Any
    high: Any

    def __init__(self, function: Callable[..., Any], operation: Operation) -> None:
        row = operation.operands[0]
        self.function = function
        self.is_bool = operation.result.kind == dtypes.BOOL
        self.low, self.high = operation.result.bounds
        if operation.operands.count(row) == len(operation.operands):
            self.takes = {dtypes.BOOL: bool, dtypes.REAL: float}.get(row.kind, int)
            is_once = self.is_bool or operation.name in _ROUNDED_ONCE
            self.rounds = row is dtypes.float32 and is_once
            if row.kind in dtypes.FLOATING and row is not dtypes.float64 and not self.rounds:
                self.takes = None

    @cython.ccall
    def of(self, x1: object, x2: object = None) -> object:
        """Return the result if the operation's data type holds it; else None."""
        takes: Any = self.takes
        if takes is None:
            return None
        x1 = x1 if type(x1) is takes else takes(x1)
        try:
            if x2 is None:
                value = self.function(x1)
            else:
                value = self.function(x1, x2 if type(x2) is takes else takes(x2))
            if self.rounds and type(value) is float:
                value = _unpacked(_packed(value))[0]
                if value and -_LEAST < value < _LEAST:
                    return None
        except (ArithmeticError, ValueError):
            return None
        if self.is_bool:
            return value if type(value) is bool else None
        if type(value) is int:
            return value if self.low <= value <= self.high else None
        return value if type(value) is float and value == value else None


@cython.cclass
class ResolvedRow:
    """The opcodes of a row, by the operands' structures.

    Attributes
    ----------
    row : object
        The row.
    pairs : dict
        Opcodes, by one structure or two; the type of a Python scalar may stand for one of them,
        then with the bounds of its data type. A constant's structure and value where the data type
        says what the result is.
    numbers : dict
        By the structure of two constants: the `ScalarEvaluator`, and the structure of the result.
    scalars : dict
        The data type of a Python scalar, by its type, the array's data type, whether the device
        lacks float64, and whether the scalar comes first.
    """

    row: Any
    pairs: dict[Any, Any]
    numbers: dict[Any, Any]
    scalars: dict[Any, Any]
    number: int

    def __init__(self, number: int = -1) -> None:
        self.number = number
        self.pairs = {}
        self.numbers = {}
        self.scalars = {}

    def remember(self, key: Any, opcode: Any) -> None:
        """Cache an opcode by the structures of its operands."""
        if len(self.pairs) >= tuning.OPCODES:
            self.pairs.clear()
        self.pairs[key] = opcode
        if self.number >= 0 and isinstance(key, tuple) and key[0] is key[1]:
            how: Structure = key[0]
            if how.alike is None:
                how.alike = [None] * len(_NAMES)
            how.alike[self.number] = opcode


_NAMES: Final = ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift",
                 "rshift", "lt", "le", "gt", "ge", "eq", "ne", "pow", "neg", "pos", "abs",
                 "invert", "square")  # fmt: skip
OPERATORS: Final = {name: ResolvedRow(number) for number, name in enumerate(_NAMES)}
"""The rows that are operators, by the names of their special methods."""

PRODUCTS: Final = ResolvedRow()
"""The products of matrices and vectors: for two structures the opcode, the structures that it takes
them as, and that of the result."""
