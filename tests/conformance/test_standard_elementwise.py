"""Every element-wise function and operator of the standard beside array-api-strict's."""

from __future__ import annotations

from typing import Any

import array_api_strict
import numpy as np
import pytest

import xarr
from tests.comparing import computed_together, needs, together
from tests.conformance.standard import (
    ALL,
    BINARY,
    COMPLEX,
    ELEMENTWISE,
    FLOATING,
    INTEGER,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    words,
)
from tests.functions.calls import alike
from xarr import dtypes
from xarr.ops.elementwise import BY_NAME

TAKES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        words(
            "abs add conj isfinite isinf isnan multiply negative positive pow real round sign "
            "square subtract"
        ),
        NUMERIC,
    ),
    **dict.fromkeys(
        words(
            "acos acosh asin asinh atan atanh cos cosh divide exp expm1 log log1p log2 log10 "
            "reciprocal sin sinh sqrt tan tanh"
        ),
        FLOATING,
    ),
    **dict.fromkeys(words("atan2 copysign hypot logaddexp nextafter signbit"), REAL_FLOATING),
    **dict.fromkeys(words("bitwise_and bitwise_invert bitwise_or bitwise_xor"), (*INTEGER, "bool")),
    **dict.fromkeys(words("bitwise_left_shift bitwise_right_shift"), INTEGER),
    **dict.fromkeys(
        words(
            "ceil clip floor floor_divide greater greater_equal less less_equal maximum minimum "
            "remainder trunc"
        ),
        REAL,
    ),
    **dict.fromkeys(words("equal not_equal"), ALL),
    **dict.fromkeys(words("logical_and logical_not logical_or logical_xor"), ("bool",)),
    "imag": COMPLEX,
}
"""The data types that the standard gives each function."""


def test_the_standards_data_types_are_taken() -> None:
    assert set(TAKES) == ELEMENTWISE
    for name in ELEMENTWISE - {"clip"}:
        taken = {row.name for row in dtypes.TABLE if row.kind in BY_NAME[name].kinds}
        assert set(TAKES[name]) <= taken, name


def operands(name: str, dtype: str, xp: Any) -> list[Any]:
    """The arguments of a call: a table and a row, of numbers that each function takes."""
    x = np.asarray([[0.25, 0.5, 1], [0.75, 0.125, 0.875]]) * (1 if dtype in FLOATING else 8)
    x, y = x + (1 if name == "acosh" else 0), np.asarray([2, 1, 3])
    if dtype in COMPLEX:
        x = x * (1 - 0.5j)
    if name == "clip":
        return [xp.asarray(x.astype(dtype)), 0, xp.asarray(np.asarray(3, dtype))]
    given = [x, y] if name in BINARY else [x]
    return [xp.asarray(one.astype(dtype)) for one in given]


USUAL = ("bool", "int32", "uint8", "float32", "complex64")
"""A data type of each kind; the kernels of the others take long to compile."""
GROUPS = [
    pytest.param(
        dtype,
        names[start : start + together(dtype)],
        id=f"{dtype}-{names[start]}",
        marks=() if dtype in USUAL else pytest.mark.nightly,
    )
    for dtype in ALL
    for names in [sorted(name for name in TAKES if dtype in TAKES[name])]
    for start in range(0, len(names), together(dtype))
]


@pytest.mark.parametrize(("dtype", "names"), GROUPS)
def test_functions(dtype: str, names: list[str]) -> None:
    """Some of a data type in one kernel; functions/test_elementwise.py has all their values."""
    needs(dtype)
    results = [getattr(xarr, name)(*operands(name, dtype, xarr)) for name in names]
    computed_together(results)
    for name, result in zip(names, results, strict=True):
        with np.errstate(all="ignore"):
            wanted = getattr(array_api_strict, name)(*operands(name, dtype, array_api_strict))
        alike(result, wanted, name, 1e-6)
