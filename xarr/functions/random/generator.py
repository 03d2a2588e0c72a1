"""Generators: what `default_rng` gives.

Some draw on the host with NumPy's own streams, and copy the numbers to the device, for those who
compare with NumPy: ``XARR_RANDOM=numpy``, or a bit generator of NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy

from xarr import dtypes
from xarr.array import missing_attributes
from xarr.array.array import Array, DTypeLike, Out
from xarr.array.out_argument import deliver, single
from xarr.array.transfers import from_host, openly, tell
from xarr.backends.device import get_device
from xarr.dtypes import DType
from xarr.errors import type_error, value_error
from xarr.functions.calls.on_host import host_of
from xarr.functions.random import permutation as permuting, philox, sampling
from xarr.functions.random.distributions import Continuous, Discrete, Vectors, colours
from xarr.functions.random.philox import Philox
from xarr.functions.random.sampling import Floats, FloatType, Real, Size, integers
from xarr.ops import random
from xarr.ops.random import Draw
from xarr.settings import IMPORTED
from xarr.tape import recorders


class Generator(Continuous, Discrete, Vectors):
    """Generator of random arrays on the device; `xarr.random.default_rng` makes one from a seed.

    Draws are deferred and fused like other operations, but their numbers follow from the order of
    the calls: the same seed gives the same bits on every device.

    bit_generator : Philox, or a bit generator of NumPy -- The source of random bits. With one of
        NumPy's, the host draws NumPy's numbers and copies them to the device.

    TypeError -- If it is no bit generator.
    ValueError -- If it is a class of bit generators.

    >>> xarr.random.Generator(xarr.random.Philox(7)).normal(size=(2, 3)).shape
    (2, 3)
    """

    _descending = False
    _methods_source = "As in NumPy; not part of the Array API standard."
    _on_host: ClassVar[type[Generator]]
    """The class for generators with bits of NumPy, which draw on the host; assigned below."""

    def __new__(cls, bit_generator: Any) -> Generator:
        """Make a generator that draws on the host where the bits are NumPy's."""
        if cls is Generator and philox.is_of_numpy(bit_generator):
            return object.__new__(cls._on_host)
        return object.__new__(cls)

    def __init__(self, bit_generator: Any) -> None:
        super().__init__()
        self._bits = bit_generator
        if isinstance(bit_generator, type):
            fault = f"bit_generator is the class {bit_generator.__name__}"
            raise value_error("Generator(bit_generator)", fault, "it must be an object of it")
        if not hasattr(bit_generator, "take") and not philox.is_of_numpy(bit_generator):
            fault = f"bit_generator is of type {type(bit_generator).__name__}"
            accepted = "it must be a Philox or a bit generator of NumPy"
            raise type_error("Generator(bit_generator)", fault, accepted, "write default_rng(seed)")

    @property
    def bit_generator(self) -> Any:
        """The source of random bits."""
        return self._bits

    def spawn(self, n_children: int) -> list[Generator]:
        """Make generators that are independent of this one and of each other.

        n_children : int -- The number of generators.

        -> list of Generator

        >>> len(xarr.random.default_rng(1).spawn(2))
        2
        """
        return [type(self)(child) for child in self._bits.spawn(n_children)]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._bits,)

    def __repr__(self) -> str:
        return f"Generator({type(self._bits).__name__})"

    def random(self, size: Size = None, dtype: FloatType = None, out: Out = None) -> Floats:
        """Draw from [0, 1) uniformly: multiples of 2**-53, or of 2**-24 in float32.

        size : int, tuple of int or None -- The shape of the result; None for one number.

        -> float if size and out are None; else Array of `dtype`

        >>> xarr.random.default_rng(1).random((2, 3)).shape
        (2, 3)
        """
        return self._standard(random.random, size, dtype, out, "random(size, dtype, out)")

    def standard_normal(
        self, size: Size = None, dtype: FloatType = None, out: Out = None
    ) -> Floats:
        """Draw from the normal distribution of mean 0 and variance 1.

        size : int, tuple of int or None -- The shape of the result; None for one number.

        -> float if size and out are None; else Array of `dtype`

        >>> xarr.random.default_rng(1).standard_normal(4, dtype="float32").dtype
        dtype('float32')
        """
        where = "standard_normal(size, dtype, out)"
        return self._standard(random.standard_normal, size, dtype, out, where)

    def standard_exponential(
        self, size: Size = None, dtype: FloatType = None, method: str = "zig", out: Out = None
    ) -> Floats:
        """Draw from the exponential distribution of mean 1.

        method : "zig" or "inv" -- Accepted for compatibility; has no effect.
        size : int, tuple of int or None -- The shape of the result; None for one number.

        -> float if size and out are None; else Array of `dtype`
        """
        where = "standard_exponential(size, dtype, method, out)"
        if method not in ("zig", "inv"):
            raise value_error(where, f"method is {method!r}", "method must be 'zig' or 'inv'")
        return self._standard(random.standard_exponential, size, dtype, out, where)

    def standard_gamma(
        self, shape: Real, size: Size = None, dtype: FloatType = None, out: Out = None
    ) -> Floats:
        """Draw from the gamma distribution of scale 1.

        Method: G. Marsaglia, W. W. Tsang, ACM TOMS 26, 2000.
        """
        where = "standard_gamma(shape, size, dtype, out)"
        parameters = (sampling.parameter(shape, "shape", where, random.NOT_NEGATIVE),)
        row = _floating(dtype, out, where)
        return self._sample(random.standard_gamma, parameters, size, where, dtype=row, out=out)

    def multivariate_hypergeometric(
        self, colors: Any, nsample: Any, size: Size = None, method: str = "marginals"
    ) -> Array:
        """Draw the number of items of each colour in samples without replacement.

        colors : integer Array, shape (K,) -- The number of items of each colour, not negative.
        nsample : int -- The number of items in a sample, at most the sum of colors.
        method : "marginals" or "count" -- No effect: xarr draws K - 1 hypergeometric numbers.
        size : int, tuple of int or None -- The number or shape of the samples; None for one sample.

        -> Array of int64, shape (*size, K)

        >>> rng = xarr.random.default_rng(1)
        >>> rng.multivariate_hypergeometric([4, 5, 6], 7, 2).sum(axis=1).tolist()
        [7, 7]
        """
        where = "multivariate_hypergeometric(colors, nsample, size)"
        return colours(self, colors, nsample, size, method, where)

    def _standard(self, row: Draw, size: Size, dtype: Any, out: Any, where: str) -> Any:
        if dtype is None and out is None:
            return self._of_size(row, size, where)
        return self._sample(row, (), size, where, dtype=_floating(dtype, out, where), out=out)

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Size = None,
        dtype: DTypeLike = int,
        endpoint: bool = False,
    ) -> Any:
        """Draw integers between bounds uniformly.

        Each integer is made from 64 random bits; from 128 if there are more than 2**32 values to
        draw from. So the probabilities of two values differ by at most 2**-32, relatively.

        low, high : integer Array or int
            The bounds; high is excluded. If high is None, the bounds are 0 and low.
        dtype : dtype -- An integer type, or bool.
        endpoint : bool -- Whether high is included.

        -> Array; a single draw is an int or bool if dtype is Python's int or bool

        >>> bool((xarr.random.default_rng(1).integers(6, size=10) < 6).all())
        True
        """
        return integers(
            self, low, high, size, dtype, endpoint, "integers(low, high, size, dtype, endpoint)"
        )

    def choice(
        self,
        a: Any,
        size: Size = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Any:
        """Choose elements at random.

        a : Array or int -- The elements to choose from; an integer n means 0 to n - 1.
        replace : bool -- Whether an element may be chosen again.
        p : real Array, shape (N,), optional -- The probability of each element; None for
            equal probabilities.
        axis : int -- The axis of a whose slices are chosen.
        shuffle : bool -- Without replacement: whether the order is random, too.
        size : int, tuple of int or None -- The shape of the choices; None for one choice.

        -> Array, or int where a is an integer and size is not given

        >>> xarr.random.default_rng(1).choice(5, 5, replace=False).sum().tolist()
        10
        """
        where = "choice(a, size, replace, p, axis, shuffle)"
        return permuting.choice(self, a, size, replace, p, axis, shuffle, where)

    def permutation(self, x: Any, axis: int = 0) -> Array:
        """Return a permuted copy of an array, or of the integers 0 to x - 1.

        x : Array or int -- The array, or the number.

        -> Array, shape and data type of x; shape (x,) and int64 if x is an integer

        >>> sorted(xarr.random.default_rng(1).permutation(4).tolist())
        [0, 1, 2, 3]
        """
        permuted: Array = permuting.permutation(self, x, axis, "permutation(x, axis)")
        return permuted

    def permuted(self, x: Any, axis: int | None = None, out: Array | None = None) -> Array:
        """Permute the elements along an axis, independently for each position on the other axes.

        x : Array, shape (...) -- The array to permute; it may be `out`.
        axis : int, optional -- The axis; None permutes all elements.

        -> Array, shape and data type of x

        >>> x = xarr.asarray([[1, 2], [3, 4]])
        >>> xarr.random.default_rng(1).permuted(x, axis=1).sum(axis=1).tolist()
        [3, 7]
        """
        return permuting.permuted(self, x, axis, out, "permuted(x, axis, out)")

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Permute an array, a list or a NumPy array along an axis, in place.

        x : Array, list or numpy.ndarray -- The values to permute.

        TypeError -- If x is none of these.

        >>> x = xarr.arange(4)
        >>> xarr.random.default_rng(1).shuffle(x)
        >>> sorted(x.tolist())
        [0, 1, 2, 3]
        """
        permuting.shuffle(self, x, axis, "shuffle(x, axis)")


def _floating(dtype: Any, out: Any, where: str) -> DType | None:
    """float32 or float64, by a dtype argument or by `out`; None for the device's default."""
    if dtype is None:
        return out._view.dtype if isinstance(out, Array) else None
    row = dtypes.lookup(dtype, where)
    if row not in (dtypes.float32, dtypes.float64):
        raise type_error(where, f"Unsupported dtype {row}", "dtype must be float32 or float64")
    if isinstance(out, Array) and out._view.dtype is not row:
        fault = f"dtype is {row} and out has dtype {out.dtype}"
        raise type_error(where, fault, "both must be the same")
    return row


def default_rng(seed: Any = None) -> Generator:
    """Make a random generator from a seed.

    With ``XARR_RANDOM=numpy`` in the environment every generator draws NumPy's numbers.

    seed : int, sequence of int, SeedSequence, bit generator, Generator or None
        The seed; None takes entropy from the operating system. A Generator is returned itself. A
        generator or bit generator of NumPy draws its numbers on the host.

    TypeError -- If the seed is none of these, as a float or a string.
    ValueError -- If an integer of the seed is negative.

    >>> xarr.random.default_rng(42).random(3).shape
    (3,)
    """
    if isinstance(seed, Generator):
        return seed
    bits = getattr(seed, "bit_generator", None) or getattr(seed, "_bit_generator", seed)
    if isinstance(bits, Philox) or philox.is_of_numpy(bits):
        return Generator(bits)
    if IMPORTED.random == "numpy":
        return Generator(philox.host_bits(seed))
    return Generator(
        Philox(seed if seed is None else philox.sequence_of(seed, "default_rng(seed)"))
    )


def _to_device(value: Any, where: str) -> Any:
    """A result as an Array of the default device, where it is an array."""
    if not isinstance(value, numpy.ndarray) or value.dtype.kind not in "biuf":
        return value
    device = get_device()
    if device.no_float64 and value.dtype == numpy.float64:
        value = value.astype(numpy.float32)
    tell(where, value.nbytes, "to", device)  # asked for by XARR_RANDOM or the bit generator
    with openly():
        return Array(from_host(value, device, where))


def _drawing(source: Any, where: str) -> Any:
    """NumPy's generator behind one of xarr's, which may draw on the host."""
    sampling.require_no_graph(get_device(), where, "NumPy's generator draws on the host")
    recorders.drawing(source._streams)
    return source._streams


def _forwarding(name: str) -> Callable[..., Any]:
    def forwarded(self: Any, *given: Any, **named: Any) -> Any:
        out = named.pop("out", None)
        out = single(out, f"{name}(out)")
        if out is not None and named.get("dtype") is None:
            named["dtype"] = out.dtype
        if out is not None and not given and "size" not in named:
            named["size"] = out.shape
        where = f"random.{name}(...)"
        function = getattr(_drawing(self, where), name)
        result = _to_device(function(*host_of(given, where), **host_of(named, where)), where)
        return result if out is None else deliver(result, out, f"{name}(out)")

    forwarded.__name__ = name
    forwarded.__doc__ = f"NumPy's `{name}`, on the host; an array is copied to the device."
    return forwarded


def shuffle_on_host(self: Any, x: Any, axis: int = 0) -> None:
    """Permute an array along an axis, in place, on the host."""
    where = "random.shuffle(x)"
    streams = _drawing(self, where)
    if not isinstance(x, Array):
        streams.shuffle(x, *([axis] if axis else []))
        return
    values = host_of(x, where)
    streams.shuffle(values, *([axis] if axis else []))
    x[...] = _to_device(values, where)


class HostGenerator(Generator):
    """A generator of NumPy, whose arrays are copied to the device."""

    def __init__(self, bit_generator: Any) -> None:
        super().__init__(bit_generator)
        self._streams = numpy.random.Generator(bit_generator)

    def __reduce__(self) -> tuple[Any, ...]:
        return Generator, (self._bits,)

    def permuted(self, x: Any, axis: int | None = None, out: Array | None = None) -> Array:
        """Permute the elements along an axis, on the host."""
        where = "random.permuted(x)"
        drawn = _drawing(self, where).permuted(host_of(x, where), axis=axis)
        result: Array = _to_device(drawn, where)
        return deliver(result, out, "permuted(x, axis, out)")

    shuffle = shuffle_on_host


_INNER = ("shuffle", "spawn", "take_bits")


def forward(kind: type, given: type) -> None:
    """Give a class the methods that draw, each NumPy's of its name."""
    for name in dir(given):
        own = name.startswith("_") or name in vars(kind) or name in _INNER
        if not own and callable(getattr(given, name)):
            setattr(kind, name, _forwarding(name))


forward(HostGenerator, Generator)
missing_attributes.set_on(Generator, missing_attributes.OF_GENERATORS)
Generator._on_host = HostGenerator
