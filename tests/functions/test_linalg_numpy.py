"""NumPy's linear algebra beyond the standard's, Einstein's sums, and products, beside NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr
from tests.functions.calls import check, each_line, rows
from tests.reference import assert_same


def drawn(*shape: int, dtype: str = "float64") -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(7)
    values = rng.standard_normal(shape) * (1 if dtype == "float64" else 4)
    if dtype.startswith("complex"):
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


LOW = drawn(2, 4, 3)
LOW[0, :, 2] = LOW[0, :, 0] * (1 + 1e-12)
SINGULAR = drawn(3, 4, 4)
SINGULAR[1] = 0
GIVEN: dict[str, Any] = {
    "v": drawn(5), "m": drawn(3, 4), "t": drawn(2, 3, 4), "e": drawn(2, 3, 6), "s": drawn(3, 4, 4),
    "o": SINGULAR, "low": LOW, "outer": np.outer([1.0, 2, 3, 4], [1.0, 1, 2]),
    "h": np.diag([3.0, -2.0, 1e-3]), "a": drawn(5, 3),
    "turning": np.array([[0.0, 1.0], [-1.0, 0.0]]),
}  # fmt: skip

CALLS = """
np.linalg.norm({v|v, 3|v, 0, keepdims=True|v, -2, 0|m|m, "fro", keepdims=True|m, "nuc"|m, 1})
np.linalg.norm({m, -inf|m, -2, keepdims=True|m, inf, 1|t|t, keepdims=True|t, None, (0, 2)})
np.linalg.norm(t{, None, (0, 2), keepdims=True|, 1, (2, 0), keepdims=True|, 2, (0, 1)})
np.linalg.norm({t, 0.5, -1, keepdims=True|[3, 4]|np.asarray([[3, 4], [0, 0]]), 1})
np.linalg.norm({[True, True, False], 1|[3j, 4]})
np.linalg.norm({v, "fro"|m, 3|t, 2|t, None, (0, 1, 2)|m, "other"|m, 0, (0, 1)}) ! ValueError
np.linalg.norm(v, "fro") ! ValueError: norm
np.linalg.cond({s|o|s, 1|s, -1|s, 2|s, -2|s, inf|s, -inf|s, "fro"|s, "nuc"|o, 1|o, -1|o, 2})
np.linalg.cond(o{, -2|, "fro"})
np.linalg.cond(np.ones((0, 0))) ! LinAlgError
tuple(np.linalg.lstsq(outer, np.arange(4){|, rcond=0.1}))[:2]
int(np.linalg.lstsq(outer, np.arange(4), rcond={None|-1|0.1})[2])
np.linalg.lstsq(outer, np.arange(4))[3]
np.linalg.lstsq(outer, [1, 2]) ! LinAlgError
np.linalg.tensorsolve({e, m[:2, :3]|np.moveaxis(e, 2, 0), m[:2, :3], (0,)})
np.linalg.tensorinv({e|e.T, ind=1})
np.linalg.tensorinv(e, 0) ! ValueError: ind is 0
np.linalg.tensorsolve(e, np.ones(2)) ! LinAlgError
np.linalg.matrix_rank({low|low, tol=1e-6|low, rtol=0.5|low, tol=[1e-20, 2.0]|low, 10})
np.linalg.matrix_rank(h, 0.01, True)
int(np.linalg.matrix_rank({[0, 0, 1]|np.zeros(3)}))
np.linalg.matrix_rank(low, 1, rtol=1) ! ValueError: one of them must be
np.linalg.pinv({low, 1e-6|low, rtol=0.2|h, hermitian=True})
np.linalg.svd(a, False, False)
np.linalg.svd(a, False).U.shape
np.linalg.qr(a{, "r"|, "raw"})
np.linalg.qr(a.tolist(), "complete").Q.shape
np.linalg.qr(a, "other") ! ValueError: mode
np.linalg.{inv|det|cholesky|eigvalsh|svdvals|matrix_transpose|diagonal|trace}([[2, 1], [1, 3]])
np.linalg.inv([[True, False], [True, True]])
np.linalg.solve([[2, 1], [1, 3]], [1, 2])
np.linalg.matrix_power([[2, 1], [1, 3]]{, 5|, -2})
np.linalg.slogdet([[2, 1], [1, 3]])
np.linalg.outer([1, 2], [3, 4])
np.linalg.cross([1, 2, 3], [4, 5, 7])
np.linalg.det(np.zeros((0, 0)))
np.linalg.det(np.zeros((2, 0, 0)){[1:]|[::-1]|[1]})
np.linalg.inv(np.zeros((2, 0, 0)))
np.linalg.multi_dot({[v, a, m, m.T, a.T]|[a, m, m.T]})
np.linalg.multi_dot([a]) ! ValueError: there must be at least two
np.linalg.multi_dot([a, v, m]) ! LinAlgError
"""


@each_line(CALLS)
def test_linalg(call: str) -> None:
    check(call, near=1e-7 if "cond" in call else 1e-9, **GIVEN)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize(
    ("first", "second"),
    [((6, 3), (6,)), ((6, 3), (6, 2)), ((3, 5), (3, 2)), ((0, 3), (0, 2)), ((3, 0), (3,))],
)
def test_lstsq(first: tuple[int, ...], second: tuple[int, ...], dtype: str) -> None:
    a, b = drawn(*first, dtype=dtype), drawn(*second, dtype=dtype)
    check("tuple(np.linalg.lstsq(a, b))[:2]", near=1e-9, a=a, b=b)
    check("np.linalg.lstsq(a, b)[3]", near=1e-9, a=a, b=b)


def adjoint(x: Any) -> Any:
    return np.conj(np.swapaxes(x, -1, -2))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_hermitian_matrices(dtype: str) -> None:
    a = drawn(2, 4, 4, dtype=dtype)
    full = a + adjoint(a)
    for call in rows('np.linalg.eig{valsh(a, "L")|valsh(a, "U")|valsh(a, "u")|h(a, UPLO="L")[0]}'):
        check(call, near=1e-9, a=a)
    check("np.linalg.svd(a, compute_uv=False, hermitian=True)", near=1e-9, a=full)
    check("np.linalg.eigh(a, 'X') ! ValueError: UPLO", a=a)
    values, vectors = map(xarr.to_numpy, xarr.linalg.eigh(xarr.asarray(a), UPLO="U"))
    upper = np.triu(a) + adjoint(np.triu(a, 1))
    upper[..., range(4), range(4)] = upper[..., range(4), range(4)].real
    np.testing.assert_allclose((vectors * values[:, None, :]) @ adjoint(vectors), upper, atol=1e-10)
    left, singular, right = xarr.linalg.svd(xarr.asarray(full), hermitian=True)
    made = xarr.to_numpy((left * singular[:, None, :]) @ right)
    np.testing.assert_allclose(made, full, atol=1e-9)


MATRICES: list[Any] = [
    *(np.array([[2.0, 1.0], [1.0, 2.0]], dtype) for dtype in ("float32", "complex64")),
    *(np.array([[0.0, 1.0], [-1.0, 0.0]]), np.zeros((0, 0)), [[1, 2], [0, 3]]),
]


@pytest.mark.parametrize("a", MATRICES, ids=str)
def test_eigenvalues_are_complex_as_the_standard_says(a: Any) -> None:
    wanted = np.result_type(np.linalg.eig(a).eigenvalues, np.complex64)
    for part in (*xarr.linalg.eig(a), xarr.linalg.eigvals(a)):
        assert part.dtype == wanted
    np.testing.assert_allclose(xarr.to_numpy(xarr.linalg.eigvals(a)), np.linalg.eigvals(a), 1e-5)


def test_cholesky_of_a_matrix_that_is_barely_definite() -> None:
    # As many points as dimensions: the covariance has one eigenvalue that is zero but for rounding.
    a = np.cov(drawn(8, 9)[:, :8])
    a += np.eye(8) * 1e-14 * np.trace(a)
    # The last column of the factor is the root of what rounding leaves, so the product is compared.
    factor = xarr.to_numpy(xarr.linalg.cholesky(xarr.asarray(a)))
    np.testing.assert_allclose(factor @ factor.T, a, rtol=1e-12, atol=1e-12)


# -- products ---------------------------------------------------------------------------------

SUBSCRIPTS = [
    ("ii", (3, 3)), ("ii->i", (3, 3)), ("ijij->ij", (2, 3, 2, 3)), ("ij->", (3, 4)),
    ("ij->j", (3, 4)), ("ji", (3, 4)), ("ij,jk", (3, 4), (4, 5)),
    ("ij , jk -> ki", (3, 4), (4, 5)), ("i,i", (4,), (4,)), ("i,j", (4,), (3,)),
    ("ij,j->i", (3, 4), (4,)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("...ij,...jk", (2, 1, 3, 4), (7, 4, 5)), ("i...->...", (3, 4)), ("ij,ji->i", (3, 4), (4, 3)),
    ("ijk,ijk,ijk->k", (2, 3, 4), (2, 3, 4), (2, 3, 4)), ("iij,jkk->ik", (3, 3, 4), (4, 2, 2)),
    ("ij,jk", (3, 1), (4, 5)), (",ij->ij", (), (2, 3)), ("bi,bij->bj", (2, 3), (2, 3, 4)),
    ("ea,fb,abcd,gc,hd->efgh", (3, 2), (3, 2), (2, 2, 2, 2), (3, 2), (3, 2)),
    ("ij,kl,jk->il", (3, 4), (5, 6), (4, 5)), ("i,i->i", (3,), (1,)), ("ab,c->", (2, 3), (4,)),
    ("ij,jk->ik", (3, 0), (0, 2)), ("ij->i", (3, 0)),
]  # fmt: skip
TYPED = ["ij,jk->ik", "ij,ji->", "ij,ij->ij", "ij,ij->j"]


@pytest.mark.parametrize(
    ("subscripts", "shapes", "dtype"),
    [
        *((row[0], row[1:], "float64") for row in SUBSCRIPTS),
        *((row, ((3, 3),) * 2, dtype) for row in TYPED for dtype in ("bool", "int8", "complex128")),
    ],
)
def test_einsum(subscripts: str, shapes: Any, dtype: str) -> None:
    given = {name: drawn(*shape, dtype=dtype) for name, shape in zip("abcde", shapes, strict=False)}
    for more in ("", ", optimize='optimal'"):
        check(f"np.einsum({subscripts!r}, {', '.join(given)}{more})", near=1e-10, **given)


PRODUCTS = """
np.einsum(a, [0, 1], b, [1, 2])
np.einsum(a{, [0, 1], b, [1, 2], [2, 0]|, [..., 1], b, [1, 2], [..., 2]})
np.einsum({a.tolist(), [7, 3], b, [3, 9]|"ij,jk", a, b, out=c})
np.einsum("ij->i", np.arange(6).reshape(2, 3), dtype="float64")
np.einsum("ij,jk,k", a, b, np.ones(5), optimize=["einsum_path", (0, 1), (0, 1)])
np.einsum("ij,jk", a, b, dtype="float32") ! TypeError: 'safe'
np.einsum({"ij,jk", a, a|"ij", a, b|"ijk", a|"i", a|"ii", a|"ij->k", a|"ij->ii", a}) ! ValueError
np.einsum("i$", a) ! ValueError: einsum
np.einsum("ij", a, order="W") ! ValueError: order must be
np.einsum("ij", a, casting="same_value") ! ValueError: casting one of
np.einsum(a, [-1, 2]) ! ValueError: 0 to 51
np.einsum(a, [52, 2]) ! ValueError: 0 to 51
np.einsum("ij,ji,ij,ji", a, a.T, a, a.T, optimize=["einsum_path", (0, 1)]) ! RuntimeError: operands
np.inner(a{, b.T|, b[:, 0]|, 2.0})
np.vdot({a * 1j, a * 2|[1, 2], [3, 4]})
np.dot({[1, 2], [3, 4]|a, b, c})
np.dot(a, b, out=np.zeros((4, 2))) ! ValueError: out has shape
np.outer(a, b[0], out=np.zeros((12, 5)))
np.dot(True, np.asarray([True, False]))
np.{inner|vdot}(a, np.ones(2)) ! ValueError
np.kron({a, b|a[0], b|t, a[0, :2]|3.0, a|a[0, :0], b[0]})
np.cross({x, y|x.T, y, axisa=0, axisc=0|x.T, y.T, axis=0|x, y[0]})
np.cross([1, 2, 3, 4], [1, 2, 3, 4]) ! ValueError: two or three
np.matvec(t, b[:, 0])
np.vecmat(a[:2, :3] * 1j, t)
np.vecdot({t, b[:, 0]|t > 0, t > 0})
np.matvec(t, b[:, 0], c[:2, :3])
np.matmul(t{, np.moveaxis(t, 0, 1), axes=[(1, 2), (2, 0), (0, 1)]|, b[:, 0], dtype="complex128"})
np.matmul(t, b[:, 0], out=np.zeros((2, 3), dtype="float32"))
(a > 0) @ (b > 0)
np.tensordot(t{, c[:2, :3], ((0, 1), (0, 1))|, b[:, 0], 1})
np.matvec(t, b[:, 0], axes=[(0,), 0, 0]) ! ValueError: axes is
np.matmul(t, b[:, 0], out=np.zeros((2, 3), dtype="int64")) ! TypeError
"""


@each_line(PRODUCTS)
def test_products(call: str) -> None:
    given = {"a": drawn(3, 4), "b": drawn(4, 5), "c": drawn(3, 5), "t": drawn(2, 3, 4)}
    check(call, near=1e-10, x=drawn(4, 3), y=drawn(5, 3)[1:], **given)


@pytest.mark.parametrize(
    ("a", "b"), [((1, 2), (3, 4)), ((1, 2), (3, 4, 5)), ((1, 2, 6), (3, 4))], ids=str
)
def test_a_third_element_that_is_missing_is_zero(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    """NumPy took such vectors with a warning, and refuses them since 2.5."""
    with pytest.warns(DeprecationWarning, match="2-dimensional") as told:
        found = xarr.cross(a, b)
    assert told[0].filename == __file__
    wanted = np.cross((*a, 0)[:3], (*b, 0)[:3])
    assert_same(np.asarray(found), wanted[2] if len(a) == len(b) == 2 else wanted, "cross")


def test_einsum_gives_views_and_paths() -> None:
    x = xarr.asarray(drawn(3, 3))
    xarr.einsum("ii->i", x)[:] = 1
    assert xarr.einsum("ii", x).item() == 3
    xarr.einsum("ij->ji", x)[0, 2] = 7
    assert x[2, 0].item() == 7
    path, text = xarr.einsum_path("ij,jk,k", x, x, np.ones(3))
    assert path[0] == "einsum_path"
    assert "Complete contraction" in text
