"""Timing: warm up, then take turns, so that what disturbs one disturbs all."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)
Measured = TypeVar("Measured")

WARM_UP = 2
ENOUGH = 3
"""Rounds that are measured even where they take longer than they should."""


@dataclass(frozen=True, slots=True)
class Timing:
    """What one call took, in seconds."""

    minimum_s: float
    median_s: float
    repeats: int

    @classmethod
    def of(cls, elapsed_s: list[float], calls: int = 1) -> Timing:
        """Sum up rounds that made `calls` calls each."""
        return cls(min(elapsed_s) / calls, statistics.median(elapsed_s) / calls, len(elapsed_s))


def interleaved(
    works: Mapping[Name, Callable[[], Measured]], repeats: int, limit_s: float = 20.0
) -> dict[Name, list[Measured]]:
    """Return what each work says it took, in rounds that run each once.

    Rounds end after `repeats`, or after `limit_s` seconds but not before `ENOUGH`.
    """
    for work in works.values():
        for _ in range(WARM_UP):
            work()
    elapsed: dict[Name, list[Measured]] = {name: [] for name in works}
    with undisturbed():
        began = time.perf_counter()
        for done in range(repeats):
            if done >= ENOUGH and time.perf_counter() - began > limit_s:
                break
            for name, work in works.items():
                elapsed[name].append(work())
    return elapsed


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep the garbage collector away."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
