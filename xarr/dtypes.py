"""The table of data types: what NumPy, the Array API standard and C call each of them.

This is the only list of data types in the library. It knows no arrays and no devices.
The public data types are NumPy's own (`xarr.float32 is numpy.float32`); inside the library a
`DType` row stands for one, so that a look-up by identity is enough on the hot path.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, ParamSpec, TypeVar, cast

import numpy

from xarr import errors

_P = ParamSpec("_P")
_R = TypeVar("_R")

BOOL: Final = "bool"
SIGNED: Final = "signed integer"
UNSIGNED: Final = "unsigned integer"
REAL: Final = "real floating-point"
COMPLEX: Final = "complex floating-point"

INTEGER: Final = (SIGNED, UNSIGNED)
FLOATING: Final = (REAL, COMPLEX)
REAL_NUMERIC: Final = (SIGNED, UNSIGNED, REAL)
NUMERIC: Final = (SIGNED, UNSIGNED, REAL, COMPLEX)
ANY: Final = (BOOL, SIGNED, UNSIGNED, REAL, COMPLEX)

KIND_WORDS: Final = {
    (BOOL,): "bool",
    INTEGER: "integer",
    (BOOL, SIGNED, UNSIGNED): "integer or bool",
    (REAL,): "real floating-point",
    FLOATING: "floating-point",
    REAL_NUMERIC: "real numeric",
    NUMERIC: "numeric",
    (BOOL, SIGNED, UNSIGNED, REAL): "real numeric or bool",
    (COMPLEX,): "complex floating-point",
    ANY: "any",
}
"""The standard's word for each set of kinds that a function accepts."""


@dataclass(frozen=True, slots=True, eq=False)
class DType:
    """One data type: its names and how a kernel stores and computes it."""

    name: str
    kind: str
    storage: str  # the C type in memory
    compute: str  # the C type a kernel computes in
    format: str  # of a scalar argument, in the struct module's letters
    numpy: numpy.dtype[Any] = field(init=False)
    itemsize: int = field(init=False)
    # Python numbers between these become the type's where a kernel's arguments are packed.
    bounds: tuple[float, float] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numpy", numpy.dtype(self.name))
        object.__setattr__(self, "itemsize", self.numpy.itemsize)
        object.__setattr__(self, "bounds", self._bounds())

    def _bounds(self) -> tuple[float, float]:
        if self.kind in INTEGER:
            return int(numpy.iinfo(self.numpy).min), int(numpy.iinfo(self.numpy).max)
        if self.kind == REAL and self.storage == self.compute:
            return float(numpy.finfo(self.numpy).min), float(numpy.finfo(self.numpy).max)
        return 1, 0

    def __repr__(self) -> str:
        return self.name


TABLE: Final = (
    DType("bool", BOOL, "b8", "b8", "B"),
    DType("int8", SIGNED, "i8", "i8", "b"),
    DType("int16", SIGNED, "i16", "i16", "h"),
    DType("int32", SIGNED, "i32", "i32", "i"),
    DType("int64", SIGNED, "i64", "i64", "q"),
    DType("uint8", UNSIGNED, "u8", "u8", "B"),
    DType("uint16", UNSIGNED, "u16", "u16", "H"),
    DType("uint32", UNSIGNED, "u32", "u32", "I"),
    DType("uint64", UNSIGNED, "u64", "u64", "Q"),
    DType("float16", REAL, "f16", "f32", "f"),
    DType("float32", REAL, "f32", "f32", "f"),
    DType("float64", REAL, "f64", "f64", "d"),
    DType("complex64", COMPLEX, "c64", "c64", "ff"),
    DType("complex128", COMPLEX, "c128", "c128", "dd"),
)

BY_NAME: Final = {row.name: row for row in TABLE}
BY_NUMPY: Final = {row.numpy: row for row in TABLE}

bool_ = BY_NAME["bool"]
int8, int16, int32, int64 = (BY_NAME[f"int{bits}"] for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (BY_NAME[f"uint{bits}"] for bits in (8, 16, 32, 64))
float16, float32, float64 = (BY_NAME[f"float{bits}"] for bits in (16, 32, 64))
complex64, complex128 = BY_NAME["complex64"], BY_NAME["complex128"]

STANDARD: Final = tuple(row for row in TABLE if row is not float16)
NEEDS_FLOAT64: Final = frozenset((float64, complex128))
PART: Final = {complex64: float32, complex128: float64}
"""The type of the real and imaginary part of a complex type."""
COMPLEX_OF: Final = {float16: complex64, float32: complex64, float64: complex128}


QUIET: Final = contextvars.Context()
"""One in which NumPy says nothing of overflow and the like; each call has a copy."""
QUIET.run(numpy.seterr, all="ignore")


def quietly(function: Callable[_P, _R], *arguments: _P.args, **options: _P.kwargs) -> _R:
    """Call a function of NumPy's on the host without its floating-point warnings.

    `numpy.errstate` would write to the thread's own context. CPython 3.11 loses that context, or
    crashes, where a finalizer that computes does so within another one's write.
    """
    return QUIET.copy().run(function, *arguments, **options)


def lookup(dtype: object, where: str = "dtype") -> DType:
    """The row of anything that NumPy takes as a data type."""
    if type(dtype) is DType:
        return dtype
    if hasattr(dtype, "shape") and not isinstance(dtype, type | numpy.dtype | str):
        raise TypeError(
            errors.message(
                where,
                f"dtype is an array, of type {type(dtype).__name__}",
                "dtype must be a data type",
                "write x.dtype",
            )
        )
    try:
        return BY_NUMPY[_numpy_dtype(dtype)]
    except (TypeError, ValueError, KeyError):
        raise TypeError(
            errors.message(where, f"dtype is {dtype!r}", ACCEPTED, why_not(dtype))
        ) from None


def _numpy_dtype(dtype: Any) -> numpy.dtype[Any]:
    """NumPy's data type of what it takes as one, its classes (`numpy.dtypes.Int32DType`) too."""
    made: Callable[[Any], numpy.dtype[Any]] = numpy.dtype
    if isinstance(dtype, type) and issubclass(dtype, numpy.dtype) and dtype is not numpy.dtype:
        return made(cast(Any, dtype)())
    return made(dtype)


ACCEPTED: Final = "a dtype must be one of " + ", ".join(row.name for row in TABLE)
"""Explain in an error that xarr lacks a data type."""
_ABSENT: Final = {
    "O": "Python objects cannot be on a device: keep them in a list or a NumPy array",
    "S": "strings cannot be on a device: keep them in a list or a NumPy array",
    "U": "strings cannot be on a device: keep them in a list or a NumPy array",
    "V": "records cannot be on a device: keep an array for each field",
    "M": "dates cannot be on a device: keep them in a NumPy array, or days as int64",
    "m": "times cannot be on a device: keep them in a NumPy array, or seconds as float64",
    "f": "no device computes in it: use float64",
    "c": "no device computes in it: use complex128",
}
"""The advice for NumPy's data types that no device has, by their kind."""
NUMBERS_ONLY: Final = errors.difference("there-are-no-strings-dates-objects-or-records")
"""The end of an error of values that no device holds."""


def why_not(dtype: object) -> str:
    """The advice for a data type that NumPy has and xarr lacks; "" for anything else."""
    try:
        given = _numpy_dtype(dtype)
    except (TypeError, ValueError):
        if isinstance(dtype, str):
            import difflib  # here, as only an error needs it

            near = difflib.get_close_matches(dtype, [row.name for row in TABLE], 1)
            return f"the nearest is {near[0]}" if near else ""
        return "several sizes, or axes, are one tuple" if isinstance(dtype, int) else ""
    native = BY_NUMPY.get(given.newbyteorder("="))
    if native is not None:
        return f"xarr's are in the host's byte order: use {native.name}"
    absent = _ABSENT.get(given.kind, "")
    return absent and f"{absent}; {NUMBERS_ONLY}"


_PROMOTED: Final = {
    (row, other): BY_NUMPY[numpy.promote_types(row.numpy, other.numpy)]
    for row in TABLE
    for other in TABLE
}


def promote(first: DType, second: DType) -> DType:
    """The data type that both promote to, by NumPy's rules (the standard's, and mixed kinds)."""
    return first if first is second else _PROMOTED[first, second]


def as_floating(row: DType) -> DType:
    """The floating-point type that NumPy's functions such as `exp` compute an integer in."""
    if row.kind in FLOATING:
        return row
    return {1: float16, 2: float32}.get(row.itemsize, float64)


RANK: Final = {BOOL: 0, UNSIGNED: 1, SIGNED: 1, REAL: 2, COMPLEX: 3}
"""The order in which kinds promote to each other."""


def of_python_scalar(value: complex, row: DType, default_float: DType) -> DType:
    """The data type of a Python scalar that meets an array of type `row`."""
    rank = 0 if isinstance(value, bool) else 1
    if isinstance(value, float):
        rank = 2
    elif isinstance(value, complex):
        rank = 3
    if rank <= RANK[row.kind]:
        return row
    if rank == 1:
        return int64
    if rank == 2:
        return default_float
    return COMPLEX_OF[row if row.kind == REAL else default_float]


def integer_bounds(row: DType) -> tuple[int, int]:
    """Smallest and largest value of an integer type."""
    bits = 8 * row.itemsize
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if row.kind == SIGNED else (0, (1 << bits) - 1)


def part_of(row: DType) -> DType:
    """Return the type of the parts of a complex type, else the type itself."""
    return PART.get(row, row)


def complex_of(row: DType) -> DType:
    """Return the complex type of a real type's precision, else the type itself."""
    return COMPLEX_OF.get(row, row)
