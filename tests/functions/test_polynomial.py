"""Polynomials in six bases, and NumPy's older functions of them, beside NumPy's."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import xarr
from tests.functions.calls import check, each, each_line
from xarr import polynomial as ours
from xarr.tape import builder

BASES = {
    "polynomial": ("poly", "Polynomial"), "chebyshev": ("cheb", "Chebyshev"),
    "legendre": ("leg", "Legendre"), "hermite": ("herm", "Hermite"),
    "hermite_e": ("herme", "HermiteE"), "laguerre": ("lag", "Laguerre"),
}  # fmt: skip
EACH = pytest.mark.parametrize("basis", BASES)
RNG = np.random.default_rng(17)
X = RNG.uniform(-1, 1, 12)
GIVEN: dict[str, Any] = {
    "x": X[:5], "z": X[:5] ** 2, "c": X[6:], "a": X[:4], "b": X[3:6],
    "t": RNG.uniform(-1, 1, (3, 4, 2)), "p": X, "q": X[::-1] * 3,
}  # fmt: skip

# p_ stands for a function of a basis, with its prefix.
OF_EACH_BASIS = """
p_val(x, c[:{1|2|3|6}])
p_val(x, {c.tolist()|t[0]})
p_val({0.5|[1, 2]}, [1, 2, 3])
p_val(np.asarray(x, "f4"), np.asarray(c, "f4"))
p_val(x + 1j, c)
p_val(x[:2], t[0], tensor=False)
p_val2d(x, x[::-1], t[..., 0])
p_val3d(x, x[::-1], z, t)
p_grid2d(x, z[:3], t[..., 0])
p_grid3d(x, x[:3], z[:2], t)
p_val2d(x, z[:3], t[..., 0]) ! ValueError: val2d
p_vander({p, 4|p, 0|[1, 2], 2})
p_vander2d(p, q, [1, 2])
p_vander3d(p, q, p * q, [1, 2, 1])
p_vander(p, -1) ! ValueError: vander
p_fit(p, q, {3|[0, 2, 3], w=q * q})
p_fit(p, np.stack([q, p], axis=1), 2)
p_fit(p, q, 2, full=True)[0]
p_fit(p, q, 2, full=True)[1][0]
p_fit([1, 2], [1, 2], -1) ! ValueError: fit
p_fit({[[1]], [1], 1|[1], [[[1]]], 1|[1, 2], [1], 1|[], [], 1|[1], [1], [[1]]}) ! TypeError
p_{add|sub|mul|div}(a, b)
p_mulx(a)
p_pow(a, 3)
p_der(a, 2)
p_int(a, 2, [1, 2], 0.5)
p_{roots|companion}(a)
p_fromroots(b)
p_line(1, 2)
p_trim([1, 2, 0, 0])
"""


def assert_close(got: Any, wanted: Any) -> None:
    assert type(got) is xarr.Array
    np.testing.assert_allclose(xarr.to_numpy(got), wanted, rtol=1e-9, atol=1e-9, strict=True)


@each_line(OF_EACH_BASIS)
def test_functions(call: str) -> None:
    near = 1e-5 if "f4" in call else 1e-7
    for basis, (prefix, _) in BASES.items():
        check(call.replace("p_", f"np.polynomial.{basis}.{prefix}"), near=near, **GIVEN)


@EACH
def test_constants_weights_and_other_bases(basis: str) -> None:
    prefix, _ = BASES[basis]
    for name in ("domain", "zero", "one", "x"):
        mine, wanted = (
            getattr(getattr(one, basis), prefix + name) for one in (ours, np.polynomial)
        )
        assert_close(mine, wanted)
    if basis != "polynomial":
        for call in (f"{prefix}weight(z)", f"{prefix}gauss(5)", f"poly2{prefix}(a)"):
            check(f"np.polynomial.{basis}.{call}", near=1e-9, **GIVEN)
        check(f"np.polynomial.{basis}.{prefix}2poly(a)", near=1e-9, **GIVEN)
    with pytest.warns(np.exceptions.RankWarning):
        getattr(getattr(ours, basis), prefix + "fit")([1.0, 1.0], [2.0, 3.0], 1)


@EACH
@pytest.mark.parametrize("shape", [(3,), (3, 4), (3, 4, 2), (2, 3, 2, 4), (2, 3, 2, 2, 3)], ids=str)
def test_values_at_points_of_any_number_of_dimensions(basis: str, shape: tuple[int, ...]) -> None:
    """Each axis of the coefficients is summed as by NumPy 2.5's functions of two axes."""
    prefix, _ = BASES[basis]
    theirs = getattr(np.polynomial, basis)
    value, summed = getattr(getattr(ours, basis), f"{prefix}valnd"), getattr(theirs, f"{prefix}val")
    for count in range(1, len(shape) + 1):
        c, pts = RNG.uniform(-1, 1, shape), RNG.uniform(-1, 1, (count, 5))
        wanted = summed(pts[0], c)
        for x in pts[1:]:
            wanted = summed(x, wanted, tensor=False)
        for given in (xarr.asarray(pts), [xarr.asarray(x) for x in pts], tuple(pts.tolist())):
            assert_close(value(given, xarr.asarray(c)), wanted)
        assert_close(value(pts[:, 0], xarr.asarray(c)), wanted[..., 0])
        if hasattr(theirs, f"{prefix}valnd"):
            np.testing.assert_allclose(getattr(theirs, f"{prefix}valnd")(pts, c), wanted)
    with pytest.raises(ValueError, match=f"{prefix}valnd"):
        value([[1.0, 2.0], [1.0]], np.ones((2, 2)))
    with pytest.raises(ValueError, match="pts is empty"):
        value([], np.ones((2, 2)))


@pytest.mark.usefixtures("fused")
@EACH
def test_values_are_one_launch(basis: str) -> None:
    x = xarr.asarray(X)
    xarr.synchronize()
    value = getattr(getattr(ours, basis), BASES[basis][0] + "val")(x, [1.0, 2.0, 3.0, 4.0])
    before = builder.counts.launches
    xarr.to_numpy(value)
    assert builder.counts.launches - before == 1


def test_every_name_of_numpy_is_there() -> None:
    for basis in [*BASES, "polyutils"]:
        for name in getattr(np.polynomial, basis).__all__:
            assert hasattr(getattr(ours, basis), name), f"{basis}.{name}"
    for name in np.polynomial.__all__:
        assert hasattr(ours, name)
    with pytest.raises(AttributeError):
        _ = ours.chebyshev.other  # type: ignore[attr-defined]


SERIES = """
{s + t|s - t|s * t|s // t|s % t|divmod(s, t)[1]|s**2|-s|s / 2|2 * s + 1|1 - s|s + [1, 2]|b + s}
{s.deriv()|s.integ(2, [1, 2], 0.5)|s.truncate(2)|s.cutdeg(1)|s.trim(0.5)|s.copy()|s(t)}
s.convert(kind=np.polynomial.Chebyshev)
{K.basis(3)|K.identity()|K.fromroots(b, domain=None)|K.cast(s)}
{K.fit(p, q, 3)|K.fit(p, q, 3, domain=[])|K.fit(p, q, 3, domain=[-5, 5], w=p * p)}
{K.fit(p, q, 3, window=[0, 1])|K.fit(p, q, 2, full=True)[0]}
"""


def series(basis: str, np_: Any, **given: Any) -> dict[str, Any]:
    kind = getattr(np_.polynomial, BASES[basis][1])
    s, t = kind(given["a"], domain=[0, 2]), kind(given["b"], domain=[0, 2])
    return {**given, "np": np_, "K": kind, "s": s, "t": t}


@EACH
@each(SERIES)
def test_series(basis: str, call: str) -> None:
    on_device = {name: xarr.asarray(value) for name, value in GIVEN.items()}
    if call == "b + s":
        on_device["b"] = GIVEN["b"]
    mine = eval(call, series(basis, xarr, **on_device))
    wanted = eval(call, series(basis, np, **GIVEN))
    assert type(mine).__name__ == type(wanted).__name__
    np.testing.assert_allclose(xarr.to_numpy(mine.coef), wanted.coef, 1e-6, 1e-9, strict=True)
    np.testing.assert_allclose(mine.domain, wanted.domain)
    np.testing.assert_allclose(mine.window, wanted.window)


@EACH
def test_what_series_tell(basis: str) -> None:
    (p, q), (s, t) = (
        (names["s"], names["t"])
        for names in (series(basis, xarr, **GIVEN), series(basis, np, **GIVEN))
    )
    assert_close(p(xarr.asarray(X)), s(X))
    assert_close(p(0.5), s(0.5))
    assert_close(p.roots(), s.roots())
    for mine, wanted in zip(p.linspace(5), s.linspace(5), strict=True):
        assert_close(mine, wanted)
    assert p.degree() == len(p) - 1 == 3
    assert p.mapparms() == s.mapparms()
    assert p == type(p)(GIVEN["a"], domain=[0, 2])
    assert p != q
    assert pickle.loads(pickle.dumps(p)) == p
    for wrong in (lambda: p + type(p)(GIVEN["b"], domain=[0, 3]), lambda: p / q):
        with pytest.raises(TypeError):
            wrong()
    texts = [type(one)([1, -2.5, 3], domain=[0, 2], symbol="t") for one in (p, s)]
    for say in (str, repr, lambda one: f"{one:ascii}", lambda one: one._repr_latex_()):
        assert say(texts[0]) == say(texts[1])
    ours.set_default_printstyle("ascii")
    try:
        assert str(texts[0]) == f"{texts[1]:ascii}"
    finally:
        ours.set_default_printstyle("unicode")
    assert int(type(p).fit(X, GIVEN["q"], 2, full=True)[1][1]) == 3
    assert t.degree() == q.degree()


def test_coefficients_can_be_written() -> None:
    p = ours.Polynomial([1.0, 2.0, 3.0])
    p.coef[0] = 5
    assert float(p(0.0)) == 5
    assert (p + 1).coef.tolist() == [6, 2, 3]
    p.coef = [1, 2]
    assert float(p(xarr.asarray(1.0))) == 3


OLDER = """
np.poly(x)
np.roots(np.asarray([1.0, -6.0, 11.0, -6.0]))
np.{polyadd|polysub|polymul|polydiv}({[2.0, 10, -2], [3.0, 10, -4, 1]|a, b})
np.{polyadd|polysub}({np.asarray(3)|b[:1]|a > 1}, {a|np.concatenate([b] * 9000)})
np.{polyadd|polysub|polymul}(b, {5|[]|b[1:]|[0, 0.0, 2]|[0.0, 0.0]|x[:2]})
np.polymul({x, 0 * b|0 * b, x})
np.polymul(t, b) ! ValueError: dimensions
np.polyder({[1, 1, 1, 1]|a}, 2)
np.polyint({[1.0, 1.0, 1.0]|b}, 2, [6, 3])
np.polyval({[3, 0, 1], [5, 6]|[3.5, 0, 1j], 2.0|[], [5.0, 6.0]|a, t|a, np.asarray(t, "f4")})
np.vander({[1, 2, 3, 5]|[1.5, 2, 3], 2, True|[1.5, 2, 3], 0|a|b, 8|b, 9|b, 8, True|b, 9, True})
np.polynomial.polynomial.polyvalfromroots({x, b|x, t[0]|x[:4], t[..., 0], tensor=False})
np.polynomial.chebyshev.{chebpts1|chebpts2}(4)
np.polynomial.chebyshev.chebinterpolate(lambda x: np.tanh(x) + 0.5, 8)
np.polynomial.polyutils.mapdomain(x, (0, 2), [1, 3])
np.polynomial.polyutils.getdomain(x)
np.polyval([], {x|t})
np.polyfit(p, q, 3{|, w=abs(q)})
np.polyfit({p, np.stack([p, q], 1), 2|[1, 2, 3], [2, 4, 6], 1})
np.polyfit(p, q, 2, full=True)[:2]
int(np.polyfit(p, q, 2, full=True)[2])
np.polyfit(p, {q, 2, cov=True|q, 2, cov="unscaled"|np.stack([p, q], 1), 2, cov=True})[1]
np.polyfit(p, q, -1) ! ValueError: negative
np.polyfit([p], q, 1) ! TypeError: vector
np.polyfit([1, 2], [1, 2], 1, cov=True) ! ValueError: more points
"""


@each_line(OLDER)
def test_older_functions(call: str) -> None:
    check(call, near=1e-6, **GIVEN)


def test_a_fit_of_low_rank_warns() -> None:
    with pytest.warns(np.exceptions.RankWarning):
        xarr.polyfit([1.0, 1.0], [2.0, 3.0], 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.RankWarning)
        check("np.polyfit(p, q, 3, rcond=0.1)", near=1e-7, **GIVEN)
    assert ours.polyutils.mapparms((0, 2), xarr.asarray([1, 5])) == (1.0, 2.0)


POLY1D = """
{p + q|p - q|p * q|p**2|-p|p * 2|2 + p|1 - p|p / 2|p.deriv()|p.integ(1, 3)|p(q)|(p / q)[1]}
np.polyadd(p, [1])
np.poly1d([1.0, 2.0], True)
"""


@each(POLY1D)
def test_poly1d(call: str) -> None:
    mine, wanted = (
        eval(call, {"np": one, "p": one.poly1d([1, -2, 3]), "q": one.poly1d([2.0, 1.0])})
        for one in (xarr, np)
    )
    assert type(mine) is xarr.poly1d
    assert_close(mine.coeffs, wanted.coeffs)


def test_what_a_poly1d_tells() -> None:
    p, s = xarr.poly1d([1, -2, 3]), np.poly1d([1, -2, 3])
    assert_close(p(xarr.asarray(X)), s(X))
    assert_close(xarr.poly1d(xarr.asarray([2.0, 1.0])).r, np.poly1d([2.0, 1.0]).r)
    assert (str(p), repr(p)) == (str(s), repr(s))
    assert (p.order, p.o, len(p), p.variable) == (2, 2, 2, "x")
    assert (int(p[0]), int(p[2]), int(p[5])) == (3, 1, 0)
    p[0] = 7
    p.coeffs[1] = 4
    assert p.coeffs.tolist() == [1, 4, 7]
    assert int(p(1)) == 12
    assert p == xarr.poly1d([1, 4, 7])
    assert p != xarr.poly1d([2.0, 1.0])
