"""The numerical libraries of the host, working on a device's memory.

What xarr has no kernel for, or a CPU's library does better, NumPy does (LAPACK, pocketfft, its
sorts). On a device that shares the host's memory it reads and writes the buffers themselves; else
the values travel there and back, and a warning says so once. Knows no function by name.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import engine, errors, layout
from xarr.dtypes import DType
from xarr.expression import Node, leaf
from xarr.layout import Layout, Shape
from xarr.storage import Storage

if TYPE_CHECKING:
    from xarr.device import Device

Host = numpy.ndarray[Any, numpy.dtype[Any]]


def is_preferred(device: Device) -> bool:
    """Whether the host's library is the device's own: on a CPU."""
    return device.info.kind == "cpu" and device.info.shares_host_memory


def room(shape: Shape, dtype: DType, device: Device) -> Node:
    """A new leaf in C order, its values undefined."""
    where = layout.contiguous(shape)
    return leaf(engine.allocate(device, where.size * dtype.itemsize), where, dtype)


@contextmanager
def opened(
    name: str, operands: Sequence[Node], results: Sequence[Node] = ()
) -> Iterator[list[Host]]:
    """Nodes' values as NumPy arrays while the block is open: read-only operands, then results.

    Results are leaves from `room`; what is written to them is theirs afterwards. `name` is the
    function that a warning names.
    """
    nodes = (*operands, *results)
    device = nodes[0].device
    for node in operands:
        engine.compute(node)
    if device.info.kind != "cpu":
        _warn(name, device)
    with device.lock, ExitStack() as stack:
        memory = dict[int, Host]()
        for place, node in enumerate(nodes):
            storage = _storage(node)
            if storage.serial in memory:
                continue
            if device.info.shares_host_memory:
                memory[storage.serial] = stack.enter_context(device.driver.map(storage.buffer))
            else:
                memory[storage.serial] = host = numpy.empty(storage.nbytes, numpy.uint8)
                if place < len(operands):
                    device.driver.download(storage.buffer, 0, host)
        arrays = [_as_array(node, memory[_storage(node).serial]) for node in nodes]
        for array in arrays[: len(operands)]:
            array.flags.writeable = False
        yield arrays
        if not device.info.shares_host_memory:
            for node in results:
                storage = _storage(node)
                device.driver.upload(storage.buffer, 0, memory[storage.serial])


def _storage(node: Node) -> Storage:
    assert node.storage is not None
    return node.storage


def _as_array(node: Node, memory: Host) -> Host:
    """What lies at a leaf's place in the bytes of its storage."""
    where = node.layout
    assert where is not None
    if where.size == 0:
        return numpy.empty(where.shape, node.dtype.numpy)
    return array_of(memory, where, node.dtype)


def array_of(memory: Host, where: Layout, dtype: DType) -> Host:
    """The elements at a layout in the bytes of a storage, as a NumPy view."""
    itemsize = dtype.itemsize
    return numpy.ndarray(
        where.shape,
        dtype.numpy,
        memory.data,
        where.offset * itemsize,
        tuple(stride * itemsize for stride in where.strides),
    )


def _warn(name: str, device: Device) -> None:
    if (name, device) not in _warned:
        _warned.add((name, device))
        way = "" if device.info.shares_host_memory else ", and the values travel there and back"
        warnings.warn(
            errors.message(
                name,
                f"{device} ({device.info.name}) has no routine for it",
                "the host computes it" + way,
                "this is said once",
            ),
            errors.HostFallbackWarning,
            stacklevel=5,
        )


_warned: Final[set[tuple[str, Device]]] = set()
