"""Filters on a synthetic photograph: convolution, Sobel, median, unsharp mask, dithering."""

import numpy as np

h, w = 40, 48
yy, xx = np.ogrid[:h, :w]
image = (120 + 60 * np.sin(xx / 5.0) * np.cos(yy / 7.0)).astype(np.float64)
image[(yy - 20) ** 2 + (xx - 24) ** 2 <= 64] = 220
np.random.seed(3)
noisy = image.copy()
salt = np.random.rand(h, w)
noisy[salt < 0.02] = 0
noisy[salt > 0.98] = 255
noisy = np.clip(noisy, 0, 255).astype(np.uint8)


def convolve2d(img, kernel):
    kh, kw = kernel.shape
    padded = np.pad(img, ((kh // 2, kh // 2), (kw // 2, kw // 2)), mode="reflect")
    out = np.zeros(img.shape, dtype=float)
    for i in range(kh):
        for j in range(kw):
            out += kernel[::-1, ::-1][i, j] * padded[i : i + img.shape[0], j : j + img.shape[1]]
    return out


sobel_x = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
gx, gy = convolve2d(image, sobel_x), convolve2d(image, sobel_x.T)
magnitude = np.hypot(gx, gy)
direction = np.rad2deg(np.abs(np.arctan2(gy, gx)))
edges = magnitude > np.percentile(magnitude, 90)
windows = np.lib.stride_tricks.sliding_window_view(np.pad(noisy, 1, mode="edge"), (3, 3))
median = np.median(windows, axis=(2, 3))
g = np.exp(-np.arange(-2, 3) ** 2 / 2.0)
gauss = np.outer(g, g) / g.sum() ** 2
sharp = np.clip(image + 1.5 * (image - convolve2d(image, gauss)), 0, 255).astype("uint8")
bayer = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16.0
dithered = (image / 255 > np.tile(bayer, (h // 4, w // 4))).astype(np.uint8) * 255
psnr = [10 * np.log10(255**2 / np.mean((image - other.astype(float)) ** 2)) for other in (noisy, median)]
print("edges:", edges.sum(), "PSNR %.3f -> %.3f dB" % tuple(psnr))
print("sharp", sharp.min(), sharp.max(), sharp.dtype, "dithered mean %.4f" % dithered.mean())
print("strongest edge directions", np.histogram(direction[edges], bins=[-1, 40, 80, 120, 181])[0])
