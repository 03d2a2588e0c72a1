"""Comparisons, order statistics, averages and the nan family, against NumPy."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import xarr
from tests.comparing import needs
from tests.functions.beside_numpy import check, refused
from xarr.algorithms import library
from xarr.engine import engine
from xarr.functions.statistics import quantiles

NAN, INF = np.nan, np.inf
RNG = np.random.default_rng(0)
PLAIN = RNG.normal(size=(4, 6))
HOLED = np.where(RNG.random((4, 6)) < 0.3, NAN, PLAIN)
HOLED[2] = NAN
WHOLE = RNG.integers(-5, 9, (3, 4))
METHODS = quantiles.METHODS


@pytest.fixture(params=["", "as-gpu"], ids=["library", "kernels"])
def form(request: pytest.FixtureRequest) -> Iterator[xarr.Device]:
    """The default device, and the same taken for a GPU."""
    with xarr.device(xarr.default_device().pretending(*filter(None, [request.param]))) as chosen:
        yield chosen


def test_isclose() -> None:
    a, b = np.array([1, 2, NAN, INF, -INF]), np.array([1 + 1e-9, 2.1, NAN, INF, INF])
    for same in (False, True):
        check("isclose", a, b, equal_nan=same)
    check("isclose", a, 2, atol=1)
    check("isclose", WHOLE, WHOLE + 1, rtol=0.5, atol=np.array([0.0, 1, 2, 0.5]))
    check("isclose", np.array([True, False]), [True, True])
    check("isclose", np.array([1 + 1j, NAN + 1j, INF]), [1 + 1j, NAN + 1j, INF], equal_nan=True)
    check("isclose", np.array([-(2**63)]), np.array([-(2**63)]))
    check("isclose", np.array([1, 2], "f4"), np.array([1 + 1e-6, 2.1]))
    assert bool(xarr.isclose(1.0, 1 + 1e-9))
    with pytest.raises(ValueError, match="broadcast"):
        xarr.isclose(xarr.asarray([1, 2, 3]), [1, 2])


def test_comparisons_give_python_truths() -> None:
    x = xarr.asarray([1.0, NAN])
    results = (
        xarr.allclose(x, [1.0, NAN], equal_nan=True),
        xarr.array_equal(x, [1.0, NAN], equal_nan=True),
        xarr.array_equal([1, 2], xarr.asarray([1, 2])),
        xarr.array_equiv(xarr.asarray([[1, 1], [1, 1]]), 1),
        xarr.array_equal(xarr.zeros((0, 3)), xarr.zeros((0, 3))),
        not xarr.array_equal(xarr.zeros((0, 3)), xarr.zeros((3, 0))),
        not xarr.array_equal(x, x),
        not xarr.array_equal("text", x),
        not xarr.array_equiv(xarr.asarray([1, 2]), [1, 2, 3]),
        not xarr.allclose(x, x),
    )
    assert all(result is True for result in results)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "uint8", "bool"])
def test_median(dtype: str, form: xarr.Device) -> None:
    needs(dtype)
    x = (np.abs(PLAIN) * 40).astype(dtype)
    check("median", x)
    check("median", x[:, :5], axis=1, keepdims=True)
    check("median", x, axis=0)


def test_medians_of_other_layouts() -> None:
    x = RNG.normal(size=(3, 4, 5))
    check("median", x, axis=(0, 2))
    check("median", x, axis=(2, 0), keepdims=True)
    check("median", x.T[::2], axis=-1)
    check("median", HOLED, axis=0)
    check("median", PLAIN + 1j * HOLED)
    check("median", [3, 1, 2])
    check("median", np.zeros((0, 3)))
    check("median", np.zeros((0, 3)), axis=0)
    out = xarr.zeros(6)
    assert xarr.median(xarr.asarray(PLAIN), axis=0, out=out) is out
    np.testing.assert_allclose(np.asarray(out), np.median(PLAIN, axis=0))
    refused("median", PLAIN, axis=2)
    refused("median", PLAIN, axis=(0, 0))


@pytest.mark.parametrize("method", METHODS)
def test_quantile(method: str) -> None:
    check("quantile", PLAIN, [0, 0.25, 0.5, 0.93, 1], method=method)
    check("quantile", PLAIN.astype("f4"), 0.3, axis=1, method=method, keepdims=True)
    check("quantile", WHOLE, np.array([[0.1, 0.9]]), axis=0, method=method)
    check("quantile", HOLED, 1, axis=1, method=method)
    check("nanquantile", HOLED, [0, 0.25, 0.5, 0.93, 1], axis=1, method=method)


def test_quantiles_on_a_gpu() -> None:
    with xarr.device(xarr.default_device().pretending("as-gpu")):
        check("quantile", PLAIN, [0.2, 0.7], axis=0)
        check("nanquantile", HOLED, [0.2, 0.7], axis=0)
        check("quantile", PLAIN, 0.4, weights=WHOLE[0, 0] + PLAIN**2 + 9, method="inverted_cdf")


def test_percentiles_and_weights() -> None:
    check("percentile", PLAIN, [10, 50], axis=(1, 0), keepdims=True)
    check("percentile", PLAIN.astype("f4"), 30)
    check("percentile", WHOLE, np.float32(30))
    check("nanpercentile", HOLED, [10, 50], axis=0)
    weights = np.abs(RNG.integers(0, 4, (4, 6)))
    for q in (0, [0.1, 0.5, 1]):
        check("quantile", PLAIN, q, weights=weights + 0.0, method="inverted_cdf")
        check("quantile", PLAIN, q, axis=1, weights=np.arange(6), method="inverted_cdf")
        check("nanquantile", HOLED, q, axis=1, weights=weights + 1, method="inverted_cdf")
    assert xarr.quantile(xarr.asarray(PLAIN), xarr.asarray([0.5])).shape == (1,)
    for q, named in (
        (2, {}),
        (0.5, {"method": "middle"}),
        (0.5, {"weights": weights}),
        (0.5, {"weights": -weights - 1, "method": "inverted_cdf"}),
        (0.5, {"weights": 0 * weights, "method": "inverted_cdf"}),
        (0.5, {"weights": weights[0], "method": "inverted_cdf"}),
        (0.5, {"axis": 5}),
        ([[[0.5]]], {}),
    ):
        refused("quantile", PLAIN, q, **named)
    refused("quantile", PLAIN + 1j, 0.5)
    refused("quantile", np.zeros((0, 3)), 0.5)
    refused("quantile", PLAIN > 0, 0.3)


def test_average() -> None:
    weights, short = RNG.random((4, 6)), RNG.random(6)
    check("average", PLAIN)
    check("average", PLAIN, axis=1, weights=short)
    check("average", PLAIN.T, axis=(1, 0), weights=weights, keepdims=True)
    check("average", WHOLE, weights=WHOLE**2)
    check("average", PLAIN.astype("f4"), weights=weights.astype("f4"))
    check("average", [1, 2, 3], weights=[1, 2, 3])
    for named in ({"weights": weights}, {}):
        pairs = zip(
            xarr.average(xarr.asarray(PLAIN), 0, **named, returned=True),  # type: ignore[arg-type]
            np.average(PLAIN, 0, **named, returned=True),  # type: ignore[arg-type]
            strict=True,
        )
        for got, wanted in pairs:
            np.testing.assert_allclose(np.asarray(got), wanted)
    refused("average", PLAIN, weights=short)
    refused("average", PLAIN, axis=0, weights=short)
    refused("average", PLAIN, axis=0, weights=0 * weights)


def test_cov() -> None:
    whole, shares = np.arange(6), RNG.random(6)
    options: tuple[dict[str, Any], ...] = (
        {},
        {"rowvar": False},
        {"bias": True},
        {"ddof": 0},
        {"y": PLAIN},
        {"y": PLAIN[0]},
        {"fweights": whole},
        {"aweights": shares},
        {"aweights": shares, "fweights": whole},
        {"aweights": shares, "ddof": 0},
        {"dtype": np.float32},
    )
    for named in options:
        check("cov", PLAIN, **named)
    for named in ({}, {"rowvar": False}, {"y": PLAIN[::-1]}):
        check("corrcoef", PLAIN, **named)
    check("cov", PLAIN + 1j * PLAIN**2)
    check("corrcoef", PLAIN + 1j * PLAIN**2)
    check("cov", PLAIN[0])
    check("corrcoef", PLAIN[0])
    check("cov", PLAIN[0], PLAIN[1], rowvar=False)
    check("cov", np.zeros((0, 3)))
    check("cov", [[1, 2, 3], [1, 4, 9]])
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        xarr.cov(xarr.asarray(PLAIN), ddof=6)
    refused("cov", np.zeros((2, 2, 2)))
    for named in (
        {"ddof": 1.5},
        {"fweights": shares},
        {"aweights": -shares},
        {"aweights": PLAIN},
        {"aweights": shares[:3]},
    ):
        refused("cov", PLAIN, **named)


SUMS = ["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmedian", "nanmin", "nanmax"]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "complex128", "int64", "bool"])
@pytest.mark.parametrize("name", SUMS)
def test_the_nan_family(name: str, dtype: str) -> None:
    needs(dtype)
    x = HOLED if dtype[0] in "fc" else WHOLE
    x = x.astype(dtype) if dtype != "complex128" else x + 1j * x[::-1]
    if name == "nanprod":
        x = x[:, :3]
    check(name, x)
    check(name, x, axis=1, keepdims=True)
    check(name, x[::2].T, axis=-1)


@pytest.mark.parametrize("name", [*SUMS, "nanargmax", "nancumsum", "nanquantile"])
def test_the_nan_family_takes_what_the_plain_functions_take(name: str) -> None:
    signatures = [inspect.signature(getattr(xarr, each)) for each in (name, name[3:])]
    given, wanted = ([(p.name, p.kind) for p in each.parameters.values()] for each in signatures)
    assert given == wanted
    more = {"q": 0.5} if name == "nanquantile" else {}
    assert getattr(xarr, name)(a=[3.0, NAN], **more).shape in ((), (2,))


@pytest.mark.parametrize("name", ["nancumsum", "nancumprod"])
def test_running_sums_without_nan(name: str) -> None:
    check(name, HOLED)
    check(name, HOLED, axis=1)
    check(name, WHOLE, axis=0, dtype=np.float32)
    out = xarr.zeros((4, 6))
    assert getattr(xarr, name)(xarr.asarray(HOLED), axis=0, out=out) is out
    np.testing.assert_allclose(np.asarray(out), getattr(np, name)(HOLED, axis=0))


@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
def test_indices_of_extremes_without_nan(name: str, form: xarr.Device) -> None:
    numbers = HOLED[[0, 1, 3]]
    check(name, numbers)
    check(name, numbers, axis=1)
    check(name, HOLED, axis=None, keepdims=True)
    check(name, WHOLE, axis=0)
    long = np.where(RNG.random(40_000) < 0.5, NAN, RNG.normal(size=40_000))
    check(name, long)
    refused(name, HOLED, axis=1)
    refused(name, np.array([NAN]))
    refused(name, np.zeros((0, 3)), axis=0)
    # NumPy documents that it may miss an infinity beside NaN.
    end = INF if name == "nanargmin" else -INF
    assert int(getattr(xarr, name)(xarr.asarray([NAN, end]))) == 1


def test_a_cpu_warns_where_there_are_no_numbers() -> None:
    x = xarr.asarray(HOLED)
    calls: dict[str, tuple[Callable[[], object], ...]] = {
        "All-NaN slice": (
            lambda: xarr.nanmin(x, axis=1),
            lambda: xarr.nanmedian(x, axis=1),
            lambda: xarr.nanquantile(x, 0.5, axis=1),
        ),
        "Mean of empty slice": (lambda: xarr.nanmean(x, axis=1), lambda: xarr.median([])),
        "Degrees of freedom": (lambda: xarr.nanstd(x, axis=1),),
    }
    on_cpu = library.is_preferred(x.device)
    for message, functions in calls.items():
        for function in functions:
            if on_cpu:
                with pytest.warns(RuntimeWarning, match=message) as told:
                    function()
                assert told[0].filename == __file__


def test_arguments_of_the_nan_family() -> None:
    mask = RNG.random((4, 6)) < 0.7
    for name in ("nansum", "nanmean", "nanvar", "nanprod"):
        check(name, HOLED, where=mask)
        check(name, HOLED, axis=1, where=mask[0])
        check(name, WHOLE, dtype=np.float32)
    check("nanmax", HOLED, where=mask, initial=-3)
    check("nanmin", HOLED, axis=0, initial=-0.5)
    check("nanmin", np.zeros((0, 3)), initial=3.0, axis=0)
    check("nansum", HOLED, initial=4.0)
    check("nanmean", HOLED.astype("f4"), dtype=np.float64)
    check("nanmean", np.zeros((0, 3)), axis=0)
    check("nanvar", HOLED, axis=1, ddof=1)
    check("nanstd", HOLED, correction=1)
    check("nanvar", HOLED, axis=1, mean=np.nanmean(PLAIN, axis=1, keepdims=True))
    check("nansum", [1, NAN, 2])
    refused("nanmean", HOLED, dtype=int)
    refused("nanmax", HOLED, where=mask)
    refused("nanvar", HOLED, ddof=1, correction=2)
    refused("nanmin", np.zeros((0, 3)))
    functions: tuple[Callable[..., Any], ...] = (np.nansum, np.nanmean, np.nanmax, np.nanmedian)
    for function in functions:
        out = xarr.zeros(6)
        assert function(xarr.asarray(HOLED), axis=0, out=out) is out  # NumPy's calls xarr's
        np.testing.assert_allclose(np.asarray(out), function(HOLED, axis=0))


def test_an_expression_is_summed_without_being_stored() -> None:
    x = xarr.asarray(HOLED)
    launches = engine.counts.launches
    xarr.synchronize(xarr.nansum(x * 2 + 1, axis=1))
    assert engine.counts.launches == launches + 1


def test_without_float64(any_device: xarr.Device) -> None:
    """Integers become the widest floating-point type that the device has."""
    x, counts = xarr.asarray(PLAIN.astype("f4")), xarr.asarray(WHOLE + 5)
    host = WHOLE + 5
    calls: tuple[tuple[Any, Any], ...] = (
        (xarr.quantile(x, [0.2, 0.7]), np.quantile(PLAIN, [0.2, 0.7])),
        (xarr.nanquantile(x, 0.2, axis=1), np.nanquantile(PLAIN, 0.2, axis=1)),
        (xarr.median(counts, axis=0), np.median(host, axis=0)),
        (xarr.average(counts, weights=counts), np.average(host, weights=host)),
        (xarr.nanvar(counts), np.nanvar(host)),
        (xarr.cov(x), np.cov(PLAIN)),
        (xarr.isclose(counts, counts), host == host),
        (xarr.histogram(counts, 5, density=True)[0], np.histogram(host, 5, density=True)[0]),
        (xarr.bincount(counts.ravel(), counts.ravel()), np.bincount(host.ravel(), host.ravel())),
        (xarr.interp(x, [-2, 2], [0, 1j]), np.interp(PLAIN, [-2, 2], [0, 1j])),
        (xarr.gradient(counts, axis=0), np.gradient(host, axis=0)),
        (xarr.kaiser(5, 3)[1:], np.kaiser(5, 3)[1:]),
    )
    for got, wanted in calls:
        np.testing.assert_allclose(np.asarray(got), wanted, 1e-4, 1e-5)
