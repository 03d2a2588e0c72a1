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
from tests.functions.calls import check, each

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


CALLS = """
np.sum(a=[3, 4])
np.std(a=[3.0, 4.0], ddof=1)
np.{nansum|nanargmax}(a=[3.0, np.nan])
np.nanvar(a=[3.0, np.nan, 5.0])
np.cumsum(a=m, axis=0)
np.ptp(a=m)
np.linalg.norm(x=[3, 4])
np.clip(a=[-1, 5], a_min=0, a_max=3)
np.round(a=[1.26], decimals=1)
np.diff(a=[1, 4, 9])
np.{real|imag}(val=[1 + 2j])
np.zeros_like(a=[1, 2])
np.full_like(a=[1, 2], fill_value=7)
np.empty_like(prototype=[1, 2]).shape
np.linalg.solve(a=m, b=[3.0, 4.0])
np.linalg.det(a=m)
np.linalg.matrix_rank(A=m)
np.linalg.matrix_power(a=m, n=3)
np.tensordot(a=m, b=m, axes=1)
np.fft.fft(a=[1.0, 2.0])
np.fft.fftfreq(n=64, d=0.1)
np.fft.fftshift(x=[1, 2, 3])
np.triu(m=m, k=1)
np.nonzero(a=[0, 3])[0]
np.can_cast(from_="int8", to="int16")
np.finfo(dtype="float32").bits
np.iinfo(int_type="int16").max
np.copyto(dst=m, src=[1.0, 2.0])
"""


@each(CALLS)
def test_arguments_arrive_by_their_names(call: str) -> None:
    check(call, near=1e-12, m=numpy.asarray([[2.0, 1.0], [1.0, 3.0]]))


def test_a_class_of_numpy_that_is_a_function_here_takes_its_names() -> None:
    for name, argument in (("finfo", "dtype"), ("iinfo", "int_type")):
        assert list(inspect.signature(getattr(xarr, name)).parameters) == [argument]


ERRORS = """
np.sum([], axis=1) ! IndexError: sum(a, axis): axis is 1
np.max([]) ! ValueError: max(a): a has shape (0,)
np.linalg.det([1.0]) ! LinAlgError: linalg.det(a): a has shape (1,)
np.linalg.norm("text") ! TypeError: linalg.norm(x): x is of type str
np.linalg.solve([1.0], [1.0]) ! LinAlgError: linalg.solve(a, b): a has shape (1,)
"""


@each(ERRORS)
def test_errors_name_arguments_likewise(call: str) -> None:
    check(call)
