"""The functions of `xarr.random`, which share one generator of NumPy's older interface."""

from __future__ import annotations

from typing import Any

from xarr.functions.random.host import made

_shared = made()


def get_bit_generator() -> Any:
    """What the functions of `xarr.random` take their bits from.

    Returns
    -------
    Philox, or with ``XARR_RANDOM=numpy`` a bit generator of NumPy

    Examples
    --------
    >>> xarr.random.seed(3)
    >>> xarr.random.get_bit_generator().state["state"]["counter"]
    0
    """
    return _shared.bits


def set_bit_generator(bitgen: Any) -> None:
    """Let the functions of `xarr.random` take their bits from a generator.

    Parameters
    ----------
    bitgen : Philox, or with ``XARR_RANDOM=numpy`` a bit generator of NumPy
        The generator.

    Raises
    ------
    TypeError
        If it is of the other kind.

    Examples
    --------
    >>> xarr.random.set_bit_generator(xarr.random.Philox(3))
    """
    _shared.take_bits(bitgen)


beta = _shared.beta
binomial = _shared.binomial
bytes = _shared.bytes
chisquare = _shared.chisquare
choice = _shared.choice
dirichlet = _shared.dirichlet
exponential = _shared.exponential
f = _shared.f
gamma = _shared.gamma
geometric = _shared.geometric
get_state = _shared.get_state
gumbel = _shared.gumbel
hypergeometric = _shared.hypergeometric
laplace = _shared.laplace
logistic = _shared.logistic
lognormal = _shared.lognormal
logseries = _shared.logseries
multinomial = _shared.multinomial
multivariate_normal = _shared.multivariate_normal
negative_binomial = _shared.negative_binomial
noncentral_chisquare = _shared.noncentral_chisquare
noncentral_f = _shared.noncentral_f
normal = _shared.normal
pareto = _shared.pareto
permutation = _shared.permutation
poisson = _shared.poisson
power = _shared.power
rand = _shared.rand
randint = _shared.randint
randn = _shared.randn
random = _shared.random
random_integers = _shared.random_integers
random_sample = _shared.random_sample
rayleigh = _shared.rayleigh
ranf = _shared.random_sample
sample = _shared.random_sample
seed = _shared.seed
set_state = _shared.set_state
shuffle = _shared.shuffle
standard_cauchy = _shared.standard_cauchy
standard_exponential = _shared.standard_exponential
standard_gamma = _shared.standard_gamma
standard_normal = _shared.standard_normal
standard_t = _shared.standard_t
triangular = _shared.triangular
uniform = _shared.uniform
vonmises = _shared.vonmises
wald = _shared.wald
weibull = _shared.weibull
zipf = _shared.zipf
