"""Gravity between the galaxies of the Hubble Deep Field, every one drawn by every other.

Where the photograph is brightest a body is set, its mass the brightness, its depth the colour:
the redder, the farther. Leapfrog steps with softened gravity (Aarseth 1963).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from skimage import data

import xarr as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 30
TIME_STEP = 0.02
SOFTENING = 0.05

# Relative to the largest value: float32 sums of 2,000 attractions differ in their last places, and
# the softened orbits do not diverge within this time.
BOUNDS = {"start": 0.0, "end": 1e-5, "velocity": 1e-5, "mass": 0.0}


def acceleration(position: np.Array, mass: np.Array) -> np.Array:
    """Return the attraction of all bodies on each: shape (3, N) from (3, N) and (N,)."""
    x, y, z = position[0, :], position[1, :], position[2, :]
    dx, dy, dz = x - x[:, None], y - y[:, None], z - z[:, None]
    squared = dx * dx + dy * dy + dz * dz + SOFTENING**2
    pull = mass / (squared * np.sqrt(squared))
    pulled: np.Array = np.stack([np.sum(d * pull, axis=1) for d in (dx, dy, dz)])
    return pulled


def main(progress: Callable[[range], Iterable[int]] = iter) -> dict[str, Any]:
    """Return the positions at start and end, shape (3, N), and the velocities and masses."""
    photograph = np.asarray(data.hubble_deep_field()).astype(np.int32)
    light = photograph[:, :, 0] + photograph[:, :, 1] + photograph[:, :, 2]
    height, width = light.shape
    x, y = np.meshgrid(
        np.linspace(-1, 1, width, dtype=np.float32), np.linspace(-1, 1, height, dtype=np.float32)
    )
    inner = light[1:-1, 1:-1]
    peak = (inner > 160) & (inner >= light[:-2, 1:-1]) & (inner > light[2:, 1:-1])
    peak &= (inner >= light[1:-1, :-2]) & (inner > light[1:-1, 2:])
    depth = (photograph[1:-1, 1:-1, 0] - photograph[1:-1, 1:-1, 2]).astype(np.float32) / 255
    start = np.stack([x[1:-1, 1:-1][peak], y[1:-1, 1:-1][peak], depth[peak]])
    mass = inner[peak].astype(np.float32) / 1e6

    position = start
    velocity = 0.5 * TIME_STEP * acceleration(position, mass)
    for _ in progress(range(STEPS)):
        position = position + TIME_STEP * velocity
        velocity = velocity + TIME_STEP * acceleration(position, mass)
    return {"start": start, "end": position, "velocity": velocity, "mass": mass}


def draw(figure: Figure, results: dict[str, Any]) -> None:
    """Draw the bodies as seen at start and end."""
    area = 4e3 * results["mass"]
    for axes, name in zip(
        figure.subplots(1, 2, sharex=True, sharey=True), ("start", "end"), strict=True
    ):
        x, y, z = results[name]
        axes.scatter(x, -y, s=area, c=z, cmap="RdYlBu_r", vmin=-0.3, vmax=0.3)
        axes.set_facecolor("black")
        axes.set_title(name)


if __name__ == "__main__":
    from demo import show

    show(main, draw, __file__)
