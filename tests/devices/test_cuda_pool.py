"""The pool of a CUDA device, on memory that a stand-in for the driver gives."""

from __future__ import annotations

import contextlib
import gc
import math
import random
import sys
import threading
import types
import weakref
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from xarr.backends.cuda_native import NativeDriver
from xarr.backends.cuda_pool import Block, Pool, size_class


class Owner:
    """Memory as the driver gives it: a finalizer frees it."""

    def __init__(self, live: set[int], pointer: int) -> None:
        self.handle = pointer
        weakref.finalize(self, live.discard, pointer)


class Driver:
    """A driver, as far as the pool and its blocks use one."""

    def __init__(self) -> None:
        self.freed_nbytes: deque[int] = deque()
        self.last_uses: dict[int, Any] = {}
        self.held: list[Any] = []
        self.live: set[int] = set()
        self.given = 0
        self.limit_nbytes = math.inf

    def reserved(self, nbytes: int) -> tuple[int, Owner]:
        self.given += 1
        self.live.add(self.given * 4096)
        return self.given * 4096, Owner(self.live, self.given * 4096)

    def reserved_by(self, resource: list[int], nbytes: int) -> tuple[int, Owner]:
        resource.append(nbytes)
        return self.reserved(nbytes)

    def hold_default_stream(self, event: Any) -> None:
        self.held.append(event)


@pytest.fixture
def pool() -> Pool:
    driver: Any = Driver()
    return Pool(driver)


def live_in(pool: Pool) -> set[int]:
    """The addresses that the driver gave and that were not freed."""
    driver: Any = pool.driver
    return driver.live  # type: ignore[no-any-return]


def in_use(pool: Pool) -> tuple[int, int]:
    """The bytes of blocks that are in use, and of those that are free."""
    pool.collect()
    return pool.reserved_nbytes - pool.free_nbytes, pool.free_nbytes


def test_a_block_is_an_eighth_too_large_at_the_most() -> None:
    for nbytes in (*range(1, 5000, 7), 10**6 + 1, 2**31 + 3):
        assert nbytes <= size_class(nbytes) <= max(512, nbytes * 9 / 8)


def test_blocks_are_reused_and_counted(pool: Pool) -> None:
    block = pool.take(1000)
    pointer = block.pointer
    assert in_use(pool) == (1024, 0)
    del block
    assert in_use(pool) == (0, 1024)
    assert pool.take(1020).pointer == pointer
    pool.clear()
    assert in_use(pool) == (0, 0)
    assert not live_in(pool)


def test_memory_of_a_block_in_a_cycle_stays(pool: Pool) -> None:
    cycle: dict[str, Any] = {"block": pool.take(1000)}
    cycle["itself"] = cycle
    del cycle
    gc.collect()
    again = pool.take(1000)
    assert isinstance(again, Block)
    assert again.pointer in live_in(pool)


def test_of_many_sizes_as_much_is_free_as_was_in_use(pool: Pool) -> None:
    draw = random.Random(0)
    live: list[Block] = []
    asked_nbytes = 0
    for _ in range(20_000):
        live.append(pool.take(int(2 ** draw.uniform(0, 24))))
        while len(live) > draw.randrange(1, 64):
            live.pop(draw.randrange(len(live)))
        asked_nbytes = max(asked_nbytes, sum(block.nbytes for block in live))
        assert pool.reserved_nbytes <= 2 * asked_nbytes + (1 << 24)
    live.clear()
    assert in_use(pool)[0] == 0
    assert len(live_in(pool)) == len(pool.owners)


def test_blocks_are_dropped_in_any_thread(pool: Pool) -> None:
    def work(seed: int) -> None:
        draw = random.Random(seed)
        for _ in range(3000):
            with lock:
                block = pool.take(int(2 ** draw.uniform(9, 16)))
            del block  # without the lock
            if not draw.randrange(50):
                with lock:
                    pool.clear()

    lock = threading.Lock()
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(work, range(4)))
    finally:
        sys.setswitchinterval(before)
    pool.clear()
    assert in_use(pool) == (0, 0)
    assert not live_in(pool)


def test_the_end_of_the_last_use_goes_with_the_memory(pool: Pool) -> None:
    block, end = pool.take(1000), object()
    block.event = end  # type: ignore[assignment]
    pointer = block.pointer
    del block
    again = pool.take(1000)
    assert (again.pointer, again.event) == (pointer, end)
    del again
    driver: Any = pool.driver
    assert driver.held == []
    pool.clear()
    assert driver.held == [end]


def test_what_was_used_last_is_kept_longest(pool: Pool) -> None:
    live = {place: pool.take(1024 << place) for place in range(4)}
    pointers = {place: block.pointer for place, block in live.items()}
    for place in (3, 0, 2, 1):
        del live[place]
    block = pool.take(12 << 10)
    last = block.pointer
    del block  # now 27 kilobytes are free, and 15 were in use at a time
    block = pool.take(13 << 10)
    assert set(pool.owners) == {pointers[1], last, block.pointer}


def test_live_bytes_are_counted(pool: Pool) -> None:
    for _ in range(2):  # the second time from the front
        block = pool.front(1000)
        if block is None:
            pool.count(block := pool.take(1000), 1000)
        assert (pool.used_nbytes(), pool.most_nbytes) == (1000, 1000)
        del block
        assert (pool.used_nbytes(), pool.most_nbytes) == (0, 1000)


def test_a_block_that_a_finalizer_still_sees_is_not_given_out(pool: Pool) -> None:
    class Report:
        def __init__(self, block: Any) -> None:
            self.block = block
            self.cycle = self

        def __del__(self) -> None:
            seen.append((self.block.pointer, pool.take(1000).pointer))
            late.append(object())
            self.block.event = late[0]

    seen: list[tuple[int, int]] = []
    late: list[Any] = []
    report = Report(pool.take(1000))  # the block is older, so it is finalized first
    pointer = report.block.pointer
    del report
    gc.collect()
    ((held, taken),) = seen
    assert held == pointer != taken
    blocks = [pool.take(1000), pool.take(1000)]
    assert {block.pointer for block in blocks} == {pointer, taken}
    assert {block.event for block in blocks} == {None, late[0]}
    driver: Any = pool.driver
    assert len(driver.last_uses) == 1


def test_finalizers_of_events_take_blocks(pool: Pool) -> None:
    taken: list[Block] = []

    class Event:
        def __del__(self) -> None:
            taken.append(pool.front(1000) or pool.take(1000))

    blocks = [pool.take(1000) for _ in range(6)]
    pointers = {block.pointer for block in blocks}
    # Each block was used once more after it was returned, as garbage does; the first event is
    # dropped while the pool sorts the blocks in.
    names = [id(block) for block in blocks]
    pool.driver.last_uses |= {name: Event() for name in names[:3]}
    blocks.clear()
    pool.driver.last_uses |= dict.fromkeys(names)
    pool.collect()
    assert len(taken) == 3
    assert {block.pointer for block in taken} < pointers
    assert in_use(pool) == (3 * 1024, 3 * 1024)
    taken.clear()
    assert in_use(pool) == (0, 6 * 1024)


def test_memory_of_a_resource_goes_back_to_it_in_order(pool: Pool) -> None:
    kept = pool.take(1000)
    pool.resource = asked = []
    block, end = pool.take(1000), object()
    assert (asked, block.nbytes) == ([1000], 1000)
    block.event = end  # type: ignore[assignment]
    pool.resource, pointer = None, block.pointer
    del block
    assert in_use(pool) == (1024, 0)
    driver: Any = pool.driver
    assert driver.held == [end]
    assert live_in(pool) == {kept.pointer} != {pointer}


class Resource:
    """A resource as RMM's: it gives addresses, of at most 1,000 bytes at a time."""

    def __init__(self) -> None:
        self.live: dict[int, int] = {}

    def allocate(self, nbytes: int) -> int:
        if nbytes > 1000:
            raise RuntimeError("CUDA_ERROR_OUT_OF_MEMORY: no room")
        self.live[4096] = nbytes
        return 4096

    def deallocate(self, address: int, nbytes: int) -> None:
        assert self.live.pop(address) == nbytes


def test_a_programs_own_resource_gives_and_takes_addresses() -> None:
    driver = NativeDriver.__new__(NativeDriver)
    driver.context = contextlib.nullcontext()  # type: ignore[assignment]
    driver._pool = Pool(driver)
    driver.resource = resource = Resource()
    assert driver.resource is resource
    pointer, owner = driver.reserved_by(resource, 100)
    assert (pointer, resource.live) == (4096, {4096: 100})
    del owner
    assert not resource.live
    with pytest.raises(MemoryError, match="no room"):
        driver.reserved_by(resource, 2000)
    for other in (object(), types.SimpleNamespace(allocate=resource.allocate)):
        with pytest.raises(TypeError, match="None for xarr's pool"):
            driver.resource = other
