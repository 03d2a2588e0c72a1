"""That a program may name a function's arguments as NumPy names them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from inspect import Parameter
from types import ModuleType
from typing import Any

import numpy

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


def test_arguments_have_the_names_that_numpy_gives_them() -> None:
    for name, both in BOTH.items():
        theirs, ours = (inspect.signature(function).parameters for function in both)
        taken = {parameter.name for parameter in ours.values() if parameter.kind in NAMED}
        wanted = {parameter.name for parameter in theirs.values() if parameter.kind in NAMED}
        if name in HANDED_ON:
            assert any(one.kind is Parameter.VAR_KEYWORD for one in ours.values()), name
        else:
            assert not wanted - taken, f"xarr.{name} does not take {sorted(wanted - taken)}"


def test_a_class_of_numpy_that_is_a_function_here_takes_its_names() -> None:
    for name, argument in (("finfo", "dtype"), ("iinfo", "int_type")):
        assert list(inspect.signature(getattr(xarr, name)).parameters) == [argument]
