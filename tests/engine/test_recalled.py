"""Calls like earlier ones: what they record again is what the function would record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xarr
from xarr.array.cached_calls import cached_call
from xarr.ir.events import hooks
from xarr.ops import vendor

CALLS: dict[str, Callable[..., Any]] = {
    "roll(x, 1, axis=0)": lambda p, x, y: p.roll(x, 1, axis=0),
    "roll(x, -2)": lambda p, x, y: p.roll(x, -2),
    "concat((x, y))": lambda p, x, y: p.concat((x, y)),
    "concat([x, x], axis=1)": lambda p, x, y: p.concat([x, x], axis=1),
    "stack((x, y), axis=1)": lambda p, x, y: p.stack((x, y), axis=1),
    "pad(x, 1)": lambda p, x, y: p.pad(x, 1, mode="edge"),
    "tile(x, (2, 1))": lambda p, x, y: p.tile(x, (2, 1)),
    "repeat(x, 2, axis=1)": lambda p, x, y: p.repeat(x, 2, axis=1),
    "diff(x, axis=0)": lambda p, x, y: p.diff(x, axis=0),
    "gradient(x)": lambda p, x, y: p.gradient(x),
    "clip(x, 0.0, 1.0)": lambda p, x, y: p.clip(x, 0.0, 1.0),
    "clip(x, -0.0, 1.0)": lambda p, x, y: p.clip(x, -0.0, 1.0),
    "clip(x, y, None)": lambda p, x, y: p.clip(x, y, None),
    "reshape(x, (-1, 2))": lambda p, x, y: p.reshape(x, (-1, 2)),
    "x.T": lambda p, x, y: p.permute_dims(x, (1, 0)),
    "flip(x, axis=1)": lambda p, x, y: p.flip(x, axis=1),
    "broadcast_to(x, ...)": lambda p, x, y: p.broadcast_to(x, (2, *x.shape)),
    "einsum": lambda p, x, y: p.einsum("ij,ij->i", x, y),
    "x @ y.T": lambda p, x, y: p.matmul(x, y.T),
    "tril(x)": lambda p, x, y: p.tril(x),
    "nan_to_num(x)": lambda p, x, y: p.nan_to_num(x),
    "select": lambda p, x, y: p.select([x > y, x < 0], [x, y], 7.0),
    "x ** 3": lambda p, x, y: x**3,
    "isclose(x, y)": lambda p, x, y: p.isclose(x, y),
    "fft": lambda p, x, y: p.fft.fft(x),
    "where(x > y, x, 0.5)": lambda p, x, y: p.where(x > y, x, 0.5),
    "maximum(x, 0.5)": lambda p, x, y: p.maximum(x, 0.5),
}


def operands(turn: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(turn)
    return random.standard_normal((4, 6)).astype("f4"), random.standard_normal((4, 6)).astype("f4")


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(xarr.to_numpy(found), wanted, 2e-5, 1e-5)


def check(call: Callable[..., Any], x: Any, y: Any) -> None:
    """Compare with NumPy, of what an array of xarr's holds."""
    wanted = call(np, np.array(xarr.to_numpy(x)), np.array(xarr.to_numpy(y)))
    found = call(xarr, x, y)
    if not isinstance(wanted, tuple):
        wanted, found = (wanted,), (found,)
    for got, expected in zip(found, wanted, strict=True):
        close(got, expected)


@pytest.mark.parametrize("name", CALLS)
def test_other_values_and_views(name: str) -> None:
    """Five turns of new arrays, then of views, of one array twice, and of overlapping parts."""
    for turn in range(5):
        check(CALLS[name], *map(xarr.asarray, operands(turn)))
    base = xarr.asarray(np.arange(80.0, dtype="f4").reshape(8, 10) - 30)
    for _ in range(3):
        check(CALLS[name], base[:4, :6], base[4:, 3:9])
        check(CALLS[name], base[:4, :6], base[:4, :6])
        check(CALLS[name], base[:4, :6], base[1:5, :6])
        check(CALLS[name], base[::2, 9:3:-1], base[::2, 9:3:-1])
        base += 1


def test_results_are_new_or_views_as_before() -> None:
    kept: list[Any] = []
    for turn in range(5):
        x = xarr.asarray(operands(turn)[0])
        part, moved = xarr.reshape(x, (6, 4)), xarr.roll(x, 1, axis=0)
        assert part.base is x
        assert moved.base is None
        part[0, 0] = 100 + turn
        moved[0, 0] = -5
        kept.append((x, moved))
    for turn, (x, moved) in enumerate(kept):
        assert float(x[0, 0]) == 100 + turn
        assert float(moved[0, 0]) == -5
        assert float(moved[1, 0]) == operands(turn)[0][0, 0]
        with pytest.raises(ValueError, match="read-only"):
            xarr.broadcast_to(x, (2, 4, 6))[0, 0, 0] = 1


def test_what_is_written_in_between_is_seen() -> None:
    x = xarr.zeros((4, 6), dtype="float32") + 0
    for turn in range(8):
        joined = xarr.concat((x, x[:2]))
        x += 1
        np.testing.assert_array_equal(xarr.to_numpy(joined), np.full((6, 6), turn, "f4"))


def test_values_that_are_looked_at_are_looked_at_again() -> None:
    """Distances that an array has decide which derivative it is."""
    for last in (3.0, 3.0, 3.0, 4.0, 3.0, 7.0):
        x, places = np.array([1.0, 2, 4, 8]), np.array([0.0, 1, 2, last])
        close(xarr.gradient(xarr.asarray(x), xarr.asarray(places)), np.gradient(x, places))


def test_a_recipe_is_followed_where_nothing_else_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    x = xarr.asarray(operands(0)[0])
    recordings = vars(xarr.roll)["recordings"]
    recordings.clear()
    for _ in range(3):
        xarr.roll(x, 2, axis=1)
    (recording,) = recordings.values()
    assert not isinstance(recording, int)
    recordings.update(dict.fromkeys(recordings, 99))  # without one the function runs
    close(xarr.roll(x, 2, axis=1), np.roll(operands(0)[0], 2, axis=1))
    recordings.clear()
    monkeypatch.setattr(hooks, "changed", 1)
    xarr.roll(x, 2, axis=1)
    assert not recordings


def test_a_graph_has_products_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """No library works within one, whatever was recorded before it; nor is that found behind it."""

    def product(first: Any, second: Any, *, out: Any) -> None:
        out[...] = first @ second

    def routine(name: str, dtype: Any, device: Any) -> Any:
        return product if name == "matmul" and not device.is_recorded else None

    info = xarr.default_device().info
    if not info.host_addressable and info.backend not in ("cupy", "numba"):
        monkeypatch.setattr(vendor, "routine", routine)
    a = operands(0)[0][:, :4]
    x = xarr.asarray(a)
    recordings = vars(xarr.matmul)["recordings"]
    for _ in range(2):
        for _ in range(4):
            close(xarr.matmul(x, x), a @ a)
        known = dict(recordings)
        with xarr.graph() as graph:
            for _ in range(4):
                found = xarr.matmul(x, x)
        assert recordings == known
        x += 1
        graph.launch()
        close(found, (a + 1) @ (a + 1))
        x -= 1


def test_memory_that_others_see_is_read_at_once() -> None:
    if not xarr.default_device().info.host_addressable:
        pytest.skip("NumPy does not see the memory of this device")
    x = xarr.asarray(operands(0)[0])
    for _ in range(4):
        xarr.roll(x, 1)
    seen = np.asarray(x)
    moved = xarr.roll(x, 1)
    seen[...] = 0
    np.testing.assert_array_equal(xarr.to_numpy(moved), np.roll(operands(0)[0], 1))


def test_what_may_not_be_written_is_no_more_and_no_less() -> None:
    """NumPy's views that cannot be written stay so, whatever the array of an earlier call was."""
    for is_locked in (True, True, True, False, True, False, False):
        x = xarr.asarray(np.ones((4, 4), "f4"))
        x.flags.writeable = not is_locked
        assert not xarr.diag(x).flags.writeable
        assert not xarr.broadcast_to(x, (4, 4)).flags.writeable
        assert xarr.reshape(x, (2, 8)).flags.writeable is not is_locked
        assert xarr.roll(x, 1).flags.writeable


def test_what_is_returned_as_it_was_given_is_the_same_object() -> None:
    base = xarr.asarray(np.array([[False, True], [True, True]]))
    for _ in range(5):
        part = base[::-1]
        assert xarr.diff(part, 0) is part
        assert xarr.nan_to_num(part, copy=False) is part


def test_arguments_that_are_equal_are_told_apart() -> None:
    x, ints = xarr.asarray(np.array([np.nan, 1.0], "f4")), xarr.asarray(np.arange(4, dtype="i4"))
    for _ in range(4):
        for bounds in ((1, 2), (1.0, 2.0)):
            expected = np.clip(np.arange(4, dtype="f4"), *bounds)
            found = xarr.clip(ints, *bounds)
            assert (found.dtype.kind == "i") is (type(bounds[0]) is int)
            close(found, expected)
        for zero in (0.0, -0.0):
            found = xarr.nan_to_num(x, nan=zero)
            assert np.signbit(xarr.to_numpy(found)[0]) == np.signbit(zero)


def test_numbers_and_arrays_of_no_axes_are_told_apart() -> None:
    number, array = (
        xarr.asarray(np.arange(3.0, dtype="f4")).max(),
        xarr.asarray(np.array(2.0, "f4")),
    )
    for _ in range(4):
        assert xarr.reshape(array, (1,)).base is array
        assert xarr.reshape(number, (1,)).base is None
        chosen = xarr.where(number > 1, number, 0.5)
        written = chosen
        written += 1  # NumPy's is an array as well
        assert float(chosen) == 3


def test_views_of_another_type_and_of_no_elements_begin_where_they_should() -> None:
    real = cached_call(lambda x: x.real + 0)
    whole = np.arange(20) * (1 + 2j)
    base, values = xarr.asarray(whole.astype("c8")), whole.real
    for start in (0, 3, 3, 3, 9, 1):
        close(real(base[start : start + 4]), values[start : start + 4])
        assert xarr.ravel(base[start : start + 4, None][:, 1:])._view.offset >= 0


def test_errors_and_warnings_come_each_time() -> None:
    x = xarr.asarray(operands(0)[0])
    z = x + 1j
    for _ in range(5):
        with pytest.raises(ValueError, match="shapes have to agree"):
            xarr.concat((x, x[:, :2]))
        with pytest.warns(DeprecationWarning, match="axes"):
            xarr.fft.fft2(x, s=(4, 4), axes=None)
        with pytest.warns(np.exceptions.ComplexWarning):
            xarr.cumsum(z, dtype="float32")
        with pytest.warns(np.exceptions.ComplexWarning):
            xarr.trace(z, dtype="float32")
