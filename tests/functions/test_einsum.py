"""Einstein's summation, and what is made of products, beside NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xarr


def drawn(*shapes: tuple[int, ...], dtype: str = "float64") -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(3)
    return [(rng.standard_normal(shape) * 4).astype(dtype) for shape in shapes]


def assert_close(got: Any, wanted: Any) -> None:
    assert type(got) is xarr.Array
    host, wanted = xarr.to_numpy(got), np.asarray(wanted)
    assert host.dtype == wanted.dtype
    assert host.shape == wanted.shape
    np.testing.assert_allclose(host, wanted, rtol=1e-10, atol=1e-10)


SUBSCRIPTS = [
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("ijij->ij", (2, 3, 2, 3)),
    ("ij->", (3, 4)),
    ("ij->j", (3, 4)),
    ("ji", (3, 4)),
    ("ij,jk", (3, 4), (4, 5)),
    ("ij , jk -> ki", (3, 4), (4, 5)),
    ("i,i", (4,), (4,)),
    ("i,j", (4,), (3,)),
    ("ij,j->i", (3, 4), (4,)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("...ij,...jk", (2, 1, 3, 4), (7, 4, 5)),
    ("i...->...", (3, 4)),
    ("ij,ji->i", (3, 4), (4, 3)),
    ("ijk,ijk,ijk->k", (2, 3, 4), (2, 3, 4), (2, 3, 4)),
    ("iij,jkk->ik", (3, 3, 4), (4, 2, 2)),
    ("ij,jk", (3, 1), (4, 5)),
    (",ij->ij", (), (2, 3)),
    ("bi,bij->bj", (2, 3), (2, 3, 4)),
    ("ea,fb,abcd,gc,hd->efgh", (3, 2), (3, 2), (2, 2, 2, 2), (3, 2), (3, 2)),
    ("ij,kl,jk->il", (3, 4), (5, 6), (4, 5)),
    ("i,i->i", (3,), (1,)),
    ("ab,c->", (2, 3), (4,)),
]


@pytest.mark.parametrize(("subscripts", "shapes"), [(row[0], row[1:]) for row in SUBSCRIPTS])
def test_einsum(subscripts: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    hosts = drawn(*shapes)
    operands = [xarr.asarray(host) for host in hosts]
    assert_close(xarr.einsum(subscripts, *operands), np.einsum(subscripts, *hosts))
    assert_close(
        xarr.einsum(subscripts, *operands, optimize="optimal"), np.einsum(subscripts, *hosts)
    )


@pytest.mark.parametrize("dtype", ["bool", "int8", "complex128"])
@pytest.mark.parametrize("subscripts", ["ij,jk->ik", "ij,ji->", "ij,ij->ij", "ij,ij->j"])
def test_einsum_of_other_types(subscripts: str, dtype: str) -> None:
    hosts = drawn((3, 3), (3, 3), dtype=dtype)
    assert_close(xarr.einsum(subscripts, *map(xarr.asarray, hosts)), np.einsum(subscripts, *hosts))


def test_einsum_without_elements() -> None:
    for subscripts, shapes in (("ij,jk->ik", ((3, 0), (0, 2))), ("ij->i", ((3, 0),))):
        hosts = drawn(*shapes)
        assert_close(
            xarr.einsum(subscripts, *map(xarr.asarray, hosts)), np.einsum(subscripts, *hosts)
        )


def test_einsum_with_lists_of_axes() -> None:
    a, b = drawn((3, 4), (4, 5))
    x, y = xarr.asarray(a), xarr.asarray(b)
    assert_close(xarr.einsum(x, [0, 1], y, [1, 2]), a @ b)
    assert_close(xarr.einsum(x, [0, 1], y, [1, 2], [2, 0]), (a @ b).T)
    assert_close(xarr.einsum(x, [..., 1], y, [1, 2], [..., 2]), a @ b)
    assert_close(xarr.einsum(a.tolist(), [7, 3], b, [3, 9]), a @ b)


def test_einsum_gives_views() -> None:
    x = xarr.asarray(drawn((3, 3))[0])
    xarr.einsum("ii->i", x)[:] = 1
    assert xarr.einsum("ii", x).item() == 3
    xarr.einsum("ij->ji", x)[0, 2] = 7
    assert x[2, 0].item() == 7


def test_einsum_options() -> None:
    a, b = drawn((3, 4), (4, 5))
    out = xarr.zeros((3, 5))
    assert xarr.einsum("ij,jk", xarr.asarray(a), b, out=out) is out
    assert_close(out, a @ b)
    integers = np.arange(6).reshape(2, 3)
    assert_close(
        xarr.einsum("ij->i", xarr.asarray(integers), dtype="float64"),
        np.einsum("ij->i", integers, dtype="float64"),
    )
    with pytest.raises(TypeError, match="casting 'safe'"):
        xarr.einsum("ij,jk", xarr.asarray(a), b, dtype="float32")
    path, text = xarr.einsum_path("ij,jk,k", a, xarr.asarray(b), np.ones(5))
    assert path[0] == "einsum_path"
    assert "Complete contraction" in text
    assert_close(xarr.einsum("ij,jk,k", a, b, np.ones(5), optimize=path), a @ b @ np.ones(5))


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ij,jk", ((3, 4), (5, 2))),
        ("ij", ((3, 4), (5, 2))),
        ("ijk", ((3, 4),)),
        ("i", ((3, 4),)),
        ("ii", ((3, 4),)),
        ("ij->k", ((3, 4),)),
        ("ij->ii", ((3, 4),)),
        ("i$", ((3, 4),)),
    ],
)
def test_einsum_refuses(subscripts: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    hosts = drawn(*shapes)
    with pytest.raises(ValueError, match="."):
        np.einsum(subscripts, *hosts)
    with pytest.raises(ValueError, match="einsum"):
        xarr.einsum(subscripts, *map(xarr.asarray, hosts))


def test_inner_vdot_outer_and_dot() -> None:
    a, b, c = drawn((2, 3), (4, 3), (3,))
    x, y, z = map(xarr.asarray, (a, b, c))
    assert_close(xarr.inner(x, y), np.inner(a, b))
    assert_close(xarr.inner(x, z), np.inner(a, c))
    assert_close(xarr.inner(x, 2.0), np.inner(a, 2.0))
    assert_close(xarr.vdot(x * 1j, a * 2), np.vdot(a * 1j, a * 2))
    assert_close(xarr.vdot([1, 2], [3, 4]), np.vdot([1, 2], [3, 4]))
    assert_close(xarr.dot([1, 2], [3, 4]), np.dot([1, 2], [3, 4]))
    out = xarr.zeros((2, 4))
    assert xarr.dot(x, y.T, out) is out
    assert_close(out, a @ b.T)
    with pytest.raises(ValueError, match="out has shape"):
        xarr.dot(x, y.T, out=xarr.zeros((4, 2)))
    assert_close(xarr.outer(x, z, out=xarr.zeros((6, 3))), np.outer(a, c))
    assert_close(xarr.dot(True, xarr.asarray([True, False])), np.dot(True, [True, False]))
    with pytest.raises(ValueError, match="."):
        xarr.inner(x, xarr.ones(2))
    with pytest.raises(ValueError, match="."):
        xarr.vdot(x, xarr.ones(2))


@pytest.mark.parametrize(
    "shapes", [((2, 3), (3, 2)), ((2,), (2, 2)), ((2, 1, 3), (2,)), ((), (2, 2)), ((0,), (3,))]
)
def test_kron(shapes: tuple[tuple[int, ...], ...]) -> None:
    a, b = drawn(*shapes)
    assert_close(xarr.kron(xarr.asarray(a), b), np.kron(a, b))


def test_cross() -> None:
    a, b = drawn((4, 3), (4, 3))
    x, y = xarr.asarray(a), xarr.asarray(b)
    assert_close(xarr.cross(x, y), np.cross(a, b))
    assert_close(xarr.cross(x.T, y, axisa=0, axisc=0), np.cross(a.T, b, axisa=0, axisc=0))
    assert_close(xarr.cross(x.T, y.T, axis=0), np.cross(a.T, b.T, axis=0))
    assert_close(xarr.cross(x, y[0]), np.cross(a, b[0]))
    with pytest.warns(DeprecationWarning, match="2-dimensional"):
        assert_close(xarr.cross([1, 2], [3, 4]), -2)
    for pair in (((1, 2), (3, 4, 5)), ((1, 2, 6), (3, 4))):
        with pytest.warns(DeprecationWarning, match="2-dimensional"):
            assert_close(xarr.cross(*pair), np.cross(*pair))
    with pytest.raises(ValueError, match="two or three"):
        xarr.cross([1, 2, 3, 4], [1, 2, 3, 4])


def test_products_of_stacks() -> None:
    a, b, c = drawn((2, 3, 4), (4,), (2, 3))
    x, y, z = map(xarr.asarray, (a, b, c))
    assert_close(xarr.matvec(x, y), np.matvec(a, b))
    assert_close(xarr.vecmat(z * 1j, x), np.vecmat(c * 1j, a))
    assert_close(xarr.vecdot(x, y), np.vecdot(a, b))
    assert_close(xarr.vecdot(x > 0, x > 0), np.vecdot(a > 0, a > 0))
    out = xarr.zeros((2, 3))
    assert xarr.matvec(x, y, out) is out
    assert_close(out, np.matvec(a, b))
    square = drawn((3, 4, 5), (4, 6, 5))
    assert_close(
        xarr.matmul(*map(xarr.asarray, square), axes=[(0, 1), (0, 1), (1, 2)]),
        np.matmul(*square, axes=[(0, 1), (0, 1), (1, 2)]),
    )
    assert_close(xarr.matmul(x, y, dtype="complex128"), np.matmul(a, b, dtype="complex128"))
    out = xarr.zeros((2, 3), dtype="float32")
    xarr.matmul(x, y, out=out)
    assert out.dtype == np.float32
    truths = a[0] > 0
    assert_close(xarr.asarray(truths) @ xarr.asarray(truths.T), truths @ truths.T)
    assert_close(xarr.tensordot(x, z, ((0, 1), (0, 1))), np.tensordot(a, c, ((0, 1), (0, 1))))
    assert_close(xarr.tensordot(x, y, 1), np.tensordot(a, b, 1))
    with pytest.raises(ValueError, match="axes is"):
        xarr.matvec(x, y, axes=[(0,), 0, 0])
    with pytest.raises(TypeError):
        xarr.matmul(x, y, out=xarr.zeros((2, 3), dtype="int64"))


def test_multi_dot() -> None:
    hosts = drawn((5, 2), (2, 7), (7, 3), (3, 4))
    ends = drawn((5,), (4,))
    arrays = list(map(xarr.asarray, hosts))
    assert_close(xarr.linalg.multi_dot(arrays), np.linalg.multi_dot(hosts))
    wanted = np.linalg.multi_dot([ends[0], *hosts, ends[1]])
    assert_close(xarr.linalg.multi_dot([ends[0], *arrays, ends[1]]), wanted)
    with pytest.raises(ValueError, match="at least two"):
        xarr.linalg.multi_dot(arrays[:1])
    with pytest.raises(np.linalg.LinAlgError):
        xarr.linalg.multi_dot([arrays[0], ends[0], arrays[1]])


def test_einsum_refuses_other_options() -> None:
    x = xarr.ones((2, 2))
    for options in ({"order": "W"}, {"casting": "same_value"}):
        with pytest.raises(ValueError, match="are accepted"):
            xarr.einsum("ij", x, **options)
    for axis in (-1, 52):
        with pytest.raises(ValueError, match="0 to 51"):
            xarr.einsum(x, [axis, 2])
    with pytest.raises(RuntimeError, match="operands"):
        xarr.einsum("ij,jk,kl,lm", x, x, x, x, optimize=["einsum_path", (0, 1)])
