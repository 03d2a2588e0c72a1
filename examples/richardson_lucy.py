"""Richardson-Lucy deconvolution of the Hubble Deep Field, blurred as a smaller telescope sees it.

Richardson, J. Opt. Soc. Am. 62 (1972); Lucy, Astronomical Journal 79 (1974). The Hubble Space
Telescope was deconvolved so in its first years, until its mirror was mended.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from skimage import data

import xarr as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 40
RADIUS = 6
SIGMA = 2.0  # of the point spread function, in pixels

BELL = [math.exp(-0.5 * (k / SIGMA) ** 2) for k in range(RADIUS + 1)]
WEIGHTS = [w / (2 * sum(BELL) - BELL[0]) for w in BELL]

# Relative to the largest value, + - * / only, in one order: the bits agree.
BOUNDS = {"sky": 0.0, "blurred": 0.0, "restored": 0.0}


def blur(image: np.Array) -> np.Array:
    """Return the image, float32, shape (H, W, 3), as the point spread function spreads it."""
    height, width, colours = image.shape
    padded = np.zeros((height + 2 * RADIUS, width, colours), dtype=np.float32)
    padded[RADIUS:-RADIUS, ...] = image
    columns = WEIGHTS[0] * image
    for k in range(1, RADIUS + 1):
        above = padded[RADIUS - k : RADIUS - k + height, ...]
        below = padded[RADIUS + k : RADIUS + k + height, ...]
        columns = columns + WEIGHTS[k] * (above + below)

    padded = np.zeros((height, width + 2 * RADIUS, colours), dtype=np.float32)
    padded[:, RADIUS:-RADIUS, :] = columns
    rows = WEIGHTS[0] * columns
    for k in range(1, RADIUS + 1):
        left = padded[:, RADIUS - k : RADIUS - k + width, :]
        right = padded[:, RADIUS + k : RADIUS + k + width, :]
        rows = rows + WEIGHTS[k] * (left + right)
    return rows


def main(progress: Callable[[range], Iterable[int]] = iter) -> dict[str, Any]:
    """Return the sky, shape (872, 1000, 3), what the small telescope saw, and the restoration."""
    sky = np.asarray(data.hubble_deep_field()).astype(np.float32) / 255 + 0.01
    blurred = blur(sky)
    restored = np.full_like(blurred, 0.5)
    for _ in progress(range(STEPS)):
        # The point spread function is symmetric, so it is its own transpose.
        restored *= blur(blurred / blur(restored))
    return {"sky": sky, "blurred": blurred, "restored": restored}


def draw(figure: Figure, results: dict[str, Any]) -> None:
    """Draw a corner of the three images."""
    for axes, (name, image) in zip(figure.subplots(1, 3), results.items(), strict=True):
        axes.imshow((1.5 * image[550:800, 600:850]).clip(0, 1))
        axes.set_title(name)
        axes.set_axis_off()


if __name__ == "__main__":
    from demo import show

    show(main, draw, __file__)
