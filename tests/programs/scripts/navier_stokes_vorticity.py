"""Two-dimensional turbulence, a little: vorticity and stream function by FFT."""

import numpy as np

np.random.seed(17)
N, nu, dt = 32, 1e-3, 0.05
k = np.fft.fftfreq(N, 1.0 / N)
kx, ky = np.meshgrid(k, k)
ksq = kx**2 + ky**2
ksq_inv = 1.0 / np.where(ksq == 0, 1, ksq)
ksq_inv[0, 0] = 0
dealias = (np.abs(kx) < (2.0 / 3) * N / 2) & (np.abs(ky) < (2.0 / 3) * N / 2)
w = np.random.randn(N, N)
w_hat = np.fft.fft2(w) * np.exp(-((np.sqrt(ksq) - 4) ** 2)) * dealias
w_hat[0, 0] = 0
enstrophy = np.zeros(25)
for i in range(25):
    psi_hat = w_hat * ksq_inv
    vx = np.real(np.fft.ifft2(1j * ky * psi_hat))
    vy = -np.real(np.fft.ifft2(1j * kx * psi_hat))
    wx = np.fft.ifft2(1j * kx * w_hat).real
    wy = np.fft.ifft2(1j * ky * w_hat).real
    w_hat = (w_hat - dt * dealias * np.fft.fft2(vx * wx + vy * wy)) / (1.0 + dt * nu * ksq)
    enstrophy[i] = 0.5 * np.mean(np.fft.ifft2(w_hat).real ** 2)
divergence = np.fft.ifft2(1j * kx * np.fft.fft2(vx) + 1j * ky * np.fft.fft2(vy)).real
bins = np.arange(0.5, N // 2, 1.0)
spectrum, _ = np.histogram(np.sqrt(ksq).ravel(), bins=bins, weights=(np.abs(w_hat) ** 2).ravel())
print("divergence free:", np.allclose(divergence, 0), "enstrophy falls:", np.all(np.diff(enstrophy) < 0))
print("peak of the spectrum at shell", int(spectrum.argmax()) + 1)
