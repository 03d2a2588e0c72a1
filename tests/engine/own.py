"""Own kernels of random programs, and what they are in NumPy.

A call means the same in both: results are computed from what the operands were before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy

import xarr

RAW_TYPES: Final = {"int64": "i64", "int32": "i32", "float32": "f32"}
"""The data types of `RawKernel`s, and what they are in C."""
DTYPES: Final = (*RAW_TYPES, "float64", "uint8")
"""Data types in which C and NumPy compute the same."""

_SOURCE: Final = """
KERNEL void changed(GLOBAL T *x, GLOBAL const T *y, i64 n, T by)
{
    const i64 i = GLOBAL_ID(0);
    if (i < n) {
        x[i] = x[i] * 2 + y[i] - by;
    }
}
"""
_CHANGED: Final = {
    name: xarr.RawKernel(f"typedef {kind} T;\n{_SOURCE}", "changed")
    for name, kind in RAW_TYPES.items()
}
_MIRRORED: Final = xarr.ElementwiseKernel(
    "T x, raw T y", "T z", "z = 2 * x + y[y.size() - 1 - i % y.size()]", "mirrored"
)


def _changed(x: Any, y: Any, by: int) -> None:
    if x.size:
        _CHANGED[str(x.dtype)]((-(-x.size // 16),), (16,), (x, y, x.size, by))


OURS: Final[dict[str, Callable[..., Any]]] = {
    "mixed": xarr.ElementwiseKernel("T x, T y", "T z", "z = 2 * x + y", "mixed"),
    "raised": xarr.ElementwiseKernel("T x, T y", "T z", "if (x > y) z = x; z += 1", "raised"),
    "parts": xarr.ElementwiseKernel(
        "T x, T y", "T more, T less", "more = x + y + i % 3; less = x - y", "parts"
    ),
    "mirrored": _MIRRORED,
    "total": xarr.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a + 1", 0, "total"),
    "many": xarr.ReductionKernel(
        "T x, T least", "int64 y", "x > least ? 1 : 0", "a + b", "y = a", 0, "many"
    ),
    "changed": _changed,
}


def _given(results: tuple[Any, ...], outs: tuple[Any, ...]) -> Any:
    """What a kernel's results are, after the outputs that were given have them."""
    for out, result in zip(outs, results, strict=False):
        out[...] = result
    found = tuple(numpy.asarray(result) for result in results)
    return found[0] if len(found) == 1 else found


def _mixed(x: Any, y: Any, *outs: Any) -> Any:
    return _given((2 * numpy.asarray(x) + y,), outs)


def _raised(x: Any, y: Any, out: Any) -> Any:
    return _given((numpy.where(numpy.greater(x, y), x, out) + 1,), (out,))


def _parts(x: Any, y: Any, *outs: Any) -> Any:
    more = numpy.asarray(numpy.asarray(x) + y)
    places = (numpy.arange(more.size) % 3).reshape(more.shape).astype(more.dtype)
    return _given((more + places, numpy.asarray(x) - y), outs)


def _mirrored(x: Any, y: Any, *outs: Any) -> Any:
    x = numpy.asarray(x)
    turned = numpy.ravel(y)[::-1][numpy.arange(x.size) % numpy.size(y)].reshape(x.shape)
    return _given((2 * x + turned,), outs)


def _total(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    x = numpy.asarray(x)
    found = numpy.sum(x * x, axis=axis, keepdims=keepdims, dtype=x.dtype)
    return numpy.asarray(found + x.dtype.type(1))


def _many(x: Any, least: Any, axis: Any = None, keepdims: bool = False) -> Any:
    where = numpy.greater(x, least)
    return numpy.asarray(numpy.sum(where, axis=axis, keepdims=keepdims, dtype="int64"))


def _change(x: Any, y: Any, by: int) -> None:
    x[...] = x * 2 + y - by


THEIRS: Final[dict[str, Callable[..., Any]]] = {
    "mixed": _mixed,
    "raised": _raised,
    "parts": _parts,
    "mirrored": _mirrored,
    "total": _total,
    "many": _many,
    "changed": _change,
}
