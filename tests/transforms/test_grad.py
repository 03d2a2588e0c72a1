"""Derivatives against JAX, against central differences in float64, and against each other."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy
import pytest
from jax.scipy import special

import xarr
from tests.functions.calls import lines, named, rows
from tests.transforms.programs import Programs
from xarr import dtypes, errors
from xarr.ir.events import counts
from xarr.ops import elementwise
from xarr.transforms.reverse import Gradient

Function = Callable[..., Any]

jax.config.update("jax_enable_x64", True)


def directional(function: Function, x: Any, along: Any, step: float = 1e-6) -> float:
    """Return the derivative along a direction by central differences."""
    return float((function(x + step * along) - function(x - step * along)) / (2 * step))


# -- each element ----------------------------------------------------------------------------------

WITHOUT: Final = {"nextafter", "spacing"}
"""The rows without a derivative, as in JAX."""
IN_JAX: Final[dict[str, Function]] = {
    "erf": special.erf,
    "erfc": special.erfc,
    "i0": special.i0,
    "lgamma": special.gammaln,
    "rsqrt": jax.lax.rsqrt,
    "tgamma": special.gamma,
}
POINTS: Final = {
    "acosh": (1.1, 4.0),
    "lgamma": (-1.9, 3.1),
    "tgamma": (-1.9, 3.1),
    "logaddexp": (-3.0, 3.0),
}


WEIGHTS: Final = (0.7, -1.1, 0.4, 1.3)


def _differentiable() -> list[Any]:
    """The rows of real numbers with real results that have a derivative."""
    return [
        row
        for row in elementwise.TABLE
        if dtypes.REAL in row.kinds and row.result != "bool" and row.name not in WITHOUT
    ]


def _operands(row: Any) -> tuple[Any, ...]:
    low, high = POINTS.get(row.name, (max(row.domain.low, -3), min(row.domain.high, 3)))
    generator = numpy.random.default_rng(1)
    return tuple(generator.uniform(low, high, 4) for _ in range(row.operands))


def _first_and_second(grad: Function, f: Function, operands: tuple[Any, ...]) -> list[Any]:
    places = tuple(range(len(operands)))
    first = grad(lambda *x: f(*x).sum(), places)
    second = grad(lambda *x: sum(part.sum() for part in first(*x)), places)
    return [*first(*operands), *second(*operands)]


@pytest.mark.parametrize("place", [0, 1])
def test_elementwise_function_against_differences(place: int) -> None:
    """Derivatives of all rows by an operand; those of rows that JAX lacks have no other test."""
    for row in _differentiable():
        if row.operands == 1 and place:
            continue
        given = [xarr.asarray(x) for x in _operands(row)]
        function = getattr(xarr, row.name)

        def of(x: Any, given: Any = given, function: Any = function) -> Any:
            return function(*given[:place], x, *given[place + 1 :]).sum()

        x, along = given[place], xarr.asarray([1.0, -0.5, 0.25, 2.0])
        for derived in (of, lambda x, of=of: (xarr.grad(of)(x) * xarr.asarray(WEIGHTS)).sum()):
            found = float((xarr.grad(derived)(x) * along).sum())
            expected = directional(derived, x, along)
            assert found == pytest.approx(expected, rel=1e-4, abs=1e-4), row.name


def test_each_elementwise_function_twice() -> None:
    """First and second derivatives of all rows are JAX's."""
    table = [row for row in _differentiable() if row.name in IN_JAX or hasattr(jnp, row.name)]
    functions = [IN_JAX.get(row.name) or getattr(jnp, row.name) for row in table]
    operands = [_operands(row) for row in table]

    @jax.jit
    def all_of_jax(given: Any) -> Any:
        return [_first_and_second(jax.grad, f, x) for f, x in zip(functions, given, strict=True)]

    for row, given, expected in zip(table, operands, all_of_jax(operands), strict=True):
        arrays = tuple(xarr.asarray(x) for x in given)
        found = _first_and_second(xarr.grad, getattr(xarr, row.name), arrays)
        for mine, other in zip(found, expected, strict=True):
            numpy.testing.assert_allclose(
                numpy.asarray(mine), other, rtol=1e-9, atol=1e-12, err_msg=row.name
            )


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_a_row_without_a_derivative_is_refused(name: str) -> None:
    function = getattr(xarr, name)
    operands = [xarr.ones(2)] * elementwise.BY_NAME[name].operands
    with pytest.raises(NotImplementedError, match=f"{name}: it has no derivative"):
        xarr.grad(lambda x: function(x, *operands[1:]).sum())(xarr.ones(2))


# -- kinks and ends --------------------------------------------------------------------------------

NAN: Final = float("nan")
KINKS: Final[dict[str, tuple[Function, list[float]]]] = {
    "abs": (lambda np, x: np.abs(x).sum(), [0, 1, -2]),
    "maximum": (lambda np, x: np.maximum(x, 1.0).sum(), [1, 2, 0]),
    "minimum": (lambda np, x: np.minimum(x, x[::-1]).sum(), [1, 2, 1]),
    "max": (lambda np, x: np.max(x), [1, 2, 2]),
    "min": (lambda np, x: np.min(x), [1, 1, 2]),
    "sqrt": (lambda np, x: np.sqrt(x).sum(), [0, 1]),
    "norm": (lambda np, x: np.linalg.norm(x), [0, 0]),
    "clip": (lambda np, x: np.clip(x, 0, 1).sum(), [0, 1, 0.5, 2, -1]),
    "power": (lambda np, x: (x**2.0 + x**1.0 + x**3).sum(), [0, 1]),
    "exponent": (lambda np, x: (np.asarray([0.0, 2.0]) ** x).sum(), [0, 2]),
    "sign": (lambda np, x: np.sign(x).sum(), [0, 2]),
    "hypot": (lambda np, x: np.hypot(x, x).sum(), [0, 2]),
    "log": (lambda np, x: np.log(x).sum(), [0, 2]),
    "prod": (lambda np, x: np.prod(x), [0, 2, 3]),
    "prod of two zeros": (lambda np, x: np.prod(x), [0, 0, 3]),
    "cumprod": (lambda np, x: (np.cumprod(x) ** 2).sum() + np.cumprod(x)[1], [2, 0, 3, 0, 4]),
    "std": (lambda np, x: np.std(x), [1, 1]),
    "var": (lambda np, x: np.var(x), [1, 1]),
    "sinc": (lambda np, x: np.sinc(x).sum(), [0, 0.3]),
    "copysign": (lambda np, x: np.copysign(x, np.asarray([-1.0, 1, -1])).sum(), [0, 0.3, -2]),
    "fmax": (lambda np, x: np.fmax(x, np.asarray([NAN, 1, 3])).sum(), [0, 1, 2]),
    "nanmax": (lambda np, x: np.nanmax(x), [0, 3, NAN, 3]),
    "nanmean": (lambda np, x: np.nanmean(x * x), [0, 3, NAN, 3]),
    "nanstd": (lambda np, x: np.nanstd(x), [0, 3, NAN, 3]),
    "median": (lambda np, x: np.median(x), [0, 3, 5, 1]),
    "sort": (lambda np, x: (np.sort(x) * np.asarray([1.0, 2, 3])).sum(), [1, 1, 0]),
    "where": (lambda np, x: np.where(x > 0, x**1.5, 0.0).sum(), [0.5, 0, 1]),
    "logaddexp": (lambda np, x: np.logaddexp(x, -np.inf).sum(), [1, 2]),
    "interp": (
        lambda np, x: np.interp(x, np.asarray([0.0, 1, 2]), np.asarray([0.0, 3, 4])).sum(),
        [0.5, 1.5, -1, 3],
    ),
    "angle": (lambda np, x: np.angle(x * (1 + 2j) + 1).sum(), [0.5, 5, 3]),
}


def test_kinks_and_ends_are_those_of_jax() -> None:
    points = {name: numpy.asarray(x, float) for name, (_, x) in KINKS.items()}

    @jax.jit
    def all_of_jax(points: Any) -> Any:
        return {n: jax.grad(lambda x, f=f: f(jnp, x))(points[n]) for n, (f, _) in KINKS.items()}

    expected = all_of_jax(points)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for name, (function, _) in KINKS.items():
            found = xarr.grad(lambda x, f=function: f(xarr, x))(xarr.asarray(points[name]))
            numpy.testing.assert_allclose(numpy.asarray(found), expected[name], err_msg=name)


# -- functions of whole arrays ---------------------------------------------------------------------

_WEIGHTS: Final = numpy.random.default_rng(7).normal(size=(2, 200))


def weighed(np: Any, y: Any) -> Any:
    """A real number of which each part of each element matters."""
    real, imag = (np.asarray(w[: y.size].reshape(y.shape)) for w in _WEIGHTS)
    return (real * y.real + imag * y.imag).sum()


def outer(np: Any, x: Any) -> Any:
    return np.sin(x)[:, None] * x[None, :4] + np.eye(len(x), 4) * np.asarray([3.0, 4, 5, 6])


# `o` is the outer matrix of x, `w` weighs elements, `t` makes two Hermitian matrices, of which
# functions read one triangle each.
FUNCTIONS: Final = rows("""
(np.sum(o, axis=-2, keepdims=True) ** 2).sum()
np.mean(o, axis=(0, 1)) ** 2
(np.var(o, axis=0, ddof=1) ** 2).sum()
np.{std(o, axis=1)|ptp(o, axis=0)}.sum()
np.prod(o[:2] + 1, axis=(0, 1))
np.max(o, axis=0).sum() - np.min(o**2, axis=1)[0]
w(np.{cumsum(o, axis=0)|cumulative_sum(x, include_initial=True)|cumprod(o, axis=1)})
w(np.{maximum|logaddexp}.accumulate(x))
w(np.{add|multiply|maximum|logaddexp}.reduceat(o, [0, 1, 3], axis={0|1}))
w(changed(np.{add|subtract|multiply|divide|minimum|logaddexp}))
w(changed(np.{add|subtract}, 60))
np.logaddexp.reduce(x)
np.quantile(x, 0.3) * np.percentile(x, 60)
np.average(x, weights=x**2)
w(np.{cov|corrcoef}(o.T))
np.linalg.norm(x, {1) * np.linalg.norm(x, np.inf|3})
np.linalg.norm(o, {"fro"|"nuc"})
w({o.T @ o @ x[:4]|(x[:3, None, None] * o) @ x[:4, None]})
x @ x + np.vdot(x, x[::-1]) * np.inner(x, x) + np.dot(x, x**2)
w(np.tensordot(o, x, axes=((0,), (0,))))
np.einsum("i,j,ij->", x, x[:4], o)
w(np.{kron(x[:2], o)|cross(x[:3], x[2:5])|vecdot(o, x[:4])|convolve(x, x[:2], "same")})
w(np.{diff(x, 2)|gradient(x)})
np.trapezoid(x, x**2)
w(np.interp(np.asarray([0.1, 1.5, 9.0]), np.cumsum(x), x))
np.polyval({x, 0.7)|np.asarray([1.0, 2.0]), x).sum()}
w(np.pad(x, 2, mode="{constant|edge|reflect|wrap|linear_ramp|mean}"))
w(np.{tile(x, (2, 2))|repeat(x, 2)|concatenate([x, x[::2] ** 2])|stack([x, x**2], axis=1)})
w(np.{block([[x], [x * 2]])|roll(o, (1, -2), (0, 1))|rot90(o) * np.flip(o.T)})
w(np.tril(o)) + np.trace(o)
w(np.{diag(x)|diagonal(o)|broadcast_to(x, (3, 6)) * x})
w(np.lib.stride_tricks.sliding_window_view({x, 3|o, 3, axis=1}) ** 2)
sum(v * v for v in x[1:]) * next(iter(x))
w(np.take(o, np.asarray([2, 0, 2]), axis=0))
w(np.take_along_axis(o, np.asarray([[1], [1]] * 3), axis=1))
w(o[np.asarray([0, 0, 3])[:, None], np.asarray([1, 1])])
w(o[o > 0.2] ** 2)
w(np.where(o > 0.2, x[:, None], x[:4] ** 2))
w(np.select([x > 1, x > 0.5], [x * 2, x * 3], x))
w({np.clip(x, 0.3, x[::-1])|np.sort(o, axis=0)|x[np.argsort(x)]})
np.partition(x, 2)[2] * np.median(x)
w(np.bincount(np.asarray([0, 2, 2, 1, 0, 2]), x))
w(np.remainder(x, 0.37) * np.divmod(x, 0.4)[1])
w(np.linspace(x[0], x[1], 5))
w({x.astype("complex128") ** 2|(x * x).view("complex128") ** 3})
w(np.exp(1j * x).real * (x + 2j * x).imag)
w(np.conj(x * 1j) * (2 + x * 1j)).real
w(np.linalg.{inv(o[:4])|solve(o[:4], x[:4])|solve(o[:4], o[1:5])|matrix_power(o[:4], -2)})
np.linalg.{det(o[:4])|slogdet(o[:4])[1]}
w(np.linalg.cholesky({t(), upper=False|t(), upper=True|o.T @ o}))
w(np.abs(np.linalg.eigh(t())[{0|1}]))
w(np.linalg.eigvalsh(t(), "{L|U}"))
w(np.sort(np.abs(np.linalg.eigvals(o[:4]))))
w(np.abs(np.linalg.svd({o|o.T}, full_matrices=False)[{0|1|2}]))
w(np.linalg.svd(o, compute_uv=False))
w(np.abs(np.linalg.qr(o)[{0|1}]))
w(np.linalg.{pinv(o)|lstsq(o, x)[0]})
w(np.linalg.inv(o[:4] * (1 + 1j) + 1j))
w(np.abs(np.linalg.svd(o + 1j * x[::-1, None], full_matrices=False)[0]))
w(np.fft.{fft|ifft|irfft|hfft}(o * (1 + 0.5j){|, n=3, norm="ortho"|, n=7, axis=0, norm="forward"}))
w(np.fft.rfft(o{|, n=3, norm="ortho"|, n=7, axis=0, norm="forward"}))
w(np.fft.{ihfft(x)|rfftn(o, s=(4, 5), axes=(0, 1))|irfftn(o * (1 + 2j))|fft2(o)})
""")


def value_of(call: str, np: Any, x: Any) -> Any:
    """The real number that a line of the table is, of either library's array."""
    o = outer(np, x)

    def changed(function: Any, size: int = 3) -> Any:
        y = np.full(size, 1.5)
        function.at(y, np.asarray([0, 2, 2, 0, 2, 1]), x)
        return y

    names = {"np": np, "x": x, "o": o, "w": partial(weighed, np), "changed": changed}
    return eval(call, names | {"t": lambda: o[:4] * (1 + 0.5j) + 2 * np.eye(4)}).real


@pytest.mark.parametrize("call", FUNCTIONS)
def test_function_against_differences(call: str) -> None:
    """The gradient, rows of a Jacobian and tangents are those of NumPy's function."""
    generator = numpy.random.default_rng(3)
    x, along = generator.uniform(0.2, 1.2, 6), generator.normal(size=6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = directional(partial(value_of, call, numpy), x, along)
        of = partial(value_of, call, xarr)
        gradient = numpy.asarray(xarr.grad(of)(xarr.asarray(x)))
        twice = xarr.jacobian(lambda x: xarr.stack([of(x), of(2 * x - x)]))(xarr.asarray(x))
        tangent = xarr.jvp(of, (xarr.asarray(x),), (xarr.asarray(along),))[1]
    found = float((gradient * along).sum())
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-7)
    assert float(tangent) == pytest.approx(found, rel=1e-9, abs=1e-11)
    numpy.testing.assert_allclose(numpy.asarray(twice), [gradient] * 2, rtol=1e-9, atol=1e-11)


# -- programs with writes --------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(0, 120, 30))
def test_random_programs(first: int) -> None:
    """Gradients are those of NumPy's program, and forward mode agrees to rounding."""
    for seed in range(first, first + 30):
        space: dict[str, Any] = {}
        text = Programs(seed).text()
        exec(text, space)
        program = space["f"]
        generator = numpy.random.default_rng(seed)
        given = generator.uniform(0.1, 1, 36)
        along = generator.normal(size=36)

        def of(np: Any, x: Any, program: Function = program) -> Any:
            return program(np, x[:6].copy(), x[6:].reshape(6, 5).copy())

        expected = directional(lambda x: of(numpy, x), given, along)
        gradient = numpy.asarray(xarr.grad(lambda x: of(xarr, x))(xarr.asarray(given)))
        found = float((gradient * along).sum())
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-7), f"{seed}\n{text}"
        if seed % 10 == 0:
            forward = xarr.jvp(
                lambda x: of(xarr, x), (xarr.asarray(given),), (xarr.asarray(along),)
            )[1]
            assert float(forward) == pytest.approx(found, rel=1e-10, abs=1e-12), text
            again = xarr.checkpoint(lambda x: of(xarr, x), segments=seed % 7 + 1)
            parts = numpy.asarray(xarr.grad(again)(xarr.asarray(given)))
            numpy.testing.assert_allclose(parts, gradient, rtol=1e-10, atol=1e-12, err_msg=text)


def test_writes_to_arguments_stay() -> None:
    """An argument that a function writes to is written to, and the derivative is by what it was."""

    def function(x: Any) -> Any:
        x[1:] *= x[:-1]
        return (x * x).sum()

    x = xarr.asarray([1.0, 2.0, 3.0]) + 0
    value, gradient = xarr.value_and_grad(function)(x)
    assert x.tolist() == [1.0, 2.0, 6.0]
    assert float(value) == 41
    assert gradient.tolist() == [10.0, 40.0, 24.0]


def test_equal_places_give_the_gradient_to_the_last() -> None:
    def function(v: Any) -> Any:
        u = xarr.zeros(3)
        u[xarr.asarray([0, 0, 1])] = v * v
        return (u * xarr.asarray([1.0, 10.0, 100.0])).sum()

    assert xarr.grad(function)(xarr.asarray([1.0, 2.0, 3.0])).tolist() == [0.0, 4.0, 60.0]


def test_other_names_of_an_argument_are_constants() -> None:
    x = xarr.asarray([1.0, 2.0])
    assert xarr.grad(lambda y: (y * x).sum())(x).tolist() == [1.0, 2.0]
    assert xarr.grad(lambda y, z: (y * z).sum())(x, x).tolist() == [1.0, 2.0]


def test_what_is_held() -> None:
    """Check that only values which a rule wants are held; heat wants none."""

    def held(step: Function) -> int:
        found: list[Gradient] = []
        u = xarr.zeros((8, 8)) + 1.0

        def function(u: Any) -> Any:
            found.extend(r for r in _active() if isinstance(r, Gradient))
            for _ in range(10):
                step(u)
            return u.sum()

        xarr.grad(function)(u)
        return sum(len(s.saved) for s in found[0].steps if hasattr(s, "saved"))

    def heat(u: Any) -> None:
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] - 2 * u[1:-1, 1:-1] + u[:-2, 1:-1])

    def reaction(u: Any) -> None:
        u += 0.1 * u * (1 - u)

    assert held(heat) <= 1 * 10 * 2  # the constants of products, which are numbers
    assert held(reaction) > 10


def test_windows_are_one_launch() -> None:
    """A step back of a stencil that is written in place is one kernel, as is a step forward."""

    def heat(u: Any) -> Any:
        u = u.copy()
        for _ in range(8):
            around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
            u[1:-1, 1:-1] += 0.2 * (around - 4 * u[1:-1, 1:-1])
        return (u * u).sum()

    u = xarr.asarray(numpy.random.default_rng(0).random((200, 300)))
    launches = []
    for call in xarr.jit(heat), xarr.jit(xarr.value_and_grad(heat)):
        for _ in range(3):
            before = counts.launches
            call(u)
        launches.append(counts.launches - before)
    assert launches[1] - launches[0] in range(8, 11)


def _active() -> tuple[Any, ...]:
    from xarr.tape import recorders

    return recorders.active()


# -- trees, nesting, forward mode ------------------------------------------------------------------


def test_trees_and_argnums() -> None:
    x, y = xarr.asarray([1.0, 2.0]), xarr.asarray([3.0, 4.0])

    def function(params: Any, other: Any, scale: float = 1.0) -> Any:
        return (params["w"] * other[0] * params["b"][0]).sum() * scale, "aux"

    params = {"w": x, "b": (2.0, None)}
    (value, aux), gradient = xarr.value_and_grad(function, has_aux=True)(params, [y], scale=2.0)
    assert (float(value), aux) == (44.0, "aux")
    assert gradient["w"].tolist() == [12.0, 16.0]
    assert float(gradient["b"][0]) == 22.0
    assert gradient["b"][1] is None
    both, aux = xarr.grad(function, (0, -1), has_aux=True)(params, [y])
    assert both[1][0].tolist() == [2.0, 4.0]


def test_nested_and_forward() -> None:
    x, v = numpy.asarray([0.3, 0.7, 1.1]), numpy.asarray([1.0, -2.0, 0.5])

    def function(np: Any) -> Function:
        return lambda x: (np.sin(x) * x[::-1] ** 2).sum() + np.exp(x[0] * x[1])

    mine, theirs = function(xarr), function(jnp)
    a, b = xarr.asarray(x), xarr.asarray(v)
    close = numpy.testing.assert_allclose
    hessian = numpy.asarray(jax.hessian(theirs)(x))
    close(numpy.asarray(xarr.hessian(mine)(a)), hessian, rtol=1e-12)
    close(numpy.asarray(xarr.hvp(mine, (a,), (b,))), hessian @ v, rtol=1e-12)
    forward = xarr.jvp(xarr.grad(mine), (a,), (b,))[1]
    close(numpy.asarray(forward), hessian @ v, rtol=1e-12)
    reverse = xarr.grad(lambda x: xarr.jvp(mine, (x,), (b,))[1])(a)
    close(numpy.asarray(reverse), hessian @ v, rtol=1e-12)
    third = xarr.grad(lambda x: xarr.hvp(mine, (x,), (b,)).sum())(a)
    expected = jax.grad(lambda x: (jax.hessian(theirs)(x) @ v).sum())(x)
    close(numpy.asarray(third), expected, rtol=1e-12)


def test_jacobians() -> None:
    x = numpy.asarray([0.3, 0.7, 1.1])
    for function in (
        lambda np: lambda x: np.sin(x)[:, None] * x,
        lambda np: lambda x: np.stack([x.sum(), np.prod(x)]),
        lambda np: lambda x: {"a": x * x, "b": x.sum()},
    ):
        mine, theirs = xarr.jacobian(function(xarr))(x), jax.jacobian(function(jnp))(x)
        for one, other in zip(jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True):
            numpy.testing.assert_allclose(numpy.asarray(one), other, rtol=1e-12)


def test_complex_numbers_are_as_in_jax() -> None:
    z = numpy.asarray([0.5 + 1.5j, -0.7 + 0.2j])

    def function(np: Any) -> Function:
        return lambda z: (np.abs(z) ** 3 * np.real(np.exp(z) / z) + np.imag(np.conj(z) ** 2)).sum()

    mine, theirs = xarr.grad(function(xarr))(xarr.asarray(z)), jax.grad(function(jnp))(z)
    numpy.testing.assert_allclose(numpy.asarray(mine), theirs, rtol=1e-12)
    mine = xarr.grad(lambda z: (z**3).sum(), holomorphic=True)(xarr.asarray(z))
    numpy.testing.assert_allclose(numpy.asarray(mine), 3 * z**2, rtol=1e-12)
    _, pull = xarr.vjp(xarr.tan, xarr.asarray(z))
    _, expected = jax.vjp(jnp.tan, z)
    numpy.testing.assert_allclose(numpy.asarray(pull(z)[0]), expected(z)[0], rtol=1e-12)
    _, tangent = xarr.jvp(xarr.tan, (xarr.asarray(z),), (xarr.asarray(z),))
    numpy.testing.assert_allclose(
        numpy.asarray(tangent), jax.jvp(jnp.tan, (z,), (z,))[1], rtol=1e-12
    )


def test_a_written_value_is_noticed() -> None:
    w = xarr.asarray([1.0, 2.0]) + 0
    _, pull = xarr.vjp(lambda x: x * w, xarr.asarray([3.0, 4.0]))
    w[0] = 5.0
    with pytest.raises(RuntimeError, match="was written to after the call"):
        pull(xarr.ones(2))


# -- functions with derivatives of their own -------------------------------------------------------


def test_custom_vjp() -> None:
    @xarr.custom_vjp
    def same(x: Any) -> Any:
        return x

    same.defvjp(lambda x: (same(x), x), lambda x, g: (g * x,))
    x = xarr.asarray([2.0, 3.0])
    assert xarr.grad(lambda x: (same(x) * 5 + x).sum())(x).tolist() == [11.0, 16.0]
    assert xarr.hessian(lambda x: same(x).sum())(x).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    same.defvjp(lambda x: (same(x), x), lambda x, g: (g.__imul__(x),))
    assert xarr.grad(lambda x: ((same(x) + x) ** 2).sum())(x).tolist() == [24.0, 48.0]
    with pytest.raises(TypeError, match="a tuple of 1"):
        same.defvjp(lambda x: (x, x), lambda x, g: g)
        xarr.grad(lambda x: same(x).sum())(x)


def test_the_first_function_of_a_derivative_returns_a_pair() -> None:
    double = xarr.custom_vjp(lambda x: x * 2)
    double.defvjp(lambda x: x * 2, lambda _, g: (g * 2,))  # two elements are no pair
    with pytest.raises(TypeError, match="a pair must be returned"):
        xarr.grad(lambda x: double(x).sum())(xarr.ones(2))


def test_tangents_have_the_shapes_of_the_arguments() -> None:
    with pytest.raises(ValueError, match=r"jvp\(fun, primals.*has shape \(2, 2\)"):
        xarr.jvp(lambda x: x * 2, (xarr.ones(2),), (xarr.ones((2, 2)),))


def test_custom_jvp() -> None:
    @xarr.custom_jvp
    def function(x: Any, y: Any) -> Any:
        return x**3 * y

    function.defjvps(lambda t, r, x, y: 3 * x * x * y * t, lambda t, r, x, y: x**3 * t)
    x, y = xarr.asarray([2.0, 3.0]), xarr.asarray([5.0, 7.0])
    first, second = xarr.grad(lambda x, y: function(x, y).sum(), (0, 1))(x, y)
    assert first.tolist() == [60.0, 189.0]
    assert second.tolist() == [8.0, 27.0]
    assert xarr.jvp(function, (x, y), (x, y))[1].tolist() == [160.0, 756.0]


def test_checkpoint() -> None:
    """The gradient is the same, of draws and captured arrays too, and less is held."""
    given = xarr.asarray([0.3, 0.5, 0.7, 0.9])

    def loss(around: Function, held: list[int]) -> Function:
        def whole(x: Any) -> Any:
            generator = xarr.random.default_rng(5)
            captured = xarr.cos(x)

            def step(u: Any) -> Any:
                u = u.copy()
                u[1:] += xarr.sin(u[:-1]) * captured[1:] * generator.normal(size=3)
                return xarr.tanh(u * u)

            for _ in range(4):
                x = around(step)(x)
            held.append(sum(len(s.saved) for s in _active()[0].steps if hasattr(s, "saved")))
            return x.sum()

        return whole

    plain: list[int] = []
    less: list[int] = []
    expected = xarr.grad(loss(lambda f: f, plain))(given)
    found = xarr.grad(loss(xarr.checkpoint, less))(given)
    numpy.testing.assert_allclose(numpy.asarray(found), numpy.asarray(expected), rtol=1e-14)
    assert less[0] < plain[0] / 4
    with pytest.raises(TypeError, match="it writes to an array"):
        xarr.grad(lambda x: xarr.checkpoint(lambda u: u.__imul__(2))(x).sum())(given)


def test_segments_of_a_checkpoint() -> None:
    """Taken by parts the gradient is the same to rounding, and little is held at each step."""
    used: list[int] = []
    known = numpy.random.default_rng(2).random(4096)

    def halved(_: Any, g: Any) -> Any:
        xarr.synchronize(g)
        used.append(g.device.memory_info()["used_nbytes"])
        return (g / 2,)

    @xarr.custom_vjp
    def seen(x: Any) -> Any:
        return x * 1

    seen.defvjp(lambda x: (seen(x), None), halved)

    def loop(u: Any, around: Function) -> Any:
        captured, (generator, uploaded) = xarr.cos(u), (xarr.random.default_rng(5), known)

        def steps(u: Any) -> Any:
            u, factors = u.copy(), xarr.asarray(uploaded)
            for _ in range(60):
                u[1:] += xarr.sin(u[:-1]) * captured[1:] * generator.random(4095)
                u = seen(u) * factors
                factors *= 1 + u / 100
            return u, captured * 2

        parts = around(steps)(u)
        return parts[0].sum() + (parts[1] * u).sum()

    found = []
    for around in (lambda f: f), *[partial(xarr.checkpoint, segments=n) for n in (1, 10)]:
        before = xarr.default_device().memory_info()["used_nbytes"]
        gradient = xarr.grad(loop)(xarr.asarray(known), around)
        found.append((numpy.asarray(gradient), max(used) - before))
        used.clear()
    (expected, plain), (once, _), (parts, less) = found
    numpy.testing.assert_allclose(once, expected, rtol=1e-12)
    numpy.testing.assert_allclose(parts, expected, rtol=1e-12)
    assert plain > 3 * less > 0, (plain, less)


mixed = xarr.ElementwiseKernel(
    "T x, T y", "T z", "z = x * x * y", derivative=lambda x, y: (2 * x * y, x * x)
)
growing = xarr.ElementwiseKernel("T x", "T y", "y = exp(x)", derivative=lambda x, y: y)
rotated = xarr.ElementwiseKernel(
    "T x", "T a, T b", "a = cos(x); b = sin(x)", derivative=lambda x: (-xarr.sin(x), xarr.cos(x))
)
length = xarr.ReductionKernel(
    "T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "length", derivative=lambda x, y: x / y
)
KERNELS: Final = """
mixed(x, x[:, :1]) = x * x * x[:, :1]
mixed(mixed(2.0, x), 3) = 48 * x * x
growing(x) = xarr.exp(x)
growing(x, xarr.empty(x.shape)) = xarr.exp(x)
rotated(x)[1] * rotated(x)[0] = xarr.sin(2 * x) / 2
xarr.vmap(lambda x: mixed(x, x[0]))(x) = x * x * x[:, :1]
length(x, axis=1) = xarr.linalg.norm(x, axis=1)
length(x) = xarr.linalg.norm(x)
length(x, axis=0, keepdims=True) = xarr.linalg.norm(x, axis=0, keepdims=True)
length(x, axis=()) = xarr.abs(x)
"""


@pytest.mark.parametrize("line", lines(KERNELS))
def test_own_kernels_with_a_derivative(line: str) -> None:
    """Gradients, Hessians, tangents and replays are those of xarr's functions."""
    x = xarr.asarray(numpy.random.default_rng(4).uniform(0.2, 1.2, (3, 4)))
    found = []
    for call in line.split(" = "):
        function = eval(f"lambda x: {call}", globals())

        def loss(x: Any, function: Function = function) -> Any:
            return (function(x) ** 3).sum()

        jitted = xarr.jit(xarr.grad(loss))
        again = xarr.grad(xarr.checkpoint(loss, segments=2))
        derived = xarr.grad(loss)(x), xarr.hvp(loss, (x,), (x,)), jitted(x), jitted(x), again(x)
        found.append([*derived, xarr.jvp(function, (x,), (x,))[1]])
    for one, other in zip(*found, strict=True):
        numpy.testing.assert_allclose(numpy.asarray(one), numpy.asarray(other), rtol=1e-12)


# -- what is refused -------------------------------------------------------------------------------

REFUSED: Final = r"""
x.sum() of [1, 2] ! TypeError: an argument has dtype int64
x of [1.0, 2.0] ! TypeError: f returned shape \(2,\)
[x.sum()] of [1.0] ! TypeError: a tree of the form \[\*\]
x.sum() * 1j of [1.0] ! TypeError: f returned dtype complex128
x.view("float32").sum() of [1.0] ! TypeError: reads the bits of float64
K("T x", "T y", "y = x", "own")(x) of [1.0] ! NotImplementedError: own: {none}.* {pass}
R("T x", "T y", "x", "a", "y = a", 0, "r")(x) of [1.0] ! NotImplementedError: r: {none}.* {pass}
xarr.vmap(length)(x[None]).sum() of [1.0] ! NotImplementedError: length: {none}.* take vmap
K("T x", "T y", "y = x", derivative=lambda x: (1, 1))(x)[0] of [1.0] ! TypeError: returned 2 values
K("raw T x", "T y", "y = x[i]", derivative=xarr.ones_like) of [1.0] ! ValueError: is given; .* {own}
xarr.linalg.svd(x * xarr.ones((3, 2)))[0].sum() of [1.0] ! NotImplementedError: {full}
"""
SAID: Final = {
    "none": "it has no derivative", "pass": "pass derivative= to the kernel",
    "own": "xarr.custom_vjp", "full": "pass full_matrices=False",
}  # fmt: skip


@pytest.mark.parametrize("line", lines(REFUSED))
def test_refusals(line: str) -> None:
    call, _, error = line.partition(" ! ")
    expression, _, given = call.rpartition(" of ")
    kind, _, text = error.partition(": ")
    names = globals() | {"K": xarr.ElementwiseKernel, "R": xarr.ReductionKernel}
    with pytest.raises(named(kind), match=text.format(**SAID)):
        xarr.grad(eval(f"lambda x: {expression}", names))(xarr.asarray(eval(given)))


def test_a_value_that_is_read_is_a_constant() -> None:
    def function(x: Any) -> Any:
        return x[0] * float(x.sum()) * float(x[1])

    with pytest.warns(errors.DerivativeWarning, match="counts as a constant") as told:
        gradient = xarr.grad(function)(xarr.asarray([1.0, 2.0]))
    assert gradient.tolist() == [6.0, 0.0]
    assert len(told) == 1
    assert told[0].filename == __file__
