"""Compressing a picture by SVD; pseudo-inverse; low-rank completion; norms."""

import numpy as np

x, y = np.linspace(-2, 2, 32), np.linspace(-2, 2, 40)
picture = np.sinc(np.add.outer(y**2, x)) + 0.1 * np.sign(np.outer(y, x))
U, s, Vh = np.linalg.svd(picture)
errors = []
for rank in (1, 2, 4, 8, 16):
    approx = (U[:, :rank] * s[:rank]) @ Vh[:rank, :]
    errors.append(np.linalg.norm(picture - approx, "fro") / np.linalg.norm(picture))
energy = np.cumsum(s**2) / np.sum(s**2)
needed = np.argmax(energy > 0.999) + 1
pinv = np.linalg.pinv(picture, rcond=1e-10)
moore = np.allclose(picture @ pinv @ picture, picture)
mask = np.random.default_rng(3).random(picture.shape) < 0.7
filled = np.where(mask, picture, picture[mask].mean())
for _ in range(15):
    u, t, v = np.linalg.svd(filled, full_matrices=False)
    t[4:] = 0
    filled = np.where(mask, picture, u @ np.diag(t) @ v)
missing = np.sqrt(np.mean((filled - picture)[~mask] ** 2))
norms = {o: np.linalg.norm(picture, o) for o in (1, 2, np.inf, "fro", "nuc")}
rank = np.linalg.matrix_rank(picture)
block = np.block([[np.eye(2), np.zeros((2, 3))], [np.ones((1, 2)), np.full((1, 3), 2.0)]])
kron = np.kron(np.eye(2), [[1, 2], [3, 4]])
del U, Vh, u, v, pinv
print("errors", np.round(errors, 6), "rank for 99.9%:", needed)
print("Moore-Penrose:", moore, "missing entries off by %.5f" % missing, "norms", [round(float(v), 4) for v in norms.values()])
print(block.shape, kron.tolist()[3])
