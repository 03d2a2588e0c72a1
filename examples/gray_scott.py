"""A printed page grows into coral: the reaction and diffusion of Gray and Scott, seeded by text.

Pearson, "Complex patterns in a simple system", Science 261 (1993). The page is a photograph that
scikit-image ships; where it is dark, the second substance is set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from skimage import data

import xarr as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 600
FEED, KILL = 0.055, 0.062
DIFFUSION_U, DIFFUSION_V = 0.16, 0.08

# Relative to the largest value, + - * / only, in one order: the bits agree.
BOUNDS = {"u": 0.0, "v": 0.0}


def laplacian(a: np.Array) -> np.Array:
    """Return the five-point Laplacian in the interior of an array."""
    return a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4 * a[1:-1, 1:-1]


def close(a: np.Array) -> None:
    """Copy the outermost cells from the opposite sides, so that the sheet has no edge."""
    a[0, :] = a[-2, :]
    a[-1, :] = a[1, :]
    a[:, 0] = a[:, -2]
    a[:, -1] = a[:, 1]


def main(progress: Callable[[range], Iterable[int]] = iter) -> dict[str, Any]:
    """Return both concentrations, shape (766, 1538), after the last step."""
    page = np.asarray(data.page().repeat(4, axis=0).repeat(4, axis=1))
    u_sheet = np.ones((page.shape[0] + 2, page.shape[1] + 2), dtype=np.float32)
    v_sheet = np.zeros_like(u_sheet)
    u, v = u_sheet[1:-1, 1:-1], v_sheet[1:-1, 1:-1]
    u[page < 90] = 0.5
    v[page < 90] = 0.25

    for _ in progress(range(STEPS)):
        close(u_sheet)
        close(v_sheet)
        reaction = u * v * v
        u += DIFFUSION_U * laplacian(u_sheet) - reaction + FEED * (1 - u)
        v += DIFFUSION_V * laplacian(v_sheet) + reaction - (FEED + KILL) * v
    return {"u": u, "v": v}


def draw(figure: Figure, results: dict[str, Any]) -> None:
    """Draw the second substance."""
    axes = figure.subplots()
    axes.imshow(results["v"], cmap="inferno")
    axes.set_axis_off()


if __name__ == "__main__":
    from demo import show

    show(main, draw, __file__)
