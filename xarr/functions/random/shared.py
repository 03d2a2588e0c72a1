"""The functions of `xarr.random`, which share one generator of NumPy's older interface."""

from __future__ import annotations

from xarr.functions.random.legacy import RandomState

_shared = RandomState()

bytes = _shared.bytes
choice = _shared.choice
exponential = _shared.exponential
get_state = _shared.get_state
normal = _shared.normal
permutation = _shared.permutation
rand = _shared.rand
randint = _shared.randint
randn = _shared.randn
random = _shared.random
random_integers = _shared.random_integers
random_sample = _shared.random_sample
ranf = _shared.random_sample
sample = _shared.random_sample
seed = _shared.seed
set_state = _shared.set_state
shuffle = _shared.shuffle
standard_exponential = _shared.standard_exponential
standard_normal = _shared.standard_normal
uniform = _shared.uniform
