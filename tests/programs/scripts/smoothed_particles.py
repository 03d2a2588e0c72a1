"""A toy star of smoothed particles: kernel sums over pairs, damping to equilibrium."""

import numpy as np
from math import gamma


def W(x, y, z, h):
    r = np.sqrt(x**2 + y**2 + z**2)
    return (1.0 / (h * np.sqrt(np.pi))) ** 3 * np.exp(-(r**2) / h**2)


def gradW(x, y, z, h):
    n = -2 * np.exp(-(x**2 + y**2 + z**2) / h**2) / h**5 / np.pi ** (3 / 2)
    return n * x, n * y, n * z


def pairs(ri, rj):
    return tuple(ri[:, i].reshape((-1, 1)) - rj[:, i].reshape((-1, 1)).T for i in range(3))


N, M, R, h, k, n = 60, 2, 0.75, 0.3, 0.1, 1
lmbda = 2 * k * (1 + n) * np.pi ** (-3 / (2 * n)) * (M * gamma(5 / 2 + n) / R**3 / gamma(1 + n)) ** (1 / n) / R**2
m = M / N
np.random.seed(42)
pos = np.random.randn(N, 3)
vel = np.zeros(pos.shape)
for i in range(30):
    dx, dy, dz = pairs(pos, pos)
    rho = np.sum(m * W(dx, dy, dz, h), 1).reshape((N, 1))
    P = k * rho ** (1 + 1 / n)
    dWx, dWy, dWz = gradW(dx, dy, dz, h)
    weight = P / rho**2 + P.T / rho.T**2
    acc = -np.hstack([np.sum(m * weight * d, 1).reshape((N, 1)) for d in (dWx, dWy, dWz)])
    acc += -lmbda * pos - 1.0 * vel
    vel += acc * 0.04
    pos += vel * 0.04
radii = np.sort(np.linalg.norm(pos, axis=1))
probe = np.zeros((5, 3))
probe[:, 0] = np.linspace(0, 1, 5)
profile = np.sum(m * W(*pairs(probe, pos), h), axis=1)
print("half mass radius %.6f" % np.median(radii), "profile", profile.round(5))
