"""The bit generator: a key, and how many draws there were; seeds, and NumPy's generators."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy

from xarr import dtypes
from xarr.array.array import Array
from xarr.array.drawn_ahead import Counter
from xarr.backends.device import Device, get_device
from xarr.errors import refused, type_error, value_error
from xarr.functions.create.creation import shape_of
from xarr.ir.views import storage_view
from xarr.layout import Layout
from xarr.ops.random import words_wide
from xarr.tape import recorders
from xarr.tape.traced import plainly

if TYPE_CHECKING:
    import numpy.random

_WORD: Final = 1 << 64
_JUMP: Final = 1 << 48
"""Draws that a jump skips."""


def sequence_of(seed: Any, where: str) -> Any:
    """The seed sequence of a seed: an integer, integers, a sequence, or None for the system's."""
    if hasattr(seed, "generate_state"):
        return seed
    # Here and not above: NumPy's module takes as long to import as half of xarr.
    from numpy.random import SeedSequence

    try:
        return SeedSequence(plain(plainly(seed)))
    except (TypeError, ValueError) as error:
        accepted = "it must be an integer of 0 or more, a sequence of them, or None"
        raise refused(type(error), where, f"seed is {seed!r}", accepted) from None


def numbered(take: Callable[[], tuple[int, int]], device: Device) -> tuple[Any, Any]:
    """The number and the key of a draw: of a graph's, in memory that each launch writes anew."""
    if device.drawing is not None:
        return device.drawing(take)
    storage = recorders.drawn(take, device)
    if storage is None:
        return take()
    draw, key = (storage_view(storage, Layout((), (), at), dtypes.uint64) for at in range(2))
    return draw, key


def plain(seed: Any) -> Any:
    """A seed with numbers of the host in place of an Array."""
    return seed.tolist() if isinstance(seed, Array) else seed


class Philox(Counter):
    """The device's bit generator: Philox 4x32-10, whose numbers are the same on every device.

    `xarr.random.default_rng` and the functions of `xarr.random` draw with it. NumPy's class of this
    name is another algorithm, 4x64.

    seed : int, sequence of int, SeedSequence or None
        The seed that the key is made from; None takes entropy from the operating system.
    counter : int, optional -- The number of draws so far, below 2**64; None for 0.
    key : int, optional -- The 64-bit key, instead of a seed.

    TypeError -- If the seed is none of these.
    ValueError -- If seed and key are given, an integer of the seed is negative, or the key or the
        counter has more than 64 bits.

    Note: J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11. Each call is one
    draw, numbered by the counter, of at most 2**48 elements.

    >>> bits = xarr.random.Philox(7)
    >>> xarr.random.Generator(bits).random(3).shape
    (3,)
    >>> bits.state["state"]["counter"]
    1
    """

    def __init__(self, seed: Any = None, *, counter: Any = None, key: Any = None) -> None:
        if seed is not None and key is not None:
            raise value_error(_WHERE, "seed and key are given", "one of them must be left out")
        super().__init__()
        self._sequence: Any = None if seed is None else sequence_of(seed, _WHERE)
        self._key = None if key is None else _word(key, "key")
        self._drawn = 0 if counter is None else _word(counter, "counter")
        if self._sequence is not None:
            self._seeded()
        if self._key is not None:
            recorders.seeded(self)

    def take(self) -> tuple[int, int]:
        """Reserve the next draw, for a program's own kernels: return its number and the key.

        -> tuple of two int

        Note: Not in NumPy.

        >>> bits = xarr.random.Philox(key=5)
        >>> bits.take(), bits.take()
        ((0, 5), (1, 5))
        """
        recorders.drawing(self)
        with self.lock:
            key = self._seeded()
            drawn = self._drawn
            self._drawn = (drawn + 1) % _WORD
        return drawn, key

    def _seeded(self) -> int:
        if self._key is None:
            self._key = int(self.seed_seq.generate_state(1, "uint64")[0])
        key: int = self._key
        return key

    @property
    def seed_seq(self) -> Any:
        """The seed sequence that the key is made from."""
        if self._sequence is None:
            self._sequence = sequence_of(None, _WHERE)
        return self._sequence

    # Dask spawns from NumPy's generators by this name of theirs.
    _seed_seq = seed_seq

    @property
    def state(self) -> dict[str, Any]:
        """The key and the number of draws, as a dict; it can be set."""
        with self.lock:
            state = {"counter": self._drawn, "key": self._seeded()}
        return {"bit_generator": NAME, "state": state}

    @state.setter
    def state(self, value: Any) -> None:
        if not isinstance(value, dict):
            raise type_error("Philox.state", f"the state is {value!r}", "it must be a dict")
        if value.get("bit_generator") != NAME:
            fault = f"the state is of {value.get('bit_generator')}"
            raise value_error("Philox.state", fault, f"it must be of {NAME}")
        with self.lock:
            self._drawn = _word(value["state"]["counter"], "counter")
            self._key = _word(value["state"]["key"], "key")

    def advance(self, delta: int) -> Philox:
        """Skip draws, each of one call; return the bit generator itself.

        delta : int -- The number of calls to skip, of any size; NumPy counts blocks of 4 numbers.

        >>> xarr.random.Philox(1).advance(2).state["state"]["counter"]
        2
        """
        with self.lock:
            self._drawn = (self._drawn + operator.index(delta)) % _WORD
        return self

    def jumped(self, jumps: int = 1) -> Philox:
        """Make a bit generator of the same key, with a counter further by 2**48 for each jump.

        jumps : int -- The number of jumps.

        Note: NumPy's generator jumps by 2**128 draws.

        >>> xarr.random.Philox(1).jumped().take()[0] == 2**48
        True
        """
        drawn, key = self.state["state"].values()
        return Philox(counter=(drawn + _JUMP * operator.index(jumps)) % _WORD, key=key)

    def random_raw(self, size: Any = None, lock: bool = True) -> Any:
        """Draw integers of 64 random bits.

        size : int, tuple of int or None -- The shape; None for an int.
        lock : bool -- Accepted for compatibility; has no effect.

        -> int, or uint64 Array

        >>> xarr.random.Philox(1).random_raw(3).shape
        (3,)
        """
        device = get_device()
        shape = () if size is None else shape_of(size, "random_raw(size)", "size")
        row = dtypes.uint64
        draw, key = numbered(self.take, device)
        drawn = Array(words_wide.drawn(shape, draw, key, device, row))
        return int(drawn) if size is None else drawn

    def spawn(self, n_children: int) -> list[Philox]:
        """Make bit generators with keys from spawned seed sequences.

        n_children : int -- The number of bit generators.

        -> list of Philox

        >>> len(xarr.random.Philox(1).spawn(2))
        2
        """
        recorders.drawing(self)
        return [type(self)(child) for child in self.seed_seq.spawn(n_children)]

    def __getstate__(self) -> dict[str, Any]:
        return {"state": self.state, "sequence": self._sequence}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        super().__init__()
        self._sequence = kept["sequence"]
        self.state = kept["state"]

    def __repr__(self) -> str:
        return f"<{NAME} with key {self._seeded():#018x} after {self._drawn} draws>"


NAME: Final = "Philox4x32"
_WHERE: Final = "Philox(seed, counter, key)"


def _word(value: Any, name: str) -> int:
    number = operator.index(plain(value))
    if not 0 <= number < _WORD:
        raise value_error(_WHERE, f"{name} is {number}", f"{name} must have at most 64 bits")
    return number


def is_of_numpy(bits: Any) -> bool:
    """Whether a bit generator is one of NumPy's, which draw on the host."""
    return not isinstance(bits, Philox) and hasattr(bits, "capsule")


def host_bits(seed: Any) -> numpy.random.BitGenerator:
    """NumPy's default bit generator."""
    from numpy.random import PCG64

    return PCG64(seed if hasattr(seed, "generate_state") else plain(seed))
