"""Filtering: low pass by FFT, FIR by windows, convolution three ways, moving averages."""

import numpy as np

fs = 200.0
t = np.arange(0, 1, 1 / fs)
clean = np.sin(2 * np.pi * 5 * t) + 0.5 * np.sin(2 * np.pi * 12 * t)
np.random.seed(6)
signal = clean + 0.4 * np.sin(2 * np.pi * 60 * t) + 0.1 * np.random.standard_normal(t.size)
spectrum = np.fft.rfft(signal)
freqs = np.fft.rfftfreq(t.size, d=1 / fs)
strongest = freqs[np.argsort(np.abs(spectrum))[-3:][::-1]]
filtered = spectrum.copy()
filtered[freqs > 20] = 0
smooth = np.fft.irfft(filtered, n=t.size)

taps = 41
n = np.arange(taps) - (taps - 1) / 2
fir = np.sinc(2 * 20 / fs * n) * np.hamming(taps)
fir /= fir.sum()
direct = np.convolve(signal, fir, mode="same")
size = len(signal) + taps - 1
nfft = 1 << (size - 1).bit_length()
fast = np.fft.irfft(np.fft.rfft(signal, nfft) * np.fft.rfft(fir, nfft), nfft)[taps // 2 : taps // 2 + len(signal)]
response = np.abs(np.fft.rfft(fir, 512))
cutoff = np.fft.rfftfreq(512, 1 / fs)[np.flatnonzero(response < 0.5)[0]]
db = 20 * np.log10(np.maximum(response, 1e-6))
cumulative = np.cumsum(np.insert(signal, 0, 0.0))
moving = (cumulative[10:] - cumulative[:-10]) / 10
kaiser = np.kaiser(16, 8.6)
print("strongest", strongest, "rms %.5f -> %.5f" % tuple(np.sqrt(np.mean((s - clean) ** 2)) for s in (signal, smooth)))
print("two ways agree:", np.allclose(direct, fast), "cutoff %.4f Hz" % cutoff, "stop band %.2f dB" % db[200:].max())
print("moving", moving[:3].round(5), np.allclose(moving, np.convolve(signal, np.ones(10) / 10, "valid")))
