"""The pool of the Numba backend, on memory that a stand-in for Numba's context gives."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from xarr.backends.numba_cuda import Block, Pool, size_class


class Handle:
    """What Numba gives for memory: a finalizer frees it."""

    def __init__(self, context: Context, pointer: int) -> None:
        self.device_pointer_value = pointer
        weakref.finalize(self, context.live.discard, pointer)


class Context:
    """As much of Numba's context as the pool uses."""

    def __init__(self) -> None:
        self.live: set[int] = set()
        self.given = 0

    def memalloc(self, nbytes: int) -> Handle:
        self.given += 1
        self.live.add(self.given * 4096)
        return Handle(self, self.given * 4096)


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Pool:
    monkeypatch.setattr(
        "xarr.backends.numba_cuda._allocated", lambda context, nbytes: context.memalloc(nbytes)
    )
    return Pool(None, Context())


def test_a_block_is_an_eighth_too_large_at_the_most() -> None:
    for nbytes in (*range(1, 5000, 7), 10**6 + 1, 2**31 + 3):
        assert nbytes <= size_class(nbytes) <= max(512, nbytes * 9 / 8)


def test_blocks_are_reused_and_counted(pool: Pool) -> None:
    block = pool.take(1000)
    pointer = block.pointer
    assert (pool.used_nbytes, pool.held_nbytes) == (1024, 0)
    del block
    assert (pool.used_nbytes, pool.held_nbytes) == (0, 1024)
    assert pool.take(1020).pointer == pointer
    pool.clear()
    assert (pool.used_nbytes, pool.held_nbytes) == (0, 0)
    assert not pool._context.live


def test_memory_of_a_block_in_a_cycle_stays(pool: Pool) -> None:
    cycle: dict[str, Any] = {"block": pool.take(1000)}
    cycle["itself"] = cycle
    del cycle
    gc.collect()
    again = pool.take(1000)
    assert isinstance(again, Block)
    assert again.pointer in pool._context.live
