"""Declarations of a kernel's parameters, read from its source: C types, pointers, local memory."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy

from xarr import dtypes

_QUALIFIER: Final = re.compile(
    r"\b(?:const|volatile|restrict|__restrict__|__restrict|RESTRICT|GLOBAL|__global|global|struct"
    r"|constant|__constant)\b"
)
_LOCAL: Final = re.compile(r"\b(?:LOCAL|__local|local)\b")

_TYPES: Final = {
    **{row.compute: row.numpy for row in dtypes.TABLE if row.compute == row.storage},
    "bool": numpy.dtype("bool"),
    "char": numpy.dtype("int8"),
    "signed char": numpy.dtype("int8"),
    "unsigned char": numpy.dtype("uint8"),
    "uchar": numpy.dtype("uint8"),
    "short": numpy.dtype("int16"),
    "unsigned short": numpy.dtype("uint16"),
    "ushort": numpy.dtype("uint16"),
    "int": numpy.dtype("int32"),
    "unsigned": numpy.dtype("uint32"),
    "unsigned int": numpy.dtype("uint32"),
    "uint": numpy.dtype("uint32"),
    "long": numpy.dtype("int64"),
    "long long": numpy.dtype("int64"),
    "ptrdiff_t": numpy.dtype("int64"),
    "unsigned long": numpy.dtype("uint64"),
    "unsigned long long": numpy.dtype("uint64"),
    "ulong": numpy.dtype("uint64"),
    "size_t": numpy.dtype("uint64"),
    "float": numpy.dtype("float32"),
    "double": numpy.dtype("float64"),
    "half": numpy.dtype("float16"),
    "__half": numpy.dtype("float16"),
    "complex<float>": numpy.dtype("complex64"),
    "complex<double>": numpy.dtype("complex128"),
    **{f"{row}_t": numpy.dtype(row.name) for row in dtypes.TABLE if row.kind in dtypes.INTEGER},
}
"""Types of C and what they hold."""


class Parameter(NamedTuple):
    """A declared parameter of a kernel; `dtype` is None where it is not known.

    `is_read` says that the kernel does not write behind the pointer.
    """

    name: str
    dtype: numpy.dtype[Any] | None
    is_pointer: bool
    is_local: bool
    is_read: bool
    kind: str


def read_parameter(declared: str, named: Mapping[str, str]) -> Parameter:
    """A parameter of C, whose type may be one that the source gives a name."""
    words = _QUALIFIER.sub(" ", declared)
    is_local = _LOCAL.search(words) is not None
    words = _LOCAL.sub(" ", words)
    kind, name = re.fullmatch(r"\s*(.*?)\s*(\w+)\s*(?:\[\s*\])?\s*", words, re.DOTALL).groups()  # type: ignore[union-attr]
    is_pointer = "*" in kind or "[" in declared
    kind = " ".join(kind.replace("*", " ").split())
    is_read = re.search(r"\bconst\b[^*]*\*", declared) is not None
    for _ in named:
        kind = named.get(kind, kind)
    return Parameter(name, _TYPES.get(kind), is_pointer, is_local, is_read, kind)
