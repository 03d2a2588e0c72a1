"""A brick wall stirs a fluid: two-dimensional turbulence by Fourier transforms.

The vorticity form of the equations of Navier and Stokes, products in space and derivatives between
transforms, with the two-thirds rule of Orszag (Journal of the Atmospheric Sciences 28, 1971). The
wall is a photograph that scikit-image ships; its brightness is the vorticity at the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from skimage import data

import xarr as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 300
SIZE = 256
VISCOSITY, TIME_STEP = 2e-4, 0.004

# Transforms are those of each library, whose roundings the flow stretches.
BOUNDS = {"start": 1e-12, "end": 1e-7, "energy": 1e-9}


def main(progress: Callable[[range], Iterable[int]] = iter) -> dict[str, Any]:
    """Return the vorticity at start and end, shape (256, 256), and the energy of each step."""
    wall = np.asarray(data.brick()[:SIZE, :SIZE]).astype(np.float64)
    wave = np.fft.fftfreq(SIZE, 1 / SIZE)
    kx, ky = np.meshgrid(wave, wave)
    squared = kx**2 + ky**2
    inverse = 1 / np.where(squared == 0, 1.0, squared)
    kept = (abs(kx) < SIZE / 3) & (abs(ky) < SIZE / 3)
    smooth = np.exp(-squared / 30**2) * (squared > 0)

    vorticity = np.fft.fft2(wall) * smooth
    vorticity *= 4 / np.std(np.fft.ifft2(vorticity).real)
    start = np.fft.ifft2(vorticity).real
    energy = np.zeros(STEPS)
    before = 0 * vorticity
    for step in progress(range(STEPS)):
        stream = vorticity * inverse
        u = np.fft.ifft2(1j * ky * stream).real
        v = np.fft.ifft2(-1j * kx * stream).real
        along = np.fft.ifft2(1j * kx * vorticity).real
        across = np.fft.ifft2(1j * ky * vorticity).real
        carried = np.fft.fft2(u * along + v * across) * kept
        # Adams and Bashforth's second order, after a first step of Euler's.
        pushed = 1.5 * carried - 0.5 * before if step else carried
        vorticity = (vorticity - TIME_STEP * pushed) / (1 + TIME_STEP * VISCOSITY * squared)
        before = carried
        energy[step] = 0.5 * np.mean(u * u + v * v)
    return {"start": start, "end": np.fft.ifft2(vorticity).real, "energy": energy}


def draw(figure: Figure, results: dict[str, Any]) -> None:
    """Draw the vorticity at start and end."""
    for axes, name in zip(figure.subplots(1, 2), ("start", "end"), strict=True):
        axes.imshow(results[name], cmap="RdBu", vmin=-12, vmax=12)
        axes.set_title(name)
        axes.set_axis_off()


if __name__ == "__main__":
    from demo import show

    show(main, draw, __file__)
