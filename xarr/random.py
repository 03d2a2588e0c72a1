"""Random numbers: NumPy's generators and distributions, on the device."""

import sys as _sys
import typing as _typing

from xarr.functions.names.docstrings import complete as _complete
from xarr.functions.names.namespace import public as _public
from xarr.functions.random.generator import Generator as Generator, default_rng as default_rng
from xarr.functions.random.philox import Philox as Philox
from xarr.functions.random.random_state import (
    RandomState as RandomState,
    get_bit_generator as get_bit_generator,
    ranf as ranf,
    sample as sample,
    set_bit_generator as set_bit_generator,
    shared as _shared,
)

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

_complete(_sys.modules[__name__], "As in NumPy; not part of the Array API standard.")
_complete(Generator, "As in NumPy; not part of the Array API standard.")
_complete(RandomState, "As in NumPy; not part of the Array API standard.")

if _typing.TYPE_CHECKING:  # imported at first use, as they take long to
    from numpy.random import (
        MT19937 as MT19937,
        PCG64 as PCG64,
        PCG64DXSM as PCG64DXSM,
        SFC64 as SFC64,
        BitGenerator as BitGenerator,
        SeedSequence as SeedSequence,
    )
else:
    __getattr__, __dir__ = _public(__name__)
