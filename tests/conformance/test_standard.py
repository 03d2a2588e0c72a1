"""What the standard consists of: names, signatures, constants, data types, information.

Here is asserted that the tests beside array-api-strict leave no name out.
"""

from __future__ import annotations

import functools
import inspect
import math
import types
from typing import Any

import array_api_strict
import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.array_api import make_strategies_namespace

import xarr
from tests.comparing import has
from tests.conformance.standard import (
    ALL,
    ATTRIBUTES,
    COMPLEX,
    CONSTANTS,
    EXTENSIONS,
    INFORMATION,
    METHODS,
    REAL_FLOATING,
    SIGNATURES,
    SIGNED,
    STRICTS_OWN,
    UNSIGNED,
    VERSION,
)
from xarr.ops.elementwise import TABLE

from . import test_standard_array, test_standard_elementwise, test_standard_functions


def test_every_function_and_method_is_tested() -> None:
    tested = {*test_standard_functions.called_names(), *test_standard_elementwise.TAKES}
    assert set(SIGNATURES) - tested == {"__array_namespace_info__", "broadcast_shapes"}
    symbols = [row.operator for row in TABLE if row.operator]
    methods = {f"__{symbol}__" for symbol in symbols}
    assert set(METHODS) == methods | {"__matmul__", *test_standard_array.TESTED}
    for row in TABLE:
        if row.operator and row.operands == 2 and row.result != "bool":
            assert hasattr(xarr.Array, f"__r{row.operator}__"), row.name
            assert hasattr(xarr.Array, f"__i{row.operator}__"), row.name
    for name in ("matmul", "matrix_transpose", "tensordot", "vecdot"):
        assert getattr(xarr.linalg, name) is getattr(xarr, name)


def test_names_and_the_version() -> None:
    for name in (*SIGNATURES, *ALL, *CONSTANTS, *EXTENSIONS):
        attribute(xarr, name)
    for name in (*METHODS, *ATTRIBUTES):
        assert hasattr(xarr.Array, name)
    assert xarr.__array_api_version__ == array_api_strict.__array_api_version__ == VERSION
    names = set(array_api_strict.__all__) - set(SIGNATURES) - {*ALL, *CONSTANTS, *EXTENSIONS}
    own = {"ArrayAPIStrictFlags", "Device", "__array_api_version__", "__version__"}
    assert names == own | STRICTS_OWN
    assert (xarr.e, xarr.pi, xarr.inf, xarr.newaxis) == (math.e, math.pi, math.inf, None)
    assert math.isnan(xarr.nan)


def attribute(library: Any, name: str) -> Any:
    return functools.reduce(getattr, name.split("."), library)


def agree(function: Any, wanted: inspect.Signature) -> None:
    """Assert that a function can be called as the standard says, and has its defaults."""
    given = dict(inspect.signature(function).parameters)
    ours = list(given.values())
    keywords = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    for place, parameter in enumerate(wanted.parameters.values()):
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            mine = given[parameter.name]
            assert mine.kind in keywords, f"{parameter.name} cannot be given by its name"
        else:
            mine = ours[place]
            assert mine.kind is parameter.kind or (
                parameter.kind is inspect.Parameter.POSITIONAL_ONLY
                and mine.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
            ), f"{mine} is of the kind {mine.kind}"
            if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
                assert mine.name == parameter.name
        # Where the standard has no default, NumPy may have one.
        if parameter.default is not parameter.empty:
            assert mine.default == parameter.default, f"the default of {mine} is another"


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures(name: str) -> None:
    wanted = SIGNATURES[name]
    agree(attribute(xarr, name), wanted)
    needed = [p.name for p in wanted.parameters.values() if p.default is p.empty]
    ours = inspect.signature(attribute(xarr, name)).parameters.values()
    required = [
        p for p in ours if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    assert len(required) <= len(needed), f"{required} have no default"


@pytest.mark.parametrize("name", METHODS)
def test_signatures_of_methods(name: str) -> None:
    method = getattr(xarr.ones(1), name)
    wanted = METHODS[name]
    if not isinstance(method, types.BuiltinMethodType):
        agree(method, wanted)
        return
    # A compiled operator, which `inspect` knows nothing of.
    assert len(wanted.parameters) == 1
    for operands in ((), (1, 2)):
        with pytest.raises(TypeError, match="argument"):
            method(*operands)


@pytest.mark.parametrize("name", INFORMATION)
def test_signatures_of_the_information(name: str) -> None:
    agree(getattr(xarr.__array_namespace_info__(), name), INFORMATION[name])


def test_data_types_can_be_compared() -> None:
    for name in ALL:
        dtype = getattr(xarr, name)
        assert [other for other in ALL if getattr(xarr, other) == dtype] == [name]
        if has(name):
            assert xarr.zeros(1, dtype=dtype).dtype == dtype
            assert xarr.zeros(1, dtype=xarr.zeros(1, dtype=dtype).dtype).dtype == dtype


INFO = xarr.__array_namespace_info__()

KINDS = {
    "bool": ("bool",),
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": (*SIGNED, *UNSIGNED),
    "real floating": REAL_FLOATING,
    "complex floating": COMPLEX,
    "numeric": (*SIGNED, *UNSIGNED, *REAL_FLOATING, *COMPLEX),
    None: ALL,
}


def test_capabilities() -> None:
    found = INFO.capabilities()
    assert found == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}


def test_devices() -> None:
    found = INFO.devices()
    assert type(found) is tuple
    assert INFO.default_device() in (*found, None)
    assert found.count(xarr.default_device()) == 1
    with xarr.device(found[-1].pretending("no-float64")) as pretended:
        assert pretended in INFO.devices()
    for device in found:
        assert xarr.ones(1, dtype="float32", device=device).device == device


@pytest.mark.parametrize("device", [None, xarr.default_device(), *INFO.devices()], ids=str)
def test_default_data_types(device: Any) -> None:
    names = {key: str(np.dtype(found)) for key, found in INFO.default_dtypes(device=device).items()}
    made = xarr.zeros(1, device=device)
    assert names == {
        "real floating": str(made.dtype),
        "complex floating": str(xarr.asarray(1j, device=device).dtype),
        "integral": str(xarr.asarray(1, device=device).dtype),
        "indexing": str(xarr.argmax(made).dtype),
    }


def test_data_types_by_kind_and_device() -> None:
    for kind, names in KINDS.items():
        found = INFO.dtypes(kind=kind)
        assert set(found) == {name for name in names if has(name)}
        assert all(found[name] == getattr(xarr, name) for name in found)
    assert set(INFO.dtypes(kind=("bool", "signed integer"))) == {"bool", *SIGNED}
    assert INFO.dtypes(kind=()) == {}
    for wrong in ("wrong", ("bool", "wrong")):
        with pytest.raises(ValueError, match=r"^dtypes\(device, kind\): kind is 'wrong'"):
            INFO.dtypes(kind=wrong)
    for device in INFO.devices():
        lacks = set() if device.has_float64 else {"float64", "complex128"}
        assert set(INFO.dtypes(device=device)) == set(ALL) - lacks


OURS = make_strategies_namespace(xarr, api_version=VERSION)


@hypothesis.settings(max_examples=15)
@hypothesis.given(data=st.data())
def test_hypothesis_draws_arrays(data: st.DataObject) -> None:
    names = [name for name in ("float32", "int64", "bool", "complex64") if has(name)]
    dtype = getattr(xarr, data.draw(st.sampled_from(names)))
    shape = data.draw(OURS.array_shapes(max_dims=3, max_side=4))
    x = data.draw(OURS.arrays(dtype=dtype, shape=shape))
    assert type(x) is xarr.Array
    assert (x.dtype, x.shape) == (dtype, shape)
