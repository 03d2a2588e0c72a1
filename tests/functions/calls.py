"""Calls written as text, one a line: what xarr gives beside NumPy, or the words of its error.

In a table `np` is xarr, and NumPy for what is wanted:

    np.flip(x{|, axis=1|, axis=(0, 1)})
    np.flip(x, axis=5) ! AxisError
    np.flip(x, axis=5) ! AxisError: flip(m, axis): axis is 5
    np.mean([]) ! RuntimeWarning: Mean of empty slice
    y = x[1:]; y += 1
    for row in x:
    ...     row *= 2

Each of the words in braces makes a call. The first line asserts NumPy's values, data types and
shapes, and that the operands are afterwards what NumPy's are; the second that both raise such an
error, the third what xarr's says. Where both warn, values are compared as well. Statements, which
go on after dots, give what they set; names that begin with `_` are not compared.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import inspect
import math
import re
import textwrap
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
_JOINED: Final = re.compile(r"\n *\.\.\. ")


def lines(table: str) -> list[str]:
    """The lines of a table; one that begins with dots goes on with the one before."""
    found = [line.replace("\0", "\n") for line in _JOINED.sub("\0", table).split("\n")]
    return [line.strip() for line in found if line.strip() and line.strip()[0] != "#"]


def rows(table: str) -> list[str]:
    """The calls of a table, with each of the words that stand in braces, as `{this|that}`."""
    return [call for line in lines(table) for call in _expanded(line)]


def _expanded(line: str) -> list[str]:
    found = re.search(r"\{([^{}]*\|[^{}]*)\}", line)
    if not found:
        return [line]
    choices = (line[: found.start()] + one + line[found.end() :] for one in found[1].split("|"))
    return [call for choice in choices for call in _expanded(choice)]


def program(line: str, names: str = "np, x, y, z", **others: Any) -> Callable[..., Any]:
    """A function of these names: statements, and behind an arrow what they return.

    It has as many of the names as are given; in `others` are those that it calls.
    """
    body, _, result = line.rpartition("-> ")
    text = textwrap.indent(f"{body.strip()}\nreturn {result}", "    ")
    space = dict(others)
    given = ", ".join(name + "=None" * (name[0] != "*") for name in names.split(", "))
    exec(f"def function({given}):\n{text}", space)
    return space["function"]  # type: ignore[no-any-return]


def each(table: str) -> Callable[[Any], Any]:
    """A parameter `call` for each call of a table."""
    return pytest.mark.parametrize("call", rows(table))


def each_line(table: str) -> Callable[[Any], Any]:
    """A parameter `call` for each line of a table, whose calls `check` makes in turn.

    A test costs pytest 6 ms, as long as several small calls take.
    """
    return pytest.mark.parametrize("call", lines(table))


def check(
    call: str, *, near: float = 0.0, beside: ModuleType = numpy, names: Any = None, **given: Any
) -> None:
    """Assert that a call gives what NumPy gives, or another library: to the bit, or nearly.

    Operands are NumPy's arrays, or pairs of one and its like in xarr, or what both take.
    """
    for one in (calls := _expanded(call))[1:]:
        check(one, near=near, beside=beside, names=names, **given)
    call, _, error = calls[0].partition(" ! ")
    pairs = {name: _pair(value, beside) for name, value in given.items()}
    shared = {"numpy": numpy, "nan": math.nan, "inf": math.inf, **(names or {})}
    own = {"np": xarr, **shared, **{name: ours for name, (_, ours) in pairs.items()}}
    theirs = {"np": beside, **shared, **{name: host for name, (host, _) in pairs.items()}}
    kind, tells, said = error.partition(": ")
    warned = bool(error) and issubclass(named(kind), Warning)
    if error and not warned:
        if not tells:
            with quiet(), pytest.raises(named(kind)):
                ran(call, theirs)
        with quiet():
            refused(lambda: ran(call, own), error)
        return
    with quiet(), pytest.warns(named(kind)) if warned else contextlib.nullcontext():
        wanted = ran(call, theirs)
    with (
        quiet(),
        (
            pytest.warns(named(kind), match=re.escape(said)) if warned else contextlib.nullcontext()
        ) as told,
    ):
        got = ran(call, own)
    assert not told or told[0].filename == "a call"
    alike(got, wanted, call, near)
    for name, (_, ours) in pairs.items():
        if isinstance(ours, xarr.Array) or own.get(name) is not ours:
            alike(own.get(name), theirs.get(name), f"{name} after {call}", near)


def ran(call: str, names: dict[str, Any]) -> Any:
    """What an expression gives, or statements set."""
    try:
        code = compile(call, "a call", "eval")
    except SyntaxError:
        before = set(names)
        exec(compile(call, "a call", "exec"), names)
        return {name: names[name] for name in names if name not in before and name[0] != "_"}
    return eval(code, names)


def refused(call: Callable[[], Any], error: str) -> None:
    """Assert that a call raises an error, as `ValueError: what is said`."""
    kind, _, said = error.partition(": ")
    with pytest.raises(named(kind)) as caught:
        forced(call())
    assert said in str(caught.value), caught.value
    require_parameters(str(caught.value))


def all_refused(table: str, names: dict[str, Any]) -> None:
    """Assert that each call of a table raises its error; `np` is xarr."""
    for call in rows(table):
        code, _, error = call.partition(" ! ")
        refused(functools.partial(ran, code, {"np": xarr, "numpy": numpy} | names), error)


_PLACE: Final = re.compile(r"(x\.)?([\w.]+)\((\*?\w+(?:, \*{0,2}\w+)*)\): (?:(\w+) (?:is|has)\b)?")
"""What an error begins with: a function, parameters, and the one that is at fault."""
_WORDS: Final = (None, "it", "there", "axis", "dtype")
"""What may be at fault besides, as one of `axes`."""


def require_parameters(text: str) -> None:
    """Assert that what an error calls parameters is what the function that it names calls so."""
    found = _PLACE.match(text)
    if found is None:
        return  # an error of Python's or of NumPy's
    spaces: list[Any] = [xarr.Array] if found[1] else [xarr, xarr.random.Generator]
    for space in spaces:
        function = functools.reduce(
            lambda of, name: getattr(of, name, None), [space, *found[2].split(".")]
        )
        if callable(function) and not isinstance(function, type):
            parameters = inspect.signature(function).parameters
            told = {*found[3].replace("*", "").split(", "), found[4]}
            known = {*parameters, *_WORDS, found[2].partition(".")[0]}
            known |= {"x"} if found[1] else set()
            if any(part.kind is part.VAR_KEYWORD for part in parameters.values()):
                known.add(found[4])
            assert told <= known, text
            return


def named(kind: str) -> type[Exception]:
    """The exception of a name."""
    spaces = (builtins, numpy.exceptions, numpy.linalg, xarr)
    found: type[Exception] = next(getattr(one, kind) for one in spaces if hasattr(one, kind))
    return found


def forced(result: Any) -> None:
    """Compute a result, which may be refused as late."""
    result = [*result.values()] if isinstance(result, dict) else result
    for part in result if isinstance(result, tuple | list) else [result]:
        if isinstance(part, xarr.Array):
            xarr.to_numpy(part)


def alike(got: Any, wanted: Any, call: str, near: float = 0.0) -> None:
    """Assert structure, types, data types, shapes and values."""
    if isinstance(wanted, dict):
        assert [*got] == [*wanted], call
        got, wanted = [*got.values()], [*wanted.values()]
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
def quiet() -> Iterator[None]:
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("ignore", xarr.HostFallbackWarning)
        yield
