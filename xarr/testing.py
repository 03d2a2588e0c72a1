"""The assertions of `numpy.testing`, for Arrays: they are copied to the host first.

`no_implicit_transfer` allows these copies. Names without array arguments are NumPy's own.
"""

from collections.abc import Callable as _Callable
from functools import wraps as _wraps
from typing import Any as _Any, ParamSpec as _ParamSpec, TypeVar as _TypeVar

import numpy.testing as _numpy
from numpy.testing import (
    HAS_REFCOUNT as HAS_REFCOUNT,
    IS_EDITABLE as IS_EDITABLE,
    IS_PYPY as IS_PYPY,
    IS_PYSTON as IS_PYSTON,
    IS_WASM as IS_WASM,
    IgnoreException as IgnoreException,
    KnownFailureException as KnownFailureException,
    SkipTest as SkipTest,
    TestCase as TestCase,
    assert_no_gc_cycles as assert_no_gc_cycles,
    assert_no_warnings as assert_no_warnings,
    assert_raises as assert_raises,
    assert_raises_regex as assert_raises_regex,
    assert_string_equal as assert_string_equal,
    assert_warns as assert_warns,
    break_cycles as break_cycles,
    clear_and_catch_warnings as clear_and_catch_warnings,
    decorate_methods as decorate_methods,
    jiffies as jiffies,
    measure as measure,
    memusage as memusage,
    rundocs as rundocs,
    runstring as runstring,
    suppress_warnings as suppress_warnings,
    tempdir as tempdir,
    temppath as temppath,
    verbose as verbose,
)

from xarr.array.array import Array as _Array
from xarr.array.coerce import replaced as _replaced
from xarr.array.transfers import openly as _openly, to_host as _to_host

_P = _ParamSpec("_P")
_R = _TypeVar("_R")


def _on_host(value: _Array) -> _Any:
    """Return the values of an Array as NumPy's array, or number."""
    with _openly():
        return _to_host(value._view)[()]


def _taking_arrays(function: _Callable[_P, _R]) -> _Callable[_P, _R]:
    """An assertion of NumPy's that takes Arrays too, also in lists, tuples and dictionaries."""

    @_wraps(function)
    def asserted(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        __tracebackhide__ = True
        given, named = (_replaced(part, (_Array,), _on_host) for part in (args, kwargs))
        return function(*given, **named)

    return asserted


assert_ = _taking_arrays(_numpy.assert_)
assert_allclose = _taking_arrays(_numpy.assert_allclose)
assert_almost_equal = _taking_arrays(_numpy.assert_almost_equal)
assert_approx_equal = _taking_arrays(_numpy.assert_approx_equal)
assert_array_almost_equal = _taking_arrays(_numpy.assert_array_almost_equal)
assert_array_almost_equal_nulp = _taking_arrays(_numpy.assert_array_almost_equal_nulp)
assert_array_compare = _taking_arrays(_numpy.assert_array_compare)
assert_array_equal = _taking_arrays(_numpy.assert_array_equal)
assert_array_less = _taking_arrays(_numpy.assert_array_less)
assert_array_max_ulp = _taking_arrays(_numpy.assert_array_max_ulp)
assert_equal = _taking_arrays(_numpy.assert_equal)
build_err_msg = _taking_arrays(_numpy.build_err_msg)
print_assert_equal = _taking_arrays(_numpy.print_assert_equal)
