"""Generators that draw on the host with NumPy's own streams, and copy the numbers to the device.

For those who compare with NumPy: ``XARR_RANDOM=numpy``, or a bit generator of NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from xarr.array.array import Array
from xarr.array.outcome import delivered, single
from xarr.array.transfers import from_host, openly, tell
from xarr.backends.device import get_device
from xarr.functions.calls.on_host import host_of
from xarr.functions.random.generator import Generator, RandomState


def _raised(value: Any, where: str) -> Any:
    """A result as an Array of the default device, where it is an array."""
    if not isinstance(value, numpy.ndarray) or value.dtype.kind not in "biuf":
        return value
    device = get_device()
    if device.narrow and value.dtype == numpy.float64:
        value = value.astype(numpy.float32)
    tell(where, value.nbytes, "to", device)  # asked for by XARR_RANDOM or the bit generator
    with openly():
        return Array(from_host(value, device, where))


def _forwarding(name: str) -> Callable[..., Any]:
    def forwarded(self: Any, *given: Any, **named: Any) -> Any:
        out = named.pop("out", None)
        out = single(out, f"{name}(out)")
        if out is not None and named.get("dtype") is None:
            named["dtype"] = out.dtype
        if out is not None and not given and "size" not in named:
            named["size"] = out.shape
        function = getattr(self._streams, name)
        where = f"random.{name}(...)"
        result = _raised(function(*host_of(given, where), **host_of(named, where)), where)
        return result if out is None else delivered(result, out, f"{name}(out)")

    forwarded.__name__ = name
    forwarded.__doc__ = f"NumPy's `{name}`, on the host; an array is copied to the device."
    return forwarded


def _shuffle(self: Any, x: Any, axis: int = 0) -> None:
    """Permute an array along an axis, in place, on the host."""
    if not isinstance(x, Array):
        self._streams.shuffle(x, *([axis] if axis else []))
        return
    where = "random.shuffle(x)"
    values = host_of(x, where)
    self._streams.shuffle(values, *([axis] if axis else []))
    x[...] = _raised(values, where)


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
        result: Array = _raised(self._streams.permuted(host_of(x, where), axis=axis), where)
        return delivered(result, out, "permuted(x, axis, out)")

    shuffle = _shuffle


class HostRandomState(RandomState):
    """NumPy's RandomState, whose arrays are copied to the device."""

    def __new__(cls, seed: Any = None) -> HostRandomState:
        """Make one, whatever the seed is."""
        return object.__new__(cls)

    def __init__(self, seed: Any = None) -> None:
        super().__init__(None)
        self._streams = numpy.random.RandomState(host_of(seed, "random.RandomState(seed)"))

    @property
    def bits(self) -> Any:
        """Where the bits come from."""
        return self._streams._bit_generator

    def take_bits(self, bits: Any) -> None:
        """Take the bits from another generator of NumPy."""
        self._streams = numpy.random.RandomState(bits)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._streams,)

    shuffle = _shuffle


def _restored(streams: numpy.random.RandomState) -> HostRandomState:
    state = HostRandomState(streams._bit_generator)
    state._streams = streams
    return state


_INNER = ("node", "sample", "single", "shuffle", "spawn", "take_bits")


def _forward(kind: type, given: type) -> None:
    """Give a class the methods that draw, each NumPy's of its name."""
    for name in dir(given):
        own = name.startswith("_") or name in vars(kind) or name in _INNER
        if not own and callable(getattr(given, name)):
            setattr(kind, name, _forwarding(name))


_forward(HostGenerator, Generator)
_forward(HostRandomState, RandomState)
Generator.on_host = HostGenerator
RandomState.on_host = HostRandomState


shared = RandomState()
"""What the functions of `xarr.random` draw from, on the host where that is asked for."""


def get_bit_generator() -> Any:
    """What the functions of `xarr.random` take their bits from: `Philox`, or one of NumPy's.

    >>> xarr.random.seed(3)
    >>> xarr.random.get_bit_generator().state["state"]["counter"]
    0
    """
    return shared.bits


def set_bit_generator(bitgen: Any) -> None:
    """Let the functions of `xarr.random` take their bits from a generator.

    bitgen : Philox, or with ``XARR_RANDOM=numpy`` a bit generator of NumPy -- The generator.

    >>> xarr.random.set_bit_generator(xarr.random.Philox(3))
    """
    shared.take_bits(bitgen)
