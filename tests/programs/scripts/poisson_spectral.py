"""Poisson's equation on a torus, with fft2 and a Laplacian on meshgrids of wave numbers."""

import numpy as np

n = 32
h = 2 * np.pi / n
X, Y = np.mgrid[0:n, 0:n] * h
exact = np.sin(X) * np.cos(2 * Y) + 0.3 * np.cos(3 * X + Y)
f = -5 * np.sin(X) * np.cos(2 * Y) - 3 * np.cos(3 * X + Y)
kx = np.fft.fftfreq(n) * n
KX, KY = np.meshgrid(kx, kx, indexing="ij")
K2 = KX**2 + KY**2
K2[0, 0] = 1.0
u = np.fft.ifft2(-np.fft.fft2(f) / K2).real
u -= u.mean()
error = np.abs(u - exact).max()
ux = np.fft.ifft2(1j * KX * np.fft.fft2(u)).real
uy = np.fft.irfft2(1j * KY[:, : n // 2 + 1] * np.fft.rfft2(u), s=(n, n))
shifted = np.fft.fftshift(np.abs(np.fft.fft2(u)))
strongest = np.argwhere(shifted > 0.2 * shifted.max()) - n // 2
print("error below 1e-12:", bool(error < 1e-12))
print("strongest wave numbers:", strongest.tolist())
print("gradient %.8f" % np.sqrt((ux**2 + uy**2).mean()))
