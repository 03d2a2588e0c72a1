"""k-means on handwritten digits: the forms of writing that 16,173 images of digits come down to.

Lloyd, "Least squares quantization in PCM", IEEE Trans. Information Theory 28 (1982). The digits of
scikit-learn are 8 x 8 pixels, 0 to 16; each is taken in nine positions, a pixel apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from sklearn.datasets import load_digits

import xarr as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 20
CLUSTERS = 32

# Sums and counts of whole numbers are exact, so the means have the same bits unless an image that
# is as near to two of them falls to the other one. The error is a sum of 10^6 squares in float32.
BOUNDS = {"means": 1e-6, "labels": 0, "counts": 0, "error": 1e-6}


def main(progress: Callable[[range], Iterable[int]] = iter) -> dict[str, Any]:
    """Return the means of the clusters, and the images' labels, counts and mean squared error."""
    digits = np.asarray(load_digits().images.astype("float32"))
    shifts = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    images = np.concat([np.roll(digits, shift, axis=(1, 2)) for shift in shifts])
    x = np.reshape(images, (-1, 64))
    means = x[:: x.shape[0] // CLUSTERS, :][:CLUSTERS, :]
    clusters = np.arange(CLUSTERS)

    for _ in progress(range(STEPS)):
        distances = np.sum((x[:, None, :] - means[None, :, :]) ** 2, axis=2)
        labels = np.argmin(distances, axis=1)
        members = labels[:, None] == clusters
        counts = np.count_nonzero(members, axis=0)
        sums = np.sum(np.where(members[:, :, None], x[:, None, :], np.float32(0)), axis=0)
        filled = np.maximum(counts, 1).astype(np.float32)[:, None]
        means = np.where(counts[:, None] > 0, sums / filled, means)
    error = np.mean(np.min(distances, axis=1))
    return {"means": means, "labels": labels, "counts": counts, "error": error}


def draw(figure: Figure, results: dict[str, Any]) -> None:
    """Draw the means, the most frequent first."""
    order = results["counts"].argsort()[::-1]
    for axes, cluster in zip(figure.subplots(4, 8).flat, order, strict=True):
        axes.imshow(results["means"][cluster].reshape(8, 8), cmap="gray_r")
        axes.set_title(f"{results['counts'][cluster]}", fontsize=8)
        axes.set_axis_off()


if __name__ == "__main__":
    from demo import show

    show(main, draw, __file__)
