"""Calls written as text, one a line: what xarr gives beside NumPy, or the words of its error.

In a table `np` is xarr, and NumPy for what is wanted:

    np.flip(x{|, axis=1|, axis=(0, 1)})
    np.flip(x, axis=5) ! AxisError
    np.flip(x, axis=5) ! AxisError: flip(m, axis): axis is 5

Each of the words in braces makes a call. The first line asserts NumPy's values, data types and
shapes, and that the operands are afterwards what NumPy's are; the second that both raise such an
error, the third what xarr's says.
"""

from __future__ import annotations

import builtins
import contextlib
import math
import re
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Final

import numpy
import pytest

import xarr
from tests.reference import assert_same

TOLERANCE: Final = {"e": 2e-3, "f": 1e-6, "F": 1e-6}
"""What results of narrow types may be off by, where results may be off at all."""


def rows(table: str) -> list[str]:
    """The calls of a table, with each of the words that stand in braces, as `{this|that}`."""
    lines = [line.strip() for line in table.splitlines()]
    return [call for line in lines if line and line[0] != "#" for call in _expanded(line)]


def _expanded(line: str) -> list[str]:
    found = re.search(r"\{([^{}]*\|[^{}]*)\}", line)
    if not found:
        return [line]
    choices = (line[: found.start()] + one + line[found.end() :] for one in found[1].split("|"))
    return [call for choice in choices for call in _expanded(choice)]


def each(table: str) -> Callable[[Any], Any]:
    """A parameter `call` for each call of a table."""
    return pytest.mark.parametrize("call", rows(table))


def check(
    call: str, *, near: float = 0.0, beside: ModuleType = numpy, names: Any = None, **given: Any
) -> None:
    """Assert that a call gives what NumPy gives, or another library: to the bit, or nearly.

    Operands are NumPy's arrays, or pairs of one and its like in xarr, or what both take.
    """
    call, _, error = call.partition(" ! ")
    pairs = {name: _pair(value, beside) for name, value in given.items()}
    shared = {"numpy": numpy, "nan": math.nan, "inf": math.inf, **(names or {})}
    own = {"np": xarr, **shared, **{name: ours for name, (_, ours) in pairs.items()}}
    theirs = {"np": beside, **shared, **{name: host for name, (host, _) in pairs.items()}}
    if error:
        if ": " not in error:
            with _quiet(), pytest.raises(named(error)):
                eval(call, theirs)
        with _quiet():
            refused(lambda: eval(call, own), error)
        return
    with _quiet():
        wanted = eval(call, theirs)
    with _quiet():
        got = eval(call, own)
    alike(got, wanted, call, near)
    for name in given:
        if isinstance(own[name], xarr.Array):
            alike(own[name], theirs[name], f"{name} after {call}", near)


def refused(call: Callable[[], Any], error: str) -> None:
    """Assert that a call raises an error, as `ValueError: what is said`."""
    kind, _, said = error.partition(": ")
    with pytest.raises(named(kind)) as caught:
        forced(call())
    assert said in str(caught.value), caught.value


def named(kind: str) -> type[Exception]:
    """The exception of a name."""
    spaces = (builtins, numpy.exceptions, numpy.linalg, xarr)
    found: type[Exception] = next(getattr(one, kind) for one in spaces if hasattr(one, kind))
    return found


def forced(result: Any) -> None:
    """Compute a result, which may be refused as late."""
    for part in result if isinstance(result, tuple | list) else [result]:
        if isinstance(part, xarr.Array):
            xarr.to_numpy(part)


def alike(got: Any, wanted: Any, call: str, near: float = 0.0) -> None:
    """Assert structure, types, data types, shapes and values."""
    if isinstance(wanted, tuple | list):
        assert isinstance(got, tuple | list), call
        assert getattr(got, "_fields", None) == getattr(wanted, "_fields", None), call
        assert len(got) == len(wanted), call
        for mine, other in zip(got, wanted, strict=True):
            alike(mine, other, call, near)
        return
    if type(wanted).__module__.startswith("array_api_strict"):
        wanted = numpy.asarray(wanted)
    if not isinstance(wanted, numpy.ndarray | numpy.generic):
        assert type(got) is type(wanted), f"{call} is of type {type(got)}"
        assert got == wanted or (got != got and wanted != wanted), f"{call} is {got}"
        return
    assert type(got) is xarr.Array, f"{call} is of type {type(got)}"
    mine, other = xarr.to_numpy(got), numpy.asarray(wanted)
    if not near or mine.dtype.kind not in "fc":
        assert_same(mine, other, call)
        return
    assert mine.dtype == other.dtype, f"{call} has dtype {mine.dtype}, not {other.dtype}"
    assert mine.shape == other.shape, f"{call} has shape {mine.shape}, not {other.shape}"
    bound = max(near, TOLERANCE.get(mine.dtype.char, 0))
    numpy.testing.assert_allclose(mine, other, bound, bound * _scale(other), err_msg=call)


def _scale(values: Any) -> float:
    """The largest finite magnitude, at least 1."""
    with numpy.errstate(all="ignore"):
        finite = numpy.abs(values[numpy.isfinite(values)])
    return max(1.0, float(finite.max(initial=0)))


def _pair(value: Any, beside: ModuleType) -> tuple[Any, Any]:
    if isinstance(value, tuple) and len(value) == 2 and type(value[1]) is xarr.Array:
        host, ours = value
        return (host if beside is numpy else beside.asarray(host)), ours
    if isinstance(value, numpy.ndarray):
        copied = value.copy("K")
        return (copied if beside is numpy else beside.asarray(copied)), xarr.asarray(
            value.copy("K")
        )
    return value, value


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("ignore", xarr.HostFallbackWarning)
        yield
