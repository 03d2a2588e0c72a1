"""Interpolation, derivatives, integrals, convolutions and windows, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr
from tests.functions.beside_numpy import check, given, refused

NAN, INF = np.nan, np.inf
RNG = np.random.default_rng(1)
POINTS, VALUES = np.sort(RNG.normal(size=9)), RNG.normal(size=9)
AT = np.concatenate((RNG.normal(size=20) * 2, POINTS, [NAN, INF, -INF]))
FIELD = RNG.normal(size=(5, 6))
ROWS, COLUMNS = np.cumsum(RNG.random(5)), np.cumsum(RNG.random(6))


def test_interp() -> None:
    check("interp", AT, POINTS, VALUES)
    check("interp", AT.reshape(4, 8), POINTS, VALUES, left=-5, right=7.5)
    check("interp", AT[:-3], POINTS, VALUES, period=1.3)
    check("interp", AT, POINTS, VALUES + 1j * VALUES[::-1])
    check("interp", AT, POINTS, VALUES + 1j * VALUES[::-1], left=1j, right=2)
    check("interp", 2.5, [1, 2, 3], [3, 2, 0])
    check("interp", AT.astype("f4"), POINTS.astype("f4"), VALUES.astype("f4"))
    check("interp", AT, POINTS[:1], VALUES[:1])
    check("interp", np.array([1, 2]), np.array([0, 4]), np.array([INF, INF]))
    check("interp", np.array([0.5, 1]), np.array([0.0, 1, 2]), np.array([INF, 3, -INF]))
    refused("interp", AT, POINTS, VALUES[:3])
    refused("interp", AT, POINTS[:0], VALUES[:0])
    refused("interp", AT, POINTS[:, None], VALUES)
    refused("interp", AT, POINTS, VALUES, period=0)
    refused("interp", AT + 1j, POINTS, VALUES)


def gradients(f: Any, *spacing: Any, **named: Any) -> None:
    """Assert that the gradients have NumPy's values and data types."""
    wanted = np.gradient(f, *spacing, **named)
    got = xarr.gradient(xarr.asarray(f), *map(given, spacing), **named)
    pairs = [(got, wanted)] if isinstance(got, xarr.Array) else zip(got, wanted, strict=True)
    for ours, theirs in pairs:
        near = 1e-12 if theirs.dtype.itemsize > 4 else 1e-3 if theirs.dtype == "f2" else 1e-5
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(np.asarray(ours), theirs, near, near)


@pytest.mark.parametrize("order", [1, 2])
def test_gradient(order: int) -> None:
    gradients(FIELD, edge_order=order)
    gradients(FIELD, 2.0, axis=(1, 0), edge_order=order)
    gradients(FIELD, 2, COLUMNS, edge_order=order)
    gradients(FIELD, ROWS, np.arange(6) * 0.5, edge_order=order)
    gradients(FIELD.T, ROWS, axis=1, edge_order=order)
    gradients(RNG.integers(0, 9, 7), edge_order=order)
    gradients(RNG.integers(0, 9, 7).astype("u1"), np.arange(7), edge_order=order)
    gradients(FIELD.astype("f4"), COLUMNS, axis=1, edge_order=order)
    gradients(FIELD + 1j * FIELD[::-1], edge_order=order)
    gradients(FIELD[0].astype("f2"), edge_order=order)


def test_what_gradient_refuses() -> None:
    assert xarr.gradient([1, 4, 9]).tolist() == [3, 4, 5]  # type: ignore[union-attr]
    refused("gradient", FIELD, 1, 2, 3)
    refused("gradient", FIELD, COLUMNS, COLUMNS)
    refused("gradient", FIELD[:1])
    refused("gradient", FIELD[:2], edge_order=2)
    refused("gradient", FIELD, edge_order=3)
    refused("gradient", FIELD, axis=3)


def test_trapezoid() -> None:
    check("trapezoid", FIELD)
    check("trapezoid", FIELD, COLUMNS)
    check("trapezoid", FIELD, ROWS, axis=0)
    check("trapezoid", FIELD, dx=0.5)
    check("trapezoid", FIELD, np.cumsum(FIELD, 0), axis=0)
    check("trapezoid", [1, 2, 3])
    check("trapezoid", FIELD.astype("f4"))
    refused("trapezoid", FIELD, axis=2)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_convolve(name: str, mode: str) -> None:
    for first, second in ((7, 3), (3, 7), (5, 5), (6, 1), (6, 4), (40, 20)):
        a, v = RNG.normal(size=first), RNG.normal(size=second)
        check(name, a, v, mode=mode)
    check(name, a[:7] + 1j * a[7:14], v[:4] * 1j + 1, mode=mode)
    check(name, (a * 9).astype(int), (v * 9).astype("i4"), mode=mode)
    check(name, a > 0, v[:3] > 0, mode=mode)
    check(name, a.astype("f2"), v.astype("f2"), mode=mode)
    check(name, np.abs(a * 9).astype("u1"), np.abs(v).astype("f4"), mode=mode)
    check(name, a[::-2], v[::2], mode=mode)


def test_convolve_beside_infinity() -> None:
    check("convolve", np.array([1.0, NAN, INF]), np.array([1, 2.0]))
    check("convolve", np.array([1.0, 2, 4]), np.array([INF, 2.0]))
    check("convolve", [1, 2, 3], [0, 1, 0.5])
    check("convolve", np.array([1, 2]), 3)
    refused("convolve", FIELD[0], FIELD[0, :0])
    refused("convolve", FIELD[0], FIELD[0], mode="other")
    refused("convolve", FIELD, FIELD[0])
    refused("correlate", FIELD[0], FIELD)


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
def test_windows(name: str) -> None:
    for points in (0, 1, 2, 7, 8, -3, 7.5):
        check(name, points)


def test_kaiser() -> None:
    for points in (0, 1, 2, 7, 8):
        check("kaiser", points, 14)
    check("kaiser", 12, 0.5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bessel_function_is_numpys(dtype: str) -> None:
    x = np.asarray([0, -0.0, 1e-9, 0.5, 8, 9, -3, 40, np.nan, np.inf], dtype)
    found = np.asarray(xarr.i0(xarr.asarray(x)))
    assert found.dtype == dtype
    assert found[0] == found[1] == 1
    with np.errstate(all="ignore"):
        wanted = np.i0(x.astype(np.float64))
    assert np.allclose(found, wanted, rtol=8 * np.finfo(dtype).eps, equal_nan=True)
