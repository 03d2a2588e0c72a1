"""Parts of complex numbers, powers of two, arrays of alternating parts, and triangles."""

from __future__ import annotations

import numpy as np
import pytest

import xarr
from tests.reference import assert_same

pytestmark = pytest.mark.usefixtures("device")


def test_parts_are_views() -> None:
    x = xarr.asarray([1 + 2j, 3 + 4j])
    xarr.real(x)[0] = 5
    xarr.imag(x)[1] = -1
    assert x.tolist() == [5 + 2j, 3 - 1j]
    y = xarr.ones(3)
    assert xarr.real(y) is y
    with pytest.raises(ValueError, match="read-only"):
        xarr.imag(y)[0] = 1


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_powers_of_two_are_exact(device: xarr.Device, dtype: str) -> None:
    if dtype == "float64" and not device.has_float64:
        pytest.skip("the device has no float64")
    info = np.finfo(dtype)
    kind = f"u{info.bits // 8}"
    random = np.random.default_rng(0)
    bits = random.integers(0, np.iinfo(kind).max, 20000, kind, endpoint=True)
    host = bits.view(dtype)
    edges = [0, -0.0, np.inf, -np.inf, info.tiny, info.smallest_subnormal, info.max, -info.max]
    host = np.append(host[~np.isnan(host)], np.asarray(edges, dtype))
    x = xarr.asarray(host)
    for power in (0, 1, -1, info.maxexp - 1, info.maxexp, info.minexp, info.minexp - 1, -300, 2100):
        with np.errstate(all="ignore"):
            wanted = np.ldexp(host, power)
        assert_same(np.asarray(xarr.ldexp(x, power)), wanted, f"by {power}")
        powers = xarr.asarray(np.full(host.shape, power, "int32"))
        assert_same(np.asarray(xarr.ldexp(x, powers)), wanted, f"by an array of {power}")
    for got, part in zip(xarr.frexp(x), np.frexp(host), strict=True):
        assert_same(np.asarray(got), part, "frexp")
