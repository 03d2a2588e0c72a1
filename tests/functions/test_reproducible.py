"""Within `xarr.reproducible()` no library computes, and results are NumPy's but for rounding.

Their bits are in `tools/bits.json`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr
from tests.comparing import needs
from tests.functions.calls import all_refused
from xarr.ops import vendor

SHAPES = [(1, 1), (5, 5), (40, 40), (2, 33, 33)]


def drawn(shape: tuple[int, ...], dtype: str) -> Any:
    needs(dtype)
    rng = np.random.default_rng(3)
    values = rng.normal(size=shape)
    return (values + 1j * rng.normal(size=shape) if dtype[0] == "c" else values).astype(dtype)


@pytest.fixture(autouse=True)
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*given: Any, **options: Any) -> Any:
        raise AssertionError("a library was asked")

    monkeypatch.setattr(vendor, "call", refused)


def near(got: Any, wanted: Any, dtype: str) -> None:
    found = np.asarray(got)
    assert found.dtype == wanted.dtype
    tolerance = 2e-3 if dtype in ("float32", "complex64") else 1e-9
    scale = np.abs(wanted).max(initial=1e-30)
    np.testing.assert_allclose(found / scale, wanted / scale, atol=tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_factorizations(shape: tuple[int, ...], dtype: str) -> None:
    a, b = drawn(shape, dtype), drawn((*shape[:-1], 3), dtype)
    positive = a @ np.conj(np.swapaxes(a, -1, -2)) + shape[-1] * np.eye(shape[-1], dtype=dtype)
    x, y, z = map(xarr.asarray, (a, b, positive))
    with xarr.reproducible():
        near(xarr.linalg.solve(x, y), np.linalg.solve(a, b), dtype)
        near(
            xarr.linalg.solve(x, y.mT[..., 0, :][..., None]), np.linalg.solve(a, b[..., :1]), dtype
        )
        near(xarr.linalg.inv(x), np.linalg.inv(a), dtype)
        near(xarr.linalg.det(x), np.linalg.det(a), dtype)
        for got, wanted in zip(xarr.linalg.slogdet(x), np.linalg.slogdet(a), strict=True):
            near(got, wanted, dtype)
        for upper in (False, True):
            got = xarr.linalg.cholesky(z, upper=upper)
            near(got, np.linalg.cholesky(positive, upper=upper), dtype)
        half = -(-shape[-1] // 2)
        for mode in ("reduced", "complete"):
            for part in (slice(None), (..., slice(half)), (..., slice(half), slice(None))):
                found = xarr.linalg.qr(x[part], mode=mode)
                for got, wanted in zip(found, np.linalg.qr(a[part], mode=mode), strict=True):
                    near(got, wanted, dtype)


def test_products_and_transforms() -> None:
    a, b = drawn((3, 20, 30), "float32"), drawn((30, 7), "float32")
    x, y = xarr.asarray(a), xarr.asarray(b)
    with xarr.reproducible():
        near(x @ y, a @ b, "float32")
        near(xarr.vecdot(y, y, axis=0), np.vecdot(b.T, b.T), "float32")
        near(y[:, 0] @ y[:, 1], b[:, 0] @ b[:, 1], "float32")
        near(xarr.einsum("ijk,kl->jl", x, y), np.einsum("ijk,kl->jl", a, b), "float32")
        near(xarr.fft.fft(x), np.fft.fft(a).astype("complex64"), "float32")
        near(xarr.fft.irfft(xarr.fft.rfft(y, axis=0), axis=0), b, "float32")


def test_what_has_no_factors_is_refused() -> None:
    with xarr.reproducible():
        all_refused(
            """
            np.linalg.solve(np.zeros((3, 3)), np.ones(3)) ! LinAlgError: linalg
            np.linalg.{inv(np.ones((40, 40)))|cholesky(-np.eye(3))} ! LinAlgError: linalg
            np.linalg.{eigh|svd}(np.eye(3)) ! RuntimeError: linalg
            """,
            {},
        )


def test_singular_matrices_have_no_determinant() -> None:
    with xarr.reproducible():
        assert float(xarr.linalg.det(xarr.zeros((3, 3)))) == 0
        sign, logarithm = xarr.linalg.slogdet(xarr.zeros((3, 3)))
    assert (float(sign), float(logarithm)) == (0, -np.inf)


def test_blocks_nest() -> None:
    with xarr.reproducible():
        with xarr.reproducible():
            pass
        assert vendor.is_reproducible()
    assert not vendor.is_reproducible()


def test_right_sides_may_have_more_stacks() -> None:
    a, b = drawn((5, 5), "float64"), drawn((3, 5, 2), "float64")
    c, d = drawn((3, 5, 5), "float64"), drawn((2, 1, 5, 1), "float64")
    with xarr.reproducible():
        for x, y in ((a, b), (c, d)):
            got = xarr.linalg.solve(xarr.asarray(x), xarr.asarray(y))
            near(got, np.linalg.solve(x, y), "float64")


def test_a_hermitian_diagonal_is_real() -> None:
    a = np.asarray([[4 + 1j, 99], [1j, 5 - 2j]])
    with xarr.reproducible():
        near(xarr.linalg.cholesky(xarr.asarray(a)), np.linalg.cholesky(a), "complex128")
