"""The standard 2025.12 as a list: its names and parameters, which array-api-strict has."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

import array_api_strict as strict


def words(text: str) -> tuple[str, ...]:
    """The words of a text: a list of many names that is shorter than one of strings."""
    return tuple(text.split())


def signature(function: Callable[..., Any]) -> inspect.Signature:
    """A signature of array-api-strict's, which marks what earlier versions had not by UNDEF."""
    found = inspect.signature(function)
    return found.replace(
        parameters=[
            part.replace(default=None) if "UNDEF" in repr(part.default) else part
            for part in found.parameters.values()
            if part.name != "self"
        ]
    )


VERSION: Final = "2025.12"
STRICTS_OWN: Final = {f"{verb}_array_api_strict_flags" for verb in ("get", "reset", "set")}
EXTENSIONS: Final = ("fft", "linalg")
SIGNATURES: Final = {
    prefix + name: signature(getattr(space, name))
    for prefix, space, more in (
        ("", strict, ()),
        ("linalg.", strict.linalg, ("eig", "eigvals")),  # which are not in its list
        ("fft.", strict.fft, ()),
    )
    for name in (*space.__all__, *more)
    if inspect.isfunction(getattr(space, name)) and name not in STRICTS_OWN
}
"""Every function of the standard."""
ELEMENTWISE: Final = {
    name
    for name in SIGNATURES
    if "_elementwise_" in getattr(getattr(strict, name, 0), "__module__", "")
}
BINARY: Final = {name for name in ELEMENTWISE if "x2" in SIGNATURES[name].parameters}
METHODS: Final = {
    name: signature(getattr(strict._array_object.Array, name))
    for name in words(
        "__abs__ __bool__ __complex__ __dlpack_device__ __float__ __index__ __int__ __invert__ "
        "__neg__ __pos__ __add__ __and__ __eq__ __floordiv__ __ge__ __gt__ __le__ __lshift__ "
        "__lt__ __matmul__ __mod__ __mul__ __ne__ __or__ __pow__ __rshift__ __sub__ __truediv__ "
        "__xor__ __array_namespace__ __dlpack__ __getitem__ __setitem__"
    )
}
"""Every method of the array object, with its parameters after `self`."""
# array-api-strict takes the stream by position as well.
METHODS["to_device"] = inspect.signature(lambda device, /, *, stream=None: None)
INFORMATION: Final = {
    name: signature(getattr(strict.__array_namespace_info__(), name))
    for name in words("capabilities default_device devices default_dtypes dtypes")
}
"""Every method of what `__array_namespace_info__` returns."""

ATTRIBUTES: Final = ("T", "device", "dtype", "mT", "ndim", "shape", "size")
CONSTANTS: Final = ("e", "inf", "nan", "newaxis", "pi")

SIGNED: Final = ("int8", "int16", "int32", "int64")
UNSIGNED: Final = ("uint8", "uint16", "uint32", "uint64")
INTEGER: Final = SIGNED + UNSIGNED
REAL_FLOATING: Final = ("float32", "float64")
COMPLEX: Final = ("complex64", "complex128")
FLOATING: Final = REAL_FLOATING + COMPLEX
REAL: Final = REAL_FLOATING + INTEGER
NUMERIC: Final = REAL + COMPLEX
ALL: Final = (*NUMERIC, "bool")
