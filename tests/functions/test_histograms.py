"""Counts and histograms against NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import xarr
from tests.functions.beside_numpy import check, refused
from xarr.engine import engine
from xarr.functions.statistics.bin_widths import WIDTHS

NAN, INF = np.nan, np.inf
RNG = np.random.default_rng(2)
X, Y, WEIGHTS = RNG.normal(size=2000), RNG.normal(size=2000), RNG.random(2000)
NUMBERS = RNG.integers(0, 30, 500)


@pytest.fixture(params=["", "as-gpu"], ids=["cpu", "gpu"])
def form(request: pytest.FixtureRequest) -> Iterator[xarr.Device]:
    """The default device, and the same taken for a GPU."""
    with xarr.device(xarr.default_device().pretending(*filter(None, [request.param]))) as chosen:
        yield chosen


def test_bincount(form: xarr.Device) -> None:
    for x in (NUMBERS, NUMBERS.astype("u1"), NUMBERS.astype("i2"), X > 0, np.zeros(0, int)):
        check("bincount", x)
        check("bincount", x, minlength=50)
        check("bincount", x, WEIGHTS[: x.size])
    check("bincount", NUMBERS, NUMBERS.astype("f4"))
    check("bincount", NUMBERS[::-3], WEIGHTS[:500:-3][: NUMBERS[::-3].size])
    check("bincount", [1, 1, 2])
    check("bincount", [])
    check("bincount", np.arange(5000))  # more than a group counts in its own memory
    refused("bincount", np.array([-1, 2]))
    refused("bincount", np.array([-1, 2], "i1"))
    refused("bincount", X)
    refused("bincount", NUMBERS, WEIGHTS)
    refused("bincount", NUMBERS.reshape(2, -1))
    refused("bincount", NUMBERS, minlength=-1)
    refused("bincount", NUMBERS, minlength=2.5)
    refused("bincount", NUMBERS, WEIGHTS[:500] * 1j)


@pytest.mark.parametrize(("size", "number"), [(1, 1), (257, 1), (70_000, 300), (66_000, 3)])
def test_sums_of_weights_have_the_same_bits(size: int, number: int) -> None:
    """On a CPU in one pass, on a GPU after a sort; 66,000 of 3 bins take three levels."""
    bins, weights = RNG.integers(0, number, size), RNG.normal(size=size)
    found = []
    for option in ([], ["as-gpu"]):
        with xarr.device(xarr.default_device().pretending(*option)):
            result = xarr.bincount(xarr.asarray(bins), xarr.asarray(weights), minlength=number)
            found.append(np.asarray(result))
    assert found[0].tobytes() == found[1].tobytes()
    np.testing.assert_allclose(found[0], np.bincount(bins, weights, minlength=number), atol=1e-10)


BINS: list[Any] = [10, 37, np.linspace(-2, 2, 9), [-1, 0, 0.5, 3], np.array([0.0, 0, 1, 1])]


@pytest.mark.parametrize("bins", BINS, ids=str)
def test_histogram(bins: Any, form: xarr.Device) -> None:
    check("histogram", X, bins)
    check("histogram", X.astype("f4"), bins)
    check("histogram", NUMBERS, bins)
    check("histogram", X, bins, weights=WEIGHTS)
    check("histogram", X, bins, (-1, 1), density=True)
    check("histogram_bin_edges", NUMBERS, bins)


@pytest.mark.parametrize("rule", WIDTHS)
def test_rules_for_the_number_of_bins(rule: str) -> None:
    check("histogram", X, rule)
    check("histogram", X, rule, (-0.5, 1.5))
    check("histogram_bin_edges", NUMBERS, rule)
    check("histogram_bin_edges", np.ones(5), rule)
    check("histogram_bin_edges", X[:2], rule)


def test_histograms_of_other_types() -> None:
    for weights in ((WEIGHTS * 10).astype(int), WEIGHTS + 1j * X, WEIGHTS > 0.5):
        check("histogram", X, 5, weights=weights)
    check("histogram", X > 0)
    check("histogram", X.astype("f2"))
    check("histogram", np.zeros(0))
    check("histogram", np.ones(5))
    check("histogram", [1, 2, 3])
    check("histogram", X.reshape(40, 50)[::2, ::-1], [0, 1])
    check("histogram", np.array([1, NAN, 3, 2, INF]), 5, (0, 4))
    check("histogram", np.array([1, NAN, 3, 2, INF]), [0, 2, 4])
    check("histogram", np.array([INF, 1.0]), [0, 1, INF])
    check("histogram", np.array([2**62, 2**62 + 2**40, -(2**62)]), 7)
    check("histogram", np.array([0, 255], "u1"), 256)
    check("histogram", np.array([-128, 127], "i1"), 4)
    check("histogram", np.arange(0, 1, 0.1), 10, (0, 1))  # numbers at edges, and beside them
    check("histogram", np.linspace(0, 1, 1001), 1000)
    check("histogram", (np.arange(100) / 10).astype("f4"), 33)


def test_what_histogram_refuses() -> None:
    refused("histogram", np.array([1, NAN]))
    for bins in (0, 2.5, "other", [3, 2], np.array([[1]])):
        refused("histogram", X, bins)
    refused("histogram", X, range=(2, 1))
    refused("histogram", X, range=(0, INF))
    refused("histogram", X, weights=WEIGHTS[:3])
    refused("histogram", X, "auto", weights=WEIGHTS)
    refused("histogram", X, 10**6, (1, 1 + 1e-12))


def test_binning_and_counting_are_one_launch() -> None:
    x = xarr.asarray(X)
    xarr.histogram(x, 4, (-1, 1))
    before = engine.counts.launches
    xarr.histogram(x * 2 + 1, 4, (-1, 1))
    # And the zeros that a GPU's counts begin with.
    assert engine.counts.launches - before <= 2


def test_histograms_of_several_axes() -> None:
    points = np.stack([X, Y, WEIGHTS], 1)
    pair: list[Any] = [np.linspace(-1, 1, 5), 4]
    for bins in (10, [5, 7], pair, np.linspace(-2, 2, 6)):
        check("histogram2d", X, Y, bins)
        check("histogram2d", X, Y, bins, density=True, weights=WEIGHTS)
    check("histogram2d", X, Y, 4, [[-1, 1], [0, 2]])
    check("histogramdd", points, [2, 3, 4])
    check("histogramdd", [X, Y], 5, weights=WEIGHTS)
    check("histogramdd", points[:, :2], 3, [None, (0, 1)])
    check("histogramdd", X)
    check("histogramdd", np.array([[1, NAN], [2, 3], [1, 1]]), [[0, 1, 2], [0, 1, 2]])
    refused("histogram2d", X, Y[:3])
    refused("histogramdd", points, [2, 3])
    refused("histogramdd", points, 0)
    refused("histogramdd", points, 2.5)
    refused("histogramdd", points[:, :2], 3, [(0, 1)])


def test_digitize(form: xarr.Device) -> None:
    edges = np.sort(RNG.normal(size=7))
    for right in (False, True):
        check("digitize", X, edges, right)
        check("digitize", X.reshape(40, 50), edges[::-1], right=right)
        check("digitize", NUMBERS, np.array([1, 5, 9]), right)
    check("digitize", 2.0, edges)
    check("digitize", np.array([NAN, 1]), edges)
    refused("digitize", X, [1, 3, 2])
    refused("digitize", X * 1j, edges)


def test_numpy_asks_xarr() -> None:
    counts, _ = np.histogram(xarr.asarray(X), bins=4)
    assert type(counts) is xarr.Array
