"""NumPy's older generator, and the one of it that the functions of `xarr.random` share."""

from __future__ import annotations

import operator
from typing import Any, ClassVar

import numpy

from xarr.array.array import Array, DTypeLike
from xarr.array.drawn_ahead import call_of
from xarr.errors import type_error, value_error
from xarr.functions.calls.on_host import host_of
from xarr.functions.random import permutation as permuting, philox
from xarr.functions.random.distributions import Continuous, Discrete, Vectors
from xarr.functions.random.generator import forward, shuffle_on_host
from xarr.functions.random.philox import Philox
from xarr.functions.random.sampling import Floats, Integers, Real, Size, integers
from xarr.ops import random
from xarr.settings import IMPORTED


def _numpys_own() -> Any:
    """NumPy's global generator, which SciPy, scikit-learn and pandas draw from."""
    from numpy.random import mtrand  # slow to import

    return mtrand._rand


class RandomState(Continuous, Discrete, Vectors):
    """NumPy's older generator; `xarr.random.default_rng` makes the newer one.

    Its numbers are those of the device's bit generator, not of NumPy's Mersenne Twister.

    seed : int, sequence of int, bit generator or None
        The seed; None takes entropy from the operating system.

    TypeError -- If the seed holds no integers.
    ValueError -- If a number is not in [0, 2**32), or the seed is empty.

    >>> xarr.random.RandomState(7).randn(2, 3).shape
    (2, 3)
    """

    _methods_source = "As in NumPy; not part of the Array API standard."
    _on_host: ClassVar[type[RandomState]]
    """The class for generators with bits of NumPy, which draw on the host; assigned below."""
    leads_numpys = False
    """Whether NumPy's global generator is seeded, kept and set with this one."""

    def __new__(cls, seed: Any = None) -> RandomState:
        """Make one that draws on the host where the bits are NumPy's."""
        wanted = philox.is_of_numpy(seed) or (
            IMPORTED.random == "numpy" and not isinstance(seed, Philox)
        )
        if cls is RandomState and wanted:
            return object.__new__(cls._on_host)
        return object.__new__(cls)

    def __init__(self, seed: Any = None) -> None:
        super().__init__()
        self._bits = seed if isinstance(seed, Philox) else Philox(_checked(seed))

    def seed(self, seed: Any = None) -> None:
        """Restart the generator from a seed.

        seed : int or sequence of int, each below 2**32, or None
            The seed; None takes entropy from the operating system.

        TypeError -- If the seed holds no integers.
        ValueError -- If a number is not in [0, 2**32), or the seed is empty.

        >>> xarr.random.seed(3)
        >>> first = xarr.random.rand(2).tolist()
        >>> xarr.random.seed(3)
        >>> xarr.random.rand(2).tolist() == first
        True
        """
        words = _checked(seed)
        self._bits = Philox(words)
        if self.leads_numpys:
            _numpys_own().seed(words)

    def get_state(self, legacy: bool = True) -> Any:
        """Return the state, for `set_state` to draw the same numbers again.

        legacy : bool -- True for a tuple (name, key, number of draws), False for a dict.

        -> tuple or dict

        >>> state = xarr.random.get_state()
        >>> x = xarr.random.rand()
        >>> xarr.random.set_state(state)
        >>> xarr.random.rand() == x
        True
        """
        state = self._bits.state
        if self.leads_numpys:
            state["numpy"] = _numpys_own().get_state(legacy=False)
        if not legacy:
            return state
        key, counter = state["state"]["key"], state["state"]["counter"]
        return philox.NAME, key, counter, *([state["numpy"]] if self.leads_numpys else [])

    def set_state(self, state: Any) -> None:
        """Restore a state; the numbers drawn since `get_state` then come again.

        state : tuple or dict -- The state that `get_state` returned.

        >>> xarr.random.set_state(xarr.random.get_state())
        """
        if isinstance(state, tuple | list):
            name, key, counter, *others = state
            state = {"bit_generator": name, "state": {"counter": counter, "key": key}}
            state |= {"numpy": others[-1]} if others else {}
        bits = Philox(key=0)
        bits.state = state
        self._bits = bits
        if self.leads_numpys and "numpy" in state:
            _numpys_own().set_state(state["numpy"])

    @property
    def bits(self) -> Any:
        """The source of random bits."""
        return self._bits

    def take_bits(self, bits: Any) -> None:
        """Draw from another bit generator from now on, like `xarr.random.set_bit_generator`.

        bits : Philox -- The bit generator.

        TypeError -- If `bits` is no Philox.

        Note: Not in NumPy.

        >>> rng = xarr.random.RandomState(1)
        >>> rng.take_bits(xarr.random.Philox(7))
        >>> rng.rand(2).tolist() == xarr.random.RandomState(xarr.random.Philox(7)).rand(2).tolist()
        True
        """
        if not isinstance(bits, Philox):
            fault = f"bitgen is of type {type(bits).__name__}"
            accepted = "it must be a Philox"
            remedy = "set XARR_RANDOM=numpy to draw from NumPy's, or write RandomState(bitgen)"
            raise type_error("set_bit_generator(bitgen)", fault, accepted, remedy)
        self._bits = bits

    def __reduce__(self) -> tuple[Any, ...]:
        return RandomState, (self._bits,)

    def __repr__(self) -> str:
        return f"RandomState({type(self._bits).__name__})"

    def rand(self, *dimensions: Any) -> Any:
        """Draw from [0, 1) uniformly.

        dimensions : int -- The extents of the result; no extents for one float.

        -> float, or Array of these dimensions

        MemoryError -- If the result does not fit into the device's memory.
        """
        return self._of_dimensions(random.random, dimensions, "rand(*dimensions)")

    def randn(self, *dimensions: Any) -> Any:
        """Draw from the normal distribution of mean 0 and variance 1.

        dimensions : int -- The extents of the result; no extents for one float.

        -> float, or Array of these dimensions

        MemoryError -- If the result does not fit into the device's memory.
        """
        return self._of_dimensions(random.standard_normal, dimensions, "randn(*dimensions)")

    def _of_dimensions(self, row: random.Draw, dimensions: tuple[Any, ...], where: str) -> Any:
        call = call_of(row, (), dimensions or None)
        found = self._ahead.next(self._bits, call)
        if found is not None:
            return found
        if not dimensions:
            return self._sample(row, (), None, where, call=call)
        try:
            shape = tuple([operator.index(extent) for extent in dimensions])
        except TypeError:
            fault = f"the arguments are {dimensions}"
            raise type_error(where, fault, "they must be integers") from None
        return self._sample(row, (), shape, where, call=call)

    def random_sample(self, size: Size = None) -> Floats:
        """Draw from [0, 1) uniformly."""
        return self._of_size(random.random, size, "random_sample(size)")

    def random(self, size: Size = None) -> Floats:
        """Draw from [0, 1) uniformly."""
        return self._of_size(random.random, size, "random(size)")

    def standard_normal(self, size: Size = None) -> Floats:
        """Draw from the normal distribution of mean 0 and variance 1."""
        return self._draw(random.standard_normal, (), size)

    def standard_exponential(self, size: Size = None) -> Floats:
        """Draw from the exponential distribution of mean 1."""
        return self._draw(random.standard_exponential, (), size)

    def standard_gamma(self, shape: Real, size: Size = None) -> Floats:
        """Draw from the gamma distribution of scale 1."""
        return self._draw(random.standard_gamma, (shape,), size)

    def randint(self, low: Any, high: Any = None, size: Size = None, dtype: DTypeLike = int) -> Any:
        """Draw integers between bounds uniformly.

        low, high : integer Array or int
            The bounds; high is excluded. If high is None, the bounds are 0 and low.
        dtype : dtype -- An integer type, or bool.

        -> Array; a single draw is an int or bool if dtype is Python's int or bool

        >>> xarr.random.randint(0, 10, size=5).shape
        (5,)
        """
        return integers(self, low, high, size, dtype, False, "randint(low, high, size, dtype)")

    def random_integers(self, low: Any, high: Any = None, size: Size = None) -> Integers:
        """Draw integers between bounds uniformly, both bounds included.

        low, high : int -- The bounds. If high is None, the bounds are 1 and low.

        >>> xarr.random.random_integers(6) in range(1, 7)
        True
        """
        if high is None:
            low, high = 1, low
        return integers(self, low, high, size, int, True, "random_integers(low, high, size)")

    def tomaxint(self, size: Size = None) -> Integers:
        """Draw integers from 0 to 2**63 - 1 uniformly.

        >>> xarr.random.RandomState(1).tomaxint(3).shape
        (3,)
        """
        return integers(self, 0, numpy.iinfo(numpy.int64).max, size, int, True, "tomaxint(size)")

    def choice(self, a: Any, size: Size = None, replace: bool = True, p: Any = None) -> Any:
        """Choose elements at random.

        a : Array, shape (N,), or int -- The elements to choose from; an int n means 0 to n - 1.
        replace : bool -- Whether an element may be chosen again.
        p : real Array, shape (N,), optional -- The probability of each element; None for
            equal probabilities.
        size : int, tuple of int or None -- The shape of the choices; None for one choice.

        -> Array, or int where a is an integer and size is not given

        >>> xarr.random.choice(5, 5, replace=False).sum().tolist()
        10
        """
        where = "choice(a, size, replace, p)"
        shape = getattr(a, "shape", None)
        if shape is None and isinstance(a, list | tuple):
            nested = [item for item in a if isinstance(item, list | tuple | Array)]
            shape = (0, 0) if nested and not isinstance(nested[0], Array) else (0,)
        if shape is not None and len(shape) > 1:
            raise value_error(where, f"a has {len(shape)} axes", "a must be 1-dimensional")
        return permuting.choice(self, a, size, replace, p, 0, True, where)

    def permutation(self, x: Any) -> Array:
        """Return a permuted copy of an array, or of the integers 0 to x - 1.

        x : Array or int -- The array, permuted along its first axis; or the number.

        -> Array, shape and data type of x; shape (x,) and int64 if x is an integer

        >>> sorted(xarr.random.permutation(4).tolist())
        [0, 1, 2, 3]
        """
        permuted: Array = permuting.permutation(self, x, 0, "permutation(x)")
        return permuted

    def shuffle(self, x: Any) -> None:
        """Permute an array, a list or a NumPy array along its first axis, in place.

        x : Array, list or numpy.ndarray -- The values to permute.

        >>> x = xarr.arange(4)
        >>> xarr.random.shuffle(x)
        >>> sorted(x.tolist())
        [0, 1, 2, 3]
        """
        permuting.shuffle(self, x, 0, "shuffle(x)")


def _checked(seed: Any) -> Any:
    """A seed, whose integers have 32 bits, as NumPy's Mersenne Twister wants them."""
    if seed is None or hasattr(seed, "generate_state"):
        return seed
    seed = philox.plain(seed)
    words = numpy.asarray(seed)
    if words.ndim > 1 or not words.size:
        fault = f"the seed has shape {words.shape}"
        accepted = "it must be an integer, or a vector of integers, not empty"
        raise value_error("seed(seed)", fault, accepted)
    if words.dtype.kind not in "iu":
        raise type_error("seed(seed)", f"the seed is {seed!r}", "it must hold integers")
    if not (int(words.min()) >= 0 and int(words.max()) < 1 << 32):
        fault = f"the seed is {seed!r}"
        raise value_error("seed(seed)", fault, "Seed must be between 0 and 2**32 - 1")
    return words.tolist()


class HostRandomState(RandomState):
    """NumPy's RandomState, whose arrays are copied to the device."""

    def __new__(cls, seed: Any = None) -> HostRandomState:
        """Make one, whatever the seed is."""
        return object.__new__(cls)

    def __init__(self, seed: Any = None) -> None:
        super().__init__(None)
        given = isinstance(seed, numpy.random.RandomState)
        where = "random.RandomState(seed)"
        self._streams = seed if given else numpy.random.RandomState(host_of(seed, where))

    @property
    def bits(self) -> Any:
        """Where the bits come from."""
        return self._streams._bit_generator

    def take_bits(self, bits: Any) -> None:
        """Take the bits from another generator of NumPy."""
        numpy.random.set_bit_generator(bits)  # type: ignore[attr-defined]

    def __reduce__(self) -> tuple[Any, ...]:
        return HostRandomState, (self._streams,)

    shuffle = shuffle_on_host


forward(HostRandomState, RandomState)
RandomState._on_host = HostRandomState

shared = HostRandomState(_numpys_own()) if IMPORTED.random == "numpy" else RandomState()
"""The generator of the functions of `xarr.random`."""


def ranf(size: Size = None) -> Floats:
    """Draw from [0, 1) uniformly."""
    return shared.random_sample(size)


def sample(size: Size = None) -> Floats:
    """Draw from [0, 1) uniformly."""
    return shared.random_sample(size)


def get_bit_generator() -> Any:
    """Return the bit generator of the functions of `xarr.random`.

    -> Philox, or a bit generator of NumPy

    >>> xarr.random.seed(3)
    >>> xarr.random.get_bit_generator().state["state"]["counter"]
    0
    """
    return shared.bits


def set_bit_generator(bitgen: Any) -> None:
    """Set the bit generator of the functions of `xarr.random`.

    bitgen : Philox, or with ``XARR_RANDOM=numpy`` a bit generator of NumPy -- The generator.

    TypeError -- If bitgen is of another type.

    >>> xarr.random.set_bit_generator(xarr.random.Philox(3))
    """
    shared.take_bits(bitgen)
