"""Where an expression becomes a launch: ordering, planning, specialising, allocating, launching.

The rules that keep deferred work and mutable views together stand here, each once:

- a node is computed at most once: `_kept` finds every value that somebody still refers to;
- before a storage is written, every value of an array that reads it is computed, as long as anyone
  refers to the value, the array or a function at work: `settle_readers`;
- a temporary that has been written is read from there, if at all: `write`;
- a write that may read what it overwrites goes through a temporary: `write`;
- a result may take over the buffer of an operand only when nobody can see it: `_donor`.
"""

from __future__ import annotations

import gc
import math
import struct
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarr import dtypes, errors, garbage, layout, references
from xarr.backends.device import before_synchronizing
from xarr.compiler import cache, source
from xarr.engine.expression import (
    LIMIT_NODES,
    LIMIT_PENDING,
    LIMIT_STORAGES,
    Node,
    Operation,
    constant,
    leaf,
    trace,
)
from xarr.engine.plan import INDEX, STRIP, Form, Indirect, Plan, Store, cast
from xarr.engine.storage import Storage
from xarr.layout import Layout, Shape
from xarr.settings import settings

if TYPE_CHECKING:
    from xarr.backends.device import Device
    from xarr.dtypes import DType

LIMIT_OUTPUTS: Final = 8
_ROUNDS: Final = 8
"""How often readers are looked for before a write: some finalizers would never let it end."""
GROUP: Final = 256
"""Items of a group on a device that is not a CPU."""


class Kernel(NamedTuple):
    """A compiled kernel, how its argument block is packed, and the skeleton that it was made of."""

    handle: Any
    arguments: struct.Struct
    skeleton: str


class Counts:
    """What the engine has done, for tests and benchmarks: launches and compilations."""

    def __init__(self) -> None:
        self.launches = 0
        self.compilations = 0
        self.observers: list[Callable[[str, Plan], None]] = []
        self.watchers: list[Callable[[Kernel, float], None]] = []
        """Are told of each launch and the seconds that it took, for which it is waited."""


counts: Final = Counts()


class _Mode:
    """How many `eager()` blocks are open; XARR_EAGER opens one for good."""

    def __init__(self) -> None:
        self.eager = 1 if settings().eager else 0


_mode: Final = _Mode()


@contextmanager
def eager() -> Iterator[None]:
    """Run each operation at once within a ``with`` block, with the same bits.

    Useful to see in which line a slow or failing operation is.
    """
    _mode.eager += 1
    try:
        yield
    finally:
        _mode.eager -= 1


def defer(operation: Operation, inputs: tuple[Node, ...], shape: Shape) -> Node:
    """The pending node that applies an operation to operands that broadcast to `shape`."""
    device = inputs[0].device
    # Before operands are asked what they read: what turns into a leaf meanwhile is seen by this.
    revision = device.revision
    reads = None
    count = 1
    for operand in inputs:
        if operand.shape != shape and operand.operation is not None:
            _settle_smaller(operand, shape)
        count += operand.count
        operand.users += 1
        own = reads_of(operand)
        if own is not reads:
            reads = own if reads is None else reads | own
    assert reads is not None
    if count > LIMIT_NODES or len(reads) > LIMIT_STORAGES:
        count = _make_room(inputs)
        revision = -1  # what it reads is found when somebody asks
    return Node(operation, inputs, operation.result, shape, device, reads, count, revision)


def index(shape: Shape, device: Device) -> Node:
    """The position of every element of `shape` in C order, as a pending int64 node."""
    return Node(INDEX, (), dtypes.int64, shape, device, frozenset(), 1)


_CASTS: Final[dict[tuple[DType, DType], Operation]] = {}


def converted(node: Node, dtype: DType) -> Node:
    """The node converted to another data type; the node itself where it has it already."""
    if node.dtype is dtype:
        return node
    if node.operation is None and node.storage is None:
        value = dtypes.quietly(node.dtype.numpy.type(node.value).astype, dtype.numpy)
        return constant(value.item(), dtype, node.shape, node.device)
    return defer(_cast(node.dtype, dtype), (node,), node.shape)


def copied(node: Node) -> Node:
    """A new node with the same value, which nothing shares."""
    return defer(_cast(node.dtype, node.dtype), (node,), node.shape)


def unowned(node: Node) -> Node:
    """The node, or another one of the same value where an array has it as its own already."""
    if not node.owned():
        return node
    if node.operation is not None:
        return copied(node)
    if node.storage is not None and node.layout is not None:
        return leaf(node.storage, node.layout, node.dtype)
    return constant(node.value, node.dtype, node.shape, node.device)


def _cast(given: DType, wanted: DType) -> Operation:
    operation = _CASTS.get((given, wanted))
    if operation is None:
        operation = Operation("astype", (given,), wanted, cast("{0}", given, wanted))
        _CASTS[given, wanted] = operation
    return operation


def broadcast(node: Node, shape: Shape) -> Node:
    """The node repeated over `shape`."""
    if node.shape == shape:
        return node
    if node.operation is None and node.storage is None:
        return constant(node.value, node.dtype, shape, node.device)
    return defer(_cast(node.dtype, node.dtype), (node,), shape)


def reshaped(node: Node, shape: Shape) -> Node:
    """The node under a shape with as many elements; copied where strides cannot express it."""
    if node.shape == shape:
        return node
    if node.operation is None and node.storage is None:
        return constant(node.value, node.dtype, shape, node.device)
    if node.storage is None and shape[len(shape) - len(node.shape) :] == node.shape:
        return broadcast(node, shape)  # axes of one element in front: stays pending
    compute(node)
    assert node.layout is not None
    where = node.layout.reshaped(shape)
    if where is None:
        node = copied(node)
        compute(node)
        where = layout.contiguous(shape)
    assert node.storage is not None
    return leaf(node.storage, where, node.dtype)


def _settle_smaller(node: Node, shape: Shape) -> None:
    """Compute an operand that would be computed again for each repetition over `shape`."""
    if math.prod(node.shape) != math.prod(shape):
        compute(node)


def _make_room(inputs: tuple[Node, ...]) -> int:
    """Compute operands until an expression of them is within the limits; how many nodes it has."""
    while True:
        count = len(trace(inputs)[0])
        reads = frozenset[int]().union(*map(reads_of, inputs))
        if count < LIMIT_NODES and len(reads) <= LIMIT_STORAGES:
            return count + 1
        largest = max(inputs, key=_weight)
        if largest.operation is None:
            return count + 1
        compute(largest)


def _weight(node: Node) -> int:
    return node.count if node.operation is not None else 0


def register(node: Node) -> None:
    """Note an array's pending value, before which its storages must not be written."""
    device = node.device
    device.pending.append(weakref.ref(node))
    pending, shared = device.pending, device.shared
    if _mode.eager or (shared and not reads_of(node).isdisjoint(shared)):
        compute(node)  # what others can write to is read at once
    if len(pending) > LIMIT_PENDING:
        _trim(device)


def pending_nodes(device: Device) -> Iterator[Node]:
    """The pending values that arrays have or had, newest first.

    What is computed meanwhile is left out, and so is what was only part of it. The iterator holds
    one at a time: held all at once, each would look as if somebody needed it.
    """
    references = device.pending[:]
    gone = 0
    for reference in reversed(references):
        node = reference()
        if node is not None and node.storage is None:
            yield node
        else:
            gone += 1
    if gone > len(references) // 2:
        _forget_the_gone(device)


@garbage.postponed
def _forget_the_gone(device: Device) -> None:
    """Leave in the list the values that are pending, and not only as part of others in it."""
    pending = device.pending
    before = pending[:]
    count = len(before)
    pairs = [
        (reference, node)
        for reference in before
        if (node := reference()) is not None and node.storage is None
    ]
    node = None  # what a name refers to looks as if somebody needed it
    parts = _only_parts([pair[1] for pair in pairs]) if references.COUNTED else set()
    alive = [pair[0] for pair in pairs if pair[1].owned() or id(pair[1]) not in parts]
    # Another thread may append meanwhile; what dies here may have a finalizer that comes here.
    if before and pending[count - 1 : count] and pending[count - 1] is before[-1]:
        pending[:count] = alive


def _only_parts(nodes: list[Node]) -> set[int]:
    """The ids of those nodes to which others of them refer, through parts alone, and nobody else.

    `nodes` have to be held once besides.
    """
    listed = set(map(id, nodes))
    order = trace(nodes)[0]
    uses = dict.fromkeys(map(id, order), 0)  # by what is listed, or only part of that
    parts = set()
    for place in reversed(range(len(order))):  # users before operands
        key = id(order[place])
        held = references.IN_LIST + 2 * (key in listed)
        if sys.getrefcount(order[place]) == held + uses[key]:
            parts.add(key)
        elif key not in listed:
            continue
        for operand in map(id, order[place].inputs):
            uses[operand] += 1
    return parts


def _trim(device: Device) -> None:
    with device.lock:
        _forget_the_gone(device)
        if len(device.pending) > LIMIT_PENDING // 2:
            settle(device)


def settle(device: Device) -> None:
    """Compute everything that is pending on a device."""
    with device.lock:
        for node in pending_nodes(device):
            compute(node)


before_synchronizing.append(settle)


def settle_readers(storage: Storage, spare: Node | None = None) -> None:
    """Compute every pending value that reads a storage, because the storage is to be written.

    What is part of the expression `spare` is left: the write itself computes it.
    """
    serial = storage.serial
    for _ in range(_ROUNDS):
        found = False
        spared: dict[int, int] = trace((spare,))[1] if spare is not None else {}
        for node in pending_nodes(storage.device):
            if serial in reads_of(node) and id(node) not in spared:
                compute(node)
                found = True
        if not found:
            break
        # Memory may have been short, and finalizers have read the storage meanwhile.


def reads_of(node: Node) -> frozenset[int]:
    """The serials of all storages that computing the value reads."""
    if node.operation is None or node.revision == node.device.revision:
        return node.reads
    with node.device.lock:
        # Another thread may have computed the node, but computes none of its operands now.
        if node.operation is not None:
            node.reads = frozenset[int]().union(*map(reads_of, node.inputs))
            node.revision = node.device.revision
        return node.reads


def compute(root: Node) -> None:
    """Turn a pending node into a leaf, in one kernel."""
    if root.storage is not None:
        return
    device = root.device
    with device.lock:
        if root.storage is None:
            _evaluate(root, root.shape, keep=True, donate=True)


def write(storage: Storage, where: Layout, dtype: DType, value: Node) -> None:
    """Store the value of an expression that broadcasts to `where.shape` into a storage."""
    if where.size:
        with storage.device.lock:
            _write(storage, where, dtype, value)


@garbage.postponed
def _write(storage: Storage, where: Layout, dtype: DType, value: Node) -> None:
    if value.operation is not None and math.prod(value.shape) != where.size:
        compute(value)
    if _reads_what_it_overwrites(value, storage, where, dtype):
        value = value if value.operation is not None else copied(value)
        compute(value)
    settle_readers(storage, spare=value)
    storage.writes += 1
    target = (storage, where, dtype)
    passing = (
        value.dtype is dtype
        and value.shape == where.shape
        and storage.serial not in storage.device.shared
        and held_once(value)
    )
    # Whoever took the array out of garbage has it, though `owner` does not say so.
    keep = value.operation is not None and value.owner is not None and not passing
    _evaluate(value, where.shape, keep=keep, target=target)
    if passing and value.wanted():
        value.become_read(_cast(dtype, dtype), storage, where)
        storage.device.revision += value.users > 0


def scatter(root: Node, *, in_order: bool) -> None:
    """Launch an expression whose root writes at computed places (`plan.Indirect`).

    With `in_order`, which needs a CPU, elements are written one after the other, so that the last
    of several that go to one place is the one that stays.
    """
    storage = root.inputs[0].storage
    assert storage is not None
    with storage.device.lock:
        _scatter(root, storage, in_order=in_order)


@garbage.postponed
def _scatter(root: Node, storage: Storage, *, in_order: bool) -> None:
    settle_readers(storage, spare=root)
    storage.writes += 1
    for operand in root.inputs[1:]:
        if not _is_apart(operand, storage):
            raise AssertionError("what is scattered lies in the memory it goes to")
    _evaluate(root, root.shape, in_order=in_order)


def apart(value: Node, storage: Storage) -> Node:
    """The node, or another one of the same value, which reads nothing of a storage's memory."""
    with storage.device.lock:
        if _is_apart(value, storage):
            return value
        value = value if value.operation is not None else copied(value)
        compute(value)
        return value


def _is_apart(value: Node, storage: Storage) -> bool:
    """Whether an expression reads none of a storage's memory."""
    reads, shared = reads_of(value), storage.device.shared
    if storage.serial in reads:
        return False
    # Others may have given the same memory twice.
    return storage.serial not in shared or reads.isdisjoint(shared)


@garbage.postponed
def _evaluate(
    root: Node,
    shape: Shape,
    *,
    keep: bool = False,
    donate: bool = False,
    target: tuple[Storage, Layout, DType] | None = None,
    in_order: bool = False,
) -> None:
    """Compute an expression over `shape` in one kernel, and what has to be kept; see `prepare`."""
    plan, stores = prepare(root, shape, keep=keep, donate=donate, target=target)
    # Memory may have been short, and everything computed on the way.
    if root.storage is None or target is not None:
        _elementwise(plan, root.device, in_order=in_order)
        # At once: what an interruption makes it forget may be overwritten already.
        finish(plan, stores)
        end_before_others(root.device)


def prepare(
    root: Node,
    shape: Shape,
    *,
    keep: bool,
    donate: bool = False,
    target: tuple[Storage, Layout, DType] | None = None,
    split: tuple[int, ...] | None = None,
    names: tuple[str, ...] = ("i",),
    wide: bool = False,
) -> tuple[Plan, list[Store]]:
    """The plan of a kernel that computes `root` and all that has to be kept on the way.

    Returns the plan and the stores whose nodes are leaves once the kernel is launched. `keep` says
    whether `root` itself is stored in new memory, `target` where it is written besides; `split`,
    `names` and `wide` are of `Form`. What exceeds a limit is computed before, so the expression is
    cut and nothing fails.
    """
    device = root.device
    room = device.info.parameter_nbytes * 3 // 4
    recoveries = iter(_RECOVERIES)
    written = target[0] if target is not None else _scattered_to(root)
    # Before anything is computed, `del`: what these names refer to looks as if somebody needed it.
    while True:
        order, uses = trace((root,))
        kept = _kept(order, uses, root)
        if keep and root.storage is None:
            kept.append(root)
        if len(kept) + (target is not None) > LIMIT_OUTPUTS:
            part = kept[LIMIT_OUTPUTS - 2]
            del order, kept
            compute(part)
            continue
        donor = _donor(root, order, uses) if donate else None
        stores = None
        with suppress(MemoryError):
            stores = [_new_store(node, donor if node is root else None) for node in kept]
        if stores is None:
            nbytes = sum([math.prod(node.shape) * node.dtype.itemsize for node in kept])
            del order, kept, donor
            recover = next(recoveries, None)
            if recover is not None:
                recover(device)
                if written is not None:  # finalizers may have read it
                    settle_readers(written, spare=root)
            elif not _compute_largest_operand(root) and root.storage is None:
                raise _refused(device, nbytes)
            continue
        all_stores = stores if target is None else [*stores, Store(root, *target)]
        plan = Plan(root, order, all_stores, shape, split, names, wide=wide)
        plan.uses = sum([uses[id(store.node)] for store in stores])
        if plan.form.argument_nbytes > room and _largest_operand(root) is not None:
            del order, kept, donor, stores, all_stores, plan
            _compute_largest_operand(root)
            continue
        return plan, stores


def _scattered_to(root: Node) -> Storage | None:
    """The storage that an expression's root writes to at computed places."""
    operation = root.operation
    return root.inputs[0].storage if type(operation) is Indirect and operation.writes else None


def finish(plan: Plan, stores: Sequence[Store]) -> None:
    """Turn the nodes that a launched kernel computes into leaves."""
    users = 0
    for store in stores:
        store.node.become_leaf(store.storage, store.layout)
        # After it: another thread counts itself in before it asks what the node reads.
        users += store.node.users
    plan.order[-1].device.revision += users > plan.uses


def _largest_operand(root: Node) -> Node | None:
    """The pending operand of the most nodes; None where there is none."""
    largest = max(root.inputs, key=_weight, default=root)
    return None if largest is root or largest.operation is None else largest


def _compute_largest_operand(root: Node) -> bool:
    """Compute the pending operand of the most nodes; whether there is one."""
    largest = _largest_operand(root)
    if largest is not None:
        compute(largest)
    return largest is not None


def _reads_what_it_overwrites(value: Node, storage: Storage, where: Layout, dtype: DType) -> bool:
    """Whether one element's write may come before another element's read of the same address."""
    shared = storage.device.shared
    for node in trace((value,))[0]:
        if type(node.operation) is Indirect and node.inputs[0].storage is storage:
            return True
        if node.storage is storage:
            read = node.layout
            assert read is not None
            if node.dtype is not dtype:
                return True  # a C compiler takes it that pointers of two types are apart
            if read.broadcast(where.shape) != where and layout.overlap(read, where):
                return True
        elif (
            node.storage is not None and storage.serial in shared and node.storage.serial in shared
        ):
            return True  # others may have given the same memory twice
    return False


def _kept(order: list[Node], uses: dict[int, int], root: Node) -> list[Node]:
    """The interior nodes that somebody else still refers to.

    That is an array, another expression, or a function at work, which has let its array go.
    """
    interior = [
        place
        for place, node in enumerate(order)
        if node.operation is not None and node is not root and node.operation is not INDEX
    ]
    if references.COUNTED:
        return [
            order[place]
            for place in interior
            if sys.getrefcount(order[place]) != references.IN_LIST + uses[id(order[place])]
        ]
    # `users` counts nodes that have died as well: ask the expressions that arrays wait for.
    others = [node for node in pending_nodes(root.device) if id(node) not in uses]
    needed = trace(others)[1]
    nodes = [order[place] for place in interior]
    return [node for node in nodes if node.owned() or id(node) in needed]


def _donor(root: Node, order: list[Node], uses: dict[int, int]) -> Storage | None:
    """A storage that the expression reads, element for element, and that nobody sees after it."""
    dtype = root.dtype
    for place in range(len(order)):
        if (
            order[place].storage is not None
            and order[place].dtype is dtype
            and unshared(order, place, uses[id(order[place])])
            and _is_read_as_written(order[place], root)
            and not any(type(node.operation) is Indirect for node in order)
        ):
            return order[place].storage
    return None


def _is_read_as_written(node: Node, root: Node) -> bool:
    """Whether a leaf has the whole of its storage, and gives each element to the same of `root`."""
    where, storage = node.layout, node.storage
    assert where is not None
    assert storage is not None
    size = math.prod(root.shape)
    return (
        where.linear
        and where.size == size
        and storage.nbytes == size * root.dtype.itemsize
        and storage.serial not in root.device.shared
    )


def unshared(order: list[Node], place: int, uses: int) -> bool:
    """Whether a leaf is referred to by its expression only, and its storage by the leaf only.

    Where references are not counted, it may always be shared.
    """
    return (
        references.COUNTED
        and sys.getrefcount(order[place]) == references.IN_LIST + uses
        and sys.getrefcount(order[place].storage) == references.IN_SLOT
    )


def held_once(node: Node) -> bool:
    """Whether one reference is all that holds the array of a value, as in `x[key] = a + b`.

    Such an array mostly goes away with the statement. From Python 3.14 on a local variable may look
    like that as well.
    """
    array = node.owner() if node.owner is not None else None
    return (
        references.COUNTED
        and array is not None
        and sys.getrefcount(array) == references.IN_VARIABLE + 1
    )


def allocate(device: Device, nbytes: int) -> Storage:
    """A storage, its content undefined.

    When memory is short, what is no longer referred to is freed, then what pending expressions
    still hold, by computing them.
    """
    with device.lock:
        for recover in (None, *_RECOVERIES):
            if recover is not None:
                recover(device)
            with suppress(MemoryError):
                return Storage(device, nbytes, device.driver.allocate(nbytes))
        raise _refused(device, nbytes)


def _new_store(node: Node, donor: Storage | None) -> Store:
    """Room for a value: in a buffer that nobody needs any more, or in a new one."""
    where = layout.contiguous(node.shape)
    if donor is None:
        nbytes = where.size * node.dtype.itemsize
        donor = Storage(node.device, nbytes, node.device.driver.allocate(nbytes))
    return Store(node, donor, where, node.dtype)


def _refused(device: Device, nbytes: int) -> MemoryError:
    info = device.driver.memory_info()
    return MemoryError(
        errors.message(
            f"allocating on {device}",
            f"{nbytes} bytes were asked for",
            f"the device has {info['total_nbytes']} bytes, {info['used_nbytes']} of them in live "
            "arrays",
            "delete arrays that are no longer needed, or work in smaller pieces",
        )
    )


def _free_garbage(device: Device) -> None:
    if device not in _recovering:
        gc.collect()
    device.driver.release_memory()


def _free_operands(device: Device) -> None:
    if device not in _recovering:
        _recovering.add(device)
        try:
            for node in pending_nodes(device):
                with suppress(MemoryError):
                    compute(node)
        finally:
            _recovering.discard(device)
        _free_garbage(device)


_RECOVERIES: Final = (_free_garbage, _free_operands)
"""What frees memory when it is short, in this order."""


_recovering: Final[set[Device]] = set()
"""Devices that are computing what is pending to free memory, so that this happens once."""


def _elementwise(plan: Plan, device: Device, *, in_order: bool = False) -> None:
    """Launch a plan whose elements do not depend on each other."""
    form = plan.form
    launch = form.launches.get(in_order)
    if launch is None:
        if any(0 in group for group in form.extents):
            return
        launch = form.launches[in_order] = _launch_of(form, device, in_order=in_order)
    for observer in counts.observers:
        observer("elementwise.c", plan)
    packed = launch.kernel.arguments.pack(*launch.chunks, *plan.values())
    run(device, launch.kernel, launch.grid, plan.storages, packed)


Grid = tuple[tuple[int, ...], tuple[int, ...]]
"""The groups of a launch, and the items of a group, along each dimension."""


class _Launch(NamedTuple):
    """How an elementwise form is launched; `chunks` are the first of its arguments."""

    kernel: Kernel
    grid: Grid
    chunks: tuple[int, ...]


def _launch_of(form: Form, device: Device, *, in_order: bool) -> _Launch:
    extents = [math.prod(group) for group in form.extents]
    if device.info.chunked:
        grid, group, chunks = _chunks(
            extents, 1 if in_order else device.info.compute_units * _TASKS, form.lanes
        )
    else:
        grid, group, chunks = _groups(
            extents, device.info.compute_units, form.lanes, tiled=form.reads_down()
        )
    kernel = kernel_of(
        device,
        "elementwise.c",
        "xr_elementwise",
        form.key,
        lambda: elementwise_defines(form, device),
    )
    return _Launch(kernel, (grid, group), chunks)


def _chunks(extents: list[int], tasks: int, lanes: int) -> tuple[tuple[int, ...], ...]:
    """Items on a CPU, each of which takes a chunk of every extent."""
    if len(extents) == 1:
        (size,) = extents
        chunk = max(_CHUNK, -(-size // tasks))
        if lanes > 1:
            tile = STRIP * lanes
            chunk = -(-chunk // tile) * tile
        return (-(-size // chunk),), (1,), (chunk,)
    rows, columns = extents
    row_chunk = max(-(-rows // tasks), -(-_CHUNK // columns))
    column_chunk = columns
    if rows < tasks:
        pieces = -(-tasks // rows)
        column_chunk = max(_CHUNK, -(-columns // pieces))
    grid = (-(-columns // column_chunk), -(-rows // row_chunk))
    return grid, (1, 1), (row_chunk, column_chunk)


def _groups(
    extents: list[int], units: int, lanes: int, *, tiled: bool
) -> tuple[tuple[int, ...], ...]:
    """Groups on a GPU, and the rows that each of their items takes."""
    if len(extents) == 1:
        (size,) = extents
        if lanes > 1:
            return (min(-(-size // (STRIP * lanes)), units * WAVES),), (STRIP,), ()
        return (min(-(-size // GROUP), units * WAVES),), (GROUP,), ()
    rows, columns = extents
    width = min(TILE if tiled else GROUP, 1 << (columns - 1).bit_length())
    height = GROUP // width
    across, down = -(-columns // width), -(-rows // height)
    chunk = min(ROWS, max(1, across * down // (units * _RESIDENT)))
    chunk = max(chunk, -(-down // MOST_GROUPS))
    return (across, -(-down // chunk)), (width, height), (chunk,)


def elementwise_defines(form: Form, device: Device) -> tuple[list[str], str]:
    """What specialises `elementwise.c` for a form, and the format of its arguments."""
    chunked = device.info.chunked
    walked = form.names if chunked else form.names[:-1]
    names = tuple(f"{name}_chunk" for name in walked)
    defines, block = form.described(names)
    defines += [
        f"#define XR_CHUNKED {int(chunked)}",
        f"#define XR_ROWS {len(form.extents) - 1}",
    ]
    if form.lanes > 1:
        defines += [f"#define XR_LANES {form.lanes}", f"#define XR_STRIP {STRIP}"]
    return defines, block


_CHUNK: Final = 4096
"""Elements that are worth an item of its own on a CPU."""
_TASKS: Final = 8
"""Items for each unit of a CPU, so that the units finish together."""
WAVES: Final = 1024
"""Groups for each unit of a GPU, at most: so many that memory is read nearly in order, so few that
a group has more to do than to begin."""
_RESIDENT: Final = 8
"""Groups that a unit of a GPU runs at a time."""
MOST_GROUPS: Final = 65535
"""Groups of a grid in its second and third dimension, which CUDA limits."""
ROWS: Final = 4
"""Rows that an item of a GPU takes, where a grid can have the groups for it."""
TILE: Final = 16
"""Columns of a group that reads columns; its rows use up what the memory gives at a time."""


def kernel_of(
    device: Device,
    skeleton: str,
    entry: str,
    key: Any,
    describe: Callable[[], tuple[list[str], str]],
) -> Kernel:
    """The kernel of a skeleton.

    `key` is all that the kernel's text depends on besides the skeleton; `describe` gives the
    defines and the format of the arguments, and is called only when the key is new.
    """
    kernel: Kernel | None = device.kernels.get((skeleton, key))
    if kernel is None:
        defines, arguments = describe()
        text = source.assemble(
            skeleton, device.info.dialect, defines, has_float64=device.info.has_float64
        )
        kernel = Kernel(_compiled(device, text, entry, key), struct.Struct(arguments), skeleton)
        device.kernels[skeleton, key] = kernel
    return kernel


def run(
    device: Device,
    kernel: Kernel,
    grid: Grid,
    storages: Sequence[Storage],
    arguments: bytes,
) -> None:
    """Launch a kernel with packed arguments; wait for nothing."""
    counts.launches += 1
    groups, items = grid
    buffers = [storage.buffer for storage in storages]
    if not counts.watchers:
        device.driver.launch(kernel.handle, groups, items, buffers, arguments)
        return
    device.driver.synchronize()
    begin = time.perf_counter()
    device.driver.launch(kernel.handle, groups, items, buffers, arguments)
    device.driver.synchronize()
    elapsed_s = time.perf_counter() - begin
    for watcher in counts.watchers:
        watcher(kernel, elapsed_s)


def end_before_others(device: Device) -> None:
    """Wait for what is under way where others read and write the memory whenever they like."""
    if device.shared and device.info.shares_host_memory:
        device.driver.synchronize()


def _contents(entry: str, key: Any) -> tuple[str, tuple[str, ...]]:
    """The names of the operations and of the data types that a kernel's key holds."""
    names: dict[str, None] = {}
    types: dict[str, None] = {}
    rest = [key]
    while rest:
        item = rest.pop()
        name = getattr(item, "name", None)
        if isinstance(name, str):
            (types if isinstance(item, dtypes.DType) else names)[name] = None
            rest += [getattr(item, "result", None), *getattr(item, "operands", ())]
        elif isinstance(item, tuple):
            rest += reversed(item)
    return ", ".join(names) or entry, tuple(types)


def _compiled(device: Device, text: str, entry: str, key: Any) -> Any:
    """The kernel of a source, from the disk cache or from the compiler."""
    dump = settings().dump_source
    disk = cache.disk_cache()
    name = disk.key(source.SCHEMA, text, (), device.info.target)
    if dump is not None:
        folder = Path(dump)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OSError(
                errors.message(
                    "XARR_DUMP_SOURCE", f"{dump} is no folder ({error})", "a folder is accepted"
                )
            ) from error
        (folder / f"{entry}-{name[:16]}.c").write_text(text, encoding="utf-8")
    driver = device.driver
    binary = disk.get(name)
    if binary is not None:
        try:
            return driver.load(binary, entry)
        except ValueError:
            pass
    counts.compilations += 1
    try:
        binary = driver.compile(text)
    except errors.CompileError as error:
        error.op, error.dtypes = _contents(entry, key)
        error.device = str(device)
        raise
    disk.put(name, binary)
    return driver.load(binary, entry)
