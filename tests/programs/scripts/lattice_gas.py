"""A lattice Boltzmann channel with a cylinder: streaming by roll, bounce-back by a mask."""

import numpy as np

Nx, Ny, tau = 48, 24, 0.6
idxs = np.arange(9)
cxs = np.array([0, 0, 1, 1, 1, 0, -1, -1, -1])
cys = np.array([0, 1, 1, 0, -1, -1, -1, 0, 1])
weights = np.array([4 / 9, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36])
X, Y = np.meshgrid(range(Nx), range(Ny))
F = np.ones((Ny, Nx, 9)) + 0.01 * np.sin(X + 2 * Y)[:, :, None] * np.cos(idxs)
F[:, :, 3] += 2 * (1 + 0.2 * np.cos(2 * np.pi * X / Nx * 4))
rho = np.sum(F, 2)
for i in idxs:
    F[:, :, i] *= 100 / rho
cylinder = (X - Nx / 4) ** 2 + (Y - Ny / 2) ** 2 < (Ny / 4) ** 2
for it in range(15):
    for i, cx, cy in zip(idxs, cxs, cys):
        F[:, :, i] = np.roll(F[:, :, i], cx, axis=1)
        F[:, :, i] = np.roll(F[:, :, i], cy, axis=0)
    bndryF = F[cylinder, :]
    bndryF = bndryF[:, [0, 5, 6, 7, 8, 1, 2, 3, 4]]
    rho = np.sum(F, 2)
    ux = np.sum(F * cxs, 2) / rho
    uy = np.sum(F * cys, 2) / rho
    Feq = np.zeros(F.shape)
    for i, cx, cy, w in zip(idxs, cxs, cys, weights):
        Feq[:, :, i] = rho * w * (
            1 + 3 * (cx * ux + cy * uy) + 9 * (cx * ux + cy * uy) ** 2 / 2 - 3 * (ux**2 + uy**2) / 2
        )
    F += -(1.0 / tau) * (F - Feq)
    F[cylinder, :] = bndryF
ux[cylinder] = 0
uy[cylinder] = 0
vorticity = (np.roll(ux, -1, axis=0) - np.roll(ux, 1, axis=0)) - (np.roll(uy, -1, axis=1) - np.roll(uy, 1, axis=1))
vorticity[cylinder] = np.nan
print("mass %.6f" % F.sum(), "vorticity %.6f to %.6f" % (np.nanmin(vorticity), np.nanmax(vorticity)))
print("cells in the cylinder:", np.count_nonzero(cylinder), int(np.isnan(vorticity).sum()))
