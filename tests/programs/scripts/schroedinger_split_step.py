"""A wave packet meets a barrier: split-step Fourier, norms and transmission."""

import numpy as np

n = 256
L = 100.0
dx = L / n
x = np.linspace(-L / 2, L / 2, n, endpoint=False)
kx = 2 * np.pi * np.fft.fftfreq(n, dx)
sigma, k0, x0 = 4.0, 1.5, -20.0
psi = np.exp(-((x - x0) ** 2) / (2 * sigma**2) + 1j * k0 * x).astype(complex)
psi /= np.sqrt(np.sum(np.abs(psi) ** 2) * dx)
V = np.zeros_like(x)
V[np.logical_and(x > 0, x < 2)] = 1.2
dt = 0.05
half_v = np.exp(-0.5j * dt * V)
kinetic = np.exp(-0.5j * dt * kx**2)
norms, positions = [], []
for step in range(400):
    psi *= half_v
    psi = np.fft.ifft(kinetic * np.fft.fft(psi))
    psi *= half_v
    if step % 100 == 99:
        density = (psi * psi.conj()).real
        norms.append(np.trapezoid(density, x))
        positions.append((x * density).sum() * dx)
transmitted = np.sum(np.abs(psi[x > 2]) ** 2) * dx
phase = np.unwrap(np.angle(psi[40:60]))
print("norms", np.array(norms).round(6), "positions", np.round(positions, 4))
print(f"transmitted {transmitted:.6f}")
