"""The door: public functions take Arrays, what is behind it takes nodes."""

from __future__ import annotations

from typing import Any, Final

import numpy

from xarr import dtypes, errors
from xarr.array.array import Array
from xarr.array.conversion import as_array
from xarr.array.operands import operand, widened
from xarr.array.operators import as_operand
from xarr.backends.device import get_device, promoted
from xarr.core.views import Node, constant
from xarr.engine import engine


def node_of(x: Any, where: str, name: str = "") -> Node:
    """The node of an array, or of what can be made one of the default device."""
    return x._node if type(x) is Array else array_of(x, where, name)._node


def array_of(x: Any, where: str, name: str = "") -> Array:
    """The array, or what can be made one of the default device."""
    if type(x) is Array:
        return x
    if isinstance(x, numpy.ndarray | numpy.generic):
        node = operand(x, constant(False, dtypes.bool_, (), get_device()), where)
        if node is not None:
            return Array(node)
    return as_array(x, where, name or errors.operand_of(where))


def beside(value: Any, other: Node, where: str, name: str) -> Node:
    """An operand beside a node: its own, or one on the same device of what can be made one."""
    node = operand(as_operand(value), other, where)
    return as_array(value, where, name, device=other.device)._node if node is None else node


def together(
    x1: Any, x2: Any, where: str, names: tuple[str, str] = ("x1", "x2")
) -> tuple[Node, Node]:
    """Two operands as nodes of the data type that they promote to."""
    if type(x1) is Array and type(x2) is Array:
        first, second = x1._node, x2._node
        if first.dtype is second.dtype and first.device is second.device:
            return first, second
    if type(x1) is Array or type(x2) is not Array:
        first = node_of(x1, where, names[0])
        second = beside(x2, first, where, names[1])
        if type(x1) in SCALARS and type(x2) not in SCALARS:
            first = beside(x1, second, where, names[0])
    else:
        second = x2._node
        first = beside(x1, second, where, names[0])
    first, second = widened(first, second, x2), widened(second, first, x1)
    row = promoted((first.dtype, second.dtype), first.device, where)
    return engine.converted(first, row), engine.converted(second, row)


def arrays_together(x1: Any, x2: Any, where: str, names: tuple[str, str]) -> tuple[Node, Node]:
    """As `together`, but a Python number has the data type that an array of it has."""
    if type(x1) is Array and type(x2) is Array:
        return together(x1, x2, where, names)
    first, second = (
        as_array(x, where, name, device=None if type(other) is not Array else other.device)
        if type(x) in SCALARS and not (type(other) is Array and other._node.device.narrow)
        else x
        for x, other, name in ((x1, x2, names[0]), (x2, x1, names[1]))
    )
    return together(first, second, where, names)


def compared(x1: Any, x2: Any, where: str, names: tuple[str, str]) -> tuple[Node, Node]:
    """As `together`, for values that are only compared: an integer beyond the other's type fits."""
    try:
        return together(x1, x2, where, names)
    except OverflowError:
        if int not in (type(x1), type(x2)):
            raise
        return arrays_together(x1, x2, where, names)


SCALARS: Final = (bool, int, float, complex)
"""Python's numbers, which take the type of what stands beside them."""
