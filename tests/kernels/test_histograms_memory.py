"""The kernels of histograms on tiny operands, as in test_kernels_memory.py."""

from __future__ import annotations

import numpy as np
import pytest

import xarr
from xarr.algorithms import counting
from xarr.array.array import Array

from .test_kernels_memory import when_checked


@when_checked
@pytest.mark.parametrize("options", [(), ("as-gpu",)], ids=str)
@pytest.mark.parametrize("number", [3, 5000])
def test_counts_and_sums(number: int, options: tuple[str, ...]) -> None:
    with xarr.device(xarr.default_device().pretending(*options)):
        bins = np.arange(600) * 37 % 7 - 1
        weights = np.arange(600, dtype=np.float32)
        inside = (bins >= 0) & (bins < number)
        x, w = xarr.asarray(bins), xarr.asarray(weights)
        got = np.asarray(Array(counting.counts(x._node, number)))
        np.testing.assert_array_equal(got, np.bincount(bins[inside], minlength=number))
        got = np.asarray(Array(counting.sums(x._node, w._node, number)))
        wanted = np.bincount(bins[inside], weights[inside], minlength=number)
        np.testing.assert_array_equal(got, wanted.astype(np.float32))
        counts, _ = xarr.histogram(x, 5, (0, 5))
        np.testing.assert_array_equal(np.asarray(counts), np.histogram(bins, 5, (0, 5))[0])
