"""What NumPy's linalg takes beyond the standard's, beside NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr
from xarr.linalg import LinAlgError


def drawn(*shape: int, dtype: str = "float64") -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(7)
    values = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        values = values + 1j * rng.standard_normal(shape)
    return (values * (4 if dtype.startswith("int") else 1)).astype(dtype)


def assert_close(got: Any, wanted: Any, tolerance: float = 1e-9) -> None:
    assert type(got) is xarr.Array
    host, wanted = xarr.to_numpy(got), np.asarray(wanted)
    assert host.dtype == wanted.dtype
    assert host.shape == wanted.shape
    np.testing.assert_allclose(host, wanted, rtol=tolerance, atol=tolerance)


NORMS = [
    ((5,), None, None),
    ((5,), 3, None),
    ((5,), 0, None),
    ((5,), -2, 0),
    ((3, 4), None, None),
    ((3, 4), "fro", None),
    ((3, 4), "nuc", None),
    ((3, 4), 1, None),
    ((3, 4), -np.inf, None),
    ((3, 4), -2, None),
    ((3, 4), np.inf, 1),
    ((2, 3, 4), None, None),
    ((2, 3, 4), None, (0, 2)),
    ((2, 3, 4), 1, (2, 0)),
    ((2, 3, 4), 2, (0, 1)),
    ((2, 3, 4), 0.5, -1),
]


@pytest.mark.parametrize(("shape", "order", "axis"), NORMS)
def test_norm(shape: tuple[int, ...], order: Any, axis: Any) -> None:
    a = drawn(*shape)
    x = xarr.asarray(a)
    assert_close(xarr.linalg.norm(x, order, axis), np.linalg.norm(a, order, axis))
    assert_close(
        xarr.linalg.norm(x, order, axis, keepdims=True),
        np.linalg.norm(a, order, axis, keepdims=True),
    )


@pytest.mark.parametrize(
    ("shape", "order", "axis"),
    [((3,), "fro", None), ((3, 4), 3, None), ((2, 3, 4), 2, None), ((2, 3, 4), None, (0, 1, 2)),
     ((3, 4), "other", None), ((3, 4), 0, (0, 1))],
)  # fmt: skip
def test_norm_refuses(shape: tuple[int, ...], order: Any, axis: Any) -> None:
    with pytest.raises(ValueError, match="."):
        np.linalg.norm(drawn(*shape), order, axis)
    with pytest.raises(ValueError, match="norm"):
        xarr.linalg.norm(xarr.asarray(drawn(*shape)), order, axis)


def test_norm_of_integers_and_lists() -> None:
    assert_close(xarr.linalg.norm([3, 4]), 5.0)
    assert_close(xarr.linalg.norm(xarr.asarray([[3, 4], [0, 0]]), 1), 4.0)
    assert_close(xarr.linalg.norm([True, True, False], 1), 2.0)
    assert_close(xarr.linalg.norm([3j, 4]), 5.0)


@pytest.mark.parametrize("p", [None, 1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"])
def test_cond(p: Any) -> None:
    a = drawn(3, 4, 4)
    assert_close(xarr.linalg.cond(xarr.asarray(a), p), np.linalg.cond(a, p), 1e-7)
    a[1] = 0
    if p == "nuc":  # NumPy's singular value decomposition of an inverse of NaN fails
        assert xarr.linalg.cond(a, p)[1].item() == np.inf
        return
    assert_close(xarr.linalg.cond(xarr.asarray(a), p), np.linalg.cond(a, p), 1e-7)
    with pytest.raises(LinAlgError):
        xarr.linalg.cond(xarr.ones((0, 0)), p)


@pytest.mark.parametrize("shapes", [((6, 3), (6,)), ((6, 3), (6, 2)), ((3, 5), (3, 2)),
                                    ((4, 4), (4,)), ((0, 3), (0, 2)), ((3, 0), (3,))])  # fmt: skip
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_lstsq(shapes: tuple[tuple[int, ...], ...], dtype: str) -> None:
    a, b = (drawn(*shape, dtype=dtype) for shape in shapes)
    got = xarr.linalg.lstsq(xarr.asarray(a), b)
    wanted = np.linalg.lstsq(a, b)
    assert_close(got[0], wanted[0])
    assert_close(got[1], wanted[1])
    assert int(got[2]) == wanted[2]
    assert_close(got[3], wanted[3])


def test_lstsq_of_lower_rank() -> None:
    a = np.outer([1.0, 2, 3, 4], [1.0, 1, 2])
    for rcond in (None, -1, 0.1):
        got, wanted = (
            linalg.lstsq(a, np.arange(4), rcond=rcond) for linalg in (xarr.linalg, np.linalg)
        )
        if rcond != -1:
            assert_close(got[0], wanted[0])
        assert int(got[2]) == wanted[2]
        assert got[1].shape == wanted[1].shape
    with pytest.raises(LinAlgError):
        xarr.linalg.lstsq(a, [1, 2])


def test_tensor_equations() -> None:
    a, b = drawn(2, 3, 6), drawn(2, 3)
    assert_close(xarr.linalg.tensorsolve(xarr.asarray(a), b), np.linalg.tensorsolve(a, b))
    moved = np.moveaxis(a, 2, 0)
    assert_close(xarr.linalg.tensorsolve(moved, b, (0,)), np.linalg.tensorsolve(moved, b, (0,)))
    assert_close(xarr.linalg.tensorinv(xarr.asarray(a)), np.linalg.tensorinv(a))
    assert_close(xarr.linalg.tensorinv(a.T, ind=1), np.linalg.tensorinv(a.T, ind=1))
    with pytest.raises(ValueError, match="ind is 0"):
        xarr.linalg.tensorinv(a, 0)
    with pytest.raises(LinAlgError):
        xarr.linalg.tensorsolve(a, np.ones(2))


def test_rank_and_pseudo_inverse() -> None:
    a = drawn(2, 4, 3)
    a[0, :, 2] = a[0, :, 0] * (1 + 1e-12)
    x = xarr.asarray(a)
    h = np.diag([3.0, -2.0, 1e-3])
    rank, theirs = xarr.linalg.matrix_rank, np.linalg.matrix_rank
    for options in ({}, {"tol": 1e-6}, {"rtol": 0.5}, {"tol": [1e-20, 2.0]}):
        assert_close(rank(x, **options), theirs(a, **options))
    assert_close(rank(x, 10), theirs(a, 10))
    assert_close(rank(h, 0.01, True), theirs(h, 0.01, True))
    assert_close(rank([0, 0, 1]), theirs([0, 0, 1]))
    assert_close(rank(xarr.zeros(3)), 0)
    with pytest.raises(ValueError, match="one is accepted"):
        rank(x, 1, rtol=1)
    assert_close(xarr.linalg.pinv(x, 1e-6), np.linalg.pinv(a, 1e-6))
    assert_close(xarr.linalg.pinv(x, rtol=0.2), np.linalg.pinv(a, rtol=0.2))
    assert_close(xarr.linalg.pinv(h, hermitian=True), np.linalg.pinv(h, hermitian=True))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_hermitian_matrices(dtype: str) -> None:
    a = drawn(2, 4, 4, dtype=dtype)
    x = xarr.asarray(a)
    for triangle in ("L", "U", "u"):
        assert_close(xarr.linalg.eigvalsh(x, triangle), np.linalg.eigvalsh(a, triangle))
        values, vectors = xarr.linalg.eigh(x, UPLO=triangle)
        assert_close(values, np.linalg.eigvalsh(a, triangle))
        if triangle == "U":
            upper = np.triu(a) + np.conj(np.swapaxes(np.triu(a, 1), -1, -2))
            upper[..., range(4), range(4)] = upper[..., range(4), range(4)].real
            made = xarr.to_numpy(vectors * values[:, None, :]) @ np.conj(
                np.swapaxes(xarr.to_numpy(vectors), -1, -2)
            )
            np.testing.assert_allclose(made, upper, atol=1e-10)
    with pytest.raises(ValueError, match="UPLO"):
        xarr.linalg.eigh(x, "X")
    full = a + np.conj(np.swapaxes(a, -1, -2))
    left, singular, right = xarr.linalg.svd(xarr.asarray(full), hermitian=True)
    assert_close(singular, np.linalg.svd(full, hermitian=True).S)
    np.testing.assert_allclose(
        xarr.to_numpy((left * singular[:, None, :]) @ right), full, atol=1e-9
    )
    assert_close(
        xarr.linalg.svd(xarr.asarray(full), compute_uv=False, hermitian=True),
        np.linalg.svd(full, compute_uv=False, hermitian=True),
    )


def test_factorizations_positionally() -> None:
    a = drawn(5, 3)
    x = xarr.asarray(a)
    assert_close(xarr.linalg.svd(x, False, False), np.linalg.svd(a, False, False))
    assert xarr.linalg.svd(x, False).U.shape == (5, 3)
    assert_close(xarr.linalg.qr(x, "r"), np.linalg.qr(a, "r"))
    for got, wanted in zip(xarr.linalg.qr(x, "raw"), np.linalg.qr(a, "raw"), strict=True):
        assert_close(got, wanted)
    assert xarr.linalg.qr(a.tolist(), "complete").Q.shape == (5, 5)
    with pytest.raises(ValueError, match="mode"):
        xarr.linalg.qr(x, "other")


def test_eigenvalues_are_complex_as_the_standard_says() -> None:
    symmetric = np.array([[2.0, 1.0], [1.0, 2.0]], dtype="float32")
    turning = np.array([[0.0, 1.0], [-1.0, 0.0]])
    for a in (
        symmetric,
        turning,
        np.zeros((0, 0)),
        symmetric.astype("complex64"),
        [[1, 2], [0, 3]],
    ):
        values, vectors = xarr.linalg.eig(a)
        wanted = np.result_type(np.linalg.eig(a).eigenvalues, np.complex64)
        assert values.dtype == wanted
        assert vectors.dtype == wanted
        values = xarr.linalg.eigvals(a)
        assert values.dtype == wanted
        assert_close(values, np.linalg.eigvals(a).astype(wanted), 1e-5)


def test_integers_bools_and_lists() -> None:
    a = [[2, 1], [1, 3]]
    for function in ("inv", "det", "cholesky", "eigvalsh", "svdvals", "matrix_transpose"):
        assert_close(getattr(xarr.linalg, function)(a), getattr(np.linalg, function)(a))
    assert_close(xarr.linalg.inv([[True, False], [True, True]]), [[1.0, 0.0], [-1.0, 1.0]])
    assert_close(xarr.linalg.solve(a, [1, 2]), np.linalg.solve(a, [1, 2]))
    assert_close(xarr.linalg.matrix_power(a, 5), np.linalg.matrix_power(a, 5))
    assert_close(xarr.linalg.matrix_power(a, -2), np.linalg.matrix_power(a, -2))
    assert_close(xarr.linalg.slogdet(a).logabsdet, np.linalg.slogdet(a).logabsdet)
    assert_close(xarr.linalg.diagonal(a), [2, 3])
    assert_close(xarr.linalg.trace(a), 5)
    assert_close(xarr.linalg.outer([1, 2], [3, 4]), np.outer([1, 2], [3, 4]))
    assert_close(xarr.linalg.cross([1, 2, 3], [4, 5, 7]), np.cross([1, 2, 3], [4, 5, 7]))
    assert_close(xarr.linalg.det(np.zeros((0, 0))), 1.0)
    assert_close(xarr.linalg.inv(np.zeros((2, 0, 0))), np.zeros((2, 0, 0)))


def test_cholesky_of_a_matrix_that_is_barely_definite() -> None:
    # As many points as dimensions: the covariance has one eigenvalue that is zero but for rounding.
    a = np.cov(drawn(8, 9)[:, :8])
    a += np.eye(8) * 1e-14 * np.trace(a)
    # The last column of the factor is the root of what rounding leaves, so the product is compared.
    factor = xarr.linalg.cholesky(xarr.asarray(a))
    assert_close(factor @ factor.T, a, 1e-12)
