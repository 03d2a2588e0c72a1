"""Yee's scheme for light in one dimension and in two, with a soft source and a dielectric."""

import numpy as np

ke = 120
ex = np.zeros(ke)
hy = np.zeros(ke)
boundary_low, boundary_high = [0, 0], [0, 0]
cb = np.ones(ke) * 0.5
cb[80:] = cb[80:] / 4
for time_step in range(1, 121):
    ex[1:] += cb[1:] * (hy[:-1] - hy[1:])
    pulse = np.exp(-0.5 * ((30 - time_step) / 8) ** 2)
    ex[20] = pulse + ex[20]
    ex[0] = boundary_low.pop(0)
    boundary_low.append(ex[1])
    ex[ke - 1] = boundary_high.pop(0)
    boundary_high.append(ex[ke - 2])
    hy[:-1] += 0.5 * (ex[:-1] - ex[1:])

n = 40
ez, hx, hyy = (np.zeros((n, n)) for _ in range(3))
eps = np.ones((n, n), dtype=np.float64)
eps[25:30, 5:35] = 4.0
for t in range(40):
    ez[1:, 1:] += 0.5 / eps[1:, 1:] * (hyy[1:, 1:] - hyy[:-1, 1:] - hx[1:, 1:] + hx[1:, :-1])
    ez[n // 2, n // 2] += np.sin(2 * np.pi * 0.05 * t)
    hx[:, :-1] += 0.5 * (ez[:, :-1] - ez[:, 1:])
    hyy[:-1, :] += 0.5 * (ez[1:, :] - ez[:-1, :])
energy = 0.5 * (eps * ez**2).sum() + 0.5 * (hx**2 + hyy**2).sum()
print("transmitted: {:.6f} reflected: {:.6f}".format(np.abs(ex[80:]).max(), np.abs(ex[:20]).max()))
print("energy", np.round(energy, 8))
