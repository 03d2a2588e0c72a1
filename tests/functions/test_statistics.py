"""Comparisons, order statistics, averages and the nan family, against NumPy."""

from __future__ import annotations

import inspect
from typing import Any, Final

import numpy as np
import pytest

import xarr
from tests.comparing import needs
from tests.functions.calls import check, each, each_line, lines, program, rows
from xarr import tuning
from xarr.functions.statistics import order_statistics
from xarr.ops import vendor
from xarr.tape import builder

NAN = np.nan
RNG = np.random.default_rng(0)
PLAIN = RNG.normal(size=(4, 6))
HOLED = np.where(RNG.random((4, 6)) < 0.3, NAN, PLAIN)
HOLED[2] = NAN
WHOLE = RNG.integers(-5, 9, (3, 4))
GIVEN: dict[str, Any] = {
    "p": PLAIN, "h": HOLED, "w": WHOLE, "a": np.array([1, 2, NAN, np.inf, -np.inf]),
    "b": np.array([1 + 1e-9, 2.1, NAN, np.inf, np.inf]), "cube": RNG.normal(size=(3, 4, 5)),
    "weights": RNG.random((4, 6)), "counts": RNG.integers(0, 4, (4, 6)), "short": RNG.random(6),
    "mask": RNG.random((4, 6)) < 0.7,
}  # fmt: skip

CALLS = """
# comparisons
np.isclose(a{, b|, b, equal_nan=True|, 2, atol=1})
np.isclose({w, w + 1, rtol=0.5, atol=np.asarray([0.0, 1, 2, 0.5])|[True, False], [True, True]})
np.isclose(np.asarray([1 + 1j, nan + 1j, inf]), [1 + 1j, nan + 1j, inf], equal_nan=True)
np.isclose(np.asarray([-(2**63)]), np.asarray([-(2**63)]))
np.isclose({np.asarray([1, 2], "f4"), np.asarray([1 + 1e-6, 2.1])|1.0, 1 + 1e-9})
np.isclose(np.asarray([1, 2, 3]), [1, 2]) ! ValueError: broadcast
np.allclose({a[:3], [1.0, 2, nan], equal_nan=True|a, a})
np.array_equal({a, a, equal_nan=True|a, a|[1, 2], np.asarray([1, 2])})
np.array_equal({np.zeros((0, 3)), np.zeros((0, 3))|np.zeros((0, 3)), np.zeros((3, 0))|"text", a})
np.array_equiv(np.asarray([[1, 1], [1, 1]]), 1)
np.array_equiv(np.asarray([1, 2]), [1, 2, 3])
# order statistics
np.median(cube, axis=(0, 2))
np.median({cube, axis=(2, 0), keepdims=True|cube.T[::2], axis=-1|h, axis=0|p + 1j * h|[3, 1, 2]})
np.median(np.zeros((0, 3)))
np.median({np.zeros((0, 3)), axis=0|p, axis=0, out=p[0]})
np.median(p, axis=2) ! AxisError
np.median(p, axis=(0, 0)) ! ValueError
np.percentile({p, [10, 50], axis=(1, 0), keepdims=True|np.asarray(p, "f4"), 30})
np.percentile(w, numpy.float32(30))
np.nanpercentile(h, [10, 50], axis=0)
np.quantile(p{, 0|, [0.1, 0.5, 1]}, weights=counts + 0.0, method="inverted_cdf")
np.quantile(p{, 0|, [0.1, 0.5, 1]}, axis=1, weights=np.arange(6), method="inverted_cdf")
np.nanquantile(h, [0.1, 0.5, 1], axis=1, weights=counts + 1, method="inverted_cdf")
np.quantile(p, np.asarray([0.5])).shape
np.quantile(p{, 2|, 0.5, method="middle"|, 0.5, weights=counts}) ! ValueError
np.quantile(p, 0.5, weights=-counts - 1, method="inverted_cdf") ! ValueError
np.quantile(p, 0.5, weights=0 * counts, method="inverted_cdf") ! ValueError
np.quantile(p, 0.5, weights=counts[0], method="inverted_cdf") ! TypeError
np.quantile(p, 0.5, axis=5) ! AxisError
np.quantile(p, [[[0.5]]]) ! ValueError
np.quantile(p + 1j, 0.5) ! TypeError
np.quantile(np.zeros((0, 3)), 0.5) ! IndexError
np.quantile(p > 0, 0.3) ! TypeError
# averages
np.average({p|p, axis=1, weights=short|p.T, axis=(1, 0), weights=weights, keepdims=True})
np.average({w, weights=w**2|np.asarray(p, "f4"), weights=np.asarray(weights, "f4")})
np.average({[1, 2, 3], weights=[1, 2, 3]|p, 0, weights=weights, returned=True})
np.average(p, 0, returned=True)
np.average(p, weights=short) ! TypeError
np.average(p, axis=0, weights=short) ! ValueError
np.average(p, axis=0, weights=0 * weights) ! ZeroDivisionError
np.cov({p|p, rowvar=False|p, bias=True|p, ddof=0|p, y=p|p, y=p[0]|p, fweights=np.arange(6)})
np.cov(p{, aweights=short|, aweights=short, fweights=np.arange(6)|, aweights=short, ddof=0})
np.cov(p, dtype=np.float32)
np.cov(p, ddof=6) ! RuntimeWarning: Degrees of freedom
np.corrcoef({p|p, rowvar=False|p, y=p[::-1]})
np.{cov|corrcoef}(p + 1j * p**2)
np.{cov|corrcoef}(p[0])
np.cov({p[0], p[1], rowvar=False|np.zeros((0, 3))|[[1, 2, 3], [1, 4, 9]]})
np.cov({np.zeros((2, 2, 2))|p, ddof=1.5}) ! ValueError
np.cov(p, fweights=short) ! TypeError
np.cov(p, aweights=-short) ! ValueError
np.cov(p{, aweights=p|, aweights=short[:3]}) ! RuntimeError
# the nan family
np.nancumsum({h|h, axis=1|w, axis=0, dtype=np.float32|h, axis=0, out=p})
np.nancumprod({h|h, axis=1|w, axis=0, dtype=np.float32|h, axis=0, out=p})
np.nanmax(h, where=mask, initial=-3)
np.nanmin({h, axis=0, initial=-0.5|np.zeros((0, 3)), initial=3.0, axis=0})
np.nansum(h, initial=4.0)
np.nanmean(np.asarray(h, "f4"), dtype=np.float64)
np.nanmean(np.zeros((0, 3)), axis=0)
np.nanvar(h, axis=1, ddof=1)
np.nanstd(h, correction=1)
np.nanvar(h, axis=1, mean=np.nanmean(p, axis=1, keepdims=True))
np.nansum([1, nan, 2])
np.{nansum|nanmean|nanmax|nanmedian}(h, axis=0, out=p[0])
np.nanmean(h, dtype=int) ! TypeError
np.nanmax(h, where=mask) ! ValueError
np.nanvar(h, ddof=1, correction=2) ! ValueError
np.nanmin(np.zeros((0, 3))) ! ValueError
"""


@each_line(CALLS)
def test_as_numpy(call: str) -> None:
    check(call, near=1e-12, **GIVEN)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "uint8", "bool"])
def test_median(dtype: str, form: xarr.Device) -> None:
    needs(dtype)
    for call in ("np.median(x)", "np.median(x[:, :5], axis=1, keepdims=True)"):
        check(call, near=1e-12, x=(np.abs(PLAIN) * 40).astype(dtype))


QUANTILES = """
np.quantile(p, [0, 0.25, 0.5, 0.93, 1], method=m)
np.quantile(np.asarray(p, "f4"), 0.3, axis=1, method=m, keepdims=True)
np.quantile({w, np.asarray([[0.1, 0.9]]), axis=0|h, 1, axis=1}, method=m)
np.nanquantile(h, [0, 0.25, 0.5, 0.93, 1], axis=1, method=m)
"""


@pytest.mark.parametrize("method", order_statistics.METHODS)
def test_quantile(method: str) -> None:
    for call in rows(QUANTILES):
        check(call, near=1e-12, m=method, **GIVEN)


@each("""
np.quantile(p, [0.2, 0.7], axis=0)
np.nanquantile(h, [0.2, 0.7], axis=0)
np.quantile(p, 0.4, weights=p**2 + 9, method="inverted_cdf")
""")
def test_quantiles_on_a_gpu(call: str) -> None:
    with xarr.device(xarr.default_device().pretending("as-gpu")):
        check(call, near=1e-12, **GIVEN)


SUMS = ["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmedian", "nanmin", "nanmax"]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "complex128", "int64", "bool"])
@pytest.mark.parametrize("name", SUMS)
def test_the_nan_family(name: str, dtype: str) -> None:
    needs(dtype)
    x = HOLED if dtype[0] in "fc" else WHOLE
    x = x.astype(dtype) if dtype != "complex128" else x + 1j * x[::-1]
    for rest in ("x)", "x, axis=1, keepdims=True)", "x[::2].T, axis=-1)"):
        check(f"np.{name}({rest}", near=1e-12, x=x[:, :3] if name == "nanprod" else x)
    if name in ("nansum", "nanmean", "nanvar", "nanprod") and dtype == "float64":
        for rest in ("h, where=mask)", "h, axis=1, where=mask[0])", "w, dtype=np.float32)"):
            check(f"np.{name}({rest}", near=1e-12, **GIVEN)


@pytest.mark.parametrize("name", [*SUMS, "nanargmax", "nancumsum", "nanquantile"])
def test_the_nan_family_takes_what_the_plain_functions_take(name: str) -> None:
    signatures = [inspect.signature(getattr(xarr, each)) for each in (name, name[3:])]
    given, wanted = ([(p.name, p.kind) for p in each.parameters.values()] for each in signatures)
    assert given == wanted
    more = {"q": 0.5} if name == "nanquantile" else {}
    assert getattr(xarr, name)(a=[3.0, NAN], **more).shape in ((), (2,))


INDICES = """
f(h[[0, 1, 3]])
f({h[[0, 1, 3]], axis=1|h, axis=None, keepdims=True|w, axis=0|long})
f({h, axis=1|np.asarray([nan])|np.zeros((0, 3)), axis=0}) ! ValueError
"""
LONG = np.where(RNG.random(40_000) < 0.5, NAN, RNG.normal(size=40_000))


@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
def test_indices_of_extremes_without_nan(name: str, form: xarr.Device) -> None:
    for call in rows(INDICES):
        check(call.replace("f(", f"np.{name}("), h=HOLED, w=WHOLE, long=LONG)
    # NumPy documents that it may miss an infinity beside NaN.
    end = np.inf if name == "nanargmin" else -np.inf
    assert int(getattr(xarr, name)(xarr.asarray([NAN, end]))) == 1


@each("""
np.{nanmin|nanmedian}(x, axis=1) ! All-NaN slice
np.nanquantile(x, 0.5, axis=1) ! All-NaN slice
np.nanmean(x, axis=1) ! Mean of empty slice
np.median([]) ! Mean of empty slice
np.nanstd(x, axis=1) ! Degrees of freedom
""")
def test_a_cpu_warns_where_there_are_no_numbers(call: str) -> None:
    call, _, message = call.partition(" ! ")
    x = xarr.asarray(HOLED)
    if vendor.runs_on_numpy(x.device):
        with pytest.warns(RuntimeWarning, match=message) as told:
            eval(compile(call, __file__, "eval"), {"np": xarr, "x": x})
        assert told[0].filename == __file__


@pytest.mark.usefixtures("fused")
def test_an_expression_is_summed_without_being_stored() -> None:
    x = xarr.asarray(HOLED)
    launches = builder.counts.launches
    xarr.synchronize(xarr.nansum(x * 2 + 1, axis=1))
    assert builder.counts.launches == launches + 1


WITHOUT_FLOAT64 = """
np.quantile(x, [0.2, 0.7])
np.nanquantile(x, 0.2, axis=1)
np.median(n, axis=0)
np.average(n, weights=n)
np.{mean|var|std|nanvar}(n)
np.cov(x)
np.isclose(n, n)
np.histogram(n, 5, density=True)[0]
np.bincount(n.ravel(), n.ravel())
np.interp(x, [-2, 2], [0, 1j])
np.gradient(n, axis=0)
np.kaiser(5, 3)[1:]
x[0, :2] + [1.5, 2.5]
"""


@each(WITHOUT_FLOAT64)
def test_without_float64(call: str, any_device: xarr.Device) -> None:
    """Integers become the widest floating-point type that the device has."""
    x, n = PLAIN.astype("f4"), WHOLE + 5
    got = eval(call, {"np": xarr, "x": xarr.asarray(x), "n": xarr.asarray(n)})
    np.testing.assert_allclose(np.asarray(got), eval(call, {"np": np, "x": x, "n": n}), 1e-4, 1e-5)


SELECTIONS: Final = """
-> np.median(x)
-> np.nanmedian(x)
-> np.percentile(x, 30)
-> np.nanpercentile(x, [10, 50.5])
-> np.quantile(x, [0, 0.25, 1], method="lower")
-> np.quantile(x, 0.6, method="averaged_inverted_cdf")
"""


def selectable(dtype: str, count: int) -> Any:
    """Elements with equal ones, the largest and smallest of the type, infinities and NaN."""
    draw = np.random.default_rng(count)
    if np.dtype(dtype).kind == "f":
        x = np.round(draw.normal(size=count), 1) + 0.0
        x[draw.random(count) < 0.1] = np.inf
        x[draw.random(count) < 0.1] = -np.inf
        return x.astype(dtype)
    info = np.iinfo(dtype)
    x = draw.integers(info.min, info.max, count, dtype, endpoint=True)
    x[::3] %= 5
    return x


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint16", "int64"])
def test_elements_that_are_selected_are_those_of_sorting(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A GPU selects from a long line: also twice what is recorded, and with NaN."""
    with xarr.device(xarr.default_device().pretending("as-gpu")):
        for count in (1, 2, 3001):
            given = selectable(dtype, count)
            others = [given]
            if given.dtype.kind == "f" and count > 2:
                others.append(np.where(np.arange(count) % 7 == 0, np.nan, given).astype(dtype))
            for host in others:
                for line in lines(SELECTIONS):
                    run = program(line, "np, x")
                    found = []
                    for least in (1 << 60, 0, 0, 0, 0):
                        monkeypatch.setattr(tuning, "SELECTED", least)
                        with np.errstate(all="ignore"):
                            found.append(xarr.to_numpy(run(xarr, xarr.asarray(host))))
                    assert all(one.tobytes() == found[0].tobytes() for one in found[1:]), line
