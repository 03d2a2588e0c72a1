"""Views of strides, complex results of real operands, and the assertions, beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr
from xarr import testing
from xarr.lib.stride_tricks import as_strided, sliding_window_view

theirs = np.lib.stride_tricks


def same(got: Any, wanted: Any) -> None:
    assert type(got) is xarr.Array
    host = xarr.to_numpy(got)
    assert host.dtype == wanted.dtype
    np.testing.assert_array_equal(host, wanted, strict=True)


def test_as_strided() -> None:
    a = np.arange(24, dtype="int32").reshape(4, 6)
    x = xarr.asarray(a)
    for shape, strides in (
        ((3, 2), (4, 8)),
        ((4, 3, 2), (24, 4, 4)),
        ((5,), (-4,)),
        ((2, 3), (0, 4)),
    ):
        begin = (2, 3)
        tail, host = x[begin[0] :, begin[1] :], a[begin[0] :, begin[1] :]
        if shape == (4, 3, 2):
            tail, host = x, a
        same(as_strided(tail, shape, strides), theirs.as_strided(host, shape, strides))
    same(as_strided(x[1]), a[1])
    same(as_strided(x, shape=(2, 6)), theirs.as_strided(a, shape=(2, 6)))
    same(as_strided(x, (0, 3), (4, 4)), theirs.as_strided(a, (0, 3), (4, 4)))


def test_as_strided_writes_or_refuses() -> None:
    x = xarr.zeros(6)
    as_strided(x, (3,), (16,))[...] = 1
    assert x.tolist() == [1, 0, 1, 0, 1, 0]
    for view in (as_strided(x, (5, 2), (8, 8)), as_strided(x, (3,), (8,), writeable=False)):
        with pytest.raises(ValueError, match="read-only|share memory"):
            view[...] = 2
    with pytest.raises(ValueError, match="elements 0 to 6"):
        as_strided(x, (7,), (8,))
    with pytest.raises(ValueError, match="elements -1 to 0"):
        as_strided(x, (2,), (-8,))
    with pytest.raises(ValueError, match="multiples of the 8 bytes"):
        as_strided(x, (2,), (4,))
    with pytest.raises(ValueError, match="a stride for each axis"):
        as_strided(x, (2,), (8, 8))


@pytest.mark.parametrize(
    ("shape", "window", "axis"),
    [((6,), 3, None), ((4, 5), (2, 3), None), ((4, 5), 2, 0), ((4, 5), 2, -1),
     ((4, 5), (2, 2), (1, 1)), ((4,), 4, None), ((4,), 1, 0)],
)  # fmt: skip
def test_sliding_windows(shape: tuple[int, ...], window: Any, axis: Any) -> None:
    a = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    got = sliding_window_view(xarr.asarray(a), window, axis)
    wanted = theirs.sliding_window_view(a, window, axis)
    same(got, wanted)
    same(got.sum(axis=-1), wanted.sum(axis=-1))
    with pytest.raises(ValueError, match="read-only"):
        got[...] = 0


def test_sliding_windows_of_views_and_mistakes() -> None:
    a = np.arange(24.0).reshape(4, 6)
    same(
        sliding_window_view(xarr.asarray(a)[::2, ::-1], (2, 2)),
        theirs.sliding_window_view(a[::2, ::-1], (2, 2)),
    )
    x = xarr.asarray(a)
    sliding_window_view(x, (1, 1), writeable=True)[...] = 5
    assert x[2, 3].item() == 5
    for window, axis in (((5, 1), None), (-1, 0), ((2,), None), ((2, 2), 0)):
        with pytest.raises(ValueError, match="sliding_window_view"):
            sliding_window_view(x, window, axis)


@pytest.mark.parametrize("name", ["sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"])
def test_emath(name: str) -> None:
    for values in ([0.25, 0.5], [-2.0, 0.5], [2.0, 3.0], [1, 2], [1 + 1j, 2]):
        if name in ("arctanh", "arcsin", "arccos") and values == [1, 2]:
            continue
        got, wanted = getattr(xarr.emath, name)(values), getattr(np.emath, name)(values)
        assert got.dtype == wanted.dtype
        testing.assert_allclose(got, wanted, rtol=1e-12)


def test_emath_of_two() -> None:
    for x, p in (([2, 4], 2), ([2, 4], -2), ([-2, 4], 2), ([-2.0, 4], 0.5), ([2, 4], [2, -1])):
        got, wanted = xarr.emath.power(x, p), np.emath.power(x, p)
        assert got.dtype == wanted.dtype
        testing.assert_allclose(got, wanted, rtol=1e-12)
    testing.assert_allclose(xarr.emath.logn(2, [4, -8]), np.emath.logn(2, [4, -8]))


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
