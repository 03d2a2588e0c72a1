"""Nested sequences that hold arrays: their nodes, stacked as rows of a new one. Knows no Array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xarr import errors, layout
from xarr.backends.device import promoted
from xarr.core.views import Node, leaf
from xarr.engine import engine


def node_within(item: Any) -> Node | None:
    """The node of what is an Array."""
    node = getattr(item, "_node", None)
    return node if type(node) is Node else None


def holds_arrays(values: Sequence[Any]) -> bool:
    """Whether an Array stands anywhere in nested lists and tuples."""
    return any(
        type(item) is not float
        and type(item) is not int
        and (
            holds_arrays(item) if isinstance(item, list | tuple) else node_within(item) is not None
        )
        for item in values
    )


def stacked(parts: Sequence[Node], where: str, name: str) -> Node:
    """Nodes of one shape as the rows of a new leaf."""
    device, shape = parts[0].device, parts[0].shape
    for part in parts:
        if part.shape != shape:
            raise errors.value_error(
                where,
                f"{name} holds arrays of shapes {shape} and {part.shape}",
                "nested sequences have the same length at each level",
            )
    row = promoted([part.dtype for part in parts], device, where)
    whole = layout.contiguous((len(parts), *shape))
    storage = engine.reserve(device, whole.size * row.itemsize)
    step = whole.size // len(parts)
    for number, part in enumerate(parts):
        place = layout.Layout(shape, whole.strides[1:], number * step)
        engine.write(storage, place, row, engine.converted(part, row))
    return leaf(storage, whole, row)
