"""Pi by darts, by Buffon's needle and by quadrature with control variates."""

import numpy as np

np.random.seed(42)
n = 20000
x = np.random.uniform(-1, 1, n)
y = np.random.uniform(-1, 1, size=n)
inside = x**2 + y**2 <= 1
pi_darts = 4 * np.sum(inside) / n
running = 4 * np.cumsum(inside) / np.arange(1, n + 1)
centre = np.random.rand(n) * 0.5
theta = np.random.rand(n) * np.pi / 2
hits = (centre <= 0.5 * np.sin(theta)).sum()
pi_needle = 2.0 * n / hits / 1.0
u = np.random.random(n)
f = 4.0 / (1 + u**2)
g = u - 0.5
c = np.cov(f, g)
beta = c[0, 1] / c[1, 1]
controlled = f - beta * g
gain = f.var() / controlled.var()
print("darts %.4f, needle %.4f, controlled %.5f" % (pi_darts, pi_needle, controlled.mean()))
print("variance falls by a factor of %.1f" % gain)
print("running", running[[9, 99, 999, 9999]])
