"""Air flows around a horse: the lattice Boltzmann method in two dimensions with nine velocities.

Qian, d'Humieres and Lallemand, "Lattice BGK models for Navier-Stokes equation", Europhys. Lett. 17
(1992). The horse is the silhouette that scikit-image ships.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from skimage import data

import xarr as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 800
INFLOW = 0.1  # cells a step
RELAXATION = 1 / 0.59  # for a Reynolds number of about 500 at the height of the horse

VELOCITIES = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
WEIGHTS = [4 / 9] + 4 * [1 / 9] + 4 * [1 / 36]
OPPOSITE = [0, 3, 4, 1, 2, 7, 8, 5, 6]

# Relative to the largest value, + - * / only, in one order: the bits agree.
BOUNDS = {"speed": 0.0, "curl": 0.0, "solid": 0}


def equilibrium(i: int, density: np.Array, x: np.Array, y: np.Array) -> np.Array:
    """Return how much of a gas that moves at (x, y) has the velocity i."""
    along = 3 * (VELOCITIES[i][0] * x + VELOCITIES[i][1] * y)
    return WEIGHTS[i] * density * (1 + along + along * along / 2 - 1.5 * (x * x + y * y))


def moments(f: list[np.Array]) -> tuple[np.Array, np.Array, np.Array]:
    """Return the density and the mean velocity in x and y."""
    density = sum(f[1:], start=f[0])
    x = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / density
    y = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / density
    return density, x, y


def main(progress: Callable[[range], Iterable[int]] = iter) -> dict[str, Any]:
    """Return the speed and the curl of the flow, and where the horse stands."""
    horse = np.asarray(~data.horse()[::2, ::2])
    solid = np.zeros((270, 720), dtype=np.bool)
    solid[50 : 50 + horse.shape[0], 90 : 90 + horse.shape[1]] = horse
    still = np.zeros(solid.shape, dtype=np.float32)
    wind = [equilibrium(i, still + 1, still + INFLOW, still) for i in range(9)]
    f = list(wind)

    for _ in progress(range(STEPS)):
        density, x, y = moments(f)
        collided = [f[i] + RELAXATION * (equilibrium(i, density, x, y) - f[i]) for i in range(9)]
        # What would enter the horse goes back where it came from.
        turned = [np.where(solid, f[OPPOSITE[i]], collided[i]) for i in range(9)]
        f = [np.roll(turned[i], (dy, dx), axis=(0, 1)) for i, (dx, dy) in enumerate(VELOCITIES)]
        for i in (1, 5, 8):
            f[i][:, 0] = wind[i][:, 0]
        for i in (3, 6, 7):
            f[i][:, -1] = f[i][:, -2]

    _, x, y = moments(f)
    x, y = np.where(solid, 0, x), np.where(solid, 0, y)
    curl = (y[1:-1, 2:] - y[1:-1, :-2]) - (x[2:, 1:-1] - x[:-2, 1:-1])
    return {"speed": np.sqrt(x * x + y * y), "curl": curl, "solid": solid}


def draw(figure: Figure, results: dict[str, Any]) -> None:
    """Draw the speed and the curl of the flow."""
    above, below = figure.subplots(2, 1)
    above.imshow(results["speed"], cmap="viridis")
    below.imshow(results["curl"], cmap="twilight", vmin=-0.03, vmax=0.03)
    for axes, title in ((above, "speed"), (below, "curl")):
        axes.set_title(title)
        axes.set_axis_off()


if __name__ == "__main__":
    from demo import show

    show(main, draw, __file__)
