"""Operands beside an array, as nodes: numbers, NumPy arrays, lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy

from xarr import dtypes, errors
from xarr.array.nested import holds_arrays, node_within, stacked
from xarr.array.transfers import from_host, host_values
from xarr.backends.device import Device, default_float, require_on, require_together
from xarr.core.views import Node, constant
from xarr.dtypes import DType
from xarr.engine import engine
from xarr.layout import index_of

Scalar = bool | int | float | complex


def scalar_node(value: Scalar, dtype: DType, device: Device, where: str) -> Node:
    """A Python scalar as a constant of `dtype`, rounded to it."""
    kind = dtype.kind
    if kind in dtypes.INTEGER:
        low, high = dtypes.integer_bounds(dtype)
        if not low <= value <= high:  # type: ignore[operator]
            raise errors.refused(
                OverflowError,
                where,
                f"the Python integer {value} is out of bounds for {dtype}",
                f"{dtype} holds {low} to {high}",
                "convert the array to a wider dtype first",
            )
        value = int(value)  # type: ignore[arg-type]
    elif kind == dtypes.BOOL:
        value = bool(value)
    elif kind == dtypes.REAL:
        value = float(value) if dtype is dtypes.float64 else _rounded(value, dtype)  # type: ignore[arg-type]
    else:
        value = complex(value) if dtype is dtypes.complex128 else _rounded(value, dtype)
    return constant(value, dtype, (), device)


_LARGEST: Final = {
    row: float(numpy.finfo(row.numpy).max) for row in dtypes.TABLE if row.kind in dtypes.FLOATING
}


def _rounded(value: Any, dtype: DType) -> Any:
    if max(abs(value.real), abs(value.imag)) <= _LARGEST[dtype]:
        return dtype.numpy.type(value).item()
    return dtypes.quietly(dtype.numpy.type, value).item()


def operand(value: Any, other: Node, where: str) -> Node | None:
    """The node of an operand beside another one; None of what is no operand."""
    kind = type(value)
    if kind is Node:
        node: Node = value
        require_together(node.device, other.device, where)
        return node
    if kind is float or kind is int or kind is bool or kind is complex:
        return scalar_node(
            value,
            dtypes.of_python_scalar(value, other.dtype, default_float(other.device)),
            other.device,
            where,
        )
    if isinstance(value, numpy.generic):
        row = dtypes.BY_NUMPY.get(value.dtype)
        if row is None:
            return None
        require_on(other.device, row, where)
        return constant(value.item(), row, (), other.device)
    if isinstance(value, bool | int | float | complex):
        return operand(_plain(value), other, where)
    if isinstance(value, list | tuple) and holds_arrays(value):
        return _rows(value, other, where)
    if isinstance(value, numpy.ndarray | list | tuple | range):
        return from_host(host_values(value, where, "the list"), other.device, where)
    return None


def _rows(values: Sequence[Any], other: Node, where: str) -> Node | None:
    """The node of a nested sequence that holds arrays."""
    parts = list[Node]()
    for item in values:
        given: Any = node_within(item)
        if given is None:
            given = item if isinstance(item, list | tuple) else numpy.asarray(item)
        part = operand(given, other, where)
        if part is None:
            return None
        parts.append(part)
    return stacked(parts, where, "the list")


def widened(node: Node, other: Node, value: Any) -> Node:
    """A node beside `other`, the node of `value`, on a device without float64.

    Beside a Python scalar it has the scalar's type at once: int64 and float32 promote to float64.
    """
    if node.device.narrow and type(value) in (int, float, complex):
        return engine.converted(node, other.dtype)
    return node


def no_array(name: str, value: object, where: str, accepted: str = "an Array") -> TypeError:
    """The error that says that an argument is no array."""
    return errors.type_error(
        where,
        f"{name} is of type {type(value).__name__}",
        f"{accepted} is accepted",
        f"make one with xarr.asarray({name})",
    )


def _plain(value: Scalar) -> Scalar:
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    return complex(value)


def integer(value: Any, where: str, name: str) -> int:
    """An argument that is one integer."""
    try:
        return index_of(value)
    except TypeError:
        raise errors.type_error(where, f"{name} is {value!r}", "an integer is accepted") from None
