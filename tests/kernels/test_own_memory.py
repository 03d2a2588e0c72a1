"""Programs' own kernels on tiny operands, as in test_kernels_memory.py."""

from __future__ import annotations

import numpy as np
import pytest

import xarr

from .test_kernels_memory import on_device, when_checked

TURNED = """
KERNEL void turned(GLOBAL i32 *x, GLOBAL const i32 *y, const i32 n)
{
    LOCAL i32 tile[8];
    const i32 k = (i32)LOCAL_ID(0);
    const i64 i = GLOBAL_ID(0);
    tile[k] = i < n ? y[i] : 0;
    BARRIER();
    if (i < n) {
        x[i] += tile[7 - k];
    }
}
"""


@when_checked
@pytest.mark.parametrize("options", [(), ("as-gpu",)], ids=str)
def test_own_kernels(options: tuple[str, ...]) -> None:
    """Fused, indexed, reduced and raw, of views, and into views of what they read."""
    with xarr.device(xarr.default_device().pretending(*options)):
        x = np.arange(600, dtype=np.int32).reshape(3, 200) % 17
        a = on_device(x)
        parts = xarr.ElementwiseKernel(
            "T x, T y", "T more, T less", "more = f(x) + y * i; less = x - _ind.size()",
            preamble="T f(T x) { return 2 * x; }",
        )  # fmt: skip
        more, less = parts(a[:, ::-2], a[:1, :100])
        places = np.arange(300).reshape(3, 100)
        np.testing.assert_array_equal(np.asarray(more), 2 * x[:, ::-2] + x[:1, :100] * places)
        np.testing.assert_array_equal(np.asarray(less), x[:, ::-2] - 300)
        kept = xarr.ElementwiseKernel("T x, T y", "T z", "if (x > y) z = x; z += 1", "kept")
        kept(a[:, :-1], 5, a[:, 1:])
        x[:, 1:] = np.where(x[:, :-1] > 5, x[:, :-1], x[:, 1:]) + 1
        np.testing.assert_array_equal(np.asarray(a), x)
        mirrored = xarr.ElementwiseKernel(
            "T x, raw T y", "T z", "z = x + y[y.size() - 1 - i % y.size()] * y.shape()[1]", "mirror"
        )
        mirrored(a, a[:2], a)
        x += x[:2].ravel()[::-1][np.arange(600) % 400].reshape(3, 200) * 200
        np.testing.assert_array_equal(np.asarray(a), x)
        total = xarr.ReductionKernel("T x", "T y", "x % 7", "a + b", "y = a", 0, "total")
        for axis in (0, 1, None):
            np.testing.assert_array_equal(np.asarray(total(a, axis=axis)), (x % 7).sum(axis))
        turned = xarr.RawKernel(TURNED, "turned")
        turned((13,), (8,), (a[1, :100], a[2, 100:], 100))
        tiles = np.zeros(104, np.int32)
        tiles[:100] = x[2, 100:]
        x[1, :100] += tiles.reshape(13, 8)[:, ::-1].ravel()[:100]
        np.testing.assert_array_equal(np.asarray(a), x)
