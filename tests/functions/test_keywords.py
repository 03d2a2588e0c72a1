"""That a program may name a function's arguments as NumPy names them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from inspect import Parameter
from types import ModuleType
from typing import Any

import numpy
import pytest

import xarr

NAMED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
HANDED_ON = ("format_float_positional", "format_float_scientific", "genfromtxt")
"""The functions that hand all other arguments on to NumPy's, which runs on the host."""
MODULES = (
    ("", numpy, xarr),
    ("linalg.", numpy.linalg, xarr.linalg),
    ("fft.", numpy.fft, xarr.fft),
    ("random.", numpy.random, xarr.random),
)


def functions() -> Iterator[tuple[str, Callable[..., Any], Callable[..., Any]]]:
    """The functions that both have, of NumPy's those that say what their parameters are."""
    for prefix, theirs, ours in MODULES:
        for name in dir(theirs):
            function = getattr(theirs, name)
            if name.startswith("_") or not callable(function) or not hasattr(ours, name):
                continue
            if isinstance(function, numpy.ufunc | type | ModuleType) or not is_told(function):
                continue
            yield prefix + name, function, getattr(ours, name)


def is_told(function: Callable[..., Any]) -> bool:
    """Whether the signature can be read; that of much that older NumPys have in C cannot."""
    try:
        inspect.signature(function)
    except ValueError:
        return False
    return True


BOTH = {name: (theirs, ours) for name, theirs, ours in functions()}


def test_what_is_compared_is_nearly_all() -> None:
    assert len(BOTH) > 300
    assert not set(HANDED_ON) - set(BOTH)


@pytest.mark.parametrize("name", BOTH)
def test_arguments_have_the_names_that_numpy_gives_them(name: str) -> None:
    theirs, ours = (inspect.signature(function).parameters for function in BOTH[name])
    taken = {parameter.name for parameter in ours.values() if parameter.kind in NAMED}
    wanted = {parameter.name for parameter in theirs.values() if parameter.kind in NAMED}
    passed_on = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in ours.values())
    if name in HANDED_ON:
        assert passed_on
    else:
        assert not wanted - taken, f"xarr.{name} does not take {sorted(wanted - taken)}"


MATRIX = [[2.0, 1.0], [1.0, 3.0]]
CALLS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda m: m.sum(a=[3, 4]),
    "std": lambda m: m.std(a=[3.0, 4.0], ddof=1),
    "nansum": lambda m: m.nansum(a=[3.0, m.nan]),
    "nanargmax": lambda m: m.nanargmax(a=[3.0, m.nan]),
    "nanvar": lambda m: m.nanvar(a=[3.0, m.nan, 5.0]),
    "cumsum": lambda m: m.cumsum(a=MATRIX, axis=0),
    "ptp": lambda m: m.ptp(a=MATRIX),
    "norm": lambda m: m.linalg.norm(x=[3, 4]),
    "clip": lambda m: m.clip(a=[-1, 5], a_min=0, a_max=3),
    "round": lambda m: m.round(a=[1.26], decimals=1),
    "diff": lambda m: m.diff(a=[1, 4, 9]),
    "real": lambda m: m.real(val=[1 + 2j]),
    "imag": lambda m: m.imag(val=[1 + 2j]),
    "zeros_like": lambda m: m.zeros_like(a=[1, 2]),
    "full_like": lambda m: m.full_like(a=[1, 2], fill_value=7),
    "empty_like": lambda m: m.empty_like(prototype=[1, 2]).shape,
    "solve": lambda m: m.linalg.solve(a=MATRIX, b=[3.0, 4.0]),
    "det": lambda m: m.linalg.det(a=MATRIX),
    "matrix_rank": lambda m: m.linalg.matrix_rank(A=MATRIX),
    "matrix_power": lambda m: m.linalg.matrix_power(a=MATRIX, n=3),
    "tensordot": lambda m: m.tensordot(a=MATRIX, b=MATRIX, axes=1),
    "fft": lambda m: m.fft.fft(a=[1.0, 2.0]),
    "fftfreq": lambda m: m.fft.fftfreq(n=64, d=0.1),
    "fftshift": lambda m: m.fft.fftshift(x=[1, 2, 3]),
    "triu": lambda m: m.triu(m=MATRIX, k=1),
    "nonzero": lambda m: m.nonzero(a=[0, 3])[0],
    "can_cast": lambda m: m.can_cast(from_="int8", to="int16"),
    "finfo": lambda m: m.finfo(dtype="float32").bits,
    "iinfo": lambda m: m.iinfo(int_type="int16").max,
}


@pytest.mark.parametrize("name", CALLS)
def test_arguments_arrive_by_their_names(name: str) -> None:
    wanted, result = CALLS[name](numpy), CALLS[name](xarr)
    numpy.testing.assert_allclose(numpy.asarray(result), wanted, rtol=1e-12)


def test_a_class_of_numpy_that_is_a_function_here_takes_its_names() -> None:
    for name, argument in (("finfo", "dtype"), ("iinfo", "int_type")):
        assert list(inspect.signature(getattr(xarr, name)).parameters) == [argument]


def test_a_copy_is_told_where_it_goes() -> None:
    target = xarr.zeros(2)
    xarr.copyto(dst=target, src=[1.0, 2.0])
    assert target.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: xarr.sum([], axis=1), r"sum\(a, axis\): axis is 1"),
        (lambda: xarr.max([]), r"max\(a\): a has shape \(0,\)"),
        (lambda: xarr.linalg.det([1.0]), r"linalg.det\(a\): a has shape \(1,\)"),
        (lambda: xarr.linalg.norm("text"), r"linalg.norm\(x\): x is of type str"),
        (lambda: xarr.linalg.solve([1.0], [1.0]), r"linalg.solve\(a, b\): a has shape \(1,\)"),
    ],
)
def test_errors_name_arguments_likewise(call: Callable[[], Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError, IndexError), match=said):
        call()
