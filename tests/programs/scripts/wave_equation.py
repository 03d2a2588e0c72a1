"""A plucked string and a drop in a pool: leapfrog, with damping by in-place operators."""

import numpy as np

n = 101
x = np.linspace(0, 1, n)
c, dt = 1.0, 0.005
r2 = (c * dt / (x[1] - x[0])) ** 2
y = np.where(x < 0.3, x / 0.3, (1 - x) / 0.7)
previous = y.copy()
current = y.copy()
current[1:-1] += 0.5 * r2 * np.diff(y, n=2)
energy = np.empty(80)
for k in range(80):
    following = np.zeros_like(current)
    following[1:-1] = 2 * current[1:-1] - previous[1:-1] + r2 * (current[2:] - 2 * current[1:-1] + current[:-2])
    previous, current = current, following
    energy[k] = 0.5 * np.sum(((current - previous) / dt) ** 2) + 0.5 * c**2 * np.sum(np.gradient(current, x) ** 2)

pool = np.zeros((3, 32, 32))
X, Y = np.meshgrid(np.arange(32), np.arange(32), indexing="ij")
pool[0] = np.exp(-((X - 10) ** 2 + (Y - 20) ** 2) / 8.0)
pool[1] = pool[0]
for _ in range(30):
    lap = -4 * pool[1]
    for axis in (0, 1):
        for shift in (-1, 1):
            lap += np.roll(pool[1], shift, axis=axis)
    pool[2] = 2 * pool[1] - pool[0] + 0.1 * lap
    pool[2] *= 0.995
    pool[:2] = pool[1:]
print("drift of energy: %.3e" % (energy.std() / energy.mean()))
print("waves between", round(float(pool[1].min()), 6), "and", round(float(pool[1].max()), 6))
