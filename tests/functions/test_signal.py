"""Interpolation, derivatives, integrals, convolutions and windows, against NumPy."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import xarr
from tests.functions.calls import check, each_line, rows
from xarr import tuning

RNG = np.random.default_rng(1)
GIVEN: dict[str, Any] = {
    "p": np.sort(RNG.normal(size=9)), "v": RNG.normal(size=9), "f": RNG.normal(size=(5, 6)),
    "n": RNG.integers(0, 9, 7), "r": np.cumsum(RNG.random(5)), "c": np.cumsum(RNG.random(6)),
}  # fmt: skip
GIVEN["at"] = np.concatenate((RNG.normal(size=20) * 2, GIVEN["p"], [np.nan, np.inf, -np.inf]))

CALLS = """
np.interp({at, p, v|at.reshape(4, 8), p, v, left=-5, right=7.5|at[:-3], p, v, period=1.3})
np.interp(at, p{, v + 1j * v[::-1]|, v + 1j * v[::-1], left=1j, right=2})
np.interp(2.5, [1, 2, 3], [3, 2, 0])
np.interp({np.asarray(at, "f4"), np.asarray(p, "f4"), np.asarray(v, "f4")|at, p[:1], v[:1]})
np.interp(np.asarray([1, 2]), np.asarray([0, 4]), np.asarray([inf, inf]))
np.interp(np.asarray([0.5, 1]), np.asarray([0.0, 1, 2]), np.asarray([inf, 3, -inf]))
np.interp(at{, p, v[:3]|, p[:0], v[:0]|, p[:, None], v|, p, v, period=0}) ! ValueError
np.interp(at + 1j, p, v) ! TypeError
np.gradient([1, 4, 9])
np.gradient(f, 1, 2, 3) ! TypeError
np.gradient({f, c, c|f[:1]|f[:2], edge_order=2|f, edge_order=3}) ! ValueError
np.gradient(f, axis=3) ! AxisError
np.trapezoid({f|f, c|f, r, axis=0|f, dx=0.5|f, np.cumsum(f, 0), axis=0|[1, 2, 3]})
np.trapezoid(np.asarray(f, "f4"))
np.trapezoid(f, axis=2) ! IndexError
np.convolve(np.asarray([1.0, nan, inf]), np.asarray([1, 2.0]))
np.convolve({np.asarray([1.0, 2, 4]), np.asarray([inf, 2.0])|[1, 2, 3], [0, 1, 0.5]})
np.convolve(np.asarray([1, 2]), 3)
np.convolve({f[0], f[0, :0]|f[0], f[0], mode="other"|f, f[0]}) ! ValueError
np.correlate(f[0], f) ! ValueError
np.kaiser({0, 14|1, 14|8, 14|12, 0.5})
[np.{bartlett|blackman|hamming|hanning}(m) for m in (0, 1, 2, 7, 8, -3, 7.5)]
"""


@each_line(CALLS)
def test_as_numpy(call: str) -> None:
    check(call, near=1e-12, **GIVEN)


GRADIENTS = """
np.gradient(f{|, 2.0, axis=(1, 0)|, 2, c|, r, np.arange(6) * 0.5}, edge_order=o)
np.gradient({f.T, r, axis=1|n|np.asarray(n, "u1"), np.arange(7)|f + 1j * f[::-1]}, edge_order=o)
np.gradient(np.asarray(f[0], "f2"), edge_order=o)
"""


@pytest.mark.parametrize("order", [1, 2])
def test_gradient(order: int) -> None:
    for call in rows(GRADIENTS):
        check(call, near=1e-12, o=order, **GIVEN)
    check("np.gradient(np.asarray(f, 'f4'), c, axis=1, edge_order=o)", near=1e-5, o=order, **GIVEN)


CONVOLUTIONS = """
f({a[:7], v[:3]|a[:3], v[:7]|a[:5], v[:5]|a[:6], v[:1]|a[:6], v[:4]|a, v}, mode=m)
f({a[:7] + 1j * a[7:14], v[:4] * 1j + 1|(a * 9).astype(int), (v * 9).astype("i4")}, mode=m)
f({a > 0, v[:3] > 0|a.astype("f2"), v.astype("f2")}, mode=m)
f({abs(a * 9).astype("u1"), abs(v).astype("f4")|a[::-2], v[::2]}, mode=m)
"""


MODES: Final = ("full", "same", "valid")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_convolve(name: str, mode: str) -> None:
    rng = np.random.default_rng(6)
    for call in rows(CONVOLUTIONS):
        given = {"a": rng.normal(size=40), "v": rng.normal(size=20), "m": mode}
        check(call.replace("f(", f"np.{name}(", 1), near=1e-12, **given)


def test_what_is_made_by_parts_has_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    a, v = xarr.asarray(RNG.normal(size=100)), xarr.asarray(RNG.normal(size=20))
    p, f = xarr.asarray(GIVEN["p"]), xarr.asarray(GIVEN["v"])

    def results() -> list[bytes]:
        found = [xarr.convolve(a, w, mode) for w in (v[:1], v[:5], v) for mode in MODES]
        found += [xarr.correlate(v, a, mode) for mode in MODES]
        found += [xarr.convolve(a > 0, v > 0), xarr.interp(a.reshape(4, 25), p, f)]
        found += [xarr.interp(a, p, f + 1j * f[::-1]), xarr.interp(a, p, f, period=1.5)]
        return [np.asarray(one).tobytes() for one in found]

    wanted = results()
    monkeypatch.setattr(tuning, "PARTED_NBYTES", 64)
    assert results() == wanted


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bessel_function_is_numpys(dtype: str) -> None:
    x = np.asarray([0, -0.0, 1e-9, 0.5, 8, 9, -3, 40, np.nan, np.inf], dtype)
    found = np.asarray(xarr.i0(xarr.asarray(x)))
    assert found.dtype == dtype
    assert found[0] == found[1] == 1
    with np.errstate(all="ignore"):
        wanted = np.i0(x.astype(np.float64))
    assert np.allclose(found, wanted, rtol=8 * np.finfo(dtype).eps, equal_nan=True)
