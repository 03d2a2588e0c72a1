"""Burgers' equation in Fourier space: dealiased products, Runge-Kutta of fourth order."""

import numpy as np
from numpy.fft import fft, ifft, fftfreq

N, nu, dt = 64, 0.05, 0.01
x = 2 * np.pi * np.arange(N) / N
k = fftfreq(N, d=1.0 / N)
dealias = np.abs(k) < N / 3.0
u_hat = fft(np.sin(x) + 0.5 * np.cos(2 * x))


def rhs(u_hat):
    u = ifft(u_hat).real
    return -0.5j * k * fft(u * u) * dealias - nu * k**2 * u_hat


for n in range(40):
    k1 = rhs(u_hat)
    k2 = rhs(u_hat + 0.5 * dt * k1)
    k3 = rhs(u_hat + 0.5 * dt * k2)
    k4 = rhs(u_hat + dt * k3)
    u_hat += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
u = np.real(ifft(u_hat))
spectrum = np.abs(u_hat[: N // 2]) ** 2 / N**2
print("energy %.8f" % (0.5 * np.mean(u**2)), "Parseval", np.isclose(np.mean(u**2), (np.abs(u_hat) ** 2).sum() / N**2))
print("steepest slope %.6f at x = %.4f" % (np.gradient(u, x).min(), x[np.gradient(u, x).argmin()]))
