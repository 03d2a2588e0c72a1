"""Random numbers: NumPy's generators and distributions, on the device."""

from typing import TYPE_CHECKING, Any

from xarr.functions.absent import missing as _missing
from xarr.functions.random.bits import Philox as Philox
from xarr.functions.random.generator import Generator as Generator, default_rng as default_rng
from xarr.functions.random.legacy import RandomState as RandomState
from xarr.functions.random.shared import (
    beta as beta,
    binomial as binomial,
    bytes as bytes,
    chisquare as chisquare,
    choice as choice,
    dirichlet as dirichlet,
    exponential as exponential,
    f as f,
    gamma as gamma,
    geometric as geometric,
    get_bit_generator as get_bit_generator,
    get_state as get_state,
    gumbel as gumbel,
    hypergeometric as hypergeometric,
    laplace as laplace,
    logistic as logistic,
    lognormal as lognormal,
    logseries as logseries,
    multinomial as multinomial,
    multivariate_normal as multivariate_normal,
    negative_binomial as negative_binomial,
    noncentral_chisquare as noncentral_chisquare,
    noncentral_f as noncentral_f,
    normal as normal,
    pareto as pareto,
    permutation as permutation,
    poisson as poisson,
    power as power,
    rand as rand,
    randint as randint,
    randn as randn,
    random as random,
    random_integers as random_integers,
    random_sample as random_sample,
    ranf as ranf,
    rayleigh as rayleigh,
    sample as sample,
    seed as seed,
    set_bit_generator as set_bit_generator,
    set_state as set_state,
    shuffle as shuffle,
    standard_cauchy as standard_cauchy,
    standard_exponential as standard_exponential,
    standard_gamma as standard_gamma,
    standard_normal as standard_normal,
    standard_t as standard_t,
    triangular as triangular,
    uniform as uniform,
    vonmises as vonmises,
    wald as wald,
    weibull as weibull,
    zipf as zipf,
)

if TYPE_CHECKING:
    from numpy.random import (
        MT19937 as MT19937,
        PCG64 as PCG64,
        PCG64DXSM as PCG64DXSM,
        SFC64 as SFC64,
        BitGenerator as BitGenerator,
        SeedSequence as SeedSequence,
    )

_OF_NUMPY = ("BitGenerator", "MT19937", "PCG64", "PCG64DXSM", "SFC64", "SeedSequence")


def __getattr__(name: str) -> Any:
    """NumPy's own seeds and bit generators, imported at first use as they take long to."""
    if name not in _OF_NUMPY:
        raise _missing(__name__, name, __dir__())
    import numpy.random

    return getattr(numpy.random, name)


def __dir__() -> list[str]:
    return sorted([*(name for name in globals() if name[0] != "_"), *_OF_NUMPY])
