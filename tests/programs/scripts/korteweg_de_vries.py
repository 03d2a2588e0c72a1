"""Two solitons of Korteweg and de Vries, by an integrating factor."""

import numpy as np

N = 128
dt = 0.4 / N**2 * 4
x = (2 * np.pi / N) * np.arange(-N / 2, N / 2)
A, B = 12, 8
u = 3 * A**2 * np.cosh(0.5 * A * (x + 2)) ** -2 + 3 * B**2 / np.cosh(0.5 * B * (x + 1)) ** 2
v = np.fft.fft(u)
k = np.concatenate([np.arange(0, N / 2), [0], np.arange(-N / 2 + 1, 0)])
ik3 = 1j * k**3
E = np.exp(dt * ik3 / 2)
E2 = E**2
g = -0.5j * dt * k
tmax = 0.003
nmax = int(round(tmax / dt))
for n in range(1, nmax + 1):
    a = g * np.fft.fft(np.real(np.fft.ifft(v)) ** 2)
    b = g * np.fft.fft(np.real(np.fft.ifft(E * (v + a / 2))) ** 2)
    c = g * np.fft.fft(np.real(np.fft.ifft(E * v + b / 2)) ** 2)
    d = g * np.fft.fft(np.real(np.fft.ifft(E2 * v + E * c)) ** 2)
    v = E2 * v + (E2 * a + 2 * E * (b + c) + d) / 6
u = np.real(np.fft.ifft(v))
peaks = np.flatnonzero((u[1:-1] > u[:-2]) & (u[1:-1] > u[2:]) & (u[1:-1] > 0.5 * u.max())) + 1
print("mass %.6f" % (u.sum() * (x[1] - x[0])), "peaks at", x[peaks].round(3).tolist(), "of", u[peaks].round(2).tolist())
