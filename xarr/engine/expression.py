"""The deferred expression: immutable nodes that stand for values not yet computed.

A node is a leaf (a storage and the layout of an array in it), a constant, or an operation on other
nodes. Nodes know data types, shapes, devices and which storages they read; they compute nothing.
When the engine has computed a pending node it turns it into a leaf in place, so everybody who holds
it sees the value and nothing is computed twice. A pending node whose value has been written into
an array may become a read of that place. What a node is worth never changes.

What a pending node reads changes when a part of it turns into a leaf. Nobody looks for the nodes
above: the device's `revision` goes up, and what was found under another one is found again.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.dtypes import DType
    from xarr.engine.storage import Storage
    from xarr.layout import Layout, Shape

LIMIT_NODES: Final = 64
LIMIT_STORAGES: Final = 16
LIMIT_PENDING: Final = 512

_EMPTY: Final[frozenset[int]] = frozenset()


class Operation:
    """What a node computes: one C expression over typed operands.

    Rows of the elementwise table make one of these for each combination of data types; so do casts.
    `template` holds the operands as `{0}`, `{1}`, ...; it is one C expression. Operations are
    compared by identity.
    """

    __slots__ = ("name", "operands", "result", "template")

    def __init__(
        self, name: str, operands: tuple[DType, ...], result: DType, template: str
    ) -> None:
        self.name = name
        self.operands = operands
        self.result = result
        self.template = template

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(row.name for row in self.operands)})"


class Node:
    """One value: a leaf, a constant, or an operation on other nodes.

    Attributes
    ----------
    operation, inputs : Operation or None, tuple of Node
        What computes the value, and from what; None and () in a leaf or a constant.
    storage, layout : Storage or None, Layout or None
        Where the value is; None while it is pending.
    value : Python scalar or None
        The value of a constant, which `dtype` can hold exactly.
    reads : frozenset of int
        The serials of the storages that computing the value read under `revision`; ask
        `engine.reads_of`.
    revision : int
        The device's when `reads` was found; of no meaning in a leaf or a constant.
    count : int
        Nodes of the expression, a shared one counted at each use.
    users : int
        How many nodes were made with this one as an operand.
    owner : weak reference to Array or None
        The array that this is the value of, as long as it exists and has not been rebound.
    """

    __slots__ = (
        "__weakref__",
        "count",
        "device",
        "dtype",
        "inputs",
        "layout",
        "operation",
        "owner",
        "reads",
        "revision",
        "shape",
        "storage",
        "users",
        "value",
    )

    def __init__(
        self,
        operation: Operation | None,
        inputs: tuple[Node, ...],
        dtype: DType,
        shape: Shape,
        device: Device,
        reads: frozenset[int],
        count: int,
        revision: int = -1,
    ) -> None:
        self.operation = operation
        self.inputs = inputs
        self.dtype = dtype
        self.shape = shape
        self.device = device
        self.reads = reads
        self.revision = revision
        self.count = count
        self.users = 0
        self.owner: weakref.ref[Any] | None = None
        self.storage: Storage | None = None
        self.layout: Layout | None = None
        self.value: Any = None

    def owned(self) -> bool:
        """Whether an array still has this node as its value."""
        owner = self.owner
        if owner is None:
            return False
        array = owner()
        return array is not None and array._node is self

    def wanted(self) -> bool:
        """Whether an array waits for the value of this operation."""
        return self.operation is not None and self.owned()

    def become_leaf(self, storage: Storage, where: Layout) -> None:
        """Take the computed value; the expression behind it is let go."""
        self.storage = storage
        self.layout = where
        self.reads = storage.reads  # before `operation` says that these stay what they are
        self.operation = None
        self.inputs = ()
        self.value = None
        self.count = 1
        if self.owned() and self.owner is not None:
            storage.viewers.append(self.owner)

    def become_read(self, copy: Operation, storage: Storage, where: Layout) -> None:
        """Take the value from where it has been written; it stays pending."""
        assert self.storage is None
        place = leaf(storage, where, self.dtype)
        place.users = 1
        self.inputs = (place,)
        self.operation = copy
        self.reads = storage.reads
        self.count = 2


def leaf(storage: Storage, where: Layout, dtype: DType) -> Node:
    """The node of an array that is in memory."""
    node = Node(None, (), dtype, where.shape, storage.device, storage.reads, 1)
    node.storage = storage
    node.layout = where
    return node


def constant(value: Any, dtype: DType, shape: Shape, device: Device) -> Node:
    """One value, repeated over a shape. `value` is a Python scalar that `dtype` holds exactly."""
    node = Node(None, (), dtype, shape, device, _EMPTY, 1)
    node.value = value
    return node


def trace(roots: Iterable[Node]) -> tuple[list[Node], dict[int, int]]:
    """All nodes under `roots`, operands before users, and how often each is used among them."""
    order: list[Node] = []
    uses: dict[int, int] = {}
    for root in roots:
        if id(root) not in uses:
            uses[id(root)] = 0
            _descend(root, order, uses)
    return order, uses


# A function of the module, not a closure: a closure that calls itself is a reference cycle, and
# would keep the nodes, and so their buffers, until the next garbage collection.
def _descend(node: Node, order: list[Node], uses: dict[int, int]) -> None:
    for operand in node.inputs:
        key = id(operand)
        if key in uses:
            uses[key] += 1
        else:
            uses[key] = 1
            _descend(operand, order, uses)
    order.append(node)
