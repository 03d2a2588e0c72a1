"""Polynomials in six bases, and NumPy's older functions of them, beside NumPy's."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import xarr
from xarr import polynomial as ours
from xarr.engine import engine

BASES = {
    "polynomial": "poly",
    "chebyshev": "cheb",
    "legendre": "leg",
    "hermite": "herm",
    "hermite_e": "herme",
    "laguerre": "lag",
}
CLASSES = {
    "polynomial": "Polynomial",
    "chebyshev": "Chebyshev",
    "legendre": "Legendre",
    "hermite": "Hermite",
    "hermite_e": "HermiteE",
    "laguerre": "Laguerre",
}
EACH = pytest.mark.parametrize("basis", BASES)


def drawn(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(17).uniform(-1, 1, shape)


def assert_close(got: Any, wanted: Any, tolerance: float = 1e-9) -> None:
    assert type(got) is xarr.Array
    host, wanted = xarr.to_numpy(got), np.asarray(wanted)
    assert host.dtype == wanted.dtype
    assert host.shape == wanted.shape
    np.testing.assert_allclose(host, wanted, rtol=tolerance, atol=tolerance)


class Both:
    """A module's function in both libraries, by what follows the prefix."""

    def __init__(self, basis: str) -> None:
        self.prefix = BASES[basis]
        self.modules = getattr(ours, basis), getattr(np.polynomial, basis)

    def assert_close(self, name: str, *args: Any, tolerance: float = 1e-9, **options: Any) -> None:
        mine, theirs = (getattr(module, self.prefix + name) for module in self.modules)
        arrays = [xarr.asarray(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
        assert_close(mine(*arrays, **options), theirs(*args, **options), tolerance)


@EACH
def test_values(basis: str) -> None:
    both = Both(basis)
    x, c = drawn(5), drawn(6)
    for count in (1, 2, 3, 6):
        both.assert_close("val", x, c[:count])
    both.assert_close("val", x, c.tolist())
    both.assert_close("val", 0.5, [1, 2, 3])
    both.assert_close("val", [1, 2], [1, 2, 3])
    both.assert_close("val", x.astype("float32"), c.astype("float32"), tolerance=1e-5)
    both.assert_close("val", x + 1j, c)
    both.assert_close("val", x, drawn(4, 2))
    both.assert_close("val", drawn(2), drawn(4, 2), tensor=False)
    y, z = drawn(5)[::-1], x**2
    both.assert_close("val2d", x, y, drawn(3, 4))
    both.assert_close("val3d", x, y, z, drawn(3, 4, 2))
    both.assert_close("grid2d", x, y[:3], drawn(3, 4))
    both.assert_close("grid3d", x, y[:3], z[:2], drawn(3, 4, 2))
    with pytest.raises(ValueError, match="val2d"):
        getattr(both.modules[0], both.prefix + "val2d")(x, y[:3], drawn(3, 3))


@EACH
def test_values_are_one_launch(basis: str) -> None:
    x = xarr.asarray(drawn(5))
    xarr.synchronize()
    value = getattr(getattr(ours, basis), BASES[basis] + "val")(x, [1.0, 2.0, 3.0, 4.0])
    before = engine.counts.launches
    xarr.to_numpy(value)
    assert engine.counts.launches - before == 1


@EACH
def test_vander_and_fit(basis: str) -> None:
    both = Both(basis)
    x = drawn(12)
    y = drawn(12)[::-1] * 3
    both.assert_close("vander", x, 4)
    both.assert_close("vander", x, 0)
    both.assert_close("vander", [1, 2], 2)
    both.assert_close("vander2d", x, y, [1, 2])
    both.assert_close("vander3d", x, y, x * y, [1, 2, 1])
    both.assert_close("fit", x, y, 3, tolerance=1e-7)
    both.assert_close("fit", x, y, [0, 2, 3], w=y * y, tolerance=1e-7)
    both.assert_close("fit", x, np.stack([y, x], axis=1), 2, tolerance=1e-7)
    mine, theirs = (getattr(module, both.prefix + "fit") for module in both.modules)
    found, wanted = mine(x, y, 2, full=True), theirs(x, y, 2, full=True)
    assert_close(found[0], wanted[0], 1e-7)
    assert_close(found[1][0], wanted[1][0], 1e-7)
    with pytest.warns(np.exceptions.RankWarning):
        mine([1.0, 1.0], [2.0, 3.0], 1)
    for x_, y_, degree, error in (
        ([1, 2], [1, 2], -1, ValueError),
        ([[1]], [1], 1, TypeError),
        ([1], [[[1]]], 1, TypeError),
        ([1, 2], [1], 1, TypeError),
        ([], [], 1, TypeError),
        ([1], [1], [[1]], TypeError),
    ):
        with pytest.raises(error, match="fit"):
            mine(x_, y_, degree)
    with pytest.raises(ValueError, match="vander"):
        getattr(both.modules[0], both.prefix + "vander")(x, -1)


@EACH
def test_coefficients(basis: str) -> None:
    both = Both(basis)
    a, b = drawn(4), drawn(3)
    for name in ("add", "sub", "mul"):
        both.assert_close(name, a, b)
    both.assert_close("mulx", a)
    both.assert_close("pow", a, 3)
    both.assert_close("der", a, 2)
    both.assert_close("int", a, 2, [1, 2], 0.5)
    both.assert_close("roots", a)
    both.assert_close("companion", a)
    both.assert_close("fromroots", b)
    both.assert_close("line", 1, 2)
    both.assert_close("trim", [1, 2, 0, 0])
    mine, theirs = (getattr(module, both.prefix + "div") for module in both.modules)
    for got, wanted in zip(mine(xarr.asarray(a), b), theirs(a, b), strict=True):
        assert_close(got, wanted)
    for name in ("domain", "zero", "one", "x"):
        constant, wanted = (getattr(module, both.prefix + name) for module in both.modules)
        assert_close(constant, wanted)
    if basis != "polynomial":
        both.assert_close("weight", np.abs(a) / 2)
        for got, wanted in zip(
            *(getattr(module, both.prefix + "gauss")(5) for module in both.modules), strict=True
        ):
            assert_close(got, wanted)
        for name in (f"poly2{both.prefix}", f"{both.prefix}2poly"):
            conversions = [getattr(module, name) for module in both.modules]
            assert_close(conversions[0](xarr.asarray(a)), conversions[1](a))


def test_every_name_of_numpy_is_there() -> None:
    for basis in [*BASES, "polyutils"]:
        for name in getattr(np.polynomial, basis).__all__:
            assert hasattr(getattr(ours, basis), name), f"{basis}.{name}"
    for name in np.polynomial.__all__:
        assert hasattr(ours, name)
    with pytest.raises(AttributeError):
        _ = ours.chebyshev.other  # type: ignore[attr-defined]


def test_functions_of_one_basis() -> None:
    x, r = drawn(5), drawn(3)
    assert_close(
        ours.polynomial.polyvalfromroots(x, r), np.polynomial.polynomial.polyvalfromroots(x, r)
    )
    r = drawn(3, 5)
    for tensor in (True, False):
        assert_close(
            ours.polynomial.polyvalfromroots(xarr.asarray(x), r, tensor),
            np.polynomial.polynomial.polyvalfromroots(x, r, tensor),
        )
    for name in ("chebpts1", "chebpts2"):
        assert_close(getattr(ours.chebyshev, name)(4), getattr(np.polynomial.chebyshev, name)(4))
    assert_close(
        ours.chebyshev.chebinterpolate(lambda x: xarr.tanh(x) + 0.5, 8),
        np.polynomial.chebyshev.chebinterpolate(lambda x: np.tanh(x) + 0.5, 8),
    )
    assert_close(
        ours.polyutils.mapdomain(x, (0, 2), [1, 3]),
        np.polynomial.polyutils.mapdomain(x, (0, 2), [1, 3]),
    )
    assert ours.polyutils.mapparms((0, 2), xarr.asarray([1, 5])) == (1.0, 2.0)
    assert_close(ours.polyutils.getdomain(x), np.polynomial.polyutils.getdomain(x))


def pairs(basis: str) -> tuple[Any, Any]:
    return getattr(ours, CLASSES[basis]), getattr(np.polynomial, CLASSES[basis])


@EACH
def test_series(basis: str) -> None:
    kind, theirs = pairs(basis)
    a, b, more = drawn(4), drawn(3), [1, 2]
    p, q = kind(xarr.asarray(a), domain=[0, 2]), kind(b, domain=[0, 2])
    s, t = theirs(a, domain=[0, 2]), theirs(b, domain=[0, 2])
    for mine, wanted in (
        (p + q, s + t), (p - q, s - t), (p * q, s * t), (p // q, s // t), (p % q, s % t),
        (divmod(p, q)[1], divmod(s, t)[1]), (p**2, s**2), (-p, -s), (p / 2, s / 2),
        (2 * p + 1, 2 * s + 1), (1 - p, 1 - s), (p + more, s + more), (b + p, b + s),
        (p.deriv(), s.deriv()), (p.integ(2, [1, 2], 0.5), s.integ(2, [1, 2], 0.5)),
        (p.truncate(2), s.truncate(2)), (p.cutdeg(1), s.cutdeg(1)), (p.trim(0.5), s.trim(0.5)),
        (p.copy(), s.copy()), (p(q), s(t)),
        (p.convert(kind=ours.Chebyshev), s.convert(kind=np.polynomial.Chebyshev)),
        (kind.basis(3), theirs.basis(3)), (kind.identity(), theirs.identity()),
        (kind.fromroots(b, domain=None), theirs.fromroots(b, domain=None)),
        (kind.cast(p), theirs.cast(s)),
    ):  # fmt: skip
        assert type(mine).__name__ == type(wanted).__name__
        assert_close(mine.coef, wanted.coef)
        np.testing.assert_allclose(mine.domain, wanted.domain)
        np.testing.assert_allclose(mine.window, wanted.window)
    x = drawn(7)
    assert_close(p(xarr.asarray(x)), s(x))
    assert_close(p(0.5), s(0.5))
    assert_close(p.roots(), s.roots())
    for mine, wanted in zip(p.linspace(5), s.linspace(5), strict=True):
        assert_close(mine, wanted)
    assert p.degree() == len(p) - 1 == 3
    assert p.mapparms() == s.mapparms()
    assert p == kind(a, domain=[0, 2])
    assert p != q
    assert pickle.loads(pickle.dumps(p)) == p
    with pytest.raises(TypeError):
        p + kind(b, domain=[0, 3])
    with pytest.raises(TypeError):
        p / q


@EACH
def test_series_as_text(basis: str) -> None:
    kind, theirs = pairs(basis)
    p, s = (
        kind([1, -2.5, 3], domain=[0, 2], symbol="t"),
        theirs([1, -2.5, 3], domain=[0, 2], symbol="t"),
    )
    assert str(p) == str(s)
    assert repr(p) == repr(s)
    assert f"{p:ascii}" == f"{s:ascii}"
    assert p._repr_latex_() == s._repr_latex_()
    ours.set_default_printstyle("ascii")
    try:
        assert str(p) == f"{s:ascii}"
    finally:
        ours.set_default_printstyle("unicode")


@EACH
def test_series_are_fitted(basis: str) -> None:
    kind, theirs = pairs(basis)
    x, y = drawn(12) * 5, drawn(12)
    for options in ({}, {"domain": []}, {"domain": [-5, 5], "w": x * x}, {"window": [0, 1]}):
        mine, wanted = kind.fit(xarr.asarray(x), y, 3, **options), theirs.fit(x, y, 3, **options)
        assert_close(mine.coef, wanted.coef, 1e-6)
        np.testing.assert_allclose(mine.domain, wanted.domain)
    mine, more = kind.fit(x, y, 2, full=True)
    assert int(more[1]) == 3


def test_coefficients_can_be_written() -> None:
    p = ours.Polynomial([1.0, 2.0, 3.0])
    p.coef[0] = 5
    assert float(p(0.0)) == 5
    assert (p + 1).coef.tolist() == [6, 2, 3]
    p.coef = [1, 2]
    assert float(p(xarr.asarray(1.0))) == 3


OLDER: list[tuple[str, tuple[Any, ...]]] = [
    ("poly", ([1.0, 2.0, 3.0],)),
    ("roots", ([1.0, -6.0, 11.0, -6.0],)),
    ("polyadd", ([1, 2], [9, 5, 4])),
    ("polysub", ([2, 10, -2], [3, 10, -4])),
    ("polymul", ([1, 2, 3], [9, 5, 1])),
    ("polyder", ([1, 1, 1, 1], 2)),
    ("polyint", ([1.0, 1.0, 1.0], 2, [6, 3])),
    ("polyval", ([3, 0, 1], [5, 6])),
    ("polyval", ([3.5, 0, 1j], 2.0)),
    ("polyval", ([], [5.0, 6.0])),
    ("vander", ([1, 2, 3, 5],)),
    ("vander", ([1.5, 2, 3], 2, True)),
    ("vander", ([1.5, 2, 3], 0)),
]


@pytest.mark.parametrize(("name", "args"), OLDER)
def test_older_functions(name: str, args: tuple[Any, ...]) -> None:
    wanted = getattr(np, name)(*args)
    assert_close(getattr(xarr, name)(*args), wanted)
    arrays = [xarr.asarray(arg) if isinstance(arg, list) else arg for arg in args]
    assert_close(getattr(xarr, name)(*arrays), wanted)


def test_polydiv_and_polyval_of_arrays() -> None:
    for got, wanted in zip(
        xarr.polydiv(xarr.asarray([1.0, 5.0, 7.0]), [1.0, 2.0]),
        np.polydiv([1.0, 5.0, 7.0], [1.0, 2.0]),
        strict=True,
    ):
        assert_close(got, wanted)
    p, x = drawn(4), drawn(2, 3)
    assert_close(xarr.polyval(xarr.asarray(p), xarr.asarray(x)), np.polyval(p, x))
    assert_close(xarr.polyval(p, x.astype("float32")), np.polyval(p, x.astype("float32")))


def test_polyfit() -> None:
    x, y = drawn(10), drawn(10)[::-1] * 2
    for options in ({}, {"w": np.abs(y)}, {"rcond": 0.1}):
        if "rcond" in options:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", np.exceptions.RankWarning)
                assert_close(xarr.polyfit(x, y, 3, **options), np.polyfit(x, y, 3, **options), 1e-7)
            continue
        assert_close(
            xarr.polyfit(xarr.asarray(x), y, 3, **options), np.polyfit(x, y, 3, **options), 1e-7
        )
    assert_close(
        xarr.polyfit(x, np.stack([x, y], 1), 2), np.polyfit(x, np.stack([x, y], 1), 2), 1e-7
    )
    assert_close(xarr.polyfit([1, 2, 3], [2, 4, 6], 1), np.polyfit([1, 2, 3], [2, 4, 6], 1), 1e-7)
    found, wanted = xarr.polyfit(x, y, 2, full=True), np.polyfit(x, y, 2, full=True)
    for got, like in zip(found[:2], wanted[:2], strict=True):
        assert_close(got, like, 1e-7)
    assert int(found[2]) == wanted[2]
    assert found[4] == wanted[4]
    for cov in (True, "unscaled"):
        got, like = xarr.polyfit(x, y, 2, cov=cov), np.polyfit(x, y, 2, cov=cov)
        assert_close(got[1], like[1], 1e-6)
    both = np.stack([x, y], 1)
    assert_close(xarr.polyfit(x, both, 2, cov=True)[1], np.polyfit(x, both, 2, cov=True)[1], 1e-6)
    with pytest.warns(np.exceptions.RankWarning):
        xarr.polyfit([1.0, 1.0], [2.0, 3.0], 1)
    with pytest.raises(ValueError, match="negative"):
        xarr.polyfit(x, y, -1)
    with pytest.raises(TypeError, match="vector"):
        xarr.polyfit([x], y, 1)
    with pytest.raises(ValueError, match="more points"):
        xarr.polyfit([1, 2], [1, 2], 1, cov=True)


def test_poly1d() -> None:
    p, s = xarr.poly1d([1, -2, 3]), np.poly1d([1, -2, 3])
    q, t = xarr.poly1d(xarr.asarray([2.0, 1.0])), np.poly1d([2.0, 1.0])
    for mine, wanted in (
        (p + q, s + t), (p - q, s - t), (p * q, s * t), (p**2, s**2), (-p, -s), (p * 2, s * 2),
        (2 + p, 2 + s), (1 - p, 1 - s), (p / 2, s / 2), (p.deriv(), s.deriv()),
        (p.integ(1, 3), s.integ(1, 3)), (p(q), s(t)), (xarr.polyadd(p, [1]), np.polyadd(s, [1])),
        (xarr.poly1d([1.0, 2.0], True), np.poly1d([1.0, 2.0], True)),
    ):  # fmt: skip
        assert type(mine) is xarr.poly1d
        assert_close(mine.coeffs, wanted.coeffs)
    for mine, wanted in zip(p / q, s / t, strict=True):
        assert_close(mine.c, wanted.c)
    x = drawn(5)
    assert_close(p(xarr.asarray(x)), s(x))
    assert_close(q.r, t.r)
    assert str(p) == str(s)
    assert repr(p) == repr(s)
    assert (p.order, p.o, len(p), p.variable) == (2, 2, 2, "x")
    assert (int(p[0]), int(p[2]), int(p[5])) == (3, 1, 0)
    p[0] = 7
    p.coeffs[1] = 4
    assert p.coeffs.tolist() == [1, 4, 7]
    assert int(p(1)) == 12
    assert p == xarr.poly1d([1, 4, 7])
    assert p != q
