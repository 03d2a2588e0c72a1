"""The functions of `xarr.random`, which share one generator of NumPy's older interface."""

from __future__ import annotations

from typing import Any

from xarr.functions.random.host import made

shared = made()


def get_bit_generator() -> Any:
    """What the functions of `xarr.random` take their bits from: `Philox`, or one of NumPy's.

    >>> xarr.random.seed(3)
    >>> xarr.random.get_bit_generator().state["state"]["counter"]
    0
    """
    return shared.bits


def set_bit_generator(bitgen: Any) -> None:
    """Let the functions of `xarr.random` take their bits from a generator.

    bitgen : Philox, or with ``XARR_RANDOM=numpy`` a bit generator of NumPy
        The generator.

    >>> xarr.random.set_bit_generator(xarr.random.Philox(3))
    """
    shared.take_bits(bitgen)
