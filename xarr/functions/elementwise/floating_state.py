"""`errstate` and its like: NumPy's state of floating-point errors, which devices do not have.

A device computes infinities and NaN and raises nothing. The state is NumPy's own, so what NumPy
computes on the host follows it. A program that counts on an exception is told once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import ContextDecorator
from typing import Any, Final, TypeAlias

import numpy

from xarr import errors

Do: TypeAlias = "str | None"

_COUNTED_ON: Final = ("raise", "call")
"""The settings under which a program relies on an error that no device raises."""


class _Told:
    """Whether the warning was given."""

    once = False


def _tell(wanted: dict[str, Any], where: str) -> None:
    asked = next((value for value in wanted.values() if value in _COUNTED_ON), None)
    if asked is None or _Told.once:
        return
    _Told.once = True
    warnings.warn(
        errors.message(
            where,
            f"{asked!r} was asked for",
            "a device raises no floating-point errors: results are infinite or NaN",
            "ask xarr.isfinite(x).all() where it matters; this is said once",
        ),
        errors.FloatingPointStateWarning,
        stacklevel=3,
    )


def _options(all: Do, divide: Do, over: Do, under: Do, invalid: Do) -> dict[str, Any]:
    return {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}


def seterr(
    all: Do = None, divide: Do = None, over: Do = None, under: Do = None, invalid: Do = None
) -> dict[str, str]:
    """Set how NumPy, on the host, handles floating-point errors; devices ignore them.

    all, divide, over, under, invalid : str, optional
        "ignore", "warn", "raise", "call", "print" or "log". "raise" and "call" cause one
        `FloatingPointStateWarning`, as devices do not support them.

    -> dict of str to str -- The former settings.

    >>> before = xarr.seterr(divide="ignore")
    >>> xarr.geterr()["divide"]
    'ignore'
    >>> _ = xarr.seterr(**before)
    """
    wanted = _options(all, divide, over, under, invalid)
    before: dict[str, str] = numpy.seterr(**wanted)  # type: ignore[assignment]
    _tell(wanted, "seterr(...)")
    return before


def geterr() -> dict[str, str]:
    """Return how NumPy handles floating-point errors: "divide", "over", "under", "invalid".

    >>> sorted(xarr.geterr())
    ['divide', 'invalid', 'over', 'under']
    """
    return numpy.geterr()  # type: ignore[return-value]


class errstate(ContextDecorator):  # noqa: N801 - NumPy's name
    """Set how NumPy handles floating-point errors within a ``with`` block or a function.

    call : callable, optional -- The function that NumPy calls with the setting "call".
    all, divide, over, under, invalid : str, optional
        As for `xarr.seterr`. Devices ignore these errors.

    >>> with xarr.errstate(divide="ignore"):
    ...     print(xarr.ones(1) / 0)
    [inf]
    """

    def __init__(
        self,
        *,
        call: Any = None,
        all: Do = None,
        divide: Do = None,
        over: Do = None,
        under: Do = None,
        invalid: Do = None,
    ) -> None:
        self._wanted = _options(all, divide, over, under, invalid)
        self._call = {} if call is None else {"call": call}
        self._entered: list[Any] = []

    def __enter__(self) -> None:
        state = numpy.errstate(**self._call, **self._wanted)
        state.__enter__()
        self._entered.append(state)
        _tell(self._wanted, "errstate(...)")

    def __exit__(self, *exception: Any) -> None:
        self._entered.pop().__exit__(*exception)


def seterrcall(func: Any) -> Any:
    """Set the function that NumPy calls, or the log it writes to, at a floating-point error.

    func : callable, object with ``write``, or None -- The function or log; kernels do not use it.

    -> callable, object with ``write``, or None -- The former function or log.

    >>> xarr.seterrcall(None) is None
    True
    """
    return numpy.seterrcall(func)


def geterrcall() -> Callable[..., Any] | Any | None:
    """Return the function or log that `seterrcall` has set.

    -> function, object with `write`, or None

    >>> xarr.geterrcall() is None
    True
    """
    return numpy.geterrcall()


def setbufsize(size: int) -> int:
    """Set the size of NumPy's conversion buffer on the host; return the former size.

    size : int -- The size in elements, a positive multiple of 16.

    >>> xarr.setbufsize(xarr.getbufsize()) == xarr.getbufsize()
    True
    """
    return numpy.setbufsize(size)


def getbufsize() -> int:
    """Return the size of NumPy's conversion buffer on the host, in elements.

    >>> xarr.getbufsize() > 0
    True
    """
    return numpy.getbufsize()
