"""Every element-wise function and operator of the standard beside array-api-strict's."""

from __future__ import annotations

from tests.conformance.standard import (
    ALL,
    COMPLEX,
    ELEMENTWISE,
    FLOATING,
    INTEGER,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    words,
)
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
