"""Views of strides, complex results of real operands, and the assertions, beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr
from tests.functions.calls import check, each
from xarr import testing
from xarr.lib.stride_tricks import as_strided

CALLS = """
np.lib.stride_tricks.as_strided(i[2:, 3:], {(3, 2), (4, 8)|(5,), (-4,)|(2, 3), (0, 4)})
np.lib.stride_tricks.as_strided(i, {(4, 3, 2), (24, 4, 4)|shape=(2, 6)|(0, 3), (4, 4)})
np.lib.stride_tricks.as_strided(i[1])
np.lib.stride_tricks.as_strided(np.zeros(6), (7,), (8,)) ! ValueError: elements 0 to 6
np.lib.stride_tricks.as_strided(np.zeros(6), (2,), (-8,)) ! ValueError: elements -1 to 0
np.lib.stride_tricks.as_strided(np.zeros(6), (2,), (4,)) ! ValueError: multiples of the 8 bytes
np.lib.stride_tricks.as_strided(np.zeros(6), (2,), (8, 8)) ! ValueError: an entry for each axis
np.lib.stride_tricks.sliding_window_view(f[0], {3|6|1, 0})
np.lib.stride_tricks.sliding_window_view(f, {(2, 3)|2, 0|2, -1|(2, 2), (1, 1)})
np.lib.stride_tricks.sliding_window_view(f, {(2, 3)|2, 0|(2, 2), (1, 1)}).sum(axis=-1)
np.lib.stride_tricks.sliding_window_view(f[::2, ::-1], (2, 2))
np.lib.stride_tricks.sliding_window_view(f, (2, 3)).__setitem__(..., 0) ! ValueError: read-only
np.lib.stride_tricks.sliding_window_view(f, (1, 1), writeable=True).__setitem__(..., 5)
np.lib.stride_tricks.sliding_window_view(f, {(5, 1)|-1, 0|(2,)|(2, 2), 0}) ! ValueError: sliding_w
np.emath.{sqrt|log|log2|log10}({[0.25, 0.5]|[-2.0, 0.5]|[2.0, 3.0]|[1 + 1j, 2]})
np.emath.{arccos|arcsin|arctanh}({[0.25, 0.5]|[-2.0, 0.5]|[2.0, 3.0]|[1 + 1j, 2]})
np.emath.{sqrt|log|log2|log10}([1, 2])
np.emath.power({[2, 4], 2|[2, 4], -2|[-2, 4], 2|[-2.0, 4], 0.5|[2, 4], [2, -1]})
np.emath.logn(2, [4, -8])
"""


@each(CALLS)
def test_as_numpy(call: str) -> None:
    i = np.arange(24, dtype="int32").reshape(4, 6)
    check(call, near=1e-12, i=i, f=np.arange(24, dtype="float32").reshape(4, 6))


def test_as_strided_writes_or_refuses() -> None:
    x = xarr.zeros(6)
    as_strided(x, (3,), (16,))[...] = 1
    assert x.tolist() == [1, 0, 1, 0, 1, 0]
    for view in (as_strided(x, (5, 2), (8, 8)), as_strided(x, (3,), (8,), writeable=False)):
        with pytest.raises(ValueError, match="read-only|share memory"):
            view[...] = 2


def test_lib_has_what_needs_no_arrays() -> None:
    assert xarr.lib.NumpyVersion("2.1.0") > "2.0.0"
    assert xarr.lib.array_utils.normalize_axis_tuple(-1, 3) == (2,)
    assert issubclass(xarr.lib.mixins.NDArrayOperatorsMixin, object)
    with pytest.raises(TypeError, match="on a device"):
        xarr.lib.array_utils.byte_bounds(xarr.ones(3))


PASSING: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("assert_allclose", ([1.0, 2.0], [1.0, 2.0 + 1e-12]), {}),
    ("assert_array_equal", ([1, 2], [1, 2]), {"strict": True}),
    ("assert_equal", ({"a": [1, 2]}, {"a": [1, 2]}), {}),
    ("assert_almost_equal", ([1.0], [1.0 + 1e-9]), {}),
    ("assert_array_almost_equal", ([1.0], [1.0 + 1e-9]), {"decimal": 7}),
    ("assert_array_less", ([1, 2], [2, 3]), {}),
    ("assert_array_max_ulp", ([1.0], [1.0 + 2e-16]), {}),
    ("assert_array_almost_equal_nulp", ([1.0], [1.0]), {}),
]


def arrays(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: arrays(part) for key, part in value.items()}
    return xarr.asarray(value)


@pytest.mark.parametrize(("name", "operands", "options"), PASSING)
def test_assertions(name: str, operands: tuple[Any, ...], options: dict[str, Any]) -> None:
    function = getattr(testing, name)
    with xarr.no_implicit_transfer():
        function(*map(arrays, operands), **options)
    changed = xarr.asarray([9.0] * len(operands[0]))
    wrong = {"a": changed} if name == "assert_equal" else changed
    with xarr.no_implicit_transfer(), pytest.raises(AssertionError):
        function(wrong, arrays(operands[0]), **options)


def test_assert_equal_descends() -> None:
    x = xarr.asarray([1.0, xarr.nan])
    testing.assert_equal([x, (x, {"a": x})], [x, (x, {"a": np.array([1.0, np.nan])})])
    with pytest.raises(AssertionError):
        testing.assert_equal([x, (x, {"a": x})], [x, (x, {"a": x + 1})])
    testing.assert_approx_equal(xarr.asarray(1.0), 1.0 + 1e-9)
    with testing.assert_raises(ValueError):
        raise ValueError
