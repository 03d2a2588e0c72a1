# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Blocks of memory of a CUDA device, and the pool of those that no other library's pool keeps.

The driver's `cuMemAlloc` takes 22 us and waits for the device, a block of the pool 0.3. Memory of
`cuMemAlloc` can be handed to other processes, which memory of the driver's own pools cannot.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, Any

from xarr import references, tuning
from xarr.ir import _cython as cython

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on
if not cython.compiled:
    from sys import getrefcount as held_by
if TYPE_CHECKING:
    from xarr.backends.cuda_memory import Memory
    from xarr.backends.cuda_streams import Event, Streams

_SMALLEST = cython.declare(cython.Py_ssize_t, tuning.SMALLEST_NBYTES)
_LEADING_BITS = cython.declare(cython.Py_ssize_t, tuning.LEADING_BITS)
_NO_LIMIT = cython.declare(object, math.inf)


@cython.ccall
def _count() -> cython.Py_ssize_t:
    """Return the count of references to an object that one local variable holds."""
    local: object = object()
    return held_by(local)


_ALONE = cython.declare(cython.Py_ssize_t, _count())


@cython.cclass
class Block:
    """Memory on a device, given back when it is dropped.

    Attributes
    ----------
    driver : Streams
        The driver that it belongs to.
    pointer, nbytes : int
        Where it begins, and how long it is.
    memory : object
        What keeps it.
    counted_nbytes : int
        What the driver counts as live for it.
    """

    driver: Any
    pointer: int
    nbytes: int
    memory: Any
    counted_nbytes: int

    def __init__(self, driver: Streams, pointer: int, nbytes: int, memory: Any) -> None:
        """Describe memory that `memory` keeps."""
        self.driver = driver
        self.pointer = pointer
        self.nbytes = nbytes
        self.memory = memory
        self.counted_nbytes = 0

    @property
    def event(self) -> Event | None:
        """The end of its last use; None where that was on the default stream."""
        return self.driver.last_uses.get(id(self))  # type: ignore[no-any-return]

    @event.setter
    def event(self, event: Event | None) -> None:
        if event is not None:
            self.driver.last_uses[id(self)] = event
        else:
            self.driver.last_uses.pop(id(self), None)

    def __del__(self) -> None:
        """Give the memory back, in whichever thread, without the lock of the device."""
        if type(self.memory) is Pool:
            put_back(self.memory, self)
            return
        driver = self.driver
        if self.counted_nbytes:
            driver.freed_nbytes.append(self.counted_nbytes)
        event = driver.last_uses.pop(id(self), None)
        if event is not None:
            # The next user of the memory may begin on the default stream.
            driver.hold_default_stream(event)


@cython.cclass
class Pool:
    """Memory for reuse, by the class of its size.

    Where the system is asked for more, no more may be free than was ever in use at a time: the
    classes that were not used for the longest time give theirs back first. A program's own
    `resource` pools by itself: what comes from it goes back at once. The bytes in use are counted
    here, those of blocks of other pools as well.

    Attributes
    ----------
    resource : object or None
        What gives memory instead of the system.
    reserved_nbytes : int
        The bytes of all blocks, in use or free.
    most_nbytes : int
        The most bytes that were asked for and in use at a time.
    """

    driver: Any
    are_counted: bool
    resource: Any
    freed: Any
    returned: Any
    free: dict[Any, Any]
    owners: dict[Any, Any]
    resources: dict[Any, Any]
    reserved_nbytes: int
    free_nbytes: int
    peak_nbytes: int  # of whole blocks
    asked_nbytes: int
    most_nbytes: int

    def __init__(self, driver: Memory) -> None:
        """Begin empty."""
        self.driver = driver
        self.are_counted = references.are_counted()
        self.freed = deque()  # the bytes of dropped blocks that are no part of the pool
        # By whichever thread dropped them. Garbage may still read a block that `__del__` was called
        # of, in finalizers that come later; what they bring back to life keeps the block.
        self.returned = deque()
        # By size, the last used last: where memory is, and the end of what was last asked of it.
        self.free = {}
        # The owners live here, not in the blocks: the garbage collector runs the finalizer of an
        # owner, which frees the memory, before the `__del__` of a block that dies with it.
        self.owners = {}
        self.resources = {}  # where the memory of a program's resource came from

    @cython.ccall
    def front(self, nbytes: cython.Py_ssize_t) -> Block | None:
        """Return a free block of at least `nbytes`, counted as in use; None when there is none."""
        block: Block
        if self.returned:
            self.collect()
        if self.resource is not None or self.driver.limit_nbytes is not _NO_LIMIT:
            return None
        size: cython.Py_ssize_t = size_class(nbytes)
        free: list[Any] | None = self.free.pop(size, None)
        if free is None:
            return None
        self.free[size] = free
        if not free:
            return None
        block = self._of_free(size, free)
        self.count(block, nbytes)
        return block

    @cython.ccall
    def count(self, block: Block, nbytes: cython.Py_ssize_t) -> object:
        """Count so many bytes of a block as asked for, as long as it is in use."""
        if self.freed:
            self._forget_freed()
        block.counted_nbytes = nbytes
        self.asked_nbytes += nbytes
        if self.asked_nbytes > self.most_nbytes:
            self.most_nbytes = self.asked_nbytes
        return None

    def used_nbytes(self) -> int:
        """Return the bytes that were asked for and are in use."""
        self.collect()
        self._forget_freed()
        return self.asked_nbytes

    def _forget_freed(self) -> None:
        while self.freed:
            self.asked_nbytes -= self.freed.popleft()

    @cython.cfunc
    def _of_free(self, size: cython.Py_ssize_t, free: list[Any]) -> Block:
        """Return the block of a class that was freed last."""
        pointer, event = free.pop()
        self.free_nbytes -= size
        self._note_peak()
        block: Block = Block.__new__(Block)  # garbage whose finalizers take blocks may go here
        block.driver, block.memory = self.driver, self
        block.pointer, block.nbytes, block.counted_nbytes = pointer, size, 0
        if event is not None:
            block.event = event
        return block

    @cython.cfunc
    def _note_peak(self) -> cython.void:
        used: cython.Py_ssize_t = self.reserved_nbytes - self.free_nbytes
        if used > self.peak_nbytes:
            self.peak_nbytes = used

    def take(self, nbytes: int) -> Block:
        """Return a block of at least `nbytes`; MemoryError when there is none."""
        if self.returned:
            self.collect()
        resource = self.resource
        if resource is not None:
            pointer = self._reserve(nbytes, *self.driver.reserved_by(resource, nbytes))
            self.resources[pointer] = resource
            return Block(self.driver, pointer, nbytes, self)
        size: cython.Py_ssize_t = size_class(nbytes)
        free: list[Any] = self.free.pop(size, [])
        self.free[size] = free
        if free:
            return self._of_free(size, free)
        while self.free_nbytes > self.peak_nbytes:
            self._give_back(next(iter([size for size, free in self.free.items() if free])))
        pointer = self._reserve(size, *self.driver.reserved(size))
        self._note_peak()
        return Block(self.driver, pointer, size, self)

    def _reserve(self, nbytes: int, pointer: int, owner: Any) -> int:
        self.owners[pointer] = owner
        self.reserved_nbytes += nbytes
        return pointer

    def clear(self) -> None:
        """Give what is kept back to the system."""
        self.collect()
        for size in tuple(self.free):
            self._give_back(size)

    @cython.ccall
    def collect(self) -> object:
        """Sort in what was returned and is referred to no more.

        A finalizer that runs meanwhile, of an event that is dropped here or of garbage, may call
        this: it then sorts in the rest.
        """
        block: Block
        left: cython.Py_ssize_t = len(self.returned)
        while left and self.returned:
            left -= 1
            block, event = self.returned.popleft()
            if self.are_counted and held_by(block) > _ALONE:
                self.returned.append((block, event))
                continue
            self.asked_nbytes -= block.counted_nbytes
            if self.driver.last_uses:
                event = self.driver.last_uses.pop(id(block), event)
            if self.resources and self.resources.pop(block.pointer, None) is not None:
                self._release(block.nbytes, block.pointer, event)
                continue
            memory = block.pointer, event
            fresh: list[Any] = []
            free: list[Any] | None = self.free.pop(block.nbytes, None)
            # From here to the end nothing is made or dropped, so that no finalizer runs.
            if free is None:
                free = fresh
            free.append(memory)
            self.free[block.nbytes] = free
            self.free_nbytes += block.nbytes
        return None

    def _give_back(self, size: int) -> None:
        """Give the free blocks of a class back to the system."""
        for pointer, event in self.free.pop(size, ()):
            self.free_nbytes -= size
            self._release(size, pointer, event)

    def _release(self, nbytes: int, pointer: int, event: Event | None) -> None:
        if event is not None:
            self.driver.hold_default_stream(event)
        del self.owners[pointer]
        self.reserved_nbytes -= nbytes


@cython.cfunc
def put_back(pool: Pool, block: Block) -> cython.void:
    """Keep the memory of a block for reuse, once nothing refers to the block any more."""
    last_uses: dict[Any, Any] = pool.driver.last_uses
    pool.returned.append((block, last_uses.pop(id(block), None) if last_uses else None))


@cython.ccall
def size_class(nbytes: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the size of the blocks that serve requests of `nbytes`."""
    step: cython.Py_ssize_t = 1
    if nbytes < _SMALLEST:
        nbytes = _SMALLEST
    most: cython.Py_ssize_t = nbytes >> _LEADING_BITS
    while step <= most:
        step <<= 1
    return (nbytes + step - 1) // step * step
