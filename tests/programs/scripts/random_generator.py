"""NumPy's Generator: distributions, choice, shuffles, spawned streams."""

import numpy as np
from numpy.random import default_rng

rng = default_rng(12345)
a = rng.random(4)
b = rng.random((2, 3), dtype=np.float32)
c = rng.integers(0, 10, size=5)
d = rng.integers(low=1, high=6, size=(2, 2), endpoint=True)
e = rng.normal(0.0, 1.0, size=(3, 2))
f = rng.standard_normal(3)
g = rng.uniform(low=-2, high=2, size=4)
h = rng.choice(10, size=4, replace=False)
i = rng.choice([1.5, 2.5, 3.5], p=[0.1, 0.6, 0.3], size=3)
j = rng.permutation(6)
k = np.arange(12).reshape(6, 2)
rng.shuffle(k, axis=0)
l = rng.permuted(np.arange(8).reshape(2, 4), axis=1)
m = rng.exponential(scale=0.5, size=2)
n = rng.poisson(4.0, size=4)
o = rng.binomial(n=20, p=0.25, size=3)
p = rng.multivariate_normal(mean=[0, 0], cov=np.eye(2), size=2)
q = rng.gamma(2.0, size=3)
r = rng.lognormal(0.1, 0.2, 2)
s = rng.multinomial(20, [1 / 6.0] * 6)
t = rng.dirichlet([10, 5, 3])
u = rng.laplace(size=2)
v = rng.triangular(-3, 0, 8, size=2)
w = rng.geometric(p=0.35, size=3)
x = rng.standard_t(5, size=2)
y = np.empty(3)
rng.random(out=y)
children = [child.random(2) for child in default_rng(7).spawn(2)]
alone = rng.normal()
sequence = np.random.SeedSequence(99)
streams = [default_rng(one).integers(1000) for one in sequence.spawn(3)]
print("integers", c, d.tolist(), "choice", h, "shuffled", k[:, 0])
print("sum of multinomial", s.sum(), "of dirichlet", np.isclose(t.sum(), 1.0), b.dtype)
