"""The kernels of Fourier transforms on tiny operands, as in test_kernels_memory.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr
from xarr.algorithms import transforms
from xarr.array.array import Array
from xarr.core.tape import Node

from .test_kernels_memory import when_checked

Values = np.ndarray[Any, Any]


@pytest.fixture
def small_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits so small that short lines take several passes and tiles hold few columns."""
    monkeypatch.setattr("xarr.algorithms.transforms._TILE_NBYTES", 256)
    monkeypatch.setattr("xarr.algorithms.transforms._LONGEST_COLUMN", 8)
    monkeypatch.setattr("xarr.algorithms.transforms._LONGEST_PASS", 8)
    transforms._cut_length.cache_clear()
    monkeypatch.setattr(xarr.default_device(), "kernels", {})
    monkeypatch.setattr(xarr.default_device(), "programs", {})


def node(values: Values) -> Node:
    result: Node = xarr.asarray(values)._node
    return result


def near(ours: Node, wanted: Values) -> None:
    np.testing.assert_allclose(np.asarray(Array(ours)), wanted, rtol=1e-4, atol=1e-4)


@when_checked
@pytest.mark.parametrize("length", [1, 2, 5, 6, 7, 11, 30, 64, 72])
def test_complex_lines(length: int, small_passes: None) -> None:
    for shape, axis in (((3, length), 1), ((length, 3), 0)):
        values = (np.arange(3 * length) % 7 - 3j).reshape(shape).astype(np.complex64)
        given = node(values)
        near(transforms.fft(given, axis, inverse=False, scale=1.0), np.fft.fft(values, axis=axis))
        near(
            transforms.fft(given, axis, inverse=True, scale=1 / length),
            np.fft.ifft(values, axis=axis),
        )


@when_checked
@pytest.mark.parametrize("length", [1, 2, 9, 12, 22, 64, 100])
def test_real_lines(length: int, small_passes: None) -> None:
    for shape, axis in (((3, length), 1), ((length, 2), 0)):
        values = (np.arange(np.prod(shape)) % 7).reshape(shape).astype(np.float32)
        spectrum = np.fft.rfft(values, axis=axis).astype(np.complex64)
        near(transforms.rfft(node(values), axis, scale=1.0), spectrum)
        near(transforms.irfft(node(spectrum), axis, length, scale=1 / length), values)


@when_checked
def test_expressions_and_views(small_passes: None) -> None:
    values = (np.arange(60) % 11).reshape(3, 20).astype(np.complex64)
    x = xarr.asarray(values)
    kept = x * 2
    near(transforms.fft(kept._node, 1, inverse=False, scale=1.0), np.fft.fft(values * 2))
    np.testing.assert_array_equal(np.asarray(kept), values * 2)
    seen = values[::2, ::-3]
    near(transforms.fft(x[::2, ::-3]._node, 1, inverse=False, scale=1.0), np.fft.fft(seen))
    near(transforms.fft(x.T._node, 0, inverse=False, scale=1.0), np.fft.fft(values.T, axis=0))
