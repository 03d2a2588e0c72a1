"""Warnings of results that NumPy warns of, with the line of the caller."""

from __future__ import annotations

import numpy

from xarr import errors
from xarr.algorithms import library
from xarr.array.array import Array
from xarr.array.transfers import openly, to_host
from xarr.dtypes import FLOATING


def warn_of_nan(result: Array, message: str = "All-NaN slice encountered") -> None:
    """Warn of a result that is NaN, as NumPy does, where nobody has to wait for it: on a CPU."""
    if result._node.dtype.kind not in FLOATING or not library.is_preferred(result.device):
        return
    with openly():
        found = bool(numpy.isnan(to_host(result._node)).any())
    if found:
        warn(message)


def warn_of_few(number: Array, message: str) -> None:
    """Warn of results of too few elements: where `number` is not positive. On a CPU."""
    if not library.is_preferred(number.device):
        return
    with openly():
        found = bool((to_host(number._node) <= 0).any())
    if found:
        warn(message)


def warn(message: str) -> None:
    """Give a RuntimeWarning, of the line that is not xarr's."""
    errors.warn(message, RuntimeWarning)
