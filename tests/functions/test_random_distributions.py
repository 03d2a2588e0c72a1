"""The distributions of random numbers, against SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

import xarr
from tests.comparing import nightly
from tests.functions.calls import all_refused, rows

Values = np.ndarray[Any, Any]
Case = tuple[str, tuple[Any, ...], Any]
ALIKE = 1e-4
"""Below this probability numbers are not taken for those of a distribution. Seeds are fixed, so a
test that passes once passes always."""

CONTINUOUS: list[Case] = [
    ("beta", (0.5, 2), stats.beta(0.5, 2)), ("beta", (3, 2), stats.beta(3, 2)),
    ("chisquare", (3,), stats.chi2(3)), ("f", (5, 8), stats.f(5, 8)),
    ("gamma", (0.3, 2), stats.gamma(0.3, scale=2)), ("gumbel", (1, 2), stats.gumbel_r(1, 2)),
    ("laplace", (1, 2), stats.laplace(1, 2)), ("logistic", (1, 2), stats.logistic(1, 2)),
    ("lognormal", (0.5, 0.7), stats.lognorm(0.7, scale=np.exp(0.5))),
    ("noncentral_chisquare", (3, 2), stats.ncx2(3, 2)),
    ("noncentral_chisquare", (0.5, 2), stats.ncx2(0.5, 2)),
    ("noncentral_f", (5, 8, 2), stats.ncf(5, 8, 2)), ("pareto", (3,), stats.lomax(3)),
    ("power", (3,), stats.powerlaw(3)), ("rayleigh", (2,), stats.rayleigh(scale=2)),
    ("standard_cauchy", (), stats.cauchy()), ("standard_gamma", (2.5,), stats.gamma(2.5)),
    ("standard_t", (4,), stats.t(4)), ("triangular", (1, 2, 5), stats.triang(0.25, 1, 4)),
    ("vonmises", (0.5, 2), stats.vonmises(2, 0.5)), ("vonmises", (0, 20), stats.vonmises(20)),
    ("wald", (2, 3), stats.invgauss(2 / 3, scale=3)), ("weibull", (1.7,), stats.weibull_min(1.7)),
]  # fmt: skip
DISCRETE: list[Case] = [
    ("binomial", (10, 0.3), stats.binom(10, 0.3)), ("binomial", (60, 0.3), stats.binom(60, 0.3)),
    ("binomial", (1000, 0.9), stats.binom(1000, 0.9)), ("geometric", (0.3,), stats.geom(0.3)),
    ("hypergeometric", (3, 2, 1), stats.hypergeom(5, 3, 1)),
    ("hypergeometric", (5, 10, 12), stats.hypergeom(15, 5, 12)),
    ("hypergeometric", (100, 200, 80), stats.hypergeom(300, 100, 80)),
    ("logseries", (0.9,), stats.logser(0.9)),
    ("negative_binomial", (0.5, 0.1), stats.nbinom(0.5, 0.1)),
    ("negative_binomial", (20, 0.4), stats.nbinom(20, 0.4)), ("poisson", (3,), stats.poisson(3)),
    ("poisson", (10,), stats.poisson(10)), ("poisson", (1e6,), stats.poisson(1e6)),
    ("zipf", (2.5,), stats.zipf(2.5)),
]  # fmt: skip


def name_of(case: Case) -> str:
    return f"{case[0]}{case[1]}"


def drawn(case: Case, size: int, seed: int = 11) -> Values:
    return np.asarray(getattr(xarr.random.default_rng(seed), case[0])(*case[1], size=size))


def along(case: Case, values: Values) -> Values:
    """Angles where SciPy's distribution has them: around the mode."""
    if case[0] != "vonmises":
        return values
    turned: Values = (values - case[1][0] + np.pi) % (2 * np.pi) - np.pi + case[1][0]
    return turned


def counted(values: Values, distribution: Any) -> float:
    """The probability of counts in some sixty ranges of integers."""
    ends = np.unique(np.quantile(values, np.linspace(0, 1, 60), method="nearest"))[:-1]
    shares = np.diff(np.concatenate([[0], distribution.cdf(ends), [1]]))
    counts = np.histogram(values, np.concatenate([[-1], ends, [2.0**63]]) + 0.5)[0]
    expected = shares * values.size
    many = expected > 5
    counts = np.append(counts[many], counts[~many].sum())
    expected = np.append(expected[many], expected[~many].sum())
    if expected[-1] < 1e-9 * values.size:
        assert counts[-1] == 0
        counts, expected = counts[:-1], expected[:-1]
    return float(stats.chisquare(counts, expected * counts.sum() / expected.sum()).pvalue)


@pytest.mark.parametrize("case", CONTINUOUS, ids=name_of)
def test_real_numbers(case: Case) -> None:
    values = drawn(case, 100_000)
    assert values.dtype == "float64"
    assert stats.kstest(along(case, values), case[2].cdf).pvalue > ALIKE


@pytest.mark.parametrize("case", DISCRETE, ids=name_of)
def test_integers(case: Case) -> None:
    values = drawn(case, 100_000)
    assert values.dtype == "int64"
    assert counted(values, case[2]) > ALIKE
    mean, deviation = case[2].mean(), case[2].std()
    if np.isfinite(deviation):
        assert abs(values.mean() - mean) < 5 * deviation / np.sqrt(values.size)


MANY = [CONTINUOUS[4], DISCRETE[10]]
MANY += nightly(*(case for case in (*CONTINUOUS, *DISCRETE) if case not in MANY))


@pytest.mark.slow
@pytest.mark.parametrize("case", MANY, ids=name_of)
def test_ten_million(case: Case) -> None:
    values = along(case, drawn(case, 10**7, 12))
    if case in DISCRETE:
        assert counted(values, case[2]) > ALIKE
    else:
        # SciPy takes a minute for the cdf of ten million.
        ends = np.quantile(values[:10_000], np.linspace(0.001, 0.999, 400))
        shares = np.diff(np.concatenate([[0], case[2].cdf(ends), [1]]))
        counts = np.histogram(values, np.concatenate([[-np.inf], ends, [np.inf]]))[0]
        assert stats.chisquare(counts, shares * counts.sum()).pvalue > ALIKE


NARROW = ("beta(3, 2)", "gamma(0.3, 2)", "vonmises(0, 20)", "poisson(10,)", "binomial(60, 0.3)")
NARROW += ("hypergeometric(100, 200, 80)", "zipf(2.5,)", "wald(2, 3)", "negative_binomial(20, 0.4)")


@pytest.mark.parametrize(
    "name", [*NARROW[::4], *nightly(*(one for one in NARROW if one not in NARROW[::4]))]
)
def test_without_float64(name: str) -> None:
    (case,) = (case for case in (*CONTINUOUS, *DISCRETE) if name_of(case) == name)
    with xarr.device(xarr.default_device().pretending("no-float64")):
        values = drawn(case, 50_000)
    if case in DISCRETE:
        assert values.dtype == "int64"
        assert counted(values, case[2]) > ALIKE
    else:
        assert values.dtype == "float32"
        assert stats.kstest(along(case, values), case[2].cdf).pvalue > ALIKE


@pytest.mark.parametrize("case", [CONTINUOUS[2], DISCRETE[10]], ids=name_of)
def test_parameters_that_are_arrays(case: Case) -> None:
    rng, other = xarr.random.default_rng(3), xarr.random.default_rng(3)
    several = getattr(rng, case[0])(xarr.asarray([case[1][0]] * 3), size=(5, 3))
    same = getattr(other, case[0])(*case[1], size=(5, 3))
    np.testing.assert_array_equal(np.asarray(several), np.asarray(same))
    single = getattr(rng, case[0])(*case[1])
    assert isinstance(single, int | float)
    assert single == np.asarray(getattr(other, case[0])(*case[1], size=1))[0]
    assert getattr(rng, case[0])(xarr.asarray(case[1][0])).shape == ()


ENDS = """
{binomial(10, 0|binomial(0, 0.5|poisson(0|hypergeometric(0, 5, 3}, 50) = 0
{hypergeometric(5, 4, 0|standard_gamma(0|weibull(0|negative_binomial(3, 1}, 50) = 0
{geometric(1|logseries(0|zipf(2000}, 50) = 1
{hypergeometric(5, 0, 3|normal(3, 0}, 50) = 3
hypergeometric(5, 4, 9, 50) = 5
binomial(10, 1, 50) = 10
"""


def test_at_the_ends_of_their_parameters() -> None:
    rng = xarr.random.default_rng(3)

    for line in rows(ENDS):
        call, _, wanted = line.partition(" = ")
        np.testing.assert_array_equal(np.asarray(eval(f"rng.{call}", {"rng": rng})), int(wanted))
    assert float(rng.geometric(1e-300, 50).min()) > 9e18
    even = np.asarray(rng.vonmises(1.0, 0.0, 20_000))
    assert stats.kstest(even, "uniform", (-np.pi, 2 * np.pi)).pvalue > ALIKE
    close = np.asarray(rng.vonmises(1.0, 1e8, 20_000))
    assert stats.kstest((close - 1) * 1e4, "norm").pvalue > ALIKE
    assert 0 < float(rng.standard_gamma(1e-3, 200).max()) < 10


def test_vectors() -> None:
    rng = xarr.random.default_rng(3)
    alpha = np.array([0.5, 1, 2])
    shares = np.asarray(rng.dirichlet(alpha, 30_000))
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    for place in range(3):
        expected = stats.beta(alpha[place], alpha.sum() - alpha[place])
        assert stats.kstest(shares[:, place], expected.cdf).pvalue > ALIKE
    assert np.isfinite(np.asarray(rng.dirichlet([1e-3, 1e-3], 1000))).all()
    assert rng.dirichlet([0, 0]).tolist() == [0, 0]
    p = np.array([0.2, 0.0, 0.3, 0.5])
    counts = np.asarray(rng.multinomial(20, p, 20_000))
    assert counts.dtype == "int64"
    assert (counts.sum(axis=1) == 20).all()
    assert (counts[:, 1] == 0).all()
    np.testing.assert_allclose(counts.mean(axis=0), 20 * p, atol=0.1)
    np.testing.assert_allclose(np.cov(counts[:, ::2].T)[0, 1], -20 * 0.2 * 0.3, atol=0.1)
    assert rng.multinomial([3, 5], [0.5, 0.5]).sum(axis=-1).tolist() == [3, 5]
    assert rng.multinomial(3, [[0.5, 0.5], [0, 1]]).tolist()[1] == [0, 3]
    colours = np.array([4, 5, 6])
    taken = np.asarray(rng.multivariate_hypergeometric(colours, 7, 20_000))
    assert (taken.sum(axis=1) == 7).all()
    assert (taken <= colours).all()
    np.testing.assert_allclose(taken.mean(axis=0), colours * 7 / 15, atol=0.05)


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_multivariate_normal(method: str) -> None:
    rng = xarr.random.default_rng(3)
    mean, cov = [1.0, -2.0, 0.5], np.array([[2, 1, 0], [1, 3, -1], [0, -1, 1.0]])
    values = np.asarray(rng.multivariate_normal(mean, cov, (200, 100), method=method))
    assert values.shape == (200, 100, 3)
    flat = values.reshape(-1, 3)
    np.testing.assert_allclose(flat.mean(axis=0), mean, atol=0.06)
    np.testing.assert_allclose(np.cov(flat.T), cov, atol=0.12)
    lengths = ((flat - mean) @ np.linalg.inv(cov) * (flat - mean)).sum(axis=1)
    assert stats.kstest(lengths, stats.chi2(3).cdf).pvalue > ALIKE
    assert rng.multivariate_normal(mean, cov).shape == (3,)


REFUSED = """
rng.beta(0, 1) ! ValueError: a <= 0
rng.beta(1, [1, 0]) ! ValueError: b <= 0
rng.binomial(-1, 0.5) ! ValueError: n < 0
rng.binomial(5, {1.5|[0.5, nan]}) ! ValueError: p < 0, > 1
rng.dirichlet([1, -1]) ! ValueError: alpha < 0
rng.gamma(-1) ! ValueError: shape < 0
rng.geometric({0|[0.5, 0]}) ! ValueError: p <= 0
rng.hypergeometric({3|[3, 9]}, 4, 8) ! ValueError: nbad < nsample
rng.logseries(1) ! ValueError: p < 0, >= 1
rng.poisson({-1|[1, nan]}) ! ValueError: lam < 0
rng.poisson(1e19) ! ValueError: too large
rng.negative_binomial({2**62, 0.1|[2**62], [0.1]}) ! ValueError: too large
rng.triangular({1, 0|[0, 3], 1}, 2) ! ValueError: left > mode
rng.triangular(1, 1, 1) ! ValueError: left == right
rng.zipf(1) ! ValueError: a <= 1
rng.multinomial(3, [0.9, 0.9, 0.1]) ! ValueError: > 1.0
rng.multinomial(3, [-0.1, 1]) ! ValueError: pvals < 0
rng.multivariate_hypergeometric([2, 3], 6) ! ValueError: nsample
rng.multivariate_normal([0], np.eye(2)) ! ValueError: same length
rng.multivariate_normal([0, 0], [1, 1]) ! ValueError: square
rng.multivariate_normal({[0j], [[1]]|[0], [[1 + 1j]]}) ! TypeError: must not be complex
"""


def test_what_is_refused() -> None:
    all_refused(REFUSED, {"rng": xarr.random.default_rng(1), "nan": np.nan})


def test_no_covariance_warns() -> None:
    with pytest.warns(RuntimeWarning, match="semidefinite"):
        xarr.random.default_rng(1).multivariate_normal([0, 0], [[1, 2], [2, 1]])
    with pytest.raises(ValueError, match="semidefinite"):
        xarr.random.default_rng(1).multivariate_normal([0, 0], -np.eye(2), check_valid="raise")


def test_the_older_functions_have_all() -> None:
    names = {name for name, _, _ in (*CONTINUOUS, *DISCRETE)} - {"standard_gamma"}
    for name in sorted(names):
        assert callable(getattr(xarr.random, name))
    assert xarr.random.standard_gamma(2.0, 4).shape == (4,)
    missing = [name for name in dir(np.random) if name[0] != "_" and not hasattr(xarr.random, name)]
    assert missing == ["bit_generator", "mtrand", "test"]  # modules, and a test runner
    for ours, theirs in (
        (xarr.random.Generator, np.random.Generator),
        (xarr.random.RandomState, np.random.RandomState),
    ):
        assert [name for name in dir(theirs) if name[0] != "_" and not hasattr(ours, name)] == []
