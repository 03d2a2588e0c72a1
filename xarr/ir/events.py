# cython: boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Hooks, counts and switches by which tools and tests watch the engine or change how it runs."""

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
    """Callbacks that replace a part of the engine; None where there is none.

    Attributes
    ----------
    launch : function
        Launches kernels in place of `steps.launch`.
    run : function
        A context around each run: of a program, the instructions' numbers and the finished steps.
    recorder : function
        Is told of each instruction before it is recorded: its opcode, views, new storage and
        scalar. While there is one, the host reads and writes no elements by itself, so that all
        work is an instruction; see `tape/recorders.py`.
    numbers : iterator
        Numbers instructions, and so learns when each is recorded.
    eager : int
        How many `eager()` blocks are open; XARR_EAGER opens one for good.
    transfers : int
        How many forbid hidden transfers, or are told of them.
    changed : int
        How many blocks are open in which functions may record otherwise than elsewhere.
    unheld : int
        The reference count of a storage that only a list refers to.
    """

    launch: Any
    run: Any
    recorder: Any
    numbers: Any
    eager: int
    transfers: int
    changed: int
    unheld: int


@cython.cclass
class Tier:
    """How lists of instructions run before they have kernels: XARR_TIERS, or what tests choose.

    "fused" waits for kernels, "hosted" never has them compiled where NumPy can work; "" lets NumPy
    work until they are compiled; see `dispatch.Program`.
    """

    name: str

    def __init__(self) -> None:
        self.name = IMPORTED.tiers or ""


@cython.cclass
class Counts:
    """Counts of launches and compilations for tests, reports and benchmarks.

    Attributes
    ----------
    looks : int
        How often the values of a storage were needed, or a tape was run on request.
    observers : list of function
        Are called with each planned kernel's skeleton and spec.
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

    Returns
    -------
    context manager

    Examples
    --------
    >>> import xarr
    >>> with xarr.eager():
    ...     x = xarr.ones(2) + 1
    >>> x.tolist()
    [2.0, 2.0]
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
