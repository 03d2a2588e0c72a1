"""The pool of memory of a CUDA device where no other library has one.

The driver's `cuMemAlloc` takes 22 us and waits for the device, a block of the pool 1 us. Memory of
`cuMemAlloc` can be handed to other processes, which memory of the driver's own pools cannot.
"""

from __future__ import annotations

import sys
from collections import deque
from typing import TYPE_CHECKING, Any

from xarr import references, tuning
from xarr.backends import cuda_streams

if TYPE_CHECKING:
    from xarr.backends.cuda_native import NativeDriver


class Block(cuda_streams.Block):
    """A block of a pool, and back there when it is dropped."""

    __slots__ = ()

    def give_back(self, event: cuda_streams.Event | None) -> None:
        """Give the memory back to the pool."""
        self.memory.put_back(self, event)


Free = tuple[int, int, cuda_streams.Event | None]
"""A free block: its size and where it is, and the end of what was last asked of it."""


class Pool:
    """Memory for reuse, by the class of its size.

    Where the system is asked for more, no more may be free than was ever in use at a time: the
    classes that were not used for the longest time give theirs back first. A program's own
    `resource` pools by itself: what comes from it goes back at once.
    """

    def __init__(self, driver: NativeDriver) -> None:
        self._driver = driver
        self.resource: Any = None
        # By whichever thread dropped them. Garbage may still read a block that `__del__` was called
        # of, in finalizers that come later; what they bring back to life keeps the block.
        self._returned: deque[tuple[Block, cuda_streams.Event | None]] = deque()
        self._free: dict[int, list[Free]] = {}  # by size, the last used last
        # The owners live here, not in the blocks: the garbage collector runs the finalizer of an
        # owner, which frees the memory, before the `__del__` of a block that dies with it.
        self._owners: dict[int, Any] = {}
        self._resources: dict[int, Any] = {}  # where the memory of a program's resource came from
        self._free_nbytes = 0
        self._peak_nbytes = 0
        self.reserved_nbytes = 0

    def take(self, nbytes: int) -> Block:
        """A block of at least `nbytes`; MemoryError when there is none."""
        if self._returned:
            self._collect()
        if self.resource is not None:
            return self._of_resource(nbytes)
        size = size_class(nbytes)
        free = self._free.pop(size, [])
        self._free[size] = free
        event = None
        if free:
            size, pointer, event = free.pop()
            self._free_nbytes -= size
        else:
            while self._free_nbytes > self._peak_nbytes:
                self._give_back(next(size for size, free in self._free.items() if free))
            pointer = self._reserve(size, *self._driver.reserved(size))
        self._peak_nbytes = max(self._peak_nbytes, self.reserved_nbytes - self._free_nbytes)
        block = Block(self._driver, pointer, size, self)
        if event is not None:
            block.event = event
        return block

    def _of_resource(self, nbytes: int) -> Block:
        resource = self.resource
        pointer = self._reserve(nbytes, *self._driver.reserved_by(resource, nbytes))
        self._resources[pointer] = resource
        return Block(self._driver, pointer, nbytes, self)

    def _reserve(self, nbytes: int, pointer: int, owner: Any) -> int:
        self._owners[pointer] = owner
        self.reserved_nbytes += nbytes
        return pointer

    def put_back(self, block: Block, event: cuda_streams.Event | None) -> None:
        """Keep the memory of a block for reuse, once nothing refers to the block any more."""
        self._returned.append((block, event))

    def clear(self) -> None:
        """Give what is kept back to the system."""
        self._collect()
        for size in tuple(self._free):
            self._give_back(size)

    def _collect(self) -> None:
        """Sort in what was returned and is referred to no more."""
        for _ in range(len(self._returned)):
            block, event = self._returned.popleft()
            if references.COUNTED and sys.getrefcount(block) > references.IN_VARIABLE:
                self._returned.append((block, event))
                continue
            event = self._driver.last_uses.pop(id(block), event)
            if self._resources and self._resources.pop(block.pointer, None) is not None:
                self._release(block.nbytes, block.pointer, event)
                continue
            free = self._free.pop(block.nbytes, [])
            free.append((block.nbytes, block.pointer, event))
            self._free[block.nbytes] = free
            self._free_nbytes += block.nbytes

    def _give_back(self, size: int) -> None:
        """Give the free blocks of a class back to the system."""
        for freed in self._free.pop(size):
            self._free_nbytes -= size
            self._release(*freed)

    def _release(self, nbytes: int, pointer: int, event: cuda_streams.Event | None) -> None:
        if event is not None:
            self._driver.hold_default_stream(event)
        del self._owners[pointer]
        self.reserved_nbytes -= nbytes


def size_class(nbytes: int) -> int:
    """The size of the blocks that serve requests of `nbytes`."""
    nbytes = max(nbytes, tuning.SMALLEST_NBYTES)
    step = 1 << nbytes.bit_length() - tuning.LEADING_BITS
    return -(-nbytes // step) * step
