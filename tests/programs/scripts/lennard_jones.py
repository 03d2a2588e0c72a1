"""A Lennard-Jones fluid: periodic box, minimum image, velocity Verlet, pair distribution."""

import numpy as np

rng = np.random.RandomState(3)
side, density = 4, 0.7
n = side**3
box = (n / density) ** (1 / 3)
grid = (np.arange(side) + 0.5) * box / side
r = np.array(np.meshgrid(grid, grid, grid)).reshape(3, -1).T
r = r + 0.01 * rng.standard_normal(r.shape)
v = rng.normal(0, 1, size=r.shape)
v -= v.mean(axis=0, keepdims=True)
iu = np.triu_indices(n, k=1)


def forces(r):
    d = r[:, None] - r[None, :]
    d -= box * np.rint(d / box)
    r2 = np.einsum("ijk,ijk->ij", d, d)
    np.fill_diagonal(r2, np.inf)
    inv6 = np.where(r2 < (box / 2) ** 2, 1 / r2**3, 0)
    f = (24 * (2 * inv6**2 - inv6) / r2)[..., None] * d
    return f.sum(axis=1), 2 * np.sum(inv6 * (inv6 - 1)), np.sqrt(r2[iu])


dt = 0.004
f, potential, _ = forces(r)
total = []
for step in range(25):
    v += 0.5 * dt * f
    r = (r + dt * v) % box
    f, potential, distances = forces(r)
    v += 0.5 * dt * f
    total.append(potential + 0.5 * (v**2).sum())
counts, edges = np.histogram(distances, bins=20, range=(0.5, box / 2))
shell = 4 / 3 * np.pi * (edges[1:] ** 3 - edges[:-1] ** 3)
g = counts / shell / (n - 1) * 2 * box**3 / n
temperature = (v**2).sum() / (3 * n - 3)
print("drift %.2e" % (np.ptp(total) / abs(np.mean(total)) < 0.05), "temperature %.5f" % temperature)
print("momentum", np.allclose(v.sum(axis=0), 0), "first peak of g at %.3f" % edges[g.argmax()])
