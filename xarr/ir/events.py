# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""What tools and tests watch of the core, or put in the place of what it does by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from xarr.ir import _cython as cython
from xarr.settings import IMPORTED

if cython.compiled:
    import cython  # it never runs: the compiler looks for it, and knows `cython.x` from here on


@cython.cclass
class Hooks:
    """What tools and tests put in the place of what the core does by itself; else None.

    Attributes
    ----------
    launch : function
        Launches kernels, as `launch` does.
    run : function
        A context around each run: of a program, the instructions' numbers and what is done.
    numbers : iterator
        Gives instructions their numbers, so that it knows who asks for them.
    eager : int
        How many `eager()` blocks are open; XARR_EAGER opens one for good.
    transfers : int
        How many mind hidden transfers, or are told of them.
    changed : int
        How many blocks are open in which functions may record otherwise than elsewhere.
    unheld : int
        The count of references to a storage that only a list holds.
    """

    launch: Any
    run: Any
    numbers: Any
    eager: int
    transfers: int
    changed: int
    unheld: int


@cython.cclass
class Tier:
    """How lists of instructions run that have no kernels: XARR_TIERS, or what tests choose.

    "fused" waits for kernels, "hosted" never has them compiled where NumPy does their work; "" lets
    NumPy work until they are there; see `dispatch.Program`.
    """

    name: str

    def __init__(self) -> None:
        self.name = IMPORTED.tiers or ""


@cython.cclass
class Counts:
    """What was done, for tests, reports and benchmarks: launches and compilations.

    Attributes
    ----------
    looks : int
        How often somebody wanted the values of a storage, or had a tape run.
    observers : list of function
        Are told of each new kernel's skeleton and form.
    """

    launches: int
    looks: int
    compilations: int
    observers: list[Callable[[str, Any], None]]

    def __init__(self) -> None:
        self.observers = []


core_hooks = Hooks()
hooks = core_hooks
hooks.eager = 1 if IMPORTED.eager else 0
core_tier = Tier()
tier = core_tier
core_counts = Counts()
counts = core_counts


@contextmanager
def eager() -> Iterator[None]:
    """Run each operation at once within a ``with`` block, with the same bits.

    Useful to see in which line a slow or failing operation is.
    """
    hooks.eager += 1
    try:
        yield
    finally:
        hooks.eager -= 1


@contextmanager
def changed() -> Iterator[None]:
    """Say that functions may record otherwise within a ``with`` block than elsewhere."""
    hooks.changed += 1
    try:
        yield
    finally:
        hooks.changed -= 1
