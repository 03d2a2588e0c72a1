"""Typed values of a kernel by threads: what an expression is in C, and in Python for debugging.

Each value has both texts, so that a kernel's C and what `interpret` runs have the same types and
the same order of operations.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

import numpy

from xarr import dtypes, layout
from xarr.dtypes import BOOL, REAL, SIGNED, UNSIGNED, DType

SPAN: Final = 62
"""The bits that a sum of numbers that are not negative may have; int64 holds them."""
MOST_BITS: Final = 63
"""The bits of a number of int64 of which only this is known, that it is not negative."""


class Kind(NamedTuple):
    """The data type of a number; a weak one is Python's, and takes the type of what it meets."""

    row: DType
    weak: bool = False

    def __str__(self) -> str:
        if self == BIG_INT:
            return "Python's int of 64 bits"
        if self.weak:
            return "Python's float" if self.row.kind == REAL else "Python's int"
        return self.row.name


TRUTH: Final = Kind(dtypes.bool_)
Span = tuple[int, int]
NARROW_BITS: Final = layout.WIDE.bit_length() - 1
"""The bits of extents and of numbers of items where `Types.is_narrow`."""
SMALL: Final = (1 - layout.WIDE, layout.WIDE - 1)
"""The bounds of an argument for which `is_small_integer` is true."""
INT32: Final = dtypes.integer_bounds(dtypes.int32)
INT64: Final = dtypes.integer_bounds(dtypes.int64)
WEAK_INT: Final = Kind(dtypes.int64, weak=True)
BIG_INT: Final = Kind(dtypes.uint64, weak=True)
"""Python's integers from 2**63: uint64, except that they do not meet signed arrays, as in NumPy."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number.

    kind : Kind -- Its data type.
    c, py : str -- What it is in C, and in the Python that `interpret` runs.
    bits : int or None -- How many bits it has, if it is known not to be negative.
    varies : bool -- Whether it may differ among the items of a group.
    literal : int, float, bool or None -- Its value, if it is known.
    span : tuple of 2 int, or None -- The least and the most that it may be, whatever wraps around;
        `bits` takes for granted that counters do not.
    """

    kind: Kind
    c: str
    py: str
    bits: int | None = None
    varies: bool = False
    literal: Any = None
    span: Span | None = None

    def bounds(self) -> Span | None:
        """Return the least and the most that an integer may be; None where they are not known."""
        if isinstance(self.literal, int):
            return int(self.literal), int(self.literal)
        return self.span

    def is_within(self, least: int, most: int) -> bool:
        """Return whether an integer is known to be within bounds."""
        found = self.bounds()
        return found is not None and least <= found[0] and found[1] <= most


@dataclass(frozen=True, slots=True)
class Tuple:
    """A tuple of fixed length."""

    items: tuple[Any, ...]


@dataclass(eq=False, slots=True)
class ArrayValue:
    """An array: of an argument, of a group (LOCAL), or of one item.

    pointer : str -- The C of the pointer to its memory.
    py : str -- The name of the array that `interpret` has.
    offset : str -- The C of the first element's place; empty for 0.
    shape : tuple of Value -- Its extents.
    strides : tuple of str -- The C of its strides; empty where it lies in one piece.
    space : str -- ``GLOBAL``, ``LOCAL``, or empty for an item's own.
    written : list of bool -- Whether it is written to; those that stand for one array share it.
    """

    name: str
    row: DType
    pointer: str
    py: str
    shape: tuple[Value, ...]
    strides: tuple[str, ...] = ()
    offset: str = ""
    space: str = "GLOBAL"
    written: list[bool] = field(default_factory=lambda: [False])

    @property
    def ndim(self) -> int:
        """Return the number of axes."""
        return len(self.shape)


class Constant(NamedTuple):
    """An object of Python that is none of a kernel's values: a module, a function, a word."""

    value: Any


# -- elements -----------------------------------------------------------------------------------


def element_kind(row: DType) -> Kind:
    """Return the kind of an array's elements: those of float16 are computed with as float32."""
    return Kind(dtypes.float32 if row is dtypes.float16 else row)


def loaded(row: DType, text: str) -> str:
    """Return the C of an element, given that of its place in memory."""
    if row is dtypes.float16:
        return f"xr_half_to_float({text})"
    return f"(int){text}" if row.kind == BOOL else text


def stored(row: DType, value: Value) -> tuple[str, str]:
    """Return the C and the Python of a value as it is stored to an array."""
    if row is dtypes.float16:
        is_wide = value.kind.row is dtypes.float64
        value = value if is_wide else cast(value, element_kind(row))
        return f"xr_{'double' if is_wide else 'float'}_to_half({value.c})", value.py
    value = cast(value, Kind(row))
    return f"(b8){value.c}" if row.kind == BOOL else value.c, value.py


# -- types ------------------------------------------------------------------------------------


def c_type(kind: Kind) -> str:
    """Return the C type of a variable."""
    return "int" if kind.row.kind == BOOL else kind.row.compute


def memory_type(row: DType) -> str:
    """Return the C type of an element in memory."""
    return row.storage


class Types:
    """The promotion of data types on a device.

    has_float64 : bool -- Whether the device has float64.
    is_narrow : bool -- Whether 32 bits hold the place of each element, and the number of each item.
    """

    def __init__(self, *, has_float64: bool, is_narrow: bool = False) -> None:
        self.has_float64 = has_float64
        self.is_narrow = is_narrow
        self.default_float = dtypes.float64 if has_float64 else dtypes.float32
        self.weak_float = Kind(self.default_float, weak=True)

    def of_scalar(self, value: Any) -> Kind | None:
        """Return the kind of a number of Python's or NumPy's; None of other objects."""
        if isinstance(value, bool | numpy.bool_):
            return TRUTH
        if isinstance(value, numpy.generic):
            return self.of_dtype(value.dtype)
        if isinstance(value, int):
            return WEAK_INT if value <= INT64[1] else BIG_INT
        return self.weak_float if isinstance(value, float) else None

    @staticmethod
    def row_of(dtype: Any) -> DType | None:
        """Return the data type that an array may have; None of one that kernels do not have."""
        row = dtypes.BY_NUMPY.get(dtype)
        return None if row is None or row.kind == dtypes.COMPLEX else row

    @staticmethod
    def of_dtype(dtype: Any) -> Kind | None:
        """Return the kind of a data type; None of one that kernels do not have."""
        row = dtypes.BY_NUMPY.get(dtype)
        is_taken = row is not None and row.name != "float16" and row.kind != dtypes.COMPLEX
        return Kind(row) if is_taken and row is not None else None

    def joined(self, first: Kind, second: Kind) -> Kind:
        """Return the kind that two promote to, by NumPy's rules; TypeError where there is none."""
        if first == second:
            return first
        if first.weak and second.weak:
            is_wider = first.row.kind == REAL or (first == BIG_INT and second == WEAK_INT)
            return first if is_wider else second
        if first.weak or second.weak:
            weak, other = (first, second) if first.weak else (second, first)
            if weak == BIG_INT and other.row.kind == SIGNED:
                raise TypeError(f"{weak} and {other} have no type in common; write uint64(x)")
            if weak == BIG_INT and other.row.kind == UNSIGNED:
                return Kind(weak.row)
            if dtypes.RANK[weak.row.kind] <= dtypes.RANK[other.row.kind]:
                return other
            return weak if other.row.kind == BOOL else Kind(self.default_float)
        row = dtypes.promote(first.row, second.row)
        if row in dtypes.NEEDS_FLOAT64 and not self.has_float64:
            raise TypeError(f"{first} and {second} make float64, which the device does not have")
        return Kind(row)

    def arithmetic(self, first: Kind, second: Kind) -> Kind:
        """Return the kind of a sum; truth values count as integers, as Python's do."""
        found = self.joined(first, second)
        return WEAK_INT if found.row.kind == BOOL else found

    def floating(self, kind: Kind) -> Kind:
        """Return the kind of a real function's result."""
        if kind.row.kind == REAL:
            return kind
        return self.weak_float if kind.weak or kind.row.kind == BOOL else Kind(self.default_float)


# -- literals and conversions -----------------------------------------------------------------


def literal(value: Any, kind: Kind) -> Value:
    """Return a number that is known; OverflowError if its type does not hold it."""
    row = kind.row
    if row.kind == BOOL:
        return Value(kind, str(int(value)), f"_xr_bool({bool(value)})", literal=bool(value))
    if row.kind == REAL:
        number = float(row.numpy.type(value))
        py = f"_xr_{row.name}({float(value)!r})"
        py = py.replace("inf", "_xr_inf").replace("nan", "_xr_nan")
        return Value(kind, _c_float(number, row), py, literal=number)
    least, most = dtypes.integer_bounds(row)
    if not least <= value <= most:
        remedy = "; write uint64(x) of an operand, which wraps around" * (value >= 1 << 64)
        raise OverflowError(f"{value} does not fit {row}{remedy}")
    bits = int(value).bit_length() if value >= 0 else None
    return Value(kind, _c_int(int(value), row), f"_xr_{row}({value})", bits, literal=int(value))


def _c_float(number: float, row: DType) -> str:
    if number != number:
        return f"(({row.compute})NAN)"
    if number in (float("inf"), float("-inf")):
        return f"(({row.compute}){'-' if number < 0 else ''}INFINITY)"
    text = repr(number) + ("f" if row.compute == "f32" else "")
    return f"({text})" if text.startswith("-") else text


def _c_int(number: int, row: DType) -> str:
    bits = 8 * row.itemsize
    if number == -(1 << bits - 1) and row.kind == SIGNED:
        return f"({_c_int(number + 1, row)} - {_c_int(1, row)})" if bits > 16 else f"({number})"
    ending = {"i64": "LL", "u64": "ULL", "u32": "u"}.get(row.compute, "")
    return f"({number}{ending})" if number < 0 else f"{number}{ending}"


def cast(value: Value, kind: Kind) -> Value:
    """Convert a number to a kind, as NumPy's `astype` does."""
    if value.kind == kind:
        return value
    known = value.literal
    if known is not None and (kind.row.kind == REAL or isinstance(known, bool | int)):
        return replace(literal(known, kind), varies=value.varies)
    begin, end = value.kind.row, kind.row
    if begin is end:
        return replace(value, kind=kind)
    keeps = begin.kind != REAL and end.kind != REAL and 8 * end.itemsize > (value.bits or 0) + 1
    is_wider = kind == WEAK_INT and begin.kind != REAL and begin.itemsize < end.itemsize
    return Value(
        kind,
        _converted(value.c, begin, end),
        f"_xr_{end}({value.py})",
        value.bits if keeps else None,
        value.varies,
        span=dtypes.integer_bounds(begin) if is_wider and begin.kind != BOOL else None,
    )


def _converted(c: str, begin: DType, end: DType) -> str:
    """Return the C of a conversion: `kernels/cast.h` lists them."""
    if end.kind == BOOL:
        return f"({c} != 0)"
    to = end.compute
    if begin.kind == REAL and end.kind != REAL:
        if to == "u64":
            return f"xr_to_u64_{begin.compute}({c})"
        way = "i64" if to in ("i64", "u32") else "i32"
        found = f"xr_to_{way}_{begin.compute}({c})"
        return found if to == way else f"(({to}){found})"
    widens = begin.kind == SIGNED and end.itemsize > begin.itemsize
    if widens and (begin.itemsize < 4 or to == "i64"):
        c = f"xr_wider_{begin.compute}({c})"
    return f"(({to})({c}))"
