"""Windowed spectra: a chirp's spectrogram, Welch's estimate, autocorrelation pitch, zero crossings."""

import numpy as np

rate = 800
t = np.arange(1600) / rate
chirp = np.cos(2 * np.pi * (40 * t + 30 * t**2))
window = np.hanning(128)
hop = 64
frames = np.array([chirp[i : i + 128] * window for i in range(0, len(chirp) - 127, hop)])
S = np.abs(np.fft.rfft(frames, axis=1)).T ** 2
ridge = S.argmax(axis=0) * rate / 128
log_s = 10 * np.log10(S + 1e-12)
log_s -= log_s.max()
floor = np.clip(log_s, -60, None)
slope, offset = np.polyfit(np.arange(len(ridge)) * hop / rate, ridge, deg=1)

rng = np.random.default_rng(4)
noise = rng.standard_normal(1024)
coloured = np.empty_like(noise)
state = 0.0
coloured[0] = noise[0]
kernel = 0.8 ** np.arange(40)
coloured = np.convolve(noise, kernel)[: noise.size]
segments = np.lib.stride_tricks.as_strided(coloured, shape=(15, 128), strides=(64 * coloured.strides[0], coloured.strides[0]))
welch = (np.abs(np.fft.rfft(segments * window, axis=-1)) ** 2).mean(axis=0) / np.sum(window**2)
lag = np.fft.ifft(np.abs(np.fft.fft(coloured, 2048)) ** 2).real[:5]
lag /= lag[0]
tone = np.sin(2 * np.pi * 50 * t[:400]) + 0.3 * np.sin(2 * np.pi * 100 * t[:400])
auto = np.correlate(tone, tone, "full")[tone.size - 1 :]
peaks = np.where((auto[1:-1] > auto[:-2]) & (auto[1:-1] >= auto[2:]))[0] + 1
pitch = rate / peaks[0]
crossings = np.count_nonzero(np.diff(np.signbit(tone)))
print("frequency rises by %.3f Hz a second" % slope, "quiet share %.5f" % np.mean(floor <= -60))
print("autocorrelation", lag.round(4), "pitch", pitch, "crossings", crossings)
print("tilt of the spectrum %.4f" % (welch[:8].mean() / welch[-8:].mean()))
