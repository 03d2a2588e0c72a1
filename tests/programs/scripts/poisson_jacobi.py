"""Poisson's equation by Jacobi, red-black Gauss-Seidel and successive over-relaxation."""

import numpy as np


def residual(p, b, h):
    r = np.zeros_like(p)
    r[1:-1, 1:-1] = b[1:-1, 1:-1] - (
        p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * p[1:-1, 1:-1]
    ) / h**2
    return np.linalg.norm(r)


def jacobi(p, b, h, steps):
    for _ in range(steps):
        p[1:-1, 1:-1] = 0.25 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - h * h * b[1:-1, 1:-1])
        p[:, 0] = 0
        p[:, -1] = p[:, -2]
    return p


def red_black(p, b, h, steps, omega=1.0):
    i, j = np.indices(p.shape)
    inside = np.zeros(p.shape, dtype=bool)
    inside[1:-1, 1:-1] = True
    masks = [inside & ((i + j) % 2 == parity) for parity in (0, 1)]
    for _ in range(steps):
        for mask in masks:
            new = 0.25 * (np.roll(p, 1, 0) + np.roll(p, -1, 0) + np.roll(p, 1, 1) + np.roll(p, -1, 1) - h * h * b)
            p[mask] += omega * (new[mask] - p[mask])
    return p


n = 24
h = 1 / (n - 1)
b = np.zeros((n, n))
b[int(n / 4), int(n / 4)] = 100
b[int(3 * n / 4), int(3 * n / 4)] = -100
p1 = jacobi(np.zeros((n, n)), b, h, 50)
p2 = red_black(np.zeros((n, n)), b, h, 20)
p3 = red_black(np.zeros((n, n)), b, h, 20, omega=1.7)
residuals = [residual(p, b, h) for p in (p1, p2, p3)]
print(["%.5g" % r for r in residuals])
print("relaxation wins:", bool(residuals[2] < residuals[1]))
