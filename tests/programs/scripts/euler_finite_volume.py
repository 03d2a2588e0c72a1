"""Sod's shock tube: conservative variables, HLL fluxes, slopes by minmod."""

import numpy as np

gamma = 1.4


def primitive(U):
    rho, mom, E = U
    v = mom / rho
    return rho, v, (gamma - 1) * (E - 0.5 * rho * v**2)


def flux(U):
    rho, v, p = primitive(U)
    return np.array([rho * v, rho * v**2 + p, (U[2] + p) * v])


def hll(UL, UR):
    rl, vl, pl = primitive(UL)
    rr, vr, pr = primitive(UR)
    cl, cr = np.sqrt(gamma * pl / rl), np.sqrt(gamma * pr / rr)
    sl = np.minimum(vl - cl, vr - cr)
    sr = np.maximum(vl + cl, vr + cr)
    FL, FR = flux(UL), flux(UR)
    middle = (sr * FL - sl * FR + sl * sr * (UR - UL)) / (sr - sl)
    return np.where(sl >= 0, FL, np.where(sr <= 0, FR, middle))


n = 100
x = (np.arange(n) + 0.5) / n
left = x < 0.5
U = np.vstack([np.where(left, 1.0, 0.125), np.zeros(n), np.where(left, 1.0, 0.1) / (gamma - 1)])
t, steps = 0.0, 0
while t < 0.1:
    rho, v, p = primitive(U)
    dt = min(0.4 / n / np.max(np.abs(v) + np.sqrt(gamma * p / rho)), 0.1 - t)
    padded = np.pad(U, ((0, 0), (2, 2)), mode="edge")
    a, b = np.diff(padded, axis=1)[:, :-1], np.diff(padded, axis=1)[:, 1:]
    slope = np.where(a * b > 0, np.where(np.abs(a) < np.abs(b), a, b), 0)
    F = hll((padded[:, 1:-1] + 0.5 * slope)[:, :-1], (padded[:, 1:-1] - 0.5 * slope)[:, 1:])
    U -= dt * n * (F[:, 1:] - F[:, :-1])
    t += dt
    steps += 1
rho, v, p = primitive(U)
shock = x[np.argmin(np.diff(rho[60:])) + 60]
print(steps, "steps, shock at %.3f" % shock)
print("density", np.round(rho[::20], 5))
