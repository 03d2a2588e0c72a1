"""Functions beside NumPy's: the same values, data types and shapes, or the same error."""

from __future__ import annotations

import warnings
from typing import Any, Final

import numpy as np
import pytest

import xarr

TOLERANCE: Final = {"f2": 2e-3, "f4": 1e-6, "c8": 1e-6}


def given(value: Any) -> Any:
    return xarr.asarray(value) if isinstance(value, np.ndarray) else value


def check(name: str, *args: Any, **named: Any) -> None:
    """Assert that a function gives NumPy's values, data types and shapes."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        wanted = getattr(np, name)(*args, **named)
        got = getattr(xarr, name)(
            *map(given, args), **{key: given(value) for key, value in named.items()}
        )
    call = f"{name}{args[1:]} of {np.asarray(args[0]).dtype}, {named}"
    for ours, theirs in zip(_parts(got), _parts(wanted), strict=True):
        assert type(ours) is xarr.Array, call
        host, expected = np.asarray(ours), np.asarray(theirs)
        assert (host.dtype, host.shape) == (expected.dtype, expected.shape), call
        near = TOLERANCE.get(host.dtype.str[1:], 1e-12)
        np.testing.assert_allclose(host, expected, near, near, err_msg=call)


def _parts(result: Any) -> list[Any]:
    """The arrays of a result that is one, or a tuple of them and of tuples."""
    if not isinstance(result, tuple | list):
        return [result]
    return [part for inner in result for part in _parts(inner)]


def refused(name: str, *args: Any, **named: Any) -> None:
    """Assert that a function raises NumPy's type of error."""
    with pytest.raises(Exception) as wanted, np.errstate(all="ignore"):  # noqa: PT011 - compared
        getattr(np, name)(*args, **named)
    with pytest.raises(wanted.type, match=name):
        getattr(xarr, name)(*map(given, args), **{k: given(v) for k, v in named.items()})
