"""A photographer is told from the sky: active contours without edges.

Chan and Vese, "Active contours without edges", IEEE Transactions on Image Processing 10 (2001). The
contour is where a function is zero, which descends until its two sides are as even as can be. The
photograph is one that scikit-image ships.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import pi
from typing import TYPE_CHECKING, Any

from skimage import data

import xarr as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 150
TIME_STEP, STIFFNESS, WIDTH = 0.5, 0.5, 1.0
FLAT = 1e-2

# Means are sums, whose order is each library's own.
BOUNDS = {"photograph": 1e-6, "level": 1e-3, "inside": 1e-4, "outside": 1e-4}


def curvature(level: np.Array) -> np.Array:
    """Return the curvature of the level lines, shape (M, N) as the function itself."""
    a = np.pad(level, 1, mode="edge")
    dx, dy = (a[1:-1, 2:] - a[1:-1, :-2]) / 2, (a[2:, 1:-1] - a[:-2, 1:-1]) / 2
    dxx = a[1:-1, 2:] - 2 * level + a[1:-1, :-2]
    dyy = a[2:, 1:-1] - 2 * level + a[:-2, 1:-1]
    dxy = (a[2:, 2:] - a[2:, :-2] - a[:-2, 2:] + a[:-2, :-2]) / 4
    slope = dx**2 + dy**2 + FLAT
    bent: np.Array = (dxx * dy**2 - 2 * dx * dy * dxy + dyy * dx**2) / (slope * np.sqrt(slope))
    return np.clip(bent, -1, 1)


def main(progress: Callable[[range], Iterable[int]] = iter) -> dict[str, Any]:
    """Return the photograph and the function, shape (256, 256), and the means of each step."""
    photograph = np.asarray(data.camera()[::2, ::2]).astype(np.float64)
    photograph -= np.mean(photograph)
    photograph /= np.std(photograph)
    height, width = photograph.shape
    rows, columns = np.arange(height)[:, None], np.arange(width)
    level = np.sin(pi * rows / 12) * np.sin(pi * columns / 12)

    inside, outside = np.zeros(STEPS), np.zeros(STEPS)
    for step in progress(range(STEPS)):
        side = 0.5 + np.arctan(level / WIDTH) / pi
        inside[step] = np.average(photograph, weights=side)
        outside[step] = np.average(photograph, weights=1 - side)
        pull = (photograph - outside[step]) ** 2 - (photograph - inside[step]) ** 2
        front = WIDTH / pi / (WIDTH**2 + level**2)
        level += TIME_STEP * front * (STIFFNESS * curvature(level) + pull)
    return {"photograph": photograph, "level": level, "inside": inside, "outside": outside}


def draw(figure: Figure, results: dict[str, Any]) -> None:
    """Draw the contour on the photograph, and the two sides."""
    left, right = figure.subplots(1, 2)
    left.imshow(results["photograph"], cmap="gray")
    left.contour(results["level"], levels=[0], colors="orange", linewidths=0.8)
    right.imshow(results["level"] > 0, cmap="gray")
    for axes in (left, right):
        axes.set_axis_off()


if __name__ == "__main__":
    from demo import show

    show(main, draw, __file__)
