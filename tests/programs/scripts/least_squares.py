"""Fitting curves: polynomials, Gauss-Newton, Levenberg-Marquardt, robust weights, splines by hand."""

import numpy as np

rng = np.random.default_rng(99)
t = np.linspace(0, 4, 40)
data = 2.5 * np.exp(-1.3 * t) + 0.5 + 0.02 * rng.standard_normal(t.shape)


def model(p, t):
    return p[0] * np.exp(-p[1] * t) + p[2]


def jacobian(p, t):
    e = np.exp(-p[1] * t)
    return np.array([e, -p[0] * t * e, np.ones(len(t))]).T


p, lam = np.array([1.0, 1.0, 0.0]), 1e-2
cost = np.sum((data - model(p, t)) ** 2)
for _ in range(6):
    J, r = jacobian(p, t), data - model(p, t)
    N = J.T @ J
    step = np.linalg.solve(N + lam * np.diag(N.diagonal()), J.T @ r)
    new = np.sum((data - model(p + step, t)) ** 2)
    if new < cost:
        p, cost, lam = p + step, new, lam / 3
    else:
        lam *= 2
sigma = np.sqrt(np.diag(np.linalg.inv(N)) * cost / (len(t) - 3))

outlier = data.copy()
outlier[::9] += 1.0
V = np.vander(t, 4)
w = np.ones_like(t)
for _ in range(10):
    c = np.linalg.lstsq(V * w[:, None], outlier * w, rcond=None)[0]
    res = np.abs(outlier - V @ c)
    w = 1 / np.sqrt(np.maximum(res, 1e-3))
poly = np.poly1d(np.polyfit(t, data, 5))
slope = np.polyder(poly)(1.0)
area = np.polyint(poly)(4.0) - np.polyint(poly)(0.0)

knots = np.linspace(0, 4, 6)
values = np.interp(knots, t, data)
h = np.diff(knots)
M = np.zeros((6, 6))
M[0, 0] = M[-1, -1] = 1
for i in range(1, 5):
    M[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
rhs = np.r_[0, 6 * np.diff(np.diff(values) / h), 0]
curvature = np.linalg.solve(M, rhs)
where = np.clip(np.searchsorted(knots, [0.5, 1.7, 3.9]) - 1, 0, 4)
print("p", p.round(5), "+-", sigma.round(5))
print("robust", c.round(4), "slope %.5f area %.5f" % (slope, area), "pieces", where, "curvature", curvature.round(4))
