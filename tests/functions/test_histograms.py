"""Counts and histograms against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr
from tests.functions.calls import check, each_line, rows
from xarr import tuning
from xarr.functions.statistics.histograms import WIDTHS
from xarr.tape import builder

RNG = np.random.default_rng(2)
X, Y, WEIGHTS = RNG.normal(size=2000), RNG.normal(size=2000), RNG.random(2000)
NUMBERS = RNG.integers(0, 30, 500)
GIVEN: dict[str, Any] = {
    "x": X, "y": Y, "w": WEIGHTS, "n": NUMBERS, "points": np.stack([X, Y, WEIGHTS], 1),
    "edges": np.sort(RNG.normal(size=7)),
}  # fmt: skip

IN_BOTH_FORMS = """
np.bincount({n|np.asarray(n, "u1"), minlength=50|np.asarray(n, "i2"), w[:500]|x > 0|x > 0, w})
np.bincount(np.zeros(0, int))
np.bincount({np.zeros(0, int), w[:0]|n, np.asarray(n, "f4")|n[::-3], w[:500:-3][:167]|[1, 1, 2]})
np.bincount([])
# more than a group counts in its own memory
np.bincount(np.arange(5000))
np.bincount(np.asarray([-1, 2])) ! ValueError
np.bincount(np.asarray([-1, 2], "i1")) ! ValueError
np.bincount(x) ! TypeError
np.bincount({n, w|n.reshape(2, -1)|n, minlength=-1}) ! ValueError
np.bincount(n{, minlength=2.5|, w[:500] * 1j}) ! TypeError
np.digitize({x, edges|x, edges, True|x.reshape(40, 50), edges[::-1], right=False})
np.digitize({x.reshape(40, 50), edges[::-1], right=True|n, np.asarray([1, 5, 9]), True})
np.digitize({n, np.asarray([1, 5, 9])|2.0, edges|np.asarray([nan, 1]), edges})
np.digitize(x, [1, 3, 2]) ! ValueError
np.digitize(x * 1j, edges) ! TypeError
"""


@each_line(IN_BOTH_FORMS)
def test_in_both_forms(call: str, form: xarr.Device) -> None:
    check(call, near=1e-12, **GIVEN)


NAN = np.nan
EDGES = [
    *([1, 1], [1, 2], [2, 1], [1, 2, 1], [2, 1, 2], [1, 1, 2, 2, 3], [3, 2, 2, 1, 1]),
    *([NAN, NAN], [1, NAN], [NAN, 1], [1, 2, NAN], [2, 1, NAN], [NAN, 1, 2], [NAN, 2, 1]),
    *([1, 1, NAN, 2], [1, NAN, 2, 3], [1, 2, NAN, 1], [2, 1, NAN, 3], [1, NAN, NAN, 1]),
]


@pytest.mark.parametrize("edges", EDGES, ids=str)
def test_digitize_of_edges_on_the_device(edges: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "INDICES", 1)
    with xarr.device(xarr.default_device().pretending("as-gpu")):
        try:
            wanted = np.digitize(X, edges)
        except ValueError:
            with pytest.raises(ValueError, match="in no order"):
                xarr.digitize(X, xarr.asarray(edges))
        else:
            np.testing.assert_array_equal(np.asarray(xarr.digitize(X, xarr.asarray(edges))), wanted)


def _summed(places: Any, values: Any, number: int) -> Any:
    """The sums at places by NumPy: of each place's values 1,024 in order, then of those sums."""
    nothing = -np.zeros((), values.dtype)
    totals = np.full(number, nothing)
    ranks = np.empty(len(places), np.int64)
    for place in np.unique(places):
        (chosen,) = np.nonzero(places == place)
        ranks[chosen] = np.arange(len(chosen))
    for piece in range(ranks.max() // 1024 + 1):
        chosen = ranks // 1024 == piece
        part = np.full_like(totals, nothing)
        np.add.at(part, places[chosen], values[chosen])
        totals = totals + part
    return totals


SUMS = [
    (1, 1), (1024, 1), (1025, 1), (2049, 1), (70_000, 300), (9_000, 3), (3_000, 20_000), (700, 500),
    (30, 900),
]  # fmt: skip
KINDS = "float16", "float32", "float64", "complex64", "int32"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("size", "number"), SUMS)
def test_sums_at_places_have_one_order(size: int, number: int, kind: str) -> None:
    """On a CPU in one pass, on a GPU after a sort, as for a few places of many on both."""
    places = RNG.integers(0, number, size)
    places[: size // 3] = places[0]
    values = (RNG.normal(size=size) * 50).astype(kind)
    before = -np.zeros(number, kind)  # to which a sum of nothing adds nothing
    added = _summed(places, values.astype("f4") if kind == "float16" else values, number)
    weights = None if kind[0] in "ci" else values.astype(np.float64)
    for option in ([], ["as-gpu"]):
        with xarr.device(xarr.default_device().pretending(*option)):
            for function, sign in ((xarr.add, 1), (xarr.subtract, -1)):
                x = xarr.asarray(before)
                function.at(x, xarr.asarray(places), xarr.asarray(values))
                wanted = (before + (added if sign == 1 else -added)).astype(kind)
                wanted = np.where(np.isin(np.arange(number), places), wanted, before)
                assert np.asarray(x).tobytes() == wanted.tobytes()
            if weights is not None:
                found = xarr.bincount(xarr.asarray(places), xarr.asarray(weights), number)
                wanted = _summed(places, weights, number) + 0.0
                assert np.asarray(found).tobytes() == wanted.tobytes()


OF_BINS = """
np.histogram({x, b|np.asarray(x, "f4"), b|n, b|x, b, weights=w|x, b, (-1, 1), density=True})
np.histogram_bin_edges(n, b)
"""
BINS: list[Any] = [10, 37, np.linspace(-2, 2, 9), [-1, 0, 0.5, 3], np.array([0.0, 0, 1, 1])]


@pytest.mark.parametrize("bins", BINS, ids=str)
def test_histogram(bins: Any, form: xarr.Device) -> None:
    for call in rows(OF_BINS):
        check(call, near=1e-12, b=bins, **GIVEN)


OF_RULES = """
np.histogram(x{, b|, b, (-0.5, 1.5)})
np.histogram_bin_edges(n, b)
np.histogram_bin_edges({np.ones(5)|x[:2]}, b)
"""


@pytest.mark.parametrize("rule", WIDTHS)
def test_rules_for_the_number_of_bins(rule: str) -> None:
    for call in rows(OF_RULES):
        check(call, near=1e-12, b=rule, **GIVEN)


CALLS = """
np.histogram(x, 5{, weights=(w * 10).astype(int)|, weights=w + 1j * x|, weights=w > 0.5})
np.histogram({x > 0|np.asarray(x, "f2")|np.zeros(0)|np.ones(5)|[1, 2, 3]})
np.histogram({x.reshape(40, 50)[::2, ::-1], [0, 1]|np.asarray([1, nan, 3, 2, inf]), 5, (0, 4)})
np.histogram(np.asarray([1, nan, 3, 2, inf]), [0, 2, 4])
np.histogram(np.asarray([inf, 1.0]), [0, 1, inf])
np.histogram(np.asarray([2**62, 2**62 + 2**40, -(2**62)]), 7)
np.histogram(np.asarray([0, 255], "u1"), 256)
np.histogram(np.asarray([-128, 127], "i1"), 4)
# numbers at edges, and beside them
np.histogram(np.arange(0, 1, 0.1), 10, (0, 1))
np.histogram(np.linspace(0, 1, 1001), 1000)
np.histogram(np.asarray(np.arange(100) / 10, "f4"), 33)
np.histogram({np.asarray([1, nan])|x, 0}) ! ValueError
np.histogram(x, 2.5) ! TypeError
np.histogram(x{, "other"|, [3, 2]|, np.asarray([[1]])|, range=(2, 1)}) ! ValueError
np.histogram(x{, range=(0, inf)|, weights=w[:3]}) ! ValueError
np.histogram(x, "auto", weights=w) ! TypeError
np.histogram(x, 10**6, (1, 1 + 1e-12)) ! ValueError
np.histogram2d(x, y{, 10|, [5, 7]|, [numpy.linspace(-1, 1, 5), 4]|, numpy.linspace(-2, 2, 6)})
np.histogram2d(x, y{, 10|, [5, 7]|, [numpy.linspace(-1, 1, 5), 4]}, density=True, weights=w)
np.histogram2d(x, y, 4, [[-1, 1], [0, 2]])
np.histogramdd(points, [2, 3, 4])
np.histogramdd({[x, y], 5, weights=w|points[:, :2], 3, [None, (0, 1)]|x})
np.histogramdd(np.asarray([[1, nan], [2, 3], [1, 1]]), [[0, 1, 2], [0, 1, 2]])
np.histogram2d(x, y[:3]) ! ValueError
np.histogramdd(points{, [2, 3]|, 0}) ! ValueError
np.histogramdd(points, 2.5) ! TypeError
np.histogramdd(points[:, :2], 3, [(0, 1)]) ! ValueError
numpy.histogram(x, bins=4)
"""


@each_line(CALLS)
def test_as_numpy(call: str) -> None:
    check(call, near=1e-12, **GIVEN)


def test_binning_and_counting_are_one_launch() -> None:
    x = xarr.asarray(X)
    xarr.histogram(x, 4, (-1, 1))
    before = builder.counts.launches
    xarr.histogram(x * 2 + 1, 4, (-1, 1))
    # And the zeros that a GPU's counts begin with.
    assert builder.counts.launches - before <= 2
