"""Random numbers: NumPy's generators and distributions, on the device."""

import typing as _typing

from xarr.functions.names.namespace import public as _public

if _typing.TYPE_CHECKING:
    from numpy.random import (
        MT19937 as MT19937,
        PCG64 as PCG64,
        PCG64DXSM as PCG64DXSM,
        SFC64 as SFC64,
        BitGenerator as BitGenerator,
        SeedSequence as SeedSequence,
    )

    from xarr.functions.random.generator import Generator as Generator, default_rng as default_rng
    from xarr.functions.random.philox import Philox as Philox
    from xarr.functions.random.random_state import (
        RandomState as RandomState,
        get_bit_generator as get_bit_generator,
        ranf as ranf,
        sample as sample,
        set_bit_generator as set_bit_generator,
    )
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
        rayleigh as rayleigh,
        seed as seed,
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
else:
    __getattr__, __dir__ = _public(__name__, "As in NumPy; not part of the Array API standard.")
