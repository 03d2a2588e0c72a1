"""Advection of a square and a hump with upwind, Lax-Wendroff and limited fluxes."""

import numpy as np


def minmod(a, b):
    return np.where(a * b > 0, np.sign(a) * np.minimum(np.abs(a), np.abs(b)), 0.0)


def superbee(a, b):
    return np.maximum.reduce([np.zeros_like(a), minmod(2 * a, b), minmod(a, 2 * b)])


n, courant = 80, 0.6
x = (np.arange(n) + 0.5) / n
u0 = np.zeros(n)
u0[(x >= 0.1) & (x <= 0.3)] = 1
u0 += np.exp(-200 * (x - 0.7) ** 2)
total = {}
final = {}
for name in ["upwind", "lax-wendroff", "minmod", "superbee"]:
    u = u0.copy()
    for _ in range(50):
        d = np.r_[u[1:], u[:1]] - u
        back = np.concatenate((d[-1:], d[:-1]))
        if name == "upwind":
            slope = np.zeros(n)
        elif name == "lax-wendroff":
            slope = d
        elif name == "minmod":
            slope = minmod(back, d)
        else:
            slope = superbee(back, d)
        flux = u + 0.5 * (1 - courant) * slope
        u -= courant * (flux - np.roll(flux, 1))
    final[name] = u
    total[name] = np.abs(np.diff(np.append(u, u[0]))).sum()
mass = np.array([final[k].sum() for k in sorted(final)]) / n
print("mass kept:", np.allclose(mass, u0.sum() / n))
for name, variation in sorted(total.items()):
    print("%-14s total variation %.6f, max %.6f" % (name, variation, np.max(final[name])))
