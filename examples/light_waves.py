"""Light passes a glass horse: Yee's scheme for Maxwell's equations in two dimensions.

Yee, "Numerical solution of initial boundary value problems involving Maxwell's equations", IEEE
Transactions on Antennas and Propagation 14 (1966). The horse is a silhouette that scikit-image
ships; a line of sources shines on it, and a layer at the edges swallows what leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import pi, sin
from typing import TYPE_CHECKING, Any

from skimage import data

import xarr as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 900
WAVELENGTH, COURANT = 16.0, 0.5
INDEX = 1.5
EDGE = 30

# Relative to the largest value, + - * / only, in one order: the bits agree.
BOUNDS = {"field": 0.0, "glass": 0.0, "light": 0.0}


def swallowing(shape: tuple[int, ...]) -> np.Array:
    """Return what is left of a field after a step: less than 1 near the edges."""
    loss = np.zeros(shape, dtype=np.float32)
    ramp = np.arange(EDGE, 0, -1, dtype=np.float32) / EDGE
    ramp = 0.3 * ramp * ramp * ramp
    loss[:EDGE, :] += ramp[:, None]
    loss[-EDGE:, :] += ramp[::-1, None]
    loss[:, :EDGE] += ramp
    loss[:, -EDGE:] += ramp[::-1]
    kept: np.Array = 1 / (1 + loss)
    return kept


def main(progress: Callable[[range], Iterable[int]] = iter) -> dict[str, Any]:
    """Return the electric field at the end and its mean square, shape (328, 400)."""
    glass = ~np.asarray(data.horse())
    electric = np.zeros(glass.shape, dtype=np.float32)
    along, across = np.zeros_like(electric), np.zeros_like(electric)
    light = np.zeros_like(electric)
    speed = np.where(glass, COURANT / INDEX**2, COURANT).astype(np.float32)
    kept = swallowing(electric.shape)

    for step in progress(range(STEPS)):
        across[:-1, :] -= COURANT * (electric[1:, :] - electric[:-1, :])
        along[:, :-1] += COURANT * (electric[:, 1:] - electric[:, :-1])
        curl = along[1:, 1:] - along[1:, :-1] - across[1:, 1:] + across[:-1, 1:]
        electric[1:, 1:] += speed[1:, 1:] * curl
        electric[EDGE:-EDGE, EDGE + 2] += sin(2 * pi * COURANT * step / WAVELENGTH)
        electric *= kept
        along *= kept
        across *= kept
        if step >= STEPS // 2:
            light += electric * electric
    return {"field": electric, "glass": glass, "light": light}


def draw(figure: Figure, results: dict[str, Any]) -> None:
    """Draw the field, and where it is bright."""
    left, right = figure.subplots(1, 2)
    left.imshow(results["field"], cmap="twilight", vmin=-3, vmax=3)
    right.imshow(results["light"] ** 0.5, cmap="inferno")
    for axes in (left, right):
        axes.contour(results["glass"], levels=[0.5], colors="gray", linewidths=0.6)
        axes.set_axis_off()


if __name__ == "__main__":
    from demo import show

    show(main, draw, __file__)
