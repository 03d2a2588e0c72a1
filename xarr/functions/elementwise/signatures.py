"""Signatures of ufuncs, as "dd->d" or a tuple of data types, which say in what a call computes."""

from __future__ import annotations

from typing import Any, TypeAlias

from xarr import dtypes, errors
from xarr.array.array import DTypeLike
from xarr.dtypes import DType
from xarr.errors import type_error

Signature: TypeAlias = str | tuple[DTypeLike, ...] | None
"""The data types of operands and results, as "dd->d"."""


Forced: TypeAlias = tuple[DType | None, ...]
"""The data type of each operand, and then of each result; None where it is left open."""


def forced(signature: Any, sig: Any, dtype: Any, nin: int, nout: int, where: str) -> Forced | None:
    """The data types that a call prescribes; None if it prescribes none."""
    if signature is None and sig is None:
        return None
    if sum(given is not None for given in (signature, sig, dtype)) > 1:
        fault = "two of signature, sig and dtype are given"
        raise type_error(where, fault, "there must be one of them at most")
    given = sig if signature is None else signature
    if isinstance(given, bytes):
        given = given.decode("ascii")
    if isinstance(given, str):
        return _parse_signature(given, nin, nout, where)
    if type(given) is not tuple or len(given) == 1:
        raise TypeError(_refusal(given, nin, nout, where))
    if len(given) != nin + nout:
        raise ValueError(_refusal(given, nin, nout, where))
    found = tuple(None if entry is None else dtypes.lookup(entry, where) for entry in given)
    return found if any(found) else None


def _parse_signature(given: str, nin: int, nout: int, where: str) -> Forced:
    """The data types of "dd->d"."""
    if len(given) == 1:
        raise TypeError(_refusal(given, nin, nout, where))
    operands, arrow, results = given.partition("->")
    known = {row.numpy.char for row in dtypes.TABLE}
    if not arrow or len(operands) != nin or len(results) != nout:
        raise ValueError(_refusal(given, nin, nout, where))
    letters = operands + results
    if all(not letter.isalpha() and letter not in known for letter in letters):
        raise ValueError(_refusal(given, nin, nout, where))
    return tuple(dtypes.lookup(letter, where) for letter in letters)


def _refusal(given: Any, nin: int, nout: int, where: str) -> str:
    return errors.message(
        where,
        f"signature is {given!r}",
        f"it must be a string such as {'d' * nin + '->' + 'd' * nout!r}, or a tuple of "
        f"{nin + nout} data types",
        "pass dtype for one type of all",
    )
