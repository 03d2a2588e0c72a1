"""A user's program, in which every value has a type that is known; `test_types.py` checks it."""

from __future__ import annotations

import xarr as np

device = np.default_device()
a = np.zeros(3)
b = np.asarray([1.0, 2.0, 3.0], dtype=np.float32)
c = np.arange(12, dtype="float32").reshape(3, 4)
d = np.linspace(0, 1, 5)
e = np.full((2, 3), 7)
g, h = np.meshgrid(d, d)
k = np.array([[2.0, 0.0], [0.0, 4.0]])
total = a + 1
shifted = 2.5 * b - a / (b**2 + 1)
negative = -abs(shifted) // 3 % 2
mask = (a < b) & ~(b >= 2)
c += 1
c[1:, 0] = 0
row = c[0]
part = c[1:, ::2]
chosen = b[mask]
turned = c.T
sums = c.sum(axis=0)
mean = c.mean()
best = c.argmax(axis=1)
flat = c.ravel().astype("float64")
wave = np.sin(b) + np.exp(-b) * np.sqrt(b)
most = np.max(wave, axis=0, keepdims=True)
spread = np.std(c, axis=1)
running = np.cumulative_sum(b)
either = np.where(mask, a, b)
stacked = np.concat([a, b])
ordered = np.sort(b)
product = k @ k
length = np.linalg.norm(b)
values, vectors = np.linalg.eigh(k)
solution = np.linalg.solve(k, k)
spectrum = np.fft.fft(b)
back = np.fft.irfft(np.fft.rfft(d), n=5)
number = float(mean) + int(best[0]) + len(b) + b.size
elsewhere = b.to_device(device)
kind = b.dtype
shape = c.shape
