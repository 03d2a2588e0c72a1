"""Mandelbrot by masks, Julia by compressing live points, Newton basins, box counting."""

import numpy as np


def mandelbrot_set(xmin, xmax, ymin, ymax, xn, yn, maxiter, horizon=2.0):
    X = np.linspace(xmin, xmax, xn, dtype=np.float32)
    Y = np.linspace(ymin, ymax, yn, dtype=np.float32)
    C = X + Y[:, None] * 1j
    N = np.zeros(C.shape, dtype=int)
    Z = np.zeros(C.shape, np.complex64)
    for n in range(maxiter):
        I = np.less(abs(Z), horizon)
        N[I] = n
        Z[I] = Z[I] ** 2 + C[I]
    N[N == maxiter - 1] = 0
    return N


def julia(c, n, maxiter):
    x, y = np.meshgrid(np.linspace(-1.5, 1.5, n), np.linspace(-1.5, 1.5, n))
    z = (x + 1j * y).ravel()
    index = np.arange(z.size)
    count = np.full(z.size, maxiter)
    for i in range(maxiter):
        z = z * z + c
        gone = np.abs(z) > 2
        count[index[gone]] = i
        index, z = index[~gone], z[~gone]
        if not len(z):
            break
    return count.reshape(n, n)


N = mandelbrot_set(-2.0, 0.5, -1.25, 1.25, 50, 40, 15)
J = julia(-0.8 + 0.156j, 48, 30)
z = np.linspace(-1.01, 1.02, 31) + 1j * np.linspace(-1.03, 1, 31)[:, np.newaxis]
for _ in range(25):
    z -= (z**3 - 1) / (3 * z**2)
roots = np.exp(2j * np.pi * np.arange(3) / 3)
basin = np.argmin(abs(z[..., None] - roots), axis=-1)
inside = J > 8
sizes = 2 ** np.arange(1, 5)
boxes = [np.add.reduceat(np.add.reduceat(inside, np.arange(0, 48, s), 0), np.arange(0, 48, s), 1) for s in sizes]
counts = [int(np.count_nonzero(b)) for b in boxes]
coeffs = np.polyfit(np.log(sizes), np.log(counts), 1)
print("mandelbrot", N.sum(), "julia mean %.5f" % J.mean(), "basins", np.bincount(basin.ravel()))
print("box counts", counts, "dimension %.5f" % -coeffs[0])
