"""Anisotropic diffusion of a photograph of a retina: smooth its tissue, keep its vessels.

Perona and Malik, "Scale-space and edge detection using anisotropic diffusion", IEEE PAMI 12 (1990).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from skimage import data

import xarr as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 80
RATE = 0.2
EDGE = 0.02  # a difference of brightness well above this is an edge

# Relative to the largest value: exp may differ in the last place, and steep edges, which this
# diffusion makes steeper, magnify that about a thousandfold.
BOUNDS = {"photograph": 0.0, "smooth": 5e-4}


def flow(difference: np.Array) -> np.Array:
    """Return what flows along a difference of brightness: nothing across an edge."""
    conduction: np.Array = np.exp(-((difference / EDGE) ** 2))
    return difference * conduction


def main(progress: Callable[[range], Iterable[int]] = iter) -> dict[str, Any]:
    """Return the green channel of the photograph, shape (1411, 1411), before and after."""
    photograph = np.asarray(data.retina()[:, :, 1])
    u = photograph.astype(np.float32) / 255
    for _ in progress(range(STEPS)):
        centre = u[1:-1, 1:-1]
        north, south = u[:-2, 1:-1], u[2:, 1:-1]
        west, east = u[1:-1, :-2], u[1:-1, 2:]
        u[1:-1, 1:-1] += RATE * (
            flow(north - centre) + flow(south - centre) + flow(west - centre) + flow(east - centre)
        )
    return {"photograph": photograph, "smooth": u}


def draw(figure: Figure, results: dict[str, Any]) -> None:
    """Draw the middle of both images."""
    for axes, (name, image) in zip(figure.subplots(1, 2), results.items(), strict=True):
        axes.imshow(image[500:900, 150:550], cmap="magma")
        axes.set_title(name)
        axes.set_axis_off()


if __name__ == "__main__":
    from demo import show

    show(main, draw, __file__)
